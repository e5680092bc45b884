/* A Vulkan layer whose drivers have faulty compilers: what a pipeline meets depends on the first of its specialisation
 * constants, the width of its work-groups. 13: SIGSEGV; 17: it is never done; 19: the process ends, as LLVM's fatal
 * errors have it; 23: it is refused. One device at a time. */
#include "tests/support/layer.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

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
    VkResult result = layer_create_device(physical, info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    next_create = (PFN_vkCreateComputePipelines)next_device_proc(*handle, "vkCreateComputePipelines");
    return VK_SUCCESS;
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {LAYER_ROW(faulty, CreateDevice), LAYER_ROW(faulty, CreateComputePipelines)};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(true)
