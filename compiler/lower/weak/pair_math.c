/* Arithmetic on pairs of words.
 *
 * Most 64-bit numbers of a kernel come from 32-bit ones: sizes, ids, indices. Their high halves are the constant 0, and
 * the functions here leave out what a 0 does not change, so that the sum of an address and a widened index is one
 * addition with carry and one without. */
#include "compiler/lower/weak/pairs.h"

static spv_id op1(struct pairs *p, SpvOp op, spv_id type, spv_id a)
{
    return spv_emitv(&p->b, op, type, a);
}

static spv_id op2(struct pairs *p, SpvOp op, spv_id type, spv_id a, spv_id b)
{
    return spv_emitv(&p->b, op, type, a, b);
}

spv_id pair_constant(struct pairs *p, spv_id half, uint32_t bits)
{
    return spv_const_splat(p->module, half, bits);
}

/* Whether a half is constant, and the same in all lanes. */
static bool constant(const struct pairs *p, spv_id id, uint32_t *value)
{
    const struct spv_inst *def = spv_def(p->module, id);
    uint64_t bits = 0, other;
    if (!def)
        return false;
    if (def->op == SpvOpConstantComposite) {
        for (uint32_t i = 0; i < def->num_words; i++) {
            if (!spv_const_value(p->module, def->words[i], &other) || (i && other != bits))
                return false;
            bits = other;
        }
    } else if (def->op != SpvOpConstantNull && !spv_const_value(p->module, id, &bits)) {
        return false;
    }
    *value = (uint32_t)bits;
    return true;
}

static bool is_constant(const struct pairs *p, spv_id id, uint32_t value)
{
    uint32_t found;
    return constant(p, id, &found) && found == value;
}

static bool is_zero(const struct pairs *p, spv_id id)
{
    return is_constant(p, id, 0);
}

/* ---- on halves ---- */

static spv_id half_add(struct pairs *p, spv_id half, spv_id a, spv_id b)
{
    return is_zero(p, a) ? b : is_zero(p, b) ? a : op2(p, SpvOpIAdd, half, a, b);
}

static spv_id half_subtract(struct pairs *p, spv_id half, spv_id a, spv_id b)
{
    return is_zero(p, b) ? a : op2(p, SpvOpISub, half, a, b);
}

static spv_id half_or(struct pairs *p, spv_id half, spv_id a, spv_id b)
{
    return is_zero(p, a) ? b : is_zero(p, b) ? a : op2(p, SpvOpBitwiseOr, half, a, b);
}

static spv_id half_shift(struct pairs *p, SpvOp op, spv_id half, spv_id value, uint32_t count)
{
    if (!count || is_zero(p, value))
        return value;
    return op2(p, op, half, value, pair_constant(p, half, count));
}

static spv_id half_bitwise(struct pairs *p, SpvOp op, spv_id half, spv_id a, spv_id b)
{
    bool zero_a = is_zero(p, a), zero_b = is_zero(p, b);
    if (op == SpvOpBitwiseAnd) {
        if (zero_a || is_constant(p, b, UINT32_MAX))
            return a;
        if (zero_b || is_constant(p, a, UINT32_MAX))
            return b;
    } else if (zero_a || zero_b) {
        return zero_a ? b : a;
    }
    return op2(p, op, half, a, b);
}

static spv_id half_select(struct pairs *p, spv_id half, spv_id condition, spv_id yes, spv_id no)
{
    return yes == no ? yes : spv_emitv(&p->b, SpvOpSelect, half, condition, yes, no);
}

/* ---- sums, differences, products ---- */

/* An operation that gives two halves: the low one, and a carry, borrow or high one. */
static struct pair twin(struct pairs *p, SpvOp op, spv_id half, spv_id a, spv_id b)
{
    spv_id both = op2(p, op, pair_twin_type(p, half), a, b);
    return (struct pair){spv_emitv(&p->b, SpvOpCompositeExtract, half, both, 0),
                         spv_emitv(&p->b, SpvOpCompositeExtract, half, both, 1)};
}

struct pair pair_add(struct pairs *p, spv_id half, struct pair a, struct pair b)
{
    spv_id high = half_add(p, half, a.high, b.high);
    if (is_zero(p, a.low) || is_zero(p, b.low))
        return (struct pair){half_add(p, half, a.low, b.low), high};
    struct pair sum = twin(p, SpvOpIAddCarry, half, a.low, b.low);
    return (struct pair){sum.low, half_add(p, half, high, sum.high)};
}

