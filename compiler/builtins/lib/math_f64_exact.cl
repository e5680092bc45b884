// Double functions with exact results: in integers, so that neither subnormals nor the device's division matter.

// |x| mod |y| for finite x, y != 0; the quotient's low 32 bits in *quotient (bit 0 is of weight 1)
static double modulo_d(double x, double y, uint *quotient)
{
    ulong ax = as_ulong(x) & 0x7ffffffffffffffful, ay = as_ulong(y) & 0x7ffffffffffffffful;
    *quotient = 0;
    if (ax < ay)
        return as_double(ax);
    int ex = max((int)(ax >> 52), 1), ey = max((int)(ay >> 52), 1);
    ulong mx = (ax & 0xffffffffffffful) | (ax >> 52 ? 0x10000000000000ul : 0),
          my = (ay & 0xffffffffffffful) | (ay >> 52 ? 0x10000000000000ul : 0);
    ulong q = mx / my;
    mx -= q * my;
    for (int left = ex - ey; left > 0;) {
        int step = min(left, 8);
        mx <<= step;
        ulong digit = mx / my;
        mx -= digit * my;
        q = q << step | digit;
        left -= step;
    }
    *quotient = (uint)q;
    if (mx == 0)
        return 0.0;
    int up = (int)clz(mx) - 11, e = ey - up;
    if (e > 0)
        return as_double((ulong)e << 52 | (mx << up & 0xffffffffffffful));
    return as_double(mx << (ey - 1));
}

static bool modulo_special_d(double x, double y)
{
    ulong ax = as_ulong(x) & 0x7ffffffffffffffful, ay = as_ulong(y) & 0x7ffffffffffffffful;
    return ax >= 0x7ff0000000000000ul || ay > 0x7ff0000000000000ul || ay == 0;
}

double __pumice_fmod_f64(double x, double y)
{
    if (modulo_special_d(x, y))
        return (double)NAN;
    if (isinf(y))
        return x;
    uint q;
    return as_double(as_ulong(modulo_d(x, y, &q)) | (as_ulong(x) & 0x8000000000000000ul));
}

// a - b for the bits of positive numbers, b in [a/2, a]: exact, in integers because it may be subnormal
static double subtract_below_d(ulong a, ulong b)
{
    int ea = max((int)(a >> 52), 1), shift = ea - max((int)(b >> 52), 1); /* 0 or 1 */
    ulong ma = ((a & 0xffffffffffffful) | (a >> 52 ? 0x10000000000000ul : 0)) << shift;
    ulong m = ma - ((b & 0xffffffffffffful) | (b >> 52 ? 0x10000000000000ul : 0));
    int e = ea - shift, up = m ? min((int)clz(m) - 11, e - 1) : 0;
    m = up >= 0 ? m << up : m >> -up;
    e -= up;
    return as_double(m & 0x10000000000000ul ? (ulong)e << 52 | (m & 0xffffffffffffful) : m);
}

double __pumice_remquo_f64(double x, double y, int *quotient)
{
    *quotient = 0;
    if (modulo_special_d(x, y))
        return (double)NAN;
    if (isinf(y))
        return x;
    uint q;
    ulong ay = as_ulong(y) & 0x7ffffffffffffffful;
    double r = modulo_d(x, y, &q);
    /* round to nearest, ties to the even quotient: compare 2 r with |y| in integers */
    ulong br = as_ulong(r);
    bool above, tie;
    if (ay < 0x0020000000000000ul) { /* twice r is subnormal or just above: mantissas are in one scale */
        above = 2 * br > ay;
        tie = 2 * br == ay;
    } else {
        ulong half_y = ay - 0x0010000000000000ul;
        above = br > half_y;
        tie = br == half_y;
    }
    ulong sign = as_ulong(x) & 0x8000000000000000ul;
    if (above || (tie && (q & 1))) {
        q++;
        r = subtract_below_d(ay, br);
        sign ^= 0x8000000000000000ul;
    }
    uint low = q & 0x7f;
    *quotient = (as_ulong(x) ^ as_ulong(y)) >> 63 ? -(int)low : (int)low;
    if (as_ulong(r) == 0)
        return as_double(as_ulong(x) & 0x8000000000000000ul);
    return as_double(as_ulong(r) | sign);
}

double __pumice_remainder_f64(double x, double y)
{
    int q;
    return __pumice_remquo_f64(x, y, &q);
}

