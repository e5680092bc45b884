/* Queues and their commands as users of the backend see them. */
#ifndef VK_QUEUE_QUEUES_H
#define VK_QUEUE_QUEUES_H

#include "vk/queue/events.h"
#include "vk/shader/shaders.h"

/* The process's instance, made on the first call (and tried once: NULL where there is no Vulkan). Never destroyed
 * before exit. */
struct vkb_instance *vkb_instance_get(void);
enum vkb_result vkb_device_open(struct vkb_device *device); /* idempotent */
/* The device's clock now, in ns, on the timeline of event profiles; and the host's (CLOCK_MONOTONIC) at the same
 * moment. The device is open. */
enum vkb_result vkb_device_time(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns);

struct vkb_queue;

enum {
    VKB_QUEUE_OUT_OF_ORDER = 1,
    VKB_QUEUE_PROFILING = 2,
    VKB_QUEUE_HIGH_PRIORITY = 4,
    VKB_QUEUE_LOW_PRIORITY = 8,
    VKB_QUEUE_EVENTS_ONLY = 16,
    VKB_QUEUE_LANE = 32,       /* the backend's own: lane.c */
    VKB_QUEUE_TERMINABLE = 64, /* vkb_queue_stop() and vkb_queue_terminate() may be called */
    VKB_QUEUE_LANE_DOWN = 128,
    /* For kernels of our own, which end soon: a wait of vkb_device_patience_ns() finds the device stuck. */
    VKB_QUEUE_BOUNDED = 256,
};

enum vkb_result vkb_queue_create(struct vkb_device *device, uint32_t flags, struct vkb_queue **queue);
struct vkb_queue *vkb_queue_retain(struct vkb_queue *queue);
void vkb_queue_release(struct vkb_queue *queue); /* the last release flushes; commands still run to their end */
enum vkb_result vkb_queue_flush(struct vkb_queue *queue); /* submits what was recorded, as far as its waits allow */
/* The same for a program that asks for it; kernels of a busy queue may be submitted later, while others still run. */
enum vkb_result vkb_queue_flush_soon(struct vkb_queue *queue);
enum vkb_result vkb_queue_wait(struct vkb_queue *queue); /* waits until all commands enqueued so far have ended */

/* Ends all commands with the status, and those that come later, too. What the GPU has not been given does not run. What
 * it works on goes on and keeps what it uses until it has ended, but events do not wait for it and nothing of it
 * reaches the host. Only work that the host itself does just now is waited for, by its event and by those of commands
 * behind it. Threads in vkb_event_wait() and vkb_queue_wait() return. Commands with after_failure go on: they tell
 * when the GPU's work has ended. */
void vkb_queue_terminate(struct vkb_queue *queue, int32_t status);
/* Its first half: from here on the queue begins nothing. Commands of several queues wait for each other, so all queues
 * are stopped before the first one is terminated, and no command fails because of what it waited for. Runs nothing of
 * the application's. */
void vkb_queue_stop(struct vkb_queue *queue, int32_t status);
/* Whether all that was enqueued has ended. */
bool vkb_queue_is_idle(struct vkb_queue *queue);
/* Waits until the GPU has ended what it was given, of a queue that was terminated, too. */
enum vkb_result vkb_queue_drain(struct vkb_queue *queue);

/* When a submission fails, its commands never run: their events end with the error, and so do those of commands that
 * are held. The queue remembers the error: vkb_queue_flush() and all commands answer with it until vkb_queue_wait()
 * has done so, too. A queue of VKB_QUEUE_EVENTS_ONLY does not, since its user looks at each command's event. */

/* As if a submission had failed: for users whose commands belong together and of which one could not be enqueued. */
void vkb_queue_fail(struct vkb_queue *queue, enum vkb_result result);

/* Every command: what it waits for and where its event goes. It may wait for events of any queue and for user events. A
 * wait for another queue is a semaphore wait on the GPU. A command behind an unset user event is held back on the host.
 * If one of its waits ends in error, it does not run, and ends with VKB_WAIT_FAILED's status
 * (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14), or with that of the step before.
 *
 * In an in-order queue a command starts after those before it have ended; in an out-of-order queue only waits and
 * markers that are barriers order commands. A command keeps references to all that it uses until it has ended. */
