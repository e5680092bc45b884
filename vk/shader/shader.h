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

struct pipeline_request {
    const uint32_t *values; /* of SpecId 0..count-1 */
    uint32_t count, subgroup_size;
    VkPipelineCreateFlags flags;
    VkPipelineCache cache; /* or none */
};
/* Has the driver make a pipeline, which is the caller's. The shader wants no formats. */
enum vkb_result vkb_shader_make(struct vkb_shader *shader, const struct pipeline_request *request, VkPipeline *handle);
struct vkb_device *vkb_shader_device(const struct vkb_shader *shader);
bool vkb_shader_wants_formats(const struct vkb_shader *shader);
VkPipelineLayout vkb_shader_layout(const struct vkb_shader *shader);
VkDescriptorSetLayout vkb_shader_set_layout(const struct vkb_shader *shader);
struct descriptor_cache *vkb_shader_descriptors(const struct vkb_shader *shader); /* NULL without images */
bool vkb_shader_late_sets(const struct vkb_shader *shader); /* they come from an UPDATE_AFTER_BIND pool */
uint32_t vkb_shader_num_descriptors(const struct vkb_shader *shader);
enum vkb_descriptor_kind vkb_shader_descriptor(const struct vkb_shader *shader, uint32_t binding);
uint32_t vkb_shader_push_size(const struct vkb_shader *shader);
VkPipeline vkb_pipeline_handle(const struct vkb_pipeline *pipeline);
/* What a work-group is expected to take, in ps: what vk/queue/pace.c has seen; 0: nothing yet. */
uint64_t vkb_pipeline_pace(struct vkb_pipeline *pipeline);
void vkb_pipeline_set_pace(struct vkb_pipeline *pipeline, uint64_t pace);
/* Likewise what a launch is expected to take however few groups it has; 0: nothing to speak of. */
uint64_t vkb_pipeline_floor(struct vkb_pipeline *pipeline);
void vkb_pipeline_set_floor(struct vkb_pipeline *pipeline, uint64_t floor);

#endif
