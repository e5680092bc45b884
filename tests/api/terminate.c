/* cl_khr_terminate_context: what was enqueued ends at once with CL_CONTEXT_TERMINATED_KHR, whether it waits for the
 * application, for the device or is under way there. Threads that wait return. Nothing is made or enqueued any more,
 * and releasing works as ever.
 *
 * usage: api_terminate [twins]
 *
 * With "twins" it runs under tests/support/twins.c and asks about contexts of several devices. */
#include "api_test.h"

#include <CL/cl_ext.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#ifndef CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR
#define CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR 1
#endif

typedef cl_int(CL_API_CALL *terminate_fn)(cl_context);

static terminate_fn terminate;
static atomic_int notified, context_gone, memory_gone;

static const char *source = "kernel void spin(global uint *out, ulong turns) {\n"
                            "    uint x = out[0];\n"
                            "    for (ulong i = 0; i < turns; i++) x = x * 1664525u + 1013904223u + (x >> 16);\n"
                            "    out[get_global_id(0)] = x;\n"
                            "}\n"
                            "kernel void follow(global ulong *where, ulong turns) {\n"
                            "    uint x = 1;\n"
                            "    for (ulong i = 0; i < turns; i++) x = x * 1664525u + 1013904223u + (x >> 16);\n"
                            "    *(global uint *)where[0] = x;\n"
                            "}\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void CL_CALLBACK notify(const char *text, const void *data, size_t size, void *user)
{
    (void)text;
    (void)data;
    (void)size;
    atomic_fetch_add((atomic_int *)user, 1);
}

static void CL_CALLBACK on_context_gone(cl_context gone, void *data)
{
    (void)gone;
    (void)data;
    context_gone++;
}

static void CL_CALLBACK on_memory_gone(cl_mem gone, void *data)
{
    (void)gone;
    (void)data;
    memory_gone++;
}

static cl_context make_context_of(cl_uint num_devices, const cl_device_id *devices)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                                CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_int error;
    cl_context made = clCreateContext(properties, num_devices, devices, notify, &notified, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetContextDestructorCallback(made, on_context_gone, NULL));
    return made;
}

static cl_context make_context(void)
{
    return make_context_of(1, &device);
}

/* The kernels take 9 s alone, and several times that where other processes have the device, too. */
static void wait_until(const atomic_int *count, int value)
{
    for (double end = seconds() + 200; *count < value && seconds() < end;)
        usleep(1000);
    CHECK(*count == value);
}

