/* Lowering of SPV_INTEL_subgroups (cl_intel_subgroups and its extensions to other types,
 * cl_intel_subgroup_local_block_io) and of SPV_INTEL_split_barrier.
 *
 * Shuffles are Vulkan's, component by component. Those that move values up and down look into two values, as if these
 * lay one behind the other. A block is as many elements as the sub-group has work-items, one for each; a vector's
 * components come from blocks that follow each other. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/launch.h"

enum { MAX_LANES = 16 };

static spv_id u32_type(struct builtin_lowering *x)
{
    return spv_type_int(x->module, 32);
}

static spv_id wrong_operands(struct builtin_lowering *x)
{
    lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op));
    return 0;
}

static spv_id local_id(struct builtin_lowering *x)
{
    return lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupLocalInvocationId, 0);
}

static spv_id max_size(struct builtin_lowering *x)
{
    return lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupMaxSize, 0);
}

/* ---- shuffles ---- */

static bool is_index(const struct builtin_lowering *x, uint32_t arg)
{
    spv_id type = spv_value_type(x->module, x->args[arg]);
    return spv_type_op(x->module, type) == SpvOpTypeInt && spv_type_width(x->module, type) == 32;
}

static spv_id shuffle(struct builtin_lowering *x, SpvOp op, spv_id value, spv_id index)
{
    spv_id parts[MAX_LANES], component = spv_type_component(x->module, x->type);
    spv_id scope = spv_const_u32(x->module, SpvScopeSubgroup);
    for (uint32_t i = 0; i < x->lanes; i++)
        parts[i] = spv_emitv(&x->b, op, component, scope, lower_lane(x, value, i), index);
    return lower_gather(x, component, x->lanes, parts);
}

/* Down: item i gets what item i + delta has of the first value, and beyond the last item what items have of the second.
 * Up: item i - delta of the second value, and before the first item what the last items have of the first. Both times
 * i is the place in a row of two sub-groups' values, from whose middle or start it is counted. */
static spv_id shuffle_two(struct builtin_lowering *x, bool up)
{
    spv_id u32 = u32_type(x), size = max_size(x), self = local_id(x);
    spv_id start = up ? lower_op2(x, SpvOpIAdd, u32, self, size) : self;
    spv_id place = lower_op2(x, up ? SpvOpISub : SpvOpIAdd, u32, start, x->args[2]);
    spv_id in_first = lower_op2(x, SpvOpULessThan, spv_type_bool(x->module), place, size);
    spv_id rest = lower_op2(x, SpvOpISub, u32, place, size);
    spv_id index = lower_op3(x, SpvOpSelect, u32, in_first, place, rest);
    spv_id first = shuffle(x, SpvOpGroupNonUniformShuffle, x->args[0], index);
    spv_id second = shuffle(x, SpvOpGroupNonUniformShuffle, x->args[1], index);
    spv_id conditions[MAX_LANES];
    for (uint32_t i = 0; i < x->lanes; i++)
        conditions[i] = in_first;
    spv_id condition = lower_gather(x, spv_type_bool(x->module), x->lanes, conditions);
    return lower_op3(x, SpvOpSelect, x->type, condition, first, second);
}

static spv_id lower_shuffle(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    bool two = op == SpvOpSubgroupShuffleUpINTEL || op == SpvOpSubgroupShuffleDownINTEL;
    if (x->num_args != (two ? 3 : 2) || !is_index(x, x->num_args - 1) || !x->width || x->lanes > MAX_LANES)
        return wrong_operands(x);
    for (uint32_t i = 0; i + 1 < x->num_args; i++) {
        if (spv_value_type(x->module, x->args[i]) != x->type)
            return wrong_operands(x);
    }
    if (two)
        return shuffle_two(x, op == SpvOpSubgroupShuffleUpINTEL);
    return shuffle(x, op == SpvOpSubgroupShuffleXorINTEL ? SpvOpGroupNonUniformShuffleXor : SpvOpGroupNonUniformShuffle,
                   x->args[0], x->args[1]);
}

/* ---- blocks of buffers and of local memory ---- */

/* Where the component lies: pointer + its block + the work-item's place in it. */
static spv_id element(struct builtin_lowering *x, spv_id pointer, uint32_t block)
{
    spv_id u32 = u32_type(x), index = local_id(x);
    if (block) {
        spv_id start = lower_op2(x, SpvOpIMul, u32, max_size(x), spv_const_u32(x->module, block));
        index = lower_op2(x, SpvOpIAdd, u32, index, start);
    }
    index = lower_op1(x, SpvOpUConvert, spv_type_int(x->module, 64), index);
    return lower_op2(x, SpvOpPtrAccessChain, spv_value_type(x->module, pointer), pointer, index);
}

static spv_id lower_block(struct builtin_lowering *x)
{
    bool write = x->inst->op == SpvOpSubgroupBlockWriteINTEL;
    spv_id parts[MAX_LANES];
    if (x->num_args < (write ? 2u : 1u))
        return wrong_operands(x);
    spv_id pointer = x->args[0], type = write ? spv_value_type(x->module, x->args[1]) : x->type;
    spv_id pointer_type = spv_value_type(x->module, pointer);
    if (!spv_type_is_pointer(x->module, pointer_type) ||
        !(spv_type_is_int(x->module, type) || spv_type_is_float(x->module, type)))
        return wrong_operands(x);
    spv_id component = spv_type_component(x->module, type);
    uint32_t lanes = spv_type_count(x->module, type), align = spv_type_width(x->module, type) / 8;
    if (lanes > MAX_LANES || spv_pointer_pointee(x->module, pointer_type) != component)
        return wrong_operands(x);
    for (uint32_t i = 0; i < lanes; i++) {
        spv_id at = element(x, pointer, i);
        if (write)
            spv_emitv_void(&x->b, SpvOpStore, at, lower_lane(x, x->args[1], i), SpvMemoryAccessAlignedMask, align);
        else
            parts[i] = spv_emitv(&x->b, SpvOpLoad, component, at, SpvMemoryAccessAlignedMask, align);
    }
    return write ? pointer : lower_gather(x, component, lanes, parts);
}

/* ---- split barriers ---- */

/* Nobody waits at the arrival. At the wait there is a whole barrier: everybody has arrived, and what was done before is
 * ordered before what comes now. */
static spv_id lower_split_barrier(struct builtin_lowering *x)
{
    const uint32_t orders = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
                            SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask;
    uint64_t execution, semantics;
    if (x->num_args != 3 || !spv_const_value(x->module, x->args[0], &execution) || execution != SpvScopeWorkgroup ||
        !spv_const_value(x->module, x->args[2], &semantics))
        return wrong_operands(x);
    if (x->inst->op == SpvOpControlBarrierWaitINTEL) {
        uint32_t memory = (uint32_t)semantics & ~orders;
        uint32_t order = memory ? memory | SpvMemorySemanticsAcquireReleaseMask : 0;
        spv_emitv_void(&x->b, SpvOpControlBarrier, x->args[0], x->args[1], spv_const_u32(x->module, order));
    }
    return x->args[0];
}

spv_id lower_core_intel(struct builtin_lowering *x)
{
    switch (spv_op_class(x->inst->op)) {
    case SPV_CLASS_INTEL_BLOCK:
        return lower_block(x);
    case SPV_CLASS_SPLIT_BARRIER:
        return lower_split_barrier(x);
    default:
        return lower_shuffle(x);
    }
}
