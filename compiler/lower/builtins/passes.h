/* The passes on built-in functions. */
#ifndef COMPILER_LOWER_BUILTINS_PASSES_H
#define COMPILER_LOWER_BUILTINS_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_builtins(struct lower *lower); /* builtins.c: calls of built-in functions become code */
/* A function of the library for a pass behind that one; 0 after an error. What it calls comes along. */
spv_id lower_late_body(struct lower *lower, const char *name);
bool lower_barriers(struct lower *lower); /* barrier.c: named barriers get their places in local memory */

#endif
