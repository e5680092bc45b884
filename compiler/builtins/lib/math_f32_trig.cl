// Float trigonometry. Polynomials from coefficients/float.sollya.

// The bits of 2/pi after the point.
__constant uint two_over_pi_bits[8] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                       0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};

// 32 bits of 2/pi from bit position at (0 is the first after the point); zeros before it
static uint two_over_pi_window(int at)
{
    if (at <= -32)
        return 0;
    if (at < 0)
        return two_over_pi_bits[0] >> -at;
    int word = at >> 5, bit = at & 31;
    uint high = two_over_pi_bits[word], low = two_over_pi_bits[min(word + 1, 7)];
    return bit ? high << bit | low >> (32 - bit) : high;
}

// x - n pi/2 as a float-float of at most pi/4 or a little more in x and y; n modulo 4 in z, for a function of values
// can stay one. For any finite x (Payne and Hanek: only the bits of x * 2/pi around the point matter).
__attribute__((noinline)) static float3 reduce_large(float x)
{
    uint bits = as_uint(x) & 0x7fffffff;
    ulong m = (bits & 0x7fffff) | 0x800000;
    int at = (int)(bits >> 23) - 127 - 23 - 2; /* x = m 2^(at + 2); whole turns of 2 pi drop out on the left */
    ulong w0 = two_over_pi_window(at), w1 = two_over_pi_window(at + 32), w2 = two_over_pi_window(at + 64);
    ulong turns = (m * w0 << 32) + m * w1 + (m * w2 >> 32); /* of 2 pi, 64 bits after the point */
    int n = (int)((turns + 0x2000000000000000ul) >> 62);
    long rest = (long)(turns - ((ulong)n << 62)); /* in three pieces that floats hold */
    float high = (float)(int)(rest >> 40), middle = (float)((int)(rest >> 20) & 0xfffff),
          low = (float)((int)rest & 0xfffff);
    float2 q = ff_quick_sum(high * 0x1p-22f, middle * 0x1p-42f);
    q = ff_multiply(ff_quick_sum(q.x, q.y + low * 0x1p-62f), (float2)(0x1.921fb6p+0f, -0x1.777a5cp-25f));
    if (as_uint(x) >> 31) {
        q = -q;
        n = -n;
    }
    return (float3)(q, (float)(n & 3));
}

// r = x - n pi/2; n modulo 4 is returned
static int reduce(float x, float2 *r)
{
    if (!(fabs(x) < 3000.0f)) {
        float3 reduced = reduce_large(x);
        *r = reduced.xy;
        return (int)reduced.z;
    }
    float n = rint(x * 0x1.45f306p-1f);
    float t = (x - n * 0x1.92p+0f) - n * 0x1.fb4p-12f; /* both exact: the pieces of pi/2 have 11 bits */
    float2 s = ff_sum(t, -n * 0x1.444p-24f);
    s.y -= n * 0x1.68c234p-39f;
    *r = ff_quick_sum(s.x, s.y);
    return (int)n & 3;
}

static float sin_reduced(float2 r)
{
    float z = r.x * r.x;
    float p = 0x1.8777ep-19f;
    p = p * z - 0x1.a08312p-13f;
    p = p * z + 0x1.111198p-7f;
    p = p * z - 0x1.555556p-3f;
    return r.x + (r.x * z * p + r.y * (1.0f - 0.5f * z));
}

static float cos_reduced(float2 r)
{
    float z = r.x * r.x, half_z = 0.5f * z, w = 1.0f - half_z;
    float p = -0x1.58ecdep-22f;
    p = p * z + 0x1.a0f5a8p-16f;
    p = p * z - 0x1.6c17d4p-10f;
    p = p * z + 0x1.555556p-5f;
    return w + (((1.0f - w) - half_z) + (z * z * p - r.x * r.y));
}

float __pumice_sin_f32(float x)
{
    if (fabs(x) < 0x1p-13f)
        return x;
    if (!isfinite(x))
        return NAN;
    float2 r;
    int n = reduce(x, &r);
    float y = n & 1 ? cos_reduced(r) : sin_reduced(r);
    return n & 2 ? -y : y;
}

float __pumice_cos_f32(float x)
{
    if (!isfinite(x))
        return NAN;
    float2 r;
    int n = reduce(x, &r) + 1;
    float y = n & 1 ? cos_reduced(r) : sin_reduced(r);
    return n & 2 ? -y : y;
}

float __pumice_sincos_f32(float x, float *cosine)
{
    *cosine = NAN;
    if (!isfinite(x))
        return NAN;
    float2 r;
    int n = reduce(x, &r);
    float s = sin_reduced(r), c = cos_reduced(r);
    float sine = n & 1 ? c : s, other = n & 1 ? s : c;
    *cosine = (n + 1) & 2 ? -other : other;
    return fabs(x) < 0x1p-13f ? x : n & 2 ? -sine : sine;
}

