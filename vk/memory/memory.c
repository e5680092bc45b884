/* Blocks of device memory: which memory type they are of, and how they are made. Each is one VkBuffer over one
 * allocation of the driver's, or several (sparse.c). pools.c divides them among buffers. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/external.h"
#include "vk/memory/first_use.h"
#include "vk/memory/memory.h"
#include "vk/memory/pinned.h"
#include "vk/memory/shared.h"
#include "vk/memory/staging.h"

#include "base/trace.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK   ((uint64_t)4 << 20)
#define SMALL_BLOCK   ((uint64_t)16 << 20)
#define LARGEST_BLOCK ((uint64_t)32 << 20)
#define LARGEST_SEEN  ((uint64_t)64 << 20)
#define LARGE_BUFFER  ((uint64_t)4 << 30)

/* ---- which memory types serve which kind ---- */

static void add_candidates(struct vkb_device *device, enum vkb_memory_kind kind, VkMemoryPropertyFlags with,
                           VkMemoryPropertyFlags without)
{
    struct memory *memory = device->memory;
    const VkPhysicalDeviceMemoryProperties *properties = &device->memory_properties;
    const VkMemoryPropertyFlags never = VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                        VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = properties->memoryTypes[i].propertyFlags;
        if ((flags & with) != with || flags & (without | never))
            continue;
        /* A small window into device memory (the classic 256 MiB) is not used. */
        if (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT && flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT &&
            properties->memoryHeaps[properties->memoryTypes[i].heapIndex].size <= ((uint64_t)256 << 20) &&
            !device->caps.unified_memory)
            continue;
        bool known = false;
        for (uint32_t k = 0; k < memory->num_candidates[kind]; k++)
            known |= memory->candidates[kind][k] == i;
        if (!known && memory->num_candidates[kind] < MAX_CANDIDATES)
            memory->candidates[kind][memory->num_candidates[kind]++] = i;
    }
}

/* Everything that outlives a failed opening: the locks, and what they guard. */
static enum vkb_result make_room(struct vkb_device *device)
{
    if (!device->memory && (device->memory = calloc(1, sizeof(*device->memory)))) {
        pthread_mutex_init(&device->memory->lock, NULL);
        for (int i = 0; i < NUM_POOLS; i++)
            pthread_mutex_init(&device->memory->pools[i].growing, NULL);
        vkb_keep_init(device);
    }
    if (device->memory && !device->memory->first_uses)
        device->memory->first_uses = vkb_first_uses_create();
    if (!device->staging && (device->staging = calloc(1, sizeof(*device->staging))))
        pthread_mutex_init(&device->staging->lock, NULL);
    if (!device->pinned && (device->pinned = calloc(1, sizeof(*device->pinned))))
        pthread_mutex_init(&device->pinned->lock, NULL);
    return device->memory && device->memory->first_uses && device->staging && device->pinned ? VKB_SUCCESS
                                                                                             : VKB_OUT_OF_HOST_MEMORY;
}

