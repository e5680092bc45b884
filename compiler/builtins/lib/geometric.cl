// Lengths of vectors without overflow and underflow: scaled by a power of two where squares would leave the range. OpenCL C 3.0,
// 6.15.5; missing lanes are 0.

float __pumice_length_f32(float x, float y, float z, float w)
{
    float most = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
    if (isinf(most))
        return most;
    float scale = 1.0f, back = 1.0f;
    if (most > 0x1p+60f) {
        scale = 0x1p-86f;
        back = 0x1p+86f;
    } else if (most < 0x1p-40f) {
        scale = 0x1p+86f;
        back = 0x1p-86f;
    }
    x *= scale;
    y *= scale;
    z *= scale;
    w *= scale;
    return sqrt(x * x + y * y + z * z + w * w) * back;
}

double __pumice_length_f64(double x, double y, double z, double w)
{
    double most = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
    if (isinf(most))
        return most;
    double scale = 1.0, back = 1.0;
    if (most > 0x1p+500) {
        scale = 0x1p-600;
        back = 0x1p+600;
    } else if (most < 0x1p-400) {
        scale = 0x1p+600;
        back = 0x1p-600;
    }
    x *= scale;
    y *= scale;
    z *= scale;
    w *= scale;
    return sqrt(x * x + y * y + z * z + w * w) * back;
}

// The power of two that brings the largest lane to [1, 2), as far as powers of two go
float __pumice_normalize_scale_f32(float x, float y, float z, float w)
{
    float most = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
    int exponent = (int)(as_uint(most) >> 23);
    return as_float((uint)clamp(254 - exponent, 1, 253) << 23);
}

double __pumice_normalize_scale_f64(double x, double y, double z, double w)
{
    double most = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
    int exponent = (int)(as_ulong(most) >> 52);
    return as_double((ulong)clamp(2046 - exponent, 1, 2045) << 52);
}
