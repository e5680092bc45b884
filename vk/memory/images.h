/* Images as users of the backend see them. */
#ifndef VK_MEMORY_IMAGES_H
#define VK_MEMORY_IMAGES_H

#include "vk/memory/buffers.h"

enum vkb_image_kind {
    VKB_IMAGE_1D,
    VKB_IMAGE_1D_ARRAY,
    VKB_IMAGE_2D,
    VKB_IMAGE_2D_ARRAY,
    VKB_IMAGE_3D,
    VKB_IMAGE_BUFFER, /* a line of texels in a buffer */
};

struct vkb_image_info {
    enum vkb_image_kind kind;
    uint32_t format;                       /* VkFormat, of colours */
    uint32_t texel_size;                   /* bytes */
    uint32_t width, height, depth, layers; /* 1 where the kind has none */
    bool sampled, storage;                 /* what kernels do with it */
    uint8_t mapping[4]; /* of sampled images: where a colour's component comes from: 0-3 the texel's, 4 zero, 5 one */
    uint32_t sampled_format; /* VkFormat of what kernels sample, of the same size; 0: format */
    uint64_t row_pitch;      /* bytes; of vkb_image_create_over() and of an import in rows */
    uint64_t slice_pitch;    /* bytes; of an import in rows */
    uint32_t levels;         /* of detail, each half as large as the one before; 0: one */
    uint32_t first_level;    /* of vkb_image_create_view(): the base's that is the view's first */
    uint32_t other_format;   /* another that views of this image may have; 0: none */
};

struct vkb_image;

/* Texels of an image, as OpenCL counts them: a 1D array's layer is y, a 2D array's z; extents are at least 1. */
struct vkb_image_region {
    uint32_t origin[3], dst_origin[3], extent[3]; /* dst_origin: between images */
    uint32_t level, dst_level;                    /* of detail; origins and extents are texels of these */
    uint64_t buffer_offset;                       /* bytes, a multiple of the texel's size and of 4 */
    uint32_t row_texels, slice_rows;              /* the buffer's pitches */
};

bool vkb_image_supported(struct vkb_device *device, const struct vkb_image_info *info);
/* Makes an image with undefined contents. VKB_UNSUPPORTED for what vkb_image_supported() denies. */
enum vkb_result vkb_image_create(struct vkb_device *device, const struct vkb_image_info *info,
                                 struct vkb_image **image);
/* VKB_IMAGE_BUFFER: width texels from offset, which is a multiple of texel_buffer_alignment. VKB_IMAGE_2D: height rows
 * of them, where the device lays images out so that rows are info's row_pitch apart. Keeps the buffer alive. What is
 * not to be had is VKB_UNSUPPORTED. No command may be writing the buffer. */
enum vkb_result vkb_image_create_over(struct vkb_buffer *buffer, uint64_t offset, const struct vkb_image_info *info,
                                      struct vkb_image **image);
/* The same texels, in another format or with another mapping: base's format, or what base's info named as
 * other_format. The view has info's levels of base's from first_level on; its sizes are base's. Kernels write its first
 * level. Keeps base alive. */
enum vkb_result vkb_image_create_view(struct vkb_image *base, const struct vkb_image_info *info,
                                      struct vkb_image **image);
/* The image of another API behind an opaque handle, which was made with what info says: optimal tiling, or linear where
 * info has a pitch, no mip levels, usage for transfers and for what info has. It is in the layout GENERAL whenever it
 * changes hands. Handles and failures are as with vkb_buffer_import_handle(). */
enum vkb_result vkb_image_import_handle(struct vkb_device *device, const struct vkb_image_info *info,
                                        enum vkb_handle kind, intptr_t handle, struct vkb_image **image);
/* An image with undefined contents whose memory others can import by such a handle (opaque ones: made there with what
 * info says, optimal tiling). It is in GENERAL whenever it changes hands, and this device's at first. */
enum vkb_result vkb_image_create_exported(struct vkb_device *device, const struct vkb_image_info *info,
                                          enum vkb_handle kind, struct vkb_image **image);
/* A new handle, which is the caller's, or -1. *size: bytes of the allocation, which others must know; *dedicated: whether
 * they must say that it is for one image alone. */
intptr_t vkb_image_export(struct vkb_image *image, enum vkb_handle kind, uint64_t *size, bool *dedicated);
/* How the texels of a plane lie in a dma_buf. */
enum { VKB_DMA_BUF_PLANES = 4 };
struct vkb_dma_buf {
    int fd;
    uint64_t modifier;   /* of Linux's drm_fourcc.h; 0: in rows */
    uint32_t num_planes; /* of memory, as the modifier has them; rows are one */
    uint64_t offset[VKB_DMA_BUF_PLANES], pitch[VKB_DMA_BUF_PLANES]; /* bytes */
};
/* A plane of one level whose texels are those of a dma_buf, without a copy. VKB_UNSUPPORTED: the device does not lay
 * such images out so. Descriptors and owners are as with vkb_image_import_handle(). */
enum vkb_result vkb_image_import_dma_buf(struct vkb_device *device, const struct vkb_image_info *info,
                                         const struct vkb_dma_buf *from, struct vkb_image **image);
/* How many planes of memory such an image has with the modifier; 0: the device does not lay it out so. */
uint32_t vkb_image_modifier_planes(struct vkb_device *device, const struct vkb_image_info *info, uint64_t modifier);
struct vkb_image *vkb_image_retain(struct vkb_image *image);
/* Has an image that no command was enqueued with, and that has memory of its own, filled with the texels of its first
 * level, which lie packed. After success the reference is the image's. */
enum vkb_result vkb_image_give(struct vkb_image *image, struct vkb_contents *contents);
/* The image is freed once no command that was enqueued with it is running any more. */
void vkb_image_release(struct vkb_image *image);
const struct vkb_image_info *vkb_image_info(const struct vkb_image *image);
bool vkb_image_filters(const struct vkb_image *image); /* the device has linear filters for its sampled view */
/* A size (of an axis that levels halve) at a level of detail. */
static inline uint32_t vkb_level_size(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}
/* Whether the device would do with a plane over a buffer's memory (vkb_image_create_over()) all that it does with an
 * image of its own, where its memory is the host's. *pitch: bytes from row to row, as the device
 * lays them; *size: bytes that the buffer must have. */
bool vkb_image_fits_rows(struct vkb_device *device, const struct vkb_image_info *info, uint64_t *pitch, uint64_t *size);
bool vkb_image_is_over(const struct vkb_image *image); /* a buffer's memory */
/* Whether the host does all transfers of the image: vkb_cmd_read_image() and vkb_cmd_write_image(). */
bool vkb_image_host_copies(const struct vkb_image *image);
/* Whether it would be quicker with so many bytes than the device, if nothing else were under way. */
bool vkb_image_host_is_quick(const struct vkb_image *image, uint64_t bytes, bool write);

#endif
