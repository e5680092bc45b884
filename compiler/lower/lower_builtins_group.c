/* Lowering of the collective instructions that Kernel SPIR-V has and Vulkan has not: those of sub-groups become their
 * non-uniform siblings, which do the same where the whole sub-group takes part (OpenCL C 3.0, 6.15.20 asks for that).
 */
#include "compiler/lower/lower_builtins.h"

static SpvOp non_uniform(uint16_t op)
{
    switch (op) {
    case SpvOpGroupAll:
        return SpvOpGroupNonUniformAll;
    case SpvOpGroupAny:
        return SpvOpGroupNonUniformAny;
    case SpvOpGroupBroadcast:
        return SpvOpGroupNonUniformBroadcast;
    case SpvOpGroupIAdd:
        return SpvOpGroupNonUniformIAdd;
    case SpvOpGroupFAdd:
        return SpvOpGroupNonUniformFAdd;
    case SpvOpGroupFMin:
        return SpvOpGroupNonUniformFMin;
    case SpvOpGroupUMin:
        return SpvOpGroupNonUniformUMin;
    case SpvOpGroupSMin:
        return SpvOpGroupNonUniformSMin;
    case SpvOpGroupFMax:
        return SpvOpGroupNonUniformFMax;
    case SpvOpGroupUMax:
        return SpvOpGroupNonUniformUMax;
    default:
        return SpvOpGroupNonUniformSMax;
    }
}

spv_id lower_core_group(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    uint64_t scope = SpvScopeWorkgroup;
    spv_const_value(x->module, x->args[0], &scope);
    if (scope != SpvScopeSubgroup) {
        lower_fail(x->lower, "work-group collective functions are not offered by this device");
        return 0;
    }
    SpvOp to = non_uniform(op);
    if (op == SpvOpGroupAll || op == SpvOpGroupAny)
        return spv_emitv(&x->b, to, x->type, x->args[0], x->args[1]);
    if (op == SpvOpGroupBroadcast) {
        spv_id id = lower_resize(x, spv_type_int(x->module, 32), x->args[2], false);
        return spv_emitv(&x->b, to, x->type, x->args[0], x->args[1], id);
    }
    return spv_emitv(&x->b, to, x->type, x->args[0], x->inst->words[1], x->args[2]);
}
