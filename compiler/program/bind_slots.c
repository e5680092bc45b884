/* Which functions a call by a pointer may lead to, where more is known than its type.
 *
 * - The pointer is chosen among constants.
 * - It is loaded from a place at a fixed distance from a pointer that was loaded, too: from an object's table of virtual
 *   functions. C++ compilers name these tables _ZTV..., and objects hold addresses within them of which constants tell
 *   all: nobody moves such a pointer. So the function stands in a table, at that distance from such an address.
 *
 *     %table = OpLoad %ptr %object
 *     %place = OpInBoundsPtrAccessChain %ptr %table 1        the second function behind an address that objects hold
 *     %f     = OpLoad %ulong %place
 *
 * A function whose address is used for anything else than such tables may be led to by every pointer that is loaded. */
#include "compiler/opt/chain.h"
#include "compiler/program/bind_calls.h"
#include "compiler/spv/layout.h"

#include "base/util.h"

#include <string.h>

enum { IS_TABLE = 1, IS_PART = 2, IS_MOVED = 4 }; /* of ids; moved: the table's address is not constant everywhere */
enum { MAX_DEPTH = 16 };                          /* of constants and of choices */

struct place {
    spv_id table;
    int64_t offset; /* in bytes */
    uint32_t entrance;
};

struct slots {
    struct binding *binding;
    struct spv_module *module;
    struct spv_layouts layouts;
    uint32_t bound;
    uint8_t *flags;      /* by id */
    uint32_t *entrances; /* by id of a constant: the function whose number it is, + 1 */
    spv_id *bases;       /* by id: the table into which it leads */
    int64_t *offsets;    /* and where */
    uint8_t *elsewhere;  /* by entrance */
    VEC(struct place) places;
    VEC(struct place) points; /* addresses that objects may hold */
    bool unknown;             /* tables are used in other ways */
};

/* ---- constants ---- */

/* A constant expression as the instruction it is; anything else as it is. */
static struct spv_inst plain(const struct spv_inst *inst)
{
    struct spv_inst operation = *inst;
    if (inst->op == SpvOpSpecConstantOp && inst->num_words) {
        operation.op = (uint16_t)inst->words[0];
        operation.words++;
        operation.num_words--;
    }
    return operation;
}

static bool is_cast(uint16_t op)
{
    return op == SpvOpBitcast || op == SpvOpCopyObject || op == SpvOpPtrCastToGeneric || op == SpvOpGenericCastToPtr ||
           op == SpvOpConvertUToPtr || op == SpvOpConvertPtrToU || op == SpvOpUConvert;
}

static uint32_t entrance_of_number(const struct slots *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->binding->entrances.length; i++) {
        if (s->binding->entrances.data[i].number == number)
            return i + 1;
    }
    return 0;
}

static uint32_t find_entrance(const struct slots *s, spv_id id)
{
    uint64_t number;
    for (uint32_t depth = 0; depth < MAX_DEPTH; depth++) {
        const struct spv_inst *def = spv_def(s->module, id);
        if (!def || !spv_is_constant(s->module, id))
            return 0;
        if (spv_const_value(s->module, id, &number))
            return spv_type_width(s->module, def->type) == 64 ? entrance_of_number(s, number) : 0;
        struct spv_inst operation = plain(def);
        if (!is_cast(operation.op) || !operation.num_words)
            return 0;
        id = operation.words[0];
    }
    return 0;
}

/* ---- tables ---- */

static bool is_table(const struct slots *s, const struct spv_inst *variable)
{
    const struct spv_inst *name = spv_names(s->module, variable->id);
    const struct spv_inst *linkage = spv_find_decoration(s->module, variable->id, SpvDecorationLinkageAttributes);
    return (name && name->op == SpvOpName && !strncmp(spv_string(name, 1, NULL), "_ZTV", 4)) ||
           (linkage && !strncmp(spv_string(linkage, 2, NULL), "_ZTV", 4));
}

static void read_table(struct slots *s, spv_id table, spv_id id, uint64_t at, uint32_t depth)
{
    const struct spv_inst *def = spv_def(s->module, id);
    if (s->entrances[id]) {
        const struct place place = {table, (int64_t)at, s->entrances[id] - 1};
        vec_push(s->binding->arena, &s->places, place);
    } else if (def->op == SpvOpConstantComposite && spv_type_is_aggregate(s->module, def->type)) {
        s->flags[id] |= IS_PART;
        s->unknown |= !depth;
        for (uint32_t i = 0; i < def->num_words && depth; i++) {
            uint64_t offset;
            spv_layout_member(&s->layouts, def->type, i, &offset);
            read_table(s, table, def->words[i], at + offset, depth - 1);
        }
    }
}

