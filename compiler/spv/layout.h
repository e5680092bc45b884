/* Sizes, alignments and member offsets of kernel SPIR-V's types, by OpenCL's rules: natural alignment, three-component
 * vectors like four, structs in order with padding unless decorated CPacked (OpenCL C 3.0, 6.3.5; OpenCL SPIR-V
 * environment, 2.1). Pointers have 8 bytes in every address space. Results are kept, so that types which share members
 * cost no more than their number; input may be hostile: what has no size gets 0, and sizes saturate. */
#ifndef COMPILER_SPV_LAYOUT_H
#define COMPILER_SPV_LAYOUT_H

#include "spv.h"

struct spv_layout {
    uint64_t size; /* bytes, tail padding included; 0: none (void, opaque, too deep) */
    uint32_t align;
    const uint64_t *offsets; /* structs: of each member */
};

#define SPV_LAYOUT_MAX_SIZE ((uint64_t)1 << 62)

/* Initialise module and arena, the rest is zero. The arena need not be the module's. */
struct spv_layouts {
    const struct spv_module *module;
    struct arena *arena;
    struct u64_map known;
    uint32_t depth;
};

const struct spv_layout *spv_layout_of(struct spv_layouts *layouts, spv_id type);

#endif
