/* What becomes of an NDRange: a work-group size where the application gives none, and grids that the device takes.
 *
 * One NDRange becomes up to eight grids when the work-group size does not divide it (full groups and the remainder in
 * each dimension; OpenCL 3.0 API, 5.10), and more when the device limits the number of groups. The grids differ in
 * their local size, which is a specialisation constant, and in the number of their first group, which the backend
 * writes into the argument block. So get_global_id, get_group_id and get_num_groups are those of the whole range. */
#include "src/device/device.h"
#include "src/launch/range.h"
#include "src/object/program.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- the work-group size ---- */

/* The largest divisor of size up to limit; a multiple of step where there is one that is not much smaller. */
static uint32_t best_divisor(uint64_t size, uint32_t limit, uint32_t step)
{
    uint32_t best = 1, best_step = 0;
    for (uint32_t d = 2; d <= limit && d <= size; d++) {
        if (size % d)
            continue;
        best = d;
        if (d % step == 0)
            best_step = d;
    }
    return best_step * 2 > best ? best_step : best;
}

/* Whether a remainder group may be smaller than the others. By the program's language version all groups are equal; but
 * where no work-item can tell the difference, a smaller one does no harm. */
static bool may_be_uneven(const struct ocl_build *build, const struct ocl_code *code)
{
    if (!build->uniform_groups)
        return true;
    const struct clc_lowered *lowered = code->lowered;
    return !build->reads_local_size && !lowered->uses_barrier && !lowered->uses_local_args && !lowered->local_size &&
           !lowered->uses_subgroups;
}

static uint32_t local_for(uint64_t global, uint32_t limit, uint32_t step, bool uneven)
{
    if (limit <= 1 || global <= 1)
        return 1;
    uint32_t divisor = best_divisor(global, limit, step);
    if (!uneven || divisor >= step || divisor == global)
        return divisor;
    return (uint32_t)u64_min(limit, global);
}

bool ocl_range_is_vast(const struct ocl_range *range)
{
    return (range->global[0] | range->global[1] | range->global[2]) >> 32 != 0;
}

/* Kernels compute ids with 32 bits, so none of a group's may have other upper bits than its first one. */
bool ocl_range_splits(const struct ocl_range *range)
{
    for (int i = 0; i < 3; i++) {
        if (range->global[i] >> 32 && range->local[i] & (range->local[i] - 1))
            return false;
    }
    return true;
}

void ocl_range_choose_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device)
{
    const struct ocl_code *code = ocl_kernel_code(kernel, device);
    const struct vkb_caps *caps = device->caps;
    const uint32_t *required = code->info->reqd_work_group_size, *hint = code->info->work_group_size_hint;
    if (required[0]) {
        memcpy(range->local, required, sizeof(range->local));
        return;
    }
    uint32_t width = caps->subgroup_size ? caps->subgroup_size : 1;
    if (code->info->num_sub_groups && code->info->num_sub_groups <= caps->max_workgroup_size[0] / width) {
        range->local[0] = code->info->num_sub_groups * width;
        return;
    }
    uint32_t left = (uint32_t)u64_min(caps->max_workgroup_invocations, 256);
    bool hinted = hint[0] && (uint64_t)hint[0] * hint[1] * hint[2] <= caps->max_workgroup_invocations;
    for (int i = 0; i < 3; i++)
        hinted = hinted && hint[i] <= caps->max_workgroup_size[i] && range->global[i] % hint[i] == 0;
    if (hinted) {
        memcpy(range->local, hint, sizeof(range->local));
        if (ocl_range_splits(range))
            return;
    }
    bool uneven = may_be_uneven(ocl_kernel_build(kernel, device), code);
    uint32_t step = width;
    for (int i = 0; i < 3; i++) {
        uint32_t limit = (uint32_t)u64_min(left, caps->max_workgroup_size[i]);
        range->local[i] = local_for(range->global[i], limit, step, uneven);
        if (range->global[i] >> 32) /* a power of two: see ocl_range_splits() */
            range->local[i] = uneven ? 1u << (31 - __builtin_clz(range->local[i])) : range->local[i] & -range->local[i];
        left /= range->local[i];
        step = step > range->local[i] ? step / range->local[i] : 1;
    }
}

/* ---- grids ---- */

/* Where the device takes 65,535 groups in each dimension at once, no launch of more grids comes to an end; and none may
 * take all memory before it begins. */
enum { MOST_GRIDS = 1 << 20 };

void ocl_grids_init(struct ocl_grids *grids)
{
    grids->list = grids->fixed;
    grids->locals = grids->fixed_locals;
    grids->count = 0;
    grids->capacity = ARRAY_LENGTH(grids->fixed);
}

void ocl_grids_finish(struct ocl_grids *grids)
{
    if (grids->list != grids->fixed) {
        free(grids->list);
        free(grids->locals);
    }
}

static bool grids_add(struct ocl_grids *grids, const uint32_t base[3], const uint32_t groups[3],
                      const uint32_t local[3])
{
    if (grids->count == MOST_GRIDS)
        return false;
    if (grids->count == grids->capacity) {
        uint32_t capacity = grids->capacity * 2;
        struct vkb_grid *list = malloc(capacity * sizeof(*list));
        uint32_t(*locals)[3] = malloc(capacity * sizeof(*locals));
        if (!list || !locals) {
            free(list);
            free(locals);
            return false;
        }
        memcpy(list, grids->list, grids->count * sizeof(*list));
        memcpy(locals, grids->locals, grids->count * sizeof(*locals));
        ocl_grids_finish(grids);
        grids->list = list;
        grids->locals = locals;
        grids->capacity = capacity;
    }
    struct vkb_grid *grid = &grids->list[grids->count];
    grid->pipeline = NULL;
    memcpy(grid->groups, groups, sizeof(grid->groups));
    memcpy(grid->group_base, base, sizeof(grid->group_base));
    memcpy(grids->locals[grids->count++], local, 3 * sizeof(uint32_t));
    return true;
}

/* A piece of one dimension: full groups within the device's limit, or the remainder. */
struct piece {
    uint64_t base, groups;
    uint32_t local;
};

static bool next_piece(const struct ocl_range *range, int dim, uint64_t limit, struct piece *piece)
{
    uint64_t full = range->global[dim] / range->local[dim], rest = range->global[dim] % range->local[dim];
    uint64_t begin = piece->base + piece->groups;
    if (begin < full) {
        /* The ids of a piece have their upper 32 bits in common. */
        uint64_t left = ((uint64_t)1 << 32) - (uint32_t)(begin * range->local[dim]);
        limit = u64_min(limit, left / range->local[dim]);
        *piece = (struct piece){begin, u64_min(full - begin, limit), range->local[dim]};
        return true;
    }
    if (begin == full && rest) {
        *piece = (struct piece){begin, 1, (uint32_t)rest};
        return true;
    }
    return false;
}

bool ocl_range_split(const struct ocl_range *range, const uint32_t limits[3], struct ocl_grids *grids)
{
    for (struct piece z = {0}; next_piece(range, 2, limits[2], &z);) {
        for (struct piece y = {0}; next_piece(range, 1, limits[1], &y);) {
            for (struct piece x = {0}; next_piece(range, 0, limits[0], &x);) {
                uint32_t base[3] = {(uint32_t)x.base, (uint32_t)y.base, (uint32_t)z.base};
                uint32_t groups[3] = {(uint32_t)x.groups, (uint32_t)y.groups, (uint32_t)z.groups};
                uint32_t local[3] = {x.local, y.local, z.local};
                if (!grids_add(grids, base, groups, local))
                    return false;
            }
        }
    }
    return true;
}
