/* Lowering of conversions: convert_* with saturation and rounding modes, and plain conversions where drivers err.
 * OpenCL C 3.0, 6.4.3. Measured: float to int of NaN and of values out of range differs on every driver, so saturation
 * clamps explicitly; double to half rounds twice on some drivers, so it has a body of its own. Rounding modes other
 * than the default are computed on the bits by the library. */
#include "compiler/lower/builtins/builtins.h"

#include <math.h>
#include <stdio.h>

enum rounding { MODE_DEFAULT, MODE_RTE, MODE_RTZ, MODE_RTP, MODE_RTN };

static enum rounding rounding_of(const struct builtin_lowering *x)
{
    const struct spv_inst *decoration = spv_find_decoration(x->module, x->inst->id, SpvDecorationFPRoundingMode);
    if (!decoration || decoration->num_words < 3)
        return MODE_DEFAULT;
    switch (decoration->words[2]) {
    case SpvFPRoundingModeRTE:
        return MODE_RTE;
    case SpvFPRoundingModeRTZ:
        return MODE_RTZ;
    case SpvFPRoundingModeRTP:
        return MODE_RTP;
    default:
        return MODE_RTN;
    }
}

static uint32_t library_mode(enum rounding mode)
{
    return mode == MODE_DEFAULT ? LOWER_ROUND_RTE : (uint32_t)mode - MODE_RTE;
}

static bool saturates(const struct builtin_lowering *x)
{
    return spv_find_decoration(x->module, x->inst->id, SpvDecorationSaturatedConversion) != NULL;
}

static uint32_t width_of(const struct builtin_lowering *x, spv_id value)
{
    return spv_type_width(x->module, spv_value_type(x->module, value));
}

/* ---- by the library, lane by lane ---- */

static spv_id lanes_of_calls(struct builtin_lowering *x, const char *name, spv_id component, uint32_t count,
                             const spv_id *args)
{
    spv_id results[16];
    uint32_t lanes = spv_type_count(x->module, spv_value_type(x->module, args[0]));
    for (uint32_t lane = 0; lane < lanes; lane++) {
        spv_id scalars[4];
        for (uint32_t i = 0; i < count; i++)
            scalars[i] = lower_lane(x, args[i], lane);
        results[lane] = lower_library_call(x, name, count, scalars);
        if (!results[lane])
            return 0;
    }
    return lower_gather(x, component, lanes, results);
}

/* Converts to a narrower float with one rounding. */
static spv_id narrow(struct builtin_lowering *x, spv_id type, spv_id value, uint32_t mode)
{
    uint32_t from = width_of(x, value), to = spv_type_width(x->module, type);
    if (to == 16)
        return lower_op1(x, SpvOpBitcast, type, lower_to_half_bits(x, value, mode));
    char name[64];
    snprintf(name, sizeof(name), "__pumice_narrow_f%u_f%u", to, from);
    const spv_id args[] = {value, spv_const_u32(x->module, mode)};
    return lanes_of_calls(x, name, spv_type_component(x->module, type), 2, args);
}

/* ushort __pumice_half_bits_f32(float, uint mode) and _f64 */
spv_id lower_to_half_bits(struct builtin_lowering *x, spv_id value, uint32_t mode)
{
    spv_id type = spv_value_type(x->module, value);
    uint32_t width = spv_type_width(x->module, type);
    if (mode == LOWER_ROUND_RTE && x->target->float16 && x->target->denorms_kept16 &&
        (width == 32 || lower_native(x, CLC_PROBE_DOUBLE_TO_HALF, 64))) {
        spv_id half = lower_vector_type(x, spv_type_float(x->module, 16), spv_type_count(x->module, type));
        return lower_bits_of(x, lower_op1(x, SpvOpFConvert, half, value));
    }
    const spv_id args[] = {value, spv_const_u32(x->module, mode)};
    return lanes_of_calls(x, width == 64 ? "__pumice_half_bits_f64" : "__pumice_half_bits_f32",
                          spv_type_int(x->module, 16), 2, args);
}

