/* Batches: command buffers on their way through the GPU.
 *
 * A queue has at most one open batch. Submitting gives it to the VkQueue with the waits that its commands collected and
 * a signal of the queue's timeline; retiring takes finished ones from the head of the list, does the host's parts of
 * staged reads, takes the timestamps, ends the events and drops the references. Batches are reused with their command
 * pools.
 *
 * All functions but vkb_batch_recycle() and vkb_batch_make_some() are called with the queue's lock held. */
#include "vk/device/backend.h"
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/memory/first_use.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/hazard.h"
#include "vk/queue/pace.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/rect.h"
#include "vk/queue/semaphore.h"
#include "vk/queue/trace.h"
#include "vk/shader/descriptor.h"

#include "base/float_env.h"
#include "base/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void drop_ref(struct vkb_device *device, struct batch_ref ref)
{
    switch (ref.kind) {
    case REF_BUFFER:
        vkb_buffer_release(ref.object);
        break;
    case REF_IMAGE:
        vkb_image_release(ref.object);
        break;
    case REF_SHADER:
        vkb_shader_release(ref.object);
        break;
    case REF_EVENT:
        vkb_event_release(ref.object);
        break;
    case REF_SEMAPHORE:
        vkb_semaphore_release(ref.object);
        break;
    case REF_CHUNK:
        vkb_staging_chunk_release(device, ref.object);
        break;
    case REF_DESCRIPTORS:
        vkb_descriptors_release(ref.object);
        break;
    case REF_RECORDING:
        vkb_recording_release(ref.object);
        break;
    case REF_CONTENTS:
        vkb_contents_release(ref.object);
        break;
    }
}

void vkb_batch_drop_refs(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->num_refs; i++)
        drop_ref(batch->device, batch->refs[i]);
    batch->num_refs = 0;
}

enum vkb_result vkb_batch_add_ref(struct batch *batch, enum ref_kind kind, void *object)
{
    enum vkb_result result =
        vkb_grow((void **)&batch->refs, &batch->cap_refs, batch->num_refs + 1, sizeof(*batch->refs));
    if (result != VKB_SUCCESS) {
        drop_ref(batch->device, (struct batch_ref){kind, object});
        return result;
    }
    batch->refs[batch->num_refs++] = (struct batch_ref){kind, object};
    return VKB_SUCCESS;
}

/* Whether the batch has the object already; only the newest few references are compared, since the same objects recur.
 */
static bool is_known(const struct batch *batch, const void *object)
{
    for (uint32_t i = batch->num_refs, seen = 0; i-- && seen < 8; seen++) {
        if (batch->refs[i].object == object)
            return true;
    }
    return false;
}

/* ---- memory that others have between batches ---- */

static void hand_over(struct batch *batch, const struct memory_block *block, bool acquire)
{
    struct vkb_device *device = batch->device;
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkBufferMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
        .srcAccessMask = acquire ? 0 : all,
        .dstAccessMask = acquire ? all : 0,
        .srcQueueFamilyIndex = acquire ? block->owner : device->family,
        .dstQueueFamilyIndex = acquire ? device->family : block->owner,
        .buffer = block->buffer,
        .size = VK_WHOLE_SIZE,
    };
    device->vk.vkCmdPipelineBarrier(batch->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                    0, 0, NULL, 1, &barrier, 0, NULL);
}

static void give_back(struct batch *batch)
{
    for (uint32_t i = 0; batch->has_lent && i < batch->num_refs; i++) {
        const struct vkb_buffer *buffer = batch->refs[i].object;
        if (batch->refs[i].kind == REF_BUFFER && buffer->block->lent)
            hand_over(batch, buffer->block, false);
    }
    batch->has_lent = false;
}

static enum vkb_result use_lent(struct batch *batch, struct vkb_buffer *buffer)
{
    for (uint32_t i = 0; batch->has_lent && i < batch->num_refs; i++) {
        if (batch->refs[i].object == buffer)
            return VKB_SUCCESS;
    }
    enum vkb_result result = vkb_batch_add_ref(batch, REF_BUFFER, vkb_buffer_retain(buffer));
    if (result == VKB_SUCCESS) {
        hand_over(batch, buffer->block, true);
        batch->has_lent = true;
    }
    return result;
}

enum vkb_result vkb_batch_use_buffer(struct batch *batch, struct vkb_buffer *buffer)
{
    if (buffer->block->lent)
        return use_lent(batch, buffer);
    if (is_known(batch, buffer))
        return VKB_SUCCESS;
    return vkb_batch_add_ref(batch, REF_BUFFER, vkb_buffer_retain(buffer));
}

