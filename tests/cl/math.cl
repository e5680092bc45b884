// Math functions of float, within OpenCL's bounds. OpenCL C 3.0, 6.15.2 and 7.4 (ULP).

//! test: sin
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 -0.0 0x1.0000000000000p-1 0x1.0000000000000p+0 0x1.921fb60000000p+1 -0x1.9000000000000p+6 0x1.86a0000000000p+16 0x1.ff933c0000000p+127
//! expect out = 0 -0.0 0x1.eaee880000000p-2 0x1.aed5480000000p-1 -0x1.777a5c0000000p-24 0x1.03425c0000000p-1 0x1.24daaa0000000p-5 -0x1.f3e2c60000000p-3 ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sin(in[i]);
}

//! test: cos
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 -0x1.0000000000000p-1 0x1.0000000000000p+0 0x1.921fb60000000p+0 0x1.6000000000000p+4 -0x1.e848000000000p+19 0x1.5af1d80000000p+66 0x1.ff933c0000000p+127
//! expect out = 0x1.0000000000000p+0 0x1.c152800000000p-1 0x1.14a2800000000p-1 -0x1.777a5c0000000p-25 -0x1.fffade0000000p-1 0x1.df9dfa0000000p-1 0x1.822e460000000p-1 0x1.f083940000000p-1 ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = cos(in[i]);
}

//! test: tan
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 -0x1.0000000000000p-1 0x1.0000000000000p+0 0x1.8000000000000p+0 0x1.6000000000000p+3 -0x1.6300000000000p+8 0x1.2a05f20000000p+33 0x1.93e5940000000p+99
//! expect out = 0 -0x1.17b4f60000000p-1 0x1.8eb2460000000p+0 0x1.c33ed60000000p+3 -0x1.c3e6d60000000p+7 -0x1.f9bd040000000p-16 -0x1.1de0000000000p-1 0x1.4b28760000000p+0 ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = tan(in[i]);
}

//! test: asin
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.fae1480000000p-1 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0 0x1.0c15240000000p-1 -0x1.0c15240000000p-1 0x1.921fb60000000p+0 -0x1.921fb60000000p+0 0x1.6de3c80000000p+0 0x1.79ca100000000p-67 nan ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = asin(in[i]);
}

//! test: acos
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.fae1480000000p-1 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0x1.921fb60000000p+0 0x1.0c15240000000p+0 0x1.0c15240000000p+1 0 0x1.921fb60000000p+1 0x1.21df6a0000000p-3 0x1.921fb60000000p+0 nan ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = acos(in[i]);
}

//! test: atan
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.93e5940000000p+99 0x1.79ca100000000p-67 inf
//! expect out = 0 0x1.dac6700000000p-2 -0x1.dac6700000000p-2 0x1.921fb60000000p-1 -0x1.789bd20000000p+0 0x1.921fb60000000p+0 0x1.79ca100000000p-67 0x1.921fb60000000p+0 ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = atan(in[i]);
}

//! test: sinh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.6000000000000p+6 0x1.79ca100000000p-67 -inf
//! expect out = 0 0x1.0acd000000000p-1 -0x1.0acd000000000p-1 0x1.2cd9fc0000000p+0 -0x1.5829dc0000000p+13 0x1.f1056e0000000p+125 0x1.79ca100000000p-67 -inf ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sinh(in[i]);
}

//! test: cosh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.6000000000000p+6 0x1.79ca100000000p-67 -inf
//! expect out = 0x1.0000000000000p+0 0x1.20ac180000000p+0 0x1.20ac180000000p+0 0x1.8b07560000000p+0 0x1.5829de0000000p+13 0x1.f1056e0000000p+125 0x1.0000000000000p+0 inf ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = cosh(in[i]);
}

//! test: tanh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.6000000000000p+6 0x1.79ca100000000p-67 -inf
//! expect out = 0 0x1.d9353e0000000p-2 -0x1.d9353e0000000p-2 0x1.85efac0000000p-1 -0x1.0000000000000p+0 0x1.0000000000000p+0 0x1.79ca100000000p-67 -0x1.0000000000000p+0 ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = tanh(in[i]);
}

