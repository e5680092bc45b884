/* Lowering of functions on floats that take a few instructions: parts of the math chapter, common, geometric and
 * relational functions (OpenCL C 3.0, 6.15.2, 6.15.4 to 6.15.6), and float instructions that Vulkan lacks or does not
 * do exactly. Classification (isnan and the like) works on the bits as integers: drivers may assume that there are no
 * NaNs, but they cannot assume anything about integers. */
#include "compiler/lower/builtins/builtins.h"

#include "compiler/program_flags.h"

#include <stdio.h>

/* Macros, as spv_emitv() is: their arguments emit in turn. */
#define op(x, code, left, right)      lower_op2(x, code, (x)->type, left, right)
#define compare(x, code, left, right) lower_op2(x, code, lower_bool_type(x, (x)->lanes), left, right)
#define choose(x, condition, yes, no) lower_op3(x, SpvOpSelect, (x)->type, condition, yes, no)

static spv_id number(struct builtin_lowering *x, double value)
{
    return lower_float_constant(x, x->type, value);
}

static uint64_t sign_bit(uint32_t width)
{
    return (uint64_t)1 << (width - 1);
}

static uint64_t infinity_bits(uint32_t width)
{
    return width == 16 ? 0x7c00 : width == 32 ? 0x7f800000 : 0x7ff0000000000000;
}

static uint64_t smallest_normal_bits(uint32_t width)
{
    return width == 16 ? 0x0400 : width == 32 ? 0x00800000 : 0x0010000000000000;
}

/* The bits without the sign. */
static spv_id magnitude_bits(struct builtin_lowering *x, spv_id value)
{
    spv_id bits = lower_bits_of(x, value), type = spv_value_type(x->module, bits);
    uint32_t width = spv_type_width(x->module, type);
    return lower_op2(x, SpvOpBitwiseAnd, type, bits, lower_constant(x, type, sign_bit(width) - 1));
}

/* The comparison "magnitude CODE limit" as a bool in each lane; CODE compares unsigned integers. */
static spv_id classify(struct builtin_lowering *x, SpvOp code, spv_id value, uint64_t limit)
{
    spv_id bits = magnitude_bits(x, value), type = spv_value_type(x->module, bits);
    return lower_op2(x, code, lower_bool_type(x, spv_type_count(x->module, type)), bits,
                     lower_constant(x, type, limit));
}

static uint32_t width_of(const struct builtin_lowering *x, spv_id value)
{
    return spv_type_width(x->module, spv_value_type(x->module, value));
}

static spv_id is_nan(struct builtin_lowering *x, spv_id value)
{
    return classify(x, SpvOpUGreaterThan, value, infinity_bits(width_of(x, value)));
}

/* ---- math ---- */

spv_id lower_fn_copysign(struct builtin_lowering *x)
{
    spv_id bits = lower_int_like(x, x->type, x->width);
    spv_id sign =
        lower_op2(x, SpvOpBitwiseAnd, bits, lower_bits_of(x, x->args[1]), lower_constant(x, bits, sign_bit(x->width)));
    spv_id merged = lower_op2(x, SpvOpBitwiseOr, bits, magnitude_bits(x, x->args[0]), sign);
    return lower_op1(x, SpvOpBitcast, x->type, merged);
}

/* x - y where x > y, +0 where x <= y, NaN where either is */
spv_id lower_fn_fdim(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1], difference = op(x, SpvOpFSub, a, b);
    spv_id result = choose(x, compare(x, SpvOpFOrdLessThanEqual, a, b), number(x, 0.0), difference);
    return result;
}

/* "If one argument is a NaN, fmax() returns the other argument" */
static spv_id min_max(struct builtin_lowering *x, spv_id a, spv_id b, bool max)
{
    if (!x->in_library && (x->lower->program_flags & (PROGRAM_FINITE_ONLY | PROGRAM_FAST_RELAXED)))
        return lower_glsl2(x, x->type, max ? GLSLstd450FMax : GLSLstd450FMin, a, b);
    if (lower_native(x, CLC_PROBE_FMIN_FMAX, x->width))
        return lower_glsl2(x, x->type, max ? GLSLstd450NMax : GLSLstd450NMin, a, b);
    spv_id pick_b = compare(x, max ? SpvOpFOrdLessThan : SpvOpFOrdGreaterThan, a, b);
    pick_b = lower_op2(x, SpvOpLogicalOr, lower_bool_type(x, x->lanes), pick_b, is_nan(x, a));
    return choose(x, pick_b, b, a);
}

