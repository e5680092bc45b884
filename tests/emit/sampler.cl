// options: -cl-std=CL1.2
// expect: OpCapability LiteralSampler
// A sampler without any image still needs the capability that images bring along.
constant sampler_t file_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

int unused(sampler_t sampler) { return 3; }

kernel void sampler_alone(global int *out)
{
    out[0] = unused(file_sampler);
}
