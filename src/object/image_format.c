/* The one table of image formats.
 *
 * A format is a channel order and a data type. The order says how many components a texel has and which of the colour's
 * they are; the type says how each is stored, or how all are packed into one word. Vulkan's format is the one of as
 * many components in the order of memory: what order they have in a colour is the view's mapping or, for storage images
 * and texel buffers, the kernel's arithmetic (clc_image_word()). Nothing here is particular to a device: what it can do
 * is asked of vkb_image_supported(). */
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/image_format.h"

#include "base/util.h"

#include <math.h>
#include <string.h>

/* VkFormat, the values of Vulkan 1.0 */
enum {
    R5G6B5_UNORM = 4,
    A1R5G5B5_UNORM = 8,
    R8_UNORM = 9,
    R8_SNORM = 10,
    R8_UINT = 13,
    R8G8_UNORM = 16,
    R8G8_SNORM = 17,
    R8G8_UINT = 20,
    R8G8B8_UNORM = 23,
    R8G8B8_SRGB = 29,
    R8G8B8A8_UNORM = 37,
    R8G8B8A8_SNORM = 38,
    R8G8B8A8_UINT = 41,
    R8G8B8A8_SRGB = 43,
    A2B10G10R10_UNORM = 64,
    R16_UNORM = 70,
    R16_SNORM = 71,
    R16_UINT = 74,
    R16_SFLOAT = 76,
    R16G16_UNORM = 77,
    R16G16_SNORM = 78,
    R16G16_UINT = 81,
    R16G16_SFLOAT = 83,
    R16G16B16A16_UNORM = 91,
    R16G16B16A16_SNORM = 92,
    R16G16B16A16_UINT = 95,
    R16G16B16A16_SFLOAT = 97,
    R32_UINT = 98,
    R32_SFLOAT = 100,
    R32G32_UINT = 101,
    R32G32_SFLOAT = 103,
    R32G32B32A32_UINT = 107,
    R32G32B32A32_SFLOAT = 109,
};

/* Extensions', without the suffix that some systems' headers define names with. */
#define CL_UNORM_INT10X6      0x10E1
#define CL_UNSIGNED_INT_RAW10 0x10E3
#define CL_UNSIGNED_INT_RAW12 0x10E4
#define CL_UNORM_INT_2_101010 0x10E5
#define CL_UNSIGNED_INT10X6   0x10E6
#define CL_UNSIGNED_INT12X4   0x10E7
#define CL_UNSIGNED_INT14X2   0x10E8
#define CL_UNORM_INT12X4      0x10E9
#define CL_UNORM_INT14X2      0x10EA

/* How a component is stored, and the scale of normalised ones. HIGH_...: in the high bits of 16. */
enum storing { UNORM, SNORM, SIGNED, UNSIGNED, HALF, SINGLE, HIGH_UNORM, HIGH_UNSIGNED, RAW10, RAW12, PACKED };

struct type_row {
    cl_channel_type type;
    enum storing storing;
    uint8_t bytes;      /* of a component; of a texel where it is packed */
    uint8_t formats[4]; /* of one to four components; packed: of the only one, and of what kernels write instead */
    uint8_t low_bits;   /* HIGH_...: those below */
};

