// Division for devices whose own is not good enough, and half functions that cannot go through float. Uses encode() of convert.cl.
// OpenCL C 3.0, 7.4: 2.5 ULP for float, correctly rounded for half and double.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// a / b for mantissas a, b in [2^n, 2^(n+1)), bit by bit: bits + 1 bits of quotient, the last one being "something is left"
static ulong divide_mantissas(ulong a, ulong b, int bits)
{
    ulong quotient = 0;
    for (int i = 0; i < bits; i++) {
        quotient <<= 1;
        if (a >= b) {
            a -= b;
            quotient |= 1;
        }
        a <<= 1;
    }
    return quotient << 1 | (a != 0);
}

// x / y by the bits. Infinities, zeros and NaNs come out as they should from a multiplication of special values.
static float divide_exactly_f32(float x, float y)
{
    uint a = as_uint(x) & 0x7fffffffu, b = as_uint(y) & 0x7fffffffu, sign = (as_uint(x) ^ as_uint(y)) & 0x80000000u;
    if (a > 0x7f800000u || b > 0x7f800000u || (a == b && (a == 0 || a == 0x7f800000u)))
        return as_float(0x7fc00000u);
    if (b == 0 || a == 0x7f800000u)
        return as_float(sign | 0x7f800000u);
    if (a == 0 || b == 0x7f800000u)
        return as_float(sign);
    uint ma = a >= 0x800000u ? (a & 0x7fffffu) | 0x800000u : a, mb = b >= 0x800000u ? (b & 0x7fffffu) | 0x800000u : b;
    int shift_a = (int)clz(ma) - 8, shift_b = (int)clz(mb) - 8;
    int exponent = (int)max(a >> 23, 1u) - shift_a - (int)max(b >> 23, 1u) + shift_b;
    ulong quotient = divide_mantissas((ulong)ma << shift_a, (ulong)mb << shift_b, 28);
    return as_float(sign | (uint)encode(quotient, exponent - 28, sign != 0, 0, 24, -126, 0x7f800000));
}

// Vulkan promises 2.5 ULP for divisors in [2^-126, 2^126]; the rest is rare.
float __pumice_div_f32(float x, float y)
{
    uint exponent = as_uint(y) >> 23 & 0xff;
    if (exponent - 1 < 251)
        return native_divide(x, y);
    return divide_exactly_f32(x, y);
}

double __pumice_div_f64(double x, double y)
{
    ulong a = as_ulong(x) & 0x7ffffffffffffffful, b = as_ulong(y) & 0x7ffffffffffffffful;
    ulong sign = (as_ulong(x) ^ as_ulong(y)) & 0x8000000000000000ul, infinity = 0x7ff0000000000000ul;
    if (a > infinity || b > infinity || (a == b && (a == 0 || a == infinity)))
        return as_double(0x7ff8000000000000ul);
    if (b == 0 || a == infinity)
        return as_double(sign | infinity);
    if (a == 0 || b == infinity)
        return as_double(sign);
    ulong hidden = 0x10000000000000ul;
    ulong ma = a >= hidden ? (a & (hidden - 1)) | hidden : a, mb = b >= hidden ? (b & (hidden - 1)) | hidden : b;
    int shift_a = (int)clz(ma) - 11, shift_b = (int)clz(mb) - 11;
    int exponent = (int)max(a >> 52, 1ul) - shift_a - (int)max(b >> 52, 1ul) + shift_b;
    ulong quotient = divide_mantissas(ma << shift_a, mb << shift_b, 57);
    return as_double(sign | encode(quotient, exponent - 57, sign != 0, 0, 53, -1022, infinity));
}

half __pumice_div_f16(half x, half y)
{
    uint a = as_ushort(x) & 0x7fff, b = as_ushort(y) & 0x7fff, sign = (as_ushort(x) ^ as_ushort(y)) & 0x8000;
    if (a > 0x7c00 || b > 0x7c00 || (a == b && (a == 0 || a == 0x7c00)))
        return as_half((ushort)0x7e00);
    if (b == 0 || a == 0x7c00)
        return as_half((ushort)(sign | 0x7c00));
    if (a == 0 || b == 0x7c00)
        return as_half((ushort)sign);
    uint ma = a >= 0x400 ? (a & 0x3ff) | 0x400 : a, mb = b >= 0x400 ? (b & 0x3ff) | 0x400 : b;
    int shift_a = (int)clz(ma) - 21, shift_b = (int)clz(mb) - 21;
    int exponent = (int)max(a >> 10, 1u) - shift_a - (int)max(b >> 10, 1u) + shift_b;
    uint dividend = ma << shift_a << 14, divisor = mb << shift_b, quotient = dividend / divisor;
    ulong with_rest = quotient << 1 | (quotient * divisor != dividend);
    return as_half((ushort)(sign | (uint)encode(with_rest, exponent - 15, sign != 0, 0, 11, -14, 0x7c00)));
}

// The product is exact in float; the sum is rounded to odd there, so that rounding to half is the only rounding that counts.
half __pumice_fma_f16(half a, half b, half c)
{
    float product = (float)a * (float)b, addend = (float)c, sum = product + addend;
    float back = sum - product, error = (product - (sum - back)) + (addend - back);
    uint bits = as_uint(sum);
    if ((bits & 0x7f800000u) != 0x7f800000u && error != 0.0f && !(bits & 1))
        bits = (error > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1;
    return (half)as_float(bits);
}

half __pumice_nextafter_f16(half x, half y)
{
    int a = as_short(x), b = as_short(y);
    if ((a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00)
        return as_half((ushort)0x7e00);
    int from = a < 0 ? -(a & 0x7fff) : a, to = b < 0 ? -(b & 0x7fff) : b;
    if (from == to)
        return y;
    int next = from < to ? from + 1 : from - 1;
    return as_half((ushort)(next < 0 || (next == 0 && from < 0) ? -next | 0x8000 : next));
}
