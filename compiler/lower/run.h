/* All passes in their order, for kernels.c and the tests (lower.c). */
#ifndef COMPILER_LOWER_RUN_H
#define COMPILER_LOWER_RUN_H

#include "compiler/lower/values/lower.h"

/* Bytes taken from the system. What passes took for their own time is spare, or with other chunks that wait for their
 * next use. */
size_t lower_memory_used(const struct lower *lower);

/* Runs all passes over a kernel of program; on success fills lower->out up to words. For kernels.c and the tests. */
bool lower_run(struct lower *lower);

/* Runs one pass by its name ("memory"); false and an error where it failed or does not exist. For tests/lower. */
bool lower_run_pass(struct lower *lower, const char *name);

#endif
