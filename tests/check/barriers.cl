// Places where not all work-items meet.

//! test: left_before
//! global: 8
//! local: 8
//! buffer out int[8] = 0
//! expect out = _
kernel void left_before(global int *out)
{
    int i = get_local_id(0);
    if (i == 3)
        return;
    barrier(CLK_LOCAL_MEM_FENCE); // expect: divergent-barrier
    out[i] = 1;
}

//! test: in_a_branch
//! global: 8
//! local: 8
//! buffer out int[8] = 0
//! expect out = _
kernel void in_a_branch(global int *out)
{
    int i = get_local_id(0);
    if (i < 6) {
        out[i] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE); // expect: divergent-barrier
    }
    out[i] = 2;
}

// Whole sub-groups of most devices have no part in it: all of them but the first, the first, and by a way of their own.
//! test: first_ones_only
//! global: 256
//! local: 128
//! buffer out int[256] = 0
//! expect out = _
kernel void first_ones_only(global int *out)
{
    int i = get_local_id(0);
    if (i < 3)
        barrier(CLK_LOCAL_MEM_FENCE); // expect: divergent-barrier
    out[get_global_id(0)] = 1;
}

//! test: first_ones_left
//! global: 128
//! local: 128
//! buffer out int[128] = 0
//! expect out = _
kernel void first_ones_left(global int *out)
{
    int i = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 64)
        return;
    out[i] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE); // expect: divergent-barrier
    out[i] = 2;
}

//! test: last_ones_left_a_loop
//! global: 128
//! local: 128
//! buffer out int[128] = 0
//! expect out = _
kernel void last_ones_left_a_loop(global int *out)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (k == 2 && i >= 64)
            break;
        barrier(CLK_LOCAL_MEM_FENCE); // expect: divergent-barrier
        out[i] = k;
    }
}

// All come as often, some by another way.
//! test: ends_apart
//! global: 256
//! local: 128
//! buffer out int[256] = 0
//! expect out = _
kernel void ends_apart(global int *out)
{
    int i = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = k;
    }
    if (i < 64)
        return;
    for (int k = 0; k < i; k++)
        out[get_global_id(0)] += k;
}

//! test: collective_of_some
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = _
kernel void collective_of_some(global int *out)
{
    int i = get_local_id(0), sum = 0;
    if (i < 16)
        sum = work_group_reduce_add(i); // expect: divergent-barrier
    out[i] = sum;
}

//! test: collective_behind_a_return
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = _
kernel void collective_behind_a_return(global int *out)
{
    int i = get_local_id(0);
    if (i == 3)
        return;
    out[i] = work_group_any(i == 5); // expect: divergent-barrier
}

//! test: collectives_are_right
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! global: 64
//! local: 32
//! buffer out int[64] = 0
//! expect out = 992
kernel void collectives_are_right(global int *out)
{
    int sum = 0;
    for (int k = 0; k < 2; k++)
        sum += work_group_reduce_add((int)get_local_id(0));
    out[get_global_id(0)] = work_group_all(sum > 0) ? sum : 0;
}

//! test: half_of_a_barrier
//! require: cl_intel_split_work_group_barrier
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = _
kernel void half_of_a_barrier(global int *out)
{
    int i = get_local_id(0);
    if (i < 16) {
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
        out[i] = 2;
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE); // expect: divergent-barrier
    }
}

//! test: all_is_right
//! global: 16
//! local: 8
//! buffer out int[16] = 0
//! expect out = 2
kernel void all_is_right(global int *out)
{
    local int a[8];
    int i = get_local_id(0);
    for (int k = 0; k < 5; k++) {
        a[i] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = a[7 - i] / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! test: sub_group_in_a_branch
//! require: cl_intel_subgroups
//! global: 4
//! local: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void sub_group_in_a_branch(global int *out)
{
    int i = get_local_id(0);
    if (i == 1)
        out[i] = sub_group_reduce_add(i); // expect: divergent-sub-group
    else
        out[i] = 1;
}

//! test: sub_group_is_right
//! require: cl_intel_subgroups
//! global: 4
//! local: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void sub_group_is_right(global int *out)
{
    int i = get_local_id(0);
    out[i] = sub_group_reduce_add(1);
}

//! test: copy_of_one
//! global: 4
//! local: 4
//! buffer in int[4] = 1..4
//! buffer out int[4] = 0
//! expect out = _
kernel void copy_of_one(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    if (i == 0) {
        event_t done = async_work_group_copy(a, in, 4, 0);
        wait_group_events(1, &done); // expect: async-copy divergent-barrier il: divergent-barrier
    }
    out[i] = i;
}

//! test: copy_of_other_sizes
//! global: 4
//! local: 4
//! buffer in int[4] = 1..4
//! buffer out int[4] = 0
//! expect out = _
kernel void copy_of_other_sizes(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    event_t done = async_work_group_copy(a, in, i == 3 ? 1 : 4, 0);
    wait_group_events(1, &done); // expect: async-copy il: -
    out[i] = a[i];
}

//! test: copies_in_another_order
//! global: 4
//! local: 4
//! buffer in int[4] = 1..4
//! buffer out int[4] = 0
//! expect out = _
kernel void copies_in_another_order(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    event_t done = 0;
    for (int k = 0; k < 4; k++)
        done = async_work_group_copy(a + (i == 2 && k == 2 ? 0 : k), in + k, 1, done);
    wait_group_events(1, &done); // expect: async-copy il: -
    out[i] = a[i];
}

//! test: copy_not_awaited
//! global: 4
//! local: 4
//! buffer in int[4] = 1..4
//! buffer out int[4] = 0
//! expect out = 0..3
kernel void copy_not_awaited(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    async_work_group_copy(a, in, 4, 0); // expect: async-copy il: -
    out[i] = i;
}

//! test: copies_are_right
//! global: 16
//! local: 4
//! buffer in int[16] = 1..16
//! buffer out int[16] = 0
//! expect out = 2..17
kernel void copies_are_right(global const int *in, global int *out)
{
    local int a[4], b[4];
    int i = get_local_id(0), first = get_group_id(0) * 4;
    for (int k = 0; k < 3; k++) {
        event_t done[2];
        done[0] = async_work_group_copy(a, in + first, 4 - k, 0);
        done[1] = async_work_group_strided_copy(b, in + first, 2, 2, 0);
        wait_group_events(2, done);
        if (k == 0)
            out[first + i] = a[i];
    }
    event_t done = async_work_group_copy(out + first, a, 0, 0);
    wait_group_events(1, &done);
    out[first + i]++;
}
