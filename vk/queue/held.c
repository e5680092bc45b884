/* Held commands: those behind something that the GPU cannot wait for (an unset user event, work of the host), and those
 * whose own work is the host's.
 *
 * A held command links itself to every event that is not far enough yet. When the last link fires, a pool thread looks
 * at the command's queue. It goes through the queue's held commands (in an in-order queue, from the first one until one
 * cannot go on) and records what can be recorded. Any thread that makes progress here may do work of the host: one that
 * waits anyway does transfers, which saves a blocking read two changes of threads. The application's own code runs on
 * pool threads only, and so do dispatches that are submitted in parts (pace.c), which may take minutes. */
#include "vk/device/backend.h"
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/memory/buffer.h"
#include "vk/memory/pinned.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/pace.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/rect.h"
#include "vk/queue/semaphore.h"
#include "vk/queue/transfer.h"
#include "vk/shader/shader.h"

#include <stdlib.h>
#include <string.h>

static bool in_order(const struct vkb_queue *queue)
{
    return !(queue->flags & VKB_QUEUE_OUT_OF_ORDER);
}

bool vkb_held_blocks(const struct vkb_queue *queue, const struct command *command)
{
    return in_order(queue) || command->all ? queue->held_first : queue->held_barrier;
}

bool vkb_held_brings(const struct vkb_queue *queue, const void *data, uint64_t size)
{
    const char *begin = data, *end = begin + size;
    for (const struct held *held = queue->held_first; held; held = held->next) {
        const struct command *command = &held->command;
        const char *base = command->data;
        if (command->kind == COMMAND_READ && begin < base + vkb_rect_dst_end(&command->rect) &&
            base + command->rect.dst_offset < end)
            return true;
    }
    return false;
}

/* ---- adding ---- */

static uint64_t padded(uint64_t size)
{
    return align_up(size, 16);
}

/* Copies the dispatch's arrays to memory, and makes the dispatch use the copies. */
static void own_dispatch(struct vkb_dispatch *dispatch, char *memory)
{
    size_t size = dispatch->num_grids * sizeof(*dispatch->grids);
    if (size)
        dispatch->grids = memcpy(memory, dispatch->grids, size);
    memory += padded(size);
    size = dispatch->num_accesses * sizeof(*dispatch->accesses);
    if (size)
        dispatch->accesses = memcpy(memory, dispatch->accesses, size);
    memory += padded(size);
    size = vkb_shader_num_descriptors(dispatch->shader) * sizeof(*dispatch->images);
    if (size)
        dispatch->images = memcpy(memory, dispatch->images, size);
    memory += padded(size);
    if (dispatch->block_size)
        dispatch->block = memcpy(memory, dispatch->block, dispatch->block_size);
}

static void keep_objects(const struct command *command)
{
    if (command->semaphore)
        vkb_semaphore_retain(command->semaphore);
    if (command->recording)
        vkb_recording_retain(command->recording);
    if (command->src)
        vkb_buffer_retain(command->src);
    if (command->dst)
        vkb_buffer_retain(command->dst);
    if (command->src_image)
        vkb_image_retain(command->src_image);
    if (command->dst_image)
        vkb_image_retain(command->dst_image);
    if (command->kind != COMMAND_DISPATCH)
        return;
    const struct vkb_dispatch *dispatch = &command->dispatch;
    vkb_shader_retain(dispatch->shader);
    for (uint32_t i = 0; i < dispatch->num_accesses; i++) {
        if (dispatch->accesses[i].buffer)
            vkb_buffer_retain(dispatch->accesses[i].buffer);
        if (dispatch->accesses[i].image) /* perhaps none of the descriptors': one of another class is */
            vkb_image_retain(dispatch->accesses[i].image);
    }
    for (uint32_t i = 0; i < vkb_shader_num_descriptors(dispatch->shader); i++)
        vkb_image_retain(dispatch->images[i]);
}

