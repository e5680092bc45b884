/* Mapped memory on the way between host and device.
 *
 * Small needs (staged writes and reads, spilled argument blocks, patterns) are cut one after the other from a queue's
 * current chunk. Every batch that uses the chunk holds a reference, and with the last one the chunk goes back to the
 * device's list. Uploads use the device's own mapped memory where there is some. Downloads use cached host memory,
 * because reading anything else over the bus is a hundred times slower. Large transfers take whole slots. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/staging.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS_KEPT = 16 };

static struct staging_chunk *take_unused(struct staging *staging, enum staging_kind kind)
{
    pthread_mutex_lock(&staging->lock);
    struct staging_chunk *chunk = staging->unused[kind];
    if (chunk) {
        staging->unused[kind] = chunk->next;
        staging->num_unused[kind]--;
    }
    pthread_mutex_unlock(&staging->lock);
    return chunk;
}

enum vkb_result vkb_staging_chunk_get(struct vkb_device *device, enum staging_kind kind, struct staging_chunk **out)
{
    struct staging_chunk *chunk = take_unused(device->staging, kind);
    if (!chunk) {
        chunk = calloc(1, sizeof(*chunk));
        if (!chunk)
            return VKB_OUT_OF_HOST_MEMORY;
        chunk->kind = kind;
        enum vkb_result result = vkb_buffer_create_now(
            device, STAGING_CHUNK, kind == STAGING_UPLOAD ? VKB_MEMORY_UPLOAD : VKB_MEMORY_HOST, &chunk->buffer);
        if (result != VKB_SUCCESS) {
            free(chunk);
            return result;
        }
    }
    chunk->used = 0;
    atomic_store(&chunk->refs, 1);
    *out = chunk;
    return VKB_SUCCESS;
}

void vkb_staging_chunk_release(struct vkb_device *device, struct staging_chunk *chunk)
{
    if (!chunk || atomic_fetch_sub(&chunk->refs, 1) != 1)
        return;
    struct staging *staging = device->staging;
    pthread_mutex_lock(&staging->lock);
    bool keep = staging->num_unused[chunk->kind] < CHUNKS_KEPT;
    if (keep) {
        chunk->next = staging->unused[chunk->kind];
        staging->unused[chunk->kind] = chunk;
        staging->num_unused[chunk->kind]++;
    }
    pthread_mutex_unlock(&staging->lock);
    if (!keep) {
        vkb_buffer_release(chunk->buffer);
        free(chunk);
    }
}

void vkb_staging_trim(struct vkb_device *device)
{
    struct staging *staging = device->staging;
    struct staging_chunk *chunks[STAGING_KINDS];
    struct vkb_buffer *slots[ARRAY_LENGTH(staging->slots)];
    pthread_mutex_lock(&staging->lock);
    for (int i = 0; i < STAGING_KINDS; i++) {
        chunks[i] = staging->unused[i];
        staging->unused[i] = NULL;
        staging->num_unused[i] = 0;
    }
    uint32_t num_slots = staging->num_slots;
    memcpy(slots, staging->slots, sizeof(slots));
    staging->num_slots = 0;
    pthread_mutex_unlock(&staging->lock);
    for (int i = 0; i < STAGING_KINDS; i++) {
        for (struct staging_chunk *chunk = chunks[i], *next; chunk; chunk = next) {
            next = chunk->next;
            vkb_buffer_release(chunk->buffer);
            free(chunk);
        }
    }
    for (uint32_t i = 0; i < num_slots; i++)
        vkb_buffer_release(slots[i]);
}

enum vkb_result vkb_staging_slot(struct vkb_device *device, struct vkb_buffer **slot)
{
    struct staging *staging = device->staging;
    pthread_mutex_lock(&staging->lock);
    *slot = staging->num_slots ? staging->slots[--staging->num_slots] : NULL;
    pthread_mutex_unlock(&staging->lock);
    return *slot ? VKB_SUCCESS : vkb_buffer_create_now(device, TRANSFER_SLOT, VKB_MEMORY_HOST, slot);
}

void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot)
{
    struct staging *staging = device->staging;
    pthread_mutex_lock(&staging->lock);
    bool keep = staging->num_slots < ARRAY_LENGTH(staging->slots);
    if (keep)
        staging->slots[staging->num_slots++] = slot;
    pthread_mutex_unlock(&staging->lock);
    if (!keep)
        vkb_buffer_release(slot);
}