/* The batch waits until the timeline semaphore has the value. A semaphore that it does not wait for yet stays alive by
 * the event, where there is one. */
static enum vkb_result add_wait(struct batch *batch, VkSemaphore semaphore, uint64_t value, struct vkb_event *event)
{
    for (uint32_t i = 0; i < batch->num_waits; i++) {
        if (batch->waits[i].semaphore == semaphore) {
            batch->waits[i].value = u64_max(batch->waits[i].value, value);
            return VKB_SUCCESS;
        }
    }
    enum vkb_result result =
        vkb_grow((void **)&batch->waits, &batch->cap_waits, batch->num_waits + 1, sizeof(*batch->waits));
    if (result == VKB_SUCCESS && event)
        result = vkb_batch_add_ref(batch, REF_EVENT, vkb_event_retain(event));
    if (result == VKB_SUCCESS)
        batch->waits[batch->num_waits++] = (struct batch_wait){semaphore, value};
    return result;
}

enum vkb_result vkb_batch_wait_value(struct batch *batch, VkSemaphore semaphore, uint64_t value)
{
    return add_wait(batch, semaphore, value, NULL);
}

enum vkb_result vkb_batch_use_image(struct batch *batch, struct vkb_image *image)
{
    enum vkb_result result = image->buffer && image->buffer->block->lent ? use_lent(batch, image->buffer) : VKB_SUCCESS;
    if (result != VKB_SUCCESS || is_known(batch, image))
        return result;
    return vkb_batch_add_ref(batch, REF_IMAGE, vkb_image_retain(image));
}

enum vkb_result vkb_batch_add_event(struct batch *batch, struct vkb_event *event)
{
    enum vkb_result result =
        vkb_grow((void **)&batch->events, &batch->cap_events, batch->num_events + 1, sizeof(*batch->events));
    if (result != VKB_SUCCESS)
        return result;
    event->leads = batch->num_events == 0;
    batch->events[batch->num_events++] = vkb_event_retain(event);
    return VKB_SUCCESS;
}

enum vkb_result vkb_batch_add_wait(struct batch *batch, struct vkb_event *event, uint64_t value)
{
    assert(event->queue->device == batch->device);
    return add_wait(batch, event->queue->timeline, value, event);
}

enum vkb_result vkb_batch_use_semaphore(struct batch *batch, struct vkb_semaphore *semaphore, bool signals)
{
    enum vkb_result result =
        vkb_grow((void **)&batch->waits, &batch->cap_waits, batch->num_waits + 1, sizeof(*batch->waits));
    if (result == VKB_SUCCESS)
        result = vkb_batch_add_ref(batch, REF_SEMAPHORE, vkb_semaphore_retain(semaphore));
    if (result != VKB_SUCCESS)
        return result;
    if (signals)
        batch->signal = vkb_semaphore_handle(semaphore);
    else
        batch->waits[batch->num_waits++] = (struct batch_wait){vkb_semaphore_handle(semaphore), 0};
    return VKB_SUCCESS;
}

enum vkb_result vkb_batch_add_copy(struct batch *batch, const struct batch_copy *copy)
{
    enum vkb_result result =
        vkb_grow((void **)&batch->copies, &batch->cap_copies, batch->num_copies + 1, sizeof(*batch->copies));
    if (result == VKB_SUCCESS)
        batch->copies[batch->num_copies++] = *copy;
    return result;
}

static bool overlaps(const struct batch *batch, const char *begin, const char *end)
{
    for (uint32_t i = 0; i < batch->num_copies; i++) {
        const struct batch_copy *copy = &batch->copies[i];
        const char *data = copy->data;
        if (begin < data + vkb_rect_dst_end(&copy->rect) && data + copy->rect.dst_offset < end)
            return true;
    }
    return false;
}

bool vkb_batch_pending_copy(const struct vkb_queue *queue, const void *data, uint64_t size)
{
    const char *begin = data, *end = begin + size;
    for (const struct batch *batch = queue->first; batch; batch = batch->next) {
        if (overlaps(batch, begin, end))
            return true;
    }
    return queue->open && overlaps(queue->open, begin, end);
}

/* ---- life ---- */