struct vkb_enqueue {
    struct vkb_queue *queue;
    uint32_t num_waits;
    struct vkb_event *const *waits;
    struct vkb_event **event;        /* NULL, or gets a new reference */
    bool goes_on;                    /* a step of more: the last of the waits is the one before, whose error is its own */
    bool after_failure;              /* also where a submission has failed: to learn when what does run has ended */
    bool blocking;                   /* the caller waits for the command as soon as it is enqueued */
    bool unheld;                     /* VKB_UNSUPPORTED, and nothing is enqueued, where the host must act first */
    struct vkb_recording *recording; /* NULL, or what gets the command instead of the queue */
};

/* Commands that are recorded once and run many times (recording.c). A vkb_cmd_* whose enqueue names a recording adds
 * its command there: the queue and the waits count for nothing and no event is given; each command comes after those
 * before it as in an in-order queue. Dispatches, copies and fills of buffers and images, and markers can be recorded;
 * any other command makes the recording unfit, and a host's call is made at once with run false. A recording keeps all
 * that it uses. Until vkb_recording_end() one thread at a time uses it; then it does not change any more. */
enum {
    VKB_RECORDING_COMMANDS = 64
}; /* more should be several recordings: one is submitted as a whole, and work that
      takes a GPU too long at a time makes it count as hung */
enum vkb_result vkb_recording_create(struct vkb_device *device, struct vkb_recording **recording);
/* VKB_UNSUPPORTED: it is unfit, and can only be released. So it can for VKB_TIMEOUT: there is a watchdog, and it may take
 * too long, or nobody knows yet what its kernels take. */
enum vkb_result vkb_recording_end(struct vkb_recording *recording);
/* Whether its kernels have been seen to be too slow for it meanwhile, where there is a watchdog. */
bool vkb_recording_is_long(const struct vkb_recording *recording);
struct vkb_recording *vkb_recording_retain(struct vkb_recording *recording);
void vkb_recording_release(struct vkb_recording *recording); /* NULL is fine */

struct vkb_rect { /* bytes and rows, as clEnqueueCopyBufferRect; pitches are never 0 here */
    uint64_t src_offset, src_row_pitch, src_slice_pitch;
    uint64_t dst_offset, dst_row_pitch, dst_slice_pitch;
    uint64_t width, height, depth; /* width in bytes */
};

enum vkb_result vkb_cmd_copy(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t src_offset,
                             struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size);
enum vkb_result vkb_cmd_copy_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, struct vkb_buffer *dst,
                                  const struct vkb_rect *rect);
/* pattern_size is a power of two up to 128. offset and size are multiples of it, and need no other alignment. */
enum vkb_result vkb_cmd_fill(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                             const void *pattern, uint32_t pattern_size);
/* Whether commands of the queue may still write to these bytes of the host. A write of them must not take them now. */
bool vkb_queue_brings(struct vkb_queue *queue, const void *data, uint64_t size);
/* Host to buffer. If data_stays_valid is false, the bytes are taken before the call returns (a blocking or small write
 * may even be complete then). If it is true, data stays valid until the event completes, and large transfers need not
 * copy twice. */
enum vkb_result vkb_cmd_write(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                              const void *data, bool data_stays_valid);
/* Buffer to host: data is filled when the event completes. */
enum vkb_result vkb_cmd_read(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t offset, uint64_t size,
                             void *data);
/* Rectangles between host memory and a buffer: the host side's offsets are relative to data. */
enum vkb_result vkb_cmd_write_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, const void *data,
                                   const struct vkb_rect *rect, bool data_stays_valid);
enum vkb_result vkb_cmd_read_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, void *data,
                                  const struct vkb_rect *rect);
/* Neither works on a VKB_IMAGE_BUFFER; its buffer can be copied instead. */
enum vkb_result vkb_cmd_buffer_to_image(const struct vkb_enqueue *enqueue, struct vkb_buffer *src,
                                        struct vkb_image *dst, const struct vkb_image_region *region);
enum vkb_result vkb_cmd_image_to_buffer(const struct vkb_enqueue *enqueue, struct vkb_image *src,
                                        struct vkb_buffer *dst, const struct vkb_image_region *region);
