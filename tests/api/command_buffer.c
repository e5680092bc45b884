/* cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch and clRemapCommandBufferKHR. */
#include "api_test.h"
#include "command_buffers.h"

#include <pthread.h>

enum { ITEMS = 1024 };

static struct buffer_functions f;

static const char source[] = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
                             "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n";
static cl_program program;
static cl_command_queue unordered;

static buffer_handle buffer_on(cl_command_queue on, cl_ulong flags)
{
    const cl_ulong properties[] = {BUFFER_FLAGS, flags, 0};
    cl_int error;
    buffer_handle buffer = f.create(1, &on, flags ? properties : NULL, &error);
    NEED(error == CL_SUCCESS && buffer);
    return buffer;
}

static cl_kernel add_kernel(cl_mem mem, int n)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    NEED(error == CL_SUCCESS);
    if (mem)
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(n), &n));
    return kernel;
}

static cl_mem zeros(void)
{
    static int nothing[ITEMS];
    return buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(nothing), nothing);
}

/* All items of the buffer are this, when what was enqueued has ended. */
static void expect(cl_mem mem, int wanted)
{
    int data[ITEMS];
    OK(clFinish(unordered));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[0] == wanted);
    CHECK(data[ITEMS / 2] == wanted);
    CHECK(data[ITEMS - 1] == wanted);
}

static cl_uint state_of(buffer_handle buffer)
{
    cl_uint state = 99;
    OK(f.info(buffer, 0x1297, sizeof(state), &state, NULL));
    return state;
}

/* ---- what is refused ---- */

