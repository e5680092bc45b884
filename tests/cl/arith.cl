// Integer and float arithmetic, scalar and vector. OpenCL C 3.0, 6.4 Operators.

//! test: add_int
//! global: 8
//! buffer out int[8] = 0
//! buffer a int[8] = 0..7
//! value b int = -3
//! expect out = -3..4
kernel void add_int(global int *out, global const int *a, int b)
{
    size_t i = get_global_id(0);
    out[i] = a[i] + b;
}

//! test: int_wraps
//! buffer out int[3] = 0
//! value big int = 2147483647
//! expect out = -2147483648 -2 1
kernel void int_wraps(global int *out, int big)
{
    out[0] = big + 1;
    out[1] = big * 2;
    out[2] = big * big;
}

//! test: division_signs
//! buffer out int[4] = 0
//! buffer a int[4] = 7 -7 7 -7
//! buffer b int[4] = 2 2 -2 -2
//! buffer rem int[4] = 0
//! global: 4
//! expect out = 3 -3 -3 3
//! expect rem = 1 -1 1 -1
kernel void division_signs(global int *out, global int *a, global int *b, global int *rem)
{
    int i = get_global_id(0);
    out[i] = a[i] / b[i];
    rem[i] = a[i] % b[i];
}

//! test: long_remainder
//! buffer out long[4] = 0
//! buffer a long[4] = 70000000001 -70000000001 70000000001 -70000000001
//! buffer b long[4] = 20000000000 20000000000 -20000000000 -20000000000
//! global: 4
//! expect out = 10000000001 -10000000001 10000000001 -10000000001
kernel void long_remainder(global long *out, global long *a, global long *b)
{
    int i = get_global_id(0);
    out[i] = a[i] % b[i];
}

//! test: shifts_masked
//  OpenCL C 3.0, 6.4.10: the shift count is taken modulo the width of the promoted type.
//! buffer out int[4] = 0
//! value s int = 33
//! value l long = 1
//! buffer outl long[2] = 0
//! expect out = 2 -1 2 0
//! expect outl = 2 8589934592
kernel void shifts_masked(global int *out, int s, long l, global long *outl)
{
    out[0] = 1 << s;
    out[1] = -1 >> s;
    out[2] = (int)((uint)5 >> s);
    out[3] = (int)((uint)1 >> s);
    outl[0] = l << (s + 32);
    outl[1] = l << s;
}

//! test: vector_scalar_mix
//! buffer out float4[2] = 0
//! buffer in float4[1] = 1 2 3 4
//! value s float = 0.5
//! expect out = 1.5 2.5 3.5 4.5 -0.5 -1 -1.5 -2
kernel void vector_scalar_mix(global float4 *out, global const float4 *in, float s)
{
    out[0] = *in + s;
    out[1] = -(*in) * s;
}

//! test: vector_compare
//! buffer out int4[3] = 0
//! value a float4 = 1 2 nan 4
//! value b float4 = 1 3 nan 3
//! expect out = -1 0 0 0  0 -1 0 0  0 -1 -1 -1
kernel void vector_compare(global int4 *out, float4 a, float4 b)
{
    out[0] = a == b;
    out[1] = a < b;
    out[2] = a != b;
}

//! test: vector_ternary
//! buffer out int4[1] = 0
//! value c int4 = -1 0 1 -2147483648
//! expect out = 10 20 20 10
kernel void vector_ternary(global int4 *out, int4 c)
{
    *out = c ? (int4)(10) : (int4)(20);
}

//! test: char_promotes
//! buffer out int[2] = 0
//! value a char = 127
//! value b uchar = 255
//! expect out = 128 256
kernel void char_promotes(global int *out, char a, uchar b)
{
    out[0] = a + 1;
    out[1] = b + 1;
}

//! test: char_vector_wraps
//! buffer out char4[1] = 0
//! value a char4 = 127 -128 100 1
//! expect out = -128 -127 101 2
kernel void char_vector_wraps(global char4 *out, char4 a)
{
    *out = a + (char4)(1);
}

//! test: double_add
//! require: fp64
//! buffer out double[1] = 0
//! value a double = 0.1
//! value b double = 0.2
//! expect out = 0x1.3333333333334p-2
kernel void double_add(global double *out, double a, double b)
{
    *out = a + b;
}

//! test: half_in_memory
//! buffer out float[3] = 0
//! buffer h half[3] = 1.5 -0.099976 65504
//! expect out = 1.5 -0.0999755859375 65504
kernel void half_in_memory(global float *out, global const half *h)
{
    for (int i = 0; i < 3; i++)
        out[i] = vload_half(i, h);
}

