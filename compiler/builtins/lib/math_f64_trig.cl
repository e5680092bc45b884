// Double trigonometry. Polynomials from coefficients/double.sollya.

// The bits of 2/pi after the point.
__constant ulong two_over_pi_bits_d[20] = {
    0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul, 0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul,
    0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul,
    0x9c845f8bbdf9283bul, 0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul,
    0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul, 0xf0cfbc209af4361dul};

// 64 bits of 2/pi from bit position at (0 is the first after the point); zeros before it
static ulong two_over_pi_window_d(int at)
{
    if (at <= -64)
        return 0;
    if (at < 0)
        return two_over_pi_bits_d[0] >> -at;
    int word = at >> 6, bit = at & 63;
    ulong high = two_over_pi_bits_d[word], low = two_over_pi_bits_d[min(word + 1, 19)];
    return bit ? high << bit | low >> (64 - bit) : high;
}

// x - n pi/2 as a double-double of at most pi/4 or a little more, and n modulo 4. See math_f32_trig.cl.
__attribute__((noinline)) static double3 reduce_large_d(double x)
{
    ulong bits = as_ulong(x) & 0x7ffffffffffffffful;
    ulong m = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    int at = (int)(bits >> 52) - 1023 - 52 - 2; /* x = m 2^(at + 2); whole turns of 2 pi drop out on the left */
    ulong w0 = two_over_pi_window_d(at), w1 = two_over_pi_window_d(at + 64), w2 = two_over_pi_window_d(at + 128);
    /* m * (w0, w1, w2) without what is above the point: turns of 2 pi with 128 bits after the point */
    ulong low = m * w1, carry = mul_hi(m, w2);
    ulong high = m * w0 + mul_hi(m, w1);
    low += carry;
    high += low < carry;
    int n = (int)((high + 0x2000000000000000ul) >> 62);
    high -= (ulong)n << 62;
    bool negative = high >> 63;
    if (negative) { /* the magnitude of a two-word number */
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    int up = high ? (int)clz(high) : 64 + (int)clz(low);
    ulong top, next;
    if (up >= 64) {
        top = up < 128 ? low << (up - 64) : 0;
        next = 0;
    } else {
        top = up ? high << up | low >> (64 - up) : high;
        next = low << up;
    }
    double first = (double)(top >> 11), second = (double)((top & 0x7ff) << 42 | next >> 22);
    double scale = power_of_two_d(-up); /* first has weight 2^(11 - 62 - up) */
    double2 q = dd_quick_sum(first * 0x1p-51 * scale, second * 0x1p-104 * scale);
    q = dd_multiply(q, (double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
    if (negative)
        q = -q;
    if (as_ulong(x) >> 63) {
        q = -q;
        n = -n;
    }
    return (double3)(q, (double)(n & 3));
}

static int reduce_d(double x, double2 *r)
{
    if (!(fabs(x) < 100000.0)) {
        double3 reduced = reduce_large_d(x);
        *r = reduced.xy;
        return (int)reduced.z;
    }
    double n = rint(x * 0x1.45f306dc9c883p-1);
    double t = x - n * 0x1.921fb544p+0; /* exact: the pieces of pi/2 have 33 bits */
    double2 s = dd_sum(t, -n * 0x1.0b4611a6p-34);
    double2 u = dd_sum(s.x, -n * 0x1.3198a2ep-69);
    u.y += s.y - n * 0x1.b839a252049c1p-104;
    *r = dd_quick_sum(u.x, u.y);
    return (int)n & 3;
}

static double sin_reduced_d(double2 r)
{
    double z = r.x * r.x;
    double p = -0x1.8dbcc41816166p-41;
    p = p * z + 0x1.60e68fae7ea57p-33;
    p = p * z - 0x1.ae63f909cfa2ap-26;
    p = p * z + 0x1.71de3a10dc51fp-19;
    p = p * z - 0x1.a01a019fe8dfep-13;
    p = p * z + 0x1.111111111101fp-7;
    p = p * z - 0x1.5555555555555p-3;
    return r.x + (r.x * z * p + r.y * (1.0 - 0.5 * z));
}

static double cos_reduced_d(double2 r)
{
    double z = r.x * r.x, half_z = 0.5 * z, w = 1.0 - half_z;
    double p = 0x1.35cc9704dcfe5p-45;
    p = p * z - 0x1.92a88e1ced664p-37;
    p = p * z + 0x1.1eecd79325768p-29;
    p = p * z - 0x1.27e4faefe20f2p-22;
    p = p * z + 0x1.a01a019fb8553p-16;
    p = p * z - 0x1.6c16c16c16a34p-10;
    p = p * z + 0x1.5555555555555p-5;
    return w + (((1.0 - w) - half_z) + (z * z * p - r.x * r.y));
}

double __pumice_sin_f64(double x)
{
    if (fabs(x) < 0x1p-27)
        return x;
    if (!isfinite(x))
        return (double)NAN;
    double2 r;
    int n = reduce_d(x, &r);
    double y = n & 1 ? cos_reduced_d(r) : sin_reduced_d(r);
    return n & 2 ? -y : y;
}

double __pumice_cos_f64(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    double2 r;
    int n = reduce_d(x, &r) + 1;
    double y = n & 1 ? cos_reduced_d(r) : sin_reduced_d(r);
    return n & 2 ? -y : y;
}

double __pumice_sincos_f64(double x, double *cosine)
{
    *cosine = (double)NAN;
    if (!isfinite(x))
        return (double)NAN;
    double2 r;
    int n = reduce_d(x, &r);
    double s = sin_reduced_d(r), c = cos_reduced_d(r);
    double sine = n & 1 ? c : s, other = n & 1 ? s : c;
    *cosine = (n + 1) & 2 ? -other : other;
    return fabs(x) < 0x1p-27 ? x : n & 2 ? -sine : sine;
}

double __pumice_tan_f64(double x)
{
    if (fabs(x) < 0x1p-27)
        return x;
    if (!isfinite(x))
        return (double)NAN;
    double2 r;
    int n = reduce_d(x, &r);
    double s = sin_reduced_d(r), c = cos_reduced_d(r);
    return n & 1 ? -c / s : s / c;
}

// sin(pi r) and cos(pi r) for |r| <= 1/4
static double sinpi_reduced_d(double r)
{
    if (fabs(r) < 0x1p-60) /* the product below would be inexact */
        return r * 0x1.921fb54442d18p+1;
    double z = r * r;
    double p = 0x1.12d51a8d788f5p-14;
    p = p * z - 0x1.3774b6a26888fp-15;
    p = p * z + 0x1.ea742d065852p-12;
    p = p * z - 0x1.e308761b362a8p-8;
    p = p * z + 0x1.50783500b84a9p-4;
    p = p * z - 0x1.32d2cce65ec66p-1;
    p = p * z + 0x1.466bc6775ac11p1;
    p = p * z - 0x1.4abbce625be53p2;
    double2 q = dd_product(r, 0x1.921fb54442d18p+1);
    return q.x + (q.y + (r * z * p + r * 0x1.1a62633145c07p-53));
}

static double cospi_reduced_d(double r)
{
    double z = r * r;
    double p = 0x1.46d9a50a48ea1p-8;
    p = p * z - 0x1.5b4ab055e92dep-10;
    p = p * z + 0x1.59f8e87f8d159p-15;
    p = p * z + 0x1.f7993673a3d65p-10;
    p = p * z - 0x1.a6d0c3c0f594p-6;
    p = p * z + 0x1.e1f505d287217p-3;
    p = p * z - 0x1.55d3c7e39197bp0;
    p = p * z + 0x1.03c1f081b59b7p2;
    p = p * z - 0x1.3bd3cc9be45dep2;
    return 1.0 + z * p;
}

// x - n/2 exactly; n modulo 4 in *n
static double reduce_half_turns_d(double x, int *n)
{
    double a = fabs(x);
    if (a >= 0x1p53) {
        *n = 0;
        return 0.0;
    }
    double whole = rint(2.0 * a);
    *n = (int)((long)whole & 3);
    return a - 0.5 * whole;
}

double __pumice_sinpi_f64(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    int n;
    double r = reduce_half_turns_d(x, &n);
    if (r == 0.0 && !(n & 1))
        return as_double(as_ulong(x) & 0x8000000000000000ul);
    double y = n & 1 ? cospi_reduced_d(r) : sinpi_reduced_d(r);
    ulong flip = (as_ulong(x) & 0x8000000000000000ul) ^ (n & 2 ? 0x8000000000000000ul : 0);
    return as_double(as_ulong(y) ^ flip);
}

double __pumice_cospi_f64(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    int n;
    double r = reduce_half_turns_d(x, &n);
    if (r == 0.0 && n & 1)
        return 0.0;
    double y = n & 1 ? -sinpi_reduced_d(r) : cospi_reduced_d(r);
    return n & 2 ? -y : y;
}

double __pumice_tanpi_f64(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    int n;
    double r = reduce_half_turns_d(x, &n);
    ulong sign = as_ulong(x) & 0x8000000000000000ul;
    if (r == 0.0) {
        /* tanpi(n) is 0 with x's sign for even n, the other for odd n; tanpi(n + 1/2) is +inf for even n, -inf for odd
         * n (and the signs turn with x's) */
        double y = n & 1 ? (double)INFINITY : 0.0;
        return as_double(as_ulong(y) ^ sign ^ (n & 2 ? 0x8000000000000000ul : 0));
    }
    double s = sinpi_reduced_d(r), c = cospi_reduced_d(r);
    return as_double(as_ulong(n & 1 ? -c / s : s / c) ^ sign);
}

// asin(x) for |x| <= 1/2, as x + this
static double asin_rest_d(double x)
{
    double z = x * x;
    double p = 0x1.a69197bf032cap-8;
    p = p * z + 0x1.4612990fc6966p-6;
    p = p * z - 0x1.ac5aae8228aeep-7;
    p = p * z + 0x1.1e556f0e067a7p-6;
    p = p * z + 0x1.bd9d13281963dp-9;
    p = p * z + 0x1.312de0a13a6bfp-7;
    p = p * z + 0x1.3aed7dc4e9295p-7;
    p = p * z + 0x1.7b18bec7db9a2p-7;
    p = p * z + 0x1.c98de9603fa01p-7;
    p = p * z + 0x1.1c4f17d9811dbp-6;
    p = p * z + 0x1.6e8b9fdab653dp-6;
    p = p * z + 0x1.f1c71c83cc2ddp-6;
    p = p * z + 0x1.6db6db6d98de4p-5;
    p = p * z + 0x1.33333333334a7p-4;
    p = p * z + 0x1.5555555555555p-3;
    return x * z * p;
}

// 2 asin(sqrt((1 - a) / 2)) for a in [1/2, 1], which is acos(a)
static double acos_large_d(double a)
{
    double z = (1.0 - a) * 0.5;
    double s = __pumice_sqrt_f64(z);
    double2 square = dd_product(s, s);
    double correction = s > 0.0 ? ((z - square.x) - square.y) / (2.0 * s) : 0.0;
    return 2.0 * (s + (correction + asin_rest_d(s)));
}

double __pumice_asin_f64(double x)
{
    double a = fabs(x);
    if (!(a <= 1.0))
        return (double)NAN;
    if (a < 0x1p-27)
        return x;
    double y = a < 0.5 ? a + asin_rest_d(a) : 0x1.921fb54442d18p+0 - (acos_large_d(a) - 0x1.1a62633145c07p-54);
    return copysign(y, x);
}

double __pumice_acos_f64(double x)
{
    double a = fabs(x);
    if (!(a <= 1.0))
        return (double)NAN;
    if (a < 0.5)
        return 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - asin_rest_d(x)));
    return x > 0.0 ? acos_large_d(a) : 0x1.921fb54442d18p+1 - (acos_large_d(a) - 0x1.1a62633145c07p-53);
}

// atan(q) for |q| <= tan(pi/8), as q + this
static double atan_rest_d(double q)
{
    double z = q * q;
    double p = 0x1.10e8e4e2c035dp3;
    p = p * z - 0x1.53b2868018777p3;
    p = p * z + 0x1.7a3efb07941d4p2;
    p = p * z - 0x1.ed0285bdcd1aep0;
    p = p * z + 0x1.894802f4d08b9p-2;
    p = p * z - 0x1.11d247a197ac5p-6;
    p = p * z - 0x1.76ff15fe8937dp-5;
    p = p * z + 0x1.dd9daa36db1edp-5;
    p = p * z - 0x1.10f3b28cb0889p-4;
    p = p * z + 0x1.3b1298ccb39c8p-4;
    p = p * z - 0x1.745d104868c06p-4;
    p = p * z + 0x1.c71c71ab15947p-4;
    p = p * z - 0x1.249249247274cp-3;
    p = p * z + 0x1.999999999977dp-3;
    p = p * z - 0x1.5555555555555p-2;
    return q * z * p;
}

// atan(n / d) as a double-double; both positive, their quotient and products far from overflow and subnormals
static double2 atan_quotient_d(double n, double d)
{
    bool swap = n > d;
    double top = swap ? d : n, bottom = swap ? n : d;
    double2 base;
    if (top > 0x1.a827999fcef32p-2 * bottom) { /* tan(pi/8): atan(t) = pi/4 + atan((t - 1) / (t + 1)) */
        double2 less = dd_sum(top, -bottom), more = dd_sum(top, bottom);
        double q = less.x / more.x;
        double2 back = dd_product(q, more.x);
        double low = ((((less.x - back.x) - back.y) + less.y) - q * more.y) / more.x;
        base = dd_add((double2)(0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55), dd_quick_sum(q, low + atan_rest_d(q)));
    } else {
        double q = top / bottom;
        double2 back = dd_product(q, bottom);
        double low = ((top - back.x) - back.y) / bottom;
        base = dd_quick_sum(q, low + atan_rest_d(q));
    }
    return swap ? dd_add((double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54), -base) : base;
}

double __pumice_atan_f64(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27 || isnan(x))
        return x;
    if (a > 0x1p60)
        return copysign(0x1.921fb54442d18p+0, x);
    return copysign(atan_quotient_d(a, 1.0).x, x);
}