static void test_refused(void)
{
    const cl_ulong unknown[] = {0x1234, 1, 0}, twice[] = {BUFFER_FLAGS, 1, BUFFER_FLAGS, 1, 0},
                   bad[] = {BUFFER_FLAGS, 64, 0};
    const size_t items = ITEMS, zero[3] = {0, 0, 0}, region[3] = {64, 2, 1};
    const int pattern = 1;
    cl_uint point = 77;
    command_handle handle;
    NO_OBJECT(CL_INVALID_VALUE, f.create(0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.create(0, &queue, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.create(1, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_COMMAND_QUEUE, f.create(1, &(cl_command_queue){NULL}, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.create(1, &queue, unknown, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.create(1, &queue, twice, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.create(1, &queue, bad, &error));
    CODE(BUFFER_INVALID, f.finalize(NULL));
    CODE(BUFFER_INVALID, f.retain((buffer_handle)queue));
    CODE(BUFFER_INVALID, f.release(NULL));
    CODE(BUFFER_INVALID, f.enqueue(0, NULL, NULL, 0, NULL, NULL));
    CODE(BUFFER_INVALID, f.info(NULL, 0x1295, 0, NULL, NULL));
    CODE(BUFFER_INVALID, f.update(NULL, 0, NULL, NULL));
    CODE(BUFFER_INVALID_COMMAND, f.command_info(NULL, 0x12A0, 0, NULL, NULL));
    NO_OBJECT(BUFFER_INVALID, f.remap(NULL, CL_FALSE, 1, &queue, 0, NULL, NULL, &error));

    cl_mem mem = zeros();
    cl_kernel kernel = add_kernel(mem, 1), unset = add_kernel(NULL, 1);
    buffer_handle buffer = buffer_on(queue, 0);
    CODE(BUFFER_INVALID, f.barrier(NULL, NULL, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_COMMAND_QUEUE, f.barrier(buffer, unordered, NULL, 0, NULL, NULL, NULL));
    CODE(BUFFER_INVALID_SYNC_POINTS, f.barrier(buffer, NULL, NULL, 1, NULL, NULL, NULL));
    CODE(BUFFER_INVALID_SYNC_POINTS, f.barrier(buffer, NULL, NULL, 1, &point, NULL, NULL));
    CODE(BUFFER_INVALID_SYNC_POINTS, f.barrier(buffer, NULL, NULL, 0, &point, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.barrier(buffer, NULL, unknown, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.barrier(buffer, NULL, NULL, 0, NULL, NULL, &handle));
    CODE(CL_INVALID_MEM_OBJECT, f.copy(buffer, NULL, NULL, NULL, mem, 0, 0, 4, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.copy(buffer, NULL, NULL, mem, mem, 0, 8, sizeof(int) * ITEMS, 0, NULL, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP, f.copy(buffer, NULL, NULL, mem, mem, 0, 8, 64, 0, NULL, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP,
         f.copy_rect(buffer, NULL, NULL, mem, mem, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.fill(buffer, NULL, NULL, mem, &pattern, 3, 0, 12, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_KERNEL, f.launch(buffer, NULL, NULL, NULL, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_KERNEL_ARGS, f.launch(buffer, NULL, NULL, unset, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_WORK_DIMENSION, f.launch(buffer, NULL, NULL, kernel, 4, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.launch(buffer, NULL, unknown, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &handle));
    CODE(CL_INVALID_OPERATION, f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    CHECK(state_of(buffer) == 0);
    OK(f.finalize(buffer));
    CHECK(state_of(buffer) == 1);
    CODE(CL_INVALID_OPERATION, f.finalize(buffer));
    CODE(CL_INVALID_OPERATION, f.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.enqueue(1, NULL, buffer, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.enqueue(2, (cl_command_queue[]){queue, queue}, buffer, 0, NULL, NULL));
    CODE(CL_INVALID_EVENT_WAIT_LIST, f.enqueue(0, NULL, buffer, 1, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.info(buffer, 0x1234, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, f.update(buffer, 0, NULL, NULL));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL)); /* empty */
    OK(f.retain(buffer));
    OK(f.release(buffer));
    OK(f.release(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(unset));
    OK(clReleaseMemObject(mem));
}

/* ---- what runs ---- */

/* Fill, kernels, copies and a barrier, one behind the other by sync points; the application's objects are released
 * before the buffer runs. Without simultaneous use each run sees what the one before it left. */
static void test_commands(cl_command_queue on)
{
    const int pattern = 3;
    const size_t items = ITEMS, zero[3] = {0, 0, 0}, region[3] = {sizeof(int) * ITEMS / 4, 4, 1};
    cl_uint points[4];
    cl_mem a = zeros(), b = zeros(), c = zeros();
    cl_kernel add = add_kernel(a, 4), more = add_kernel(c, 1);
    buffer_handle buffer = buffer_on(on, 0);
    OK(f.fill(buffer, NULL, NULL, a, &pattern, sizeof(pattern), 0, sizeof(int) * ITEMS, 0, NULL, &points[0], NULL));
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 1, &points[0], &points[1], NULL));
    OK(f.copy(buffer, NULL, NULL, a, b, 0, 0, sizeof(int) * ITEMS, 1, &points[1], &points[2], NULL));
    OK(f.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    OK(f.copy_rect(buffer, NULL, NULL, b, c, zero, zero, region, 0, 0, 0, 0, 0, NULL, &points[3], NULL));
    OK(f.launch(buffer, NULL, NULL, more, 1, NULL, &items, NULL, 1, &points[3], NULL, NULL));
    const int other = 100;
    OK(clSetKernelArg(add, 1, sizeof(other), &other)); /* what was recorded stays */
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(a));
    OK(f.finalize(buffer));
    for (int run = 0; run < 3; run++)
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(b, 7);
    expect(c, 8);
    OK(clReleaseKernel(more));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(c));
    OK(f.release(buffer));
}

static void test_reuse(cl_command_queue on, cl_ulong flags)
{
    const size_t items = ITEMS;
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1);
    buffer_handle buffer = buffer_on(on, flags);
    cl_uint point;
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, &point, NULL));
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 1, &point, NULL, NULL));
    OK(f.finalize(buffer));
    for (int run = 0; run < 20; run++) {
        cl_event event;
        OK(f.enqueue(0, NULL, buffer, 0, NULL, &event));
        if (flags & BUFFER_SIMULTANEOUS) /* these do not wait for each other by themselves */
            OK(clWaitForEvents(1, &event));
        cl_command_type type = 0;
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        CHECK(type == 0x12A8);
        OK(clReleaseEvent(event));
    }
    expect(mem, 40);
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(mem));
}

/* What comes before a replay and what comes behind it conflicts with some of its commands, and nothing says so but the
 * memory they use: the middle one is doubled between two additions, and each run continues where the one before and the
 * commands around it have left off. The spilled argument is too large for push constants. */
static void test_replays(cl_ulong flags)
{
    enum { WORDS = 200 };
    const char *text = "typedef struct { int words[200]; } table;\n"
                       "kernel void pick(global int *a, table t, int i) { a[get_global_id(0)] += t.words[i]; }\n";
    const size_t items = ITEMS;
    int table[WORDS], last = WORDS - 1, wanted = 0;
    cl_int error;
    cl_program picks = build(text, NULL);
    cl_kernel pick = clCreateKernel(picks, "pick", &error);
    NEED(error == CL_SUCCESS);
    cl_kernel twice = clCreateKernel(program, "twice", &error);
    NEED(error == CL_SUCCESS);
    cl_mem a = zeros(), b = zeros(), c = zeros();
    cl_kernel before = add_kernel(a, 1), after = add_kernel(c, 5);
    for (int i = 0; i < WORDS; i++)
        table[i] = i;
    OK(clSetKernelArg(pick, 0, sizeof(b), &b));
    OK(clSetKernelArg(pick, 1, sizeof(table), table));
    OK(clSetKernelArg(pick, 2, sizeof(last), &last));
    OK(clSetKernelArg(twice, 0, sizeof(b), &b));
    buffer_handle buffer = buffer_on(queue, flags);
    OK(f.copy(buffer, NULL, NULL, a, b, 0, 0, sizeof(int) * ITEMS, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, twice, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, pick, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.copy(buffer, NULL, NULL, b, c, 0, 0, sizeof(int) * ITEMS, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    OK(clReleaseKernel(pick));
    OK(clReleaseProgram(picks));
    for (int run = 1; run <= 10; run++) {
        OK(clEnqueueNDRangeKernel(queue, before, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, after, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clEnqueueCopyBuffer(queue, c, a, 0, 0, sizeof(int) * ITEMS, 0, NULL, NULL));
        wanted = (2 * (wanted + 1) + last) + 5;
    }
    expect(a, wanted);
    /* it is released while it runs, and behind an event that has not happened */
    cl_event gate = user_event();
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(f.enqueue(0, NULL, buffer, 1, &gate, NULL));
    OK(f.release(buffer));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    expect(c, 2 * wanted + last);
    OK(clReleaseEvent(gate));
    OK(clReleaseKernel(twice));
    OK(clReleaseKernel(before));
    OK(clReleaseKernel(after));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(c));
}

/* An image is filled, read by a kernel that is given another image as well, and copied: as often as the buffer runs. */
static void test_images(void)
{
    const char *text = "kernel void add(read_only image2d_t a, write_only image2d_t b, global int *sum) {\n"
                       "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                       "    uint4 texel = read_imageui(a, at);\n"
                       "    write_imageui(b, at, texel + 1u);\n"
                       "    sum[at.y * 8 + at.x] += texel.x;\n"
                       "}\n";
    cl_bool has_images = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(has_images), &has_images, NULL));
    if (!has_images)
        return;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const cl_uint color[4] = {7, 1, 2, 3};
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 8, 1};
    cl_int error;
    cl_mem a = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_mem b = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_mem sum = zeros(), out = zeros();
    cl_program images = build(text, NULL);
    cl_kernel add = clCreateKernel(images, "add", &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(add, 0, sizeof(a), &a));
    OK(clSetKernelArg(add, 1, sizeof(b), &b));
    OK(clSetKernelArg(add, 2, sizeof(sum), &sum));
    buffer_handle buffer = buffer_on(queue, 0);
    OK(f.fill_image(buffer, NULL, NULL, a, color, zero, region, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, add, 2, NULL, region, NULL, 0, NULL, NULL, NULL));
    OK(f.copy_image(buffer, NULL, NULL, b, a, zero, zero, region, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, add, 2, NULL, region, NULL, 0, NULL, NULL, NULL));
    OK(f.image_to_buffer(buffer, NULL, NULL, b, out, zero, region, 0, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    for (int run = 1; run <= 3; run++) {
        cl_uchar texels[8 * 8][4];
        int sums[8 * 8];
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(texels), texels, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof(sums), sums, 0, NULL, NULL));
        CHECK(texels[0][0] == 9 && texels[63][0] == 9 && texels[63][3] == 5);
        CHECK(sums[0] == 15 * run && sums[63] == 15 * run);
        /* the next run begins with what it fills, not with this */
        OK(clEnqueueFillImage(queue, a, (const cl_uint[4]){0, 0, 0, 0}, zero, region, 0, NULL, NULL));
        OK(clEnqueueFillImage(queue, b, (const cl_uint[4]){0, 0, 0, 0}, zero, region, 0, NULL, NULL));
    }
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseProgram(images));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(sum));
    OK(clReleaseMemObject(out));
}

/* More buffers than a queue remembers: a replay of all of them conflicts with each. */
static void test_many_buffers(void)
{
    enum { BUFFERS = 200 };
    static cl_mem mems[BUFFERS];
    const size_t items = ITEMS;
    buffer_handle buffer = buffer_on(queue, 0);
    cl_kernel add = add_kernel(NULL, 1);
    for (int i = 0; i < BUFFERS; i++) {
        mems[i] = zeros();
        OK(clSetKernelArg(add, 0, sizeof(mems[i]), &mems[i]));
        OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    }
    OK(f.finalize(buffer));
    for (int run = 0; run < 4; run++) {
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL)); /* the last one's memory */
    }
    expect(mems[0], 4);
    expect(mems[BUFFERS - 2], 4);
    expect(mems[BUFFERS - 1], 8);
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    for (int i = 0; i < BUFFERS; i++)
        OK(clReleaseMemObject(mems[i]));
}

/* Nothing runs behind an event that ends with an error, and the buffer can be used again. */
static void test_waits(cl_command_queue on)
{
    const size_t items = ITEMS;
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1);
    buffer_handle buffer = buffer_on(on, 0);
    cl_event first = user_event(), second = user_event(), ends[2];
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    OK(f.enqueue(0, NULL, buffer, 1, &first, &ends[0]));
    OK(clFlush(on));
    CHECK(event_status(ends[0]) > CL_COMPLETE);
    OK(clSetUserEventStatus(first, CL_COMPLETE));
    OK(clWaitForEvents(1, &ends[0]));
    expect(mem, 1);
    OK(f.enqueue(0, NULL, buffer, 1, &second, &ends[1]));
    OK(clSetUserEventStatus(second, -5));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &ends[1]));
    CHECK(event_status(ends[1]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    expect(mem, 1);
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(mem, 2);
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseEvent(ends[0]));
    OK(clReleaseEvent(ends[1]));
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(mem));
}

static void test_profile(cl_command_queue_properties flags)
{
    const size_t items = ITEMS;
    cl_int error;
    cl_command_queue timed = clCreateCommandQueue(context, device, flags | CL_QUEUE_PROFILING_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1);
    buffer_handle buffer = buffer_on(timed, 0);
    for (int i = 0; i < 8; i++)
        OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    cl_event event;
    cl_ulong times[4];
    OK(f.enqueue(0, NULL, buffer, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    for (cl_uint i = 0; i < 4; i++)
        OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof(times[i]), &times[i], NULL));
    CHECK(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
    OK(clReleaseEvent(event));
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(timed));
}

static void test_svm(void)
{
    cl_device_svm_capabilities svm = 0;
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL);
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    const int pattern = 9;
    const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    int *a = clSVMAlloc(context, flags, 4096, 0), *b = clSVMAlloc(context, flags, 4096, 0);
    NEED(a && b);
    buffer_handle buffer = buffer_on(queue, 0);
    CODE(CL_INVALID_VALUE, f.svm_copy(buffer, NULL, NULL, NULL, a, 4096, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.svm_fill(buffer, NULL, NULL, a, &pattern, sizeof(pattern), 8192, 0, NULL, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP, f.svm_copy(buffer, NULL, NULL, a + 1, a, 64, 0, NULL, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.svm_fill(buffer, NULL, NULL, a, &pattern, 3, 4096, 0, NULL, NULL, NULL));
    OK(f.svm_fill(buffer, NULL, NULL, a, &pattern, sizeof(pattern), 4096, 0, NULL, NULL, NULL));
    OK(f.svm_copy(buffer, NULL, NULL, b, a, 4096, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    for (int run = 0; run < 2; run++) {
        memset(b, 0, 4096);
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(b[0] == 9 && b[1023] == 9);
    }
    OK(f.release(buffer));
    clSVMFree(context, a);
    clSVMFree(context, b);
}

/* ---- updates ---- */

static cl_int update_one(buffer_handle buffer, const struct buffer_update *config)
{
    const cl_uint type = 0;
    const void *configs[1] = {config};
    return f.update(buffer, 1, &type, configs);
}

static void test_updates(void)
{
    const size_t items = ITEMS, half = ITEMS / 2, zero = 0, sixteen = 16;
    const int five = 5;
    const cl_ulong only_sizes[] = {COMMAND_FIELDS, 2, 0};
    cl_mem a = zeros(), b = zeros();
    cl_kernel add = add_kernel(a, 1), unset = add_kernel(NULL, 1);
    buffer_handle buffer = buffer_on(queue, BUFFER_MUTABLE);
    command_handle first, second, third;
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &first));
    OK(f.launch(buffer, NULL, only_sizes, add, 1, NULL, &items, &sixteen, 0, NULL, NULL, &second));
    CODE(CL_INVALID_KERNEL_ARGS, f.launch(buffer, NULL, only_sizes, unset, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, unset, 1, NULL, &items, NULL, 0, NULL, NULL, &third));
    const struct buffer_arg n[] = {{1, sizeof(five), &five}}, to_b[] = {{0, sizeof(b), &b}}, wrong[] = {{7, 4, &five}};
    struct buffer_update config = {.command = first, .num_args = 1, .args = n};
    CODE(CL_INVALID_OPERATION, update_one(buffer, &config)); /* not finalised */
    OK(f.finalize(buffer));
    CHECK(state_of(buffer) == 2); /* third has no memory yet */
    CODE(CL_INVALID_OPERATION, f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(update_one(buffer, &(struct buffer_update){.command = third, .num_args = 1, .args = to_b}));
    CHECK(state_of(buffer) == 1);
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(a, 2);
    expect(b, 1);

    CODE(BUFFER_INVALID_COMMAND, update_one(buffer, &(struct buffer_update){.num_args = 1, .args = n}));
    CODE(CL_INVALID_VALUE, update_one(buffer, &(struct buffer_update){.command = first, .num_args = 1}));
    CODE(CL_INVALID_OPERATION,
         update_one(buffer, &(struct buffer_update){.command = first, .work_dim = 2, .global = &half}));
    CODE(CL_INVALID_OPERATION,
         update_one(buffer, &(struct buffer_update){.command = second, .num_args = 1, .args = n}));
    CODE(CL_INVALID_ARG_INDEX,
         update_one(buffer, &(struct buffer_update){.command = first, .num_args = 1, .args = wrong}));
    CODE(CL_INVALID_VALUE, f.update(buffer, 1, NULL, NULL));
    CODE(CL_INVALID_VALUE, f.update(buffer, 1, &(cl_uint){3}, (const void *[]){&config}));
    /* the first of these is good, but as the other is not, neither is done */
    const struct buffer_update both[] = {config, {.command = first, .num_args = 1, .args = wrong}};
    CODE(CL_INVALID_ARG_INDEX, f.update(buffer, 2, (const cl_uint[]){0, 0}, (const void *[]){&both[0], &both[1]}));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(a, 4);

    /* what was enqueued before an update keeps its arguments */
    cl_event gate = user_event();
    OK(f.enqueue(0, NULL, buffer, 1, &gate, NULL));
    OK(update_one(buffer, &config));
    OK(update_one(buffer, &(struct buffer_update){.command = second, .work_dim = 1, .global = &half}));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    expect(a, 6);
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    int data[ITEMS];
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[0] == 12 && data[half - 1] == 12 && data[half] == 11 && data[ITEMS - 1] == 11);
    size_t sizes[2] = {0, 0};
    OK(f.command_info(second, 0x12A6, sizeof(sizes[0]), &sizes[0], NULL));
    OK(f.command_info(second, 0x12A7, sizeof(sizes[1]), &sizes[1], NULL));
    CHECK(sizes[0] == half && sizes[1] == 16);
    CODE(CL_INVALID_VALUE, f.command_info(second, 1, 0, NULL, NULL));
    OK(update_one(buffer, &(struct buffer_update){.command = second, .work_dim = 1, .global = &zero}));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[0] == 17 && data[ITEMS - 1] == 16);
    OK(clReleaseEvent(gate));
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(unset));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* ---- queues ---- */

/* Two queues in one buffer, whose commands wait for each other; then the same commands on one queue, and on another. */
static void test_queues(void)
{
    const size_t items = ITEMS;
    const int seven = 7;
    cl_int error;
    cl_command_queue queues[2] = {queue, unordered}, strange[2] = {queue, NULL};
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1), twice = clCreateKernel(program, "twice", &error);
    OK(clSetKernelArg(twice, 0, sizeof(mem), &mem));
    const cl_ulong properties[] = {BUFFER_FLAGS, BUFFER_MUTABLE | BUFFER_DEVICE_SIDE_SYNC, 0};
    buffer_handle buffer = f.create(2, queues, properties, &error);
    NEED(buffer);
    command_handle command, moved;
    cl_uint points[2];
    CODE(CL_INVALID_COMMAND_QUEUE, f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, queue, NULL, add, 1, NULL, &items, NULL, 0, NULL, &points[0], &command));
    OK(f.launch(buffer, unordered, NULL, twice, 1, NULL, &items, NULL, 1, &points[0], &points[1], NULL));
    OK(f.launch(buffer, queue, NULL, add, 1, NULL, &items, NULL, 1, &points[1], NULL, NULL));
    OK(f.finalize(buffer));
    CODE(CL_INVALID_COMMAND_QUEUE, f.enqueue(2, strange, buffer, 0, NULL, NULL));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(f.enqueue(2, queues, buffer, 0, NULL, NULL));
    expect(mem, 9); /* ((0 + 1) * 2 + 1 + 1) * 2 + 1 */
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_FALSE, 1, &queue, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_TRUE, 1, &queue, 1, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_TRUE, 0, &queue, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_TRUE, 1, NULL, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_TRUE, 1, &queue, 0, &command, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_TRUE, 1, &queue, 1, &(command_handle){NULL}, &moved, &error));
    NO_OBJECT(CL_INVALID_COMMAND_QUEUE, f.remap(buffer, CL_FALSE, 2, strange, 0, NULL, NULL, &error));
    buffer_handle one = f.remap(buffer, CL_TRUE, 1, &unordered, 1, &command, &moved, &error);
    NEED(one && error == CL_SUCCESS);
    const struct buffer_arg n = {1, sizeof(seven), &seven};
    CODE(BUFFER_INVALID_COMMAND,
         update_one(one, &(struct buffer_update){.command = command, .num_args = 1, .args = &n}));
    OK(update_one(one, &(struct buffer_update){.command = moved, .num_args = 1, .args = &n}));
    OK(f.release(buffer));
    OK(f.enqueue(0, NULL, one, 0, NULL, NULL));
    expect(mem, 33); /* (9 + 7) * 2 + 1 */
    OK(f.release(one));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(twice));
    OK(clReleaseMemObject(mem));
}

