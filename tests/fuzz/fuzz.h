/* What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput and fuzz_target: libFuzzer drives it
 * where clang is the compiler and -Dfuzzers=true, else driver.c does (every build, a few thousand mutations). */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "compiler/clc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
    /* The input that stands for this source, malloc'ed; its size, or 0 for none. */
    size_t (*seed)(const char *source, size_t length, uint8_t **seed);
    size_t code; /* where SPIR-V starts in an input; FUZZ_TEXT: the input is text; FUZZ_BYTES: any bytes will do */
};
#define FUZZ_TEXT  SIZE_MAX
#define FUZZ_BYTES (SIZE_MAX - 1)

extern const struct fuzz_target fuzz_target;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t size, const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t max_size, unsigned int seed);

/* Says what went wrong: under libFuzzer it aborts, the driver counts. */
void fuzz_failed(const char *what, const char *detail);

/* mutate.c's randomness: the same seed gives the same numbers everywhere. */
uint64_t fuzz_random(uint64_t *state);
size_t fuzz_below(uint64_t *state, size_t n);

/* One change; the new size, at most max_size. Instructions are kept whole most of the time. */
size_t fuzz_mutate_spirv(uint8_t *data, size_t size, size_t max_size, size_t code, uint64_t *state);
size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t max_size, uint64_t *state);

/* tokens.c: one change of OpenCL C, a token, group or statement; and a group of the second input put into the first. */
size_t fuzz_mutate_tokens(uint8_t *data, size_t size, size_t max_size, uint64_t *state);
size_t fuzz_cross_tokens(const uint8_t *first, size_t size, const uint8_t *second, size_t second_size, uint8_t *out,
                         size_t max_size, uint64_t *state);

/* Compiles a seed; NULL when it does not compile. */
struct clc_program *fuzz_compile(const char *source, size_t length);
/* Lowers every kernel; with check, a module that Vulkan's rules refuse is a failure. */
void fuzz_lower(const struct clc_program *program, bool check);

#endif
