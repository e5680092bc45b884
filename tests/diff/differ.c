/* Runs the kernel `test` of each given program in several ways and compares what it wrote: Pumice, optimised and not,
 * and from clang's SPIR-V where PROGRAM.O0.spv or .O2.spv lies beside PROGRAM, with PROGRAM.expected, where that
 * exists. Prints a line per program: "same", or what differs; the exit status is 1 when any differs.
 *
 * usage: differ [-v] [-t SECONDS] PROGRAM.cl ...   compares (-v: prints checksums and build logs; -t: of processor time
 *                                                  for one way of running one program, 10 when not given)
 *        differ --expect PLATFORM PROGRAM.cl ...   writes PROGRAM.expected with what the platform of that name computes
 *        differ --print PLATFORM PROGRAM.cl ...    prints a hash of what it computes, optimised, not, and from clang's
 *                                                  SPIR-V, for agree.py (-O: only optimised)
 *
 * The oracle is a run of its own because it may die; run.py restarts either behind a program that kills it. */
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <execinfo.h>
#else
/* Then whose fault a death is stays unsaid. */
static int backtrace(void **frames, int count)
{
    (void)frames;
    (void)count;
    return 0;
}
#endif

enum {
    ITEMS = 32,
    GROUP = 16,
    OUT_WORDS = ITEMS * 2,
    WORK_WORDS = ITEMS * 32,
    COUNTERS = 6,
    RESULT_WORDS = OUT_WORDS + WORK_WORDS + COUNTERS,
};

struct way {
    const char *name;
    const struct test_device *device;
    const char *options;
    const char *suffix; /* of the IL file, or NULL: from source */
};

struct result {
    const char *error; /* NULL: it ran */
    uint32_t words[RESULT_WORDS];
};

/* struct args of generate.py */
struct args {
    cl_char c;
    cl_short s;
    cl_long l;
    cl_float4 f;
    cl_uchar b[5];
    cl_uint2 u;
};

/* ---- who fails ---- */

/* What runs, for the signals. */
static struct {
    const char *path, *way;
    bool launched; /* the program is built: what takes time is the driver, or the kernel */
    int seconds;   /* that one way may take */
} now = {.seconds = 10};

/* A thread's name and its time, from its line in /proc. */
static unsigned long read_thread(const char *name, char comm[32])
{
    char path[300], line[512];
    unsigned long user = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%s/stat", name);
    FILE *file = fopen(path, "r");
    comm[0] = 0;
    if (file && fgets(line, sizeof(line), file)) {
        const char *open = strchr(line, '('), *close = strrchr(line, ')');
        if (open && close && sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &user) == 1)
            snprintf(comm, 32, "%.*s", (int)(close - open - 1), open + 1);
    }
    if (file)
        fclose(file);
    return user;
}

/* llvmpipe's threads of this name run kernels; what it compiles runs in others. */
static bool kernel_is_running(void)
{
    DIR *tasks = opendir("/proc/self/task");
    char busiest[32] = "", comm[32];
    unsigned long most = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        unsigned long user = read_thread(entry->d_name, comm);
        if (user > most) {
            most = user;
            strcpy(busiest, comm);
        }
    }
    if (tasks)
        closedir(tasks);
    return !strncmp(busiest, "llvmpipe-", 9);
}

/* Says so, and ends: run.py starts another process behind the program. */
static void end_by(const char *format)
{
    printf(format, now.path, now.way);
    fflush(stdout);
    _exit(4);
}

static void on_time_out(int number)
{
    (void)number;
    end_by(!now.launched         ? "%s: %s: building takes too long\n"
           : kernel_is_running() ? "%s: %s: the kernel does not end\n"
                                 : "%s: skipped: %s: the driver's compiler takes too long\n");
}

