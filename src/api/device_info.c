/* clGetDeviceInfo: every query of OpenCL 3.0 API, table 5, and of the extensions that we offer.
 *
 * Answers are facts about the device, or the specification's value for "not supported" and "unknown". The vendor string
 * names Pumice and not the maker of the hardware: applications that find a GPU maker's name there feed it that maker's
 * assembly or extensions. CL_DEVICE_VENDOR_ID remains the PCI vendor. */
#include "src/api/queries.h"
#include "src/api/unified_svm.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/device/overrides.h"
#include "src/object/external.h"
#include "src/object/image_format.h"
#include "src/object/pipe.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UINT(value)  return OCL_OUT(out, cl_uint, (cl_uint)(value))
#define ULONG(value) return OCL_OUT(out, cl_ulong, (cl_ulong)(value))
#define SIZE(value)  return OCL_OUT(out, size_t, (size_t)(value))
#define BOOL(value)  return OCL_OUT(out, cl_bool, (value) ? CL_TRUE : CL_FALSE)
#define BITS(value)  return OCL_OUT(out, cl_bitfield, (value))
#define STRING(text) return ocl_out_string(out, (text))

/* CL_DEVICE_TERMINATE_CAPABILITY_KHR until the headers of 2021, with which clinfo is built */
#define TERMINATE_CAPABILITY_OLD 0x200F

/* cl_ext_float_atomics and cl_khr_kernel_clock, which some systems' headers lack */
#define OCL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES 0x4231
#define OCL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES 0x4232
#define OCL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES   0x4233
#define OCL_DEVICE_KERNEL_CLOCK_CAPABILITIES     0x1076

/* OpenCL 3.1 and cl_khr_spirv_queries, which most systems' headers lack */
#define OCL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 0x12B9
#define OCL_DEVICE_SPIRV_EXTENSIONS                0x12BA
#define OCL_DEVICE_SPIRV_CAPABILITIES              0x12BB

#define IL_VERSIONS "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"

static cl_uint compute_units(cl_device_id device)
{
    if (device->caps->compute_units)
        return device->caps->compute_units;
    long processors = device->type == CL_DEVICE_TYPE_CPU ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    return processors > 0 ? (cl_uint)processors : 1;
}

/* Programs have 32 bytes for it (BOINC; libgpuarray 64) and give the device up where it is longer. So what the driver
 * says in brackets is left out, and its name where there is no room. */
static cl_int out_driver_version(cl_device_id device, const struct ocl_out *out)
{
    const struct vkb_caps *caps = device->caps;
    const char *brackets = strstr(caps->driver_info, " (");
    int length = (int)(brackets ? (size_t)(brackets - caps->driver_info) : strlen(caps->driver_info));
    enum { SIZE = 32, ROOM = SIZE - (int)sizeof(PUMICE_VERSION " ()") };
    char text[640];
    int full = snprintf(text, sizeof(text), PUMICE_VERSION " (%s %.*s)", caps->driver_name, length, caps->driver_info);
    if (full >= SIZE && length)
        snprintf(text, sizeof(text), PUMICE_VERSION " (%.*s)", length < ROOM ? length : ROOM, caps->driver_info);
    else if (full >= SIZE)
        snprintf(text, sizeof(text), PUMICE_VERSION " (%.*s)", ROOM, caps->driver_name);
    STRING(text);
}

static cl_int out_il_versions(cl_device_id device, const struct ocl_out *out)
{
    cl_name_version list[7]; /* 1.0 to 1.6 */
    memset(list, 0, sizeof(list));
    for (unsigned i = 0; i < ARRAY_LENGTH(list); i++) {
        strcpy(list[i].name, "SPIR-V");
        list[i].version = CL_MAKE_VERSION(1, i, 0);
    }
    return ocl_out_bytes(out, list, device->il ? sizeof(list) : 0);
}

static cl_int out_spirv_sets(cl_device_id device, const struct ocl_out *out)
{
    static const char *const sets[] = {"OpenCL.std", "OpenCL.DebugInfo.100"}; /* the latter is dropped */
    return ocl_out_bytes(out, sets, device->il ? sizeof(sets) : 0);
}

static cl_int out_spirv_extensions(cl_device_id device, const struct ocl_out *out)
{
    const char *names[CLC_MAX_SPIRV_ITEMS];
    uint32_t count = device->il ? clc_spirv_extensions(&device->target, names, CLC_MAX_SPIRV_ITEMS) : 0;
    return ocl_out_bytes(out, names, count * sizeof(names[0]));
}

