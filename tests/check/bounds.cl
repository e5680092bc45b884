// Accesses beyond what was allocated. Loads give zeros there, and stores are dropped.

typedef struct { int a; float4 b; char c[3]; } record;
struct inner { int a; char b[2]; short c; };
struct open { int length; int data[1]; };
constant int table[4] = {1, 2, 3, 4};

//! test: read_behind
//! global: 16
//! buffer in int[16] = 1..16
//! buffer out int[16] = 9
//! expect out = 2..16 0
kernel void read_behind(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i + 1]; // expect: out-of-bounds
}

//! test: read_before
//! global: 16
//! buffer in int[16] = 1..16
//! buffer out int[16] = 9
//! expect out = 0 1..15
kernel void read_before(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i - 1]; // expect: out-of-bounds
}

//! test: write_behind
//! global: 16
//! buffer out int[15] = 9
//! expect out = 0..14
kernel void write_behind(global int *out)
{
    int i = get_global_id(0);
    out[i] = i; // expect: out-of-bounds
}

//! test: into_another_buffer
//! global: 4
//! buffer a int[4] = 1
//! buffer b int[4] = 2
//! expect b = 2
kernel void into_another_buffer(global int *a, global int *b)
{
    long distance = b - a;
    a[distance + get_global_id(0)] = 7; // expect: out-of-bounds
}

//! test: across_the_end
//! global: 4
//! buffer in char[15] = 1
//! buffer out int[4] = 9
//! expect out = 0x01010101*3 0
kernel void across_the_end(global const char *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((global const int *)in)[i]; // expect: out-of-bounds
}

//! test: null_pointer
//! null in
//! buffer out int[1] = 9
//! expect out = 0
kernel void null_pointer(global const int *in, global int *out)
{
    *out = *in; // expect: out-of-bounds
}

//! test: far_away
//! buffer in int[16] = 1..16
//! buffer out int[1] = 9
//! value n long = 0x100000000
//! expect out = 0
kernel void far_away(global const int *in, global int *out, long n)
{
    *out = in[n]; // expect: out-of-bounds
}

//! test: vector_read
//! global: 4
//! buffer in int[14] = 1
//! buffer out int4[4] = 9
//! expect out = 1*12 0*4
kernel void vector_read(global const int4 *in, global int4 *out)
{
    int i = get_global_id(0);
    out[i] = in[i]; // expect: out-of-bounds
}

//! test: vload
//! global: 4
//! buffer in int[15] = 1
//! buffer out int4[4] = 9
//! expect out = 1*12 0*4
kernel void vload(global const int *in, global int4 *out)
{
    int i = get_global_id(0);
    out[i] = vload4(i, in); // expect: out-of-bounds
}

//! test: vload_right_to_the_end
//! global: 5
//! buffer in int[15] = 1
//! buffer out int[20] = 9
//! expect out = 3*5 9*15
kernel void vload_right_to_the_end(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int3 v = vload3(i, in);
    out[i] = v.x + v.y + v.z;
}

//! test: vstore
//! global: 4
//! buffer out short[31] = 9
//! expect out = 1*24 9*7
kernel void vstore(global short *out)
{
    vstore8((short8)1, get_global_id(0), out); // expect: out-of-bounds
}

//! test: read_half
//! global: 4
//! buffer in ushort[3] = 0x3c00
//! buffer out float[4] = 9
//! expect out = 1 1 1 0
kernel void read_half(global const ushort *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = vload_half(i, (global const half *)in); // expect: out-of-bounds
}

//! test: write_half4
//! global: 2
//! buffer out ushort[7] = 9
//! expect out = 0x3c00*4 9*3
kernel void write_half4(global ushort *out)
{
    vstore_half4((float4)1, get_global_id(0), (global half *)out); // expect: out-of-bounds
}

//! test: structure
//! global: 3
//! buffer in int[24] = 1
//! buffer out int[3] = 9
//! expect out = 1 1 0
kernel void structure(global const record *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i].a; // expect: out-of-bounds
}

//! test: whole_structure
//! global: 2
//! buffer in int[24] = 1
//! buffer out int[24] = 9
//! expect out = 1 9*11 0 9*11
kernel void whole_structure(global const record *in, global record *out)
{
    int i = get_global_id(0);
    out[i].a = in[i * 2].a; // expect: out-of-bounds
}

//! test: atomic
//! global: 4
//! buffer out int[3] = 0
//! expect out = 1
kernel void atomic(global int *out)
{
    atomic_add(out + get_global_id(0), 1); // expect: out-of-bounds
}

