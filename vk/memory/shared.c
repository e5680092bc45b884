/* Memory that has one address for the host and the device.
 *
 * For drivers that run on the host, the device's addresses are the host's anyway. Elsewhere the host's mapping is
 * placed at the device's address: the range is reserved first, so that nothing that lies there is lost, then
 * VK_EXT_map_memory_placed maps over the reservation. Where the range is taken, the caller tries another allocation.
 *
 * Memory that is shared so is the host's on a GPU with memory of its own, and slow for kernels. What the host may use
 * only between a map and an unmap can be the device's: the host has pages of its own at the same address, its shadow,
 * and the map copies them from the device, the unmap back.
 *
 * Each way is tried once on a device, by an allocation, before Pumice says that it can be done. */
#include "vk/device/device.h"
#include "vk/memory/memory.h"
#include "vk/memory/shared.h"

#include "base/platform.h"

#include <unistd.h>

/* VK_KHR_map_memory2 and VK_EXT_map_memory_placed, which are newer than some systems' headers: Vulkan 1.4, 11.2.13. */
struct map_placed_info {
    VkStructureType type;
    const void *next;
    void *address;
};

struct map_info {
    VkStructureType type;
    const void *next;
    VkFlags flags;
    VkDeviceMemory memory;
    VkDeviceSize offset, size;
};

typedef VkResult(VKAPI_PTR *map_memory2)(VkDevice device, const struct map_info *info, void **data);

enum { TYPE_MAP_INFO = 1000271000, TYPE_MAP_PLACED_INFO = 1000272002, MAP_PLACED = 1 };

/* The whole allocation is mapped, and it may be larger than the buffer. Vulkan 1.4, VkMemoryMapInfo: without
 * memoryMapRangePlaced the offset is 0 and the size VK_WHOLE_SIZE; what lies in the range is replaced. */
static enum vkb_result map_placed(struct vkb_device *device, struct memory_block *block)
{
    map_memory2 map = (map_memory2)device->vk_map_memory2;
    void *wanted = (void *)(uintptr_t)block->address;
    if (!map || !wanted || block->address % device->caps.placed_map_align)
        return VKB_UNSUPPORTED;
    size_t size = align_up(block->allocated, device->caps.placed_map_align);
    if (!platform_take_range(wanted, size, false))
        return VKB_UNSUPPORTED;
    const struct map_placed_info place = {.type = (VkStructureType)TYPE_MAP_PLACED_INFO, .address = wanted};
    const struct map_info info = {
        .type = (VkStructureType)TYPE_MAP_INFO,
        .next = &place,
        .flags = MAP_PLACED,
        .memory = block->memory,
        .size = VK_WHOLE_SIZE,
    };
    void *data = NULL;
    enum vkb_result result = CHECK(device, map(device->handle, &info, &data));
    if (result != VKB_SUCCESS) {
        platform_free_range(wanted, size);
        return result;
    }
    block->map = data;
    return VKB_SUCCESS;
}

enum vkb_result vkb_shared_map(struct vkb_device *device, struct memory_block *block)
{
    if (!device->caps.shared_maps || device->caps.other_addresses)
        return VKB_UNSUPPORTED;
    if (device->vk_map_memory2)
        return map_placed(device, block);
    void *map;
    enum vkb_result result =
        CHECK(device, device->vk.vkMapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &map));
    if (result == VKB_SUCCESS && (uintptr_t)map != block->address)
        result = VKB_UNSUPPORTED;
    if (result == VKB_SUCCESS)
        block->map = map;
    return result;
}

/* A driver that runs on the host has its memory at that address itself. That serves as the shadow where tests ask for
 * one (PUMICE_DISABLE=shared_maps); copies between them move nothing. */
enum vkb_result vkb_shadow_reserve(struct vkb_device *device, struct memory_block *block)
{
    void *wanted = (void *)(uintptr_t)block->address;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    size_t size = align_up(block->size, page);
    if (!wanted || device->caps.other_addresses)
        return VKB_UNSUPPORTED;
    if (device->caps.type == VKB_DEVICE_CPU)
        return VKB_SUCCESS;
    if (block->address % page == 0 && platform_take_range(wanted, size, true)) {
        block->shadow = wanted;
        block->shadow_size = size;
        return VKB_SUCCESS;
    }
    return VKB_UNSUPPORTED;
}

void vkb_shadow_release(struct memory_block *block)
{
    if (block->shadow)
        platform_free_range(block->shadow, block->shadow_size);
}

static bool try_sharing(struct vkb_device *device)
{
    struct vkb_buffer *buffer;
    if (vkb_buffer_create(device, 65536, VKB_MEMORY_SHARED, &buffer) != VKB_SUCCESS)
        return false;
    bool shares = vkb_buffer_map(buffer) && (uintptr_t)vkb_buffer_map(buffer) == vkb_buffer_address(buffer);
    vkb_buffer_release(buffer);
    return shares;
}

/* Two threads that ask at once both try, and find the same. */
bool vkb_device_shares_addresses(struct vkb_device *device)
{
    atomic_int *known = &device->memory->shares;
    if (atomic_load(known) == SHARING_UNKNOWN)
        atomic_store(known, device->handle && try_sharing(device) ? SHARING_YES : SHARING_NO);
    return atomic_load(known) == SHARING_YES;
}

static bool try_shadow(struct vkb_device *device)
{
    struct vkb_buffer *buffer;
    if (vkb_buffer_create(device, 65536, VKB_MEMORY_SHADOWED, &buffer) != VKB_SUCCESS)
        return false;
    vkb_buffer_release(buffer);
    return true;
}

bool vkb_device_shadows(struct vkb_device *device)
{
    atomic_int *known = &device->memory->shadows;
    if (atomic_load(known) == SHARING_UNKNOWN)
        atomic_store(known, device->handle && try_shadow(device) ? SHARING_YES : SHARING_NO);
    return atomic_load(known) == SHARING_YES;
}

static bool try_imports(struct vkb_device *device)
{
    enum { SIZE = 65536 };
    void *pages = platform_aligned(65536, SIZE);
    struct vkb_buffer *buffer;
    if (!pages)
        return false;
    bool in_place = false;
    if (vkb_buffer_import(device, pages, SIZE, &buffer) == VKB_SUCCESS) {
        in_place = vkb_buffer_address(buffer) == (uintptr_t)pages && !device->caps.other_addresses;
        vkb_buffer_release(buffer);
    }
    platform_aligned_free(pages);
    return in_place;
}

bool vkb_device_imports_in_place(struct vkb_device *device)
{
    atomic_int *known = &device->memory->imports_in_place;
    if (atomic_load(known) == SHARING_UNKNOWN)
        atomic_store(known, device->handle && try_imports(device) ? SHARING_YES : SHARING_NO);
    return atomic_load(known) == SHARING_YES;
}
