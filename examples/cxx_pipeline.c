/* A pipeline in OpenCL C++ (cxx_pipeline.clcpp): its pipes and the record that it keeps belong to the program, so that
 * the host passes nothing between the kernels. The number below COUNT with the longest Collatz sequence. */
#include "common.h"

#include <string.h>
#include <stdio.h>

enum { COUNT = 100000, ROUND = 2048, SKIPPED = 77 };

static cl_uint steps_of(cl_uint number)
{
    cl_uint steps = 0;
    for (cl_ulong n = number; n > 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void run(struct example *example, cl_mem result)
{
    cl_kernel produce = example_kernel(example, "produce"), measure = example_kernel(example, "measure"),
              collect = example_kernel(example, "collect"), tell = example_kernel(example, "tell");
    const size_t one = 1, workers = 64;
    for (cl_uint first = 1; first < COUNT; first += ROUND) {
        size_t items = COUNT - first < ROUND ? COUNT - first : ROUND;
        CHECK(clSetKernelArg(produce, 0, sizeof(first), &first));
        CHECK(clEnqueueNDRangeKernel(example->queue, produce, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(example->queue, measure, 1, NULL, &workers, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(example->queue, collect, 1, NULL, &workers, NULL, 0, NULL, NULL));
    }
    CHECK(clSetKernelArg(tell, 0, sizeof(result), &result));
    CHECK(clEnqueueNDRangeKernel(example->queue, tell, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clReleaseKernel(produce));
    CHECK(clReleaseKernel(measure));
    CHECK(clReleaseKernel(collect));
    CHECK(clReleaseKernel(tell));
}

/* The best number so far is kept in 64 bits. */
static bool has_long_atomics(cl_device_id device)
{
    static char extensions[16384];
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
    return strstr(extensions, "cl_khr_int64_extended_atomics") != NULL;
}

int main(void)
{
    struct example example;
    cl_bool pipes = CL_FALSE;
    cl_uint got[2] = {0}, best = 1;
    example_open(&example);
    clGetDeviceInfo(example.device, CL_DEVICE_PIPE_SUPPORT, sizeof(pipes), &pipes, NULL);
    if (!pipes || !has_long_atomics(example.device)) {
        printf("the device has no pipes, or no 64-bit atomics\n");
        example_close(&example);
        return SKIPPED;
    }
    example_create_il(&example, EXAMPLE_SPV);
    example_build_il(&example, NULL);
    cl_mem result = example_buffer(&example, CL_MEM_WRITE_ONLY, sizeof(got), NULL);
    run(&example, result);
    example_read(&example, result, sizeof(got), got);
    for (cl_uint number = 2; number < COUNT; number++)
        best = steps_of(number) > steps_of(best) ? number : best;
    int code = example_result("cxx_pipeline", got[0] == best && got[1] == steps_of(best), "below %d, %u takes %u steps",
                              COUNT, got[0], got[1]);
    CHECK(clReleaseMemObject(result));
    example_close(&example);
    return code;
}
