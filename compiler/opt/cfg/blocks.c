/* Small repairs of control flow that several passes share: phis after edges changed, unreachable blocks, chains of
 * blocks. */
#include "compiler/opt/cfg/blocks.h"

#include "compiler/spv/cfg.h"

#include <assert.h>
#include <string.h>

void cfg_remove_inst(struct spv_module *module, struct spv_inst *inst)
{
    if (inst->id)
        spv_remove_annotations(module, inst->id);
    spv_inst_remove(module, inst);
}

void cfg_rename_phi_pred(struct spv_module *module, struct spv_block *block, spv_id old, spv_id new_label)
{
    struct spv_targets targets = spv_targets(block);
    for (uint32_t i = 0; i < targets.count; i++) {
        struct spv_block *succ = spv_block_of(module, targets.first[i * targets.step]);
        for (struct spv_inst *phi = succ ? succ->insts.first : NULL; phi; phi = phi->next) {
            for (uint32_t w = 1; phi->op == SpvOpPhi && w < phi->num_words; w += 2) {
                if (phi->words[w] == old)
                    phi->words[w] = new_label;
            }
            if (phi->op != SpvOpPhi && phi->op != SpvOpLine && phi->op != SpvOpNoLine)
                break;
        }
    }
}

/* ---- phis ---- */

struct pred_table {
    uint32_t count;
    uint32_t *start, *preds; /* labels, by the block's number in text order (block->index) */
};

static uint32_t number_in_order(struct spv_function *function)
{
    uint32_t count = 0;
    spv_foreach_block (block, function)
        block->index = count++;
    return count;
}

/* Collects all edges, also those from unreachable blocks: SPIR-V wants phi entries for them, too. */
static struct pred_table collect_preds(struct spv_module *module, struct spv_function *function)
{
    struct arena *arena = spv_scratch(module);
    uint32_t count = number_in_order(function), *fill = NULL;
    struct pred_table table = {.count = count, .start = arena_array(arena, uint32_t, count + 1)};
    for (int round = 0; round < 2; round++) {
        uint32_t *last = arena_array(arena, uint32_t, count);
        spv_foreach_block (block, function) {
            struct spv_targets targets = spv_targets(block);
            for (uint32_t i = 0; i < targets.count; i++) {
                const struct spv_block *succ = spv_block_of(module, targets.first[i * targets.step]);
                if (!succ || last[succ->index] == block->index + 1)
                    continue;
                last[succ->index] = block->index + 1;
                if (fill)
                    table.preds[fill[succ->index]++] = block->label->id;
                else
                    table.start[succ->index + 1]++;
            }
        }
        if (fill)
            break;
        fill = arena_array(arena, uint32_t, count);
        for (uint32_t i = 0; i < count; i++) {
            table.start[i + 1] += table.start[i];
            fill[i] = table.start[i];
        }
        table.preds = arena_array(arena, uint32_t, table.start[count]);
    }
    return table;
}

/* Whether a phi needs no change, as most: it has one entry for each edge, in the order of the edges. */
static bool is_in_order(const struct spv_module *module, const struct spv_inst *phi, const uint32_t *preds,
                        uint32_t num_preds)
{
    if (phi->num_words != 2 * num_preds)
        return false;
    for (uint32_t i = 0; i < num_preds; i++) {
        if (phi->words[2 * i + 1] != preds[i] || !spv_def(module, phi->words[2 * i]))
            return false;
    }
    return true;
}

/* Whether all entries could be one value. True for every phi that folding can simplify, and for a few more. */
static bool looks_simple(const struct spv_module *module, const struct spv_inst *phi)
{
    spv_id same = 0;
    for (uint32_t w = 0; w < phi->num_words; w += 2) {
        const struct spv_inst *def = spv_def(module, phi->words[w]);
        if (phi->words[w] == phi->id || (def && def->op == SpvOpUndef))
            continue;
        if (same && phi->words[w] != same)
            return false;
        same = phi->words[w];
    }
    return true;
}

