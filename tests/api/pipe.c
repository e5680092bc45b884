/* OpenCL 3.0 API, 5.4: pipes. What they are made of and refused for, what the host may do with them (nothing but to
 * hand them to kernels), and packets that go from command to command: in order without events, over queues with
 * events, while the application has let go of the pipe, and recorded in a command buffer. */
#include "api_test.h"

static bool has_pipes;

static const char *source = "kernel void put(write_only pipe uint p, uint first, global int *failed) {\n"
                            "    uint value = first + get_global_id(0);\n"
                            "    if (write_pipe(p, &value)) atomic_inc(failed);\n"
                            "}\n"
                            "kernel void get(read_only pipe uint p, global uint *out, global int *failed) {\n"
                            "    uint value;\n"
                            "    if (read_pipe(p, &value)) atomic_inc(failed); else atomic_inc(&out[value]);\n"
                            "}\n"
                            "kernel void state(read_only pipe uint p, global uint *out) {\n"
                            "    out[0] = get_pipe_num_packets(p);\n"
                            "    out[1] = get_pipe_max_packets(p);\n"
                            "}\n"
                            "kernel void wide(read_only pipe uint4 p, global int *out) {\n"
                            "    uint4 value = 7;\n"
                            "    reserve_id_t ids[3] = {CLK_NULL_RESERVE_ID}, *id = &ids[out[2]];\n"
                            "    *id = reserve_read_pipe(p, 1);\n"
                            "    out[0] = read_pipe(p, &value);\n"
                            "    out[1] = is_valid_reserve_id(*id) ? read_pipe(p, ids[out[2]], 0, &value) : 1;\n"
                            "    if (is_valid_reserve_id(ids[out[2]])) commit_read_pipe(p, ids[out[2]]);\n"
                            "    out[2] = value.x == 7 && value.w == 7;\n"
                            "}\n"
                            "kernel void unused(read_only pipe uint p, global int *out) { out[0] = 5; }\n";

static cl_program program;

static cl_mem pipe_of(cl_uint packet_size, cl_uint max_packets)
{
    cl_int error;
    cl_mem pipe = clCreatePipe(context, 0, packet_size, max_packets, NULL, &error);
    NEED(error == CL_SUCCESS);
    return pipe;
}

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

static cl_uint device_uint(cl_device_info name)
{
    cl_uint value = 12345;
    OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
    return value;
}

/* OpenCL 3.0 API, table 5: the minima, where pipes are supported, and else 0. */
static void test_device_queries(void)
{
    cl_bool generic = CL_FALSE;
    has_pipes = device_uint(CL_DEVICE_PIPE_SUPPORT);
    CHECK(!has_pipes || device_uint(CL_DEVICE_MAX_PIPE_ARGS) >= 16);
    CHECK(!has_pipes || device_uint(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
    CHECK(!has_pipes || device_uint(CL_DEVICE_PIPE_MAX_PACKET_SIZE) >= 1024);
    CHECK(has_pipes || device_uint(CL_DEVICE_MAX_PIPE_ARGS) == 0);
    CHECK(has_pipes || device_uint(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) == 0);
    CHECK(has_pipes || device_uint(CL_DEVICE_PIPE_MAX_PACKET_SIZE) == 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof(generic), &generic, NULL));
    CHECK(!has_pipes || generic);
    cl_name_version features[128];
    size_t size = 0;
    bool listed = false;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features, &size));
    for (size_t i = 0; i < size / sizeof(features[0]); i++)
        listed |= strcmp(features[i].name, "__opencl_c_pipes") == 0;
    CHECK(listed == has_pipes);
}

