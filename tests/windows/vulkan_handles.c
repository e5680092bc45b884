/* A vulkan-1.dll that lies beside a test and stands before Windows' own: it gives every device VK_KHR_external_memory_win32 and
 * VK_KHR_external_semaphore_win32, which Wine 8 lacks. tests/windows.sh builds it for tests/windows/handles.c; nothing of it is installed.
 *
 * Memory that is exported or imported is a section of Windows', which the driver uses in place (VK_EXT_external_memory_host): its NT handle
 * is the section's, its name the section's name, and a global share handle a number that a name is made of. The payload of a semaphore is a
 * semaphore of Windows', and vkQueueSubmit waits for it and signals it, as in tests/support/handles.c. Vulkan 1.3, 7.4 and 11.2.6. */
#define VK_USE_PLATFORM_WIN32_KHR
#define VK_NO_PROTOTYPES
#include <windows.h>

#include <vulkan/vulkan.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NT_HANDLE     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define SHARE_HANDLE  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT
#define HOST_POINTER  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
#define NT_SIGNAL     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define SHARE_SIGNAL  VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT
#define SECTION_ALIGN 65536

/* Functions of the next loader's. */
static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance instance;
#define NEXT(name) ((PFN_##name)next_instance_proc(instance, #name))

/* Memory or a semaphore that is exported or imported. */
struct shared {
    struct shared *next;
    uint64_t key;    /* Vulkan's handle */
    HANDLE object;   /* a section or a semaphore */
    uint32_t number; /* by which it is shared globally; 0: it is not */
    void *view;      /* of a section */
};

static SRWLOCK lock = SRWLOCK_INIT; /* guards the list */
static struct shared *all;

static struct shared *find(uint64_t key)
{
    AcquireSRWLockExclusive(&lock);
    struct shared *shared = all;
    while (shared && shared->key != key)
        shared = shared->next;
    ReleaseSRWLockExclusive(&lock);
    return shared;
}

static void add(struct shared shared)
{
    struct shared *copy = malloc(sizeof(*copy));
    if (!copy)
        abort();
    *copy = shared;
    AcquireSRWLockExclusive(&lock);
    copy->next = all;
    all = copy;
    ReleaseSRWLockExclusive(&lock);
}

static void drop(uint64_t key)
{
    AcquireSRWLockExclusive(&lock);
    struct shared **at = &all;
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    struct shared *shared = *at;
    if (shared)
        *at = shared->next;
    ReleaseSRWLockExclusive(&lock);
    if (!shared)
        return;
    if (shared->view)
        UnmapViewOfFile(shared->view);
    CloseHandle(shared->object);
    free(shared);
}

/* ---- names ---- */

struct name {
    wchar_t text[64];
};

static struct name name_of(uint32_t number)
{
    struct name name;
    swprintf(name.text, 64, L"pumice-share-%u", number);
    return name;
}

static uint32_t new_number(void)
{
    static LONG count;
    return 0x40000000u | GetCurrentProcessId() << 12 | (InterlockedIncrement(&count) & 0xfff);
}

static HANDLE copy_of(HANDLE object)
{
    HANDLE copy;
    HANDLE self = GetCurrentProcess();
    return DuplicateHandle(self, object, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS) ? copy : NULL;
}

/* ---- chains ---- */

/* A structure that is out of its chain, which is the caller's, for the time of a call. */
struct cut {
    VkBaseOutStructure *before;
    const void *found; /* NULL: it is not there */
};

static struct cut cut(const void *of, VkStructureType type)
{
    VkBaseOutStructure *chain = (VkBaseOutStructure *)(uintptr_t)of;
    while (chain->pNext && chain->pNext->sType != type)
        chain = chain->pNext;
    struct cut cut = {chain, chain->pNext};
    if (cut.found)
        chain->pNext = chain->pNext->pNext;
    return cut;
}

/* The last one first. */
static void put_back(struct cut cut)
{
    if (cut.found)
        cut.before->pNext = (VkBaseOutStructure *)(uintptr_t)cut.found;
}

