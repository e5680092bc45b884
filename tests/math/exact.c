/* References for the functions whose results are exact, and for those judged by an absolute or a width-dependent
 * distance (OpenCL C 3.0, 6.15.2 to 6.15.6, 7.4). One function per row, in terms of x, y, z: halfs and floats are
 * doubles here, and what is rounded to double first and to them afterwards comes out as if rounded once for + - * /,
 * sqrt (53 >= 2 * 24 + 2 digits). */
#include "precision.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct lane_args {
    const struct call *call;
    uint32_t lane;
    enum type type; /* of the first argument */
    uint32_t bits;  /* of that type */
    union number x, y, z;
};

typedef void exact_function(const struct lane_args *a, struct answer *r);

static void give(struct answer *r, union number value)
{
    r->values[r->num++] = value;
}

static void give_double(const struct lane_args *a, struct answer *r, double d)
{
    give(r, (union number){.f = round_to(a->type, d)});
}

/* A result that may be some units in the last place off. */
static void give_near(const struct lane_args *a, struct answer *r, long double right, double ulps)
{
    give_double(a, r, (double)right);
    r->right = right;
    r->ulps = ulps;
}

static void give_signed(struct answer *r, int64_t s)
{
    give(r, (union number){.s = s});
}

/* The low bits of a result of the case's result type. */
static void give_bits(const struct lane_args *a, struct answer *r, uint64_t u)
{
    union number n;
    number_store(TYPE_ULONG, &n, 0, (union number){.u = u});
    give(r, number_load(a->call->test->params[0].type, &n, 0));
}

static void give_saturated(const struct lane_args *a, struct answer *r, __int128 value)
{
    enum type type = a->call->test->params[0].type;
    uint32_t bits = type_bits(type);
    __int128 least = types[type].is_signed ? -((__int128)1 << (bits - 1)) : 0;
    __int128 greatest = ((__int128)1 << (types[type].is_signed ? bits - 1 : bits)) - 1;
    value = value < least ? least : value > greatest ? greatest : value;
    give_bits(a, r, (uint64_t)value);
}

static __int128 wide(const struct lane_args *a, union number n)
{
    return types[a->type].is_signed ? (__int128)n.s : (__int128)n.u;
}

static double epsilon(enum type type)
{
    return ldexp(1.0, 1 - type_format(type)->digits);
}

#define FUNCTION(name) static void name##_exact(const struct lane_args *a, struct answer *r)
#define X              (a->x.f)
#define Y              (a->y.f)
#define Z              (a->z.f)
#define FLOATS(name, value)                                                                                            \
    FUNCTION(name)                                                                                                     \
    {                                                                                                                  \
        give_double(a, r, value);                                                                                      \
    }
#define INTEGERS(name, value)                                                                                          \
    FUNCTION(name)                                                                                                     \
    {                                                                                                                  \
        __int128 x = wide(a, a->x), y = wide(a, a->y), z = wide(a, a->z);                                              \
        (void)x, (void)y, (void)z;                                                                                     \
        value;                                                                                                         \
    }

/* 6.15.2 */
FLOATS(ceil, ceil(X))
FLOATS(floor, floor(X))
FLOATS(trunc, trunc(X))
FLOATS(rint, rint(X))
FLOATS(round, round(X))
FLOATS(fabs, fabs(X))
FLOATS(copysign, copysign(X, Y))
FLOATS(fdim, isnan(X) || isnan(Y) ? NAN : X > Y ? X - Y : 0.0)
FLOATS(fmod, fmod(X, Y))

/* glibc's loses the sign of some zeros. */
static double signed_remainder(double x, double y)
{
    double r = remainder(x, y);
    return r == 0.0 ? copysign(0.0, x) : r;
}

FLOATS(remainder, signed_remainder(X, Y))
FLOATS(logb, logb(X))
FLOATS(nan, NAN)

