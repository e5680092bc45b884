/* Lowering of the collective instructions that Kernel SPIR-V has and Vulkan has not.
 *
 * Those of sub-groups become their non-uniform siblings, which do the same if the whole sub-group takes part (as OpenCL
 * C 3.0, 6.15.20 asks). Those of work-groups (6.15.16) take two steps, in a function of their own that is inlined
 * later. First each sub-group computes its part, and one item of it writes that to local memory. After a barrier every
 * item combines the parts of all sub-groups (reduction), or those of the sub-groups before its own (scan):
 *
 *     T collective(T value) {
 *         T part = sub_group_reduce(value);
 *         if (elect()) parts[sub_group_id] = part;
 *         barrier();
 *         T sum = identity;
 *         for (uint i = 0; i < limit; i++) sum = sum op parts[i];
 *         barrier();
 *         return scan ? sum op sub_group_scan(value) : sum;
 *     }
 *
 * The entry pass keeps sub-groups in the order of the linear local id, which makes the scans right. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/collective.h"
#include "compiler/lower/values/launch.h"

#include <stdio.h>
#include <string.h>

/* OpGroupNonUniformRotateKHR scope value delta [cluster]: item i takes the value of item (i + delta) modulo the size of
 * the cluster, which is a power of two. A shuffle does this without the extension. */
static spv_id lower_rotate(struct builtin_lowering *x)
{
    spv_id u32 = spv_type_int(x->module, 32), one = spv_const_u32(x->module, 1);
    spv_id self = lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id size = x->num_args > 3 ? x->args[3] : lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupMaxSize, 0);
    spv_id mask = lower_op2(x, SpvOpISub, u32, size, one), outside = lower_op1(x, SpvOpNot, u32, mask);
    spv_id moved = lower_op2(x, SpvOpIAdd, u32, self, lower_resize(x, u32, x->args[2], true));
    spv_id index = lower_op2(x, SpvOpBitwiseOr, u32, lower_op2(x, SpvOpBitwiseAnd, u32, self, outside),
                             lower_op2(x, SpvOpBitwiseAnd, u32, moved, mask));
    return spv_emitv(&x->b, SpvOpGroupNonUniformShuffle, x->type, x->args[0], x->args[1], index);
}

/* ---- the function of a work-group's collective ---- */

struct group_function {
    struct builtin_lowering *x;
    struct spv_function *function;
    struct spv_builder b;
    spv_id value, type;
    const struct collective *how;
};

/* The type of a value in local memory, which cannot hold booleans. */
static spv_id memory_type(struct spv_module *module, spv_id type)
{
    return spv_type_is_bool(module, type) ? spv_type_int(module, 32) : type;
}

/* An array with one part for each sub-group of the largest possible work-group. One array per type serves all
 * collectives, since their barriers keep them apart. */
static spv_id parts_variable(struct builtin_lowering *x, spv_id type)
{
    char name[32];
    snprintf(name, sizeof(name), "group_parts_%u", type);
    spv_id known = (spv_id)(uintptr_t)str_map_get(&x->library, name, strlen(name));
    if (known)
        return known;
    uint32_t size = x->lower->subgroup_size    ? x->lower->subgroup_size
                    : x->target->subgroup_size ? x->target->subgroup_size
                                               : 4;
    uint32_t count = (x->target->max_workgroup_size + size - 1) / size;
    spv_id array = spv_type_array(x->module, type, count ? count : 1);
    known = spv_global_variable(x->module, spv_type_pointer(x->module, SpvStorageClassWorkgroup, array),
                                SpvStorageClassWorkgroup, 0);
    const char *copy = arena_strndup(x->module->arena, name, strlen(name));
    str_map_set(x->module->arena, &x->library, copy, strlen(copy), (void *)(uintptr_t)known);
    return known;
}

static uint32_t part_align(const struct group_function *f, spv_id type)
{
    uint32_t lanes = spv_type_count(f->x->module, type);
    return spv_type_width(f->x->module, type) / 8 * (lanes == 3 ? 4 : lanes);
}

