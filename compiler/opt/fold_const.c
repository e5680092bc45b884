/* Evaluation of instructions on constants, component by component, with the operations' exact meaning in SPIR-V:
 * integers modulo their width, floats rounded to nearest even in their own width (the host's float and double
 * arithmetic; half through double, which rounds as if once, since 53 >= 2 * 11 + 2). Which NaN comes out is open.
 *
 * Whatever is undefined there, or left to the device, is not touched: division by zero, shifts by the width or more,
 * float to integer out of range, conversions with a rounding mode that is not their own. */
#include "compiler/opt/fold.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>

bool fold_component(const struct spv_module *module, spv_id id, uint32_t component, uint64_t *bits)
{
    const struct spv_inst *def = spv_def(module, id);
    if (!def || def->block)
        return false;
    if (def->op == SpvOpConstantComposite && spv_type_is_vector(module, def->type))
        return component < def->num_words && spv_const_value(module, def->words[component], bits);
    if (def->op == SpvOpConstantNull && spv_type_is_vector(module, def->type)) {
        *bits = 0;
        return true;
    }
    return component == 0 && spv_const_value(module, id, bits);
}

bool fold_is_splat_constant(const struct spv_module *module, const struct spv_inst *constant, uint64_t *bits)
{
    if (!fold_component(module, constant->id, 0, bits))
        return false;
    uint32_t count = spv_type_count(module, constant->type);
    for (uint32_t i = 1; i < count; i++) {
        uint64_t other;
        if (!fold_component(module, constant->id, i, &other) || other != *bits)
            return false;
    }
    return true;
}

/* ---- scalars ---- */

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static int64_t as_signed(struct fold_scalar s)
{
    uint32_t shift = 64 - s.width;
    return (int64_t)(s.bits << shift) >> shift;
}

static double as_double(struct fold_scalar s)
{
    if (s.width == 64) {
        double value;
        memcpy(&value, &s.bits, sizeof(value));
        return value;
    }
    if (s.width == 32) {
        uint32_t word = (uint32_t)s.bits;
        float value;
        memcpy(&value, &word, sizeof(value));
        return value;
    }
    return half_to_float((uint16_t)s.bits);
}

/* Rounds once: value is exact, or its rounding to double cannot matter. NaNs become quiet ones. */
static uint64_t float_bits(double value, uint32_t width)
{
    return float_to_bits(isnan(value) ? NAN : value, width);
}

static bool int_binary(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    bool overflows = b.bits == mask_of(b.width) && a.bits == (uint64_t)1 << (a.width - 1);
    switch (op) {
    case SpvOpIAdd:
        *out = a.bits + b.bits;
        return true;
    case SpvOpISub:
        *out = a.bits - b.bits;
        return true;
    case SpvOpIMul:
        *out = a.bits * b.bits;
        return true;
    case SpvOpUDiv:
    case SpvOpUMod:
        if (!b.bits)
            return false;
        *out = op == SpvOpUDiv ? a.bits / b.bits : a.bits % b.bits;
        return true;
    case SpvOpSDiv:
    case SpvOpSRem:
        if (!b.bits || overflows)
            return false;
        *out = (uint64_t)(op == SpvOpSDiv ? as_signed(a) / as_signed(b) : as_signed(a) % as_signed(b));
        return true;
    case SpvOpBitwiseAnd:
        *out = a.bits & b.bits;
        return true;
    case SpvOpBitwiseOr:
        *out = a.bits | b.bits;
        return true;
    case SpvOpBitwiseXor:
        *out = a.bits ^ b.bits;
        return true;
    case SpvOpShiftLeftLogical:
        *out = a.bits << (b.bits & 63);
        return b.bits < a.width;
    case SpvOpShiftRightLogical:
        *out = a.bits >> (b.bits & 63);
        return b.bits < a.width;
    case SpvOpShiftRightArithmetic:
        *out = (uint64_t)(as_signed(a) >> (b.bits & 63));
        return b.bits < a.width;
    default:
        return false;
    }
}

