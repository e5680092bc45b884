/* What memory and semaphores the device takes from other APIs and processes, and gives to them, by file descriptors. */
#include "vk/device/device.h"

#include "base/platform.h"

#define OPAQUE_FD VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define DMA_BUF   VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT

VkExternalMemoryFeatureFlags vkb_handles_of_buffer(const struct vkb_device *device,
                                                   VkExternalMemoryHandleTypeFlagBits handle)
{
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = BLOCK_USAGE,
        .handleType = handle,
    };
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(device->physical, &info, &properties);
    return properties.externalMemoryProperties.externalMemoryFeatures;
}

bool vkb_handles_of_image(const struct vkb_device *device, const VkImageCreateInfo *create,
                          VkExternalMemoryHandleTypeFlagBits handle, const void *chain,
                          VkExternalMemoryFeatureFlags *features)
{
    const VkPhysicalDeviceExternalImageFormatInfo external = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
        .pNext = chain,
        .handleType = handle,
    };
    const VkPhysicalDeviceImageFormatInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = &external,
        .format = create->format,
        .type = create->imageType,
        .tiling = create->tiling,
        .usage = create->usage,
        .flags = create->flags,
    };
    VkExternalImageFormatProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &found};
    if (vkGetPhysicalDeviceImageFormatProperties2(device->physical, &info, &properties) != VK_SUCCESS)
        return false;
    *features = found.externalMemoryProperties.externalMemoryFeatures;
    return true;
}

static void query_semaphores(struct vkb_device *device)
{
    static const struct {
        VkExternalSemaphoreHandleTypeFlagBits type;
        enum vkb_handle handle;
    } kinds[] = {
        {VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, VKB_HANDLE_OPAQUE_FD},
        {VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, VKB_HANDLE_SYNC_FD},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const VkPhysicalDeviceExternalSemaphoreInfo info = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
            .handleType = kinds[i].type,
        };
        VkExternalSemaphoreProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
        vkGetPhysicalDeviceExternalSemaphoreProperties(device->physical, &info, &found);
        if (found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT)
            device->caps.semaphore_imports |= kinds[i].handle;
        if (found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT)
            device->caps.semaphore_exports |= kinds[i].handle;
    }
}

void vkb_handles_query(struct vkb_device *device)
{
    const struct extensions *have = &device->extensions;
    struct vkb_caps *caps = &device->caps;
    VkExternalMemoryFeatureFlags features = have->external_memory_fd ? vkb_handles_of_buffer(device, OPAQUE_FD) : 0;
    caps->memory_imports |= features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT ? VKB_HANDLE_OPAQUE_FD : 0;
    caps->memory_exports |= features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT ? VKB_HANDLE_OPAQUE_FD : 0;
    features = have->external_memory_fd && have->dma_buf ? vkb_handles_of_buffer(device, DMA_BUF) : 0;
    caps->memory_imports |= features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT ? VKB_HANDLE_DMA_BUF : 0;
    caps->memory_exports |= features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT ? VKB_HANDLE_DMA_BUF : 0;
    /* A format that every device has stands for all; each image is asked for again. */
    const VkImageCreateInfo image = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .imageType = VK_IMAGE_TYPE_2D,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    if (caps->memory_imports & VKB_HANDLE_OPAQUE_FD && vkb_handles_of_image(device, &image, OPAQUE_FD, NULL, &features) &&
        features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT)
        caps->image_imports |= VKB_HANDLE_OPAQUE_FD;
    caps->image_imports |= caps->memory_imports & VKB_HANDLE_DMA_BUF; /* by way of a buffer */
    caps->maps_dma_bufs = platform_has_dma_bufs();
    caps->modifiers = caps->memory_imports & VKB_HANDLE_DMA_BUF && have->drm_modifiers && vkb_is_core12(device);
    if (have->external_semaphore_fd)
        query_semaphores(device);
}