//! test: atomic_load_store
//! require: __opencl_c_atomic_order_seq_cst
//! options: -cl-std=CL3.0
//! global: 4
//! buffer a int[3] = 5
//! buffer b int[3] = 0
//! expect b = 5
kernel void atomic_load_store(global atomic_int *a, global atomic_int *b)
{
    int i = get_global_id(0);
    int v = atomic_load_explicit(a + i, memory_order_relaxed, memory_scope_device); // expect: out-of-bounds
    atomic_store_explicit(b + i, v, memory_order_relaxed, memory_scope_device); // expect: out-of-bounds
}

//! test: by_function
//! global: 4
//! buffer in int[3] = 5
//! buffer out int[4] = 9
//! expect out = 5 5 5 0
int fetch(global const int *p, int i)
{
    return p[i]; // expect: out-of-bounds
}
kernel void by_function(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = fetch(in, i);
}

//! test: by_kept_function
//! global: 4
//! buffer in int[3] = 5
//! buffer out int[4] = 9
//! expect out = 5 5 5 0
__attribute__((noinline)) int fetch_apart(global const int *p, int i)
{
    return p[i * 3 > 6 ? 100000 : i]; // expect: out-of-bounds
}
kernel void by_kept_function(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = fetch_apart(in, i);
}

//! test: chosen
//! global: 4
//! buffer a int[4] = 5
//! buffer b int[2] = 6
//! buffer out int[4] = 9
//! expect out = 6 5 0 5
kernel void chosen(global const int *a, global const int *b, global int *out)
{
    int i = get_global_id(0);
    global const int *p = i & 1 ? a : b;
    out[i] = p[i]; // expect: out-of-bounds
}

//! test: walking
//! buffer in int[10] = 1
//! buffer out int[1] = 9
//! expect out = 10
kernel void walking(global const int *in, global int *out)
{
    int sum = 0;
    global const int *end = in + 12;
    for (global const int *p = in; p < end; p++)
        sum += *p; // expect: out-of-bounds
    *out = sum;
}

//! test: walking_right
//! buffer in int[10] = 1
//! buffer out int[1] = 9
//! expect out = 10
kernel void walking_right(global const int *in, global int *out)
{
    int sum = 0;
    for (global const int *p = in, *end = in + 10; p < end; p++)
        sum += *p;
    *out = sum;
}

//! test: increment
//! global: 2
//! buffer out int[1] = 1
//! expect out = 2
kernel void increment(global int *out)
{
    out[get_global_id(0)]++; // expect: out-of-bounds
}

//! test: compound
//! global: 2
//! buffer out int[1] = 1
//! expect out = 4
kernel void compound(global int *out)
{
    out[get_global_id(0)] += 3; // expect: out-of-bounds
}

//! test: component
//! buffer out int[4] = 1
//! expect out = 1
kernel void component(global int4 *out)
{
    out[1].y = 3; // expect: out-of-bounds
}

//! test: private_array
//! global: 8
//! buffer out int[8] = 9
//! expect out = 0 1 2 3 0*4
kernel void private_array(global int *out)
{
    int i = get_global_id(0), a[4];
    for (int k = 0; k < 4; k++)
        a[k] = k;
    out[i] = a[i]; // expect: out-of-bounds
}

//! test: private_array_written
//! global: 8
//! buffer out int[8] = 9
//! expect out = 7 1 1 1 1 1 1 1
kernel void private_array_written(global int *out)
{
    int i = get_global_id(0), a[4] = {1, 1, 1, 1};
    a[i * 4] = 7; // expect: out-of-bounds
    out[i] = a[0];
}

//! test: private_before
//! global: 2
//! buffer out int[2] = 9
//! expect out = 0 5
kernel void private_before(global int *out)
{
    int i = get_global_id(0), a[4] = {5, 6, 7, 8};
    out[i] = a[i - 1]; // expect: out-of-bounds
}

//! test: private_by_pointer
//! global: 2
//! buffer out int[2] = 9
//! expect out = 8 0
int last(const int *p, int n)
{
    return p[n]; // expect: out-of-bounds
}
kernel void private_by_pointer(global int *out)
{
    int i = get_global_id(0), a[4] = {5, 6, 7, 8};
    out[i] = last(a, 3 + i);
}

//! test: private_by_kept_function
//! global: 2
//! buffer out int[2] = 9
//! expect out = 8 0
__attribute__((noinline)) int last_apart(private const int *p, int n)
{
    return p[n]; // expect: out-of-bounds
}
kernel void private_by_kept_function(global int *out)
{
    int i = get_global_id(0), a[4] = {5, 6, 7, 8};
    out[i] = last_apart(a, 3 + i);
}

