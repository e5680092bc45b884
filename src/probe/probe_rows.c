/* What the probe computes, what it should give, and how far off a result is.
 *
 * For half and float the references are the host's functions for double, whose own error is far below what is measured.
 * For double only those functions are measured that the host computes correctly rounded (or with long double). Vulkan
 * has the others for 16 and 32 bits only. */
#include "src/probe/probe_kernels.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

/* ---- numbers of a width ---- */

static const struct format {
    int digits, least, greatest; /* exponents of the smallest and the largest normal numbers */
} formats[CLC_WIDTH_COUNT] = {{11, -14, 15}, {24, -126, 127}, {53, -1022, 1023}};

/* Rounds through double. For sums, products, quotients and square roots of halves and floats this is the same as
 * rounding once, since 53 is at least 2 * 24 + 2. */
static double narrow(double value, enum clc_width width)
{
    if (width == CLC_WIDTH_16)
        return (double)half_to_float(half_from_double(value));
    return width == CLC_WIDTH_32 ? (double)(float)value : value;
}

static bool is_subnormal(double value, enum clc_width width)
{
    return value != 0.0 && fabs(value) < ldexp(1.0, formats[width].least);
}

/* ---- references ---- */

/* An integer of 32 bits that is below the middle of two floats, or above it, by its last bit. */
static uint32_t large_uint(double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits | 0x8000007fu;
}

/* Just below the middle of two floats, the lower of which is odd; as a double it would be the middle. */
static uint64_t large_ulong(double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint64_t)((bits | 0x8000017fu) & ~0x80u) << 32 | 0xffffffffu;
}

#define RIGHT(name, value)                                                                                             \
    static double right_##name(const struct probe_args *a, enum clc_width width)                                       \
    {                                                                                                                  \
        (void)width;                                                                                                   \
        return value;                                                                                                  \
    }

RIGHT(itself, a->x)
RIGHT(add, a->x + a->y)
RIGHT(multiply, a->x * a->y)
RIGHT(divide, a->x / a->y)
RIGHT(reciprocal, 1.0 / a->x)
RIGHT(reciprocal_normal, 1.0 / fmax(fabs(a->x), 0x1p-126))
RIGHT(third, a->x / 3.0)
RIGHT(plus_zero, a->x + 0.0)
RIGHT(minus_minus_zero, a->x - -0.0)
RIGHT(zero_minus, 0.0 - a->x)
RIGHT(zero_over, 0.0 / a->x)
RIGHT(over_zero, a->x / 0.0)
RIGHT(minus_one_or_zero, a->x < a->y ? -1.0 : 0.0)
RIGHT(one_or_minus_zero, a->x < a->y ? 1.0 : -0.0)
RIGHT(minus_one_or_minus_zero, a->x < a->y ? -1.0 : -0.0)
static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

RIGHT(less, (double)((bits_of(a->x) > bits_of(a->y) ? bits_of(a->x) - bits_of(a->y) : 0) >> 32))
RIGHT(more, (double)((bits_of(a->x) > ~bits_of(a->y) ? UINT64_MAX : bits_of(a->x) + bits_of(a->y)) >> 32))
RIGHT(popcount, (double)__builtin_popcountll(bits_of(a->x) >> 48))
RIGHT(two_or_five, a->x < a->y ? 2.0 : 5.0)
RIGHT(large_uint, (double)large_uint(a->x))
RIGHT(large_ulong, (double)(float)large_ulong(a->x))
RIGHT(sqrt, sqrt(a->x))
RIGHT(rsqrt, width == CLC_WIDTH_64 ? (double)(1.0L / sqrtl((long double)a->x)) : 1.0 / sqrt(a->x))
RIGHT(exp2, exp2(a->x))
RIGHT(log2, log2(a->x))
RIGHT(log2_of_edges, a->x > 0.0 && isfinite(a->x) ? 0.0 : log2(a->x))
RIGHT(exp, exp(a->x))
RIGHT(log, log(a->x))
RIGHT(sin, sin(a->x))
RIGHT(cos, cos(a->x))
RIGHT(tan, tan(a->x))
RIGHT(asin, asin(a->x))
RIGHT(acos, acos(a->x))
RIGHT(atan, atan(a->x))
RIGHT(sinh, sinh(a->x))
RIGHT(cosh, cosh(a->x))
RIGHT(tanh, tanh(a->x))
RIGHT(asinh, asinh(a->x))
RIGHT(acosh, acosh(a->x))
RIGHT(atanh, atanh(a->x))
RIGHT(floor, floor(a->x))
RIGHT(ceil, ceil(a->x))
RIGHT(trunc, trunc(a->x))
RIGHT(rint, rint(a->x))
RIGHT(fmin, fmin(a->x, a->y))
RIGHT(fmax, fmax(a->x, a->y))
RIGHT(clamp, fmin(fmax(a->x, 0.0), 1.0))
RIGHT(to_half, narrow(a->x, CLC_WIDTH_16))

