/* y = a * x + y over a million floats: the smallest whole OpenCL program. */
#include "common.h"

#include <stdlib.h>

int main(void)
{
    enum { COUNT = 1000003 }; /* no multiple of any work-group size */
    struct example example;
    example_open(&example);
    example_build(&example, "saxpy.cl", NULL);

    float *x = malloc(COUNT * sizeof(float)), *y = malloc(COUNT * sizeof(float)),
          *result = malloc(COUNT * sizeof(float));
    unsigned seed = 1;
    for (int i = 0; i < COUNT; i++) {
        x[i] = example_random(&seed) - 0.5f;
        y[i] = example_random(&seed) - 0.5f;
    }
    cl_mem buffer_x = example_buffer(&example, CL_MEM_READ_ONLY, COUNT * sizeof(float), x);
    cl_mem buffer_y = example_buffer(&example, CL_MEM_READ_WRITE, COUNT * sizeof(float), y);

    cl_kernel kernel = example_kernel(&example, "saxpy");
    cl_float a = 2.5f;
    cl_uint count = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof(a), &a));
    CHECK(clSetKernelArg(kernel, 1, sizeof(buffer_x), &buffer_x));
    CHECK(clSetKernelArg(kernel, 2, sizeof(buffer_y), &buffer_y));
    CHECK(clSetKernelArg(kernel, 3, sizeof(count), &count));
    size_t global = (COUNT + 255) / 256 * 256;
    double seconds = example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, buffer_y, COUNT * sizeof(float), result);

    /* One rounding, as the kernel's fma() has: the sum is exact in a double, since all are few bits. Not every system's fmaf() is one. */
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += result[i] != (float)((double)a * x[i] + y[i]);
    int exit_code = example_result("saxpy", wrong == 0, "%d of %d values differ; %.3f ms, %.2f GB/s", wrong, COUNT,
                                   seconds * 1e3, 3.0 * sizeof(float) * COUNT / seconds * 1e-9);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer_x));
    CHECK(clReleaseMemObject(buffer_y));
    free(x);
    free(y);
    free(result);
    example_close(&example);
    return exit_code;
}
