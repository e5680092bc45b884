/* The Vulkan program beside OpenCL: tests/api/peer.h. */
#include "peer.h"

#ifdef _WIN32
#define MEMORY_EXTENSION    "VK_KHR_external_memory_win32"
#define SEMAPHORE_EXTENSION "VK_KHR_external_semaphore_win32"
#define OPAQUE_MEMORY       VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT
#else
#define MEMORY_EXTENSION    "VK_KHR_external_memory_fd"
#define SEMAPHORE_EXTENSION "VK_KHR_external_semaphore_fd"
#define OPAQUE_MEMORY       VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(...)                                                                                                      \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            fprintf(stderr, "%s:%d: %s failed; giving up\n", __FILE__, __LINE__, #__VA_ARGS__);                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(...) NEED((__VA_ARGS__) == VK_SUCCESS)

static bool has_extension(VkPhysicalDevice physical, const char *name)
{
    uint32_t count = 0;
    bool found = false;
    OK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    VkExtensionProperties *list = calloc(count + 1, sizeof(*list));
    NEED(list);
    OK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list));
    for (uint32_t i = 0; i < count; i++)
        found |= !strcmp(list[i].extensionName, name);
    free(list);
    return found;
}

static bool find_physical(struct peer *peer, const uint8_t *device_uuid, const uint8_t *driver_uuid)
{
    VkPhysicalDevice list[16];
    uint32_t count = 16;
    NEED(vkEnumeratePhysicalDevices(peer->instance, &count, list) >= VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &id};
        vkGetPhysicalDeviceProperties2(list[i], &properties);
        if (memcmp(id.deviceUUID, device_uuid, VK_UUID_SIZE) || memcmp(id.driverUUID, driver_uuid, VK_UUID_SIZE))
            continue;
        peer->physical = list[i];
        return has_extension(list[i], MEMORY_EXTENSION);
    }
    return false;
}

static void open_device(struct peer *peer)
{
    const float priority = 0.5f;
    const char *names[] = {MEMORY_EXTENSION, SEMAPHORE_EXTENSION};
    peer->semaphores = has_extension(peer->physical, names[1]);
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(peer->physical, &count, families);
    while (peer->family < count && !(families[peer->family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        peer->family++;
    NEED(peer->family < count);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = peer->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = peer->semaphores ? 2 : 1,
        .ppEnabledExtensionNames = names,
    };
    OK(vkCreateDevice(peer->physical, &info, NULL, &peer->device));
    volkLoadDevice(peer->device);
    vkGetDeviceQueue(peer->device, peer->family, 0, &peer->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = peer->family};
    OK(vkCreateCommandPool(peer->device, &pool, NULL, &peer->pool));
    vkGetPhysicalDeviceMemoryProperties(peer->physical, &peer->memory);
}

bool peer_open(struct peer *peer, const uint8_t device_uuid[VK_UUID_SIZE], const uint8_t driver_uuid[VK_UUID_SIZE])
{
    *peer = (struct peer){.kind = OPAQUE_MEMORY};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    OK(volkInitialize());
    OK(vkCreateInstance(&info, NULL, &peer->instance));
    volkLoadInstance(peer->instance);
    if (!find_physical(peer, device_uuid, driver_uuid)) {
        vkDestroyInstance(peer->instance, NULL);
        return false;
    }
    open_device(peer);
    return true;
}

void peer_close(struct peer *peer)
{
    vkDestroyCommandPool(peer->device, peer->pool, NULL);
    vkDestroyDevice(peer->device, NULL);
    vkDestroyInstance(peer->instance, NULL);
}

/* ---- work ---- */

static VkCommandBuffer begin(const struct peer *peer)
{
    VkCommandBuffer cmd;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = peer->pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo start = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkAllocateCommandBuffers(peer->device, &info, &cmd));
    OK(vkBeginCommandBuffer(cmd, &start));
    return cmd;
}

static void run(const struct peer *peer, VkCommandBuffer cmd)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    OK(vkEndCommandBuffer(cmd));
    OK(vkQueueSubmit(peer->queue, 1, &submit, VK_NULL_HANDLE));
    OK(vkQueueWaitIdle(peer->queue));
    vkFreeCommandBuffers(peer->device, peer->pool, 1, &cmd);
}

/* The first device-local type: that is where OpenCL looks first. */
static uint32_t choose_type(const struct peer *peer, uint32_t bits, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < peer->memory.memoryTypeCount; i++) {
        if (bits >> i & 1 && (peer->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    }
    NEED(!"a memory type");
    return 0;
}

static peer_handle handle_of(const struct peer *peer, VkDeviceMemory memory)
{
    peer_handle handle;
#ifdef _WIN32
    const VkMemoryGetWin32HandleInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_WIN32_HANDLE_INFO_KHR, NULL, memory,
                                               peer->kind};
    OK(vkGetMemoryWin32HandleKHR(peer->device, &get, &handle));
#else
    const VkMemoryGetFdInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, memory, peer->kind};
    OK(vkGetMemoryFdKHR(peer->device, &get, &handle));
