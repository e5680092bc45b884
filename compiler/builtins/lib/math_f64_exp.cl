// Double exponentials and logarithms. Polynomials from coefficients/double.sollya.

static double exp2_polynomial_d(double r) // 2^r, |r| <= 0.5
{
    double p = 0x1.e0f3bd5baa0ap-36;
    p = p * r + 0x1.ec5de15e71755p-32;
    p = p * r + 0x1.e4bb8386d7f49p-28;
    p = p * r + 0x1.b5233e262135dp-24;
    p = p * r + 0x1.62c0272dcc249p-20;
    p = p * r + 0x1.ffcbfd44215p-17;
    p = p * r + 0x1.430912f755655p-13;
    p = p * r + 0x1.5d87fe787529dp-10;
    p = p * r + 0x1.3b2ab6fba51a1p-7;
    p = p * r + 0x1.c6b08d704a1d1p-5;
    p = p * r + 0x1.ebfbdff82c58ep-3;
    p = p * r + 0x1.62e42fefa39efp-1;
    return 1.0 + r * p;
}

static double expm1_polynomial_d(double r) // e^r - 1, |r| <= 0.51
{
    double p = 0x1.607b6405f6125p-33;
    p = p * r + 0x1.2023f95b37c61p-29;
    p = p * r + 0x1.ae667cfd7643bp-26;
    p = p * r + 0x1.27e449f95eb3cp-22;
    p = p * r + 0x1.71de38f35cc9ap-19;
    p = p * r + 0x1.a01a01fc4d5fdp-16;
    p = p * r + 0x1.a01a01a0d38cbp-13;
    p = p * r + 0x1.6c16c16c01d06p-10;
    p = p * r + 0x1.1111111110e8fp-7;
    p = p * r + 0x1.5555555555587p-5;
    p = p * r + 0x1.5555555555556p-3;
    p = p * r + 0x1p-1;
    return r + r * r * p;
}

double __pumice_exp2_f64(double x)
{
    if (!(fabs(x) < 2000.0))
        return isnan(x) ? x : x > 0.0 ? (double)INFINITY : 0.0;
    double n = rint(x);
    return scale_near_one_d(exp2_polynomial_d(x - n), (int)n);
}

