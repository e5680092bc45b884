/* Writes float operations with a constant zero so that no driver simplifies them. Mesa's llvmpipe drops x + 0, which
 * turns -0 into +0, and takes 0 / y for 0 and x / 0 for anything, whatever the decorations and execution modes say.
 *
 *     x / 0     ->  x * inf                              the same for every x, and quicker everywhere
 *     0 / y     ->  y is 0 or NaN ? NaN : 0 with y's sign
 *     x + 0     ->  x is -0 ? 0 : x                      in integers; x - -0 likewise
 *     0 - x     ->  x is 0 ? 0 : -x
 *     x * 0     ->  x is infinite or NaN ? NaN : 0 with x's sign     only where the device cannot be asked to keep
 *                                                                    zeros' signs and NaNs (signed_zero32 and others)
 *     c ? -1.0 : 0.0  ->  (float)(c ? -1 : 0)            Mesa takes the zero for -0; c ? 0.0 : -1.0 likewise
 *     c ? 0xbf800000 : 0  ->  0xbf800000 & (c ? -1 : 0)  Mesa does the same to integers with the bits of these floats,
 *                                                        and takes 0x80000000 for 0 beside 0x3f800000
 *
 * On drivers that do all of this right, by the probe (CLC_PROBE_ZEROS), and can be asked, the pass does nothing.
 *
 * It expects scalars and vectors of numbers, with constants folded. It runs late, so that no other pass simplifies the
 * new forms again. Integers that the device lacks are made of others after this. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

struct zeros {
    struct spv_module *module;
    const struct clc_target *target;
    struct spv_builder builder; /* before the operation at hand */
    spv_id number, bits;        /* the type of its lanes, and the integers of that width */
    uint64_t sign;              /* that bit */
    uint32_t width;
};

static spv_id bits_of(struct zeros *z, spv_id value)
{
    return spv_emitv(&z->builder, SpvOpBitcast, z->bits, value);
}

static spv_id number_of(struct zeros *z, spv_id bits)
{
    return spv_emitv(&z->builder, SpvOpBitcast, z->number, bits);
}

static uint64_t infinity(const struct zeros *z)
{
    return z->width == 16 ? 0x7c00u : z->width == 32 ? 0x7f800000u : 0x7ff0000000000000u;
}

/* 0 where the lane has exactly those bits, else what otherwise says. */
static spv_id zero_or(struct zeros *z, spv_id lane_bits, uint64_t is, spv_id otherwise)
{
    spv_id equal = spv_emitv(&z->builder, SpvOpIEqual, spv_type_bool(z->module), lane_bits,
                             spv_const_bits(z->module, z->bits, is));
    spv_id zero = spv_const_bits(z->module, z->bits, 0);
    return number_of(z, spv_emitv(&z->builder, SpvOpSelect, z->bits, equal, zero, otherwise));
}

/* A NaN where it is invalid, else a zero with the sign of these bits, which that of the other zero turns. */
static spv_id nan_or_zero(struct zeros *z, spv_id invalid, spv_id bits, uint64_t zero)
{
    struct spv_module *module = z->module;
    spv_id sign = spv_emitv(&z->builder, SpvOpBitwiseAnd, z->bits, bits, spv_const_bits(module, z->bits, z->sign));
    if (zero)
        sign = spv_emitv(&z->builder, SpvOpBitwiseXor, z->bits, sign, spv_const_bits(module, z->bits, z->sign));
    spv_id nan = spv_const_bits(module, z->bits, infinity(z) | infinity(z) >> 1);
    return number_of(z, spv_emitv(&z->builder, SpvOpSelect, z->bits, invalid, nan, sign));
}

