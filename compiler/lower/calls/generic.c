/* Generic pointers whose every source is in one address space get that space (OpenCL C 3.0, 6.7.6).
 *
 *     %g = OpPtrCastToGeneric %generic_int %p        (p is Function)
 *     %q = OpInBoundsPtrAccessChain %generic_int %g %i        ->   %q = ... %function_int %p %i
 *
 * After inlining, nearly all generic pointers are of that kind. In a function that stays one, a parameter gets the
 * space that all calls agree in, and a call's result the space that all returns agree in. A pointer remains generic
 * when an if chose between spaces, or when it was loaded from memory; each access through it tests its space
 * (helper.c).
 *
 * The spaces are found by a fixpoint iteration from above: unknown, one space, any. The pass runs before SROA, so that
 * variables whose address was passed to a function with a generic parameter can become values again. */
#include "compiler/lower/calls/calls.h"
#include "compiler/lower/calls/passes.h"
#include "compiler/lower/values/access.h"

enum { TOP = 0, ANY = 255 }; /* else: 1 + storage class */

struct generic {
    struct spv_module *module;
    uint8_t *spaces; /* by id, of generic-typed values; a function's stands for its result */
    uint32_t num_ids;
    VEC(struct spv_inst *) values, calls, returns;
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
    return id < g->num_ids && (def->block || def->op == SpvOpFunctionParameter || def->op == SpvOpFunction)
               ? g->spaces[id]
               : ANY;
}

static uint8_t transfer(struct generic *g, const struct spv_inst *inst)
{
    uint8_t space = TOP;
    switch (inst->op) {
    case SpvOpPtrCastToGeneric:
        return space_of(g, inst->words[0]);
    case SpvOpSelect:
        return meet(space_of(g, inst->words[1]), space_of(g, inst->words[2]));
    case SpvOpPhi:
        for (uint32_t i = 0; i < inst->num_words; i += 2)
            space = meet(space, space_of(g, inst->words[i]));
        return space;
    case SpvOpFunctionCall:
        return space_of(g, inst->words[0]);
    case SpvOpFunction:
    case SpvOpFunctionParameter: /* told by calls and returns */
        return g->spaces[inst->id];
    default:
        return spv_op_leads_on(inst->op) ? space_of(g, inst->words[0]) : ANY;
    }
}

static bool lower_space(struct generic *g, spv_id id, uint8_t space)
{
    uint8_t before = g->spaces[id];
    g->spaces[id] = meet(before, space);
    return g->spaces[id] != before;
}

/* Joins the spaces of a call's arguments to those of the callee's parameters. */
static bool pass_arguments(struct generic *g, const struct spv_inst *call)
{
    const struct spv_function *callee = spv_function_of(g->module, call->words[0]);
    bool changed = false;
    for (uint32_t i = 0; callee && i < callee->params.length; i++) {
        const struct spv_inst *param = callee->params.data[i];
        if (is_generic(g->module, param->type))
            changed |= lower_space(g, param->id, space_of(g, call->words[i + 1]));
    }
    return changed;
}

static void collect(struct generic *g, struct spv_inst *inst)
{
    if (inst->id && is_generic(g->module, inst->type))
        vec_push(g->module->arena, &g->values, inst);
    if (inst->op == SpvOpFunctionCall)
        vec_push(g->module->arena, &g->calls, inst);
    if (inst->op == SpvOpReturnValue && is_generic(g->module, inst->block->function->def->type))
        vec_push(g->module->arena, &g->returns, inst);
}

static void collect_body(struct generic *g, const struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            collect(g, inst);
    }
}

static void infer(struct generic *g)
{
    /* Each value can change at most twice (to one space, then to any), so this ends. */
    for (bool again = g->values.length != 0; again;) {
        again = false;
        vec_foreach (struct spv_inst *, it, &g->values)
            again |= lower_space(g, (*it)->id, transfer(g, *it));
        vec_foreach (struct spv_inst *, call, &g->calls)
            again |= pass_arguments(g, *call);
        vec_foreach (struct spv_inst *, end, &g->returns)
            again |= lower_space(g, (*end)->block->function->def->id, space_of(g, (*end)->words[0]));
    }
}

static bool is_resolved(const struct generic *g, spv_id id)
{
    return id < g->num_ids && g->spaces[id] != TOP && g->spaces[id] != ANY;
}

/* ---- rewriting ---- */

struct fixing {
    struct generic *g;
    uint32_t count; /* the first operand words, which may take the resolved pointer as it is */
};

/* Operands [0, n) of inst, as words, that accept a pointer of any space. */
static uint32_t pointer_operands(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
        return 1;
    default:
        return spv_op_is_copy(inst->op) ? 2 : spv_op_is_atomic(inst->op) ? 1 : 0;
    }
}

