/* Commands and the host at the same memory without an order (faults.c). */
#include "tests/check/host/faults.h"

static void race_of_queues(void)
{
    launch_alone(queue, fill);
    launch_alone(other, copy);
}

static void race_of_queues_with_event(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    launch_alone(other, copy);
    must(clWaitForEvents(1, &event));
    drop(event);
}

static void no_race_by_event(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clFlush(queue));
    drop(launch(other, copy, 1, &event));
    drop(event);
}

static void no_race_by_finish(void)
{
    launch_alone(queue, fill);
    must(clFinish(queue));
    launch_alone(other, copy);
}

static void no_race_by_status(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    cl_int status = CL_QUEUED;
    must(clFlush(queue));
    while (status != CL_COMPLETE)
        must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    launch_alone(other, copy);
    drop(event);
}

static void race_out_of_order(void)
{
    launch_alone(loose, fill);
    launch_alone(loose, copy);
}

/* No work-item runs in a range without a size, or with one of 0. */
static void no_race_of_empty_ranges(void)
{
    const size_t none[3] = {4, 0, 1};
    launch_alone(loose, fill);
    must(clEnqueueNDRangeKernel(loose, copy, 1, NULL, none + 1, NULL, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(loose, copy, 3, NULL, none, NULL, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(loose, copy, 2, NULL, NULL, NULL, 0, NULL, NULL));
}

static void race_step_forgotten(void)
{
    cl_event first = launch(loose, fill, 0, NULL), second = launch(loose, add, 0, NULL);
    drop(launch(loose, copy, 1, &second));
    drop(first);
    drop(second);
}

static void no_race_by_barrier(void)
{
    launch_alone(loose, fill);
    must(clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL));
    launch_alone(loose, copy);
}

static void race_beside_marker(void)
{
    cl_event marker;
    launch_alone(loose, fill);
    must(clEnqueueMarkerWithWaitList(loose, 0, NULL, &marker));
    launch_alone(loose, copy); /* a marker holds nothing back */
    drop(marker);
}

static void no_race_by_marker(void)
{
    cl_event marker;
    launch_alone(loose, fill);
    must(clEnqueueMarkerWithWaitList(loose, 0, NULL, &marker));
    drop(launch(loose, copy, 1, &marker));
    drop(marker);
}

static void no_race_through_third(void)
{
    cl_event first = launch(queue, fill, 0, NULL), second;
    must(clEnqueueMarkerWithWaitList(loose, 1, &first, &second));
    must(clFlush(queue));
    must(clFlush(loose));
    drop(launch(other, copy, 1, &second));
    drop(first);
    drop(second);
}

static void race_of_copies(void)
{
    must(clEnqueueCopyBuffer(queue, a, b, 0, 0, BYTES, 0, NULL, NULL));
    must(clEnqueueFillBuffer(other, a, data, 4, BYTES - 4, 4, 0, NULL, NULL));
}

static void no_race_of_parts(void)
{
    must(clEnqueueFillBuffer(queue, a, data, 4, 0, BYTES / 2, 0, NULL, NULL));
    must(clEnqueueFillBuffer(other, a, data, 4, BYTES / 2, BYTES / 2, 0, NULL, NULL));
}

static void no_race_of_columns(void)
{
    const size_t left[3] = {0, 0, 0}, right[3] = {32, 0, 0}, region[3] = {32, 16, 1};
    must(clEnqueueWriteBufferRect(queue, a, CL_FALSE, left, left, region, 64, 0, 64, 0, data, 0, NULL, NULL));
    must(clEnqueueWriteBufferRect(other, a, CL_FALSE, right, right, region, 64, 0, 64, 0, data, 0, NULL, NULL));
}

static void race_of_columns(void)
{
    const size_t left[3] = {0, 0, 0}, right[3] = {31, 0, 0}, region[3] = {32, 16, 1};
    must(clEnqueueWriteBufferRect(queue, a, CL_FALSE, left, left, region, 64, 0, 64, 0, data, 0, NULL, NULL));
    must(clEnqueueWriteBufferRect(other, a, CL_FALSE, right, right, region, 64, 0, 64, 0, more, 0, NULL, NULL));
}

static void race_of_sub_buffers(void)
{
    cl_buffer_region whole = {0, BYTES}, part = {BYTES / 2, BYTES / 2};
    cl_mem x = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, NULL);
    cl_mem y = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL);
    must(clEnqueueFillBuffer(queue, x, data, 4, 0, BYTES, 0, NULL, NULL));
    must(clEnqueueFillBuffer(other, y, data, 4, 0, 4, 0, NULL, NULL));
    must(clReleaseMemObject(x));
    must(clReleaseMemObject(y));
}

