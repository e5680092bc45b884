/* Shared by structurise.c and reducible.c. Internal to compiler/lower. */
#ifndef COMPILER_LOWER_STRUCTURISE_H
#define COMPILER_LOWER_STRUCTURISE_H

#include "compiler/spv/spv.h"

/* reducible.c. No merge instructions, no unreachable blocks. */

/* Makes phis and values that cross blocks into Function variables, so that edges can be moved freely. */
void lower_demote_values(struct spv_module *module, struct spv_function *function);
/* Gives every cycle one entry: where there are several, a dispatching block in front of them. False when loops nest so
 * deep that lower_dispatch_all() is the better way. No phis. */
bool lower_make_reducible(struct spv_module *module, struct spv_function *function);
/* One loop around a switch over all blocks. */
void lower_dispatch_all(struct spv_module *module, struct spv_function *function);

#endif
