/* Memory that others own changes hands. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"

/* Vulkan 1.3, 7.7.4: memory changes hands by a barrier of the queue that gives it and one of the queue that takes it.
 */
enum vkb_result vkb_record_ownership(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    struct vkb_device *device = queue->device;
    struct vkb_buffer *buffer = command->dst;
    struct vkb_image *image = command->dst_image;
    uint32_t other = buffer ? buffer->block->owner : image->owner, ours = device->family;
    VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    VkAccessFlags before = command->acquire ? 0 : all, after = command->acquire ? all : 0;
    uint32_t from = command->acquire ? other : ours, to = command->acquire ? ours : other;
    const VkBufferMemoryBarrier buffer_barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
        .srcAccessMask = before,
        .dstAccessMask = after,
        .srcQueueFamilyIndex = from,
        .dstQueueFamilyIndex = to,
        .buffer = buffer ? buffer->block->buffer : VK_NULL_HANDLE,
        .size = VK_WHOLE_SIZE,
    };
    const VkImageMemoryBarrier image_barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = before,
        .dstAccessMask = after,
        .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = from,
        .dstQueueFamilyIndex = to,
        .image = image ? image->handle : VK_NULL_HANDLE,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, image ? image->info.layers : 1},
    };
    enum vkb_result result = buffer ? vkb_batch_use_buffer(batch, buffer) : vkb_batch_use_image(batch, image);
    if (result != VKB_SUCCESS)
        return result;
    device->vk.vkCmdPipelineBarrier(batch->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                    0, 0, NULL, buffer ? 1 : 0, &buffer_barrier, buffer ? 0 : 1, &image_barrier);
    queue->full_barrier = true;
    return VKB_SUCCESS;
}
