// Functions of the library that nothing else runs: work-item functions, loads and stores of halfs, synchronisation, atomics in
// the forms without an order, 64-bit atomics of OpenCL C 1.x, async copies.

//! test: linear_ids
//! options: -cl-std=CL2.0
//! require: >=3.0
//! buffer out ulong[8] = 0
//! global: 10 3 2
//! offset: 5 1 0
//! local: 4 3 1
//! expect out = 59 4 3 1 2 3 1 1
//! todo: Portable refuses a remainder
kernel void linear_ids(global ulong *out)
{
    if (get_global_id(0) == 14 && get_global_id(1) == 3 && get_global_id(2) == 1) {
        out[0] = get_global_linear_id();
        out[1] = get_enqueued_local_size(0);
        out[2] = get_enqueued_local_size(1);
        out[3] = get_enqueued_local_size(2);
        out[4] = get_local_size(0); // the last group of a row is smaller
        out[5] = get_num_groups(0);
        out[6] = get_enqueued_local_size(3);
        out[7] = get_local_size(3);
    }
}

//! test: halfs
//! options: -cl-std=CL1.2
//! buffer in float[16] = 1.0 1.00048828125 -1.00048828125 65520 0x1p-25 -0x1.8p-25 0 7 8 9 10 11 12 13 14 15
//! buffer out ushort[144] = 0xffff
//! expect out = 0x3c00 0x3c00 0xbc00 0x7c00 0x0000 0x8001 0 0x4700 0x4800 0x4880 0x4900 0x4980 0x4a00 0x4a80 0x4b00 0x4b80 0x3c00 0x3c00 0xbc00 0x7c00 0x0000 0x8001 0 0x4700 0x3c00 0x3c00 0xbc00 0x7bff 0 0x8000 0 0x4700 0x3c00 0x3c01 0xbc00 0x7c00 0x0001 0x8000 0 0x4700 0x3c00 0x3c00 0xbc01 0x7bff 0 0x8001 0 0x4700 0x3c00 0x3c00 0xbc00 0xffff 0x3c00 0x3c00 0xbc00 0xffff 0x3c00 0x3c00 0xffff*86
//! todo: Portable stores a fourth half
kernel void halfs(global const float *in, global ushort *out)
{
    vstorea_half16(vload16(0, in), 0, (global half *)out);
    vstorea_half8_rte(vload8(0, in), 2, (global half *)out);
    vstorea_half8_rtz(vload8(0, in), 3, (global half *)out);
    vstorea_half8_rtp(vload8(0, in), 4, (global half *)out);
    vstorea_half8_rtn(vload8(0, in), 5, (global half *)out);
    vstorea_half3(vload3(0, in), 12, (global half *)out); // four apart
    vstorea_half3(vload3(0, in), 13, (global half *)out);
    vstorea_half2(vload2(0, in), 28, (global half *)out);
}

//! test: halfs_back
//! options: -cl-std=CL1.2
//! buffer in ushort[16] = 0x3c00 0x3c01 0xbc00 0x7c00 0x0001 0x8000 0 0x4700 0x4800 0x4880 0x4900 0x4980 0x4a00 0x4a80 0x4b00 0x4b80
//! buffer out float[32] = 0
//! expect out = 1 1.0009765625 -1 inf 0x1p-24 -0.0 0 7 8 9 10 11 12 13 14 15 8 9 10 12 13 0 7 0 0x1p-24 -0.0 0 0 0 0 0 0
kernel void halfs_back(global const ushort *in, global float *out)
{
    vstore16(vloada_half16(0, (global const half *)in), 0, out);
    vstore3(vloada_half3(2, (global const half *)in), 0, out + 16); // four apart
    vstore2(vloada_half2(6, (global const half *)in), 0, out + 19);
    vstore2(vloada_half4(1, (global const half *)in).zw, 0, out + 21);
    out[23] = 0;
    vstore3(vload_half3(0, (global const half *)in + 4), 0, out + 24);
}

