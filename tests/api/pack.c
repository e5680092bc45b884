/* Small work-groups that share one of the device's (PUMICE_PACK): every work-item runs once, with the ids, sizes and
 * sub-groups of its own group, whatever the local size, the range, its offset and its end. Kernels of random expressions
 * store the same as with groups that share nothing. A process of its own runs each way.
 *
 * Groups share one only where each of the device's compute units still gets LEAST of them. So the ranges grow with the
 * number of its compute units. */
#include "api_test.h"
#include "command_buffers.h"
#include "traces.h"

#include <sys/wait.h>
#include <unistd.h>

enum { RANDOM_KERNELS = 16, LEAST = 2, UNITS_OF_RANGES = 8, MOST_OF_RANGES = 1 << 15, UNKNOWN_UNITS = 16 };

/* A work-item marks itself in seen and its group in groups, and counts in wrong what does not fit. */
static const char source[] =
    "#define CHECK(x) if (!(x)) atomic_inc(wrong)\n"
    "#define INDEX(d) (get_global_id(d) - get_global_offset(d))\n"
    "#define GROUP ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))\n"
    "#define MARK atomic_inc(&seen[(INDEX(2) * get_global_size(1) + INDEX(1)) * get_global_size(0) + INDEX(0)])\n"
    "kernel void plain(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    MARK;\n"
    "}\n"
    "void ids(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    "        size_t size = get_enqueued_local_size(d), group = get_group_id(d);\n"
    "        CHECK(get_local_id(d) < get_local_size(d));\n"
    "        CHECK(group < get_num_groups(d));\n"
    "        CHECK(group * size + get_local_id(d) == INDEX(d));\n"
    "        CHECK(get_local_size(d) == min(size, get_global_size(d) - group * size));\n"
    "    }\n"
    "    CHECK(get_local_linear_id() == (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +\n"
    "                                       get_local_id(0));\n"
    "    CHECK(get_global_linear_id() == (INDEX(2) * get_global_size(1) + INDEX(1)) * get_global_size(0) + INDEX(0));\n"
    "    atomic_inc(&groups[GROUP]);\n"
    "    MARK;\n"
    "}\n"
    "kernel void sized(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    ids(seen, groups, wrong);\n"
    "}\n"
    /* the range is even where the size is required */
    "__attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "kernel void required(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    ids(seen, groups, wrong);\n"
    "}\n"
    /* a group takes a lock by its first work-item, and gives it back */
    "kernel void locked(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    if (get_local_linear_id() == 0) {\n"
    "        while (atomic_cmpxchg(&groups[0], 0, 1))\n"
    "            ;\n"
    "        atomic_xchg(&groups[0], 0);\n"
    "    }\n"
    "    MARK;\n"
    "}\n"
    /* each has code of its own: the same code has the same pipelines */
    "#define COUNTED(name, n) kernel void name(global int *seen, global int *groups, global int *wrong) \\\n"
    "    { CHECK(get_work_dim() != n); ids(seen, groups, wrong); }\n"
    "COUNTED(counted, 11) COUNTED(too_few, 12) COUNTED(enough, 13)\n"
    "#ifdef SUB_GROUP\n"
    "__attribute__((intel_reqd_sub_group_size(SUB_GROUP)))\n"
    "kernel void sub_groups(global int *seen, global int *groups, global int *wrong)\n"
    "{\n"
    "    uint items = get_local_size(0) * get_local_size(1) * get_local_size(2), id = get_sub_group_id();\n"
    "    uint first = id * SUB_GROUP, place = get_local_linear_id(), n = min((uint)SUB_GROUP, items - first);\n"
    "    CHECK(get_max_sub_group_size() == SUB_GROUP && get_sub_group_size() == n);\n"
    "    CHECK(get_num_sub_groups() == (items + SUB_GROUP - 1) / SUB_GROUP);\n"
    "    CHECK(id == place / SUB_GROUP && get_sub_group_local_id() == place % SUB_GROUP);\n"
    "    CHECK(sub_group_reduce_add(place) == n * (2 * first + n - 1) / 2);\n"
    "    CHECK(sub_group_reduce_max((uint)GROUP) == GROUP && sub_group_reduce_min((uint)GROUP) == GROUP);\n"
    "    CHECK(sub_group_scan_inclusive_add(1) == place % SUB_GROUP + 1);\n"
    "    CHECK(sub_group_broadcast(place, n - 1) == first + n - 1);\n"
    "    if (GROUP % 3 == 1)\n"
    "        CHECK(sub_group_reduce_add(place) == n * (2 * first + n - 1) / 2);\n"
    "    for (uint i = 0; i < GROUP % 5; i++)\n"
    "        CHECK(sub_group_any(place == first + i % n));\n"
    "    ids(seen, groups, wrong);\n"
    "}\n"
    "#endif\n";

static cl_mem seen, groups, wrong;
static int *counts;
static size_t scale, most, units; /* of the ranges; work-items of a range; compute units of the device */

static size_t product(const size_t sizes[3])
{
    return sizes[0] * sizes[1] * sizes[2];
}

static void clear(cl_mem buffer, size_t count)
{
    int zero = 0;
    OK(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, count * 4, 0, NULL, NULL));
}

