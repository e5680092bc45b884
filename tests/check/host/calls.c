/* Arguments, queries, maps and events (faults.c). */
#include "tests/check/host/faults.h"

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

const struct fault_case call_cases[] = {
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
    {NULL, NULL, NULL, NULL},
};