static void drop_objects(const struct command *command)
{
    vkb_semaphore_release(command->semaphore);
    vkb_recording_release(command->recording);
    vkb_buffer_release(command->src);
    vkb_buffer_release(command->dst);
    vkb_image_release(command->src_image);
    vkb_image_release(command->dst_image);
    if (command->kind != COMMAND_DISPATCH)
        return;
    const struct vkb_dispatch *dispatch = &command->dispatch;
    for (uint32_t i = 0; i < dispatch->num_accesses; i++) {
        vkb_buffer_release(dispatch->accesses[i].buffer);
        vkb_image_release(dispatch->accesses[i].image);
    }
    for (uint32_t i = 0; i < vkb_shader_num_descriptors(dispatch->shader); i++)
        vkb_image_release(dispatch->images[i]);
    vkb_shader_release(dispatch->shader);
}

/* In an out-of-order queue: the last held barrier, and all earlier held commands if the command waits for everything
 * before it, back to the last one that itself waits for everything before. */
static uint32_t find_extra(const struct vkb_queue *queue, const struct command *command, struct vkb_event **extra)
{
    uint32_t count = 0;
    if (in_order(queue))
        return 0;
    for (struct held *held = command->all ? queue->held_last : queue->held_barrier; held; held = held->prev) {
        if (extra)
            extra[count] = vkb_event_retain(!command->all && held->place ? held->place : held->event);
        count++;
        if (!command->all || held->command.all)
            break;
    }
    return count;
}

static struct held *held_new(struct vkb_queue *queue, const struct command *command, const struct vkb_enqueue *enqueue)
{
    const struct vkb_dispatch *dispatch = &command->dispatch;
    uint32_t num_extra = find_extra(queue, command, NULL), num_links = enqueue->num_waits + num_extra;
    uint64_t own = sizeof(struct held), arrays = padded(own) + padded(num_links * sizeof(struct vkb_event *));
    uint64_t rest = arrays + padded(num_links * sizeof(struct link));
    uint32_t num_images = command->kind == COMMAND_DISPATCH ? vkb_shader_num_descriptors(dispatch->shader) : 0;
    uint64_t size = rest + padded(dispatch->num_grids * sizeof(*dispatch->grids)) +
                    padded(dispatch->num_accesses * sizeof(*dispatch->accesses)) +
                    padded(num_images * sizeof(*dispatch->images)) + dispatch->block_size;
    char *memory = calloc(1, size);
    if (!memory)
        return NULL;
    struct held *held = (struct held *)memory;
    held->command = *command;
    held->queue = queue;
    held->waits = (struct vkb_event **)(memory + padded(own));
    held->links = (struct link *)(memory + arrays);
    held->num_waits = enqueue->num_waits;
    held->num_extra = num_extra;
    for (uint32_t i = 0; i < enqueue->num_waits; i++)
        held->waits[i] = vkb_event_retain(enqueue->waits[i]);
    find_extra(queue, command, held->waits + held->num_waits);
    if (command->kind == COMMAND_DISPATCH)
        own_dispatch(&held->command.dispatch, memory + rest);
    keep_objects(&held->command);
    return held;
}

static bool is_barrier(const struct held *held)
{
    return held->command.kind == COMMAND_MARKER && held->command.barrier;
}

static void append(struct vkb_queue *queue, struct held *held)
{
    held->prev = queue->held_last;
    if (queue->held_last)
        queue->held_last->next = held;
    else
        queue->held_first = held;
    queue->held_last = held;
    if (!is_barrier(held))
        return;
    held->prev_barrier = queue->held_barrier;
    if (held->prev_barrier)
        held->prev_barrier->next_barrier = held;
    queue->held_barrier = held;
}

static void unlink_held(struct vkb_queue *queue, struct held *held)
{
    if (held->prev)
        held->prev->next = held->next;
    else
        queue->held_first = held->next;
    if (held->next)
        held->next->prev = held->prev;
    else
        queue->held_last = held->prev;
    if (!queue->held_first)
        queue->demand = false;
    if (!is_barrier(held))
        return;
    if (held->prev_barrier)
        held->prev_barrier->next_barrier = held->next_barrier;
    if (held->next_barrier)
        held->next_barrier->prev_barrier = held->prev_barrier;
    else
        queue->held_barrier = held->prev_barrier;
}

