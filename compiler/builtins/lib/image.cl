// Samplers in the kernel: what read_image{f,i,ui,h} with a sampler do, in terms of reads of single texels. OpenCL C 3.0,
// 6.15.15.1 and 8.2, computed as written there, so that texels are chosen exactly whatever a device's sampler would do. Linear
// filters are the device's where its own are good enough.
//
// A sampler is the 32-bit value of the CLK_* macros. Where it is a constant, all that belongs to other samplers folds away.
// Coordinates come as scalars; in arrays the last one is the layer. Each body is __pumice_sample_<image>_<texel>_<coordinate>:
// texels are f (four floats) or i (four integers of either sign: the read gives both right).

#pragma OPENCL EXTENSION cl_khr_depth_images : enable

#define NORMALIZED 1u
#define ADDRESS    0xeu
#define CLAMP      4u
#define REPEAT     6u
#define MIRRORED   8u
#define LINEAR     0x20u

#define ADDRESSES(sampler, mode) (((sampler) & ADDRESS) == (mode))

// The unnormalised coordinate. Where neighbours can only be outside it does not matter how far, and conversions need no more.
static float unnormalised(float s, int size, uint sampler)
{
    float extent = (float)size;
    if (sampler & NORMALIZED) {
        if (ADDRESSES(sampler, REPEAT))
            s = s - floor(s);
        if (ADDRESSES(sampler, MIRRORED))
            s = fabs(s - 2.0f * rint(0.5f * s));
        s = s * extent;
    }
    return fmin(fmax(s, -1.0f), extent + 1.0f);
}

// Inside the image always; what CLK_ADDRESS_CLAMP leaves outside is told by is_border().
static int address(int i, int size, uint sampler)
{
    if (ADDRESSES(sampler, REPEAT)) {
        i = select(i, i + size, i < 0);
        i = select(i, i - size, i >= size);
    }
    return max(min(i, size - 1), 0);
}

static int is_border(int i, int size, uint sampler)
{
    return ADDRESSES(sampler, CLAMP) & ((uint)i >= (uint)size);
}

static int nearest(float s, int size, uint sampler)
{
    return (int)floor(unnormalised(s, size, sampler));
}

static int layer_of_float(float w, int layers)
{
    return (int)fmin(fmax(rint(w), 0.0f), (float)(layers - 1));
}

static int layer_of_int(int w, int layers)
{
    return max(min(w, layers - 1), 0);
}

// The border is opaque for CL_R, CL_RG, CL_RGB, CL_LUMINANCE and CL_sRGB, which are these bits counted from CL_R, and for
// CL_NV12_INTEL, whose distance ends in the bits of 30.
static int border_alpha(int order)
{
    return 0x40008215 >> ((order - 0x10B0) & 31) & 1;
}

#define BORDER_F(image) (float4)(0.0f, 0.0f, 0.0f, (float)border_alpha(get_image_channel_order(image)))
#define BORDER_I(image) (int4)(0, 0, 0, border_alpha(get_image_channel_order(image)))
#define BORDER_D(image) 0.0f

#define LAYERS(image) (int)get_image_array_size(image)

// ---- one texel, or the border ----

#define TEXEL_1D(suffix, type, image_type, read, border)                                                               \
    static type texel_1d_##suffix(read_only image_type image, int i, uint sampler)                                     \
    {                                                                                                                  \
        int w = get_image_width(image);                                                                                \
        type texel = read(image, address(i, w, sampler));                                                              \
        type outside = border(image);                                                                                  \
        return is_border(i, w, sampler) ? outside : texel;                                                             \
    }

#define TEXEL_1D_ARRAY(suffix, type, image_type, read, border)                                                         \
    static type texel_1d_array_##suffix(read_only image_type image, int i, int layer, uint sampler)                    \
    {                                                                                                                  \
        int w = get_image_width(image);                                                                                \
        type texel = read(image, (int2)(address(i, w, sampler), layer));                                               \
        type outside = border(image);                                                                                  \
        return is_border(i, w, sampler) ? outside : texel;                                                             \
    }

