/* What the files of this room share. */
#ifndef COMPILER_LOWER_QUIRKS_QUIRKS_H
#define COMPILER_LOWER_QUIRKS_QUIRKS_H

#include "compiler/lower/values/lower.h"

/* zeros.c: whether the driver may spoil operations with a zero that is constant: the probe saw it do so, or no probe
 * ran. Where it does not, that pass and hide.c's do nothing. */
bool lower_spoils_zeros(const struct lower *lower);
/* reveal.c: emits, at the function's start, a condition that never holds, but no driver knows: that the number of
 * work-groups is 0. And an integer of 32 bits that is 0, but no driver knows, nor finds out from branches on that
 * condition. Both are private instructions, which the pass lower_reveal() writes as Vulkan's. */
spv_id lower_never(struct lower *lower, struct spv_function *function);
spv_id lower_hidden_zero(struct lower *lower, struct spv_function *function);
/* Emits an integer, or a vector of integers, that is the same as value, but no driver knows that: value | hidden. */
spv_id lower_hide_integer(struct spv_builder *builder, spv_id hidden, spv_id value);

#endif
