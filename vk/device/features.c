/* Which features a device has, and which are enabled.
 *
 * Vulkan 1.2 has one structure for the features of each version. A device of Vulkan 1.1 has those features by
 * extensions, each with a structure of its own, and one of Vulkan 1.2 likewise; here the values go from these to the
 * structures of the versions and back, so that everybody else knows only the latter. */
#include "vk/device/backend.h"
#include "vk/device/chain.h"
#include "vk/device/device.h"

#include <string.h>

#define MAP_PLACED_FEATURES ((VkStructureType)1000272000) /* newer than some systems' headers */
#define HOST_IMAGE_FEATURES ((VkStructureType)1000270000) /* likewise */
#define MATRIX_FEATURES     ((VkStructureType)1000506000)
#define BFLOAT16_FEATURES   ((VkStructureType)1000141000)
#define FLOAT8_FEATURES     ((VkStructureType)1000567000)

/* ---- Vulkan 1.1 ---- */

static void chain_11(const struct vkb_device *device, struct vkb_features *f)
{
    const struct extensions *have = &device->extensions;
    struct khr_features *k = &f->khr;
    CHAIN(&f->core, k->storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
    CHAIN(&f->core, k->variable_pointers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES);
    if (have->storage8)
        CHAIN(&f->core, k->storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
    if (have->float16_int8)
        CHAIN(&f->core, k->float16_int8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
    if (have->timeline_semaphore)
        CHAIN(&f->core, k->timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    if (have->buffer_device_address)
        CHAIN(&f->core, k->buffer_address, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    if (have->memory_model)
        CHAIN(&f->core, k->memory_model, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
    if (have->subgroup_extended_types)
        CHAIN(&f->core, k->subgroup_types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES);
    if (have->host_query_reset)
        CHAIN(&f->core, k->host_query_reset, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    if (have->scalar_layout)
        CHAIN(&f->core, k->scalar_layout, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES);
    if (have->atomic_int64)
        CHAIN(&f->core, k->atomic_int64, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
}

static void copy(VkBool32 *version, VkBool32 *khr, bool from_khr)
{
    if (from_khr)
        *version = *khr;
    else
        *khr = *version;
}

/* Between a version's structure and that of an extension, which have one name for the feature. */
#define COPY(version, extension, name) copy(&f->version.name, &f->extension.name, from_khr)

static void each_of_11(struct vkb_features *f, bool from_khr)
{
    COPY(v11, khr.storage16, storageBuffer16BitAccess);
    COPY(v11, khr.storage16, uniformAndStorageBuffer16BitAccess);
    COPY(v11, khr.storage16, storagePushConstant16);
    COPY(v11, khr.variable_pointers, variablePointersStorageBuffer);
    COPY(v11, khr.variable_pointers, variablePointers);
    COPY(v12, khr.storage8, storageBuffer8BitAccess);
    COPY(v12, khr.storage8, uniformAndStorageBuffer8BitAccess);
    COPY(v12, khr.storage8, storagePushConstant8);
    COPY(v12, khr.float16_int8, shaderFloat16);
    COPY(v12, khr.float16_int8, shaderInt8);
    COPY(v12, khr.timeline, timelineSemaphore);
    COPY(v12, khr.buffer_address, bufferDeviceAddress);
    COPY(v12, khr.buffer_address, bufferDeviceAddressCaptureReplay);
    COPY(v12, khr.memory_model, vulkanMemoryModel);
    COPY(v12, khr.memory_model, vulkanMemoryModelDeviceScope);
    COPY(v12, khr.memory_model, vulkanMemoryModelAvailabilityVisibilityChains);
    COPY(v12, khr.subgroup_types, shaderSubgroupExtendedTypes);
    COPY(v12, khr.host_query_reset, hostQueryReset);
    COPY(v12, khr.scalar_layout, scalarBlockLayout);
    COPY(v12, khr.atomic_int64, shaderBufferInt64Atomics);
    COPY(v12, khr.atomic_int64, shaderSharedInt64Atomics);
}

/* ---- Vulkan 1.2 ---- */

static void each_of_12(struct vkb_features *f, bool from_khr)
{
    COPY(v13, subgroup_size, subgroupSizeControl);
    COPY(v13, subgroup_size, computeFullSubgroups);
    COPY(v13, dot_product, shaderIntegerDotProduct);
    COPY(v13, zero_initialize, shaderZeroInitializeWorkgroupMemory);
}

void vkb_features_enable(const struct vkb_device *device, struct vkb_features *features)
{
    if (!vkb_is_core12(device))
        each_of_11(features, false);
    if (!vkb_is_core13(device))
        each_of_12(features, false);
}

#define TAKE(version, extension, name) version->name = extension.name

void vkb_properties_query_11(const struct vkb_device *device, VkPhysicalDeviceVulkan11Properties *v11,
                             VkPhysicalDeviceVulkan12Properties *v12)
{
    VkPhysicalDeviceProperties2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceIDProperties id = {0};
    VkPhysicalDeviceSubgroupProperties subgroup = {0};
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {0};
    VkPhysicalDeviceDriverProperties driver = {0};
    VkPhysicalDeviceFloatControlsProperties controls = {0};
    CHAIN(&core, id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    CHAIN(&core, subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    CHAIN(&core, maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    if (device->extensions.driver_properties)
        CHAIN(&core, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (device->extensions.float_controls)
        CHAIN(&core, controls, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    vkGetPhysicalDeviceProperties2(device->physical, &core);
    memcpy(v11->deviceUUID, id.deviceUUID, VK_UUID_SIZE);
    memcpy(v11->driverUUID, id.driverUUID, VK_UUID_SIZE);
    memcpy(v11->deviceLUID, id.deviceLUID, VK_LUID_SIZE);
    TAKE(v11, id, deviceNodeMask);
    TAKE(v11, id, deviceLUIDValid);
    TAKE(v11, subgroup, subgroupSize);
    v11->subgroupSupportedStages = subgroup.supportedStages;
    v11->subgroupSupportedOperations = subgroup.supportedOperations;
    TAKE(v11, maintenance3, maxMemoryAllocationSize);
    TAKE(v12, driver, driverID);
    memcpy(v12->driverName, driver.driverName, sizeof(v12->driverName));
    memcpy(v12->driverInfo, driver.driverInfo, sizeof(v12->driverInfo));
    TAKE(v12, controls, shaderDenormPreserveFloat16);
    TAKE(v12, controls, shaderDenormPreserveFloat32);
    TAKE(v12, controls, shaderDenormPreserveFloat64);
    TAKE(v12, controls, shaderRoundingModeRTEFloat16);
    TAKE(v12, controls, shaderRoundingModeRTEFloat32);
    TAKE(v12, controls, shaderRoundingModeRTEFloat64);
    TAKE(v12, controls, shaderSignedZeroInfNanPreserveFloat16);
    TAKE(v12, controls, shaderSignedZeroInfNanPreserveFloat32);
    TAKE(v12, controls, shaderSignedZeroInfNanPreserveFloat64);
}

/* ---- any version ---- */

void vkb_features_query(struct vkb_device *device, struct vkb_features *f)
{
    const struct extensions *have = &device->extensions;
    memset(f, 0, sizeof(*f));
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (vkb_is_core12(device)) {
        CHAIN(&f->core, f->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
        CHAIN(&f->core, f->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    } else {
        chain_11(device, f);
    }
    if (vkb_is_core13(device)) {
        CHAIN(&f->core, f->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    } else {
        if (have->subgroup_size_control)
            CHAIN(&f->core, f->subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
        if (have->maintenance4)
            CHAIN(&f->core, f->maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
        if (have->integer_dot_product)
            CHAIN(&f->core, f->dot_product, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
        if (have->zero_initialize)
            CHAIN(&f->core, f->zero_initialize,
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES);
    }
    if (have->shader_atomic_float)
        CHAIN(&f->core, f->atomic_float, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    if (have->explicit_layout && (vkb_is_core12(device) || (have->spirv14 && have->float_controls)))
        CHAIN(&f->core, f->explicit_layout,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR);
    if (have->shader_clock)
        CHAIN(&f->core, f->shader_clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
    if (have->map_memory2 && have->map_placed)
        CHAIN(&f->core, f->map_placed, MAP_PLACED_FEATURES);
    if (have->host_image_copy && vkb_is_core13(device)) /* whose format features it needs */
        CHAIN(&f->core, f->host_image, HOST_IMAGE_FEATURES);
    if (have->cooperative_matrix)
        CHAIN(&f->core, f->matrix, MATRIX_FEATURES);
    if (have->cooperative_matrix && have->bfloat16)
        CHAIN(&f->core, f->bfloat16, BFLOAT16_FEATURES);
    if (have->cooperative_matrix && have->float8)
        CHAIN(&f->core, f->float8, FLOAT8_FEATURES);
    if (have->executable_properties && device->has_statistics)
        CHAIN(&f->core, f->executable, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    vkGetPhysicalDeviceFeatures2(device->physical, &f->core);
    if (!vkb_is_core12(device))
        each_of_11(f, true);
    if (!vkb_is_core13(device))
        each_of_12(f, true);
}
