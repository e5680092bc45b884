/* What the passes need of control flow beyond spv/cfg.h: dominator tree walks, dominance frontiers, natural loops. */
#ifndef COMPILER_OPT_CFG_CFG_H
#define COMPILER_OPT_CFG_CFG_H

#include "compiler/spv/cfg.h"

/* Lists by block, as ranges: of block i: items[start[i]] up to start[i + 1]. */
struct cfg_lists {
    uint32_t *start, *items;
};

/* The children of each block in the dominator tree, in reverse post-order. */
struct cfg_lists cfg_dominator_children(struct arena *arena, const struct spv_cfg *cfg);
/* The dominance frontier of each block. */
struct cfg_lists cfg_frontiers(struct arena *arena, const struct spv_cfg *cfg);

#define CFG_NO_LOOP UINT32_MAX

struct cfg_loops {
    bool reducible;   /* every retreating edge goes to a dominator; otherwise the rest is not filled */
    uint32_t *loop;   /* of each block: the header of the innermost natural loop around it (itself for headers), or
                         CFG_NO_LOOP */
    uint32_t *parent; /* of each header: the header of the loop around */
    bool *is_header;
    uint32_t *first, *size; /* of each header: the loop's number, and of how many loops the numbers follow: itself and
                               those inside */
};

/* Whether any edge leads back. */
bool cfg_has_loops(const struct spv_cfg *cfg);
void cfg_find_loops(struct arena *arena, const struct spv_cfg *cfg, struct cfg_loops *loops);
/* Whether block is inside the loop of header. */
bool cfg_in_loop(const struct cfg_loops *loops, uint32_t header, uint32_t block);

#endif
