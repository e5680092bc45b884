// Double functions for devices whose fma of doubles is one instruction rounded once: fewer instructions than the other bodies, which do what is
// rare. Polynomials from coefficients/double.sollya.

static double with_exponent(double x, int more) // more: in bits of the upper word
{
    uint2 bits = as_uint2(x);
    return as_double((uint2)(bits.x, bits.y + (uint)more));
}

static bool is_positive_normal_d(double x)
{
    return as_uint2(x).y - 0x00100000u < 0x7fe00000u;
}

// A positive double as a float, and a positive float as a double, both with 20 bits behind the point: shifts are four times as fast as
// conversions. Only what is moderate has an exponent that fits.
static float cut_to_float(double y)
{
    return as_float((as_uint2(y).y << 3) + 0x40000000u);
}

static double cut_to_double(float y)
{
    return as_double((uint2)(0, (as_uint(y) >> 3) + 0x38000000u));
}

static bool is_moderate_positive(double x) // 2^-125 <= x < 2^127
{
    return as_uint2(x).y - 0x38200000u < 0x0fc00000u;
}

// 1 / sqrt(y) for a moderate y, within 0.6 units in the last place: the float's, whose square is exact, and a step of third order
static double moderate_rsqrt(double y)
{
    double r = cut_to_double(native_rsqrt(cut_to_float(y))), e = fma(-y, r * r, 1.0);
    return fma(r * e, fma(e, 0.375, 0.5), r);
}

// y 4^k for a normal x, y in [1, 4); k in bits of the upper word
static double split_even_bits(double x, int *k)
{
    int twice = ((int)as_uint2(x).y - 0x3ff00000) & (int)0xffe00000;
    *k = twice >> 1;
    return with_exponent(x, -twice);
}

// Correctly rounded for a moderate x. With a reciprocal root within 3/4 of a unit, the step's error is below 2^-103. tests/math/test_exact.c
// looks at all roots that come as near to the middle of two numbers.
static double moderate_sqrt(double x)
{
    double r = moderate_rsqrt(x), g = x * r;
    return fma(fma(-g, g, x), with_exponent(r, -0x00100000), g);
}

static double fast_sqrt(double x)
{
    int k;
    double y = split_even_bits(x, &k);
    return with_exponent(moderate_sqrt(y), k);
}

// What is not moderate: *done where there is nothing to compute; else x becomes a normal number, and the exponent that its root lacks is given.
static int prepare_root(double *x, bool *done)
{
    *done = !(*x > 0.0) || isinf(*x);
    if (*done || is_positive_normal_d(*x))
        return 0;
    *x *= 0x1p108;
    return -(54 << 20);
}

double __pumice_sqrt_fast_f64(double x)
{
    double y = moderate_sqrt(x);
    if (!is_moderate_positive(x)) {
        bool done;
        int more = prepare_root(&x, &done);
        y = !done ? with_exponent(fast_sqrt(x), more) : x >= 0.0 ? x : (double)NAN;
    }
    return y;
}

double __pumice_rsqrt_fast_f64(double x)
{
    double y = moderate_rsqrt(x);
    if (!is_moderate_positive(x)) {
        bool done;
        int k, more = prepare_root(&x, &done);
        double split = split_even_bits(x, &k);
        y = !done      ? with_exponent(moderate_rsqrt(split), -more - k)
            : x == 0.0 ? copysign((double)INFINITY, x)
            : x > 0.0  ? 0.0
                       : (double)NAN;
    }
    return y;
}

// 1 / x, correctly rounded: the float's, a step of third order, and a last one that is right for all mantissas but that of ones. The
// reciprocal of that one lies just above the middle of two numbers, and the last step is right if it starts from the upper one. So the
// first number is made too large, by one in its upper word (the lower word may be anything): then e < 0, and the step of third order,
// which gives (1 - e^3) / x, leaves it too large by |e|^3 / x. What is above the middle is rounded to the upper number.
double __pumice_recip_fast_f64(double x)
{
    uint high = as_uint2(x).y;
    if ((high - 0x3bf00000u) & 0x78000000u) /* |x| outside of [2^-64, 2^64) */
        return copysign(1.0, x) / fabs(x);
    uint bits = as_uint(native_recip(cut_to_float(x)));
    double r = as_double((uint2)(bits, ((bits >> 3) + 0x38000001u) | (high & 0x80000000u))), e = fma(-x, r, 1.0);
    r = fma(fma(e, e, e), r, r);
    return fma(r, fma(-x, r, 1.0), r);
}

