/* A Vulkan layer that plays other processes which have nearly all of the devices' memory: an instance gets no more than
 * PUMICE_TEST_FREE_MIB MiB (64), and that is the budget which its devices tell. One device at a time. */
#include "tests/support/layer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static PFN_vkGetPhysicalDeviceMemoryProperties2 next_properties;
static PFN_vkAllocateMemory next_allocate;
static PFN_vkFreeMemory next_free;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static VkDeviceSize taken;
static struct {
    VkDeviceMemory handle;
    VkDeviceSize size;
} memories[MOST];

static VkDeviceSize limit(void)
{
    const char *text = getenv("PUMICE_TEST_FREE_MIB");
    return (VkDeviceSize)(text ? atoi(text) : 64) << 20;
}

static VKAPI_ATTR void VKAPI_CALL
crowded_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *properties)
{
    next_properties(physical, properties);
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)properties; s; s = s->pNext) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = (VkPhysicalDeviceMemoryBudgetPropertiesEXT *)s;
        if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            continue;
        pthread_mutex_lock(&lock);
        for (uint32_t i = 0; i < properties->memoryProperties.memoryHeapCount; i++) {
            budget->heapBudget[i] = limit();
            budget->heapUsage[i] = taken;
        }
        pthread_mutex_unlock(&lock);
    }
}

/* The place of a memory; that of VK_NULL_HANDLE is free. With the lock held. */
static size_t find(VkDeviceMemory handle)
{
    size_t i = 0;
    while (i < MOST && memories[i].handle != handle)
        i++;
    return i;
}

static VKAPI_ATTR VkResult VKAPI_CALL crowded_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkDeviceMemory *memory)
{
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    pthread_mutex_lock(&lock);
    size_t i = find(VK_NULL_HANDLE);
    if (i < MOST && info->allocationSize <= limit() && taken <= limit() - info->allocationSize)
        result = next_allocate(device, info, allocator, memory);
    if (result == VK_SUCCESS) {
        memories[i].handle = *memory;
        memories[i].size = info->allocationSize;
        taken += info->allocationSize;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL crowded_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                                     const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&lock);
    size_t i = memory ? find(memory) : MOST;
    if (i < MOST) {
        taken -= memories[i].size;
        memories[i].handle = VK_NULL_HANDLE;
    }
    next_free(device, memory, allocator);
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL crowded_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkResult result = layer_create_device(physical, info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    next_allocate = (PFN_vkAllocateMemory)next_device_proc(*handle, "vkAllocateMemory");
    next_free = (PFN_vkFreeMemory)next_device_proc(*handle, "vkFreeMemory");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL crowded_CreateInstance(const VkInstanceCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkResult result = layer_create_instance(info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    next_properties =
        (PFN_vkGetPhysicalDeviceMemoryProperties2)next_instance_proc(instance, "vkGetPhysicalDeviceMemoryProperties2");
    return VK_SUCCESS;
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {

        LAYER_ROW(crowded, CreateInstance),
        LAYER_ROW(crowded, CreateDevice),
        LAYER_ROW(crowded, AllocateMemory),
        LAYER_ROW(crowded, FreeMemory),
        LAYER_ROW(crowded, GetPhysicalDeviceMemoryProperties2),
        {"vkGetPhysicalDeviceMemoryProperties2KHR", (PFN_vkVoidFunction)crowded_GetPhysicalDeviceMemoryProperties2}};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(true)
