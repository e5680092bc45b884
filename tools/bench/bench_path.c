/* The rest of the suites launch and memory: when commands start, what runs beside what, pinned memory, and what a
 * process costs that runs one kernel. */
#include "bench.h"

#include "base/platform.h"

#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static const char *source = "__kernel void nothing(__global int *out, int n) { if (n) out[0] = n; }\n"
                            "__kernel void spin(__global float *a, int n)\n"
                            "{ float x = a[get_global_id(0)]; for (int i = 0; i < n; i++) x = mad(x, 0.999f, 0.5f);\n"
                            "  a[get_global_id(0)] = x; }\n";

/* ---- when a launch starts ---- */

/* Between the command's coming into the queue and its start, in us; < 0: unknown. idle: how long the program does
 * something else before it waits, without a flush. */
static double start_delay(cl_command_queue queue, cl_kernel kernel, double idle)
{
    cl_event event;
    size_t one = 1;
    cl_ulong queued = 0, start = 0;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event))
        return -1.0;
    for (double now = bench_now(); bench_now() - now < idle;)
        ;
    bool good = !clWaitForEvents(1, &event) &&
                !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof(queued), &queued, NULL) &&
                !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
    clReleaseEvent(event);
    return good && start >= queued ? 1e-3 * (double)(start - queued) : -1.0;
}

static void bench_start_delay(struct bench *bench, cl_kernel kernel, cl_mem buffer)
{
    enum { LAUNCHES = 200 };
    static const struct {
        const char *row;
        double idle; /* seconds */
    } rows[] = {{"start - queued, us", 0.0}, {"start - queued, the program busy for 200 us, us", 200e-6}};
    cl_int code, zero = 0;
    cl_command_queue queue = clCreateCommandQueue(bench->cl.context, bench->cl.id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!queue)
        return;
    clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
    clSetKernelArg(kernel, 1, sizeof(zero), &zero);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        double best = -1.0;
        for (int i = 0; i < LAUNCHES && bench_wanted(rows[r].row); i++) {
            double delay = start_delay(queue, kernel, rows[r].idle);
            if (delay >= 0.0 && (best < 0.0 || delay < best))
                best = delay;
        }
        bench_record(bench, "launch", rows[r].row, best);
    }
    clReleaseCommandQueue(queue);
}

/* ---- pinned memory, and copies beside kernels ---- */

/* Two queues, a buffer of the device for each direction, and memory of the host for both. */
struct copies {
    cl_command_queue queues[2];
    cl_mem up, down, host;
    char *pinned; /* 2 * size bytes */
    size_t size;
};

static bool copies_init(struct bench *bench, struct copies *c)
{
    cl_int code = CL_SUCCESS;
    *c = (struct copies){.size = bench->is_cpu ? 16u << 20 : 64u << 20};
    for (int i = 0; i < 2; i++)
        c->queues[i] = clCreateCommandQueue(bench->cl.context, bench->cl.id, 0, &code);
    c->up = bench_buffer(bench, c->size);
    c->down = bench_buffer(bench, c->size);
    c->host = clCreateBuffer(bench->cl.context, CL_MEM_ALLOC_HOST_PTR, 2 * c->size, NULL, &code);
    if (!c->queues[0] || !c->queues[1] || !c->up || !c->down || !c->host)
        return false;
    c->pinned = clEnqueueMapBuffer(c->queues[0], c->host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 2 * c->size, 0, NULL,
                                   NULL, &code);
    if (c->pinned)
        memset(c->pinned, 1, 2 * c->size);
    return c->pinned;
}

static void copies_finish(struct copies *c)
{
    if (c->pinned) {
        clEnqueueUnmapMemObject(c->queues[0], c->host, c->pinned, 0, NULL, NULL);
        clFinish(c->queues[0]);
    }
    for (int i = 0; i < 2; i++) {
        if (c->queues[i])
            clReleaseCommandQueue(c->queues[i]);
    }
    cl_mem buffers[] = {c->up, c->down, c->host};
    for (int i = 0; i < 3; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    }
}