//! test: local_by_kept_function
//! global: 2
//! local: 2
//! buffer out int[2] = 9
//! expect out = 7 0
__attribute__((noinline)) void put_apart(local int *p, int n)
{
    p[n] = 7; // expect: out-of-bounds
}
kernel void local_by_kept_function(global int *out)
{
    local int a[2], b[2];
    int i = get_local_id(0);
    b[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    put_apart(a, i * 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i == 0 ? a[i] : b[0];
}

//! test: private_constant_index
//! buffer out int[1] = 9
//! expect out = 0
kernel void private_constant_index(global int *out)
{
    int a[4] = {5, 6, 7, 8}, *p = a;
    *out = p[4]; // expect: out-of-bounds
}

//! test: local_variable
//! global: 8
//! local: 8
//! buffer out int[8] = 9
//! expect out = 0..3 0*4
kernel void local_variable(global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    a[i] = i; // expect: out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i]; // expect: out-of-bounds
}

//! test: between_local_variables
//! global: 4
//! local: 4
//! buffer out int[4] = 9
//! expect out = 5
kernel void between_local_variables(global int *out)
{
    local int a[4], b[4];
    int i = get_local_id(0);
    b[i] = 5;
    a[i] = 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i + 4] = 7; // expect: out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = b[i];
}

//! test: local_argument
//! global: 4
//! local: 4
//! local a 12
//! buffer out int[4] = 9
//! expect out = 1 1 1 0
kernel void local_argument(local int *a, global int *out)
{
    int i = get_local_id(0);
    a[i] = 1; // expect: out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i]; // expect: out-of-bounds
}

//! test: two_local_arguments
//! global: 4
//! local: 4
//! local a 16
//! local b 16
//! buffer out int[4] = 9
//! expect out = 2
kernel void two_local_arguments(local int *a, local int *b, global int *out)
{
    int i = get_local_id(0);
    a[i] = 1;
    b[i] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i + 4] = 3; // expect: out-of-bounds
    b[i - 4] = 3; // expect: out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = b[i];
}

//! test: local_atomic
//! global: 4
//! local: 4
//! buffer out int[1] = 9
//! expect out = 3
kernel void local_atomic(global int *out)
{
    local int a[1];
    int i = get_local_id(0);
    if (i == 0)
        a[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(a + (i == 2), 1); // expect: out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        *out = a[0];
}

//! test: constant_variable
//! global: 6
//! buffer out int[6] = 9
//! expect out = 1..4 0 0
kernel void constant_variable(global int *out)
{
    int i = get_global_id(0);
    out[i] = table[i]; // expect: out-of-bounds
}

//! test: constant_argument
//! global: 6
//! buffer in int[4] = 1..4
//! buffer out int[6] = 9
//! expect out = 1..4 0 0
kernel void constant_argument(constant int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i]; // expect: out-of-bounds
}

//! test: program_variable
//! require: __opencl_c_program_scope_global_variables
//! options: -cl-std=CL3.0
//! global: 6
//! buffer out int[6] = 9
//! expect out = 7*4 0 0
global int scores[4] = {7, 7, 7, 7};
kernel void program_variable(global int *out)
{
    int i = get_global_id(0);
    out[i] = scores[i]; // expect: out-of-bounds
}

//! test: generic_pointer
//! require: __opencl_c_generic_address_space
//! options: -cl-std=CL3.0
//! global: 4
//! buffer in int[3] = 5
//! buffer out int[4] = 9
//! expect out = 5 5 5 0
int through(const int *p, int i)
{
    return p[i]; // expect: out-of-bounds
}
kernel void generic_pointer(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = through(in, i);
}

//! test: generic_of_two_spaces
//! require: __opencl_c_generic_address_space
//! options: -cl-std=CL3.0
//! global: 4
//! buffer in int[2] = 5
//! buffer out int[4] = 9
//! expect out = 6 5 6 0
kernel void generic_of_two_spaces(global const int *in, global int *out)
{
    int i = get_global_id(0), own[4] = {6, 6, 6, 6};
    const int *p = i & 1 ? (const int *)in : (const int *)own;
    out[i] = p[i]; // expect: out-of-bounds
}

//! test: memory_copy
//! buffer in int[100] = 1
//! buffer out int[128] = 9
//! expect out = 9
typedef struct { int v[128]; } large;
kernel void memory_copy(global const large *in, global large *out)
{
    large copy = *in; // expect: out-of-bounds
    out->v[0] = copy.v[0] + 9;
}

