// options: -cl-std=CL3.0
// expect: OpTypeImage
// expect: OpConstantSampler
constant sampler_t file_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

float4 fetch(read_only image2d_t image, sampler_t sampler, float2 at) { return read_imagef(image, sampler, at); }

kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s, global float *f)
{
    const sampler_t inner = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 c = fetch(in, s, (float2)(0.5f, 0.5f)) + fetch(in, file_sampler, (float2)(0)) + read_imagef(in, inner, at);
    write_imagef(out, at, c);
}

kernel void copies(global float *g, local float *l)
{
    event_t e = async_work_group_copy(l, g, 64, 0);
    event_t two[2];
    two[0] = e;
    wait_group_events(1, &e);
}

kernel void clocks(global ulong *out)
{
    out[0] = clock_read_device();
    out[1] = get_local_size(0); // SPIRV-Tools may take a module with clocks for a shader
}