enum vkb_result vkb_memory_init(struct vkb_device *device)
{
    if (make_room(device) != VKB_SUCCESS)
        return VKB_OUT_OF_HOST_MEMORY;
    memset(device->memory->num_candidates, 0, sizeof(device->memory->num_candidates));
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (device->caps.unified_memory)
        add_candidates(device, VKB_MEMORY_DEVICE, local | host | cached, 0);
    else if (device->caps.rebar)
        add_candidates(device, VKB_MEMORY_DEVICE, local | host, 0);
    add_candidates(device, VKB_MEMORY_DEVICE, local, 0);
    add_candidates(device, VKB_MEMORY_UPLOAD, local | host, 0);
    add_candidates(device, VKB_MEMORY_UPLOAD, host, 0);
    add_candidates(device, VKB_MEMORY_HOST, host | cached, local);
    add_candidates(device, VKB_MEMORY_HOST, host | cached, 0);
    add_candidates(device, VKB_MEMORY_HOST, host, 0);
    if (device->caps.unified_memory)
        add_candidates(device, VKB_MEMORY_SHARED, local | host | cached, 0);
    add_candidates(device, VKB_MEMORY_SHARED, host | cached, 0);
    add_candidates(device, VKB_MEMORY_SHADOWED, local, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    add_candidates(device, VKB_MEMORY_SHADOWED, local, 0);
    for (int i = 0; i < MEMORY_KINDS; i++) {
        if (!device->memory->num_candidates[i] && i != VKB_MEMORY_SHARED && !device->caps.compile_only)
            return VKB_UNSUPPORTED;
    }
    uint64_t size = LARGEST_BLOCK;
    while (size > FIRST_BLOCK && size > device->caps.device_memory / 64)
        size /= 2;
    device->memory->block_size = size;
    for (int i = 0; i < NUM_POOLS; i++) {
        struct memory_pool *pool = &device->memory->pools[i];
        bool small = i < BUFFER_POOLS && i % POOL_SIZES == POOL_SMALL;
        pool->kind = (enum vkb_memory_kind)(i < BUFFER_POOLS ? i / POOL_SIZES : VKB_MEMORY_DEVICE);
        pool->largest = small ? u64_min(SMALL_BLOCK, size) : size;
        pool->next_size = FIRST_BLOCK;
    }
    device->memory->keeps_most = device->caps.device_memory / 8;
    atomic_init(&device->memory->refused_size, UINT64_MAX);
    return VKB_SUCCESS;
}

/* ---- blocks ---- */

void vkb_block_count_large(struct vkb_device *device, const struct memory_block *block, bool counts)
{
    if (block->size >= LARGE_BUFFER && counts)
        atomic_fetch_add(&device->memory->num_large, 1);
    else if (block->size >= LARGE_BUFFER)
        atomic_fetch_sub(&device->memory->num_large, 1);
}

uint32_t vkb_memory_heap(const struct vkb_device *device, enum vkb_memory_kind kind)
{
    return device->memory_properties.memoryTypes[device->memory->candidates[kind][0]].heapIndex;
}

/* Takes the reservation over. */
static void count_held(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind, uint32_t heap,
                       uint64_t size)
{
    block->kind = kind;
    block->heap = heap;
    block->reserved = size;
    atomic_fetch_add(&device->memory->held, size);
    atomic_fetch_add(&device->memory->held_in[heap], size);
}

void vkb_block_destroy(struct vkb_device *device, struct memory_block *block)
{
    if (!block)
        return;
    if (block->buffer) {
        device->vk.vkDestroyBuffer(device->handle, block->buffer, NULL);
        vkb_block_count_large(device, block, false);
    }
    if (block->memory)
        device->vk.vkFreeMemory(device->handle, block->memory, NULL); /* unmaps too */
    for (uint32_t i = 0; i < block->num_parts; i++)
        device->vk.vkFreeMemory(device->handle, block->parts[i], NULL);
    vkb_shadow_release(block);
    vkb_memory_unreserve(device, block->kind, block->reserved);
    atomic_fetch_sub(&device->memory->held, block->reserved);
    atomic_fetch_sub(&device->memory->held_in[block->heap], block->reserved);
    free(block->parts);
    free(block->part.spans); /* the one span that is left */
    free(block);
}

enum vkb_result vkb_block_create_buffer(struct vkb_device *device, struct memory_block *block,
                                        VkBufferCreateFlags flags, const VkExternalMemoryBufferCreateInfo *external)
{
    /* Memory of another process goes from owner to owner, which shared buffers cannot. */
    bool foreign = external && external->handleTypes != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    bool shared = device->num_lanes && device->lane_family != device->family && !foreign;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = external,
        .flags = flags,
        .size = block->size,
        .usage = BLOCK_USAGE,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = (const uint32_t[]){device->family, device->lane_family},
    };
    enum vkb_result result = CHECK(device, device->vk.vkCreateBuffer(device->handle, &info, NULL, &block->buffer));
    if (result == VKB_SUCCESS)
        vkb_block_count_large(device, block, true);
    return result;
}

bool vkb_device_has_large_buffers(const struct vkb_device *device)
{
    return atomic_load(&device->memory->num_large);
}

