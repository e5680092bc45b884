// Reads of global memory that nobody wrote.

typedef struct { int a; float4 b; char c; short d; } record;
typedef struct { global int *at; int count; } list;

//! test: never_written
//! global: 8
//! buffer in int[8] = _
//! buffer out int[8] = 0
//! expect out = _
kernel void never_written(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i]; // expect: uninitialised-read
}

//! test: written_by_the_host
//! global: 8
//! buffer in int[8] = 1..8
//! buffer out int[8] = _
//! expect out = 1..8
kernel void written_by_the_host(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}

//! test: one_is_missing
//! global: 8
//! buffer in int[9] = 1..4 _ 6..9
//! buffer out int[8] = 0
//! expect out = _
kernel void one_is_missing(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i + 1]; // expect: uninitialised-read
}

//! test: none_is_missing
//! global: 3
//! buffer in int[9] = 1..4 _ 6..9
//! buffer out int[3] = 0
//! expect out = 2..4
kernel void none_is_missing(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i + 1];
}

//! test: own_store
//! global: 8
//! buffer tmp int[8] = _
//! buffer out int[8] = 0
//! expect out = 0..7
kernel void own_store(global int *tmp, global int *out)
{
    int i = get_global_id(0);
    tmp[i] = i;
    out[i] = tmp[i];
}

//! test: store_behind_a_barrier
//! global: 16
//! local: 16
//! buffer tmp int[16] = _
//! buffer out int[16] = 0
//! expect out = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
kernel void store_behind_a_barrier(global int *tmp, global int *out)
{
    int i = get_global_id(0);
    tmp[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = tmp[15 - i];
}

//! test: half_of_a_word
//! buffer in ushort[2] = 7 _
//! buffer out int[2] = 0
//! expect out = 7 _
kernel void half_of_a_word(global ushort *in, global int *out)
{
    out[0] = in[0];
    out[1] = *(global int *)in; // expect: uninitialised-read
}

//! test: last_byte
//! buffer in uchar[16] = 1*15 _
//! buffer out int[2] = 0
//! expect out = 0x01010101 _
kernel void last_byte(global uint *in, global uint *out)
{
    out[0] = in[2];
    out[1] = in[3]; // expect: uninitialised-read
}

//! test: vectors
//! buffer in float[8] = 1..7 _
//! buffer out float[8] = 0
//! expect out = _
kernel void vectors(global float4 *in, global float4 *out)
{
    out[0] = in[0];
    out[1] = in[1]; // expect: uninitialised-read
}

//! test: three_of_four
//! buffer in float[8] = 1..3 _ 5..7 _
//! buffer out float[8] = 0
//! expect out = 1..3 _ 5..7 _
kernel void three_of_four(global float3 *in, global float3 *out)
{
    out[0] = in[0];
    out[1] = in[1];
}

//! test: lanes_of_results
//! buffer in float[8] = 1..3 _ 5..7 _
//! buffer out float[8] = 0
//! expect out = 1..3 _ 5..7 _
// Lanes that go nowhere are not read, whatever is done with the whole vector meanwhile.
kernel void lanes_of_results(global float4 *in, global float3 *out)
{
    float4 a = max(in[0], 0.5f), b = in[1] > 0.0f ? in[1] : -in[1];
    out[0] = a.xyz;
    out[1] = as_float4(as_int4(select(a, b, (int4)(-1)))).xyz;
}

//! test: vload_three
//! buffer in float[7] = 1..6 _
//! buffer out float[9] = 0
//! expect out = 1..6 _ _ _
kernel void vload_three(global float *in, global float *out)
{
    vstore3(vload3(0, in), 0, out);
    vstore3(vload3(1, in), 1, out);
    out[6] = vload2(0, in + 5).y; // expect: uninitialised-read
}

//! test: vstore_then_vload
//! buffer tmp float[16] = _
//! buffer out float[16] = 0
//! expect out = _
kernel void vstore_then_vload(global float *tmp, global float *out)
{
    vstore4((float4)(1, 2, 3, 4), 1, tmp);
    vstore4(vload4(1, tmp), 0, out);
    vstore4(vload4(0, tmp + 5), 1, out); // expect: uninitialised-read
}

//! test: half_floats
//! buffer in ushort[4] = 0x3c00 0x4000 _ _
//! buffer out float[4] = 0
//! expect out = 1 2 _ _
kernel void half_floats(global half *in, global float *out)
{
    out[0] = vload_half(0, in);
    out[1] = vload_half(1, in);
    out[2] = vload_half(2, in); // expect: uninitialised-read
}

//! test: members
//! buffer tmp uchar[96] = _
//! buffer out int[4] = 0
//! expect out = 5 _ _ _
kernel void members(global record *tmp, global int *out)
{
    tmp[1].a = 5;
    tmp[1].c = 1;
    out[0] = tmp[1].a;
    out[1] = tmp[1].d; // expect: uninitialised-read
    out[2] = tmp[0].a; // expect: uninitialised-read
}

//! test: whole_structures
//! buffer tmp uchar[144] = _
//! buffer out uchar[48] = 0
//! expect out = _
kernel void whole_structures(global record *tmp, global record *out)
{
    tmp[1].a = 5;
    tmp[1].b = 1.0f;
    tmp[1].c = 2;
    tmp[1].d = 3;
    out[0] = tmp[1];
    record mine = tmp[1];
    mine.a++;
    tmp[2] = mine;
    out[0] = tmp[2];
    out[0] = tmp[0]; // expect: uninitialised-read
}

//! test: added_to
//! global: 4
//! buffer sums int[4] = _
//! expect sums = _
kernel void added_to(global int *sums)
{
    sums[get_global_id(0)] += 1; // expect: uninitialised-read
}

//! test: counter
//! global: 4
//! buffer count int[2] = _ 0
//! expect count = _ 4
kernel void counter(global int *count)
{
    atomic_inc(&count[1]);
    atomic_inc(&count[0]); // expect: uninitialised-read
}

//! test: exchanged
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device
//! global: 4
//! buffer count int[2] = 0 _
//! expect count = 9 4
kernel void exchanged(volatile global atomic_int *count)
{
    atomic_store(&count[0], 9);
    atomic_load(&count[0]);
    atomic_store(&count[1], 4);
    atomic_load(&count[1]);
}

//! test: a_component
//! buffer tmp int[4] = _
//! buffer out int[1] = 0
//! expect out = 3
kernel void a_component(global int4 *tmp, global int *out)
{
    tmp->y = 3; // il: uninitialised-read
    *out = tmp->y;
}

//! test: other_components
//! buffer tmp float[8] = _
//! buffer in float[8] = 1..3 _ 5..7 _
//! buffer out float[8] = 0
//! expect out = 1 2 5 6 7 1 _ _
kernel void other_components(global float4 *tmp, global float4 *in, global float *out)
{
    tmp[0].xy = in[0].xy; // il: uninitialised-read
    float4 v = in[1] * 1.0f, u = in[0];
    int k = u.y > 5.0f;
    vstore2(tmp[0].xy, 0, out);
    vstore3(v.xyz, k, out + 2);
    out[5] = vload4(0, (global float *)in).x;
    out[6] = tmp[0].z; // expect: uninitialised-read il: -
    float4 w = in[1]; // expect: uninitialised-read
    out[7] = w.w;
}

//! test: constant_memory
//! buffer in int[4] = 1 2 _ 4
//! buffer out int[4] = 0
//! expect out = 1 2 _ 4
kernel void constant_memory(constant int *in, global int *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = in[i]; // expect: uninitialised-read
}

//! test: chosen
//! global: 2
//! buffer a int[2] = 1 2
//! buffer b int[2] = _
//! buffer out int[2] = 0
//! expect out = 1 _
kernel void chosen(global int *a, global int *b, global int *out)
{
    int i = get_global_id(0);
    global int *p = i ? b : a;
    out[i] = p[i]; // expect: uninitialised-read
}

//! test: in_a_function
//! buffer in int[8] = 1..4 _
//! buffer out int[2] = 0
//! expect out = 10 _
int sum(global int *p, int n) __attribute__((noinline));
int sum(global int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i]; // expect: uninitialised-read
    return s;
}
kernel void in_a_function(global int *in, global int *out)
{
    out[0] = sum(in, 4);
    out[1] = sum(in, 8);
}

