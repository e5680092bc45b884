/* Functions that stay functions: what passes over several of them share. */
#ifndef COMPILER_LOWER_CALLS_H
#define COMPILER_LOWER_CALLS_H

#include "lower.h"

/* After the parameters or the result have changed. */
void lower_update_function_type(struct spv_module *module, struct spv_function *function);

#endif
