/* Buffers and images in blocks.
 *
 * Drivers allow a few thousand allocations and take up to milliseconds for each. So buffers of up to a quarter of the
 * largest block are spans of one (spans.c): a buffer's commands name the block's VkBuffer with an offset. Larger buffers
 * have a block of their own, which another buffer of about that size gets when they are gone (keep.c). So it is with
 * images, whose blocks have no VkBuffer. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/external.h"
#include "vk/memory/memory.h"

#include <stdlib.h>

#define SMALL ((uint64_t)1 << 20)

static struct memory_pool *pool_for(struct memory *memory, enum vkb_memory_kind kind, uint64_t size)
{
    struct memory_pool *pools = &memory->pools[kind * POOL_SIZES];
    return &pools[size <= SMALL && size <= pools[POOL_SMALL].largest / 4 ? POOL_SMALL : POOL_MEDIUM];
}

static struct memory_block *block_of(struct span_block *part)
{
    return (struct memory_block *)part; /* its first member */
}

/* Makes the block one that spans are taken from. With the memory's lock held. */
static void add_to_pool(struct memory_pool *pool, struct memory_block *block, struct span *span)
{
    block->pool = pool;
    vkb_spans_add(&pool->spans, &block->part, span, block->size, time_ns());
}

static enum vkb_result create_block(struct vkb_device *device, const struct memory_pool *pool, uint64_t size,
                                    struct memory_block **block)
{
    return pool->alignment ? vkb_block_create_plain(device, pool->type, size, NULL, block)
                           : vkb_block_create(device, pool->kind, size, block);
}

/* A block for a pool of spans: one that a larger buffer has left, or a new one, as large as is due, or smaller when
 * memory is short. */
static enum vkb_result new_block(struct vkb_device *device, struct memory_pool *pool, uint64_t size,
                                 struct memory_block **block)
{
    struct memory *memory = device->memory;
    pthread_mutex_lock(&memory->lock);
    uint64_t block_size = pool->next_size;
    while (block_size < size * 2)
        block_size *= 2;
    *block = vkb_keep_take(device, pool, block_size, 2 * block_size);
    pthread_mutex_unlock(&memory->lock);
    if (*block)
        return VKB_SUCCESS;
    enum vkb_result result = create_block(device, pool, block_size, block);
    if (result != VKB_SUCCESS) /* one in whose class the size fits */
        result = create_block(device, pool, align_up(size + size / 7, SPAN_GRANULE), block);
    return result;
}

static struct span *free_span(struct memory *memory, struct memory_pool *pool, uint64_t size)
{
    pthread_mutex_lock(&memory->lock);
    struct span *span = vkb_spans_take(&pool->spans, size);
    pthread_mutex_unlock(&memory->lock);
    return span;
}

/* Takes a span of the pool, or else of another block. The driver may take long; meanwhile the memory's lock is open, so
 * that others can allocate what there is, and free. */
static enum vkb_result grow_pool(struct vkb_device *device, struct memory_pool *pool, uint64_t size,
                                 struct span **taken)
{
    struct memory *memory = device->memory;
    *taken = free_span(memory, pool, size); /* somebody else may have grown it */
    if (*taken)
        return VKB_SUCCESS;
    struct span *span = calloc(1, sizeof(*span));
    if (!span)
        return VKB_OUT_OF_HOST_MEMORY;
    struct memory_block *block = NULL;
    enum vkb_result result = new_block(device, pool, size, &block);
    if (result != VKB_SUCCESS) {
        free(span);
        return result;
    }
    pthread_mutex_lock(&memory->lock);
    add_to_pool(pool, block, span);
    if (pool->next_size < pool->largest)
        pool->next_size *= 2;
    *taken = vkb_spans_take(&pool->spans, size);
    pthread_mutex_unlock(&memory->lock);
    return *taken ? VKB_SUCCESS : VKB_OUT_OF_DEVICE_MEMORY;
}

/* A block that was left by something of about that size, for one buffer or image; or NULL. */
static struct memory_block *left_block(struct vkb_device *device, struct memory_pool *pool, uint64_t size)
{
    pthread_mutex_lock(&device->memory->lock);
    struct memory_block *block = vkb_keep_take(device, pool, size, vkb_kept_most(size));
    pthread_mutex_unlock(&device->memory->lock);
    return block;
}

static enum vkb_result new_whole(struct vkb_device *device, struct memory_pool *pool, uint64_t size,
                                 struct memory_block **block)
{
    uint64_t rounded = vkb_kept_round(size);
    if (rounded > device->caps.max_single_allocation)
        rounded = size;
    enum vkb_result result = create_block(device, pool, rounded, block);
    if (result == VKB_OUT_OF_DEVICE_MEMORY && rounded != size)
        result = create_block(device, pool, size, block);
    if (result == VKB_SUCCESS)
        (*block)->pool = pool;
    return result;
}

static void use_whole(struct memory *memory, struct memory_block *block, uint64_t size)
{
    block->used = size;
    atomic_fetch_add(&memory->in_use, size);
}

/* Before the driver is asked for more, commands that have ended let go of what they had: in a loop that enqueues with
 * one temporary after the other, most of these are among it. */