#define TEXEL_2D(name, suffix, type, image_type, read, border)                                                         \
    static type texel_##name##_##suffix(read_only image_type image, int i, int j, uint sampler)                        \
    {                                                                                                                  \
        int w = get_image_width(image), h = get_image_height(image);                                                   \
        type texel = read(image, (int2)(address(i, w, sampler), address(j, h, sampler)));                              \
        type outside = border(image);                                                                                  \
        return is_border(i, w, sampler) | is_border(j, h, sampler) ? outside : texel;                                  \
    }

#define TEXEL_2D_ARRAY(name, suffix, type, image_type, read, border)                                                   \
    static type texel_##name##_##suffix(read_only image_type image, int i, int j, int layer, uint sampler)             \
    {                                                                                                                  \
        int w = get_image_width(image), h = get_image_height(image);                                                   \
        type texel = read(image, (int4)(address(i, w, sampler), address(j, h, sampler), layer, 0));                    \
        type outside = border(image);                                                                                  \
        return is_border(i, w, sampler) | is_border(j, h, sampler) ? outside : texel;                                  \
    }

#define TEXEL_3D(suffix, type, image_type, read, border)                                                               \
    static type texel_3d_##suffix(read_only image_type image, int i, int j, int k, uint sampler)                       \
    {                                                                                                                  \
        int w = get_image_width(image), h = get_image_height(image), d = get_image_depth(image);                       \
        type texel = read(image, (int4)(address(i, w, sampler), address(j, h, sampler), address(k, d, sampler), 0));   \
        type outside = border(image);                                                                                  \
        return is_border(i, w, sampler) | is_border(j, h, sampler) | is_border(k, d, sampler) ? outside : texel;       \
    }

TEXEL_1D(f, float4, image1d_t, read_imagef, BORDER_F)
TEXEL_1D(i, int4, image1d_t, read_imagei, BORDER_I)
TEXEL_1D_ARRAY(f, float4, image1d_array_t, read_imagef, BORDER_F)
TEXEL_1D_ARRAY(i, int4, image1d_array_t, read_imagei, BORDER_I)
TEXEL_2D(2d, f, float4, image2d_t, read_imagef, BORDER_F)
TEXEL_2D(2d, i, int4, image2d_t, read_imagei, BORDER_I)
TEXEL_2D(2d_depth, f, float, image2d_depth_t, read_imagef, BORDER_D)
TEXEL_2D_ARRAY(2d_array, f, float4, image2d_array_t, read_imagef, BORDER_F)
TEXEL_2D_ARRAY(2d_array, i, int4, image2d_array_t, read_imagei, BORDER_I)
TEXEL_2D_ARRAY(2d_array_depth, f, float, image2d_array_depth_t, read_imagef, BORDER_D)
TEXEL_3D(f, float4, image3d_t, read_imagef, BORDER_F)
TEXEL_3D(i, int4, image3d_t, read_imagei, BORDER_I)

// ---- linear filters: the texels around, in the order of 8.2 ----

static float4 linear_1d(read_only image1d_t image, uint sampler, float x)
{
    float u = unnormalised(x, get_image_width(image), sampler) - 0.5f, a = u - floor(u);
    int i = (int)floor(u);
    return (1.0f - a) * texel_1d_f(image, i, sampler) + a * texel_1d_f(image, i + 1, sampler);
}

static float4 linear_1d_array(read_only image1d_array_t image, uint sampler, float x, int layer)
{
    float u = unnormalised(x, get_image_width(image), sampler) - 0.5f, a = u - floor(u);
    int i = (int)floor(u);
    return (1.0f - a) * texel_1d_array_f(image, i, layer, sampler) + a * texel_1d_array_f(image, i + 1, layer, sampler);
}

#define LINEAR_2D(name, type, image_type)                                                                              \
    static type linear_##name(read_only image_type image, uint sampler, float x, float y)                              \
    {                                                                                                                  \
        float u = unnormalised(x, get_image_width(image), sampler) - 0.5f, a = u - floor(u);                           \
        float v = unnormalised(y, get_image_height(image), sampler) - 0.5f, b = v - floor(v);                          \
        int i = (int)floor(u), j = (int)floor(v);                                                                      \
        return (1.0f - a) * (1.0f - b) * texel_##name##_f(image, i, j, sampler) +                                      \
               a * (1.0f - b) * texel_##name##_f(image, i + 1, j, sampler) +                                           \
               (1.0f - a) * b * texel_##name##_f(image, i, j + 1, sampler) +                                           \
               a * b * texel_##name##_f(image, i + 1, j + 1, sampler);                                                 \
    }

