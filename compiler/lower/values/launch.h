/* Values of the launch: sizes, offsets, addresses and ids. */
#ifndef COMPILER_LOWER_VALUES_LAUNCH_H
#define COMPILER_LOWER_VALUES_LAUNCH_H

#include "compiler/lower/values/lower.h"

/* Emits one value of the launch: a load from an Input variable, which the entry pass turns into a read of the argument
 * block. The type is u64 or u32, as enum clc_launch_value says. component is 0 unless the value has three. For any pass
 * before entry. */
spv_id lower_emit_launch_value(struct lower *lower, struct spv_builder *builder, enum clc_launch_value value,
                               uint32_t component);
bool lower_launch_value_is_64(enum clc_launch_value value);
uint32_t lower_launch_components(enum clc_launch_value value); /* 1 or 3 */

/* The same for what the launch tells of an argument: a u64. */
spv_id lower_emit_arg_limit(struct lower *lower, struct spv_builder *builder, uint32_t arg, enum clc_arg_limit which);

/* Whether the variable is decorated with a BuiltIn, and with which. */
bool lower_builtin_of(const struct spv_module *module, spv_id variable, SpvBuiltIn *builtin);
bool lower_is_vector_builtin(SpvBuiltIn builtin); /* it has three components */
/* The module-scope Input variable decorated with a BuiltIn, in OpenCL's form (v3 of u64, u64 or u32). Makes it if it is
 * missing. */
spv_id lower_builtin_variable(struct lower *lower, SpvBuiltIn builtin);
/* Emits a load of it, for three-component built-ins of the given component: u64 or u32 as in OpenCL's SPIR-V. */
spv_id lower_emit_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin, uint32_t component);

/* Where each lane runs several work-items (lower->turns): the built-in variable as one of the turns has it. It is an
 * Input variable without a decoration, as those of launch values are. */
spv_id lower_turn_variable(struct lower *lower, spv_id variable, uint32_t turn);
/* A variable of a bool: whether the turn has a work-item, which those of the last sub-group may not. */
spv_id lower_turn_exists(struct lower *lower, uint32_t turn);
/* What such a variable stands for; NULL: it is none. */
const struct lower_turn_input *lower_turn_input(const struct lower *lower, spv_id variable);
enum { LOWER_TURN_EXISTS = 0x3ffe }; /* what lower_turn_exists() has for a built-in */

/* Emits a component of a Vulkan built-in, a u32. For the passes from entry on. */
spv_id lower_emit_vulkan_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin,
                                 uint32_t component);

/* Emits the linear number (u64) of the work-item within the dispatch, which is its index in scratch memory. */
spv_id lower_emit_linear_item(struct lower *lower, struct spv_builder *builder);

/* The specialisation constant that is the work-group's size in one dimension. */
spv_id lower_spec_local_size(struct lower *lower, uint32_t component);
/* CLC_SPEC_MORE_GROUPS_X and its like. */
spv_id lower_spec_more_groups(struct lower *lower, uint32_t component);

#endif
