/* Pipelines that are made before they are asked for: those that an earlier process used, from the build on, and those
 * of kernels whose siblings were launched. Each case is a process of its own, under a trace that this one reads; they
 * share a folder of caches. */
#include "api_test.h"

#include "base/map.h"
#include "compiler/clc.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KERNELS = 6, WAITS = 4, ANY = -1 };

/* How long a process gives the pool's threads: the next one more, where this was not enough on a busy machine. */
static const unsigned wait_us[WAITS] = {300000, 1000000, 4000000, 16000000};

/* As src/device/shapes.c writes them; the seed is in the file's name. */
struct record {
    uint64_t kernel;
    uint32_t values[CLC_SPEC_COUNT], check;
};

static char directory[64] = "/tmp/pumice-ahead-test-XXXXXX", trace[80];

static cl_program build_kernels(void)
{
    return build(
        "#define K(name, n) kernel void name(global int *out) { out[get_global_id(0)] = get_local_size(0) + n; }\n"
        "K(k0, 0) K(k1, 1) K(k2, 2) K(k3, 3) K(k4, 4)\n"
        "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k5(global int *out)\n"
        "{ local int sum; if (get_local_id(0) == 0) sum = 5; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  out[get_global_id(0)] = sum + get_local_size(0); }\n",
        "");
}

static cl_kernel kernel_of(cl_program program, int number)
{
    char name[] = "k0";
    name[1] = (char)('0' + number);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    NEED(kernel);
    return kernel;
}

static void launch(cl_kernel kernel, int number, size_t local)
{
    size_t global = 1024;
    int back[1024] = {0};
    cl_mem out = buffer_of(0, sizeof(back), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++)
        CHECK(back[i] == (int)local + number);
    clReleaseMemObject(out);
}

/* As the application is told, some time ago. */
static size_t suggested_size(cl_kernel kernel, unsigned wait)
{
    cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    size_t global = 1024, local = 0;
    cl_mem out = buffer_of(0, 4096, NULL);
    memcpy(&suggest, &address, sizeof(address));
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(suggest(queue, kernel, 1, NULL, &global, &local));
    usleep(wait);
    clReleaseMemObject(out);
    return local;
}

/* The cases. */
enum { GUESS, USE, REMEMBER, RELEASE, SUGGEST, ONE_BY_ONE, OTHER_PROGRAMS };

static int child(int what, unsigned wait)
{
    open_device(0);
    cl_program program = build_kernels();
    cl_kernel kernels[KERNELS] = {0};
    for (int i = 0; i < KERNELS && (what == GUESS || what == USE || what == SUGGEST); i++)
        kernels[i] = kernel_of(program, i);
    switch (what) {
    case GUESS: /* one launch tells of the others */
        launch(kernels[0], 0, 64);
        usleep(wait);
        for (int i = 0; i < KERNELS; i++)
            launch(kernels[i], i, i == 5 ? 16 : 64);
        break;
    case ONE_BY_ONE: /* objects are made between launches: so will the others be */
        for (int i = 0; i < KERNELS; i++) {
            kernels[i] = kernel_of(program, i);
            launch(kernels[i], i, i == 5 ? 16 : 64);
            usleep(i == 1 ? wait : 0);
        }
        break;
    case OTHER_PROGRAMS: /* each kernel is in a program of its own */
        for (int i = 0; i < KERNELS; i++) {
            kernels[i] = kernel_of(program, i);
            clReleaseProgram(program);
            program = build_kernels();
        }
        launch(kernels[0], 0, 64);
        usleep(wait);
        for (int i = 0; i < KERNELS; i++)
            launch(kernels[i], i, i == 5 ? 16 : 64);
        break;
    case SUGGEST:
        launch(kernels[3], 3, suggested_size(kernels[3], wait));
        break;
    case USE:
        launch(kernels[1], 1, 32);
        launch(kernels[2], 2, 128);
        launch(kernels[5], 5, 16);
        break;
    case REMEMBER:
        usleep(wait);
        break;
    case RELEASE: /* whatever is under way then */
        for (int i = 0; i < 30; i++) {
            clReleaseProgram(program);
            program = build_kernels();
        }
    }
    for (int i = 0; i < KERNELS; i++) {
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    }
    clReleaseProgram(program);
    return close_device();
}

static int run_child(int what, int wait)
{
    char argument[] = {(char)('0' + what), (char)('0' + wait), 0};
    unlink(trace);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_TRACE", trace, 1);
        setenv("PUMICE_CACHE_DIR", directory, 1);
        setenv("PUMICE_CACHE", "1", 1);
        execl("/proc/self/exe", "ahead", argument, (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Finds how many pipelines of each kernel were made, and how many of all by the process's first thread. */
static int count_pipelines(int counts[KERNELS])
{
    char line[4096];
    int by_main = 0;
    memset(counts, 0, KERNELS * sizeof(counts[0]));
    FILE *file = fopen(trace, "r");
    NEED(file);
    while (fgets(line, sizeof(line), file)) {
        const char *name = strstr(line, "\"name\":\"k"), *pid = strstr(line, "\"pid\":"),
                   *tid = strstr(line, "\"tid\":");
        if (!strstr(line, "\"cat\":\"pipeline\"") || !name || !pid || !tid)
            continue;
        int number = name[9] - '0';
        if (number >= 0 && number < KERNELS)
            counts[number]++;
        by_main += atoi(pid + 6) == atoi(tid + 6);
    }
    fclose(file);
    return by_main;
}

static bool find_shapes(char path[512])
{
    DIR *dir = opendir(directory);
    bool found = false;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "shapes-", 7) != 0)
            continue;
        snprintf(path, 512, "%s/%s", directory, entry->d_name);
        found = true;
    }
    if (dir)
        closedir(dir);
    return found;
}

