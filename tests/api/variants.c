/* Programs come one after the other, and each is launched with two work-group sizes. An earlier process has done the
 * same, so that a pool thread makes the pipeline of one size while the other's is needed. What comes out tells whose
 * code ran. Argument: how many programs (otherwise a few). */
#include "api_test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAMS = 60, ITEMS = 256 };

static void launch(cl_kernel kernel, cl_mem sums, cl_mem olds, cl_uint number, size_t items)
{
    cl_uint start = 255 + number, sum = start, old = 0, expected = 0;
    OK(clEnqueueWriteBuffer(queue, sums, CL_TRUE, 0, sizeof(start), &start, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    for (cl_uint i = 0; i < items; i++)
        expected += i * 3 + number;
    OK(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof(sum), &sum, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, olds, CL_TRUE, 0, sizeof(old), &old, 0, NULL, NULL));
    CHECK(sum == start + expected);
    CHECK(items > 1 || old == start);
}

static void build_and_run(cl_mem sums, cl_mem olds, cl_uint number)
{
    char text[512];
    snprintf(text, sizeof(text),
             "kernel void k(uint count, global uint *sums, global uint *olds) {\n"
             "    local uint cell[1];\n"
             "    if (get_local_id(0) == 0) for (uint i = 0; i < count; i++) cell[i] = sums[i];\n"
             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
             "    olds[get_global_id(0)] = atomic_add(cell, (uint)get_global_id(0) * 3 + %u);\n"
             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
             "    if (get_local_id(0) == 0) for (uint i = 0; i < count; i++) sums[i] = cell[i]; }\n",
             number);
    cl_program program = build(text, "");
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    NEED(kernel);
    const cl_uint count = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(count), &count));
    OK(clSetKernelArg(kernel, 1, sizeof(sums), &sums));
    OK(clSetKernelArg(kernel, 2, sizeof(olds), &olds));
    launch(kernel, sums, olds, number, ITEMS);
    launch(kernel, sums, olds, number, 1);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static int child(int programs)
{
    open_device(0);
    cl_mem sums = buffer_of(0, sizeof(cl_uint), NULL), olds = buffer_of(0, ITEMS * sizeof(cl_uint), NULL);
    for (int i = 0; i < programs && !test_failures; i++)
        build_and_run(sums, olds, (cl_uint)i + 1);
    OK(clReleaseMemObject(sums));
    OK(clReleaseMemObject(olds));
    return close_device();
}

static int run_child(const char *directory, const char *programs)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_CACHE_DIR", directory, 1);
        setenv("PUMICE_CACHE", "1", 1);
        execl("/proc/self/exe", "variants", programs, directory, (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return child(atoi(argv[1]));
    char directory[64] = "/tmp/pumice-variants-test-XXXXXX", few[16], command[128];
    NEED(mkdtemp(directory));
    snprintf(few, sizeof(few), "%d", PROGRAMS);
    const char *programs = argc > 1 ? argv[1] : few;
    int status = run_child(directory, programs);
    for (int again = 0; again < 3 && status == 0; again++)
        status = run_child(directory, programs);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    CHECK(system(command) == 0);
    if (status == TEST_SKIPPED)
        return TEST_SKIPPED;
    CHECK(status == 0);
    return test_result();
}
