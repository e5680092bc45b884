// Functions of vendors' extensions: sub-groups as Intel has them, split barriers, bfloat16; dot products as ARM has them; AMD's media
// operations.

// Work-groups of 128 items, so that sub-groups are full whatever their size.
//! test: intel_shuffles
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long __opencl_c_int64
//! global: 128
//! local: 128
//! buffer wrong int[1] = 0
//! expect wrong = 0
uint value_of(uint group, uint item)
{
    return group * 1000 + item * item + 3;
}
kernel void intel_shuffles(global int *wrong)
{
    uint size = get_sub_group_size(), group = get_sub_group_id(), item = get_sub_group_local_id();
    uint a = value_of(group, item), b = value_of(group + 50, item);
    int bad = 0;
    bad += intel_sub_group_shuffle(a, size - 1 - item) != value_of(group, size - 1 - item);
    bad += intel_sub_group_shuffle_xor(a, 1) != value_of(group, item ^ 1);
    for (uint delta = 0; delta <= size; delta++) {
        uint down = intel_sub_group_shuffle_down(a, b, delta), up = intel_sub_group_shuffle_up(a, b, delta);
        bad += down != (item + delta < size ? value_of(group, item + delta) : value_of(group + 50, item + delta - size));
        bad += up != (item >= delta ? value_of(group + 50, item - delta) : value_of(group, item + size - delta));
    }
    float4 f = intel_sub_group_shuffle((float4)(a, b, 1, 2), 1);
    bad += f.x != value_of(group, 1) || f.y != value_of(group + 50, 1) || f.w != 2;
    int16 i = intel_sub_group_shuffle_xor((int16)(a) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 1);
    bad += i.sf != (int)value_of(group, item ^ 1) + 15 || i.s9 != (int)value_of(group, item ^ 1) + 9;
    bad += intel_sub_group_shuffle((char)item, 2) != 2;
    bad += intel_sub_group_shuffle((uchar3)(item, 7, 9), 2).s0 != 2;
    short8 s = intel_sub_group_shuffle_down((short8)(item), (short8)(-5), size);
    bad += s.s7 != -5 || s.s0 != -5;
    ulong2 l = intel_sub_group_shuffle_up((ulong2)(1ul << 40), (ulong2)((ulong)item << 33, item), 1);
    bad += l.x != (item ? (ulong)(item - 1) << 33 : 1ul << 40);
    bad += intel_sub_group_shuffle(-(long)item, 1) != -1;
    if (bad)
        atomic_add(wrong, bad);
}

//! test: intel_small_types
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroups_char cl_intel_subgroups_short
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
#define CHECK(type, of)                                                                                                \
    {                                                                                                                  \
        type x = of, sum = 0, before = 0, least = 100, most = 0, least_before = 127, most_before = 0;                  \
        for (uint i = 0; i < size; i++) {                                                                              \
            type y = intel_sub_group_shuffle(x, i);                                                                    \
            before = i == item ? sum : before;                                                                         \
            least_before = i < item ? min(least_before, y) : least_before;                                             \
            most_before = i < item ? max(most_before, y) : most_before;                                                \
            sum += y;                                                                                                  \
            least = min(least, y);                                                                                     \
            most = max(most, y);                                                                                       \
        }                                                                                                              \
        bad += intel_sub_group_reduce_add(x) != sum;                                                                   \
        bad += intel_sub_group_reduce_min(x) != least;                                                                 \
        bad += intel_sub_group_reduce_max(x) != most;                                                                  \
        bad += intel_sub_group_scan_exclusive_add(x) != before;                                                        \
        bad += intel_sub_group_scan_exclusive_min(x) != least_before && item;                                          \
        bad += intel_sub_group_scan_exclusive_max(x) != most_before && item;                                           \
        bad += intel_sub_group_scan_inclusive_add(x) != (type)(before + x);                                            \
        bad += intel_sub_group_scan_inclusive_min(x) != min(least_before, x);                                          \
        bad += intel_sub_group_scan_inclusive_max(x) != max(most_before, x);                                           \
        bad += intel_sub_group_broadcast(x, 1u) != intel_sub_group_shuffle(x, 1u);                                     \
    }
