/* Entry points of OpenCL 3.0 API, 5.11 (events), 5.12 (markers, barriers, waiting), 5.14 (profiling). */
#include "src/command/command.h"
#include "src/device/object.h"
#include "src/launch/printed.h"
#include "src/object/context.h"
#include "src/object/event.h"
#include "src/object/queue.h"

#include "base/util.h"

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    cl_event event = ocl_event_create(context, NULL, CL_COMMAND_USER);
    if (!event)
        OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "no memory for an event");
    if (vkb_event_create_user(&event->done) != VKB_SUCCESS) {
        event->done = NULL;
        ocl_event_release(event);
        OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "no memory for an event");
    }
    atomic_fetch_add(&context->unset_events, 1);
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(event, OCL_EVENT) || event->type != CL_COMMAND_USER)
        return ocl_error(NULL, CL_INVALID_EVENT, "not a user event");
    if (execution_status > CL_COMPLETE)
        return ocl_error(event->context, CL_INVALID_VALUE, "the status is neither CL_COMPLETE nor negative");
    /* OpenCL 3.0 API, 5.11: it "can only be called once to change the execution status of event". */
    if (atomic_exchange(&event->user_set, true))
        return ocl_error(event->context, CL_INVALID_OPERATION, "the status was set before");
    /* Commands that were held back by this event run from here on, and the application may release it. So this call
     * keeps it. */
    ocl_event_retain(event);
    atomic_fetch_sub(&event->context->unset_events, 1);
    vkb_event_set_user(event->done, execution_status);
    ocl_event_release(event);
    return CL_SUCCESS;
}

