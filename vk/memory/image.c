/* Images: reference-counted VkImages with their views, in the layout GENERAL for every command.
 *
 * One layout for everything keeps images as simple as buffers: they take part in the same hazard tracking (each as one
 * whole), the same global barriers order them, and no queue need know what another has done. Desktop GPUs and CPU
 * drivers gain little from finer layouts of images that kernels read and write. There is one transition, from
 * UNDEFINED, before the first command that uses the image (first_use.c). The host does it where it also copies texels
 * (host_image.c).
 *
 * An image that nobody has any more is kept for a while, with its memory and views, for the next request for one that is
 * made from the same numbers (keep.c): making one takes a driver long.
 *
 * A line of texels in a vkb_buffer has no VkImage but a VkBufferView. A plane of them is a linear VkImage that shares
 * the buffer's memory, where the device's own layout of it is the one asked for. Vulkan 1.3, Memory Aliasing: a buffer
 * and a linear image in the layouts PREINITIALIZED and GENERAL agree in what the memory holds. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/external.h"
#include "vk/memory/host_image.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"

#include "base/float_env.h"

#include <stdlib.h>
#include <string.h>

static bool is_array(enum vkb_image_kind kind)
{
    return kind == VKB_IMAGE_1D_ARRAY || kind == VKB_IMAGE_2D_ARRAY;
}

static VkImageViewType view_type_of(enum vkb_image_kind kind)
{
    static const VkImageViewType types[] = {
        [VKB_IMAGE_1D] = VK_IMAGE_VIEW_TYPE_1D, [VKB_IMAGE_1D_ARRAY] = VK_IMAGE_VIEW_TYPE_1D_ARRAY,
        [VKB_IMAGE_2D] = VK_IMAGE_VIEW_TYPE_2D, [VKB_IMAGE_2D_ARRAY] = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        [VKB_IMAGE_3D] = VK_IMAGE_VIEW_TYPE_3D,
    };
    return types[kind];
}

/* ---- making one ---- */

/* Imported memory, for this image alone. */
static enum vkb_result import(struct vkb_image *image, const struct memory_source *source)
{
    struct vkb_device *device = image->device;
    const VkPhysicalDeviceMemoryProperties *memory = &device->memory_properties;
    struct memory_chain chain;
    VkMemoryRequirements needs;
    uint32_t types = source->types ? source->types : UINT32_MAX;
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &needs);
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    for (int local = 1; local >= 0 && !image->memory; local--) {
        for (uint32_t i = 0; i < memory->memoryTypeCount && !image->memory; i++) {
            bool is_local = memory->memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
            if (!((needs.memoryTypeBits & types) >> i & 1) || is_local != (local == 1))
                continue;
            const VkMemoryAllocateInfo info = {
                .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                .pNext = vkb_source_chain(source, VK_NULL_HANDLE, image->handle, &chain),
                .allocationSize = needs.size,
                .memoryTypeIndex = i,
            };
            result = CHECK(device, device->vk.vkAllocateMemory(device->handle, &info, NULL, &image->memory));
        }
    }
    if (!image->memory)
        return result;
    return CHECK(device, device->vk.vkBindImageMemory(device->handle, image->handle, image->memory, 0));
}

/* Memory of one type: a part of a block, or, if the driver demands it, an allocation for the image alone. */
static enum vkb_result take_memory(struct vkb_image *image, const VkMemoryRequirements *needs, bool alone,
                                   uint32_t type)
{
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .image = image->handle,
    };
    if (alone)
        return vkb_part_allocate_alone(image->device, type, needs->size, &dedicated, &image->part);
    return vkb_part_allocate(image->device, type, needs->size, needs->alignment, &image->part);
}

static enum vkb_result allocate(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    const VkPhysicalDeviceMemoryProperties *memory = &device->memory_properties;
    VkMemoryDedicatedRequirements alone = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &alone};
    const VkImageMemoryRequirementsInfo2 of = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
        .image = image->handle,
    };
    device->vk.vkGetImageMemoryRequirements2(device->handle, &of, &needs);
    const VkMemoryRequirements *required = &needs.memoryRequirements;
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    for (int local = 1; local >= 0 && result != VKB_SUCCESS; local--) {
        for (uint32_t i = 0; i < memory->memoryTypeCount && result != VKB_SUCCESS; i++) {
            bool is_local = memory->memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
            if (required->memoryTypeBits >> i & 1 && is_local == (local == 1))
                result = take_memory(image, required, alone.requiresDedicatedAllocation, i);
        }
    }
    if (result != VKB_SUCCESS) {
        image->part = (struct memory_part){0};
        return result;
    }
    image->size = required->size;
    return CHECK(device, device->vk.vkBindImageMemory(device->handle, image->handle, image->part.block->memory,
                                                      image->part.offset));
}

