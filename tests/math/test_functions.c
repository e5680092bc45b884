/* Errors of the math bodies in units in the last place, against the C library's doubles (for half and float) and MPFR
 * (for double).
 *
 * usage: test_functions [-n SAMPLES] [-a] [NAME...]       -a: every float there is (hours); without names: all
 * functions
 *
 * Bodies run twice: with subnormals kept, and flushed as some hardware does (OpenCL C 3.0, 7.5.3 says what may then
 * come out). */
#include "samples.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define WRONG         1e30 /* the error of what is no number near the right one */

enum shape { SHAPE_UNARY, SHAPE_BINARY, SHAPE_POWER };

struct function {
    const char *name;
    enum shape shape;
    void (*run_f32)(const union value *args, union value *result);
    void (*run_f64)(const union value *args, union value *result);
    double (*reference)(double x, double y, int n);
    int (*exact)(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, int n);
    double bounds[3]; /* half, float, double */
    double limits[2]; /* float, double */
};

static double sinpi_of(double x)
{
    double r = remainder(x, 2.0); /* exact; [-1, 1] */
    if (fabs(r) > 0.5)
        r = copysign(1.0, r) - r;
    return r == 0.0 ? copysign(0.0, x) : sin(M_PI * r);
}

static double cospi_of(double x)
{
    double r = fabs(remainder(x, 2.0));
    return r == 0.5               ? 0.0
           : r > 0.25 && r < 0.75 ? sin(M_PI * (0.5 - r))
           : r > 0.5              ? -cos(M_PI * (1.0 - r))
                                  : cos(M_PI * r);
}

/* 7.5.1: the zeros of odd integers have the other sign, and the poles' signs alternate */
static double tanpi_of(double x)
{
    if (!isfinite(x))
        return NAN;
    double r = remainder(x, 2.0), whole = floor(x);
    if (r == 0.0 || fabs(r) == 1.0)
        return copysign(0.0, r == 0.0 ? x : -x);
    if (fabs(r) == 0.5)
        return remainder(whole, 2.0) == 0.0 ? INFINITY : -INFINITY;
    return sinpi_of(x) / cospi_of(x);
}

static double powr_of(double x, double y)
{
    if (isnan(x) || isnan(y) || x < 0.0 || (y == 0.0 && (x == 0.0 || isinf(x))) || (x == 1.0 && isinf(y)))
        return NAN;
    return pow(fabs(x), y);
}

static double rootn_of(double x, int n)
{
    if (n == 0 || (x < 0.0 && !(n & 1)))
        return NAN;
    double r = pow(fabs(x), 1.0 / n);
    return n & 1 ? copysign(r, x) : r;
}

static int rsqrt_mpfr(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int inexact = mpfr_rec_sqrt(result, x, rounding);
    if (mpfr_zero_p(x)) /* C23 and we: -inf at -0 */
        mpfr_setsign(result, result, mpfr_signbit(x), rounding);
    return inexact;
}

static int powr_mpfr(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y) || mpfr_cmp_ui(x, 0) < 0 ||
        (mpfr_zero_p(y) && (mpfr_zero_p(x) || mpfr_inf_p(x))) || (mpfr_cmp_ui(x, 1) == 0 && mpfr_inf_p(y))) {
        mpfr_set_nan(result);
        return 0;
    }
    mpfr_t magnitude;
    mpfr_init2(magnitude, 53);
    mpfr_abs(magnitude, x, rounding);
    int inexact = mpfr_pow(result, magnitude, y, rounding);
    mpfr_clear(magnitude);
    return inexact;
}

static int pown_mpfr(mpfr_ptr result, mpfr_srcptr x, int n, mpfr_rnd_t rounding)
{
    return mpfr_pow_si(result, x, n, rounding);
}

static int rootn_mpfr(mpfr_ptr result, mpfr_srcptr x, int n, mpfr_rnd_t rounding)
{
    return mpfr_rootn_si(result, x, n, rounding);
}

/* The bodies, and for each function wrappers that only move bits: no conversion may flush an argument. */
#define UNARY(name, ref, exact, ...)                                                                                   \
    float __pumice_##name##_f32(float);                                                                                \
    double __pumice_##name##_f64(double);                                                                              \
    static void name##_32(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->f = __pumice_##name##_f32(a[0].f);                                                                          \
    }                                                                                                                  \
    static void name##_64(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->d = __pumice_##name##_f64(a[0].d);                                                                          \
    }                                                                                                                  \
    static double name##_reference(double x, double y, int n)                                                          \
    {                                                                                                                  \
        return (void)y, (void)n, ref;                                                                                  \
    }                                                                                                                  \
    static int name##_exact(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, int n)                                           \
    {                                                                                                                  \
        return (void)y, (void)n, exact(r, x, MPFR_RNDN);                                                               \
    }
