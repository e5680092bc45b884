/* Lowering of integer functions (OpenCL C 3.0, 6.15.3) and of integer instructions that Vulkan leaves undefined where
 * OpenCL does not: shifts by the width or more (6.3.10: the count is taken modulo the width), and signed remainders.
 * All work on whole vectors. Wide products are made of 32-bit halves; 8- and 16-bit products are computed in 32 bits.
 */
#include "compiler/lower/builtins/builtins.h"

/* ---- helpers ---- */

/* Macros, as spv_emitv() is: their arguments emit in turn. */
#define op(x, code, left, right)      lower_op2(x, code, (x)->type, left, right)
#define compare(x, code, left, right) lower_op2(x, code, lower_bool_type(x, (x)->lanes), left, right)
#define choose(x, condition, yes, no) lower_op3(x, SpvOpSelect, (x)->type, condition, yes, no)

static spv_id bits(struct builtin_lowering *x, uint64_t value)
{
    return lower_constant(x, x->type, value);
}

static uint64_t max_unsigned(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static spv_id is_negative(struct builtin_lowering *x, spv_id value)
{
    return compare(x, SpvOpSLessThan, value, bits(x, 0));
}

/* The saturated value on the side of a negative or positive overflow: MAX + (value < 0). */
static spv_id signed_limit(struct builtin_lowering *x, spv_id value)
{
    spv_id sign = op(x, SpvOpShiftRightArithmetic, value, bits(x, x->width - 1));
    return op(x, SpvOpBitwiseXor, sign, bits(x, max_unsigned(x->width) >> 1));
}

static bool number_is(const struct builtin_lowering *x, uint16_t number)
{
    return x->number == number;
}

/* ---- absolute values, saturation, averages ---- */

spv_id lower_fn_abs(struct builtin_lowering *x)
{
    if (number_is(x, OpenCLstd_UAbs))
        return x->args[0];
    spv_id negated = lower_op1(x, SpvOpSNegate, x->type, x->args[0]);
    return choose(x, is_negative(x, x->args[0]), negated, x->args[0]);
}

spv_id lower_fn_abs_diff(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1];
    SpvOp less = number_is(x, OpenCLstd_UAbs_diff) ? SpvOpULessThan : SpvOpSLessThan;
    spv_id forward = op(x, SpvOpISub, a, b), backward = op(x, SpvOpISub, b, a);
    return choose(x, compare(x, less, a, b), backward, forward);
}

spv_id lower_fn_add_sat(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1], sum = op(x, SpvOpIAdd, a, b);
    if (number_is(x, OpenCLstd_UAdd_sat))
        return choose(x, compare(x, SpvOpULessThan, sum, a), bits(x, UINT64_MAX), sum);
    /* It overflowed if both operands have the sign that the sum does not have. */
    spv_id both = op(x, SpvOpBitwiseAnd, op(x, SpvOpBitwiseXor, sum, a), op(x, SpvOpBitwiseXor, sum, b));
    return choose(x, is_negative(x, both), signed_limit(x, a), sum);
}

spv_id lower_fn_sub_sat(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1], difference = op(x, SpvOpISub, a, b);
    if (number_is(x, OpenCLstd_USub_sat))
        return choose(x, compare(x, SpvOpULessThan, a, b), bits(x, 0), difference);
    spv_id both = op(x, SpvOpBitwiseAnd, op(x, SpvOpBitwiseXor, a, b), op(x, SpvOpBitwiseXor, a, difference));
    return choose(x, is_negative(x, both), signed_limit(x, a), difference);
}

/* x + y = 2 (x & y) + (x ^ y) = 2 (x | y) - (x ^ y) */
static spv_id half_difference(struct builtin_lowering *x, bool is_signed)
{
    spv_id differ = op(x, SpvOpBitwiseXor, x->args[0], x->args[1]);
    return op(x, is_signed ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical, differ, bits(x, 1));
}

spv_id lower_fn_hadd(struct builtin_lowering *x)
{
    spv_id common = op(x, SpvOpBitwiseAnd, x->args[0], x->args[1]);
    return op(x, SpvOpIAdd, common, half_difference(x, number_is(x, OpenCLstd_SHadd)));
}

