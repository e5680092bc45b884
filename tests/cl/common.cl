// Common, geometric and relational functions. OpenCL C 3.0, 6.15.4 to 6.15.6.

//! test: mix_step
//! buffer out float4[4] = 0
//! value a float4 = 0 1 2 3
//! value b float4 = 10 11 12 13
//! expect out = 2.5 3.5 4.5 5.5  0 0 1 1  0 0.15625 0.5 0.84375  0 1 2 2.5 ulp 4
kernel void mix_step(global float4 *out, float4 a, float4 b)
{
    out[0] = mix(a, b, 0.25f);
    out[1] = step(1.5f, a);
    out[2] = smoothstep(0.0f, 4.0f, a);
    out[3] = clamp(a, 0.0f, 2.5f);
}

//! test: degrees_radians_sign
//! buffer out float[5] = 0
//! value x float = -180
//! expect out = -0x1.921fb6p+1 -180 -1 0 nan ulp 2
kernel void degrees_radians_sign(global float *out, float x)
{
    out[0] = radians(x);
    out[1] = degrees(radians(x));
    out[2] = sign(x);
    out[3] = sign(x - x);
    out[4] = x * NAN;
}

//! test: dot_cross
//! buffer out float[5] = 0
//! value a float4 = 1 2 3 4
//! value b float4 = 5 6 7 8
//! expect out = 70 -4 8 -4 0
kernel void dot_cross(global float *out, float4 a, float4 b)
{
    out[0] = dot(a, b);
    float4 c = cross(a, b);
    out[1] = c.x;
    out[2] = c.y;
    out[3] = cross(a.xyz, b.xyz).z;
    out[4] = c.w;
}

//! test: lengths
//! buffer out float[6] = 0
//! value v float2 = 3 4
//! expect out = 5 5 0x1.333334p-1 5 5 1 ulp 4
kernel void lengths(global float *out, float2 v)
{
    out[0] = length(v);
    out[1] = distance(v, (float2)(0.0f));
    out[2] = normalize(v).x;
    out[3] = fast_length(v);
    out[4] = length(-5.0f * v.x / 3.0f);
    out[5] = fast_distance(v, v + (float2)(1.0f, 0.0f));
}

//! test: classify_scalar
//! buffer out int[8] = 7
//! value x float = nan
//! value y float = inf
//! expect out = 1 1 0 1 0 1 1 0
kernel void classify_scalar(global int *out, float x, float y)
{
    out[0] = isnan(x);
    out[1] = isinf(y);
    out[2] = isfinite(y);
    out[3] = isnormal(1.0f);
    out[4] = isordered(x, y);
    out[5] = isunordered(x, y);
    out[6] = signbit(-y);
    out[7] = isequal(x, x);
}

//! test: classify_vector
//! buffer out int4[5] = 7
//! value x float4 = nan inf 1 -0.0
//! value y float4 = nan 2 2 0
//! expect out = -1 0 0 0  0 -1 0 0  0 0 0 -1  0 0 -1 0  -1 -1 -1 0
kernel void classify_vector(global int4 *out, float4 x, float4 y)
{
    out[0] = isnan(x);
    out[1] = isgreater(x, y);
    out[2] = isequal(x, y);
    out[3] = isless(x, y);
    out[4] = isnotequal(x, y);
}

//! test: islessgreater
//! buffer out int4[1] = 7
//! value x float4 = nan 1 2 3
//! value y float4 = 1 1 3 2
//! expect out = 0 0 -1 -1
kernel void islessgreater_test(global int4 *out, float4 x, float4 y)
{
    *out = islessgreater(x, y);
}
//! kernel: islessgreater_test

//! test: float_select
//! buffer out float4[2] = 0
//! value a float4 = 1 2 3 4
//! value m int4 = -1 0 1 -2147483648
//! expect out = -1 2 3 -4  -1 2 3 -4
kernel void float_select(global float4 *out, float4 a, int4 m)
{
    out[0] = select(a, -a, m);
    out[1] = bitselect(a, -a, as_float4(m & (int4)(0x80000000)));
}

//! test: scalar_select
//! buffer out int[3] = 0
//! value c int = 1
//! expect out = 20 10 20
kernel void scalar_select(global int *out, int c)
{
    out[0] = select(10, 20, c);
    out[1] = select(10, 20, c - 1);
    out[2] = select(10, 20, -c);
}

//! test: double_relational
//! require: fp64
//! buffer out long2[2] = 0
//! value a double2 = nan 1
//! expect out = -1 0 0 -1
kernel void double_relational(global long2 *out, double2 a)
{
    out[0] = isnan(a);
    out[1] = isequal(a, a);
}