static void test_errors(void)
{
    const cl_context_properties wrong[] = {CL_CONTEXT_TERMINATE_KHR, 7, 0};
    const cl_context_properties off[] = {CL_CONTEXT_TERMINATE_KHR, CL_FALSE, 0};
    cl_int error;
    cl_bitfield capability = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_TERMINATE_CAPABILITY_KHR, sizeof(capability), &capability, NULL));
    CHECK(capability == CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
    /* the older numbers, which programs still have: clinfo of Debian 12 is one */
    capability = 0;
    OK(clGetDeviceInfo(device, 0x200F, sizeof(capability), &capability, NULL));
    CHECK(capability == CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
    cl_context old =
        clCreateContext((const cl_context_properties[]){0x2010, CL_TRUE, 0x200E, 1, 0}, 1, &device, NULL, NULL, &error);
    OK(error);
    OK(terminate(old));
    OK(clReleaseContext(old));
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(wrong, 1, &device, NULL, NULL, &error));
    CODE(CL_INVALID_CONTEXT, terminate(NULL));
    CODE(CL_INVALID_OPERATION, terminate(context));
    cl_context never = clCreateContext(off, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CODE(CL_INVALID_OPERATION, terminate(never));
    OK(clReleaseContext(never));
}

/* ---- a context in full work ---- */

enum { ITEMS = 64, EVENTS = 10, LARGE = 4 << 20, INTO = LARGE + ITEMS * sizeof(cl_uint) };

struct work {
    cl_context context;
    cl_command_queue queue, other, unordered;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem, large;
    cl_event user, events[EVENTS];
};

static void open_work(struct work *w)
{
    const cl_queue_properties unordered[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int error[8];
    *w = (struct work){.context = make_context()};
    w->queue = clCreateCommandQueueWithProperties(w->context, device, NULL, &error[0]);
    w->other = clCreateCommandQueueWithProperties(w->context, device, NULL, &error[1]);
    w->unordered = clCreateCommandQueueWithProperties(w->context, device, unordered, &error[2]);
    w->program = clCreateProgramWithSource(w->context, 1, &source, NULL, &error[3]);
    NEED(clBuildProgram(w->program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS);
    w->kernel = clCreateKernel(w->program, "spin", &error[4]);
    w->mem = clCreateBuffer(w->context, 0, ITEMS * sizeof(cl_uint), NULL, &error[5]);
    w->user = clCreateUserEvent(w->context, &error[6]);
    w->large = clCreateBuffer(w->context, 0, LARGE, NULL, &error[7]);
    for (int i = 0; i < 8; i++)
        NEED(error[i] == CL_SUCCESS);
    OK(clSetMemObjectDestructorCallback(w->mem, on_memory_gone, NULL));
    OK(clSetKernelArg(w->kernel, 0, sizeof(w->mem), &w->mem));
}

static void close_work(struct work *w)
{
    OK(clReleaseEvent(w->user));
    for (int i = 0; i < EVENTS; i++) {
        if (w->events[i])
            OK(clReleaseEvent(w->events[i]));
    }
    OK(clReleaseMemObject(w->mem));
    OK(clReleaseMemObject(w->large));
    OK(clReleaseKernel(w->kernel));
    OK(clReleaseProgram(w->program));
    OK(clReleaseCommandQueue(w->queue));
    OK(clReleaseCommandQueue(w->other));
    OK(clReleaseCommandQueue(w->unordered));
    OK(clReleaseContext(w->context));
}

static void set_turns(const struct work *w, cl_ulong turns)
{
    OK(clSetKernelArg(w->kernel, 1, sizeof(turns), &turns));
}

static double time_of(const struct work *w, cl_ulong turns)
{
    size_t items = ITEMS;
    set_turns(w, turns);
    double begin = seconds();
    OK(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(w->queue));
    return seconds() - begin;
}

/* So many turns that a kernel of few work-items takes about this long, or longer where the machine is busy. */
static cl_ulong turns_for(const struct work *w, double wanted)
{
    for (cl_ulong turns = 1;; turns *= 4) {
        double least = time_of(w, turns); /* the first one may wait for the driver's compiler */
        for (int i = 0; i < 3 && least > 0.05; i++) {
            double took = time_of(w, turns);
            least = took < least ? took : least;
        }
        if (turns > 1000 && (least > 0.05 || turns > (cl_ulong)1 << 50))
            return (cl_ulong)((double)turns * wanted / least);
    }
}

struct waiter {
    pthread_t thread;
    struct work *work;
    enum { IN_FINISH, IN_UNORDERED_FINISH, IN_KERNEL, IN_USER, IN_HELD, IN_READ, WAITERS } where;
    atomic_int code;
};

static void *wait_somewhere(void *data)
{
    struct waiter *waiter = data;
    struct work *w = waiter->work;
    cl_uint bytes[ITEMS];
    switch (waiter->where) {
    case IN_FINISH:
        waiter->code = clFinish(w->queue);
        break;
    case IN_UNORDERED_FINISH:
        waiter->code = clFinish(w->unordered);
        break;
    case IN_KERNEL:
        waiter->code = clWaitForEvents(1, &w->events[0]);
        break;
    case IN_USER:
        waiter->code = clWaitForEvents(1, &w->user);
        break;
    case IN_HELD:
        waiter->code = clWaitForEvents(2, &w->events[3]);
        break;
    case IN_READ:
        waiter->code = clEnqueueReadBuffer(w->queue, w->mem, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, NULL);
        break;
    default:
        break;
    }
    return NULL;
}

static atomic_int told, told_wrong;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    told_wrong += status != CL_CONTEXT_TERMINATED_KHR;
    told++;
}

static void CL_CALLBACK never_called(void *data)
{
    (void)data;
    CHECK(false);
}

/* into: INTO bytes */
static void enqueue_all(struct work *w, cl_uint *into)
{
    static const cl_uint pattern = 5;
    size_t items = ITEMS, bytes = ITEMS * sizeof(cl_uint);
    int n = 0;
    /* under way on the device, and behind that */
    OK(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &items, NULL, 0, NULL, &w->events[n++]));
    OK(clFlush(w->queue));
    OK(clEnqueueReadBuffer(w->queue, w->mem, CL_FALSE, 0, bytes, into + LARGE / sizeof(*into), 0, NULL,
                           &w->events[n++]));
    OK(clEnqueueNDRangeKernel(w->other, w->kernel, 1, NULL, &items, NULL, 1, &w->events[0], &w->events[n++]));
    OK(clFlush(w->other));
    /* a transfer that may be done beside kernels */
    OK(clEnqueueReadBuffer(w->unordered, w->large, CL_FALSE, 0, LARGE, into, 1, &w->events[0], &w->events[n++]));
    /* behind an event that is never set */
    OK(clEnqueueWriteBuffer(w->unordered, w->mem, CL_FALSE, 0, bytes, into, 1, &w->user, &w->events[n++]));
    OK(clEnqueueNDRangeKernel(w->unordered, w->kernel, 1, NULL, &items, NULL, 1, &w->user, &w->events[n++]));
    OK(clEnqueueMarkerWithWaitList(w->unordered, 0, NULL, &w->events[n++]));
    cl_device_exec_capabilities native = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(native), &native, NULL));
    if (native & CL_EXEC_NATIVE_KERNEL)
        OK(clEnqueueNativeKernel(w->unordered, never_called, NULL, 0, 0, NULL, NULL, 1, &w->user, &w->events[n++]));
    /* not given to the device yet */
    OK(clEnqueueFillBuffer(w->queue, w->mem, &pattern, sizeof(pattern), 0, bytes, 0, NULL, &w->events[n++]));
    for (int i = 0; i < n; i++)
        OK(clSetEventCallback(w->events[i], CL_COMPLETE, on_event, NULL));
}

