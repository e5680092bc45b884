// options: -cl-std=CL1.2
// expect: OpCapability LiteralSampler
// expect:  Clamp 0 Nearest
// expect:  Clamp 1 Nearest
// A sampler without any image still needs the capability that images bring along.
constant sampler_t file_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

int unused(sampler_t sampler) { return 3; }

kernel void sampler_alone(global int *out)
{
    out[0] = unused(file_sampler);
}

float4 fetch(read_only image2d_t image, sampler_t sampler, float2 at) { return read_imagef(image, sampler, at); }

// A number where a sampler belongs makes one.
kernel void sampler_number(read_only image2d_t image, global float4 *out)
{
    const int nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    out[0] = read_imagef(image, CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR | CLK_ADDRESS_REPEAT, (float2)(0.5f));
    out[1] = read_imagef(image, nearest, (int2)(1));
    out[2] = fetch(image, 5, (float2)(0));
}
