/* Images: what an image object is beside any memory object. */
#ifndef SRC_OBJECT_IMAGE_H
#define SRC_OBJECT_IMAGE_H

#include "src/object/image_format.h"
#include "src/object/memory.h"

struct ocl_image {
    struct ocl_format format;
    size_t width, height, depth, array_size; /* as queries answer: 0 where the type has none */
    uint32_t extent[3];                      /* texels as commands count them: a 1D array's layers are rows */
    uint64_t pitch[2];                       /* bytes from row to row and from slice to slice, on the host or in the
                                                buffer that the texels lie in */
    uint64_t chroma;                         /* of planes: bytes from the first one's beginning to the second's */
    size_t row_pitch, slice_pitch;           /* as queries answer */
    cl_uint samples;    /* 0: it is not multisampled; else they are layers, as clc_image_word_samples() says */
    cl_uint num_levels; /* as given: 0 and 1 are an image that is not mip-mapped */
};

static inline bool ocl_is_image(const struct _cl_mem *mem)
{
    return mem->image != NULL;
}

/* cl_khr_gl_depth_images, cl_khr_gl_msaa_sharing: depths that have a stencil beside them, and samples, are only read,
 * and only by kernels. */
static inline bool ocl_image_moves(const struct _cl_mem *mem)
{
    return mem->image->format.cl.image_channel_order != CL_DEPTH_STENCIL && !mem->image->samples;
}

/* What the backend makes of it; sizes are 1. */
void ocl_image_vk_info(const struct ocl_format *format, cl_mem_object_type type, cl_mem_flags flags,
                       struct vkb_image_info *info);

/* What clCreateImage has checked. */
struct ocl_image_request {
    cl_mem_flags flags;
    cl_mem_object_type type;
    struct ocl_format format;
    cl_image_desc desc;
    void *host_ptr;
    cl_mem parent; /* a buffer or an image, or NULL */
    cl_uint samples;
    struct vkb_image *given; /* context of one device: the root's image, which exists already; or NULL */
    const cl_mem_properties *properties;
    struct ocl_mem_properties external; /* what they say */
};
cl_int ocl_image_create(cl_context context, const struct ocl_image_request *request, cl_mem *mem);
/* CLC_IMAGES_* where kernels of the device decode what they sample of such an image, else 0. May run the probe. */
uint32_t ocl_image_decodes(const struct ocl_format *format, cl_device_id device);
/* Whether the device's linear filter will do for such images, with three dimensions or fewer. May run the probe. */
bool ocl_format_filters(const struct ocl_format *format, bool three, cl_device_id device);
/* What a plane that others share is made from: the same whatever kernels may do with it. */
void ocl_image_shared_info(cl_context context, const struct ocl_image_request *request, struct vkb_image_info *info);
/* A root's image on a device of the context, for ocl_mem_place_late(). */
cl_int ocl_image_allocate(cl_mem root, cl_uint device, struct vkb_image **image);
/* The same in a context of one device, with the contents that the root was created with. */
cl_int ocl_image_allocate_filled(cl_mem root, struct vkb_image **image);
/* Makes the root's image on a device of the context (its mutex held, or nobody else knows it yet). */
cl_int ocl_image_place(cl_mem root, cl_uint device);
/* Bytes of an image with this descriptor, pitches and all. */
size_t ocl_image_size(cl_mem_object_type type, const cl_image_desc *desc, const struct ocl_format *format);
/* All texels of a level, packed in a buffer behind those of the levels before it. */
void ocl_image_whole(const struct _cl_mem *mem, uint32_t level, struct vkb_image_region *region);
/* Bytes of all levels, packed, and of those before one, as images have them. */
uint64_t ocl_image_packed_offset(const struct _cl_mem *mem, uint32_t level);
uint64_t ocl_image_packed_size(const struct _cl_mem *mem);
/* Bytes from row to row and from slice to slice of host memory given with these pitches (0: packed) for a region. */
void ocl_image_pitches(const struct _cl_mem *mem, const size_t region[3], size_t row_pitch, size_t slice_pitch,
                       uint64_t pitch[2]);

/* ---- levels of detail (image_level.c) ---- */

/* Where a transfer begins. */
struct ocl_start {
    size_t origin[3];
    uint32_t level;
};

uint32_t ocl_image_levels(const struct ocl_image *image); /* at least 1 */
/* What the application's origin says; it has a fourth number only where a mip-mapped image has three axes. False: there
 * is no such level. */
bool ocl_image_find(const struct _cl_mem *mem, const size_t *origin, struct ocl_start *place);
void ocl_image_extent(const struct _cl_mem *mem, uint32_t level, uint32_t extent[3]);
/* Where a level is among all in memory, and the bytes between its rows and slices there. */
uint64_t ocl_image_level_offset(const struct _cl_mem *mem, uint32_t level);
void ocl_image_level_pitch(const struct _cl_mem *mem, uint32_t level, uint64_t pitch[2]);
/* The level alone, for kernels to write; the object's, which keeps it. The image has been placed on the device. */
cl_int ocl_image_level_view(cl_mem mem, cl_uint device, uint32_t level, struct vkb_image **view);
void ocl_image_release_levels(cl_mem mem, cl_uint device);

#define OCL_IMAGE_FLAGS                                                                                                \
    ((cl_mem_flags)(OCL_DEVICE_ACCESS | OCL_HOST_ACCESS | OCL_HOST_POINTER | CL_MEM_KERNEL_READ_AND_WRITE |            \
                    OCL_MEM_IMMUTABLE | CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL))

/* cl_intel_planar_yuv: an image of two planes, whose memory is that of a buffer that is nobody's but the image's. */
static inline bool ocl_image_is_planar(const struct _cl_mem *mem)
{
    return mem->image && mem->image->format.conversion == OCL_NV12;
}
/* Bytes in front of the second plane. */
uint64_t ocl_image_chroma(const struct _cl_mem *mem);

/* A step that converts packed texels from one mapped buffer to another (image_convert.c). The image keeps format. */
enum vkb_result ocl_texels_convert(struct vkb_enqueue *enqueue, const struct ocl_format *format,
                                   struct vkb_buffer *from, struct vkb_buffer *to, const size_t region[3],
                                   bool decodes);

#endif
