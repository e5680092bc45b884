/* What becomes of an NDRange: a work-group size where the application gives none, and grids that the device takes.
 *
 * Work-items of most kernels have nothing to do with the others of their group. Such a kernel can let work-items beyond
 * the end of a range return (CLC_SPEC_BOUNDS), so that the groups of a range are all of one size. Other kernels get up
 * to eight grids where the work-group size does not divide the range (full groups and the remainder in each dimension;
 * OpenCL 3.0 API, 5.10). There are more where the device limits the number of groups. Grids differ in their local size,
 * which is a specialisation constant, and in the number of their first group, which the backend writes into the
 * argument block. So get_global_id, get_group_id and get_num_groups are those of the whole range.
 *
 * Each local size is another pipeline, which takes the driver 5 to 50 ms, or seconds. So a kernel that is launched over
 * many ranges without a local size gets few:
 * - Where work-items have nothing to do with each other: one for the first large range that has a good divisor, and a
 *   tiled one, which serves every range.
 * - Where they have: those of the first two ranges. Later ones take one of these if it divides them. If not, a small
 *   range gets groups of one work-item, and only a large one is worth a pipeline of its own. */
#include "src/device/device.h"
#include "src/launch/range.h"
#include "src/object/program.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- the work-group size ---- */

/* The largest divisor of size up to limit; a multiple of step where there is one that is not much smaller. Most ranges
 * are multiples of limit, and launches have no time for more divisions than needed. */
static uint32_t best_divisor(uint64_t size, uint32_t limit, uint32_t step)
{
    uint32_t best = (uint32_t)u64_min(limit, size);
    while (size % best)
        best--;
    for (uint32_t d = best - best % step; d * 2 > best; d -= step) {
        if (size % d == 0)
            return d;
    }
    return best;
}

/* Whether a remainder group may be smaller than the others. By the program's language version all groups are equal; but
 * where no work-item can tell the difference, a smaller one does no harm. */