// a^(-1/3) from the float's and a step of third order; a times its square, and what a leaves of the cube
double __pumice_cbrt_fast_f64(double x)
{
    uint2 bits = as_uint2(x);
    uint high = bits.y & 0x7fffffff;
    if (high - 0x00100000u >= 0x7fe00000u)
        return __pumice_cbrt_f64(x);
    int e = (int)(high >> 20) - 1023, third = ((e + 3072) * 21846 >> 16) - 1024; /* e / 3 rounded down */
    double a = as_double((uint2)(bits.x, high - (uint)(3 * third << 20)));        /* in [1, 8) */
    double s = (double)native_exp2(native_log2((float)a) * -0x1.555556p-2f);
    double rest = fma(-a * s, s * s, 1.0);
    s = fma(s * rest, fma(rest, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), s);
    double t = a * s * s, square = t * t;
    rest = fma(-square, t, a) - fma(t, t, -square) * t;
    t = fma(rest, s * s * 0x1.5555555555555p-2, t);
    return as_double((uint2)(as_uint2(t).x, (as_uint2(t).y + (uint)(third << 20)) | (bits.y & 0x80000000u)));
}

double __pumice_hypot_fast_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    uint large = max(as_uint2(a).y, as_uint2(b).y);
    if (large - 0x22000000u > 0x3c000000u) /* squares would overflow or be subnormal */
        return __pumice_hypot_f64(x, y);
    return fast_sqrt(fma(a, a, b * b));
}

// r = x - n pi/2; n modulo 4. pi/2 in three pieces: what the first leaves is exact, and the others are rounded to what is left.
static double fast_reduce_d(double x, int *n)
{
    double turns = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
    *n = (int)as_uint2(turns).x;
    turns -= 0x1.8p52;
    double r = fma(turns, -0x1.921fb54442d18p+0, x);
    r = fma(turns, -0x1.1a62633145c07p-54, r);
    return fma(turns, 0x1.f1976b7ed8fbcp-110, r);
}

static double fast_sin_d(double r)
{
    double z = r * r;
    double p = -0x1.8dbcc41816166p-41;
    p = fma(p, z, 0x1.60e68fae7ea57p-33);
    p = fma(p, z, -0x1.ae63f909cfa2ap-26);
    p = fma(p, z, 0x1.71de3a10dc51fp-19);
    p = fma(p, z, -0x1.a01a019fe8dfep-13);
    p = fma(p, z, 0x1.111111111101fp-7);
    p = fma(p, z, -0x1.5555555555555p-3);
    return fma(r * z, p, r);
}

static double fast_cos_d(double r)
{
    double z = r * r;
    double p = 0x1.35cc9704dcfe5p-45;
    p = fma(p, z, -0x1.92a88e1ced664p-37);
    p = fma(p, z, 0x1.1eecd79325768p-29);
    p = fma(p, z, -0x1.27e4faefe20f2p-22);
    p = fma(p, z, 0x1.a01a019fb8553p-16);
    p = fma(p, z, -0x1.6c16c16c16a34p-10);
    p = fma(p, z, 0x1.5555555555555p-5);
    return fma(fma(p, z, -0.5), z, 1.0);
}

static bool is_turned_little(double x) /* turns then fit 32 bits, and reduction is good */
{
    return (as_uint2(x).y & 0x7fffffff) < 0x41d00000u;
}

static double turned_d(double sine, double cosine, int n)
{
    return with_exponent(n & 1 ? cosine : sine, (n & 2) << 30);
}

double __pumice_sin_fast_f64(double x)
{
    if (!is_turned_little(x))
        return __pumice_sin_f64(x);
    int n;
    double r = fast_reduce_d(x, &n), y = n & 1 ? fast_cos_d(r) : fast_sin_d(r);
    return x == 0.0 ? x : turned_d(y, y, n);
}

