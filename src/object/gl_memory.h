/* Memory objects made from objects of OpenGL. */
#ifndef SRC_OBJECT_GL_MEMORY_H
#define SRC_OBJECT_GL_MEMORY_H

#include "src/gl/gl.h"
#include "src/object/memory.h"

/* A buffer or an image with memory of its own, which commands fill when the object is acquired. After success the
 * reference of the object is the memory object's. CL_IMAGE_FORMAT_NOT_SUPPORTED: no device has such images. */
cl_int ocl_mem_create_gl(const char *function, cl_context context, cl_mem_flags flags, struct ocl_gl_object *object,
                         cl_mem *mem);
/* Bytes of all its contents, packed. */
uint64_t ocl_mem_gl_size(cl_mem mem);

#endif
