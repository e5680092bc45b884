/* Private objects that are read and written as different types become words:
 *
 *     %u = OpVariable %ptr_union                  =>      %w = OpVariable %ptr_array_of_uint
 *     %c = OpBitcast %ptr_bytes %u                        %p = OpAccessChain %ptr_uint %w 0
 *     %p = OpAccessChain %ptr_uchar %c 3                  %x = OpLoad %uint %p
 *     OpStore %p %b                                       OpStore %p ((%x & 0xffffff) | (%b << 24))
 *
 * A union is such an object, and so is a number or an array whose bytes are taken through a cast pointer, as hashes do.
 * It could not become values, since SROA and mem2reg want each variable to have one type, and a driver is given private
 * memory by numbers. This is done where each access is at a constant place: then the words all become values. Objects
 * that are indexed by variables stay in memory in any case. Where all accesses move numbers of one size, as of a vector
 * and its components, the parts are of that size, and nothing is shifted. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/chain.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/layout.h"

enum { MAX_BYTES = 512 };

struct object {
    struct spv_inst *variable;
    uint64_t size;   /* bytes */
    bool good, cast; /* all uses are known; one of them is a cast pointer */
    uint32_t unit;   /* bits of a part; 0: no access was seen yet */
    spv_id words;    /* the variable that takes its place */
};

struct pointer {
    uint32_t object; /* its place in objects */
    uint64_t offset; /* bytes */
};

struct unions {
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    struct spv_layouts layouts;
    VEC(struct object) objects;
    VEC(struct pointer) pointers;
    uint32_t *known;    /* id of a pointer into an object -> 1 + its place in pointers */
    VEC(spv_id) marked; /* ids that have an entry there */
    uint32_t bound;
    spv_id u32;
};

static const struct pointer *pointer_of(const struct unions *u, spv_id id)
{
    uint32_t known = id < u->bound ? u->known[id] : 0;
    return known ? &u->pointers.data[known - 1] : NULL;
}

static void add_pointer(struct unions *u, spv_id id, uint32_t object, uint64_t offset)
{
    vec_push(u->arena, &u->pointers, (struct pointer){object, offset});
    vec_push(u->arena, &u->marked, id);
    u->known[id] = u->pointers.length;
}

static void add_variable(struct unions *u, struct spv_inst *inst)
{
    uint64_t size = spv_layout_of(&u->layouts, spv_pointer_pointee(u->module, inst->type))->size;
    if (inst->num_words > 1 || size > MAX_BYTES)
        return;
    vec_push(u->arena, &u->objects, (struct object){.variable = inst, .size = size, .good = true});
    add_pointer(u, inst->id, u->objects.length - 1, 0);
}

/* ---- uses ---- */

/* The type that an access moves, if it is made of integers or floats; 0 otherwise. */
static spv_id moved_type(const struct unions *u, const struct spv_inst *inst)
{
    uint32_t flags = inst->op == SpvOpLoad ? 1 : 2;
    if ((inst->op != SpvOpLoad && inst->op != SpvOpStore) ||
        (inst->num_words > flags && inst->words[flags] & SpvMemoryAccessVolatileMask))
        return 0;
    spv_id type = inst->op == SpvOpLoad ? inst->type : spv_value_type(u->module, inst->words[1]);
    bool number = spv_type_is_int(u->module, type) || spv_type_is_float(u->module, type);
    return number && spv_type_width(u->module, type) >= 8 ? type : 0;
}

static bool add_chain(struct unions *u, struct pointer from, const struct spv_inst *chain)
{
    spv_id type = spv_pointer_pointee(u->module, spv_value_type(u->module, chain->words[0]));
    for (uint32_t i = 1; i < chain->num_words; i++) {
        bool element = i == 1 && spv_op_is_by_element(chain->op);
        int64_t index;
        uint64_t offset;
        if (!chain_constant(u->module, chain->words[i], &index) || index < 0 || index > MAX_BYTES ||
            (!element && (uint64_t)index >= spv_member_count(u->module, type)))
            return false;
        if (element)
            offset = spv_layout_of(&u->layouts, type)->size * (uint64_t)index;
        else
            type = spv_layout_member(&u->layouts, type, (uint64_t)index, &offset);
        from.offset += offset;
    }
    add_pointer(u, chain->id, from.object, from.offset);
    return true;
}

/* Notes a pointer that starts from one into an object; false where it may lead anywhere. */
static bool add_derived(struct unions *u, struct pointer from, const struct spv_inst *inst)
{
    if (inst->op != SpvOpBitcast)
        return add_chain(u, from, inst);
    if (!spv_type_is_pointer(u->module, inst->type))
        return false;
    u->objects.data[from.object].cast = true;
    add_pointer(u, inst->id, from.object, from.offset);
    return true;
}