static enum vkb_result make_view(struct vkb_image *image, VkImageUsageFlags use, uint32_t format,
                                 const uint8_t mapping[4], VkImageView *view)
{
    static const VkComponentSwizzle swizzles[] = {VK_COMPONENT_SWIZZLE_R,    VK_COMPONENT_SWIZZLE_G,
                                                  VK_COMPONENT_SWIZZLE_B,    VK_COMPONENT_SWIZZLE_A,
                                                  VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_ONE};
    struct vkb_device *device = image->device;
    const VkImageViewUsageCreateInfo usage = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = use};
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &usage,
        .image = image->handle,
        .viewType = view_type_of(image->info.kind),
        .format = (VkFormat)format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, image->info.first_level,
                             mapping ? vkb_image_levels(&image->info) : 1, 0, image->info.layers},
    };
    if (mapping)
        info.components = (VkComponentMapping){swizzles[mapping[0] % 6], swizzles[mapping[1] % 6],
                                               swizzles[mapping[2] % 6], swizzles[mapping[3] % 6]};
    FLOAT_ENV_DEFAULT(); /* lavapipe compiles for each view */
    return CHECK(device, device->vk.vkCreateImageView(device->handle, &info, NULL, view));
}

static bool has_filter(const struct vkb_image *image, uint32_t format)
{
    VkFormatProperties properties;
    if (image->is_modified)
        return image->modified & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    vkGetPhysicalDeviceFormatProperties(image->device->physical, (VkFormat)format, &properties);
    return (image->buffer ? properties.linearTilingFeatures : properties.optimalTilingFeatures) &
           VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
}

bool vkb_image_filters(const struct vkb_image *image)
{
    return image->filters;
}

static enum vkb_result make_views(struct vkb_image *image)
{
    const struct vkb_image_info *info = &image->info;
    uint32_t sampled = info->sampled_format ? info->sampled_format : info->format;
    enum vkb_result result = VKB_SUCCESS;
    image->filters = info->sampled && vkb_image_levels(info) == 1 && has_filter(image, sampled);
    if (info->sampled)
        result = make_view(image, VK_IMAGE_USAGE_SAMPLED_BIT, sampled, info->mapping, &image->sampled);
    if (result == VKB_SUCCESS && info->storage)
        result = make_view(image, VK_IMAGE_USAGE_STORAGE_BIT, info->format, NULL, &image->storage);
    return result;
}

void vkb_image_destroy(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    struct vkb_image *raw = atomic_load(&image->raw);
    if (raw)
        vkb_image_destroy(raw);
    if (!image->base)
        vkb_first_finish(device, &image->first);
    vkb_contents_release(image->first.contents);
    if (image->sampled)
        device->vk.vkDestroyImageView(device->handle, image->sampled, NULL);
    if (image->storage)
        device->vk.vkDestroyImageView(device->handle, image->storage, NULL);
    if (image->texels)
        device->vk.vkDestroyBufferView(device->handle, image->texels, NULL);
    if (image->handle && !image->base)
        device->vk.vkDestroyImage(device->handle, image->handle, NULL);
    if (image->memory)
        device->vk.vkFreeMemory(device->handle, image->memory, NULL);
    if (image->part.block)
        vkb_part_free(device, &image->part);
    vkb_image_release(image->base);
    vkb_buffer_release(image->buffer);
    free(image);
}

static struct vkb_image *image_new(struct vkb_device *device, const struct vkb_image_info *info)
{
    struct vkb_image *image = calloc(1, sizeof(*image));
    if (!image)
        return NULL;
    static atomic_ullong count;
    atomic_init(&image->refs, 1);
    image->number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    image->device = device;
    image->info = *info;
    return image;
}

