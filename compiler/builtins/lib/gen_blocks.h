/* Puts packed bodies that resemble each other into blocks, which lz_pack() then makes small: bodies share helpers, and
 * most come in several widths. A block is what has to be unpacked to get at a body, so it is kept short. */
#ifndef COMPILER_BUILTINS_LIB_GEN_BLOCKS_H
#define COMPILER_BUILTINS_LIB_GEN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blocks_item {
    uint8_t *bytes;
    size_t size;
    /* set by blocks_make(): where the packed block begins in the output, and where the item is in the unpacked block */
    size_t block, start;
};

/* Appends the packed blocks to *output, which the caller frees. false: out of memory, or an item is larger than a
 * block. */
bool blocks_make(struct blocks_item *items, uint32_t count, uint8_t **output, size_t *length);

#endif
