/* Commands with semaphores; and those semaphores that nobody outside the process knows.
 *
 * Such a semaphore's payload is a signal that has ended and that no wait has taken. A wait takes it when the wait is
 * executed, not when it is enqueued: until then another wait may come first, or this one may fail. So a wait is two
 * commands. When the first has ended, all that the wait was behind has, and the steward lets it take its turn. The
 * second is held behind a user event, which is set when the wait has got its signals.
 *
 * That costs two changes of threads. Where a wait finds a signal and neither needs the host any more, both will be
 * executed, and the device can do it alone: the wait is one command behind the signal's.
 *
 * Nobody is told of a signal's end unless a wait is waiting for it. Events and callbacks are let go, and waits go on,
 * when the semaphore's mutex is open again: struct work. */
#include "src/command/command.h"
#include "src/command/semaphore.h"
#include "src/object/queue.h"

#include <stdlib.h>

struct work {
    struct ocl_semaphore_wait *go_on;
    struct ocl_semaphore_signal *tell, *dropped;
};

static void perform(struct work *work);

void ocl_semaphore_drop(cl_semaphore_khr semaphore)
{
    if (atomic_fetch_sub(&semaphore->uses, 1) == 1)
        ocl_semaphore_destroy(semaphore);
}

/* ---- signals: with the mutex held ---- */

static void drop_signal(struct ocl_semaphore_signal *signal, struct work *work)
{
    if (--signal->refs)
        return;
    signal->next_work = work->dropped;
    work->dropped = signal;
}

/* The caller gets the list's reference. */
static struct ocl_semaphore_signal *unlist(struct ocl_semaphore_signal **link)
{
    struct ocl_semaphore_signal *signal = *link;
    *link = signal->next;
    signal->listed = false;
    return signal;
}

static void list_signal(cl_semaphore_khr semaphore, struct ocl_semaphore_signal *signal)
{
    struct ocl_semaphore_signal **link = &semaphore->signals;
    while (*link)
        link = &(*link)->next;
    *link = signal;
    signal->next = NULL;
    signal->listed = true;
}

static void go_on(struct ocl_semaphore_wait *wait, struct work *work)
{
    wait->next_work = work->go_on;
    work->go_on = wait;
}

/* Gives signals that have ended to the waits whose turn it is. One that failed is none, and of several without a wait
 * between them one counts. */
static void hand_out(cl_semaphore_khr semaphore, struct work *work)
{
    bool payload = false;
    for (struct ocl_semaphore_signal **link = &semaphore->signals; *link;) {
        int32_t status;
        if (!vkb_event_has_ended((*link)->event, &status)) {
            link = &(*link)->next;
        } else if (status < 0) {
            drop_signal(unlist(link), work);
        } else if (semaphore->turns) {
            struct ocl_semaphore_wait *wait = semaphore->turns;
            semaphore->turns = wait->next;
            wait->slots[wait->at++].signal = unlist(link);
            go_on(wait, work);
        } else if (payload) {
            drop_signal(unlist(link), work);
        } else {
            payload = true;
            link = &(*link)->next;
        }
    }
}

/* Whenever something has changed. */
static void settle(cl_semaphore_khr semaphore, struct work *work)
{
    hand_out(semaphore, work);
    for (struct ocl_semaphore_signal *signal = semaphore->signals; signal && semaphore->turns; signal = signal->next) {
        if (signal->is_told)
            continue;
        signal->is_told = true;
        signal->refs++;
        atomic_fetch_add(&semaphore->uses, 1);
        signal->next_work = work->tell;
        work->tell = signal;
    }
    while (semaphore->released && !semaphore->signals && semaphore->turns) {
        struct ocl_semaphore_wait *wait = semaphore->turns;
        semaphore->turns = wait->next;
        wait->failed = true;
        go_on(wait, work);
    }
}

/* ---- without the mutex ---- */

static void destroy_signal(struct ocl_semaphore_signal *signal)
{
    if (!signal->is_told)
        vkb_callback_destroy(signal->told);
    vkb_event_release(signal->event);
    free(signal);
}

static void signal_ended(void *data, int32_t status)
{
    struct ocl_semaphore_signal *signal = data;
    cl_semaphore_khr semaphore = signal->semaphore;
    struct work work = {NULL, NULL, NULL};
    (void)status;
    ocl_lock(&semaphore->mutex);
    settle(semaphore, &work);
    drop_signal(signal, &work);
    ocl_unlock(&semaphore->mutex);
    perform(&work);
    ocl_semaphore_drop(semaphore);
}

