/* A Vulkan layer that has every device say that it is lavapipe of Mesa 22.3.6, which cuts loops short: for what Pumice and its
 * tool say of such a driver. Nothing of it is installed. One instance at a time. */
#include "tests/support/layer.h"

#include <string.h>

#define OLD "Mesa 22.3.6 (LLVM 15.0.6)"

static PFN_vkGetPhysicalDeviceProperties2
    next_properties; /* asked for while the instance is made: later it is this layer's */

static VKAPI_ATTR VkResult VKAPI_CALL old_CreateInstance(const VkInstanceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkResult result = layer_create_instance(info, allocator, handle);
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

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {
        LAYER_ROW(old, CreateInstance),
        LAYER_ROW(old, GetPhysicalDeviceProperties2),
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)old_GetPhysicalDeviceProperties2}};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(false)