static const struct type_row types[] = {
    {CL_SNORM_INT8, SNORM, 1, {R8_SNORM, R8G8_SNORM, 0, R8G8B8A8_SNORM}},
    {CL_SNORM_INT16, SNORM, 2, {R16_SNORM, R16G16_SNORM, 0, R16G16B16A16_SNORM}},
    {CL_UNORM_INT8, UNORM, 1, {R8_UNORM, R8G8_UNORM, R8G8B8_UNORM, R8G8B8A8_UNORM}},
    {CL_UNORM_INT16, UNORM, 2, {R16_UNORM, R16G16_UNORM, 0, R16G16B16A16_UNORM}},
    {CL_SIGNED_INT8, SIGNED, 1, {R8_UINT, R8G8_UINT, 0, R8G8B8A8_UINT}},
    {CL_SIGNED_INT16, SIGNED, 2, {R16_UINT, R16G16_UINT, 0, R16G16B16A16_UINT}},
    {CL_SIGNED_INT32, SIGNED, 4, {R32_UINT, R32G32_UINT, 0, R32G32B32A32_UINT}},
    {CL_UNSIGNED_INT8, UNSIGNED, 1, {R8_UINT, R8G8_UINT, 0, R8G8B8A8_UINT}},
    {CL_UNSIGNED_INT16, UNSIGNED, 2, {R16_UINT, R16G16_UINT, 0, R16G16B16A16_UINT}},
    {CL_UNSIGNED_INT32, UNSIGNED, 4, {R32_UINT, R32G32_UINT, 0, R32G32B32A32_UINT}},
    {CL_HALF_FLOAT, HALF, 2, {R16_SFLOAT, R16G16_SFLOAT, 0, R16G16B16A16_SFLOAT}},
    {CL_FLOAT, SINGLE, 4, {R32_SFLOAT, R32G32_SFLOAT, 0, R32G32B32A32_SFLOAT}},
    {CL_UNORM_INT24, SINGLE, 4, {R32_SFLOAT}},                     /* of a depth, which a float holds */
    {CL_UNORM_SHORT_565, PACKED, 2, {R5G6B5_UNORM, R16_UNORM}, 0}, /* kernels put the word together (lib/image.cl) */
    {CL_UNORM_SHORT_555, PACKED, 2, {A1R5G5B5_UNORM, R16_UNORM}, 0},
    {CL_UNORM_INT_101010, PACKED, 4, {A2B10G10R10_UNORM}, 0},   /* its red and blue are blue and red here */
    {CL_UNORM_INT_101010_2, PACKED, 4, {A2B10G10R10_UNORM}, 0}, /* turned, and the same there */
    {CL_UNORM_INT_2_101010, PACKED, 4, {A2B10G10R10_UNORM}, 0},
    {CL_UNORM_INT10X6, HIGH_UNORM, 2, {R16_UNORM, R16G16_UNORM, 0, R16G16B16A16_UNORM}, 6},
    {CL_UNORM_INT12X4, HIGH_UNORM, 2, {R16_UNORM, R16G16_UNORM, 0, R16G16B16A16_UNORM}, 4},
    {CL_UNORM_INT14X2, HIGH_UNORM, 2, {R16_UNORM, R16G16_UNORM, 0, R16G16B16A16_UNORM}, 2},
    {CL_UNSIGNED_INT_RAW10, RAW10, 2, {R16_UINT}},
    {CL_UNSIGNED_INT_RAW12, RAW12, 2, {R16_UINT}},
    {CL_UNSIGNED_INT10X6, HIGH_UNSIGNED, 2, {R16_UINT, R16G16_UINT, 0, R16G16B16A16_UINT}, 6},
    {CL_UNSIGNED_INT12X4, HIGH_UNSIGNED, 2, {R16_UINT, R16G16_UINT, 0, R16G16B16A16_UINT}, 4},
    {CL_UNSIGNED_INT14X2, HIGH_UNSIGNED, 2, {R16_UINT, R16G16_UINT, 0, R16G16B16A16_UINT}, 2},
};

#define BIT(type) (1u << ((type)-CL_SNORM_INT8))

