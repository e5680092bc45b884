/* Types and constants. Each is unique by its opcode, type and operand words: a hash of them leads to a chain of
 * candidates, so a request costs O(words). Pointers, arrays and constants with a decoration are no candidates: an array
 * with a stride is another type. A request for a struct makes a new one, but imports look for an equal one. Removed
 * instructions stay in the chains and are skipped. */
#include "grammar.h"

#include <assert.h>
#include <string.h>

struct unique_entry {
    struct unique_entry *next;
    struct spv_inst *inst;
};

bool spv_unique_op(uint16_t op)
{
    switch (op) {
    case SpvOpTypeForwardPointer:
    case SpvOpConstantSampler:
    case SpvOpConstantPipeStorage:
        return false;
    case SpvOpUndef:
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
    case SpvOpConstantComposite:
        return true;
    default:
        return spv_op_is_type(op);
    }
}

bool spv_equal_decorations(const struct spv_inst *a, const struct spv_inst *b)
{
    uint32_t num_a = 0, num_b = 0;
    for (const struct spv_inst *d = b; d; d = d->next_decoration)
        num_b++;
    for (const struct spv_inst *d = a; d; d = d->next_decoration, num_a++) {
        const struct spv_inst *other = b;
        while (other && (other->op != d->op || other->num_words != d->num_words ||
                         memcmp(other->words + 1, d->words + 1, (d->num_words - 1) * sizeof(uint32_t)) != 0))
            other = other->next_decoration;
        if (!other)
            return false;
    }
    return num_a == num_b;
}

static uint64_t unique_hash(uint16_t op, spv_id type, uint32_t count, const uint32_t *words)
{
    return hash_bytes64(words, count * sizeof(*words), (uint64_t)op << 32 | type);
}

static struct spv_inst *find_in_chain(const struct spv_module *module, const struct unique_entry *entry, uint16_t op,
                                      spv_id type, uint32_t count, const uint32_t *words)
{
    for (; entry; entry = entry->next) {
        struct spv_inst *inst = entry->inst;
        if (inst->op == op && inst->type == type && inst->num_words == count && module->defs[inst->id] == inst &&
            !spv_decorations(module, inst->id) && (!count || !memcmp(inst->words, words, count * sizeof(*words))))
            return inst;
    }
    return NULL;
}

struct spv_inst *spv_unique_find_like(const struct spv_module *module, const struct spv_module *from,
                                      const struct spv_inst *like, uint32_t count, const uint32_t *words)
{
    const struct unique_entry *entry = u64_map_get(&module->unique, unique_hash(like->op, 0, count, words));
    for (; entry; entry = entry->next) {
        struct spv_inst *inst = entry->inst;
        if (inst->op == like->op && inst->num_words == count && module->defs[inst->id] == inst &&
            (!count || !memcmp(inst->words, words, count * sizeof(*words))) &&
            spv_equal_decorations(spv_decorations(module, inst->id), spv_decorations(from, like->id)))
            return inst;
    }
    return NULL;
}

/* Before the others of its hash. */
static void enter(struct spv_module *module, struct spv_inst *inst, uint64_t hash, struct unique_entry *chain)
{
    struct unique_entry *entry = arena_new(module->arena, struct unique_entry);
    entry->inst = inst;
    entry->next = chain;
    u64_map_set(module->arena, &module->unique, hash, entry);
}

void spv_unique_enter(struct spv_module *module, struct spv_inst *inst)
{
    if (!spv_unique_op(inst->op) || inst->block)
        return;
    bool may_repeat = inst->op == SpvOpTypeStruct || spv_decorations(module, inst->id);
    uint64_t hash = unique_hash(inst->op, inst->type, inst->num_words, inst->words);
    struct unique_entry *chain = u64_map_get(&module->unique, hash);
    if (may_repeat || !find_in_chain(module, chain, inst->op, inst->type, inst->num_words, inst->words))
        enter(module, inst, hash, chain);
}

static struct spv_inst *append_global(struct spv_module *module, uint16_t op, spv_id type, uint32_t count,
                                      const uint32_t *words)
{
    struct spv_inst *inst = spv_inst_create(module, (SpvOp)op, type, spv_new_id(module), count, words);
    spv_list_append(&module->sections[SPV_SECTION_GLOBAL], inst);
    return inst;
}

