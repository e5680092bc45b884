/* cl_khr_mipmap_image and cl_khr_mipmap_image_writes: images of several levels of detail: their creation, transfers of
 * each level, and kernels that read and write a level that they name or that gradients choose. */
#include "image_test.h"

#include <math.h>

enum { LEVELS = 4, W = 13, H = 10, D = 9, MOST = W * H * D * 4 };

/* A type, its size, and how a kernel names texel (x, y, z) of a level of w x h x d texels. */
static const struct shape {
    cl_mem_object_type type;
    const char *name, *texel, *coordinate, *gradient;
    size_t axes; /* with the layer; the number of the level lies behind them */
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x", "(x + 0.5f) / w", "step", 1},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)", "(float2)((x + 0.5f) / w, y)", "step", 2},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)", "(float2)((x + 0.5f) / w, (y + 0.5f) / h)",
     "(float2)(step, 0)", 2},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(int4)(x, y, z, 0)",
     "(float4)((x + 0.5f) / w, (y + 0.5f) / h, z, 0)", "(float2)(step, 0)", 3},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)",
     "(float4)((x + 0.5f) / w, (y + 0.5f) / h, (z + 0.5f) / d, 0)", "(float4)(step, 0, 0, 0)", 3},
};

static cl_image_desc desc_at(const struct shape *shape, cl_uint levels)
{
    cl_image_desc desc = desc_of(shape->type, W, H, D);
    desc.num_mip_levels = levels;
    return desc;
}

static size_t halved(size_t size, cl_uint level)
{
    return size >> level ? size >> level : 1;
}

static void region_of(const struct shape *shape, cl_uint level, size_t region[3])
{
    region[0] = halved(W, level);
    region[1] = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? H : shape->axes > 1 ? halved(H, level) : 1;
    region[2] = shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? D : shape->axes > 2 ? halved(D, level) : 1;
}

static size_t texels_of(const size_t region[3])
{
    return region[0] * region[1] * region[2];
}

/* origin: all 0, and the level. */
static void level_origin(const struct shape *shape, cl_uint level, size_t origin[4])
{
    memset(origin, 0, 4 * sizeof(origin[0]));
    origin[shape->axes] = level;
}

/* ---- objects ---- */

static void expect_refusal(cl_int expected, cl_mem_flags flags, const cl_image_format *format, cl_image_desc desc,
                           void *host)
{
    NO_OBJECT(expected, clCreateImage(context, flags, format, &desc, host, &error));
}

static void test_creation(void)
{
    static const cl_image_format depth = {CL_DEPTH, CL_FLOAT}, srgba = {CL_sRGBA, CL_UNORM_INT8};
    static uint8_t host[MOST];
    cl_mem buffer = buffer_of(0, MOST, NULL);
    cl_uint count = 0;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (cl_uint levels = 0; levels <= LEVELS; levels++) {
            cl_image_desc desc = desc_at(&shapes[i], levels);
            cl_mem image = image_of(0, &ints, &desc, NULL);
            OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(count), &count, NULL));
            CHECK(count == levels);
            OK(clReleaseMemObject(image));
        }
        expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &ints, desc_at(&shapes[i], LEVELS + 1), NULL);
        expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &ints, desc_at(&shapes[i], 40), NULL);
        expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &ints, desc_at(&shapes[i], 2), host);
        expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_USE_HOST_PTR, &ints, desc_at(&shapes[i], 2), host);
        expect_refusal(CL_INVALID_HOST_PTR, 0, &ints, desc_at(&shapes[i], 2), host);
    }
    cl_image_desc desc = desc_at(&shapes[2], 2);
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &depth, desc, NULL);
    desc.mem_object = buffer;
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, desc, NULL);
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, desc, NULL);
    desc = desc_at(&shapes[2], 2);
    cl_mem image = image_of(0, &rgba8, &desc, NULL);
    desc.mem_object = image;
    desc.num_mip_levels = 0;
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, 0, &srgba, desc, NULL);
    desc.num_mip_levels = 2;
    cl_mem view = image_of(0, &srgba, &desc, NULL);
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