static spv_id zero_over(struct zeros *z, uint64_t zero, spv_id y)
{
    struct spv_module *module = z->module;
    spv_id bits = bits_of(z, y);
    spv_id magnitude =
        spv_emitv(&z->builder, SpvOpBitwiseAnd, z->bits, bits, spv_const_bits(module, z->bits, z->sign - 1));
    /* 0 - 1 wraps around, so that one comparison finds both 0 and NaNs. */
    spv_id less = spv_emitv(&z->builder, SpvOpISub, z->bits, magnitude, spv_const_bits(module, z->bits, 1));
    spv_id invalid = spv_emitv(&z->builder, SpvOpUGreaterThanEqual, spv_type_bool(module), less,
                               spv_const_bits(module, z->bits, infinity(z)));
    return nan_or_zero(z, invalid, bits, zero);
}

static spv_id times_zero(struct zeros *z, spv_id x, uint64_t zero)
{
    struct spv_module *module = z->module;
    spv_id bits = bits_of(z, x);
    spv_id magnitude =
        spv_emitv(&z->builder, SpvOpBitwiseAnd, z->bits, bits, spv_const_bits(module, z->bits, z->sign - 1));
    spv_id invalid = spv_emitv(&z->builder, SpvOpUGreaterThanEqual, spv_type_bool(module), magnitude,
                               spv_const_bits(module, z->bits, infinity(z)));
    return nan_or_zero(z, invalid, bits, zero);
}

/* Rewrites an operation on two scalars; 0: it may stay. */
static spv_id rewrite_lane(struct zeros *z, SpvOp op, spv_id a, spv_id b)
{
    uint64_t left = 1, right = 1, minus = z->sign;
    bool left_zero = spv_const_value(z->module, a, &left) && (left & (minus - 1)) == 0;
    bool right_zero = spv_const_value(z->module, b, &right) && (right & (minus - 1)) == 0;
    if (op == SpvOpFDiv && right_zero)
        return spv_emitv(&z->builder, SpvOpFMul, z->number, a,
                         spv_const_bits(z->module, z->number, infinity(z) | right));
    if (op == SpvOpFDiv && left_zero)
        return zero_over(z, left, b);
    if (op == SpvOpFMul && (left_zero || right_zero))
        return right_zero ? times_zero(z, a, right) : times_zero(z, b, left);
    if (op == SpvOpFSub && left_zero && left == 0) {
        spv_id bits = bits_of(z, b);
        return zero_or(
            z, bits, 0,
            spv_emitv(&z->builder, SpvOpBitwiseXor, z->bits, bits, spv_const_bits(z->module, z->bits, minus)));
    }
    if ((op == SpvOpFAdd && right_zero && right == 0) || (op == SpvOpFSub && right_zero && right == minus)) {
        spv_id bits = bits_of(z, a);
        return zero_or(z, bits, minus, bits);
    }
    if (op == SpvOpFAdd && left_zero && left == 0) {
        spv_id bits = bits_of(z, b);
        return zero_or(z, bits, minus, bits);
    }
    return 0;
}

static uint64_t minus_one(const struct zeros *z)
{
    return z->width == 16 ? 0xbc00u : z->width == 32 ? 0xbf800000u : 0xbff0000000000000u;
}

static bool is_bits(const struct zeros *z, spv_id value, uint64_t bits)
{
    uint64_t found;
    return spv_const_value(z->module, value, &found) && found == bits;
}

/* Whether the constants are the bits of 1.0 and -0.0, or -1.0 and 0.0. */
static bool are_spoilt_bits(const struct zeros *z, spv_id a, spv_id b)
{
    uint64_t one = minus_one(z) ^ z->sign;
    return (is_bits(z, a, minus_one(z)) && is_bits(z, b, 0)) || (is_bits(z, a, one) && is_bits(z, b, z->sign));
}

/* The same of integers: ((a ^ b) & (condition ? ~0 : 0)) ^ b */
static spv_id rewrite_integers(struct zeros *z, spv_id condition, spv_id a, spv_id b)
{
    if (!are_spoilt_bits(z, a, b) && !are_spoilt_bits(z, b, a))
        return 0;
    uint64_t first, second;
    spv_const_value(z->module, a, &first);
    spv_const_value(z->module, b, &second);
    spv_id ones = spv_const_bits(z->module, z->bits, z->sign | (z->sign - 1));
    spv_id mask = spv_emitv(&z->builder, SpvOpSelect, z->bits, condition, ones, spv_const_bits(z->module, z->bits, 0));
    spv_id masked =
        spv_emitv(&z->builder, SpvOpBitwiseAnd, z->bits, mask, spv_const_bits(z->module, z->bits, first ^ second));
    return second ? spv_emitv(&z->builder, SpvOpBitwiseXor, z->bits, masked, b) : masked;
}

