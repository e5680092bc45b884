/* Ids of work-items, groups and sub-groups, and the bounds of the range: arithmetic on Vulkan's built-ins and launch
 * values. get_global_id(d) is
 *
 *     offset[d] + (WorkgroupId[d] + group_base[d]) * enqueued_size[d] + LocalInvocationId[d]
 *
 * where several work-groups share one of the device's (pack.c) these are quotient and remainder of Vulkan's ids. It is
 * computed in 32 bits but for the addition of the offset (the runtime keeps a global size below 2^32 per dimension),
 * and all in 32 bits where the program only uses the low half, as `int i = get_global_id(0)` does. Each function
 * computes a value once, at its start. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/ends/entry.h"
#include "compiler/lower/values/launch.h"
#include "compiler/spv/cfg.h"

#include "base/util.h"

enum { WHAT_BUILTIN, WHAT_LAUNCH, WHAT_LOCAL_ID, WHAT_INDEX, TURN_IN_KEY = 2, WHAT_LOW = 1 << 8 };

/* what is below 2^14, and so are the turns below 2^4 (lower/subgroups/turns.c). */
static uint64_t cache_key(struct spv_function *function, uint32_t kind, uint32_t what, uint32_t component)
{
    return (uint64_t)function->def->id << 32 | kind << 20 | what << 2 | component;
}

static spv_id launch(struct entry *e, struct spv_function *function, enum clc_launch_value value, uint32_t component)
{
    uint64_t key = cache_key(function, WHAT_LAUNCH, value, component);
    void *known = u64_map_get(&e->ids, key);
    if (known)
        return (spv_id)(uintptr_t)known;
    struct spv_builder b = entry_at_start(e, function);
    spv_id id = lower_emit_launch_value(e->lower, &b, value, component);
    vec_push(spv_scratch(e->module), &e->reads, spv_def(e->module, id));
    u64_map_set(e->lower->module->arena, &e->ids, key, (void *)(uintptr_t)id);
    return id;
}

/* The product of the local sizes, as a specialisation constant. */
spv_id lower_spec_items(struct lower *lower)
{
    spv_id u32 = spv_type_int(lower->module, 32), items = lower_spec_local_size(lower, 0);
    for (uint32_t c = 1; c < 3; c++)
        items = spv_const_inst(lower->module, SpvOpSpecConstantOp, u32, 3,
                               (const uint32_t[]){SpvOpIMul, items, lower_spec_local_size(lower, c)});
    return items;
}

static spv_id spec_op(struct lower *lower, SpvOp op, spv_id type, spv_id a, spv_id b)
{
    return spv_const_inst(lower->module, SpvOpSpecConstantOp, type, 3, (const uint32_t[]){op, a, b});
}

/* ---- work-groups that share one of the device's ---- */

spv_id lower_spec_groups(struct lower *lower, uint32_t component)
{
    spv_id u32 = spv_type_int(lower->module, 32), more = lower_spec_more_groups(lower, component);
    return spec_op(lower, SpvOpIAdd, u32, more, spv_const_u32(lower->module, 1));
}

static void begin_packs(struct entry *e)
{
    spv_id truth = spv_type_bool(e->module), none = spv_const_u32(e->module, 0);
    for (uint32_t c = 0; c < 3; c++) {
        e->packed[c] = spec_op(e->lower, SpvOpINotEqual, truth, lower_spec_more_groups(e->lower, c), none);
        e->any_packed = c ? spec_op(e->lower, SpvOpLogicalOr, truth, e->any_packed, e->packed[c]) : e->packed[c];
    }
}

/* A number in the device's group as one in the work-group, which has size of them. Where no groups share one, this is
 * nothing, also to a driver that does not know how large the number can be. */
static spv_id within_group(struct entry *e, struct spv_builder *b, spv_id number, spv_id packed, spv_id size)
{
    spv_id u32 = spv_type_int(e->module, 32);
    if (!packed)
        return number;
    return spv_emitv(b, SpvOpSelect, u32, packed, spv_emitv(b, SpvOpUMod, u32, number, size), number);
}

/* Which of the groups that share one the number is in. */
static spv_id place_of_group(struct entry *e, struct spv_builder *b, spv_id number, spv_id packed, spv_id size)
{
    spv_id u32 = spv_type_int(e->module, 32);
    return spv_emitv(b, SpvOpSelect, u32, packed, spv_emitv(b, SpvOpUDiv, u32, number, size),
                     spv_const_u32(e->module, 0));
}

/* ---- the linear id ---- */

/* Lanes lie side by side, and so do a sub-group's work-items, of which each lane has several: of the lane l in its
 * sub-group, the first of them is at (lane - l) * turns + l, and the others follow at distances of a sub-group of lanes.
 */
