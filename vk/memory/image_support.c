/* What a VkImage is made from, and whether the device makes such images. The driver's answers are kept. */
#include "vk/device/device.h"
#include "vk/memory/formats.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"

static VkImageType type_of(enum vkb_image_kind kind)
{
    switch (kind) {
    case VKB_IMAGE_1D:
    case VKB_IMAGE_1D_ARRAY:
        return VK_IMAGE_TYPE_1D;
    case VKB_IMAGE_3D:
        return VK_IMAGE_TYPE_3D;
    default:
        return VK_IMAGE_TYPE_2D;
    }
}

static VkImageUsageFlags usage_of(const struct vkb_image_info *info)
{
    return VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
           (info->sampled ? VK_IMAGE_USAGE_SAMPLED_BIT : 0) | (info->storage ? VK_IMAGE_USAGE_STORAGE_BIT : 0);
}

static void list_formats(struct image_creation *creation, uint32_t count)
{
    creation->list = (VkImageFormatListCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
        .viewFormatCount = count,
        .pViewFormats = creation->formats,
    };
    if (count == 1)
        return;
    creation->info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    creation->info.pNext = &creation->list;
}

void vkb_image_fill_creation(const struct vkb_image_info *info, struct image_creation *creation)
{
    VkImageCreateInfo *create = &creation->info;
    uint32_t count = 0;
    *create = (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = type_of(info->kind),
        .format = (VkFormat)info->format,
        .extent = {info->width, info->height, info->depth},
        .mipLevels = vkb_image_levels(info),
        .arrayLayers = info->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage_of(info),
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    creation->formats[count++] = create->format;
    if (info->sampled_format && info->sampled_format != info->format)
        creation->formats[count++] = (VkFormat)info->sampled_format;
    if (info->other_format && info->other_format != info->format)
        creation->formats[count++] = (VkFormat)info->other_format;
    list_formats(creation, count);
}

/* Numbers of the texel's size, or VK_FORMAT_UNDEFINED where shaders do not move such in memory. */
static VkFormat raw_format(const struct vkb_device *device, uint32_t texel_size)
{
    switch (texel_size) {
    case 1:
        return device->caps.int8 && device->caps.storage8 ? VK_FORMAT_R8_UINT : VK_FORMAT_UNDEFINED;
    case 2:
        return device->caps.int16 && device->caps.storage16 ? VK_FORMAT_R16_UINT : VK_FORMAT_UNDEFINED;
    case 4:
        return VK_FORMAT_R32_UINT;
    case 8:
        return VK_FORMAT_R32G32_UINT;
    case 16:
        return VK_FORMAT_R32G32B32A32_UINT;
    default:
        return VK_FORMAT_UNDEFINED;
    }
}

static void add_raw(struct image_creation *creation, VkFormat format)
{
    uint32_t count = creation->list.viewFormatCount, at = 0;
    while (at < count && creation->formats[at] != format)
        at++;
    creation->formats[at] = format;
    list_formats(creation, at < count ? count : count + 1);
    creation->info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
}

/* A view's format must be sampled as the image's own is (views for storage have the image's). */
static bool is_sampled_format(struct vkb_device *device, uint32_t format)
{
    VkFormatProperties properties;
    if (!format)
        return true;
    vkGetPhysicalDeviceFormatProperties(device->physical, (VkFormat)format, &properties);
    return properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
}

/* Whether kernels can write the image in the format that they may have to name (formats.c). */
static bool has_storage_format(const struct vkb_device *device, const struct vkb_image_info *info)
{
    return !info->storage || (device->caps.image_read_any && device->caps.image_write_any) ||
           vkb_spirv_format(info->format);
}

/* The format that an image gets for copies by shaders, if the device makes all images of that kind so, too; or 0. */
static uint32_t ask_raw(struct vkb_device *device, const struct vkb_image_info *info,
                        const VkImageFormatProperties *plain)
{
    struct image_creation creation;
    VkImageFormatProperties limits;
    VkFormatProperties properties;
    VkFormat format = raw_format(device, info->texel_size);
    if (!format || device->caps.texels_least == UINT32_MAX || !vkb_is_core12(device) /* for the shaders' SPIR-V */ ||
        !device->caps.image_read_any || !device->caps.image_write_any)
        return 0;
    vkGetPhysicalDeviceFormatProperties(device->physical, format, &properties);
    vkb_image_fill_creation(info, &creation);
    add_raw(&creation, format);
    const VkImageCreateInfo *create = &creation.info;
    if (!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) ||
        vkGetPhysicalDeviceImageFormatProperties(device->physical, create->format, create->imageType, create->tiling,
                                                 create->usage, create->flags, &limits) != VK_SUCCESS)
        return 0;
    bool as_large = limits.maxExtent.width >= plain->maxExtent.width &&
                    limits.maxExtent.height >= plain->maxExtent.height &&
                    limits.maxExtent.depth >= plain->maxExtent.depth && limits.maxArrayLayers >= plain->maxArrayLayers;
    return as_large ? (uint32_t)format : 0;
}

