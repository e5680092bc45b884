/* Turns an image about its middle: every pixel of the result looks where it came from, between the texels. */
const sampler_t between =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void rotate_image(read_only image2d_t in, write_only image2d_t out, float cosine, float sine)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 middle = convert_float2(get_image_dim(in)) * 0.5f;
    float2 p = convert_float2(at) + 0.5f - middle;
    float2 from = (float2)(cosine * p.x + sine * p.y, cosine * p.y - sine * p.x) + middle;
    write_imagef(out, at, read_imagef(in, between, from));
}

/* One direction of a Gaussian blur; the sampler repeats the edge. */
kernel void blur_image(read_only image2d_t in, write_only image2d_t out, sampler_t edge, constant float *weights,
                       int radius, int2 step)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int i = -radius; i <= radius; i++)
        sum += weights[abs(i)] * read_imagef(in, edge, at + i * step);
    write_imagef(out, at, sum);
}
