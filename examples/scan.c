/* A reduction and an inclusive scan over a hundred thousand ints by work-groups: local memory arguments, barriers in
 * loops and in called functions, several kernels in one in-order queue. */
#include "common.h"

#include <stdlib.h>

enum { COUNT = 100001, LOCAL = 128, GROUPS = (COUNT + LOCAL - 1) / LOCAL, REDUCE_GROUPS = 8 };

static int reduce_is_wrong(struct example *example, cl_mem input, cl_int expected)
{
    cl_int sums[REDUCE_GROUPS], total = 0;
    cl_uint count = COUNT;
    cl_mem buffer = example_buffer(example, CL_MEM_WRITE_ONLY, sizeof(sums), NULL);
    cl_kernel kernel = example_kernel(example, "reduce");
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &input));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffer));
    CHECK(clSetKernelArg(kernel, 2, sizeof(count), &count));
    CHECK(clSetKernelArg(kernel, 3, LOCAL * sizeof(cl_int), NULL));
    size_t global = REDUCE_GROUPS * LOCAL, local = LOCAL;
    example_run(example, kernel, 1, &global, &local);
    example_read(example, buffer, sizeof(sums), sums);
    for (int i = 0; i < REDUCE_GROUPS; i++)
        total += sums[i];
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
    return total != expected;
}

static void scan(struct example *example, cl_mem input, cl_mem output)
{
    cl_uint count = COUNT, groups = GROUPS;
    cl_mem sums = example_buffer(example, CL_MEM_READ_WRITE, GROUPS * sizeof(cl_int), NULL);
    cl_kernel blocks = example_kernel(example, "scan_blocks"), scan_sums = example_kernel(example, "scan_sums"),
              add = example_kernel(example, "add_sums");
    CHECK(clSetKernelArg(blocks, 0, sizeof(cl_mem), &input));
    CHECK(clSetKernelArg(blocks, 1, sizeof(cl_mem), &output));
    CHECK(clSetKernelArg(blocks, 2, sizeof(cl_mem), &sums));
    CHECK(clSetKernelArg(blocks, 3, sizeof(count), &count));
    CHECK(clSetKernelArg(blocks, 4, LOCAL * sizeof(cl_int), NULL));
    CHECK(clSetKernelArg(scan_sums, 0, sizeof(cl_mem), &sums));
    CHECK(clSetKernelArg(scan_sums, 1, sizeof(groups), &groups));
    CHECK(clSetKernelArg(scan_sums, 2, LOCAL * sizeof(cl_int), NULL));
    CHECK(clSetKernelArg(add, 0, sizeof(cl_mem), &output));
    CHECK(clSetKernelArg(add, 1, sizeof(cl_mem), &sums));
    CHECK(clSetKernelArg(add, 2, sizeof(count), &count));
    size_t global = GROUPS * LOCAL, local = LOCAL;
    CHECK(clEnqueueNDRangeKernel(example->queue, blocks, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(example->queue, scan_sums, 1, NULL, &local, &local, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(example->queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clFinish(example->queue));
    CHECK(clReleaseKernel(blocks));
    CHECK(clReleaseKernel(scan_sums));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseMemObject(sums));
}

int main(void)
{
    static cl_int in[COUNT], out[COUNT];
    unsigned seed = 11;
    for (int i = 0; i < COUNT; i++)
        in[i] = (cl_int)(example_random(&seed) * 200.0f) - 100;
    struct example example;
    example_open(&example);
    example_build(&example, "scan.cl", NULL);
    cl_mem input = example_buffer(&example, CL_MEM_READ_ONLY, sizeof(in), in);
    cl_mem output = example_buffer(&example, CL_MEM_READ_WRITE, sizeof(out), NULL);
    scan(&example, input, output);
    example_read(&example, output, sizeof(out), out);

    int wrong = 0;
    cl_int sum = 0;
    for (int i = 0; i < COUNT; i++) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    int bad_sum = reduce_is_wrong(&example, input, sum);
    int exit_code = example_result("scan", wrong == 0 && !bad_sum, "%d of %d prefix sums differ, the reduction is %s",
                                   wrong, COUNT, bad_sum ? "wrong" : "right");
    CHECK(clReleaseMemObject(input));
    CHECK(clReleaseMemObject(output));
    example_close(&example);
    return exit_code;
}
