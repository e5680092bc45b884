/* Queues (queue.c). */
#ifndef VK_QUEUE_H
#define VK_QUEUE_H

#include "vk/hazard.h"
#include "vk/memory.h"

struct vkb_queue {
    atomic_uint refs;  /* the application's */
    atomic_uint holds; /* of events, of tasks, and one while refs > 0 */
    struct vkb_device *device;
    uint32_t flags;
    struct vulkan_queue *vulkan;
    VkSemaphore timeline;
    struct vkb_queue *next_queue, *prev_queue; /* of the device */

    /* Progress in the background. */
    atomic_ullong interest; /* batches up to this value are retired without anybody asking */
    atomic_uint wait_active, progress_active;

    pthread_mutex_t lock;        /* guards all that follows */
    uint64_t submitted;          /* value of the last submitted batch */
    uint64_t completed;          /* last seen value of the timeline */
    struct batch *open;          /* being recorded, or NULL */
    struct batch *first, **last; /* in flight, oldest first */
    uint32_t num_in_flight;
    struct batch *unused;
    struct staging_chunk *staging[STAGING_KINDS];
    struct hazards hazards;
    bool full_barrier;         /* the next command needs one: something happened outside this queue */
    uint64_t position;         /* of the last recorded command */
    uint64_t barrier_position; /* commands up to here are ordered before whatever is recorded next */
    uint64_t barrier_value;    /* batch of the last explicit barrier */
    struct held *held_first, *held_last;
    bool demand; /* held commands must go on without anybody waiting */
};

/* Submits what must be, and waits until the queue's timeline has reached value (as far as it could be submitted).
 * Called without locks. */
enum vkb_result vkb_queue_wait_value(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns);
void vkb_queue_hold(struct vkb_queue *queue);
void vkb_queue_drop(struct vkb_queue *queue);
/* Somebody wants batches up to value retired in the background. */
void vkb_queue_attend(struct vkb_queue *queue, uint64_t value);
/* Held commands must go on without anybody waiting. */
void vkb_queue_demand(struct vkb_queue *queue);
bool vkb_queue_is_oldest(struct vkb_queue *queue, uint64_t value);
/* Has a pool thread make progress with held commands. */
void vkb_queue_kick(struct vkb_queue *queue);

#endif