double __pumice_cos_fast_f64(double x)
{
    if (!is_turned_little(x))
        return __pumice_cos_f64(x);
    int n;
    double r = fast_reduce_d(x, &n), y = n & 1 ? fast_sin_d(r) : fast_cos_d(r);
    return turned_d(y, y, (n + 1) & 2);
}

double __pumice_sincos_fast_f64(double x, double *cosine)
{
    if (!is_turned_little(x))
        return __pumice_sincos_f64(x, cosine);
    int n;
    double r = fast_reduce_d(x, &n), s = fast_sin_d(r), c = fast_cos_d(r);
    *cosine = turned_d(s, c, n + 1);
    return x == 0.0 ? x : turned_d(s, c, n);
}

double __pumice_tan_fast_f64(double x)
{
    if (!is_turned_little(x))
        return __pumice_tan_f64(x);
    int n;
    double r = fast_reduce_d(x, &n), s = fast_sin_d(r), c = fast_cos_d(r);
    double y = (n & 1 ? -c : s) / (n & 1 ? s : c);
    return x == 0.0 ? x : y;
}

// asin(a) for a in [0, 1/2]; above, pi/2 - 2 asin(sqrt((1 - a) / 2)), of which only the second asin is given
static double fast_asin_part_d(double a)
{
    double z = a < 0.5 ? a * a : fma(a, -0.5, 0.5), s = a < 0.5 ? a : z > 0.0 ? moderate_sqrt(z) : z;
    return s + asin_rest_d(s);
}

double __pumice_asin_fast_f64(double x)
{
    double a = fabs(x), y = fast_asin_part_d(a);
    y = a < 0.5 ? y : fma(y, -2.0, 0x1.921fb54442d18p+0);
    return a <= 1.0 ? copysign(y, x) : (double)NAN;
}

static double fast_acos_d(double x)
{
    double a = fabs(x), y = fast_asin_part_d(a);
    double large = x > 0.0 ? 2.0 * y : fma(y, -2.0, 0x1.921fb54442d18p+1);
    y = a < 0.5 ? 0x1.921fb54442d18p+0 - copysign(y, x) : large;
    return a <= 1.0 ? y : (double)NAN;
}

double __pumice_acos_fast_f64(double x)
{
    return fast_acos_d(x);
}

double __pumice_asinpi_fast_f64(double x)
{
    double y = __pumice_asin_fast_f64(x) * 0x1.45f306dc9c883p-2;
    return fabs(x) == 1.0 ? 0.5 * x : y;
}

double __pumice_acospi_fast_f64(double x)
{
    return x == -1.0 ? 1.0 : fast_acos_d(x) * 0x1.45f306dc9c883p-2;
}

// atan(t) for t in [0, 1]
static double fast_atan_small_d(double t)
{
    double z = t * t, p = 0x1.358853974d0a8p-16;
    p = fma(p, z, -0x1.ab24dd75d3342p-13);
    p = fma(p, z, 0x1.17739fc18ed1p-10);
    p = fma(p, z, -0x1.d0062d6e94025p-9);
    p = fma(p, z, 0x1.14e9dd1627e02p-7);
    p = fma(p, z, -0x1.005138bcb2d1dp-6);
    p = fma(p, z, 0x1.8608985442e52p-6);
    p = fma(p, z, -0x1.00e6ef0a45105p-5);
    p = fma(p, z, 0x1.338e320cf031ep-5);
    p = fma(p, z, -0x1.5d30141971af3p-5);
    p = fma(p, z, 0x1.842dbe9fcd7e9p-5);
    p = fma(p, z, -0x1.aebfe7b54090ep-5);
    p = fma(p, z, 0x1.e1d0f969a3ddcp-5);
    p = fma(p, z, -0x1.11100ee087612p-4);
    p = fma(p, z, 0x1.3b139b6a88fd2p-4);
    p = fma(p, z, -0x1.745d160a7e39ap-4);
    p = fma(p, z, 0x1.c71c71bc3951dp-4);
    p = fma(p, z, -0x1.2492492478f88p-3);
    p = fma(p, z, 0x1.99999999996c1p-3);
    p = fma(p, z, -0x1.5555555555555p-2);
    return fma(t * z, p, t);
}

