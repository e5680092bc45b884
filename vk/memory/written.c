/* Which bytes of a buffer were ever written, for a process that looks for reads of others (`pumice check`): a second
 * buffer has a byte for each of the first one's, which is 1 where that was written. So what copies or fills the one
 * copies or fills the other by the same numbers (queue/written.c).
 * A third one has room to note who touched each word. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"

static enum vkb_result make_beside(struct vkb_device *device, uint64_t size, uint64_t most, struct vkb_buffer **beside)
{
    *beside = NULL;
    if (atomic_fetch_add(&device->watched_bytes, size) + size > most) {
        atomic_fetch_sub(&device->watched_bytes, size);
        return VKB_OUT_OF_DEVICE_MEMORY;
    }
    enum vkb_result result = vkb_buffer_create_unpromised(device, size, VKB_MEMORY_DEVICE, beside);
    if (result != VKB_SUCCESS) {
        *beside = NULL;
        atomic_fetch_sub(&device->watched_bytes, size);
    }
    return result;
}

static void drop_beside(struct vkb_buffer **beside)
{
    if (!*beside)
        return;
    atomic_fetch_sub(&(*beside)->device->watched_bytes, (*beside)->size);
    vkb_buffer_release(*beside);
    *beside = NULL;
}

enum vkb_result vkb_buffer_watch(struct vkb_buffer *buffer, uint64_t most)
{
    return make_beside(buffer->device, buffer->size, most, &buffer->written);
}

void vkb_buffer_unwatch(struct vkb_buffer *buffer)
{
    drop_beside(&buffer->written);
    drop_beside(&buffer->tracks);
}

struct vkb_buffer *vkb_buffer_written(const struct vkb_buffer *buffer)
{
    return buffer->written;
}

enum vkb_result vkb_buffer_track(struct vkb_buffer *buffer, uint64_t most)
{
    buffer->tracks_round = 0;
    return make_beside(buffer->device, align_up(buffer->size, 4) * 4, most, &buffer->tracks);
}

struct vkb_buffer *vkb_buffer_tracks(const struct vkb_buffer *buffer)
{
    return buffer->tracks;
}

bool vkb_buffer_tracks_age(struct vkb_buffer *buffer, uint32_t round)
{
    bool old = buffer->tracks_round != round + 1;
    buffer->tracks_round = round + 1;
    return old;
}
