/* Which sizes clSetKernelArg() takes for a struct by value of a module that does not name its type: the struct's own, and
 * those without padding behind the last member, as chipStar counts them. usage: run_unpadded UNPADDED.spv */
#include "tests/support/check.h"
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <stdlib.h>
#include <string.h>

struct value {
    cl_uint a;
    cl_ushort b;
    cl_uchar c, padding;
};

static void check_size(const struct test_device *opened, cl_kernel kernel, size_t size)
{
    struct value value = {0x12345678 + (cl_uint)size, 0xabcd, 0x9a, 0xff};
    cl_uint words[3] = {0};
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, size, &value) == CL_SUCCESS);
    cl_mem out = test_buffer_of(opened, sizeof(words), words);
    CHECK(clSetKernelArg(kernel, 1, sizeof(out), &out) == CL_SUCCESS);
    CHECK(clEnqueueNDRangeKernel(opened->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(opened->queue, out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(words[0] == value.a && words[1] == value.b && words[2] == value.c);
    clReleaseMemObject(out);
}

static void check_device(const struct test_device *opened, const void *il, size_t il_size)
{
    cl_int error;
    char value[16] = {0};
    cl_program program = clCreateProgramWithIL(opened->context, il, il_size, &error);
    CHECK(program && clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "main", &error);
    CHECK(kernel != NULL);
    if (kernel) {
        check_size(opened, kernel, 7);
        check_size(opened, kernel, 8);
        CHECK(clSetKernelArg(kernel, 0, 6, value) == CL_INVALID_ARG_SIZE);
        CHECK(clSetKernelArg(kernel, 0, 9, value) == CL_INVALID_ARG_SIZE);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

/* The type of a program in OpenCL C is known, so nothing but its size is taken. */
static void check_source(const struct test_device *opened)
{
    static const char source[] =
        "struct value { uint a; struct { ushort b; uchar c; } d; };\n"
        "kernel void named(struct value v, global uint *out) { *out = v.a + v.d.b + v.d.c; }\n";
    cl_int error;
    char value[16] = {0};
    cl_program program = clCreateProgramWithSource(opened->context, 1, &(const char *){source}, NULL, &error);
    CHECK(program && clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "named", &error);
    CHECK(kernel != NULL);
    if (kernel) {
        CHECK(clSetKernelArg(kernel, 0, 7, value) == CL_INVALID_ARG_SIZE);
        CHECK(clSetKernelArg(kernel, 0, 8, value) == CL_SUCCESS);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    enum { MAX_DEVICES = 8 };
    struct test_device devices[MAX_DEVICES];
    size_t il_size;
    if (argc != 2)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    void *il = test_need_file(argv[1], &il_size);
    for (cl_uint i = 0; i < count; i++) {
        if (!test_open_device(&devices[i]))
            return 1;
        check_device(&devices[i], il, il_size);
        check_source(&devices[i]);
        test_close_device(&devices[i]);
    }
    free(il);
    return test_result();
}
