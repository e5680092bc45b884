/* Memory that others own: the host's pages, and what other APIs and processes share by a handle.
 *
 * Such memory has a block of its own, whose VkBuffer says what it is imported from. Vulkan 1.3, 11.2.4 (external
 * memory) and 11.2.6 (import). For an opaque handle allocation size and memory type must be those of the exporter,
 * and nothing tells them. So the size is what the driver asks for a buffer of this size, and the types are tried in the
 * order in which an exporter most likely chose: device-local ones that the host cannot see first. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/external.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"

#include "base/platform.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the descriptor can be memory at all. Drivers that run on the host read an opaque one to see whose it is,
 * which waits for ever where nothing comes: their own are files in memory. Other drivers' are devices, or of no type.
 */
static bool may_be_file(const struct vkb_device *device, enum vkb_handle kind, int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return false;
    if (kind == VKB_HANDLE_OPAQUE_FD && device->caps.type == VKB_DEVICE_CPU)
        return S_ISREG(st.st_mode);
    return !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode) && !S_ISDIR(st.st_mode) && !isatty(fd);
}

/* Nobody can ask what a number is that only drivers know, or whose name a text is. */
static bool may_be_memory(const struct vkb_device *device, enum vkb_handle kind, intptr_t value)
{
    if (vkb_handle_is_taken(kind))
        return may_be_file(device, kind, (int)value);
    return kind == VKB_HANDLE_WIN32 ? platform_handle_is_open(value) : value != 0;
}

/* VUID-vkGetMemoryFdPropertiesKHR-handleType-00674: an opaque handle tells nothing. */
static bool ask_types(struct vkb_device *device, int fd, uint32_t *types)
{
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    if (device->vk.vkGetMemoryFdPropertiesKHR(device->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, fd,
                                              &properties) != VK_SUCCESS)
        return false;
    *types = properties.memoryTypeBits;
    return true;
}

const void *vkb_source_chain(const struct memory_source *source, VkBuffer buffer, VkImage image,
                             struct memory_chain *chain)
{
    const void *next = NULL;
    chain->dedicated = (VkMemoryDedicatedAllocateInfo){
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .image = image,
        .buffer = image ? VK_NULL_HANDLE : buffer,
    };
    if (source->dedicated)
        next = &chain->dedicated;
    if (source->exports) {
        chain->exported = (VkExportMemoryAllocateInfo){
            .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
            .pNext = next,
            .handleTypes = source->handle,
        };
        return &chain->exported;
    }
    if (source->pages) {
        chain->pages = (VkImportMemoryHostPointerInfoEXT){
            .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
            .pNext = next,
            .handleType = source->handle,
            .pHostPointer = source->pages,
        };
        return &chain->pages;
    }
    if (source->handle &
        (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT)) {
        chain->win32 = (VkImportMemoryWin32HandleInfoKHR){
            .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR,
            .pNext = next,
            .handleType = source->handle,
            .handle = source->named ? NULL : (HANDLE)source->value,
            .name = source->named ? (LPCWSTR)source->value : NULL,
        };
        return &chain->win32;
    }
    chain->fd = (VkImportMemoryFdInfoKHR){
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .pNext = next,
        .handleType = source->handle,
        .fd = (int)source->value,
    };
    return &chain->fd;
}

/* A block over the source, in one of the types. size: of the allocation; 0: what the buffer needs. */
static enum vkb_result import(struct vkb_device *device, const struct memory_source *source, uint64_t buffer_size,
                              uint64_t size, uint32_t types, struct memory_block **out)
{
    struct memory_block *block = calloc(1, sizeof(*block));
    if (!block)
        return VKB_OUT_OF_HOST_MEMORY;
    block->size = buffer_size;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = source->handle,
    };
    enum vkb_result result = vkb_block_create_buffer(device, block, 0, &external);
    if (result == VKB_SUCCESS) {
        const VkPhysicalDeviceMemoryProperties *memory = &device->memory_properties;
        VkMemoryRequirements needs;
        device->vk.vkGetBufferMemoryRequirements(device->handle, block->buffer, &needs);
        uint64_t bytes = size ? size : needs.size;
        result = VKB_UNSUPPORTED;
        for (int pass = 0; pass < 2 && needs.size <= bytes; pass++) {
            for (uint32_t i = 0; i < memory->memoryTypeCount && result != VKB_SUCCESS; i++) {
                VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
                bool visible = flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
                bool hidden = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT && !visible;
                bool coherent = flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
                if ((needs.memoryTypeBits & types) >> i & 1 && hidden == (pass == 0) && (!visible || coherent) &&
                    (coherent || !source->pages))
                    result = vkb_block_bind(device, block, VKB_MEMORY_HOST, bytes, i, source);
            }
        }
    }
    if (result != VKB_SUCCESS) {
        vkb_block_destroy(device, block);
        return result == VKB_DEVICE_LOST ? result : VKB_UNSUPPORTED;
    }
    *out = block;
    return VKB_SUCCESS;
}

enum vkb_result vkb_buffer_allocate_import(struct vkb_device *device, void *pages, uint64_t size,
                                           struct vkb_buffer *buffer)
{
    const struct memory_source source = {.handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                         .pages = pages};
    VkMemoryHostPointerPropertiesEXT properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    if (device->vk.vkGetMemoryHostPointerPropertiesEXT(device->handle, source.handle, pages, &properties) != VK_SUCCESS)
        return VKB_UNSUPPORTED;
    return import(device, &source, size, size, properties.memoryTypeBits, &buffer->block);
}

