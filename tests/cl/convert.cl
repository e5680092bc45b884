// Conversions and reinterpretation. OpenCL C 3.0, 6.3.

//! test: float_to_int_modes
//! buffer out int4[5] = 0
//! value a float4 = 1.5 -1.5 2.5 -2.7
//! expect out = 1 -1 2 -2  2 -2 2 -3  2 -1 3 -2  1 -2 2 -3  1 -1 2 -2
kernel void float_to_int_modes(global int4 *out, float4 a)
{
    out[0] = convert_int4(a);
    out[1] = convert_int4_rte(a);
    out[2] = convert_int4_rtp(a);
    out[3] = convert_int4_rtn(a);
    out[4] = convert_int4_rtz(a);
}

// What is known when the kernel is built is rounded as it is when the kernel runs.
//! test: constant_float_to_int_modes
//! buffer out int[15] = 0
//! expect out = 2 2 2 -2 2 -1 1 1  1 2 -1 -2  2 -2 2
kernel void constant_float_to_int_modes(global int *out)
{
    float a = 1.7f;
    out[0] = convert_int_rte(1.7f);
    out[1] = convert_int_rte(a);
    out[2] = convert_uint_rte(1.7f);
    out[3] = convert_int_rte(-a);
    out[4] = convert_int_rtp(a);
    out[5] = convert_int_rtp(-a);
    out[6] = convert_int_rtz(a);
    out[7] = convert_int(a);
    vstore4(convert_int4_rte((float4)(1.2f, 1.7f, -1.4f, -1.6f)), 0, out + 8);
    vstore2(convert_int2_sat_rte((float2)(1.7f, -1.7f)), 0, out + 12);
    out[14] = convert_char_rte(a);
}

//! test: constant_double_to_int_modes
//! require: fp64
//! buffer out int[6] = 0
//! expect out = 2 2  2 2 2 -2
kernel void constant_double_to_int_modes(global int *out)
{
    double a = 2.5;
    out[0] = convert_int_rte(1.7);
    out[1] = convert_int_rte(a);
    vstore4(convert_int4_rte((double4)(1.5, 2.5, 1.7, -2.2)), 0, out + 2);
}

//! test: constant_half_to_int_modes
//! require: fp16
//! buffer out int[4] = 0
//! expect out = 2 2 2 -2
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void constant_half_to_int_modes(global int *out)
{
    half a = 1.5h;
    out[0] = convert_int_rte(1.7h);
    out[1] = convert_int_rte(a);
    vstore2(convert_int2_rte((half2)(a, -a)), 0, out + 2);
}

//! test: float_to_char_sat
//! buffer out char4[1] = 0
//! buffer outu uchar4[1] = 1
//! value a float4 = 1000 -1000 nan 5.9
//! expect out = 127 -128 0 5
//! expect outu = 255 0 0 5
kernel void float_to_char_sat(global char4 *out, global uchar4 *outu, float4 a)
{
    *out = convert_char4_sat(a);
    *outu = convert_uchar4_sat(a);
}

//! test: float_to_long_sat
//! buffer out long[3] = 0
//! buffer a float[3] = 1e30 -1e30 nan
//! buffer outu ulong[3] = 7
//! global: 3
//! expect out = 9223372036854775807 -9223372036854775808 0
//! expect outu = 18446744073709551615 0 0
kernel void float_to_long_sat(global long *out, global float *a, global ulong *outu)
{
    int i = get_global_id(0);
    out[i] = convert_long_sat(a[i]);
    outu[i] = convert_ulong_sat(a[i]);
}

//! test: int_to_char
//! buffer out char4[2] = 0
//! value a int4 = 300 -300 127 -1
//! expect out = 44 -44 127 -1  127 -128 127 -1
kernel void int_to_char(global char4 *out, int4 a)
{
    out[0] = convert_char4(a);
    out[1] = convert_char4_sat(a);
}

//! test: signed_to_unsigned_sat
//! buffer out uint[3] = 9
//! buffer a long[3] = -5 5000000000 7
//! global: 3
//! expect out = 0 4294967295 7
kernel void signed_to_unsigned_sat(global uint *out, global long *a)
{
    out[get_global_id(0)] = convert_uint_sat(a[get_global_id(0)]);
}

//! test: int_to_float_modes
//! buffer out float[4] = 0
//! value a int = 16777217
//! expect out = 16777216 16777218 16777216 16777216
kernel void int_to_float_modes(global float *out, int a)
{
    out[0] = convert_float_rte(a);
    out[1] = convert_float_rtp(a);
    out[2] = convert_float_rtz(a);
    out[3] = convert_float_rtn(a);
}

//! test: ulong_to_float
//! buffer out float[2] = 0
//! buffer a ulong[2] = 18446744073709551615 9223372586610589697
//! global: 2
//! expect out = 18446744073709551616 9223373136366403584
kernel void ulong_to_float(global float *out, global ulong *a)
{
    out[get_global_id(0)] = convert_float(a[get_global_id(0)]);
}

//! test: double_to_float_modes
//! require: fp64
//! buffer out float[4] = 0
//! value a double = 0.1
//! expect out = 0x1.99999ap-4 0x1.999998p-4 0x1.99999ap-4 0x1.999998p-4
kernel void double_to_float_modes(global float *out, double a)
{
    out[0] = convert_float_rte(a);
    out[1] = convert_float_rtz(a);
    out[2] = convert_float_rtp(a);
    out[3] = convert_float_rtn(a);
}

