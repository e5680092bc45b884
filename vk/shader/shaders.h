/* Shaders and pipelines as users of the backend see them. */
#ifndef VK_SHADER_SHADERS_H
#define VK_SHADER_SHADERS_H

#include "vk/memory/images.h"

struct vkb_shader;   /* one SPIR-V module with its layout */
struct vkb_pipeline; /* a shader with specialisation constants; owned by the shader */

/* words are copied. push_size: bytes of push constants. */
enum vkb_result vkb_shader_create(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                  uint32_t push_size, struct vkb_shader **shader);
/* The same for one that uses images: descriptor set 0 has binding i of kind descriptors[i]. */
enum vkb_descriptor_kind {
    VKB_DESCRIPTOR_SAMPLED_IMAGE,
    VKB_DESCRIPTOR_STORAGE_IMAGE,
    VKB_DESCRIPTOR_SAMPLED_BUFFER,
    VKB_DESCRIPTOR_STORAGE_BUFFER,
    /* linear filters: to the edge, repeating, mirroring, and to the edge by unnormalised coordinates; of images that
     * have one level. The image given for such a descriptor is any. */
    VKB_DESCRIPTOR_FILTER_EDGE,
    VKB_DESCRIPTOR_FILTER_REPEAT,
    VKB_DESCRIPTOR_FILTER_MIRROR,
    VKB_DESCRIPTOR_FILTER_TEXELS,
};
enum vkb_result vkb_shader_create_with_images(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                              uint32_t push_size, const enum vkb_descriptor_kind *descriptors,
                                              uint32_t num_descriptors, struct vkb_shader **shader);
/* The shader for these images, one for each of its descriptors: another one where the device wants to know the formats
 * of those that are written, else the shader itself. It belongs to the shader. */
enum vkb_result vkb_shader_for_images(struct vkb_shader *shader, struct vkb_image *const *images,
                                      struct vkb_shader **out);
/* The same where there are no images yet: for storage images of these formats (VkFormat; 0 of other descriptors). A
 * reference of its own. */
enum vkb_result vkb_shader_for_formats(struct vkb_shader *shader, const uint32_t *formats, struct vkb_shader **out);
/* Kernels read and write, or only write, storage images. */
static inline bool vkb_caps_image_reads(const struct vkb_caps *caps)
{
    return caps->image_read_any || caps->image_formats;
}
static inline bool vkb_caps_image_writes(const struct vkb_caps *caps)
{
    return caps->image_write_any || caps->image_formats;
}
/* For a trace, before its first pipeline: lives as long as the process. */
void vkb_shader_set_name(struct vkb_shader *shader, const char *name);
struct vkb_shader *vkb_shader_retain(struct vkb_shader *shader);
void vkb_shader_release(struct vkb_shader *shader);
/* The pipeline with these values for SpecId 0..count-1 (u32 each) and, if it is not 0, that required sub-group size. It
 * comes from the shader's cache, or is created now; this blocks, and concurrent requests for one share the work. */
enum vkb_result vkb_shader_pipeline(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                                    uint32_t subgroup_size, struct vkb_pipeline **pipeline);
/* What the driver says of a pipeline, by the names that it gives (statistics.c). */
struct vkb_statistic {
    char name[96];
    bool is_whole; /* a whole number */
    double value;
};
enum { VKB_MAX_STATISTICS = 64 };
struct vkb_measured {
    uint64_t time_ns;       /* that the driver took */
    uint32_t subgroup_size; /* of what it made; 0: it does not say */
    uint32_t count;
    struct vkb_statistic statistics[VKB_MAX_STATISTICS];
};
/* Makes the pipeline for nothing but this, without a cache of ours. Without vkb_device_want_statistics(), or where the
 * driver has none, only the time is measured. VKB_UNSUPPORTED: the shader wants formats, or the device has no such
 * sub-groups. */
enum vkb_result vkb_shader_measure(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                                   uint32_t subgroup_size, struct vkb_measured *measured);
/* A pipeline that stands in for another, which the driver would take long to make. */
struct vkb_stand_in {
    const uint32_t *wanted; /* values, of which those with a bit in may_differ need not be the same */
    uint32_t count, may_differ, subgroup_size;
    bool (*fits)(void *data, const uint32_t *values);
    void *data;
};
/* False: there is the pipeline itself, or none that may stand in for it. Otherwise values are those of one that does,
 * which fits() has taken last, and a thread of the pool makes the wanted one. fits() is called with a lock held. */
bool vkb_shader_stand_in(struct vkb_shader *shader, const struct vkb_stand_in *args, uint32_t *values);
/* Whether there is the pipeline with these values. If not, a thread of the pool makes it. */
bool vkb_shader_is_ready(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                         uint32_t subgroup_size);
/* Whether this is the first use of the pipeline in this process: true once. */
bool vkb_pipeline_use(struct vkb_pipeline *pipeline);
/* Has a thread of the pool create it when there is one; no result. Nothing is created once the shader was released. */
void vkb_shader_prefetch(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                         uint32_t subgroup_size);
/* The same for a pipeline that is likely to be needed, unless it is known by then which ones are. */
void vkb_shader_guess(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count, uint32_t subgroup_size);
/* The VkPipelineCache's content is kept under this directory (NULL: nowhere), written atomically; damaged files are
 * ignored. It is read in the background, and once: the same directory again changes nothing. The device is open. */
void vkb_cache_set_directory(struct vkb_device *device, const char *directory);

#endif
