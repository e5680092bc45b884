// Every function that the extensions to sub-groups name, of every type: cl_khr_subgroup_extended_types, _ballot,
// _non_uniform_vote, _non_uniform_arithmetic, _clustered_reduce, _shuffle, _shuffle_relative, _rotate (OpenCL C 3.1,
// 6.15.20), cl_intel_subgroups, _char, _short, _long and cl_intel_subgroup_local_block_io.

// What the work-item of that place in the sub-group brings: small enough that sums and products are exact.
#define VALUE(type, place) ((type)(((place) * 5 + 3) % 7 == 2 ? 2 : 1))

#define ADD(a, b) (a) + (b)
#define MUL(a, b) (a) * (b)
#define MIN(a, b) min(a, b)
#define MAX(a, b) max(a, b)
#define AND(a, b) (a) & (b)
#define OR(a, b)  (a) | (b)
#define XOR(a, b) (a) ^ (b)

#define MODEL(type, op, sum, condition)                                                                                \
    sum = 0;                                                                                                           \
    for (int j = 0, begun = 0; j < n; j++)                                                                             \
        if (condition) {                                                                                               \
            sum = begun ? (type)(op(sum, VALUE(type, j))) : VALUE(type, j);                                            \
            begun = 1;                                                                                                 \
        }

