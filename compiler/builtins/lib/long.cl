// 64-bit integers for devices that have none: what is too long to be written out at each use (lower/builtins/long.c calls these). The
// operations on ulong in here become operations on pairs of words later (lower/weak/pairs.c), so halves are taken where words suffice.

// high * 2^32 + low divided by divisor, which is above high, so that the quotient is a word. Two digits of 16 bits, after a shift that
// makes the divisor's top bit 1: then each guess of a digit is at most 2 too large.
static uint divide_two_words(uint high, uint low, uint divisor, uint *rest)
{
    uint shift = clz(divisor);
    divisor <<= shift;
    high = shift ? high << shift | low >> (32 - shift) : high;
    low <<= shift;
    uint top = divisor >> 16, bottom = divisor & 0xffff, quotient = 0;
    for (int digit = 0; digit < 2; digit++) {
        uint next = digit ? low & 0xffff : low >> 16;
        uint guess = high / top, left = high - guess * top;
        for (int i = 0; i < 2; i++) {
            bool large = left <= 0xffff && (guess > 0xffff || guess * bottom > (left << 16 | next));
            guess -= large;
            left += large ? top : 0;
        }
        high = (high << 16 | next) - guess * divisor;
        quotient = quotient << 16 | guess;
    }
    *rest = high >> shift;
    return quotient;
}

// Nothing traps: whatever comes out of a division by 0 is as good as any (OpenCL C 3.0, 6.3.1).
static ulong divide(ulong a, ulong b, ulong *rest)
{
    uint a_high = (uint)(a >> 32), a_low = (uint)a, b_high = (uint)(b >> 32), b_low = (uint)b;
    if (!(a_high | b_high)) {
        uint quotient = a_low / b_low;
        *rest = a_low - quotient * b_low;
        return quotient;
    }
    if (!b_high) {
        uint left, upper = a_high / b_low;
        uint lower = divide_two_words(a_high - upper * b_low, a_low, b_low, &left);
        *rest = left;
        return (ulong)upper << 32 | lower;
    }
    // The quotient is a word. Dividing half of a by b's top 32 bits gives it, or one more.
    uint shift = clz(b_high), left, divisor = (uint)((b << shift) >> 32);
    ulong half_a = a >> 1;
    uint quotient = divide_two_words((uint)(half_a >> 32), (uint)half_a, divisor, &left);
    quotient = (uint)(((ulong)quotient << shift) >> 31);
    quotient -= quotient != 0;
    ulong remainder = a - quotient * b;
    if (remainder >= b) {
        quotient++;
        remainder -= b;
    }
    *rest = remainder;
    return quotient;
}

ulong __pumice_divide_u64(ulong a, ulong b)
{
    ulong rest;
    return divide(a, b, &rest);
}

ulong __pumice_remainder_u64(ulong a, ulong b)
{
    ulong rest;
    divide(a, b, &rest);
    return rest;
}

long __pumice_divide_s64(long a, long b)
{
    ulong rest, sign_a = (ulong)(a >> 63), sign_b = (ulong)(b >> 63), sign = sign_a ^ sign_b;
    ulong quotient = divide(((ulong)a ^ sign_a) - sign_a, ((ulong)b ^ sign_b) - sign_b, &rest);
    return (long)((quotient ^ sign) - sign);
}

// To nearest even, in one rounding: the top 31 bits, of which the lowest one says whether there is more below. An int, since there are
// drivers that round large uints twice.
float __pumice_float_from_u64(ulong x)
{
    uint high = (uint)(x >> 32);
    if (!high && !(x & 0x80000000u))
        return (float)(int)x;
    uint shift = clz(x);
    x <<= shift;
    int top = (int)((x >> 33) | ((x & 0x1fffffffful) != 0));
    return (float)top * as_float((127 + 33 - shift) << 23);
}

float __pumice_float_from_s64(long x)
{
    ulong sign = (ulong)(x >> 63);
    float magnitude = __pumice_float_from_u64(((ulong)x ^ sign) - sign);
    return as_float(as_uint(magnitude) | ((uint)sign & 0x80000000u));
}

// Toward zero, for x in range: both steps are exact.
ulong __pumice_u64_from_float(float x)
{
    uint high = (uint)(x * 0x1p-32f);
    float rest = x - (float)high * 0x1p32f;
    return (ulong)high << 32 | (uint)rest;
}

long __pumice_s64_from_float(float x)
{
    ulong sign = (ulong)(as_int(x) >> 31);
    ulong magnitude = __pumice_u64_from_float(as_float(as_uint(x) & 0x7fffffffu));
    return (long)((magnitude ^ sign) - sign);
}

// Doubles: a half of a long is exact, and so is its multiple of 2^32; the sum is rounded once.
double __pumice_double_from_u64(ulong x)
{
    return (double)(uint)(x >> 32) * 0x1p32 + (double)(uint)x;
}

double __pumice_double_from_s64(long x)
{
    return (double)(int)(x >> 32) * 0x1p32 + (double)(uint)x;
}

ulong __pumice_u64_from_double(double x)
{
    uint high = (uint)(x * 0x1p-32);
    return (ulong)high << 32 | (uint)(x - (double)high * 0x1p32);
}

long __pumice_s64_from_double(double x)
{
    ulong magnitude = __pumice_u64_from_double(x < 0.0 ? -x : x);
    return (long)(x < 0.0 ? -magnitude : magnitude);
}

// What a sub-group does with its items' values. how: the operation; range: 0 all items, 1 those up to this one, 2 those before it, 3 those
// of its cluster.
enum { HOW_ADD, HOW_MULTIPLY, HOW_UMIN, HOW_SMIN, HOW_UMAX, HOW_SMAX };

static ulong combine(ulong a, ulong b, uint how)
{
    switch (how) {
    case HOW_ADD:
        return a + b;
    case HOW_MULTIPLY:
        return a * b;
    case HOW_UMIN:
        return min(a, b);
    case HOW_SMIN:
        return (ulong)min((long)a, (long)b);
    case HOW_UMAX:
        return max(a, b);
    default:
        return (ulong)max((long)a, (long)b);
    }
}

ulong __pumice_collect_u64(ulong value, uint how, uint range, uint cluster)
{
    const ulong start = how == HOW_ADD || how == HOW_UMAX ? 0ul
                        : how == HOW_MULTIPLY             ? 1ul
                        : how == HOW_UMIN                 ? ~0ul
                        : how == HOW_SMIN                 ? 0x7ffffffffffffffful
                                                          : 0x8000000000000000ul;
    uint self = get_sub_group_local_id(), size = get_max_sub_group_size();
    uint4 active = sub_group_ballot(1);
    ulong sum = start;
    for (uint i = 0; i < size; i++) {
        ulong other = sub_group_broadcast(value, i);
        bool near = range == 0 || (range == 1 && i <= self) || (range == 2 && i < self) ||
                    (range == 3 && (i & ~(cluster - 1)) == (self & ~(cluster - 1)));
        if (near && sub_group_ballot_bit_extract(active, i))
            sum = combine(sum, other, how);
    }
    return sum;
}
