// Float exponentials, logarithms and powers for devices whose fma is one instruction rounded once, and whose exp2, log2, square roots and
// reciprocals are good (lowering's has_fast_bodies() says when): few instructions, no branch but for arguments that are rare. Right where
// subnormals are kept, and where they are flushed. Bodies without a fast form are taken from the other files.
// Polynomials from coefficients/fast.sollya.

// 2^n as n + 127 in the lowest bits, for n in [-126, 126], and n itself: y rounded. Beyond that range what y exceeds n by is left to exp2.
static float split_power(float unit, float *bits) // unit: y / 252 + 1/2
{
    *bits = fma(clamp(unit, 0.0f, 1.0f), 252.0f, 12582913.0f);
    return *bits - 12583039.0f;
}

static float times_power(float x, float bits)
{
    return x * as_float(as_uint(bits) << 23);
}

// e^x * 2^k for k in [-1, 0]
static float fast_exp(float x, int k)
{
    float bits, n = split_power(fma(x, 0x1.77313cp-8f, 0.5f), &bits);
    float r = fma(x, 0x1.4ae0cp-26f, fma(x, 0x1.715476p+0f, -n));
    return native_exp2(r) * as_float((as_uint(bits) + (uint)k) << 23);
}

float __pumice_exp_fast_f32(float x)
{
    return fast_exp(x, 0);
}

float __pumice_exp10_fast_f32(float x)
{
    float bits, n = split_power(fma(x, 0x1.aff4c4p-7f, 0.5f), &bits);
    float r = fma(x, 0x1.2f346ep-24f, fma(x, 0x1.a934fp+1f, -n));
    return times_power(native_exp2(r), bits);
}

float __pumice_expm1_fast_f32(float x)
{
    float y = x < -20.0f ? -20.0f : x > 89.0f ? 89.0f : x;
    float bits = fma(y, 0x1.715476p+0f, 12583038.0f), n = bits - 12583038.0f;
    float r = fma(n, 0x1.05c61p-29f, fma(n, -0x1.62e43p-1f, y));
    float p = fma(0x1.a262a8p-13f, r, 0x1.6d2e1ap-10f);
    p = fma(p, r, 0x1.110ff4p-7f);
    p = fma(p, r, 0x1.555502p-5f);
    p = fma(p, r, 0x1.555556p-3f);
    p = fma(p, r, 0.5f);
    p = fma(p, r * r, r);
    float half_scale = as_float(as_uint(bits) << 23); /* 2^n may overflow where the result does not */
    p = 2.0f * fma(half_scale, p, half_scale - 0.5f);
    return fabs(x) < 0x1p-24f ? x : p;
}

// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1]. In one chain: a fma that takes two constants needs a move before it.
static float log_polynomial(float f)
{
    float p = fma(-0x1.3e628ap-4f, f, 0x1.05e6d6p-3f);
    p = fma(p, f, -0x1.0cbc2cp-3f);
    p = fma(p, f, 0x1.22b5fcp-3f);
    p = fma(p, f, -0x1.547fc8p-3f);
    p = fma(p, f, 0x1.99a25ap-3f);
    p = fma(p, f, -0x1.00022ep-2f);
    p = fma(p, f, 0x1.55555p-2f);
    return fma(fma(p, f, -0x1.fffffep-2f) * f, f, f);
}

// x as m * 2^e with m in [sqrt(1/2), sqrt(2)): m - 1, and e * 2^23
static float split_mantissa(float x, float *e23)
{
    int above = (as_int(x) - 0x3f3504f3) & (int)0xff800000;
    *e23 = (float)above;
    return as_float(as_int(x) - above) - 1.0f;
}

static bool is_positive_normal(float x)
{
    return x >= 0x1p-126f && x < INFINITY;
}

// log2(x) + 64 where x is no positive normal number: the device's, which knows zero, infinity and NaN
static float log2_of_edges(float x)
{
    return native_log2(x * 0x1p64f);
}

static float fast_log(float x)
{
    float e23, f = split_mantissa(x, &e23);
    return fma(e23, 0x1.62e43p-24f, log_polynomial(f));
}

static float fast_log2(float x)
{
    float e23, f = split_mantissa(x, &e23);
    return fma(log_polynomial(f), 0x1.715476p+0f, e23 * 0x1p-23f);
}

static float fast_log10(float x)
{
    float e23, f = split_mantissa(x, &e23);
    return fma(e23, 0x1.344136p-25f, fma(log_polynomial(f), 0x1.bcb7b2p-2f, e23 * -0x1.ec10cp-50f));
}

float __pumice_log_fast_f32(float x)
{
    float y = fast_log(x);
    if (!is_positive_normal(x))
        y = fma(log2_of_edges(x), 0x1.62e43p-1f, -0x1.62e43p+5f);
    return y;
}

float __pumice_log2_fast_f32(float x)
{
    float y = fast_log2(x);
    if (!is_positive_normal(x))
        y = log2_of_edges(x) - 64.0f;
    return y;
}

float __pumice_log10_fast_f32(float x)
{
    float y = fast_log10(x);
    if (!is_positive_normal(x))
        y = fma(log2_of_edges(x), 0x1.344136p-2f, -0x1.344136p+4f);
    return y;
}

