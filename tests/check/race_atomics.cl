// Work-items of one launch at the same global memory, and what atomic operations, fences and locks order. Which places are named is as in
// races.cl.

//! test: histogram
//! global: 64
//! buffer bins int[4] = 0
//! expect bins = 16
kernel void histogram(global int *bins)
{
    atomic_inc(&bins[get_global_id(0) & 3]);
}

//! test: histogram_without_atomics
//! global: 64
//! buffer bins int[4] = 0
//! expect bins = _
kernel void histogram_without_atomics(global int *bins)
{
    bins[get_global_id(0) & 3]++; // expect: global-race +0
}

//! test: atomics_and_a_store
//! global: 64
//! local: 16
//! buffer sum int[1] = 0
//! expect sum = _
kernel void atomics_and_a_store(global int *sum)
{
    if (get_global_id(0) == 0)
        *sum = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(sum); // expect: global-race -2
}

//! test: atomics_behind_a_store
//! global: 4
//! local: 4
//! buffer data int[1] = 0
//! expect data = _
kernel void atomics_behind_a_store(global int *data)
{
    if (get_global_id(0) == 0)
        *data = 0;
    atomic_dec(data); // expect: global-race -1
}

//! test: a_read_behind_atomics
//! global: 4
//! local: 4
//! buffer data int[1] = 0
//! buffer out int[1] = 0
//! expect out = _
kernel void a_read_behind_atomics(global int *data, global int *out)
{
    atomic_inc(data); // expect: global-race +2
    if (get_global_id(0) == 3)
        *out = *data;
}

//! test: a_read_behind_own_atomics
//! global: 4
//! buffer data int[4] = 0
//! buffer out int[4] = 0
//! expect out = 1
kernel void a_read_behind_own_atomics(global int *data, global int *out)
{
    int i = get_global_id(0);
    data[i] = 0;
    atomic_inc(data + i);
    out[i] = data[i];
    data[i] = 2;
}

//! test: places_by_a_counter
//! global: 16
//! buffer count int[1] = 0
//! buffer out int[16] = 0
//! expect count = 16
kernel void places_by_a_counter(global int *count, global int *out)
{
    out[atomic_inc(count)] = get_global_id(0);
}

//! test: a_fence_orders_nothing
//! global: 16
//! local: 8
//! buffer data int[17] = 0
//! buffer out int[16] = 0
//! expect out = _
kernel void a_fence_orders_nothing(global int *data, global int *out)
{
    int i = get_global_id(0);
    data[i] = i; // expect: global-race +2
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[15 - i];
}

//! test: a_counter_that_is_read
//! global: 32
//! local: 8
//! buffer count int[1] = 0
//! buffer out int[32] = 0
//! expect out = _
kernel void a_counter_that_is_read(global int *count, global int *out)
{
    atomic_inc(count); // expect: global-race +1
    out[get_global_id(0)] = *count;
}

//! test: a_volatile_flag
//! global: 16
//! buffer flag int[1] = 0
//! buffer out int[16] = 0
//! expect out = _
kernel void a_volatile_flag(volatile global int *flag, global int *out)
{
    if (get_global_id(0) == 0)
        *flag = 1; // expect: global-race +2
    else
        out[get_global_id(0)] = *flag;
}

//! test: an_exchange_that_takes_place
//! global: 16
//! buffer data int[1] = 0
//! buffer out int[16] = 0
//! expect out = _
kernel void an_exchange_that_takes_place(volatile global int *data, global int *out)
{
    if (get_global_id(0) == 7)
        atomic_cmpxchg(data, 0, 1); // expect: global-race +2
    else
        out[get_global_id(0)] = *data;
}

// ---- no races ----

//! test: an_exchange_that_does_not
//! global: 16
//! local: 16
//! buffer data int[1] = 0
//! buffer out int[16] = 0
//! expect out = 0
// It is a read then, in local memory likewise.
kernel void an_exchange_that_does_not(volatile global int *data, global int *out)
{
    volatile local int here;
    here = 3; // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 7)
        atomic_cmpxchg(data, 5, 1), atomic_cmpxchg(&here, 4, 1);
    else
        out[get_global_id(0)] = *data + here - 3;
}

//! test: works_in_a_loop
//! global: 16
//! local: 4
//! buffer next int[1] = 0
//! buffer out int[100] = 0
//! expect out = 0..99
// What a kernel does that stays while there is work.
kernel void works_in_a_loop(global int *next, global int *out)
{
    for (int i = atomic_inc(next); i < 100; i = atomic_inc(next))
        out[i] += i;
}

//! test: a_lock
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! global: 8
//! local: 1
//! buffer lock int[1] = 0
//! buffer sum int[1] = 0
//! expect sum = 28
kernel void a_lock(volatile global atomic_int *lock, global int *sum)
{
    int done = 0;
    while (!done) {
        int free = 0;
        if (atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {
            *sum += get_global_id(0);
            done = 1;
            atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
        }
    }
}

//! test: a_message
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! global: 2
//! local: 1
//! buffer flag int[1] = 0
//! buffer data int[1] = 0
//! buffer out int[1] = 0
//! expect out = _
kernel void a_message(global atomic_int *flag, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 5;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        *out = *data;
    }
}

//! test: a_message_by_fences
//! global: 2
//! local: 1
//! buffer flag int[1] = 0
//! buffer data int[1] = 0
//! buffer out int[1] = 0
//! expect out = _
kernel void a_message_by_fences(volatile global int *flag, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 5;
        write_mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(flag, 1);
    } else if (atomic_or(flag, 0)) {
        read_mem_fence(CLK_GLOBAL_MEM_FENCE);
        *out = *data;
    }
}

//! test: long_counters
//! options: -cl-std=CL2.0
//! require: cl_khr_int64_base_atomics
//! global: 32
//! buffer sum long[2] = 0
//! expect sum = 16
kernel void long_counters(volatile global long *sum)
{
    atom_add(&sum[get_global_id(0) & 1], 1L);
}

// Behind a barrier a work-item may know what other groups did, but not what its own does from there on.
//! test: behind_a_barrier_and_an_atomic
//! global: 16
//! local: 8
//! buffer counter int[1] = 0
//! buffer data int[17] = 0
//! expect data = _
kernel void behind_a_barrier_and_an_atomic(global int *counter, global int *data)
{
    int i = get_global_id(0), l = get_local_id(0), base = i - l;
    local int last;
    data[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int next = data[base + (l + 1) % 8];
    data[i] = next; // expect: global-race -1
    if (l == 0)
        last = atomic_add(counter, 1);
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (last == 1 && l == 0)
        data[0] = data[8];
}
