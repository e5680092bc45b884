/* Collectives by their instructions: one table for the work-groups' (builtins/group.c) and for sub-groups of other sizes
 * than the device's (subgroups/). */
#include "compiler/lower/values/collective.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

static const struct collective collectives[] = {
    {SpvOpGroupIAdd, SpvOpGroupNonUniformIAdd, SpvOpIAdd, 0, 0, 0},
    {SpvOpGroupFAdd, SpvOpGroupNonUniformFAdd, SpvOpFAdd, 0, 0, -0.0},
    {SpvOpGroupIMulKHR, SpvOpGroupNonUniformIMul, SpvOpIMul, 0, 1, 0},
    {SpvOpGroupFMulKHR, SpvOpGroupNonUniformFMul, SpvOpFMul, 0, 0, 1},
    {SpvOpGroupFMin, SpvOpGroupNonUniformFMin, 0, SpvOpFOrdLessThan, 0, INFINITY},
    {SpvOpGroupUMin, SpvOpGroupNonUniformUMin, 0, SpvOpULessThan, ~0ull, 0},
    {SpvOpGroupSMin, SpvOpGroupNonUniformSMin, 0, SpvOpSLessThan, 0, 0},
    {SpvOpGroupFMax, SpvOpGroupNonUniformFMax, 0, SpvOpFOrdGreaterThan, 0, -INFINITY},
    {SpvOpGroupUMax, SpvOpGroupNonUniformUMax, 0, SpvOpUGreaterThan, 0, 0},
    {SpvOpGroupSMax, SpvOpGroupNonUniformSMax, 0, SpvOpSGreaterThan, 0, 0},
    {SpvOpGroupBitwiseAndKHR, SpvOpGroupNonUniformBitwiseAnd, SpvOpBitwiseAnd, 0, ~0ull, 0},
    {SpvOpGroupBitwiseOrKHR, SpvOpGroupNonUniformBitwiseOr, SpvOpBitwiseOr, 0, 0, 0},
    {SpvOpGroupBitwiseXorKHR, SpvOpGroupNonUniformBitwiseXor, SpvOpBitwiseXor, 0, 0, 0},
    {SpvOpGroupLogicalAndKHR, SpvOpGroupNonUniformLogicalAnd, SpvOpLogicalAnd, 0, 1, 0},
    {SpvOpGroupLogicalOrKHR, SpvOpGroupNonUniformLogicalOr, SpvOpLogicalOr, 0, 0, 0},
    {SpvOpGroupLogicalXorKHR, SpvOpGroupNonUniformLogicalXor, SpvOpLogicalNotEqual, 0, 0, 0},
    {SpvOpGroupAll, SpvOpGroupNonUniformAll, SpvOpLogicalAnd, 0, 1, 0},
    {SpvOpGroupAny, SpvOpGroupNonUniformAny, SpvOpLogicalOr, 0, 0, 0},
};

const struct collective *lower_collective_of(uint16_t op)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(collectives); i++) {
        if (collectives[i].group == op || collectives[i].non_uniform == op)
            return &collectives[i];
    }
    return NULL;
}

spv_id lower_collective_identity(struct spv_module *module, const struct collective *how, spv_id type)
{
    uint64_t bits = how->identity;
    if (spv_type_is_bool(module, type))
        return spv_const_bool(module, how->identity);
    uint32_t width = spv_type_width(module, type);
    if (spv_type_is_float(module, type))
        return spv_const_splat(module, type, float_to_bits(how->float_identity, width));
    if (how->compare == SpvOpSLessThan || how->compare == SpvOpSGreaterThan)
        bits = how->compare == SpvOpSLessThan ? (1ull << (width - 1)) - 1 : 1ull << (width - 1);
    return spv_const_splat(module, type, width < 64 ? bits & ((1ull << width) - 1) : bits);
}

spv_id lower_combine(struct spv_builder *b, const struct collective *how, spv_id type, spv_id first, spv_id second)
{
    if (how->combine)
        return spv_emitv(b, (SpvOp)how->combine, type, first, second);
    spv_id truth = spv_type_vector(b->module, spv_type_bool(b->module), spv_type_count(b->module, type));
    spv_id better = spv_emitv(b, (SpvOp)how->compare, truth, second, first);
    return spv_emitv(b, SpvOpSelect, type, better, second, first);
}

spv_id lower_scan(struct spv_builder *b, const struct collective *how, uint32_t operation, spv_id value, spv_id self,
                  uint32_t size)
{
    struct spv_module *module = b->module;
    spv_id type = spv_value_type(module, value), truth = spv_type_bool(module), sum = value;
    spv_id scope = spv_const_u32(module, SpvScopeSubgroup), one = spv_const_u32(module, 1);
    for (uint32_t step = 1; step < size; step *= 2) {
        spv_id distance = spv_const_u32(module, step);
        spv_id before = spv_emitv(b, SpvOpGroupNonUniformShuffleUp, type, scope, sum, distance);
        spv_id exists = spv_emitv(b, SpvOpUGreaterThanEqual, truth, self, distance);
        sum = spv_emitv(b, SpvOpSelect, type, exists, lower_combine(b, how, type, before, sum), sum);
    }
    if (operation == SpvGroupOperationInclusiveScan)
        return sum;
    spv_id before = spv_emitv(b, SpvOpGroupNonUniformShuffleUp, type, scope, sum, one);
    spv_id exists = spv_emitv(b, SpvOpUGreaterThanEqual, truth, self, one);
    return spv_emitv(b, SpvOpSelect, type, exists, before, lower_collective_identity(module, how, type));
}
