/* Memory that runs out at every point of a build, and damaged SPIR-V: nothing may crash or leak (run under ASan), and
 * each failure has its code. */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static struct clc_program *compile(const char *source, size_t limit, enum clc_result *result)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source, .num_strings = 1, .options = "-cl-std=CL3.0", .target = &target, .memory_limit = limit};
    struct clc_program *program = NULL;
    char *log = NULL;
    *result = clc_compile(&args, &program, &log);
    if (*result == CLC_FAILED)
        printf("%s\n", log);
    if (*result == CLC_OUT_OF_MEMORY && limit >= 65536 && !(log && strstr(log, "which is the limit"))) {
        printf("no word of the limit of %zu bytes\n", limit);
        failures++;
    }
    free(log);
    return program;
}

/* The limit grows until the build succeeds. */
static void starve(const char *name, const char *source)
{
    enum clc_result result = CLC_OUT_OF_MEMORY;
    for (size_t limit = 1024; result == CLC_OUT_OF_MEMORY && limit < (size_t)1 << 30; limit += limit / 16) {
        struct clc_program *program = compile(source, limit, &result);
        if ((result == CLC_SUCCESS) != (program != NULL))
            result = CLC_FAILED;
        clc_program_release(program);
    }
    if (result != CLC_SUCCESS) {
        printf("%s: result %d where memory is short\n", name, result);
        failures++;
    }
}

static uint32_t random_state = 1;

static uint32_t random_number(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * below >> 32);
}

static void damage(uint32_t *words, size_t count)
{
    size_t at = random_number((uint32_t)count);
    switch (random_number(4)) {
    case 0:
        words[at] = random_state;
        break;
    case 1:
        words[at] ^= 1u << random_number(32);
        break;
    case 2:
        words[at] = words[random_number((uint32_t)count)];
        break;
    default:
        words[at] = random_number(300);
    }
}

static void spoil(const char *name, const char *source, uint32_t rounds)
{
    enum clc_result result;
    struct clc_program *program = compile(source, 0, &result);
    if (!program) {
        printf("%s: does not compile\n", name);
        failures++;
        return;
    }
    size_t count;
    const uint32_t *words = clc_program_spirv(program, &count);
    uint32_t *copy = malloc(count * 4);
    for (uint32_t i = 0; i < rounds && copy; i++) {
        struct clc_program *made = NULL;
        char *log = NULL;
        memcpy(copy, words, count * 4);
        for (uint32_t n = 1 + random_number(3); n; n--)
            damage(copy, count);
        size_t size = random_number(8) ? count * 4 : random_number((uint32_t)count * 4);
        result = clc_program_from_il(copy, size, NULL, NULL, 0, NULL, false, &made, &log);
        if ((result == CLC_SUCCESS) != (made != NULL) || (!made && (!log || !*log))) {
            printf("%s: round %u: result %d, log '%s'\n", name, i, result, log ? log : "none");
            failures++;
        }
        clc_program_release(made);
        free(log);
    }
    free(copy);
    clc_program_release(program);
}

/* A variable of one type is called another built-in one, or one that OpenCL does not have. */
static void mistake_built_ins(void)
{
    static const uint32_t others[][2] = {
        {SpvBuiltInGlobalInvocationId, SpvBuiltInLocalInvocationIndex},
        {SpvBuiltInLocalInvocationIndex, SpvBuiltInGlobalInvocationId},
        {SpvBuiltInWorkDim, SpvBuiltInGlobalLinearId},
    };
    enum clc_result result;
    struct clc_program *program = compile("kernel void k(global ulong *p)\n"
                                          "{ *p = get_global_id(0) + get_local_linear_id() + get_work_dim(); }\n",
                                          0, &result);
    size_t count, found = 0;
    const uint32_t *words = clc_program_spirv(program, &count);
    uint32_t *copy = malloc(count * 4);
    for (size_t i = 0; copy && i < sizeof(others) / sizeof(others[0]); i++) {
        memcpy(copy, words, count * 4);
        for (size_t at = 5; at < count && copy[at] >> 16; at += copy[at] >> 16) {
            if (copy[at] != (4u << 16 | SpvOpDecorate) || copy[at + 2] != SpvDecorationBuiltIn ||
                copy[at + 3] != others[i][0])
                continue;
            struct clc_program *made = NULL;
            char *log = NULL;
            found++;
            copy[at + 3] = others[i][1];
            result = clc_program_from_il(copy, count * 4, NULL, NULL, 0, NULL, false, &made, &log);
            if (result != CLC_INVALID_BINARY || !log || !strstr(log, "OpenCL's type")) {
                printf("built-in %u in place of %u: result %d, log '%s'\n", others[i][1], others[i][0], result,
                       log ? log : "none");
                failures++;
            }
            clc_program_release(made);
            free(log);
            break;
        }
    }
    if (found != sizeof(others) / sizeof(others[0])) {
        printf("%zu built-in variables\n", found);
        failures++;
    }
    free(copy);
    clc_program_release(program);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *source = test_need_file(argv[i], NULL);
        starve(argv[i], source);
        spoil(argv[i], source, 300);
        free(source);
    }
    mistake_built_ins();
    printf("%d failures\n", failures);
    return failures != 0;
}
