/* Local memory of checked kernels: where the device notes who touched it last (compiler/builtins/lib/check_local.cl). */
#include "src/launch/checked_local.h"

#include "src/device/device.h"

#include "base/util.h"

enum { MOST_BYTES = 64 << 20 }; /* of one launch; groups that come later are not looked at */

/* Bytes of local memory, those of arguments included: as launch.c places them. */
static uint64_t local_size(cl_kernel kernel, const struct clc_lowered *lowered)
{
    const struct clc_kernel_info *info = kernel->info;
    uint64_t end = lowered->local_args_offset;
    for (uint32_t i = 0; i < info->num_args; i++) {
        if (info->args[i].kind == CLC_ARG_LOCAL && lowered->arg_offset[i] != UINT32_MAX)
            end = align_up(end, u64_max(info->args[i].align, 16)) + kernel->args[i].local_size;
    }
    return u64_max(end, lowered->local_size);
}

static uint64_t num_groups(const struct ocl_range *range)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < 3; i++)
        count *= (range->global[i] + range->local[i] - 1) / range->local[i];
    return count;
}

struct vkb_buffer *ocl_checked_local_create(cl_device_id device, cl_kernel kernel, const struct clc_lowered *lowered,
                                            const struct ocl_range *range, struct clc_check_head *head)
{
    if ((!lowered->check_granule && !lowered->check_local_bytes) || range->empty)
        return NULL;
    uint64_t items = (uint64_t)range->local[0] * range->local[1] * range->local[2], size = local_size(kernel, lowered);
    uint64_t granules = size, words = align_up(size, 16) / 4;
    if (lowered->check_granule) {
        granules = (size + lowered->check_granule - 1) / lowered->check_granule;
        words = granules * 4 + items;
    }
    uint64_t groups = words ? u64_min(num_groups(range), MOST_BYTES / (words * 4)) : 0;
    struct vkb_buffer *buffer = NULL;
    if (!groups || vkb_buffer_create(device->vk, groups * words * 4, VKB_MEMORY_DEVICE, &buffer) != VKB_SUCCESS)
        return NULL;
    head->local = vkb_buffer_address(buffer);
    head->local_words = (uint32_t)words;
    head->local_groups = (uint32_t)groups;
    head->local_granules = (uint32_t)granules;
    return buffer;
}
