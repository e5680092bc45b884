/* Structs and arrays as values are taken apart into leaves (scalars, vectors, pointers). After this pass every value is
 * a leaf, and every load and store moves one leaf.
 *
 *     %s = OpLoad %struct %p              %a = OpLoad %int %p.0        %b = OpLoad %float %p.1
 *     %x = OpCompositeExtract %int %s 0   (uses of %x become %a)
 *     OpStore %q %s                       OpStore %q.0 %a              OpStore %q.1 %b
 *
 * The pass runs before SROA, so that SROA can split variables which are only ever copied whole. Copies of large objects
 * are not unrolled: a load whose only use is a store becomes OpCopyMemory, a large constant is put into constant memory
 * and copied from there, and the memory pass makes loops of these copies. Conversely, OpCopyMemory of a small object
 * becomes loads and stores of leaves. */
#include "compiler/lower/memory/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/spv/layout.h"

#include "base/util.h"

#include <string.h>

#define SMALL_COPY 32 /* leaves that a copy is unrolled to */
#define MAX_LEAVES 4096

struct leaf {
    spv_id type;
    uint64_t offset;
    uint32_t depth;
    uint32_t *path; /* literal indices */
};

struct shape { /* an aggregate type's leaves, in order */
    uint32_t count;
    struct leaf *leaves;
};

struct aggregates {
    struct lower *lower;
    struct arena *arena;
    struct spv_module *module;
    struct spv_layouts layouts;
    struct u64_map shapes; /* type -> struct shape */
    struct u64_map values; /* aggregate value -> spv_id[count] */
    struct u64_map uses;   /* aggregate that is loaded -> number of uses in the function */
    struct spv_replacements replacements;
    VEC(struct spv_inst *) phis;
    uint64_t total; /* leaves made: bounds the work on hostile input */
};

static void collect(struct aggregates *a, struct shape *shape, spv_id type, uint64_t offset, uint32_t *path,
                    uint32_t depth)
{
    if (!spv_type_is_aggregate(a->module, type)) {
        struct leaf *leaf = &shape->leaves[shape->count++];
        leaf->type = type;
        leaf->offset = offset;
        leaf->depth = depth;
        leaf->path = arena_array(a->arena, uint32_t, depth + 1u);
        memcpy(leaf->path, path, depth * sizeof(uint32_t));
        return;
    }
    uint64_t count = spv_member_count(a->module, type);
    for (uint64_t i = 0; i < count && shape->count < MAX_LEAVES; i++) {
        uint64_t at;
        spv_id member = spv_layout_member(&a->layouts, type, i, &at);
        if (!spv_layout_of(&a->layouts, member)->leaves)
            continue;
        path[depth] = (uint32_t)i;
        collect(a, shape, member, offset + at, path, depth + 1);
    }
}

/* The leaves of a type; NULL where it has too many. */
static const struct shape *shape_of(struct aggregates *a, spv_id type)
{
    struct shape *shape = u64_map_get(&a->shapes, type);
    if (shape)
        return shape;
    uint32_t leaves = spv_layout_of(&a->layouts, type)->leaves, path[SPV_LAYOUT_MAX_NESTING];
    if (leaves > MAX_LEAVES)
        return NULL;
    shape = arena_new(a->arena, struct shape);
    shape->leaves = arena_array(a->arena, struct leaf, leaves + 1u);
    collect(a, shape, type, 0, path, 0);
    u64_map_set(a->arena, &a->shapes, type, shape);
    return shape;
}

/* Finds which leaves [first, first + count) of type a path of literal indices leads to, and what is left of the path
 * inside of a leaf. */
static bool find_range(struct aggregates *a, spv_id type, uint32_t num, const uint32_t *path, uint32_t *first,
                       uint32_t *used, spv_id *found)
{
    *first = *used = 0;
    while (*used < num && spv_type_is_aggregate(a->module, type)) {
        uint64_t count = spv_member_count(a->module, type), at;
        uint32_t index = path[(*used)++];
        if (index >= count)
            return false;
        if (spv_type_op(a->module, type) == SpvOpTypeArray) {
            type = spv_layout_member(&a->layouts, type, 0, &at);
            *first += index * spv_layout_of(&a->layouts, type)->leaves;
            continue;
        }
        for (uint32_t i = 0; i < index; i++)
            *first += spv_layout_of(&a->layouts, spv_layout_member(&a->layouts, type, i, &at))->leaves;
        type = spv_layout_member(&a->layouts, type, index, &at);
    }
    *found = type;
    return true;
}

