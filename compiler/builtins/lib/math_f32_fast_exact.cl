// Correctly rounded float functions for devices with fast fma (see math_f32_fast_exp.cl): remainders by exact products, where quotients are
// moderate; the bodies in integers do the rest.

// |x| / |y| rounded to an integer, or one off; whether the fast way is good: q |y| is then exact within one fma
static bool small_quotient(float a, float b, float *q)
{
    *q = a * native_recip(b);
    return as_uint(b) - 0x0d800000u < 0x65000000u && a < INFINITY && *q < 0x1p20f;
}

float __pumice_fmod_fast_f32(float x, float y)
{
    float a = fabs(x), b = fabs(y), q;
    if (!small_quotient(a, b, &q))
        return __pumice_fmod_f32(x, y);
    q = trunc(q);
    float r = fma(-q, b, a);
    if (r < 0.0f)
        r = fma(1.0f - q, b, a);
    else if (r >= b)
        r = fma(-1.0f - q, b, a);
    return copysign(r, x);
}

// x - n y for the integer n nearest x / y, even where two are: by |x| and |y|; x's sign is still to be given
static float fast_remainder(float a, float b, float *n)
{
    float q = rint(*n), r = fma(-q, b, a), twice = 2.0f * fabs(r);
    bool odd = (int)q & 1;
    if (twice > b || (twice == b && odd)) {
        q += r > 0.0f ? 1.0f : -1.0f;
        r = fma(-q, b, a);
    }
    *n = q;
    return r;
}

float __pumice_remainder_fast_f32(float x, float y)
{
    float a = fabs(x), b = fabs(y), n;
    if (!small_quotient(a, b, &n))
        return __pumice_remainder_f32(x, y);
    float r = fast_remainder(a, b, &n);
    return as_float((r == 0.0f ? 0 : as_uint(r)) ^ (as_uint(x) & 0x80000000u));
}

float __pumice_remquo_fast_f32(float x, float y, int *quotient)
{
    float a = fabs(x), b = fabs(y), n;
    if (!small_quotient(a, b, &n))
        return __pumice_remquo_f32(x, y, quotient);
    float r = fast_remainder(a, b, &n);
    int low = (int)n & 0x7f;
    *quotient = (int)(as_uint(x) ^ as_uint(y)) < 0 ? -low : low;
    return as_float((r == 0.0f ? 0 : as_uint(r)) ^ (as_uint(x) & 0x80000000u));
}

// The quotient by Newton's method, then by what is left of x: correctly rounded where nothing on the way is subnormal or overflows.
float __pumice_div_correct_fast_f32(float x, float y)
{
    uint a = as_uint(x) - 0x20000000u, b = as_uint(y) - 0x30000000u;
    if ((a & 0x40000000u) | (b & 0x60000000u)) /* |x| outside of [2^-63, 2^65), or |y| of [2^-31, 2^33) */
        return __pumice_div_correct_f32(x, y);
    float r = native_recip(y);
    r = fma(fma(-y, r, 1.0f), r, r);
    float q = x * r;
    q = fma(fma(-y, q, x), r, q);
    return fma(fma(-y, q, x), r, q);
}

// Likewise from the reciprocal root
float __pumice_sqrt_fast_f32(float x)
{
    float y = native_rsqrt(x), g = x * y, h = 0.5f * y;
    float r = fma(-h, g, 0.5f);
    g = fma(g, r, g);
    h = fma(h, r, h);
    g = fma(fma(-g, g, x), h, g);
    if (as_uint(x) - 0x10000000u >= 0x6f800000u)
        g = __pumice_sqrt_f32(x);
    return g;
}

// One multiplication by a power of two rounds once, also to subnormal numbers.
float __pumice_ldexp_fast_f32(float x, int n)
{
    return (uint)n + 126u < 253 ? x * power_of_two(n) : __pumice_ldexp_f32(x, n);
}