/* What was taken is there again. */
static void give_back(struct ocl_semaphore_slot *slot, struct work *work)
{
    if (!slot->signal)
        return;
    ocl_lock(&slot->semaphore->mutex);
    slot->signal->next = slot->semaphore->signals;
    slot->semaphore->signals = slot->signal;
    slot->signal->listed = true;
    settle(slot->semaphore, work);
    ocl_unlock(&slot->semaphore->mutex);
    slot->signal = NULL;
}

static void use_up(struct ocl_semaphore_slot *slot, struct work *work)
{
    if (!slot->signal)
        return;
    ocl_lock(&slot->semaphore->mutex);
    drop_signal(slot->signal, work);
    ocl_unlock(&slot->semaphore->mutex);
    slot->signal = NULL;
}

/* The wait is over. Without success it gives back what it has. */
static void wait_end(struct ocl_semaphore_wait *wait, bool success, struct work *work)
{
    for (uint32_t i = 0; i < wait->count; i++) {
        if (success)
            use_up(&wait->slots[i], work);
        else
            give_back(&wait->slots[i], work);
    }
    for (uint32_t i = 0; i < wait->count; i++)
        ocl_semaphore_drop(wait->slots[i].semaphore);
    vkb_event_release(wait->granted);
    free(wait);
}

static void wait_go_on(struct ocl_semaphore_wait *wait, struct work *work)
{
    if (wait->failed || wait->at == wait->count) {
        vkb_event_set_user(wait->granted, wait->failed ? CL_INVALID_SEMAPHORE_KHR : 0);
        wait_end(wait, !wait->failed, work);
        return;
    }
    cl_semaphore_khr semaphore = wait->slots[wait->at].semaphore;
    ocl_lock(&semaphore->mutex);
    struct ocl_semaphore_wait **last = &semaphore->turns;
    while (*last)
        last = &(*last)->next;
    wait->next = NULL;
    *last = wait;
    settle(semaphore, work);
    ocl_unlock(&semaphore->mutex);
}

static void perform(struct work *work)
{
    while (work->tell || work->dropped || work->go_on) {
        struct ocl_semaphore_signal *signal = work->tell ? work->tell : work->dropped;
        struct ocl_semaphore_wait *wait = work->go_on;
        if (work->tell) {
            work->tell = signal->next_work;
            vkb_event_tell(signal->event, VKB_COMPLETE, signal->told);
        } else if (signal) {
            work->dropped = signal->next_work;
            destroy_signal(signal);
        } else {
            work->go_on = wait->next_work;
            wait_go_on(wait, work);
        }
    }
}

void ocl_semaphore_forget_signals(cl_semaphore_khr semaphore)
{
    while (semaphore->signals)
        destroy_signal(unlist(&semaphore->signals));
}

void ocl_semaphore_close(cl_semaphore_khr semaphore)
{
    struct work work = {NULL, NULL, NULL};
    ocl_lock(&semaphore->mutex);
    semaphore->released = true;
    settle(semaphore, &work);
    ocl_unlock(&semaphore->mutex);
    perform(&work);
}

/* The event of a signal in the list, with a reference, or NULL. */
static struct vkb_event *event_at(cl_semaphore_khr semaphore, uint32_t index)
{
    ocl_lock(&semaphore->mutex);
    struct ocl_semaphore_signal *signal = semaphore->signals;
    for (; signal && index; index--)
        signal = signal->next;
    struct vkb_event *event = signal ? vkb_event_retain(signal->event) : NULL;
    ocl_unlock(&semaphore->mutex);
    return event;
}

bool ocl_semaphore_has_payload(cl_semaphore_khr semaphore)
{
    struct vkb_event *event;
    bool payload = false;
    for (uint32_t i = 0; !payload && (event = event_at(semaphore, i)); i++) {
        payload = vkb_event_ask(event) == VKB_COMPLETE;
        vkb_event_release(event);
    }
    return payload;
}

/* ---- enqueueing a wait ---- */

