// Work-group collective functions, sub-groups and their extensions. OpenCL C 3.0, 6.15.16, 6.15.20; cl_khr_subgroup_*.

//! test: reduce_and_scan
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[60] = 0
//! global: 12
//! local: 12
//! expect out = 78*12 1 3 6 10 15 21 28 36 45 55 66 78 0 1 3 6 10 15 21 28 36 45 55 66 1*12 12*12
kernel void reduce_and_scan(global int *out)
{
    int i = get_local_id(0), value = i + 1;
    out[i] = work_group_reduce_add(value);
    out[12 + i] = work_group_scan_inclusive_add(value);
    out[24 + i] = work_group_scan_exclusive_add(value);
    out[36 + i] = work_group_reduce_min(value);
    out[48 + i] = work_group_reduce_max(value);
}

//! test: identities
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out long[8] = 0
//! buffer f float[2] = 0
//! global: 2
//! local: 2
//! expect out = 0x7fffffff 5 -0x80000000 5 0xffffffff 5 -0x8000000000000000 5
//! expect f = inf 2.5
kernel void identities(global long *out, global float *f)
{
    int i = get_local_id(0), value = 5 + i;
    out[i] = work_group_scan_exclusive_min(value);
    out[2 + i] = work_group_scan_exclusive_max(value);
    out[4 + i] = work_group_scan_exclusive_min((uint)value);
    out[6 + i] = work_group_scan_exclusive_max((long)value);
    f[i] = work_group_scan_exclusive_min(i + 2.5f);
}

//! test: scan_across_sub_groups
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[4] = 0
//! global: 100
//! local: 100
//! expect out = 0 0 0 5050
kernel void scan_across_sub_groups(global int *out)
{
    int i = get_local_id(0), sum = work_group_scan_inclusive_add(i + 1);
    if (sum != (i + 1) * (i + 2) / 2)
        atomic_inc(&out[0]);
    if (work_group_scan_exclusive_max(i) != (i ? i - 1 : INT_MIN))
        atomic_inc(&out[1]);
    if (work_group_scan_inclusive_min(100 - i) != 100 - i)
        atomic_inc(&out[2]);
    if (i == 99)
        out[3] = sum;
}

//! test: scan_in_linear_order
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[1] = 0
//! global: 14 9 2
//! local: 7 9 2
//! expect out = 0
kernel void scan_in_linear_order(global int *out)
{
    int linear = get_local_id(0) + 7 * (get_local_id(1) + 9 * get_local_id(2));
    bool right = linear == get_local_linear_id() && get_local_id(0) < 7 && get_local_id(1) < 9 && get_local_id(2) < 2 &&
                 get_global_id(0) == get_group_id(0) * 7 + get_local_id(0);
    if (!right || work_group_scan_exclusive_add(1) != linear)
        atomic_inc(out);
}

//! test: votes_and_broadcasts
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[8] = 0
//! buffer all int[4] = 0
//! global: 4 2
//! local: 4 2
//! expect out = 7*8
//! expect all = 1 0 1 0
kernel void votes_and_broadcasts(global int *out, global int *all)
{
    int i = get_local_linear_id();
    out[i] = work_group_broadcast(i, 3, 1);
    int results[4] = {work_group_all(i < 8), work_group_all(i != 5), work_group_any(i == 5), work_group_any(i == 8)};
    if (i == 0)
        for (int k = 0; k < 4; k++)
            all[k] = results[k] != 0;
}

//! test: wide_types
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions fp64
//! buffer out ulong[2] = 0
//! buffer d double[2] = 0
//! global: 20
//! local: 20
//! expect out = 0xbe00000000 0x1300000000
//! expect d = 10 0.5
kernel void wide_types(global ulong *out, global double *d)
{
    ulong value = (ulong)get_local_id(0) << 32;
    ulong sum = work_group_reduce_add(value), most = work_group_reduce_max(value);
    double halves = work_group_reduce_add(0.5), one = work_group_broadcast(get_local_id(0) * 0.5, 1);
    if (!value) {
        out[0] = sum;
        out[1] = most;
        d[0] = halves;
        d[1] = one;
    }
}

//! test: in_a_loop_with_local_memory
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[16] = 0
//! global: 16
//! local: 16
//! expect out = 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288
kernel void in_a_loop_with_local_memory(global int *out)
{
    local int sums[16];
    int value = 1;
    for (int i = 0; i < 16; i++) {
        int sum = work_group_reduce_add(value);
        if (get_local_id(0) == 15 - i)
            sums[i] = sum;
        value *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = sums[get_local_id(0)];
}

//! test: groups_of_several_sizes
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[21] = 0
//! global: 21
//! local: 16
//! expect out = 16*16 5*5
kernel void groups_of_several_sizes(global int *out)
{
    out[get_global_id(0)] = work_group_reduce_add(1);
}

//! test: in_functions_and_branches
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[64] = 0
//! global: 64
//! local: 8
//! expect out = 28*64
int total(int value)
{
    return work_group_reduce_add(value);
}
kernel void in_functions_and_branches(global int *out)
{
    local int scratch[8];
    int i = get_local_id(0);
    scratch[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) & 1)
        out[get_global_id(0)] = total(scratch[7 - i]);
    else
        out[get_global_id(0)] = total(scratch[i]);
}