#define LINEAR_2D_ARRAY(name, type, image_type)                                                                        \
    static type linear_##name(read_only image_type image, uint sampler, float x, float y, int layer)                   \
    {                                                                                                                  \
        float u = unnormalised(x, get_image_width(image), sampler) - 0.5f, a = u - floor(u);                           \
        float v = unnormalised(y, get_image_height(image), sampler) - 0.5f, b = v - floor(v);                          \
        int i = (int)floor(u), j = (int)floor(v);                                                                      \
        return (1.0f - a) * (1.0f - b) * texel_##name##_f(image, i, j, layer, sampler) +                               \
               a * (1.0f - b) * texel_##name##_f(image, i + 1, j, layer, sampler) +                                    \
               (1.0f - a) * b * texel_##name##_f(image, i, j + 1, layer, sampler) +                                    \
               a * b * texel_##name##_f(image, i + 1, j + 1, layer, sampler);                                          \
    }

LINEAR_2D(2d, float4, image2d_t)
LINEAR_2D(2d_depth, float, image2d_depth_t)
LINEAR_2D_ARRAY(2d_array, float4, image2d_array_t)
LINEAR_2D_ARRAY(2d_array_depth, float, image2d_array_depth_t)

static float4 linear_3d(read_only image3d_t image, uint sampler, float x, float y, float z)
{
    float u = unnormalised(x, get_image_width(image), sampler) - 0.5f, a = u - floor(u);
    float v = unnormalised(y, get_image_height(image), sampler) - 0.5f, b = v - floor(v);
    float w = unnormalised(z, get_image_depth(image), sampler) - 0.5f, c = w - floor(w);
    int i = (int)floor(u), j = (int)floor(v), k = (int)floor(w);
    return (1.0f - a) * (1.0f - b) * (1.0f - c) * texel_3d_f(image, i, j, k, sampler) +
           a * (1.0f - b) * (1.0f - c) * texel_3d_f(image, i + 1, j, k, sampler) +
           (1.0f - a) * b * (1.0f - c) * texel_3d_f(image, i, j + 1, k, sampler) +
           a * b * (1.0f - c) * texel_3d_f(image, i + 1, j + 1, k, sampler) +
           (1.0f - a) * (1.0f - b) * c * texel_3d_f(image, i, j, k + 1, sampler) +
           a * (1.0f - b) * c * texel_3d_f(image, i + 1, j, k + 1, sampler) +
           (1.0f - a) * b * c * texel_3d_f(image, i, j + 1, k + 1, sampler) +
           a * b * c * texel_3d_f(image, i + 1, j + 1, k + 1, sampler);
}

// ---- the device's own linear filter, where the runtime says that it will do ----
//
// A device's border does not fit every order of channels. So CLK_ADDRESS_CLAMP takes the filter that clamps to the edge, times the
// part of the weights that the image's own texels have: beyond the edge all texels are the edge's there.
//
// Vulkan's unnormalised coordinates are for images of one and two dimensions alone. For arrays and three dimensions kernels filter
// themselves then: divided by the size, a texel's centre may become one that lies before it, where a device with exact weights (lavapipe)
// mixes in a neighbour that should have no part.

enum { EDGE, REPEATS, MIRRORS, TEXELS }; // enum clc_filter

static float cover(float s, int size, uint sampler)
{
    float extent = (float)size, u = sampler & NORMALIZED ? s * extent : s;
    return fmin(fmax(u + 0.5f, 0.0f), 1.0f) * fmin(fmax(extent + 0.5f - u, 0.0f), 1.0f);
}