static double fused(enum type type, double x, double y, double z)
{
    if (type == TYPE_DOUBLE)
        return fma(x, y, z);
    if (type == TYPE_FLOAT)
        return (double)fmaf((float)x, (float)y, (float)z);
    /* x * y is exact; the sum is rounded to odd, so that the second rounding cannot meet a tie that was none */
    double product = x * y, sum = product + z;
    if (!isfinite(sum))
        return sum;
    double part = sum - product, lost = (product - (sum - part)) + (z - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    if (lost != 0.0 && !(bits & 1))
        sum = nextafter(sum, lost > 0.0 ? INFINITY : -INFINITY);
    return sum;
}

FLOATS(fma, fused(a->type, X, Y, Z))

FUNCTION(mad)
{
    r->any = a->type == TYPE_HALF && !isfinite(X * Y + Z);
    give_double(a, r, fused(a->type, X, Y, Z));
    give_double(a, r, round_to(a->type, X * Y) + Z);
}

/* The number of a number and a NaN, signaling ones too, which the C library's fmax keeps. */
static double greater(double x, double y)
{
    return isnan(x) ? y : isnan(y) || x > y ? x : y;
}

static double lesser(double x, double y)
{
    return isnan(x) ? y : isnan(y) || x < y ? x : y;
}

FUNCTION(fmax)
{
    r->any_zero = true;
    give_double(a, r, greater(X, Y));
}

FUNCTION(fmin)
{
    r->any_zero = true;
    give_double(a, r, lesser(X, Y));
}

FUNCTION(maxmag)
{
    r->any_zero = true;
    give_double(a, r, fabs(X) > fabs(Y) ? X : fabs(Y) > fabs(X) ? Y : greater(X, Y));
}

FUNCTION(minmag)
{
    r->any_zero = true;
    give_double(a, r, fabs(X) < fabs(Y) ? X : fabs(Y) < fabs(X) ? Y : lesser(X, Y));
}

FUNCTION(fract)
{
    double most = 1.0 - epsilon(a->type) / 2.0, below = floor(X);
    r->pointee.f = below;
    give_double(a, r, isinf(X) ? copysign(0.0, X) : isnan(X) || X == 0.0 ? X : fmin(X - below, most));
}

FUNCTION(frexp)
{
    int exponent = 0;
    give_double(a, r, frexp(X, &exponent));
    r->pointee.s = exponent;
    r->open_pointee = !isfinite(X);
}

FUNCTION(modf)
{
    double whole;
    give_double(a, r, modf(X, &whole));
    r->pointee.f = whole;
}

FUNCTION(ilogb)
{
    if (X == 0.0 || isnan(X)) { /* FP_ILOGB0 and FP_ILOGBNAN are one of two */
        give_signed(r, INT_MIN);
        give_signed(r, isnan(X) ? INT_MAX : -INT_MAX);
    } else {
        give_signed(r, isinf(X) ? INT_MAX : ilogb(X));
    }
}

FUNCTION(ldexp)
{
    give_double(a, r, ldexp(X, (int)a->y.s));
}

FUNCTION(nextafter)
{
    if (a->type == TYPE_FLOAT) {
        give_double(a, r, (double)nextafterf((float)X, (float)Y));
    } else if (a->type == TYPE_DOUBLE) {
        give_double(a, r, nextafter(X, Y));
    } else if (isnan(X) || isnan(Y)) {
        give_double(a, r, NAN);
    } else if (X == Y) {
        give_double(a, r, Y);
    } else if (X == 0.0) {
        give_double(a, r, copysign(0x1p-24, Y));
    } else {
        uint16_t bits;
        number_store(TYPE_HALF, &bits, 0, a->x);
        bits = (uint16_t)(bits + ((Y > X) == (X > 0.0) ? 1 : -1));
        give(r, number_load(TYPE_HALF, &bits, 0));
    }
}

/* Seven bits at least of the quotient: what the type's own remquo gives may be three. */
FUNCTION(remquo)
{
    double right = signed_remainder(X, Y);
    give_double(a, r, right);
    r->open_pointee = isnan(right);
    if (r->open_pointee || isinf(Y) || fabs(X) < fabs(Y) * 0.5)
        return;
    bool negative = signbit(X) != signbit(Y);
    double large = isfinite(128.0 * fabs(Y)) ? fmod(fabs(X), 128.0 * fabs(Y)) : fabs(X);
    long double exact = (long double)large - (signbit(X) ? -right : right);
    int64_t quotient = (int64_t)rintl(exact / fabs(Y)) & 127;
    r->pointee.s = negative ? -quotient : quotient;
}

FUNCTION(loggamma)
{
    r->any = !isfinite(X) || X < -20.0 || X == 0.0;
    int sign = 1;
    double right = lgamma_r(X, &sign);
    r->any |= isinf(right);
    r->pointee.s = sign;
    give_double(a, r, right);
    r->absolute = right == 0.0 ? 0.0 : 64.0 * epsilon(a->type) * fmax(1.0, fabs(right)); /* zeros by their sign */
}

/* 6.15.4 */
FUNCTION(fclamp)
{
    r->any = !(Y <= Z) || isnan(X);
    r->any_zero = true;
    give_double(a, r, fmin(fmax(X, Y), Z));
}

FUNCTION(max_common)
{
    r->any = isnan(X) || isnan(Y);
    r->any_zero = true;
    give_double(a, r, X < Y ? Y : X);
}

FUNCTION(min_common)
{
    r->any = isnan(X) || isnan(Y);
    r->any_zero = true;
    give_double(a, r, Y < X ? Y : X);
}

FUNCTION(degrees)
{
    give_near(a, r, (long double)X * (180.0L / 3.14159265358979323846264338327950288L), 2.0);
}

FUNCTION(radians)
{
    give_near(a, r, (long double)X * (3.14159265358979323846264338327950288L / 180.0L), 2.0);
}

FLOATS(step, Y < X ? 0.0 : 1.0)
FLOATS(sign, X > 0.0 ? 1.0 : X < 0.0 ? -1.0 : X == 0.0 ? X : 0.0)

FUNCTION(mix)
{
    double scale = fmax(1.0, fmax(fabs(X), fabs(Y)));
    r->any = !isfinite(X) || !isfinite(Y) || !(Z >= 0.0 && Z <= 1.0) || !isfinite(round_to(a->type, Y - X));
    give_double(a, r, X + (Y - X) * Z);
    r->absolute = fmax(1e-3, 8.0 * epsilon(a->type)) * scale;
}

FUNCTION(smoothstep)
{
    r->any = !(X < Y) || isnan(Z) || !isfinite(round_to(a->type, Y - X)) || !isfinite(round_to(a->type, Z - X));
    double t = fmin(fmax((Z - X) / (Y - X), 0.0), 1.0);
    give_double(a, r, t * t * (3.0 - 2.0 * t));
    double lost = epsilon(a->type) * fmax(fabs(X), fabs(Y)) / (Y - X); /* of the differences, where they cancel */
    r->absolute = fmax(1e-5, 8.0 * epsilon(a->type)) + 8.0 * lost;
}

/* 6.15.5: the whole vectors at once */
static long double squares(const struct lane_args *a, bool difference, double *most)
{
    long double sum = 0.0L;
    for (uint32_t i = 0; i < a->call->width; i++) {
        long double d = a->call->in[0][i].f;
        if (difference)
            d -= a->call->in[1][i].f;
        *most = fmax(*most, (double)fabsl(d));
        sum += d * d;
    }
    return sum;
}

/* The bounds for float, half's and double's in the units of theirs (7.4); fast ones may lose what their squares lose.
 */
static void give_length(const struct lane_args *a, struct answer *r, bool difference, bool fast)
{
    double most = 0.0, width = a->call->width;
    long double right = sqrtl(squares(a, difference, &most));
    double least = ldexp(1.0, type_format(a->type)->least), greatest = ldexp(1.0, type_format(a->type)->greatest);
    r->any = isnan(right) || (difference && !(round_to(a->type, most) < INFINITY));
    if (fast)
        r->any |= most > sqrt(greatest) / 4.0 || most < sqrt(least) * 4096.0;
    double ulps = fast ? 8191.5 + 2.0 * width : difference ? 5.5 + 2.0 * width : 5.5 + width;
    if (a->type == TYPE_FLOAT && !fast)
        ulps = difference ? 2.5 + 2.0 * width : 2.75 + 0.5 * width;
    give_near(a, r, right, ulps);
}

FUNCTION(length)
{
    give_length(a, r, false, false);
}

FUNCTION(distance)
{
    give_length(a, r, true, false);
}

FUNCTION(fast_length)
{
    give_length(a, r, false, true);
}

FUNCTION(fast_distance)
{
    give_length(a, r, true, true);
}

static void give_normal(const struct lane_args *a, struct answer *r, bool fast)
{
    double most = 0.0, width = a->call->width;
    long double length = sqrtl(squares(a, false, &most));
    double least = ldexp(1.0, type_format(a->type)->least), greatest = ldexp(1.0, type_format(a->type)->greatest);
    r->any = !isfinite(most);
    if (fast)
        r->any |= most > sqrt(greatest) / 4.0 || most < sqrt(least) * 4096.0;
    give_near(a, r, length == 0.0L ? X : X / length,
              fast                    ? 8192.0 + width
              : a->type == TYPE_FLOAT ? 2.0 + width
                                      : 4.5 + width);
    r->any_zero = true;
    r->absolute = fast ? least : 0.0;
}

FUNCTION(normalize)
{
    give_normal(a, r, false);
}

FUNCTION(fast_normalize)
{
    give_normal(a, r, true);
}

static double greatest_operand(const struct lane_args *a)
{
    double most = 0.0;
    for (uint32_t i = 0; i < a->call->width; i++)
        for (uint32_t k = 0; k < 2; k++)
            most = isnan(a->call->in[k][i].f) ? INFINITY : fmax(most, fabs(a->call->in[k][i].f));
    return most;
}

FUNCTION(dot)
{
    long double sum = 0.0L;
    for (uint32_t i = 0; i < a->call->width; i++)
        sum += (long double)a->call->in[0][i].f * a->call->in[1][i].f;
    double most = greatest_operand(a), square = most * most;
    r->any = !isfinite(round_to(a->type, square * 4.0));
    give_double(a, r, (double)sum);
    r->absolute = square * (2.0 * a->call->width - 1.0) * epsilon(a->type) + ldexp(1.0, type_format(a->type)->least);
    r->any_zero = true;
}

FUNCTION(cross)
{
    uint32_t i = (a->lane + 1) % 3, k = (a->lane + 2) % 3;
    const union number *x = a->call->in[0], *y = a->call->in[1];
    double most = greatest_operand(a), square = most * most;
    r->any = !isfinite(round_to(a->type, square * 4.0));
    give_double(a, r, a->lane == 3 ? 0.0 : (double)((long double)x[i].f * y[k].f - (long double)x[k].f * y[i].f));
    r->absolute = square * 3.0 * epsilon(a->type) + ldexp(1.0, type_format(a->type)->least);
    r->any_zero = true;
}

/* 6.15.6: 1 for scalars, all bits for vectors */
#define RELATION(name, condition)                                                                                      \
    FUNCTION(name)                                                                                                     \
    {                                                                                                                  \
        give_signed(r, (condition) ? (a->call->width == 1 ? 1 : -1) : 0);                                              \
    }
RELATION(isequal, X == Y)
RELATION(isnotequal, X != Y)
RELATION(isgreater, isgreater(X, Y))
RELATION(isgreaterequal, isgreaterequal(X, Y))
RELATION(isless, isless(X, Y))
RELATION(islessequal, islessequal(X, Y))
RELATION(islessgreater, islessgreater(X, Y))
RELATION(isordered, !isunordered(X, Y))
RELATION(isunordered, isunordered(X, Y))
RELATION(isfinite, isfinite(X))
RELATION(isinf, isinf(X))
RELATION(isnan, isnan(X))
RELATION(isnormal, isfinite(X) && fabs(X) >= ldexp(1.0, type_format(a->type)->least))
RELATION(signbit, signbit(X))

FUNCTION(any)
{
    bool yes = false;
    for (uint32_t i = 0; i < a->call->width; i++)
        yes |= a->call->in[0][i].s < 0;
    give_signed(r, yes);
}

FUNCTION(all)
{
    bool yes = true;
    for (uint32_t i = 0; i < a->call->width; i++)
        yes &= a->call->in[0][i].s < 0;
    give_signed(r, yes);
}

FUNCTION(bitselect)
{
    uint64_t bits[3] = {0};
    number_store(a->type, &bits[0], 0, a->x);
    number_store(a->type, &bits[1], 0, a->y);
    number_store(a->type, &bits[2], 0, a->z);
    bits[0] = (bits[0] & ~bits[2]) | (bits[1] & bits[2]);
    r->any = type_is_float(a->type) && (isnan(X) || isnan(Y) || isnan(Z)); /* their payloads are not kept here */
    give(r, number_load(a->type, bits, 0));
}

FUNCTION(select)
{
    const struct param *condition = &a->call->test->params[3];
    bool yes = a->call->width == 1 ? a->z.u != 0 : a->z.u >> (type_bits(condition->type) - 1) & 1;
    give(r, yes ? a->y : a->x);
}

/* 6.15.3 */
INTEGERS(abs, give_bits(a, r, (uint64_t)(x < 0 ? -x : x)))
INTEGERS(abs_diff, give_bits(a, r, (uint64_t)(x < y ? y - x : x - y)))
INTEGERS(add_sat, give_saturated(a, r, x + y))
INTEGERS(sub_sat, give_saturated(a, r, x - y))
INTEGERS(hadd, give_bits(a, r, (uint64_t)((x + y) >> 1)))
INTEGERS(rhadd, give_bits(a, r, (uint64_t)((x + y + 1) >> 1)))
INTEGERS(max, give_bits(a, r, (uint64_t)(x < y ? y : x)))
INTEGERS(min, give_bits(a, r, (uint64_t)(y < x ? y : x)))
INTEGERS(mul_hi,
         give_bits(a, r,
                   (uint64_t)((types[a->type].is_signed ? x * y
                                                        : (__int128)((unsigned __int128)x * (unsigned __int128)y)) >>
                              a->bits)))
INTEGERS(mad_hi,
         give_bits(a, r,
                   (uint64_t)((types[a->type].is_signed ? x * y
                                                        : (__int128)((unsigned __int128)x * (unsigned __int128)y)) >>
                              a->bits) +
                       (uint64_t)z))
INTEGERS(upsample, give_bits(a, r, (uint64_t)x << a->bits | (uint64_t)y))
INTEGERS(popcount, give_signed(r, __builtin_popcountll((uint64_t)x << (64 - a->bits))))

INTEGERS(clamp, {
    r->any = y > z;
    give_bits(a, r, (uint64_t)(x < y ? y : x > z ? z : x));
})

INTEGERS(clz, {
    uint64_t bits = (uint64_t)x << (64 - a->bits);
    give_signed(r, bits ? __builtin_clzll(bits) : (int)a->bits);
})

INTEGERS(ctz, {
    uint64_t bits = (uint64_t)x << (64 - a->bits);
    give_signed(r, bits ? __builtin_ctzll(bits) - (int)(64 - a->bits) : (int)a->bits);
})

INTEGERS(mad_sat, {
    unsigned __int128 product = (unsigned __int128)x * (unsigned __int128)y;
    if (!types[a->type].is_signed && product >> 64) /* beyond the type, perhaps beyond the signed numbers here */
        give_saturated(a, r, (__int128)1 << 100);
    else
        give_saturated(a, r, x * y + z);
})

INTEGERS(rotate, {
    uint32_t count = (uint32_t)y & (a->bits - 1);
    uint64_t bits = a->bits == 64 ? (uint64_t)x : (uint64_t)x & (((uint64_t)1 << a->bits) - 1);
    give_bits(a, r, count ? bits << count | bits >> (a->bits - count) : bits);
})

static bool fits_24(const struct lane_args *a, __int128 x)
{
    return types[a->type].is_signed ? x >= -(1 << 23) && x < 1 << 23 : x < 1 << 24;
}

INTEGERS(mad24, {
    r->any = !fits_24(a, x) || !fits_24(a, y);
    give_bits(a, r, (uint64_t)(x * y + z));
})

INTEGERS(mul24, {
    r->any = !fits_24(a, x) || !fits_24(a, y);
    give_bits(a, r, (uint64_t)(x * y));
})

/* 6.15.3.1 */
INTEGERS(bitfield_insert, {
    uint64_t offset = a->call->in[2][0].u;
    uint64_t count = a->call->in[3][0].u;
    r->any = offset + count > a->bits;
    uint64_t mask = r->any || count == 0 ? 0 : (count == 64 ? ~0ull : (1ull << count) - 1) << offset;
    give_bits(a, r, ((uint64_t)x & ~mask) | ((r->any || offset > 63 ? 0 : (uint64_t)y << offset) & mask));
})

static void give_field(const struct lane_args *a, struct answer *r, bool is_signed)
{
    uint64_t offset = a->call->in[1][0].u, count = a->call->in[2][0].u;
    r->any = offset + count > a->bits;
    if (r->any || count == 0) {
        give_signed(r, 0);
        return;
    }
    uint64_t high = a->x.u << (64 - count - offset);
    give_bits(a, r, is_signed ? (uint64_t)((int64_t)high >> (64 - count)) : high >> (64 - count));
}

FUNCTION(bitfield_extract_signed)
{
    give_field(a, r, true);
}

FUNCTION(bitfield_extract_unsigned)
{
    give_field(a, r, false);
}

INTEGERS(bit_reverse, {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < a->bits; i++)
        bits |= ((uint64_t)x >> i & 1) << (a->bits - 1 - i);
    give_bits(a, r, bits);
})

