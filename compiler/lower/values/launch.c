/* Values of the launch, as passes ask for them before and after the entry pass has settled where they come from. */
#include "compiler/lower/values/launch.h"

bool lower_launch_value_is_64(enum clc_launch_value value)
{
    switch (value) {
    case CLC_LAUNCH_NUM_GROUPS:
    case CLC_LAUNCH_GROUP_BASE:
    case CLC_LAUNCH_ENQUEUED_LOCAL_SIZE:
    case CLC_LAUNCH_WORK_DIM:
    case CLC_LAUNCH_ENQUEUE_PARENT:
    case CLC_LAUNCH_BOUND:
    case CLC_LAUNCH_TILE:
        return false;
    default:
        return true;
    }
}

uint32_t lower_launch_components(enum clc_launch_value value)
{
    return value <= CLC_LAUNCH_ENQUEUED_LOCAL_SIZE || value == CLC_LAUNCH_QUERIED_OFFSET || value == CLC_LAUNCH_BOUND
               ? 3
               : 1;
}

static spv_id input_variable(struct spv_module *module, spv_id type)
{
    return spv_global_variable(module, spv_type_pointer(module, SpvStorageClassInput, type), SpvStorageClassInput, 0);
}

/* Names for dumps: the variables have no decoration, and are gone behind entry. */
static const char *const value_names[CLC_LAUNCH_COUNT] = {
    [CLC_LAUNCH_GLOBAL_OFFSET] = "global_offset",
    [CLC_LAUNCH_GLOBAL_SIZE] = "global_size",
    [CLC_LAUNCH_NUM_GROUPS] = "num_groups",
    [CLC_LAUNCH_GROUP_BASE] = "group_base",
    [CLC_LAUNCH_ENQUEUED_LOCAL_SIZE] = "enqueued_local_size",
    [CLC_LAUNCH_WORK_DIM] = "work_dim",
    [CLC_LAUNCH_PRINTF] = "printf",
    [CLC_LAUNCH_GLOBALS] = "globals",
    [CLC_LAUNCH_CONSTANTS] = "constants",
    [CLC_LAUNCH_SCRATCH] = "scratch",
    [CLC_LAUNCH_ORDER] = "order",
    [CLC_LAUNCH_ENQUEUE] = "enqueue",
    [CLC_LAUNCH_ENQUEUE_PARENT] = "enqueue_parent",
    [CLC_LAUNCH_QUERIED_OFFSET] = "queried_offset",
    [CLC_LAUNCH_BOUND] = "bound",
    [CLC_LAUNCH_TILE] = "tile",
    [CLC_LAUNCH_CHECK] = "check",
};

static spv_id launch_variable(struct lower *lower, enum clc_launch_value value, uint32_t component, spv_id type)
{
    spv_id variable = input_variable(lower->module, type);
    const char *part = lower_launch_components(value) > 1 ? (const char *const[]){".x", ".y", ".z"}[component] : "";
    spv_add_name(lower->module, variable, arena_printf(lower->module->arena, "launch.%s%s", value_names[value], part));
    return variable;
}

spv_id lower_emit_launch_value(struct lower *lower, struct spv_builder *builder, enum clc_launch_value value,
                               uint32_t component)
{
    spv_id type = spv_type_int(lower->module, lower_launch_value_is_64(value) ? 64 : 32);
    spv_id *variable = &lower->launch_variables[value][component];
    if (!*variable || !spv_def(lower->module, *variable))
        *variable = launch_variable(lower, value, component, type);
    return spv_emitv(builder, SpvOpLoad, type, *variable);
}

spv_id lower_emit_arg_limit(struct lower *lower, struct spv_builder *builder, uint32_t arg, enum clc_arg_limit which)
{
    spv_id u64 = spv_type_int(lower->module, 64);
    struct lower_arg_limit *limit = NULL;
    vec_foreach (struct lower_arg_limit, known, &lower->arg_limits) {
        if (known->arg == arg && known->which == which)
            limit = known;
    }
    if (!limit) {
        vec_push(lower->arena, &lower->arg_limits, (struct lower_arg_limit){arg, which, 0});
        limit = &lower->arg_limits.data[lower->arg_limits.length - 1];
    }
    if (!limit->variable || !spv_def(lower->module, limit->variable)) {
        limit->variable = input_variable(lower->module, u64);
        spv_add_name(lower->module, limit->variable,
                     arena_printf(lower->module->arena, "argument.%u.limit.%u", arg, which));
    }
    return spv_emitv(builder, SpvOpLoad, u64, limit->variable);
}

bool lower_is_vector_builtin(SpvBuiltIn builtin)
{
    return spv_builtin_type(builtin).lanes == 3;
}

bool lower_builtin_of(const struct spv_module *module, spv_id variable, SpvBuiltIn *builtin)
{
    const struct spv_inst *decoration = spv_find_decoration(module, variable, SpvDecorationBuiltIn);
    if (!decoration || decoration->num_words < 3)
        return false;
    *builtin = (SpvBuiltIn)decoration->words[2];
    return true;
}

static spv_id find_builtin(struct lower *lower, SpvBuiltIn builtin, spv_id type)
{
    struct spv_module *module = lower->module;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        SpvBuiltIn found;
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassInput &&
            spv_pointer_pointee(module, inst->type) == type && lower_builtin_of(module, inst->id, &found) &&
            found == builtin)
            return inst->id;
    }
    spv_id variable = input_variable(module, type);
    spv_decorate(module, variable, SpvDecorationBuiltIn, 1, (const uint32_t[]){builtin});
    return variable;
}

