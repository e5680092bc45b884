/* Pipes: memory objects that only kernels read and write. */
#ifndef SRC_OBJECT_PIPE_H
#define SRC_OBJECT_PIPE_H

#include "src/device/object.h"

/* The limits that every device with pipes states. A reservation is a number that the kernel keeps, so nothing but the
 * packets bounds how many there are; 2^16 is what we say. */
#define OCL_MAX_PIPE_ARGS         64u
#define OCL_PIPE_MAX_RESERVATIONS (1u << 16)
#define OCL_PIPE_MAX_PACKET_SIZE  (1u << 16) /* bytes */

bool ocl_is_pipe(cl_mem mem); /* false for what is no memory object, too */
/* An empty pipe for packets of packet_size bytes, at most max_packets of them. The flags, the sizes and the context's
 * devices are checked. CL_MEM_OBJECT_ALLOCATION_FAILURE: no device could hold so many. */
cl_int ocl_pipe_create(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets, cl_mem *pipe);

#endif
