/* Contexts: a set of devices, opened; and the list of live queues, which tells when nothing enqueued is left. */
#include "src/check/check.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/gl/gl.h"
#include "src/object/context.h"
#include "src/object/queue.h"
#include "src/va/va.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

cl_context ocl_context_create(cl_uint num_devices, const cl_device_id *devices, const cl_context_properties *properties,
                              size_t num_properties)
{
    assert(num_devices > 0);
    cl_context context = calloc(1, sizeof(*context));
    if (!context)
        return NULL;
    ocl_object_init(&context->listener.object, OCL_CONTEXT);
    context->listener.release = ocl_context_release;
    pthread_mutex_init(&context->mutex, NULL);
    context->num_devices = num_devices;
    context->devices = malloc(num_devices * sizeof(cl_device_id));
    context->readers = calloc(num_devices, sizeof(uint64_t));
    context->transfer = calloc(num_devices, sizeof(struct vkb_queue *));
    context->dummies = calloc(num_devices, sizeof(context->dummies[0]));
    context->device_queues = calloc(num_devices, sizeof(context->device_queues[0]));
    context->order = calloc(num_devices, sizeof(struct vkb_buffer *));
    context->properties = num_properties ? malloc(num_properties * sizeof(properties[0])) : NULL;
    if (!context->devices || !context->transfer || !context->dummies || !context->order || !context->device_queues ||
        !context->readers || (num_properties && !context->properties)) {
        ocl_context_release(context);
        return NULL;
    }
    memcpy(context->devices, devices, num_devices * sizeof(cl_device_id));
    if (num_properties)
        memcpy(context->properties, properties, num_properties * sizeof(properties[0]));
    context->num_properties = num_properties;
    check_used();
    return context;
}

void ocl_context_retain(cl_context context)
{
    ocl_retain(&context->listener.object);
}

static void destroy(cl_context context)
{
    /* OpenCL 3.0 API, 4.4: destructor callbacks run in the reverse order of their registration */
    while (context->callbacks) {
        struct ocl_context_callback *callback = context->callbacks;
        context->callbacks = callback->next;
        FLOAT_ENV_CALL(callback->call(context, callback->data));
        free(callback);
    }
    assert(!context->queues);
    for (cl_uint i = 0; context->transfer && i < context->num_devices; i++) {
        if (context->transfer[i])
            vkb_queue_release(context->transfer[i]);
    }
    ocl_pointers_finish(context);
    ocl_gl_release(context->gl);
    ocl_gl_release(context->egl);
    if (context->gl_packed_last)
        vkb_event_release(context->gl_packed_last);
    ocl_va_release(context->va);
    for (cl_uint i = 0; context->order && i < context->num_devices; i++)
        vkb_buffer_release(context->order[i]);
    for (cl_uint i = 0; context->device_queues && i < context->num_devices; i++)
        vkb_buffer_release(context->device_queues[i].spare);
    context->listener.object.kind = OCL_DEAD;
    pthread_mutex_destroy(&context->mutex);
    for (cl_uint i = 0; context->dummies && i < context->num_devices; i++) {
        for (uint32_t k = 0; k < OCL_DUMMIES; k++)
            vkb_image_release(context->dummies[i][k]);
    }
    free(context->dummies);
    free(context->transfer);
    free(context->readers);
    free(context->order);
    free(context->device_queues);
    free(context->devices);
    free(context->properties);
    ocl_object_free(&context->listener.object);
}

static void farewell(void *data, int32_t status)
{
    (void)status;
    destroy(data);
}

bool ocl_context_prepare_farewell(cl_context context)
{
    if (!context->farewell)
        context->farewell = vkb_callback_create(VKB_WATCHER, farewell, context);
    return context->farewell;
}

void ocl_context_release(cl_context context)
{
    if (!ocl_release(&context->listener.object))
        return;
    assert(!ocl_is_locking());
    if (context->callbacks && vkb_is_steward()) {
        vkb_callback_post(context->farewell, 0);
        return;
    }
    vkb_callback_destroy(context->farewell);
    destroy(context);
}

int ocl_context_device_index(cl_context context, cl_device_id device)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (context->devices[i] == device)
            return (int)i;
    }
    return -1;
}

bool ocl_context_has_images(cl_context context)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (context->devices[i]->images)
            return true;
    }
    return false;
}

struct vkb_queue *ocl_context_transfer_queue(cl_context context, cl_uint device)
{
    ocl_lock(&context->mutex);
    if (!context->transfer[device] && vkb_queue_create(context->devices[device]->vk, VKB_QUEUE_EVENTS_ONLY,
                                                       &context->transfer[device]) != VKB_SUCCESS)
        context->transfer[device] = NULL;
    struct vkb_queue *queue = context->transfer[device];
    ocl_unlock(&context->mutex);
    return queue;
}

struct vkb_buffer *ocl_context_order_word(cl_context context, cl_uint device)
{
    ocl_lock(&context->mutex);
    if (!context->order[device] &&
        vkb_buffer_create(context->devices[device]->vk, 4, VKB_MEMORY_DEVICE, &context->order[device]) != VKB_SUCCESS)
        context->order[device] = NULL;
    struct vkb_buffer *word = context->order[device];
    ocl_unlock(&context->mutex);
    return word;
}

/* ---- when everything enqueued so far has ended ---- */

struct idle_wait {
    atomic_uint pending;             /* queues, and one for the call that sets it up */
    struct vkb_callback *by_watcher; /* makes the call; NULL: the thread that finds that all have ended makes it */
    void (*call)(void *data);
    void *data;
};

