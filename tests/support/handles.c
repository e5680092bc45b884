/* A Vulkan layer that gives every device VK_KHR_external_semaphore_fd, which drivers that run on the host lack, so that
 * semaphores between APIs and processes can be tested on them. tests/meson.build enables it for the tests that need it;
 * nothing of it is installed.
 *
 * The payload of a semaphore that is exported or imported is an eventfd. The driver never sees such a semaphore:
 * vkQueueSubmit takes it out of the lists, waits for the eventfd before it hands the work on, and writes to it when
 * the work has ended. So a submission blocks where a driver's would not; who waits sees the same. A sync file is an
 * eventfd, too, that is only looked at. Vulkan 1.3, 7.4.3 (importing) and 7.4.4 (transference). */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* An instance or a device, found by the word that its handles share. */
struct object {
    struct object *next;
    void *loader_word;
    VkInstance instance;
    PFN_vkGetInstanceProcAddr get_instance_proc;
    PFN_vkGetDeviceProcAddr get_device_proc;
    PFN_vkDestroyInstance destroy_instance;
    PFN_vkDestroyDevice destroy_device;
    PFN_vkEnumerateDeviceExtensionProperties enumerate_extensions;
    PFN_vkCreateSemaphore create_semaphore;
    PFN_vkDestroySemaphore destroy_semaphore;
    PFN_vkQueueSubmit submit;
    PFN_vkQueueWaitIdle wait_idle;
};

/* A semaphore that is exported or imported. */
struct shared {
    struct shared *next;
    VkSemaphore handle;
    int payload;   /* an eventfd */
    bool imported; /* a sync file stands before the payload until the next wait */
    int sync_file; /* -1: signalled */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the lists */
static struct object *objects;
static struct shared *semaphores;

static const VkExtensionProperties extension = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, 1};

static struct object *object_of(const void *handle)
{
    pthread_mutex_lock(&lock);
    struct object *object = objects;
    while (object && object->loader_word != *(void *const *)handle)
        object = object->next;
    pthread_mutex_unlock(&lock);
    return object;
}

static void add_object(struct object *object)
{
    pthread_mutex_lock(&lock);
    object->next = objects;
    objects = object;
    pthread_mutex_unlock(&lock);
}

static void remove_object(struct object *object)
{
    pthread_mutex_lock(&lock);
    struct object **at = &objects;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    pthread_mutex_unlock(&lock);
    free(object);
}

/* ---- semaphores ---- */

static struct shared *find_shared(VkSemaphore handle)
{
    pthread_mutex_lock(&lock);
    struct shared *semaphore = semaphores;
    while (semaphore && semaphore->handle != handle)
        semaphore = semaphore->next;
    pthread_mutex_unlock(&lock);
    return semaphore;
}

static struct shared *add_shared(VkSemaphore handle)
{
    struct shared *semaphore = calloc(1, sizeof(*semaphore));
    if (!semaphore)
        return NULL;
    semaphore->handle = handle;
    semaphore->payload = eventfd(0, EFD_CLOEXEC);
    semaphore->sync_file = -1;
    pthread_mutex_lock(&lock);
    semaphore->next = semaphores;
    semaphores = semaphore;
    pthread_mutex_unlock(&lock);
    return semaphore;
}

static void drop_sync_file(struct shared *semaphore)
{
    if (semaphore->sync_file >= 0)
        close(semaphore->sync_file);
    semaphore->sync_file = -1;
    semaphore->imported = false;
}

static void wait_for(struct shared *semaphore)
{
    uint64_t count;
    if (!semaphore->imported) {
        while (read(semaphore->payload, &count, sizeof(count)) < 0)
            ;
        return;
    }
    struct pollfd poll_fd = {.fd = semaphore->sync_file, .events = POLLIN};
    while (semaphore->sync_file >= 0 && poll(&poll_fd, 1, -1) < 0)
        ;
    drop_sync_file(semaphore);
}

static void signal_to(struct shared *semaphore)
{
    const uint64_t one = 1;
    if (write(semaphore->payload, &one, sizeof(one)) < 0)
        abort();
}

static VKAPI_ATTR VkResult VKAPI_CALL handles_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                              const VkAllocationCallbacks *allocator,
                                                              VkSemaphore *handle)
{
    bool exported = false;
    VkSemaphoreCreateInfo copy = *info;
    const VkBaseInStructure *first = info->pNext;
    if (first && first->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) {
        exported = ((const VkExportSemaphoreCreateInfo *)first)->handleTypes;
        copy.pNext = first->pNext;
    }
    VkResult result = object_of(device)->create_semaphore(device, &copy, allocator, handle);
    if (result == VK_SUCCESS && exported && !add_shared(*handle))
        abort();
    return result;
}

