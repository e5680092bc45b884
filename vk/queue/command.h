/* Commands on their way into a queue: enqueued (enqueue.c), perhaps held back first (held.c). */
#ifndef VK_COMMAND_H
#define VK_COMMAND_H

#include "vk/queue/event.h"
#include "vk/queue/queues.h"

enum command_kind {
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_DISPATCH,
    COMMAND_MARKER,
    COMMAND_WRITE,
    COMMAND_READ,
    COMMAND_IMAGE,
    COMMAND_SEMAPHORE,
    COMMAND_OWNERSHIP,
    COMMAND_FIRST_USE,
    COMMAND_REPLAY,
    COMMAND_HOST
};

struct command {
    enum command_kind kind;
    bool all;                        /* MARKER: waits for all before it */
    bool barrier;                    /* MARKER: later commands of an out-of-order queue wait for it */
    bool data_stays_valid;           /* WRITE */
    bool signals;                    /* SEMAPHORE: else it waits */
    bool acquire;                    /* OWNERSHIP: else it releases */
    struct vkb_semaphore *semaphore; /* SEMAPHORE */
    struct vkb_recording *recording; /* REPLAY */
    struct vkb_buffer *src, *dst;    /* COPY; WRITE has dst only, READ src only, FILL dst only, OWNERSHIP and FIRST_USE
                                        perhaps dst */
    struct vkb_image *src_image,
        *dst_image; /* IMAGE: with src or dst, or both; OWNERSHIP, FIRST_USE: dst_image instead of dst;
                                                READ, WRITE: instead of src and dst, see host_image.c */
    struct vkb_image_region region;
    void *data;                                   /* READ, WRITE: the host's side; HOST: call's argument */
    void (*call)(void *data, bool run);           /* HOST */
    int32_t (*status_call)(void *data, bool run); /* HOST: instead of call */
    struct vkb_rect rect; /* COPY, READ, WRITE (of bytes: one row); FILL uses dst_offset and width */
    uint8_t pattern[128];
    uint32_t pattern_size;
    bool is_part; /* DISPATCH: pace.c submits it and looks at its time */
    struct vkb_dispatch dispatch;
};

/* A command that cannot be given to the GPU yet, or whose work is the host's. */
struct held {
    struct command command; /* keeps references to its objects; the dispatch's arrays follow in the same allocation */
    struct vkb_event *event;
    struct vkb_queue *queue; /* alive through event */
    atomic_uint pending;     /* links that have not fired, and 1 while it is being set up */
    bool host;               /* its work is the host's */
    bool running;
    bool called;        /* HOST: call was made */
    bool goes_on;       /* the last of the waits is the step before */
    bool after_failure; /* it runs though a submission has failed */
    int32_t ended_by;   /* 0, or the status that vkb_queue_terminate() gave it */
    atomic_bool
        failed; /* one of its waits has ended in error; its event does, too, as soon as the queue is looked at */
    bool need_known;
    uint64_t need; /* value of this queue's timeline that the host's work needs */
    void *owned;   /* freed at the end: bytes of a write that were taken early */
    struct held *next, *prev;
    struct held *next_barrier, *prev_barrier; /* MARKER: among the queue's held barriers */
    struct vkb_event *place; /* of a barrier that may fail, or NULL: ends when it leaves the list. What comes behind the
                                barrier waits for that, since a barrier that fails ends before its turn */
    uint32_t num_waits, num_extra; /* what it was told to wait for, and what its place in the queue adds */
    struct vkb_event **waits;      /* kept; first the former */
    struct link *links;
};

/* ---- enqueueing and held commands (enqueue.c, held.c) ---- */

/* What a command must wait for, as seen from its queue. */
struct order {
    bool held;      /* some wait is not expressible yet */
    bool failed;    /* some wait ended with an error */
    bool barrier;   /* something outside hazard tracking comes before it */
    bool unsettled; /* data given by the host may change until a wait is over */
    bool pending;   /* some wait is not over */
    bool foreign; /* ... and is of another queue; or the GPU may still work there on what vkb_queue_terminate() ended */
    uint64_t need; /* value of this queue's timeline that a command of the host needs */
};

/* The status of a command of whose waits some have ended in error. */
int32_t vkb_wait_status(struct vkb_event *const *waits, uint32_t num_waits, bool goes_on);
enum vkb_result vkb_enqueue(const struct vkb_enqueue *enqueue, const struct command *command);
/* Puts it into enqueue->queue itself. Then *too_far says whether vkb_queue_throttle() should be called, without locks.
 */
enum vkb_result vkb_enqueue_here(const struct vkb_enqueue *enqueue, const struct command *command, bool *too_far);
/* The same, or into one of the queue's lanes, *used (lane.c). Called with the queue's route_lock. */
enum vkb_result vkb_lane_enqueue(const struct vkb_enqueue *enqueue, const struct command *command,
                                 struct vkb_queue **used, bool *too_far);
/* vkb_queue_terminate() for the queue's lanes (lane.c). Called without locks. */
void vkb_lanes_terminate(struct vkb_queue *queue, int32_t status);
void vkb_order(struct vkb_queue *queue, struct vkb_event *const *waits, uint32_t num_waits, bool host,
               struct order *order);
/* Called with the queue's lock when a command does not run because one of its waits ended in error: what comes behind
 * it in an in-order queue still waits for what else it was to wait for. */
enum vkb_result vkb_fail(struct vkb_queue *queue, struct vkb_event *const *waits, uint32_t num_waits,
                         const struct order *order);
int32_t vkb_status_of(enum vkb_result result);

/* What a thread that makes progress with held commands may do. */
enum progress {
    PROGRESS_POLL,    /* no work of the host */
    PROGRESS_HELP,    /* transfers: a thread that waits anyway */
    PROGRESS_BACKEND, /* everything */
};
/* Holds a command back. Takes over owned when it succeeds. Called with the queue's lock held. */
enum vkb_result vkb_held_add(struct vkb_queue *queue, const struct command *command, const struct vkb_enqueue *enqueue,
                             void *owned, struct vkb_event *event);
bool vkb_held_blocks(const struct vkb_queue *queue,
                     const struct command *command); /* whether a new command is behind held ones */
/* Whether a held read is to fill some of these bytes. */
bool vkb_held_brings(const struct vkb_queue *queue, const void *data, uint64_t size);
void vkb_queue_progress(struct vkb_queue *queue, enum progress mode);
/* The timeline value that a thread waiting for the event can wait for itself, or 0. */
uint64_t vkb_held_need(struct vkb_queue *queue, struct vkb_event *event);
void vkb_held_fire(struct link *link);
/* Ends held commands with the status; when the host does the work of one just now, that one and what is behind it when
 * that is done. Called with the lock. */
void vkb_held_terminate(struct vkb_queue *queue, int32_t status);
/* Frees ended commands, linked by next. Called without locks. */
void vkb_held_drop(struct held *ended);

#endif
