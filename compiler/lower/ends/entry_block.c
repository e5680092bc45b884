/* The argument block: where arguments and launch values lie in it, and how they are read.
 *
 * Arguments lie in order, each at its natural alignment; the launch values that are used follow. The block is the push
 * constants themselves, or, when it is too large for them, memory whose address is the only push constant. A first walk
 * over what is read finds the members of the push constants' struct, a second one reads them. Each function reads a
 * value once, at its start. */
#include "compiler/lower/ends/entry.h"
#include "compiler/lower/values/launch.h"
#include "compiler/spv/layout.h"

#include "base/util.h"

#include <stdlib.h>

/* ---- layout ---- */

/* Sets the flags of each Input variable that is read. */
static void find_read(struct entry *e)
{
    spv_foreach_inst (inst, &e->module->sections[SPV_SECTION_GLOBAL])
        inst->flags = 0;
    vec_foreach (struct spv_inst *, read, &e->reads)
        spv_def(e->module, (*read)->words[0])->flags = 1;
}

/* What the launch tells of pointer arguments. Returns the block's end. */
static uint32_t lay_out_limits(struct entry *e, uint32_t at)
{
    struct lower *lower = e->lower;
    if (!lower->arg_limits.length)
        return at;
    int32_t *offsets = arena_array(lower->arena, int32_t, lower->num_args * CLC_LIMIT_COUNT);
    for (uint32_t i = 0; i < lower->num_args * CLC_LIMIT_COUNT; i++)
        offsets[i] = -1;
    vec_foreach (struct lower_arg_limit, limit, &lower->arg_limits) {
        const struct spv_inst *variable = spv_def(e->module, limit->variable);
        if (!variable || !variable->flags)
            continue;
        at = (uint32_t)align_up(at, 8);
        offsets[limit->arg * CLC_LIMIT_COUNT + limit->which] = (int32_t)at;
        at += 8;
    }
    lower->out->arg_limit = offsets;
    return at;
}

static void lay_out_block(struct entry *e)
{
    struct lower *lower = e->lower;
    uint32_t at = 0;
    uint32_t *offsets = arena_array(lower->arena, uint32_t, lower->num_args + 1u);
    for (uint32_t i = 0; i < lower->num_args; i++)
        offsets[i] = e->used[lower->kernel->params.data[i]->id] ? 0 : UINT32_MAX;
    vec_foreach (struct lower_arg_leaf, leaf, &lower->arg_leaves) {
        const struct spv_inst *variable = spv_def(e->module, leaf->variable);
        if (variable && variable->flags)
            offsets[leaf->arg] = 0;
    }
    for (uint32_t i = 0; i < lower->num_args; i++) {
        if (offsets[i] == UINT32_MAX)
            continue;
        at = (uint32_t)align_up(at, lower->args[i].align);
        offsets[i] = at;
        at += lower->args[i].size;
    }
    lower->out->arg_offset = offsets;
    at = lay_out_limits(e, at);
    for (uint32_t v = 0; v < CLC_LAUNCH_COUNT; v++) {
        bool used = false;
        for (uint32_t c = 0; c < 3; c++) {
            spv_id variable = lower->launch_variables[v][c];
            const struct spv_inst *def = variable ? spv_def(e->module, variable) : NULL;
            used |= def && def->flags;
        }
        lower->out->launch_offset[v] = -1;
        if (!used)
            continue;
        uint32_t size = lower_launch_value_is_64((enum clc_launch_value)v) ? 8 : 4;
        at = (uint32_t)align_up(at, size);
        lower->out->launch_offset[v] = (int32_t)at;
        at += size * lower_launch_components((enum clc_launch_value)v);
    }
    lower->out->block_size = (uint32_t)align_up(at, 4);
    e->by_address = lower->out->block_size > e->target->max_push_constants;
    lower->out->block_in_push_constants = !e->by_address;
}

/* The offset in the argument block of the value that an Input variable stands for. */
static bool place_of(struct entry *e, spv_id variable, uint32_t *offset)
{
    struct lower *lower = e->lower;
    for (uint32_t v = 0; v < CLC_LAUNCH_COUNT; v++) {
        for (uint32_t c = 0; c < 3; c++) {
            if (lower->launch_variables[v][c] != variable)
                continue;
            *offset = (uint32_t)lower->out->launch_offset[v] +
                      c * (lower_launch_value_is_64((enum clc_launch_value)v) ? 8 : 4);
            return true;
        }
    }
    vec_foreach (struct lower_arg_limit, limit, &lower->arg_limits) {
        if (limit->variable == variable) {
            *offset = (uint32_t)lower->out->arg_limit[limit->arg * CLC_LIMIT_COUNT + limit->which];
            return true;
        }
    }
    vec_foreach (struct lower_arg_leaf, leaf, &lower->arg_leaves) {
        if (leaf->variable == variable) {
            *offset = lower->out->arg_offset[leaf->arg] + leaf->offset;
            return true;
        }
    }
    return false;
}