//! test: long_vectors
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_extended_types
//! buffer out int[8] = 0
//! global: 8
//! local: 8
//! expect out = 120*8
kernel void long_vectors(global int *out)
{
    int16 value = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    value = sub_group_broadcast(value * ((int)get_sub_group_local_id() + 1), 0);
    int8 eight = value.lo + value.hi;
    int4 four = eight.lo + eight.hi;
    out[get_global_id(0)] = four.x + four.y + four.z + four.w;
}

//! test: sub_group_ids
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer out int[3] = 0
//! global: 14 9
//! local: 7 9
//! expect out = 0 126 2
kernel void sub_group_ids(global int *out)
{
    uint linear = get_local_linear_id(), most = get_max_sub_group_size(), count = (63 + most - 1) / most;
    uint id = get_sub_group_id(), items = min(most, 63 - id * most);
    bool right = id == linear / most && get_sub_group_local_id() == linear % most && get_num_sub_groups() == count &&
                 get_enqueued_num_sub_groups() == count && get_sub_group_size() == items;
    if (!right)
        atomic_inc(&out[0]);
    if (get_sub_group_local_id() == 0) {
        atomic_add(&out[1], get_sub_group_size());
        if (id == 0)
            atomic_inc(&out[2]);
    }
}

//! test: sub_group_arithmetic
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer out int[1] = 0
//! global: 45
//! local: 45
//! expect out = 0
kernel void sub_group_arithmetic(global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    bool right = sub_group_reduce_add(i) == n * (n - 1) / 2 && sub_group_reduce_max(i) == n - 1 &&
                 sub_group_scan_exclusive_add(1) == i && sub_group_scan_inclusive_add(1L) == i + 1 &&
                 sub_group_scan_exclusive_min(i) == (i ? 0 : INT_MAX) && sub_group_broadcast(i, 0) == 0 &&
                 sub_group_broadcast((float)i, n - 1) == n - 1 && sub_group_all(i < n) && !sub_group_any(i >= n);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!right)
        atomic_inc(out);
}

//! test: sub_group_ballots
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_ballot
//! buffer out int[1] = 0
//! global: 64
//! local: 64
//! expect out = 0
kernel void sub_group_ballots(global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    uint4 odd = sub_group_ballot(i & 1), all = sub_group_ballot(1);
    bool right = sub_group_ballot_bit_count(odd) == n / 2 && sub_group_ballot_inclusive_scan(all) == i + 1 &&
                 sub_group_ballot_exclusive_scan(all) == i && sub_group_ballot_find_lsb(odd) == 1 &&
                 sub_group_ballot_find_msb(all) == n - 1 && sub_group_inverse_ballot(odd) == (i & 1) &&
                 sub_group_ballot_bit_extract(odd, i) == (i & 1);
    right = right && sub_group_broadcast_first(i) == 0 && sub_group_non_uniform_broadcast(i, 1) == 1;
    if (i < 32)
        right = right && get_sub_group_eq_mask().x == 1u << i && get_sub_group_lt_mask().x == (1u << i) - 1;
    if (!right)
        atomic_inc(out);
}

//! test: sub_group_ballot_from_memory
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_ballot
//! buffer masks uint[256] = 0xaaaaaaaa
//! buffer out int[64] = -1
//! global: 64
//! local: 64
//! expect out = 0 1
kernel void sub_group_ballot_from_memory(global const uint4 *masks, global int *out)
{
    uint4 mask = masks[get_global_id(0)];
    out[get_global_id(0)] = sub_group_inverse_ballot(mask) == (get_sub_group_local_id() & 1) ? get_global_id(0) & 1 : 7;
}

//! test: sub_group_shuffles
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative
//! buffer out int[1] = 0
//! global: 64
//! local: 64
//! expect out = 0
kernel void sub_group_shuffles(global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    bool right = sub_group_shuffle(i, n - 1 - i) == n - 1 - i && sub_group_shuffle_xor(i, 1) == (i ^ 1);
    int up = sub_group_shuffle_up(i, 1), down = sub_group_shuffle_down((short)i, 2);
    right = right && (i == 0 || up == i - 1) && (i >= n - 2 || down == i + 2);
    if (!right)
        atomic_inc(out);
}

// Work-groups of 128 items, so that sub-groups are full whatever their size.
//! test: sub_group_rotations
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_rotate
//! buffer out int[1] = 0
//! global: 128
//! local: 128
//! expect out = 0
kernel void sub_group_rotations(global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    bool right = sub_group_rotate(i, 1) == (i + 1) % n && sub_group_rotate(i, -1) == (i + n - 1) % n &&
                 sub_group_clustered_rotate(i, 1, 2) == (i ^ 1);
    if (!right)
        atomic_inc(out);
}

