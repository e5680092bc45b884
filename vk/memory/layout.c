/* The transition of an image from UNDEFINED to the layout GENERAL, in which all commands find it.
 *
 * It is submitted when a command first uses the image, by itself, to the VkQueue that the command's batch will go to.
 * There its barrier orders it before the batch, and nobody waits for it. It cannot be a part of the batch: a batch of
 * another queue that uses the image may be submitted earlier, and would lose what it writes. Such a batch waits for a
 * semaphore that the VkQueue signals behind its transitions. */
#include "vk/device/device.h"
#include "vk/memory/layout.h"

#include <stdlib.h>

#define ROUND_NS 10000000000u /* between looks whether the device has anything else to do */
#define DRAIN_NS 1000000000u

/* A command buffer, and when it can be recorded anew. */
struct slot {
    VkCommandBuffer cmd;
    struct vulkan_queue *queue;
    uint64_t value;
};

struct layouts {
    pthread_mutex_t lock; /* guards what follows, and mover and moved of the device's images */
    VkCommandPool pool;
    struct slot *slots;
    uint32_t num_slots, cap_slots, next;
};

struct layouts *vkb_layouts_create(void)
{
    struct layouts *layouts = calloc(1, sizeof(*layouts));
    if (layouts)
        pthread_mutex_init(&layouts->lock, NULL);
    return layouts;
}

static struct vkb_image *root_of(struct vkb_image *image)
{
    return image->base ? image->base : image;
}

static bool is_over(struct vkb_device *device, const struct vulkan_queue *queue, uint64_t value)
{
    uint64_t reached = 0;
    return CHECK(device, device->vk.vkGetSemaphoreCounterValue(device->handle, queue->layouts_done, &reached)) ==
               VKB_SUCCESS &&
           reached >= value;
}

/* The command buffer that was used first, if the device has done with it, or a new one. */
static enum vkb_result take_slot(struct vkb_device *device, struct layouts *layouts, struct slot **out)
{
    struct slot *first = layouts->num_slots ? &layouts->slots[layouts->next % layouts->num_slots] : NULL;
    if (first && (!first->queue || is_over(device, first->queue, first->value))) {
        layouts->next++;
        first->queue = NULL;
        *out = first;
        return VKB_SUCCESS;
    }
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = device->family,
    };
    enum vkb_result result =
        vkb_grow((void **)&layouts->slots, &layouts->cap_slots, layouts->num_slots + 1, sizeof(layouts->slots[0]));
    if (result == VKB_SUCCESS && !layouts->pool)
        result = CHECK(device, device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &layouts->pool));
    if (result != VKB_SUCCESS)
        return result;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = layouts->pool,
        .commandBufferCount = 1,
    };
    struct slot *slot = &layouts->slots[layouts->num_slots];
    *slot = (struct slot){0};
    result = CHECK(device, device->vk.vkAllocateCommandBuffers(device->handle, &info, &slot->cmd));
    if (result != VKB_SUCCESS)
        return result;
    layouts->num_slots++;
    *out = slot;
    return VKB_SUCCESS;
}

/* What lies in a buffer's memory stays. */
static enum vkb_result record(const struct vkb_image *image, VkCommandBuffer cmd)
{
    struct vkb_device *device = image->device;
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = image->buffer ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->handle,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, vkb_image_levels(&image->info), 0, image->info.layers},
    };
    enum vkb_result result = CHECK(device, device->vk.vkBeginCommandBuffer(cmd, &begin));
    if (result != VKB_SUCCESS)
        return result;
    device->vk.vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                                    NULL, 0, NULL, 1, &barrier);
    return CHECK(device, device->vk.vkEndCommandBuffer(cmd));
}

static enum vkb_result make_semaphore(struct vkb_device *device, struct vulkan_queue *queue)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return CHECK(device, device->vk.vkCreateSemaphore(device->handle, &info, NULL, &queue->layouts_done));
}

