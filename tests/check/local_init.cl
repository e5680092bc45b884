// Reads of local memory that nobody wrote.

//! test: nobody_wrote
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void nobody_wrote(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    out[i] = a[i]; // expect: uninitialised-read
}

//! test: half_is_written
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void half_is_written(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    if (i < 8)
        a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i]; // expect: uninitialised-read
}

//! test: the_halo
//! global: 16
//! local: 16
//! buffer in int[16] = 1
//! buffer out int[16] = 0
//! expect out = _
kernel void the_halo(global const int *in, global int *out)
{
    local int a[18];
    int i = get_local_id(0);
    a[i + 1] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i] + // expect: uninitialised-read
             a[i + 1] +
             a[i + 2]; // expect: uninitialised-read
}

//! test: argument
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! local tile 128
//! expect out = _
kernel void argument(global int *out, local int *tile)
{
    int i = get_local_id(0);
    tile[i] = i;
    out[i] = tile[i + 16]; // expect: uninitialised-read
}

//! test: first_sum
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void first_sum(global int *out)
{
    local int sums[16];
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++)
        sums[i] += k; // expect: uninitialised-read
    out[i] = sums[i];
}

//! test: counter
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void counter(global int *out)
{
    local int n;
    atomic_inc(&n); // expect: uninitialised-read
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = n;
}

//! test: part_of_a_vector
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void part_of_a_vector(global int *out)
{
    local int a[64];
    int i = get_local_id(0);
    a[i * 4] = i;
    a[i * 4 + 1] = i;
    int4 v = vload4(i, a); // expect: uninitialised-read
    out[i] = v.y + v.z;
}

//! test: written_part_of_a_vector
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
kernel void written_part_of_a_vector(global int *out)
{
    local int a[64];
    int i = get_local_id(0);
    a[i * 4] = i;
    a[i * 4 + 1] = i;
    int4 v = vload4(i, a);
    out[i] = v.x + v.y;
}

//! test: byte_of_a_word
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void byte_of_a_word(global int *out)
{
    local uchar a[64];
    int i = get_local_id(0);
    a[i * 4] = i;
    a[i * 4 + 2] = i;
    out[i] = a[i * 4] + a[i * 4 + 2];
    out[i] += a[i * 4 + 1]; // expect: uninitialised-read
}

//! test: member
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
typedef struct {
    int key, value;
} pair;

kernel void member(global int *out)
{
    local pair a[16];
    int i = get_local_id(0);
    a[i].key = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[15 - i].key + a[15 - i].value; // expect: uninitialised-read
}

//! test: in_a_function
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
int get(local const int *p)
{
    return p[1]; // expect: uninitialised-read
}

kernel void in_a_function(global int *out)
{
    local int a[32];
    int i = get_local_id(0);
    a[i * 2] = i;
    out[i] = get(a + i * 2);
}

//! test: short_copy
//! global: 16
//! local: 16
//! buffer in int[16] = 1
//! buffer out int[16] = 0
//! expect out = _
kernel void short_copy(global const int *in, global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    event_t done = async_work_group_copy(a, in, 15, 0);
    wait_group_events(1, &done);
    out[i] = a[i]; // expect: uninitialised-read
}

//! test: copied_unwritten
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void copied_unwritten(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    if (i)
        a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(out, a, 16, 0); // expect: uninitialised-read
    wait_group_events(1, &done);
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
    int *p = a;
    out[i] = p[i]; // expect: uninitialised-read
}

//! test: second_group
//! global: 32
//! local: 16
//! buffer out int[32] = 0
//! expect out = _
// Each group has memory of its own.
kernel void second_group(global int *out)
{
    local int a[16];
    int i = get_local_id(0);
    if (get_group_id(0) == 0)
        a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[i]; // expect: uninitialised-read
}

//! test: right_structures
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
// A structure is moved whole, with what nobody wrote.
typedef struct {
    int key, value;
} pair;

kernel void right_structures(global int *out)
{
    local pair a[16], b[16];
    int i = get_local_id(0);
    a[i].key = i;
    b[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    pair other = b[15 - i];
    out[i] = other.key;
}

//! test: right_vectors
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void right_vectors(global int *out)
{
    local int3 a[16];
    int i = get_local_id(0);
    a[i] = (int3)(i + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    int3 v = a[15 - i];
    out[i] = v.x + v.y + v.z;
}

//! test: right_rows
//! global: 8 8
//! local: 8 4
//! buffer out int[64] = 0
//! expect out = _
kernel void right_rows(global int *out)
{
    local float rows[4][8];
    local int n;
    int x = get_local_id(0), y = get_local_id(1);
    rows[y][x] = x;
    if (x == 0 && y == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (rows[3 - y][7 - x] > 3)
        atomic_add(&n, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 8 + get_global_id(0)] = n;
}

// What stands behind a third component is nobody's.
//! test: copies_of_three
//! local: 6
//! global: 12
//! buffer in char[96] = 1..96
//! buffer out char[96] = 0
//! local tile 48
//! value all int = 12
//! value each int = 2
//! expect out = _
kernel void copies_of_three(global const char3 *in, global char3 *out, local char3 *tile, int all, int each)
{
    for (int i = 0; i < each; i++)
        tile[get_local_id(0) * each + i] = in[get_global_id(0) * each + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * all, tile, all, 0);
    wait_group_events(1, &e);
}

//! test: strided_copies_of_three
//! local: 6
//! global: 12
//! buffer in int[96] = 1..96
//! buffer out int[192] = 0
//! local tile 192
//! value all int = 12
//! value each int = 2
//! expect out = _
kernel void strided_copies_of_three(global const int3 *in, global int3 *out, local int3 *tile, int all, int each)
{
    for (int i = 0; i < each; i++)
        tile[get_local_id(0) * each + i] = in[get_global_id(0) * each + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + get_group_id(0) * 2 * all, tile, all, 2, 0);
    wait_group_events(1, &e);
}

// Components around one that nobody wrote, and nobody reads.
//! test: around_a_gap
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! expect out = _
kernel void around_a_gap(global int *out)
{
    local int a[128];
    int i = get_local_id(0);
    a[i * 8] = a[i * 8 + 2] = a[i * 8 + 4] = i;
    int4 v = vload4(i * 2, a);
    out[i] = v.x + v.z;
    int4 w = vload4(i * 2 + 1, a); // expect: uninitialised-read
    out[i] += w.x + w.z;
}

//! test: component_by_number
//! global: 16
//! local: 16
//! buffer out int[16] = 0
//! value n int = 2
//! expect out = 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
kernel void component_by_number(global int *out, int n)
{
    local int a[64];
    int i = get_local_id(0);
    a[i * 4] = a[i * 4 + 2] = i;
    int4 v = vload4(i, a);
    out[i] = v.x + v[n];
}