//! test: store_half_modes
//! buffer out half[5] = 0
//! value a float = 1.00048828125
//! expect out = 1 1 1 1.0009765625 1
kernel void store_half_modes(global half *out, float a)
{
    vstore_half(a, 0, out);
    vstore_half_rte(a, 1, out);
    vstore_half_rtz(a, 2, out);
    vstore_half_rtp(a, 3, out);
    vstore_half_rtn(a, 4, out);
}

//! test: half_vectors
//! buffer out half[16] = 0
//! buffer in half[16] = 0..15
//! expect out = 2 4 6 8 0 2 4 _ 16 18 20 22 24 26 28 30
kernel void half_vectors(global half *out, global const half *in)
{
    vstore_half4(2.0f * vload_half4(0, in + 1), 0, out);
    vstorea_half3(2.0f * vloada_half3(0, in), 1, out);
    vstore_half8(2.0f * vload_half8(1, in), 1, out);
}

//! test: half_extremes
//! buffer out half[5] = 0
//! buffer in float[5] = 65519 65520 1e-8 5.9604645e-8 -inf
//! expect out = 65504 inf 0 5.9604645e-8 -inf
kernel void half_extremes(global half *out, global const float *in)
{
    for (int i = 0; i < 5; i++)
        vstore_half(in[i], i, out);
}

//! test: as_type
//! buffer out uint[4] = 0
//! value f float = -2
//! expect out = 0xc0000000 0x0403 0x04030201 0x40000000
kernel void as_type(global uint *out, float f)
{
    uchar4 b = (uchar4)(1, 2, 3, 4);
    out[0] = as_uint(f);
    out[1] = as_ushort(b.zw);
    out[2] = as_uint(b);
    out[3] = as_uint(as_float2((uint2)(0, 0x40000000)).y);
}

//! test: as_type_three
//! buffer out int4[1] = 0
//! value v float4 = 1 2 3 4
//! expect out = 0x3f800000 0x40000000 0x40400000 7
kernel void as_type_three(global int4 *out, float4 v)
{
    int3 three = as_int3(v);
    *out = (int4)(three, 7);
}

//! test: implicit_conversions
//! buffer out float[4] = 0
//! value i int = -3
//! value u uchar = 200
//! expect out = -3 200 1 -1.5
kernel void implicit_conversions(global float *out, int i, uchar u)
{
    out[0] = i;
    out[1] = u;
    bool b = i;
    out[2] = b;
    out[3] = i / 2.0f;
}

//! test: bool_conversion
//! buffer out int[5] = 0
//! value f float = 0.25
//! expect out = 1 0 1 1 0
kernel void bool_conversion(global int *out, float f)
{
    out[0] = (bool)f;
    out[1] = (bool)(f - f);
    out[2] = (bool)out;
    out[3] = (bool)256;
    out[4] = !(bool)-1;
}

//! test: double_conversions
//! require: fp64
//! buffer out double4[1] = 0
//! buffer outl long[1] = 0
//! value a int4 = 1 -2 3 2147483647
//! expect out = 1 -2 3 2147483647
//! expect outl = 4503599627370497
kernel void double_conversions(global double4 *out, global long *outl, int4 a)
{
    *out = convert_double4(a);
    *outl = convert_long(4503599627370497.0 + (a.x - 1));
}

// Drivers may not see through a conversion there and back: the float in between is rounded.
//! test: long_through_float
//! global: 4
//! buffer out long[4] = 0
//! buffer outu ulong[4] = 0
//! buffer in long[4] = 1152921504606846977 1152921504606846975 987654321987654321 123456789123456789
//! expect out = 1152921504606846976 1152921504606846976 987654324152696832 123456790519087104
//! expect outu = 1152921504606846976 1152921504606846976 987654324152696832 123456790519087104
kernel void long_through_float(global long *out, global ulong *outu, global const long *in)
{
    size_t i = get_global_id(0);
    float signed_float = (float)in[i], unsigned_float = (float)(ulong)in[i];
    out[i] = (long)signed_float;
    outu[i] = (ulong)unsigned_float;
}

//! test: large_uint_to_float
//  Below, at and above the middle of two floats. 0x4f7fffff is the largest float below 2^32.
//! buffer in uint[8] = 0xffffff7f 0xffffff80 0x80000080 0x80000081 0x80000180 0x8000017f 0x7fffffff 0x1000001
//! buffer out uint[8] = 0
//! buffer both uint2[4] = 0
//! global: 8
//! expect out = 0x4f7fffff 0x4f800000 0x4f000000 0x4f000001 0x4f000002 0x4f000001 0x4f000000 0x4b800000
//! expect both = 0x4f7fffff 0x4f800000 0x4f000000 0x4f000001 0x4f000002 0x4f000001 0x4f000000 0x4b800000
kernel void large_uint_to_float(global const uint *in, global uint *out, global uint2 *both)
{
    size_t i = get_global_id(0);
    out[i] = as_uint((float)in[i]);
    both[i / 2] = as_uint2(convert_float2(vload2(i / 2, in)));
}
