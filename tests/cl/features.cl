// Optional features of OpenCL C 3.0: the generic address space (6.7.5), program-scope variables (6.7.1), C11 atomics
// (6.15.12); and extensions: bit operations, dot products, asynchronous copies of more dimensions, hints, clocks.

//! test: program_scope_variables
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! buffer out int[8] = 0
//! expect out = 7 0 3 4 5 9 42 3
global int seven = 7;
int zeroed;
global int list[3] = {3, 4, 5};
static global int *middle = &list[1];
constant int answers[2] = {41, 42};
constant int *global answer = &answers[1];
int counted(void)
{
    static int calls;
    return ++calls;
}
kernel void program_scope_variables(global int *out)
{
    out[0] = seven;
    out[1] = zeroed;
    for (int i = 0; i < 3; i++)
        out[2 + i] = middle[i - 1];
    *middle += 5;
    out[5] = list[1];
    out[6] = *answer;
    counted();
    counted();
    out[7] = counted();
}

//! test: generic_pointers
//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! buffer out int[8] = 0
//! global: 4
//! local: 4
//! expect out = 0 11 22 3 1 1 1 0
int add(int *a, const int *b)
{
    return *a += *b;
}
kernel void generic_pointers(global int *out)
{
    local int shared[4];
    int own = 10 * get_local_id(0), i = get_local_id(0);
    shared[i] = i;
    int *pointer = &out[i];
    if (i == 1)
        pointer = &own;
    else if (i == 2)
        pointer = &shared[2];
    int step = i == 2 ? 20 : i;
    out[i] = add(pointer, &step);
    if (i == 0) {
        out[4] = to_global(pointer) == out;
        out[5] = to_local(pointer) == 0;
        int *inner = &shared[1];
        out[6] = to_local(inner) == &shared[1] && get_fence(inner) == CLK_LOCAL_MEM_FENCE;
        out[7] = to_private(inner) != 0;
    }
}