static cl_int out_spirv_capabilities(cl_device_id device, const struct ocl_out *out)
{
    cl_uint values[CLC_MAX_SPIRV_ITEMS];
    uint32_t count = device->il ? clc_spirv_capabilities(&device->target, values, CLC_MAX_SPIRV_ITEMS) : 0;
    return ocl_out_bytes(out, values, count * sizeof(values[0]));
}

/* 2.0 is taken by -cl-std but not listed: it promises what Vulkan cannot give (docs/features.md). */
static cl_int out_c_versions(cl_device_id device, const struct ocl_out *out)
{
    static const cl_version versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
                                          CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(3, 1, 0)};
    cl_name_version list[ARRAY_LENGTH(versions)];
    unsigned count = ARRAY_LENGTH(list) - (device->target.max_std < 310);
    memset(list, 0, sizeof(list));
    for (unsigned i = 0; i < count; i++) {
        strcpy(list[i].name, "OpenCL C");
        list[i].version = versions[i];
    }
    return ocl_out_bytes(out, list, count * sizeof(list[0]));
}

/* OpenCL 3.0 API, 4.2: the full profile demands rounding to nearest, infinities and NaNs. The library computes fma
 * exactly where the device does not, and quotients and roots where the build option asks for it. Subnormals are listed
 * only where the device keeps them. */
static cl_device_fp_config single_config(cl_device_id device)
{
    cl_device_fp_config config =
        CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    if (ocl_device_subnormals(device)->kept32)
        config |= CL_FP_DENORM;
    return config;
}

static cl_device_fp_config half_config(cl_device_id device)
{
    if (!device->fp16)
        return 0;
    return CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | (ocl_device_subnormals(device)->kept16 ? CL_FP_DENORM : 0);
}

/* cl_ext_float_atomics: what the device lacks is done by compare and exchange; for halfs, on the words that hold them.
 */
static cl_bitfield float_atomics(bool offered)
{
    enum { LOAD_STORE = 1, ADD = 2, MIN_MAX = 4 };
    cl_bitfield all = LOAD_STORE | ADD | MIN_MAX;
    return offered ? all | all << 16 : 0; /* global, local */
}

/* OpenCL 3.0 API, 4.2: fences within a work-group can always acquire and release, as its barriers do. */
static cl_bitfield atomic_capabilities(cl_device_id device, bool fences)
{
    bool ordered = ocl_has_feature(device, "__opencl_c_atomic_order_acq_rel");
    bool total = ocl_has_feature(device, "__opencl_c_atomic_order_seq_cst");
    bool all_devices = ocl_has_feature(device, "__opencl_c_atomic_scope_all_devices");
    return CL_DEVICE_ATOMIC_ORDER_RELAXED | (ordered || fences ? CL_DEVICE_ATOMIC_ORDER_ACQ_REL : 0) |
           CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | (ordered || !fences ? CL_DEVICE_ATOMIC_SCOPE_DEVICE : 0) |
           (total ? CL_DEVICE_ATOMIC_ORDER_SEQ_CST : 0) | (all_devices ? CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES : 0) |
           (fences ? CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM : 0);
}

/* What may be done with memory that host and device share: everything where there are SVM atomics, else accesses at the
 * same time to different bytes. */
static cl_bitfield usm_capabilities(cl_device_id device, cl_device_svm_capabilities wanted)
{
    cl_device_svm_capabilities svm = ocl_device_svm(device);
    if (!(svm & wanted))
        return 0;
    return CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
           (svm & CL_DEVICE_SVM_ATOMICS
                ? CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
                : 0);
}

static cl_bitfield clock_capabilities(cl_device_id device)
{
    enum { DEVICE = 1, WORK_GROUP = 2, SUB_GROUP = 4 };
    return (ocl_has_feature(device, "__opencl_c_kernel_clock_scope_device") ? DEVICE : 0) |
           (ocl_has_feature(device, "__opencl_c_kernel_clock_scope_work_group") ? WORK_GROUP : 0) |
           (ocl_has_feature(device, "__opencl_c_kernel_clock_scope_sub_group") ? SUB_GROUP : 0);
}