/* float __pumice_float_from_half_bits(ushort) */
spv_id lower_from_half_bits(struct builtin_lowering *x, spv_id bits)
{
    spv_id type = spv_value_type(x->module, bits);
    uint32_t lanes = spv_type_count(x->module, type);
    spv_id component = spv_type_float(x->module, 32);
    if (x->target->float16 && x->target->denorms_kept16) {
        spv_id half = lower_vector_type(x, spv_type_float(x->module, 16), lanes);
        return lower_op1(x, SpvOpFConvert, lower_vector_type(x, component, lanes),
                         lower_op1(x, SpvOpBitcast, half, bits));
    }
    return lanes_of_calls(x, "__pumice_float_from_half_bits", component, 1, &bits);
}

/* ---- floats to integers ---- */

spv_id lower_to_whole(struct builtin_lowering *x, uint32_t number, spv_id value)
{
    spv_id type = spv_value_type(x->module, value);
    uint32_t width = width_of(x, value);
    if (lower_native(x, CLC_PROBE_ROUND, width))
        return lower_glsl1(x, type, number, value);
    if (width == 16) {
        spv_id wide = lower_vector_type(x, spv_type_float(x->module, 32), spv_type_count(x->module, type));
        return lower_op1(x, SpvOpFConvert, type, lower_to_whole(x, number, lower_op1(x, SpvOpFConvert, wide, value)));
    }
    char name[64];
    snprintf(name, sizeof(name), "__pumice_%s_f%u",
             number == GLSLstd450Trunc   ? "trunc"
             : number == GLSLstd450Floor ? "floor"
             : number == GLSLstd450Ceil  ? "ceil"
                                         : "rint",
             width);
    return lanes_of_calls(x, name, spv_type_component(x->module, type), 1, &value);
}

static spv_id round_to_integral(struct builtin_lowering *x, spv_id value, enum rounding mode)
{
    static const uint8_t numbers[] = {
        [MODE_RTE] = GLSLstd450RoundEven, [MODE_RTP] = GLSLstd450Ceil, [MODE_RTN] = GLSLstd450Floor};
    if (mode == MODE_DEFAULT || mode == MODE_RTZ)
        return value;
    return lower_to_whole(x, numbers[mode], value);
}

/* Integers below 32 bits are made from 32-bit ones, so that values out of range at least give the same everywhere. */
static spv_id convert_in_range(struct builtin_lowering *x, spv_id value, bool is_signed)
{
    SpvOp op = is_signed || x->width < 32 ? SpvOpConvertFToS : SpvOpConvertFToU;
    if (x->width >= 32)
        return lower_op1(x, op, x->type, value);
    spv_id wide = lower_int_like(x, x->type, 32);
    return lower_op1(x, SpvOpUConvert, x->type, lower_op1(x, SpvOpConvertFToS, wide, value));
}

/* in range ? convert(value) : value > 0 ? MAX : value < 0 ? MIN : 0 (NaN). The limits are powers of two, exact in f32.
 */
static spv_id convert_saturating(struct builtin_lowering *x, spv_id value, bool is_signed)
{
    spv_id type = spv_value_type(x->module, value), boolean = lower_bool_type(x, x->lanes);
    double above = ldexp(1.0, (int)x->width - is_signed), least = is_signed ? -above : 0.0;
    spv_id low = lower_op2(x, SpvOpFOrdGreaterThanEqual, boolean, value, lower_float_constant(x, type, least));
    spv_id high = lower_op2(x, SpvOpFOrdLessThan, boolean, value, lower_float_constant(x, type, above));
    spv_id inside = lower_op2(x, SpvOpLogicalAnd, boolean, low, high), zero = lower_float_constant(x, type, 0.0);
    spv_id safe = lower_op3(x, SpvOpSelect, type, inside, value, zero);
    uint64_t all = x->width == 64 ? UINT64_MAX : ((uint64_t)1 << x->width) - 1, max = all >> is_signed;
    spv_id positive = lower_op2(x, SpvOpFOrdGreaterThan, boolean, value, zero);
    spv_id negative = lower_op2(x, SpvOpFOrdLessThan, boolean, value, zero);
    spv_id none = lower_constant(x, x->type, 0);
    spv_id below =
        is_signed ? lower_op3(x, SpvOpSelect, x->type, negative, lower_constant(x, x->type, ~max), none) : none;
    spv_id outside = lower_op3(x, SpvOpSelect, x->type, positive, lower_constant(x, x->type, max), below);
    return lower_op3(x, SpvOpSelect, x->type, inside, convert_in_range(x, safe, is_signed), outside);
}