static void test_creation(void)
{
    const cl_pipe_properties none[] = {0};
    cl_uint largest = device_uint(CL_DEVICE_PIPE_MAX_PACKET_SIZE);
    NO_OBJECT(CL_INVALID_CONTEXT, clCreatePipe(NULL, 0, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, clCreatePipe((cl_context)queue, 0, 4, 4, NULL, &error));
    if (!has_pipes) {
        NO_OBJECT(CL_INVALID_OPERATION, clCreatePipe(context, 0, 4, 4, NULL, &error));
        return;
    }
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_WRITE_ONLY, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_HOST_READ_ONLY, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_ALLOC_HOST_PTR, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, (cl_mem_flags)1 << 40, 4, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreatePipe(context, 0, 4, 4, none, &error));
    NO_OBJECT(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 0, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 4, 0, NULL, &error));
    NO_OBJECT(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, largest + 1, 4, NULL, &error));
    NO_OBJECT(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, UINT32_MAX, 4, NULL, &error));
    NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreatePipe(context, 0, 1, UINT32_MAX, NULL, &error));
    NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreatePipe(context, 0, largest, UINT32_MAX, NULL, &error));
    CHECK(clCreatePipe(context, 0, 0, 0, NULL, NULL) == NULL);
    static const cl_mem_flags allowed[] = {0, CL_MEM_READ_WRITE, CL_MEM_HOST_NO_ACCESS,
                                           CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS};
    for (size_t i = 0; i < COUNT(allowed); i++) {
        cl_int error;
        cl_mem pipe = clCreatePipe(context, allowed[i], largest, 1, NULL, &error);
        NEED(error == CL_SUCCESS);
        cl_mem_flags flags = 0;
        OK(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
        CHECK(flags == (allowed[i] ? allowed[i] | CL_MEM_READ_WRITE : CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
        OK(clReleaseMemObject(pipe));
    }
}

static void test_queries(void)
{
    cl_mem pipe = pipe_of(12, 100), buffer = buffer_of(0, 64, NULL), parent = pipe;
    cl_uint value = 0;
    size_t size = 0, bytes = 0, offset = 1;
    void *host = &value;
    cl_mem_object_type type = 0;
    cl_context its_context = NULL;
    OK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof(value), &value, &size));
    CHECK(value == 12 && size == sizeof(value));
    OK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof(value), &value, NULL));
    CHECK(value == 100);
    OK(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    CHECK(size == 0);
    CODE(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 1, &value, NULL));
    CODE(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof(value), &value, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof(value), &value, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof(value), &value, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetPipeInfo((cl_mem)queue, CL_PIPE_PACKET_SIZE, sizeof(value), &value, NULL));

    OK(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_MEM_OBJECT_PIPE);
    OK(clGetMemObjectInfo(pipe, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK(bytes >= 1200);
    OK(clGetMemObjectInfo(pipe, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
    CHECK(host == NULL);
    OK(clGetMemObjectInfo(pipe, CL_MEM_CONTEXT, sizeof(its_context), &its_context, NULL));
    CHECK(its_context == context);
    OK(clGetMemObjectInfo(pipe, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    OK(clGetMemObjectInfo(pipe, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    CHECK(parent == NULL && offset == 0);
    OK(clRetainMemObject(pipe));
    OK(clGetMemObjectInfo(pipe, CL_MEM_REFERENCE_COUNT, sizeof(value), &value, NULL));
    CHECK(value == 2);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(buffer));
}

/* OpenCL 3.0 API, 5.4: pipe objects are not accessible from the host, nor are they buffers or images. */
static void test_no_host_access(void)
{
    cl_mem pipe = pipe_of(4, 1000), buffer = buffer_of(0, 1024, NULL);
    const cl_buffer_region region = {0, 128};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = pipe};
    size_t at[3] = {0}, size[3] = {4, 1, 1};
    int data[4] = {0};
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, pipe, buffer, 0, 0, 4, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, buffer, pipe, 0, 0, 4, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, pipe, data, 4, 0, 4, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT,
         clEnqueueReadBufferRect(queue, pipe, CL_TRUE, at, at, size, 0, 0, 0, 0, data, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, pipe, CL_TRUE, at, size, 0, 0, data, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetImageInfo(pipe, CL_IMAGE_WIDTH, sizeof(at), at, NULL));
    NO_OBJECT(CL_INVALID_MEM_OBJECT,
              clEnqueueMapBuffer(queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    CHECK(clCreateImage(context, 0, &format, &desc, NULL, NULL) == NULL);
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(queue, pipe, data, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(queue, 1, &pipe, 0, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(queue, 1, &pipe, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(buffer));
}

static void test_arguments(void)
{
    cl_kernel get = kernel_of("get");
    cl_mem pipe = pipe_of(4, 16), buffer = buffer_of(0, 64, NULL), none = NULL;
    cl_kernel_arg_type_qualifier qualifier = 0;
    size_t one = 1;
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(get, 0, sizeof(cl_mem), &buffer));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(get, 0, sizeof(cl_mem), &none));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(get, 0, sizeof(cl_mem), NULL));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(get, 0, 4, &pipe));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(get, 1, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(get, 1, sizeof(cl_mem), &buffer));
    OK(clSetKernelArg(get, 2, sizeof(cl_mem), &buffer));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, get, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(get, 0, sizeof(cl_mem), &pipe));
    OK(clGetKernelArgInfo(get, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier, NULL));
    CHECK(qualifier == CL_KERNEL_ARG_TYPE_PIPE);
    OK(clReleaseMemObject(pipe));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, get, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(get));
}

static void put(cl_command_queue to, cl_mem pipe, cl_uint first, size_t count, cl_mem failed, const cl_event *wait,
                cl_event *event)
{
    cl_kernel kernel = kernel_of("put");
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(kernel, 1, sizeof(first), &first));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &failed));
    OK(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &count, NULL, wait ? 1 : 0, wait, event));
    OK(clReleaseKernel(kernel));
}