/* Products of halves and floats are exact in double. The sum is rounded to odd there: rounding it again, to float or
 * half, then gives the same as rounding once, and what lies just below the smallest normal number does not become that.
 */
static double right_fma(const struct probe_args *a, enum clc_width width)
{
    if (width == CLC_WIDTH_64)
        return fma(a->x, a->y, a->z);
    double product = a->x * a->y, sum = product + a->z, back = sum - product;
    double error = (product - (sum - back)) + (a->z - back);
    uint64_t bits;
    if (!isfinite(sum) || error == 0.0)
        return sum;
    memcpy(&bits, &sum, sizeof(bits));
    bits = (bits - ((error < 0.0) != (sum < 0.0))) | 1;
    memcpy(&sum, &bits, sizeof(bits));
    return sum;
}

static float relaxed_exp(double x)
{
    return isfinite(x) ? 3.0f + floorf(2.0f * fabsf((float)x)) : 0.0f;
}

/* Vulkan promises of logarithms what is asked for, but not of subnormals'. */
static float relaxed_log(double x)
{
    return x > 0.0 && x < 0x1p-126 ? 3.0f : INFINITY;
}

#define W16 (1 << CLC_WIDTH_16)
#define W32 (1 << CLC_WIDTH_32)
#define W64 (1 << CLC_WIDTH_64)
#define ALL (W16 | W32 | W64)

/* The instructions that lowering makes of a division where CLC_PROBE_DIV_LARGE or CLC_PROBE_DIV_SCALED holds. */
#define QUARTER(y)     "(fabs(" y ") > 0x1p126f ? 0.25f : 1.0f)"
#define QUARTERS(x, y) "native_divide(" x " * " QUARTER(y) ", " y " * " QUARTER(y) ")"
#define SCALE(y)       "(fabs(" y ") > 0x1p96f ? 0x1p-32f : fabs(" y ") < 0x1p-96f ? 0x1p32f : 1.0f)"
#define BITS(x)        "as_ulong(" #x ")"
#define SCALED(x, y)   "native_divide(" x ", " y " * " SCALE(y) ") * " SCALE(y)

/* Neighbours leave the loop at different times; the last that each loads is x. */
#define LAST_OF_LOOP "({ T last; uint k = i & 3; do last = a[i + k]; while (k-- > 0); last; })"

