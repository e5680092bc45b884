/* Which extensions and OpenCL C 3.0 features are offered, and on what condition. This one list is the source of
 * CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_OPENCL_C_FEATURES and the compiler's macros.
 *
 * An entry is here only when the compiler and the runtime both support it. OpenCL 3.0 API, 4.2.1 (device queries);
 * OpenCL C 3.0, 6.2.1 (features). */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/device/overrides.h"
#include "src/probe/probe.h"

#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool always(const struct _cl_device_id *device)
{
    (void)device;
    return true;
}

/* The host's pointers hold any address of a device's. */
static bool has_wide_pointers(const struct _cl_device_id *device)
{
    (void)device;
    return sizeof(void *) >= sizeof(uint64_t);
}

static bool has_fp64(const struct _cl_device_id *device)
{
    return device->fp64;
}

static bool has_fp16(const struct _cl_device_id *device)
{
    return device->fp16;
}

static bool has_int64_atomics(const struct _cl_device_id *device)
{
    return device->caps->buffer_int64_atomics && device->caps->shared_int64_atomics;
}

static bool has_pci(const struct _cl_device_id *device)
{
    return device->caps->pci_valid;
}

static bool has_il(const struct _cl_device_id *device)
{
    return device->il;
}

/* VkSubgroupFeatureFlagBits, the values of Vulkan 1.1 */
enum { SHUFFLE = 0x10, SHUFFLE_RELATIVE = 0x20, CLUSTERED = 0x40 };

static bool has_subgroups(const struct _cl_device_id *device)
{
    return device->subgroups;
}

/* Seen, and not told by Vulkan: target.c. */
static bool has_progress(const struct _cl_device_id *device)
{
    return device->subgroups && device->progress;
}

/* Sub-groups wait for others in loops, which takes their progress. Only the IL has named barriers. */
static bool has_named_barriers(const struct _cl_device_id *device)
{
    return has_progress(device) && device->il;
}

static bool has_subgroup_shuffle(const struct _cl_device_id *device)
{
    return device->subgroups && (device->caps->subgroup_operations & SHUFFLE);
}

/* Sub-groups of 8 and of 16: the device's own, or made of these (compiler/lower/subgroups/). */
static bool has_small_subgroups(const struct _cl_device_id *device)
{
    struct clc_target target;
    target_from_caps(&target, device->caps, "", "");
    return has_subgroup_shuffle(device) && clc_subgroup_lanes(&target, 8) && clc_subgroup_lanes(&target, 16);
}

bool ocl_device_has_matrices(const struct _cl_device_id *device)
{
    return has_il(device) && has_subgroup_shuffle(device);
}

static bool has_subgroup_shuffle_relative(const struct _cl_device_id *device)
{
    return device->subgroups && (device->caps->subgroup_operations & SHUFFLE_RELATIVE);
}

static bool has_subgroup_clustered(const struct _cl_device_id *device)
{
    return device->subgroups && (device->caps->subgroup_operations & CLUSTERED);
}

/* Acquire and release of global memory need the Vulkan memory model; GLSL450's only gives coherence. */
static bool has_memory_order(const struct _cl_device_id *device)
{
    return device->caps->memory_model && device->caps->device_scope;
}

/* Pipes are rings that many work-items read and write at once; for work-groups it takes collective functions. */
static bool has_pipes(const struct _cl_device_id *device)
{
    return has_memory_order(device) && device->subgroups;
}

static bool has_clock(const struct _cl_device_id *device)
{
    return device->caps->shader_clock;
}

static bool has_device_clock(const struct _cl_device_id *device)
{
    return device->caps->device_clock;
}

/* 64-bit floats are exchanged and compared as integers. */
static bool has_double_atomics(const struct _cl_device_id *device)
{
    return device->fp64 && has_int64_atomics(device);
}

static bool has_memory_handles(const struct _cl_device_id *device)
{
    return ocl_device_memory_handles(device);
}

static bool has_memory_opaque(const struct _cl_device_id *device)
{
    return device->caps->memory_imports & VKB_HANDLE_OPAQUE_FD;
}

static bool has_memory_dma_buf(const struct _cl_device_id *device)
{
    return ocl_device_memory_handles(device) & VKB_HANDLE_DMA_BUF;
}

