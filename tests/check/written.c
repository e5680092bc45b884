/* Planted reads of memory that nobody wrote, where commands write it or not: for memory.py, as memory.c. */
#include "tests/support/opencl.h"
#include "tests/check/program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void read(global const int *from, int first, int count, global int *to)\n"
    "{ int sum = 0; for (int i = 0; i < count; i++) sum += from[first + i]; to[0] = sum; }\n"
    "kernel void write(global int *p, int first, int count)\n"
    "{ for (int i = 0; i < count; i++) p[first + i] = i; }\n"
    "typedef struct { global int *at; } list;\n"
    "kernel void follow(global list *where, int first, int count, global int *to)\n"
    "{ int sum = 0; for (int i = 0; i < count; i++) sum += where->at[first + i]; to[0] = sum; }\n"
    "kernel void paint(write_only image1d_buffer_t image) { write_imagei(image, 3, (int4)(1)); }\n";

static cl_int numbers[COUNT];

static cl_mem buffer(cl_mem_flags flags)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, flags, BYTES, flags & CL_MEM_COPY_HOST_PTR ? numbers : NULL, &error);
    must(error);
    return mem;
}

static void launch(cl_kernel kernel, const cl_event *after, cl_event *event)
{
    size_t one = 1;
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, after ? 1 : 0, after, event));
    clReleaseKernel(kernel);
}

static cl_kernel kernel_of(const char *name, cl_int first, cl_int count)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error);
    must(clSetKernelArg(kernel, 1, sizeof(first), &first));
    must(clSetKernelArg(kernel, 2, sizeof(count), &count));
    if (strcmp(name, "write") != 0) {
        cl_mem to = buffer(0);
        must(clSetKernelArg(kernel, 3, sizeof(to), &to));
    }
    return kernel;
}

static void run(const char *name, cl_mem mem, cl_int first, cl_int count)
{
    cl_kernel kernel = kernel_of(name, first, count);
    must(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    launch(kernel, NULL, NULL);
    must(clFinish(queue));
}

static void run_svm(const char *name, void *pointer, cl_int first, cl_int count)
{
    cl_kernel kernel = kernel_of(name, first, count);
    must(clSetKernelArgSVMPointer(kernel, 0, pointer));
    launch(kernel, NULL, NULL);
    must(clFinish(queue));
}

static void nobody(void)
{
    run("read", buffer(0), 0, 1);
}

static void host_pointer(void)
{
    run("read", buffer(CL_MEM_COPY_HOST_PTR), 0, COUNT);
}

static void write_part(cl_mem mem)
{
    must(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 8 * 4, 4 * 4, numbers, 0, NULL, NULL));
}

static void write_right(void)
{
    cl_mem mem = buffer(0);
    write_part(mem);
    run("read", mem, 8, 4);
}

static void write_short(void)
{
    cl_mem mem = buffer(0);
    write_part(mem);
    run("read", mem, 8, 5);
}

static void fill_right(void)
{
    cl_mem mem = buffer(0);
    must(clEnqueueFillBuffer(queue, mem, "", 1, 0, BYTES, 0, NULL, NULL));
    run("read", mem, 0, COUNT);
}

static void fill_short(void)
{
    cl_mem mem = buffer(0);
    must(clEnqueueFillBuffer(queue, mem, "", 1, 0, 7, 0, NULL, NULL));
    run("read", mem, 0, 2);
}

/* Copies take what is known along. */
static void copied(cl_int count)
{
    cl_mem from = buffer(0), to = buffer(0);
    write_part(from);
    must(clEnqueueCopyBuffer(queue, from, to, 8 * 4, 0, 16 * 4, 0, NULL, NULL));
    run("read", to, 0, count);
}

static void copy_right(void)
{
    copied(4);
}

static void copy_short(void)
{
    copied(5);
}

static void copy_over(void)
{
    cl_mem from = buffer(0), to = buffer(0);
    must(clEnqueueFillBuffer(queue, to, "", 1, 0, BYTES, 0, NULL, NULL));
    must(clEnqueueCopyBuffer(queue, from, to, 0, 0, 16, 0, NULL, NULL));
    run("read", to, 0, 5);
}

/* Columns 2 to 5 of 8 rows. */
static void rectangle(cl_int column)
{
    const size_t origin[3] = {2 * 4, 0, 0}, zero[3] = {0}, region[3] = {4 * 4, 8, 1};
    cl_mem mem = buffer(0);
    must(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, origin, zero, region, 8 * 4, 0, 4 * 4, 0, numbers, 0, NULL,
                                  NULL));
    run("read", mem, 8 * 3 + column, 4);
}

static void rectangle_right(void)
{
    rectangle(2);
}

static void rectangle_beside(void)
{
    rectangle(3);
}

static void copied_rectangle(cl_int column)
{
    const size_t origin[3] = {2 * 4, 0, 0}, zero[3] = {0}, region[3] = {4 * 4, 8, 1};
    cl_mem from = buffer(CL_MEM_COPY_HOST_PTR), to = buffer(0);
    must(clEnqueueCopyBufferRect(queue, from, to, zero, origin, region, 4 * 4, 0, 8 * 4, 0, 0, NULL, NULL));
    run("read", to, 8 * 3 + column, 4);
}

static void copied_rectangle_right(void)
{
    copied_rectangle(2);
}

static void copied_rectangle_beside(void)
{
    copied_rectangle(1);
}

static void mapped(cl_map_flags flags, cl_int count)
{
    cl_int error;
    cl_mem mem = buffer(CL_MEM_ALLOC_HOST_PTR);
    cl_int *pointer = clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 16 * 4, 8 * 4, 0, NULL, NULL, &error);
    must(error);
    if (flags & CL_MAP_WRITE)
        memset(pointer, 0, 8 * 4);
    must(clEnqueueUnmapMemObject(queue, mem, pointer, 0, NULL, NULL));
    run("read", mem, 16, count);
}