spv_id lower_fn_fmax(struct builtin_lowering *x)
{
    return min_max(x, x->args[0], x->args[1], true);
}

spv_id lower_fn_fmin(struct builtin_lowering *x)
{
    return min_max(x, x->args[0], x->args[1], false);
}

/* x if |x| > |y|, y if |y| > |x|, else fmax(x, y). Where fmin and fmax are instructions: fmin(x, y) if that has the
 * larger magnitude, else fmax(x, y). Magnitudes are compared as integers, so that subnormals count on every device. */
static spv_id magnitude_min_max(struct builtin_lowering *x, bool max)
{
    spv_id a = x->args[0], b = x->args[1];
    if (lower_native(x, CLC_PROBE_FMIN_FMAX, x->width)) {
        spv_id first = min_max(x, a, b, max), other = min_max(x, a, b, !max);
        spv_id other_wins =
            compare(x, max ? SpvOpUGreaterThan : SpvOpULessThan, magnitude_bits(x, other), magnitude_bits(x, first));
        return choose(x, other_wins, other, first);
    }
    spv_id size_a = magnitude_bits(x, a), size_b = magnitude_bits(x, b);
    spv_id a_wins = compare(x, max ? SpvOpUGreaterThan : SpvOpULessThan, size_a, size_b);
    spv_id b_wins = compare(x, max ? SpvOpULessThan : SpvOpUGreaterThan, size_a, size_b);
    if (max) { /* NaN is the largest, but not taken */
        spv_id limit = lower_constant(x, spv_value_type(x->module, size_a), infinity_bits(x->width));
        spv_id boolean = lower_bool_type(x, x->lanes);
        a_wins = lower_op2(x, SpvOpLogicalAnd, boolean, a_wins, compare(x, SpvOpULessThanEqual, size_a, limit));
        b_wins = lower_op2(x, SpvOpLogicalAnd, boolean, b_wins, compare(x, SpvOpULessThanEqual, size_b, limit));
    }
    return choose(x, a_wins, a, choose(x, b_wins, b, min_max(x, a, b, max)));
}

spv_id lower_fn_maxmag(struct builtin_lowering *x)
{
    return magnitude_min_max(x, true);
}

spv_id lower_fn_minmag(struct builtin_lowering *x)
{
    return magnitude_min_max(x, false);
}

/* OpenCL C 3.0, 6.15.2: fmin(x - floor(x), C), floor(x) to *iptr. 7.5.1: fract(±0) = ±0, fract(±inf) = ±0 and *iptr =
 * ±inf */
spv_id lower_fn_fract(struct builtin_lowering *x)
{
    spv_id value = x->args[0], whole = lower_to_whole(x, GLSLstd450Floor, value);
    spv_id limit = number(x, x->width == 16 ? 0x1.ffcp-1 : x->width == 32 ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1);
    spv_id rest = op(x, SpvOpFSub, value, whole); /* NaN stays */
    rest = choose(x, compare(x, SpvOpFOrdGreaterThan, rest, limit), limit, rest);
    /* A subnormal that is flushed equals its double, but such a value is whole only if the device flushes all of them.
     */
    spv_id zero_or_infinite = compare(x, SpvOpFOrdEqual, op(x, SpvOpFAdd, value, value), value);
    zero_or_infinite = lower_op2(x, SpvOpLogicalAnd, lower_bool_type(x, x->lanes), zero_or_infinite,
                                 compare(x, SpvOpFOrdEqual, value, whole));
    spv_id bits = lower_int_like(x, x->type, x->width);
    spv_id sign =
        lower_op2(x, SpvOpBitwiseAnd, bits, lower_bits_of(x, value), lower_constant(x, bits, sign_bit(x->width)));
    uint32_t align = x->width / 8 * (x->lanes == 3 ? 4 : x->lanes);
    spv_emitv_void(&x->b, SpvOpStore, x->args[1], whole, SpvMemoryAccessAlignedMask, align);
    return choose(x, zero_or_infinite, lower_op1(x, SpvOpBitcast, x->type, sign), rest);
}

