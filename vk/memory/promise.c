/* How much memory there is, and promises of it.
 *
 * An object's memory is taken when it is first needed, so that objects cost nothing to create. That there will be memory
 * is decided when it is created all the same: what was promised is counted, and together with what was taken it may not
 * be more than the driver says is left (VK_EXT_memory_budget). Memory that we keep unused counts as left. Where nothing
 * is promised to anybody, an object that there seems to be no memory for is allocated at once: the driver has the last
 * word. Else it is refused, since the memory that it would get is another's.
 *
 * The question to the driver takes it some ten microseconds, so it is asked again only if its last answer is a second
 * old, or if little is left of what it said. Between two answers we count what we take ourselves. */
#include "vk/device/device.h"
#include "vk/memory/memory.h"

#define OLD_NS  ((uint64_t)1000000000)
#define SOON_NS ((uint64_t)10000000)

/* Asks the driver. */
static void read_heaps(struct vkb_device *device, VkPhysicalDeviceMemoryBudgetPropertiesEXT *found)
{
    *found = (VkPhysicalDeviceMemoryBudgetPropertiesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                    .pNext = found};
    vkGetPhysicalDeviceMemoryProperties2(device->physical, &properties);
}

static uint64_t left_of(const VkPhysicalDeviceMemoryBudgetPropertiesEXT *found, uint32_t heap)
{
    return found->heapBudget[heap] > found->heapUsage[heap] ? found->heapBudget[heap] - found->heapUsage[heap] : 0;
}

bool vkb_memory_budget(struct vkb_device *device, uint64_t *budget, uint64_t *available)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT found;
    if (!device->extensions.memory_budget || vkb_gone())
        return false;
    read_heaps(device, &found);
    *budget = found.heapBudget[device->memory_heap];
    *available = left_of(&found, device->memory_heap);
    return true;
}

/* Without the extension all of the heap is ours. Called without the lock. */
static void take_reading(struct vkb_device *device)
{
    struct memory *memory = device->memory;
    const VkPhysicalDeviceMemoryProperties *properties = &device->memory_properties;
    struct memory_reading reading = {.time_ns = time_ns()};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT found;
    bool told = device->extensions.memory_budget;
    if (told)
        read_heaps(device, &found);
    for (uint32_t i = 0; i < properties->memoryHeapCount; i++) {
        reading.available[i] = told ? left_of(&found, i) : properties->memoryHeaps[i].size;
        reading.held[i] = told ? atomic_load(&memory->held_in[i]) : 0;
    }
    pthread_mutex_lock(&memory->lock);
    memory->reading = reading;
    pthread_mutex_unlock(&memory->lock);
}

/* With the lock held, as what follows. */
static uint64_t count_promised(const struct vkb_device *device, uint32_t heap)
{
    const struct memory *memory = device->memory;
    uint64_t promised = 0;
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        if (memory->num_candidates[kind] && vkb_memory_heap(device, (enum vkb_memory_kind)kind) == heap)
            promised += memory->promised[kind];
    }
    return promised;
}

/* What may still be promised of a heap. */
static uint64_t count_free(const struct vkb_device *device, uint32_t heap)
{
    const struct memory *memory = device->memory;
    uint64_t have = memory->reading.available[heap] + memory->reading.held[heap] + vkb_keep_unused(device, heap);
    uint64_t gone = atomic_load(&memory->held_in[heap]) + count_promised(device, heap);
    return have > gone ? have - gone : 0;
}

static bool is_within_limit(const struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size)
{
    const struct memory *memory = device->memory;
    if (!vkb_memory_is_limited(device, kind))
        return true;
    uint64_t unused = vkb_keep_unused_limited(device), reserved = atomic_load(&memory->reserved);
    uint64_t used = reserved > unused ? reserved - unused : 0, limit = device->caps.heap_limit;
    for (int other = 0; other < MEMORY_KINDS; other++)
        used += vkb_memory_is_limited(device, (enum vkb_memory_kind)other) ? memory->promised[other] : 0;
    return used <= limit && size <= limit - used;
}

static enum vkb_promise try(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size, bool again)
{
    struct memory *memory = device->memory;
    uint32_t heap = vkb_memory_heap(device, kind);
    pthread_mutex_lock(&memory->lock);
    uint64_t age = time_ns() - memory->reading.time_ns;
    if (again || age > OLD_NS || (age > SOON_NS && size > count_free(device, heap) / 4)) {
        pthread_mutex_unlock(&memory->lock);
        take_reading(device);
        pthread_mutex_lock(&memory->lock);
    }
    enum vkb_promise promise = count_promised(device, heap) ? VKB_PROMISE_REFUSED : VKB_PROMISE_OPEN;
    if (size <= count_free(device, heap) && is_within_limit(device, kind, size)) {
        memory->promised[kind] += size;
        promise = VKB_PROMISE_MADE;
    }
    pthread_mutex_unlock(&memory->lock);
    return promise;
}

enum vkb_promise vkb_memory_promise(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size)
{
    if (!device->handle || vkb_gone() || vkb_device_lost(device) || !device->memory->num_candidates[kind])
        return VKB_PROMISE_OPEN;
    enum vkb_promise promise = try(device, kind, size, false);
    for (int effort = EFFORT_TRIM; effort <= EFFORT_WAIT && promise == VKB_PROMISE_REFUSED; effort++) {
        if (vkb_memory_recover(device, (enum memory_effort)effort))
            promise = try(device, kind, size, true);
    }
    return promise;
}

void vkb_memory_take_back(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size)
{
    struct memory *memory = device->memory;
    pthread_mutex_lock(&memory->lock);
    memory->promised[kind] -= size;
    pthread_mutex_unlock(&memory->lock);
}

bool vkb_device_memory(struct vkb_device *device, uint64_t *available, uint64_t *largest)
{
    uint64_t budget;
    if (!vkb_memory_budget(device, &budget, available))
        return false;
    if (device->handle) {
        take_reading(device);
        pthread_mutex_lock(&device->memory->lock);
        *available = count_free(device, device->memory_heap);
        pthread_mutex_unlock(&device->memory->lock);
    }
    *largest = u64_min(*available, device->caps.max_allocation);
    return true;
}
