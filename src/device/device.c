/* The platform and its devices: every qualifying Vulkan device. They are looked for when a call first asks for
 * devices. Asking for the platform's name does not touch Vulkan, since ICD loaders do that in every process that links
 * OpenCL. */
#include "src/device/cache_directory.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/device/overrides.h"
#include "src/probe/probe.h"

#include "base/log.h"
#include "base/util.h"

#include <stdlib.h>
#include <unistd.h>

struct _cl_platform_id ocl_platform = {
    .object = {.kind = OCL_PLATFORM, .refs = 1}, /* ocl_set_dispatch() */
    .once = PTHREAD_ONCE_INIT,
};

static cl_device_type device_type(const struct vkb_caps *caps)
{
    switch (caps->type) {
    case VKB_DEVICE_CPU:
        return CL_DEVICE_TYPE_CPU;
    case VKB_DEVICE_INTEGRATED:
    case VKB_DEVICE_DISCRETE:
    case VKB_DEVICE_VIRTUAL:
        return CL_DEVICE_TYPE_GPU;
    case VKB_DEVICE_OTHER:
        break;
    }
    return CL_DEVICE_TYPE_ACCELERATOR;
}

/* OpenCL 3.0 API, table 5: one allocation can be at least a quarter of global memory up to 1 GiB, and never more than
 * all of it. On a 32-bit host it is no more than that, as there is not much room for maps and copies. */
static void device_sizes(cl_device_id device)
{
    const struct vkb_caps *caps = device->caps;
    device->global_size = caps->device_memory;
    device->max_allocation = u64_min(caps->max_allocation, caps->device_memory);
    if (!device->max_allocation)
        device->max_allocation = caps->device_memory / 4;
    device->max_allocation = u64_min(device->max_allocation, SIZE_MAX / 4 + 1);
}

/* OpenCL C 3.0, 6.15.20: sub-groups need votes, broadcasts, reductions and scans of all the scalar types, and one
 * size. */
static bool has_subgroups(const struct vkb_caps *caps)
{
    enum { BASIC = 1, VOTE = 2, ARITHMETIC = 4, BALLOT = 8, SHUFFLE = 16 };
    uint32_t needed = BASIC | VOTE | ARITHMETIC | BALLOT;
    if ((caps->api_version >> 12 & 0x3ff) < 2)
        needed |= SHUFFLE; /* broadcasts are shuffles before SPIR-V 1.5 */
    return caps->subgroup_size > 1 && (caps->subgroup_operations & needed) == needed && caps->subgroup_extended_types &&
           (caps->min_subgroup_size == caps->max_subgroup_size || caps->subgroup_size_control);
}

/* Kernels write images whose format they do not know, or the backend tells them. */
static bool has_images(const struct vkb_caps *caps)
{
    return vkb_caps_image_writes(caps) && caps->max_sampled_images >= 2 && caps->max_storage_images >= 2 &&
           caps->texel_buffer_alignment > 0;
}

cl_uint ocl_device_base_align(cl_device_id device)
{
    cl_uint texels = device->images ? device->caps->texel_buffer_alignment : 0;
    return texels > OCL_BASE_ALIGN ? texels : OCL_BASE_ALIGN;
}