static cl_sampler_properties bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static cl_sampler sampler_of(cl_filter_mode mip, float least, float most)
{
    const cl_sampler_properties properties[] = {CL_SAMPLER_ADDRESSING_MODE,
                                                CL_ADDRESS_CLAMP_TO_EDGE,
                                                CL_SAMPLER_MIP_FILTER_MODE,
                                                mip,
                                                CL_SAMPLER_LOD_MIN,
                                                bits_of(least),
                                                CL_SAMPLER_LOD_MAX,
                                                bits_of(most),
                                                0};
    cl_int error;
    cl_sampler sampler = clCreateSamplerWithProperties(context, properties, &error);
    NEED(error == CL_SUCCESS);
    return sampler;
}

static void test_samplers(void)
{
    const cl_sampler_properties bad_filter[] = {CL_SAMPLER_MIP_FILTER_MODE, CL_ADDRESS_NONE, 0},
                                bad_range[] = {CL_SAMPLER_LOD_MIN, bits_of(2.0f), CL_SAMPLER_LOD_MAX, bits_of(1.0f), 0},
                                not_a_number[] = {CL_SAMPLER_LOD_MIN, bits_of(NAN), 0},
                                twice[] = {CL_SAMPLER_LOD_MIN, 0, CL_SAMPLER_LOD_MIN, 0, 0};
    cl_filter_mode mode = 0;
    float least = -1.0f, most = -1.0f;
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, bad_filter, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, bad_range, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, not_a_number, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &error));
    cl_sampler sampler = sampler_of(CL_FILTER_LINEAR, 0.5f, 3.25f);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE, sizeof(mode), &mode, NULL));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN, sizeof(least), &least, NULL));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX, sizeof(most), &most, NULL));
    CHECK(mode == CL_FILTER_LINEAR && least == 0.5f && most == 3.25f);
    OK(clReleaseSampler(sampler));
}

/* ---- transfers ---- */

static uint8_t texels[LEVELS][MOST], back[MOST];

static void write_levels(cl_mem image, const struct shape *shape)
{
    for (cl_uint level = 0; level < LEVELS; level++) {
        size_t origin[4], region[3];
        fill_random(texels[level], MOST);
        level_origin(shape, level, origin);
        region_of(shape, level, region);
        OK(clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, 0, 0, texels[level], 0, NULL, NULL));
    }
}

static void check_level(cl_mem image, const struct shape *shape, cl_uint level, const uint8_t *expected)
{
    size_t origin[4], region[3];
    level_origin(shape, level, origin);
    region_of(shape, level, region);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    if (memcmp(back, expected, texels_of(region) * 4)) {
        printf("%s: level %u is wrong\n", shape->name, level);
        test_failures++;
    }
}

static void test_copies(cl_mem image, const struct shape *shape)
{
    cl_image_desc desc = desc_at(shape, LEVELS);
    cl_mem other = image_of(0, &ints, &desc, NULL), buffer = buffer_of(0, MOST, NULL);
    static const cl_uint red[4] = {1, 2, 3, 4};
    static const uint8_t packed[4] = {1, 2, 3, 4};
    size_t from[4], to[4], region[3];
    for (cl_uint level = 0; level < LEVELS; level++) {
        level_origin(shape, level, from);
        region_of(shape, level, region);
        if (level % 2) {
            OK(clEnqueueCopyImage(queue, image, other, from, from, region, 0, NULL, NULL));
        } else {
            OK(clEnqueueCopyImageToBuffer(queue, image, buffer, from, region, 0, 0, NULL, NULL));
            OK(clEnqueueCopyBufferToImage(queue, buffer, other, 0, from, region, 0, NULL, NULL));
        }
    }
    for (cl_uint level = 0; level < LEVELS; level++)
        check_level(other, shape, level, texels[level]);
    region_of(shape, 1, region); /* from level 1 to a corner of level 0 of the same image, and a level filled */
    level_origin(shape, 1, from);
    level_origin(shape, 0, to);
    OK(clEnqueueCopyImage(queue, other, other, from, to, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, to, region, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, texels[1], texels_of(region) * 4));
    OK(clEnqueueFillImage(queue, other, red, from, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, from, region, 0, 0, back, 0, NULL, NULL));
    for (size_t i = 0; i < texels_of(region); i++)
        CHECK(!memcmp(back + 4 * i, packed, 4));
    check_level(other, shape, 2, texels[2]);
    CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, other, other, from, from, region, 0, NULL, NULL));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(buffer));
}

