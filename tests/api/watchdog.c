/* Launches of seconds on a device with a watchdog, which tests/support/watchdog.c plays.
 *
 * "lives": PUMICE_WATCHDOG_MS says that there is one. The launches go in parts: every work-item runs once, the profile is
 * of all parts, commands behind come after the last one, and a context that is terminated gets no further part.
 *
 * "lost": it says that there is none, and the device is lost. Every wait and every later command ends with an error, and
 * this process gets no other context.
 *
 * A part takes no less than one work-group does. So the range has as many groups as need dozens of turns on the device, and
 * the calibration times the whole range: a GPU has room for thousands of groups and takes as long for them as for one. */
#include "api_test.h"
#include "command_buffers.h"

#include <time.h>
#include <unistd.h>

#ifndef CL_CONTEXT_TERMINATE_KHR
#define CL_CONTEXT_TERMINATE_KHR 0x2032
#endif

static const char source[] =
    "uint turn(uint x, uint turns) { for (uint i = 0; i < turns; i++) x = x * 1664525u + 1013904223u; return x; }\n"
    "kernel void slow(global uint *sums, uint turns)\n"
    "{\n"
    "    uint width = get_global_size(0), height = get_global_size(1);\n"
    "    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    uint item = (z * height + y) * width + x;\n"
    "    uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);\n"
    "    sums[item] += turn(item ^ group, turns);\n"
    "}\n"
    "kernel void told(global uint *sums, global const uint *turns)\n"
    "{\n"
    "    sums[get_global_id(0)] = turn(get_global_id(0), *turns);\n"
    "}\n"
    "kernel void twice(global uint *sums) { sums[get_global_id(0)] *= 2; }\n";

enum { LOCAL = 64, LEAST_PLANES = 16, MOST_PLANES = 1 << 15, ROUNDS = 40 };
static const size_t offset[] = {7, 0, 0}, local[] = {LOCAL, 1, 1}, one_group[] = {LOCAL, 1, 1};
static size_t global[] = {4 * LOCAL, 8, LEAST_PLANES}, items; /* the whole range */
static cl_kernel slow, twice;
static cl_mem sums;
static cl_uint turns = 100;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a linear congruential generator makes of x in so many steps. */
static cl_uint turned(cl_uint x, cl_uint steps)
{
    cl_uint factor = 1, sum = 0, a = 1664525, c = 1013904223;
    for (; steps; steps /= 2) {
        if (steps & 1) {
            factor *= a;
            sum = sum * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    return x * factor + sum;
}

static void launch(const size_t *size, cl_event *event)
{
    OK(clSetKernelArg(slow, 0, sizeof(sums), &sums));
    OK(clSetKernelArg(slow, 1, sizeof(turns), &turns));
    OK(clEnqueueNDRangeKernel(queue, slow, 3, offset, size, local, 0, NULL, event));
}

static void clear(void)
{
    const cl_uint zero = 0;
    OK(clEnqueueFillBuffer(queue, sums, &zero, sizeof(zero), 0, items * sizeof(zero), 0, NULL, NULL));
}

/* The least of several, since the machine may do something else for a while. Of long ones there are fewer. */
static double time_of(const size_t *size)
{
    double least = 1e9, all = 0;
    for (int i = 0; i < 4 && (i < 2 || all < 0.3); i++) {
        double began = seconds();
        launch(size, NULL);
        OK(clFinish(queue));
        double took = seconds() - began;
        least = took < least ? took : least;
        all += took;
    }
    return least;
}

static void set_planes(size_t planes)
{
    global[2] = planes;
    items = global[0] * global[1] * global[2];
    if (sums)
        OK(clReleaseMemObject(sums));
    sums = buffer_of(0, items * sizeof(cl_uint), NULL);
}

/* Has the range take so long by itself, and ROUNDS times as long as one group at least. */
static void calibrate(double wanted)
{
    double group = 0, took = 0;
    while (group < 0.0005) {
        NEED(turns < 1u << 30);
        turns *= 2;
        group = time_of(one_group);
    }
    while ((took = time_of(global)) < ROUNDS * group && global[2] < MOST_PLANES)
        set_planes(2 * global[2]);
    while (took < 0.25) {
        NEED(turns < 1u << 30);
        turns *= 2;
        took = time_of(global);
    }
    NEED(turns * wanted / took < UINT32_MAX);
    turns = (cl_uint)(turns * wanted / took);
    printf("%zu groups, %u turns\n", items / LOCAL, turns);
}

static void make_objects(void)
{
    cl_int error;
    cl_program program = build(source, "");
    slow = clCreateKernel(program, "slow", &error);
    NEED(error == CL_SUCCESS);
    twice = clCreateKernel(program, "twice", &error);
    NEED(error == CL_SUCCESS);
    OK(clReleaseProgram(program));
    set_planes(global[2]);
}

static void drop_objects(void)
{
    OK(clReleaseMemObject(sums));
    sums = NULL;
    OK(clReleaseKernel(twice));
    OK(clReleaseKernel(slow));
}

static bool are_right(void)
{
    cl_uint *got = malloc(items * sizeof(cl_uint));
    const size_t row = global[0];
    bool right = true;
    NEED(got);
    OK(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, items * sizeof(cl_uint), got, 0, NULL, NULL));
    for (cl_uint i = 0; i < items && right; i++) {
        cl_uint group = (cl_uint)(i / row * (row / LOCAL) + i % row / LOCAL);
        right = got[i] == 2 * turned(i ^ group, turns);
    }
    free(got);
    return right;
}

/* A thread may get no processor while the launch runs; it is not likely to happen each time. */
enum { TRIES = 5 };

/* Whether clFlush came back while the launch ran. */
static bool runs_in_parts(void)
{
    cl_event event;
    cl_ulong start, end;
    clear();
    launch(global, &event);
    OK(clSetKernelArg(twice, 0, sizeof(sums), &sums));
    OK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    bool was_running = event_status(event) > CL_COMPLETE;
    CHECK(are_right());
    CHECK(event_status(event) == CL_COMPLETE);
    OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    CHECK(end - start > 1000000000u); /* no part takes half of that */
    OK(clReleaseEvent(event));
    return was_running;
}

/* A command buffer whose launch becomes slow by what it reads: short, so that it is recorded, then longer than what is
 * recorded may be, and then longer than the watchdog allows. */
static void leaves_recording(void)
{
    struct buffer_functions buffers;
    cl_int error;
    cl_uint now = 0, last = 0;
    NEED(find_buffer_functions(platform, &buffers));
    cl_program program = build(source, "");
    cl_kernel told = clCreateKernel(program, "told", &error);
    NEED(error == CL_SUCCESS);
    cl_mem steps = buffer_of(0, sizeof(now), NULL);
    OK(clSetKernelArg(told, 0, sizeof(sums), &sums));
    OK(clSetKernelArg(told, 1, sizeof(steps), &steps));
    buffer_handle buffer = buffers.create(1, &queue, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(buffers.launch(buffer, NULL, NULL, told, 1, NULL, &items, local, 0, NULL, NULL, NULL));
    OK(buffers.finalize(buffer));
    for (int i = 0; i < 8; i++) {
        now = i < 6 ? turns / 4000 : i < 7 ? turns / 40 : turns;
        OK(clEnqueueWriteBuffer(queue, steps, CL_TRUE, 0, sizeof(now), &now, 0, NULL, NULL));
        OK(buffers.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clFinish(queue));
    }
    OK(clEnqueueReadBuffer(queue, sums, CL_TRUE, (items - 1) * sizeof(last), sizeof(last), &last, 0, NULL, NULL));
    CHECK(last == turned((cl_uint)items - 1, turns));
    OK(buffers.release(buffer));
    OK(clReleaseMemObject(steps));
    OK(clReleaseKernel(told));
    OK(clReleaseProgram(program));
}

/* Whether the device was free again before the launch could have ended: when the part that runs has. No, too, where this
 * thread got no processor before all was over. */
static bool ends_between_parts(void)
{
    typedef cl_int(CL_API_CALL * terminate_fn)(cl_context);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                                CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    terminate_fn terminate = (terminate_fn)clGetExtensionFunctionAddressForPlatform(platform, "clTerminateContextKHR");
    cl_context outer = context;
    cl_command_queue other = queue;
    const cl_uint zero = 0;
    cl_event event;
    cl_int error;
    drop_objects();
    cl_mem probe = buffer_of(0, sizeof(zero), NULL);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS && terminate);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    make_objects();
    launch(global, &event);
    OK(clFlush(queue));
    usleep(500000);
    double began = seconds();
    OK(terminate(context));
    bool ended_early = clWaitForEvents(1, &event) != CL_SUCCESS;
    CHECK(ended_early == (event_status(event) < 0));
    OK(clEnqueueFillBuffer(other, probe, &zero, sizeof(zero), 0, sizeof(zero), 0, NULL, NULL));
    OK(clFinish(other));
    bool was_free = ended_early && seconds() - began < 2;
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(probe));
    drop_objects();
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    context = outer;
    queue = other;
    make_objects();
    return was_free;
}