const struct probe_row probe_rows[] = {
    {PROBE_ARITHMETIC, ALL, false, "x + y", right_add, {0, 0, 0}},
    {PROBE_ARITHMETIC, ALL, false, "x * y", right_multiply, {0, 0, 0}},
    {PROBE_TO_HALF_AND_BACK, W32, false, "(T)(half)x", right_to_half, {0, 0, 0}},
    /* no driver knows that there are work-groups */
    {PROBE_TO_HALF,
     W32,
     false,
     "(T)as_half((ushort)(as_ushort((half)x) | (get_num_groups(0) == 0)))",
     right_to_half,
     {0, 0, 0}},
    {CLC_PROBE_FMA, ALL, false, "fma(x, y, z)", right_fma, {0, 0, 0}},
    {CLC_PROBE_DIV, ALL, false, "x / y", right_divide, {0, 2.5, 0}},
    {CLC_PROBE_RECIPROCAL, ALL, false, "(T)1 / x", right_reciprocal, {0, 2.5, 0}},
    {CLC_PROBE_DIV, ALL, false, "x / (T)3", right_third, {0, 2.5, 0}},
    {CLC_PROBE_DIV_LARGE, W32, false, QUARTERS("x", "y"), right_divide, {0, 2.5, 0}},
    {CLC_PROBE_DIV_LARGE, W32, false, "native_divide(x, 3.0f)", right_third, {0, 2.5, 0}},
    {CLC_PROBE_DIV_SCALED, W32, false, SCALED("x", "y"), right_divide, {0, 2.5, 0}},
    {CLC_PROBE_DIV_SCALED, W32, false, "native_divide(x, 3.0f)", right_third, {0, 2.5, 0}},
    {CLC_PROBE_DIV_SCALED, W32, false, SCALED("(T)1", "x"), right_reciprocal, {0, 2.5, 0}},
    {CLC_PROBE_SQRT, ALL, false, "sqrt(x)", right_sqrt, {0, 3, 0}},
    {CLC_PROBE_RSQRT, ALL, true, "rsqrt(x)", right_rsqrt, {1, 2, 2}},
    {CLC_PROBE_FAST_BODIES, W32, true, "native_recip(fmax(fabs(x), 0x1p-126f))", right_reciprocal_normal, {0, 1.25, 0}},
    {CLC_PROBE_FAST_BODIES, W32, true, "native_sqrt(x)", right_sqrt, {0, 1.25, 0}},
    {CLC_PROBE_FAST_BODIES, W32, true, "native_exp2(x)", right_exp2, {0, 2.75, 0}},
    {CLC_PROBE_FAST_BODIES,
     W32,
     false,
     "(as_uint(x) - 1 < 0x7f7fffffu ? (T)0 : native_log2(x))",
     right_log2_of_edges,
     {0, 1.25, 0}},
    {CLC_PROBE_EXP2, W32, false, "exp2(x)", right_exp2, {0, 3, 0}, relaxed_exp},
    {CLC_PROBE_LOG2, W32, false, "log2(x)", right_log2, {0, 3, 0}, relaxed_log},
    {CLC_PROBE_EXP, W32, false, "exp(x)", right_exp, {0, 3, 0}, relaxed_exp},
    {CLC_PROBE_LOG, W32, false, "log(x)", right_log, {0, 3, 0}, relaxed_log},
    {CLC_PROBE_SIN, W32, false, "sin(x)", right_sin, {0, 4, 0}},
    {CLC_PROBE_COS, W32, false, "cos(x)", right_cos, {0, 4, 0}},
    {CLC_PROBE_TAN, W32, false, "tan(x)", right_tan, {0, 5, 0}},
    {CLC_PROBE_ASIN, W32, false, "asin(x)", right_asin, {0, 4, 0}},
    {CLC_PROBE_ACOS, W32, false, "acos(x)", right_acos, {0, 4, 0}},
    {CLC_PROBE_ATAN, W32, false, "atan(x)", right_atan, {0, 5, 0}},
    {CLC_PROBE_SINH, W32, false, "sinh(x)", right_sinh, {0, 4, 0}},
    {CLC_PROBE_COSH, W32, false, "cosh(x)", right_cosh, {0, 4, 0}},
    {CLC_PROBE_TANH, W32, false, "tanh(x)", right_tanh, {0, 5, 0}},
    {CLC_PROBE_ASINH, W32, false, "asinh(x)", right_asinh, {0, 4, 0}},
    {CLC_PROBE_ACOSH, W32, false, "acosh(x)", right_acosh, {0, 4, 0}},
    {CLC_PROBE_ATANH, W32, false, "atanh(x)", right_atanh, {0, 5, 0}},
    {CLC_PROBE_ROUND, ALL, false, "floor(x)", right_floor, {0, 0, 0}},
    {CLC_PROBE_ROUND, ALL, false, "ceil(x)", right_ceil, {0, 0, 0}},
    {CLC_PROBE_ROUND, ALL, false, "trunc(x)", right_trunc, {0, 0, 0}},
    {CLC_PROBE_ROUND, ALL, false, "rint(x)", right_rint, {0, 0, 0}},
    {CLC_PROBE_FMIN_FMAX, ALL, true, "fmin(x, y)", right_fmin, {0, 0, 0}},
    {CLC_PROBE_FMIN_FMAX, ALL, true, "fmax(x, y)", right_fmax, {0, 0, 0}},
    {CLC_PROBE_FMIN_FMAX, ALL, true, "clamp(x, (T)0, (T)1)", right_clamp, {0, 0, 0}},
    {CLC_PROBE_DOUBLE_TO_HALF, W64, false, "(T)(half)x", right_to_half, {0, 0, 0}},
    {CLC_PROBE_ULONG_TO_FLOAT,
     W32,
     false,
     "(T)((ulong)((as_uint(x) | 0x8000017fu) & ~0x80u) << 32 | 0xffffffffu)",
     right_large_ulong,
     {0, 0, 0}},
    {CLC_PROBE_UINT_TO_FLOAT, W32, false, "(T)(as_uint(x) | 0x8000007fu)", right_large_uint, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "x + (T)0", right_plus_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "x - -(T)0", right_minus_minus_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "(T)0 - x", right_zero_minus, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "(T)0 / x", right_zero_over, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "x / (T)0", right_over_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "(x < y ? -(T)1 : (T)0)", right_minus_one_or_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "({ T r = 0; if (x < y) r = -(T)1; r; })", right_minus_one_or_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "(x < y ? (T)1 : -(T)0)", right_one_or_minus_zero, {0, 0, 0}},
    {CLC_PROBE_ZEROS, ALL, false, "(x < y ? -(T)1 : -(T)0)", right_minus_one_or_minus_zero, {0, 0, 0}},
    {CLC_PROBE_PATTERNS,
     W64,
     false,
     "(T)(uint)((" BITS(x) " > " BITS(y) " ? " BITS(x) " - " BITS(y) " : 0) >> 32)",
     right_less,
     {0, 0, 0}},
    {CLC_PROBE_PATTERNS,
     W64,
     false,
     "(T)(uint)((" BITS(x) " > ~" BITS(y) " ? ~0ul : " BITS(x) " + " BITS(y) ") >> 32)",
     right_more,
     {0, 0, 0}},
    {CLC_PROBE_PATTERNS, W64, false, "(T)popcount(((global const ushort *)(a + i))[3])", right_popcount, {0, 0, 0}},
    {CLC_PROBE_CONSTANTS,
     W32,
     false,
     "({ T r = 5; if (x < y) r = native_sqrt((T)4); r; })",
     right_two_or_five,
     {0, 4, 0}},
    {CLC_PROBE_LOOPS, W32, false, LAST_OF_LOOP, right_itself, {0, 0, 0}},
};
const uint32_t probe_num_rows = ARRAY_LENGTH(probe_rows);
_Static_assert(ARRAY_LENGTH(probe_rows) <= PROBE_MAX_ROWS, "each row has a bit of a word");

