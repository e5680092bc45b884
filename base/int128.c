/* What is longer of integers of 128 bits. Nothing here is called often: quotients come bit by bit. */
#include "int128.h"

#include <math.h>

static struct int128 magnitude(struct int128 a)
{
    return int128_top_bit(a) ? int128_negate(a) : a;
}

bool int128_multiply_overflows(struct int128 a, struct int128 b)
{
    if (int128_is_zero(a) || int128_is_zero(b))
        return false;
    bool negative = int128_top_bit(a) != int128_top_bit(b);
    struct int128 most = {UINT64_MAX, INT64_MAX}, rest;
    if (negative) /* one more than there are positive ones */
        most = (struct int128){0, (uint64_t)1 << 63};
    return int128_less_unsigned(int128_divide_unsigned(most, magnitude(a), &rest), magnitude(b));
}

struct int128 int128_divide_unsigned(struct int128 a, struct int128 b, struct int128 *rest)
{
    struct int128 quotient = {0, 0}, left = {0, 0};
    for (unsigned bit = 128; bit-- > 0;) {
        bool carried = int128_top_bit(left); /* left would have a bit 128 */
        left = int128_shift_left(left, 1);
        left.low |= int128_shift_right(a, bit).low & 1;
        if (!carried && int128_less_unsigned(left, b))
            continue;
        left = int128_subtract(left, b);
        *(bit >= 64 ? &quotient.high : &quotient.low) |= (uint64_t)1 << bit % 64;
    }
    *rest = left;
    return quotient;
}

struct int128 int128_divide_signed(struct int128 a, struct int128 b, struct int128 *rest)
{
    struct int128 quotient = int128_divide_unsigned(magnitude(a), magnitude(b), rest);
    if (int128_top_bit(a))
        *rest = int128_negate(*rest);
    return int128_top_bit(a) != int128_top_bit(b) ? int128_negate(quotient) : quotient;
}

/* The upper 64 bits of the magnitude from its first one on; the last says whether anything below is set, so that a
 * conversion of them rounds as one of the whole number would. *exponent: what they are to be multiplied by. */
static uint64_t leading(struct int128 value, int *exponent)
{
    if (!value.high) {
        *exponent = 0;
        return value.low;
    }
    unsigned zeros = (unsigned)__builtin_clzll(value.high);
    struct int128 shifted = int128_shift_left(value, zeros);
    *exponent = 64 - (int)zeros;
    return shifted.high | (shifted.low != 0);
}

float int128_to_float(struct int128 value, bool is_signed)
{
    bool negative = is_signed && int128_top_bit(value);
    int exponent;
    uint64_t bits = leading(negative ? int128_negate(value) : value, &exponent);
    float result = (float)ldexp((float)bits, exponent);
    return negative ? -result : result;
}

double int128_to_double(struct int128 value, bool is_signed)
{
    bool negative = is_signed && int128_top_bit(value);
    int exponent;
    uint64_t bits = leading(negative ? int128_negate(value) : value, &exponent);
    double result = ldexp((double)bits, exponent);
    return negative ? -result : result;
}
