/* Planted faults with command buffers, as those of faults.c. */
#include "tests/support/command_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void fill(global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "kernel void copy(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }\n";

static struct buffer_functions call;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue, other, loose; /* in order, in order, out of order */
static cl_program program;
static cl_kernel fill, copy;
static cl_mem a, b;
static buffer_handle buffer;
static const size_t all = COUNT;
static const cl_int zero;

static void must(cl_int error)
{
    if (error == CL_SUCCESS)
        return;
    printf("a call failed: %d\n", error);
    exit(1);
}

/* What the device lacks, no case can show. */
static void begin(void)
{
    cl_platform_id platform;
    cl_int value = 7, error;
    const char *text = source;
    must(clGetPlatformIDs(1, &platform, NULL));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    if (!find_buffer_functions(platform, &call))
        _exit(TEST_SKIPPED);
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
    a = clCreateBuffer(context, 0, BYTES, NULL, &error);
    b = clCreateBuffer(context, 0, BYTES, NULL, &error);
    must(error);
    must(clSetKernelArg(fill, 0, sizeof(a), &a));
    must(clSetKernelArg(fill, 1, sizeof(value), &value));
    must(clSetKernelArg(copy, 0, sizeof(a), &a));
    must(clSetKernelArg(copy, 1, sizeof(b), &b));
}

static void end(void)
{
    const cl_command_queue queues[] = {queue, other, loose};
    for (int i = 0; i < 3; i++) {
        must(clFinish(queues[i]));
        must(clReleaseCommandQueue(queues[i]));
    }
    if (buffer)
        must(call.release(buffer));
    must(clReleaseMemObject(a));
    must(clReleaseMemObject(b));
    must(clReleaseKernel(fill));
    must(clReleaseKernel(copy));
    must(clReleaseProgram(program));
    must(clReleaseContext(context));
}

/* ---- commands ---- */

static void record_to(cl_command_queue to, const cl_ulong *properties)
{
    cl_int error;
    buffer = call.create(1, &to, properties, &error);
    must(error);
}

static cl_uint launch(cl_kernel kernel, cl_uint num_waits, const cl_uint *waits)
{
    cl_uint point;
    must(call.launch(buffer, NULL, NULL, kernel, 1, NULL, &all, NULL, num_waits, waits, &point, NULL));
    return point;
}

static void enqueue(void)
{
    must(call.enqueue(0, NULL, buffer, 0, NULL, NULL));
}

static void enqueue_once(void)
{
    must(call.finalize(buffer));
    enqueue();
}

/* ---- order ---- */

static void race_inside(void)
{
    record_to(loose, NULL);
    launch(fill, 0, NULL);
    launch(copy, 0, NULL);
    enqueue_once();
}

static void race_of_recorded_copies(void)
{
    record_to(loose, NULL);
    must(call.fill(buffer, NULL, NULL, a, &zero, 4, 0, BYTES, 0, NULL, NULL, NULL));
    must(call.copy(buffer, NULL, NULL, a, b, 1024, 0, 16, 0, NULL, NULL, NULL));
    enqueue_once();
}

static void no_race_of_other_bytes(void)
{
    record_to(loose, NULL);
    must(call.fill(buffer, NULL, NULL, a, &zero, 4, 0, 1024, 0, NULL, NULL, NULL));
    must(call.copy(buffer, NULL, NULL, a, b, 1024, 0, 16, 0, NULL, NULL, NULL));
    enqueue_once();
}

static void no_race_by_sync_point(void)
{
    record_to(loose, NULL);
    cl_uint point = launch(fill, 0, NULL);
    launch(copy, 1, &point);
    enqueue_once();
}

static void no_race_by_recorded_barrier(void)
{
    record_to(loose, NULL);
    launch(fill, 0, NULL);
    must(call.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    launch(copy, 0, NULL);
    enqueue_once();
}

static void no_race_in_order(void)
{
    record_to(queue, NULL);
    launch(fill, 0, NULL);
    launch(copy, 0, NULL);
    enqueue_once();
    enqueue();
    must(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &all, NULL, 0, NULL, NULL));
}

static void race_behind_buffer(void)
{
    record_to(queue, NULL);
    launch(fill, 0, NULL);
    enqueue_once();
    must(clEnqueueNDRangeKernel(other, copy, 1, NULL, &all, NULL, 0, NULL, NULL));
}

static void race_before_buffer(void)
{
    record_to(queue, NULL);
    launch(copy, 0, NULL);
    must(call.finalize(buffer));
    must(clEnqueueNDRangeKernel(other, fill, 1, NULL, &all, NULL, 0, NULL, NULL));
    enqueue();
}

static void no_race_by_buffer_event(void)
{
    cl_event done;
    record_to(queue, NULL);
    launch(fill, 0, NULL);
    must(call.finalize(buffer));
    must(call.enqueue(0, NULL, buffer, 0, NULL, &done));
    must(clEnqueueNDRangeKernel(other, copy, 1, NULL, &all, NULL, 1, &done, NULL));
    must(clReleaseEvent(done));
}

