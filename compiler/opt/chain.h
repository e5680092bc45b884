/* Address chains, as SPIR-V's operands have them. */
#ifndef COMPILER_OPT_CHAIN_H
#define COMPILER_OPT_CHAIN_H

#include "compiler/spv/spv.h"

static inline bool chain_is(uint16_t op)
{
    return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
           op == SpvOpInBoundsPtrAccessChain;
}
/* Whether the first operand behind the pointer steps over whole objects. */
bool chain_has_element(const struct spv_inst *chain);
bool chain_is_in_bounds(const struct spv_inst *chain);
/* Indices are signed, of any width. */
bool chain_constant(const struct spv_module *module, spv_id index, int64_t *value);

/* Whether the indices from words[first] on stay inside of what those before lead to, by the types. A variable index
 * does if it is trusted, as C's rules would have it. But programs go from a member's array into the next member, and
 * through all rows of an array by an index of the first one: fold_chain() gives such no InBounds. */
bool chain_stays_inside(const struct spv_module *module, const struct spv_inst *chain, uint32_t first, bool trusted);

#endif
