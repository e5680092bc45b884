/* The benchmark: every OpenCL device on the machine side by side, in one run. It measures and asserts nothing.
 *
 *     bench [--build FILE.cl [OPTIONS]]...
 *     bench --math [NAME...]       the math functions instead, all or these, or of these types: bench_math.c
 *     bench --images               images instead: bench_images.c
 *     bench --kernels FILE.cl [NAME...]   whole kernels instead, those of tests/bench/kernels.cl: bench_kernels.c
 *
 * Each figure is the best of several runs. Build times have a comment with a fresh number in the source, so that no
 * cache answers; a driver that compiles lazily shows it in "first launch". */
#include "bench.h"

#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *kernels =
    "__kernel void copy(__global const float4 *in, __global float4 *out)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i]; }\n"
    "__kernel void fma_chain(__global float *out, float a, float b)\n"
    "{ float x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;\n"
    "  for (int i = 0; i < 256; i++) { x = mad(x, a, b); y = mad(y, a, b); z = mad(z, a, b); w = mad(w, a, b); }\n"
    "  out[get_global_id(0)] = x + y + z + w; }\n"
    "__kernel void int_chain(__global int *out, int a, int b)\n"
    "{ int x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;\n"
    "  for (int i = 0; i < 256; i++) { x = x * a + b; y = y * a + b; z = z * a + b; w = w * a + b; }\n"
    "  out[get_global_id(0)] = x + y + z + w; }\n"
    "__kernel void nothing(__global int *out, int n) { if (n) out[0] = n; }\n"
    "__kernel void idle(__global const int *in, int n) {}\n";