// A reduction and both scans; an exclusive scan of nothing is another's affair (subgroups.cl).
#define THREE(type, prefix, name, op)                                                                                  \
    MODEL(type, op, sum, true)                                                                                         \
    bad += prefix##reduce_##name(x) != sum;                                                                            \
    MODEL(type, op, sum, j <= i)                                                                                       \
    bad += prefix##scan_inclusive_##name(x) != sum;                                                                    \
    MODEL(type, op, sum, j < i)                                                                                        \
    bad += (prefix##scan_exclusive_##name(x) != sum) && i > 0;

#define CLUSTER(type, name, op)                                                                                        \
    MODEL(type, op, sum, j / 4 == i / 4)                                                                               \
    bad += sub_group_clustered_reduce_##name(x, 4) != sum;                                                             \
    MODEL(type, op, sum, j / 8 == i / 8)                                                                               \
    bad += sub_group_clustered_reduce_##name(x, 8) != sum;

#define NUMBERS(type)                                                                                                  \
    THREE(type, sub_group_, add, ADD)                                                                                  \
    THREE(type, sub_group_, min, MIN)                                                                                  \
    THREE(type, sub_group_, max, MAX)                                                                                  \
    THREE(type, sub_group_non_uniform_, add, ADD)                                                                      \
    THREE(type, sub_group_non_uniform_, mul, MUL)                                                                      \
    THREE(type, sub_group_non_uniform_, min, MIN)                                                                      \
    THREE(type, sub_group_non_uniform_, max, MAX)                                                                      \
    CLUSTER(type, add, ADD)                                                                                            \
    CLUSTER(type, mul, MUL)                                                                                            \
    CLUSTER(type, min, MIN)                                                                                            \
    CLUSTER(type, max, MAX)

#define BITS(type)                                                                                                     \
    THREE(type, sub_group_non_uniform_, and, AND)                                                                      \
    THREE(type, sub_group_non_uniform_, or, OR)                                                                        \
    THREE(type, sub_group_non_uniform_, xor, XOR)                                                                      \
    CLUSTER(type, and, AND)                                                                                            \
    CLUSTER(type, or, OR)                                                                                              \
    CLUSTER(type, xor, XOR)

#define MOVES(type)                                                                                                    \
    bad += sub_group_broadcast(x, n - 1) != VALUE(type, n - 1);                                                        \
    bad += sub_group_non_uniform_broadcast(x, 1) != VALUE(type, 1);                                                    \
    bad += sub_group_broadcast_first(x) != VALUE(type, 0);                                                             \
    bad += sub_group_shuffle(x, (uint)(i + 3) % n) != VALUE(type, (i + 3) % n);                                        \
    bad += sub_group_shuffle_xor(x, 3) != VALUE(type, i ^ 3);                                                          \
    bad += (sub_group_shuffle_up(x, 2) != VALUE(type, i - 2)) && i >= 2;                                               \
    bad += (sub_group_shuffle_down(x, 2) != VALUE(type, i + 2)) && i + 2 < n;                                          \
    bad += sub_group_rotate(x, 3) != VALUE(type, (i + 3) % n);                                                         \
    bad += sub_group_rotate(x, -1) != VALUE(type, (i + n - 1) % n);                                                    \
    bad += sub_group_clustered_rotate(x, 3, 4) != VALUE(type, (i & ~3) | ((i + 3) & 3));                               \
    bad += sub_group_non_uniform_all_equal((type)7) == 0 || sub_group_non_uniform_all_equal((type)i) != 0;

#define INTEL_MOVES(type)                                                                                              \
    bad += intel_sub_group_shuffle(x, (uint)(i + 3) % n) != VALUE(type, (i + 3) % n);                                  \
    bad += intel_sub_group_shuffle_xor(x, 3) != VALUE(type, i ^ 3);                                                    \
    bad += intel_sub_group_shuffle_down(x, y, 2) != (type)(i + 2 < n ? VALUE(type, i + 2) : i + 2 - n + 1);            \
    bad += intel_sub_group_shuffle_up(y, x, 2) != (type)(i >= 2 ? VALUE(type, i - 2) : i - 2 + n + 1);

#define ALL_OF(type, ...)                                                                                              \
    {                                                                                                                  \
        type x = VALUE(type, i), y = (type)(i + 1), sum;                                                               \
        int n = get_max_sub_group_size(), bad = 0;                                                                     \
        NUMBERS(type)                                                                                                  \
        MOVES(type)                                                                                                    \
        __VA_ARGS__                                                                                                    \
        if (bad)                                                                                                       \
            atomic_add(&wrong[0], bad);                                                                                \
    }

// A vector's component c is that of the scalar functions.
#define VECTORS_OF(type, n)                                                                                            \
    {                                                                                                                  \
        type##n x, v;                                                                                                  \
        for (int c = 0; c < n; c++)                                                                                    \
            ((private type *)&x)[c] = (type)(i + c);                                                                   \
        v = sub_group_broadcast(x, 2);                                                                                 \
        for (int c = 0; c < n; c++)                                                                                    \
            bad += ((private type *)&v)[c] != (type)(2 + c);                                                           \
        v = sub_group_non_uniform_broadcast(x, 1);                                                                     \
        for (int c = 0; c < n; c++)                                                                                    \
            bad += ((private type *)&v)[c] != (type)(1 + c);                                                           \
    }
#define VECTORS(type) VECTORS_OF(type, 2) VECTORS_OF(type, 3) VECTORS_OF(type, 4) VECTORS_OF(type, 8) VECTORS_OF(type, 16)

#define INTEL_VECTORS_OF(type, n, broadcast)                                                                           \
    {                                                                                                                  \
        type##n x, y, v;                                                                                               \
        for (int c = 0; c < n; c++) {                                                                                  \
            ((private type *)&x)[c] = (type)(i + c);                                                                   \
            ((private type *)&y)[c] = (type)(i + c + 64);                                                              \
        }                                                                                                              \
        v = broadcast ? intel_sub_group_shuffle_xor(x, 1) : intel_sub_group_shuffle(x, (uint)i ^ 1);                   \
        type##n down = intel_sub_group_shuffle_down(x, y, 1), up = intel_sub_group_shuffle_up(y, x, 1);                \
        for (int c = 0; c < n; c++) {                                                                                  \
            bad += ((private type *)&v)[c] != (type)((i ^ 1) + c);                                                     \
            bad += ((private type *)&down)[c] != (type)(i + 1 < most ? i + 1 + c : 64 + c);                            \
            bad += ((private type *)&up)[c] != (type)(i > 0 ? i - 1 + c : most - 1 + c + 64);                          \
        }                                                                                                              \
    }
#define INTEL_VECTORS(type)                                                                                            \
    INTEL_VECTORS_OF(type, 2, 0)                                                                                       \
    INTEL_VECTORS_OF(type, 3, 1) INTEL_VECTORS_OF(type, 4, 0) INTEL_VECTORS_OF(type, 8, 1) INTEL_VECTORS_OF(type, 16, 0)

// Component c of work-item i is element c * size + i of the block.
#define BLOCK_OF(space, type, n, suffix, from, to)                                                                     \
    {                                                                                                                  \
        space const type *p = (space const type *)(from) + first;                                                      \
        space type *q = (space type *)(to) + first;                                                                    \
        type##n v = intel_sub_group_block_read_##suffix##n(p);                                                         \
        for (int c = 0; c < sizeof(v) / sizeof(type); c++)                                                             \
            bad += ((private type *)&v)[c] != p[c * size + item];                                                      \
        intel_sub_group_block_write_##suffix##n(q, v);                                                                 \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                           \
        for (int c = 0; c < sizeof(v) / sizeof(type); c++)                                                             \
            bad += q[c * size + (item ^ 1)] != p[c * size + (item ^ 1)];                                               \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                           \
    }
#define BLOCKS(space, type, suffix, from, to)                                                                          \
    BLOCK_OF(space, type, , suffix, from, to)                                                                          \
    BLOCK_OF(space, type, 2, suffix, from, to)                                                                         \
    BLOCK_OF(space, type, 4, suffix, from, to)                                                                         \
    BLOCK_OF(space, type, 8, suffix, from, to)

//! test: chars
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups_char
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void chars(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(char, BITS(char) INTEL_MOVES(char) THREE(char, intel_sub_group_, add, ADD)
                     THREE(char, intel_sub_group_, min, MIN) THREE(char, intel_sub_group_, max, MAX))
}

//! test: uchars
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups_char
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void uchars(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(uchar, BITS(uchar) INTEL_MOVES(uchar) THREE(uchar, intel_sub_group_, add, ADD)
                      THREE(uchar, intel_sub_group_, min, MIN) THREE(uchar, intel_sub_group_, max, MAX))
}

//! test: shorts
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups_short
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void shorts(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(short, BITS(short) INTEL_MOVES(short) THREE(short, intel_sub_group_, add, ADD)
                      THREE(short, intel_sub_group_, min, MIN) THREE(short, intel_sub_group_, max, MAX))
}

//! test: ushorts
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups_short
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void ushorts(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(ushort, BITS(ushort) INTEL_MOVES(ushort) THREE(ushort, intel_sub_group_, add, ADD)
                       THREE(ushort, intel_sub_group_, min, MIN) THREE(ushort, intel_sub_group_, max, MAX))
}

//! test: ints
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void ints(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(int, BITS(int) INTEL_MOVES(int))
}

//! test: uints
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void uints(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(uint, BITS(uint) INTEL_MOVES(uint))
}

//! test: longs
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups __opencl_c_int64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void longs(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(long, BITS(long) INTEL_MOVES(long))
}

//! test: ulongs
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups __opencl_c_int64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void ulongs(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(ulong, BITS(ulong) INTEL_MOVES(ulong))
}

//! test: floats
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void floats(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(float, INTEL_MOVES(float))
}

//! test: halves
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups fp16
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(half, INTEL_MOVES(half))
}