static spv_id part_pointer(struct group_function *f, spv_id index)
{
    struct spv_module *module = f->x->module;
    spv_id type = memory_type(module, f->type);
    return spv_emitv(&f->b, SpvOpInBoundsAccessChain, spv_type_pointer(module, SpvStorageClassWorkgroup, type),
                     parts_variable(f->x, type), index);
}

static spv_id load_part(struct group_function *f, spv_id index)
{
    struct spv_module *module = f->x->module;
    spv_id type = memory_type(module, f->type);
    spv_id value =
        spv_emitv(&f->b, SpvOpLoad, type, part_pointer(f, index), SpvMemoryAccessAlignedMask, part_align(f, type));
    return type == f->type ? value : spv_emitv(&f->b, SpvOpINotEqual, f->type, value, spv_const_u32(module, 0));
}

static void store_part(struct group_function *f, spv_id index, spv_id value)
{
    struct spv_module *module = f->x->module;
    spv_id type = memory_type(module, f->type);
    if (type != f->type)
        value = spv_emitv(&f->b, SpvOpSelect, type, value, spv_const_u32(module, 1), spv_const_u32(module, 0));
    spv_emitv_void(&f->b, SpvOpStore, part_pointer(f, index), value, SpvMemoryAccessAlignedMask, part_align(f, type));
}

static void local_barrier(struct group_function *f)
{
    spv_id scope = spv_const_u32(f->x->module, SpvScopeWorkgroup);
    spv_emitv_void(
        &f->b, SpvOpControlBarrier, scope, scope,
        spv_const_u32(f->x->module, SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask));
}

static struct spv_block *new_block(struct group_function *f)
{
    return spv_block_create(f->function, f->x->module, 0);
}

static void enter(struct group_function *f, struct spv_block *block)
{
    spv_block_append(f->function, block);
    f->b.block = block;
}

/* if (condition) parts[index] = value; barrier() */
static void publish(struct group_function *f, spv_id condition, spv_id index, spv_id value)
{
    struct spv_block *then = new_block(f), *merge = new_block(f);
    spv_emitv_void(&f->b, SpvOpSelectionMerge, merge->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&f->b, SpvOpBranchConditional, condition, then->label->id, merge->label->id);
    enter(f, then);
    store_part(f, index, value);
    spv_emitv_void(&f->b, SpvOpBranch, merge->label->id);
    enter(f, merge);
    local_barrier(f);
}

static spv_id combine(struct group_function *f, spv_id a, spv_id b)
{
    return lower_combine(&f->b, f->how, f->type, a, b);
}

/* Combines the parts below limit. */
static spv_id combine_parts(struct group_function *f, spv_id limit)
{
    struct spv_module *module = f->x->module;
    spv_id u32 = spv_type_int(module, 32), next = spv_new_id(module), sum = spv_new_id(module),
           start = lower_collective_identity(module, f->how, f->type);
    struct spv_block *before = f->b.block, *head = new_block(f), *body = new_block(f), *again = new_block(f),
                     *done = new_block(f);
    spv_emitv_void(&f->b, SpvOpBranch, head->label->id);
    enter(f, head);
    spv_id index = spv_emitv(&f->b, SpvOpPhi, u32, spv_const_u32(module, 0), before->label->id, next, again->label->id);
    spv_id so_far = spv_emitv(&f->b, SpvOpPhi, f->type, start, before->label->id, sum, again->label->id);
    spv_id more = spv_emitv(&f->b, SpvOpULessThan, spv_type_bool(module), index, limit);
    spv_emitv_void(&f->b, SpvOpLoopMerge, done->label->id, again->label->id, SpvLoopControlMaskNone);
    spv_emitv_void(&f->b, SpvOpBranchConditional, more, body->label->id, done->label->id);
    enter(f, body);
    spv_id combined = combine(f, so_far, load_part(f, index));
    const uint32_t copied[] = {combined}, words[] = {index, spv_const_u32(module, 1)};
    spv_inst_insert(&f->b, spv_inst_create(module, SpvOpCopyObject, f->type, sum, 1, copied));
    spv_emitv_void(&f->b, SpvOpBranch, again->label->id);
    enter(f, again);
    spv_inst_insert(&f->b, spv_inst_create(module, SpvOpIAdd, u32, next, 2, words));
    spv_emitv_void(&f->b, SpvOpBranch, head->label->id);
    enter(f, done);
    return so_far;
}