static spv_id resolve(struct aggregates *a, spv_id id)
{
    return spv_replaced(&a->replacements, id);
}

static const spv_id *leaves_of(struct aggregates *a, spv_id value);

static void constant_leaves(struct aggregates *a, const struct spv_inst *constant, spv_id *leaves)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < constant->num_words; i++) {
        spv_id member = constant->words[i], type = spv_value_type(a->module, member);
        uint32_t count = spv_layout_of(&a->layouts, type)->leaves;
        if (!spv_type_is_aggregate(a->module, type)) {
            leaves[at] = member;
        } else {
            const spv_id *inner = leaves_of(a, member);
            if (inner)
                memcpy(leaves + at, inner, count * sizeof(spv_id));
        }
        at += count;
    }
}

/* The leaf values of an aggregate value; NULL where they cannot be known (an error is set). */
static const spv_id *leaves_of(struct aggregates *a, spv_id value)
{
    value = resolve(a, value);
    spv_id *leaves = u64_map_get(&a->values, value);
    if (leaves)
        return leaves;
    const struct spv_inst *def = spv_def(a->module, value);
    const struct shape *shape = def ? shape_of(a, def->type) : NULL;
    if (!shape) {
        lower_fail(a->lower, "a struct or array of more than %u elements is used as a value", MAX_LEAVES);
        return NULL;
    }
    leaves = arena_array(a->arena, spv_id, shape->count + 1u);
    switch (def->op) {
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        constant_leaves(a, def, leaves);
        break;
    case SpvOpConstantNull:
        for (uint32_t i = 0; i < shape->count; i++)
            leaves[i] = spv_const_null(a->module, shape->leaves[i].type);
        break;
    case SpvOpUndef:
        for (uint32_t i = 0; i < shape->count; i++)
            leaves[i] = spv_undef(a->module, shape->leaves[i].type);
        break;
    default:
        lower_fail(a->lower, "%s of a struct or array is not supported", spv_op_name(def->op));
        return NULL;
    }
    u64_map_set(a->arena, &a->values, value, leaves);
    return leaves;
}

static spv_id *new_leaves(struct aggregates *a, spv_id value, uint32_t count)
{
    spv_id *leaves = arena_array(a->arena, spv_id, count + 1u);
    u64_map_set(a->arena, &a->values, value, leaves);
    a->total += count;
    return leaves;
}

/* ---- memory ---- */

static uint32_t aligned_at(uint64_t align, uint64_t offset)
{
    uint64_t both = align | offset;
    return (uint32_t)(both & -both);
}

static spv_id leaf_pointer(struct aggregates *a, struct spv_builder *b, spv_id pointer, const struct leaf *leaf)
{
    if (!leaf->depth)
        return pointer;
    spv_id type = spv_value_type(a->module, pointer);
    uint32_t words[1 + SPV_LAYOUT_MAX_NESTING] = {pointer};
    for (uint32_t i = 0; i < leaf->depth; i++)
        words[i + 1] = spv_const_u32(a->module, leaf->path[i]);
    return spv_emit(b, SpvOpInBoundsAccessChain,
                    spv_type_pointer(a->module, spv_pointer_storage(a->module, type), leaf->type), leaf->depth + 1,
                    words);
}

static spv_id load_leaf(struct aggregates *a, struct spv_builder *b, spv_id pointer, const struct leaf *leaf,
                        const struct lower_access *access)
{
    return spv_emitv(b, SpvOpLoad, leaf->type, leaf_pointer(a, b, pointer, leaf),
                     SpvMemoryAccessAlignedMask | (access->is_volatile ? SpvMemoryAccessVolatileMask : 0),
                     aligned_at(access->align, leaf->offset));
}

static void store_leaf(struct aggregates *a, struct spv_builder *b, spv_id pointer, const struct leaf *leaf,
                       spv_id value, const struct lower_access *access)
{
    spv_emitv_void(b, SpvOpStore, leaf_pointer(a, b, pointer, leaf), value,
                   SpvMemoryAccessAlignedMask | (access->is_volatile ? SpvMemoryAccessVolatileMask : 0),
                   aligned_at(access->align, leaf->offset));
}