//! test: asinh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.93e5940000000p+99 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0 0x1.ecc2ca0000000p-2 -0x1.ecc2ca0000000p-2 0x1.c343660000000p-1 -0x1.7fc5c60000000p+1 0x1.1715320000000p+6 0x1.79ca100000000p-67 0x1.7192180000000p+0 ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = asinh(in[i]);
}

//! test: acosh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.8000000000000p+0 0x1.0000000000000p+1 0x1.4000000000000p+3 0x1.2a05f20000000p+33 0x1.2ced320000000p+126 0x1.00068e0000000p+0 0x1.0000000000000p-1
//! expect out = 0 0x1.ecc2ca0000000p-1 0x1.5124280000000p+0 0x1.7f21ee0000000p+1 0x1.7b81040000000p+4 0x1.60c3fa0000000p+6 0x1.cf71b00000000p-7 nan ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = acosh(in[i]);
}

//! test: atanh
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.cccccc0000000p-1 -0x1.fae1480000000p-1 0x1.ff7cee0000000p-1 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0 0x1.193ea80000000p-1 -0x1.193ea80000000p-1 0x1.78e35e0000000p+0 -0x1.52c5860000000p+1 0x1.e66d340000000p+1 0x1.79ca100000000p-67 nan ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = atanh(in[i]);
}

//! test: exp
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.4000000000000p+3 -0x1.9000000000000p+5 0x1.6200000000000p+6 -0x1.5c00000000000p+6 -inf
//! expect out = 0x1.0000000000000p+0 0x1.5bf0a80000000p+1 0x1.78b5640000000p-2 0x1.5829dc0000000p+14 0x1.d257d60000000p-73 0x1.99b9880000000p+127 0x1.666d0e0000000p-126 0 ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = exp(in[i]);
}

//! test: exp2
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.5000000000000p+3 -0x1.9200000000000p+5 0x1.fe00000000000p+6 -0x1.f800000000000p+6 -inf
//! expect out = 0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.0000000000000p-1 0x1.6a09e60000000p+10 0x1.ae89fa0000000p-51 0x1.6a09e60000000p+127 0x1.0000000000000p-126 0 ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = exp2(in[i]);
}

//! test: exp10
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.4000000000000p+1 -0x1.e400000000000p+4 0x1.3400000000000p+5 -0x1.2800000000000p+5 -inf
//! expect out = 0x1.0000000000000p+0 0x1.4000000000000p+3 0x1.99999a0000000p-4 0x1.3c3a4e0000000p+8 0x1.6cfafa0000000p-101 0x1.dbce820000000p+127 0x1.1039d40000000p-123 0 ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = exp10(in[i]);
}

//! test: expm1
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.b7cdfe0000000p-34 -0x1.4f8b580000000p-17 0x1.0000000000000p-1 -0x1.8000000000000p+1 0x1.4000000000000p+6 -0x1.4000000000000p+4 -inf
//! expect out = 0 0x1.b7cdfe0000000p-34 -0x1.4f8aea0000000p-17 0x1.4c25320000000p-1 -0x1.e682500000000p-1 0x1.55779c0000000p+115 -0x1.0000000000000p+0 -0x1.0000000000000p+0 ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = expm1(in[i]);
}

//! test: log
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.0000020000000p+0 -0x1.0000000000000p+0
//! expect out = 0 0x1.62e4300000000p-1 -0x1.62e4300000000p-1 0x1.26bb1c0000000p+1 -0x1.144f6a0000000p+6 0x1.62632c0000000p+6 0x1.fffffe0000000p-24 nan ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = log(in[i]);
}

//! test: log2
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.0000020000000p+0 -0x1.0000000000000p+0
//! expect out = 0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.a934f00000000p+1 -0x1.8ea1a20000000p+6 0x1.ff45de0000000p+6 0x1.7154740000000p-23 nan ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = log2(in[i]);
}

//! test: log10
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.0000020000000p+0 -0x1.0000000000000p+0
//! expect out = 0 0x1.3441360000000p-2 -0x1.3441360000000p-2 0x1.0000000000000p+0 -0x1.e000000000000p+4 0x1.33d1240000000p+5 0x1.bcb7b00000000p-25 nan ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = log10(in[i]);
}