/* Makes the event reach the link's level even if no thread waits for it. */
static void urge(struct vkb_event *event)
{
    if (!event->queue)
        return;
    if (atomic_load(&event->state) == EVENT_HELD)
        vkb_queue_kick(event->queue);
    else
        vkb_queue_attend(event->queue, event->value);
}

/* Whether the i-th event has ended in error, so that the command does not run. What its place in the queue adds may. */
static bool wait_failed(const struct held *held, uint32_t i)
{
    const struct vkb_event *event = held->waits[i];
    return i < held->num_waits && !held->after_failure && atomic_load(&event->state) == EVENT_DONE && event->status < 0;
}

/* end_failed() will look at it. */
static void note_failed(struct held *held)
{
    atomic_store(&held->failed, true);
    atomic_store(&held->queue->has_failed, true);
}

static void add_link(struct held *held, uint32_t i)
{
    struct vkb_queue *queue = held->queue;
    struct vkb_event *event = held->waits[i];
    bool own = event->queue == queue, done = held->host || vkb_event_is_far(event, queue);
    enum event_state level = done ? EVENT_DONE : EVENT_SUBMITTED;
    /* In any queue, own commands that are recorded already need no link. In an in-order queue they have ended or are
     * recorded anyhow when this one's turn comes; the link tells before that if one fails. */
    if (own && atomic_load(&event->state) >= EVENT_RECORDED)
        return;
    if (own && in_order(queue))
        level = EVENT_RECORDED;
    held->links[i] = (struct link){.held = held, .level = level};
    atomic_fetch_add(&held->pending, 1);
    if (!vkb_event_link(event, &held->links[i]))
        atomic_fetch_sub(&held->pending, 1);
    else if (!own || !in_order(queue))
        urge(event);
}

static void add_links(struct held *held)
{
    for (uint32_t i = 0; i < held->num_waits + held->num_extra; i++) {
        add_link(held, i);
        if (wait_failed(held, i))
            note_failed(held);
    }
}

enum vkb_result vkb_held_add(struct vkb_queue *queue, const struct command *command, const struct vkb_enqueue *enqueue,
                             void *owned, struct vkb_event *event)
{
    struct held *held = held_new(queue, command, enqueue);
    if (!held)
        return VKB_OUT_OF_HOST_MEMORY;
    held->event = vkb_event_retain(event);
    if (is_barrier(held) && !command->all && vkb_event_create(queue, &held->place) != VKB_SUCCESS) {
        vkb_held_drop(held);
        return VKB_OUT_OF_HOST_MEMORY;
    }
    held->owned = owned;
    held->goes_on = enqueue->goes_on;
    held->after_failure = enqueue->after_failure;
    held->host = command->kind == COMMAND_READ || command->kind == COMMAND_WRITE || command->kind == COMMAND_HOST;
    atomic_init(&held->pending, 1);
    append(queue, held);
    add_links(held);
    /* All links have fired meanwhile. Then the command can be recorded, without a thread that waits for it. */
    bool ready = atomic_fetch_sub(&held->pending, 1) == 1;
    if ((ready && !held->host && (queue->held_first == held || !in_order(queue))) || atomic_load(&held->failed))
        vkb_queue_kick(queue);
    else if (ready && held->host && !in_order(queue))
        queue->ready_since = true; /* a thread that waits may do it, or vkb_queue_demand() has it done */
    return VKB_SUCCESS;
}

void vkb_held_fire(struct link *link)
{
    struct held *held = link->held;
    struct vkb_queue *queue = held->queue;
    bool failed = wait_failed(held, (uint32_t)(link - held->links));
    vkb_queue_keep(queue); /* with the last link gone, others may end the command */
    if (failed)
        note_failed(held);
    if (atomic_fetch_sub(&held->pending, 1) == 1 || failed)
        vkb_queue_kick(queue);
    vkb_queue_drop(queue);
}

