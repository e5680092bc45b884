/* Dominator tree, frontiers and natural loops, computed from a spv_cfg. */
#include "compiler/opt/cfg/cfg.h"

/* Turns counts in start[i + 1] into the starts of lists. Returns an array with the place to fill next in each list. */
static uint32_t *start_filling(struct arena *arena, struct cfg_lists *lists, uint32_t count)
{
    uint32_t *fill = arena_array(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        lists->start[i + 1] += lists->start[i];
        fill[i] = lists->start[i];
    }
    lists->items = arena_array(arena, uint32_t, lists->start[count]);
    return fill;
}

struct cfg_lists cfg_dominator_children(struct arena *arena, const struct spv_cfg *cfg)
{
    struct cfg_lists lists = {.start = arena_array(arena, uint32_t, cfg->count + 1)};
    for (uint32_t i = 1; i < cfg->count; i++)
        lists.start[cfg->idom[i] + 1]++;
    uint32_t *fill = start_filling(arena, &lists, cfg->count);
    for (uint32_t i = 1; i < cfg->count; i++)
        lists.items[fill[cfg->idom[i]]++] = i;
    return lists;
}

/* A join block is in the frontier of every block that one meets going up the dominator tree from its predecessors to
 * its dominator (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm"). */
struct frontier_walk {
    const struct spv_cfg *cfg;
    uint32_t *last; /* the join, plus one, that was last entered for a block */
};

/* The next block, going up from *runner, that has join in its frontier; CFG_NO_LOOP at the end. */
static uint32_t next_in_frontier(struct frontier_walk *walk, uint32_t *runner, uint32_t join)
{
    uint32_t block = *runner;
    if (block == walk->cfg->idom[join] || walk->last[block] == join + 1)
        return CFG_NO_LOOP;
    walk->last[block] = join + 1;
    *runner = walk->cfg->idom[block];
    return block;
}

struct cfg_lists cfg_frontiers(struct arena *arena, const struct spv_cfg *cfg)
{
    struct cfg_lists lists = {.start = arena_array(arena, uint32_t, cfg->count + 1)};
    uint32_t *fill = NULL;
    for (int round = 0; round < 2; round++) {
        struct frontier_walk walk = {cfg, arena_array(arena, uint32_t, cfg->count)};
        for (uint32_t join = 0; join < cfg->count; join++) {
            if (cfg->pred_start[join + 1] - cfg->pred_start[join] < 2)
                continue;
            for (uint32_t e = cfg->pred_start[join]; e < cfg->pred_start[join + 1]; e++) {
                uint32_t runner = cfg->preds[e], block;
                while ((block = next_in_frontier(&walk, &runner, join)) != CFG_NO_LOOP) {
                    if (fill)
                        lists.items[fill[block]++] = join;
                    else
                        lists.start[block + 1]++;
                }
            }
        }
        if (!fill)
            fill = start_filling(arena, &lists, cfg->count);
    }
    return lists;
}

/* ---- loops ---- */

/* The header of the outermost loop found so far around block, or block itself. up[] is compressed on the way. */
static uint32_t outermost(const struct cfg_loops *loops, uint32_t *up, uint32_t block)
{
    uint32_t top = loops->loop[block];
    if (top == CFG_NO_LOOP)
        return block;
    while (up[top] != top) {
        up[top] = up[up[top]];
        top = up[top];
    }
    return top;
}

/* Collects the blocks that reach the header's back edges without passing the header. Inner loops were collected before,
 * and are stepped over as a whole. */
static void collect_loop(const struct spv_cfg *cfg, struct cfg_loops *loops, uint32_t *up, uint32_t header,
                         uint32_t *stack)
{
    uint32_t depth = 0;
    loops->loop[header] = header;
    up[header] = header;
    for (uint32_t e = cfg->pred_start[header]; e < cfg->pred_start[header + 1]; e++) {
        if (cfg->preds[e] < header)
            continue;
        for (uint32_t next = cfg->preds[e];;) {
            uint32_t block = outermost(loops, up, next);
            if (block != header) {
                if (loops->loop[block] == CFG_NO_LOOP) {
                    loops->loop[block] = header;
                } else {
                    loops->parent[block] = header;
                    up[block] = header;
                }
                for (uint32_t p = cfg->pred_start[block]; p < cfg->pred_start[block + 1]; p++)
                    stack[depth++] = cfg->preds[p];
            }
            if (!depth)
                break;
            next = stack[--depth];
        }
    }
}

bool cfg_has_loops(const struct spv_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->count; i++) {
        for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++) {
            if (cfg->succs[e] <= i)
                return true;
        }
    }
    return false;
}

/* Numbers loops so that those inside of one have the numbers that follow its own. Headers of outer loops come first. */
static void number_loops(struct arena *arena, const struct spv_cfg *cfg, struct cfg_loops *loops)
{
    uint32_t next = 0;
    uint32_t *free_number = arena_array(arena, uint32_t, cfg->count);
    loops->first = arena_array(arena, uint32_t, cfg->count);
    loops->size = arena_array(arena, uint32_t, cfg->count);
    for (uint32_t i = cfg->count; i-- > 0;) {
        loops->size[i] += loops->is_header[i];
        if (loops->is_header[i] && loops->parent[i] != CFG_NO_LOOP)
            loops->size[loops->parent[i]] += loops->size[i];
    }
    for (uint32_t i = 0; i < cfg->count; i++) {
        if (!loops->is_header[i])
            continue;
        uint32_t *number = loops->parent[i] == CFG_NO_LOOP ? &next : &free_number[loops->parent[i]];
        loops->first[i] = *number;
        *number += loops->size[i];
        free_number[i] = loops->first[i] + 1;
    }
}

void cfg_find_loops(struct arena *arena, const struct spv_cfg *cfg, struct cfg_loops *loops)
{
    *loops = (struct cfg_loops){.reducible = true};
    loops->loop = arena_array(arena, uint32_t, cfg->count);
    loops->parent = arena_array(arena, uint32_t, cfg->count);
    loops->is_header = arena_array(arena, bool, cfg->count);
    for (uint32_t i = 0; i < cfg->count; i++) {
        loops->loop[i] = loops->parent[i] = CFG_NO_LOOP;
        for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++) {
            uint32_t succ = cfg->succs[e];
            if (succ > i)
                continue;
            loops->is_header[succ] = true;
            loops->reducible = loops->reducible && spv_dominates(cfg, succ, i);
        }
    }
    if (!loops->reducible)
        return;
    uint32_t *up = arena_array(arena, uint32_t, cfg->count);
    uint32_t *stack = arena_array(arena, uint32_t, cfg->succ_start[cfg->count] + 1);
    for (uint32_t i = cfg->count; i-- > 0;) {
        if (loops->is_header[i])
            collect_loop(cfg, loops, up, i, stack);
    }
    number_loops(arena, cfg, loops);
}

bool cfg_in_loop(const struct cfg_loops *loops, uint32_t header, uint32_t block)
{
    uint32_t around = loops->loop[block];
    if (header == CFG_NO_LOOP || around == CFG_NO_LOOP)
        return around == header;
    return loops->first[around] - loops->first[header] < loops->size[header];
}
