/* OpenCL 3.0 API, 5.1 (queues on the device) and OpenCL C 3.0, 6.15.19 (enqueue_kernel and its kin): what the calls
 * refuse, what the application sees of kernels that enqueue kernels, every error that a kernel can get, events that are
 * never set, fail or run out, queues that are full, and trees of launches. With the argument "runaway" the program
 * starts a chain of launches that never ends, and ends: the process must. */
#include "api_test.h"

#include <pthread.h>
#include <sys/resource.h>

#define DEVICE_FLAGS (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE)

static cl_uint device_uint(cl_device_info name)
{
    cl_uint value = 12345;
    OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
    return value;
}

static cl_command_queue device_queue(cl_queue_properties more, cl_uint size)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, DEVICE_FLAGS | more, size ? CL_QUEUE_SIZE : 0, size,
                                              0};
    cl_int error;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, properties, &error);
    NEED(error == CL_SUCCESS);
    return made;
}

static cl_uint references(cl_command_queue of)
{
    cl_uint count = 0;
    OK(clGetCommandQueueInfo(of, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static cl_command_queue default_queue(cl_command_queue of)
{
    cl_command_queue first = queue;
    OK(clGetCommandQueueInfo(of, CL_QUEUE_DEVICE_DEFAULT, sizeof(first), &first, NULL));
    return first;
}

/* ---- queries and queues ---- */

static bool test_queries(void)
{
    cl_device_device_enqueue_capabilities can = 99;
    cl_command_queue_properties flags = 99;
    OK(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(can), &can, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof(flags), &flags, NULL));
    if (!can) {
        CHECK(flags == 0 && device_uint(CL_DEVICE_MAX_ON_DEVICE_QUEUES) == 0);
        const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, DEVICE_FLAGS, 0};
        NO_OBJECT(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, wanted, &error));
        CODE(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, queue));
        return false;
    }
    CHECK(can & CL_DEVICE_QUEUE_SUPPORTED);
    CHECK((flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) && (flags & CL_QUEUE_PROFILING_ENABLE));
    CHECK(device_uint(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE) >= 16 << 10);
    CHECK(device_uint(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE) >= 256 << 10);
    CHECK(device_uint(CL_DEVICE_MAX_ON_DEVICE_QUEUES) >= 1);
    CHECK(device_uint(CL_DEVICE_MAX_ON_DEVICE_EVENTS) >= 1024);
    return true;
}

