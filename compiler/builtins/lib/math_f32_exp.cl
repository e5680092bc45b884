// Float exponentials and logarithms. Polynomials from coefficients/float.sollya.

static float exp2_polynomial(float r) // 2^r, |r| <= 0.5
{
    float p = 0x1.427932p-13f;
    p = p * r + 0x1.5ef4acp-10f;
    p = p * r + 0x1.3b2c58p-7f;
    p = p * r + 0x1.c6af9ep-5f;
    p = p * r + 0x1.ebfbdep-3f;
    p = p * r + 0x1.62e43p-1f;
    return 1.0f + r * p;
}

static float expm1_polynomial(float r) // e^r - 1, |r| <= 0.51
{
    float p = 0x1.a0935p-16f;
    p = p * r + 0x1.a2b5b4p-13f;
    p = p * r + 0x1.6c1814p-10f;
    p = p * r + 0x1.110fbcp-7f;
    p = p * r + 0x1.555554p-5f;
    p = p * r + 0x1.555556p-3f;
    p = p * r + 0.5f;
    return r + r * r * p;
}

float __pumice_exp2_f32(float x)
{
    if (!(fabs(x) < 300.0f))
        return isnan(x) ? x : x > 0.0f ? INFINITY : 0.0f;
    float n = rint(x);
    return scale_near_one(exp2_polynomial(x - n), (int)n);
}

// e^x * 2^k
static float exp_scaled(float x, int k)
{
    if (!(fabs(x) < 200.0f))
        return isnan(x) ? x : x > 0.0f ? INFINITY : 0.0f;
    float n = rint(x * 0x1.715476p+0f);
    float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f; /* ln 2 with 15 bits, then the rest */
    return scale_near_one(1.0f + expm1_polynomial(r), (int)n + k);
}

float __pumice_exp_f32(float x)
{
    return exp_scaled(x, 0);
}

float __pumice_exp10_f32(float x)
{
    if (!(fabs(x) < 100.0f))
        return isnan(x) ? x : x > 0.0f ? INFINITY : 0.0f;
    float n = rint(x * 0x1.a934fp+1f);
    float r = (x - n * 0x1.344p-2f) - n * 0x1.3509f8p-18f; /* log10 of 2 with 12 bits, then the rest */
    float p = 0x1.5f1792p-5f;
    p = p * r + 0x1.a8cccep-3f;
    p = p * r + 0x1.14ad8p-1f;
    p = p * r + 0x1.2bd788p0f;
    p = p * r + 0x1.046ffap1f;
    p = p * r + 0x1.53524cp1f;
    p = p * r + 0x1.26bb1cp1f;
    return scale_near_one(1.0f + r * p, (int)n);
}

float __pumice_expm1_f32(float x)
{
    if (fabs(x) < 0.5f)
        return fabs(x) < 0x1p-25f ? x : expm1_polynomial(x);
    if (!(x < 100.0f))
        return isnan(x) ? x : INFINITY;
    if (x < -18.0f)
        return -1.0f;
    float n = rint(x * 0x1.715476p+0f);
    float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    float p = expm1_polynomial(r);
    if (n > 25.0f)
        return scale_near_one(1.0f + p, (int)n);
    float scale = power_of_two((int)n);
    return (scale - 1.0f) + scale * p;
}

// log(1 + f) as f - f^2/2 + rest: the rest, for 1 + f in [sqrt(1/2), sqrt(2))
static float log_rest(float f)
{
    float p = 0x1.205246p-4f;
    p = p * f - 0x1.d78ad8p-4f;
    p = p * f + 0x1.de36f2p-4f;
    p = p * f - 0x1.fcbdfep-4f;
    p = p * f + 0x1.23d504p-3f;
    p = p * f - 0x1.555c92p-3f;
    p = p * f + 0x1.999d46p-3f;
    p = p * f - 0x1.fffff8p-3f;
    p = p * f + 0x1.555554p-2f;
    return f * f * f * p;
}

