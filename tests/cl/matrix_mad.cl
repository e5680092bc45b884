// cl_intel_subgroup_matrix_multiply_accumulate and its tf32: every function against a plain loop over the elements. Floats are small
// whole numbers where nothing else is said, so that all sums are exact.

enum kind { I8, U8, I4, U4, F16, BF16 };

static uint mixed(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

static uint half_code(float x)
{
    ushort code;
    vstore_half(x, 0, (private half *)&code);
    return code;
}

static float half_value(uint code)
{
    ushort bits = code;
    return vload_half(0, (const private half *)&bits);
}

// The bits of an element. which: 0 of A, 1 of B, and others for each sub-group.
static uint code_of(enum kind kind, uint which, uint row, uint column)
{
    uint random = mixed(which * 77777 + row * 64 + column + 1);
    float small = (float)(int)(random % 5) - 2;
    switch (kind) {
    case I8:
    case U8:
        return random & 0xff;
    case I4:
    case U4:
        return random & 0xf;
    case F16:
        return half_code(small);
    default:
        return as_uint(small) >> 16;
    }
}

static float number_of(enum kind kind, uint which, uint row, uint column)
{
    uint code = code_of(kind, which, row, column);
    switch (kind) {
    case I8:
        return (char)code;
    case I4:
        return (int)(code ^ 8) - 8;
    case F16:
        return half_value(code);
    case BF16:
        return as_float(code << 16);
    default:
        return code;
    }
}

// What a work-item has of a row of A, and a word of its column of B.
static uint part_of_a(enum kind kind, uint which, uint bits, uint count, uint row, uint lane)
{
    uint part = 0;
    for (uint i = 0; i < count; i++)
        part |= code_of(kind, which, row, lane * count + i) << i * bits;
    return part;
}

static uint word_of_b(enum kind kind, uint which, uint bits, uint word, uint column)
{
    uint part = 0, count = 32 / bits;
    for (uint i = 0; i < count; i++)
        part |= code_of(kind, which, word * count + i, column) << i * bits;
    return part;
}

static float sum_of(enum kind left, enum kind right, uint which, uint k, uint row, uint column)
{
    float sum = 0;
    for (uint i = 0; i < k; i++)
        sum += number_of(left, which, row, i) * number_of(right, which + 1, i, column);
    return sum;
}

// WIDTH: the bits of a part of A. TO and FROM: a number as an element of the accumulator, and back.
#define TRY(function, part_type, a_type, b_type, c_element, c_type, rows, left, right, bits, width, TO)                \
    {                                                                                                                  \
        uint which = get_sub_group_id() * 2 + rows * 100, lane = get_sub_group_local_id(), k = 256 / bits;            \
        a_type a;                                                                                                      \
        b_type b;                                                                                                      \
        c_type c;                                                                                                      \
        for (uint m = 0; m < rows; m++) {                                                                              \
            ((private part_type *)&a)[m] = part_of_a(left, which, bits, width / bits, m, lane);                        \
            ((private c_element *)&c)[m] = TO((float)m * 3 - lane);                                                    \
        }                                                                                                              \
        for (uint j = 0; j < 8; j++)                                                                                   \
            ((private uint *)&b)[j] = word_of_b(right, which + 1, bits, j, lane);                                      \
        c_type r = function(a, b, c);                                                                                  \
        for (uint m = 0; m < rows; m++)                                                                                \
            bad += ((private c_element *)&r)[m] != TO(sum_of(left, right, which, k, m, lane) + (float)m * 3 - lane);   \
    }

#define AS_INT(x)   ((int)(x))
#define AS_FLOAT(x) (x)
#define AS_HALF(x)  ((half)(x))
#define AS_BF16(x)  ((short)(as_uint((float)(x)) >> 16))

#define TRY_INTS(name, part, b_type, left, right, bits, width)                                                         \
    TRY(name, part, part, b_type, int, int, 1, left, right, bits, width, AS_INT)                                       \
    TRY(name, part, part##2, b_type, int, int2, 2, left, right, bits, width, AS_INT)                                   \
    TRY(name, part, part##4, b_type, int, int4, 4, left, right, bits, width, AS_INT)                                   \
    TRY(name, part, part##8, b_type, int, int8, 8, left, right, bits, width, AS_INT)
#define TRY_FLOATS(name, part, to, kind, width, TO)                                                                    \
    TRY(name, part, part, int8, to, to, 1, kind, kind, 16, width, TO)                                                  \
    TRY(name, part, part##2, int8, to, to##2, 2, kind, kind, 16, width, TO)                                            \
    TRY(name, part, part##4, int8, to, to##4, 4, kind, kind, 16, width, TO)                                            \
    TRY(name, part, part##8, int8, to, to##8, 8, kind, kind, 16, width, TO)

// A kernel that does nothing else.
#define KERNEL(name, size, TRYING)                                                                                     \
    __attribute__((intel_reqd_sub_group_size(size))) kernel void name(global int *wrong)                               \
    {                                                                                                                  \
        uint bad = get_sub_group_size() != size;                                                                       \
        TRYING                                                                                                         \
        atomic_add(wrong, bad);                                                                                        \
    }

// Of tf32 the lower 13 bits do not count. Eight work-items have the even rows, eight the odd ones.
static float tf32_of(uint which, uint row, uint column)
{
    float small = (float)(int)(mixed(which * 77777 + row * 64 + column + 1) % 9) - 4;
    return as_float(as_uint(small) | mixed(row + column) >> 19);
}

static float whole(float x)
{
    return as_float(as_uint(x) & 0xffffe000);
}

#define TRY_TF32(a_type, c_type, rows)                                                                                 \
    {                                                                                                                  \
        uint which = get_sub_group_id() * 2 + rows * 100, lane = get_sub_group_local_id();                             \
        a_type a = 0;                                                                                                  \
        float8 b;                                                                                                      \
        c_type c;                                                                                                      \
        for (uint m = lane / 8; m < rows; m += 2)                                                                      \
            ((private float *)&a)[m / 2] = tf32_of(which, m, lane % 8);                                                \
        for (uint m = 0; m < rows; m++)                                                                                \
            ((private float *)&c)[m] = m;                                                                              \
        for (uint j = 0; j < 8; j++)                                                                                   \
            ((private float *)&b)[j] = tf32_of(which + 1, j, lane);                                                    \
        c_type r = intel_sub_group_tf32_tf32_matrix_mad_k8(a, b, c);                                                   \
        for (uint m = 0; m < rows; m++) {                                                                              \
            float sum = m;                                                                                             \
            for (uint j = 0; j < 8; j++)                                                                               \
                sum += whole(tf32_of(which, m, j)) * whole(tf32_of(which + 1, j, lane));                               \
            bad += ((private float *)&r)[m] != sum;                                                                    \
        }                                                                                                              \
    }

//! test: i8_i8_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i8_i8_by_8, 8, TRY_INTS(intel_sub_group_i8_i8_matrix_mad_k32, int, int8, I8, I8, 8, 32))

//! test: i8_u8_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i8_u8_by_8, 8, TRY_INTS(intel_sub_group_i8_u8_matrix_mad_k32, int, uint8, I8, U8, 8, 32))

//! test: u8_i8_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u8_i8_by_8, 8, TRY_INTS(intel_sub_group_u8_i8_matrix_mad_k32, uint, int8, U8, I8, 8, 32))

//! test: u8_u8_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u8_u8_by_8, 8, TRY_INTS(intel_sub_group_u8_u8_matrix_mad_k32, uint, uint8, U8, U8, 8, 32))

//! test: i4_i4_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i4_i4_by_8, 8, TRY_INTS(intel_sub_group_i4_i4_matrix_mad_k64, int, int8, I4, I4, 4, 32))

//! test: i4_u4_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i4_u4_by_8, 8, TRY_INTS(intel_sub_group_i4_u4_matrix_mad_k64, int, uint8, I4, U4, 4, 32))

//! test: u4_i4_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u4_i4_by_8, 8, TRY_INTS(intel_sub_group_u4_i4_matrix_mad_k64, uint, int8, U4, I4, 4, 32))

//! test: u4_u4_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u4_u4_by_8, 8, TRY_INTS(intel_sub_group_u4_u4_matrix_mad_k64, uint, uint8, U4, U4, 4, 32))

//! test: bf16_bf16_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(bf16_bf16_by_8, 8, TRY_FLOATS(intel_sub_group_bf16_bf16_matrix_mad_k16, int, float, BF16, 32, AS_FLOAT))

//! test: f16_f16_by_8
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(f16_f16_by_8, 8, TRY_FLOATS(intel_sub_group_f16_f16_matrix_mad_k16, int, float, F16, 32, AS_FLOAT))

//! test: i8_i8_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i8_i8_by_16, 16, TRY_INTS(intel_sub_group_i8_i8_matrix_mad_k32, short, int8, I8, I8, 8, 16))

//! test: i8_u8_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i8_u8_by_16, 16, TRY_INTS(intel_sub_group_i8_u8_matrix_mad_k32, short, uint8, I8, U8, 8, 16))

//! test: u8_i8_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u8_i8_by_16, 16, TRY_INTS(intel_sub_group_u8_i8_matrix_mad_k32, ushort, int8, U8, I8, 8, 16))

//! test: u8_u8_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u8_u8_by_16, 16, TRY_INTS(intel_sub_group_u8_u8_matrix_mad_k32, ushort, uint8, U8, U8, 8, 16))

//! test: i4_i4_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i4_i4_by_16, 16, TRY_INTS(intel_sub_group_i4_i4_matrix_mad_k64, short, int8, I4, I4, 4, 16))

//! test: i4_u4_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(i4_u4_by_16, 16, TRY_INTS(intel_sub_group_i4_u4_matrix_mad_k64, short, uint8, I4, U4, 4, 16))

//! test: u4_i4_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u4_i4_by_16, 16, TRY_INTS(intel_sub_group_u4_i4_matrix_mad_k64, ushort, int8, U4, I4, 4, 16))

//! test: u4_u4_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(u4_u4_by_16, 16, TRY_INTS(intel_sub_group_u4_u4_matrix_mad_k64, ushort, uint8, U4, U4, 4, 16))

//! test: bf16_bf16_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(bf16_bf16_by_16, 16, TRY_FLOATS(intel_sub_group_bf16_bf16_matrix_mad_k16, short, float, BF16, 16, AS_FLOAT))

//! test: f16_f16_by_16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(f16_f16_by_16, 16, TRY_FLOATS(intel_sub_group_f16_f16_matrix_mad_k16, short, float, F16, 16, AS_FLOAT))

//! test: bf16_to_bf16
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
KERNEL(bf16_to_bf16, 16, TRY_FLOATS(intel_sub_group_bf16_bf16_matrix_mad_k16, short, short, BF16, 16, AS_BF16))

//! test: mad_of_halfs
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate cl_khr_fp16
//! buffer wrong int[1] = 0
//! global: 64
//! local: 32
//! expect wrong = 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__attribute__((intel_reqd_sub_group_size(16))) kernel void mad_of_halfs(global int *wrong)
{
    uint bad = 0;
    TRY_FLOATS(intel_sub_group_f16_f16_matrix_mad_k16, short, half, F16, 16, AS_HALF)
    // 2049 and 1 are a tie as halfs, 2050; the sum is rounded once, and not after each product.
    half tie = intel_sub_group_f16_f16_matrix_mad_k16((short)(get_sub_group_local_id() < 2 ? 0x3800 : 0), (int8)(0x38003800), (half)2048);
    bad += tie != 2048;
    half above = intel_sub_group_f16_f16_matrix_mad_k16((short)(get_sub_group_local_id() < 6 ? 0x3800 : 0), (int8)(0x38003800), (half)2048);
    bad += above != 2050;
    atomic_add(wrong, bad);
}

// Sums wrap, as those of ints; what is rounded to bfloat16 is the sum.
//! test: mad_at_the_limits
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate
//! buffer wrong int[1] = 0
//! global: 64
//! local: 32
//! expect wrong = 0
__attribute__((intel_reqd_sub_group_size(16))) kernel void mad_at_the_limits(global int *wrong)
{
    uint bad = 0;
    bad += intel_sub_group_u8_u8_matrix_mad_k32((ushort)0xffff, (uint8)(~0u), INT_MAX) != (int)(INT_MAX + 32 * 255u * 255);
    bad += intel_sub_group_i8_u8_matrix_mad_k32((short)0x8080, (uint8)(~0u), INT_MIN) != (int)(0x80000000 - 32u * 128 * 255);
    bad += intel_sub_group_i4_i4_matrix_mad_k64((short)0x8888, (int8)(0x88888888), -5) != 64 * 64 - 5;
    bad += intel_sub_group_u4_i4_matrix_mad_k64((ushort)0xffff, (int8)(0x88888888), 5) != -64 * 15 * 8 + 5;
    // 256 + 1 is a tie as bfloat16, 256; 256 + 3 is not far from 260.
    short one = get_sub_group_local_id() == 3 ? 0x3f80 : 0, three = get_sub_group_local_id() < 3 ? 0x3f80 : 0;
    bad += intel_sub_group_bf16_bf16_matrix_mad_k16(one, (int8)(0x3f803f80), (short)0x4380) != 0x4380;
    bad += intel_sub_group_bf16_bf16_matrix_mad_k16(three, (int8)(0x3f803f80), (short)0x4380) != 0x4382;
    bad += !isnan(intel_sub_group_bf16_bf16_matrix_mad_k16((short)0x7f80, (int8)(0), 1.0f));
    bad += intel_sub_group_f16_f16_matrix_mad_k16((short)0x7c00, (int8)(0x3c003c00), 1.0f) != INFINITY;
    bad += intel_sub_group_f16_f16_matrix_mad_k16((short)0x0001, (int8)(0x3c003c00), 0.0f) != 0x1p-20f; // subnormal halfs
    atomic_add(wrong, bad);
}

//! test: mad_of_tf32
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate_tf32
//! buffer wrong int[1] = 0
//! global: 64
//! local: 32
//! expect wrong = 0
__attribute__((intel_reqd_sub_group_size(16))) kernel void mad_of_tf32(global int *wrong)
{
    uint bad = 0;
    TRY_TF32(float, float, 1)
    TRY_TF32(float, float2, 2)
    TRY_TF32(float2, float4, 4)
    TRY_TF32(float4, float8, 8)
    bad += !isnan(intel_sub_group_tf32_tf32_matrix_mad_k8(as_float(0x7f800001), (float8)(1), 1.0f));
    atomic_add(wrong, bad);
}

//! test: tf32_conversions
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_matrix_multiply_accumulate_tf32
//! buffer out uint[8] = 0
//! buffer in uint[8] = 0x3f801000 0x3f803000 0x3f801001 0xbf800fff 0x7f7fffff 0xff800000 0x7fc00001 0x00001800
//! expect out = 0x3f800000 0x3f804000 0x3f802000 0xbf800000 0x7f800000 0xff800000 _ 0x00002000
kernel void tf32_conversions(global uint *out, global const float *in)
{
    float8 x = vload8(0, in);
    float8 y = intel_convert_tfloat328_as_float8(x);
    float16 twice = intel_convert_tfloat3216_as_float16((float16)(x, x));
    bool same = all(as_int8(twice.lo) == as_int8(twice.hi)) && isnan(y.s6);
    same = same && as_int(intel_convert_tfloat32_as_float(x.s1)) == as_int(y.s1);
    same = same && all(as_int2(intel_convert_tfloat322_as_float2(x.s12)) == as_int2(y.s12));
    same = same && all(as_int3(intel_convert_tfloat323_as_float3(x.s123)) == as_int3(y.s123));
    same = same && all(as_int4(intel_convert_tfloat324_as_float4(x.s0123)) == as_int4(y.s0123));
    vstore8(same ? as_uint8(y) : 0, 0, out);
}