static void test_creation(void)
{
    cl_uint most = device_uint(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
    const struct {
        cl_queue_properties properties[5];
        cl_int error;
    } rows[] = {
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
         CL_INVALID_VALUE},
        {{CL_QUEUE_SIZE, 4096, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE, 4096, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, DEVICE_FLAGS, CL_QUEUE_SIZE, 0, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, DEVICE_FLAGS, CL_QUEUE_SIZE, most + 1u, 0}, CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PROPERTIES, DEVICE_FLAGS | 1 << 20, 0}, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        NO_OBJECT(rows[i].error, clCreateCommandQueueWithProperties(context, device, rows[i].properties, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateCommandQueue(context, device, DEVICE_FLAGS, &error));

    cl_uint limit = device_uint(CL_DEVICE_MAX_ON_DEVICE_QUEUES);
    cl_command_queue *list = calloc(limit + 2, sizeof(list[0]));
    cl_uint made = 0;
    const cl_queue_properties plain[] = {CL_QUEUE_PROPERTIES, DEVICE_FLAGS, 0};
    cl_int error = CL_SUCCESS;
    while (made < limit + 2 && error == CL_SUCCESS) {
        list[made] = clCreateCommandQueueWithProperties(context, device, plain, &error);
        made += error == CL_SUCCESS;
    }
    CHECK(made >= limit && made < limit + 2 && error == CL_OUT_OF_RESOURCES);
    for (cl_uint i = 0; i < made; i++)
        OK(clReleaseCommandQueue(list[i]));
    free(list);
}

static void test_queue_info(void)
{
    cl_uint size = 0;
    cl_command_queue_properties flags = 0;
    CHECK(default_queue(queue) == NULL);
    CODE(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof(size), &size, NULL));
    cl_command_queue one = device_queue(0, 20000), two = device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    OK(clGetCommandQueueInfo(one, CL_QUEUE_SIZE, sizeof(size), &size, NULL));
    CHECK(size >= 20000 && size < 40000);
    OK(clGetCommandQueueInfo(two, CL_QUEUE_SIZE, sizeof(size), &size, NULL));
    CHECK(size == device_uint(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
    OK(clGetCommandQueueInfo(two, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL));
    CHECK(flags == (DEVICE_FLAGS | CL_QUEUE_ON_DEVICE_DEFAULT));
    CHECK(default_queue(queue) == two && default_queue(one) == two);
    cl_command_queue again = device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    CHECK(again == two && references(two) == 2);
    OK(clReleaseCommandQueue(again));

    CODE(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(NULL, device, one));
    CODE(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(context, NULL, one));
    CODE(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(context, device, NULL));
    CODE(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(context, device, queue));
    OK(clSetDefaultDeviceCommandQueue(context, device, one));
    CHECK(default_queue(queue) == one);
    OK(clReleaseCommandQueue(one));
    CHECK(default_queue(queue) == NULL);
    OK(clReleaseCommandQueue(two));
}

/* Commands of the host do not go into a queue on the device. */
static void test_host_commands(void)
{
    cl_command_queue on_device = device_queue(0, 0);
    cl_int value = 0;
    cl_mem mem = buffer_of(0, 4, NULL);
    CODE(CL_INVALID_COMMAND_QUEUE, clFinish(on_device));
    CODE(CL_INVALID_COMMAND_QUEUE, clFlush(on_device));
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(on_device, 0, NULL, NULL));
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(on_device, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(on_device, mem, &value, 4, 0, 4, 0, NULL, NULL));
    OK(clRetainCommandQueue(on_device));
    OK(clReleaseCommandQueue(on_device));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(on_device));
}

/* ---- kernels ---- */

static const char *source =
    "kernel void plain(global int *out) {\n"
    "    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{ out[1] = 7; });\n"
    "}\n"
    "kernel void to(global int *out, queue_t q) {\n"
    "    out[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{ atomic_inc(&out[1]); });\n"
    "    out[2] = get_default_queue() == CLK_NULL_QUEUE;\n"
    "}\n"
    "kernel void errors(global int *out, queue_t q, ulong large) {\n"
    "    clk_event_t e;\n"
    "    clk_event_t none[1] = {CLK_NULL_EVENT};\n"
    "    void (^block)(void) = ^{ out[63]++; };\n"
    "    queue_t no_queue = CLK_NULL_QUEUE;\n"
    "    out[0] = enqueue_kernel(no_queue, 0, ndrange_1D(1), block);\n"
    "    out[1] = enqueue_kernel(q, 0, ndrange_1D(large, large), block);\n"
    "    size_t sizes[2] = {4, 0}, fine[2] = {4, 4};\n"
    "    out[2] = enqueue_kernel(q, 0, ndrange_2D(fine, sizes), block);\n"
    "    out[3] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, &e, block);\n"
    "    out[4] = enqueue_kernel(q, 0, ndrange_1D(1), 0, none, &e, block);\n"
    "    out[5] = enqueue_kernel(q, 0, ndrange_1D(1), 1, none, &e, block);\n"
    "    out[6] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *a) { out[63]++; }, 0);\n"
    "    out[7] = enqueue_marker(q, 0, NULL, &e);\n"
    "    out[8] = enqueue_marker(q, 1, none, &e);\n"
    "    out[9] = enqueue_marker(CLK_NULL_QUEUE, 1, none, &e);\n"
    "    out[10] = is_valid_event(none[0]);\n"
    "    e = create_user_event();\n"
    "    out[11] = is_valid_event(e);\n"
    "    release_event(e);\n"
    "    out[12] = is_valid_event(e);\n"
    "}\n"
    "kernel void fill(global int *out, queue_t q) {\n"
    "    int error = 0, count = 0;\n"
    "    while (count < 100000 && !(error = enqueue_kernel(q, 0, ndrange_1D(1), ^{ atomic_inc(&out[2]); })))\n"
    "        count++;\n"
    "    out[0] = count;\n"
    "    out[1] = error;\n"
    "}\n"
    "kernel void events(global int *out, queue_t q) {\n"
    "    int count = 0;\n"
    "    clk_event_t e = create_user_event(), first = e;\n"
    "    while (is_valid_event(e)) {\n"
    "        count++;\n"
    "        if (count > 1) release_event(e);\n"
    "        e = create_user_event();\n"
    "    }\n"
    "    out[0] = count;\n"
    "    out[1] = enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &e, ^{ out[9] = 1; });\n"
    "    release_event(first);\n"
    "    enqueue_kernel(q, 0, ndrange_1D(1), ^{\n"
    "        clk_event_t again = create_user_event();\n"
    "        out[2] = is_valid_event(again);\n"
    "        out[3] = is_valid_event(first);\n"
    "        release_event(again);\n"
    "    });\n"
    "}\n"
    "kernel void never(global int *out, queue_t q) {\n"
    "    clk_event_t e = create_user_event(), after;\n"
    "    out[0] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &e, &after, ^{ out[1] = 1; });\n"
    "    out[0] += enqueue_kernel(q, 0, ndrange_1D(1), 1, &after, NULL, ^{ out[1] = 2; });\n"
    "    out[0] += enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[2] = 1; });\n"
    "    release_event(e);\n"
    "    release_event(after);\n"
    "}\n"
    "kernel void fails(global int *out, queue_t q) {\n"
    "    clk_event_t e = create_user_event(), marker;\n"
    "    out[0] = enqueue_marker(q, 1, &e, &marker);\n"
    "    out[0] += enqueue_kernel(q, 0, ndrange_1D(1), 1, &marker, NULL, ^{ out[1] = 1; });\n"
    "    set_user_event_status(e, -77);\n"
    "    release_event(e);\n"
    "    release_event(marker);\n"
    "}\n"
    "kernel void too_large(global int *out, queue_t q, uint bytes) {\n"
    "    clk_event_t e;\n"
    "    out[0] = enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &e, ^(local void *a) { out[1] = 1; }, bytes);\n"
    "    enqueue_kernel(q, 0, ndrange_1D(1), 1, &e, NULL, ^{ out[1] = 2; });\n"
    "    enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[2] = 1; });\n"
    "    release_event(e);\n"
    "}\n"
    "void grow(global int *out, queue_t q, int depth, int width) {\n"
    "    atomic_inc(out);\n"
    "    if (depth > 0)\n"
    "        for (int i = 0; i < width; i++)\n"
    "            if (enqueue_kernel(q, 0, ndrange_1D(1), ^{ grow(out, q, depth - 1, width); }))\n"
    "                atomic_inc(out + 1);\n"
    "}\n"
    "kernel void tree(global int *out, queue_t q, int depth, int width) { grow(out, q, depth, width); }\n"
    "struct mixed { char a; long4 b; short c[3]; };\n"
    "global int shared_count = 5;\n"
    "kernel void captures(global int *out, queue_t q, long value) {\n"
    "    struct mixed m = {3, (long4)(1, 2, 3, 4), {5, 6, 7}};\n"
    "    char16 bytes = (char16)(9);\n"
    "    bool yes = value > 2;\n"
    "    out[0] = enqueue_kernel(q, 0, ndrange_1D(4, 2), ^(local void *one, local void *two) {\n"
    "        int id = get_global_id(0);\n"
    "        local int *numbers = one;\n"
    "        local long *longs = two;\n"
    "        numbers[get_local_id(0)] = id;\n"
    "        longs[get_local_id(0)] = value;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        out[1 + id] = numbers[1 - get_local_id(0)] + 10 * (int)longs[0] + (yes ? 100 : 0) + m.a * 1000 +\n"
    "                      (int)m.b.w * 10000 + m.c[2] * 100000 + bytes.sf * 1000000;\n"
    "        if (id == 0) { shared_count++; out[8] = ((size_t)one | (size_t)two) % 128; }\n"
    "    }, 8, 16);\n"
    "}\n"
    "kernel void many(global int *from, queue_t q, global int *to) {\n"
    "    int id = get_global_id(0);\n"
    "    if (enqueue_kernel(q, 0, ndrange_1D(1), ^{ to[id] = from[id] + id + 1; })) to[id] = -1;\n"
    "}\n"
    "kernel void count(global int *out) { out[0] = shared_count; }\n"
    "kernel void sub_groups(global int *out, queue_t q) {\n"
    "    out[0] = get_kernel_work_group_size(^{ out[0] = 1; });\n"
    "    out[1] = get_kernel_preferred_work_group_size_multiple(^(local void *a) { out[0] = 1; });\n"
    "#ifdef __opencl_c_subgroups\n"
    "    ndrange_t r = ndrange_1D(64, 32);\n"
    "    out[2] = get_kernel_sub_group_count_for_ndrange(r, ^{ out[0] = 1; });\n"
    "    out[3] = get_kernel_max_sub_group_size_for_ndrange(r, ^{ out[0] = 1; });\n"
    "    enqueue_kernel(q, 0, r, ^{ if (get_global_id(0) == 0) { out[4] = get_num_sub_groups(); } });\n"
    "#endif\n"
    "}\n";

static cl_program program, detailed; /* detailed: with -g */

static cl_kernel kernel_of(cl_program of, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(of, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

enum { NUMBERS = 64 };

/* Runs the kernel as one work-item, and reads what it and its descendants left. more: further arguments. Returns the
 * status of its event. */
static cl_int run(cl_program of, const char *name, cl_command_queue q, int *out, size_t size, const void *more)
{
    memset(out, 0, NUMBERS * sizeof(out[0]));
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, NUMBERS * sizeof(out[0]), out);
    cl_kernel kernel = kernel_of(of, name);
    const size_t one = 1;
    cl_event event;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    if (q)
        OK(clSetKernelArg(kernel, 1, sizeof(q), &q));
    if (size)
        OK(clSetKernelArg(kernel, 2, size, more));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, NUMBERS * sizeof(out[0]), out, 0, NULL, NULL));
    cl_int status = event_status(event);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
    return status;
}

