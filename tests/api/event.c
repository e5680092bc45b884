/* OpenCL 3.0 API, 5.11 to 5.14: events, user events, callbacks, markers, profiling. */
#include "api_test.h"

#include <pthread.h>
#include <unistd.h>

static char bytes[4096];

static void test_errors(void)
{
    cl_event event = user_event();
    cl_ulong time;
    CODE(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    CODE(CL_INVALID_VALUE, clSetUserEventStatus(event, 1));
    CODE(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE,
         clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(time), &time, NULL));
    CHECK(event_status(event) == CL_SUBMITTED);
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    CODE(CL_INVALID_OPERATION, clSetUserEventStatus(event, CL_COMPLETE));
    CHECK(event_status(event) == CL_COMPLETE);
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
}

static void test_info(void)
{
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event event;
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(bytes), bytes, 0, NULL, &event));
    cl_command_queue its;
    cl_context whose;
    cl_command_type type;
    cl_uint count;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(its), &its, NULL));
    OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(whose), &whose, NULL));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    CHECK(its == queue && whose == context && type == CL_COMMAND_WRITE_BUFFER && count == 1);
    CODE(CL_INVALID_EVENT, clSetUserEventStatus(event, CL_COMPLETE));
    OK(clWaitForEvents(1, &event));
    CHECK(event_status(event) == CL_COMPLETE);
    cl_ulong t[5];
    cl_profiling_info names[5] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                  CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < 5; i++)
        OK(clGetEventProfilingInfo(event, names[i], sizeof(t[i]), &t[i], NULL));
    CHECK(t[0] > 0 && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] && t[3] <= t[4]);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
}

static void test_user_events(void)
{
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event gate = user_event(), write, marker;
    memset(bytes, 1, sizeof(bytes));
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(bytes), bytes, 1, &gate, &write));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &write, &marker));
    OK(clFlush(queue));
    usleep(10000);
    CHECK(event_status(write) > CL_COMPLETE && event_status(marker) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &marker));
    CHECK(event_status(write) == CL_COMPLETE);
    clReleaseEvent(gate);
    clReleaseEvent(write);
    clReleaseEvent(marker);

    /* an error spreads to what waits for it, and the command does not run */
    gate = user_event();
    char zeros[64] = {0}, back[64] = {0};
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(zeros), zeros, 1, &gate, &write));
    OK(clSetUserEventStatus(gate, -7777));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &write));
    CHECK(event_status(write) < 0);
    CHECK(event_status(gate) == -7777);
    OK(clFinish(queue));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    CHECK(back[0] == 1 && back[63] == 1);
    /* a blocking call that fails gives no event */
    cl_event none = NULL;
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), back, 1, &write, &none));
    CHECK(!none);
    clReleaseEvent(gate);
    clReleaseEvent(write);
    clReleaseMemObject(mem);
}

/* Statuses as they were delivered, per callback. */
static atomic_int delivered[3], deliveries;

static void CL_CALLBACK deliver(cl_event event, cl_int status, void *data)
{
    (void)event;
    delivered[(intptr_t)data] = status + 100;
    deliveries++;
}

static void wait_for_deliveries(int count)
{
    for (int i = 0; i < 1000 && deliveries < count; i++)
        usleep(5000);
    CHECK(deliveries == count);
}

static void test_callbacks(void)
{
    cl_event gate = user_event(), marker;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker));
    OK(clSetEventCallback(marker, CL_SUBMITTED, deliver, (void *)0));
    OK(clSetEventCallback(marker, CL_RUNNING, deliver, (void *)1));
    OK(clSetEventCallback(marker, CL_COMPLETE, deliver, (void *)2));
    usleep(5000);
    CHECK(delivered[2] == 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    wait_for_deliveries(3);
    CHECK(delivered[0] == 102 && delivered[1] == 101 && delivered[2] == 100);
    OK(clSetEventCallback(marker, CL_COMPLETE, deliver, (void *)0));
    wait_for_deliveries(4);
    CHECK(delivered[0] == 100);
    clReleaseEvent(gate);
    clReleaseEvent(marker);

    gate = user_event();
    OK(clSetEventCallback(gate, CL_COMPLETE, deliver, (void *)1));
    OK(clSetUserEventStatus(gate, -5));
    clReleaseEvent(gate);
    wait_for_deliveries(5);
    CHECK(delivered[1] == 95);
}

