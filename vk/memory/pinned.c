/* Memory of the host that the device reaches by itself: buffers in host memory (CL_MEM_ALLOC_HOST_PTR, shared virtual
 * memory) and imported pages (CL_MEM_USE_HOST_PTR).
 *
 * Programs map such buffers, and use the pointers as the host's side of reads and writes, because vendors' drivers call
 * that memory pinned and transfer it faster. So a transfer's pointer is looked up here: where it leads into such a
 * buffer, the transfer is a copy of the GPU's, and no thread of the host moves a byte. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/pinned.h"

#include <stdlib.h>
#include <string.h>

/* The index of the first buffer that starts behind the address. */
static size_t first_behind(const struct pinned *pinned, const char *address)
{
    size_t low = 0, high = pinned->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pinned->list[middle]->map <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlaps(const struct vkb_buffer *buffer, const char *begin, const char *end)
{
    return buffer->map < end && begin < buffer->map + buffer->size;
}

void vkb_pinned_add(struct vkb_buffer *buffer)
{
    struct pinned *pinned = buffer->device->pinned;
    if (!buffer->map || !buffer->cached || buffer->size < PINNED_LEAST)
        return;
    const char *end = buffer->map + buffer->size;
    pthread_mutex_lock(&pinned->lock);
    if (pinned->count == pinned->capacity) {
        size_t capacity = pinned->capacity ? 2 * pinned->capacity : 16;
        struct vkb_buffer **list = realloc(pinned->list, capacity * sizeof(struct vkb_buffer *));
        if (list) {
            pinned->list = list;
            pinned->capacity = capacity;
        }
    }
    size_t at = first_behind(pinned, buffer->map);
    /* The same pages may be imported twice; one of the buffers is enough. */
    bool known = (at && overlaps(pinned->list[at - 1], buffer->map, end)) ||
                 (at < pinned->count && overlaps(pinned->list[at], buffer->map, end));
    if (!known && pinned->count < pinned->capacity) {
        memmove(&pinned->list[at + 1], &pinned->list[at], (pinned->count - at) * sizeof(pinned->list[0]));
        pinned->list[at] = buffer;
        pinned->count++;
        buffer->pinned = true;
    }
    pthread_mutex_unlock(&pinned->lock);
}

void vkb_pinned_remove(struct vkb_buffer *buffer)
{
    struct pinned *pinned = buffer->device->pinned;
    if (!buffer->pinned)
        return;
    pthread_mutex_lock(&pinned->lock);
    size_t at = first_behind(pinned, buffer->map) - 1;
    pinned->count--;
    memmove(&pinned->list[at], &pinned->list[at + 1], (pinned->count - at) * sizeof(pinned->list[0]));
    pthread_mutex_unlock(&pinned->lock);
}

bool vkb_pinned_overlaps(struct vkb_device *device, const void *data, uint64_t size)
{
    struct pinned *pinned = device->pinned;
    const char *begin = data, *end = begin + size;
    pthread_mutex_lock(&pinned->lock);
    size_t at = first_behind(pinned, begin);
    bool found = (at && overlaps(pinned->list[at - 1], begin, end)) ||
                 (at < pinned->count && overlaps(pinned->list[at], begin, end));
    pthread_mutex_unlock(&pinned->lock);
    return found;
}

struct vkb_buffer *vkb_pinned_find(struct vkb_device *device, const void *data, uint64_t size)
{
    struct pinned *pinned = device->pinned;
    struct vkb_buffer *found = NULL;
    pthread_mutex_lock(&pinned->lock);
    size_t at = first_behind(pinned, data);
    struct vkb_buffer *buffer = at ? pinned->list[at - 1] : NULL;
    uint64_t inside = buffer ? (uint64_t)((const char *)data - buffer->map) : 0;
    if (buffer && inside <= buffer->size && size <= buffer->size - inside) {
        /* One whose last reference is gone is about to be removed by the thread that dropped it. */
        unsigned refs = atomic_load(&buffer->refs);
        while (refs && !atomic_compare_exchange_weak(&buffer->refs, &refs, refs + 1))
            ;
        found = refs ? buffer : NULL;
    }
    pthread_mutex_unlock(&pinned->lock);
    return found;
}