static spv_id linear_local_id(struct entry *e, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(e->module, 32), lanes = spv_const_u32(e->module, e->lower->subgroup_lanes);
    spv_id lane = lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInLocalInvocationIndex, 0);
    if (!e->lower->turns)
        return within_group(e, b, lane, e->any_packed, lower_spec_items(e->lower));
    spv_id own = spv_emitv(b, SpvOpUMod, u32, lane, lanes), first = spv_emitv(b, SpvOpISub, u32, lane, own);
    first = spv_emitv(b, SpvOpIMul, u32, first, spv_const_u32(e->module, e->lower->turns));
    own = spv_emitv(b, SpvOpIAdd, u32, own, spv_const_u32(e->module, e->turn * e->lower->subgroup_lanes));
    return spv_emitv(b, SpvOpIAdd, u32, first, own);
}

/* As many lanes as the work-items take: whole sub-groups, and of the last one those that have an item in turn 0. */
spv_id lower_spec_lanes(struct lower *lower)
{
    struct spv_module *module = lower->module;
    spv_id u32 = spv_type_int(module, 32), items = lower_spec_items(lower);
    if (!lower->turns)
        return items;
    spv_id size = spv_const_u32(module, lower->subgroup_size), lanes = spv_const_u32(module, lower->subgroup_lanes);
    spv_id whole = spec_op(lower, SpvOpIMul, u32, spec_op(lower, SpvOpUDiv, u32, items, size), lanes);
    spv_id rest = spec_op(lower, SpvOpUMod, u32, items, size);
    spv_id few = spec_op(lower, SpvOpULessThan, spv_type_bool(module), rest, lanes);
    rest = spv_const_inst(module, SpvOpSpecConstantOp, u32, 4, (const uint32_t[]){SpvOpSelect, few, rest, lanes});
    return spec_op(lower, SpvOpIAdd, u32, whole, rest);
}

/* The work-items of a full group, as the launch says. */
static spv_id enqueued_items(struct entry *e, struct spv_builder *b)
{
    spv_id items = launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, 0);
    for (uint32_t c = 1; c < 3; c++)
        items = spv_emitv(b, SpvOpIMul, spv_type_int(e->module, 32), items,
                          launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c));
    return items;
}

/* Whether the turn has a work-item: all do where sub-groups are full. */
static spv_id turn_exists(struct entry *e, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(e->module, 32), truth = spv_type_bool(e->module), items = lower_spec_items(e->lower);
    if (e->lower->options->any_size)
        return spv_emitv(b, SpvOpULessThan, truth, linear_local_id(e, b), enqueued_items(e, b));
    spv_id rest = spec_op(e->lower, SpvOpUMod, u32, items, spv_const_u32(e->module, e->lower->subgroup_size));
    spv_id full = spec_op(e->lower, SpvOpIEqual, truth, rest, spv_const_u32(e->module, 0));
    spv_id inside = spv_emitv(b, SpvOpULessThan, truth, linear_local_id(e, b), items);
    return spv_emitv(b, SpvOpLogicalOr, truth, full, inside);
}

/* ---- sub-groups ----
 *
 * Vulkan leaves open how work-items are dealt out to sub-groups, and lavapipe, for one, starts a new one with each row.
 * Where a kernel can tell, its work-group is laid flat, N x 1 x 1, which every driver cuts in linear order (OpenCL C
 * 3.0, 6.15.20: sub-groups are a partition of the work-group; the scans of work-groups depend on the order). Local ids
 * are derived from the linear one. Vulkan's SubgroupSize is OpenCL's maximum size; the last sub-group has fewer items,
 * and that OpenCL's SubgroupSize tells. */

#define BUILTIN_SUBGROUP_ITEMS 0x3fffu /* what OpenCL's SubgroupSize is called in this pass */

/* Whether OpenCL and Vulkan agree on this sub-group variable. */
static bool is_shared_builtin(SpvBuiltIn builtin)
{
    switch (builtin) {
    case SpvBuiltInSubgroupSize: /* the one that this pass made */
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return true;
    default:
        return false;
    }
}

static bool is_subgroup_builtin(SpvBuiltIn builtin)
{
    switch (builtin) {
    case SpvBuiltInSubgroupMaxSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
    case SpvBuiltInSubgroupId:
        return true;
    default:
        return is_shared_builtin(builtin);
    }
}

/* The BuiltIn of a variable, which a turn's (lower->turns) has, too. */
static bool builtin_of(const struct entry *e, spv_id variable, SpvBuiltIn *builtin)
{
    const struct lower_turn_input *input = lower_turn_input(e->lower, variable);
    if (input)
        *builtin = (SpvBuiltIn)input->builtin;
    return input || lower_builtin_of(e->module, variable, builtin);
}

