#include "small_reference.h"

#include <math.h>

const struct small_format small_formats[SMALL_FORMATS] = {
    [SMALL_BFLOAT16] = {"bfloat16", SMALL_USUAL, 16, 7, -126, 0x7f7f, 0x7f80, 0x7fc0, true, true, 0},
    [SMALL_E5M2] = {"e5m2", SMALL_USUAL, 8, 2, -14, 0x7b, 0x7c, 0x7f, true, true, 15},
    [SMALL_E4M3] = {"e4m3", SMALL_USUAL, 8, 3, -6, 0x7e, 0x7f, 0x7f, false, true, 8},
    [SMALL_E3M2] = {"e3m2", SMALL_USUAL, 6, 2, -2, 0x1f, 0x1f, 0x1f, false, false, 4},
    [SMALL_E2M3] = {"e2m3", SMALL_USUAL, 6, 3, 0, 0x1f, 0x1f, 0x1f, false, false, 2},
    [SMALL_E2M1] = {"e2m1", SMALL_USUAL, 4, 1, 0, 0x7, 0x7, 0x7, false, false, 2},
    [SMALL_E8M0] = {"e8m0", SMALL_SCALE, 8, 0, 0, 0xfe, 0xff, 0xff, false, true, 0},
    [SMALL_MXINT8] = {"mxint8", SMALL_FIXED, 8, 6, 0, 0x7f, 0x7f, 0x7f, false, false, 0},
    [SMALL_HALF] = {"half", SMALL_USUAL, 16, 10, -14, 0x7bff, 0x7c00, 0x7e00, true, true, 0},
    [SMALL_FLOAT] = {"float", SMALL_USUAL, 32, 23, -126, 0x7f7fffff, 0x7f800000, 0x7fc00000, true, true, 0},
};

/* Of a magnitude, which may be one more than the largest. */
static double magnitude_value(const struct small_format *format, uint32_t magnitude)
{
    if (format->kind == SMALL_SCALE)
        return ldexp(1, (int)magnitude - 127);
    if (format->kind == SMALL_FIXED)
        return ldexp(magnitude, -(int)format->point);
    uint32_t exponent = magnitude >> format->point, fraction = magnitude & ((1u << format->point) - 1);
    if (!exponent)
        return ldexp(fraction, format->least - (int)format->point);
    return ldexp(fraction + (1u << format->point), (int)exponent - 1 + format->least - (int)format->point);
}

static uint32_t sign_of(const struct small_format *format)
{
    return format->kind == SMALL_SCALE ? 0 : 1u << (format->bits - 1);
}

double small_value(const struct small_format *format, uint32_t code)
{
    uint32_t sign = code & sign_of(format), magnitude = code & ~sign;
    if (format->kind == SMALL_FIXED)
        return ldexp((int8_t)code, -(int)format->point);
    if (format->has_infinity && magnitude == format->infinite)
        return sign ? -INFINITY : INFINITY;
    if (format->has_nan && magnitude > format->largest)
        return sign ? -(double)NAN : (double)NAN;
    return sign ? -magnitude_value(format, magnitude) : magnitude_value(format, magnitude);
}

/* The largest magnitude, at most one above the format's, whose value is not above it. */
static uint32_t magnitude_below(const struct small_format *format, double value)
{
    uint32_t low = 0, high = format->largest + 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (magnitude_value(format, middle) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static uint32_t rounded(const struct small_format *format, double value, enum rounding rounding, bool negative)
{
    uint32_t below = magnitude_below(format, value);
    double down = magnitude_value(format, below), up = magnitude_value(format, below + 1), middle = (down + up) / 2;
    if (down >= value || below > format->largest)
        return below; /* exact, below the least scale, or too large */
    switch (rounding) {
    case TO_NEAREST:
        return value > middle || (value >= middle && (below & 1)) ? below + 1 : below;
    case TO_PLUS_INFINITY:
        return below + !negative;
    case TO_MINUS_INFINITY:
        return below + negative;
    default:
        return below;
    }
}

static uint32_t magnitude_code(const struct small_format *format, double value, enum rounding rounding, bool negative,
                               bool saturates)
{
    bool towards_zero = rounding == TO_ZERO || rounding == (negative ? TO_PLUS_INFINITY : TO_MINUS_INFINITY);
    if (isinf(value))
        return saturates ? format->largest : format->infinite;
    uint32_t magnitude = rounded(format, value, rounding, negative);
    if (magnitude <= format->largest)
        return magnitude;
    return saturates || towards_zero ? format->largest : format->infinite;
}

uint32_t small_code(const struct small_format *format, double value, enum rounding rounding, bool saturates)
{
    bool negative = signbit(value) != 0;
    if (format->kind == SMALL_SCALE && (isnan(value) || value < 0))
        return format->nan;
    uint32_t magnitude =
        isnan(value) ? format->nan : magnitude_code(format, fabs(value), rounding, negative, saturates);
    if (format->kind == SMALL_FIXED)
        return (negative ? 0 - magnitude : magnitude) & 0xff;
    return (negative ? sign_of(format) : 0) | magnitude;
}

bool small_same(const struct small_format *format, uint32_t a, uint32_t b)
{
    return a == b || (isnan(small_value(format, a)) && isnan(small_value(format, b)));
}
