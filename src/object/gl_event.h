/* Events of sync objects of OpenGL and fences of EGL. */
#ifndef SRC_OBJECT_GL_EVENT_H
#define SRC_OBJECT_GL_EVENT_H

#include "src/object/event.h"

/* The event of the given type (CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR), in a context
 * that shares with OpenGL. display: of a fence of EGL's. NULL with *error where sync is none such. */
cl_event ocl_event_create_gl(const char *function, cl_context context, cl_command_type type, void *display, void *sync,
                             cl_int *error);

#endif