static size_t group_items(const size_t global[3], const size_t local[3], size_t group)
{
    size_t items = 1;
    for (int i = 0; i < 3; i++) {
        size_t count = (global[i] + local[i] - 1) / local[i], at = group % count, rest = global[i] - at * local[i];
        items *= rest < local[i] ? rest : local[i];
        group /= count;
    }
    return items;
}

static void check_results(const size_t global[3], const size_t local[3], bool counts_groups)
{
    size_t items = product(global), bad = 0, num_groups = 1;
    int mistakes = -1;
    OK(clEnqueueReadBuffer(queue, wrong, CL_TRUE, 0, 4, &mistakes, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, items * 4, counts, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++)
        bad += counts[i] != 1;
    for (int i = 0; i < 3; i++)
        num_groups *= (global[i] + local[i] - 1) / local[i];
    if (counts_groups) {
        OK(clEnqueueReadBuffer(queue, groups, CL_TRUE, 0, num_groups * 4, counts, 0, NULL, NULL));
        for (size_t i = 0; i < num_groups; i++)
            bad += counts[i] != (int)group_items(global, local, i);
    }
    if (bad || mistakes)
        fprintf(stderr, "%zu x %zu x %zu by %zu x %zu x %zu: %zu not as often as they should, %d mistakes\n", global[0],
                global[1], global[2], local[0], local[1], local[2], bad, mistakes);
    CHECK(bad == 0 && mistakes == 0);
}

static void run(cl_kernel kernel, const size_t offset[3], const size_t global[3], const size_t local[3],
                bool counts_groups)
{
    NEED(product(global) <= most);
    clear(seen, product(global));
    clear(groups, most);
    clear(wrong, 1);
    OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
    OK(clSetKernelArg(kernel, 1, sizeof(groups), &groups));
    OK(clSetKernelArg(kernel, 2, sizeof(wrong), &wrong));
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local, 0, NULL, NULL));
    check_results(global, local, counts_groups);
}

static const size_t locals[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {8, 1, 1}, {16, 1, 1}, {24, 1, 1}, {32, 1, 1},
                                   {1, 8, 1}, {1, 1, 3}, {4, 2, 1}, {3, 3, 3}, {2, 2, 2},  {5, 1, 3},  {8, 4, 1}};
/* groups in each dimension, and work-items more than those have */
static const size_t counts_of_groups[][3] = {{1024, 1, 1}, {509, 1, 1}, {1, 640, 1}, {37, 5, 3}, {2, 2, 95}, {7, 1, 1}};
enum { FEW_GROUPS = 16 }; /* what has no more stays small */
static const size_t rests[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 2}};
static const size_t offsets[][3] = {{0, 0, 0}, {5, 0, 1000}, {0, 7, 3}};

/* So many groups, more of them in the dimension that has most, and the rest. */
static void size_range(const size_t local[3], const size_t count[3], const size_t rest[3], size_t global[3])
{
    int longest = 0;
    for (int i = 1; i < 3; i++)
        longest = count[i] > count[longest] ? i : longest;
    for (int i = 0; i < 3; i++) {
        size_t groups_here = count[i] * (i == longest && product(count) > FEW_GROUPS ? scale : 1);
        global[i] = local[i] * groups_here + (rest[i] < local[i] ? rest[i] : 0);
    }
}

