/* Accesses to global memory whose addresses differ by constants. stores.c and loads.c make vectors of them. */
#ifndef COMPILER_OPT_NEIGHBOURS_H
#define COMPILER_OPT_NEIGHBOURS_H

#include "compiler/spv/spv.h"

struct neighbour {
    struct spv_inst *inst;
    spv_id address; /* its number */
    int64_t offset; /* from the start that all have */
    uint32_t order; /* in the block */
};

/* The size of a number or vector in bytes. */
static inline uint32_t neighbour_size(const struct spv_module *module, spv_id type)
{
    return spv_type_count(module, type) * spv_type_width(module, type) / 8;
}

static inline bool is_global_pointer(const struct spv_module *module, spv_id pointer)
{
    return spv_pointer_storage(module, spv_value_type(module, pointer)) == SpvStorageClassPhysicalStorageBuffer;
}

/* Splits an address into a start and a constant offset. */
static inline spv_id neighbour_start(const struct spv_module *module, spv_id address, int64_t *offset)
{
    const struct spv_inst *sum = spv_def(module, address);
    uint64_t bits = 0;
    bool sums = sum->block && sum->op == SpvOpIAdd && spv_const_value(module, sum->words[1], &bits);
    *offset = sums ? (int64_t)bits : 0;
    return sums ? sum->words[0] : address;
}

/* For qsort(). */
static inline int neighbours_by_offset(const void *a, const void *b)
{
    const struct neighbour *one = a, *two = b;
    return one->offset < two->offset ? -1 : one->offset > two->offset;
}

/* Whether the accesses first[0] to first[count - 1] lie side by side and could be one vector that is aligned to its own
 * size relative to the start. */
static inline bool are_neighbours(const struct neighbour *first, uint32_t count, uint32_t size)
{
    for (uint32_t i = 1; i < count; i++) {
        if (first[i].offset != first[0].offset + (int64_t)i * size)
            return false;
    }
    return first[0].offset % (int64_t)(count * size) == 0;
}

#endif
