/* Stores to adjacent elements of global memory become one store of a vector, where the address is aligned:
 *
 *     c[16 * i] = x; c[16 * i + 1] = y; ...      =>      store(&c[16 * i], c, (x, y, ...))
 *
 *     void store(ulong to, ulong base, uint4 value)
 *     {
 *         if (base & 15) *(uint *)to = value.x, *(uint *)(to + 4) = value.y, ...
 *         else *(uint4 *)to = value;
 *     }
 *
 * The index tells that the element's distance from base is a multiple of the vector's size. base, such as a buffer's
 * address or a row's, is known only when the kernel runs, and is mostly the same for all work-items. So the function
 * tests it; drivers inline the function. Memory is at its worst when each work-item writes a few neighbouring words one
 * by one: a sort of 16 values per work-item runs three times as fast on NVIDIA's driver.
 *
 * Only plain stores are combined, with nothing between them that reads or writes global memory; volatile stores stay.
 */
#include "compiler/opt/opt.h"
#include "compiler/opt/neighbours.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STORES = 64, MAX_DEPTH = 6, MAX_ZEROS = 4 };

/* Stores whose addresses differ by constants, with no other access to global memory between them. */
struct group {
    spv_id start, type; /* of the elements */
    struct neighbour stores[MAX_STORES];
    uint32_t count;
    spv_id bases[MAX_ZEROS + 1]; /* see base_of(); 0: not asked for yet */
};

struct helper {
    spv_id type, element; /* of the vector and of what it is made of */
    spv_id function;
};

struct stores {
    struct spv_module *module;
    struct group group;
    VEC(struct helper) helpers;
    spv_id u32, u64;
    bool changed;
};

/* ---- what divides a number ---- */

static uint32_t zeros_below(const struct spv_module *module, spv_id id, uint32_t depth);

/* For a counter: the zeros that both its first value and its step have. */
static uint32_t zeros_below_phi(const struct spv_module *module, const struct spv_inst *phi, uint32_t depth)
{
    uint32_t zeros = 64;
    for (uint32_t i = 0; i + 1 < phi->num_words && zeros; i += 2) {
        const struct spv_inst *next = spv_def(module, phi->words[i]);
        bool step = next->op == SpvOpIAdd && next->words[0] == phi->id;
        zeros = (uint32_t)u64_min(zeros, zeros_below(module, step ? next->words[1] : phi->words[i], depth + 1));
    }
    return zeros;
}

static uint32_t zeros_below(const struct spv_module *module, spv_id id, uint32_t depth)
{
    const struct spv_inst *def = spv_def(module, id);
    uint64_t bits;
    if (spv_const_value(module, id, &bits))
        return bits ? (uint32_t)__builtin_ctzll(bits) : 64;
    if (!def->block || depth == MAX_DEPTH)
        return 0;
    switch (def->op) {
    case SpvOpPhi:
        return spv_type_is_int(module, def->type) ? zeros_below_phi(module, def, depth) : 0;
    case SpvOpIMul:
        return zeros_below(module, def->words[0], depth + 1) + zeros_below(module, def->words[1], depth + 1);
    case SpvOpShiftLeftLogical:
        return spv_const_value(module, def->words[1], &bits) && bits < 64
                   ? zeros_below(module, def->words[0], depth + 1) + (uint32_t)bits
                   : 0;
    case SpvOpBitwiseAnd: {
        uint32_t one = zeros_below(module, def->words[0], depth + 1);
        return (uint32_t)u64_max(one, zeros_below(module, def->words[1], depth + 1));
    }
    case SpvOpIAdd:
    case SpvOpISub: {
        uint32_t one = zeros_below(module, def->words[0], depth + 1);
        return one ? (uint32_t)u64_min(one, zeros_below(module, def->words[1], depth + 1)) : 0;
    }
    default:
        return spv_op_is_resize(def->op) ? zeros_below(module, def->words[0], depth + 1) : 0;
    }
}

uint32_t opt_zeros_below(const struct spv_module *module, spv_id id)
{
    return zeros_below(module, id, 0);
}

/* id without those summands that are multiples of 1 << zeros, also inside of an index that is widened and scaled. id
 * itself where there are no such summands. */
