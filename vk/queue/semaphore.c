/* Binary semaphores that come from other APIs and processes, or go there: Vulkan 1.3, 7.4. Whatever stays within this
 * process needs none of them: events say more. */
#include "vk/device/device.h"
#include "vk/queue/semaphore.h"

#include "base/platform.h"

#include <stdlib.h>

struct vkb_semaphore {
    atomic_uint refs; /* batches and held commands have references while they use it */
    struct vkb_device *device;
    VkSemaphore handle;
};

static VkExternalSemaphoreHandleTypeFlagBits type_of(enum vkb_handle kind)
{
    return kind == VKB_HANDLE_SYNC_FD ? VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT
                                      : VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
}

enum vkb_result vkb_semaphore_create(struct vkb_device *device, uint32_t exports, struct vkb_semaphore **out)
{
    if (!device->handle || (exports & ~device->caps.semaphore_exports))
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    struct vkb_semaphore *semaphore = calloc(1, sizeof(*semaphore));
    if (!semaphore)
        return VKB_OUT_OF_HOST_MEMORY;
    atomic_init(&semaphore->refs, 1);
    semaphore->device = device;
    const VkExportSemaphoreCreateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = type_of((enum vkb_handle)exports),
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = exports ? &export : NULL,
    };
    enum vkb_result result =
        CHECK(device, device->vk.vkCreateSemaphore(device->handle, &info, NULL, &semaphore->handle));
    if (result != VKB_SUCCESS) {
        free(semaphore);
        return result;
    }
    *out = semaphore;
    return VKB_SUCCESS;
}

/* Sync files are copied, which Vulkan calls temporary: what the semaphore was before comes back after the next wait. */
enum vkb_result vkb_semaphore_import(struct vkb_semaphore *semaphore, enum vkb_handle kind, int fd)
{
    struct vkb_device *device = semaphore->device;
    if (!(device->caps.semaphore_imports & kind))
        return VKB_UNSUPPORTED;
    /* VUID-VkImportSemaphoreFdInfoKHR-fd-01544, -handleType-07307. NVIDIA's driver (580) makes no more semaphores after
     * it was given a number that is no descriptor. */
    if (fd < 0 ? fd != -1 || kind != VKB_HANDLE_SYNC_FD : !platform_handle_is_open(fd))
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    const VkImportSemaphoreFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore = semaphore->handle,
        .flags = kind == VKB_HANDLE_SYNC_FD ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0,
        .handleType = type_of(kind),
        .fd = fd,
    };
    return CHECK(device, device->vk.vkImportSemaphoreFdKHR(device->handle, &info));
}

enum vkb_result vkb_semaphore_export(struct vkb_semaphore *semaphore, enum vkb_handle kind, int *fd)
{
    struct vkb_device *device = semaphore->device;
    if (!(device->caps.semaphore_exports & kind))
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    const VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = semaphore->handle,
        .handleType = type_of(kind),
    };
    return CHECK(device, device->vk.vkGetSemaphoreFdKHR(device->handle, &info, fd));
}

struct vkb_semaphore *vkb_semaphore_retain(struct vkb_semaphore *semaphore)
{
    atomic_fetch_add_explicit(&semaphore->refs, 1, memory_order_relaxed);
    return semaphore;
}

void vkb_semaphore_release(struct vkb_semaphore *semaphore)
{
    if (!semaphore || vkb_gone() || atomic_fetch_sub(&semaphore->refs, 1) != 1)
        return;
    semaphore->device->vk.vkDestroySemaphore(semaphore->device->handle, semaphore->handle, NULL);
    free(semaphore);
}

VkSemaphore vkb_semaphore_handle(const struct vkb_semaphore *semaphore)
{
    return semaphore->handle;
}
