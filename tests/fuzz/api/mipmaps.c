/* Images of several levels of detail, and samplers that choose between levels. The transfers of images.c name levels,
 * too: an origin has a fourth number, and for images with fewer dimensions the level is where those end. */
#include "tests/fuzz/api/api.h"

static void make_levels(void)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,       CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER};
    static const cl_image_format formats[] = {
        {CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_FLOAT}, {CL_RGBA, CL_UNSIGNED_INT8}, {CL_DEPTH, CL_FLOAT}};
    static const cl_uint levels[] = {2, 3, 4, 5, 6, 40, UINT32_MAX};
    static const size_t sizes[] = {16, 13, 1, 33};
    void *context = api_handle(CONTEXT);
    const cl_image_format format = API_PICK(formats);
    cl_image_desc desc = {.image_type = API_PICK(types),
                          .image_width = API_PICK(sizes),
                          .image_height = API_PICK(sizes),
                          .image_depth = 1 + api_byte() % 9u,
                          .image_array_size = 1 + api_byte() % 4u,
                          .num_mip_levels = API_PICK(levels)};
    if (api_chance(8)) /* a view of another */
        desc.mem_object = api_handle(IMAGE);
    bool given = api_chance(12); /* refused */
    cl_mem mem;
    MAKE(mem, clCreateImage, context, given ? CL_MEM_COPY_HOST_PTR : 0, &format, &desc, given ? api_lend() : NULL);
    api_put(IMAGE, mem);
}

static void make_level_sampler(void)
{
    static const uint32_t numbers[] = {0, 0x3f800000 /* 1 */, 0x40500000 /* 3.25 */, 0x7fc00000 /* NaN */, 0xbf800000};
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                CL_TRUE,
                                                CL_SAMPLER_MIP_FILTER_MODE,
                                                api_chance(2)    ? CL_FILTER_LINEAR
                                                : api_chance(10) ? 0x7777
                                                                 : CL_FILTER_NEAREST,
                                                CL_SAMPLER_LOD_MIN,
                                                API_PICK(numbers),
                                                CL_SAMPLER_LOD_MAX,
                                                API_PICK(numbers),
                                                0};
    void *context = api_handle(CONTEXT);
    cl_sampler sampler;
    MAKE(sampler, clCreateSamplerWithProperties, context, properties);
    api_put(SAMPLER, sampler);
}

static void (*const calls[])(void) = {make_levels, make_levels, make_level_sampler};

const struct api_subject api_mipmaps = API_SUBJECT(calls, NULL);
