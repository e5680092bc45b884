/* What OpenCL C 3.0, 6.15.15 and 8 make of an image: kinds, formats and texels on the host, and what a read with any
 * sampler gives, computed in the specification's own steps. test_images.c holds devices to it. */
#ifndef UNIT_IMAGE_REFERENCE_H
#define UNIT_IMAGE_REFERENCE_H

#include "run_kernel.h"

#include <math.h>

/* ---- images on the host ---- */

struct shape {
    const char *type; /* image2d */
    enum vkb_image_kind kind;
    uint32_t width, height, depth, layers;
    const char *coordinate;     /* of float4 at */
    const char *int_coordinate; /* of int4 at */
    int dimensions;             /* that are filtered */
};

static const struct shape shapes[] = {
    {"image1d", VKB_IMAGE_1D, 17, 1, 1, 1, "at.x", "at.x", 1},
    {"image1d_array", VKB_IMAGE_1D_ARRAY, 9, 1, 1, 3, "at.xy", "at.xy", 1},
    {"image2d", VKB_IMAGE_2D, 7, 5, 1, 1, "at.xy", "at.xy", 2},
    {"image2d_array", VKB_IMAGE_2D_ARRAY, 5, 4, 1, 3, "at", "at", 2},
    {"image3d", VKB_IMAGE_3D, 5, 4, 3, 1, "at", "at", 3},
};

struct format {
    const char *name;
    uint32_t vulkan, order, type, components, bytes; /* bytes of a component */
};

static const struct format formats[] = {
    {"RGBA float", VK_FORMAT_R32G32B32A32_SFLOAT, ORDER_RGBA, TYPE_FLOAT, 4, 4},
    {"R float", VK_FORMAT_R32_SFLOAT, ORDER_R, TYPE_FLOAT, 1, 4},
    {"RGBA half", VK_FORMAT_R16G16B16A16_SFLOAT, ORDER_RGBA, TYPE_HALF, 4, 2},
    {"RGBA unorm8", VK_FORMAT_R8G8B8A8_UNORM, ORDER_RGBA, TYPE_UNORM8, 4, 1},
    {"BGRA unorm8", VK_FORMAT_R8G8B8A8_UNORM, ORDER_BGRA, TYPE_UNORM8, 4, 1},
    {"ARGB unorm8", VK_FORMAT_R8G8B8A8_UNORM, ORDER_ARGB, TYPE_UNORM8, 4, 1},
    {"ABGR unorm8", VK_FORMAT_R8G8B8A8_UNORM, ORDER_ABGR, TYPE_UNORM8, 4, 1},
    {"RGBA snorm8", VK_FORMAT_R8G8B8A8_SNORM, ORDER_RGBA, TYPE_SNORM8, 4, 1},
    {"RGBA unorm16", VK_FORMAT_R16G16B16A16_UNORM, ORDER_RGBA, TYPE_UNORM16, 4, 2},
    {"RGBA snorm16", VK_FORMAT_R16G16B16A16_SNORM, ORDER_RGBA, TYPE_SNORM16, 4, 2},
    {"RG unorm8", VK_FORMAT_R8G8_UNORM, ORDER_RG, TYPE_UNORM8, 2, 1},
    {"RA unorm8", VK_FORMAT_R8G8_UNORM, ORDER_RA, TYPE_UNORM8, 2, 1},
    {"A unorm8", VK_FORMAT_R8_UNORM, ORDER_A, TYPE_UNORM8, 1, 1},
    {"INTENSITY unorm8", VK_FORMAT_R8_UNORM, ORDER_INTENSITY, TYPE_UNORM8, 1, 1},
    {"LUMINANCE unorm8", VK_FORMAT_R8_UNORM, ORDER_LUMINANCE, TYPE_UNORM8, 1, 1},
    {"RGBA signed8", VK_FORMAT_R8G8B8A8_UINT, ORDER_RGBA, TYPE_SIGNED8, 4, 1},
    {"RGBA signed16", VK_FORMAT_R16G16B16A16_UINT, ORDER_RGBA, TYPE_SIGNED16, 4, 2},
    {"RGBA signed32", VK_FORMAT_R32G32B32A32_UINT, ORDER_RGBA, TYPE_SIGNED32, 4, 4},
    {"RGBA unsigned8", VK_FORMAT_R8G8B8A8_UINT, ORDER_RGBA, TYPE_UNSIGNED8, 4, 1},
    {"BGRA unsigned8", VK_FORMAT_R8G8B8A8_UINT, ORDER_BGRA, TYPE_UNSIGNED8, 4, 1},
    {"RGBA unsigned16", VK_FORMAT_R16G16B16A16_UINT, ORDER_RGBA, TYPE_UNSIGNED16, 4, 2},
    {"RGBA unsigned32", VK_FORMAT_R32G32B32A32_UINT, ORDER_RGBA, TYPE_UNSIGNED32, 4, 4},
    {"R signed8", VK_FORMAT_R8_UINT, ORDER_R, TYPE_SIGNED8, 1, 1},
    {"RG signed16", VK_FORMAT_R16G16_UINT, ORDER_RG, TYPE_SIGNED16, 2, 2},
};

