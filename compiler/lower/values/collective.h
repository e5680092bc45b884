/* Sub-groups' and work-groups' collectives: what each does with two values. */
#ifndef COMPILER_LOWER_VALUES_COLLECTIVE_H
#define COMPILER_LOWER_VALUES_COLLECTIVE_H

#include "compiler/lower/values/lower.h"

/* For each kind of number. */
struct collective {
    uint16_t group, non_uniform, combine; /* combine 0: by comparison, with compare */
    uint16_t compare;
    uint64_t identity; /* of integers and booleans; that of signed comparisons depends on the width */
    double float_identity;
};

/* By the instruction of kernels (OpGroupIAdd) or that of Vulkan's sub-groups (OpGroupNonUniformIAdd); else NULL. */
const struct collective *lower_collective_of(uint16_t op);
/* The value that changes nothing. */
spv_id lower_collective_identity(struct spv_module *module, const struct collective *how, spv_id type);
spv_id lower_combine(struct spv_builder *b, const struct collective *how, spv_id type, spv_id first, spv_id second);

/* Combines the values of the sub-group's work-items before this one, and its own where the scan is inclusive. All of
 * them take part. size: of the sub-group, a power of two; self: get_sub_group_local_id(). */
spv_id lower_scan(struct spv_builder *b, const struct collective *how, uint32_t operation, spv_id value, spv_id self,
                  uint32_t size);

#endif
