/* Batches: commands that are submitted together, and what they keep alive until they have ended (batch.c). */
#ifndef VK_BATCH_H
#define VK_BATCH_H

#include "vk/device/device.h"
#include "vk/queue/queues.h"

enum {
    BATCH_COMMANDS = 64,
    BATCH_EAGER = 16,
    BATCH_IDLE = 4,
    BATCHES_IN_FLIGHT = 64,
    BATCH_QUERIES = 2 * BATCH_COMMANDS,
    BATCH_LOADS = 16
};

enum ref_kind {
    REF_BUFFER,
    REF_IMAGE,
    REF_SHADER,
    REF_EVENT,
    REF_CHUNK,
    REF_SEMAPHORE,
    REF_DESCRIPTORS,
    REF_RECORDING,
    REF_CONTENTS
};
struct batch_ref {
    enum ref_kind kind;
    void *object;
};

struct batch_wait {
    VkSemaphore semaphore; /* alive through an event, or itself, in refs; or the VkQueue's */
    uint64_t value;        /* of a timeline */
};

/* The host's part of a staged read: done when the batch is retired. */
struct batch_copy {
    void *data;
    const char *staging;
    struct vkb_rect rect; /* the host's side is dst */
};

/* Of a command that is traced (trace.c). */
struct batch_span {
    const char *category, *name; /* live as long as the process */
    uint32_t query;              /* of its first timestamp */
    uint32_t groups[3];          /* of a dispatch */
    uint64_t bytes;              /* of a copy */
    uint64_t arrow;
};

/* How many groups of a pipeline are in a batch. */
struct batch_load {
    struct vkb_pipeline *pipeline; /* alive through its shader, or a recording, in refs */
    uint64_t groups, launches;
};

struct batch {
    struct vkb_device *device;
    uint64_t value;              /* on the queue's timeline */
    struct vulkan_queue *vulkan; /* where it will be submitted; NULL: a recording's, which any queue may run */
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkQueryPool queries; /* only in profiling queues, and in all that are traced */
    /* Where the device writes their results at the batch's end, or NULL: then the driver is asked for them. */
    struct vkb_buffer *results;
    uint32_t num_queries, num_commands;
    VkPipeline pipeline;                /* bound */
    struct descriptor_set *descriptors; /* bound; refs has it */
    bool has_lent;                      /* refs has memory that goes back to its owners at the end */
    bool has_work;                      /* a kernel among its commands */
    bool is_heavy;                      /* or a large transfer */
    bool host_reads;                    /* memory that the host may read was written */
    uint64_t submitted_ns;
    /* What pace.c keeps, where there is a watchdog. */
    uint64_t expected_ps; /* that it takes the device */
    uint64_t paced_ns;    /* host time of its submission */
    struct batch_load loads[BATCH_LOADS];
    uint32_t num_loads;
    struct vkb_event **events;
    struct batch_ref *refs;
    struct batch_wait *waits;
    struct batch_copy *copies;
    struct batch_span *spans;
    VkSemaphore signal; /* NULL, or what is signalled for others at its end */
    uint32_t num_events, num_refs, num_waits, num_copies, num_spans;
    uint32_t cap_events, cap_refs, cap_waits, cap_copies, cap_spans;
    struct batch *next;
};

/* The open batch, opened if there is none. */
enum vkb_result vkb_batch_open(struct vkb_queue *queue, struct batch **batch);
/* Makes so many batches for later, when there is nothing to do. Called without locks. */
void vkb_batch_make_some(struct vkb_queue *queue, uint32_t count);
/* Does while a thread waits for the GPU what opening the next batch would have to do later. */
void vkb_batch_prepare(struct vkb_queue *queue);
/* Ends and submits the open batch, if there is one with commands. */
enum vkb_result vkb_batch_submit(struct vkb_queue *queue);
/* Ends finished batches. */
void vkb_batch_retire(struct vkb_queue *queue);
/* Drops the open batch, and ends the events of those in flight: with the status. What batches in flight use is kept
 * until they have ended, but their reads do not reach the host's memory any more. */
void vkb_batch_terminate(struct vkb_queue *queue, int32_t status);
void vkb_batch_destroy(struct vkb_queue *queue, struct batch *batch);
/* Drops what finished batches, linked by next, kept alive, and makes them usable again. Called without the lock. */
void vkb_batch_recycle(struct vkb_queue *queue, struct batch *batches);
void vkb_batch_drop_refs(struct batch *batch);                                            /* called without the lock */
enum vkb_result vkb_batch_add_ref(struct batch *batch, enum ref_kind kind, void *object); /* takes the reference over */
enum vkb_result vkb_batch_use_buffer(struct batch *batch, struct vkb_buffer *buffer);     /* adds a reference */
enum vkb_result vkb_batch_use_image(struct batch *batch, struct vkb_image *image);
enum vkb_result vkb_batch_add_event(struct batch *batch, struct vkb_event *event);
enum vkb_result vkb_batch_add_wait(struct batch *batch, struct vkb_event *event, uint64_t value);
/* Waits for a value of a timeline that lives as long as the device. */
enum vkb_result vkb_batch_wait_value(struct batch *batch, VkSemaphore semaphore, uint64_t value);
/* Waits for the semaphore before the batch, or signals it after it. */
enum vkb_result vkb_batch_use_semaphore(struct batch *batch, struct vkb_semaphore *semaphore, bool signals);
enum vkb_result vkb_batch_add_copy(struct batch *batch, const struct batch_copy *copy);
struct first_batch;
/* Before a batch is submitted: records what must come before it because it is the first to use an object, and has the
 * batch wait for what other queues do about that (first_uses.c). True: first->info is to be submitted in front of the
 * batch, and vkb_first_end() to be called. *result: a failure; then it is false. */
bool vkb_batch_first_uses(struct batch *batch, struct first_batch *first, enum vkb_result *result);
/* Whether the bytes at data will be written by a read's host part that has not run yet. */
bool vkb_batch_pending_copy(const struct vkb_queue *queue, const void *data, uint64_t size);

#endif
