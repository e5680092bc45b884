/* Sub-groups of other sizes than the device's: what the files of this room share. */
#ifndef COMPILER_LOWER_SUBGROUPS_SUBGROUPS_H
#define COMPILER_LOWER_SUBGROUPS_SUBGROUPS_H

#include "compiler/lower/values/lower.h"

/* ---- bits.c: ballots of up to 128 work-items as arithmetic on their four words. size: of the sub-group. ---- */

/* get_sub_group_eq_mask() and its like, by the built-in variable, for the work-item that is self. */
spv_id subgroup_mask(struct spv_builder *b, SpvBuiltIn which, spv_id self, uint32_t size);
/* Whether the bit is set. */
spv_id subgroup_bit(struct spv_builder *b, spv_id ballot, spv_id index, uint32_t size);
/* How many are: all, those up to self or those before it, as the group operation says. */
spv_id subgroup_count(struct spv_builder *b, spv_id ballot, uint32_t operation, spv_id self, uint32_t size);
/* The first that is set, or the last. */
spv_id subgroup_find(struct spv_builder *b, spv_id ballot, bool last, uint32_t size);
/* Whether any is. */
spv_id subgroup_any(struct spv_builder *b, spv_id ballot, uint32_t size);
/* A ballot from its words, of which there are as many as the size needs. */
spv_id subgroup_ballot(struct spv_builder *b, const spv_id *words, uint32_t size);
static inline uint32_t subgroup_words(uint32_t size)
{
    return size > 32 ? size / 32 : 1;
}
/* Whether two values are equal in all their components. */
spv_id subgroup_equal(struct spv_builder *b, spv_id first, spv_id second);

/* clusters.c: several of the kernel's sub-groups are in one of the device's. */
bool subgroups_make_clusters(struct lower *lower);
/* turns.c: each lane of the device's sub-group runs several work-items of the kernel's. */
bool subgroups_take_turns(struct lower *lower);
/* turns.c: lanes beyond the work-group's size do nothing but come to its barriers. */
bool subgroups_idle_lanes(struct lower *lower);

#endif