static void arithmetic_body(struct group_function *f, uint32_t operation)
{
    struct builtin_lowering *x = f->x;
    bool vote = f->how->group == SpvOpGroupAll || f->how->group == SpvOpGroupAny, scan = operation != 0;
    spv_id subgroup = spv_const_u32(x->module, SpvScopeSubgroup), part, mine = 0;
    spv_id id = lower_emit_builtin(x->lower, &f->b, SpvBuiltInSubgroupId, 0);
    SpvOp op = (SpvOp)f->how->non_uniform;
    if (vote)
        part = spv_emitv(&f->b, op, f->type, subgroup, f->value);
    else
        part = spv_emitv(&f->b, op, f->type, subgroup, SpvGroupOperationReduce, f->value);
    if (scan)
        mine = spv_emitv(&f->b, op, f->type, subgroup, operation, f->value);
    publish(f, spv_emitv(&f->b, SpvOpGroupNonUniformElect, spv_type_bool(x->module), subgroup), id, part);
    spv_id limit = scan ? id : lower_emit_builtin(x->lower, &f->b, SpvBuiltInNumSubgroups, 0);
    spv_id result = combine_parts(f, limit);
    local_barrier(f);
    spv_emitv_void(&f->b, SpvOpReturnValue, scan ? combine(f, result, mine) : result);
}

/* (value, linear local id of the one whose value all get) */
static void broadcast_body(struct group_function *f, spv_id target)
{
    struct builtin_lowering *x = f->x;
    spv_id self = lower_emit_builtin(x->lower, &f->b, SpvBuiltInLocalInvocationIndex, 0);
    spv_id zero = spv_const_u32(x->module, 0);
    publish(f, spv_emitv(&f->b, SpvOpIEqual, spv_type_bool(x->module), self, target), zero, f->value);
    spv_id result = load_part(f, zero);
    local_barrier(f);
    spv_emitv_void(&f->b, SpvOpReturnValue, result);
}

/* Calls the function for op on values of that type, which is made for the first call of its kind. */
static spv_id call_group_function(struct builtin_lowering *x, uint16_t op, uint32_t operation, spv_id value,
                                  spv_id target)
{
    char name[64];
    const spv_id types[] = {spv_value_type(x->module, value), spv_type_int(x->module, 64)};
    uint32_t count = target ? 2 : 1;
    snprintf(name, sizeof(name), "group_%u_%u_%u", op, operation, types[0]);
    spv_id known = (spv_id)(uintptr_t)str_map_get(&x->library, name, strlen(name));
    if (!known) {
        known = spv_new_id(x->module);
        struct group_function f = {.x = x, .type = types[0], .how = lower_collective_of(op)};
        f.function = spv_function_create(x->module, known, spv_type_function(x->module, types[0], count, types), 0);
        f.b = (struct spv_builder){.module = x->module, .function = f.function};
        f.value = f.function->params.data[0]->id;
        enter(&f, new_block(&f));
        if (target)
            broadcast_body(&f, f.function->params.data[1]->id);
        else
            arithmetic_body(&f, operation);
        const char *copy = arena_strndup(x->module->arena, name, strlen(name));
        str_map_set(x->module->arena, &x->library, copy, strlen(copy), (void *)(uintptr_t)known);
    }
    return target ? spv_emitv(&x->b, SpvOpFunctionCall, types[0], known, value, target)
                  : spv_emitv(&x->b, SpvOpFunctionCall, types[0], known, value);
}