kernel void intel_small_types(global int *wrong)
{
    uint size = get_sub_group_size(), item = get_sub_group_local_id();
    int bad = 0;
    CHECK(char, (char)(item * 7 % 11))
    CHECK(uchar, (uchar)(item * 7 % 11 + 60)) /* whose sums wrap */
    CHECK(short, (short)(item * 5 % 13))
    CHECK(ushort, (ushort)(item * 5 % 13 + 1))
    short8 s = intel_sub_group_broadcast((short8)(item) + (short8)(0, 1, 2, 3, 4, 5, 6, 7), 2u);
    uchar16 c = intel_sub_group_broadcast((uchar16)(item + 9), 3u);
    bad += s.s0 != 2 || s.s7 != 9 || c.sf != 12;
    if (bad)
        atomic_add(wrong, bad);
}

//! test: intel_blocks
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long __opencl_c_int64
//! global: 64
//! local: 64
//! buffer data uint[1024] = 0..1023
//! buffer out uint[1024] = 0
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void intel_blocks(global const uint *data, global uint *out, global int *wrong)
{
    uint size = get_max_sub_group_size(), item = get_sub_group_local_id(), first = get_sub_group_id() * size * 8;
    int bad = 0;
    intel_sub_group_block_prefetch_ui8(data + first);
    bad += intel_sub_group_block_read(data + first) != first + item;
    uint8 v = intel_sub_group_block_read8(data + first);
    bad += v.s0 != first + item || v.s3 != first + 3 * size + item || v.s7 != first + 7 * size + item;
    bad += intel_sub_group_block_read_ui2(data + first).y != first + size + item;
    ushort4 s = intel_sub_group_block_read_us4((global const ushort *)(data + first));
    uint place = 3 * size + item;
    bad += s.w != (place & 1 ? 0 : first + place / 2);
    uchar16 c = intel_sub_group_block_read_uc16((global const uchar *)(data + first));
    place = 13 * size + item;
    bad += c.sd != ((first + place / 4) >> place % 4 * 8 & 0xff);
    ulong2 l = intel_sub_group_block_read_ul2((global const ulong *)(data + first));
    place = size + item;
    bad += l.y != ((ulong)(first + 2 * place + 1) << 32 | (first + 2 * place));
    intel_sub_group_block_write4(out + first, v.s0123 + 1);
    intel_sub_group_block_write_us((global ushort *)(out + first + 4 * size), (ushort)(item + 5));
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++)
        bad += out[first + i * size + item] != first + i * size + item + 1;
    bad += ((global ushort *)(out + first + 4 * size))[item] != item + 5;
    if (bad)
        atomic_add(wrong, bad);
}

// Work-groups of 128 items, so that sub-groups are full whatever their size.
//! test: intel_local_blocks
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_local_block_io cl_intel_subgroups_short
//! global: 128
//! local: 128
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void intel_local_blocks(global int *wrong)
{
    local uint shared[128 * 4];
    uint size = get_max_sub_group_size(), item = get_sub_group_local_id(), first = get_sub_group_id() * size * 4;
    int bad = 0;
    intel_sub_group_block_write4(shared + first, (uint4)(item, item + 100, item + 200, item + 300));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++)
        bad += shared[first + i * size + item] != item + 100 * i;
    uint2 v = intel_sub_group_block_read2((local const uint *)shared + first + size);
    bad += v.x != item + 100 || v.y != item + 200;
    ushort s = intel_sub_group_block_read_us((local const ushort *)(shared + first));
    bad += s != (item & 1 ? 0 : item / 2);
    if (bad)
        atomic_add(wrong, bad);
}

//! test: split_barrier
//! options: -cl-std=CL3.0
//! require: cl_intel_split_work_group_barrier
//! global: 128
//! local: 64
//! buffer out int[128] = 0
//! expect out = 0..63 0..63
kernel void split_barrier(global int *out)
{
    local int shared[64];
    int item = get_local_id(0);
    shared[item] = item;
    intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
    int other = 63 - item;
    intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[get_global_id(0)] = 63 - shared[other];
}

