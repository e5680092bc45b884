/* Conditions and zeros that no driver knows (Never and HiddenZero of spv/private.def): what makes them, and the pass
 * that writes them as Vulkan has them, once no pass of ours is left that could take them for what they are.
 *
 *     %n = Never %groups       ->  %n = OpIEqual %bool %groups %0      groups: the number of work-groups
 *     %z = HiddenZero %n       ->  %z = OpSelect %uint %n %1 %0
 *
 * Zeros have another dimension's number than branches. Mesa knows a condition behind the branch that asks for it, also
 * in the functions that are called there: a zero of the same condition would be a constant there. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"
#include "compiler/lower/values/launch.h"

/* Dimensions of the launch. */
enum { FOR_ZEROS = 0, FOR_BRANCHES = 1 };

static spv_id never(struct lower *lower, struct spv_function *function, uint32_t dimension)
{
    struct spv_block *block = function->first_block;
    struct spv_inst *first = block->insts.first;
    while (first->op == SpvOpVariable)
        first = first->next;
    struct spv_builder builder = {lower->module, function, block, first};
    spv_id groups = lower_emit_vulkan_builtin(lower, &builder, SpvBuiltInNumWorkgroups, dimension);
    return spv_emit_private(&builder, SPV_PRIVATE_NEVER, spv_type_bool(lower->module), 1, &groups);
}

spv_id lower_never(struct lower *lower, struct spv_function *function)
{
    return never(lower, function, FOR_BRANCHES);
}

spv_id lower_hidden_zero(struct lower *lower, struct spv_function *function)
{
    const struct spv_inst *condition = spv_def(lower->module, never(lower, function, FOR_ZEROS));
    struct spv_builder builder = {lower->module, function, condition->block, condition->next};
    return spv_emit_private(&builder, SPV_PRIVATE_HIDDEN_ZERO, spv_type_int(lower->module, 32), 1, &condition->id);
}

spv_id lower_hide_integer(struct spv_builder *builder, spv_id hidden, spv_id value)
{
    struct spv_module *module = builder->module;
    spv_id type = spv_value_type(module, value);
    uint32_t width = spv_type_width(module, type), lanes = spv_type_count(module, type);
    if (width != 32)
        hidden = spv_emitv(builder, SpvOpUConvert, spv_type_int(module, width), hidden);
    if (lanes > 1) {
        uint32_t parts[16];
        for (uint32_t i = 0; i < lanes; i++)
            parts[i] = hidden;
        hidden = spv_emit(builder, SpvOpCompositeConstruct, type, lanes, parts);
    }
    return spv_emitv(builder, SpvOpBitwiseOr, type, value, hidden);
}

static void reveal(struct spv_module *module, struct spv_inst *inst)
{
    spv_id operand = inst->words[2], zero = spv_const_u32(module, 0);
    if (spv_is_private(inst, SPV_PRIVATE_NEVER)) {
        inst->op = SpvOpIEqual;
        spv_inst_set_words(module, inst, 2, (const uint32_t[]){operand, zero});
    } else if (spv_is_private(inst, SPV_PRIVATE_HIDDEN_ZERO)) {
        inst->op = SpvOpSelect;
        spv_inst_set_words(module, inst, 3, (const uint32_t[]){operand, spv_const_u32(module, 1), zero});
    }
}

bool lower_reveal(struct lower *lower)
{
    lower->idle = !lower->module->ext_private;
    if (lower->idle && !lower->thorough)
        return true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_PRIVATE)
                    reveal(lower->module, inst);
            }
        }
    }
    return true;
}