static double fast_atan_d(double x)
{
    double a = fabs(x), y = fast_atan_small_d(a > 1.0 ? 1.0 / a : a);
    return a > 1.0 ? 0x1.921fb54442d18p+0 - y : y;
}

double __pumice_atan_fast_f64(double x)
{
    return copysign(fast_atan_d(x), x);
}

double __pumice_atanpi_fast_f64(double x)
{
    return copysign(fast_atan_d(x) * 0x1.45f306dc9c883p-2, x);
}

// Whether atan2 can take the quotient: both numbers, and how far they are apart, are moderate
static bool is_moderate_pair(double y, double x)
{
    uint a = as_uint2(y).y & 0x7fffffff, b = as_uint2(x).y & 0x7fffffff;
    return min(a, b) >= 0x20000000u && max(a, b) <= 0x60000000u;
}

static double fast_atan2_d(double y, double x)
{
    double a = fabs(y), b = fabs(x);
    double r = fast_atan_small_d((a > b ? b : a) / (a > b ? a : b));
    r = a > b ? 0x1.921fb54442d18p+0 - r : r;
    return x < 0.0 ? 0x1.921fb54442d18p+1 - r : r;
}

double __pumice_atan2_fast_f64(double y, double x)
{
    return is_moderate_pair(y, x) ? copysign(fast_atan2_d(y, x), y) : __pumice_atan2_f64(y, x);
}

double __pumice_atan2pi_fast_f64(double y, double x)
{
    return is_moderate_pair(y, x) ? copysign(fast_atan2_d(y, x) * 0x1.45f306dc9c883p-2, y) : __pumice_atan2pi_f64(y, x);
}

// See math_f32_fast_exact.cl.
static bool small_quotient_d(double a, double b, double *q)
{
    *q = a / b;
    return as_uint2(b).y - 0x10000000u < 0x60000000u && *q < 0x1p50;
}

double __pumice_fmod_fast_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y), q;
    if (!small_quotient_d(a, b, &q))
        return __pumice_fmod_f64(x, y);
    q = trunc(q);
    double r = fma(-q, b, a);
    if (r < 0.0)
        r = fma(1.0 - q, b, a);
    return copysign(r, x);
}

static double fast_remainder_d(double a, double b, double *n)
{
    double q = rint(*n), r = fma(-q, b, a), twice = 2.0 * fabs(r);
    bool odd = as_uint2(q + 0x1p52).x & 1;
    if (twice > b || (twice == b && odd)) {
        q += r > 0.0 ? 1.0 : -1.0;
        r = fma(-q, b, a);
    }
    *n = q;
    return r;
}

static double with_sign_of(double r, double x)
{
    return r == 0.0 ? copysign(0.0, x) : with_exponent(r, (int)(as_uint2(x).y & 0x80000000u));
}

double __pumice_remainder_fast_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y), n;
    if (!small_quotient_d(a, b, &n))
        return __pumice_remainder_f64(x, y);
    return with_sign_of(fast_remainder_d(a, b, &n), x);
}

double __pumice_remquo_fast_f64(double x, double y, int *quotient)
{
    double a = fabs(x), b = fabs(y), n;
    if (!small_quotient_d(a, b, &n))
        return __pumice_remquo_f64(x, y, quotient);
    double r = fast_remainder_d(a, b, &n);
    int low = (int)(as_uint2(n + 0x1p52).x & 0x7f);
    *quotient = (int)(as_uint2(x).y ^ as_uint2(y).y) < 0 ? -low : low;
    return with_sign_of(r, x);
}

// One multiplication by a power of two rounds once, also to subnormal numbers.
double __pumice_ldexp_fast_f64(double x, int n)
{
    return (uint)n + 1022u < 2045 ? x * power_of_two_d(n) : __pumice_ldexp_f64(x, n);
}

double __pumice_tgamma_fast_f64(double x)
{
    if (!(x > 0x1p-900 && x < 14.0))
        return __pumice_tgamma_f64(x);
    double t = x, product = 1.0;
    while (t > 2.0) {
        t -= 1.0;
        product *= t;
    }
    double g = gamma_polynomial_d((x < 1.0 ? x + 1.0 : t) - 1.5);
    return x < 1.0 ? g / x : g * product;
}
