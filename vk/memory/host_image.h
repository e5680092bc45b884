/* Copies between images and the host's memory that the host does (host_image.c). */
#ifndef VK_MEMORY_HOST_IMAGE_H
#define VK_MEMORY_HOST_IMAGE_H

#include "vk/device/backend.h"
#include "vk/memory/images.h"

/* Adds the usage for such copies where that makes nothing slower, and says so. */
bool vkb_host_image_use(const struct vkb_device *device, VkImageCreateInfo *create);
/* To GENERAL: of a new image that was made for such copies. */
enum vkb_result vkb_host_image_transition(struct vkb_image *image, uint32_t levels);
/* Copies a region between the image and data, to the image where write. Nothing under way uses the image. */
enum vkb_result vkb_host_image_copy(struct vkb_image *image, const struct vkb_image_region *region, void *data,
                                    bool write);

#endif
