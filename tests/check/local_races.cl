// Work-items of a group that meet in local memory without a barrier. Of two accesses the write is named, of two writes the later one.

//! test: no_barrier
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void no_barrier(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    a[i] = i; // expect: local-race
    out[i] = a[15 - i];
}

//! test: fence_only
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void fence_only(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    a[i] = i; // expect: local-race
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[i] = a[15 - i];
}

//! test: other_fence
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
// A barrier orders only the memory that it names.
kernel void other_fence(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    a[i] = i; // expect: local-race
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[15 - i];
}

//! test: all_write_one
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void all_write_one(global int *out)
{
    local int last;
    int i = get_local_id(0);
    last = i; // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = last;
}

//! test: next_round
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
// There is a barrier behind the writes, and none before those of the next round.
kernel void next_round(global int *out)
{
    local int a[16];
    int i = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        a[i] = k + i; // expect: local-race
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += a[15 - i];
    }
    out[i] = sum;
}

//! test: sum_of_halves
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = _
// A reduction that counts on work-items in step.
kernel void sum_of_halves(global int *out)
{
    local int a[64];
    int i = get_local_id(0);
    a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 32; half_size > 0; half_size /= 2) {
        if (i < half_size)
            a[i] += a[i + half_size]; // expect: local-race
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[0];
}

//! test: counted_plainly
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void counted_plainly(global int *out)
{
    local int n;
    int i = get_local_id(0);
    if (i == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    n++; // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = n;
}

//! test: atomic_and_plain
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void atomic_and_plain(global int *out)
{
    local int n;
    int i = get_local_id(0);
    if (i == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n); // expect: local-race
    out[i] = n;
}

//! test: bytes_of_a_word
//! global: 16
//! local: 16
//! buffer out uchar[16] = 0
//! expect out = _
// Bytes have their own work-items, but for one.
kernel void bytes_of_a_word(global uchar *out)
{
    local uchar a[16];
    int i = get_local_id(0);
    a[i] = i;
    if (i == 3)
        a[4] = 7; // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i];
}

//! test: vectors_that_overlap
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void vectors_that_overlap(global int *out)
{
    local int a[32];
    int i = get_local_id(0);
    vstore4((int4)(i), 0, a + i); // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i];
}

//! test: argument
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! local tile 64
//! expect out = _
kernel void argument(global int *out, local int *tile)
{
    int i = get_local_id(0);
    tile[i] = i; // expect: local-race
    out[i] = tile[i ^ 1];
}

//! test: in_a_function
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
void put(local int *where, int what)
{
    *where = what; // expect: local-race
}

kernel void in_a_function(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    put(&a[i / 2], i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i / 2];
}

//! test: generic_pointer
//! options: -cl-std=CL2.0
//! require: __opencl_c_generic_address_space
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void generic_pointer(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    int *p = i >= 0 ? (int *)a : (int *)out;
    p[i] = i; // expect: local-race
    out[i] = p[15 - i];
}

//! test: part_of_a_structure
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
typedef struct {
    int key;
    char kind;
} entry;
kernel void part_of_a_structure(global int *out)
{
    local entry a[16];
    int i = get_local_id(0);
    a[i].key = i;
    a[i / 2].kind = (char)i; // expect: local-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i].key;
}

//! test: copied_too_early
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
// The copy takes what others may still be writing.
kernel void copied_too_early(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    a[i] = i; // expect: local-race
    event_t done = async_work_group_copy(out, a, 16, 0);
    wait_group_events(1, &done);
}

//! test: written_before_the_copy_ends
//! global: 16
//! local: 16
//! buffer in int[16] = 1
//! buffer out int[16] = 0
//! expect out = _
kernel void written_before_the_copy_ends(global const int *in, global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    event_t done = async_work_group_copy(a, in, 16, 0);
    a[i] = 2; // expect: local-race
    wait_group_events(1, &done);
    out[i] = a[i];
}

//! test: other_sub_groups
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! global: 128
//! local: 128
//! buffer out int[128] = 0
//! expect out = _
// A sub-group's barrier orders nothing for the others.
kernel void other_sub_groups(global int *out)
{
    local int a[128];
    int i = get_local_id(0);
    a[i] = i; // expect: local-race
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[127 - i];
}

//! test: right_in_step
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! global: 128
//! local: 128
//! buffer out int[128] = 0
//! expect out = _
kernel void right_in_step(global int *out)
{
    local int a[128];
    int i = get_local_id(0), n = get_sub_group_size(), at = get_sub_group_local_id();
    for (int k = 0; k < 20; k++) {
        a[i] = k;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = a[i - at + (at + 1) % n];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! test: right_reduction
//! global: 64
//! local: 64
//! buffer out int[1] = 0
//! expect out = 2016
kernel void right_reduction(global int *out)
{
    local int a[64];
    int i = get_local_id(0);
    a[i] = i;
    for (int half_size = 32; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < half_size)
            a[i] += a[i + half_size];
    }
    if (i == 0)
        out[0] = a[0];
}

//! test: right_atomics
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = 64*64
kernel void right_atomics(global int *out)
{
    local int n;
    int i = get_local_id(0);
    if (i == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = n;
}

//! test: right_by_atomics
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel
//! global: 16
//! local: 16
//! buffer out int[1] = 0
//! expect out = 120
// The last one to come knows what the others wrote.
kernel void right_by_atomics(global int *out)
{
    local int a[16];
    local atomic_int n;
    int i = get_local_id(0);
    if (i == 0)
        atomic_store_explicit(&n, 0, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = i;
    if (atomic_fetch_add_explicit(&n, 1, memory_order_acq_rel, memory_scope_work_group) == 15) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += a[k];
        out[0] = sum;
    }
}

//! test: right_copies
//! global: 16
//! local: 16
//! buffer in int[16] = 0..15
//! buffer out int[16] = 0
//! expect out = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
kernel void right_copies(global const int *in, global int *out)
{
    local int a[16], b[16];
    int i = get_local_id(0);
    event_t done = async_work_group_copy(a, in, 16, 0);
    wait_group_events(1, &done);
    b[i] = a[15 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    done = async_work_group_copy(out, b, 16, 0);
    wait_group_events(1, &done);
}

//! test: right_bytes
//! global: 16
//! local: 16
//! buffer out uchar[16] = 0
//! expect out = 0..15
kernel void right_bytes(global uchar *out)
{
    local uchar a[16];
    int i = get_local_id(0);
    a[i] = i;
    out[i] = a[i];
}

//! test: right_collective
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void right_collective(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    a[i] = i;
    int all = work_group_all(i >= 0);
    out[i] = a[i] + all;
}

//! test: a_vector_that_is_added
//! global: 32
//! local: 32
//! buffer out float4[32] = 0
//! expect out = _
kernel void a_vector_that_is_added(global float4 *out)
{
    local float4 v[32];
    int i = get_local_id(0);
    v[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 sum = v[31 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += v[31];
    if (i == 30)
        v[31] = sum; // expect: local-race -2
    out[i] = sum;
}
