/* Whole kernels, device beside device: matrix products, stencils, sums, a transform, a hash, a sort, a filter. They
 * show what compilers differ in: hoisted addresses, unrolled loops, private arrays in registers.
 *
 * All take (in, in, out, n). The sum of the output's words is kept, so that a device which computes something else
 * than the first one is marked: floats may differ in their last bits, which a tolerance on their sum allows for. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUM_KERNELS = 12 };

static const struct row {
    const char *name;
    int dimensions, n, cpu_n;
    int local[2];       /* 0: the driver's choice */
    double items_per_n; /* global size along each dimension, as a multiple of n; 0: a fixed 2^18 in all */
    double work;        /* operations or bytes per item and unit of n (or per item, where scaled is false) */
    bool scaled;
    const char *unit;
    bool is_float;
} rows[NUM_KERNELS] = {
    {"matmul_naive", 2, 1024, 256, {16, 16}, 1, 2, true, "Gflop/s", true},
    {"matmul_tiled", 2, 2048, 256, {16, 16}, 1, 2, true, "Gflop/s", true},
    {"matmul_blocked", 2, 2048, 256, {16, 16}, 0.25, 32, true, "Gflop/s", true},
    {"nbody", 1, 16384, 2048, {256}, 1, 20, true, "Gflop/s", true},
    {"stencil_2d", 2, 4096, 1024, {0}, 1, 8, false, "GB/s", true},
    {"stencil_3d", 2, 1024, 128, {0}, 1, 30 * 8, false, "GB/s", true},
    {"reduction", 1, 1 << 26, 1 << 20, {256}, 1.0 / 256, 1024, false, "GB/s", true},
    {"prefix_sum", 1, 1 << 24, 1 << 20, {256}, 0.5, 16, false, "GB/s", false},
    {"fft_radix_8", 1, 1 << 23, 1 << 18, {0}, 0.125, 128, false, "GB/s", true},
    {"sha256", 1, 1 << 20, 1 << 14, {0}, 1, 1, false, "Ghash/s", false},
    {"private_sort", 1, 1 << 20, 1 << 14, {0}, 1, 16, false, "Gvalue/s", false},
    {"blur", 2, 4096, 512, {0}, 1, 1, false, "Gpixel/s", false},
};

struct result {
    double rate, sum;
};