struct rows {
    char names[MAX_ROWS][64];
    int count;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void record(struct rows *rows, struct bench *bench, const char *name, double value)
{
    int row = 0;
    while (row < rows->count && strcmp(rows->names[row], name))
        row++;
    if (row == MAX_ROWS)
        return;
    if (row == rows->count)
        snprintf(rows->names[rows->count++], sizeof(rows->names[0]), "%s", name);
    bench->values[row] = value;
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
    double start = now();
    code = clBuildProgram(program, 1, &bench->cl.id, options, NULL, NULL);
    *seconds = now() - start;
    if (code == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

double bench_time_launch(struct bench *bench, cl_kernel kernel, size_t global)
{
    double best = 1e9;
    for (int run = 0; run <= RUNS; run++) {
        double start = now();
        if (clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) ||
            clFinish(bench->cl.queue))
            return -1.0;
        double seconds = now() - start;
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

static void bench_copy(struct bench *bench, struct rows *rows, cl_program program)
{
    size_t size = bench->is_cpu ? 64u << 20 : 512u << 20;
    cl_mem in = bench_buffer(bench, size), out = bench_buffer(bench, size);
    cl_kernel kernel = clCreateKernel(program, "copy", NULL);
    double seconds = -1.0, command = 1e9;
    if (in && out && kernel && !clSetKernelArg(kernel, 0, sizeof(in), &in) &&
        !clSetKernelArg(kernel, 1, sizeof(out), &out))
        seconds = bench_time_launch(bench, kernel, size / 16);
    record(rows, bench, "copy kernel, GB/s", seconds > 0.0 ? 2e-9 * (double)size / seconds : -1.0);
    for (int run = 0; in && out && run < RUNS; run++) {
        double start = now();
        clEnqueueCopyBuffer(bench->cl.queue, in, out, 0, 0, size, 0, NULL, NULL);
        clFinish(bench->cl.queue);
        command = now() - start < command ? now() - start : command;
    }
    record(rows, bench, "clEnqueueCopyBuffer, GB/s", 2e-9 * (double)size / command);
    if (kernel)
        clReleaseKernel(kernel);
    if (in)
        clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
}

static void bench_compute(struct bench *bench, struct rows *rows, cl_program program, const char *name, const char *row,
                          bool is_float)
{
    size_t items = bench->is_cpu ? 1u << 16 : 1u << 22;
    cl_mem out = bench_buffer(bench, items * 4);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    float fa = 0.999f, fb = 0.5f;
    cl_int ia = 3, ib = 5;
    double seconds = -1.0;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) &&
        !clSetKernelArg(kernel, 1, 4, is_float ? (void *)&fa : &ia) &&
        !clSetKernelArg(kernel, 2, 4, is_float ? (void *)&fb : &ib))
        seconds = bench_time_launch(bench, kernel, items);
    record(rows, bench, row, seconds > 0.0 ? 2.0 * 4 * 256 * (double)items / seconds * 1e-9 : -1.0);
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

/* A chain of one function in each of 64 rounds, in two independent values. */
static void bench_function(struct bench *bench, struct rows *rows, const char *type, const char *expression,
                           const char *options, const char *note)
{
    size_t items = bench->is_cpu ? 1u << 15 : 1u << 21;
    char source[512], row[64];
    double seconds;
    cl_mem out = bench_buffer(bench, items * 8);
    snprintf(source, sizeof(source),
             "#define F(x) (%s)\n"
             "__kernel void run(__global %s *out, float start, float step)\n"
             "{ %s a = start + step * get_global_id(0), x = a, y = a + 1;\n"
             "  for (int i = 0; i < 64; i++) { x = F(x); y = F(y); }\n"
             "  out[get_global_id(0)] = x + y; }\n",
             expression, type, type);
    snprintf(row, sizeof(row), "%s %s%s, Gop/s", type, expression, note);
    cl_program program = bench_program(bench, source, options, &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "run", NULL) : NULL;
    float start = 1.25f, step = 1e-6f;
    seconds = -1.0;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, 4, &start) &&
        !clSetKernelArg(kernel, 2, 4, &step))
        seconds = bench_time_launch(bench, kernel, items);
    record(rows, bench, row, seconds > 0.0 ? 2.0 * 64 * (double)items / seconds * 1e-9 : -1.0);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    if (out)
        clReleaseMemObject(out);
}

static void bench_functions(struct bench *bench, struct rows *rows)
{
    static const struct {
        const char *type, *expression, *options, *note;
    } functions[] = {
        {"float", "a / x", "", ""},
        {"float", "a / x", "-cl-fp32-correctly-rounded-divide-sqrt", ", correct"},
        {"float", "sqrt(x + a)", "", ""},
        {"float", "sqrt(x + a)", "-cl-fp32-correctly-rounded-divide-sqrt", ", correct"},
        {"float", "rsqrt(x + a)", "", ""},
        {"float", "fma(x, a, 0.1f)", "", ""},
        {"float", "sin(x)", "", ""},
        {"float", "sin(x)", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "exp(x) * 0.1f", "", ""},
        {"float", "exp(x) * 0.1f", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "log(x) + a", "", ""},
        {"float", "log(x) + a", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "pow(x, a)", "", ""},
        {"float", "pow(x, a)", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "atan(x) + a", "", ""},
        {"double", "a / x", "", ""},
        {"double", "sqrt(x + a)", "", ""},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        bench_function(bench, rows, functions[i].type, functions[i].expression, functions[i].options,
                       functions[i].note);
}

enum { LAUNCHES = 1000 };

/* The same launches out of a command buffer, which is recorded once: what one costs when all of it runs again. */
static void bench_replay(struct bench *bench, struct rows *rows, cl_kernel kernel, const char *name)
{
    char row[64];
    typedef struct buffer_object *handle; /* headers lack the extension, or have an older version */
    handle (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    cl_int (*record_kernel)(handle, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *,
                            const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void **);
    cl_int (*finalize)(handle), (*release)(handle);
    cl_int (*enqueue)(cl_uint, const cl_command_queue *, handle, cl_uint, const cl_event *, cl_event *);
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"clCreateCommandBufferKHR", &create},
                     {"clCommandNDRangeKernelKHR", &record_kernel},
                     {"clFinalizeCommandBufferKHR", &finalize},
                     {"clReleaseCommandBufferKHR", &release},
                     {"clEnqueueCommandBufferKHR", &enqueue}};
    if (!test_has_extension(&bench->cl, "cl_khr_command_buffer"))
        return;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(bench->cl.platform, functions[i].name);
        if (!address)
            return;
        memcpy(functions[i].function, &address, sizeof(address));
    }
    size_t one = 1;
    handle buffer = create(1, &bench->cl.queue, NULL, NULL);
    bool good = buffer != NULL;
    for (int i = 0; i < LAUNCHES && good; i++)
        good = !record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, NULL);
    good = good && !finalize(buffer);
    double best = 1e9, best_host = 1e9;
    for (int run = 0; run <= RUNS && good; run++) {
        double start = now();
        good = !enqueue(0, NULL, buffer, 0, NULL, NULL);
        double host = now() - start;
        clFinish(bench->cl.queue);
        double all = now() - start;
        best = run && all < best ? all : best;
        best_host = run && host < best_host ? host : best_host;
    }
    if (good) {
        snprintf(row, sizeof(row), "%s: replay, us of host time", name);
        record(rows, bench, row, 1e6 * best_host / LAUNCHES);
        snprintf(row, sizeof(row), "%s: replay in a row, us", name);
        record(rows, bench, row, 1e6 * best / LAUNCHES);
    }
    if (buffer)
        release(buffer);
}

