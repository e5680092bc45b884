/* Entry points of OpenCL 3.0 API, 5.1 (command-queues), 5.15 (flush and finish). */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/launch/printed.h"
#include "src/object/context.h"
#include "src/object/queue.h"

#include <stdlib.h>

#define HOST_FLAGS  ((cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
#define KNOWN_FLAGS (HOST_FLAGS | (cl_command_queue_properties)(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))

struct queue_request {
    cl_command_queue_properties flags;
    uint32_t priority;
    cl_uint size; /* 0: not given */
    size_t num_properties;
};

static cl_int check_flags(const char *function, cl_context context, cl_device_id device,
                          cl_command_queue_properties flags)
{
    if (flags & ~KNOWN_FLAGS)
        return ocl_fail(context, function, CL_INVALID_VALUE, "unknown queue properties 0x%llx",
                        (unsigned long long)flags);
    /* OpenCL 3.0 API, table 9: with CL_QUEUE_ON_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must be set, too, and
     * CL_QUEUE_ON_DEVICE_DEFAULT may only be set with it. */
    if ((flags & CL_QUEUE_ON_DEVICE) && !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return ocl_fail(context, function, CL_INVALID_VALUE, "a device queue must be out of order");
    if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) && !(flags & CL_QUEUE_ON_DEVICE))
        return ocl_fail(context, function, CL_INVALID_VALUE, "a default device queue that is no device queue");
    if (flags & ~HOST_FLAGS && !device->target.device_enqueue)
        return ocl_fail(context, function, CL_INVALID_QUEUE_PROPERTIES, "the device has no on-device queues");
    return CL_SUCCESS;
}

static cl_int check_priority(const char *function, cl_context context, cl_queue_properties value, uint32_t *priority)
{
    switch (value) {
    case CL_QUEUE_PRIORITY_HIGH_KHR:
        *priority = VKB_QUEUE_HIGH_PRIORITY;
        return CL_SUCCESS;
    case CL_QUEUE_PRIORITY_MED_KHR:
        *priority = 0;
        return CL_SUCCESS;
    case CL_QUEUE_PRIORITY_LOW_KHR:
        *priority = VKB_QUEUE_LOW_PRIORITY;
        return CL_SUCCESS;
    default:
        return ocl_fail(context, function, CL_INVALID_VALUE, "CL_QUEUE_PRIORITY_KHR has no such value");
    }
}

/* OpenCL 3.0 API, table 9: the size of a queue on the device. */
static cl_int check_size(const char *function, cl_context context, cl_device_id device, cl_queue_properties size,
                         cl_uint *result)
{
    if (!device->target.device_enqueue)
        return ocl_fail(context, function, CL_INVALID_QUEUE_PROPERTIES, "CL_QUEUE_SIZE is for on-device queues");
    if (!size)
        return ocl_fail(context, function, CL_INVALID_VALUE, "CL_QUEUE_SIZE is 0");
    if (size > OCL_DEVICE_QUEUE_MAX_SIZE)
        return ocl_fail(context, function, CL_INVALID_QUEUE_PROPERTIES, "CL_QUEUE_SIZE is larger than %u",
                        OCL_DEVICE_QUEUE_MAX_SIZE);
    *result = (cl_uint)size;
    return CL_SUCCESS;
}