static struct lower_access access_of(struct aggregates *a, const struct spv_inst *inst, uint32_t first, spv_id type)
{
    struct lower_access access = lower_read_access(inst, first);
    if (!access.align)
        access.align = spv_layout_of(&a->layouts, type)->align;
    return access;
}

static void copy_small(struct aggregates *a, struct spv_inst *inst, spv_id type, spv_id dst, spv_id src, uint32_t first)
{
    const struct shape *shape = shape_of(a, type);
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    struct lower_access access = access_of(a, inst, first, type);
    spv_id *values = arena_array(a->arena, spv_id, shape->count + 1u);
    for (uint32_t i = 0; i < shape->count; i++)
        values[i] = load_leaf(a, &b, src, &shape->leaves[i], &access);
    for (uint32_t i = 0; i < shape->count; i++)
        store_leaf(a, &b, dst, &shape->leaves[i], values[i], &access);
    spv_inst_remove(a->module, inst);
}

/* The pointer without casts that only change the pointee: OpCopyMemorySized takes pointers that were cast to bytes. */
static spv_id strip_casts(struct aggregates *a, spv_id pointer)
{
    for (uint32_t steps = 0; steps < 64; steps++) {
        const struct spv_inst *def = spv_def(a->module, resolve(a, pointer));
        if (!def || def->op != SpvOpBitcast)
            break;
        spv_id type = spv_value_type(a->module, def->words[0]);
        if (!spv_type_is_pointer(a->module, type))
            break;
        pointer = def->words[0];
    }
    return resolve(a, pointer);
}

/* Whether a type has padding. A sized copy moves padding as well, and it may be the content of another member of a
 * union. */
static bool has_padding(struct aggregates *a, spv_id type)
{
    const struct shape *shape = shape_of(a, type);
    uint64_t sum = 0;
    for (uint32_t i = 0; shape && i < shape->count; i++) {
        spv_id leaf = shape->leaves[i].type;
        sum += spv_layout_of(&a->layouts, leaf)->size;
        if (spv_type_is_vector(a->module, leaf) && spv_type_count(a->module, leaf) == 3)
            return true;
    }
    return !shape || sum != spv_layout_of(&a->layouts, type)->size;
}

static void lower_copy(struct aggregates *a, struct spv_inst *inst)
{
    uint64_t size = 0;
    bool sized = inst->op == SpvOpCopyMemorySized;
    spv_id dst = strip_casts(a, inst->words[0]), src = strip_casts(a, inst->words[1]);
    spv_id type = spv_pointer_pointee(a->module, spv_value_type(a->module, dst));
    if (sized && !spv_const_value(a->module, inst->words[2], &size))
        return;
    if (type != spv_pointer_pointee(a->module, spv_value_type(a->module, src)) ||
        (sized && spv_layout_of(&a->layouts, type)->size != size) ||
        spv_layout_of(&a->layouts, type)->leaves > SMALL_COPY || (sized && has_padding(a, type)))
        return;
    copy_small(a, inst, type, dst, src, sized ? 3 : 2);
}

static void split_load(struct aggregates *a, struct spv_inst *inst)
{
    const struct shape *shape = shape_of(a, inst->type);
    if (!shape) {
        lower_fail(a->lower, "a struct or array of more than %u elements is used as a value", MAX_LEAVES);
        return;
    }
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    struct lower_access access = access_of(a, inst, 1, inst->type);
    spv_id *leaves = new_leaves(a, inst->id, shape->count);
    for (uint32_t i = 0; i < shape->count; i++)
        leaves[i] = load_leaf(a, &b, resolve(a, inst->words[0]), &shape->leaves[i], &access);
}

static bool is_constant(const struct aggregates *a, spv_id id)
{
    const struct spv_inst *def = spv_def(a->module, id);
    return def && !def->block && (def->op == SpvOpConstantComposite || def->op == SpvOpConstantNull);
}

