// Float trigonometry for devices with fast fma: see math_f32_fast_exp.cl.

// x - n pi/2, at most pi/4 or a little more, for |x| >= 100000, and n; infinities and NaNs give NaN.
static float2 fast_reduce_large(float x)
{
    return isfinite(x) ? reduce_large(x).xz : (float2)(NAN, 0.0f);
}

// r = x - n pi/2; two bits of n count. pi/2 in three pieces of 24 bits, all below what they stand for,
// so that -0 stays: the first product is subtracted exactly.
static float fast_reduce(float x, int *n)
{
    float turns = fma(x, 0x1.45f306p-1f, 12582912.0f);
    *n = as_int(turns);
    turns -= 12582912.0f;
    float r = fma(turns, -0x1.846988p-48f, fma(turns, -0x1.4442dp-24f, fma(turns, -0x1.921fb4p+0f, x)));
    if (!(fabs(x) < 100000.0f)) {
        float2 reduced = fast_reduce_large(x);
        r = reduced.x;
        *n = (int)reduced.y;
    }
    return r;
}

static float fast_sin_reduced(float r, float z)
{
    float p = fma(fma(-0x1.9ab218p-13f, z, 0x1.110be2p-7f), z, -0x1.555552p-3f);
    return r * fma(p, z, 1.0f);
}

static float fast_cos_reduced(float z)
{
    float p = fma(fma(fma(0x1.9a7f18p-16f, z, -0x1.6c0e64p-10f), z, 0x1.55554ep-5f), z, -0.5f);
    return fma(p, z, 1.0f);
}

// sin for even n, cos for odd n, the other sign for n of 2 and 3
static float turned(float sine, float cosine, int n)
{
    return as_float(as_uint(n & 1 ? cosine : sine) ^ ((uint)n << 30 & 0x80000000u));
}

float __pumice_sin_fast_f32(float x)
{
    int n;
    float r = fast_reduce(x, &n), z = r * r;
    return turned(fast_sin_reduced(r, z), fast_cos_reduced(z), n);
}

float __pumice_cos_fast_f32(float x)
{
    int n;
    float r = fast_reduce(x, &n), z = r * r;
    return turned(fast_sin_reduced(r, z), fast_cos_reduced(z), n + 1);
}

float __pumice_sincos_fast_f32(float x, float *cosine)
{
    int n;
    float r = fast_reduce(x, &n), z = r * r;
    float s = fast_sin_reduced(r, z), c = fast_cos_reduced(z);
    *cosine = turned(s, c, n + 1);
    return turned(s, c, n);
}

float __pumice_tan_fast_f32(float x)
{
    int n;
    float r = fast_reduce(x, &n), z = r * r;
    float p = fma(fma(0x1.0e2732p-7f, z, 0x1.4ee004p-8f), z, 0x1.7b5944p-6f);
    p = fma(fma(fma(p, z, 0x1.b88a5cp-5f), z, 0x1.11166p-3f), z, 0x1.55555p-2f);
    float t = r * fma(p, z, 1.0f);
    return n & 1 ? -native_recip(t) : t;
}

// r = x - n / 2
static float fast_reduce_half_turns(float x, int *n)
{
    if (!(fabs(x) < 0x1p21f))
        x = fma(rint(0.5f * x), -2.0f, x);
    float turns = fma(x, 2.0f, 12582912.0f);
    *n = as_int(turns);
    return fma(turns - 12582912.0f, -0.5f, x);
}

static float fast_sinpi_reduced(float r, float z)
{
    float p = fma(fma(-0x1.2f582cp-1f, z, 0x1.466b1cp1f), z, -0x1.4abbecp2f);
    return r * fma(p, z, 0x1.921fb6p1f);
}

static float fast_cospi_reduced(float z)
{
    float p = fma(fma(fma(0x1.d0a048p-3f, z, -0x1.55a5c6p0f), z, 0x1.03c19ep2f), z, -0x1.3bd3ccp2f);
    return fma(p, z, 1.0f);
}

// OpenCL C 3.0, 7.5.1: sinpi of whole numbers is 0 with x's sign
float __pumice_sinpi_fast_f32(float x)
{
    int n;
    float r = fast_reduce_half_turns(x, &n), z = r * r;
    float y = turned(fast_sinpi_reduced(r, z), fast_cospi_reduced(z), n);
    return y == 0.0f ? copysign(0.0f, x) : y;
}

// cospi(n + 1/2) is +0
float __pumice_cospi_fast_f32(float x)
{
    int n;
    float r = fast_reduce_half_turns(x, &n), z = r * r;
    float y = turned(fast_sinpi_reduced(r, z), fast_cospi_reduced(z), n + 1);
    return y == 0.0f ? 0.0f : y;
}

// tanpi(n) is 0 with x's sign for even n, the other for odd n; tanpi(n + 1/2) is +inf for even n, -inf for odd n (and the signs turn with x)
float __pumice_tanpi_fast_f32(float x)
{
    int n;
    float r = fast_reduce_half_turns(fabs(x), &n), z = r * r;
    float p = fma(fma(0x1.b310aep14f, z, 0x1.901d4cp9f), z, 0x1.709adcp9f);
    p = fma(fma(fma(p, z, 0x1.41fb5ap7f), z, 0x1.4699cep5f), z, 0x1.4abb02p3f);
    float t = r * fma(p, z, 0x1.921fb6p1f), y = n & 1 ? -native_recip(t) : t;
    if (r == 0.0f)
        y = as_float((n & 1 ? 0x7f800000u : 0) | ((uint)n << 30 & 0x80000000u));
    return as_float(as_uint(y) ^ (as_uint(x) & 0x80000000u));
}

