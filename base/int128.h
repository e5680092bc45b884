/* Integers of 128 bits, in two's complement. Compilers for 32-bit systems have none of their own, and constants of
 * OpenCL C may be that wide. One type serves signed and unsigned numbers: a function that tells them apart says so by
 * its name. Counts of shifts are below 128. */
#ifndef BASE_INT128_H
#define BASE_INT128_H

#include <stdbool.h>
#include <stdint.h>

struct int128 {
    uint64_t low, high;
};

static inline struct int128 int128_of_unsigned(uint64_t value)
{
    return (struct int128){value, 0};
}

static inline struct int128 int128_of_signed(int64_t value)
{
    return (struct int128){(uint64_t)value, value < 0 ? UINT64_MAX : 0};
}

static inline bool int128_is_zero(struct int128 a)
{
    return !(a.low | a.high);
}

/* The sign of one that is taken for signed. */
static inline bool int128_top_bit(struct int128 a)
{
    return a.high >> 63;
}

static inline bool int128_equal(struct int128 a, struct int128 b)
{
    return a.low == b.low && a.high == b.high;
}

static inline bool int128_less_unsigned(struct int128 a, struct int128 b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static inline bool int128_less_signed(struct int128 a, struct int128 b)
{
    return a.high != b.high ? (int64_t)a.high < (int64_t)b.high : a.low < b.low;
}

static inline struct int128 int128_not(struct int128 a)
{
    return (struct int128){~a.low, ~a.high};
}

static inline struct int128 int128_add(struct int128 a, struct int128 b)
{
    uint64_t low = a.low + b.low;
    return (struct int128){low, a.high + b.high + (low < a.low)};
}

static inline struct int128 int128_subtract(struct int128 a, struct int128 b)
{
    return (struct int128){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

static inline struct int128 int128_negate(struct int128 a)
{
    return int128_subtract((struct int128){0, 0}, a);
}

static inline struct int128 int128_shift_left(struct int128 a, unsigned count)
{
    if (count >= 64)
        return (struct int128){0, a.low << (count - 64)};
    return count ? (struct int128){a.low << count, a.high << count | a.low >> (64 - count)} : a;
}

/* Zeros come in. */
static inline struct int128 int128_shift_right(struct int128 a, unsigned count)
{
    if (count >= 64)
        return (struct int128){a.high >> (count - 64), 0};
    return count ? (struct int128){a.low >> count | a.high << (64 - count), a.high >> count} : a;
}

/* Copies of the sign come in. */
static inline struct int128 int128_shift_right_signed(struct int128 a, unsigned count)
{
    return int128_top_bit(a) ? int128_not(int128_shift_right(int128_not(a), count)) : int128_shift_right(a, count);
}

/* The whole product of two numbers of 64 bits. */
static inline struct int128 int128_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    return (struct int128){(uint64_t)product, (uint64_t)(product >> 64)};
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), first = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t second = (a & UINT32_MAX) * (b >> 32) + (first & UINT32_MAX);
    return (struct int128){second << 32 | (low & UINT32_MAX), (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32)};
#endif
}

static inline struct int128 int128_multiply(struct int128 a, struct int128 b)
{
    struct int128 product = int128_product(a.low, b.low);
    product.high += a.low * b.high + a.high * b.low;
    return product;
}

/* Whether the product of two signed numbers needs more than 128 bits. */
bool int128_multiply_overflows(struct int128 a, struct int128 b);
/* The quotient, rounded towards zero, and what remains. b is not 0, and the least number by -1 gives itself. */
struct int128 int128_divide_unsigned(struct int128 a, struct int128 b, struct int128 *rest);
struct int128 int128_divide_signed(struct int128 a, struct int128 b, struct int128 *rest);
/* The nearest float or double; of two as near the even one. */
float int128_to_float(struct int128 value, bool is_signed);
double int128_to_double(struct int128 value, bool is_signed);

#endif
