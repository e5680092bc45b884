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

// What x / y is where no quotient need be computed, by the bits: *done says whether so.
static float special_quotient_f32(uint a, uint b, uint sign, bool *done)
{
    *done = a == 0 || b == 0 || max(a, b) >= 0x7f800000u;
    if (max(a, b) > 0x7f800000u || (a == b && (a == 0 || a == 0x7f800000u)))
        return as_float(0x7fc00000u);
    return as_float(b == 0 || a == 0x7f800000u ? sign | 0x7f800000u : sign);
}

// A finite x != 0 over a divisor that is subnormal or above 2^125: over its mantissa in [1, 2), which every device does well, then by its
// exponent in two steps of which one at most rounds.
static float divide_extreme_f32(float x, uint b, uint sign)
{
    int up = b < 0x800000u ? (int)clz(b) - 8 : 0, exponent = (int)max(b >> 23, 1u) - 127 - up;
    float mantissa = as_float(sign | 0x3f800000u | (b << up & 0x7fffffu));
    if (exponent > 0)
        return native_divide(x, mantissa) * 0x1p-64f * as_float((uint)(127 + 64 - exponent) << 23);
    return native_divide(x * 0x1p64f, mantissa) * as_float((uint)(127 - 64 - exponent) << 23);
}

// Vulkan promises 2.5 ULP for divisors in [2^-126, 2^126]; the rest is rare.
float __pumice_div_f32(float x, float y)
{
    uint b = as_uint(y) & 0x7fffffffu;
    if (b - 0x800000u < 0x7e000000u)
        return native_divide(x, y);
    bool done;
    float special = special_quotient_f32(as_uint(x) & 0x7fffffffu, b, (as_uint(x) ^ as_uint(y)) & 0x80000000u, &done);
    return done ? special : divide_extreme_f32(x, b, as_uint(y) & 0x80000000u);
}

// Correctly rounded: the device's quotient of the mantissas, made right to 27 bits by the remainder, which 32-bit integers hold.
float __pumice_div_correct_f32(float x, float y)
{
    uint a = as_uint(x) & 0x7fffffffu, b = as_uint(y) & 0x7fffffffu, sign = (as_uint(x) ^ as_uint(y)) & 0x80000000u;
    bool done;
    float special = special_quotient_f32(a, b, sign, &done);
    if (done)
        return special;
    uint ma = a >= 0x800000u ? (a & 0x7fffffu) | 0x800000u : a, mb = b >= 0x800000u ? (b & 0x7fffffu) | 0x800000u : b;
    int shift_a = (int)clz(ma) - 8, shift_b = (int)clz(mb) - 8;
    int exponent = (int)max(a >> 23, 1u) - shift_a - (int)max(b >> 23, 1u) + shift_b;
    ma <<= shift_a;
    mb <<= shift_b;
    float divisor = (float)mb;
    uint quotient = (uint)(native_divide((float)ma, divisor) * 0x1p26f);
    int rest = (int)((ma << 26) - quotient * mb); /* within 2^31: the quotient is right to 20 bits at least */
    int more = (int)native_divide((float)rest, divisor);
    quotient += (uint)more;
    rest -= more * (int)mb;
    for (int i = 0; i < 2; i++) {
        int step = rest < 0 ? -1 : rest >= (int)mb ? 1 : 0;
        quotient += (uint)step;
        rest -= step * (int)mb;
    }
    return as_float(sign | (uint)encode((ulong)quotient << 1 | (rest != 0), exponent - 27, sign != 0, 0, 24, -126, 0x7f800000));
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

// a * b + c, rounded once, for devices with doubles: the product is exact there, and the sum rounded to odd, so that rounding to float is
// the only rounding that counts. What becomes infinite or NaN has no error to speak of.
float __pumice_fma_wide_f32(float a, float b, float c)
{
    double product = (double)a * (double)b, addend = (double)c, sum = product + addend, back = sum - product;
    double error = (product - (sum - back)) + (addend - back);
    ulong bits = as_ulong(sum), odd = (bits - ((error < 0.0) != (sum < 0.0))) | 1;
    return (float)as_double(fabs(error) > 0.0 ? odd : bits);
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