// The extension itself also asks for instructions of SPIR-V, so devices do not list it; another name stands for Pumice here.

//! test: bfloat16
//! options: -cl-std=CL3.0
//! require: cl_intel_split_work_group_barrier
//! buffer out uint[12] = 0
//! expect out = 0x3f80 0x4049 0x3f80 0x3f82 0x7f80 0x7fc1 0x8000 0xff80 0x3f800000 0xc0490000 0x7f800000 1
kernel void bfloat16(global uint *out)
{
    out[0] = intel_convert_bfloat16_as_ushort(1.0f);
    out[1] = intel_convert_bfloat16_as_ushort(3.14159265f);
    ushort4 ties = intel_convert_bfloat164_as_ushort4(as_float4((uint4)(0x3f808000, 0x3f818000, 0x7f7fffff, 0x7f810001)));
    out[2] = ties.x;
    out[3] = ties.y;
    out[4] = ties.z;
    out[5] = ties.w;
    out[6] = intel_convert_bfloat16_as_ushort(-0.0f);
    out[7] = intel_convert_bfloat16_as_ushort(-INFINITY);
    out[8] = as_uint(intel_convert_as_bfloat16_float(0x3f80));
    float2 two = intel_convert_as_bfloat162_float2((ushort2)(0xc049, 0x7f80));
    out[9] = as_uint(two.x);
    out[10] = as_uint(two.y);
    out[11] = isnan(intel_convert_as_bfloat16_float(0x7fc1));
}

//! test: arm_dot_products
//! options: -cl-std=CL3.0
//! require: cl_arm_integer_dot_product_int8 cl_arm_integer_dot_product_accumulate_int8 cl_arm_integer_dot_product_accumulate_int16 cl_arm_integer_dot_product_accumulate_saturate_int8
//! buffer out int[8] = 0
//! expect out = -20 1540 80 1541 70005 -1 0x7fffffff -1
kernel void arm_dot_products(global int *out)
{
    char4 a = (char4)(1, -2, 3, -4), b = (char4)(10, 20, 30, 20);
    uchar4 c = (uchar4)(1, 2, 3, 4), d = (uchar4)(10, 20, 250, 185);
    out[0] = arm_dot(a, b);
    out[1] = (int)arm_dot(c, d);
    out[2] = arm_dot_acc(a, b, 100);
    out[3] = (int)arm_dot_acc(c, d, 1u);
    out[4] = arm_dot_acc((short2)(100, -200), (short2)(300, -200), 5);
    out[5] = (int)arm_dot_acc((ushort2)(1, 0), (ushort2)(0xffff, 9), 0xffff0000u);
    out[6] = arm_dot_acc_sat((char4)(100), (char4)(100), 0x7ffffff0);
    out[7] = (int)arm_dot_acc_sat(c, d, 0xfffffff0u);
}

//! test: amd_media_ops
//! options: -cl-std=CL1.2
//! require: cl_amd_media_ops
//! buffer out uint[14] = 0
//! expect out = 0xff02000a 0x4 0x3 0x2 0x1 0x4030202 0xe 0x1040001 0x16 0x33445566 0x44332211 0x80000000 0x11223300 0x7
kernel void amd_media_ops(global uint *out)
{
    out[0] = amd_pack((float4)(10.4f, -5, 2.5f, 300));
    float2 first = amd_unpack0((uint2)(0x01020304, 9)), last = amd_unpack3((uint2)(0x01020304, 9));
    out[1] = (uint)first.x;
    out[2] = (uint)amd_unpack1(0x01020304u);
    out[3] = (uint)amd_unpack2(0x01020304u);
    out[4] = (uint)last.x;
    out[5] = amd_lerp(0x05030201u, 0x03020302u, 0x00010001u);
    out[6] = amd_sad(0x01020304u, 0x04030201u, 6u);
    out[7] = amd_sadhi(0x010203ffu, 0x04030200u, 1u);
    out[8] = amd_sad4((uint4)(1, 2, 3, 4), (uint4)(4, 3, 2, 1), 14);
    out[9] = amd_bytealign(0x11223344u, 0x55667788u, 2u);
    out[10] = amd_bitalign(0x00000044u, 0x33221100u, 8u);
    out[11] = amd_bitalign(1u, 0u, 1u);
    out[12] = amd_bytealign((uint2)(0x00112233u), (uint2)(0u), (uint2)(3u)).y;
    out[13] = (uint)(first.y + last.y) - 2;
}

