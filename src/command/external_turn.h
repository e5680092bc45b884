/* Memory of others changes hands (external_turn.c). */
#ifndef SRC_COMMAND_EXTERNAL_TURN_H
#define SRC_COMMAND_EXTERNAL_TURN_H

#include "src/command/command.h"

/* The rest of a command that takes the memory of objects from those that share it, or gives it back. Everything is
 * checked, but for memory: the queue's device imports it, or the host copies. */
cl_int ocl_external_turn(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool acquire, bool blocking);
/* Ends a command that takes objects or gives them back. blocking: the call returns when the command has ended, unless it
 * may wait for a user event that nobody has set for a second. */
cl_int ocl_turn_end(struct ocl_command *command, enum vkb_result result, bool blocking);

#endif