/* A pointer stands after what it starts from, so one walk finds all. */
static void find_pointers(struct unions *u)
{
    spv_foreach_block (block, u->function) {
        spv_foreach_inst (inst, &block->insts) {
            bool derives = inst->op == SpvOpBitcast || spv_op_is_chain(inst->op);
            const struct pointer *from = derives ? pointer_of(u, inst->words[0]) : NULL;
            if (from && u->objects.data[from->object].good && !add_derived(u, *from, inst))
                u->objects.data[from->object].good = false;
        }
    }
}

static bool suits(struct unions *u, const struct pointer *pointer, const struct spv_inst *inst)
{
    spv_id type = moved_type(u, inst);
    if (type) {
        struct object *object = &u->objects.data[pointer->object];
        uint32_t width = spv_type_width(u->module, type), bytes = width / 8;
        bool fits = (!object->unit || object->unit == width) && pointer->offset % bytes == 0;
        object->unit = fits ? width : 32;
        return pointer->offset + spv_type_count(u->module, type) * bytes <= object->size;
    }
    return spv_op_is_lifetime(inst->op) || (inst->id && pointer_of(u, inst->id));
}

static void check_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct unions *u = data;
    const struct pointer *pointer = pointer_of(u, *word);
    if (pointer && (word != inst->words || !suits(u, pointer, inst)))
        u->objects.data[pointer->object].good = false;
}

/* ---- words ---- */

static spv_id number(struct unions *u, uint32_t value)
{
    return spv_const_u32(u->module, value);
}

static spv_id part_pointer(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset)
{
    spv_id to = spv_type_pointer(u->module, SpvStorageClassFunction, spv_type_int(u->module, object->unit));
    return spv_emitv(at, SpvOpInBoundsAccessChain, to, object->words, number(u, (uint32_t)offset / (object->unit / 8)));
}

static spv_id load_part(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset)
{
    return spv_emitv(at, SpvOpLoad, spv_type_int(u->module, object->unit), part_pointer(u, at, object, offset),
                     SpvMemoryAccessAlignedMask, object->unit / 8);
}

static void store_part(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset,
                       spv_id value)
{
    spv_emitv_void(at, SpvOpStore, part_pointer(u, at, object, offset), value, SpvMemoryAccessAlignedMask,
                   object->unit / 8);
}

static spv_id shift(struct unions *u, struct spv_builder *at, SpvOp op, spv_id value, uint32_t bits)
{
    return bits ? spv_emitv(at, op, u->u32, value, number(u, bits)) : value;
}

/* At most 32 bits from an offset on; what is above them is anything. */
static spv_id take(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset,
                   uint32_t width)
{
    uint32_t low = (uint32_t)(offset % 4) * 8;
    spv_id value = shift(u, at, SpvOpShiftRightLogical, load_part(u, at, object, offset), low);
    if (low + width <= 32)
        return value;
    spv_id rest = shift(u, at, SpvOpShiftLeftLogical, load_part(u, at, object, offset + 4), 32 - low);
    return spv_emitv(at, SpvOpBitwiseOr, u->u32, value, rest);
}

/* Puts the value's low bits into the word at the offset, from there on up, as far as they fit. */
static void put_into(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset,
                     uint32_t width, spv_id value)
{
    uint32_t low = (uint32_t)(offset % 4) * 8;
    uint32_t mask = (width < 32 ? (1u << width) - 1 : UINT32_MAX) << low;
    value = shift(u, at, SpvOpShiftLeftLogical, value, low);
    if (mask != UINT32_MAX) {
        spv_id kept = spv_emitv(at, SpvOpBitwiseAnd, u->u32, load_part(u, at, object, offset), number(u, ~mask));
        if (low + width < 32)
            value = spv_emitv(at, SpvOpBitwiseAnd, u->u32, value, number(u, mask));
        value = spv_emitv(at, SpvOpBitwiseOr, u->u32, kept, value);
    }
    store_part(u, at, object, offset, value);
}

static void put(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset, uint32_t width,
                spv_id value)
{
    uint32_t low = (uint32_t)(offset % 4) * 8;
    put_into(u, at, object, offset, width, value);
    if (low + width > 32)
        put_into(u, at, object, offset - offset % 4 + 4, low + width - 32,
                 shift(u, at, SpvOpShiftRightLogical, value, 32 - low));
}

/* ---- accesses ---- */

static spv_id load_scalar(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset,
                          spv_id type)
{
    uint32_t width = spv_type_width(u->module, type);
    spv_id bits = spv_type_int(u->module, width), value;
    if (object->unit != 32) {
        value = load_part(u, at, object, offset);
        return type == bits ? value : spv_emitv(at, SpvOpBitcast, type, value);
    }
    if (width == 64) {
        spv_id low = take(u, at, object, offset, 32), high = take(u, at, object, offset + 4, 32);
        value = spv_emitv(at, SpvOpCompositeConstruct, spv_type_vector(u->module, u->u32, 2), low, high);
        return spv_emitv(at, SpvOpBitcast, type, value);
    }
    value = take(u, at, object, offset, width);
    if (width < 32)
        value = spv_emitv(at, SpvOpUConvert, bits, value);
    return type == bits ? value : spv_emitv(at, SpvOpBitcast, type, value);
}