struct spv_inst *spv_unique_get(struct spv_module *module, uint16_t op, spv_id type, uint32_t count,
                                const uint32_t *words)
{
    uint64_t hash = unique_hash((uint16_t)op, type, count, words);
    struct unique_entry *chain = u64_map_get(&module->unique, hash);
    struct spv_inst *inst = find_in_chain(module, chain, op, type, count, words);
    if (!inst) {
        inst = append_global(module, op, type, count, words);
        if (spv_unique_op(inst->op))
            enter(module, inst, hash, chain);
    }
    return inst;
}

static spv_id unique(struct spv_module *module, SpvOp op, spv_id type, uint32_t count, const uint32_t *words)
{
    return spv_unique_get(module, (uint16_t)op, type, count, words)->id;
}

/* ---- types ---- */

spv_id spv_type(struct spv_module *module, SpvOp op, uint32_t count, const uint32_t *words)
{
    return unique(module, op, 0, count, words);
}

spv_id spv_type_void(struct spv_module *module)
{
    return unique(module, SpvOpTypeVoid, 0, 0, NULL);
}

spv_id spv_type_bool(struct spv_module *module)
{
    return unique(module, SpvOpTypeBool, 0, 0, NULL);
}

spv_id spv_type_int(struct spv_module *module, uint32_t width)
{
    spv_id *known = &module->int_types[width / 16 % 8]; /* of 8, 16, 32 and 64 bits each its own */
    const struct spv_inst *def = spv_def(module, *known);
    if (!def || def->op != SpvOpTypeInt || def->words[0] != width || def->words[1])
        *known = unique(module, SpvOpTypeInt, 0, 2, (const uint32_t[]){width, 0});
    return *known;
}

spv_id spv_type_float(struct spv_module *module, uint32_t width)
{
    return unique(module, SpvOpTypeFloat, 0, 1, &width);
}

spv_id spv_type_vector(struct spv_module *module, spv_id component, uint32_t count)
{
    if (count == 1)
        return component;
    return unique(module, SpvOpTypeVector, 0, 2, (const uint32_t[]){component, count});
}

spv_id spv_type_array(struct spv_module *module, spv_id element, uint32_t length)
{
    return unique(module, SpvOpTypeArray, 0, 2, (const uint32_t[]){element, spv_const_u32(module, length)});
}

spv_id spv_type_pointer(struct spv_module *module, SpvStorageClass storage, spv_id pointee)
{
    return unique(module, SpvOpTypePointer, 0, 2, (const uint32_t[]){(uint32_t)storage, pointee});
}

spv_id spv_type_forward_pointer(struct spv_module *module, SpvStorageClass storage, spv_id pointee)
{
    spv_id id = spv_new_id(module);
    const uint32_t forward[] = {id, (uint32_t)storage}, words[] = {(uint32_t)storage, pointee};
    struct spv_list *list = &module->sections[SPV_SECTION_GLOBAL];
    spv_list_append(list, spv_inst_create(module, SpvOpTypeForwardPointer, 0, 0, 2, forward));
    spv_list_append(list, spv_inst_create(module, SpvOpTypePointer, 0, id, 2, words));
    return id;
}

spv_id spv_type_function(struct spv_module *module, spv_id result, uint32_t count, const spv_id *params)
{
    uint32_t *words = arena_array(module->arena, uint32_t, count + 1);
    words[0] = result;
    if (count)
        memcpy(words + 1, params, count * sizeof(*params));
    return unique(module, SpvOpTypeFunction, 0, count + 1, words);
}

spv_id spv_type_struct(struct spv_module *module, uint32_t count, const spv_id *members)
{
    struct spv_inst *inst = append_global(module, SpvOpTypeStruct, 0, count, members);
    spv_unique_enter(module, inst);
    return inst->id;
}

/* ---- constants ---- */

spv_id spv_const_bool(struct spv_module *module, bool value)
{
    return unique(module, value ? SpvOpConstantTrue : SpvOpConstantFalse, spv_type_bool(module), 0, NULL);
}

spv_id spv_const_u32(struct spv_module *module, uint32_t value)
{
    return unique(module, SpvOpConstant, spv_type_int(module, 32), 1, &value);
}

spv_id spv_const_u64(struct spv_module *module, uint64_t value)
{
    const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
    return unique(module, SpvOpConstant, spv_type_int(module, 64), 2, words);
}