static bool is_plausible(const struct vkb_image_info *info)
{
    bool flat = info->kind == VKB_IMAGE_1D || info->kind == VKB_IMAGE_1D_ARRAY || info->kind == VKB_IMAGE_BUFFER;
    uint32_t longest = info->width > info->height ? info->width : info->height, smallest = vkb_image_levels(info) - 1;
    longest = info->depth > longest ? info->depth : longest;
    return smallest < 32 && longest >> smallest && info->width && info->height && info->depth && info->layers &&
           (info->kind == VKB_IMAGE_3D || info->depth == 1) && (!flat || info->height == 1) &&
           (is_array(info->kind) || info->layers == 1);
}

enum vkb_result vkb_image_check(struct vkb_device *device, const struct vkb_image_info *info)
{
    if (!device->handle || info->kind == VKB_IMAGE_BUFFER || info->first_level || !is_plausible(info) ||
        !vkb_image_supported(device, info))
        return VKB_UNSUPPORTED;
    return vkb_device_lost(device) ? VKB_DEVICE_LOST : VKB_SUCCESS;
}

static bool is_short(enum vkb_result result)
{
    return result == VKB_OUT_OF_DEVICE_MEMORY;
}

static uint64_t texels_size(const struct vkb_image_info *info)
{
    return (uint64_t)info->width * info->height * info->depth * info->layers * info->texel_size;
}

static enum vkb_result fill_new(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    struct image_creation creation;
    vkb_image_fill_creation(&image->info, &creation);
    if (texels_size(&image->info) >= device->caps.texels_least && vkb_image_levels(&image->info) == 1)
        image->raw_format = vkb_image_add_raw(device, &image->info, &creation);
    image->host_copies = vkb_host_image_use(device, &creation.info, texels_size(&image->info));
    enum vkb_result result =
        CHECK(device, device->vk.vkCreateImage(device->handle, &creation.info, NULL, &image->handle));
    if (result != VKB_SUCCESS)
        return result;
    result = allocate(image);
    for (int effort = EFFORT_TRIM; effort <= EFFORT_WAIT && is_short(result) && !image->part.block; effort++) {
        if (vkb_memory_recover(device, (enum memory_effort)effort))
            result = allocate(image);
    }
    if (result == VKB_SUCCESS)
        result = make_views(image);
    if (result == VKB_SUCCESS && image->host_copies)
        return vkb_host_image_transition(image, vkb_image_levels(&image->info));
    atomic_store(&image->first.state, FIRST_WAITS);
    return result;
}

