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
        .handleTypes = exports ? vkb_semaphore_handle_type((enum vkb_handle)exports) : 0,
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

static enum vkb_result import_win32(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t handle)
{
    struct vkb_device *device = semaphore->device;
    bool named = kind == VKB_HANDLE_WIN32_NAME;
    const VkImportSemaphoreWin32HandleInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_WIN32_HANDLE_INFO_KHR,
        .semaphore = semaphore->handle,
        .handleType = vkb_semaphore_handle_type(kind),
        .handle = named ? NULL : (HANDLE)handle,
        .name = named ? (LPCWSTR)handle : NULL,
    };
    return CHECK(device, device->win32.vkImportSemaphoreWin32HandleKHR(device->handle, &info));
}

/* Sync files are copied, which Vulkan calls temporary: what the semaphore was before comes back after the next wait. */
static enum vkb_result import_fd(struct vkb_semaphore *semaphore, enum vkb_handle kind, int fd)
{
    struct vkb_device *device = semaphore->device;
    const VkImportSemaphoreFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore = semaphore->handle,
        .flags = kind == VKB_HANDLE_SYNC_FD ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0,
        .handleType = vkb_semaphore_handle_type(kind),
        .fd = fd,
    };
    return CHECK(device, device->vk.vkImportSemaphoreFdKHR(device->handle, &info));
}

/* VUID-VkImportSemaphoreFdInfoKHR-fd-01544, -handleType-07307. NVIDIA's driver (580) makes no more semaphores after it
 * was given a number that is no descriptor. */
static bool may_be_semaphore(enum vkb_handle kind, intptr_t handle)
{
    if (kind == VKB_HANDLE_SYNC_FD && handle == -1)
        return true;
    if (kind == VKB_HANDLE_WIN32_KMT || kind == VKB_HANDLE_WIN32_NAME)
        return handle != 0;
    return handle >= 0 && platform_handle_is_open(handle);
}

enum vkb_result vkb_semaphore_import(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t handle)
{
    struct vkb_device *device = semaphore->device;
    if (!(device->caps.semaphore_imports & kind) || !may_be_semaphore(kind, handle))
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    return vkb_handle_is_taken(kind) ? import_fd(semaphore, kind, (int)handle) : import_win32(semaphore, kind, handle);
}

static enum vkb_result export_win32(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t *out)
{
    struct vkb_device *device = semaphore->device;
    HANDLE handle = NULL;
    const VkSemaphoreGetWin32HandleInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_WIN32_HANDLE_INFO_KHR,
        .semaphore = semaphore->handle,
        .handleType = vkb_semaphore_handle_type(kind),
    };
    enum vkb_result result = CHECK(device, device->win32.vkGetSemaphoreWin32HandleKHR(device->handle, &info, &handle));
    *out = (intptr_t)handle;
    return result;
}

static enum vkb_result export_fd(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t *out)
{
    struct vkb_device *device = semaphore->device;
    int fd = -1;
    const VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = semaphore->handle,
        .handleType = vkb_semaphore_handle_type(kind),
    };
    enum vkb_result result = CHECK(device, device->vk.vkGetSemaphoreFdKHR(device->handle, &info, &fd));
    *out = fd;
    return result;
}

enum vkb_result vkb_semaphore_export(struct vkb_semaphore *semaphore, enum vkb_handle kind, intptr_t *handle)
{
    struct vkb_device *device = semaphore->device;
    if (!(device->caps.semaphore_exports & kind))
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    return vkb_handle_is_taken(kind) ? export_fd(semaphore, kind, handle) : export_win32(semaphore, kind, handle);
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