static VKAPI_ATTR void VKAPI_CALL handles_DestroySemaphore(VkDevice device, VkSemaphore handle,
                                                           const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&lock);
    struct shared **at = &semaphores;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    struct shared *semaphore = *at;
    if (semaphore)
        *at = semaphore->next;
    pthread_mutex_unlock(&lock);
    if (semaphore) {
        drop_sync_file(semaphore);
        close(semaphore->payload);
        free(semaphore);
    }
    object_of(device)->destroy_semaphore(device, handle, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL handles_ImportSemaphoreFdKHR(VkDevice device,
                                                                   const VkImportSemaphoreFdInfoKHR *info)
{
    bool sync = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
    bool signalled = sync && info->fd == -1;
    struct shared *semaphore = find_shared(info->semaphore);
    (void)device;
    if (!signalled && fcntl(info->fd, F_GETFD) < 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if (!semaphore)
        semaphore = add_shared(info->semaphore);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (sync) {
        drop_sync_file(semaphore);
        semaphore->imported = true;
        semaphore->sync_file = info->fd;
    } else {
        close(semaphore->payload);
        semaphore->payload = info->fd;
    }
    return VK_SUCCESS;
}

/* Signals have happened by the time that vkQueueSubmit returns; so a sync file is signalled, and to export it uses the
 * signal up. */
static VKAPI_ATTR VkResult VKAPI_CALL handles_GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR *info,
                                                                int *fd)
{
    struct shared *semaphore = find_shared(info->semaphore);
    (void)device;
    if (!semaphore)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT) {
        *fd = fcntl(semaphore->payload, F_DUPFD_CLOEXEC, 0);
    } else {
        struct pollfd poll_fd = {.fd = semaphore->payload, .events = POLLIN};
        if (!semaphore->imported && poll(&poll_fd, 1, 0) != 1)
            return VK_ERROR_INITIALIZATION_FAILED; /* against valid usage: nothing signals it */
        wait_for(semaphore);
        *fd = eventfd(1, EFD_CLOEXEC);
    }
    return *fd >= 0 ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

/* ---- submitting ---- */

static VkResult submit_one(const struct object *object, VkQueue queue, const VkSubmitInfo *info, VkFence fence)
{
    VkSubmitInfo own = *info;
    uint32_t waits = info->waitSemaphoreCount, signals = info->signalSemaphoreCount;
    VkSemaphore *list = calloc(waits + signals + 1, sizeof(VkSemaphore));
    uint64_t *values = calloc(waits + signals + 1, sizeof(uint64_t));
    VkPipelineStageFlags *stages = calloc(waits + 1, sizeof(VkPipelineStageFlags));
    const VkTimelineSemaphoreSubmitInfo *timeline = info->pNext;
    bool has_values = timeline && timeline->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    struct shared *semaphore;
    if (!list || !values || !stages)
        abort();
    own.waitSemaphoreCount = own.signalSemaphoreCount = 0;
    for (uint32_t i = 0; i < waits; i++) {
        if ((semaphore = find_shared(info->pWaitSemaphores[i]))) {
            wait_for(semaphore);
            continue;
        }
        values[own.waitSemaphoreCount] = has_values ? timeline->pWaitSemaphoreValues[i] : 0;
        stages[own.waitSemaphoreCount] = info->pWaitDstStageMask[i];
        list[own.waitSemaphoreCount++] = info->pWaitSemaphores[i];
    }
    for (uint32_t i = 0; i < signals; i++) {
        if (find_shared(info->pSignalSemaphores[i]))
            continue;
        values[waits + own.signalSemaphoreCount] = has_values ? timeline->pSignalSemaphoreValues[i] : 0;
        list[waits + own.signalSemaphoreCount++] = info->pSignalSemaphores[i];
    }
    const VkTimelineSemaphoreSubmitInfo own_values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .pNext = has_values ? timeline->pNext : NULL,
        .waitSemaphoreValueCount = own.waitSemaphoreCount,
        .pWaitSemaphoreValues = values,
        .signalSemaphoreValueCount = own.signalSemaphoreCount,
        .pSignalSemaphoreValues = values + waits,
    };
    own.pWaitSemaphores = list;
    own.pSignalSemaphores = list + waits;
    own.pWaitDstStageMask = stages;
    if (has_values)
        own.pNext = &own_values;
    VkResult result = object->submit(queue, 1, &own, fence);
    if (result == VK_SUCCESS && own.signalSemaphoreCount < signals)
        result = object->wait_idle(queue);
    for (uint32_t i = 0; i < signals && result == VK_SUCCESS; i++) {
        if ((semaphore = find_shared(info->pSignalSemaphores[i])))
            signal_to(semaphore);
    }
    free(list);
    free(values);
    free(stages);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL handles_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                          VkFence fence)
{
    const struct object *object = object_of(queue);
    VkResult result = count ? VK_SUCCESS : object->submit(queue, 0, NULL, fence);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
        result = submit_one(object, queue, &submits[i], i + 1 == count ? fence : VK_NULL_HANDLE);
    return result;
}

/* ---- devices ---- */

