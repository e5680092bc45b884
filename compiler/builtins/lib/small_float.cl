// Small floats: bfloat16, the two formats of 8 bits of "OCP 8-bit Floating Point Specification (OFP8)" 1.0, and those of "OCP
// Microscaling Formats (MX) Specification" 1.0. On the bits, mostly: hardware has one rounding at most, and may flush subnormals.
//
//     format   behind the point   least normal   largest   above it
//     e5m2            2               2^-14        57344   infinity, NaN
//     e4m3            3               2^-6           448   NaN
//     e3m2            2               2^-2            28   nothing
//     e2m3            3                1             7.5   nothing
//     e2m1            1                1               6   nothing
//     mxint8          6          (none: fixed)   127/64   nothing
//
// The bodies are for a number of a block too, whose value is that of its code times 2^(scale - 127): scale 127 is none, 255 is NaN.
// how: the rounding (0 to nearest even, 1 toward zero, 2 toward +infinity, 3 toward -infinity), and 4 to saturate. Calls have constants
// for both, so what is not asked for folds away.

// Scales by which hardware can multiply: neither they nor the numbers of any format times them are subnormal.
#define QUICK_LEAST 32
#define QUICK_MOST  222

// Little branches: what a condition chooses between is computed before, and becomes a select.

// The code of the magnitude of x * 2^lift, which may be beyond the largest. x is finite; numbers of the format have so many bits
// behind the point, and the least normal one is 2^least. A carry of the rounding adds itself to the exponent.
static uint round_small(uint bits, int lift, uint point, int least, uint how)
{
    uint magnitude = bits & 0x7fffffff, exponent = magnitude >> 23;
    uint m = exponent ? (magnitude & 0x7fffff) | 0x800000 : magnitude;
    uint missing = (uint)clz(m) - 8; // of a subnormal; of 0, all bits
    int top = (int)max(exponent, 1u) - (int)missing - 127 + lift, unit = max(top, least);
    m <<= missing;
    // m has 24 bits, so cutting 25 leaves nothing, and less than a half
    uint cut = min((uint)(unit - top) + 23 - point, 25u);
    uint kept = m >> cut, rest = m & ((1u << cut) - 1), up = 0;
    if ((how & 3) == 0)
        up = rest + (kept & 1) > 1u << (cut - 1); // more than a half, or a half above an odd number
    else if ((how & 3) != 1)
        up = rest != 0 & (bits >> 31) == (how & 1);
    return ((uint)(unit - least) << point) + kept + up;
}

// The same to the nearest, by fewer operations, where x * 2^lift is no subnormal number or becomes 0: above the least normal number a
// carry goes from what is cut off, below it the sum with a power of two has the code in its last bits.
static uint round_small_quickly(float x, uint scale, uint point, int least)
{
    float lifted = x * as_float((254 - scale) << 23);
    uint magnitude = as_uint(scale == 127 ? x : lifted) & 0x7fffffff, cut = 23 - point;
    uint normal = ((magnitude + (1u << (cut - 1)) - 1 + (magnitude >> cut & 1)) >> cut) - ((uint)(least + 126) << point);
    float shift = as_float((uint)(least + (int)cut + 127) << 23), sum = as_float(magnitude) + shift;
    uint subnormal = as_uint(sum) - as_uint(shift);
    return magnitude < (uint)(least + 127) << 23 ? subnormal : normal;
}

// IEEE 754-2008, 7.4: a rounding that leads towards zero carries no number beyond the largest. infinite: what an infinity becomes.
static uint small_from_float(float x, uint scale, uint how, uint point, int least, uint largest, uint infinite, uint nan)
{
    uint bits = as_uint(x), magnitude = bits & 0x7fffffff;
    bool towards_zero = (how & 3) == 1 | ((how & 3) >= 2 & (bits >> 31) != (how & 1));
    uint code;
    if ((how & 3) == 0 & scale >= QUICK_LEAST & scale <= QUICK_MOST)
        code = round_small_quickly(x, scale, point, least);
    else
        code = round_small(bits, 127 - (int)scale, point, least, how);
    uint end = how & 4 ? largest : infinite, beyond = towards_zero ? largest : end;
    code = code > largest ? beyond : code;
    code = magnitude == 0x7f800000 ? end : code;
    return magnitude > 0x7f800000 | scale == 255 ? nan : code;
}