/* OpenCL C 3.0, 6.15.2: mad rounds once or twice, and GLSL.std.450 promises just that. */
spv_id lower_fn_mad(struct builtin_lowering *x)
{
    return lower_glsl(x, x->type, GLSLstd450Fma, 3, x->args);
}

spv_id lower_fn_nan(struct builtin_lowering *x)
{
    spv_id type = spv_value_type(x->module, x->args[0]);
    uint64_t quiet = smallest_normal_bits(x->width) >> 1;
    spv_id code = lower_op2(x, SpvOpBitwiseAnd, type, x->args[0], lower_constant(x, type, quiet - 1));
    spv_id bits = lower_op2(x, SpvOpBitwiseOr, type, code, lower_constant(x, type, infinity_bits(x->width) | quiet));
    return lower_op1(x, SpvOpBitcast, x->type, bits);
}

/* Rounds halfway cases away from zero (GLSL's Round may round them either way): trunc(x), one further out where |x -
 * trunc(x)| >= 1/2. */
spv_id lower_fn_round(struct builtin_lowering *x)
{
    spv_id value = x->args[0], whole = lower_to_whole(x, GLSLstd450Trunc, value);
    spv_id rest = lower_glsl1(x, x->type, GLSLstd450FAbs, op(x, SpvOpFSub, value, whole));
    spv_id positive = compare(x, SpvOpFOrdGreaterThan, value, number(x, 0.0));
    spv_id away = op(x, SpvOpFAdd, whole, choose(x, positive, number(x, 1.0), number(x, -1.0)));
    return choose(x, compare(x, SpvOpFOrdGreaterThanEqual, rest, number(x, 0.5)), away, whole);
}

/* ---- quotients ---- */

spv_id lower_rough_quotient(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id id = op(x, SpvOpFDiv, a, b);
    u64_map_set(x->module->arena, &x->rough, id, x);
    return id;
}

spv_id lower_fn_native_divide(struct builtin_lowering *x)
{
    return lower_rough_quotient(x, x->args[0], x->args[1]);
}

spv_id lower_fn_native_recip(struct builtin_lowering *x)
{
    return lower_rough_quotient(x, number(x, 1.0), x->args[0]);
}

spv_id lower_fn_divide(struct builtin_lowering *x)
{
    return op(x, SpvOpFDiv, x->args[0], x->args[1]);
}

spv_id lower_fn_recip(struct builtin_lowering *x)
{
    return op(x, SpvOpFDiv, number(x, 1.0), x->args[0]);
}

spv_id lower_fn_native_exp10(struct builtin_lowering *x)
{
    if (x->width == 64)
        return lower_library_lanes(x, "exp10", false);
    return lower_glsl1(x, x->type, GLSLstd450Exp2, op(x, SpvOpFMul, x->args[0], number(x, 3.32192809488736234787)));
}

spv_id lower_fn_native_log10(struct builtin_lowering *x)
{
    if (x->width == 64)
        return lower_library_lanes(x, "log10", false);
    spv_id log2 = lower_glsl1(x, x->type, GLSLstd450Log2, x->args[0]);
    return op(x, SpvOpFMul, log2, number(x, 0.301029995663981195214));
}

/* ---- common functions: OpenCL C 3.0, 6.15.4 ---- */

spv_id lower_fn_fmax_common(struct builtin_lowering *x)
{
    return lower_glsl2(x, x->type, GLSLstd450FMax, x->args[0], x->args[1]);
}

spv_id lower_fn_fmin_common(struct builtin_lowering *x)
{
    return lower_glsl2(x, x->type, GLSLstd450FMin, x->args[0], x->args[1]);
}

