/* Ranges of all sizes, with and without a local size: every work-item runs exactly once, with ids that agree with each
 * other; and how many pipelines a kernel gets for them. A process of its own does the work, under a trace, which this
 * one reads. */
#include "api_test.h"
#include "traces.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 17 };

/* A work-item marks itself in seen, and counts in wrong what does not fit. The kernels differ in what they can tell. */
static const char source[] =
    "#define CHECK(x) if (!(x)) atomic_inc(wrong)\n"
    "#define MARK atomic_inc(&seen[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + "
    "\\\n"
    "                              get_global_id(0)])\n"
    "kernel void plain(global int *seen, global int *wrong)\n"
    "{\n"
    "    for (uint d = 0; d < 3; d++)\n"
    "        CHECK(get_global_id(d) < get_global_size(d));\n"
    "    MARK;\n"
    "}\n"
    "kernel void sized(global int *seen, global int *wrong)\n"
    "{\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    "        size_t size = SIZE(d), group = get_group_id(d);\n"
    "        CHECK(get_local_id(d) < get_local_size(d));\n"
    "        CHECK(group < get_num_groups(d));\n"
    "        CHECK(group * size + get_local_id(d) == get_global_id(d));\n"
    "        CHECK(get_local_size(d) == min(size, get_global_size(d) - group * size));\n"
    "    }\n"
    "#if __OPENCL_C_VERSION__ >= 200\n"
    "    CHECK(get_local_linear_id() == (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +\n"
    "                                       get_local_id(0));\n"
    "#endif\n"
    "    MARK;\n"
    "}\n"
    "kernel void grouped(global int *seen, global int *wrong)\n"
    "{\n"
    "    local int count;\n"
    "    bool first = !(get_local_id(0) | get_local_id(1) | get_local_id(2));\n"
    "    if (first)\n"
    "        count = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_inc(&count);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    CHECK(count == get_local_size(0) * get_local_size(1) * get_local_size(2));\n"
    "    MARK;\n"
    "}\n";

static cl_mem seen, wrong;
static int *counts;

