/* Small helpers that every part uses. */
#ifndef BASE_UTIL_H
#define BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LENGTH(array)                 (sizeof(array) / sizeof((array)[0]))
#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

/* align must be a power of two */
static inline uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static inline bool is_power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t u64_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Sizes that follow from an application's numbers. What 64 bits have no room for becomes UINT64_MAX, which is more than
 * there is of anything: the comparison with what there is then refuses it, as it refuses other sizes that are too
 * large. Chains of these keep that value. */
static inline uint64_t size_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t size_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* IEEE 754 binary16 in the low bits; round to nearest even, one rounding only. */
uint16_t half_from_float(float value);
uint16_t half_from_double(double value);
/* The bits of a float of 16, 32 or 64 bits that is nearest to the value. */
uint64_t float_to_bits(double value, uint32_t width);
float half_to_float(uint16_t bits);

/* Nanoseconds of the monotonic clock. */
uint64_t time_ns(void);

#endif