#define FILTER_AT(name, type, image_type, coordinate)                                                                  \
    static type filter_at_##name(read_only image_type image, uint sampler, coordinate at)                              \
    {                                                                                                                  \
        if (ADDRESSES(sampler, REPEAT))                                                                                \
            return __pumice_filterf(image, at, REPEATS);                                                               \
        if (ADDRESSES(sampler, MIRRORED))                                                                              \
            return __pumice_filterf(image, at, MIRRORS);                                                               \
        return __pumice_filterf(image, at, EDGE);                                                                      \
    }

FILTER_AT(1d, float4, image1d_t, float)
FILTER_AT(1d_array, float4, image1d_array_t, float2)
FILTER_AT(2d, float4, image2d_t, float2)
FILTER_AT(2d_depth, float, image2d_depth_t, float2)
FILTER_AT(2d_array, float4, image2d_array_t, float4)
FILTER_AT(2d_array_depth, float, image2d_array_depth_t, float4)
FILTER_AT(3d, float4, image3d_t, float4)

static float4 filter_1d(read_only image1d_t image, uint sampler, float x)
{
    float4 colour =
        sampler & NORMALIZED ? filter_at_1d(image, sampler, x) : __pumice_filterf(image, x, TEXELS);
    if (!ADDRESSES(sampler, CLAMP))
        return colour;
    float part = cover(x, get_image_width(image), sampler);
    return colour * part + BORDER_F(image) * (1.0f - part);
}

static float4 filter_1d_array(read_only image1d_array_t image, uint sampler, float x, int layer)
{
    float4 colour = filter_at_1d_array(image, sampler, (float2)(x, (float)layer));
    if (!ADDRESSES(sampler, CLAMP))
        return colour;
    float part = cover(x, get_image_width(image), sampler);
    return colour * part + BORDER_F(image) * (1.0f - part);
}

#define FILTER_2D(name, type, image_type, border)                                                                      \
    static type filter_##name(read_only image_type image, uint sampler, float x, float y)                              \
    {                                                                                                                  \
        type colour = sampler & NORMALIZED ? filter_at_##name(image, sampler, (float2)(x, y))                          \
                                           : __pumice_filterf(image, (float2)(x, y), TEXELS);                          \
        if (!ADDRESSES(sampler, CLAMP))                                                                                \
            return colour;                                                                                             \
        float part = cover(x, get_image_width(image), sampler) * cover(y, get_image_height(image), sampler);           \
        return colour * part + border(image) * (1.0f - part);                                                          \
    }

#define FILTER_2D_ARRAY(name, type, image_type, border)                                                                \
    static type filter_##name(read_only image_type image, uint sampler, float x, float y, int layer)                   \
    {                                                                                                                  \
        type colour = filter_at_##name(image, sampler, (float4)(x, y, (float)layer, 0.0f));                            \
        if (!ADDRESSES(sampler, CLAMP))                                                                                \
            return colour;                                                                                             \
        float part = cover(x, get_image_width(image), sampler) * cover(y, get_image_height(image), sampler);           \
        return colour * part + border(image) * (1.0f - part);                                                          \
    }

FILTER_2D(2d, float4, image2d_t, BORDER_F)
FILTER_2D(2d_depth, float, image2d_depth_t, BORDER_D)
FILTER_2D_ARRAY(2d_array, float4, image2d_array_t, BORDER_F)
FILTER_2D_ARRAY(2d_array_depth, float, image2d_array_depth_t, BORDER_D)

static float4 filter_3d(read_only image3d_t image, uint sampler, float x, float y, float z)
{
    int w = get_image_width(image), h = get_image_height(image), d = get_image_depth(image);
    float4 colour = filter_at_3d(image, sampler, (float4)(x, y, z, 0.0f));
    if (!ADDRESSES(sampler, CLAMP))
        return colour;
    float part = cover(x, w, sampler) * cover(y, h, sampler) * cover(z, d, sampler);
    return colour * part + BORDER_F(image) * (1.0f - part);
}

// ---- the bodies; depth images give their value first, as SPIR-V's reads have four components ----

float4 __pumice_sample_1d_f_float(read_only image1d_t image, uint sampler, float x)
{
    if (sampler & LINEAR)
        return __pumice_filters(image) ? filter_1d(image, sampler, x) : linear_1d(image, sampler, x);
    return texel_1d_f(image, nearest(x, get_image_width(image), sampler), sampler);
}

