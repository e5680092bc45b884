// Double exponentials, logarithms and powers for devices whose fma of doubles is one instruction rounded once; see math_f64_fast.cl. A kernel may
// hold a hundred of them, so that they are short also where arguments are rare. Polynomials from coefficients/double.sollya.

// y 2^n for y in [0.5, 2]. small: whether n lies within [-1020, 1020]; else it may be anything, and x decides: the exponential is 0 or infinite from
// end on, and NaN for NaN. In between, the second multiplication rounds once, also to subnormal numbers.
static double fast_scale_d(double y, int n, bool small, double x, double end)
{
    double r = with_exponent(y, (int)((uint)n << 20));
    if (!small) {
        int half_n = n >> 1;
        r = with_exponent(y, (int)((uint)half_n << 20)) * as_double((uint2)(0, (uint)(n - half_n + 1023) << 20));
        if (!(fabs(x) < end))
            r = x < 0.0 ? 0.0 : x + (double)INFINITY;
    }
    return r;
}

// Whether |x| is less than a number whose upper word is given
static bool is_below_d(double x, uint upper)
{
    return (as_uint2(x).y & 0x7fffffff) < upper;
}

double __pumice_exp2_fast_f64(double x)
{
    double turns = x + 0x1.8p52, r = x - (turns - 0x1.8p52);
    double p = 0x1.eb5ad16d72089p-32;
    p = fma(p, r, 0x1.e60570d75ca42p-28);
    p = fma(p, r, 0x1.b523dc6b6d027p-24);
    p = fma(p, r, 0x1.62bfd4f394576p-20);
    p = fma(p, r, 0x1.ffcbfd01645c8p-17);
    p = fma(p, r, 0x1.430913093d128p-13);
    p = fma(p, r, 0x1.5d87fe7880471p-10);
    p = fma(p, r, 0x1.3b2ab6fba1edbp-7);
    p = fma(p, r, 0x1.c6b08d704a1acp-5);
    p = fma(p, r, 0x1.ebfbdff82c598p-3);
    p = fma(p, r, 0x1.62e42fefa39efp-1);
    return fast_scale_d(fma(p, r, 1.0), (int)as_uint2(turns).x, is_below_d(x, 0x408fe000), x, 1100.0);
}

// (e^r - 1 - r) / r^2 for r in [-0.3467, 0.3467]
static double fast_exp_rest_d(double r)
{
    double p = 0x1.aeabfd57b2439p-26;
    p = fma(p, r, 0x1.2891d894b0c5dp-22);
    p = fma(p, r, 0x1.71de59e30725cp-19);
    p = fma(p, r, 0x1.a019b8b55cc44p-16);
    p = fma(p, r, 0x1.a01a018c3894ep-13);
    p = fma(p, r, 0x1.6c16c178ab20bp-10);
    p = fma(p, r, 0x1.11111111144d1p-7);
    p = fma(p, r, 0x1.5555555553cdcp-5);
    p = fma(p, r, 0x1.555555555554dp-3);
    return fma(p, r, 0x1.0000000000001p-1);
}

static double fast_exp_reduced_d(double r)
{
    return fma(fma(fast_exp_rest_d(r), r, 1.0), r, 1.0);
}

double __pumice_exp_fast_f64(double x)
{
    double turns = fma(x, 0x1.71547652b82fep+0, 0x1.8p52), n = turns - 0x1.8p52;
    double r = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, x)); /* the first product leaves few bits */
    return fast_scale_d(fast_exp_reduced_d(r), (int)as_uint2(turns).x, is_below_d(x, 0x40860000), x, 760.0);
}

double __pumice_exp10_fast_f64(double x)
{
    double turns = fma(x, 0x1.a934f0979a371p+1, 0x1.8p52), n = turns - 0x1.8p52;
    double r = fma(n, 0x1.9dc1da994fd21p-59, fma(n, -0x1.34413509f79ffp-2, x));
    double p = 0x1.f40149bb8752bp-13;
    p = fma(p, r, 0x1.2f66f0062c68p-10);
    p = fma(p, r, 0x1.489b7577839ffp-8);
    p = fma(p, r, 0x1.41166a4dc37dfp-6);
    p = fma(p, r, 0x1.16e4de675e572p-4);
    p = fma(p, r, 0x1.a7ed709a9d29cp-3);
    p = fma(p, r, 0x1.1429ffd2429cp-1);
    p = fma(p, r, 0x1.2bd7609fd6b4ep0);
    p = fma(p, r, 0x1.0470591de2ae6p1);
    p = fma(p, r, 0x1.53524c73cea6fp1);
    p = fma(p, r, 0x1.26bb1bbb55516p1);
    return fast_scale_d(fma(p, r, 1.0), (int)as_uint2(turns).x, is_below_d(x, 0x40730000), x, 330.0);
}