/* The application sees its own kernels, and no block. */
static void test_hidden(void)
{
    size_t count = 0, size = 0;
    cl_uint all = 0;
    char names[4096] = "";
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, &size));
    OK(clCreateKernelsInProgram(program, 0, NULL, &all));
    CHECK(count == 13 && all == 13 && strstr(names, "too_large") && !strstr(names, "block"));
    NO_OBJECT(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "__plain_block_invoke_0_kernel", &error));
}

static void test_arguments(cl_command_queue on_device)
{
    cl_kernel kernel = kernel_of(program, "to");
    cl_mem mem = buffer_of(0, 64, NULL);
    const size_t one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 4, &on_device));
    CODE(CL_INVALID_DEVICE_QUEUE, clSetKernelArg(kernel, 1, sizeof(queue), &queue));
    CODE(CL_INVALID_DEVICE_QUEUE, clSetKernelArg(kernel, 1, sizeof(queue), NULL));
    OK(clSetKernelArg(kernel, 1, sizeof(on_device), &on_device));
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(on_device, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
}

static void test_default(cl_command_queue on_device)
{
    int out[NUMBERS];
    CHECK(run(program, "plain", NULL, out, 0, NULL) == CL_COMPLETE && out[0] == -101 && out[1] == 0);
    CHECK(run(detailed, "plain", NULL, out, 0, NULL) == CL_COMPLETE && out[0] == -102);
    CHECK(run(program, "to", on_device, out, 0, NULL) == CL_COMPLETE && out[0] == 0 && out[1] == 8 && out[2] == 1);
    OK(clSetDefaultDeviceCommandQueue(context, device, on_device));
    CHECK(run(program, "plain", NULL, out, 0, NULL) == CL_COMPLETE && out[0] == 0 && out[1] == 7);
    CHECK(run(program, "to", on_device, out, 0, NULL) == CL_COMPLETE && out[1] == 8 && out[2] == 0);
}