/* The library that the innermost frame outside of libc belongs to decides. */
static void on_death(int number)
{
    void *frames[64];
    Dl_info own, info;
    int count = backtrace(frames, 64);
    dladdr((void *)on_death, &own);
    for (int i = 0; i < count; i++) {
        if (!dladdr(frames[i], &info) || !info.dli_fname || info.dli_fbase == own.dli_fbase ||
            strstr(info.dli_fname, "/libc."))
            continue;
        if (strstr(info.dli_fname, "libLLVM") || strstr(info.dli_fname, "libvulkan_"))
            end_by("%s: skipped: %s: the driver dies\n");
        break;
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void)
{
    void *frame;
    backtrace(&frame, 1); /* loads what it needs */
    signal(SIGPROF, on_time_out);
    signal(SIGSEGV, on_death);
    signal(SIGABRT, on_death);
    signal(SIGFPE, on_death);
}

/* ---- running ---- */

static cl_program build(const struct way *way, const char *text, size_t length, bool verbose)
{
    cl_int error;
    const struct test_device *device = way->device;
    cl_program program = way->suffix ? clCreateProgramWithIL(device->context, text, length, &error)
                                     : clCreateProgramWithSource(device->context, 1, &text, &length, &error);
    if (!program)
        return NULL;
    char options[128];
    bool new = strstr(text, ", generic pointers") || strstr(text, ", collectives") || strstr(text, ", modern");
    const char *version = way->suffix ? "" : new ? "-cl-std=CL3.0" : "-cl-std=CL1.2";
    snprintf(options, sizeof(options), "%s %s", version, way->options);
    cl_program built = test_build_program(device, program, options, !verbose);
    if (!built && verbose)
        fprintf(stderr, "%s: does not build\n", way->name);
    return built;
}

static cl_mem make_buffer(const struct test_device *device, size_t count, uint32_t first, uint32_t step)
{
    uint32_t words[WORK_WORDS];
    for (size_t i = 0; i < count; i++, first = first * 1664525u + step)
        words[i] = first;
    return test_buffer_of(device, count * sizeof(*words), words);
}

static cl_int launch(const struct test_device *device, cl_kernel kernel, struct result *result)
{
    enum { OUT, IN, WORK, COUNTER, TABLE, BUFFERS };
    static const size_t counts[BUFFERS] = {OUT_WORDS, 64, WORK_WORDS, COUNTERS, 16};
    cl_mem buffers[BUFFERS];
    cl_int error = 0, four = 4;
    cl_uint8 eight = {{8, 7, 6, 5, 0x80000000u, 3, 2, 1}};
    cl_float single = 1.25f;
    struct args given = {
        .c = -3, .s = 1234, .l = -5000000000, .f = {{1, -2.5f, 3, 0}}, .b = {1, 2, 253, 4, 5}, .u = {{77, 88}}};
    for (cl_uint i = 0; i < BUFFERS; i++) {
        buffers[i] = make_buffer(device, counts[i], i == OUT ? 0 : i * 12345u + 7, i == OUT ? 0 : 1013904223u);
        error |= clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    }
    error |= clSetKernelArg(kernel, 5, GROUP * sizeof(cl_uint), NULL);
    error |= clSetKernelArg(kernel, 6, sizeof(four), &four);
    error |= clSetKernelArg(kernel, 7, sizeof(eight), &eight);
    error |= clSetKernelArg(kernel, 8, sizeof(single), &single);
    error |= clSetKernelArg(kernel, 9, sizeof(given), &given);
    const size_t items = ITEMS, group = GROUP;
    if (!error)
        error = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    uint32_t *to = result->words;
    static const int read_back[] = {OUT, WORK, COUNTER};
    for (int i = 0; i < 3; to += counts[read_back[i]], i++) {
        if (!error)
            error = clEnqueueReadBuffer(device->queue, buffers[read_back[i]], CL_TRUE, 0,
                                        counts[read_back[i]] * sizeof(uint32_t), to, 0, NULL, NULL);
    }
    test_release_buffers(buffers, BUFFERS);
    return error;
}

static void run(const struct way *way, const char *text, size_t length, bool verbose, struct result *result)
{
    cl_int error;
    cl_program program = build(way, text, length, verbose);
    if (!program) {
        result->error = "does not build";
        return;
    }
    cl_kernel kernel = clCreateKernel(program, "test", &error);
    if (!kernel)
        result->error = "has no kernel";
    now.launched = true;
    if (kernel && launch(way->device, kernel, result))
        result->error = "does not run";
    if (kernel)
        clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* ---- comparing ---- */

static void describe(const char *path, const char *name, const struct result *result, const struct result *expected)
{
    if (result->error) {
        printf("%s: %s: %s\n", path, name, result->error);
        return;
    }
    uint32_t i = 0, count = 0;
    for (uint32_t k = RESULT_WORDS; k-- > 0;) {
        if (result->words[k] != expected->words[k]) {
            i = k;
            count++;
        }
    }
    const char *where = i < OUT_WORDS ? "out" : i < OUT_WORDS + WORK_WORDS ? "work" : "counters";
    uint32_t at = i < OUT_WORDS ? i / 2 : i < OUT_WORDS + WORK_WORDS ? i - OUT_WORDS : i - OUT_WORDS - WORK_WORDS;
    printf("%s: %s: %s[%" PRIu32 "] differs (%" PRIu32 " words in all)\n", path, name, where, at, count);
}

static void print_checksums(const char *name, const struct result *result)
{
    printf("%-12s %s", name, result->error ? result->error : "");
    for (uint32_t i = 0; i < 8 && !result->error; i++)
        printf(" %08" PRIx32 "%08" PRIx32, result->words[2 * i + 1], result->words[2 * i]);
    printf("\n");
}

static void limit_time(bool on)
{
    struct itimerval limit = {.it_value.tv_sec = on ? now.seconds : 0};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static bool run_file(const struct way *way, const char *path, bool verbose, struct result *result)
{
    char name[4096];
    size_t length = 0;
    snprintf(name, sizeof(name), "%s%s", path, way->suffix ? way->suffix : "");
    char *text = test_file_exists(name) ? test_read_file(name, &length) : NULL;
    if (!text)
        return false;
    now.path = path;
    now.way = way->name;
    now.launched = false;
    limit_time(true);
    run(way, text, length, verbose, result);
    limit_time(false);
    free(text);
    if (verbose)
        print_checksums(way->name, result);
    return true;
}

static bool read_expected(const char *path, struct result *result)
{
    char name[4096];
    size_t length = 0;
    snprintf(name, sizeof(name), "%s.expected", path);
    char *bytes = test_file_exists(name) ? test_read_file(name, &length) : NULL;
    bool found = bytes && length == sizeof(result->words);
    if (found)
        memcpy(result->words, bytes, length);
    free(bytes);
    return found;
}

static bool compare(const char *path, const struct way *ways, uint32_t num_ways, bool verbose)
{
    static struct result results[5];
    const struct result *expected = NULL;
    bool same = true;
    memset(results, 0, sizeof(results));
    if (read_expected(path, &results[num_ways])) {
        expected = &results[num_ways];
        if (verbose)
            print_checksums("expected", expected);
    }
    bool alone = !expected;
    for (uint32_t i = 0; i < num_ways; i++) {
        struct result *result = &results[i];
        if (!run_file(&ways[i], path, verbose, result))
            continue;
        if (result->error || (expected && memcmp(result->words, expected->words, sizeof(expected->words)) != 0)) {
            describe(path, ways[i].name, result, expected);
            same = false;
        } else if (!expected) {
            expected = result;
        }
    }
    if (same)
        printf("%s: same%s\n", path, alone ? " (alone)" : "");
    fflush(stdout);
    return same;
}

static bool write_expected(const char *path, const struct way *way, bool verbose)
{
    static struct result result;
    char name[4096];
    memset(&result, 0, sizeof(result));
    snprintf(name, sizeof(name), "%s.expected", path);
    FILE *file = NULL;
    if (run_file(way, path, verbose, &result) && !result.error && (file = fopen(name, "wb"))) {
        fwrite(result.words, sizeof(result.words), 1, file);
        fclose(file);
    }
    printf("%s: %s\n", path, result.error ? result.error : file ? "expected" : "cannot be read or written");
    fflush(stdout);
    return file != NULL;
}

/* Programs say on their first line that they compute subnormal numbers, which devices may flush to zero. */
static bool suits(const char *path, const struct test_device *device)
{
    cl_device_fp_config config = 0;
    char *text = test_read_file(path, NULL);
    char *end = text ? strchr(text, '\n') : NULL;
    if (end)
        *end = 0;
    bool subnormals = text && strstr(text, ", subnormals") != NULL;
    free(text);
    clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL);
    if (subnormals && !(config & CL_FP_DENORM))
        printf("%s: skipped: the device flushes subnormals\n", path);
    return !subnormals || (config & CL_FP_DENORM);
}

/* FNV-1a */
static uint64_t hash_words(const struct result *result)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < RESULT_WORDS; i++)
        hash = (hash ^ result->words[i]) * 0x100000001b3u;
    return hash;
}

