// cl_intel_subgroup_matrix_multiply_accumulate and its tf32: one row of A times the work-item's column of B, plus its component
// of C (spv/matrix_mad.c calls them, once for each row). a is the work-item's part of the row: 32 bits of it in sub-groups of 8, 16
// bits in those of 16. b0 to b7 are the column, the first rows in the lowest bits.
//
// Integers wrap. Floats are summed in the order of A's columns; their products are exact.

#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

// What the even work-items of 16 hold of the row together with their neighbours.
static uint mad_pair(uint lanes, uint a)
{
    return lanes == 8 ? a : a | sub_group_shuffle_xor(a, 1u) << 16;
}

#define MAD_WORD(k) sub_group_shuffle(pair, k * lanes / 8)

#define MAD(name, type, step)                                                                                          \
    type __pumice_mad_##name(uint lanes, uint a, uint b0, uint b1, uint b2, uint b3, uint b4, uint b5, uint b6,        \
                             uint b7, type c)                                                                          \
    {                                                                                                                  \
        uint pair = mad_pair(lanes, a);                                                                                \
        c = step(c, MAD_WORD(0), b0);                                                                                  \
        c = step(c, MAD_WORD(1), b1);                                                                                  \
        c = step(c, MAD_WORD(2), b2);                                                                                  \
        c = step(c, MAD_WORD(3), b3);                                                                                  \
        c = step(c, MAD_WORD(4), b4);                                                                                  \
        c = step(c, MAD_WORD(5), b5);                                                                                  \
        c = step(c, MAD_WORD(6), b6);                                                                                  \
        return step(c, MAD_WORD(7), b7);                                                                               \
    }

#define MAD_SS8(c, x, y) (c + (uint)dot_4x8packed_ss_int(x, y))
#define MAD_SU8(c, x, y) (c + (uint)dot_4x8packed_su_int(x, y))
#define MAD_US8(c, x, y) (c + (uint)dot_4x8packed_us_int(x, y))
#define MAD_UU8(c, x, y) (c + dot_4x8packed_uu_uint(x, y))
#define MAD_SS4(c, x, y) (c + (uint)pumice_dot_8x4packed_ss_int(x, y))
#define MAD_SU4(c, x, y) (c + (uint)pumice_dot_8x4packed_su_int(x, y))
#define MAD_US4(c, x, y) (c + (uint)pumice_dot_8x4packed_us_int(x, y))
#define MAD_UU4(c, x, y) (c + pumice_dot_8x4packed_uu_uint(x, y))

MAD(ss8, uint, MAD_SS8)
MAD(su8, uint, MAD_SU8)
MAD(us8, uint, MAD_US8)
MAD(uu8, uint, MAD_UU8)
MAD(ss4, uint, MAD_SS4)
MAD(su4, uint, MAD_SU4)
MAD(us4, uint, MAD_US4)
MAD(uu4, uint, MAD_UU4)

static float2 mad_halfs(uint x)
{
    ushort2 bits = as_ushort2(x);
    return vload_half2(0, (__private const half *)&bits);
}

static float mad_step_f16(float c, uint x, uint y)
{
    float2 a = mad_halfs(x), b = mad_halfs(y);
    return c + a.x * b.x + a.y * b.y;
}

static float mad_step_bf16(float c, uint x, uint y)
{
    return c + as_float(x << 16) * as_float(y << 16) + as_float(x & 0xffff0000) * as_float(y & 0xffff0000);
}

MAD(f16, float, mad_step_f16)
MAD(bf16, float, mad_step_bf16)

// tf32: a float of which only the upper 19 bits count. A NaN stays one.
static float mad_tf32(float x)
{
    return isnan(x) ? x : as_float(as_uint(x) & 0xffffe000);
}

// The row is spread over 8 work-items, from `first` on.
float __pumice_mad_tf32(uint first, float a, float b0, float b1, float b2, float b3, float b4, float b5, float b6, float b7, float c)
{
    float x = mad_tf32(a);
    c += sub_group_shuffle(x, first) * mad_tf32(b0);
    c += sub_group_shuffle(x, first + 1) * mad_tf32(b1);
    c += sub_group_shuffle(x, first + 2) * mad_tf32(b2);
    c += sub_group_shuffle(x, first + 3) * mad_tf32(b3);
    c += sub_group_shuffle(x, first + 4) * mad_tf32(b4);
    c += sub_group_shuffle(x, first + 5) * mad_tf32(b5);
    c += sub_group_shuffle(x, first + 6) * mad_tf32(b6);
    return c + sub_group_shuffle(x, first + 7) * mad_tf32(b7);
}

// The nearest tf32, ties to even. What is too large becomes an infinity, a NaN stays one.
float __pumice_tfloat32_from_float(float x)
{
    uint bits = as_uint(x);
    return isnan(x) ? x : as_float((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000);
}