/* Dot products of four bytes: of vectors, or packed in unsigned integers, their signs in the name. */
FUNCTION(byte_dot)
{
    const struct test_case *test = a->call->test;
    const char *packed = strstr(test->name, "packed_");
    int64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int64_t factors[2];
        for (uint32_t k = 0; k < 2; k++) {
            const union number *in = a->call->in[k];
            if (packed)
                factors[k] = packed[7 + k] == 's' ? (int8_t)(in[0].u >> (8 * i)) : (uint8_t)(in[0].u >> (8 * i));
            else
                factors[k] = in[i].s;
        }
        sum += factors[0] * factors[1];
    }
    const struct param *result = &test->params[0];
    if (strstr(test->name, "acc_sat"))
        give_saturated(a, r,
                       (types[result->type].is_signed ? (__int128)a->call->in[2][0].s : (__int128)a->call->in[2][0].u) +
                           sum);
    else
        give_bits(a, r, (uint64_t)sum);
}

/* Conversions (6.4.3): the mode and saturation from the name. */
static mpfr_rnd_t rounding_mode(const char *name, bool to_integer)
{
    static const struct {
        const char *suffix;
        mpfr_rnd_t mode;
    } modes[] = {{"_rte", MPFR_RNDN}, {"_rtz", MPFR_RNDZ}, {"_rtp", MPFR_RNDU}, {"_rtn", MPFR_RNDD}};
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        if (strstr(name, modes[i].suffix))
            return modes[i].mode;
    return to_integer ? MPFR_RNDZ : MPFR_RNDN;
}

