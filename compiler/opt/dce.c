/* Removes dead code. It marks what is needed, starting from instructions with effects, so that phis which only feed
 * each other die together. A store to a local variable is needed only if something reads the variable. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"

#include <string.h>

/* A store to a variable (or a copy, or a mark of its lifetime), which becomes live when a read of the variable does. */
struct waiting {
    uint32_t next; /* 1 + index; 0: none */
    struct spv_inst *inst;
};

/* An instruction that waits for its variable has IS_WAITING. The user field of the variable holds 1 + the index of the
 * first one that waits for it. */
struct sweep {
    struct spv_module *module;
    struct arena *arena;
    uint8_t *live; /* ids of the function that are used, or stay anyway */
    VEC(struct spv_inst *) work;
    VEC(struct waiting) waiting;
};

enum { IS_WAITING = 1 };

/* The local variable that a pointer points into; 0 where it points elsewhere, or where that cannot be seen. */
static spv_id base_variable(const struct spv_module *module, spv_id pointer)
{
    for (;;) {
        const struct spv_inst *def = spv_def(module, pointer);
        if (!def || !spv_op_leads_on(def->op))
            return def && def->op == SpvOpVariable && def->block ? pointer : 0;
        pointer = def->words[0];
    }
}

static bool is_volatile(const struct spv_inst *inst, uint32_t word)
{
    return inst->num_words > word && inst->words[word] & SpvMemoryAccessVolatileMask;
}

static bool is_waiting_kind(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpStore:
    case SpvOpCopyMemory:
        return !is_volatile(inst, 2);
    case SpvOpCopyMemorySized:
        return !is_volatile(inst, 3);
    default:
        return spv_op_is_lifetime(inst->op);
    }
}

/* Whether inst may be removed when nobody uses its result. */
static bool is_removable(const struct spv_module *module, const struct spv_inst *inst)
{
    if (spv_inst_effect(inst) != SPV_EFFECT_UNKNOWN)
        return true;
    switch (inst->op) {
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpVariable:
        return true;
    case SpvOpLoad:
        return !is_volatile(inst, 1);
    case SpvOpFunctionCall: {
        const struct spv_function *callee = spv_function_of(module, inst->words[0]);
        return callee && callee->def->words[0] & (SpvFunctionControlPureMask | SpvFunctionControlConstMask);
    }
    default:
        return false;
    }
}

static void keep_waiting(struct sweep *s, const struct spv_inst *variable)
{
    for (uint32_t w = variable->user; w; w = s->waiting.data[w - 1].next) {
        s->waiting.data[w - 1].inst->flags = 0;
        vec_push(s->arena, &s->work, s->waiting.data[w - 1].inst);
    }
}

static void mark_id(void *data, struct spv_inst *user, uint32_t *word)
{
    struct sweep *s = data;
    (void)user;
    if (s->live[*word] || spv_is_constant(s->module, *word))
        return;
    struct spv_inst *def = spv_def(s->module, *word);
    if (!def || !def->block)
        return;
    s->live[*word] = 1;
    if (def->op == SpvOpLabel)
        return;
    vec_push(s->arena, &s->work, def);
    if (def->op == SpvOpVariable)
        keep_waiting(s, def);
}

static void add_waiting(struct sweep *s, struct spv_inst *variable, struct spv_inst *inst)
{
    inst->flags = IS_WAITING;
    vec_push(s->arena, &s->waiting, (struct waiting){variable->user, inst});
    variable->user = s->waiting.length;
}

/* Marks what is needed by itself. Variables are met before the stores to them, as they stand in the entry block. */
static void mark_roots(struct sweep *s, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->flags)
                inst->flags = 0;
            if (inst->id && (spv_op_is_pure(inst->op) || is_removable(s->module, inst))) {
                if (inst->op == SpvOpVariable)
                    inst->user = 0;
                continue;
            }
            spv_id variable = is_waiting_kind(inst) ? base_variable(s->module, inst->words[0]) : 0;
            if (variable) {
                add_waiting(s, spv_def(s->module, variable), inst);
                continue;
            }
            s->live[inst->id] = inst->id != 0;
            vec_push(s->arena, &s->work, inst);
        }
    }
}

/* Removes what was not marked, and sets the table's entries to zero again for the next user of the table. */
static bool sweep(struct sweep *s, struct spv_function *function)
{
    bool changed = false;
    spv_foreach_block (block, function) {
        s->live[block->label->id] = 0;
        spv_foreach_inst_safe (inst, &block->insts) {
            bool stays = inst->id ? s->live[inst->id] : inst->flags != IS_WAITING;
            if (inst->op == SpvOpVariable)
                inst->user = 0;
            if (stays) {
                s->live[inst->id] = 0;
                continue;
            }
            inst->flags = 0;
            cfg_remove_inst(s->module, inst);
            changed = true;
        }
    }
    return changed;
}

