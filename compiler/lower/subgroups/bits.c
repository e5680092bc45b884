/* Ballots as numbers. A ballot is a vector of four words in OpenCL and in Vulkan, whatever the sub-group's size; the
 * words that no work-item of the sub-group has a bit in are zero. */
#include "compiler/lower/subgroups/subgroups.h"

static spv_id u32_type(struct spv_builder *b)
{
    return spv_type_int(b->module, 32);
}

static spv_id number(struct spv_builder *b, uint32_t value)
{
    return spv_const_u32(b->module, value);
}

/* Macros, as spv_emitv() is: their arguments emit in turn. */
#define op2(b, op, left, right)           spv_emitv(b, op, u32_type(b), left, right)
#define compare(b, op, left, right)       spv_emitv(b, op, spv_type_bool((b)->module), left, right)
#define select_u32(b, condition, yes, no) spv_emitv(b, SpvOpSelect, u32_type(b), condition, yes, no)

static spv_id word(struct spv_builder *b, spv_id ballot, uint32_t i)
{
    return spv_emitv(b, SpvOpCompositeExtract, u32_type(b), ballot, i);
}

spv_id subgroup_ballot(struct spv_builder *b, const spv_id *words, uint32_t size)
{
    spv_id parts[4];
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = i < subgroup_words(size) ? words[i] : number(b, 0);
    return spv_emit(b, SpvOpCompositeConstruct, spv_type_vector(b->module, u32_type(b), 4), 4, parts);
}

/* The bits of word i that belong to work-items of the sub-group. */
static spv_id full_word(struct spv_builder *b, uint32_t size)
{
    return number(b, size >= 32 ? UINT32_MAX : (1u << size) - 1);
}

/* The bit of the work-item that is self, in word i. */
static spv_id own_bit(struct spv_builder *b, spv_id self, uint32_t i, uint32_t size)
{
    spv_id bit = op2(b, SpvOpShiftLeftLogical, number(b, 1), op2(b, SpvOpBitwiseAnd, self, number(b, 31)));
    if (size <= 32)
        return bit;
    spv_id here = compare(b, SpvOpIEqual, op2(b, SpvOpShiftRightLogical, self, number(b, 5)), number(b, i));
    return select_u32(b, here, bit, number(b, 0));
}

/* The bits before it. */
static spv_id bits_before(struct spv_builder *b, spv_id self, uint32_t i, uint32_t size)
{
    spv_id bit = op2(b, SpvOpShiftLeftLogical, number(b, 1), op2(b, SpvOpBitwiseAnd, self, number(b, 31)));
    spv_id before = op2(b, SpvOpISub, bit, number(b, 1));
    if (size <= 32)
        return before;
    spv_id at = op2(b, SpvOpShiftRightLogical, self, number(b, 5));
    spv_id later = select_u32(b, compare(b, SpvOpUGreaterThan, at, number(b, i)), number(b, UINT32_MAX), number(b, 0));
    return select_u32(b, compare(b, SpvOpIEqual, at, number(b, i)), before, later);
}

static spv_id mask_word(struct spv_builder *b, SpvBuiltIn which, spv_id self, uint32_t i, uint32_t size)
{
    spv_id before = bits_before(b, self, i, size), own = own_bit(b, self, i, size);
    spv_id up_to = op2(b, SpvOpBitwiseOr, before, own);
    switch (which) {
    case SpvBuiltInSubgroupEqMask:
        return own;
    case SpvBuiltInSubgroupLtMask:
        return before;
    case SpvBuiltInSubgroupLeMask:
        return up_to;
    default:
        before = which == SpvBuiltInSubgroupGeMask ? before : up_to;
        return op2(b, SpvOpBitwiseAnd, spv_emitv(b, SpvOpNot, u32_type(b), before), full_word(b, size));
    }
}

spv_id subgroup_mask(struct spv_builder *b, SpvBuiltIn which, spv_id self, uint32_t size)
{
    spv_id words[4];
    for (uint32_t i = 0; i < subgroup_words(size); i++)
        words[i] = mask_word(b, which, self, i, size);
    return subgroup_ballot(b, words, size);
}

spv_id subgroup_bit(struct spv_builder *b, spv_id ballot, spv_id index, uint32_t size)
{
    spv_id bits = word(b, ballot, 0);
    for (uint32_t i = 1; i < subgroup_words(size); i++) {
        spv_id here = compare(b, SpvOpIEqual, op2(b, SpvOpShiftRightLogical, index, number(b, 5)), number(b, i));
        bits = select_u32(b, here, word(b, ballot, i), bits);
    }
    bits = op2(b, SpvOpShiftRightLogical, bits, op2(b, SpvOpBitwiseAnd, index, number(b, 31)));
    return compare(b, SpvOpINotEqual, op2(b, SpvOpBitwiseAnd, bits, number(b, 1)), number(b, 0));
}

spv_id subgroup_count(struct spv_builder *b, spv_id ballot, uint32_t operation, spv_id self, uint32_t size)
{
    spv_id sum = 0;
    for (uint32_t i = 0; i < subgroup_words(size); i++) {
        spv_id mask = operation == SpvGroupOperationInclusiveScan
                          ? mask_word(b, SpvBuiltInSubgroupLeMask, self, i, size)
                      : operation == SpvGroupOperationExclusiveScan ? bits_before(b, self, i, size)
                                                                    : full_word(b, size);
        spv_id bits = op2(b, SpvOpBitwiseAnd, word(b, ballot, i), mask);
        spv_id count = spv_emitv(b, SpvOpBitCount, u32_type(b), bits);
        sum = sum ? op2(b, SpvOpIAdd, sum, count) : count;
    }
    return sum;
}

spv_id subgroup_find(struct spv_builder *b, spv_id ballot, bool last, uint32_t size)
{
    spv_id glsl = spv_import_ext_inst(b->module, "GLSL.std.450"), found = 0;
    uint32_t words = subgroup_words(size);
    for (uint32_t n = 0; n < words; n++) {
        uint32_t i = last ? n : words - 1 - n;
        spv_id bits = op2(b, SpvOpBitwiseAnd, word(b, ballot, i), full_word(b, size));
        spv_id at = spv_emit_ext(b, u32_type(b), glsl, last ? GLSLstd450FindUMsb : GLSLstd450FindILsb, 1, &bits);
        if (i)
            at = op2(b, SpvOpIAdd, at, number(b, 32 * i));
        found = found ? select_u32(b, compare(b, SpvOpINotEqual, bits, number(b, 0)), at, found) : at;
    }
    return found;
}

spv_id subgroup_any(struct spv_builder *b, spv_id ballot, uint32_t size)
{
    spv_id bits = word(b, ballot, 0);
    for (uint32_t i = 1; i < subgroup_words(size); i++)
        bits = op2(b, SpvOpBitwiseOr, bits, word(b, ballot, i));
    return compare(b, SpvOpINotEqual, bits, number(b, 0));
}

spv_id subgroup_equal(struct spv_builder *b, spv_id first, spv_id second)
{
    struct spv_module *module = b->module;
    spv_id type = spv_value_type(module, first), truth = spv_type_bool(module);
    SpvOp op = spv_type_is_bool(module, type)    ? SpvOpLogicalEqual
               : spv_type_is_float(module, type) ? SpvOpFOrdEqual
                                                 : SpvOpIEqual;
    uint32_t lanes = spv_type_count(module, type);
    spv_id equal = spv_emitv(b, op, spv_type_vector(module, truth, lanes), first, second);
    return lanes > 1 ? spv_emitv(b, SpvOpAll, truth, equal) : equal;
}
