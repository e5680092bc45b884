/* A product of matrices by cooperative matrices (cl_khr_cooperative_matrix): of halfs or of bfloat16, summed as floats, or of
 * chars, summed as ints. The size that the device multiplies comes from its list, where its own come first; tiles are in
 * local memory twice, one to be multiplied and one to be filled.
 *
 *     example-gemm [SIZE [TIMES [half|bfloat16|char]]] */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The extension is a draft, so no system's headers have these. */
enum { DEFAULT_SUB_GROUP_VARIANTS = 0x1078 };
enum { NUMBER_HALF = 0, NUMBER_FLOAT = 1, NUMBER_CHAR = 3, NUMBER_INT = 5 }; /* ..._component_type_khr */

struct variant { /* cl_device_cooperative_matrix_variant_khr */
    cl_uint m, n, k, a, b, c, result;
    cl_bool saturating;
};

typedef cl_int(CL_API_CALL *get_info_fn)(cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);

static const struct kind {
    const char *name, *macros;
    cl_uint number, sum; /* bfloat16 has none in the list: it has the sizes that halfs have */
    size_t size;
} kinds[] = {
    {"half", "-DT=half -DOF_T=coop_mat -DSUM=float", NUMBER_HALF, NUMBER_FLOAT, 2},
    {"bfloat16", "-DT=ushort -DOF_T=pumice_coop_mat_bfloat16 -DSUM=float", NUMBER_HALF, NUMBER_FLOAT, 2},
    {"char", "-DT=char -DOF_T=coop_mat -DSUM=int", NUMBER_CHAR, NUMBER_INT, 1},
};

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    fprintf(stderr, "gemm: '%s' is none of half, bfloat16, char\n", name);
    exit(2);
}

/* The first of the kind, which is the device's own if there is one. */
static bool find_variant(const struct example *example, const struct kind *kind, struct variant *found)
{
    static struct variant list[1024];
    size_t size = 0;
    get_info_fn get_info =
        (get_info_fn)clGetExtensionFunctionAddressForPlatform(example->platform, "clGetDeviceCooperativeMatrixInfoKHR");
    if (!get_info || get_info(example->device, DEFAULT_SUB_GROUP_VARIANTS, 0, NULL, sizeof(list), list, &size))
        return false;
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        bool fits = list[i].a == kind->number && list[i].b == kind->number && !list[i].saturating;
        if (fits && list[i].c == kind->sum && list[i].result == kind->sum) {
            *found = list[i];
            return true;
        }
    }
    return false;
}