static void test_level_errors(cl_mem image, const struct shape *shape)
{
    cl_mem buffer = buffer_of(0, MOST, NULL);
    static const cl_uint colour[4];
    size_t bad[4], good[4], one[3] = {1, 1, 1}, region[3], row, slice;
    level_origin(shape, LEVELS, bad);
    level_origin(shape, LEVELS - 1, good);
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueReadImage(queue, image, CL_TRUE, bad, one, 0, 0, back, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueWriteImage(queue, image, CL_TRUE, bad, one, 0, 0, back, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueCopyImage(queue, image, image, bad, good, one, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueCopyImage(queue, image, image, good, bad, one, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueCopyImageToBuffer(queue, image, buffer, bad, one, 0, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueCopyBufferToImage(queue, buffer, image, 0, bad, one, 0, NULL, NULL));
    CODE(CL_INVALID_MIP_LEVEL, clEnqueueFillImage(queue, image, colour, bad, one, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_MIP_LEVEL,
              clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, bad, one, &row, &slice, 0, NULL, NULL, &error));
    region_of(shape, LEVELS - 1, region);
    region[0]++; /* the level is smaller than the image */
    CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, good, region, 0, 0, back, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
}

static void test_map(cl_mem image, const struct shape *shape)
{
    size_t origin[4], region[3], row, slice;
    uint8_t *maps[LEVELS];
    cl_int error;
    for (cl_uint level = 0; level < LEVELS; level++) { /* all at once: none lies over another */
        level_origin(shape, level, origin);
        region_of(shape, level, region);
        maps[level] = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, &slice,
                                        0, NULL, NULL, &error);
        NEED(error == CL_SUCCESS);
        CHECK(row == region[0] * 4);
        CHECK(slice == (shape->axes == 3 ? row * region[1] : shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : 0));
    }
    for (cl_uint level = 0; level < LEVELS; level++) {
        region_of(shape, level, region);
        CHECK(!memcmp(maps[level], texels[level], texels_of(region) * 4));
        maps[level][3] = texels[level][3] ^= 0x55;
        OK(clEnqueueUnmapMemObject(queue, image, maps[level], 0, NULL, NULL));
    }
    for (cl_uint level = 0; level < LEVELS; level++)
        check_level(image, shape, level, texels[level]);
}

/* ---- kernels ---- */

static const char *const copy_source =
    "kernel void k(read_only IMAGE a, write_only IMAGE b, sampler_t s, int argument, global int *counts)"
    "{"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);"
    "    float w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);"
    "    write_imageui(b, TEXEL, LEVEL, read_imageui(a, s, COORDINATE, (float)(LEVEL)));"
    "    counts[0] = get_image_num_mip_levels(a);"
    "    counts[1] = get_image_num_mip_levels(b);"
    "}";

static cl_kernel kernel_for(const struct shape *shape, const char *source, const char *more)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "#define IMAGE %s\n#define TEXEL %s\n#define COORDINATE %s\n#define GRADIENT %s\n%s\n%s", shape->name,
             shape->texel, shape->coordinate, shape->gradient, more, source);
    return kernel_of(text, "-cl-std=CL3.0");
}

