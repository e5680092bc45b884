/* Events: the state of one command, the threads that wait for it, and its callbacks and links.
 *
 * States only move forward. Callbacks and links are added under the event's lock; states change under the same lock, so
 * nothing is missed. What an event's end sets off (callbacks, held commands) is handed to other threads
 * here and never run. */
#include "vk/device/pool.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/queue.h"

#include "base/thread.h"

#include <stdlib.h>

static struct vkb_event *event_new(struct vkb_queue *queue)
{
    struct vkb_event *event = calloc(1, sizeof(*event));
    if (!event)
        return NULL;
    atomic_init(&event->refs, 1);
    atomic_init(&event->state, EVENT_HELD);
    event->query = NO_QUERY;
    pthread_mutex_init(&event->lock, NULL);
    thread_cond_init(&event->changed);
    event->queue = queue;
    if (queue)
        vkb_queue_keep(queue);
    return event;
}

enum vkb_result vkb_event_create(struct vkb_queue *queue, struct vkb_event **event)
{
    *event = event_new(queue);
    return *event ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
}

enum vkb_result vkb_event_create_user(struct vkb_event **event)
{
    return vkb_event_create(NULL, event);
}

enum vkb_result vkb_event_create_past(struct vkb_event **event)
{
    enum vkb_result result = vkb_event_create(NULL, event);
    if (result != VKB_SUCCESS)
        return result;
    (*event)->past = true;
    atomic_store(&(*event)->state, EVENT_DONE);
    return VKB_SUCCESS;
}

struct vkb_event *vkb_event_retain(struct vkb_event *event)
{
    atomic_fetch_add_explicit(&event->refs, 1, memory_order_relaxed);
    return event;
}

void vkb_event_release(struct vkb_event *event)
{
    if (!event || atomic_fetch_sub(&event->refs, 1) != 1 || vkb_forked())
        return;
    /* No thread waits any more, since a waiter would have a reference, and so would held commands behind links. Callbacks
     * of a user event that was never set are dropped. */
    for (struct vkb_callback *callback = event->callbacks, *next; callback; callback = next) {
        next = callback->next;
        vkb_callback_destroy(callback);
    }
    pthread_mutex_destroy(&event->lock);
    pthread_cond_destroy(&event->changed);
    struct vkb_queue *queue = event->queue;
    free(event);
    if (queue)
        vkb_queue_drop(queue);
}

static enum event_state state_of(const struct vkb_event *event)
{
    return (enum event_state)atomic_load(&event->state);
}

bool vkb_event_has_ended(const struct vkb_event *event, int32_t *status)
{
    bool ended = state_of(event) == EVENT_DONE;
    if (ended)
        *status = event->status;
    return ended;
}

bool vkb_event_is_held(const struct vkb_event *event)
{
    return state_of(event) == EVENT_HELD;
}

/* The state that an OpenCL status corresponds to. RUNNING is the same as the end, because a batch completes as a whole.
 */
static enum event_state level_of(int32_t status)
{
    return status >= VKB_QUEUED ? EVENT_HELD : status == VKB_SUBMITTED ? EVENT_SUBMITTED : EVENT_DONE;
}

/* Hands out the callbacks that the state has reached. With the event's lock held. */
static void post_callbacks(struct vkb_event *event, enum event_state state)
{
    struct vkb_callback **at = &event->callbacks;
    while (*at) {
        struct vkb_callback *callback = *at;
        if (level_of(callback->status) > state) {
            at = &callback->next;
            continue;
        }
        *at = callback->next;
        bool failed = state == EVENT_DONE && event->status < 0;
        vkb_notice_post(callback->notice, failed ? event->status : callback->status);
        free(callback);
    }
}

/* Both with the event's lock held. */
static void add_link(struct vkb_event *event, struct link *link)
{
    link->at = &event->links;
    link->next = event->links;
    if (link->next)
        link->next->at = &link->next;
    event->links = link;
}

static void remove_link(struct link *link)
{
    *link->at = link->next;
    if (link->next)
        link->next->at = link->at;
    link->at = NULL;
}

