/* Images whose texels lie in a dma_buf as a modifier says: video frames, textures of OpenGL and windows' buffers, in the
 * order in which the device that made them keeps them. VK_EXT_image_drm_format_modifier tells which modifiers the device
 * knows, for each format, and takes the offset and the pitch of each plane of memory. */
#include "vk/device/device.h"
#include "vk/memory/external.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"

#include "base/platform.h"

#include <stdlib.h>

#define DMA_BUF VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT

/* What the device does with texels of the format in such an order; false: it does not know the order. */
static bool find_modifier(const struct vkb_device *device, uint32_t format, uint64_t modifier,
                          VkDrmFormatModifierPropertiesEXT *found)
{
    VkDrmFormatModifierPropertiesListEXT list = {.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
    vkGetPhysicalDeviceFormatProperties2(device->physical, (VkFormat)format, &properties);
    uint32_t room = list.drmFormatModifierCount;
    list.pDrmFormatModifierProperties = room ? calloc(room, sizeof(*list.pDrmFormatModifierProperties)) : NULL;
    if (!list.pDrmFormatModifierProperties)
        return false;
    vkGetPhysicalDeviceFormatProperties2(device->physical, (VkFormat)format, &properties);
    bool known = false;
    for (uint32_t i = 0; i < list.drmFormatModifierCount && i < room && !known; i++) {
        *found = list.pDrmFormatModifierProperties[i];
        known = found->drmFormatModifier == modifier;
    }
    free(list.pDrmFormatModifierProperties);
    return known;
}

/* The same, if it does all that such images are for. */
static bool find_fit(const struct vkb_device *device, const struct vkb_image_info *info, uint64_t modifier,
                     VkDrmFormatModifierPropertiesEXT *found)
{
    uint32_t sampled = info->sampled_format ? info->sampled_format : info->format;
    VkDrmFormatModifierPropertiesEXT seen;
    VkFormatFeatureFlags wanted = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT |
                                  (info->storage ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : 0);
    if (!device->caps.modifiers || info->kind != VKB_IMAGE_2D || vkb_image_levels(info) > 1 ||
        !find_modifier(device, info->format, modifier, found) || !find_modifier(device, sampled, modifier, &seen) ||
        (found->drmFormatModifierTilingFeatures & wanted) != wanted ||
        (info->sampled && !(seen.drmFormatModifierTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)))
        return false;
    found->drmFormatModifierTilingFeatures &= seen.drmFormatModifierTilingFeatures; /* filters are the view's */
    return found->drmFormatModifierPlaneCount <= VKB_DMA_BUF_PLANES;
}

uint32_t vkb_image_modifier_planes(struct vkb_device *device, const struct vkb_image_info *info, uint64_t modifier)
{
    VkDrmFormatModifierPropertiesEXT found;
    return find_fit(device, info, modifier, &found) ? found.drmFormatModifierPlaneCount : 0;
}

/* What the driver says of importing such an image. */
static bool ask_features(const struct vkb_device *device, const VkImageCreateInfo *create, uint64_t modifier,
                         VkExternalMemoryFeatureFlags *features)
{
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT ordered = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
        .pNext = create->pNext, /* the list of formats, or nothing */
        .drmFormatModifier = modifier,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    return vkb_handles_of_image(device, create, DMA_BUF, &ordered, features);
}

/* Whether the planes begin within the memory, and rows end there. How long others are the driver knows. */
static bool is_within(const struct vkb_image_info *info, const struct vkb_dma_buf *from)
{
    uint64_t size = platform_handle_size(from->fd), rows = (uint64_t)info->width * info->texel_size;
    for (uint32_t i = 0; i < from->num_planes; i++) {
        if (from->offset[i] >= size || from->pitch[i] > UINT32_MAX)
            return false;
    }
    uint64_t last = from->pitch[0] * (info->height - 1); /* neither is above 2^32 */
    return from->modifier || (rows <= size && last <= size - rows && from->offset[0] <= size - rows - last);
}

enum vkb_result vkb_image_import_dma_buf(struct vkb_device *device, const struct vkb_image_info *info,
                                         const struct vkb_dma_buf *from, struct vkb_image **out)
{
    enum vkb_result result = from->fd < 0 ? VKB_UNSUPPORTED : vkb_image_check(device, info);
    VkDrmFormatModifierPropertiesEXT found;
    if (result != VKB_SUCCESS)
        return result;
    if (!find_fit(device, info, from->modifier, &found) || found.drmFormatModifierPlaneCount != from->num_planes ||
        !is_within(info, from))
        return VKB_UNSUPPORTED;
    struct image_creation creation;
    struct memory_source source;
    VkSubresourceLayout planes[VKB_DMA_BUF_PLANES] = {{0}};
    VkExternalMemoryFeatureFlags features;
    vkb_image_fill_creation(info, &creation);
    creation.info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    if (!ask_features(device, &creation.info, from->modifier, &features) ||
        !vkb_source_of_dma_buf(device, features, from->fd, &source))
        return VKB_UNSUPPORTED;
    for (uint32_t i = 0; i < from->num_planes; i++) {
        planes[i].offset = from->offset[i];
        planes[i].rowPitch = from->pitch[i];
    }
    const VkImageDrmFormatModifierExplicitCreateInfoEXT ordered = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
        .pNext = creation.info.pNext,
        .drmFormatModifier = from->modifier,
        .drmFormatModifierPlaneCount = from->num_planes,
        .pPlaneLayouts = planes,
    };
    const VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .pNext = &ordered,
        .handleTypes = DMA_BUF,
    };
    creation.info.pNext = &external;
    return vkb_image_create_imported(device, info, &creation.info, &source, vkb_owner_of(device, VKB_HANDLE_DMA_BUF),
                                     &found.drmFormatModifierTilingFeatures, out);
}
