// Vectors of which a kernel uses some components: a read of these is within bounds where they are.

constant float line[7] = {1, 2, 3, 4, 5, 6, 7};

//! test: three_at_the_end
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[2] = 9
//! expect out = 6 18
kernel void three_at_the_end(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    float3 v = in[i].xyz;
    out[i] = v.x + v.y + v.z;
}

//! test: the_third_is_outside
//! global: 2
//! buffer in float[6] = 1..6
//! buffer out float[2] = 9
//! expect out = 6 0
kernel void the_third_is_outside(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    float3 v = in[i].xyz; // expect: out-of-bounds
    out[i] = v.x + v.y + v.z;
}

//! test: first_and_third
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[2] = 9
//! expect out = 4 12
kernel void first_and_third(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    float2 v = in[i].xz;
    out[i] = v.x + v.y;
}

//! test: first_and_third_outside
//! global: 2
//! buffer in float[6] = 1..6
//! buffer out float[2] = 9
//! expect out = 4 0
kernel void first_and_third_outside(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    float2 v = in[i].xz; // expect: out-of-bounds
    out[i] = v.x + v.y;
}

//! test: single_bytes
//! global: 2
//! buffer in uchar[21] = 1..21
//! buffer out int[2] = 9
//! expect out = 6 38
kernel void single_bytes(global const uchar16 *in, global int *out)
{
    int i = get_global_id(0);
    uchar16 v = in[i];
    out[i] = v.s0 + v.s4;
}

//! test: a_byte_outside
//! global: 2
//! buffer in uchar[20] = 1..20
//! buffer out int[2] = 9
//! expect out = 6 0
kernel void a_byte_outside(global const uchar16 *in, global int *out)
{
    int i = get_global_id(0);
    uchar16 v = in[i]; // expect: out-of-bounds
    out[i] = v.s0 + v.s4;
}

//! test: in_a_constant_buffer
//! global: 2
//! buffer in float[5] = 1..5
//! buffer out float[2] = 9
//! expect out = 1 5
kernel void in_a_constant_buffer(constant float4 *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i].x;
}

//! test: outside_of_a_constant_buffer
//! global: 2
//! buffer in float[5] = 1..5
//! buffer out float[2] = 9
//! expect out = 2 0
kernel void outside_of_a_constant_buffer(constant float4 *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i].y; // expect: out-of-bounds
}

//! test: in_a_table
//! global: 2
//! buffer out float[2] = 9
//! expect out = 3 7
kernel void in_a_table(global float *out)
{
    int i = get_global_id(0);
    out[i] = vload4(i, line).z;
}

//! test: outside_of_a_table
//! global: 2
//! buffer out float[2] = 9
//! expect out = 4 0
kernel void outside_of_a_table(global float *out)
{
    int i = get_global_id(0);
    out[i] = vload4(i, line).w; // expect: out-of-bounds
}

//! test: vload_at_the_end
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[2] = 9
//! expect out = 6 18
kernel void vload_at_the_end(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float3 v = vload4(i, in).xyz;
    out[i] = v.x + v.y + v.z;
}

//! test: vload_of_one_outside
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[2] = 9
//! expect out = 5 0
kernel void vload_of_one_outside(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float2 v = vload4(i, in).xw; // expect: out-of-bounds
    out[i] = v.x + v.y;
}

//! test: vload_from_before
//! buffer in float[4] = 1..4
//! buffer out float[2] = 9
//! expect out = 6 0
kernel void vload_from_before(global const float *in, global float *out)
{
    float3 v = vload4(0, in - 1).yzw;
    out[0] = v.x + v.y + v.z;
    v = vload4(0, in - 1).xyz; // expect: out-of-bounds
    out[1] = v.x + v.y + v.z;
}

//! test: halves
//! global: 2
//! buffer in ushort[6] = 0x3c00
//! buffer out float[2] = 9
//! expect out = 2 2
kernel void halves(global const ushort *in, global float *out)
{
    int i = get_global_id(0);
    float4 v = vload_half4(i, (global const half *)in);
    out[i] = v.x + v.y;
}

//! test: a_half_outside
//! global: 2
//! buffer in ushort[6] = 0x3c00
//! buffer out float[2] = 9
//! expect out = 2 0
kernel void a_half_outside(global const ushort *in, global float *out)
{
    int i = get_global_id(0);
    float4 v = vload_half4(i, (global const half *)in); // expect: out-of-bounds
    out[i] = v.x + v.z;
}

//! test: aligned_halves
//! global: 2
//! buffer in ushort[7] = 0x3c00
//! buffer out float[2] = 9
//! expect out = 3 0
kernel void aligned_halves(global const ushort *in, global float *out)
{
    int i = get_global_id(0);
    float3 v = vloada_half4(1, (global const half *)in).xyz;
    out[0] = v.x + v.y + v.z;
    out[1] = vloada_half4(1, (global const half *)in).w; // expect: out-of-bounds
}