/* Rewrites a choice; the condition and the values are scalars. */
static spv_id rewrite_choice(struct zeros *z, spv_id condition, spv_id a, spv_id b)
{
    if (z->number == z->bits)
        return rewrite_integers(z, condition, a, b);
    bool first = is_bits(z, a, minus_one(z)) && is_bits(z, b, 0);
    if (!first && !(is_bits(z, a, 0) && is_bits(z, b, minus_one(z))))
        return 0;
    spv_id zero = spv_const_bits(z->module, z->bits, 0);
    spv_id one = spv_const_bits(z->module, z->bits, z->sign | (z->sign - 1));
    spv_id integer = spv_emitv(&z->builder, SpvOpSelect, z->bits, condition, first ? one : zero, first ? zero : one);
    return spv_emitv(&z->builder, SpvOpConvertSToF, z->number, integer);
}

static bool has_zero(const struct spv_module *module, spv_id id, uint64_t sign)
{
    const struct spv_inst *inst = spv_def(module, id);
    uint64_t value;
    if (inst->op == SpvOpConstantNull || (spv_const_value(module, id, &value) && (value & (sign - 1)) == 0))
        return true;
    if (inst->op != SpvOpConstantComposite)
        return false;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (has_zero(module, inst->words[i], sign))
            return true;
    }
    return false;
}

static bool is_constant(const struct spv_module *module, spv_id id)
{
    uint16_t op = spv_def(module, id)->op;
    return op == SpvOpConstant || op == SpvOpConstantNull || op == SpvOpConstantComposite;
}

static bool is_relaxed(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *decoration = spv_find_decoration(module, id, SpvDecorationFPFastMathMode);
    return decoration && decoration->num_words > 2 && (decoration->words[2] & SpvFPFastMathModeNSZMask) != 0;
}

static spv_id lane_of(struct zeros *z, spv_id value, uint32_t i)
{
    const struct spv_inst *inst = spv_def(z->module, value);
    if (inst->op == SpvOpConstantNull)
        return spv_const_bits(z->module, z->number, 0);
    if (inst->op == SpvOpConstantComposite)
        return inst->words[i];
    return spv_emitv(&z->builder, SpvOpCompositeExtract, z->number, value, i);
}

static spv_id rewrite_select(struct zeros *z, struct spv_inst *inst, uint32_t lanes)
{
    spv_id condition = inst->words[0];
    if (lanes == 1)
        return rewrite_choice(z, condition, inst->words[1], inst->words[2]);
    bool each = spv_type_is_vector(z->module, spv_value_type(z->module, condition)), changed = false;
    uint32_t parts[16];
    for (uint32_t i = 0; i < lanes && i < 16; i++) {
        spv_id a = lane_of(z, inst->words[1], i), b = lane_of(z, inst->words[2], i), c = condition;
        if (each)
            c = spv_emitv(&z->builder, SpvOpCompositeExtract, spv_type_bool(z->module), condition, i);
        parts[i] = rewrite_choice(z, c, a, b);
        changed |= parts[i] != 0;
        if (!parts[i])
            parts[i] = spv_emitv(&z->builder, SpvOpSelect, z->number, c, a, b);
    }
    return changed ? spv_emit(&z->builder, SpvOpCompositeConstruct, inst->type, lanes, parts) : 0;
}

