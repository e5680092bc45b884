/* Planted races of work-items on memory that two arguments, pointers or launches share: for memory.py, as memory.c. */
#include "tests/support/opencl.h"
#include "tests/check/program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(cl_int), ITEMS = 64, MANY_LAUNCHES = 4200 };

static const char source[] = "kernel void shift(global const int *from, global int *to, int by)\n"
                             "{ int i = get_global_id(0); int value = from[i + by]; to[i] = value; }\n"
                             "typedef struct { global int *at; } list;\n"
                             "kernel void follow(global list *from, global int *to, int by)\n"
                             "{ int i = get_global_id(0); to[i] = from->at[i + by]; }\n"
                             "kernel void set(global const int *unused, global int *to, int by)\n"
                             "{ int i = get_global_id(0); to[(i + by) % 64] = i; }\n";

static cl_mem buffer(cl_mem_flags flags, void *host)
{
    cl_int error, zero = 0;
    cl_mem mem = clCreateBuffer(context, flags, BYTES, host, &error);
    must(error);
    must(clEnqueueFillBuffer(queue, mem, &zero, sizeof(zero), 0, BYTES, 0, NULL, NULL));
    return mem;
}

static cl_mem part(cl_mem whole, size_t origin, size_t size)
{
    cl_int error;
    const cl_buffer_region region = {origin, size};
    cl_mem mem = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    return mem;
}

static cl_kernel kernel_of(const char *name, cl_int by)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error);
    must(clSetKernelArg(kernel, 2, sizeof(by), &by));
    return kernel;
}

static void launch(cl_kernel kernel)
{
    size_t items = ITEMS, group = 16;
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
}

static void end(cl_kernel kernel)
{
    launch(kernel);
    must(clFinish(queue));
    must(clReleaseKernel(kernel));
}

static void run(const char *name, cl_mem from, cl_mem to, cl_int by)
{
    cl_kernel kernel = kernel_of(name, by);
    must(clSetKernelArg(kernel, 0, sizeof(from), &from));
    must(clSetKernelArg(kernel, 1, sizeof(to), &to));
    end(kernel);
}

static void one_buffer_twice(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", mem, mem, 1);
}

static void far_apart(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", mem, mem, ITEMS);
}

static void in_place(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", mem, mem, 0);
}

static void parts_that_overlap(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", part(mem, 0, 2048), part(mem, 128, 2048), 0);
}

static void parts_apart(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", part(mem, 0, 1024), part(mem, 1024, 1024), 1);
}

/* The second part's number 32 is the first one's number 0. */
static void parts_shifted(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", part(mem, 128, 2048), part(mem, 256, 2048), 32);
}

static void a_part_and_the_whole(void)
{
    cl_mem mem = buffer(0, NULL);
    run("shift", part(mem, 128, 2048), mem, 0);
}

static cl_int host[COUNT] __attribute__((aligned(4096)));

static void host_memory(void)
{
    cl_mem mem = buffer(CL_MEM_USE_HOST_PTR, host);
    run("shift", mem, mem, 1);
}

static cl_int *svm(void)
{
    cl_int zero = 0;
    cl_int *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    if (!pointer)
        exit(77);
    must(clEnqueueSVMMemFill(queue, pointer, &zero, sizeof(zero), BYTES, 0, NULL, NULL));
    return pointer;
}

static void run_svm(const char *name, const void *from, const void *to, cl_int by)
{
    cl_kernel kernel = kernel_of(name, by);
    must(clSetKernelArgSVMPointer(kernel, 0, from));
    must(clSetKernelArgSVMPointer(kernel, 1, to));
    end(kernel);
}

static void svm_twice(void)
{
    cl_int *pointer = svm();
    run_svm("shift", pointer, pointer + 3, 0);
}

static void svm_apart(void)
{
    cl_int *pointer = svm();
    run_svm("shift", pointer, pointer + 128, 1);
}

/* The kernel finds the memory that it reads by a pointer in other memory. */
static void by_pointer(cl_int by)
{
    cl_int error;
    cl_int *pointer = svm();
    cl_mem where = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(pointer), &pointer, &error);
    must(error);
    cl_kernel kernel = kernel_of("follow", by);
    must(clSetKernelArg(kernel, 0, sizeof(where), &where));
    must(clSetKernelArgSVMPointer(kernel, 1, pointer));
    must(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointer), (void *)&pointer));
    end(kernel);
}

static void svm_by_pointer(void)
{
    by_pointer(1);
}

static void svm_by_pointer_right(void)
{
    by_pointer(0);
}

/* Each writes what another work-item of the launch before wrote: more launches than have numbers of their own. */
static void launches_in_order(void)
{
    cl_mem mem = buffer(0, NULL);
    cl_kernel kernel = kernel_of("set", 0);
    must(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    must(clSetKernelArg(kernel, 1, sizeof(mem), &mem));
    for (cl_int i = 0; i < MANY_LAUNCHES; i++) {
        must(clSetKernelArg(kernel, 2, sizeof(i), &i));
        launch(kernel);
    }
    end(kernel);
}

static const struct planted {
    const char *name, *kind;
    void (*run)(void);
} cases[] = {
    {"one_buffer_twice", "global-race", one_buffer_twice},
    {"far_apart", "-", far_apart},
    {"in_place", "-", in_place},
    {"parts_that_overlap", "global-race", parts_that_overlap},
    {"parts_apart", "-", parts_apart},
    {"parts_shifted", "-", parts_shifted},
    {"a_part_and_the_whole", "global-race", a_part_and_the_whole},
    {"host_memory", "global-race", host_memory},
    {"svm_twice", "global-race", svm_twice},
    {"svm_apart", "-", svm_apart},
    {"svm_by_pointer", "global-race", svm_by_pointer},
    {"svm_by_pointer_right", "-", svm_by_pointer_right},
    {"launches_in_order", "-", launches_in_order},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2)
            printf("%s %s\n", cases[i].name, cases[i].kind);
        else if (strcmp(cases[i].name, argv[1]) == 0) {
            begin_program(source, 0);
            cases[i].run();
            return 0;
        }
    }
    return argc > 1;
}