int4 __pumice_sample_1d_i_float(read_only image1d_t image, uint sampler, float x)
{
    return texel_1d_i(image, nearest(x, get_image_width(image), sampler), sampler);
}

float4 __pumice_sample_1d_f_int(read_only image1d_t image, uint sampler, int x)
{
    return texel_1d_f(image, x, sampler);
}

int4 __pumice_sample_1d_i_int(read_only image1d_t image, uint sampler, int x)
{
    return texel_1d_i(image, x, sampler);
}

float4 __pumice_sample_1d_array_f_float(read_only image1d_array_t image, uint sampler, float x, float w)
{
    int layer = layer_of_float(w, LAYERS(image));
    if (sampler & LINEAR)
        return __pumice_filters(image) && sampler & NORMALIZED ? filter_1d_array(image, sampler, x, layer)
                                                               : linear_1d_array(image, sampler, x, layer);
    return texel_1d_array_f(image, nearest(x, get_image_width(image), sampler), layer, sampler);
}

int4 __pumice_sample_1d_array_i_float(read_only image1d_array_t image, uint sampler, float x, float w)
{
    int i = nearest(x, get_image_width(image), sampler);
    return texel_1d_array_i(image, i, layer_of_float(w, LAYERS(image)), sampler);
}

float4 __pumice_sample_1d_array_f_int(read_only image1d_array_t image, uint sampler, int x, int w)
{
    return texel_1d_array_f(image, x, layer_of_int(w, LAYERS(image)), sampler);
}

int4 __pumice_sample_1d_array_i_int(read_only image1d_array_t image, uint sampler, int x, int w)
{
    return texel_1d_array_i(image, x, layer_of_int(w, LAYERS(image)), sampler);
}

#define FOUR(value)  (value)
#define FIRST(value) (float4)((value), 0.0f, 0.0f, 0.0f)

