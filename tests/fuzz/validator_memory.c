/* The validator is C++: every allocation of its fails once, by an exception, as operator new does it. Each time the
 * answer is that nobody knows, or the right one; never "valid" for a module that is not, and never an exception in C.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* operator new and the C++ library's way to throw std::bad_alloc, under their link names */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZSt17__throw_bad_allocv(void) __attribute__((noreturn));

static long until_failure, allocations; /* until_failure 0: none fails */

static void *allocate(size_t size)
{
    allocations++;
    if (until_failure && --until_failure == 0)
        _ZSt17__throw_bad_allocv();
    void *memory = malloc(size ? size : 1);
    if (!memory)
        _ZSt17__throw_bad_allocv();
    return memory;
}

void *_Znwm(size_t size)
{
    return allocate(size);
}

void *_Znam(size_t size)
{
    return allocate(size);
}

static const char source[] = "kernel void f(global int *o, int n) { for (int i = 0; i < n; i++) o[i] += i * n; }";

int main(void)
{
    struct clc_target target;
    clc_target_default(&target);
    const char *text = source;
    struct clc_compile_args args = {.strings = &text, .num_strings = 1, .options = "", .target = &target};
    struct clc_program *program;
    char *log, *message;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS)
        return 1;
    size_t count;
    const uint32_t *words = clc_program_spirv(program, &count);
    uint32_t *bad = malloc(count * 4);
    if (!bad)
        return 1;
    memcpy(bad, words, count * 4);
    for (size_t at = 5; at < count; at += bad[at] >> 16) {
        if ((bad[at] & 0xffff) == 128) /* OpIAdd becomes OpFAdd */
            bad[at]++;
    }
    int failures = 0;
    long unknown = 0, total = 0;
    for (int valid = 0; valid < 2; valid++) {
        const uint32_t *module = valid ? words : bad;
        enum clc_result right = valid ? CLC_SUCCESS : CLC_INVALID_BINARY;
        allocations = until_failure = 0;
        failures += clc_check_valid(module, count, "opencl", &message) != right;
        free(message);
        for (long n = 1, all = allocations; n <= all; n++, total++) {
            until_failure = n;
            enum clc_result result = clc_check_valid(module, count, "opencl", &message);
            until_failure = 0;
            unknown += result == CLC_OUT_OF_MEMORY;
            if ((result != right && result != CLC_OUT_OF_MEMORY) ||
                (result == CLC_INVALID_BINARY) != (message != NULL)) {
                printf("allocation %ld fails: %d instead of %d\n", n, result, right);
                failures++;
            }
            free(message);
        }
    }
    free(bad);
    free(log);
    clc_program_release(program);
    printf("%ld allocations, %ld times unknown, %d failures\n", total, unknown, failures);
    return failures || !unknown;
}