/* The kernel copies a level, which is a constant or an argument. */
static void copy_levels(cl_mem image, const struct shape *shape, bool constant)
{
    cl_image_desc desc = desc_at(shape, LEVELS), small = desc_at(shape, 0);
    cl_mem to = image_of(CL_MEM_WRITE_ONLY, &ints, &desc, NULL),
           flat = image_of(CL_MEM_WRITE_ONLY, &ints, &small, NULL);
    cl_mem counts = buffer_of(0, 8, NULL);
    cl_sampler sampler = sampler_of(CL_FILTER_NEAREST, 0.0f, 1000.0f);
    cl_int got[2];
    for (cl_int level = 0; level < LEVELS; level++) {
        size_t region[3];
        char define[32];
        snprintf(define, sizeof(define), constant ? "#define LEVEL %d" : "#define LEVEL argument", level);
        cl_kernel kernel = kernel_for(shape, copy_source, define);
        region_of(shape, (cl_uint)level, region);
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
        OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &to));
        OK(clSetKernelArg(kernel, 2, sizeof(cl_sampler), &sampler));
        OK(clSetKernelArg(kernel, 3, sizeof(level), &level));
        OK(clSetKernelArg(kernel, 4, sizeof(cl_mem), &counts));
        OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, region, NULL, 0, NULL, NULL));
        if (level == LEVELS - 1) { /* an image without such a level: the write goes nowhere */
            OK(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
            CHECK(got[0] == LEVELS && got[1] == LEVELS);
            OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &flat));
            OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, region, NULL, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
            CHECK(got[0] == LEVELS && got[1] == 1);
        }
        OK(clReleaseKernel(kernel));
    }
    for (cl_uint level = 0; level < LEVELS; level++)
        check_level(to, shape, level, texels[level]);
    OK(clReleaseMemObject(to));
    OK(clReleaseMemObject(flat));
    OK(clReleaseMemObject(counts));
    OK(clReleaseSampler(sampler));
}

static const char *const choose_source =
    "kernel void k(read_only IMAGE a, sampler_t s, float lod, float step, global float *out)"
    "{"
    "    int x = 0, y = 0, z = 0;"
    "    float w = 1, h = 1, d = 1;"
    "    out[0] = read_imagef(a, s, COORDINATE, lod).x;"
    "    out[1] = read_imagef(a, s, COORDINATE, GRADIENT, GRADIENT * 0.5f).x;"
    "    out[2] = read_imagef(a, s, COORDINATE, GRADIENT * 0.5f, GRADIENT).x;"
    "    out[3] = read_imagef(a, s, COORDINATE).x;"
    "    out[4] = read_imagef(a, s, COORDINATE, 0.0f).x;"
    "}";

