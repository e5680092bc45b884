/* Which bytes of a buffer were ever written, for a process that looks for reads of others (`pumice check`): a second
 * buffer has a byte for each of the first one's, which is 1 where that was written. So what copies or fills the one
 * copies or fills the other by the same numbers (queue/written.c). */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"

enum vkb_result vkb_buffer_watch(struct vkb_buffer *buffer, uint64_t most)
{
    struct vkb_device *device = buffer->device;
    uint64_t size = buffer->size;
    if (atomic_fetch_add(&device->watched_bytes, size) + size > most) {
        atomic_fetch_sub(&device->watched_bytes, size);
        return VKB_OUT_OF_DEVICE_MEMORY;
    }
    enum vkb_result result = vkb_buffer_create_unpromised(device, size, VKB_MEMORY_DEVICE, &buffer->written);
    if (result != VKB_SUCCESS) {
        buffer->written = NULL;
        atomic_fetch_sub(&device->watched_bytes, size);
    }
    return result;
}

void vkb_buffer_unwatch(struct vkb_buffer *buffer)
{
    if (!buffer->written)
        return;
    atomic_fetch_sub(&buffer->device->watched_bytes, buffer->size);
    vkb_buffer_release(buffer->written);
    buffer->written = NULL;
}

struct vkb_buffer *vkb_buffer_written(const struct vkb_buffer *buffer)
{
    return buffer->written;
}
