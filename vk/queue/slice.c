/* Parts of staging memory that live as long as the batch they were taken for: cut one after the other from the queue's
 * current chunk (memory/staging.c), to which each batch that uses it holds a reference. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/queue.h"
#include "vk/queue/slice.h"

enum { SLICE_ALIGN = 256 };

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

enum vkb_result vkb_slice_take(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                               struct staging_slice *slice)
{
    if (size > STAGING_LARGEST)
        return take_own(queue, batch, kind, size, slice);
    struct staging_chunk *chunk = queue->staging[kind];
    size = align_up(size, SLICE_ALIGN);
    bool known = false;
    if (!chunk || chunk->used + size > STAGING_CHUNK) {
        struct staging_chunk *fresh;
        enum vkb_result result = vkb_staging_chunk_get(queue->device, kind, &fresh);
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