/* Asks the driver, whatever the sizes. */
static void ask_support(struct vkb_device *device, const struct vkb_image_info *info, struct image_support *support)
{
    struct image_creation creation;
    VkImageFormatProperties limits;
    vkb_image_fill_creation(info, &creation);
    const VkImageCreateInfo *create = &creation.info;
    *support = (struct image_support){
        .there = true,
        .kind = info->kind,
        .format = info->format,
        .sampled_format = info->sampled_format,
        .other_format = info->other_format,
        .sampled = info->sampled,
        .storage = info->storage,
    };
    if (!has_storage_format(device, info) || !is_sampled_format(device, info->sampled_format) ||
        !is_sampled_format(device, info->other_format))
        return;
    VkResult result = vkGetPhysicalDeviceImageFormatProperties(device->physical, create->format, create->imageType,
                                                               create->tiling, create->usage, create->flags, &limits);
    support->supported = result == VK_SUCCESS;
    support->there = support->supported || result == VK_ERROR_FORMAT_NOT_SUPPORTED; /* others may pass */
    if (!support->supported)
        return;
    support->most = limits.maxExtent;
    support->layers = limits.maxArrayLayers;
    support->levels = limits.maxMipLevels;
    support->raw = ask_raw(device, info, &limits);
}

static bool is_about(const struct image_support *support, const struct vkb_image_info *info)
{
    return support->there && support->kind == info->kind && support->format == info->format &&
           support->sampled_format == info->sampled_format && support->other_format == info->other_format &&
           support->sampled == info->sampled && support->storage == info->storage;
}

/* The driver's answers are kept: an image asks for one twice before it is created. */
static void find_support(struct vkb_device *device, const struct vkb_image_info *info, struct image_support *support)
{
    struct memory *memory = device->memory;
    if (!memory) { /* the device is not open */
        ask_support(device, info, support);
        return;
    }
    uint32_t hash = info->format * 31 + info->sampled_format * 7 + info->other_format * 3 + info->kind * 16 +
                    info->sampled * 2 + info->storage;
    struct image_support *slot = &memory->supports[hash % IMAGE_SUPPORTS];
    pthread_mutex_lock(&memory->lock);
    *support = *slot;
    pthread_mutex_unlock(&memory->lock);
    if (is_about(support, info))
        return;
    ask_support(device, info, support);
    pthread_mutex_lock(&memory->lock);
    *slot = *support;
    pthread_mutex_unlock(&memory->lock);
}

bool vkb_image_supported(struct vkb_device *device, const struct vkb_image_info *info)
{
    if (vkb_gone())
        return false;
    if (info->kind == VKB_IMAGE_BUFFER) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(device->physical, (VkFormat)info->format, &properties);
        /* Buffers are made for both uses, and then a view's format must be fit for both. */
        const VkFormatFeatureFlags wanted =
            VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
        return has_storage_format(device, info) && (properties.bufferFeatures & wanted) == wanted &&
               info->width <= device->caps.max_texel_buffer_elements;
    }
    struct image_support support;
    find_support(device, info, &support);
    return support.supported && info->width <= support.most.width && info->height <= support.most.height &&
           info->depth <= support.most.depth && info->layers <= support.layers &&
           vkb_image_levels(info) <= support.levels;
}

uint32_t vkb_image_add_raw(struct vkb_device *device, const struct vkb_image_info *info,
                           struct image_creation *creation)
{
    struct image_support support;
    find_support(device, info, &support);
    if (support.raw)
        add_raw(creation, (VkFormat)support.raw);
    return support.raw;
}