static spv_id strip(struct spv_builder *b, spv_id id, uint32_t zeros, uint32_t depth)
{
    const struct spv_module *module = b->module;
    const struct spv_inst *def = spv_def(module, id);
    uint64_t bits;
    if (!def->block || depth == MAX_DEPTH)
        return id;
    switch (def->op) {
    case SpvOpIAdd: {
        for (uint32_t i = 0; i < 2; i++) {
            if (zeros_below(module, def->words[i], 0) >= zeros)
                return strip(b, def->words[!i], zeros, depth + 1);
        }
        spv_id one = strip(b, def->words[0], zeros, depth + 1), other = strip(b, def->words[1], zeros, depth + 1);
        bool same = one == def->words[0] && other == def->words[1];
        return same ? id : spv_emitv(b, SpvOpIAdd, def->type, one, other);
    }
    case SpvOpShiftLeftLogical: {
        if (!spv_const_value(module, def->words[1], &bits) || bits >= zeros)
            return id;
        spv_id shifted = strip(b, def->words[0], zeros - (uint32_t)bits, depth + 1);
        return shifted == def->words[0] ? id : spv_emitv(b, def->op, def->type, shifted, def->words[1]);
    }
    case SpvOpSConvert:
    case SpvOpUConvert: {
        spv_id narrow = strip(b, def->words[0], zeros, depth + 1);
        return narrow == def->words[0] ? id : spv_emitv(b, def->op, def->type, narrow);
    }
    default:
        return id;
    }
}

/* ---- the function that stores ---- */

static void store_at(struct stores *s, struct spv_builder *b, spv_id address, spv_id type, spv_id value)
{
    spv_id pointer = spv_type_pointer(s->module, SpvStorageClassPhysicalStorageBuffer, type);
    spv_emitv_void(b, SpvOpStore, spv_emitv(b, SpvOpConvertUToPtr, pointer, address), value, SpvMemoryAccessAlignedMask,
                   neighbour_size(s->module, type));
}

/* Stores the vector. Bytes and 16-bit parts are stored as the words that they fill. */
static void store_whole(struct stores *s, struct spv_builder *b, spv_id address, spv_id type, spv_id value)
{
    uint32_t size = neighbour_size(s->module, type);
    if (spv_type_width(s->module, type) < 32) {
        type = size == 4 ? s->u32 : spv_type_vector(s->module, s->u32, size / 4);
        value = spv_emitv(b, SpvOpBitcast, type, value);
    }
    store_at(s, b, address, type, value);
}

static spv_id part_of(struct spv_builder *b, spv_id value, spv_id part, uint32_t i)
{
    uint32_t count = spv_type_count(b->module, part);
    if (count == 1)
        return spv_emitv(b, SpvOpCompositeExtract, part, value, i);
    return spv_emitv(b, SpvOpVectorShuffle, part, value, value, i * count, i * count + 1);
}

static void store_parts(struct stores *s, struct spv_builder *b, spv_id address, spv_id type, spv_id part, spv_id value)
{
    uint32_t count = spv_type_count(s->module, type) / spv_type_count(s->module, part);
    for (uint32_t i = 0; i < count; i++) {
        spv_id offset = spv_const_u64(s->module, i * neighbour_size(s->module, part));
        spv_id at = i ? spv_emitv(b, SpvOpIAdd, s->u64, address, offset) : address;
        store_at(s, b, at, part, part_of(b, value, part, i));
    }
}

static spv_id make_helper(struct stores *s, spv_id type, spv_id element)
{
    struct spv_module *module = s->module;
    const spv_id types[] = {s->u64, s->u64, type};
    spv_id none = spv_type_void(module), signature = spv_type_function(module, none, ARRAY_LENGTH(types), types);
    struct spv_function *function = spv_function_create(module, spv_new_id(module), signature, 0);
    struct spv_block *blocks[4];
    struct spv_builder at[4];
    for (uint32_t i = 0; i < ARRAY_LENGTH(blocks); i++) {
        blocks[i] = spv_block_create(function, module, 0);
        at[i] = (struct spv_builder){module, function, blocks[i], NULL, NULL};
        spv_block_append(function, blocks[i]);
    }
    spv_id to = function->params.data[0]->id, base = function->params.data[1]->id, value = function->params.data[2]->id;
    spv_id low = spv_emitv(&at[0], SpvOpUConvert, s->u32, base);
    low = spv_emitv(&at[0], SpvOpBitwiseAnd, s->u32, low, spv_const_u32(module, neighbour_size(module, type) - 1));
    spv_id aligned = spv_emitv(&at[0], SpvOpIEqual, spv_type_bool(module), low, spv_const_u32(module, 0));
    spv_emitv_void(&at[0], SpvOpSelectionMerge, blocks[3]->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&at[0], SpvOpBranchConditional, aligned, blocks[1]->label->id, blocks[2]->label->id);
    store_whole(s, &at[1], to, type, value);
    spv_emitv_void(&at[1], SpvOpBranch, blocks[3]->label->id);
    store_parts(s, &at[2], to, type, element, value);
    spv_emitv_void(&at[2], SpvOpBranch, blocks[3]->label->id);
    spv_emit_void(&at[3], SpvOpReturn, 0, NULL);
    return function->def->id;
}

static spv_id helper_of(struct stores *s, spv_id type, spv_id element)
{
    vec_foreach (struct helper, helper, &s->helpers) {
        if (helper->type == type && helper->element == element)
            return helper->function;
    }
    struct helper helper = {type, element, make_helper(s, type, element)};
    vec_push(s->module->arena, &s->helpers, helper);
    return helper.function;
}

