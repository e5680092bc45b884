/* The host's memory that the device reaches (pinned.c). */
#ifndef VK_MEMORY_PINNED_H
#define VK_MEMORY_PINNED_H

#include "vk/device/backend.h"
#include "vk/memory/buffers.h"

/* The smallest buffer that is remembered, in bytes. */
enum { PINNED_LEAST = 64 << 10 };

/* Buffers in cached host memory, in the order of where the host sees them. They do not overlap. */
struct pinned {
    pthread_mutex_t lock; /* guards what follows */
    struct vkb_buffer **list;
    size_t count, capacity;
};

/* Remembers a buffer that is complete. Where there is no memory for that, its pages are treated as any others. */
void vkb_pinned_add(struct vkb_buffer *buffer);
/* Forgets it: called when its last reference is gone, before its memory is freed. */
void vkb_pinned_remove(struct vkb_buffer *buffer);
/* The buffer that all these bytes of the host lie in, with a reference; or NULL. */
struct vkb_buffer *vkb_pinned_find(struct vkb_device *device, const void *data, uint64_t size);
/* Whether any of the bytes lie in such a buffer. */
bool vkb_pinned_overlaps(struct vkb_device *device, const void *data, uint64_t size);

#endif
