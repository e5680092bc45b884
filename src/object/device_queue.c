/* Queues on the device: OpenCL 3.0 API, 5.1. Kernels put work into them by enqueue_kernel(); the host schedules it
 * (schedule.c). Such a queue is a vkb_queue that is out of order, a size, which bounds the records that kernels may
 * leave for it, and maybe the default of its device in its context. */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/queue.h"

cl_command_queue ocl_device_queue_default(cl_context context, cl_uint device_index)
{
    ocl_lock(&context->mutex);
    cl_command_queue queue = context->device_queues[device_index].first;
    /* Queues leave the context under its lock. */
    if (queue && !ocl_try_retain(&queue->object))
        queue = NULL;
    ocl_unlock(&context->mutex);
    return queue;
}

void ocl_device_queue_set_default(cl_command_queue queue)
{
    ocl_lock(&queue->context->mutex);
    queue->context->device_queues[queue->device_index].first = queue;
    ocl_unlock(&queue->context->mutex);
}

void ocl_device_queue_gone(cl_command_queue queue)
{
    struct ocl_device_queues *queues = &queue->context->device_queues[queue->device_index];
    ocl_lock(&queue->context->mutex);
    if (queues->first == queue)
        queues->first = NULL;
    queues->count--;
    ocl_unlock(&queue->context->mutex);
}

static bool count_one(cl_context context, cl_uint device_index)
{
    struct ocl_device_queues *queues = &context->device_queues[device_index];
    ocl_lock(&context->mutex);
    bool room = queues->count <= OCL_MAX_DEVICE_QUEUES;
    queues->count += room;
    ocl_unlock(&context->mutex);
    return room;
}

cl_int ocl_device_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags,
                               cl_uint size, const cl_queue_properties *properties, size_t num_properties,
                               cl_command_queue *queue)
{
    bool wants_default = flags & CL_QUEUE_ON_DEVICE_DEFAULT;
    if (wants_default && (*queue = ocl_device_queue_default(context, device_index)))
        return CL_SUCCESS;
    if (!count_one(context, device_index))
        return CL_OUT_OF_RESOURCES;
    cl_int error = ocl_queue_create(context, device_index, flags, 0, properties, num_properties, queue);
    if (error != CL_SUCCESS) {
        ocl_lock(&context->mutex);
        context->device_queues[device_index].count--;
        ocl_unlock(&context->mutex);
        return error;
    }
    (*queue)->size = size ? size : OCL_DEVICE_QUEUE_PREFERRED_SIZE;
    if (wants_default)
        ocl_device_queue_set_default(*queue);
    return CL_SUCCESS;
}
