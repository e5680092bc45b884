/* Branches and switches on constants become plain branches, without breaking the structure around them (SPIR-V 1.6,
 * 2.11.2).
 *
 * An if loses its merge instruction together with its condition; so this is done only where nothing but its two arms
 * branches to its merge block. A switch can be left from deep inside: while several blocks branch to its merge block,
 * it stays a switch with one case. A loop needs its back edge, so a constant condition there stays, unless the loop
 * runs once and nothing else breaks out or continues; then the loop is dissolved. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/fold.h"
#include "compiler/spv/cfg.h"

static void set_branch(struct spv_module *module, struct spv_inst *end, spv_id label)
{
    end->op = SpvOpBranch;
    spv_inst_set_words(module, end, 1, &label);
}

struct branches {
    struct spv_module *module;
    struct spv_function *function;
    struct spv_cfg cfg;
    struct u64_map headers; /* label of a loop's header -> its OpLoopMerge */
    struct u64_map strays;  /* label -> an unreachable block that branches to it */
    bool changed, opened;   /* opened: see fold_branches() */
};

static bool branches_to(const struct spv_block *block, spv_id label)
{
    struct spv_targets targets = spv_targets(block);
    for (uint32_t i = 0; i < targets.count; i++)
        if (targets.first[i * targets.step] == label)
            return true;
    return false;
}

/* How many blocks branch to label; *last is set to one of them. Folding only removes edges, so it is enough to look at
 * the predecessors that the graph had at the beginning. */
static uint32_t count_preds(const struct branches *b, spv_id label, struct spv_block **last)
{
    const struct spv_cfg *cfg = &b->cfg;
    uint32_t count = 0, to = spv_block_of(b->module, label)->index;
    struct spv_block *stray = u64_map_get(&b->strays, label);
    if (stray) {
        count++;
        *last = stray;
    }
    if (to == SPV_UNREACHABLE)
        return count;
    for (uint32_t i = cfg->pred_start[to]; i < cfg->pred_start[to + 1]; i++) {
        struct spv_block *pred = cfg->blocks[cfg->preds[i]];
        if (branches_to(pred, label)) {
            count++;
            *last = pred;
        }
    }
    return count;
}

/* Whether block stands inside a construct that begins inside header's construct. */
static bool is_nested(const struct branches *b, const struct spv_block *block, const struct spv_block *header)
{
    if (block->index == SPV_UNREACHABLE)
        return true;
    for (uint32_t i = block->index; i != header->index && i; i = b->cfg.idom[i]) {
        const struct spv_inst *merge = spv_merge_inst(b->cfg.blocks[i]);
        if (!merge)
            continue;
        uint32_t end = spv_block_of(b->module, merge->words[0])->index;
        if (end == SPV_UNREACHABLE || !spv_dominates(&b->cfg, end, block->index))
            return true;
    }
    return false;
}

/* Whether no block branches to label, or only one that is nested no deeper than header's own code. */
static bool has_plain_pred(const struct branches *b, spv_id label, const struct spv_block *header)
{
    struct spv_block *pred = NULL;
    uint32_t count = count_preds(b, label, &pred);
    return count == 0 || (count == 1 && !is_nested(b, pred, header));
}

/* Dissolves the back edge of a loop that runs once, "do ... while (0)". */
static void fold_back_edge(struct branches *b, struct spv_block *block, spv_id header, spv_id taken)
{
    struct spv_inst *merge = u64_map_get(&b->headers, header);
    if (taken == header) {
        set_branch(b->module, spv_terminator(block), header);
        b->changed = b->opened = true;
        return;
    }
    const struct spv_block *header_block = spv_block_of(b->module, header);
    if (!has_plain_pred(b, merge->words[0], header_block))
        return;
    if (merge->words[1] != header && !has_plain_pred(b, merge->words[1], header_block))
        return;
    spv_inst_remove(b->module, merge);
    u64_map_set(spv_scratch(b->module), &b->headers, header, NULL);
    set_branch(b->module, spv_terminator(block), taken);
    b->changed = b->opened = true;
}

static bool is_back_edge(const struct branches *b, const struct spv_block *block, spv_id label)
{
    return u64_map_get(&b->headers, label) &&
           spv_dominates(&b->cfg, spv_block_of(b->module, label)->index, block->index);
}

static void fold_condition(struct branches *b, struct spv_block *block)
{
    struct spv_inst *end = spv_terminator(block), *merge = spv_merge_inst(block);
    uint64_t condition = 0;
    bool same = end->words[1] == end->words[2];
    if (!same && !spv_const_value(b->module, end->words[0], &condition))
        return;
    spv_id taken = end->words[condition ? 1 : 2];
    for (uint32_t side = 1; side <= 2 && !same; side++) {
        if (is_back_edge(b, block, end->words[side])) {
            fold_back_edge(b, block, end->words[side], taken);
            return;
        }
    }
    if (merge && merge->op == SpvOpSelectionMerge)
        spv_inst_remove(b->module, merge);
    set_branch(b->module, end, taken);
    b->changed = true;
}

