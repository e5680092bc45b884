/* Image formats: what an OpenCL channel order and type are to Vulkan and in memory (image_format.c). */
#ifndef SRC_OBJECT_IMAGE_FORMAT_H
#define SRC_OBJECT_IMAGE_FORMAT_H

#include "src/device/object.h"

#include "base/util.h"

/* How a texel of an image differs from one in memory (image_convert.c). */
enum ocl_conversion {
    OCL_AS_IT_IS,
    OCL_TURNED, /* a word, turned by two bits */
    OCL_YUV,    /* pairs of texels that share their colour (cl_intel_packed_yuv) */
    OCL_NV12,   /* a plane of luma and behind it one of chroma, of half the size (cl_intel_planar_yuv) */
    OCL_RAW,    /* integers of 10 or 12 bits, without gaps between them (cl_ext_image_raw10_raw12) */
};

struct ocl_format {
    cl_image_format cl;
    uint32_t format;         /* VkFormat with the components in the order of memory; integers are unsigned */
    uint32_t sampled_format; /* of what kernels sample where that is another (sRGB), or 0 */
    uint32_t other_format;   /* what an image of this image may be sampled as (5.3.1.2), or 0 */
    uint32_t bits_format; /* of the other class with the same 32 bits: integers for floats, floats for integers; or 0 */
    uint32_t texel_size; /* bytes in memory, as CL_IMAGE_ELEMENT_SIZE says; raw texels': of the least integer for one */
    uint32_t bits;       /* that a texel really takes there */
    uint32_t stored_size; /* and in an image */
    enum ocl_conversion conversion;
    uint32_t unit; /* texels that lie in memory together: widths and columns are multiples of it; of planes, rows too */
    bool integer;  /* read_imagei, read_imageui */
    bool high_bits; /* CL_UNORM_INT10X6_EXT and its kin: numbers in the high bits of 16, which kernels decode */
};

/* Of whole units. */
static inline uint64_t ocl_format_bytes(const struct ocl_format *format, uint64_t texels)
{
    uint64_t bits = size_product(texels, format->bits);
    return bits == UINT64_MAX ? bits : bits / 8;
}

/* From row to row where these have no gaps; of planes, rows of luma, and rows of chroma are as long. */
static inline uint64_t ocl_format_row(const struct ocl_format *format, uint64_t texels)
{
    return format->conversion == OCL_NV12 ? texels : ocl_format_bytes(format, texels);
}

static inline bool ocl_format_is_depth(const struct ocl_format *format)
{
    return format->cl.image_channel_order == CL_DEPTH || format->cl.image_channel_order == CL_DEPTH_STENCIL;
}

/* False where OpenCL 3.0 API, tables 16 and 17, knows no such format. */
bool ocl_format_find(const cl_image_format *format, struct ocl_format *result);
/* Whether kernels of the device can use images of this format and type as the flags say. */
bool ocl_format_supported(cl_device_id device, const struct ocl_format *format, cl_mem_object_type type,
                          cl_mem_flags flags);
struct ocl_image_limits {
    size_t size_2d, size_3d, layers, buffer; /* texels on an axis */
    cl_uint read_args, write_args, read_write_args;
};
/* All 0 where the device has no images. */
void ocl_image_limits(cl_device_id device, struct ocl_image_limits *limits);
/* All formats that every device of the context supports; writes at most capacity, returns how many there are. */
cl_uint ocl_format_list(cl_context context, cl_mem_object_type type, cl_mem_flags flags, cl_image_format *list,
                        cl_uint capacity);
/* One unit of texels from clEnqueueFillImage's colour. */
void ocl_format_pack(const struct ocl_format *format, const void *colour, uint8_t texel[16]);

/* CL_YUYV_INTEL, _UYVY, _YVYU and _VYUY follow each other. */
#define OCL_YUYV 0x4076
/* The bytes of one unit whose texels are all alike, from one as the image has it (of YUV: V, Y and U); of planes, Y, U
 * and V. */
void ocl_format_pack_unit(const struct ocl_format *format, const uint8_t texel[4], uint8_t unit[8]);
/* Packed texels as images have them; whole units. Any conversion but that of planes. */
void ocl_format_decode(const struct ocl_format *format, const void *from, void *to, size_t texels);

#endif
