/* The embedded library: bodies of built-in functions in kernel SPIR-V, each exported function a module of its own with
 * what it reaches. Made by gen_library.c from the .cl files in lib/ when Pumice is built; see builtins.def. Immutable.
 */
#ifndef COMPILER_BUILTINS_LIBRARY_H
#define COMPILER_BUILTINS_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

struct builtins_library_function {
    const char *name;      /* sorted by it */
    const uint8_t *packed; /* SPIR-V, by spv_pack() */
    uint32_t num_words;    /* when it is unpacked */
    bool is_read;          /* of an image with a sampler */
    uint32_t fused_width;  /* where fma of so many bits is exact, */
    const char *fused;     /* this body takes its place; NULL: none does */
};

extern const struct builtins_library_function builtins_library[];
extern const uint32_t builtins_library_count;

#endif
