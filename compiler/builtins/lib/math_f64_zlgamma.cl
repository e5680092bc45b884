// Double lgamma: OpenCL gives no bound; this keeps about 1e-14 absolute or relative, whichever is larger.

double __pumice_lgamma_r_f64(double x, int *sign)
{
    *sign = 1;
    if (isnan(x))
        return x;
    if (isinf(x))
        return (double)INFINITY;
    ulong bits = as_ulong(x) & 0x7ffffffffffffffful;
    if (bits == 0) { /* OpenCL C 3.0, 7.5.1 */
        *sign = 0;
        return (double)INFINITY;
    }
    if (x <= 0.0 && (x == trunc(x) || x < -0x1p52)) {
        *sign = 0;
        return (double)INFINITY;
    }
    double a = fabs(x);
    if (a < 0x1p-54) {
        *sign = x < 0.0 ? -1 : 1;
        return -__pumice_log_f64(a);
    }
    if (x > -20.0 && x < 25.0) {
        double g = __pumice_tgamma_f64(x);
        *sign = g < 0.0 ? -1 : 1;
        return __pumice_log_f64(fabs(g));
    }
    /* Stirling: (a - 1/2) log a - a + log(2 pi)/2 + 1/(12a) - 1/(360 a^3) + ... */
    double r = 1.0 / a, z = r * r;
    double tail =
        r * (1.0 / 12 +
             z * (-1.0 / 360 +
                  z * (1.0 / 1260 + z * (-1.0 / 1680 + z * (1.0 / 1188 + z * (-691.0 / 360360 + z * (1.0 / 156)))))));
    double l = __pumice_log_f64(a);
    double big = a > 0x1p1000 ? a * (l - 1.0) : (a - 0.5) * (l - 1.0) + (0x1.d67f1c864beb5p-1 - 0.5 + tail);
    if (x > 0.0)
        return big;
    /* gamma(-a) gamma(a) = -pi / (a sin(pi a)) */
    double s = __pumice_sinpi_f64(a);
    *sign = s > 0.0 ? -1 : 1;
    return 0x1.250d048e7a1bdp+0 - __pumice_log_f64(a * fabs(s)) - big;
}

double __pumice_lgamma_f64(double x)
{
    int sign;
    return __pumice_lgamma_r_f64(x, &sign);
}
