/* Lanes: where large transfers go that kernels run beside.
 *
 * All queues of the application may share one VkQueue, and the GPU works on that in order. Devices have other VkQueues
 * that only copy, by engines of their own. So a queue whose transfers could run beside something else has lanes: hidden
 * in-order queues, one for uploads and one for downloads, on such VkQueues. A transfer that is enqueued on a lane waits
 * for what it must come after as for any other queue's commands, by semaphores of the GPU.
 *
 * An out-of-order queue may always use its lanes, and a command that is to wait for everything before it waits for the
 * lanes' last commands too. An in-order queue keeps its order: its transfer waits for what it did before, and its next
 * command for the transfer. It uses lanes where the application has more queues, and either it has no kernels of its
 * own under way (a queue that the application has made for transfers) or others have work under way: then an upload of
 * one can run beside a download of another. In a queue that does both in turn, alone, the semaphores would cost more
 * than the lanes give. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/queue.h"
#include "vk/queue/rect.h"
#include "vk/queue/transfer.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that take longer to transfer than the semaphores cost. */
#define LANE_LEAST ((uint64_t)1 << 20)

enum { LANE_UP, LANE_DOWN, LANE_NONE };

static bool in_order(const struct vkb_queue *queue)
{
    return !(queue->flags & VKB_QUEUE_OUT_OF_ORDER);
}

static bool is_host_memory(const struct vkb_buffer *buffer)
{
    return buffer->map && buffer->cached;
}

/* The lane of a command that the copy engines could do: between the host's memory and the device's. */
static int lane_of(const struct command *command)
{
    const struct vkb_buffer *src = command->src, *dst = command->dst;
    bool is_transfer = command->kind == COMMAND_READ || command->kind == COMMAND_WRITE || command->kind == COMMAND_COPY;
    if (!is_transfer || vkb_rect_total(&command->rect) < LANE_LEAST)
        return LANE_NONE;
    if (command->kind == COMMAND_COPY ? is_host_memory(src) == is_host_memory(dst) : vkb_transfer_is_direct(command))
        return LANE_NONE;
    /* Memory of another process belongs to one family of queues at a time. */
    if ((src && src->block->owner) || (dst && dst->block->owner))
        return LANE_NONE;
    return command->kind == COMMAND_READ || (dst && is_host_memory(dst)) ? LANE_DOWN : LANE_UP;
}

enum load { LOAD_NONE, LOAD_DEVICE, LOAD_HOST };

/* What the queue has under way: nothing, something that only the device has to do, or something that the host takes
 * part in. Semaphores of the device cannot wait for that. */
static enum load load_of(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    const struct batch *open = queue->open && queue->open->num_commands ? queue->open : NULL;
    enum load load = queue->first || open ? LOAD_DEVICE : LOAD_NONE;
    bool host = queue->held_first || (open && open->num_copies);
    for (const struct batch *batch = queue->first; batch && !host; batch = batch->next)
        host = batch->num_copies;
    vkb_queue_unlock(queue);
    return host ? LOAD_HOST : load;
}

static bool is_own(const struct vkb_queue *queue, const struct vkb_queue *other)
{
    bool own = other == queue;
    for (int i = 0; i < NUM_LANES; i++)
        own |= other == queue->lanes[i];
    return own;
}

/* Whether other queues of the application's have work on the device. */
static bool others_work(const struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    bool work = false;
    pthread_mutex_lock(&device->queues_lock);
    for (const struct vkb_queue *other = device->first_queue; other && !work; other = other->next_queue) {
        uint64_t last = atomic_load_explicit(&other->last_value, memory_order_relaxed), seen = 0;
        if (!is_own(queue, other) && !(other->flags & VKB_QUEUE_EVENTS_ONLY))
            work = last &&
                   device->vk.vkGetSemaphoreCounterValue(device->handle, other->timeline, &seen) == VK_SUCCESS &&
                   seen < last;
    }
    pthread_mutex_unlock(&device->queues_lock);
    return work;
}

/* Whether something must happen on the host before the command can be submitted. Behind such a command a lane would
 * stand still, with transfers that do not depend on it, and perhaps those that the host waits for before it goes on. */
static bool has_held_wait(const struct vkb_enqueue *enqueue)
{
    for (uint32_t i = 0; i < enqueue->num_waits; i++) {
        if (atomic_load(&enqueue->waits[i]->state) == EVENT_HELD)
            return true;
    }
    return false;
}

/* Whether a barrier of an out-of-order queue is still to be waited for. */
static bool has_barrier(struct vkb_queue *queue, const struct command *command)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    bool has = queue->completed < queue->barrier_value || vkb_held_blocks(queue, command);
    vkb_queue_unlock(queue);
    return has;
}

/* Whether the last command of the queue is one of a lane. That has waited for all of the queue's own. */
static bool has_lane_events(const struct vkb_queue *queue)
{
    bool has = false;
    for (int i = 0; i < NUM_LANES; i++)
        has |= queue->lane_events[i] != NULL;
    return has;
}

