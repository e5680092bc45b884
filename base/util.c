/* Binary16 conversions in integers, because not every compiler that builds us has _Float16 and because a double must
 * reach half with one rounding (through float it would be rounded twice). */
#include "util.h"

#include <string.h>
#include <time.h>

uint16_t half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    uint64_t fraction = bits & 0xfffffffffffffu;
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff)
        return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    exponent -= 1023;
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent < -25)
        return sign;
    /* Keeps the 11 significant bits of a normal half; fewer below 2^-14. */
    uint64_t significand = fraction | (uint64_t)1 << 52;
    int shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* If rounding carries into the exponent, that is right: it gives the next power of two, or infinity. */
    uint64_t biased = exponent >= -14 ? (uint64_t)(exponent + 14) << 10 : 0;
    return (uint16_t)(sign | (biased + kept));
}

uint16_t half_from_float(float value)
{
    return half_from_double(value);
}

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff, bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

uint64_t time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t float_to_bits(double value, uint32_t width)
{
    uint64_t bits;
    uint32_t word;
    float narrow = (float)value;
    if (width == 16)
        return half_from_double(value);
    memcpy(&bits, &value, sizeof(bits));
    memcpy(&word, &narrow, sizeof(word));
    return width == 64 ? bits : word;
}
