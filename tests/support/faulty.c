/* A Vulkan layer whose drivers have faulty compilers: what a pipeline meets depends on the first of its specialisation
 * constants, the width of its work-groups. 13: SIGSEGV; 17: it is never done; 19: the process ends, as LLVM's fatal
 * errors have it; 23: it is refused. One device at a time. */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;
static PFN_vkCreateComputePipelines next_create;

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                    uint32_t count,
                                                                    const VkComputePipelineCreateInfo *infos,
                                                                    const VkAllocationCallbacks *allocator,
                                                                    VkPipeline *pipelines)
{
    const VkSpecializationInfo *info = infos[0].stage.pSpecializationInfo;
    uint32_t width = 0;
    if (info && info->dataSize >= sizeof(width))
        memcpy(&width, info->pData, sizeof(width));
    if (width == 13)
        raise(SIGSEGV);
    while (width == 17)
        pause();
    if (width == 19)
        _exit(7);
    if (width == 23)
        return VK_ERROR_UNKNOWN;
    return next_create(device, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
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
    next_create = (PFN_vkCreateComputePipelines)next_device_proc(*handle, "vkCreateComputePipelines");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateInstance(const VkInstanceCreateInfo *info,
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
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL faulty_GetInstanceProcAddr(VkInstance handle, const char *name);
static PFN_vkVoidFunction VKAPI_CALL faulty_GetDeviceProcAddr(VkDevice handle, const char *name);

static PFN_vkVoidFunction find_own(const char *name)
{
#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        "vk" #name, (PFN_vkVoidFunction)faulty_##name                                                                  \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } own[] = {ROW(GetInstanceProcAddr), ROW(GetDeviceProcAddr), ROW(CreateInstance), ROW(CreateDevice),
               ROW(CreateComputePipelines)};
#undef ROW
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (!strcmp(own[i].name, name))
            return own[i].call;
    }
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL faulty_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = find_own(name);
    return own ? own : handle ? next_instance_proc(handle, name) : NULL;
}

static PFN_vkVoidFunction VKAPI_CALL faulty_GetDeviceProcAddr(VkDevice handle, const char *name)
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
    interface->pfnGetInstanceProcAddr = faulty_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = faulty_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
