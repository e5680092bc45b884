/* Planted faults of kernels that need more than a test file says: flags, sub-buffers, memory that is known by its address, images. For
 * memory.py: `check_memory` lists the cases with what is to be found in each, `check_memory CASE` runs one. */
#include "tests/support/command_buffers.h"
#include "tests/check/program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void write(global int *p, int at) { p[at] = 1; }\n"
    "kernel void copy(global const int *from, global int *to, int at) { to[0] = from[at]; }\n"
    "kernel void ignore(global int *p, global int *unused, int at) { p[at] = 1; }\n"
    "kernel void both(global int *restrict p, global int *restrict q, int at) { p[0] = q[at]; }\n"
    "kernel void halves(global int *restrict p, global int *restrict q, int at) { p[0] = q[at]; q[at] = p[0]; }\n"
    "kernel void step(global int *restrict p, global int *restrict q, int at)\n"
    "{ for (int i = 0; i < 8; i++) p[i] = q[i + at]; }\n"
    "kernel void lie_and_leave(global int *restrict p, global int *restrict q, int at)\n"
    "{ for (int i = 1; i < 16; i++) p[i] = q[i < 8 ? i - 1 : i + at]; }\n"
    "kernel void follow_all(global long *where, global int *to, int at)\n"
    "{ for (int i = 0; i < 2; i++) to[0] += ((global int *)where[i])[i * at]; }\n"
    "kernel void follow(global long *where, global int *to, int at) { to[0] = ((global int *)where[0])[at]; }\n"
    "kernel void count(global int *p, int at) { atomic_inc(p + at); }\n"
    "kernel void paint(write_only image2d_t image, int at) { write_imagei(image, (int2)(at, 0), 1); }\n";

static const char pipe_source[] = "kernel void put(write_only pipe int p, global int *out, int at) {\n"
                                  "  int value = 7;\n"
                                  "  reserve_id_t id = reserve_write_pipe(p, 2);\n"
                                  "  write_pipe(p, id, 0, &value);\n"
                                  "  write_pipe(p, id, at, &value);\n"
                                  "  commit_write_pipe(p, id);\n"
                                  "}\n"
                                  "kernel void get(read_only pipe int p, global int *out, int at) {\n"
                                  "  reserve_id_t ids[2] = {reserve_read_pipe(p, at), CLK_NULL_RESERVE_ID};\n"
                                  "  read_pipe(p, ids[at == 0], at ? at - 1 : 0, out);\n"
                                  "  if (is_valid_reserve_id(ids[0])) commit_read_pipe(p, ids[0]);\n"
                                  "}\n";

static cl_mem buffer(cl_mem_flags flags, size_t size)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, flags, size, NULL, &error);
    must(error);
    return mem;
}

static cl_mem part(cl_mem whole, cl_mem_flags flags, size_t origin, size_t size)
{
    cl_int error;
    const cl_buffer_region region = {origin, size};
    cl_mem mem = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    return mem;
}

/* Runs a kernel of up to two memory objects and a number. */
static void run(const char *name, cl_mem first, cl_mem second, cl_int at)
{
    cl_int error;
    size_t one = 1;
    cl_uint index = 0;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error);
    must(clSetKernelArg(kernel, index++, sizeof(first), &first));
    if (second)
        must(clSetKernelArg(kernel, index++, sizeof(second), &second));
    must(clSetKernelArg(kernel, index, sizeof(at), &at));
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clFinish(queue));
    clReleaseKernel(kernel);
}

static void read_only(void)
{
    run("write", buffer(CL_MEM_READ_ONLY, BYTES), NULL, 0);
}

static void write_only(void)
{
    run("copy", buffer(CL_MEM_WRITE_ONLY, BYTES), buffer(0, BYTES), 0);
}

static void counted_write_only(void)
{
    run("count", buffer(CL_MEM_WRITE_ONLY, BYTES), NULL, 0);
}

static void counted_read_only(void)
{
    run("count", buffer(CL_MEM_READ_ONLY, BYTES), NULL, 0);
}

static void sub_buffer(void)
{
    run("write", part(buffer(0, 4096), 0, 1024, 256), NULL, 64);
}

static void before_sub_buffer(void)
{
    run("write", part(buffer(0, 4096), 0, 1024, 256), NULL, -1);
}

static void read_only_part(void)
{
    run("write", part(buffer(0, 4096), CL_MEM_READ_ONLY, 1024, 256), NULL, 0);
}

static void right_part(void)
{
    run("write", part(buffer(0, 4096), 0, 1024, 256), NULL, 63);
}

static void same_memory(void)
{
    cl_mem mem = buffer(0, BYTES);
    run("both", mem, mem, 0);
}

/* At one place first the one fault, more often than is noted of one kind, and then the other. */
static void restrict_and_outside(void)
{
    cl_mem mem = buffer(0, BYTES);
    run("lie_and_leave", mem, mem, 4096);
}

/* Memory that no command ever uses, so that it is not there when the kernel is launched. */
static void ignored(void)
{
    run("ignore", buffer(0, BYTES), buffer(0, BYTES), COUNT - 1);
}

