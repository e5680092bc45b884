/* Turns any control flow graph into structured control flow (SPIR-V 1.6, 2.11.2). Each function returns whether it
 * changed something; all memory is the module's arena. */
#ifndef COMPILER_OPT_CFG_STRUCTURISE_H
#define COMPILER_OPT_CFG_STRUCTURISE_H

#include "compiler/spv/spv.h"

#include "base/map.h"

/* Whether the function obeys SPIR-V 1.6, 2.11.2 as Vulkan wants it. */
bool cfg_is_structured(struct spv_module *module, struct spv_function *function);
/* Makes the function structured, whatever its control flow graph. One that is structured already stays as it is. Values
 * that cross blocks may end up in Function variables: run opt_mem2reg() afterwards. */
bool cfg_structurise(struct spv_module *module, struct spv_function *function);

/* Whether a function that returns at one place is structured and returns outside of all constructs, so that its blocks
 * can take the place of a call. */
bool cfg_is_structured_callee(struct spv_module *module, struct spv_function *function);
bool cfg_structurise_callee(struct spv_module *module, struct spv_function *function);

/* How deep control flow may nest, and how deep that of the functions that it calls does. */
struct cfg_bound {
    uint32_t levels;
    const struct u64_map *called; /* function -> its levels; NULL: none */
};

enum { CFG_SWITCH_LEVELS = 2 }; /* of nesting that drivers make of a switch: compares, in a loop to break out of */

static inline uint32_t cfg_levels_of(const struct cfg_bound *bound, spv_id function)
{
    return bound->called ? (uint32_t)(uintptr_t)u64_map_get(bound->called, function) : 0;
}

/* depth.c: the levels that a driver makes of a structured function, of conditions or of loops, whatever is more. Each
 * construct is one, and so is each early exit for the code behind it, since drivers make of "if (c) return; rest" an if
 * around the rest. */
uint32_t cfg_depth(struct spv_module *module, struct spv_function *function, const struct u64_map *called);
/* Rebuilds a function so that it has no early exits and no more levels than the bound. What this cannot bring below the
 * bound are loops with barriers inside of one another, and calls of functions that are as deep themselves. */
void cfg_flatten(struct spv_module *module, struct spv_function *function, const struct cfg_bound *bound);

/* reducible.c. These expect no merge instructions and no unreachable blocks. */

/* Makes phis and values that cross blocks into Function variables, so that edges can be moved freely. */
void cfg_demote_values(struct spv_module *module, struct spv_function *function);
/* Gives every cycle one entry: where there are several, a dispatching block in front of them. Expects no phis. False
 * when loops nest so deep that cfg_dispatch_all() is the better way. */
bool cfg_make_reducible(struct spv_module *module, struct spv_function *function);
/* Puts one loop around a switch over all blocks. */
void cfg_dispatch_all(struct spv_module *module, struct spv_function *function);
/* Makes one loop of those that nest too deep, so that at most so many are in one another, except where they have
 * barriers. The graph is reducible, or nothing is done. */
void cfg_merge_loops(struct spv_module *module, struct spv_function *function, uint32_t most);

#endif
