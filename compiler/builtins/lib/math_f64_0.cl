// Double math: what the bodies share; see math_f32_0.cl. A double-double is a pair (hi, lo) with hi = hi + lo rounded.

// a + b exactly, where |a| >= |b| or a is 0
static double2 dd_quick_sum(double a, double b)
{
    double s = a + b;
    return (double2)(s, b - (s - a));
}

// a + b exactly
static double2 dd_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (double2)(s, (a - (s - t)) + (b - t));
}

// A mantissa rounded to 26 bits, so that the rest has 26 bits and a sign, too: products of the halves are exact. (Of
// the 53 bits, cutting would leave 27 for the rest, and 54 for the product of two rests.) |a| is below 2^1023.
static double upper_half_d(double a)
{
    return as_double((as_ulong(a) + 0x4000000ul) & 0xfffffffff8000000ul);
}

// See __pumice_product_rest_f32().
double __pumice_product_rest_f64(double a, double b, double p)
{
    double ah = upper_half_d(a), bh = upper_half_d(b), al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

double __pumice_product_rest_fused_f64(double a, double b, double p)
{
    return fma(a, b, -p);
}

// a * b exactly, barring overflow and subnormals
static double2 dd_product(double a, double b)
{
    double p = a * b;
    return (double2)(p, __pumice_product_rest_f64(a, b, p));
}

static double2 dd_add(double2 a, double2 b)
{
    double2 s = dd_sum(a.x, b.x);
    return dd_quick_sum(s.x, s.y + (a.y + b.y));
}

static double2 dd_multiply(double2 a, double2 b)
{
    double2 p = dd_product(a.x, b.x);
    return dd_quick_sum(p.x, p.y + (a.x * b.y + a.y * b.x));
}

// 2^n for n in [-1022, 1023]
static double power_of_two_d(int n)
{
    return as_double((ulong)(n + 1023) << 52);
}

// x * 2^n with one rounding, for normal x near 1 and n in about [-2200, 2200]
static double scale_near_one_d(double x, int n)
{
    n = clamp(n, -2200, 2200);
    if (n >= -1020 && n <= 1022)
        return x * power_of_two_d(n);
    if (n > 0)
        return x * power_of_two_d(1023) * power_of_two_d(min(n - 1023, 1023));
    ulong bits = as_ulong(x), sign = bits & 0x8000000000000000ul;
    int exponent = (int)(bits >> 52 & 0x7ff) + n;
    if (exponent > 0)
        return as_double(sign | (ulong)exponent << 52 | (bits & 0xffffffffffffful));
    ulong mantissa = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    int shift = 1 - exponent;
    if (shift > 54)
        return as_double(sign);
    ulong kept = mantissa >> shift, rest = mantissa & ((1ul << shift) - 1), half_way = 1ul << (shift - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    return as_double(sign | kept);
}

// A positive finite x as m * 2^e with m in [sqrt(1/2), sqrt(2)) or a hair above, by the upper words
static double split_exponent_d(double x, int *e)
{
    uint2 bits = as_uint2(x);
    int k = 0;
    if (bits.y < 0x00100000u) {
        int up = (int)clz(as_ulong(x)) - 11;
        bits = as_uint2(as_ulong(x) << up); /* the leading one is now bit 52, which reads as an exponent of 1 */
        k = -up;
    }
    int above = ((int)bits.y - 0x3fe6a09f) & (int)0xfff00000;
    *e = (above >> 20) + k;
    return as_double((uint2)(bits.x, bits.y - (uint)above));
}