#define BINARY(name, ref, exact, ...)                                                                                  \
    float __pumice_##name##_f32(float, float);                                                                         \
    double __pumice_##name##_f64(double, double);                                                                      \
    static void name##_32(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->f = __pumice_##name##_f32(a[0].f, a[1].f);                                                                  \
    }                                                                                                                  \
    static void name##_64(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->d = __pumice_##name##_f64(a[0].d, a[1].d);                                                                  \
    }                                                                                                                  \
    static double name##_reference(double x, double y, int n)                                                          \
    {                                                                                                                  \
        return (void)n, ref;                                                                                           \
    }                                                                                                                  \
    static int name##_exact(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, int n)                                           \
    {                                                                                                                  \
        return (void)n, exact(r, x, y, MPFR_RNDN);                                                                     \
    }
#define POWER(name, ref, exact, ...)                                                                                   \
    float __pumice_##name##_f32(float, int);                                                                           \
    double __pumice_##name##_f64(double, int);                                                                         \
    static void name##_32(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->f = __pumice_##name##_f32(a[0].f, a[1].i);                                                                  \
    }                                                                                                                  \
    static void name##_64(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->d = __pumice_##name##_f64(a[0].d, a[1].i);                                                                  \
    }                                                                                                                  \
    static double name##_reference(double x, double y, int n)                                                          \
    {                                                                                                                  \
        return (void)y, ref;                                                                                           \
    }                                                                                                                  \
    static int name##_exact(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, int n)                                           \
    {                                                                                                                  \
        return (void)y, exact(r, x, n, MPFR_RNDN);                                                                     \
    }
#include "functions.h"
#undef UNARY
#undef BINARY
#undef POWER