#endif
    return handle;
}

static VkDeviceMemory allocate(const struct peer *peer, const VkMemoryRequirements *needs, peer_handle *handle)
{
    VkDeviceMemory memory;
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                           .handleTypes = peer->kind};
#ifdef _WIN32
    const VkExportMemoryWin32HandleInfoKHR named = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_WIN32_HANDLE_INFO_KHR, .dwAccess = GENERIC_ALL, .name = peer->name};
    if (peer->name)
        exported.pNext = &named;
#endif
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &exported,
        .allocationSize = needs->size,
        .memoryTypeIndex = choose_type(peer, needs->memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
    };
    OK(vkAllocateMemory(peer->device, &info, NULL, &memory));
    *handle = handle_of(peer, memory);
    return memory;
}

void peer_buffer_make(const struct peer *peer, uint64_t size, struct peer_buffer *buffer, peer_handle *handle)
{
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = peer->kind};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &external,
        .size = size,
        .usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryRequirements needs;
    buffer->size = size;
    OK(vkCreateBuffer(peer->device, &info, NULL, &buffer->handle));
    vkGetBufferMemoryRequirements(peer->device, buffer->handle, &needs);
    buffer->memory = allocate(peer, &needs, handle);
    OK(vkBindBufferMemory(peer->device, buffer->handle, buffer->memory, 0));
}

void peer_buffer_free(const struct peer *peer, struct peer_buffer *buffer)
{
    vkDestroyBuffer(peer->device, buffer->handle, NULL);
    vkFreeMemory(peer->device, buffer->memory, NULL);
}

static void pass_buffer(const struct peer *peer, VkCommandBuffer cmd, VkBuffer buffer, bool take)
{
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkBufferMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
        .srcAccessMask = take ? 0 : all,
        .dstAccessMask = take ? all : 0,
        .srcQueueFamilyIndex = take ? VK_QUEUE_FAMILY_EXTERNAL : peer->family,
        .dstQueueFamilyIndex = take ? peer->family : VK_QUEUE_FAMILY_EXTERNAL,
        .buffer = buffer,
        .size = VK_WHOLE_SIZE,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 1,
                         &barrier, 0, NULL);
}

void peer_buffer_fill(const struct peer *peer, const struct peer_buffer *buffer, uint32_t word)
{
    VkCommandBuffer cmd = begin(peer);
    vkCmdFillBuffer(cmd, buffer->handle, 0, VK_WHOLE_SIZE, word);
    pass_buffer(peer, cmd, buffer->handle, false);
    run(peer, cmd);
}

/* Memory of the host for what the device gives back. */
struct landing {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map;
};

static void landing_make(const struct peer *peer, uint64_t size, struct landing *landing)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    OK(vkCreateBuffer(peer->device, &info, NULL, &landing->buffer));
    vkGetBufferMemoryRequirements(peer->device, landing->buffer, &needs);
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = choose_type(peer, needs.memoryTypeBits,
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
    };
    OK(vkAllocateMemory(peer->device, &memory, NULL, &landing->memory));
    OK(vkBindBufferMemory(peer->device, landing->buffer, landing->memory, 0));
    OK(vkMapMemory(peer->device, landing->memory, 0, VK_WHOLE_SIZE, 0, &landing->map));
}

static void landing_free(const struct peer *peer, struct landing *landing)
{
    vkDestroyBuffer(peer->device, landing->buffer, NULL);
    vkFreeMemory(peer->device, landing->memory, NULL);
}

void peer_buffer_read(const struct peer *peer, const struct peer_buffer *buffer, void *data)
{
    struct landing landing;
    landing_make(peer, buffer->size, &landing);
    const VkBufferCopy region = {.size = buffer->size};
    VkCommandBuffer cmd = begin(peer);
    pass_buffer(peer, cmd, buffer->handle, true);
    vkCmdCopyBuffer(cmd, buffer->handle, landing.buffer, 1, &region);
    run(peer, cmd);
    memcpy(data, landing.map, buffer->size);
    landing_free(peer, &landing);
}

/* ---- images ---- */