static void init(cl_device_id device, struct vkb_device *vk)
{
    ocl_object_init(&device->object, OCL_DEVICE);
    device->vk = vk;
    device->caps = vkb_device_caps(vk);
    device->type = ocl_override_type(device_type(device->caps));
    device->il = true;
    device->fp64 = device->caps->float64;
    device->fp16 = device->caps->float16 && device->caps->storage16;
    device->subgroups = has_subgroups(device->caps);
    device->images = has_images(device->caps);
    device_sizes(device);
    const char *directory = ocl_cache_directory();
    if (device->subgroups && !probe_progress_known(vk, directory, &device->progress))
        device->progress = device->caps->subgroups_progress;
    device->progress |= device->subgroups && ocl_plays_progress();
    bool knows_sharing = probe_sharing_known(vk, directory, &device->sharing);
    atomic_init(&device->knows_sharing, knows_sharing);
    atomic_init(&device->looked, knows_sharing);
    device->extensions = ocl_extensions_string(device);
    device->macros = ocl_extension_macros(device);
    device->features = ocl_features_string(device);
    target_from_caps(&device->target, device->caps, device->macros ? device->macros : "",
                     device->features ? device->features : "");
    uint32_t wanted = device->subgroups ? ocl_override_subgroup_size() : 0;
    device->own_sizes = setting_number(SETTING_OWN_SIZES);
    device->pack_items = setting_number(SETTING_PACK);
    device->pack_least = setting_number(SETTING_PACK_LEAST);
    device->target.default_subgroup_size = clc_subgroup_lanes(&device->target, wanted) ? wanted : 0;
    device->subgroup_size =
        device->target.default_subgroup_size ? wanted : (uint32_t)u64_max(device->caps->subgroup_size, 1);
    device->target.short_offsets = device->max_allocation < (uint64_t)1 << 31;
    device->target.images = device->target.srgb_writes = device->images;
    device->version = device->target.opencl_version;
    device->target.pipes = ocl_has_feature(device, "__opencl_c_pipes");
    pthread_mutex_init(&device->probe_mutex, NULL);
    pthread_mutex_init(&device->shapes_mutex, NULL);
    pthread_mutex_init(&device->ahead_mutex, NULL);
    atomic_init(&device->probed, false);
}

/* Decides the order in which devices are listed, and so which one is the default. */
static int device_rank(const struct _cl_device_id *device)
{
    switch (device->caps->type) {
    case VKB_DEVICE_DISCRETE:
        return 0;
    case VKB_DEVICE_INTEGRATED:
        return 1;
    case VKB_DEVICE_VIRTUAL:
        return 2;
    case VKB_DEVICE_OTHER:
        return 3;
    case VKB_DEVICE_CPU:
        break;
    }
    return 4;
}

static void insert_device(cl_device_id device)
{
    cl_uint at = ocl_platform.num_devices++;
    while (at > 0 && device_rank(ocl_platform.devices[at - 1]) > device_rank(device)) {
        ocl_platform.devices[at] = ocl_platform.devices[at - 1];
        at--;
    }
    ocl_platform.devices[at] = device;
}

static void find_devices(void)
{
    struct vkb_instance *instance = vkb_instance_get();
    uint32_t count = vkb_instance_num_devices(instance);
    if (!count)
        return;
    ocl_platform.devices = calloc(count, sizeof(cl_device_id));
    if (!ocl_platform.devices)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct vkb_device *vk = vkb_instance_device(instance, i);
        const struct vkb_caps *caps = vkb_device_caps(vk);
        if (!caps->qualifies) {
            log_info("%s is not offered: %s", caps->name, caps->why_not);
            continue;
        }
        if (caps->warning[0])
            log_warn("%s: %s", caps->name, caps->warning);
        cl_device_id device = calloc(1, sizeof(*device));
        if (!device)
            return;
        init(device, vk);
        if (device->extensions && device->macros && device->features) {
            insert_device(device);
            continue;
        }
        free(device->extensions);
        free(device->macros);
        free(device->features);
        free(device);
    }
}

void ocl_platform_set_dispatch_data(void *data)
{
    atomic_store(&ocl_platform.dispatch_data, data);
    ocl_platform.object.dispatch_data = data;
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++)
        ocl_platform.devices[i]->object.dispatch_data = data;
}

void ocl_platform_find_devices(void)
{
    pthread_once(&ocl_platform.once, find_devices);
}

cl_int ocl_device_open(cl_device_id device)
{
    enum vkb_result result = vkb_device_open(device->vk);
    if (result == VKB_SUCCESS) {
        const char *directory = ocl_cache_directory();
        if (directory)
            vkb_cache_set_directory(device->vk, directory);
        return CL_SUCCESS;
    }
    return result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_DEVICE_NOT_AVAILABLE;
}
