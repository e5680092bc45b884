/* Copies between images and the host's memory that the host does (host_image.c). */
#ifndef VK_MEMORY_HOST_IMAGE_H
#define VK_MEMORY_HOST_IMAGE_H

#include "vk/device/backend.h"
#include "vk/memory/images.h"

/* Adds the usage for such copies where that makes nothing slower, and says so. size: bytes of the texels. */
bool vkb_host_image_use(const struct vkb_device *device, VkImageCreateInfo *create, uint64_t size);
/* Whether images are in the host's own memory. */
bool vkb_host_image_is_near(const struct vkb_device *device);
/* Whether the host is quicker with so many bytes than the device on the way there and back. */
bool vkb_host_image_is_quick(const struct vkb_device *device, uint64_t bytes, bool write);
/* To GENERAL: of a new image that was made for such copies. */
enum vkb_result vkb_host_image_transition(struct vkb_image *image, uint32_t levels);
/* Copies a region between the image and data, to the image where write. Nothing under way uses the image. */
enum vkb_result vkb_host_image_copy(struct vkb_image *image, const struct vkb_image_region *region, void *data,
                                    bool write);

#endif
