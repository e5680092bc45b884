// long and ulong, with values that cross the middle of the number: devices without 64-bit integers hold them as pairs of words.

//! test: long_division
//  Quotients and remainders of numbers of all lengths, by what they promise.
//! buffer out uint[64] = 1
//! global: 64
//! expect out = 0*64
ulong any_length(ulong *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> ((uint)*state & 63);
}
kernel void long_division(global uint *out)
{
    ulong state = 0x9e3779b97f4a7c15ul * (get_global_id(0) + 1);
    uint wrong = 0;
    for (int i = 0; i < 100; i++) {
        ulong a = any_length(&state) << (i & 7), b = max(any_length(&state), 1ul), q = a / b, r = a % b;
        wrong += r >= b || q * b + r != a || mul_hi(q, b) != 0;
        long c = (long)a, d = (long)(i & 1 ? b : -b), s = c / d, t = c % d;
        wrong += s * d + t != c || abs(t) >= abs(d) || (t != 0 && (t < 0) != (c < 0));
    }
    out[get_global_id(0)] = wrong;
}

//! test: long_division_edges
//! buffer a ulong[10] = 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff 0xffffffff00000000 0x8000000000000000 0x100000000 0xfffffffe00000001 5 0xffffffffffffffff 0x123456789abcdef0
//! buffer b ulong[10] = 1 0xffffffff 0x100000000 0xffffffff00000000 0xffffffffffffffff 0xffffffff 0xffffffff 7 0xffffffff00000001 0x12345678
//! buffer q ulong[10] = 9
//! buffer r ulong[10] = 9
//! global: 10
//! expect q = 0xffffffffffffffff 0x100000001 0xffffffff 1 0 1 0xffffffff 0 1 0x100000008
//! expect r = 0 0 0xffffffff 0 0x8000000000000000 1 0 5 0xfffffffe 0x91a2b30
kernel void long_division_edges(global const ulong *a, global const ulong *b, global ulong *q, global ulong *r)
{
    size_t i = get_global_id(0);
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}

//! test: long_to_float
//  Ties, and what the bits below a tie decide. 0x5f7fffff is the largest float below 2^64.
//! buffer in ulong[8] = 0x1000001 0x1000003 0x100000100000000 0x100000180000000 0x100000180000001 0xffffff7fffffffff 0xffffff8000000000 1
//! buffer out uint[8] = 0
//! buffer negative uint[8] = 0
//! global: 8
//! expect out = 0x4b800000 0x4b800002 0x5b800000 0x5b800001 0x5b800001 0x5f7fffff 0x5f800000 0x3f800000
//! expect negative = 0xcb800000 0xcb800002 0xdb800000 0xdb800001 0xdb800001 0x53000000 0x53000000 0xbf800000
kernel void long_to_float(global const ulong *in, global uint *out, global uint *negative)
{
    size_t i = get_global_id(0);
    out[i] = as_uint((float)in[i]);
    negative[i] = as_uint((float)-(long)in[i]);
}

//! test: long_from_float
//! buffer in float[6] = 1.5 16777216 4294967296 4294966784 1.8446742974197924e19 1e15
//! buffer out ulong[6] = 0
//! buffer negative long[6] = 0
//! value one float = 1
//! global: 6
//! expect out = 1 16777216 4294967296 4294966784 18446742974197923840 999999986991104
//! expect negative = -1 -16777216 -4294967296 -4294966784 0 -999999986991104
kernel void long_from_float(global const float *in, global ulong *out, global long *negative, float one)
{
    size_t i = get_global_id(0);
    out[i] = (ulong)(in[i] * one);
    negative[i] = i == 4 ? 0 : (long)(in[i] * -one);
}

//! test: long_shifts
//  Counts from 0 to 63, by a variable, against shifts by one.
//! buffer out uint[64] = 1
//! value x ulong = 0x8123456789abcdef
//! global: 64
//! expect out = 0*64
kernel void long_shifts(global uint *out, ulong x)
{
    uint n = (uint)get_global_id(0), wrong = 0;
    ulong left = x, right = x;
    long down = (long)x;
    for (uint i = 0; i < n; i++) {
        left += left;
        right = right >> 1 & 0x7ffffffffffffffful;
        down = (down - (down & 1)) / 2;
    }
    wrong += left != x << n;
    wrong += right != x >> n;
    wrong += down != (long)x >> n;
    wrong += rotate(x, (ulong)n) != (n ? x << n | x >> (64 - n) : x);
    out[n] = wrong;
}