static void map_right(void)
{
    mapped(CL_MAP_WRITE, 8);
}

static void map_short(void)
{
    mapped(CL_MAP_WRITE, 9);
}

static void map_to_read(void)
{
    mapped(CL_MAP_READ, 8);
}

static void kernel_right(void)
{
    cl_mem mem = buffer(0);
    run("write", mem, 0, 10);
    run("read", mem, 0, 10);
}

static void kernel_short(void)
{
    cl_mem mem = buffer(0);
    run("write", mem, 0, 10);
    run("read", mem, 0, 11);
}

/* Stores against the buffer's flags are dropped, which is another fault. */
static void kernel_refused(void)
{
    cl_mem mem = buffer(CL_MEM_READ_ONLY);
    run("write", mem, 0, 10);
    run("read", mem, 0, 10);
}

static void kernel_refused_short(void)
{
    cl_mem mem = buffer(CL_MEM_READ_ONLY);
    run("write", mem, 0, 10);
    run("read", mem, 0, 11);
}

static void in_part(cl_int first)
{
    cl_int error;
    cl_mem mem = buffer(0);
    const cl_buffer_region region = {0, BYTES};
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    run("write", part, 8, 4);
    run("read", mem, first, 4);
}

static void part_right(void)
{
    in_part(8);
}

static void part_beside(void)
{
    in_part(7);
}

static void *svm(void)
{
    void *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    if (!pointer)
        exit(77);
    return pointer;
}

static void svm_nobody(void)
{
    run_svm("read", svm(), 0, 1);
}

static void svm_mapped(void)
{
    cl_int *pointer = svm();
    must(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pointer, BYTES, 0, NULL, NULL));
    memset(pointer, 0, BYTES);
    must(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    run_svm("read", pointer, 0, COUNT);
}

static void svm_copied(cl_int count)
{
    cl_int *pointer = svm();
    must(clEnqueueSVMMemcpy(queue, CL_TRUE, pointer + 4, numbers, 4 * 4, 0, NULL, NULL));
    run_svm("read", pointer, 4, count);
}

static void svm_copy_right(void)
{
    svm_copied(4);
}

static void svm_copy_short(void)
{
    svm_copied(5);
}

/* By an address that lies in memory. */
static void followed(cl_int count)
{
    cl_int error;
    cl_int *pointer = svm();
    must(clEnqueueSVMMemcpy(queue, CL_TRUE, pointer + 4, numbers, 4 * 4, 0, NULL, NULL));
    cl_mem where = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(pointer), &pointer, &error);
    must(error);
    run("follow", where, 4, count);
}

static void follow_right(void)
{
    followed(4);
}

static void follow_short(void)
{
    followed(5);
}

/* The write and the kernel are ordered by an event alone. */
static void event_right(void)
{
    cl_event written;
    cl_mem mem = buffer(0);
    cl_kernel kernel = kernel_of("read", 0, COUNT);
    must(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    must(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, BYTES, numbers, 0, NULL, &written));
    launch(kernel, &written, NULL);
    must(clFinish(queue));
}

/* Kernels write images of a buffer unseen: all of it counts as written. */
static void image_right(void)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_mem mem = buffer(0);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = COUNT, .buffer = mem};
    cl_int error;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    if (error != CL_SUCCESS)
        exit(77);
    cl_kernel kernel = clCreateKernel(program, "paint", &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof(image), &image));
    launch(kernel, NULL, NULL);
    run("read", mem, 3, 1);
}

static const struct {
    const char *name, *kind; /* kind: "-" where it is right */
    void (*run)(void);
    bool out_of_order;
} cases[] = {
    {"nobody", "uninitialised-read", nobody, false},
    {"host_pointer", "-", host_pointer, false},
    {"write_right", "-", write_right, false},
    {"write_short", "uninitialised-read", write_short, false},
    {"fill_right", "-", fill_right, false},
    {"fill_short", "uninitialised-read", fill_short, false},
    {"copy_right", "-", copy_right, false},
    {"copy_short", "uninitialised-read", copy_short, false},
    {"copy_over", "uninitialised-read", copy_over, false},
    {"rectangle_right", "-", rectangle_right, false},
    {"rectangle_beside", "uninitialised-read", rectangle_beside, false},
    {"copied_rectangle_right", "-", copied_rectangle_right, false},
    {"copied_rectangle_beside", "uninitialised-read", copied_rectangle_beside, false},
    {"map_right", "-", map_right, false},
    {"map_short", "uninitialised-read", map_short, false},
    {"map_to_read", "uninitialised-read", map_to_read, false},
    {"kernel_right", "-", kernel_right, false},
    {"kernel_short", "uninitialised-read", kernel_short, false},
    {"kernel_refused", "-", kernel_refused, false},
    {"kernel_refused_short", "uninitialised-read", kernel_refused_short, false},
    {"part_right", "-", part_right, false},
    {"part_beside", "uninitialised-read", part_beside, false},
    {"svm_nobody", "uninitialised-read", svm_nobody, false},
    {"svm_mapped", "-", svm_mapped, false},
    {"svm_copy_right", "-", svm_copy_right, false},
    {"svm_copy_short", "uninitialised-read", svm_copy_short, false},
    {"follow_right", "-", follow_right, false},
    {"follow_short", "uninitialised-read", follow_short, false},
    {"event_right", "-", event_right, true},
    {"image_right", "-", image_right, false},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2) {
            printf("%s %s\n", cases[i].name, cases[i].kind);
        } else if (!strcmp(argv[1], cases[i].name)) {
            begin_program(source, cases[i].out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
            cases[i].run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 1;
}