/* ---- progress ---- */

/* Ends the command's event. vkb_queue_unlock() drops what the command kept alive. */
static void held_end(struct vkb_queue *queue, struct held *held)
{
    unlink_held(queue, held);
    if (held->place)
        vkb_event_complete(held->place, 0);
    held->next = queue->ended;
    queue->ended = held;
}

/* Makes the call of a command of the host. Returns its status. */
static int32_t call_host(const struct command *command, bool run)
{
    if (command->status_call)
        return command->status_call(command->data, run);
    command->call(command->data, run);
    return 0;
}

void vkb_held_drop(struct held *ended)
{
    for (struct held *held = ended, *next; held; held = next) {
        next = held->next;
        if (held->command.kind == COMMAND_HOST && !held->called)
            call_host(&held->command, false);
        for (uint32_t i = 0; i < held->num_waits + held->num_extra; i++)
            vkb_event_release(held->waits[i]);
        drop_objects(&held->command);
        free(held->owned);
        vkb_event_release(held->event);
        vkb_event_release(held->place);
        free(held);
    }
}

/* Ends the events of commands that do not run because a wait has ended in error, whatever else they wait for. The
 * commands stay where they are, since what comes behind them in an in-order queue still waits for the rest; but not for
 * what may never come. */
static void end_failed(struct vkb_queue *queue)
{
    if (atomic_load(&queue->terminated)) /* vkb_held_terminate() ends them, with another status */
        return;
    for (struct held *held = queue->held_first; held; held = held->next) {
        if (!atomic_load(&held->failed) || held->running || held->ended_by)
            continue;
        vkb_event_complete(held->event, vkb_wait_status(held->waits, held->num_waits, held->goes_on));
        for (uint32_t i = 0; i < held->num_waits; i++) {
            if (held->links[i].held && atomic_load(&held->waits[i]->state) == EVENT_HELD &&
                vkb_event_unlink(held->waits[i], &held->links[i]))
                atomic_fetch_sub(&held->pending, 1);
        }
    }
}

/* Whether earlier commands must have ended before the host does its work. They must when the work touches memory that
 * they may use, or reads bytes that a staged read, or the GPU itself, has yet to bring. Otherwise the order of the
 * GPU's commands is enough. */
static bool needs_end(const struct vkb_queue *queue, const struct command *command)
{
    if (command->kind == COMMAND_HOST || vkb_transfer_is_direct(command))
        return true;
    bool write = command->kind == COMMAND_WRITE;
    uint64_t begin = write ? command->rect.src_offset : command->rect.dst_offset;
    uint64_t end = write ? vkb_rect_src_end(&command->rect) : vkb_rect_dst_end(&command->rect);
    return vkb_batch_pending_copy(queue, (const char *)command->data + begin, end - begin) ||
           vkb_pinned_overlaps(queue->device, (const char *)command->data + begin, end - begin);
}

/* Finds the value of the queue's timeline that a command of the host must wait for. It is known only when the command's
 * turn has come. */
static void find_need(struct vkb_queue *queue, struct held *held)
{
    if (held->need_known)
        return;
    held->need_known = true;
    if (in_order(queue)) {
        bool empty = !queue->open || (!queue->open->num_commands && !queue->open->num_events);
        held->need = empty ? queue->submitted : queue->open->value;
        return;
    }
    struct order order;
    vkb_order(queue, held->waits, held->num_waits, true, &order);
    held->need = u64_max(order.need, queue->barrier_value);
}

/* Whether nothing stands before the command any more. It submits the open batch if the command has to wait for that. */
static bool is_ready(struct vkb_queue *queue, struct held *held)
{
    if (held->running || atomic_load(&held->pending))
        return false;
    if (!held->host || (!held->need_known && !needs_end(queue, &held->command)))
        return true;
    find_need(queue, held);
    if (queue->open && queue->open->value <= held->need)
        vkb_batch_submit(queue);
    return queue->completed >= u64_min(held->need, queue->submitted);
}

