// Math functions where it is about more than one value in the middle: native, half and relaxed ones, large numbers,
// constants, zeros and their signs. OpenCL C 3.0, 6.15.2, 7.4 and 7.5.

//! test: native_and_half
//! buffer out float[4] = 0
//! value x float = 2
//! expect out = 0x1.6a09e6p+0 0x1.d8e64cp+2 0.5 0x1.d18f6ep-1 abs 0.01
kernel void native_and_half(global float *out, float x)
{
    out[0] = native_sqrt(x);
    out[1] = half_exp(x);
    out[2] = native_recip(x);
    out[3] = native_sin(x);
}

//! test: fast_relaxed
//! options: -cl-fast-relaxed-math
//! buffer out float[4] = 0
//! value x float = 2
//! expect out = 0x1.6a09e6p+0 0x1.d8e64cp+2 0x1.62e43p-1 0x1.d18f6ep-1 abs 0.001
kernel void fast_relaxed(global float *out, float x)
{
    out[0] = sqrt(x);
    out[1] = exp(x);
    out[2] = log(x);
    out[3] = sin(x);
}

// OpenCL C 3.0, 7.4, the table of unsafe math optimizations: 3 ULP at least, of subnormals too where they are kept.
//! test: relaxed_logarithms
//! options: -cl-fast-relaxed-math
//! buffer out float[4] = 0
//! buffer in float[2] = 0x1p-141 -0x1.048cp-4
//! expect out = -141 -141 -0x1.86ef5cp+6 0x1.e9ea7p-1 ulp 3
kernel void relaxed_logarithms(global float *out, global float *in)
{
    bool flushed = in[0] * 2 == 0;
    float2 two = log2((float2)(in[0], in[0]));
    out[0] = flushed ? -141 : log2(in[0]);
    out[1] = flushed ? -141 : two.y;
    out[2] = flushed ? -0x1.86ef5cp+6f : log(in[0]);
    out[3] = exp2(in[1]);
}

//! test: hypot_near_the_top
//! require: fp64
//! buffer out double[2] = 0
//! buffer in double[2] = -0x1.b952b2a82719dp+511 0x1.c9c535668750ap+511
//! expect out = 0x1.3dee42342e179p+512 0x1.3dee42342e179p+512 ulp 1
kernel void hypot_near_the_top(global double *out, global double *in)
{
    out[0] = hypot(in[0], in[1]);
    out[1] = hypot(in[1], in[0]);
}

//! test: doubles become whole numbers, large ones too
//! kernel: run
//! require: fp64
//! global: 8
//! buffer in double[8] = 1.5 2.5 -0.3 -0x1.04b8852ad0eefp+40 0x1.226b4d4f621adp+43 0x1.fffffffffffffp+51 -0.5 4294967296.5
//! buffer floors double[8] = -7
//! buffer ceils double[8] = -7
//! buffer truncs double[8] = -7
//! buffer rints double[8] = -7
//! buffer rounds double[8] = -7
//! buffer longs long[8] = -7
//! expect floors = 1 2 -1 -0x1.04b8852ad1p+40 0x1.226b4d4f62p+43 0x1.ffffffffffffep+51 -1 4294967296
//! expect ceils = 2 3 -0.0 -0x1.04b8852adp+40 0x1.226b4d4f622p+43 0x1p+52 -0.0 4294967297
//! expect truncs = 1 2 -0.0 -0x1.04b8852adp+40 0x1.226b4d4f62p+43 0x1.ffffffffffffep+51 -0.0 4294967296
//! expect rints = 2 2 -0.0 -0x1.04b8852ad1p+40 0x1.226b4d4f622p+43 0x1p+52 -0.0 4294967296
//! expect rounds = 2 3 -0.0 -0x1.04b8852ad1p+40 0x1.226b4d4f622p+43 0x1p+52 -1 4294967297
//! expect longs = 2 2 0 -1119787231953 9978725956369 4503599627370496 0 4294967296
kernel void run(global const double *in, global double *floors, global double *ceils, global double *truncs, global double *rints,
                global double *rounds, global long *longs)
{
    size_t i = get_global_id(0);
    floors[i] = floor(in[i]);
    ceils[i] = ceil(in[i]);
    truncs[i] = trunc(in[i]);
    rints[i] = rint(in[i]);
    rounds[i] = round(in[i]);
    longs[i] = convert_long_rte(in[i]);
}

// Drivers find out that the base is -0.0, and may take it for its own absolute value.
//! test: constant_negative_zero
//! buffer out float[4] = 1
//! expect out = 0 inf -inf -0.0
kernel void constant_negative_zero(global float *out)
{
    vstore4(pown((float4)(-0.0f, -0.0f, -0.0f, -0.0f), (int4)(18, -18, -19, 19)), 0, out);
}

