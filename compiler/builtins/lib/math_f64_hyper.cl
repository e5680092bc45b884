// Double roots, hyperbolic functions, error function and gamma. Polynomials from coefficients/double.sollya.

// x, positive and finite, as y * 4^k with y in [1, 4)
static double split_even(double x, int *k)
{
    int e;
    double m = split_exponent_d(x, &e); /* in [0.7, 1.42) */
    if (m < 1.0) {
        m *= 2.0;
        e--;
    }
    *k = e >> 1;
    return e & 1 ? 2.0 * m : m;
}

// 1 / sqrt(y) for y in [1, 4), nearly to a double: the float's, and two steps of Newton
static double rsqrt_core(double y)
{
    double r = (double)native_rsqrt((float)y);
    r += 0.5 * r * (1.0 - y * r * r);
    r += 0.5 * r * (1.0 - y * r * r);
    return r;
}

static double sqrt_core(double y)
{
    double r = rsqrt_core(y), s = y * r;
    double2 square = dd_product(s, s);
    return s + 0.5 * r * ((y - square.x) - square.y);
}

// Rounded exactly: the residual of the 53-bit root is an integer.
double __pumice_sqrt_f64(double x)
{
    ulong bits = as_ulong(x);
    if (bits - 1 >= 0x7ff0000000000000ul - 1)
        return (bits & 0x7ffffffffffffffful) == 0 || bits == 0x7ff0000000000000ul ? x : (double)NAN;
    int k;
    double y = split_even(x, &k);
    ulong root = (ulong)(sqrt_core(y) * 0x1p52), mantissa = (as_ulong(y) & 0xffffffffffffful) | 0x10000000000000ul;
    long rest = (long)((mantissa << (y < 2.0 ? 52 : 53)) - root * root);
    root += rest > (long)root ? 1 : rest <= -(long)root ? -1 : 0;
    return as_double(((ulong)(k + 1022) << 52) + root);
}

double __pumice_rsqrt_f64(double x)
{
    ulong bits = as_ulong(x);
    if (bits - 1 >= 0x7ff0000000000000ul - 1)
        return (bits & 0x7ffffffffffffffful) == 0 ? copysign((double)INFINITY, x)
               : bits == 0x7ff0000000000000ul     ? 0.0
                                                  : (double)NAN;
    int k;
    double y = split_even(x, &k), r = rsqrt_core(y);
    double2 one = dd_multiply(dd_product(r, r), (double2)(y, 0.0));
    return (r + 0.5 * r * ((1.0 - one.x) - one.y)) * power_of_two_d(-k);
}

double __pumice_cbrt_f64(double x)
{
    ulong bits = as_ulong(x) & 0x7ffffffffffffffful;
    if (bits == 0 || bits >= 0x7ff0000000000000ul)
        return x;
    int e;
    double m = split_exponent_d(as_double(bits), &e);
    int third = (e + 3000) / 3 - 1000, left = e - 3 * third; /* m 2^left in [0.7, 5.7) */
    double a = m * power_of_two_d(left);
    double t = 0.5 + 0.5 * a * (1.0 - 0.09 * a); /* a guess within a third */
    for (int i = 0; i < 4; i++) {
        double cube = t * t * t;
        t = t * (cube + 2.0 * a) / (2.0 * cube + a);
    }
    double2 square = dd_product(t, t), cube = dd_multiply(square, (double2)(t, 0.0));
    t += ((a - cube.x) - cube.y) / (3.0 * square.x);
    return copysign(t * power_of_two_d(third), x);
}

