// Float functions with exact results: in integers, so that neither subnormals nor the device's division matter.

// |x| mod |y| for finite x, y != 0; the quotient's low 32 bits in *quotient (bit 0 is of weight 1)
static float modulo(float x, float y, uint *quotient)
{
    uint ax = as_uint(x) & 0x7fffffff, ay = as_uint(y) & 0x7fffffff;
    *quotient = 0;
    if (ax < ay)
        return as_float(ax);
    int ex = max((int)(ax >> 23), 1), ey = max((int)(ay >> 23), 1);
    uint mx = (ax & 0x7fffff) | (ax >> 23 ? 0x800000 : 0), my = (ay & 0x7fffff) | (ay >> 23 ? 0x800000 : 0);
    uint q = mx / my;
    mx -= q * my;
    for (int left = ex - ey; left > 0;) {
        int step = min(left, 8);
        mx <<= step;
        uint digit = mx / my;
        mx -= digit * my;
        q = q << step | digit;
        left -= step;
    }
    *quotient = q;
    if (mx == 0)
        return 0.0f;
    int up = (int)clz(mx) - 8, e = ey - up;
    if (e > 0)
        return as_float((uint)e << 23 | (mx << up & 0x7fffff));
    return as_float(mx << (ey - 1));
}

static bool modulo_special(float x, float y)
{
    uint ax = as_uint(x) & 0x7fffffff, ay = as_uint(y) & 0x7fffffff;
    return ax >= 0x7f800000u || ay > 0x7f800000u || ay == 0;
}

float __pumice_fmod_f32(float x, float y)
{
    if (modulo_special(x, y))
        return NAN;
    if (isinf(y))
        return x;
    uint q;
    return as_float(as_uint(modulo(x, y, &q)) | (as_uint(x) & 0x80000000u));
}

// a - b for the bits of positive numbers, b in [a/2, a]: exact, in integers because it may be subnormal
static float subtract_below(uint a, uint b)
{
    int ea = max((int)(a >> 23), 1), shift = ea - max((int)(b >> 23), 1); /* 0 or 1 */
    uint ma = ((a & 0x7fffff) | (a >> 23 ? 0x800000 : 0)) << shift;
    uint m = ma - ((b & 0x7fffff) | (b >> 23 ? 0x800000 : 0));
    int e = ea - shift, up = m ? min((int)clz(m) - 8, e - 1) : 0;
    m = up >= 0 ? m << up : m >> -up;
    e -= up;
    return as_float(m & 0x800000 ? (uint)e << 23 | (m & 0x7fffff) : m);
}

float __pumice_remquo_f32(float x, float y, int *quotient)
{
    *quotient = 0;
    if (modulo_special(x, y))
        return NAN;
    if (isinf(y))
        return x;
    uint q, ay = as_uint(y) & 0x7fffffff;
    float r = modulo(x, y, &q);
    /* round to nearest, ties to the even quotient: compare 2 r with |y| in integers */
    uint br = as_uint(r);
    bool above, tie;
    if (ay < 0x01000000u) { /* twice r is subnormal or just above: mantissas are in one scale */
        above = 2 * br > ay;
        tie = 2 * br == ay;
    } else {
        uint half_y = ay - 0x00800000u;
        above = br > half_y;
        tie = br == half_y;
    }
    uint sign = as_uint(x) & 0x80000000u;
    if (above || (tie && (q & 1))) {
        q++;
        r = subtract_below(ay, br);
        sign ^= 0x80000000u;
    }
    uint low = q & 0x7f;
    *quotient = (as_uint(x) ^ as_uint(y)) >> 31 ? -(int)low : (int)low;
    if (as_uint(r) == 0)
        return as_float(as_uint(x) & 0x80000000u);
    return as_float(as_uint(r) | sign);
}

float __pumice_remainder_f32(float x, float y)
{
    int q;
    return __pumice_remquo_f32(x, y, &q);
}

float __pumice_frexp_f32(float x, int *exponent)
{
    uint bits = as_uint(x), a = bits & 0x7fffffff;
    *exponent = (int)(a >> 23) - 126;
    if (a - 0x00800000u < 0x7f000000u)
        return as_float((bits & 0x807fffffu) | 0x3f000000u);
    *exponent = 0;
    if (a == 0 || a >= 0x7f800000u)
        return x;
    int up = a < 0x00800000u ? (int)clz(a) - 8 : 0;
    a <<= up;
    *exponent = (int)(a >> 23) - 126 - up;
    return as_float((bits & 0x80000000u) | 0x3f000000u | (a & 0x7fffff));
}

// x * 2^n, rounded once to even where the result is subnormal
float __pumice_ldexp_f32(float x, int n)
{
    uint bits = as_uint(x), sign = bits & 0x80000000u, a = bits & 0x7fffffff, exponent_before = a >> 23;
    if (exponent_before - 1 < 254 && exponent_before + (uint)n - 1 < 254)
        return as_float(bits + ((uint)n << 23));
    if (a == 0 || a >= 0x7f800000u)
        return x;
    int up = a < 0x00800000u ? (int)clz(a) - 8 : 0;
    a <<= up;
    n = clamp(n, -1000, 1000);
    int exponent = (int)(a >> 23) - up + n;
    uint mantissa = (a & 0x7fffff) | 0x800000;
    if (exponent >= 255)
        return as_float(sign | 0x7f800000u);
    if (exponent > 0)
        return as_float(sign | (uint)exponent << 23 | (mantissa & 0x7fffff));
    int shift = 1 - exponent;
    if (shift > 25)
        return as_float(sign);
    uint kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half_way = 1u << (shift - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    return as_float(sign | kept);
}

int __pumice_ilogb_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffff;
    if (a - 0x00800000u < 0x7f000000u)
        return (int)(a >> 23) - 127;
    if (a == 0)
        return FP_ILOGB0;
    if (a >= 0x7f800000u)
        return a == 0x7f800000u ? INT_MAX : FP_ILOGBNAN;
    return -118 - (int)clz(a);
}