/* values: a table of zeros by block number, which is all zeros again at the end. */
static bool fix_phi(struct spv_module *module, struct spv_inst *phi, const uint32_t *preds, uint32_t num_preds,
                    spv_id *values, bool *simple)
{
    if (is_in_order(module, phi, preds, num_preds))
        return false;
    uint32_t *words = arena_array(spv_scratch(module), uint32_t, num_preds * 2), same = 0;
    for (uint32_t w = 0; w + 1 < phi->num_words; w += 2) {
        const struct spv_block *pred = spv_block_of(module, phi->words[w + 1]);
        if (pred)
            values[pred->index] = phi->words[w];
    }
    for (uint32_t i = 0; i < num_preds; i++) {
        spv_id value = values[spv_block_of(module, preds[i])->index];
        /* The value may have been removed with the code of its block, where only a branch is left. */
        if (value && !spv_def(module, value))
            value = 0;
        same += value != 0;
        words[2 * i] = value ? value : spv_undef(module, phi->type);
        words[2 * i + 1] = preds[i];
    }
    for (uint32_t w = 0; w + 1 < phi->num_words; w += 2) {
        const struct spv_block *pred = spv_block_of(module, phi->words[w + 1]);
        if (pred)
            values[pred->index] = 0;
    }
    if (same == num_preds && phi->num_words == 2 * num_preds)
        return false;
    spv_inst_set_words(module, phi, num_preds * 2, words);
    *simple = *simple || looks_simple(module, phi);
    return true;
}

/* *simple is set where a phi that changed looks simple. */
static bool fix_phis(struct spv_module *module, struct spv_function *function, bool *simple)
{
    struct pred_table table = {0};
    struct arena_mark mark = spv_scratch_begin(module);
    spv_id *values = NULL;
    bool changed = false;
    spv_foreach_block (block, function) {
        for (struct spv_inst *inst = block->insts.first; inst; inst = inst->next) {
            if (inst->op != SpvOpPhi)
                continue;
            if (!table.start) {
                table = collect_preds(module, function);
                values = arena_array(spv_scratch(module), spv_id, table.count);
            }
            uint32_t first = table.start[block->index];
            changed |=
                fix_phi(module, inst, table.preds + first, table.start[block->index + 1] - first, values, simple);
        }
    }
    spv_scratch_end(module, mark);
    return changed;
}

bool cfg_fix_phis(struct spv_module *module, struct spv_function *function)
{
    bool simple = false;
    return fix_phis(module, function, &simple);
}

/* ---- unreachable blocks ---- */

static void strip(struct spv_module *module, struct spv_block *block, spv_id target)
{
    while (block->insts.first)
        cfg_remove_inst(module, block->insts.first);
    struct spv_builder at = {module, block->function, block, NULL};
    if (target)
        spv_emitv_void(&at, SpvOpBranch, target);
    else
        spv_emit_void(&at, SpvOpUnreachable, 0, NULL);
}

static bool only_branches(const struct spv_block *block, spv_id target)
{
    const struct spv_inst *only = block->insts.first;
    if (!only || only->next)
        return false;
    return target ? only->op == SpvOpBranch && only->words[0] == target : only->op == SpvOpUnreachable;
}

