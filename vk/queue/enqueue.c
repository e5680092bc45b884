/* Decides what happens with a new command: it is done at once, recorded, or held.
 *
 * Transfers have more ways than other commands. If the host can reach the bytes, it copies them itself, and does so at
 * once when no command under way uses them. So it is with those images that the host can copy (host_image.c). If the
 * device can reach the host's side, it copies them (pinned.c). Small transfers to and from memory that the host cannot
 * reach well go through staging memory in the batch. All others are held, and transfer.c does them. */
#include "vk/device/backend.h"
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/pinned.h"
#include "vk/memory/window.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/pace.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/recording.h"
#include "vk/queue/rect.h"
#include "vk/queue/transfer.h"

#include <stdlib.h>

int32_t vkb_status_of(enum vkb_result result)
{
    switch (result) {
    case VKB_SUCCESS:
        return 0;
    case VKB_OUT_OF_HOST_MEMORY:
        return STATUS_HOST_MEMORY;
    case VKB_OUT_OF_DEVICE_MEMORY:
        return STATUS_MEMORY;
    case VKB_WAIT_FAILED:
        return STATUS_WAIT_FAILED;
    default:
        return STATUS_RESOURCES;
    }
}

int32_t vkb_wait_status(struct vkb_event *const *waits, uint32_t num_waits, bool goes_on)
{
    const struct vkb_event *before = goes_on && num_waits ? waits[num_waits - 1] : NULL;
    bool failed = before && atomic_load(&before->state) == EVENT_DONE && before->status < 0;
    return failed ? before->status : STATUS_WAIT_FAILED;
}

void vkb_order(struct vkb_queue *queue, struct vkb_event *const *waits, uint32_t num_waits, bool host,
               struct order *order)
{
    *order = (struct order){0};
    for (uint32_t i = 0; i < num_waits; i++) {
        struct vkb_event *wait = waits[i];
        enum event_state state = (enum event_state)atomic_load(&wait->state);
        bool own = wait->queue == queue;
        /* What ended on another queue is visible here only after a barrier, also if the host was told and has set a
         * user event. What ran earlier in this queue may need one as well. */
        bool uncovered = own ? state >= EVENT_RECORDED && wait->position > queue->barrier_position : !wait->past;
        if (!own || queue->flags & VKB_QUEUE_OUT_OF_ORDER)
            order->barrier |= uncovered;
        if (state == EVENT_DONE) {
            order->failed |= wait->status < 0;
            order->foreign |= vkb_event_was_cut(wait, queue);
            continue;
        }
        order->pending = true;
        order->foreign |= !own;
        if (own && state >= EVENT_RECORDED) {
            order->need = u64_max(order->need, wait->value);
            order->unsettled |= wait->host_part;
        } else if (state == EVENT_SUBMITTED && !host && !vkb_event_is_far(wait, queue)) {
            order->unsettled |= wait->host_part;
        } else {
            order->held = order->unsettled = true;
        }
    }
}

/* A semaphore's signal must be submitted before the wait for it when both go to the same VkQueue, or the wait never
 * ends. So the batches of what is waited for are submitted first. */
static void flush_foreign(const struct vkb_enqueue *enqueue)
{
    for (uint32_t i = 0; i < enqueue->num_waits; i++) {
        struct vkb_event *wait = enqueue->waits[i];
        if (wait->queue && wait->queue != enqueue->queue && atomic_load(&wait->state) == EVENT_RECORDED)
            vkb_queue_flush_here(wait->queue);
    }
}

static bool batch_empty(const struct batch *batch)
{
    return !batch || (!batch->num_commands && !batch->num_events);
}

/* Whether the host may touch the memory at once. In an in-order queue everything before must have ended. In an
 * out-of-order queue that is what the command waits for, and explicit barriers. */
static bool is_idle(struct vkb_queue *queue, const struct order *order)
{
    if (order->pending)
        return false;
    vkb_batch_retire(queue);
    if (queue->flags & VKB_QUEUE_OUT_OF_ORDER)
        return queue->completed >= queue->barrier_value;
    return !queue->first && batch_empty(queue->open);
}

/* Whether it reads so little that the host's window into device memory is the fastest way. */
static bool reads_through_window(const struct command *command)
{
    return command->kind == COMMAND_READ && !vkb_transfer_is_image(command) && command->src->map &&
           vkb_rect_total(&command->rect) <= vkb_window_bytes();
}

enum way { WAY_AT_ONCE, WAY_RECORD, WAY_HOLD };

