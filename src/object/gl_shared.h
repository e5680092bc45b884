/* Memory of the device's that OpenGL uses, too. */
#ifndef SRC_OBJECT_GL_SHARED_H
#define SRC_OBJECT_GL_SHARED_H

#include "src/gl/gl.h"

/* An image for an object in place, of a plane's format and size: its memory is the texture's own or its twin's. It is
 * OpenGL's until vkb_cmd_ownership() takes it. NULL where there is none such, and contents lie packed on their way. */
struct vkb_image *ocl_gl_image_create(cl_context context, struct ocl_gl_object *object);
/* A buffer for size bytes that is attached to the object, and is OpenGL's until vkb_cmd_ownership() takes it. NULL where
 * there is none such, and contents go through the host's memory. */
struct vkb_buffer *ocl_gl_shared_create(cl_context context, struct ocl_gl_object *object, uint64_t size);

#endif