static uint32_t hash_of(const struct vkb_image_info *info)
{
    const uint32_t words[] = {info->kind,   info->format,           info->width,  info->height, info->depth,
                              info->layers, vkb_image_levels(info), info->storage};
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        hash = (hash ^ words[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool is_equal(const struct vkb_image_info *a, const struct vkb_image_info *b)
{
    return a->kind == b->kind && a->format == b->format && a->texel_size == b->texel_size && a->width == b->width &&
           a->height == b->height && a->depth == b->depth && a->layers == b->layers && a->sampled == b->sampled &&
           a->storage == b->storage && memcmp(a->mapping, b->mapping, sizeof(a->mapping)) == 0 &&
           a->sampled_format == b->sampled_format && a->row_pitch == b->row_pitch && a->slice_pitch == b->slice_pitch &&
           vkb_image_levels(a) == vkb_image_levels(b) && a->first_level == b->first_level &&
           a->other_format == b->other_format;
}

/* An image of that kind that nobody has any more. Its views are the same, so what was
 * made for its number can be used, such as descriptor sets. Its texels are what was left there. */
static struct vkb_image *take_kept(struct vkb_device *device, const struct vkb_image_info *info, uint32_t hash)
{
    struct memory *memory = device->memory;
    struct kept_list *list = &memory->images[hash % IMAGE_LISTS];
    struct vkb_image *found = NULL;
    pthread_mutex_lock(&memory->lock);
    for (struct kept *kept = list->newest; kept && !found; kept = kept->older) {
        struct vkb_image *image = vkb_image_of_kept(kept);
        if (image->hash == hash && is_equal(&image->info, info))
            found = image;
    }
    if (found)
        vkb_kept_remove(list, &found->kept);
    pthread_mutex_unlock(&memory->lock);
    if (found)
        atomic_store(&found->refs, 1);
    return found;
}

enum vkb_result vkb_image_create(struct vkb_device *device, const struct vkb_image_info *info, struct vkb_image **out)
{
    uint32_t hash = hash_of(info);
    if (device->handle && !vkb_device_lost(device) && (*out = take_kept(device, info, hash)))
        return VKB_SUCCESS;
    enum vkb_result result = vkb_image_check(device, info);
    if (result != VKB_SUCCESS)
        return result;
    struct vkb_image *image = image_new(device, info);
    if (!image)
        return VKB_OUT_OF_HOST_MEMORY;
    image->hash = hash;
    result = fill_new(image);
    if (result != VKB_SUCCESS) {
        vkb_image_destroy(image);
        return result;
    }
    *out = image;
    return VKB_SUCCESS;
}

/* Whether the driver has laid the rows out as info says. */
static bool has_pitches(const struct vkb_image *image)
{
    const struct vkb_image_info *info = &image->info;
    const VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout;
    image->device->vk.vkGetImageSubresourceLayout(image->device->handle, image->handle, &plane, &layout);
    uint64_t slice = info->kind == VKB_IMAGE_3D ? layout.depthPitch : layout.arrayPitch;
    bool rows = info->height == 1 || layout.rowPitch == info->row_pitch;
    return rows && layout.offset == 0 && ((info->depth == 1 && info->layers == 1) || slice == info->slice_pitch);
}

static enum vkb_result fill_imported(struct vkb_image *image, const VkImageCreateInfo *create,
                                     const struct memory_source *source)
{
    struct vkb_device *device = image->device;
    enum vkb_result result = CHECK(device, device->vk.vkCreateImage(device->handle, create, NULL, &image->handle));
    if (result == VKB_SUCCESS && create->tiling == VK_IMAGE_TILING_LINEAR && !has_pitches(image))
        return VKB_UNSUPPORTED;
    if (result != VKB_SUCCESS)
        return result;
    result = import(image, source);
    for (int effort = EFFORT_TRIM; effort <= EFFORT_WAIT && is_short(result) && !image->memory; effort++) {
        if (vkb_memory_recover(device, (enum memory_effort)effort))
            result = import(image, source);
    }
    return result == VKB_SUCCESS ? make_views(image) : result;
}

enum vkb_result vkb_image_create_imported(struct vkb_device *device, const struct vkb_image_info *info,
                                          const VkImageCreateInfo *create, const struct memory_source *source,
                                          uint32_t owner, const VkFormatFeatureFlags *modified, struct vkb_image **out)
{
    struct vkb_image *image = image_new(device, info);
    if (!image)
        return VKB_OUT_OF_HOST_MEMORY;
    image->owner = owner;
    image->is_modified = modified;
    image->modified = modified ? *modified : 0;
    enum vkb_result result = fill_imported(image, create, source);
    if (result != VKB_SUCCESS) {
        vkb_image_destroy(image);
        return result;
    }
    *out = image;
    return VKB_SUCCESS;
}

enum vkb_result vkb_image_import_handle(struct vkb_device *device, const struct vkb_image_info *info,
                                        enum vkb_handle kind, intptr_t handle, struct vkb_image **out)
{
    enum vkb_result result = vkb_image_check(device, info);
    if (result != VKB_SUCCESS)
        return result;
    struct image_creation creation;
    struct memory_source source;
    VkFormatProperties properties;
    vkb_image_fill_creation(info, &creation);
    if (info->row_pitch)
        creation.info.tiling = VK_IMAGE_TILING_LINEAR;
    vkGetPhysicalDeviceFormatProperties(device->physical, (VkFormat)info->format, &properties);
    const VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .pNext = creation.info.pNext,
        .handleTypes = vkb_memory_handle(kind),
    };
    if (!vkb_source_of_image(device, &creation.info, kind, handle, &source))
        return VKB_UNSUPPORTED;
    creation.info.pNext = &external;
    return vkb_image_create_imported(device, info, &creation.info, &source, VK_QUEUE_FAMILY_EXTERNAL,
                                     info->row_pitch ? &properties.linearTilingFeatures : NULL, out);
}

enum vkb_result vkb_image_create_exported(struct vkb_device *device, const struct vkb_image_info *info,
                                          enum vkb_handle kind, struct vkb_image **out)
{
    enum vkb_result result = vkb_image_check(device, info);
    if (result != VKB_SUCCESS)
        return result;
    const VkExternalMemoryHandleTypeFlagBits handle = vkb_memory_handle(kind);
    struct image_creation creation;
    VkExternalMemoryFeatureFlags features;
    vkb_image_fill_creation(info, &creation);
    if (!vkb_handles_of_image(device, &creation.info, handle, creation.info.pNext, &features) ||
        !(features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
        return VKB_UNSUPPORTED;
    const struct memory_source source = {
        .handle = handle,
        .dedicated = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT,
        .exports = true,
    };
    const VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .pNext = creation.info.pNext,
        .handleTypes = handle,
    };
    creation.info.pNext = &external;
    result = vkb_image_create_imported(device, info, &creation.info, &source, vkb_owner_of(device, kind), NULL, out);
    if (result == VKB_SUCCESS) {
        (*out)->dedicated = source.dedicated;
        atomic_store(&(*out)->first.state, FIRST_WAITS);
    }
    return result;
}

intptr_t vkb_image_export(struct vkb_image *image, enum vkb_handle kind, uint64_t *size, bool *dedicated)
{
    struct vkb_device *device = image->device;
    VkMemoryRequirements needs;
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &needs);
    *size = needs.size;
    *dedicated = image->dedicated;
    return vkb_memory_export(device, image->memory, kind);
}

enum vkb_result vkb_image_create_view(struct vkb_image *base, const struct vkb_image_info *info, struct vkb_image **out)
{
    const struct vkb_image_info *of = &base->info;
    uint32_t sampled = info->sampled_format ? info->sampled_format : info->format;
    bool known = sampled == of->format || sampled == of->sampled_format || sampled == of->other_format;
    bool alike = info->format == of->format || (info->format && info->format == of->other_format);
    if (base->base || base->buffer || !known || !alike || info->kind != of->kind ||
        info->first_level >= vkb_image_levels(of) ||
        vkb_image_levels(info) > vkb_image_levels(of) - info->first_level || info->sampled > of->sampled ||
        info->storage > of->storage)
        return VKB_UNSUPPORTED;
    struct vkb_image *image = image_new(base->device, info);
    if (!image)
        return VKB_OUT_OF_HOST_MEMORY;
    image->base = vkb_image_retain(base);
    image->handle = base->handle;
    image->host_copies = base->host_copies;
    enum vkb_result result = make_views(image);
    if (result != VKB_SUCCESS) {
        vkb_image_destroy(image);
        return result;
    }
    *out = image;
    return VKB_SUCCESS;
}

static struct vkb_image *make_raw(struct vkb_image *image)
{
    struct vkb_image_info info = image->info;
    info.format = image->raw_format;
    info.kind = info.kind == VKB_IMAGE_1D   ? VKB_IMAGE_1D_ARRAY
                : info.kind == VKB_IMAGE_2D ? VKB_IMAGE_2D_ARRAY
                                            : info.kind;
    struct vkb_image *raw = image_new(image->device, &info);
    if (!raw)
        return NULL;
    raw->handle = image->handle;
    enum vkb_result result = make_view(raw, VK_IMAGE_USAGE_STORAGE_BIT, info.format, NULL, &raw->storage);
    raw->handle = VK_NULL_HANDLE; /* the image's */
    if (result == VKB_SUCCESS)
        return raw;
    vkb_image_destroy(raw);
    return NULL;
}

struct vkb_image *vkb_image_raw(struct vkb_image *image)
{
    struct vkb_image *root = image->base ? image->base : image, *known = atomic_load(&root->raw);
    if (known || !root->raw_format)
        return known;
    struct vkb_image *made = make_raw(root);
    if (made && atomic_compare_exchange_strong(&root->raw, &known, made))
        return made;
    if (made)
        vkb_image_destroy(made); /* another thread has made one */
    return known;
}

static enum vkb_result create_line(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    const VkBufferViewCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = image->buffer->block->buffer,
        .format = (VkFormat)image->info.format,
        .offset = image->buffer->offset + image->offset,
        .range = (uint64_t)image->info.width * image->info.texel_size,
    };
    if (create.offset % device->caps.texel_buffer_alignment)
        return VKB_UNSUPPORTED;
    FLOAT_ENV_DEFAULT();
    return CHECK(device, device->vk.vkCreateBufferView(device->handle, &create, NULL, &image->texels));
}

static bool is_linear_format(struct vkb_device *device, uint32_t format)
{
    VkFormatProperties properties;
    if (!format)
        return true;
    vkGetPhysicalDeviceFormatProperties(device->physical, (VkFormat)format, &properties);
    return properties.linearTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
}

/* Whether the VkImage fits onto the buffer's bytes, as the device has laid it out. */
static bool fits_buffer(const struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    const struct memory_block *block = image->buffer->block;
    const VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    uint64_t at = image->buffer->offset + image->offset;
    VkSubresourceLayout layout;
    VkMemoryRequirements needs;
    device->vk.vkGetImageSubresourceLayout(device->handle, image->handle, &plane, &layout);
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &needs);
    return layout.offset == 0 && (image->info.height == 1 || layout.rowPitch == image->info.row_pitch) &&
           needs.memoryTypeBits >> block->type & 1 && at % needs.alignment == 0 && at <= block->size &&
           needs.size <= block->size - at;
}

