/* The passes for devices that lack integers. */
#ifndef COMPILER_LOWER_WEAK_PASSES_H
#define COMPILER_LOWER_WEAK_PASSES_H

#include "compiler/lower/values/lower.h"

/* pairs.c, where the device has no 64-bit integers: pairs of words for them */
bool lower_pairs(struct lower *lower);
/* widen.c, where it has no 8- or 16-bit integers: 32 bits for them */
bool lower_widen(struct lower *lower);

#endif
