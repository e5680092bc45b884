/* Descriptor sets of the images that shaders use (descriptor.c). */
#ifndef VK_SHADER_DESCRIPTOR_H
#define VK_SHADER_DESCRIPTOR_H

#include "vk/device/backend.h"
#include "vk/shader/shaders.h"

struct descriptor_set;
struct descriptor_cache;

VkDescriptorType vkb_descriptor_type(enum vkb_descriptor_kind kind);
/* The sampler of a VKB_DESCRIPTOR_FILTER_*, which the device keeps. */
enum vkb_result vkb_device_filter(struct vkb_device *device, enum vkb_descriptor_kind kind, const VkSampler **filter);
/* A shader's sets; NULL without memory. They are destroyed when no batch has one of them. */
struct descriptor_cache *vkb_descriptors_create(void);
void vkb_descriptors_destroy(struct vkb_device *device, struct descriptor_cache *cache);
/* The set with these images of these numbers, found or made. The caller gets one of its users and a reference to its
 * shader, which vkb_descriptors_release() drops. */
enum vkb_result vkb_descriptors_take(struct vkb_device *device, struct vkb_shader *shader,
                                     struct vkb_image *const *images, const uint64_t *numbers,
                                     struct descriptor_set **out);
void vkb_descriptors_release(struct descriptor_set *set);
/* Whether it is the shader's set of images with these numbers. */
bool vkb_descriptors_have(const struct descriptor_set *set, const struct vkb_shader *shader, const uint64_t *numbers,
                          uint32_t count);
VkDescriptorSet vkb_descriptors_handle(const struct descriptor_set *set);

#endif