// A positive normal x as m * 2^e with m in [sqrt(1/2), sqrt(2)), or a hair above; e as a double
static double fast_split_d(double x, int more, double *e)
{
    uint2 bits = as_uint2(x);
    int above = ((int)bits.y - 0x3fe6a09f) & (int)0xfff00000;
    *e = as_double((uint2)((uint)((above >> 20) + more) ^ 0x80000000u, 0x43300000u)) - 0x1.000008p52;
    return as_double((uint2)(bits.x, bits.y - (uint)above));
}

// a / b for a moderate b > 0, with an error of little more than half a unit: the float's reciprocal and steps that double its digits
static double fast_quotient_d(double a, double b)
{
    double r = cut_to_double(native_recip(cut_to_float(b)));
    r = fma(fma(-b, r, 1.0), r, r);
    double q = a * r;
    return fma(fma(-b, q, a), r, q);
}

// t / (t + 2) for t = e^(2 |x|) - 1, in one way for all x: 1 from 22 on
double __pumice_tanh_fast_f64(double x)
{
    double a = fabs(x);
    a = a > 22.0 ? 22.0 : a;
    double turns = fma(a, 0x1.71547652b82fep+1, 0x1.8p52), n = turns - 0x1.8p52;
    double r = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, 2.0 * a));
    double scale = as_double((uint2)(0, (as_uint2(turns).x << 20) + 0x3ff00000u));
    double t = fma(scale, fma(fast_exp_rest_d(r) * r, r, r), scale - 1.0);
    return copysign(fast_quotient_d(t, t + 2.0), x);
}

// log(1 + f), as log1p_reduced_d()
static double fast_log_reduced_d(double f, double correction)
{
    double s = fast_quotient_d(f, 2.0 + f), z = s * s, half_square = 0.5 * f * f;
    double p = 0x1.2b5b8533b7489p-3;
    p = fma(p, z, 0x1.39fe212aea87bp-3);
    p = fma(p, z, 0x1.7462b661a6659p-3);
    p = fma(p, z, 0x1.c71c62e0b72cbp-3);
    p = fma(p, z, 0x1.2492492df3035p-2);
    p = fma(p, z, 0x1.9999999995303p-2);
    p = fma(p, z, 0x1.5555555555558p-1);
    return f - (half_square - fma(s, fma(z, p, half_square), correction));
}

// The logarithm of what is not a positive normal number. False: x is subnormal
static bool fast_log_special_d(double x, double *result)
{
    bool zero = (as_ulong(x) & 0x7ffffffffffffffful) == 0;
    *result = zero ? -(double)INFINITY : as_ulong(x) == 0x7ff0000000000000ul ? x : (double)NAN;
    return zero || as_uint2(x).y >= 0x00100000u;
}

// Splits x into 2^n (1 + f); what has no such form is answered at once
#define FAST_LOG_ARGUMENT_D                                                                                           \
    double n, special;                                                                                                \
    int more = 0;                                                                                                     \
    if (!is_positive_normal_d(x)) {                                                                                   \
        if (fast_log_special_d(x, &special))                                                                          \
            return special;                                                                                           \
        x *= 0x1p54;                                                                                                  \
        more = -54;                                                                                                   \
    }                                                                                                                 \
    double f = fast_split_d(x, more, &n) - 1.0

double __pumice_log_fast_f64(double x)
{
    FAST_LOG_ARGUMENT_D;
    return fma(n, 0x1.62e42fefap-1, fast_log_reduced_d(f, n * 0x1.cf79abc9e3b3ap-40));
}

double __pumice_log2_fast_f64(double x)
{
    FAST_LOG_ARGUMENT_D;
    return fma(fast_log_reduced_d(f, 0.0), 0x1.71547652b82fep+0, n);
}

double __pumice_log10_fast_f64(double x)
{
    FAST_LOG_ARGUMENT_D;
    double l = fast_log_reduced_d(f, 0.0);
    return fma(n, 0x1.34413509fp-2, fma(l, 0x1.bcb7b1526e50ep-2, n * 0x1.e7fbcc47c4acdp-40));
}

