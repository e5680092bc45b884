/* The suite matrices: products of large matrices by cooperative ones (cl_khr_cooperative_matrix), in 10^9
 * operations a second. The kernel is in matrices.cl; the size that it multiplies is the first of its types in the device's list,
 * where the device's own come first. The product is compared with ones, whose sums are known. */
#include "bench.h"
#include "bench_matrices_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The extension is a draft, so no system's headers have these. */
enum { DEFAULT_SUB_GROUP_VARIANTS = 0x1078, POINTER_ALIGNMENT = 0x107A };
enum { F16 = 0, F32 = 1, S8 = 3, S32 = 5 }; /* cl_device_cooperative_matrix_component_type_khr */

struct variant { /* cl_device_cooperative_matrix_variant_khr */
    cl_uint m, n, k, a, b, c, result;
    cl_bool saturating;
};

typedef cl_int(CL_API_CALL *get_info_fn)(cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);

static const struct kind {
    const char *name, *type, *attribute, *sum;
    cl_uint in, out; /* component types; bfloat16 has no number: it has the sizes that halfs have */
    size_t size;     /* bytes of one of A's and B's */
    cl_uchar one[2]; /* its code */
    int depth;
} kinds[] = {
    {"half to float", "half", "coop_mat", "float", F16, F32, 2, {0x00, 0x3c}, 64},
    {"bfloat16 to float", "ushort", "pumice_coop_mat_bfloat16", "float", F16, F32, 2, {0x80, 0x3f}, 64},
    {"char to int", "char", "coop_mat", "int", S8, S32, 1, {1}, 128},
};

static bool find_variant(struct bench *bench, const struct kind *kind, struct variant *found)
{
    static struct variant list[1024];
    size_t size = 0;
    get_info_fn get_info = (get_info_fn)clGetExtensionFunctionAddressForPlatform(bench->cl.platform,
                                                                                 "clGetDeviceCooperativeMatrixInfoKHR");
    if (!get_info || get_info(bench->cl.id, DEFAULT_SUB_GROUP_VARIANTS, 0, NULL, sizeof(list), list, &size))
        return false;
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        *found = list[i];
        if (found->a == kind->in && found->b == kind->in && found->c == kind->out && found->result == kind->out &&
            !found->saturating)
            return true;
    }
    return false;
}

/* The size of sub-groups of a kernel that asks for none, which is what work-groups should be multiples of; 0: it cannot be
 * told. */
static size_t lanes_of(struct bench *bench)
{
    double seconds;
    size_t lanes = 0;
    cl_program program = bench_program(bench, "kernel void product(global int *a) { }", "-cl-std=CL3.0", &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "product", NULL) : NULL;
    if (kernel && clGetKernelWorkGroupInfo(kernel, bench->cl.id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                           sizeof(lanes), &lanes, NULL))
        lanes = 0;
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    return lanes;
}

static cl_mem ones(struct bench *bench, const struct kind *kind, size_t n)
{
    cl_mem buffer = bench_buffer(bench, n * n * kind->size);
    if (buffer)
        clEnqueueFillBuffer(bench->cl.queue, buffer, kind->one, kind->size, 0, n * n * kind->size, 0, NULL, NULL);
    return buffer;
}

/* Whether the sum at a few places is that of n ones. */
static bool is_right(struct bench *bench, const struct kind *kind, cl_mem c, size_t n)
{
    for (size_t i = 0; i < 5; i++) {
        cl_int bits = 0;
        float number;
        if (clEnqueueReadBuffer(bench->cl.queue, c, CL_TRUE, i * (n * n - 1) / 4 * 4, 4, &bits, 0, NULL, NULL))
            return false;
        memcpy(&number, &bits, sizeof(number));
        if (kind->out == F32 ? number != (float)n : bits != (cl_int)n)
            return false;
    }
    return true;
}

static bool run_product(struct bench *bench, cl_kernel kernel, const size_t global[2], const size_t local[2])
{
    return !clEnqueueNDRangeKernel(bench->cl.queue, kernel, 2, NULL, global, local, 0, NULL, NULL) &&
           !clFinish(bench->cl.queue);
}

