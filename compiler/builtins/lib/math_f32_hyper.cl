// Float roots, hyperbolic functions, error function and gamma. Polynomials from coefficients/float.sollya.

// The device's square root, made better once, then rounded exactly: the residual of the 24-bit root is an integer.
float __pumice_sqrt_f32(float x)
{
    uint bits = as_uint(x);
    if (bits - 1 >= 0x7f800000u - 1)
        return (bits & 0x7fffffff) == 0 || bits == 0x7f800000u ? x : NAN;
    int up = bits < 0x00800000u ? (int)clz(bits) - 8 : 0;
    bits <<= up; /* the leading one of a subnormal is now bit 23, which reads as an exponent of 1 */
    int exponent = (int)(bits >> 23) - 127 - up, odd = exponent & 1;
    uint mantissa = (bits & 0x7fffff) | 0x800000;
    float y = as_float((mantissa & 0x7fffff) | (uint)(127 + odd) << 23); /* in [1, 4) */
    float s = native_sqrt(y);
    float2 square = ff_product(s, s);
    s += ((y - square.x) - square.y) * 0.5f / s;
    uint root = (uint)(s * 0x1p23f);
    int rest = (int)((mantissa << (23 + odd)) - root * root);
    root += rest > (int)root ? 1 : rest <= -(int)root ? -1 : 0;
    return as_float(((uint)((exponent >> 1) + 126) << 23) + root);
}

float __pumice_rsqrt_f32(float x)
{
    uint bits = as_uint(x);
    if (bits - 1 >= 0x7f800000u - 1)
        return (bits & 0x7fffffff) == 0 ? copysign(INFINITY, x) : bits == 0x7f800000u ? 0.0f : NAN;
    float scale = 1.0f;
    if (bits < 0x10000000u) {
        x = bits < 0x00800000u ? (float)bits * 0x1p-101f : x * 0x1p48f;
        scale = 0x1p24f;
    } else if (bits > 0x70000000u) {
        x *= 0x1p-48f;
        scale = 0x1p-24f;
    }
    float y = native_rsqrt(x);
    float2 square = ff_product(y, y), one = ff_multiply(square, (float2)(x, 0.0f));
    return (y + 0.5f * y * ((1.0f - one.x) - one.y)) * scale;
}

float __pumice_cbrt_f32(float x)
{
    uint bits = as_uint(x) & 0x7fffffff;
    if (bits == 0 || bits >= 0x7f800000u)
        return x;
    float a = as_float(bits), scale = 1.0f;
    if (bits < 0x10000000u) { /* 2^69 x: the cubes below must not underflow */
        a = bits < 0x00800000u ? (float)bits * 0x1p-80f : a * 0x1p69f;
        scale = 0x1p-23f;
    } else if (bits > 0x50000000u) {
        a *= 0x1p-69f;
        scale = 0x1p23f;
    }
    float t = as_float(as_uint(a) / 3 + 0x2a514067u);
    for (int i = 0; i < 2; i++) {
        float cube = t * t * t;
        t = t * (cube + 2.0f * a) / (2.0f * cube + a);
    }
    float2 square = ff_product(t, t), cube = ff_multiply(square, (float2)(t, 0.0f));
    t += ((a - cube.x) - cube.y) / (3.0f * square.x);
    return copysign(t * scale, x);
}

// hypot without overflow: scaled by a power of two, the sum of squares as a float-float
float __pumice_hypot_f32(float x, float y)
{
    float a = fabs(x), b = fabs(y);
    if (isinf(a) || isinf(b))
        return INFINITY;
    if (isnan(a) || isnan(b))
        return NAN;
    uint big = max(as_uint(a), as_uint(b)), small = min(as_uint(a), as_uint(b));
    if (big == 0)
        return 0.0f;
    if (small == 0 || (big >> 23) - (small >> 23) > 26)
        return as_float(big) + as_float(small);
    float back = 1.0f;
    float p = as_float(big), q = as_float(small);
    if (big > 0x5f000000u) {
        p *= 0x1p-70f;
        q *= 0x1p-70f;
        back = 0x1p70f;
    } else if (big < 0x2d000000u) { /* 2^-37: else all parts of the larger one's square are normal numbers */
        p = big < 0x00800000u ? (float)big * 0x1p-59f : p * 0x1p90f;
        q = small < 0x00800000u ? (float)small * 0x1p-59f : q * 0x1p90f;
        back = 0x1p-90f;
    }
    float2 s = ff_add(ff_product(p, p), ff_product(q, q));
    float root = native_sqrt(s.x);
    float2 square = ff_product(root, root);
    root += (((s.x - square.x) - square.y) + s.y) / (2.0f * root);
    return root * back;
}