static void check_refused(struct work *w)
{
    static const cl_uint pattern = 5;
    size_t items = ITEMS;
    cl_uint references;
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_buffer_region region = {0, 4};
    const unsigned char il[20] = {3, 2, 0x23, 7};
    CODE(CL_CONTEXT_TERMINATED_KHR, terminate(w->context));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateBuffer(w->context, 0, 16, NULL, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateSubBuffer(w->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateImage(w->context, 0, &format, &desc, NULL, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreatePipe(w->context, 0, 4, 4, NULL, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR,
              clCreateSampler(w->context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateUserEvent(w->context, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateProgramWithSource(w->context, 1, &source, NULL, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateProgramWithIL(w->context, il, sizeof(il), &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clLinkProgram(w->context, 0, NULL, NULL, 1, &w->program, NULL, NULL, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateKernel(w->program, "spin", &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCloneKernel(w->kernel, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateCommandQueue(w->context, device, 0, &error));
    NO_OBJECT(CL_CONTEXT_TERMINATED_KHR, clCreateCommandQueueWithProperties(w->context, device, NULL, &error));
    CHECK(!clSVMAlloc(w->context, CL_MEM_READ_WRITE, 16, 0));
    CODE(CL_CONTEXT_TERMINATED_KHR, clSetContextDestructorCallback(w->context, on_context_gone, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR, clBuildProgram(w->program, 1, &device, NULL, NULL, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR, clCompileProgram(w->program, 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR, clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR,
         clEnqueueFillBuffer(w->other, w->mem, &pattern, sizeof(pattern), 0, 4, 0, NULL, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR, clEnqueueMarkerWithWaitList(w->unordered, 0, NULL, NULL));
    CODE(CL_CONTEXT_TERMINATED_KHR, clFlush(w->queue));
    CODE(CL_CONTEXT_TERMINATED_KHR, clFinish(w->queue));
    /* what still works */
    OK(clGetContextInfo(w->context, CL_CONTEXT_REFERENCE_COUNT, sizeof(references), &references, NULL));
    OK(clGetMemObjectInfo(w->mem, CL_MEM_REFERENCE_COUNT, sizeof(references), &references, NULL));
    OK(clRetainContext(w->context));
    OK(clReleaseContext(w->context));
    OK(clRetainEvent(w->events[0]));
    OK(clReleaseEvent(w->events[0]));
    OK(clSetMemObjectDestructorCallback(w->mem, on_memory_gone, NULL));
    OK(clSetKernelArg(w->kernel, 0, sizeof(w->mem), &w->mem));
    OK(clSetUserEventStatus(w->user, CL_COMPLETE));
}

static int events_of(const struct work *w)
{
    int n = 0;
    while (n < EVENTS && w->events[n])
        n++;
    return n;
}

/* What the device works on takes much longer than the threads may wait. */
static void test_at_work(void)
{
    struct work w;
    struct waiter waiters[WAITERS];
    cl_uint *into = calloc(1, INTO);
    cl_ulong time;
    NEED(into);
    open_work(&w);
    cl_ulong turns = turns_for(&w, 5);
    double begin = seconds();
    set_turns(&w, turns);
    enqueue_all(&w, into);
    for (int i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){.work = &w, .where = i, .code = 1};
        NEED(!pthread_create(&waiters[i].thread, NULL, wait_somewhere, &waiters[i]));
    }
    usleep(100000);
    for (int i = 0; i < WAITERS; i++)
        CHECK(waiters[i].code == 1);
    int before = notified;
    OK(terminate(w.context));
    CHECK(notified > before);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        CODE(waiters[i].where == IN_KERNEL || waiters[i].where == IN_USER || waiters[i].where == IN_HELD
                 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                 : CL_CONTEXT_TERMINATED_KHR,
             waiters[i].code);
    }
    CHECK(seconds() - begin < 4.5); /* each kernel takes 5 s, or longer where the machine is busy */
    memset(into, 0xa5, INTO);
    for (int i = 0; i < events_of(&w); i++) {
        cl_int status = 1;
        OK(clGetEventInfo(w.events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        CODE(CL_CONTEXT_TERMINATED_KHR, status);
        CODE(CL_PROFILING_INFO_NOT_AVAILABLE,
             clGetEventProfilingInfo(w.events[i], CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
    }
    wait_until(&told, events_of(&w));
    CHECK(told_wrong == 0);
    OK(clSetEventCallback(w.events[0], CL_COMPLETE, on_event, NULL));
    wait_until(&told, events_of(&w) + 1);
    check_refused(&w);
    close_work(&w);
    /* Memory goes when the device has ended, and nothing of it reaches the host. */
    wait_until(&memory_gone, 2);
    wait_until(&context_gone, 1);
    size_t written = 0;
    for (size_t i = 0; i < INTO / sizeof(*into); i++)
        written += into[i] != 0xa5a5a5a5;
    CHECK(written == 0);
    free(into);
}

/* A user event that is released without ever having been set. */
static void test_never_set(void)
{
    struct work w;
    cl_uint *into = calloc(1, INTO);
    NEED(into);
    context_gone = memory_gone = told = 0;
    open_work(&w);
    set_turns(&w, 1);
    enqueue_all(&w, into);
    OK(terminate(w.context));
    close_work(&w);
    wait_until(&memory_gone, 1);
    wait_until(&context_gone, 1);
    free(into);
}

/* ---- while other threads enqueue ---- */

struct enqueuer {
    pthread_t thread;
    struct work *work;
    cl_command_queue queue;
    cl_kernel kernel;
    int number;
};

static void *enqueue_until_refused(void *data)
{
    struct enqueuer *e = data;
    size_t items = ITEMS;
    cl_uint into[ITEMS];
    for (int i = 0;; i++) {
        cl_event event = NULL;
        cl_int code, status = 1;
        if (i % 3 == e->number % 3)
            code = clEnqueueReadBuffer(e->queue, e->work->mem, i & 1, 0, sizeof(into), into, 0, NULL, &event);
        else
            code = clEnqueueNDRangeKernel(e->queue, e->kernel, 1, NULL, &items, NULL, 0, NULL, &event);
        if (code != CL_SUCCESS) {
            CODE(CL_CONTEXT_TERMINATED_KHR, code);
            return NULL;
        }
        code = i % 5 ? CL_SUCCESS : clWaitForEvents(1, &event);
        CHECK(code == CL_SUCCESS || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        CHECK(status >= 0 || status == CL_CONTEXT_TERMINATED_KHR);
        OK(clReleaseEvent(event));
        if (i % 11 == 0) {
            code = clFinish(e->queue);
            CHECK(code == CL_SUCCESS || code == CL_CONTEXT_TERMINATED_KHR);
        }
    }
}

static void test_race(void)
{
    enum { THREADS = 4, ROUNDS = 12 };
    context_gone = memory_gone = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct work w;
        struct enqueuer threads[THREADS];
        cl_int error;
        open_work(&w);
        set_turns(&w, 1000);
        cl_command_queue queues[THREADS] = {w.queue, w.other, w.unordered, w.unordered};
        for (int i = 0; i < THREADS; i++) {
            threads[i] = (struct enqueuer){.work = &w, .queue = queues[i], .number = i};
            threads[i].kernel = clCloneKernel(w.kernel, &error);
            NEED(error == CL_SUCCESS);
            NEED(!pthread_create(&threads[i].thread, NULL, enqueue_until_refused, &threads[i]));
        }
        usleep((useconds_t)(round * 3000));
        OK(terminate(w.context));
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i].thread, NULL);
            OK(clReleaseKernel(threads[i].kernel));
        }
        close_work(&w);
    }
    wait_until(&memory_gone, ROUNDS);
    wait_until(&context_gone, ROUNDS);
}

/* ---- what stays in order ---- */

/* An object is released while the queue still waits for the application: it goes with the commands before it. */
static void test_released_before(void)
{
    struct work w;
    cl_int error;
    size_t items = ITEMS;
    context_gone = memory_gone = 0;
    open_work(&w);
    set_turns(&w, 1);
    cl_mem other = clCreateBuffer(w.context, 0, 16, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetMemObjectDestructorCallback(other, on_memory_gone, NULL));
    OK(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, NULL, &items, NULL, 1, &w.user, NULL));
    OK(clReleaseMemObject(other));
    usleep(20000); /* nothing is under way any more */
    OK(terminate(w.context));
    wait_until(&memory_gone, 1);
    close_work(&w);
    wait_until(&context_gone, 1);
}

/* Commands of two queues in a row, each behind the one before. */
static void test_across_queues(void)
{
    enum { LENGTH = 200, ROUNDS = 10 };
    static cl_event events[LENGTH];
    static const cl_uint pattern = 5;
    context_gone = memory_gone = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct work w;
        int wrong = 0;
        open_work(&w);
        told = told_wrong = 0;
        for (int i = 0; i < LENGTH; i++) {
            cl_command_queue to = i % 2 ? w.queue : w.other;
            OK(clEnqueueFillBuffer(to, w.mem, &pattern, sizeof(pattern), 0, 4, 1, i ? &events[i - 1] : &w.user,
                                   &events[i]));
            OK(clSetEventCallback(events[i], CL_COMPLETE, on_event, NULL));
        }
        OK(terminate(w.context));
        for (int i = 0; i < LENGTH; i++) {
            clWaitForEvents(1, &events[i]);
            wrong += event_status(events[i]) != CL_CONTEXT_TERMINATED_KHR;
            OK(clReleaseEvent(events[i]));
        }
        CHECK(wrong == 0);
        wait_until(&told, LENGTH);
        CHECK(told_wrong == 0);
        close_work(&w);
    }
    wait_until(&context_gone, ROUNDS);
}

struct slow {
    volatile cl_uint *data;
    atomic_int *state; /* 1: it runs, 2: it may end, 3: it has written all */
};

static void CL_CALLBACK write_late(void *args)
{
    const struct slow *slow = args;
    atomic_store(slow->state, 1);
    while (atomic_load(slow->state) != 2)
        usleep(1000);
    for (int i = 0; i < ITEMS; i++)
        slow->data[i]++;
    atomic_store(slow->state, 3);
}

/* The application's function cannot be cut short: what it uses stays, and what comes behind it ends after it. */
static void test_native(bool unordered)
{
    struct work w;
    struct slow args;
    atomic_int state = 0;
    cl_event native, marker, fill;
    static const cl_uint pattern = 5;
    const void *place = &args.data;
    cl_device_exec_capabilities capabilities = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(capabilities), &capabilities, NULL));
    if (!(capabilities & CL_EXEC_NATIVE_KERNEL))
        return;
    context_gone = memory_gone = 0;
    open_work(&w);
    args.state = &state;
    cl_command_queue to = unordered ? w.unordered : w.queue;
    OK(clEnqueueNativeKernel(to, write_late, &args, sizeof(args), 1, &w.mem, &place, 0, NULL, &native));
    OK(clEnqueueMarkerWithWaitList(to, 1, &native, &marker));
    OK(clEnqueueFillBuffer(w.other, w.mem, &pattern, sizeof(pattern), 0, 4, 1, &native, &fill));
    OK(clFlush(to));
    wait_until(&state, 1);
    OK(terminate(w.context));
    CHECK(event_status(native) > 0);
    CHECK(event_status(marker) > 0);
    usleep(50000); /* so that what was not kept is gone */
    state = 2;
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &marker));
    CHECK(state == 3);
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &native));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &fill));
    CODE(CL_CONTEXT_TERMINATED_KHR, event_status(native));
    CODE(CL_CONTEXT_TERMINATED_KHR, event_status(marker));
    CODE(CL_CONTEXT_TERMINATED_KHR, event_status(fill));
    OK(clReleaseEvent(native));
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(fill));
    close_work(&w);
    wait_until(&context_gone, 1);
}

/* ---- while the device works on ---- */

static atomic_int num_enqueued;

static void *enqueue_until_full(void *data)
{
    static const cl_uint pattern = 5;
    struct work *w = data;
    cl_int code = CL_SUCCESS;
    while (code == CL_SUCCESS) {
        code = clEnqueueFillBuffer(w->queue, w->mem, &pattern, sizeof(pattern), 0, 4, 0, NULL, NULL);
        if (code == CL_SUCCESS)
            code = clFlush(w->queue);
        num_enqueued++;
    }
    CODE(CL_CONTEXT_TERMINATED_KHR, code);
    return NULL;
}

/* A thread that is so far ahead of the device that it has to wait while it enqueues. */
static void test_full(void)
{
    struct work w;
    pthread_t thread;
    size_t items = ITEMS;
    context_gone = memory_gone = 0;
    open_work(&w);
    set_turns(&w, turns_for(&w, 9));
    double begin = seconds();
    OK(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFlush(w.queue));
    NEED(!pthread_create(&thread, NULL, enqueue_until_full, &w));
    int before = -1;
    double end = begin + 2;
    while (before != num_enqueued && seconds() < end) {
        before = num_enqueued;
        usleep(200000);
    }
    OK(terminate(w.context));
    pthread_join(thread, NULL);
    CHECK(seconds() - begin < 8.5); /* the kernel takes 9 s */
    close_work(&w);
    wait_until(&context_gone, 1);
}

/* What the device still copies does not get into what another context copies meanwhile. */
static void test_other_context(void)
{
    struct work w;
    size_t items = ITEMS, wrong = 0;
    static const cl_uint old = 0x11111111, fresh = 0x5a5a5a5a;
    cl_uint *into = calloc(1, LARGE), *from = calloc(1, LARGE);
    NEED(into && from);
    context_gone = memory_gone = 0;
    open_work(&w);
    cl_mem mem = buffer_of(0, LARGE, NULL);
    cl_ulong turns = turns_for(&w, 1);
    OK(clEnqueueFillBuffer(w.queue, w.large, &old, sizeof(old), 0, LARGE, 0, NULL, NULL));
    OK(clFinish(w.queue));
    set_turns(&w, turns);
    OK(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(w.queue, w.large, CL_FALSE, 0, LARGE, into, 0, NULL, NULL));
    OK(clFlush(w.queue));
    usleep(100000);
    OK(terminate(w.context));
    close_work(&w);
    for (size_t i = 0; i < LARGE / sizeof(*from); i++)
        from[i] = fresh;
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, LARGE, from, 0, NULL, NULL));
    wait_until(&context_gone, 1);
    memset(from, 0, LARGE);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, LARGE, from, 0, NULL, NULL));
    for (size_t i = 0; i < LARGE / sizeof(*from); i++)
        wrong += from[i] != fresh;
    CHECK(wrong == 0);
    OK(clReleaseMemObject(mem));
    free(into);
    free(from);
}