/* Moves the event on and returns the links that have fired. */
static struct link *advance(struct vkb_event *event, enum event_state state, int32_t status, bool *awaited)
{
    struct link *fired = NULL;
    pthread_mutex_lock(&event->lock);
    if (state_of(event) < state) {
        if (state == EVENT_DONE)
            event->status = status;
        atomic_store(&event->state, state);
        if (event->callbacks)
            post_callbacks(event, state);
        for (struct link *link = event->links, *next; link; link = next) {
            next = link->next;
            if (link->level > state)
                continue;
            remove_link(link);
            link->next = fired;
            fired = link;
        }
        if (event->waiters)
            pthread_cond_broadcast(&event->changed);
    }
    *awaited = event->links || event->callbacks;
    pthread_mutex_unlock(&event->lock);
    return fired;
}

static void fire(struct link *links)
{
    while (links) {
        struct link *next = links->next;
        vkb_held_fire(links); /* may free it */
        links = next;
    }
}

void vkb_event_advance(struct vkb_event *event, enum event_state state)
{
    bool awaited;
    fire(advance(event, state, 0, &awaited));
    if (awaited && state == EVENT_SUBMITTED)
        vkb_queue_attend(event->queue, event->value);
}

void vkb_event_complete(struct vkb_event *event, int32_t status)
{
    bool awaited;
    fire(advance(event, EVENT_DONE, status, &awaited));
}

bool vkb_event_is_far(const struct vkb_event *event, const struct vkb_queue *queue)
{
    return event->queue && event->queue->device != queue->device;
}

bool vkb_event_was_cut(const struct vkb_event *event, const struct vkb_queue *queue)
{
    const struct vkb_queue *other = event->queue;
    return other && other != queue && other->device == queue->device && atomic_load(&event->state) == EVENT_DONE &&
           event->status < 0 && atomic_load(&other->terminated);
}

bool vkb_event_link(struct vkb_event *event, struct link *link)
{
    pthread_mutex_lock(&event->lock);
    bool waiting = state_of(event) < link->level;
    if (waiting)
        add_link(event, link);
    pthread_mutex_unlock(&event->lock);
    return waiting;
}

bool vkb_event_unlink(struct vkb_event *event, struct link *link)
{
    pthread_mutex_lock(&event->lock);
    bool found = link->at;
    if (found)
        remove_link(link);
    pthread_mutex_unlock(&event->lock);
    return found;
}

void vkb_event_set_user(struct vkb_event *event, int32_t status)
{
    vkb_event_complete(event, status < 0 ? status : 0);
}

int32_t vkb_event_ask(struct vkb_event *event)
{
    struct vkb_queue *queue = event->queue;
    if (vkb_gone() && queue && state_of(event) != EVENT_DONE)
        return STATUS_RESOURCES;
    if (queue && state_of(event) == EVENT_SUBMITTED)
        vkb_queue_progress(queue, PROGRESS_POLL);
    else if (queue && state_of(event) == EVENT_HELD)
        vkb_queue_demand(queue);
    switch (state_of(event)) {
    case EVENT_HELD:
    case EVENT_RECORDED:
        break;
    case EVENT_SUBMITTED:
        return event->leads && vkb_queue_is_oldest(queue, event->value) ? VKB_RUNNING : VKB_SUBMITTED;
    case EVENT_DONE:
        return event->status;
    }
    return VKB_QUEUED;
}

int32_t vkb_event_poll(struct vkb_event *event)
{
    if (event->queue && state_of(event) == EVENT_RECORDED)
        vkb_queue_flush_here(event->queue);
    return vkb_event_ask(event);
}

struct vkb_profile vkb_event_profile(struct vkb_event *event)
{
    if (state_of(event) != EVENT_DONE)
        return (struct vkb_profile){0};
    return event->profile;
}

struct vkb_callback *vkb_callback_create(enum vkb_caller caller, void (*call)(void *data, int32_t status), void *data)
{
    struct vkb_callback *callback = calloc(1, sizeof(*callback));
    void *notice = vkb_notice_create(caller, call, data);
    if (!callback || !notice) {
        free(callback);
        free(notice);
        return NULL;
    }
    callback->notice = notice;
    return callback;
}

void vkb_callback_destroy(struct vkb_callback *callback)
{
    if (!callback)
        return;
    free(callback->notice);
    free(callback);
}

void vkb_callback_post(struct vkb_callback *callback, int32_t status)
{
    if (vkb_gone()) {
        vkb_callback_destroy(callback);
        return;
    }
    vkb_notice_post(callback->notice, status);
    free(callback);
}