//! test: log1p
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.b7cdfe0000000p-34 -0x1.4f8b580000000p-17 0x1.0000000000000p-1 -0x1.cccccc0000000p-1 0x1.93e5940000000p+99 0x1.8000000000000p+1 -0x1.0000000000000p+1
//! expect out = 0 0x1.b7cdfe0000000p-34 -0x1.4f8bc60000000p-17 0x1.9f323e0000000p-2 -0x1.26bb1a0000000p+1 0x1.144f6a0000000p+6 0x1.62e4300000000p+0 nan ulp 2
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = log1p(in[i]);
}

//! test: sqrt
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p+1 0x1.0000000000000p-2 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.c000000000000p+2 inf -0x1.0000000000000p+0
//! expect out = 0 0x1.6a09e60000000p+0 0x1.0000000000000p-1 0x1.203afa0000000p-50 0x1.e0bd9c0000000p+63 0x1.52a7fa0000000p+1 inf nan ulp 3
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sqrt(in[i]);
}

//! test: rsqrt
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+2 0x1.0000000000000p+1 0x1.0000000000000p-2 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.c000000000000p+2 0x1.99999a0000000p-4 0x1.9000000000000p+6
//! expect out = 0x1.0000000000000p-1 0x1.6a09e60000000p-1 0x1.0000000000000p+1 0x1.c6bf520000000p+49 0x1.10a55e0000000p-64 0x1.83091e0000000p-2 0x1.94c5840000000p+1 0x1.99999a0000000p-4 ulp 2
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = rsqrt(in[i]);
}

//! test: cbrt
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+3 -0x1.b000000000000p+4 0x1.0000000000000p+1 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 -0x1.0000000000000p-1 0x1.99999a0000000p-4 0x1.9000000000000p+6
//! expect out = 0x1.0000000000000p+1 -0x1.8000000000000p+1 0x1.428a300000000p+0 0x1.b7cdfe0000000p-34 0x1.85a9480000000p+42 -0x1.965fea0000000p-1 0x1.db4c780000000p-2 0x1.290fca0000000p+2 ulp 2
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = cbrt(in[i]);
}

//! test: erf
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.99999a0000000p-4 -0x1.0000000000000p-1 0x1.0000000000000p+0 0x1.0000000000000p+1 -0x1.8000000000000p+1 0x1.0000000000000p+2 0x1.79ca100000000p-67
//! expect out = 0 0x1.cca5ea0000000p-4 -0x1.0a7ef60000000p-1 0x1.af767a0000000p-1 0x1.fd9ae20000000p-1 -0x1.fffd1a0000000p-1 0x1.0000000000000p+0 0x1.aa4a220000000p-67 ulp 16
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = erf(in[i]);
}

//! test: erfc
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.99999a0000000p-4 -0x1.0000000000000p-1 0x1.0000000000000p+0 0x1.0000000000000p+1 -0x1.8000000000000p+1 0x1.0000000000000p+2 0x1.2000000000000p+3
//! expect out = 0x1.0000000000000p+0 0x1.c66b420000000p-1 0x1.853f7a0000000p+0 0x1.4226160000000p-3 0x1.328f5e0000000p-8 0x1.fffe8e0000000p+0 0x1.08ddd20000000p-26 0x1.198d420000000p-121 ulp 16
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = erfc(in[i]);
}

//! test: tgamma
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.d9999a0000000p+1 0x1.4000000000000p+3 0x1.e000000000000p+4 -0x1.c000000000000p+1 0x1.4f8b580000000p-17
//! expect out = 0x1.0000000000000p+0 0x1.c5bf8a0000000p+0 -0x1.c5bf8a0000000p+1 0x1.0aebf60000000p+2 0x1.6260000000000p+18 0x1.be65180000000p+102 0x1.1492000000000p-2 0x1.869f6c0000000p+16 ulp 16
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = tgamma(in[i]);
}

//! test: lgamma
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.8000000000000p+0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.d9999a0000000p+1 0x1.4000000000000p+3 0x1.2c00000000000p+8 -0x1.c000000000000p+1 0x1.4f8b580000000p-17
//! expect out = -0x1.eeb95c0000000p-4 0x1.250d040000000p-1 0x1.43f89a0000000p+0 0x1.6d96260000000p+0 0x1.99a8920000000p+3 0x1.604cee0000000p+10 -0x1.4f1b100000000p+0 0x1.7069d60000000p+3 ulp 1000
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = lgamma(in[i]);
}