static spv_id float_to_int(struct builtin_lowering *x)
{
    enum rounding mode = rounding_of(x);
    bool saturate = saturates(x), is_signed = x->inst->op == SpvOpConvertFToS;
    spv_id value = x->args[0];
    if (mode == MODE_DEFAULT && !saturate && x->width >= 32)
        return x->width == 64 && !x->target->int64 ? lower_long_from_float(x) : x->inst->id;
    if (width_of(x, value) == 16)
        value = lower_op1(x, SpvOpFConvert, lower_vector_type(x, spv_type_float(x->module, 32), x->lanes), value);
    value = round_to_integral(x, value, mode);
    return saturate ? convert_saturating(x, value, is_signed) : convert_in_range(x, value, is_signed);
}

/* ---- integers to floats ---- */

/* float __pumice_float_from_int_f32(ulong magnitude, uint negative, uint mode) and _f64 */
static spv_id directed_from_int(struct builtin_lowering *x, spv_id value, bool is_signed, uint32_t to,
                                enum rounding mode)
{
    spv_id wide = lower_int_like(x, spv_value_type(x->module, value), 64), u32 = lower_int_like(x, wide, 32);
    spv_id extended = lower_resize(x, wide, value, is_signed), negative = lower_constant(x, u32, 0);
    if (is_signed) {
        spv_id below = lower_op2(x, SpvOpSLessThan, lower_bool_type(x, x->lanes), extended, lower_constant(x, wide, 0));
        negative = lower_op3(x, SpvOpSelect, u32, below, lower_constant(x, u32, 1), negative);
        extended = lower_op3(x, SpvOpSelect, wide, below, lower_op1(x, SpvOpSNegate, wide, extended), extended);
    }
    const spv_id args[] = {extended, negative, spv_const_u32(x->module, library_mode(mode))};
    return lanes_of_calls(x, to == 64 ? "__pumice_float_from_int_f64" : "__pumice_float_from_int_f32",
                          spv_type_float(x->module, to), 3, args);
}

/* A uint to float on devices that round large ones twice: from 2^31 on by way of an int of half the size, whose last
 * bit says whether anything was lost. */
static spv_id uint_to_float(struct builtin_lowering *x, spv_id value)
{
    spv_id type = spv_value_type(x->module, value), one = lower_constant(x, type, 1);
    spv_id half = lower_op2(x, SpvOpShiftRightLogical, type, value, one);
    half = lower_op2(x, SpvOpBitwiseOr, type, half, lower_op2(x, SpvOpBitwiseAnd, type, value, one));
    spv_id large = lower_op2(x, SpvOpSLessThan, lower_bool_type(x, x->lanes), value, lower_constant(x, type, 0));
    spv_id number = lower_op1(x, SpvOpConvertSToF, x->type, lower_op3(x, SpvOpSelect, type, large, half, value));
    spv_id twice = lower_op2(x, SpvOpFMul, x->type, number, lower_float_constant(x, x->type, 2.0));
    return lower_op3(x, SpvOpSelect, x->type, large, twice, number);
}