// a * 2^n for a >= 0, subnormal or not
static double scaled_magnitude_d(double a, int n)
{
    return as_ulong(a) < 0x0010000000000000ul ? (double)as_ulong(a) * power_of_two_d(n - 474) * 0x1p-600
                                              : a * power_of_two_d(n);
}

// atan2(y, x) in [0, pi] for |y|, as a double-double
static double2 atan2_magnitude_d(double y, double x)
{
    double n = fabs(y), d = fabs(x);
    bool zero_n = as_ulong(n) == 0, zero_d = as_ulong(d) == 0;
    double2 r;
    if (zero_n || (isinf(d) && !isinf(n)))
        r = 0.0;
    else if (zero_d || (isinf(n) && !isinf(d)))
        r = (double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    else if (isinf(n))
        r = (double2)(0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55);
    else {
        int kn = (int)(as_ulong(n) >> 52), kd = (int)(as_ulong(d) >> 52);
        if (kn - kd > 60)
            r = (double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
        else if (kd - kn > 60)
            r = (double2)(x < 0.0 ? 0.0 : n / d, 0.0);
        else {
            int up = kn > 1600 || kd > 1600 ? -600 : kn < 400 || kd < 400 ? 600 : 0;
            r = atan_quotient_d(scaled_magnitude_d(n, up), scaled_magnitude_d(d, up));
        }
    }
    if (as_ulong(x) >> 63)
        r = dd_add((double2)(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53), -r);
    return r;
}

double __pumice_atan2_f64(double y, double x)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    return copysign(atan2_magnitude_d(y, x).x, y);
}

static double over_pi_d(double2 v)
{
    double2 r = dd_multiply(v, (double2)(0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56));
    return r.x;
}

double __pumice_atanpi_f64(double x)
{
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a > 0x1p60)
        return copysign(0.5, x);
    if (a < 0x1p-27)
        return x * 0x1.45f306dc9c883p-2;
    return copysign(over_pi_d(atan_quotient_d(a, 1.0)), x);
}

double __pumice_atan2pi_f64(double y, double x)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    double2 r = atan2_magnitude_d(y, x);
    return copysign(fabs(r.x) < 0x1p-900 ? r.x * 0x1.45f306dc9c883p-2 : over_pi_d(r), y);
}

double __pumice_asinpi_f64(double x)
{
    double y = __pumice_asin_f64(x);
    return fabs(x) == 1.0 ? 0.5 * x : y * 0x1.45f306dc9c883p-2;
}

double __pumice_acospi_f64(double x)
{
    return x == -1.0 ? 1.0 : __pumice_acos_f64(x) * 0x1.45f306dc9c883p-2;
}