spv_id lower_fn_rhadd(struct builtin_lowering *x)
{
    spv_id either = op(x, SpvOpBitwiseOr, x->args[0], x->args[1]);
    return op(x, SpvOpISub, either, half_difference(x, number_is(x, OpenCLstd_SRhadd)));
}

spv_id lower_fn_max(struct builtin_lowering *x)
{
    return lower_glsl2(x, x->type, number_is(x, OpenCLstd_SMax) ? GLSLstd450SMax : GLSLstd450UMax, x->args[0],
                       x->args[1]);
}

spv_id lower_fn_min(struct builtin_lowering *x)
{
    return lower_glsl2(x, x->type, number_is(x, OpenCLstd_SMin) ? GLSLstd450SMin : GLSLstd450UMin, x->args[0],
                       x->args[1]);
}

spv_id lower_fn_clamp(struct builtin_lowering *x)
{
    bool is_signed = number_is(x, OpenCLstd_SClamp);
    spv_id least = lower_glsl2(x, x->type, is_signed ? GLSLstd450SMax : GLSLstd450UMax, x->args[0], x->args[1]);
    return lower_glsl2(x, x->type, is_signed ? GLSLstd450SMin : GLSLstd450UMin, least, x->args[2]);
}

/* ---- counting bits: GLSL.std.450 and OpBitCount know 32 bits only ---- */

struct halves {
    spv_id type; /* u32 in each lane */
    spv_id low, high;
};

static struct halves split(struct builtin_lowering *x, spv_id value)
{
    struct halves h = {.type = lower_int_like(x, x->type, 32)};
    h.low = lower_op1(x, SpvOpUConvert, h.type, value);
    spv_id shifted = op(x, SpvOpShiftRightLogical, value, bits(x, 32));
    h.high = lower_op1(x, SpvOpUConvert, h.type, shifted);
    return h;
}

static spv_id clz32(struct builtin_lowering *x, spv_id type, spv_id value)
{
    /* FindUMsb(0) is -1 */
    spv_id msb = lower_glsl1(x, type, GLSLstd450FindUMsb, value);
    return lower_op2(x, SpvOpISub, type, lower_constant(x, type, 31), msb);
}

static spv_id ctz32(struct builtin_lowering *x, spv_id type, spv_id value)
{
    spv_id lsb = lower_glsl1(x, type, GLSLstd450FindILsb, value);
    spv_id zero = lower_op2(x, SpvOpIEqual, lower_bool_type(x, x->lanes), value, lower_constant(x, type, 0));
    return lower_op3(x, SpvOpSelect, type, zero, lower_constant(x, type, 32), lsb);
}

/* first(a) unless a is 0, else 32 + first(b) */
static spv_id count_halves(struct builtin_lowering *x, struct halves h, spv_id a, spv_id b,
                           spv_id (*first)(struct builtin_lowering *, spv_id, spv_id))
{
    spv_id zero = lower_op2(x, SpvOpIEqual, lower_bool_type(x, x->lanes), a, lower_constant(x, h.type, 0));
    spv_id far = lower_op2(x, SpvOpIAdd, h.type, first(x, h.type, b), lower_constant(x, h.type, 32));
    spv_id count = lower_op3(x, SpvOpSelect, h.type, zero, far, first(x, h.type, a));
    return lower_op1(x, SpvOpUConvert, x->type, count);
}

spv_id lower_fn_clz(struct builtin_lowering *x)
{
    spv_id value = x->args[0];
    if (x->width == 32)
        return clz32(x, x->type, value);
    if (x->width == 64) {
        struct halves h = split(x, value);
        return count_halves(x, h, h.high, h.low, clz32);
    }
    spv_id u32 = lower_int_like(x, x->type, 32);
    spv_id count = clz32(x, u32, lower_op1(x, SpvOpUConvert, u32, value));
    count = lower_op2(x, SpvOpISub, u32, count, lower_constant(x, u32, 32 - x->width));
    return lower_op1(x, SpvOpUConvert, x->type, count);
}