static void split_store(struct aggregates *a, struct spv_inst *inst, spv_id type)
{
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    struct lower_access access = access_of(a, inst, 2, type);
    if (spv_layout_of(&a->layouts, type)->leaves > 4 * SMALL_COPY && is_constant(a, inst->words[1])) {
        spv_id constant =
            spv_global_variable(a->module, spv_type_pointer(a->module, SpvStorageClassUniformConstant, type),
                                SpvStorageClassUniformConstant, inst->words[1]);
        spv_emitv_void(&b, SpvOpCopyMemory, inst->words[0], constant, SpvMemoryAccessAlignedMask, access.align);
        spv_inst_remove(a->module, inst);
        return;
    }
    const spv_id *leaves = leaves_of(a, inst->words[1]);
    const struct shape *shape = leaves ? shape_of(a, type) : NULL;
    if (!shape)
        return;
    a->total += shape->count;
    for (uint32_t i = 0; i < shape->count; i++) {
        spv_id object = resolve(a, inst->words[0]), leaf = resolve(a, leaves[i]);
        store_leaf(a, &b, object, &shape->leaves[i], leaf, &access);
    }
    spv_inst_remove(a->module, inst);
}

/* Makes a copy of a large object that is loaded only to be stored, with nothing in between that writes memory. */
static void copies_from_load(struct aggregates *a, struct spv_inst *load)
{
    if (spv_layout_of(&a->layouts, load->type)->leaves <= SMALL_COPY || (uintptr_t)u64_map_get(&a->uses, load->id) != 1)
        return;
    for (struct spv_inst *it = load->next; it; it = it->next) {
        if (it->op == SpvOpStore && it->words[1] == load->id) {
            struct lower_access from = access_of(a, load, 1, load->type), to = access_of(a, it, 2, load->type);
            struct spv_builder b = {a->module, it->block->function, it->block, it};
            spv_emitv_void(&b, SpvOpCopyMemory, it->words[0], load->words[0], SpvMemoryAccessAlignedMask,
                           from.align < to.align ? from.align : to.align);
            spv_inst_remove(a->module, it);
            spv_inst_remove(a->module, load);
            return;
        }
        if (it->op != SpvOpLoad && it->op != SpvOpVariable && !spv_inst_is_pure(it))
            return;
    }
}

/* ---- values ---- */

static void split_construct(struct aggregates *a, struct spv_inst *inst)
{
    spv_id *leaves = new_leaves(a, inst->id, spv_layout_of(&a->layouts, inst->type)->leaves);
    uint32_t at = 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        spv_id member = resolve(a, inst->words[i]), type = spv_value_type(a->module, member);
        uint32_t count = spv_layout_of(&a->layouts, type)->leaves;
        if (spv_type_is_aggregate(a->module, type)) {
            const spv_id *inner = leaves_of(a, member);
            if (!inner)
                return;
            memcpy(leaves + at, inner, count * sizeof(spv_id));
        } else {
            leaves[at] = member;
        }
        at += count;
    }
}

static void split_extract(struct aggregates *a, struct spv_inst *inst)
{
    spv_id type = spv_value_type(a->module, resolve(a, inst->words[0])), found;
    uint32_t first, used;
    const spv_id *leaves = leaves_of(a, inst->words[0]);
    if (!leaves || !find_range(a, type, inst->num_words - 1, inst->words + 1, &first, &used, &found))
        return;
    if (spv_type_is_aggregate(a->module, found)) {
        uint32_t count = spv_layout_of(&a->layouts, found)->leaves;
        memcpy(new_leaves(a, inst->id, count), leaves + first, count * sizeof(spv_id));
        return;
    }
    spv_id leaf = resolve(a, leaves[first]);
    if (used + 1 == inst->num_words) {
        spv_replace(a->module, &a->replacements, inst->id, leaf);
        spv_inst_remove(a->module, inst);
        return;
    }
    uint32_t words[65] = {leaf}, left = inst->num_words - 1 - used;
    memcpy(words + 1, inst->words + 1 + used, left * sizeof(uint32_t));
    spv_inst_set_words(a->module, inst, left + 1, words);
}