static enum way choose_way(struct vkb_queue *queue, const struct command *command, const struct order *order)
{
    if (vkb_held_blocks(queue, command) || order->held)
        return WAY_HOLD;
    uint64_t total = vkb_rect_total(&command->rect);
    if (vkb_transfer_is_image(command))
        return total <= TRANSFER_INLINE && is_idle(queue, order) ? WAY_AT_ONCE : WAY_HOLD;
    switch (command->kind) {
    case COMMAND_WRITE:
        if (command->dst->map && is_idle(queue, order)) {
            if (total <= TRANSFER_INLINE || !command->data_stays_valid)
                return WAY_AT_ONCE;
            /* Held, the bytes are copied once, by a thread that waits for them; recorded, they would be copied twice. */
            return WAY_HOLD;
        }
        /* Data that stays valid may be the target of a read that has not reached the host yet. */
        if (total <= TRANSFER_STAGED &&
            (!command->data_stays_valid ||
             (!order->unsettled &&
              !vkb_batch_pending_copy(queue, (const char *)command->data + command->rect.src_offset,
                                      vkb_rect_src_end(&command->rect) - command->rect.src_offset))))
            return WAY_RECORD;
        return WAY_HOLD;
    case COMMAND_READ:
        if (reads_through_window(command) && is_idle(queue, order))
            return WAY_AT_ONCE;
        if (vkb_transfer_is_direct(command))
            return total <= TRANSFER_INLINE && is_idle(queue, order) ? WAY_AT_ONCE : WAY_HOLD;
        /* A recorded read's bytes reach the host's memory only when its batch is retired, and commands behind it may
         * have started by then. So it is not recorded while host memory is imported, which such commands could read. */
        return total <= TRANSFER_STAGED && !atomic_load(&queue->device->num_imports) ? WAY_RECORD : WAY_HOLD;
    case COMMAND_HOST:
        return WAY_HOLD;
    case COMMAND_DISPATCH:
        return vkb_pace_asks(queue->device, &command->dispatch) ? WAY_HOLD : WAY_RECORD;
    default:
        return WAY_RECORD;
    }
}

static enum vkb_result do_at_once(struct vkb_queue *queue, const struct command *command, struct vkb_event *event)
{
    enum vkb_result result = vkb_transfer_direct(command);
    if (!event)
        return result;
    if (queue->flags & VKB_QUEUE_PROFILING) {
        event->profile.submitted = event->profile.start = event->profile.queued;
        event->profile.end = u64_max(event->profile.start, vkb_device_ns_from_host(queue->device, time_ns()));
    }
    vkb_event_complete(event, vkb_status_of(result));
    return VKB_SUCCESS;
}

/* Copies the bytes of a write that must be taken now, although the write itself cannot be done now. */
static enum vkb_result take_bytes(struct command *command, void **owned)
{
    uint64_t total = vkb_rect_total(&command->rect);
    *owned = NULL;
    if (command->kind != COMMAND_WRITE || command->data_stays_valid)
        return VKB_SUCCESS;
    *owned = malloc(total);
    if (!*owned)
        return VKB_OUT_OF_HOST_MEMORY;
    vkb_rect_pack(*owned, command->data, &command->rect, 0, total);
    command->data = *owned;
    command->rect.src_offset = 0;
    command->rect.src_row_pitch = command->rect.width;
    command->rect.src_slice_pitch = command->rect.width * command->rect.height;
    return VKB_SUCCESS;
}

static enum vkb_result hold(struct vkb_queue *queue, const struct command *command, const struct vkb_enqueue *enqueue,
                            struct vkb_event **event)
{
    struct command copy = *command;
    void *owned;
    enum vkb_result result = *event ? VKB_SUCCESS : vkb_event_create(queue, event);
    if (result == VKB_SUCCESS)
        result = take_bytes(&copy, &owned);
    if (result != VKB_SUCCESS)
        return result;
    result = vkb_held_add(queue, &copy, enqueue, owned, *event);
    if (result != VKB_SUCCESS)
        free(owned);
    return result;
}

/* Makes a transfer whose host's side the device can reach a copy of the GPU's; false: it is none. Release the pinned
 * buffer when the copy has been enqueued. */