static void no_race_by_buffer_wait(void)
{
    cl_event done;
    record_to(queue, NULL);
    launch(copy, 0, NULL);
    must(call.finalize(buffer));
    must(clEnqueueNDRangeKernel(other, fill, 1, NULL, &all, NULL, 0, NULL, &done));
    must(call.enqueue(0, NULL, buffer, 1, &done, NULL));
    must(clReleaseEvent(done));
}

static void no_race_of_same_buffer(void)
{
    cl_uint point;
    record_to(loose, NULL);
    point = launch(fill, 0, NULL);
    launch(copy, 1, &point);
    enqueue_once();
    enqueue();
}

/* ---- objects ---- */

static void recorded_with_argument_missing(void)
{
    cl_int error;
    cl_kernel fresh = clCreateKernel(program, "fill", &error);
    must(clSetKernelArg(fresh, 0, sizeof(a), &a));
    record_to(queue, NULL);
    call.launch(buffer, NULL, NULL, fresh, 1, NULL, &all, NULL, 0, NULL, NULL, NULL);
    must(clReleaseKernel(fresh));
}

static void *shared(void)
{
    cl_device_svm_capabilities svm = 0;
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL);
    if (!svm)
        _exit(TEST_SKIPPED);
    return clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
}

static void recorded_fill_of_freed(void)
{
    void *memory = shared();
    record_to(queue, NULL);
    must(call.svm_fill(buffer, NULL, NULL, memory, &zero, 4, BYTES, 0, NULL, NULL, NULL));
    must(call.finalize(buffer));
    clSVMFree(context, memory);
    call.enqueue(0, NULL, buffer, 0, NULL, NULL);
}

static void recorded_kernel_of_freed(void)
{
    void *memory = shared();
    must(clSetKernelArgSVMPointer(copy, 1, memory));
    record_to(queue, NULL);
    launch(copy, 0, NULL);
    must(call.finalize(buffer));
    clSVMFree(context, memory);
    call.enqueue(0, NULL, buffer, 0, NULL, NULL);
}

/* The command buffer keeps what it needs. */
static void recorded_memory_released(void)
{
    cl_int error;
    cl_mem mine = clCreateBuffer(context, 0, BYTES, NULL, &error);
    cl_kernel own = clCreateKernel(program, "copy", &error);
    must(clSetKernelArg(own, 0, sizeof(mine), &mine));
    must(clSetKernelArg(own, 1, sizeof(b), &b));
    record_to(queue, NULL);
    launch(own, 0, NULL);
    must(clReleaseKernel(own));
    must(clReleaseMemObject(mine));
    enqueue_once();
}

static void recorded_kernel_of_mapped(void)
{
    cl_int error;
    record_to(queue, NULL);
    launch(copy, 0, NULL);
    must(call.finalize(buffer));
    void *map = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error);
    must(error);
    enqueue();
    must(clEnqueueUnmapMemObject(queue, a, map, 0, NULL, NULL));
}

static void released_command_buffer(void)
{
    record_to(queue, NULL);
    launch(fill, 0, NULL);
    must(call.finalize(buffer));
    must(call.release(buffer));
    call.enqueue(0, NULL, buffer, 0, NULL, NULL);
    buffer = NULL;
}

static void leaked_command_buffer(void)
{
    record_to(queue, NULL);
    buffer = NULL;
}

static const struct {
    const char *name, *kind, *words;
    void (*run)(void);
} cases[] = {
#define CASE(name, kind, words)                                                                                        \
    {                                                                                                                  \
#name, kind, words, name                                                                                       \
    }
    CASE(race_inside, "command-race",
         "kernel 'copy' \\(clCommandNDRangeKernelKHR.* reads a buffer that kernel 'fill'.*the other's sync point"),
    CASE(race_of_recorded_copies, "command-race", "clCommandCopyBufferKHR .* that clCommandFillBufferKHR .* writes"),
    CASE(no_race_of_other_bytes, "", ""),
    CASE(no_race_by_sync_point, "", ""),
    CASE(no_race_by_recorded_barrier, "", ""),
    CASE(no_race_in_order, "", ""),
    CASE(race_behind_buffer, "command-race",
         "kernel 'copy' \\(clEnqueueNDR.*kernel 'fill' \\(clCommandND.*the other's command buffer"),
    CASE(race_before_buffer, "command-race", "kernel 'copy' \\(clCommandND.* reads .* 'fill' .*which has no event"),
    CASE(no_race_by_buffer_event, "", ""),
    CASE(no_race_by_buffer_wait, "", ""),
    CASE(no_race_of_same_buffer, "", ""),
    CASE(recorded_with_argument_missing, "argument", "kernel 'fill', whose argument 1.* was never set"),
    CASE(recorded_fill_of_freed, "released-object", "memory .* of 4096 bytes"),
    CASE(recorded_kernel_of_freed, "released-object", "kernel 'copy', whose argument 1 is memory"),
    CASE(recorded_memory_released, "", ""),
    CASE(recorded_kernel_of_mapped, "open-map", "kernel 'copy' .* reads memory that is mapped for writing"),
    CASE(released_command_buffer, "released-object", "uses a command buffer"),
    CASE(leaked_command_buffer, "leak", "command buffer .*clCreateCommandBufferKHR"),
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
