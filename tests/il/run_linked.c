/* Pointers to functions between modules that are compiled by themselves and linked, also by way of a library.
 * usage: run_linked KERNEL.spv FUNCTIONS.spv */
#include "tests/support/check.h"
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 8 };

static cl_program compile(const struct test_device *opened, const char *path)
{
    size_t size;
    cl_int error;
    void *il = test_need_file(path, &size);
    cl_program program = clCreateProgramWithIL(opened->context, il, size, &error);
    free(il);
    CHECK(program && clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    return program;
}

static void check_kernel(const struct test_device *opened, cl_program program)
{
    static const cl_uint expected[2][4] = {{13, 70, 70, 1}, {70, 70, 70, 1}};
    cl_int error;
    size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, "main", &error);
    CHECK(kernel != NULL);
    for (cl_uint which = 0; kernel && which < 2; which++) {
        cl_uint words[4] = {which};
        cl_mem out = test_buffer_of(opened, sizeof(words), words);
        CHECK(clSetKernelArg(kernel, 0, sizeof(out), &out) == CL_SUCCESS);
        CHECK(clEnqueueNDRangeKernel(opened->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(clEnqueueReadBuffer(opened->queue, out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(!memcmp(words, expected[which], sizeof(words)));
        clReleaseMemObject(out);
    }
    if (kernel)
        clReleaseKernel(kernel);
}

static void test_linked(const struct test_device *opened, const char *const *paths, bool library)
{
    cl_int error;
    cl_program inputs[2] = {compile(opened, paths[0]), compile(opened, paths[1])};
    if (library) {
        cl_program made = clLinkProgram(opened->context, 0, NULL, "-create-library", 1, &inputs[1], NULL, NULL, &error);
        CHECK(made != NULL);
        clReleaseProgram(inputs[1]);
        inputs[1] = made;
    }
    cl_program program = clLinkProgram(opened->context, 0, NULL, NULL, 2, inputs, NULL, NULL, &error);
    CHECK(program && error == CL_SUCCESS);
    if (program && error == CL_SUCCESS)
        check_kernel(opened, program);
    if (program)
        clReleaseProgram(program);
    clReleaseProgram(inputs[0]);
    clReleaseProgram(inputs[1]);
}

int main(int argc, char **argv)
{
    struct test_device devices[MAX_DEVICES];
    if (argc != 3)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    for (cl_uint i = 0; i < count; i++) {
        if (!test_open_device(&devices[i]))
            return 1;
        test_linked(&devices[i], (const char *const *)argv + 1, false);
        test_linked(&devices[i], (const char *const *)argv + 1, true);
        test_close_device(&devices[i]);
    }
    return test_result();
}