static bool make_copy(struct vkb_queue *queue, const struct command *command, const struct order *order,
                      struct command *copy, struct vkb_buffer **pinned)
{
    bool write = command->kind == COMMAND_WRITE;
    const struct vkb_rect *rect = &command->rect;
    const struct vkb_buffer *buffer = write ? command->dst : command->src;
    if ((!write && command->kind != COMMAND_READ) || vkb_transfer_is_image(command) ||
        (write && !command->data_stays_valid) || (buffer->map && buffer->cached))
        return false;
    uint64_t begin = write ? rect->src_offset : rect->dst_offset;
    uint64_t size = (write ? vkb_rect_src_end(rect) : vkb_rect_dst_end(rect)) - begin;
    /* The host's part of an earlier staged read may still have to bring these bytes. */
    if (order->held || order->unsettled || vkb_batch_pending_copy(queue, (const char *)command->data + begin, size))
        return false;
    *pinned = vkb_pinned_find(queue->device, (const char *)command->data + begin, size);
    if (!*pinned || *pinned == buffer) {
        vkb_buffer_release(*pinned);
        return false;
    }
    /* Where the rectangle's origin lies before the buffer, this wraps, and adding the offset wraps back. */
    uint64_t shift = (uint64_t)((uintptr_t)command->data - (uintptr_t)(*pinned)->map);
    *copy = *command;
    copy->kind = COMMAND_COPY;
    copy->data = NULL;
    *(write ? &copy->src : &copy->dst) = *pinned;
    *(write ? &copy->rect.src_offset : &copy->rect.dst_offset) += shift;
    return true;
}

/* Whether a write's bytes are the target of copies that the GPU may still have to do: then they cannot be staged yet.
 */
static bool is_brought_by_gpu(struct vkb_device *device, const struct command *command)
{
    uint64_t begin = command->rect.src_offset, size = vkb_rect_src_end(&command->rect) - begin;
    return command->kind == COMMAND_WRITE && command->data_stays_valid &&
           vkb_pinned_overlaps(device, (const char *)command->data + begin, size);
}

bool vkb_queue_brings(struct vkb_queue *queue, const void *data, uint64_t size)
{
    bool brings = vkb_pinned_overlaps(queue->device, data, size);
    pthread_mutex_lock(&queue->lock);
    if (brings) {
        vkb_batch_retire(queue);
        brings = queue->first || !batch_empty(queue->open) || queue->held_first;
    }
    brings |= vkb_batch_pending_copy(queue, data, size) || vkb_held_brings(queue, data, size);
    vkb_queue_unlock(queue);
    return brings;
}

static bool is_host(const struct command *command)
{
    return command->kind == COMMAND_WRITE || command->kind == COMMAND_READ || command->kind == COMMAND_HOST;
}

enum vkb_result vkb_fail(struct vkb_queue *queue, struct vkb_event *const *waits, uint32_t num_waits,
                         const struct order *order)
{
    const struct command marker = {.kind = COMMAND_MARKER};
    if (queue->flags & VKB_QUEUE_OUT_OF_ORDER)
        return VKB_SUCCESS;
    queue->full_barrier |= order->barrier;
    if (!order->pending || !order->foreign)
        return VKB_SUCCESS;
    return vkb_record(queue, &marker, waits, num_waits, order, NULL);
}

static enum vkb_result enqueue_way(const struct vkb_enqueue *enqueue, const struct command *command,
                                   const struct order *order, enum way way, struct vkb_event **event)
{
    struct vkb_queue *queue = enqueue->queue;
    if (way == WAY_HOLD && enqueue->unheld)
        return VKB_UNSUPPORTED;
    if (way == WAY_HOLD)
        return hold(queue, command, enqueue, event);
    if (order->failed && !enqueue->after_failure) {
        if (*event)
            vkb_event_complete(*event, vkb_wait_status(enqueue->waits, enqueue->num_waits, enqueue->goes_on));
        return vkb_fail(queue, enqueue->waits, enqueue->num_waits, order);
    }
    if (way == WAY_AT_ONCE)
        return do_at_once(queue, command, *event);
    /* Later commands must be able to find the host's part of a staged read, so such a read always has an event. */
    if (is_host(command) && !*event) {
        enum vkb_result result = vkb_event_create(queue, event);
        if (result != VKB_SUCCESS)
            return result;
    }
    return vkb_record(queue, command, enqueue->waits, enqueue->num_waits, order, *event);
}

/* A command of a queue that was terminated is held for a moment: its call is made if it has one, and its event ends
 * behind what the host is working on. */
static enum vkb_result end_at_once(const struct vkb_enqueue *enqueue, const struct command *command, int32_t status,
                                   struct vkb_event **event)
{
    const struct command marker = {.kind = COMMAND_MARKER, .all = command->all};
    bool host = command->kind == COMMAND_HOST;
    enum vkb_result result =
        host || *event ? hold(enqueue->queue, host ? command : &marker, enqueue, event) : VKB_SUCCESS;
    vkb_held_terminate(enqueue->queue, status);
    return result;
}

