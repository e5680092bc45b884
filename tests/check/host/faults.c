/* Planted faults of the host, for faults.py: `faults` lists the cases, `faults CASE` runs one. A case is a program of its own, right but for
 * what its row says; rows without a kind are right. What is to be found in a case stands in its row: the kind, and words of the message or of
 * the object. */
#include "tests/support/opencl.h"

#include <CL/cl_ext.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void fill(global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "kernel void copy(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }\n"
    "kernel void add(global int *sum, int value) { sum[get_global_id(0)] += value; }\n"
    "kernel void texels(read_only image2d_t in, global int *out) { out[get_global_id(0)] = "
    "read_imagei(in, (int2)(0, 0)).x; }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue, other, loose; /* in order, in order, out of order */
static cl_program program;
static cl_kernel fill, copy, add;
static cl_mem a, b;
static cl_int data[COUNT], more[COUNT];

static void must(cl_int error)
{
    if (error == CL_SUCCESS)
        return;
    printf("a call failed: %d\n", error);
    exit(1);
}

static void begin(void)
{
    cl_platform_id platform;
    cl_int value = 7, error;
    const char *text = source;
    must(clGetPlatformIDs(1, &platform, NULL));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    other = clCreateCommandQueue(context, device, 0, &error);
    loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    must(error);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
    fill = clCreateKernel(program, "fill", &error);
    copy = clCreateKernel(program, "copy", &error);
    add = clCreateKernel(program, "add", &error);
    a = clCreateBuffer(context, 0, BYTES, NULL, &error);
    b = clCreateBuffer(context, 0, BYTES, NULL, &error);
    must(error);
    must(clSetKernelArg(fill, 0, sizeof(a), &a));
    must(clSetKernelArg(fill, 1, sizeof(value), &value));
    must(clSetKernelArg(copy, 0, sizeof(a), &a));
    must(clSetKernelArg(copy, 1, sizeof(b), &b));
    must(clSetKernelArg(add, 0, sizeof(a), &a));
    must(clSetKernelArg(add, 1, sizeof(value), &value));
}

/* Cases that give something back themselves set it to NULL. */
static void end(void)
{
    const cl_mem mems[] = {a, b};
    const cl_kernel kernels[] = {fill, copy, add};
    const cl_command_queue queues[] = {queue, other, loose};
    for (int i = 0; i < 3; i++) {
        if (queues[i])
            must(clFinish(queues[i]));
    }
    for (int i = 0; i < 2; i++) {
        if (mems[i])
            must(clReleaseMemObject(mems[i]));
    }
    for (int i = 0; i < 3; i++) {
        if (kernels[i])
            must(clReleaseKernel(kernels[i]));
        if (queues[i])
            must(clReleaseCommandQueue(queues[i]));
    }
    if (program)
        must(clReleaseProgram(program));
    if (context)
        must(clReleaseContext(context));
}

static const size_t all = COUNT, half = COUNT / 2;

static cl_event launch(cl_command_queue to, cl_kernel kernel, cl_uint num_waits, const cl_event *waits)
{
    cl_event event;
    must(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &all, NULL, num_waits, waits, &event));
    return event;
}

static void launch_alone(cl_command_queue to, cl_kernel kernel)
{
    must(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &all, NULL, 0, NULL, NULL));
}

static void drop(cl_event event)
{
    must(clReleaseEvent(event));
}

/* What the device lacks, no case can show. */
static void need(bool has)
{
    if (!has)
        _exit(TEST_SKIPPED);
}

static void *shared(size_t size)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    need(memory);
    return memory;
}

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

/* ---- callbacks ---- */

static volatile bool called;

static void wait_for_call(void)
{
    must(clFinish(queue));
    for (int i = 0; i < 10000 && !called; i++)
        usleep(1000);
}

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

/* ---- arguments and queries ---- */

static void argument_never_set(void)
{
    cl_kernel fresh = clCreateKernel(program, "fill", NULL);
    must(clSetKernelArg(fresh, 0, sizeof(a), &a));
    clEnqueueNDRangeKernel(queue, fresh, 1, NULL, &all, NULL, 0, NULL, NULL);
    must(clReleaseKernel(fresh));
}