//! test: sinpi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-2 0x1.0000000000000p-3 -0x1.8000000000000p-2 0x1.3333340000000p-1 0x1.d333340000000p+2 -0x1.99999a0000000p-4 0x1.47ae140000000p-7 0x1.f5c2900000000p-2
//! expect out = 0x1.6a09e60000000p-1 0x1.87de2a0000000p-2 -0x1.d906bc0000000p-1 0x1.e6f0e00000000p-1 -0x1.9e37860000000p-1 -0x1.3c6ef40000000p-2 0x1.0151220000000p-5 0x1.ffbf520000000p-1 ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sinpi(in[i]);
}

//! test: cospi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-2 0x1.0000000000000p-3 -0x1.8000000000000p-2 0x1.3333340000000p-1 0x1.d333340000000p+2 -0x1.99999a0000000p-4 0x1.47ae140000000p-7 0x1.3333340000000p-2
//! expect out = 0x1.6a09e60000000p-1 0x1.d906bc0000000p-1 0x1.87de2a0000000p-2 -0x1.3c6ef80000000p-2 -0x1.2cf2200000000p-1 0x1.e6f0e20000000p-1 0x1.ffbf520000000p-1 0x1.2cf2300000000p-1 ulp 4
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = cospi(in[i]);
}

//! test: tanpi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-2 0x1.0000000000000p-3 -0x1.8000000000000p-2 0x1.3333340000000p-1 0x1.d333340000000p+2 -0x1.99999a0000000p-4 0x1.47ae140000000p-7 0x1.3333340000000p-2
//! expect out = 0x1.0000000000000p+0 0x1.a8279a0000000p-2 -0x1.3504f40000000p+1 -0x1.89f1820000000p+1 0x1.605aae0000000p+0 -0x1.4cb7c00000000p-2 0x1.0171a80000000p-5 0x1.605a920000000p+0 ulp 6
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = tanpi(in[i]);
}

//! test: asinpi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.fae1480000000p-1 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0 0x1.5555560000000p-3 -0x1.5555560000000p-3 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.d1dd860000000p-2 0x1.e1042c0000000p-69 nan ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = asinpi(in[i]);
}

//! test: acospi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.fae1480000000p-1 0x1.79ca100000000p-67 0x1.0000000000000p+1
//! expect out = 0x1.0000000000000p-1 0x1.5555560000000p-2 0x1.5555560000000p-1 0 0x1.0000000000000p+0 0x1.7113d00000000p-5 0x1.0000000000000p-1 nan ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = acospi(in[i]);
}

//! test: atanpi
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.4000000000000p+3 0x1.93e5940000000p+99 0x1.79ca100000000p-67 inf
//! expect out = 0 0x1.2e40520000000p-3 -0x1.2e40520000000p-3 0x1.0000000000000p-2 -0x1.df83580000000p-2 0x1.0000000000000p-1 0x1.e1042c0000000p-69 0x1.0000000000000p-1 ulp 5
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = atanpi(in[i]);
}

//! test: ceil
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf -inf
//! expect out = 0x1.0000000000000p+0 -0.0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.8000000000000p+1 0x1.dcd6500000000p+29 inf -inf
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = ceil(in[i]);
}

//! test: floor
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf -inf
//! expect out = 0 -0x1.0000000000000p+0 0x1.0000000000000p+0 -0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.dcd6500000000p+29 inf -inf
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = floor(in[i]);
}

//! test: trunc
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.0000000000000p+0 -0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf -inf
//! expect out = 0 -0.0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.dcd6500000000p+29 inf -inf
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = trunc(in[i]);
}

//! test: rint
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.8000000000000p+0 -0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf -inf
//! expect out = 0 -0.0 0x1.0000000000000p+1 -0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.dcd6500000000p+29 inf -inf
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = rint(in[i]);
}

//! test: round
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 0x1.8000000000000p+0 -0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf 0x1.0000000000000p-2
//! expect out = 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.0000000000000p+1 -0x1.0000000000000p+1 0x1.8000000000000p+1 0x1.dcd6500000000p+29 inf 0
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = round(in[i]);
}