static enum vkb_result enqueue_locked(const struct vkb_enqueue *enqueue, const struct command *command,
                                      struct vkb_event **event)
{
    struct vkb_queue *queue = enqueue->queue;
    struct order order;
    if (queue->failure != VKB_SUCCESS && !enqueue->after_failure)
        return queue->failure;
    int32_t terminated = atomic_load(&queue->terminated);
    if (terminated && !enqueue->after_failure)
        return end_at_once(enqueue, command, terminated, event);
    vkb_order(queue, enqueue->waits, enqueue->num_waits, false, &order);
    enum way way = choose_way(queue, command, &order);
    struct command copy;
    struct vkb_buffer *pinned;
    if (way != WAY_AT_ONCE && make_copy(queue, command, &order, &copy, &pinned)) {
        enum vkb_result result =
            enqueue_way(enqueue, &copy, &order, vkb_held_blocks(queue, &copy) ? WAY_HOLD : WAY_RECORD, event);
        vkb_buffer_release(pinned);
        return result;
    }
    if (way == WAY_RECORD && is_brought_by_gpu(queue->device, command))
        way = WAY_HOLD;
    return enqueue_way(enqueue, command, &order, way, event);
}

enum vkb_result vkb_enqueue_here(const struct vkb_enqueue *enqueue, const struct command *command, bool *too_far)
{
    struct vkb_queue *queue = enqueue->queue;
    flush_foreign(enqueue);
    struct vkb_event *event = NULL;
    enum vkb_result result = enqueue->event ? vkb_event_create(queue, &event) : VKB_SUCCESS;
    *too_far = false;
    if (result != VKB_SUCCESS)
        return result;
    if (event)
        event->after_failure = enqueue->after_failure;
    if (event && queue->flags & VKB_QUEUE_PROFILING)
        event->profile.queued = vkb_device_ns_from_host(queue->device, time_ns());
    pthread_mutex_lock(&queue->lock);
    result = enqueue_locked(enqueue, command, &event);
    *too_far = queue->num_in_flight >= BATCHES_IN_FLIGHT;
    vkb_queue_unlock(queue);
    if (result == VKB_SUCCESS && enqueue->event)
        *enqueue->event = event;
    else
        vkb_event_release(event);
    return result;
}

/* Whether the host is to read an image, and nothing before it is left to be submitted, with which the device could copy. */
static bool reads_image_alone(struct vkb_queue *queue, const struct command *command)
{
    if (command->kind != COMMAND_READ || !vkb_transfer_is_image(command))
        return false;
    pthread_mutex_lock(&queue->lock);
    bool alone = batch_empty(queue->open) && !queue->held_first;
    vkb_queue_unlock(queue);
    return alone;
}

/* The caller of a small blocking read waits for what came before it anyway. It waits here, without locks, and then the
 * read is done at once: a copy behind a kernel that runs already would be a submission of its own. Should something
 * else be enqueued meanwhile, the read goes another way. */
static void wait_before_reading(const struct vkb_enqueue *enqueue, const struct command *command)
{
    struct vkb_queue *queue = enqueue->queue;
    if (!enqueue->blocking || enqueue->num_waits || enqueue->recording || queue->flags & VKB_QUEUE_OUT_OF_ORDER ||
        (!reads_through_window(command) && !reads_image_alone(queue, command)))
        return;
    pthread_mutex_lock(&queue->lock);
    uint64_t value = batch_empty(queue->open) ? queue->submitted : queue->open->value;
    vkb_queue_unlock(queue);
    vkb_queue_wait_value(queue, value, UINT64_MAX); /* a failure is seen when the read is enqueued */
}

enum vkb_result vkb_enqueue(const struct vkb_enqueue *enqueue, const struct command *command)
{
    struct vkb_queue *queue = enqueue->queue, *used = queue;
    enum vkb_result result = VKB_SUCCESS;
    bool too_far = false;
    if (vkb_device_lost(queue->device))
        return VKB_DEVICE_LOST;
    if (enqueue->recording)
        return vkb_recording_add(enqueue->recording, command);
    wait_before_reading(enqueue, command);
    bool routed = queue->device->num_lanes && !(queue->flags & VKB_QUEUE_LANE);
    if (routed) {
        pthread_mutex_lock(&queue->route_lock);
        /* A command that only ends changes nothing for the lanes, and may call the application: without the lock. */
        routed = !atomic_load(&queue->terminated) || enqueue->after_failure;
        if (routed)
            result = vkb_lane_enqueue(enqueue, command, &used, &too_far);
        pthread_mutex_unlock(&queue->route_lock);
    }
    if (!routed)
        result = vkb_enqueue_here(enqueue, command, &too_far);
    if (too_far)
        vkb_queue_throttle(used);
    return result;
}
