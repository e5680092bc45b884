// The memory model's litmus tests: many slots, each with one writer and one reader, and a count of what may not be seen.
// OpenCL C 3.0, 6.15.12.2 and 6.15.12.3; OpenCL 3.0, 3.3.4 to 3.3.6. Nothing waits for another work-group, which need not be running yet.

//! test: message_passing
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer data int[65536] = 0
//! buffer ready int[65536] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
//! expect ready = 1*65536
kernel void message_passing(global atomic_int *forbidden, global int *data, global atomic_int *ready)
{
    int id = get_global_id(0), size = get_global_size(0);
    for (int round = 0; round < 16; round++) {
        int mine = round * size + id, other = round * size + (id + size / 2 + 1) % size;
        data[mine] = mine + 1;
        atomic_store_explicit(&ready[mine], 1, memory_order_release, memory_scope_device);
        if (atomic_load_explicit(&ready[other], memory_order_acquire, memory_scope_device) && data[other] != other + 1)
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: message_passing_with_fences
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer data int[65536] = 0
//! buffer ready int[65536] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
kernel void message_passing_with_fences(global atomic_int *forbidden, global int *data, global atomic_int *ready)
{
    int id = get_global_id(0), size = get_global_size(0);
    for (int round = 0; round < 16; round++) {
        int mine = round * size + id, other = round * size + (id + size / 2 + 1) % size;
        data[mine] = mine + 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(&ready[mine], 1, memory_order_relaxed, memory_scope_device);
        int seen = atomic_load_explicit(&ready[other], memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        if (seen && data[other] != other + 1)
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: message_passing_through_a_third
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer data int[65536] = 0
//! buffer ready int[65536] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
// A relaxed read-modify-write belongs to the release sequence of the store that it read.
kernel void message_passing_through_a_third(global atomic_int *forbidden, global int *data, global atomic_int *ready)
{
    int id = get_global_id(0), size = get_global_size(0);
    for (int round = 0; round < 16; round++) {
        int first = round * size, mine = first + id;
        int between = first + (id + size / 3) % size, other = first + (id + size / 2 + 1) % size;
        data[mine] = mine + 1;
        atomic_fetch_or_explicit(&ready[mine], 1, memory_order_release, memory_scope_device);
        atomic_fetch_or_explicit(&ready[between], 2, memory_order_relaxed, memory_scope_device);
        if ((atomic_load_explicit(&ready[other], memory_order_acquire, memory_scope_device) & 1) &&
            data[other] != other + 1)
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: message_passing_in_local_memory
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel
//! buffer forbidden int[1] = 0
//! global: 4096
//! local: 128
//! expect forbidden = 0
kernel void message_passing_in_local_memory(global atomic_int *forbidden)
{
    local int data[16][128];
    local atomic_int ready[16][128];
    int id = get_local_id(0), size = get_local_size(0), other = (id + size / 2 + 1) % size;
    for (int round = 0; round < 16; round++) {
        data[round][id] = 0;
        atomic_init(&ready[round][id], 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < 16; round++) {
        data[round][id] = id + 1;
        atomic_store_explicit(&ready[round][id], 1, memory_order_release, memory_scope_work_group);
        if (atomic_load_explicit(&ready[round][other], memory_order_acquire, memory_scope_work_group) &&
            data[round][other] != other + 1)
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: load_buffering
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[4096] = 0
//! buffer y int[4096] = 0
//! global: 4096
//! local: 128
//! expect forbidden = 0
// Of two work-items that load the one and store the other, not both can have seen the other's store.
kernel void load_buffering(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y)
{
    local int seen[128];
    int id = get_local_id(0), pair = get_global_id(0) & ~64;
    if (id & 64) {
        seen[id] = atomic_load_explicit(&x[pair], memory_order_acquire, memory_scope_device);
        atomic_store_explicit(&y[pair], 1, memory_order_release, memory_scope_device);
    } else {
        seen[id] = atomic_load_explicit(&y[pair], memory_order_acquire, memory_scope_device);
        atomic_store_explicit(&x[pair], 1, memory_order_release, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (seen[id] && seen[id ^ 64])
        atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
}

//! test: coherence_of_loads
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer counts int[16] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
//! expect counts = 4096*16
// Relaxed loads of one object see its values in the order in which it took them.
kernel void coherence_of_loads(global atomic_int *forbidden, global atomic_int *counts)
{
    int id = get_global_id(0);
    for (int round = 0; round < 16; round++) {
        atomic_fetch_add_explicit(&counts[(id + round) & 15], 1, memory_order_relaxed, memory_scope_device);
        int first = atomic_load_explicit(&counts[id & 15], memory_order_relaxed, memory_scope_device);
        int second = atomic_load_explicit(&counts[id & 15], memory_order_relaxed, memory_scope_device);
        if (second < first)
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: spin_lock
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer count int[1] = 0
//! buffer lock int[1] = 0
//! global: 1024
//! local: 64
//! expect count = 1024
kernel void spin_lock(global int *count, global atomic_int *lock)
{
    for (bool done = false; !done;) {
        int unlocked = 0;
        if (atomic_compare_exchange_strong_explicit(lock, &unlocked, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device)) {
            *count += 1;
            atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
            done = true;
        }
    }
}

// Groups take their turns by volatile accesses, as programs did before OpenCL had atomic loads: each waits for the one that took a ticket before.
//! test: volatile_turns
//! buffer tickets int[1] = 0
//! buffer turn int[1] = 0
//! buffer stuck int[1] = 0
//! global: 4096
//! local: 64
//! expect turn = 64
//! expect stuck = 0
kernel void volatile_turns(volatile global int *tickets, volatile global int *turn, global int *stuck)
{
    if (get_local_id(0) == 0) {
        int mine = atomic_inc(tickets), patience = 1 << 24;
        while (*turn != mine && --patience);
        if (!patience)
            *stuck = 1;
        *turn = mine + 1;
    }
}

// Numbers that are the same for all work-items, as a driver may know.
//! test: long_exchanges_of_arguments
//! options: -cl-std=CL3.0
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! value old ulong = 5
//! value new ulong = 0x123456789abcdef0
//! buffer a ulong[3] = 5 6 7
//! buffer out ulong[3] = 0
//! global: 1
//! expect a = 0x123456789abcdef0 0x123456789abcdef0 0x123456789abcdef1
//! expect out = 5 6 7
kernel void long_exchanges_of_arguments(ulong old, ulong new, global atomic_ulong *a, global ulong *out)
{
    ulong found = old;
    atomic_compare_exchange_strong(a, &found, new);
    out[0] = found;
    out[1] = atomic_exchange(a + 1, new);
    out[2] = atomic_exchange(a + 2, new + 1);
}