//! test: fabs
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p-1 -0x1.0000000000000p-1 -0.0 -0x1.8000000000000p+0 0x1.4000000000000p+1 -0x1.dcd6500000000p+29 inf -inf
//! expect out = 0x1.0000000000000p-1 0x1.0000000000000p-1 0 0x1.8000000000000p+0 0x1.4000000000000p+1 0x1.dcd6500000000p+29 inf inf
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = fabs(in[i]);
}

//! test: logb
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer in float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 -0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.4484c00000000p-100 0x1.c363cc0000000p+127 0x1.8000000000000p-1 0x1.9000000000000p+6
//! expect out = 0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.8000000000000p+1 -0x1.9000000000000p+6 0x1.fc00000000000p+6 -0x1.0000000000000p+0 0x1.8000000000000p+2
kernel void run(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = logb(in[i]);
}

//! test: pow
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+1 -0x1.0000000000000p+1 0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.00068e0000000p+0 0 0x1.8000000000000p+1
//! buffer b float[8] = 0x1.4000000000000p+3 0x1.0000000000000p-1 0x1.8000000000000p+1 -0x1.9000000000000p+6 0x1.3000000000000p+5 0x1.3880000000000p+13 0 -0x1.4000000000000p+1
//! expect out = 0x1.0000000000000p+10 0x1.6a09e60000000p+0 -0x1.0000000000000p+3 0x1.0000000000000p+100 0x1.2ced320000000p+126 0x1.5bfafc0000000p+1 0x1.0000000000000p+0 0x1.06c22e0000000p-4 ulp 16
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = pow(a[i], b[i]);
}

//! test: powr
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.4000000000000p+1 0x1.0000000000000p-1 0x1.4000000000000p+3 0x1.00068e0000000p+0 0x1.c000000000000p+2 0x1.8000000000000p+1
//! buffer b float[8] = 0x1.4000000000000p+3 0x1.0000000000000p-1 0x1.8000000000000p+1 -0x1.9000000000000p+6 0x1.3000000000000p+5 0x1.3880000000000p+13 0 -0x1.4000000000000p+1
//! expect out = 0x1.0000000000000p+10 0x1.6a09e60000000p+0 0x1.f400000000000p+3 0x1.0000000000000p+100 0x1.2ced320000000p+126 0x1.5bfafc0000000p+1 0x1.0000000000000p+0 0x1.06c22e0000000p-4 ulp 16
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = powr(a[i], b[i]);
}

//! test: atan2
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.0000000000000p+0 -0x1.0000000000000p+0 0 -0.0 0x1.79ca100000000p-57 0x1.4000000000000p+2
//! buffer b float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+0 -0x1.0000000000000p+0 -0x1.0000000000000p+0 -0x1.0000000000000p+0 -0x1.0000000000000p+0 0x1.5af1d80000000p+66 0
//! expect out = 0x1.921fb60000000p-1 -0x1.921fb60000000p-1 0x1.2d97c80000000p+1 -0x1.2d97c80000000p+1 0x1.921fb60000000p+1 -0x1.921fb60000000p+1 0x1.16c2620000000p-123 0x1.921fb60000000p+0 ulp 6
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = atan2(a[i], b[i]);
}

//! test: hypot
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.8000000000000p+1 0x1.93e5940000000p+99 0x1.4484c00000000p-100 0 -0x1.4000000000000p+2 0x1.0000000000000p+0 inf 0x1.c000000000000p+2
//! buffer b float[8] = 0x1.0000000000000p+2 0x1.93e5940000000p+99 0x1.4484c00000000p-100 0x1.4000000000000p+2 0x1.8000000000000p+3 0x1.b7cdfe0000000p-34 0x1.0000000000000p+0 -0x1.8000000000000p+4
//! expect out = 0x1.4000000000000p+2 0x1.1d99200000000p+100 0x1.caf0440000000p-100 0x1.4000000000000p+2 0x1.a000000000000p+3 0x1.0000000000000p+0 inf 0x1.9000000000000p+4 ulp 4
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = hypot(a[i], b[i]);
}

