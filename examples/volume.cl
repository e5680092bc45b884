/* Rays through a cube of densities: each step samples the volume between its texels, and what lies behind is dimmed by
 * what lies before. */
const sampler_t between = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

/* Fills the volume: two shells and a rod. */
kernel void make_volume(write_only image3d_t volume)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    float3 size = convert_float3(get_image_dim(volume).xyz);
    float3 p = (convert_float3(at.xyz) + 0.5f) / size * 2.0f - 1.0f;
    float shell = exp(-400.0f * pown(length(p - (float3)(-0.25f, 0.1f, 0.0f)) - 0.5f, 2));
    float ball = exp(-60.0f * dot(p - (float3)(0.45f, -0.3f, 0.2f), p - (float3)(0.45f, -0.3f, 0.2f)));
    float rod = exp(-300.0f * dot(p.xz, p.xz)) * (fabs(p.y) < 0.9f ? 1.0f : 0.0f);
    write_imagef(volume, at, (float4)(shell, ball, rod, 0.0f));
}

kernel void render(read_only image3d_t volume, write_only image2d_t out, float cosine, float sine, int steps)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 screen = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(out)) * 2.0f - 1.0f;
    float3 light = 0.0f;
    float left = 1.0f;
    for (int i = 0; i < steps; i++) {
        float z = ((float)i + 0.5f) / (float)steps * 3.4f - 1.7f;
        float3 p = (float3)(cosine * screen.x * 1.3f + sine * z, -screen.y * 1.3f, cosine * z - sine * screen.x * 1.3f);
        float4 density = read_imagef(volume, between, (float4)(p * 0.5f + 0.5f, 0.0f));
        float3 colour = density.x * (float3)(0.2f, 0.5f, 1.0f) + density.y * (float3)(1.0f, 0.6f, 0.1f) +
                        density.z * (float3)(0.3f, 1.0f, 0.4f);
        float share = 1.0f - exp(-(density.x + density.y + density.z) * 8.0f / (float)steps);
        light += left * colour * share * 2.5f;
        left *= 1.0f - share;
    }
    write_imagef(out, at, (float4)(clamp(light, 0.0f, 1.0f), 1.0f));
}