static uint32_t turn_of(const struct entry *e, spv_id variable)
{
    const struct lower_turn_input *input = lower_turn_input(e->lower, variable);
    return input ? input->turn : 0;
}

static void flatten(struct entry *e)
{
    bool used = false;
    spv_foreach_inst (inst, &e->module->sections[SPV_SECTION_GLOBAL]) {
        SpvBuiltIn builtin;
        if (inst->op != SpvOpVariable || inst->words[0] != SpvStorageClassInput || !builtin_of(e, inst->id, &builtin) ||
            !is_subgroup_builtin(builtin))
            continue;
        used = true;
        if (builtin == SpvBuiltInSubgroupSize)
            spv_find_decoration(e->module, inst->id, SpvDecorationBuiltIn)->words[2] = BUILTIN_SUBGROUP_ITEMS;
    }
    spv_foreach_function (function, e->module) {
        if (function->only_computes)
            continue;
        spv_foreach_block (block, function)
            spv_foreach_inst (inst, &block->insts)
                used |= spv_op_is_subgroup(inst->op);
    }
    used |= e->lower->turns != 0 || e->lower->native_matrices;
    e->lower->flat = used;
    e->lower->uses_subgroups |= used;
}

static spv_id max_subgroup_size(struct entry *e, struct spv_builder *b)
{
    if (e->lower->subgroup_size)
        return spv_const_u32(e->module, e->lower->subgroup_size);
    return lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInSubgroupSize, 0);
}

/* ceil(items / sub-group size) */
static spv_id count_subgroups(struct entry *e, struct spv_builder *b, spv_id items)
{
    spv_id u32 = spv_type_int(e->module, 32), size = max_subgroup_size(e, b);
    items = spv_emitv(b, SpvOpISub, u32, spv_emitv(b, SpvOpIAdd, u32, items, size), spv_const_u32(e->module, 1));
    return spv_emitv(b, SpvOpUDiv, u32, items, size);
}

static spv_id subgroup_id(struct entry *e, struct spv_builder *b)
{
    return spv_emitv(b, SpvOpUDiv, spv_type_int(e->module, 32), linear_local_id(e, b), max_subgroup_size(e, b));
}

static spv_id enqueued_subgroups(struct entry *e, struct spv_builder *b)
{
    return count_subgroups(e, b, enqueued_items(e, b));
}

/* min(size, items - id * size) */
static spv_id subgroup_items(struct entry *e, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(e->module, 32), size = max_subgroup_size(e, b);
    spv_id before = spv_emitv(b, SpvOpIMul, u32, subgroup_id(e, b), size);
    spv_id rest = spv_emitv(b, SpvOpISub, u32, lower_spec_items(e->lower), before);
    spv_id full = spv_emitv(b, SpvOpUGreaterThan, spv_type_bool(e->module), rest, size);
    return spv_emitv(b, SpvOpSelect, u32, full, size, rest);
}

/* ---- work-items and groups ---- */

/* n / size, by half of CLC_LAUNCH_TILE. */
static spv_id divide_by_tile(struct entry *e, struct spv_builder *b, spv_id n, uint32_t half)
{
    spv_id u32 = spv_type_int(e->module, 32), sixteen = spv_const_u32(e->module, 16);
    spv_id factor = launch(e, b->function, CLC_LAUNCH_TILE, 0);
    factor = half ? spv_emitv(b, SpvOpShiftRightLogical, u32, factor, sixteen)
                  : spv_emitv(b, SpvOpBitwiseAnd, u32, factor, spv_const_u32(e->module, 0xffff));
    factor = spv_emitv(b, SpvOpIAdd, u32, factor, spv_const_u32(e->module, 1));
    return spv_emitv(b, SpvOpShiftRightLogical, u32, spv_emitv(b, SpvOpIMul, u32, n, factor), sixteen);
}

static spv_id has_bounds(struct entry *e, struct spv_builder *b, SpvOp comparison, enum clc_bounds bounds)
{
    return spv_emitv(b, comparison, spv_type_bool(e->module), e->bounds, spv_const_u32(e->module, bounds));
}

/* CLC_BOUNDS_TILED: the work-group is N x 1 x 1, and its work-items are dealt out to a tile of the enqueued size, row
 * by row. The last ones have no place in it: their third id is beyond the tile. All three ids are made at once, since
 * the branch at the kernel's start needs them all. */
