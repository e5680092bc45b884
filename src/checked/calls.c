/* What every call is asked: whether its handles are still the application's, and whether it may be made in a callback.
 * And what it leaves: a message where a query or an argument had the wrong size. */
#include "src/checked/model.h"
#include "src/checked/callbacks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the room's picture */
static atomic_ullong num_calls;

void checked_lock(void)
{
    pthread_mutex_lock(&lock);
}

void checked_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void checked_begin(struct checked_call *call, const char *function, const void *caller)
{
    *call = (struct checked_call){.function = function, .off = vkb_forked()};
    /* Where the call comes back to lies behind it. */
    call->caller = (const char *)caller - 1;
    call->number = atomic_fetch_add(&num_calls, 1) + 1;
    call->serial = call->off ? 0 : checked_serial();
    ocl_touched_forget(); /* of a launch that no call asked about */
}

void checked_handle(struct checked_call *call, enum checked_kind kind, const void *handle)
{
    if (call->off || !handle)
        return;
    checked_lock();
    const struct checked_object *object = checked_find(handle);
    if (object && object->kind == kind && checked_is_gone(object)) {
        bool releases = strncmp(call->function, "clRelease", 9) == 0;
        checked_report_released(call, object, releases ? "releases" : "uses");
    }
    checked_unlock();
}

void checked_handles(struct checked_call *call, enum checked_kind kind, cl_uint count, const void *list)
{
    for (cl_uint i = 0; list && i < count; i++)
        checked_handle(call, kind, ((void *const *)list)[i]);
}

void checked_not_in_callbacks(struct checked_call *call, const char *what)
{
    const char *callback = checked_callback();
    if (call->off || !callback || !check_on(CHECK_HOST))
        return;
    checked_lock();
    checked_report(call, CHECK_KIND_CALLBACK, NULL, NULL, NULL, NULL, "call %" PRIu64 " %s in a callback of %s",
                   call->number, what, callback);
    checked_unlock();
}

void checked_query(struct checked_call *call, cl_uint name, size_t room, size_t size)
{
    if (call->off || room >= size || !check_on(CHECK_HOST))
        return;
    checked_lock();
    checked_report(call, CHECK_KIND_QUERY, NULL, NULL, NULL, NULL,
                   "call %" PRIu64 " has room for %zu bytes, and the answer of 0x%x has %zu", call->number, room, name,
                   size);
    checked_unlock();
}

void checked_answer(struct checked_call *call, const void *value, size_t size)
{
    enum { MOST = 64 };
    void *handle;
    if (call->off || call->failed || !value)
        return;
    checked_lock();
    for (size_t i = 0; i < MOST && size >= (i + 1) * sizeof(handle); i++) {
        memcpy(&handle, (const char *)value + i * sizeof(handle), sizeof(handle));
        struct checked_object *object = checked_find(handle);
        if (object && !object->refs && ((const struct ocl_object *)handle)->kind != OCL_DEAD &&
            object->kind != CHECKED_POINTER)
            object->borrowed = true;
    }
    checked_unlock();
}

static void at_end(void)
{
    if (vkb_forked() || !check_on(CHECK_HOST))
        return;
    checked_lock();
    checked_report_maps(NULL, NULL);
    checked_report_unwaited();
    checked_report_leaks();
    checked_unlock();
}

/* A thread that the child does not have may have held it. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* For findings in kernels, which come from the library's threads. */
static bool describe(const void *handle, const void *address, char *text, size_t size)
{
    char description[CHECKED_TEXT];
    checked_lock();
    const struct checked_object *object = handle ? checked_find(handle) : checked_find_memory(address);
    if (object)
        checked_describe(object, description);
    checked_unlock();
    if (object)
        snprintf(text, size, "%s", description);
    return object;
}

void checked_start(void)
{
    pthread_atfork(NULL, NULL, in_child);
    check_at_end(at_end);
    check_describe = describe;
    checked_hear_of_launches();
}
