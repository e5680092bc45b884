/* Entry points of features that the devices do not have: pipes, device-side queues. They check the object that they
 * belong to and answer with what OpenCL 3.0 API names for a device without the
 * feature: mostly CL_INVALID_OPERATION. What shares objects with other APIs is in api_interop.c. */
#include "src/context.h"
#include "src/kernel.h"
#include "src/object.h"
#include "src/program.h"
#include "src/queue.h"

/* The signatures are the specification's; a feature that is not there has no use for most of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define RETURN_ABSENT_OBJECT(what)                                                                                     \
    do {                                                                                                               \
        if (!ocl_is(context, OCL_CONTEXT))                                                                             \
            OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");                                               \
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context supports " what);                    \
    } while (0)

#define RETURN_ABSENT_COMMAND(what)                                                                                    \
    do {                                                                                                               \
        if (!ocl_is(queue, OCL_QUEUE))                                                                                 \
            return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");                                   \
        return ocl_error(queue->context, CL_INVALID_OPERATION, "the device does not support " what);                   \
    } while (0)

/* ---- pipes: 5.4 ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                             cl_uint max_packets, const cl_pipe_properties *properties,
                                             cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("pipes");
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                              void *param_value, size_t *param_value_size_ret)
{
    return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a pipe");
}

/* ---- on-device queues: 5.1 ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue)
{
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    if (!ocl_is(device, OCL_DEVICE) || ocl_context_device_index(context, device) < 0)
        return ocl_error(context, CL_INVALID_DEVICE, "not a device of this context");
    return ocl_error(context, CL_INVALID_OPERATION, "the device has no on-device queues");
}
