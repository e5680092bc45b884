/* What is done when memory is short, before an allocation fails: free what is only kept for later, then wait for what
 * the GPU still works with. */
#include "vk/device/device.h"
#include "vk/memory/memory.h"
#include "vk/memory/staging.h"

enum { DRAIN_NS = 2000000000 }; /* what the GPU is given to finish; work may be under way that takes for ever */

#define LARGE ((uint64_t)256 << 20)

static bool is_devices(enum vkb_memory_kind kind)
{
    return kind == VKB_MEMORY_DEVICE || kind == VKB_MEMORY_UPLOAD || kind == VKB_MEMORY_SHADOWED;
}

bool vkb_memory_is_limited(const struct vkb_device *device, enum vkb_memory_kind kind)
{
    return device->caps.heap_limit && is_devices(kind);
}

/* Drivers that run on the host promise memory that is not there, and the system ends the process, or another one, when
 * it is used. So large allocations must be within the budget. Other drivers know better themselves. */
bool vkb_memory_reserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size)
{
    struct memory *memory = device->memory;
    uint64_t budget, available;
    if (size >= LARGE && device->caps.type == VKB_DEVICE_CPU && vkb_memory_budget(device, &budget, &available) &&
        size > available) {
        log_info("%s: %llu bytes are asked for, %llu are free", device->caps.name, (unsigned long long)size,
                 (unsigned long long)available);
        return false;
    }
    if (!vkb_memory_is_limited(device, kind))
        return true;
    if (atomic_fetch_add(&memory->reserved, size) + size <= device->caps.heap_limit)
        return true;
    atomic_fetch_sub(&memory->reserved, size);
    return false;
}

void vkb_memory_unreserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size)
{
    if (vkb_memory_is_limited(device, kind))
        atomic_fetch_sub(&device->memory->reserved, size);
}

bool vkb_memory_recover(struct vkb_device *device, enum memory_effort effort)
{
    if (vkb_device_lost(device))
        return false;
    if (effort == EFFORT_WAIT && !device->work->drain(device, time_ns() + DRAIN_NS))
        return false;
    device->work->reclaim(device);
    vkb_staging_trim(device);
    vkb_memory_trim(device);
    return true;
}
