/* Repairs of control flow, for passes that change branches. */
#ifndef COMPILER_OPT_CFG_BLOCKS_H
#define COMPILER_OPT_CFG_BLOCKS_H

#include "compiler/spv/spv.h"

/* Unlinks an instruction together with its names and decorations. */
void cfg_remove_inst(struct spv_module *module, struct spv_inst *inst);
/* In the phis of block's successors: the edge that came from old comes from new_label. */
void cfg_rename_phi_pred(struct spv_module *module, struct spv_block *block, spv_id old, spv_id new_label);
/* Gives every phi one entry for each predecessor: those of edges that are gone are dropped, new edges bring undefined
 * values. */
bool cfg_fix_phis(struct spv_module *module, struct spv_function *function);
/* Where edges are gone: no blocks that cannot be reached, and phis that fit. Whether one of these may be simple now. */
bool cfg_mend_edges(struct spv_module *module, struct spv_function *function);
/* Removes blocks that cannot be reached, but for merge blocks and continue targets, which shrink to a terminator. */
bool cfg_remove_unreachable(struct spv_module *module, struct spv_function *function);
/* Joins blocks that follow each other without an alternative. */
bool cfg_join_blocks(struct spv_module *module, struct spv_function *function);

#endif
