/* A program that builds, launches, maps, waits and releases, in which one allocation of Pumice's after the other fails,
 * until none is left. After each: an error or a right result, nothing leaks, and the next run works.
 *
 * This program's malloc is everybody's. It knows by the return address whether the library asks, and fails only then;
 * and it remembers what the library was given, so that what is not freed is seen. */
#include "command_buffers.h"
#include "share_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

/* ---- malloc ---- */

enum { SLOTS = 1 << 18, EARLY = 1 << 16 };

static uintptr_t code_begin, code_end; /* the library's */
static atomic_long until_failure, num_asked;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static void *table[SLOTS]; /* what the library holds */
static long num_live;

static char early[EARLY] __attribute__((aligned(16))); /* while dlsym() looks for the real ones */
static size_t early_used;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
static atomic_int finding;

static void find_real(void)
{
    if (real_free || atomic_exchange(&finding, 1))
        return;
    real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}

static void *early_alloc(size_t size)
{
    void *memory = early + early_used;
    early_used += (size + 15) / 16 * 16;
    if (early_used > EARLY)
        abort();
    return memory;
}

static bool is_early(const void *pointer)
{
    return (const char *)pointer >= early && (const char *)pointer < early + EARLY;
}

static size_t slot_of(const void *pointer)
{
    size_t slot = ((uintptr_t)pointer >> 4) * 0x9e3779b97f4a7c15u >> 40;
    slot %= SLOTS;
    while (table[slot] && table[slot] != pointer)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static void remember(void *pointer)
{
    pthread_mutex_lock(&table_lock);
    if (pointer && num_live < SLOTS / 2) {
        table[slot_of(pointer)] = pointer;
        num_live++;
    }
    pthread_mutex_unlock(&table_lock);
}

static void forget(void *pointer)
{
    pthread_mutex_lock(&table_lock);
    size_t hole = slot_of(pointer);
    if (pointer && table[hole]) {
        num_live--;
        table[hole] = NULL;
        /* those behind it in the chain move up */
        for (size_t at = (hole + 1) % SLOTS; table[at]; at = (at + 1) % SLOTS) {
            void *moved = table[at];
            table[at] = NULL;
            table[slot_of(moved)] = moved;
        }
    }
    pthread_mutex_unlock(&table_lock);
}

static bool asks(const void *caller)
{
    return (uintptr_t)caller >= code_begin && (uintptr_t)caller < code_end;
}

static bool fails(void)
{
    num_asked++;
    if (atomic_load(&until_failure) <= 0 || atomic_fetch_sub(&until_failure, 1) != 1)
        return false;
    errno = ENOMEM;
    return true;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    bool ours = asks(__builtin_return_address(0));
    find_real();
    if (!real_malloc)
        return early_alloc(size);
    if (!ours)
        return real_malloc(size);
    void *memory = fails() ? NULL : real_malloc(size);
    remember(memory);
    return memory;
}

EXPORTED void *calloc(size_t count, size_t size)
{
    bool ours = asks(__builtin_return_address(0));
    find_real();
    if (!real_calloc)
        return early_alloc(count * size);
    if (!ours)
        return real_calloc(count, size);
    void *memory = fails() ? NULL : real_calloc(count, size);
    remember(memory);
    return memory;
}

EXPORTED void *realloc(void *old, size_t size)
{
    bool ours = asks(__builtin_return_address(0));
    find_real();
    if (!ours)
        return real_realloc(old, size);
    if (fails())
        return NULL;
    forget(old);
    void *memory = real_realloc(old, size);
    remember(memory);
    return memory;
}

EXPORTED void free(void *memory)
{
    if (!memory || is_early(memory) || !real_free)
        return;
    forget(memory);
    real_free(memory);
}

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum && strstr(info->dlpi_name, "libpumice.so"); i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        code_begin = info->dlpi_addr + part->p_vaddr;
        code_end = code_begin + part->p_memsz;
        return 1;
    }
    return 0;
}

/* ---- the program ---- */

