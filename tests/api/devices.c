/* OpenCL 3.0 API, 3.3.1 and 5.2: one context over several devices. Buffers follow the commands from device
 * to device, with events as the only order, behind user events too.
 *
 * usage: api_devices [twins [LIBRARY]]
 *
 * Without an argument the program takes the devices that there are, and is skipped where there is one. With "twins" it
 * runs under tests/support/twins.c, which offers each Vulkan device twice: one device is then a failure. The library is
 * that layer's: then its devices share memory (PUMICE_TEST_TWINS_EXPORT), and large buffers must go from one to the other by
 * that. */
#include "api_test.h"

#include <dlfcn.h>

#define SIZE 4096

static cl_device_id devices[8];
static cl_command_queue queues[8];
static cl_uint num_devices;

static const char *source =
    "kernel void step(global int *data, int k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n"
    "kernel void sum(global const int *a, global const int *b, global int *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = a[i] + b[i];\n"
    "}\n";

static void open_all(bool twins)
{
    cl_int error;
    find_device();
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT(devices), devices, &num_devices));
    num_devices = num_devices < COUNT(devices) ? num_devices : (cl_uint)COUNT(devices);
    NEED(num_devices >= 2 || !twins);
    if (num_devices < 2)
        exit(77);
    context = clCreateContext(NULL, num_devices, devices, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (cl_uint i = 0; i < num_devices; i++) {
        queues[i] =
            clCreateCommandQueue(context, devices[i], i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
        NEED(error == CL_SUCCESS);
    }
}

/* The buffer goes round the devices; each step waits for the one before by an event. */
static void test_rounds(cl_kernel kernel, cl_mem mem, int *expected, bool gated)
{
    enum { STEPS = 24 };
    cl_event done[STEPS] = {0}, gate = user_event();
    size_t count = SIZE / 4;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    for (int k = 0; k < STEPS; k++) {
        OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
        const cl_event *wait = k ? &done[k - 1] : &gate;
        OK(clEnqueueNDRangeKernel(queues[(cl_uint)k % num_devices], kernel, 1, NULL, &count, NULL, k || gated ? 1 : 0,
                                  k || gated ? wait : NULL, &done[k]));
        for (size_t i = 0; i < count; i++)
            expected[i] = (int)((unsigned)expected[i] * 3 + (unsigned)k);
    }
    if (gated)
        CHECK(event_status(done[STEPS - 1]) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(STEPS, done));
    int back[SIZE / 4];
    for (cl_uint d = 0; d < num_devices; d++) {
        memset(back, 0, sizeof(back));
        OK(clEnqueueReadBuffer(queues[d], mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        CHECK(memcmp(back, expected, SIZE) == 0);
    }
    for (int k = 0; k < STEPS; k++)
        clReleaseEvent(done[k]);
    clReleaseEvent(gate);
}

static void test_maps(cl_mem mem, int *expected)
{
    cl_int error;
    for (cl_uint d = 0; d < num_devices; d++) {
        int *map =
            clEnqueueMapBuffer(queues[d], mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &error);
        OK(error);
        NEED(map);
        CHECK(memcmp(map, expected + 16, 64) == 0);
        map[3] = expected[19] = (int)d * 1000;
        OK(clEnqueueUnmapMemObject(queues[d], mem, map, 0, NULL, NULL));
        OK(clFinish(queues[d]));
    }
    OK(clEnqueueMigrateMemObjects(queues[0], 1, &mem, 0, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    int back[SIZE / 4];
    OK(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
    CHECK(memcmp(back, expected, SIZE) == 0);
    /* What was undefined on the way is whatever the device then writes, and no other device's. */
    for (cl_uint d = 0; d < num_devices; d++) {
        OK(clEnqueueMigrateMemObjects(queues[d], 1, &mem, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
        for (int i = 0; i < SIZE / 4; i++)
            expected[i] = (int)d + i;
        OK(clEnqueueWriteBuffer(queues[d], mem, CL_TRUE, 0, SIZE, expected, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queues[(d + 1) % num_devices], mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        CHECK(memcmp(back, expected, SIZE) == 0);
    }
}

/* A command waits for one of another device while that one runs, and has no memory in common with it. */
static void test_strangers(void)
{
    const char *text = "kernel void slow(global uint *out, uint rounds) {\n"
                       "    uint x = get_global_id(0);\n"
                       "    for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;\n"
                       "    out[get_global_id(0)] = x;\n"
                       "}\n";
    cl_program program = build(text, "");
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "slow", &error);
    OK(error);
    cl_mem mems[2] = {buffer_of(0, SIZE, NULL), buffer_of(0, SIZE, NULL)};
    const size_t count = SIZE / 4;
    for (cl_uint round = 0; round < 4; round++) {
        cl_event first, second;
        for (cl_uint d = 0; d < 2; d++) {
            const cl_uint rounds = d ? 1 : 200000;
            OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &mems[d]));
            OK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
            OK(clEnqueueNDRangeKernel(queues[d], kernel, 1, NULL, &count, NULL, d, d ? &first : NULL,
                                      d ? &second : &first));
            if (round % 2)
                OK(clFlush(queues[d]));
        }
        OK(clWaitForEvents(1, &second));
        CHECK(event_status(first) == CL_COMPLETE);
        clReleaseEvent(first);
        clReleaseEvent(second);
    }
    for (int d = 0; d < 2; d++)
        clReleaseMemObject(mems[d]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* More bytes than one command moves, all different, go round the devices while nothing has run yet. */
static void test_large(void)
{
    enum { LARGE = (9 << 20) + 12 };
    uint32_t *bytes = malloc(LARGE), *back = malloc(LARGE), *expected = malloc(LARGE);
    NEED(bytes && back && expected);
    for (uint32_t i = 0; i < LARGE / 4; i++)
        expected[i] = bytes[i] = i * 2654435761u;
    cl_mem mem = buffer_of(0, LARGE, NULL);
    cl_event gate = user_event(), done = gate;
    const cl_uint word = 5;
    OK(clEnqueueWriteBuffer(queues[0], mem, CL_FALSE, 0, LARGE, bytes, 1, &gate, &done));
    for (cl_uint d = 1; d <= num_devices; d++) {
        cl_event next;
        OK(clEnqueueFillBuffer(queues[d % num_devices], mem, &word, 4, (size_t)d << 20, 8, 1, &done, &next));
        expected[(d << 20) / 4] = expected[(d << 20) / 4 + 1] = word;
        clReleaseEvent(done);
        done = next;
    }
    CHECK(event_status(done) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(queues[1], mem, CL_TRUE, 0, LARGE, back, 1, &done, NULL));
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseMemObject(mem);
    int wrong = 0;
    for (uint32_t i = 0; i < LARGE / 4; i++)
        wrong += back[i] != expected[i];
    CHECK(wrong == 0);
    free(bytes);
    free(back);
    free(expected);
}

/* A device whose queue is held up still lets others read what it has been asked to read, too. */
static void test_held_reader(void)
{
    enum { LARGE = 4 << 20 };
    cl_mem mem = buffer_of(0, LARGE, NULL), copy = buffer_of(0, LARGE, NULL);
    uint8_t *bytes = malloc(LARGE);
    NEED(bytes);
    cl_event gate = user_event(), copied;
    const cl_uchar value = 9;
    OK(clEnqueueFillBuffer(queues[0], mem, &value, 1, 0, LARGE, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    OK(clEnqueueBarrierWithWaitList(queues[1], 1, &gate, NULL));
    OK(clEnqueueCopyBuffer(queues[1], mem, copy, 0, 0, LARGE, 0, NULL, &copied));
    memset(bytes, 0, LARGE);
    OK(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, LARGE, bytes, 0, NULL, NULL)); /* the gate is still shut */
    CHECK(bytes[0] == value && memcmp(bytes, bytes + 1, LARGE - 1) == 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    memset(bytes, 0, LARGE);
    OK(clEnqueueReadBuffer(queues[1], copy, CL_TRUE, 0, LARGE, bytes, 1, &copied, NULL));
    CHECK(bytes[0] == value && memcmp(bytes, bytes + 1, LARGE - 1) == 0);
    clReleaseEvent(gate);
    clReleaseEvent(copied);
    clReleaseMemObject(mem);
    clReleaseMemObject(copy);
    free(bytes);
}

/* Two queues of one device read what another device wrote: the second must wait for the transfer, too, that the first
 * one set going. */
static void test_second_reader(void)
{
    enum { LARGE = 16 << 20, ROUNDS = 8 };
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, devices[1], 0, &error);
    NEED(error == CL_SUCCESS);
    uint8_t *bytes = calloc(3, LARGE);
    NEED(bytes);
    for (int round = 1; round <= ROUNDS; round++) {
        cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, LARGE, bytes + 2 * LARGE);
        cl_event gate = user_event(), written, read[2];
        const cl_uchar value = (cl_uchar)round;
        OK(clEnqueueFillBuffer(queues[0], mem, &value, 1, 0, LARGE, 1, &gate, &written));
        OK(clEnqueueReadBuffer(queues[1], mem, CL_FALSE, 0, LARGE, bytes, 1, &written, &read[0]));
        OK(clEnqueueReadBuffer(second, mem, CL_FALSE, 0, LARGE, bytes + LARGE, 1, &written, &read[1]));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(2, read));
        int wrong = 0;
        for (size_t i = 0; i < 2 * LARGE; i++)
            wrong += bytes[i] != value;
        CHECK(wrong == 0);
        clReleaseEvent(gate);
        clReleaseEvent(written);
        clReleaseEvent(read[0]);
        clReleaseEvent(read[1]);
        clReleaseMemObject(mem);
    }
    free(bytes);
    OK(clReleaseCommandQueue(second));
}

/* A program for the second device alone: everything made ahead for its kernels is made there. */
static void test_other_device(void)
{
    const char *text = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(global int *o) { "
                       "o[get_global_id(0)] = get_local_id(0); }";
    cl_program program = build(text, "");
    size_t sizes[8] = {0}, size = 64;
    unsigned char *binaries[8] = {0};
    cl_int error, back[64] = {0};
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL));
    for (cl_uint i = 0; i < num_devices; i++)
        NEED(binaries[i] = malloc(sizes[i]));
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL));
    OK(clReleaseProgram(program));
    program = clCreateProgramWithBinary(context, 1, &devices[1], &sizes[1], (const unsigned char **)&binaries[1], NULL,
                                        &error);
    OK(error);
    OK(clBuildProgram(program, 1, &devices[1], "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_mem mem = buffer_of(0, sizeof(back), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CODE(CL_INVALID_PROGRAM_EXECUTABLE, clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    OK(clEnqueueReadBuffer(queues[1], mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    CHECK(back[63] == 63);
    for (cl_uint i = 0; i < num_devices; i++)
        free(binaries[i]);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Each device has its number, its name and, with twins, a UUID of its own. */
static void test_identity(void)
{
    cl_uint count = 0;
    OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
    CHECK(count == num_devices);
    for (cl_uint a = 0; a < num_devices; a++) {
        cl_device_id of_queue;
        cl_uchar uuid[2][CL_UUID_SIZE_KHR];
        OK(clGetCommandQueueInfo(queues[a], CL_QUEUE_DEVICE, sizeof(of_queue), &of_queue, NULL));
        CHECK(of_queue == devices[a]);
        OK(clGetDeviceInfo(devices[a], CL_DEVICE_UUID_KHR, sizeof(uuid[0]), uuid[0], NULL));
        for (cl_uint b = 0; b < a; b++) {
            CHECK(devices[a] != devices[b]);
            OK(clGetDeviceInfo(devices[b], CL_DEVICE_UUID_KHR, sizeof(uuid[1]), uuid[1], NULL));
            CHECK(memcmp(uuid[0], uuid[1], sizeof(uuid[0])) != 0);
        }
    }
}

/* A program built for one device has no kernel for another one. */
static void test_one_built(void)
{
    cl_int error;
    size_t one = 1;
    cl_mem mem = buffer_of(0, 64, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, 1, &devices[1], "", NULL, NULL));
    cl_build_status status[2] = {12345, 12345};
    for (int i = 0; i < 2; i++)
        OK(clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof(status[i]), &status[i], NULL));
    CHECK(status[0] == CL_BUILD_NONE && status[1] == CL_BUILD_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    NEED(kernel);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(error), &error));
    CODE(CL_INVALID_PROGRAM_EXECUTABLE, clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(mem);
}

/* Every device works on a buffer of its own behind one user event; then each in turn adds up what two of them have. */
static void test_side_by_side(cl_program program)
{
    cl_int error, *values = malloc(SIZE);
    cl_mem own[COUNT(devices)], total = buffer_of(0, SIZE, NULL);
    cl_event done[COUNT(devices)], gate = user_event();
    size_t count = SIZE / 4;
    cl_kernel step = clCreateKernel(program, "step", NULL), sum = clCreateKernel(program, "sum", &error);
    NEED(step && sum && values);
    for (cl_int d = 0; d < (cl_int)num_devices; d++) {
        for (size_t i = 0; i < count; i++)
            values[i] = (int)i + 7 * d;
        own[d] = buffer_of(CL_MEM_COPY_HOST_PTR, SIZE, values);
        OK(clSetKernelArg(step, 0, sizeof(own[d]), &own[d]));
        OK(clSetKernelArg(step, 1, sizeof(d), &d));
        OK(clEnqueueNDRangeKernel(queues[d], step, 1, NULL, &count, NULL, 1, &gate, &done[d]));
        OK(clFlush(queues[d]));
        CHECK(event_status(done[d]) > CL_COMPLETE);
    }
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (cl_uint d = 0; d < num_devices; d++) {
        cl_uint other = (d + 1) % num_devices;
        OK(clSetKernelArg(sum, 0, sizeof(cl_mem), &own[d]));
        OK(clSetKernelArg(sum, 1, sizeof(cl_mem), &own[other]));
        OK(clSetKernelArg(sum, 2, sizeof(total), &total));
        cl_event summed;
        OK(clEnqueueNDRangeKernel(queues[d], sum, 1, NULL, &count, NULL, num_devices, done, &summed));
        OK(clFlush(queues[d]));
        OK(clEnqueueReadBuffer(queues[other], total, CL_TRUE, 0, SIZE, values, 1, &summed, NULL));
        bool same = true;
        for (int i = 0; i < (int)count; i++)
            same &= values[i] == (i + 7 * (int)d) * 3 + (int)d + (i + 7 * (int)other) * 3 + (int)other;
        CHECK(same);
        clReleaseEvent(summed);
    }
    for (cl_uint d = 0; d < num_devices; d++) {
        clReleaseEvent(done[d]);
        clReleaseMemObject(own[d]);
    }
    clReleaseEvent(gate);
    clReleaseMemObject(total);
    clReleaseKernel(step);
    clReleaseKernel(sum);
    free(values);
}

/* A part of a buffer is copied on one device from what another one wrote, and the whole is read by a third or the
 * first. */
static void test_copies(void)
{
    cl_int error;
    static const cl_int pattern = 0x1234567;
    int back[SIZE / 4];
    cl_mem from = buffer_of(0, SIZE, NULL), to = buffer_of(0, SIZE, NULL);
    const cl_buffer_region half = {SIZE / 2, SIZE / 2};
    cl_mem part = clCreateSubBuffer(to, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    OK(error);
    for (cl_uint d = 0; d < num_devices; d++) {
        cl_int value = pattern + (cl_int)d, zero = 0;
        cl_uint second = (d + 1) % num_devices, third = (d + 2) % num_devices;
        cl_event filled, copied;
        OK(clEnqueueFillBuffer(queues[second], to, &zero, 4, 0, SIZE, 0, NULL, NULL));
        OK(clFinish(queues[second]));
        OK(clEnqueueFillBuffer(queues[d], from, &value, 4, 0, SIZE, 0, NULL, &filled));
        OK(clFlush(queues[d]));
        OK(clEnqueueCopyBuffer(queues[second], from, part, 64, 128, 256, 1, &filled, &copied));
        OK(clFlush(queues[second]));
        OK(clEnqueueReadBuffer(queues[third], to, CL_TRUE, 0, SIZE, back, 1, &copied, NULL));
        bool same = true;
        for (int i = 0; i < SIZE / 4; i++)
            same &= back[i] == (i * 4 >= SIZE / 2 + 128 && i * 4 < SIZE / 2 + 128 + 256 ? value : 0);
        CHECK(same);
        clReleaseEvent(filled);
        clReleaseEvent(copied);
    }
    clReleaseMemObject(part);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

/* A pipe goes round the devices: each takes what the one before put in, and puts in one packet more. */
static void test_pipe(void)
{
    enum { ROUNDS = 12 };
    const char *text = "kernel void pass(read_only pipe int from, write_only pipe int to, global int *log, int k) {\n"
                       "    int value = 0;\n"
                       "    log[k] = 0;\n"
                       "    while (read_pipe(from, &value) == 0) { log[k] += value; write_pipe(to, &value); }\n"
                       "    value = k;\n"
                       "    write_pipe(to, &value);\n"
                       "}\n";
    cl_int error, log[ROUNDS];
    cl_event done[ROUNDS];
    size_t one = 1;
    for (cl_uint d = 0; d < num_devices; d++) {
        cl_bool has_pipes = CL_FALSE;
        OK(clGetDeviceInfo(devices[d], CL_DEVICE_PIPE_SUPPORT, sizeof(has_pipes), &has_pipes, NULL));
        if (!has_pipes)
            return;
    }
    cl_program program = build(text, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "pass", &error);
    cl_mem pipes[2] = {clCreatePipe(context, 0, 4, 16, NULL, NULL), clCreatePipe(context, 0, 4, 16, NULL, NULL)};
    cl_mem log_buffer = buffer_of(0, sizeof(log), NULL);
    NEED(kernel && pipes[0] && pipes[1]);
    for (int k = 0; k < ROUNDS; k++) {
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &pipes[k % 2]));
        OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &pipes[(k + 1) % 2]));
        OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &log_buffer));
        OK(clSetKernelArg(kernel, 3, sizeof(k), &k));
        OK(clEnqueueNDRangeKernel(queues[(cl_uint)k % num_devices], kernel, 1, NULL, &one, NULL, k ? 1 : 0,
                                  k ? &done[k - 1] : NULL, &done[k]));
        OK(clFlush(queues[(cl_uint)k % num_devices]));
    }
    OK(clReleaseMemObject(pipes[0]));
    OK(clReleaseMemObject(pipes[1]));
    OK(clEnqueueReadBuffer(queues[0], log_buffer, CL_TRUE, 0, sizeof(log), log, 1, &done[ROUNDS - 1], NULL));
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(log[k] == k * (k - 1) / 2);
        OK(clReleaseEvent(done[k]));
    }
    OK(clReleaseMemObject(log_buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* How often a device's memory was given to another one. */
static unsigned num_exports(const char *library)
{
    void *layer = dlopen(library, RTLD_NOLOAD | RTLD_NOW);
    NEED(layer);
    unsigned (*count)(void) = (unsigned (*)(void))dlsym(layer, "twins_num_exports");
    NEED(count);
    unsigned number = count();
    dlclose(layer);
    return number;
}

int main(int argc, char **argv)
{
    open_all(argc > 1 && !strcmp(argv[1], "twins"));
    test_identity();
    test_one_built();
    cl_program program = build(source, "");
    cl_kernel kernel = clCreateKernel(program, "step", NULL);
    NEED(kernel);
    cl_mem_flags flags[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (size_t f = 0; f < COUNT(flags); f++) {
        static int host[SIZE / 4] __attribute__((aligned(4096)));
        int expected[SIZE / 4];
        for (int i = 0; i < SIZE / 4; i++)
            host[i] = expected[i] = i;
        cl_mem mem = buffer_of(flags[f], SIZE, host);
        test_rounds(kernel, mem, expected, false);
        test_rounds(kernel, mem, expected, true);
        test_maps(mem, expected);
        clReleaseMemObject(mem);
    }
    test_side_by_side(program);
    test_copies();
    test_pipe();
    test_strangers();
    unsigned exports = argc > 2 ? num_exports(argv[2]) : 0;
    bool shares = exports > 0; /* the devices were tried: not where the driver shares nothing */
    char extensions[8192];
    OK(clGetDeviceInfo(devices[0], CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    CHECK(argc <= 2 || shares || !strstr(extensions, "cl_arm_import_memory_dma_buf"));
    test_large();
    if (shares) {
        CHECK(num_exports(argv[2]) >= exports + num_devices);
        exports = num_exports(argv[2]);
    }
    test_held_reader();
    test_second_reader();
    CHECK(!shares || num_exports(argv[2]) > exports);
    test_other_device();
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    for (cl_uint i = 0; i < num_devices; i++) {
        OK(clFinish(queues[i]));
        clReleaseCommandQueue(queues[i]);
    }
    return close_device();
}
