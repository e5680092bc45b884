/* A Vulkan layer that offers every physical device twice, so that a machine with one device can test contexts of
 * several. tests/meson.build enables it for the tests that need it; nothing of it is installed.
 *
 * The first half of the list that vkEnumeratePhysicalDevices gives are the driver's own handles. The second half are
 * handles of this layer, the twins. A twin goes by a name and a UUID of its own. Every call that takes a physical
 * device replaces a twin by the handle that it stands for before it goes on to the driver, so a VkDevice made of a twin
 * is a real one, with memory and queues of its own. Vulkan's loader keeps its dispatch table in the first word of such
 * handles, and other layers find their own data by that word: a twin has the same word as its original.
 *
 * With PUMICE_TEST_TWINS_EXPORT=1 the devices also give file descriptors of the dma_buf kind, by which two devices can share
 * memory. Drivers that run on the host lack those where the kernel has no udmabuf, but have opaque ones. So the layer
 * asks the driver for opaque ones instead, and has it import opaque ones. With PUMICE_TEST_TWINS_EXPORT=wrong the import
 * stays one of a dma_buf: lavapipe takes the descriptor, and finds the bytes at the wrong place.
 *
 * Functions that PHYSICAL_CALLS does not list (windows and displays) pass by this layer and must not get a twin. */
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Name, parameters, and arguments for the next layer, where `original` stands for `physical`: those that return
 * nothing, and those that return a VkResult. */
#define PHYSICAL_CALLS(VOID, RESULT)                                                                                   \
    VOID(GetPhysicalDeviceFeatures, (VkPhysicalDevice physical, VkPhysicalDeviceFeatures * out), (original, out))      \
    VOID(GetPhysicalDeviceFeatures2, (VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 * out), (original, out))    \
    VOID(GetPhysicalDeviceFormatProperties, (VkPhysicalDevice physical, VkFormat format, VkFormatProperties * out),    \
         (original, format, out))                                                                                      \
    VOID(GetPhysicalDeviceFormatProperties2, (VkPhysicalDevice physical, VkFormat format, VkFormatProperties2 * out),  \
         (original, format, out))                                                                                      \
    VOID(GetPhysicalDeviceQueueFamilyProperties,                                                                       \
         (VkPhysicalDevice physical, uint32_t * count, VkQueueFamilyProperties * out), (original, count, out))         \
    VOID(GetPhysicalDeviceQueueFamilyProperties2,                                                                      \
         (VkPhysicalDevice physical, uint32_t * count, VkQueueFamilyProperties2 * out), (original, count, out))        \
    VOID(GetPhysicalDeviceMemoryProperties, (VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties * out),       \
         (original, out))                                                                                              \
    VOID(GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 * out),     \
         (original, out))                                                                                              \
    VOID(GetPhysicalDeviceSparseImageFormatProperties,                                                                 \
         (VkPhysicalDevice physical, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,                 \
          VkImageUsageFlags usage, VkImageTiling tiling, uint32_t * count, VkSparseImageFormatProperties * out),       \
         (original, format, type, samples, usage, tiling, count, out))                                                 \
    VOID(GetPhysicalDeviceSparseImageFormatProperties2,                                                                \
         (VkPhysicalDevice physical, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,              \
          VkSparseImageFormatProperties2 *out),                                                                        \
         (original, info, count, out))                                                                                 \
    VOID(GetPhysicalDeviceExternalFenceProperties,                                                                     \
         (VkPhysicalDevice physical, const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *out),   \
         (original, info, out))                                                                                        \
    VOID(GetPhysicalDeviceExternalSemaphoreProperties,                                                                 \
         (VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info,                                \
          VkExternalSemaphoreProperties *out),                                                                         \
         (original, info, out))                                                                                        \
    RESULT(GetPhysicalDeviceImageFormatProperties,                                                                     \
           (VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,                        \
            VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties * out),                         \
           (original, format, type, tiling, usage, flags, out))                                                        \
    RESULT(GetPhysicalDeviceImageFormatProperties2,                                                                    \
           (VkPhysicalDevice physical, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *out),   \
           (original, info, out))                                                                                      \
    RESULT(GetPhysicalDeviceToolProperties,                                                                            \
           (VkPhysicalDevice physical, uint32_t * count, VkPhysicalDeviceToolProperties * out),                        \
           (original, count, out))                                                                                     \
    RESULT(GetPhysicalDeviceCalibrateableTimeDomainsEXT,                                                               \
           (VkPhysicalDevice physical, uint32_t * count, VkTimeDomainEXT * out), (original, count, out))               \
    RESULT(EnumerateDeviceExtensionProperties,                                                                         \
           (VkPhysicalDevice physical, const char *layer, uint32_t *count, VkExtensionProperties *out),                \
           (original, layer, count, out))                                                                              \
    RESULT(EnumerateDeviceLayerProperties, (VkPhysicalDevice physical, uint32_t * count, VkLayerProperties * out),     \
           (original, count, out))