float __pumice_sinh_f32(float x)
{
    float a = fabs(x);
    if (a < 1.0f) {
        float z = x * x;
        float p = 0x1.724eccp-19f;
        p = p * z + 0x1.a03562p-13f;
        p = p * z + 0x1.1110c6p-7f;
        p = p * z + 0x1.555556p-3f;
        return a < 0x1p-13f ? x : x + x * z * p;
    }
    float half_e = exp_scaled(a, -1); /* e^a / 2 */
    return copysign(a > 20.0f ? half_e : half_e - 0.25f / half_e, x);
}

float __pumice_cosh_f32(float x)
{
    float a = fabs(x);
    float half_e = exp_scaled(a, -1);
    return a > 20.0f ? half_e : half_e + 0.25f / half_e;
}

float __pumice_tanh_f32(float x)
{
    float a = fabs(x);
    if (a < 0.625f) {
        float z = x * x;
        float p = 0x1.36b552p-9f;
        p = p * z - 0x1.1465fep-7f;
        p = p * z + 0x1.654ba8p-6f;
        p = p * z - 0x1.ba17dp-5f;
        p = p * z + 0x1.111132p-3f;
        p = p * z - 0x1.555556p-2f;
        return a < 0x1p-13f ? x : x + x * z * p;
    }
    if (isnan(x))
        return x;
    return copysign(a > 10.0f ? 1.0f : 1.0f - 2.0f / (exp_scaled(2.0f * a, 0) + 1.0f), x);
}

float __pumice_asinh_f32(float x)
{
    float a = fabs(x);
    if (a < 0x1p-13f || !isfinite(x))
        return x;
    float y;
    if (a > 0x1p14f) {
        y = __pumice_log_f32(a) + 0x1.62e43p-1f;
    } else {
        float2 z = ff_product(a, a), w = ff_add(z, (float2)(1.0f, 0.0f));
        float root = __pumice_sqrt_f32(w.x);
        /* asinh(a) = log1p(a + a^2 / (1 + sqrt(1 + a^2))) */
        y = __pumice_log1p_f32(a + z.x / (1.0f + root));
    }
    return copysign(y, x);
}

float __pumice_acosh_f32(float x)
{
    if (!(x >= 1.0f))
        return NAN;
    if (x > 0x1p14f)
        return isinf(x) ? x : __pumice_log_f32(x) + 0x1.62e43p-1f;
    float t = x - 1.0f;
    return __pumice_log1p_f32(t + __pumice_sqrt_f32(2.0f * t + t * t));
}

float __pumice_atanh_f32(float x)
{
    float a = fabs(x);
    if (a < 0x1p-13f)
        return x;
    if (!(a <= 1.0f))
        return NAN;
    if (a == 1.0f)
        return copysign(INFINITY, x);
    return copysign(0.5f * __pumice_log1p_f32(2.0f * a / (1.0f - a)), x);
}

// erfc(a) for a in [0.46, 10.1], times 2^30
static float erfc_tail(float a)
{
    float t = 2.0f / (2.0f + a);
    float p = -0x1.b7b9dp-6f;
    p = p * t + 0x1.ad906ep-5f;
    p = p * t + 0x1.6a291p-4f;
    p = p * t - 0x1.305488p-2f;
    p = p * t + 0x1.57b5acp-3f;
    p = p * t + 0x1.93c40cp-7f;
    p = p * t + 0x1.8e8be6p-3f;
    p = p * t + 0x1.f3aadep-3f;
    p = p * t + 0x1.211ea4p-2f;
    p = p * t + 0x1.20db08p-2f;
    float2 square = ff_product(a, a);
    return exp_scaled(-square.x, 30) * (t * p) * (1.0f - square.y);
}

