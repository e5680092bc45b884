/* Copies between buffers and images by shaders of the backend's own.
 *
 * A driver's copies of texels may be far slower than the memory: NVIDIA's vkCmdCopyBufferToImage() moves 87 GB/s within
 * an H100. There the backend's own shader reads the buffer by its address and writes the image through a view of whole
 * numbers as large as its texels (memory/image.c), so that every bit arrives, or the reverse. Drivers whose copies are
 * quick, Mesa's for instance, keep theirs: there such views would cost an image its compression.
 *
 * A pool thread makes a pipeline when a copy first wants it. Until then, and if that fails, the driver copies. The
 * pipelines live as long as the device. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/queue/batch.h"
#include "vk/queue/record.h"
#include "vk/queue/texel_shader.h"
#include "vk/shader/descriptor.h"
#include "vk/shader/shader.h"

#include <stdlib.h>

enum { TEXEL_SIZES = 5 };

/* Texels are counted in 32 bits with a sign, and so may their bytes be (caps->short_chains). */
#define MOST_BYTES ((uint64_t)1 << 31)

enum { UNTRIED, BUILDING, READY, FAILED };

/* One of the shaders. */
struct texel_copier {
    atomic_uint state; /* decides whether the rest may be used */
    struct vkb_device *device;
    struct texel_shader kind;
    struct pool_task task;
    struct vkb_shader *shader;
    VkPipeline pipeline;
};

/* Of a device. */
struct texels {
    struct texel_copier copiers[TEXEL_VIEWS][TEXEL_SIZES][2]; /* the last: to the buffer, to the image */
};

enum vkb_result vkb_texels_init(struct vkb_device *device)
{
    if (!device->texels)
        device->texels = calloc(1, sizeof(*device->texels));
    return device->texels ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
}

/* ---- pipelines ---- */

static enum vkb_result build(struct texel_copier *copier)
{
    static const enum vkb_descriptor_kind image[] = {VKB_DESCRIPTOR_STORAGE_IMAGE};
    uint32_t words[TEXEL_WORDS];
    struct vkb_pipeline *pipeline = NULL;
    enum vkb_result result = VKB_SUCCESS;
    if (!copier->shader) {
        size_t count = vkb_texel_shader(&copier->kind, words);
        result = vkb_shader_create_with_images(copier->device, words, count, sizeof(struct texel_push), image, 1,
                                               &copier->shader);
    }
    if (result == VKB_SUCCESS)
        result = vkb_shader_pipeline(copier->shader, NULL, 0, 0, &pipeline);
    if (result == VKB_SUCCESS)
        copier->pipeline = vkb_pipeline_handle(pipeline);
    return result;
}

static void build_task(void *data)
{
    struct texel_copier *copier = data;
    enum vkb_result result = build(copier);
    /* Memory may be available the next time, so only other failures are final. */
    bool again = result == VKB_OUT_OF_HOST_MEMORY || result == VKB_OUT_OF_DEVICE_MEMORY;
    atomic_store(&copier->state, result == VKB_SUCCESS ? READY : again ? UNTRIED : FAILED);
}

static bool is_ready(struct vkb_device *device, struct texel_copier *copier, const struct texel_shader *kind)
{
    unsigned state = atomic_load(&copier->state);
    if (state == UNTRIED && vkb_pool_start() && atomic_compare_exchange_strong(&copier->state, &state, BUILDING)) {
        copier->device = device;
        copier->kind = *kind;
        copier->task = (struct pool_task){.call = build_task, .data = copier};
        vkb_pool_work(&copier->task);
    }
    return state == READY;
}

/* ---- a copy ---- */

static uint32_t log2_of(uint32_t texel_size)
{
    uint32_t log = 0;
    while (texel_size >> (log + 1))
        log++;
    return log;
}

static enum texel_view view_of(enum vkb_image_kind kind)
{
    switch (kind) {
    case VKB_IMAGE_1D:
    case VKB_IMAGE_1D_ARRAY:
        return TEXELS_LINES;
    case VKB_IMAGE_3D:
        return TEXELS_VOLUME;
    default:
        return TEXELS_PLANES;
    }
}

