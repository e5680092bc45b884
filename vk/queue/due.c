/* When recorded commands are submitted before the program asks for it.
 *
 * Early while the GPU has nothing to do, late while it is busy: each submission takes it 10 us. The first kernel after
 * the program has waited for the queue, or left it alone for a while, is submitted at once: it may be the only one, and
 * the program may do something else before it asks for the result. So is a long copy while there is nothing to do.
 *
 * Kernels that are too few for a batch are looked after by a pool thread. It waits until the GPU has done all that it
 * was given, and then submits what has been recorded meanwhile. It goes on until nothing is left, so a row of launches
 * wakes one thread once.
 *
 * A program that asks for a submission after each kernel gets the first two at once. While two are under way, it gets no
 * third: what it adds until one of them has ended is submitted together then. The other one keeps the GPU busy
 * meanwhile.
 *
 * A program that regularly asks right after it has added a few more commands would lose by that, since what was
 * submitted too early is a submission more: vkb_queue_submit_asked() learns which kind it is. Kernels of such a hasty
 * queue are submitted when they have lain there for a while. */
#include "vk/queue/due.h"

#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/queue.h"
#include "vk/queue/rect.h"

#include <unistd.h>

/* Bytes of a copy that keep the GPU busy for longer than a submission takes. */
#define LONG_COPY ((uint64_t)4 << 20)

/* After so much time without a submission the program is not in the middle of a row of commands. */
#define PAUSE_NS 100000u

/* Two submissions that are closer together than this could as well have been one. */
#define HASTE_NS 30000u

/* For so long a pool thread stays with a hasty queue that has nothing to do: it would be woken for each launch. */
#define LINGER_NS 1000000u

static bool is_work(const struct command *command)
{
    return command->kind == COMMAND_DISPATCH || command->kind == COMMAND_REPLAY;
}

/* ---- by a pool thread ---- */

static bool has_work(const struct vkb_queue *queue)
{
    return queue->open && queue->open->has_work;
}

/* Since when what lies there may be submitted. */
static uint64_t due_ns(const struct vkb_queue *queue)
{
    return queue->hasty >= HASTY ? queue->open_ns + PAUSE_NS : queue->submit_ns + HASTE_NS;
}

/* One look at the queue. Returns the value of its timeline to wait for next, or 0: then after how many ns to look
 * again, or 0, and the task ends. seen: the value of the last look. */
static uint64_t look(struct vkb_queue *queue, uint64_t *seen, uint64_t *wait_ns)
{
    *wait_ns = 0;
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    if (queue->is_asked && queue->num_in_flight <= 1) {
        vkb_batch_submit(queue); /* if this fails, it ends the batch's events with an error */
    } else if (!queue->first && has_work(queue)) {
        uint64_t now = time_ns(), due = due_ns(queue);
        if (now < due)
            *wait_ns = due - now;
        else
            vkb_batch_submit(queue);
    } else if (!queue->first && queue->hasty >= HASTY && queue->submitted != *seen) {
        *wait_ns = LINGER_NS;
    }
    *seen = queue->submitted;
    uint64_t value = !queue->first ? 0 : queue->is_asked ? queue->first->value : queue->submitted;
    queue->looked_after = value || *wait_ns;
    vkb_queue_unlock(queue);
    return value;
}

void vkb_due_task(void *data)
{
    struct vkb_queue *queue = data;
    uint64_t value, wait_ns, seen = 0;
    while ((value = look(queue, &seen, &wait_ns)) || wait_ns) {
        if (wait_ns)
            usleep((useconds_t)(wait_ns / 1000) + 1);
        else if (vkb_queue_await_behind(queue, value) == VKB_TIMEOUT)
            break; /* the process exits */
    }
    vkb_queue_drop(queue);
}

static void look_after(struct vkb_queue *queue)
{
    if (queue->looked_after)
        return;
    queue->looked_after = true;
    vkb_queue_keep(queue);
    vkb_pool_run(&queue->due_task);
}

/* ---- by the program's own thread ---- */

/* Whether the kernel, the first of its batch, is to be submitted at once. Else a pool thread looks after it. A device's
 * first one is in any case: the program's own thread cannot call exit() meanwhile, and the driver or a layer may make
 * static objects then that an exit handler of theirs destroys before ours has run (vk/device/instance.c). */
static bool is_prompt(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    vkb_batch_retire(queue);
    uint64_t now = time_ns();
    bool hasty = queue->hasty >= HASTY, rests = queue->rested || now - queue->submit_ns >= PAUSE_NS;
    bool due = !hasty && !queue->first && rests && (device->prompt || !atomic_load(&device->has_worked));
    if (hasty)
        queue->open_ns = now;
    else if (due || !queue->prompt_ns)
        queue->prompt_ns = now;
    if (!due)
        look_after(queue);
    return due;
}

void vkb_submit_if_due(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    bool due = batch->num_commands >= BATCH_COMMANDS;
    due |= command->kind == COMMAND_COPY && !queue->first && vkb_rect_total(&command->rect) >= LONG_COPY;
    if (is_work(command) && !batch->has_work) {
        batch->has_work = true;
        due = due || is_prompt(queue);
    }
    if (!due && batch->num_commands >= BATCH_EAGER)
        due = queue->num_in_flight <= 1;
    if (!due && batch->num_commands % BATCH_IDLE == 0) {
        vkb_batch_retire(queue);
        due = !queue->first;
    }
    if (is_work(command))
        queue->rested = false;
    /* If this fails, it ends the batch's events with an error. */
    if (due && queue->open == batch)
        vkb_batch_submit(queue);
}

enum vkb_result vkb_queue_submit_asked(struct vkb_queue *queue)
{
    if (queue->open && queue->open->num_commands) {
        uint64_t now = time_ns();
        if (queue->prompt_ns)
            queue->hasty = now >= queue->prompt_ns + HASTE_NS ? 0 : queue->hasty < HASTY ? queue->hasty + 1 : HASTY;
        else if (queue->open_ns && now >= queue->open_ns + HASTE_NS)
            queue->hasty = 0; /* kernels lay there while the program did something else */
    }
    queue->prompt_ns = 0;
    return vkb_batch_submit(queue);
}

bool vkb_submit_may_wait(struct vkb_queue *queue)
{
    const struct batch *batch = queue->open;
    if (!queue->device->prompt || vkb_device_lost(queue->device) || !batch || !batch->has_work || batch->signal ||
        batch->num_waits || batch->num_copies || batch->has_lent)
        return false;
    vkb_batch_retire(queue);
    if (queue->num_in_flight < 2 || queue->open != batch)
        return false;
    queue->is_asked = true;
    look_after(queue);
    return true;
}