/* ---- groups ---- */

/* A value that is a multiple of 1 << zeros exactly if the group's start is. It is the start itself where nothing is
 * known of that. */
static spv_id base_of(struct stores *s, struct spv_builder *at, uint32_t zeros)
{
    spv_id *base = &s->group.bases[zeros];
    if (!*base)
        *base = strip(at, s->group.start, zeros, 0);
    return *base;
}

static bool store_run(struct stores *s, const struct neighbour *stores, uint32_t count, struct spv_inst *place)
{
    struct group *group = &s->group;
    uint32_t size = neighbour_size(s->module, group->type), whole = size * count;
    if (!are_neighbours(stores, count, size))
        return false;
    struct spv_builder at = {s->module, place->block->function, place->block, place, NULL};
    spv_id base = base_of(s, &at, (uint32_t)__builtin_ctz(whole)), values[4];
    if (base == group->start)
        return false;
    for (uint32_t i = 0; i < count; i++)
        values[i] = stores[i].inst->words[1];
    uint32_t components = count * spv_type_count(s->module, group->type);
    spv_id type = spv_type_vector(s->module, spv_type_component(s->module, group->type), components);
    spv_id function = helper_of(s, type, group->type);
    spv_id value = spv_emit(&at, SpvOpCompositeConstruct, type, count, values);
    spv_emitv(&at, SpvOpFunctionCall, spv_type_void(s->module), function, stores[0].address, base, value);
    for (uint32_t i = 0; i < count; i++)
        spv_inst_remove(s->module, stores[i].inst);
    s->changed = true;
    return true;
}

/* Combines the stores of the group that can be combined, and places the new stores after the last one of the group. */
static void combine_group(struct stores *s)
{
    struct group *group = &s->group;
    uint32_t size = group->count > 1 ? neighbour_size(s->module, group->type) : 0, taken;
    uint32_t most = size ? 4 / spv_type_count(s->module, group->type) : 0;
    struct spv_inst *place = group->count > 1 ? group->stores[group->count - 1].inst->next : NULL;
    memset(group->bases, 0, sizeof(group->bases));
    if (size)
        qsort(group->stores, group->count, sizeof(struct neighbour), neighbours_by_offset);
    for (uint32_t i = 0; size && i < group->count; i += taken) {
        taken = 1;
        for (uint32_t count = size == 8 ? 2 : most; count >= (size < 4 ? most : 2) && taken == 1; count /= 2) {
            if (i + count <= group->count && store_run(s, &group->stores[i], count, place))
                taken = count;
        }
    }
    group->count = 0;
}

static bool overlaps(const struct group *group, int64_t offset, uint32_t size)
{
    for (uint32_t i = 0; i < group->count; i++) {
        if (offset < group->stores[i].offset + (int64_t)size && group->stores[i].offset < offset + (int64_t)size)
            return true;
    }
    return false;
}

static void add_store(struct stores *s, struct spv_inst *inst)
{
    struct spv_module *module = s->module;
    struct group *group = &s->group;
    const struct spv_inst *pointer = spv_def(module, inst->words[0]);
    spv_id type = spv_value_type(module, inst->words[1]);
    bool number = spv_type_is_int(module, type) || spv_type_is_float(module, type);
    uint32_t size = number ? neighbour_size(module, type) : 0;
    bool plain = inst->num_words == 4 && inst->words[2] == SpvMemoryAccessAlignedMask && inst->words[3] >= size;
    bool small = number && size <= 8 && spv_type_count(module, type) <= 2;
    if (!plain || !small || !pointer->block || pointer->op != SpvOpConvertUToPtr) {
        combine_group(s);
        return;
    }
    int64_t offset;
    spv_id start = neighbour_start(module, pointer->words[0], &offset);
    if (group->count &&
        (group->count == MAX_STORES || start != group->start || type != group->type || overlaps(group, offset, size)))
        combine_group(s);
    group->start = start;
    group->type = type;
    group->stores[group->count] = (struct neighbour){inst, pointer->words[0], offset, group->count};
    group->count++;
}

static void visit(struct stores *s, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpStore:
        if (is_global_pointer(s->module, inst->words[0]))
            add_store(s, inst);
        return;
    case SpvOpLoad:
        if (is_global_pointer(s->module, inst->words[0]))
            combine_group(s);
        return;
    case SpvOpPhi:
        return;
    default:
        if (!spv_op_is_line(inst->op) && !spv_inst_is_pure(inst))
            combine_group(s);
    }
}

bool opt_stores(struct spv_module *module, struct spv_function *function)
{
    struct stores s = {.module = module, .u32 = spv_type_int(module, 32), .u64 = spv_type_int(module, 64)};
    spv_foreach_block (block, function) {
        /* The block's terminator is among these, and ends the last group. */
        spv_foreach_inst_safe (inst, &block->insts)
            visit(&s, inst);
    }
    return s.changed;
}