spv_id lower_fn_fclamp(struct builtin_lowering *x)
{
    if (lower_native(x, CLC_PROBE_FMIN_FMAX, x->width))
        return lower_glsl(x, x->type, GLSLstd450NClamp, 3, x->args);
    return min_max(x, min_max(x, x->args[0], x->args[1], true), x->args[2], false);
}

spv_id lower_fn_degrees(struct builtin_lowering *x)
{
    return op(x, SpvOpFMul, x->args[0], number(x, 57.29577951308232087680));
}

spv_id lower_fn_radians(struct builtin_lowering *x)
{
    return op(x, SpvOpFMul, x->args[0], number(x, 0.01745329251994329577));
}

/* x + (y - x) * a */
spv_id lower_fn_mix(struct builtin_lowering *x)
{
    spv_id scaled = op(x, SpvOpFMul, op(x, SpvOpFSub, x->args[1], x->args[0]), x->args[2]);
    return op(x, SpvOpFAdd, x->args[0], scaled);
}

spv_id lower_fn_step(struct builtin_lowering *x)
{
    return choose(x, compare(x, SpvOpFOrdLessThan, x->args[1], x->args[0]), number(x, 0.0), number(x, 1.0));
}

/* t = clamp((x - edge0) / (edge1 - edge0), 0, 1); t * t * (3 - 2 t) */
spv_id lower_fn_smoothstep(struct builtin_lowering *x)
{
    spv_id edge0 = x->args[0], edge1 = x->args[1];
    spv_id t = op(x, SpvOpFDiv, op(x, SpvOpFSub, x->args[2], edge0), op(x, SpvOpFSub, edge1, edge0));
    t = min_max(x, t, number(x, 0.0), true);
    t = min_max(x, t, number(x, 1.0), false);
    spv_id slope = op(x, SpvOpFSub, number(x, 3.0), op(x, SpvOpFMul, number(x, 2.0), t));
    return op(x, SpvOpFMul, op(x, SpvOpFMul, t, t), slope);
}

/* 1, -1, or ±0 as x; 0 for NaN. It looks at the bits: a subnormal has a sign on hardware that flushes it, too. */
spv_id lower_fn_sign(struct builtin_lowering *x)
{
    spv_id value = x->args[0], bits = lower_int_like(x, x->type, x->width);
    spv_id sign =
        lower_op2(x, SpvOpBitwiseAnd, bits, lower_bits_of(x, value), lower_constant(x, bits, sign_bit(x->width)));
    spv_id one = lower_op2(x, SpvOpBitwiseOr, bits, sign, lower_bits_of(x, number(x, 1.0)));
    spv_id result = choose(x, classify(x, SpvOpIEqual, value, 0), value, lower_op1(x, SpvOpBitcast, x->type, one));
    return choose(x, is_nan(x, value), number(x, 0.0), result);
}

/* ---- geometric functions: OpenCL C 3.0, 6.15.5 ---- */

static spv_id component_type(struct builtin_lowering *x)
{
    return spv_type_component(x->module, x->type);
}

static uint32_t lanes_of(const struct builtin_lowering *x, spv_id value)
{
    return spv_type_count(x->module, spv_value_type(x->module, value));
}

spv_id lower_fn_cross(struct builtin_lowering *x)
{
    spv_id a = x->args[0], b = x->args[1], scalar = component_type(x), lanes[4];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        spv_id left = lower_op2(x, SpvOpFMul, scalar, lower_lane(x, a, j), lower_lane(x, b, k));
        spv_id right = lower_op2(x, SpvOpFMul, scalar, lower_lane(x, a, k), lower_lane(x, b, j));
        lanes[i] = lower_op2(x, SpvOpFSub, scalar, left, right);
    }
    lanes[3] = lower_float_constant(x, scalar, 0.0);
    return lower_gather(x, scalar, x->lanes, lanes);
}

