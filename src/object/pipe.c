/* Pipe objects. A pipe is a root like a buffer's, with a ring in its memory that the kernels read and write by
 * themselves (docs/pipes.md has the layout). The host writes the empty ring, once; after that only launches touch it,
 * and each counts as one that reads and writes the pipe. So order between commands, the way from device to device, and
 * the life of the memory are those of buffers. */
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pipe.h"

#include "src/check/check.h"

#include "base/util.h"

#include <stdlib.h>

/* The words of the ring's head; those that are not named are 0. */
enum { PACKET_SIZE, MAX_PACKETS, SLOT_MASK, FIRST_PACKET, NOTES = 6, SLOTS = 8 };

#define PACKET_ALIGN 128u

bool ocl_is_pipe(cl_mem mem)
{
    return ocl_is(mem, OCL_MEM) && mem->type == CL_MEM_OBJECT_PIPE;
}

/* Whether checked kernels note who writes each packet: 64 bits for each, behind the slots' numbers. */
static bool has_notes(void)
{
    return check_on(CHECK_INIT) || check_on(CHECK_RACES);
}

/* The head and the numbers of the slots of an empty ring; the caller frees it. NULL: no memory. */
static uint32_t *empty_ring(cl_uint packet_size, cl_uint max_packets, uint32_t slots, size_t head_size)
{
    uint32_t *words = calloc(1, head_size);
    if (!words)
        return NULL;
    words[PACKET_SIZE] = packet_size;
    words[MAX_PACKETS] = max_packets;
    words[SLOT_MASK] = slots - 1;
    words[FIRST_PACKET] = (uint32_t)head_size;
    words[NOTES] = has_notes() ? (uint32_t)align_up(SLOTS + (uint64_t)slots, 2) : 0;
    for (uint32_t i = 0; i < slots; i++)
        words[SLOTS + i] = i;
    return words;
}

cl_int ocl_pipe_create(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets, cl_mem *result)
{
    uint64_t slots = 1, limit = UINT64_MAX;
    while (slots < max_packets)
        slots *= 2;
    uint64_t notes = has_notes() ? slots * sizeof(uint64_t) : 0;
    uint64_t head_size = align_up(align_up(SLOTS + (uint64_t)slots, 2) * sizeof(uint32_t) + notes, PACKET_ALIGN);
    uint64_t size = head_size + slots * packet_size;
    for (cl_uint i = 0; i < context->num_devices; i++)
        limit = u64_min(limit, context->devices[i]->max_allocation);
    /* Positions are 32-bit numbers that wrap, and the first packet's place is one, too. */
    if (slots > UINT32_C(1) << (notes ? 27 : 29) || size > limit)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;

    cl_mem pipe = ocl_mem_allocate(context, CL_MEM_OBJECT_PIPE, flags, size);
    uint32_t *ring = empty_ring(packet_size, max_packets, (uint32_t)slots, head_size);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (!pipe || !ring)
        goto fail;
    pipe->packet_size = packet_size;
    pipe->max_packets = max_packets;
    pipe->storage = calloc(context->num_devices, sizeof(pipe->storage[0]));
    if (!pipe->storage)
        goto fail;
    error = ocl_mem_place(pipe, 0);
    if (error == CL_SUCCESS)
        error = ocl_mem_upload(pipe, 0, ring, head_size);
    if (error != CL_SUCCESS)
        goto fail;
    pipe->valid = 1;
    free(ring);
    ocl_context_retain(context);
    *result = pipe;
    return CL_SUCCESS;

fail:
    free(ring);
    if (pipe && pipe->storage && pipe->storage[0].buffer)
        vkb_buffer_release(pipe->storage[0].buffer);
    if (pipe)
        ocl_mem_destroy_struct(pipe);
    return error;
}
