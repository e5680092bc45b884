/* Program-scope variables as bytes: the globals block of a program and the constants block of a kernel. */
#ifndef COMPILER_LOWER_ENDS_DATA_H
#define COMPILER_LOWER_ENDS_DATA_H

#include "compiler/clc.h"
#include "compiler/spv/layout.h"

struct lower_data {
    struct clc_data_block block; /* in the arena */
    struct u64_map offsets;      /* OpVariable id -> (void *)(offset + 1) */
    const char *error;           /* set when the block is unreasonably large or an initialiser cannot be placed */
};

/* The globals block of a whole program (clc_program_globals): every CrossWorkgroup variable in the module's order, then
 * those UniformConstant variables whose addresses their initialisers hold. compiler/program and extract.c both call
 * this, so that offsets agree. Never NULL. */
struct lower_data *lower_data_globals(struct arena *arena, const struct spv_module *module);

/* The constants block of a kernel's module: the UniformConstant variables that are not in globals. */
struct lower_data *lower_data_constants(struct arena *arena, const struct spv_module *module,
                                        const struct lower_data *globals);

bool lower_data_offset(const struct lower_data *data, spv_id variable, uint32_t *offset);

/* Reads size bytes at offset as a number. False where they hold an address or lie outside of the block. */
bool lower_data_bytes(const struct lower_data *data, uint64_t offset, uint32_t size, uint64_t *bits);

#endif
