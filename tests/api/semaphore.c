/* cl_khr_semaphore: what each call refuses, and that waits and signals order commands on one queue and on several,
 * behind user events, and in whichever order they are enqueued. */
#include "share_test.h"

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
 * behind is enqueued before its signal. (A wait belongs to the next signal that is enqueued.) */
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

/* A signal behind a user event lets its wait go when the event is set; one that fails takes its wait along. */
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
        CODE(k ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS, clWaitForEvents(1, &waited));
        CHECK((event_status(waited) < 0) == (k == 1));
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
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return close_device();
}
