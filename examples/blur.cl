/* A separable Gaussian blur of packed RGB bytes: rows first, into floats, then columns, back into bytes. Edges repeat. */
__kernel void blur_rows(__global const uchar *in, __global float4 *out, int width, int height, __constant float *weights, int radius)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float3 sum = 0.0f;
    for (int i = -radius; i <= radius; i++)
        sum += weights[abs(i)] * convert_float3(vload3(y * width + clamp(x + i, 0, width - 1), in));
    out[y * width + x] = (float4)(sum, 0.0f);
}

__kernel void blur_columns(__global const float4 *in, __global uchar *out, int width, int height, __constant float *weights, int radius)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float3 sum = 0.0f;
    for (int i = -radius; i <= radius; i++)
        sum += weights[abs(i)] * in[clamp(y + i, 0, height - 1) * width + x].xyz;
    vstore3(convert_uchar3_sat_rte(sum), y * width + x, out);
}
