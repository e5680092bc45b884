/* `pumice bench` (bench.h): options, devices, and what all suites measure with.
 *
 * Each figure is the best of several runs. Build times have a comment with a fresh number in the source, so that no
 * cache answers; a driver that compiles lazily shows it in "first launch". A device that lacks something, or fails, has
 * no value in that row, and the others go on. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SUITE_LAUNCH,
    SUITE_MEMORY,
    SUITE_COMPUTE,
    SUITE_KERNELS,
    SUITE_IMAGES,
    SUITE_ATOMICS,
    SUITE_LOCAL,
    SUITE_BUILDS,
    SUITE_OBJECTS,
    SUITE_MATRICES,
    SUITE_MATH,
    SUITE_SHARING,
    NUM_SUITES
};

static const char *const suites[NUM_SUITES] = {"launch", "memory", "compute", "kernels",  "images", "atomics",
                                               "local",  "builds", "objects", "matrices", "math",   "sharing"};

struct options {
    bool suite[NUM_SUITES];
    const char *device, *json, *plot;
};

static struct bench_table table;
static const char *only; /* NULL: all rows */

/* ---- what the suites use ---- */

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool bench_wanted(const char *name)
{
    return !only || strstr(name, only);
}

void bench_record(struct bench *bench, const char *suite, const char *name, double value)
{
    if (bench_wanted(name) && !bench_table_put(&table, suite, name, bench->index, value))
        fprintf(stderr, "pumice bench: no memory for '%s'\n", name);
}

void bench_progress(const struct bench *bench, const char *suite, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%.30s: %s: %.40s", bench->name, suite, name);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

bool bench_has_extension(const struct bench *bench, const char *name)
{
    size_t size = 0, length = strlen(name);
    bool found = false;
    if (clGetDeviceInfo(bench->cl.id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return false;
    char *list = calloc(1, size + 1);
    if (list && clGetDeviceInfo(bench->cl.id, CL_DEVICE_EXTENSIONS, size, list, NULL) == CL_SUCCESS) {
        for (const char *at = list; !found && (at = strstr(at, name)); at += length)
            found = (at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    }
    free(list);
    return found;
}

cl_program bench_program(struct bench *bench, const char *source, const char *options, double *seconds)
{
    static unsigned serial;
    char header[64];
    snprintf(header, sizeof(header), "// %d-%u\n", (int)getpid(), serial++);
    const char *parts[2] = {header, source};
    cl_int code;
    cl_program program = clCreateProgramWithSource(bench->cl.context, 2, parts, NULL, &code);
    if (!program)
        return NULL;
    double start = bench_now();
    code = clBuildProgram(program, 1, &bench->cl.id, options, NULL, NULL);
    *seconds = bench_now() - start;
    if (code == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

double bench_time_launch(struct bench *bench, cl_kernel kernel, size_t global)
{
    return bench_time_groups(bench, kernel, global, NULL);
}

double bench_time_groups(struct bench *bench, cl_kernel kernel, size_t global, const size_t *local)
{
    double best = 1e9;
    for (int run = 0; run <= RUNS; run++) {
        double start = bench_now();
        if (clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &global, local, 0, NULL, NULL) ||
            clFinish(bench->cl.queue))
            return -1.0;
        double seconds = bench_now() - start;
        if (run && seconds < best)
            best = seconds;
    }
    return best;
}

cl_mem bench_buffer(struct bench *bench, size_t size)
{
    cl_int code;
    cl_int zero = 0;
    cl_mem buffer = clCreateBuffer(bench->cl.context, CL_MEM_READ_WRITE, size, NULL, &code);
    if (buffer) {
        clEnqueueFillBuffer(bench->cl.queue, buffer, &zero, sizeof(zero), 0, size, 0, NULL, NULL);
        clFinish(bench->cl.queue);
    }
    return buffer;
}

/* ---- devices ---- */

static bool open_device(struct bench *bench, cl_platform_id platform, cl_device_id id, int index)
{
    struct bench_column *column = &table.columns[index];
    cl_device_type type = 0;
    cl_int code;
    *bench = (struct bench){.cl = {.platform = platform, .id = id}, .index = index};
    *column = (struct bench_column){0};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(column->platform), column->platform, NULL);
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(column->device), column->device, NULL);
    clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof(column->driver), column->driver, NULL);
    clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof(column->version), column->version, NULL);
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    bench->is_cpu = type & CL_DEVICE_TYPE_CPU;
    snprintf(bench->name, sizeof(bench->name), "%.20s %.40s", column->platform, column->device);
    bench->cl.context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    bench->cl.queue = bench->cl.context ? clCreateCommandQueue(bench->cl.context, id, 0, &code) : NULL;
    if (bench->cl.queue)
        return true;
    fprintf(stderr, "pumice bench: %s: no context or queue (error %d)\n", bench->name, code);
    if (bench->cl.context)
        clReleaseContext(bench->cl.context);
    return false;
}

/* The devices whose platform or name contains the text; NULL: all. */
static int open_devices(struct bench *benches, const char *wanted)
{
    cl_platform_id platforms[MAX_DEVICES];
    cl_uint num_platforms = 0;
    int count = 0;
    if (clGetPlatformIDs(MAX_DEVICES, platforms, &num_platforms) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < num_platforms && p < MAX_DEVICES; p++) {
        cl_device_id ids[MAX_DEVICES];
        cl_uint num_ids = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &num_ids) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < num_ids && d < MAX_DEVICES && count < MAX_DEVICES; d++) {
            if (!open_device(&benches[count], platforms[p], ids[d], count))
                continue;
            benches[count].platform_index = p;
            benches[count].device_index = d;
            if (!wanted || strstr(benches[count].name, wanted))
                count++;
            else {
                clReleaseCommandQueue(benches[count].cl.queue);
                clReleaseContext(benches[count].cl.context);
            }
        }
    }
    return count;
}

