/* What the device does with an object of its own before the first command that uses it: an image's transition from
 * UNDEFINED to the layout GENERAL, in which all commands find it, and the copy of what an image or a buffer was created
 * with (contents.c).
 *
 * It is submitted in front of the first batch that uses the object, in the same call and for all of the batch's objects
 * together. So nobody waits for it, and an object that is never used costs the device nothing. It cannot be a part of
 * the batch: another queue's batch that uses the object would have to wait for the whole. Such a batch waits for a
 * semaphore that the VkQueue signals behind its first uses.
 *
 * Copies are recorded for the family of the kernels' queues. A batch of a lane (queue/lane.c) finds its objects made
 * ready by the first of those queues. */
#include "vk/memory/buffer.h"
#include "vk/memory/first_use.h"
#include "vk/memory/image.h"

#include <assert.h>
#include <stdlib.h>

#define ROUND_NS 10000000000u /* between looks whether the device has anything else to do */
#define DRAIN_NS 1000000000u
/* Bytes that one region of a copy may have: lavapipe counts them in signed 32 bits. */
#define LARGEST_REGION ((uint64_t)1 << 30)

/* A command buffer, and when it can be recorded anew. */
struct first_slot {
    VkCommandBuffer cmd;
    struct vulkan_queue *queue;
    uint64_t value;
};

struct first_uses {
    pthread_mutex_t
        lock; /* guards what follows, the first uses of the device's objects, and what VkQueues have of them */
    VkCommandPool pool;
    struct first_slot **slots;
    uint32_t num_slots, cap_slots, next;
};

struct first_uses *vkb_first_uses_create(void)
{
    struct first_uses *uses = calloc(1, sizeof(*uses));
    if (uses)
        pthread_mutex_init(&uses->lock, NULL);
    return uses;
}

static bool is_reached(struct vkb_device *device, struct vulkan_queue *queue, uint64_t value)
{
    uint64_t reached = 0;
    if (queue->first_reached < value && CHECK(device, device->vk.vkGetSemaphoreCounterValue(
                                                          device->handle, queue->first_done, &reached)) == VKB_SUCCESS)
        queue->first_reached = u64_max(queue->first_reached, reached);
    return queue->first_reached >= value;
}

/* ---- recording ---- */

static enum vkb_result add_slot(struct vkb_device *device, struct first_uses *uses, struct first_slot **out)
{
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = device->family,
    };
    enum vkb_result result =
        vkb_grow((void **)&uses->slots, &uses->cap_slots, uses->num_slots + 1, sizeof(uses->slots[0]));
    if (result == VKB_SUCCESS && !uses->pool)
        result = CHECK(device, device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &uses->pool));
    struct first_slot *slot = result == VKB_SUCCESS ? calloc(1, sizeof(*slot)) : NULL;
    if (!slot)
        return result == VKB_SUCCESS ? VKB_OUT_OF_HOST_MEMORY : result;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = uses->pool,
        .commandBufferCount = 1,
    };
    result = CHECK(device, device->vk.vkAllocateCommandBuffers(device->handle, &info, &slot->cmd));
    if (result != VKB_SUCCESS) {
        free(slot);
        return result;
    }
    uses->slots[uses->num_slots++] = *out = slot;
    return VKB_SUCCESS;
}

/* The command buffer that was used first, if the device has done with it, or a new one. */
static enum vkb_result take_slot(struct vkb_device *device, struct first_uses *uses, struct first_slot **out)
{
    struct first_slot *first = uses->num_slots ? uses->slots[uses->next % uses->num_slots] : NULL;
    if (!first || (first->queue && !is_reached(device, first->queue, first->value)))
        return add_slot(device, uses, out);
    uses->next++;
    first->queue = NULL;
    *out = first;
    return VKB_SUCCESS;
}

static enum vkb_result make_semaphore(struct vkb_device *device, struct vulkan_queue *queue)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return CHECK(device, device->vk.vkCreateSemaphore(device->handle, &info, NULL, &queue->first_done));
}