/* OpenCL C 3.0, 6.15.19.1 and 6.15.19.5: CLK_ENQUEUE_FAILURE, or with -g what it was. */
static void test_errors(cl_command_queue on_device)
{
    static const int codes[] = {-102, -160, -160, -57, -57, -57, -51, -57, -57, -57};
    int out[NUMBERS];
    const cl_ulong large = 1 << 20;
    CHECK(run(detailed, "errors", on_device, out, sizeof(large), &large) == CL_COMPLETE);
    for (size_t i = 0; i < COUNT(codes); i++)
        CHECK(out[i] == codes[i]);
    CHECK(out[10] == 0 && out[11] == 1 && out[12] == 0 && out[63] == 0);
    CHECK(run(program, "errors", on_device, out, sizeof(large), &large) == CL_COMPLETE);
    for (size_t i = 0; i < COUNT(codes); i++)
        CHECK(out[i] == -101);
}

static void test_limits(cl_command_queue on_device)
{
    int out[NUMBERS];
    cl_command_queue small = device_queue(0, 4096);
    CHECK(run(program, "fill", small, out, 0, NULL) == CL_COMPLETE && out[0] > 10 && out[0] < 100);
    CHECK(out[1] == -101 && out[2] == out[0]);
    CHECK(run(detailed, "fill", small, out, 0, NULL) == CL_COMPLETE && out[1] == -161 && out[2] == out[0]);
    OK(clReleaseCommandQueue(small));
    for (int i = 0; i < 2; i++) {
        CHECK(run(detailed, "events", on_device, out, 0, NULL) == CL_COMPLETE);
        CHECK(out[0] == (int)device_uint(CL_DEVICE_MAX_ON_DEVICE_EVENTS) && out[1] == -100 && out[9] == 0);
        CHECK(out[2] == 1 && out[3] == 0);
    }
}

