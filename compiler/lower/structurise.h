/* Shared by structurise.c, structured.c, reducible.c and inline.c. */
#ifndef COMPILER_LOWER_STRUCTURISE_H
#define COMPILER_LOWER_STRUCTURISE_H

#include "compiler/spv/spv.h"

/* For a function that returns at one place: structured, and that place is outside of all constructs, so that the
 * function's blocks can take the place of a call. */
bool lower_is_structured_callee(struct spv_module *module, struct spv_function *function);
bool lower_structurise_callee(struct spv_module *module, struct spv_function *function);

/* reducible.c. No merge instructions, no unreachable blocks. */

/* Makes phis and values that cross blocks into Function variables, so that edges can be moved freely. */
void lower_demote_values(struct spv_module *module, struct spv_function *function);
/* Gives every cycle one entry: where there are several, a dispatching block in front of them. False when loops nest so
 * deep that lower_dispatch_all() is the better way. No phis. */
bool lower_make_reducible(struct spv_module *module, struct spv_function *function);
/* One loop around a switch over all blocks. */
void lower_dispatch_all(struct spv_module *module, struct spv_function *function);

#endif