/* Memory that a kernel reaches by an address alone stays until the kernel has ended, whether it is freed or goes with
 * the context. */
static void test_pointer(bool frees)
{
    enum { SIZE = 64 << 20 };
    const struct test_device opened = {.platform = platform, .id = device};
    cl_int error[5];
    size_t one = 1;
    const cl_bool reaches = CL_TRUE;
    if (!test_has_extension(&opened, "cl_intel_unified_shared_memory"))
        return;
    clDeviceMemAllocINTEL_fn alloc =
        (clDeviceMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL");
    clMemFreeINTEL_fn free_memory =
        (clMemFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemFreeINTEL");
    NEED(alloc && free_memory);
    context_gone = memory_gone = 0;
    struct work w;
    open_work(&w);
    const cl_ulong turns = turns_for(&w, 2);
    close_work(&w);
    wait_until(&context_gone, 1);
    cl_context made = make_context();
    cl_command_queue to = clCreateCommandQueueWithProperties(made, device, NULL, &error[0]);
    cl_program program = clCreateProgramWithSource(made, 1, &source, NULL, &error[1]);
    NEED(clBuildProgram(program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "follow", &error[2]);
    cl_ulong address = (cl_ulong)(uintptr_t)alloc(made, device, NULL, SIZE, 0, &error[3]);
    cl_mem where = clCreateBuffer(made, CL_MEM_COPY_HOST_PTR, sizeof(address), &address, &error[4]);
    for (int i = 0; i < 5; i++)
        NEED(error[i] == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(where), &where));
    OK(clSetKernelArg(kernel, 1, sizeof(turns), &turns));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof(reaches), &reaches));
    OK(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(to));
    double begin = seconds();
    usleep(20000);
    OK(terminate(made));
    CODE(CL_CONTEXT_TERMINATED_KHR, clFinish(to));
    if (frees)
        OK(free_memory(made, (void *)(uintptr_t)address));
    OK(clReleaseMemObject(where));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(to));
    OK(clReleaseContext(made));
    CHECK(context_gone == 1 || seconds() - begin > 0.2); /* the kernel takes 2 s */
    wait_until(&context_gone, 2);
}

