/* Planted faults with command buffers (cl_khr_command_buffer). */
#include "tests/check/host/faults.h"
#include "tests/support/command_buffers.h"

static struct buffer_functions call;
static buffer_handle buffer; /* released behind the case, which sets it to NULL if it does so itself */
static const cl_int zero;

void release_recorded(void)
{
    if (buffer)
        must(call.release(buffer));
}

/* ---- commands ---- */

static void record_to(cl_command_queue to, const cl_ulong *properties)
{
    cl_platform_id platform;
    cl_int error;
    must(clGetPlatformIDs(1, &platform, NULL));
    need(find_buffer_functions(platform, &call));
    buffer = call.create(1, &to, properties, &error);
    must(error);
}

static cl_uint record(cl_kernel kernel, cl_uint num_waits, const cl_uint *waits)
{
    cl_uint point;
    must(call.launch(buffer, NULL, NULL, kernel, 1, NULL, &all, NULL, num_waits, waits, &point, NULL));
    return point;
}

static void record_part(cl_kernel kernel, size_t first, size_t count)
{
    must(call.launch(buffer, NULL, NULL, kernel, 1, &first, &count, NULL, 0, NULL, NULL, NULL));
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
    record(fill, 0, NULL);
    record(copy, 0, NULL);
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

/* What each kernel of a buffer touches is known, as of other launches. */
static void no_race_of_recorded_parts(void)
{
    record_to(loose, NULL);
    record_part(fill, 0, half);
    record_part(copy, half, half);
    enqueue_once();
    must(clFinish(loose));
}

static void race_of_recorded_parts(void)
{
    record_to(loose, NULL);
    record_part(fill, 0, half / 2);
    record_part(copy, half, half);
    record_part(fill, half / 2, half / 2 + 1);
    enqueue_once();
    must(clFinish(loose));
}

static void no_race_by_sync_point(void)
{
    record_to(loose, NULL);
    cl_uint point = record(fill, 0, NULL);
    record(copy, 1, &point);
    enqueue_once();
}

static void no_race_by_recorded_barrier(void)
{
    record_to(loose, NULL);
    record(fill, 0, NULL);
    must(call.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    record(copy, 0, NULL);
    enqueue_once();
}

static void no_race_in_order(void)
{
    record_to(queue, NULL);
    record(fill, 0, NULL);
    record(copy, 0, NULL);
    enqueue_once();
    enqueue();
    launch_alone(queue, fill);
}

/* Commands keep the order in which they were recorded in another queue. */
static void no_race_in_another_queue(void)
{
    record_to(queue, NULL);
    record(fill, 0, NULL);
    record(copy, 0, NULL);
    must(call.finalize(buffer));
    must(call.enqueue(1, &loose, buffer, 0, NULL, NULL));
}

static void race_behind_buffer(void)
{
    record_to(queue, NULL);
    record(fill, 0, NULL);
    enqueue_once();
    launch_alone(other, copy);
}

static void race_before_buffer(void)
{
    record_to(queue, NULL);
    record(copy, 0, NULL);
    must(call.finalize(buffer));
    launch_alone(other, fill);
    enqueue();
}

static void no_race_by_buffer_event(void)
{
    cl_event done;
    record_to(queue, NULL);
    record(fill, 0, NULL);
    must(call.finalize(buffer));
    must(call.enqueue(0, NULL, buffer, 0, NULL, &done));
    must(clEnqueueNDRangeKernel(other, copy, 1, NULL, &all, NULL, 1, &done, NULL));
    must(clReleaseEvent(done));
}

static void no_race_by_buffer_wait(void)
{
    cl_event done;
    record_to(queue, NULL);
    record(copy, 0, NULL);
    must(call.finalize(buffer));
    must(clEnqueueNDRangeKernel(other, fill, 1, NULL, &all, NULL, 0, NULL, &done));
    must(call.enqueue(0, NULL, buffer, 1, &done, NULL));
    must(clReleaseEvent(done));
}

static void no_race_of_same_buffer(void)
{
    cl_uint point;
    record_to(loose, NULL);
    point = record(fill, 0, NULL);
    record(copy, 1, &point);
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

static void recorded_fill_of_freed(void)
{
    void *memory = shared(BYTES);
    record_to(queue, NULL);
    must(call.svm_fill(buffer, NULL, NULL, memory, &zero, 4, BYTES, 0, NULL, NULL, NULL));
    must(call.finalize(buffer));
    clSVMFree(context, memory);
    call.enqueue(0, NULL, buffer, 0, NULL, NULL);
}

static void recorded_kernel_of_freed(void)
{
    void *memory = shared(BYTES);
    must(clSetKernelArgSVMPointer(copy, 1, memory));
    record_to(queue, NULL);
    record(copy, 0, NULL);
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
    record(own, 0, NULL);
    must(clReleaseKernel(own));
    must(clReleaseMemObject(mine));
    enqueue_once();
}

static void recorded_kernel_of_mapped(void)
{
    cl_int error;
    record_to(queue, NULL);
    record(copy, 0, NULL);
    must(call.finalize(buffer));
    void *map = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error);
    must(error);
    enqueue();
    must(clEnqueueUnmapMemObject(queue, a, map, 0, NULL, NULL));
}

static void released_command_buffer(void)
{
    record_to(queue, NULL);
    record(fill, 0, NULL);
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

const struct fault_case recorded_cases[] = {
    CASE(race_inside, "command-race",
         "kernel 'copy' \\(clCommandNDRangeKernelKHR.* reads a buffer that kernel 'fill'.*the other's sync point"),
    CASE(race_of_recorded_copies, "command-race", "clCommandCopyBufferKHR .* that clCommandFillBufferKHR .* writes"),
    CASE(no_race_of_other_bytes, "", ""),
    CASE(no_race_of_recorded_parts, "", ""),
    CASE(race_of_recorded_parts, "command-race", "kernel 'fill' .* kernel 'copy' .*both touch byte 2048"),
    CASE(no_race_by_sync_point, "", ""),
    CASE(no_race_by_recorded_barrier, "", ""),
    CASE(no_race_in_order, "", ""),
    CASE(no_race_in_another_queue, "", ""),
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
    {NULL, NULL, NULL, NULL},
};