static spv_id turn_input(struct lower *lower, uint32_t builtin, uint32_t turn, spv_id type)
{
    vec_foreach (struct lower_turn_input, known, &lower->turn_inputs) {
        if (known->builtin == builtin && known->turn == turn && spv_def(lower->module, known->variable) &&
            spv_pointer_pointee(lower->module, spv_value_type(lower->module, known->variable)) == type)
            return known->variable;
    }
    spv_id variable = input_variable(lower->module, type);
    const char *name = builtin == LOWER_TURN_EXISTS
                           ? arena_printf(lower->module->arena, "turn.%u.exists", turn)
                           : arena_printf(lower->module->arena, "turn.%u.builtin.%u", turn, builtin);
    spv_add_name(lower->module, variable, name);
    vec_push(lower->arena, &lower->turn_inputs, (struct lower_turn_input){variable, builtin, turn});
    return variable;
}

spv_id lower_turn_variable(struct lower *lower, spv_id variable, uint32_t turn)
{
    SpvBuiltIn builtin = SpvBuiltInMax;
    lower_builtin_of(lower->module, variable, &builtin);
    return turn_input(lower, builtin, turn,
                      spv_pointer_pointee(lower->module, spv_value_type(lower->module, variable)));
}

spv_id lower_turn_exists(struct lower *lower, uint32_t turn)
{
    return turn_input(lower, LOWER_TURN_EXISTS, turn, spv_type_bool(lower->module));
}

const struct lower_turn_input *lower_turn_input(const struct lower *lower, spv_id variable)
{
    vec_foreach (struct lower_turn_input, known, &lower->turn_inputs) {
        if (known->variable == variable)
            return known;
    }
    return NULL;
}

static spv_id opencl_type(struct spv_module *module, SpvBuiltIn builtin)
{
    struct spv_builtin_type type = spv_builtin_type(builtin);
    spv_id number = spv_type_int(module, type.width);
    return type.lanes > 1 ? spv_type_vector(module, number, type.lanes) : number;
}

spv_id lower_builtin_variable(struct lower *lower, SpvBuiltIn builtin)
{
    return find_builtin(lower, builtin, opencl_type(lower->module, builtin));
}

spv_id lower_emit_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin, uint32_t component)
{
    spv_id value =
        spv_emitv(builder, SpvOpLoad, opencl_type(lower->module, builtin), lower_builtin_variable(lower, builtin));
    if (!lower_is_vector_builtin(builtin))
        return value;
    return spv_emitv(builder, SpvOpCompositeExtract, spv_type_int(lower->module, 64), value, component);
}

spv_id lower_emit_vulkan_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin,
                                 uint32_t component)
{
    spv_id u32 = spv_type_int(lower->module, 32);
    if (!lower_is_vector_builtin(builtin))
        return spv_emitv(builder, SpvOpLoad, u32, find_builtin(lower, builtin, u32));
    spv_id type = spv_type_vector(lower->module, u32, 3);
    spv_id value = spv_emitv(builder, SpvOpLoad, type, find_builtin(lower, builtin, type));
    return spv_emitv(builder, SpvOpCompositeExtract, u32, value, component);
}

static spv_id spec_constant(struct lower *lower, uint32_t number, uint32_t value)
{
    spv_foreach_inst (inst, &lower->module->sections[SPV_SECTION_GLOBAL]) {
        const struct spv_inst *decoration =
            inst->op == SpvOpSpecConstant ? spv_find_decoration(lower->module, inst->id, SpvDecorationSpecId) : NULL;
        if (decoration && decoration->words[2] == number)
            return inst->id;
    }
    spv_id constant = spv_const_inst(lower->module, SpvOpSpecConstant, spv_type_int(lower->module, 32), 1, &value);
    spv_decorate(lower->module, constant, SpvDecorationSpecId, 1, &number);
    return constant;
}

spv_id lower_spec_local_size(struct lower *lower, uint32_t component)
{
    uint32_t required = lower->required_size[component];
    return spec_constant(lower, CLC_SPEC_LOCAL_SIZE_X + component, required ? required : 1);
}

spv_id lower_spec_more_groups(struct lower *lower, uint32_t component)
{
    return spec_constant(lower, CLC_SPEC_MORE_GROUPS_X + component, 0);
}

spv_id lower_emit_linear_item(struct lower *lower, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(lower->module, 32), u64 = spv_type_int(lower->module, 64), group = 0, size = 0;
    for (int c = 2; c >= 0; c--) {
        spv_id id =
            spv_emitv(b, SpvOpUConvert, u64, lower_emit_vulkan_builtin(lower, b, SpvBuiltInWorkgroupId, (uint32_t)c));
        if (group) {
            spv_id count = lower_emit_vulkan_builtin(lower, b, SpvBuiltInNumWorkgroups, (uint32_t)c);
            group = spv_emitv(b, SpvOpIMul, u64, group, spv_emitv(b, SpvOpUConvert, u64, count));
            group = spv_emitv(b, SpvOpIAdd, u64, group, id);
        } else {
            group = id;
        }
        spv_id local = lower_spec_local_size(lower, (uint32_t)c);
        size = size ? spv_emitv(b, SpvOpIMul, u32, size, local) : local;
    }
    spv_id index = lower_emit_vulkan_builtin(lower, b, SpvBuiltInLocalInvocationIndex, 0);
    group = spv_emitv(b, SpvOpIMul, u64, group, spv_emitv(b, SpvOpUConvert, u64, size));
    return spv_emitv(b, SpvOpIAdd, u64, group, spv_emitv(b, SpvOpUConvert, u64, index));
}