static int32_t run_host(struct vkb_queue *queue, struct held *held, bool idle)
{
    if (held->command.kind == COMMAND_DISPATCH)
        return vkb_status_of(vkb_pace_run(queue, held));
    if (held->command.kind != COMMAND_HOST)
        return vkb_status_of(vkb_transfer_run(queue, &held->command, idle));
    held->called = true;
    return call_host(&held->command, true);
}

/* Does the host's work, with the lock open. */
static void run(struct vkb_queue *queue, struct held *held)
{
    struct vkb_device *device = queue->device;
    bool profiled = queue->flags & VKB_QUEUE_PROFILING;
    bool recorded = queue->open && (queue->open->num_commands || queue->open->num_events);
    bool idle = in_order(queue) && !queue->first && !recorded;
    held->running = true;
    atomic_store(&held->event->host_works, true);
    vkb_queue_unlock(queue);
    struct vkb_profile *profile = &held->event->profile;
    if (profiled) {
        profile->start = u64_max(vkb_device_ns_from_host(device, time_ns()), profile->queued);
        profile->submitted = profile->start;
    }
    int32_t status = vkb_device_lost(device) ? vkb_status_of(VKB_DEVICE_LOST) : run_host(queue, held, idle);
    if (profiled)
        profile->end = u64_max(vkb_device_ns_from_host(device, time_ns()), profile->start);
    pthread_mutex_lock(&queue->lock);
    if (held->ended_by || (status < 0 && !held->after_failure && atomic_load(&queue->terminated)))
        status = atomic_load(&queue->terminated);
    vkb_event_complete(held->event, status);
    held_end(queue, held);
}

static bool may_run(const struct held *held, enum progress mode)
{
    bool brief = held->command.kind != COMMAND_HOST && held->command.kind != COMMAND_DISPATCH;
    return mode == PROGRESS_BACKEND || (mode == PROGRESS_HELP && brief);
}

enum step { STEP_NONE, STEP_BLOCKED, STEP_RECORDED, STEP_RAN };

/* The status that a command ends with instead of running, or 0. */
static int32_t why_not(const struct vkb_queue *queue, const struct held *held, const struct order *order)
{
    int32_t terminated = atomic_load(&queue->terminated);
    if (held->after_failure || terminated)
        return held->after_failure ? 0 : terminated;
    return order->failed ? vkb_wait_status(held->waits, held->num_waits, held->goes_on)
                         : vkb_status_of(queue->failure);
}

/* Goes on with one command that may be ready. After STEP_RECORDED and STEP_RAN the command is gone. */
static enum step step(struct vkb_queue *queue, struct held *held, enum progress mode)
{
    if (held->ended_by && !held->running && !atomic_load(&held->pending)) {
        vkb_event_complete(held->event, held->ended_by);
        held_end(queue, held);
        return STEP_RECORDED;
    }
    if (!is_ready(queue, held)) {
        bool needs_gpu = held->need_known && !held->running && !atomic_load(&held->pending);
        if (needs_gpu && (mode == PROGRESS_BACKEND || queue->demand))
            vkb_queue_attend(queue, u64_min(held->need, queue->submitted));
        return STEP_BLOCKED;
    }
    struct order order;
    vkb_order(queue, held->waits, held->num_waits, held->host, &order);
    int32_t failure = why_not(queue, held, &order);
    if (failure) {
        if (order.failed && !atomic_load(&queue->terminated))
            vkb_fail(queue, held->waits, held->num_waits, &order);
        vkb_event_complete(held->event, failure);
        held_end(queue, held);
        return STEP_RECORDED;
    }
    /* Whether a dispatch goes in parts is decided now: others of its kernel may have run since it was held. */
    if (held->host ||
        (held->command.kind == COMMAND_DISPATCH && vkb_pace_asks(queue->device, &held->command.dispatch))) {
        if (!may_run(held, mode)) {
            if (mode == PROGRESS_HELP || queue->demand)
                vkb_queue_kick(queue);
            return STEP_BLOCKED;
        }
        run(queue, held);
        return STEP_RAN;
    }
    enum vkb_result result = vkb_device_lost(queue->device)
                                 ? VKB_DEVICE_LOST
                                 : vkb_record(queue, &held->command, held->waits, held->num_waits, &order, held->event);
    if (result != VKB_SUCCESS)
        vkb_event_complete(held->event, vkb_status_of(result));
    held_end(queue, held);
    return STEP_RECORDED;
}