void vkb_event_tell(struct vkb_event *event, int32_t status, struct vkb_callback *callback)
{
    if (vkb_gone()) {
        vkb_callback_destroy(callback);
        return;
    }
    callback->status = status;
    pthread_mutex_lock(&event->lock);
    struct vkb_callback **at = &event->callbacks;
    while (*at)
        at = &(*at)->next;
    *at = callback;
    post_callbacks(event, state_of(event));
    bool waiting = event->callbacks != NULL;
    pthread_mutex_unlock(&event->lock);
    /* No thread may ever wait for this event, so its progress is demanded here. */
    if (waiting && event->queue) {
        vkb_queue_flush_here(event->queue);
        enum event_state state = state_of(event);
        if (state == EVENT_RECORDED || state == EVENT_SUBMITTED)
            vkb_queue_attend(event->queue, event->value);
    }
}

enum vkb_result vkb_event_on_status(struct vkb_event *event, int32_t status, void (*call)(void *data, int32_t status),
                                    void *data)
{
    if (vkb_gone())
        return VKB_DEVICE_LOST;
    struct vkb_callback *callback = vkb_callback_create(VKB_WATCHER, call, data);
    if (!callback)
        return VKB_OUT_OF_HOST_MEMORY;
    vkb_event_tell(event, status, callback);
    return VKB_SUCCESS;
}

/* ---- waiting ---- */

/* Blocks until the event is in another state than seen. */
static bool wait_change(struct vkb_event *event, enum event_state seen, uint64_t deadline_ns)
{
    bool early = true;
    pthread_mutex_lock(&event->lock);
    event->waiters++;
    while (early && state_of(event) == seen)
        early = thread_cond_wait_until(&event->changed, &event->lock, deadline_ns);
    event->waiters--;
    bool changed = state_of(event) != seen;
    pthread_mutex_unlock(&event->lock);
    return changed;
}

static enum vkb_result result_of(struct vkb_event *event)
{
    if (event->status >= 0)
        return VKB_SUCCESS;
    return event->queue && vkb_device_lost(event->queue->device) ? VKB_DEVICE_LOST : VKB_WAIT_FAILED;
}

/* Waits for others are cut into slices: a device that was lost and a process that exits end them too. */
#define SLICE_NS 250000000u

/* One step of waiting for a held event: this thread does what it can do itself, else it waits for others. */
static enum vkb_result wait_held(struct vkb_event *event, uint64_t deadline_ns)
{
    struct vkb_queue *queue = event->queue;
    if (queue) {
        vkb_queue_progress(queue, PROGRESS_HELP);
        if (state_of(event) != EVENT_HELD)
            return VKB_SUCCESS;
        uint64_t value = vkb_held_need(queue, event);
        if (value)
            return vkb_queue_wait_value(queue, value, deadline_ns);
        vkb_queue_demand(queue);
    }
    uint64_t now = time_ns(), slice_ns = now < deadline_ns ? u64_min(deadline_ns - now, SLICE_NS) : 0;
    return wait_change(event, EVENT_HELD, now + slice_ns) || slice_ns == SLICE_NS ? VKB_SUCCESS : VKB_TIMEOUT;
}

enum vkb_result vkb_event_wait(struct vkb_event *event, uint64_t timeout_ns)
{
    uint64_t now = time_ns();
    uint64_t deadline_ns = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    enum event_state state;
    while ((state = state_of(event)) != EVENT_DONE) {
        enum vkb_result result;
        if (vkb_gone())
            return VKB_DEVICE_LOST;
        if (state == EVENT_HELD) {
            result = wait_held(event, deadline_ns);
        } else {
            if (event->after_failure)
                vkb_queue_flush_here(event->queue);
            /* The wait may fail because the device is lost; progress then ends the event. */
            result = event->after_failure ? vkb_queue_await(event->queue, event->value, deadline_ns)
                                          : vkb_queue_wait_value(event->queue, event->value, deadline_ns);
            vkb_queue_progress(event->queue, PROGRESS_HELP);
        }
        if (result == VKB_TIMEOUT && state_of(event) != EVENT_DONE)
            return VKB_TIMEOUT;
    }
    return result_of(event);
}