float __pumice_tan_f32(float x)
{
    if (fabs(x) < 0x1p-13f)
        return x;
    if (!isfinite(x))
        return NAN;
    float2 r;
    int n = reduce(x, &r);
    float s = sin_reduced(r), c = cos_reduced(r);
    return n & 1 ? -c / s : s / c;
}

// sin(pi r) and cos(pi r) for |r| <= 1/4
static float sinpi_reduced(float r)
{
    if (fabs(r) < 0x1p-30f) /* the product below would be inexact */
        return r * 0x1.921fb6p+1f;
    float z = r * r;
    float p = 0x1.3f049ap-4f;
    p = p * z - 0x1.329dfep-1f;
    p = p * z + 0x1.466b62p1f;
    p = p * z - 0x1.4abbcep2f;
    float2 q = ff_product(r, 0x1.921fb6p+1f);
    return q.x + (q.y + (r * z * p - r * 0x1.777a5cp-24f));
}

static float cospi_reduced(float r)
{
    float z = r * r;
    float p = 0x1.e5f73cp-3f;
    p = p * z + 0x1.95df22p-3f;
    p = p * z - 0x1.5561p0f;
    p = p * z + 0x1.03c17p2f;
    p = p * z - 0x1.3bd3ccp2f;
    return 1.0f + z * p;
}

// x - n/2 exactly; n modulo 4 in *n
static float reduce_half_turns(float x, int *n)
{
    float a = fabs(x);
    if (a >= 0x1p24f) {
        *n = 0;
        return 0.0f;
    }
    float whole = rint(2.0f * a);
    *n = (int)whole & 3;
    return a - 0.5f * whole;
}

float __pumice_sinpi_f32(float x)
{
    if (!isfinite(x))
        return NAN;
    int n;
    float r = reduce_half_turns(x, &n);
    if (r == 0.0f && !(n & 1))
        return as_float(as_uint(x) & 0x80000000u);
    float y = n & 1 ? cospi_reduced(r) : sinpi_reduced(r);
    uint flip = (as_uint(x) & 0x80000000u) ^ (n & 2 ? 0x80000000u : 0);
    return as_float(as_uint(y) ^ flip);
}

float __pumice_cospi_f32(float x)
{
    if (!isfinite(x))
        return NAN;
    int n;
    float r = reduce_half_turns(x, &n);
    if (r == 0.0f && n & 1)
        return 0.0f;
    float y = n & 1 ? -sinpi_reduced(r) : cospi_reduced(r);
    return n & 2 ? -y : y;
}

float __pumice_tanpi_f32(float x)
{
    if (!isfinite(x))
        return NAN;
    int n;
    float r = reduce_half_turns(x, &n);
    uint sign = as_uint(x) & 0x80000000u;
    if (r == 0.0f) {
        /* tanpi(n) is 0 with x's sign for even n, the other for odd n; tanpi(n + 1/2) is +inf for even n, -inf for odd
         * n (and the signs turn with x's) */
        float y = n & 1 ? INFINITY : 0.0f;
        return as_float(as_uint(y) ^ sign ^ (n & 2 ? 0x80000000u : 0));
    }
    float s = sinpi_reduced(r), c = cospi_reduced(r);
    return as_float(as_uint(n & 1 ? -c / s : s / c) ^ sign);
}

// asin(x) for |x| <= 1/2, as x + this
static float asin_rest(float x)
{
    float z = x * x;
    float p = 0x1.1a3058p-5f;
    p = p * z + 0x1.10a158p-6f;
    p = p * z + 0x1.ff9638p-6f;
    p = p * z + 0x1.6d4028p-5f;
    p = p * z + 0x1.3334c8p-4f;
    p = p * z + 0x1.555554p-3f;
    return x * z * p;
}

// 2 asin(sqrt((1 - a) / 2)) for a in [1/2, 1], which is acos(a)
static float acos_large(float a)
{
    float z = (1.0f - a) * 0.5f;
    float s = __pumice_sqrt_f32(z);
    float2 square = ff_product(s, s);
    float correction = s > 0.0f ? ((z - square.x) - square.y) / (2.0f * s) : 0.0f;
    return 2.0f * (s + (correction + asin_rest(s)));
}

float __pumice_asin_f32(float x)
{
    float a = fabs(x);
    if (!(a <= 1.0f))
        return NAN;
    if (a < 0x1p-13f)
        return x;
    float y = a < 0.5f ? a + asin_rest(a) : 0x1.921fb6p+0f - (acos_large(a) + 0x1.777a5cp-25f);
    return copysign(y, x);
}

float __pumice_acos_f32(float x)
{
    float a = fabs(x);
    if (!(a <= 1.0f))
        return NAN;
    if (a < 0.5f)
        return 0x1.921fb6p+0f - (x - (-0x1.777a5cp-25f - asin_rest(x)));
    return x > 0.0f ? acos_large(a) : 0x1.921fb6p+1f - (acos_large(a) + 0x1.777a5cp-24f);
}

