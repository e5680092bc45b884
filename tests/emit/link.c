/* clc_link: functions, variables, types and kernels across programs, libraries, and the errors. */
#include "compiler/clc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool fine, const char *what, const char *log)
{
    if (fine)
        return;
    failures++;
    printf("failed: %s\n%s\n", what, log ? log : "");
}

static struct clc_program *object(const char *source)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source, .num_strings = 1, .target = &target, .options = "-cl-std=CL3.0", .compile_only = true};
    struct clc_program *program = NULL;
    char *log = NULL;
    enum clc_result result = clc_compile(&args, &program, &log);
    check(result == CLC_SUCCESS, source, log);
    if (program)
        check(clc_program_kind(program) == CLC_PROGRAM_OBJECT, "an object's kind", NULL);
    free(log);
    return program;
}

/* Links, releases the inputs, and wants success or this text in the log. */
static struct clc_program *link_programs(struct clc_program **inputs, uint32_t count, const char *options,
                                         const char *error)
{
    struct clc_program *program = NULL;
    char *log = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!inputs[i])
            return NULL;
    }
    enum clc_result result = clc_link(inputs, count, options, NULL, &program, &log);
    if (error)
        check(result == CLC_FAILED && log && strstr(log, error), error, log);
    else
        check(result == CLC_SUCCESS, "linking", log);
    if (program) {
        size_t words;
        const uint32_t *spirv = clc_program_spirv(program, &words);
        char *message = clc_validate(spirv, words, "opencl");
        check(!message, "a linked module is valid", message);
        free(message);
    }
    free(log);
    for (uint32_t i = 0; i < count; i++)
        clc_program_release(inputs[i]);
    return program;
}

static bool has_text(const struct clc_program *program, const char *text)
{
    size_t words;
    const uint32_t *spirv = clc_program_spirv(program, &words);
    char *listing = clc_disassemble(spirv, words);
    bool found = listing && strstr(listing, text);
    free(listing);
    return found;
}

int main(void)
{
    static const char pair_a[] =
        "typedef struct { int a; float b; } pair; pair make(int); extern constant int seven[2];\n"
        "float use(pair p) { return p.a + p.b; }\n"
        "kernel void k(global float *out) { out[0] = use(make(3)) + seven[1]; }\n";
    static const char pair_b[] = "typedef struct { int a; float b; } pair; constant int seven[2] = {7, 8};\n"
                                 "pair make(int x) { pair p = {x, 2.0f}; return p; }\n";
    struct clc_program *program =
        link_programs((struct clc_program *[]){object(pair_a), object(pair_b)}, 2, NULL, NULL);
    if (program) {
        check(clc_program_kind(program) == CLC_PROGRAM_EXECUTABLE, "an executable's kind", NULL);
        check(clc_program_num_kernels(program) == 1, "one kernel", NULL);
        check(!has_text(program, " Import"), "no import is left", NULL);
    }
    clc_program_release(program);

    link_programs((struct clc_program *[]){object(pair_a)}, 1, NULL, "undefined reference to 'make'");
    link_programs((struct clc_program *[]){object("int f(int x) { return x; }"), object("int f(int x) { return 1; }")},
                  2, NULL, "'f' is defined in more than one program");
    link_programs((struct clc_program *[]){object("kernel void k(void) {}"), object("kernel void k(void) {}")}, 2, NULL,
                  "kernel 'k' is defined in more than one program");
    link_programs((struct clc_program *[]){object("int f(int); kernel void k(global int *o) { *o = f(1); }"),
                                           object("int f(float x) { return x; }")},
                  2, NULL, "declared with another type");
    link_programs(
        (struct clc_program *[]){object("int g(int); int f(int x) { return g(x); } kernel void k(global int *o) { "
                                        "*o = f(1); }"),
                                 object("int f(int); int g(int x) { return f(x); }")},
        2, NULL, "recursion");

    struct clc_program *library = link_programs(
        (struct clc_program *[]){object("int h(int); int f(int x) { return h(x) + 1; }")}, 1, "-create-library", NULL);
    check(library && clc_program_kind(library) == CLC_PROGRAM_LIBRARY, "a library's kind", NULL);
    program = link_programs((struct clc_program *[]){object("int f(int); kernel void k(global int *o) { *o = f(1); }"),
                                                     library, object("int h(int x) { return 2 * x; }")},
                            3, NULL, NULL);
    clc_program_release(program);

    program = link_programs(
        (struct clc_program *[]){object("kernel void other(global int *o, int x); kernel void k(global int "
                                        "*o) { other(o, 1); }"),
                                 object("kernel void other(global int *o, int x) { o[x] = 3; }")},
        2, NULL, NULL);
    check(program && clc_program_num_kernels(program) == 2, "a kernel that another program's kernel calls", NULL);
    clc_program_release(program);

    struct clc_program *none = NULL;
    char *log = NULL;
    program = object("int f(int x) { return x; }");
    check(clc_link(&program, 1, "-no-such-option", NULL, &none, &log) == CLC_INVALID_OPTIONS, "a wrong option", log);
    free(log);
    clc_program_release(program);
    printf("%d failures\n", failures);
    return failures != 0;
}