static bool is_integer(const struct format *format)
{
    return format->type >= TYPE_SIGNED8 && format->type <= TYPE_UNSIGNED32;
}

union colour {
    float f[4];
    int32_t i[4];
    uint32_t bits[4];
};

/* OpenCL C 3.0, 6.15.15.7: the component of memory that each of the colour's is; 4 and 5: zero and one. */
static const uint8_t *components_of(uint32_t order)
{
    static const struct {
        uint32_t order;
        uint8_t from[4];
    } orders[] = {
        {ORDER_R, {0, 4, 4, 5}},         {ORDER_A, {4, 4, 4, 0}},     {ORDER_RG, {0, 1, 4, 5}},
        {ORDER_RA, {0, 4, 4, 1}},        {ORDER_RGBA, {0, 1, 2, 3}},  {ORDER_BGRA, {2, 1, 0, 3}},
        {ORDER_ARGB, {1, 2, 3, 0}},      {ORDER_ABGR, {3, 2, 1, 0}},  {ORDER_INTENSITY, {0, 0, 0, 0}},
        {ORDER_LUMINANCE, {0, 0, 0, 5}}, {ORDER_DEPTH, {0, 4, 4, 5}},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(orders); i++) {
        if (orders[i].order == order)
            return orders[i].from;
    }
    return NULL;
}

/* The random halves are normal numbers or zero. */
static float float_of_half(uint16_t half)
{
    float magnitude = ldexpf((float)(half & 0x3ff) + 1024.0f, (half >> 10 & 31) - 25);
    return half & 0x7fff ? (half & 0x8000 ? -magnitude : magnitude) : 0.0f;
}

static float decode_float(const struct format *format, const uint8_t *at)
{
    int16_t wide = 0;
    float value = 0;
    memcpy(&wide, at, format->bytes < 2 ? 1 : 2);
    switch (format->type) {
    case TYPE_FLOAT:
        memcpy(&value, at, 4);
        return value;
    case TYPE_HALF:
        return float_of_half((uint16_t)wide);
    case TYPE_UNORM8:
        return (float)*at / 255.0f;
    case TYPE_UNORM16:
        return (float)(uint16_t)wide / 65535.0f;
    case TYPE_SNORM8:
        return fmaxf((float)(int8_t)*at / 127.0f, -1.0f);
    default:
        return fmaxf((float)wide / 32767.0f, -1.0f);
    }
}

static int32_t decode_int(const struct format *format, const uint8_t *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, format->bytes);
    if (format->type == TYPE_SIGNED8)
        return (int8_t)bits;
    return format->type == TYPE_SIGNED16 ? (int16_t)bits : (int32_t)bits;
}