spv_id lower_fn_ctz(struct builtin_lowering *x)
{
    spv_id value = x->args[0];
    if (x->width == 32)
        return ctz32(x, x->type, value);
    if (x->width == 64) {
        struct halves h = split(x, value);
        return count_halves(x, h, h.low, h.high, ctz32);
    }
    /* a bit above the top one stands for "none" */
    spv_id u32 = lower_int_like(x, x->type, 32);
    spv_id wide = lower_op1(x, SpvOpUConvert, u32, value);
    wide = lower_op2(x, SpvOpBitwiseOr, u32, wide, lower_constant(x, u32, (uint64_t)1 << x->width));
    return lower_op1(x, SpvOpUConvert, x->type, lower_glsl1(x, u32, GLSLstd450FindILsb, wide));
}

spv_id lower_fn_popcount(struct builtin_lowering *x)
{
    spv_id value = x->args[0], u32 = lower_int_like(x, x->type, 32);
    if (x->width == 64) {
        struct halves h = split(x, value);
        spv_id low = lower_op1(x, SpvOpBitCount, u32, h.low), high = lower_op1(x, SpvOpBitCount, u32, h.high);
        return lower_op1(x, SpvOpUConvert, x->type, lower_op2(x, SpvOpIAdd, u32, low, high));
    }
    spv_id count = lower_op1(x, SpvOpBitCount, u32, lower_resize(x, u32, value, false));
    return lower_resize(x, x->type, count, false);
}

/* OpenCL C 3.0, 6.15.3: "subject to the usual shift modulo rules" */
spv_id lower_fn_rotate(struct builtin_lowering *x)
{
    spv_id mask = bits(x, x->width - 1);
    spv_id left = op(x, SpvOpBitwiseAnd, x->args[1], mask);
    spv_id right = op(x, SpvOpBitwiseAnd, lower_op1(x, SpvOpSNegate, x->type, x->args[1]), mask);
    spv_id up = op(x, SpvOpShiftLeftLogical, x->args[0], left);
    return op(x, SpvOpBitwiseOr, up, op(x, SpvOpShiftRightLogical, x->args[0], right));
}

spv_id lower_fn_upsample(struct builtin_lowering *x)
{
    /* the high part's sign disappears in the shift */
    spv_id high = lower_op1(x, SpvOpUConvert, x->type, x->args[0]);
    spv_id low = lower_op1(x, SpvOpUConvert, x->type, x->args[1]);
    return op(x, SpvOpBitwiseOr, op(x, SpvOpShiftLeftLogical, high, bits(x, x->width / 2)), low);
}

/* ---- products ---- */

/* The high half of a 64-bit unsigned product, of four 32-bit ones. */
static spv_id unsigned_high64(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id mask = bits(x, UINT32_MAX), half = bits(x, 32);
    spv_id al = op(x, SpvOpBitwiseAnd, a, mask), ah = op(x, SpvOpShiftRightLogical, a, half);
    spv_id bl = op(x, SpvOpBitwiseAnd, b, mask), bh = op(x, SpvOpShiftRightLogical, b, half);
    spv_id low = op(x, SpvOpIMul, al, bl), high = op(x, SpvOpIMul, ah, bh);
    spv_id cross1 = op(x, SpvOpIMul, al, bh), cross2 = op(x, SpvOpIMul, ah, bl);
    spv_id middle = op(x, SpvOpShiftRightLogical, low, half);
    middle = op(x, SpvOpIAdd, middle, op(x, SpvOpBitwiseAnd, cross1, mask));
    middle = op(x, SpvOpIAdd, middle, op(x, SpvOpBitwiseAnd, cross2, mask));
    high = op(x, SpvOpIAdd, high, op(x, SpvOpShiftRightLogical, cross1, half));
    high = op(x, SpvOpIAdd, high, op(x, SpvOpShiftRightLogical, cross2, half));
    return op(x, SpvOpIAdd, high, op(x, SpvOpShiftRightLogical, middle, half));
}