//! test: async_copy
//! global: 4
//! local: 4
//! buffer in int[7] = 1
//! buffer out int[8] = 9
//! expect out = 0
kernel void async_copy(global const int *in, global int *out)
{
    local int a[8];
    int i = get_local_id(0);
    a[i] = a[i + 4] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a, in, 8, 0); // expect: out-of-bounds
    wait_group_events(1, &e);
    out[i] = a[i];
    out[i + 4] = a[i + 4];
}

//! test: async_copy_to_local
//! global: 4
//! local: 4
//! buffer in int[8] = 1
//! buffer out int[4] = 9
//! expect out = 0
kernel void async_copy_to_local(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    a[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a, in, 8, 0); // expect: out-of-bounds
    wait_group_events(1, &e);
    out[i] = a[i];
}

//! test: async_strided
//! global: 4
//! local: 4
//! buffer in int[12] = 1
//! buffer out int[4] = 9
//! expect out = 0
kernel void async_strided(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    a[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(a, in, 4, 4, 0); // expect: out-of-bounds
    wait_group_events(1, &e);
    out[i] = a[i];
}

//! test: async_strided_right
//! global: 4
//! local: 4
//! buffer in int[13] = 1
//! buffer out int[4] = 9
//! expect out = 1
kernel void async_strided_right(global const int *in, global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    event_t e = async_work_group_strided_copy(a, in, 4, 4, 0);
    wait_group_events(1, &e);
    out[i] = a[i];
}

//! test: second_result
//! global: 2
//! buffer out float[1] = 9
//! buffer frac float[2] = 9
//! expect out = 1
//! expect frac = 0.5
kernel void second_result(global float *out, global float *frac)
{
    int i = get_global_id(0);
    frac[i] = fract(1.5f, out + i); // expect: out-of-bounds
}

//! test: without_optimisation
//! options: -cl-opt-disable
//! global: 4
//! buffer in int[3] = 5
//! buffer out int[4] = 9
//! expect out = 5 5 5 0
kernel void without_optimisation(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int v = in[i]; // expect: out-of-bounds
    out[i] = v;
}

//! test: only_where_it_runs
//! global: 8
//! buffer in int[4] = 5
//! buffer out int[8] = 9
//! expect out = 5*4 9*4
kernel void only_where_it_runs(global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (i < 4)
        out[i] = in[i];
}

//! test: two_dimensions
//! global: 4 4
//! buffer in int[15] = 5
//! buffer out int[16] = 9
//! expect out = 5*15 0
kernel void two_dimensions(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 4 + x] = in[y * 4 + x]; // expect: out-of-bounds
}

//! test: member_index
//! global: 4
//! buffer out int[4] = 9
//! expect out = 0 1 0 0
kernel void member_index(global int *out)
{
    struct inner s = {-1, {42, 7}, 0};
    int i = get_global_id(0);
    if (i < 2)
        s.b[i] = i;
    out[i] = s.b[i]; // expect: out-of-bounds il: -
}

//! test: member_index_written
//! global: 3
//! buffer s char[24] = 0
//! expect s = 0*4 1 1 1 0 0*4 2 2 2 0 0*4 3 3 3 0
kernel void member_index_written(global struct inner *s)
{
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        s[i].b[k] = i + 1; // expect: out-of-bounds il: -
}

//! test: member_before
//! global: 2
//! buffer s char[16] = 0
//! buffer out int[2] = 9
//! expect out = 0
kernel void member_before(global struct inner *s, global int *out)
{
    int i = get_global_id(0);
    out[i] = s[1].b[i - 1]; // expect: out-of-bounds il: -
}

//! test: row_index
//! global: 1
//! buffer out int[1] = 9
//! expect out = 66
kernel void row_index(global int *out)
{
    int sum = 0, table[3][4];
    for (int i = 0; i < 12; i++)
        table[i / 4][i % 4] = i;
    for (int i = 0; i < 12; i++)
        sum += table[0][i]; // expect: out-of-bounds il: -
    *out = sum;
}

//! test: row_of_argument
//! global: 1
//! buffer rows int[12] = 1
//! buffer out int[1] = 9
//! expect out = 5
kernel void row_of_argument(global int (*rows)[4], global int *out)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += rows[1][i]; // expect: out-of-bounds il: -
    *out = sum;
}

//! test: union_in_array
//! global: 1
//! buffer out int[1] = 9
//! expect out = 3
kernel void union_in_array(global int *out)
{
    struct { union { short s; int i; } list[2]; int rest[4]; } all = {{{1}, {2}}, {0}};
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += all.list[i].s; // expect: out-of-bounds il: -
    *out = sum;
}

//! test: member_atomic
//! global: 4
//! buffer s int[4] = 0
//! expect s = 1 1 1 1
kernel void member_atomic(global struct { int count[3]; int rest; } *s)
{
    atomic_inc(&s->count[get_global_id(0)]); // expect: out-of-bounds il: -
}

