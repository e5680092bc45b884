/* What the simple Vulkan layers of the tests share: they pass everything on but a few calls of their own, and know one instance
 * and one device at a time. A layer defines own_call(), and LAYER_EXPORT at its end gives it to Vulkan's loader. */
#ifndef TESTS_SUPPORT_LAYER_H
#define TESTS_SUPPORT_LAYER_H

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct layer_call {
    const char *name;
    PFN_vkVoidFunction call;
};

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;
static bool has_device_calls; /* else the loader leaves the layer out of devices */

/* The layer's own function of that name, NULL: it has none. */
static PFN_vkVoidFunction own_call(const char *name);

#define LAYER_ROW(prefix, name)                                                                                        \
    {                                                                                                                  \
        "vk" #name, (PFN_vkVoidFunction)prefix##_##name                                                                \
    }

static inline PFN_vkVoidFunction layer_find(const struct layer_call *calls, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(calls[i].name, name))
            return calls[i].call;
    }
    return NULL;
}

/* Makes the instance by the next layer or the driver: vkCreateInstance of a layer that has none of its own. */
static inline VKAPI_ATTR VkResult VKAPI_CALL layer_create_instance(const VkInstanceCreateInfo *info,
                                                                   const VkAllocationCallbacks *allocator,
                                                                   VkInstance *handle)
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
        instance = *handle;
    return result;
}

/* The same for a layer's own vkCreateDevice. */
static inline VkResult layer_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
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
    return create(physical, info, allocator, handle);
}

static inline PFN_vkVoidFunction VKAPI_CALL layer_device_proc(VkDevice handle, const char *name)
{
    PFN_vkVoidFunction own =
        !strcmp(name, "vkGetDeviceProcAddr") ? (PFN_vkVoidFunction)layer_device_proc : own_call(name);
    return own ? own : next_device_proc(handle, name);
}

static inline PFN_vkVoidFunction VKAPI_CALL layer_instance_proc(VkInstance handle, const char *name)
{
    if (!strcmp(name, "vkGetInstanceProcAddr"))
        return (PFN_vkVoidFunction)layer_instance_proc;
    if (!strcmp(name, "vkGetDeviceProcAddr") && has_device_calls)
        return (PFN_vkVoidFunction)layer_device_proc;
    PFN_vkVoidFunction own = own_call(name);
    if (!own && !strcmp(name, "vkCreateInstance"))
        return (PFN_vkVoidFunction)layer_create_instance;
    return own ? own : handle ? next_instance_proc(handle, name) : NULL;
}

static inline VkResult layer_negotiate(VkNegotiateLayerInterface *interface, bool with_devices)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    has_device_calls = with_devices;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = layer_instance_proc;
    interface->pfnGetDeviceProcAddr = with_devices ? layer_device_proc : NULL;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}

#define LAYER_EXPORT(with_devices)                                                                                     \
    __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(      \
        VkNegotiateLayerInterface *interface);                                                                         \
    __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(      \
        VkNegotiateLayerInterface *interface)                                                                          \
    {                                                                                                                  \
        return layer_negotiate(interface, with_devices);                                                               \
    }

#endif
