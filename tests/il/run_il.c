/* Runs kernels of foreign SPIR-V through the OpenCL API. usage: run_il CASE.spvasm CASE.spv
 *
 * The text says in comments what should be; the binary is what spirv-as made of it. The kernel is the module's only
 * one, has one argument, a buffer of 32-bit numbers, and runs once:
 *
 *     ; expect: 1 2 3         what the buffer holds afterwards
 *     ; local: 4 2 1          CL_KERNEL_COMPILE_WORK_GROUP_SIZE; the kernel runs as one work-group of it
 *     ; sub-groups: 2         CL_KERNEL_COMPILE_NUM_SUB_GROUPS; the kernel runs as one work-group of whatever size
 *     ; refuse: WORDS         the build fails, and its log has these words
 *
 * Every module that builds is also compiled and linked, which must give the same. */
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 64, MAX_DEVICES = 8 };

struct expectation {
    cl_uint numbers[MAX_NUMBERS];
    size_t count, local[3], sub_groups;
    char refuse[256];
};

static int failures;

static int check(int good, const char *path, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", path, what);
        failures++;
    }
    return good;
}

static void read_expectation(const char *path, struct expectation *e)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file)
        exit(2);
    while (fgets(line, sizeof(line), file)) {
        if (!strncmp(line, "; expect:", 9)) {
            char *at = line + 9, *end;
            for (unsigned long long value; value = strtoull(at, &end, 0), end != at; at = end)
                e->numbers[e->count++ % MAX_NUMBERS] = (cl_uint)value;
        }
        sscanf(line, "; local: %zu %zu %zu", &e->local[0], &e->local[1], &e->local[2]);
        sscanf(line, "; sub-groups: %zu", &e->sub_groups);
        sscanf(line, "; refuse: %255[^\n]", e->refuse);
    }
    fclose(file);
}

static void print_log(cl_program program, cl_device_id device)
{
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    fprintf(stderr, "%s\n", log);
}

static void run(const char *path, const struct test_device *opened, cl_program program, const struct expectation *e)
{
    cl_int error;
    cl_kernel kernel;
    cl_device_id device = opened->id;
    cl_command_queue queue = opened->queue;
    size_t local[3] = {0}, sub_groups = 0, global[3] = {1, 1, 1};
    cl_uint got[MAX_NUMBERS];
    memset(got, 0xff, sizeof(got));
    if (!check(clCreateKernelsInProgram(program, 1, &kernel, NULL) == CL_SUCCESS, path, "no kernel"))
        return;
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(local), local, NULL);
    check(!memcmp(local, e->local, sizeof(local)), path, "another required work-group size");
    if (e->sub_groups) {
        clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof(sub_groups),
                                &sub_groups, NULL);
        check(sub_groups == e->sub_groups, path, "another number of sub-groups");
        clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(sub_groups),
                                &sub_groups, sizeof(size_t), global, NULL);
    }
    for (int i = 0; i < 3 && e->local[0]; i++)
        global[i] = e->local[i];
    cl_mem buffer = test_buffer_of(opened, sizeof(got), got);
    clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
    error = clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL);
    check(error == CL_SUCCESS, path, "the launch failed");
    error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL);
    check(error == CL_SUCCESS, path, "the read failed");
    for (size_t i = 0; i < e->count; i++) {
        if (got[i] != e->numbers[i])
            fprintf(stderr, "[%zu] is 0x%x, not 0x%x\n", i, got[i], e->numbers[i]);
        check(got[i] == e->numbers[i], path, "a wrong number");
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

static void test_il(const char *path, const struct test_device *opened, const void *il, size_t size,
                    const struct expectation *e)
{
    cl_int error;
    cl_context context = opened->context;
    cl_device_id device = opened->id;
    cl_program program = clCreateProgramWithIL(context, il, size, &error);
    if (!check(program != NULL, path, "clCreateProgramWithIL failed"))
        return;
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (*e->refuse) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        check(error == CL_BUILD_PROGRAM_FAILURE, path, "the build should fail");
        if (!check(strstr(log, e->refuse) != NULL, path, "the log should say why"))
            fprintf(stderr, "%s\n", log);
    } else if (!check(error == CL_SUCCESS, path, "the build failed")) {
        print_log(program, device);
    } else {
        run(path, opened, program, e);
        cl_program object = clCreateProgramWithIL(context, il, size, &error);
        error = clCompileProgram(object, 1, &device, "", 0, NULL, NULL, NULL, NULL);
        check(error == CL_SUCCESS, path, "compiling failed");
        cl_program linked = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &error);
        if (!check(error == CL_SUCCESS, path, "linking failed") && linked)
            print_log(linked, device);
        else
            run(path, opened, linked, e);
        clReleaseProgram(object);
        clReleaseProgram(linked);
    }
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    struct expectation e = {0};
    struct test_device devices[MAX_DEVICES];
    size_t size;
    if (argc != 3)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    read_expectation(argv[1], &e);
    char *il = test_need_file(argv[2], &size);
    for (cl_uint i = 0; i < count; i++) {
        if (check(test_open_device(&devices[i]), argv[1], "a device cannot be opened"))
            test_il(argv[1], &devices[i], il, size, &e);
        test_close_device(&devices[i]);
    }
    free(il);
    return failures != 0;
}