static void make_local_ids(struct entry *e, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(e->module, 32), is_tiled = has_bounds(e, b, SpvOpIEqual, CLC_BOUNDS_TILED);
    spv_id own = lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInLocalInvocationId, 0), rest = own;
    for (uint32_t c = 0; c < 3; c++) {
        spv_id id = rest;
        if (c > 0)
            own = lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInLocalInvocationId, c);
        if (c < 2) {
            spv_id quotient = divide_by_tile(e, b, rest, c),
                   size = launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c);
            id = spv_emitv(b, SpvOpISub, u32, rest, spv_emitv(b, SpvOpIMul, u32, quotient, size));
            rest = quotient;
        }
        id = spv_emitv(b, SpvOpSelect, u32, is_tiled, id, own);
        u64_map_set(e->lower->module->arena, &e->ids, cache_key(b->function, WHAT_LOCAL_ID, 0, c),
                    (void *)(uintptr_t)id);
    }
}

static spv_id bounded_local_id(struct entry *e, struct spv_builder *b, uint32_t c)
{
    uint64_t key = cache_key(b->function, WHAT_LOCAL_ID, 0, c);
    if (!u64_map_get(&e->ids, key))
        make_local_ids(e, b);
    return (spv_id)(uintptr_t)u64_map_get(&e->ids, key);
}

/* What the group has in this dimension where no group of the range is smaller than the others. */
static spv_id full_size(struct entry *e, struct spv_builder *b, uint32_t c)
{
    return e->lower->options->any_size ? launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c)
                                       : lower_spec_local_size(e->lower, c);
}

/* The local id in the device's group, where that has three dimensions. */
static spv_id device_local_id(struct entry *e, struct spv_builder *b, uint32_t c)
{
    return e->bounded ? bounded_local_id(e, b, c)
                      : lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInLocalInvocationId, c);
}

static spv_id local_id(struct entry *e, struct spv_builder *b, uint32_t c)
{
    if (!e->lower->flat && !e->lower->options->any_size) {
        spv_id number = device_local_id(e, b, c);
        return within_group(e, b, number, e->packed[c], lower_spec_local_size(e->lower, c));
    }
    spv_id u32 = spv_type_int(e->module, 32), id = linear_local_id(e, b);
    for (uint32_t i = 0; i < c; i++)
        id = spv_emitv(b, SpvOpUDiv, u32, id, full_size(e, b, i));
    return c == 2 ? id : spv_emitv(b, SpvOpUMod, u32, id, full_size(e, b, c));
}

/* The place in the whole range of the first work-group that the device's holds. */
static spv_id first_group_id(struct entry *e, struct spv_builder *b, uint32_t c)
{
    spv_id u32 = spv_type_int(e->module, 32), base = launch(e, b->function, CLC_LAUNCH_GROUP_BASE, c);
    spv_id id = spv_emitv(b, SpvOpIAdd, u32, lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInWorkgroupId, c), base);
    return e->any_packed ? spv_emitv(b, SpvOpIMul, u32, id, lower_spec_groups(e->lower, c)) : id;
}

/* The work-group's place in the whole range. */
static spv_id group_id(struct entry *e, struct spv_builder *b, uint32_t c)
{
    spv_id first = first_group_id(e, b, c);
    if (!e->any_packed)
        return first;
    spv_id number = e->lower->flat ? lower_emit_vulkan_builtin(e->lower, b, SpvBuiltInLocalInvocationIndex, 0)
                                   : device_local_id(e, b, c);
    spv_id size = e->lower->flat ? lower_spec_items(e->lower) : lower_spec_local_size(e->lower, c);
    spv_id place = place_of_group(e, b, number, e->packed[c], size);
    return spv_emitv(b, SpvOpIAdd, spv_type_int(e->module, 32), first, place);
}

/* The low 32 bits of get_global_id(c) - get_global_offset(c). Groups that share one of the device's follow one another,
 * and so do their work-items where the group has three dimensions. */
static spv_id global_index(struct entry *e, struct spv_builder *b, uint32_t c)
{
    uint64_t key = cache_key(b->function, WHAT_INDEX, e->turn, c);
    void *known = u64_map_get(&e->ids, key);
    if (known)
        return (spv_id)(uintptr_t)known;
    bool follow = e->any_packed && !e->lower->flat;
    spv_id u32 = spv_type_int(e->module, 32), group = follow ? first_group_id(e, b, c) : group_id(e, b, c);
    spv_id start = spv_emitv(b, SpvOpIMul, u32, group, launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c));
    spv_id index = spv_emitv(b, SpvOpIAdd, u32, start, follow ? device_local_id(e, b, c) : local_id(e, b, c));
    u64_map_set(e->lower->module->arena, &e->ids, key, (void *)(uintptr_t)index);
    return index;
}