/* An idle card has a slow clock. */
#define WARM_UP 0.2 /* seconds */

static double time_product(struct bench *bench, cl_kernel kernel, const size_t global[2], const size_t local[2])
{
    double best = 1e9, begin = bench_now();
    do {
        if (!run_product(bench, kernel, global, local))
            return -1.0;
    } while (bench_now() - begin < WARM_UP);
    for (int run = 0; run < RUNS; run++) {
        double start = bench_now();
        if (!run_product(bench, kernel, global, local))
            return -1.0;
        double seconds = bench_now() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* < 0: it fails, or is wrong */
static double measure(struct bench *bench, const struct kind *kind, cl_kernel kernel, size_t n, size_t tile,
                      size_t items)
{
    const size_t global[2] = {n / tile * items, n / tile}, local[2] = {items, 1};
    cl_mem a = ones(bench, kind, n), b = ones(bench, kind, n), c = bench_buffer(bench, n * n * 4);
    cl_int size = (cl_int)n;
    double seconds = -1.0;
    if (a && b && c && !clSetKernelArg(kernel, 0, sizeof(a), &a) && !clSetKernelArg(kernel, 1, sizeof(b), &b) &&
        !clSetKernelArg(kernel, 2, sizeof(c), &c) && !clSetKernelArg(kernel, 3, sizeof(size), &size))
        seconds = time_product(bench, kernel, global, local);
    if (seconds > 0.0 && !is_right(bench, kind, c, n))
        seconds = -1.0;
    cl_mem buffers[] = {a, b, c};
    for (size_t i = 0; i < 3; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    }
    return seconds;
}

static void bench_kind(struct bench *bench, const struct kind *kind, size_t lanes, const size_t *sizes)
{
    struct variant v;
    char options[256], row[80];
    double seconds,
        expected = 0.0; /* the latter: of the next size, which units of the device would take far less for */
    size_t tile = lanes >= 32 ? 128 : 64;
    if (!find_variant(bench, kind, &v))
        return;
    snprintf(options, sizeof(options),
             "-cl-std=CL3.0 -DT=%s -DOF_T=%s -DSUM=%s -DM=%u -DN=%u -DK=%u -DLANES=%zu -DTILE=%zu -DDEPTH=%d",
             kind->type, kind->attribute, kind->sum, v.m, v.n, v.k, lanes, tile, kind->depth);
    cl_program program = bench_program(bench, bench_matrices_source, options, &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "product", NULL) : NULL;
    for (int i = 0; i < 3 && sizes[i] && expected < 1.0; i++) {
        snprintf(row, sizeof(row), "%s, product of %zu, G/s", kind->name, sizes[i]);
        if (!bench_wanted(row))
            continue;
        bench_progress(bench, "matrices", row);
        double n = (double)sizes[i], taken = kernel ? measure(bench, kind, kernel, sizes[i], tile, 4 * lanes) : -1.0;
        bench_record(bench, "matrices", row, taken > 0.0 ? 2e-9 * n * n * n / taken : -1.0);
        if (taken > 0.0 && i < 2)
            expected = taken * pow((double)sizes[i + 1] / n, 3.0);
    }
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
}

void bench_matrices(struct bench *bench)
{
    static const size_t large[] = {1024, 4096, 8192}, small[] = {128, 0};
    cl_uint align = 0;
    if (!bench_has_extension(bench, "cl_khr_cooperative_matrix") || !bench_has_extension(bench, "cl_khr_fp16"))
        return;
    size_t lanes = lanes_of(bench);
    clGetDeviceInfo(bench->cl.id, POINTER_ALIGNMENT, sizeof(align), &align, NULL);
    bool native = align > 1 && !bench->is_cpu; /* what is computed by code needs no alignment */
    for (size_t i = 0; lanes && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        bench_kind(bench, &kinds[i], lanes, native ? large : small);
}
