/* The probe's judgement, on devices played by the host: one that is right, one that flushes subnormals, one whose fma
 * rounds twice, and some with small faults that must not pass. */
#include "src/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 32768

static int failures;

static const struct probe_row *row_of(const char *source)
{
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if (!strcmp(probe_rows[i].source, source))
            return &probe_rows[i];
    }
    printf("no row %s\n", source);
    failures++;
    return NULL;
}

static float flushed(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0.0f, value) : value;
}

typedef float device_function(float x, float y, float z);

static float exact_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}

/* flushes what is tiny before rounding */
static float flushing_fma(float x, float y, float z)
{
    float result = fmaf(flushed(x), flushed(y), flushed(z));
    double wide = (double)flushed(x) * (double)flushed(y) + (double)flushed(z);
    return fabs(wide) < 0x1p-126 ? copysignf(0.0f, result) : flushed(result);
}

static float double_rounding_fma(float x, float y, float z)
{
    volatile float product = x * y;
    return product + z;
}

static float exact_divide(float x, float y, float z)
{
    (void)z;
    return x / y;
}

static float flushing_divide(float x, float y, float z)
{
    (void)z;
    return flushed(flushed(x) / flushed(y));
}

/* right but beyond 2^126, where it gives zero */
static float short_divide(float x, float y, float z)
{
    (void)z;
    return fabsf(y) > 0x1p126f && isfinite(y) && isfinite(x) ? copysignf(0.0f, x) : x / y;
}

static float next_sqrt(float x, float y, float z)
{
    (void)y;
    (void)z;
    return x > 0.0f && isfinite(x) ? nextafterf(sqrtf(x), INFINITY) : sqrtf(x);
}

static float flushing_exp2(float x, float y, float z)
{
    (void)y;
    (void)z;
    return flushed(exp2f(x));
}

static float forgetful_min(float x, float y, float z)
{
    (void)z;
    return x < y ? x : y; /* NaN in x gives y, NaN in y gives NaN */
}

static float good_min(float x, float y, float z)
{
    (void)z;
    return fminf(x, y);
}

static float plus_zero(float x, float y, float z)
{
    volatile float zero = 0.0f;
    (void)y;
    (void)z;
    return x + zero;
}

/* as if + 0 changed nothing */
static float dropped_zero(float x, float y, float z)
{
    (void)y;
    (void)z;
    return x;
}

static float chosen_zero(float x, float y, float z)
{
    (void)z;
    return x < y ? 1.0f : -0.0f;
}

static float unsigned_zero(float x, float y, float z)
{
    (void)z;
    return (float)(x < y);
}

static void judge(const char *name, const char *source, device_function *function, bool flush, bool want_exact,
                  float want_worst)
{
    const struct probe_row *row = row_of(source);
    const struct probe_judge judge = {.width = CLC_WIDTH_32, .flush = flush};
    bool all = true;
    float worst = 0.0f;
    for (uint32_t i = 0; row && i < SAMPLES; i++) {
        struct probe_args args;
        bool exact;
        probe_sample(CLC_WIDTH_32, i, &args);
        float got = function((float)args.x, (float)args.y, (float)args.z);
        float error = probe_error(&judge, row, &args, (double)got, &exact);
        if (!exact && want_exact && failures < 10)
            printf("%s: %a %a %a gives %a, %g ulp off\n", name, args.x, args.y, args.z, (double)got, (double)error);
        all &= exact;
        worst = error > worst ? error : worst;
    }
    if (all == want_exact && (want_worst < 0.0f ? worst > -want_worst : worst <= want_worst))
        return;
    printf("%s: %s, worst %g ulp\n", name, all ? "exact" : "not exact", (double)worst);
    failures++;
}

/* Samples are numbers of their width, and the special pairs are among them. */
static void check_samples(void)
{
    bool infinity_by_zero = false, nan = false;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct probe_args args;
        probe_sample(CLC_WIDTH_32, i, &args);
        infinity_by_zero |= isinf(args.x) && args.y == 0.0;
        nan |= isnan(args.x) || isnan(args.y);
        if (!isnan(args.x) && (double)(float)args.x != args.x) {
            printf("sample %u is no float\n", i);
            failures++;
        }
    }
    if (!infinity_by_zero || !nan) {
        printf("special values are missing\n");
        failures++;
    }
}

int main(void)
{
    check_samples();
    judge("fma", "fma(x, y, z)", exact_fma, false, true, 0.5f);
    judge("fma that flushes", "fma(x, y, z)", flushing_fma, true, true, 0.5f);
    judge("fma that flushes, where nothing may", "fma(x, y, z)", flushing_fma, false, false, -2.0f);
    judge("fma of two roundings", "fma(x, y, z)", double_rounding_fma, true, false, -2.0f);
    judge("division", "x / y", exact_divide, false, true, 0.5f);
    judge("division that flushes", "x / y", flushing_divide, true, true, 0.5f);
    judge("division that fails beyond 2^126", "x / y", short_divide, true, false, -2.5f);
    judge("square root, one up", "sqrt(x)", next_sqrt, false, false, 2.0f);
    judge("exp2 that flushes, where nothing may", "exp2(x)", flushing_exp2, false, false, -3.0f);
    judge("fmin", "fmin(x, y)", good_min, false, true, 0.5f);
    judge("fmin that loses NaNs", "fmin(x, y)", forgetful_min, true, false, -1e30f);
    judge("sum with zero", "x + (T)0", plus_zero, false, true, 0.5f);
    judge("sum with zero that is dropped", "x + (T)0", dropped_zero, true, false, -1e30f);
    judge("choice of zero", "(x < y ? (T)1 : -(T)0)", chosen_zero, false, true, 0.5f);
    judge("choice of zero that loses the sign", "(x < y ? (T)1 : -(T)0)", unsigned_zero, true, false, -1e30f);
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
