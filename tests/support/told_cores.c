/* A Vulkan layer that has every device tell its cores as ARM's drivers do, by VK_ARM_shader_core_builtins: ten, of 64
 * warps each. One instance at a time. */
#include "tests/support/layer.h"

#include <string.h>

static PFN_vkGetPhysicalDeviceProperties2 next_properties;
static PFN_vkEnumerateDeviceExtensionProperties next_extensions;

static VKAPI_ATTR VkResult VKAPI_CALL cores_CreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkResult result = layer_create_instance(info, allocator, handle);
    if (result == VK_SUCCESS) {
        next_properties =
            (PFN_vkGetPhysicalDeviceProperties2)next_instance_proc(*handle, "vkGetPhysicalDeviceProperties2");
        next_extensions = (PFN_vkEnumerateDeviceExtensionProperties)next_instance_proc(
            *handle, "vkEnumerateDeviceExtensionProperties");
    }
    return result;
}

/* The driver's, and one more. */
static VKAPI_ATTR VkResult VKAPI_CALL cores_EnumerateDeviceExtensionProperties(VkPhysicalDevice device,
                                                                               const char *layer, uint32_t *count,
                                                                               VkExtensionProperties *list)
{
    uint32_t room = *count;
    if (list && room)
        --*count;
    VkResult result = next_extensions(device, layer, count, list);
    if (result == VK_SUCCESS && list && *count < room)
        list[*count] = (VkExtensionProperties){VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME, 2};
    ++*count;
    return result;
}

static VKAPI_ATTR void VKAPI_CALL cores_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                     VkPhysicalDeviceProperties2 *properties)
{
    next_properties(device, properties);
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)properties; s; s = s->pNext) {
        VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM *cores = (VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM *)s;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM) {
            cores->shaderCoreMask = 0x3ff;
            cores->shaderCoreCount = 10;
            cores->shaderWarpsPerCore = 64;
        }
    }
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {
        LAYER_ROW(cores, CreateInstance),
        LAYER_ROW(cores, EnumerateDeviceExtensionProperties),
        LAYER_ROW(cores, GetPhysicalDeviceProperties2),
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)cores_GetPhysicalDeviceProperties2}};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(false)