enum {
    NORMALISED = BIT(CL_SNORM_INT8) | BIT(CL_SNORM_INT16) | BIT(CL_UNORM_INT8) | BIT(CL_UNORM_INT16),
    FLOATS = BIT(CL_HALF_FLOAT) | BIT(CL_FLOAT),
    INTEGERS = BIT(CL_SIGNED_INT8) | BIT(CL_SIGNED_INT16) | BIT(CL_SIGNED_INT32) | BIT(CL_UNSIGNED_INT8) |
               BIT(CL_UNSIGNED_INT16) | BIT(CL_UNSIGNED_INT32),
    BYTES = BIT(CL_SNORM_INT8) | BIT(CL_UNORM_INT8) | BIT(CL_SIGNED_INT8) | BIT(CL_UNSIGNED_INT8),
    PACKED_TYPES = BIT(CL_UNORM_SHORT_565) | BIT(CL_UNORM_SHORT_555) | BIT(CL_UNORM_INT_101010),
    HIGH = BIT(CL_UNORM_INT10X6) | BIT(CL_UNORM_INT12X4) | BIT(CL_UNORM_INT14X2) | BIT(CL_UNSIGNED_INT10X6) |
           BIT(CL_UNSIGNED_INT12X4) | BIT(CL_UNSIGNED_INT14X2),
    RAW = BIT(CL_UNSIGNED_INT_RAW10) | BIT(CL_UNSIGNED_INT_RAW12),
    ANY = NORMALISED | FLOATS | INTEGERS,
};

struct order_row {
    cl_channel_order order;
    uint8_t components;
    uint32_t types;     /* OpenCL 3.0 API, table 16: those that go with it */
    const char *colour; /* the colour's component that each of memory's is */
};

static const struct order_row orders[] = {
    {CL_RGBA, 4, ANY | HIGH | BIT(CL_UNORM_INT_101010_2), "rgba"},
    {CL_R, 1, ANY | HIGH | RAW, "r"},
    {CL_RG, 2, ANY | HIGH, "rg"},
    {CL_A, 1, ANY, "a"},
    {CL_RA, 2, ANY, "ra"},
    {CL_Rx, 1, ANY, "r"},
    {CL_RGx, 2, ANY, "rg"},
    {CL_RGB, 3, PACKED_TYPES, "rgb"},
    {CL_RGBx, 3, PACKED_TYPES, "rgb"},
    {CL_BGRA, 4, BYTES, "bgra"},
    {CL_ARGB, 4, BYTES, "argb"},
    {CL_ABGR, 4, BYTES | BIT(CL_UNORM_INT_2_101010), "abgr"},
    {CL_INTENSITY, 1, NORMALISED | FLOATS, "r"},
    {CL_LUMINANCE, 1, NORMALISED | FLOATS, "r"},
    {CL_DEPTH, 1, BIT(CL_UNORM_INT16) | BIT(CL_FLOAT), "r"},
    {CL_DEPTH_STENCIL, 1, BIT(CL_UNORM_INT24) | BIT(CL_FLOAT), "r"}, /* cl_khr_gl_depth_images: the depth alone */
    {CL_sRGB, 3, BIT(CL_UNORM_INT8), "rgb"},
    {CL_sRGBx, 4, BIT(CL_UNORM_INT8), "rgba"},
    {CL_sRGBA, 4, BIT(CL_UNORM_INT8), "rgba"},
    {CL_sBGRA, 4, BIT(CL_UNORM_INT8), "bgra"},
    {OCL_YUYV, 4, BIT(CL_UNORM_INT8), "rgba"}, /* in an image: V, Y, U and nothing */
    {OCL_YUYV + 1, 4, BIT(CL_UNORM_INT8), "rgba"},
    {OCL_YUYV + 2, 4, BIT(CL_UNORM_INT8), "rgba"},
    {OCL_YUYV + 3, 4, BIT(CL_UNORM_INT8), "rgba"},
    {CL_NV12_INTEL, 4, BIT(CL_UNORM_INT8), "rgba"}, /* the same */
};

static bool is_srgb(cl_channel_order order)
{
    return order >= CL_sRGB && order <= CL_sBGRA;
}

static bool is_yuv(cl_channel_order order)
{
    return order >= OCL_YUYV && order <= OCL_YUYV + 3;
}

