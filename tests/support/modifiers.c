/* A Vulkan layer that gives every device VK_EXT_image_drm_format_modifier, which drivers that run on the host lack, with
 * two modifiers: rows, and rows with a second plane of memory that nobody reads, as compressed images have one.
 *
 * The driver makes an image in rows, which is bound where the first plane begins. Pitches that are not the driver's are
 * refused, as a device's that cannot have them. One device at a time. */
#include "tests/support/layer.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST = 256 };
#define TWO_PLANES UINT64_C(0x7f00000000000001)

static PFN_vkEnumerateDeviceExtensionProperties next_extensions;
static PFN_vkGetPhysicalDeviceFormatProperties2 next_format;
static PFN_vkGetPhysicalDeviceImageFormatProperties2 next_image_format;
static PFN_vkCreateImage next_create;
static PFN_vkDestroyImage next_destroy;
static PFN_vkGetImageMemoryRequirements next_needs;
static PFN_vkGetImageSubresourceLayout next_layout;
static PFN_vkBindImageMemory next_bind;

static const VkExtensionProperties extension = {VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME, 2};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct {
    VkImage handle;
    VkDeviceSize offset;
} images[MOST];

static VKAPI_ATTR VkResult VKAPI_CALL modifiers_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                                   const char *layer, uint32_t *count,
                                                                                   VkExtensionProperties *out)
{
    uint32_t room = *count;
    VkResult result = next_extensions(physical, layer, count, out);
    if (layer || result < VK_SUCCESS)
        return result;
    if (out && *count < room)
        out[*count] = extension;
    else if (out)
        return VK_INCOMPLETE;
    ++*count;
    return result;
}

static void *find_in_chain(const void *chain, VkStructureType type)
{
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)chain; s; s = s->pNext) {
        if (s->sType == type)
            return s;
    }
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL modifiers_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice physical,
                                                                               VkFormat format,
                                                                               VkFormatProperties2 *properties)
{
    VkDrmFormatModifierPropertiesListEXT *list =
        find_in_chain(properties, VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT);
    uint32_t room = list ? list->drmFormatModifierCount : 0;
    next_format(physical, format, properties);
    VkFormatFeatureFlags features = properties->formatProperties.linearTilingFeatures;
    const VkDrmFormatModifierPropertiesEXT known[] = {{0, 1, features}, {TWO_PLANES, 2, features}};
    if (!list)
        return;
    for (uint32_t i = 0; list->pDrmFormatModifierProperties && i < room && i < 2; i++)
        list->pDrmFormatModifierProperties[i] = known[i];
    list->drmFormatModifierCount = list->pDrmFormatModifierProperties && room < 2 ? room : 2;
}

/* The driver is asked for rows, without the modifier. */
static VKAPI_ATTR VkResult VKAPI_CALL modifiers_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice physical, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
    const VkImageFormatListCreateInfo *formats =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return next_image_format(physical, info, properties);
    VkPhysicalDeviceImageFormatInfo2 own = *info;
    VkPhysicalDeviceExternalImageFormatInfo own_external;
    VkImageFormatListCreateInfo own_formats;
    own.tiling = VK_IMAGE_TILING_LINEAR;
    own.pNext = NULL;
    if (formats) {
        own_formats = *formats;
        own_formats.pNext = own.pNext;
        own.pNext = &own_formats;
    }
    if (external) {
        own_external = *external;
        own_external.pNext = own.pNext;
        own.pNext = &own_external;
    }
    return next_image_format(physical, &own, properties);
}

/* The place of an image; that of VK_NULL_HANDLE is free. With the lock held. */
static size_t find(VkImage handle)
{
    size_t i = 0;
    while (i < MOST && images[i].handle != handle)
        i++;
    return i;
}

