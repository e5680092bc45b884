// Operations whose results are left open.

// Of a vector the components that are used.
//! test: divided_by_components
//! global: 2
//! buffer in int[8] = 1 2 3 0 5 0 7 0
//! buffer out int[2] = 9
//! expect out = _
kernel void divided_by_components(global const int4 *in, global int *out)
{
    int4 a = 100 / in[0];
    int4 b = 100 / in[1]; // expect: division-by-zero
    out[0] = a.x + a.y + a.z;
    out[1] = b.x + b.y + b.z;
}

//! test: divided
//! global: 4
//! buffer in int[4] = 2 1 0 4
//! buffer out int[4] = 9
//! expect out = 4 8 _ 2
kernel void divided(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = 8 / in[i]; // expect: division-by-zero
}

//! test: remainder_of
//! global: 4
//! buffer in uint[4] = 2 1 0 4
//! buffer out uint[4] = 9
//! expect out = 0 0 _ 0
kernel void remainder_of(global const uint *in, global uint *out)
{
    int i = get_global_id(0);
    out[i] = 8 % in[i]; // expect: division-by-zero
}

//! test: least_by_minus_one
//! global: 2
//! buffer in int[2] = -1 -2
//! buffer out int[2] = 9
//! expect out = _ 0x40000000
kernel void least_by_minus_one(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = INT_MIN / in[i]; // expect: division-by-zero
}

//! test: long_division
//! buffer in long[1] = 0
//! buffer out long[1] = 9
//! expect out = _
kernel void long_division(global const long *in, global long *out)
{
    *out = 100 / *in; // expect: division-by-zero
}

//! test: vector_division
//! buffer in int4[1] = 1 2 0 4
//! buffer out int4[1] = 9
//! expect out = 8 4 _ 2
kernel void vector_division(global const int4 *in, global int4 *out)
{
    *out = 8 / *in; // expect: division-by-zero
}

//! test: compound_division
//! buffer in char[1] = 0
//! buffer out char[1] = 9
//! expect out = _
kernel void compound_division(global const char *in, global char *out)
{
    *out /= *in; // expect: division-by-zero
}

//! test: divisions_that_are_right
//! global: 4
//! buffer in int[4] = 2 1 0 4
//! buffer out int[4] = 9
//! expect out = 4 8 0 2
kernel void divisions_that_are_right(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] ? 8 / in[i] : 0;
    out[i] += in[i] / 7;
}

//! test: shifts_are_masked
//! global: 4
//! buffer in int[4] = 31 32 33 64
//! buffer out int[4] = 9
//! expect out = 0x80000000 1 2 1
kernel void shifts_are_masked(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = 1 << in[i];
}

//! test: to_int
//! global: 4
//! buffer in float[4] = 1.5 -2.5 3e9 2147483520
//! buffer out int[4] = 9
//! expect out = 1 -2 _ 2147483520
kernel void to_int(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (int)in[i]; // expect: float-to-int
}

//! test: nan_to_int
//! buffer in float[1] = nan
//! buffer out int[1] = 9
//! expect out = _
kernel void nan_to_int(global const float *in, global int *out)
{
    *out = *in; // expect: float-to-int
}

//! test: to_unsigned
//! global: 2
//! buffer in float[2] = -0.5 -1
//! buffer out uint[2] = 9
//! expect out = 0 _
kernel void to_unsigned(global const float *in, global uint *out)
{
    int i = get_global_id(0);
    out[i] = (uint)in[i]; // expect: float-to-int
}

//! test: to_char
//! global: 3
//! buffer in float[3] = 127.5 -128.5 128
//! buffer out char[3] = 9
//! expect out = 127 -128 _
kernel void to_char(global const float *in, global char *out)
{
    int i = get_global_id(0);
    out[i] = (char)in[i]; // expect: float-to-int
}

//! test: double_to_int
//! require: fp64
//! global: 2
//! buffer in double[2] = 2147483647.5 2147483648
//! buffer out int[2] = 9
//! expect out = 2147483647 _
kernel void double_to_int(global const double *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (int)in[i]; // expect: float-to-int
}

//! test: vector_to_int
//! buffer in float4[1] = 1 2 1e20 4
//! buffer out int4[1] = 9
//! expect out = 1 2 _ 4
kernel void vector_to_int(global const float4 *in, global int4 *out)
{
    *out = convert_int4(*in); // expect: float-to-int
}

//! test: saturated_is_right
//! global: 4
//! buffer in float[4] = 1.5 -2.5 3e9 nan
//! buffer out int[4] = 9
//! expect out = 1 -2 2147483647 0
kernel void saturated_is_right(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = convert_int_sat(in[i]);
}

//! test: misaligned_read
//! buffer in char[16] = 1
//! buffer out int[1] = 9
//! expect out = 0x01010101
kernel void misaligned_read(global const char *in, global int *out)
{
    *out = *(global const int *)(in + 2); // expect: misaligned
}

//! test: misaligned_vector
//! buffer in int[16] = 1
//! buffer out int4[1] = 9
//! expect out = 1
kernel void misaligned_vector(global const int *in, global int4 *out)
{
    *out = *(global const int4 *)(in + 1); // expect: misaligned
}

//! test: misaligned_write
//! buffer out int[8] = 0
//! expect out = _
kernel void misaligned_write(global int *out)
{
    *(global float4 *)(out + 2) = 1; // expect: misaligned
}

//! test: vload_is_right
//! buffer in int[16] = 1
//! buffer out int4[1] = 9
//! expect out = 1
kernel void vload_is_right(global const int *in, global int4 *out)
{
    *out = vload4(0, in + 1);
}

//! test: not_evaluated_is_right
//! global: 2
//! buffer in float[2] = 1e20 3
//! buffer out int[2] = 9
//! expect out = -1 3
kernel void not_evaluated_is_right(global const float *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] > 1e9f ? -1 : (int)in[i];
}