/* order: below 0, 0 or above 0 for two numbers that are less, equal or greater. */
static bool holds(enum spv_relation relation, int order)
{
    switch (relation) {
    case SPV_RELATION_EQUAL:
        return order == 0;
    case SPV_RELATION_UNEQUAL:
        return order != 0;
    case SPV_RELATION_LESS:
        return order < 0;
    case SPV_RELATION_LESS_EQUAL:
        return order <= 0;
    case SPV_RELATION_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool int_compare(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    int64_t x = as_signed(a), y = as_signed(b);
    bool less = spv_op_is_signed(op) ? x < y : a.bits < b.bits;
    *out = holds(spv_op_relation(op), less ? -1 : a.bits != b.bits);
    return true;
}

static bool logical(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    if (spv_op_relation(op))
        return int_compare(op, a, b, out);
    *out = op == SpvOpLogicalAnd ? a.bits & b.bits : a.bits | b.bits;
    return true;
}

static bool float_binary(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    double x = as_double(a), y = as_double(b), value;
    bool is_f32 = a.width == 32;
    switch (op) {
    case SpvOpFAdd:
        value = is_f32 ? (float)x + (float)y : x + y;
        break;
    case SpvOpFSub:
        value = is_f32 ? (float)x - (float)y : x - y;
        break;
    case SpvOpFMul:
        value = is_f32 ? (float)x * (float)y : x * y;
        break;
    case SpvOpFDiv:
        value = is_f32 ? (float)x / (float)y : x / y;
        break;
    case SpvOpFRem:
        value = fmod(x, y);
        break;
    default:
        return false;
    }
    *out = float_bits(value, a.width);
    return true;
}

static bool float_compare(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    double x = as_double(a), y = as_double(b);
    *out = isnan(x) || isnan(y) ? (spv_op_flags(op) & SPV_OP_UNORDERED) != 0
                                : holds(spv_op_relation(op), x < y ? -1 : x > y);
    return true;
}

/* Tests of two floats. */
static bool float_test(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    double x = as_double(a), y = as_double(b);
    bool unordered = isnan(x) || isnan(y);
    switch (op) {
    case SpvOpOrdered:
        *out = !unordered;
        return true;
    case SpvOpUnordered:
        *out = unordered;
        return true;
    case SpvOpLessOrGreater:
        *out = x < y || x > y;
        return true;
    default:
        return false;
    }
}

static bool binary(uint16_t op, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    if (a.is_float != b.is_float)
        return false;
    switch (spv_op_class(op)) {
    case SPV_CLASS_FLOAT_ARITHMETIC:
        return a.is_float && float_binary(op, a, b, out);
    case SPV_CLASS_FLOAT_COMPARISON:
        return a.is_float && float_compare(op, a, b, out);
    case SPV_CLASS_FLOAT_TEST:
        return a.is_float && float_test(op, a, b, out);
    case SPV_CLASS_INT_COMPARISON:
        return !a.is_float && int_compare(op, a, b, out);
    case SPV_CLASS_LOGICAL:
        return !a.is_float && logical(op, a, b, out);
    default:
        return !a.is_float && a.width > 1 && int_binary(op, a, b, out);
    }
}

static bool float_to_int(struct fold_scalar a, uint32_t width, bool is_signed, uint64_t *out)
{
    double value = trunc(as_double(a));
    if (is_signed ? !(value >= -ldexp(1, (int)width - 1) && value < ldexp(1, (int)width - 1))
                  : !(value >= 0 && value < ldexp(1, (int)width)))
        return false;
    *out = is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
    return true;
}

static bool int_to_float(struct fold_scalar a, uint32_t width, bool is_signed, uint64_t *out)
{
    float narrow = is_signed ? (float)as_signed(a) : (float)a.bits;
    double wide = is_signed ? (double)as_signed(a) : (double)a.bits;
    /* what does not fit half exactly in a double is infinity there anyway */
    *out = float_bits(width == 32 ? narrow : wide, width);
    return true;
}

static bool float_unary(uint16_t op, struct fold_scalar a, uint32_t width, uint64_t *out)
{
    double value = as_double(a);
    switch (op) {
    case SpvOpFNegate:
        *out = a.bits ^ (uint64_t)1 << (a.width - 1);
        return true;
    case SpvOpFConvert:
        *out = float_bits(value, width);
        if (isnan(value)) /* as devices and hosts convert them; printf shows the sign */
            *out |= (a.bits >> (a.width - 1) & 1) << (width - 1);
        return true;
    case SpvOpConvertFToU:
        return float_to_int(a, width, false, out);
    case SpvOpConvertFToS:
        return float_to_int(a, width, true, out);
    case SpvOpIsNan:
        *out = isnan(value);
        return true;
    case SpvOpIsInf:
        *out = isinf(value) != 0;
        return true;
    case SpvOpIsFinite:
        *out = isfinite(value) != 0;
        return true;
    case SpvOpSignBitSet:
        *out = a.bits >> (a.width - 1) & 1;
        return true;
    default:
        return false;
    }
}

static bool unary(uint16_t op, struct fold_scalar a, uint32_t width, uint64_t *out)
{
    if (a.is_float)
        return float_unary(op, a, width, out);
    switch (op) {
    case SpvOpSNegate:
        *out = -a.bits;
        return true;
    case SpvOpNot:
        *out = ~a.bits;
        return true;
    case SpvOpLogicalNot:
        *out = !a.bits;
        return true;
    case SpvOpUConvert:
        *out = a.bits;
        return true;
    case SpvOpSConvert:
        *out = (uint64_t)as_signed(a);
        return true;
    case SpvOpConvertUToF:
        return int_to_float(a, width, false, out);
    case SpvOpConvertSToF:
        return int_to_float(a, width, true, out);
    case SpvOpBitCount:
        *out = (uint64_t)__builtin_popcountll(a.bits);
        return true;
    default:
        return false;
    }
}

/* ---- instructions ---- */

static bool scalar_type(const struct spv_module *module, spv_id type, uint32_t *width, bool *is_float)
{
    uint16_t op = spv_type_op(module, spv_type_component(module, type));
    *is_float = op == SpvOpTypeFloat;
    *width = op == SpvOpTypeBool ? 1 : 0;
    if (op == SpvOpTypeInt || op == SpvOpTypeFloat)
        *width = spv_type_width(module, type);
    return *width != 0;
}

static spv_id make_vector(struct spv_module *module, spv_id type, const uint64_t *bits)
{
    uint32_t count = spv_type_count(module, type);
    spv_id component = spv_type_component(module, type), parts[16];
    if (count == 1)
        return spv_const_bits(module, type, bits[0]);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = spv_const_bits(module, component, bits[i]);
    return spv_const_composite(module, type, count, parts);
}

static bool read_operand(const struct spv_module *module, spv_id id, uint32_t component, struct fold_scalar *out)
{
    uint32_t width;
    return scalar_type(module, spv_value_type(module, id), &width, &out->is_float) &&
           fold_component(module, id, component, &out->bits) && (out->width = width);
}

static bool is_scalar(const struct spv_inst *type, struct fold_scalar *scalar)
{
    switch (type ? type->op : SpvOpNop) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        scalar->width = type->words[0];
        scalar->is_float = type->op == SpvOpTypeFloat;
        return true;
    case SpvOpTypeBool:
        scalar->width = 1;
        scalar->is_float = false;
        return true;
    default:
        return false;
    }
}

bool fold_scalar_type(const struct spv_module *module, spv_id type, struct fold_scalar *scalar)
{
    return is_scalar(spv_def(module, type), scalar);
}

/* Folds a scalar instruction. Most of what is folded comes here. */
static spv_id fold_scalar_inst(struct spv_module *module, const struct spv_inst *inst, uint32_t width)
{
    struct fold_scalar operands[2];
    uint64_t bits;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        const struct spv_inst *def = spv_def(module, inst->words[i]);
        if (!def || !is_scalar(spv_def(module, def->type), &operands[i]) ||
            !spv_const_value(module, inst->words[i], &operands[i].bits))
            return 0;
    }
    if (!(inst->num_words == 2 ? binary(inst->op, operands[0], operands[1], &bits)
                               : unary(inst->op, operands[0], width, &bits)))
        return 0;
    return spv_const_bits(module, inst->type, bits & mask_of(width));
}

