/* Commands that take objects of OpenGL over, and give them back. */
#ifndef SRC_COMMAND_GL_TURN_H
#define SRC_COMMAND_GL_TURN_H

#include "src/command/command.h"
#include "src/gl/gl.h"

/* Everything is checked, but for memory: mems were made from objects of OpenGL. blocking: the call returns when the
 * command has ended, unless it may wait for a user event that nobody has set for a second. fence: what the acquiring
 * command waits for, or NULL; the command's, and NULL where there are no objects. */
cl_int ocl_gl_acquire(struct ocl_command *command, cl_uint count, const cl_mem *mems, struct ocl_gl_fence *fence);
cl_int ocl_gl_give_back(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool blocking);

#endif
