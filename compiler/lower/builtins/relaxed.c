/* Float functions under -cl-unsafe-math-optimizations and -cl-fast-relaxed-math. The device's own function is used
 * where Vulkan 1.3 promises what OpenCL C 3.0, 7.4 (the table of unsafe math optimizations) asks for. Both tables were
 * made for the same hardware: sin and cos within 2^-11 on [-pi, pi], log and log2 within 2^-21 near 1, asin, acos and
 * atan within 4096 ULP; pow is exp2(y * log2 |x|). But for exp and exp2 Vulkan promises 3 + 2 |x| ULP and OpenCL asks
 * for 3 + floor(2 |x|), and what logarithms of subnormals are Vulkan leaves open. So the probe decides about these.
 *
 * Some functions keep the library's bodies: those that the table lists with 8192 ULP but whose derived forms lose
 * everything near 0 (expm1, log1p, sinh, tanh, atanh), and those of double and half, which the options do not relax.
 * Library bodies are never relaxed, since they rely on the accuracy of what they call. */
#include "compiler/lower/builtins/builtins.h"

#include "compiler/program_flags.h"

bool lower_is_relaxed(const struct builtin_lowering *x)
{
    return !x->in_library && (x->lower->program_flags & (PROGRAM_FAST_RELAXED | PROGRAM_UNSAFE_MATH));
}

bool lower_divides_correctly(const struct builtin_lowering *x, uint32_t width)
{
    return width == 32 && !x->in_library && (x->lower->program_flags & PROGRAM_CORRECT_DIVIDE_SQRT);
}

static spv_id number(struct builtin_lowering *x, double value)
{
    return lower_float_constant(x, x->type, value);
}

static spv_id multiply(struct builtin_lowering *x, spv_id a, spv_id b)
{
    return lower_op2(x, SpvOpFMul, x->type, a, b);
}

/* The device's logarithm. Where the device keeps subnormals, they are scaled up first, since drivers that take the
 * exponent out of the bits get them wrong. each: the logarithm of 2. */
static spv_id logarithm(struct builtin_lowering *x, enum clc_probe probe, uint32_t number_of, double each, spv_id value)
{
    if (!x->target->denorms_kept32 || lower_native_relaxed(x, probe))
        return lower_glsl1(x, x->type, number_of, value);
    spv_id bools = lower_bool_type(x, x->lanes);
    spv_id tiny = lower_op2(x, SpvOpFOrdLessThan, bools, value, number(x, 0x1p-126));
    spv_id scaled = lower_op3(x, SpvOpSelect, x->type, tiny, multiply(x, value, number(x, 0x1p32)), value);
    spv_id shift = lower_op3(x, SpvOpSelect, x->type, tiny, number(x, -32 * each), number(x, 0));
    return lower_op2(x, SpvOpFAdd, x->type, lower_glsl1(x, x->type, number_of, scaled), shift);
}

/* Whether it may be a program's own logarithm. Drivers that flush subnormals need not do so there: SwiftShader takes
 * them for 2^-127. */
static bool has_logarithm(const struct builtin_lowering *x, enum clc_probe probe)
{
    return x->target->denorms_kept32 || lower_native_relaxed(x, probe);
}

static spv_id log2_of(struct builtin_lowering *x, spv_id value)
{
    return logarithm(x, CLC_PROBE_LOG2, GLSLstd450Log2, 1, value);
}

static spv_id log2_of_magnitude(struct builtin_lowering *x, spv_id value)
{
    return log2_of(x, lower_glsl1(x, x->type, GLSLstd450FAbs, value));
}

/* value with its sign changed where from is negative and the integers in odd are odd */
static spv_id sign_of_odd_power(struct builtin_lowering *x, spv_id value, spv_id from, spv_id odd)
{
    spv_id bits = lower_int_like(x, x->type, 32);
    spv_id shifted = lower_op2(x, SpvOpShiftLeftLogical, bits, odd, lower_constant(x, bits, 31));
    spv_id sign = lower_op2(x, SpvOpBitwiseAnd, bits, lower_bits_of(x, from), shifted);
    spv_id result = lower_op2(x, SpvOpBitwiseXor, bits, lower_bits_of(x, value), sign);
    return lower_op1(x, SpvOpBitcast, x->type, result);
}

static spv_id relaxed_pow(struct builtin_lowering *x)
{
    spv_id power = multiply(x, x->args[1], log2_of_magnitude(x, x->args[0]));
    spv_id value = lower_glsl1(x, x->type, GLSLstd450Exp2, power);
    spv_id whole = lower_op1(x, SpvOpConvertFToS, lower_int_like(x, x->type, 32), x->args[1]);
    return sign_of_odd_power(x, value, x->args[0], whole);
}