static bool has_memory_win32(const struct _cl_device_id *device)
{
    return device->caps->memory_imports & (VKB_HANDLE_WIN32 | VKB_HANDLE_WIN32_KMT);
}

static bool has_semaphore_handles(const struct _cl_device_id *device)
{
    return device->caps->semaphore_imports | device->caps->semaphore_exports;
}

static bool has_semaphore_opaque(const struct _cl_device_id *device)
{
    return (device->caps->semaphore_imports | device->caps->semaphore_exports) & VKB_HANDLE_OPAQUE_FD;
}

static bool has_semaphore_sync(const struct _cl_device_id *device)
{
    return (device->caps->semaphore_imports | device->caps->semaphore_exports) & VKB_HANDLE_SYNC_FD;
}

static bool has_semaphore_win32(const struct _cl_device_id *device)
{
    return (device->caps->semaphore_imports | device->caps->semaphore_exports) &
           (VKB_HANDLE_WIN32 | VKB_HANDLE_WIN32_KMT);
}

static bool has_host_imports(const struct _cl_device_id *device)
{
    return device->caps->import_host;
}

/* Any SVM: ocl_device_svm(). ocl_device_look() has tried, before the lists are read. */
static bool has_svm(const struct _cl_device_id *device)
{
    return device->sharing.shares || device->sharing.shadows;
}

/* No command says when the memory changes hands, so that nobody could copy it. */
static bool has_arm_dma_bufs(const struct _cl_device_id *device)
{
    return device->caps->memory_imports & VKB_HANDLE_DMA_BUF;
}

static bool has_arm_imports(const struct _cl_device_id *device)
{
    return has_host_imports(device) || has_arm_dma_bufs(device);
}

static bool has_images(const struct _cl_device_id *device)
{
    return device->images;
}

static bool has_dma_buf_images(const struct _cl_device_id *device)
{
    return device->images && has_memory_dma_buf(device);
}

static bool has_gl_sharing(const struct _cl_device_id *device)
{
    return ocl_device_shares_gl(device);
}

static bool has_image_reads_and_writes(const struct _cl_device_id *device)
{
    return device->images && vkb_caps_image_reads(device->caps);
}

/* Local memory is Vulkan's to initialise. */
static bool has_zeroing(const struct _cl_device_id *device)
{
    return device->caps->zero_initialize_workgroup;
}

/* Kernels append records by atomics of device scope, and read pointers of 64 bits. */
static bool has_device_enqueue(const struct _cl_device_id *device)
{
    return has_memory_order(device) && device->caps->int64;
}

struct offer {
    const char *name;
    cl_version version;
    bool (*offered)(const struct _cl_device_id *device);
};

#define V(major, minor, patch) CL_MAKE_VERSION(major, minor, patch)

