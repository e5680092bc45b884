/* The alignment of variables, and of accesses to them: aligned.c. */
#ifndef COMPILER_OPT_ALIGNED_H
#define COMPILER_OPT_ALIGNED_H

#include "compiler/spv/layout.h"

/* What the address of a private or local variable that holds such a type is a multiple of: its type's alignment, 16 for
 * what is that large, or what its attribute states. */
uint32_t opt_variable_align(struct spv_layouts *layouts, spv_id variable, spv_id type);

/* Lowers what accesses to private and local variables state about their alignment to what is true by the layout.
 * Returns whether it changed something. */
bool opt_align_accesses(struct spv_module *module, struct spv_function *function);

#ifndef NDEBUG
/* Whether opt_align_accesses() would change nothing. Passes that make or move accesses assert it, where it held before:
 * programs may state what is not true, by a pointer to a packed member for example. */
bool opt_accesses_are_aligned(struct spv_module *module, const struct spv_function *function);
#endif

#endif