// hypot without overflow: scaled by a power of two, the sum of squares as a double-double
double __pumice_hypot_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (isinf(a) || isinf(b))
        return (double)INFINITY;
    if (isnan(a) || isnan(b))
        return (double)NAN;
    ulong big = max(as_ulong(a), as_ulong(b)), small = min(as_ulong(a), as_ulong(b));
    if (big == 0)
        return 0.0;
    if (small == 0 || (big >> 52) - (small >> 52) > 55)
        return as_double(big) + as_double(small);
    double back = 1.0;
    double p = as_double(big), q = as_double(small);
    if (big > 0x5fe0000000000000ul) {
        p *= 0x1p-600;
        q *= 0x1p-600;
        back = 0x1p600;
    } else if (small < 0x2200000000000000ul) {
        p = big < 0x0010000000000000ul ? (double)big * 0x1p-374 : p * 0x1p700;
        q = small < 0x0010000000000000ul ? (double)small * 0x1p-374 : q * 0x1p700;
        back = 0x1p-700;
    }
    double2 s = dd_add(dd_product(p, p), dd_product(q, q));
    int k;
    double root = sqrt_core(split_even(s.x, &k)) * power_of_two_d(k);
    double2 square = dd_product(root, root);
    root += (((s.x - square.x) - square.y) + s.y) / (2.0 * root);
    return root * back;
}

double __pumice_sinh_f64(double x)
{
    double a = fabs(x);
    if (a < 1.0) {
        double z = x * x;
        double p = -0x1.45c258c344fbep-45;
        p = p * z + 0x1.6058c6ecfc6a4p-43;
        p = p * z + 0x1.173a2e5301e25p-41;
        p = p * z + 0x1.61b0b418f254dp-33;
        p = p * z + 0x1.ae63c24688cf7p-26;
        p = p * z + 0x1.71de3aae33bc2p-19;
        p = p * z + 0x1.a01a019fe1a37p-13;
        p = p * z + 0x1.1111111111212p-7;
        p = p * z + 0x1.5555555555555p-3;
        return a < 0x1p-27 ? x : x + x * z * p;
    }
    double half_e = exp_scaled_d(a, -1); /* e^a / 2 */
    return copysign(a > 40.0 ? half_e : half_e - 0.25 / half_e, x);
}

double __pumice_cosh_f64(double x)
{
    double a = fabs(x);
    double half_e = exp_scaled_d(a, -1);
    return a > 40.0 ? half_e : half_e + 0.25 / half_e;
}

double __pumice_tanh_f64(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27 || isnan(x))
        return x;
    if (a > 22.0)
        return copysign(1.0, x);
    if (a >= 1.0)
        return copysign(1.0 - 2.0 / (exp_scaled_d(2.0 * a, 0) + 1.0), x);
    double t = __pumice_expm1_f64(2.0 * a);
    return copysign(t / (t + 2.0), x);
}

double __pumice_asinh_f64(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27 || !isfinite(x))
        return x;
    double y;
    if (a > 0x1p30)
        y = __pumice_log_f64(a) + 0x1.62e42fefa39efp-1;
    else /* asinh(a) = log1p(a + a^2 / (1 + sqrt(1 + a^2))) */
        y = __pumice_log1p_f64(a + a * a / (1.0 + sqrt(1.0 + a * a)));
    return copysign(y, x);
}

double __pumice_acosh_f64(double x)
{
    if (!(x >= 1.0))
        return (double)NAN;
    if (x > 0x1p30)
        return isinf(x) ? x : __pumice_log_f64(x) + 0x1.62e42fefa39efp-1;
    double t = x - 1.0;
    return __pumice_log1p_f64(t + sqrt(2.0 * t + t * t));
}

double __pumice_atanh_f64(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27)
        return x;
    if (!(a <= 1.0))
        return (double)NAN;
    if (a == 1.0)
        return copysign((double)INFINITY, x);
    return copysign(0.5 * __pumice_log1p_f64(2.0 * a / (1.0 - a)), x);
}

// erfc(a) e^(a^2) / t with t = 2 / (2 + a), in three ranges of a
static double erfc_near(double t)
{
    double p = 0x1.1336c6e112969p-6;
    p = p * t - 0x1.7bc8a0abd9bd5p-3;
    p = p * t + 0x1.e412b263e2a91p-1;
    p = p * t - 0x1.777f070884c24p1;
    p = p * t + 0x1.88b7efc704608p2;
    p = p * t - 0x1.217cbbaa2a4f2p3;
    p = p * t + 0x1.31f80030e628ep3;
    p = p * t - 0x1.d3d1844cf5af8p2;
    p = p * t + 0x1.0b9f4132ee487p2;
    p = p * t - 0x1.eeb0713798659p0;
    p = p * t + 0x1.428f0587e3772p-1;
    p = p * t - 0x1.3f65f45eb03cbp-4;
    p = p * t + 0x1.a6df1bb505b27p-3;
    p = p * t + 0x1.f188de0f87d1ap-3;
    p = p * t + 0x1.212f2f58c944bp-2;
    p = p * t + 0x1.20da666915ffcp-2;
    return p;
}

