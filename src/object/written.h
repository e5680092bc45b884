/* Memory of which it is known what was written (PUMICE_CHECK=init). */
#ifndef SRC_OBJECT_WRITTEN_H
#define SRC_OBJECT_WRITTEN_H

#include "src/check/check.h"
#include "src/object/context.h"

/* Begins to note what is written in a buffer that no command was enqueued with; nothing of it is yet. Where memory is
 * short, that is told once, and all of the buffer counts as written. */
void ocl_written_begin(cl_context context, cl_uint device, struct vkb_buffer *buffer);
/* Fills a buffer with zeros, and waits for that. */
enum vkb_result ocl_written_clear(cl_context context, cl_uint device, struct vkb_buffer *buffer);
uint64_t ocl_written_most(void); /* bytes of a device that may be taken */

#endif
