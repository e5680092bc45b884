/* Queues: their life, waiting for their timelines, and progress in the background.
 *
 * Two counts keep a queue. One is of the application's references; when the last is released, the queue is flushed. The
 * other is of keepers, which events and background tasks are too; with the last keeper the queue is destroyed.
 *
 * Pool threads do background work only where it was asked for. One thread waits for batches (attend). At most
 * QUEUE_KICKS threads go on with held commands (kick); they are several because the work of the host in such commands
 * may block. The tasks are parts of the queue, so that posting them cannot fail. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/due.h"
#include "vk/queue/event.h"
#include "vk/queue/queue.h"
#include "vk/queue/wait.h"

#include "base/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* All uploads go to one and all downloads to the other: two in one direction would gain nothing side by side. */
static struct vulkan_queue *choose_lane(struct vkb_device *device, uint32_t flags)
{
    if (device->lane_family == device->family)
        return &device->queues[0];
    return &device->lanes[flags & VKB_QUEUE_LANE_DOWN ? device->num_lanes - 1 : 0];
}

static struct vulkan_queue *choose_vulkan_queue(struct vkb_device *device, uint32_t flags)
{
    if (flags & VKB_QUEUE_LANE)
        return choose_lane(device, flags);
    uint32_t count = device->caps.num_queues, first = 0;
    if (count >= 4) {
        if (flags & VKB_QUEUE_HIGH_PRIORITY)
            first = count - 2;
        else if (flags & VKB_QUEUE_LOW_PRIORITY)
            first = count - 1;
        count = first ? first + 1 : count - 2;
    }
    struct vulkan_queue *best = &device->queues[first];
    for (uint32_t i = first; i < count; i++) {
        if (device->queues[i].users < best->users)
            best = &device->queues[i];
    }
    return best;
}

static void list_add(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    pthread_mutex_lock(&device->queues_lock);
    queue->vulkan = choose_vulkan_queue(device, queue->flags);
    queue->vulkan->users++;
    queue->next_queue = device->first_queue;
    if (queue->next_queue)
        queue->next_queue->prev_queue = queue;
    device->first_queue = queue;
    pthread_mutex_unlock(&device->queues_lock);
}

static void list_remove(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    pthread_mutex_lock(&device->queues_lock);
    queue->vulkan->users--;
    if (queue->prev_queue)
        queue->prev_queue->next_queue = queue->next_queue;
    else
        device->first_queue = queue->next_queue;
    if (queue->next_queue)
        queue->next_queue->prev_queue = queue->prev_queue;
    pthread_mutex_unlock(&device->queues_lock);
}

static void attend_task(void *data);
static void end_task(void *data);
static void kick_task(void *data);

static void init_tasks(struct vkb_queue *queue)
{
    queue->attend_task = (struct pool_task){.call = attend_task, .data = queue};
    queue->due_task = (struct pool_task){.call = vkb_due_task, .data = queue};
    queue->ahead_task = (struct pool_task){.call = vkb_ahead_task, .data = queue};
    queue->end_task = (struct pool_task){.call = end_task, .data = queue};
    for (unsigned i = 0; i < QUEUE_KICKS; i++) {
        struct queue_kick *kick = &queue->kicks[i];
        *kick = (struct queue_kick){.task = {.call = kick_task, .data = kick}, .queue = queue, .bit = 1u << i};
    }
}

bool vkb_queue_takes_times(const struct vkb_queue *queue)
{
    return queue->flags & VKB_QUEUE_PROFILING || queue->track;
}

static struct trace_track *create_track(const struct vkb_device *device)
{
    static atomic_uint number;
    char name[300];
    snprintf(name, sizeof(name), "queue %u: %s", atomic_fetch_add(&number, 1) + 1, device->caps.name);
    return trace_track_create(name);
}

/* A device that only compiles counts as lost for commands. It has queues, which stay empty, because programs want one
 * before they come to build anything. */
static bool has_failed(const struct vkb_device *device)
{
    return device->caps.compile_only ? vkb_gone() : vkb_device_lost(device);
}

/* There is none on a device that only compiles: its driver may not know how to make one. */
static enum vkb_result create_timeline(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    if (device->caps.compile_only)
        return VKB_SUCCESS;
    return CHECK(device, device->vk.vkCreateSemaphore(device->handle, &info, NULL, &queue->timeline));
}

