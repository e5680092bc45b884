// Build options that relax floats or make them stricter: vectors, signs, and what must stay exact. OpenCL 3.0 API, 5.8.6.3 and 5.8.6.4;
// OpenCL C 3.0, 7.4.

//! test: powers of vectors
//! options: -cl-fast-relaxed-math
//! kernel: run
//! buffer out float[32] = -7
//! buffer in float[16] = 1 2 3 4 -1 -2 -3 -4 0.5 -0.5 8 -8 10 -10 1.5 -1.5
//! expect out = 1 8 27 64 -1 -8 -27 -64 0.125 -0.125 512 -512 1000 -1000 3.375 -3.375 1 4 9 16 1 4 9 16 0.25 0.25 64 64 100 100 2.25 2.25 ulp 64
kernel void run(global float16 *out, global const float16 *in)
{
    out[0] = pow(in[0], (float16)(3.0f));
    out[1] = pown(in[0], (int16)(2));
}

//! test: sincos of three lanes
//! options: -cl-fast-relaxed-math
//! kernel: run
//! buffer out float3[2] = -7
//! buffer in float3[1] = 0 1 -2 0
//! expect out = 0 0.841471 -0.909297 _ 1 0.540302 -0.416147 _ abs 0.00049
kernel void run(global float3 *out, global const float3 *in)
{
    float3 cosine;
    float3 sine = sincos(in[0], &cosine);
    out[0] = sine;
    out[1] = cosine;
}

//! test: roots of odd degree
//! options: -cl-std=CL2.0 -cl-unsafe-math-optimizations
//! kernel: run
//! buffer out float[8] = -7
//! buffer in float[8] = 8 -8 27 -27 1 -1 1000 -1000
//! expect out = 2 -2 3 -3 1 -1 10 -10 ulp 64
kernel void run(global float8 *out, global const float8 *in)
{
    out[0] = rootn(in[0], (int8)(3));
}

//! test: doubles are not relaxed
//! options: -cl-fast-relaxed-math
//! require: fp64
//! kernel: run
//! buffer out double[4] = -7
//! buffer in double[4] = 1 3 -10 100
//! expect out = 0x1.5555555555555p-2 1 -0x1.aaaaaaaaaaaabp+1 0x1.0aaaaaaaaaaabp+5 ulp 1
kernel void run(global double4 *out, global const double4 *in)
{
    out[0] = in[0] / 3.0;
}

//! test: fma stays fused
//! options: -cl-fast-relaxed-math
//! kernel: run
//! buffer out float[2] = -7
//! buffer in float[2] = 0x1.000002p+0 0x1.fffffep-1
//! expect out = 0x1p-46 -0x1.fffffep-25
kernel void run(global float *out, global const float *in)
{
    out[0] = fma(in[0], in[0], -0x1.000004p+0f);
    out[1] = fma(in[1], in[1], -in[1]);
}

//! test: integers and bits are untouched
//! options: -cl-fast-relaxed-math -cl-denorms-are-zero -cl-mad-enable
//! kernel: run
//! buffer out uint[4] = 7
//! buffer in float[4] = 1 -0.0 3 -2
//! expect out = 0x3f800000 0x80000000 3 0xfffffffe
kernel void run(global uint *out, global const float *in)
{
    out[0] = as_uint(in[0]);
    out[1] = as_uint(in[1]);
    out[2] = (uint)in[2];
    out[3] = as_uint((int)in[3]);
}

//! test: correctly rounded quotients of vectors
//! options: -cl-fp32-correctly-rounded-divide-sqrt
//! kernel: run
//! buffer out float[16] = -7
//! buffer a float[8] = 1 2 10 1 1 -7 0x1.fffffep+127 0
//! buffer b float[8] = 3 3 3 0x1p+127 0 0.1 0x1.fffffep-1 5
//! expect out = 0x1.555556p-2 0x1.555556p-1 0x1.aaaaaap+1 _ inf -0x1.18p+6 inf 0 1 0x1.6a09e6p+0 0x1.94c584p+1 1 1 nan _ 0
kernel void run(global float8 *out, global const float8 *a, global const float8 *b)
{
    out[0] = a[0] / b[0];
    out[1] = sqrt(a[0]);
}

//! test: atan2 in all directions
//! options: -cl-fast-relaxed-math
//! kernel: run
//! global: 12
//! buffer out float[12] = -7
//! buffer y float[12] = 0 0 -0.0 1 -1 1 -1 1 -1 3 -2 1e-20
//! buffer x float[12] = 0 1 -1 0 0 1 1 -1 -1 -0.5 100 -1e20
//! expect out = 0 0 -3.14159265 1.57079633 -1.57079633 0.78539816 -0.78539816 2.35619449 -2.35619449 1.73594541 -0.0199973340 3.14159265 ulp 200
kernel void run(global float *out, global const float *y, global const float *x)
{
    size_t i = get_global_id(0);
    out[i] = atan2(y[i], x[i]);
}