static void argument_too_large(void)
{
    cl_long value = 7;
    clSetKernelArg(fill, 1, sizeof(value), &value);
}

static void argument_no_handle(void)
{
    clSetKernelArg(fill, 0, sizeof(cl_int), data);
}

static void argument_null_value(void)
{
    clSetKernelArg(fill, 1, sizeof(cl_int), NULL);
}

static void argument_out_of_range(void)
{
    clSetKernelArg(fill, 2, sizeof(a), &a);
}

static void argument_wrong_type(void)
{
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
    clSetKernelArg(fill, 0, sizeof(sampler), &sampler);
    must(clReleaseSampler(sampler));
}

static void query_too_small(void)
{
    char name[1];
    clGetKernelInfo(fill, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
}

static void query_number_too_small(void)
{
    cl_int size;
    clGetMemObjectInfo(a, CL_MEM_SIZE, sizeof(size), &size, NULL);
}

static void query_device_too_small(void)
{
    cl_uint size;
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(size), &size, NULL);
}

/* ---- maps ---- */

static void *map(cl_command_queue to, cl_map_flags flags, size_t offset, size_t size)
{
    cl_int error;
    void *pointer = clEnqueueMapBuffer(to, a, CL_TRUE, flags, offset, size, 0, NULL, NULL, &error);
    must(error);
    return pointer;
}

static void map_left_open(void)
{
    map(queue, CL_MAP_READ, 0, BYTES);
}

static void map_released(void)
{
    map(queue, CL_MAP_READ, 0, 16);
    must(clReleaseMemObject(a));
    a = NULL;
}

static void kernel_reads_mapped(void)
{
    void *pointer = map(queue, CL_MAP_WRITE, 0, BYTES);
    launch_alone(queue, copy);
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
}

static void kernel_writes_mapped(void)
{
    void *pointer = map(queue, CL_MAP_READ, 0, BYTES);
    launch_alone(queue, fill);
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
}

static void kernel_reads_mapped_for_reading(void)
{
    void *pointer = map(queue, CL_MAP_READ, 0, BYTES);
    launch_alone(queue, copy);
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
}

static void copy_of_mapped(void)
{
    void *pointer = map(queue, CL_MAP_WRITE, 0, BYTES);
    must(clEnqueueCopyBuffer(queue, a, b, 0, 0, BYTES, 0, NULL, NULL));
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
}

static void copy_beside_map(void)
{
    void *pointer = map(queue, CL_MAP_WRITE, 0, BYTES / 2);
    must(clEnqueueCopyBuffer(queue, a, b, BYTES / 2, 0, BYTES / 2, 0, NULL, NULL));
    must(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
}

static void mapped_twice(void)
{
    void *first = map(queue, CL_MAP_WRITE, 0, BYTES), *second = map(queue, CL_MAP_WRITE, 64, 64);
    must(clEnqueueUnmapMemObject(queue, a, second, 0, NULL, NULL));
    must(clEnqueueUnmapMemObject(queue, a, first, 0, NULL, NULL));
}

static void transfer_of_mapped_svm(void)
{
    cl_int *memory = shared(BYTES);
    must(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, BYTES, 0, NULL, NULL));
    must(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL)); /* the host's by now */
    must(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    must(clFinish(queue));
    clSVMFree(context, memory);
}

static void fill_of_mapped_svm(void)
{
    cl_int *memory = shared(BYTES);
    must(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, BYTES, 0, NULL, NULL));
    must(clEnqueueSVMMemFill(queue, memory, data, 4, BYTES, 0, NULL, NULL));
    must(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    must(clFinish(queue));
    clSVMFree(context, memory);
}

static void map_of_freed_svm(void)
{
    for (int i = 0; i < 2; i++) { /* most likely at the same address */
        cl_int *memory = shared(BYTES);
        must(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, BYTES, 0, NULL, NULL));
        clSVMFree(context, memory);
    }
}

/* ---- events that nobody waits for ---- */

static void unwaited(void)
{
    cl_event event;
    must(clEnqueueFillBuffer(other, a, data, 4, 0, BYTES, 0, NULL, &event));
    drop(event);
    must(clFlush(other));
    must(clReleaseCommandQueue(other));
    other = NULL;
}

