/* What the device does with an object before the first command that uses it (first_use.c), and what it is filled with
 * then (contents.c). */
#ifndef VK_MEMORY_FIRST_USE_H
#define VK_MEMORY_FIRST_USE_H

#include "vk/device/device.h"
#include "vk/memory/images.h"

enum first_state {
    FIRST_OVER,
    FIRST_WAITS,     /* for the first command that uses the object */
    FIRST_SUBMITTED, /* and perhaps over */
};

/* Part of an image, or of a buffer. The device's lock of first uses guards it, but the state may be read without it, and
 * who has the only reference to the object needs none. */
struct first_use {
    atomic_int state;
    struct vulkan_queue *queue;    /* where it was submitted last, or NULL, */
    uint64_t value;                /* and what that queue signals behind it */
    struct vkb_contents *contents; /* FIRST_WAITS: what the object is filled with, or NULL */
    struct first_use *next;        /* in a first_batch */
};

static inline bool vkb_first_is_over(const struct first_use *first)
{
    return atomic_load_explicit(&first->state, memory_order_acquire) == FIRST_OVER;
}

struct first_uses;
/* NULL: out of memory. */
struct first_uses *vkb_first_uses_create(void);

/* The first uses that go to a VkQueue together. */
struct first_batch {
    struct vkb_device *device;
    struct vulkan_queue *queue;
    struct first_use *list; /* what is recorded */
    struct first_slot *slot;
    uint64_t value;
    VkTimelineSemaphoreSubmitInfo timeline;
    VkSubmitInfo info;
};

/* What is to be done about an object by the batch that uses it. */
struct first_duty {
    VkSemaphore semaphore; /* to be waited for, or NULL */
    uint64_t value;
    struct vkb_contents *contents; /* a reference to keep until the batch has ended, or NULL */
};

/* Takes the device's lock of first uses, which vkb_first_end() gives back. */
void vkb_first_begin(struct vkb_device *device, struct vulkan_queue *queue, struct first_batch *batch);
/* Records what the object still needs. An image is no view. */
enum vkb_result vkb_first_add_image(struct first_batch *batch, struct vkb_image *image, struct first_duty *duty);
enum vkb_result vkb_first_add_buffer(struct first_batch *batch, struct vkb_buffer *buffer, struct first_duty *duty);
/* Ends the recording: batch->info is to be submitted to batch->queue, before all else that uses the objects. False:
 * there is nothing to submit, or it failed, as *result says. */
bool vkb_first_close(struct first_batch *batch, enum vkb_result *result);
/* Submits it alone. */
enum vkb_result vkb_first_submit(struct first_batch *batch);
/* submitted: batch->info was. */
void vkb_first_end(struct first_batch *batch, bool submitted);

/* Has an image without contents ready for whatever queue, and waits until it is. */
enum vkb_result vkb_first_settle(struct vkb_image *image);
/* Waits until the device does nothing with the object on its own: before it is destroyed. */
void vkb_first_finish(struct vkb_device *device, struct first_use *first);

/* ---- contents.c ---- */

struct vkb_contents {
    atomic_uint refs;
    struct vkb_buffer *buffer;
    uint64_t counted; /* bytes of memory->contents */
    struct vkb_contents *next;
};

/* Releases all of a list. */
void vkb_contents_release_all(struct vkb_contents *list);
/* Nobody has the image any more, but it is kept: it is not to be filled. */
void vkb_contents_forget(struct vkb_image *image);

#endif