/* The same texels as integers where they are floats, and the other way round, both of 32 bits. */
static uint32_t bits_format(uint32_t format)
{
    static const uint32_t pairs[][2] = {
        {R32_UINT, R32_SFLOAT}, {R32G32_UINT, R32G32_SFLOAT}, {R32G32B32A32_UINT, R32G32B32A32_SFLOAT}};
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
        if (pairs[i][0] == format || pairs[i][1] == format)
            return pairs[i][pairs[i][0] == format];
    }
    return 0;
}

static void describe(const struct order_row *order, const struct type_row *type, struct ocl_format *format)
{
    bool packed = type->storing == PACKED, raw = type->storing == RAW10 || type->storing == RAW12;
    *format = (struct ocl_format){
        .cl = {order->order, type->type},
        .format = type->formats[packed ? 0 : order->components - 1],
        .texel_size = packed ? type->bytes : (uint32_t)type->bytes * order->components,
        .integer = type->storing == SIGNED || type->storing == UNSIGNED || type->storing == HIGH_UNSIGNED || raw,
        .high_bits = type->storing == HIGH_UNORM,
        .unit = type->storing == RAW10        ? 4
                : raw || is_yuv(order->order) ? 2
                                              : 1,
        .conversion = type->type == CL_UNORM_INT_101010_2 ? OCL_TURNED
                      : raw                               ? OCL_RAW
                                                          : OCL_AS_IT_IS,
    };
    format->stored_size = format->texel_size;
    if (is_yuv(order->order)) {
        format->conversion = OCL_YUV;
        format->texel_size = 2;
    }
    if (order->order == CL_NV12_INTEL) { /* the size is that of the luma */
        format->conversion = OCL_NV12;
        format->texel_size = 1;
        format->unit = 2;
    }
    bool twelve = type->storing == RAW12 || format->conversion == OCL_NV12;
    format->bits = type->storing == RAW10 ? 10 : twelve ? 12 : 8 * format->texel_size;
    if (order->order == CL_DEPTH_STENCIL && type->type == CL_FLOAT)
        format->texel_size = 8; /* as it is called; the stencil is nowhere */
    if (packed && type->formats[1]) {
        format->sampled_format = format->format;
        format->format = type->formats[1];
    }
    uint32_t srgb = format->format == R8G8B8A8_UNORM ? R8G8B8A8_SRGB : format->format == R8G8B8_UNORM ? R8G8B8_SRGB : 0;
    bool has_other = order->order == CL_RGBA || order->order == CL_BGRA;
    if (is_srgb(order->order))
        format->sampled_format = srgb;
    else if (has_other)
        format->other_format = srgb;
    format->bits_format = bits_format(format->format);
    if (format->bits_format)
        format->other_format = format->bits_format;
}

static const struct order_row *find_order(cl_channel_order order)
{
    for (size_t i = 0; i < ARRAY_LENGTH(orders); i++) {
        if (orders[i].order == order)
            return &orders[i];
    }
    return NULL;
}

static const struct type_row *find_type(cl_channel_type type)
{
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        if (types[i].type == type)
            return &types[i];
    }
    return NULL;
}

bool ocl_format_find(const cl_image_format *format, struct ocl_format *result)
{
    const struct order_row *order = find_order(format->image_channel_order);
    const struct type_row *type = find_type(format->image_channel_data_type);
    if (!order || !type || !(order->types & BIT(type->type)))
        return false;
    describe(order, type, result);
    return true;
}

/* ---- what devices can do ---- */