// log(x) for a positive normal x, times 2^more, with about 65 bits: n log(2) + 2 atanh(s), s = f / (2 + f)
static double2 fast_log_precise_d(double x, int more)
{
    double n, f = fast_split_d(x, more, &n) - 1.0, g = 2.0 + f;
    double r = cut_to_double(native_recip(cut_to_float(g)));
    r = fma(fma(-g, r, 1.0), r, r);
    double s = f * r;
    s = fma(fma(-s, f, fma(-2.0, s, f)), r, s);
    double s_low = fma(-s, f, fma(-2.0, s, f)) * r; /* f - 2 s is exact */
    double z = s * s, z_low = fma(s, s, -z) + 2.0 * s * s_low;
    double t = 0x1.da8ffff109b86p-4;
    t = fma(t, z, 0x1.e01b9e2c044a3p-4);
    t = fma(t, z, 0x1.11154601ed0bdp-3);
    t = fma(t, z, 0x1.3b13aa0342c37p-3);
    t = fma(t, z, 0x1.745d173c57415p-3);
    t = fma(t, z, 0x1.c71c71c74d1cp-3);
    t = fma(t, z, 0x1.24924924922fcp-2);
    t = fma(t, z, 0x1.999999999999ap-2);
    /* 2 atanh(s) = 2 s + s z c, c = 2/3 + z t */
    double c = fma(t, z, 0x1.5555555555555p-1), c_low = fma(t, z, 0x1.5555555555555p-1 - c) + 0x1.5555555555555p-55;
    double w = z * c, w_low = fma(z, c, -w) + fma(z_low, c, z * c_low);
    double v = s * w, v_low = fma(s, w, -v) + fma(s, w_low, s_low * w);
    double2 l = dd_quick_sum(2.0 * s, v), sum = dd_quick_sum(n * 0x1.62e42fefap-1, l.x);
    double low = (l.y + v_low) + fma(2.0, s_low, n * 0x1.cf79abc9e3b3ap-40);
    return (double2)(sum.x, sum.y + low);
}

// x^y for a positive normal x, times 2^more, and a finite y
static double fast_pow_positive_d(double x, int more, double y)
{
    double2 l = fast_log_precise_d(x, more);
    double e = y * l.x, rest = fma(y, l.x, -e) + y * l.y;
    double turns = fma(e, 0x1.71547652b82fep+0, 0x1.8p52), n = turns - 0x1.8p52;
    double r = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, e)) + rest;
    return fast_scale_d(fast_exp_reduced_d(r), (int)as_uint2(turns).x, is_below_d(e, 0x40860000), e, 760.0);
}

// x^y where x is no positive normal number, or y not finite. False: it is |x|^y with the given sign
static bool fast_pow_special_d(double x, double y, ulong *sign, double *result)
{
    double a = fabs(x);
    bool zero = as_ulong(a) == 0, infinite = isinf(a);
    int kind = integer_kind_d(y);
    *sign = kind == 1 ? as_ulong(x) & 0x8000000000000000ul : 0;
    *result = as_double(zero == (y > 0.0) ? *sign : *sign | 0x7ff0000000000000ul);
    if (isinf(y))
        *result = a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;
    bool nan = isnan(x) || isnan(y), imaginary = as_ulong(x) >> 63 && kind == 0 && !zero && !infinite && !isinf(y);
    if (nan || imaginary)
        *result = (double)NAN;
    if (y == 0.0 || x == 1.0)
        *result = 1.0;
    return zero || infinite || isinf(y) || nan || imaginary || y == 0.0 || x == 1.0;
}

double __pumice_pow_fast_f64(double x, double y)
{
    int more = 0;
    ulong sign = 0;
    if (!is_positive_normal_d(x) || !is_below_d(y, 0x7ff00000)) {
        double special;
        if (fast_pow_special_d(x, y, &sign, &special))
            return special;
        x = fabs(x);
        if (as_uint2(x).y < 0x00100000u) {
            x *= 0x1p54;
            more = -54;
        }
    }
    return as_double(as_ulong(fast_pow_positive_d(x, more, y)) | sign);
}

double __pumice_powr_fast_f64(double x, double y)
{
    bool zero = (as_ulong(x) & 0x7ffffffffffffffful) == 0;
    if (isnan(x) || isnan(y) || (as_ulong(x) >> 63 && !zero) || (y == 0.0 && (zero || isinf(x))) ||
        (x == 1.0 && isinf(y)))
        return (double)NAN;
    return __pumice_pow_fast_f64(fabs(x), y);
}

double __pumice_pown_fast_f64(double x, int n)
{
    return isnan(x) && n != 0 ? x : __pumice_pow_fast_f64(x, (double)n);
}