//! test: long_rotations
//  By constants: of one number, of two, of vectors; joined by or, exclusive or and addition.
//! buffer in ulong2[2] = 0x8123456789abcdef 0x0fedcba987654321 0xfedcba9876543210 1
//! buffer out uint[2] = 1
//! value one ulong = 1
//! expect out = 0 0
ulong2 rotated(ulong2 v, uint n)
{
    for (uint i = 0; i < n; i++)
        v = v * 2 + convert_ulong2((convert_long2(v >> 1 & 1ul << 62) != 0l) & 1l);
    return v;
}
#define LONG_ROTATION(n)                                                                                               \
    wrong += any((x << (ulong2)(n) | x >> (ulong2)(64 - n)) != rotated(x, n));                                         \
    wrong += any(rotate(y, (ulong2)(n)) != rotated(y, n));                                                             \
    wrong += (x.x >> n ^ x.x << (64 - n)) != rotated(x, 64 - n).x;                                                     \
    wrong += (y.y << n) + (y.y >> (64 - n)) != rotated(y, n).y;                                                        \
    wrong += (x.x << n | y.x >> (64 - n)) != (x.x * (one << n) + y.x / (one << (64 - n)));
kernel void long_rotations(global const ulong2 *in, global uint *out, ulong one)
{
    uint wrong = 0, i = get_global_id(0);
    ulong2 x = in[i], y = in[1 - i];
    LONG_ROTATION(1)
    LONG_ROTATION(8)
    LONG_ROTATION(31)
    LONG_ROTATION(32)
    LONG_ROTATION(33)
    LONG_ROTATION(61)
    LONG_ROTATION(63)
    out[i] = wrong;
}
//! global: 2

//! test: long_vectors
//  Three and four lanes, through memory, private arrays, functions and casts.
//! buffer in ulong[16] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0x1234567800000010
//! buffer out ulong[16] = 0
//! buffer words uint[8] = 0
//! value at int = 2
//! expect out = 0x123456780000000f 15 14 13 12 11 10 9 8 7 6 5 4 3 2 16
//! expect words = 14 0 15 0 16 0x12345678 13 0
ulong4 swapped(ulong4 v, int by)
{
    return by ? v.wzyx : v;
}
kernel void long_vectors(global const ulong16 *in, global ulong16 *out, global uint8 *words, int at)
{
    ulong16 v = *in;
    ulong4 parts[4] = {swapped(v.scdef, at), swapped(v.s89ab, at), swapped(v.s4567, at), swapped(v.s0123, at)};
    ulong16 result = (ulong16)(parts[0], parts[1], parts[at], parts[at + 1]);
    result.s0 -= 1;
    result.sf = parts[0].s0 & 0xffffffff;
    *out = result;
    ulong3 three = vload3(1, (global const ulong *)in + 10);
    *words = as_uint8((ulong4)(three, 0).xyzw + (ulong4)(0, 0, 0, 13));
}

//! test: long_switch
//! buffer in long[5] = 0 0x100000000 -1 0xffffffff 0x100000001
//! buffer out int[5] = 0
//! global: 5
//! expect out = 1 2 3 4 5
kernel void long_switch(global const long *in, global int *out)
{
    size_t i = get_global_id(0);
    switch (in[i]) {
    case 0:
        out[i] = 1;
        break;
    case 0x100000000:
        out[i] = 2;
        break;
    case -1:
        out[i] = 3;
        break;
    case 0xffffffff:
        out[i] = 4;
        break;
    default:
        out[i] = 5;
    }
}

//! test: long_collectives
//  Sums with carries, and minima whose high or low words decide, in scans of both kinds.
//! require: __opencl_c_subgroups __opencl_c_work_group_collective_functions
//! options: -cl-std=CL3.0
//! buffer out uint[32] = 9
//! global: 32
//! local: 32
//! expect out = 0*32
kernel void long_collectives(global uint *out)
{
    uint id = (uint)get_local_id(0), size = get_sub_group_size(), first = id - get_sub_group_local_id(), wrong = 0;
    ulong mine = 0xfffffffful + ((ulong)(id * 2654435761u) << 20), sum = 0, before = 0, least = ~0ul;
    long most = 0x8000000000000000l, most_before = most;
    for (uint i = first; i < first + size; i++) {
        ulong other = 0xfffffffful + ((ulong)(i * 2654435761u) << 20);
        most_before = i < id ? max(most_before, -(long)other) : most_before;
        before += i < id ? other : 0;
        sum += other;
        least = i <= id ? min(least, other) : least;
        most = max(most, -(long)other);
    }
    wrong += sub_group_reduce_add(mine) != sum;
    wrong += sub_group_scan_exclusive_add(mine) != before;
    wrong += sub_group_scan_inclusive_min(mine) != least;
    wrong += sub_group_reduce_max(-(long)mine) != most;
    wrong += sub_group_scan_exclusive_max(-(long)mine) != most_before;
    ulong all = 0;
    for (uint i = 0; i < 32; i++)
        all += 0xfffffffful + ((ulong)(i * 2654435761u) << 20);
    wrong += work_group_reduce_add(mine) != all;
    out[id] = wrong;
}