static inline union colour decode(const struct format *format, const uint8_t *texel)
{
    const uint8_t *from = components_of(format->order);
    union colour colour;
    for (int c = 0; c < 4; c++) {
        const uint8_t *at = texel + from[c] * format->bytes;
        if (is_integer(format))
            colour.i[c] = from[c] < 4 ? decode_int(format, at) : from[c] - 4;
        else
            colour.f[c] = from[c] < 4 ? decode_float(format, at) : (float)(from[c] - 4);
    }
    return colour;
}

struct picture {
    const struct shape *shape;
    const struct format *format;
    uint32_t rows, slices; /* layers counted as OpenCL does */
    uint32_t texel_size;
    uint8_t *bytes;
    struct vkb_image *image;
};

static uint32_t num_texels(const struct picture *picture)
{
    return picture->shape->width * picture->rows * picture->slices;
}

static void random_texels(struct picture *picture)
{
    uint32_t count = num_texels(picture) * picture->format->components;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *at = picture->bytes + i * picture->format->bytes;
        float value = (float)(next_random() % 20001) / 1000.0f - 10.0f;
        uint16_t half = half_from_double((double)value);
        if (picture->format->type == TYPE_FLOAT)
            memcpy(at, &value, 4);
        else if (picture->format->type == TYPE_HALF)
            memcpy(at, &half, 2);
        else
            fill_random(at, picture->format->bytes);
    }
}

static struct vkb_image_region whole(const struct picture *picture)
{
    return (struct vkb_image_region){
        .extent = {picture->shape->width, picture->rows, picture->slices},
        .row_texels = picture->shape->width,
        .slice_rows = picture->rows,
    };
}

/* False where the device does not have the format for this use. */
static bool make_picture(struct vkb_queue *queue, struct picture *picture, const struct shape *shape,
                         const struct format *format, bool storage)
{
    uint32_t word = clc_image_word(format->order, format->type);
    struct vkb_image_info info = {.kind = shape->kind,
                                  .format = format->vulkan,
                                  .texel_size = format->components * format->bytes,
                                  .width = shape->width,
                                  .height = shape->height,
                                  .depth = shape->depth,
                                  .layers = shape->layers,
                                  .sampled = true,
                                  .storage = storage};
    for (uint32_t c = 0; c < 4; c++)
        info.mapping[c] = (uint8_t)clc_image_component(word, c);
    *picture = (struct picture){.shape = shape,
                                .format = format,
                                .rows = shape->kind == VKB_IMAGE_1D_ARRAY ? shape->layers : shape->height,
                                .slices = shape->kind == VKB_IMAGE_2D_ARRAY ? shape->layers : shape->depth,
                                .texel_size = info.texel_size};
    if (!vkb_image_supported(device, &info))
        return false;
    OK(vkb_image_create(device, &info, &picture->image));
    uint32_t size = num_texels(picture) * picture->texel_size;
    picture->bytes = malloc(size);
    random_texels(picture);
    struct vkb_buffer *buffer = make_buffer(size, false);
    struct vkb_enqueue enqueue = on(queue);
    struct vkb_image_region region = whole(picture);
    write_now(queue, buffer, 0, picture->bytes, size);
    OK(vkb_cmd_buffer_to_image(&enqueue, buffer, picture->image, &region));
    vkb_buffer_release(buffer);
    return true;
}

static void free_picture(struct picture *picture)
{
    vkb_image_release(picture->image);
    free(picture->bytes);
}

/* ---- what a read gives ---- */

enum { NORMALIZED = 1, EDGE = 2, CLAMP = 4, REPEAT = 6, MIRRORED = 8, ADDRESS = 14, NEAREST = 0x10, LINEAR = 0x20 };

static const union colour *texel(const struct picture *picture, const union colour *colours, const int at[3])
{
    return &colours[((uint32_t)at[2] * picture->rows + (uint32_t)at[1]) * picture->shape->width + (uint32_t)at[0]];
}