static spv_id int_to_float(struct builtin_lowering *x)
{
    enum rounding mode = rounding_of(x);
    bool is_signed = x->inst->op == SpvOpConvertSToF;
    spv_id value = x->args[0];
    uint32_t from = width_of(x, value);
    if (x->width == 16) {
        /* Above 2^24, where f32 rounds, every half is infinite or the largest finite one anyway. */
        spv_id wide = lower_vector_type(x, spv_type_float(x->module, 32), x->lanes);
        spv_id single = lower_op1(x, (SpvOp)x->inst->op, wide, value);
        return from < 16 ? lower_op1(x, SpvOpFConvert, x->type, single)
                         : narrow(x, x->type, single, library_mode(mode));
    }
    bool exact = from < 32 || (from == 32 && x->width == 64);
    if (mode <= MODE_RTE && from == 32 && x->width == 32 && !is_signed && !lower_native(x, CLC_PROBE_UINT_TO_FLOAT, 32))
        return uint_to_float(x, value);
    bool twice = x->width == 32 && !lower_native(x, CLC_PROBE_ULONG_TO_FLOAT, 32);
    if (mode <= MODE_RTE || exact)
        return from == 64 && (!x->target->int64 || twice) ? lower_float_from_long(x) : x->inst->id;
    return directed_from_int(x, value, is_signed, x->width, mode);
}

/* ---- floats to floats ---- */

static spv_id float_to_float(struct builtin_lowering *x)
{
    enum rounding mode = rounding_of(x);
    spv_id value = x->args[0];
    uint32_t from = width_of(x, value);
    if (from < x->width)
        return x->inst->id;
    bool good = from == 32 || x->width == 32 || lower_native(x, CLC_PROBE_DOUBLE_TO_HALF, 64);
    if (mode <= MODE_RTE && good)
        return x->inst->id;
    return narrow(x, x->type, value, library_mode(mode));
}

/* ---- integers to integers, saturating ---- */

static spv_id int_to_int(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    bool from_signed = op == SpvOpSConvert || op == SpvOpSatConvertSToU;
    bool to_signed = op == SpvOpSConvert || op == SpvOpSatConvertUToS;
    bool saturate = op == SpvOpSatConvertSToU || op == SpvOpSatConvertUToS || saturates(x);
    if (!saturate)
        return x->inst->id;
    spv_id value = x->args[0], type = spv_value_type(x->module, value);
    uint32_t from = spv_type_width(x->module, type);
    uint32_t from_bits = from - from_signed, to_bits = x->width - to_signed;
    uint64_t max = to_bits == 64 ? UINT64_MAX : ((uint64_t)1 << to_bits) - 1;
    if (from_signed) {
        uint64_t min = to_signed ? ~max : 0;
        if (!to_signed || to_bits < from_bits)
            value = lower_glsl2(x, type, GLSLstd450SMax, value, lower_constant(x, type, min));
    }
    if (to_bits < from_bits)
        value =
            lower_glsl2(x, type, from_signed ? GLSLstd450SMin : GLSLstd450UMin, value, lower_constant(x, type, max));
    return lower_resize(x, x->type, value, from_signed);
}

static spv_id lower_conversion(struct builtin_lowering *x)
{
    switch (spv_op_class(x->inst->op)) {
    case SPV_CLASS_FLOAT_TO_INT:
        return float_to_int(x);
    case SPV_CLASS_INT_TO_FLOAT:
        return int_to_float(x);
    case SPV_CLASS_FLOAT_TO_FLOAT:
        if (x->inst->op == SpvOpFConvert)
            return float_to_float(x);
        return lower_from_half_bits(x, lower_to_half_bits(x, x->args[0], LOWER_ROUND_RTE));
    default:
        return int_to_int(x);
    }
}

/* Lowers core conversions. Vulkan knows neither the decoration for saturation nor the one for rounding on them. */
spv_id lower_core_convert(struct builtin_lowering *x)
{
    spv_id value = lower_conversion(x);
    if (value == x->inst->id && (rounding_of(x) != MODE_DEFAULT || saturates(x)))
        spv_remove_annotations(x->module, value);
    return value;
}
