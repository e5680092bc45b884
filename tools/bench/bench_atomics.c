/* The suites atomics and local of `pumice bench`: what atomic operations cost when many work-items meet at few words or
 * few meet at many, in global and in local memory; and how fast local memory and barriers are. */
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 256, REPEATS = 16, ROUNDS = 64 };

/* Each kernel takes (out, words): out has so many words, a power of two. */
static const char *atomics_source =
    "#define ITEM const int item = get_global_id(0), local_item = get_local_id(0)\n"
    "__kernel void one_word(__global int *out, int words)\n"
    "{ for (int i = 0; i < REPEATS; i++) atomic_inc(out); }\n"
    "__kernel void word_per_group(__global int *out, int words)\n"
    "{ int at = get_group_id(0) & words - 1; for (int i = 0; i < REPEATS; i++) atomic_inc(out + at); }\n"
    "__kernel void spread(__global int *out, int words)\n"
    "{ ITEM; for (int i = 0; i < REPEATS; i++) atomic_inc(out + ((item * 1103515245 + i * 12345 >> 5) & words - 1)); "
    "}\n"
    "__kernel void ticket(__global int *out, int words)\n"
    "{ ITEM; int sum = 0; for (int i = 0; i < REPEATS; i++) sum += atomic_add(out + (item + i & words - 1), 1);\n"
    "  if (sum == -1) out[0] = 0; }\n"
    "__kernel void exchange(__global int *out, int words)\n"
    "{ ITEM; int value = item; for (int i = 0; i < REPEATS; i++) value = atomic_xchg(out + (item + i & words - 1), "
    "value);\n"
    "  if (value == -1) out[0] = 0; }\n"
    "__kernel void compare_exchange(__global int *out, int words)\n"
    "{ ITEM; for (int i = 0; i < REPEATS; i++) { __global int *at = out + (item + i * 64 & words - 1);\n"
    "  int old = *at, seen; while ((seen = atomic_cmpxchg(at, old, old + 1)) != old) old = seen; } }\n"
    "__kernel void float_sum(__global int *out, int words)\n"
    "{ ITEM; for (int i = 0; i < REPEATS; i++) { __global int *at = out + (item + i * 64 & words - 1);\n"
    "  int old = *at, seen; while ((seen = atomic_cmpxchg(at, old, as_int(as_float(old) + 1.0f))) != old) old = seen; "
    "} }\n"
    "__kernel void local_one_word(__global int *out, int words)\n"
    "{ ITEM; __local int sum; if (!local_item) sum = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int i = 0; i < REPEATS; i++) atomic_inc(&sum);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); if (!local_item) atomic_add(out, sum); }\n"
    "__kernel void local_histogram(__global int *out, int words)\n"
    "{ ITEM; __local int bins[256]; bins[local_item] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int i = 0; i < REPEATS; i++) atomic_inc(&bins[(item * 1103515245 + i * 12345 >> 8) & 255]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); atomic_add(out + (local_item & words - 1), bins[local_item]); }\n";

static const struct atomic_row {
    const char *kernel, *title;
    int words;
    bool counts; /* every operation adds one */
} atomic_rows[] = {
    {"one_word", "increments of one word, Gop/s", 1, true},
    {"word_per_group", "increments of a word for each group, Gop/s", 4096, true},
    {"spread", "increments of 65536 words, Gop/s", 65536, true},
    {"ticket", "additions whose result is used, Gop/s", 1024, true},
    {"exchange", "exchanges of 1024 words, Gop/s", 1024, false},
    {"compare_exchange", "compare and exchange of 65536 words, Gop/s", 65536, true},
    {"float_sum", "float sums by compare and exchange, Gop/s", 65536, false},
    {"local_one_word", "local: increments of one word, Gop/s", 1, true},
    {"local_histogram", "local: histogram of 256 words, Gop/s", 256, true},
};

/* The best wall-clock seconds of a launch in groups of GROUP; < 0: it fails. *launches: how many there were. On GPUs
 * many launches are timed together, since one of them may take less time than it takes to learn of its end, and they
 * are warmed up first: they lower their clocks while a program is compiled. */
static double time_groups(struct bench *bench, cl_kernel kernel, size_t global, int *launches)
{
    size_t local = GROUP;
    double best = -1.0, first = bench_now();
    int in_row = bench->is_cpu ? 1 : 20, measured = 0;
    *launches = 0;
    while (measured < RUNS) {
        double start = bench_now();
        for (int i = 0; i < in_row; i++) {
            if (clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL))
                return -1.0;
            ++*launches;
        }
        if (clFinish(bench->cl.queue))
            return -1.0;
        double end = bench_now(), seconds = (end - start) / in_row;
        bool warm = *launches > in_row && (bench->is_cpu || end - first > 0.2);
        if (!warm)
            continue;
        best = measured == 0 || seconds < best ? seconds : best;
        measured++;
    }
    return best;
}

/* Whether out's words add up to that, modulo 2^32, as they count. */
static bool adds_up(struct bench *bench, cl_mem out, int words, uint64_t expected)
{
    uint32_t *values = malloc((size_t)words * 4), sum = 0;
    bool good =
        values && !clEnqueueReadBuffer(bench->cl.queue, out, CL_TRUE, 0, (size_t)words * 4, values, 0, NULL, NULL);
    for (int i = 0; good && i < words; i++)
        sum += values[i];
    free(values);
    return good && sum == (uint32_t)expected;
}