bool opt_dce(struct spv_module *module, struct spv_function *function)
{
    struct sweep s = {.module = module, .arena = spv_scratch(module)};
    if (!function->first_block)
        return false;
    struct arena_mark mark = spv_scratch_begin(module);
    s.live = spv_borrow_table(module, uint8_t);
    mark_roots(&s, function);
    while (s.work.length)
        spv_visit_operand_ids(vec_pop(&s.work), mark_id, &s);
    bool changed = sweep(&s, function);
    spv_give_back_zeroed(module, s.live);
    spv_scratch_end(module, mark);
    return changed;
}

/* ---- the module ---- */

struct reach {
    struct spv_module *module;
    uint8_t *live; /* by id */
    VEC(spv_id) work;
};

static void reach_id(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct reach *r = data;
    (void)inst;
    if (r->live[*word])
        return;
    r->live[*word] = 1;
    vec_push(spv_scratch(r->module), &r->work, *word);
}

static void reach_inst(struct reach *r, struct spv_inst *inst)
{
    if (inst->type)
        reach_id(r, inst, &inst->type);
    spv_visit_operand_ids(inst, reach_id, r);
}

/* Instructions in blocks are not marked here: they live as long as their function. */
static void reach_outside(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct reach *r = data;
    const struct spv_inst *def = r->live[*word] ? NULL : spv_def(r->module, *word);
    if (def && !def->block)
        reach_id(data, inst, word);
}

static void reach_function(struct reach *r, struct spv_function *function)
{
    reach_inst(r, function->def);
    for (uint32_t i = 0; i < function->params.length; i++)
        reach_inst(r, function->params.data[i]);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->type)
                reach_id(r, inst, &inst->type);
            spv_visit_operand_ids(inst, reach_outside, r);
            r->live[inst->id] = 1; /* so that uses find it live; live[0], for no result, is not read */
        }
    }
}

static void reach_all(struct reach *r)
{
    while (r->work.length) {
        struct spv_inst *def = spv_def(r->module, vec_pop(&r->work));
        struct spv_function *function = def && def->op == SpvOpFunction ? spv_function_of(r->module, def->id) : NULL;
        if (function)
            reach_function(r, function);
        else if (def && !def->block)
            reach_inst(r, def);
        for (struct spv_inst *d = def ? spv_decorations(r->module, def->id) : NULL; d; d = d->next_decoration) {
            if (d->op == SpvOpDecorateId)
                reach_inst(r, d);
        }
    }
}

static void reach_roots(struct reach *r)
{
    struct spv_module *module = r->module;
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT])
        reach_inst(r, entry);
    for (struct spv_inst *d = module->sections[SPV_SECTION_ANNOTATION].first; d; d = d->next) {
        uint32_t after;
        const struct spv_inst *target = d->op == SpvOpDecorateId ? spv_def(module, d->words[0]) : NULL;
        if (target && target->block)
            reach_inst(r, d);
        if (d->op != SpvOpDecorate || d->words[1] != SpvDecorationLinkageAttributes || !spv_def(module, d->words[0]))
            continue;
        spv_string(d, 2, &after);
        if (after < d->num_words && d->words[after] == SpvLinkageTypeExport)
            reach_id(r, d, &d->words[0]);
    }
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpExtInst)
            reach_inst(r, inst);
    }
    reach_all(r);
    /* modes of a function that lives may name constants */
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (r->live[mode->words[0]])
            reach_inst(r, mode);
    }
    reach_all(r);
}

static bool sweep_section(struct reach *r, enum spv_section section)
{
    bool changed = false;
    spv_foreach_inst_safe (inst, &r->module->sections[section]) {
        spv_id id = inst->op == SpvOpTypeForwardPointer ? inst->words[0] : inst->id;
        if (!id || r->live[id])
            continue;
        if (id == r->module->ext_opencl)
            r->module->ext_opencl = 0;
        if (id == r->module->ext_glsl)
            r->module->ext_glsl = 0;
        if (id == r->module->ext_private)
            r->module->ext_private = 0;
        cfg_remove_inst(r->module, inst);
        changed = true;
    }
    return changed;
}

bool opt_dce_module(struct spv_module *module)
{
    struct reach r = {.module = module, .live = spv_borrow_table(module, uint8_t)};
    struct arena_mark mark = spv_scratch_begin(module);
    bool changed = false;
    reach_roots(&r);
    for (struct spv_function *function = module->first_function, *next; function; function = next) {
        next = function->next;
        if (r.live[function->def->id])
            continue;
        spv_function_remove(module, function);
        changed = true;
    }
    changed |= sweep_section(&r, SPV_SECTION_GLOBAL);
    changed |= sweep_section(&r, SPV_SECTION_EXT_INST_IMPORT);
    spv_give_back(module, r.live);
    spv_scratch_end(module, mark);
    return changed;
}
