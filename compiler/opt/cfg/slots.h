/* Sharing of local variables. */
#ifndef COMPILER_OPT_CFG_SLOTS_H
#define COMPILER_OPT_CFG_SLOTS_H

#include "compiler/spv/spv.h"

/* Makes one of local variables whose ids are first or greater and that are never in use at the same time. They are only
 * loaded and stored as a whole, and no block is unreachable. */
void cfg_share_slots(struct spv_module *module, struct spv_function *function, spv_id first);

#endif