//! test: c11_atomics
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_scope_device
//! buffer counters int[8] = 0
//! global: 64
//! local: 16
//! expect counters = 64 -64 63 63 0 64 _ 1
kernel void c11_atomics(global atomic_int *counters)
{
    int id = get_global_id(0);
    atomic_fetch_add_explicit(&counters[0], 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&counters[1], 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&counters[2], id, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(&counters[3], id, memory_order_relaxed, memory_scope_device);
    atomic_fetch_and_explicit(&counters[4], id, memory_order_relaxed, memory_scope_device);
    int seen = atomic_load_explicit(&counters[5], memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(&counters[5], &seen, seen + 1, memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_device))
        ;
    atomic_exchange_explicit(&counters[6], id, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&counters[7], 1, memory_order_relaxed, memory_scope_device);
}

//! test: release_and_acquire
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer out int[16] = 0
//! buffer data int[16] = 0
//! buffer done int[1] = 0
//! global: 16
//! local: 1
//! expect out = 136 0*15
//! expect done = 16
kernel void release_and_acquire(global int *out, global int *data, global atomic_int *done)
{
    int id = get_global_id(0), sum = 0;
    data[id] = id + 1;
    int before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
    if (before == 15) {
        for (int i = 0; i < 16; i++)
            sum += data[i];
        out[0] = sum;
    }
}

//! test: atomic_flags
//! options: -cl-std=CL3.0
//! buffer out int[3] = 0
//! global: 8
//! local: 8
//! expect out = 1 7 0
kernel void atomic_flags(global int *out)
{
    local atomic_flag flag;
    local atomic_int won, lost;
    if (get_local_id(0) == 0) {
        atomic_flag_clear_explicit(&flag, memory_order_relaxed, memory_scope_work_group);
        atomic_init(&won, 0);
        atomic_init(&lost, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool set = atomic_flag_test_and_set_explicit(&flag, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(set ? &lost : &won, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        out[0] = atomic_load_explicit(&won, memory_order_relaxed, memory_scope_work_group);
        out[1] = atomic_load_explicit(&lost, memory_order_relaxed, memory_scope_work_group);
    }
}

//! test: wide_atomics
//! options: -cl-std=CL3.0
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer out ulong[2] = 0
//! global: 32
//! local: 32
//! expect out = 0x2000000000 0x1f00000000
kernel void wide_atomics(global atomic_ulong *out)
{
    local atomic_ulong most;
    if (get_local_id(0) == 0)
        atomic_init(&most, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&out[0], 1UL << 32, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&most, (ulong)get_local_id(0) << 32, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(&out[1], atomic_load_explicit(&most, memory_order_relaxed, memory_scope_work_group),
                              memory_order_relaxed, memory_scope_device);
}

//! test: float_atomics
//! options: -cl-std=CL3.0
//! require: cl_ext_float_atomics __opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_local_atomic_min_max
//! buffer out float[4] = 0
//! global: 64
//! local: 64
//! expect out = 32 -64 31.5 -0.5
kernel void float_atomics(global atomic_float *out)
{
    local atomic_float most, least;
    float value = get_local_id(0) * 0.5f;
    if (get_local_id(0) == 0) {
        atomic_init(&most, 0.0f);
        atomic_init(&least, 1.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&out[0], 0.5f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&out[1], 1.0f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&most, value, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(&least, value - 0.5f, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_store_explicit(&out[2], atomic_load_explicit(&most, memory_order_relaxed), memory_order_relaxed);
        atomic_store_explicit(&out[3], atomic_load_explicit(&least, memory_order_relaxed), memory_order_relaxed);
    }
}

//! test: half_atomics
//! options: -cl-std=CL3.0
//! require: fp16 cl_ext_float_atomics __opencl_c_ext_fp16_global_atomic_add __opencl_c_ext_fp16_local_atomic_min_max
//! buffer out half[7] = 0 0 -1 8 5 0 0
//! global: 64
//! local: 64
//! expect out = 32 -64 31.5 -0.5 3 5 -1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_atomics(global atomic_half *out)
{
    local atomic_half most, least;
    half value = get_local_id(0) * 0.5h;
    if (get_local_id(0) == 0) {
        atomic_init(&most, 0.0h);
        atomic_init(&least, 1.0h);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&out[0], 0.5h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&out[1], 1.0h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&out[2], value, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&out[3], value - 0.5h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&most, value, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(&least, value - 1.0h, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        half old = atomic_exchange_explicit(&out[4], 3.0h, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&out[5], old, memory_order_relaxed, memory_scope_device);
        half low = atomic_load_explicit(&least, memory_order_relaxed, memory_scope_work_group);
        half high = atomic_load_explicit(&most, memory_order_relaxed, memory_scope_work_group);
        atomic_store_explicit(&out[6], high == 31.5h ? low : (half)9, memory_order_relaxed, memory_scope_device);
    }
}

//! test: half_atomics_of_nans
//! options: -cl-std=CL3.0
//! require: fp16 cl_ext_float_atomics __opencl_c_ext_fp16_global_atomic_add
//! buffer out ushort[5] = 0xffff 0x3c00 0x7c00 0xfc00 0x7c01
//! global: 1
//! expect out = 0xffff 0x7f00 0xfe00 0xfc00 0x7e01
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_atomics_of_nans(global ushort *out)
{
    volatile global atomic_half *halfs = (volatile global atomic_half *)out;
    const ushort with[5] = {0x3c00, 0x7d00, 0xfc00, 0x3c00, 0xfe02};
    for (uint i = 0; i < 5; i++)
        atomic_fetch_add_explicit(&halfs[i], as_half(with[i]), memory_order_relaxed, memory_scope_device);
}

//! test: float_atomics_private
//! options: -cl-std=CL3.0
//! require: fp16 cl_ext_float_atomics __opencl_c_ext_fp16_global_atomic_add
//! global: 2
//! buffer out half[2] = 1 2
//! expect out = 6 5.5
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void float_atomics_private(global half *out)
{
    atomic_half p[2];
    atomic_float f;
    atomic_init(&p[0], (half)4);
    atomic_init(&p[1], (half)3);
    atomic_init(&f, 1.0f);
    atomic_fetch_add(&f, 1.0f);
    int i = get_global_id(0);
    atomic_fetch_add(&p[1 - i], (half)1.5f);
    atomic_store(&p[i], (half)(atomic_load(&p[i]) + atomic_load(&f)));
    out[i] = i ? atomic_exchange(&p[0], (half)1) : atomic_load(&p[0]);
}

//! test: half_atomics_generic
//! options: -cl-std=CL3.0
//! require: fp16 cl_ext_float_atomics __opencl_c_generic_address_space __opencl_c_ext_fp16_global_atomic_add
//! buffer out half[4] = 1 2 3 4
//! global: 32
//! local: 32
//! expect out = 1 34 3 36
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_atomics_generic(global atomic_half *out)
{
    local atomic_half sums[2];
    if (get_local_id(0) < 2)
        atomic_init(&sums[get_local_id(0)], get_local_id(0) ? 4.0h : 0.0h);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_half *where = &out[1];
    if (get_local_id(0) & 1)
        where = &sums[1];
    atomic_fetch_add_explicit(where, 2.0h, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(&out[3], atomic_load_explicit(&sums[1], memory_order_relaxed), memory_order_relaxed);
}

//! test: generic_atomics
//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! buffer out int[2] = 0
//! global: 16
//! local: 16
//! expect out = 8 8
void count(volatile atomic_int *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
}
kernel void generic_atomics(global atomic_int *out)
{
    local atomic_int odd;
    if (get_local_id(0) == 0)
        atomic_init(&odd, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_int *counter = &odd;
    if (get_local_id(0) & 1)
        counter = out;
    count(counter);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(&out[1], atomic_load_explicit(&odd, memory_order_relaxed), memory_order_relaxed);
}

//! test: bit_operations
//! require: cl_khr_extended_bit_ops
//! buffer out uint[5] = 0
//! expect out = 0xabc5def0 0 0xef 0x0f7b3d58 0x4050
kernel void bit_operations(global uint *out)
{
    uint value = 0x1abcdef0 + (uint)get_global_id(0);
    out[0] = bitfield_insert(0xabcddef0u, 5u, 16, 4);
    out[1] = bitfield_extract_signed(value, 8, 0) + bitfield_extract_signed(value, 4, 4) + 1;
    out[2] = bitfield_extract_unsigned(value, 4, 8);
    out[3] = bit_reverse(value);
    ushort2 pair = bit_reverse((ushort2)(0x0a02, 0x0a02));
    out[4] = pair.x;
}

//! test: dot_products
//! require: cl_khr_integer_dot_product
//! options: -cl-std=CL3.0
//! buffer out int[8] = 0
//! expect out = 64 -50 70 -50 2147483647 -1 72 -1
kernel void dot_products(global int *out)
{
    uchar4 u = (uchar4)(1, 2, 3, 4), top = 255;
    char4 s = (char4)(-5, 5, -5, -10), t = (char4)(10, 0, 0, 0);
    out[0] = dot((uchar4)(2, 4, 6, 9), u);
    out[1] = dot(s, t);
    out[2] = dot((char4)(10, 10, 10, 3), (uchar4)(1, 2, 3, 4)) - 2;
    out[3] = dot(s, u);
    out[4] = dot_acc_sat((char4)127, (char4)127, 0x7ffffff0);
    out[5] = dot_acc_sat(top, top, 0xfffffff0u);
    out[6] = dot_4x8packed_uu_uint(0x01020304, 0x04040404) + dot_4x8packed_ss_int(0xff020304, 0x04040404);
    out[7] = dot_4x8packed_su_int(0xff000000, 0x01000000);
}

//! test: copies_of_planes
//! require: cl_khr_extended_async_copies
//! buffer out int[16] = -1
//! buffer in int[24] = 0..23
//! global: 4
//! local: 4
//! expect out = -1 7 8 9 -1 -1 -1 13 14 15 -1 -1 -1 -1 -1 -1
kernel void copies_of_planes(global int *out, global const int *in)
{
    local int tile[16];
    event_t e = async_work_group_copy_2D2D(tile, 2, in, 7, sizeof(int), 3, 2, 6, 4, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(out, 1, tile, 2, sizeof(int), 3, 2, 4, 6, 0);
    wait_group_events(1, &e);
}

//! test: hints
//! require: cl_khr_expect_assume
//! buffer out int[1] = 3
//! expect out = 4
kernel void hints(global int *out)
{
    __builtin_assume(out[0] > 0);
    if (__builtin_expect(out[0] == 3, 1))
        out[0]++;
}

//! test: clocks
//! options: -cl-std=CL3.0
//! require: cl_khr_kernel_clock __opencl_c_kernel_clock_scope_sub_group
//! buffer out int[1] = 0
//! expect out = 1
kernel void clocks(global int *out)
{
    ulong start = clock_read_sub_group();
    uint2 parts = clock_read_hilo_sub_group();
    out[0] = as_ulong(parts) >= start;
}

//! test: private_atomics_beside_a_clock
//! options: -cl-std=CL3.0
//! require: cl_khr_kernel_clock __opencl_c_kernel_clock_scope_sub_group
//! buffer out int[9] = 0
//! expect out = 5 1 7 9 0 6 1 2 1
kernel void private_atomics_beside_a_clock(global int *out)
{
    atomic_int i;
    atomic_flag flag;
    atomic_float f;
    int expected = 7;
    float sum = 3.5f;
    ulong before = clock_read_sub_group();
    atomic_init(&i, 5);
    out[0] = atomic_fetch_add(&i, 2);
    out[1] = atomic_compare_exchange_strong(&i, &expected, 9);
    out[2] = expected;
    out[3] = atomic_exchange(&i, 6);
    atomic_flag_clear(&flag);
    out[4] = atomic_flag_test_and_set(&flag);
    atomic_fetch_max(&i, 4);
    out[5] = atomic_load(&i);
    atomic_init(&f, 3.5f);
    out[6] = atomic_compare_exchange_strong(&f, &sum, 2.0f);
    out[7] = (int)atomic_load(&f);
    out[8] = clock_read_sub_group() >= before;
}

//! test: float_atomics_beside_a_clock
//! options: -cl-std=CL3.0
//! require: cl_ext_float_atomics cl_khr_kernel_clock __opencl_c_kernel_clock_scope_sub_group
//! buffer out float[3] = 0
//! expect out = 1 3 1
kernel void float_atomics_beside_a_clock(global float *out)
{
    atomic_float f;
    ulong before = clock_read_sub_group();
    atomic_init(&f, 1.0f);
    out[0] = atomic_fetch_add(&f, 2.0f);
    out[1] = atomic_load(&f);
    out[2] = clock_read_sub_group() >= before;
}

//! test: clocks_of_wider_scopes
//! options: -cl-std=CL3.0
//! require: cl_khr_kernel_clock __opencl_c_kernel_clock_scope_device __opencl_c_kernel_clock_scope_work_group
//! buffer out int[2] = 0
//! expect out = 1 1
kernel void clocks_of_wider_scopes(global int *out)
{
    ulong first = clock_read_device();
    ulong second = clock_read_work_group();
    out[0] = second >= first;
    out[1] = as_ulong(clock_read_hilo_device()) >= first;
}

//! test: version_31
//  What OpenCL C 3.1 made part of the language needs no extension's name.
//! options: -cl-std=CL3.1
//! require: >=3.1
//! buffer out int[4] = 0
//! expect out = 310 1 4 30
kernel void version_31(global int *out)
{
    char4 a = (char4)(1, 2, 3, 4);
    out[0] = __OPENCL_C_VERSION__;
    out[1] = sub_group_shuffle(7, get_sub_group_local_id()) == sub_group_rotate(7, 1);
    out[2] = (int)bitfield_extract_unsigned(0x40u, 4, 4);
    out[3] = dot(a, a);
}

//! test: dot_product_in_every_version
//! require: cl_khr_integer_dot_product
//! buffer out int[2] = 0
//! expect out = 70 75
kernel void dot_product_in_every_version(global int *out)
{
    out[0] = dot((char4)(1, 2, 3, 4), (char4)(5, 6, 7, 8));
    out[1] = dot_acc_sat((uchar4)(1, 2, 3, 4), (uchar4)(5, 6, 7, 8), 5u);
}