static buffer_handle remapped(buffer_handle buffer, cl_command_queue to)
{
    cl_int error;
    buffer_handle made = f.remap(buffer, CL_TRUE, 1, &to, 0, NULL, NULL, &error);
    NEED(made && error == CL_SUCCESS);
    OK(f.release(buffer));
    return made;
}

/* A buffer that is not finalised yet goes on being recorded, with its sync points and barriers. */
static void test_remap_early(void)
{
    enum { RECORDING = 0, EXECUTABLE = 1 };
    const size_t items = ITEMS;
    cl_int error;
    cl_command_queue queues[2] = {queue, unordered};
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1), twice = clCreateKernel(program, "twice", &error);
    OK(clSetKernelArg(twice, 0, sizeof(mem), &mem));
    const cl_ulong properties[] = {BUFFER_FLAGS, BUFFER_DEVICE_SIDE_SYNC, 0};
    buffer_handle buffer = f.create(2, queues, properties, &error);
    NEED(buffer);
    cl_uint point, state = 9;
    OK(f.launch(buffer, queue, NULL, add, 1, NULL, &items, NULL, 0, NULL, &point, NULL));
    OK(f.launch(buffer, unordered, NULL, twice, 1, NULL, &items, NULL, 1, &point, &point, NULL));
    OK(f.barrier(buffer, unordered, NULL, 1, &point, &point, NULL));
    buffer = remapped(buffer, unordered);
    OK(f.info(buffer, 0x1297, sizeof(state), &state, NULL));
    CHECK(state == RECORDING);
    CODE(CL_INVALID_OPERATION, f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL)); /* behind the barrier */
    OK(f.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    buffer = remapped(buffer, unordered);
    OK(f.launch(buffer, NULL, NULL, twice, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    OK(f.info(buffer, 0x1297, sizeof(state), &state, NULL));
    CHECK(state == EXECUTABLE);
    for (int i = 0; i < 3; i++)
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(unordered));
    expect(mem, 126);
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(twice));
    OK(clReleaseMemObject(mem));
}