//! test: constant_zeros_float
//! buffer out uint[16] = 0
//! buffer x float[4] = inf -3 -0.0 0.0
//! expect out = 1 0x80000000 0 1 1 0x80000000 0xff800000 1 0x7f800000 0 0x80000000 0 1 0 1 0xff800000
#pragma OPENCL FP_CONTRACT OFF
kernel void constant_zeros_float(global uint *out, global const float *x)
{
    float zero = 0;
    float4 v = vload4(0, x);
    v = (float4)(v.x / zero, v.zwy) / (float4)(zero, 1, zero, zero) + (float4)(0, 0, zero, 0);
    float r[16] = { x[0] * zero, x[1] * zero, x[2] + zero, x[0] - x[0], zero / x[3], zero / x[1], x[1] / zero, x[0] * -zero,
        x[1] / -zero, zero - x[3], -zero + x[2], x[2] - -zero, zero / (x[0] - x[0]), zero / x[0], v.z, v.w };
    for (int i = 0; i < 16; i++)
        out[i] = isnan(r[i]) ? 1 : as_uint(r[i]);
}

//! test: constant_zeros_double
//! require: fp64
//! buffer out ulong[16] = 0
//! buffer x double[4] = inf -3 -0.0 0.0
//! expect out = 1 0x8000000000000000 0 1 1 0x8000000000000000 0xfff0000000000000 1 0x7ff0000000000000 0 0x8000000000000000 0 1 0 1 0xfff0000000000000
#pragma OPENCL FP_CONTRACT OFF
kernel void constant_zeros_double(global ulong *out, global const double *x)
{
    double zero = 0;
    double4 v = vload4(0, x);
    v = (double4)(v.x / zero, v.zwy) / (double4)(zero, 1, zero, zero) + (double4)(0, 0, zero, 0);
    double r[16] = { x[0] * zero, x[1] * zero, x[2] + zero, x[0] - x[0], zero / x[3], zero / x[1], x[1] / zero, x[0] * -zero,
        x[1] / -zero, zero - x[3], -zero + x[2], x[2] - -zero, zero / (x[0] - x[0]), zero / x[0], v.z, v.w };
    for (int i = 0; i < 16; i++)
        out[i] = isnan(r[i]) ? 1 : as_ulong(r[i]);
}

//! test: constant_zeros_half
//! require: cl_khr_fp16
//! buffer out ushort[16] = 0
//! buffer x half[4] = inf -3 -0.0 0.0
//! expect out = 1 0x8000 0 1 1 0x8000 0xfc00 1 0x7c00 0 0x8000 0 1 0 1 0xfc00
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void constant_zeros_half(global ushort *out, global const half *x)
{
    half zero = 0;
    half4 v = vload4(0, x);
    v = (half4)(v.x / zero, v.zwy) / (half4)(zero, 1, zero, zero) + (half4)(0, 0, zero, 0);
    half r[16] = { x[0] * zero, x[1] * zero, x[2] + zero, x[0] - x[0], zero / x[3], zero / x[1], x[1] / zero, x[0] * -zero,
        x[1] / -zero, zero - x[3], -zero + x[2], x[2] - -zero, zero / (x[0] - x[0]), zero / x[0], v.z, v.w };
    for (int i = 0; i < 16; i++)
        out[i] = isnan(r[i]) ? 1 : as_ushort(r[i]);
}

//! test: minus_one_or_zero
//! buffer out uint[8] = 0
//! value s int = 1234
//! expect out = 0 0xbf800000 0 0xbf800000 0 0xbf800000 0 0
kernel void minus_one_or_zero(global uint *out, int s)
{
    float4 v = convert_float4((int4)(s) == (int4)(0, 1234, 2, 1234));
    out[0] = as_uint(s == 0 ? -1.0f : 0.0f);
    out[1] = as_uint(s == 0 ? 0.0f : -1.0f);
    out[2] = as_uint((float)(s == 0 ? -1 : 0));
    out[3] = as_uint((float)(short)-(s != 0));
    vstore4(as_uint4(v), 1, out);
    out[6] = as_uint(s ? 0.0f : -1.0f);
    out[7] = as_uint(convert_float(-(s == 0)));
}

//! test: zeros_behind_calls
//! buffer out uint[8] = 0
//! buffer x float[4] = 3 -3 0 2
//! expect out = 0x7f800000 0xff800000 1 0x80000000 0x7f800000 0xff800000 1 0x80000000
__attribute__((noinline)) float zero_of(int a)
{
    return (float)(a & 8);
}
__attribute__((noinline)) float ratio(float a, float b)
{
    return a / b;
}
kernel void zeros_behind_calls(global uint *out, global const float *x)
{
    float zero = zero_of(7);
    float r[8] = { x[0] / zero, x[1] / zero, zero / x[2], zero / (x[1] * x[3]), ratio(x[0], 0), ratio(x[1], 0),
        ratio(0, x[2]), ratio(0, x[1] * x[3]) };
    for (int i = 0; i < 8; i++)
        out[i] = isnan(r[i]) ? 1 : as_uint(r[i]);
}

