/* Buffers: reference-counted parts of device memory. Batches hold references while their commands run, so the last
 * release can free at once. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/external.h"
#include "vk/memory/memory.h"
#include "vk/memory/pinned.h"

#include <stdlib.h>

void vkb_buffer_complete(struct vkb_buffer *buffer)
{
    buffer->address = buffer->block->address + buffer->offset;
    buffer->map = buffer->block->map ? buffer->block->map + buffer->offset : NULL;
    buffer->cached = buffer->block->cached;
}

struct vkb_buffer *vkb_buffer_new(struct vkb_device *device, uint64_t size)
{
    struct vkb_buffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return NULL;
    atomic_init(&buffer->refs, 1);
    buffer->device = device;
    buffer->size = size;
    return buffer;
}

static enum vkb_result create(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                              enum memory_effort effort, struct vkb_buffer **out)
{
    if (!device->handle)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    /* Drivers round sizes up, and larger ones would overflow there. */
    if (!size || size > (uint64_t)1 << 56)
        return VKB_OUT_OF_DEVICE_MEMORY;
    struct vkb_buffer *buffer = vkb_buffer_new(device, size);
    if (!buffer)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = vkb_buffer_allocate(device, kind, effort, buffer);
    if (result != VKB_SUCCESS) {
        free(buffer);
        return result;
    }
    vkb_buffer_complete(buffer);
    *out = buffer;
    return VKB_SUCCESS;
}

enum vkb_result vkb_buffer_create(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                  struct vkb_buffer **out)
{
    enum vkb_result result = create(device, size, kind, EFFORT_WAIT, out);
    if (result == VKB_SUCCESS && (kind == VKB_MEMORY_HOST || kind == VKB_MEMORY_SHARED))
        vkb_pinned_add(*out);
    return result;
}

enum vkb_result vkb_buffer_create_unpromised(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                             struct vkb_buffer **out)
{
    enum vkb_promise promise = vkb_memory_promise(device, kind, size);
    if (promise == VKB_PROMISE_REFUSED)
        return VKB_OUT_OF_DEVICE_MEMORY;
    enum vkb_result result = vkb_buffer_create(device, size, kind, out);
    if (promise == VKB_PROMISE_MADE)
        vkb_memory_take_back(device, kind, size);
    return result;
}

enum vkb_result vkb_buffer_create_now(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                      struct vkb_buffer **out)
{
    return create(device, size, kind, EFFORT_TRIM, out);
}

enum vkb_result vkb_buffer_import(struct vkb_device *device, void *pointer, uint64_t size, struct vkb_buffer **out)
{
    if (!device->handle || !device->caps.import_host || !size || !pointer)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    /* Vulkan imports whole pages, and the buffer is a part of them. The bytes around it lie in the same pages, so they
     * exist. */
    uint64_t align = device->caps.import_align, begin = (uintptr_t)pointer & ~(align - 1);
    uint64_t end = align_up((uintptr_t)pointer + size, align);
    if (end < (uintptr_t)pointer || ((uintptr_t)pointer - begin) % 16)
        return VKB_UNSUPPORTED;
    struct vkb_buffer *buffer = vkb_buffer_new(device, size);
    if (!buffer)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = vkb_buffer_allocate_import(device, (void *)(uintptr_t)begin, end - begin, buffer);
    if (result != VKB_SUCCESS) {
        free(buffer);
        return result;
    }
    buffer->offset = (uintptr_t)pointer - begin;
    buffer->imported = true;
    atomic_fetch_add(&device->num_imports, 1);
    vkb_buffer_complete(buffer);
    vkb_pinned_add(buffer);
    *out = buffer;
    return VKB_SUCCESS;
}

enum vkb_result vkb_buffer_import_handle(struct vkb_device *device, enum vkb_handle kind, intptr_t handle,
                                         uint64_t size, struct vkb_buffer **out)
{
    if (!device->handle || !(device->caps.memory_imports & kind) || !size || size > (uint64_t)1 << 56)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    struct vkb_buffer *buffer = vkb_buffer_new(device, size);
    if (!buffer)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = vkb_buffer_allocate_shared(device, kind, handle, size, buffer);
    if (result != VKB_SUCCESS) {
        free(buffer);
        return result;
    }
    vkb_buffer_complete(buffer);
    *out = buffer;
    return VKB_SUCCESS;
}

struct vkb_buffer *vkb_buffer_retain(struct vkb_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
    return buffer;
}

void vkb_buffer_release(struct vkb_buffer *buffer)
{
    if (!buffer || vkb_gone() || atomic_fetch_sub(&buffer->refs, 1) != 1)
        return;
    if (buffer->imported)
        atomic_fetch_sub(&buffer->device->num_imports, 1);
    vkb_buffer_unwatch(buffer);
    vkb_pinned_remove(buffer);
    vkb_first_finish(buffer->device, &buffer->first);
    vkb_contents_release(buffer->first.contents);
    vkb_buffer_free(buffer);
    free(buffer);
}

uint64_t vkb_buffer_address(const struct vkb_buffer *buffer)
{
    return buffer->address;
}

uint64_t vkb_buffer_size(const struct vkb_buffer *buffer)
{
    return buffer->size;
}

void *vkb_buffer_map(const struct vkb_buffer *buffer)
{
    return buffer->map;
}

bool vkb_buffer_fast_read(const struct vkb_buffer *buffer)
{
    return buffer->map && buffer->cached;
}
