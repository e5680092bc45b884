/* clc_lower_kernels(): a program's kernels come out the same, word by word, whether each is lowered alone, one thread
 * lowers them, several, or several that have to wait for each other's memory; kernels that fail say so and stop no
 * other. usage: threads FILE.cl... */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(bool condition, const char *what, const char *where)
{
    if (!condition) {
        fprintf(stderr, "%s: %s\n", where, what);
        failures++;
    }
}

static struct clc_program *compile(const char *text, const char *where)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {.strings = &text, .num_strings = 1, .options = "-cl-std=CL3.0", .target = &target};
    struct clc_program *program = NULL;
    char *log = NULL;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS) {
        fprintf(stderr, "%s does not compile:\n%s", where, log ? log : "");
        exit(1);
    }
    free(log);
    return program;
}

struct told {
    uint32_t count;
    bool at_work;
};

static void done(void *data, struct clc_lowering *kernel)
{
    struct told *told = data;
    expect(!told->at_work, "told by two threads at once", kernel->kernel);
    told->at_work = true;
    told->count++;
    expect(!kernel->lowered == (kernel->result != CLC_SUCCESS), "neither done nor failed", kernel->kernel);
    told->at_work = false;
}

/* The first pass and the last one have their rows, whatever ran between them. */
static bool shows_ends(const struct clc_timing *timing)
{
    bool first = false, last = false;
    for (uint32_t i = 0; i < CLC_PASS_COUNT; i++) {
        const char *name = timing->passes[i].name;
        first |= name && !timing->passes[i].inner && !strcmp(name, "extract");
        last |= name && !timing->passes[i].inner && !strcmp(name, "legalise");
    }
    return first && last;
}

static struct clc_lowering *lower(const struct clc_program *program, uint32_t threads, size_t memory, const char *where)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_timing timing = {0};
    struct clc_lower_options options = {
        .target = &target, .timing = &timing, .max_threads = threads, .enough_memory = memory};
    uint32_t count = clc_program_num_kernels(program);
    struct clc_lowering *kernels = calloc(count + 1, sizeof(*kernels));
    struct told told = {0};
    for (uint32_t i = 0; i < count; i++)
        kernels[i].kernel = clc_program_kernel(program, i)->name;
    clc_lower_kernels(program, kernels, count, &options, done, &told);
    expect(told.count == count, "not told of each kernel once", where);
    expect(timing.lower && timing.lower_elapsed && timing.lower_memory && shows_ends(&timing), "no times", where);
    return kernels;
}

static void destroy(struct clc_lowering *kernels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(kernels[i].message);
        clc_lowered_destroy(kernels[i].lowered);
    }
    free(kernels);
}

static bool same_words(const struct clc_lowered *a, const struct clc_lowered *b)
{
    return a->num_words == b->num_words && !memcmp(a->words, b->words, a->num_words * sizeof(*a->words));
}

/* Without what the kernels of a program share. */
static void compare_alone(const struct clc_program *program, const struct clc_lowering *kernel)
{
    struct clc_target target;
    clc_target_default(&target);
    const struct clc_lower_options options = {.target = &target};
    struct clc_lowered *alone = NULL;
    char *message = NULL;
    enum clc_result result = clc_lower(program, kernel->kernel, &options, &alone, &message);
    expect(result == kernel->result && !alone == !kernel->lowered, "another result alone", kernel->kernel);
    if (alone && kernel->lowered)
        expect(same_words(alone, kernel->lowered), "other words alone", kernel->kernel);
    free(message);
    clc_lowered_destroy(alone);
}

static void compare(const struct clc_program *program, uint32_t threads, size_t memory, const char *where)
{
    uint32_t count = clc_program_num_kernels(program);
    struct clc_lowering *one = lower(program, 1, 0, where), *together = lower(program, threads, memory, where);
    for (uint32_t i = 0; i < count; i++) {
        const struct clc_lowered *a = one[i].lowered, *b = together[i].lowered;
        expect(one[i].result == together[i].result, "another result", one[i].kernel);
        if (a && b)
            expect(same_words(a, b), "other words", one[i].kernel);
        else
            expect(!strcmp(one[i].message, together[i].message), "another message", one[i].kernel);
        compare_alone(program, &one[i]);
    }
    destroy(one, count);
    destroy(together, count);
}

/* Thirty kernels of very different sizes; of each ten, one that lowering refuses. */
static char *many_kernels(void)
{
    char *text = calloc(1, 1 << 17), *end = text;
    end += sprintf(end, "struct large { int a[2000]; };\n"
                        "float twist(float x) { return x * sin(x) + exp(x); }\n"
                        "float step(float x, int n) { for (int i = 0; i < n; i++) x = twist(x) * n + twist(x) + i;"
                        " return x; }\n");
    static const char *const functions[] = {"log(x)", "pow(x, 3.1f)", "erf(x)", "exp(x)", "fmod(x, 3.0f)"};
    for (int i = 0; i < 30; i++) {
        if (i % 10 == 7) {
            end += sprintf(end, "kernel void k%d(struct large x, global int *out) { *out = x.a[%d]; }\n", i, i);
            continue;
        }
        end += sprintf(end, "kernel void k%d(global float *p) {\n    float v[16], x = p[get_global_id(0)];\n", i);
        for (int j = 0; j < (i * 37) % 12; j++)
            end += sprintf(end, "    for (int i = 0; i < 16; i++) v[i] = step(x * i + %d, %d);\n    x += v[%d];\n", j,
                           i + 2, (i + j) % 16);
        end += sprintf(end, "    p[get_global_id(0)] = %s + %s;\n}\n", functions[i % 5], functions[i % 3]);
    }
    return text;
}

int main(int argc, char **argv)
{
    for (int i = 0; i <= argc; i++) {
        char *text = i && i < argc ? test_need_file(argv[i], NULL) : many_kernels();
        const char *where = i && i < argc ? argv[i] : "thirty kernels";
        struct clc_program *program = compile(text, where);
        compare(program, i == argc ? 2 : 0, 0, where);
        compare(program, 0, 1 << 20, where); /* less than two kernels hold: they take turns */
        clc_program_release(program);
        free(text);
    }
    return failures ? 1 : 0;
}
