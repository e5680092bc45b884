/* Work-group reduction and inclusive scan of ints, in local memory (Hillis and Steele), then a second pass over the groups' sums. */
__kernel void reduce(__global const int *in, __global int *sums, uint count, __local int *part)
{
    uint lane = get_local_id(0);
    int sum = 0;
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        sum += in[i];
    part[lane] = sum;
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_size)
            part[lane] += part[lane + half_size];
    }
    if (lane == 0)
        sums[get_group_id(0)] = part[0];
}

static int scan_group(int value, __local int *part)
{
    uint lane = get_local_id(0), lanes = get_local_size(0);
    part[lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < lanes; step *= 2) {
        int before = lane >= step ? part[lane - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[lane] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[lane];
}

__kernel void scan_blocks(__global const int *in, __global int *out, __global int *sums, uint count, __local int *part)
{
    uint i = get_global_id(0);
    int value = scan_group(i < count ? in[i] : 0, part);
    if (i < count)
        out[i] = value;
    if (get_local_id(0) == get_local_size(0) - 1)
        sums[get_group_id(0)] = value;
}

__kernel void scan_sums(__global int *sums, uint count, __local int *part)
{
    uint lane = get_local_id(0);
    int carry = 0;
    for (uint start = 0; start < count; start += get_local_size(0)) {
        int value = scan_group(start + lane < count ? sums[start + lane] : 0, part);
        if (start + lane < count)
            sums[start + lane] = carry + value;
        carry += part[get_local_size(0) - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void add_sums(__global int *out, __global const int *sums, uint count)
{
    uint i = get_global_id(0), group = get_group_id(0);
    if (i < count && group > 0)
        out[i] += sums[group - 1];
}
