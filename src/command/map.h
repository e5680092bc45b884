/* Maps of memory objects. */
#ifndef SRC_COMMAND_MAP_H
#define SRC_COMMAND_MAP_H

#include "src/object/memory.h"

struct ocl_command;
struct ocl_start;

cl_int ocl_mem_map(struct ocl_command *command, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                   bool blocking, void **pointer);
cl_int ocl_mem_map_image(struct ocl_command *command, cl_mem mem, cl_map_flags flags, const struct ocl_start *place,
                         const size_t region[3], bool blocking, void **pointer);
cl_int ocl_mem_unmap(struct ocl_command *command, cl_mem mem, void *pointer);
bool ocl_mem_is_mapped_at(cl_mem mem, const void *pointer);

#endif
