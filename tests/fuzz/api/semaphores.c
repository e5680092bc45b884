/* Semaphores: made, asked, waited for and signalled.
 *
 * A wait may come before its signal. Nothing in a sequence may wait for ever, so signals that waits need already come
 * by a queue of their own, where nothing is in front of them; other signals are on any queue and behind any events,
 * which can only depend on what was enqueued before. */
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

/* By a queue where nothing is in front of it. */
static bool signal_now(struct api_slot *place)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue;
    DO_BY(clGetSemaphoreInfoKHR, cl.info, place->handle, CL_SEMAPHORE_CONTEXT_KHR, sizeof(context), &context, NULL);
    DO_BY(clGetSemaphoreInfoKHR, cl.info, place->handle, DEVICE_HANDLE_LIST, sizeof(device), &device, NULL);
    MAKE(queue, clCreateCommandQueue, context, device, 0);
    if (!queue)
        return false;
    cl_int code = DO_BY(clEnqueueSignalSemaphoresKHR, cl.signal, queue, 1, &place->handle, NULL, 0, NULL, NULL);
    DO(clReleaseCommandQueue, queue);
    place->balance += code == CL_SUCCESS;
    return code == CL_SUCCESS;
}

void api_settle_semaphores(void)
{
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        struct api_slot *place = &api_run.slots[SEMAPHORE][i];
        while (place->handle && place->balance < 0 && signal_now(place))
            continue;
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

/* Up to three semaphores, each of them mostly one; num_places of them count. */
struct list {
    void *handles[3];
    struct api_slot *places[3];
    cl_uint count;
};

static struct list some(void)
{
    struct list list = {.count = api_chance(3) ? api_byte() % 4u : 1};
    for (cl_uint i = 0; i < ARRAY_LENGTH(list.handles); i++) {
        struct api_slot *place = api_filled(SEMAPHORE);
        bool wrong = api_chance(30);
        list.places[i] = place;
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
    for (cl_uint i = 0; i < list.count && code == CL_SUCCESS; i++)
        list.places[i]->balance--;
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
    for (cl_uint i = 0; i < list.count; i++) {
        if (list.places[i]->handle && list.places[i]->balance < 0) {
            signal_now(list.places[i]);
            return;
        }
    }
    cl_int code = DO_BY(clEnqueueSignalSemaphoresKHR, cl.signal, queue, list.count,
                        api_chance(30) ? NULL : list.handles, NULL, waits->count, waits->pointer, &event);
    for (cl_uint i = 0; i < list.count && code == CL_SUCCESS; i++)
        list.places[i]->balance = 1; /* a second signal replaces the first */
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
