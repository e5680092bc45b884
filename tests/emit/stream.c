/* A program's tree may be let go while it is read (compiler/front/sema/stream.c): the same program, log and kernels
 * come out as when it is kept, and a long program takes little memory. */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void fail(const char *name, const char *what)
{
    printf("%s: %s\n", name, what);
    failures++;
}

struct build {
    struct clc_program *program;
    char *log;
    enum clc_result result;
    struct clc_timing timing;
};

static struct build build(const char *source, size_t tree_limit, size_t kernel_limit, bool object)
{
    struct build build = {0};
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {.strings = &source,
                                    .num_strings = 1,
                                    .options = "-cl-std=CL3.0 -Wall -Wextra",
                                    .target = &target,
                                    .compile_only = object,
                                    .timing = &build.timing,
                                    .tree_limit = tree_limit,
                                    .kernel_tree_limit = kernel_limit};
    build.result = clc_compile(&args, &build.program, &build.log);
    return build;
}

static void finish(struct build *build)
{
    clc_program_release(build->program);
    free(build->log);
}

static void compare_kernel(const char *name, const struct build *kept, const struct build *let_go, const char *kernel)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_lower_options options = {.target = &target};
    struct clc_lowered *a = NULL, *b = NULL;
    char *message = NULL;
    if (clc_lower(kept->program, kernel, &options, &a, &message) != CLC_SUCCESS ||
        clc_lower(let_go->program, kernel, &options, &b, &message) != CLC_SUCCESS)
        fail(name, message ? message : "cannot be lowered");
    else if (a->num_words != b->num_words || memcmp(a->words, b->words, a->num_words * 4) != 0)
        fail(kernel, "differs when the tree is let go");
    free(message);
    clc_lowered_destroy(a);
    clc_lowered_destroy(b);
}

static void compare_limits(const char *name, const char *source, size_t limit, bool object)
{
    struct build kept = build(source, SIZE_MAX, SIZE_MAX, object), let_go = build(source, limit, 1, object);
    if (kept.result != let_go.result || !kept.log || !let_go.log || strcmp(kept.log, let_go.log) != 0) {
        fail(name, "other result or messages when the tree is let go");
        printf("%s----\n%s", kept.log ? kept.log : "", let_go.log ? let_go.log : "");
    } else if (kept.program) {
        size_t count;
        const uint32_t *words = clc_program_spirv(let_go.program, &count);
        char *invalid = clc_validate(words, count, "opencl");
        if (invalid)
            fail(name, invalid);
        free(invalid);
        uint32_t kernels = clc_program_num_kernels(kept.program);
        if (clc_program_num_kernels(let_go.program) != kernels)
            fail(name, "another number of kernels");
        for (uint32_t i = 0; i < kernels && !object; i++) {
            const struct clc_kernel_info *a = clc_program_kernel(kept.program, i),
                                         *b = clc_program_kernel(let_go.program, i);
            if (strcmp(a->name, b->name) != 0 || a->num_args != b->num_args)
                fail(a->name, "another kernel");
            else
                compare_kernel(name, &kept, &let_go, a->name);
        }
    }
    finish(&kept);
    finish(&let_go);
}

static void compare(const char *name, const char *source, bool object)
{
    compare_limits(name, source, 1, object);        /* all functions */
    compare_limits(name, source, SIZE_MAX, object); /* kernels only */
}

/* ---- what reaches across the border between what is gone and what is there ---- */

