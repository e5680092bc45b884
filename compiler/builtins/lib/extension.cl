// Functions of vendors' extensions: cl_amd_media_ops, cl_amd_media_ops2, cl_intel_bfloat16_conversions. A vector of these is so many
// calls; where the result is a scalar, vectors come as their components (emit_library_builtin() in front/emit/builtin_extension.c).

// ---- cl_amd_media_ops ----

static uint sum_of_differences(uint a, uint b, uint sum)
{
    for (uint i = 0; i < 32; i += 8)
        sum += abs_diff(a >> i & 0xff, b >> i & 0xff);
    return sum;
}

uint __pumice_amd_pack(float a, float b, float c, float d)
{
    return convert_uchar_sat_rte(a) | (uint)convert_uchar_sat_rte(b) << 8 | (uint)convert_uchar_sat_rte(c) << 16 |
           (uint)convert_uchar_sat_rte(d) << 24;
}

float __pumice_amd_unpack0(uint a)
{
    return (float)(a & 0xff);
}

float __pumice_amd_unpack1(uint a)
{
    return (float)(a >> 8 & 0xff);
}

float __pumice_amd_unpack2(uint a)
{
    return (float)(a >> 16 & 0xff);
}

float __pumice_amd_unpack3(uint a)
{
    return (float)(a >> 24);
}

// Averages of bytes; the lowest bit of the third one's bytes rounds up.
uint __pumice_amd_lerp(uint a, uint b, uint c)
{
    uint result = 0;
    for (uint i = 0; i < 32; i += 8)
        result |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
    return result;
}

uint __pumice_amd_sad(uint a, uint b, uint c)
{
    return sum_of_differences(a, b, c);
}

uint __pumice_amd_sadhi(uint a, uint b, uint c)
{
    return (sum_of_differences(a, b, 0) << 16) + c;
}

uint __pumice_amd_sad4(uint a0, uint a1, uint a2, uint a3, uint b0, uint b1, uint b2, uint b3, uint c)
{
    return sum_of_differences(a0, b0, sum_of_differences(a1, b1, sum_of_differences(a2, b2, sum_of_differences(a3, b3, c))));
}

uint __pumice_amd_bitalign(uint a, uint b, uint c)
{
    return (uint)(((ulong)a << 32 | b) >> (c & 31));
}

uint __pumice_amd_bytealign(uint a, uint b, uint c)
{
    return (uint)(((ulong)a << 32 | b) >> (c & 3) * 8);
}

// ---- cl_amd_media_ops2 ----

// Where the reference's byte is 0, it does not count.
static uint masked_sum(uint a, uint b, uint sum)
{
    for (uint i = 0; i < 32; i += 8)
        sum += (b >> i & 0xff) ? abs_diff(a >> i & 0xff, b >> i & 0xff) : 0;
    return sum;
}

uint __pumice_amd_msad(uint a, uint b, uint c)
{
    return masked_sum(a, b, c);
}

ulong __pumice_amd_qsad(ulong a, uint b, ulong c)
{
    ulong result = 0;
    for (uint i = 0; i < 4; i++)
        result |= (ulong)(sum_of_differences((uint)(a >> i * 8), b, (uint)(c >> i * 16) & 0xffff) & 0xffff) << i * 16;
    return result;
}

ulong __pumice_amd_mqsad(ulong a, uint b, ulong c)
{
    ulong result = 0;
    for (uint i = 0; i < 4; i++)
        result |= (ulong)(masked_sum((uint)(a >> i * 8), b, (uint)(c >> i * 16) & 0xffff) & 0xffff) << i * 16;
    return result;
}

uint __pumice_amd_sadw(uint a, uint b, uint c)
{
    return abs_diff(a & 0xffff, b & 0xffff) + abs_diff(a >> 16, b >> 16) + c;
}

uint __pumice_amd_sadd(uint a, uint b, uint c)
{
    return abs_diff(a, b) + c;
}

uint __pumice_amd_bfm(uint width, uint offset)
{
    return ((1u << (width & 31)) - 1) << (offset & 31);
}

uint __pumice_amd_bfe_u32(uint value, uint offset, uint width)
{
    offset &= 31;
    width &= 31;
    return width ? value << (offset + width < 32 ? 32 - offset - width : 0) >> (offset + width < 32 ? 32 - width : offset) : 0;
}

int __pumice_amd_bfe_i32(int value, uint offset, uint width)
{
    offset &= 31;
    width &= 31;
    return width ? value << (offset + width < 32 ? 32 - offset - width : 0) >> (offset + width < 32 ? 32 - width : offset) : 0;
}

#define OF_THREE(type, suffix, least, most)                                                                            \
    type __pumice_amd_min3_##suffix(type a, type b, type c)                                                            \
    {                                                                                                                  \
        return least(least(a, b), c);                                                                                  \
    }                                                                                                                  \
    type __pumice_amd_max3_##suffix(type a, type b, type c)                                                            \
    {                                                                                                                  \
        return most(most(a, b), c);                                                                                    \
    }                                                                                                                  \
    type __pumice_amd_median3_##suffix(type a, type b, type c)                                                         \
    {                                                                                                                  \
        return most(least(a, b), least(most(a, b), c));                                                                \
    }

OF_THREE(int, i32, min, max)
OF_THREE(uint, u32, min, max)
OF_THREE(float, f32, fmin, fmax)

// ---- cl_intel_bfloat16_conversions ----

// To the nearest, ties to even; a NaN stays one, made quiet.
ushort __pumice_bfloat16_from_float(float value)
{
    uint bits = as_uint(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (ushort)(bits >> 16 | 0x40);
    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float __pumice_float_from_bfloat16(ushort value)
{
    return as_float((uint)value << 16);
}
