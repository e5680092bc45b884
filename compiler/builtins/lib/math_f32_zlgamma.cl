// Float lgamma: OpenCL gives no bound; this keeps about 1e-6 absolute or relative, whichever is larger, and is within a few units in the last
// place for positive arguments. Polynomials from coefficients/lgamma.py.

// lgamma(1 + t) for t in [-1/4, 2], with its zeros at 0 and 1, both of which are positive: the product alone would be -0 at 0.
static float lgamma_below_3(float t)
{
    float s = t - 0.875f, p = 0x1.1518e4p-14f;
    p = p * s - 0x1.f61914p-14f;
    p = p * s - 0x1.0e94aap-15f;
    p = p * s + 0x1.e0ec8cp-17f;
    p = p * s + 0x1.b0cdb2p-12f;
    p = p * s - 0x1.9bc892p-11f;
    p = p * s + 0x1.59378cp-10f;
    p = p * s - 0x1.7b7f12p-9f;
    p = p * s + 0x1.aec348p-8f;
    p = p * s - 0x1.f41804p-7f;
    p = p * s + 0x1.384acap-5f;
    p = p * s - 0x1.bf33fcp-4f;
    return t == 0.0f ? 0.0f : t * (t - 1.0f) * (p * s + 0x1.be5348p-2f);
}

static float lgamma_3_to_10(float x)
{
    float s = x - 6.5f, p = 0x1.399932p-33f;
    p = p * s - 0x1.ad91e2p-31f;
    p = p * s + 0x1.14355p-31f;
    p = p * s - 0x1.aaa9c2p-27f;
    p = p * s + 0x1.662d6ep-23f;
    p = p * s - 0x1.404b4ep-20f;
    p = p * s + 0x1.35205ep-17f;
    p = p * s - 0x1.4d3bdep-14f;
    p = p * s + 0x1.8363aap-11f;
    p = p * s - 0x1.039938p-7f;
    p = p * s + 0x1.e69262p-4f;
    return (x - 2.0f) * (p * s + 0x1.42230ap+0f);
}

// Stirling's formula for x >= 10: (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + 1/(12 x) - 1/(360 x^3) + ...
static float lgamma_from_10(float x, float log)
{
    float u = native_recip(x > 0x1p60f ? 0x1p60f : x);
    float tail = u * (u * u * -0x1.6acc92p-9f + 0x1.55554ep-4f);
    return (x - 0.5f) * (log - 1.0f) + (tail + 0x1.acfe38p-2f);
}

// lgamma(-a) = log(pi) - log(a |sin(pi a)|) - lgamma(a); infinite at whole numbers, where the sign is 0 (OpenCL C 3.0, 7.5.1)
float __pumice_lgamma_r_f32(float x, int *sign)
{
    float a = fabs(x), y;
    if (a < 3.0f) {
        y = lgamma_below_3(a < 0.75f ? a : a - 1.0f);
        if (a < 0.75f)
            y -= __pumice_log_f32(a);
    } else {
        y = a < 10.0f ? lgamma_3_to_10(a) : lgamma_from_10(a, __pumice_log_f32(a));
    }
    *sign = (as_uint(x) & 0x7fffffff) == 0 ? 0 : 1;
    if (x < 0.0f) {
        float s = a < 0x1p23f ? __pumice_sinpi_f32(a) : 0.0f;
        *sign = s > 0.0f ? -1 : s < 0.0f ? 1 : 0;
        if (a >= 0x1p-20f)
            y = s == 0.0f ? INFINITY : 0x1.250d04p+0f - __pumice_log_f32(a * fabs(s)) - y;
    }
    return y;
}

float __pumice_lgamma_f32(float x)
{
    int sign;
    return __pumice_lgamma_r_f32(x, &sign);
}