static enum vkb_result take_part(struct vkb_device *device, struct memory_pool *pool, uint64_t size,
                                 struct memory_part *part)
{
    struct memory *memory = device->memory;
    enum vkb_result result = VKB_SUCCESS;
    *part = (struct memory_part){0};
    if (size > memory->block_size / 4) {
        part->block = left_block(device, pool, size);
        if (!part->block) {
            device->work->reclaim(device);
            part->block = left_block(device, pool, size);
        }
        if (!part->block)
            result = new_whole(device, pool, size, &part->block);
        if (result == VKB_SUCCESS)
            use_whole(memory, part->block, size);
        return result;
    }
    struct span *span = free_span(memory, pool, size);
    if (!span) {
        device->work->reclaim(device);
        pthread_mutex_lock(&pool->growing);
        result = grow_pool(device, pool, size, &span);
        pthread_mutex_unlock(&pool->growing);
    }
    if (result != VKB_SUCCESS)
        return result;
    atomic_fetch_add(&memory->in_use, span->size);
    *part = (struct memory_part){block_of(span->block), span, span->offset};
    return VKB_SUCCESS;
}

static enum vkb_result allocate(struct vkb_device *device, enum vkb_memory_kind kind, struct vkb_buffer *buffer)
{
    struct memory *memory = device->memory;
    uint64_t size = buffer->size > memory->block_size / 4 ? buffer->size : align_up(buffer->size, SPAN_GRANULE);
    struct memory_part part;
    enum vkb_result result = take_part(device, pool_for(memory, kind, buffer->size), size, &part);
    if (result != VKB_SUCCESS)
        return result;
    buffer->span = part.span;
    buffer->block = part.block;
    buffer->offset = part.offset;
    return VKB_SUCCESS;
}

/* The pool of images of that type and alignment, which may be new; NULL: there are too many. */
static struct memory_pool *image_pool(struct memory *memory, uint32_t type, uint64_t alignment)
{
    struct memory_pool *found = NULL;
    pthread_mutex_lock(&memory->lock);
    for (int i = BUFFER_POOLS; i < NUM_POOLS && !found; i++) {
        struct memory_pool *pool = &memory->pools[i];
        if (!pool->alignment) {
            pool->type = type;
            pool->alignment = alignment;
        }
        if (pool->type == type && pool->alignment == alignment)
            found = pool;
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

enum vkb_result vkb_part_allocate_alone(struct vkb_device *device, uint32_t type, uint64_t size, const void *next,
                                        struct memory_part *part)
{
    *part = (struct memory_part){0};
    enum vkb_result result = vkb_block_create_plain(device, type, size, next, &part->block);
    if (result == VKB_SUCCESS)
        use_whole(device->memory, part->block, size);
    return result;
}

enum vkb_result vkb_part_allocate(struct vkb_device *device, uint32_t type, uint64_t size, uint64_t alignment,
                                  struct memory_part *part)
{
    uint64_t granule = u64_max(alignment, SPAN_GRANULE);
    struct memory_pool *pool = image_pool(device->memory, type, granule);
    if (pool)
        return take_part(device, pool, align_up(size, granule), part);
    return vkb_part_allocate_alone(device, type, size, NULL, part);
}

static bool is_short(enum vkb_result result)
{
    return result == VKB_OUT_OF_DEVICE_MEMORY || result == VKB_OUT_OF_HOST_MEMORY;
}

enum vkb_result vkb_buffer_allocate(struct vkb_device *device, enum vkb_memory_kind kind, enum memory_effort effort,
                                    struct vkb_buffer *buffer)
{
    enum vkb_result result = allocate(device, kind, buffer);
    if (is_short(result) && vkb_memory_recover(device, EFFORT_TRIM))
        result = allocate(device, kind, buffer);
    if (is_short(result) && effort == EFFORT_WAIT && vkb_memory_recover(device, EFFORT_WAIT))
        result = allocate(device, kind, buffer);
    return result;
}

enum vkb_result vkb_buffer_allocate_exported(struct vkb_device *device, const struct memory_source *source,
                                             struct vkb_buffer *buffer)
{
    enum vkb_result result = vkb_block_create_exported(device, buffer->size, source, &buffer->block);
    if (is_short(result) && vkb_memory_recover(device, EFFORT_TRIM))
        result = vkb_block_create_exported(device, buffer->size, source, &buffer->block);
    if (result == VKB_SUCCESS)
        use_whole(device->memory, buffer->block, buffer->size);
    return result;
}

void vkb_part_free(struct vkb_device *device, const struct memory_part *part)
{
    atomic_fetch_sub(&device->memory->in_use, part->span ? part->span->size : part->block->used);
    if (!part->span && !part->block->pool) {
        vkb_block_destroy(device, part->block);
        return;
    }
    if (!part->span) {
        vkb_keep_block(device, part->block);
        return;
    }
    pthread_mutex_lock(&device->memory->lock);
    bool starts = vkb_spans_give(&part->block->pool->spans, part->span, time_ns()) && vkb_keep_noted(device);
    pthread_mutex_unlock(&device->memory->lock);
    if (starts)
        vkb_keep_start(device);
}

void vkb_buffer_free(struct vkb_buffer *buffer)
{
    const struct memory_part part = {buffer->block, buffer->span, buffer->offset};
    vkb_part_free(buffer->device, &part);
}