static double round_to_format(const struct lane_args *a, enum type to, mpfr_rnd_t mode)
{
    const struct format *format = type_format(to);
    mpfr_t exact, rounded;
    mpfr_init2(exact, 64);
    mpfr_init2(rounded, format->digits);
    if (type_is_float(a->type))
        mpfr_set_d(exact, X, MPFR_RNDN);
    else if (types[a->type].is_signed)
        mpfr_set_sj(exact, a->x.s, MPFR_RNDN);
    else
        mpfr_set_uj(exact, a->x.u, MPFR_RNDN);
    mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    int inexact = mpfr_set(rounded, exact, mode);
    mpfr_set_emin(format->least - format->digits + 2);
    mpfr_set_emax(format->greatest + 1);
    inexact = mpfr_check_range(rounded, inexact, mode);
    mpfr_subnormalize(rounded, inexact, mode);
    double d = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    mpfr_clears(exact, rounded, (mpfr_ptr)0);
    return d;
}

FUNCTION(convert)
{
    const struct test_case *test = a->call->test;
    enum type to = test->params[0].type;
    mpfr_rnd_t mode = rounding_mode(test->name, !type_is_float(to));
    bool saturate = strstr(test->name, "_sat") != NULL;
    if (type_is_float(to)) {
        give(r, (union number){.f = type_is_float(a->type) && !isfinite(X) ? X : round_to_format(a, to, mode)});
        return;
    }
    if (!type_is_float(a->type)) {
        __int128 x = wide(a, a->x);
        if (saturate)
            give_saturated(a, r, x);
        else
            give_bits(a, r, (uint64_t)x);
        return;
    }
    double whole = mode == MPFR_RNDN ? rint(X) : mode == MPFR_RNDZ ? trunc(X) : mode == MPFR_RNDU ? ceil(X) : floor(X);
    whole = isnan(whole) ? 0.0 : fmin(fmax(whole, -0x1p100), 0x1p100);
    give_saturated(a, r, (__int128)whole);
    double in_range = types[to].is_signed ? (double)r->values[0].s : (double)r->values[0].u;
    r->any = !saturate && (isnan(X) || whole != in_range);
}

