/* Kernels that are launched with ever new local sizes: after a few of them launches wait for no more pipelines, but for
 * those that run groups of any size. Every work-item runs once, with the ids, sizes, local memory and barriers of its
 * own group. A process of its own does the work, under a trace, which this one reads. */
#include "api_test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 14, LOCALS = 1024 };

static const char source[] =
    "#define CHECK(x) if (!(x)) atomic_inc(wrong)\n"
    "#define MARK atomic_inc(&seen[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + "
    "\\\n"
    "                              get_global_id(0)])\n"
    "#define ITEMS (get_local_size(0) * get_local_size(1) * get_local_size(2))\n"
    "#define PLACE ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))\n"
    /* all of a group meet, in a loop too, and leave each other values */
    "kernel void meets(global int *seen, global int *wrong, local int *values, int rounds)\n"
    "{\n"
    "    local int count;\n"
    "    uint place = PLACE, items = ITEMS;\n"
    "    for (uint d = 0; d < 3; d++)\n"
    "        CHECK(get_group_id(d) * get_local_size(d) + get_local_id(d) == get_global_id(d));\n"
    "    if (place == 0)\n"
    "        count = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_inc(&count);\n"
    "    for (int i = 0; i < rounds; i++) {\n"
    "        values[place] = place + i;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        uint other = (place + 1 + i) % items;\n"
    "        CHECK(values[other] == other + i);\n"
    "        while (other > place + 7)\n"
    "            other -= 7;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    CHECK(count == items);\n"
    "    MARK;\n"
    "}\n"
    /* nobody can tell but by the numbers */
    "kernel void places(global int *seen, global int *wrong, local int *values, int rounds)\n"
    "{\n"
    "    values[PLACE] = get_global_id(0);\n"
    "    CHECK(PLACE < ITEMS && values[PLACE] == get_global_id(0));\n"
    "    if (get_local_id(0) % 3 == 1) {\n"
    "        MARK;\n"
    "        return;\n"
    "    }\n"
    "    switch (get_local_id(1) % 3) {\n"
    "    case 0: MARK; break;\n"
    "    default: MARK;\n"
    "    }\n"
    "}\n"
    /* whether all get to the barrier is known to the program alone */
    "kernel void trusts(global int *seen, global int *wrong, local int *values, int rounds)\n"
    "{\n"
    "    values[PLACE] = rounds;\n"
    "    for (int i = 0; i < values[PLACE]; i++)\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    MARK;\n"
    "}\n";

static cl_mem seen, wrong;
static int *counts;

static void run(cl_kernel kernel, const size_t global[3], const size_t local[3])
{
    size_t items = global[0] * global[1] * global[2];
    int zero = 0, mistakes = -1, rounds = 3;
    NEED(items <= MOST);
    OK(clEnqueueFillBuffer(queue, seen, &zero, 4, 0, items * 4, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, wrong, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
    OK(clSetKernelArg(kernel, 1, sizeof(wrong), &wrong));
    OK(clSetKernelArg(kernel, 2, LOCALS * 4, NULL));
    OK(clSetKernelArg(kernel, 3, sizeof(rounds), &rounds));
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, wrong, CL_TRUE, 0, 4, &mistakes, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, items * 4, counts, 0, NULL, NULL));
    size_t bad = 0;
    for (size_t i = 0; i < items; i++)
        bad += counts[i] != 1;
    if (bad || mistakes)
        fprintf(stderr, "local size %zu x %zu x %zu: %zu work-items not once, %d mistakes\n", local[0], local[1],
                local[2], bad, mistakes);
    CHECK(bad == 0 && mistakes == 0);
}

static void run_sizes(cl_kernel kernel, size_t most)
{
    size_t limit = 0;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL));
    for (size_t width = most; width > 0; width--) {
        size_t height = width % 5 + 1, depth = width % 3 + 1;
        size_t local[3] = {width, height, depth}, global[3] = {width * 2, height * 3, depth};
        if (width * height * depth <= limit && width * height * depth <= LOCALS)
            run(kernel, global, local);
    }
    size_t local[3] = {limit < LOCALS ? limit : LOCALS, 1, 1}, global[3] = {local[0] * 2, 1, 1};
    run(kernel, global, local);
}

static int child(void)
{
    open_device(0);
    seen = buffer_of(0, MOST * 4, NULL);
    wrong = buffer_of(0, 4, NULL);
    counts = malloc(MOST * 4);
    cl_program program = build(source, "");
    static const char *const names[] = {"meets", "places", "trusts"};
    for (size_t i = 0; i < COUNT(names); i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], NULL);
        NEED(kernel);
        run_sizes(kernel, i < 2 ? 100 : 12);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    clReleaseMemObject(seen);
    clReleaseMemObject(wrong);
    free(counts);
    return close_device();
}

/* How many pipelines of that name the thread made that launches kernels. */
static int count_awaited(const char *trace, const char *name)
{
    char line[4096], wanted[64];
    int count = 0;
    FILE *file = fopen(trace, "r");
    NEED(file);
    snprintf(wanted, sizeof(wanted), "\"name\":\"%s\"", name);
    while (fgets(line, sizeof(line), file)) {
        const char *pid = strstr(line, "\"pid\":"), *tid = strstr(line, "\"tid\":");
        count += strstr(line, "\"cat\":\"pipeline\"") && strstr(line, wanted) && pid && tid &&
                 atoi(pid + 6) == atoi(tid + 6);
    }
    fclose(file);
    printf("%s: %d pipelines were waited for\n", name, count);
    return count;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child();
    char trace[] = "/tmp/pumice-sizes-test-XXXXXX";
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
    /* six of sizes of their own, and three for groups of any size: of 64, 256 and 1024 lanes */
    CHECK(count_awaited(trace, "meets") <= 9);
    CHECK(count_awaited(trace, "places") <= 9);
    CHECK(count_awaited(trace, "trusts") >= 10);
    unlink(trace);
    return test_result();
}