enum vkb_result vkb_block_bind(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind,
                               uint64_t size, uint32_t type, const struct memory_source *source)
{
    void *pointer = source ? source->pages : NULL;
    struct memory_chain chain;
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = source ? vkb_source_chain(source, block->buffer, VK_NULL_HANDLE, &chain) : NULL,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = size,
        .memoryTypeIndex = type,
    };
    enum vkb_result result = CHECK(device, device->vk.vkAllocateMemory(device->handle, &info, NULL, &block->memory));
    if (result != VKB_SUCCESS)
        return result;
    block->type = type;
    block->imported = pointer != NULL;
    result = CHECK(device, device->vk.vkBindBufferMemory(device->handle, block->buffer, block->memory, 0));
    VkMemoryPropertyFlags properties = device->memory_properties.memoryTypes[type].propertyFlags;
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = block->buffer};
    if (result == VKB_SUCCESS)
        block->address = device->vk.vkGetBufferDeviceAddress(device->handle, &address);
    if (result == VKB_SUCCESS && pointer) {
        block->map = pointer;
        block->cached = true;
    } else if (result == VKB_SUCCESS && kind == VKB_MEMORY_SHARED) {
        block->allocated = size; /* vkb_block_create() maps it */
        block->cached = properties & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    } else if (result == VKB_SUCCESS && properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT &&
               kind != VKB_MEMORY_SHADOWED && (kind != VKB_MEMORY_DEVICE || device->caps.device_map)) {
        void *map;
        result = CHECK(device, device->vk.vkMapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &map));
        if (result == VKB_SUCCESS)
            block->map = map;
        block->cached = properties & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    }
    if (result != VKB_SUCCESS) {
        device->vk.vkFreeMemory(device->handle, block->memory, NULL);
        block->memory = VK_NULL_HANDLE;
        return result;
    }
    return VKB_SUCCESS;
}

/* Large device-local buffers do without a memory type that the host can see: staging moves them faster. */
static bool type_fits(struct vkb_device *device, enum vkb_memory_kind kind, uint32_t type, uint64_t size)
{
    VkMemoryPropertyFlags flags = device->memory_properties.memoryTypes[type].propertyFlags;
    return kind != VKB_MEMORY_DEVICE || device->caps.unified_memory || !(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) ||
           size <= LARGEST_SEEN;
}

/* source: NULL, or how the memory is exported. */
static enum vkb_result create_single(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size,
                                     const struct memory_source *source, struct memory_block **out)
{
    struct memory_block *block = calloc(1, sizeof(*block));
    if (!block)
        return VKB_OUT_OF_HOST_MEMORY;
    block->size = size;
    if (!vkb_memory_reserve(device, kind, size)) {
        free(block);
        return VKB_OUT_OF_DEVICE_MEMORY;
    }
    count_held(device, block, kind, vkb_memory_heap(device, kind), size);
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = source ? source->handle : 0,
    };
    enum vkb_result result = vkb_block_create_buffer(device, block, 0, source ? &external : NULL);
    if (result == VKB_SUCCESS) {
        VkMemoryRequirements needs;
        device->vk.vkGetBufferMemoryRequirements(device->handle, block->buffer, &needs);
        const struct memory *memory = device->memory;
        /* First the types that suit the size are tried, then any. */
        result = VKB_OUT_OF_DEVICE_MEMORY;
        for (int any = 0; any < 2 && result != VKB_SUCCESS; any++) {
            for (uint32_t i = 0; i < memory->num_candidates[kind] && result != VKB_SUCCESS; i++) {
                uint32_t type = memory->candidates[kind][i];
                if (needs.memoryTypeBits >> type & 1 && type_fits(device, kind, type, size) == !any)
                    result = vkb_block_bind(device, block, kind, needs.size, type, source);
            }
        }
    }
    if (result != VKB_SUCCESS) {
        vkb_block_destroy(device, block);
        return result;
    }
    *out = block;
    return VKB_SUCCESS;
}

/* For a trace: the driver has made a block of it. */
static void trace_block(bool of_host, uint64_t size, uint64_t began_ns)
{
    if (began_ns)
        trace_span("make", of_host ? "memory of the host" : "memory", began_ns, "\"bytes\":%llu",
                   (unsigned long long)size);
}

