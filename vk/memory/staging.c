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
    struct vkb_buffer *slots[SLOT_SIZES * SLOTS_KEPT];
    uint32_t num_slots = 0;
    pthread_mutex_lock(&staging->lock);
    for (int i = 0; i < STAGING_KINDS; i++) {
        chunks[i] = staging->unused[i];
        staging->unused[i] = NULL;
        staging->num_unused[i] = 0;
    }
    for (int i = 0; i < SLOT_SIZES; i++) {
        while (staging->num_slots[i])
            slots[num_slots++] = staging->slots[i][--staging->num_slots[i]];
    }
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

static uint64_t slot_size(uint32_t place)
{
    return TRANSFER_SLOT >> 2 * (SLOT_SIZES - 1 - place);
}

static uint32_t size_class(uint64_t size)
{
    uint32_t place = 0;
    while (place + 1 < SLOT_SIZES && size > slot_size(place))
        place++;
    return place;
}

enum vkb_result vkb_staging_slot(struct vkb_device *device, uint64_t size, struct vkb_buffer **slot)
{
    struct staging *staging = device->staging;
    uint32_t place = size_class(size), *count = &staging->num_slots[place];
    pthread_mutex_lock(&staging->lock);
    *slot = *count ? staging->slots[place][--*count] : NULL;
    pthread_mutex_unlock(&staging->lock);
    if (*slot)
        return VKB_SUCCESS;
    return vkb_buffer_create_now(device, slot_size(place), VKB_MEMORY_HOST, slot);
}

void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot)
{
    struct staging *staging = device->staging;
    uint32_t place = size_class(slot->size), *count = &staging->num_slots[place];
    pthread_mutex_lock(&staging->lock);
    bool keep = *count < SLOTS_KEPT;
    if (keep)
        staging->slots[place][(*count)++] = slot;
    pthread_mutex_unlock(&staging->lock);
    if (!keep)
        vkb_buffer_release(slot);
}
