/* Floating constants to the nearest value of their own type, in one rounding and without the C library, whose strtod
 * follows the process's locale and knows no half.
 *
 * Short decimals take Clinger's way: an integer below 2^53 times or divided by an exact power of ten is one correctly
 * rounded double operation; for a narrower type the second rounding is harmless unless the double lies exactly between
 * two of its values. All else is done in long integers: the digits over a power of two are divided to 64 bits and a
 * sticky bit, which is then rounded once. */
#include "compiler/front/pp/pp.h"

#include <math.h>
#include <string.h>

enum {
    MAX_DIGITS = 800, /* more cannot change the nearest double, once it is known whether they are all zero */
    MAX_LIMBS = 320,  /* 10^1200 and 800 digits shifted by as much, in 32 bits each */
};

struct format {
    int precision, min_exponent, max_exponent; /* of the leading bit */
};

static const struct format formats[] = {
    [LITERAL_HALF] = {11, -14, 15},
    [LITERAL_FLOAT] = {24, -126, 127},
    [LITERAL_DOUBLE] = {53, -1022, 1023},
};

/* mantissa * 2^exponent, more when sticky; mantissa's top bit is set. */
static enum float_result round_binary(uint64_t mantissa, int64_t exponent, bool sticky, enum literal_type type,
                                      double *value)
{
    const struct format *format = &formats[type];
    int64_t leading = exponent + 63;
    if (leading > format->max_exponent) {
        *value = INFINITY;
        return FLOAT_OVERFLOW;
    }
    int64_t drop = 64 - format->precision;
    if (leading < format->min_exponent)
        drop += format->min_exponent - leading;
    if (drop > 65) {
        *value = 0;
        return FLOAT_UNDERFLOW;
    }
    uint64_t kept = drop >= 64 ? 0 : mantissa >> drop;
    bool half = drop > 64 ? false : mantissa >> (drop - 1) & 1;
    uint64_t below = drop > 64 ? mantissa : drop == 64 ? mantissa << 1 : mantissa << (65 - drop);
    if (half && (below || sticky || (kept & 1)))
        kept++;
    *value = ldexp((double)kept, (int)(exponent + drop));
    if (*value >= ldexp(1, format->max_exponent + 1 < 1024 ? format->max_exponent + 1 : 1023) &&
        (isinf(*value) || type != LITERAL_DOUBLE)) {
        *value = INFINITY;
        return FLOAT_OVERFLOW;
    }
    return kept ? FLOAT_FINE : FLOAT_UNDERFLOW;
}

/* ---- natural numbers ---- */

struct natural {
    uint32_t count; /* limbs in use; the highest is not 0 */
    uint32_t limb[MAX_LIMBS];
};

static void multiply_add(struct natural *n, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        n->limb[n->count++] = (uint32_t)carry;
}

static void multiply_power_of_ten(struct natural *n, uint32_t power)
{
    for (; power >= 9; power -= 9)
        multiply_add(n, 1000000000, 0);
    for (; power; power--)
        multiply_add(n, 10, 0);
}

static uint32_t bit_length(const struct natural *n)
{
    return n->count ? n->count * 32 - (uint32_t)__builtin_clz(n->limb[n->count - 1]) : 0;
}

static void shift_left(struct natural *n, uint32_t bits)
{
    uint32_t limbs = bits / 32;
    if (bits % 32)
        multiply_add(n, 1u << bits % 32, 0);
    if (!limbs || !n->count)
        return;
    memmove(n->limb + limbs, n->limb, n->count * sizeof(uint32_t));
    memset(n->limb, 0, limbs * sizeof(uint32_t));
    n->count += limbs;
}

/* a -= b where a >= b; false, and a unchanged, when it is not. */
static bool subtract(struct natural *a, const struct natural *b)
{
    if (a->count != b->count) {
        if (a->count < b->count)
            return false;
    } else {
        uint32_t i = a->count;
        while (i && a->limb[i - 1] == b->limb[i - 1])
            i--;
        if (i && a->limb[i - 1] < b->limb[i - 1])
            return false;
    }
    int64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count && !a->limb[a->count - 1])
        a->count--;
    return true;
}

/* numerator / denominator = mantissa * 2^exponent, mantissa's top bit set, and the rest in sticky. */
static void divide(struct natural *numerator, struct natural *denominator, uint64_t *mantissa, int64_t *exponent,
                   bool *sticky)
{
    int64_t shift = (int64_t)bit_length(denominator) - bit_length(numerator);
    if (shift > 0)
        shift_left(numerator, (uint32_t)shift);
    else
        shift_left(denominator, (uint32_t)-shift);
    *exponent = -shift;
    *mantissa = 0;
    /* both have the same length: the quotient is between 1/2 and 2, one bit per step */
    for (;;) {
        bool bit = subtract(numerator, denominator);
        *mantissa = *mantissa << 1 | bit;
        if (*mantissa >> 63)
            break;
        multiply_add(numerator, 2, 0);
        --*exponent;
    }
    *sticky = numerator->count != 0;
}

/* ---- decimal ---- */

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool clinger(uint64_t digits, int64_t exponent, double *value)
{
    if (digits >> 53 || exponent < -22 || exponent > 22)
        return false;
    *value = exponent < 0 ? (double)digits / powers_of_ten[-exponent] : (double)digits * powers_of_ten[exponent];
    return true;
}

/* Rounds a double to the narrower type. Returns false when the result is no normal number of that type. The double may
 * be off by 2^slack units in its last place either way: false also when that could change the result. */