static size_t size_of_sub_groups(struct example *example)
{
    size_t items = 64, size = 0;
    example_build(example, "gemm.cl", "-cl-std=CL3.0 -DASK");
    cl_kernel kernel = example_kernel(example, "gemm");
    CHECK(clGetKernelSubGroupInfo(kernel, example->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(items),
                                  &items, sizeof(size), &size, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(example->program));
    return size;
}

/* A number's code. Halfs and bfloat16 are eighths between -1/2 and 1/2, chars are between -4 and 4: products and their sums
 * are exact. */
static void put_number(const struct kind *kind, cl_uchar *to, int number)
{
    static const cl_ushort halfs[] = {0xb800, 0xb600, 0xb400, 0xb000, 0x0000, 0x3000, 0x3400, 0x3600, 0x3800};
    float value = (float)number / 8;
    cl_uint bits;
    memcpy(&bits, &value, sizeof(bits));
    if (kind->size == 1)
        to[0] = (cl_uchar)number;
    else
        memcpy(to, kind == &kinds[0] ? &halfs[number + 4] : &(cl_ushort){(cl_ushort)(bits >> 16)}, 2);
}

static cl_mem make_matrix(struct example *example, const struct kind *kind, size_t n, unsigned seed, int *numbers)
{
    cl_uchar *codes = malloc(n * n * kind->size);
    for (size_t i = 0; i < n * n; i++) {
        numbers[i] = (int)(example_random(&seed) * 9) - 4;
        put_number(kind, codes + i * kind->size, numbers[i]);
    }
    cl_mem buffer = example_buffer(example, CL_MEM_READ_ONLY, n * n * kind->size, codes);
    free(codes);
    return buffer;
}

/* All of a small product, and some places of a large one. */
static size_t count_wrong(const struct kind *kind, size_t n, const int *a, const int *b, const cl_int *c,
                          size_t *looked)
{
    size_t wrong = 0, step = n > 256 ? n * n / 5003 : 1;
    *looked = 0;
    for (size_t place = 0; place < n * n; place += step, ++*looked) {
        int sum = 0;
        float number;
        for (size_t k = 0; k < n; k++)
            sum += a[place / n * n + k] * b[k * n + place % n];
        memcpy(&number, &c[place], sizeof(number));
        wrong += kind->sum == NUMBER_INT ? sum != c[place] : (float)sum / 64 != number;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct example example;
    struct variant variant;
    const struct kind *kind = kind_of(argc > 3 ? argv[3] : "half");
    char extensions[16384] = "", options[256];
    example_open(&example);
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    if (!strstr(extensions, "cl_khr_fp16") || !find_variant(&example, kind, &variant))
        return example_result("gemm", true, "the device has no such cooperative matrices: nothing to show");

    cl_ulong local_memory = 0;
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_memory), &local_memory, NULL));
    size_t lanes = size_of_sub_groups(&example), items = 4 * lanes;
    size_t tile = variant.m * items >= 16 * 128 && local_memory >= 40 << 10 ? 128 : items > 64 ? 64 : 32;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 %s -DM=%u -DN=%u -DK=%u -DITEMS=%zu -DTILE=%zu", kind->macros,
             variant.m, variant.n, variant.k, items, tile);
    example_build(&example, "gemm.cl", options);

    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 128;
    int times = argc > 2 ? atoi(argv[2]) : 1;
    n = n < tile ? tile : (n + tile - 1) / tile * tile;
    int *a = malloc(n * n * sizeof(int)), *b = malloc(n * n * sizeof(int));
    cl_int *c = malloc(n * n * sizeof(*c));
    cl_mem buffer_a = make_matrix(&example, kind, n, 1, a), buffer_b = make_matrix(&example, kind, n, 2, b);
    cl_mem buffer_c = example_buffer(&example, CL_MEM_WRITE_ONLY, n * n * sizeof(*c), NULL);
    cl_kernel kernel = example_kernel(&example, "gemm");
    cl_int size = (cl_int)n;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer_a));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffer_b));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &buffer_c));
    CHECK(clSetKernelArg(kernel, 3, sizeof(cl_int), &size));
    size_t global[2] = {n / tile * items, n / tile}, local[2] = {items, 1}, looked;
    double best = example_run(&example, kernel, 2, global, local);
    for (int i = 1; i < times; i++) {
        double seconds = example_run(&example, kernel, 2, global, local);
        best = seconds < best ? seconds : best;
    }
    example_read(&example, buffer_c, n * n * sizeof(*c), c);

    size_t wrong = count_wrong(kind, n, a, b, c, &looked);
    int exit_code = example_result("gemm", wrong == 0,
                                   "%zu of %zu values wrong; %s, size %zu by matrices of %ux%ux%u in sub-groups of "
                                   "%zu, %.3f ms, %.3f 10^12 operations/s",
                                   wrong, looked, kind->name, n, variant.m, variant.n, variant.k, lanes, best * 1e3,
                                   2.0 * (double)n * (double)n * (double)n / best * 1e-12);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer_a));
    CHECK(clReleaseMemObject(buffer_b));
    CHECK(clReleaseMemObject(buffer_c));
    free(a);
    free(b);
    free(c);
    example_close(&example);
    return exit_code;
}
