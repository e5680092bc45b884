/* Parts of staging memory for a batch (slice.c). */
#ifndef VK_QUEUE_SLICE_H
#define VK_QUEUE_SLICE_H

#include "vk/memory/staging.h"

struct batch;
struct vkb_queue;

/* Mapped memory that lives as long as the batch it was taken for. */
struct staging_slice {
    struct vkb_buffer *buffer;
    uint64_t offset;
    char *map;
    uint64_t address;
};

/* Takes a slice of size bytes for the batch. Called with the queue's lock. */
enum vkb_result vkb_slice_take(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                               struct staging_slice *slice);

#endif
