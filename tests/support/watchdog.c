/* A Vulkan layer that plays a watchdog: a submission that takes longer than PUMICE_TEST_WATCHDOG_MS loses the device, as
 * the driver of a desktop's or a phone's GPU has it. It waits for each submission, so that nothing of a lost device runs
 * on. Another device that is made afterwards works again. Nothing of it is installed. One instance and one device at a
 * time. */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;
static VkDevice device;
static PFN_vkQueueSubmit next_submit;
static PFN_vkCreateFence next_create_fence;
static PFN_vkDestroyFence next_destroy_fence;
static PFN_vkWaitForFences next_wait;
static PFN_vkWaitSemaphores next_wait_semaphores;
static PFN_vkGetSemaphoreCounterValue next_value;
static atomic_bool lost;

static uint64_t limit_ns(void)
{
    const char *text = getenv("PUMICE_TEST_WATCHDOG_MS");
    return text ? strtoull(text, NULL, 10) * 1000000 : UINT64_MAX;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                           VkFence given)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    if (lost)
        return VK_ERROR_DEVICE_LOST;
    VkResult result = next_submit(queue, count, infos, given);
    if (result != VK_SUCCESS || next_create_fence(device, &info, NULL, &fence) != VK_SUCCESS)
        return result;
    if (next_submit(queue, 0, NULL, fence) == VK_SUCCESS &&
        next_wait(device, 1, &fence, VK_TRUE, limit_ns()) == VK_TIMEOUT) {
        lost = true;
        next_wait(device, 1, &fence, VK_TRUE, UINT64_MAX);
    }
    next_destroy_fence(device, fence, NULL);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                             VkBool32 all, uint64_t timeout)
{
    return lost ? VK_ERROR_DEVICE_LOST : next_wait(handle, count, fences, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                              uint64_t timeout)
{
    return lost ? VK_ERROR_DEVICE_LOST : next_wait_semaphores(handle, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                                        uint64_t *value)
{
    return lost ? VK_ERROR_DEVICE_LOST : next_value(handle, semaphore, value);
}

static void *find_link(const void *info, VkStructureType type, VkLayerFunction function)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info; /* a device's begins in the same way */
    while (link && (link->sType != type || link->function != function))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    return link;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkLayerDeviceCreateInfo *link =
        find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_proc(instance, "vkCreateDevice");
    VkResult result = create(physical, info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    device = *handle;
    lost = false;
    next_submit = (PFN_vkQueueSubmit)next_device_proc(device, "vkQueueSubmit");
    next_create_fence = (PFN_vkCreateFence)next_device_proc(device, "vkCreateFence");
    next_destroy_fence = (PFN_vkDestroyFence)next_device_proc(device, "vkDestroyFence");
    next_wait = (PFN_vkWaitForFences)next_device_proc(device, "vkWaitForFences");
    next_wait_semaphores = (PFN_vkWaitSemaphores)next_device_proc(device, "vkWaitSemaphores");
    next_value = (PFN_vkGetSemaphoreCounterValue)next_device_proc(device, "vkGetSemaphoreCounterValue");
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_CreateInstance(const VkInstanceCreateInfo *info,
                                                              const VkAllocationCallbacks *allocator,
                                                              VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link =
        find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
    VkResult result = create ? create(info, allocator, handle) : VK_ERROR_INITIALIZATION_FAILED;
    if (result == VK_SUCCESS)
        instance = *handle;
    return result;
}

static PFN_vkVoidFunction VKAPI_CALL watchdog_GetInstanceProcAddr(VkInstance handle, const char *name);
static PFN_vkVoidFunction VKAPI_CALL watchdog_GetDeviceProcAddr(VkDevice handle, const char *name);

static PFN_vkVoidFunction find_own(const char *name)
{
#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        "vk" #name, (PFN_vkVoidFunction)watchdog_##name                                                                \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } own[] = {ROW(GetInstanceProcAddr),
               ROW(GetDeviceProcAddr),
               ROW(CreateInstance),
               ROW(CreateDevice),
               ROW(QueueSubmit),
               ROW(WaitForFences),
               ROW(WaitSemaphores),
               ROW(GetSemaphoreCounterValue),
               {"vkWaitSemaphoresKHR", (PFN_vkVoidFunction)watchdog_WaitSemaphores},
               {"vkGetSemaphoreCounterValueKHR", (PFN_vkVoidFunction)watchdog_GetSemaphoreCounterValue}};
#undef ROW
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (!strcmp(own[i].name, name))
            return own[i].call;
    }
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL watchdog_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = find_own(name);
    return own ? own : handle ? next_instance_proc(handle, name) : NULL;
}

static PFN_vkVoidFunction VKAPI_CALL watchdog_GetDeviceProcAddr(VkDevice handle, const char *name)
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
    interface->pfnGetInstanceProcAddr = watchdog_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = watchdog_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
