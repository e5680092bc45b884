/* Shared by check.c and check_types.c. Internal to compiler/spv. */
#ifndef COMPILER_SPV_CHECK_H
#define COMPILER_SPV_CHECK_H

#include "grammar.h"

/* NULL when the instruction's types fit its opcode, else what is wrong. Its operand ids are defined and of the right
 * sort (values where values are due). */
const char *spv_check_inst_types(const struct spv_module *module, const struct spv_function *function,
                                 const struct spv_inst *inst);
/* The same for a type, constant or variable of module scope, whose operands are defined. */
const char *spv_check_global(const struct spv_module *module, const struct spv_inst *inst);

#endif