//! test: sub_group_clusters
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_clustered_reduce
//! buffer out int[1] = 0
//! global: 64
//! local: 64
//! expect out = 0
kernel void sub_group_clusters(global int *out)
{
    int i = get_sub_group_local_id(), base = i & ~3;
    bool right = sub_group_clustered_reduce_add(i, 4) == 4 * base + 6 && sub_group_clustered_reduce_max(i, 2) == (i | 1) &&
                 sub_group_clustered_reduce_logical_or(i == base, 4);
    if (!right)
        atomic_inc(out);
}

//! test: sub_group_divergence
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_non_uniform_arithmetic
//! buffer out int[1] = 0
//! global: 64
//! local: 64
//! expect out = 0
kernel void sub_group_divergence(global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    if (i & 1) {
        bool right = sub_group_non_uniform_reduce_add(1) == n / 2 && sub_group_non_uniform_scan_exclusive_add(1) == i / 2 &&
                     sub_group_elect() == (i == 1) && sub_group_non_uniform_all(i & 1) && !sub_group_non_uniform_any(i == 0) &&
                     sub_group_non_uniform_all_equal(7) && !sub_group_non_uniform_all_equal(i);
        if (!right)
            atomic_inc(out);
    }
}

//! test: uniform_arithmetic
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[126] = 0
//! global: 6
//! local: 6
//! expect out = 46080 46080 46080 46080 46080 46080 2 8 48 384 3840 46080 1 2 8 48 384 3840 8 8 8 8 8 8 9 9 8 8 8 8 -1 9 9 8 8 8 15 15 15 15 15 15 9 11 15 15 15 15 0 9 11 15 15 15 1 1 1 1 1 1 9 2 14 3 14 1 0 9 2 14 3 14 0 0 0 0 0 0 1 1 0 0 0 0 1 1 1 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 0 0 0 0 0 0 1 0 0 1 1 0 0 1 0 0 1 1
kernel void uniform_arithmetic(global int *out)
{
    int i = get_local_id(0), even = 2 * i + 2, zero = i != 2 && i != 4 ? i + 1 : 0;
    int bits = i < 3 ? (i < 2 ? 9 + 2 * i : 12) : (i < 5 ? 13 : 15);
    out[i] = work_group_reduce_mul(even);
    out[6 + i] = work_group_scan_inclusive_mul(even);
    out[12 + i] = work_group_scan_exclusive_mul(even);
    out[18 + i] = work_group_reduce_and(bits);
    out[24 + i] = work_group_scan_inclusive_and(bits);
    out[30 + i] = work_group_scan_exclusive_and(bits);
    out[36 + i] = work_group_reduce_or(bits);
    out[42 + i] = work_group_scan_inclusive_or(bits);
    out[48 + i] = work_group_scan_exclusive_or(bits);
    out[54 + i] = work_group_reduce_xor(bits);
    out[60 + i] = work_group_scan_inclusive_xor(bits);
    out[66 + i] = work_group_scan_exclusive_xor(bits);
    out[72 + i] = work_group_reduce_logical_and(zero) != 0;
    out[78 + i] = work_group_scan_inclusive_logical_and(zero) != 0;
    out[84 + i] = work_group_scan_exclusive_logical_and(zero) != 0;
    out[90 + i] = work_group_reduce_logical_or(zero) != 0;
    out[96 + i] = work_group_scan_inclusive_logical_or(zero) != 0;
    out[102 + i] = work_group_scan_exclusive_logical_or(zero) != 0;
    out[108 + i] = work_group_reduce_logical_xor(zero) != 0;
    out[114 + i] = work_group_scan_inclusive_logical_xor(zero) != 0;
    out[120 + i] = work_group_scan_exclusive_logical_xor(zero) != 0;
}

//! test: uniform_arithmetic_across_sub_groups
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! buffer out int[3] = 0
//! buffer products float[2] = 0
//! global: 100
//! local: 100
//! expect out = 0 0 0x3f
//! expect products = 1024 4
kernel void uniform_arithmetic_across_sub_groups(global int *out, global float *products)
{
    int i = get_local_id(0), parity = 0;
    for (int k = 0; k <= i; k++)
        parity ^= k;
    if (work_group_scan_inclusive_xor(i) != parity)
        atomic_inc(&out[0]);
    if (!work_group_scan_exclusive_logical_and(i != 57) != (i > 57))
        atomic_inc(&out[1]);
    int all = work_group_reduce_or(i & 0x3f);
    float product = work_group_reduce_mul(i % 10 == 0 ? 2.0f : 1.0f);
    float scan = work_group_scan_exclusive_mul(i % 10 == 0 ? 2.0f : 1.0f);
    if (i == 11) {
        out[2] = all;
        products[0] = product;
        products[1] = scan;
    }
}