static cl_int check_properties(const char *function, cl_context context, cl_device_id device,
                               const cl_queue_properties *properties, struct queue_request *request)
{
    *request = (struct queue_request){0};
    if (!properties)
        return CL_SUCCESS;
    const cl_queue_properties *p = properties;
    cl_int error = CL_SUCCESS;
    for (; p[0] && error == CL_SUCCESS; p += 2) {
        for (const cl_queue_properties *before = properties; before < p; before += 2) {
            if (before[0] == p[0])
                return ocl_fail(context, function, CL_INVALID_VALUE, "property 0x%lx is given twice", (long)p[0]);
        }
        switch (p[0]) {
        case CL_QUEUE_PROPERTIES:
            request->flags = (cl_command_queue_properties)p[1];
            error = check_flags(function, context, device, request->flags);
            break;
        case CL_QUEUE_PRIORITY_KHR:
            error = check_priority(function, context, p[1], &request->priority);
            break;
        case CL_QUEUE_THROTTLE_KHR: /* Vulkan has no means for it, and the extension promises nothing */
            if (p[1] != CL_QUEUE_THROTTLE_HIGH_KHR && p[1] != CL_QUEUE_THROTTLE_MED_KHR &&
                p[1] != CL_QUEUE_THROTTLE_LOW_KHR)
                return ocl_fail(context, function, CL_INVALID_VALUE, "CL_QUEUE_THROTTLE_KHR has no such value");
            break;
        case CL_QUEUE_SIZE:
            error = check_size(function, context, device, p[1], &request->size);
            break;
        default:
            return ocl_fail(context, function, CL_INVALID_VALUE, "unknown property 0x%lx", (long)p[0]);
        }
    }
    request->num_properties = (size_t)(p - properties) + 1;
    if (error == CL_SUCCESS && request->size && !(request->flags & CL_QUEUE_ON_DEVICE))
        return ocl_fail(context, function, CL_INVALID_VALUE, "CL_QUEUE_SIZE is for on-device queues");
    return error;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                             const cl_queue_properties *properties,
                                                                             cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    int index = ocl_is(device, OCL_DEVICE) ? ocl_context_device_index(context, device) : -1;
    if (index < 0)
        OCL_RETURN_ERROR(context, CL_INVALID_DEVICE, "not a device of this context");
    struct queue_request request;
    cl_command_queue queue = NULL;
    cl_int error = check_properties(__func__, context, device, properties, &request);
    if (error == CL_SUCCESS) {
        error = request.flags & CL_QUEUE_ON_DEVICE
                    ? ocl_device_queue_create(context, (cl_uint)index, request.flags, request.size, properties,
                                              request.num_properties, &queue)
                    : ocl_queue_create(context, (cl_uint)index, request.flags, request.priority, properties,
                                       request.num_properties, &queue);
        if (error != CL_SUCCESS)
            ocl_error(context, error, "the Vulkan queue cannot be made");
    }
    if (errcode_ret)
        *errcode_ret = error;
    return queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue_properties properties,
                                                               cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    int index = ocl_is(device, OCL_DEVICE) ? ocl_context_device_index(context, device) : -1;
    if (index < 0)
        OCL_RETURN_ERROR(context, CL_INVALID_DEVICE, "not a device of this context");
    if (properties & ~HOST_FLAGS)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "unknown queue properties 0x%llx", (unsigned long long)properties);
    cl_command_queue queue = NULL;
    cl_int error = ocl_queue_create(context, (cl_uint)index, properties, 0, NULL, 0, &queue);
    if (error != CL_SUCCESS)
        ocl_error(context, error, "the Vulkan queue cannot be made");
    if (errcode_ret)
        *errcode_ret = error;
    return queue;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    if (!ocl_is_queue(queue))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    ocl_queue_retain(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is_queue(queue))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    /* OpenCL 3.0 API, 5.1: the release is an implicit flush, also if others still hold the queue. */
    vkb_queue_flush(queue->vk);
    ocl_queue_release(queue);
    return CL_SUCCESS;
}

static cl_int out_default(cl_command_queue queue, const struct ocl_out *out)
{
    cl_command_queue first = ocl_device_queue_default(queue->context, queue->device_index);
    cl_int error = OCL_OUT(out, cl_command_queue, first);
    if (first)
        ocl_queue_release(first);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue)
{
    FLOAT_ENV_DEFAULT();
    cl_int error = ocl_context_check(__func__, context);
    if (error != CL_SUCCESS)
        return error;
    if (!ocl_is(device, OCL_DEVICE) || ocl_context_device_index(context, device) < 0)
        return ocl_error(context, CL_INVALID_DEVICE, "not a device of this context");
    if (!device->target.device_enqueue)
        return ocl_error(context, CL_INVALID_OPERATION, "the device has no on-device queues");
    if (!ocl_is(queue, OCL_DEVICE_QUEUE) || queue->context != context || queue->device != device)
        return ocl_error(context, CL_INVALID_COMMAND_QUEUE, "not a queue on this device of this context");
    ocl_device_queue_set_default(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
                                                      size_t param_value_size, void *param_value,
                                                      size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is_queue(queue))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        return OCL_OUT(&out, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return OCL_OUT(&out, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&queue->object.refs));
    case CL_QUEUE_PROPERTIES:
        return OCL_OUT(&out, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return ocl_out_bytes(&out, queue->properties, queue->num_properties * sizeof(cl_queue_properties));
    case CL_QUEUE_SIZE:
        if (!ocl_is(queue, OCL_DEVICE_QUEUE))
            return ocl_error(queue->context, CL_INVALID_COMMAND_QUEUE, "CL_QUEUE_SIZE is for on-device queues");
        return OCL_OUT(&out, cl_uint, queue->size);
    case CL_QUEUE_DEVICE_DEFAULT:
        return out_default(queue, &out);
    default:
        return ocl_error(queue->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue,
                                                          cl_command_queue_properties properties, cl_bool enable,
                                                          cl_command_queue_properties *old_properties)
{
    FLOAT_ENV_DEFAULT();
    (void)properties;
    (void)enable;
    (void)old_properties;
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    return ocl_error(queue->context, CL_INVALID_OPERATION, "removed from OpenCL after 1.0");
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    if (ocl_context_is_terminated(queue->context))
        return ocl_context_fail_terminated(queue->context, __func__);
    enum vkb_result result = vkb_queue_flush_soon(queue->vk);
    return result == VKB_SUCCESS ? CL_SUCCESS : ocl_error(queue->context, ocl_from_vkb(result), "submission failed");
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    enum vkb_result result = ocl_context_is_terminated(queue->context) ? VKB_SUCCESS : vkb_queue_wait(queue->vk);
    printed_deliver();
    if (ocl_context_is_terminated(queue->context)) /* before, or meanwhile */
        return ocl_context_fail_terminated(queue->context, __func__);
    if (result == VKB_SUCCESS || result == VKB_WAIT_FAILED)
        return CL_SUCCESS; /* commands that failed say so through their events */
    return ocl_error(queue->context, ocl_from_vkb(result), "the queue cannot be finished");
}
