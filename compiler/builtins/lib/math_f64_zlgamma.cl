// Double lgamma: OpenCL gives no bound; this keeps about 1e-14 absolute or relative, whichever is larger, and is within a few units in the last
// place for positive arguments. Polynomials from coefficients/lgamma.py.

// lgamma(1 + t) for t in [-1/4, 3/4], with its zero at 0, which is positive: the product alone would be -0.
static double lgamma_below_175_d(double t)
{
    double s = t - 0.25, p = -0x1.057961f846bcfp-11;
    p = p * s + 0x1.466368edb5bcfp-11;
    p = p * s - 0x1.0a37b6a47dbb8p-13;
    p = p * s + 0x1.aeaed9a2167f6p-13;
    p = p * s - 0x1.6519e7b08fa59p-11;
    p = p * s + 0x1.cbe4e7fed556bp-11;
    p = p * s - 0x1.0c2102126d925p-10;
    p = p * s + 0x1.661c800f004f6p-10;
    p = p * s - 0x1.e568cd74b2a49p-10;
    p = p * s + 0x1.451efc54bd153p-9;
    p = p * s - 0x1.b591697cbdea6p-9;
    p = p * s + 0x1.28a87aef4421dp-8;
    p = p * s - 0x1.9546174546cd2p-8;
    p = p * s + 0x1.1759f9e9e51aep-7;
    p = p * s - 0x1.858dc3635ee06p-7;
    p = p * s + 0x1.13b4666445135p-6;
    p = p * s - 0x1.8e4684ae7264p-6;
    p = p * s + 0x1.28367ed974ea5p-5;
    p = p * s - 0x1.ccfde37bfdff6p-5;
    p = p * s + 0x1.83575d02c77f7p-4;
    p = p * s - 0x1.79f9bf0adea9ep-3;
    return t == 0.0 ? 0.0 : t * (t - 1.0) * (p * s + 0x1.0c58fe25dca2cp-1);
}

// lgamma(1 + t) for t in [3/4, 2]
static double lgamma_below_3_d(double t)
{
    double s = t - 1.375, p = -0x1.d67dc8d1074a9p-27;
    p = p * s + 0x1.20e7d8a2b532p-25;
    p = p * s - 0x1.021884588b49p-24;
    p = p * s + 0x1.469b77c6819d7p-23;
    p = p * s - 0x1.af59f1c666984p-22;
    p = p * s + 0x1.11300d8bd3feap-20;
    p = p * s - 0x1.5b14b331e17ecp-19;
    p = p * s + 0x1.bce3cad10d59ep-18;
    p = p * s - 0x1.1f4311ca2d80dp-16;
    p = p * s + 0x1.76573d7dd2822p-15;
    p = p * s - 0x1.ed8455a1b5c5bp-14;
    p = p * s + 0x1.4a4a071ba753dp-12;
    p = p * s - 0x1.c33da3acf799cp-11;
    p = p * s + 0x1.3d42534cd520fp-9;
    p = p * s - 0x1.d1b1501e692bfp-8;
    p = p * s + 0x1.6e53146b4e15p-6;
    p = p * s - 0x1.476d23ab17674p-4;
    return t * (t - 1.0) * (p * s + 0x1.8e9331cef6549p-2);
}

static double lgamma_3_to_6_d(double x)
{
    double s = x - 4.5, p = 0x1.39efb61ddcddbp-46;
    p = p * s - 0x1.4ff675454dba8p-44;
    p = p * s + 0x1.658f06a5661dcp-43;
    p = p * s - 0x1.db852bf56ec44p-41;
    p = p * s + 0x1.5f2ba2f4c7161p-38;
    p = p * s - 0x1.a05b1a2789b0cp-36;
    p = p * s + 0x1.ede3a658c2b89p-34;
    p = p * s - 0x1.2e1d3980af3dcp-31;
    p = p * s + 0x1.74ab43f903297p-29;
    p = p * s - 0x1.cfc302b734c54p-27;
    p = p * s + 0x1.244bd29f36a98p-24;
    p = p * s - 0x1.7675378cf15c2p-22;
    p = p * s + 0x1.e9bef5d391ed4p-20;
    p = p * s - 0x1.492624743f1a8p-17;
    p = p * s + 0x1.cb5c27a31124fp-15;
    p = p * s - 0x1.526abd4eaf01bp-12;
    p = p * s + 0x1.0f5b4bb3e37e8p-9;
    p = p * s - 0x1.f9c7bbd95fda3p-7;
    p = p * s + 0x1.4db90076f3a31p-3;
    return (x - 2.0) * (p * s + 0x1.f68676c3d0611p-1);
}

