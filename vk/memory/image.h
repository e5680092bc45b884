/* Images (image.c). */
#ifndef VK_MEMORY_IMAGE_H
#define VK_MEMORY_IMAGE_H

#include "vk/device/device.h"
#include "vk/memory/first_use.h"
#include "vk/memory/images.h"
#include "vk/memory/memory.h"

#include <stddef.h>

struct memory_source;

struct vkb_image {
    atomic_uint refs;
    struct vkb_device *device;
    uint64_t number; /* of these views: no other image of the process ever has it; not 0 */
    struct vkb_image_info info;
    VkImage handle;               /* in VK_IMAGE_LAYOUT_GENERAL for all commands */
    VkDeviceMemory memory;        /* of an imported or exported one */
    bool dedicated;               /* ... that the driver wants for it alone */
    struct memory_part part;      /* of one with memory of its own; such images are kept when they are unused */
    uint64_t size;                /* bytes of that memory */
    struct kept kept;             /* in memory->images, while nobody has it */
    uint32_t hash;                /* of info */
    struct first_use first;       /* the base's: its transition, and what it is filled with */
    uint32_t owner;               /* of such a one: the queue family that stands for the others */
    VkImageView sampled, storage; /* as far as info says */
    struct vkb_image *base;       /* whose texels these are too (vkb_image_create_view()), or NULL */
    struct vkb_buffer *buffer;    /* whose texels, from offset, or NULL */
    uint64_t offset;
    VkBufferView texels;
    uint32_t raw_format;             /* see vkb_image_raw(); 0: there is none */
    _Atomic(struct vkb_image *) raw; /* made when it is first asked for */
    bool filters;                    /* linear filters work on the sampled view */
    bool is_modified;                /* imported in rows or with a modifier, for which the next line says */
    VkFormatFeatureFlags modified;   /* what the device does with the texels */
    bool host_copies;                /* made for copies by the host (host_image.c) */
};

static inline struct vkb_image *vkb_image_of_kept(struct kept *kept)
{
    return (struct vkb_image *)((char *)kept - offsetof(struct vkb_image, kept));
}

/* What a VkImage is made from; the formats of its views lie behind it. */
struct image_creation {
    VkImageCreateInfo info;
    VkImageFormatListCreateInfo list;
    VkFormat formats[4];
};
void vkb_image_fill_creation(const struct vkb_image_info *info, struct image_creation *creation);
/* Lets the image have the views that vkb_image_raw() needs, and returns their format; 0: the device makes no such image.
 */
uint32_t vkb_image_add_raw(struct vkb_device *device, const struct vkb_image_info *info,
                           struct image_creation *creation);
static inline uint32_t vkb_image_levels(const struct vkb_image_info *info)
{
    return info->levels ? info->levels : 1;
}

/* The image's texels as whole numbers of their size, for shaders of the backend's own: something that has a storage
 * view of that format alone, of an array where the image is no volume. It lives as long as the image, which is what
 * batches refer to. NULL: there is none. */
struct vkb_image *vkb_image_raw(struct vkb_image *image);

/* An image over memory of others, which is in GENERAL whenever it changes hands. The file descriptor is the image's
 * after success. modified: of an image in rows or with a modifier, or NULL. */
enum vkb_result vkb_image_create_imported(struct vkb_device *device, const struct vkb_image_info *info,
                                          const VkImageCreateInfo *create, const struct memory_source *source,
                                          uint32_t owner, const VkFormatFeatureFlags *modified, struct vkb_image **out);
enum vkb_result vkb_image_check(struct vkb_device *device, const struct vkb_image_info *info);

/* Frees what it has, at once. */
void vkb_image_destroy(struct vkb_image *image);

/* All texels of the first level; those of a buffer are packed. */
void vkb_image_whole(const struct vkb_image *image, struct vkb_image_region *region);
/* OpenCL's region as Vulkan has it. */
void vkb_image_split_layers(const struct vkb_image *image, uint32_t level, const uint32_t origin[3],
                            const uint32_t extent[3], VkOffset3D *offset, VkExtent3D *size,
                            VkImageSubresourceLayers *layers);

#endif