static bool may_be_uneven(const struct ocl_build *build, const struct ocl_code *code)
{
    if (!build->uniform_groups)
        return true;
    const struct clc_lowered *lowered = code->lowered;
    return !lowered->reads_local_size && !lowered->uses_barrier && !lowered->uses_local_args && !lowered->local_size &&
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

/* A size for this range alone. */
static void choose_size(struct ocl_range *range, const struct vkb_caps *caps, bool uneven)
{
    uint32_t left = (uint32_t)u64_min(caps->max_workgroup_invocations, 256);
    uint32_t step = caps->subgroup_size ? caps->subgroup_size : 1;
    for (int i = 0; i < 3; i++) {
        uint32_t limit = (uint32_t)u64_min(left, caps->max_workgroup_size[i]);
        range->local[i] = local_for(range->global[i], limit, step, uneven);
        if (range->global[i] >> 32) /* a power of two: see ocl_range_splits() */
            range->local[i] = uneven ? 1u << (31 - __builtin_clz(range->local[i])) : range->local[i] & -range->local[i];
        left /= range->local[i];
        step = step > range->local[i] ? step / range->local[i] : 1;
    }
}

static uint32_t product(const uint32_t local[3])
{
    return local[0] * local[1] * local[2];
}

static bool divides(const uint32_t local[3], const struct ocl_range *range)
{
    for (int i = 0; i < 3; i++) {
        if (range->global[i] % local[i])
            return false;
    }
    return true;
}

bool ocl_range_is_even(const struct ocl_range *range)
{
    return !range->tiled && divides(range->local, range);
}

/* From here on a launch takes the device longer than a few microseconds. */
static bool is_large(const struct ocl_range *range, uint64_t items)
{
    return size_product(size_product(range->global[0], range->global[1]), range->global[2]) >= items;
}

static uint32_t pack(const uint32_t local[3])
{
    return local[0] | local[1] << 10 | local[2] << 20;
}

static void unpack(uint32_t shape, uint32_t local[3])
{
    for (int i = 0; i < 3; i++)
        local[i] = shape >> 10 * i & 1023;
}

/* The kernel's shape in this place, which becomes the range's local size if there is none yet. */
static void take_shape(struct ocl_code *code, uint32_t place, const struct ocl_range *range, uint32_t shape[3])
{
    uint32_t known = 0;
    if (atomic_compare_exchange_strong(&code->shapes[place], &known, pack(range->local)))
        known = pack(range->local);
    unpack(known, shape);
}

/* ---- tiles ---- */

/* OpenCL ids have 32 bits, also those of work-items that return because they are beyond the range. */
static bool has_bounds(const struct ocl_range *range, const struct ocl_code *code)
{
    for (int i = 0; i < 3; i++) {
        if (range->global[i] > (uint64_t)1 << 31)
            return false;
    }
    return code->lowered->can_bound;
}

enum clc_bounds ocl_range_bounds(const struct ocl_range *range, const struct ocl_code *code)
{
    if (range->tiled)
        return CLC_BOUNDS_TILED;
    return divides(range->local, range) || !has_bounds(range, code) ? CLC_BOUNDS_WHOLE : CLC_BOUNDS_CHECKED;
}

void ocl_tile_group(cl_device_id device, uint32_t local[3])
{
    const struct vkb_caps *caps = device->caps;
    local[0] = (uint32_t)u64_min(u64_min(caps->max_workgroup_invocations, caps->max_workgroup_size[0]), CLC_TILE_ITEMS);
    local[1] = local[2] = 1;
}

/* The tile that wastes few of a group's work-items on what is beyond the range, as wide as possible: work-items side by
 * side mostly read what lies side by side. */
static void choose_tile(struct ocl_range *range, cl_device_id device)
{
    uint32_t group[3];
    uint64_t least = UINT64_MAX;
    ocl_tile_group(device, group);
    for (uint32_t width = group[0]; width >= 32; width /= 2) {
        uint32_t tile[3], left = group[0];
        uint64_t groups = 1;
        for (int i = 0; i < 3; i++) {
            uint32_t limit = (uint32_t)u64_min(i ? left : width, device->caps->max_workgroup_size[i]);
            tile[i] = (uint32_t)u64_min(limit, range->global[i]);
            left /= tile[i];
            groups *= (range->global[i] + tile[i] - 1) / tile[i];
        }
        if (groups >= least - least / 8)
            continue;
        least = groups;
        memcpy(range->local, tile, sizeof(tile));
    }
}

bool ocl_groups_are_hidden(const struct ocl_code *code)
{
    const struct clc_lowered *lowered = code->lowered;
    return !lowered->sees_groups && !lowered->uses_barrier && !lowered->uses_local_args && !lowered->local_size &&
           !lowered->uses_subgroups;
}

bool ocl_range_tile_one(struct ocl_range *range, const struct ocl_code *code, cl_device_id device)
{
    if (is_large(range, 2) || !has_bounds(range, code) || code->lowered->scratch_size)
        return false;
    range->tiled = true;
    choose_tile(range, device);
    return true;
}

bool ocl_range_regroup(struct ocl_range *range, const struct ocl_code *code, cl_device_id device,
                       const uint32_t values[CLC_SPEC_COUNT])
{
    struct ocl_range other = *range;
    uint32_t enough = device->caps->subgroup_size ? device->caps->subgroup_size : 1;
    other.tiled = values[CLC_SPEC_BOUNDS] == CLC_BOUNDS_TILED;
    if (other.tiled)
        choose_tile(&other, device);
    else
        memcpy(other.local, values, sizeof(other.local));
    if (product(other.local) < u64_min(enough, product(range->local)) ||
        (uint32_t)ocl_range_bounds(&other, code) != values[CLC_SPEC_BOUNDS] || values[CLC_SPEC_MORE_GROUPS_X] ||
        values[CLC_SPEC_MORE_GROUPS_Y] || values[CLC_SPEC_MORE_GROUPS_Z] ||
        (values[CLC_SPEC_BOUNDS] == CLC_BOUNDS_WHOLE && !divides(other.local, &other)))
        return false;
    *range = other;
    return true;
}

/* For kernels whose work-items have nothing to do with each other. */
static void choose_shared(struct ocl_range *range, struct ocl_code *code, cl_device_id device, bool uneven)
{
    enum { LARGE = 1 << 14, WIDE = 128 };
    uint32_t shape[3];
    choose_size(range, device->caps, uneven);
    if (divides(range->local, range) && is_large(range, LARGE))
        take_shape(code, 0, range, shape);
    else
        unpack(atomic_load(&code->shapes[0]), shape);
    range->tiled = !shape[0] || !divides(shape, range) || product(shape) < u64_min(WIDE, product(range->local));
    if (!range->tiled)
        memcpy(range->local, shape, sizeof(shape));
    else if (uneven)
        choose_tile(range, device);
}

/* For kernels in which groups matter. */
static void choose_grouped(struct ocl_range *range, struct ocl_code *code, cl_device_id device, bool uneven)
{
    enum { LARGE = 1 << 16 };
    uint32_t best[3] = {1, 1, 1}, shape[3];
    choose_size(range, device->caps, uneven);
    for (uint32_t i = 0; i < ARRAY_LENGTH(code->shapes); i++) {
        if (product(range->local) > 1)
            take_shape(code, i, range, shape);
        else
            unpack(atomic_load(&code->shapes[i]), shape);
        if (memcmp(shape, range->local, sizeof(shape)) == 0)
            return;
        if (shape[0] && divides(shape, range) && product(shape) > product(best))
            memcpy(best, shape, sizeof(shape));
        if (product(best) >= product(range->local) / 2 && product(best) > 1)
            break;
    }
    if (!is_large(range, LARGE) || product(best) >= product(range->local) / 2)
        memcpy(range->local, best, sizeof(best));
}

void ocl_range_choose_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device)
{
    struct ocl_code *code = ocl_kernel_code(kernel, device);
    const struct vkb_caps *caps = device->caps;
    const uint32_t *required = code->info->reqd_work_group_size, *hint = code->info->work_group_size_hint;
    if (required[0]) {
        memcpy(range->local, required, sizeof(range->local));
        return;
    }
    uint32_t width = ocl_code_subgroup_size(code, device);
    if (code->info->num_sub_groups && code->info->num_sub_groups <= caps->max_workgroup_size[0] / width) {
        range->local[0] = code->info->num_sub_groups * width;
        return;
    }
    if (code->lowered->full_subgroups && range->global[0] % width == 0) {
        uint64_t most = u64_min(u64_min(caps->max_workgroup_invocations, 256) / width, range->global[0] / width);
        while (range->global[0] / width % most)
            most--;
        range->local[0] = (uint32_t)most * width;
        return;
    }
    bool hinted = hint[0] && (uint64_t)hint[0] * hint[1] * hint[2] <= caps->max_workgroup_invocations;
    for (int i = 0; i < 3; i++)
        hinted = hinted && hint[i] <= caps->max_workgroup_size[i] && range->global[i] % hint[i] == 0;
    if (hinted) {
        memcpy(range->local, hint, sizeof(range->local));
        if (ocl_range_splits(range))
            return;
    }
    bool uneven = may_be_uneven(ocl_kernel_build(kernel, device), code);
    if (ocl_range_is_vast(range))
        choose_size(range, caps, uneven);
    else if (has_bounds(range, code))
        choose_shared(range, code, device, uneven);
    else
        choose_grouped(range, code, device, uneven);
}