enum vkb_result vkb_queue_create(struct vkb_device *device, uint32_t flags, struct vkb_queue **out)
{
    if (!device->handle)
        return VKB_UNSUPPORTED;
    if (has_failed(device))
        return VKB_DEVICE_LOST;
    struct vkb_queue *queue = vkb_pool_start() ? calloc(1, sizeof(*queue)) : NULL;
    if (!queue)
        return VKB_OUT_OF_HOST_MEMORY;
    init_tasks(queue);
    queue->device = device;
    queue->flags = flags;
    queue->last = &queue->first;
    queue->hazards.generation = 1;
    queue->rested = true;
    atomic_init(&queue->refs, 1);
    atomic_init(&queue->keepers, 1);
    enum vkb_result result = create_timeline(queue);
    if (result != VKB_SUCCESS) {
        free(queue);
        return result;
    }
    pthread_mutex_init(&queue->lock, NULL);
    pthread_mutex_init(&queue->unused_lock, NULL);
    pthread_mutex_init(&queue->route_lock, NULL);
    if (!(flags & (VKB_QUEUE_EVENTS_ONLY | VKB_QUEUE_LANE)))
        atomic_fetch_add(&device->num_user_queues, 1);
    if (trace_enabled())
        queue->track = create_track(device);
    list_add(queue);
    vkb_queue_make_ahead(queue);
    *out = queue;
    return VKB_SUCCESS;
}

struct vkb_queue *vkb_queue_retain(struct vkb_queue *queue)
{
    atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
    return queue;
}

void vkb_queue_release(struct vkb_queue *queue)
{
    if (!queue || vkb_gone() || atomic_fetch_sub(&queue->refs, 1) != 1)
        return;
    vkb_queue_flush(queue);
    if (!(queue->flags & (VKB_QUEUE_EVENTS_ONLY | VKB_QUEUE_LANE)))
        atomic_fetch_sub(&queue->device->num_user_queues, 1);
    vkb_lanes_release(queue);
    /* The application cannot ask for anything any more, so all work is retired in the background. */
    atomic_store(&queue->interest, UINT64_MAX);
    pthread_mutex_lock(&queue->lock);
    bool busy = queue->first != NULL;
    vkb_queue_unlock(queue);
    if (busy)
        vkb_queue_attend(queue, UINT64_MAX);
    vkb_queue_drop(queue);
}

void vkb_queue_keep(struct vkb_queue *queue)
{
    atomic_fetch_add_explicit(&queue->keepers, 1, memory_order_relaxed);
}

/* Ends finished batches, and drops what they used. */
static void let_go(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    vkb_queue_unlock(queue);
}