/* get_local_size(c): the last group of a range may have less than the enqueued size. */
static spv_id local_size(struct entry *e, struct spv_builder *b, uint32_t c)
{
    spv_id u32 = spv_type_int(e->module, 32), own = full_size(e, b, c);
    e->lower->out->reads_local_size = true;
    if (!e->bounded)
        return own;
    spv_id full = launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c);
    spv_id rest = spv_emitv(b, SpvOpISub, u32, launch(e, b->function, CLC_LAUNCH_BOUND, c),
                            spv_emitv(b, SpvOpIMul, u32, group_id(e, b, c), full));
    spv_id is_last = spv_emitv(b, SpvOpULessThan, spv_type_bool(e->module), rest, full);
    return spv_emitv(b, SpvOpSelect, u32, has_bounds(e, b, SpvOpIEqual, CLC_BOUNDS_WHOLE), own,
                     spv_emitv(b, SpvOpSelect, u32, is_last, rest, full));
}

/* OpenCL C 3.0, 6.15.1: get_local_linear_id. It is Vulkan's where the groups are the device's, and whole. */
static spv_id local_linear_id(struct entry *e, struct spv_builder *b)
{
    spv_id u32 = spv_type_int(e->module, 32), truth = spv_type_bool(e->module), own = linear_local_id(e, b);
    e->lower->out->reads_local_size = true;
    if (!e->bounded && (e->lower->flat || !e->any_packed))
        return own;
    spv_id id = local_id(e, b, 2);
    for (int c = 1; c >= 0; c--) {
        id = spv_emitv(b, SpvOpIMul, u32, id, local_size(e, b, (uint32_t)c));
        id = spv_emitv(b, SpvOpIAdd, u32, id, local_id(e, b, (uint32_t)c));
    }
    spv_id differs = e->any_packed;
    if (e->bounded) {
        spv_id cut = has_bounds(e, b, SpvOpINotEqual, CLC_BOUNDS_WHOLE);
        differs = differs ? spv_emitv(b, SpvOpLogicalOr, truth, cut, differs) : cut;
    }
    return spv_emitv(b, SpvOpSelect, u32, differs, id, own);
}

static spv_id widen(struct entry *e, struct spv_builder *b, spv_id value)
{
    return spv_emitv(b, SpvOpUConvert, spv_type_int(e->module, 64), value);
}

static spv_id narrow(struct entry *e, struct spv_builder *b, spv_id value)
{
    return spv_emitv(b, SpvOpUConvert, spv_type_int(e->module, 32), value);
}

/* get_global_id(c) - get_global_offset(c) with all its bits */
static spv_id whole_index(struct entry *e, struct spv_builder *b, uint32_t c)
{
    spv_id u64 = spv_type_int(e->module, 64);
    spv_id beyond = spv_emitv(b, SpvOpISub, u64, launch(e, b->function, CLC_LAUNCH_GLOBAL_OFFSET, c),
                              launch(e, b->function, CLC_LAUNCH_QUERIED_OFFSET, c));
    return spv_emitv(b, SpvOpIAdd, u64, beyond, widen(e, b, global_index(e, b, c)));
}

/* OpenCL C 3.0, 6.15.1: get_global_linear_id */
static spv_id global_linear_id(struct entry *e, struct spv_builder *b)
{
    spv_id u64 = spv_type_int(e->module, 64);
    spv_id id = whole_index(e, b, 2);
    for (int c = 1; c >= 0; c--) {
        id = spv_emitv(b, SpvOpIMul, u64, id, launch(e, b->function, CLC_LAUNCH_GLOBAL_SIZE, (uint32_t)c));
        id = spv_emitv(b, SpvOpIAdd, u64, id, whole_index(e, b, (uint32_t)c));
    }
    return id;
}

/* ---- built-in variables ---- */

/* Whether its value depends on how the range is divided into groups. */
static bool tells_of_groups(SpvBuiltIn builtin)
{
    return builtin != SpvBuiltInGlobalInvocationId && builtin != SpvBuiltInGlobalLinearId &&
           builtin != SpvBuiltInGlobalOffset && builtin != SpvBuiltInGlobalSize && builtin != SpvBuiltInWorkDim;
}

/* A component of an OpenCL built-in. low: as u32, where only the low half is wanted. Otherwise as u64 where OpenCL has
 * a size_t. */