void vkb_batch_destroy(struct vkb_queue *queue, struct batch *batch)
{
    struct vkb_device *device = queue->device;
    if (batch->pool)
        device->vk.vkDestroyCommandPool(device->handle, batch->pool, NULL);
    if (batch->queries)
        device->vk.vkDestroyQueryPool(device->handle, batch->queries, NULL);
    vkb_buffer_release(batch->results);
    free(batch->events);
    free(batch->refs);
    free(batch->waits);
    free(batch->copies);
    free(batch->spans);
    free(batch);
}

static enum vkb_result create(struct vkb_queue *queue, struct batch **out)
{
    struct vkb_device *device = queue->device;
    struct batch *batch = calloc(1, sizeof(*batch));
    if (!batch)
        return VKB_OUT_OF_HOST_MEMORY;
    batch->device = device;
    batch->vulkan = queue->vulkan;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = queue->vulkan->family,
    };
    enum vkb_result result = CHECK(device, device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &batch->pool));
    if (result == VKB_SUCCESS) {
        const VkCommandBufferAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = batch->pool,
            .commandBufferCount = 1,
        };
        result = CHECK(device, device->vk.vkAllocateCommandBuffers(device->handle, &info, &batch->cmd));
    }
    /* Queues that only copy have no command that resets queries. */
    bool may_reset = device->caps.host_query_reset || !vkb_queue_only_copies(queue);
    if (result == VKB_SUCCESS && vkb_queue_takes_times(queue) && device->caps.timestamp_bits && may_reset) {
        const VkQueryPoolCreateInfo queries = {
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = VK_QUERY_TYPE_TIMESTAMP,
            .queryCount = BATCH_QUERIES,
        };
        result = CHECK(device, device->vk.vkCreateQueryPool(device->handle, &queries, NULL, &batch->queries));
        if (result == VKB_SUCCESS && device->caps.host_query_reset)
            device->vk.vkResetQueryPool(device->handle, batch->queries, 0, BATCH_QUERIES);
        /* lavapipe answers a question for results when the whole device is idle. Its own copy of them costs nothing. */
        if (result == VKB_SUCCESS && device->caps.type == VKB_DEVICE_CPU && !vkb_queue_only_copies(queue))
            result = vkb_buffer_create_now(device, BATCH_QUERIES * sizeof(uint64_t), VKB_MEMORY_HOST, &batch->results);
    }
    if (result != VKB_SUCCESS) {
        vkb_batch_destroy(queue, batch);
        return result;
    }
    *out = batch;
    return VKB_SUCCESS;
}

static enum vkb_result begin(struct vkb_queue *queue, struct batch *batch)
{
    struct vkb_device *device = queue->device;
    enum vkb_result result = CHECK(device, device->vk.vkResetCommandPool(device->handle, batch->pool, 0));
    if (result != VKB_SUCCESS)
        return result;
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    result = CHECK(device, device->vk.vkBeginCommandBuffer(batch->cmd, &info));
    if (result == VKB_SUCCESS && batch->queries && !device->caps.host_query_reset)
        device->vk.vkCmdResetQueryPool(batch->cmd, batch->queries, 0, BATCH_QUERIES);
    return result;
}

static struct batch *take_unused(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->unused_lock);
    struct batch *batch = queue->unused;
    if (batch)
        queue->unused = batch->next;
    pthread_mutex_unlock(&queue->unused_lock);
    return batch;
}

/* A batch that is being recorded, and empty. */
static enum vkb_result make_ready(struct vkb_queue *queue, struct batch **out)
{
    struct batch *batch = take_unused(queue);
    uint64_t began = !batch && trace_enabled() ? time_ns() : 0;
    enum vkb_result result = batch ? VKB_SUCCESS : create(queue, &batch);
    if (result != VKB_SUCCESS)
        return result;
    result = begin(queue, batch);
    if (began)
        trace_span("make", "command buffer", began, NULL);
    if (result != VKB_SUCCESS) {
        vkb_batch_destroy(queue, batch);
        return result;
    }
    batch->next = NULL;
    *out = batch;
    return VKB_SUCCESS;
}

/* The first becomes the next one to be opened; the others' command pools are reset when their turn comes. */
void vkb_batch_make_some(struct vkb_queue *queue, uint32_t count)
{
    struct batch *made = NULL, *batch;
    for (uint32_t i = 0; i < count && make_ready(queue, &batch) == VKB_SUCCESS; i++) {
        batch->next = made;
        made = batch;
    }
    if (!made)
        return; /* it is done when it is needed */
    pthread_mutex_lock(&queue->lock);
    if (!queue->ready) {
        queue->ready = made;
        made = made->next;
        queue->ready->next = NULL;
    }
    vkb_queue_unlock(queue);
    if (made)
        vkb_batch_recycle(queue, made);
}

