/* Code of the turns: each instruction that varies is copied for each turn. Instructions are taken in runs between those
 * at which work-items meet; within a run the turns come one after the other. What masked turns must not do (memory,
 * calls) stands in an if; a store to a variable keeps the old value instead.
 *
 *     %v = OpLoad %p           ->     if (on.0) { %v.0 = OpLoad %p.0 }    %v.0' = OpPhi
 *     %w = OpIAdd %v %x               %w.0 = OpIAdd %v.0' %x
 *                                     if (on.1) { %v.1 = OpLoad %p.1 }    ... */
#include "compiler/lower/subgroups/turns.h"
#include "compiler/lower/values/launch.h"

spv_id turns_copy(const struct turns *t, uint32_t turn, spv_id id)
{
    return id < t->bound && t->copies[turn][id] ? t->copies[turn][id] : id;
}

spv_id turns_mask(struct turns *t, uint32_t turn)
{
    spv_id truth = spv_type_bool(t->module);
    if (!t->masked)
        return t->top[turn];
    if (t->on_block != t->b.block) {
        for (uint32_t j = 0; j < t->count; j++)
            t->on[j] = spv_emitv(&t->b, SpvOpLoad, truth, t->variables[j]);
        t->on_block = t->b.block;
    }
    return t->on[turn];
}

struct spv_block *turns_new_block(struct turns *t)
{
    return spv_block_create(t->function, t->module, 0);
}

void turns_enter(struct turns *t, struct spv_block *block)
{
    spv_block_append(t->function, block);
    t->b.block = block;
}

void turns_branch(struct turns *t, spv_id target)
{
    spv_emitv_void(&t->b, SpvOpBranch, target);
    t->b.block = NULL;
}

void turns_branch_if(struct turns *t, spv_id merge, spv_id condition, spv_id yes, spv_id no)
{
    if (merge)
        spv_emitv_void(&t->b, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    spv_emitv_void(&t->b, SpvOpBranchConditional, condition, yes, no);
    t->b.block = NULL;
}

/* ---- one instruction ---- */

struct mapping {
    const struct turns *t;
    uint32_t turn;
};

static void map_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct mapping *mapping = data;
    (void)inst;
    *word = turns_copy(mapping->t, mapping->turn, *word);
}

static struct spv_inst *copy_inst(struct turns *t, const struct spv_inst *inst, uint32_t turn, spv_id id)
{
    struct mapping mapping = {t, turn};
    struct spv_inst *copy = spv_inst_copy(t->module, inst, id);
    spv_visit_operand_ids(copy, map_word, &mapping);
    spv_inst_insert(&t->b, copy);
    return copy;
}

/* A built-in variable of the turn, which the entry pass knows (ends/entry_ids.c): the turn is in the upper bits. */
static spv_id load_builtin(struct turns *t, const struct spv_inst *load, SpvBuiltIn builtin, uint32_t turn)
{
    if (builtin == SpvBuiltInSubgroupLocalInvocationId)
        return turns_self(t, turn);
    if (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask)
        return subgroup_mask(&t->b, builtin, turns_self(t, turn), t->size);
    return spv_emitv(&t->b, SpvOpLoad, load->type, lower_turn_variable(t->lower, load->words[0], turn));
}

/* A store to a variable of which masked turns keep what it had. */
static void store_masked(struct turns *t, const struct spv_inst *store, uint32_t turn, spv_id on)
{
    spv_id value = turns_copy(t, turn, store->words[1]), type = spv_value_type(t->module, store->words[1]);
    spv_id variable = turns_copy(t, turn, store->words[0]);
    spv_id old = spv_emitv(&t->b, SpvOpLoad, type, variable);
    const spv_id kept = spv_emitv(&t->b, SpvOpSelect, type, on, value, old);
    spv_emitv_void(&t->b, SpvOpStore, variable, kept);
}