static void split_insert(struct aggregates *a, struct spv_inst *inst)
{
    uint32_t first, used, count = spv_layout_of(&a->layouts, inst->type)->leaves;
    spv_id found, object = resolve(a, inst->words[0]);
    const spv_id *old = leaves_of(a, inst->words[1]);
    if (!old || !find_range(a, inst->type, inst->num_words - 2, inst->words + 2, &first, &used, &found))
        return;
    spv_id *leaves = new_leaves(a, inst->id, count);
    memcpy(leaves, old, count * sizeof(spv_id));
    if (spv_type_is_aggregate(a->module, found)) {
        const spv_id *inner = leaves_of(a, object);
        if (inner)
            memcpy(leaves + first, inner, spv_layout_of(&a->layouts, found)->leaves * sizeof(spv_id));
        return;
    }
    if (used + 2 == inst->num_words) {
        leaves[first] = object;
        return;
    }
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    uint32_t words[66] = {object, resolve(a, leaves[first])}, left = inst->num_words - 2 - used;
    memcpy(words + 2, inst->words + 2 + used, left * sizeof(uint32_t));
    leaves[first] = spv_emit(&b, SpvOpCompositeInsert, found, left + 2, words);
}

static void split_select(struct aggregates *a, struct spv_inst *inst)
{
    const struct shape *shape = shape_of(a, inst->type);
    const spv_id *yes = leaves_of(a, inst->words[1]), *no = leaves_of(a, inst->words[2]);
    if (!shape || !yes || !no)
        return;
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    spv_id *leaves = new_leaves(a, inst->id, shape->count);
    for (uint32_t i = 0; i < shape->count; i++) {
        spv_id type = shape->leaves[i].type, condition = resolve(a, inst->words[0]);
        if (spv_type_is_vector(a->module, type)) {
            uint32_t parts[16], n = spv_type_count(a->module, type);
            for (uint32_t k = 0; k < n; k++)
                parts[k] = condition;
            condition = spv_emit(&b, SpvOpCompositeConstruct, spv_type_vector(a->module, spv_type_bool(a->module), n),
                                 n, parts);
        }
        leaves[i] = spv_emitv(&b, SpvOpSelect, type, condition, resolve(a, yes[i]), resolve(a, no[i]));
    }
}

/* Makes a phi for each leaf. Their operands are added when all values are known. */
static void open_phi(struct aggregates *a, struct spv_inst *inst)
{
    const struct shape *shape = shape_of(a, inst->type);
    if (!shape) {
        lower_fail(a->lower, "a struct or array of more than %u elements is used as a value", MAX_LEAVES);
        return;
    }
    struct spv_builder b = {a->module, inst->block->function, inst->block, inst};
    spv_id *leaves = new_leaves(a, inst->id, shape->count);
    for (uint32_t i = 0; i < shape->count; i++)
        leaves[i] = spv_emit(&b, SpvOpPhi, shape->leaves[i].type, inst->num_words, inst->words);
    vec_push(a->arena, &a->phis, inst);
}

static void close_phis(struct aggregates *a)
{
    for (uint32_t p = 0; p < a->phis.length; p++) {
        struct spv_inst *phi = a->phis.data[p];
        const spv_id *leaves = u64_map_get(&a->values, phi->id);
        uint32_t count = spv_layout_of(&a->layouts, phi->type)->leaves;
        for (uint32_t k = 0; k < phi->num_words; k += 2) {
            const spv_id *incoming = leaves_of(a, phi->words[k]);
            if (!incoming)
                return;
            for (uint32_t i = 0; i < count; i++)
                spv_def(a->module, leaves[i])->words[k] = resolve(a, incoming[i]);
        }
    }
}

/* OpCopyLogical is between types that have the same leaves in the same order (SPIR-V 1.6, 2.8: they match logically).
 */
static void split_copy_logical(struct aggregates *a, struct spv_inst *inst)
{
    const struct shape *to = shape_of(a, inst->type);
    const struct shape *from = shape_of(a, spv_value_type(a->module, resolve(a, inst->words[0])));
    const spv_id *values = leaves_of(a, inst->words[0]);
    bool match = to && from && values && to->count == from->count;
    for (uint32_t i = 0; match && i < to->count; i++)
        match = to->leaves[i].type == from->leaves[i].type;
    if (!match) {
        lower_fail(a->lower, "OpCopyLogical between types that do not match");
        return;
    }
    memcpy(new_leaves(a, inst->id, to->count), values, to->count * sizeof(spv_id));
}