static void test_statuses(cl_command_queue on_device)
{
    int out[NUMBERS];
    cl_uint bytes = 1u << 30;
    CHECK(run(program, "never", on_device, out, 0, NULL) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 1);
    CHECK(run(program, "fails", on_device, out, 0, NULL) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(out[0] == 0 && out[1] == 0);
    CHECK(run(program, "too_large", on_device, out, sizeof(bytes), &bytes) < 0);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 1);
}

static void test_trees(cl_command_queue on_device)
{
    static const struct {
        int depth, width, nodes;
    } rows[] = {{0, 1, 1}, {100, 1, 101}, {3, 5, 156}, {9, 2, 1023}, {1, 300, 301}};
    cl_kernel kernel = kernel_of(program, "tree");
    cl_command_queue small = device_queue(0, 64 << 10);
    for (size_t i = 0; i < COUNT(rows); i++) {
        cl_command_queue q = rows[i].width < 100 ? small : on_device;
        int out[2] = {0, 0};
        const size_t one = 1;
        cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(out), out);
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        OK(clSetKernelArg(kernel, 1, sizeof(q), &q));
        OK(clSetKernelArg(kernel, 2, sizeof(int), &rows[i].depth));
        OK(clSetKernelArg(kernel, 3, sizeof(int), &rows[i].width));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        CHECK(out[0] == rows[i].nodes && out[1] == 0);
        OK(clReleaseMemObject(mem));
    }
    OK(clReleaseCommandQueue(small));
    OK(clReleaseKernel(kernel));
}

/* A queue of the preferred size holds 2^14 launches that capture two pointers and a number. */
static void test_many(cl_command_queue on_device)
{
    enum { MANY = 1 << 14 };
    int *out = calloc(MANY, sizeof(out[0]));
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, MANY * sizeof(out[0]), out);
    cl_mem to = buffer_of(CL_MEM_COPY_HOST_PTR, MANY * sizeof(out[0]), out);
    cl_kernel kernel = kernel_of(program, "many");
    const size_t size = MANY;
    OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    OK(clSetKernelArg(kernel, 1, sizeof(on_device), &on_device));
    OK(clSetKernelArg(kernel, 2, sizeof(to), &to));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, MANY * sizeof(out[0]), out, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < MANY; i++)
        wrong += out[i] != i + 1;
    CHECK(wrong == 0);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    free(out);
}

/* ---- several parents at once ---- */

enum { PARENTS = 20, TREE = 15 };

struct parents {
    cl_command_queue into, on_device;
    cl_mem mem[PARENTS];
};