/* cl_khr_integer_dot_product: signed, unsigned, mixed; then the saturating ones */
static cl_int out_dot_acceleration(const struct ocl_out *out, const bool accelerated[6])
{
    cl_device_integer_dot_product_acceleration_properties_khr properties = {
        .signed_accelerated = accelerated[0],
        .unsigned_accelerated = accelerated[1],
        .mixed_signedness_accelerated = accelerated[2],
        .accumulating_saturating_signed_accelerated = accelerated[3],
        .accumulating_saturating_unsigned_accelerated = accelerated[4],
        .accumulating_saturating_mixed_signedness_accelerated = accelerated[5],
    };
    return ocl_out_bytes(out, &properties, sizeof(properties));
}

/* All of these are mandatory with cl_khr_fp64. */
static cl_device_fp_config double_config(cl_device_id device)
{
    if (!device->fp64)
        return 0;
    return CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM;
}

/* cl_amd_device_attribute_query's number, which programs that fill a device ask for on any vendor's: KiB that are free
 * now, and the largest piece. The rest of that extension is not offered. */
#define OCL_DEVICE_GLOBAL_FREE_MEMORY 0x4039

static cl_int out_free_memory(cl_device_id device, const struct ocl_out *out)
{
    uint64_t available, largest;
    if (!vkb_device_memory(device->vk, &available, &largest))
        return CL_INVALID_VALUE;
    const size_t list[2] = {available / 1024, largest / 1024};
    return ocl_out_bytes(out, list, sizeof(list));
}

/* The first * of PUMICE_DEVICE_NAME stands for the driver's name. */
static cl_int out_name(const struct vkb_caps *caps, const struct ocl_out *out)
{
    const char *name = ocl_override_text(SETTING_DEVICE_NAME, "*"), *star = strchr(name, '*');
    if (!star)
        return ocl_out_string(out, name);
    size_t size = strlen(name) + strlen(caps->name);
    char *text = malloc(size);
    if (!text)
        return CL_OUT_OF_HOST_MEMORY;
    snprintf(text, size, "%.*s%s%s", (int)(star - name), name, caps->name, star + 1);
    cl_int error = ocl_out_string(out, text);
    free(text);
    return error;
}

/* Queries of what the device is. */
static cl_int identity_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    const struct vkb_caps *caps = device->caps;
    switch (name) {
    case CL_DEVICE_TYPE:
        return OCL_OUT(out, cl_device_type, device->type);
    case CL_DEVICE_VENDOR_ID:
        UINT(caps->vendor_id);
    case CL_DEVICE_NAME:
        return out_name(caps, out);
    case CL_DEVICE_VENDOR:
        STRING(ocl_override_text(SETTING_DEVICE_VENDOR, "Pumice"));
    case CL_DRIVER_VERSION:
        return out_driver_version(device, out);
    case CL_DEVICE_PROFILE:
        STRING("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        STRING(device->version >= 310 ? "OpenCL 3.1 Pumice" : "OpenCL 3.0 Pumice");
    case CL_DEVICE_NUMERIC_VERSION:
        return OCL_OUT(out, cl_version, CL_MAKE_VERSION(3, device->version >= 310, 0));
    case CL_DEVICE_OPENCL_C_VERSION:
        STRING("OpenCL C 1.2 Pumice");
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
        return OCL_OUT(out, cl_version, CL_MAKE_VERSION(1, 2, 0));
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return out_c_versions(device, out);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return ocl_out_features(out, device);
    case CL_DEVICE_EXTENSIONS:
        ocl_device_look(device);
        return ocl_out_words(out, device->extensions);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        ocl_device_look(device);
        return ocl_out_extensions(out, device);
    case CL_DEVICE_PLATFORM:
        return OCL_OUT(out, cl_platform_id, &ocl_platform);
    case CL_DEVICE_IL_VERSION:
        STRING(device->il ? IL_VERSIONS : "");
    case CL_DEVICE_ILS_WITH_VERSION:
        return out_il_versions(device, out);
    case OCL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS:
        return out_spirv_sets(device, out);
    case OCL_DEVICE_SPIRV_EXTENSIONS:
        return out_spirv_extensions(device, out);
    case OCL_DEVICE_SPIRV_CAPABILITIES:
        return out_spirv_capabilities(device, out);
    case CL_DEVICE_BUILT_IN_KERNELS:
        STRING("");
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return ocl_out_bytes(out, NULL, 0);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        STRING("v0000-01-01-00"); /* none was submitted; the format is fixed */
    case CL_DEVICE_TERMINATE_CAPABILITY_KHR:
    case TERMINATE_CAPABILITY_OLD:
        BITS(1); /* CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR, which some systems' headers lack */
    case CL_DEVICE_UUID_KHR:
        return ocl_out_bytes(out, caps->device_uuid, CL_UUID_SIZE_KHR);
    case CL_DRIVER_UUID_KHR:
        return ocl_out_bytes(out, caps->driver_uuid, CL_UUID_SIZE_KHR);
    case CL_DEVICE_LUID_VALID_KHR:
        BOOL(caps->luid_valid);
    case CL_DEVICE_LUID_KHR:
        return ocl_out_bytes(out, caps->luid, CL_LUID_SIZE_KHR);
    case CL_DEVICE_NODE_MASK_KHR:
        UINT(caps->node_mask);
    case CL_DEVICE_PCI_BUS_INFO_KHR:
        if (!caps->pci_valid)
            break;
        return OCL_OUT(out, cl_device_pci_bus_info_khr, caps->pci_domain, caps->pci_bus, caps->pci_device,
                       caps->pci_function);
    default:
        break;
    }
    return CL_INVALID_VALUE;
}

