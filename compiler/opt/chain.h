/* Questions about address chains (OpAccessChain and its relatives). */
#ifndef COMPILER_OPT_CHAIN_H
#define COMPILER_OPT_CHAIN_H

#include "compiler/spv/spv.h"

/* The value of a constant index. Indices are signed, of any width. */
bool chain_constant(const struct spv_module *module, spv_id index, int64_t *value);

/* Whether the indices from words[first] on stay inside the object that the indices before them lead to, going by the
 * types. Constant indices are compared with the array's length. A variable index passes only where trusted is set, as
 * it may be by C's rules. Real programs break those rules: they step from one member's array into the next member, or
 * go through all rows of an array with an index of the first row. So fold_chain() does not trust them: such chains get
 * no InBounds. */
bool chain_stays_inside(const struct spv_module *module, const struct spv_inst *chain, uint32_t first, bool trusted);

#endif