/* OpenCL C 3.0, 7.4 leaves the sum's order and roundings free: operations are fused where that is one instruction. */
static spv_id dot_product(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id type = spv_value_type(x->module, a), scalar = spv_type_component(x->module, type);
    if (!x->in_library && lower_exact(x, CLC_PROBE_FMA, spv_type_width(x->module, scalar))) {
        spv_id fused = lower_op2(x, SpvOpFMul, scalar, lower_lane(x, a, 0), lower_lane(x, b, 0));
        for (uint32_t i = 1; i < spv_type_count(x->module, type); i++) {
            const spv_id args[] = {lower_lane(x, a, i), lower_lane(x, b, i), fused};
            fused = lower_glsl(x, scalar, GLSLstd450Fma, 3, args);
        }
        return fused;
    }
    spv_id products = lower_op2(x, SpvOpFMul, type, a, b), sum = lower_lane(x, products, 0);
    for (uint32_t i = 1; i < spv_type_count(x->module, type); i++)
        sum = lower_op2(x, SpvOpFAdd, scalar, sum, lower_lane(x, products, i));
    return sum;
}

/* Calls a geometric body, which takes four lanes (missing ones are 0) and gives a scalar. Halfs are computed in f32,
 * where nothing overflows. */
static spv_id call_geometric(struct builtin_lowering *x, const char *name, spv_id vector)
{
    spv_id args[4], scalar = spv_type_component(x->module, spv_value_type(x->module, vector));
    uint32_t width = spv_type_width(x->module, scalar), lanes = lanes_of(x, vector);
    spv_id single = spv_type_float(x->module, width == 16 ? 32 : width);
    for (uint32_t i = 0; i < 4; i++) {
        args[i] = i < lanes ? lower_lane(x, vector, i) : lower_float_constant(x, scalar, 0.0);
        if (width == 16)
            args[i] = lower_op1(x, SpvOpFConvert, single, args[i]);
    }
    char full[64];
    snprintf(full, sizeof(full), "__pumice_%s_f%u", name, width == 16 ? 32 : width);
    spv_id value = lower_library_call(x, full, 4, args);
    return value && width == 16 ? lower_op1(x, SpvOpFConvert, scalar, value) : value;
}

spv_id lower_fn_length(struct builtin_lowering *x)
{
    if (lanes_of(x, x->args[0]) == 1)
        return lower_glsl1(x, x->type, GLSLstd450FAbs, x->args[0]);
    return call_geometric(x, "length", x->args[0]);
}

spv_id lower_fn_distance(struct builtin_lowering *x)
{
    x->args[0] = lower_op2(x, SpvOpFSub, spv_value_type(x->module, x->args[0]), x->args[0], x->args[1]);
    return lower_fn_length(x);
}

static spv_id splat(struct builtin_lowering *x, spv_id scalar)
{
    const spv_id lanes[16] = {scalar, scalar, scalar, scalar};
    return lower_gather(x, component_type(x), x->lanes, lanes);
}

/* normalize_scale gives a power of two that brings the vector near 1; the scaled vector is then divided by its length,
 * or by 1 where it is 0. OpenCL C 3.0, 7.5.1: normalize of 0 is 0, of infinities the direction of
 * the infinite lanes. */