/* LocalId of OpGroupBroadcast (a number, or a vector of two or three) as a linear id. */
static spv_id linear_target(struct builtin_lowering *x, spv_id local)
{
    uint32_t lanes = spv_type_count(x->module, spv_value_type(x->module, local));
    spv_id u64 = spv_type_int(x->module, 64), linear = 0;
    for (uint32_t c = lanes < 3 ? lanes : 3; c-- > 0;) {
        spv_id id = lower_resize(x, u64, lower_lane(x, local, c), false);
        if (linear) {
            spv_id size = lower_emit_builtin(x->lower, &x->b, SpvBuiltInWorkgroupSize, c);
            linear = lower_op2(x, SpvOpIMul, u64, linear, size);
            linear = lower_op2(x, SpvOpIAdd, u64, linear, id);
        } else {
            linear = id;
        }
    }
    return linear;
}

static bool offered(struct builtin_lowering *x, spv_id type)
{
    bool narrow = !spv_type_is_bool(x->module, type) && spv_type_width(x->module, type) != 32;
    bool is_double = spv_type_is_float(x->module, type) && spv_type_width(x->module, type) == 64;
    if (!x->target->subgroup_arithmetic)
        return lower_fail(x->lower, "collective functions are not offered by this device");
    if (narrow && !is_double && !x->target->subgroup_extended_types)
        return lower_fail(x->lower, "the device has no collective functions of this type");
    return true;
}

static spv_id lower_work_group(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    if (op == SpvOpGroupBroadcast)
        return call_group_function(x, op, 0, x->args[1], linear_target(x, x->args[2]));
    if (op == SpvOpGroupAll || op == SpvOpGroupAny)
        return call_group_function(x, op, 0, x->args[1], 0);
    if (spv_type_is_vector(x->module, x->type) || x->inst->words[1] > SpvGroupOperationExclusiveScan) {
        lower_fail(x->lower, "%s of a work-group takes scalars, and reduces or scans", spv_op_name(op));
        return 0;
    }
    return offered(x, x->type) ? call_group_function(x, op, x->inst->words[1], x->args[2], 0) : 0;
}

/* Repeats an operation for each lane of a vector with more than four, which Vulkan does not have. */
static spv_id by_lanes(struct builtin_lowering *x, SpvOp op, spv_id id)
{
    spv_id lanes[16], component = spv_type_component(x->module, x->type);
    if (x->lanes <= 4)
        return spv_emitv(&x->b, op, x->type, x->args[0], x->args[1], id);
    for (uint32_t i = 0; i < x->lanes; i++)
        lanes[i] = spv_emitv(&x->b, op, component, x->args[0], lower_lane(x, x->args[1], i), id);
    return lower_gather(x, component, x->lanes, lanes);
}

spv_id lower_core_group(struct builtin_lowering *x)
{
    uint16_t op = x->inst->op;
    if (op == SpvOpGroupNonUniformRotateKHR)
        return lower_rotate(x);
    if (op == SpvOpGroupNonUniformBroadcast)
        return x->lanes > 4 ? by_lanes(x, SpvOpGroupNonUniformBroadcast, x->args[2]) : x->inst->id;
    uint64_t scope = SpvScopeWorkgroup;
    spv_const_value(x->module, x->args[0], &scope);
    if (scope != SpvScopeSubgroup)
        return lower_work_group(x);
    if (op == SpvOpGroupBroadcast)
        return by_lanes(x, SpvOpGroupNonUniformBroadcast,
                        lower_resize(x, spv_type_int(x->module, 32), x->args[2], false));
    SpvOp to = (SpvOp)lower_collective_of(op)->non_uniform;
    if (op == SpvOpGroupAll || op == SpvOpGroupAny)
        return spv_emitv(&x->b, to, x->type, x->args[0], x->args[1]);
    if (x->inst->words[1] != SpvGroupOperationReduce && x->lower->subgroup_size < x->lower->subgroup_lanes) {
        spv_id self = lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupLocalInvocationId, 0);
        return lower_scan(&x->b, lower_collective_of(op), x->inst->words[1], x->args[2], self, x->lower->subgroup_size);
    }
    return spv_emitv(&x->b, to, x->type, x->args[0], x->inst->words[1], x->args[2]);
}