static spv_id case_taken(const struct spv_inst *end, uint64_t selector)
{
    uint32_t step = end->hints.literal_words + 1;
    for (uint32_t i = 2; i + step <= end->num_words; i += step) {
        uint64_t literal = end->words[i] | (step == 3 ? (uint64_t)end->words[i + 1] << 32 : 0);
        if (step == 2)
            literal = (uint32_t)literal;
        if (literal == selector)
            return end->words[i + step - 1];
    }
    return end->words[1];
}

static bool is_decided(const struct spv_module *module, const struct spv_inst *end, uint64_t *selector)
{
    /* how narrow literals are extended depends on signedness; rare, and not worth a mistake */
    return spv_const_value(module, end->words[0], selector) &&
           (end->op != SpvOpSwitch || spv_type_width(module, spv_value_type(module, end->words[0])) >= 32);
}

spv_id fold_taken(const struct spv_module *module, const struct spv_cfg *cfg, uint32_t i)
{
    const struct spv_inst *end = spv_terminator(cfg->blocks[i]);
    uint64_t selector;
    if ((end->op != SpvOpBranchConditional && (end->op != SpvOpSwitch || end->num_words <= 2)) ||
        !is_decided(module, end, &selector))
        return 0;
    for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++) {
        if (cfg->succs[e] <= i) /* loops go on */
            return 0;
    }
    return end->op == SpvOpSwitch ? case_taken(end, selector) : end->words[selector ? 1 : 2];
}

static void fold_switch(struct branches *b, struct spv_block *block)
{
    struct spv_inst *end = spv_terminator(block), *merge = spv_merge_inst(block);
    uint64_t selector;
    spv_id taken = end->words[1];
    if (end->num_words > 2) {
        if (!is_decided(b->module, end, &selector))
            return;
        taken = case_taken(end, selector);
        spv_inst_set_words(b->module, end, 2, (const uint32_t[]){end->words[0], taken});
        b->changed = true;
    }
    if (merge && taken != merge->words[0] && !has_plain_pred(b, merge->words[0], block))
        return;
    if (merge)
        spv_inst_remove(b->module, merge);
    set_branch(b->module, end, taken);
    b->changed = true;
}

/* Dissolves a loop whose header leaves it at once. */
static void drop_empty_loop(struct branches *b, struct spv_block *block)
{
    struct spv_inst *merge = spv_merge_inst(block), *end = spv_terminator(block);
    if (!merge || merge->op != SpvOpLoopMerge || end->op != SpvOpBranch || end->words[0] != merge->words[0])
        return;
    struct spv_block *pred;
    if (count_preds(b, merge->words[0], &pred) > 1)
        return;
    spv_inst_remove(b->module, merge);
    b->changed = b->opened = true;
}

/* Whether any block ends in a way that could be folded. Mostly none does, and the analysis can be saved. */
static bool has_candidate(const struct spv_module *module, const struct spv_function *function)
{
    uint64_t bits;
    spv_foreach_block (block, function) {
        const struct spv_inst *end = spv_terminator(block), *merge;
        switch (end->op) {
        case SpvOpBranchConditional:
            if (end->words[1] == end->words[2] || spv_const_value(module, end->words[0], &bits))
                return true;
            break;
        case SpvOpSwitch:
            if (end->num_words <= 2 || spv_const_value(module, end->words[0], &bits))
                return true;
            break;
        case SpvOpBranch:
            merge = spv_merge_inst(block);
            if (merge && merge->op == SpvOpLoopMerge && end->words[0] == merge->words[0])
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

static bool fold_ends(struct branches *b)
{
    struct spv_module *module = b->module;
    b->changed = false;
    b->strays = (struct u64_map){0};
    spv_cfg_keep(module, b->function, &b->cfg);
    spv_foreach_block (each, b->function) {
        struct spv_inst *merge = spv_merge_inst(each);
        if (merge && merge->op == SpvOpLoopMerge)
            u64_map_set(spv_scratch(module), &b->headers, each->label->id, merge);
        struct spv_targets targets = spv_targets(each);
        for (uint32_t i = 0; each->index == SPV_UNREACHABLE && i < targets.count; i++)
            u64_map_set(spv_scratch(module), &b->strays, targets.first[i * targets.step], each);
    }
    spv_foreach_block (block, b->function) {
        const struct spv_inst *end = spv_terminator(block);
        if (block->index == SPV_UNREACHABLE)
            continue;
        if (end->op == SpvOpBranchConditional)
            fold_condition(b, block);
        else if (end->op == SpvOpSwitch)
            fold_switch(b, block);
        else
            drop_empty_loop(b, block);
    }
    if (b->changed)
        spv_cfg_forget(b->function);
    return b->changed;
}

bool fold_branches(struct spv_module *module, struct spv_function *function, bool join, bool *opened, bool *simple)
{
    struct branches b = {.module = module, .function = function};
    struct arena_mark mark = spv_scratch_begin(module);
    bool changed = false;
    *simple = *opened = false;
    for (int round = 0; round < 4 && has_candidate(module, function) && fold_ends(&b); round++) {
        changed = true;
        *simple |= cfg_mend_edges(module, function);
    }
    spv_scratch_end(module, mark);
    *opened = b.opened;
    return changed | ((changed || join) && cfg_join_blocks(module, function));
}
