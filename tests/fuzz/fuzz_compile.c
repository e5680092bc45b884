/* OpenCL C: options on the first line, the source after it. What compiles is valid SPIR-V, and lowers to such. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    static const char options[] = "-cl-std=CL3.0 -Wall -Wextra\n";
    size_t head = sizeof(options) - 1;
    *seed = malloc(head + length);
    if (!*seed)
        return 0;
    memcpy(*seed, options, head);
    memcpy(*seed + head, source, length);
    return head + length;
}

const struct fuzz_target fuzz_target = {.seed = seed_of, .code = FUZZ_TEXT};

static void compile(const char *options, const char *source, size_t length, bool compile_only)
{
    struct clc_target target;
    struct clc_program *program;
    char *log;
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source,
        .lengths = &length,
        .num_strings = length > 0,
        .options = options,
        .target = &target,
        .compile_only = compile_only,
        .memory_limit = (size_t)256 << 20,
    };
    enum clc_result result = clc_compile(&args, &program, &log);
    if ((result == CLC_SUCCESS) != (program != NULL))
        fuzz_failed("the result does not fit the program", "");
    if ((result == CLC_FAILED || result == CLC_INVALID_OPTIONS) && (!log || !*log))
        fuzz_failed("refused without a log", "");
    if (program) {
        size_t words;
        const uint32_t *spirv = clc_program_spirv(program, &words);
        char *invalid = clc_validate(spirv, words, "opencl");
        if (invalid)
            fuzz_failed("invalid kernel SPIR-V", invalid);
        else if (!compile_only)
            fuzz_lower(program, true);
        free(invalid);
    }
    clc_program_release(program);
    free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t first = newline ? (size_t)(newline - data) : 0, from = newline ? first + 1 : 0;
    char *options = strndup((const char *)data, first), *source = malloc(size - from + 1);
    if (options && source) {
        if (size > from)
            memcpy(source, data + from, size - from);
        compile(options, source, size - from, false);
        compile(options, source, size - from, true);
    }
    free(options);
    free(source);
    return 0;
}