double __pumice_frexp_f64(double x, int *exponent)
{
    ulong bits = as_ulong(x), a = bits & 0x7ffffffffffffffful;
    *exponent = 0;
    if (a == 0 || a >= 0x7ff0000000000000ul)
        return x;
    int up = a < 0x0010000000000000ul ? (int)clz(a) - 11 : 0;
    a <<= up;
    *exponent = (int)(a >> 52) - 1022 - up;
    return as_double((bits & 0x8000000000000000ul) | 0x3fe0000000000000ul | (a & 0xffffffffffffful));
}

// x * 2^n, rounded once to even where the result is subnormal
double __pumice_ldexp_f64(double x, int n)
{
    ulong bits = as_ulong(x), sign = bits & 0x8000000000000000ul, a = bits & 0x7ffffffffffffffful;
    if (a == 0 || a >= 0x7ff0000000000000ul)
        return x;
    int up = a < 0x0010000000000000ul ? (int)clz(a) - 11 : 0;
    a <<= up;
    n = clamp(n, -5000, 5000);
    int exponent = (int)(a >> 52) - up + n;
    ulong mantissa = (a & 0xffffffffffffful) | 0x10000000000000ul;
    if (exponent >= 2047)
        return as_double(sign | 0x7ff0000000000000ul);
    if (exponent > 0)
        return as_double(sign | (ulong)exponent << 52 | (mantissa & 0xffffffffffffful));
    int shift = 1 - exponent;
    if (shift > 54)
        return as_double(sign);
    ulong kept = mantissa >> shift, rest = mantissa & ((1ul << shift) - 1), half_way = 1ul << (shift - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    return as_double(sign | kept);
}

int __pumice_ilogb_f64(double x)
{
    ulong a = as_ulong(x) & 0x7ffffffffffffffful;
    if (a == 0)
        return FP_ILOGB0;
    if (a >= 0x7ff0000000000000ul)
        return a == 0x7ff0000000000000ul ? INT_MAX : FP_ILOGBNAN;
    return a < 0x0010000000000000ul ? -1011 - (int)clz(a) : (int)(a >> 52) - 1023;
}

double __pumice_logb_f64(double x)
{
    ulong a = as_ulong(x) & 0x7ffffffffffffffful;
    if (a == 0)
        return -(double)INFINITY;
    if (a >= 0x7ff0000000000000ul)
        return as_double(a);
    return (double)__pumice_ilogb_f64(x);
}

double __pumice_nextafter_f64(double x, double y)
{
    long a = as_long(x), b = as_long(y);
    if (isnan(x) || isnan(y))
        return (double)NAN;
    long ka = a < 0 ? LONG_MIN - a : a,
         kb = b < 0 ? LONG_MIN - b : b; /* ordered as the doubles are; both zeros are 0 */
    if (ka == kb)
        return y;
    ka += ka < kb ? 1 : -1;
    return as_double(ka < 0 ? LONG_MIN - ka : ka == 0 && a < 0 ? LONG_MIN : ka);
}

double __pumice_modf_f64(double x, double *whole)
{
    double t = trunc(x);
    *whole = t;
    return copysign(isinf(x) ? 0.0 : x - t, x);
}

// The 106-bit product of two 53-bit numbers
static ulong2 product_bits(ulong a, ulong b)
{
    return (ulong2)(a * b, mul_hi(a, b)); /* low, high */
}

static ulong2 shift_left(ulong2 v, int n)
{
    if (n >= 64)
        return (ulong2)(0, v.x << (n - 64));
    return n ? (ulong2)(v.x << n, v.y << n | v.x >> (64 - n)) : v;
}

// Bits that fall out are kept as a sticky lowest bit.
static ulong2 shift_right_sticky(ulong2 v, int n)
{
    if (n == 0)
        return v;
    if (n > 127)
        return (ulong2)((v.x | v.y) != 0, 0);
    if (n >= 64) {
        ulong out = v.x | (n > 64 ? v.y << (128 - n) : 0);
        return (ulong2)(v.y >> (n - 64) | (out != 0), 0);
    }
    return (ulong2)(v.x >> n | v.y << (64 - n) | ((v.x << (64 - n)) != 0), v.y >> n);
}

static int leading_zeros(ulong2 v)
{
    return v.y ? (int)clz(v.y) : 64 + (int)clz(v.x);
}

// a * b + c, rounded once, in 128-bit integers: both terms have their leading one at bit 125
double __pumice_fma_f64(double a, double b, double c)
{
    ulong ba = as_ulong(a) & 0x7ffffffffffffffful, bb = as_ulong(b) & 0x7ffffffffffffffful,
          bc = as_ulong(c) & 0x7ffffffffffffffful;
    if (ba == 0 || bb == 0 || max(max(ba, bb), bc) >= 0x7ff0000000000000ul)
        return bc != 0 && max(ba, bb) < 0x7ff0000000000000ul ? c : a * b + c; /* a finite product may overflow */
    ulong product_sign = (as_ulong(a) ^ as_ulong(b)) & 0x8000000000000000ul,
          c_sign = as_ulong(c) & 0x8000000000000000ul;
    int ea = max((int)(ba >> 52), 1), eb = max((int)(bb >> 52), 1), ec = max((int)(bc >> 52), 1);
    ulong ma = (ba & 0xffffffffffffful) | (ba >> 52 ? 0x10000000000000ul : 0);
    ulong mb = (bb & 0xffffffffffffful) | (bb >> 52 ? 0x10000000000000ul : 0);
    ulong mc = (bc & 0xffffffffffffful) | (bc >> 52 ? 0x10000000000000ul : 0);
    /* values are m * 2^(e - 1075) for doubles */
    ulong2 p = product_bits(ma, mb), q = (ulong2)(mc, 0);
    int ep = ea + eb - 2150, eq = ec - 1075;
    int up = leading_zeros(p) - 2;
    p = shift_left(p, up);
    ep -= up;
    if (mc) {
        up = leading_zeros(q) - 2;
        q = shift_left(q, up);
        eq -= up;
    } else {
        eq = ep;
    }
    ulong sign = product_sign;
    if (mc && (eq > ep || (eq == ep && (q.y > p.y || (q.y == p.y && q.x > p.x))))) { /* p becomes the larger one */
        ulong2 m = p;
        p = q;
        q = m;
        int e = ep;
        ep = eq;
        eq = e;
        sign = c_sign;
    }
    q = shift_right_sticky(q, min(ep - eq, 200));
    ulong2 sum;
    if (product_sign == c_sign) {
        sum.x = p.x + q.x;
        sum.y = p.y + q.y + (sum.x < p.x);
    } else {
        sum.x = p.x - q.x;
        sum.y = p.y - q.y - (p.x < q.x);
    }
    if ((sum.x | sum.y) == 0)
        return as_double(product_sign & c_sign);
    up = leading_zeros(sum) - 1; /* leading one to bit 126 */
    sum = shift_left(sum, up);
    ep -= up;
    int exponent = ep + 126 + 1023;
    if (exponent >= 2047)
        return as_double(sign | 0x7ff0000000000000ul);
    ulong top = sum.y | (sum.x != 0); /* leading one at bit 62 */
    int drop = 10;
    if (exponent <= 0) {
        drop += 1 - exponent;
        exponent = 0;
    }
    if (drop > 63)
        return as_double(sign);
    ulong kept = top >> drop, rest = top & ((1ul << drop) - 1), half_way = 1ul << (drop - 1);
    kept += rest > half_way || (rest == half_way && (kept & 1));
    /* kept has its leading one at bit 52 (it adds 1 to the exponent), or is subnormal; a carry goes into the exponent
     * as it should */
    return as_double(sign | (exponent ? kept + ((ulong)(exponent - 1) << 52) : kept));
}

// To whole numbers, where the device does it wrongly: numbers from 2^52 on are whole, and the sum rounds others to even.
static double nearest_whole_d(double a)
{
    return a < 0x1p52 ? (a + 0x1p52) - 0x1p52 : a;
}

double __pumice_rint_f64(double x)
{
    return copysign(nearest_whole_d(fabs(x)), x);
}

double __pumice_trunc_f64(double x)
{
    double a = fabs(x), whole = nearest_whole_d(a);
    return copysign(whole > a ? whole - 1.0 : whole, x);
}

double __pumice_floor_f64(double x)
{
    double whole = copysign(nearest_whole_d(fabs(x)), x);
    return copysign(whole > x ? whole - 1.0 : whole, x);
}

double __pumice_ceil_f64(double x)
{
    double whole = copysign(nearest_whole_d(fabs(x)), x);
    return copysign(whole < x ? whole + 1.0 : whole, x);
}