uint32_t vkb_owner_of(const struct vkb_device *device, enum vkb_handle kind)
{
    return kind == VKB_HANDLE_DMA_BUF && device->extensions.queue_family_foreign ? VK_QUEUE_FAMILY_FOREIGN_EXT
                                                                                 : VK_QUEUE_FAMILY_EXTERNAL;
}

enum vkb_result vkb_buffer_allocate_shared(struct vkb_device *device, enum vkb_handle kind, intptr_t value,
                                           uint64_t size, struct vkb_buffer *buffer)
{
    const VkExternalMemoryHandleTypeFlagBits handle = vkb_memory_handle(kind);
    const struct memory_source source = {
        .handle = handle,
        .value = value,
        .named = kind == VKB_HANDLE_WIN32_NAME,
        .dedicated = vkb_handles_of_buffer(device, handle) & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT,
    };
    uint32_t types = UINT32_MAX;
    bool dma_buf = kind == VKB_HANDLE_DMA_BUF;
    if (!may_be_memory(device, kind, value) || (dma_buf && !ask_types(device, (int)value, &types)))
        return VKB_UNSUPPORTED;
    /* Drivers that run on the host map what they are told to, and end with the process beyond the end. */
    if (dma_buf && size > platform_handle_size((int)value))
        return VKB_UNSUPPORTED;
    enum vkb_result result = import(device, &source, size, 0, types, &buffer->block);
    if (result == VKB_SUCCESS)
        buffer->block->owner = vkb_owner_of(device, kind);
    return result;
}

void vkb_buffer_lend(struct vkb_buffer *buffer)
{
    buffer->block->lent = true;
}

enum vkb_result vkb_buffer_create_exported(struct vkb_device *device, uint64_t size, enum vkb_handle kind,
                                           struct vkb_buffer **out)
{
    if (!device->handle || !(device->caps.memory_exports & kind) || !size || size > (uint64_t)1 << 56)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    const VkExternalMemoryHandleTypeFlagBits handle = vkb_memory_handle(kind);
    const struct memory_source source = {
        .handle = handle,
        .dedicated = vkb_handles_of_buffer(device, handle) & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT,
        .exports = true,
    };
    struct vkb_buffer *buffer = vkb_buffer_new(device, size);
    if (!buffer)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = vkb_buffer_allocate_exported(device, &source, buffer);
    if (result != VKB_SUCCESS) {
        free(buffer);
        return result;
    }
    buffer->block->owner = vkb_owner_of(device, kind);
    vkb_buffer_complete(buffer);
    *out = buffer;
    return VKB_SUCCESS;
}

void vkb_buffer_export_size(const struct vkb_buffer *buffer, uint64_t *size, bool *dedicated)
{
    VkMemoryRequirements needs;
    struct vkb_device *device = buffer->device;
    device->vk.vkGetBufferMemoryRequirements(device->handle, buffer->block->buffer, &needs);
    *size = needs.size;
    *dedicated = vkb_handles_of_buffer(device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) &
                 VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
}

static intptr_t export_win32(struct vkb_device *device, VkDeviceMemory memory, enum vkb_handle kind)
{
    HANDLE handle = NULL;
    const VkMemoryGetWin32HandleInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_WIN32_HANDLE_INFO_KHR,
        .memory = memory,
        .handleType = vkb_memory_handle(kind),
    };
    enum vkb_result result = CHECK(device, device->win32.vkGetMemoryWin32HandleKHR(device->handle, &info, &handle));
    return result == VKB_SUCCESS ? (intptr_t)handle : -1;
}

intptr_t vkb_memory_export(struct vkb_device *device, VkDeviceMemory memory, enum vkb_handle kind)
{
    int fd = -1;
    if (!vkb_handle_is_taken(kind))
        return export_win32(device, memory, kind);
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = memory,
        .handleType = vkb_memory_handle(kind),
    };
    return CHECK(device, device->vk.vkGetMemoryFdKHR(device->handle, &info, &fd)) == VKB_SUCCESS ? fd : -1;
}

intptr_t vkb_buffer_export(struct vkb_buffer *buffer, enum vkb_handle kind)
{
    return vkb_memory_export(buffer->device, buffer->block->memory, kind);
}

bool vkb_source_of_image(struct vkb_device *device, const VkImageCreateInfo *create, enum vkb_handle kind,
                         intptr_t value, struct memory_source *source)
{
    const VkExternalMemoryHandleTypeFlagBits handle = vkb_memory_handle(kind);
    VkExternalMemoryFeatureFlags features;
    if (!(device->caps.image_imports & kind) || !may_be_memory(device, kind, value) ||
        !vkb_handles_of_image(device, create, handle, create->pNext, &features) ||
        !(features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT))
        return false;
    *source = (struct memory_source){
        .handle = handle,
        .value = value,
        .named = kind == VKB_HANDLE_WIN32_NAME,
        .dedicated = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT,
    };
    return true;
}

bool vkb_source_of_dma_buf(struct vkb_device *device, VkExternalMemoryFeatureFlags features, int fd,
                           struct memory_source *source)
{
    *source = (struct memory_source){
        .handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
        .value = fd,
        .dedicated = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT,
    };
    return features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT && may_be_memory(device, VKB_HANDLE_DMA_BUF, fd) &&
           ask_types(device, fd, &source->types) && source->types;
}