/* Many small launches: enqueued one by one, and replayed. */
static void bench_many(struct bench *bench, struct rows *rows, cl_kernel kernel, const char *name)
{
    size_t one = 1;
    double best = 1e9, best_host = 1e9;
    char row[64];
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (int i = 0; i < LAUNCHES; i++)
            clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        double host = now() - start;
        clFinish(bench->cl.queue);
        double all = now() - start;
        best = all < best ? all : best;
        best_host = host < best_host ? host : best_host;
    }
    snprintf(row, sizeof(row), "%s: enqueue, us of host time", name);
    record(rows, bench, row, 1e6 * best_host / LAUNCHES);
    snprintf(row, sizeof(row), "%s: launch in a row, us", name);
    record(rows, bench, row, 1e6 * best / LAUNCHES);
    bench_replay(bench, rows, kernel, name);
}

static void bench_launch(struct bench *bench, struct rows *rows, cl_program program)
{
    cl_mem out = bench_buffer(bench, 64);
    cl_kernel kernel = clCreateKernel(program, "nothing", NULL);
    cl_int n = 0;
    size_t one = 1;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n)) {
        double start = now();
        clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        clFinish(bench->cl.queue);
        record(rows, bench, "first launch, ms", 1e3 * (now() - start));
        record(rows, bench, "launch and wait, us", 1e6 * bench_time_launch(bench, kernel, 1));
        bench_many(bench, rows, kernel, "dependent");
    }
    if (kernel)
        clReleaseKernel(kernel);
    kernel = clCreateKernel(program, "idle", NULL);
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n))
        bench_many(bench, rows, kernel, "independent");
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

static void bench_transfer(struct bench *bench, struct rows *rows)
{
    size_t size = 64u << 20;
    cl_mem buffer = bench_buffer(bench, size);
    char *host = malloc(size);
    double write = 1e9, read = 1e9;
    if (buffer && host)
        memset(host, 1, size);
    for (int run = 0; buffer && host && run < RUNS; run++) {
        double start = now();
        clEnqueueWriteBuffer(bench->cl.queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL);
        double middle = now();
        clEnqueueReadBuffer(bench->cl.queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL);
        double end = now();
        write = middle - start < write ? middle - start : write;
        read = end - middle < read ? end - middle : read;
    }
    record(rows, bench, "write 64 MiB, GB/s", 1e-9 * (double)size / write);
    record(rows, bench, "read 64 MiB, GB/s", 1e-9 * (double)size / read);
    free(host);
    if (buffer)
        clReleaseMemObject(buffer);
}

static void bench_build(struct bench *bench, struct rows *rows, const char *path, const char *options)
{
    char row[64];
    const char *base = strrchr(path, '/');
    snprintf(row, sizeof(row), "build %.40s, ms", base ? base + 1 : path);
    char *text = test_read_file(path, NULL);
    double best = 1e9;
    for (int run = 0; text && run < RUNS; run++) {
        double seconds;
        cl_program program = bench_program(bench, text, options, &seconds);
        if (!program) {
            best = -1e-3;
            break;
        }
        clReleaseProgram(program);
        best = seconds < best ? seconds : best;
    }
    record(rows, bench, row, text ? 1e3 * best : -1.0);
    free(text);
}