static void destroy(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    /* Held commands and the events of batches keep the queue. So what may still be in flight here is work without
     * events. */
    let_go(queue);
    while (queue->first) {
        if (vkb_wait_timeline(queue, queue->submitted, UINT64_MAX, WAIT_BACKGROUND) == VKB_TIMEOUT)
            return; /* the process exits, and its memory with it */
        let_go(queue);
    }
    list_remove(queue);
    if (queue->open)
        vkb_batch_destroy(queue, queue->open);
    if (queue->ready)
        vkb_batch_destroy(queue, queue->ready);
    for (struct batch *batch = queue->unused, *next; batch; batch = next) {
        next = batch->next;
        vkb_batch_destroy(queue, batch);
    }
    for (int i = 0; i < STAGING_KINDS; i++)
        vkb_staging_chunk_release(device, queue->staging[i]);
    device->vk.vkDestroySemaphore(device->handle, queue->timeline, NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_mutex_destroy(&queue->unused_lock);
    trace_track_destroy(queue->track);
    pthread_mutex_destroy(&queue->route_lock);
    free(queue);
}

static void end_task(void *data)
{
    destroy(data);
}

static _Thread_local bool defers_ends;

void vkb_queue_defer_ends(bool defer)
{
    defers_ends = defer;
}

void vkb_queue_drop(struct vkb_queue *queue)
{
    if (atomic_fetch_sub(&queue->keepers, 1) != 1 || vkb_gone())
        return;
    if (defers_ends)
        vkb_pool_run(&queue->end_task);
    else
        destroy(queue);
}

bool vkb_queue_unlock_batches(struct vkb_queue *queue)
{
    struct batch *done = queue->done;
    queue->done = NULL;
    if (done)
        atomic_fetch_add(&queue->dropping, 1);
    pthread_mutex_unlock(&queue->lock);
    if (done) {
        vkb_batch_recycle(queue, done);
        atomic_fetch_sub(&queue->dropping, 1);
    }
    return done;
}

void vkb_queue_unlock(struct vkb_queue *queue)
{
    struct held *ended = queue->ended;
    queue->ended = NULL;
    vkb_queue_unlock_batches(queue);
    if (ended)
        vkb_held_drop(ended); /* perhaps with the last keeper of the queue but the caller */
}

/* ---- waiting ---- */

enum vkb_result vkb_queue_await(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns)
{
    return vkb_wait_timeline(queue, value, deadline_ns, WAIT_FOR_ALL);
}

enum vkb_result vkb_queue_await_behind(struct vkb_queue *queue, uint64_t value)
{
    return vkb_wait_timeline(queue, value, UINT64_MAX, WAIT_BACKGROUND);
}

enum vkb_result vkb_queue_wait_value(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns)
{
    pthread_mutex_lock(&queue->lock);
    enum vkb_result result = VKB_SUCCESS;
    if (queue->open && queue->open->value <= value)
        result = vkb_queue_submit_asked(queue);
    value = u64_min(value, queue->submitted);
    bool done = queue->completed >= value;
    queue->rested |= value == queue->submitted;
    if (!done && queue->device->prompt)
        vkb_batch_prepare(queue);
    bool light = !done && queue->num_in_flight == 1 && !queue->first->is_heavy;
    vkb_queue_unlock(queue);
    if (done || result != VKB_SUCCESS)
        return result;
    uint64_t began = time_ns();
    if (!vkb_wait_spin(queue, value, deadline_ns))
        result = vkb_wait_timeline(queue, value, deadline_ns, WAIT_FOR_COMMANDS);
    if (light && result == VKB_SUCCESS)
        vkb_wait_note_turn(queue->device, time_ns() - began);
    return result;
}

void vkb_queue_throttle(struct vkb_queue *queue)
{
    for (;;) {
        pthread_mutex_lock(&queue->lock);
        vkb_batch_retire(queue);
        uint64_t value = queue->num_in_flight >= BATCHES_IN_FLIGHT ? queue->first->value : 0;
        vkb_queue_unlock(queue);
        if (!value || vkb_wait_timeline(queue, value, UINT64_MAX, WAIT_FOR_COMMANDS) != VKB_SUCCESS)
            return;
    }
}

/* With the lock held. */
static bool is_idle(const struct vkb_queue *queue)
{
    return !queue->first && !queue->held_first &&
           (!queue->open || (!queue->open->num_commands && !queue->open->num_events));
}

bool vkb_queue_is_idle(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    bool idle = is_idle(queue);
    vkb_queue_unlock(queue);
    return idle && vkb_lanes_are_idle(queue);
}

/* How long the first held command may take at exit before it counts as waiting for the application. */
static const uint64_t LAST_STEP_NS = 100000000;

/* A thread that keeps the lock for long must not stop the exit. */
static bool lock_until(struct vkb_queue *queue, uint64_t deadline_ns)
{
    while (pthread_mutex_trylock(&queue->lock) != 0) {
        if (time_ns() >= deadline_ns)
            return false;
        usleep(100);
    }
    return true;
}

void vkb_queue_submit_last(struct vkb_queue *queue, uint64_t deadline_ns)
{
    const struct held *before = NULL;
    uint64_t patience = deadline_ns, waited = 0;
    while (lock_until(queue, deadline_ns)) {
        vkb_queue_submit_asked(queue);
        uint64_t value = queue->submitted;
        const struct held *first = queue->held_first;
        vkb_queue_unlock(queue);
        /* Held commands may wait for that: the host's part of a transfer, and what a kernel has printed. Others wait for
         * the application, which does nothing for them any more. */
        if (!first || time_ns() >= patience ||
            vkb_wait_timeline(queue, value, deadline_ns, WAIT_FOR_ALL) != VKB_SUCCESS)
            return;
        if (first != before || value != waited) /* it cannot have begun while the device was still at work */
            patience = u64_min(time_ns() + LAST_STEP_NS, deadline_ns);
        vkb_queue_progress(queue, PROGRESS_HELP);
        vkb_queue_demand(queue);
        if (first == before)
            usleep(100);
        before = first;
        waited = value;
    }
}

void vkb_queue_exit(struct vkb_queue *queue, uint64_t deadline_ns)
{
    if (!lock_until(queue, deadline_ns))
        return;
    uint64_t value = queue->submitted;
    bool busy = queue->first;
    vkb_queue_unlock(queue);
    if (busy && vkb_wait_timeline(queue, value, deadline_ns, WAIT_FOR_ALL) != VKB_SUCCESS)
        return;
    if (pthread_mutex_trylock(&queue->lock) != 0)
        return;
    vkb_batch_retire(queue);
    atomic_store(&queue->drained, is_idle(queue) && queue->failure == VKB_SUCCESS);
    vkb_queue_unlock(queue);
}

bool vkb_queue_is_oldest(struct vkb_queue *queue, uint64_t value)
{
    pthread_mutex_lock(&queue->lock);
    bool oldest = queue->first && queue->first->value == value;
    vkb_queue_unlock(queue);
    return oldest;
}

/* ---- progress in the background ---- */

/* The value of the oldest batch that must be retired in the background, or 0. */
static uint64_t next_interesting(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint64_t value = queue->first && atomic_load(&queue->interest) >= queue->first->value ? queue->first->value : 0;
    vkb_queue_unlock(queue);
    return value;
}

/* It makes no call of the application's, which may block, and wait for the end of a batch that this thread must see. */
static void attend_task(void *data)
{
    struct vkb_queue *queue = data;
    for (;;) {
        uint64_t value = next_interesting(queue);
        if (!value) {
            /* Interest that came after the last look is seen by whichever thread sets the flag again, perhaps this one.
             */
            atomic_store(&queue->wait_active, 0);
            /* Another thread may have retired the batches. Only this one goes on with held commands that wait for them. */
            vkb_queue_progress(queue, PROGRESS_HELP);
            if (!next_interesting(queue) || atomic_exchange(&queue->wait_active, 1))
                break;
            continue;
        }
        if (vkb_wait_timeline(queue, value, UINT64_MAX, WAIT_BACKGROUND) == VKB_TIMEOUT)
            break; /* the process exits */
        vkb_queue_progress(queue, PROGRESS_HELP);
    }
    vkb_queue_drop(queue);
}

void vkb_queue_attend(struct vkb_queue *queue, uint64_t value)
{
    unsigned long long old = atomic_load(&queue->interest);
    while (old < value && !atomic_compare_exchange_weak(&queue->interest, &old, value))
        ;
    if (atomic_exchange(&queue->wait_active, 1))
        return;
    vkb_queue_keep(queue);
    vkb_pool_run(&queue->attend_task);
}

/* Posts a task, unless all of them are under way; then the first of them to end looks again. */
static void start_kick(struct vkb_queue *queue)
{
    for (uint32_t i = 0; i < QUEUE_KICKS; i++) {
        struct queue_kick *kick = &queue->kicks[i];
        if (atomic_fetch_or(&queue->kicks_busy, kick->bit) & kick->bit)
            continue;
        vkb_queue_keep(queue);
        vkb_pool_run(&kick->task);
        return;
    }
}

static void kick_task(void *data)
{
    struct queue_kick *kick = data;
    struct vkb_queue *queue = kick->queue;
    atomic_store(&queue->progress_wanted, 0);
    vkb_queue_progress(queue, PROGRESS_BACKEND);
    atomic_fetch_and(&queue->kicks_busy, ~kick->bit);
    if (atomic_load(&queue->progress_wanted))
        start_kick(queue);
    vkb_queue_drop(queue);
}

void vkb_queue_kick(struct vkb_queue *queue)
{
    if (!atomic_exchange(&queue->progress_wanted, 1))
        start_kick(queue);
}

void vkb_queue_demand(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool kick = queue->held_first && (!queue->demand || queue->ready_since);
    if (kick) {
        queue->demand = true;
        queue->ready_since = false;
    }
    vkb_queue_unlock(queue);
    if (kick)
        vkb_queue_kick(queue);
}

enum vkb_result vkb_queue_flush_here(struct vkb_queue *queue)
{
    if (vkb_gone())
        return atomic_load(&queue->drained) ? VKB_SUCCESS : VKB_DEVICE_LOST;
    pthread_mutex_lock(&queue->lock);
    enum vkb_result result = has_failed(queue->device) ? VKB_DEVICE_LOST : vkb_queue_submit_asked(queue);
    if (result == VKB_SUCCESS)
        result = queue->failure;
    vkb_queue_unlock(queue);
    vkb_queue_demand(queue);
    return result;
}

enum vkb_result vkb_queue_flush_soon(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool waits = queue->failure == VKB_SUCCESS && !vkb_gone() && vkb_submit_may_wait(queue);
    vkb_queue_unlock(queue);
    if (!waits)
        return vkb_queue_flush(queue);
    vkb_queue_demand(queue);
    return vkb_lanes_flush(queue);
}

enum vkb_result vkb_queue_flush(struct vkb_queue *queue)
{
    enum vkb_result result = vkb_queue_flush_here(queue), lanes = vkb_gone() ? VKB_SUCCESS : vkb_lanes_flush(queue);
    return result == VKB_SUCCESS ? lanes : result;
}

/* The events of all held commands, for wait_for_all(). With the lock held. */
static enum vkb_result take_held(const struct vkb_queue *queue, struct vkb_event ***events, uint32_t *count)
{
    uint32_t num_held = 0;
    *count = 0;
    for (const struct held *held = queue->held_first; held; held = held->next)
        num_held++;
    *events = num_held ? malloc(num_held * sizeof(**events)) : NULL;
    if (num_held && !*events)
        return VKB_OUT_OF_HOST_MEMORY;
    for (const struct held *held = queue->held_first; held; held = held->next)
        (*events)[(*count)++] = vkb_event_retain(held->event);
    return VKB_SUCCESS;
}

static void wait_for_all(struct vkb_event **events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        vkb_event_wait(events[i], UINT64_MAX); /* that it failed is the event's own story */
        vkb_event_release(events[i]);
    }
    free(events);
}

