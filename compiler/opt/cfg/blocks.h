/* Repairs of control flow, for passes that change branches. */
#ifndef COMPILER_OPT_CFG_BLOCKS_H
#define COMPILER_OPT_CFG_BLOCKS_H

#include "compiler/spv/spv.h"

#include "base/map.h"

/* Unlinks an instruction together with its names and decorations. */
void cfg_remove_inst(struct spv_module *module, struct spv_inst *inst);
/* In the phis of block's successors: entries for the predecessor old become entries for new_label. */
void cfg_rename_phi_pred(struct spv_module *module, struct spv_block *block, spv_id old, spv_id new_label);
/* Gives every phi exactly one entry for each predecessor: entries of removed edges are dropped, and new edges get
 * undefined values. */
bool cfg_fix_phis(struct spv_module *module, struct spv_function *function);
/* To be called after edges were removed: removes unreachable blocks and the phi entries of removed edges. Returns
 * whether a phi may have become one value. */
bool cfg_mend_edges(struct spv_module *module, struct spv_function *function);
/* Removes unreachable blocks. Those that are merge blocks or continue targets stay, with a terminator only. */
bool cfg_remove_unreachable(struct spv_module *module, struct spv_function *function);
/* Joins a block with its only successor where that has no other predecessor. */
bool cfg_join_blocks(struct spv_module *module, struct spv_function *function);
/* Whether work-items may have to reach the block together, for itself or for what it calls. called has what was found out
 * of functions so far; it is empty at first, and in the module's arena. */
bool cfg_has_barrier(struct spv_module *module, const struct spv_block *block, struct u64_map *called);
bool cfg_returns(const struct spv_block *block);
/* All returns go to a new last block, which alone returns. */
void cfg_unify_returns(struct spv_module *module, struct spv_function *function);

#endif