static VKAPI_ATTR void VKAPI_CALL handles_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out)
{
    const VkSemaphoreTypeCreateInfo *type = info->pNext;
    bool timeline = type && type->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO &&
                    type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    bool known = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT ||
                 info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
    (void)physical;
    out->exportFromImportedHandleTypes = known && !timeline ? info->handleType : 0;
    out->compatibleHandleTypes = out->exportFromImportedHandleTypes;
    out->externalSemaphoreFeatures =
        known && !timeline ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT
                           : 0;
}

/* The driver's, and the layer's own behind them. */
static VKAPI_ATTR VkResult VKAPI_CALL handles_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                                 const char *layer, uint32_t *count,
                                                                                 VkExtensionProperties *out)
{
    const struct object *object = object_of(physical);
    uint32_t room = *count;
    if (layer)
        return object->enumerate_extensions(physical, layer, count, out);
    VkResult result = object->enumerate_extensions(physical, NULL, count, out);
    if (result < VK_SUCCESS)
        return result;
    if (out && *count < room)
        out[*count] = extension;
    else if (out)
        return VK_INCOMPLETE;
    ++*count;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL handles_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    struct object *device = calloc(1, sizeof(*device));
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof(char *));
    if (!link || !device || !names)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    device->get_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkDeviceCreateInfo own = *info;
    own.enabledExtensionCount = 0;
    own.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], extension.extensionName) != 0)
            names[own.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    }
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_proc(object_of(physical)->instance, "vkCreateDevice");
    VkResult result = create(physical, &own, allocator, handle);
    free(names);
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }
    device->loader_word = *(void **)*handle;
#define LOAD(member, name) device->member = (PFN_vk##name)device->get_device_proc(*handle, "vk" #name)
    LOAD(destroy_device, DestroyDevice);
    LOAD(create_semaphore, CreateSemaphore);
    LOAD(destroy_semaphore, DestroySemaphore);
    LOAD(submit, QueueSubmit);
    LOAD(wait_idle, QueueWaitIdle);
#undef LOAD
    add_object(device);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL handles_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (!handle)
        return;
    struct object *device = object_of(handle);
    device->destroy_device(handle, allocator);
    remove_object(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL handles_CreateInstance(const VkInstanceCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    struct object *instance = calloc(1, sizeof(*instance));
    if (!link || !instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    instance->get_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)instance->get_instance_proc(NULL, "vkCreateInstance");
    VkResult result = create ? create(info, allocator, handle) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        free(instance);
        return result;
    }
    instance->loader_word = *(void **)*handle;
    instance->instance = *handle;
    instance->destroy_instance = (PFN_vkDestroyInstance)instance->get_instance_proc(*handle, "vkDestroyInstance");
    instance->enumerate_extensions = (PFN_vkEnumerateDeviceExtensionProperties)instance->get_instance_proc(
        *handle, "vkEnumerateDeviceExtensionProperties");
    add_object(instance);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL handles_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (!handle)
        return;
    struct object *instance = object_of(handle);
    instance->destroy_instance(handle, allocator);
    remove_object(instance);
}

/* ---- the loader's way in ---- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL handles_GetInstanceProcAddr(VkInstance handle, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL handles_GetDeviceProcAddr(VkDevice handle, const char *name);

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        "vk" #name, (PFN_vkVoidFunction)handles_##name                                                                 \
    }
static const struct {
    const char *name;
    PFN_vkVoidFunction call;
} of_device[] = {ROW(GetDeviceProcAddr), ROW(DestroyDevice),        ROW(CreateSemaphore),  ROW(DestroySemaphore),
                 ROW(QueueSubmit),       ROW(ImportSemaphoreFdKHR), ROW(GetSemaphoreFdKHR)},
  of_instance[] = {ROW(GetInstanceProcAddr),
                   ROW(CreateInstance),
                   ROW(DestroyInstance),
                   ROW(CreateDevice),
                   ROW(EnumerateDeviceExtensionProperties),
                   ROW(GetPhysicalDeviceExternalSemaphoreProperties),
                   {"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
                    (PFN_vkVoidFunction)handles_GetPhysicalDeviceExternalSemaphoreProperties}};
#undef ROW

static PFN_vkVoidFunction find_of_device(const char *name)
{
    for (size_t i = 0; i < sizeof(of_device) / sizeof(of_device[0]); i++) {
        if (!strcmp(of_device[i].name, name))
            return of_device[i].call;
    }
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL handles_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    PFN_vkVoidFunction call = find_of_device(name);
    return call ? call : object_of(handle)->get_device_proc(handle, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL handles_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    for (size_t i = 0; i < sizeof(of_instance) / sizeof(of_instance[0]); i++) {
        if (!strcmp(of_instance[i].name, name))
            return of_instance[i].call;
    }
    PFN_vkVoidFunction call = find_of_device(name);
    return call ? call : handle ? object_of(handle)->get_instance_proc(handle, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = handles_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = handles_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
