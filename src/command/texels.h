/* Where the texels of an image are for a command (image_use.c), and how they are moved (image_transfer.c). */
#ifndef SRC_COMMAND_TEXELS_H
#define SRC_COMMAND_TEXELS_H

#include "src/object/image.h"

struct ocl_command;

/* In an image, or in a buffer from offset with a pitch. */
struct ocl_texels {
    struct vkb_image *image;
    struct vkb_buffer *buffer;
    uint64_t offset, pitch[2];
    uint64_t chroma; /* a buffer's two planes (CL_NV12_INTEL): where the second begins behind the first, else 0 */
    uint32_t bits;   /* of a texel in memory */
    uint32_t level;  /* of the image */
    const struct ocl_format *format; /* the image's where its texels are not those in memory; else NULL */
};

/* The image's texels for a transfer by the command. */
cl_int ocl_command_use_texels(struct ocl_command *command, cl_mem mem, bool writes, struct ocl_texels *texels);
/* Whether kernels of the device, where the image has been placed, see an image beside the buffer whose texels it has.
 */
bool ocl_image_is_beside(cl_mem mem, cl_uint device);
/* The image as kernels see it. */
cl_int ocl_command_use_image(struct ocl_command *command, cl_mem mem, bool writes, struct vkb_image **image);
/* After the kernel: takes what it wrote to where the texels are. */
enum vkb_result ocl_command_wrote_image(struct ocl_command *command, cl_mem mem);
/* The same texels as kernels see them that read or write integers where the image has floats, or floats where it has
 * integers: their bits. The object's, which keeps it. *view is NULL where there is none such: the components have not
 * 32 bits, or the image was imported. The image has been placed on the device. */
cl_int ocl_image_bits(cl_mem mem, cl_uint device, struct vkb_image **view);
/* Any small image of the class and kind, for a descriptor that the kernel does not touch. */
cl_int ocl_image_dummy(cl_context context, cl_uint device, enum vkb_image_kind kind, bool integer,
                       struct vkb_image **image);

/* ---- transfers (image_transfer.c) ---- */

/* From a to b: texels of region, from from_origin to to_origin. */
enum vkb_result ocl_texels_copy(struct ocl_command *command, const struct ocl_texels *from, const size_t from_origin[3],
                                const struct ocl_texels *to, const size_t to_origin[3], const size_t region[3]);
/* Between texels and host memory, whose first byte is at host. */
enum vkb_result ocl_texels_read(struct ocl_command *command, const struct ocl_texels *from, const size_t origin[3],
                                const size_t region[3], void *host, const uint64_t pitch[2]);
enum vkb_result ocl_texels_write(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                 const size_t region[3], const void *host, const uint64_t pitch[2]);
/* The same, but the bytes are taken before the call returns, and nothing is waited for. */
enum vkb_result ocl_texels_take(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                const size_t region[3], const void *host, const uint64_t pitch[2]);
/* Has the host copy between the image and its memory now, if that is quicker than the device's copy would be. Else
 * VKB_UNSUPPORTED, and nothing is enqueued. */
enum vkb_result ocl_texels_copy_now(struct ocl_command *command, const struct ocl_texels *image, const size_t origin[3],
                                    const size_t region[3], void *host, const uint64_t pitch[2], bool to_image);
enum vkb_result ocl_texels_fill(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                const size_t region[3], const uint8_t *texel);

#endif