static float erf_small(float x)
{
    float z = x * x;
    float p = -0x1.2d410ep-17f;
    p = p * z + 0x1.cd2fa8p-14f;
    p = p * z - 0x1.ba908p-11f;
    p = p * z + 0x1.55efccp-8f;
    p = p * z - 0x1.b8235p-6f;
    p = p * z + 0x1.ce2eaap-4f;
    p = p * z - 0x1.812744p-2f;
    p = p * z + 0x1.06eba8p-3f;
    return x + x * p;
}

float __pumice_erf_f32(float x)
{
    float a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0x1p-28f)
        return x * 0x1.20dd76p+0f;
    if (a < 1.0f)
        return erf_small(x);
    return copysign(a > 4.0f ? 1.0f : 1.0f - erfc_tail(a) * 0x1p-30f, x);
}

float __pumice_erfc_f32(float x)
{
    if (isnan(x))
        return x;
    if (fabs(x) < 0.5f)
        return 1.0f - erf_small(x);
    float a = fabs(x);
    if (x < 0.0f)
        return a > 4.0f ? 2.0f : 2.0f - erfc_tail(a) * 0x1p-30f;
    return a > 10.1f ? 0.0f : scale_near_one(erfc_tail(a), -30);
}

static float gamma_polynomial(float u) // gamma(1.5 + u), |u| <= 0.5
{
    float p = 0x1.ea84b4p-8f;
    p = p * u - 0x1.6f9eaep-7f;
    p = p * u + 0x1.5fa9b8p-7f;
    p = p * u - 0x1.06bf56p-6f;
    p = p * u + 0x1.a95584p-6f;
    p = p * u - 0x1.38d1cap-5f;
    p = p * u + 0x1.e00f9ap-5f;
    p = p * u - 0x1.3d7a7ap-4f;
    p = p * u + 0x1.283bfap-3f;
    p = p * u - 0x1.b77b36p-4f;
    p = p * u + 0x1.a8c4dcp-2f;
    p = p * u + 0x1.08ea8cp-5f;
    return p * u + 0x1.c5bf8ap-1f;
}

float __pumice_tgamma_f32(float x)
{
    if (isnan(x))
        return x;
    if ((as_uint(x) & 0x7fffffff) == 0)
        return copysign(INFINITY, x);
    if (x > 35.1f)
        return INFINITY;
    if (x < 0.0f && (isinf(x) || x == trunc(x)))
        return NAN;
    if (fabs(x) < 0x1p-24f)
        return 1.0f / x;
    bool odd = x < 0.0f && fabs(trunc(x) * 0.5f) == trunc(fabs(trunc(x) * 0.5f));
    if (x < -44.0f)
        return odd ? -0.0f : 0.0f;
    /* recurrence to [1, 2]; the steps are exact but for arguments near 0, where gamma(1 + x) is flat */
    float2 product = (float2)(1.0f, 0.0f), at = (float2)(x, 0.0f);
    int scale = 0;
    if (x > 2.0f) {
        while (at.x > 2.0f) {
            at = ff_sum(at.x - 1.0f, at.y);
            product = ff_multiply(product, at);
            if (product.x > 0x1p60f) {
                product *= 0x1p-60f;
                scale += 60;
            }
        }
        float g = gamma_polynomial((at.x - 1.5f) + at.y) * (product.x + product.y);
        return scale_near_one(g * 0x1p-60f, scale + 60);
    }
    while (at.x < 1.0f) {
        product = ff_multiply(product, at);
        at = ff_add(at, (float2)(1.0f, 0.0f));
        if (fabs(product.x) > 0x1p60f) {
            product *= 0x1p-60f;
            scale -= 60;
        }
    }
    float g = gamma_polynomial((at.x - 1.5f) + at.y) / product.x;
    return scale_near_one(g * 0x1p60f, scale - 60);
}
