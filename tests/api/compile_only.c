/* A device that is opened for compiling only (PUMICE_COMPILE_ONLY): programs build and queries answer; whatever would
 * make the device work, or takes its memory, fails at once. */
#include "api_test.h"

#include <time.h>

static const char source[] = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scale(int a, local int *b)\n"
                             "{ b[get_local_id(0)] = a; }\n"
                             "global int kept = 7;\n"
                             "kernel void root(global float *x, int n) { x[n] = sqrt(x[n]) / n + kept++; }\n";

/* Long before any of our own waits would end. */
enum { SECONDS = 10 };

static void test_queries(cl_program program)
{
    cl_int error;
    cl_bool available = CL_FALSE;
    cl_ulong memory = 0, largest = 0;
    size_t size[3] = {0};
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    OK(error);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(size), size, NULL));
    CHECK(size[0] == 64 && size[1] == 1 && size[2] == 1);
    OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest, NULL));
    CHECK(memory > 0 && largest > 0 && largest <= memory);
    OK(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof(available), &available, NULL));
    CHECK(!available);
    OK(clReleaseKernel(kernel));
    kernel = clCreateKernel(program, "root", &error);
    OK(error);
    OK(clReleaseKernel(kernel));
}

static void test_commands(cl_program program)
{
    cl_int error, value = 3;
    const size_t items = 64;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_bool images = CL_FALSE;
    char bytes[64] = {0};
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(value), &value));
    OK(clSetKernelArg(kernel, 1, 256, NULL));
    cl_event event = user_event();
    CODE(CL_DEVICE_NOT_AVAILABLE, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CODE(CL_DEVICE_NOT_AVAILABLE, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 1, &event, NULL));
    CODE(CL_DEVICE_NOT_AVAILABLE, clEnqueueMarkerWithWaitList(queue, 1, &event, NULL));
    CODE(CL_DEVICE_NOT_AVAILABLE, clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE,
              clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes, &error));
    NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreateBuffer(context, 0, sizeof(bytes), NULL, &error));
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    if (images)
        NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreateImage(context, 0, &format, &desc, NULL, &error));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0));
    OK(clFlush(queue));
    OK(clFinish(queue));
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    OK(clFinish(queue));
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
    double began = seconds();
    open_device(CL_QUEUE_PROFILING_ENABLE);
    cl_program program = build(source, "-cl-std=CL3.0");
    test_queries(program);
    test_commands(program);
    OK(clReleaseProgram(program));
    int result = close_device();
    CHECK(seconds() - began < SECONDS);
    return result ? result : test_result();
}