static void get(cl_command_queue from, cl_mem pipe, size_t count, cl_mem out, cl_mem failed, const cl_event *wait,
                cl_event *event)
{
    cl_kernel kernel = kernel_of("get");
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &failed));
    OK(clEnqueueNDRangeKernel(from, kernel, 1, NULL, &count, NULL, wait ? 1 : 0, wait, event));
    OK(clReleaseKernel(kernel));
}

static void expect_state(cl_mem pipe, cl_uint packets, cl_uint most)
{
    cl_kernel kernel = kernel_of("state");
    cl_mem out = buffer_of(0, 8, NULL);
    size_t one = 1;
    cl_uint values[2] = {77, 77};
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    CHECK(values[0] == packets && values[1] == most);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
}

enum { PACKETS = 1000, ROUNDS = 8 };

/* Each number below count was seen once, and failed calls were counted. */
static void expect_all(cl_command_queue from, cl_mem out, int count, cl_mem failed, int failures)
{
    static cl_uint seen[PACKETS * ROUNDS];
    int bad = 0, failed_calls = 0;
    OK(clEnqueueReadBuffer(from, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(from, failed, CL_TRUE, 0, sizeof(failed_calls), &failed_calls, 0, NULL, NULL));
    for (int i = 0; i < PACKETS * ROUNDS; i++)
        bad += seen[i] != (i < count);
    CHECK(bad == 0);
    CHECK(failed_calls == failures);
}

static cl_mem zeroed(size_t size)
{
    const cl_uint zero = 0;
    cl_mem buffer = buffer_of(0, size, NULL);
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, size, 0, NULL, NULL));
    OK(clFinish(queue));
    return buffer;
}

/* An in-order queue orders them by itself; a full and an empty pipe fail. 1000 is no power of two, and the positions
 * go round the ring several times. */
static void test_in_order(void)
{
    cl_mem pipe = pipe_of(4, PACKETS), out = zeroed(PACKETS * ROUNDS * 4), failed = zeroed(4);
    for (cl_uint i = 0; i < ROUNDS; i++) {
        put(queue, pipe, i * PACKETS, PACKETS, failed, NULL, NULL);
        if (i == 2)
            put(queue, pipe, 0, 10, failed, NULL, NULL); /* full */
        get(queue, pipe, PACKETS, out, failed, NULL, NULL);
        if (i == 3)
            get(queue, pipe, 20, out, failed, NULL, NULL); /* empty */
    }
    expect_all(queue, out, PACKETS * ROUNDS, failed, 30);
    expect_state(pipe, 0, PACKETS);
    put(queue, pipe, 0, 7, failed, NULL, NULL);
    expect_state(pipe, 7, PACKETS);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(failed));
}

