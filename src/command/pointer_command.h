/* Commands on memory that is known by its address: what SVM's and USM's entry points share. All of them check what the
 * specifications name, in that order, and enqueue. */
#ifndef SRC_COMMAND_POINTER_COMMAND_H
#define SRC_COMMAND_POINTER_COMMAND_H

#include "src/command/command.h"

/* Checks the queue, then the wait list. */
cl_int ocl_pointer_check(const struct ocl_call *call);
cl_int ocl_pointer_copy(const struct ocl_call *call, void *dst, const void *src, size_t size);
cl_int ocl_pointer_fill(const struct ocl_call *call, void *dst, const void *pattern, size_t pattern_size, size_t size);
/* The halves of these, for commands that are checked once and enqueued later. The second half ends the command. */
cl_int ocl_pointer_check_copy(const struct ocl_call *call, const void *dst, const void *src, size_t size);
cl_int ocl_pointer_copy_as(struct ocl_command *command, void *dst, const void *src, size_t size, bool blocking);
cl_int ocl_pointer_check_fill(const struct ocl_call *call, const void *dst, const void *pattern, size_t pattern_size,
                              size_t size);
cl_int ocl_pointer_fill_as(struct ocl_command *command, void *dst, const void *pattern, size_t pattern_size,
                           size_t size, bool blocking);
/* Size bytes from the pointer on, which reach beyond no allocation. An unmap of what is not mapped does nothing. */
cl_int ocl_pointer_map(const struct ocl_call *call, cl_map_flags flags, void *pointer, size_t size);
cl_int ocl_pointer_unmap(const struct ocl_call *call, void *pointer);
/* Enqueues a command that keeps its order and does nothing: migration, advice. */
cl_int ocl_pointer_nothing(const struct ocl_call *call);

#endif