static const struct {
    const char *name, *source;
} cases[] = {
    {"constants",
     "kernel void k(global int *p) { const int n = 3; int a[n + 1]; a[0] = n; p[0] = 1; int b[n]; b[1] = n; \n"
     "p[n] = a[0] + b[1]; const float f = 2.5f; p[1] = f; p[2] = (int)f; }"},
    {"tables",
     "constant int t[4] = {1, 2, 3, 4}; constant float4 v[] = {(float4)(1), {1, 2, 3, 4}};\n"
     "kernel void k(global int *p) { p[0] = t[p[1]]; constant int u[] = {5, 6}; p[2] = u[p[3]] + v[p[4]].x; }"},
    {"prototypes", "int g(int); int f(int x) { return g(x) + 1; } kernel void k(global int *p) { p[0] = f(p[1]); }\n"
                   "int g(int x) { return x * 3; }"},
    {"unreached", "int missing(int); int f(int x) { return missing(x); } global int unused = 3;\n"
                  "int g(void) { return unused; } kernel void k(global int *p) { p[0] = 1; }"},
    {"undefined",
     "int missing(int); int f(int x) { return missing(x); } kernel void k(global int *p) { p[0] = f(1); }"},
    {"recursion", "int f(int x); int g(int x) { return f(x); } int f(int x) { return g(x); }\n"
                  "kernel void k(global int *p) { p[0] = f(1); }"},
    {"late variable", "extern constant int c; kernel void k(global int *p) { p[0] = c; } constant int c = 7;"},
    {"tentative", "global int c; kernel void k(global int *p) { p[0] = c; } global int c = 7;"},
    {"gotos",
     "kernel void k(global int *p) { int i = 0; p[0] = 1; again: p[i] = 2; p[1] = 3; if (++i < 9) goto again;\n"
     "goto out; p[2] = 3; out: p[3] = 4; }"},
    {"returns",
     "int f(int x) { x++; if (x) return 1; x += 2; }\n"
     "int g(int x) { x++; x += 2; } int h(int x) { return x; x++; x += 3; }\n"
     "int i(int x) { x++; while (1) ; x = 2; } kernel void k(global int *p) { p[0] = f(1) + g(2) + h(3) + i(4); }"},
    {"unused", "static int f(int x) { return x; } static int g(int x, int y) { int z = 3; return x; }\n"
               "kernel void k(global int *p) { int a; p[0] = g(1, 2); int b = 2; p[1] = 3; }"},
    {"samplers", "kernel void k(read_only image2d_t i, global float4 *p) { const sampler_t s = 0x10; p[0] = 1;\n"
                 "p[1] = read_imagef(i, s, (int2)(1, 2)); }"},
    {"local memory", "kernel void k(global int *p) { local int a[64]; a[get_local_id(0)] = p[0]; barrier(1);\n"
                     "p[get_local_id(0)] = a[63 - get_local_id(0)]; }"},
    {"errors", "int f(int x) { return y; } kernel void k(global int *p) { p[0] = f(1); int q = z; p[1] = q; }"},
    {"scopes", "kernel void k(global int *p) { const int a = 1; { const int a = 2; p[a] = a; } p[a] = a;\n"
               "for (const int a = 3; p[a]; ) { p[a] = 4; } p[a + 1] = a; }"},
};

/* A kernel that others call is two functions: its body may be emitted when the call is met, or not. */
static void called_kernels(void)
{
    static const char *const sources[] = {
        "kernel void a(global int *restrict p, int n) { p[n] = 1; } kernel void b(global int *p) { a(p, 3); p[0] = 2; "
        "}",
        "kernel void a(global int *p, int n); kernel void b(global int *p) { a(p, 3); p[0] = 2; }\n"
        "kernel void a(global int *p, int n) { p[n] = 1; p[0] = 5; }",
    };
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        compare("called kernel", sources[i], false);
        struct build one = build(sources[i], 1, 1, false);
        const struct clc_kernel_info *info = one.program ? clc_program_kernel(one.program, 0) : NULL;
        const struct clc_kernel_info *other = one.program ? clc_program_kernel(one.program, 1) : NULL;
        if (other && !strcmp(other->name, "a"))
            info = other;
        if (!info || info->num_args != 2 || strcmp(info->args[1].name, "n") != 0)
            fail("called kernel", "arguments are lost");
        finish(&one);
    }
}

/* ---- memory ---- */

struct text {
    char *data;
    size_t length, capacity;
};

static void append(struct text *text, const char *format, ...)
{
    if (text->capacity - text->length < 512) {
        text->capacity = text->capacity * 2 + 4096;
        text->data = realloc(text->data, text->capacity);
        if (!text->data)
            exit(1);
    }
    va_list args;
    va_start(args, format);
    text->length += (size_t)vsnprintf(text->data + text->length, 512, format, args);
    va_end(args);
}

