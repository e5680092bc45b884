// Local memory, barriers, work-item functions, atomics, async copies. OpenCL C 3.0, 6.15.1, 6.15.8, 6.15.11, 6.15.12.

//! test: local_reverse
//! buffer out int[8] = 0
//! buffer in int[8] = 1..8
//! global: 8
//! local: 4
//! expect out = 4 3 2 1 8 7 6 5
kernel void local_reverse(global int *out, global const int *in)
{
    local int tile[4];
    tile[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[3 - get_local_id(0)];
}

//! test: local_argument
//! buffer out int[8] = 0
//! local tmp 16
//! local other 32
//! global: 8
//! local: 4
//! expect out = 3 2 1 0 7 6 5 4
kernel void local_argument(global int *out, local int *tmp, local long *other)
{
    tmp[get_local_id(0)] = get_global_id(0);
    other[get_local_id(0)] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tmp[3 - get_local_id(0)] + other[0] + 1;
}

//! test: local_bytes
//! buffer out uint[2] = 0
//! global: 8
//! local: 8
//! expect out = 0x04030201 0x08070605
kernel void local_bytes(global uint *out)
{
    local uchar bytes[8] __attribute__((aligned(4)));
    bytes[get_local_id(0)] = get_local_id(0) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 2)
        out[get_local_id(0)] = ((local uint *)bytes)[get_local_id(0)];
}

//! test: local_struct
//! buffer out float[4] = 0
//! global: 4
//! local: 4
//! expect out = 3.5 2.5 1.5 0.5
typedef struct {
    int id;
    float4 value;
} item_t;
kernel void local_struct(global float *out)
{
    local item_t items[4];
    int id = get_local_id(0);
    items[id].id = id;
    items[id].value = (float4)(id + 0.5f);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[id] = items[items[3 - id].id].value.z;
}

//! test: local_pointer_to_function
//! buffer out int[2] = 0
//! global: 8
//! local: 4
//! expect out = 6 22
int sum(local const int *values, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += values[i];
    return s;
}
kernel void local_pointer_to_function(global int *out)
{
    local int values[4];
    values[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum(values, 4);
}

//! test: work_item_ids
//! buffer out int[24] = 0
//! global: 4 3 2
//! local: 2 3 1
//! expect out = 0 1 100 101 10 11 110 111 20 21 120 121 1000 1001 1100 1101 1010 1011 1110 1111 1020 1021 1120 1121
kernel void work_item_ids(global int *out)
{
    size_t linear = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    out[linear] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_group_id(0) + 1000 * get_group_id(2);
}

//! test: sizes_and_dimensions
//! todo: Portable answers 0 for a dimension that is not there
//! buffer out uint[12] = 0
//! global: 8 6 4
//! local: 4 3 2
//! expect out = 3 8 6 4 4 3 2 2 2 2 1 1
kernel void sizes_and_dimensions(global uint *out)
{
    if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0) {
        out[0] = get_work_dim();
        for (int d = 0; d < 3; d++) {
            out[1 + d] = get_global_size(d);
            out[4 + d] = get_local_size(d);
            out[7 + d] = get_num_groups(d);
        }
        out[10] = get_global_size(3);
        out[11] = get_local_size(7);
    }
}

//! test: global_offset
//! buffer out int[8] = 0
//! global: 4
//! offset: 3
//! expect out = 0 0 0 103 104 105 106 0
kernel void global_offset(global int *out)
{
    out[get_global_id(0)] = get_global_id(0) + 100 + (int)get_global_offset(0) - 3;
}

//! test: non_uniform_groups
//! todo: Portable refuses the size
//! require: >=3.0
//! options: -cl-std=CL3.0
//! buffer out int[10] = 0
//! global: 10
//! local: 4
//! expect out = 4 4 4 4 4 4 4 4 2 2
kernel void non_uniform_groups(global int *out)
{
    out[get_global_id(0)] = get_local_size(0);
}

