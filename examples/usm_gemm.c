/* Many small matrix products at once by unified shared memory (cl_intel_unified_shared_memory): matrices of different
 * sizes live in device memory, and one kernel finds them through a table of pointers. */
#include "common.h"

#include <CL/cl_ext.h>

#include <math.h>
#include <stdlib.h>

enum { PRODUCTS = 8, LARGEST = 96 };

struct product { /* as usm_gemm.cl has it */
    cl_ulong a, b, c;
    cl_int n, padding;
};

#define FUNCTION(name)                                                                                                 \
    name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(example.platform, #name);                     \
    if (!name)                                                                                                         \
    return example_result("usm_gemm", true, "the driver has no " #name ": nothing to show")

int main(void)
{
    struct example example;
    example_open(&example);
    FUNCTION(clDeviceMemAllocINTEL);
    FUNCTION(clMemFreeINTEL);
    FUNCTION(clEnqueueMemcpyINTEL);
    FUNCTION(clSetKernelArgMemPointerINTEL);
    example_build(&example, "usm_gemm.cl", NULL);

    struct product products[PRODUCTS];
    float *host[PRODUCTS][3];
    unsigned seed = 3;
    cl_int error;
    for (int p = 0; p < PRODUCTS; p++) {
        int n = LARGEST - 11 * p;
        cl_ulong *matrices[] = {&products[p].a, &products[p].b, &products[p].c};
        size_t bytes = (size_t)n * n * sizeof(float);
        products[p].n = n;
        for (int m = 0; m < 3; m++) {
            void *memory = clDeviceMemAllocINTEL(example.context, example.device, NULL, bytes, 0, &error);
            CHECK(error);
            *matrices[m] = (cl_ulong)(size_t)memory;
            host[p][m] = malloc(bytes);
            for (int i = 0; i < n * n; i++)
                host[p][m][i] = example_random(&seed) - 0.5f;
            CHECK(clEnqueueMemcpyINTEL(example.queue, CL_TRUE, memory, host[p][m], bytes, 0, NULL, NULL));
        }
    }
    void *table = clDeviceMemAllocINTEL(example.context, example.device, NULL, sizeof(products), 0, &error);
    CHECK(error);
    CHECK(clEnqueueMemcpyINTEL(example.queue, CL_TRUE, table, products, sizeof(products), 0, NULL, NULL));

    cl_kernel kernel = example_kernel(&example, "gemm");
    cl_bool yes = CL_TRUE;
    size_t global[] = {LARGEST, LARGEST, PRODUCTS};
    CHECK(clSetKernelArgMemPointerINTEL(kernel, 0, table));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof(yes), &yes));
    double seconds = example_run(&example, kernel, 3, global, NULL), operations = 0;

    int wrong = 0;
    for (int p = 0; p < PRODUCTS; p++) {
        int n = products[p].n;
        operations += 2.0 * n * n * n;
        CHECK(clEnqueueMemcpyINTEL(example.queue, CL_TRUE, host[p][2], (void *)(size_t)products[p].c,
                                   (size_t)n * n * sizeof(float), 0, NULL, NULL));
        for (int i = 0; i < n * n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)host[p][0][i / n * n + k] * host[p][1][k * n + i % n];
            wrong += fabs(sum - host[p][2][i]) > 1e-4;
        }
        CHECK(clMemFreeINTEL(example.context, (void *)(size_t)products[p].a));
        CHECK(clMemFreeINTEL(example.context, (void *)(size_t)products[p].b));
        CHECK(clMemFreeINTEL(example.context, (void *)(size_t)products[p].c));
        for (int m = 0; m < 3; m++)
            free(host[p][m]);
    }
    CHECK(clMemFreeINTEL(example.context, table));
    int exit_code = example_result("usm_gemm", wrong == 0,
                                   "%d products by a table of pointers, %d values differ; %.3f ms, %.2f GFLOP/s",
                                   PRODUCTS, wrong, seconds * 1e3, operations / seconds * 1e-9);
    CHECK(clReleaseKernel(kernel));
    example_close(&example);
    return exit_code;
}