// e^x * 2^k
static double exp_scaled_d(double x, int k)
{
    if (!(fabs(x) < 1500.0))
        return isnan(x) ? x : x > 0.0 ? (double)INFINITY : 0.0;
    double n = rint(x * 0x1.71547652b82fep+0);
    double r = (x - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40; /* ln 2 with 38 bits, then the rest */
    return scale_near_one_d(1.0 + expm1_polynomial_d(r), (int)n + k);
}

double __pumice_exp_f64(double x)
{
    return exp_scaled_d(x, 0);
}

double __pumice_exp10_f64(double x)
{
    if (!(fabs(x) < 700.0))
        return isnan(x) ? x : x > 0.0 ? (double)INFINITY : 0.0;
    double n = rint(x * 0x1.a934f0979a371p+1);
    double r = (x - n * 0x1.34413509fp-2) - n * 0x1.e7fbcc47c4acdp-40; /* log10 of 2 with 38 bits, then the rest */
    double p = 0x1.3a82ada142d18p-15;
    p = p * r + 0x1.f4cc644b82d55p-13;
    p = p * r + 0x1.2ecad05e8225ap-10;
    p = p * r + 0x1.489b1b7da54cfp-8;
    p = p * r + 0x1.4116a28d1eb5ap-6;
    p = p * r + 0x1.16e4de82dfab5p-4;
    p = p * r + 0x1.a7ed7088f2c53p-3;
    p = p * r + 0x1.1429ffd23bf88p-1;
    p = p * r + 0x1.2bd7609fd8f4p0;
    p = p * r + 0x1.0470591de2af6p1;
    p = p * r + 0x1.53524c73cea6ap1;
    p = p * r + 0x1.26bb1bbb55516p1;
    return scale_near_one_d(1.0 + r * p, (int)n);
}

double __pumice_expm1_f64(double x)
{
    if (fabs(x) < 0.5)
        return fabs(x) < 0x1p-54 ? x : expm1_polynomial_d(x);
    if (!(x < 800.0))
        return isnan(x) ? x : (double)INFINITY;
    if (x < -40.0)
        return -1.0;
    double n = rint(x * 0x1.71547652b82fep+0);
    double r = (x - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40;
    double p = expm1_polynomial_d(r);
    if (n > 55.0)
        return scale_near_one_d(1.0 + p, (int)n);
    double scale = power_of_two_d((int)n);
    return (scale - 1.0) + scale * p;
}

// log(m) for m in [sqrt(1/2), sqrt(2)), plus a small correction d to m, as a double-double with about 65 bits: 2
// atanh(s), s = (m - 1) / (m + 1)
static double2 log_mantissa_d(double m, double d)
{
    double2 f = dd_quick_sum(m - 1.0, d), g = dd_sum(m, 1.0);
    g.y += d;
    double q = f.x / g.x;
    double2 back = dd_multiply((double2)(q, 0.0), g);
    double2 s = dd_quick_sum(q, (((f.x - back.x) - back.y) + f.y) / g.x);
    double2 z = dd_multiply(s, s);
    double t = 1.0 / 25.0;
    t = t * z.x + 1.0 / 23.0;
    t = t * z.x + 1.0 / 21.0;
    t = t * z.x + 1.0 / 19.0;
    t = t * z.x + 1.0 / 17.0;
    t = t * z.x + 1.0 / 15.0;
    t = t * z.x + 1.0 / 13.0;
    t = t * z.x + 1.0 / 11.0;
    t = t * z.x + 1.0 / 9.0;
    t = t * z.x + 1.0 / 7.0;
    t = t * z.x + 1.0 / 5.0;
    /* atanh(s) / s = 1 + z (1/3 + z t) */
    double2 c = dd_sum(0x1.5555555555555p-2, t * z.x);
    c = dd_quick_sum(c.x, c.y + 0x1.5555555555555p-56);
    double2 r = dd_multiply(z, c);
    r = dd_add((double2)(1.0, 0.0), r);
    return 2.0 * dd_multiply(r, s);
}

static bool log_special_d(double x, double *result)
{
    ulong bits = as_ulong(x);
    *result = (bits & 0x7ffffffffffffffful) == 0 ? -(double)INFINITY
              : bits == 0x7ff0000000000000ul     ? (double)INFINITY
                                                 : (double)NAN;
    return bits - 1 >= 0x7ff0000000000000ul - 1; /* zero, negative, infinite or NaN */
}

// log(1 + f) for f in [-0.293, 0.4143] and a small correction: f - (f^2/2 - (correction + s (f^2/2 + R))), where s is f / (2 + f) and R is
// 2 atanh(s) / s - 2
static double log1p_reduced_d(double f, double correction)
{
    double s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    double p = 0x1.2b5b8533b7489p-3;
    p = p * z + 0x1.39fe212aea87bp-3;
    p = p * z + 0x1.7462b661a6659p-3;
    p = p * z + 0x1.c71c62e0b72cbp-3;
    p = p * z + 0x1.2492492df3035p-2;
    p = p * z + 0x1.9999999995303p-2;
    p = p * z + 0x1.5555555555558p-1;
    return f - (half_square - (correction + s * (half_square + z * p)));
}

// log(m * 2^e), with a small correction
static double log_general_d(double m, double correction, int e)
{
    double n = (double)e;
    double f = m - 1.0;
    return n * 0x1.62e42fefap-1 + log1p_reduced_d(f, n * 0x1.cf79abc9e3b3ap-40 + correction);
}

double __pumice_log_f64(double x)
{
    double special;
    if (log_special_d(x, &special))
        return special;
    int e;
    double m = split_exponent_d(x, &e);
    return log_general_d(m, 0.0, e);
}

// log2(x) with about 63 bits, for positive finite x
static double2 log2_precise_d(double x)
{
    int e;
    double m = split_exponent_d(x, &e);
    double2 r = dd_multiply(log_mantissa_d(m, 0.0), (double2)(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
    return dd_add((double2)((double)e, 0.0), r);
}

double __pumice_log2_f64(double x)
{
    double special;
    if (log_special_d(x, &special))
        return special;
    int e;
    double m = split_exponent_d(x, &e);
    double l = log1p_reduced_d(m - 1.0, 0.0);
    return (double)e + l * 0x1.71547652b82fep+0;
}

double __pumice_log10_f64(double x)
{
    double special;
    if (log_special_d(x, &special))
        return special;
    int e;
    double m = split_exponent_d(x, &e);
    double l = log1p_reduced_d(m - 1.0, 0.0), n = (double)e;
    return n * 0x1.34413509fp-2 + (l * 0x1.bcb7b1526e50ep-2 + n * 0x1.e7fbcc47c4acdp-40);
}

double __pumice_log1p_f64(double x)
{
    if (fabs(x) < 0x1p-54)
        return x;
    if (!(x > -1.0) || isinf(x))
        return x == -1.0 ? -(double)INFINITY : x < -1.0 ? (double)NAN : x;
    if (x > -0.25 && x < 0.375)
        return log1p_reduced_d(x, 0.0);
    double2 u = dd_sum(1.0, x);
    int e;
    double m = split_exponent_d(u.x, &e), rest = e > -1000 && e < 1000 ? u.y * power_of_two_d(-e) : 0.0;
    return log_general_d(m, rest - rest * (m - 1.0), e); /* log(m + rest) is about log(m) + rest / m */
}

// 2^(hi + lo)
static double exp2_pair_d(double2 p)
{
    if (!(fabs(p.x) < 2200.0))
        return p.x > 0.0 ? (double)INFINITY : 0.0;
    double n = rint(p.x);
    return scale_near_one_d(exp2_polynomial_d((p.x - n) + p.y), (int)n);
}

// x^y for x > 0 finite, y finite
static double pow_positive_d(double x, double y)
{
    double2 l = log2_precise_d(x);
    double estimate = l.x * y;
    if (!(fabs(estimate) < 2200.0))
        return estimate > 0.0 ? (double)INFINITY : 0.0;
    double2 p;
    if (fabs(y) > 0x1p900) { /* keep the splitting from overflowing: l is tiny then */
        p = dd_product(l.x, y * 0x1p-300);
        p = (double2)(p.x, p.y + l.y * (y * 0x1p-300)) * 0x1p300;
    } else {
        p = dd_product(l.x, y);
        p.y += l.y * y;
    }
    return exp2_pair_d(p);
}

// Whether a finite y is an integer: 0 no, 1 odd, 2 even
static int integer_kind_d(double y)
{
    double a = fabs(y);
    if (a >= 0x1p53)
        return 2;
    if (a != trunc(a))
        return 0;
    return (long)a & 1 ? 1 : 2;
}

double __pumice_pow_f64(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return (double)NAN;
    double a = fabs(x);
    if (isinf(y))
        return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;
    int kind = integer_kind_d(y);
    ulong sign = kind == 1 ? as_ulong(x) & 0x8000000000000000ul : 0;
    double r;
    if (as_ulong(a) == 0 || isinf(a))
        r = (as_ulong(a) == 0) == (y > 0.0) ? 0.0 : (double)INFINITY;
    else if (as_ulong(x) >> 63 && kind == 0)
        return (double)NAN;
    else
        r = pow_positive_d(a, y);
    return as_double(as_ulong(r) | sign);
}

double __pumice_powr_f64(double x, double y)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    bool zero = (as_ulong(x) & 0x7ffffffffffffffful) == 0;
    if (as_ulong(x) >> 63 && !zero)
        return (double)NAN;
    if (y == 0.0)
        return zero || isinf(x) ? (double)NAN : 1.0;
    if (x == 1.0)
        return isinf(y) ? (double)NAN : 1.0;
    return __pumice_pow_f64(fabs(x), y);
}

double __pumice_pown_f64(double x, int n)
{
    if (n == 0)
        return 1.0;
    if (isnan(x))
        return x;
    double a = fabs(x), r;
    ulong sign = n & 1 ? as_ulong(x) & 0x8000000000000000ul : 0;
    if (as_ulong(a) == 0 || isinf(a))
        r = (as_ulong(a) == 0) == (n > 0) ? 0.0 : (double)INFINITY;
    else
        r = pow_positive_d(a, (double)n);
    return as_double(as_ulong(r) | sign);
}

double __pumice_rootn_f64(double x, int n)
{
    if (n == 0 || isnan(x))
        return (double)NAN;
    double a = fabs(x), r;
    if (as_ulong(x) >> 63 && as_ulong(a) != 0 && !(n & 1))
        return (double)NAN;
    ulong sign = n & 1 ? as_ulong(x) & 0x8000000000000000ul : 0;
    if (as_ulong(a) == 0 || isinf(a)) {
        r = (as_ulong(a) == 0) == (n > 0) ? 0.0 : (double)INFINITY;
    } else {
        double2 l = log2_precise_d(a);
        double nd = (double)n, q = l.x / nd;
        double2 back = dd_product(q, nd);
        r = exp2_pair_d((double2)(q, (((l.x - back.x) - back.y) + l.y) / nd));
    }
    return as_double(as_ulong(r) | sign);
}
