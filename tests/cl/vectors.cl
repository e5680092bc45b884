// Vector types, literals, components. OpenCL C 3.0, 6.2.2, 6.2.5, 6.4.

//! test: literal_forms
//! buffer out int4[4] = 0
//! expect out = 1 2 3 4  7 7 7 7  1 2 3 4  9 1 2 3
kernel void literal_forms(global int4 *out)
{
    int2 a = (int2)(1, 2);
    out[0] = (int4)(1, 2, 3, 4);
    out[1] = (int4)(7);
    out[2] = (int4)(a, 3, 4);
    out[3] = (int4)(9, a, 3);
}

//! test: components
//! buffer out int4[4] = 0
//! value v int4 = 10 20 30 40
//! expect out = 40 30 20 10  10 10 20 20  30 40 10 20  20 40 10 30
kernel void components(global int4 *out, int4 v)
{
    out[0] = v.wzyx;
    out[1] = v.s0011;
    out[2] = (int4)(v.hi, v.lo);
    out[3] = (int4)(v.odd, v.even);
}

//! test: component_stores
//! buffer out int4[3] = 1 2 3 4
//! expect out = 1 9 8 4  7 2 6 4  1 2 5 5
kernel void component_stores(global int4 *out)
{
    out[0].yz = (int2)(9, 8);
    out[1].even = (int2)(7, 6);
    out[2].hi = 5;
}

//! test: swizzle_of_swizzle
//! buffer out int2[2] = 0
//! value v int8 = 0 1 2 3 4 5 6 7
//! expect out = 6 4  3 1
kernel void swizzle_of_swizzle(global int2 *out, int8 v)
{
    out[0] = v.hi.zx;
    out[1] = v.odd.lo.yx;
}

//! test: wide_components
//! buffer out int4[2] = 0
//! value v int16 = 0..15
//! expect out = 10 11 12 13  15 0 14 1
kernel void wide_components(global int4 *out, int16 v)
{
    out[0] = v.sabcd;
    out[1] = v.sF0E1;
}

//! test: rgba
//! require: >=3.0
//! options: -cl-std=CL3.0
//! buffer out float4[1] = 0
//! value v float4 = 1 2 3 4
//! expect out = 3 2 1 4
kernel void rgba(global float4 *out, float4 v)
{
    *out = v.bgra;
}

//! test: vector_index
//! buffer out int[4] = 0
//! value v int4 = 5 6 7 8
//! global: 4
//! expect out = 5 6 7 8
kernel void vector_index(global int *out, int4 v)
{
    out[get_global_id(0)] = ((int *)&v)[get_global_id(0)];
}

//! test: three_vector_memory
//! buffer out float4[2] = -1
//! buffer in float4[2] = 1 2 3 4 5 6 7 8
//! expect out = 2 4 6 _  10 12 14 _
kernel void three_vector_memory(global float3 *out, global const float3 *in)
{
    out[0] = in[0] * 2.0f;
    out[1] = in[1] * 2.0f;
}

//! test: vload_vstore3
//! buffer out float[6] = -1
//! buffer in float[7] = 0 1 2 3 4 5 6
//! expect out = 4 5 6 1 2 3
kernel void vload_vstore3(global float *out, global const float *in)
{
    vstore3(vload3(1, in + 1), 0, out);
    vstore3(vload3(0, in + 1), 1, out);
}

//! test: vload_all_widths
//! buffer out int[31] = 0
//! buffer in int[40] = 0..39
//! expect out = 2 3 3..5 4..7 8..15 16..29
kernel void vload_all_widths(global int *out, global const int *in)
{
    vstore2(vload2(1, in), 0, out);
    vstore3(vload3(1, in), 0, out + 2);
    vstore4(vload4(1, in), 0, out + 5);
    vstore8(vload8(1, in), 0, out + 9);
    int16 v = vload16(1, in);
    vstore8(v.lo, 0, out + 17);
    vstore4(v.hi.lo, 0, out + 25);
    vstore2(v.sCD, 0, out + 29);
}

//! test: vload_unaligned_char
//! buffer out uchar[8] = 0
//! buffer in uchar[16] = 0..15
//! expect out = 5..8 3..6
kernel void vload_unaligned_char(global uchar *out, global const uchar *in)
{
    vstore4(vload4(1, in + 1), 0, out);
    vstore4(vload4(0, in + 3), 1, out);
}

