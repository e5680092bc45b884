#include "reference.h"

#include <math.h>
#include <stdio.h>

#define WRONG 1e30 /* the error of what is no number near the right one */

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

#define FUNCTION(name, ref, right)                                                                                     \
    static double name##_reference(double x, double y, int n)                                                          \
    {                                                                                                                  \
        return (void)x, (void)y, (void)n, ref;                                                                         \
    }                                                                                                                  \
    static int name##_exact(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, int n)                                           \
    {                                                                                                                  \
        return (void)x, (void)y, (void)n, right;                                                                       \
    }
#define UNARY(name, ref, exact, ...)  FUNCTION(name, ref, exact(r, x, MPFR_RNDN))
#define BINARY(name, ref, exact, ...) FUNCTION(name, ref, exact(r, x, y, MPFR_RNDN))
#define POWER(name, ref, exact, ...)  FUNCTION(name, ref, exact(r, x, n, MPFR_RNDN))
#include "functions.h"
#undef UNARY
#undef BINARY
#undef POWER

#define ROW(shape, name, h, s, d, range_s, range_d)                                                                    \
    {#name, shape, name##_reference, name##_exact, {h, s, d}, {range_s, range_d}},
#define UNARY(name, ref, exact, ...)  ROW(SHAPE_UNARY, name, __VA_ARGS__)
#define BINARY(name, ref, exact, ...) ROW(SHAPE_BINARY, name, __VA_ARGS__)
#define POWER(name, ref, exact, ...)  ROW(SHAPE_POWER, name, __VA_ARGS__)
const struct function functions[] = {
#include "functions.h"
};
const size_t num_functions = ARRAY_SIZE(functions);

const struct format formats[3] = {{"half", 11, -14, 15}, {"float", 24, -126, 127}, {"double", 53, -1022, 1023}};

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

void judge_init(struct judge *judge, const struct function *function, const struct format *format, bool flush)
{
    *judge = (struct judge){.function = function, .format = format, .flush = flush};
    mpfr_inits2(53, judge->x, judge->y, (mpfr_ptr)0);
    mpfr_init2(judge->right, 96);
}

void judge_finish(struct judge *judge)
{
    mpfr_clears(judge->x, judge->y, judge->right, (mpfr_ptr)0);
}

/* *tiny: the right result is subnormal before rounding, or within the bound of subnormal numbers (for half and float) */
static double judge_once(struct judge *judge, double x, double y, int n, double got, bool *tiny)
{
    if (judge->format->digits < 53) {
        double right = judge->function->reference(x, y, n);
        double bound = judge->function->bounds[judge->format - formats];
        *tiny = fabs(right) < ldexp(1.0 + ldexp(bound, 1 - judge->format->digits), judge->format->least);
        return error_of_small(judge->format, got, right);
    }
    mpfr_ptr right = judge->right;
    mpfr_set_d(judge->x, x, MPFR_RNDN);
    mpfr_set_d(judge->y, y, MPFR_RNDN);
    judge->function->exact(right, judge->x, judge->y, n);
    *tiny = mpfr_zero_p(right) || (mpfr_regular_p(right) && mpfr_get_exp(right) - 1 < judge->format->least);
    return error_of(judge->format, got, right);
}

static bool is_subnormal(const struct judge *judge, double x)
{
    return x != 0.0 && fabs(x) < ldexp(1.0, judge->format->least);
}

/* 7.5.3: operands and results may be flushed, with any sign */
static double judge_flushed(struct judge *judge, double x, double y, int n, double got, double error)
{
    bool sub_x = is_subnormal(judge, x), sub_y = judge->function->shape == SHAPE_BINARY && is_subnormal(judge, y);
    for (int i = 0; i < 9; i++) {
        int cx = i % 3, cy = i / 3;
        if ((cx && !sub_x) || (cy && !sub_y))
            continue;
        bool tiny;
        double e = judge_once(judge, cx ? (cx == 1 ? 0.0 : -0.0) : x, cy ? (cy == 1 ? 0.0 : -0.0) : y, n, got, &tiny);
        if (tiny && got == 0.0)
            e = 0.0;
        error = e < error ? e : error;
    }
    return error;
}

void judge_result(struct judge *judge, double x, double y, int n, double got)
{
    bool tiny;
    double error = judge_once(judge, x, y, n, got, &tiny);
    if (judge->flush && error > 0.5 && (tiny || is_subnormal(judge, x) || is_subnormal(judge, y)))
        error = judge_flushed(judge, x, y, n, got, error);
    if (error > judge->worst) {
        judge->worst = error;
        judge->at_x = x;
        judge->at_y = y;
        judge->at_n = n;
        judge->result = got;
    }
}

bool judge_is_over(const struct judge *judge)
{
    return judge->worst > judge->function->bounds[judge->format - formats];
}

void judge_explain(const struct judge *judge, const char *way, char *text, size_t size)
{
    double right = judge->function->reference(judge->at_x, judge->at_y, judge->at_n);
    if (judge->function->shape == SHAPE_UNARY)
        snprintf(text, size, "    %s: %s(%a) gives %a, not %a\n", way, judge->function->name, judge->at_x,
                 judge->result, right);
    else if (judge->function->shape == SHAPE_BINARY)
        snprintf(text, size, "    %s: %s(%a, %a) gives %a, not %a\n", way, judge->function->name, judge->at_x,
                 judge->at_y, judge->result, right);
    else
        snprintf(text, size, "    %s: %s(%a, %d) gives %a, not %a\n", way, judge->function->name, judge->at_x,
                 judge->at_n, judge->result, right);
}

void sample_arguments(struct samples *s, const struct function *function, uint32_t i, uint32_t count, union value *args)
{
    uint32_t special = samples_special_count();
    bool pair = function->shape != SHAPE_UNARY && i < special * special;
    args[0] = pair ? samples_special(s, i % special) : samples_argument(s, i);
    args[1] = (union value){0};
    if (function->shape == SHAPE_BINARY)
        args[1] = pair ? samples_special(s, i / special) : samples_argument(s, count / 2 + i * 5);
    else if (function->shape == SHAPE_POWER)
        args[1].i = samples_integer(s, pair ? i / special : special + i);
}
