/* What a physical device is and can do, asked once, in Vulkan's terms. Whatever Vulkan does not say is 0: unknown.
 *
 * A device qualifies when everything that the lowering relies on without an alternative is there; why_not names the
 * first thing that is not. */
#include "vk/device/backend.h"
#include "vk/device/chain.h"
#include "vk/device/device.h"
#include "vk/device/units.h"

#include "base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VkPhysicalDeviceMapMemoryPlacedPropertiesEXT, and the types of structures that are newer than some systems' headers
 */
struct map_placed_properties {
    VkStructureType sType;
    void *pNext;
    VkDeviceSize minPlacedMemoryMapAlignment;
};

#define MAP_PLACED_PROPERTIES ((VkStructureType)1000272001)

struct vkb_properties {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
    VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm;
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm;
    VkPhysicalDeviceDrmPropertiesEXT drm;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
    VkPhysicalDeviceShaderCoreProperties2AMD amd2;
    VkPhysicalDeviceMaintenance4Properties maintenance4;
    struct map_placed_properties map_placed;
};

static const struct {
    const char *name;
    size_t offset;
} known_extensions[] = {
#define EXTENSION(name, member)                                                                                        \
    {                                                                                                                  \
        name, offsetof(struct extensions, member)                                                                      \
    }
    EXTENSION("VK_EXT_external_memory_host", external_memory_host),
    EXTENSION("VK_EXT_calibrated_timestamps", calibrated_timestamps),
    EXTENSION("VK_EXT_shader_atomic_float", shader_atomic_float),
    EXTENSION("VK_KHR_workgroup_memory_explicit_layout", explicit_layout),
    EXTENSION("VK_KHR_shader_clock", shader_clock),
    EXTENSION("VK_NV_shader_sm_builtins", sm_builtins),
    EXTENSION("VK_ARM_shader_core_builtins", arm_core),
    EXTENSION("VK_AMD_shader_core_properties", amd_core),
    EXTENSION("VK_AMD_shader_core_properties2", amd_core2),
    EXTENSION("VK_EXT_pci_bus_info", pci_bus_info),
    EXTENSION("VK_EXT_physical_device_drm", device_drm),
    EXTENSION("VK_EXT_memory_budget", memory_budget),
    EXTENSION("VK_EXT_subgroup_size_control", subgroup_size_control),
    EXTENSION("VK_KHR_maintenance4", maintenance4),
    EXTENSION("VK_KHR_shader_integer_dot_product", integer_dot_product),
    EXTENSION("VK_KHR_zero_initialize_workgroup_memory", zero_initialize),
    EXTENSION("VK_KHR_pipeline_executable_properties", executable_properties),
    EXTENSION("VK_KHR_portability_subset", portability_subset),
    EXTENSION("VK_KHR_map_memory2", map_memory2),
    EXTENSION("VK_EXT_map_memory_placed", map_placed),
    EXTENSION("VK_EXT_host_image_copy", host_image_copy),
    EXTENSION("VK_KHR_cooperative_matrix", cooperative_matrix),
    EXTENSION("VK_KHR_shader_bfloat16", bfloat16),
    EXTENSION("VK_EXT_shader_float8", float8),
    EXTENSION("VK_KHR_external_memory_fd", external_memory_fd),
    EXTENSION("VK_EXT_external_memory_dma_buf", dma_buf),
    EXTENSION("VK_EXT_image_drm_format_modifier", drm_modifiers),
    EXTENSION("VK_KHR_external_semaphore_fd", external_semaphore_fd),
    EXTENSION("VK_KHR_external_memory_win32", external_memory_win32),
    EXTENSION("VK_KHR_external_semaphore_win32", external_semaphore_win32),
    EXTENSION("VK_EXT_queue_family_foreign", queue_family_foreign),
    EXTENSION("VK_KHR_timeline_semaphore", timeline_semaphore),
    EXTENSION("VK_KHR_buffer_device_address", buffer_device_address),
    EXTENSION("VK_KHR_8bit_storage", storage8),
    EXTENSION("VK_KHR_shader_float16_int8", float16_int8),
    EXTENSION("VK_KHR_vulkan_memory_model", memory_model),
    EXTENSION("VK_KHR_shader_subgroup_extended_types", subgroup_extended_types),
    EXTENSION("VK_EXT_host_query_reset", host_query_reset),
    EXTENSION("VK_EXT_scalar_block_layout", scalar_layout),
    EXTENSION("VK_KHR_shader_atomic_int64", atomic_int64),
    EXTENSION("VK_KHR_spirv_1_4", spirv14),
    EXTENSION("VK_KHR_shader_float_controls", float_controls),
    EXTENSION("VK_KHR_driver_properties", driver_properties),
#undef EXTENSION
};

