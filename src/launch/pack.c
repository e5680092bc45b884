/* Small work-groups share one of the device's.
 *
 * A group of 8 work-items leaves three quarters of a warp of 32 idle, and a multiprocessor takes 32 groups at a time
 * however small they are. A driver that runs on the processor has to begin each group, which costs it as much as some
 * work-items do. So work-groups that know of no other, and of their own by sub-groups at most (clc_lowered.can_pack),
 * are put side by side into groups of the device that have PUMICE_PACK work-items or a little less.
 *
 * How many share one depends on the work-group's size alone, so that a kernel has few pipelines: for each size one
 * without, one for ranges of which that number divides the groups, and one that lets groups beyond the range return.
 * They share one in the first dimension that has enough of them. A launch with few groups is left as it is: the device
 * had rather all of its processors busy. */
#include "src/device/device.h"
#include "src/launch/pack.h"
#include "src/object/program.h"

#include "base/util.h"

#include <string.h>

enum { UNKNOWN_UNITS = 16 };

static uint64_t groups_of(const struct ocl_range *range, int dim)
{
    return (range->global[dim] + range->local[dim] - 1) / range->local[dim];
}

/* Ids of work-items beyond the range have 32 bits, too. */
static bool is_packable(const struct ocl_range *range, const struct ocl_code *code)
{
    if (!code->lowered->can_pack || range->tiled || (!code->lowered->can_bound && !ocl_range_is_even(range)))
        return false;
    for (int i = 0; i < 3; i++) {
        if (range->global[i] > (uint64_t)1 << 31)
            return false;
    }
    return true;
}

/* Whether the device has enough groups left where so many share one in this dimension, and wastes little. */
static bool is_worthwhile(const struct ocl_range *range, cl_device_id device, int dim, uint32_t count)
{
    const struct vkb_caps *caps = device->caps;
    uint64_t groups = groups_of(range, dim), shared = (groups + count - 1) / count, total = shared;
    for (int i = 0; i < 3; i++)
        total = i == dim ? total : size_product(total, groups_of(range, i));
    return total >= (uint64_t)device->pack_least * (caps->compute_units ? caps->compute_units : UNKNOWN_UNITS) &&
           shared * count - groups <= groups / 4;
}

void ocl_pack_choose(const struct ocl_range *range, const struct ocl_code *code, cl_device_id device, uint32_t packs[3])
{
    packs[0] = packs[1] = packs[2] = 1;
    uint32_t count = ocl_code_packs(code, device, range->local);
    if (count < 2 || !is_packable(range, code))
        return;
    for (int i = 0; i < 3; i++) {
        if (!is_worthwhile(range, device, i, count))
            continue;
        packs[i] = count;
        const uint32_t more[3] = {packs[0] - 1, packs[1] - 1, packs[2] - 1};
        if (ocl_code_may_pack(code, device, range->local, more))
            return;
        packs[i] = 1;
    }
}

bool ocl_pack_is_uneven(const struct ocl_range *range, const uint32_t packs[3])
{
    for (int i = 0; i < 3; i++) {
        if (groups_of(range, i) % packs[i])
            return true;
    }
    return false;
}
