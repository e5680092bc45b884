/* The suite builds of `pumice bench`: how long programs take from their text to a result of each kernel. clBuildProgram
 * alone says little, since some drivers compile only when a kernel is first launched: so the launches are in a row of
 * their own, and in the sum. Programs are new to every cache, since a number in each kernel is: but for the row that
 * asks for what was built before. */
#include "bench.h"
#include "bench_kernels_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANY = 100, LONG_KERNEL = 400, TEXT = 256 << 10 };

static char *text_printf(char *at, const char *end, const char *format, ...) __attribute__((format(printf, 3, 4)));
static char *text_printf(char *at, const char *end, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(at, (size_t)(end - at), format, args);
    va_end(args);
    return length < 0 || length >= end - at ? at : at + length;
}

/* Each takes (out, n). */
static void write_one(char *at, const char *end)
{
    text_printf(at, end, "__kernel void k0(__global float *out, int n) { out[get_global_id(0)] = n + SEED; }\n");
}

/* Small kernels of which no two are alike. */
static void write_many(char *at, const char *end)
{
    at = text_printf(
        at, end, "float helper(float x, int n) { for (int i = 0; i < n; i++) x = mad(x, 0.5f, 1.0f); return x; }\n");
    for (int i = 0; i < MANY; i++)
        at = text_printf(
            at, end,
            "__kernel void k%d(__global float *out, int n) { size_t i = get_global_id(0); if (i < n) out[i] "
            "= helper(out[i] + %d, %d) + SEED; }\n",
            i, i, i + 1);
}

/* Straight code, as generators write it. */
static void write_long(char *at, const char *end)
{
    at = text_printf(at, end, "__kernel void k0(__global float *out, int n) {\n  float x = out[0], y = n + SEED;\n");
    for (int i = 0; i < LONG_KERNEL; i++)
        at = text_printf(at, end, "  x = x * %d.5f + y; y = x > %d.0f ? y - x : y + out[%d];\n", i % 7, i, i % 16);
    text_printf(at, end, "  out[get_global_id(0)] = x + y;\n}\n");
}

static void write_functions(char *at, const char *end)
{
    static const char *const functions[] = {
        "sin(x)", "cos(x)",  "tan(x)",  "exp(x)",     "log(x)",  "pow(x, 1.5f)", "atan2(x, y)", "tgamma(x)",
        "erf(x)", "cbrt(x)", "asin(y)", "fmod(x, y)", "sinh(x)", "lgamma(x)",    "hypot(x, y)", "remainder(x, y)"};
    at = text_printf(at, end, "__kernel void k0(__global float *out, int n) {\n  float x = out[0], y = n + SEED;\n");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        at = text_printf(at, end, "  y += %s;\n", functions[i]);
    text_printf(at, end, "  out[get_global_id(0)] = y;\n}\n");
}

/* Launches every kernel once and waits; seconds, or < 0: one fails. */
static double launch_all(struct bench *bench, cl_program program, int count)
{
    size_t one = 1;
    cl_int n = 1;
    cl_mem out = bench_buffer(bench, 4096);
    bool good = out != NULL;
    double start = bench_now();
    for (int i = 0; i < count && good; i++) {
        char name[16];
        snprintf(name, sizeof(name), "k%d", i);
        cl_kernel kernel = clCreateKernel(program, name, NULL);
        good = kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n) &&
               !clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        if (kernel)
            clReleaseKernel(kernel);
    }
    good = good && !clFinish(bench->cl.queue);
    double seconds = bench_now() - start;
    if (out)
        clReleaseMemObject(out);
    return good ? seconds : -1.0;
}

struct build_row {
    const char *title;
    void (*write)(char *at, const char *end);
    int kernels;
};

static void measure(struct bench *bench, const struct build_row *row, char *text)
{
    static int serial;
    double best_build = -1.0, best_launch = -1.0;
    char title[80];
    for (int run = 0; run < 3; run++) {
        double build;
        char *at = text_printf(text, text + TEXT, "#define SEED %d\n", (int)getpid() * 32 + serial++);
        row->write(at, text + TEXT);
        cl_program program = bench_program(bench, text, "", &build);
        double launch = program ? launch_all(bench, program, row->kernels) : -1.0;
        if (program)
            clReleaseProgram(program);
        if (launch < 0.0)
            return;
        best_build = run == 0 || build < best_build ? build : best_build;
        best_launch = run == 0 || launch < best_launch ? launch : best_launch;
    }
    snprintf(title, sizeof(title), "%s: build, ms", row->title);
    bench_record(bench, "builds", title, 1e3 * best_build);
    snprintf(title, sizeof(title), "%s: first launches, ms", row->title);
    bench_record(bench, "builds", title, 1e3 * best_launch);
    snprintf(title, sizeof(title), "%s: both, ms", row->title);
    bench_record(bench, "builds", title, 1e3 * (best_build + best_launch));
}

/* The same text again, which a driver may know by now. */
static void measure_again(struct bench *bench, char *text)
{
    double best = -1.0;
    write_many(text_printf(text, text + TEXT, "#define SEED %d\n", -(int)getpid()), text + TEXT);
    for (int run = 0; run < RUNS; run++) {
        const char *source = text;
        cl_program program = clCreateProgramWithSource(bench->cl.context, 1, &source, NULL, NULL);
        double start = bench_now();
        bool good = program && !clBuildProgram(program, 1, &bench->cl.id, "", NULL, NULL);
        double seconds = bench_now() - start;
        if (program)
            clReleaseProgram(program);
        if (!good)
            return;
        best = run == 0 || seconds < best ? seconds : best;
    }
    bench_record(bench, "builds", "100 small kernels again: build, ms", 1e3 * best);
}

static void measure_whole(struct bench *bench)
{
    double best = -1.0;
    for (int run = 0; run < 3; run++) {
        double seconds;
        cl_program program = bench_program(bench, bench_kernels_source, "-cl-mad-enable", &seconds);
        if (!program)
            return;
        clReleaseProgram(program);
        best = run == 0 || seconds < best ? seconds : best;
    }
    bench_record(bench, "builds", "the suite kernels: build, ms", 1e3 * best);
}

void bench_builds(struct bench *bench)
{
    static const struct build_row rows[] = {
        {"one kernel", write_one, 1},
        {"100 small kernels", write_many, MANY},
        {"a long kernel", write_long, 1},
        {"16 functions", write_functions, 1},
    };
    char *text = malloc(TEXT);
    for (size_t i = 0; text && i < sizeof(rows) / sizeof(rows[0]); i++) {
        bench_progress(bench, "builds", rows[i].title);
        measure(bench, &rows[i], text);
    }
    bench_progress(bench, "builds", "what was built before");
    if (text)
        measure_again(bench, text);
    measure_whole(bench);
    free(text);
}