static void is_lost(void)
{
    cl_bool available = CL_TRUE;
    cl_event event;
    cl_uint word;
    launch(global, &event);
    OK(clFlush(queue));
    CODE(CL_OUT_OF_RESOURCES, clWaitForEvents(1, &event));
    CHECK(event_status(event) == CL_OUT_OF_RESOURCES);
    OK(clReleaseEvent(event));
    CODE(CL_OUT_OF_RESOURCES, clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof(word), &word, 0, NULL, NULL));
    CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, slow, 3, NULL, one_group, local, 0, NULL, NULL));
    CODE(CL_OUT_OF_RESOURCES, clFinish(queue));
    drop_objects();
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    OK(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof(available), &available, NULL));
    CHECK(!available);
    NO_OBJECT(CL_DEVICE_NOT_AVAILABLE, clCreateContext(NULL, 1, &device, NULL, NULL, &error));
}

int main(int argc, char **argv)
{
    static const char limit[] = "PUMICE_TEST_WATCHDOG_MS";
    bool lives = argc > 1 && strcmp(argv[1], "lives") == 0;
    char given[32];
    NEED(getenv(limit) && strlen(getenv(limit)) < sizeof(given));
    strcpy(given, getenv(limit));
    setenv(limit, "100000", 1); /* the layer looks at each submission; on a busy machine calibrating may take long */
    open_device(CL_QUEUE_PROFILING_ENABLE);
    alarm(240); /* what hangs is killed, and seen */
    make_objects();
    calibrate(lives ? 4 : 6);
    setenv(limit, given, 1);
    if (!lives) {
        is_lost();
        return test_result();
    }
    int tries = 0;
    while (tries < TRIES && !runs_in_parts())
        tries++;
    CHECK(tries < TRIES);
    leaves_recording();
    tries = 0;
    while (tries < TRIES && !ends_between_parts())
        tries++;
    CHECK(tries < TRIES);
    drop_objects();
    return close_device();
}
