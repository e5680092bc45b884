/* Commands without an order at one buffer, of which kernels use parts (faults.c): what they touch is known once they have ended. */
#include "tests/check/host/faults.h"

static const char source[] =
    "kernel void left(global int *out, int first, int step) { out[first + (int)get_global_id(0) * step] = 1; }\n"
    "kernel void right(global int *out, int first, int step) { out[first + (int)get_global_id(0) * step] = 2; }\n"
    "kernel void chars(global char *out, int first, int step) { out[first + (int)get_global_id(0) * step] = 2; }\n"
    "kernel void look(global int *in, int first, int step) { if (in[first + (int)get_global_id(0) * step] == 77) in[0] "
    "= 3; }\n"
    "kernel void count(global int *out, int first, int step) { atomic_inc(out + first); }\n"
    "kernel void fours(global int4 *out, int first, int step) { out[first + (int)get_global_id(0) * step] = (int4)(1); "
    "}\n"
    "kernel void number(global int *out, int first, int step) {\n"
    "  local ulong kept[1];\n"
    "  out[first + (int)get_global_id(0)] = 1;\n"
    "  if (get_local_id(0) == 0) kept[0] = (ulong)out;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  global int *p = (global int *)kept[0];\n"
    "  p[first + (int)get_global_id(0)] = 2;\n"
    "}\n";

static cl_program parts;

