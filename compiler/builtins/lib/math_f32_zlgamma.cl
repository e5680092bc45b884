// Float lgamma: OpenCL gives no bound; this keeps about 1e-6 absolute or relative, whichever is larger.

float __pumice_lgamma_r_f32(float x, int *sign)
{
    *sign = 1;
    if (isnan(x))
        return x;
    if (isinf(x))
        return INFINITY;
    uint bits = as_uint(x) & 0x7fffffff;
    if (bits == 0) { /* OpenCL C 3.0, 7.5.1 */
        *sign = 0;
        return INFINITY;
    }
    if (x <= 0.0f && (x == trunc(x) || x < -0x1p23f)) {
        *sign = 0;
        return INFINITY;
    }
    float a = fabs(x);
    if (a < 0x1p-20f) {
        *sign = x < 0.0f ? -1 : 1;
        return -__pumice_log_f32(a);
    }
    if (x > -10.0f && x < 12.0f) {
        float g = __pumice_tgamma_f32(x);
        *sign = g < 0.0f ? -1 : 1;
        return __pumice_log_f32(fabs(g));
    }
    /* Stirling: (a - 1/2) log a - a + log(2 pi)/2 + 1/(12a) - 1/(360 a^3) + ... */
    float r = 1.0f / a, z = r * r;
    float tail = r * (0x1.555556p-4f + z * (-0x1.6c16c2p-9f + z * 0x1.a01a02p-11f));
    float l = __pumice_log_f32(a);
    float big = a > 0x1p120f ? a * (l - 1.0f) : (a - 0.5f) * (l - 1.0f) + (0x1.d67f1cp-1f - 0.5f + tail);
    if (x > 0.0f)
        return big;
    /* gamma(-a) gamma(a) = -pi / (a sin(pi a)) */
    float s = __pumice_sinpi_f32(a);
    *sign = s > 0.0f ? -1 : 1;
    return 0x1.250d04p+0f - __pumice_log_f32(a * fabs(s)) - big;
}

float __pumice_lgamma_f32(float x)
{
    int sign;
    return __pumice_lgamma_r_f32(x, &sign);
}