/* Of a context that is terminated, commands end, but a user event may never be set. */
static enum vkb_result wait_for(cl_event event)
{
    enum { SLICE_NS = 5000000 };
    enum vkb_result result;
    if (event->queue || !event->context->terminable)
        return vkb_event_wait(event->done, UINT64_MAX);
    do
        result = vkb_event_wait(event->done, SLICE_NS);
    while (result == VKB_TIMEOUT && !ocl_context_is_terminated(event->context));
    return result == VKB_TIMEOUT ? VKB_WAIT_FAILED : result;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    FLOAT_ENV_DEFAULT();
    if (num_events == 0 || !event_list)
        return ocl_error(NULL, CL_INVALID_VALUE, "no events");
    for (cl_uint i = 0; i < num_events; i++) {
        if (!ocl_is(event_list[i], OCL_EVENT))
            return ocl_error(NULL, CL_INVALID_EVENT, "event_list[%u] is no event", i);
        if (event_list[i]->context != event_list[0]->context)
            return ocl_error(NULL, CL_INVALID_CONTEXT, "the events are of several contexts");
    }
    cl_context context = event_list[0]->context;
    for (cl_uint i = 0; i < num_events; i++) {
        if (event_list[i]->queue)
            vkb_queue_flush(event_list[i]->queue->vk);
    }
    enum vkb_result worst = VKB_SUCCESS;
    for (cl_uint i = 0; i < num_events; i++) {
        enum vkb_result result = wait_for(event_list[i]);
        if (result != VKB_SUCCESS)
            worst = result;
    }
    printed_deliver();
    if (worst == VKB_SUCCESS)
        return CL_SUCCESS;
    return ocl_error(context, ocl_from_vkb(worst), "a command ended with an error");
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                                               void *param_value, size_t *param_value_size_ret)
{
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(event, OCL_EVENT))
        return ocl_error(NULL, CL_INVALID_EVENT, "not an event");
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE:
        return OCL_OUT(&out, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return OCL_OUT(&out, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return OCL_OUT(&out, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        /* OpenCL 3.0 API, 5.15 makes nobody submit a command whose status is asked for. But programs that neither flush
         * nor wait (pocld) would ask for ever. */
        return OCL_OUT(&out, cl_int, ocl_event_poll(event));
    case CL_EVENT_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&event->object.refs));
    default:
        return ocl_error(event->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    if (!ocl_is(event, OCL_EVENT))
        return ocl_error(NULL, CL_INVALID_EVENT, "not an event");
    ocl_event_retain(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    if (!ocl_is(event, OCL_EVENT))
        return ocl_error(NULL, CL_INVALID_EVENT, "not an event");
    ocl_event_release(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                                                   void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                                                   void *user_data)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(event, OCL_EVENT))
        return ocl_error(NULL, CL_INVALID_EVENT, "not an event");
    if (!pfn_notify)
        return ocl_error(event->context, CL_INVALID_VALUE, "pfn_notify is NULL");
    /* OpenCL 3.0 API, 5.11: CL_QUEUED is no status that a callback can wait for. */
    if (command_exec_callback_type != CL_SUBMITTED && command_exec_callback_type != CL_RUNNING &&
        command_exec_callback_type != CL_COMPLETE)
        return ocl_error(event->context, CL_INVALID_VALUE, "no such status: %d", command_exec_callback_type);
    cl_int error = ocl_event_on_status(event, command_exec_callback_type, pfn_notify, user_data);
    return error == CL_SUCCESS ? CL_SUCCESS : ocl_error(event->context, error, "the callback cannot be kept");
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                                                        size_t param_value_size, void *param_value,
                                                        size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(event, OCL_EVENT))
        return ocl_error(NULL, CL_INVALID_EVENT, "not an event");
    /* OpenCL 3.0 API, 5.14: CL_PROFILING_INFO_NOT_AVAILABLE without the queue's property, before the command's end, and
     * of user events. */
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
        return ocl_error(event->context, CL_PROFILING_INFO_NOT_AVAILABLE, "not the event of a profiling queue");
    if (ocl_event_ask(event) != CL_COMPLETE)
        return ocl_error(event->context, CL_PROFILING_INFO_NOT_AVAILABLE, "the command has not completed");
    struct vkb_profile profile = ocl_event_profile(event);
    switch (param_name) {
    case CL_PROFILING_COMMAND_QUEUED:
        return OCL_OUT(&out, cl_ulong, profile.queued);
    case CL_PROFILING_COMMAND_SUBMIT:
        return OCL_OUT(&out, cl_ulong, profile.submitted);
    case CL_PROFILING_COMMAND_START:
        return OCL_OUT(&out, cl_ulong, profile.start);
    case CL_PROFILING_COMMAND_END:
        return OCL_OUT(&out, cl_ulong, profile.end);
    case CL_PROFILING_COMMAND_COMPLETE: /* with what the kernel enqueued */
        return OCL_OUT(&out, cl_ulong,
                       event->last ? u64_max(profile.end, vkb_event_profile(event->done).end) : profile.end);
    default:
        return ocl_error(event->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- markers and barriers ---- */

static cl_int enqueue_marker(const struct ocl_call *call)
{
    struct ocl_command command;
    cl_int error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_marker(&enqueue, call->type == CL_COMMAND_BARRIER), false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint num_events_in_wait_list,
                                                            const cl_event *event_wait_list, cl_event *event)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_int error = ocl_check_waits(__func__, queue->context, num_events_in_wait_list, event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MARKER, false);
    return enqueue_marker(&call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list, cl_event *event)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_int error = ocl_check_waits(__func__, queue->context, num_events_in_wait_list, event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_BARRIER, false);
    return enqueue_marker(&call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    if (!event)
        return ocl_error(queue->context, CL_INVALID_VALUE, "event is NULL");
    const struct ocl_call call = {.function = __func__, .queue = queue, .type = CL_COMMAND_MARKER, .event = event};
    return enqueue_marker(&call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    const struct ocl_call call = {.function = __func__, .queue = queue, .type = CL_COMMAND_BARRIER};
    return enqueue_marker(&call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events,
                                                       const cl_event *event_list)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    if (num_events == 0 || !event_list)
        return ocl_error(queue->context, CL_INVALID_VALUE, "no events");
    for (cl_uint i = 0; i < num_events; i++) {
        if (!ocl_is(event_list[i], OCL_EVENT))
            return ocl_error(queue->context, CL_INVALID_EVENT, "event_list[%u] is no event", i);
        if (event_list[i]->context != queue->context)
            return ocl_error(queue->context, CL_INVALID_CONTEXT, "event_list[%u] is of another context", i);
    }
    const struct ocl_call call = {__func__, queue, CL_COMMAND_BARRIER, num_events, event_list, NULL, false};
    return enqueue_marker(&call);
}
