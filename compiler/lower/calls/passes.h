/* The passes on calls. */
#ifndef COMPILER_LOWER_CALLS_PASSES_H
#define COMPILER_LOWER_CALLS_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_inline(struct lower *lower);  /* calls.c: what stays a call and how it passes values; inline.c the rest */
bool lower_generic(struct lower *lower); /* generic.c: generic pointers that have one source get its address space */
/* The same for one function and its own variables. Its parameters and its calls' results stay generic. */
void lower_generic_body(struct spv_module *module, struct spv_function *function);
bool lower_arguments(struct lower *lower); /* arguments.c: private memory given to functions becomes values */
/* share.c: calls of one function share a loop, where the kernel would be large with all of them inlined. */
bool lower_share_calls(struct lower *lower);

#endif
