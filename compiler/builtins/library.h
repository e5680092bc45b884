/* The embedded library: bodies of built-in functions in kernel SPIR-V, each exported function a module of its own with
 * what it reaches. Made by gen_library.c from the .cl files in lib/ when Pumice is built; see builtins.def. Immutable.
 */
#ifndef COMPILER_BUILTINS_LIBRARY_H
#define COMPILER_BUILTINS_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

enum { BUILTINS_BLOCK = 16 << 10 };

/* Offsets instead of pointers: what has no addresses is not touched when the library is loaded. */
struct builtins_library_function {
    uint32_t name;       /* in builtins_library_names; sorted by it */
    uint32_t block;      /* in builtins_library_bytes: a block by lz_pack(), at most BUILTINS_BLOCK bytes when it is
                            unpacked. There, */
    uint16_t start, end; /* these bytes are SPIR-V by spv_pack(), */
    uint32_t num_words;  /* so many words when it is unpacked */
    uint32_t fused;      /* where fma of fused_width bits is exact, the body of this name takes its place; */
    uint8_t fused_width; /* 0: none does */
    bool is_read;        /* of an image with a sampler */
};

extern const struct builtins_library_function builtins_library[];
extern const uint32_t builtins_library_count;
extern const char builtins_library_names[];
extern const uint8_t builtins_library_bytes[]; /* with LZ_SLACK more at the end */

#endif