static void append(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "ab");
    NEED(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Values that no driver should see, for each kernel that the file knows, and a part of a record. */
static void forge(const char *path)
{
    static const uint32_t values[][CLC_SPEC_COUNT] = {
        {0, 1, 1},
        {UINT32_MAX, 1, 1},
        {1 << 16, 1 << 16, 1},
        {64, 1, 1, UINT32_MAX},
        {64, 1, 1, 0, 999},
        {64, 1, 1, 0, 0, 7},
        {64, 1, 1, 0, 0, 0, 9},
        {1024, 1024, 1024, 0, 0, 0, 2},
        {8, 1, 1, 0, 0, 0, 0, UINT32_MAX},
        {8, 1, 1, 0, 0, 0, 0, 1, 1},
        {8, 1, 1, 0, 0, 0, 1, 0, 0, 1 << 20},
    };
    struct record records[64];
    uint64_t seed = strtoull(strstr(path, "shapes-") + 7, NULL, 16);
    FILE *file = fopen(path, "rb");
    NEED(file);
    size_t count = fread(records, sizeof(records[0]), COUNT(records), file);
    fclose(file);
    CHECK(count == 3);
    append(path, "torn", 3);
    for (size_t i = 0; i < count; i++) {
        CHECK(records[i].check == (uint32_t)hash_bytes64(&records[i], offsetof(struct record, check), seed));
        for (size_t k = 0; k < COUNT(values); k++) {
            struct record forged = {.kernel = records[i].kernel};
            memcpy(forged.values, values[k], sizeof(forged.values));
            forged.check = (uint32_t)hash_bytes64(&forged, offsetof(struct record, check), seed);
            append(path, &forged, sizeof(forged));
        }
    }
}

/* Runs a process that makes this many of each kernel's pipelines, and at most so many by its first thread. */
static void check(const char *name, int what, const int expected[KERNELS], int most_by_main)
{
    char path[512];
    int counts[KERNELS], by_main = 0;
    bool right = false;
    for (int wait = 0; wait < WAITS && !right; wait++) {
        if (what != USE && what != REMEMBER && find_shapes(path))
            unlink(path);
        CHECK(run_child(what, wait) == 0);
        by_main = count_pipelines(counts);
        right = by_main <= most_by_main;
        for (int i = 0; i < KERNELS; i++)
            right = right && (expected[i] == ANY || counts[i] == expected[i]);
    }
    CHECK(right);
    for (int i = 0; i < KERNELS && !right; i++)
        fprintf(stderr, "%s: %d pipelines of k%d, expected %d; %d by the first thread\n", name, counts[i], i,
                expected[i], by_main);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(argv[1][0] - '0', wait_us[argv[1][1] - '0']);
    NEED(mkdtemp(directory));
    snprintf(trace, sizeof(trace), "%s/trace", directory);
    char path[512], command[128];
    int first = run_child(RELEASE, 0);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    if (first == TEST_SKIPPED) {
        CHECK(system(command) == 0);
        return TEST_SKIPPED;
    }
    CHECK(first == 0);
    check("guessed", GUESS, (const int[]){1, 1, 1, 1, 1, 1}, 1);

    /* the two, and the last, whose size is known only once it has an object */
    check("one by one", ONE_BY_ONE, (const int[]){1, 1, 1, 1, 1, 1}, 3);
    check("other programs", OTHER_PROGRAMS, (const int[]){1, 1, 1, 1, 1, 1}, 1);
    NEED(find_shapes(path));
    unlink(path);
    check("suggested", SUGGEST, (const int[]){ANY, ANY, ANY, 1, ANY, 1}, 0);
    NEED(find_shapes(path));
    unlink(path);
    CHECK(run_child(USE, 0) == 0);
    check("remembered", REMEMBER, (const int[]){0, 1, 1, 0, 0, 1}, 0);
    CHECK(run_child(RELEASE, 0) == 0);

    struct stat good, bad;
    CHECK(stat(path, &good) == 0 && good.st_size == 3 * sizeof(struct record)); /* nothing is noted twice */
    forge(path);
    check("forged", REMEMBER, (const int[]){0, 1, 1, 0, 0, 1}, 0);
    NEED(truncate(path, 2 << 20) == 0); /* more than it may have: begun anew */
    CHECK(run_child(USE, 0) == 0);
    CHECK(stat(path, &bad) == 0 && bad.st_size == good.st_size);
    CHECK(system(command) == 0);
    return test_result();
}