#define ROW(shape, name, h, s, d, range_s, range_d)                                                                    \
    {#name, shape, name##_32, name##_64, name##_reference, name##_exact, {h, s, d}, {range_s, range_d}},
#define UNARY(name, ref, exact, ...)  ROW(SHAPE_UNARY, name, __VA_ARGS__)
#define BINARY(name, ref, exact, ...) ROW(SHAPE_BINARY, name, __VA_ARGS__)
#define POWER(name, ref, exact, ...)  ROW(SHAPE_POWER, name, __VA_ARGS__)
static const struct function functions[] = {
#include "functions.h"
};

static void set_flushing(bool flush)
{
#if defined(__x86_64__)
    _mm_setcsr(flush ? 0x9fc0 : 0x1f80); /* flush to zero, denormals are zero */
#else
    (void)flush;
#endif
}

struct format {
    int digits, least, greatest; /* exponents of the least and the greatest normal number */
};
static const struct format formats[3] = {{11, -14, 15}, {24, -126, 127}, {53, -1022, 1023}};

/* |got - right| in units of the format's last place at right; an overflow counts as the power of two that comes next */
static double error_of(const struct format *format, double got, mpfr_t right)
{
    if (mpfr_nan_p(right) || isnan(got))
        return mpfr_nan_p(right) && isnan(got) ? 0.0 : WRONG;
    if (mpfr_inf_p(right))
        return isinf(got) && (got < 0) == (mpfr_sgn(right) < 0) ? 0.0 : WRONG;
    int exponent = mpfr_zero_p(right) ? format->least : (int)(mpfr_get_exp(right) - 1);
    if (mpfr_zero_p(right) && got == 0.0)
        return !signbit(got) == !mpfr_signbit(right) ? 0.0 : WRONG;
    if (!mpfr_zero_p(right) && mpfr_min_prec(right) == 1)
        exponent--;
    bool beyond = exponent > format->greatest;
    if (beyond && isinf(got))
        return (got < 0) == (mpfr_sgn(right) < 0) ? 0.0 : WRONG;
    exponent = exponent < format->least ? format->least : beyond ? format->greatest : exponent;
    mpfr_t difference;
    mpfr_init2(difference, 128);
    if (beyond)
        mpfr_set_si_2exp(difference, mpfr_sgn(right), format->greatest + 1, MPFR_RNDN);
    else
        mpfr_set(difference, right, MPFR_RNDN);
    if (isinf(got)) {
        mpfr_t next;
        mpfr_init2(next, 2);
        mpfr_set_si_2exp(next, got < 0 ? -1 : 1, format->greatest + 1, MPFR_RNDN);
        mpfr_sub(difference, difference, next, MPFR_RNDN);
        mpfr_clear(next);
    } else {
        mpfr_sub_d(difference, difference, got, MPFR_RNDN);
    }
    mpfr_mul_2si(difference, difference, format->digits - 1 - exponent, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

/* The same, quickly, for numbers that doubles hold with room to spare. */
static double error_of_small(const struct format *format, double got, double right)
{
    if (isnan(right) || isnan(got))
        return isnan(right) && isnan(got) ? 0.0 : WRONG;
    if (isinf(right))
        return got == right ? 0.0 : WRONG;
    if (right == 0.0 && got == 0.0)
        return !signbit(got) == !signbit(right) ? 0.0 : WRONG;
    double next = ldexp(1.0, format->greatest + 1);
    if (fabs(right) > next)
        right = copysign(next, right);
    if (isinf(got))
        got = copysign(next, got);
    int exponent = format->least;
    if (right != 0.0) {
        double mantissa = frexp(right, &exponent);
        exponent -= fabs(mantissa) == 0.5 ? 2 : 1;
    }
    exponent = exponent < format->least ? format->least : exponent;
    return ldexp(fabs(got - right), format->digits - 1 - exponent);
}

struct run {
    const struct function *function;
    const struct format *format;
    mpfr_t x, y, right;
    double worst;
    union value at[2];
    double result;
};

static double to_double(const struct run *run, union value v)
{
    return run->format->digits == 53 ? v.d : v.f;
}

/* *tiny: the right result is subnormal before rounding */
static double judge_once(struct run *run, double x, double y, int n, double got, bool *tiny)
{
    if (run->format->digits < 53) {
        double right = run->function->reference(x, y, n);
        *tiny = fabs(right) < ldexp(1.0, run->format->least);
        return error_of_small(run->format, got, right);
    }
    mpfr_set_d(run->x, x, MPFR_RNDN);
    mpfr_set_d(run->y, y, MPFR_RNDN);
    run->function->exact(run->right, run->x, run->y, n);
    *tiny =
        mpfr_zero_p(run->right) || (mpfr_regular_p(run->right) && mpfr_get_exp(run->right) - 1 < run->format->least);
    return error_of(run->format, got, run->right);
}

static bool is_subnormal(const struct run *run, double x)
{
    return x != 0.0 && fabs(x) < ldexp(1.0, run->format->least);
}

/* 7.5.3: operands and results may be flushed, with any sign */
static double judge_flushed(struct run *run, double x, double y, int n, double got, double error)
{
    bool sub_x = is_subnormal(run, x), sub_y = run->function->shape == SHAPE_BINARY && is_subnormal(run, y);
    for (int i = 0; i < 9; i++) {
        int cx = i % 3, cy = i / 3;
        if ((cx && !sub_x) || (cy && !sub_y))
            continue;
        bool tiny;
        double e = judge_once(run, cx ? (cx == 1 ? 0.0 : -0.0) : x, cy ? (cy == 1 ? 0.0 : -0.0) : y, n, got, &tiny);
        if (tiny && got == 0.0)
            e = 0.0;
        error = e < error ? e : error;
    }
    return error;
}

static void try_arguments(struct run *run, const union value *args, bool flush)
{
    union value result = {0};
    set_flushing(flush);
    (run->format->digits == 53 ? run->function->run_f64 : run->function->run_f32)(args, &result);
    set_flushing(false);
    double x = to_double(run, args[0]), y = run->function->shape == SHAPE_BINARY ? to_double(run, args[1]) : 0.0;
    double got = to_double(run, result);
    bool tiny;
    double error = judge_once(run, x, y, args[1].i, got, &tiny);
    if (flush && error > 0.5 && (tiny || is_subnormal(run, x) || is_subnormal(run, y)))
        error = judge_flushed(run, x, y, args[1].i, got, error);
    if (error > run->worst) {
        run->worst = error;
        run->at[0] = args[0];
        run->at[1] = args[1];
        run->result = got;
    }
}

static void run_samples(struct run *run, uint32_t count, bool flush)
{
    int wide = run->format->digits == 53;
    struct samples s = {1, run->format->digits, run->function->limits[wide]};
    for (uint32_t i = 0; i < count; i++) {
        union value args[2] = {samples_argument(&s, i), {0}};
        if (run->function->shape == SHAPE_BINARY)
            args[1] = samples_argument(&s, count / 2 + i * 5);
        else if (run->function->shape == SHAPE_POWER)
            args[1].i = samples_integer(&s, samples_special_count() + i);
        try_arguments(run, args, flush);
    }
    uint32_t special = samples_special_count();
    for (uint32_t i = 0; run->function->shape != SHAPE_UNARY && i < special * special; i++) {
        union value args[2] = {samples_special(&s, i % special), {0}};
        if (run->function->shape == SHAPE_BINARY)
            args[1] = samples_special(&s, i / special);
        else
            args[1].i = samples_integer(&s, i / special);
        try_arguments(run, args, flush);
    }
}

#ifdef __FLT16_MAX__
/* A half function is the float function, rounded once more, but for those with bodies of their own (test_exact.c). */
static void run_halfs(struct run *run, uint32_t step)
{
    struct samples s = {1, 24, run->function->limits[0]};
    for (uint32_t i = 0; i < 0x10000 * (run->function->shape == SHAPE_UNARY ? 1 : 3); i += step) {
        uint16_t bits[2] = {(uint16_t)i, (uint16_t)samples_random(&s)};
        _Float16 h[2];
        memcpy(h, bits, sizeof(h));
        union value args[2] = {{.f = (float)h[0]}, {.f = (float)h[1]}}, result;
        if (run->function->shape == SHAPE_POWER)
            args[1].i = samples_integer(&s, i);
        run->function->run_f32(args, &result);
        bool tiny;
        double error = judge_once(run, args[0].f, run->function->shape == SHAPE_BINARY ? args[1].f : 0.0, args[1].i,
                                  (float)(_Float16)result.f, &tiny);
        if (error > run->worst) {
            run->worst = error;
            run->at[0] = args[0];
            run->at[1] = args[1];
            run->result = result.f;
        }
    }
}
#endif

static void run_all_floats(struct run *run)
{
    for (uint64_t i = 0; i < 0x100000000ull; i++) {
        union value args[2] = {{.bits = i}, {0}};
        try_arguments(run, args, false);
    }
}

enum way { WAY_HALF, WAY_FLOAT, WAY_FLOAT_FLUSHED, WAY_DOUBLE, WAY_DOUBLE_FLUSHED, NUM_WAYS };

static bool test_function(const struct function *function, uint32_t count, bool all)
{
    static const char *const way_names[] = {"half", "float", "float, flushed", "double", "double, flushed"};
    static const int way_formats[] = {0, 1, 1, 2, 2};
    bool good = true;
    char details[2048] = "";
    printf("%-8s", function->name);
    for (int way = 0; way < NUM_WAYS; way++) {
        struct run run = {.function = function, .format = &formats[way_formats[way]]};
        mpfr_inits2(53, run.x, run.y, (mpfr_ptr)0);
        mpfr_init2(run.right, 96);
        if (way == WAY_HALF) {
#ifdef __FLT16_MAX__
            run_halfs(&run, all ? 1 : 3);
#endif
        } else if (way == WAY_FLOAT && all && function->shape == SHAPE_UNARY) {
            run_all_floats(&run);
        } else {
            run_samples(&run,
                        way == WAY_DOUBLE           ? count
                        : way == WAY_DOUBLE_FLUSHED ? count / 8
                                                    : 10 * count,
                        way == WAY_FLOAT_FLUSHED || way == WAY_DOUBLE_FLUSHED);
        }
        mpfr_clears(run.x, run.y, run.right, (mpfr_ptr)0);
        bool over = run.worst > function->bounds[way_formats[way]];
        printf(" %10.4g%s", run.worst, over ? "!" : " ");
        if (over) {
            size_t used = strlen(details);
            double x = to_double(&run, run.at[0]), y = to_double(&run, run.at[1]);
            snprintf(details + used, sizeof(details) - used, "    %s: (%a, %a or %d) gives %a, not %a\n",
                     way_names[way], x, y, run.at[1].i, run.result, function->reference(x, y, run.at[1].i));
            good = false;
        }
    }
    printf("\n%s", details);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    uint32_t count = 30000;
    bool all = false, good = true;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strcmp(argv[first], "-a"))
            all = true;
        else if (!strcmp(argv[first], "-n") && first + 1 < argc)
            count = (uint32_t)strtoul(argv[++first], NULL, 10);
    }
    printf("worst errors in ulp\n         half       float       flushed     double      flushed\n");
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
        bool wanted = first == argc;
        for (int k = first; k < argc; k++)
            wanted |= !strcmp(argv[k], functions[i].name);
        if (wanted)
            good &= test_function(&functions[i], count, all);
    }
    mpfr_free_cache();
    return good ? 0 : 1;
}
