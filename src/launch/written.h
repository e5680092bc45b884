/* What a launch has to do with memory of which it is known what was written (written.c). */
#ifndef SRC_LAUNCH_WRITTEN_H
#define SRC_LAUNCH_WRITTEN_H

#include "src/launch/state.h"

/* The watched buffers that a kernel may reach, by their addresses; a reference to each. */
struct ocl_written {
    struct vkb_buffer **buffers;
    uint32_t count;
};

/* Those of the arguments and, if all, of what has an address in the context. False: no memory. */
bool ocl_written_find(struct ocl_written *written, cl_command_queue queue, cl_kernel kernel, bool all);
void ocl_written_finish(struct ocl_written *written);
/* The address of the bytes that say what was written of the memory at this address; 0: nothing is known. */
uint64_t ocl_written_bytes(const struct ocl_written *written, uint64_t address);
/* Adds them to what the launch uses. False: no memory. */
bool ocl_written_use(const struct ocl_written *written, struct launch *launch);
/* Before a kernel that does not note what it writes: all that it may write counts as written. */
cl_int ocl_written_unseen(struct launch *launch);

#endif