static spv_id high64(struct builtin_lowering *x, spv_id a, spv_id b, bool is_signed)
{
    spv_id high = unsigned_high64(x, a, b), zero = bits(x, 0);
    if (!is_signed)
        return high;
    high = op(x, SpvOpISub, high, choose(x, is_negative(x, a), b, zero));
    return op(x, SpvOpISub, high, choose(x, is_negative(x, b), a, zero));
}

static spv_id widen(struct builtin_lowering *x, spv_id type, spv_id value, bool is_signed)
{
    return lower_op1(x, is_signed ? SpvOpSConvert : SpvOpUConvert, type, value);
}

static spv_id high_product(struct builtin_lowering *x, spv_id a, spv_id b, bool is_signed)
{
    if (x->width == 64)
        return high64(x, a, b, is_signed);
    uint32_t wide_width = x->width == 32 ? 64 : 32;
    spv_id wide = lower_int_like(x, x->type, wide_width);
    spv_id product = lower_op2(x, SpvOpIMul, wide, widen(x, wide, a, is_signed), widen(x, wide, b, is_signed));
    product = lower_op2(x, SpvOpShiftRightLogical, wide, product, lower_constant(x, wide, x->width));
    return lower_op1(x, SpvOpUConvert, x->type, product);
}

spv_id lower_fn_mul_hi(struct builtin_lowering *x)
{
    return high_product(x, x->args[0], x->args[1], number_is(x, OpenCLstd_SMul_hi));
}

spv_id lower_fn_mad_hi(struct builtin_lowering *x)
{
    spv_id high = high_product(x, x->args[0], x->args[1], number_is(x, OpenCLstd_SMad_hi));
    return op(x, SpvOpIAdd, high, x->args[2]);
}

/* OpenCL C 3.0, 6.15.3: for operands beyond 24 bits the result is implementation-defined. The full product is allowed,
 * and is the fastest. */
spv_id lower_fn_mul24(struct builtin_lowering *x)
{
    return op(x, SpvOpIMul, x->args[0], x->args[1]);
}

spv_id lower_fn_mad24(struct builtin_lowering *x)
{
    return op(x, SpvOpIAdd, op(x, SpvOpIMul, x->args[0], x->args[1]), x->args[2]);
}

/* For 8, 16 and 32 bits, a * b + c fits in twice the width, and is clamped there. */
static spv_id mad_sat_narrow(struct builtin_lowering *x, bool is_signed)
{
    uint32_t wide_width = x->width == 32 ? 64 : 32;
    spv_id wide = lower_int_like(x, x->type, wide_width), a[3];
    for (uint32_t i = 0; i < 3; i++)
        a[i] = widen(x, wide, x->args[i], is_signed);
    spv_id sum = lower_op2(x, SpvOpIAdd, wide, lower_op2(x, SpvOpIMul, wide, a[0], a[1]), a[2]);
    uint64_t most = max_unsigned(x->width) >> is_signed;
    if (is_signed) {
        sum = lower_glsl2(x, wide, GLSLstd450SMin, sum, lower_constant(x, wide, most));
        sum = lower_glsl2(x, wide, GLSLstd450SMax, sum, lower_constant(x, wide, ~most));
    } else {
        sum = lower_glsl2(x, wide, GLSLstd450UMin, sum, lower_constant(x, wide, most));
    }
    return lower_op1(x, SpvOpUConvert, x->type, sum);
}

/* For 64 bits, the 128-bit sum is (high, low). A signed one fits if high only repeats the sign of low. */
static spv_id mad_sat_wide(struct builtin_lowering *x, bool is_signed)
{
    spv_id c = x->args[2], low = op(x, SpvOpIMul, x->args[0], x->args[1]);
    spv_id high = high64(x, x->args[0], x->args[1], is_signed), sum = op(x, SpvOpIAdd, low, c);
    spv_id carry = choose(x, compare(x, SpvOpULessThan, sum, low), bits(x, 1), bits(x, 0));
    high = op(x, SpvOpIAdd, high, carry);
    if (!is_signed)
        return choose(x, compare(x, SpvOpINotEqual, high, bits(x, 0)), bits(x, UINT64_MAX), sum);
    high = op(x, SpvOpIAdd, high, op(x, SpvOpShiftRightArithmetic, c, bits(x, 63)));
    spv_id sign = op(x, SpvOpShiftRightArithmetic, sum, bits(x, 63));
    return choose(x, compare(x, SpvOpINotEqual, high, sign), signed_limit(x, high), sum);
}