// log(1 + x) for x in (-1, 2^126]; others give nonsense
static float fast_log1p(float x)
{
    int above = (as_int(1.0f + x) - 0x3f400000) & (int)0xff800000;
    float down = as_float(0x3f800000 - above); /* 2^-e: 1 + x = 2^e (1 + f), f in [-1/4, 1/2] */
    float f = fma(x, down, down - 1.0f), p = fma(-0x1.87471ep-5f, f, 0x1.b4b6f8p-4f);
    p = fma(p, f, -0x1.0cdaaep-3f);
    p = fma(p, f, 0x1.27a098p-3f);
    p = fma(p, f, -0x1.54ee6cp-3f);
    p = fma(p, f, 0x1.99789cp-3f);
    p = fma(p, f, -0x1.00006cp-2f);
    p = fma(p, f, 0x1.55557ep-2f);
    return fma((float)above, 0x1.62e43p-24f, fma(fma(p, f, -0.5f) * f, f, f));
}

float __pumice_log1p_fast_f32(float x)
{
    float sum = 1.0f + x, y = fast_log1p(x);
    if (!(sum > 0.0f && sum < 0x1p126f))
        y = fma(native_log2(sum * 0x1p-100f), 0x1.62e43p-1f, 0x1.154246p+6f);
    return x == 0.0f ? x : y;
}

// log2(a) as a pair right to 30 bits, for positive finite a: log((1 + s) / (1 - s)) for s = (m - 1) / (m + 1)
static float2 fast_log2_pair(float a)
{
    float tiny = 0.0f, e23;
    if (a < 0x1p-126f) {
        a *= 0x1p24f;
        tiny = -24.0f;
    }
    float f = split_mantissa(a, &e23), d = f + 2.0f, low = f - (d - 2.0f), e = fma(e23, 0x1p-23f, tiny);
    float q = native_recip(d), s = f * q;
    float rest = fma(-s, low, fma(-s, d, f)) * q;
    float z = s * s;
    float p = fma(fma(fma(0x1.ce69bp-3f, z, 0x1.24c1fp-2f), z, 0x1.99986cp-2f), z, 0x1.555556p-1f);
    float2 log = ff_quick_sum(2.0f * s, fma(s * z, p, 2.0f * rest));
    float high = log.x * 0x1.715476p+0f;
    float rounded = fma(log.x, 0x1.4ae0cp-26f, fma(log.y, 0x1.715476p+0f, fma(log.x, 0x1.715476p+0f, -high)));
    float2 sum = ff_quick_sum(e, high);
    return e == 0.0f ? (float2)(high, rounded) : (float2)(sum.x, sum.y + rounded);
}

// 2^(high + low), whatever high is
static float fast_exp2_pair(float high, float low)
{
    float bits, n = split_power(fma(high, 0x1.041042p-8f, 0.5f), &bits), r = high - n;
    return times_power(native_exp2(fabs(high) < 300.0f ? r + low : r), bits);
}

// a^y for a > 0 finite, y finite
static float fast_power(float a, float y)
{
    float2 l = fast_log2_pair(a);
    float high = l.x * y;
    return fast_exp2_pair(high, fma(l.y, y, fma(l.x, y, -high)));
}

// x^y where x is no positive normal number, or y is infinite or NaN; power is |x|^y for finite x and y other than 0
static float power_of_edges(float x, float y, float power)
{
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (isnan(x) || isnan(y))
        return NAN;
    float a = fabs(x);
    if (isinf(y))
        return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    bool whole = y == rint(y), odd = whole && fabs(y) < 0x1p24f && ((int)y & 1);
    if (x == 0.0f || isinf(a))
        power = (x == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
    else if (x < 0.0f && !whole)
        return NAN;
    return odd ? copysign(power, x) : power;
}

float __pumice_pow_fast_f32(float x, float y)
{
    float power = fast_power(fabs(x), y);
    if (as_uint(x) - 0x00800000u >= 0x7f000000u || !(fabs(y) < INFINITY))
        return power_of_edges(x, y, power);
    return power;
}

float __pumice_powr_fast_f32(float x, float y)
{
    float power = fast_power(fabs(x), y);
    if (as_uint(x) - 0x00800000u >= 0x7f000000u || !(fabs(y) < INFINITY)) {
        if (x < 0.0f || isnan(x) || isnan(y) || (x == 1.0f && isinf(y)) || (y == 0.0f && (x == 0.0f || isinf(x))))
            return NAN;
        return power_of_edges(fabs(x), y, power);
    }
    return x == 1.0f || y == 0.0f ? 1.0f : power;
}

// |x|^n for numbers that |x| is 0, infinite or NaN
static float power_of_extreme(float a, int n)
{
    return n == 0 ? 1.0f : isnan(a) ? a : (a == 0.0f) == (n > 0) ? 0.0f : INFINITY;
}

float __pumice_pown_fast_f32(float x, int n)
{
    float a = fabs(x), power;
    int low = (uint)(n + 0x1000000) <= 0x2000000u ? 0 : n & 0xff; /* n in two pieces that floats hold */
    float2 l = fast_log2_pair(a);
    float y = (float)(n - low), high = l.x * y;
    power = fast_exp2_pair(high, fma(l.x, (float)low, fma(l.y, y, fma(l.x, y, -high))));
    if (!(a > 0.0f && a < INFINITY))
        power = power_of_extreme(a, n);
    return as_float(as_uint(power) ^ (as_uint(x) & (uint)n << 31));
}

float __pumice_rootn_fast_f32(float x, int n)
{
    float a = fabs(x), degree = (float)n, q = native_recip(degree);
    float2 l = fast_log2_pair(a);
    float high = l.x * q, power = fast_exp2_pair(high, (fma(-high, degree, l.x) + l.y) * q);
    if (!(a > 0.0f && a < INFINITY))
        power = power_of_extreme(a, n);
    if (n & 1)
        return copysign(power, x);
    return x < 0.0f || n == 0 ? NAN : power;
}