void ocl_range_suggest_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device)
{
    ocl_range_choose_local(range, kernel, device);
    if (ocl_kernel_build(kernel, device)->uniform_groups && !divides(range->local, range)) {
        range->tiled = false;
        choose_size(range, device->caps, false);
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

/* A piece of one dimension: full groups within the device's limit, or the remainder. Groups are the device's. */
struct piece {
    uint64_t base, groups;
    bool is_rest;
};

static bool next_piece(const struct ocl_range *range, int dim, uint64_t limit, bool cut, uint32_t packs,
                       struct piece *piece)
{
    uint64_t full = range->global[dim] / range->local[dim], rest = range->global[dim] % range->local[dim];
    uint64_t begin = piece->base + piece->groups;
    full += rest && !cut;
    full = (full + packs - 1) / packs;
    if (begin < full) {
        /* The ids of a piece have their upper 32 bits in common. */
        uint64_t left = ((uint64_t)1 << 32) - (uint32_t)(begin * range->local[dim]);
        limit = u64_min(limit, left / range->local[dim]);
        *piece = (struct piece){begin, u64_min(full - begin, limit), false};
        return true;
    }
    if (begin == full && rest && cut) {
        *piece = (struct piece){begin, 1, true};
        return true;
    }
    return false;
}

bool ocl_range_split(const struct ocl_range *range, const uint32_t limits[3], enum clc_bounds bounds,
                     const uint32_t group[3], const uint32_t packs[3], struct ocl_grids *grids)
{
    bool cut = bounds == CLC_BOUNDS_WHOLE;
    for (struct piece z = {0}; next_piece(range, 2, limits[2], cut, packs[2], &z);) {
        for (struct piece y = {0}; next_piece(range, 1, limits[1], cut, packs[1], &y);) {
            for (struct piece x = {0}; next_piece(range, 0, limits[0], cut, packs[0], &x);) {
                const struct piece pieces[3] = {x, y, z};
                uint32_t base[3], groups[3], local[3];
                for (int i = 0; i < 3; i++) {
                    base[i] = (uint32_t)pieces[i].base;
                    groups[i] = (uint32_t)pieces[i].groups;
                    local[i] = pieces[i].is_rest ? (uint32_t)(range->global[i] % range->local[i]) : group[i];
                }
                if (!grids_add(grids, base, groups, local))
                    return false;
            }
        }
    }
    return true;
}
