/* How OpenCL lays out a kernel-SPIR-V type in memory: natural alignment, three-component vectors like four, structs in
 * order with padding unless decorated CPacked (OpenCL C 3.0, 6.3.5; OpenCL SPIR-V environment, 2.1). Kernel SPIR-V
 * carries no offsets, so that the same numbers come out for our own modules and for foreign IL. Pointers have 8 bytes
 * in every address space.
 *
 * Each type is laid out once. Input may be hostile: numbers saturate, and how deep types nest is bounded by
 * spv_check(). */
#ifndef COMPILER_SPV_LAYOUT_H
#define COMPILER_SPV_LAYOUT_H

#include "spv.h"

/* Sizes above this are answered with this: no object can be so large, and arithmetic on two of them cannot overflow. */
#define SPV_LAYOUT_HUGE ((uint64_t)1 << 40)

/* Structs and arrays in each other. Those that nest deeper count as having UINT32_MAX leaves, so that passes which
 * take objects apart leave them alone. SPIR-V 1.6, 2.17: structures nest 255 deep. */
#define SPV_LAYOUT_MAX_NESTING 255

struct spv_layout {
    uint64_t size; /* bytes, a multiple of align; an array's stride is its element's size */
    uint32_t align;
    uint32_t leaves;         /* scalars, vectors and pointers inside; saturates at UINT32_MAX */
    uint32_t nesting;        /* structs and arrays in each other, 0 for other types */
    const uint64_t *offsets; /* of a struct's members */
};

/* Initialise module and arena, the rest is zero. The arena need not be the module's. */
struct spv_layouts {
    const struct spv_module *module;
    struct arena *arena;
    struct u64_map known; /* type -> struct spv_layout */
};

/* Of any type but void and functions; opaque types (images, events) count as 8 bytes. Never NULL. */
const struct spv_layout *spv_layout_of(struct spv_layouts *layouts, spv_id type);

/* The type of an aggregate's or vector's member, and its offset from the start. The index is in range for structs. */
spv_id spv_layout_member(struct spv_layouts *layouts, spv_id type, uint64_t index, uint64_t *offset);

/* Members of a struct, elements of an array, components of a vector; 0 for others. */
uint64_t spv_member_count(const struct spv_module *module, spv_id type);
bool spv_type_is_aggregate(const struct spv_module *module, spv_id type); /* struct or array */

#endif
