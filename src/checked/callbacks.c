/* See callbacks.h. */
#include "src/checked/callbacks.h"
#include "src/checked/model.h"

#include <stdlib.h>

struct wrapped {
    struct wrapped *next, **at; /* of the list of those that were not called */
    const char *what;
    checked_function function;
    void *data;
};

static struct wrapped *waiting; /* a build that fails early calls nobody */
static _Thread_local const char *running;

const char *checked_callback(void)
{
    return running;
}

/* Takes it out of the list, and what was in it. */
static struct wrapped take(void *data)
{
    struct wrapped *wrapped = data, copy;
    checked_lock();
    *wrapped->at = wrapped->next;
    if (wrapped->next)
        wrapped->next->at = wrapped->at;
    checked_unlock();
    copy = *wrapped;
    free(wrapped);
    return copy;
}

/* Who is told that a command is complete has seen it. A callback may use its event, whether or not the application kept
 * a reference. */
static void begin(cl_event event, cl_int status)
{
    checked_lock();
    struct checked_object *object = checked_find(event);
    if (object && object->kind == CHECKED_EVENT) {
        object->lent++;
        if (status <= CL_COMPLETE)
            checked_saw(object->command);
    }
    checked_unlock();
}

static void end(cl_event event)
{
    checked_lock();
    struct checked_object *object = checked_find(event);
    if (object && object->kind == CHECKED_EVENT && object->lent)
        object->lent--;
    checked_unlock();
}

static void CL_CALLBACK call_event(cl_event event, cl_int status, void *data)
{
    struct wrapped wrapped = take(data);
    const char *before = running;
    begin(event, status);
    running = wrapped.what;
    ((void(CL_CALLBACK *)(cl_event, cl_int, void *))wrapped.function)(event, status, wrapped.data);
    running = before;
    end(event);
}

static void CL_CALLBACK call_handle(void *handle, void *data)
{
    struct wrapped wrapped = take(data);
    const char *before = running;
    running = wrapped.what;
    ((void(CL_CALLBACK *)(void *, void *))wrapped.function)(handle, wrapped.data);
    running = before;
}

static void CL_CALLBACK call_svm(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    struct wrapped wrapped = take(data);
    const char *before = running;
    running = wrapped.what;
    ((void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *))wrapped.function)(queue, count, pointers,
                                                                                         wrapped.data);
    running = before;
}

checked_function checked_wrap(const char *what, enum checked_callback_type type, checked_function function, void **data)
{
    static const checked_function functions[] = {
        [CHECKED_EVENT_CALLBACK] = (checked_function)call_event,
        [CHECKED_HANDLE_CALLBACK] = (checked_function)call_handle,
        [CHECKED_SVM_CALLBACK] = (checked_function)call_svm,
    };
    struct wrapped *wrapped = function ? malloc(sizeof(*wrapped)) : NULL;
    if (!wrapped)
        return function;
    checked_lock();
    *wrapped = (struct wrapped){waiting, &waiting, what, function, *data};
    if (waiting)
        waiting->at = &wrapped->next;
    waiting = wrapped;
    checked_unlock();
    *data = wrapped;
    return functions[type];
}

void checked_unwrap(void *data)
{
    take(data);
}
