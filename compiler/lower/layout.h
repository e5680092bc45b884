/* How OpenCL lays out a kernel-SPIR-V type in memory. OpenCL C 3.0, 6.1.5 (alignment of types), 6.3.2. */
#ifndef COMPILER_LOWER_LAYOUT_H
#define COMPILER_LOWER_LAYOUT_H

#include "compiler/spv/spv.h"

/* Sizes above this are answered with this: no object can be so large, and arithmetic on two of them cannot overflow. */
#define LAYOUT_HUGE ((uint64_t)1 << 40)

struct layout {
    uint64_t size; /* bytes, a multiple of align; an array's stride is its element's size */
    uint32_t align;
    uint32_t leaves;   /* scalars, vectors and pointers inside; saturates at UINT32_MAX */
    uint64_t *offsets; /* of a struct's members */
};

struct layout_cache {
    struct arena *arena;
    const struct spv_module *module;
    struct u64_map types; /* type id -> struct layout */
    uint32_t depth;       /* of types being laid out */
};

/* Of any type but void and functions; opaque types (images, events) count as 8 bytes. Never NULL. */
const struct layout *layout_of(struct layout_cache *cache, spv_id type);

/* The type of an aggregate's or vector's member, and its offset from the start. The index is in range for structs. */
spv_id layout_member(struct layout_cache *cache, spv_id type, uint64_t index, uint64_t *offset);

/* Members of a struct, elements of an array, components of a vector; 0 for others. */
uint64_t layout_member_count(const struct spv_module *module, spv_id type);
bool layout_is_aggregate(const struct spv_module *module, spv_id type); /* struct or array */

#endif