/* ---- reads ---- */

static uint32_t narrow_size(struct entry *e, spv_id scalar)
{
    uint32_t size = (uint32_t)spv_layout_of(&e->layouts, scalar)->size;
    if (e->by_address)
        return (size == 1 && !e->target->storage8) || (size == 2 && !e->target->storage16) ? size : 0;
    return (size == 1 && !e->target->push_constant8) || (size == 2 && !e->target->push_constant16) ? size : 0;
}

static void add_member(struct entry *e, uint32_t offset, spv_id type)
{
    for (uint32_t i = 0; i < e->members.length; i++) {
        if (e->members.data[i].offset == offset)
            return;
    }
    vec_push(e->lower->module->arena, &e->members, (struct entry_member){offset, type});
}

/* The address of a place in the block, which is in memory. */
static spv_id block_address(struct entry *e, struct spv_builder *b, uint32_t offset)
{
    struct spv_module *module = e->module;
    spv_id u64 = spv_type_int(module, 64), zero = spv_const_u32(module, 0);
    spv_id pointer = spv_emitv(b, SpvOpAccessChain, spv_type_pointer(module, SpvStorageClassPushConstant, u64),
                               e->block_variable, zero);
    spv_id address = spv_emitv(b, SpvOpLoad, u64, pointer);
    return offset ? spv_emitv(b, SpvOpIAdd, u64, address, spv_const_u64(module, offset)) : address;
}

/* Reads what one Vulkan access of the block can: a scalar, or a vector of up to four. */
static spv_id read_member(struct entry *e, struct spv_builder *b, uint32_t offset, spv_id type)
{
    struct spv_module *module = e->module;
    if (e->by_address) {
        spv_id address = block_address(e, b, offset);
        spv_id pointer = spv_emitv(b, SpvOpConvertUToPtr,
                                   spv_type_pointer(module, SpvStorageClassPhysicalStorageBuffer, type), address);
        uint32_t align = spv_layout_of(&e->layouts, type)->align | offset | 16;
        return spv_emitv(b, SpvOpLoad, type, pointer, SpvMemoryAccessAlignedMask, align & -align);
    }
    if (e->planning) {
        add_member(e, offset, type);
        return spv_undef(module, type);
    }
    uint32_t index = 0;
    while (index < e->members.length && e->members.data[index].offset != offset)
        index++;
    spv_id pointer = spv_emitv(b, SpvOpAccessChain, spv_type_pointer(module, SpvStorageClassPushConstant, type),
                               e->block_variable, spv_const_u32(module, index));
    return spv_emitv(b, SpvOpLoad, type, pointer);
}

static spv_id bitcast(struct spv_builder *b, spv_id value, spv_id type)
{
    return spv_value_type(b->module, value) == type ? value : spv_emitv(b, SpvOpBitcast, type, value);
}

static spv_id read_scalar(struct entry *e, struct spv_builder *b, uint32_t offset, spv_id type);

/* Reads an unaligned member of a packed struct byte by byte: Vulkan's blocks have no unaligned members. */
static spv_id read_bytes(struct entry *e, struct spv_builder *b, uint32_t offset, spv_id type, uint32_t size)
{
    spv_id bits = spv_type_int(e->module, size * 8), value = 0;
    for (uint32_t i = 0; i < size; i++) {
        spv_id byte = read_scalar(e, b, offset + i, spv_type_int(e->module, 8));
        byte = spv_emitv(b, SpvOpUConvert, bits, byte);
        if (i)
            byte = spv_emitv(b, SpvOpShiftLeftLogical, bits, byte, spv_const_u32(e->module, i * 8));
        value = i ? spv_emitv(b, SpvOpBitwiseOr, bits, value, byte) : byte;
    }
    return bitcast(b, value, type);
}

static spv_id read_scalar(struct entry *e, struct spv_builder *b, uint32_t offset, spv_id type)
{
    uint32_t size = narrow_size(e, type), bytes = (uint32_t)spv_layout_of(&e->layouts, type)->size;
    spv_id u32 = spv_type_int(e->module, 32);
    if (offset % bytes)
        return read_bytes(e, b, offset, type, bytes);
    if (!size) {
        spv_id bits = spv_type_int(e->module, spv_type_width(e->module, type));
        bool small = spv_type_width(e->module, type) < 32;
        return bitcast(b, read_member(e, b, offset, small ? bits : type), type);
    }
    spv_id word = read_member(e, b, offset & ~3u, u32);
    if (offset & 3)
        word = spv_emitv(b, SpvOpShiftRightLogical, u32, word, spv_const_u32(e->module, (offset & 3) * 8));
    return bitcast(b, spv_emitv(b, SpvOpUConvert, spv_type_int(e->module, size * 8), word), type);
}

