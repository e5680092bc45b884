// Sub-groups in control flow: those of a work-group go different ways, leave loops at different times, and return early.
// Written for sub-groups of any size, so that they run with each (tests/meson.build).

// The sum of first, first + 1 ... of n numbers.
static int row(int first, int n)
{
    return n * (2 * first + n - 1) / 2;
}

//! test: different_ways
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_ballot
//! buffer wrong int[1] = 0
//! global: 200
//! local: 100
//! expect wrong = 0
kernel void different_ways(global int *wrong)
{
    local int place[100];
    int n = get_sub_group_size(), i = get_sub_group_local_id(), id = get_sub_group_id(), at = get_local_id(0);
    bool right = true;
    if (id % 2) {
        right = sub_group_reduce_add(i) == row(0, n) && sub_group_scan_inclusive_add(1) == i + 1;
        right = sub_group_shuffle(i * 2, n - 1 - i) == 2 * (n - 1 - i) && right;
        right = sub_group_ballot_bit_count(sub_group_ballot(1)) == n && right;
    } else {
        place[at] = i + id;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        right = place[at - i + (i + 1) % n] == (i + 1) % n + id;
        right = sub_group_scan_exclusive_max(i) == (i ? i - 1 : INT_MIN) && right;
        right = sub_group_any(i == n - 1) && !sub_group_all(i == 0 && n > 1) && right;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    right = sub_group_broadcast(id, n - 1) == id && right;
    if (!right)
        atomic_inc(wrong);
}

//! test: barriers_of_some
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer out int[96] = 0
//! global: 96
//! local: 96
//! expect out = 1..96
kernel void barriers_of_some(global int *out)
{
    local int place[96];
    int first = get_local_id(0) - get_sub_group_local_id(), last = get_sub_group_size() - 1;
    for (int k = 0; k < get_sub_group_id() % 3; k++) { // none, one or two of them
        place[first + last - get_sub_group_local_id()] = get_local_id(0);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (place[get_local_id(0)] != first + last - get_sub_group_local_id())
            return;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = get_global_id(0) + 1;
}

//! test: loops_of_different_length
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer wrong int[1] = 0
//! buffer out int[96] = 0
//! global: 96
//! local: 96
//! expect wrong = 0
//! expect out = 0..95
kernel void loops_of_different_length(global int *wrong, global int *out)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id(), id = get_sub_group_id(), sum = 0, expected = 0;
    for (int k = 0; k <= id; k++) {
        int x = sub_group_reduce_add(i + k);
        sum += x;
        if (x < 0)
            continue;
        if (sub_group_all(k == 3))
            break;
    }
    for (int k = 0; k <= min(id, 3); k++)
        expected += row(k, n);
    if (sum != expected)
        atomic_inc(wrong);
    // each work-item leaves at another time
    int left = i;
    while (left > 0) {
        left -= 1;
        out[get_local_id(0)] += 1;
    }
    out[get_local_id(0)] += sub_group_broadcast((int)get_local_id(0), 0);
    if (left != 0)
        atomic_inc(wrong);
}

//! test: early_returns
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer wrong int[1] = 0
//! global: 128
//! local: 128
//! expect wrong = 0
kernel void early_returns(global int *wrong)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id();
    if (get_sub_group_id() == 1)
        return;
    int x = sub_group_scan_inclusive_add(i);
    if (x != row(0, i + 1))
        atomic_inc(wrong);
    if (i == n - 1)
        return;
    if (x >= 0)
        for (int k = 0; k < 10; k++) {
            if (k == i)
                return;
        }
}

//! test: ways_of_work_items
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_ballot
//! require: cl_khr_subgroup_shuffle
//! buffer wrong int[1] = 0
//! global: 77
//! local: 77
//! expect wrong = 0
kernel void ways_of_work_items(global int *wrong)
{
    int n = get_sub_group_size(), i = get_sub_group_local_id(), bad = 0;
    for (int k = 0; k < n; k++) {
        int last = k > 2 ? n - 1 : n; // the last work-item leaves with k == 2
        if (i < k)
            continue;
        bad += sub_group_non_uniform_reduce_add(i) != row(k, last - k);
        bad += sub_group_non_uniform_scan_inclusive_max(-i) != -k;
        bad += sub_group_elect() != (i == k);
        bad += sub_group_broadcast_first(i) != k;
        bad += sub_group_ballot_bit_count(sub_group_ballot(1)) != last - k;
        if (i == n - 1 && k == 2)
            break;
        bad += sub_group_non_uniform_scan_exclusive_add(1) != i - k;
        if (k >= 5)
            break;
        switch (i % 3) {
        case 0:
            bad += sub_group_non_uniform_all(i % 3 == 0) == 0;
            // fall through
        case 1:
            bad += sub_group_non_uniform_any(i % 3 == 2);
            break;
        default:
            bad += !sub_group_non_uniform_all_equal(i % 3);
        }
    }
    if (bad)
        atomic_add(wrong, bad);
}

