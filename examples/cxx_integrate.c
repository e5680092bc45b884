/* Kernels that enqueue kernels, in OpenCL C++ (cxx_integrate.clcpp): an integral whose intervals divide themselves
 * where the integrand asks for it. The host enqueues one kernel; it is complete when all its descendants are. */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEGINNINGS = 8, STEPS = 2000000, SKIPPED = 77 };

static const float from = 0.05f, to = 1, tolerance = 1e-4f;

/* The midpoint rule, with far more points than there are intervals. */
static double expected(void)
{
    double sum = 0, width = ((double)to - (double)from) / STEPS;
    for (int i = 0; i < STEPS; i++)
        sum += sin(1 / ((double)from + (i + 0.5) * width));
    return sum * width;
}

/* Sums of longs are atomic. */
static bool has_long_atomics(cl_device_id device)
{
    char extensions[8192] = "";
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
    return strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
}

static bool has_device_queues(cl_device_id device)
{
    cl_device_device_enqueue_capabilities able = 0;
    clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(able), &able, NULL);
    return able & CL_DEVICE_QUEUE_SUPPORTED;
}

static void run(struct example *example, cl_long result[2])
{
    const size_t beginnings = BEGINNINGS, one = 1;
    cl_kernel integrate = example_kernel(example, "integrate"), tell = example_kernel(example, "tell");
    cl_mem buffer = example_buffer(example, CL_MEM_WRITE_ONLY, 2 * sizeof(cl_long), NULL);
    CHECK(clSetKernelArg(integrate, 0, sizeof(from), &from));
    CHECK(clSetKernelArg(integrate, 1, sizeof(to), &to));
    CHECK(clSetKernelArg(integrate, 2, sizeof(tolerance), &tolerance));
    CHECK(clSetKernelArg(tell, 0, sizeof(buffer), &buffer));
    example_run(example, integrate, 1, &beginnings, NULL);
    example_run(example, tell, 1, &one, NULL);
    example_read(example, buffer, 2 * sizeof(cl_long), result);
    CHECK(clReleaseKernel(integrate));
    CHECK(clReleaseKernel(tell));
    CHECK(clReleaseMemObject(buffer));
}

int main(void)
{
    struct example example;
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    cl_long result[2];
    cl_int error;
    example_open(&example);
    if (!has_device_queues(example.device) || !has_long_atomics(example.device)) {
        printf("the device has no queues of its own, or no atomics of 64 bits\n");
        example_close(&example);
        return SKIPPED;
    }
    cl_command_queue queue = clCreateCommandQueueWithProperties(example.context, example.device, on_device, &error);
    CHECK(error);
    example_create_il(&example, EXAMPLE_SPV);
    example_build_il(&example, NULL);
    run(&example, result);
    double got = (double)result[0] / 1099511627776.0, wanted = expected(); /* 2^40 */
    int code = example_result("cxx_integrate", fabs(got - wanted) < 5e-4 && result[1] > BEGINNINGS,
                              "%.6f (%.6f) by %lld intervals", got, wanted, (long long)result[1]);
    CHECK(clReleaseCommandQueue(queue));
    example_close(&example);
    return code;
}
