/* A reduction in OpenCL C++: one template (cxx_reduce.clcpp), for four types and two operations. `pumice c++` made
 * SPIR-V of it when this program was built; here its work-group size is set. */
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000003, GROUPS = 64, GROUP_SIZE = 128 };

/* Runs a kernel over COUNT elements of size bytes; the results of the groups go to `results`. */
static void reduce(struct example *example, const char *name, size_t size, const void *in, void *results)
{
    const cl_uint count = COUNT;
    const size_t global = GROUPS * GROUP_SIZE, local = GROUP_SIZE;
    cl_kernel kernel = example_kernel(example, name);
    cl_mem from = example_buffer(example, CL_MEM_READ_ONLY, COUNT * size, in);
    cl_mem to = example_buffer(example, CL_MEM_WRITE_ONLY, GROUPS * size, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof(count), &count));
    CHECK(clSetKernelArg(kernel, 2, sizeof(to), &to));
    CHECK(clSetKernelArg(kernel, 3, GROUP_SIZE * size, NULL));
    example_run(example, kernel, 1, &global, &local);
    example_read(example, to, GROUPS * size, results);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
}

int main(void)
{
    struct example example;
    const cl_uint group_size = GROUP_SIZE;
    unsigned seed = 1;
    example_open(&example);
    example_create_il(&example, EXAMPLE_SPV);
    CHECK(clSetProgramSpecializationConstant(example.program, 1, sizeof(group_size), &group_size));
    example_build_il(&example, NULL);

    cl_int *ints = malloc(COUNT * sizeof(cl_int)), ints_wanted = 0, int_parts[GROUPS], ints_got = 0;
    cl_long *longs = malloc(COUNT * sizeof(cl_long)), longs_wanted = 0, long_parts[GROUPS], longs_got = 0;
    cl_float *floats = malloc(COUNT * sizeof(cl_float)), most_wanted = 0, float_parts[GROUPS], most_got = 0;
    cl_float2 *pairs = malloc(COUNT * sizeof(cl_float2)), pair_parts[GROUPS];
    double re_wanted = 0, im_wanted = 0, re_got = 0, im_got = 0;
    for (int i = 0; i < COUNT; i++) {
        ints[i] = i % 7 - 3;
        longs[i] = (cl_long)i << 20;
        floats[i] = example_random(&seed);
        pairs[i].s[0] = (float)(i % 5); /* whole numbers, so that every order gives the same sum */
        pairs[i].s[1] = (float)(i % 3);
        ints_wanted += ints[i];
        longs_wanted += longs[i];
        most_wanted = floats[i] > most_wanted ? floats[i] : most_wanted;
        re_wanted += pairs[i].s[0];
        im_wanted += pairs[i].s[1];
    }
    reduce(&example, "sum_int", sizeof(cl_int), ints, int_parts);
    reduce(&example, "sum_long", sizeof(cl_long), longs, long_parts);
    reduce(&example, "most_float", sizeof(cl_float), floats, float_parts);
    reduce(&example, "sum_complex", sizeof(cl_float2), pairs, pair_parts);
    for (int i = 0; i < GROUPS; i++) {
        ints_got += int_parts[i];
        longs_got += long_parts[i];
        most_got = float_parts[i] > most_got ? float_parts[i] : most_got;
        re_got += pair_parts[i].s[0];
        im_got += pair_parts[i].s[1];
    }
    bool ok = ints_got == ints_wanted && longs_got == longs_wanted && most_got == most_wanted && re_got == re_wanted &&
              im_got == im_wanted;
    int code = example_result("cxx_reduce", ok, "int %d, long %lld, float %g, complex %g + %gi", ints_got,
                              (long long)longs_got, (double)most_got, re_got, im_got);
    free(ints);
    free(longs);
    free(floats);
    free(pairs);
    example_close(&example);
    return code;
}