static const char source[] = "constant int table[4] = {1, 2, 3, 4};\n"
                             "kernel void add(global int *io, local int *scratch, int value)\n"
                             "{\n"
                             "    size_t i = get_local_id(0);\n"
                             "    scratch[i] = value + table[i & 3] - table[i & 3];\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    io[get_global_id(0)] += scratch[get_local_size(0) - 1 - i];\n"
                             "    if (io[0] < 0) printf(\"%d\\n\", value);\n"
                             "}\n";
static const char library[] = "int twice(int x) { return 2 * x; }\n";
static const char user[] = "int twice(int x);\n"
                           "kernel void call(global int *io) { io[get_global_id(0)] = twice(io[get_global_id(0)]); }\n";

enum { ITEMS = 64, MAX_EVENTS = 16 };

struct run {
    bool ok;
    cl_context context;
    cl_command_queue queues[2];
    cl_program program, parts[2], linked;
    cl_kernel add, call;
    cl_mem buffer, host, sub;
    cl_semaphore_khr semaphore;
    cl_event events[MAX_EVENTS], user;
    int num_events;
    atomic_int calls, native_calls;
    bool expects_call;
    cl_int data[ITEMS];
    cl_int memory[ITEMS] __attribute__((aligned(4096)));
};

static void expect(struct run *run, cl_int error)
{
    run->ok &= error == CL_SUCCESS;
}

/* For calls that return an object: there is one, or an error. */
static void *object(struct run *run, void *object, const cl_int *error)
{
    CHECK((object != NULL) == (*error == CL_SUCCESS));
    run->ok &= object != NULL;
    return object;
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    struct run *run = data;
    (void)event, (void)status;
    run->calls++;
}