static spv_id compute_builtin(struct entry *e, struct spv_builder *b, SpvBuiltIn builtin, uint32_t c, bool low)
{
    spv_id u32 = spv_type_int(e->module, 32), u64 = spv_type_int(e->module, 64), value;
    e->lower->out->sees_groups |= tells_of_groups(builtin);
    switch ((uint32_t)builtin) {
    case SpvBuiltInGlobalInvocationId:
        value = launch(e, b->function, CLC_LAUNCH_GLOBAL_OFFSET, c);
        if (low)
            return spv_emitv(b, SpvOpIAdd, u32, narrow(e, b, value), global_index(e, b, c));
        return spv_emitv(b, SpvOpIAdd, u64, value, widen(e, b, global_index(e, b, c)));
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInGlobalSize:
        value = launch(e, b->function,
                       builtin == SpvBuiltInGlobalSize ? CLC_LAUNCH_GLOBAL_SIZE : CLC_LAUNCH_QUERIED_OFFSET, c);
        return low ? narrow(e, b, value) : value;
    case SpvBuiltInGlobalLinearId:
        value = global_linear_id(e, b);
        return low ? narrow(e, b, value) : value;
    case SpvBuiltInLocalInvocationId:
        value = local_id(e, b, c);
        break;
    case SpvBuiltInLocalInvocationIndex:
        value = local_linear_id(e, b);
        break;
    case SpvBuiltInWorkgroupId:
        value = group_id(e, b, c);
        break;
    case SpvBuiltInWorkgroupSize:
        value = local_size(e, b, c);
        break;
    case SpvBuiltInEnqueuedWorkgroupSize:
        value = launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, c);
        break;
    case SpvBuiltInNumWorkgroups:
        value = launch(e, b->function, CLC_LAUNCH_NUM_GROUPS, c);
        break;
    case SpvBuiltInWorkDim:
        return launch(e, b->function, CLC_LAUNCH_WORK_DIM, 0);
    case SpvBuiltInNumEnqueuedSubgroups:
        return enqueued_subgroups(e, b);
    case SpvBuiltInSubgroupMaxSize:
        return max_subgroup_size(e, b);
    case BUILTIN_SUBGROUP_ITEMS:
        return subgroup_items(e, b);
    case SpvBuiltInNumSubgroups:
        return count_subgroups(e, b, lower_spec_items(e->lower));
    case SpvBuiltInSubgroupId:
        return subgroup_id(e, b);
    case LOWER_TURN_EXISTS:
        return turn_exists(e, b);
    default:
        lower_fail(e->lower, "built-in variable %u is not supported", builtin);
        return spv_undef(e->module, low ? u32 : u64);
    }
    return low ? value : widen(e, b, value);
}

static spv_id builtin_value(struct entry *e, const struct spv_inst *load, SpvBuiltIn builtin, uint32_t c, bool low)
{
    struct spv_function *function = load->block->function;
    uint32_t turn = turn_of(e, load->words[0]);
    uint64_t key = cache_key(function, WHAT_BUILTIN | turn << TURN_IN_KEY | (low ? WHAT_LOW : 0), builtin, c);
    void *known = u64_map_get(&e->ids, key);
    if (known)
        return (spv_id)(uintptr_t)known;
    struct spv_builder b = entry_at_start(e, function);
    e->turn = turn;
    spv_id id = compute_builtin(e, &b, builtin, c, low);
    e->turn = 0;
    spv_def(e->module, id)->hints.is_id = true;
    u64_map_set(e->lower->module->arena, &e->ids, key, (void *)(uintptr_t)id);
    return id;
}

/* The value of lower_turn_exists() is a bool, which has no width. */
static bool is_of_32_bits(const struct entry *e, spv_id type)
{
    return !spv_type_is_bool(e->module, type) && spv_type_width(e->module, type) == 32;
}

/* Whether a variable is an OpenCL built-in. A load of one is replaced by the components that are extracted from it, or
 * by all of them where the vector is used otherwise. */
static bool is_opencl_builtin(struct entry *e, spv_id variable, SpvBuiltIn *builtin)
{
    const struct spv_inst *def = spv_def(e->module, variable);
    if (!def || def->op != SpvOpVariable || def->words[0] != SpvStorageClassInput || !builtin_of(e, variable, builtin))
        return false;
    if (is_shared_builtin(*builtin))
        return false;
    spv_id type = spv_pointer_pointee(e->module, def->type);
    bool vulkan =
        is_of_32_bits(e, type) && (lower_is_vector_builtin(*builtin) || *builtin == SpvBuiltInLocalInvocationIndex);
    return !vulkan;
}

static void rewrite_vector_load(struct entry *e, struct spv_inst *load, SpvBuiltIn builtin)
{
    struct spv_function *function = load->block->function;
    spv_id parts[3];
    for (uint32_t c = 0; c < 3; c++) {
        parts[c] = builtin_value(e, load, builtin, c, false);
        if (spv_type_width(e->module, load->type) == 32)
            parts[c] = builtin_value(e, load, builtin, c, true);
    }
    struct spv_builder b = {e->module, function, load->block, load};
    spv_id value = spv_emit(&b, SpvOpCompositeConstruct, load->type, 3, parts);
    spv_replace(e->module, &e->replacements, load->id, value);
}