spv_id lower_fn_normalize(struct builtin_lowering *x)
{
    spv_id value = x->args[0];
    if (x->lanes == 1)
        return choose(x, is_nan(x, value), value, lower_fn_sign(x));
    if (x->width == 16) {
        spv_id wide = lower_vector_type(x, spv_type_float(x->module, 32), x->lanes);
        spv_id arg = lower_op1(x, SpvOpFConvert, wide, value);
        spv_id single =
            spv_emit_ext(&x->b, wide, spv_import_ext_inst(x->module, "OpenCL.std"), OpenCLstd_Normalize, 1, &arg);
        return lower_op1(x, SpvOpFConvert, x->type, single);
    }
    spv_id infinite = classify(x, SpvOpIEqual, value, infinity_bits(x->width)), boolean = spv_type_bool(x->module);
    spv_id any = lower_op1(x, SpvOpAny, boolean, infinite);
    spv_id directions = choose(x, infinite, lower_fn_sign(x), number(x, 0.0)), conditions[4] = {any, any, any, any};
    spv_id nans = lower_op1(x, SpvOpAny, boolean, is_nan(x, value));
    spv_id no_nan = lower_op1(x, SpvOpLogicalNot, boolean, nans);
    for (uint32_t i = 0; i < x->lanes; i++)
        conditions[i] = lower_op2(x, SpvOpLogicalAnd, boolean, any, no_nan);
    value = choose(x, lower_gather(x, boolean, x->lanes, conditions), directions, value);
    spv_id scale = call_geometric(x, "normalize_scale", value);
    if (!scale)
        return 0;
    value = op(x, SpvOpFMul, value, splat(x, scale));
    spv_id squared = dot_product(x, value, value);
    spv_id length = spv_emit_ext(&x->b, component_type(x), spv_import_ext_inst(x->module, "OpenCL.std"), OpenCLstd_Sqrt,
                                 1, &squared);
    spv_id is_zero = lower_op2(x, SpvOpFOrdEqual, boolean, squared, lower_float_constant(x, component_type(x), 0.0));
    length =
        lower_op3(x, SpvOpSelect, component_type(x), is_zero, lower_float_constant(x, component_type(x), 1.0), length);
    return op(x, SpvOpFDiv, value, splat(x, length));
}

spv_id lower_fn_fast_length(struct builtin_lowering *x)
{
    return lower_glsl1(x, x->type, GLSLstd450Sqrt, dot_product(x, x->args[0], x->args[0]));
}

spv_id lower_fn_fast_distance(struct builtin_lowering *x)
{
    x->args[0] = lower_op2(x, SpvOpFSub, spv_value_type(x->module, x->args[0]), x->args[0], x->args[1]);
    return lower_fn_fast_length(x);
}

/* p * half_rsqrt(p.x^2 + p.y^2 + ...); "the result shall be p" where the sum is 0 */
spv_id lower_fn_fast_normalize(struct builtin_lowering *x)
{
    spv_id scalar = component_type(x), sum = dot_product(x, x->args[0], x->args[0]);
    spv_id factor = lower_glsl1(x, scalar, GLSLstd450InverseSqrt, sum);
    spv_id zero = lower_op2(x, SpvOpFOrdEqual, spv_type_bool(x->module), sum, lower_float_constant(x, scalar, 0.0));
    factor = lower_op3(x, SpvOpSelect, scalar, zero, lower_float_constant(x, scalar, 1.0), factor);
    return op(x, SpvOpFMul, x->args[0], splat(x, factor));
}

/* ---- relational functions: OpenCL C 3.0, 6.15.6 ---- */

/* (a & ~c) | (b & c) on the bits */
spv_id lower_fn_bitselect(struct builtin_lowering *x)
{
    bool is_float = spv_type_is_float(x->module, x->type);
    spv_id type = is_float ? lower_int_like(x, x->type, x->width) : x->type, a[3];
    for (uint32_t i = 0; i < 3; i++)
        a[i] = is_float ? lower_bits_of(x, x->args[i]) : x->args[i];
    spv_id differ = lower_op2(x, SpvOpBitwiseXor, type, a[0], a[1]);
    spv_id taken = lower_op2(x, SpvOpBitwiseAnd, type, differ, a[2]);
    spv_id bits = lower_op2(x, SpvOpBitwiseXor, type, a[0], taken);
    return is_float ? lower_op1(x, SpvOpBitcast, x->type, bits) : bits;
}

/* scalars: c ? b : a; vectors: by the most significant bit of each lane */
spv_id lower_fn_select(struct builtin_lowering *x)
{
    spv_id mask = spv_value_type(x->module, x->args[2]), zero = lower_constant(x, mask, 0);
    SpvOp test = x->lanes == 1 ? SpvOpINotEqual : SpvOpSLessThan;
    return choose(x, compare(x, test, x->args[2], zero), x->args[1], x->args[0]);
}

/* ---- core instructions ---- */