/* Queries of how it executes. */
static cl_int execution_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    const struct vkb_caps *caps = device->caps;
    switch (name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        UINT(compute_units(device));
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        UINT(caps->clock_mhz);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        UINT(3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        size_t sizes[3] = {caps->max_workgroup_size[0], caps->max_workgroup_size[1], caps->max_workgroup_size[2]};
        return ocl_out_bytes(out, sizes, sizeof(sizes));
    }
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        SIZE(caps->max_workgroup_invocations);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        SIZE(device->subgroup_size);
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
        BOOL(true);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        UINT(device->subgroups ? caps->max_workgroup_invocations / device->subgroup_size : 0);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
        BOOL(device->progress);
    case CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR:
        UINT(device->progress && device->il ? caps->shared_memory / CLC_NAMED_BARRIER_SIZE : 0);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        BITS(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        BITS(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
        BITS(device->target.device_enqueue ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE : 0);
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
        UINT(device->target.device_enqueue ? OCL_DEVICE_QUEUE_PREFERRED_SIZE : 0);
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
        UINT(device->target.device_enqueue ? OCL_DEVICE_QUEUE_MAX_SIZE : 0);
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
        UINT(device->target.device_enqueue ? OCL_MAX_DEVICE_QUEUES : 0);
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
        UINT(device->target.device_enqueue ? OCL_MAX_DEVICE_EVENTS : 0);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
        BITS(device->target.device_enqueue ? CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT : 0);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        SIZE(caps->timestamp_period > 1 ? caps->timestamp_period : 1);
    case CL_DEVICE_ENDIAN_LITTLE:
        BOOL(true);
    case CL_DEVICE_AVAILABLE:
        BOOL(!vkb_device_lost(device->vk) && !device->caps->compile_only);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        BOOL(true);
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
        BOOL(ocl_has_feature(device, "__opencl_c_work_group_collective_functions"));
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
        BOOL(ocl_has_feature(device, "__opencl_c_generic_address_space"));
    case CL_DEVICE_PIPE_SUPPORT:
        BOOL(device->target.pipes);
    case CL_DEVICE_MAX_PIPE_ARGS:
        UINT(device->target.pipes ? OCL_MAX_PIPE_ARGS : 0);
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
        UINT(device->target.pipes ? OCL_PIPE_MAX_RESERVATIONS : 0);
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
        UINT(device->target.pipes ? OCL_PIPE_MAX_PACKET_SIZE : 0);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        SIZE(OCL_PRINTF_BUFFER_SIZE);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        BOOL(true);
    case CL_DEVICE_PARENT_DEVICE:
        return OCL_OUT(out, cl_device_id, NULL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        UINT(0);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return OCL_OUT(out, cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return OCL_OUT(out, cl_device_affinity_domain, 0);
    case CL_DEVICE_REFERENCE_COUNT:
        UINT(1);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int memory_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    const struct vkb_caps *caps = device->caps;
    switch (name) {
    case CL_DEVICE_ADDRESS_BITS:
        UINT(64);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        ULONG(device->global_size);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        ULONG(device->max_allocation);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        SIZE(OCL_MAX_PARAMETER_SIZE);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        UINT(ocl_device_base_align(device) * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        UINT(OCL_BASE_ALIGN);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        return OCL_OUT(out, cl_device_mem_cache_type, caps->cache_bytes ? CL_READ_WRITE_CACHE : CL_NONE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        UINT(caps->cache_line);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        ULONG(caps->cache_bytes);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        ULONG(u64_min(device->max_allocation, 64u << 20));
    case CL_DEVICE_MAX_CONSTANT_ARGS:
        UINT(16);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return OCL_OUT(out, cl_device_local_mem_type, caps->type == VKB_DEVICE_CPU ? CL_GLOBAL : CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        ULONG(caps->shared_memory);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
        BOOL(false);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        BOOL(caps->unified_memory);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
        SIZE(u64_min(device->max_allocation, OCL_MAX_GLOBAL_VARIABLES));
    case OCL_DEVICE_GLOBAL_FREE_MEMORY:
        return out_free_memory(device, out);
    case CL_DEVICE_SVM_CAPABILITIES:
    case CL_DEVICE_SVM_CAPABILITIES_ARM:
        BITS(ocl_device_svm(device));
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
        BITS(CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL);
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        BITS(usm_capabilities(device, CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        BITS(0); /* whether other devices see the same pages is known when they are allocated */
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
        BITS(usm_capabilities(device, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM));
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
        UINT(0); /* the type's own alignment */
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
        BITS(atomic_capabilities(device, false));
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
        BITS(atomic_capabilities(device, true));
    default:
        return CL_INVALID_VALUE;
    }
}

/* Kernels are compiled for one work-item, and the driver makes SIMD code of them. So scalar code is preferred. */
static cl_int number_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    switch ((uint32_t)name) {
    case CL_DEVICE_SINGLE_FP_CONFIG:
        BITS(single_config(device));
    case CL_DEVICE_HALF_FP_CONFIG:
        BITS(half_config(device));
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        BITS(double_config(device));
    case OCL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES:
        BITS(float_atomics(true));
    case OCL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES:
        BITS(float_atomics(ocl_has_feature(device, "__opencl_c_ext_fp64_global_atomic_add")));
    case OCL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES:
        BITS(float_atomics(device->fp16));
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
        BITS(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
        return out_dot_acceleration(out, device->caps->dot_accelerated[0]);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
        return out_dot_acceleration(out, device->caps->dot_accelerated[1]);
    case OCL_DEVICE_KERNEL_CLOCK_CAPABILITIES:
        BITS(clock_capabilities(device));
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
        UINT(1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
        UINT(device->fp64 ? 1 : 0);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        UINT(device->fp16 ? 1 : 0);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Without image support the limits are 0 (their minima apply only where CL_DEVICE_IMAGE_SUPPORT is true). */
static cl_int image_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    struct ocl_image_limits limits;
    ocl_image_limits(device, &limits);
    switch (name) {
    case CL_DEVICE_IMAGE_SUPPORT:
        BOOL(device->images);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
        UINT(limits.read_args);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
        UINT(limits.write_args);
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
        UINT(limits.read_write_args);
    case CL_DEVICE_MAX_SAMPLERS:
        UINT(device->images ? 16 : 0); /* numbers to the kernel: the least that the full profile asks for */
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
        UINT(device->images ? 16 : 0); /* texels: rows where devices put them, too. Others work, by way of a copy. */
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        UINT(device->images ? 1 : 0); /* texels: any buffer will do */
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL:
    case CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL:
        SIZE(limits.size_2d);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
        SIZE(limits.size_3d);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
        SIZE(limits.buffer);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        SIZE(limits.layers);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    cl_int result = identity_info(device, name, out);
    if (result != CL_SUCCESS)
        result = execution_info(device, name, out);
    if (result != CL_SUCCESS)
        result = memory_info(device, name, out);
    if (result != CL_SUCCESS)
        result = number_info(device, name, out);
    if (result != CL_SUCCESS)
        result = image_info(device, name, out);
    if (result != CL_SUCCESS)
        result = ocl_device_vendor_info(device, name, out);
    if (result != CL_SUCCESS)
        result = ocl_command_buffer_device_info(device, name, out);
    if (result != CL_SUCCESS)
        result = ocl_external_device_info(device, name, out);
    if (result != CL_SUCCESS)
        result = ocl_cooperative_matrix_device_info(device, name, out);
    if (result != CL_SUCCESS)
        result = ocl_unified_svm_device_info(device, name, out);
    return result;
}