//! test: barrier_in_loop
//! buffer out int[8] = 0
//! global: 8
//! local: 8
//! expect out = 28 28 28 28 28 28 28 28
kernel void barrier_in_loop(global int *out)
{
    local int a[8];
    int id = get_local_id(0);
    a[id] = id;
    for (int step = 1; step < 8; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = a[id ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[id] += other;
    }
    out[id] = a[id];
}

//! test: atomic_add_global
//! buffer count int[1] = 0
//! buffer seen int[64] = 0
//! global: 64
//! expect count = 64
//! expect seen = 1
kernel void atomic_add_global(global int *count, global int *seen)
{
    int old = atomic_inc(count);
    seen[old] = 1;
}

//! test: atomic_operations
//! buffer v int[12] = 10
//! buffer old int[12] = 0
//! expect v = 15 7 99 12 9 3 14 10 14 10 77 10
//! expect old = 10
kernel void atomic_operations(global int *v, global int *old)
{
    old[0] = atomic_add(v, 5);
    old[1] = atomic_sub(v + 1, 3);
    old[2] = atomic_xchg(v + 2, 99);
    old[3] = atomic_max(v + 3, 12);
    old[4] = atomic_dec(v + 4);
    old[5] = atomic_min(v + 5, 3);
    old[6] = atomic_or(v + 6, 4);
    old[7] = atomic_and(v + 7, 14);
    old[8] = atomic_xor(v + 8, 4);
    old[9] = atomic_cmpxchg(v + 9, 5, 77);
    old[10] = atomic_cmpxchg(v + 10, 10, 77);
    old[11] = atomic_max(v + 11, -5);
}

//! test: atomic_unsigned_minmax
//! buffer v uint[2] = 10
//! expect v = 10 0xfffffff0
kernel void atomic_unsigned_minmax(global uint *v)
{
    atomic_min(v, 0xfffffff0u);
    atomic_max(v + 1, 0xfffffff0u);
}

//! test: atomic_local
//! buffer out int[2] = 0
//! global: 32
//! local: 16
//! expect out = 120 376
kernel void atomic_local(global int *out)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, (int)get_global_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

//! test: atomic_float_exchange
//! buffer v float[1] = 1.5
//! buffer old float[1] = 0
//! expect v = -2
//! expect old = 1.5
kernel void atomic_float_exchange(volatile global float *v, global float *old)
{
    *old = atomic_xchg(v, -2.0f);
}

//! test: atomic_long
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer v long[3] = 10
//! expect v = 10000000010 -5 99
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void atomic_long_test(volatile global long *v)
{
    atom_add(v, 10000000000L);
    atom_min(v + 1, -5L);
    atom_cmpxchg(v + 2, 10L, 99L);
}
//! kernel: atomic_long_test

//! test: async_copy
//! buffer out int[16] = 0
//! buffer in int[16] = 1..16
//! global: 16
//! local: 8
//! expect out = 8 7 6 5 4 3 2 1 16 15 14 13 12 11 10 9
kernel void async_copy(global int *out, global const int *in)
{
    local int from[8], to[8];
    event_t e = async_work_group_copy(from, in + 8 * get_group_id(0), 8, 0);
    wait_group_events(1, &e);
    to[get_local_id(0)] = from[7 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 8 * get_group_id(0), to, 8, 0);
    wait_group_events(1, &e);
}

//! test: async_strided
//! buffer out int[8] = 0
//! buffer in int[8] = 0..7
//! global: 4
//! local: 4
//! expect out = 0 0 2 0 4 0 6 0
kernel void async_strided(global int *out, global const int *in)
{
    local int tile[4];
    event_t e = async_work_group_strided_copy(tile, in, 4, 2, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out, tile, 4, 2, 0);
    wait_group_events(1, &e);
}

//! test: reqd_work_group_size
//! buffer out int[8] = 0
//! global: 8
//! local: 4
//! expect out = 4
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void reqd_work_group_size(global int *out)
{
    out[get_global_id(0)] = get_local_size(0);
}

//! test: reqd_work_group_size_uneven
//! todo: Portable refuses a remainder with reqd_work_group_size
//! options: -cl-std=CL3.0
//! buffer out int[10] = 0
//! global: 10
//! local: 4
//! expect out = 4 4 4 4 4 4 4 4 2 2
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void reqd_work_group_size_uneven(global int *out)
{
    out[get_global_id(0)] = get_local_size(0);
}

//! test: fences
//! buffer out int[4] = 0
//! global: 4
//! local: 4
//! expect out = 3 3 3 3
kernel void fences(global int *out)
{
    local volatile int flag;
    if (get_local_id(0) == 0)
        flag = 3;
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE);
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = flag;
}