// Nothing is divided by what is not loaded.
//! test: divided
//! global: 2
//! buffer in int[7] = 1..7
//! buffer out int[2] = 9
//! expect out = 183 50
kernel void divided(global const int4 *in, global int *out)
{
    int i = get_global_id(0);
    int4 q = 100 / in[i];
    out[i] = q.x + q.y + q.z;
}

//! test: in_local_memory
//! global: 7
//! local: 7
//! buffer out float[7] = 9
//! expect out = 4 0 12 0 18 0 9
kernel void in_local_memory(global float *out)
{
    local float tile[7] __attribute__((aligned(16)));
    int i = get_local_id(0);
    tile[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float4 *rows = (local const float4 *)tile;
    if (i < 2)
        out[i * 2] = rows[i].x + rows[i].z;
    else if (i == 2)
        out[4] = rows[1].x + rows[1].y + vload4(1, tile).z;
    else if (i == 3)
        out[1] = rows[get_local_size(0) - 6].w; // expect: out-of-bounds
    else if (i == 4)
        out[3] = rows[get_local_size(0) - 5].x; // expect: out-of-bounds
    else if (i == 5)
        out[5] = vload4(get_local_size(0) - 6, tile).w; // expect: out-of-bounds
}

//! test: in_a_local_argument
//! global: 7
//! local: 7
//! buffer out float[2] = 9
//! local tile 28
//! expect out = 18 0
kernel void in_a_local_argument(global float *out, local float *tile)
{
    int i = get_local_id(0);
    tile[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float4 *rows = (local const float4 *)tile;
    if (i == 0)
        out[0] = rows[1].x + rows[1].y + rows[1].z;
    if (i == 1)
        out[1] = rows[1].w; // expect: out-of-bounds
}

//! test: in_private_memory
//! buffer out float[3] = 9
//! value n int = 1
//! expect out = 18 15 0
kernel void in_private_memory(global float *out, int n)
{
    float a[7] __attribute__((aligned(16)));
    for (int i = 0; i < 7; i++)
        a[i] = i + n;
    float3 v = vload4(n, a).xyz;
    out[0] = v.x + v.y + v.z;
    float4 w = ((const float4 *)a)[n];
    out[1] = w.x + w.y + n * 4;
    float4 u = ((const float4 *)a)[n]; // expect: out-of-bounds
    out[2] = u.y + u.w;
}

//! test: in_a_loop
//! buffer in float[11] = 1..11
//! buffer out float[2] = 9
//! value n int = 3
//! expect out = 54 35
kernel void in_a_loop(global const float4 *in, global float *out, int n)
{
    float3 sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i].xyz;
    out[0] = sum.x + sum.y + sum.z;
    float last = 0;
    for (int i = 0; i < n; i++)
        last += in[i].z + in[i].w; // expect: out-of-bounds
    out[1] = last + 2;
}

//! test: by_one_of_two
//! global: 2
//! buffer a float[3] = 1..3
//! buffer b float[7] = 1..7
//! buffer out float[4] = 9
//! expect out = 6 18 0 8
kernel void by_one_of_two(global const float4 *a, global const float4 *b, global float *out)
{
    int i = get_global_id(0);
    global const float4 *p = i ? b + 1 : a;
    float3 v = p->xyz;
    out[i] = v.x + v.y + v.z;
    p = i ? b : a;
    float2 w = p->xw; // expect: out-of-bounds
    out[2 + i] = w.x + w.y + (i ? 3 : 0);
}

//! test: in_a_kept_function
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[4] = 9
//! expect out = 6 18 4 0
__attribute__((noinline)) float sum_apart(global const float4 *p)
{
    return p->x + p->y + p->z;
}
__attribute__((noinline)) float last_apart(global const float4 *p)
{
    float4 v = *p; // expect: out-of-bounds
    return v.w;
}
kernel void in_a_kept_function(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = sum_apart(in + i);
    out[2 + i] = last_apart(in + i);
}

//! test: generic_pointer
//! options: -cl-std=CL2.0
//! require: __opencl_c_generic_address_space
//! global: 2
//! buffer in float[7] = 1..7
//! buffer out float[4] = 9
//! expect out = 6 18 4 0
kernel void generic_pointer(global const float4 *in, global float *out)
{
    int i = get_global_id(0);
    const float4 *p = in;
    float3 v = p[i].xyz;
    out[i] = v.x + v.y + v.z;
    out[2 + i] = p[i].w; // expect: out-of-bounds
}

// A packed vector may lie across the end of what holds it.
//! test: packed
//! buffer in char[14] = 1
//! buffer out int[2] = 9
//! expect out = 0x02020202 0
typedef struct __attribute__((packed)) { char before; int4 v; } across;
kernel void packed(global const across *in, global int *out)
{
    out[0] = in->v.x + in->v.z;
    out[1] = in->v.w; // expect: out-of-bounds
}
