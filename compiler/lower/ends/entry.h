/* The entry pass: what its files share (entry.c, entry_ids.c, entry_block.c). */
#ifndef COMPILER_LOWER_ENDS_ENTRY_H
#define COMPILER_LOWER_ENDS_ENTRY_H

#include "compiler/lower/values/lower.h"
#include "compiler/spv/layout.h"

struct entry_member { /* of the argument block's struct */
    uint32_t offset;
    spv_id type;
};

struct entry {
    struct lower *lower;
    struct spv_module *module;
    const struct clc_target *target;
    struct spv_replacements replacements;
    VEC(struct spv_inst *) reads; /* loads from Input variables, those made by entry_ids.c first */
    uint8_t *used;                /* by id: an operand of something */
    uint32_t num_ids;             /* that existed when the pass began; used has as many elements */

    /* entry_ids.c */
    uint32_t turn;                  /* whose ids are being made (lower->turns) */
    struct u64_map ids;             /* function, what -> value */
    VEC(struct spv_inst *) own;     /* those of reads that functions had already */
    VEC(struct spv_inst *) handled; /* uses of theirs that have a value now, and that nobody else needs */
    spv_id bounds; /* the specialisation constant CLC_SPEC_BOUNDS, or 0: groups have no work-items beyond the range */
    struct spv_inst *leave;       /* with bounds: the branch at the kernel's start */
    bool bounded;                 /* with bounds: the kernel can_bound, and work-items are cut off one by one */
    spv_id packed[3], any_packed; /* specialisation constants: whether CLC_SPEC_MORE_GROUPS_* is not 0, or any of them;
                                     0: the kernel cannot pack */

    /* entry_block.c */
    struct spv_layouts layouts;
    struct u64_map values; /* function, offset -> value */
    VEC(struct entry_member) members;
    spv_id block_variable; /* PushConstant */
    bool by_address;       /* the block is in memory */
    bool planning;         /* the first walk only collects members */
};

/* entry.c: the place for values that a function reads once: before the first instruction of its own, in order of
 * appearance. function->user keeps it; NULL: not found yet. */
struct spv_builder entry_at_start(struct entry *e, struct spv_function *function);

/* entry_ids.c: replaces OpenCL's built-in variables by arithmetic on Vulkan's and on launch values, and lets work-items
 * beyond the range return. Sets reads and used. The replacements are yet to be applied. */
void entry_rewrite_ids(struct entry *e);

/* entry_block.c: lays out the argument block, and replaces the kernel's parameters and the launch values among reads by
 * values from it. The replacements are yet to be applied; then entry_remove_reads() removes those loads. */
void entry_read_block(struct entry *e);
void entry_remove_reads(struct entry *e);

#endif
