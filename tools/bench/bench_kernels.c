/* Whole kernels, device beside device: matrix products, stencils, sums, a transform, a hash, a sort, a filter. They
 * show what compilers differ in: hoisted addresses, unrolled loops, private arrays in registers.
 *
 * All take (in, in, out, n). The sum of the output's words is kept, so that a device which computes something else
 * than the first one is marked: floats may differ in their last bits, which a tolerance on their sum allows for. */
#include "bench.h"
#include "bench_kernels_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_KERNELS = 18 };

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
    {"halfs", 2, 4096, 512, {0}, 1, 1, false, "Gupdate/s", false},
    {"accumulate", 1, 1 << 20, 1 << 12, {128}, 1, 3 * 16 * 128, false, "Gflop/s", true},
    {"matmul_rows", 2, 2048, 256, {64, 1}, 0.25, 32, true, "Gflop/s", true},
    {"byte_products", 1, 1 << 22, 1 << 14, {0}, 1, 8 * 256, false, "Gop/s", false},
    {"matmul_long", 2, 1024, 128, {16, 16}, 1, 2, true, "Gop/s", false},
    {"reactions", 1, 1 << 20, 1 << 14, {0}, 1, 16, false, "Gterm/s", true},
};

struct result {
    double rate, sum;
};

enum { BYTES = 256 << 20, CPU_BYTES = 16 << 20 };

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
    double start = bench_now();
    for (int i = 0; i < launches; i++) {
        if (clEnqueueNDRangeKernel(bench->cl.queue, kernel, (cl_uint)row->dimensions, NULL, global,
                                   local[0] ? local : NULL, 0, NULL, NULL))
            return -1.0;
    }
    return clFinish(bench->cl.queue) ? -1.0 : (bench_now() - start) / launches;
}

/* The best of some runs. GPUs lower their clocks while a kernel is compiled, and take a while to raise them again. */
static double time_launch(struct bench *bench, cl_kernel kernel, const struct row *row, const size_t *global)
{
    int launches = bench->is_cpu ? 1 : 10;
    double best = time_launches(bench, kernel, row, global, 1), start = bench_now();
    while (best >= 0.0 && !bench->is_cpu && bench_now() - start < 0.2)
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

/* Devices of one kind work on equal sizes, so their results should be equal, too. The first of each kind decides. */
static void compare_result(const struct bench *bench, int kernel, const struct result *result)
{
    static struct result first[2][NUM_KERNELS];
    static const char *names[2][NUM_KERNELS];
    struct result *other = &first[bench->is_cpu][kernel];
    if (result->rate < 0.0)
        return;
    if (!names[bench->is_cpu][kernel]) {
        *other = *result;
        names[bench->is_cpu][kernel] = bench->name;
    } else if (!(fabs(result->sum - other->sum) <= 1e-4 * fabs(other->sum)))
        fprintf(stderr, "%s: the result differs between %s and %s\n", rows[kernel].name, names[bench->is_cpu][kernel],
                bench->name);
}

void bench_kernels(struct bench *bench)
{
    size_t bytes = bench->is_cpu ? CPU_BYTES : BYTES;
    double seconds;
    cl_mem buffers[3] = {make_input(bench, bytes, 1), make_input(bench, bytes, 2), bench_buffer(bench, bytes)};
    cl_program program = bench_program(bench, bench_kernels_source, "-cl-mad-enable", &seconds);
    for (int i = 0; i < NUM_KERNELS; i++) {
        char title[80];
        struct result result = {-1.0, 0.0};
        snprintf(title, sizeof(title), "%s, %s", rows[i].name, rows[i].unit);
        if (!bench_wanted(title))
            continue;
        bench_progress(bench, "kernels", title);
        if (program && buffers[0] && buffers[1] && buffers[2])
            result = measure(bench, program, &rows[i], buffers, bytes);
        bench_record(bench, "kernels", title, result.rate);
        compare_result(bench, i, &result);
    }
    if (program)
        clReleaseProgram(program);
    for (int i = 0; i < 3; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    }
}