spv_id spv_const_bits(struct spv_module *module, spv_id type, uint64_t bits)
{
    const struct spv_inst *def = spv_def(module, type);
    if (def->op == SpvOpTypeBool)
        return spv_const_bool(module, bits & 1);
    assert(def->op == SpvOpTypeInt || def->op == SpvOpTypeFloat);
    uint32_t width = def->words[0];
    if (width < 64)
        bits &= ((uint64_t)1 << width) - 1;
    /* SPIR-V 1.6, 2.2.1: narrow literals are sign-extended where the type is signed, else the high bits are 0 */
    if (def->op == SpvOpTypeInt && def->words[1] && width < 32 && bits >> (width - 1))
        bits |= ~(((uint64_t)1 << width) - 1);
    const uint32_t words[] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
    return unique(module, SpvOpConstant, type, width > 32 ? 2 : 1, words);
}

spv_id spv_const_splat(struct spv_module *module, spv_id type, uint64_t bits)
{
    spv_id component = spv_type_component(module, type);
    spv_id value = spv_const_bits(module, component, bits);
    uint32_t count = spv_type_count(module, type);
    if (count == 1)
        return value;
    spv_id members[16];
    assert(count <= 16);
    for (uint32_t i = 0; i < count; i++)
        members[i] = value;
    return spv_const_composite(module, type, count, members);
}

spv_id spv_const_composite(struct spv_module *module, spv_id type, uint32_t count, const spv_id *members)
{
    return unique(module, SpvOpConstantComposite, type, count, members);
}

spv_id spv_const_null(struct spv_module *module, spv_id type)
{
    return unique(module, SpvOpConstantNull, type, 0, NULL);
}

spv_id spv_undef(struct spv_module *module, spv_id type)
{
    return unique(module, SpvOpUndef, type, 0, NULL);
}

spv_id spv_const_inst(struct spv_module *module, SpvOp op, spv_id type, uint32_t count, const uint32_t *words)
{
    return append_global(module, (uint16_t)op, type, count, words)->id;
}

spv_id spv_global_variable(struct spv_module *module, spv_id pointer_type, SpvStorageClass storage, spv_id initializer)
{
    const uint32_t words[] = {(uint32_t)storage, initializer};
    return append_global(module, SpvOpVariable, pointer_type, initializer ? 2 : 1, words)->id;
}

/* ---- reading ---- */

uint32_t spv_type_width(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_type_component_def(module, type);
    assert(def && (def->op == SpvOpTypeInt || def->op == SpvOpTypeFloat));
    return def->words[0];
}

SpvStorageClass spv_pointer_storage(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    assert(def && def->op == SpvOpTypePointer);
    return (SpvStorageClass)def->words[0];
}

spv_id spv_pointer_pointee(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    assert(def && def->op == SpvOpTypePointer);
    return def->words[1];
}

uint64_t spv_array_length(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    assert(def && def->op == SpvOpTypeArray);
    uint64_t length = 0;
    const struct spv_inst *value = spv_def(module, def->words[1]);
    if (value && value->op == SpvOpSpecConstant)
        return value->words[0];
    spv_const_value(module, def->words[1], &length);
    return length;
}

/* OpenCL SPIR-V environment, 2.9: size_t and its 3-vectors, 32-bit numbers of sub-groups, masks of four words */
struct spv_builtin_type spv_builtin_type(SpvBuiltIn builtin)
{
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInGlobalOffset:
        return (struct spv_builtin_type){64, 3};
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInLocalInvocationIndex:
        return (struct spv_builtin_type){64, 1};
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return (struct spv_builtin_type){32, 4};
    default:
        return (struct spv_builtin_type){32, 1};
    }
}

bool spv_const_value_of(const struct spv_module *module, const struct spv_inst *def, uint64_t *bits)
{
    *bits = 0;
    switch (def->op) {
    case SpvOpConstantTrue:
        *bits = 1;
        return true;
    case SpvOpConstantFalse:
        return true;
    case SpvOpConstantNull:
        switch (spv_type_op(module, def->type)) {
        case SpvOpTypeInt:
        case SpvOpTypeFloat:
        case SpvOpTypeBool:
            return true;
        default:
            return false;
        }
    case SpvOpConstant: {
        uint16_t type = spv_type_op(module, def->type);
        if (type != SpvOpTypeInt && type != SpvOpTypeFloat) /* in a module that was not checked */
            return false;
        uint32_t width = spv_type_width(module, def->type);
        *bits = def->words[0];
        if (def->num_words > 1)
            *bits |= (uint64_t)def->words[1] << 32;
        if (width < 64)
            *bits &= ((uint64_t)1 << width) - 1;
        return true;
    }
    default:
        return false;
    }
}