static void fix_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct fixing *fix = data;
    struct generic *g = fix->g;
    if (!is_resolved(g, *word) || (uint32_t)(word - inst->words) < fix->count)
        return;
    struct spv_builder b = {g->module, inst->block->function, inst->block, inst};
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

/* A null or undefined operand gets the space that is wanted. */
static void retype_null(struct generic *g, uint32_t *word, spv_id type)
{
    const struct spv_inst *def = spv_def(g->module, *word);
    if (def->op == SpvOpConstantNull)
        *word = spv_const_null(g->module, type);
    else if (def->op == SpvOpUndef)
        *word = spv_undef(g->module, type);
}

static void retype_nulls(struct generic *g, struct spv_inst *inst, uint32_t first, uint32_t step)
{
    for (uint32_t i = first; i < inst->num_words; i += step)
        retype_null(g, &inst->words[i], inst->type);
}

static void retype(struct generic *g, struct spv_inst *inst)
{
    SpvStorageClass storage = (SpvStorageClass)(g->spaces[inst->id] - 1);
    inst->type = spv_type_pointer(g->module, storage, spv_pointer_pointee(g->module, inst->type));
    if (inst->op == SpvOpPtrCastToGeneric)
        inst->op = SpvOpBitcast;
    else if (inst->op == SpvOpPhi)
        retype_nulls(g, inst, 0, 2);
    else if (inst->op == SpvOpSelect)
        retype_nulls(g, inst, 1, 1);
}

/* A cast back to a named space: a bit cast where the pointer has that space, null where it has another. */
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

/* Casts arguments back to generic where the parameter stays generic. */
static void fix_call(struct generic *g, struct spv_inst *call)
{
    const struct spv_function *callee = spv_function_of(g->module, call->words[0]);
    struct fixing fix = {.g = g};
    for (uint32_t i = 0; callee && i < callee->params.length; i++) {
        const struct spv_inst *param = callee->params.data[i];
        if (!is_resolved(g, param->id))
            fix_operand(&fix, call, &call->words[i + 1]);
        else
            retype_null(g, &call->words[i + 1], param->type);
    }
}

static void fix_return(struct generic *g, struct spv_inst *inst)
{
    const struct spv_inst *function = inst->block->function->def;
    struct fixing fix = {.g = g};
    if (!is_resolved(g, function->id))
        fix_operand(&fix, inst, &inst->words[0]);
    else
        retype_null(g, &inst->words[0], function->type);
}

static void fix_inst(struct generic *g, struct spv_inst *inst)
{
    if (inst->op == SpvOpFunctionCall) {
        fix_call(g, inst);
    } else if (inst->op == SpvOpReturnValue) {
        fix_return(g, inst);
    } else if (!(inst->id && is_resolved(g, inst->id)) && !fix_cast_back(g, inst)) {
        struct fixing fix = {.g = g, .count = pointer_operands(inst)};
        spv_visit_operand_ids(inst, fix_operand, &fix);
    }
}

static void retype_values(struct generic *g)
{
    vec_foreach (struct spv_inst *, it, &g->values) {
        if (is_resolved(g, (*it)->id))
            retype(g, *it);
    }
}

static void fix_body(struct generic *g, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            fix_inst(g, inst);
    }
}

static bool has_generic_type(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpTypePointer && inst->words[0] == SpvStorageClassGeneric)
            return true;
    }
    return false;
}

bool lower_generic(struct lower *lower)
{
    if (!lower->thorough && !has_generic_type(lower->module)) {
        lower->idle = true;
        return true;
    }
    struct generic g = {.module = lower->module, .num_ids = lower->module->bound};
    g.spaces = spv_borrow_table(lower->module, uint8_t);
    spv_foreach_function (function, g.module) {
        collect(&g, function->def);
        for (uint32_t i = 0; i < function->params.length; i++)
            collect(&g, function->params.data[i]);
        collect_body(&g, function);
    }
    infer(&g);
    retype_values(&g);
    spv_foreach_function (function, g.module) {
        if (!g.values.length)
            break;
        lower_update_function_type(g.module, function);
        fix_body(&g, function);
    }
    spv_give_back(lower->module, g.spaces);
    return true;
}

void lower_generic_body(struct spv_module *module, struct spv_function *function)
{
    struct generic g = {.module = module, .num_ids = module->bound};
    g.spaces = spv_borrow_table(module, uint8_t);
    for (uint32_t i = 0; i < function->params.length; i++)
        g.spaces[function->params.data[i]->id] = ANY;
    collect_body(&g, function);
    vec_foreach (struct spv_inst *, call, &g.calls)
        g.spaces[(*call)->words[0]] = ANY;
    g.calls.length = g.returns.length = 0;
    infer(&g);
    retype_values(&g);
    if (g.values.length)
        fix_body(&g, function);
    spv_give_back(module, g.spaces);
}