static void bench_pinned(struct bench *bench, struct copies *c)
{
    double write = 1e9, read = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double start = bench_now();
        clEnqueueWriteBuffer(c->queues[0], c->up, CL_TRUE, 0, c->size, c->pinned, 0, NULL, NULL);
        double middle = bench_now();
        clEnqueueReadBuffer(c->queues[0], c->down, CL_TRUE, 0, c->size, c->pinned + c->size, 0, NULL, NULL);
        double end = bench_now();
        write = middle - start < write ? middle - start : write;
        read = end - middle < read ? end - middle : read;
    }
    bench_record(bench, "memory", "write from pinned memory, GB/s", 1e-9 * (double)c->size / write);
    bench_record(bench, "memory", "read to pinned memory, GB/s", 1e-9 * (double)c->size / read);
}

/* The seconds of an upload and a download on one queue and kernels on the other; either may be left out. */
static double run_both(struct copies *c, cl_kernel kernel, size_t items, bool kernels, bool copies)
{
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double start = bench_now();
        for (int i = 0; i < 4 && kernels; i++)
            clEnqueueNDRangeKernel(c->queues[0], kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        clFlush(c->queues[0]);
        if (copies) {
            clEnqueueWriteBuffer(c->queues[1], c->up, CL_FALSE, 0, c->size, c->pinned, 0, NULL, NULL);
            clEnqueueReadBuffer(c->queues[1], c->down, CL_FALSE, 0, c->size, c->pinned + c->size, 0, NULL, NULL);
        }
        clFlush(c->queues[1]);
        clFinish(c->queues[1]);
        clFinish(c->queues[0]);
        best = bench_now() - start < best ? bench_now() - start : best;
    }
    return best;
}

/* Kernels that take about as long as the copies do: both together should take as long as one of them. */
static void bench_beside(struct bench *bench, struct copies *c, cl_kernel kernel)
{
    const char *row = "kernels and copies of two queues, together x as fast";
    size_t items = 1u << 16;
    cl_int rounds = 64;
    cl_mem values = bench_wanted(row) ? bench_buffer(bench, items * 4) : NULL;
    if (!values || clSetKernelArg(kernel, 0, sizeof(values), &values) ||
        clSetKernelArg(kernel, 1, sizeof(rounds), &rounds))
        return;
    double copies = run_both(c, kernel, items, false, true), kernels = run_both(c, kernel, items, true, false);
    while (kernels < copies && rounds < 1 << 24) {
        rounds *= 2;
        clSetKernelArg(kernel, 1, sizeof(rounds), &rounds);
        kernels = run_both(c, kernel, items, true, false);
    }
    bench_record(bench, "memory", row, (copies + kernels) / run_both(c, kernel, items, true, true));
    clReleaseMemObject(values);
}

/* Blocks that go up, through a kernel and down again, by one queue or two in turn. */
static void bench_blocks(struct bench *bench, struct copies *c, cl_kernel kernel, int num_queues)
{
    const char *row =
        num_queues == 1 ? "blocks up, kernel, down by one queue, GB/s" : "blocks up, kernel, down by two queues, GB/s";
    size_t block = c->size / 16, items = block / 4;
    cl_int rounds = 16;
    double best = 1e9;
    clSetKernelArg(kernel, 1, sizeof(rounds), &rounds);
    for (int run = 0; run < RUNS && bench_wanted(row); run++) {
        double start = bench_now();
        for (int i = 0; i < 16; i++) {
            cl_command_queue queue = c->queues[i % num_queues];
            cl_mem buffer = i % 2 ? c->down : c->up;
            char *host = c->pinned + (size_t)i * block;
            clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
            clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, block, host, 0, NULL, NULL);
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
            clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, block, host, 0, NULL, NULL);
            clFlush(queue);
        }
        clFinish(c->queues[0]);
        clFinish(c->queues[1]);
        best = bench_now() - start < best ? bench_now() - start : best;
    }
    if (bench_wanted(row))
        bench_record(bench, "memory", row, 2e-9 * 16.0 * (double)block / best);
}