// log(m) as a float-float with about 30 bits, for m = 1 + f
static float2 log_mantissa(float m)
{
    float f = m - 1.0f;
    float2 square = ff_product(f, f);
    float2 s = ff_quick_sum(f, -0.5f * square.x);
    return ff_quick_sum(s.x, s.y - 0.5f * square.y + log_rest(f));
}

static bool log_special(float x, float *result)
{
    uint bits = as_uint(x);
    *result = bits == 0 || bits == 0x80000000u ? -INFINITY : bits == 0x7f800000u ? INFINITY : NAN;
    return bits - 1 >= 0x7f800000u - 1; /* zero, negative, infinite or NaN */
}

float __pumice_log_f32(float x)
{
    float special;
    if (log_special(x, &special))
        return special;
    int e;
    float2 l = log_mantissa(split_exponent(x, &e));
    float n = (float)e;
    float2 s = ff_sum(n * 0x1.62e4p-1f, l.x);
    return s.x + (s.y + (l.y + n * 0x1.7f7d1cp-20f));
}

float __pumice_log2_f32(float x)
{
    float special;
    if (log_special(x, &special))
        return special;
    int e;
    float2 l = ff_multiply(log_mantissa(split_exponent(x, &e)), (float2)(0x1.715476p+0f, 0x1.4ae0cp-26f));
    float2 s = ff_sum((float)e, l.x);
    return s.x + (s.y + l.y);
}

float __pumice_log10_f32(float x)
{
    float special;
    if (log_special(x, &special))
        return special;
    int e;
    float2 l = ff_multiply(log_mantissa(split_exponent(x, &e)), (float2)(0x1.bcb7b2p-2f, -0x1.5b235ep-27f));
    float n = (float)e;
    float2 s = ff_sum(n * 0x1.344p-2f, l.x);
    return s.x + (s.y + (l.y + n * 0x1.3509f8p-18f));
}

float __pumice_log1p_f32(float x)
{
    if (fabs(x) < 0x1p-25f)
        return x;
    if (x > -0.25f && x < 0.375f) {
        float2 square = ff_product(x, x);
        float2 s = ff_quick_sum(x, -0.5f * square.x);
        return s.x + (s.y - 0.5f * square.y + log_rest(x));
    }
    if (!(x > -1.0f) || isinf(x))
        return x == -1.0f ? -INFINITY : x < -1.0f ? NAN : x;
    float2 u = ff_sum(1.0f, x);
    int e;
    float m = split_exponent(u.x, &e);
    float2 l = log_mantissa(m);
    float n = (float)e;
    float2 s = ff_sum(n * 0x1.62e4p-1f, l.x);
    return s.x + (s.y + (l.y + n * 0x1.7f7d1cp-20f + u.y / u.x));
}

// log2 of m * 2^e with 2^-36 relative error or better: atanh series in s = (m - 1) / (m + 1), s as a float-float
static float2 log2_precise(float x)
{
    int e;
    float m = split_exponent(x, &e);
    float f = m - 1.0f;
    float2 d = ff_sum(m, 1.0f);
    float q = f / d.x;
    float2 back = ff_multiply((float2)(q, 0.0f), d);
    float2 s = ff_quick_sum(q, ((f - back.x) - back.y) / d.x);
    float2 z = ff_multiply(s, s);
    /* atanh(s) / s = 1 + z (1/3 + z (1/5 + z/7 + ...)); z <= 0.0295 */
    float t = 1.0f / 15.0f;
    t = t * z.x + 1.0f / 13.0f;
    t = t * z.x + 1.0f / 11.0f;
    t = t * z.x + 1.0f / 9.0f;
    t = t * z.x + 1.0f / 7.0f;
    t = t * z.x + 0x1.99999ap-3f;
    float2 c = ff_sum(0x1.555556p-2f, t * z.x);
    c = ff_quick_sum(c.x, c.y - 0x1.555556p-27f);
    float2 r = ff_multiply(z, c);
    r = ff_add((float2)(1.0f, 0.0f), r);
    r = ff_multiply(r, s);
    r = ff_multiply(r, (float2)(0x1.715476p+1f, 0x1.4ae0cp-25f));
    return ff_add((float2)((float)e, 0.0f), r);
}