static void run(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
    size_t items = 1;
    int zero = 0, mistakes = -1;
    for (cl_uint i = 0; i < dims; i++)
        items *= global[i];
    NEED(items <= MOST);
    OK(clEnqueueFillBuffer(queue, seen, &zero, 4, 0, items * 4, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, wrong, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
    OK(clSetKernelArg(kernel, 1, sizeof(wrong), &wrong));
    OK(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, wrong, CL_TRUE, 0, 4, &mistakes, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, items * 4, counts, 0, NULL, NULL));
    size_t bad = 0;
    for (size_t i = 0; i < items; i++)
        bad += counts[i] != 1;
    if (bad || mistakes)
        fprintf(stderr, "%zu x %zu x %zu: %zu work-items not once, %d mistakes\n", global[0], dims > 1 ? global[1] : 1,
                dims > 2 ? global[2] : 1, bad, mistakes);
    CHECK(bad == 0 && mistakes == 0);
}

static void run_ranges(cl_kernel kernel)
{
    static const size_t some[] = {1,   2,    3,    17,    31,    100,   251,   255, 256,
                                  257, 1000, 1009, 16384, 65536, 65537, 99991, MOST};
    static const size_t planes[][3] = {{3, 1000, 1},  {1, 1009, 1},  {1009, 1, 1},  {1000, 3, 1},  {17, 17, 1},
                                       {640, 100, 1}, {256, 256, 1}, {250, 250, 1}, {333, 257, 1}, {1, 1, 1000},
                                       {7, 11, 13},   {64, 32, 16},  {300, 2, 5},   {1, 300, 3}};
    for (size_t i = 0; i < COUNT(some); i++)
        run(kernel, 1, &some[i], NULL);
    for (size_t i = 0; i < COUNT(planes); i++)
        run(kernel, 3, planes[i], NULL);
    for (size_t size = 801; size < 1000; size++)
        run(kernel, 1, &size, NULL);
}

/* Sizes that do not divide the range: OpenCL C 2.0 and later. */
static void run_given(cl_kernel kernel)
{
    static const size_t cases[][2][3] = {{{1000, 1, 1}, {64, 1, 1}},   {{1001, 1, 1}, {64, 1, 1}},
                                         {{1023, 1, 1}, {64, 1, 1}},   {{1024, 1, 1}, {64, 1, 1}},
                                         {{100, 90, 1}, {16, 8, 1}},   {{33, 17, 5}, {8, 4, 2}},
                                         {{5, 5, 5}, {8, 8, 1}},       {{1000, 3, 1}, {7, 2, 1}},
                                         {{10007, 3, 1}, {100, 1, 1}}, {{10, 10, 10}, {3, 3, 3}}};
    for (size_t i = 0; i < COUNT(cases); i++)
        run(kernel, 3, cases[i][0], cases[i][1]);
}

/* What is suggested can be given: where groups must be equal, it divides the range. */
static void run_suggested(cl_kernel kernel, bool equal)
{
    static const size_t sizes[] = {10, 100, 999, 1000, 1009, 1024, 65521, 100000};
    cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    memcpy(&suggest, &address, sizeof(address));
    for (size_t i = 0; i < COUNT(sizes) && address; i++) {
        size_t local = 0;
        OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
        OK(clSetKernelArg(kernel, 1, sizeof(wrong), &wrong));
        OK(suggest(queue, kernel, 1, NULL, &sizes[i], &local));
        CHECK(local && (!equal || sizes[i] % local == 0));
        run(kernel, 1, &sizes[i], &local);
    }
}

static int child(void)
{
    open_device(0);
    seen = buffer_of(0, MOST * 4, NULL);
    wrong = buffer_of(0, 4, NULL);
    counts = malloc(MOST * 4);
    cl_program old =
        build(source, "-D SIZE=get_local_size -D plain=plain_old -D sized=sized_old -D grouped=grouped_old");
    cl_program new = build(source, "-cl-std=CL3.0 -D SIZE=get_enqueued_local_size");
    static const char *const names[] = {"plain_old", "sized_old", "grouped_old", "plain", "sized", "grouped"};
    for (size_t i = 0; i < COUNT(names); i++) {
        cl_kernel kernel = clCreateKernel(i < 3 ? old : new, names[i], NULL);
        NEED(kernel);
        run_ranges(kernel);
        clReleaseKernel(kernel);
    }
    /* these pipelines are counted by another name */
    cl_program given = build(source, "-cl-std=CL3.0 -D SIZE=get_enqueued_local_size -D plain=plain_given "
                                     "-D sized=sized_given -D grouped=grouped_given");
    static const char *const given_names[] = {"plain_given", "sized_given", "grouped_given"};
    for (size_t i = 0; i < COUNT(given_names); i++) {
        cl_kernel kernel = clCreateKernel(given, given_names[i], NULL);
        NEED(kernel);
        run_given(kernel);
        run_suggested(kernel, false);
        clReleaseKernel(kernel);
    }
    cl_program suggested = build(source, "-D SIZE=get_local_size -D plain=plain_suggested "
                                         "-D sized=sized_suggested -D grouped=grouped_suggested");
    static const char *const suggested_names[] = {"plain_suggested", "sized_suggested", "grouped_suggested"};
    for (size_t i = 0; i < COUNT(suggested_names); i++) {
        cl_kernel kernel = clCreateKernel(suggested, suggested_names[i], NULL);
        NEED(kernel);
        run_suggested(kernel, true);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(suggested);
    clReleaseProgram(old);
    clReleaseProgram(new);
    clReleaseProgram(given);
    clReleaseMemObject(seen);
    clReleaseMemObject(wrong);
    free(counts);
    return close_device();
}

static void check_count(const char *trace, const char *name, int most)
{
    int count = count_pipelines(trace, name);
    printf("%s: %d pipelines\n", name, count);
    CHECK(count > 0 && count <= most);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child();
    char trace[] = "/tmp/pumice-ranges-test-XXXXXX";
    NEED(close(mkstemp(trace)) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_TRACE", trace, 1);
        execl("/proc/self/exe", argv[0], "child", (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED) {
        unlink(trace);
        return TEST_SKIPPED;
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_count(trace, "plain_old", 2); /* and plain, which is the same code */
    check_count(trace, "sized", 2);
    check_count(trace, "sized_old", 2);
    check_count(trace, "grouped_old", 8);
    check_count(trace, "plain_given", 30); /* one or two for each size that was given */
    check_count(trace, "sized_given", 30);
    unlink(trace);
    return test_result();
}