/* A queue that the application has released is terminated as well. */
static void test_released_queue(void)
{
    struct work w;
    size_t items = ITEMS;
    context_gone = memory_gone = 0;
    open_work(&w);
    set_turns(&w, 1);
    OK(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, NULL, &items, NULL, 1, &w.user, &w.events[0]));
    OK(clReleaseMemObject(w.mem));
    OK(clReleaseCommandQueue(w.queue));
    OK(terminate(w.context));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &w.events[0]));
    CODE(CL_CONTEXT_TERMINATED_KHR, event_status(w.events[0]));
    OK(clReleaseEvent(w.events[0]));
    OK(clReleaseEvent(w.user));
    OK(clReleaseMemObject(w.large));
    OK(clReleaseKernel(w.kernel));
    OK(clReleaseProgram(w.program));
    OK(clReleaseCommandQueue(w.other));
    OK(clReleaseCommandQueue(w.unordered));
    OK(clReleaseContext(w.context));
    wait_until(&context_gone, 1);
}

/* ---- several devices ---- */

/* While the first device works, an image and a buffer are on their way from it to the second. */
static void test_move(void)
{
    enum { WIDTH = 2048, SIZE = WIDTH * WIDTH * 4 };
    cl_device_id devices[2];
    cl_uint num_devices = 0;
    size_t items = ITEMS, origin[3] = {0}, region[3] = {WIDTH, WIDTH, 1};
    cl_int error[8];
    cl_bool images = CL_FALSE;
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &num_devices));
    NEED(num_devices >= 2);
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    struct work w;
    open_work(&w);
    cl_ulong turns = turns_for(&w, 1);
    close_work(&w);
    wait_until(&context_gone, 1);
    context_gone = 0;

    cl_context both = make_context_of(2, devices);
    cl_command_queue from = clCreateCommandQueueWithProperties(both, devices[0], NULL, &error[0]);
    cl_command_queue busy = clCreateCommandQueueWithProperties(both, devices[0], NULL, &error[1]);
    cl_command_queue to = clCreateCommandQueueWithProperties(both, devices[1], NULL, &error[2]);
    cl_mem small = clCreateBuffer(both, 0, ITEMS * sizeof(cl_uint), NULL, &error[3]);
    cl_mem buffer = clCreateBuffer(both, 0, SIZE, NULL, &error[4]);
    cl_mem target = clCreateBuffer(both, 0, SIZE, NULL, &error[5]);
    cl_program program = clCreateProgramWithSource(both, 1, &source, NULL, &error[6]);
    NEED(clBuildProgram(program, 2, devices, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "spin", &error[7]);
    for (int i = 0; i < 8; i++)
        NEED(error[i] == CL_SUCCESS);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = WIDTH};
    cl_mem image = images ? clCreateImage(both, 0, &format, &desc, NULL, &error[0]) : NULL;
    NEED(error[0] == CL_SUCCESS);
    const cl_uint color[4] = {1, 2, 3, 4};
    if (image)
        OK(clEnqueueFillImage(from, image, color, origin, region, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(from, buffer, color, sizeof(color), 0, SIZE, 0, NULL, NULL));
    OK(clFinish(from));
    OK(clSetKernelArg(kernel, 0, sizeof(small), &small));
    OK(clSetKernelArg(kernel, 1, sizeof(turns), &turns));
    OK(clEnqueueNDRangeKernel(busy, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFlush(busy));
    usleep(50000);
    if (image)
        OK(clEnqueueCopyImageToBuffer(to, image, target, origin, region, 0, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(to, buffer, target, 0, 0, SIZE, 0, NULL, NULL));
    OK(clFlush(to));
    usleep(50000);
    OK(terminate(both));
    if (image)
        OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(small));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(target));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(from));
    OK(clReleaseCommandQueue(busy));
    OK(clReleaseCommandQueue(to));
    OK(clReleaseContext(both));
    wait_until(&context_gone, 1);
    sleep(1); /* until what was on its way has arrived */
}

int main(int argc, char **argv)
{
    open_device(0);
    terminate = (terminate_fn)clGetExtensionFunctionAddressForPlatform(platform, "clTerminateContextKHR");
    struct test_device opened = {.platform = platform, .id = device};
    if (!terminate || !test_has_extension(&opened, "cl_khr_terminate_context")) {
        printf("no cl_khr_terminate_context\n");
        return TEST_SKIPPED;
    }
    if (argc > 1 && !strcmp(argv[1], "twins")) {
        test_move();
        return close_device();
    }
    test_errors();
    test_released_before();
    test_across_queues();
    test_native(false);
    test_native(true);
    test_full();
    test_other_context();
    test_pointer(true);
    test_pointer(false);
    test_released_queue();
    context_gone = memory_gone = told = told_wrong = 0;
    test_at_work();
    test_never_set();
    test_race();
    return close_device();
}