static VKAPI_ATTR VkResult VKAPI_CALL modifiers_CreateImage(VkDevice device, const VkImageCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator, VkImage *image)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *ordered =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
    const VkExternalMemoryImageCreateInfo *external =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
    const VkImageFormatListCreateInfo *formats =
        find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return next_create(device, info, allocator, image);
    if (!ordered || !external)
        abort();
    VkImageFormatListCreateInfo own_formats = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
    VkExternalMemoryImageCreateInfo own_external = *external;
    VkImageCreateInfo own = *info;
    own.tiling = VK_IMAGE_TILING_LINEAR;
    own.pNext = &own_external;
    own_external.pNext = NULL;
    if (formats) {
        own_formats = *formats;
        own_formats.pNext = NULL;
        own_external.pNext = &own_formats;
    }
    const VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout;
    VkResult result = next_create(device, &own, allocator, image);
    if (result != VK_SUCCESS)
        return result;
    next_layout(device, *image, &plane, &layout);
    pthread_mutex_lock(&lock);
    size_t i = find(VK_NULL_HANDLE);
    bool fits = i < MOST && layout.rowPitch == ordered->pPlaneLayouts[0].rowPitch &&
                ordered->drmFormatModifierPlaneCount == (ordered->drmFormatModifier == TWO_PLANES ? 2 : 1);
    if (fits) {
        images[i].handle = *image;
        images[i].offset = ordered->pPlaneLayouts[0].offset;
    }
    pthread_mutex_unlock(&lock);
    if (fits)
        return VK_SUCCESS;
    next_destroy(device, *image, allocator);
    *image = VK_NULL_HANDLE;
    return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
}

static VkDeviceSize offset_of(VkImage image)
{
    pthread_mutex_lock(&lock);
    size_t i = image ? find(image) : MOST;
    VkDeviceSize offset = i < MOST ? images[i].offset : 0;
    pthread_mutex_unlock(&lock);
    return offset;
}

static VKAPI_ATTR void VKAPI_CALL modifiers_DestroyImage(VkDevice device, VkImage image,
                                                         const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&lock);
    size_t i = image ? find(image) : MOST;
    if (i < MOST)
        images[i].handle = VK_NULL_HANDLE;
    pthread_mutex_unlock(&lock);
    next_destroy(device, image, allocator);
}

static VKAPI_ATTR void VKAPI_CALL modifiers_GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                                       VkMemoryRequirements *needs)
{
    next_needs(device, image, needs);
    needs->size += offset_of(image);
}

static VKAPI_ATTR VkResult VKAPI_CALL modifiers_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                                                VkDeviceSize offset)
{
    return next_bind(device, image, memory, offset + offset_of(image));
}

static VKAPI_ATTR VkResult VKAPI_CALL modifiers_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkDeviceCreateInfo own = *info;
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof(char *));
    if (!names)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    own.enabledExtensionCount = 0;
    own.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], extension.extensionName) != 0)
            names[own.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    }
    VkResult result = layer_create_device(physical, &own, allocator, handle);
    free(names);
    if (result != VK_SUCCESS)
        return result;
#define LOAD(member, name) member = (PFN_vk##name)next_device_proc(*handle, "vk" #name)
    LOAD(next_create, CreateImage);
    LOAD(next_destroy, DestroyImage);
    LOAD(next_needs, GetImageMemoryRequirements);
    LOAD(next_layout, GetImageSubresourceLayout);
    LOAD(next_bind, BindImageMemory);
#undef LOAD
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL modifiers_CreateInstance(const VkInstanceCreateInfo *info,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkInstance *handle)
{
    VkResult result = layer_create_instance(info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
#define LOAD(member, name) member = (PFN_vk##name)next_instance_proc(instance, "vk" #name)
    LOAD(next_extensions, EnumerateDeviceExtensionProperties);
    LOAD(next_format, GetPhysicalDeviceFormatProperties2);
    LOAD(next_image_format, GetPhysicalDeviceImageFormatProperties2);
#undef LOAD
    return VK_SUCCESS;
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {
        LAYER_ROW(modifiers, CreateInstance),
        LAYER_ROW(modifiers, CreateDevice),
        LAYER_ROW(modifiers, EnumerateDeviceExtensionProperties),
        LAYER_ROW(modifiers, GetPhysicalDeviceFormatProperties2),
        {"vkGetPhysicalDeviceFormatProperties2KHR", (PFN_vkVoidFunction)modifiers_GetPhysicalDeviceFormatProperties2},
        LAYER_ROW(modifiers, GetPhysicalDeviceImageFormatProperties2),
        {"vkGetPhysicalDeviceImageFormatProperties2KHR",
         (PFN_vkVoidFunction)modifiers_GetPhysicalDeviceImageFormatProperties2},
        LAYER_ROW(modifiers, CreateImage),
        LAYER_ROW(modifiers, DestroyImage),
        LAYER_ROW(modifiers, GetImageMemoryRequirements),
        LAYER_ROW(modifiers, BindImageMemory),
    };
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(true)