static void run(struct bench *bench, struct rows *rows, int argc, char **argv)
{
    double seconds;
    for (int i = 0; i < MAX_ROWS; i++)
        bench->values[i] = -1.0;
    cl_program program = bench_program(bench, kernels, "-cl-mad-enable", &seconds);
    record(rows, bench, "build bench, ms", program ? 1e3 * seconds : -1.0);
    if (program) {
        bench_launch(bench, rows, program);
        bench_copy(bench, rows, program);
        bench_compute(bench, rows, program, "fma_chain", "float mad, GFLOP/s", true);
        bench_compute(bench, rows, program, "int_chain", "int mad, GIOP/s", false);
        bench_functions(bench, rows);
        bench_transfer(bench, rows);
        clReleaseProgram(program);
    }
    for (int i = 1; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "--build"))
            bench_build(bench, rows, argv[i + 1], i + 2 < argc && strncmp(argv[i + 2], "--", 2) ? argv[i + 2] : NULL);
    }
}

static int open_devices(struct bench *benches)
{
    struct test_device found[MAX_DEVICES];
    cl_uint num_found = test_find_devices(NULL, found, MAX_DEVICES);
    int count = 0;
    for (cl_uint d = 0; d < num_found; d++) {
        struct bench *bench = &benches[count];
        cl_device_type type = 0;
        char platform[256] = "", device[256] = "";
        *bench = (struct bench){.cl = found[d]};
        clGetPlatformInfo(found[d].platform, CL_PLATFORM_NAME, sizeof(platform), platform, NULL);
        clGetDeviceInfo(found[d].id, CL_DEVICE_NAME, sizeof(device), device, NULL);
        clGetDeviceInfo(found[d].id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
        bench->is_cpu = type & CL_DEVICE_TYPE_CPU;
        snprintf(bench->name, sizeof(bench->name), "%.8s %.11s", platform, device);
        count += test_open_device(&bench->cl);
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct bench benches[MAX_DEVICES];
    static struct rows rows;
    if (argc > 1 && strcmp(argv[1], "--math") && strcmp(argv[1], "--kernels") && strcmp(argv[1], "--images") &&
        strcmp(argv[1], "--build")) {
        fprintf(stderr, "usage: bench [--math [NAME...] | --images | --kernels FILE.cl [NAME...] | --build FILE.cl "
                        "[OPTIONS]...]\n");
        return 2;
    }
    int count = open_devices(benches);
    if (argc > 1 && !strcmp(argv[1], "--math")) {
        bench_math(benches, count, argc - 2, argv + 2);
        return count ? 0 : TEST_SKIPPED;
    }
    if (argc > 1 && !strcmp(argv[1], "--images")) {
        bench_images(benches, count);
        return count ? 0 : TEST_SKIPPED;
    }
    if (argc > 2 && !strcmp(argv[1], "--kernels")) {
        char *source = test_read_file(argv[2], NULL);
        if (source)
            bench_kernels(benches, count, source, argc - 3, argv + 3);
        free(source);
        return count && source ? 0 : TEST_SKIPPED;
    }
    for (int i = 0; i < count; i++)
        run(&benches[i], &rows, argc, argv);
    printf("%-48s", "");
    for (int i = 0; i < count; i++)
        printf("  %20s", benches[i].name);
    printf("\n");
    for (int row = 0; row < rows.count; row++) {
        printf("%-48s", rows.names[row]);
        for (int i = 0; i < count; i++) {
            if (benches[i].values[row] < 0.0)
                printf("  %20s", "fails");
            else
                printf("  %20.3f", benches[i].values[row]);
        }
        printf("\n");
    }
    for (int i = 0; i < count; i++)
        test_close_device(&benches[i].cl);
    return count ? 0 : TEST_SKIPPED;
}
