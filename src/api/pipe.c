/* Entry points of OpenCL 3.0 API, 5.4 (pipes). */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pipe.h"

static bool has_pipes(cl_context context)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (context->devices[i]->target.pipes)
            return true;
    }
    return false;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                             cl_uint max_packets, const cl_pipe_properties *properties,
                                             cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const cl_mem_flags allowed = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (!has_pipes(context))
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context supports pipes");
    if (flags & ~allowed)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "flags 0x%llx are not for pipes", (unsigned long long)flags);
    if (properties)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "pipes have no properties: it must be NULL");
    if (packet_size == 0 || packet_size > OCL_PIPE_MAX_PACKET_SIZE || max_packets == 0)
        OCL_RETURN_ERROR(context, CL_INVALID_PIPE_SIZE, "%u packets of %u bytes; packets have 1 to %u", max_packets,
                         packet_size, OCL_PIPE_MAX_PACKET_SIZE);
    flags = flags ? flags | CL_MEM_READ_WRITE : allowed;
    cl_mem pipe = NULL;
    cl_int error = ocl_pipe_create(context, flags, packet_size, max_packets, &pipe);
    if (error != CL_SUCCESS)
        OCL_RETURN_ERROR(context, error, "no memory for %u packets of %u bytes", max_packets, packet_size);
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return pipe;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                              void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is_pipe(pipe))
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a pipe");
    switch (param_name) {
    case CL_PIPE_PACKET_SIZE:
        return OCL_OUT(&out, cl_uint, pipe->packet_size);
    case CL_PIPE_MAX_PACKETS:
        return OCL_OUT(&out, cl_uint, pipe->max_packets);
    case CL_PIPE_PROPERTIES: /* none can be given */
        return ocl_out_bytes(&out, NULL, 0);
    default:
        return ocl_error(pipe->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