// A normal float's bits, or 0, times 2^(scale - 127); the result may be subnormal, and is exact then.
static float scaled(uint bits, uint scale, uint sign)
{
    if (scale >= QUICK_LEAST & scale <= QUICK_MOST) {
        float value = as_float(sign | bits), product = value * as_float(scale << 23);
        return scale == 127 ? value : product;
    }
    int exponent = (int)(bits >> 23) + (int)scale - 127;
    uint fraction = bits & 0x7fffff, below = (fraction | 0x800000) >> (1 - min(exponent, 1));
    uint normal = fraction + ((uint)exponent << 23), result = exponent > 0 ? normal : below;
    result = exponent >= 255 ? 0x7f800000 : result;
    result = bits ? result : 0;
    return as_float(sign | (scale == 255 ? 0x7fc00000 : result));
}

static float float_from_small(uint magnitude, uint scale, uint sign, uint point, int least)
{
    float unit = as_float((uint)(least - (int)point + 127) << 23), below = (float)magnitude * unit;
    uint normal = (magnitude << (23 - point)) + ((uint)(least + 126) << 23), subnormal = as_uint(below);
    return scaled(magnitude >> point ? normal : subnormal, scale, sign);
}

// ---- formats ----

uint __pumice_e5m2_from_float(float x, uint scale, uint how)
{
    return (as_uint(x) >> 31) << 7 | small_from_float(x, scale, how, 2, -14, 0x7b, 0x7c, 0x7f);
}

float __pumice_float_from_e5m2(uint code, uint scale)
{
    uint sign = (code & 0x80) << 24, magnitude = code & 0x7f;
    float value = float_from_small(magnitude, scale, sign, 2, -14);
    float end = as_float(sign | (magnitude == 0x7c & scale != 255 ? 0x7f800000 : 0x7fc00000));
    return magnitude >= 0x7c ? end : value;
}

uint __pumice_e4m3_from_float(float x, uint scale, uint how)
{
    return (as_uint(x) >> 31) << 7 | small_from_float(x, scale, how, 3, -6, 0x7e, 0x7f, 0x7f);
}

float __pumice_float_from_e4m3(uint code, uint scale)
{
    uint sign = (code & 0x80) << 24, magnitude = code & 0x7f;
    float value = float_from_small(magnitude, scale, sign, 3, -6), nan = as_float(sign | 0x7fc00000);
    return magnitude == 0x7f ? nan : value;
}

// The formats below have neither infinities nor NaN: what is no number becomes the largest one of its sign.

uint __pumice_e3m2_from_float(float x, uint scale, uint how)
{
    return (as_uint(x) >> 31) << 5 | small_from_float(x, scale, how, 2, -2, 0x1f, 0x1f, 0x1f);
}

float __pumice_float_from_e3m2(uint code, uint scale)
{
    return float_from_small(code & 0x1f, scale, (code & 0x20) << 26, 2, -2);
}

uint __pumice_e2m3_from_float(float x, uint scale, uint how)
{
    return (as_uint(x) >> 31) << 5 | small_from_float(x, scale, how, 3, 0, 0x1f, 0x1f, 0x1f);
}

float __pumice_float_from_e2m3(uint code, uint scale)
{
    return float_from_small(code & 0x1f, scale, (code & 0x20) << 26, 3, 0);
}

uint __pumice_e2m1_from_float(float x, uint scale, uint how)
{
    return (as_uint(x) >> 31) << 3 | small_from_float(x, scale, how, 1, 0, 0x7, 0x7, 0x7);
}

