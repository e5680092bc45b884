// Float math: what the bodies share. Only float and integer operations, no fma: exact products are by Dekker's
// splitting. Where the hardware flushes subnormals, results that should be subnormal may come out as zeros, which such
// a device is allowed to give.
//
// A float-float is a pair (hi, lo) with hi = hi + lo rounded; its value is the sum.

// a + b exactly, where |a| >= |b| or a is 0
static float2 ff_quick_sum(float a, float b)
{
    float s = a + b;
    return (float2)(s, b - (s - a));
}

// a + b exactly
static float2 ff_sum(float a, float b)
{
    float s = a + b, t = s - a;
    return (float2)(s, (a - (s - t)) + (b - t));
}

// The upper 12 bits of a mantissa: products of such halves are exact.
static float upper_half(float a)
{
    return as_float(as_uint(a) & 0xfffff000u);
}

// a * b - p exactly, where p is a * b rounded, barring overflow and subnormals. Lowering puts the fused one in its place where fma is exact.
float __pumice_product_rest_f32(float a, float b, float p)
{
    float ah = upper_half(a), bh = upper_half(b), al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

float __pumice_product_rest_fused_f32(float a, float b, float p)
{
    return fma(a, b, -p);
}

// a * b exactly
static float2 ff_product(float a, float b)
{
    float p = a * b;
    return (float2)(p, __pumice_product_rest_f32(a, b, p));
}

static float2 ff_add(float2 a, float2 b)
{
    float2 s = ff_sum(a.x, b.x);
    return ff_quick_sum(s.x, s.y + (a.y + b.y));
}

static float2 ff_multiply(float2 a, float2 b)
{
    float2 p = ff_product(a.x, b.x);
    return ff_quick_sum(p.x, p.y + (a.x * b.y + a.y * b.x));
}

// 2^n for n in [-126, 127]
static float power_of_two(int n)
{
    return as_float((uint)(n + 127) << 23);
}

// x * 2^n with one rounding, for n in about [-300, 300] and normal x near 1; a subnormal result is put together from
// bits, so that it is right on hardware that flushes.
static float scale_near_one(float x, int n)
{
    n = clamp(n, -300, 300);
    if (n >= -125 && n <= 126)
        return x * power_of_two(n);
    if (n > 0)
        return x * power_of_two(127) * power_of_two(min(n - 127, 127));
    uint bits = as_uint(x), sign = bits & 0x80000000u;
    int exponent = (int)(bits >> 23 & 0xff) + n;
    if (exponent > 0)
        return as_float(sign | (uint)exponent << 23 | (bits & 0x7fffff));
    uint mantissa = (bits & 0x7fffff) | 0x800000;
    int shift = 1 - exponent;
    if (shift > 25)
        return as_float(sign);
    uint kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half_way = 1u << (shift - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    return as_float(sign | kept);
}

// A positive finite x as m * 2^e with m in [sqrt(1/2), sqrt(2)); subnormals too, whatever the hardware does with them.
static float split_exponent(float x, int *e)
{
    uint bits = as_uint(x);
    int k = 0;
    if (bits < 0x00800000) {
        int up = (int)clz(bits) - 8;
        bits <<= up; /* the leading one is now bit 23, which reads as an exponent of 1 */
        k = -up;
    }
    int exponent = (int)(bits >> 23) - 127 + k;
    uint mantissa = (bits & 0x7fffff) | 0x3f800000;
    if (mantissa >= 0x3fb504f3) {
        mantissa -= 0x00800000;
        exponent++;
    }
    *e = exponent;
    return as_float(mantissa);
}
