/* Turns any control flow graph into structured control flow (SPIR-V 1.6, 2.11.2). Each function returns whether it
 * changed something; all memory is the module's arena. */
#ifndef COMPILER_OPT_CFG_STRUCTURISE_H
#define COMPILER_OPT_CFG_STRUCTURISE_H

#include "compiler/spv/spv.h"

/* Whether the function obeys SPIR-V 1.6, 2.11.2 as Vulkan wants it. */
bool cfg_is_structured(struct spv_module *module, struct spv_function *function);
/* Makes the function structured, whatever its control flow graph. One that is structured already stays as it is. Values
 * that cross blocks may end up in Function variables: run opt_mem2reg() afterwards. */
bool cfg_structurise(struct spv_module *module, struct spv_function *function);

/* Whether a function that returns at one place is structured and returns outside of all constructs, so that its blocks
 * can take the place of a call. */
bool cfg_is_structured_callee(struct spv_module *module, struct spv_function *function);
bool cfg_structurise_callee(struct spv_module *module, struct spv_function *function);

/* reducible.c. These expect no merge instructions and no unreachable blocks. */

/* Makes phis and values that cross blocks into Function variables, so that edges can be moved freely. */
void cfg_demote_values(struct spv_module *module, struct spv_function *function);
/* Gives every cycle one entry: where there are several, a dispatching block in front of them. Expects no phis. False
 * when loops nest so deep that cfg_dispatch_all() is the better way. */
bool cfg_make_reducible(struct spv_module *module, struct spv_function *function);
/* Puts one loop around a switch over all blocks. */
void cfg_dispatch_all(struct spv_module *module, struct spv_function *function);

#endif