float __pumice_float_from_e2m1(uint code, uint scale)
{
    return float_from_small(code & 0x7, scale, (code & 0x8) << 28, 1, 0);
}

// Two's complement; -2 is never written, so that both signs reach as far.
uint __pumice_mxint8_from_float(float x, uint scale, uint how)
{
    uint magnitude = small_from_float(x, scale, how, 6, 0, 0x7f, 0x7f, 0x7f);
    return (as_uint(x) >> 31 ? 0 - magnitude : magnitude) & 0xff;
}

float __pumice_float_from_mxint8(uint code, uint scale)
{
    uint negative = code >> 7 & 1, magnitude = negative ? 256 - (code & 0xff) : code & 0xff;
    return scaled(as_uint((float)magnitude * 0x1p-6f), scale, negative << 31);
}

// ---- scales ----

// 2^(code - 127). There is no zero: what is below the least scale becomes it. Negative numbers become NaN.
uint __pumice_e8m0_from_float(float x, uint scale, uint how)
{
    uint bits = as_uint(x), magnitude = bits & 0x7fffffff, code = magnitude >> 23, rest = magnitude & 0x7fffff;
    uint below = (max(rest, 0x400000u) - 0x400000) << 1; // the least scale is the float 2^-127, which is subnormal
    rest = code ? rest : below;
    if ((how & 3) == 0)
        code += rest + (code & 1) > 0x400000;
    else if ((how & 3) == 2)
        code += rest != 0;
    code = how & 4 ? min(code, 254u) : code;
    return magnitude > 0x7f800000 | (bits >> 31 & (magnitude != 0)) ? 255 : code;
}

float __pumice_float_from_e8m0(uint code, uint scale)
{
    return as_float(code == 255 ? 0x7fc00000 : code ? code << 23 : 0x400000);
}

// The scale of a block whose largest magnitude has these bits, in a format whose largest power of two is 2^most (MX 1.0, 6.3).
uint __pumice_mx_scale(uint bits, uint most)
{
    uint exponent = bits >> 23;
    return exponent == 255 ? 255 : max(exponent, most) - most;
}

// ---- bfloat16 ----

ushort __pumice_bfloat16_rounded(float x, uint how)
{
    uint bits = as_uint(x), more = 0;
    if ((how & 3) == 0)
        more = 0x7fff + (bits >> 16 & 1);
    else if ((how & 3) != 1)
        more = (bits >> 31) == (how & 1) ? 0xffff : 0;
    uint rounded = bits + more, quiet = bits | 0x400000;
    return (ushort)(((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded) >> 16);
}

// ---- doubles ----

// Rounded to odd: cut off, and the last bit tells whether there was more. A second rounding, to fewer bits, then comes out as one
// from the double would. What is beyond the largest float is it.
float __pumice_odd_from_double(double x)
{
    ulong bits = as_ulong(x), magnitude = bits & 0x7ffffffffffffffful;
    uint sign = (uint)(bits >> 63) << 31;
    int exponent = (int)(magnitude >> 52) - 1023;
    if (magnitude >= 0x7ff0000000000000ul)
        return as_float(sign | 0x7f800000 | (magnitude > 0x7ff0000000000000ul ? 0x400000 : 0));
    if (exponent > 127)
        return as_float(sign | 0x7f7fffff);
    ulong m = (magnitude & 0xffffffffffffful) | 0x10000000000000ul;
    if (exponent < -149)
        return as_float(sign | (magnitude ? 1 : 0));
    uint cut = exponent < -126 ? (uint)(29 - 126 - exponent) : 29;
    uint kept = (uint)(m >> cut) + (exponent < -126 ? 0 : (uint)(exponent + 126) << 23);
    return as_float(sign | kept | (m & ((1ul << cut) - 1) ? 1 : 0));
}
