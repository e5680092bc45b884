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
