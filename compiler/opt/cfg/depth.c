/* How deep a driver sees control flow nest.
 *
 * Drivers with structured control flow of their own have no early exits: what follows "if (c) return;" or "if (c)
 * continue;" becomes an if around the rest (Mesa's nir_lower_returns and nir_opt_if). So the code behind a construct
 * that has a way out of the function, or to the next iteration of a loop around it, is a level deeper than the
 * construct. A break costs no level: drivers know it.
 *
 * Loops and conditions are counted apart, as lavapipe has a table of each. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/structurise.h"
#include "compiler/spv/cfg.h"

enum { NONE = UINT32_MAX };

struct depth {
    struct spv_module *module;
    struct spv_cfg cfg;
    uint32_t *merges;  /* by block: the header whose construct ends there, or NONE */
    uint32_t *next_of; /* by block: the header of the loop whose continue target it is, or NONE */
    uint32_t *around;  /* by block: the header of the innermost construct around; a header stands outside its own */
    uint32_t *level;   /* by block: of the conditions around, likewise */
    uint32_t *loops;   /* by block: of the loops around, likewise */
    bool *left_early;  /* by header */
};

static uint32_t number_of(const struct depth *d, spv_id label)
{
    return spv_block_of(d->module, label)->index;
}

/* The construct that code at the end of block stands in. */
static uint32_t construct_at(const struct depth *d, uint32_t block)
{
    return spv_merge_inst(d->cfg.blocks[block]) ? block : d->around[block];
}

/* Immediate dominators come first, and a header before its merge block. */
static void find_constructs(struct depth *d)
{
    for (uint32_t i = 0; i < d->cfg.count; i++) {
        const struct spv_inst *merge = spv_merge_inst(d->cfg.blocks[i]);
        d->around[i] = !i ? NONE : d->merges[i] != NONE ? d->around[d->merges[i]] : construct_at(d, d->cfg.idom[i]);
        if (!merge)
            continue;
        d->merges[number_of(d, merge->words[0])] = i;
        if (merge->op == SpvOpLoopMerge && number_of(d, merge->words[1]) != i)
            d->next_of[number_of(d, merge->words[1])] = i;
    }
}

static void leave(struct depth *d, uint32_t construct, uint32_t end)
{
    for (; construct != NONE && construct != end && !d->left_early[construct]; construct = d->around[construct])
        d->left_early[construct] = true;
}

/* Constructs that a return leaves are left up to the outermost one, and so can be taken for left early by whatever
 * leaves only some of them. */
static void find_early_exits(struct depth *d, bool returns)
{
    for (uint32_t i = 0; i < d->cfg.count; i++) {
        if (returns && cfg_returns(d->cfg.blocks[i]))
            leave(d, construct_at(d, i), NONE);
        for (uint32_t e = d->cfg.succ_start[i]; !returns && e < d->cfg.succ_start[i + 1]; e++) {
            uint32_t loop = d->next_of[d->cfg.succs[e]];
            if (loop != NONE && loop != i)
                leave(d, construct_at(d, i), loop);
        }
    }
}

/* Whether block ends with "if (c) continue;" that has no construct of its own. */
static bool continues(const struct depth *d, uint32_t block)
{
    const struct spv_inst *end = spv_terminator(d->cfg.blocks[block]);
    return end->op == SpvOpBranchConditional &&
           (d->next_of[number_of(d, end->words[1])] != NONE || d->next_of[number_of(d, end->words[2])] != NONE);
}

/* The level of code behind the end of block, inside the construct that it may head. */
static uint32_t level_behind(const struct depth *d, uint32_t block)
{
    const struct spv_inst *merge = spv_merge_inst(d->cfg.blocks[block]);
    if (!merge || merge->op == SpvOpLoopMerge)
        return d->level[block] + continues(d, block);
    return d->level[block] + (spv_terminator(d->cfg.blocks[block])->op == SpvOpSwitch ? CFG_SWITCH_LEVELS : 1);
}

/* A switch is a loop, too: to break out of. */
static uint32_t loops_behind(const struct depth *d, uint32_t block)
{
    const struct spv_inst *merge = spv_merge_inst(d->cfg.blocks[block]);
    bool is_loop = merge && (merge->op == SpvOpLoopMerge || spv_terminator(d->cfg.blocks[block])->op == SpvOpSwitch);
    return d->loops[block] + is_loop;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t called_levels(const struct spv_block *block, const struct u64_map *called)
{
    struct cfg_bound bound = {.called = called};
    uint32_t most = 0;
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op == SpvOpFunctionCall)
            most = larger(most, cfg_levels_of(&bound, inst->words[0]));
    }
    return most;
}

static uint32_t *filled(struct arena *arena, uint32_t count)
{
    uint32_t *array = arena_array(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        array[i] = NONE;
    return array;
}

static uint32_t find_levels(struct depth *d, const struct u64_map *called)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < d->cfg.count; i++) {
        uint32_t header = d->merges[i];
        if (i) {
            d->level[i] = header != NONE ? d->level[header] + d->left_early[header] : level_behind(d, d->cfg.idom[i]);
            d->loops[i] = header != NONE ? d->loops[header] : loops_behind(d, d->cfg.idom[i]);
        }
        uint32_t calls = larger(d->level[i], d->loops[i]) + called_levels(d->cfg.blocks[i], called);
        deepest = larger(deepest, larger(calls, larger(level_behind(d, i), loops_behind(d, i))));
    }
    return deepest;
}

uint32_t cfg_depth(struct spv_module *module, struct spv_function *function, const struct u64_map *called)
{
    struct depth d = {.module = module};
    struct arena_mark mark = spv_scratch_begin(module);
    struct arena *scratch = spv_scratch(module);
    spv_cfg_compute_structural(scratch, module, function, &d.cfg);
    d.merges = filled(scratch, d.cfg.count);
    d.next_of = filled(scratch, d.cfg.count);
    d.around = arena_array(scratch, uint32_t, d.cfg.count);
    d.level = arena_array(scratch, uint32_t, d.cfg.count);
    d.loops = arena_array(scratch, uint32_t, d.cfg.count);
    d.left_early = arena_array(scratch, bool, d.cfg.count);
    find_constructs(&d);
    find_early_exits(&d, true);
    find_early_exits(&d, false);
    uint32_t deepest = find_levels(&d, called);
    spv_scratch_end(module, mark);
    return deepest;
}
