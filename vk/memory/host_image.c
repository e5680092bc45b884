/* Copies between images and the host's memory by the host itself (VK_EXT_host_image_copy): no staging buffer, and no
 * round trip to the device.
 *
 * They pay where the device's memory is the host's. Where the host sees the memory of a GPU over a bus, they pay for a few
 * KiB, while nothing is under way: writes are quick there, and a read costs a microsecond for each line or so, which is
 * measured. In a crowd of processes (queue/wait.c) the way to the GPU and back costs a hundred times as much as alone, so
 * more is read. Only small images are made for it.
 *
 * An image is made for such copies where the driver says that kernels are no slower for it. Its only transition is the
 * host's, too. The extension's structures are newer than some systems' headers. */
#include "vk/device/device.h"
#include "vk/memory/host_image.h"
#include "vk/memory/image.h"

/* Bytes: of an image over the bus that is made for the host's copies, and of one such copy. */
#define FAR_IMAGE ((uint64_t)64 << 10)
#define FAR_COPY  ((uint64_t)16 << 10)

/* What a read over the bus takes at least, and what a byte of it takes more until one was measured. */
#define READ_NS 1000u
#define BYTE_PS 16000u

/* The way to a GPU and back that has nothing else to do. */
#define SHORT_TURN_NS 13000u

enum {
    MEMORY_TO_IMAGE = 1000270002,
    IMAGE_TO_MEMORY = 1000270003,
    FROM_IMAGE = 1000270004,
    TO_IMAGE = 1000270005,
    LAYOUT_TRANSITION = 1000270006,
    PERFORMANCE_QUERY = 1000270009,
    USAGE_HOST_TRANSFER = 0x00400000,
};

/* VkHostImageCopyDevicePerformanceQueryEXT */
struct performance {
    VkStructureType sType;
    void *pNext;
    VkBool32 optimalDeviceAccess, identicalMemoryLayout;
};

/* VkMemoryToImageCopyEXT, and VkImageToMemoryCopyEXT but for the pointer's const */
struct host_region {
    VkStructureType sType;
    const void *pNext;
    void *pHostPointer;
    uint32_t memoryRowLength, memoryImageHeight;
    VkImageSubresourceLayers imageSubresource;
    VkOffset3D imageOffset;
    VkExtent3D imageExtent;
};

/* VkCopyMemoryToImageInfoEXT, VkCopyImageToMemoryInfoEXT */
struct host_copy {
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkImage image;
    VkImageLayout layout;
    uint32_t regionCount;
    const struct host_region *pRegions;
};

/* VkHostImageLayoutTransitionInfoEXT */
struct host_transition {
    VkStructureType sType;
    const void *pNext;
    VkImage image;
    VkImageLayout oldLayout, newLayout;
    VkImageSubresourceRange subresourceRange;
};

bool vkb_host_image_is_near(const struct vkb_device *device)
{
    return device->caps.unified_memory && device->caps.device_map;
}

bool vkb_host_image_is_quick(const struct vkb_device *device, uint64_t bytes, bool write)
{
    if (vkb_host_image_is_near(device))
        return true;
    uint64_t byte_ps = atomic_load_explicit(&device->texel_ps, memory_order_relaxed);
    uint64_t turn = u64_max(atomic_load_explicit(&device->turn_ns, memory_order_relaxed), SHORT_TURN_NS);
    return bytes <= FAR_COPY && (write || READ_NS + bytes * (byte_ps ? byte_ps : BYTE_PS) / 1000 <= turn);
}

/* Reads of a few bytes say nothing about more. */
static void note_read(struct vkb_device *device, uint64_t bytes, uint64_t took_ns)
{
    uint64_t before = atomic_load_explicit(&device->texel_ps, memory_order_relaxed);
    uint64_t now = (took_ns > READ_NS ? took_ns - READ_NS : 1) * 1000 / bytes;
    if (bytes >= 256)
        atomic_store_explicit(&device->texel_ps, before ? before - before / 4 + now / 4 : now, memory_order_relaxed);
}

bool vkb_host_image_use(const struct vkb_device *device, VkImageCreateInfo *create, uint64_t size)
{
    if (!device->caps.host_image_copy || (!vkb_host_image_is_near(device) && size > FAR_IMAGE))
        return false;
    struct performance performance = {.sType = (VkStructureType)PERFORMANCE_QUERY};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &performance};
    const VkPhysicalDeviceImageFormatInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = create->pNext,
        .format = create->format,
        .type = create->imageType,
        .tiling = create->tiling,
        .usage = create->usage | USAGE_HOST_TRANSFER,
        .flags = create->flags,
    };
    if (vkGetPhysicalDeviceImageFormatProperties2(device->physical, &info, &limits) != VK_SUCCESS ||
        !performance.optimalDeviceAccess)
        return false;
    const VkImageFormatProperties *most = &limits.imageFormatProperties;
    if (create->extent.width > most->maxExtent.width || create->extent.height > most->maxExtent.height ||
        create->extent.depth > most->maxExtent.depth || create->arrayLayers > most->maxArrayLayers ||
        create->mipLevels > most->maxMipLevels)
        return false;
    create->usage |= USAGE_HOST_TRANSFER;
    return true;
}

enum vkb_result vkb_host_image_transition(struct vkb_image *image, uint32_t levels)
{
    typedef VkResult(VKAPI_PTR * transition_function)(VkDevice, uint32_t, const struct host_transition *);
    struct vkb_device *device = image->device;
    transition_function call = (transition_function)device->vk_transition_image;
    const struct host_transition transition = {
        .sType = (VkStructureType)LAYOUT_TRANSITION,
        .image = image->handle,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, image->info.layers},
    };
    return CHECK(device, call(device->handle, 1, &transition));
}

enum vkb_result vkb_host_image_copy(struct vkb_image *image, const struct vkb_image_region *region, void *data,
                                    bool write)
{
    typedef VkResult(VKAPI_PTR * copy_function)(VkDevice, const struct host_copy *);
    struct vkb_device *device = image->device;
    copy_function call = (copy_function)(write ? device->vk_copy_to_image : device->vk_copy_from_image);
    struct host_region part = {
        .sType = (VkStructureType)(write ? MEMORY_TO_IMAGE : IMAGE_TO_MEMORY),
        .pHostPointer = data,
        .memoryRowLength = region->row_texels,
        .memoryImageHeight = image->info.kind == VKB_IMAGE_1D_ARRAY ? 1 : region->slice_rows, /* layers are rows */
    };
    vkb_image_split_layers(image, region->level, region->origin, region->extent, &part.imageOffset, &part.imageExtent,
                           &part.imageSubresource);
    const struct host_copy copy = {
        .sType = (VkStructureType)(write ? TO_IMAGE : FROM_IMAGE),
        .image = image->handle,
        .layout = VK_IMAGE_LAYOUT_GENERAL,
        .regionCount = 1,
        .pRegions = &part,
    };
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    uint64_t began = time_ns(), bytes = (uint64_t)region->extent[0] * region->extent[1] * region->extent[2];
    enum vkb_result result = CHECK(device, call(device->handle, &copy));
    if (!write && result == VKB_SUCCESS && !vkb_host_image_is_near(device))
        note_read(device, bytes * image->info.texel_size, time_ns() - began);
    return result;
}