/* What a plane in rows is made from; false: the device has none of this format and size. */
static bool fill_plane(struct vkb_device *device, const struct vkb_image_info *info, struct image_creation *creation)
{
    VkImageFormatProperties limits;
    vkb_image_fill_creation(info, creation);
    VkImageCreateInfo *create = &creation->info;
    create->tiling = VK_IMAGE_TILING_LINEAR;
    create->initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
    create->flags |= VK_IMAGE_CREATE_ALIAS_BIT;
    return is_linear_format(device, info->sampled_format) &&
           vkGetPhysicalDeviceImageFormatProperties(device->physical, create->format, create->imageType, create->tiling,
                                                    create->usage, create->flags, &limits) == VK_SUCCESS &&
           info->width <= limits.maxExtent.width && info->height <= limits.maxExtent.height;
}

/* Whether the device does with texels in rows whatever it does with those in its own order. */
static bool is_equal_in_rows(struct vkb_device *device, uint32_t format)
{
    const VkFormatFeatureFlags used = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT |
                                      VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    VkFormatProperties properties;
    if (!format)
        return true;
    vkGetPhysicalDeviceFormatProperties(device->physical, (VkFormat)format, &properties);
    return !(properties.optimalTilingFeatures & used & ~properties.linearTilingFeatures);
}