static void ignored_part(void)
{
    run("ignore", buffer(0, BYTES), part(buffer(0, 4096), CL_MEM_READ_ONLY, 1024, 256), COUNT);
}

/* One buffer as two arguments, of which each has a half. */
static void halves(void)
{
    cl_mem whole = buffer(0, BYTES);
    run("halves", whole, whole, 1);
}

static void overlapping_parts(void)
{
    cl_mem whole = buffer(0, 4096);
    run("step", part(whole, 0, 1024, 2048), part(whole, 0, 1024, 1024), 0);
}

static void behind_one_another(void)
{
    cl_mem whole = buffer(0, BYTES);
    run("step", whole, whole, 1);
}

static void other_parts(void)
{
    cl_mem mem = buffer(0, 4096);
    run("both", part(mem, 0, 0, 1024), part(mem, 0, 1024, 1024), 0);
}

/* Follows an address that lies in memory. */
static void follow(size_t size, cl_int at, bool freed)
{
    cl_int error, zero = 0;
    void *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    if (!pointer)
        exit(77);
    must(clEnqueueSVMMemFill(queue, pointer, &zero, sizeof(zero), size, 0, NULL, NULL));
    must(clFinish(queue));
    cl_long address = (cl_long)(intptr_t)pointer;
    cl_mem where = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(address), &address, &error);
    must(error);
    if (freed)
        clSVMFree(context, pointer);
    run("follow", where, buffer(0, BYTES), at);
}

/* By one pointer after another at the same place in the source: one was freed, and one is used beyond its memory. */
static void svm_freed_and_outside(void)
{
    cl_int error;
    void *pointers[] = {clSVMAlloc(context, CL_MEM_READ_WRITE, 1 << 20, 0),
                        clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0)};
    if (!pointers[0] || !pointers[1])
        exit(77);
    cl_long addresses[] = {(cl_long)(intptr_t)pointers[0], (cl_long)(intptr_t)pointers[1]};
    cl_mem where = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(addresses), addresses, &error);
    must(error);
    clSVMFree(context, pointers[0]);
    run("follow_all", where, buffer(0, BYTES), 1024);
}

/* A part of a buffer that is shared virtual memory: pointers go where they like in the allocation. */
static void svm_part(cl_int at)
{
    cl_int error;
    void *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    if (!pointer)
        exit(77);
    cl_mem whole = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, pointer, &error);
    must(error);
    run("write", part(whole, 0, 1024, 256), NULL, at);
}

static void svm_part_right(void)
{
    svm_part(64);
}

static void svm_part_outside(void)
{
    svm_part(768);
}

static void svm_end(void)
{
    follow(4096, 1024, false);
}

static void svm_right(void)
{
    follow(4096, 1023, false);
}

static void svm_freed(void)
{
    follow(1 << 20, 5, true);
}

static void paint(cl_int at)
{
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_int error;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    must(error);
    run("paint", image, NULL, at);
}

static void image_outside(void)
{
    paint(16);
}

static void image_before(void)
{
    paint(-1);
}

static void image_right(void)
{
    paint(15);
}

