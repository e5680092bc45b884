// memory_order_seq_cst: one total order of all accesses and fences. Many slots, each with two or four work-items of different work-groups;
// whoever comes last to a slot looks at what all of them saw. OpenCL C 3.0, 6.15.12.7; OpenCL 3.0, 3.3.6. Nothing waits for another
// work-group, which need not be running yet.

//! test: store_buffering
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[32768] = 0
//! buffer y int[32768] = 0
//! buffer seen int[65536] = 0
//! buffer done int[32768] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
//! expect done = 2*32768
kernel void store_buffering(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y, global int *seen,
                            global atomic_int *done)
{
    int pairs = get_global_size(0) / 2, id = get_global_id(0) % pairs, side = get_global_id(0) / pairs;
    for (int round = 0; round < 16; round++) {
        int slot = round * pairs + id;
        global atomic_int *mine = side ? y : x, *other = side ? x : y;
        atomic_store(&mine[slot], 1);
        seen[2 * slot + side] = atomic_load(&other[slot]);
        if (atomic_fetch_add_explicit(&done[slot], 1, memory_order_acq_rel, memory_scope_device) == 1 && !seen[2 * slot] && !seen[2 * slot + 1])
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: dekker_by_fences
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[32768] = 0
//! buffer y int[32768] = 0
//! buffer seen int[65536] = 0
//! buffer done int[32768] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
kernel void dekker_by_fences(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y, global int *seen,
                             global atomic_int *done)
{
    int pairs = get_global_size(0) / 2, id = get_global_id(0) % pairs, side = get_global_id(0) / pairs;
    for (int round = 0; round < 16; round++) {
        int slot = round * pairs + id;
        global atomic_int *mine = side ? y : x, *other = side ? x : y;
        atomic_store_explicit(&mine[slot], 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
        seen[2 * slot + side] = atomic_load_explicit(&other[slot], memory_order_relaxed, memory_scope_device);
        if (atomic_fetch_add_explicit(&done[slot], 1, memory_order_acq_rel, memory_scope_device) == 1 && !seen[2 * slot] && !seen[2 * slot + 1])
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: fence_against_accesses
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[32768] = 0
//! buffer y int[32768] = 0
//! buffer seen int[65536] = 0
//! buffer done int[32768] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
// One side orders by a fence, the other by the order of its accesses.
kernel void fence_against_accesses(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y, global int *seen,
                                   global atomic_int *done)
{
    int pairs = get_global_size(0) / 2, id = get_global_id(0) % pairs, side = get_global_id(0) / pairs;
    for (int round = 0; round < 16; round++) {
        int slot = round * pairs + id;
        if (side) {
            atomic_store(&y[slot], 1);
            seen[2 * slot + 1] = atomic_load(&x[slot]);
        } else {
            atomic_store_explicit(&x[slot], 1, memory_order_relaxed, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
            seen[2 * slot] = atomic_load_explicit(&y[slot], memory_order_relaxed, memory_scope_device);
        }
        if (atomic_fetch_add_explicit(&done[slot], 1, memory_order_acq_rel, memory_scope_device) == 1 && !seen[2 * slot] && !seen[2 * slot + 1])
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: failing_compare_exchange
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[32768] = 0
//! buffer y int[32768] = 0
//! buffer seen int[65536] = 0
//! buffer done int[32768] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
// A comparison that fails is a load.
kernel void failing_compare_exchange(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y, global int *seen,
                                     global atomic_int *done)
{
    int pairs = get_global_size(0) / 2, id = get_global_id(0) % pairs, side = get_global_id(0) / pairs;
    for (int round = 0; round < 16; round++) {
        int slot = round * pairs + id, expected = 7;
        global atomic_int *mine = side ? y : x, *other = side ? x : y;
        atomic_store(&mine[slot], 1);
        if (atomic_compare_exchange_strong(&other[slot], &expected, 8))
            atomic_fetch_add_explicit(forbidden, 1000, memory_order_relaxed, memory_scope_device);
        seen[2 * slot + side] = expected;
        if (atomic_fetch_add_explicit(&done[slot], 1, memory_order_acq_rel, memory_scope_device) == 1 && !seen[2 * slot] && !seen[2 * slot + 1])
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: independent_reads
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! buffer forbidden int[1] = 0
//! buffer x int[16384] = 0
//! buffer y int[16384] = 0
//! buffer seen int[65536] = 0
//! buffer done int[16384] = 0
//! global: 4096
//! local: 64
//! expect forbidden = 0
// Two readers agree on which of two independent stores came first.
kernel void independent_reads(global atomic_int *forbidden, global atomic_int *x, global atomic_int *y, global int *seen,
                              global atomic_int *done)
{
    int quarter = get_global_size(0) / 4, id = get_global_id(0) % quarter, role = get_global_id(0) / quarter;
    for (int round = 0; round < 16; round++) {
        int slot = round * quarter + id;
        if (role == 0)
            atomic_store(&x[slot], 1);
        if (role == 1)
            atomic_store(&y[slot], 1);
        if (role >= 2) {
            global atomic_int *first = role == 2 ? x : y, *second = role == 2 ? y : x;
            int a = atomic_load(&first[slot]), b = atomic_load(&second[slot]);
            seen[4 * slot + role] = a && !b;
        }
        if (atomic_fetch_add_explicit(&done[slot], 1, memory_order_acq_rel, memory_scope_device) == 3 && seen[4 * slot + 2] && seen[4 * slot + 3])
            atomic_fetch_add_explicit(forbidden, 1, memory_order_relaxed, memory_scope_device);
    }
}

//! test: values_of_total_order
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device __opencl_c_generic_address_space
//! buffer object int[8] = 5
//! buffer out int[8] = 0
//! global: 1
//! local: 1
//! expect object = 9 6 12 5 5 5 5 5
//! expect out = 5 1 5 0 9 1077936128 2 12
// What the operations give is what it always is, in every address space.
kernel void values_of_total_order(global atomic_int *object, global int *out)
{
    local atomic_int shared;
    local atomic_float shared_float;
    int expected = 5;
    out[0] = atomic_load(object);
    out[1] = atomic_compare_exchange_strong(object, &expected, 9);
    out[2] = expected;
    out[3] = atomic_compare_exchange_strong(object, &expected, 4);
    out[4] = expected;
    atomic_init(&shared_float, 1.0f);
    atomic_store(&shared_float, 3.0f);
    out[5] = as_int(atomic_load(&shared_float));
    atomic_store(&shared, 1);
    atomic_fetch_add(&shared, 1);
    out[6] = atomic_load(&shared);
    atomic_store(object + 1, 6);
    atomic_int *anywhere = object + 2;
    atomic_store(anywhere, 12);
    out[7] = atomic_load(anywhere);
}
