/* What becomes of memory, and of images, that nothing uses any more.
 *
 * It stays with us for a while, so that a program that allocates what it has just freed asks the driver for nothing, and
 * who frees never waits for the driver. A task of the pool, the keeper, is there as long as something is unused. It looks
 * four times a second, and gives back to the driver
 * - what has been unused for too long (vkb_kept_age()),
 * - at once what is beyond an eighth of the device's memory, or of images beyond half of that and IMAGES_KEPT, the oldest
 *   first,
 * - everything, when little of the heap is left: others need it.
 * An allocation that fails gives everything back as well, before it is tried again (recover.c). */
#include "vk/device/device.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"

#include "base/thread.h"
#include "base/util.h"

#include <stddef.h>
#include <stdlib.h>

enum { LOOK_NS = 250000000 };

static struct memory_block *block_of(struct kept *kept)
{
    return (struct memory_block *)((char *)kept - offsetof(struct memory_block, kept));
}

/* With the memory's lock held, as are all that have no comment about it. */
static uint64_t count_unused(const struct memory *memory)
{
    uint64_t unused = 0;
    for (int i = 0; i < NUM_POOLS; i++)
        unused += memory->pools[i].spans.unused + memory->pools[i].kept.bytes;
    for (int i = 0; i < IMAGE_LISTS; i++)
        unused += memory->images[i].bytes;
    return unused;
}

uint64_t vkb_keep_unused(const struct vkb_device *device, uint32_t heap)
{
    const struct memory *memory = device->memory;
    const VkMemoryType *types = device->memory_properties.memoryTypes;
    uint64_t unused = 0;
    for (int i = 0; i < NUM_POOLS; i++) {
        const struct memory_pool *pool = &memory->pools[i];
        if ((pool->alignment ? types[pool->type].heapIndex : vkb_memory_heap(device, pool->kind)) == heap)
            unused += pool->spans.unused + pool->kept.bytes;
    }
    for (int i = 0; i < IMAGE_LISTS && heap == device->memory_heap; i++)
        unused += memory->images[i].bytes;
    return unused;
}

uint64_t vkb_keep_unused_limited(const struct vkb_device *device)
{
    const struct memory *memory = device->memory;
    uint64_t unused = 0;
    for (int i = 0; i < NUM_POOLS; i++) {
        const struct memory_pool *pool = &memory->pools[i];
        if (vkb_memory_is_limited(device, pool->kind))
            unused += pool->spans.unused + pool->kept.bytes;
    }
    for (int i = 0; i < IMAGE_LISTS; i++)
        unused += memory->images[i].bytes;
    return unused;
}

/* More than so many quarters of what may be kept. */
static bool has_more_images(const struct memory *memory, uint32_t quarters)
{
    uint32_t count = 0;
    uint64_t bytes = 0;
    for (int i = 0; i < IMAGE_LISTS; i++) {
        count += memory->images[i].count;
        bytes += memory->images[i].bytes;
    }
    return count > IMAGES_KEPT / 4 * quarters || bytes > memory->keeps_most / 8 * quarters;
}

static bool is_overfull(const struct memory *memory)
{
    return has_more_images(memory, 4) || count_unused(memory) > memory->keeps_most;
}

struct memory_block *vkb_keep_take(struct vkb_device *device, struct memory_pool *pool, uint64_t least, uint64_t most)
{
    struct kept *kept = vkb_kept_take(&pool->kept, least, most);
    if (!kept)
        return NULL;
    vkb_block_count_large(device, block_of(kept), true);
    return block_of(kept);
}

/* ---- giving back ---- */

static struct span_block *put_before(struct span_block *list, struct kept *kept)
{
    struct memory_block *block = block_of(kept);
    block->part.next = list;
    return &block->part;
}

/* Of blocks that one buffer had each, the one that has been unused for longest. */
static struct kept *remove_oldest(struct memory *memory)
{
    struct kept_list *found = NULL;
    for (int i = 0; i < NUM_POOLS; i++) {
        struct kept_list *list = &memory->pools[i].kept;
        if (list->oldest && (!found || list->oldest->since_ns < found->oldest->since_ns))
            found = list;
    }
    return found ? vkb_kept_expire(found, UINT64_MAX) : NULL;
}

/* All that has been unused since then, and as much as it takes to be within what may be unused. */
static struct span_block *remove_blocks(struct memory *memory, uint64_t before_ns)
{
    struct span_block *removed = NULL;
    for (int i = 0; i < NUM_POOLS; i++) {
        removed = vkb_spans_remove_unused(&memory->pools[i].spans, before_ns, removed);
        for (struct kept *kept; (kept = vkb_kept_expire(&memory->pools[i].kept, before_ns));)
            removed = put_before(removed, kept);
    }
    struct kept *oldest;
    while (count_unused(memory) > memory->keeps_most && (oldest = remove_oldest(memory)))
        removed = put_before(removed, oldest);
    if (count_unused(memory) > memory->keeps_most) {
        for (int i = 0; i < NUM_POOLS; i++)
            removed = vkb_spans_remove_unused(&memory->pools[i].spans, UINT64_MAX, removed);
    }
    return removed;
}

static struct kept *remove_oldest_image(struct memory *memory, uint64_t before_ns)
{
    struct kept_list *found = NULL;
    for (int i = 0; i < IMAGE_LISTS; i++) {
        struct kept_list *list = &memory->images[i];
        if (list->oldest && (!found || list->oldest->since_ns < found->oldest->since_ns))
            found = list;
    }
    return found ? vkb_kept_expire(found, before_ns) : NULL;
}

