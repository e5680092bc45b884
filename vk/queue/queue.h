/* Queues (queue.c). */
#ifndef VK_QUEUE_H
#define VK_QUEUE_H

#include "vk/device/device.h"
#include "vk/memory/staging.h"
#include "vk/queue/hazard.h"
#include "vk/queue/queues.h"

enum { QUEUE_KICKS = 4, HASTY = 2 };

/* One of the tasks that go on with a queue's held commands. */
struct queue_kick {
    struct pool_task task;
    struct vkb_queue *queue;
    unsigned bit; /* in kicks_busy */
};

struct vkb_queue {
    atomic_uint refs;    /* the application's */
    atomic_uint keepers; /* events, tasks, and one more while refs > 0 */
    struct vkb_device *device;
    uint32_t flags;
    struct vulkan_queue *vulkan;
    VkSemaphore timeline;
    struct trace_track *track;                 /* where the process is traced; else NULL */
    struct vkb_queue *next_queue, *prev_queue; /* of the device */

    /* What lane.c does with a queue of the application's. */
    pthread_mutex_t
        route_lock; /* guards the two below, and that commands come in one order; outside of all queues' locks */
    struct vkb_queue *lanes[NUM_LANES];
    struct vkb_event *lane_events[NUM_LANES]; /* of the last command on each that later ones may have to wait for */

    atomic_ullong last_value; /* submitted, for threads without the lock */

    /* Progress in the background. */
    atomic_ullong interest; /* batches up to this value are retired in the background */
    atomic_uint wait_active, progress_wanted;
    atomic_bool has_failed; /* held commands among whose waits one has ended in error */
    atomic_uint kicks_busy; /* which of kicks are posted or run */
    struct pool_task attend_task, due_task, end_task, ahead_task;
    struct queue_kick kicks[QUEUE_KICKS];
    atomic_uint dropping;  /* threads that drop what finished batches used; rises with the lock held */
    atomic_bool drained;   /* all its work had ended when the process's exit began */
    atomic_int terminated; /* 0, or the status of all its commands since vkb_queue_stop(); set with the lock held */

    pthread_mutex_t unused_lock; /* guards unused; the innermost lock */
    struct batch *unused;

    pthread_mutex_t lock;        /* guards all that follows; given back with vkb_queue_unlock() */
    struct batch *done;          /* finished, with references that are dropped when the lock is open */
    struct held *ended;          /* likewise */
    enum vkb_result failure;     /* of the first failed submission that vkb_queue_wait() has not told yet */
    uint64_t submitted;          /* value of the last submitted batch */
    uint64_t completed;          /* last seen value of the timeline */
    struct batch *open;          /* being recorded, or NULL */
    struct batch *ready;         /* what open will be next, or NULL */
    struct batch *first, **last; /* in flight, oldest first */
    uint32_t num_in_flight;
    struct staging_chunk *staging[STAGING_KINDS];
    struct hazards hazards;
    bool full_barrier;         /* the next command needs one: something happened outside this queue */
    uint64_t position;         /* of the last recorded command */
    uint64_t barrier_position; /* commands up to here are ordered before whatever is recorded next */
    uint64_t barrier_value;    /* batch of the last explicit barrier */
    struct held *held_first, *held_last;
    struct held *held_barrier; /* the last of those that are barriers, or NULL */
    bool demand;               /* held commands must go on without a thread that waits */
    bool ready_since;          /* out-of-order: since that was asked for, work of the host came that may begin */
    bool is_asked;             /* the open batch was to be submitted, and is as soon as no more than one runs */
    bool looked_after;         /* due_task is posted or runs */
    bool rested;               /* a thread waited until all work had ended, and no kernel came since */
    unsigned hasty;            /* how often in a row submitting early gained nothing; at most HASTY */
    uint64_t prompt_ns;        /* host time of that: of a prompt submission, or since when a pool thread may do it. It
                                  lasts until the program asks for one; else 0 */
    uint64_t open_ns;          /* of a hasty queue: since when the open batch has a kernel; else 0 */
    uint64_t submit_ns;        /* host time of the last submission */
    uint64_t retired_ns;       /* where there is a watchdog: host time when the last batch was seen to have ended */
};

