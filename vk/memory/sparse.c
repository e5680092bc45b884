/* Buffers beyond what the driver gives in one allocation: one VkBuffer with sparse binding, backed by several
 * allocations side by side. To commands and kernels it is a buffer like any other: one handle, one range of addresses.
 *
 * Only memory that the driver allows under sparse buffers is used (NVIDIA: device-local memory that the host cannot
 * see), and it is never mapped: transfers go through staging. Vulkan 1.3, 33.3 (sparse buffers), 33.7 (binding). */
#include "vk/device/device.h"
#include "vk/memory/memory.h"

#include <stdlib.h>

#define LARGEST_PART ((uint64_t)2 << 30)

/* Allocates the parts. After a failure the block keeps the parts that exist, and its owner destroys it. */
static enum vkb_result allocate_parts(struct vkb_device *device, struct memory_block *block, uint64_t size,
                                      uint64_t part_size, uint32_t type)
{
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    for (uint64_t at = 0; at < size; at += part_size) {
        const VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .pNext = &flags,
            .allocationSize = u64_min(part_size, size - at),
            .memoryTypeIndex = type,
        };
        VkDeviceMemory *part = &block->parts[block->num_parts];
        enum vkb_result result = CHECK(device, device->vk.vkAllocateMemory(device->handle, &info, NULL, part));
        if (result != VKB_SUCCESS)
            return result;
        block->num_parts++;
    }
    return VKB_SUCCESS;
}

/* Binds all parts and waits until the device has done so. */
static enum vkb_result bind_parts(struct vkb_device *device, struct memory_block *block, uint64_t size,
                                  uint64_t part_size)
{
    VkSparseMemoryBind *binds = calloc(block->num_parts, sizeof(*binds));
    if (!binds)
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < block->num_parts; i++) {
        binds[i].resourceOffset = i * part_size;
        binds[i].size = u64_min(part_size, size - binds[i].resourceOffset);
        binds[i].memory = block->parts[i];
    }
    const VkSparseBufferMemoryBindInfo buffer = {
        .buffer = block->buffer, .bindCount = block->num_parts, .pBinds = binds};
    const VkBindSparseInfo info = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &buffer};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    enum vkb_result result = CHECK(device, device->vk.vkCreateFence(device->handle, &fence_info, NULL, &fence));
    if (result == VKB_SUCCESS) {
        struct vulkan_queue *queue = &device->queues[0];
        pthread_mutex_lock(&queue->lock);
        result = CHECK(device, device->vk.vkQueueBindSparse(queue->handle, 1, &info, fence));
        pthread_mutex_unlock(&queue->lock);
        if (result == VKB_SUCCESS)
            result = vkb_device_await(device, fence, UINT64_MAX);
        device->vk.vkDestroyFence(device->handle, fence, NULL);
    }
    free(binds);
    return result;
}

enum vkb_result vkb_sparse_back(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind)
{
    VkMemoryRequirements needs;
    device->vk.vkGetBufferMemoryRequirements(device->handle, block->buffer, &needs);
    uint64_t part_size = u64_min(LARGEST_PART, device->caps.max_single_allocation) / needs.alignment * needs.alignment;
    if (!part_size)
        return VKB_UNSUPPORTED;
    block->parts = calloc((needs.size + part_size - 1) / part_size, sizeof(VkDeviceMemory));
    if (!block->parts)
        return VKB_OUT_OF_HOST_MEMORY;
    const struct memory *memory = device->memory;
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    for (uint32_t i = 0; i < memory->num_candidates[kind] && !block->num_parts; i++) {
        if (needs.memoryTypeBits >> memory->candidates[kind][i] & 1)
            result = allocate_parts(device, block, needs.size, part_size, memory->candidates[kind][i]);
    }
    if (result == VKB_SUCCESS)
        result = bind_parts(device, block, needs.size, part_size);
    if (result != VKB_SUCCESS)
        return result;
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = block->buffer};
    block->address = device->vk.vkGetBufferDeviceAddress(device->handle, &address);
    return VKB_SUCCESS;
}