/* Whether kernels may have images of the format by these flags at all, whatever the device. */
static bool fits_use(const struct ocl_format *format, cl_mem_object_type type, cl_mem_flags flags)
{
    bool differs = format->sampled_format || format->conversion || format->high_bits;
    if (ocl_format_is_depth(format) && type != CL_MEM_OBJECT_IMAGE2D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return false;
    if (format->conversion == OCL_NV12 && !(flags & CL_MEM_HOST_NO_ACCESS)) /* cl_intel_planar_yuv, 5.3.1 */
        return false;
    if (format->unit > 1 && (type != CL_MEM_OBJECT_IMAGE2D || !(flags & (CL_MEM_READ_ONLY | CL_MEM_NO_ACCESS_INTEL))))
        return false;
    /* A view of another format decodes them, or transfers or sampling kernels do. Texel buffers have neither, and what
     * kernels write is not encoded where they read it, too. */
    return !differs || (!(flags & CL_MEM_KERNEL_READ_AND_WRITE) && type != CL_MEM_OBJECT_IMAGE1D_BUFFER);
}

bool ocl_format_supported(cl_device_id device, const struct ocl_format *format, cl_mem_object_type type,
                          cl_mem_flags flags)
{
    struct vkb_image_info info;
    if (!device->images || !format->format || !fits_use(format, type, flags))
        return false;
    if (flags & CL_MEM_KERNEL_READ_AND_WRITE && !vkb_caps_image_reads(device->caps))
        return false;
    ocl_image_vk_info(format, type, flags, &info);
    return vkb_image_supported(device->vk, &info);
}

/* A kernel may use an argument as two images (docs/images.md), and more arguments than these nobody writes. */
static cl_uint num_args(uint32_t descriptors, cl_uint most)
{
    return (cl_uint)u64_min(descriptors / 2, most);
}

void ocl_image_limits(cl_device_id device, struct ocl_image_limits *limits)
{
    const struct vkb_caps *caps = device->caps;
    *limits = (struct ocl_image_limits){0};
    if (!device->images)
        return;
    limits->size_2d = u64_min(caps->max_image_1d, caps->max_image_2d);
    limits->size_3d = caps->max_image_3d;
    limits->layers = caps->max_image_layers;
    limits->buffer = caps->max_texel_buffer_elements;
    limits->read_args = num_args(caps->max_sampled_images, 128);
    limits->write_args = num_args(caps->max_storage_images, 64);
    limits->read_write_args = vkb_caps_image_reads(caps) ? limits->write_args : 0;
}

static bool supported_by_all(cl_context context, const struct ocl_format *format, cl_mem_object_type type,
                             cl_mem_flags flags)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (!ocl_format_supported(context->devices[i], format, type, flags))
            return false;
    }
    return true;
}

cl_uint ocl_format_list(cl_context context, cl_mem_object_type type, cl_mem_flags flags, cl_image_format *list,
                        cl_uint capacity)
{
    cl_uint count = 0;
    for (size_t o = 0; o < ARRAY_LENGTH(orders); o++) {
        for (size_t t = 0; t < ARRAY_LENGTH(types); t++) {
            struct ocl_format format;
            if (!(orders[o].types & BIT(types[t].type)))
                continue;
            describe(&orders[o], &types[t], &format);
            /* Nobody makes them but clCreateFromGLTexture(), and kernels only read them. */
            if (orders[o].order == CL_DEPTH_STENCIL && (!context->gl || !(flags & CL_MEM_READ_ONLY)))
                continue;
            if (!supported_by_all(context, &format, type, flags))
                continue;
            if (list && count < capacity)
                list[count] = format.cl;
            count++;
        }
    }
    return count;
}

/* ---- texels on the host ---- */

/* OpenCL C 3.0, 8.3.1.3: convert_uchar_sat_rte(f * 255.0f) and its kin; NaN becomes 0. */
static uint32_t unorm(float value, float scale)
{
    return value > 0.0f ? (uint32_t)rintf(fminf(value, 1.0f) * scale) : 0;
}

static uint32_t snorm(float value, float scale)
{
    return value == value ? (uint32_t)(int32_t)rintf(fminf(fmaxf(value, -1.0f), 1.0f) * scale) : 0;
}