//! test: fmod
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.6000000000000p+2 -0x1.6000000000000p+2 0x1.6000000000000p+2 0x1.93e5940000000p+99 0x1.0000000000000p-1 -0x1.8000000000000p+2 0x1.4484c00000000p-100 0x1.9000000000000p+6
//! buffer b float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+1 -0x1.0000000000000p+1 0x1.8000000000000p+1 0x1.0000000000000p+0 0x1.8000000000000p+1 0x1.9f623e0000000p-107 0x1.99999a0000000p-4
//! expect out = 0x1.8000000000000p+0 -0x1.8000000000000p+0 0x1.8000000000000p+0 0 0x1.0000000000000p-1 -0.0 0x1.9f62060000000p-107 0x1.99980a0000000p-4
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = fmod(a[i], b[i]);
}

//! test: remainder
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.6000000000000p+2 -0x1.6000000000000p+2 0x1.4000000000000p+2 0x1.93e5940000000p+99 0x1.0000000000000p-1 0x1.c000000000000p+2 0x1.8000000000000p+1 0x1.9000000000000p+6
//! buffer b float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.8000000000000p+1 0x1.0000000000000p+0 0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.99999a0000000p-4
//! expect out = -0x1.0000000000000p-1 0x1.0000000000000p-1 0x1.0000000000000p+0 0 0x1.0000000000000p-1 -0x1.0000000000000p+0 -0x1.0000000000000p+0 -0x1.9000000000000p-20
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = remainder(a[i], b[i]);
}

//! test: copysign
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+0 -0x1.0000000000000p+0 0 0x1.8000000000000p+1 inf -inf 0x1.0000000000000p+1 -0x1.0000000000000p+1
//! buffer b float[8] = -0x1.0000000000000p+1 0x1.0000000000000p+1 -0x1.0000000000000p+0 -0.0 -0x1.0000000000000p+0 0x1.0000000000000p+0 0x1.8000000000000p+1 -0x1.8000000000000p+1
//! expect out = -0x1.0000000000000p+0 0x1.0000000000000p+0 -0.0 -0x1.8000000000000p+1 -inf inf 0x1.0000000000000p+1 -0x1.0000000000000p+1
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = copysign(a[i], b[i]);
}

//! test: fdim
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 0 0x1.8000000000000p+1 inf 0x1.0000000000000p+0 0x1.4000000000000p+1 -0x1.0000000000000p+1
//! buffer b float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+0 0 -0x1.0000000000000p+2 0x1.0000000000000p+0 inf 0x1.2000000000000p+1 -0x1.8000000000000p+1
//! expect out = 0 0x1.0000000000000p+0 0 0x1.c000000000000p+2 inf 0 0x1.0000000000000p-2 0x1.0000000000000p+0
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = fdim(a[i], b[i]);
}

//! test: fmax
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 nan 0x1.8000000000000p+1 inf -0x1.0000000000000p+0 0x1.4000000000000p+1 -0x1.0000000000000p+1
//! buffer b float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+0 0x1.8000000000000p+1 nan 0x1.0000000000000p+0 -inf 0x1.2000000000000p+1 -0x1.8000000000000p+1
//! expect out = 0x1.0000000000000p+1 0x1.0000000000000p+1 0x1.8000000000000p+1 0x1.8000000000000p+1 inf -0x1.0000000000000p+0 0x1.4000000000000p+1 -0x1.0000000000000p+1
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = fmax(a[i], b[i]);
}

//! test: fmin
//! kernel: run
//! global: 8
//! buffer out float[8] = -7
//! buffer a float[8] = 0x1.0000000000000p+0 0x1.0000000000000p+1 nan 0x1.8000000000000p+1 inf -0x1.0000000000000p+0 0x1.4000000000000p+1 -0x1.0000000000000p+1
//! buffer b float[8] = 0x1.0000000000000p+1 0x1.0000000000000p+0 0x1.8000000000000p+1 nan 0x1.0000000000000p+0 -inf 0x1.2000000000000p+1 -0x1.8000000000000p+1
//! expect out = 0x1.0000000000000p+0 0x1.0000000000000p+0 0x1.8000000000000p+1 0x1.8000000000000p+1 0x1.0000000000000p+0 -inf 0x1.2000000000000p+1 -0x1.8000000000000p+1
kernel void run(global float *out, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    out[i] = fmin(a[i], b[i]);
}

