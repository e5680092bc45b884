/* What memory and semaphores the device takes from other APIs and processes, and gives to them, by file descriptors or
 * Windows' handles. */
#include "vk/device/device.h"

#include "base/platform.h"

static const struct {
    enum vkb_handle kind;
    VkExternalMemoryHandleTypeFlagBits memory;
    VkExternalSemaphoreHandleTypeFlagBits semaphore;
} kinds[] = {
    {VKB_HANDLE_OPAQUE_FD, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT},
    {VKB_HANDLE_SYNC_FD, (VkExternalMemoryHandleTypeFlagBits)0, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT},
    {VKB_HANDLE_DMA_BUF, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, (VkExternalSemaphoreHandleTypeFlagBits)0},
    {VKB_HANDLE_WIN32, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT,
     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT},
    {VKB_HANDLE_WIN32_KMT, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT,
     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT},
    {VKB_HANDLE_WIN32_NAME, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT,
     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT},
};

VkExternalMemoryHandleTypeFlagBits vkb_memory_handle(enum vkb_handle kind)
{
    size_t i = 0;
    while (kinds[i].kind != kind)
        i++;
    return kinds[i].memory;
}

VkExternalSemaphoreHandleTypeFlagBits vkb_semaphore_handle_type(enum vkb_handle kind)
{
    size_t i = 0;
    while (kinds[i].kind != kind)
        i++;
    return kinds[i].semaphore;
}

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

static void query_semaphores(struct vkb_device *device, enum vkb_handle kind)
{
    const VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .handleType = vkb_semaphore_handle_type(kind),
    };
    VkExternalSemaphoreProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    vkGetPhysicalDeviceExternalSemaphoreProperties(device->physical, &info, &found);
    if (found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT)
        device->caps.semaphore_imports |= kind;
    if (found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT)
        device->caps.semaphore_exports |= kind;
}

/* A dma_buf of an image is imported by way of a buffer. For the others a format that every device has stands for all; each image is asked
 * for again. */
static bool imports_images(const struct vkb_device *device, enum vkb_handle kind)
{
    const VkImageCreateInfo image = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .imageType = VK_IMAGE_TYPE_2D,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    VkExternalMemoryFeatureFlags features;
    return kind == VKB_HANDLE_DMA_BUF ||
           (vkb_handles_of_image(device, &image, vkb_memory_handle(kind), NULL, &features) &&
            features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
}

static void query_memory(struct vkb_device *device, enum vkb_handle kind)
{
    struct vkb_caps *caps = &device->caps;
    VkExternalMemoryFeatureFlags features = vkb_handles_of_buffer(device, vkb_memory_handle(kind));
    if (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT)
        caps->memory_exports |= kind;
    if (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) {
        caps->memory_imports |= kind;
        caps->image_imports |= imports_images(device, kind) ? kind : 0;
    }
}

void vkb_handles_query(struct vkb_device *device)
{
    const struct extensions *have = &device->extensions;
    struct vkb_caps *caps = &device->caps;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        bool fd = vkb_handle_is_taken(kinds[i].kind);
        bool memory = fd ? have->external_memory_fd : have->external_memory_win32;
        bool semaphore = fd ? have->external_semaphore_fd : have->external_semaphore_win32;
        if (kinds[i].memory && memory && (kinds[i].kind != VKB_HANDLE_DMA_BUF || have->dma_buf))
            query_memory(device, kinds[i].kind);
        if (kinds[i].semaphore && semaphore)
            query_semaphores(device, kinds[i].kind);
    }
    caps->maps_dma_bufs = platform_has_dma_bufs();
    caps->modifiers = caps->memory_imports & VKB_HANDLE_DMA_BUF && have->drm_modifiers && vkb_is_core12(device);
    /* names are for those that have one already */
    caps->memory_exports &= ~(uint32_t)VKB_HANDLE_WIN32_NAME;
    caps->semaphore_exports &= ~(uint32_t)VKB_HANDLE_WIN32_NAME;
}