/* OpenCL C 3.0, 8.3.1.3: from linear to sRGB */
static float encode_srgb(float c)
{
    if (!(c > 0.0f))
        return 0.0f;
    if (c >= 1.0f)
        return 1.0f;
    return c < 0.0031308f ? 12.92f * c : (float)(1.055 * pow((double)c, 5.0 / 12.0) - 0.055);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint32_t pack_component(const struct type_row *type, const uint8_t colour[4])
{
    int64_t top = ((int64_t)1 << (8 * type->bytes)) - 1, half = top / 2;
    float f;
    int32_t i;
    uint32_t u;
    memcpy(&f, colour, 4);
    memcpy(&i, colour, 4);
    memcpy(&u, colour, 4);
    switch (type->storing) {
    case UNORM:
        return unorm(f, (float)top);
    case SNORM:
        return snorm(f, (float)half);
    case SIGNED:
        return (uint32_t)clamp(i, -half - 1, half);
    case UNSIGNED:
        return (uint32_t)clamp(u, 0, top);
    case HIGH_UNORM:
        return unorm(f, (float)(top >> type->low_bits)) << type->low_bits;
    case RAW10:
    case RAW12:
        return (uint32_t)u64_min(u, type->storing == RAW10 ? 1023 : 4095);
    case HIGH_UNSIGNED:
        return (uint32_t)clamp(u, 0, top >> type->low_bits) << type->low_bits;
    case HALF:
        return half_from_double((double)f);
    case SINGLE:
    case PACKED:
        break;
    }
    return u;
}

static uint32_t pack_word(cl_channel_type type, const float rgb[4])
{
    if (type == CL_UNORM_INT_101010_2)
        return unorm(rgb[0], 1023.0f) << 22 | unorm(rgb[1], 1023.0f) << 12 | unorm(rgb[2], 1023.0f) << 2 |
               unorm(rgb[3], 3.0f);
    if (type == CL_UNORM_INT_2_101010)
        return unorm(rgb[3], 3.0f) << 30 | unorm(rgb[2], 1023.0f) << 20 | unorm(rgb[1], 1023.0f) << 10 |
               unorm(rgb[0], 1023.0f);
    if (type == CL_UNORM_SHORT_565)
        return unorm(rgb[0], 31.0f) << 11 | unorm(rgb[1], 63.0f) << 5 | unorm(rgb[2], 31.0f);
    if (type == CL_UNORM_SHORT_555)
        return unorm(rgb[0], 31.0f) << 10 | unorm(rgb[1], 31.0f) << 5 | unorm(rgb[2], 31.0f);
    return unorm(rgb[0], 1023.0f) << 20 | unorm(rgb[1], 1023.0f) << 10 | unorm(rgb[2], 1023.0f);
}

void ocl_format_pack(const struct ocl_format *format, const void *colour, uint8_t texel[16])
{
    const struct order_row *order = find_order(format->cl.image_channel_order);
    const struct type_row *type = find_type(format->cl.image_channel_data_type);
    uint32_t words[4];
    memcpy(words, colour, order->order == CL_DEPTH ? 4 : 16);
    if (is_srgb(order->order) || type->storing == PACKED) {
        float rgb[4];
        memcpy(rgb, words, sizeof(rgb));
        for (int c = 0; c < 3 && is_srgb(order->order); c++)
            rgb[c] = encode_srgb(rgb[c]);
        memcpy(words, rgb, sizeof(rgb));
        if (type->storing == PACKED) {
            uint32_t word = pack_word(type->type, rgb);
            memcpy(texel, &word, type->bytes);
            return;
        }
    }
    uint8_t one[4], *to = format->unit > 1 ? one : texel;
    for (uint32_t c = 0; c < order->components; c++) {
        size_t from = (size_t)(strchr("rgba", order->colour[c]) - "rgba");
        uint32_t value = pack_component(type, (const uint8_t *)&words[from]);
        memcpy(to + c * type->bytes, &value, type->bytes);
    }
    if (format->unit > 1)
        ocl_format_pack_unit(format, one, texel);
}