static void measure(struct bench *bench, const struct options *options)
{
    const bool *suite = options->suite;
    if (suite[SUITE_LAUNCH]) {
        bench_basic(bench, true, false, false);
        bench_path(bench, true, false);
    }
    if (suite[SUITE_MEMORY]) {
        bench_basic(bench, false, true, false);
        bench_path(bench, false, true);
    }
    if (suite[SUITE_COMPUTE])
        bench_basic(bench, false, false, true);
    if (suite[SUITE_KERNELS])
        bench_kernels(bench);
    if (suite[SUITE_IMAGES])
        bench_images(bench);
    if (suite[SUITE_ATOMICS])
        bench_atomics(bench);
    if (suite[SUITE_LOCAL])
        bench_local(bench);
    if (suite[SUITE_BUILDS])
        bench_builds(bench);
    if (suite[SUITE_OBJECTS])
        bench_objects(bench);
    if (suite[SUITE_MATRICES])
        bench_matrices(bench);
    if (suite[SUITE_MATH])
        bench_math(bench);
    if (suite[SUITE_SHARING])
        bench_sharing(bench);
    end_progress();
}

/* ---- the command ---- */

static int usage(FILE *out)
{
    fputs("usage: pumice bench [--suite LIST] [--device TEXT] [--only TEXT] [--json FILE] [--plot FILE.svg]\n"
          "       pumice bench --compare A.json B.json\n"
          "Measures every OpenCL device of the machine, of any driver, side by side.\n"
          "  --suite LIST     of launch, memory, compute, kernels, images, atomics, local, builds, objects, matrices,\n"
          "                   math, sharing, or all, with commas between (default: all but math, which takes long, and\n"
          "                   sharing, which needs OpenGL)\n"
          "  --device TEXT    devices whose platform or name contains it\n"
          "  --only TEXT      rows whose name contains it\n"
          "  --json FILE      writes the results, with devices and drivers\n"
          "  --plot FILE.svg  draws how the devices compare with the first one\n"
          "  --compare A B    how the results in one file compare with those in another\n",
          out);
    return out == stdout ? 0 : 2;
}

