/* The math bodies whose results OpenCL C 3.0, 7.4 wants exact or rounded once, bit by bit against the C library; and
 * the second results: quotients, exponents, signs, cosines. Where the hardware flushes subnormals these are still to be
 * the same bits, since they compute with integers.
 *
 * usage: test_exact [SAMPLES] */
#include "samples.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

float __pumice_product_rest_f32(float, float, float);
double __pumice_product_rest_f64(double, double, double);
float __pumice_fma_wide_f32(float, float, float), __pumice_div_correct_f32(float, float);
double __pumice_div_f64(double, double);
float __pumice_div_correct_fast_f32(float, float), __pumice_sqrt_fast_f32(float), __pumice_fmod_fast_f32(float, float);
float __pumice_remainder_fast_f32(float, float), __pumice_remquo_fast_f32(float, float, int *);
float __pumice_ldexp_fast_f32(float, int), __pumice_sincos_fast_f32(float, float *), __pumice_sin_fast_f32(float),
    __pumice_cos_fast_f32(float);
double __pumice_sqrt_fast_f64(double), __pumice_recip_fast_f64(double), __pumice_fmod_fast_f64(double, double),
    __pumice_remainder_fast_f64(double, double);
double __pumice_remquo_fast_f64(double, double, int *), __pumice_ldexp_fast_f64(double, int);
double __pumice_sincos_fast_f64(double, double *), __pumice_sin_fast_f64(double), __pumice_cos_fast_f64(double);
float __pumice_lgamma_fast_f32(float), __pumice_lgamma_r_fast_f32(float, int *);
float __pumice_fma_f32(float, float, float), __pumice_fmod_f32(float, float), __pumice_remainder_f32(float, float);
float __pumice_remquo_f32(float, float, int *), __pumice_frexp_f32(float, int *), __pumice_ldexp_f32(float, int);
float __pumice_sqrt_f32(float), __pumice_logb_f32(float), __pumice_nextafter_f32(float, float),
    __pumice_modf_f32(float, float *);
float __pumice_sincos_f32(float, float *), __pumice_sin_f32(float), __pumice_cos_f32(float);
float __pumice_lgamma_f32(float), __pumice_lgamma_r_f32(float, int *);
int __pumice_ilogb_f32(float);
double __pumice_fma_f64(double, double, double), __pumice_fmod_f64(double, double),
    __pumice_remainder_f64(double, double);
double __pumice_remquo_f64(double, double, int *), __pumice_frexp_f64(double, int *), __pumice_ldexp_f64(double, int);
double __pumice_sqrt_f64(double), __pumice_logb_f64(double), __pumice_nextafter_f64(double, double),
    __pumice_modf_f64(double, double *);
double __pumice_sincos_f64(double, double *), __pumice_sin_f64(double), __pumice_cos_f64(double);
double __pumice_lgamma_f64(double), __pumice_lgamma_r_f64(double, int *);
int __pumice_ilogb_f64(double);

/* one call: up to three arguments in; a number and perhaps an integer or a second number out */
struct results {
    union value first, second;
};
typedef void call(const union value *a, struct results *r);

#define BODY(name, member, expression)                                                                                 \
    static void name(const union value *a, struct results *r)                                                          \
    {                                                                                                                  \
        (void)a;                                                                                                       \
        r->first.member = (expression);                                                                                \
    }
