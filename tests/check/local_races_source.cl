// Local memory whose vectors LLVM's translators would move as a whole, so that their IL has races that the source has not.

// Each work-item has components of its own.
//! test: components_of_a_vector
//! global: 16
//! local: 16
//! buffer out float[16] = 0
//! expect out = _
kernel void components_of_a_vector(global float *out)
{
    local float4 v[4], w[4];
    int i = get_local_id(0);
    if (i == 0)
        v[0].even = (float2)(1, 2);
    if (i == 1)
        v[0].odd = (float2)(3, 4);
    w[i >> 2][i & 3] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        v[0].even += (float2)(1, 2);
    if (i == 1)
        v[0].odd += (float2)(3, 4);
    w[i >> 2][i & 3] = w[i >> 2][i & 3] + 1;
    float2 sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 1)
        sum += v[0].xz;
    else if (i == 1)
        v[0].y = 3;
    out[i] = sum.x + sum.y + w[0].x;
}