/* ---- memory ---- */

static HANDLE section_of(const VkImportMemoryWin32HandleInfoKHR *from)
{
    if (from->handleType == SHARE_HANDLE) {
        struct name name = name_of((uint32_t)(uintptr_t)from->handle);
        return OpenFileMappingW(FILE_MAP_ALL_ACCESS, FALSE, name.text);
    }
    return from->handle ? copy_of(from->handle) : OpenFileMappingW(FILE_MAP_ALL_ACCESS, FALSE, from->name);
}

static VkResult allocate(VkDevice device, VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator,
                         struct shared *shared, VkDeviceMemory *memory)
{
    MEMORY_BASIC_INFORMATION range;
    shared->view = shared->object ? MapViewOfFile(shared->object, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;
    info->allocationSize = (info->allocationSize + SECTION_ALIGN - 1) & ~(VkDeviceSize)(SECTION_ALIGN - 1);
    if (!shared->view || !VirtualQuery(shared->view, &range, sizeof(range)) || range.RegionSize < info->allocationSize)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    const VkImportMemoryHostPointerInfoEXT pages = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .pNext = info->pNext,
        .handleType = HOST_POINTER,
        .pHostPointer = shared->view,
    };
    info->pNext = &pages;
    VkResult result = NEXT(vkAllocateMemory)(device, info, allocator, memory);
    shared->key = (uint64_t)*memory;
    return result;
}