static double erfc_middle(double t)
{
    double p = -0x1.12fe1e88c97ebp-7;
    p = p * t + 0x1.78737ff68871ap-3;
    p = p * t - 0x1.ce0da7e87ae65p-1;
    p = p * t + 0x1.145f65d9fd72bp1;
    p = p * t - 0x1.838e8404c2d2p1;
    p = p * t + 0x1.539ce921210dep1;
    p = p * t - 0x1.88ee6d3f183ccp0;
    p = p * t + 0x1.6df2c44b54339p-1;
    p = p * t - 0x1.34d6591a881a2p-2;
    p = p * t + 0x1.28fbca43274fap-7;
    p = p * t - 0x1.23071ecc5d101p-6;
    p = p * t + 0x1.5f64104a9a6d9p-4;
    p = p * t + 0x1.689d42ebbed2fp-3;
    p = p * t + 0x1.f98cc4303f9e6p-3;
    p = p * t + 0x1.20dd3cdc10fb5p-2;
    p = p * t + 0x1.20dd7642d28d7p-2;
    return p;
}

static double erfc_far(double t)
{
    double p = 0x1.7f811019be673p-4;
    p = p * t - 0x1.140b400d595b5p-2;
    p = p * t + 0x1.ca7e41982f47fp-3;
    p = p * t - 0x1.30e8c3bc6a9b8p-6;
    p = p * t + 0x1.ec5bcdf29ee88p-7;
    p = p * t - 0x1.d44cf5f17f764p-5;
    p = p * t - 0x1.cc7a825fc228ap-5;
    p = p * t - 0x1.249dcde4ab982p-8;
    p = p * t + 0x1.570b9be0d1079p-4;
    p = p * t + 0x1.6914b2045af1ap-3;
    p = p * t + 0x1.f9838df3dcddfp-3;
    p = p * t + 0x1.20dd7500e229fp-2;
    p = p * t + 0x1.20dd750432024p-2;
    return p;
}

// erfc(a) for a in [0.46, 28], times 2^200
static double erfc_tail_d(double a)
{
    double t = 2.0 / (2.0 + a);
    double p = a < 2.0 ? erfc_near(t) : a < 6.0 ? erfc_middle(t) : erfc_far(t);
    double2 square = dd_product(a, a);
    return exp_scaled_d(-square.x, 200) * (t * p) * (1.0 - square.y);
}

static double erf_small_d(double x)
{
    double z = x * x;
    double p = 0x1.d63c0982415bfp-31;
    p = p * z - 0x1.ebd31af543f1dp-28;
    p = p * z + 0x1.d44fe2880d55fp-26;
    p = p * z - 0x1.0caee8deb3004p-24;
    p = p * z + 0x1.9eb8734b02cep-24;
    p = p * z - 0x1.cacd379212679p-24;
    p = p * z + 0x1.aa5c59b10f4bcp-24;
    p = p * z - 0x1.caf93f7bda12ep-23;
    p = p * z + 0x1.bfd36c470eae2p-20;
    p = p * z - 0x1.f5102666cd225p-17;
    p = p * z + 0x1.f9a4fc706133ap-14;
    p = p * z - 0x1.c02dbde44c3f1p-11;
    p = p * z + 0x1.565bcd32c5cdep-8;
    p = p * z - 0x1.b82ce31333a2dp-6;
    p = p * z + 0x1.ce2f21a0448d1p-4;
    p = p * z - 0x1.812746b037a0cp-2;
    p = p * z + 0x1.06eba8214db69p-3;
    return x + x * p;
}

double __pumice_erf_f64(double x)
{
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0x1p-58)
        return x * 0x1.20dd750429b6dp+0;
    if (a < 0.75)
        return erf_small_d(x);
    return copysign(a > 6.0 ? 1.0 : 1.0 - erfc_tail_d(a) * 0x1p-200, x);
}