void vkb_batch_prepare(struct vkb_queue *queue)
{
    if (!queue->open && !queue->ready && queue->first && !vkb_device_lost(queue->device))
        make_ready(queue, &queue->ready); /* if it fails, it is done when it is needed */
}

enum vkb_result vkb_batch_open(struct vkb_queue *queue, struct batch **out)
{
    if (queue->open) {
        *out = queue->open;
        return VKB_SUCCESS;
    }
    vkb_batch_retire(queue);
    if (vkb_device_lost(queue->device))
        return VKB_DEVICE_LOST;
    struct batch *batch = queue->ready;
    queue->ready = NULL;
    enum vkb_result result = batch ? VKB_SUCCESS : make_ready(queue, &batch);
    if (result != VKB_SUCCESS)
        return result;
    batch->value = queue->submitted + 1;
    queue->open = *out = batch;
    return VKB_SUCCESS;
}

/* Empties the batch for its next use. */
static void empty(struct vkb_queue *queue, struct batch *batch)
{
    for (uint32_t i = 0; i < batch->num_events; i++)
        vkb_event_release(batch->events[i]);
    vkb_batch_drop_refs(batch);
    /* The host resets queries for nothing, a command for them takes the GPU microseconds. */
    if (batch->num_queries && queue->device->caps.host_query_reset)
        queue->device->vk.vkResetQueryPool(queue->device->handle, batch->queries, 0, batch->num_queries);
    batch->num_events = batch->num_waits = batch->num_copies = batch->num_spans = 0;
    batch->num_queries = batch->num_commands = batch->num_loads = 0;
    batch->expected_ps = 0;
    batch->pipeline = VK_NULL_HANDLE;
    batch->signal = VK_NULL_HANDLE;
    batch->descriptors = NULL;
    batch->host_reads = batch->has_work = batch->is_heavy = false;
}

void vkb_batch_recycle(struct vkb_queue *queue, struct batch *batches)
{
    struct batch *last = batches;
    for (struct batch *batch = batches; batch; batch = batch->next) {
        empty(queue, batch);
        last = batch;
    }
    pthread_mutex_lock(&queue->unused_lock);
    last->next = queue->unused;
    queue->unused = batches;
    pthread_mutex_unlock(&queue->unused_lock);
}

/* Moves the batch to those whose references vkb_queue_unlock() drops: freeing memory takes a driver long, so it is not
 * done under the lock. */
static void put_aside(struct vkb_queue *queue, struct batch *batch)
{
    batch->next = queue->done;
    queue->done = batch;
}

/* ---- submitting ---- */

static enum vkb_result submit(struct vkb_queue *queue, struct batch *batch)
{
    struct vkb_device *device = queue->device;
    VkSemaphore few_semaphores[8], *semaphores = few_semaphores;
    uint64_t few_values[8], *values = few_values;
    VkPipelineStageFlags few_stages[8], *stages = few_stages;
    struct first_batch first;
    enum vkb_result result;
    char *many = NULL;
    bool begun = vkb_batch_first_uses(batch, &first, &result);
    if (result != VKB_SUCCESS)
        return result;
    if (batch->num_waits > 8) {
        many = malloc(batch->num_waits * (sizeof(*semaphores) + sizeof(*values) + sizeof(*stages)));
        if (!many) {
            if (begun)
                vkb_first_end(&first, false);
            return VKB_OUT_OF_HOST_MEMORY;
        }
        semaphores = (VkSemaphore *)many;
        values = (uint64_t *)(semaphores + batch->num_waits);
        stages = (VkPipelineStageFlags *)(values + batch->num_waits);
    }
    for (uint32_t i = 0; i < batch->num_waits; i++) {
        semaphores[i] = batch->waits[i].semaphore;
        values[i] = batch->waits[i].value;
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkSemaphore signals[] = {queue->timeline, batch->signal};
    const uint64_t signal_values[] = {batch->value, 0};
    uint32_t num_signals = batch->signal ? 2 : 1;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = batch->num_waits,
        .pWaitSemaphoreValues = values,
        .signalSemaphoreValueCount = num_signals,
        .pSignalSemaphoreValues = signal_values,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = batch->num_waits,
        .pWaitSemaphores = semaphores,
        .pWaitDstStageMask = stages,
        .commandBufferCount = 1,
        .pCommandBuffers = &batch->cmd,
        .signalSemaphoreCount = num_signals,
        .pSignalSemaphores = signals,
    };
    const VkSubmitInfo infos[] = {begun ? first.info : info, info};
    FLOAT_ENV_DEFAULT();
    vkb_exit_renew(VKB_BEFORE_SUBMISSION);
    uint64_t began = trace_enabled() ? time_ns() : 0;
    pthread_mutex_lock(&queue->vulkan->lock);
    result = CHECK(device, device->vk.vkQueueSubmit(queue->vulkan->handle, begun ? 2 : 1, infos, VK_NULL_HANDLE));
    pthread_mutex_unlock(&queue->vulkan->lock);
    if (begun)
        vkb_first_end(&first, result == VKB_SUCCESS);
    vkb_exit_renew(VKB_BEHIND_SUBMISSION);
    if (began)
        trace_span("submit", "submission", began, "\"commands\":%u", batch->num_commands);
    free(many);
    return result;
}

