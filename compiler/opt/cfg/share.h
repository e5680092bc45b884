/* Variables that several phis share (share.c). */
#ifndef COMPILER_OPT_CFG_SHARE_H
#define COMPILER_OPT_CFG_SHARE_H

#include "compiler/spv/spv.h"

/* Fills in, by a phi's id, the phi whose variable it shares; itself where it has one alone. 0: it keeps a variable that
 * only its own block loads. The function has no unreachable blocks. */
void cfg_share_variables(struct spv_module *module, struct spv_function *function, spv_id *leaders);

#endif