static struct ocl_semaphore_wait *wait_create(cl_uint count, const cl_semaphore_khr *semaphores)
{
    struct ocl_semaphore_wait *wait = calloc(1, sizeof(*wait) + count * sizeof(wait->slots[0]));
    for (cl_uint i = 0; wait && i < count; i++) {
        if (ocl_semaphore_is_shared(semaphores[i]))
            continue;
        atomic_fetch_add(&semaphores[i]->uses, 1);
        wait->slots[wait->count++].semaphore = semaphores[i];
    }
    return wait;
}

/* Takes the newest signal that needs nothing more from the host; those before it count with it. */
static bool claim(struct ocl_semaphore_slot *slot, struct work *work)
{
    cl_semaphore_khr semaphore = slot->semaphore;
    ocl_lock(&semaphore->mutex);
    settle(semaphore, work);
    for (struct ocl_semaphore_signal **link = &semaphore->signals; *link && !semaphore->turns;) {
        if (vkb_event_is_held((*link)->event)) {
            link = &(*link)->next;
            continue;
        }
        if (slot->signal)
            drop_signal(slot->signal, work);
        slot->signal = unlist(link);
    }
    ocl_unlock(&semaphore->mutex);
    return slot->signal;
}

/* The wait as one command behind the signals. VKB_UNSUPPORTED: there are none, or the host has something to do first.
 */
static enum vkb_result wait_behind(struct ocl_command *command, struct ocl_semaphore_wait *wait, struct work *work)
{
    enum vkb_result result = VKB_SUCCESS;
    uint32_t own = command->num_waits;
    for (uint32_t i = 0; i < wait->count && result == VKB_SUCCESS; i++) {
        if (!claim(&wait->slots[i], work))
            result = VKB_UNSUPPORTED;
        else if (ocl_command_wait_for(command, vkb_event_retain(wait->slots[i].signal->event)) != CL_SUCCESS)
            result = VKB_OUT_OF_HOST_MEMORY;
    }
    if (result == VKB_SUCCESS) {
        command->num_covered = command->num_waits;
        result = ocl_command_nothing_unheld(command);
    }
    if (result == VKB_SUCCESS)
        return result;
    while (command->num_waits > own)
        vkb_event_release(command->waits[--command->num_waits]);
    for (uint32_t i = 0; i < wait->count; i++)
        give_back(&wait->slots[i], work);
    return result;
}

static void begin_wait(void *data, int32_t status)
{
    struct ocl_semaphore_wait *wait = data;
    struct work work = {NULL, NULL, NULL};
    if (status < 0) {
        vkb_event_set_user(wait->granted, status);
        wait_end(wait, false, &work);
    } else {
        go_on(wait, &work);
    }
    perform(&work);
}

/* The wait as two commands. *begins, after success: what begins it when *ready has ended. */
static enum vkb_result wait_in_turn(struct ocl_command *command, struct ocl_semaphore_wait *wait,
                                    struct vkb_callback **begins, struct vkb_event **ready)
{
    struct vkb_enqueue enqueue;
    enum vkb_result result = vkb_event_create_user(&wait->granted);
    if (result == VKB_SUCCESS && !(*begins = vkb_callback_create(VKB_STEWARD, begin_wait, wait)))
        result = VKB_OUT_OF_HOST_MEMORY;
    if (result == VKB_SUCCESS)
        result = ocl_command_step(command, &enqueue);
    if (result == VKB_SUCCESS)
        result = ocl_command_nothing(command);
    if (result == VKB_SUCCESS) {
        *ready = vkb_event_retain(command->done);
        if (ocl_command_wait_for(command, vkb_event_retain(wait->granted)) != CL_SUCCESS)
            result = VKB_OUT_OF_HOST_MEMORY;
    }
    if (result == VKB_SUCCESS)
        result = ocl_command_step(command, &enqueue);
    return result == VKB_SUCCESS ? vkb_cmd_marker(&enqueue, false) : result;
}

/* Each takes a Vulkan command. */
static enum vkb_result enqueue_shared(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores,
                                      bool signals)
{
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < count && result == VKB_SUCCESS; i++) {
        struct vkb_enqueue enqueue;
        struct vkb_semaphore *shared = ocl_semaphore_shared(semaphores[i]);
        if (!shared)
            continue;
        result = ocl_command_step(command, &enqueue);
        if (result == VKB_SUCCESS)
            result = vkb_cmd_semaphore(&enqueue, shared, signals);
        vkb_semaphore_release(shared);
    }
    return result;
}