static bool is_rough(const struct builtin_lowering *x)
{
    return u64_map_get(&x->rough, x->inst->id) != NULL;
}

static uint32_t fast_math_mode(const struct builtin_lowering *x)
{
    const struct spv_inst *mode = spv_find_decoration(x->module, x->inst->id, SpvDecorationFPFastMathMode);
    return mode && mode->num_words > 2 ? mode->words[2] : 0;
}

/* The relaxed bounds are those of float: OpenCL C 3.0, 7.4. */
static bool is_relaxed(const struct builtin_lowering *x)
{
    const uint32_t relaxing = SpvFPFastMathModeAllowRecipMask | SpvFPFastMathModeFastMask;
    bool relaxed = lower_is_relaxed(x) || (!x->in_library && (fast_math_mode(x) & relaxing));
    return is_rough(x) || (x->width == 32 && relaxed);
}

/* (x * s) / (y * s), where s is 1 but for divisors whose reciprocal is subnormal:
 *     s = |y| > 2^126 ? 1/4 : 1 */
static spv_id quotient_of_quarters(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id large = compare(x, SpvOpFOrdGreaterThan, lower_glsl1(x, x->type, GLSLstd450FAbs, b), number(x, 0x1p126));
    spv_id scale = choose(x, large, number(x, 0.25), number(x, 1.0));
    spv_id divisor = op(x, SpvOpFMul, b, scale);
    return lower_rough_quotient(x, op(x, SpvOpFMul, a, scale), divisor);
}

/* x / (y * s) * s, where s is 1 but for divisors beyond what Vulkan makes a promise for:
 *     s = |y| > 2^96 ? 2^-32 : |y| < 2^-96 ? 2^32 : 1
 * The quotient overflows or vanishes where the right one does; the last multiplication rounds a subnormal only. */
static spv_id scaled_quotient(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id size = lower_glsl1(x, x->type, GLSLstd450FAbs, b);
    spv_id small = compare(x, SpvOpFOrdLessThan, size, number(x, 0x1p-96));
    spv_id large = compare(x, SpvOpFOrdGreaterThan, size, number(x, 0x1p96));
    spv_id scale = choose(x, small, number(x, 0x1p32), number(x, 1.0));
    scale = choose(x, large, number(x, 0x1p-32), scale);
    return op(x, SpvOpFMul, lower_rough_quotient(x, a, op(x, SpvOpFMul, b, scale)), scale);
}

/* The bits of a constant, the same in every lane. */
static bool uniform_constant(const struct builtin_lowering *x, spv_id value, uint64_t *bits)
{
    const struct spv_inst *def = spv_def(x->module, value);
    if (def->op != SpvOpConstantComposite)
        return spv_const_value(x->module, value, bits);
    for (uint32_t i = 0; i < def->num_words; i++) {
        uint64_t lane;
        if (!spv_const_value(x->module, def->words[i], &lane) || (i > 0 && lane != *bits))
            return false;
        *bits = lane;
    }
    return true;
}

/* A float divisor from 2^-96 to 2^96 */
static bool is_moderate(const struct builtin_lowering *x, spv_id value)
{
    uint64_t bits;
    return uniform_constant(x, value, &bits) && (bits >> 23 & 0xff) - 31 < 192;
}

static bool is_one(const struct builtin_lowering *x, spv_id value)
{
    uint64_t bits, one = x->width == 16 ? 0x3c00 : x->width == 32 ? 0x3f800000 : 0x3ff0000000000000;
    return uniform_constant(x, value, &bits) && bits == one;
}