static spv_id fold_componentwise(struct spv_module *module, const struct spv_inst *inst)
{
    uint32_t count = spv_type_count(module, inst->type), width;
    uint64_t bits[16];
    bool is_float;
    if (!scalar_type(module, inst->type, &width, &is_float))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fold_scalar a, b;
        if (!read_operand(module, inst->words[0], i, &a) ||
            (inst->num_words == 2 && !read_operand(module, inst->words[1], i, &b)))
            return 0;
        if (!(inst->num_words == 2 ? binary(inst->op, a, b, &bits[i]) : unary(inst->op, a, width, &bits[i])))
            return 0;
        bits[i] &= mask_of(width);
    }
    return make_vector(module, inst->type, bits);
}

/* SPIR-V 1.6, OpBitcast: lower-numbered components hold the lower bits. */
static spv_id fold_bitcast(struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t memory[16] = {0}, bits[16];
    spv_id from = spv_value_type(module, inst->words[0]);
    uint32_t width, from_width;
    bool is_float;
    if (!scalar_type(module, inst->type, &width, &is_float) || !scalar_type(module, from, &from_width, &is_float) ||
        width < 8 || from_width < 8)
        return 0;
    for (uint32_t i = 0; i < spv_type_count(module, from); i++) {
        uint64_t part;
        if (!fold_component(module, inst->words[0], i, &part))
            return 0;
        memory[i * from_width / 64] |= part << i * from_width % 64;
    }
    for (uint32_t i = 0; i < spv_type_count(module, inst->type); i++)
        bits[i] = memory[i * width / 64] >> i * width % 64 & mask_of(width);
    return make_vector(module, inst->type, bits);
}

