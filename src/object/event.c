/* Events: a vkb_event with its OpenCL command, queue and context. A command that took several Vulkan commands (a printf
 * flush behind a dispatch, a launch in parts) has `done` for its end and `first` and `last` for its times. */
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/event.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <assert.h>
#include <stdlib.h>

cl_event ocl_event_create(cl_context context, cl_command_queue queue, cl_command_type type)
{
    cl_event event = calloc(1, sizeof(*event));
    if (!event)
        return NULL;
    ocl_object_init(&event->object, OCL_EVENT);
    atomic_init(&event->user_set, false);
    event->context = context;
    event->queue = queue;
    event->type = type;
    ocl_context_retain(context);
    if (queue)
        ocl_queue_retain(queue);
    return event;
}

void ocl_event_retain(cl_event event)
{
    ocl_retain(&event->object);
}

void ocl_event_release(cl_event event)
{
    if (!ocl_release(&event->object))
        return;
    event->object.kind = OCL_DEAD;
    if (event->type == CL_COMMAND_USER && event->done && !atomic_load(&event->user_set))
        atomic_fetch_sub(&event->context->unset_events, 1);
    if (event->done)
        vkb_event_release(event->done);
    if (event->first)
        vkb_event_release(event->first);
    if (event->last)
        vkb_event_release(event->last);
    if (event->queue)
        ocl_queue_release(event->queue);
    ocl_context_release(event->context);
    ocl_object_free(&event->object);
}

cl_int ocl_event_ask(cl_event event)
{
    cl_int status = vkb_event_ask(event->done);
    /* OpenCL 3.0 API, 5.11: a user event begins as CL_SUBMITTED */
    if (!event->queue && status > CL_SUBMITTED)
        return CL_SUBMITTED;
    /* One of the command's parts has started, so the command runs. */
    if (event->first && status > CL_RUNNING && vkb_event_ask(event->first) <= CL_RUNNING)
        return CL_RUNNING;
    return status;
}

cl_int ocl_event_poll(cl_event event)
{
    vkb_event_poll(event->done);
    return ocl_event_ask(event);
}

/* Times may be missing (a marker, a driver without timestamps) or out of order because of the clocks' conversion. They
 * are corrected so that queued <= submitted <= start <= end, as OpenCL 3.0 API, 5.14 says. */
struct vkb_profile ocl_event_profile(cl_event event)
{
    struct vkb_profile profile = vkb_event_profile(event->first ? event->first : event->done);
    if (event->last)
        profile.end = vkb_event_profile(event->last).end;
    profile.submitted = u64_max(profile.submitted, profile.queued);
    profile.start = u64_max(profile.start, profile.submitted);
    profile.end = u64_max(profile.end, profile.start);
    return profile;
}

struct event_callback {
    cl_event event; /* retained until the call */
    cl_int status;
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *data;
};

static void deliver(void *data, int32_t status)
{
    struct event_callback *callback = data;
    assert(!ocl_is_locking());
    FLOAT_ENV_CALL(callback->call(callback->event, status < 0 ? status : callback->status, callback->data));
    ocl_event_release(callback->event);
    free(callback);
}

cl_int ocl_event_on_status(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    struct event_callback *callback = malloc(sizeof(*callback));
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    *callback = (struct event_callback){event, status, call, data};
    ocl_event_retain(event);
    /* a user event is CL_SUBMITTED from the start */
    if (!event->queue && status == CL_SUBMITTED) {
        deliver(callback, vkb_event_ask(event->done));
        return CL_SUCCESS;
    }
    enum vkb_result result = vkb_event_on_status(event->done, status, deliver, callback);
    if (result != VKB_SUCCESS) {
        ocl_event_release(event);
        free(callback);
    }
    return ocl_from_vkb(result);
}