static spv_id relaxed_powr(struct builtin_lowering *x)
{
    spv_id log2 = log2_of(x, x->args[0]);
    return lower_glsl1(x, x->type, GLSLstd450Exp2, multiply(x, x->args[1], log2));
}

static spv_id relaxed_pown(struct builtin_lowering *x)
{
    spv_id exponent = lower_op1(x, SpvOpConvertSToF, x->type, x->args[1]);
    spv_id value = lower_glsl1(x, x->type, GLSLstd450Exp2, multiply(x, exponent, log2_of_magnitude(x, x->args[0])));
    return sign_of_odd_power(x, value, x->args[0], x->args[1]);
}

static spv_id relaxed_rootn(struct builtin_lowering *x)
{
    spv_id degree = lower_op1(x, SpvOpConvertSToF, x->type, x->args[1]);
    spv_id power = lower_rough_quotient(x, log2_of_magnitude(x, x->args[0]), degree);
    return sign_of_odd_power(x, lower_glsl1(x, x->type, GLSLstd450Exp2, power), x->args[0], x->args[1]);
}

static spv_id relaxed_sincos(struct builtin_lowering *x)
{
    spv_id cosine = lower_glsl1(x, x->type, GLSLstd450Cos, x->args[0]);
    uint32_t align = x->width / 8 * (x->lanes == 3 ? 4 : x->lanes);
    spv_emitv_void(&x->b, SpvOpStore, x->args[1], cosine, SpvMemoryAccessAlignedMask, align);
    return lower_glsl1(x, x->type, GLSLstd450Sin, x->args[0]);
}

spv_id lower_relaxed(struct builtin_lowering *x)
{
    if (x->width != 32 || !spv_type_is_float(x->module, x->type))
        return 0;
    spv_id value = x->args[0];
    switch (x->number) {
    case OpenCLstd_Sin:
        return lower_glsl1(x, x->type, GLSLstd450Sin, value);
    case OpenCLstd_Cos:
        return lower_glsl1(x, x->type, GLSLstd450Cos, value);
    case OpenCLstd_Sincos:
        return relaxed_sincos(x);
    case OpenCLstd_Tan: {
        spv_id sine = lower_glsl1(x, x->type, GLSLstd450Sin, value);
        return lower_rough_quotient(x, sine, lower_glsl1(x, x->type, GLSLstd450Cos, value));
    }
    case OpenCLstd_Asin:
        return lower_glsl1(x, x->type, GLSLstd450Asin, value);
    case OpenCLstd_Acos:
        return lower_glsl1(x, x->type, GLSLstd450Acos, value);
    case OpenCLstd_Atan:
        return lower_glsl1(x, x->type, GLSLstd450Atan, value);
    case OpenCLstd_Atan2:
        return lower_library_lanes(x, "atan2_relaxed", false);
    case OpenCLstd_Exp:
        return lower_native_relaxed(x, CLC_PROBE_EXP) ? lower_glsl1(x, x->type, GLSLstd450Exp, value) : 0;
    case OpenCLstd_Exp2:
        return lower_native_relaxed(x, CLC_PROBE_EXP2) ? lower_glsl1(x, x->type, GLSLstd450Exp2, value) : 0;
    case OpenCLstd_Exp10:
        return lower_glsl1(x, x->type, GLSLstd450Exp2, multiply(x, value, number(x, 3.32192809488736234787)));
    case OpenCLstd_Log:
        return has_logarithm(x, CLC_PROBE_LOG)
                   ? logarithm(x, CLC_PROBE_LOG, GLSLstd450Log, 0.693147180559945309417, value)
                   : 0;
    case OpenCLstd_Log2:
        return has_logarithm(x, CLC_PROBE_LOG2) ? log2_of(x, value) : 0;
    case OpenCLstd_Log10:
        if (!has_logarithm(x, CLC_PROBE_LOG2))
            return 0;
        value = log2_of(x, value);
        return multiply(x, value, number(x, 0.301029995663981195214));
    case OpenCLstd_Pow:
        return relaxed_pow(x);
    case OpenCLstd_Powr:
        return relaxed_powr(x);
    case OpenCLstd_Pown:
        return relaxed_pown(x);
    case OpenCLstd_Rootn:
        return relaxed_rootn(x);
    case OpenCLstd_Rsqrt:
        return lower_glsl1(x, x->type, GLSLstd450InverseSqrt, value);
    case OpenCLstd_Sqrt:
        return lower_divides_correctly(x, 32) ? 0 : lower_glsl1(x, x->type, GLSLstd450Sqrt, value);
    default:
        return 0;
    }
}