#define BOTH(name, single, wide)                                                                                       \
    BODY(name##_32, f, single)                                                                                         \
    BODY(name##_64, d, wide)

BOTH(fma, __pumice_fma_f32(a[0].f, a[1].f, a[2].f), __pumice_fma_f64(a[0].d, a[1].d, a[2].d))
BOTH(fma_wide, __pumice_fma_wide_f32(a[0].f, a[1].f, a[2].f), __pumice_fma_f64(a[0].d, a[1].d, a[2].d))
BOTH(divide, __pumice_div_correct_f32(a[0].f, a[1].f), __pumice_div_f64(a[0].d, a[1].d))
BOTH(fmod, __pumice_fmod_f32(a[0].f, a[1].f), __pumice_fmod_f64(a[0].d, a[1].d))
BOTH(remainder, __pumice_remainder_f32(a[0].f, a[1].f), __pumice_remainder_f64(a[0].d, a[1].d))
BOTH(remquo, __pumice_remquo_f32(a[0].f, a[1].f, &r->second.i), __pumice_remquo_f64(a[0].d, a[1].d, &r->second.i))
BOTH(fast_divide, __pumice_div_correct_fast_f32(a[0].f, a[1].f), __pumice_div_f64(a[0].d, a[1].d))
BOTH(fast_fmod, __pumice_fmod_fast_f32(a[0].f, a[1].f), __pumice_fmod_fast_f64(a[0].d, a[1].d))
BOTH(fast_remainder, __pumice_remainder_fast_f32(a[0].f, a[1].f), __pumice_remainder_fast_f64(a[0].d, a[1].d))
BOTH(fast_remquo, __pumice_remquo_fast_f32(a[0].f, a[1].f, &r->second.i),
     __pumice_remquo_fast_f64(a[0].d, a[1].d, &r->second.i))
BOTH(fast_sqrt, __pumice_sqrt_fast_f32(a[0].f), __pumice_sqrt_fast_f64(a[0].d))
BOTH(fast_recip, 1.0f / a[0].f, __pumice_recip_fast_f64(a[0].d))
BOTH(fast_ldexp, __pumice_ldexp_fast_f32(a[0].f, a[1].i), __pumice_ldexp_fast_f64(a[0].d, a[1].i))
BOTH(fast_sincos, __pumice_sincos_fast_f32(a[0].f, &r->second.f), __pumice_sincos_fast_f64(a[0].d, &r->second.d))
BOTH(frexp, __pumice_frexp_f32(a[0].f, &r->second.i), __pumice_frexp_f64(a[0].d, &r->second.i))
BOTH(ldexp, __pumice_ldexp_f32(a[0].f, a[1].i), __pumice_ldexp_f64(a[0].d, a[1].i))
BOTH(sqrt, __pumice_sqrt_f32(a[0].f), __pumice_sqrt_f64(a[0].d))
BOTH(logb, __pumice_logb_f32(a[0].f), __pumice_logb_f64(a[0].d))
BOTH(nextafter, __pumice_nextafter_f32(a[0].f, a[1].f), __pumice_nextafter_f64(a[0].d, a[1].d))
BOTH(modf, __pumice_modf_f32(a[0].f, &r->second.f), __pumice_modf_f64(a[0].d, &r->second.d))
BOTH(sincos, __pumice_sincos_f32(a[0].f, &r->second.f), __pumice_sincos_f64(a[0].d, &r->second.d))
BODY(ilogb_32, i, __pumice_ilogb_f32(a[0].f))
BODY(ilogb_64, i, __pumice_ilogb_f64(a[0].d))

/* The references. 6.15.2: remquo's quotient has the low seven bits and the sign of x / y. */
static long double remquo_of(long double x, long double y, int *quotient)
{
    *quotient = 0;
    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return NAN;
    if (isinf(y))
        return x;
    long double b = fabsl(y), rest = fmodl(fabsl(x), 128 * b);
    int q = 0;
    for (int bit = 6; bit >= 0; bit--) {
        long double part = ldexpl(b, bit);
        if (rest >= part) {
            rest -= part;
            q |= 1 << bit;
        }
    }
    long double left = b - rest;
    if (rest > left || (rest == left && (q & 1))) {
        q++;
        rest = -left;
    }
    *quotient = (signbit(x) != 0) != (signbit(y) != 0) ? -(q & 127) : q & 127;
    return rest == 0 ? copysignl(0, x) : signbit(x) ? -rest : rest;
}

static int ilogb_of(double x)
{
    return x == 0                 ? INT_MIN
           : isinf(x) || isnan(x) ? INT_MAX
                                  : ilogb(x); /* clang's FP_ILOGB0 and FP_ILOGBNAN, and ours */
}

static int frexp_exponent(double x)
{
    int exponent = 0;
    if (isfinite(x))
        frexp(x, &exponent);
    return exponent;
}

#define REFERENCE(name, member, before, one, second_member, two)                                                       \
    static void name(const union value *a, struct results *r)                                                          \
    {                                                                                                                  \
        int q = 0;                                                                                                     \
        (void)q;                                                                                                       \
        before;                                                                                                        \
        r->first.member = (one);                                                                                       \
        r->second.second_member = (two);                                                                               \
    }
REFERENCE(ref_fma_32, f, , fmaf(a[0].f, a[1].f, a[2].f), i, 0)
REFERENCE(ref_fma_64, d, , fma(a[0].d, a[1].d, a[2].d), i, 0)
REFERENCE(ref_fma_wide_32, f, , fmaf(a[0].f, a[1].f, a[2].f), i, 0)
REFERENCE(ref_fma_wide_64, d, , fma(a[0].d, a[1].d, a[2].d), i, 0)
REFERENCE(ref_divide_32, f, , a[0].f / a[1].f, i, 0)
REFERENCE(ref_divide_64, d, , a[0].d / a[1].d, i, 0)
REFERENCE(ref_fmod_32, f, , fmodf(a[0].f, a[1].f), i, 0)
REFERENCE(ref_fmod_64, d, , fmod(a[0].d, a[1].d), i, 0)
REFERENCE(ref_remainder_32, f, , remainderf(a[0].f, a[1].f), i, 0)
REFERENCE(ref_remainder_64, d, , remainder(a[0].d, a[1].d), i, 0)
REFERENCE(ref_remquo_32, f, long double v = remquo_of(a[0].f, a[1].f, &q), (float)v, i, q)
REFERENCE(ref_remquo_64, d, long double v = remquo_of(a[0].d, a[1].d, &q), (double)v, i, q)
REFERENCE(ref_frexp_32, f, , frexpf(a[0].f, &q), i, frexp_exponent(a[0].f))
REFERENCE(ref_frexp_64, d, , frexp(a[0].d, &q), i, frexp_exponent(a[0].d))
REFERENCE(ref_ldexp_32, f, , ldexpf(a[0].f, a[1].i), i, 0)
REFERENCE(ref_ldexp_64, d, , ldexp(a[0].d, a[1].i), i, 0)
REFERENCE(ref_sqrt_32, f, , sqrtf(a[0].f), i, 0)
REFERENCE(ref_sqrt_64, d, , sqrt(a[0].d), i, 0)
REFERENCE(ref_recip_32, f, , 1.0f / a[0].f, i, 0)
REFERENCE(ref_recip_64, d, , 1.0 / a[0].d, i, 0)
REFERENCE(ref_logb_32, f, , logbf(a[0].f), i, 0)
REFERENCE(ref_logb_64, d, , logb(a[0].d), i, 0)
REFERENCE(ref_nextafter_32, f, , nextafterf(a[0].f, a[1].f), i, 0)
REFERENCE(ref_nextafter_64, d, , nextafter(a[0].d, a[1].d), i, 0)
REFERENCE(ref_modf_32, f, float whole = truncf(a[0].f), copysignf(isinf(a[0].f) ? 0.0f : a[0].f - whole, a[0].f), f,
          whole)
REFERENCE(ref_modf_64, d, double whole = trunc(a[0].d), copysign(isinf(a[0].d) ? 0.0 : a[0].d - whole, a[0].d), d,
          whole)
REFERENCE(ref_sincos_32, f, , __pumice_sin_f32(a[0].f), f, __pumice_cos_f32(a[0].f))
REFERENCE(ref_sincos_64, d, , __pumice_sin_f64(a[0].d), d, __pumice_cos_f64(a[0].d))
REFERENCE(ref_fast_sincos_32, f, , __pumice_sin_fast_f32(a[0].f), f, __pumice_cos_fast_f32(a[0].f))
REFERENCE(ref_fast_sincos_64, d, , __pumice_sin_fast_f64(a[0].d), d, __pumice_cos_fast_f64(a[0].d))
#define ref_fast_ldexp_32     ref_ldexp_32
#define ref_fast_ldexp_64     ref_ldexp_64
#define ref_fast_divide_32    ref_divide_32
#define ref_fast_divide_64    ref_divide_64
#define ref_fast_fmod_32      ref_fmod_32
#define ref_fast_fmod_64      ref_fmod_64
#define ref_fast_remainder_32 ref_remainder_32
#define ref_fast_remainder_64 ref_remainder_64
#define ref_fast_remquo_32    ref_remquo_32
#define ref_fast_remquo_64    ref_remquo_64
#define ref_fast_recip_32     ref_recip_32
#define ref_fast_recip_64     ref_recip_64
#define ref_fast_sqrt_32      ref_sqrt_32
#define ref_fast_sqrt_64      ref_sqrt_64
REFERENCE(ref_ilogb_32, i, , ilogb_of(a[0].f), i, 0)
REFERENCE(ref_ilogb_64, i, , ilogb_of(a[0].d), i, 0)

enum kind { KIND_NONE, KIND_INTEGER, KIND_NUMBER };

struct exact {
    const char *name;
    int arguments;
    enum kind last, first_result, second_result; /* of the second argument, of the results */
    bool flushes;                                /* floating-point operations that may flush are allowed */
    call *bodies[2], *references[2];
};

#define REF(name, width) ref_##name##_##width
#define ROW(name, ...)                                                                                                 \
    {                                                                                                                  \
#name, __VA_ARGS__, {name##_32, name##_64 },                                                                   \
        {                                                                                                              \
            REF(name, 32), REF(name, 64)                                                                               \
        }                                                                                                              \
    }
static const struct exact rows[] = {
    ROW(fma, 3, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(fma_wide, 3, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true), /* only where there are doubles */
    ROW(divide, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(fmod, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(remainder, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(remquo, 2, KIND_NUMBER, KIND_NUMBER, KIND_INTEGER, false),
    ROW(frexp, 1, KIND_NUMBER, KIND_NUMBER, KIND_INTEGER, false),
    ROW(ldexp, 2, KIND_INTEGER, KIND_NUMBER, KIND_NONE, false),
    ROW(ilogb, 1, KIND_NUMBER, KIND_INTEGER, KIND_NONE, false),
    ROW(sqrt, 1, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false), /* for programs that ask for correctly rounded roots */
    ROW(logb, 1, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(nextafter, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, false),
    ROW(modf, 1, KIND_NUMBER, KIND_NUMBER, KIND_NUMBER, true),
    ROW(sincos, 1, KIND_NUMBER, KIND_NUMBER, KIND_NUMBER, true),
    ROW(fast_ldexp, 2, KIND_INTEGER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_divide, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_fmod, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_remainder, 2, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_remquo, 2, KIND_NUMBER, KIND_NUMBER, KIND_INTEGER, true),
    ROW(fast_sqrt, 1, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_recip, 1, KIND_NUMBER, KIND_NUMBER, KIND_NONE, true),
    ROW(fast_sincos, 1, KIND_NUMBER, KIND_NUMBER, KIND_NUMBER, true),
};

static bool same(enum kind kind, int digits, union value a, union value b)
{
    if (kind == KIND_NONE)
        return true;
    if (kind == KIND_INTEGER)
        return a.i == b.i;
    if (digits == 24)
        return (uint32_t)a.bits == (uint32_t)b.bits || (isnan(a.f) && isnan(b.f));
    return a.bits == b.bits || (isnan(a.d) && isnan(b.d));
}

static void set_flushing(bool flush)
{
#if defined(__x86_64__)
    _mm_setcsr(flush ? 0x9fc0 : 0x1f80);
#else
    (void)flush;
#endif
}

static double shown(int digits, union value v)
{
    return digits == 24 ? v.f : v.d;
}

/* Arguments that make fma cancel: c near -a b. */
static void make_cancel(struct samples *s, union value *a)
{
    uint32_t bits = samples_random(s);
    if (s->digits == 24)
        a[2].f = -a[0].f * a[1].f;
    else
        a[2].d = -a[0].d * a[1].d;
    a[2].bits += bits % 5;
    a[2].bits -= 2;
    if (s->digits == 24)
        a[2].bits &= 0xffffffffu;
}

static bool test_row(const struct exact *row, uint32_t count)
{
    int reported = 0;
    for (int format = 0; format < 2; format++) {
        struct samples s = {7, format ? 53 : 24, 100.0};
        uint32_t special = samples_special_count();
        for (uint32_t i = 0; i < count + special * special; i++) {
            union value a[3] = {{0}};
            a[0] = i < special * special ? samples_special(&s, i % special) : samples_argument(&s, i);
            a[1] = i < special * special ? samples_special(&s, i / special) : samples_argument(&s, special + 7 * i);
            a[2] = samples_argument(&s, i < special * special ? i % (special + 1000) : special + 5 * i);
            if (row->last == KIND_INTEGER)
                a[1].i = i < special * special ? samples_integer(&s, i / special) : (int)samples_random(&s) % 2400;
            if (row->arguments == 3 && i % 4 == 3)
                make_cancel(&s, a);
            struct results got = {{0}, {0}}, right = {{0}, {0}};
            bool flush = !row->flushes && i % 3 == 0;
            set_flushing(flush);
            row->bodies[format](a, &got);
            set_flushing(false);
            row->references[format](a, &right);
            if (flush && row->arguments == 3 &&
                isnan(shown(s.digits, got.first))) /* infinity times a flushed subnormal */
                continue;
            if (same(row->first_result, s.digits, got.first, right.first) &&
                same(row->second_result, s.digits, got.second, right.second))
                continue;
            if (reported++ < 3)
                printf("%s of %s: (%a, %a or %d, %a) gives %a, %a or %d, not %a, %a or %d\n", row->name,
                       format ? "doubles" : "floats", shown(s.digits, a[0]), shown(s.digits, a[1]), a[1].i,
                       shown(s.digits, a[2]), shown(s.digits, got.first), shown(s.digits, got.second), got.second.i,
                       shown(s.digits, right.first), shown(s.digits, right.second), right.second.i);
        }
    }
    printf("%-10s %d wrong\n", row->name, reported);
    return reported == 0;
}

/* lgamma has no bound in 7.4; this is what its bodies promise. The sign is 0 at zeros and negative integers (7.5.1). */
static bool test_lgamma(uint32_t count, bool fast)
{
    double worst[2] = {0}, worst_positive[2] = {0}; /* relative or absolute; relative for positive arguments */
    int wrong_signs = 0;
    for (int format = 0; format < 2; format++) {
        struct samples s = {11, format ? 53 : 24, 40.0};
        for (uint32_t i = 0; i < count; i++) {
            union value a = samples_argument(&s, i);
            double x = shown(s.digits, a);
            int sign = 7, right_sign = 1;
            double right = lgamma_r(x, &right_sign), got, alone;
            if (format) {
                got = __pumice_lgamma_r_f64(x, &sign);
                alone = __pumice_lgamma_f64(x);
            } else {
                got = (fast ? __pumice_lgamma_r_fast_f32 : __pumice_lgamma_r_f32)((float)x, &sign);
                alone = (fast ? __pumice_lgamma_fast_f32 : __pumice_lgamma_f32)((float)x);
            }
            if (x == 0 || (x < 0 && x == floor(x) && isfinite(x)))
                right_sign = 0;
            if (sign != right_sign && !isnan(x) && !isinf(x) && wrong_signs++ < 3)
                printf("lgamma_r(%a): sign %d, not %d\n", x, sign, right_sign);
            double error = fabs(got - right) / fmax(1.0, fabs(right));
            if (isnan(right) || isinf(right))
                error = isnan(right) ? !isnan(got) : got != right;
            if (!format && !isinf(right) && fabs(right) > 0x1.fffffep127)
                error = !isinf(got);
            error += !(alone == got || isnan(got));
            error += got == 0.0 && right == 0.0 && (signbit(got) || signbit(alone));
            if (x > 0x1p-126 && isfinite(got) && right != 0.0)
                worst_positive[format] = fmax(worst_positive[format], fabs(got - right) / fabs(right));
            worst[format] = fmax(worst[format], error);
        }
    }
    printf("lgamma     %g and %g off, for positive arguments %g and %g; %d signs wrong\n", worst[0], worst[1],
           worst_positive[0], worst_positive[1], wrong_signs);
    return worst[0] < 2e-6 && worst[1] < 4e-14 && worst_positive[0] < 1e-6 && worst_positive[1] < 4e-14 && !wrong_signs;
}

#ifdef __FLT16_MAX__
_Float16 __pumice_fma_f16(_Float16, _Float16, _Float16), __pumice_nextafter_f16(_Float16, _Float16);
_Float16 __pumice_div_f16(_Float16, _Float16);

static uint16_t bits_of(_Float16 h)
{
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

static _Float16 half_of(uint16_t bits)
{
    _Float16 h;
    memcpy(&h, &bits, 2);
    return h;
}

static uint16_t next_half(uint16_t a, uint16_t b)
{
    float x = (float)half_of(a), y = (float)half_of(b);
    if (x == y)
        return b;
    if (x == 0)
        return y < 0 ? 0x8001 : 1;
    return (uint16_t)((x < y) == (x > 0) ? a + 1 : a - 1);
}

static bool same_half(_Float16 got, double right, const char *name, uint16_t a, uint16_t b, uint16_t c)
{
    uint16_t wanted = bits_of((_Float16)right);
    if (bits_of(got) == wanted || (isnan((float)got) && isnan(right)))
        return true;
    printf("%s of halfs: %04x %04x %04x gives %04x, not %04x\n", name, a, b, c, bits_of(got), wanted);
    return false;
}

static bool test_halfs(uint32_t count)
{
    static const uint16_t special[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                       1, 0x8001, 0x3ff,  0x400,  0x7bff, 0xfbff};
    enum { NUM = sizeof(special) / sizeof(special[0]) };
    struct samples s = {3, 24, 1.0};
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        uint16_t h[3];
        for (int k = 0; k < 3; k++) {
            uint32_t bits = samples_random(&s);
            h[k] = i < NUM * NUM * NUM ? special[i /
                                                 (k == 0   ? 1
                                                  : k == 1 ? NUM
                                                           : NUM * NUM) %
                                                 NUM]
                                       : (uint16_t)(bits >> 8);
        }
        if (i % 3 == 0 && i >= NUM * NUM * NUM) /* near cancellation, and exponents that meet */
            h[2] = (uint16_t)(bits_of((_Float16)(-(float)half_of(h[0]) * (float)half_of(h[1]))) +
                              (samples_random(&s) & 3) - 1);
        double x = (double)half_of(h[0]), y = (double)half_of(h[1]), z = (double)half_of(h[2]);
        set_flushing(i & 1);
        _Float16 quotient = __pumice_div_f16(half_of(h[0]), half_of(h[1]));
        _Float16 next = __pumice_nextafter_f16(half_of(h[0]), half_of(h[1]));
        _Float16 sum = __pumice_fma_f16(half_of(h[0]), half_of(h[1]), half_of(h[2]));
        set_flushing(false);
        good &= same_half(quotient, x / y, "div", h[0], h[1],
                          0); /* doubles hold halfs' quotients and fma with room to spare */
        good &= same_half(sum, x * y + z, "fma", h[0], h[1], h[2]);
        good &= isnan(x) || isnan(y) ? isnan((float)next) : bits_of(next) == next_half(h[0], h[1]);
    }
    printf("halfs      %s\n", good ? "right" : "wrong");
    return good;
}
#endif

/* ---- roots near the middle of two doubles ---- */

/* The number below 2^bits whose square is c modulo 2^bits, up to its sign and 2^(bits - 1): c is 1 modulo 8. */
static uint64_t root_modulo(uint64_t c, int bits)
{
    uint64_t root = 1;
    for (int b = 3; b < bits; b++) {
        uint64_t mask = ((uint64_t)2 << b) - 1;
        if ((root * root - c) & mask)
            root += (uint64_t)1 << (b - 1);
    }
    return root;
}

/* What the fast body does last, from each reciprocal root within 3/4 of a unit. */
static int wrong_steps(double y, int *tried)
{
    long double reciprocal = 1.0L / sqrtl((long double)y);
    double nearest = (double)reciprocal, unit = nextafter(nearest, 2.0) - nearest;
    const double roots[] = {nextafter(nearest, 0.0), nearest, nextafter(nearest, 2.0)};
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        if (fabsl((long double)roots[i] - reciprocal) > 0.75L * (long double)unit)
            continue;
        double r = roots[i], g = y * r;
        wrong += fma(fma(-g, g, y), 0.5 * r, g) != sqrt(y);
        (*tried)++;
    }
    return wrong;
}

/* For a number m in the middle of two doubles, m^2 2^106 is the square of an odd number. This finds all y whose
 * distance to such a square is at most 4096 2^-106, which is when rounding errors near 2^-97 could matter. */
static bool test_hard_roots(void)
{
    int tried = 0, wrong = 0;
    for (int bits = 54; bits <= 55; bits++) { /* y in [1, 2) and in [2, 4) */
        uint64_t modulus = (uint64_t)1 << bits;
        for (int64_t distance = -4095; distance < 4096; distance++) {
            uint64_t c = (uint64_t)-distance & (modulus - 1), root = root_modulo(c, bits);
            for (int i = 0; (c & 7) == 1 && i < 4; i++) {
                uint64_t middle = ((i & 1 ? -root : root) + (i & 2 ? modulus / 2 : 0)) & (modulus - 1);
                uint64_t scaled = (uint64_t)((unsigned __int128)middle * middle >> bits) + (distance > 0);
                if (middle >> 53 != 1 || scaled >> 52 != 1)
                    continue;
                double y = ldexp((double)scaled, bits == 54 ? -52 : -51);
                wrong += wrong_steps(y, &tried) + (__pumice_sqrt_fast_f64(y) != sqrt(y));
            }
        }
    }
    printf("hard roots %d of %d wrong\n", wrong, tried);
    return tried > 1000 && !wrong;
}

/* Mantissas at random, with ones or zeros at the end and around the middle, where a number is split. */
static uint64_t mantissa(uint64_t *seed, uint32_t bits)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t low = *seed >> 60 & 3, random = *seed >> (64 - bits + 1) << 1 | low % 2;
    uint64_t ends = ((uint64_t)1 << (bits / 2 + low)) - 1;
    return (low == 0 ? random | ends : low == 1 ? random & ~ends : random) & (((uint64_t)1 << bits) - 1);
}

static union value near_one(uint64_t *seed, bool wide)
{
    int64_t shift = (int64_t)(*seed >> 40 & 63) - 32, sign = (int64_t)(*seed >> 50 & 1);
    union value value = {.bits = 0};
    if (wide)
        value.bits = (uint64_t)sign << 63 | (uint64_t)(1023 + shift) << 52 | mantissa(seed, 52);
    else
        value.bits = (uint64_t)sign << 31 | (uint64_t)(127 + shift) << 23 | mantissa(seed, 23);
    return value;
}

/* What a product loses when it is rounded: exact, also where there is no fma. */
static bool test_product_rests(uint32_t count)
{
    uint64_t seed = 1;
    int wrong[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        float a = near_one(&seed, false).f, b = near_one(&seed, false).f, p = a * b;
        double c = near_one(&seed, true).d, d = near_one(&seed, true).d, q = c * d;
        wrong[0] += __pumice_product_rest_f32(a, b, p) != fmaf(a, b, -p);
        wrong[1] += __pumice_product_rest_f64(c, d, q) != fma(c, d, -q);
    }
    printf("rests of products: %d of floats, %d of doubles wrong in %u\n", wrong[0], wrong[1], count);
    return !wrong[0] && !wrong[1];
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 400000;
    bool good = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        good &= test_row(&rows[i], count);
    good &= test_hard_roots();
    good &= test_product_rests(count * 4);
    good &= test_lgamma(count, false);
    good &= test_lgamma(count, true);
#ifdef __FLT16_MAX__
    good &= test_halfs(count * 4);
#endif
    return good ? 0 : 1;
}
