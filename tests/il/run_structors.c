/* Initialisers and finalisers of a program (structors.spvasm): they run once, around its kernels, and no application
 * sees them as kernels. usage: run_structors STRUCTORS.spv */
#include "tests/support/check.h"
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 8, FIRST = 11, LAST = 111 }; /* what the initialiser makes of 5, and the finaliser of that */

static void *il;
static size_t il_size;
static const struct test_device *opened;
static atomic_uint calls; /* of release callbacks: each adds its digit behind those of the calls before */

static void CL_CALLBACK note_call(cl_program program, void *data)
{
    (void)program;
    atomic_store(&calls, atomic_load(&calls) * 10 + (cl_uint)(uintptr_t)data);
}

/* Finalisers and callbacks may run on another thread. */
static bool calls_become(cl_uint wanted)
{
    for (int i = 0; i < 10000 && atomic_load(&calls) != wanted; i++)
        usleep(1000);
    return atomic_load(&calls) == wanted;
}

static cl_program new_program(void)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(opened->context, il, il_size, &error);
    CHECK(program != NULL);
    atomic_store(&calls, 0);
    CHECK(clSetProgramReleaseCallback(program, note_call, (void *)1) == CL_SUCCESS);
    CHECK(clSetProgramReleaseCallback(program, note_call, (void *)2) == CL_SUCCESS);
    return program;
}

static cl_program built_program(void)
{
    cl_program program = new_program();
    CHECK(clBuildProgram(program, 1, &opened->id, "", NULL, NULL) == CL_SUCCESS);
    return program;
}

static cl_mem new_buffer(void)
{
    const cl_uint zeros[2] = {0};
    return test_buffer_of(opened, sizeof(zeros), zeros);
}

static cl_uint word_of(cl_mem buffer, size_t index)
{
    cl_uint value = 0;
    CHECK(clEnqueueReadBuffer(opened->queue, buffer, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL) == CL_SUCCESS);
    return value;
}

/* The kernel object is gone when this returns; the command need not have run. */
static void enqueue(cl_program program, cl_mem buffer, cl_event after)
{
    cl_int error;
    size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    CHECK(kernel != NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer) == CL_SUCCESS);
    error =
        clEnqueueNDRangeKernel(opened->queue, kernel, 1, NULL, &one, NULL, after != NULL, after ? &after : NULL, NULL);
    CHECK(error == CL_SUCCESS);
    clReleaseKernel(kernel);
}

static cl_bool presence(cl_program program, cl_program_info name, cl_int expected)
{
    cl_bool present = 2;
    CHECK(clGetProgramInfo(program, name, sizeof(present), &present, NULL) == expected);
    return present;
}

static void test_queries(void)
{
    cl_program program = new_program();
    presence(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_INVALID_PROGRAM_EXECUTABLE);
    presence(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clBuildProgram(program, 1, &opened->id, "", NULL, NULL) == CL_SUCCESS);
    CHECK(presence(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_SUCCESS) == CL_TRUE);
    CHECK(presence(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, CL_SUCCESS) == CL_TRUE);
    size_t count = 0;
    char names[16] = "";
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL) == CL_SUCCESS && count == 1);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL) == CL_SUCCESS);
    CHECK(!strcmp(names, "k"));
    cl_int error;
    cl_uint num_kernels = 0;
    CHECK(!clCreateKernel(program, "begin", &error) && error == CL_INVALID_KERNEL_NAME);
    CHECK(!clCreateKernel(program, "end", &error) && error == CL_INVALID_KERNEL_NAME);
    CHECK(clCreateKernelsInProgram(program, 0, NULL, &num_kernels) == CL_SUCCESS && num_kernels == 1);
    CHECK(clSetProgramReleaseCallback(program, NULL, NULL) == CL_INVALID_VALUE);
    clReleaseProgram(program); /* no kernel was made: there is nothing to finalise */
    CHECK(calls_become(21));
}

static void test_once(void)
{
    cl_program program = built_program();
    cl_mem buffers[2] = {new_buffer(), new_buffer()};
    enqueue(program, buffers[0], NULL);
    enqueue(program, buffers[1], NULL);
    CHECK(word_of(buffers[0], 0) == FIRST && word_of(buffers[1], 0) == FIRST);
    CHECK(word_of(buffers[1], 1) == 0 && atomic_load(&calls) == 0);
    clReleaseProgram(program);
    CHECK(calls_become(21));
    CHECK(word_of(buffers[0], 1) == 0 && word_of(buffers[1], 1) == LAST);
    test_release_buffers(buffers, 2);
}

