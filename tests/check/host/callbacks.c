/* Calls in callbacks that may not be made there (faults.c). */
#include "tests/check/host/faults.h"

static void CL_CALLBACK finishes(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clFinish(other);
    called = true;
}

static void CL_CALLBACK reads(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clEnqueueReadBuffer(other, b, CL_TRUE, 0, BYTES, data, 0, NULL, NULL);
    called = true;
}

static void CL_CALLBACK waits(cl_event event, cl_int status, void *user)
{
    (void)status;
    (void)user;
    clWaitForEvents(1, &event);
    called = true;
}

static void CL_CALLBACK makes_queue(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clReleaseCommandQueue(clCreateCommandQueue(context, device, 0, NULL));
    called = true;
}

static void CL_CALLBACK builds(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    cl_program made = clCreateProgramWithSource(context, 1, &(const char *){"kernel void f() {}"}, NULL, NULL);
    clBuildProgram(made, 0, NULL, "", NULL, NULL);
    clReleaseProgram(made);
    called = true;
}

static void CL_CALLBACK does_right(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clEnqueueWriteBuffer(other, b, CL_FALSE, 0, BYTES, data, 0, NULL, NULL);
    clFlush(other);
    called = true;
}

static void with_callback(void(CL_CALLBACK *callback)(cl_event, cl_int, void *))
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clSetEventCallback(event, CL_COMPLETE, callback, NULL));
    wait_for_call();
    drop(event);
}

static void callback_finishes(void)
{
    with_callback(finishes);
}

static void callback_reads(void)
{
    with_callback(reads);
}

static void callback_waits(void)
{
    with_callback(waits);
}

static void callback_makes_queue(void)
{
    with_callback(makes_queue);
}

static void callback_builds(void)
{
    with_callback(builds);
}

static void callback_right(void)
{
    with_callback(does_right);
}

static void CL_CALLBACK dies(cl_mem mem, void *user)
{
    (void)mem;
    (void)user;
    clFinish(other);
    called = true;
}

static void destructor_finishes(void)
{
    must(clSetMemObjectDestructorCallback(b, dies, NULL));
    must(clReleaseKernel(copy));
    copy = NULL;
    must(clReleaseMemObject(b));
    b = NULL;
    wait_for_call();
}

const struct fault_case callback_cases[] = {
    CASE(callback_finishes, "blocking-callback", "clFinish.*waits for a queue in a callback of clSetEventCallback"),
    CASE(callback_reads, "blocking-callback", "clEnqueueReadBuffer.*waits for its command"),
    CASE(callback_waits, "blocking-callback", "clWaitForEvents.*waits for events"),
    CASE(callback_makes_queue, "blocking-callback", "clCreateCommandQueue.*creates a command queue"),
    CASE(callback_builds, "blocking-callback", "clBuildProgram"),
    CASE(callback_right, "", ""),
    CASE(destructor_finishes, "blocking-callback", "callback of clSetMemObjectDestructorCallback"),
    {NULL, NULL, NULL, NULL},
};