// asin(a) for a in [0, 1/2]; above, pi/2 - 2 asin(sqrt((1 - a) / 2)), of which only the second asin is given
static float fast_asin_part(float a)
{
    float z = a < 0.5f ? a * a : fma(a, -0.5f, 0.5f), s = a < 0.5f ? a : native_sqrt(z);
    float p = fma(fma(fma(0x1.39379ep-5f, z, 0x1.b1d57ap-6f), z, 0x1.70c00ep-5f), z, 0x1.332684p-4f);
    return fma(fma(p, z, 0x1.55555ep-3f) * z, s, s);
}

float __pumice_asin_fast_f32(float x)
{
    float a = fabs(x), y = fast_asin_part(a);
    return copysign(a < 0.5f ? y : fma(y, -2.0f, 0x1.921fb6p+0f), x);
}

static float fast_acos(float x)
{
    float a = fabs(x), y = fast_asin_part(a);
    float large = x > 0.0f ? 2.0f * y : fma(y, -2.0f, 0x1.921fb6p+1f);
    return a < 0.5f ? 0x1.921fb6p+0f - copysign(y, x) : large;
}

float __pumice_acos_fast_f32(float x)
{
    return fast_acos(x);
}

float __pumice_asinpi_fast_f32(float x)
{
    float a = fabs(x), y = fast_asin_part(a);
    return copysign(a < 0.5f ? y * 0x1.45f306p-2f : fma(y, -0x1.45f306p-1f, 0.5f), x);
}

float __pumice_acospi_fast_f32(float x)
{
    float a = fabs(x), y = fast_asin_part(a);
    float large = x > 0.0f ? y * 0x1.45f306p-1f : fma(y, -0x1.45f306p-1f, 1.0f);
    return a < 0.5f ? fma(copysign(y, x), -0x1.45f306p-2f, 0.5f) : large;
}

// atan(t) for t in [0, 1]; the highest coefficient is a little less than the best, so that atan(1) is pi/4 and atan2pi(inf, inf) is 1/4
static float fast_atan_small(float t)
{
    float z = t * t;
    float p = fma(fma(0x1.01fd08p-8f, z, -0x1.4c3c6p-6f), z, 0x1.93a2cp-5f);
    p = fma(fma(fma(p, z, -0x1.491f0ep-4f), z, 0x1.bd7368p-4f), z, -0x1.24051ep-3f);
    p = fma(fma(p, z, 0x1.99935ep-3f), z, -0x1.55555p-2f);
    return fma(p * z, t, t);
}

static float fast_atan(float x)
{
    float a = fabs(x), y = fast_atan_small(a > 1.0f ? native_recip(a) : a);
    return a > 1.0f ? 0x1.921fb6p+0f - y : y;
}

float __pumice_atan_fast_f32(float x)
{
    return copysign(fast_atan(x), x);
}

float __pumice_atanpi_fast_f32(float x)
{
    return copysign(fast_atan(x) * 0x1.45f306p-2f, x);
}

// |atan2(y, x)|
static float fast_atan2(float y, float x)
{
    float a = fabs(y), b = fabs(x);
    float small = as_float(min(as_uint(a), as_uint(b))), large = as_float(max(as_uint(a), as_uint(b))); /* NaN is largest */
    if (as_uint(large) - 0x10000000u > 0x60000000u) { /* extreme, or not finite */
        float scale = large > 1.0f ? 0x1p-64f : 0x1p64f;
        small = large == INFINITY ? (small == INFINITY ? 1.0f : 0.0f) : small * scale;
        large = large == INFINITY || large == 0.0f ? 1.0f : large * scale;
    }
    float r = fast_atan_small(small * native_recip(large));
    r = a > b ? 0x1.921fb6p+0f - r : r;
    return as_uint(x) >> 31 ? 0x1.921fb6p+1f - r : r;
}

float __pumice_atan2_fast_f32(float y, float x)
{
    return copysign(fast_atan2(y, x), y);
}

float __pumice_atan2pi_fast_f32(float y, float x)
{
    return copysign(fast_atan2(y, x) * 0x1.45f306p-2f, y);
}

// Under unsafe math optimizations, where atan(y / x) within 4096 ULP and half a turn will do
float __pumice_atan2_relaxed_f32(float y, float x)
{
    float a = fabs(y), b = fabs(x), large = fmax(fmax(a, b), 0x1p-126f); /* atan2(0, 0) is 0 here, too */
    float t = fmin(a, b) * native_recip(large), z = t * t;
    float p = (-0x1.b9c81ep-7f * z + 0x1.d6e42cp-5f) * z - 0x1.f09d2ep-4f;
    float r = t * (((p * z + 0x1.90aaa2p-3f) * z - 0x1.54fca2p-2f) * z + 0x1.ffff6ep-1f);
    r = a > b ? 0x1.921fb6p+0f - r : r;
    return copysign(x < 0.0f ? 0x1.921fb6p+1f - r : r, y);
}