bool peer_image_make(const struct peer *peer, uint32_t width, uint32_t height, bool in_rows, struct peer_image *image,
                     peer_handle *handle)
{
    const VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                      .handleTypes = peer->kind};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = &external,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {width, height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = in_rows ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 VK_IMAGE_USAGE_STORAGE_BIT,
    };
    VkMemoryRequirements needs;
    image->width = width;
    image->height = height;
    const VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout = {.rowPitch = 0};
    VkImageFormatProperties limits;
    if (vkGetPhysicalDeviceImageFormatProperties(peer->physical, info.format, info.imageType, info.tiling, info.usage,
                                                 0, &limits) != VK_SUCCESS)
        return false;
    OK(vkCreateImage(peer->device, &info, NULL, &image->handle));
    if (in_rows)
        vkGetImageSubresourceLayout(peer->device, image->handle, &plane, &layout);
    image->row_pitch = layout.rowPitch;
    vkGetImageMemoryRequirements(peer->device, image->handle, &needs);
    image->memory = allocate(peer, &needs, handle);
    OK(vkBindImageMemory(peer->device, image->handle, image->memory, 0));
    return true;
}

void peer_image_free(const struct peer *peer, struct peer_image *image)
{
    vkDestroyImage(peer->device, image->handle, NULL);
    vkFreeMemory(peer->device, image->memory, NULL);
}

static void pass_image(VkCommandBuffer cmd, VkImage image, VkImageLayout from, uint32_t from_family, uint32_t to_family)
{
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = all,
        .dstAccessMask = all,
        .oldLayout = from,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = from_family,
        .dstQueueFamilyIndex = to_family,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

void peer_image_clear(const struct peer *peer, const struct peer_image *image, const float colour[4])
{
    const VkClearColorValue value = {.float32 = {colour[0], colour[1], colour[2], colour[3]}};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer cmd = begin(peer);
    pass_image(cmd, image->handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
    vkCmdClearColorImage(cmd, image->handle, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
    pass_image(cmd, image->handle, VK_IMAGE_LAYOUT_GENERAL, peer->family, VK_QUEUE_FAMILY_EXTERNAL);
    run(peer, cmd);
}

void peer_image_read(const struct peer *peer, const struct peer_image *image, uint32_t *texels)
{
    struct landing landing;
    uint64_t size = (uint64_t)image->width * image->height * 4;
    landing_make(peer, size, &landing);
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {image->width, image->height, 1}};
    VkCommandBuffer cmd = begin(peer);
    pass_image(cmd, image->handle, VK_IMAGE_LAYOUT_GENERAL, VK_QUEUE_FAMILY_EXTERNAL, peer->family);
    vkCmdCopyImageToBuffer(cmd, image->handle, VK_IMAGE_LAYOUT_GENERAL, landing.buffer, 1, &region);
    run(peer, cmd);
    memcpy(texels, landing.map, size);
    landing_free(peer, &landing);
}

/* ---- semaphores ---- */

VkSemaphore peer_semaphore_make(const struct peer *peer, VkExternalSemaphoreHandleTypeFlagBits type)
{
    VkSemaphore semaphore;
    const VkExportSemaphoreCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                                  .handleTypes = type};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
    OK(vkCreateSemaphore(peer->device, &info, NULL, &semaphore));
    return semaphore;
}

peer_handle peer_semaphore_export(const struct peer *peer, VkSemaphore semaphore,
                                  VkExternalSemaphoreHandleTypeFlagBits type)
{
    peer_handle handle;
#ifdef _WIN32
    const VkSemaphoreGetWin32HandleInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_WIN32_HANDLE_INFO_KHR, NULL,
                                                   semaphore, type};
    OK(vkGetSemaphoreWin32HandleKHR(peer->device, &info, &handle));
#else
    const VkSemaphoreGetFdInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, semaphore, type};
    OK(vkGetSemaphoreFdKHR(peer->device, &info, &handle));
#endif
    return handle;
}

void peer_semaphore_import(const struct peer *peer, VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type,
                           peer_handle handle)
{
#ifdef _WIN32
    const VkImportSemaphoreWin32HandleInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_WIN32_HANDLE_INFO_KHR,
        .semaphore = semaphore,
        .handleType = type,
        .handle = handle,
    };
    OK(vkImportSemaphoreWin32HandleKHR(peer->device, &info));
#else
    const VkImportSemaphoreFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore = semaphore,
        .flags = type == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0,
        .handleType = type,
        .fd = handle,
    };
    OK(vkImportSemaphoreFdKHR(peer->device, &info));
#endif
}

void peer_semaphore_free(const struct peer *peer, VkSemaphore semaphore)
{
    vkDestroySemaphore(peer->device, semaphore, NULL);
}

void peer_submit(const struct peer *peer, VkSemaphore wait, VkSemaphore signal, bool finish)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = wait ? 1 : 0,
        .pWaitSemaphores = &wait,
        .pWaitDstStageMask = &stage,
        .signalSemaphoreCount = signal ? 1 : 0,
        .pSignalSemaphores = &signal,
    };
    OK(vkQueueSubmit(peer->queue, 1, &submit, VK_NULL_HANDLE));
    if (finish)
        OK(vkQueueWaitIdle(peer->queue));
}
