/* Semaphores: made, asked, waited for and signalled.
 *
 * A wait may come before its signal, fail, or get a signal that was meant for another. Nothing in a sequence may wait
 * for ever, so before a call that waits all semaphores are signalled, by a queue of their own, where nothing is in
 * front of the signal, until all waits have ended. */
#include "tests/fuzz/api/api.h"

#include <string.h>
#include <unistd.h>

enum { DEVICE_HANDLE_LIST = 0x2053 };

typedef cl_ulong property;

static struct {
    void *(*create)(cl_context, const property *, cl_int *);
    cl_int (*retain)(void *);
    cl_int (*release)(void *);
    cl_int (*info)(void *, cl_uint, size_t, void *, size_t *);
    cl_int (*wait)(cl_command_queue, cl_uint, void *const *, const cl_ulong *, cl_uint, const cl_event *, cl_event *);
    cl_int (*signal)(cl_command_queue, cl_uint, void *const *, const cl_ulong *, cl_uint, const cl_event *, cl_event *);
    cl_int (*handle)(void *, cl_device_id, cl_uint, size_t, void *, size_t *);
} cl;

static bool find_functions(void)
{
    static const char *const names[] = {
        "clCreateSemaphoreWithPropertiesKHR",
        "clRetainSemaphoreKHR",
        "clReleaseSemaphoreKHR",
        "clGetSemaphoreInfoKHR",
        "clEnqueueWaitSemaphoresKHR",
        "clEnqueueSignalSemaphoresKHR",
        "clGetSemaphoreHandleForTypeKHR",
    };
    return cl.create || api_find_functions(names, ARRAY_LENGTH(names), &cl);
}

cl_int api_semaphore_drop(void *object)
{
    return find_functions() ? DO_BY(clReleaseSemaphoreKHR, cl.release, object) : CL_SUCCESS;
}

cl_int api_semaphore_keep(void *object)
{
    return find_functions() ? DO_BY(clRetainSemaphoreKHR, cl.retain, object) : CL_SUCCESS;
}

/* Waits that may not have ended. Each keeps its semaphores, since nobody else may have them when they are signalled: a
 * signal that is enqueued behind its wait, in the same queue, would never come. */
enum { PENDING = 64, MOST = 3, ROUNDS = 20000, PAUSE_US = 200 };

static struct pending {
    cl_event event;
    void *semaphores[MOST];
    cl_uint count;
} pending[PENDING];

static void forget(struct pending *wait)
{
    for (cl_uint i = 0; i < wait->count; i++)
        cl.release(wait->semaphores[i]);
    if (wait->event)
        clReleaseEvent(wait->event);
    *wait = (struct pending){NULL};
}

static bool is_pending(struct pending *wait)
{
    cl_int status = 0;
    if (wait->event &&
        clGetEventInfo(wait->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL) == CL_SUCCESS &&
        status > CL_COMPLETE)
        return true;
    forget(wait);
    return false;
}

static void remember(cl_event event, cl_uint count, void *const *semaphores)
{
    static uint32_t next;
    struct pending *place = &pending[next++ % PENDING];
    if (is_pending(place))
        api_settle();
    forget(place);
    if (clRetainEvent(event) != CL_SUCCESS)
        return;
    place->event = event;
    for (; place->count < count && cl.retain(semaphores[place->count]) == CL_SUCCESS; place->count++)
        place->semaphores[place->count] = semaphores[place->count];
}

static void signal_now(void *semaphore)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue;
    DO_BY(clGetSemaphoreInfoKHR, cl.info, semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof(context), &context, NULL);
    DO_BY(clGetSemaphoreInfoKHR, cl.info, semaphore, DEVICE_HANDLE_LIST, sizeof(device), &device, NULL);
    MAKE(queue, clCreateCommandQueue, context, device, 0);
    if (!queue)
        return;
    DO_BY(clEnqueueSignalSemaphoresKHR, cl.signal, queue, 1, &semaphore, NULL, 0, NULL, NULL);
    DO(clReleaseCommandQueue, queue);
}