//! test: float16_arithmetic
//! buffer out float16[1] = 0
//! buffer in float16[1] = 0..15
//! expect out = 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31
kernel void float16_arithmetic(global float16 *out, global const float16 *in)
{
    *out = *in * 2.0f + (float16)(1.0f);
}

//! test: shuffle
//! buffer out int4[2] = 0
//! value v int4 = 10 20 30 40
//! value m uint4 = 3 3 0 1
//! value m2 uint4 = 7 0 4 3
//! expect out = 40 40 10 20  400 10 100 40
kernel void shuffle_test(global int4 *out, int4 v, uint4 m, uint4 m2)
{
    out[0] = shuffle(v, m);
    out[1] = shuffle2(v, v * 10, m2);
}
//! kernel: shuffle_test

//! test: vec_step
//! buffer out int[5] = 0
//! expect out = 1 2 4 4 16
kernel void vec_step_test(global int *out)
{
    float3 f;
    out[0] = vec_step(int);
    out[1] = vec_step(short2);
    out[2] = vec_step(f);
    out[3] = vec_step(uchar4);
    out[4] = vec_step(char16);
}
//! kernel: vec_step_test

//! test: sizes
//! buffer out int[8] = 0
//! expect out = 1 2 4 8 16 16 8 8
kernel void sizes(global int *out)
{
    out[0] = sizeof(char);
    out[1] = sizeof(half);
    out[2] = sizeof(char3);
    out[3] = sizeof(long);
    out[4] = sizeof(int3);
    out[5] = sizeof(float4);
    out[6] = sizeof(size_t);
    out[7] = sizeof(global int *);
}

//! test: increment_vector
//! buffer out int4[2] = 0
//! value v int4 = 1 2 3 4
//! expect out = 1 2 3 4  2 3 4 5
kernel void increment_vector(global int4 *out, int4 v)
{
    out[0] = v++;
    out[1] = v;
}

//! test: compound_assignment
//! buffer out short8[1] = 0..7
//! expect out = 0 6 12 18 24 30 36 42
kernel void compound_assignment(global short8 *out)
{
    *out *= (short8)(3);
    *out <<= (short8)(1);
}

//! test: logical_vector
//! buffer out int4[3] = 0
//! value a int4 = 0 1 2 0
//! value b int4 = 0 0 5 -1
//! expect out = 0 0 -1 0  0 -1 -1 -1  -1 0 0 -1
kernel void logical_vector(global int4 *out, int4 a, int4 b)
{
    out[0] = a && b;
    out[1] = a || b;
    out[2] = !a;
}

//! test: any_all
//! buffer out int[4] = 0
//! value a int4 = -1 0 -1 -1
//! expect out = 1 0 1 1
kernel void any_all(global int *out, int4 a)
{
    out[0] = any(a);
    out[1] = all(a);
    out[2] = all(a.xzww);
    out[3] = any((short2)(-1, 0));
}

//! test: small_scalars_by_vectors
//! buffer out char[4] = 0
//! value a char = 5
//! value b char = -7
//! expect out = 5 -7 -7 5
kernel void small_scalars_by_vectors(global char *out, char a, char b)
{
    char4 mask = (char4)(-1, 0, 1, -128);
    vstore4(mask ? a : b, 0, out);
}

//! test: shuffled_by_a_mask
//! buffer out float4[1] = 0
//! buffer three int[3] = 0
//! value v float4 = 1 2 3 4
//! value mask int4 = 3 -1 4 9
//! expect out = 4 4 1 2
//! expect three = 30 10 20
kernel void shuffled_by_a_mask(global float4 *out, global int *three, float4 v, int4 mask)
{
    *out = __builtin_shufflevector(v, mask);
    vstore3(__builtin_shufflevector((int3)(10, 20, 30), (char3)(2, 0, 1)), 0, three);
}

//! test: one_of_four_longs
//! buffer out ulong[4] = 0
//! buffer in ulong16[2] = 1..32
//! value n int = 2
//! global: 2
//! expect out = 13 29 16 48
kernel void one_of_four_longs(global ulong *out, global const ulong16 *in, int n)
{
    global const ulong4 *fours = (global const ulong4 *)in;
    size_t g = get_global_id(0);
    ulong sum = 0;
    for (int i = 0; i < n; i++)
        sum += fours[4 * g + 2 * i].s3;
    out[2 + g] = sum;
    out[g] = in[g].sc;
}