static spv_id rewrite(struct zeros *z, struct spv_inst *inst, uint32_t lanes)
{
    if (inst->op == SpvOpSelect)
        return rewrite_select(z, inst, lanes);
    if (lanes == 1)
        return rewrite_lane(z, (SpvOp)inst->op, inst->words[0], inst->words[1]);
    uint32_t parts[16];
    bool changed = false;
    for (uint32_t i = 0; i < lanes && i < 16; i++) {
        spv_id a = lane_of(z, inst->words[0], i), b = lane_of(z, inst->words[1], i);
        parts[i] = rewrite_lane(z, (SpvOp)inst->op, a, b);
        changed |= parts[i] != 0;
        if (!parts[i])
            parts[i] = spv_emitv(&z->builder, (SpvOp)inst->op, z->number, a, b);
    }
    return changed ? spv_emit(&z->builder, SpvOpCompositeConstruct, inst->type, lanes, parts) : 0;
}

static bool has_spoilt_lane(struct zeros *z, spv_id a, spv_id b, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++) {
        spv_id first = lanes > 1 ? lane_of(z, a, i) : a, second = lanes > 1 ? lane_of(z, b, i) : b;
        if (are_spoilt_bits(z, first, second) || are_spoilt_bits(z, second, first))
            return true;
    }
    return false;
}

/* Whether shaders can ask for zeros' signs, infinities and NaNs of that width. */
static bool can_ask(const struct clc_target *target, uint32_t width)
{
    return width == 16 ? target->signed_zero16 : width == 32 ? target->signed_zero32 : target->signed_zero64;
}

/* Whether the operation may need another form; sets up the types for it. */
static bool concerns(struct zeros *z, const struct spv_inst *inst)
{
    bool select = inst->op == SpvOpSelect, is_float = spv_type_is_float(z->module, inst->type);
    bool product = inst->op == SpvOpFMul && !can_ask(z->target, spv_type_width(z->module, inst->type));
    if ((!select && !product && inst->op != SpvOpFAdd && inst->op != SpvOpFSub && inst->op != SpvOpFDiv) ||
        (!is_float && (!select || !spv_type_is_int(z->module, inst->type))))
        return false;
    z->width = spv_type_width(z->module, inst->type);
    if (z->width < 16)
        return false;
    z->sign = (uint64_t)1 << (z->width - 1);
    spv_id a = inst->words[select], b = inst->words[1 + select];
    bool first = has_zero(z->module, a, z->sign), second = has_zero(z->module, b, z->sign);
    if (select ? !is_constant(z->module, a) || !is_constant(z->module, b) || (!first && !second) : !first && !second)
        return false;
    z->number = spv_type_component(z->module, inst->type);
    z->bits = spv_type_int(z->module, z->width);
    if (!is_float)
        return has_spoilt_lane(z, a, b, spv_type_count(z->module, inst->type));
    return !is_relaxed(z->module, inst->id);
}

bool lower_spoils_zeros(const struct lower *lower)
{
    const struct clc_target *target = lower->target;
    const uint8_t *zeros = target->native[CLC_PROBE_ZEROS];
    return zeros[CLC_WIDTH_32] != CLC_NATIVE_EXACT || (target->float16 && zeros[CLC_WIDTH_16] != CLC_NATIVE_EXACT) ||
           (target->float64 && zeros[CLC_WIDTH_64] != CLC_NATIVE_EXACT);
}

bool lower_zeros(struct lower *lower)
{
    const struct clc_target *target = lower->target;
    struct zeros z = {.module = lower->module, .target = target};
    if (!lower_spoils_zeros(lower) && can_ask(target, 32) && (can_ask(target, 16) || !target->float16) &&
        (can_ask(target, 64) || !target->float64)) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        struct spv_replacements replacements = {0};
        VEC(struct spv_inst *) old = {0}; /* still an operand of others */
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (!concerns(&z, inst))
                    continue;
                z.builder = (struct spv_builder){z.module, function, block, inst};
                spv_id result = rewrite(&z, inst, spv_type_count(z.module, inst->type));
                if (!result)
                    continue;
                spv_replace(z.module, &replacements, inst->id, result);
                vec_push(lower->arena, &old, inst);
            }
        }
        spv_apply_replacements(z.module, &replacements, function);
        spv_finish_replacements(z.module, &replacements);
        for (uint32_t i = 0; i < old.length; i++)
            spv_inst_remove(z.module, old.data[i]);
    }
    return true;
}