//! test: vectors_by_component
//  Whole vectors and single components; each component of a vector is another work-item's.
//! buffer out float4[4] = 0
//! global: 16
//! local: 16
//! expect out = 3 10 1 8 15 6 13 4 11 2 9 0 7 14 5 12
kernel void vectors_by_component(global float4 *out)
{
    local float4 tile[4];
    int id = get_local_id(0), to = (id * 7 + 3) & 15;
    switch (id & 3) {
    case 0:
        tile[id >> 2].x = to;
        break;
    case 1:
        tile[id >> 2].y = to;
        break;
    case 2:
        tile[id >> 2].z = to;
        break;
    default:
        tile[id >> 2].w = to;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 4)
        out[id] = tile[id];
}

//! test: vector_arguments
//! buffer out float2[4] = 0
//! local a 64
//! local b 32
//! global: 4
//! local: 4
//! expect out = 9 3 6 2 3 1 0 0
kernel void vector_arguments(global float2 *out, local float4 *a, local float2 *b)
{
    int id = get_local_id(0);
    a[id] = (float4)(id, 2 * id, 3 * id, 4 * id);
    b[id] = a[id].zx;
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 v = b[3 - id];
    out[id] = v;
}

//! test: vectors_and_scalars
//! buffer out int[8] = 0
//! global: 8
//! local: 8
//! expect out = 14 12 10 8 6 4 2 0
kernel void vectors_and_scalars(global int *out)
{
    local int4 pairs[2];
    local int2 halves[8];
    local int plain[8];
    int id = get_local_id(0);
    ((local int *)pairs)[id] = id;
    plain[7 - id] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 v = pairs[id >> 2];
    halves[id] = (int2)(id & 2 ? (id & 1 ? v.w : v.z) : id & 1 ? v.y : v.x, plain[7 - id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int2 h = halves[7 - id];
    out[id] = h.x + h.y;
}

// Neighbours at constant places, at places that four divides, pairs, in an argument whose size the launch gives, with a
// store between two reads of one place, and beside a variable of another type.

//! test: local_neighbours
//! buffer out int[8] = 0
//! buffer in int[8] = 1..8
//! local rest 64
//! global: 4
//! local: 4
//! expect out = 10 26 10 26 1044 1064 1044 1064
kernel void local_neighbours(global int *out, global const int *in, local int *rest)
{
    local int tile[8];
    local ushort marks[5];
    int id = get_local_id(0);
    tile[id] = in[id];
    tile[id + 4] = in[id + 4];
    rest[2 * id] = 3 * id;
    rest[2 * id + 1] = 4 * id;
    marks[id] = 100 * id;
    barrier(CLK_LOCAL_MEM_FENCE);
    int four = (id & 1) * 4;
    out[id] = tile[four] + tile[four + 1] + tile[four + 2] + tile[four + 3];
    int sum = rest[0] + rest[1] + rest[2] + rest[3] + rest[4] + rest[5] + rest[6] + rest[7] + marks[3] + marks[2] + marks[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = tile[0] + tile[1] + tile[2] + tile[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0)
        tile[1] = 452;
    barrier(CLK_LOCAL_MEM_FENCE);
    int after = tile[0] + tile[1] + tile[2] + tile[3];
    int pair = (id & 1) * 2;
    out[id + 4] = sum + before + after - 68 + 10 * (tile[4 + pair] - 5) + 10 * (tile[5 + pair] - tile[4 + pair] - 1);
}

// Loops that read a ring, single words one after the other from several starts, rows of a tile, and words that they write.

//! test: local_loops
//! buffer in int[64] = 1..64
//! buffer out int8[4] = 0
//! value n int = 7
//! local part 64
//! global: 4
//! local: 4
//! expect out = 35424 1528761760 1636 178 1380 307608 2496 0 35200 1528761760 6008 218 3336 307608 2112 0 34272 1528761760 10380 258 5420 307608 1984 0 34688 1528761760 14752 298 7632 307608 1856 6544
kernel void local_loops(global const int *in, global int8 *out, int n, local int *part)
{
    local int words[64], tile[8][8];
    int id = get_local_id(0);
    for (int i = id; i < 64; i += 4)
        words[i] = tile[i / 8][i % 8] = in[i];
    for (int i = id; i < 16; i += 4)
        part[i] = in[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int8 s = 0;
    for (int i = 0; i < 64; i++)
        s.s0 += words[id * 3 + i * 5 & 31] * (i + 1);
    for (int i = 0; i < 64; i++)
        s.s1 = s.s1 * 3 + words[i];
    for (int i = 0; i < n; i++)
        s.s2 = s.s2 * 3 + words[id * 4 + i];
    for (int i = 3; i < n; i++)
        s.s3 = s.s3 * 3 + words[id + i];
    for (int i = 0; i < 8; i++)
        s.s4 += tile[id][i] * tile[i][id];
    for (int i = 4; i < 4 + n; i++)
        s.s5 = s.s5 * 5 + part[i];
    for (int i = 0; i < 64; i++)
        s.s6 += words[id * 7 + (i << 26) - i * 3 & 63] ^ i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 3) {
        for (int i = 0; i < 32; i++) {
            words[i + 1] += words[i];
            s.s7 += words[i + 1];
        }
    }
    out[id] = s;
}

// What AdaptiveCpp reported of other drivers: barriers in groups of more than 128 work-items, a load at an offset below
// the work-item's own, and the atomics of OpenCL 1.0's extension.
//! test: wide_group_with_offsets
//! buffer out int[512] = 0
//! buffer in int[512] = 1..512
//! buffer sum int[1] = 0
//! global: 512
//! local: 256
//! expect sum = 131328
//! expect out = 1
kernel void wide_group_with_offsets(global int *out, global const int *in, global int *sum)
{
    local int tile[256];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[255 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[255 - l] = i ? in[i - 1] + other : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[255 - l] == (i == 0 ? 0 : i < 256 ? 256 : 768);
    atom_add(sum, other);
}

// A vector's element is found by a counter that is below zero, to which 8 is added.
//! test: local_from_below_zero
//! buffer out int[16] = 0
//! value n int = 8
//! global: 16
//! local: 16
//! expect out = 136
kernel void local_from_below_zero(global int *out, int n)
{
    local int numbers[64];
    numbers[get_local_id(0)] = get_local_id(0) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = -8; i < n; i++)
        sum += numbers[i + 8];
    out[get_global_id(0)] = sum;
}

// Vectors that fill a word are moved as words: in a local argument, in a local array, in a private array.
//! test: local_small_vectors
//! buffer out uchar4[8] = 0
//! buffer sums ushort2[8] = 0
//! buffer in uchar4[8] = 1..32
//! local tmp 32
//! global: 8
//! local: 8
//! expect out = 29..32 25..28 21..24 17..20 13..16 9..12 5..8 1..4
//! expect sums = 59 63 51 55 43 47 35 39 27 31 19 23 11 15 3 7
kernel void local_small_vectors(global uchar4 *out, global ushort2 *sums, global const uchar4 *in, local uchar4 *tmp)
{
    local ushort2 pairs[8];
    int l = get_local_id(0);
    tmp[l] = in[l];
    pairs[l] = (ushort2)(in[l].x + in[l].y, in[l].z + in[l].w);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tmp[7 - l];
    sums[l] = pairs[7 - l];
}

//! test: private_small_vectors
//! buffer out uchar4[8] = 0
//! buffer in uchar4[8] = 1..32
//! value step int = 3
//! global: 8
//! local: 8
//! expect out = 1..4 13..16 25..28 5..8 17..20 29..32 9..12 21..24
kernel void private_small_vectors(global uchar4 *out, global const uchar4 *in, int step)
{
    uchar4 own[8];
    for (int i = 0; i < 8; i++)
        own[i * step & 7] = in[i];
    out[get_global_id(0)] = own[get_global_id(0)];
}

// Local arguments of odd sizes behind local variables, in elements of several sizes: places that are known to be
// multiples of four are read as vectors, others are not.
//! test: local_arguments_in_rows
//! buffer out float[16] = 0
//! buffer more uint[4] = 0
//! local bytes 5
//! local rows 64
//! local shorts 6
//! local vectors 64
//! local columns 68
//! global: 16
//! local: 16
//! expect out = 56 62 68 74 152 174 196 218 248 286 324 362 344 398 452 506
//! expect more = 15 40 11 120
kernel void local_arguments_in_rows(global float *out, global uint *more, local uchar *bytes, local float *rows,
                                    local ushort *shorts, local float4 *vectors, local float *columns)
{
    local uint own[3];
    uint i = get_local_id(0), x = i % 4, y = i / 4;
    columns++; // 4 bytes behind a multiple of 16
    rows[i] = i;
    columns[i] = i;
    if (i < 4)
        vectors[i] = (float4)(i, 10 * i, 100 * i, 1000 * i);
    if (i < 5)
        bytes[i] = i + 1;
    if (i < 3) {
        shorts[i] = i + 10;
        own[i] = 40 * i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += rows[4 * y + k] * columns[4 * k + x];
    out[i] = sum;
    if (i == 0) {
        local float4 *end = vectors + 4;
        more[0] = bytes[0] + bytes[1] + bytes[2] + bytes[3] + bytes[4];
        more[1] = own[1];
        more[2] = shorts[1];
        more[3] = (uint)(end[-2].y + end[-1].z / 3);
    }
}

// The same where rows are read as vectors, behind a local variable whose size is no multiple of 16.
//! test: local_argument_behind_variable
//! buffer out float[16] = 0
//! local pad 20
//! local rows 128
//! local columns 128
//! global: 16
//! local: 16
//! expect out = 563 591 619 647 1459 1551 1643 1735 2355 2511 2667 2823 3251 3471 3691 3911
kernel void local_argument_behind_variable(global float *out, local float *pad, local float *rows, local float *columns)
{
    local float own[5];
    uint i = get_local_id(0), x = i % 4, y = i / 4;
    rows[i] = i;
    rows[i + 16] = i + 16;
    columns[i] = i;
    columns[i + 16] = i + 16;
    if (i < 5) {
        pad[i] = i;
        own[i] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = own[x] + pad[2];
    for (int k = 0; k < 8; k++)
        sum += rows[8 * y + k] * columns[4 * k + x];
    out[i] = sum;
}

//! test: local_vectors_in_halves
//! buffer out ushort[64] = 0
//! buffer sums ulong2[8] = 0
//! buffer in uint4[8] = 0x10000 0x30002 0x50004 0x70006 0x90008 0xb000a 0xd000c 0xf000e 0x110010 0x130012 0x150014 0x170016 0x190018 0x1b001a 0x1d001c 0x1f001e 0x210020 0x230022 0x250024 0x270026 0x290028 0x2b002a 0x2d002c 0x2f002e 0x310030 0x330032 0x350034 0x370036 0x390038 0x3b003a 0x3d003c 0x3f003e
//! global: 8
//! local: 8
//! expect out = 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
//! expect sums = 0x3b003a00390038 0x3f003e003d003c 0x33003200310030 0x37003600350034 0x2b002a00290028 0x2f002e002d002c 0x23002200210020 0x27002600250024 0x1b001a00190018 0x1f001e001d001c 0x13001200110010 0x17001600150014 0xb000a00090008 0xf000e000d000c 0x3000200010000 0x7000600050004
kernel void local_vectors_in_halves(global ushort *out, global ulong2 *sums, global const uint4 *in)
{
    local ushort all[64] __attribute__((aligned(16)));
    int l = get_local_id(0);
    *(local uint4 *)(all + 8 * l) = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 64; i += 8)
        out[i] = all[63 - i];
    sums[l] = *(local ulong2 *)(all + 8 * (7 - l));
}