const char *probe_name(enum clc_probe probe)
{
    static const char *const names[CLC_PROBE_COUNT] = {
        [CLC_PROBE_FMA] = "fma",
        [CLC_PROBE_DIV] = "x / y",
        [CLC_PROBE_RECIPROCAL] = "1 / x",
        [CLC_PROBE_DIV_LARGE] = "x / y, quarters",
        [CLC_PROBE_DIV_SCALED] = "x / y, scaled",
        [CLC_PROBE_SQRT] = "sqrt",
        [CLC_PROBE_RSQRT] = "rsqrt",
        [CLC_PROBE_EXP2] = "exp2",
        [CLC_PROBE_LOG2] = "log2",
        [CLC_PROBE_EXP] = "exp",
        [CLC_PROBE_LOG] = "log",
        [CLC_PROBE_POW] = "pow",
        [CLC_PROBE_SIN] = "sin",
        [CLC_PROBE_COS] = "cos",
        [CLC_PROBE_TAN] = "tan",
        [CLC_PROBE_ASIN] = "asin",
        [CLC_PROBE_ACOS] = "acos",
        [CLC_PROBE_ATAN] = "atan",
        [CLC_PROBE_SINH] = "sinh",
        [CLC_PROBE_COSH] = "cosh",
        [CLC_PROBE_TANH] = "tanh",
        [CLC_PROBE_ASINH] = "asinh",
        [CLC_PROBE_ACOSH] = "acosh",
        [CLC_PROBE_ATANH] = "atanh",
        [CLC_PROBE_FREM] = "fmod",
        [CLC_PROBE_LDEXP] = "ldexp",
        [CLC_PROBE_FAST_BODIES] = "parts of fast functions",
        [CLC_PROBE_ROUND] = "floor, ceil, trunc, rint",
        [CLC_PROBE_FMIN_FMAX] = "fmin, fmax",
        [CLC_PROBE_DOUBLE_TO_HALF] = "double to half",
        [CLC_PROBE_CONSTANTS] = "functions of constants",
        [CLC_PROBE_LOOPS] = "values of loops",
        [CLC_PROBE_ULONG_TO_FLOAT] = "ulong to float",
        [CLC_PROBE_UINT_TO_FLOAT] = "uint to float",
        [CLC_PROBE_ZEROS] = "constant zeros",
        [CLC_PROBE_PATTERNS] = "integer patterns",
    };
    return names[probe];
}