static spv_id fold_any_all(struct spv_module *module, const struct spv_inst *inst)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < spv_type_count(module, spv_value_type(module, inst->words[0])); i++) {
        uint64_t bit;
        if (!fold_component(module, inst->words[0], i, &bit))
            return 0;
        any = any || bit;
        all = all && bit;
    }
    return spv_const_bool(module, inst->op == SpvOpAny ? any : all);
}

/* Whether the instruction's decorations ask for another value than unary() gives: floats go to integers towards zero,
 * and everything else goes to the nearest (OpenCL C 3.0, 6.4.3.2). */
static bool has_mode(const struct spv_module *module, const struct spv_inst *inst)
{
    if (!spv_decorations(module, inst->id))
        return false;
    bool to_int = spv_op_class(inst->op) == SPV_CLASS_FLOAT_TO_INT;
    SpvFPRoundingMode own = to_int ? SpvFPRoundingModeRTZ : SpvFPRoundingModeRTE;
    const struct spv_inst *rounding = spv_find_decoration(module, inst->id, SpvDecorationFPRoundingMode);
    return (rounding && rounding->words[2] != own) ||
           spv_find_decoration(module, inst->id, SpvDecorationSaturatedConversion);
}

bool fold_scalars(const struct spv_module *module, const struct spv_inst *inst, const struct fold_scalar *operands,
                  struct fold_scalar *result)
{
    if (!fold_scalar_type(module, inst->type, result))
        return false;
    if (inst->op == SpvOpBitcast) {
        result->bits = operands[0].bits;
        return operands[0].width == result->width;
    }
    if (!spv_op_is_pure(inst->op) || !inst->num_words || inst->num_words > 2 || has_mode(module, inst))
        return false;
    bool done = inst->num_words == 2 ? binary(inst->op, operands[0], operands[1], &result->bits)
                                     : unary(inst->op, operands[0], result->width, &result->bits);
    result->bits &= mask_of(result->width);
    return done;
}

