/* Copies between buffers and images, and between images, by shaders of the backend's own.
 *
 * A driver's copies of texels may be far slower than the memory. NVIDIA's vkCmdCopyBufferToImage() moves 94 GB/s within
 * an H100, where the shader moves 1,000; its vkCmdCopyImage() is as fast for one slice, but each takes a turn of its own.
 * The shader reads the buffer by its address and writes the image through a view of whole numbers as large as its texels
 * (memory/image.c), so that every bit arrives, or the reverse. Drivers whose copies are quick, Mesa's for instance, keep
 * theirs: there such views would cost an image its compression.
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
    struct texel_copier copiers[TEXEL_WAYS][TEXEL_VIEWS][TEXEL_VIEWS][TEXEL_SIZES]; /* by texel_shader's members */
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
    static const enum vkb_descriptor_kind images[] = {VKB_DESCRIPTOR_STORAGE_IMAGE, VKB_DESCRIPTOR_STORAGE_IMAGE};
    uint32_t words[TEXEL_WORDS];
    struct vkb_pipeline *pipeline = NULL;
    enum vkb_result result = VKB_SUCCESS;
    if (!copier->shader) {
        size_t count = vkb_texel_shader(&copier->kind, words);
        result = vkb_shader_create_with_images(copier->device, words, count, sizeof(struct texel_push), images,
                                               texel_images(copier->kind.way), &copier->shader);
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

static uint32_t log2_of(uint32_t texel_size)
{
    uint32_t log = 0;
    while (texel_size >> (log + 1))
        log++;
    return log;
}

/* NULL: there is no pipeline yet. */
static struct texel_copier *find_copier(struct vkb_device *device, const struct texel_shader *kind)
{
    struct texel_copier *copier =
        &device->texels->copiers[kind->way][kind->view][kind->target][log2_of(kind->texel_size)];
    unsigned state = atomic_load(&copier->state);
    if (state == UNTRIED && vkb_pool_start() && atomic_compare_exchange_strong(&copier->state, &state, BUILDING)) {
        copier->device = device;
        copier->kind = *kind;
        copier->task = (struct pool_task){.call = build_task, .data = copier};
        vkb_pool_work(&copier->task);
    }
    return state == READY ? copier : NULL;
}

/* ---- a copy ---- */

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

static bool is_worth_it(const struct vkb_device *device, const struct vkb_image *image,
                        const struct vkb_image_region *region)
{
    uint64_t texels = (uint64_t)region->extent[0] * region->extent[1] * region->extent[2];
    return texels * image->info.texel_size >= device->caps.texels_least;
}

/* Whether the shader's numbers hold the buffer's part. Memory of the host is reached over the bus, where the driver is as
 * fast. */
static bool suits(const struct vkb_buffer *buffer, uint64_t size, const struct vkb_image_region *region)
{
    uint64_t rows = region->extent[1] - 1, slices = region->extent[2] - 1;
    uint64_t last = (slices * region->slice_rows + rows) * region->row_texels + region->extent[0];
    return last <= MOST_BYTES / size && (uint64_t)region->slice_rows * region->row_texels <= MOST_BYTES / size &&
           !buffer->imported && !buffer->cached && (buffer->address + region->buffer_offset) % size == 0;
}

static enum vkb_result bind(struct batch *batch, const struct texel_copier *copier, struct vkb_image *const *raw)
{
    struct vkb_device *device = batch->device;
    const uint64_t numbers[] = {raw[0]->number, raw[1] ? raw[1]->number : 0};
    struct descriptor_set *set;
    enum vkb_result result = vkb_descriptors_take(device, copier->shader, raw, numbers, &set);
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

static enum vkb_result dispatch(struct batch *batch, const struct texel_copier *copier, struct vkb_image *const *raw,
                                const struct vkb_image_region *region, uint64_t address, const uint32_t groups[3])
{
    struct vkb_device *device = batch->device;
    struct texel_push push = {
        .address = address,
        .row_texels = region->row_texels,
        .slice_texels = region->row_texels * region->slice_rows,
    };
    for (int i = 0; i < 3; i++) {
        push.origin[i] = region->origin[i];
        push.extent[i] = region->extent[i];
        push.target_origin[i] = region->dst_origin[i];
    }
    enum vkb_result result = bind(batch, copier, raw);
    if (result != VKB_SUCCESS)
        return result;
    device->vk.vkCmdPushConstants(batch->cmd, vkb_shader_layout(copier->shader), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  sizeof(push), &push);
    device->vk.vkCmdDispatch(batch->cmd, groups[0], groups[1], groups[2]);
    return VKB_SUCCESS;
}

bool vkb_texels_copy(struct batch *batch, struct vkb_buffer *buffer, struct vkb_image *image,
                     const struct vkb_image_region *region, bool writes_image, enum vkb_result *result)
{
    struct vkb_device *device = batch->device;
    const struct texel_shader kind = {
        .way = writes_image ? TEXELS_TO_IMAGE : TEXELS_TO_BUFFER,
        .view = view_of(image->info.kind),
        .texel_size = image->info.texel_size,
    };
    uint32_t groups[3];
    if (!is_worth_it(device, image, region) || !suits(buffer, kind.texel_size, region) ||
        !count_groups(device, kind.view, region->extent, groups))
        return false;
    struct vkb_image *raw[2] = {vkb_image_raw(image), NULL};
    const struct texel_copier *copier = raw[0] ? find_copier(device, &kind) : NULL;
    if (copier)
        *result = dispatch(batch, copier, raw, region, buffer->address + region->buffer_offset, groups);
    return copier != NULL;
}

bool vkb_texels_copy_image(struct batch *batch, struct vkb_image *src, struct vkb_image *dst,
                           const struct vkb_image_region *region, enum vkb_result *result)
{
    struct vkb_device *device = batch->device;
    const struct texel_shader kind = {
        .way = TEXELS_BETWEEN_IMAGES,
        .view = view_of(src->info.kind),
        .target = view_of(dst->info.kind),
        .texel_size = src->info.texel_size,
    };
    uint32_t groups[3];
    if (!is_worth_it(device, src, region) || !count_groups(device, kind.view, region->extent, groups))
        return false;
    struct vkb_image *raw[2] = {vkb_image_raw(src), vkb_image_raw(dst)};
    const struct texel_copier *copier = raw[0] && raw[1] ? find_copier(device, &kind) : NULL;
    if (copier)
        *result = dispatch(batch, copier, raw, region, 0, groups);
    return copier != NULL;
}
