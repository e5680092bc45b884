/* Every allocation of a whole build fails once: source to program, binary and back, SPIR-V to program, link, lowering.
 * Each time the answer is CLC_OUT_OF_MEMORY, or the work is done all the same, and nothing stays allocated.
 *
 * The linker sends our allocations here (--wrap), and no one else's. */
#include "compiler/clc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

/* C++'s operators new and delete, under their link names: SPIRV-Tools and a static C++ library must not come here
 * either. */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *memory);
void _ZdaPv(void *memory);
void _ZdlPvm(void *memory, size_t size);
void _ZdaPvm(void *memory, size_t size);

void *_Znwm(size_t size)
{
    return __real_malloc(size ? size : 1);
}

void *_Znam(size_t size)
{
    return __real_malloc(size ? size : 1);
}

void _ZdlPv(void *memory)
{
    __real_free(memory);
}

void _ZdaPv(void *memory)
{
    __real_free(memory);
}

void _ZdlPvm(void *memory, size_t size)
{
    (void)size;
    __real_free(memory);
}

void _ZdaPvm(void *memory, size_t size)
{
    (void)size;
    __real_free(memory);
}

static long until_failure; /* 0: none fails */
static bool all_fail;      /* all after the first too */
static long live, allocations;

static bool fails(void)
{
    allocations++;
    if (!until_failure)
        return false;
    if (until_failure > 1) {
        until_failure--;
        return false;
    }
    until_failure = all_fail ? 1 : 0;
    return true;
}

static void *counted(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    void *memory = __real_realloc(old, size);
    live += memory && !old;
    return memory;
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

static const char source[] =
    "#define N 16\n"
    "constant float table[N] = {1, 2, 3};\n"
    "global int counter;\n"
    "typedef struct { int a; float4 b; } pair;\n"
    "float work(pair p, local float *l) { return sin(p.b.x) + pow(l[p.a & 3], 2.5f) + table[p.a & 15]; }\n"
    "kernel void f(global float8 *out, pair p, local float *l, constant int *c) {\n"
    "    float a[20];\n"
    "    for (int i = 0; i < 20; i++) a[i] = c[i] + i;\n"
    "    l[get_local_id(0)] = a[c[1] & 15];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (work(p, l) > 3) printf(\"%d %s %v4f\\n\", c[0], \"text\", p.b);\n"
    "    atomic_add(&counter, 1);\n"
    "    out[get_global_id(0)] = (float8)(work(p, l));\n"
    "}\n";

static struct clc_target target;

static enum clc_result compile(struct clc_program **program, bool compile_only)
{
    const char *text = source;
    char *log;
    struct clc_compile_args args = {.strings = &text,
                                    .num_strings = 1,
                                    .options = "-cl-std=CL3.0 -DX=1 -cl-kernel-arg-info",
                                    .target = &target,
                                    .compile_only = compile_only};
    enum clc_result result = clc_compile(&args, program, &log);
    if (result != CLC_SUCCESS && result != CLC_OUT_OF_MEMORY)
        printf("%s\n", log ? log : "no log");
    free(log);
    return result;
}

static enum clc_result wrong_source(void)
{
    const char *text = "kernel void f(int x) { x = undeclared; }\n";
    struct clc_program *program;
    char *log;
    struct clc_compile_args args = {.strings = &text, .num_strings = 1, .target = &target};
    enum clc_result result = clc_compile(&args, &program, &log);
    bool expected = result == CLC_OUT_OF_MEMORY || (result == CLC_FAILED && log && *log);
    clc_program_release(program);
    free(log);
    return !expected ? CLC_FAILED : result == CLC_FAILED ? CLC_SUCCESS : result;
}

static enum clc_result through_binary(const struct clc_program *program)
{
    void *data = NULL;
    size_t size;
    struct clc_program *again = NULL;
    enum clc_result result = clc_program_serialize(program, &data, &size);
    if (result == CLC_SUCCESS)
        result = clc_program_deserialize(data, size, &again);
    clc_program_release(again);
    free(data);
    return result;
}

static enum clc_result through_il(const struct clc_program *program)
{
    size_t words;
    struct clc_program *again;
    char *log;
    const uint32_t *spirv = clc_program_spirv(program, &words);
    enum clc_result result = clc_program_from_il(spirv, words * 4, "", NULL, 0, &target, false, &again, &log);
    clc_program_release(again);
    free(log);
    return result;
}

static enum clc_result link_one(void)
{
    struct clc_program *object, *linked = NULL;
    char *log = NULL;
    enum clc_result result = compile(&object, true);
    if (result == CLC_SUCCESS)
        result = clc_link(&object, 1, "", &target, &linked, &log);
    clc_program_release(object);
    clc_program_release(linked);
    free(log);
    return result;
}

static enum clc_result lower(const struct clc_program *program)
{
    struct clc_lower_options options = {.target = &target};
    struct clc_lowered *lowered;
    char *message;
    enum clc_result result = clc_lower(program, "f", &options, &lowered, &message);
    if (result != CLC_SUCCESS && result != CLC_OUT_OF_MEMORY)
        printf("%s\n", message ? message : "no message");
    clc_lowered_destroy(lowered);
    free(message);
    return result;
}

static enum clc_result preprocess(void)
{
    const char *text = source;
    char *out, *log;
    struct clc_compile_args args = {.strings = &text, .num_strings = 1, .options = "-cl-std=CL3.0", .target = &target};
    enum clc_result result = clc_preprocess(&args, &out, &log);
    free(out);
    free(log);
    if (result != CLC_SUCCESS)
        return result;
    result = clc_print_ast(&args, &out, &log);
    free(out);
    free(log);
    return result;
}

static enum clc_result check_options(void)
{
    char *message = NULL;
    enum clc_result result = clc_check_options("-DA -cl-no-such-option", false, &message);
    free(message);
    return result == CLC_INVALID_OPTIONS ? CLC_SUCCESS : result == CLC_SUCCESS ? CLC_FAILED : result;
}

static enum clc_result everything(void)
{
    struct clc_program *program;
    enum clc_result result = compile(&program, false);
    if (result == CLC_SUCCESS)
        result = through_binary(program);
    if (result == CLC_SUCCESS)
        result = through_il(program);
    if (result == CLC_SUCCESS)
        result = lower(program);
    clc_program_release(program);
    if (result == CLC_SUCCESS)
        result = link_one();
    if (result == CLC_SUCCESS)
        result = wrong_source();
    if (result == CLC_SUCCESS)
        result = preprocess();
    return result == CLC_SUCCESS ? check_options() : result;
}

int main(void)
{
    int failures = 0;
    clc_target_default(&target);
    until_failure = 0;
    if (everything() != CLC_SUCCESS) {
        printf("it does not work with memory either\n");
        return 1;
    }
    allocations = 0; /* the first time also counted what libraries allocate once */
    everything();
    long total = allocations;
    for (int mode = 0; mode < 2; mode++) {
        for (long n = 1; n <= total; n++) {
            long before = live;
            all_fail = mode;
            until_failure = n;
            enum clc_result result = everything();
            until_failure = 0;
            if ((result != CLC_OUT_OF_MEMORY && (all_fail || result != CLC_SUCCESS)) || live != before) {
                printf("allocation %ld fails%s: result %d, %ld stay\n", n, all_fail ? " and all later" : "", result,
                       live - before);
                failures++;
            }
        }
    }
    printf("%ld allocations, %d failures\n", total, failures);
    return failures || total < 20;
}
