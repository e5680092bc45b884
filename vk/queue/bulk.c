/* Copies and fills large memory by shaders of the backend's own.
 *
 * A driver's vkCmdCopyBuffer may be far slower than the memory: on NVIDIA's H200 it moves 0.8 TB/s where a kernel moves
 * 4.2 TB/s. So on GPUs the bulk of a large copy or fill within device memory is a dispatch through raw addresses.
 * record.c leaves the ends, small and unaligned ones, and host memory to the transfer commands. A CPU device's own
 * copies are the fastest that it has.
 *
 * A pool thread makes the pipelines when they are first wanted. Until then, and if that fails, the transfer commands do
 * everything. The pipelines live as long as the device. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/memory/buffer.h"
#include "vk/queue/batch.h"
#include "vk/queue/bulk_shaders.h"
#include "vk/queue/record.h"
#include "vk/shader/shader.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that one work-group moves. */
enum { GROUP_BYTES = 256 * 4 * 16 };

/* One of the shaders. */
struct bulk_shader {
    struct vkb_shader *shader;
    VkPipeline pipeline;
};

/* Of a device. */
struct bulk {
    atomic_uint state; /* BULK_*: decides whether the rest may be used */
    struct pool_task task;
    struct bulk_shader copy, fill;
};

enum { BULK_UNTRIED, BULK_BUILDING, BULK_READY, BULK_FAILED };

enum vkb_result vkb_bulk_init(struct vkb_device *device)
{
    if (!device->bulk)
        device->bulk = calloc(1, sizeof(*device->bulk));
    return device->bulk ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
}

static enum vkb_result build(struct vkb_device *device, struct bulk_shader *bulk, const uint32_t *words, size_t count)
{
    struct vkb_pipeline *pipeline = NULL;
    enum vkb_result result =
        bulk->shader ? VKB_SUCCESS : vkb_shader_create(device, words, count, BULK_PUSH_SIZE, &bulk->shader);
    if (result == VKB_SUCCESS)
        result = vkb_shader_pipeline(bulk->shader, NULL, 0, 0, &pipeline);
    if (result == VKB_SUCCESS)
        bulk->pipeline = vkb_pipeline_handle(pipeline);
    return result;
}

static void build_task(void *data)
{
    struct vkb_device *device = data;
    enum vkb_result result =
        build(device, &device->bulk->copy, bulk_copy_words, sizeof(bulk_copy_words) / sizeof(bulk_copy_words[0]));
    if (result == VKB_SUCCESS)
        result =
            build(device, &device->bulk->fill, bulk_fill_words, sizeof(bulk_fill_words) / sizeof(bulk_fill_words[0]));
    /* Memory may be available the next time, so only other failures are final. */
    bool again = result == VKB_OUT_OF_HOST_MEMORY || result == VKB_OUT_OF_DEVICE_MEMORY;
    atomic_store(&device->bulk->state, result == VKB_SUCCESS ? BULK_READY : again ? BULK_UNTRIED : BULK_FAILED);
}

static bool is_ready(struct vkb_device *device)
{
    unsigned state = atomic_load(&device->bulk->state);
    if (state == BULK_UNTRIED && vkb_pool_start() &&
        atomic_compare_exchange_strong(&device->bulk->state, &state, BULK_BUILDING)) {
        device->bulk->task = (struct pool_task){.call = build_task, .data = device};
        vkb_pool_work(&device->bulk->task);
    }
    return state == BULK_READY;
}

/* Host memory is reached over the bus, where the driver's copies are as fast. */
static bool is_device_memory(const struct vkb_buffer *buffer)
{
    return !buffer->imported && !buffer->cached;
}

static bool suits(struct vkb_device *device, const struct vkb_buffer *buffer, uint64_t offset, uint64_t size)
{
    return vkb_is_core12(device) /* for the shaders' SPIR-V */ && size >= device->caps.bulk_least &&
           size >= GROUP_BYTES && is_device_memory(buffer) && (buffer->address + offset) % 16 == 0;
}

/* Records whole work-groups of units, in as many dispatches as the device's limit on their number makes necessary. The
 * copy). */
static void dispatch(struct batch *batch, const struct bulk_shader *bulk, uint64_t push[4], uint32_t num_addresses,
                     uint64_t size)
{
    struct vkb_device *device = batch->device;
    uint64_t limit = device->caps.max_workgroup_count[0], groups = size / GROUP_BYTES;
    if (batch->pipeline != bulk->pipeline) {
        device->vk.vkCmdBindPipeline(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, bulk->pipeline);
        batch->pipeline = bulk->pipeline;
    }
    /* The shaders count units in 32 bits. */
    limit = u64_min(limit, (uint64_t)1 << 21);
    while (groups) {
        uint64_t count = u64_min(groups, limit);
        device->vk.vkCmdPushConstants(batch->cmd, vkb_shader_layout(bulk->shader), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                      BULK_PUSH_SIZE, push);
        device->vk.vkCmdDispatch(batch->cmd, (uint32_t)count, 1, 1);
        for (uint32_t i = 0; i < num_addresses; i++)
            push[i] += count * GROUP_BYTES;
        groups -= count;
    }
}

uint64_t vkb_bulk_copy(struct batch *batch, const struct vkb_buffer *src, uint64_t src_offset,
                       const struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size)
{
    struct vkb_device *device = batch->device;
    if (!suits(device, src, src_offset, size) || !suits(device, dst, dst_offset, size) || !is_ready(device))
        return 0;
    uint64_t push[4] = {src->address + src_offset, dst->address + dst_offset};
    dispatch(batch, &device->bulk->copy, push, 2, size);
    return size - size % GROUP_BYTES;
}

uint64_t vkb_bulk_fill(struct batch *batch, const struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                       const uint8_t pattern[16])
{
    struct vkb_device *device = batch->device;
    if (!suits(device, dst, offset, size) || !is_ready(device))
        return 0;
    uint64_t push[4] = {dst->address + offset};
    memcpy(push + 2, pattern, 16);
    dispatch(batch, &device->bulk->fill, push, 1, size);
    return size - size % GROUP_BYTES;
}