static const struct spv_inst *builtin_load(struct entry *e, spv_id value, SpvBuiltIn *builtin)
{
    const struct spv_inst *load = spv_def(e->module, value);
    return load && load->op == SpvOpLoad && is_opencl_builtin(e, load->words[0], builtin) ? load : NULL;
}

/* Whether the instruction was replaced by a value and its operands are no longer needed. */
static bool rewrite_builtin_use(struct entry *e, struct spv_inst *inst)
{
    SpvBuiltIn builtin;
    const struct spv_inst *load;
    if (inst->op == SpvOpCompositeExtract && inst->num_words == 2 && inst->words[1] < 3 &&
        (load = builtin_load(e, inst->words[0], &builtin)) && lower_is_vector_builtin(builtin)) {
        bool low = spv_type_width(e->module, inst->type) == 32;
        spv_replace(e->module, &e->replacements, inst->id, builtin_value(e, load, builtin, inst->words[1], low));
        vec_push(spv_scratch(e->module), &e->handled, inst);
        return true;
    }
    if (inst->op != SpvOpUConvert && inst->op != SpvOpSConvert)
        return false;
    const struct spv_inst *source = spv_def(e->module, inst->words[0]);
    if (spv_type_is_vector(e->module, inst->type) || spv_type_width(e->module, inst->type) != 32 || !source)
        return false;
    uint32_t component = 0;
    if (source->op == SpvOpCompositeExtract && source->num_words == 2 && source->words[1] < 3) {
        component = source->words[1];
        source = spv_def(e->module, source->words[0]);
    }
    if (source && (load = builtin_load(e, source->id, &builtin)))
        spv_replace(e->module, &e->replacements, inst->id, builtin_value(e, load, builtin, component, true));
    return false;
}

static void mark_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct entry *e = data;
    (void)inst;
    if (*word < e->num_ids)
        e->used[*word] = 1;
}

static bool is_input(const struct entry *e, spv_id variable)
{
    const struct spv_inst *def = spv_def(e->module, variable);
    return def && def->op == SpvOpVariable && def->words[0] == SpvStorageClassInput;
}

static void survey(struct entry *e)
{
    spv_foreach_function (function, e->module) {
        function->user = NULL;
        if (function->only_computes)
            continue;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpLoad && is_input(e, inst->words[0]))
                    vec_push(spv_scratch(e->module), &e->own, inst);
                else if (!rewrite_builtin_use(e, inst))
                    spv_visit_operand_ids(inst, mark_use, e);
            }
        }
    }
}

static void rewrite_builtins(struct entry *e)
{
    survey(e);
    vec_foreach (struct spv_inst *, at, &e->own) {
        SpvBuiltIn builtin;
        struct spv_inst *load = *at;
        if (!is_opencl_builtin(e, load->words[0], &builtin)) {
            vec_push(spv_scratch(e->module), &e->reads, load);
            continue;
        }
        if (e->used[load->id] && lower_is_vector_builtin(builtin))
            rewrite_vector_load(e, load, builtin);
        else if (e->used[load->id])
            spv_replace(e->module, &e->replacements, load->id,
                        builtin_value(e, load, builtin, 0, is_of_32_bits(e, load->type)));
        vec_push(spv_scratch(e->module), &e->handled, load);
    }
    vec_foreach (struct spv_inst *, each, &e->handled)
        spv_inst_remove(e->module, *each);
}

/* ---- bounds ----
 *
 * Where work-items of a group have nothing to do with each other (no barriers, no local memory, no sub-groups), nobody
 * can tell a smaller group from one of which some work-items return at once. So one pipeline serves any range: the
 * kernel begins with
 *
 *     if (CLC_SPEC_BOUNDS != CLC_BOUNDS_WHOLE && an id is beyond the range) return;
 *
 * which is nothing where the constant says WHOLE.
 *
 * A kernel of which work-groups share the device's begins likewise, unless it has that branch already: those beyond the
 * last group return. */

static bool has_barrier(const struct entry *e)
{
    spv_foreach_function (function, e->module) {
        if (function->only_computes)
            continue;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpControlBarrier)
                    return true;
            }
        }
    }
    return false;
}

/* Whether bounds leave the argument block where it would be without: a block that they push out of the push constants
 * costs every launch something. */
static bool bounds_fit(const struct entry *e, uint32_t bytes)
{
    enum { IDS = 24 + 12 + 12 };
    uint64_t args = 0, values = IDS + bytes;
    for (uint32_t i = 0; i < e->lower->num_args; i++)
        args = align_up(args, e->lower->args[i].align) + e->lower->args[i].size;
    for (uint32_t v = 0; v < CLC_LAUNCH_COUNT; v++)
        values += e->lower->launch_variables[v][0] ? 8 * lower_launch_components((enum clc_launch_value)v) : 0;
    return align_up(args, 8) + values <= e->target->max_push_constants || args > e->target->max_push_constants;
}

