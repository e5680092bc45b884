/* What new objects are filled with: bytes in memory of the host, which the device copies before it first uses the object
 * (first_use.c). An image that the host can copy is filled at once.
 *
 * The bytes are counted, as long as they wait, for commands or for the device. A program may create any number of objects
 * and use none, so beyond MOST_WAITING its new ones are made ready without a command that uses them; and the device may
 * never end what it has begun, so beyond MOST_IN_ALL there are no new ones. */
#include "vk/memory/buffer.h"
#include "vk/memory/first_use.h"
#include "vk/memory/host_image.h"
#include "vk/memory/image.h"

#include <assert.h>
#include <stdlib.h>

#define MOST_WAITING ((uint64_t)64 << 20)
#define MOST_IN_ALL  ((uint64_t)256 << 20)

/* One that is larger than all may be waits alone. */
static bool count(struct vkb_device *device, uint64_t size)
{
    atomic_ullong *counted = &device->memory->contents;
    uint64_t before = atomic_fetch_add(counted, size);
    if (!before || before + size <= MOST_IN_ALL)
        return true;
    atomic_fetch_sub(counted, size);
    return false;
}

static bool make_room(struct vkb_device *device, uint64_t size)
{
    if (count(device, size))
        return true;
    device->work->reclaim(device);
    return count(device, size) || (vkb_memory_recover(device, EFFORT_WAIT) && count(device, size));
}

static struct vkb_contents *contents_new(struct vkb_buffer *buffer, uint64_t counted)
{
    struct vkb_contents *contents = calloc(1, sizeof(*contents));
    if (!contents)
        return NULL;
    atomic_init(&contents->refs, 1);
    contents->buffer = buffer;
    contents->counted = counted;
    return contents;
}

enum vkb_result vkb_contents_create(struct vkb_device *device, uint64_t size, struct vkb_contents **out)
{
    if (!device->handle)
        return VKB_UNSUPPORTED;
    if (!make_room(device, size))
        return VKB_OUT_OF_DEVICE_MEMORY;
    struct vkb_buffer *buffer = NULL;
    enum vkb_result result = vkb_buffer_create_now(device, size, VKB_MEMORY_HOST, &buffer);
    *out = result == VKB_SUCCESS ? contents_new(buffer, size) : NULL;
    if (*out)
        return VKB_SUCCESS;
    vkb_buffer_release(buffer);
    atomic_fetch_sub(&device->memory->contents, size);
    return result == VKB_SUCCESS ? VKB_OUT_OF_HOST_MEMORY : result;
}

struct vkb_contents *vkb_contents_of(struct vkb_buffer *buffer)
{
    struct vkb_contents *contents = contents_new(buffer, 0);
    if (contents)
        vkb_buffer_retain(buffer);
    return contents;
}

void *vkb_contents_map(const struct vkb_contents *contents)
{
    return contents->buffer->map;
}

void vkb_contents_release(struct vkb_contents *contents)
{
    if (!contents || vkb_gone() || atomic_fetch_sub(&contents->refs, 1) != 1)
        return;
    atomic_fetch_sub(&contents->buffer->device->memory->contents, contents->counted);
    vkb_buffer_release(contents->buffer);
    free(contents);
}

void vkb_contents_release_all(struct vkb_contents *list)
{
    for (struct vkb_contents *next; list; list = next) {
        next = list->next;
        vkb_contents_release(list);
    }
}

bool vkb_contents_may_wait(const struct vkb_device *device)
{
    return atomic_load(&device->memory->contents) <= MOST_WAITING;
}

static void give(struct first_use *first, struct vkb_contents *contents)
{
    assert(!first->contents);
    first->contents = contents;
    atomic_store_explicit(&first->state, FIRST_WAITS, memory_order_release);
}

void vkb_buffer_give(struct vkb_buffer *buffer, struct vkb_contents *contents)
{
    give(&buffer->first, contents);
}

enum vkb_result vkb_image_give(struct vkb_image *image, struct vkb_contents *contents)
{
    struct vkb_image_region whole;
    if (!image->host_copies) {
        give(&image->first, contents);
        return VKB_SUCCESS;
    }
    vkb_image_whole(image, &whole);
    enum vkb_result result = vkb_host_image_copy(image, &whole, contents->buffer->map, true);
    if (result == VKB_SUCCESS)
        vkb_contents_release(contents);
    return result;
}

/* If it was given contents after it had been used, its transition is behind it. */
void vkb_contents_forget(struct vkb_image *image)
{
    struct first_use *first = &image->first;
    if (!first->contents)
        return;
    vkb_contents_release(first->contents);
    first->contents = NULL;
    if (first->queue)
        atomic_store(&first->state, FIRST_SUBMITTED);
}