static void *enqueue_parents(void *data)
{
    struct parents *parents = data;
    cl_kernel kernel = kernel_of(program, "tree");
    const int depth = 3, width = 2, none[2] = {0, 0};
    const size_t one = 1;
    OK(clSetKernelArg(kernel, 1, sizeof(cl_command_queue), &parents->on_device));
    OK(clSetKernelArg(kernel, 2, sizeof(depth), &depth));
    OK(clSetKernelArg(kernel, 3, sizeof(width), &width));
    for (int i = 0; i < PARENTS; i++) {
        parents->mem[i] = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(none), (void *)none);
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &parents->mem[i]));
        OK(clEnqueueNDRangeKernel(parents->into, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    }
    OK(clReleaseKernel(kernel));
    return NULL;
}

/* Parents that nobody waited for share memory in an in-order queue, and run beside each other in others. Two threads
 * enqueue them, with device queues of different sizes. */
static void test_parents(cl_command_queue on_device, cl_command_queue_properties flags)
{
    cl_int error;
    cl_command_queue into = clCreateCommandQueue(context, device, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_command_queue larger = device_queue(0, device_uint(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE));
    struct parents parents[2] = {{into, on_device, {NULL}}, {into, larger, {NULL}}};
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, enqueue_parents, &parents[1]) == 0);
    enqueue_parents(&parents[0]);
    pthread_join(thread, NULL);
    OK(clFinish(into));
    for (int i = 0; i < 2 * PARENTS; i++) {
        cl_mem mem = parents[i / PARENTS].mem[i % PARENTS];
        int out[2] = {0, 0};
        OK(clEnqueueReadBuffer(into, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        CHECK(out[0] == TREE && out[1] == 0);
        OK(clReleaseMemObject(mem));
    }
    OK(clReleaseCommandQueue(larger));
    OK(clReleaseCommandQueue(into));
}

static void test_captures(cl_command_queue on_device)
{
    int out[NUMBERS];
    const cl_long value = 7;
    CHECK(run(program, "captures", on_device, out, sizeof(value), &value) == CL_COMPLETE && out[0] == 0);
    for (int id = 0; id < 4; id++)
        CHECK(out[1 + id] == (id ^ 1) + 70 + 100 + 3000 + 40000 + 700000 + 9000000);
    CHECK(out[8] == 0);
    CHECK(run(program, "count", NULL, out, 0, NULL) == CL_COMPLETE && out[0] == 6);
    CHECK(run(program, "sub_groups", on_device, out, 0, NULL) == CL_COMPLETE);
    CHECK(out[0] >= 1 && out[1] >= 1);
    CHECK(device_uint(CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0 || (out[3] >= 1 && out[2] == out[4]));
}

/* Everything is released while the parent waits for the application. */
static void test_life(void)
{
    int out = 0;
    const size_t one = 1;
    const int depth = 3, width = 3;
    cl_event gate = user_event(), event;
    cl_command_queue q = device_queue(0, 0);
    cl_program own = build(source, "-cl-std=CL3.0");
    cl_kernel kernel = kernel_of(own, "tree");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, 2 * sizeof(out), (int[2]){0, 0});
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(q), &q));
    OK(clSetKernelArg(kernel, 2, sizeof(int), &depth));
    OK(clSetKernelArg(kernel, 3, sizeof(int), &width));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof(out), &out, 0, NULL, &event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(own));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseMemObject(mem));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &event));
    CHECK(out == 40);
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(gate));
}

/* The parent's times: it ends before its descendants are complete. */
static void test_profile(cl_command_queue on_device)
{
    cl_int error;
    cl_command_queue timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    cl_kernel kernel = kernel_of(program, "to");
    cl_mem mem = buffer_of(0, 64, NULL);
    const size_t one = 1;
    cl_ulong end = 0, complete = 0;
    cl_event event;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(on_device), &on_device));
    OK(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof(complete), &complete, NULL));
    CHECK(end > 0 && complete > end);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(timed));
}

