/* What the entry points of OpenGL and EGL share (api/gl.c). */
#ifndef SRC_API_GL_H
#define SRC_API_GL_H

#include "src/command/command.h"

/* The arguments of a command that acquires or releases objects; of_egl: they are to be images of EGL's, not OpenGL's. */
cl_int ocl_check_gl_turn(const struct ocl_call *call, cl_uint count, const cl_mem *mems, bool of_egl);

#endif
