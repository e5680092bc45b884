/* Generic pointers whose every source is in one address space get that space (OpenCL C 3.0, 6.7.6).
 *
 *     %g = OpPtrCastToGeneric %generic_int %p        (p is Function)
 *     %q = OpInBoundsPtrAccessChain %generic_int %g %i        ->   %q = ... %function_int %p %i
 *
 * After inlining that is nearly all of them. What remains generic, because an if chose between spaces or because it was
 * loaded from memory, is dispatched on at each access (helper.c). A fixpoint from above: unknown, one space, any.
 * Running before SROA, it lets variables whose address was passed to a function that takes a generic pointer become
 * values again. */
#include "lower.h"
#include "memory.h"

enum { TOP = 0, ANY = 255 }; /* else: 1 + storage class */

struct generic {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    uint8_t *spaces; /* by id, of generic-typed values */
    uint32_t num_ids;
    VEC(struct spv_inst *) values;
    bool changed;
};

static bool is_generic(const struct spv_module *module, spv_id type)
{
    return type && spv_type_is_pointer(module, type) && spv_pointer_storage(module, type) == SpvStorageClassGeneric;
}

static uint8_t meet(uint8_t a, uint8_t b)
{
    return a == TOP ? b : b == TOP || a == b ? a : ANY;
}

static uint8_t space_of(struct generic *g, spv_id id)
{
    const struct spv_inst *def = spv_def(g->module, id);
    if (!def || def->op == SpvOpConstantNull || def->op == SpvOpUndef)
        return TOP; /* null in any space */
    if (!spv_type_is_pointer(g->module, def->type))
        return ANY;
    SpvStorageClass storage = spv_pointer_storage(g->module, def->type);
    if (storage != SpvStorageClassGeneric)
        return (uint8_t)(1 + storage);
    return id < g->num_ids && def->block ? g->spaces[id] : ANY;
}

static uint8_t transfer(struct generic *g, const struct spv_inst *inst)
{
    uint8_t space = TOP;
    switch (inst->op) {
    case SpvOpPtrCastToGeneric:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return space_of(g, inst->words[0]);
    case SpvOpSelect:
        return meet(space_of(g, inst->words[1]), space_of(g, inst->words[2]));
    case SpvOpPhi:
        for (uint32_t i = 0; i < inst->num_words; i += 2)
            space = meet(space, space_of(g, inst->words[i]));
        return space;
    default:
        return ANY;
    }
}

static void infer(struct generic *g)
{
    spv_foreach_block (block, g->function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id && is_generic(g->module, inst->type))
                vec_push(g->lower->arena, &g->values, inst);
        }
    }
    /* each value can change twice, so this ends */
    for (bool again = true; again;) {
        again = false;
        vec_foreach (struct spv_inst *, it, &g->values) {
            uint8_t *space = &g->spaces[(*it)->id], next = meet(*space, transfer(g, *it));
            again |= next != *space;
            *space = next;
        }
    }
}

static bool is_resolved(const struct generic *g, spv_id id)
{
    return id < g->num_ids && g->spaces[id] != TOP && g->spaces[id] != ANY;
}

/* ---- rewriting ---- */

struct fixing {
    struct generic *g;
    struct spv_inst *inst;
    uint32_t first, count; /* operand words that may take the resolved pointer as it is */
};

/* Operands [0, n) of inst, as words, that accept a pointer of any space. */
static uint32_t pointer_operands(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
        return 1;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return 2;
    default:
        return mem_is_atomic(inst->op) ? 1 : 0;
    }
}

static void fix_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct fixing *fix = data;
    struct generic *g = fix->g;
    if (!is_resolved(g, *word) || (uint32_t)(word - inst->words) < fix->count)
        return;
    struct spv_builder b = {g->module, g->function, inst->block, inst};
    spv_id pointee = spv_pointer_pointee(g->module, spv_value_type(g->module, *word));
    spv_id type = spv_type_pointer(g->module, SpvStorageClassGeneric, pointee);
    if (inst->op == SpvOpPhi) {
        struct spv_block *from = spv_block_of(g->module, word[1]);
        struct spv_inst *end = spv_merge_inst(from);
        b.block = from;
        b.before = end ? end : spv_terminator(from);
    }
    *word = spv_emitv(&b, SpvOpPtrCastToGeneric, type, *word);
}

/* Null and undefined operands get the space of the others. */
static void retype_nulls(struct generic *g, struct spv_inst *inst, uint32_t first, uint32_t step)
{
    for (uint32_t i = first; i < inst->num_words; i += step) {
        const struct spv_inst *def = spv_def(g->module, inst->words[i]);
        if (def->op == SpvOpConstantNull)
            inst->words[i] = spv_const_null(g->module, inst->type);
        else if (def->op == SpvOpUndef)
            inst->words[i] = spv_undef(g->module, inst->type);
    }
}

static void retype(struct generic *g, struct spv_inst *inst)
{
    SpvStorageClass storage = (SpvStorageClass)(g->spaces[inst->id] - 1);
    inst->type = spv_type_pointer(g->module, storage, spv_pointer_pointee(g->module, inst->type));
    g->changed = true;
    if (inst->op == SpvOpPtrCastToGeneric)
        inst->op = SpvOpBitcast;
    else if (inst->op == SpvOpPhi)
        retype_nulls(g, inst, 0, 2);
    else if (inst->op == SpvOpSelect)
        retype_nulls(g, inst, 1, 1);
}

/* Casts back: to the space that the pointer has, a bit cast. */
static bool fix_cast_back(struct generic *g, struct spv_inst *inst)
{
    if ((inst->op != SpvOpGenericCastToPtr && inst->op != SpvOpGenericCastToPtrExplicit) ||
        !is_resolved(g, inst->words[0]))
        return false;
    SpvStorageClass to = spv_pointer_storage(g->module, inst->type);
    if (to + 1u == g->spaces[inst->words[0]]) {
        inst->op = SpvOpBitcast;
        spv_inst_set_words(g->module, inst, 1, (const uint32_t[]){inst->words[0]});
        return true;
    }
    if (inst->op != SpvOpGenericCastToPtrExplicit)
        return false;
    inst->op = SpvOpCopyObject; /* another space: null */
    spv_inst_set_words(g->module, inst, 1, (const uint32_t[]){spv_const_null(g->module, inst->type)});
    return true;
}

static void rewrite(struct generic *g)
{
    vec_foreach (struct spv_inst *, it, &g->values) {
        if (is_resolved(g, (*it)->id))
            retype(g, *it);
    }
    spv_foreach_block (block, g->function) {
        spv_foreach_inst (inst, &block->insts) {
            if ((inst->id && is_resolved(g, inst->id)) || fix_cast_back(g, inst))
                continue;
            struct fixing fix = {.g = g, .inst = inst, .count = pointer_operands(inst)};
            spv_visit_operand_ids(inst, fix_operand, &fix);
        }
    }
}

bool lower_generic(struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        struct generic g = {.lower = lower, .module = lower->module, .function = function};
        g.num_ids = lower->module->bound;
        g.spaces = arena_array(lower->arena, uint8_t, g.num_ids);
        infer(&g);
        if (g.values.length)
            rewrite(&g);
    }
    return true;
}