//! test: fma
//  One rounding: the product's low half decides.
//! buffer out float[2] = 0
//! value a float = 0x1.000002p+0
//! value b float = 0x1.000002p+0
//! value c float = -0x1.000004p+0
//! expect out = 0x1p-46 0x1.000002p+1
kernel void fma_test(global float *out, float a, float b, float c)
{
    out[0] = fma(a, b, c);
    out[1] = fma(a, b, 1.0f);
}
//! kernel: fma_test

//! test: frexp_ldexp
//! buffer out float[4] = 0
//! buffer e int[4] = 0
//! buffer in float[4] = 8 -0.3 1e-40 0
//! global: 4
//! expect out = 0.5 -0x1.333334p-1 _ 0
//! expect e = 4 -1 _ 0
kernel void frexp_ldexp(global float *out, global int *e, global const float *in)
{
    size_t i = get_global_id(0);
    int k;
    out[i] = frexp(in[i], &k);
    e[i] = k;
}

//! test: ldexp
//! buffer out float[4] = 0
//! buffer e int[4] = 3 -3 200 -20
//! global: 4
//! expect out = 12 0.1875 inf 0x1.8p-20
kernel void ldexp_test(global float *out, global const int *e)
{
    out[get_global_id(0)] = ldexp(1.5f, e[get_global_id(0)]);
}
//! kernel: ldexp_test

//! test: modf_fract
//! buffer out float[4] = 0
//! value x float = -3.75
//! expect out = -0.75 -3 0.25 -4
kernel void modf_fract(global float *out, float x)
{
    float whole;
    out[0] = modf(x, &whole);
    out[1] = whole;
    out[2] = fract(x, &whole);
    out[3] = whole;
}

//! test: sincos
//! buffer out float[2] = 0
//! value x float = 1
//! expect out = 0x1.aed548p-1 0x1.14a28p-1 ulp 4
kernel void sincos_test(global float *out, float x)
{
    float c;
    out[0] = sincos(x, &c);
    out[1] = c;
}
//! kernel: sincos_test

//! test: remquo_ilogb
//! buffer out float[1] = 0
//! buffer q int[3] = 0
//! value x float = 29
//! expect out = -1
//! expect q = 10 4 -2
kernel void remquo_ilogb(global float *out, global int *q, float x)
{
    int k;
    out[0] = remquo(x, 3.0f, &k);
    q[0] = k;
    q[1] = ilogb(x);
    q[2] = ilogb(x / 100.0f);
}

//! test: nextafter_nan
//! buffer out float[4] = 0
//! value x float = 1
//! expect out = 0x1.000002p+0 0x1.fffffep-1 1 nan
kernel void nextafter_nan(global float *out, float x)
{
    out[0] = nextafter(x, 2.0f);
    out[1] = nextafter(x, 0.0f);
    out[2] = nextafter(x, x);
    out[3] = nan(5u);
}

//! test: pown_rootn
//! buffer out float[4] = 0
//! value x float = 3
//! expect out = 81 0x1.c71c72p-4 0x1.bb67aep+0 -2 ulp 16
kernel void pown_rootn(global float *out, float x)
{
    out[0] = pown(x, 4);
    out[1] = pown(x, -2);
    out[2] = rootn(x, 2);
    out[3] = rootn(x - 11.0f, 3);
}

//! test: maxmag_minmag_mad
//! buffer out float[4] = 0
//! value x float = -3
//! expect out = -3 2 7 nan
kernel void maxmag_minmag_mad(global float *out, float x)
{
    out[0] = maxmag(x, 2.0f);
    out[1] = minmag(x, 2.0f);
    out[2] = mad(x, -2.0f, 1.0f);
    out[3] = fmax((float)NAN, (float)NAN);
}

//! test: vector_math
//! buffer out float4[2] = 0
//! value x float4 = 0 1 2 4
//! expect out = 0 1 0x1.6a09e6p+0 2  1 0x1.5bf0a8p+1 0x1.d8e64cp+2 0x1.b4c902p+5 ulp 4
kernel void vector_math(global float4 *out, float4 x)
{
    out[0] = sqrt(x);
    out[1] = exp(x);
}
