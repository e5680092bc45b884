/* The passes on built-in functions. */
#ifndef COMPILER_LOWER_BUILTINS_PASSES_H
#define COMPILER_LOWER_BUILTINS_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_builtins(struct lower *lower); /* builtins.c: calls of built-in functions become code */
/* A function of the library for a pass behind that one; 0 after an error. What it calls comes along. */
spv_id lower_late_body(struct lower *lower, const char *name);
/* barrier.c: named barriers get their places in local memory. The semantics of the fences of a wait at one. */
bool lower_barriers(struct lower *lower);
spv_id lower_barrier_fence(struct spv_module *module, spv_id semantics);

#endif