static void run_ranges(cl_kernel kernel, bool counts_groups, size_t step, bool even)
{
    size_t turn = 0;
    for (size_t l = 0; l < COUNT(locals); l++) {
        if (product(locals[l]) % step)
            continue;
        for (size_t g = 0; g < COUNT(counts_of_groups); g++) {
            const size_t *rest = rests[even ? 0 : turn++ % COUNT(rests)], *offset = offsets[turn % COUNT(offsets)];
            size_t global[3];
            size_range(locals[l], counts_of_groups[g], rest, global);
            if (product(global) <= most)
                run(kernel, offset, global, locals[l], counts_groups);
        }
    }
}

/* ---- sub-groups ---- */

static void run_sub_groups(void)
{
    size_t sizes[16], bytes = 0;
    const struct test_device opened = {platform, device, context, queue};
    if (!test_has_extension(&opened, "cl_intel_required_subgroup_size") ||
        clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &bytes) != CL_SUCCESS)
        return;
    for (size_t i = 0; i < bytes / sizeof(sizes[0]) && sizes[i] <= 32; i++) {
        char options[64];
        snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSUB_GROUP=%zu", sizes[i]);
        cl_program program = build(source, options);
        cl_kernel kernel = clCreateKernel(program, "sub_groups", NULL);
        NEED(kernel);
        run_ranges(kernel, true, 4, true);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
}

/* ---- random kernels ---- */

static uint32_t state;

static uint32_t random_below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static void append(char *text, const char *more)
{
    strcat(text, more);
}

static void expression(char *text, int depth)
{
    static const char *const leaves[] = {"get_global_id",     "get_local_id",           "get_group_id",
                                         "get_local_size",    "get_num_groups",         "get_global_size",
                                         "get_global_offset", "get_enqueued_local_size"};
    static const char *const operators[] = {" + ", " * ", " ^ ", " | ", " - ", " & "};
    char part[64];
    uint32_t kind = random_below(depth > 0 ? 4 : 2);
    if (kind == 0) {
        snprintf(part, sizeof(part), "%uu", random_below(100));
        append(text, part);
    } else if (kind == 1) {
        if (random_below(6) == 0)
            snprintf(part, sizeof(part), "(uint)%s()",
                     random_below(2) ? "get_local_linear_id" : "get_global_linear_id");
        else
            snprintf(part, sizeof(part), "(uint)%s(%u)", leaves[random_below(COUNT(leaves))], random_below(3));
        append(text, part);
    } else {
        append(text, "(");
        expression(text, depth - 1);
        append(text, operators[random_below(COUNT(operators))]);
        expression(text, depth - 1);
        append(text, ")");
    }
}

static void statement(char *text, int depth)
{
    switch (random_below(depth > 0 ? 5 : 2)) {
    case 0:
        append(text, "    x = ");
        expression(text, 3);
        append(text, " + x * 31u;\n");
        break;
    case 1:
        append(text, "    atomic_add(&groups[(");
        expression(text, 2);
        append(text, ") % 1000u], (int)(");
        expression(text, 2);
        append(text, "));\n");
        break;
    case 2:
        append(text, "    if ((");
        expression(text, 2);
        append(text, ") % 3u == 1u) {\n");
        statement(text, depth - 1);
        append(text, "    } else {\n");
        statement(text, depth - 1);
        append(text, "    }\n");
        break;
    case 3:
        append(text, "    for (uint i = 0; i < (");
        expression(text, 2);
        append(text, ") % 7u; i++) {\n");
        statement(text, depth - 1);
        append(text, "    x ^= i + x / 3u;\n    }\n");
        break;
    default:
        append(text, "    if ((");
        expression(text, 2);
        append(text, ") % 11u == 3u) {\n    seen[INDEX] = x;\n    return;\n    }\n");
    }
}

static uint64_t hash(uint64_t h, const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        h = (h ^ (uint32_t)values[i]) * 0x100000001b3u;
    return h;
}