/* What the loader and other layers take for a physical device. */
struct twin {
    void *loader_word;
    VkPhysicalDevice original;
};

/* An instance, found by the word that its own handle and those of its physical devices share. */
struct instance {
    struct instance *next;
    void *loader_word;
    VkInstance handle;
    struct twin *twins; /* made at the first enumeration, freed with the instance */
    uint32_t num_twins;
    PFN_vkGetInstanceProcAddr get_proc;
    PFN_vkDestroyInstance destroy;
    PFN_vkEnumeratePhysicalDevices enumerate;
    PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties;
    PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
    PFN_vkGetPhysicalDeviceExternalBufferProperties GetPhysicalDeviceExternalBufferProperties;
#define MEMBER(name, parameters, arguments) PFN_vk##name name;
    PHYSICAL_CALLS(MEMBER, MEMBER)
#undef MEMBER
};

struct device {
    struct device *next;
    void *loader_word;
    PFN_vkGetDeviceProcAddr get_proc;
    PFN_vkDestroyDevice destroy;
    PFN_vkCreateBuffer CreateBuffer;
    PFN_vkAllocateMemory AllocateMemory;
    PFN_vkGetMemoryFdKHR GetMemoryFdKHR;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the lists, and the making of twins */
static struct instance *instances;
static struct device *devices;

static void *loader_word(const void *handle)
{
    return *(void *const *)handle;
}

static struct instance *instance_of(const void *handle)
{
    pthread_mutex_lock(&lock);
    struct instance *instance = instances;
    while (instance && instance->loader_word != loader_word(handle))
        instance = instance->next;
    pthread_mutex_unlock(&lock);
    return instance;
}

static struct device *device_of(VkDevice handle)
{
    pthread_mutex_lock(&lock);
    struct device *device = devices;
    while (device && device->loader_word != loader_word(handle))
        device = device->next;
    pthread_mutex_unlock(&lock);
    return device;
}

/* The driver's handle of a device; *is_twin says whether the application has the second one. */
static VkPhysicalDevice original_of(const struct instance *instance, VkPhysicalDevice physical, bool *is_twin)
{
    const struct twin *twin = (const struct twin *)physical;
    *is_twin = twin >= instance->twins && twin < instance->twins + instance->num_twins;
    return *is_twin ? twin->original : physical;
}

#define VOID_CALL(name, parameters, arguments)                                                                         \
    static VKAPI_ATTR void VKAPI_CALL twins_##name parameters                                                          \
    {                                                                                                                  \
        bool is_twin;                                                                                                  \
        const struct instance *instance = instance_of(physical);                                                       \
        VkPhysicalDevice original = original_of(instance, physical, &is_twin);                                         \
        instance->name arguments;                                                                                      \
    }
#define RESULT_CALL(name, parameters, arguments)                                                                       \
    static VKAPI_ATTR VkResult VKAPI_CALL twins_##name parameters                                                      \
    {                                                                                                                  \
        bool is_twin;                                                                                                  \
        const struct instance *instance = instance_of(physical);                                                       \
        VkPhysicalDevice original = original_of(instance, physical, &is_twin);                                         \
        return instance->name arguments;                                                                               \
    }
PHYSICAL_CALLS(VOID_CALL, RESULT_CALL)

/* ---- dma_bufs by opaque descriptors ---- */

#define OPAQUE_FD VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define DMA_BUF   VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT

static bool exports(void)
{
    return getenv("PUMICE_TEST_TWINS_EXPORT") != NULL;
}

static atomic_uint num_exports;

/* How many dma_bufs this process was given: a test finds the function by its name. */
EXPORT unsigned twins_num_exports(void);
EXPORT unsigned twins_num_exports(void)
{
    return num_exports;
}

static VKAPI_ATTR void VKAPI_CALL twins_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *out)
{
    bool is_twin;
    const struct instance *instance = instance_of(physical);
    VkPhysicalDevice original = original_of(instance, physical, &is_twin);
    instance->GetPhysicalDeviceExternalBufferProperties(original, info, out);
    VkPhysicalDeviceExternalBufferInfo opaque = *info;
    VkExternalBufferProperties found = {VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    opaque.handleType = OPAQUE_FD;
    if (info->handleType != DMA_BUF || !exports())
        return;
    instance->GetPhysicalDeviceExternalBufferProperties(original, &opaque, &found);
    out->externalMemoryProperties.externalMemoryFeatures |=
        found.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
}

/* The caller's own structs are changed for the time of these calls: the chains before them would have to be copied
 * else. */
static VKAPI_ATTR VkResult VKAPI_CALL twins_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkBuffer *out)
{
    VkBaseOutStructure *at = (VkBaseOutStructure *)info->pNext;
    while (at && at->sType != VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO)
        at = at->pNext;
    VkExternalMemoryBufferCreateInfo *external = (VkExternalMemoryBufferCreateInfo *)at;
    if (!external || external->handleTypes != DMA_BUF || !exports())
        external = NULL;
    if (external)
        external->handleTypes = OPAQUE_FD;
    VkResult result = device_of(handle)->CreateBuffer(handle, info, allocator, out);
    if (external)
        external->handleTypes = DMA_BUF;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL twins_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
    VkBaseOutStructure *at = (VkBaseOutStructure *)info->pNext;
    while (at && at->sType != VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO)
        at = at->pNext;
    VkExportMemoryAllocateInfo *exported = (VkExportMemoryAllocateInfo *)at;
    if (!exported || exported->handleTypes != DMA_BUF || !exports())
        exported = NULL;
    for (at = (VkBaseOutStructure *)info->pNext; at && at->sType != VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;)
        at = at->pNext;
    VkImportMemoryFdInfoKHR *imported = (VkImportMemoryFdInfoKHR *)at;
    if (!imported || imported->handleType != DMA_BUF || !exports() ||
        !strcmp(getenv("PUMICE_TEST_TWINS_EXPORT"), "wrong"))
        imported = NULL;
    if (exported)
        exported->handleTypes = OPAQUE_FD;
    if (imported)
        imported->handleType = OPAQUE_FD;
    VkResult result = device_of(handle)->AllocateMemory(handle, info, allocator, out);
    if (exported)
        exported->handleTypes = DMA_BUF;
    if (imported)
        imported->handleType = DMA_BUF;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL twins_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info, int *fd)
{
    VkMemoryGetFdInfoKHR own = *info;
    if (own.handleType == DMA_BUF && exports()) {
        own.handleType = OPAQUE_FD;
        num_exports++;
    }
    return device_of(handle)->GetMemoryFdKHR(handle, &own, fd);
}

