/* Opening a device, its clock, and what happens when it is lost.
 *
 * Only features that the lowering or this backend can use are enabled; robustBufferAccess stays off, because OpenCL
 * does not ask for it and it costs. */
#include "vk/device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum vkb_result vkb_check(struct vkb_device *device, VkResult result, const char *call)
{
    if (result >= VK_SUCCESS && result != VK_TIMEOUT)
        return VKB_SUCCESS;
    if (result == VK_TIMEOUT)
        return VKB_TIMEOUT;
    /* Running out of memory is no error in the log: callers often try an allocation and have another way. A file
     * descriptor that cannot be imported, or not in that layout, is the application's fault, which it learns from the
     * call. */
    bool expected = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
                    result == VK_ERROR_INVALID_EXTERNAL_HANDLE ||
                    result == VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
    log_at(expected ? LOG_INFO : LOG_ERROR, "%s: VkResult %d in %.100s", device->caps.name, result, call);
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return VKB_OUT_OF_HOST_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS:
        return VKB_OUT_OF_DEVICE_MEMORY;
    case VK_ERROR_DEVICE_LOST:
        vkb_device_mark_lost(device);
        return VKB_DEVICE_LOST;
    default:
        return VKB_UNSUPPORTED;
    }
}

void vkb_device_mark_lost(struct vkb_device *device)
{
    if (atomic_exchange(&device->lost, true))
        return;
    log_error("%s: the device is lost", device->caps.name);
    vkb_pool_run(&device->lost_task);
}

void vkb_device_mark_stuck(struct vkb_device *device)
{
    if (atomic_exchange(&device->stuck, true))
        return;
    log_error("%s: executes nothing: what was submitted has not ended after %u s", device->caps.name,
              (unsigned)(vkb_device_patience_ns(device) / 1000000000u));
    vkb_device_mark_lost(device);
}

void vkb_device_set_compile_only(struct vkb_device *device)
{
    log_info("%s: is opened for compiling only, as PUMICE_COMPILE_ONLY says", device->caps.name);
    atomic_store(&device->stuck, true);
    atomic_store(&device->lost, true);
}

/* For one of the two. */
struct awaited {
    VkFence fence;
    const VkSemaphoreWaitInfo *semaphore;
};

static enum vkb_result await(struct vkb_device *device, const struct awaited *what, uint64_t limit_ns)
{
    const uint64_t slice_ns = 250000000;
    uint64_t now = time_ns(), deadline = limit_ns > UINT64_MAX - now ? UINT64_MAX : now + limit_ns;
    for (; now < deadline; now = time_ns()) {
        uint64_t left = u64_min(deadline - now, slice_ns);
        enum vkb_result result =
            what->semaphore ? CHECK(device, device->vk.vkWaitSemaphores(device->handle, what->semaphore, left))
                            : CHECK(device, device->vk.vkWaitForFences(device->handle, 1, &what->fence, VK_TRUE, left));
        if (result == VKB_SUCCESS)
            return result;
        if (vkb_device_lost(device))
            return VKB_DEVICE_LOST;
        if (result != VKB_TIMEOUT)
            usleep(1000); /* the wait failed for want of memory */
    }
    return VKB_TIMEOUT;
}

enum vkb_result vkb_device_await(struct vkb_device *device, VkFence fence, uint64_t limit_ns)
{
    enum vkb_result result = await(device, &(struct awaited){.fence = fence}, limit_ns);
    if (result != VKB_TIMEOUT)
        return result;
    vkb_device_mark_lost(device);
    return VKB_DEVICE_LOST;
}

enum vkb_result vkb_device_await_timeline(struct vkb_device *device, VkSemaphore timeline, uint64_t value,
                                          uint64_t limit_ns)
{
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &timeline,
        .pValues = &value,
    };
    return await(device, &(struct awaited){.semaphore = &info}, limit_ns);
}

void vkb_device_want_statistics(struct vkb_device *device)
{
    device->has_statistics = true;
}

bool vkb_device_has_statistics(const struct vkb_device *device)
{
    return device->has_statistics;
}