/* What a random kernel stores, over some of the ranges. */
static uint64_t run_random(uint32_t seed)
{
    static char text[1 << 16];
    uint64_t h = seed;
    state = seed * 7919 + 1;
    strcpy(text, "#define AT(d) (get_global_id(d) - get_global_offset(d))\n"
                 "#define INDEX ((AT(2) * get_global_size(1) + AT(1)) * get_global_size(0) + AT(0))\n"
                 "kernel void chance(global uint *seen, global int *groups)\n{\n    uint x = 1;\n");
    for (int i = 0; i < 5; i++)
        statement(text, 3);
    append(text, "    seen[INDEX] = x;\n}\n");
    cl_program program = build(text, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "chance", NULL);
    NEED(kernel);
    OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
    OK(clSetKernelArg(kernel, 1, sizeof(groups), &groups));
    for (int i = 0; i < 6; i++) {
        const size_t *local = locals[random_below(COUNT(locals))];
        const size_t *count = counts_of_groups[random_below(COUNT(counts_of_groups))], *rest = rests[i % COUNT(rests)];
        size_t global[3];
        size_range(local, count, rest, global);
        if (product(global) > most)
            continue;
        clear(seen, most);
        clear(groups, most);
        OK(clEnqueueNDRangeKernel(queue, kernel, 3, offsets[i % COUNT(offsets)], global, local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, most * 4, counts, 0, NULL, NULL));
        h = hash(h, counts, most);
        OK(clEnqueueReadBuffer(queue, groups, CL_TRUE, 0, 4000, counts, 0, NULL, NULL));
        h = hash(h, counts, 1000);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return h;
}

/* ---- command buffers ---- */

static void run_recorded(cl_program program)
{
    static const size_t local[3] = {3, 2, 1}, count[3] = {100, 7, 5}, offset[3] = {4, 0, 9};
    size_t global[3];
    cl_kernel kernel = clCreateKernel(program, "sized", NULL);
    struct buffer_functions f;
    if (!find_buffer_functions(platform, &f)) {
        clReleaseKernel(kernel);
        return;
    }
    size_range(local, count, rests[0], global);
    cl_int error;
    buffer_handle buffer = f.create(1, &queue, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(seen), &seen));
    OK(clSetKernelArg(kernel, 1, sizeof(groups), &groups));
    OK(clSetKernelArg(kernel, 2, sizeof(wrong), &wrong));
    OK(f.launch(buffer, NULL, NULL, kernel, 3, offset, global, local, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    for (int i = 0; i < 2; i++) {
        clear(seen, most);
        clear(groups, most);
        clear(wrong, 1);
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        check_results(global, local, true);
    }
    OK(f.release(buffer));
    clReleaseKernel(kernel);
}

/* ---- the ways ---- */

/* Runs so many groups of 7 work-items, of which nine share one where PUMICE_PACK is 64, and then one that is alone. */
static void run_sevens(cl_program program, const char *name, const size_t *counts_of_sevens, size_t ranges)
{
    static const size_t none[3], size[3] = {7, 1, 1};
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    NEED(kernel);
    for (size_t i = 0; i < ranges; i++)
        run(kernel, none, (const size_t[]){7 * counts_of_sevens[i], 1, 1}, size, true);
    run(kernel, none, (const size_t[]){7, 1, 1}, size, true);
    clReleaseKernel(kernel);
}

/* Those whose pipelines are counted. Each runs first of all in a process, since more pipelines are guessed from others. */
static void run_counted(const char *name, cl_program program)
{
    size_t known = units > UNKNOWN_UNITS ? units : UNKNOWN_UNITS; /* Pumice may know less than the device tells */
    if (!strcmp(name, "counted"))
        run_sevens(program, name, (const size_t[]){1026 * scale, 1026 * scale - 25}, 2);
    else if (!strcmp(name, "too_few"))
        run_sevens(program, name, (const size_t[]){9 * (LEAST * units - 1)}, 1);
    else
        run_sevens(program, name, (const size_t[]){9 * LEAST * known}, 1);
}

static void make_buffers(void)
{
    cl_uint number = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(number), &number, NULL));
    NEED(number);
    units = number;
    scale = (units + UNITS_OF_RANGES - 1) / UNITS_OF_RANGES;
    most = MOST_OF_RANGES * scale;
    seen = buffer_of(0, most * 4, NULL);
    groups = buffer_of(0, most * 4, NULL);
    wrong = buffer_of(0, 4, NULL);
    counts = malloc(most * 4);
    NEED(counts);
}

