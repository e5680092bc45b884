/* What the device has of VK_EXT_host_image_copy, which is newer than some systems' headers. memory/host_image.c uses
 * it. */
#include "vk/device/device.h"

#include <stdlib.h>

enum { COPY_PROPERTIES = 1000270001 };

/* VkPhysicalDeviceHostImageCopyPropertiesEXT */
struct copy_properties {
    VkStructureType sType;
    void *pNext;
    uint32_t copySrcLayoutCount;
    VkImageLayout *pCopySrcLayouts;
    uint32_t copyDstLayoutCount;
    VkImageLayout *pCopyDstLayouts;
    uint8_t optimalTilingLayoutUUID[VK_UUID_SIZE];
    VkBool32 identicalMemoryTypeRequirements;
};

static bool has_general(const VkImageLayout *layouts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (layouts[i] == VK_IMAGE_LAYOUT_GENERAL)
            return true;
    }
    return false;
}

bool vkb_host_copies_query(struct vkb_device *device)
{
    struct copy_properties copies = {.sType = (VkStructureType)COPY_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &copies};
    vkGetPhysicalDeviceProperties2(device->physical, &all);
    VkImageLayout *layouts =
        calloc((size_t)copies.copySrcLayoutCount + copies.copyDstLayoutCount + 1, sizeof(*layouts));
    if (!layouts)
        return false;
    copies.pCopySrcLayouts = layouts;
    copies.pCopyDstLayouts = layouts + copies.copySrcLayoutCount;
    vkGetPhysicalDeviceProperties2(device->physical, &all);
    bool both = has_general(copies.pCopySrcLayouts, copies.copySrcLayoutCount) &&
                has_general(copies.pCopyDstLayouts, copies.copyDstLayoutCount);
    free(layouts);
    return both;
}

void vkb_host_copies_load(struct vkb_device *device)
{
    device->vk_copy_to_image = vkGetDeviceProcAddr(device->handle, "vkCopyMemoryToImageEXT");
    device->vk_copy_from_image = vkGetDeviceProcAddr(device->handle, "vkCopyImageToMemoryEXT");
    device->vk_transition_image = vkGetDeviceProcAddr(device->handle, "vkTransitionImageLayoutEXT");
    device->caps.host_image_copy =
        device->vk_copy_to_image && device->vk_copy_from_image && device->vk_transition_image;
}