/* Out of order: only waits and barriers order; a command behind an unset event holds nothing else up. */
static void test_out_of_order(void)
{
    cl_int error;
    cl_command_queue loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event gate = user_event(), held, barrier;
    int one = 1, two = 2, back = 0;
    OK(clEnqueueWriteBuffer(loose, mem, CL_FALSE, 0, 4, &one, 1, &gate, &held));
    OK(clEnqueueWriteBuffer(loose, mem, CL_TRUE, 64, 4, &two, 0, NULL, NULL));
    void *map = clEnqueueMapBuffer(loose, mem, CL_TRUE, CL_MAP_READ, 64, 4, 0, NULL, NULL, &error);
    OK(error);
    CHECK(map && memcmp(map, &two, 4) == 0);
    OK(clEnqueueUnmapMemObject(loose, mem, map, 0, NULL, NULL));
    CHECK(event_status(held) > CL_COMPLETE);
    OK(clEnqueueBarrierWithWaitList(loose, 0, NULL, &barrier));
    CHECK(event_status(barrier) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(loose, mem, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 1 && event_status(barrier) == CL_COMPLETE);
    CODE(CL_INVALID_VALUE, clEnqueueMarker(loose, NULL));
    OK(clEnqueueBarrier(loose));
    OK(clEnqueueWaitForEvents(loose, 1, &held));
    OK(clFinish(loose));
    clReleaseEvent(gate);
    clReleaseEvent(held);
    clReleaseEvent(barrier);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(loose);
}

/* One of the commands that can wait; *done is its event. */
static void enqueue_some(cl_command_queue on, int kind, cl_mem mem, cl_uint count, const cl_event *waits,
                         cl_event *done)
{
    static int zero, back[16];
    switch (kind) {
    case 0:
        OK(clEnqueueFillBuffer(on, mem, &zero, 4, 0, 64, count, waits, done));
        break;
    case 1:
        OK(clEnqueueReadBuffer(on, mem, CL_FALSE, 0, sizeof(back), back, count, waits, done));
        break;
    case 2:
        OK(clEnqueueMarkerWithWaitList(on, count, waits, done));
        break;
    default:
        OK(clEnqueueBarrierWithWaitList(on, count, waits, done));
    }
}

/* OpenCL 3.0 API, 5.11: what waits for an event that fails is terminated, whatever else it waits for. */
static void test_failed_waits(cl_command_queue_properties flags)
{
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    for (int i = 0; i < 4 * 4; i++) {
        bool early = i & 1; /* it has failed before the command comes */
        int failing = i >> 1 & 1, kind = i >> 2;
        cl_event waits[2] = {user_event(), user_event()}, before = user_event(), front, done, chain[2], last, behind;
        enqueue_some(own, kind, mem, 1, &before, &front);
        if (early)
            OK(clSetUserEventStatus(waits[failing], -7));
        enqueue_some(own, kind, mem, 2, waits, &done);
        chain[0] = done;
        chain[1] = waits[1 - failing];
        enqueue_some(own, kind, mem, 2, chain, &last);
        enqueue_some(own, 0, mem, 1, &front, &behind);
        OK(clFlush(own));
        if (!early)
            OK(clSetUserEventStatus(waits[failing], -7));
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &last));
        CHECK(event_status(done) < 0 && event_status(last) < 0);
        CHECK(event_status(front) > CL_COMPLETE && event_status(behind) > CL_COMPLETE);
        OK(clSetUserEventStatus(before, CL_COMPLETE));
        OK(clFinish(own));
        CHECK(event_status(front) == CL_COMPLETE && event_status(behind) == CL_COMPLETE);
        const cl_event all[] = {waits[0], waits[1], before, front, done, last, behind};
        for (size_t k = 0; k < COUNT(all); k++)
            OK(clReleaseEvent(all[k]));
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(own));
}

/* ThreadSanitizer makes each command some 50 times as expensive, and looks for races, not for what grows too fast. */
#ifdef __SANITIZE_THREAD__
enum { MANY_HELD = 2000 };
#else
enum { MANY_HELD = 100000 };
#endif

/* What a hundred thousand commands behind user events cost grows with their number only: else this takes minutes. */
static void test_many_held(cl_command_queue_properties flags, bool fails)
{
    cl_int error, zero = 0;
    cl_command_queue own = clCreateCommandQueue(context, device, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event waits[2] = {user_event(), user_event()}, last = NULL;
    for (int i = 0; i < MANY_HELD; i++) {
        if (last)
            OK(clReleaseEvent(last));
        if (i % 4 == 3)
            OK(clEnqueueMarkerWithWaitList(own, 0, NULL, &last));
        else
            OK(clEnqueueFillBuffer(own, mem, &zero, 4, 0, 64, 2, waits, &last));
    }
    OK(clFlush(own));
    for (int i = 0; i < 2; i++)
        OK(clSetUserEventStatus(waits[i], fails && !i ? -5 : CL_COMPLETE));
    OK(clFinish(own));
    CHECK(event_status(last) <= CL_COMPLETE);
    OK(clReleaseEvent(last));
    OK(clReleaseEvent(waits[0]));
    OK(clReleaseEvent(waits[1]));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(own));
}

