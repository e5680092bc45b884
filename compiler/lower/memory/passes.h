/* The passes on memory. */
#ifndef COMPILER_LOWER_MEMORY_PASSES_H
#define COMPILER_LOWER_MEMORY_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_aggregates(struct lower *lower); /* aggregates.c: structs and arrays as values to their leaves */
/* arrays.c: arrays of computed length become variables; the second expects that lengths are folded. */
bool lower_has_variable_arrays(const struct spv_module *module);
bool lower_variable_arrays(struct lower *lower);
bool lower_memory(struct lower *lower);     /* memory.c: pointers become numbers */
bool lower_images(struct lower *lower);     /* images.c: image arguments become descriptors and a word */
/* wide.c: neighbours in local memory are loaded as vectors. Leaves dead code for opt_dce(). */
bool lower_wide(struct lower *lower);

#endif