static void race_read_back(void)
{
    launch_alone(queue, fill);
    must(clEnqueueReadBuffer(other, a, CL_TRUE, 0, BYTES, data, 0, NULL, NULL));
}

static void race_of_map(void)
{
    launch_alone(queue, fill);
    void *pointer = map(other, CL_MAP_READ, 0, BYTES);
    must(clEnqueueUnmapMemObject(other, a, pointer, 0, NULL, NULL));
}

static void race_after_unmap(void)
{
    void *pointer = map(queue, CL_MAP_WRITE, 0, BYTES);
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
    launch_alone(other, copy);
}

static void race_in_host_memory(void)
{
    must(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, BYTES, data, 0, NULL, NULL));
    must(clEnqueueWriteBuffer(other, b, CL_FALSE, 0, BYTES, data, 0, NULL, NULL));
}

static void race_of_svm(void)
{
    char *memory = shared(BYTES);
    must(clEnqueueSVMMemFill(queue, memory, data, 4, BYTES, 0, NULL, NULL));
    must(clEnqueueSVMMemcpy(other, CL_FALSE, data, memory, BYTES, 0, NULL, NULL));
    must(clFinish(queue));
    must(clFinish(other));
    clSVMFree(context, memory);
}

static void race_of_svm_kernel(void)
{
    char *memory = shared(BYTES);
    must(clSetKernelArgSVMPointer(fill, 0, memory));
    launch_alone(queue, fill);
    must(clEnqueueSVMMemcpy(other, CL_TRUE, data, memory, BYTES, 0, NULL, NULL));
    must(clFinish(queue));
    clSVMFree(context, memory);
}

static void svm_freed_in_use(void)
{
    char *memory = shared(BYTES);
    must(clEnqueueSVMMemFill(queue, memory, data, 4, BYTES, 0, NULL, NULL));
    clSVMFree(context, memory);
}

static void race_of_images(void)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t at[3] = {0, 0, 0}, next[3] = {8, 0, 0}, region[3] = {8, 16, 1}, wide[3] = {9, 16, 1};
    const cl_int color[4] = {1, 2, 3, 4};
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL);
    need(image);
    must(clEnqueueFillImage(queue, image, color, at, region, 0, NULL, NULL));
    must(clEnqueueFillImage(other, image, color, next, region, 0, NULL, NULL)); /* beside it */
    must(clFinish(other));
    must(clEnqueueReadImage(other, image, CL_TRUE, at, wide, 0, 0, data, 0, NULL, NULL));
    must(clFinish(queue));
    must(clReleaseMemObject(image));
}

static void no_race_of_halves(void)
{
    must(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &half, NULL, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(other, fill, 1, &half, &half, NULL, 0, NULL, NULL));
}

static void no_race_of_readers(void)
{
    cl_mem c = clCreateBuffer(context, 0, BYTES, NULL, NULL);
    launch_alone(queue, copy);
    must(clSetKernelArg(copy, 1, sizeof(c), &c));
    launch_alone(other, copy);
    must(clFinish(other));
    must(clReleaseMemObject(c));
}

static void race_behind_user_event(void)
{
    cl_event user = clCreateUserEvent(context, NULL);
    drop(launch(queue, fill, 1, &user));
    launch_alone(other, copy);
    must(clSetUserEventStatus(user, CL_COMPLETE));
    drop(user);
}

static void no_race_by_user_event(void)
{
    cl_event user = clCreateUserEvent(context, NULL);
    drop(launch(queue, fill, 1, &user));
    launch_alone(other, copy);
    must(clFinish(other)); /* before the other one may begin */
    must(clSetUserEventStatus(user, CL_COMPLETE));
    drop(user);
}

static void CL_CALLBACK goes_on(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clEnqueueNDRangeKernel(other, copy, 1, NULL, &all, NULL, 0, NULL, NULL);
    clFlush(other);
    called = true;
}

