/* Commands that take surfaces of VA-API over, and give them back. */
#ifndef SRC_COMMAND_VA_TURN_H
#define SRC_COMMAND_VA_TURN_H

#include "src/command/command.h"

/* Everything is checked, but for memory. The context's CL_CONTEXT_INTEROP_USER_SYNC says who waits: else acquiring
 * waits for what VA-API does with the surfaces, and releasing returns when the command has ended, unless it may wait for
 * a user event that nobody has set for a second. */
cl_int ocl_va_turn(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool acquire);

#endif
