/* The passes that check what kernels do while they run. */
#ifndef COMPILER_LOWER_CHECK_PASSES_H
#define COMPILER_LOWER_CHECK_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_check_sites(struct lower *lower); /* sites.c: marks what is to be checked, with its place in the source */
bool lower_check(struct lower *lower);       /* check.c: the marks become code */

#endif