static VkResult allocate_shared(VkDevice device, VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator,
                                const VkExportMemoryAllocateInfo *exported,
                                const VkExportMemoryWin32HandleInfoKHR *named,
                                const VkImportMemoryWin32HandleInfoKHR *imported, VkDeviceMemory *memory)
{
    struct shared shared = {0};
    if (imported) {
        shared.object = section_of(imported);
    } else {
        uint64_t size = (info->allocationSize + SECTION_ALIGN - 1) & ~(uint64_t)(SECTION_ALIGN - 1);
        shared.number = exported->handleTypes & SHARE_HANDLE ? new_number() : 0;
        struct name name = name_of(shared.number);
        const wchar_t *text = shared.number ? name.text : named ? named->name : NULL;
        shared.object =
            CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, (DWORD)(size >> 32), (DWORD)size, text);
    }
    VkResult result = allocate(device, info, allocator, &shared, memory);
    if (result == VK_SUCCESS) {
        add(shared);
        return result;
    }
    if (shared.view)
        UnmapViewOfFile(shared.view);
    if (shared.object)
        CloseHandle(shared.object);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkDeviceMemory *memory)
{
    VkMemoryAllocateInfo own = *info;
    struct cut exported = cut(&own, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
    struct cut named = cut(&own, VK_STRUCTURE_TYPE_EXPORT_MEMORY_WIN32_HANDLE_INFO_KHR);
    struct cut imported = cut(&own, VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR);
    VkResult result = exported.found || imported.found ? allocate_shared(device, &own, allocator, exported.found,
                                                                         named.found, imported.found, memory)
                                                       : NEXT(vkAllocateMemory)(device, &own, allocator, memory);
    put_back(imported);
    put_back(named);
    put_back(exported);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_vkFreeMemory(VkDevice device, VkDeviceMemory memory,
                                                   const VkAllocationCallbacks *allocator)
{
    NEXT(vkFreeMemory)(device, memory, allocator);
    drop((uint64_t)memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkGetMemoryWin32HandleKHR(VkDevice device,
                                                                    const VkMemoryGetWin32HandleInfoKHR *info,
                                                                    HANDLE *handle)
{
    const struct shared *shared = find((uint64_t)info->memory);
    (void)device;
    if (!shared)
        abort();
    *handle = info->handleType == SHARE_HANDLE ? (HANDLE)(uintptr_t)shared->number : copy_of(shared->object);
    return *handle ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    VkBufferCreateInfo own = *info;
    VkExternalMemoryBufferCreateInfo pages = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                              .handleTypes = HOST_POINTER};
    struct cut external = cut(&own, pages.sType);
    if (external.found) {
        pages.pNext = own.pNext;
        own.pNext = &pages;
    }
    VkResult result = NEXT(vkCreateBuffer)(device, &own, allocator, buffer);
    put_back(external);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkCreateImage(VkDevice device, const VkImageCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator, VkImage *image)
{
    VkImageCreateInfo own = *info;
    struct cut external = cut(&own, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
    VkResult result = NEXT(vkCreateImage)(device, &own, allocator, image);
    put_back(external);
    return result;
}

static VkExternalMemoryProperties properties_of(VkExternalMemoryHandleTypeFlags type)
{
    return (VkExternalMemoryProperties){
        .externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
        .exportFromImportedHandleTypes = type,
        .compatibleHandleTypes = type,
    };
}

static VKAPI_ATTR void VKAPI_CALL own_vkGetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *out)
{
    if (info->handleType & (NT_HANDLE | SHARE_HANDLE))
        out->externalMemoryProperties = properties_of(info->handleType);
    else
        NEXT(vkGetPhysicalDeviceExternalBufferProperties)(physical, info, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkGetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice physical, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *out)
{
    VkPhysicalDeviceImageFormatInfo2 own = *info;
    struct cut external = cut(&own, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
    const VkPhysicalDeviceExternalImageFormatInfo *asked = external.found;
    VkResult result;
    if (asked && asked->handleType & (NT_HANDLE | SHARE_HANDLE)) {
        struct cut about = cut(out, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);
        result = NEXT(vkGetPhysicalDeviceImageFormatProperties2)(physical, &own, out);
        put_back(about);
        if (about.found)
            ((VkExternalImageFormatProperties *)about.before->pNext)->externalMemoryProperties =
                properties_of(asked->handleType);
        put_back(external);
    } else {
        put_back(external);
        result = NEXT(vkGetPhysicalDeviceImageFormatProperties2)(physical, info, out);
    }
    return result;
}

/* ---- semaphores ---- */

static VKAPI_ATTR VkResult VKAPI_CALL own_vkCreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkSemaphore *semaphore)
{
    VkSemaphoreCreateInfo own = *info;
    struct cut cut_export = cut(&own, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    struct cut cut_name = cut(&own, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_WIN32_HANDLE_INFO_KHR);
    const VkExportSemaphoreCreateInfo *exported = cut_export.found;
    const VkExportSemaphoreWin32HandleInfoKHR *named = cut_name.found;
    VkResult result = NEXT(vkCreateSemaphore)(device, &own, allocator, semaphore);
    put_back(cut_name);
    put_back(cut_export);
    if (result != VK_SUCCESS || !exported || !exported->handleTypes)
        return result;
    struct shared shared = {.key = (uint64_t)*semaphore};
    shared.number = exported->handleTypes & SHARE_SIGNAL ? new_number() : 0;
    struct name name = name_of(shared.number);
    shared.object = CreateSemaphoreW(NULL, 0, 1, shared.number ? name.text : named ? named->name : NULL);
    if (!shared.object)
        abort();
    add(shared);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_vkDestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                         const VkAllocationCallbacks *allocator)
{
    drop((uint64_t)semaphore);
    NEXT(vkDestroySemaphore)(device, semaphore, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
own_vkImportSemaphoreWin32HandleKHR(VkDevice device, const VkImportSemaphoreWin32HandleInfoKHR *info)
{
    struct shared shared = {.key = (uint64_t)info->semaphore};
    struct name name = name_of((uint32_t)(uintptr_t)info->handle);
    (void)device;
    if (info->handleType == SHARE_SIGNAL)
        shared.object = OpenSemaphoreW(SEMAPHORE_ALL_ACCESS, FALSE, name.text);
    else if (info->handle)
        shared.object = copy_of(info->handle);
    else
        shared.object = OpenSemaphoreW(SEMAPHORE_ALL_ACCESS, FALSE, info->name);
    if (!shared.object)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    drop(shared.key);
    add(shared);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkGetSemaphoreWin32HandleKHR(VkDevice device,
                                                                       const VkSemaphoreGetWin32HandleInfoKHR *info,
                                                                       HANDLE *handle)
{
    const struct shared *shared = find((uint64_t)info->semaphore);
    (void)device;
    if (!shared)
        abort();
    *handle = info->handleType == SHARE_SIGNAL ? (HANDLE)(uintptr_t)shared->number : copy_of(shared->object);
    return *handle ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

static VKAPI_ATTR void VKAPI_CALL own_vkGetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out)
{
    if (!(info->handleType & (NT_SIGNAL | SHARE_SIGNAL))) {
        NEXT(vkGetPhysicalDeviceExternalSemaphoreProperties)(physical, info, out);
        return;
    }
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = info->handleType;
    out->externalSemaphoreFeatures =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

/* ---- submitting ---- */

static VkResult submit_one(VkQueue queue, const VkSubmitInfo *info, VkFence fence)
{
    VkSubmitInfo own = *info;
    uint32_t waits = info->waitSemaphoreCount, signals = info->signalSemaphoreCount;
    VkSemaphore *list = calloc(waits + signals + 1, sizeof(VkSemaphore));
    uint64_t *values = calloc(waits + signals + 1, sizeof(uint64_t));
    VkPipelineStageFlags *stages = calloc(waits + 1, sizeof(VkPipelineStageFlags));
    struct cut cut_values = cut(&own, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkTimelineSemaphoreSubmitInfo *timeline = cut_values.found;
    const struct shared *shared;
    if (!list || !values || !stages)
        abort();
    own.waitSemaphoreCount = own.signalSemaphoreCount = 0;
    for (uint32_t i = 0; i < waits; i++) {
        if ((shared = find((uint64_t)info->pWaitSemaphores[i]))) {
            WaitForSingleObject(shared->object, INFINITE);
            continue;
        }
        values[own.waitSemaphoreCount] = timeline ? timeline->pWaitSemaphoreValues[i] : 0;
        stages[own.waitSemaphoreCount] = info->pWaitDstStageMask[i];
        list[own.waitSemaphoreCount++] = info->pWaitSemaphores[i];
    }
    for (uint32_t i = 0; i < signals; i++) {
        if (find((uint64_t)info->pSignalSemaphores[i]))
            continue;
        values[waits + own.signalSemaphoreCount] = timeline ? timeline->pSignalSemaphoreValues[i] : 0;
        list[waits + own.signalSemaphoreCount++] = info->pSignalSemaphores[i];
    }
    const VkTimelineSemaphoreSubmitInfo own_values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .pNext = own.pNext,
        .waitSemaphoreValueCount = own.waitSemaphoreCount,
        .pWaitSemaphoreValues = values,
        .signalSemaphoreValueCount = own.signalSemaphoreCount,
        .pSignalSemaphoreValues = values + waits,
    };
    own.pWaitSemaphores = list;
    own.pSignalSemaphores = list + waits;
    own.pWaitDstStageMask = stages;
    if (timeline)
        own.pNext = &own_values;
    VkResult result = NEXT(vkQueueSubmit)(queue, 1, &own, fence);
    if (result == VK_SUCCESS && own.signalSemaphoreCount < signals)
        result = NEXT(vkQueueWaitIdle)(queue);
    for (uint32_t i = 0; i < signals && result == VK_SUCCESS; i++) {
        if ((shared = find((uint64_t)info->pSignalSemaphores[i])))
            ReleaseSemaphore(shared->object, 1, NULL);
    }
    put_back(cut_values);
    free(list);
    free(values);
    free(stages);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                        VkFence fence)
{
    VkResult result = count ? VK_SUCCESS : NEXT(vkQueueSubmit)(queue, 0, NULL, fence);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
        result = submit_one(queue, &submits[i], i + 1 == count ? fence : VK_NULL_HANDLE);
    return result;
}

/* ---- devices ---- */

static const VkExtensionProperties extensions[] = {
    {VK_KHR_EXTERNAL_MEMORY_WIN32_EXTENSION_NAME, 1},
    {VK_KHR_EXTERNAL_SEMAPHORE_WIN32_EXTENSION_NAME, 1},
};

static VKAPI_ATTR VkResult VKAPI_CALL own_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                               const char *layer, uint32_t *count,
                                                                               VkExtensionProperties *out)
{
    uint32_t room = *count;
    VkResult result = NEXT(vkEnumerateDeviceExtensionProperties)(physical, layer, count, out);
    for (int i = 0; i < 2 && result >= VK_SUCCESS; i++) {
        if (out && *count >= room)
            return VK_INCOMPLETE;
        if (out)
            out[*count] = extensions[i];
        ++*count;
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkDeviceCreateInfo own = *info;
    const char **names = calloc(info->enabledExtensionCount + 2, sizeof(char *));
    bool pages = false;
    if (!names)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    own.enabledExtensionCount = 0;
    own.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        const char *name = info->ppEnabledExtensionNames[i];
        pages |= !strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
        if (strcmp(name, extensions[0].extensionName) != 0 && strcmp(name, extensions[1].extensionName) != 0)
            names[own.enabledExtensionCount++] = name;
    }
    if (!pages)
        names[own.enabledExtensionCount++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    VkResult result = NEXT(vkCreateDevice)(physical, &own, allocator, device);
    free(names);
    return result;
}

/* ---- calls ---- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL own_vkGetDeviceProcAddr(VkDevice device, const char *name);

static VKAPI_ATTR VkResult VKAPI_CALL own_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    VkResult result = ((PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance"))(info, allocator, handle);
    if (result == VK_SUCCESS) {
        instance = *handle;
        next_device_proc = NEXT(vkGetDeviceProcAddr);
    }
    return result;
}

static PFN_vkVoidFunction own_call(const char *name)
{
#define ROW(call)                                                                                                      \
    {                                                                                                                  \
#call, (PFN_vkVoidFunction)own_##call                                                                          \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } calls[] = {
        ROW(vkAllocateMemory),
        ROW(vkCreateBuffer),
        ROW(vkCreateDevice),
        ROW(vkCreateImage),
        ROW(vkCreateInstance),
        ROW(vkCreateSemaphore),
        ROW(vkDestroySemaphore),
        ROW(vkEnumerateDeviceExtensionProperties),
        ROW(vkFreeMemory),
        ROW(vkGetDeviceProcAddr),
        ROW(vkGetMemoryWin32HandleKHR),
        ROW(vkGetPhysicalDeviceExternalBufferProperties),
        ROW(vkGetPhysicalDeviceExternalSemaphoreProperties),
        ROW(vkGetPhysicalDeviceImageFormatProperties2),
        ROW(vkGetSemaphoreWin32HandleKHR),
        ROW(vkImportSemaphoreWin32HandleKHR),
        ROW(vkQueueSubmit),
    };
#undef ROW
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (!strcmp(calls[i].name, name))
            return calls[i].call;
    }
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL own_vkGetDeviceProcAddr(VkDevice device, const char *name)
{
    PFN_vkVoidFunction own = own_call(name);
    return own ? own : next_device_proc(device, name);
}

/* Windows' own file of this name is told from ours by its folder. */
__declspec(dllexport) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
    vkGetInstanceProcAddr(VkInstance handle, const char *name)
{
    if (!next_instance_proc) {
        wchar_t path[MAX_PATH + 16];
        UINT length = GetSystemDirectoryW(path, MAX_PATH);
        wcscpy(path + length, L"\\vulkan-1.dll");
        HMODULE next = LoadLibraryW(path);
        next_instance_proc =
            next ? (PFN_vkGetInstanceProcAddr)(void *)GetProcAddress(next, "vkGetInstanceProcAddr") : NULL;
        if (!next_instance_proc)
            return NULL;
    }
    PFN_vkVoidFunction own =
        strcmp(name, "vkGetInstanceProcAddr") == 0 ? (PFN_vkVoidFunction)vkGetInstanceProcAddr : own_call(name);
    return own ? own : next_instance_proc(handle, name);
}