//! test: amd_media_ops2
//! options: -cl-std=CL1.2
//! require: cl_amd_media_ops2 __opencl_c_int64
//! buffer out int[14] = 0
//! expect out = 171 -1 291 0 4080 -7 9 3 2 5 13 1003 131074 1
kernel void amd_media_ops2(global int *out)
{
    out[0] = (int)amd_bfe(0x12ab34u, 8u, 8u);
    out[1] = amd_bfe(0x12fb34, 12u, 4u);
    out[2] = (int)amd_bfe(0x12345678u, 20u, 20u);
    out[3] = (int)amd_bfe(0x12345678u, 4u, 32u);
    out[4] = (int)amd_bfm(8u, 4u);
    out[5] = amd_min3(3, -7, 9);
    out[6] = amd_max3((int2)(3), (int2)(-7), (int2)(9)).y;
    out[7] = amd_median3(3, -7, 9);
    out[8] = (int)amd_median3(2.0f, 1.0f, 5.0f);
    out[9] = (int)amd_msad(0x01020304u, 0x04000001u, 0u) - 1;
    out[10] = (int)amd_sadw(0x00050001u, 0x00020003u, 8u);
    out[11] = (int)amd_sadd(5u, 8u, 1000u);
    ulong sums = amd_qsad(0x0000000000000100ul, 1u, 0x0001000000000000ul);
    out[12] = (int)(sums & 0xffff) + (int)((sums >> 48 & 0xffff) << 16);
    out[13] = (int)(amd_mqsad(0x0000000000000100ul, 1u, 0ul) & 0xffff);
}

// The same with operands from memory of every kind, which no compiler can fold.
//! test: amd_media_ops_in_memory
//! local: 1
//! options: -cl-std=CL1.2
//! require: cl_amd_media_ops cl_amd_media_ops2 __opencl_c_int64
//! global: 12
//! buffer a uint[15] = 0x01020304 0xf0e0d0c0 0x80ff7f01 3 0xffffffff 0 0x7fffffff 0x80000000 0x0a0b0c0d 17 64 0x00ff00ff 5 6 7
//! buffer b uint[15] = 5 0xfeedbeef 9 24 31 0xffffffff 32 0x12345678 33 0x01000100 63 0x80808080 1 2 3
//! buffer c uint[15] = 0 1 2 3 4 8 16 31 32 33 0xffffffff 0x01010101 0 9 1
//! buffer wrong uint[12] = 99
//! expect wrong = 0
uint byte_of(uint x, uint i) { return x >> 8 * i & 0xff; }

uint sad_of(uint a, uint b, uint skip_zero)
{
    uint sum = 0;
    for (uint i = 0; i < 4; i++)
        if (!skip_zero || byte_of(b, i))
            sum += abs_diff(byte_of(a, i), byte_of(b, i));
    return sum;
}

ulong quad_of(ulong a, uint b, ulong c, uint skip_zero)
{
    ulong all = 0;
    for (uint i = 0; i < 4; i++)
        all |= ((c >> 16 * i) + sad_of((uint)(a >> 8 * i), b, skip_zero) & 0xffff) << 16 * i;
    return all;
}