/* on: 0 where the turn is not masked here. */
static void emit_for(struct turns *t, const struct spv_inst *inst, uint32_t turn, spv_id on)
{
    SpvBuiltIn builtin;
    if (!t->any_size && inst->op == SpvOpLoad && lower_builtin_of(t->module, inst->words[0], &builtin) &&
        turns_builtin_varies(builtin)) {
        t->copies[turn][inst->id] = load_builtin(t, inst, builtin, turn);
        return;
    }
    if (on && inst->op == SpvOpStore && turns_is_safe(t, inst)) {
        store_masked(t, inst, turn, on);
        return;
    }
    spv_id id = inst->id ? spv_new_id(t->module) : 0;
    copy_inst(t, inst, turn, id);
    if (id)
        t->copies[turn][inst->id] = id;
}

/* What does not vary is there once, for all turns. */
static void emit_once(struct turns *t, const struct spv_inst *inst)
{
    emit_for(t, inst, 0, 0);
    for (uint32_t j = 1; inst->id && j < t->count; j++)
        t->copies[j][inst->id] = t->copies[0][inst->id];
}

/* ---- runs ---- */

struct run {
    const struct spv_inst *first, *end;    /* end is no part of it */
    const struct spv_inst *unsafe, *after; /* from the first to behind the last that masked turns must not do; NULL */
    uint32_t after_place;
};

static struct run find_run(const struct turns *t, const struct spv_inst *first, uint32_t *place)
{
    struct run run = {.first = first};
    const struct spv_inst *inst = first;
    for (; inst && !spv_op_is_terminator(inst->op) && !turns_meet(inst); inst = inst->next, ++*place) {
        if (inst->op == SpvOpVariable || !turns_inst_varies(t, inst) || turns_is_safe(t, inst))
            continue;
        run.unsafe = run.unsafe ? run.unsafe : inst;
        run.after = inst->next;
        run.after_place = *place + 1;
    }
    run.end = inst;
    return run;
}

static void emit_range(struct turns *t, const struct spv_inst *first, const struct spv_inst *end, uint32_t turn,
                       spv_id on)
{
    for (const struct spv_inst *inst = first; inst != end; inst = inst->next) {
        if (inst->op != SpvOpVariable && turns_inst_varies(t, inst))
            emit_for(t, inst, turn, on);
    }
}

/* The guarded part, and phis for the values that are used behind it. */
static void emit_guarded(struct turns *t, const struct run *run, uint32_t turn, spv_id on)
{
    struct spv_block *inside = turns_new_block(t), *merge = turns_new_block(t);
    spv_id from = t->b.block->label->id;
    turns_branch_if(t, merge->label->id, on, inside->label->id, merge->label->id);
    turns_enter(t, inside);
    emit_range(t, run->unsafe, run->after, turn, 0);
    turns_branch(t, merge->label->id);
    turns_enter(t, merge);
    for (const struct spv_inst *inst = run->unsafe; inst != run->after; inst = inst->next) {
        if (!inst->id || !turns_inst_varies(t, inst) ||
            (t->last_use[inst->id] < run->after_place && !t->crosses[inst->id]))
            continue;
        t->copies[turn][inst->id] = spv_emitv(&t->b, SpvOpPhi, inst->type, t->copies[turn][inst->id], inside->label->id,
                                              spv_undef(t->module, inst->type), from);
    }
}

static void emit_run(struct turns *t, const struct run *run)
{
    for (const struct spv_inst *inst = run->first; inst != run->end; inst = inst->next) {
        if (inst->op != SpvOpVariable && !turns_inst_varies(t, inst))
            emit_once(t, inst);
    }
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id on = turns_mask(t, j);
        emit_range(t, run->first, on && run->unsafe ? run->unsafe : run->end, j, on);
        if (!on || !run->unsafe)
            continue;
        emit_guarded(t, run, j, on);
        emit_range(t, run->after, run->end, j, turns_mask(t, j));
    }
}

struct use {
    struct turns *t;
    uint32_t place;
};

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct use *use = data;
    (void)inst;
    if (*word < use->t->bound)
        use->t->last_use[*word] = use->place;
}