/* As many queues as an application may make and give back. */
static void no_race_in_fresh_queues(void)
{
    for (int i = 0; i < 1500; i++) {
        cl_command_queue own = clCreateCommandQueue(context, device, 0, NULL);
        must(clEnqueueFillBuffer(own, a, data, 4, 0, BYTES, 0, NULL, NULL));
        must(clEnqueueReadBuffer(own, a, CL_TRUE, 0, BYTES, data, 0, NULL, NULL));
        must(clReleaseCommandQueue(own));
    }
}

static void CL_CALLBACK uses_its_event(cl_event event, cl_int status, void *user)
{
    cl_int got;
    (void)status;
    (void)user;
    must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(got), &got, NULL));
    called = true;
}

static void callback_uses_its_event(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clSetEventCallback(event, CL_COMPLETE, uses_its_event, NULL));
    drop(event);
    wait_for_call();
}

static void no_race_by_callback(void)
{
    cl_event event = launch(queue, fill, 0, NULL);
    must(clSetEventCallback(event, CL_COMPLETE, goes_on, NULL));
    must(clFlush(queue));
    for (int i = 0; i < 10000 && !called; i++)
        usleep(1000);
    drop(event);
}

const struct fault_case race_cases[] = {
    CASE(race_of_queues, "command-race",
         "kernel 'copy' .* reads a buffer that kernel 'fill' .* writes.*different queues.*no event"),
    CASE(race_of_queues_with_event, "command-race", "does not wait for the other's event"),
    CASE(no_race_by_event, "", ""),
    CASE(no_race_by_finish, "", ""),
    CASE(no_race_by_status, "", ""),
    CASE(race_out_of_order, "command-race", "kernel 'copy' .*kernel 'fill'.*their queue is out of order"),
    CASE(no_race_of_empty_ranges, "", ""),
    CASE(race_step_forgotten, "command-race", "kernel 'add' .* reads and writes a buffer that kernel 'fill' .* writes"),
    CASE(no_race_by_barrier, "", ""),
    CASE(race_beside_marker, "command-race", "kernel 'copy'"),
    CASE(no_race_by_marker, "", ""),
    CASE(no_race_through_third, "", ""),
    CASE(race_of_copies, "command-race", "clEnqueueFillBuffer .* writes a buffer that clEnqueueCopyBuffer .* reads"),
    CASE(no_race_of_parts, "", ""),
    CASE(no_race_of_columns, "", ""),
    CASE(race_of_columns, "command-race", "clEnqueueWriteBufferRect"),
    CASE(race_of_sub_buffers, "command-race", "clEnqueueFillBuffer"),
    CASE(race_read_back, "command-race", "clEnqueueReadBuffer .* reads a buffer that kernel 'fill'"),
    CASE(race_of_map, "command-race", "clEnqueueMapBuffer .* reads a buffer that kernel 'fill'"),
    CASE(race_after_unmap, "command-race", "kernel 'copy' .* reads a buffer that clEnqueueUnmapMemObject .* writes"),
    CASE(race_in_host_memory, "command-race",
         "clEnqueueWriteBuffer .* reads the host's memory at 0x.* that clEnqueueReadBuffer .* writes"),
    CASE(race_of_svm, "command-race", "clEnqueueSVMMemcpy .* reads memory that clEnqueueSVMMemFill"),
    CASE(race_of_svm_kernel, "command-race", "clEnqueueSVMMemcpy .* reads memory that kernel 'fill'"),
    CASE(svm_freed_in_use, "host-race", "frees memory that clEnqueueSVMMemFill .* writes"),
    CASE(race_of_images, "command-race", "clEnqueueReadImage .* reads an image that clEnqueueFillImage"),
    CASE(no_race_of_halves, "", ""),
    CASE(no_race_of_readers, "", ""),
    CASE(race_behind_user_event, "command-race", "kernel 'copy' .*kernel 'fill'"),
    CASE(no_race_by_user_event, "", ""),
    CASE(no_race_by_callback, "", ""),
    CASE(no_race_in_fresh_queues, "", ""),
    CASE(callback_uses_its_event, "", ""),
    {NULL, NULL, NULL, NULL},
};