kernel void amd_media_ops_in_memory(global uint *a, constant uint *b, global const uint *c, global uint *wrong)
{
    uint i = get_global_id(0), x = a[i], y = b[i], z = c[i], bad = 0, held[2];
    local uint shared;
    shared = z;
    held[i & 1] = y;
    ulong wide = (ulong)x << 32 | y, more = (ulong)z << 32 | x;
    bad |= amd_bitalign(a[i], b[i], c[i]) != (uint)(wide >> (z & 31));
    bad |= (amd_bytealign(a[i], held[i & 1], shared) != (uint)(wide >> 8 * (z & 3))) << 1;
    bad |= (amd_sad(a[i], b[i], c[i]) != sad_of(x, y, 0) + z) << 2;
    bad |= (amd_sadhi(a[i], b[i], shared) != (sad_of(x, y, 0) << 16) + z) << 3;
    uint lerp = 0;
    for (uint k = 0; k < 4; k++)
        lerp |= ((byte_of(x, k) + byte_of(y, k) + (byte_of(z, k) & 1)) >> 1) << 8 * k;
    bad |= (amd_lerp(vload2(0, a + i), vload2(0, b + i), vload2(0, c + i)).x != lerp) << 4;
    uint sum = z;
    for (uint k = 0; k < 4; k++)
        sum += sad_of(a[i + k & 15], b[i + k & 15], 0);
    bad |= (i < 11 && amd_sad4(vload4(0, a + i), vload4(0, b + i), c[i]) != sum) << 5;
    bad |= (amd_unpack0(a[i]) != byte_of(x, 0) || amd_unpack3(b[i]) != byte_of(y, 3)) << 6;
    bad |= (amd_pack((float4)(amd_unpack0(a[i]), amd_unpack1(a[i]), amd_unpack2(a[i]), amd_unpack3(a[i]))) != x) << 7;
    bad |= (amd_msad(a[i], b[i], c[i]) != sad_of(x, y, 1) + z) << 8;
    bad |= (amd_qsad(wide, c[i], more) != quad_of(wide, z, more, 0)) << 9;
    bad |= (amd_mqsad(wide, c[i], more) != quad_of(wide, z, more, 1)) << 10;
    bad |= (amd_sadw(a[i], b[i], c[i]) != abs_diff(x & 0xffff, y & 0xffff) + abs_diff(x >> 16, y >> 16) + z) << 11;
    bad |= (amd_sadd(a[i], b[i], c[i]) != abs_diff(x, y) + z) << 12;
    bad |= (amd_bfm(a[i], b[i]) != ((1u << (x & 31)) - 1) << (y & 31)) << 13;
    uint offset = y & 31, width = z & 31;
    uint field = width == 0 ? 0 : offset + width < 32 ? x << (32 - offset - width) >> (32 - width) : x >> offset;
    int signed_field = width == 0            ? 0
                       : offset + width < 32 ? (int)(x << (32 - offset - width)) >> (32 - width)
                                             : (int)x >> offset;
    bad |= (amd_bfe(a[i], b[i], c[i]) != field) << 14;
    bad |= (amd_bfe((int)a[i], b[i], c[i]) != signed_field) << 15;
    bad |= (amd_min3(a[i], b[i], c[i]) != min(min(x, y), z) || amd_max3(a[i], b[i], c[i]) != max(max(x, y), z)) << 16;
    bad |= (amd_median3(a[i], b[i], c[i]) != max(min(x, y), min(max(x, y), z))) << 17;
    bad |= (amd_median3((int)a[i], (int)b[i], (int)c[i]) !=
            max(min((int)x, (int)y), min(max((int)x, (int)y), (int)z))) << 18;
    wrong[i] = bad;
}

