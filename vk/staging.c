/* Mapped memory on the way between host and device.
 *
 * Small needs (staged writes and reads, spilled argument blocks, patterns) are cut one after the other from a queue's
 * current chunk. Every batch that uses the chunk holds a reference, and with the last one the chunk goes back to the
 * device's list. Uploads use the device's own mapped memory where there is some. Downloads use cached host memory,
 * because reading anything else over the bus is a hundred times slower. Large transfers take whole slots. */
#include "vk/batch.h"
#include "vk/device.h"
#include "vk/memory.h"
#include "vk/queue.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS_KEPT = 16, SLICE_ALIGN = 256 };

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

static enum vkb_result chunk_get(struct vkb_device *device, enum staging_kind kind, struct staging_chunk **out)
{
    struct staging_chunk *chunk = take_unused(&device->staging, kind);
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
    struct staging *staging = &device->staging;
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

static void slice_at(struct staging_slice *slice, struct vkb_buffer *buffer, uint64_t offset)
{
    *slice = (struct staging_slice){
        .buffer = buffer,
        .offset = offset,
        .map = buffer->map + offset,
        .address = buffer->address + offset,
    };
}

/* For sizes that a chunk is too small for: a buffer that only this batch uses. */
static enum vkb_result take_own(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                                struct staging_slice *slice)
{
    struct vkb_buffer *buffer;
    enum vkb_result result = vkb_buffer_create_now(
        queue->device, size, kind == STAGING_UPLOAD ? VKB_MEMORY_UPLOAD : VKB_MEMORY_HOST, &buffer);
    if (result != VKB_SUCCESS)
        return result;
    result = vkb_batch_add_ref(batch, REF_BUFFER, buffer);
    if (result == VKB_SUCCESS)
        slice_at(slice, buffer, 0);
    return result;
}

enum vkb_result vkb_staging_take(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                                 struct staging_slice *slice)
{
    if (size > STAGING_LARGEST)
        return take_own(queue, batch, kind, size, slice);
    struct staging_chunk *chunk = queue->staging[kind];
    size = align_up(size, SLICE_ALIGN);
    bool known = false;
    if (!chunk || chunk->used + size > STAGING_CHUNK) {
        struct staging_chunk *fresh;
        enum vkb_result result = chunk_get(queue->device, kind, &fresh);
        if (result != VKB_SUCCESS)
            return result;
        vkb_staging_chunk_release(queue->device, chunk);
        queue->staging[kind] = chunk = fresh;
    } else {
        for (uint32_t i = batch->num_refs; i-- && !known;)
            known = batch->refs[i].kind == REF_CHUNK && batch->refs[i].object == chunk;
    }
    if (!known) {
        atomic_fetch_add(&chunk->refs, 1);
        enum vkb_result result = vkb_batch_add_ref(batch, REF_CHUNK, chunk);
        if (result != VKB_SUCCESS)
            return result;
    }
    slice_at(slice, chunk->buffer, chunk->used);
    chunk->used += size;
    return VKB_SUCCESS;
}

void vkb_staging_trim(struct vkb_device *device)
{
    struct staging *staging = &device->staging;
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
    struct staging *staging = &device->staging;
    pthread_mutex_lock(&staging->lock);
    *slot = staging->num_slots ? staging->slots[--staging->num_slots] : NULL;
    pthread_mutex_unlock(&staging->lock);
    return *slot ? VKB_SUCCESS : vkb_buffer_create_now(device, TRANSFER_SLOT, VKB_MEMORY_HOST, slot);
}

void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot)
{
    struct staging *staging = &device->staging;
    pthread_mutex_lock(&staging->lock);
    bool keep = staging->num_slots < ARRAY_LENGTH(staging->slots);
    if (keep)
        staging->slots[staging->num_slots++] = slot;
    pthread_mutex_unlock(&staging->lock);
    if (!keep)
        vkb_buffer_release(slot);
}
