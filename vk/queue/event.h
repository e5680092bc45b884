/* Events and what waits for them (event.c). */
#ifndef VK_EVENT_H
#define VK_EVENT_H

#include "vk/device/backend.h"
#include "vk/queue/events.h"

enum event_state { EVENT_HELD, EVENT_RECORDED, EVENT_SUBMITTED, EVENT_DONE };

struct vkb_callback {
    int32_t status;
    void *notice;
    struct vkb_callback *next;
};

/* Tells a held command when an event reaches a state. Part of the held command. */
struct link {
    struct held *held;
    enum event_state level;
    struct link *next, **at; /* in the event's list, or at NULL */
};

struct vkb_event {
    atomic_uint refs;
    atomic_int state;
    int32_t status;          /* 0 or an error once DONE */
    struct vkb_queue *queue; /* kept alive; NULL for user events */
    uint64_t value;          /* the batch that it is in; set before state becomes RECORDED */
    uint64_t position;       /* among the queue's commands, likewise */
    bool past;               /* vkb_event_create_past() */
    bool leads;              /* the first of its batch, whose state RUNNING is */
    bool host_part;          /* its batch's end is followed by a copy on the host */
    bool after_failure;      /* as its command: vkb_queue_terminate() lets it tell when the work has really ended */
    atomic_bool host_works; /* on its command, or on one in front of it: vkb_queue_terminate() lets it end after that */
    uint32_t query;         /* of its first timestamp, or NO_QUERY */
    struct vkb_profile profile;
    pthread_mutex_t lock; /* guards what follows, and the changes of state */
    pthread_cond_t changed;
    uint32_t waiters;
    struct vkb_callback *callbacks;
    struct link *links;
};

#define NO_QUERY UINT32_MAX

/* Whether it is of another device's queue: its semaphore means nothing to this one, and the host waits in between. */
bool vkb_event_is_far(const struct vkb_event *event, const struct vkb_queue *queue);
/* Whether vkb_queue_terminate() has ended it in another queue of the device, whose GPU work may go on. */
bool vkb_event_was_cut(const struct vkb_event *event, const struct vkb_queue *queue);
enum vkb_result vkb_event_create(struct vkb_queue *queue, struct vkb_event **event);
/* Moves the event to RECORDED or SUBMITTED. */
void vkb_event_advance(struct vkb_event *event, enum event_state state);
void vkb_event_complete(struct vkb_event *event, int32_t status);
/* True: link will fire when the event reaches the level; false: it has already. */
bool vkb_event_link(struct vkb_event *event, struct link *link);
/* True: link will not fire any more; false: it has, or is about to. */
bool vkb_event_unlink(struct vkb_event *event, struct link *link);

#endif
