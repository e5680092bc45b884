// Float roots, hyperbolic functions, error function and gamma for devices with fast fma: see math_f32_fast_exp.cl.

// One step of Newton's from the device's logarithm and exponential.
float __pumice_cbrt_fast_f32(float x)
{
    float a = fabs(x), scale = 1.0f;
    if (a < 0x1p-120f) {
        a *= 0x1p24f;
        scale = 0x1p-8f;
    }
    float t = native_exp2(native_log2(a) * 0x1.555556p-2f);
    float rest = fma(-a, native_recip(t * t), t);
    t = a > 0.0f ? fma(rest, -0x1.555556p-2f, t) * scale : 0.0f;
    return copysign(a < INFINITY ? t : a, x);
}

float __pumice_hypot_fast_f32(float x, float y)
{
    float a = fabs(x), b = fabs(y), back = 1.0f;
    uint large = max(as_uint(a), as_uint(b)); /* NaN is largest */
    if (large - 0x28000000u > 0x36000000u) {
        if (isinf(x) || isinf(y))
            return INFINITY;
        float scale = large > 0x3f800000u ? 0x1p-70f : 0x1p90f;
        back = large > 0x3f800000u ? 0x1p70f : 0x1p-90f;
        a *= scale;
        b *= scale;
    }
    float sum = fma(a, a, b * b);
    return (sum == 0.0f ? sum : native_sqrt(sum)) * back;
}

float __pumice_sinh_fast_f32(float x)
{
    float a = fabs(x), z = x * x;
    float small = x * fma(fma(fma(0x1.a8c9a6p-13f, z, 0x1.110438p-7f), z, 0x1.55556p-3f), z, 1.0f);
    float half_e = fast_exp(a, -1);
    return a < 1.0f ? small : copysign(fma(native_recip(half_e), -0.25f, half_e), x);
}

float __pumice_cosh_fast_f32(float x)
{
    float half_e = fast_exp(fabs(x), -1);
    return fma(native_recip(half_e), 0.25f, half_e);
}

float __pumice_tanh_fast_f32(float x)
{
    float a = fabs(x), z = x * x;
    float p = fma(fma(-0x1.afceb8p-8f, z, 0x1.5ce4a2p-6f), z, -0x1.b9993cp-5f);
    p = fma(fma(p, z, 0x1.110fc4p-3f), z, -0x1.555554p-2f);
    float large = fma(native_recip(1.0f + fast_exp(2.0f * a, 0)), -2.0f, 1.0f);
    return a < 0.55f ? x * fma(p, z, 1.0f) : copysign(large, x);
}

// asinh(a) = log1p(a + a^2 / (1 + sqrt(1 + a^2)))
float __pumice_asinh_fast_f32(float x)
{
    float a = fabs(x), square = a * a;
    bool large = a > 0x1p30f;
    float y = fma(square, native_recip(1.0f + native_sqrt(fma(a, a, 1.0f))), a);
    y = fast_log1p(large ? a * 0.25f : y) + (large ? 0x1.0a2b24p+1f : 0.0f);
    return copysign(a < INFINITY ? y : a, x);
}

float __pumice_acosh_fast_f32(float x)
{
    float t = x - 1.0f, square = fma(t, t, 2.0f * t);
    bool large = x > 0x1p30f;
    float y = fast_log1p(large ? x * 0.25f : t + (square > 0.0f ? native_sqrt(square) : 0.0f));
    y += large ? 0x1.0a2b24p+1f : 0.0f;
    return x >= 1.0f ? (x < INFINITY ? y : x) : NAN;
}

float __pumice_atanh_fast_f32(float x)
{
    float a = fabs(x), y = 0.5f * fast_log1p(2.0f * a * native_recip(1.0f - a));
    if (!(a < 1.0f))
        y = a == 1.0f ? INFINITY : NAN;
    return a < 0x1p-12f ? x : copysign(y, x);
}