static const struct {
    const char *name;
    exact_function *function;
} exact_functions[] = {
#define ROW(name) {#name, name##_exact},
    ROW(ceil) ROW(floor) ROW(trunc) ROW(rint) ROW(round) ROW(fabs) ROW(copysign) ROW(fdim) ROW(fmod) ROW(remainder)
        ROW(logb) ROW(nan) ROW(fma) ROW(mad) ROW(fmax) ROW(fmin) ROW(maxmag) ROW(minmag) ROW(fract) ROW(frexp) ROW(modf)
            ROW(ilogb) ROW(ldexp) ROW(nextafter) ROW(remquo) ROW(degrees) ROW(radians) ROW(step) ROW(sign) ROW(mix)
                ROW(smoothstep) ROW(length) ROW(distance) ROW(normalize) ROW(fast_length) ROW(fast_distance)
                    ROW(fast_normalize) ROW(cross) ROW(isequal) ROW(isnotequal) ROW(isgreater) ROW(isgreaterequal)
                        ROW(isless) ROW(islessequal) ROW(islessgreater) ROW(isordered) ROW(isunordered) ROW(isfinite)
                            ROW(isinf) ROW(isnan) ROW(isnormal) ROW(signbit) ROW(any) ROW(all) ROW(bitselect)
                                ROW(select) ROW(abs) ROW(abs_diff) ROW(add_sat) ROW(sub_sat) ROW(hadd) ROW(rhadd)
                                    ROW(mul_hi) ROW(mad_hi) ROW(upsample) ROW(popcount) ROW(clz) ROW(ctz) ROW(mad_sat)
                                        ROW(rotate) ROW(mad24) ROW(mul24) ROW(bitfield_insert)
                                            ROW(bitfield_extract_signed) ROW(bitfield_extract_unsigned) ROW(bit_reverse)
#undef ROW
                                                {"lgamma", loggamma_exact},
    {"lgamma_r", loggamma_exact},
};