bool vkb_device_lost(const struct vkb_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_relaxed);
}

bool vkb_device_stuck(const struct vkb_device *device)
{
    return atomic_load_explicit(&device->stuck, memory_order_relaxed);
}

bool vkb_device_is_useless(const struct vkb_device *device)
{
    return vkb_device_lost(device) && (!vkb_device_stuck(device) || vkb_gone());
}

const struct vkb_caps *vkb_device_caps(const struct vkb_device *device)
{
    return &device->caps;
}

/* Leaves those features out that a mask has taken away, so that the validation layer finds shaders that use them. */
static void mask_features(struct vkb_features *f, const struct vkb_caps *caps)
{
#define FEATURE(name, struct, member, words, lines, without) f->struct.member = caps->name;
#include "base/abilities.def"
    f->v11.uniformAndStorageBuffer16BitAccess &= caps->storage16;
    f->v12.uniformAndStorageBuffer8BitAccess &= caps->storage8;
    f->v12.vulkanMemoryModelAvailabilityVisibilityChains &= caps->memory_model;
    f->explicit_layout.workgroupMemoryExplicitLayoutScalarBlockLayout &= caps->explicit_layout;
}

/* Switches off those supported features that nothing uses. */
static void choose_features(struct vkb_features *f, const struct vkb_caps *caps)
{
    const VkPhysicalDeviceFeatures have = f->core.features;
    f->core.features = (VkPhysicalDeviceFeatures){
        .sparseBinding = have.sparseBinding,
        .imageCubeArray = have.imageCubeArray,
        .shaderStorageImageArrayDynamicIndexing = have.shaderStorageImageArrayDynamicIndexing,
        .shaderSampledImageArrayDynamicIndexing = have.shaderSampledImageArrayDynamicIndexing,
        .shaderStorageBufferArrayDynamicIndexing = have.shaderStorageBufferArrayDynamicIndexing,
    };
    mask_features(f, caps);
    f->v11.multiview = f->v11.multiviewGeometryShader = f->v11.multiviewTessellationShader = VK_FALSE;
    f->v11.protectedMemory = f->v11.samplerYcbcrConversion = f->v11.shaderDrawParameters = VK_FALSE;
    f->v12.bufferDeviceAddressMultiDevice = VK_FALSE;
    f->v13.robustImageAccess = f->v13.inlineUniformBlock = f->v13.dynamicRendering = f->v13.privateData = VK_FALSE;
    f->v13.textureCompressionASTC_HDR = VK_FALSE;
    f->matrix.cooperativeMatrixRobustBufferAccess = f->bfloat16.shaderBFloat16DotProduct = VK_FALSE;
    f->bfloat16.shaderBFloat16Type &= caps->bfloat16_matrix;
    f->float8.shaderFloat8 &= caps->float8_matrix;
    f->map_placed.memoryMapRangePlaced = f->map_placed.memoryUnmapReserve = VK_FALSE;
    f->atomic_float.sparseImageFloat32Atomics = f->atomic_float.sparseImageFloat32AtomicAdd = VK_FALSE;
}

enum { MAX_EXTENSIONS = 40 };

/* What Vulkan 1.2 has without extensions. */
static uint32_t extensions_of_11(const struct extensions *have, const char **names)
{
    const struct {
        bool there;
        const char *name;
    } parts[] = {
        {have->timeline_semaphore, "VK_KHR_timeline_semaphore"},
        {have->buffer_device_address, "VK_KHR_buffer_device_address"},
        {have->storage8, "VK_KHR_8bit_storage"},
        {have->float16_int8, "VK_KHR_shader_float16_int8"},
        {have->memory_model, "VK_KHR_vulkan_memory_model"},
        {have->subgroup_extended_types, "VK_KHR_shader_subgroup_extended_types"},
        {have->host_query_reset, "VK_EXT_host_query_reset"},
        {have->scalar_layout, "VK_EXT_scalar_block_layout"},
        {have->atomic_int64, "VK_KHR_shader_atomic_int64"},
        {have->float_controls, "VK_KHR_shader_float_controls"},
        {have->float_controls && have->spirv14, "VK_KHR_spirv_1_4"},
        {have->driver_properties, "VK_KHR_driver_properties"},
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        if (parts[i].there)
            names[count++] = parts[i].name;
    }
    return count;
}

