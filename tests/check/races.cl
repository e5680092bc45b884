// Work-items of one launch at the same global memory, with nothing that orders them. Of two accesses the write is named, of two writes the later
// one, and how many lines away the other one is.

typedef struct { int a; int b; char c[4]; } record;

//! test: all_write_one
//! global: 8
//! buffer out int[1] = 0
//! expect out = _
kernel void all_write_one(global int *out)
{
    *out = get_global_id(0); // expect: global-race +0
}

//! test: each_writes_its_own
//! global: 8
//! buffer out int[8] = 0
//! expect out = 0..7
kernel void each_writes_its_own(global int *out)
{
    out[get_global_id(0)] = get_global_id(0);
}

//! test: same_value
//! global: 8
//! buffer out int[1] = 0
//! expect out = 1
kernel void same_value(global int *out)
{
    *out = 1; // expect: global-race +0
}

//! test: neighbours
//! global: 8
//! local: 8
//! buffer data int[9] = 0..8
//! expect data = _
kernel void neighbours(global int *data)
{
    int i = get_global_id(0);
    int next = data[i + 1];
    data[i] = next; // expect: global-race -1
}

//! test: neighbours_in_turn
//! global: 8
//! local: 8
//! buffer data int[9] = 0..8
//! expect data = 1..8 8
kernel void neighbours_in_turn(global int *data)
{
    int i = get_global_id(0);
    int next = data[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = next;
}

// A read that races is known to what races with it later.
//! test: behind_a_read_that_raced
//! global: 8
//! local: 8
//! buffer data int[16] = 0
//! expect data = _
kernel void behind_a_read_that_raced(global int *data)
{
    int i = get_global_id(0);
    data[i] = i; // expect: global-race +1
    int next = data[(i + 1) % 8];
    data[8 + i] = next;
    data[i] = 5; // expect: global-race -2
}

//! test: a_barrier_for_local_memory
//! global: 8
//! local: 8
//! buffer data int[9] = 0..8
//! expect data = _
kernel void a_barrier_for_local_memory(global int *data)
{
    int i = get_global_id(0);
    int next = data[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = next; // expect: global-race -2
}

//! test: a_barrier_of_the_group_only
//! global: 16
//! local: 4
//! buffer data int[17] = 0..16
//! expect data = _
kernel void a_barrier_of_the_group_only(global int *data)
{
    int i = get_global_id(0);
    int next = data[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = next; // expect: global-race -2
}

//! test: rounds_without_a_barrier
//! global: 8
//! local: 8
//! buffer data int[16] = 0
//! expect data = _
kernel void rounds_without_a_barrier(global int *data)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        data[i] = data[(i + k) % 8 + 8];
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[i + 8] = k; // expect: global-race -2
    }
}

//! test: rounds_with_barriers
//! global: 8
//! local: 8
//! buffer data int[16] = 0
//! expect data = _
kernel void rounds_with_barriers(global int *data)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        data[i] = data[(i + k) % 8 + 8];
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[i + 8] = k;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//! test: bytes
//! global: 16
//! buffer out uchar[16] = 0
//! expect out = 0..15
kernel void bytes(global uchar *out)
{
    out[get_global_id(0)] = get_global_id(0);
}

//! test: bytes_too_far
//! global: 15
//! buffer out uchar[16] = 0
//! expect out = _
kernel void bytes_too_far(global uchar *out)
{
    int i = get_global_id(0);
    vstore2((uchar2)(i), 0, out + i); // expect: global-race +0
}

//! test: halves_of_a_word
//! global: 8
//! buffer out ushort[8] = 0
//! expect out = 0..7
kernel void halves_of_a_word(global ushort *out)
{
    out[get_global_id(0)] = get_global_id(0);
}

//! test: vectors
//! global: 4
//! buffer out float[20] = 0
//! expect out = _
kernel void vectors(global float *out)
{
    int i = get_global_id(0);
    vstore4((float4)(i), 0, out + i * 4 + (i == 2 ? 1 : 0)); // expect: global-race +0
}

//! test: components
//! global: 2
//! buffer out float[4] = 0
//! expect out = 1 2 _ _
kernel void components(global float4 *out)
{
    if (get_global_id(0))
        out->x = 1; // il: global-race
    else
        out->y = 2; // il: global-race
}

//! test: component_that_is_read
//! global: 2
//! buffer data float[4] = 0
//! buffer out float[2] = 0
//! expect out = _
kernel void component_that_is_read(global float4 *data, global float *out)
{
    if (get_global_id(0))
        data->x = 1; // expect: global-race +2
    else
        out[0] = data->x + data->y;
}

//! test: components_apart
//! global: 2
//! buffer data float[4] = 0
//! buffer out float[2] = 0
//! expect out = 0
kernel void components_apart(global float4 *data, global float *out)
{
    if (get_global_id(0))
        data->x = 1; // il: global-race
    else
        out[0] = data->y + data->z;
}

//! test: members
//! global: 2
//! buffer data uchar[48] = 0
//! expect data = _
kernel void members(global record *data)
{
    if (get_global_id(0))
        data[1].a = 1;
    else
        data[1].b = 2;
}

//! test: structures
//! global: 2
//! buffer data uchar[48] = 0
//! expect data = _
kernel void structures(global record *data)
{
    if (get_global_id(0))
        data[1].a = 1; // expect: global-race +2
    else
        data[2] = data[1];
}

//! test: two_arguments
//! global: 4
//! buffer data int[8] = 0
//! buffer other int[8] = 0
//! expect data = _
kernel void two_arguments(global int *data, global int *other)
{
    int i = get_global_id(0);
    global int *p = i & 1 ? data : other;
    p[i & 1] = i; // expect: global-race +0
}

//! test: in_a_loop
//! global: 4
//! buffer data int[8] = 0
//! expect data = _
kernel void in_a_loop(global int *data)
{
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        data[i + k] = k; // expect: global-race +0
}

//! test: private_and_generic
//! options: -cl-std=CL2.0
//! global: 4
//! buffer data int[8] = 0
//! expect data = _
kernel void private_and_generic(global int *data)
{
    int i = get_global_id(0), mine[2] = {i, i};
    int *p = mine;
    p[1] = 2;
    if (p[0] < 10)
        p = data;
    p[0] = 3; // expect: global-race +0
}

//! test: asynchronous
//! global: 8
//! local: 4
//! buffer data int[8] = 0
//! expect data = 0..7
kernel void asynchronous(global int *data)
{
    local int tile[4];
    int i = get_local_id(0);
    event_t e = async_work_group_copy(tile, data + get_group_id(0) * 4, 4, 0);
    wait_group_events(1, &e);
    tile[i] += get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(data + get_group_id(0) * 4, tile, 4, 0);
    wait_group_events(1, &e);
}

//! test: asynchronous_to_one_place
//! global: 8
//! local: 4
//! buffer data int[8] = 0
//! expect data = _
kernel void asynchronous_to_one_place(global int *data)
{
    local int tile[4];
    tile[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(data, tile, 4, 0); // expect: global-race +0
    wait_group_events(1, &e);
}

//! test: last_group
//! global: 16
//! local: 4
//! buffer parts int[4] = 0
//! buffer count int[1] = 0
//! buffer out int[1] = 0
//! expect out = 4
kernel void last_group(volatile global int *parts, global int *count, global int *out)
{
    local int last;
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(count) == 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && get_local_id(0) == 1)
        *out = parts[0] + parts[1] + parts[2] + parts[3];
}

//! test: halves_of_a_long
//! global: 2
//! buffer data long[2] = 0
//! buffer out int[1] = 0
//! expect out = _
kernel void halves_of_a_long(global long *data, global int *out)
{
    if (get_global_id(0))
        data[1] = 5; // expect: global-race +2
    else
        *out = ((global int *)data)[3];
}

//! test: one_short_for_two
//! global: 16
//! buffer out ushort[8] = 0
//! expect out = _
kernel void one_short_for_two(global ushort *out)
{
    out[get_global_id(0) / 2] = 1; // expect: global-race +0
}

//! test: structures_at_one_place
//! global: 4
//! buffer data uchar[48] = 0
//! expect data = _
kernel void structures_at_one_place(global record *data)
{
    record mine = {get_global_id(0), 2, {1, 2, 3, 4}};
    data[1] = mine; // expect: global-race +0
}

//! test: a_dimension_forgotten
//! global: 4 2 3
//! local: 2 1 1
//! buffer out int[8] = 0
//! expect out = _
kernel void a_dimension_forgotten(global int *out)
{
    out[get_global_id(1) * 4 + get_global_id(0)] = get_global_id(2); // expect: global-race +0
}

//! test: program_scope
//! options: -cl-std=CL2.0
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
global int at_program_scope[4];
kernel void program_scope(global int *out)
{
    int i = get_global_id(0);
    at_program_scope[i & 1] = i; // expect: global-race +0
    out[i] = i;
}

//! test: a_pointer_in_memory
//! global: 4
//! local: 4
//! buffer data int[8] = 0
//! buffer kept ulong[4] = 0
//! expect data = _
kernel void a_pointer_in_memory(global int *data, global ulong *kept)
{
    int i = get_global_id(0);
    kept[i] = (ulong)(data + 3);
    barrier(CLK_GLOBAL_MEM_FENCE);
    *(global int *)kept[i ^ 1] = i; // expect: global-race +0
}

//! test: in_a_function
//! global: 4
//! buffer out int[2] = 0
//! expect out = _
static void put(global int *where, int what)
{
    where[1] = what; // expect: global-race +0
}
kernel void in_a_function(global int *out)
{
    put(out, get_global_id(0));
}

//! test: a_vector_over_others
//! global: 4
//! local: 1
//! buffer data int[20] = 0
//! buffer out int[4] = 0
//! expect out = _
kernel void a_vector_over_others(global int *data, global int *out)
{
    int i = get_global_id(0);
    data[i * 4 + 3] = i; // expect: global-race +1
    int4 all = vload4(i, data + 4);
    out[i] = all.x + all.y + all.z + all.w;
}

//! test: half_numbers
//! global: 4
//! buffer out ushort[4] = 0
//! expect out = _
kernel void half_numbers(global half *out)
{
    vstore_half(1.0f, get_global_id(0) >> 1, out); // expect: global-race +0
}

//! test: a_copy_of_what_others_write
//! global: 8
//! local: 4
//! buffer data int[8] = 0
//! buffer out int[8] = 0
//! expect out = _
kernel void a_copy_of_what_others_write(global int *data, global int *out)
{
    local int tile[4];
    data[get_global_id(0)] = 1; // expect: global-race +2
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(tile, data + get_group_id(0) * 4, 4, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

//! test: a_reduction_without_a_barrier
//! global: 32
//! local: 32
//! buffer data int[32] = 1
//! expect data = _
kernel void a_reduction_without_a_barrier(global int *data)
{
    int i = get_local_id(0);
    for (int step = 16; step; step /= 2) {
        if (i < step)
            data[i] += data[i + step]; // expect: global-race +0
        if (step > 8)
            barrier(CLK_GLOBAL_MEM_FENCE);
        else
            barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! test: a_read_only_argument_too
//! global: 8
//! buffer table int[8] = 0
//! buffer out int[8] = 0
//! expect out = _
kernel void a_read_only_argument_too(global const int *table, global int *out)
{
    int i = get_global_id(0);
    out[i] = table[i];
    out[7 - i] = table[i]; // expect: global-race -1
}

//! test: items_of_a_child
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[4] = 0
//! expect out = _
kernel void items_of_a_child(global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{
        out[get_global_id(0) & 3] = 1; // expect: global-race +0
    });
}

//! test: behind_a_barrier_of_the_sub_group
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! global: 64
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void behind_a_barrier_of_the_sub_group(global int *out)
{
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = get_group_id(0); // expect: global-race +0
}

//! test: many_groups
//! global: 4096
//! local: 1
//! buffer out int[4096] = 0
//! expect out = _
kernel void many_groups(global int *out)
{
    int i = get_global_id(0);
    out[i & 2047] = i; // expect: global-race +0
}

//! test: a_row_of_1024_groups
//! global: 2048 4
//! local: 2 1
//! buffer data int[10240] = 0
//! expect data = _
kernel void a_row_of_1024_groups(global int *data)
{
    int at = get_global_id(1) * 2048 + get_global_id(0);
    int below = data[at + 2048];
    data[at] = below + 1; // expect: global-race -1
}

// ---- no races ----

//! test: all_read_one
//! global: 16
//! buffer in int[1] = 3
//! buffer out int[16] = 0
//! expect out = 3
kernel void all_read_one(global int *in, global int *out)
{
    out[get_global_id(0)] = *in;
    if (get_global_id(0) > 100)
        *in = 0;
}

//! test: a_reduction
//! global: 32
//! local: 32
//! buffer data int[32] = 1
//! expect data = _
kernel void a_reduction(global int *data)
{
    int i = get_local_id(0);
    for (int step = 16; step; step /= 2) {
        if (i < step)
            data[i] += data[i + step];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//! test: a_scan_in_place
//! global: 32
//! local: 32
//! buffer data int[32] = 1
//! expect data = 1..32
kernel void a_scan_in_place(global int *data)
{
    int i = get_local_id(0);
    for (int step = 1; step < 32; step *= 2) {
        int sum = data[i] + (i >= step ? data[i - step] : 0);
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[i] = sum;
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
}

//! test: vectors_of_three
//! global: 8
//! buffer data int[24] = 0
//! expect data = _
kernel void vectors_of_three(global int *data)
{
    int i = get_global_id(0);
    vstore3(vload3(i, data) + 1, i, data);
}

//! test: fourth_components
//! global: 8
//! buffer data int[32] = 0
//! expect data = _
kernel void fourth_components(global int3 *data)
{
    int i = get_global_id(0);
    if (i < 4)
        data[i] = (int3)(i);
    else
        ((global int *)(data + i - 4))[3] = i; // il: global-race
}

//! test: components_with_a_gap
//! global: 2
//! buffer data int[4] = 0
//! buffer out int[1] = 0
//! expect out = 0
kernel void components_with_a_gap(global int4 *data, global int *out)
{
    if (get_global_id(0))
        data->y = 1; // il: global-race
    else
        *out = data->x + data->w;
}

//! test: a_structure_each
//! global: 3
//! buffer data uchar[48] = 0
//! expect data = _
kernel void a_structure_each(global record *data)
{
    record mine = data[get_global_id(0)];
    mine.a++;
    data[get_global_id(0)] = mine;
}

//! test: what_a_sub_group_exchanges
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! global: 64
//! local: 64
//! buffer data int[64] = 0
//! buffer out int[64] = 0
//! expect out = 0..63
kernel void what_a_sub_group_exchanges(global int *data, global int *out)
{
    int i = get_global_id(0), last = get_sub_group_size() - 1, first = i - get_sub_group_local_id();
    data[i] = i;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    int other = data[first + last - get_sub_group_local_id()];
    out[other] = other;
}

//! test: a_collective_function
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions
//! global: 16
//! local: 16
//! buffer data int[16] = 1
//! buffer out int[16] = 0
//! expect out = 16
kernel void a_collective_function(global int *data, global int *out)
{
    int i = get_local_id(0), sum = work_group_reduce_add(data[i]);
    data[15 - i] = sum;
    out[15 - i] = data[15 - i];
}

//! test: two_launches
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer data int[4] = 0
//! buffer out int[4] = 0
//! expect out = 3 2 1 0
// A child may read what its parent wrote, and its items what those of an earlier child wrote.
kernel void two_launches(global int *data, global int *out)
{
    clk_event_t first;
    data[0] = 7;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, 0, &first,
                   ^{ data[get_global_id(0)] = get_global_id(0); });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 1, &first, 0,
                   ^{ out[get_global_id(0)] = data[3 - get_global_id(0)]; });
    release_event(first);
}

//! test: many_barriers
//! global: 8
//! local: 8
//! buffer data int[8] = 0..7
//! expect data = _
// More than are told apart.
kernel void many_barriers(global int *data)
{
    int i = get_local_id(0);
    for (int k = 0; k < 1200; k++) {
        int next = data[(i + 1) & 7];
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[i] = next;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//! test: bytes_of_readers
//! global: 16
//! local: 16
//! buffer data uchar[4] = 0
//! buffer out uint[16] = 0
//! expect out = _
kernel void bytes_of_readers(global uchar *data, global uint *out)
{
    int i = get_local_id(0);
    if (i < 12)
        out[i] = i & 1 ? data[0] : data[1] + data[0];
    else if (i == 13)
        data[2] = 1;
    else if (i == 15)
        data[3] = 1;
}

//! test: a_transposition
//! global: 8 8
//! local: 4 4
//! buffer in int[64] = 0..63
//! buffer out int[64] = 0
//! expect out = _
kernel void a_transposition(global const int *in, global int *out)
{
    local int tile[4][4];
    tile[get_local_id(1)][get_local_id(0)] = in[get_global_id(1) * 8 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 4 + get_local_id(1)) * 8 + get_group_id(1) * 4 + get_local_id(0)] = tile[get_local_id(0)][get_local_id(1)];
}

//! test: one_for_all
//! global: 16
//! local: 8
//! buffer data int[2] = 0
//! buffer out int[16] = 0
//! expect out = 4
kernel void one_for_all(global int *data, global int *out)
{
    if (get_local_id(0) == 3)
        data[get_group_id(0)] = 4;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = data[get_group_id(0)];
}

//! test: in_kept_function
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! buffer n int[1] = 1
//! expect out = _
__attribute__((noinline)) void put_kept(global int *p, int at, int v)
{
    p[at] = v; // expect: global-race
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[at + 1] = v; // expect: global-race
}
kernel void in_kept_function(global int *out, global int *n)
{
    int i = get_local_id(0);
    for (int k = 0; k < n[0]; k++)
        put_kept(out, i / 2, i);
    barrier(CLK_GLOBAL_MEM_FENCE);
    put_kept(out, 40, 7);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 5)
        out[3] = 4;
}
