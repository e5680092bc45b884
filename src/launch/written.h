/* What a launch has to do with memory of which it is known what was written (written.c). */
#ifndef SRC_LAUNCH_WRITTEN_H
#define SRC_LAUNCH_WRITTEN_H

#include "src/launch/state.h"

/* Watched ones, those of the arguments and, if all, of what has an address in the context. False: no memory. */
bool ocl_written_find(struct ocl_written *written, cl_command_queue queue, cl_kernel kernel, bool all);
/* Of a list of references, sorted, with each buffer once. Takes the list over. */
struct ocl_written ocl_written_sort(struct vkb_buffer **list, uint32_t count);
/* The buffer that an argument leads to, with a reference; NULL: there is none, or, if watched is asked for, none of which it
 * is known what was written. */
struct vkb_buffer *ocl_written_of_arg(cl_command_queue queue, cl_kernel kernel, uint32_t index, bool watched);
/* What all arguments lead to. False: no memory. */
bool ocl_written_of_args(struct ocl_written *written, cl_command_queue queue, cl_kernel kernel);
void ocl_written_finish(struct ocl_written *written);
/* The address of the bytes that say what was written of the memory at this address; 0: nothing is known. */
uint64_t ocl_written_bytes(const struct ocl_written *written, uint64_t address);
/* Adds what lies beside them to what the launch uses. False: no memory. */
bool ocl_written_use(const struct ocl_written *written, struct launch *launch,
                     struct vkb_buffer *(*beside)(const struct vkb_buffer *buffer));
/* Before a kernel that does not note what it writes: all that it may write counts as written. */
cl_int ocl_written_unseen(struct launch *launch);

#endif