void vkb_queue_fail(struct vkb_queue *queue, enum vkb_result result)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->failure == VKB_SUCCESS)
        queue->failure = result;
    vkb_queue_unlock(queue);
}

static void stop_here(struct vkb_queue *queue, int32_t status)
{
    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->terminated, status);
    vkb_queue_unlock(queue);
}

void vkb_queue_terminate_here(struct vkb_queue *queue, int32_t status)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    vkb_batch_terminate(queue, status);
    vkb_held_terminate(queue, status);
    bool busy = queue->first != NULL, held = queue->held_first != NULL;
    vkb_queue_unlock(queue);
    /* What batches in flight use is let go of in the background. */
    if (busy)
        vkb_queue_attend(queue, UINT64_MAX);
    if (held) /* what was behind the commands that ended */
        vkb_queue_kick(queue);
}

void vkb_queue_stop(struct vkb_queue *queue, int32_t status)
{
    pthread_mutex_lock(&queue->route_lock);
    stop_here(queue, status);
    for (int i = 0; i < NUM_LANES; i++) {
        if (queue->lanes[i])
            stop_here(queue->lanes[i], status);
    }
    pthread_mutex_unlock(&queue->route_lock);
}

void vkb_queue_terminate(struct vkb_queue *queue, int32_t status)
{
    vkb_queue_stop(queue, status);
    vkb_lanes_terminate(queue, status);
    /* Without the route_lock: what ends here may call the application. */
    vkb_queue_terminate_here(queue, status);
}