bool vkb_image_fits_rows(struct vkb_device *device, const struct vkb_image_info *info, uint64_t *pitch, uint64_t *size)
{
    const VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    struct image_creation creation;
    VkImage image;
    VkSubresourceLayout layout;
    VkMemoryRequirements needs;
    if (!device->caps.linear_images || !device->handle || vkb_device_lost(device) || info->kind != VKB_IMAGE_2D ||
        vkb_image_levels(info) > 1 || !is_plausible(info) || !vkb_image_supported(device, info) ||
        !is_equal_in_rows(device, info->format) || !is_equal_in_rows(device, info->sampled_format) ||
        !fill_plane(device, info, &creation) ||
        CHECK(device, device->vk.vkCreateImage(device->handle, &creation.info, NULL, &image)) != VKB_SUCCESS)
        return false;
    device->vk.vkGetImageSubresourceLayout(device->handle, image, &plane, &layout);
    device->vk.vkGetImageMemoryRequirements(device->handle, image, &needs);
    device->vk.vkDestroyImage(device->handle, image, NULL);
    *pitch = layout.rowPitch;
    *size = needs.size;
    return layout.offset == 0 && layout.rowPitch >= (uint64_t)info->width * info->texel_size;
}

static enum vkb_result create_plane(struct vkb_image *image)
{
    struct vkb_device *device = image->device;
    const struct memory_block *block = image->buffer->block;
    struct image_creation creation;
    /* VUID-vkBindImageMemory-memory-02729: others' memory wants an image that is made for it, which begins UNDEFINED. */
    if (!block->memory || block->imported || block->owner || !fill_plane(device, &image->info, &creation))
        return VKB_UNSUPPORTED;
    enum vkb_result result =
        CHECK(device, device->vk.vkCreateImage(device->handle, &creation.info, NULL, &image->handle));
    if (result == VKB_SUCCESS && !fits_buffer(image))
        return VKB_UNSUPPORTED;
    if (result == VKB_SUCCESS)
        result = CHECK(device, device->vk.vkBindImageMemory(device->handle, image->handle, block->memory,
                                                            image->buffer->offset + image->offset));
    if (result == VKB_SUCCESS)
        result = make_views(image);
    if (result != VKB_SUCCESS)
        return result;
    /* Commands that write the buffer do not know of the image. */
    atomic_store(&image->first.state, FIRST_WAITS);
    return vkb_first_settle(image);
}