static bool can_bound(const struct entry *e)
{
    enum { BOUND_AND_TILE = 12 + 4 };
    const struct lower *lower = e->lower;
    return !lower->options->any_size && !lower->required_size[0] && !lower->required_subgroup_size && !lower->flat &&
           !lower->out->local_size && !lower->out->uses_local_args && !has_barrier(e) && bounds_fit(e, BOUND_AND_TILE);
}

static bool can_pack(const struct entry *e, bool bounded)
{
    enum { NUM_GROUPS = 12 };
    return lower_groups_are_loose(e->lower) && !has_barrier(e) && (bounded || bounds_fit(e, NUM_GROUPS));
}

/* Puts a block with a branch before the kernel's code. What is computed at the kernel's start comes before the branch.
 */
static void begin_bounds(struct entry *e)
{
    struct spv_module *module = e->module;
    struct spv_function *kernel = e->lower->kernel;
    e->bounded = e->lower->out->can_bound = can_bound(e);
    e->lower->packs = e->lower->out->can_pack = can_pack(e, e->bounded);
    if (e->lower->packs)
        begin_packs(e);
    else if (!e->bounded)
        return;
    e->bounds = spv_const_inst(module, SpvOpSpecConstant, spv_type_int(module, 32), 1, (const uint32_t[]){0});
    spv_decorate(module, e->bounds, SpvDecorationSpecId, 1, (const uint32_t[]){CLC_SPEC_BOUNDS});
    struct spv_block *code = kernel->first_block, *beyond = spv_block_create(kernel, module, 0);
    spv_block_prepend(kernel, beyond);
    struct spv_builder b = {.module = module, .function = kernel, .block = beyond};
    spv_emit_void(&b, SpvOpReturn, 0, NULL);
    b.block = spv_block_create(kernel, module, 0);
    spv_block_prepend(kernel, b.block);
    for (struct spv_inst *inst; (inst = code->insts.first) && inst->op == SpvOpVariable;) {
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
    }
    spv_emitv_void(&b, SpvOpSelectionMerge, code->label->id, SpvSelectionControlMaskNone);
    e->leave =
        spv_emitv_void(&b, SpvOpBranchConditional, spv_const_bool(module, false), beyond->label->id, code->label->id);
    spv_cfg_forget(kernel);
}

/* Whether the work-item is within the range. */
static spv_id item_is_inside(struct entry *e, struct spv_builder *b)
{
    spv_id boolean = spv_type_bool(e->module), depth = launch(e, b->function, CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, 2);
    spv_id inside = spv_emitv(b, SpvOpULessThan, boolean, local_id(e, b, 2), depth);
    for (uint32_t c = 0; c < 3; c++) {
        spv_id bound = launch(e, b->function, CLC_LAUNCH_BOUND, c);
        spv_id below = spv_emitv(b, SpvOpULessThan, boolean, global_index(e, b, c), bound);
        inside = spv_emitv(b, SpvOpLogicalAnd, boolean, inside, below);
    }
    return inside;
}

/* Whether the work-group is: only in the dimension in which several share one of the device's it may not be. */
static spv_id group_is_inside(struct entry *e, struct spv_builder *b)
{
    spv_id boolean = spv_type_bool(e->module), inside = spv_const_bool(e->module, true);
    for (uint32_t c = 0; c < 3; c++) {
        spv_id below =
            spv_emitv(b, SpvOpULessThan, boolean, group_id(e, b, c), launch(e, b->function, CLC_LAUNCH_NUM_GROUPS, c));
        inside = spv_emitv(b, SpvOpSelect, boolean, e->packed[c], below, inside);
    }
    return inside;
}

static void end_bounds(struct entry *e)
{
    if (!e->bounds)
        return;
    spv_id boolean = spv_type_bool(e->module);
    struct spv_builder b = entry_at_start(e, e->lower->kernel);
    spv_id inside = e->bounded ? item_is_inside(e, &b) : group_is_inside(e, &b);
    spv_id checked = has_bounds(e, &b, SpvOpINotEqual, CLC_BOUNDS_WHOLE);
    e->leave->words[0] =
        spv_emitv(&b, SpvOpLogicalAnd, boolean, checked, spv_emitv(&b, SpvOpLogicalNot, boolean, inside));
}

void entry_rewrite_ids(struct entry *e)
{
    flatten(e);
    begin_bounds(e);
    rewrite_builtins(e);
    end_bounds(e);
}