static void read_tables(struct slots *s)
{
    spv_foreach_inst (inst, &s->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->id < s->bound && spv_is_constant(s->module, inst->id))
            s->entrances[inst->id] = find_entrance(s, inst->id);
    }
    spv_foreach_inst (inst, &s->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpVariable || inst->num_words < 2 || !is_table(s, inst))
            continue;
        s->flags[inst->id] |= IS_TABLE;
        s->bases[inst->id] = inst->id;
        read_table(s, inst->id, inst->words[1], 0, MAX_DEPTH);
    }
}

/* ---- addresses ---- */

/* The bytes by which a chain of constant indexes leads away; false: it has others, or is no chain. */
static bool chain_offset(struct slots *s, const struct spv_inst *chain, int64_t *offset)
{
    spv_id type = spv_value_type(s->module, chain->words[0]);
    uint32_t i = 1;
    int64_t index;
    *offset = 0;
    if (!spv_op_is_chain(chain->op) || !spv_type_is_pointer(s->module, type))
        return false;
    type = spv_pointer_pointee(s->module, type);
    if (spv_op_is_by_element(chain->op)) {
        if (chain->num_words < 2 || !chain_constant(s->module, chain->words[i++], &index))
            return false;
        *offset = (int64_t)((uint64_t)index * spv_layout_of(&s->layouts, type)->size);
    }
    for (; i < chain->num_words; i++) {
        uint64_t member;
        if (!spv_type_is_aggregate(s->module, type) || !chain_constant(s->module, chain->words[i], &index))
            return false;
        if (spv_type_op(s->module, type) == SpvOpTypeStruct && (uint64_t)index >= spv_def(s->module, type)->num_words)
            return false;
        type = spv_layout_member(&s->layouts, type, (uint64_t)index, &member);
        *offset += (int64_t)member;
    }
    return true;
}

/* The pointer from which this one is so many bytes away; 0: it is none of that kind. */
static spv_id step_back(struct slots *s, const struct spv_inst *inst, int64_t *offset)
{
    struct spv_inst operation = plain(inst);
    *offset = 0;
    if (!operation.num_words)
        return 0;
    if (operation.op != SpvOpUConvert && is_cast(operation.op))
        return operation.words[0];
    return chain_offset(s, &operation, offset) ? operation.words[0] : 0;
}

static bool derive(struct slots *s, const struct spv_inst *inst)
{
    int64_t offset;
    spv_id from = inst->id && inst->id < s->bound && !s->bases[inst->id] ? step_back(s, inst, &offset) : 0;
    if (!from || from >= s->bound || !s->bases[from])
        return false;
    s->bases[inst->id] = s->bases[from];
    s->offsets[inst->id] = s->offsets[from] + offset;
    return true;
}

static void derive_all(struct slots *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        spv_foreach_inst (inst, &s->module->sections[SPV_SECTION_GLOBAL])
            changed |= derive(s, inst);
    }
    spv_foreach_function (function, s->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                derive(s, inst);
        }
    }
}

/* ---- uses ---- */

static void use_address(struct slots *s, const struct spv_inst *user, const uint32_t *word)
{
    spv_id table = s->bases[*word];
    struct spv_inst operation = plain(user);
    if (user->id && user->id < s->bound && s->bases[user->id])
        return; /* an address in turn */
    if ((user->op == SpvOpLoad && word == user->words) || spv_op_is_lifetime(user->op))
        return;
    if (spv_op_is_chain(operation.op) || spv_op_is_copy(user->op))
        s->flags[table] |= IS_MOVED;
    s->unknown |= user->op == SpvOpStore && word == user->words;
    const struct place point = {table, s->offsets[*word], 0};
    vec_push(s->binding->arena, &s->points, point);
}

static void see_use(void *data, struct spv_inst *user, uint32_t *word)
{
    struct slots *s = data;
    if (*word >= s->bound)
        return;
    bool in_table = user->id && user->id < s->bound && s->flags[user->id];
    if (s->entrances[*word] && !in_table && !(user->id && user->id < s->bound && s->entrances[user->id]))
        s->elsewhere[s->entrances[*word] - 1] = 1;
    if (s->flags[*word] & IS_PART)
        s->unknown |= !in_table;
    if (s->bases[*word])
        use_address(s, user, word);
}