static void store_scalar(struct unions *u, struct spv_builder *at, const struct object *object, uint64_t offset,
                         spv_id value)
{
    spv_id type = spv_value_type(u->module, value);
    uint32_t width = spv_type_width(u->module, type);
    spv_id bits = spv_type_int(u->module, width);
    if (object->unit != 32) {
        store_part(u, at, object, offset, type == bits ? value : spv_emitv(at, SpvOpBitcast, bits, value));
        return;
    }
    if (width == 64) {
        spv_id pair = spv_emitv(at, SpvOpBitcast, spv_type_vector(u->module, u->u32, 2), value);
        for (uint32_t i = 0; i < 2; i++)
            put(u, at, object, offset + i * 4, 32, spv_emitv(at, SpvOpCompositeExtract, u->u32, pair, i));
        return;
    }
    if (type != bits)
        value = spv_emitv(at, SpvOpBitcast, bits, value);
    if (width < 32)
        value = spv_emitv(at, SpvOpUConvert, u->u32, value);
    put(u, at, object, offset, width, value);
}

static void rewrite_load(struct unions *u, const struct object *object, uint64_t offset, struct spv_inst *load)
{
    struct spv_builder at = {u->module, u->function, load->block, load, NULL};
    spv_id type = spv_type_component(u->module, load->type), parts[16];
    uint32_t count = spv_type_count(u->module, load->type), bytes = spv_type_width(u->module, type) / 8;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = load_scalar(u, &at, object, offset + i * bytes, type);
    load->op = count > 1 ? SpvOpCompositeConstruct : SpvOpCopyObject;
    spv_inst_set_words(u->module, load, count, parts);
}

static void rewrite_store(struct unions *u, const struct object *object, uint64_t offset, struct spv_inst *store)
{
    struct spv_builder at = {u->module, u->function, store->block, store, NULL};
    spv_id value = store->words[1], type = spv_value_type(u->module, value);
    spv_id component = spv_type_component(u->module, type);
    uint32_t count = spv_type_count(u->module, type), bytes = spv_type_width(u->module, type) / 8;
    for (uint32_t i = 0; i < count; i++) {
        spv_id part = count > 1 ? spv_emitv(&at, SpvOpCompositeExtract, component, value, i) : value;
        store_scalar(u, &at, object, offset + i * bytes, part);
    }
    cfg_remove_inst(u->module, store);
}

static void rewrite(struct unions *u, struct spv_inst *inst)
{
    const struct pointer *pointer = inst->num_words ? pointer_of(u, inst->words[0]) : NULL;
    const struct object *object = pointer ? &u->objects.data[pointer->object] : NULL;
    if (!object || !object->words)
        return;
    if (inst->op == SpvOpLoad)
        rewrite_load(u, object, pointer->offset, inst);
    else if (inst->op == SpvOpStore)
        rewrite_store(u, object, pointer->offset, inst);
    else if (spv_op_is_lifetime(inst->op))
        cfg_remove_inst(u->module, inst);
}

static bool make_words(struct unions *u)
{
    bool any = false;
    for (uint32_t i = 0; i < u->objects.length; i++) {
        struct object *object = &u->objects.data[i];
        if (!object->good || !object->cast || !object->unit)
            continue;
        struct spv_builder at = {u->module, u->function, object->variable->block, object->variable, NULL};
        uint32_t bytes = object->unit / 8, length = ((uint32_t)object->size + bytes - 1) / bytes;
        spv_id type = spv_type_array(u->module, spv_type_int(u->module, object->unit), length);
        spv_id pointer = spv_type_pointer(u->module, SpvStorageClassFunction, type);
        object->words = spv_emitv(&at, SpvOpVariable, pointer, SpvStorageClassFunction);
        any = true;
    }
    return any;
}

static bool find_objects(struct unions *u)
{
    spv_foreach_inst (inst, &u->function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            add_variable(u, inst);
    }
    if (!u->objects.length)
        return false;
    find_pointers(u);
    spv_foreach_block (block, u->function) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, check_use, u);
    }
    return make_words(u);
}

bool opt_unions(struct spv_module *module, struct spv_function *function)
{
    struct unions u = {.module = module, .function = function, .arena = spv_scratch(module), .bound = module->bound};
    struct arena_mark mark = spv_scratch_begin(module);
    u.layouts = (struct spv_layouts){.arena = u.arena, .module = module};
    u.u32 = spv_type_int(module, 32);
    u.known = spv_borrow_table(module, uint32_t);
    bool changed = find_objects(&u);
    spv_foreach_block (block, function) {
        if (!changed)
            break;
        spv_foreach_inst_safe (inst, &block->insts)
            rewrite(&u, inst);
    }
    for (uint32_t i = 0; i < u.marked.length; i++)
        u.known[u.marked.data[i]] = 0;
    spv_give_back_zeroed(module, u.known);
    spv_scratch_end(module, mark);
    return changed;
}
