/* Images (image.c). */
#ifndef VK_MEMORY_IMAGE_H
#define VK_MEMORY_IMAGE_H

#include "vk/device/backend.h"
#include "vk/memory/images.h"

struct vkb_image {
    atomic_uint refs;
    struct vkb_device *device;
    uint64_t number; /* no other image of the process ever has it; not 0 */
    struct vkb_image_info info;
    VkImage handle; /* always in VK_IMAGE_LAYOUT_GENERAL */
    VkDeviceMemory memory;
    uint64_t reserved;            /* bytes: vkb_memory_reserve() */
    uint32_t owner;               /* of an imported one: the queue family that stands for the others */
    VkImageView sampled, storage; /* as far as info says */
    struct vkb_image *base;       /* whose texels these are too (vkb_image_create_view()), or NULL */
    struct vkb_buffer *buffer;    /* whose texels, from offset, or NULL */
    uint64_t offset;
    VkBufferView texels;
    bool filters;     /* linear filters work on the sampled view */
    bool host_copies; /* made for copies by the host (host_image.c) */
};

/* OpenCL's region as Vulkan has it. */
void vkb_image_split_layers(const struct vkb_image *image, uint32_t level, const uint32_t origin[3],
                            const uint32_t extent[3], VkOffset3D *offset, VkExtent3D *size,
                            VkImageSubresourceLayers *layers);

#endif