static void finished_without_wait(void)
{
    drop(launch(queue, fill, 0, NULL));
}

/* ---- races of commands ---- */

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

static void many_commands(void)
{
    for (int i = 0; i < 5000; i++)
        launch_alone(queue, add);
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *kind, *words;
} cases[] = {
#define CASE(name, kind, words)                                                                                        \
    {                                                                                                                  \
#name, name, kind, words                                                                                       \
    }
    CASE(nothing, "", ""),
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
    CASE(callback_finishes, "blocking-callback", "clFinish.*waits for a queue in a callback of clSetEventCallback"),
    CASE(callback_reads, "blocking-callback", "clEnqueueReadBuffer.*waits for its command"),
    CASE(callback_waits, "blocking-callback", "clWaitForEvents.*waits for events"),
    CASE(callback_makes_queue, "blocking-callback", "clCreateCommandQueue.*creates a command queue"),
    CASE(callback_builds, "blocking-callback", "clBuildProgram"),
    CASE(callback_right, "", ""),
    CASE(destructor_finishes, "blocking-callback", "callback of clSetMemObjectDestructorCallback"),
    CASE(argument_never_set, "argument", "kernel 'fill', whose argument 1.* was never set"),
    CASE(argument_too_large, "argument", "argument 1 of kernel 'fill' with 8 bytes, but it is a value of 4 bytes"),
    CASE(argument_no_handle, "argument", "argument 0 of kernel 'fill' with 4 bytes, but it is a buffer"),
    CASE(argument_null_value, "argument", "with 4 bytes of NULL"),
    CASE(argument_out_of_range, "argument", "argument 2 of kernel 'fill', which has 2"),
    CASE(argument_wrong_type, "argument", "it is a buffer of 8 bytes .*CL_INVALID_MEM_OBJECT"),
    CASE(query_too_small, "query-size", "room for 1 bytes, and the answer of 0x1190 has 5"),
    CASE(query_number_too_small, "query-size", "room for 4 bytes, and the answer of 0x1102 has 8"),
    CASE(query_device_too_small, "query-size", "room for 4 bytes"),
    CASE(map_left_open, "open-map", "clEnqueueMapBuffer"),
    CASE(map_released, "open-map", "buffer .* of 4096 bytes"),
    CASE(kernel_reads_mapped, "open-map", "kernel 'copy' .* reads memory that is mapped for writing"),
    CASE(kernel_writes_mapped, "open-map", "kernel 'fill' .* writes memory that is mapped for reading"),
    CASE(kernel_reads_mapped_for_reading, "", ""),
    CASE(copy_of_mapped, "open-map", "clEnqueueCopyBuffer .* reads memory that is mapped for writing"),
    CASE(copy_beside_map, "", ""),
    CASE(mapped_twice, "open-map", "mapped for writing since clEnqueueMapBuffer"),
    CASE(transfer_of_mapped_svm, "", ""),
    CASE(fill_of_mapped_svm, "open-map", "clEnqueueSVMMemFill .* writes memory that is mapped for reading"),
    CASE(map_of_freed_svm, "open-map", "memory .* of 4096 bytes, created by clSVMAlloc"),
    CASE(unwaited, "unwaited-event", "clEnqueueFillBuffer"),
    CASE(finished_without_wait, "", ""),
    CASE(race_of_queues, "command-race",
         "kernel 'copy' .* reads a buffer that kernel 'fill' .* writes.*different queues.*no event"),
    CASE(race_of_queues_with_event, "command-race", "does not wait for the other's event"),
    CASE(no_race_by_event, "", ""),
    CASE(no_race_by_finish, "", ""),
    CASE(no_race_by_status, "", ""),
    CASE(race_out_of_order, "command-race", "kernel 'copy' .*kernel 'fill'.*their queue is out of order"),
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
    CASE(many_commands, "", ""),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2)
            printf("%s\t%s\t%s\n", cases[i].name, cases[i].kind, cases[i].words);
        else if (!strcmp(argv[1], cases[i].name)) {
            begin();
            cases[i].run();
            end();
            return 0;
        }
    }
    return argc > 1;
}