static void test_across_queues(void)
{
    cl_int error;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event written[50];
    int value, back = -1;
    for (value = 0; value < 50; value++) {
        cl_command_queue q = value % 2 ? queue : other;
        OK(clEnqueueFillBuffer(q, mem, &value, 4, 0, 64, value ? 1 : 0, value ? &written[value - 1] : NULL,
                               &written[value]));
    }
    OK(clEnqueueReadBuffer(other, mem, CL_TRUE, 0, 4, &back, 1, &written[49], NULL));
    CHECK(back == 49);
    for (int i = 0; i < 50; i++)
        clReleaseEvent(written[i]);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(other);
}

static bool ends_by_asking(cl_event event)
{
    for (int i = 0; i < 2000 && event_status(event) > CL_COMPLETE; i++)
        usleep(5000);
    return event_status(event) == CL_COMPLETE;
}

/* A program that never flushes and never waits, but asks for a command's status, sees its end. */
static void test_polling(void)
{
    cl_int error, value = 7;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, sizeof(bytes), NULL);
    cl_event first, second, gate = user_event();
    OK(clEnqueueFillBuffer(queue, mem, &value, 4, 0, 64, 0, NULL, &first));
    CHECK(ends_by_asking(first));
    clReleaseEvent(first);
    OK(clEnqueueFillBuffer(queue, mem, &value, 4, 0, 64, 0, NULL, &first));
    OK(clEnqueueFillBuffer(other, mem, &value, 4, 0, 64, 1, &first, &second));
    CHECK(ends_by_asking(second));
    clReleaseEvent(first);
    clReleaseEvent(second);
    OK(clEnqueueFillBuffer(queue, mem, &value, 4, 0, 64, 1, &gate, &first));
    OK(clEnqueueFillBuffer(other, mem, &value, 4, 0, 64, 1, &first, &second));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(ends_by_asking(second));
    clReleaseEvent(gate);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(other);
}

/* The end of a command is known while a longer one behind it runs, with its times. Where the device is the host, the
 * longer one takes some tenths of a second. */
static void test_end_beside_work(void)
{
    static const char source[] = "kernel void k(global uint *out, uint n) {\n"
                                 "    uint x = get_global_id(0);\n"
                                 "    for (uint i = 0; i < n; i++)\n"
                                 "        x = x * 1664525u + 1013904223u;\n"
                                 "    out[get_global_id(0)] = x;\n"
                                 "}\n";
    size_t items = 32768;
    cl_uint turns[2] = {10, 60000};
    cl_int error;
    cl_event ends[2];
    cl_ulong time;
    cl_device_type type = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    cl_program program = build(source, "");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, items * sizeof(cl_uint), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    for (int warm = 0; warm < 2; warm++) {
        for (int i = 0; i < 2; i++) {
            OK(clSetKernelArg(kernel, 1, sizeof(turns[i]), warm ? &turns[i] : &turns[0]));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &ends[i]));
            OK(clFlush(queue));
        }
        OK(clWaitForEvents(1, &ends[0]));
        OK(clGetEventProfilingInfo(ends[0], CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
        if (warm && type & CL_DEVICE_TYPE_CPU)
            CHECK(event_status(ends[1]) > CL_COMPLETE);
        OK(clFinish(queue));
        for (int i = 0; i < 2; i++)
            OK(clReleaseEvent(ends[i]));
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void *worker(void *data)
{
    cl_int error;
    int id = (int)(intptr_t)data;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, &error);
    for (int i = 0; i < 100 && error == CL_SUCCESS; i++) {
        int value = id * 1000 + i, back = 0;
        cl_event filled;
        OK(clEnqueueFillBuffer(queue, mem, &value, 4, 0, 1024, 0, NULL, &filled));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 512, 4, &back, 1, &filled, NULL));
        CHECK(back == value);
        clReleaseEvent(filled);
    }
    OK(error);
    clReleaseMemObject(mem);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    open_device(CL_QUEUE_PROFILING_ENABLE);
    test_errors();
    test_info();
    test_user_events();
    test_callbacks();
    test_out_of_order();
    for (int i = 0; i < 2; i++) {
        cl_command_queue_properties flags = i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        test_failed_waits(flags);
        test_many_held(flags, false);
        test_many_held(flags, true);
    }
    test_across_queues();
    test_polling();
    test_end_beside_work();
    test_threads();
    return close_device();
}