// All codes and roundings are tests/math/small_floats.c's; here are what a person can read, and vectors of three.
//! test: small_floats
//! options: -cl-std=CL1.2
//! require: cl_pumice_small_floats
//! buffer in float[16] = 1 448 464 464.1 1e30 -inf nan 0.0009765625 0.00097656256 -57344 61439 61440 300 -28 6.5 149.75
//! buffer out uint[20] = 0
//! expect out = 0x38 0x7e 0x7e 0x7f 0x7e 0xff 0x7f 0 1 0xfb 0x7b 0x7c 0x7b 0x3f 0x7 0x87 0x4316 0x4315 0 0x40400000
kernel void small_floats(global const float *in, global uint *out)
{
    uchar3 three = pumice_convert_to_e4m3(vload3(0, in));
    out[0] = three.x;
    out[1] = three.y;
    out[2] = three.z;
    out[3] = pumice_convert_to_e4m3(in[3]);
    out[4] = pumice_convert_to_e4m3_sat(in[4]);
    out[5] = pumice_convert_to_e4m3(in[5]);
    out[6] = pumice_convert_to_e5m2(in[6]);
    out[7] = pumice_convert_to_e4m3(in[7]); // half of the least one: to even
    out[8] = pumice_convert_to_e4m3(in[8]);
    out[9] = pumice_convert_to_e5m2(in[9]);
    out[10] = pumice_convert_to_e5m2(in[10]);
    out[11] = pumice_convert_to_e5m2(in[11]);
    out[12] = pumice_convert_to_e5m2_rtz(in[4]);
    out[13] = pumice_convert_to_e3m2(in[13] * 2); // beyond the largest
    out[14] = pumice_convert_to_e2m1(in[14]);
    out[15] = pumice_convert_to_e8m0(in[12]);
    out[16] = pumice_convert_to_bfloat16(in[15]);
    out[17] = pumice_convert_to_bfloat16_rtz(in[15]);
    out[18] = as_uint(pumice_convert_e2m3_to_float((uchar)0));
    out[19] = as_uint(pumice_convert_e2m1_to_float((uchar)5));
}

//! test: small_float_blocks
//! options: -cl-std=CL3.0
//! require: cl_pumice_small_floats
//! buffer in float[32] = 1 2 3 4 6 -0.5 0 7 -48 0.25 0.75 12 1.5 -6 2.5 5 0*16
//! buffer out uint[6] = 0
//! buffer back float[32] = 9
//! expect out = 130 0x20821100 0x11a0300f 0x1651240c 0xa13f5c0a 0x551d8e68
//! expect back = 0 0 4 4 8 -0 0 8 -48 0 0 12 0 -8 4 4 1 2 3 4 6 -0.5 0 7 -28 0.25 0.75 12 1.5 -6 2.5 5
kernel void small_float_blocks(global const float *in, global uint *out, global float *back)
{
    float16 low = vload16(0, in), high = vload16(1, in);
    uchar scale = pumice_scale_mxfp4(low, high);
    uint2 codes = pumice_convert_block_to_mxfp4(low, scale);
    out[0] = scale;
    out[1] = codes.x;
    out[2] = codes.y;
    vstore16(pumice_convert_block_mxfp4_to_float(codes, scale), 0, back);
    uint3 sixes = pumice_convert_block_to_mxfp6_e3m2(low, (uchar)127);
    out[3] = sixes.x;
    out[4] = sixes.y;
    out[5] = sixes.z;
    vstore16(pumice_convert_block_mxfp6_e3m2_to_float(sixes, (uchar)127), 1, back);
}

//! test: small_float_dot_products
//! options: -cl-std=CL3.0
//! require: cl_pumice_small_floats
//! buffer in uint[4] = 0x87654321 0x12345678 0x7ffffff0 0xfffffff0
//! buffer out int[8] = 0
//! expect out = 120 88 104 104 -1 2147483647 15 3
kernel void small_float_dot_products(global const uint *in, global int *out)
{
    uint a = in[0], b = in[1];
    out[0] = (int)pumice_dot_8x4packed_uu_uint(a, b);
    out[1] = pumice_dot_8x4packed_ss_int(a, b);
    out[2] = pumice_dot_8x4packed_us_int(a, b);
    out[3] = pumice_dot_8x4packed_su_int(a, b);
    out[4] = (int)pumice_dot_acc_sat_8x4packed_uu_uint(a, b, in[3]);
    out[5] = pumice_dot_acc_sat_8x4packed_us_int(a, b, (int)in[2]);
    ushort4 ones = (ushort4)(0x3f80, 0x4000, 0x4040, 0xbf80);
    out[6] = (int)pumice_dot_bfloat16(ones, ones);
    out[7] = (int)(pumice_dot_acc_bfloat16(ones.lo, ones.hi, 0.5f) * 2);
}