//! test: barriers
//! options: -cl-std=CL2.0
//! require: >=3.0
//! buffer out int[64] = 0
//! buffer in int[64] = 0..63
//! global: 64
//! local: 64
//! expect out = 3*64
kernel void barriers(global int *out, global const int *in)
{
    local int shared[64];
    int i = get_local_id(0), right = 0;
    prefetch(in, 64);
    shared[i] = in[i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    right += shared[63 - i] == 63 - i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    shared[i] = i * i;
    out[i] = i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    right += shared[63 - i] == (63 - i) * (63 - i);
    right += out[63 - i] == 63 - i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = right;
}

//! test: atomics_without_order
//! options: -cl-std=CL2.0
//! require: >=3.0
//! buffer out int[16] = 0
//! buffer add int[1] = 0
//! buffer bits uint[3] = 0 0xffffffff 0
//! buffer range int[2] = 100 -100
//! global: 64
//! local: 64
//! expect add = 1952
//! expect bits = 0xff 0xffffff00 0
//! expect range = 0 63
//! expect out = 64 64 64 7 1 3 0 5 0 1 1 0 0 0 0 0
//! todo: Portable knows no atomics in named address spaces
kernel void atomics_without_order(global int *out, global atomic_int *add, global atomic_uint *bits, global atomic_int *range)
{
    local atomic_int turn, swaps, flagged;
    local atomic_flag flag;
    int i = get_local_id(0);
    if (i == 0) {
        atomic_init(&turn, 0);
        atomic_init(&swaps, 0);
        atomic_init(&flagged, 0);
        atomic_flag_clear(&flag);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(add, i);
    atomic_fetch_sub(add, 1);
    atomic_fetch_or(&bits[0], 1u << i % 8);
    atomic_fetch_and(&bits[1], ~(1u << i % 8));
    atomic_fetch_xor(&bits[2], 1u << i % 8); // eight times each
    atomic_fetch_xor_explicit(&bits[2], 1u << i % 8, memory_order_relaxed);
    atomic_fetch_xor_explicit(&bits[2], 1u << i % 8, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min(&range[0], i);
    atomic_fetch_max(&range[1], i);
    atomic_fetch_add(&turn, 1);
    for (int seen = 0; !atomic_compare_exchange_weak(&swaps, &seen, seen + 1);) {
    }
    if (!atomic_flag_test_and_set(&flag))
        atomic_fetch_add(&flagged, 1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i == 0) {
        out[0] = atomic_load(&turn);
        out[1] = atomic_load(&swaps);
        out[2] = atomic_exchange(&turn, 7);
        out[3] = atomic_load(&turn);
        out[4] = atomic_load(&flagged);
        atomic_store(&turn, 3);
        out[5] = atomic_load(&turn);
        int expected = 4;
        out[6] = atomic_compare_exchange_strong(&turn, &expected, 5);
        expected = 3;
        out[8] = !atomic_compare_exchange_strong_explicit(&turn, &expected, 5, memory_order_seq_cst, memory_order_relaxed);
        out[7] = atomic_load(&turn);
        out[9] = atomic_flag_test_and_set_explicit(&flag, memory_order_acquire);
        atomic_flag_clear_explicit(&flag, memory_order_release);
        out[10] = !atomic_flag_test_and_set(&flag);
    }
}

//! test: legacy_64_bit_atomics
//! options: -cl-std=CL1.2
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer v long[12] = 0 100 0 0 100 5 -5 0 -1 0 7 3
//! buffer old ulong[2] = 0
//! global: 64
//! local: 64
//! expect v = 0x7e000000000 36 64 -64 0 0 63 0xff -256 0 9 4
//! expect old = 7 3
kernel void legacy_64_bit_atomics(global long *v, global ulong *old)
{
    int i = get_local_id(0);
    atom_add(&v[0], (long)i << 32);
    atom_sub(&v[1], 1l);
    atom_inc(&v[2]);
    atom_dec(&v[3]);
    atom_min((global ulong *)&v[4], (ulong)i);
    atom_min(&v[5], (long)i);
    atom_max(&v[6], (long)i);
    atom_or(&v[7], 1l << i % 8);
    atom_and(&v[8], ~(1l << i % 8));
    atom_xor((volatile global ulong *)&v[9], 1ul << i % 8);
    if (i == 0) {
        old[0] = (ulong)atom_xchg(&v[10], 9l);
        old[1] = (ulong)atom_cmpxchg(&v[11], 3l, 4l);
    }
}

//! test: local_64_bit_atomics
//! options: -cl-std=CL1.2
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer out long[4] = 0
//! global: 32
//! local: 32
//! expect out = 496 -31 31 31
kernel void local_64_bit_atomics(global long *out)
{
    local long v[4];
    long i = get_local_id(0);
    if (i < 4)
        v[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&v[0], i);
    atom_min(&v[1], -i);
    atom_max(&v[2], i);
    atom_or((volatile local ulong *)&v[3], (ulong)i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4)
        out[i] = v[i];
}

//! test: async_copies
//! options: -cl-std=CL3.0
//! require: cl_khr_extended_async_copies
//! buffer in int[64] = 0..63
//! buffer out int[64] = 0
//! global: 16
//! local: 16
//! expect out = 0*8 21 22 0 0 25 26 0*10 37 38 0 0 41 42 0*34
kernel void async_copies(global const int *in, global int *out)
{
    local int tile[8];
    event_t read = async_work_group_copy_3D3D(tile, 0, in, 21, sizeof(int), 2, 2, 2, 4, 16, 2, 4, 0);
    wait_group_events(1, &read);
    event_t write = async_work_group_copy_3D3D(out, 8, tile, 0, sizeof(int), 2, 2, 2, 2, 4, 4, 16, 0);
    wait_group_events(1, &write);
}

//! test: clocks
//! options: -cl-std=CL3.0
//! require: __opencl_c_kernel_clock_scope_work_group __opencl_c_kernel_clock_scope_device
//! buffer out int[3] = 0
//! expect out = 1 1 1
kernel void clocks(global int *out)
{
    ulong first = clock_read_work_group();
    uint2 halves = clock_read_hilo_work_group();
    ulong second = (ulong)halves.y << 32 | halves.x;
    uint2 device = clock_read_hilo_device();
    out[0] = second >= first;
    out[1] = clock_read_sub_group() != 0;
    out[2] = ((ulong)device.y << 32 | device.x) <= clock_read_device();
}

// Functions of constants alone, which a driver may compute itself.
//! test: functions_of_constants
//! value n uint = 15
//! buffer out float[4] = 0
//! expect out = 3 2 4 0.5 ulp 4
kernel void functions_of_constants(uint n, global float *out)
{
    float4 c = 0.5f;
    if (n - 15u < 4u)
        c.xyz = (float3)(native_log2(8.0f), native_sqrt(4.0f), native_exp2(2.0f));
    vstore4(c, 0, out);
}
