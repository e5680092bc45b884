// Infinities and NaNs that come of finite numbers.

//! test: overflow
//! buffer in float[1] = 3e38
//! buffer out float[1] = 9
//! expect out = inf
kernel void overflow(global const float *in, global float *out)
{
    *out = *in * *in; // expect: not-finite
}

//! test: by_zero
//! buffer in float[1] = 0
//! buffer out float[1] = 9
//! expect out = inf
kernel void by_zero(global const float *in, global float *out)
{
    *out = 1.0f / *in; // expect: not-finite
}

//! test: root
//! buffer in float[1] = -1
//! buffer out float[1] = 9
//! expect out = nan
kernel void root(global const float *in, global float *out)
{
    *out = sqrt(*in); // expect: not-finite
}

//! test: logarithm
//! buffer in float[1] = 0
//! buffer out float[1] = 9
//! expect out = -inf
kernel void logarithm(global const float *in, global float *out)
{
    *out = log(*in); // expect: not-finite
}

//! test: vector_sum
//! buffer in float4[1] = 1 2 3e38 4
//! buffer out float4[1] = 9
//! expect out = 2 4 inf 8
kernel void vector_sum(global const float4 *in, global float4 *out)
{
    *out = *in + *in; // expect: not-finite
}

//! test: of_infinities_is_right
//! buffer in float[1] = inf
//! buffer out float[1] = 9
//! expect out = inf
kernel void of_infinities_is_right(global const float *in, global float *out)
{
    *out = *in * 2;
}
