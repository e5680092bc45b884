/* cl_khr_semaphore: what each call refuses, and that waits and signals order commands on one queue and on several,
 * behind user events, and in whichever order they are enqueued; that a wait takes the payload when it is executed, and
 * not if it fails. */
#include "share_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define SIZE 4096

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n";

static void test_creation(void)
{
    const properties_t type = CL_SEMAPHORE_TYPE_KHR, binary = CL_SEMAPHORE_TYPE_BINARY_KHR;
    const properties_t list = SEMAPHORE_DEVICE_HANDLE_LIST, here = (uintptr_t)device;
    int other;
    const struct {
        cl_int code;
        properties_t properties[8];
    } rows[] = {
        {CL_INVALID_VALUE, {0}},
        {CL_INVALID_VALUE, {list, here, 0, 0}},
        {CL_INVALID_PROPERTY, {12345, 1, 0}},
        {CL_INVALID_PROPERTY, {type, 2, 0}},
        {CL_INVALID_PROPERTY, {type, binary, type, binary, 0}},
        {CL_INVALID_PROPERTY, {type, binary, list, here, 0, list, here, 0}},
        {CL_INVALID_DEVICE, {type, binary, list, 0, 0}},
        {CL_INVALID_DEVICE, {type, binary, list, (uintptr_t)&other, 0, 0}},
        {CL_INVALID_DEVICE, {type, binary, list, (uintptr_t)platform, 0, 0}},
        {CL_INVALID_PROPERTY, {type, binary, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, ~0ull, 0}},
        {CL_INVALID_PROPERTY, {type, binary, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 999, 0, 0}},
    };
    NO_OBJECT(CL_INVALID_CONTEXT, cl.create(NULL, rows[0].properties, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, cl.create((cl_context)device, rows[0].properties, &error));
    NO_OBJECT(CL_INVALID_VALUE, cl.create(context, NULL, &error));
    for (size_t i = 0; i < COUNT(rows); i++)
        NO_OBJECT(rows[i].code, cl.create(context, rows[i].properties, &error));
    CHECK(!cl.create(context, rows[2].properties, NULL));

    cl_int error;
    const properties_t good[] = {list, here, 0, type, binary, 0};
    cl_semaphore_khr semaphore = cl.create(context, good, &error);
    OK(error);
    properties_t back[6] = {0};
    cl_device_id its = NULL;
    cl_context of = NULL;
    cl_uint count = 0, kind = 0;
    cl_bool exportable = CL_TRUE;
    size_t size = 0;
    OK(cl.info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof(back), back, &size));
    CHECK(size == sizeof(good) && memcmp(back, good, sizeof(good)) == 0);
    OK(cl.info(semaphore, SEMAPHORE_DEVICE_HANDLE_LIST, sizeof(its), &its, NULL));
    OK(cl.info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof(of), &of, NULL));
    OK(cl.info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof(kind), &kind, NULL));
    OK(cl.info(semaphore, SEMAPHORE_EXPORTABLE, sizeof(exportable), &exportable, NULL));
    CHECK(its == device && of == context && kind == CL_SEMAPHORE_TYPE_BINARY_KHR && !exportable);
    OK(cl.retain(semaphore));
    OK(cl.info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof(count), &count, NULL));
    CHECK(count == 2 && payload(semaphore) == 0);
    CODE(CL_INVALID_VALUE, cl.info(semaphore, 12345, sizeof(count), &count, NULL));
    CODE(CL_INVALID_VALUE, cl.info(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &kind, NULL));
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.info(NULL, CL_SEMAPHORE_TYPE_KHR, sizeof(kind), &kind, NULL));
    int fd = -1;
    CODE(CL_INVALID_VALUE, cl.handle(semaphore, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof(fd), &fd, NULL));
    CODE(CL_INVALID_DEVICE, cl.handle(semaphore, NULL, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof(fd), &fd, NULL));
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.handle(NULL, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof(fd), &fd, NULL));
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.reimport(semaphore, NULL, -1));
    OK(cl.release(semaphore));
    OK(cl.release(semaphore));
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.retain(NULL));
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.release((cl_semaphore_khr)context));
}