float __pumice_erf_fast_f32(float x)
{
    float a = fabs(x), z = x * x, t = a > 4.0f ? 4.0f : a;
    float p = fma(fma(fma(-0x1.2d410ep-17f, z, 0x1.cd2fa8p-14f), z, -0x1.ba908p-11f), z, 0x1.55efccp-8f);
    p = fma(fma(fma(fma(p, z, -0x1.b8235p-6f), z, 0x1.ce2eaap-4f), z, -0x1.812744p-2f), z, 0x1.06eba8p-3f);
    /* log2(erfc(t)) for t in [1, 4] */
    float q = fma(fma(fma(0x1.267abap-13f, t, -0x1.6c917ap-9f), t, 0x1.93e656p-6f), t, -0x1.0eaa6p-3f);
    q = fma(fma(fma(q, t, -0x1.e29eep-1f), t, -0x1.9c68c4p0f), t, -0x1.3279e2p-8f);
    return a < 1.0f ? fma(x, p, x) : copysign(1.0f - native_exp2(q), x);
}

// erfc(a) = t p(t) e^(-a^2) with t = 2 / (2 + a), for a in [0, 12]
float __pumice_erfc_fast_f32(float x)
{
    float a = fabs(x), t = 2.0f * native_recip(2.0f + a);
    float p = fma(fma(fma(0x1.9b23ep-8f, t, -0x1.77637ap-4f), t, 0x1.6de89cp-2f), t, -0x1.284036p-1f);
    p = fma(fma(fma(p, t, 0x1.6566f6p-2f), t, -0x1.fa206p-5f), t, 0x1.b5ca1p-3f);
    p = fma(fma(fma(p, t, 0x1.ed8212p-3f), t, 0x1.21628ap-2f), t, 0x1.20d898p-2f);
    float square = a * a, low = fma(a, a, -square);
    float bits, n = split_power(fma(square, -0x1.77313cp-8f, 0.5f), &bits);
    float r = fma(square, -0x1.4ae0cp-26f, fma(square, -0x1.715476p+0f, -n));
    float y = native_exp2(fma(low, -0x1.715476p+0f, r)) * (t * p);
    y = a > 12.0f ? 0.0f : times_power(y, bits);
    return x < 0.0f ? 2.0f - y : y;
}

// Below 12 by the recurrence to [1, 2]; from there on by Stirling's formula: sqrt(2 pi) (x / e)^x / sqrt(x) (1 + 1/(12 x) + ...), the power
// as a pair.
float __pumice_tgamma_fast_f32(float x)
{
    if (!(x > 0x1p-100f && x < 36.0f))
        return __pumice_tgamma_f32(x);
    if (x < 12.0f) {
        float t = x, product = 1.0f;
        while (t > 2.0f) {
            t -= 1.0f;
            product *= t;
        }
        float g = gamma_polynomial((x < 1.0f ? x + 1.0f : t) - 1.5f);
        return g * (x < 1.0f ? native_recip(x) : product);
    }
    float u = native_recip(x);
    float2 l = fast_log2_pair(x);
    float y = x - 0.5f, high = l.x * y, low = fma(l.y, y, fma(l.x, y, -high));
    float turn = x * 0x1.715476p+0f, turn_low = fma(x, 0x1.4ae0cp-26f, fma(x, 0x1.715476p+0f, -turn));
    float2 sum = ff_sum(high, -turn);
    float tail = fma(fma(fma(-0x1.b97846p-8f, u, 0x1.1cfdaep-7f), u, 0x1.abcc72p-3f), u, 0x1.40d932p1f);
    return fast_exp2_pair(sum.x, sum.y + (low - turn_low)) * tail;
}

float __pumice_lgamma_r_fast_f32(float x, int *sign)
{
    float a = fabs(x), y;
    if (a < 3.0f) {
        y = lgamma_below_3(a < 0.75f ? a : a - 1.0f);
        if (a < 0.75f)
            y -= __pumice_log_fast_f32(a);
    } else {
        y = a < 10.0f ? lgamma_3_to_10(a) : lgamma_from_10(a, fast_log(a));
    }
    *sign = (as_uint(x) & 0x7fffffff) == 0 ? 0 : 1;
    if (x < 0.0f) {
        float s = a < 0x1p23f ? __pumice_sinpi_fast_f32(a) : 0.0f;
        *sign = s > 0.0f ? -1 : s < 0.0f ? 1 : 0;
        if (a >= 0x1p-20f)
            y = s == 0.0f ? INFINITY : 0x1.250d04p+0f - fast_log(a * fabs(s)) - y;
    }
    return y;
}

float __pumice_lgamma_fast_f32(float x)
{
    int sign;
    return __pumice_lgamma_r_fast_f32(x, &sign);
}