//! test: doubles
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote
//! require: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_clustered_reduce cl_khr_subgroup_shuffle
//! require: cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_intel_subgroups fp64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void doubles(global int *wrong)
{
    int i = get_sub_group_local_id();
    ALL_OF(double, INTEL_MOVES(double))
}

//! test: broadcasts_of_vectors
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types cl_khr_subgroup_ballot __opencl_c_int64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void broadcasts_of_vectors(global int *wrong)
{
    int i = get_sub_group_local_id(), bad = 0;
    VECTORS(char)
    VECTORS(uchar)
    VECTORS(short)
    VECTORS(ushort)
    VECTORS(int)
    VECTORS(uint)
    VECTORS(long)
    VECTORS(ulong)
    VECTORS(float)
    if (bad)
        atomic_add(wrong, bad);
}

//! test: shuffles_of_vectors
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long __opencl_c_int64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void shuffles_of_vectors(global int *wrong)
{
    int i = get_sub_group_local_id(), most = get_max_sub_group_size(), bad = 0;
    INTEL_VECTORS(char)
    INTEL_VECTORS(uchar)
    INTEL_VECTORS(short)
    INTEL_VECTORS(ushort)
    INTEL_VECTORS(int)
    INTEL_VECTORS(uint)
    INTEL_VECTORS(long)
    INTEL_VECTORS(ulong)
    INTEL_VECTORS(float)
    char2 c = intel_sub_group_broadcast((char2)(i, 7), 3);
    ushort16 s = intel_sub_group_broadcast((ushort16)(i), 2);
    bad += c.x != 3 || c.y != 7 || s.sf != 2;
    if (bad)
        atomic_add(wrong, bad);
}