/* Names that integers and floats share have two references. */
static exact_function *find(const struct test_case *test)
{
    bool is_float = type_is_float(test->element);
    if (!strncmp(test->name, "convert_", 8))
        return convert_exact;
    if (!strncmp(test->name, "dot", 3))
        return is_float ? dot_exact : byte_dot_exact;
    if (!strcmp(test->name, "clamp"))
        return is_float ? fclamp_exact : clamp_exact;
    if (!strcmp(test->name, "max"))
        return is_float ? max_common_exact : max_exact;
    if (!strcmp(test->name, "min"))
        return is_float ? min_common_exact : min_exact;
    for (size_t i = 0; i < ARRAY_SIZE(exact_functions); i++)
        if (!strcmp(exact_functions[i].name, test->name))
            return exact_functions[i].function;
    return NULL;
}

static union number argument(const struct call *call, uint32_t index, uint32_t lane)
{
    if (index >= call->test->num_params)
        return (union number){0};
    return call->in[index][param_lanes(&call->test->params[1 + index], call->width) == 1 ? 0 : lane];
}

bool exact_reference(const struct call *call, uint32_t lane, struct answer *answer)
{
    exact_function *function = find(call->test);
    *answer = (struct answer){0};
    if (!function)
        return false;
    struct lane_args args = {.call = call, .lane = lane, .type = call->test->params[1].type};
    args.bits = type_bits(args.type);
    args.x = argument(call, 0, lane);
    args.y = argument(call, 1, lane);
    args.z = argument(call, 2, lane);
    if (!strcmp(call->test->name, "nan"))
        args.type = call->test->element;
    function(&args, answer);
    return true;
}