double __pumice_erfc_f64(double x)
{
    if (isnan(x))
        return x;
    double a = fabs(x);
    if (a < 0.5)
        return 1.0 - erf_small_d(x);
    if (x < 0.0)
        return a > 6.0 ? 2.0 : 2.0 - erfc_tail_d(a) * 0x1p-200;
    return a > 28.0 ? 0.0 : scale_near_one_d(erfc_tail_d(a), -200);
}

static double gamma_polynomial_d(double u) // gamma(1.5 + u), |u| <= 0.5
{
    double p = -0x1.d6e234ed05066p-15;
    p = p * u + 0x1.61299793c6990p-14;
    p = p * u - 0x1.264ce0255f55bp-15;
    p = p * u + 0x1.b972bb298fec6p-15;
    p = p * u - 0x1.2f0935fdbddc0p-13;
    p = p * u + 0x1.c68cdebefd42ap-13;
    p = p * u - 0x1.38238e4f9b707p-12;
    p = p * u + 0x1.d43262e9a34f3p-12;
    p = p * u - 0x1.6303f38555fcfp-11;
    p = p * u + 0x1.0a3e5d7b5a3a1p-10;
    p = p * u - 0x1.8ef7865b7d7f9p-10;
    p = p * u + 0x1.2b2b5f19c211ap-9;
    p = p * u - 0x1.c0a2673e04123p-9;
    p = p * u + 0x1.504ed944524fep-8;
    p = p * u - 0x1.f7fc54c1e384dp-8;
    p = p * u + 0x1.7991dc39b9179p-7;
    p = p * u - 0x1.1a2c297f2a6a8p-6;
    p = p * u + 0x1.a752c6b4833f3p-6;
    p = p * u - 0x1.374fd5cc87da4p-5;
    p = p * u + 0x1.e022b7433f843p-5;
    p = p * u - 0x1.3d88cfe50615fp-4;
    p = p * u + 0x1.283bd374eb35ep-3;
    p = p * u - 0x1.b77ac1ca2eba4p-4;
    p = p * u + 0x1.a8c4dba620d56p-2;
    p = p * u + 0x1.08ea88ee561b1p-5;
    p = p * u + 0x1.c5bf891b4ef6bp-1;
    return p;
}

double __pumice_tgamma_f64(double x)
{
    if (isnan(x))
        return x;
    if ((as_ulong(x) & 0x7ffffffffffffffful) == 0)
        return copysign((double)INFINITY, x);
    if (x > 171.7)
        return (double)INFINITY;
    if (x < 0.0 && (isinf(x) || x == trunc(x)))
        return (double)NAN;
    if (fabs(x) < 0x1p-54)
        return 1.0 / x;
    double whole = trunc(x);
    bool odd = x < 0.0 && whole * 0.5 == trunc(whole * 0.5);
    if (x < -186.0)
        return odd ? -0.0 : 0.0;
    /* recurrence to [1, 2]; the steps are exact but for arguments near 0, where gamma(1 + x) is flat */
    double2 product = (double2)(1.0, 0.0), at = (double2)(x, 0.0);
    int scale = 0;
    if (x > 2.0) {
        while (at.x > 2.0) {
            at = dd_sum(at.x - 1.0, at.y);
            product = dd_multiply(product, at);
            if (product.x > 0x1p500) {
                product *= 0x1p-500;
                scale += 500;
            }
        }
        double g = gamma_polynomial_d((at.x - 1.5) + at.y) * (product.x + product.y);
        return scale_near_one_d(g * 0x1p-500, scale + 500);
    }
    while (at.x < 1.0) {
        product = dd_multiply(product, at);
        at = dd_add(at, (double2)(1.0, 0.0));
        if (fabs(product.x) > 0x1p500) {
            product *= 0x1p-500;
            scale -= 500;
        }
    }
    double g = gamma_polynomial_d((at.x - 1.5) + at.y) / product.x;
    return scale_near_one_d(g * 0x1p500, scale - 500);
}