/* Whoever releases a program does not wait for its commands; the finaliser does. */
static void test_pending(void)
{
    cl_int error;
    cl_program program = built_program();
    cl_mem buffer = new_buffer();
    cl_event gate = clCreateUserEvent(opened->context, &error);
    enqueue(program, buffer, gate);
    clReleaseProgram(program);
    usleep(20000);
    CHECK(atomic_load(&calls) == 0);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    CHECK(calls_become(21));
    CHECK(word_of(buffer, 0) == FIRST && word_of(buffer, 1) == LAST);
    clReleaseEvent(gate);
    test_release_buffers(&buffer, 1);
}

static void test_rebuilding(void)
{
    cl_program program = built_program();
    cl_mem buffers[2] = {new_buffer(), new_buffer()};
    enqueue(program, buffers[0], NULL);
    CHECK(clBuildProgram(program, 1, &opened->id, "", NULL, NULL) == CL_SUCCESS);
    enqueue(program, buffers[1], NULL);
    for (int i = 0; i < 10000 && word_of(buffers[0], 1) != LAST; i++)
        usleep(1000);
    CHECK(word_of(buffers[0], 1) == LAST); /* the first build's */
    CHECK(word_of(buffers[1], 0) == FIRST && word_of(buffers[1], 1) == 0 && atomic_load(&calls) == 0);
    clReleaseProgram(program);
    CHECK(calls_become(21));
    CHECK(word_of(buffers[1], 1) == LAST);
    test_release_buffers(buffers, 2);
}

/* OpenCL C has neither. */
static void test_source(void)
{
    cl_program program = test_build_source(opened, "kernel void k(global int *a) { *a = 1; }", "");
    CHECK(program != NULL);
    CHECK(presence(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_SUCCESS) == CL_FALSE);
    CHECK(presence(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, CL_SUCCESS) == CL_FALSE);
    CHECK(clSetProgramReleaseCallback(program, note_call, NULL) == CL_INVALID_OPERATION);
    clReleaseProgram(program);
}

/* What was linked, and what came out of a program binary, has them too. */
static void test_linked_and_loaded(void)
{
    cl_int error;
    cl_program object = new_program(), linked, loaded;
    cl_mem buffers[2] = {new_buffer(), new_buffer()};
    CHECK(clCompileProgram(object, 1, &opened->id, "", 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    linked = clLinkProgram(opened->context, 1, &opened->id, "", 1, &object, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS);
    enqueue(linked, buffers[0], NULL);
    CHECK(word_of(buffers[0], 0) == FIRST);
    size_t size = 0;
    CHECK(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL) == CL_SUCCESS && size);
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL) == CL_SUCCESS);
    const unsigned char *bytes = binary;
    loaded = clCreateProgramWithBinary(opened->context, 1, &opened->id, &size, &bytes, NULL, &error);
    CHECK(error == CL_SUCCESS && clBuildProgram(loaded, 1, &opened->id, "", NULL, NULL) == CL_SUCCESS);
    enqueue(loaded, buffers[1], NULL);
    CHECK(word_of(buffers[1], 0) == FIRST);
    free(binary);
    clReleaseProgram(linked);
    clReleaseProgram(loaded);
    clReleaseProgram(object);
    for (int i = 0; i < 10000 && (word_of(buffers[0], 1) != LAST || word_of(buffers[1], 1) != LAST); i++)
        usleep(1000);
    CHECK(word_of(buffers[0], 1) == LAST && word_of(buffers[1], 1) == LAST);
    CHECK(calls_become(21));
    test_release_buffers(buffers, 2);
}

int main(int argc, char **argv)
{
    struct test_device devices[MAX_DEVICES];
    if (argc != 2)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    il = test_need_file(argv[1], &il_size);
    for (cl_uint i = 0; i < count; i++) {
        opened = &devices[i];
        if (!test_open_device(&devices[i]))
            return 1;
        test_queries();
        test_once();
        test_pending();
        test_rebuilding();
        test_source();
        test_linked_and_loaded();
        test_close_device(&devices[i]);
    }
    free(il);
    return test_failures != 0;
}