static void see_uses(struct slots *s)
{
    spv_foreach_inst (inst, &s->module->sections[SPV_SECTION_GLOBAL])
        spv_visit_operand_ids(inst, see_use, s);
    spv_foreach_function (function, s->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, see_use, s);
        }
    }
}

/* ---- calls ---- */

static bool is_point(const struct slots *s, spv_id table, int64_t offset)
{
    for (uint32_t i = 0; i < s->points.length; i++) {
        if (s->points.data[i].table == table && s->points.data[i].offset == offset)
            return true;
    }
    return false;
}

static void add_slot(const struct slots *s, int64_t distance, uint8_t *allowed)
{
    for (uint32_t i = 0; i < s->places.length; i++) {
        const struct place *place = &s->places.data[i];
        allowed[place->entrance] |=
            (s->flags[place->table] & IS_MOVED) || is_point(s, place->table, place->offset - distance);
    }
    for (uint32_t i = 0; i < s->binding->entrances.length; i++)
        allowed[i] |= s->elsewhere[i];
}

/* Adds the functions to which the pointer may lead; false: it is not known. */
static bool add_targets(struct slots *s, spv_id pointer, uint8_t *allowed, uint32_t depth)
{
    const struct spv_inst *def = spv_def(s->module, pointer);
    if (!depth || !def || pointer >= s->bound)
        return false;
    if (s->entrances[pointer]) {
        allowed[s->entrances[pointer] - 1] = 1;
        return true;
    }
    if (def->op == SpvOpSelect && def->num_words == 3)
        return add_targets(s, def->words[1], allowed, depth - 1) && add_targets(s, def->words[2], allowed, depth - 1);
    if (is_cast(def->op))
        return add_targets(s, def->words[0], allowed, depth - 1);
    if (def->op != SpvOpLoad || s->unknown)
        return false;
    int64_t distance = 0, step;
    const struct spv_inst *from = spv_def(s->module, def->words[0]);
    for (uint32_t i = 0; i < MAX_DEPTH && from && from->op != SpvOpLoad; i++) {
        spv_id before = step_back(s, from, &step);
        from = before ? spv_def(s->module, before) : NULL;
        distance += step;
    }
    if (!from || from->op != SpvOpLoad)
        return false;
    add_slot(s, distance, allowed);
    return true;
}

/* A call of what is known gets a function of its own, which those that lead to the same share. */
static void split_call(struct slots *s, struct spv_inst *inst, const struct spv_function *call, uint8_t *allowed)
{
    struct binding *binding = s->binding;
    uint32_t count = binding->entrances.length;
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        const struct spv_function *other = binding->calls.data[i];
        const uint8_t *others = bind_allowed(binding, other);
        if (others && other->def->words[1] == call->def->words[1] && !memcmp(others, allowed, count)) {
            inst->words[0] = other->def->id;
            return;
        }
    }
    struct spv_function *own = spv_function_create(s->module, 0, call->def->words[1], SpvFunctionControlMaskNone);
    vec_push(binding->arena, &binding->calls, own);
    u64_map_set(binding->arena, &binding->allowed, own->def->id, allowed);
    inst->words[0] = own->def->id;
}

void bind_split(struct binding *binding)
{
    struct arena *arena = binding->arena;
    struct slots s = {.binding = binding, .module = binding->module, .bound = binding->module->bound};
    s.layouts = (struct spv_layouts){.arena = arena, .module = binding->module};
    s.flags = arena_array(arena, uint8_t, s.bound);
    s.entrances = arena_array(arena, uint32_t, s.bound);
    s.bases = arena_array(arena, spv_id, s.bound);
    s.offsets = arena_array(arena, int64_t, s.bound);
    s.elsewhere = arena_array(arena, uint8_t, binding->entrances.length);
    struct u64_map calls = {0};
    for (uint32_t i = 0; i < binding->calls.length; i++)
        u64_map_set(arena, &calls, binding->calls.data[i]->def->id, binding->calls.data[i]);
    read_tables(&s);
    derive_all(&s);
    see_uses(&s);
    spv_foreach_function (function, binding->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                struct spv_function *call = inst->op == SpvOpFunctionCall ? u64_map_get(&calls, inst->words[0]) : NULL;
                uint8_t *allowed = call ? arena_array(arena, uint8_t, binding->entrances.length) : NULL;
                if (call && inst->num_words > 1 && add_targets(&s, inst->words[1], allowed, MAX_DEPTH))
                    split_call(&s, inst, call, allowed);
            }
        }
    }
}