/* How many work-groups; false: more than the device takes at once. */
static bool count_groups(const struct vkb_device *device, enum texel_view view, const uint32_t extent[3],
                         uint32_t groups[3])
{
    uint32_t size[3];
    vkb_texel_group(view, size);
    for (int i = 0; i < 3; i++) {
        groups[i] = extent[i] / size[i] + (extent[i] % size[i] != 0);
        if (groups[i] > device->caps.max_workgroup_count[i])
            return false;
    }
    return true;
}

/* Whether the shader's numbers hold the copy, and it pays. Memory of the host is reached over the bus, where the driver
 * is as fast. */
static bool suits(const struct vkb_device *device, const struct vkb_buffer *buffer, const struct vkb_image *image,
                  const struct vkb_image_region *region)
{
    uint64_t size = image->info.texel_size;
    uint64_t rows = region->extent[1] - 1, slices = region->extent[2] - 1;
    uint64_t texels = (uint64_t)region->extent[0] * region->extent[1] * region->extent[2];
    uint64_t last = (slices * region->slice_rows + rows) * region->row_texels + region->extent[0];
    return texels * size >= device->caps.texels_least && last <= MOST_BYTES / size &&
           (uint64_t)region->slice_rows * region->row_texels <= MOST_BYTES / size && !buffer->imported &&
           !buffer->cached && (buffer->address + region->buffer_offset) % size == 0;
}

static enum vkb_result bind(struct batch *batch, const struct texel_copier *copier, struct vkb_image *raw)
{
    struct vkb_device *device = batch->device;
    struct descriptor_set *set;
    enum vkb_result result = vkb_descriptors_take(device, copier->shader, &raw, &raw->number, &set);
    if (result == VKB_SUCCESS)
        result = vkb_batch_add_ref(batch, REF_DESCRIPTORS, set);
    if (result != VKB_SUCCESS)
        return result;
    const VkDescriptorSet handle = vkb_descriptors_handle(set);
    device->vk.vkCmdBindDescriptorSets(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vkb_shader_layout(copier->shader), 0,
                                       1, &handle, 0, NULL);
    batch->descriptors = set;
    if (batch->pipeline != copier->pipeline)
        device->vk.vkCmdBindPipeline(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, copier->pipeline);
    batch->pipeline = copier->pipeline;
    return VKB_SUCCESS;
}

static void dispatch(struct batch *batch, const struct texel_copier *copier, const struct vkb_buffer *buffer,
                     const struct vkb_image_region *region, const uint32_t groups[3])
{
    struct vkb_device *device = batch->device;
    struct texel_push push = {
        .address = buffer->address + region->buffer_offset,
        .row_texels = region->row_texels,
        .slice_texels = region->row_texels * region->slice_rows,
    };
    for (int i = 0; i < 3; i++) {
        push.origin[i] = region->origin[i];
        push.extent[i] = region->extent[i];
    }
    device->vk.vkCmdPushConstants(batch->cmd, vkb_shader_layout(copier->shader), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  sizeof(push), &push);
    device->vk.vkCmdDispatch(batch->cmd, groups[0], groups[1], groups[2]);
}

bool vkb_texels_copy(struct batch *batch, struct vkb_buffer *buffer, struct vkb_image *image,
                     const struct vkb_image_region *region, bool writes_image, enum vkb_result *result)
{
    struct vkb_device *device = batch->device;
    const struct texel_shader kind = {view_of(image->info.kind), image->info.texel_size, writes_image};
    uint32_t groups[3];
    if (!suits(device, buffer, image, region) || !count_groups(device, kind.view, region->extent, groups))
        return false;
    struct vkb_image *raw = vkb_image_raw(image);
    struct texel_copier *copier = &device->texels->copiers[kind.view][log2_of(kind.texel_size)][writes_image];
    if (!raw || !is_ready(device, copier, &kind))
        return false;
    *result = bind(batch, copier, raw);
    if (*result == VKB_SUCCESS)
        dispatch(batch, copier, buffer, region, groups);
    return true;
}