/* Over two queues, the second out of order; held back by a user event while the application releases the pipe. */
static void test_queues(void)
{
    cl_int error;
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    cl_mem pipe = pipe_of(4, PACKETS), out = zeroed(PACKETS * ROUNDS * 4), failed = zeroed(4);
    cl_event gate = user_event(), written[ROUNDS], read[ROUNDS];
    for (cl_uint i = 0; i < ROUNDS; i++) {
        put(queue, pipe, i * PACKETS, PACKETS, failed, i ? &read[i - 1] : &gate, &written[i]);
        get(other, pipe, PACKETS, out, failed, &written[i], &read[i]);
        OK(clFlush(queue));
        OK(clFlush(other));
    }
    OK(clReleaseMemObject(pipe));
    CHECK(event_status(read[ROUNDS - 1]) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &read[ROUNDS - 1]));
    expect_all(queue, out, PACKETS * ROUNDS, failed, 0);
    for (int i = 0; i < ROUNDS; i++) {
        OK(clReleaseEvent(written[i]));
        OK(clReleaseEvent(read[i]));
    }
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(failed));
    OK(clReleaseCommandQueue(other));
}

/* A kernel whose packets are larger than the pipe's: nothing is read, least of all beyond the pipe. */
static void test_wrong_size(void)
{
    cl_mem pipe = pipe_of(4, 8), out = zeroed(12), failed = zeroed(4);
    cl_kernel wide = kernel_of("wide"), unused = kernel_of("unused");
    size_t one = 1;
    int values[3] = {0};
    put(queue, pipe, 0, 8, failed, NULL, NULL);
    OK(clSetKernelArg(wide, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(wide, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(queue, wide, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    CHECK(values[0] < 0 && values[1] < 0 && values[2]);
    OK(clSetKernelArg(unused, 0, sizeof(cl_mem), &pipe));
    OK(clSetKernelArg(unused, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(queue, unused, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    CHECK(values[0] == 5);
    OK(clReleaseKernel(wide));
    OK(clReleaseKernel(unused));
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(failed));
}

/* The largest packets there are, and a pipe of one packet. */
static void test_sizes(void)
{
    static const cl_uint sizes[] = {1, 2, 3, 5, 12, 16, 100, 1024, 4096};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char options[64];
        cl_int error, wrong = -1;
        cl_mem pipe = pipe_of(sizes[i], 1), out = buffer_of(0, 4, NULL);
        size_t one = 1;
        snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSIZE=%u", sizes[i]);
        cl_program with_size =
            build("typedef struct { uchar bytes[SIZE]; } packet;\n"
                  "kernel void put(write_only pipe packet p, global int *wrong) {\n"
                  "    packet a;\n"
                  "    for (int i = 0; i < SIZE; i++) a.bytes[i] = (uchar)(i * 7 + SIZE);\n"
                  "    *wrong = write_pipe(p, &a) != 0 || write_pipe(p, &a) == 0;\n"
                  "}\n"
                  "kernel void get(read_only pipe packet p, global int *wrong) {\n"
                  "    packet a;\n"
                  "    *wrong += read_pipe(p, &a) != 0;\n"
                  "    for (int i = 0; i < SIZE; i++) *wrong += a.bytes[i] != (uchar)(i * 7 + SIZE);\n"
                  "}\n",
                  options);
        for (int k = 0; k < 2; k++) {
            cl_kernel kernel = clCreateKernel(with_size, k ? "get" : "put", &error);
            NEED(error == CL_SUCCESS);
            OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &pipe));
            OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            OK(clReleaseKernel(kernel));
        }
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &wrong, 0, NULL, NULL));
        CHECK(wrong == 0);
        OK(clReleaseProgram(with_size));
        OK(clReleaseMemObject(pipe));
        OK(clReleaseMemObject(out));
    }
}

int main(void)
{
    open_device(0);
    test_device_queries();
    test_creation();
    if (!has_pipes) {
        printf("no pipes on this device: only their absence was tested\n");
        return close_device();
    }
    program = build(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    test_queries();
    test_no_host_access();
    test_arguments();
    test_in_order();
    test_queues();
    test_wrong_size();
    test_sizes();
    OK(clReleaseProgram(program));
    return close_device();
}
