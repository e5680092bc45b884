#include "precision.h"

#include <math.h>
#include <string.h>

const struct type_info types[] = {{"char", 1, true}, {"uchar", 1, false}, {"short", 2, true}, {"ushort", 2, false},
                                  {"int", 4, true},  {"uint", 4, false},  {"long", 8, true},  {"ulong", 8, false},
                                  {"half", 2, true}, {"float", 4, true},  {"double", 8, true}};

const struct test_case test_cases[] = {
#include "cases.inc"
};
const size_t num_test_cases = ARRAY_SIZE(test_cases);

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(mantissa, -24)
                                       : ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t half_from_double(double d)
{
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    double magnitude = fabs(d);
    if (isnan(d))
        return sign | 0x7e00;
    if (isinf(d))
        return sign | 0x7c00;
    if (magnitude < 0x1p-14)
        return sign | (uint16_t)ldexp(magnitude, 24);
    int exponent;
    double mantissa = frexp(magnitude, &exponent);
    return sign | (uint16_t)((exponent + 14) << 10 | ((int)ldexp(mantissa, 11) & 0x3ff));
}

double round_to(enum type type, double d)
{
    if (type == TYPE_DOUBLE)
        return d;
    if (type == TYPE_FLOAT)
        return (double)(float)d;
    if (!isfinite(d) || d == 0.0)
        return d;
    int exponent = ilogb(d) < -14 ? -14 : ilogb(d);
    double rounded = ldexp(rint(ldexp(d, 10 - exponent)), exponent - 10);
    return fabs(rounded) > 65504.0 ? copysign(INFINITY, d) : rounded;
}

union number number_load(enum type type, const void *data, size_t index)
{
    union number n = {0};
    const char *at = (const char *)data + index * types[type].size;
    uint64_t bits = 0;
    float f;
    memcpy(&bits, at, types[type].size);
    if (type == TYPE_HALF) {
        n.f = half_to_double((uint16_t)bits);
    } else if (type == TYPE_FLOAT) {
        memcpy(&f, at, sizeof(f));
        n.f = (double)f;
    } else {
        n.u = bits;
        uint32_t spare = 64 - type_bits(type);
        if (types[type].is_signed && spare)
            n.s = (int64_t)(bits << spare) >> spare;
    }
    return n;
}

void number_store(enum type type, void *data, size_t index, union number n)
{
    char *at = (char *)data + index * types[type].size;
    if (type == TYPE_HALF)
        n.u = half_from_double(round_to(TYPE_HALF, n.f));
    float f = (float)n.f;
    if (type == TYPE_FLOAT)
        memcpy(at, &f, sizeof(f));
    else
        memcpy(at, &n.u, types[type].size);
}