/* Destroys images, whose memory then is unused, as remove_blocks() removes blocks. Where there are too many it goes on to
 * three quarters: a program that makes images of ever new sizes should not wake the keeper with each. Called without the
 * lock. */
static void destroy_images(struct memory *memory, uint64_t before_ns)
{
    uint32_t quarters = 4;
    for (struct kept *kept;;) {
        pthread_mutex_lock(&memory->lock);
        if (has_more_images(memory, 4))
            quarters = 3;
        kept = remove_oldest_image(memory, has_more_images(memory, quarters) ? UINT64_MAX : before_ns);
        pthread_mutex_unlock(&memory->lock);
        if (!kept)
            return;
        vkb_image_destroy(vkb_image_of_kept(kept));
    }
}

/* Called without the lock. Who comes second waits until the first one's memory is the driver's again. */
static void give_back(struct vkb_device *device, uint64_t before_ns)
{
    struct memory *memory = device->memory;
    pthread_mutex_lock(&memory->giving);
    destroy_images(memory, before_ns);
    pthread_mutex_lock(&memory->lock);
    struct span_block *blocks = remove_blocks(memory, before_ns);
    pthread_mutex_unlock(&memory->lock);
    for (struct span_block *next; blocks; blocks = next) {
        struct memory_block *block = (struct memory_block *)blocks; /* its first member */
        next = blocks->next;
        if (!block->part.spans) /* vkb_block_destroy() takes that back */
            vkb_block_count_large(device, block, true);
        vkb_block_destroy(device, block);
    }
    pthread_mutex_unlock(&memory->giving);
}

void vkb_memory_trim(struct vkb_device *device)
{
    give_back(device, UINT64_MAX);
}

/* ---- the keeper ---- */

/* Called without the lock, as a thread that the process's end does not wait for. */
static void nap(struct memory *memory)
{
    uint64_t until_ns = time_ns() + LOOK_NS;
    bool early = true;
    pthread_mutex_lock(&memory->lock);
    while (early && !is_overfull(memory))
        early = thread_cond_wait_until(&memory->overfull, &memory->lock, until_ns);
    pthread_mutex_unlock(&memory->lock);
}

/* Whether little of the device's memory is left for anybody: our own budget shrinks as others take theirs. The driver is
 * asked no more often than the keeper looks by itself. *asked_ns: when that was. */
static bool is_scarce(struct vkb_device *device, uint64_t *asked_ns)
{
    uint64_t budget, available, whole = device->memory_properties.memoryHeaps[device->memory_heap].size;
    uint64_t now = time_ns();
    if (now - *asked_ns < LOOK_NS)
        return false;
    *asked_ns = now;
    return vkb_memory_budget(device, &budget, &available) && available < whole / 32;
}

/* Kept images have their memory still. Called without the lock. */
static uint64_t count_in_use(struct memory *memory)
{
    uint64_t images = 0, in_use = atomic_load(&memory->in_use);
    pthread_mutex_lock(&memory->lock);
    for (int i = 0; i < IMAGE_LISTS; i++)
        images += memory->images[i].bytes;
    pthread_mutex_unlock(&memory->lock);
    return in_use > images ? in_use - images : 0;
}

static void keep_house(void *data)
{
    struct vkb_device *device = data;
    struct memory *memory = device->memory;
    uint64_t asked_ns = 0;
    pthread_mutex_lock(&memory->lock);
    while (count_unused(memory) && !vkb_gone()) {
        pthread_mutex_unlock(&memory->lock);
        vkb_pool_leave();
        nap(memory);
        vkb_pool_enter();
        uint64_t age = vkb_kept_age(count_in_use(memory), atomic_load(&memory->held)), now = time_ns();
        give_back(device, is_scarce(device, &asked_ns) ? UINT64_MAX : now > age ? now - age : 0);
        pthread_mutex_lock(&memory->lock);
    }
    memory->has_keeper = false;
    pthread_mutex_unlock(&memory->lock);
}

void vkb_keep_init(struct vkb_device *device)
{
    struct memory *memory = device->memory;
    thread_cond_init(&memory->overfull);
    pthread_mutex_init(&memory->giving, NULL);
    memory->keeper = (struct pool_task){.call = keep_house, .data = device};
}

bool vkb_keep_noted(struct vkb_device *device)
{
    struct memory *memory = device->memory;
    if (memory->has_keeper) {
        if (is_overfull(memory))
            pthread_cond_signal(&memory->overfull);
        return false;
    }
    return memory->has_keeper = true;
}

void vkb_keep_start(struct vkb_device *device)
{
    if (vkb_pool_start()) {
        vkb_pool_run(&device->memory->keeper);
        return;
    }
    pthread_mutex_lock(&device->memory->lock);
    device->memory->has_keeper = false;
    pthread_mutex_unlock(&device->memory->lock);
    vkb_memory_trim(device);
}

void vkb_keep_block(struct vkb_device *device, struct memory_block *block)
{
    struct memory *memory = device->memory;
    pthread_mutex_lock(&memory->lock);
    vkb_block_count_large(device, block, false);
    vkb_kept_add(&block->pool->kept, &block->kept, block->size, time_ns());
    bool starts = vkb_keep_noted(device);
    pthread_mutex_unlock(&memory->lock);
    if (starts)
        vkb_keep_start(device);
}

bool vkb_keep_image(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    struct memory *memory = device->memory;
    if (!image->part.block || vkb_device_lost(device))
        return false;
    pthread_mutex_lock(&memory->lock);
    vkb_kept_add(&memory->images[image->hash % IMAGE_LISTS], &image->kept, image->size, time_ns());
    bool starts = vkb_keep_noted(device);
    pthread_mutex_unlock(&memory->lock);
    if (starts)
        vkb_keep_start(device);
    return true;
}