spv_id fold_constant_inst(struct spv_module *module, const struct spv_inst *inst)
{
    struct fold_scalar result;
    switch (inst->op) {
    case SpvOpBitcast:
        return fold_bitcast(module, inst);
    case SpvOpAny:
    case SpvOpAll:
        return fold_any_all(module, inst);
    default:
        if (!spv_op_is_pure(inst->op) || !inst->num_words || inst->num_words > 2 || has_mode(module, inst))
            return 0;
        if (fold_scalar_type(module, inst->type, &result))
            return fold_scalar_inst(module, inst, result.width);
        return fold_componentwise(module, inst);
    }
}

static bool float_function(uint32_t function, struct fold_scalar a, uint64_t *out)
{
    double value = as_double(a);
    if (!a.is_float)
        return false;
    switch (function) {
    case GLSLstd450FAbs:
        *out = a.bits & mask_of(a.width - 1);
        return true;
    case GLSLstd450Floor:
        *out = float_bits(floor(value), a.width);
        return true;
    case GLSLstd450Ceil:
        *out = float_bits(ceil(value), a.width);
        return true;
    case GLSLstd450Trunc:
        *out = float_bits(trunc(value), a.width);
        return true;
    case GLSLstd450RoundEven:
        *out = float_bits(rint(value), a.width);
        return true;
    default:
        return false;
    }
}

/* Of zeros of both signs the larger one is +0 (IEEE 754-2019, 9.6); which NaNs are passed over, each function says. */
static bool float_min_max(uint32_t function, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    double x = as_double(a), y = as_double(b);
    bool max = function == GLSLstd450FMax || function == GLSLstd450NMax;
    bool passes_nan = function == GLSLstd450NMax || function == GLSLstd450NMin;
    if (isnan(x) || isnan(y)) {
        *out = float_bits(isnan(x) ? y : x, a.width);
        return passes_nan;
    }
    bool first = x != y ? (x > y) == max : (signbit(x) == 0) == max;
    *out = first ? a.bits : b.bits;
    return true;
}

static bool function_of_two(uint32_t function, struct fold_scalar a, struct fold_scalar b, uint64_t *out)
{
    switch (function) {
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
        return float_min_max(function, a, b, out);
    case GLSLstd450UMin:
        *out = a.bits < b.bits ? a.bits : b.bits;
        return true;
    case GLSLstd450UMax:
        *out = a.bits > b.bits ? a.bits : b.bits;
        return true;
    case GLSLstd450SMin:
        *out = as_signed(a) < as_signed(b) ? a.bits : b.bits;
        return true;
    case GLSLstd450SMax:
        *out = as_signed(a) > as_signed(b) ? a.bits : b.bits;
        return true;
    default:
        return false;
    }
}

spv_id fold_ext_inst(struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t bits[16];
    uint32_t width;
    bool is_float;
    if (inst->num_words < 3 || inst->num_words > 4 || inst->words[0] != module->ext_glsl ||
        !scalar_type(module, inst->type, &width, &is_float))
        return 0;
    for (uint32_t i = 0; i < spv_type_count(module, inst->type); i++) {
        struct fold_scalar a, b;
        bool two = inst->num_words == 4;
        if (!read_operand(module, inst->words[2], i, &a) || (two && !read_operand(module, inst->words[3], i, &b)))
            return 0;
        if (!(two ? function_of_two(inst->words[1], a, b, &bits[i]) : float_function(inst->words[1], a, &bits[i])))
            return 0;
    }
    return make_vector(module, inst->type, bits);
}
