/* Options strings, for builds and for links: each is taken, or refused with a message, and then a build says the same.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The source's hash picks options that belong together. */
static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    static const char *const options[] = {
        "-DA -DB=2 -D C(x)=x -UA -I . -I/tmp -cl-std=CL3.0 -w -Werror",
        "-cl-std=CL1.2 -cl-opt-disable -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations",
        "-cl-finite-math-only -cl-fast-relaxed-math -cl-single-precision-constant -cl-denorms-are-zero",
        "-cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-kernel-arg-info -g -cl-std=CL2.0",
        "-create-library -enable-link-options -cl-fast-relaxed-math",
        "-D 'A=\"x y\"' -D \"B=1 2\" -I \"a b\" -cl-fp32-correctly-rounded-divide-sqrt -O0 -O3 -spir-std=1.2 -x spir",
    };
    uint64_t state = length + (length ? (uint8_t)source[length / 2] : 0);
    const char *text = options[fuzz_below(&state, sizeof(options) / sizeof(options[0]))];
    *seed = (uint8_t *)strdup(text);
    return *seed ? strlen(text) : 0;
}

const struct fuzz_target fuzz_target = {.seed = seed_of, .code = FUZZ_TEXT};

static void check(const char *options, bool link)
{
    char *message = NULL;
    enum clc_result result = clc_check_options(options, link, &message);
    if (result == CLC_INVALID_OPTIONS && (!message || !*message))
        fuzz_failed("refused without a message", options);
    else if (result == CLC_FAILED || result == CLC_INVALID_BINARY)
        fuzz_failed("options give another's code", options);
    free(message);
    if (link)
        return;
    struct clc_target target;
    struct clc_program *program;
    char *log;
    clc_target_default(&target);
    const char *source = "kernel void k(global int *p) { *p = 1; }\n";
    struct clc_compile_args args = {
        .strings = &source, .num_strings = 1, .options = options, .target = &target, .memory_limit = (size_t)64 << 20};
    enum clc_result built = clc_compile(&args, &program, &log);
    /* a build may refuse more: a version of the language that the device lacks */
    if (built == CLC_SUCCESS && result == CLC_INVALID_OPTIONS)
        fuzz_failed("a build takes options that the check refuses", options);
    clc_program_release(program);
    free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *options = malloc(size + 1);
    if (!options)
        return 0;
    if (size)
        memcpy(options, data, size);
    options[size] = '\0';
    check(options, false);
    check(options, true);
    free(options);
    return 0;
}
