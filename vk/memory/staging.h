/* Mapped memory for transfers, which those who use it take and give back (staging.c). */
#ifndef VK_MEMORY_STAGING_H
#define VK_MEMORY_STAGING_H

#include "vk/device/backend.h"
#include "vk/memory/buffers.h"

enum staging_kind { STAGING_UPLOAD, STAGING_DOWNLOAD };
enum { STAGING_KINDS = 2, STAGING_CHUNK = 1 << 20, STAGING_LARGEST = STAGING_CHUNK / 4 };
/* Bytes of a slot. Parts that are smaller have smaller ones, a quarter or a sixteenth of that: drivers take 0.3 ms for
 * each MiB of such memory. */
enum { TRANSFER_SLOT = 8 << 20, SLOT_SIZES = 3, SLOTS_KEPT = 6 };

/* A mapped buffer that is handed out from its start to its end. Batches that use it hold references; with the last one
 * the chunk returns to the device. */
struct staging_chunk {
    atomic_uint refs;
    struct vkb_buffer *buffer;
    enum staging_kind kind;
    uint64_t used;
    struct staging_chunk *next;
};

struct staging {
    pthread_mutex_t lock; /* guards what follows */
    struct staging_chunk *unused[STAGING_KINDS];
    uint32_t num_unused[STAGING_KINDS];
    struct vkb_buffer *slots[SLOT_SIZES][SLOTS_KEPT]; /* for large transfers, the small ones first */
    uint32_t num_slots[SLOT_SIZES];
};

/* An empty chunk with one reference. */
enum vkb_result vkb_staging_chunk_get(struct vkb_device *device, enum staging_kind kind, struct staging_chunk **chunk);
void vkb_staging_chunk_release(struct vkb_device *device, struct staging_chunk *chunk);
/* A slot for parts of so many bytes, at most TRANSFER_SLOT. */
enum vkb_result vkb_staging_slot(struct vkb_device *device, uint64_t size, struct vkb_buffer **slot);
void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot);

void vkb_staging_trim(struct vkb_device *device); /* frees what nothing uses */

#endif