static spv_id read_block(struct entry *e, struct spv_builder *b, uint32_t offset, spv_id type)
{
    if (!spv_type_is_vector(e->module, type))
        return read_scalar(e, b, offset, type);
    spv_id component = spv_type_component(e->module, type), parts[16];
    uint32_t count = spv_type_count(e->module, type), size = (uint32_t)spv_layout_of(&e->layouts, component)->size;
    uint32_t most = size == 8 && !e->target->int64 ? 2 : 4; /* what a pair of words per number leaves room for */
    uint32_t step = size < 4 || offset % size || count % most == 1 ? 1 : count > most ? most : count, n = 0;
    for (uint32_t i = 0; i < count; i += step) {
        uint32_t at = offset + i * size;
        parts[n++] = step == 1 ? read_scalar(e, b, at, component)
                               : read_member(e, b, at, spv_type_vector(e->module, component, step));
    }
    return n == 1 ? parts[0] : spv_emit(b, SpvOpCompositeConstruct, type, n, parts);
}

static int by_offset(const void *a, const void *b)
{
    const struct entry_member *left = a, *right = b;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void make_block_variable(struct entry *e)
{
    struct spv_module *module = e->module;
    if (e->by_address) {
        e->members.length = 0;
        vec_push(e->lower->module->arena, &e->members, (struct entry_member){0, spv_type_int(module, 64)});
    }
    if (!e->members.length)
        return;
    qsort(e->members.data, e->members.length, sizeof(struct entry_member), by_offset);
    spv_id *types = arena_array(e->lower->module->arena, spv_id, e->members.length);
    for (uint32_t i = 0; i < e->members.length; i++)
        types[i] = e->members.data[i].type;
    spv_id type = spv_type_struct(module, e->members.length, types);
    spv_decorate(module, type, SpvDecorationBlock, 0, NULL);
    for (uint32_t i = 0; i < e->members.length; i++)
        spv_decorate_member(module, type, i, SpvDecorationOffset, 1, &e->members.data[i].offset);
    e->block_variable = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassPushConstant, type),
                                            SpvStorageClassPushConstant, 0);
}

static spv_id read_once(struct entry *e, struct spv_function *function, uint32_t offset, spv_id type)
{
    uint64_t key = (uint64_t)function->def->id << 32 | offset;
    void *known = e->planning ? NULL : u64_map_get(&e->values, key);
    if (known && spv_value_type(e->module, (spv_id)(uintptr_t)known) == type)
        return (spv_id)(uintptr_t)known;
    struct spv_builder b = entry_at_start(e, function);
    spv_id value = read_block(e, &b, offset, type);
    if (!e->planning)
        u64_map_set(e->lower->module->arena, &e->values, key, (void *)(uintptr_t)value);
    return value;
}

/* Replaces parameters and launch values by reads of the block. While planning, nothing is replaced: the walk only finds
 * out which members the block will have. */
static void read_values(struct entry *e)
{
    struct spv_function *kernel = e->lower->kernel;
    for (uint32_t i = 0; i < e->lower->num_args; i++) {
        struct spv_inst *param = kernel->params.data[i];
        if (!e->used[param->id])
            continue;
        uint32_t offset = e->lower->out->arg_offset[i];
        struct spv_builder b = entry_at_start(e, kernel);
        spv_id value = e->lower->args[i].by_place ? e->planning ? 0 : block_address(e, &b, offset)
                                                  : read_once(e, kernel, offset, param->type);
        if (e->planning)
            continue;
        spv_replace(e->module, &e->replacements, param->id, value);
        if (e->lower->args[i].is_address)
            spv_def(e->module, value)->hints.is_argument = true;
    }
    vec_foreach (struct spv_inst *, at, &e->reads) {
        struct spv_inst *read = *at;
        uint32_t offset;
        if (!place_of(e, read->words[0], &offset))
            continue;
        spv_id value = read_once(e, read->block->function, offset, read->type);
        if (e->planning)
            continue;
        spv_replace(e->module, &e->replacements, read->id, value);
        spv_def(e->module, value)->hints.is_id |= read->hints.is_id;
    }
}

/* Finds again where each function's code begins, after its variables: reads come before the ids that entry_ids.c computed
 * from them there. */
static void set_starts(struct entry *e)
{
    spv_foreach_function (function, e->module) {
        function->user = NULL;
        if (function->first_block)
            entry_at_start(e, function);
    }
}

void entry_read_block(struct entry *e)
{
    find_read(e);
    lay_out_block(e);
    set_starts(e);
    if (!e->by_address) {
        e->planning = true;
        read_values(e);
        e->planning = false;
    }
    make_block_variable(e);
    read_values(e);
}

void entry_remove_reads(struct entry *e)
{
    vec_foreach (struct spv_inst *, read, &e->reads) {
        uint32_t offset;
        if (place_of(e, (*read)->words[0], &offset))
            spv_inst_remove(e->module, *read);
    }
}