/* On a lost device: ends the events of held commands at once, since what they wait for may never come; commands behind
 * them end as their waits have ended. A command whose work the host is doing ends when that is done. */
static void end_events(struct vkb_queue *queue)
{
    for (struct held *held = queue->held_first; held; held = held->next) {
        if (!held->running)
            vkb_event_complete(held->event, STATUS_RESOURCES);
    }
}

/* Takes back the command's links, but for those to commands that the host is working on: a program that sees this one
 * ended may free what they work with. Returns whether the command still waits for one. */
static bool waits_for_host(struct held *held)
{
    bool waits = false;
    for (uint32_t i = 0; i < held->num_waits + held->num_extra; i++) {
        struct vkb_event *wait = held->waits[i];
        if (!held->links[i].held)
            continue;
        if (atomic_load(&wait->host_works))
            waits |= atomic_load(&wait->state) != EVENT_DONE;
        else if (vkb_event_unlink(wait, &held->links[i]))
            atomic_fetch_sub(&held->pending, 1);
    }
    return waits;
}

void vkb_held_terminate(struct vkb_queue *queue, int32_t status)
{
    bool host_works = false;
    for (struct held *held = queue->held_first, *next; held; held = next) {
        next = held->next;
        if (held->after_failure)
            continue;
        held->ended_by = status;
        bool late = held->running || waits_for_host(held) || (host_works && in_order(queue));
        host_works |= late;
        if (late) { /* vkb_queue_progress() ends it */
            atomic_store(&held->event->host_works, true);
            if (held->place)
                atomic_store(&held->place->host_works, true);
            continue;
        }
        vkb_event_complete(held->event, status);
        /* Else a link is just being fired, and the thread that fires it has the command ended. */
        if (!atomic_load(&held->pending))
            held_end(queue, held);
    }
}

void vkb_queue_progress(struct vkb_queue *queue, enum progress mode)
{
    if (vkb_gone())
        return;
    pthread_mutex_lock(&queue->lock);
    if (vkb_device_lost(queue->device))
        end_events(queue);
    bool again = true;
    while (again) {
        again = false;
        bool recorded = false;
        if (atomic_exchange(&queue->has_failed, false))
            end_failed(queue);
        vkb_batch_retire(queue);
        for (struct held *held = queue->held_first, *next; held; held = next) {
            next = held->next;
            enum step done = step(queue, held, mode);
            recorded |= done == STEP_RECORDED;
            again |= done == STEP_RAN;
            /* The list may have changed while the lock was open, so this begins anew. */
            if (done == STEP_RAN || (done == STEP_BLOCKED && in_order(queue)))
                break;
        }
        /* Commands of other queues may wait for these to be submitted, and the application may never flush. */
        if (recorded) {
            vkb_batch_submit(queue);
            again |= queue->held_first != NULL;
        }
        again |= atomic_load(&queue->has_failed);
    }
    if (mode == PROGRESS_BACKEND && queue->held_first)
        queue->demand = true;
    vkb_queue_unlock(queue);
}

uint64_t vkb_held_need(struct vkb_queue *queue, struct vkb_event *event)
{
    uint64_t need = 0;
    pthread_mutex_lock(&queue->lock);
    struct held *held = queue->held_first;
    while (held && !in_order(queue) && held->event != event)
        held = held->next;
    bool waits_for_gpu = held && held->need_known && !held->running && held->command.kind != COMMAND_HOST &&
                         !atomic_load(&held->pending);
    if (waits_for_gpu && queue->completed < u64_min(held->need, queue->submitted))
        need = u64_min(held->need, queue->submitted);
    vkb_queue_unlock(queue);
    return need;
}
