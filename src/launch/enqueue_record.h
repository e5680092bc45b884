/* Records of what kernels enqueue, taken out of the memory that kernels write (enum clc_record in compiler/clc.h). */
#ifndef SRC_LAUNCH_ENQUEUE_RECORD_H
#define SRC_LAUNCH_ENQUEUE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ocl_enqueue_record {
    uint32_t size; /* bytes in the memory of the kernels, all of it */
    bool is_marker;
    uint32_t parent, block, queue; /* queue: a number from 1 */
    uint32_t event;                /* number + 1, or 0 */
    uint32_t num_waits, dims, num_locals, captured_size, captured_align;
    uint64_t offset[3], global[3], local[3]; /* local 0: not given */
    uint32_t lists_at; /* bytes from the record's start to the events, local arguments, captures */
};

/* Reads the header of the record at the start of `available` bytes, whose contents may be anything and may change
 * meanwhile. False: no record. What lies behind lists_at is size - lists_at bytes, which the caller copies: the numbers
 * + 1 of num_waits events, the bytes of num_locals local arguments, and captured_size bytes. */
bool ocl_enqueue_record_read(const void *memory, uint64_t available, struct ocl_enqueue_record *record);

#endif