static cl_int follow_shared(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++) {
        if (ocl_semaphore_is_shared(semaphores[i]))
            error = ocl_semaphore_follow(command, semaphores[i]);
    }
    return error;
}

static void leave_shared(const struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores,
                         bool signals)
{
    for (cl_uint i = 0; i < count; i++) {
        if (ocl_semaphore_is_shared(semaphores[i]))
            ocl_semaphore_leave(semaphores[i], signals, command->done);
    }
}

cl_int ocl_semaphores_wait(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores)
{
    struct work work = {NULL, NULL, NULL};
    struct vkb_callback *begins = NULL;
    struct vkb_event *ready = NULL;
    struct ocl_semaphore_wait *wait = wait_create(count, semaphores);
    cl_int error = wait ? follow_shared(command, count, semaphores) : CL_OUT_OF_HOST_MEMORY;
    enum vkb_result result = VKB_SUCCESS;
    command->want_event = true;
    if (error == CL_SUCCESS && wait->count) {
        result = wait_behind(command, wait, &work);
        if (result == VKB_UNSUPPORTED)
            result = wait_in_turn(command, wait, &begins, &ready);
    }
    if (error == CL_SUCCESS && result == VKB_SUCCESS)
        result = enqueue_shared(command, count, semaphores, false);
    bool done = error == CL_SUCCESS && result == VKB_SUCCESS;
    if (done)
        leave_shared(command, count, semaphores, false);
    if (done && ready) { /* from here on the wait is the steward's */
        vkb_event_tell(ready, VKB_COMPLETE, begins);
    } else if (wait) {
        int32_t status;
        bool failed = done && vkb_event_has_ended(command->done, &status) && status < 0;
        vkb_callback_destroy(begins);
        wait_end(wait, done && !failed, &work);
    }
    vkb_event_release(ready);
    perform(&work);
    return error == CL_SUCCESS ? ocl_command_end(command, result, false) : ocl_command_fail(command, error);
}

/* ---- enqueueing a signal ---- */

static struct ocl_semaphore_signal *signal_create(cl_semaphore_khr semaphore)
{
    struct ocl_semaphore_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return NULL;
    *signal = (struct ocl_semaphore_signal){.semaphore = semaphore, .refs = 1};
    /* Once the command is enqueued, nothing may fail. */
    signal->told = vkb_callback_create(VKB_STEWARD, signal_ended, signal);
    if (signal->told)
        return signal;
    free(signal);
    return NULL;
}

/* One for each semaphore within the process, linked by next_work. */
static cl_int create_signals(cl_uint count, const cl_semaphore_khr *semaphores, struct work *work)
{
    for (cl_uint i = 0; i < count; i++) {
        if (ocl_semaphore_is_shared(semaphores[i]))
            continue;
        struct ocl_semaphore_signal *signal = signal_create(semaphores[i]);
        if (!signal)
            return CL_OUT_OF_HOST_MEMORY;
        signal->next_work = work->dropped;
        work->dropped = signal;
    }
    return CL_SUCCESS;
}

cl_int ocl_semaphores_signal(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores)
{
    struct work work = {NULL, NULL, NULL}, made = {NULL, NULL, NULL};
    enum vkb_result result = VKB_SUCCESS;
    cl_int error = create_signals(count, semaphores, &made);
    command->want_event = true;
    if (error == CL_SUCCESS)
        error = follow_shared(command, count, semaphores);
    if (error == CL_SUCCESS)
        result = enqueue_shared(command, count, semaphores, true);
    if (error == CL_SUCCESS && result == VKB_SUCCESS && !command->done)
        result = ocl_command_nothing(command);
    bool done = error == CL_SUCCESS && result == VKB_SUCCESS;
    if (done)
        leave_shared(command, count, semaphores, true);
    while (done && made.dropped) {
        struct ocl_semaphore_signal *signal = made.dropped;
        made.dropped = signal->next_work;
        signal->event = vkb_event_retain(command->done);
        ocl_lock(&signal->semaphore->mutex);
        list_signal(signal->semaphore, signal);
        settle(signal->semaphore, &work);
        ocl_unlock(&signal->semaphore->mutex);
    }
    perform(&made);
    perform(&work);
    return error == CL_SUCCESS ? ocl_command_end(command, result, false) : ocl_command_fail(command, error);
}