enum vkb_result vkb_image_create_over(struct vkb_buffer *buffer, uint64_t offset, const struct vkb_image_info *info,
                                      struct vkb_image **out)
{
    struct vkb_device *device = buffer->device;
    bool line = info->kind == VKB_IMAGE_BUFFER;
    uint64_t row = (uint64_t)info->width * info->texel_size, size = (info->height - 1) * info->row_pitch + row;
    if ((!line && info->kind != VKB_IMAGE_2D) || vkb_image_levels(info) > 1 || !is_plausible(info) ||
        (line && !vkb_image_supported(device, info)) || offset > buffer->size || buffer->size - offset < size)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    struct vkb_image *image = image_new(device, info);
    if (!image)
        return VKB_OUT_OF_HOST_MEMORY;
    image->buffer = vkb_buffer_retain(buffer);
    image->offset = offset;
    enum vkb_result result = line ? create_line(image) : create_plane(image);
    if (result != VKB_SUCCESS) {
        vkb_image_destroy(image);
        return result;
    }
    *out = image;
    return VKB_SUCCESS;
}

bool vkb_image_is_over(const struct vkb_image *image)
{
    return image->buffer != NULL;
}

bool vkb_image_host_copies(const struct vkb_image *image)
{
    return image->host_copies && vkb_host_image_is_near(image->device);
}

bool vkb_image_host_is_quick(const struct vkb_image *image, uint64_t bytes, bool write)
{
    return image->host_copies && vkb_host_image_is_quick(image->device, bytes, write);
}

struct vkb_image *vkb_image_retain(struct vkb_image *image)
{
    atomic_fetch_add_explicit(&image->refs, 1, memory_order_relaxed);
    return image;
}

void vkb_image_release(struct vkb_image *image)
{
    if (!image || vkb_gone() || atomic_fetch_sub(&image->refs, 1) != 1)
        return;
    vkb_contents_forget(image);
    if (!vkb_keep_image(image))
        vkb_image_destroy(image);
}

const struct vkb_image_info *vkb_image_info(const struct vkb_image *image)
{
    return &image->info;
}

void vkb_image_whole(const struct vkb_image *image, struct vkb_image_region *region)
{
    const struct vkb_image_info *info = &image->info;
    *region = (struct vkb_image_region){
        .extent = {info->width, info->kind == VKB_IMAGE_1D_ARRAY ? info->layers : info->height,
                   info->kind == VKB_IMAGE_2D_ARRAY ? info->layers : info->depth},
    };
    region->row_texels = region->extent[0];
    region->slice_rows = region->extent[1];
}

/* OpenCL 3.0, 5.3.3: an array's region has its first layer as the last number of the origin, and the number of layers
 * as the last one of the extent. Vulkan has both apart. */
void vkb_image_split_layers(const struct vkb_image *image, uint32_t level, const uint32_t origin[3],
                            const uint32_t extent[3], VkOffset3D *offset, VkExtent3D *size,
                            VkImageSubresourceLayers *layers)
{
    uint32_t first = 0, count = 1, axis = image->info.kind == VKB_IMAGE_1D_ARRAY ? 1 : 2;
    uint32_t at[3] = {origin[0], origin[1], origin[2]}, many[3] = {extent[0], extent[1], extent[2]};
    if (is_array(image->info.kind)) {
        first = at[axis];
        count = many[axis];
        at[axis] = 0;
        many[axis] = 1;
    }
    *offset = (VkOffset3D){(int32_t)at[0], (int32_t)at[1], (int32_t)at[2]};
    *size = (VkExtent3D){many[0], many[1], many[2]};
    *layers = (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, level, first, count};
}
