#include "samples.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

uint32_t samples_random(struct samples *s)
{
    s->state = s->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(s->state >> 32);
}

static uint64_t random_64(struct samples *s)
{
    uint64_t high = samples_random(s);
    return high << 32 | samples_random(s);
}

static double unit(struct samples *s)
{
    return (double)(random_64(s) >> 11) * 0x1p-53;
}

static union value number(const struct samples *s, double d)
{
    union value v = {0};
    if (s->digits == 24)
        v.f = (float)d;
    else
        v.d = d;
    return v;
}

/* the number that is some units in the last place away from v */
static union value neighbour(const struct samples *s, union value v, int away)
{
    if (s->digits == 24) {
        uint32_t bits = (uint32_t)v.bits + (uint32_t)away;
        v.bits = bits;
    } else {
        v.bits += (uint64_t)(int64_t)away;
    }
    return v;
}

static const double special[] = {0.0,
                                 1.0,
                                 2.0,
                                 0.5,
                                 3.0,
                                 4.0,
                                 1.5,
                                 2.5,
                                 3.5,
                                 0.25,
                                 0.75,
                                 10.0,
                                 100.0,
                                 127.0,
                                 128.0,
                                 149.0,
                                 150.0,
                                 1023.0,
                                 1024.0,
                                 1074.0,
                                 1075.0,
                                 0x1p23,
                                 0x1p24,
                                 0x1p25,
                                 0x1p31,
                                 0x1p32,
                                 0x1p52,
                                 0x1p53,
                                 0x1p54,
                                 0x1p63,
                                 0x1p64,
                                 0x1.921fb54442d18p+0,
                                 0x1.921fb54442d18p+1,
                                 0x1.62e42fefa39efp-1,
                                 0x1.5bf0a8b145769p+1,
                                 0x1.62e42fefa39efp+6,
                                 0x1.62e42fefa39efp+9,
                                 0x1.6a09e667f3bcdp-1,
                                 0x1.a827999fcef32p-2,
                                 0x1p-24,
                                 0x1p-25,
                                 0x1p-53,
                                 0x1p-54,
                                 0x1p-12,
                                 0x1p-27,
                                 0x1p100,
                                 0x1p-100,
                                 0x1p500,
                                 0x1p-500,
                                 34.0,
                                 35.0,
                                 36.0,
                                 170.0,
                                 171.0,
                                 172.0};
static const uint32_t special_floats[] = {1,          2,          3,         0x7fffff,   0x800000,
                                          0x800001,   0xffffff,   0x1000000, 0x7f7fffff, 0x7f7ffffe,
                                          0x7f000000, 0x7f800000, 0x7fc00000};
static const uint64_t special_doubles[] = {1,
                                           2,
                                           3,
                                           0xfffffffffffff,
                                           0x10000000000000,
                                           0x10000000000001,
                                           0x1fffffffffffff,
                                           0x20000000000000,
                                           0x7fefffffffffffff,
                                           0x7feffffffffffffe,
                                           0x7fe0000000000000,
                                           0x7ff0000000000000,
                                           0x7ff8000000000000};
_Static_assert(ARRAY_SIZE(special_floats) == ARRAY_SIZE(special_doubles), "both formats have the same special values");

uint32_t samples_special_count(void)
{
    return 2 * (uint32_t)(ARRAY_SIZE(special) + ARRAY_SIZE(special_floats));
}

union value samples_special(struct samples *s, uint32_t n)
{
    uint32_t index = n / 2 % (uint32_t)(ARRAY_SIZE(special) + ARRAY_SIZE(special_floats));
    union value v = {0};
    if (index < ARRAY_SIZE(special))
        v = number(s, special[index]);
    else if (s->digits == 24)
        v.bits = special_floats[index - ARRAY_SIZE(special)];
    else
        v.bits = special_doubles[index - ARRAY_SIZE(special)];
    if (n & 1)
        v.bits ^= s->digits == 24 ? 0x80000000u : 0x8000000000000000ull;
    return v;
}

union value samples_argument(struct samples *s, uint32_t n)
{
    if (n < samples_special_count())
        return samples_special(s, n);
    uint64_t bits = random_64(s);
    double sign = bits & 1 ? -1.0 : 1.0, u = unit(s);
    int away = (int)(bits >> 8 & 7) - 3, narrow = (int)(bits >> 16) & 63;
    union value v = {0};
    switch (n % 9) {
    case 0: /* any bits */
        v.bits = s->digits == 24 ? bits >> 32 : bits;
        return v;
    case 1: /* any middling exponent */
        return number(s, sign * ldexp(1.0 + u, narrow - 32));
    case 2:
        return number(s, sign * u);
    case 3:
    case 8:
        return number(s, sign * u * s->limit);
    case 4: /* near halves of integers */
        return neighbour(s, number(s, sign * 0.5 * floor(ldexp(u, narrow % 28))), away);
    case 5: /* near multiples of pi/2 */
        return neighbour(s, number(s, sign * M_PI_2 * floor(ldexp(u, narrow % 50))), away);
    case 6: /* near 1 */
        return number(s, sign * (1.0 + (bits & 2 ? -1.0 : 1.0) * ldexp(u, -(narrow % (s->digits + 1)))));
    default: /* the edges: subnormal, just normal, nearly infinite */
        if (bits & 2)
            v = neighbour(s, samples_special(s, samples_special_count() - 8),
                          -(int)(samples_random(s) >> (narrow & 31)));
        else
            v.bits = s->digits == 24 ? (bits >> 40) >> (narrow % 24) : (bits >> 11) >> (narrow % 53);
        if (bits & 1)
            v.bits ^= s->digits == 24 ? 0x80000000u : 0x8000000000000000ull;
        return v;
    }
}

int samples_integer(struct samples *s, uint32_t n)
{
    static const int edges[] = {0,  1,   -1,   2,     -2,      3,       -3,          4,           7,        -7,
                                31, 127, 1000, -1001, INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1, 16777217, -16777219};
    if (n < ARRAY_SIZE(edges))
        return edges[n];
    uint32_t bits = samples_random(s);
    return (int)(samples_random(s)) >> (bits & 31);
}