enum vkb_result vkb_block_create_plain(struct vkb_device *device, uint32_t type, uint64_t size, const void *next,
                                       struct memory_block **out)
{
    struct memory_block *block = calloc(1, sizeof(*block));
    if (!block)
        return VKB_OUT_OF_HOST_MEMORY;
    if (!vkb_memory_reserve(device, VKB_MEMORY_DEVICE, size)) {
        free(block);
        return VKB_OUT_OF_DEVICE_MEMORY;
    }
    block->size = size;
    block->type = type;
    count_held(device, block, VKB_MEMORY_DEVICE, device->memory_properties.memoryTypes[type].heapIndex, size);
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = next,
        .allocationSize = size,
        .memoryTypeIndex = type,
    };
    uint64_t began = trace_enabled() ? time_ns() : 0;
    enum vkb_result result = CHECK(device, device->vk.vkAllocateMemory(device->handle, &info, NULL, &block->memory));
    trace_block(false, size, began);
    if (result != VKB_SUCCESS) {
        block->memory = VK_NULL_HANDLE;
        vkb_block_destroy(device, block);
        return result;
    }
    *out = block;
    return VKB_SUCCESS;
}

static enum vkb_result create_sparse(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size,
                                     struct memory_block **out)
{
    struct memory_block *block = calloc(1, sizeof(*block));
    if (!block)
        return VKB_OUT_OF_HOST_MEMORY;
    block->size = size;
    if (!vkb_memory_reserve(device, kind, size)) {
        free(block);
        return VKB_OUT_OF_DEVICE_MEMORY;
    }
    count_held(device, block, kind, vkb_memory_heap(device, kind), size);
    enum vkb_result result = vkb_block_create_buffer(device, block, VK_BUFFER_CREATE_SPARSE_BINDING_BIT, NULL);
    if (result == VKB_SUCCESS)
        result = vkb_sparse_back(device, block, kind);
    if (result != VKB_SUCCESS) {
        vkb_block_destroy(device, block);
        return result;
    }
    *out = block;
    return VKB_SUCCESS;
}

/* Makes a block's memory. One allocation is tried first, since drivers may give more in one piece than they promise
 * (NVIDIA promises 4 GiB and gives 64). It is not tried if the driver has refused a piece of this size before while its
 * parts could be had. */
static enum vkb_result create_memory(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size,
                                     struct memory_block **out)
{
    atomic_ullong *refused = &device->memory->refused_size;
    bool may_be_sparse = (kind == VKB_MEMORY_DEVICE || kind == VKB_MEMORY_SHADOWED) && device->caps.sparse_space &&
                         size > u64_min(device->caps.max_single_allocation, *refused);
    if (!may_be_sparse)
        return create_single(device, kind, size, NULL, out);
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    if (size < *refused)
        result = create_single(device, kind, size, NULL, out);
    if (result == VKB_SUCCESS || result == VKB_DEVICE_LOST)
        return result;
    result = create_sparse(device, kind, size, out);
    if (result == VKB_SUCCESS && size < *refused)
        *refused = size;
    return result;
}

/* Where host and device use one address, something of the process may be there already. Then other memory is taken,
 * while what was refused keeps its address. */
enum vkb_result vkb_block_create(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size,
                                 struct memory_block **out)
{
    enum { PLACES = 4 };
    struct memory_block *refused[PLACES];
    uint32_t num_refused = 0;
    uint64_t began = trace_enabled() ? time_ns() : 0;
    enum vkb_result result;
    bool again;
    do {
        again = false;
        result = create_memory(device, kind, size, out);
        if (result != VKB_SUCCESS || (kind != VKB_MEMORY_SHARED && kind != VKB_MEMORY_SHADOWED))
            break;
        result = kind == VKB_MEMORY_SHARED ? vkb_shared_map(device, *out) : vkb_shadow_reserve(device, *out);
        if (result != VKB_SUCCESS) {
            refused[num_refused++] = *out;
            again = result == VKB_UNSUPPORTED && num_refused < PLACES;
        }
    } while (again);
    while (num_refused)
        vkb_block_destroy(device, refused[--num_refused]);
    trace_block(kind == VKB_MEMORY_HOST, size, began);
    return result;
}

enum vkb_result vkb_block_create_exported(struct vkb_device *device, uint64_t size, const struct memory_source *source,
                                          struct memory_block **out)
{
    return create_single(device, VKB_MEMORY_DEVICE, size, source, out);
}
