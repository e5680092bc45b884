/* Descriptor sets of dispatches that use images. They come from pools that belong to the batch and are emptied with it;
 * a batch without images has none. */
#include "vk/backend.h"
#include "vk/batch.h"
#include "vk/device.h"
#include "vk/memory.h"
#include "vk/record.h"
#include "vk/shader.h"

#include <stdlib.h>

enum { POOL_SETS = 64, POOL_DESCRIPTORS = 128, KINDS = 4 };

static const VkDescriptorType types[KINDS] = {
    [VKB_DESCRIPTOR_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    [VKB_DESCRIPTOR_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    [VKB_DESCRIPTOR_SAMPLED_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    [VKB_DESCRIPTOR_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
};

VkDescriptorType vkb_descriptor_type(enum vkb_descriptor_kind kind)
{
    return types[kind];
}

static enum vkb_result add_pool(struct batch *batch, uint32_t descriptors)
{
    struct vkb_device *device = batch->device;
    enum vkb_result result =
        vkb_grow((void **)&batch->pools, &batch->cap_pools, batch->num_pools + 1, sizeof(*batch->pools));
    if (result != VKB_SUCCESS)
        return result;
    VkDescriptorPoolSize sizes[KINDS];
    for (uint32_t i = 0; i < KINDS; i++)
        sizes[i] = (VkDescriptorPoolSize){types[i], descriptors > POOL_DESCRIPTORS ? descriptors : POOL_DESCRIPTORS};
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = POOL_SETS,
        .poolSizeCount = KINDS,
        .pPoolSizes = sizes,
    };
    result =
        CHECK(device, device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, &batch->pools[batch->num_pools]));
    if (result == VKB_SUCCESS)
        batch->num_pools++;
    return result;
}

static enum vkb_result take_set(struct batch *batch, const struct vkb_shader *shader, VkDescriptorSet *set)
{
    struct vkb_device *device = batch->device;
    const VkDescriptorSetLayout layout = vkb_shader_set_layout(shader);
    uint32_t count = vkb_shader_num_descriptors(shader);
    for (;;) {
        bool fresh = batch->used_pools == batch->num_pools;
        enum vkb_result result = fresh ? add_pool(batch, count) : VKB_SUCCESS;
        if (result != VKB_SUCCESS)
            return result;
        const VkDescriptorSetAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = batch->pools[batch->used_pools],
            .descriptorSetCount = 1,
            .pSetLayouts = &layout,
        };
        VkResult allocated = device->vk.vkAllocateDescriptorSets(device->handle, &info, set);
        bool full = allocated == VK_ERROR_OUT_OF_POOL_MEMORY || allocated == VK_ERROR_FRAGMENTED_POOL;
        if (!full || fresh)
            return CHECK(device, allocated);
        batch->used_pools++;
    }
}

static void write_set(struct vkb_device *device, VkDescriptorSet set, const struct vkb_shader *shader,
                      struct vkb_image *const *images, VkWriteDescriptorSet *writes, VkDescriptorImageInfo *infos)
{
    uint32_t count = vkb_shader_num_descriptors(shader);
    for (uint32_t i = 0; i < count; i++) {
        enum vkb_descriptor_kind kind = vkb_shader_descriptor(shader, i);
        bool sampled = kind == VKB_DESCRIPTOR_SAMPLED_IMAGE;
        infos[i] = (VkDescriptorImageInfo){
            .imageView = sampled ? images[i]->sampled : images[i]->storage,
            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = types[kind],
            .pImageInfo = &infos[i],
            .pTexelBufferView = &images[i]->texels,
        };
    }
    device->vk.vkUpdateDescriptorSets(device->handle, count, writes, 0, NULL);
}

enum vkb_result vkb_descriptors_bind(struct batch *batch, const struct vkb_dispatch *dispatch)
{
    struct vkb_device *device = batch->device;
    uint32_t count = vkb_shader_num_descriptors(dispatch->shader);
    VkDescriptorSet set;
    if (!count)
        return VKB_SUCCESS;
    enum vkb_result result = take_set(batch, dispatch->shader, &set);
    if (result != VKB_SUCCESS)
        return result;
    VkWriteDescriptorSet *writes = malloc(count * (sizeof(VkWriteDescriptorSet) + sizeof(VkDescriptorImageInfo)));
    if (!writes)
        return VKB_OUT_OF_HOST_MEMORY;
    write_set(device, set, dispatch->shader, dispatch->images, writes, (VkDescriptorImageInfo *)(writes + count));
    free(writes);
    device->vk.vkCmdBindDescriptorSets(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vkb_shader_layout(dispatch->shader),
                                       0, 1, &set, 0, NULL);
    return VKB_SUCCESS;
}

void vkb_descriptors_recycle(struct batch *batch)
{
    struct vkb_device *device = batch->device;
    for (uint32_t i = 0; i < batch->num_pools && i <= batch->used_pools; i++)
        device->vk.vkResetDescriptorPool(device->handle, batch->pools[i], 0);
    batch->used_pools = 0;
}

void vkb_descriptors_destroy(struct batch *batch)
{
    struct vkb_device *device = batch->device;
    for (uint32_t i = 0; i < batch->num_pools; i++)
        device->vk.vkDestroyDescriptorPool(device->handle, batch->pools[i], NULL);
    free(batch->pools);
}
