/* The pass on sub-groups of other sizes than the device's. */
#ifndef COMPILER_LOWER_SUBGROUPS_PASSES_H
#define COMPILER_LOWER_SUBGROUPS_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_subgroups(struct lower *lower); /* subgroups.c */

#endif