// Values that leave loops, which drivers may be told of by branches that nobody takes.
//! test: zeros_in_loops
//! buffer out uint[7] = 0
//! buffer x float[8] = -3 5 -7 4 0 2 0 0
//! expect out = 0x80000000 0 0xff800000 0x7f800000 0x80000000 0x80000000 0x80000000
__attribute__((noinline)) float quotient(float a, float b)
{
    return a / b;
}
kernel void zeros_in_loops(global uint *out, global const float *x)
{
    float p = 1, q = 1, r = 1, s = 1, t[3] = { 1, 1, 1 };
    for (int i = 0; x[i] != 0; i += 2) {
        p = quotient(0, x[i]);
        q = quotient(0, x[i + 1]);
        for (int k = i; x[k] != 0; k += 4) {
            r = quotient(x[k], 0);
            s = quotient(x[k + 1], 0);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; x[k + 2] != 0; k++) {
            if (x[k + i] > 1 || x[k + i] < -1)
                t[i] = quotient(0, x[k + i]);
            if (x[k + i] < x[5])
                break;
        }
    }
    float u[7] = { p, q, r, s, t[0], t[1], t[2] };
    for (int i = 0; i < 7; i++)
        out[i] = as_uint(u[i]);
}

//! test: zeros_behind_branches
//! buffer out uint[8] = 0
//! value x float = -2
//! value four int = 4
//! expect out = 0 0xbf800000 0 0 0 0 0 0x80000000
kernel void zeros_behind_branches(global uint *out, float x, int four)
{
    float r = 0;
    if (x > 0)
        r = -1;
    out[0] = as_uint(r);
    float s = -1;
    if (x > 0)
        s = 0;
    out[1] = as_uint(s);
    float t;
    if (x > 0)
        t = -1;
    else if (four > 3)
        t = 0;
    else
        t = -1;
    out[2] = as_uint(t);
    float2 v = 0;
    if (x > 0)
        v.x = -1;
    out[3] = as_uint(v.x);
    out[4] = as_uint(v.y);
    float u = 0;
    switch (four) {
    case 3:
    case 5:
        u = -1;
    }
    out[5] = as_uint(u);
    out[7] = as_uint(x < 0 ? -0.0f : -1.0f);
}

//! test: zeros_unoptimised
//! options: -cl-opt-disable
//! buffer out uint[16] = 0
//! buffer x float[4] = 1 -1 0.0 -0.0
//! expect out = 0x7f800000 0xff800000 1 0xff800000 1 0 0x80000000 0 0 0 0 0x80000000 0 0xbf800000 1 0
kernel void zeros_unoptimised(global uint *out, global const float *x)
{
    float zero = 0, minus_zero = -0.0f, one = x[0], in_array[2] = { 0, 1 };
    float2 pair = 0;
    if (one < 0)
        pair.x = -1;
    float r[16] = { x[0] / zero, x[1] / zero, x[2] / zero, x[0] / minus_zero, zero / x[2], zero / x[0], zero / x[1],
        x[3] + zero, zero + x[3], x[3] - minus_zero, zero - x[2], minus_zero - x[2], one < 0 ? -1 : zero,
        one > 0 ? -1 : zero, x[3] / in_array[0], pair.x };
    for (int i = 0; i < 16; i++)
        out[i] = isnan(r[i]) ? 1 : as_uint(r[i]);
}

//! test: one_or_minus_zero
//! buffer out uint[9] = 0
//! value x float = 2
//! value number int = 4
//! expect out = 0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0 0x80000000
kernel void one_or_minus_zero(global uint *out, float x, int number)
{
    out[0] = as_uint(x > 1 ? 0.0f : -0.0f);
    out[1] = as_uint(x > 1 ? -0.0f : 0.0f);
    out[2] = as_uint(x < 1 ? 1.0f : -0.0f);
    out[3] = as_uint(x < 1 ? -1.0f : -0.0f);
    out[4] = as_uint(x > 1 ? -0.0f : 1.0f);
    float r = -0.0f;
    if (x < 1)
        r = 1;
    out[5] = as_uint(r);
    float2 v = (float2)(-0.0f, 0);
    if (x < 1)
        v = (float2)(1, -1);
    out[6] = as_uint(v.x);
    out[7] = as_uint(v.y);
    char bytes[2][1] = {{(char)number}, {0}};
    float minus = -convert_float_rtn(bytes[1][0]);
    out[8] = as_uint(isnan(minus) ? 1.0f : fabs(minus) < 0 ? 0.0f : minus);
}