void turns_emit_code(struct turns *t, const struct spv_block *block)
{
    struct use use = {t, 0};
    uint32_t place = 0;
    spv_foreach_inst (each, &block->insts) {
        spv_visit_operand_ids(each, note_use, &use);
        use.place++;
    }
    for (const struct spv_inst *inst = block->insts.first; inst && !spv_op_is_terminator(inst->op);) {
        if (turns_meet(inst)) {
            turns_emit_meeting(t, inst);
            inst = inst->next;
            place++;
            continue;
        }
        struct run run = find_run(t, inst, &place);
        emit_run(t, &run);
        inst = run.end;
    }
}

/* ---- constructs that each turn runs by itself ---- */

static bool is_in(const struct turn_node *node, spv_id label)
{
    for (uint32_t i = 0; i < node->blocks.length; i++) {
        if (node->blocks.data[i]->label->id == label)
            return true;
    }
    return false;
}

/* A label that a merge instruction names and that nobody branches to has no block any more. */
static void add_missing(struct turns *t, struct spv_block *block, spv_id go_on)
{
    turns_enter(t, block);
    if (go_on)
        turns_branch(t, go_on);
    else
        spv_emit_void(&t->b, SpvOpUnreachable, 0, NULL);
    t->b.block = NULL;
}

static void copy_merge(struct turns *t, const struct turn_node *node, const struct spv_block *block, uint32_t turn)
{
    const struct spv_inst *merge = u64_map_get(&t->merges, block->label->id);
    if (!merge)
        return;
    uint32_t labels = merge->op == SpvOpLoopMerge ? 2 : 1;
    struct spv_inst *copy = copy_inst(t, merge, turn, 0);
    for (uint32_t i = 0; i < labels; i++) {
        if (merge->words[i] == node->merge || is_in(node, merge->words[i]))
            continue;
        struct spv_block *missing = turns_new_block(t), *here = t->b.block;
        copy->words[i] = missing->label->id;
        add_missing(t, missing, i ? turns_copy(t, turn, block->label->id) : 0);
        t->b.block = here;
    }
}

static void copy_block(struct turns *t, const struct turn_node *node, const struct spv_block *block, uint32_t turn)
{
    for (const struct spv_inst *inst = block->insts.first; !spv_op_is_terminator(inst->op); inst = inst->next) {
        if (inst->op != SpvOpVariable)
            emit_for(t, inst, turn, 0);
    }
    copy_merge(t, node, block, turn);
    copy_inst(t, spv_terminator(block), turn, 0);
}

static void emit_once_for(struct turns *t, const struct turn_node *node, uint32_t turn, struct spv_block *merge)
{
    VEC(struct spv_block *) blocks = {0};
    bool is_loop = node->hint->op == SpvOpLoopMerge;
    t->copies[turn][node->merge] = merge->label->id;
    for (uint32_t i = 0; i < node->blocks.length; i++) {
        struct spv_block *block = turns_new_block(t);
        vec_push(t->arena, &blocks, block);
        t->copies[turn][node->blocks.data[i]->label->id] = block->label->id;
    }
    if (is_loop) {
        turns_branch(t, blocks.data[0]->label->id);
    } else {
        spv_emitv_void(&t->b, SpvOpSelectionMerge, merge->label->id, node->hint->words[1]);
        copy_inst(t, spv_terminator(node->block), turn, 0);
        t->b.block = NULL;
    }
    for (uint32_t i = 0; i < blocks.length; i++) {
        turns_enter(t, blocks.data[i]);
        copy_block(t, node, node->blocks.data[i], turn);
    }
    turns_enter(t, merge);
}

void turns_emit_whole(struct turns *t, const struct turn_node *node)
{
    for (uint32_t j = 0; j < t->count; j++) {
        struct spv_block *inside = NULL, *merge = turns_new_block(t), *after = NULL;
        spv_id on = turns_mask(t, j);
        if (on) {
            inside = turns_new_block(t);
            after = turns_new_block(t);
            turns_branch_if(t, after->label->id, on, inside->label->id, after->label->id);
            turns_enter(t, inside);
        }
        emit_once_for(t, node, j, merge);
        if (on) {
            turns_branch(t, after->label->id);
            turns_enter(t, after);
        }
    }
}
