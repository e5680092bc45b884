/* OpenCL 3.0 API, 5.10: native kernels. The function's arguments are a copy in which buffers have become addresses; it
 * runs at its place in the queue, sees what came before it and is seen by what comes behind. */
#include "api_test.h"

#include <pthread.h>

enum { ITEMS = 1024 };

struct args {
    int *data, *other;
    int count, step;
    int **seen; /* what data was */
};

static atomic_int calls;

static void CL_CALLBACK add(void *data)
{
    struct args *args = data;
    calls++;
    if (args->seen)
        *args->seen = args->data;
    for (int i = 0; i < args->count; i++)
        args->data[i] += args->step + (args->other ? args->other[i] : 0);
}

static void CL_CALLBACK count_call(void *data)
{
    calls += data == NULL;
}

static cl_program program;

/* Hands in the place of args->data, and that of args->other where there is a second buffer. */
static cl_int native(cl_command_queue to, struct args *args, cl_mem data, cl_mem other, const cl_event *wait,
                     cl_event *event)
{
    const cl_mem mems[] = {data, other};
    const void *places[] = {&args->data, &args->other};
    return clEnqueueNativeKernel(to, add, args, sizeof(*args), 2, mems, places, wait ? 1 : 0, wait, event);
}

static void twice(cl_mem mem)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "twice", &error);
    size_t items = ITEMS;
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
}

static void expect(cl_mem mem, int first, int step)
{
    int data[ITEMS], wrong = 0;
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        wrong += data[i] != first + i * step;
    CHECK(wrong == 0);
}

static cl_mem numbers(cl_mem_flags flags)
{
    static int data[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        data[i] = i;
    return buffer_of(flags | CL_MEM_COPY_HOST_PTR, sizeof(data), data);
}

static void test_refused(void)
{
    struct args args = {.count = 0};
    cl_mem mem = numbers(0), none = NULL;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const void *place = &args.data, *outside = &args + 1, *overlapping = (char *)(&args + 1) - 4;
    const size_t size = sizeof(args);
    cl_device_exec_capabilities capabilities = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(capabilities), &capabilities, NULL));
    CHECK(capabilities & CL_EXEC_NATIVE_KERNEL);
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(NULL, add, &args, size, 1, &mem, &place, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, NULL, &args, size, 1, &mem, &place, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, NULL, size, 0, NULL, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, NULL, 0, 1, &mem, &place, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, 0, 0, NULL, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 1, NULL, &place, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 1, &mem, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 0, &mem, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 0, NULL, &place, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 1, &mem, &outside, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, size, 1, &mem, &overlapping, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, add, &args, 4, 1, &mem, &place, 0, NULL, NULL));
    cl_mem wrong = (cl_mem)queue, image = clCreateImage(context, 0, &format, &desc, NULL, NULL);
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueNativeKernel(queue, add, &args, size, 1, &wrong, &place, 0, NULL, NULL));
    if (image) {
        CODE(CL_INVALID_MEM_OBJECT, clEnqueueNativeKernel(queue, add, &args, size, 1, &image, &place, 0, NULL, NULL));
        OK(clReleaseMemObject(image));
    }
    CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNativeKernel(queue, add, &args, size, 1, &mem, &place, 1, NULL, NULL));
    OK(clFinish(queue));
    CHECK(calls == 0);
    int *seen = (int *)&args;
    args.seen = &seen; /* a NULL buffer is a NULL pointer */
    OK(clEnqueueNativeKernel(queue, add, &args, size, 1, &none, &place, 0, NULL, NULL));
    OK(clEnqueueNativeKernel(queue, count_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(calls == 2 && seen == NULL);
    OK(clReleaseMemObject(mem));
}

/* Kernels and native kernels by turns; the application's arguments change and the buffer is released meanwhile. */
static void test_order(cl_mem_flags flags)
{
    cl_mem mem = numbers(flags), other = numbers(flags);
    struct args args = {.count = ITEMS, .step = 1};
    cl_event event;
    cl_command_type type = 0;
    twice(mem);                                      /* 2i */
    OK(native(queue, &args, mem, NULL, NULL, NULL)); /* 2i + 1 */
    args.step = 0;
    twice(mem);                                         /* 4i + 2 */
    OK(native(queue, &args, mem, other, NULL, &event)); /* 5i + 2 */
    args.count = 0;
    OK(clReleaseMemObject(other));
    twice(mem); /* 10i + 4 */
    expect(mem, 4, 10);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_NATIVE_KERNEL && event_status(event) == CL_COMPLETE);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
}

/* Sub-buffers of one buffer overlap, and a buffer that is given twice is one. */
static void test_overlap(void)
{
    const cl_buffer_region region = {1024, 1024};
    cl_int error;
    cl_mem mem = numbers(0), part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    NEED(part);
    struct args args = {.count = 256, .step = 1};
    int data[ITEMS];
    OK(native(queue, &args, part, mem, NULL, NULL)); /* data[256 + i] += 1 + data[i] */
    OK(native(queue, &args, mem, mem, NULL, NULL));  /* data[i] = 2 data[i] + 1 */
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[10] == 21 && data[255] == 511 && data[256] == 257 && data[300] == 300 + 1 + 44 && data[512] == 512);
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(mem));
}

/* Behind a user event, on an out-of-order queue, and not at all behind one that failed. */
static void test_events(void)
{
    cl_int error;
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = numbers(0);
    struct args args = {.count = ITEMS, .step = 5};
    cl_event gate = user_event(), done[2], failing = user_event(), failed;
    int before = calls;
    OK(native(other, &args, mem, NULL, &gate, &done[0]));
    OK(native(other, &args, mem, NULL, &done[0], &done[1]));
    OK(native(other, &args, mem, NULL, &failing, &failed));
    OK(clFlush(other));
    CHECK(calls == before && event_status(done[1]) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clSetUserEventStatus(failing, -5));
    OK(clWaitForEvents(2, done));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    CHECK(calls == before + 2);
    expect(mem, 10, 1);
    for (int i = 0; i < 2; i++)
        OK(clReleaseEvent(done[i]));
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(failing));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(other));
}

static void test_hints(void)
{
    static const cl_queue_properties good[] = {CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR,
                                               CL_QUEUE_THROTTLE_LOW_KHR};
    for (size_t i = 0; i < COUNT(good); i++) {
        const cl_queue_properties properties[] = {CL_QUEUE_THROTTLE_KHR, good[i], 0};
        cl_int error;
        cl_command_queue hinted = clCreateCommandQueueWithProperties(context, device, properties, &error);
        OK(error);
        OK(clReleaseCommandQueue(hinted));
    }
    const cl_queue_properties bad[] = {CL_QUEUE_THROTTLE_KHR, 77, 0};
    NO_OBJECT(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, bad, &error));
}

static void test_all(void)
{
    program = build("kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n", NULL);
    test_order(0);
    test_order(CL_MEM_ALLOC_HOST_PTR);
    test_overlap();
    test_events();
    OK(clReleaseProgram(program));
}

/* With "twins" the context has two devices, and the host no longer sees their memory itself. */
int main(int argc, char **argv)
{
    open_device(0);
    if (argc > 1 && !strcmp(argv[1], "twins")) {
        cl_device_id devices[2];
        cl_int error;
        OK(clReleaseCommandQueue(queue));
        OK(clReleaseContext(context));
        OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
        context = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
        NEED(error == CL_SUCCESS);
        device = devices[1];
        queue = clCreateCommandQueue(context, device, 0, &error);
        NEED(error == CL_SUCCESS);
    } else {
        test_refused();
        test_hints();
    }
    test_all();
    return close_device();
}