/* ---- a process ---- */

/* What the child does: one kernel on that device. */
int bench_one_kernel(unsigned platform, unsigned index)
{
    cl_platform_id platforms[MAX_DEVICES];
    cl_device_id ids[MAX_DEVICES];
    cl_uint count = 0;
    cl_int code, n = 1, result = 0;
    size_t one = 1;
    if (clGetPlatformIDs(MAX_DEVICES, platforms, &count) || platform >= count || platform >= MAX_DEVICES ||
        clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count) || index >= count ||
        index >= MAX_DEVICES)
        return 1;
    cl_context context = clCreateContext(NULL, 1, &ids[index], NULL, NULL, &code);
    cl_command_queue queue = context ? clCreateCommandQueue(context, ids[index], 0, &code) : NULL;
    cl_program program = queue ? clCreateProgramWithSource(context, 1, &source, NULL, &code) : NULL;
    if (!program || clBuildProgram(program, 1, &ids[index], NULL, NULL, NULL))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "nothing", &code);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(result), NULL, &code);
    if (!kernel || !out || clSetKernelArg(kernel, 0, sizeof(out), &out) || clSetKernelArg(kernel, 1, sizeof(n), &n) ||
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) ||
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(result), &result, 0, NULL, NULL))
        return 1;
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return result != 1;
}

/* The loader opens every driver in each process; a driver alone is measured with OCL_ICD_VENDORS naming it. */
static void bench_process(struct bench *bench)
{
    const char *row = "process of one kernel, ms";
    char platform[16], index[16], self[PATH_MAX];
    uint64_t inside;
    char *const arguments[] = {"pumice", "bench", "--one-kernel", platform, index, NULL};
    double best = -1.0;
    snprintf(platform, sizeof(platform), "%u", bench->platform_index);
    snprintf(index, sizeof(index), "%u", bench->device_index);
    /* The first run fills the caches. */
    bool known = platform_module((const void *)(uintptr_t)bench_process, self, sizeof(self), &inside);
    for (int run = 0; run <= RUNS && known && bench_wanted(row); run++) {
        pid_t child;
        int status = 0;
        double start = bench_now();
        if (posix_spawn(&child, self, NULL, NULL, arguments, environ) || waitpid(child, &status, 0) < 0 || status)
            break;
        double seconds = bench_now() - start;
        if (run && (best < 0.0 || seconds < best))
            best = seconds;
    }
    bench_record(bench, "launch", row, best < 0.0 ? -1.0 : 1e3 * best);
}

void bench_path(struct bench *bench, bool launch, bool memory)
{
    double seconds;
    struct copies copies;
    cl_program program = bench_program(bench, source, "-cl-mad-enable", &seconds);
    cl_kernel nothing = program ? clCreateKernel(program, "nothing", NULL) : NULL;
    cl_kernel spin = program ? clCreateKernel(program, "spin", NULL) : NULL;
    cl_mem out = bench_buffer(bench, 64);
    if (launch && nothing && out) {
        bench_progress(bench, "launch", "delays");
        bench_start_delay(bench, nothing, out);
        bench_process(bench);
    }
    if (memory && spin) {
        bench_progress(bench, "memory", "copies beside kernels");
        if (copies_init(bench, &copies)) {
            bench_pinned(bench, &copies);
            bench_beside(bench, &copies, spin);
            bench_blocks(bench, &copies, spin, 1);
            bench_blocks(bench, &copies, spin, 2);
        }
        copies_finish(&copies);
    }
    if (out)
        clReleaseMemObject(out);
    if (nothing)
        clReleaseKernel(nothing);
    if (spin)
        clReleaseKernel(spin);
    if (program)
        clReleaseProgram(program);
}
