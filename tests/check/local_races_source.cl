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

//! test: around_a_gap
//! global: 16
//! local: 16
//! buffer out float[16] = 0
//! expect out = _
kernel void around_a_gap(global float *out)
{
    local float4 v[2];
    int i = get_local_id(0);
    float2 sum = 0;
    if (i < 2)
        v[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 3)
        v[0].y = 3;
    if (i == 4)
        sum = v[0].xz;
    if (i == 5)
        v[1].z = 3; // expect: local-race +2
    if (i == 6)
        sum = v[1].xz;
    out[i] = sum.x + sum.y;
}

// A component is known to be read, and one that only the kernel knows.
//! test: by_number
//! global: 16
//! local: 16
//! buffer out float[16] = 0
//! value n int = 2
//! expect out = _
kernel void by_number(global float *out, int n)
{
    local float4 v[2];
    int i = get_local_id(0);
    float4 u = 0;
    if (i < 2)
        v[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 3)
        v[0].y = 3;
    if (i == 4)
        u = v[0];
    float sum = u.x + u[n];
    float4 t = 0;
    if (i == 7)
        t = -v[0];
    sum += t[n];
    if (i == 5)
        v[1].x = 3; // expect: local-race +3
    if (i == 6) {
        local float4 *p = &v[1];
        float4 w = *p;
        sum += w.x + w[n];
    }
    out[i] = sum;
}
