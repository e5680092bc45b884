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

// The bits of a positive finite number with its leading one in front; those of subnormals are 2^1074 times as large.
static ulong normal_bits_d(ulong a)
{
    ulong whole = as_ulong(as_double(a | 0x4330000000000000ul) - 0x1p52);
    return a < 0x0010000000000000ul ? whole : a;
}

static int normal_exponent_d(ulong a, ulong normal)
{
    return (int)(normal >> 52) - (a < 0x0010000000000000ul ? 1074 : 0);
}

// The number of that mantissa in [1, 2), with x's sign
static double with_sign_d(ulong normal, double x)
{
    return as_double((normal & 0xffffffffffffful) | (as_ulong(x) & 0x8000000000000000ul) | 0x3ff0000000000000ul);
}

// The upper 26 bits, rounded: the rest fits into 26 bits as well, so that all products of halves are exact.
static double rounded_half_d(double a)
{
    return as_double((as_ulong(a) + 0x4000000ul) & 0xfffffffff8000000ul);
}

// a + b rounded to odd: where the sum is inexact, the neighbour with an odd mantissa
static double sum_to_odd_d(double a, double b)
{
    double2 s = dd_sum(a, b);
    ulong bits = as_ulong(s.x);
    ulong odd = bits + 1 - ((bits ^ as_ulong(s.y)) >> 63) * 2;
    return as_double(((s.y != 0) & !(bits & 1)) ? odd : bits);
}

// |r + rest| * 2^scale as the bits of a subnormal, rounded once, where rest is less than r's last place: adding a power
// of two whose last place is that of subnormals rounds to even. A tie is none if there is a rest.
static ulong subnormal_bits_d(double r, double rest, int scale)
{
    scale = max(scale, -1300); /* zero long before */
    double large = as_double((ulong)(1 - scale) << 52), half_way = as_double((ulong)(-52 - scale) << 52);
    double a = fabs(r), sum = large + a, lost = a - (sum - large);
    double opposite = -rest;
    rest = r < 0 ? opposite : rest;
    ulong kept = as_ulong(sum) - as_ulong(large);
    return kept + ((lost == half_way) & (rest > 0)) - ((lost == -half_way) & (rest < 0));
}

// a * b + c, rounded once. Without a branch, since drivers that inline it take long for many of them. The arguments'
// mantissas are multiplied and c is scaled to that product, so that nothing over- or underflows but the last step. How
// far the smaller term lies below the larger one does not matter beyond 160 places. The sum of the product, its
// rounding error and c is that of S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums: proved
// algorithms using rounding to odd (2008).
double __pumice_fma_f64(double a, double b, double c)
{
    ulong ba = as_ulong(a) & 0x7ffffffffffffffful, bb = as_ulong(b) & 0x7ffffffffffffffful,
          bc = as_ulong(c) & 0x7ffffffffffffffful;
    ulong na = normal_bits_d(ba), nb = normal_bits_d(bb), nc = normal_bits_d(bc);
    double x = with_sign_d(na, a), y = with_sign_d(nb, b);
    int scale = normal_exponent_d(ba, na) + normal_exponent_d(bb, nb) - 2046;
    int above = normal_exponent_d(bc, nc) - 1023 - scale;
    ulong shift = (ulong)(long)clamp(above, -160, 160) << 52;
    double z = as_double(as_ulong(with_sign_d(nc, c)) + shift);
    z = bc == 0 ? 0.0 : z;
    scale += max(above - 160, 0);
    double p = x * y, xh = rounded_half_d(x), xl = x - xh, yh = rounded_half_d(y), yl = y - yh;
    double pl = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
    double2 low = dd_sum(z, pl), high = dd_sum(p, low.x);
    double rest = sum_to_odd_d(low.y, high.y), r = high.x + rest;
    rest -= r - high.x;
    ulong sign = as_ulong(r) & 0x8000000000000000ul, infinity = sign | 0x7ff0000000000000ul;
    ulong subnormal = sign | subnormal_bits_d(r, rest, scale), bits = as_ulong(r) + ((ulong)(long)scale << 52);
    int exponent = (int)(as_ulong(r) >> 52 & 0x7ff) + scale;
    bits = exponent >= 2047 ? infinity : bits;
    bits = exponent <= 0 ? subnormal : bits;
    bits = r == 0 ? 0 : bits;
    /* what has no product with a leading one: a finite product may overflow beside c, which is returned as it is */
    ulong most = max(ba, bb), plain = as_ulong(a * b + c);
    plain = ((bc != 0) & (most < 0x7ff0000000000000ul)) ? as_ulong(c) : plain;
    return as_double(((min(ba, bb) == 0) | (max(most, bc) >= 0x7ff0000000000000ul)) ? plain : bits);
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
