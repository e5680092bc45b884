/* The control flow graph of a function, and which block dominates which. A snapshot: it is stale once blocks or branches change.
 *
 * Blocks are numbered in reverse post-order from the entry (block->index, and the index of all arrays here);
 * unreachable blocks have index SPV_UNREACHABLE and are in no array. Edges are kept once per pair of blocks, however
 * many cases of a switch make them. */
#ifndef COMPILER_SPV_CFG_H
#define COMPILER_SPV_CFG_H

#include "spv.h"

#define SPV_UNREACHABLE UINT32_MAX

struct spv_cfg {
    uint32_t count;
    struct spv_block **blocks;
    uint32_t *succ_start, *succs; /* the successors of i: succs[succ_start[i]] up to succ_start[i + 1] */
    uint32_t *pred_start, *preds;
    uint32_t *idom;          /* of the entry: 0 itself */
    uint32_t *enter, *leave; /* times of a walk over the dominator tree, for spv_dominates */
};

/* In linear time but for a logarithm (Lengauer and Tarjan). In the arena, which need not be the module's. */
void spv_cfg_compute(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                     struct spv_cfg *cfg);

/* The same, but taken from what the function kept of the last call, if anything: for passes between which blocks and
 * branches stay as they are. A pass that changes them calls spv_cfg_forget(). Valid until the next spv_cfg_keep()
 * after that. */
void spv_cfg_keep(const struct spv_module *module, struct spv_function *function, struct spv_cfg *cfg);
void spv_cfg_forget(struct spv_function *function);
bool spv_cfg_is_kept(const struct spv_function *function);

/* Only the numbers and blocks[]: for passes that need no more than an order. */
void spv_cfg_number(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                    struct spv_cfg *cfg);

/* All of it, with edges from each header to its merge block and continue target: SPIR-V 1.6, 2.11 calls this
 * structural.
 */
void spv_cfg_compute_structural(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                                struct spv_cfg *cfg);

/* a dominates b, or is b */
static inline bool spv_dominates(const struct spv_cfg *cfg, uint32_t a, uint32_t b)
{
    return cfg->enter[a] <= cfg->enter[b] && cfg->leave[b] <= cfg->leave[a];
}

/* Immediate dominators of any graph given as arrays, from node 0; SPV_UNREACHABLE where the node cannot be reached.
 * Used for post-dominators too. */
struct spv_graph {
    uint32_t count;
    const uint32_t *succ_start, *succs, *pred_start, *preds;
};
void spv_graph_dominators(struct arena *arena, const struct spv_graph *graph, uint32_t *idom);

#endif