/* Removes unreachable blocks. Returns whether there were any. */
static bool remove_unreachable(struct spv_module *module, struct spv_function *function, bool *changed)
{
    struct spv_cfg cfg;
    struct arena *arena = spv_scratch(module);
    struct u64_map kept = {0}; /* label of an unreachable block -> 0: a merge block; else the header to branch to */
    spv_cfg_number(arena, module, function, &cfg);
    bool any = false;
    spv_foreach_block (check, function)
        any = any || check->index == SPV_UNREACHABLE;
    if (!any)
        return false;
    for (uint32_t i = 0; i < cfg.count; i++) {
        const struct spv_inst *merge = spv_merge_inst(cfg.blocks[i]);
        if (!merge)
            continue;
        if (spv_block_of(module, merge->words[0])->index == SPV_UNREACHABLE)
            u64_map_set(arena, &kept, merge->words[0], NULL);
        if (merge->op == SpvOpLoopMerge && spv_block_of(module, merge->words[1])->index == SPV_UNREACHABLE)
            u64_map_set(arena, &kept, merge->words[1], (void *)(uintptr_t)cfg.blocks[i]->label->id);
    }
    for (struct spv_block *block = function->first_block, *next; block; block = next) {
        next = block->next;
        if (block->index != SPV_UNREACHABLE)
            continue;
        spv_id target = (spv_id)(uintptr_t)u64_map_get(&kept, block->label->id);
        if (!u64_map_has(&kept, block->label->id)) {
            spv_block_remove(module, block);
            *changed = true;
        } else if (!only_branches(block, target)) {
            strip(module, block, target);
            *changed = true;
        }
    }
    return true;
}

bool cfg_remove_unreachable(struct spv_module *module, struct spv_function *function)
{
    struct arena_mark mark = spv_scratch_begin(module);
    bool changed = false;
    bool any = function->first_block && remove_unreachable(module, function, &changed);
    spv_scratch_end(module, mark);
    return (any && cfg_fix_phis(module, function)) || changed;
}

bool cfg_mend_edges(struct spv_module *module, struct spv_function *function)
{
    struct arena_mark mark = spv_scratch_begin(module);
    bool changed = false, simple = false;
    remove_unreachable(module, function, &changed);
    spv_scratch_end(module, mark);
    fix_phis(module, function, &simple);
    return simple;
}

/* ---- chains ---- */

enum { IS_NAMED = 1 };

/* Sets each block's index to twice the number of edges to it, plus IS_NAMED where a merge instruction names it: such
 * blocks cannot be joined. */
static void count_edges(const struct spv_module *module, struct spv_function *function)
{
    spv_foreach_block (each, function)
        each->index = 0;
    spv_foreach_block (block, function) {
        struct spv_targets targets = spv_targets(block);
        const struct spv_inst *merge = spv_merge_inst(block);
        for (uint32_t i = 0; i < targets.count; i++) {
            struct spv_block *succ = spv_block_of(module, targets.first[i * targets.step]);
            if (succ)
                succ->index += 2;
        }
        for (uint32_t i = 0; merge && i < (merge->op == SpvOpLoopMerge ? 2 : 1); i++) {
            struct spv_block *named = spv_block_of(module, merge->words[i]);
            if (named)
                named->index |= IS_NAMED;
        }
    }
}

/* The successor that can be appended to block: the target of its plain branch that nothing else leads to; else NULL. */
static struct spv_block *joinable_successor(const struct spv_module *module, const struct spv_block *block)
{
    const struct spv_inst *end = spv_terminator(block);
    if (end->op != SpvOpBranch || spv_merge_inst(block))
        return NULL;
    struct spv_block *succ = spv_block_of(module, end->words[0]);
    if (!succ || succ == block || succ == block->function->first_block || succ->index != 2)
        return NULL;
    return succ;
}

static void join(struct spv_module *module, struct spv_block *block, struct spv_block *succ,
                 struct spv_replacements *replacements)
{
    spv_inst_remove(module, spv_terminator(block));
    cfg_rename_phi_pred(module, succ, succ->label->id, block->label->id);
    spv_foreach_inst_safe (inst, &succ->insts) {
        inst->block = block;
        if (inst->op != SpvOpPhi)
            continue;
        inst->block = succ;
        spv_replace(module, replacements, inst->id, inst->words[0]);
        cfg_remove_inst(module, inst);
    }
    struct spv_list *list = &block->insts, *moved = &succ->insts;
    if (moved->first) {
        moved->first->prev = list->last;
        if (list->last)
            list->last->next = moved->first;
        else
            list->first = moved->first;
        list->last = moved->last;
        *moved = (struct spv_list){NULL, NULL};
    }
    spv_block_remove(module, succ);
}