static cl_kernel make(const char *name, cl_mem mem, cl_int first, cl_int step)
{
    cl_int error;
    const char *text = source;
    if (!parts) {
        parts = clCreateProgramWithSource(context, 1, &text, NULL, &error);
        must(error);
        must(clBuildProgram(parts, 1, &device, "", NULL, NULL));
    }
    cl_kernel kernel = clCreateKernel(parts, name, &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    must(clSetKernelArg(kernel, 1, sizeof(first), &first));
    must(clSetKernelArg(kernel, 2, sizeof(step), &step));
    return kernel;
}

static void start_at(cl_command_queue to, const char *name, cl_mem mem, cl_int first, cl_int step, size_t count)
{
    cl_kernel kernel = make(name, mem, first, step);
    must(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    must(clReleaseKernel(kernel));
}

static void start(cl_command_queue to, const char *name, cl_int first, cl_int step, size_t count)
{
    start_at(to, name, a, first, step, count);
}

static void finish(void)
{
    must(clFinish(queue));
    must(clFinish(other));
    must(clFinish(loose));
    must(clReleaseProgram(parts));
}

static void no_race_of_kernels_apart(void)
{
    start(queue, "left", 0, 1, COUNT / 2);
    start(other, "right", COUNT / 2, 1, COUNT / 2);
    finish();
}

static void race_of_kernels_across(void)
{
    start(queue, "left", 0, 1, COUNT / 2 + 1);
    start(other, "right", COUNT / 2, 1, COUNT / 2);
    finish();
}

static void no_race_interleaved(void)
{
    start(loose, "left", 0, 3, COUNT / 3);
    start(loose, "right", 1, 3, COUNT / 3);
    start(loose, "look", 2, 3, COUNT / 3);
    finish();
}

static void race_interleaved(void)
{
    start(loose, "left", 0, 3, COUNT / 3);
    start(loose, "right", 1, 2, COUNT / 2);
    finish();
}

static void no_race_of_chars(void)
{
    start(queue, "chars", 0, 2, COUNT);
    start(other, "chars", 1, 2, COUNT);
    finish();
}

static void race_of_one_char(void)
{
    start(queue, "chars", 0, 2, COUNT);
    start(other, "left", 9, 1, 1);
    finish();
}

static void no_race_of_two_readers(void)
{
    start(queue, "look", 0, 1, COUNT);
    start(other, "look", 0, 1, COUNT);
    finish();
}

static void race_with_reader(void)
{
    start(queue, "look", 0, 1, COUNT);
    start(other, "right", 5, 1, 1);
    finish();
}

/* Over different parts of its range, which are not told apart in memory. */
static void race_of_one_kernel(void)
{
    const size_t first = 0, second = COUNT / 2, items = 1;
    cl_kernel kernel = make("left", a, 0, 0);
    must(clEnqueueNDRangeKernel(queue, kernel, 1, &first, &items, NULL, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(other, kernel, 1, &second, &items, NULL, 0, NULL, NULL));
    must(clReleaseKernel(kernel));
    finish();
}

static void no_race_of_counters(void)
{
    start(queue, "count", 4, 0, 64);
    start(other, "count", 4, 0, 64);
    finish();
}

static void race_of_counter(void)
{
    start(queue, "count", 4, 0, 64);
    start(other, "look", 4, 0, 1);
    finish();
}

static void no_race_beside_transfers(void)
{
    const cl_int pattern = 3;
    const size_t from[3] = {64, 0, 0}, to[3] = {0, 0, 0}, region[3] = {64, 8, 1};
    start(queue, "left", 0, 1, 64);
    start(queue, "fours", 128 / 4, 1, 4);
    must(clEnqueueReadBuffer(other, a, CL_FALSE, 256, 256, data, 0, NULL, NULL));
    must(clEnqueueWriteBuffer(other, a, CL_FALSE, 256, 256, data, 0, NULL, NULL));
    must(clEnqueueFillBuffer(other, a, &pattern, 4, 1024, 1024, 0, NULL, NULL));
    must(clEnqueueCopyBuffer(other, a, a, 1024, 2048, 1024, 0, NULL, NULL));
    void *pointer = map(other, CL_MAP_READ, 1024, 16);
    must(clEnqueueUnmapMemObject(other, a, pointer, 0, NULL, NULL));
    must(clFinish(queue));
    start(queue, "left", 0, 32, COUNT / 32);
    must(clEnqueueReadBufferRect(other, a, CL_FALSE, from, to, region, 128, 0, 64, 0, more, 0, NULL, NULL));
    finish();
}

static void race_with_read(void)
{
    start(queue, "left", 0, 1, 64);
    must(clEnqueueReadBuffer(other, a, CL_TRUE, 252, 256, data, 0, NULL, NULL));
    finish();
}

static void race_with_fill(void)
{
    const cl_char pattern = 3;
    start(queue, "look", 0, 1, 64);
    must(clEnqueueFillBuffer(other, a, &pattern, 1, 255, 256, 0, NULL, NULL));
    finish();
}

static void race_with_columns(void)
{
    const size_t from[3] = {64, 0, 0}, to[3] = {0, 0, 0}, region[3] = {64, 8, 1};
    start(queue, "left", 0, 31, COUNT / 32);
    must(clEnqueueReadBufferRect(other, a, CL_FALSE, from, to, region, 128, 0, 64, 0, more, 0, NULL, NULL));
    finish();
}

static void race_with_map(void)
{
    start(queue, "left", 0, 1, 64);
    void *pointer = map(other, CL_MAP_READ, 0, 16);
    must(clEnqueueUnmapMemObject(other, a, pointer, 0, NULL, NULL));
    finish();
}

static void parts_of_parts(cl_int first)
{
    cl_int error;
    const cl_buffer_region low = {0, BYTES / 2}, all_of_it = {0, BYTES};
    cl_mem x = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &error);
    cl_mem y = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &all_of_it, &error);
    must(error);
    start_at(queue, "left", x, 0, 1, COUNT / 4);
    start_at(other, "right", y, first, 1, COUNT / 4);
    finish();
    must(clReleaseMemObject(x));
    must(clReleaseMemObject(y));
}

static void no_race_of_sub_buffer(void)
{
    parts_of_parts(COUNT / 4);
}

static void race_of_sub_buffer(void)
{
    parts_of_parts(COUNT / 4 - 1);
}

/* Of large buffers granules are noted; those of two kernels are apart here. */
static void no_race_in_large_buffer(void)
{
    const cl_int size = 32 << 20;
    cl_mem large = clCreateBuffer(context, 0, (size_t)size, NULL, NULL);
    start_at(queue, "left", large, 0, 256, 1000);
    start_at(other, "right", large, 128, 256, 1000);
    start_at(loose, "left", large, size / 4 - 8, 1, 8);
    finish();
    must(clReleaseMemObject(large));
}

static void race_in_large_buffer(void)
{
    const cl_int size = 32 << 20;
    cl_mem large = clCreateBuffer(context, 0, (size_t)size, NULL, NULL);
    start_at(queue, "left", large, 0, 256, 1000);
    start_at(other, "right", large, size / 4 - 8, 1, 8);
    start_at(loose, "left", large, size / 4 - 1, 1, 1);
    finish();
    must(clReleaseMemObject(large));
}

static void parts_of_svm(cl_int first)
{
    cl_int *memory = shared(BYTES);
    cl_kernel kernels[2] = {make("left", a, 0, 1), make("right", a, first, 1)};
    const size_t items = COUNT / 2;
    for (int i = 0; i < 2; i++) {
        must(clSetKernelArgSVMPointer(kernels[i], 0, memory + i));
        must(clEnqueueNDRangeKernel(i ? other : queue, kernels[i], 1, NULL, &items, NULL, 0, NULL, NULL));
        must(clReleaseKernel(kernels[i]));
    }
    finish();
    clSVMFree(context, memory);
}

static void no_race_of_svm_parts(void)
{
    parts_of_svm(COUNT / 2 - 1);
}

static void race_of_svm_parts(void)
{
    parts_of_svm(COUNT / 2 - 2);
}

/* It also writes by a pointer of which the compiler does not see where it leads: the whole buffer counts. */
static void race_by_unknown_pointer(void)
{
    start(queue, "left", 0, 1, COUNT / 2);
    start(other, "number", COUNT / 2, 1, COUNT / 2);
    finish();
}

const struct fault_case part_cases[] = {
    CASE(no_race_of_kernels_apart, "", ""),
    CASE(race_of_kernels_across, "command-race",
         "kernel 'right' .* writes a buffer that kernel 'left' .* writes .both touch byte 2048"),
    CASE(no_race_interleaved, "", ""),
    CASE(race_interleaved, "command-race", "both touch byte 12"),
    CASE(no_race_of_chars, "", ""),
    CASE(race_of_one_char, "command-race", "kernel 'left' .*kernel 'chars' .*both touch byte 36"),
    CASE(no_race_of_two_readers, "", ""),
    CASE(race_with_reader, "command-race", "kernel 'right' .* writes a buffer that kernel 'look' .*both touch byte 20"),
    CASE(race_of_one_kernel, "command-race", "kernel 'left' .* kernel 'left' .*both touch byte 0"),
    CASE(no_race_of_counters, "", ""),
    CASE(race_of_counter, "command-race", "kernel 'look' .* kernel 'count' .*both touch byte 16"),
    CASE(no_race_beside_transfers, "", ""),
    CASE(race_with_read, "command-race",
         "clEnqueueReadBuffer .* reads a buffer that kernel 'left' .*both touch byte 252"),
    CASE(race_with_fill, "command-race", "clEnqueueFillBuffer .* kernel 'look' .*both touch byte 255"),
    CASE(race_with_columns, "command-race", "clEnqueueReadBufferRect .*both touch byte"),
    CASE(race_with_map, "command-race", "clEnqueueMapBuffer .* kernel 'left' .*both touch byte 0"),
    CASE(no_race_of_sub_buffer, "", ""),
    CASE(race_of_sub_buffer, "command-race", "kernel 'right' .*both touch byte 1020"),
    CASE(no_race_in_large_buffer, "", ""),
    CASE(race_in_large_buffer, "command-race", "kernel 'left' .*kernel 'right' .*both touch byte 3355442"),
    CASE(no_race_of_svm_parts, "", ""),
    CASE(race_of_svm_parts, "command-race", "both touch byte 2044"),
    CASE(race_by_unknown_pointer, "command-race", "kernel 'number' .* kernel 'left'"),
    {NULL, NULL, NULL, NULL},
};