static double lgamma_6_to_12_d(double x)
{
    double s = x - 9.0, p = 0x1.351b9fe9d52dbp-65;
    p = p * s - 0x1.516fe38680238p-62;
    p = p * s + 0x1.73cdcb2476983p-60;
    p = p * s - 0x1.e8ddc6b00b96bp-57;
    p = p * s + 0x1.68c97fc51eb44p-53;
    p = p * s - 0x1.b08a42a5257eap-50;
    p = p * s + 0x1.0329f787f53c1p-46;
    p = p * s - 0x1.400984d379513p-43;
    p = p * s + 0x1.8ed14e668dca2p-40;
    p = p * s - 0x1.f5b544168f2f6p-37;
    p = p * s + 0x1.3fc660efa65c2p-33;
    p = p * s - 0x1.9e5628d40c01dp-30;
    p = p * s + 0x1.11fc80485b7ccp-26;
    p = p * s - 0x1.741dff933ffcp-23;
    p = p * s + 0x1.05ed0c0e1ef59p-19;
    p = p * s - 0x1.840fccce437a4p-16;
    p = p * s + 0x1.37170518b1a19p-12;
    p = p * s - 0x1.1ec2fcb45cab1p-8;
    p = p * s + 0x1.6e1f722ee441dp-4;
    return (x - 2.0) * (p * s + 0x1.83d3527fc3eeap+0);
}

// Stirling's formula for x >= 12: (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + 1/(12 x) - 1/(360 x^3) + ...
static double lgamma_from_12_d(double x)
{
    double u = 1.0 / x, z = u * u, p = 0x1.a6e2878fa7feap-11;
    p = p * z - 0x1.37f3305dfb74ap-11;
    p = p * z + 0x1.a019e8adc12b1p-11;
    p = p * z - 0x1.6c16c16a1e791p-9;
    return (x - 0.5) * (__pumice_log_f64(x) - 1.0) + (u * (p * z + 0x1.555555555553fp-4) + 0x1.acfe390c97d68p-2);
}

// lgamma(-a) = log(pi) - log(a |sin(pi a)|) - lgamma(a); infinite at whole numbers, where the sign is 0 (OpenCL C 3.0, 7.5.1)
double __pumice_lgamma_r_f64(double x, int *sign)
{
    double a = fabs(x), y;
    if (a < 1.75) {
        y = lgamma_below_175_d(a < 0.75 ? a : a - 1.0);
        if (a < 0.75)
            y -= __pumice_log_f64(a);
    } else if (a < 3.0) {
        y = lgamma_below_3_d(a - 1.0);
    } else if (a < 6.0) {
        y = lgamma_3_to_6_d(a);
    } else {
        y = a < 12.0 ? lgamma_6_to_12_d(a) : lgamma_from_12_d(a);
    }
    *sign = (as_ulong(x) & 0x7ffffffffffffffful) == 0 ? 0 : 1;
    if (x < 0.0) {
        double s = a < 0x1p52 ? __pumice_sinpi_f64(a) : 0.0;
        *sign = s > 0.0 ? -1 : s < 0.0 ? 1 : 0;
        if (a >= 0x1p-54)
            y = s == 0.0 ? (double)INFINITY : 0x1.250d048e7a1bdp+0 - __pumice_log_f64(a * fabs(s)) - y;
    }
    return y;
}

double __pumice_lgamma_f64(double x)
{
    int sign;
    return __pumice_lgamma_r_f64(x, &sign);
}
