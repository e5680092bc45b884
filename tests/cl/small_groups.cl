// Small work-groups, of which several share one of the device's: each has its own ids and sizes, and its own sub-groups.

// Whether all ids fit, of groups of full size.
static bool ids_fit(void)
{
    bool right = true;
    for (uint d = 0; d < 3; d++) {
        size_t index = get_global_id(d) - get_global_offset(d);
        right = right && get_group_id(d) * get_local_size(d) + get_local_id(d) == index;
        right = right && get_local_id(d) < get_local_size(d) && get_group_id(d) < get_num_groups(d);
    }
    return right;
}

//! test: groups_of_one
//! options: -cl-std=CL3.0
//! buffer out int[1000] = 0
//! global: 1000
//! local: 1
//! expect out = 0..999
kernel void groups_of_one(global int *out)
{
    atomic_add(&out[get_group_id(0)], get_global_id(0) + get_local_id(0) + get_local_linear_id() + get_local_size(0) - 1);
}

//! test: groups_of_one_in_rows
//! options: -cl-std=CL3.0
//! buffer out int[1200] = 0
//! global: 3 200 2
//! local: 1 1 1
//! expect out = 0..1199
kernel void groups_of_one_in_rows(global int *out)
{
    int group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    if (ids_fit())
        atomic_add(&out[group], get_global_linear_id());
}

//! test: groups_of_three
//! options: -cl-std=CL3.0
//! buffer out int[1000] = 0
//! global: 3000
//! local: 3
//! offset: 7
//! expect out = 3*1000
kernel void groups_of_three(global int *out)
{
    if (ids_fit() && get_local_linear_id() == get_local_id(0))
        atomic_add(&out[(get_global_id(0) - 7) / 3], get_group_id(0) == (get_global_id(0) - 7) / 3);
}

//! test: uneven_groups
//! todo: Portable refuses a remainder
//! options: -cl-std=CL3.0
//! buffer out int[626] = 0
//! global: 5006
//! local: 8
//! expect out = 8*625 6
kernel void uneven_groups(global int *out)
{
    size_t size = get_group_id(0) == 625 ? 6 : 8;
    if (get_local_size(0) == size && get_enqueued_local_size(0) == 8 && get_local_id(0) == get_global_id(0) % 8)
        atomic_inc(&out[get_group_id(0)]);
}

//! test: groups_of_24
//! options: -cl-std=CL3.0
//! buffer out int[700] = 0
//! global: 280 4 15
//! local: 4 2 3
//! offset: 0 3 1
//! expect out = 24*700
kernel void groups_of_24(global int *out)
{
    int group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    int place = (get_local_id(2) * 2 + get_local_id(1)) * 4 + get_local_id(0);
    if (ids_fit() && get_local_linear_id() == place)
        atomic_inc(&out[group]);
}

//! test: required_groups
//! options: -cl-std=CL3.0
//! buffer out int[1001] = 0
//! global: 8 2002
//! local: 8 2
//! expect out = 16*1001
__attribute__((reqd_work_group_size(8, 2, 1))) kernel void required_groups(global int *out)
{
    if (ids_fit())
        atomic_inc(&out[get_group_id(1)]);
}

// The groups go different ways, and some return early.
//! test: groups_go_their_ways
//! options: -cl-std=CL3.0
//! buffer out int[512] = 0
//! global: 2048
//! local: 4
//! expect out = 0 4 8 12 16 20 24 -1
kernel void groups_go_their_ways(global int *out)
{
    int group = get_group_id(0), sum = 0;
    if (group % 8 == 7) {
        atomic_xchg(&out[group], -1);
        return;
    }
    for (int i = 0; i < group % 8; i++)
        sum++;
    atomic_add(&out[group], sum);
}

//! test: sub_groups_of_small_groups
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups cl_intel_required_subgroup_size cl_khr_subgroup_clustered_reduce
//! buffer wrong int[1] = 0
//! buffer out int[500] = 0
//! global: 16000
//! local: 32
//! expect wrong = 0
//! expect out = 528 1552 2576 3600 4624
__attribute__((intel_reqd_sub_group_size(8))) kernel void sub_groups_of_small_groups(global int *wrong, global int *out)
{
    int group = get_group_id(0), place = get_local_id(0), id = get_sub_group_id();
    bool right = get_num_sub_groups() == 4 && get_max_sub_group_size() == 8 && get_sub_group_size() == 8;
    right = right && id == place / 8 && get_sub_group_local_id() == place % 8;
    right = right && sub_group_broadcast(group, 3) == group && sub_group_all(group == sub_group_reduce_max(group));
    if (group % 2) // whole groups come here, and their sub-groups with them
        right = right && sub_group_scan_inclusive_add(1) == place % 8 + 1;
    int sum = sub_group_reduce_add(place + 1 + group % 5 * 32);
    if (place % 8 == 0)
        atomic_add(&out[group], sum);
    if (!right)
        atomic_inc(wrong);
}

//! test: sub_groups_that_are_groups
//! options: -cl-std=CL3.0
//! require: cl_intel_required_subgroup_size cl_khr_subgroup_clustered_reduce cl_khr_subgroup_non_uniform_vote
//! buffer wrong int[1] = 0
//! buffer out int[500] = 0
//! global: 4 1000
//! local: 4 2
//! expect wrong = 0
//! expect out = 28*500
__attribute__((intel_reqd_sub_group_size(8))) kernel void sub_groups_that_are_groups(global int *wrong, global int *out)
{
    int place = get_local_linear_id(), sum = sub_group_reduce_add(place);
    if (sub_group_elect())
        out[get_group_id(1)] = sum;
    if (!ids_fit() || get_num_sub_groups() != 1 || get_sub_group_id() || get_sub_group_local_id() != place)
        atomic_inc(wrong);
}