static spv_id lower_divide(struct builtin_lowering *x)
{
    bool reciprocal = is_one(x, x->args[0]);
    if (reciprocal && x->width == 64 && lower_has_fast_bodies(x, 64) && lower_native(x, CLC_PROBE_DIV, 64)) {
        x->args[0] = x->args[1]; /* drivers divide, which takes longer */
        x->num_args = 1;
        return lower_library_lanes(x, "recip", false);
    }
    if (reciprocal && lower_exact(x, CLC_PROBE_RECIPROCAL, x->width))
        return x->inst->id;
    if (lower_divides_correctly(x, x->width) && !is_rough(x))
        return lower_exact(x, CLC_PROBE_DIV, 32) ? x->inst->id : lower_library_lanes(x, "div_correct", false);
    if (is_relaxed(x) || lower_native(x, reciprocal ? CLC_PROBE_RECIPROCAL : CLC_PROBE_DIV, x->width))
        return x->inst->id;
    bool large = lower_native(x, CLC_PROBE_DIV_LARGE, x->width),
         scaled = lower_native(x, CLC_PROBE_DIV_SCALED, x->width);
    if ((large || scaled) && is_moderate(x, x->args[1]))
        return x->inst->id;
    if (large)
        return quotient_of_quarters(x, x->args[0], x->args[1]);
    if (scaled)
        return scaled_quotient(x, x->args[0], x->args[1]);
    return lower_library_lanes(x, "div", false);
}

static spv_id lower_float_remainder(struct builtin_lowering *x)
{
    if (x->inst->op == SpvOpFRem && lower_native(x, CLC_PROBE_FREM, x->width))
        return x->inst->id;
    spv_id rest = lower_library_lanes(x, "fmod", false), b = x->args[1];
    if (!rest || x->inst->op == SpvOpFRem)
        return rest;
    spv_id zero = number(x, 0.0), boolean = lower_bool_type(x, x->lanes);
    spv_id nonzero = compare(x, SpvOpFUnordNotEqual, rest, zero);
    spv_id differ = lower_op2(x, SpvOpLogicalNotEqual, boolean, compare(x, SpvOpFOrdLessThan, rest, zero),
                              compare(x, SpvOpFOrdLessThan, b, zero));
    return choose(x, lower_op2(x, SpvOpLogicalAnd, boolean, nonzero, differ), op(x, SpvOpFAdd, rest, b), rest);
}

static spv_id lower_ordered(struct builtin_lowering *x)
{
    spv_id boolean = lower_bool_type(x, x->lanes);
    spv_id unordered = lower_op2(x, SpvOpLogicalOr, boolean, is_nan(x, x->args[0]), is_nan(x, x->args[1]));
    return x->inst->op == SpvOpUnordered ? unordered : lower_op1(x, SpvOpLogicalNot, boolean, unordered);
}

static spv_id lower_is_normal(struct builtin_lowering *x)
{
    uint32_t width = width_of(x, x->args[0]);
    spv_id not_small = classify(x, SpvOpUGreaterThanEqual, x->args[0], smallest_normal_bits(width));
    spv_id finite = classify(x, SpvOpULessThan, x->args[0], infinity_bits(width));
    return lower_op2(x, SpvOpLogicalAnd, lower_bool_type(x, x->lanes), not_small, finite);
}

static spv_id lower_sign_bit(struct builtin_lowering *x)
{
    spv_id bits = lower_bits_of(x, x->args[0]);
    return compare(x, SpvOpSLessThan, bits, lower_constant(x, spv_value_type(x->module, bits), 0));
}

spv_id lower_core_float(struct builtin_lowering *x)
{
    uint32_t width = width_of(x, x->args[0]);
    switch (x->inst->op) {
    case SpvOpFDiv:
        return lower_divide(x);
    case SpvOpFRem:
    case SpvOpFMod:
        return lower_float_remainder(x);
    case SpvOpDot:
        return dot_product(x, x->args[0], x->args[1]);
    case SpvOpIsNan:
        return is_nan(x, x->args[0]);
    case SpvOpIsInf:
        return classify(x, SpvOpIEqual, x->args[0], infinity_bits(width));
    case SpvOpIsFinite:
        return classify(x, SpvOpULessThan, x->args[0], infinity_bits(width));
    case SpvOpIsNormal:
        return lower_is_normal(x);
    case SpvOpSignBitSet:
        return lower_sign_bit(x);
    case SpvOpLessOrGreater:
        return compare(x, SpvOpFOrdNotEqual, x->args[0], x->args[1]);
    default:
        return lower_ordered(x);
    }
}