/* In a command buffer that is enqueued twice, the second time by what was recorded. */
static void recorded(cl_int at)
{
    struct buffer_functions call;
    cl_mem to = buffer(0, BYTES);
    size_t one = 1;
    cl_int error;
    if (!find_buffer_functions(platform, &call))
        exit(TEST_SKIPPED);
    cl_kernel kernel = clCreateKernel(program, "write", &error);
    must(clSetKernelArg(kernel, 0, sizeof(to), &to));
    must(clSetKernelArg(kernel, 1, sizeof(at), &at));
    buffer_handle commands = call.create(1, &queue, NULL, &error);
    must(error);
    must(call.launch(commands, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    must(call.finalize(commands));
    for (int i = 0; i < 2; i++)
        must(call.enqueue(0, NULL, commands, 0, NULL, NULL));
    must(clFinish(queue));
}

static void recorded_outside(void)
{
    recorded(COUNT);
}

static void recorded_right(void)
{
    recorded(COUNT - 1);
}

/* A kernel that leaves no local memory for checks runs all the same. */
static void local_memory_full(void)
{
    static const char text[] =
        "kernel void given(global int *p, local int *t, int at) { t[at] = 7; barrier(1); p[0] += t[at]; }\n"
        "kernel void own(global int *p, int at) { local int t[SIZE]; t[at] = 7; barrier(1); p[0] += t[at]; }\n";
    const char *list = text;
    cl_ulong size;
    cl_int at = 5, sum = 0, error;
    size_t one = 1;
    char options[64];
    must(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(size), &size, NULL));
    snprintf(options, sizeof(options), "-DSIZE=%u", (unsigned)(size / 4));
    cl_program full = clCreateProgramWithSource(context, 1, &list, NULL, &error);
    must(clBuildProgram(full, 1, &device, options, NULL, NULL));
    cl_mem p = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(sum), &sum, &error);
    cl_kernel given = clCreateKernel(full, "given", &error), own = clCreateKernel(full, "own", &error);
    must(clSetKernelArg(given, 0, sizeof(p), &p));
    must(clSetKernelArg(given, 1, size, NULL));
    must(clSetKernelArg(given, 2, sizeof(at), &at));
    must(clSetKernelArg(own, 0, sizeof(p), &p));
    must(clSetKernelArg(own, 1, sizeof(at), &at));
    must(clEnqueueNDRangeKernel(queue, given, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(queue, own, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof(sum), &sum, 0, NULL, NULL));
    must(sum == 14 ? CL_SUCCESS : sum);
}

/* The kernel's copy of a structure that is an argument. */
static void structure_by_value(void)
{
    static const char text[] = "struct of_bytes { char c; long l; uchar b[5]; };\n"
                               "kernel void pick(global int *p, struct of_bytes given, int at)\n"
                               "{\n"
                               "    struct of_bytes copy = given;\n"
                               "    p[0] = copy.b[at & 3];\n"
                               "}\n";
    const struct {
        cl_char c;
        cl_long l;
        cl_uchar b[5];
    } given = {1, 2, {3, 4, 5, 6, 7}};
    const char *list = text;
    cl_int error, picked = 0, at = 2;
    size_t one = 1;
    cl_program own = clCreateProgramWithSource(context, 1, &list, NULL, &error);
    must(clBuildProgram(own, 1, &device, "", NULL, NULL));
    cl_kernel pick = clCreateKernel(own, "pick", &error);
    cl_mem p = buffer(0, sizeof(picked));
    must(clSetKernelArg(pick, 0, sizeof(p), &p));
    must(clSetKernelArg(pick, 1, sizeof(given), &given));
    must(clSetKernelArg(pick, 2, sizeof(at), &at));
    must(clEnqueueNDRangeKernel(queue, pick, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof(picked), &picked, 0, NULL, NULL));
    must(picked == 5 ? CL_SUCCESS : picked ? picked : -1);
}

/* Writes two packets of a reservation of two, and reads as many. */
static void pipe_of_two(cl_int written, cl_int read)
{
    cl_int error;
    cl_uint has_pipes = 0;
    const char *text = pipe_source;
    must(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof(has_pipes), &has_pipes, NULL));
    if (!has_pipes)
        exit(TEST_SKIPPED);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error);
    must(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL));
    cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_int), 8, NULL, &error), out = buffer(0, BYTES);
    must(error);
    run("put", pipe, out, written);
    run("get", pipe, out, read);
}

static void pipe_right(void)
{
    pipe_of_two(1, 2);
}

static void pipe_written_outside(void)
{
    pipe_of_two(2, 1);
}

static void pipe_written_before(void)
{
    pipe_of_two(-1, 1);
}

/* A reservation of no packets is none. */
static void pipe_read_of_none(void)
{
    pipe_of_two(1, 0);
}

static const struct {
    const char *name, *kind; /* kind: and what its message has; "-" where it is right */
    void (*run)(void);
} cases[] = {
    {"read_only", "access-flags which kernels may only read", read_only},
    {"write_only", "access-flags which kernels may only write", write_only},
    {"counted_write_only", "access-flags which kernels may only write", counted_write_only},
    {"counted_read_only", "access-flags which kernels may only read", counted_read_only},
    {"sub_buffer", "out-of-bounds", sub_buffer},
    {"before_sub_buffer", "out-of-bounds", before_sub_buffer},
    {"read_only_part", "access-flags", read_only_part},
    {"right_part", "-", right_part},
    {"ignored", "-", ignored},
    {"ignored_part", "out-of-bounds", ignored_part},
    {"same_memory", "restrict through argument 'p' that the work-item reached through argument 'q'", same_memory},
    {"restrict_and_outside", "out-of-bounds+restrict", restrict_and_outside},
    {"other_parts", "-", other_parts},
    {"halves", "-", halves},
    {"overlapping_parts", "restrict", overlapping_parts},
    {"behind_one_another", "-", behind_one_another},
    {"svm_part_right", "-", svm_part_right},
    {"svm_part_outside", "out-of-bounds", svm_part_outside},
    {"svm_end", "out-of-bounds", svm_end},
    {"svm_right", "-", svm_right},
    {"svm_freed", "freed-memory", svm_freed},
    {"svm_freed_and_outside", "freed-memory+out-of-bounds", svm_freed_and_outside},
    {"image_outside", "out-of-bounds at (16, 0)", image_outside},
    {"image_before", "out-of-bounds at (-1, 0)", image_before},
    {"image_right", "-", image_right},
    {"recorded_outside", "out-of-bounds", recorded_outside},
    {"recorded_right", "-", recorded_right},
    {"local_memory_full", "-", local_memory_full},
    {"structure_by_value", "-", structure_by_value},
    {"pipe_right", "-", pipe_right},
    {"pipe_written_outside", "out-of-bounds", pipe_written_outside},
    {"pipe_written_before", "out-of-bounds", pipe_written_before},
    {"pipe_read_of_none", "out-of-bounds", pipe_read_of_none},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2) {
            printf("%s %s\n", cases[i].name, cases[i].kind);
        } else if (!strcmp(argv[1], cases[i].name)) {
            begin_program(source, 0);
            cases[i].run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 1;
}