/* *after: the lane has to wait for what the queue itself has under way. */
static int choose_lane(const struct vkb_enqueue *enqueue, const struct command *command, bool *after)
{
    struct vkb_queue *queue = enqueue->queue;
    *after = false;
    int lane = lane_of(command);
    if (lane == LANE_NONE || has_held_wait(enqueue))
        return LANE_NONE;
    if (!in_order(queue))
        return has_barrier(queue, command) ? LANE_NONE : lane;
    if (atomic_load(&queue->device->num_user_queues) < 2)
        return LANE_NONE;
    enum load load = load_of(queue);
    *after = load == LOAD_DEVICE && !has_lane_events(queue);
    return load == LOAD_NONE || (load == LOAD_DEVICE && others_work(queue)) ? lane : LANE_NONE;
}

static enum vkb_result open_lane(struct vkb_queue *queue, int lane)
{
    enum vkb_result result = VKB_SUCCESS;
    if (!queue->lanes[lane])
        result = vkb_queue_create(queue->device,
                                  VKB_QUEUE_LANE | (lane == LANE_DOWN ? VKB_QUEUE_LANE_DOWN : 0) |
                                      (queue->flags & (VKB_QUEUE_PROFILING | VKB_QUEUE_TERMINABLE)),
                                  &queue->lanes[lane]);
    /* What an in-order queue did before and has ended becomes visible in the lane by a barrier. */
    if (result == VKB_SUCCESS && in_order(queue) && !queue->lane_events[lane]) {
        pthread_mutex_lock(&queue->lanes[lane]->lock);
        queue->lanes[lane]->full_barrier = true;
        vkb_queue_unlock(queue->lanes[lane]);
    }
    return result;
}

static void set_lane_event(struct vkb_queue *queue, int lane, struct vkb_event *event)
{
    if (queue->lane_events[lane])
        vkb_event_release(queue->lane_events[lane]);
    queue->lane_events[lane] = event;
}

/* Adds the lane's last command to what is waited for. One that failed is not waited for: in a queue, later commands run
 * in spite of it. */
static void add_lane(struct vkb_queue *queue, int lane, struct vkb_event **extra, uint32_t *count)
{
    struct vkb_event *event = queue->lane_events[lane];
    if (event && !(atomic_load(&event->state) == EVENT_DONE && event->status < 0))
        extra[(*count)++] = vkb_event_retain(event);
}

/* Fills in what the command must wait for beside its own waits; the lane's own last command comes first anyway. Returns
 * how much. */
static uint32_t find_extra(struct vkb_queue *queue, const struct command *command, int lane, struct vkb_event **extra)
{
    uint32_t count = 0;
    for (int i = 0; i < NUM_LANES && (in_order(queue) || command->all); i++) {
        if (i != lane)
            add_lane(queue, i, extra, &count);
    }
    return count;
}

/* Adds what an in-order queue itself does last. */
static enum vkb_result add_queue(struct vkb_queue *queue, struct vkb_event **extra, uint32_t *count)
{
    const struct command marker = {.kind = COMMAND_MARKER};
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    bool too_far;
    enum vkb_result result = vkb_enqueue_here(&enqueue, &marker, &too_far);
    if (result == VKB_SUCCESS)
        extra[(*count)++] = event;
    return result;
}

static enum vkb_result enqueue_with(const struct vkb_enqueue *enqueue, const struct command *command,
                                    struct vkb_event **extra, uint32_t num_extra, bool *too_far)
{
    if (!num_extra)
        return vkb_enqueue_here(enqueue, command, too_far);
    uint32_t count = enqueue->num_waits + num_extra;
    struct vkb_event *few[16], **waits = few;
    *too_far = false;
    if (count > ARRAY_LENGTH(few)) {
        waits = malloc(count * sizeof(*waits));
        if (!waits)
            return VKB_OUT_OF_HOST_MEMORY;
    }
    if (enqueue->num_waits)
        memcpy(waits, enqueue->waits, enqueue->num_waits * sizeof(*waits));
    memcpy(waits + enqueue->num_waits, extra, num_extra * sizeof(*waits));
    struct vkb_enqueue with = *enqueue;
    with.waits = waits;
    with.num_waits = count;
    enum vkb_result result = vkb_enqueue_here(&with, command, too_far);
    if (waits != few)
        free(waits);
    return result;
}

