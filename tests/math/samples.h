/* Arguments for the tests of the math bodies: special values first, then random ones of several kinds, since uniform
 * bits alone hit neither the thresholds of a function nor the places where it is hard to compute. Same numbers in each
 * run. */
#pragma once

#include <stdint.h>

union value {
    uint64_t bits;
    float f;
    double d;
    int32_t i;
};

struct samples {
    uint64_t state;
    int digits;   /* 24 or 53 (floats or doubles) */
    double limit; /* arguments of most interest are in [-limit, limit] */
};

uint32_t samples_random(struct samples *s);
/* argument number n: the first ones are the special values, in order */
union value samples_argument(struct samples *s, uint32_t n);
/* how many special values there are */
uint32_t samples_special_count(void);
union value samples_special(struct samples *s, uint32_t n);
/* exponents for pown and rootn, scale for ldexp */
int samples_integer(struct samples *s, uint32_t n);
