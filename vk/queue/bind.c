/* The images of a dispatch. A set that the batch has bound already stays. */
#include "vk/device/device.h"
#include "vk/memory/image.h"
#include "vk/queue/batch.h"
#include "vk/queue/record.h"
#include "vk/shader/descriptor.h"
#include "vk/shader/shader.h"

#include <stdlib.h>

static enum vkb_result bind(struct batch *batch, const struct vkb_dispatch *dispatch, const uint64_t *numbers)
{
    struct vkb_device *device = batch->device;
    struct descriptor_set *set;
    enum vkb_result result = vkb_descriptors_take(device, dispatch->shader, dispatch->images, numbers, &set);
    if (result == VKB_SUCCESS)
        result = vkb_batch_add_ref(batch, REF_DESCRIPTORS, set);
    if (result != VKB_SUCCESS)
        return result;
    const VkDescriptorSet handle = vkb_descriptors_handle(set);
    device->vk.vkCmdBindDescriptorSets(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vkb_shader_layout(dispatch->shader),
                                       0, 1, &handle, 0, NULL);
    batch->descriptors = set;
    return VKB_SUCCESS;
}

enum vkb_result vkb_bind_images(struct batch *batch, const struct vkb_dispatch *dispatch)
{
    uint32_t count = vkb_shader_num_descriptors(dispatch->shader);
    uint64_t few[16], *numbers = few;
    if (!count)
        return VKB_SUCCESS;
    if (count > ARRAY_LENGTH(few) && !(numbers = malloc(count * sizeof(*numbers))))
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = dispatch->images[i]->number;
    enum vkb_result result = VKB_SUCCESS;
    if (!batch->descriptors || !vkb_descriptors_have(batch->descriptors, dispatch->shader, numbers, count))
        result = bind(batch, dispatch, numbers);
    if (numbers != few)
        free(numbers);
    return result;
}
