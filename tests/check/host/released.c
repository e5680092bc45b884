/* Objects and memory that are used after their last release, or that nobody releases (faults.c). */
#include "tests/check/host/faults.h"

/* ---- used after the last release ---- */

static void released_buffer_read(void)
{
    must(clReleaseMemObject(a));
    clEnqueueReadBuffer(queue, a, CL_TRUE, 0, BYTES, data, 0, NULL, NULL);
    a = NULL;
}

static void released_twice(void)
{
    must(clReleaseMemObject(a));
    clReleaseMemObject(a);
    a = NULL;
}

static void released_argument(void)
{
    must(clReleaseMemObject(b));
    b = NULL;
    clEnqueueNDRangeKernel(queue, copy, 1, NULL, &all, NULL, 0, NULL, NULL);
}

static void released_event_waited(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clFinish(queue));
    drop(event);
    clWaitForEvents(1, &event);
}

static void released_event_in_list(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clFinish(queue));
    drop(event);
    clEnqueueMarkerWithWaitList(queue, 1, &event, NULL);
}

static void released_kernel(void)
{
    must(clReleaseKernel(fill));
    clSetKernelArg(fill, 0, sizeof(a), &a);
    fill = NULL;
}

static void released_program(void)
{
    cl_program gone = clCreateProgramWithSource(context, 1, &(const char *){"kernel void f() {}"}, NULL, NULL);
    must(clReleaseProgram(gone));
    clCreateKernel(gone, "f", NULL);
}

static void released_queue(void)
{
    must(clReleaseCommandQueue(other));
    clFlush(other);
    other = NULL;
}

static void released_context(void)
{
    cl_context gone = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    must(clReleaseContext(gone));
    clCreateBuffer(gone, 0, 64, NULL, NULL);
}

static void released_sampler(void)
{
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
    must(clReleaseSampler(sampler));
    clRetainSampler(sampler);
}

static void released_but_alive(void)
{
    cl_buffer_region region = {0, BYTES / 2};
    cl_int error;
    cl_mem part = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    must(clReleaseMemObject(a));
    must(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, BYTES, data, 0, NULL, NULL));
    a = NULL;
    must(clReleaseMemObject(part));
}

static void released_svm(void)
{
    cl_int *memory = shared(BYTES);
    clSVMFree(context, memory);
    clSetKernelArgSVMPointer(fill, 0, memory);
    must(clSetKernelArg(fill, 0, sizeof(a), &a));
}

static void svm_argument_freed(void)
{
    cl_int *memory = shared(BYTES);
    must(clSetKernelArgSVMPointer(copy, 1, memory));
    clSVMFree(context, memory);
    clEnqueueNDRangeKernel(queue, copy, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL);
}

/* ---- leaks ---- */

static void leaked_buffer(void)
{
    clCreateBuffer(context, 0, 4000, NULL, NULL);
}

static void leaked_reference(void)
{
    must(clRetainKernel(fill));
}

static void leaked_event(void)
{
    launch(queue, fill, 0, NULL);
}

static void leaked_queue(void)
{
    clCreateCommandQueue(context, device, 0, NULL);
}

static void leaked_program(void)
{
    clCreateProgramWithSource(context, 1, &(const char *){"kernel void f() {}"}, NULL, NULL);
}

static void leaked_svm(void)
{
    shared(5000);
}

static void leaked_user_event(void)
{
    cl_event event = clCreateUserEvent(context, NULL);
    must(clSetUserEventStatus(event, CL_COMPLETE));
}

static void leaked_kernels(void)
{
    cl_kernel kernels[4];
    must(clCreateKernelsInProgram(program, 4, kernels, NULL));
    for (int i = 0; i < 3; i++)
        must(clReleaseKernel(kernels[i]));
}

const struct fault_case released_cases[] = {
    CASE(released_buffer_read, "released-object",
         "buffer .* of 4096 bytes, created by clCreateBuffer, .*released by clReleaseMemObject"),
    CASE(released_twice, "released-object", "releases a buffer after its last release"),
    CASE(released_argument, "released-object", "kernel 'copy', whose argument 1 is a buffer"),
    CASE(released_event_waited, "released-object", "uses an event"),
    CASE(released_event_in_list, "released-object", "event .*created by clEnqueueNDRangeKernel"),
    CASE(released_kernel, "released-object", "kernel .*created by clCreateKernel"),
    CASE(released_program, "released-object", "program .*created by clCreateProgramWithSource"),
    CASE(released_queue, "released-object", "command queue .*created by clCreateCommandQueue"),
    CASE(released_context, "released-object", "context .*created by clCreateContext"),
    CASE(released_sampler, "released-object", "sampler .*created by clCreateSampler"),
    CASE(released_but_alive, "released-object", "buffer .* of 4096 bytes"),
    CASE(released_svm, "released-object", "memory .* of 4096 bytes, created by clSVMAlloc"),
    CASE(svm_argument_freed, "released-object", "kernel 'copy', whose argument 1 is memory"),
    CASE(leaked_buffer, "leak", "buffer .* of 4000 bytes, created by clCreateBuffer"),
    CASE(leaked_reference, "leak", "kernel .*clCreateKernel"),
    CASE(leaked_event, "leak", "event .*clEnqueueNDRangeKernel"),
    CASE(leaked_queue, "leak", "command queue"),
    CASE(leaked_program, "leak", "program"),
    CASE(leaked_svm, "leak", "memory .* of 5000 bytes"),
    CASE(leaked_user_event, "leak", "event .*clCreateUserEvent"),
    CASE(leaked_kernels, "leak", "kernel .*clCreateKernelsInProgram"),
    {NULL, NULL, NULL, NULL},
};