static void run_all(cl_program program, int out)
{
    static const struct {
        const char *name;
        bool counts_groups;
    } kernels[] = {{"plain", false}, {"sized", true}, {"locked", false}};
    static const size_t size[3] = {4, 2, 1}, none[3];
    for (size_t i = 0; i < COUNT(kernels); i++) {
        cl_kernel kernel = clCreateKernel(program, kernels[i].name, NULL);
        NEED(kernel);
        run_ranges(kernel, kernels[i].counts_groups, 1, false);
        clReleaseKernel(kernel);
    }
    cl_kernel kernel = clCreateKernel(program, "required", NULL);
    for (size_t g = 0; g < COUNT(counts_of_groups); g++) {
        size_t global[3];
        size_range(size, counts_of_groups[g], rests[0], global);
        run(kernel, none, global, size, true);
    }
    clReleaseKernel(kernel);
    run_recorded(program);
    run_sub_groups();
    for (uint32_t seed = 1; seed <= RANDOM_KERNELS; seed++) {
        uint64_t h = run_random(seed);
        NEED(write(out, &h, sizeof(h)) == sizeof(h));
    }
}

/* The kernel whose pipelines are counted, and then all others where there is somebody who reads what they store. */
static int child(const char *name, int out)
{
    open_device(0);
    make_buffers();
    cl_program program = build(source, "-cl-std=CL3.0");
    run_counted(name, program);
    if (out >= 0)
        run_all(program, out);
    clReleaseProgram(program);
    clReleaseMemObject(seen);
    clReleaseMemObject(groups);
    clReleaseMemObject(wrong);
    free(counts);
    return close_device();
}

/* Runs that with groups of so many work-items; *pipelines of the kernel that is counted. The child's exit status. */
static int run_way(const char *items, const char *name, uint64_t *hashes, int *pipelines)
{
    char trace[] = "/tmp/pumice-pack-test-XXXXXX";
    int ends[2], status = 0;
    NEED(close(mkstemp(trace)) == 0 && pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char number[16], least[16];
        snprintf(number, sizeof(number), "%d", hashes ? ends[1] : -1);
        snprintf(least, sizeof(least), "%d", LEAST);
        setenv("PUMICE_TRACE", trace, 1);
        setenv("PUMICE_PACK", items, 1);
        setenv("PUMICE_PACK_LEAST", least, 1);
        execl("/proc/self/exe", "api_pack", name, number, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    for (int i = 0; hashes && i < RANDOM_KERNELS && read(ends[0], &hashes[i], sizeof(hashes[0])) == sizeof(hashes[0]);
         i++)
        ;
    close(ends[0]);
    waitpid(pid, &status, 0);
    *pipelines = count_pipelines(trace, name);
    unlink(trace);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"1", "64", "256"};
    uint64_t hashes[COUNT(ways)][RANDOM_KERNELS] = {{0}};
    int pipelines[COUNT(ways)], few, enough;
    if (argc > 2)
        return child(argv[1], atoi(argv[2]));
    for (size_t i = 0; i < COUNT(ways); i++) {
        int status = run_way(ways[i], "counted", hashes[i], &pipelines[i]);
        if (status == TEST_SKIPPED)
            return TEST_SKIPPED;
        CHECK(status == 0);
        for (int k = 0; k < RANDOM_KERNELS; k++) {
            if (!hashes[i][k] || hashes[i][k] != hashes[0][k])
                fprintf(stderr, "random kernel %d differs with groups of %s\n", k + 1, ways[i]);
            CHECK(hashes[i][k] && hashes[i][k] == hashes[0][k]);
        }
        printf("PUMICE_PACK=%s: %d pipelines\n", ways[i], pipelines[i]);
    }
    CHECK(pipelines[0] == 1);
    CHECK(pipelines[1] == 3); /* whole, with room beyond the range, and the launch of a single group */
    CHECK(run_way("64", "too_few", NULL, &few) == 0 && run_way("64", "enough", NULL, &enough) == 0);
    CHECK(few == 1);
    CHECK(enough == 2); /* shared, and the launch of a single group */
    return test_result();
}