//! test: blocks_of_buffers
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long __opencl_c_int64
//! global: 64
//! local: 64
//! buffer from uint[2048] = 77..2124
//! buffer to uint[2048] = 0
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void blocks_of_buffers(global const uint *from, global uint *to, global int *wrong)
{
    int size = get_max_sub_group_size(), item = get_sub_group_local_id(), first = get_sub_group_id() * size * 16, bad = 0;
    BLOCKS(global, uint, ui, from, to)
    BLOCKS(global, ushort, us, from, to)
    BLOCKS(global, uchar, uc, from, to)
    BLOCK_OF(global, ushort, 16, us, from, to)
    BLOCK_OF(global, uchar, 16, uc, from, to)
    first /= 2;
    BLOCKS(global, ulong, ul, from, to)
    intel_sub_group_block_write8(to + first, intel_sub_group_block_read8(from + first));
    intel_sub_group_block_write(to + first, intel_sub_group_block_read(from + first) + 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    bad += to[first + item] != from[first + item] + 1 || to[first + 7 * size + item] != from[first + 7 * size + item];
    if (bad)
        atomic_add(wrong, bad);
}

//! test: blocks_of_local_memory
//! options: -cl-std=CL3.0
//! require: cl_intel_subgroup_local_block_io cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long
//! require: __opencl_c_int64
//! global: 64
//! local: 64
//! buffer wrong int[1] = 0
//! expect wrong = 0
kernel void blocks_of_local_memory(global int *wrong)
{
    local ushort shorts[1024], more_shorts[1024];
    local uchar chars[1024], more_chars[1024];
    local uint ints[512], more_ints[512];
    local ulong longs[512], more_longs[512];
    int size = get_max_sub_group_size(), item = get_sub_group_local_id(), first = get_sub_group_id() * size * 16, bad = 0;
    for (int i = get_local_id(0); i < 1024; i += 64) {
        shorts[i] = chars[i] = i * 77;
        if (i % 2 == 0)
            ints[i / 2] = longs[i / 2] = i / 2 * 0x102030405060708ul;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    BLOCK_OF(local, ushort, , us, shorts, more_shorts) // those between take drivers long, where no store has so few bits
    BLOCK_OF(local, uchar, , uc, chars, more_chars)
    BLOCK_OF(local, ushort, 16, us, shorts, more_shorts)
    BLOCK_OF(local, uchar, 16, uc, chars, more_chars)
    first /= 2;
    BLOCKS(local, uint, ui, ints, more_ints)
    BLOCKS(local, ulong, ul, longs, more_longs)
    if (bad)
        atomic_add(wrong, bad);
}