/* The functions of those extensions stand for Vulkan 1.2's of the same name. */
static void load_11(struct vkb_device *device)
{
    struct VolkDeviceTable *vk = &device->vk;
    vk->vkGetBufferDeviceAddress = vk->vkGetBufferDeviceAddressKHR;
    vk->vkGetBufferOpaqueCaptureAddress = vk->vkGetBufferOpaqueCaptureAddressKHR;
    vk->vkGetDeviceMemoryOpaqueCaptureAddress = vk->vkGetDeviceMemoryOpaqueCaptureAddressKHR;
    vk->vkGetSemaphoreCounterValue = vk->vkGetSemaphoreCounterValueKHR;
    vk->vkWaitSemaphores = vk->vkWaitSemaphoresKHR;
    vk->vkSignalSemaphore = vk->vkSignalSemaphoreKHR;
    vk->vkResetQueryPool = vk->vkResetQueryPoolEXT;
}

static void load_win32(struct vkb_device *device)
{
#define LOAD(name) device->win32.name = (PFN_##name)vkGetDeviceProcAddr(device->handle, #name)
    LOAD(vkGetMemoryWin32HandleKHR);
    LOAD(vkImportSemaphoreWin32HandleKHR);
    LOAD(vkGetSemaphoreWin32HandleKHR);
#undef LOAD
}

static uint32_t choose_extensions(const struct vkb_device *device, const char *names[MAX_EXTENSIONS])
{
    const struct extensions *have = &device->extensions;
    bool core13 = vkb_is_core13(device);
    uint32_t count = vkb_is_core12(device) ? 0 : extensions_of_11(have, names);
    if (have->external_memory_host)
        names[count++] = "VK_EXT_external_memory_host";
    if (have->calibrated_timestamps)
        names[count++] = "VK_EXT_calibrated_timestamps";
    if (have->shader_atomic_float)
        names[count++] = "VK_EXT_shader_atomic_float";
    if (have->explicit_layout && device->caps.spirv14)
        names[count++] = "VK_KHR_workgroup_memory_explicit_layout";
    if (have->shader_clock)
        names[count++] = "VK_KHR_shader_clock";
    if (have->map_memory2 && have->map_placed) {
        names[count++] = "VK_KHR_map_memory2";
        names[count++] = "VK_EXT_map_memory_placed";
    }
    if (have->host_image_copy)
        names[count++] = "VK_EXT_host_image_copy";
    if (have->cooperative_matrix)
        names[count++] = "VK_KHR_cooperative_matrix";
    if (have->cooperative_matrix && have->bfloat16)
        names[count++] = "VK_KHR_shader_bfloat16";
    if (have->cooperative_matrix && have->float8)
        names[count++] = "VK_EXT_shader_float8";
    uint32_t memory = device->caps.memory_imports | device->caps.memory_exports;
    uint32_t semaphores = device->caps.semaphore_imports | device->caps.semaphore_exports;
    if (memory & (VKB_HANDLE_OPAQUE_FD | VKB_HANDLE_DMA_BUF))
        names[count++] = "VK_KHR_external_memory_fd";
    if (memory & (VKB_HANDLE_WIN32 | VKB_HANDLE_WIN32_KMT))
        names[count++] = "VK_KHR_external_memory_win32";
    if (device->caps.memory_imports & VKB_HANDLE_DMA_BUF) {
        names[count++] = "VK_EXT_external_memory_dma_buf";
        if (have->queue_family_foreign)
            names[count++] = "VK_EXT_queue_family_foreign";
        if (device->caps.modifiers)
            names[count++] = "VK_EXT_image_drm_format_modifier";
    }
    if (semaphores & (VKB_HANDLE_OPAQUE_FD | VKB_HANDLE_SYNC_FD))
        names[count++] = "VK_KHR_external_semaphore_fd";
    if (semaphores & (VKB_HANDLE_WIN32 | VKB_HANDLE_WIN32_KMT))
        names[count++] = "VK_KHR_external_semaphore_win32";
    if (device->has_statistics)
        names[count++] = "VK_KHR_pipeline_executable_properties";
    if (have->portability_subset)
        names[count++] = "VK_KHR_portability_subset";
    if (!core13 && have->subgroup_size_control)
        names[count++] = "VK_EXT_subgroup_size_control";
    if (!core13 && have->maintenance4)
        names[count++] = "VK_KHR_maintenance4";
    if (!core13 && have->integer_dot_product)
        names[count++] = "VK_KHR_shader_integer_dot_product";
    if (!core13 && have->zero_initialize)
        names[count++] = "VK_KHR_zero_initialize_workgroup_memory";
    return count;
}

