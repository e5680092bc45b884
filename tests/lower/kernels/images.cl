/* Images and samplers as clang hands them over: through functions, as constants and as arguments. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

constant sampler_t repeating = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

float4 blend(read_only image2d_t image, sampler_t sampler, float2 at, float x)
{
    return x * read_imagef(image, sampler, at) + read_imagef(image, repeating, at);
}

kernel void blends(read_only image2d_t a, read_only image2d_t b, write_only image2d_t out, sampler_t sampler)
{
    const sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 where = (float2)(at.x, at.y) / (float2)(get_image_width(a), get_image_height(b));
    float4 colour = at.x & 1 ? blend(a, sampler, where, 0.5f) : blend(b, sampler, where, 0.25f);
    for (int i = 0; i < 3; i++)
        colour += read_imagef(a, exact, at + i);
    write_imagef(out, at, colour);
}

kernel void integers(read_only image3d_t in, write_only image2d_array_t out, read_only image1d_buffer_t table)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    if (get_image_channel_data_type(in) == CLK_UNSIGNED_INT8)
        write_imageui(out, at, read_imageui(in, nearest, at) + read_imageui(table, at.x));
    else
        write_imagei(out, at, read_imagei(in, nearest, convert_float4(at)) + read_imagei(table, at.x));
}

kernel void both(read_only image2d_t in, global float4 *floats, global int4 *ints)
{
    int2 at = (int2)(get_global_id(0), 0);
    if (get_image_channel_order(in) == CLK_R)
        floats[at.x] = read_imagef(in, at);
    else
        ints[at.x] = read_imagei(in, at) + get_image_dim(in).xyxy;
}

kernel void in_place(read_write image2d_t image, global atomic_int *turn)
{
    int2 at = (int2)(get_local_id(0), get_local_id(1));
    write_imagef(image, at, read_imagef(image, at) * 2.0f);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imagef(image, at.yx, read_imagef(image, at) + 1.0f);
    atomic_fetch_add(turn, 1);
}

kernel void layers(read_only image1d_array_t lines, read_only image2d_array_t planes, global float4 *out, sampler_t sampler)
{
    float i = get_global_id(0);
    out[get_global_id(0)] = read_imagef(lines, sampler, (float2)(i, 1.0f)) +
                            read_imagef(planes, repeating, (float4)(i, i, 2.0f, 0.0f)) +
                            (float)(get_image_array_size(lines) + get_image_array_size(planes));
}