#ifndef NDEBUG
/* Behind cfg_join_blocks() the blocks stay joined until spv_cfg_forget(). */
static bool are_joined(const struct spv_module *module, struct spv_function *function)
{
    count_edges(module, function);
    spv_foreach_block (block, function) {
        if (joinable_successor(module, block))
            return false;
    }
    return true;
}
#endif

bool cfg_join_blocks(struct spv_module *module, struct spv_function *function)
{
    if (!function->first_block || !function->first_block->next)
        return false;
    assert(!function->joined || are_joined(module, function));
    if (function->joined)
        return false;
    count_edges(module, function);
    struct spv_replacements replacements = {0};
    bool changed = false;
    spv_foreach_block (block, function) {
        struct spv_block *succ;
        while ((succ = joinable_successor(module, block))) {
            join(module, block, succ, &replacements);
            changed = true;
        }
    }
    spv_apply_replacements(module, &replacements, function);
    spv_finish_replacements(module, &replacements);
    if (changed)
        spv_cfg_forget(function);
    function->joined = true;
    return changed;
}

/* ---- returns ---- */

bool cfg_returns(const struct spv_block *block)
{
    const struct spv_inst *end = spv_terminator(block);
    return end->op == SpvOpReturn || end->op == SpvOpReturnValue;
}

static bool returns_at_the_end(const struct spv_function *function)
{
    spv_foreach_block (block, function) {
        if (cfg_returns(block) != (block == function->last_block))
            return false;
    }
    return true;
}

void cfg_unify_returns(struct spv_module *module, struct spv_function *function)
{
    if (returns_at_the_end(function))
        return;
    struct spv_block *exit = spv_block_create(function, module, 0);
    bool is_void = spv_type_op(module, function->def->type) == SpvOpTypeVoid;
    VEC(uint32_t) incoming = {0};
    uint32_t count = 0;
    spv_foreach_block (block, function) {
        if (!cfg_returns(block))
            continue;
        struct spv_inst *end = spv_terminator(block);
        if (!is_void) {
            vec_push(module->arena, &incoming, end->words[0]);
            vec_push(module->arena, &incoming, block->label->id);
        }
        spv_inst_remove(module, end);
        struct spv_builder at = {module, function, block, NULL};
        spv_emitv_void(&at, SpvOpBranch, exit->label->id);
        count++;
    }
    if (!count)
        return;
    spv_block_append(function, exit);
    spv_cfg_forget(function);
    struct spv_builder at = {module, function, exit, NULL};
    if (is_void) {
        spv_emit_void(&at, SpvOpReturn, 0, NULL);
        return;
    }
    spv_id value =
        count == 1 ? incoming.data[0] : spv_emit(&at, SpvOpPhi, function->def->type, incoming.length, incoming.data);
    spv_emitv_void(&at, SpvOpReturnValue, value);
}

static bool meets_in(struct spv_module *module, spv_id id, struct u64_map *called)
{
    static char meets;
    const struct spv_function *function = spv_function_of(module, id);
    if (u64_map_has(called, id))
        return u64_map_get(called, id);
    u64_map_set(module->arena, called, id, &meets); /* so that a function that calls itself ends here */
    if (!function || !function->first_block)
        return true;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (spv_op_is_subgroup(inst->op))
                return true;
        }
        if (cfg_has_barrier(module, block, called))
            return true;
    }
    u64_map_set(module->arena, called, id, NULL);
    return false;
}

bool cfg_has_barrier(struct spv_module *module, const struct spv_block *block, struct u64_map *called)
{
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op == SpvOpControlBarrier || inst->op == SpvOpGroupWaitEvents || spv_op_is_group(inst->op) ||
            (inst->op == SpvOpFunctionCall && meets_in(module, inst->words[0], called)))
            return true;
    }
    return false;
}