void api_settle_semaphores(void)
{
    bool any = true;
    for (uint32_t round = 0; any; round++) {
        any = false;
        for (uint32_t i = 0; i < PENDING; i++) {
            if (!is_pending(&pending[i]))
                continue;
            any = true;
            for (cl_uint k = 0; k < pending[i].count; k++)
                signal_now(pending[i].semaphores[k]);
        }
        if (round == ROUNDS)
            fuzz_failed("clEnqueueWaitSemaphoresKHR", "a wait does not end");
        if (any)
            usleep(PAUSE_US);
    }
}

static void make_semaphore(void)
{
    const property type = CL_SEMAPHORE_TYPE_KHR, binary = CL_SEMAPHORE_TYPE_BINARY_KHR, list = DEVICE_HANDLE_LIST,
                   device = (uintptr_t)api_device(), exports = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    const property properties[][8] = {
        {type, binary, 0},
        {list, (uintptr_t)api_devices[0], 0, type, binary, 0},
        {type, binary, list, device, 0, 0},
        {type, binary, list, 0, 0},
        {type, 7, 0},
        {0x7777, 1, 0},
        {type, binary, type, binary, 0},
        {type, binary, exports, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0},
        {type, binary, exports, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, 0},
        {type, binary, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (property)-1, 0},
        {0},
    };
    void *context = api_handle(CONTEXT), *semaphore;
    const property *chosen = api_chance(3) ? API_PICK(properties) : properties[api_byte() % 2];
    if (!find_functions())
        return;
    MAKE_BY(semaphore, clCreateSemaphoreWithPropertiesKHR, cl.create, context, api_chance(30) ? NULL : chosen);
    api_put(SEMAPHORE, semaphore);
}

/* Up to three semaphores, each of them mostly one. */
struct list {
    void *handles[MOST];
    cl_uint count;
};

static struct list some(void)
{
    struct list list = {.count = api_chance(3) ? api_byte() % 4u : 1};
    for (cl_uint i = 0; i < ARRAY_LENGTH(list.handles); i++) {
        struct api_slot *place = api_filled(SEMAPHORE);
        bool wrong = api_chance(30);
        list.handles[i] = wrong ? api_slot(MEM)->handle : place->handle;
    }
    return list;
}

static void wait(void)
{
    struct list list = some();
    void *queue = api_handle(QUEUE);
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL;
    if (!find_functions())
        return;
    cl_int code = DO_BY(clEnqueueWaitSemaphoresKHR, cl.wait, queue, list.count, api_chance(30) ? NULL : list.handles,
                        NULL, waits->count, waits->pointer, &event);
    if (code == CL_SUCCESS && event)
        remember(event, list.count, list.handles);
    api_take_event(event, code);
}

static void signal(void)
{
    struct list list = some();
    void *queue = api_handle(QUEUE);
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL;
    if (!find_functions())
        return;
    cl_int code = DO_BY(clEnqueueSignalSemaphoresKHR, cl.signal, queue, list.count,
                        api_chance(30) ? NULL : list.handles, NULL, waits->count, waits->pointer, &event);
    api_take_event(event, code);
}

static void ask(void)
{
    void *semaphore = api_handle(SEMAPHORE);
    int fd = -1;
    if (!find_functions())
        return;
    if (!api_chance(4)) {
        ASK_BY(clGetSemaphoreInfoKHR, cl.info, semaphore, CL_SEMAPHORE_CONTEXT_KHR + api_byte() % 6u);
        return;
    }
    cl_uint kind = api_chance(2) ? CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR : CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    cl_int code = DO_BY(clGetSemaphoreHandleForTypeKHR, cl.handle, semaphore, api_device(), kind, sizeof(fd),
                        api_chance(10) ? NULL : &fd, NULL);
    if (code == CL_SUCCESS && fd >= 0)
        close(fd);
}

static void (*const calls[])(void) = {make_semaphore, make_semaphore, wait, wait, signal, signal, ask};

const struct api_subject api_semaphores = API_SUBJECT(calls, NULL);