spv_id lower_fn_mad_sat(struct builtin_lowering *x)
{
    bool is_signed = number_is(x, OpenCLstd_SMad_sat);
    return x->width == 64 ? mad_sat_wide(x, is_signed) : mad_sat_narrow(x, is_signed);
}

/* ---- core instructions ---- */

/* Whether a count is known to be below the width, because it is constant or masked. */
static bool count_in_range(const struct builtin_lowering *x, spv_id count)
{
    const struct spv_inst *def = spv_def(x->module, count);
    uint64_t value;
    if (spv_const_value(x->module, count, &value))
        return value < x->width;
    if (!def)
        return false;
    if (def->op == SpvOpConstantNull)
        return true;
    if (def->op == SpvOpConstantComposite) {
        for (uint32_t i = 0; i < def->num_words; i++) {
            if (!spv_const_value(x->module, def->words[i], &value) || value >= x->width)
                return false;
        }
        return true;
    }
    return def->op == SpvOpBitwiseAnd && (count_in_range(x, def->words[0]) || count_in_range(x, def->words[1]));
}

static spv_id lower_shift(struct builtin_lowering *x)
{
    spv_id count = x->args[1], type = spv_value_type(x->module, count);
    if (count_in_range(x, count))
        return x->inst->id;
    spv_id masked = lower_op2(x, SpvOpBitwiseAnd, type, count, lower_constant(x, type, x->width - 1));
    return op(x, (SpvOp)x->inst->op, x->args[0], masked);
}

/* C99, 6.5.5: the remainder has the dividend's sign, and is what the quotient leaves. Vulkan leaves OpSRem undefined
 * for negative operands. OpSMod's result has the divisor's sign. */
static spv_id lower_remainder(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1];
    spv_id rest = op(x, SpvOpISub, a, op(x, SpvOpIMul, op(x, SpvOpSDiv, a, b), b));
    if (x->inst->op == SpvOpSRem)
        return rest;
    spv_id nonzero = compare(x, SpvOpINotEqual, rest, bits(x, 0));
    spv_id differ = is_negative(x, op(x, SpvOpBitwiseXor, rest, b));
    spv_id adjust = lower_op2(x, SpvOpLogicalAnd, lower_bool_type(x, x->lanes), nonzero, differ);
    return choose(x, adjust, op(x, SpvOpIAdd, rest, b), rest);
}

static spv_id lower_reverse(struct builtin_lowering *x)
{
    spv_id u32 = lower_int_like(x, x->type, 32);
    if (x->width == 32)
        return x->inst->id;
    if (x->width < 32) {
        spv_id wide = lower_op1(x, SpvOpBitReverse, u32, lower_op1(x, SpvOpUConvert, u32, x->args[0]));
        wide = lower_op2(x, SpvOpShiftRightLogical, u32, wide, lower_constant(x, u32, 32 - x->width));
        return lower_op1(x, SpvOpUConvert, x->type, wide);
    }
    struct halves h = split(x, x->args[0]);
    spv_id low = lower_op1(x, SpvOpUConvert, x->type, lower_op1(x, SpvOpBitReverse, u32, h.high));
    spv_id high = lower_op1(x, SpvOpUConvert, x->type, lower_op1(x, SpvOpBitReverse, u32, h.low));
    return op(x, SpvOpBitwiseOr, op(x, SpvOpShiftLeftLogical, high, bits(x, 32)), low);
}

/* A u32 operand as an integer of the result's type in every lane. */
static spv_id spread(struct builtin_lowering *x, spv_id value)
{
    spv_id component = spv_type_component(x->module, x->type), values[16];
    spv_id scalar = lower_resize(x, component, value, false);
    for (uint32_t i = 0; i < x->lanes; i++)
        values[i] = scalar;
    return lower_gather(x, component, x->lanes, values);
}

