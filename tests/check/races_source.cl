// Components of vectors in global memory, which LLVM's translators would write as a whole.

//! test: around_a_gap
//! global: 8
//! local: 8
//! buffer data float[8] = 1
//! buffer out float[8] = 0
//! expect out = _
kernel void around_a_gap(global float4 *data, global float *out)
{
    int i = get_global_id(0);
    float2 sum = 0;
    if (i == 3)
        data[0].y = 3;
    if (i == 4)
        sum = data[0].xz;
    if (i == 5)
        data[1].z = 3; // expect: global-race +2
    if (i == 6)
        sum = data[1].xz;
    out[i] = sum.x + sum.y;
}

//! test: many_gaps
//! global: 8
//! local: 8
//! buffer data short[32] = 1
//! buffer out int[8] = 0
//! expect out = _
kernel void many_gaps(global short16 *data, global int *out)
{
    int i = get_global_id(0), sum = 0;
    if (i == 3)
        data[0].odd = 3;
    if (i == 5)
        data[1].se = 3; // expect: global-race +2
    if (i == 4 || i == 6) {
        short8 v = data[i == 6].even;
        sum = v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7;
    }
    out[i] = sum;
}

// Copies of components that lie between those that others write.
//! test: each_its_own
//! global: 8
//! local: 8
//! buffer data float[32] = 0..31
//! expect data = _
kernel void each_its_own(global float4 *data)
{
    int i = get_global_id(0);
    data[i].xz = data[(i + 1) & 7].yw;
}