//! test: open_array_is_right
//! global: 3
//! buffer s int[4] = 3 1 2 4
//! buffer out int[3] = 9
//! expect out = 1 2 4
kernel void open_array_is_right(global const struct open *s, global int *out)
{
    int i = get_global_id(0);
    out[i] = s->data[i];
}

//! test: pointer_in_rows_is_right
//! global: 12
//! buffer out int[12] = 9
//! expect out = 0..11
kernel void pointer_in_rows_is_right(global int *out)
{
    int table[3][4], *p = &table[0][0], *end = &table[2][4];
    int i = get_global_id(0), count = 0;
    for (; p < end; p++)
        *p = count++;
    out[i] = (&table[0][0])[i];
}

//! test: pointer_given_on_is_right
//! global: 12
//! buffer out int[12] = 9
//! expect out = 0..11
int nth(const int *row, int i)
{
    return row[i];
}
kernel void pointer_given_on_is_right(global int *out)
{
    int table[3][4], i = get_global_id(0);
    for (int k = 0; k < 12; k++)
        table[k / 4][k % 4] = k;
    out[i] = nth(table[0], i);
}

// More in one block than are reported together.
//! test: many_in_one_block
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[1] = 9
//! expect out = 52
kernel void many_in_one_block(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int sum = in[i + 8] + // expect: out-of-bounds
        in[i + 9] + // expect: out-of-bounds
        in[i + 10] + // expect: out-of-bounds
        in[3] +
        in[i + 12] + // expect: out-of-bounds
        in[i + 13] + // expect: out-of-bounds
        in[i + 14] + // expect: out-of-bounds
        in[7] +
        in[i + 16] + // expect: out-of-bounds
        in[i + 17] + // expect: out-of-bounds
        in[i + 18] + // expect: out-of-bounds
        in[3] +
        in[i + 20] + // expect: out-of-bounds
        in[i + 21] + // expect: out-of-bounds
        in[i + 22] + // expect: out-of-bounds
        in[7] +
        in[i + 24] + // expect: out-of-bounds
        in[i + 25] + // expect: out-of-bounds
        in[i + 26] + // expect: out-of-bounds
        in[3] +
        in[i + 28] + // expect: out-of-bounds
        in[i + 29] + // expect: out-of-bounds
        in[i + 30] + // expect: out-of-bounds
        in[7] +
        in[i + 32] + // expect: out-of-bounds
        in[i + 33] + // expect: out-of-bounds
        in[i + 34] + // expect: out-of-bounds
        in[3] +
        in[i + 36] + // expect: out-of-bounds
        in[i + 37] + // expect: out-of-bounds
        in[i + 38] + // expect: out-of-bounds
        in[7] +
        in[i + 40] + // expect: out-of-bounds
        in[i + 41] + // expect: out-of-bounds
        in[i + 42] + // expect: out-of-bounds
        in[3];
    out[i] = sum;
}

//! test: large_structures
//! global: 1
//! buffer out int[4] = 9
//! value i int = 100000000
//! value j int = 1
//! expect out = 5 0 0 5
struct large {
    int a[100];
};
kernel void large_structures(global int *out, int i, int j)
{
    local struct large s[2];
    struct large t, p[2];
    for (int k = 0; k < 100; k++)
        t.a[k] = k + 2;
    s[j] = s[1 - j] = p[0] = p[1] = t;
    s[i] = t; // expect: out-of-bounds
    p[i] = t; // expect: out-of-bounds
    out[0] = s[j].a[3];
    p[j] = s[i]; // expect: out-of-bounds
    out[1] = s[i].a[4]; // expect: out-of-bounds
    out[2] = p[i].a[4]; // expect: out-of-bounds
    out[3] = p[j].a[3];
}

//! test: copy_of_too_many
//! global: 1
//! buffer in int[4] = 9
//! buffer out int[1] = 9
//! value n ulong = 4611686018427387904
//! value few ulong = 4294967297
//! value stride ulong = 4294967296
//! expect out = 9
kernel void copy_of_too_many(global const int *in, global int *out, ulong n, ulong few, ulong stride)
{
    local int s[4];
    s[get_local_id(0)] = 9;
    event_t e = async_work_group_copy(s, in, n, 0); // expect: out-of-bounds
    e = async_work_group_copy(s, in, n + 1, e); // expect: out-of-bounds
    e = async_work_group_strided_copy(s, in, few, stride, e); // expect: out-of-bounds
    wait_group_events(1, &e);
    *out = s[0];
}
