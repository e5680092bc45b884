/* Atomics of both kinds, images, printf, sub-groups' older sisters: what brings odd operands along. */
kernel void atomics(global atomic_int *a, volatile global int *b, read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    int old = atomic_fetch_add_explicit(a, 3, memory_order_acq_rel, memory_scope_device);
    int expected = 4;
    if (atomic_compare_exchange_strong(a, &expected, 5))
        old += atomic_cmpxchg(b, 1, 2) + atomic_max(b, 9);
    printf("value %d %v4hlf\n", old, out[0]);
    out[old] = read_imagef(image, sampler, (float2)(0.5f, 0.25f)) + read_imagef(image, (int2)(1, 2));
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    event_t e = 0;
    local float4 tile[16];
    e = async_work_group_copy(tile, out, 16, e);
    wait_group_events(1, &e);
    out[1] = tile[3];
}
