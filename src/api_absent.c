/* Entry points of features that the devices do not have: device-side queues. They check the object that they belong to
 * and answer with what OpenCL 3.0 API names for a device without the feature: mostly CL_INVALID_OPERATION. What shares
 * objects with other APIs is in api_interop.c. */
#include "src/context.h"
#include "src/object.h"

/* The signatures are the specification's; a feature that is not there has no use for most of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

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