struct pair pair_subtract(struct pairs *p, spv_id half, struct pair a, struct pair b)
{
    spv_id high = half_subtract(p, half, a.high, b.high);
    if (is_zero(p, b.low))
        return (struct pair){a.low, high};
    struct pair difference = twin(p, SpvOpISubBorrow, half, a.low, b.low);
    return (struct pair){difference.low, half_subtract(p, half, high, difference.high)};
}

/* The number of 32 bits that the pair is the sign extension of; 0: none is known. */
static spv_id extended(const struct pairs *p, struct pair value)
{
    const struct spv_inst *high = spv_def(p->module, value.high);
    return high && high->op == SpvOpShiftRightArithmetic && high->words[0] == value.low &&
                   is_constant(p, high->words[1], 31)
               ? value.low
               : 0;
}

struct pair pair_multiply(struct pairs *p, spv_id half, struct pair a, struct pair b)
{
    spv_id signed_a = extended(p, a), signed_b = extended(p, b);
    if (signed_a && signed_b)
        return twin(p, SpvOpSMulExtended, half, signed_a, signed_b);
    if (is_zero(p, a.low) && is_zero(p, a.high))
        return a;
    if (is_zero(p, b.low) && is_zero(p, b.high))
        return b;
    struct pair product = twin(p, SpvOpUMulExtended, half, a.low, b.low);
    if (!is_zero(p, b.high))
        product.high = half_add(p, half, product.high, op2(p, SpvOpIMul, half, a.low, b.high));
    if (!is_zero(p, a.high))
        product.high = half_add(p, half, product.high, op2(p, SpvOpIMul, half, a.high, b.low));
    return product;
}

struct pair pair_bitwise(struct pairs *p, SpvOp op, spv_id half, struct pair a, struct pair b)
{
    if (op == SpvOpNot)
        return (struct pair){op1(p, op, half, a.low), op1(p, op, half, a.high)};
    return (struct pair){half_bitwise(p, op, half, a.low, b.low), half_bitwise(p, op, half, a.high, b.high)};
}

/* ---- shifts ---- */

static spv_id sign_of(struct pairs *p, spv_id half, spv_id high)
{
    return half_shift(p, SpvOpShiftRightArithmetic, half, high, 31);
}

static struct pair shift_by_constant(struct pairs *p, SpvOp op, spv_id half, struct pair value, uint32_t count)
{
    spv_id zero = pair_constant(p, half, 0);
    const SpvOp up = SpvOpShiftLeftLogical, down = SpvOpShiftRightLogical;
    if (!count)
        return value;
    if (op == SpvOpShiftLeftLogical) {
        if (count >= 32)
            return (struct pair){zero, half_shift(p, up, half, value.low, count - 32)};
        spv_id crossing = half_shift(p, down, half, value.low, 32 - count);
        return (struct pair){half_shift(p, up, half, value.low, count),
                             half_or(p, half, half_shift(p, up, half, value.high, count), crossing)};
    }
    spv_id fill = op == SpvOpShiftRightArithmetic && count >= 32 ? sign_of(p, half, value.high) : zero;
    if (count >= 32)
        return (struct pair){half_shift(p, op, half, value.high, count - 32), fill};
    spv_id crossing = half_shift(p, up, half, value.high, 32 - count);
    return (struct pair){half_or(p, half, half_shift(p, down, half, value.low, count), crossing),
                         half_shift(p, op, half, value.high, count)};
}

/* With m = count mod 32, the bits that cross from one half to the other are moved by 32 - m, in two steps, since a
 * shift by 32 is undefined: by 1, and by 31 - m, which is m ^ 31. A count from 32 on moves whole halves besides. */
struct pair pair_shift(struct pairs *p, SpvOp op, spv_id half, struct pair value, spv_id count)
{
    uint32_t known;
    if (constant(p, count, &known))
        return shift_by_constant(p, op, half, value, known & 63);
    spv_id zero = pair_constant(p, half, 0), last = pair_constant(p, half, 31);
    spv_id within = op2(p, SpvOpBitwiseAnd, half, count, last);
    spv_id rest = op2(p, SpvOpBitwiseXor, half, within, last);
    spv_id whole = op2(p, SpvOpBitwiseAnd, half, count, pair_constant(p, half, 32));
    spv_id far = op2(p, SpvOpINotEqual, pair_bool(p, half), whole, zero);
    bool left = op == SpvOpShiftLeftLogical;
    SpvOp back = left ? SpvOpShiftRightLogical : SpvOpShiftLeftLogical;
    spv_id near = left ? value.low : value.high, other = left ? value.high : value.low; /* near: the half that gives */
    spv_id moved = is_zero(p, near) ? near : op2(p, op, half, near, within);
    spv_id crossing = half_shift(p, back, half, near, 1);
    if (!is_zero(p, crossing))
        crossing = op2(p, back, half, crossing, rest);
    if (!is_zero(p, other))
        other = op2(p, left ? op : SpvOpShiftRightLogical, half, other, within);
    spv_id joined = half_or(p, half, other, crossing);
    spv_id fill = op == SpvOpShiftRightArithmetic ? sign_of(p, half, value.high) : zero;
    spv_id taker = half_select(p, half, far, moved, joined), giver = half_select(p, half, far, fill, moved);
    return left ? (struct pair){giver, taker} : (struct pair){taker, giver};
}