/* ---- the error ---- */

/* right is the reference before rounding; rounded is what a correctly rounded function gives. */
static float error_of(enum clc_width width, const struct probe_row *row, double right, double rounded, double got,
                      bool *exact)
{
    *exact = got == rounded && (got != 0.0 || row->any_sign || !signbit(got) == !signbit(rounded));
    if (*exact)
        return 0.5f;
    if (isnan(rounded) || isnan(got)) {
        *exact = isnan(rounded) && isnan(got);
        return *exact ? 0.0f : HUGE_VALF;
    }
    if (got == 0.0 && rounded == 0.0)
        return HUGE_VALF;
    if (isinf(right)) {
        *exact = row->any_sign && isinf(got);
        return *exact ? 0.0f : HUGE_VALF;
    }
    /* An overflow is measured as if it gave the next power of two. */
    const struct format *format = &formats[width];
    if (width == CLC_WIDTH_64) {
        if (isinf(got))
            return HUGE_VALF;
    } else {
        double next = ldexp(1.0, format->greatest + 1);
        right = fabs(right) > next ? copysign(next, right) : right;
        got = isinf(got) ? copysign(next, got) : got;
    }
    int exponent = format->least;
    if (right != 0.0) {
        double mantissa = frexp(right, &exponent);
        exponent -= fabs(mantissa) == 0.5 ? 2 : 1;
    }
    exponent = exponent < format->least ? format->least : exponent;
    /* For doubles the reference itself is rounded already. */
    double rest = width == CLC_WIDTH_64 ? 0.5 : 0.0;
    return (float)(ldexp(fabs(got - right), format->digits - 1 - exponent) + rest);
}

static float error_once(const struct probe_judge *judge, const struct probe_row *row, const struct probe_args *args,
                        double got, bool *exact)
{
    double right = row->right(args, judge->width), rounded = narrow(right, judge->width);
    float error = error_of(judge->width, row, right, rounded, got, exact);
    bool small = fabs(right) < ldexp(1.0, formats[judge->width].least);
    /* Where the zeros' signs are what is measured, flushing is no excuse for the wrong sign of an exact zero. */
    if (!*exact && judge->flush && got == 0.0 && small && (right != 0.0 || row->probe != CLC_PROBE_ZEROS)) {
        *exact = true;
        return 0.0f;
    }
    return error;
}

float probe_error(const struct probe_judge *judge, const struct probe_row *row, const struct probe_args *args,
                  double got, bool *exact)
{
    float best = error_once(judge, row, args, got, exact);
    if (*exact || !judge->flush)
        return best;
    const double values[3] = {args->x, args->y, args->z};
    bool small[3];
    for (int k = 0; k < 3; k++)
        small[k] = is_subnormal(values[k], judge->width);
    if (!small[0] && !small[1] && !small[2])
        return best;
    for (int i = 1; i < 27 && !*exact; i++) {
        const int how[3] = {i % 3, i / 3 % 3, i / 9}; /* kept, +0, -0 */
        double flushed[3];
        bool wanted = true;
        for (int k = 0; k < 3; k++) {
            wanted &= !how[k] || small[k];
            flushed[k] = how[k] == 0 ? values[k] : how[k] == 1 ? 0.0 : -0.0;
        }
        if (!wanted)
            continue;
        float error = error_once(judge, row, &(struct probe_args){flushed[0], flushed[1], flushed[2]}, got, exact);
        best = error < best ? error : best;
    }
    return best;
}

/* ---- samples ---- */

/* A random number that depends on n only: the finaliser of a 64-bit hash. */
static uint64_t random_at(uint64_t n)
{
    n += 0x9e3779b97f4a7c15u;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 27) * 0x94d049bb133111ebu;
    return n ^ n >> 31;
}

static double from_bits(enum clc_width width, uint64_t bits)
{
    double value;
    float single;
    uint32_t low = (uint32_t)bits;
    if (width == CLC_WIDTH_16)
        return (double)half_to_float((uint16_t)bits);
    if (width == CLC_WIDTH_32)
        return memcpy(&single, &low, sizeof(single)), (double)single;
    return memcpy(&value, &bits, sizeof(value)), value;
}