/* Of the front end alone. tree_limit 0: as is best. least_ratio: to what it takes where the tree is kept. */
static void bound(const char *name, const struct text *source, size_t tree_limit, size_t limit, size_t least_ratio)
{
    struct build kept = build(source->data, SIZE_MAX, SIZE_MAX, false),
                 let_go = build(source->data, tree_limit, 0, false);
    size_t all = kept.timing.front_memory, few = let_go.timing.front_memory;
    if (!let_go.program)
        fail(name, let_go.log ? let_go.log : "does not compile");
    else if (few > limit || all < least_ratio * few)
        fail(name, "takes too much memory");
    printf("%s: %zu KiB of front end where the tree is kept, %zu KiB where it is not\n", name, all / 1024, few / 1024);
    finish(&kept);
    finish(&let_go);
}

/* Functions that all are reached stay to the end; then (or when they are many) their tree goes as their module comes.
 */
static void bound_whole(const char *name, int num_functions)
{
    struct text source = {0};
    for (int i = 0; i < num_functions; i++) {
        append(&source, "int f%d(int a, int b) { int x = a;\n", i);
        for (int n = 0; n < 200; n++)
            append(&source, "x = (x ^ b * %d) + (a >> %d) - (x << 3 | (uint)b >> 7);\n", n, n % 31);
        append(&source, i ? "return x + f%d(x, b); }\n" : "return x; }\n", i - 1);
    }
    append(&source, "kernel void k(global int *p) { p[0] = f%d(p[1], p[2]); }\n", num_functions - 1);
    struct build kept = build(source.data, SIZE_MAX, SIZE_MAX, false), let_go = build(source.data, 0, 0, false);
    size_t all = kept.timing.compile_memory, few = let_go.timing.compile_memory, front = let_go.timing.front_memory;
    if (!let_go.program || all < few + front / 8)
        fail(name, "takes too much memory");
    printf("%s: %zu KiB with the module where the tree is kept, %zu KiB where it is not, %zu without\n", name,
           all / 1024, few / 1024, front / 1024);
    finish(&kept);
    finish(&let_go);
    free(source.data);
}

static void bound_memory(void)
{
    struct text functions = {0}, statements = {0}, table = {0};
    for (int i = 0; i < 300; i++) {
        append(&functions, "int f%d(int a, int b) { int x = a;\n", i);
        for (int n = 0; n < 100; n++)
            append(&functions, "x = (x ^ b * %d) + (a >> %d) - (x << 3 | (uint)b >> 7);\n", n, n % 31);
        append(&functions, "return x; }\n");
    }
    append(&functions, "kernel void k(global int *p) { p[0] = f7(p[1], p[2]) + f290(p[3], p[4]); }\n");
    append(&statements, "kernel void k(global int *p, int a, int b) { int x = a;\n");
    for (int n = 0; n < 30000; n++)
        append(&statements, "x = (x ^ b * %d) + (a >> %d) - (x << 3 | (uint)b >> 7);\n", n, n % 31);
    append(&statements, "p[0] = x; }\n");
    for (int t = 0; t < 40; t++) {
        append(&table, "constant uint t%d[] = {", t);
        for (int n = 0; n < 2000; n++)
            append(&table, "(uint)(0x%xu) ^ %d,", n * 7919, n);
        append(&table, "};\n");
    }
    append(&table, "kernel void k(global uint *p) { p[0] = t3[p[1]] + t39[p[2]]; }\n");
    bound("functions", &functions, (size_t)4 << 20, (size_t)18 << 20, 3);
    bound("statements", &statements, 0, (size_t)18 << 20, 3);
    bound("tables", &table, 0, (size_t)12 << 20, 1);
    bound_whole("at the end", 100);
    bound_whole("before", 200);
    free(functions.data);
    free(statements.data);
    free(table.data);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *source = test_need_file(argv[i], NULL);
        compare(argv[i], source, false);
        compare(argv[i], source, true);
        free(source);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        compare(cases[i].name, cases[i].source, false);
        compare(cases[i].name, cases[i].source, true);
    }
    called_kernels();
    bound_memory();
    return failures != 0;
}