static void split_inst(struct aggregates *a, struct spv_inst *inst)
{
    if (inst->op == SpvOpStore) {
        spv_id type = spv_value_type(a->module, resolve(a, inst->words[1]));
        if (spv_type_is_aggregate(a->module, type))
            split_store(a, inst, type);
        return;
    }
    if (spv_op_is_copy(inst->op)) {
        lower_copy(a, inst);
        return;
    }
    if (inst->op == SpvOpCompositeExtract) {
        if (spv_type_is_aggregate(a->module, spv_value_type(a->module, resolve(a, inst->words[0]))))
            split_extract(a, inst);
        return;
    }
    if (!inst->type || !spv_type_is_aggregate(a->module, inst->type))
        return;
    switch (inst->op) {
    case SpvOpLoad:
        split_load(a, inst);
        break;
    case SpvOpCompositeConstruct:
        split_construct(a, inst);
        break;
    case SpvOpCompositeInsert:
        split_insert(a, inst);
        break;
    case SpvOpSelect:
        split_select(a, inst);
        break;
    case SpvOpPhi:
        open_phi(a, inst);
        break;
    case SpvOpCopyLogical:
        split_copy_logical(a, inst);
        break;
    case SpvOpCopyObject:
        spv_replace(a->module, &a->replacements, inst->id, resolve(a, inst->words[0]));
        spv_inst_remove(a->module, inst);
        break;
    default:
        break;
    }
}

static bool is_load(const struct aggregates *a, const struct spv_inst *inst)
{
    return inst->op == SpvOpLoad && spv_type_is_aggregate(a->module, inst->type);
}

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct aggregates *a = data;
    (void)inst;
    const struct spv_inst *def = spv_def(a->module, *word);
    if (def && is_load(a, def))
        u64_map_set(a->arena, &a->uses, *word, (void *)((uintptr_t)u64_map_get(&a->uses, *word) + 1));
}

static void count_uses(struct aggregates *a, const struct spv_function *function)
{
    bool any = false;
    spv_foreach_block (each, function) {
        spv_foreach_inst (inst, &each->insts)
            any = any || is_load(a, inst);
    }
    if (!any)
        return;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, count_use, a);
    }
}

/* Removes the values that were split, last ones first: they are used only by each other. */
static void remove_split(struct aggregates *a, struct spv_function *function)
{
    for (struct spv_block *block = function->last_block; block; block = block->prev) {
        struct spv_inst *prev;
        for (struct spv_inst *inst = block->insts.last; inst; inst = prev) {
            prev = inst->prev;
            if (inst->id && u64_map_has(&a->values, inst->id))
                spv_inst_remove(a->module, inst);
        }
    }
}

static bool has_aggregates(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->id && spv_op_is_type(inst->op) && spv_type_is_aggregate(module, inst->id))
            return true;
    }
    return false;
}

/* Whether the module copies memory; such copies may be of any type. */
static bool has_copies(const struct spv_module *module)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (spv_op_is_copy(inst->op))
                    return true;
            }
        }
    }
    return false;
}

bool lower_aggregates(struct lower *lower)
{
    if (!lower->thorough && !has_aggregates(lower->module) && !has_copies(lower->module)) {
        lower->idle = true;
        return true;
    }
    struct aggregates types = {.lower = lower, .arena = lower->module->arena, .module = lower->module};
    types.layouts = (struct spv_layouts){.arena = lower->module->arena, .module = lower->module};
    spv_foreach_function (function, lower->module) {
        struct aggregates a = {.lower = lower, .arena = lower->module->arena, .module = lower->module};
        a.layouts = types.layouts;
        a.shapes = types.shapes;
        a.total = types.total;
        count_uses(&a, function);
        spv_foreach_block (block, function) {
            for (struct spv_inst *inst = block->insts.first, *next; inst; inst = next) {
                if (is_load(&a, inst)) {
                    struct spv_inst *prev = inst->prev;
                    copies_from_load(&a, inst);
                    inst = prev ? prev->next : block->insts.first;
                    if (!inst)
                        break;
                }
                next = inst->next;
                split_inst(&a, inst);
                if (a.total > 1u << 20)
                    return lower_fail(lower, "structs and arrays as values take too much code");
                if (lower->error)
                    return false;
            }
        }
        close_phis(&a);
        if (lower->error)
            return false;
        spv_apply_replacements(lower->module, &a.replacements, function);
        spv_finish_replacements(lower->module, &a.replacements);
        if (a.values.count)
            remove_split(&a, function);
        types = a;
    }
    return true;
}