static void make_programs(struct run *run)
{
    cl_int error = CL_SUCCESS;
    const char *text = source;
    run->program = object(run, clCreateProgramWithSource(run->context, 1, &text, NULL, &error), &error);
    if (run->program) {
        expect(run, clBuildProgram(run->program, 0, NULL, "", NULL, NULL));
        run->add = clCreateKernel(run->program, "add", &error);
        run->add = object(run, run->add, &error);
    }
    for (int i = 0; i < 2; i++) {
        text = i ? user : library;
        run->parts[i] = object(run, clCreateProgramWithSource(run->context, 1, &text, NULL, &error), &error);
        if (run->parts[i])
            expect(run, clCompileProgram(run->parts[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    }
    if (run->parts[0] && run->parts[1]) {
        run->linked = clLinkProgram(run->context, 0, NULL, "", 2, run->parts, NULL, NULL, &error);
        run->ok &= error == CL_SUCCESS; /* there may be a program and an error */
    }
    if (run->linked && error == CL_SUCCESS)
        run->call = object(run, clCreateKernel(run->linked, "call", &error), &error);
}

static void make_objects(struct run *run)
{
    cl_int error = CL_SUCCESS;
    run->context = object(run, clCreateContext(NULL, 1, &device, NULL, NULL, &error), &error);
    if (!run->context)
        return;
    for (cl_command_queue_properties i = 0; i < 2; i++)
        run->queues[i] = object(
            run,
            clCreateCommandQueue(run->context, device,
                                 i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE : 0, &error),
            &error);
    run->buffer = object(run, clCreateBuffer(run->context, 0, sizeof(run->data), NULL, &error), &error);
    run->host = object(run, clCreateBuffer(run->context, CL_MEM_USE_HOST_PTR, sizeof(run->memory), run->memory, &error),
                       &error);
    if (run->host) {
        const cl_buffer_region region = {0, sizeof(run->data) / 2};
        run->sub = object(run, clCreateSubBuffer(run->host, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error), &error);
    }
    run->user = object(run, clCreateUserEvent(run->context, &error), &error);
    make_programs(run);
}

static cl_event *new_event(struct run *run)
{
    return &run->events[run->num_events++];
}

static void CL_CALLBACK native(void *data)
{
    struct run **run = data;
    (*run)->native_calls++;
}

/* Behind the user event, which is set after these calls: none of them may wait, whatever memory it lacks. */
static void hold_back(struct run *run)
{
    cl_int error;
    const properties_t properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    run->semaphore = object(run, cl.create(run->context, properties, &error), &error);
    if (run->semaphore) {
        expect(run, cl.wait(run->queues[1], 1, &run->semaphore, NULL, 0, NULL, NULL));
        expect(run, cl.signal(run->queues[1], 1, &run->semaphore, NULL, 1, &run->user, NULL));
    }
    expect(run, clEnqueueNativeKernel(run->queues[1], native, &run, sizeof(run), 0, NULL, NULL, 1, &run->user, NULL));
}

static void work(struct run *run)
{
    size_t items = ITEMS, group = 16;
    cl_int error, zero = 0, value = 5;
    cl_command_queue queue0 = run->queues[0], queue1 = run->queues[1];
    cl_event *filled = new_event(run), *last;
    expect(run, clEnqueueFillBuffer(queue0, run->buffer, &zero, 4, 0, sizeof(run->data), 0, NULL, filled));
    expect(run, clSetKernelArg(run->add, 0, sizeof(cl_mem), &run->buffer));
    expect(run, clSetKernelArg(run->add, 1, group * 4, NULL));
    expect(run, clSetKernelArg(run->add, 2, sizeof(value), &value));
    for (int i = 0; i < 3; i++)
        expect(run, clEnqueueNDRangeKernel(queue0, run->add, 1, NULL, &items, &group, 0, NULL, new_event(run)));
    last = &run->events[run->num_events - 1];
    /* behind a user event and another queue's work */
    cl_event waits[] = {run->user, *last};
    expect(run, clSetKernelArg(run->call, 0, sizeof(cl_mem), &run->buffer));
    expect(run, clEnqueueNDRangeKernel(queue1, run->call, 1, NULL, &items, NULL, *last ? 2 : 1, waits, new_event(run)));
    last = &run->events[run->num_events - 1];
    if (*last) {
        cl_int registered = clSetEventCallback(*last, CL_COMPLETE, count_call, run);
        run->expects_call = registered == CL_SUCCESS;
        expect(run, registered);
    }
    expect(run, clEnqueueCopyBuffer(queue1, run->buffer, run->host, 0, 0, sizeof(run->data), *last ? 1 : 0,
                                    *last ? last : NULL, new_event(run)));
    hold_back(run);
    expect(run, clSetUserEventStatus(run->user, CL_COMPLETE));
    last = &run->events[run->num_events - 1];
    if (*last)
        expect(run, clWaitForEvents(1, last));
    for (int i = 0; i < run->num_events; i++) {
        cl_int status = CL_COMPLETE;
        if (run->events[i])
            expect(run,
                   clGetEventInfo(run->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        run->ok &= status >= 0; /* one that was held back, for what it prints, may have failed; those behind it go on */
    }
    cl_int *map = clEnqueueMapBuffer(queue0, run->sub, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof(run->data) / 2, 0,
                                     NULL, NULL, &error);
    expect(run, error);
    if (map) {
        CHECK(!run->ok || map[3] == 30);
        map[3] = 31;
        expect(run, clEnqueueUnmapMemObject(queue0, run->sub, map, 0, NULL, NULL));
    }
    expect(run, clEnqueueReadBuffer(queue0, run->host, CL_TRUE, 0, sizeof(run->data), run->data, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK(!run->ok || run->data[i] == (i == 3 ? 31 : 30));
}

/* Shared virtual memory, where the device has it. */
static void share(struct run *run)
{
    cl_device_svm_capabilities svm = 0;
    cl_int got[4] = {0};
    if (clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL) != CL_SUCCESS || !svm)
        return;
    cl_int *memory = clSVMAlloc(run->context, CL_MEM_READ_WRITE, sizeof(got), 0);
    run->ok &= memory != NULL;
    if (!memory)
        return;
    cl_int error =
        clEnqueueSVMMap(run->queues[0], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory, sizeof(got), 0, NULL, NULL);
    expect(run, error);
    if (error == CL_SUCCESS) {
        memory[2] = 77;
        expect(run, clEnqueueSVMUnmap(run->queues[0], memory, 0, NULL, NULL));
    }
    expect(run, clEnqueueSVMMemcpy(run->queues[0], CL_TRUE, got, memory, sizeof(got), 0, NULL, NULL));
    CHECK(!run->ok || got[2] == 77);
    expect(run, clFinish(run->queues[0]));
    clSVMFree(run->context, memory);
}

/* A buffer goes from one device to another, and back, where there are two. */
static void move(struct run *run)
{
    enum { BYTES = 1 << 20 };
    cl_device_id devices[2];
    cl_command_queue queues[2] = {NULL, NULL};
    cl_uint count = 0;
    cl_int error, got[2] = {0, 0};
    cl_mem memory = NULL;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count) != CL_SUCCESS || count < 2)
        return;
    cl_context both = object(run, clCreateContext(NULL, 2, devices, NULL, NULL, &error), &error);
    for (int i = 0; i < 2 && both; i++)
        queues[i] = object(run, clCreateCommandQueue(both, devices[i], 0, &error), &error);
    if (queues[0] && queues[1])
        memory = object(run, clCreateBuffer(both, 0, BYTES, NULL, &error), &error);
    for (cl_int i = 0; i < 3 && memory; i++) {
        cl_event filled = NULL;
        expect(run,
               clEnqueueFillBuffer(queues[i % 2], memory, &i, sizeof(i), 4 * (size_t)(i % 2), 4, 0, NULL, &filled));
        expect(run, clEnqueueReadBuffer(queues[(i + 1) % 2], memory, CL_TRUE, 0, sizeof(got), got, filled ? 1 : 0,
                                        filled ? &filled : NULL, NULL));
        CHECK(!run->ok || got[i % 2] == i);
        if (filled)
            OK(clReleaseEvent(filled));
    }
    if (memory)
        OK(clReleaseMemObject(memory));
    for (int i = 0; i < 2; i++) {
        if (queues[i])
            OK(clReleaseCommandQueue(queues[i]));
    }
    if (both)
        OK(clReleaseContext(both));
}

static void release(struct run *run)
{
    for (int i = 0; i < run->num_events; i++) {
        if (run->events[i])
            OK(clReleaseEvent(run->events[i]));
    }
    if (run->user) {
        clSetUserEventStatus(run->user, CL_COMPLETE);
        OK(clReleaseEvent(run->user));
    }
    if (run->semaphore) /* a wait whose signal could not be enqueued ends here, with an error */
        OK(cl.release(run->semaphore));
    for (int i = 0; i < 2; i++) {
        if (run->queues[i]) {
            expect(run, clFinish(run->queues[i]));
            OK(clReleaseCommandQueue(run->queues[i]));
        }
        if (run->parts[i])
            OK(clReleaseProgram(run->parts[i]));
    }
    cl_mem memories[] = {run->sub, run->host, run->buffer};
    for (size_t i = 0; i < COUNT(memories); i++) {
        if (memories[i])
            OK(clReleaseMemObject(memories[i]));
    }
    if (run->add)
        OK(clReleaseKernel(run->add));
    if (run->call)
        OK(clReleaseKernel(run->call));
    if (run->program)
        OK(clReleaseProgram(run->program));
    if (run->linked)
        OK(clReleaseProgram(run->linked));
    for (int i = 0; i < 10000 && run->expects_call && !run->calls; i++)
        usleep(1000);
    CHECK(run->calls == run->expects_call);
    CHECK(!run->ok || run->native_calls == 1);
    if (run->context)
        OK(clReleaseContext(run->context));
}

static bool run_program(void)
{
    static struct run all[4]; /* what ends late still has its memory */
    static int number;
    struct run *run = &all[number++ % 4];
    memset(run, 0, sizeof(*run));
    run->ok = true;
    make_objects(run);
    if (run->context && run->queues[0] && run->queues[1] && run->buffer && run->host && run->sub && run->user &&
        run->add && run->call)
        work(run);
    if (run->context && run->queues[0])
        share(run);
    move(run);
    release(run);
    return run->ok;
}

static long read_live(void)
{
    pthread_mutex_lock(&table_lock);
    long live = num_live;
    pthread_mutex_unlock(&table_lock);
    return live;
}

/* Some objects end on other threads, a little later. */
static bool falls_to(long limit)
{
    for (int i = 0; i < 3000 && read_live() > limit; i++)
        usleep(1000);
    return read_live() <= limit;
}

/* ---- command buffers ---- */

enum { PARTS = 200 }; /* several recordings */

static struct buffer_functions buffers;

static buffer_handle make_parts(cl_command_queue own, cl_mem mem)
{
    cl_int error, value = 7;
    buffer_handle made = buffers.create(1, &own, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (size_t i = 0; i < PARTS; i++)
        OK(buffers.fill(made, NULL, NULL, mem, &value, 4, 4 * i, 4, 0, NULL, NULL, NULL));
    OK(buffers.finalize(made));
    return made;
}

/* Enqueues the buffer while its at-th allocation fails. Returns whether there were fewer. What is answered with an error
 * has enqueued nothing; what began and did not end well says so by its event, and by the queue. */
static bool enqueue_failing(cl_command_queue own, buffer_handle parts, cl_mem mem, long at)
{
    cl_int zero = 0, data[PARTS], status = CL_COMPLETE;
    cl_event event = NULL;
    OK(clEnqueueFillBuffer(own, mem, &zero, 4, 0, sizeof(data), 0, NULL, NULL));
    OK(clFinish(own));
    atomic_store(&until_failure, at);
    cl_int error = buffers.enqueue(1, &own, parts, 0, NULL, &event);
    bool fewer = atomic_exchange(&until_failure, 0) > 0;
    CHECK(!error == !!event);
    cl_int finished = clFinish(own);
    if (event) {
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        OK(clReleaseEvent(event));
    }
    CHECK(status <= CL_COMPLETE && (status == CL_COMPLETE || finished != CL_SUCCESS));
    OK(clEnqueueReadBuffer(own, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    for (size_t i = 0; i < PARTS; i++)
        CHECK(status < 0 || data[i] == (error ? 0 : 7));
    return fewer;
}

static void test_command_buffers(cl_command_queue_properties flags)
{
    cl_int error;
    cl_context around = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_command_queue own = clCreateCommandQueue(around, device, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = clCreateBuffer(around, 0, PARTS * 4, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (int recorded = 0; recorded < 2; recorded++) {
        bool fewer = false;
        for (long at = 1; !fewer; at += at < 100 ? 1 : 7) {
            buffer_handle parts = make_parts(own, mem);
            for (int i = 0; i < recorded; i++)
                enqueue_failing(own, parts, mem, 0);
            fewer = enqueue_failing(own, parts, mem, at);
            enqueue_failing(own, parts, mem, 0);
            OK(buffers.release(parts));
        }
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(own));
    OK(clReleaseContext(around));
}

int main(int argc, char **argv)
{
    long first = argc > 1 ? atol(argv[1]) : 1, step = argc > 2 ? atol(argv[2]) : 1;
    setenv("PUMICE_VALIDATE", "0", 1); /* the validator's allocations: tests/fuzz/validator_memory.c */
    find_device();
    load_functions();
    NEED(dl_iterate_phdr(find_code, NULL));
    for (int i = 0; i < 10; i++)
        CHECK(run_program());
    usleep(300000);
    long live = read_live(), asked = num_asked, leaked = 0;
    CHECK(run_program());
    asked = num_asked - asked;
    NEED(asked > 100);
    long failed = 0, tried = 0;
    for (long at = first;; at += step) {
        atomic_store(&until_failure, at);
        failed += !run_program();
        bool done = atomic_exchange(&until_failure, 0) > 0;
        if (done)
            break;
        tried++;
        if (!falls_to(live)) {
            /* Memory may have been made for a case that did not come before, and is kept: that happens a few times. */
            bool grows = true;
            for (int again = 0; again < 4 && grows; again++) {
                long kept = read_live();
                atomic_store(&until_failure, at);
                run_program();
                atomic_store(&until_failure, 0);
                grows = !falls_to(kept);
            }
            if (grows) {
                printf("allocation %ld: %ld more are alive\n", at, read_live() - live);
                leaked++;
            }
            live = read_live();
        }
        if (at % 16 == 0)
            CHECK(run_program());
    }
    CHECK(run_program());
    CHECK(leaked == 0);
    NEED(find_buffer_functions(platform, &buffers));
    test_command_buffers(0);
    test_command_buffers(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    printf("%ld allocations of a run, %ld failed in turn, %ld runs had an error\n", asked, tried, failed);
    return test_result();
}
