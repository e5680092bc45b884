/* A Vulkan layer that plays other processes which have nearly all of the devices' memory: an instance gets no more than
 * PUMICE_TEST_FREE_MIB MiB (64), and that is the budget which its devices tell. One device at a time. */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 4096 };

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;
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
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_proc(instance, "vkCreateDevice");
    VkResult result = create(physical, info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    next_allocate = (PFN_vkAllocateMemory)next_device_proc(*handle, "vkAllocateMemory");
    next_free = (PFN_vkFreeMemory)next_device_proc(*handle, "vkFreeMemory");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL crowded_CreateInstance(const VkInstanceCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
    VkResult result = create ? create(info, allocator, handle) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS)
        return result;
    instance = *handle;
    next_properties =
        (PFN_vkGetPhysicalDeviceMemoryProperties2)next_instance_proc(instance, "vkGetPhysicalDeviceMemoryProperties2");
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL crowded_GetInstanceProcAddr(VkInstance handle, const char *name);
static PFN_vkVoidFunction VKAPI_CALL crowded_GetDeviceProcAddr(VkDevice handle, const char *name);

static PFN_vkVoidFunction find_own(const char *name)
{
#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        "vk" #name, (PFN_vkVoidFunction)crowded_##name                                                                 \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } own[] = {
        ROW(GetInstanceProcAddr),
        ROW(GetDeviceProcAddr),
        ROW(CreateInstance),
        ROW(CreateDevice),
        ROW(AllocateMemory),
        ROW(FreeMemory),
        ROW(GetPhysicalDeviceMemoryProperties2),
        {"vkGetPhysicalDeviceMemoryProperties2KHR", (PFN_vkVoidFunction)crowded_GetPhysicalDeviceMemoryProperties2}};
#undef ROW
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (!strcmp(own[i].name, name))
            return own[i].call;
    }
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL crowded_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = find_own(name);
    return own ? own : handle ? next_instance_proc(handle, name) : NULL;
}

static PFN_vkVoidFunction VKAPI_CALL crowded_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    PFN_vkVoidFunction own = find_own(name);
    return own ? own : next_device_proc(handle, name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = crowded_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = crowded_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