enum vkb_result vkb_lane_enqueue(const struct vkb_enqueue *enqueue, const struct command *command,
                                 struct vkb_queue **used, bool *too_far)
{
    struct vkb_queue *queue = enqueue->queue;
    struct vkb_event *extra[NUM_LANES + 1], *own = NULL;
    bool after;
    int lane = choose_lane(enqueue, command, &after);
    if (lane != LANE_NONE && open_lane(queue, lane) != VKB_SUCCESS)
        lane = LANE_NONE;
    uint32_t num_extra = find_extra(queue, command, lane, extra);
    if (lane != LANE_NONE && after && add_queue(queue, extra, &num_extra) != VKB_SUCCESS) {
        for (uint32_t i = 0; i < num_extra; i++)
            vkb_event_release(extra[i]);
        lane = LANE_NONE;
        num_extra = find_extra(queue, command, lane, extra);
    }
    struct vkb_enqueue there = *enqueue;
    if (lane != LANE_NONE) {
        there.queue = *used = queue->lanes[lane];
        there.event = &own;
    }
    enum vkb_result result = enqueue_with(&there, command, extra, num_extra, too_far);
    for (uint32_t i = 0; i < num_extra; i++)
        vkb_event_release(extra[i]);
    if (result != VKB_SUCCESS)
        return result;
    if (lane != LANE_NONE) {
        if (enqueue->event)
            *enqueue->event = vkb_event_retain(own);
        /* A transfer that failed at once takes nobody's place, since add_lane() leaves it out. */
        if (atomic_load(&own->state) == EVENT_DONE && own->status < 0) {
            vkb_event_release(own);
            return VKB_SUCCESS;
        }
        set_lane_event(queue, lane, own);
    }
    /* Whatever comes later in an in-order queue waits for this command, and so for what this one waits for, also if it
     * fails: see vkb_fail(). */
    for (int i = 0; i < NUM_LANES && in_order(queue); i++) {
        if (i != lane)
            set_lane_event(queue, i, NULL);
    }
    return VKB_SUCCESS;
}

/* The queue's lanes, each with a reference, in lanes. */
static void get_lanes(struct vkb_queue *queue, struct vkb_queue *lanes[NUM_LANES])
{
    pthread_mutex_lock(&queue->route_lock);
    for (int i = 0; i < NUM_LANES; i++)
        lanes[i] = queue->lanes[i] ? vkb_queue_retain(queue->lanes[i]) : NULL;
    pthread_mutex_unlock(&queue->route_lock);
}

/* Calls it for each lane of the queue; the first failure. */
static enum vkb_result for_lanes(struct vkb_queue *queue, enum vkb_result (*call)(struct vkb_queue *lane))
{
    struct vkb_queue *lanes[NUM_LANES];
    enum vkb_result result = VKB_SUCCESS;
    if (!queue->device->num_lanes || queue->flags & VKB_QUEUE_LANE)
        return result;
    get_lanes(queue, lanes);
    for (int i = 0; i < NUM_LANES; i++) {
        enum vkb_result one = lanes[i] ? call(lanes[i]) : VKB_SUCCESS;
        result = result == VKB_SUCCESS ? one : result;
        vkb_queue_release(lanes[i]);
    }
    return result;
}

enum vkb_result vkb_lanes_flush(struct vkb_queue *queue)
{
    return for_lanes(queue, vkb_queue_flush);
}

enum vkb_result vkb_lanes_wait(struct vkb_queue *queue)
{
    return for_lanes(queue, vkb_queue_wait);
}

enum vkb_result vkb_lanes_drain(struct vkb_queue *queue)
{
    return for_lanes(queue, vkb_queue_drain);
}

static enum vkb_result find_idle(struct vkb_queue *lane)
{
    return vkb_queue_is_idle(lane) ? VKB_SUCCESS : VKB_TIMEOUT;
}

bool vkb_lanes_are_idle(struct vkb_queue *queue)
{
    return for_lanes(queue, find_idle) == VKB_SUCCESS;
}

/* What waits for the end of the queue's work waits for its lanes' last commands, which look ended from here on. So a
 * marker behind their work takes their place. Lanes have transfers only, so nothing of the application's runs here. */
void vkb_lanes_terminate(struct vkb_queue *queue, int32_t status)
{
    const struct command marker = {.kind = COMMAND_MARKER, .all = true};
    pthread_mutex_lock(&queue->route_lock);
    for (int i = 0; i < NUM_LANES; i++) {
        struct vkb_queue *lane = queue->lanes[i];
        if (!lane)
            continue;
        vkb_queue_terminate_here(lane, status);
        struct vkb_event *end = NULL;
        const struct vkb_enqueue enqueue = {.queue = lane, .event = &end, .after_failure = true};
        bool too_far;
        if (vkb_enqueue_here(&enqueue, &marker, &too_far) == VKB_SUCCESS)
            vkb_queue_flush_here(lane);
        else
            vkb_queue_drain(lane);
        set_lane_event(queue, i, end);
    }
    pthread_mutex_unlock(&queue->route_lock);
}

void vkb_lanes_release(struct vkb_queue *queue)
{
    for (int i = 0; i < NUM_LANES; i++) {
        set_lane_event(queue, i, NULL);
        vkb_queue_release(queue->lanes[i]);
        queue->lanes[i] = NULL;
    }
}