/* ---- comparisons ---- */

static spv_id equal(struct pairs *p, spv_id half, struct pair a, struct pair b)
{
    spv_id boolean = pair_bool(p, half), low = op2(p, SpvOpIEqual, boolean, a.low, b.low);
    if (a.high == b.high)
        return low;
    return op2(p, SpvOpLogicalAnd, boolean, low, op2(p, SpvOpIEqual, boolean, a.high, b.high));
}

/* a < b, as is_signed says: the high halves decide unless they are equal. */
static spv_id less(struct pairs *p, spv_id half, struct pair a, struct pair b, bool is_signed, bool or_equal)
{
    spv_id boolean = pair_bool(p, half);
    spv_id low = op2(p, or_equal ? SpvOpULessThanEqual : SpvOpULessThan, boolean, a.low, b.low);
    if (a.high == b.high)
        return low;
    spv_id high = op2(p, is_signed ? SpvOpSLessThan : SpvOpULessThan, boolean, a.high, b.high);
    spv_id same = op2(p, SpvOpIEqual, boolean, a.high, b.high);
    return spv_emitv(&p->b, SpvOpLogicalOr, boolean, high, op2(p, SpvOpLogicalAnd, boolean, same, low));
}

spv_id pair_compare(struct pairs *p, SpvOp op, spv_id half, struct pair a, struct pair b)
{
    enum spv_relation relation = spv_op_relation((uint16_t)op);
    bool is_signed = spv_op_is_signed((uint16_t)op);
    switch (relation) {
    case SPV_RELATION_EQUAL:
        return equal(p, half, a, b);
    case SPV_RELATION_UNEQUAL: {
        spv_id truth = pair_bool(p, half);
        return op1(p, SpvOpLogicalNot, truth, equal(p, half, a, b));
    }
    case SPV_RELATION_LESS:
    case SPV_RELATION_LESS_EQUAL:
        return less(p, half, a, b, is_signed, relation == SPV_RELATION_LESS_EQUAL);
    default:
        return less(p, half, b, a, is_signed, relation == SPV_RELATION_GREATER_EQUAL);
    }
}

struct pair pair_select(struct pairs *p, spv_id half, spv_id condition, struct pair yes, struct pair no)
{
    return (struct pair){half_select(p, half, condition, yes.low, no.low),
                         half_select(p, half, condition, yes.high, no.high)};
}

/* ---- GLSL.std.450 ---- */

static struct pair choose_less(struct pairs *p, spv_id half, struct pair a, struct pair b, bool is_signed, bool larger)
{
    spv_id first = less(p, half, a, b, is_signed, false);
    return larger ? pair_select(p, half, first, b, a) : pair_select(p, half, first, a, b);
}

static struct pair absolute(struct pairs *p, spv_id half, struct pair value)
{
    spv_id zero = pair_constant(p, half, 0);
    spv_id negative = op2(p, SpvOpSLessThan, pair_bool(p, half), value.high, zero);
    struct pair negated = pair_subtract(p, half, (struct pair){zero, zero}, value);
    return pair_select(p, half, negative, negated, value);
}

bool pair_glsl(struct pairs *p, spv_id half, uint32_t number, const struct pair *args, struct pair *result)
{
    switch (number) {
    case GLSLstd450SAbs:
        *result = absolute(p, half, args[0]);
        return true;
    case GLSLstd450UMin:
    case GLSLstd450SMin:
        *result = choose_less(p, half, args[0], args[1], number == GLSLstd450SMin, false);
        return true;
    case GLSLstd450UMax:
    case GLSLstd450SMax:
        *result = choose_less(p, half, args[0], args[1], number == GLSLstd450SMax, true);
        return true;
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
        *result = choose_less(p, half, args[0], args[1], number == GLSLstd450SClamp, true);
        *result = choose_less(p, half, *result, args[2], number == GLSLstd450SClamp, false);
        return true;
    default:
        return false;
    }
}
