/* Shaders, their pipelines, and the cache in which the driver keeps these (shader.c, cache.c). */
#ifndef VK_SHADER_H
#define VK_SHADER_H

#include "vk/device/backend.h"
#include "vk/shader/shaders.h"

/* Makes what shaders of the device have in common; once is enough. */
enum vkb_result vkb_shaders_init(struct vkb_device *device);

/* Has the pipeline cache read what its file holds, or waits for the thread that does (cache.c). Before the cache is
 * used. */
void vkb_cache_await(struct vkb_device *device);
/* Writes the pipeline cache if it has grown (cache.c). */
void vkb_cache_save(struct vkb_device *device);
/* Called when a pipeline was made: has the cache saved soon. */
void vkb_cache_touch(struct vkb_device *device);

VkPipelineLayout vkb_shader_layout(const struct vkb_shader *shader);
VkDescriptorSetLayout vkb_shader_set_layout(const struct vkb_shader *shader);
struct descriptor_cache *vkb_shader_descriptors(const struct vkb_shader *shader); /* NULL without images */
bool vkb_shader_late_sets(const struct vkb_shader *shader); /* they come from an UPDATE_AFTER_BIND pool */
uint32_t vkb_shader_num_descriptors(const struct vkb_shader *shader);
enum vkb_descriptor_kind vkb_shader_descriptor(const struct vkb_shader *shader, uint32_t binding);
uint32_t vkb_shader_push_size(const struct vkb_shader *shader);
VkPipeline vkb_pipeline_handle(const struct vkb_pipeline *pipeline);

#endif