static void test_refusals(void)
{
    cl_semaphore_khr semaphore = binary_semaphore(), none = NULL;
    cl_event failed = user_event();
    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    cl_command_queue others = clCreateCommandQueue(other, device, 0, &error);
    OK(error);
    OK(clSetUserEventStatus(failed, -3));
    for (int k = 0; k < 2; k++) {
        cl_int (*call)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_ulong *, cl_uint, const cl_event *,
                       cl_event *) = k ? cl.wait : cl.signal;
        CODE(CL_INVALID_COMMAND_QUEUE, call(NULL, 1, &semaphore, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_VALUE, call(queue, 0, &semaphore, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_VALUE, call(queue, 1, NULL, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_SEMAPHORE_KHR, call(queue, 1, &none, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_CONTEXT, call(others, 1, &semaphore, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_EVENT_WAIT_LIST, call(queue, 1, &semaphore, NULL, 1, NULL, NULL));
        CODE(CL_INVALID_EVENT_WAIT_LIST, call(queue, 1, &semaphore, NULL, 0, &failed, NULL));
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, call(queue, 1, &semaphore, NULL, 1, &failed, NULL));
    }
    CHECK(payload(semaphore) == 0); /* nothing of this has signalled it */
    clReleaseEvent(failed);
    clReleaseCommandQueue(others);
    clReleaseContext(other);
    OK(cl.release(semaphore));
}

/* Two queues take turns with a buffer, and semaphores alone keep the order. first: the wait that everything else is
 * behind is enqueued before its signal. */
static void test_turns(cl_kernel kernel, bool in_order, bool first)
{
    enum { ROUNDS = 20 };
    cl_int error;
    cl_command_queue_properties flags = in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue queues[2] = {clCreateCommandQueue(context, device, flags, &error),
                                  clCreateCommandQueue(context, device, flags, &error)};
    cl_semaphore_khr turn[2] = {binary_semaphore(), binary_semaphore()}, start = binary_semaphore();
    uint32_t expected = 1, host[SIZE / 4];
    for (size_t i = 0; i < SIZE / 4; i++)
        host[i] = 1;
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, SIZE, host);
    size_t count = SIZE / 4;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    if (!first)
        OK(cl.signal(queues[0], 1, &start, NULL, 0, NULL, NULL));
    cl_event last[2] = {NULL, NULL};
    for (cl_uint k = 0; k < 2 * ROUNDS; k++) {
        cl_event waited, ran;
        OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
        OK(cl.wait(queues[k % 2], 1, k ? &turn[k % 2] : &start, NULL, 0, NULL, &waited));
        OK(clEnqueueNDRangeKernel(queues[k % 2], kernel, 1, NULL, &count, NULL, 1, &waited, &ran));
        if (last[k % 2])
            clReleaseEvent(last[k % 2]);
        OK(cl.signal(queues[k % 2], 1, &turn[(k + 1) % 2], NULL, 1, &ran, &last[k % 2]));
        expected = expected * 3 + k;
        clReleaseEvent(waited);
        clReleaseEvent(ran);
    }
    CHECK(!first || event_status(last[1]) > CL_COMPLETE);
    if (first)
        OK(cl.signal(queue, 1, &start, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    for (size_t i = 0; i < SIZE / 4; i++)
        CHECK(host[i] == expected);
    CHECK(event_status(last[1]) == CL_COMPLETE && payload(turn[0]) == 1 && payload(turn[1]) == 0);
    OK(cl.release(start));
    for (int i = 0; i < 2; i++) {
        clReleaseEvent(last[i]);
        clReleaseCommandQueue(queues[i]);
        OK(cl.release(turn[i]));
    }
    clReleaseMemObject(mem);
}

/* A signal behind a user event lets its wait go when the event is set; one that fails was none. */
static void test_gates(void)
{
    for (int k = 0; k < 2; k++) {
        cl_semaphore_khr semaphores[2] = {binary_semaphore(), binary_semaphore()};
        cl_event gate = user_event(), signalled, waited;
        cl_command_type type = 0;
        OK(cl.signal(queue, 2, semaphores, NULL, 1, &gate, &signalled));
        cl_int error;
        cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
        OK(error);
        OK(cl.wait(second, 2, semaphores, NULL, 0, NULL, &waited));
        OK(clGetEventInfo(signalled, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        CHECK(type == CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        OK(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        CHECK(type == CL_COMMAND_SEMAPHORE_WAIT_KHR);
        OK(clFlush(queue));
        OK(clFlush(second));
        CHECK(event_status(waited) > CL_COMPLETE);
        OK(clSetUserEventStatus(gate, k ? -1 : CL_COMPLETE));
        if (k) {
            CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &signalled));
            usleep(20000);
            CHECK(event_status(waited) > CL_COMPLETE);
            OK(cl.signal(queue, 2, semaphores, NULL, 0, NULL, NULL));
        }
        OK(clWaitForEvents(1, &waited));
        OK(clFinish(second));
        OK(clFinish(queue));
        clReleaseEvent(gate);
        clReleaseEvent(signalled);
        clReleaseEvent(waited);
        clReleaseCommandQueue(second);
        OK(cl.release(semaphores[0]));
        OK(cl.release(semaphores[1]));
    }
}

/* A wait whose semaphore goes away without a signal ends with an error, and the queue goes on. */
static void test_orphans(void)
{
    cl_semaphore_khr semaphore = binary_semaphore();
    cl_event waited;
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, &waited));
    OK(cl.release(semaphore));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &waited));
    OK(clFinish(queue));
    clReleaseEvent(waited);
    /* More semaphores at once than fit on the stack */
    cl_semaphore_khr many[40];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = binary_semaphore();
    OK(cl.signal(queue, COUNT(many), many, NULL, 0, NULL, NULL));
    OK(cl.wait(queue, COUNT(many), many, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    for (size_t i = 0; i < COUNT(many); i++) {
        CHECK(payload(many[i]) == 0);
        OK(cl.release(many[i]));
    }
}

/* The payload is taken when a wait is executed, whichever was enqueued first. */
static void test_order(void)
{
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error), third;
    OK(error);
    third = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OK(error);
    cl_semaphore_khr semaphore = binary_semaphore();
    cl_event gate = user_event(), waited[2];
    /* A lock: whoever waits for it gives it back behind that, and somebody else lets the first one in. */
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(cl.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    OK(cl.signal(second, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFlush(second));
    OK(clFinish(queue));
    CHECK(payload(semaphore) == 1);
    /* The first wait is held back, so the second gets the signal that is there. */
    OK(cl.wait(queue, 1, &semaphore, NULL, 1, &gate, &waited[0]));
    OK(cl.wait(third, 1, &semaphore, NULL, 0, NULL, &waited[1]));
    OK(clWaitForEvents(1, &waited[1]));
    CHECK(payload(semaphore) == 0 && event_status(waited[0]) > CL_COMPLETE);
    clReleaseEvent(waited[1]);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    clReleaseEvent(gate);
    OK(cl.signal(second, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clWaitForEvents(1, &waited[0]));
    clReleaseEvent(waited[0]);
    /* The first signal is held back, so the wait gets the second; the first is still one for the next wait. */
    gate = user_event();
    OK(cl.signal(queue, 1, &semaphore, NULL, 1, &gate, NULL));
    OK(cl.wait(third, 1, &semaphore, NULL, 0, NULL, &waited[0]));
    OK(cl.signal(second, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clWaitForEvents(1, &waited[0]));
    clReleaseEvent(waited[0]);
    CHECK(payload(semaphore) == 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    clReleaseEvent(gate);
    OK(cl.wait(third, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFinish(third));
    OK(clFinish(queue));
    /* Two signals without a wait between are one. */
    OK(cl.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(cl.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(payload(semaphore) == 0);
    OK(cl.release(semaphore));
    clReleaseCommandQueue(second);
    clReleaseCommandQueue(third);
}

/* A wait that fails has taken nothing. */
static void test_failed_waits(void)
{
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_semaphore_khr pair[2] = {binary_semaphore(), binary_semaphore()};
    cl_event waited;
    for (int late = 0; late < 2; late++) {
        cl_event gate = user_event();
        OK(cl.wait(queue, 1, pair, NULL, 1, &gate, &waited));
        if (late)
            OK(cl.signal(second, 1, pair, NULL, 0, NULL, NULL));
        OK(clSetUserEventStatus(gate, -7));
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &waited));
        if (!late)
            OK(cl.signal(second, 1, pair, NULL, 0, NULL, NULL));
        OK(clFinish(second));
        CHECK(payload(pair[0]) == 1);
        OK(cl.wait(queue, 1, pair, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        clReleaseEvent(gate);
        clReleaseEvent(waited);
    }
    /* It has the first when the second goes away. */
    OK(cl.wait(queue, 2, pair, NULL, 0, NULL, &waited));
    OK(cl.signal(second, 1, pair, NULL, 0, NULL, NULL));
    OK(clFinish(second));
    for (int i = 0; i < 2000 && payload(pair[0]); i++)
        usleep(1000);
    OK(cl.release(pair[1]));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &waited));
    clReleaseEvent(waited);
    OK(cl.wait(second, 1, pair, NULL, 0, NULL, NULL));
    OK(clFinish(second));
    OK(cl.release(pair[0]));
    clReleaseCommandQueue(second);
}

/* A signal that was enqueued comes although the semaphore is released. */
static void test_released(void)
{
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_semaphore_khr semaphore = binary_semaphore();
    cl_event gate = user_event(), waited[2];
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, &waited[0]));
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, &waited[1]));
    OK(cl.signal(second, 1, &semaphore, NULL, 1, &gate, NULL));
    OK(clFlush(queue));
    OK(cl.release(semaphore));
    usleep(20000);
    CHECK(event_status(waited[0]) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &waited[0]));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &waited[1]));
    clReleaseEvent(gate);
    clReleaseEvent(waited[0]);
    clReleaseEvent(waited[1]);
    clReleaseCommandQueue(second);
}

static atomic_int called, let_go;

static void CL_CALLBACK slow(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    called = 1;
    for (int i = 0; i < 2000 && !let_go; i++)
        usleep(10000);
    called = let_go ? 2 : -1;
}

/* A callback waits for what this thread does behind a wait that comes before its signal. */
static void test_slow_callback(void)
{
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_semaphore_khr semaphore = binary_semaphore();
    cl_event marker;
    OK(clEnqueueMarkerWithWaitList(second, 0, NULL, &marker));
    OK(clSetEventCallback(marker, CL_COMPLETE, slow, NULL));
    OK(clFinish(second));
    while (!called)
        usleep(1000);
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    OK(cl.signal(second, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    let_go = 1;
    while (called == 1)
        usleep(1000);
    CHECK(called == 2);
    clReleaseEvent(marker);
    OK(cl.release(semaphore));
    clReleaseCommandQueue(second);
}

/* Threads that change what a semaphore guards, each on a queue of its own. */
static cl_semaphore_khr guard;
static cl_mem guarded;
static cl_program adders;

static void *add_again_and_again(void *data)
{
    cl_int error;
    size_t one = 1;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_kernel kernel = clCreateKernel(adders, "add", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(guarded), &guarded));
    for (int i = 0; i < 100; i++) {
        OK(cl.wait(own, 1, &guard, NULL, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(cl.signal(own, 1, &guard, NULL, 0, NULL, NULL));
        if (i % 8 == 0)
            OK(clFinish(own));
    }
    OK(clFinish(own));
    clReleaseKernel(kernel);
    clReleaseCommandQueue(own);
    return data;
}

static void test_guard(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    cl_uint value = 0;
    guard = binary_semaphore();
    guarded = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    adders = build("kernel void add(global uint *data) { data[0]++; }", "");
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&threads[i], NULL, add_again_and_again, NULL) == 0);
    OK(cl.signal(queue, 1, &guard, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(clEnqueueReadBuffer(queue, guarded, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    CHECK(value == THREADS * 100 && payload(guard) == 1);
    OK(cl.release(guard));
    OK(clReleaseMemObject(guarded));
    OK(clReleaseProgram(adders));
}

int main(void)
{
    open_device(0);
    load_functions();
    CHECK(lists(CL_DEVICE_SEMAPHORE_TYPES_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR));
    cl_program program = build(source, "");
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    OK(error);
    test_creation();
    test_refusals();
    for (int k = 0; k < 4; k++)
        test_turns(kernel, k & 1, k & 2);
    test_gates();
    test_orphans();
    test_order();
    test_failed_waits();
    test_released();
    test_slow_callback();
    test_guard();
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return close_device();
}