static void measure_atomic(struct bench *bench, cl_program program, const struct atomic_row *row)
{
    size_t items = bench->is_cpu ? 1u << 16 : 1u << 20;
    cl_mem out = bench_buffer(bench, (size_t)row->words * 4);
    cl_kernel kernel = program ? clCreateKernel(program, row->kernel, NULL) : NULL;
    double rate = -1.0;
    cl_int words = row->words;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) &&
        !clSetKernelArg(kernel, 1, sizeof(words), &words)) {
        int launches;
        double seconds = time_groups(bench, kernel, items, &launches);
        if (seconds > 0.0)
            rate = (double)items * REPEATS / seconds * 1e-9;
        if (row->counts && rate > 0.0 && !adds_up(bench, out, words, (uint64_t)items * REPEATS * (uint64_t)launches)) {
            fprintf(stderr, "%s: %s: the sum is wrong\n", bench->name, row->title);
            rate = -1.0;
        }
    }
    bench_record(bench, "atomics", row->title, rate);
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

void bench_atomics(struct bench *bench)
{
    char options[64];
    double seconds;
    snprintf(options, sizeof(options), "-DREPEATS=%d", REPEATS);
    bench_progress(bench, "atomics", "build");
    cl_program program = bench_program(bench, atomics_source, options, &seconds);
    for (size_t i = 0; i < sizeof(atomic_rows) / sizeof(atomic_rows[0]); i++) {
        if (!bench_wanted(atomic_rows[i].title))
            continue;
        bench_progress(bench, "atomics", atomic_rows[i].title);
        measure_atomic(bench, program, &atomic_rows[i]);
    }
    if (program)
        clReleaseProgram(program);
}

/* ---- local memory ---- */

/* In all of them a work-item does ROUNDS rounds. What it computes goes to out, so that nothing is left out. */
static const char *local_source =
    "#define BEGIN const int at = get_local_id(0); __local float4 memory[GROUP]; __local float *words = (__local float "
    "*)memory;\\\n"
    "    float4 sum = (float4)(at); memory[at] = sum; barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define END out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w\n"
    "__kernel void reads(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) sum.x += words[at + i & GROUP - 1]; END; }\n"
    "__kernel void vector_reads(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) sum += memory[at + i & GROUP - 1]; END; }\n"
    "__kernel void strided_reads(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) sum.x += words[at * 32 + i & 4 * GROUP - 1]; END; }\n"
    "__kernel void same_word(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) sum.x += words[i]; END; }\n"
    "__kernel void writes(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) words[at + i & GROUP - 1] = sum.y += 1.0f;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); sum += memory[at]; END; }\n"
    "__kernel void barriers(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS; i++) { words[at] = sum.x; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  sum.x += words[at + 1 & GROUP - 1]; barrier(CLK_LOCAL_MEM_FENCE); } END; }\n"
    "__kernel void tree_sum(__global float *out)\n"
    "{ BEGIN; for (int i = 0; i < ROUNDS / 8; i++) { words[at] = sum.x; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int half_size = GROUP / 2; half_size; half_size >>= 1)\n"
    "  { if (at < half_size) words[at] += words[at + half_size]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  sum.x = words[0] * 0.001f; barrier(CLK_LOCAL_MEM_FENCE); } END; }\n";

static const struct local_row {
    const char *kernel, *title;
    double work; /* for each item */
} local_rows[] = {
    {"reads", "reads of words side by side, GB/s", 4.0 * ROUNDS},
    {"vector_reads", "reads of float4, GB/s", 16.0 * ROUNDS},
    {"strided_reads", "reads of words 128 bytes apart, GB/s", 4.0 * ROUNDS},
    {"same_word", "reads of one word by all, GB/s", 4.0 * ROUNDS},
    {"writes", "writes of words side by side, GB/s", 4.0 * ROUNDS},
    {"barriers", "barriers of groups of 256, Gitem/s", 2.0 * ROUNDS},
    {"tree_sum", "sums of groups of 256, Gitem/s", ROUNDS / 8.0},
};

static void measure_local(struct bench *bench, cl_program program, const struct local_row *row)
{
    size_t items = bench->is_cpu ? 1u << 14 : 1u << 22;
    cl_mem out = bench_buffer(bench, items * 4);
    cl_kernel kernel = program ? clCreateKernel(program, row->kernel, NULL) : NULL;
    double seconds = -1.0;
    int launches;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out))
        seconds = time_groups(bench, kernel, items, &launches);
    bench_record(bench, "local", row->title, seconds > 0.0 ? (double)items * row->work / seconds * 1e-9 : -1.0);
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

void bench_local(struct bench *bench)
{
    char options[64];
    double seconds;
    snprintf(options, sizeof(options), "-DROUNDS=%d -DGROUP=%d", ROUNDS, GROUP);
    bench_progress(bench, "local", "build");
    cl_program program = bench_program(bench, local_source, options, &seconds);
    for (size_t i = 0; i < sizeof(local_rows) / sizeof(local_rows[0]); i++) {
        if (!bench_wanted(local_rows[i].title))
            continue;
        bench_progress(bench, "local", local_rows[i].title);
        measure_local(bench, program, &local_rows[i]);
    }
    if (program)
        clReleaseProgram(program);
}
