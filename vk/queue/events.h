/* Events and semaphores as users of the backend see them. */
#ifndef VK_QUEUE_EVENTS_H
#define VK_QUEUE_EVENTS_H

#include "vk/device/devices.h"

struct vkb_event;
struct vkb_recording;

enum vkb_status {
    VKB_COMPLETE = 0,
    VKB_RUNNING = 1,
    VKB_SUBMITTED = 2,
    VKB_QUEUED = 3
}; /* negative: an error; the values of OpenCL */

struct vkb_profile {
    uint64_t queued, submitted, start, end;
}; /* ns on the device's clock; 0 unless the queue profiles */

struct vkb_event *vkb_event_retain(struct vkb_event *event);
void vkb_event_release(struct vkb_event *event);
/* How far it has come: asks the device, and has what a held command waits for submitted. */
int32_t vkb_event_ask(struct vkb_event *event);
/* The same for a caller that may do nothing but ask again: submits the command first if that has not been done. */
int32_t vkb_event_poll(struct vkb_event *event);
/* VKB_TIMEOUT after timeout_ns (UINT64_MAX: for ever); VKB_WAIT_FAILED when the event ended with an error. Flushes the
 * event's own queue; spins for a short time, then blocks. Must not be called from a callback. */
enum vkb_result vkb_event_wait(struct vkb_event *event, uint64_t timeout_ns);
struct vkb_profile vkb_event_profile(struct vkb_event *event); /* valid when complete */
/* Without making any progress: whether the event has ended, and then with which status; whether its command is neither
 * recorded nor ended, so that something on the host must happen first. A user event is held until it is set. */
bool vkb_event_has_ended(const struct vkb_event *event, int32_t *status);
bool vkb_event_is_held(const struct vkb_event *event);
/* Completed by vkb_event_set_user(); status 0 or negative, once. What waits for it sees all memory that commands had
 * written which ended before that. */
enum vkb_result vkb_event_create_user(struct vkb_event **event);
/* One that is complete, and that nothing came before. */
enum vkb_result vkb_event_create_past(struct vkb_event **event);
void vkb_event_set_user(struct vkb_event *event, int32_t status);
/* Has the watcher make the call once, when the event's status is at or below the given one (or an error), with the
 * status that it has reached. Callbacks of one event come in order of registration. */
enum vkb_result vkb_event_on_status(struct vkb_event *event, int32_t status, void (*call)(void *data, int32_t status),
                                    void *data);
/* The same in two steps, for callers that must not fail once a command is enqueued. What needs memory is done first:
 * NULL without it. vkb_event_tell() takes the callback over; while the process exits it drops it without a call. */
struct vkb_callback *vkb_callback_create(enum vkb_caller caller, void (*call)(void *data, int32_t status), void *data);
void vkb_callback_destroy(struct vkb_callback *callback); /* one that was not told of any event; or NULL */
void vkb_event_tell(struct vkb_event *event, int32_t status, struct vkb_callback *callback);
void vkb_callback_post(struct vkb_callback *callback, int32_t status); /* has the call made now; takes it over */

/* ---- semaphores that others signal or wait for ---- */

struct vkb_semaphore;

/* A binary semaphore, not signalled. exports: VKB_HANDLE_* that it can be exported as, one at most. */
enum vkb_result vkb_semaphore_create(struct vkb_device *device, uint32_t exports, struct vkb_semaphore **semaphore);
/* Replaces what the semaphore stands for: by the payload itself (opaque) or by a copy of it that the next wait uses up
 * (sync; -1: one that is signalled). After success the handle is the driver's if vkb_handle_is_taken(). No command that
 * uses the semaphore is under way. VKB_UNSUPPORTED: no such handle. */
enum vkb_result vkb_semaphore_import(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t handle);
/* A new handle (sync: perhaps -1, signalled), the caller's. Exporting a sync file uses up the signal, as a wait
 * would, and the signal must have been submitted. */
enum vkb_result vkb_semaphore_export(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t *handle);
struct vkb_semaphore *vkb_semaphore_retain(struct vkb_semaphore *semaphore);
void vkb_semaphore_release(struct vkb_semaphore *semaphore); /* destroyed once no command uses it any more */

#endif