//! test: values_that_cross
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups cl_khr_subgroup_shuffle
//! buffer in int[64] = 0..63
//! buffer out int[64] = 0
//! global: 64
//! local: 64
//! expect out = 0*64
// Values, arrays and pointers live across the operations.
kernel void values_that_cross(global const int *in, global int *out)
{
    int at = get_local_id(0), n = get_sub_group_size(), i = get_sub_group_local_id();
    int kept[5] = {at, at * 2, at * 3, at * 4, at * 5}, *p = kept + at % 5;
    global const int *from = in + at;
    float4 v = (float4)(at, at + 1, at + 2, at + 3);
    int before = 0, sum = 0;
    for (int k = 0; k < 5; k++) {
        before = sum;
        sum += sub_group_shuffle(kept[k], (i + k) % n);
        kept[k] += sub_group_reduce_max(k);
        v += sub_group_broadcast(v.x, 0);
        p = p == kept + 4 ? kept : p + 1;
    }
    int expected = 0, first = at - i;
    for (int k = 0; k < 5; k++)
        expected += (first + (i + k) % n) * (k + 1);
    bool right = sum == expected && before == expected - (first + (i + 4) % n) * 5;
    right = right && *p == at * (at % 5 + 1) + at % 5 && *from == at;
    right = right && v.y - v.x == 1 && v.w - v.z == 1 && v.x == at + 31 * first;
    out[at] = !right;
}

//! test: sums_of_a_work_group
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer in int[300] = 1
//! buffer out int[3] = 0
//! global: 300
//! local: 100
//! expect out = 100 100 100
// As programs write it: each sub-group's sum in local memory, which the first sub-group adds up.
kernel void sums_of_a_work_group(global const int *in, global int *out)
{
    local int parts[100];
    int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        parts[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        int whole = 0;
        for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_sub_group_size())
            whole += parts[k];
        whole = sub_group_reduce_add(whole);
        if (get_sub_group_local_id() == 0)
            out[get_group_id(0)] = whole;
    }
}

//! test: trees_of_halves
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer in int[64] = 1
//! buffer out int[1] = 0
//! global: 64
//! local: 64
//! expect out = 64
// Barriers in a loop, with sub-groups beside them.
kernel void trees_of_halves(global const int *in, global int *out)
{
    local int parts[64];
    int at = get_local_id(0);
    parts[at] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 32; half_size > 0; half_size /= 2) {
        if (at < half_size)
            parts[at] += parts[at + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
        int so_far = parts[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (sub_group_all(so_far == 0))
            return;
    }
    if (at == 0)
        out[0] = parts[0];
}

//! test: two_dimensions
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer wrong int[1] = 0
//! global: 10 9
//! local: 5 9
//! expect wrong = 0
kernel void two_dimensions(global int *wrong)
{
    int linear = get_local_linear_id(), most = get_max_sub_group_size(), n = get_sub_group_size();
    int i = get_sub_group_local_id(), id = get_sub_group_id();
    bool right = linear == (int)(get_local_id(1) * 5 + get_local_id(0)) && linear == id * most + i;
    right = right && n == min(most, 45 - id * most) && get_num_sub_groups() == (45 + most - 1) / most;
    right = right && sub_group_reduce_add((int)get_global_id(1)) + sub_group_reduce_min((int)get_global_id(0)) >= 0;
    right = right && sub_group_reduce_add(linear) == row(id * most, n);
    right = right && sub_group_scan_inclusive_add((int)get_local_id(0) + 5 * (int)get_local_id(1)) == row(id * most, i + 1);
    if (!right)
        atomic_inc(wrong);
}
