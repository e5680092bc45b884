/* Buffers (buffer.c). */
#ifndef VK_MEMORY_BUFFER_H
#define VK_MEMORY_BUFFER_H

#include "vk/memory/first_use.h"
#include "vk/memory/memory.h"

struct vkb_buffer {
    atomic_uint refs;
    struct vkb_device *device;
    struct memory_block *block;
    struct span *span; /* NULL: the block is this buffer's own */
    uint64_t offset;   /* in the block */
    uint64_t size, address;
    char *map;
    bool cached;
    bool imported;
    bool pinned;                /* pinned.c knows it */
    struct vkb_buffer *written; /* written.c; NULL: not watched */
    struct vkb_buffer *tracks;  /* likewise: who touched it */
    uint32_t tracks_round;      /* one more than that in which these were last cleared; 0: never */
    struct first_use first;
};

/* The beginning and the end of making one: with one reference and no memory, and, when it has its block and offset,
 * what follows from them. */
struct vkb_buffer *vkb_buffer_new(struct vkb_device *device, uint64_t size);
void vkb_buffer_complete(struct vkb_buffer *buffer);

/* vkb_buffer_create() for callers that have a queue's lock: it does not wait. */
enum vkb_result vkb_buffer_create_now(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                      struct vkb_buffer **buffer);

#endif
