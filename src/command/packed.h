/* A memory object's contents beside memory in which they lie packed (packed.c). */
#ifndef SRC_COMMAND_PACKED_H
#define SRC_COMMAND_PACKED_H

#include "src/command/texels.h"

/* Where the memory object is on the command's device. */
struct ocl_packed_place {
    struct ocl_texels texels; /* of an image */
    struct vkb_buffer *buffer;
    uint64_t offset;
};

cl_int ocl_packed_find(struct ocl_command *command, cl_mem mem, bool writes, struct ocl_packed_place *place);
/* Steps that move all contents, all levels of an image, into the memory object or out of it. size: bytes of a buffer, or
 * of an image that lies in a buffer of its own. */
enum vkb_result ocl_packed_copy(struct ocl_command *command, cl_mem mem, struct ocl_packed_place *place,
                                struct vkb_buffer *packed, uint64_t size, bool into);

#endif
