// Conversions between number formats with a rounding mode, on the bits: hardware has one mode at most, and may flush subnormals.
// Modes: 0 to nearest even, 1 toward zero, 2 toward +infinity, 3 toward -infinity. OpenCL C 3.0, 6.4.3.2.

// m / 2^shift, rounded; shift may be negative (then nothing is lost) or large
static ulong shift_rounded(ulong m, int shift, uint negative, uint mode)
{
    if (shift <= 0)
        return m << -shift;
    ulong quotient = shift > 63 ? 0 : m >> shift;
    ulong rest = shift > 63 ? m : m & ((1ul << shift) - 1);
    ulong half_way = shift > 64 ? ~0ul : 1ul << (shift - 1);
    uint up = 0;
    if (mode == 0)
        up = rest > half_way || (rest == half_way && (quotient & 1));
    else if (mode == 2)
        up = rest && !negative;
    else if (mode == 3)
        up = rest && negative;
    return quotient + up;
}

// The bits of m * 2^e (m > 0) in a format with the given precision (hidden bit included), least normal exponent and infinity. The
// hidden bit and a carry of the rounding add themselves to the exponent.
static ulong encode(ulong m, int e, uint negative, uint mode, int precision, int least, ulong infinity_bits)
{
    int top = 63 - (int)clz(m) + e;
    int unit = max(top, least) - (precision - 1);
    ulong biased = (ulong)(max(top, least) - least);
    ulong bits = (biased << (precision - 1)) + shift_rounded(m, unit - e, negative, mode);
    if (top > 2000 || bits >= infinity_bits) {
        uint to_infinity = mode == 0 || (mode == 2 && !negative) || (mode == 3 && negative);
        bits = to_infinity ? infinity_bits : infinity_bits - 1;
    }
    return bits;
}

ushort __pumice_half_bits_f32(float x, uint mode)
{
    uint bits = as_uint(x), negative = bits >> 31, magnitude = bits & 0x7fffffffu;
    ushort sign = (ushort)(negative << 15);
    if (magnitude > 0x7f800000u)
        return sign | 0x7e00 | (ushort)(magnitude >> 13 & 0x3ff);
    if (magnitude == 0x7f800000u)
        return sign | 0x7c00;
    if (!magnitude)
        return sign;
    uint exponent = magnitude >> 23;
    uint m = exponent ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
    return sign | (ushort)encode(m, (int)max(exponent, 1u) - 150, negative, mode, 11, -14, 0x7c00);
}

ushort __pumice_half_bits_f64(double x, uint mode)
{
    ulong bits = as_ulong(x), magnitude = bits & 0x7ffffffffffffffful;
    uint negative = (uint)(bits >> 63);
    ushort sign = (ushort)(negative << 15);
    if (magnitude > 0x7ff0000000000000ul)
        return sign | 0x7e00 | (ushort)(magnitude >> 42 & 0x3ff);
    if (magnitude == 0x7ff0000000000000ul)
        return sign | 0x7c00;
    if (!magnitude)
        return sign;
    int exponent = (int)(magnitude >> 52);
    ulong m = exponent ? (magnitude & 0xffffffffffffful) | 0x10000000000000ul : magnitude;
    return sign | (ushort)encode(m, max(exponent, 1) - 1075, negative, mode, 11, -14, 0x7c00);
}

float __pumice_narrow_f32_f64(double x, uint mode)
{
    ulong bits = as_ulong(x), magnitude = bits & 0x7ffffffffffffffful;
    uint negative = (uint)(bits >> 63), sign = negative << 31;
    if (magnitude > 0x7ff0000000000000ul)
        return as_float(sign | 0x7fc00000u | (uint)(magnitude >> 29 & 0x7fffff));
    if (magnitude == 0x7ff0000000000000ul)
        return as_float(sign | 0x7f800000u);
    if (!magnitude)
        return as_float(sign);
    int exponent = (int)(magnitude >> 52);
    ulong m = exponent ? (magnitude & 0xffffffffffffful) | 0x10000000000000ul : magnitude;
    return as_float(sign | (uint)encode(m, max(exponent, 1) - 1075, negative, mode, 24, -126, 0x7f800000));
}

float __pumice_float_from_half_bits(ushort bits)
{
    uint sign = (uint)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
        return as_float(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
    if (magnitude < 0x400) {
        float value = (float)magnitude * 0x1p-24f;
        return as_float(sign | as_uint(value));
    }
    return as_float(sign | ((magnitude << 13) + 0x38000000u));
}

float __pumice_float_from_int_f32(ulong magnitude, uint negative, uint mode)
{
    if (!magnitude)
        return 0.0f;
    return as_float(negative << 31 | (uint)encode(magnitude, 0, negative, mode, 24, -126, 0x7f800000));
}

double __pumice_float_from_int_f64(ulong magnitude, uint negative, uint mode)
{
    if (!magnitude)
        return 0.0;
    return as_double((ulong)negative << 63 | encode(magnitude, 0, negative, mode, 53, -1022, 0x7ff0000000000000ul));
}