/* Opens the lock, and then drops what finished work used, which may free device memory. The caller has a reference or
 * keeps the queue. */
void vkb_queue_unlock(struct vkb_queue *queue);
/* The same, but leaves ended commands to other threads: dropping them may run the application's code. Returns whether
 * there was something to drop. */
bool vkb_queue_unlock_batches(struct vkb_queue *queue);
/* For a new queue: has a pool thread make what the first launch needs, if this is the device's first (ahead.c). */
void vkb_queue_make_ahead(struct vkb_queue *queue);
void vkb_ahead_task(void *queue);
/* Whether its commands have timestamps around them: it profiles, or the process is traced. */
bool vkb_queue_takes_times(const struct vkb_queue *queue);
/* Called without locks when the queue is too far ahead of the GPU: waits until some of the work is done. */
void vkb_queue_throttle(struct vkb_queue *queue);
/* Whether its Vulkan queue knows no shaders. What recordings are made with has none. */
static inline bool vkb_queue_only_copies(const struct vkb_queue *queue)
{
    return queue->vulkan && queue->vulkan->family != queue->device->family;
}
/* vkb_queue_flush() without the queue's lanes: for threads that may have some queue's route_lock. */
enum vkb_result vkb_queue_flush_here(struct vkb_queue *queue);
/* As vkb_queue_flush(), vkb_queue_wait() and vkb_queue_drain(), for the queue's lanes (lane.c). Called without locks.
 */
enum vkb_result vkb_lanes_flush(struct vkb_queue *queue);
enum vkb_result vkb_lanes_wait(struct vkb_queue *queue);
enum vkb_result vkb_lanes_drain(struct vkb_queue *queue);
bool vkb_lanes_are_idle(struct vkb_queue *queue);
/* Lets go of them; nobody enqueues any more. */
void vkb_lanes_release(struct vkb_queue *queue);
/* At exit, while other threads still work: submits what nobody has flushed, and the held commands that wait for it. */
void vkb_queue_submit_last(struct vkb_queue *queue, uint64_t deadline_ns);
/* Waits for what was submitted, and ends its events. */
void vkb_queue_exit(struct vkb_queue *queue, uint64_t deadline_ns);
/* Submits what must be submitted for that, and waits until the queue's timeline has reached value (or what could be
 * submitted of it). Called without locks. */
enum vkb_result vkb_queue_wait_value(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns);
/* Waits until the queue's timeline has reached value, which was submitted, and does nothing else. Called without locks.
 */
enum vkb_result vkb_queue_await(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns);
/* For pool threads: waits until the timeline has reached value, or the process exits (VKB_TIMEOUT). */
enum vkb_result vkb_queue_await_behind(struct vkb_queue *queue, uint64_t value);
/* vkb_queue_terminate() without the queue's lanes, which has been stopped. */
void vkb_queue_terminate_here(struct vkb_queue *queue, int32_t status);
void vkb_queue_keep(struct vkb_queue *queue);
void vkb_queue_drop(struct vkb_queue *queue);
/* Until the second call, the calling thread destroys no queue but leaves that to the pool, since destroying one may
 * wait for the GPU. For threads that drop what they find while they have some queue's lock. */
void vkb_queue_defer_ends(bool defer);
/* Asks for batches up to value to be retired in the background. */
void vkb_queue_attend(struct vkb_queue *queue, uint64_t value);
/* Asks for held commands to go on without a thread that waits. */
void vkb_queue_demand(struct vkb_queue *queue);
bool vkb_queue_is_oldest(struct vkb_queue *queue, uint64_t value);
/* Submits the open batch because the program asks for it, with the lock held (due.c). */
enum vkb_result vkb_queue_submit_asked(struct vkb_queue *queue);
/* Has a pool thread make progress with held commands. */
void vkb_queue_kick(struct vkb_queue *queue);

#endif