// One NaN among constants must not leave the other lanes to a driver that rounds them wrong.
//! test: constant_doubles_saturate
//! require: fp64
//! buffer out char[16] = 1
//! expect out = -128 0 127 0 6 127 -127 -128 1 0 -128 1 -128 127 127 3
kernel void constant_doubles_saturate(global char *out)
{
    double16 x = (double16)(-0x1.fffep+14, as_double(0xfff0bea78c9f8f13ul), 0x1.c6p+524, (double)NAN, 5.5, 0x1.d4p+62, -127.0, -0x1.5ap+1000,
                            0x1.fdp-41, (double)NAN, -0x1.38p+583, 0x1p-1024, -0x1.acp+56, 0x1.42p+49, 8388608.5, 3.0);
    vstore16(convert_char16_sat_rtp(x), 0, out);
}

//! test: fabs_of_zeros
//! global: 4
//! buffer out uint[20] = 1
//! buffer in float[4] = 1 2 0x1p-100 1e30
//! expect out = 0*20
kernel void fabs_of_zeros(global uint *out, global const float *in)
{
    // Drivers find out that these values are not negative, and forget that -0.0 is one of them.
    size_t i = get_global_id(0);
    float x = in[i], minus = x * -0.0f;
    out[i] = as_uint(fabs(-0.0f * x));
    out[4 + i] = as_uint(fabs(fmax(as_float(as_uint(x) | 0xffffffffu << 31) * 0.0f, -0.0f)));
    out[8 + i] = as_uint(fabs((float2)(minus, x) * (float2)(1.0f, -0.0f)).x) | as_uint(fabs((float2)(minus, x) * (float2)(x, -0.0f)).y);
    out[12 + i] = as_uint(fabs(minus - 0.0f)) | as_uint(fabs(sqrt(minus)));
    out[16 + i] = as_uint(fabs(x > 1.5f ? minus : x * 0.0f * -1.0f)) | as_uint(fabs(fmin(minus, 0.0f)));
}

// The zeros of lgamma are positive, and those of other functions have the sign that 7.5.1 and C99's annex F name

//! test: zeros_of_lgamma
//! buffer out float[8] = 9
//! buffer in float[2] = 1 2
//! expect out = 0 0 0 0 0 0 0 0
kernel void zeros_of_lgamma(global float *out, global const float *in)
{
    int sign;
    out[0] = lgamma(in[0]);
    out[1] = lgamma(in[1]);
    out[2] = lgamma_r(in[0], &sign);
    out[3] = lgamma_r(in[1], &sign);
    vstore4(lgamma((float4)(in[0], in[1], in[0], in[1])), 1, out);
}

//! test: zeros_of_lgamma_double
//! require: fp64
//! buffer out double[4] = 9
//! buffer in double[2] = 1 2
//! expect out = 0 0 0 0
kernel void zeros_of_lgamma_double(global double *out, global const double *in)
{
    int sign;
    out[0] = lgamma(in[0]);
    out[1] = lgamma(in[1]);
    out[2] = lgamma_r(in[0], &sign);
    out[3] = lgamma_r(in[1], &sign);
}

//! test: zeros_of_lgamma_half
//! require: cl_khr_fp16
//! buffer out half[4] = 9
//! buffer in half[2] = 1 2
//! expect out = 0 0 0 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void zeros_of_lgamma_half(global half *out, global const half *in)
{
    int sign;
    out[0] = lgamma(in[0]);
    out[1] = lgamma(in[1]);
    out[2] = lgamma_r(in[0], &sign);
    out[3] = lgamma_r(in[1], &sign);
}

//! test: signs_of_zeros
//! buffer out float[12] = 9
//! buffer in float[4] = -0.0 1 0.5 -1
//! expect out = -0.0 0 -0.0 -0.0 -0.0 -0.0 -0.0 0 -0.0 0 -0.0 0
kernel void signs_of_zeros(global float *out, global const float *in)
{
    float zero = in[0], one = in[1], half_way = in[2], minus = in[3];
    out[0] = tanpi(zero);
    out[1] = acos(one);
    out[2] = sin(zero);
    out[3] = fmod(minus, one);
    out[4] = remainder(minus, one);
    out[5] = round(minus * 0.25f);
    out[6] = ceil(-half_way);
    out[7] = fdim(minus, one);
    out[8] = atan2(zero, one);
    out[9] = log(one);
    out[10] = pown(zero, 3);
    out[11] = fma(minus, one, one);
}