/* A parent in a command buffer (cl_khr_command_buffer) has children each time that the buffer is enqueued. */
static void test_command_buffer(cl_command_queue on_device)
{
    typedef struct buffer_object *buffer_handle;
    buffer_handle (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *) = NULL;
    cl_int (*record)(buffer_handle, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *,
                     const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void **) = NULL;
    cl_int (*finalize)(buffer_handle) = NULL, (*release)(buffer_handle) = NULL;
    cl_int (*enqueue)(cl_uint, cl_command_queue *, buffer_handle, cl_uint, const cl_event *, cl_event *) = NULL;
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"clCreateCommandBufferKHR", &create},
                     {"clCommandNDRangeKernelKHR", &record},
                     {"clFinalizeCommandBufferKHR", &finalize},
                     {"clReleaseCommandBufferKHR", &release},
                     {"clEnqueueCommandBufferKHR", &enqueue}};
    for (size_t i = 0; i < COUNT(functions); i++) {
        void *found = clGetExtensionFunctionAddressForPlatform(platform, functions[i].name);
        memcpy(functions[i].to, &found, sizeof(found));
        if (!found)
            return;
    }
    enum { CAPABILITIES = 0x12A9, DEVICE_SIDE_ENQUEUE = 2 };
    cl_bitfield can = 0;
    int out[3] = {0};
    const size_t one = 1;
    cl_int error;
    OK(clGetDeviceInfo(device, CAPABILITIES, sizeof(can), &can, NULL));
    CHECK(can & DEVICE_SIDE_ENQUEUE);
    cl_kernel kernel = kernel_of(program, "to");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(out), out);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(on_device), &on_device));
    buffer_handle buffer = create(1, &queue, NULL, &error);
    NEED(buffer);
    OK(record(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    OK(record(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    OK(finalize(buffer));
    for (int i = 0; i < 3; i++) {
        OK(enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        CHECK(out[0] == 0 && out[1] == 16 * (i + 1));
    }
    OK(release(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
}

/* ---- a chain that never ends ---- */

static int run_away(void)
{
    static const char *chain =
        "void next(global int *out) {\n"
        "    out[0]++;\n"
        "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ next(out); });\n"
        "}\n"
        "kernel void start(global int *out) { next(out); }\n";
    cl_command_queue q = device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 0);
    cl_program of = build(chain, "-cl-std=CL2.0");
    cl_kernel kernel = kernel_of(of, "start");
    cl_mem mem = buffer_of(0, 4, NULL);
    const size_t one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(of));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    return test_result();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS_FREED 1 /* sanitizers do not give memory back that was freed */
#else
#define KEEPS_FREED 0
#endif

static long most_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

/* A chain of kernels that enqueue each other may be endless: what one of them needs is given back when it has ended,
 * though those that it has led to have not. */
static void test_chain(void)
{
    static const char *const chain =
        "void next(global int *io);\n"
        "void next(global int *io)\n"
        "{\n"
        "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
        "                   ^{ if (++io[0] < io[1]) next(io); });\n"
        "}\n"
        "kernel void first(global int *io) { next(io); }\n";
    const int links[2] = {2000, 16000};
    const size_t one = 1;
    long most[2];
    cl_int error;
    cl_program of = build(chain, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(of, "first", &error);
    OK(error);
    for (int i = 0; i < 2; i++) {
        int io[2] = {0, links[i]};
        cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(io), io);
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(io), io, 0, NULL, NULL));
        CHECK(io[0] == links[i]);
        OK(clReleaseMemObject(mem));
        most[i] = most_kib();
    }
    /* 256 bytes for each link would be more. */
    CHECK(KEEPS_FREED || most[1] - most[0] < (links[1] - links[0]) / 4);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(of));
}

int main(int argc, char **argv)
{
    open_device(0);
    if (!test_queries()) {
        printf("the device has no queues on the device\n");
        return test_failures ? 1 : TEST_SKIPPED;
    }
    if (argc > 1 && !strcmp(argv[1], "runaway"))
        return run_away();
    test_creation();
    test_queue_info();
    test_host_commands();
    program = build(source, "-cl-std=CL3.0");
    detailed = build(source, "-cl-std=CL3.0 -g");
    cl_command_queue on_device = device_queue(CL_QUEUE_PROFILING_ENABLE, 0);
    test_hidden();
    test_arguments(on_device);
    test_default(on_device);
    test_errors(on_device);
    test_limits(on_device);
    test_statuses(on_device);
    test_trees(on_device);
    test_many(on_device);
    test_chain();
    test_parents(on_device, 0);
    test_parents(on_device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    test_captures(on_device);
    test_life();
    test_profile(on_device);
    test_command_buffer(on_device);
    OK(clReleaseCommandQueue(on_device));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(detailed));
    return close_device();
}
