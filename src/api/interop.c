/* The dispatch table's entries for sharing objects with Direct3D, and for cl_ext_device_fission. None
 * of these extensions is offered; an application gets here only by calling without asking. The answers are those of the
 * extensions' specifications for a context that was not made for sharing, or a platform that does not know the API. */
#include "src/api/interop.h"
#include "src/device/object.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

/* The signatures are the extensions'; an entry that only refuses has no use for most of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define RETURN_NO_SHARING(api)                                                                                         \
    OCL_RETURN_ERROR(ocl_is(context, OCL_CONTEXT) ? context : NULL, CL_INVALID_CONTEXT,                                \
                     "the context was not created for sharing with " api)

/* Acquiring and releasing shared objects of any API: no object can be shared. */
static cl_int no_objects(const char *function, cl_command_queue queue)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    return ocl_fail(queue->context, function, CL_INVALID_CONTEXT, "the context was not created for sharing");
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id in_device,
                                                      const cl_device_partition_property_ext *properties,
                                                      cl_uint num_entries, cl_device_id *out_devices,
                                                      cl_uint *num_devices)
{
    if (!ocl_is(in_device, OCL_DEVICE))
        return ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
    return ocl_error(NULL, CL_INVALID_VALUE, "the device supports no partition type");
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device)
{
    return clRetainDevice(device);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device)
{
    return clReleaseDevice(device);
}

/* ---- Direct3D: not on this operating system, where the headers know these entries only as void * ---- */

cl_int ocl_d3d_no_devices(void)
{
    return ocl_error(NULL, CL_DEVICE_NOT_FOUND, "there is no Direct3D");
}

void *ocl_d3d_no_object4(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret)
{
    RETURN_NO_SHARING("Direct3D");
}

void *ocl_d3d_no_object5(cl_context context, cl_mem_flags flags, void *resource, cl_uint sub, cl_int *errcode_ret)
{
    RETURN_NO_SHARING("Direct3D");
}

void *ocl_d3d_no_object6(cl_context context, cl_mem_flags flags, cl_uint type, void *info, cl_uint plane,
                         cl_int *errcode_ret)
{
    RETURN_NO_SHARING("DirectX 9");
}

cl_int ocl_d3d_no_objects(cl_command_queue queue)
{
    return no_objects("clEnqueue*D3DObjects", queue);
}