/* ---- names and lists ---- */

/* A twin's own name. */
static void rename_twin(VkPhysicalDeviceProperties *properties)
{
    static const char suffix[] = " (twin)";
    size_t length = strlen(properties->deviceName), most = sizeof(properties->deviceName) - sizeof(suffix);
    memcpy(properties->deviceName + (length < most ? length : most), suffix, sizeof(suffix));
}

static VKAPI_ATTR void VKAPI_CALL twins_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                                    VkPhysicalDeviceProperties *out)
{
    bool is_twin;
    const struct instance *instance = instance_of(physical);
    VkPhysicalDevice original = original_of(instance, physical, &is_twin);
    instance->GetPhysicalDeviceProperties(original, out);
    if (is_twin)
        rename_twin(out);
}

static VKAPI_ATTR void VKAPI_CALL twins_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                                     VkPhysicalDeviceProperties2 *out)
{
    bool is_twin;
    const struct instance *instance = instance_of(physical);
    VkPhysicalDevice original = original_of(instance, physical, &is_twin);
    instance->GetPhysicalDeviceProperties2(original, out);
    if (!is_twin)
        return;
    rename_twin(&out->properties);
    for (VkBaseOutStructure *at = out->pNext; at; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            ((VkPhysicalDeviceIDProperties *)at)->deviceUUID[VK_UUID_SIZE - 1] ^= 0x80;
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            ((VkPhysicalDeviceVulkan11Properties *)at)->deviceUUID[VK_UUID_SIZE - 1] ^= 0x80;
    }
}

