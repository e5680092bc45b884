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

/* OpGroupNonUniformRotateKHR scope value delta [cluster]: item i takes the value of (i + delta) modulo the cluster's
 * size, which is a power of two. As a shuffle, it needs no extension. */
static spv_id lower_rotate(struct builtin_lowering *x)
{
    spv_id u32 = spv_type_int(x->module, 32), one = spv_const_u32(x->module, 1);
    spv_id self = lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id size = x->num_args > 3 ? x->args[3] : lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupSize, 0);
    spv_id mask = lower_op2(x, SpvOpISub, u32, size, one), outside = lower_op1(x, SpvOpNot, u32, mask);
    spv_id moved = lower_op2(x, SpvOpIAdd, u32, self, lower_resize(x, u32, x->args[2], true));
    spv_id index = lower_op2(x, SpvOpBitwiseOr, u32, lower_op2(x, SpvOpBitwiseAnd, u32, self, outside),
                             lower_op2(x, SpvOpBitwiseAnd, u32, moved, mask));
    return spv_emitv(&x->b, SpvOpGroupNonUniformShuffle, x->type, x->args[0], x->args[1], index);
}

spv_id lower_core_group(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    if (op == SpvOpGroupNonUniformRotateKHR)
        return lower_rotate(x);
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