static void query_extensions(struct vkb_device *device)
{
    uint32_t count = 0;
    if (vkEnumerateDeviceExtensionProperties(device->physical, NULL, &count, NULL) != VK_SUCCESS || !count)
        return;
    VkExtensionProperties *list = calloc(count, sizeof(*list));
    if (list && vkEnumerateDeviceExtensionProperties(device->physical, NULL, &count, list) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            for (size_t k = 0; k < ARRAY_LENGTH(known_extensions); k++) {
                if (!strcmp(list[i].extensionName, known_extensions[k].name))
                    *(bool *)((char *)&device->extensions + known_extensions[k].offset) = true;
            }
        }
    }
    free(list);
}

/* Whether the device's clock can be compared with the clock of the host that we use. */
static bool has_time_domains(const struct vkb_device *device)
{
    VkTimeDomainEXT domains[16];
    uint32_t count = ARRAY_LENGTH(domains), found = 0;
    if (!vkGetPhysicalDeviceCalibrateableTimeDomainsEXT ||
        vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device->physical, &count, domains) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        found += domains[i] == VK_TIME_DOMAIN_DEVICE_EXT || domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    return found == 2;
}

static void query_properties(struct vkb_device *device, struct vkb_properties *p)
{
    const struct extensions *have = &device->extensions;
    memset(p, 0, sizeof(*p));
    p->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    if (vkb_is_core12(device)) {
        CHAIN(&p->core, p->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
        CHAIN(&p->core, p->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
    } else {
        vkb_properties_query_11(device, &p->v11, &p->v12);
    }
    if (have->map_memory2 && have->map_placed)
        CHAIN(&p->core, p->map_placed, MAP_PLACED_PROPERTIES);
    if (vkb_is_core13(device)) {
        CHAIN(&p->core, p->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    } else {
        if (have->subgroup_size_control)
            CHAIN(&p->core, p->subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
        if (have->maintenance4)
            CHAIN(&p->core, p->maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    }
    if (have->external_memory_host)
        CHAIN(&p->core, p->host, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    if (have->pci_bus_info)
        CHAIN(&p->core, p->pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    if (have->device_drm)
        CHAIN(&p->core, p->drm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT);
    if (have->sm_builtins)
        CHAIN(&p->core, p->sm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    if (have->arm_core)
        CHAIN(&p->core, p->arm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM);
    if (have->amd_core)
        CHAIN(&p->core, p->amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    if (have->amd_core2)
        CHAIN(&p->core, p->amd2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD);
    vkGetPhysicalDeviceProperties2(device->physical, &p->core);
}

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

static void fill_identity(struct vkb_caps *caps, const struct vkb_properties *p)
{
    static const enum vkb_device_type types[] = {
        [VK_PHYSICAL_DEVICE_TYPE_OTHER] = VKB_DEVICE_OTHER,
        [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU] = VKB_DEVICE_INTEGRATED,
        [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU] = VKB_DEVICE_DISCRETE,
        [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU] = VKB_DEVICE_VIRTUAL,
        [VK_PHYSICAL_DEVICE_TYPE_CPU] = VKB_DEVICE_CPU,
    };
    const VkPhysicalDeviceProperties *core = &p->core.properties;
    copy_text(caps->driver_name, sizeof(caps->driver_name), p->v12.driverName);
    copy_text(caps->driver_info, sizeof(caps->driver_info), p->v12.driverInfo);
    caps->driver_id = p->v12.driverID;
    caps->type = (uint32_t)core->deviceType < ARRAY_LENGTH(types) ? types[core->deviceType] : VKB_DEVICE_OTHER;
    memcpy(caps->pipeline_cache_uuid, core->pipelineCacheUUID, VK_UUID_SIZE);
    memcpy(caps->device_uuid, p->v11.deviceUUID, VK_UUID_SIZE);
    memcpy(caps->driver_uuid, p->v11.driverUUID, VK_UUID_SIZE);
    memcpy(caps->luid, p->v11.deviceLUID, VK_LUID_SIZE);
    caps->luid_valid = p->v11.deviceLUIDValid;
    caps->node_mask = p->v11.deviceNodeMask;
    caps->pci_valid = p->pci.sType != 0;
    caps->pci_domain = p->pci.pciDomain;
    caps->pci_bus = p->pci.pciBus;
    caps->pci_device = p->pci.pciDevice;
    caps->pci_function = p->pci.pciFunction;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void fill_limits(struct vkb_caps *caps, const struct vkb_properties *p)
{
    const VkPhysicalDeviceLimits *limits = &p->core.properties.limits;
    caps->max_push_constants = (uint32_t)u64_min(limits->maxPushConstantsSize, VKB_MAX_PUSH_CONSTANTS);
    /* Adreno has 2048, of which 1024 fit into one dimension. Programs take CL_DEVICE_MAX_WORK_GROUP_SIZE for the size
     * in one, and kernels with sub-groups have all items in the first (compiler/lower/ends/entry_ids.c). */
    caps->max_workgroup_invocations = least(limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]);
    for (int i = 0; i < 3; i++) {
        caps->max_workgroup_size[i] = limits->maxComputeWorkGroupSize[i];
        caps->max_workgroup_count[i] = limits->maxComputeWorkGroupCount[i];
    }
    caps->shared_memory = limits->maxComputeSharedMemorySize;
    caps->storage_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment;
    caps->max_storage_range = limits->maxStorageBufferRange;
    caps->max_image_1d = limits->maxImageDimension1D;
    caps->max_image_2d = limits->maxImageDimension2D;
    caps->max_image_3d = limits->maxImageDimension3D;
    caps->max_image_layers = limits->maxImageArrayLayers;
    caps->max_samplers = limits->maxPerStageDescriptorSamplers;
    caps->max_texel_buffer_elements = limits->maxTexelBufferElements;
    caps->max_bound_sampled_images =
        least(limits->maxPerStageDescriptorSampledImages, limits->maxDescriptorSetSampledImages);
    caps->max_bound_storage_images =
        least(limits->maxPerStageDescriptorStorageImages, limits->maxDescriptorSetStorageImages);
    caps->max_bound_images = limits->maxPerStageResources;
    caps->texel_buffer_alignment = (uint32_t)limits->minTexelBufferOffsetAlignment;
    caps->timestamp_period = (double)limits->timestampPeriod;
    caps->import_align = (uint32_t)p->host.minImportedHostPointerAlignment;

    caps->subgroup_size = p->v11.subgroupSize;
    caps->subgroup_operations =
        p->v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT ? p->v11.subgroupSupportedOperations : 0;
    uint32_t smallest = p->v13.sType ? p->v13.minSubgroupSize : p->subgroup_size.minSubgroupSize;
    uint32_t largest = p->v13.sType ? p->v13.maxSubgroupSize : p->subgroup_size.maxSubgroupSize;
    caps->min_subgroup_size = smallest ? smallest : caps->subgroup_size;
    caps->max_subgroup_size = largest ? largest : caps->subgroup_size;
}

/* Sets that may be updated after they are bound have limits of their own. Many drivers bind others through few slots of
 * their hardware, and these through memory. Nothing here does update them after. */
static void fill_image_limits(struct vkb_caps *caps, const struct vkb_features *f, const struct vkb_properties *p)
{
    caps->max_sampled_images = least(caps->max_bound_sampled_images, caps->max_bound_images);
    caps->max_storage_images = least(caps->max_bound_storage_images, caps->max_bound_images);
    caps->max_images = caps->max_bound_images;
    if (!f->v12.descriptorBindingSampledImageUpdateAfterBind || !f->v12.descriptorBindingStorageImageUpdateAfterBind ||
        !f->v12.descriptorBindingUniformTexelBufferUpdateAfterBind ||
        !f->v12.descriptorBindingStorageTexelBufferUpdateAfterBind)
        return;
    uint32_t sampled = least(p->v12.maxPerStageDescriptorUpdateAfterBindSampledImages,
                             p->v12.maxDescriptorSetUpdateAfterBindSampledImages);
    uint32_t storage = least(p->v12.maxPerStageDescriptorUpdateAfterBindStorageImages,
                             p->v12.maxDescriptorSetUpdateAfterBindStorageImages);
    uint32_t both = p->v12.maxPerStageUpdateAfterBindResources;
    caps->max_sampled_images = most(caps->max_sampled_images, least(sampled, both));
    caps->max_storage_images = most(caps->max_storage_images, least(storage, both));
    caps->max_images = most(caps->max_images, both);
}

static void fill_features(struct vkb_device *device, const struct vkb_features *f, const struct vkb_properties *p)
{
    struct vkb_caps *caps = &device->caps;
#define FEATURE(name, struct, member, words, lines, without)  caps->name = f->struct.member;
#define PROPERTY(name, struct, member, words, lines, without) caps->name = p->struct.member;
#include "base/abilities.def"
    caps->samples_packed = caps->samples_srgb = caps->rounds_texels = caps->filters = true;
    VkShaderStageFlags sized =
        p->v13.sType ? p->v13.requiredSubgroupSizeStages : p->subgroup_size.requiredSubgroupSizeStages;
    caps->subgroup_size_control &= (sized & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    /* SPIR-V 1.4 came with an extension that needs another one; explicit layout needs SPIR-V 1.4 */
    caps->spirv14 = vkb_is_core12(device) || (device->extensions.spirv14 && device->extensions.float_controls);
    const VkPhysicalDeviceVulkan13Properties *dot = &p->v13;
    const VkBool32 accelerated[2][6] = {
        {dot->integerDotProduct8BitSignedAccelerated, dot->integerDotProduct8BitUnsignedAccelerated,
         dot->integerDotProduct8BitMixedSignednessAccelerated,
         dot->integerDotProductAccumulatingSaturating8BitSignedAccelerated,
         dot->integerDotProductAccumulatingSaturating8BitUnsignedAccelerated,
         dot->integerDotProductAccumulatingSaturating8BitMixedSignednessAccelerated},
        {dot->integerDotProduct4x8BitPackedSignedAccelerated, dot->integerDotProduct4x8BitPackedUnsignedAccelerated,
         dot->integerDotProduct4x8BitPackedMixedSignednessAccelerated,
         dot->integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated,
         dot->integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated,
         dot->integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated}};
    for (int i = 0; i < 12; i++)
        caps->dot_accelerated[i / 6][i % 6] = accelerated[i / 6][i % 6];
}

/* Finds compute units and clock, as far as the driver's own extensions or the system tell. For a CPU it asks the machine. */
static void fill_units(struct vkb_device *device, const struct vkb_properties *p)
{
    struct vkb_caps *caps = &device->caps;
    if (device->extensions.sm_builtins) {
        caps->compute_units = p->sm.shaderSMCount;
        caps->warps_per_unit = p->sm.shaderWarpsPerSM;
    } else if (device->extensions.arm_core) {
        caps->compute_units = p->arm.shaderCoreCount;
        caps->warps_per_unit = p->arm.shaderWarpsPerCore;
    } else if (device->extensions.amd_core) {
        caps->compute_units = device->extensions.amd_core2 ? p->amd2.activeComputeUnitCount : 0;
        if (!caps->compute_units)
            caps->compute_units =
                p->amd.shaderEngineCount * p->amd.shaderArraysPerEngineCount * p->amd.computeUnitsPerShaderArray;
        caps->warps_per_unit = p->amd.simdPerComputeUnit * p->amd.wavefrontsPerSimd;
    } else if (caps->type == VKB_DEVICE_CPU) {
        vkb_units_of_host(caps);
    }
    if (device->extensions.device_drm && p->drm.hasRender && caps->type != VKB_DEVICE_CPU) {
        char folder[96];
        snprintf(folder, sizeof(folder), "/sys/dev/char/%lld:%lld/device", (long long)p->drm.renderMajor,
                 (long long)p->drm.renderMinor);
        caps->clock_mhz = vkb_clock_in_folder(folder);
    }
}

#define PLAYED_MEMORY ((uint64_t)8 << 30)

static void fill_memory(struct vkb_device *device, const struct vkb_properties *p)
{
    struct vkb_caps *caps = &device->caps;
    VkPhysicalDeviceMemoryProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    vkGetPhysicalDeviceMemoryProperties2(device->physical, &properties);
    device->memory_properties = properties.memoryProperties;
    const VkPhysicalDeviceMemoryProperties *memory = &device->memory_properties;

    uint32_t heap = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        bool local = memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        bool best_local = memory->memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        if (local > best_local || (local == best_local && memory->memoryHeaps[i].size > memory->memoryHeaps[heap].size))
            heap = i;
    }
    caps->device_map = true;
    /* What kernels store as a pointer has 64 bits, and what a 32-bit host reads as one has 32: nothing is shared. */
    caps->shared_maps = sizeof(void *) == sizeof(uint64_t);
    caps->other_addresses = !caps->shared_maps;
    device->memory_heap = heap;
    caps->device_memory = memory->memoryHeaps[heap].size;
    /* A device without its hardware may have no memory. Kernels are compiled as for one that has some. */
    if (caps->compile_only && !caps->device_memory)
        caps->device_memory = PLAYED_MEMORY;
    const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    bool cached = false;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if (memory->memoryTypes[i].heapIndex != heap || (flags & mapped) != mapped)
            continue;
        caps->rebar = true;
        cached |= (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    }
    caps->unified_memory = cached && (caps->type == VKB_DEVICE_CPU || caps->type == VKB_DEVICE_INTEGRATED);
    caps->max_allocation = u64_min(p->v11.maxMemoryAllocationSize, caps->device_memory);
    uint64_t largest = p->v13.sType ? p->v13.maxBufferSize : p->maintenance4.maxBufferSize;
    if (largest)
        caps->max_allocation = u64_min(caps->max_allocation, largest);
    caps->max_single_allocation = caps->max_allocation;
}

/* Where the driver's limit on one allocation is small beside the memory, a buffer may have several (sparse.c): up to
 * half of the memory. OpenCL wants a quarter at least. */
static void fill_sparse(struct vkb_caps *caps, const struct vkb_features *f, const struct vkb_properties *p,
                        VkQueueFlags queue_flags)
{
    if (!f->core.features.sparseBinding || !(queue_flags & VK_QUEUE_SPARSE_BINDING_BIT))
        return;
    caps->sparse_space = p->core.properties.limits.sparseAddressSpaceSize;
    uint64_t largest = p->v13.sType ? p->v13.maxBufferSize : p->maintenance4.maxBufferSize;
    uint64_t size = u64_min(caps->device_memory, caps->sparse_space) / 2 & ~(uint64_t)0xffff;
    if (largest)
        size = u64_min(size, largest);
    if (size > caps->max_allocation && !caps->unified_memory)
        caps->max_allocation = size;
}

/* How many of the family's queues to use: PUMICE_QUEUES says, else as many as there are, and one on NVIDIA's driver.
 * There (580.159, H200) work submitted by sixteen threads to three queues or more, each with its own memory, stopped
 * the GPU within seconds in most runs (Xid 109, context switch timeout), in compute-only and graphics families, with
 * and without priorities, though every command was free of loops; through one queue the same work never did. */
static uint32_t choose_num_queues(const struct vkb_caps *caps, uint32_t available)
{
    uint32_t count = setting_number(SETTING_QUEUES);
    if (!count)
        count = caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY ? 1 : MAX_VULKAN_QUEUES;
    return (uint32_t)u64_min(u64_min(count, available), MAX_VULKAN_QUEUES);
}

/* Chooses the family whose queues only copy (lane.c), if there is one that tells the time as the kernels' family does.
 * Of several, the one that does least beside copying: others are of video engines. PUMICE_LANES=0 says that there is
 * none, PUMICE_LANES=own has the kernels' own queue do what such a family's would, for tests. */
static void choose_lanes(struct vkb_device *device, const VkQueueFamilyProperties *families, uint32_t count)
{
    enum { NONE, USUAL, OWN }; /* the setting's words */
    const int wanted = setting_choice(SETTING_LANES);
    const VkQueueFlags usual = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT;
    uint32_t best = UINT32_MAX;
    if (wanted == OWN) {
        device->lane_family = device->family;
        device->num_lanes = NUM_LANES;
        return;
    }
    for (uint32_t i = 0; i < count && wanted != NONE; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT) || !(flags & VK_QUEUE_TRANSFER_BIT) ||
            !families[i].queueCount || families[i].timestampValidBits != device->caps.timestamp_bits)
            continue;
        if (best == UINT32_MAX || (families[best].queueFlags & ~usual && !(flags & ~usual)))
            best = i;
    }
    if (best == UINT32_MAX)
        return;
    device->lane_family = best;
    device->num_lanes = (uint32_t)u64_min(families[best].queueCount, NUM_LANES);
}

/* Chooses the family of queues, compute-only ones first: their queues take submissions a little faster, and no graphics
 * shares them. Returns what the chosen family can do. */
static VkQueueFlags fill_queues(struct vkb_device *device)
{
    uint32_t count = 0, best = UINT32_MAX;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, NULL);
    VkQueueFamilyProperties *families = calloc(count ? count : 1, sizeof(*families));
    if (!families)
        return 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    VkQueueFlags flags = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || !families[i].queueCount)
            continue;
        bool graphics = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        if (best == UINT32_MAX || (!graphics && (families[best].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
            best = i;
    }
    if (best != UINT32_MAX) {
        device->family = best;
        flags = families[best].queueFlags;
        device->caps.num_queues = choose_num_queues(&device->caps, families[best].queueCount);
        device->caps.timestamp_bits = families[best].timestampValidBits;
        if (!device->caps.timestamp_bits)
            device->caps.timestamp_period = 0;
        choose_lanes(device, families, count);
    }
    free(families);
    return flags;
}

/* Whether sub-groups of one work-group make progress independently of each other, by what the makers' own OpenCL
 * drivers say of the same hardware. Others count as not known to do so, among them those that run on the processor. */
static bool subgroups_progress(uint32_t driver)
{
    switch (driver) {
    case VK_DRIVER_ID_NVIDIA_PROPRIETARY:
    case VK_DRIVER_ID_AMD_PROPRIETARY:
    case VK_DRIVER_ID_AMD_OPEN_SOURCE:
    case VK_DRIVER_ID_MESA_RADV:
    case VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA:
        return true;
    default:
        return false;
    }
}

/* Who copies much memory, and many texels: the driver by its commands, or shaders of the backend's own, where these are
 * faster (queue/bulk.c, queue/texels.c). PUMICE_COPIES says that one of both does all of it, for tests. */
static void choose_copies(struct vkb_caps *caps)
{
    enum { BY_DRIVER, BY_SHADER }; /* the setting's words */
    const uint32_t worth_it = 256 << 10;
    const int wanted = setting_choice(SETTING_COPIES);
    bool gpu = caps->type != VKB_DEVICE_CPU, nvidia = caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    caps->bulk_least = wanted == BY_SHADER ? 1 : wanted != BY_DRIVER && gpu ? worth_it : UINT32_MAX;
    caps->texels_least = wanted == BY_SHADER ? 1 : wanted != BY_DRIVER && nvidia ? worth_it : UINT32_MAX;
}

/* What Vulkan does not say of a driver. Settings may change it. */
static void know_driver(struct vkb_caps *caps)
{
    caps->subgroups_progress = subgroups_progress(caps->driver_id);
    /* Driver 580: elements from 4 GiB on of an array by address are written to its start, those before it 4 GiB later. */
    caps->short_chains = caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    caps->miscounts_trips =
        caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY;                 /* 580 (compiler/lower/quirks/trips.c) */
    caps->loses_lanes = caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY; /* 580 (quirks/lanes.c) */
    caps->computes_in_words = caps->type != VKB_DEVICE_CPU;                 /* no GPU has wider ones */
    caps->subgroups_in_step = caps->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE;
    caps->variants_in_turn = caps->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    /* Mesa's and SwiftShader do, and so may others. */
    caps->inlines_calls = caps->driver_id != VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    /* lavapipe's 80 conditions and 80 loops (gallivm's LP_MAX_TGSI_NESTING). On GPUs what lives across deep loops needs
     * registers that are not there: Intel's compiler (Mesa 25.0.7) refuses 48 loops, which it cannot spill around, and
     * V3D's and Mali's take minutes. */
    caps->max_nesting = caps->type == VKB_DEVICE_CPU ? 80 : 32;
    caps->slow_pipeline_us = 250000;
    caps->watchdog_ms = vkb_watchdog_ms(caps);
    caps->doze_us = caps->type == VKB_DEVICE_CPU ? UINT32_MAX : 1000;
    /* lavapipe before Mesa 23 ends every shader after 65,535 loop iterations; 22.3.6 was measured, 25.0.7 does not. */
    unsigned major = 0;
    if (caps->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && sscanf(caps->driver_info, "Mesa %u", &major) == 1 &&
        major < 23)
        snprintf(caps->warning, sizeof(caps->warning),
                 "lavapipe of %.64s cuts every kernel short after 65,535 loop iterations and gives wrong results; "
                 "install Mesa 23 or "
                 "newer (Debian 12: mesa-vulkan-drivers from bookworm-backports)",
                 caps->driver_info);
}

static void judge(struct vkb_caps *caps)
{
    const char *missing = NULL;
    if (caps->api_version < VK_API_VERSION_1_1)
        missing = "Vulkan 1.1";
    else if (!caps->num_queues)
        missing = "a queue family for compute";
    else if (!caps->timeline)
        missing = "timelineSemaphore";
    else if (!caps->buffer_address)
        missing = "bufferDeviceAddress";
    caps->qualifies = !missing;
    if (missing)
        snprintf(caps->why_not, sizeof(caps->why_not), "the driver lacks %s", missing);
}

void vkb_caps_query(struct vkb_device *device, uint32_t instance_version)
{
    struct vkb_caps *caps = &device->caps;
    VkPhysicalDeviceProperties first;
    vkGetPhysicalDeviceProperties(device->physical, &first);
    copy_text(caps->name, sizeof(caps->name), first.deviceName);
    caps->api_version = vkb_mask_version(first.apiVersion < instance_version ? first.apiVersion : instance_version);
    caps->driver_version = first.driverVersion;
    caps->vendor_id = first.vendorID;
    caps->device_id = first.deviceID;
    caps->compile_only = setting_on(SETTING_COMPILE_ONLY);

    struct vkb_features features = {0};
    if (caps->api_version >= VK_API_VERSION_1_1) {
        struct vkb_properties properties;
        query_extensions(device);
        if (device->extensions.calibrated_timestamps)
            device->extensions.calibrated_timestamps = has_time_domains(device);
        vkb_features_query(device, &features);
        query_properties(device, &properties);
        fill_identity(caps, &properties);
        fill_limits(caps, &properties);
        fill_features(device, &features, &properties);
        fill_image_limits(&device->caps, &features, &properties);
        fill_memory(device, &properties);
        fill_sparse(caps, &features, &properties, fill_queues(device));
        fill_units(device, &properties);
        vkb_handles_query(device);
        caps->import_host = device->extensions.external_memory_host && caps->import_align;
        caps->placed_map_align = properties.map_placed.minPlacedMemoryMapAlignment;
        caps->host_image_copy = caps->host_image_copy && (caps->unified_memory || caps->rebar);
        caps->linear_images = caps->unified_memory;
        caps->bare_atomics = !device->extensions.portability_subset;
        caps->map_placed = caps->map_placed && caps->placed_map_align;
    }
    know_driver(caps);
    choose_copies(caps);
    vkb_caps_mask(caps);
    caps->host_image_copy = caps->host_image_copy && vkb_host_copies_query(device);
    device->extensions.host_image_copy = caps->host_image_copy; /* else it is not enabled, either */
    if (caps->cooperative_matrix)
        vkb_matrices_query(device);
    judge(caps);
    log_info("%s: %s", caps->name, caps->qualifies ? "qualifies" : caps->why_not);
}