/* count ones in the lowest bits; all bits where count is the width. */
static spv_id ones(struct builtin_lowering *x, spv_id count)
{
    spv_id shifted = op(x, SpvOpShiftLeftLogical, bits(x, 1), op(x, SpvOpBitwiseAnd, count, bits(x, x->width - 1)));
    spv_id mask = op(x, SpvOpISub, shifted, bits(x, 1));
    return choose(x, compare(x, SpvOpUGreaterThanEqual, count, bits(x, x->width)), bits(x, UINT64_MAX), mask);
}

/* OpenCL C 3.0, 6.15.3.1. The shifts' counts are in range where the result is defined. */
static spv_id lower_bitfield(struct builtin_lowering *x)
{
    bool insert = x->inst->op == SpvOpBitFieldInsert;
    spv_id base = x->args[0], offset = spread(x, x->args[insert + 1]), count = spread(x, x->args[insert + 2]);
    if (insert) {
        spv_id mask = op(x, SpvOpShiftLeftLogical, ones(x, count), offset);
        spv_id moved = op(x, SpvOpShiftLeftLogical, x->args[1], offset);
        spv_id kept = op(x, SpvOpBitwiseAnd, base, lower_op1(x, SpvOpNot, x->type, mask));
        spv_id merged = op(x, SpvOpBitwiseOr, kept, op(x, SpvOpBitwiseAnd, moved, mask));
        return choose(x, compare(x, SpvOpIEqual, count, bits(x, 0)), base, merged);
    }
    spv_id field = op(x, SpvOpBitwiseAnd, op(x, SpvOpShiftRightLogical, base, offset), ones(x, count));
    if (x->inst->op == SpvOpBitFieldUExtract)
        return field;
    /* sign extension: (field ^ top) - top, where top is the field's highest bit */
    spv_id last = op(x, SpvOpISub, count, bits(x, 1));
    spv_id top = op(x, SpvOpShiftLeftLogical, bits(x, 1), last);
    spv_id extended = op(x, SpvOpISub, op(x, SpvOpBitwiseXor, field, top), top);
    return choose(x, compare(x, SpvOpIEqual, count, bits(x, 0)), bits(x, 0), extended);
}

/* Lane i of a dot product's operand, which is a vector or a word with four bytes. */
static spv_id dot_lane(struct builtin_lowering *x, spv_id value, uint32_t lane, bool is_signed)
{
    spv_id type = spv_value_type(x->module, value);
    if (spv_type_is_vector(x->module, type))
        return lower_resize(x, x->type, lower_lane(x, value, lane), is_signed);
    spv_id left = lower_op2(x, SpvOpShiftLeftLogical, type, value, lower_constant(x, type, 24 - 8 * lane));
    return lower_op2(x, is_signed ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical, type, left,
                     lower_constant(x, type, 24));
}

static bool has_four_bytes(const struct spv_module *module, spv_id type)
{
    return spv_type_is_vector(module, type) && spv_type_width(module, type) == 8 && spv_type_count(module, type) == 4;
}

/* The plain product by the device's instruction. Four bytes are multiplied as words: drivers keep a vector of bytes in
 * four registers. */
static spv_id native_dot(struct builtin_lowering *x, SpvOp code)
{
    spv_id word = spv_type_int(x->module, 32);
    for (uint32_t i = 0; i < 2; i++) {
        if (has_four_bytes(x->module, spv_value_type(x->module, x->args[i])))
            x->args[i] = lower_op1(x, SpvOpBitcast, word, x->args[i]);
    }
    bool packed = !spv_type_is_vector(x->module, spv_value_type(x->module, x->args[0]));
    const uint32_t words[] = {x->args[0], x->args[1], SpvPackedVectorFormatPackedVectorFormat4x8Bit};
    return spv_emit(&x->b, code, x->type, packed ? 3 : 2, words);
}