static const struct offer extensions[] = {
    {"cl_khr_byte_addressable_store", V(1, 0, 0), always},
    {"cl_khr_global_int32_base_atomics", V(1, 0, 0), always},
    {"cl_khr_global_int32_extended_atomics", V(1, 0, 0), always},
    {"cl_khr_local_int32_base_atomics", V(1, 0, 0), always},
    {"cl_khr_local_int32_extended_atomics", V(1, 0, 0), always},
    {"cl_khr_int64_base_atomics", V(1, 0, 0), has_int64_atomics},
    {"cl_khr_int64_extended_atomics", V(1, 0, 0), has_int64_atomics},
    {"cl_khr_fp16", V(1, 0, 0), has_fp16},
    {"cl_khr_fp64", V(1, 0, 0), has_fp64},
    {"cl_khr_icd", V(2, 0, 1), always},
    {"cl_khr_icd_unloadable", V(1, 0, 0), always},
    {"cl_khr_extended_versioning", V(1, 0, 0), always},
    {"cl_khr_command_buffer", V(0, 9, 8), always},
    {"cl_khr_command_buffer_multi_device", V(0, 9, 2), always},
    {"cl_khr_command_buffer_mutable_dispatch", V(0, 9, 5), always},
    {"cl_khr_create_command_queue", V(1, 0, 0), always},
    {"cl_khr_initialize_memory", V(1, 0, 0), has_zeroing},
    {"cl_khr_terminate_context", V(1, 0, 0), always},
    {"cl_khr_priority_hints", V(1, 0, 0), always},
    {"cl_khr_throttle_hints", V(1, 0, 0), always},
    {"cl_khr_suggested_local_work_size", V(1, 0, 0), always},
    {"cl_khr_device_uuid", V(1, 0, 0), always},
    {"cl_khr_pci_bus_info", V(1, 0, 0), has_pci},
    {"cl_khr_semaphore", V(1, 0, 1), always},
    {"cl_khr_external_semaphore", V(1, 0, 1), has_semaphore_handles},
    {"cl_khr_external_semaphore_opaque_fd", V(1, 0, 0), has_semaphore_opaque},
    {"cl_khr_external_semaphore_sync_fd", V(1, 0, 0), has_semaphore_sync},
    {"cl_khr_external_semaphore_win32", V(0, 9, 1), has_semaphore_win32},
    {"cl_khr_external_memory", V(1, 0, 1), has_memory_handles},
    {"cl_khr_external_memory_opaque_fd", V(1, 0, 0), has_memory_opaque},
    {"cl_khr_external_memory_dma_buf", V(1, 0, 0), has_memory_dma_buf},
    {"cl_khr_external_memory_win32", V(1, 1, 0), has_memory_win32},
    {"cl_khr_il_program", V(1, 0, 0), has_il},
    {"cl_khr_extended_bit_ops", V(1, 0, 0), always},
    {"cl_khr_integer_dot_product", V(2, 0, 0), always},
    {"cl_khr_extended_async_copies", V(1, 0, 0), always},
    {"cl_khr_expect_assume", V(1, 0, 0), always},
    {"cl_khr_spirv_queries", V(1, 0, 0), has_il},
    {"cl_khr_spirv_no_integer_wrap_decoration", V(1, 0, 0), has_il},
    {"cl_khr_spirv_linkonce_odr", V(1, 0, 0), has_il},
    {"cl_khr_kernel_clock", V(1, 0, 0), has_clock},
    {"cl_khr_device_enqueue_local_arg_types", V(1, 0, 0), has_device_enqueue},
    {"cl_khr_3d_image_writes", V(1, 0, 0), has_images},
    {"cl_khr_depth_images", V(1, 0, 0), has_images},
    {"cl_khr_gl_sharing", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_gl_event", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_gl_depth_images", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_gl_msaa_sharing", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_egl_image", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_egl_event", V(1, 0, 0), has_gl_sharing},
    {"cl_khr_mipmap_image", V(1, 0, 0), has_images},
    {"cl_khr_mipmap_image_writes", V(1, 0, 0), has_images},
    {"cl_khr_image2d_from_buffer", V(1, 0, 0), has_images},
    {"cl_ext_image_requirements_info", V(1, 0, 0), has_images},
    {"cl_ext_image_from_buffer", V(1, 0, 0), has_images},
    {"cl_ext_immutable_memory_objects", V(1, 0, 0), always},
    {"cl_intel_va_api_media_sharing", V(1, 0, 0), ocl_device_shares_va},
    {"cl_intel_packed_yuv", V(1, 0, 1), has_images},
    {"cl_intel_planar_yuv", V(1, 0, 1), has_images},
    {"cl_ext_image_raw10_raw12", V(1, 0, 0), has_images},
    {"cl_ext_image_unorm_int_2_101010", V(1, 0, 0), has_images},
    {"cl_ext_image_unsigned_10x6_12x4_14x2", V(1, 0, 0), has_images},
    {"cl_khr_srgb_image_writes", V(1, 0, 0), has_images},
    {"cl_khr_subgroups", V(1, 0, 0), has_progress},
    {"cl_khr_subgroup_extended_types", V(1, 0, 0), has_subgroups},
    {"cl_khr_subgroup_non_uniform_vote", V(1, 0, 0), has_subgroups},
    {"cl_khr_subgroup_ballot", V(1, 0, 0), has_subgroups},
    {"cl_khr_subgroup_non_uniform_arithmetic", V(1, 0, 0), has_subgroups},
    {"cl_khr_subgroup_shuffle", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_khr_subgroup_shuffle_relative", V(1, 0, 0), has_subgroup_shuffle_relative},
    {"cl_khr_subgroup_clustered_reduce", V(1, 0, 0), has_subgroup_clustered},
    {"cl_khr_subgroup_rotate", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_khr_subgroup_named_barrier", V(1, 0, 0), has_named_barriers},
    {"cl_khr_cooperative_matrix", V(1, 0, 0), ocl_device_has_matrices},
    {"cl_ext_float_atomics", V(1, 0, 0), always},
    {"cl_arm_printf", V(1, 0, 0), always},
    {"cl_ext_buffer_device_address", V(1, 0, 2), always},
    {"cl_intel_unified_shared_memory", V(1, 1, 0), has_wide_pointers},
    {"cl_khr_unified_svm", V(0, 9, 0), has_wide_pointers},
    {"cl_intel_subgroups", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_required_subgroup_size", V(1, 0, 0), has_subgroups},
    {"cl_intel_subgroups_char", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_subgroups_short", V(1, 1, 0), has_subgroup_shuffle},
    {"cl_intel_subgroups_long", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_spirv_subgroups", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_subgroup_local_block_io", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_subgroup_buffer_prefetch", V(1, 0, 0), has_subgroup_shuffle},
    {"cl_intel_subgroup_matrix_multiply_accumulate", V(1, 1, 0), has_small_subgroups},
    {"cl_intel_subgroup_matrix_multiply_accumulate_tf32", V(1, 0, 0), has_small_subgroups},
    {"cl_intel_split_work_group_barrier", V(1, 0, 0), always},
    {"cl_intel_bfloat16_conversions", V(1, 0, 0), always},
    {"cl_arm_integer_dot_product_int8", V(1, 0, 0), always},
    {"cl_arm_integer_dot_product_accumulate_int8", V(1, 0, 0), always},
    {"cl_arm_integer_dot_product_accumulate_int16", V(1, 0, 0), always},
    {"cl_arm_integer_dot_product_accumulate_saturate_int8", V(1, 0, 0), always},
    {"cl_amd_media_ops", V(1, 0, 0), always},
    {"cl_amd_media_ops2", V(1, 0, 0), always},
    {"cl_pumice_small_floats", V(0, 1, 0), always},
    {"cl_pumice_dma_buf_layout", V(0, 1, 0), has_dma_buf_images},
    {"cl_intel_create_buffer_with_properties", V(1, 0, 0), always},
    {"cl_intel_mem_force_host_memory", V(1, 0, 0), always},
    {"cl_ext_migrate_memobject", V(1, 0, 0), always},
    {"cl_arm_shared_virtual_memory", V(1, 0, 0), has_svm},
    {"cl_arm_non_uniform_work_group_size", V(1, 0, 0), always},
    {"cl_arm_import_memory", V(1, 11, 0), has_arm_imports},
    {"cl_arm_import_memory_host", V(1, 0, 0), has_host_imports},
    {"cl_arm_import_memory_dma_buf", V(1, 0, 0), has_arm_dma_bufs},
};

/* Extensions that only the compiler's macro tells of: the conformance suite (compiler_defines_for_extensions) refuses a
 * device that lists a Khronos extension which the suite does not know. */
static const struct offer unlisted[] = {
    {"cl_khr_spirv_extended_debug_info", V(1, 0, 0), has_il},
    {"cl_khr_work_group_uniform_arithmetic", V(1, 0, 0), has_subgroups},
    {"cl_khr_async_work_group_copy_fence", V(1, 0, 0), always},
};

/* The optional features of OpenCL C 3.0, 6.2.1 (table of feature macros), and those of extensions. seq_cst: the
 * compiler makes the total order out of acquire and release (compiler/lower/memory/order.c). all_devices: no memory is
 * shared between devices while kernels run, so this is the same as device scope. */
static const struct offer features[] = {
    {"__opencl_c_int64", V(3, 0, 0), always},
    {"__opencl_c_fp64", V(3, 0, 0), has_fp64},
    {"__opencl_c_generic_address_space", V(3, 0, 0), always},
    {"__opencl_c_program_scope_global_variables", V(3, 0, 0), always},
    {"__opencl_c_atomic_order_acq_rel", V(3, 0, 0), has_memory_order},
    {"__opencl_c_atomic_order_seq_cst", V(3, 0, 0), has_memory_order},
    {"__opencl_c_atomic_scope_device", V(3, 0, 0), always},
    {"__opencl_c_atomic_scope_all_devices", V(3, 0, 0), has_memory_order},
    {"__opencl_c_images", V(3, 0, 0), has_images},
    {"__opencl_c_3d_image_writes", V(3, 0, 0), has_images},
    {"__opencl_c_ext_image_raw10_raw12", V(3, 0, 0), has_images},
    {"__opencl_c_ext_image_unorm_int_2_101010", V(3, 0, 0), has_images},
    {"__opencl_c_ext_image_unsigned_10x6_12x4_14x2", V(3, 0, 0), has_images},
    {"__opencl_c_read_write_images", V(3, 0, 0), has_image_reads_and_writes},
    {"__opencl_c_device_enqueue", V(3, 0, 0), has_device_enqueue},
    {"__opencl_c_pipes", V(3, 0, 0), has_pipes},
    {"__opencl_c_subgroups", V(3, 0, 0), has_subgroups},
    {"__opencl_c_work_group_collective_functions", V(3, 0, 0), has_subgroups},
    {"__opencl_c_integer_dot_product_input_4x8bit", V(3, 0, 0), always},
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", V(3, 0, 0), always},
    {"__opencl_c_kernel_clock_scope_device", V(3, 0, 0), has_device_clock},
    {"__opencl_c_kernel_clock_scope_work_group", V(3, 0, 0), has_device_clock},
    {"__opencl_c_kernel_clock_scope_sub_group", V(3, 0, 0), has_clock},
    {"__opencl_c_ext_fp16_global_atomic_load_store", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp16_local_atomic_load_store", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp16_global_atomic_add", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp16_local_atomic_add", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp16_global_atomic_min_max", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp16_local_atomic_min_max", V(3, 0, 0), has_fp16},
    {"__opencl_c_ext_fp32_global_atomic_load_store", V(3, 0, 0), always},
    {"__opencl_c_ext_fp32_local_atomic_load_store", V(3, 0, 0), always},
    {"__opencl_c_ext_fp32_global_atomic_add", V(3, 0, 0), always},
    {"__opencl_c_ext_fp32_local_atomic_add", V(3, 0, 0), always},
    {"__opencl_c_ext_fp32_global_atomic_min_max", V(3, 0, 0), always},
    {"__opencl_c_ext_fp32_local_atomic_min_max", V(3, 0, 0), always},
    {"__opencl_c_ext_fp64_global_atomic_load_store", V(3, 0, 0), has_double_atomics},
    {"__opencl_c_ext_fp64_local_atomic_load_store", V(3, 0, 0), has_double_atomics},
    {"__opencl_c_ext_fp64_global_atomic_add", V(3, 0, 0), has_double_atomics},
    {"__opencl_c_ext_fp64_local_atomic_add", V(3, 0, 0), has_double_atomics},
    {"__opencl_c_ext_fp64_global_atomic_min_max", V(3, 0, 0), has_double_atomics},
    {"__opencl_c_ext_fp64_local_atomic_min_max", V(3, 0, 0), has_double_atomics},
};

typedef bool (*test)(const struct offer *offer, const struct _cl_device_id *device);

static bool offers(const struct offer *offer, const struct _cl_device_id *device)
{
    return offer->offered(device) && !ocl_extension_is_hidden(offer->name);
}

/* Whether the table of extensions lists it anyway. */
static bool is_listed(const char *name, test is_in, const struct _cl_device_id *device)
{
    for (size_t i = 0; i < ARRAY_LENGTH(extensions); i++) {
        if (!strcmp(extensions[i].name, name))
            return is_in(&extensions[i], device);
    }
    return false;
}

/* A +name of PUMICE_EXTENSIONS that is not listed anyway: a query's answer has it. */
static bool next_added(size_t *position, test is_in, const struct _cl_device_id *device,
                       char name[CL_NAME_VERSION_MAX_NAME_SIZE])
{
    while (ocl_extension_added(position, name, CL_NAME_VERSION_MAX_NAME_SIZE)) {
        if (!is_listed(name, is_in, device))
            return true;
    }
    return false;
}

static char *join(const struct offer *list, size_t count, test is_in, const struct _cl_device_id *device)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(list[i].name) + 1;
    char *text = calloc(1, size);
    if (!text)
        return NULL;
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        if (!is_in(&list[i], device))
            continue;
        if (end != text)
            *end++ = ' ';
        end = stpcpy(end, list[i].name);
    }
    return text;
}

/* The list with what PUMICE_EXTENSIONS adds. */
static char *list_extensions(test is_in, const struct _cl_device_id *device)
{
    char name[CL_NAME_VERSION_MAX_NAME_SIZE], *text = join(extensions, ARRAY_LENGTH(extensions), is_in, device);
    size_t position = 0;
    while (text && next_added(&position, is_in, device, name)) {
        char *longer = NULL;
        if (asprintf(&longer, "%s%s%s", text, *text ? " " : "", name) < 0)
            longer = NULL;
        free(text);
        text = longer;
    }
    return text;
}

char *ocl_extensions_string(const struct _cl_device_id *device)
{
    ocl_extension_overrides_check();
    return list_extensions(offers, device);
}

char *ocl_extension_macros(const struct _cl_device_id *device)
{
    char *listed = join(extensions, ARRAY_LENGTH(extensions), offers, device),
         *others = join(unlisted, ARRAY_LENGTH(unlisted), offers, device), *all = NULL;
    if (listed && others && asprintf(&all, "%s %s", listed, others) < 0)
        all = NULL;
    free(listed);
    free(others);
    return all;
}

char *ocl_features_string(const struct _cl_device_id *device)
{
    return join(features, ARRAY_LENGTH(features), offers, device);
}

bool ocl_has_feature(const struct _cl_device_id *device, const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(features); i++) {
        if (strcmp(features[i].name, name) == 0)
            return features[i].offered(device);
    }
    return false;
}

static cl_int out_versions(const struct ocl_out *out, const struct offer *list, size_t count, test is_in,
                           const struct _cl_device_id *device)
{
    cl_name_version versions[ARRAY_LENGTH(extensions) + ARRAY_LENGTH(features) + 64];
    char name[CL_NAME_VERSION_MAX_NAME_SIZE];
    size_t position = 0;
    size_t length = 0;
    memset(versions, 0, sizeof(versions));
    for (size_t i = 0; i < count; i++) {
        if (!is_in(&list[i], device))
            continue;
        versions[length].version = list[i].version;
        strcpy(versions[length++].name, list[i].name);
    }
    while (list == extensions && length < ARRAY_LENGTH(versions) && next_added(&position, is_in, device, name)) {
        versions[length].version = CL_MAKE_VERSION(1, 0, 0);
        strcpy(versions[length++].name, name);
    }
    return ocl_out_bytes(out, versions, length * sizeof(versions[0]));
}

cl_int ocl_out_extensions(const struct ocl_out *out, cl_device_id device)
{
    return out_versions(out, extensions, ARRAY_LENGTH(extensions), offers, device);
}

cl_int ocl_out_features(const struct ocl_out *out, cl_device_id device)
{
    return out_versions(out, features, ARRAY_LENGTH(features), offers, device);
}

/* ---- the platform's: OpenCL 3.1 API, 4.1 ---- */

static bool any_device_would(const struct offer *offer, const struct _cl_device_id *device)
{
    (void)device;
    return offer->offered == always && !ocl_extension_is_hidden(offer->name);
}

static bool all_devices_do(const struct offer *offer, const struct _cl_device_id *device)
{
    (void)device;
    bool all = ocl_platform.num_devices > 0 || offer->offered == always;
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++)
        all = all && offer->offered(ocl_platform.devices[i]);
    return all && !ocl_extension_is_hidden(offer->name);
}

cl_int ocl_out_platform_extensions(const struct ocl_out *out, bool look, bool versions)
{
    test is_in = look ? all_devices_do : any_device_would;
    if (look)
        ocl_platform_find_devices();
    for (cl_uint i = 0; look && i < ocl_platform.num_devices; i++)
        ocl_device_look(ocl_platform.devices[i]);
    if (versions)
        return out_versions(out, extensions, ARRAY_LENGTH(extensions), is_in, NULL);
    char *text = list_extensions(is_in, NULL);
    if (!text)
        return ocl_fail(NULL, out->function, CL_OUT_OF_HOST_MEMORY, "no memory for the list of extensions");
    cl_int error = ocl_out_words(out, text);
    free(text);
    return error;
}