/* Level k holds 10 k everywhere, so that what is read tells the level. */
static void test_choice(const struct shape *shape)
{
    static const cl_image_format floats = {CL_RGBA, CL_FLOAT};
    static const struct {
        cl_filter_mode mip;
        float least, most, lod, expected, at_zero;
    } cases[] = {
        {CL_FILTER_NEAREST, 0, 1000, 0, 0, 0},        {CL_FILTER_NEAREST, 0, 1000, 1.4375f, 10, 0},
        {CL_FILTER_NEAREST, 0, 1000, 1.5625f, 20, 0}, {CL_FILTER_NEAREST, 0, 1000, 100, 30, 0},
        {CL_FILTER_NEAREST, 0, 1000, -5, 0, 0},       {CL_FILTER_NEAREST, 1, 2, 0, 10, 10},
        {CL_FILTER_NEAREST, 1, 2, 3, 20, 10},         {CL_FILTER_LINEAR, 0, 1000, 1.25f, 12.5f, 0},
        {CL_FILTER_LINEAR, 0, 1000, 2.5f, 25, 0},     {CL_FILTER_LINEAR, 0, 1000, 3.75f, 30, 0},
        {CL_FILTER_LINEAR, 0.5f, 2.25f, 0, 5, 5},     {CL_FILTER_LINEAR, 0.5f, 2.25f, 9, 22.5f, 5},
        {CL_FILTER_LINEAR, -3, 2.25f, -2, 0, 0},
    };
    cl_image_desc desc = desc_at(shape, LEVELS);
    cl_mem image = image_of(0, &floats, &desc, NULL), out = buffer_of(0, 20, NULL);
    cl_kernel kernel = kernel_for(shape, choose_source, "");
    for (cl_uint level = 0; level < LEVELS; level++) {
        const float colour[4] = {10.0f * (float)level, 0, 0, 1};
        size_t origin[4], region[3];
        level_origin(shape, level, origin);
        region_of(shape, level, region);
        OK(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        cl_sampler sampler = sampler_of(cases[i].mip, cases[i].least, cases[i].most);
        float step = exp2f(cases[i].lod) / W, got[5];
        size_t one = 1;
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
        OK(clSetKernelArg(kernel, 1, sizeof(cl_sampler), &sampler));
        OK(clSetKernelArg(kernel, 2, sizeof(float), &cases[i].lod));
        OK(clSetKernelArg(kernel, 3, sizeof(float), &step));
        OK(clSetKernelArg(kernel, 4, sizeof(cl_mem), &out));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
        bool right = fabsf(got[0] - cases[i].expected) < 0.01f && fabsf(got[1] - cases[i].expected) < 0.1f &&
                     fabsf(got[2] - cases[i].expected) < 0.1f && got[3] == 0.0f &&
                     fabsf(got[4] - cases[i].at_zero) < 0.01f;
        if (!right) {
            printf("%s, case %zu: %g, %g, %g, %g and %g\n", shape->name, i, (double)got[0], (double)got[1],
                   (double)got[2], (double)got[3], (double)got[4]);
            test_failures++;
        }
        OK(clReleaseSampler(sampler));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(out));
}

/* cl_khr_srgb_image_writes: colours are encoded at every level, and just once. */
static void test_encoding(void)
{
    static const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8};
    cl_image_desc desc = desc_at(&shapes[2], LEVELS);
    cl_mem image = image_of(0, &srgba, &desc, NULL);
    cl_kernel kernel = kernel_of("kernel void k(write_only image2d_t a, int level)"
                                 "{ write_imagef(a, (int2)(0, 0), level, (float4)(0.5f, 0.0f, 1.0f, 0.5f)); }",
                                 "-cl-std=CL3.0");
    for (cl_int level = 0; level < LEVELS; level++) {
        size_t one = 1, origin[3] = {0, 0, (size_t)level}, region[3] = {1, 1, 1};
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
        OK(clSetKernelArg(kernel, 1, sizeof(level), &level));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
        /* 127.5 may go either way: OpenCL C 3.0, 8.3.1.2 allows 0.6 */
        bool right = back[0] == 188 && back[1] == 0 && back[2] == 255 && (back[3] == 127 || back[3] == 128);
        if (!right) {
            printf("sRGB, level %d: %d %d %d %d\n", level, back[0], back[1], back[2], back[3]);
            test_failures++;
        }
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(image));
}

int main(void)
{
    open_images(0);
    test_creation();
    test_samplers();
    for (size_t i = 0; i < COUNT(shapes); i++) {
        cl_image_desc desc = desc_at(&shapes[i], LEVELS);
        cl_mem image = image_of(0, &ints, &desc, NULL);
        write_levels(image, &shapes[i]);
        for (cl_uint level = 0; level < LEVELS; level++)
            check_level(image, &shapes[i], level, texels[level]);
        test_copies(image, &shapes[i]);
        test_level_errors(image, &shapes[i]);
        test_map(image, &shapes[i]);
        copy_levels(image, &shapes[i], false);
        copy_levels(image, &shapes[i], true);
        OK(clReleaseMemObject(image));
        test_choice(&shapes[i]);
    }
    test_encoding();
    return close_device();
}