#define NUM_SPECIAL 70

static double special(enum clc_width width, uint32_t i)
{
    static const double plain[] = {0.0,  0.25,       0.5,       1.0,  1.5,      2.0,  3.0,    M_PI_2,
                                   M_PI, 4 * M_PI_2, 16.0,      88.0, 100.0,    1e-3, 0.0625, 0.8414709848078965,
                                   10.0, 1024.0,     8388607.5, 1e9,  INFINITY, NAN};
    const struct format *format = &formats[width];
    double ulp = ldexp(1.0, 1 - format->digits), largest = ldexp(2.0 - ulp, format->greatest);
    double smallest = ldexp(1.0, format->least);
    const double edges[] = {ldexp(smallest, 1 - format->digits),
                            ldexp(smallest, 2 - format->digits),
                            smallest * 0.5,
                            smallest * (1.0 - ulp),
                            smallest,
                            smallest * (1.0 + ulp),
                            smallest * 2.0,
                            largest,
                            largest * 0.5,
                            ldexp(1.0, format->greatest),
                            1.0 - ulp / 2};
    double sign = i & 1 ? -1.0 : 1.0;
    i = i / 2 % (NUM_SPECIAL / 2);
    if (i < ARRAY_LENGTH(plain))
        return narrow(sign * plain[i], width);
    i -= ARRAY_LENGTH(plain);
    if (i >
        ARRAY_LENGTH(edges)) /* a NaN whose upper half reads as infinity: NVIDIA's rsqrt of doubles looks no further */
        return width == CLC_WIDTH_64 ? from_bits(width, 0x7ff0000000000001u) : NAN;
    return sign * (i < ARRAY_LENGTH(edges) ? edges[i] : 1.0 + ulp);
}

static double random_number(enum clc_width width, uint64_t n)
{
    uint64_t bits = random_at(2 * n), more = random_at(2 * n + 1);
    const struct format *format = &formats[width];
    double sign = bits & 1 ? -1.0 : 1.0, unit = ldexp((double)(more >> 11), -53), value = 0.0;
    int narrow_range = (int)(bits >> 16 & 63);
    switch (bits >> 8 & 7) {
    case 0:
        return from_bits(width, more);
    case 1: /* middling exponents */
        value = ldexp(1.0 + unit, narrow_range - 32);
        break;
    case 2:
        value = unit;
        break;
    case 3:
        value = unit * 100.0;
        break;
    case 4: /* near multiples of pi / 2, or of 1 / 2 */
        value = floor(ldexp(unit, narrow_range % 20)) * (bits & 2 ? M_PI_2 : 0.5) *
                (1.0 + ldexp((double)((int)(bits >> 32 & 7) - 3), 1 - format->digits));
        break;
    case 5: /* near 1 */
        value = 1.0 + (bits & 2 ? -1.0 : 1.0) * ldexp(unit, -(narrow_range % (format->digits + 1)));
        break;
    case 6: /* the edges of the range */
        value = bits & 2 ? ldexp(1.0 + unit, format->least + 2 - narrow_range % (format->digits + 2))
                         : ldexp(1.0 + unit, format->greatest - narrow_range % 4);
        break;
    default: /* one binade: quotients and roots differ in their mantissas only */
        value = 1.0 + unit * 3.0;
        break;
    }
    return narrow(sign * value, width);
}

void probe_sample(enum clc_width width, uint32_t i, struct probe_args *args)
{
    bool pair = i < NUM_SPECIAL * NUM_SPECIAL;
    args->x = pair ? special(width, i % NUM_SPECIAL) : random_number(width, 3ull * i);
    args->y = pair ? special(width, i / NUM_SPECIAL) : random_number(width, 3ull * i + 1);
    uint64_t bits = random_at(7ull * i + 5);
    if ((bits & 3) == 0) /* fma's rounding shows where the product nearly cancels */
        args->z = narrow(-args->x * args->y * (1.0 + ldexp((double)(bits >> 8 & 3), 1 - formats[width].digits)), width);
    else
        args->z = pair && bits & 4 ? special(width, (uint32_t)(bits >> 8)) : random_number(width, 3ull * i + 2);
}