//! test: one_or_minus_zero_unoptimised
//! options: -cl-opt-disable
//! buffer out uint[9] = 0
//! value x float = 2
//! value number int = 4
//! expect out = 0 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0x80000000 0 0x80000000
kernel void one_or_minus_zero_unoptimised(global uint *out, float x, int number)
{
    out[0] = as_uint(x > 1 ? 0.0f : -0.0f);
    out[1] = as_uint(x > 1 ? -0.0f : 0.0f);
    out[2] = as_uint(x < 1 ? 1.0f : -0.0f);
    out[3] = as_uint(x < 1 ? -1.0f : -0.0f);
    out[4] = as_uint(x > 1 ? -0.0f : 1.0f);
    float r = -0.0f;
    if (x < 1)
        r = 1;
    out[5] = as_uint(r);
    float2 v = (float2)(-0.0f, 0);
    if (x < 1)
        v = (float2)(1, -1);
    out[6] = as_uint(v.x);
    out[7] = as_uint(v.y);
    char bytes[2][1] = {{(char)number}, {0}};
    float minus = -convert_float_rtn(bytes[1][0]);
    out[8] = as_uint(isnan(minus) ? 1.0f : fabs(minus) < 0 ? 0.0f : minus);
}

// The bits of 1.0 and -0.0, or of -1.0 and 0.0, as integers.
//! test: integer_choices
//! require: __opencl_c_int64
//! buffer out uint[12] = 7
//! buffer big ulong[4] = 7
//! buffer half_bits ushort[2] = 7
//! value s int = 1234
//! expect out = 0 0xbf800000 0x80000000 0x3f800000 0 0xbf800000 0 0xbf800000 0x80000000 0x3f800000 0x80000000 0x3f800000
//! expect big = 0 0xbff0000000000000 0x8000000000000000 0x3ff0000000000000
//! expect half_bits = 0 0xbc00
kernel void integer_choices(global uint *out, global ulong *big, global ushort *half_bits, int s)
{
    out[0] = s == 0 ? 0xbf800000u : 0u;
    out[1] = s == 0 ? 0u : 0xbf800000u;
    out[2] = s == 0 ? 0x3f800000u : 0x80000000u;
    out[3] = s == 0 ? 0x80000000u : 0x3f800000u;
    vstore4(select((uint4)(0), (uint4)(0xbf800000u), (int4)(s) == (int4)(0, 1234, 2, 1234)), 1, out);
    vstore4(select((uint4)(0x80000000u), (uint4)(0x3f800000u), (int4)(s) == (int4)(0, 1234, 2, 1234)), 2, out);
    big[0] = s == 0 ? 0xbff0000000000000ul : 0ul;
    big[1] = s == 0 ? 0ul : 0xbff0000000000000ul;
    big[2] = s == 0 ? 0x3ff0000000000000ul : 0x8000000000000000ul;
    big[3] = s == 0 ? 0x8000000000000000ul : 0x3ff0000000000000ul;
    half_bits[0] = s == 0 ? 0xbc00 : 0;
    half_bits[1] = s == 0 ? 0 : 0xbc00;
}

// The same by branches.
//! test: integer_branches
//! require: __opencl_c_int64
//! buffer out uint[6] = 7
//! buffer big ulong[2] = 7
//! buffer half_bits ushort[2] = 7
//! value s int = 1234
//! expect out = 0 0xbf800000 0x80000000 0x3f800000 0 0xbf800000
//! expect big = 0 0x8000000000000000
//! expect half_bits = 0 0x3c00
kernel void integer_branches(global uint *out, global ulong *big, global ushort *half_bits, int s)
{
    uint a, b;
    uint2 both;
    ulong c;
    ushort d;
    if (s == 0)
        a = 0xbf800000;
    else
        a = 0;
    if (s == 0)
        b = 0;
    else
        b = 0xbf800000;
    out[0] = a, out[1] = b;
    if (s == 0)
        a = 0x3f800000;
    else
        a = 0x80000000;
    if (s == 0)
        b = 0x80000000;
    else
        b = 0x3f800000;
    out[2] = a, out[3] = b;
    if (s == 0)
        both = (uint2)(0xbf800000, 0);
    else
        both = (uint2)(0, 0xbf800000);
    vstore2(both, 2, out);
    if (s == 0)
        c = 0xbff0000000000000;
    else
        c = 0;
    big[0] = c;
    if (s == 0)
        c = 0x3ff0000000000000;
    else
        c = 0x8000000000000000;
    big[1] = c;
    if (s == 0)
        d = 0xbc00;
    else
        d = 0;
    half_bits[0] = d;
    if (s == 0)
        d = 0x8000;
    else
        d = 0x3c00;
    half_bits[1] = d;
}