/* Twins of these devices, unless there are some already. The drivers' list does not change while an instance lives. */
static bool make_twins(struct instance *instance, const VkPhysicalDevice *originals, uint32_t count)
{
    pthread_mutex_lock(&lock);
    if (!instance->twins && (instance->twins = calloc(count, sizeof(*instance->twins)))) {
        for (uint32_t i = 0; i < count; i++)
            instance->twins[i] = (struct twin){loader_word(originals[i]), originals[i]};
        instance->num_twins = count;
    }
    bool made = instance->twins && instance->num_twins == count;
    pthread_mutex_unlock(&lock);
    return made;
}

static VKAPI_ATTR VkResult VKAPI_CALL twins_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                                     VkPhysicalDevice *list)
{
    struct instance *instance = instance_of(handle);
    uint32_t num = 0, room = *count;
    VkResult result = instance->enumerate(handle, &num, NULL);
    *count = 2 * num;
    if (result != VK_SUCCESS || !list || !num)
        return result;
    VkPhysicalDevice *originals = calloc(num, sizeof(VkPhysicalDevice));
    result = originals ? instance->enumerate(handle, &num, originals) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result == VK_SUCCESS && !make_twins(instance, originals, num))
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    *count = room < 2 * num ? room : 2 * num;
    for (uint32_t i = 0; i < *count && result == VK_SUCCESS; i++)
        list[i] = i < num ? originals[i] : (VkPhysicalDevice)&instance->twins[i - num];
    free(originals);
    return result == VK_SUCCESS && *count < 2 * num ? VK_INCOMPLETE : result;
}

static void load_calls(struct instance *instance, VkInstance handle)
{
    instance->destroy = (PFN_vkDestroyInstance)instance->get_proc(handle, "vkDestroyInstance");
    instance->enumerate = (PFN_vkEnumeratePhysicalDevices)instance->get_proc(handle, "vkEnumeratePhysicalDevices");
#define LOAD(name, parameters, arguments) instance->name = (PFN_vk##name)instance->get_proc(handle, "vk" #name);
    LOAD(GetPhysicalDeviceProperties, , )
    LOAD(GetPhysicalDeviceProperties2, , )
    LOAD(GetPhysicalDeviceExternalBufferProperties, , )
    PHYSICAL_CALLS(LOAD, LOAD)
#undef LOAD
}