static bool narrow(double *value, enum literal_type type, int slack)
{
    const struct format *format = &formats[type];
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    int leading = (int)(bits >> 52) - 1023, drop = 53 - format->precision;
    if (leading < format->min_exponent || leading >= format->max_exponent)
        return false;
    uint64_t half = 1ull << (drop - 1), rest = bits & ((1ull << drop) - 1), doubt = 1ull << slack;
    if (rest - (half - doubt) <= 2 * doubt)
        return false;
    bits = (bits + half) & ~((1ull << drop) - 1);
    memcpy(value, &bits, sizeof(bits));
    return true;
}

/* digits: the first 19 of count. */
static bool convert_short(uint64_t digits, uint32_t count, int64_t exponent, enum literal_type type, double *value)
{
    if (count <= 19 && clinger(digits, exponent, value))
        return type == LITERAL_DOUBLE || narrow(value, type, 0);
    int64_t scale = exponent + (count > 19 ? count - 19 : 0);
    if (type == LITERAL_DOUBLE || scale < -22 || scale > 22)
        return false;
    *value = scale < 0 ? (double)digits / powers_of_ten[-scale] : (double)digits * powers_of_ten[scale];
    return narrow(value, type, 2);
}

static enum float_result convert_decimal(const char *digits, uint32_t count, int64_t exponent, bool sticky,
                                         enum literal_type type, double *value)
{
    if (exponent + (int64_t)count > 400) {
        *value = INFINITY;
        return FLOAT_OVERFLOW;
    }
    if (exponent + (int64_t)count < -400) {
        *value = 0;
        return FLOAT_UNDERFLOW;
    }
    struct natural numerator = {0}, denominator = {.count = 1, .limb = {1}};
    for (uint32_t i = 0; i < count; i++)
        multiply_add(&numerator, 10, (uint32_t)(digits[i] - '0'));
    if (exponent > 0)
        multiply_power_of_ten(&numerator, (uint32_t)exponent);
    else
        multiply_power_of_ten(&denominator, (uint32_t)-exponent);
    uint64_t mantissa;
    int64_t binary;
    bool rest;
    divide(&numerator, &denominator, &mantissa, &binary, &rest);
    return round_binary(mantissa, binary, rest || sticky, type, value);
}

/* "e+12" at p, kept within what cannot overflow. */
static bool parse_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '+' || *p == '-');
    if (p == end)
        return false;
    int64_t magnitude = 0;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return false;
        if (magnitude < (int64_t)1 << 40)
            magnitude = magnitude * 10 + (*p - '0');
    }
    *exponent = negative ? -magnitude : magnitude;
    return true;
}

static enum float_result parse_decimal(const char *p, const char *end, enum literal_type type, double *value)
{
    char digits[MAX_DIGITS];
    uint32_t count = 0;
    int64_t exponent = 0, written = 0;
    uint64_t small = 0;
    bool point = false, sticky = false, any = false;
    for (; p < end && (*p == '.' || (*p >= '0' && *p <= '9')); p++) {
        if (*p == '.') {
            if (point)
                return FLOAT_MALFORMED;
            point = true;
            continue;
        }
        any = true;
        exponent -= point;
        if (!count && *p == '0')
            continue;
        if (count == MAX_DIGITS) {
            sticky = sticky || *p != '0';
            exponent++;
            continue;
        }
        if (count < 19)
            small = small * 10 + (uint64_t)(*p - '0');
        digits[count++] = *p;
    }
    if (!any)
        return FLOAT_MALFORMED;
    if (p < end && (*p == 'e' || *p == 'E')) {
        if (!parse_exponent(p + 1, end, &written))
            return FLOAT_MALFORMED;
        p = end;
    }
    if (p != end)
        return FLOAT_MALFORMED;
    exponent += written;
    *value = 0;
    if (!count)
        return FLOAT_FINE;
    if (convert_short(small, count, exponent, type, value))
        return FLOAT_FINE;
    return convert_decimal(digits, count, exponent, sticky, type, value);
}

/* ---- hexadecimal ---- */

static enum float_result parse_hex(const char *p, const char *end, enum literal_type type, double *value)
{
    uint64_t mantissa = 0;
    int64_t exponent = 0, written = 0;
    bool point = false, sticky = false, any = false;
    for (; p < end && *p != 'p' && *p != 'P'; p++) {
        if (*p == '.') {
            if (point)
                return FLOAT_MALFORMED;
            point = true;
            continue;
        }
        int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                    : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                    : *p >= 'A' && *p <= 'F' ? *p - 'A' + 10
                                             : -1;
        if (digit < 0)
            return FLOAT_MALFORMED;
        any = true;
        if (mantissa >> 60) {
            sticky = sticky || digit;
            exponent += point ? 0 : 4;
        } else {
            mantissa = mantissa << 4 | (uint64_t)digit;
            exponent -= point ? 4 : 0;
        }
    }
    if (!any || p == end || !parse_exponent(p + 1, end, &written))
        return FLOAT_MALFORMED;
    *value = 0;
    if (!mantissa)
        return FLOAT_FINE;
    int shift = __builtin_clzll(mantissa);
    return round_binary(mantissa << shift, exponent + written - shift, sticky, type, value);
}

enum float_result pp_literal_parse_float(const char *text, size_t length, enum literal_type type, double *value)
{
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_hex(text + 2, text + length, type, value);
    return parse_decimal(text, text + length, type, value);
}