float __pumice_logb_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffff;
    if (a == 0)
        return -INFINITY;
    if (a >= 0x7f800000u)
        return as_float(a);
    return (float)__pumice_ilogb_f32(x);
}

float __pumice_nextafter_f32(float x, float y)
{
    int a = as_int(x), b = as_int(y);
    if (isnan(x) || isnan(y))
        return NAN;
    int ka = a < 0 ? INT_MIN - a : a, kb = b < 0 ? INT_MIN - b : b; /* ordered as the floats are; both zeros are 0 */
    if (ka == kb)
        return y;
    ka += ka < kb ? 1 : -1;
    return as_float(ka < 0 ? INT_MIN - ka : ka == 0 && a < 0 ? INT_MIN : ka);
}

float __pumice_modf_f32(float x, float *whole)
{
    float t = trunc(x);
    *whole = t;
    return copysign(isinf(x) ? 0.0f : x - t, x);
}

// a * b + c, rounded once, in 64-bit integers: the product has 48 bits; c is aligned to it, and what does not fit is
// kept as a sticky bit.
float __pumice_fma_f32(float a, float b, float c)
{
    uint ba = as_uint(a) & 0x7fffffff, bb = as_uint(b) & 0x7fffffff, bc = as_uint(c) & 0x7fffffff;
    if (ba == 0 || bb == 0 || max(max(ba, bb), bc) >= 0x7f800000u)
        return bc != 0 && max(ba, bb) < 0x7f800000u ? c : a * b + c; /* a finite product may overflow */
    uint product_sign = (as_uint(a) ^ as_uint(b)) & 0x80000000u, c_sign = as_uint(c) & 0x80000000u;
    int ea = max((int)(ba >> 23), 1), eb = max((int)(bb >> 23), 1), ec = max((int)(bc >> 23), 1);
    ulong ma = (ba & 0x7fffff) | (ba >> 23 ? 0x800000 : 0), mb = (bb & 0x7fffff) | (bb >> 23 ? 0x800000 : 0);
    ulong mc = (bc & 0x7fffff) | (bc >> 23 ? 0x800000 : 0);
    /* values are m * 2^(e - 150) for floats; product p * 2^(ep), c * 2^(eq), both with the leading one at bit 61 */
    ulong p = ma * mb, q = mc;
    int ep = ea + eb - 300, eq = ec - 150;
    int up = (int)clz(p) - 2;
    p <<= up;
    ep -= up;
    if (q) {
        up = (int)clz(q) - 2;
        q <<= up;
        eq -= up;
    } else {
        eq = ep;
    }
    uint sign = product_sign;
    if (q && (eq > ep || (eq == ep && q > p))) { /* p becomes the larger one */
        ulong m = p;
        p = q;
        q = m;
        int e = ep;
        ep = eq;
        eq = e;
        sign = c_sign;
    }
    int shift = ep - eq;
    q = shift > 62 ? (q != 0) : q >> shift | ((q & ((1ul << shift) - 1)) != 0);
    ulong sum = product_sign == c_sign ? p + q : p - q;
    if (sum == 0)
        return as_float(product_sign & c_sign);
    /* leading one to bit 62 */
    up = (int)clz(sum) - 1;
    sum <<= up;
    ep -= up;
    int exponent = ep + 62 + 127;
    if (exponent >= 255)
        return as_float(sign | 0x7f800000u);
    int drop = 39; /* 62 - 23 */
    if (exponent <= 0) {
        drop += 1 - exponent;
        exponent = 0;
    }
    if (drop > 63)
        return as_float(sign);
    ulong kept = sum >> drop, rest = sum & ((1ul << drop) - 1), half_way = 1ul << (drop - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    /* kept has its leading one at bit 23 (it adds 1 to the exponent), or is subnormal; a carry goes into the exponent
     * as it should */
    uint result = exponent ? (uint)kept + ((uint)(exponent - 1) << 23) : (uint)kept;
    return as_float(sign | result);
}

// To whole numbers, where the device does it wrongly: numbers from 2^23 on are whole, and the sum rounds others to even.
static float nearest_whole(float a)
{
    return a < 0x1p23f ? (a + 0x1p23f) - 0x1p23f : a;
}

float __pumice_rint_f32(float x)
{
    return copysign(nearest_whole(fabs(x)), x);
}

float __pumice_trunc_f32(float x)
{
    float a = fabs(x), whole = nearest_whole(a);
    return copysign(whole > a ? whole - 1.0f : whole, x);
}

float __pumice_floor_f32(float x)
{
    float whole = copysign(nearest_whole(fabs(x)), x);
    return copysign(whole > x ? whole - 1.0f : whole, x);
}

float __pumice_ceil_f32(float x)
{
    float whole = copysign(nearest_whole(fabs(x)), x);
    return copysign(whole < x ? whole + 1.0f : whole, x);
}
