/* Waiting for a queue's timeline (wait.c). All are called without locks. */
#ifndef VK_QUEUE_WAIT_H
#define VK_QUEUE_WAIT_H

#include "vk/queue/queue.h"

enum wait_kind {
    WAIT_FOR_ALL,      /* until all work up to the value has ended, */
    WAIT_FOR_COMMANDS, /* or until the queue is terminated, */
    WAIT_BACKGROUND,   /* or until the process exits */
};

/* Looks again and again, but not for long. True: the timeline has reached the value. */
bool vkb_wait_spin(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns);
/* Blocks until the timeline has reached the value: VKB_SUCCESS, VKB_TIMEOUT, VKB_DEVICE_LOST, or VKB_WAIT_FAILED where
 * the queue was terminated. A wait that fails for want of memory is tried again, since the caller goes on to use what
 * the GPU must no longer use. */
enum vkb_result vkb_wait_timeline(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns, enum wait_kind kind);
/* Takes in how long a batch of small transfers has taken that had nothing of this process before it. */
void vkb_wait_note_turn(struct vkb_device *device, uint64_t took_ns);

#endif
