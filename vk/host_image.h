/* Copies between images and the host's memory that the host does (host_image.c). */
#ifndef VK_HOST_IMAGE_H
#define VK_HOST_IMAGE_H

#include "vk/memory.h"

struct command;

/* Whether images can be copied in the layout that they always have. The device has the extension and its feature. */
bool vkb_host_image_query(struct vkb_device *device);
void vkb_host_image_load(struct vkb_device *device);
/* Adds the usage for such copies where that makes nothing slower, and says so. */
bool vkb_host_image_use(const struct vkb_device *device, VkImageCreateInfo *create);
/* To GENERAL: of a new image that was made for such copies. */
enum vkb_result vkb_host_image_transition(struct vkb_image *image, uint32_t levels);
/* Does a COMMAND_READ or COMMAND_WRITE of an image. Nothing under way uses the image. */
enum vkb_result vkb_host_image_copy(const struct command *command);
/* OpenCL's region as Vulkan has it (image.c). */
void vkb_image_split_layers(const struct vkb_image *image, uint32_t level, const uint32_t origin[3],
                            const uint32_t extent[3], VkOffset3D *offset, VkExtent3D *size,
                            VkImageSubresourceLayers *layers);

#endif