static void make_call(void *data, int32_t status)
{
    struct idle_wait *wait = data;
    (void)status;
    wait->call(wait->data);
    free(wait);
}

static void idle_count_down(struct idle_wait *wait)
{
    if (atomic_fetch_sub_explicit(&wait->pending, 1, memory_order_acq_rel) != 1)
        return;
    if (wait->by_watcher && vkb_is_steward()) {
        vkb_callback_post(wait->by_watcher, 0);
        return;
    }
    vkb_callback_destroy(wait->by_watcher);
    make_call(wait, 0);
}

static struct idle_wait *idle_wait_create(enum vkb_caller caller, void (*call)(void *data), void *data)
{
    struct idle_wait *wait = malloc(sizeof(*wait));
    if (!wait)
        return NULL;
    *wait = (struct idle_wait){.call = call, .data = data};
    atomic_init(&wait->pending, 1);
    if (caller == VKB_WATCHER && !(wait->by_watcher = vkb_callback_create(VKB_WATCHER, make_call, wait))) {
        free(wait);
        return NULL;
    }
    return wait;
}

static void queue_passed(void *data, int32_t status)
{
    (void)status;
    idle_count_down(data);
}

/* The context's queues, each with a reference; *count of them. NULL when there are none or memory is out. */
static struct vkb_queue **snapshot_queues(cl_context context, uint32_t *count)
{
    *count = 0;
    ocl_lock(&context->mutex);
    uint32_t length = context->num_devices;
    for (cl_command_queue queue = context->queues; queue; queue = queue->next)
        length++;
    struct vkb_queue **list = calloc(length, sizeof(*list));
    if (list) {
        for (cl_command_queue queue = context->queues; queue; queue = queue->next)
            list[(*count)++] = vkb_queue_retain(queue->vk);
        for (cl_uint i = 0; i < context->num_devices; i++) {
            if (context->transfer[i])
                list[(*count)++] = vkb_queue_retain(context->transfer[i]);
        }
    }
    ocl_unlock(&context->mutex);
    return list;
}

/* The next queue that is to be terminated, with a reference; or NULL. */
static struct vkb_queue *next_to_terminate(cl_context context)
{
    struct vkb_queue *found = NULL;
    ocl_lock(&context->mutex);
    for (cl_command_queue queue = context->queues; queue && !found; queue = queue->next) {
        if (!queue->terminated)
            found = vkb_queue_retain(queue->vk);
        queue->terminated = true;
    }
    ocl_unlock(&context->mutex);
    return found;
}

/* cl_khr_terminate_context, "between commands": what a device works on is not cut short, since Vulkan has no means for
 * that, but nothing waits for it any more. All queues are stopped before the first command ends, since commands wait
 * for those of other queues. They are terminated one by one without the context's mutex, because what a command kept
 * may be the context's last reference. */
bool ocl_context_terminate(cl_context context)
{
    struct vkb_queue *vk;
    if (atomic_exchange(&context->terminated, true))
        return false;
    ocl_lock(&context->mutex);
    for (cl_command_queue queue = context->queues; queue; queue = queue->next)
        vkb_queue_stop(queue->vk, CL_CONTEXT_TERMINATED_KHR);
    ocl_unlock(&context->mutex);
    while ((vk = next_to_terminate(context))) {
        vkb_queue_terminate(vk, CL_CONTEXT_TERMINATED_KHR);
        vkb_queue_release(vk);
    }
    return true;
}

cl_int ocl_context_fail_terminated(cl_context context, const char *function)
{
    return ocl_fail(context, function, CL_CONTEXT_TERMINATED_KHR, "the context was terminated");
}

cl_int ocl_context_check(const char *function, cl_context context)
{
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, function, CL_INVALID_CONTEXT, "not a context");
    return ocl_context_is_terminated(context) ? ocl_context_fail_terminated(context, function) : CL_SUCCESS;
}

void ocl_context_when_idle(cl_context context, enum vkb_caller caller, void (*call)(void *data), void *data)
{
    struct idle_wait *wait = idle_wait_create(caller, call, data);
    uint32_t count;
    struct vkb_queue **queues = snapshot_queues(context, &count);
    if (!wait || !queues) { /* out of memory: the slow and certain way */
        for (uint32_t i = 0; i < count; i++) {
            vkb_queue_wait(queues[i]);
            vkb_queue_drain(queues[i]);
        }
        if (wait)
            vkb_callback_destroy(wait->by_watcher);
        free(wait);
        wait = NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct vkb_event *event = NULL;
        struct vkb_enqueue enqueue = {.queue = queues[i], .event = &event, .after_failure = true};
        struct vkb_callback *passed = wait ? vkb_callback_create(VKB_STEWARD, queue_passed, wait) : NULL;
        if (passed && vkb_cmd_marker(&enqueue, false) == VKB_SUCCESS && event) {
            vkb_queue_flush(queues[i]);
            atomic_fetch_add_explicit(&wait->pending, 1, memory_order_relaxed);
            vkb_event_tell(event, VKB_COMPLETE, passed);
            vkb_event_release(event);
        } else if (wait) { /* no memory, or no device: its commands must have ended all the same */
            vkb_callback_destroy(passed);
            vkb_queue_wait(queues[i]);
            vkb_queue_drain(queues[i]);
        }
        vkb_queue_release(queues[i]);
    }
    free(queues);
    if (wait)
        idle_count_down(wait);
    else
        call(data);
}