/* The batch's command buffer, begun when something is recorded. */
static enum vkb_result open_slot(struct first_batch *batch)
{
    struct vkb_device *device = batch->device;
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    if (batch->slot)
        return VKB_SUCCESS;
    struct first_slot *slot = NULL;
    enum vkb_result result = batch->queue->first_done ? VKB_SUCCESS : make_semaphore(device, batch->queue);
    if (result == VKB_SUCCESS)
        result = take_slot(device, device->memory->first_uses, &slot);
    if (result == VKB_SUCCESS)
        result = CHECK(device, device->vk.vkBeginCommandBuffer(slot->cmd, &begin));
    if (result == VKB_SUCCESS)
        batch->slot = slot;
    return result;
}

/* What lies in a buffer's memory stays. */
static void record_transition(const struct vkb_image *image, VkCommandBuffer cmd)
{
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
    image->device->vk.vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Of its first level. */
static void record_texels(const struct vkb_image *image, const struct vkb_contents *contents, VkCommandBuffer cmd)
{
    const struct vkb_buffer *from = contents->buffer;
    struct vkb_image_region whole;
    vkb_image_whole(image, &whole);
    VkBufferImageCopy copy = {.bufferOffset = from->offset};
    vkb_image_split_layers(image, 0, whole.origin, whole.extent, &copy.imageOffset, &copy.imageExtent,
                           &copy.imageSubresource);
    image->device->vk.vkCmdCopyBufferToImage(cmd, from->block->buffer, image->handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                                             &copy);
}

static void record_bytes(const struct vkb_buffer *buffer, const struct vkb_contents *contents, VkCommandBuffer cmd)
{
    const struct vkb_buffer *from = contents->buffer;
    for (uint64_t at = 0; at < from->size; at += LARGEST_REGION) {
        const VkBufferCopy region = {from->offset + at, buffer->offset + at, u64_min(from->size - at, LARGEST_REGION)};
        buffer->device->vk.vkCmdCopyBuffer(cmd, from->block->buffer, buffer->block->buffer, 1, &region);
    }
}

/* ---- a batch of them ---- */

void vkb_first_begin(struct vkb_device *device, struct vulkan_queue *queue, struct first_batch *batch)
{
    *batch = (struct first_batch){.device = device, .queue = queue};
    pthread_mutex_lock(&device->memory->first_uses->lock);
}

/* Whether the object is to be recorded. The batch waits for what another queue does with it. */
static bool is_to_do(const struct first_batch *batch, struct first_use *first, struct first_duty *duty)
{
    *duty = (struct first_duty){0};
    int state = atomic_load(&first->state);
    if (state == FIRST_SUBMITTED && is_reached(batch->device, first->queue, first->value))
        atomic_store_explicit(&first->state, FIRST_OVER, memory_order_release);
    else if (state == FIRST_SUBMITTED && first->queue != batch->queue)
        *duty = (struct first_duty){.semaphore = first->queue->first_done, .value = first->value};
    for (const struct first_use *known = batch->list; known; known = known->next) {
        if (known == first)
            return false;
    }
    return state == FIRST_WAITS;
}

static void list(struct first_batch *batch, struct first_use *first, struct first_duty *duty)
{
    first->next = batch->list;
    batch->list = first;
    duty->contents = first->contents;
    if (duty->contents)
        atomic_fetch_add(&duty->contents->refs, 1);
}

enum vkb_result vkb_first_add_buffer(struct first_batch *batch, struct vkb_buffer *buffer, struct first_duty *duty)
{
    struct first_use *first = &buffer->first;
    if (!is_to_do(batch, first, duty))
        return VKB_SUCCESS;
    enum vkb_result result = open_slot(batch);
    if (result != VKB_SUCCESS)
        return result;
    record_bytes(buffer, first->contents, batch->slot->cmd);
    list(batch, first, duty);
    return VKB_SUCCESS;
}

enum vkb_result vkb_first_add_image(struct first_batch *batch, struct vkb_image *image, struct first_duty *duty)
{
    struct first_use *first = &image->first;
    if (!is_to_do(batch, first, duty))
        return VKB_SUCCESS;
    enum vkb_result result = open_slot(batch);
    if (result != VKB_SUCCESS)
        return result;
    record_transition(image, batch->slot->cmd);
    if (first->contents)
        record_texels(image, first->contents, batch->slot->cmd);
    list(batch, first, duty);
    return VKB_SUCCESS;
}

bool vkb_first_close(struct first_batch *batch, enum vkb_result *result)
{
    struct vkb_device *device = batch->device;
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    bool copies = false;
    *result = VKB_SUCCESS;
    if (!batch->slot)
        return false;
    for (const struct first_use *first = batch->list; first; first = first->next)
        copies |= first->contents != NULL;
    if (copies)
        device->vk.vkCmdPipelineBarrier(batch->slot->cmd, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    *result = CHECK(device, device->vk.vkEndCommandBuffer(batch->slot->cmd));
    if (*result != VKB_SUCCESS)
        return false;
    batch->value = batch->queue->first_submitted + 1;
    batch->timeline = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &batch->value,
    };
    batch->info = (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &batch->timeline,
        .commandBufferCount = 1,
        .pCommandBuffers = &batch->slot->cmd,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &batch->queue->first_done,
    };
    return true;
}

enum vkb_result vkb_first_submit(struct first_batch *batch)
{
    struct vkb_device *device = batch->device;
    pthread_mutex_lock(&batch->queue->lock);
    enum vkb_result result =
        CHECK(device, device->vk.vkQueueSubmit(batch->queue->handle, 1, &batch->info, VK_NULL_HANDLE));
    pthread_mutex_unlock(&batch->queue->lock);
    return result;
}

void vkb_first_end(struct first_batch *batch, bool submitted)
{
    struct vkb_contents *given = NULL;
    if (submitted && batch->slot) {
        batch->queue->first_submitted = batch->slot->value = batch->value;
        batch->slot->queue = batch->queue;
    }
    for (struct first_use *first = batch->list, *next; first && submitted; first = next) {
        next = first->next;
        first->queue = batch->queue;
        first->value = batch->value;
        if (first->contents) {
            first->contents->next = given;
            given = first->contents;
        }
        first->contents = NULL;
        atomic_store(&first->state, FIRST_SUBMITTED);
    }
    pthread_mutex_unlock(&batch->device->memory->first_uses->lock);
    vkb_contents_release_all(given);
}

/* ---- at once, and the end ---- */

/* The VkQueue may have much to do for the application, which takes any time. What other processes have submitted may
 * take its time, too: a device without work of ours is lost only when nobody would wait any longer. */
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

enum vkb_result vkb_first_settle(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    struct first_batch batch;
    struct first_duty duty;
    assert(!image->first.contents); /* which nobody would keep until it is over */
    vkb_first_begin(device, &device->queues[0], &batch);
    enum vkb_result result = vkb_first_add_image(&batch, image, &duty);
    bool submitted = false;
    if (result == VKB_SUCCESS && vkb_first_close(&batch, &result)) {
        result = vkb_first_submit(&batch);
        submitted = result == VKB_SUCCESS;
    }
    vkb_first_end(&batch, submitted);
    if (result != VKB_SUCCESS)
        return result;
    vkb_first_finish(device, &image->first);
    return vkb_first_is_over(&image->first) ? VKB_SUCCESS : VKB_DEVICE_LOST;
}

void vkb_first_finish(struct vkb_device *device, struct first_use *first)
{
    struct first_uses *uses = device->memory->first_uses;
    if (vkb_first_is_over(first) || !first->queue)
        return;
    pthread_mutex_lock(&uses->lock);
    VkSemaphore semaphore = first->queue->first_done;
    uint64_t value = first->value;
    bool over = is_reached(device, first->queue, value);
    pthread_mutex_unlock(&uses->lock);
    if (!over)
        over = await(device, semaphore, value) == VKB_SUCCESS;
    if (over && atomic_load(&first->state) == FIRST_SUBMITTED)
        atomic_store(&first->state, FIRST_OVER);
}