// x^y for x > 0 finite, y finite
static float pow_positive(float x, float y)
{
    float2 l = log2_precise(x);
    float estimate = l.x * y;
    if (!(fabs(estimate) < 300.0f))
        return estimate > 0.0f ? INFINITY : 0.0f;
    float2 p;
    if (fabs(y) > 0x1p100f) { /* keep the splitting from overflowing: l is tiny then */
        p = ff_product(l.x, y * 0x1p-40f);
        p = (float2)(p.x, p.y + l.y * (y * 0x1p-40f)) * 0x1p40f;
    } else {
        p = ff_product(l.x, y);
        p.y += l.y * y;
    }
    float n = rint(p.x);
    float r = (p.x - n) + p.y;
    return scale_near_one(exp2_polynomial(r), (int)n);
}

// Whether a finite y is an integer: 0 no, 1 odd, 2 even
static int integer_kind(float y)
{
    float a = fabs(y);
    if (a >= 0x1p24f)
        return 2;
    if (a != trunc(a))
        return 0;
    return (int)a & 1 ? 1 : 2;
}

float __pumice_pow_f32(float x, float y)
{
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (isnan(x) || isnan(y))
        return NAN;
    float a = fabs(x);
    if (isinf(y))
        return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    int kind = integer_kind(y);
    uint sign = kind == 1 ? as_uint(x) & 0x80000000u : 0;
    float r;
    if ((as_uint(a) == 0) || isinf(a))
        r = (as_uint(a) == 0) == (y > 0.0f) ? 0.0f : INFINITY;
    else if (as_uint(x) >> 31 && kind == 0)
        return NAN;
    else
        r = pow_positive(a, y);
    return as_float(as_uint(r) | sign);
}

float __pumice_powr_f32(float x, float y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    bool zero = (as_uint(x) & 0x7fffffff) == 0;
    if (as_uint(x) >> 31 && !zero)
        return NAN;
    if (y == 0.0f)
        return zero || isinf(x) ? NAN : 1.0f;
    if (x == 1.0f)
        return isinf(y) ? NAN : 1.0f;
    return __pumice_pow_f32(fabs(x), y);
}

float __pumice_pown_f32(float x, int n)
{
    if (n == 0)
        return 1.0f;
    if (isnan(x))
        return x;
    float a = fabs(x), r;
    uint sign = n & 1 ? as_uint(x) & 0x80000000u : 0;
    if (as_uint(a) == 0 || isinf(a)) {
        r = (as_uint(a) == 0) == (n > 0) ? 0.0f : INFINITY;
    } else {
        float high = (float)(n & ~0xff); /* n in two exact pieces */
        float low = (float)(n & 0xff);
        float2 l = log2_precise(a);
        float estimate = l.x * (float)n;
        if (!(fabs(estimate) < 300.0f)) {
            r = estimate > 0.0f ? INFINITY : 0.0f;
        } else {
            float2 p = ff_add(ff_multiply(l, (float2)(high, 0.0f)), ff_multiply(l, (float2)(low, 0.0f)));
            float whole = rint(p.x);
            r = scale_near_one(exp2_polynomial((p.x - whole) + p.y), (int)whole);
        }
    }
    return as_float(as_uint(r) | sign);
}

float __pumice_rootn_f32(float x, int n)
{
    if (n == 0 || isnan(x))
        return NAN;
    float a = fabs(x), r;
    if (as_uint(x) >> 31 && as_uint(a) != 0 && !(n & 1))
        return NAN;
    uint sign = n & 1 ? as_uint(x) & 0x80000000u : 0;
    if (as_uint(a) == 0 || isinf(a)) {
        r = (as_uint(a) == 0) == (n > 0) ? 0.0f : INFINITY;
    } else {
        float2 l = log2_precise(a);
        float nf = (float)n, q = l.x / nf;
        float2 back = ff_product(q, nf);
        float rest = (l.x - back.x) - back.y + l.y - q * (float)(n - (int)nf);
        float low = rest / nf, whole = rint(q);
        r = scale_near_one(exp2_polynomial((q - whole) + low), (int)whole);
    }
    return as_float(as_uint(r) | sign);
}
