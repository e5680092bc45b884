/* Any control flow graph as structured control flow (SPIR-V 1.6, 2.11.2). Each function returns whether it changed
 * something; all memory is the module's arena. */
#ifndef COMPILER_OPT_CFG_STRUCTURISE_H
#define COMPILER_OPT_CFG_STRUCTURISE_H

#include "compiler/spv/spv.h"

/* Whether the function obeys SPIR-V 1.6, 2.11.2 as Vulkan wants it. */
bool cfg_is_structured(struct spv_module *module, struct spv_function *function);
/* Makes it so for any control flow graph. A function that is structured stays as it is. Values that cross blocks may
 * come out as Function variables: run opt_mem2reg() afterwards. */
bool cfg_structurise(struct spv_module *module, struct spv_function *function);

/* For a function that returns at one place: structured, and that place is outside of all constructs, so that the
 * function's blocks can take the place of a call. */
bool cfg_is_structured_callee(struct spv_module *module, struct spv_function *function);
bool cfg_structurise_callee(struct spv_module *module, struct spv_function *function);

/* reducible.c. No merge instructions, no unreachable blocks. */

/* Makes phis and values that cross blocks into Function variables, so that edges can be moved freely. */
void cfg_demote_values(struct spv_module *module, struct spv_function *function);
/* Gives every cycle one entry: where there are several, a dispatching block in front of them. False when loops nest so
 * deep that cfg_dispatch_all() is the better way. No phis. */
bool cfg_make_reducible(struct spv_module *module, struct spv_function *function);
/* One loop around a switch over all blocks. */
void cfg_dispatch_all(struct spv_module *module, struct spv_function *function);

#endif
