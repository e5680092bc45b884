/* A Vulkan layer that has every device say that it is lavapipe of Mesa 22.3.6, which cuts loops short: for what Pumice and its
 * tool say of such a driver. Nothing of it is installed. One instance at a time. */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define OLD "Mesa 22.3.6 (LLVM 15.0.6)"

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetPhysicalDeviceProperties2
    next_properties; /* asked for while the instance is made: later it is this layer's */

static VKAPI_ATTR VkResult VKAPI_CALL old_CreateInstance(const VkInstanceCreateInfo *info,
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
    if (result == VK_SUCCESS)
        next_properties =
            (PFN_vkGetPhysicalDeviceProperties2)next_instance_proc(*handle, "vkGetPhysicalDeviceProperties2");
    return result;
}

static VKAPI_ATTR void VKAPI_CALL old_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                   VkPhysicalDeviceProperties2 *properties)
{
    next_properties(device, properties);
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)properties; s; s = s->pNext) {
        VkPhysicalDeviceDriverProperties *driver = (VkPhysicalDeviceDriverProperties *)s;
        VkPhysicalDeviceVulkan12Properties *all = (VkPhysicalDeviceVulkan12Properties *)s;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            driver->driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
            strcpy(driver->driverInfo, OLD);
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
            all->driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
            strcpy(all->driverInfo, OLD);
        }
    }
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL old_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    if (!strcmp(name, "vkGetInstanceProcAddr"))
        return (PFN_vkVoidFunction)old_GetInstanceProcAddr;
    if (!strcmp(name, "vkCreateInstance"))
        return (PFN_vkVoidFunction)old_CreateInstance;
    if (!strcmp(name, "vkGetPhysicalDeviceProperties2") || !strcmp(name, "vkGetPhysicalDeviceProperties2KHR"))
        return (PFN_vkVoidFunction)old_GetPhysicalDeviceProperties2;
    return handle ? next_instance_proc(handle, name) : NULL;
}

/* No functions of devices: the loader leaves the layer out there. */
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = old_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = NULL;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