//! test: generic_pointer
//! options: -cl-std=CL2.0
//! buffer in int[2] = 1 _
//! buffer out int[2] = 0
//! expect out = 1 _
kernel void generic_pointer(global int *in, global int *out)
{
    int mine[2] = {1, 2};
    for (int i = 0; i < 2; i++) {
        int *p = in;
        if (get_global_id(0) > 5)
            p = mine;
        out[i] = p[i]; // expect: uninitialised-read
    }
}

//! test: asynchronous
//! global: 4
//! local: 4
//! buffer in int[8] = 1..6 _
//! buffer out int[8] = 0
//! expect out = 1..4 _ _ _ _
kernel void asynchronous(global int *in, global int *out)
{
    local int tile[8];
    event_t e = async_work_group_copy(tile, in, 4, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = tile[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(tile, in + 6, 2, 0); // expect: uninitialised-read il: -
    wait_group_events(1, &e);
    out[4 + get_local_id(0)] = tile[0];
}

//! test: asynchronous_back
//! global: 4
//! local: 4
//! buffer tmp int[4] = _
//! buffer out int[4] = 0
//! expect out = 0..3
kernel void asynchronous_back(global int *tmp, global int *out)
{
    local int tile[4];
    tile[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(tmp, tile, 4, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = tmp[get_local_id(0)];
}

//! test: second_results
//! buffer tmp float[2] = _
//! buffer out float[2] = 0
//! expect out = 0.5 1
kernel void second_results(global float *tmp, global float *out)
{
    out[0] = modf(1.5f, tmp);
    out[1] = tmp[0];
}

//! test: around_a_gap
//! buffer in float[8] = 1 _ 3 _ 5 _ _ 8
//! buffer out float[2] = 9
//! expect out = 4 _
kernel void around_a_gap(global const float4 *in, global float *out)
{
    float2 v = in[0].xz;
    out[0] = v.x + v.y;
    float2 w = in[1].xz; // expect: uninitialised-read
    out[1] = w.x + w.y;
}

//! test: many_gaps
//! buffer in uchar[32] = 1 _ 3 _ 5 _ 7 _ 9 _ 11 _ 13 _ 15 _ 1 _ 3 _ 5 _ 7 _ 9 _ _ _ 13 _ 15 _
//! buffer out int[2] = 9
//! expect out = 64 _
kernel void many_gaps(global const uchar16 *in, global int *out)
{
    for (int i = 0; i < 2; i++) {
        uchar8 v = in[i].even; // expect: uninitialised-read
        out[i] = v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7;
    }
}

//! test: gap_in_a_kept_function
//! buffer in float[8] = 1 _ 3 _ 5 _ _ 8
//! buffer out float[2] = 9
//! expect out = 4 _
__attribute__((noinline)) float ends_apart(global const float4 *p)
{
    float2 v = p->xz; // expect: uninitialised-read
    return v.x + v.y;
}
kernel void gap_in_a_kept_function(global const float4 *in, global float *out)
{
    out[0] = ends_apart(in);
    out[1] = ends_apart(in + 1);
}