/* With the lock held. */
static enum vkb_result submit(struct vkb_image *image, struct vulkan_queue *queue)
{
    struct vkb_device *device = image->device;
    struct slot *slot = NULL;
    enum vkb_result result = queue->layouts_done ? VKB_SUCCESS : make_semaphore(device, queue);
    if (result == VKB_SUCCESS)
        result = take_slot(device, device->memory->layouts, &slot);
    if (result == VKB_SUCCESS)
        result = record(image, slot->cmd);
    if (result != VKB_SUCCESS)
        return result;
    uint64_t value = queue->layouts_submitted + 1;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .commandBufferCount = 1,
        .pCommandBuffers = &slot->cmd,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &queue->layouts_done,
    };
    pthread_mutex_lock(&queue->lock);
    result = CHECK(device, device->vk.vkQueueSubmit(queue->handle, 1, &info, VK_NULL_HANDLE));
    pthread_mutex_unlock(&queue->lock);
    if (result != VKB_SUCCESS)
        return result;
    queue->layouts_submitted = slot->value = image->moved = value;
    slot->queue = image->mover = queue;
    atomic_store(&image->layout, LAYOUT_COMING);
    return VKB_SUCCESS;
}

enum vkb_result vkb_layout_ready(struct vkb_image *image, struct vulkan_queue *queue, struct layout_wait *wait)
{
    struct vkb_image *root = root_of(image);
    struct layouts *layouts = image->device->memory->layouts;
    *wait = (struct layout_wait){0};
    if (atomic_load_explicit(&root->layout, memory_order_acquire) == LAYOUT_GENERAL)
        return VKB_SUCCESS;
    enum vkb_result result = VKB_SUCCESS;
    pthread_mutex_lock(&layouts->lock);
    if (atomic_load(&root->layout) == LAYOUT_UNDEFINED)
        result = submit(root, queue);
    if (atomic_load(&root->layout) == LAYOUT_COMING && root->mover != queue) {
        if (is_over(image->device, root->mover, root->moved))
            atomic_store(&root->layout, LAYOUT_GENERAL);
        else
            *wait = (struct layout_wait){root->mover->layouts_done, root->moved};
    }
    pthread_mutex_unlock(&layouts->lock);
    return result;
}

/* The transition comes behind what the application had submitted to that VkQueue, which may take any time. What other
 * processes have submitted may take its time, too: a device without work of ours is lost only when nobody would wait any
 * longer. */
static enum vkb_result await(struct vkb_device *device, VkSemaphore semaphore, uint64_t value)
{
    enum vkb_result result;
    uint64_t idle_since = time_ns();
    do {
        result = vkb_device_await_timeline(device, semaphore, value, ROUND_NS);
        if (result == VKB_TIMEOUT && device->work->drain(device, time_ns() + DRAIN_NS))
            idle_since = time_ns();
    } while (result == VKB_TIMEOUT && time_ns() - idle_since < vkb_device_patience_ns(device));
    if (result == VKB_TIMEOUT)
        vkb_device_mark_lost(device);
    return result;
}

enum vkb_result vkb_layout_settle(struct vkb_image *image)
{
    struct layout_wait wait;
    struct vkb_image *root = root_of(image);
    struct vkb_device *device = image->device;
    enum vkb_result result = vkb_layout_ready(image, &device->queues[0], &wait);
    if (result != VKB_SUCCESS)
        return result;
    vkb_layout_finish(image);
    return atomic_load(&root->layout) == LAYOUT_GENERAL ? VKB_SUCCESS : VKB_DEVICE_LOST;
}

void vkb_layout_finish(struct vkb_image *image)
{
    struct vkb_image *root = root_of(image);
    struct layouts *layouts = image->device->memory->layouts;
    if (atomic_load(&root->layout) != LAYOUT_COMING)
        return;
    pthread_mutex_lock(&layouts->lock);
    VkSemaphore semaphore = root->mover->layouts_done;
    uint64_t value = root->moved;
    pthread_mutex_unlock(&layouts->lock);
    if (await(image->device, semaphore, value) == VKB_SUCCESS)
        atomic_store(&root->layout, LAYOUT_GENERAL);
}
