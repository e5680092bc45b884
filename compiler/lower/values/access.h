/* Memory operands, functions' types and named barriers, for passes of several rooms. */
#ifndef COMPILER_LOWER_VALUES_ACCESS_H
#define COMPILER_LOWER_VALUES_ACCESS_H

#include "compiler/spv/spv.h"

/* What a named barrier is after extract: a pointer to its words in local memory (builtins/barrier.c). */
spv_id lower_named_barrier_type(struct spv_module *module);

/* The memory operands of an instruction, which start at words[first] (or are missing). */
struct lower_access {
    uint32_t align; /* 0: not said */
    bool is_volatile;
};
struct lower_access lower_read_access(const struct spv_inst *inst, uint32_t first);

/* To be called after the parameters or the result of a function have changed. */
void lower_update_function_type(struct spv_module *module, struct spv_function *function);

#endif
