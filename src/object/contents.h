/* What memory is created with. */
#ifndef SRC_OBJECT_CONTENTS_H
#define SRC_OBJECT_CONTENTS_H

#include "src/object/context.h"

/* Bytes that a buffer is given to be filled with; larger ones are written while the caller waits. */
#define OCL_CONTENTS_LARGEST ((size_t)16 << 20)

/* Fills a device's buffer that no command was enqueued with, without waiting for the device where that is possible: the
 * bytes are taken before the call returns. */
cl_int ocl_contents_fill(cl_context context, cl_uint device, struct vkb_buffer *buffer, const void *data, size_t size);
/* The same from a buffer's memory, which the device reads behind the call. */
cl_int ocl_contents_copy(cl_context context, cl_uint device, struct vkb_buffer *buffer, struct vkb_buffer *pages);
/* Gives contents to an image that no command was enqueued with. Takes them over. */
cl_int ocl_contents_give_image(cl_context context, cl_uint device, struct vkb_image *image,
                               struct vkb_contents *contents);
/* Waits until the buffer is filled: before kernels know its address by other ways than an argument. */
cl_int ocl_contents_settle(cl_context context, cl_uint device, struct vkb_buffer *buffer);

#endif
