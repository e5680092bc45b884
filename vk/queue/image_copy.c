/* Copies to, from and between images. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/queue/batch.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"

static enum vkb_result copy_buffer(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    struct vkb_device *device = batch->device;
    const struct vkb_image_region *region = &command->region;
    struct vkb_image *image = command->src ? command->dst_image : command->src_image;
    struct vkb_buffer *buffer = command->src ? command->src : command->dst;
    VkBufferImageCopy copy = {
        .bufferOffset = buffer->offset + region->buffer_offset,
        .bufferRowLength = region->row_texels,
        .bufferImageHeight = image->info.kind == VKB_IMAGE_1D_ARRAY ? 1 : region->slice_rows, /* layers are rows */
    };
    vkb_image_split_layers(image, region->level, region->origin, region->extent, &copy.imageOffset, &copy.imageExtent,
                           &copy.imageSubresource);
    enum vkb_result result = vkb_batch_use_buffer(batch, buffer);
    if (result == VKB_SUCCESS)
        result = vkb_batch_use_image(batch, image);
    if (result != VKB_SUCCESS)
        return result;
    if (!vkb_queue_only_copies(queue) && vkb_texels_copy(batch, buffer, image, region, command->src != NULL, &result)) {
        queue->hazards.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        return result;
    }
    if (command->src)
        device->vk.vkCmdCopyBufferToImage(batch->cmd, buffer->block->buffer, image->handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                                          &copy);
    else
        device->vk.vkCmdCopyImageToBuffer(batch->cmd, image->handle, VK_IMAGE_LAYOUT_GENERAL, buffer->block->buffer, 1,
                                          &copy);
    return VKB_SUCCESS;
}

/* Copies between images of different shapes, where layers become slices or the reverse, go one slice or layer at a
 * time. A shader does all of them at once; a single one is the driver's, which is as fast with it. */
static enum vkb_result copy_images(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    struct vkb_device *device = batch->device;
    struct vkb_image *src = command->src_image, *dst = command->dst_image;
    const struct vkb_image_region *region = &command->region;
    enum vkb_result result = vkb_batch_use_image(batch, src);
    if (result == VKB_SUCCESS)
        result = vkb_batch_use_image(batch, dst);
    if (result != VKB_SUCCESS)
        return result;
    bool lines = src->info.kind == VKB_IMAGE_1D_ARRAY || dst->info.kind == VKB_IMAGE_1D_ARRAY;
    uint32_t rows = lines ? region->extent[1] : 1;
    if (rows * region->extent[2] > 1 && !vkb_queue_only_copies(queue) &&
        vkb_texels_copy_image(batch, src, dst, region, &result)) {
        queue->hazards.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        return result;
    }
    for (uint32_t z = 0; z < region->extent[2]; z++) {
        for (uint32_t y = 0; y < rows; y++) {
            const uint32_t from[3] = {region->origin[0], region->origin[1] + y, region->origin[2] + z};
            const uint32_t to[3] = {region->dst_origin[0], region->dst_origin[1] + y, region->dst_origin[2] + z};
            const uint32_t extent[3] = {region->extent[0], lines ? 1 : region->extent[1], 1};
            VkExtent3D unused;
            VkImageCopy copy = {0};
            vkb_image_split_layers(src, region->level, from, extent, &copy.srcOffset, &copy.extent,
                                   &copy.srcSubresource);
            vkb_image_split_layers(dst, region->dst_level, to, extent, &copy.dstOffset, &unused, &copy.dstSubresource);
            device->vk.vkCmdCopyImage(batch->cmd, src->handle, VK_IMAGE_LAYOUT_GENERAL, dst->handle,
                                      VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
        }
    }
    return VKB_SUCCESS;
}

enum vkb_result vkb_record_image(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    return command->src_image && command->dst_image ? copy_images(queue, batch, command)
                                                    : copy_buffer(queue, batch, command);
}