static bool choose_suites(struct options *options, const char *list)
{
    memset(options->suite, 0, sizeof(options->suite));
    for (;;) {
        size_t length = strcspn(list, ",");
        bool all = length == 3 && !memcmp(list, "all", 3), known = all;
        for (int i = 0; i < NUM_SUITES; i++) {
            bool this = all || (strlen(suites[i]) == length && !memcmp(suites[i], list, length));
            options->suite[i] |= this;
            known |= this;
        }
        if (!known) {
            fprintf(stderr, "pumice bench: there is no suite '%.*s'\n", (int)length, list);
            return false;
        }
        if (!list[length])
            return true;
        list += length + 1;
    }
}

static bool write_file(const char *path, bool (*print)(const struct bench_table *, FILE *))
{
    FILE *file = fopen(path, "we");
    bool good = file && print(&table, file);
    if (file)
        good = !fclose(file) && good;
    if (!good)
        fprintf(stderr, "pumice bench: %s: %s\n", path, strerror(errno));
    return good;
}

/* Before minutes of measuring: a file that cannot be written then says so now. What is in it stays until there is more. */
static bool can_write(const char *path)
{
    bool there = !access(path, F_OK);
    FILE *file = fopen(path, "ae");
    if (!file) {
        fprintf(stderr, "pumice bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    fclose(file);
    if (!there)
        unlink(path);
    return true;
}

static int compare(const char *first, const char *second)
{
    struct bench_table a = {0}, b = {0};
    bool good = bench_table_read_json(&a, first) && bench_table_read_json(&b, second);
    if (good)
        bench_table_compare(&a, &b, stdout);
    bench_table_finish(&a);
    bench_table_finish(&b);
    return good ? 0 : 1;
}

static bool is_option(const char *word)
{
    static const char *const known[] = {"--device", "--only", "--json", "--plot", "--suite"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!strcmp(word, known[i]))
            return true;
    }
    return false;
}

static bool read_options(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!is_option(argv[i]))
            fprintf(stderr, "pumice bench: unknown option '%s'\n", argv[i]);
        else if (!value)
            fprintf(stderr, "pumice bench: %s wants a value\n", argv[i]);
        if (!is_option(argv[i]) || !value)
            return false;
        if (!strcmp(argv[i], "--device"))
            options->device = value;
        else if (!strcmp(argv[i], "--only"))
            only = value;
        else if (!strcmp(argv[i], "--json"))
            options->json = value;
        else if (!strcmp(argv[i], "--plot"))
            options->plot = value;
        else if (strcmp(argv[i], "--suite") != 0 || !choose_suites(options, value))
            return false;
    }
    return true;
}

int bench_main(int argc, char **argv)
{
    static struct bench benches[MAX_DEVICES + 1];
    struct options options = {.suite = {true, true, true, true, true, true, true, true, true, true, false, false}};
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return usage(stdout);
    if (argc == 4 && !strcmp(argv[1], "--compare"))
        return compare(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "--one-kernel")) /* what bench_path.c starts */
        return bench_one_kernel((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (!read_options(&options, argc, argv))
        return usage(stderr);
    if ((options.json && !can_write(options.json)) || (options.plot && !can_write(options.plot)))
        return 1;
    table.num_columns = open_devices(benches, options.device);
    if (!table.num_columns) {
        if (options.device)
            fprintf(stderr, "pumice bench: no OpenCL device whose platform or name contains '%s'\n", options.device);
        else
            fputs("pumice bench: no OpenCL device to run on\n", stderr);
        return 77;
    }
    for (int i = 0; i < table.num_columns; i++)
        measure(&benches[i], &options);
    if (!table.num_rows && only)
        fprintf(stderr, "pumice bench: no row that was measured has a name that contains '%s'\n", only);
    bench_table_print(&table, stdout);
    bool good = !options.json || write_file(options.json, bench_table_write_json);
    good = (!options.plot || write_file(options.plot, bench_table_plot)) && good;
    for (int i = 0; i < table.num_columns; i++) {
        clReleaseCommandQueue(benches[i].cl.queue);
        clReleaseContext(benches[i].cl.context);
    }
    bench_table_finish(&table);
    return good ? 0 : 1;
}