/* The loader hands each layer a link to the next one in the chain of pNext; whoever takes it moves it on. */
static VKAPI_ATTR VkResult VKAPI_CALL twins_CreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    struct instance *instance = calloc(1, sizeof(*instance));
    if (!link || !instance) {
        free(instance);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    instance->get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)instance->get_proc(NULL, "vkCreateInstance");
    VkResult result = create ? create(info, allocator, handle) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        free(instance);
        return result;
    }
    instance->loader_word = loader_word(*handle);
    instance->handle = *handle;
    load_calls(instance, *handle);
    pthread_mutex_lock(&lock);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL twins_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (!handle)
        return;
    struct instance *instance = instance_of(handle);
    pthread_mutex_lock(&lock);
    struct instance **at = &instances;
    while (*at != instance)
        at = &(*at)->next;
    *at = instance->next;
    pthread_mutex_unlock(&lock);
    instance->destroy(handle, allocator);
    free(instance->twins);
    free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL twins_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    bool is_twin;
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    struct device *device = calloc(1, sizeof(*device));
    if (!link || !device) {
        free(device);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    device->get_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const struct instance *instance = instance_of(physical);
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_proc(instance->handle, "vkCreateDevice");
    VkResult result = create ? create(original_of(instance, physical, &is_twin), info, allocator, handle)
                             : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }
    device->loader_word = loader_word(*handle);
    device->destroy = (PFN_vkDestroyDevice)device->get_proc(*handle, "vkDestroyDevice");
    device->CreateBuffer = (PFN_vkCreateBuffer)device->get_proc(*handle, "vkCreateBuffer");
    device->AllocateMemory = (PFN_vkAllocateMemory)device->get_proc(*handle, "vkAllocateMemory");
    device->GetMemoryFdKHR = (PFN_vkGetMemoryFdKHR)device->get_proc(*handle, "vkGetMemoryFdKHR");
    pthread_mutex_lock(&lock);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL twins_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (!handle)
        return;
    struct device *device = device_of(handle);
    pthread_mutex_lock(&lock);
    struct device **at = &devices;
    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    pthread_mutex_unlock(&lock);
    device->destroy(handle, allocator);
    free(device);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL twins_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    if (!strcmp(name, "vkGetDeviceProcAddr"))
        return (PFN_vkVoidFunction)twins_GetDeviceProcAddr;
    if (!strcmp(name, "vkDestroyDevice"))
        return (PFN_vkVoidFunction)twins_DestroyDevice;
    if (!strcmp(name, "vkCreateBuffer"))
        return (PFN_vkVoidFunction)twins_CreateBuffer;
    if (!strcmp(name, "vkAllocateMemory"))
        return (PFN_vkVoidFunction)twins_AllocateMemory;
    if (!strcmp(name, "vkGetMemoryFdKHR") && device_of(handle)->GetMemoryFdKHR)
        return (PFN_vkVoidFunction)twins_GetMemoryFdKHR;
    return device_of(handle)->get_proc(handle, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL twins_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } calls[] = {
#define ROW(name, parameters, arguments) {"vk" #name, (PFN_vkVoidFunction)twins_##name},
        ROW(GetInstanceProcAddr, , ) ROW(GetDeviceProcAddr, , ) ROW(CreateInstance, , ) ROW(DestroyInstance, , )
            ROW(EnumeratePhysicalDevices, , ) ROW(CreateDevice, , ) ROW(GetPhysicalDeviceProperties, , )
                ROW(GetPhysicalDeviceProperties2, , ) ROW(GetPhysicalDeviceExternalBufferProperties, , )
                    PHYSICAL_CALLS(ROW, ROW)
#undef ROW
    };
    size_t length = strlen(name); /* without the KHR that functions had before they were part of Vulkan */
    if (length > 3 && !strcmp(name + length - 3, "KHR"))
        length -= 3;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strlen(calls[i].name) == length && !memcmp(calls[i].name, name, length))
            return calls[i].call;
    return handle ? instance_of(handle)->get_proc(handle, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = twins_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = twins_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