/* OpenCL C 3.0, 6.15.15.1.1 */
static union colour border(const struct format *format)
{
    union colour colour = {{0}};
    bool opaque = format->order == ORDER_R || format->order == ORDER_RG || format->order == ORDER_LUMINANCE;
    if (opaque && is_integer(format))
        colour.i[3] = 1;
    else if (opaque)
        colour.f[3] = 1.0f;
    return colour;
}

/* The texel on an axis, or -1: 8.2's address_mode with what REPEAT and MIRRORED_REPEAT do instead. */
static int address(int i, int size, uint32_t sampler)
{
    switch (sampler & ADDRESS) {
    case REPEAT:
        return i < 0 ? i + size : i > size - 1 ? i - size : i;
    case CLAMP:
        return i < 0 || i > size - 1 ? -1 : i;
    default:
        return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
    }
}

static float unnormalised(float s, int size, uint32_t sampler)
{
    if (!(sampler & NORMALIZED))
        return s;
    if ((sampler & ADDRESS) == REPEAT)
        return (s - floorf(s)) * (float)size;
    if ((sampler & ADDRESS) == MIRRORED)
        return fabsf(s - 2.0f * rintf(0.5f * s)) * (float)size;
    return s * (float)size;
}

static int layer_axis(const struct shape *shape)
{
    return shape->kind == VKB_IMAGE_1D_ARRAY ? 1 : shape->kind == VKB_IMAGE_2D_ARRAY ? 2 : -1;
}

static inline union colour reference(const struct picture *picture, const union colour *colours, uint32_t sampler,
                                     const float at[4])
{
    const int sizes[3] = {(int)picture->shape->width, (int)picture->rows, (int)picture->slices};
    bool linear = sampler & LINEAR && !is_integer(picture->format);
    int low[3] = {0}, axis = layer_axis(picture->shape), dimensions = picture->shape->dimensions;
    float weight[3] = {0};
    for (int d = 0; d < dimensions; d++) {
        float u = unnormalised(at[d], sizes[d], sampler) - (linear ? 0.5f : 0.0f);
        low[d] = (int)fminf(fmaxf(floorf(u), -1e6f), 1e6f);
        weight[d] = u - floorf(u);
    }
    if (axis >= 0)
        low[axis] = (int)fminf(fmaxf(rintf(at[axis]), 0.0f), (float)(sizes[axis] - 1));
    union colour result = {{0}};
    for (int corner = 0; corner < (linear ? 1 << dimensions : 1); corner++) {
        int where[3] = {low[0], low[1], low[2]};
        bool outside = false;
        float share = 1.0f;
        for (int d = 0; d < dimensions; d++) {
            int high = corner >> d & 1;
            where[d] = address(low[d] + high, sizes[d], sampler);
            outside |= where[d] < 0;
            share = d ? share * (high ? weight[d] : 1.0f - weight[d]) : (high ? weight[d] : 1.0f - weight[d]);
        }
        union colour colour = outside ? border(picture->format) : *texel(picture, colours, where);
        if (!linear)
            return colour;
        for (int c = 0; c < 4; c++)
            result.f[c] = corner ? result.f[c] + share * colour.f[c] : share * colour.f[c];
    }
    return result;
}

/* Normalised formats may be 1.5 ULP off (8.3.1). Filtered texels add a few roundings, as much as beside the image,
 * where the weights of equal texels are the implementation's own. */
static inline bool is_close(const struct format *format, bool linear, const union colour *got,
                            const union colour *expected)
{
    for (int c = 0; c < 4; c++) {
        bool wide = format->type == TYPE_FLOAT || format->type == TYPE_HALF; /* up to 10 */
        float slack = wide ? (linear ? 4e-6f : 0.0f) : (linear ? 4e-7f : 1.5e-7f);
        if (is_integer(format) ? got->i[c] != expected->i[c] : !(fabsf(got->f[c] - expected->f[c]) <= slack))
            return false;
    }
    return true;
}

#endif