/* Where there are several queues, the last but one is for high and the last for low priority. */
static void queue_priorities(uint32_t count, float priorities[MAX_VULKAN_QUEUES])
{
    for (uint32_t i = 0; i < count; i++)
        priorities[i] = 0.5f;
    if (count >= 4) {
        priorities[count - 2] = 1.0f;
        priorities[count - 1] = 0.0f;
    }
}

enum vkb_result vkb_device_create_handle(struct vkb_device *device)
{
    struct vkb_features features;
    const char *names[MAX_EXTENSIONS];
    float priorities[MAX_VULKAN_QUEUES];
    device->has_statistics = device->has_statistics && device->extensions.executable_properties;
    vkb_features_query(device, &features);
    device->has_statistics = features.executable.pipelineExecutableInfo;
    choose_features(&features, &device->caps);
    vkb_features_enable(device, &features);
    queue_priorities(device->caps.num_queues, priorities);
    const VkDeviceQueueCreateInfo queues[] = {
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = device->family,
            .queueCount = device->caps.num_queues,
            .pQueuePriorities = priorities,
        },
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = device->lane_family,
            .queueCount = device->num_lanes,
            .pQueuePriorities = (const float[NUM_LANES]){0.5f, 0.5f},
        },
    };
    bool lanes = device->num_lanes && device->lane_family != device->family;
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.core,
        .queueCreateInfoCount = lanes ? 2 : 1,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = choose_extensions(device, names),
        .ppEnabledExtensionNames = names,
    };
    enum vkb_result result = CHECK(device, vkCreateDevice(device->physical, &info, NULL, &device->handle));
    if (result != VKB_SUCCESS)
        return result;
    volkLoadDeviceTable(&device->vk, device->handle);
    if (!vkb_is_core12(device))
        load_11(device);
    if (device->caps.map_placed)
        device->vk_map_memory2 = vkGetDeviceProcAddr(device->handle, "vkMapMemory2KHR");
    if (device->caps.host_image_copy)
        vkb_host_copies_load(device);
    load_win32(device);
    for (uint32_t i = 0; i < device->caps.num_queues; i++) {
        device->vk.vkGetDeviceQueue(device->handle, device->family, i, &device->queues[i].handle);
        device->queues[i].family = device->family;
        pthread_mutex_init(&device->queues[i].lock, NULL);
    }
    for (uint32_t i = 0; i < device->num_lanes && lanes; i++) {
        device->vk.vkGetDeviceQueue(device->handle, device->lane_family, i, &device->lanes[i].handle);
        device->lanes[i].family = device->lane_family;
        pthread_mutex_init(&device->lanes[i].lock, NULL);
    }
    return VKB_SUCCESS;
}

enum vkb_result vkb_grow(void **data, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count <= *capacity)
        return VKB_SUCCESS;
    uint32_t wanted = *capacity ? *capacity * 2 : 16;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(*data, wanted * size);
    if (!grown)
        return VKB_OUT_OF_HOST_MEMORY;
    *data = grown;
    *capacity = wanted;
    return VKB_SUCCESS;
}