static spv_id lower_integer_dot(struct builtin_lowering *x)
{
    uint16_t code = x->inst->op;
    bool saturating = code == SpvOpSDotAccSatKHR || code == SpvOpUDotAccSatKHR || code == SpvOpSUDotAccSatKHR;
    bool signed_a = code != SpvOpUDotKHR && code != SpvOpUDotAccSatKHR;
    bool signed_b = code == SpvOpSDotKHR || code == SpvOpSDotAccSatKHR;
    spv_id vector = spv_value_type(x->module, x->args[0]);
    uint32_t lanes = spv_type_is_vector(x->module, vector) ? spv_type_count(x->module, vector) : 4;
    uint32_t width = spv_type_width(x->module, vector); /* of a lane, or of the word that holds four */
    bool native = x->target->integer_dot_product && (width != 8 || x->target->int8) &&
                  (width != 16 || x->target->int16) && (width != 64 || x->target->int64);
    spv_id sum = 0;
    if (native && !saturating && !has_four_bytes(x->module, vector))
        return x->inst->id;
    if (native) /* lavapipe forgets the saturation */
        sum = native_dot(x, !signed_a ? SpvOpUDotKHR : signed_b ? SpvOpSDotKHR : SpvOpSUDotKHR);
    for (uint32_t i = 0; i < lanes && !native; i++) {
        spv_id product = op(x, SpvOpIMul, dot_lane(x, x->args[0], i, signed_a), dot_lane(x, x->args[1], i, signed_b));
        sum = sum ? op(x, SpvOpIAdd, sum, product) : product;
    }
    if (!saturating)
        return sum;
    const spv_id args[] = {sum, x->args[2]};
    return spv_emit_ext(&x->b, x->type, spv_import_ext_inst(x->module, "OpenCL.std"),
                        signed_a ? OpenCLstd_SAdd_sat : OpenCLstd_UAdd_sat, 2, args);
}

/* Sums with a carry, differences with a borrow and products of twice the width: a struct of two numbers, the lower one
 * first. */
static spv_id lower_extended(struct builtin_lowering *x)
{
    uint16_t code = x->inst->op;
    spv_id result = x->type, parts[2], a = x->args[0], b = x->args[1];
    x->type = spv_value_type(x->module, a);
    x->lanes = spv_type_count(x->module, x->type);
    x->width = spv_type_width(x->module, x->type);
    if (code == SpvOpIAddCarry) {
        parts[0] = op(x, SpvOpIAdd, a, b);
        parts[1] = choose(x, compare(x, SpvOpULessThan, parts[0], a), bits(x, 1), bits(x, 0));
    } else if (code == SpvOpISubBorrow) {
        parts[0] = op(x, SpvOpISub, a, b);
        parts[1] = choose(x, compare(x, SpvOpULessThan, a, b), bits(x, 1), bits(x, 0));
    } else {
        parts[0] = op(x, SpvOpIMul, a, b);
        parts[1] = spv_emit_ext(&x->b, x->type, spv_import_ext_inst(x->module, "OpenCL.std"),
                                code == SpvOpSMulExtended ? OpenCLstd_SMul_hi : OpenCLstd_UMul_hi, 2, x->args);
    }
    return spv_emit(&x->b, SpvOpCompositeConstruct, result, 2, parts);
}

spv_id lower_core_int(struct builtin_lowering *x)
{
    switch (spv_op_class(x->inst->op)) {
    case SPV_CLASS_INT_EXTENDED:
        return lower_extended(x);
    case SPV_CLASS_SHIFT:
        return lower_shift(x);
    case SPV_CLASS_INT_DIVISION: /* SRem, SMod */
        return lower_remainder(x);
    case SPV_CLASS_BIT_FIELD:
        return lower_bitfield(x);
    case SPV_CLASS_INT_DOT:
        return lower_integer_dot(x);
    default:
        break;
    }
    if (x->inst->op == SpvOpBitReverse)
        return lower_reverse(x);
    bool stays = x->width == 32 && spv_type_width(x->module, spv_value_type(x->module, x->args[0])) == 32;
    return stays ? x->inst->id : lower_fn_popcount(x);
}