static void add_in_flight(struct vkb_queue *queue, struct batch *batch)
{
    queue->submitted = batch->value;
    atomic_store_explicit(&queue->last_value, batch->value, memory_order_relaxed);
    batch->next = NULL;
    *queue->last = batch;
    queue->last = &batch->next;
    queue->num_in_flight++;
    for (uint32_t i = 0; i < batch->num_events; i++)
        vkb_event_advance(batch->events[i], EVENT_SUBMITTED);
    unsigned long long interest = atomic_load(&queue->interest);
    if (interest >= batch->value)
        vkb_queue_attend(queue, interest);
}

/* A batch whose commands will never run. The next one gets the same value. */
static void drop(struct vkb_queue *queue, struct batch *batch, int32_t status)
{
    for (uint32_t i = 0; i < batch->num_events; i++)
        vkb_event_complete(batch->events[i], status);
    put_aside(queue, batch);
    vkb_hazards_clear(&queue->hazards);
    queue->full_barrier = true;
}

enum vkb_result vkb_batch_submit(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    struct batch *batch = queue->open;
    if (!batch || (!batch->num_commands && !batch->num_events))
        return VKB_SUCCESS;
    if (batch->results && batch->num_queries) {
        device->vk.vkCmdCopyQueryPoolResults(batch->cmd, batch->queries, 0, batch->num_queries,
                                             batch->results->block->buffer, batch->results->offset, sizeof(uint64_t),
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        batch->host_reads = true;
    }
    if (batch->host_reads) {
        bool lane = vkb_queue_only_copies(queue);
        const VkMemoryBarrier barrier = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = (lane ? 0 : VK_ACCESS_SHADER_WRITE_BIT) | VK_ACCESS_TRANSFER_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
        };
        device->vk.vkCmdPipelineBarrier(
            batch->cmd, (lane ? 0 : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    }
    give_back(batch);
    queue->open = NULL;
    queue->open_ns = 0;
    queue->is_asked = false;
    enum vkb_result result = CHECK(device, device->vk.vkEndCommandBuffer(batch->cmd));
    queue->submit_ns = time_ns();
    if (result == VKB_SUCCESS)
        result = submit(queue, batch);
    if (result == VKB_SUCCESS) {
        /* OpenCL 3.0, 5.14: when the host has submitted the command, so the driver's own work for that comes before. */
        if (queue->flags & VKB_QUEUE_PROFILING)
            batch->submitted_ns = vkb_device_ns_from_host(device, time_ns());
        batch->paced_ns = queue->submit_ns;
        add_in_flight(queue, batch);
        return VKB_SUCCESS;
    }
    if (queue->failure == VKB_SUCCESS && !(queue->flags & VKB_QUEUE_EVENTS_ONLY))
        queue->failure = result;
    drop(queue, batch, vkb_status_of(result));
    return result;
}

void vkb_batch_terminate(struct vkb_queue *queue, int32_t status)
{
    struct batch *open = queue->open;
    bool goes_on = false;
    for (uint32_t i = 0; open && i < open->num_events; i++)
        goes_on |= open->events[i]->after_failure;
    if (goes_on) { /* what waits for the end of everything is in it: it is submitted, and its other events end here */
        vkb_batch_submit(queue);
    } else if (open) {
        queue->open = NULL;
        queue->open_ns = 0;
        drop(queue, open, status);
    }
    for (struct batch *batch = queue->first; batch; batch = batch->next) {
        batch->num_copies = 0;
        for (uint32_t i = 0; i < batch->num_events; i++) {
            if (!batch->events[i]->after_failure)
                vkb_event_complete(batch->events[i], status);
        }
    }
}

/* ---- retiring ---- */

static void set_profile(struct vkb_queue *queue, struct batch *batch, struct vkb_event *event, const uint64_t *ticks)
{
    struct vkb_profile *profile = &event->profile;
    if (event->query != NO_QUERY) {
        profile->start = vkb_device_ns_from_ticks(queue->device, ticks[event->query]);
        profile->end = vkb_device_ns_from_ticks(queue->device, ticks[event->query + 1]);
    } else {
        profile->start = profile->end = vkb_device_ns_from_host(queue->device, time_ns());
    }
    /* The GPU's clock and the host's are compared with some error, so times are moved to be in order. */
    profile->end = u64_max(profile->end, profile->start);
    profile->submitted = u64_min(batch->submitted_ns, profile->start);
    profile->queued = u64_min(profile->queued, profile->submitted);
}

/* The results of a complete batch's queries. False: there are none. */
static bool get_ticks(const struct batch *batch, uint64_t ticks[BATCH_QUERIES])
{
    struct vkb_device *device = batch->device;
    size_t size = batch->num_queries * sizeof(*ticks);
    if (!batch->num_queries)
        return false;
    if (batch->results) {
        memcpy(ticks, batch->results->map, size);
        return true;
    }
    return CHECK(device, device->vk.vkGetQueryPoolResults(
                             device->handle, batch->queries, 0, batch->num_queries, size, ticks, sizeof(*ticks),
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)) == VKB_SUCCESS;
}

static void take_profiles(struct vkb_queue *queue, struct batch *batch)
{
    uint64_t ticks[BATCH_QUERIES];
    if (!vkb_queue_takes_times(queue))
        return;
    bool valid = get_ticks(batch, ticks);
    for (uint32_t i = 0; i < batch->num_events; i++) {
        if (!valid)
            batch->events[i]->query = NO_QUERY;
        if (queue->flags & VKB_QUEUE_PROFILING)
            set_profile(queue, batch, batch->events[i], ticks);
    }
    if (valid && batch->num_spans)
        vkb_trace_batch(queue, batch, ticks);
}

static void retire_first(struct vkb_queue *queue, int32_t status)
{
    struct batch *batch = queue->first;
    queue->first = batch->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->num_in_flight--;
    if (status == 0) {
        for (uint32_t i = 0; i < batch->num_copies; i++)
            vkb_rect_unpack(batch->copies[i].data, batch->copies[i].staging, &batch->copies[i].rect, 0,
                            vkb_rect_total(&batch->copies[i].rect));
        take_profiles(queue, batch);
        vkb_pace_learn(queue, batch);
    }
    vkb_exit_renew(VKB_BATCH_RETIRED);
    for (uint32_t i = 0; i < batch->num_events; i++)
        vkb_event_complete(batch->events[i], status);
    put_aside(queue, batch);
}

void vkb_batch_retire(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    if (queue->first && !vkb_device_lost(device)) {
        uint64_t value = 0;
        if (CHECK(device, device->vk.vkGetSemaphoreCounterValue(device->handle, queue->timeline, &value)) ==
            VKB_SUCCESS)
            queue->completed = u64_max(queue->completed, value);
        if (value && !atomic_load_explicit(&device->has_worked, memory_order_relaxed))
            atomic_store(&device->has_worked, true);
    }
    bool retires = queue->first && queue->first->value <= queue->completed;
    while (queue->first && queue->first->value <= queue->completed)
        retire_first(queue, 0);
    /* For pace.c: of several that are found to have ended, each may have taken all the time since the last look. */
    if (retires && device->caps.watchdog_ms)
        queue->retired_ns = time_ns();
    if (!vkb_device_lost(device))
        return;
    while (queue->first)
        retire_first(queue, STATUS_RESOURCES);
    if (queue->open) {
        struct batch *batch = queue->open;
        queue->open = NULL;
        for (uint32_t i = 0; i < batch->num_events; i++)
            vkb_event_complete(batch->events[i], STATUS_RESOURCES);
        /* Its command buffer is still being recorded; resetting the pool is all that it needs. */
        put_aside(queue, batch);
    }
    queue->completed = queue->submitted;
}