#define SAMPLE_2D_F(name, image_type, finish)                                                                          \
    float4 __pumice_sample_##name##_f_float(read_only image_type image, uint sampler, float x, float y)                \
    {                                                                                                                  \
        if (sampler & LINEAR)                                                                                          \
            return finish(__pumice_filters(image) ? filter_##name(image, sampler, x, y)                                \
                                                  : linear_##name(image, sampler, x, y));                              \
        int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);         \
        return finish(texel_##name##_f(image, i, j, sampler));                                                         \
    }                                                                                                                  \
    float4 __pumice_sample_##name##_f_int(read_only image_type image, uint sampler, int x, int y)                      \
    {                                                                                                                  \
        return finish(texel_##name##_f(image, x, y, sampler));                                                         \
    }

SAMPLE_2D_F(2d, image2d_t, FOUR)
SAMPLE_2D_F(2d_depth, image2d_depth_t, FIRST)

int4 __pumice_sample_2d_i_float(read_only image2d_t image, uint sampler, float x, float y)
{
    int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);
    return texel_2d_i(image, i, j, sampler);
}

int4 __pumice_sample_2d_i_int(read_only image2d_t image, uint sampler, int x, int y)
{
    return texel_2d_i(image, x, y, sampler);
}

#define SAMPLE_2D_ARRAY_F(name, image_type, finish)                                                                    \
    float4 __pumice_sample_##name##_f_float(read_only image_type image, uint sampler, float x, float y, float w)       \
    {                                                                                                                  \
        int layer = layer_of_float(w, LAYERS(image));                                                                  \
        if (sampler & LINEAR)                                                                                          \
            return finish(__pumice_filters(image) && sampler & NORMALIZED                                              \
                              ? filter_##name(image, sampler, x, y, layer)                                             \
                              : linear_##name(image, sampler, x, y, layer));                                           \
        int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);         \
        return finish(texel_##name##_f(image, i, j, layer, sampler));                                                  \
    }                                                                                                                  \
    float4 __pumice_sample_##name##_f_int(read_only image_type image, uint sampler, int x, int y, int w)               \
    {                                                                                                                  \
        return finish(texel_##name##_f(image, x, y, layer_of_int(w, LAYERS(image)), sampler));                         \
    }

SAMPLE_2D_ARRAY_F(2d_array, image2d_array_t, FOUR)
SAMPLE_2D_ARRAY_F(2d_array_depth, image2d_array_depth_t, FIRST)

int4 __pumice_sample_2d_array_i_float(read_only image2d_array_t image, uint sampler, float x, float y, float w)
{
    int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);
    return texel_2d_array_i(image, i, j, layer_of_float(w, LAYERS(image)), sampler);
}

int4 __pumice_sample_2d_array_i_int(read_only image2d_array_t image, uint sampler, int x, int y, int w)
{
    return texel_2d_array_i(image, x, y, layer_of_int(w, LAYERS(image)), sampler);
}

float4 __pumice_sample_3d_f_float(read_only image3d_t image, uint sampler, float x, float y, float z)
{
    if (sampler & LINEAR)
        return __pumice_filters(image) && sampler & NORMALIZED ? filter_3d(image, sampler, x, y, z)
                                                               : linear_3d(image, sampler, x, y, z);
    int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);
    return texel_3d_f(image, i, j, nearest(z, get_image_depth(image), sampler), sampler);
}

int4 __pumice_sample_3d_i_float(read_only image3d_t image, uint sampler, float x, float y, float z)
{
    int i = nearest(x, get_image_width(image), sampler), j = nearest(y, get_image_height(image), sampler);
    return texel_3d_i(image, i, j, nearest(z, get_image_depth(image), sampler), sampler);
}

float4 __pumice_sample_3d_f_int(read_only image3d_t image, uint sampler, int x, int y, int z)
{
    return texel_3d_f(image, x, y, z, sampler);
}

int4 __pumice_sample_3d_i_int(read_only image3d_t image, uint sampler, int x, int y, int z)
{
    return texel_3d_i(image, x, y, z, sampler);
}

// ---- writes of formats that Vulkan does not write ----
//
// An sRGB image (cl_khr_srgb_image_writes) is a linear one where it is written. One of CL_UNORM_SHORT_565 or _555 is one of words,
// normalised: 0x1.0001p-16 is 1 / 65535. So is one of CL_UNORM_INT10X6_EXT and its kin, whose numbers are in the high bits.

static float encode_srgb(float c)
{
    c = fmin(fmax(c, 0.0f), 1.0f); // NaN becomes 0
    return c < 0.0031308f ? 12.92f * c : 1.055f * native_exp2(native_log2(c) * (5.0f / 12.0f)) - 0.055f;
}

static float4 quantised(float4 colour, float most)
{
    return rint(fmin(fmax(colour, 0.0f), 1.0f) * most); // NaN becomes 0
}

// Types are counted from CL_SNORM_INT8: CL_UNORM_SHORT_565 and _555, CL_UNORM_INT10X6_EXT, 12X4 and 14X2.
static float4 encode_type(float4 colour, uint type)
{
    if (type == 4u || type == 5u) {
        float4 rgb = quantised(colour, 31.0f);
        float green = type == 4u ? quantised(colour, 63.0f).y : rgb.y, blue = rgb.z;
        float red = rgb.x * (type == 4u ? 2048.0f : 1024.0f);
        return (float4)((red + green * 32.0f + blue) * 0x1.0001p-16f, 0.0f, 0.0f, 0.0f);
    }
    float most = type == 17u ? 1023.0f : type == 25u ? 4095.0f : 16383.0f;
    float unit = type == 17u ? 64.0f : type == 25u ? 16.0f : 4.0f;
    return quantised(colour, most) * (unit * 0x1.0001p-16f);
}

// The order is counted from CL_R: CL_sRGB to CL_sBGRA.
float4 __pumice_encode_colour(float4 colour, uint order, uint type)
{
    if (0x6020030u >> (type & 31u) & 1u)
        return encode_type(colour, type);
    if (order - 15u < 4u) {
        // The kernel rounds these itself. A device's own rounding may be 0.6 of a step off, which OpenCL allows for linear colours alone.
        colour.xyz = (float3)(encode_srgb(colour.x), encode_srgb(colour.y), encode_srgb(colour.z));
        colour = quantised(colour, 255.0f) * (1.0f / 255.0f);
    }
    return colour;
}