enum vkb_result vkb_queue_drain(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint64_t value = queue->submitted;
    vkb_queue_unlock(queue);
    enum vkb_result own = vkb_wait_timeline(queue, value, UINT64_MAX, WAIT_FOR_ALL), lanes = vkb_lanes_drain(queue);
    return own == VKB_SUCCESS ? lanes : own;
}

enum vkb_result vkb_queue_wait(struct vkb_queue *queue)
{
    if (vkb_gone())
        return atomic_load(&queue->drained) ? VKB_SUCCESS : VKB_DEVICE_LOST;
    pthread_mutex_lock(&queue->lock);
    enum vkb_result result = vkb_queue_submit_asked(queue);
    uint64_t value = queue->submitted;
    /* At one moment with the value: what a pool thread records from here on is beyond it. */
    struct vkb_event **events;
    uint32_t count;
    enum vkb_result held = take_held(queue, &events, &count);
    vkb_queue_unlock(queue);
    vkb_lanes_flush(queue); /* what is held may wait for what they do */
    wait_for_all(events, count);
    enum vkb_result waited = vkb_queue_wait_value(queue, value, UINT64_MAX);
    enum vkb_result lanes = vkb_lanes_wait(queue);
    vkb_queue_progress(queue, PROGRESS_HELP);
    if (has_failed(queue->device))
        return VKB_DEVICE_LOST;
    if (held != VKB_SUCCESS || waited != VKB_SUCCESS || lanes != VKB_SUCCESS)
        return held != VKB_SUCCESS ? held : waited != VKB_SUCCESS ? waited : lanes;
    pthread_mutex_lock(&queue->lock);
    if (queue->failure != VKB_SUCCESS)
        result = queue->failure;
    queue->failure = VKB_SUCCESS;
    vkb_queue_unlock(queue);
    return result;
}