/* The same with the host's memory, where vkb_image_host_copies() or vkb_image_host_is_quick(). The region's first texel is at data; its
 * buffer_offset is not regarded. data stays valid until the command has ended. */
enum vkb_result vkb_cmd_read_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, void *data,
                                   const struct vkb_image_region *region);
enum vkb_result vkb_cmd_write_image(const struct vkb_enqueue *enqueue, struct vkb_image *dst, const void *data,
                                    const struct vkb_image_region *region);
/* Of one format, and both 1D (or arrays of that) or neither; within one image the regions do not overlap. */
enum vkb_result vkb_cmd_copy_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, struct vkb_image *dst,
                                   const struct vkb_image_region *region);
/* A command that only waits: for all before it in the queue where num_waits is 0. barrier: later commands of an
 * out-of-order queue wait for it. */
enum vkb_result vkb_cmd_marker(const struct vkb_enqueue *enqueue, bool barrier);
/* Runs all commands of a recording that was ended well, as one command: the recording's waits and hazards are those of
 * all of them together. It may be under way any number of times, in any queues of its device. */
enum vkb_result vkb_cmd_replay(const struct vkb_enqueue *enqueue, struct vkb_recording *recording);
/* Makes the call once, on a backend thread, at its place in the queue; later commands wait for it. If the command ends
 * with an error instead, the call is made too, at its turn or earlier, and run is false: then it only frees data. */
enum vkb_result vkb_cmd_host(const struct vkb_enqueue *enqueue, void (*call)(void *data, bool run), void *data);
/* The same for work that may fail: the event ends with the status that the call returns, 0 or negative. */
enum vkb_result vkb_cmd_host_status(const struct vkb_enqueue *enqueue, int32_t (*call)(void *data, bool run),
                                    void *data);

/* Waits for the semaphore, or signals it when everything before in the queue has ended. Unless it is held, the command
 * is submitted when this returns. Later work on the same hardware queue waits as well. */
enum vkb_result vkb_cmd_semaphore(const struct vkb_enqueue *enqueue, struct vkb_semaphore *semaphore, bool signals);
/* Takes imported memory over from the others that share it (acquire), or gives it back: a buffer or an image. */
enum vkb_result vkb_cmd_ownership(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, struct vkb_image *image,
                                  bool acquire);

/* Does nothing with the buffer or the image, but has it filled with what it was given (vkb_contents_create()). */
enum vkb_result vkb_cmd_first_use(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer,
                                  struct vkb_image *image);

/* Notes that bytes of a buffer that is watched (vkb_buffer_watch()) count as written. */
enum vkb_result vkb_cmd_written(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, uint64_t offset,
                                uint64_t size);

struct vkb_access {
    struct vkb_buffer *buffer;
    bool reads, writes;
    struct vkb_image *image; /* instead of a buffer */
};

/* One dispatch of a (possibly split) grid. */
struct vkb_grid {
    struct vkb_pipeline *pipeline;
    uint32_t groups[3];     /* each >= 1 and within the device's limit */
    uint32_t group_base[3]; /* written to the block at group_base_offset where that is >= 0 */
};

struct vkb_dispatch {
    const char *name; /* for a trace: lives as long as the process; or NULL */
    struct vkb_shader *shader;
    const void
        *block; /* the argument block, copied; the push constants themselves or spilled to memory reached by address */
    uint32_t block_size;
    bool block_in_push_constants;
    int32_t group_base_offset; /* in the block, or -1 */
    const struct vkb_grid *grids;
    uint32_t num_grids;                /* 0: nothing runs, the event completes in its turn */
    const struct vkb_access *accesses; /* buffers and images reached through arguments; kept alive */
    uint32_t num_accesses;
    struct vkb_image *const *images; /* per descriptor of the shader; among accesses too, but for those not touched */
    bool reaches_any;                /* may also reach memory through stored pointers: ordered conservatively */
    bool stays_whole;                /* no grid is submitted in parts: its groups may wait for each other */
};

enum vkb_result vkb_cmd_dispatch(const struct vkb_enqueue *enqueue, const struct vkb_dispatch *dispatch);

#endif