static bool print_hash(const char *path, const struct way *way, bool verbose)
{
    static struct result result;
    memset(&result, 0, sizeof(result));
    if (!run_file(way, path, verbose, &result))
        return way->suffix != NULL;
    if (result.error)
        printf("%s: %s: %s\n", path, way->name, result.error);
    else
        printf("%s: %s: %016" PRIx64 "\n", path, way->name, hash_words(&result));
    fflush(stdout);
    return !result.error;
}

int main(int argc, char **argv)
{
    struct test_device device = {0};
    bool verbose = false, same = true, print = false, optimised = false;
    const char *platform = NULL;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        verbose |= !strcmp(argv[first], "-v");
        print |= !strcmp(argv[first], "--print");
        optimised |= !strcmp(argv[first], "-O");
        if (!strcmp(argv[first], "-t") && first + 1 < argc)
            now.seconds = atoi(argv[++first]);
        else if ((!strcmp(argv[first], "--expect") || print) && first + 1 < argc)
            platform = argv[++first];
    }
    if (!test_find_devices(platform ? platform : "Pumice", &device, 1) || !test_open_device(&device)) {
        fprintf(stderr, "differ: no device of %s\n", platform ? platform : "Pumice");
        test_close_device(&device);
        return TEST_SKIPPED;
    }
    watch_signals();
    /* PoCL's optimisations take as long again, and miscompile a few of the programs */
    const struct way oracle = {platform, &device, "-w -cl-opt-disable", NULL};
    const struct way ways[] = {
        {print ? "optimised" : "Pumice", &device, "-w", NULL},
        {"unoptimised", &device, "-w -cl-opt-disable", NULL},
        {"clang -O0", &device, "", ".O0.spv"},
        {"clang -O2", &device, "", ".O2.spv"},
    };
    for (int i = first; i < argc; i++) {
        if (!suits(argv[i], &device))
            continue;
        const size_t num_ways = sizeof(ways) / sizeof(*ways);
        if (print) {
            for (size_t k = 0; k < (optimised ? 1 : num_ways); k++)
                same &= print_hash(argv[i], &ways[k], verbose);
        } else {
            same &= platform ? write_expected(argv[i], &oracle, verbose) : compare(argv[i], ways, num_ways, verbose);
        }
    }
    test_close_device(&device);
    return same ? 0 : 1;
}