/* ---- long buffers ---- */

/* Two of many kernels are updated, now one, now the other, now none, now both; a kernel that prints stands among the
 * others. What is enqueued shows the updates that came before it, in the order of the commands. */
static void test_pieces(cl_command_queue on, bool prints)
{
    enum { COMMANDS = 300, FIRST = 10, SECOND = 170, LOUD = 80 };
    const size_t items = ITEMS, one = 1;
    cl_int error;
    cl_program loud = build("kernel void loud(int n) { if (n == 1) printf(\"loud\\n\"); }", NULL);
    cl_kernel print = clCreateKernel(loud, "loud", &error);
    NEED(error == CL_SUCCESS);
    cl_kernel twice = clCreateKernel(program, "twice", &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1);
    command_handle commands[2];
    int values[2] = {1, 1}, zero = 0;
    unsigned wanted = 0;
    buffer_handle buffer = buffer_on(on, BUFFER_MUTABLE);
    OK(clSetKernelArg(print, 0, sizeof(zero), &zero));
    OK(clSetKernelArg(twice, 0, sizeof(mem), &mem));
    for (int i = 0; i < COMMANDS; i++) {
        cl_kernel kernel = i % 50 == 49 ? twice : i == LOUD && prints ? print : add;
        cl_uint last = 0;
        OK(f.launch(buffer, NULL, NULL, kernel, 1, NULL, kernel == print ? &one : &items, NULL, i > 0 ? 1 : 0,
                    i > 0 ? &(cl_uint){i} : NULL, &last,
                    i == FIRST    ? &commands[0]
                    : i == SECOND ? &commands[1]
                                  : NULL));
        CHECK(last == (cl_uint)i + 1);
    }
    OK(f.finalize(buffer));
    cl_event gate = user_event(), done;
    for (int run = 0; run < 12; run++) {
        for (int k = 0; k < 2; k++) {
            if (!(run % 4 & 1 << k))
                continue;
            values[k] = 10 * run + k;
            const struct buffer_arg n = {1, sizeof(values[k]), &values[k]};
            OK(update_one(buffer, &(struct buffer_update){.command = commands[k], .num_args = 1, .args = &n}));
        }
        for (int i = 0; i < COMMANDS; i++)
            wanted = i % 50 == 49          ? 2 * wanted
                     : i == FIRST          ? wanted + (unsigned)values[0]
                     : i == SECOND         ? wanted + (unsigned)values[1]
                     : i == LOUD && prints ? wanted
                                           : wanted + 1;
        OK(f.enqueue(0, NULL, buffer, run < 4 ? 1 : 0, run < 4 ? &gate : NULL, &done));
        if (run == 3) {
            CHECK(event_status(done) > CL_COMPLETE);
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
        }
        OK(clReleaseEvent(done));
    }
    OK(clFinish(on));
    expect(mem, (int)wanted);
    OK(clReleaseEvent(gate));
    OK(f.release(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(twice));
    OK(clReleaseKernel(print));
    OK(clReleaseProgram(loud));
    OK(clReleaseMemObject(mem));
}

/* ---- threads ---- */

struct shared {
    buffer_handle buffer;
    command_handle command;
};

static void *use(void *data)
{
    struct shared *shared = data;
    for (int i = 0; i < 50; i++) {
        const int one = 1;
        const struct buffer_arg n = {1, sizeof(one), &one};
        OK(update_one(shared->buffer, &(struct buffer_update){.command = shared->command, .num_args = 1, .args = &n}));
        OK(f.enqueue(0, NULL, shared->buffer, 0, NULL, NULL));
    }
    return NULL;
}

static void test_threads(void)
{
    const size_t items = ITEMS;
    cl_mem mem = zeros();
    cl_kernel add = add_kernel(mem, 1);
    struct shared shared = {.buffer = buffer_on(queue, BUFFER_MUTABLE)};
    pthread_t threads[4];
    OK(f.launch(shared.buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &shared.command));
    OK(f.finalize(shared.buffer));
    for (size_t i = 0; i < COUNT(threads); i++)
        NEED(!pthread_create(&threads[i], NULL, use, &shared));
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    expect(mem, 200);
    OK(f.release(shared.buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(mem));
}

/* What one run leaves in a pipe, the next one finds. The application lets go of the pipe before. */
static void test_pipe(void)
{
    const char *text = "kernel void put(write_only pipe int p, int n) { write_pipe(p, &n); }\n"
                       "kernel void count(read_only pipe int p, global int *out) {\n"
                       "    out[get_global_id(0)] = get_pipe_num_packets(p);\n"
                       "}\n";
    const size_t one = 1, items = ITEMS;
    cl_bool has_pipes = CL_FALSE;
    cl_int error, n = 5;
    OK(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof(has_pipes), &has_pipes, NULL));
    if (!has_pipes)
        return;
    cl_program with_pipes = build(text, "-cl-std=CL3.0");
    cl_kernel put = clCreateKernel(with_pipes, "put", &error), count = clCreateKernel(with_pipes, "count", &error);
    cl_mem pipe = clCreatePipe(context, 0, sizeof(n), 64, NULL, &error), mem = zeros();
    NEED(put && count && pipe);
    buffer_handle buffer = buffer_on(queue, 0);
    OK(clSetKernelArg(put, 0, sizeof(pipe), &pipe));
    OK(clSetKernelArg(put, 1, sizeof(n), &n));
    OK(clSetKernelArg(count, 0, sizeof(pipe), &pipe));
    OK(clSetKernelArg(count, 1, sizeof(mem), &mem));
    OK(f.launch(buffer, NULL, NULL, put, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, put, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    OK(f.launch(buffer, NULL, NULL, count, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(count));
    OK(clReleaseProgram(with_pipes));
    for (int run = 0; run < 4; run++)
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(mem, 8);
    OK(f.release(buffer));
    OK(clReleaseMemObject(mem));
}

int main(void)
{
    cl_int error;
    open_device(0);
    const struct test_device opened = {platform, device, context, queue};
    if (!test_has_extension(&opened, "cl_khr_command_buffer_mutable_dispatch")) {
        printf("no command buffers\n");
        return TEST_SKIPPED;
    }
    unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    NEED(find_buffer_functions(platform, &f));
    program = build(source, NULL);
    test_refused();
    test_commands(queue);
    test_commands(unordered);
    test_reuse(queue, 0);
    test_reuse(queue, BUFFER_SIMULTANEOUS);
    test_reuse(unordered, 0);
    test_reuse(unordered, BUFFER_SIMULTANEOUS);
    test_replays(0);
    test_replays(BUFFER_SIMULTANEOUS);
    test_replays(BUFFER_MUTABLE);
    test_many_buffers();
    test_images();
    test_waits(queue);
    test_waits(unordered);
    test_profile(0);
    test_profile(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    test_svm();
    test_pipe();
    test_updates();
    test_pieces(queue, false);
    test_pieces(queue, true);
    test_pieces(unordered, false);
    test_pieces(unordered, true);
    test_queues();
    test_remap_early();
    test_threads();
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(unordered));
    return close_device();
}
