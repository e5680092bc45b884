/* Events, markers, barriers, and waiting. */
#include "tests/fuzz/api/api.h"

static void CL_CALLBACK event_called(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    api_called_back("event callback");
}

static void make_user_event(void)
{
    cl_event event;
    void *context = api_handle(CONTEXT);
    MAKE(event, clCreateUserEvent, context);
    struct api_slot *place = api_put(EVENT, event);
    if (place)
        place->user = true;
}

static void set_event(void)
{
    struct api_slot *place = api_slot(EVENT);
    if (api_chance(3)) {
        static const cl_int wrong[] = {1, 2, 3, CL_COMPLETE};
        DO(clSetUserEventStatus, place->user ? NULL : place->handle, wrong[api_byte() % 4]);
    } else {
        api_set_user_event(place, api_chance(4) ? -api_byte() - 1 : CL_COMPLETE);
    }
}

static void on_event(void)
{
    void *event = api_handle(EVENT);
    static const cl_int at[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED, 7, -1};
    DO(clSetEventCallback, event, API_PICK(at), api_chance(20) ? NULL : event_called, NULL);
}

static void wait_for(void)
{
    api_settle();
    struct api_waits *waits = api_wait_list();
    DO(clWaitForEvents, waits->count, waits->pointer);
}

static void marker(void)
{
    void *queue = api_handle(QUEUE);
    if (api_chance(2))
        ENQUEUE(clEnqueueMarkerWithWaitList, queue);
    else
        ENQUEUE(clEnqueueBarrierWithWaitList, queue);
}

/* What waits for an event that fails ends, although another of its events is never set. */
static void fail_one(void)
{
    void *context = api_handle(CONTEXT), *queue = api_handle(QUEUE);
    cl_event waits[3] = {NULL, NULL, NULL};
    cl_event *done = &waits[2];
    for (int i = 0; i < 2; i++) {
        MAKE(waits[i], clCreateUserEvent, context);
        if (!waits[i])
            return;
    }
    int failing = api_byte() % 2;
    bool early = api_chance(2), barrier = api_chance(2);
    if (early)
        DO(clSetUserEventStatus, waits[failing], -5);
    if (barrier)
        DO(clEnqueueBarrierWithWaitList, queue, 2, waits, done);
    else
        DO(clEnqueueMarkerWithWaitList, queue, 2, waits, done);
    if (!early)
        DO(clSetUserEventStatus, waits[failing], -5);
    if (*done)
        DO(clWaitForEvents, 1, done);
    for (int i = 0; i < 3; i++) {
        if (waits[i])
            DO(clReleaseEvent, waits[i]);
    }
}

static void flush(void)
{
    void *queue = api_handle(QUEUE);
    DO(clFlush, queue);
}

static void finish(void)
{
    api_settle();
    void *queue = api_handle(QUEUE);
    DO(clFinish, queue);
}

static void old_markers(void)
{
    void *queue = api_handle(QUEUE);
    cl_event event = NULL;
    struct api_waits *waits = api_wait_list();
    switch (api_byte() % 3) {
    case 0:
        DO(clEnqueueMarker, queue, api_chance(10) ? NULL : &event);
        api_put(EVENT, event);
        break;
    case 1:
        DO(clEnqueueBarrier, queue);
        break;
    default:
        DO(clEnqueueWaitForEvents, queue, waits->count, waits->pointer);
    }
}

static void (*const calls[])(void) = {make_user_event, set_event, on_event, wait_for, marker,
                                      old_markers,     flush,     finish,   fail_one};

const struct api_subject api_events = API_SUBJECT(calls, NULL);
