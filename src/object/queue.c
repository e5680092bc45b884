/* Command queues: a vkb_queue, and its place in the context's list. */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/queue.h"

#include <stdlib.h>
#include <string.h>

static void list_insert(cl_command_queue queue)
{
    cl_context context = queue->context;
    ocl_lock(&context->mutex);
    queue->next = context->queues;
    if (queue->next)
        queue->next->previous = queue;
    context->queues = queue;
    if (queue->next || queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        atomic_store(&context->overlaps, true);
    ocl_unlock(&context->mutex);
}

static void list_remove(cl_command_queue queue)
{
    cl_context context = queue->context;
    ocl_lock(&context->mutex);
    if (queue->previous)
        queue->previous->next = queue->next;
    else
        context->queues = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    ocl_unlock(&context->mutex);
}

cl_int ocl_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags, uint32_t priority,
                        const cl_queue_properties *properties, size_t num_properties, cl_command_queue *result)
{
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_command_queue queue = calloc(1, sizeof(*queue));
    if (!queue)
        return error;
    if (num_properties) {
        queue->properties = malloc(num_properties * sizeof(properties[0]));
        if (!queue->properties)
            goto fail;
        memcpy(queue->properties, properties, num_properties * sizeof(properties[0]));
        queue->num_properties = num_properties;
    }
    uint32_t vk_flags = priority;
    if (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        vk_flags |= VKB_QUEUE_OUT_OF_ORDER;
    if (flags & CL_QUEUE_PROFILING_ENABLE)
        vk_flags |= VKB_QUEUE_PROFILING;
    if (context->terminable)
        vk_flags |= VKB_QUEUE_TERMINABLE;
    if (flags & CL_QUEUE_ON_DEVICE)
        vk_flags |= VKB_QUEUE_EVENTS_ONLY; /* schedule.c looks at each launch */
    error = ocl_from_vkb(vkb_queue_create(context->devices[device_index]->vk, vk_flags, &queue->vk));
    if (error != CL_SUCCESS)
        goto fail;
    ocl_object_init(&queue->object, flags & CL_QUEUE_ON_DEVICE ? OCL_DEVICE_QUEUE : OCL_QUEUE);
    pthread_mutex_init(&queue->mutex, NULL);
    queue->context = context;
    queue->device = context->devices[device_index];
    queue->device_index = device_index;
    queue->flags = flags;
    ocl_context_retain(context);
    list_insert(queue);
    if (ocl_context_is_terminated(context)) /* meanwhile */
        vkb_queue_terminate(queue->vk, CL_CONTEXT_TERMINATED_KHR);
    *result = queue;
    return CL_SUCCESS;

fail:
    free(queue->properties);
    free(queue);
    return error;
}

bool ocl_is_queue(const void *handle)
{
    return ocl_is(handle, OCL_QUEUE) || ocl_is(handle, OCL_DEVICE_QUEUE);
}

void ocl_queue_retain(cl_command_queue queue)
{
    ocl_retain(&queue->object);
}

static void destroy(cl_command_queue queue)
{
    list_remove(queue);
    if (queue->scratch)
        vkb_buffer_release(queue->scratch);
    vkb_buffer_release(queue->body);
    vkb_queue_release(queue->vk);
    ocl_context_release(queue->context);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->properties);
    ocl_object_free(&queue->object);
}

static void drained(void *data, int32_t status)
{
    (void)status;
    destroy(data);
}

/* Releases the application's reference. Memory that is freed looks at the context's list of queues for commands that
 * may still use it, and so does clTerminateContextKHR(). So a queue leaves that list only when its commands have ended.
 */
void ocl_queue_release(cl_command_queue queue)
{
    if (!ocl_release(&queue->object))
        return;
    if (queue->flags & CL_QUEUE_ON_DEVICE)
        ocl_device_queue_gone(queue);
    queue->object.kind = OCL_DEAD;
    if (!vkb_queue_is_idle(queue->vk)) {
        struct vkb_event *event = NULL;
        struct vkb_enqueue enqueue = {.queue = queue->vk, .event = &event, .after_failure = true};
        struct vkb_callback *last = vkb_callback_create(VKB_STEWARD, drained, queue);
        if (last && vkb_cmd_marker(&enqueue, false) == VKB_SUCCESS && event) {
            vkb_queue_flush(queue->vk);
            vkb_event_tell(event, VKB_COMPLETE, last);
            vkb_event_release(event);
            return;
        }
        vkb_callback_destroy(last);
        if (ocl_context_is_terminated(queue->context)) /* no memory for that: nobody could wait for it */
            vkb_queue_drain(queue->vk);
    }
    destroy(queue);
}