// atan(q) for |q| <= tan(pi/8), as q + this
static float atan_rest(float q)
{
    float z = q * q;
    float p = -0x1.07d9c6p-4f;
    p = p * z + 0x1.b7e4dap-4f;
    p = p * z - 0x1.241d42p-3f;
    p = p * z + 0x1.99970ap-3f;
    p = p * z - 0x1.555554p-2f;
    return q * z * p;
}

// atan(n / d) as a float-float; both positive, their quotient and products far from overflow and subnormals
static float2 atan_quotient(float n, float d)
{
    bool swap = n > d;
    float top = swap ? d : n, bottom = swap ? n : d;
    float2 base;
    if (top > 0x1.a8279ap-2f * bottom) { /* tan(pi/8): atan(t) = pi/4 + atan((t - 1) / (t + 1)) */
        float2 less = ff_sum(top, -bottom), more = ff_sum(top, bottom);
        float q = less.x / more.x;
        float2 back = ff_product(q, more.x);
        float low = ((((less.x - back.x) - back.y) + less.y) - q * more.y) / more.x;
        base = ff_add((float2)(0x1.921fb6p-1f, -0x1.777a5cp-26f), ff_quick_sum(q, low + atan_rest(q)));
    } else {
        float q = top / bottom;
        float2 back = ff_product(q, bottom);
        float low = ((top - back.x) - back.y) / bottom;
        base = ff_quick_sum(q, low + atan_rest(q));
    }
    return swap ? ff_add((float2)(0x1.921fb6p+0f, -0x1.777a5cp-25f), -base) : base;
}

float __pumice_atan_f32(float x)
{
    float a = fabs(x);
    if (a < 0x1p-13f || isnan(x))
        return x;
    if (a > 0x1p30f)
        return copysign(0x1.921fb6p+0f, x);
    return copysign(atan_quotient(a, 1.0f).x, x);
}

// a * 2^n for a >= 0, subnormal or not
static float scaled_magnitude(float a, int n)
{
    return as_uint(a) < 0x00800000u ? (float)as_uint(a) * power_of_two(n - 80) * 0x1p-69f : a * power_of_two(n);
}

// atan2(y, x) in [0, pi] for |y|, as a float-float
static float2 atan2_magnitude(float y, float x)
{
    float n = fabs(y), d = fabs(x);
    bool zero_n = as_uint(n) == 0, zero_d = as_uint(d) == 0;
    float2 r;
    if (zero_n || (isinf(d) && !isinf(n)))
        r = 0.0f;
    else if (zero_d || (isinf(n) && !isinf(d)))
        r = (float2)(0x1.921fb6p+0f, -0x1.777a5cp-25f);
    else if (isinf(n))
        r = (float2)(0x1.921fb6p-1f, -0x1.777a5cp-26f);
    else {
        int kn = (int)(as_uint(n) >> 23), kd = (int)(as_uint(d) >> 23);
        if (kn - kd > 30)
            r = (float2)(0x1.921fb6p+0f, -0x1.777a5cp-25f);
        else if (kd - kn > 30)
            r = (float2)(x < 0.0f ? 0.0f : n / d, 0.0f);
        else {
            int up = kn > 160 || kd > 160 ? -64 : kn < 96 || kd < 96 ? 64 : 0;
            r = atan_quotient(scaled_magnitude(n, up), scaled_magnitude(d, up));
        }
    }
    if (as_uint(x) >> 31)
        r = ff_add((float2)(0x1.921fb6p+1f, -0x1.777a5cp-24f), -r);
    return r;
}

float __pumice_atan2_f32(float y, float x)
{
    if (isnan(x) || isnan(y))
        return NAN;
    return copysign(atan2_magnitude(y, x).x, y);
}

static float over_pi(float2 v)
{
    float2 r = ff_multiply(v, (float2)(0x1.45f306p-2f, 0x1.b9391p-27f));
    return r.x;
}

float __pumice_atanpi_f32(float x)
{
    float a = fabs(x);
    if (isnan(x))
        return x;
    if (a > 0x1p30f)
        return copysign(0.5f, x);
    if (a < 0x1p-13f)
        return x * 0x1.45f306p-2f;
    return copysign(over_pi(atan_quotient(a, 1.0f)), x);
}

float __pumice_atan2pi_f32(float y, float x)
{
    if (isnan(x) || isnan(y))
        return NAN;
    float2 r = atan2_magnitude(y, x);
    return copysign(fabs(r.x) < 0x1p-60f ? r.x * 0x1.45f306p-2f : over_pi(r), y);
}

float __pumice_asinpi_f32(float x)
{
    float y = __pumice_asin_f32(x);
    return fabs(x) == 1.0f ? 0.5f * x : y * 0x1.45f306p-2f;
}

float __pumice_acospi_f32(float x)
{
    return x == -1.0f ? 1.0f : __pumice_acos_f32(x) * 0x1.45f306p-2f;
}