enum { BYTES = 256 << 20, CPU_BYTES = 16 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers in [0, 1), the same everywhere */
static cl_mem make_input(struct bench *bench, size_t size, uint32_t seed)
{
    float *values = malloc(size);
    cl_mem buffer = values ? clCreateBuffer(bench->cl.context, CL_MEM_READ_ONLY, size, NULL, NULL) : NULL;
    for (size_t i = 0; values && i < size / 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-24f;
    }
    if (buffer)
        clEnqueueWriteBuffer(bench->cl.queue, buffer, CL_TRUE, 0, size, values, 0, NULL, NULL);
    free(values);
    return buffer;
}

static double sum_output(struct bench *bench, cl_mem out, size_t size, bool is_float)
{
    uint32_t *words = malloc(size);
    double sum = 0.0;
    if (!words || clEnqueueReadBuffer(bench->cl.queue, out, CL_TRUE, 0, size, words, 0, NULL, NULL))
        size = 0;
    for (size_t i = 0; i < size / 4; i++) {
        float value;
        memcpy(&value, &words[i], 4);
        sum += is_float ? fabs((double)value) : (double)words[i];
    }
    free(words);
    return sum;
}

/* Seconds per launch; below 0: it failed. */
static double time_launches(struct bench *bench, cl_kernel kernel, const struct row *row, const size_t *global,
                            int launches)
{
    size_t local[2] = {(size_t)row->local[0], (size_t)row->local[1]};
    double start = now();
    for (int i = 0; i < launches; i++) {
        if (clEnqueueNDRangeKernel(bench->cl.queue, kernel, (cl_uint)row->dimensions, NULL, global,
                                   local[0] ? local : NULL, 0, NULL, NULL))
            return -1.0;
    }
    return clFinish(bench->cl.queue) ? -1.0 : (now() - start) / launches;
}

/* The best of some runs. GPUs lower their clocks while a kernel is compiled, and take a while to raise them again. */
static double time_launch(struct bench *bench, cl_kernel kernel, const struct row *row, const size_t *global)
{
    int launches = bench->is_cpu ? 1 : 10;
    double best = time_launches(bench, kernel, row, global, 1), start = now();
    while (best >= 0.0 && !bench->is_cpu && now() - start < 0.2)
        best = time_launches(bench, kernel, row, global, launches);
    for (int run = 0; run < RUNS && best >= 0.0; run++) {
        double seconds = time_launches(bench, kernel, row, global, launches);
        best = run == 0 || seconds < best ? seconds : best;
    }
    return best;
}

static struct result measure(struct bench *bench, cl_program program, const struct row *row, cl_mem *buffers,
                             size_t bytes)
{
    struct result result = {-1.0, 0.0};
    cl_int n = bench->is_cpu ? row->cpu_n : row->n, zero = 0;
    size_t side = (size_t)(row->items_per_n * n), global[2] = {side, side};
    cl_kernel kernel = clCreateKernel(program, row->name, NULL);
    clEnqueueFillBuffer(bench->cl.queue, buffers[2], &zero, sizeof(zero), 0, bytes, 0, NULL, NULL);
    if (kernel && !clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]) &&
        !clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]) &&
        !clSetKernelArg(kernel, 2, sizeof(cl_mem), &buffers[2]) && !clSetKernelArg(kernel, 3, sizeof(n), &n)) {
        double seconds = time_launch(bench, kernel, row, global);
        double items = (double)side * (row->dimensions == 2 ? (double)side : 1.0);
        if (seconds > 0.0)
            result.rate = items * row->work * (row->scaled ? n : 1) / seconds * 1e-9;
        result.sum = sum_output(bench, buffers[2], bytes, row->is_float);
    }
    if (kernel)
        clReleaseKernel(kernel);
    return result;
}

static void measure_all(struct bench *bench, const char *source, struct result *results, int num_names, char **names)
{
    size_t bytes = bench->is_cpu ? CPU_BYTES : BYTES;
    double seconds;
    cl_mem buffers[3] = {make_input(bench, bytes, 1), make_input(bench, bytes, 2), bench_buffer(bench, bytes)};
    cl_program program = bench_program(bench, source, "-cl-mad-enable", &seconds);
    for (int i = 0; i < NUM_KERNELS; i++) {
        bool wanted = num_names == 0;
        for (int k = 0; k < num_names; k++)
            wanted = wanted || !strcmp(names[k], rows[i].name);
        results[i] = (struct result){-1.0, 0.0};
        if (wanted && program && buffers[0] && buffers[1] && buffers[2])
            results[i] = measure(bench, program, &rows[i], buffers, bytes);
    }
    if (program)
        clReleaseProgram(program);
    for (int i = 0; i < 3; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    }
}

static bool differs(const struct bench *benches, const struct result *result, int device, const struct result *first)
{
    if (device == 0 || benches[device].is_cpu != benches[0].is_cpu || first->rate < 0.0)
        return false;
    return !(fabs(result->sum - first->sum) <= 1e-4 * fabs(first->sum));
}

void bench_kernels(struct bench *benches, int count, const char *source, int num_names, char **names)
{
    static struct result results[MAX_DEVICES][NUM_KERNELS];
    for (int i = 0; i < count; i++)
        measure_all(&benches[i], source, results[i], num_names, names);
    printf("%-28s", "(* other results)");
    for (int i = 0; i < count; i++)
        printf("  %20s ", benches[i].name);
    printf("\n");
    for (int k = 0; k < NUM_KERNELS; k++) {
        char title[64];
        snprintf(title, sizeof(title), "%s, %s", rows[k].name, rows[k].unit);
        printf("%-28s", title);
        for (int i = 0; i < count; i++) {
            const struct result *result = &results[i][k];
            if (result->rate < 0.0)
                printf("  %20s ", "-");
            else
                printf("  %20.3f%c", result->rate, differs(benches, result, i, &results[0][k]) ? '*' : ' ');
        }
        printf("\n");
    }
}
