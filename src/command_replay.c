/* Command buffers that are recorded once: what can be, and when.
 *
 * A buffer of one queue whose commands all run on the device becomes one vkb_recording, or several where it is long.
 * Enqueueing it is then one command of the queue for each, with the waits and the event of the whole, and its memory,
 * pipelines and arguments are looked up no more. In a recording each command comes after those before it where they
 * conflict, which is at least what sync points ask for.
 *
 * Other buffers are given to their queues command by command each time. These are buffers
 * - of several queues, or in a context of several devices, whose memory may have to move first;
 * - with kernels that print or enqueue, since the host works behind each launch;
 * - with kernels that use an image of a buffer, which may have to be copied from it first;
 * - with commands on images whose texels the host converts, or on memory of the host that is no allocation;
 * - for other queues than the buffer's own, whose scratch memory is another.
 *
 * An update makes the recording stale. A mutable buffer is recorded when it is enqueued for the second time without an
 * update in between: one that is changed each time would only pay for it. */
#include "src/command.h"
#include "src/command_buffer.h"
#include "src/context.h"
#include "src/device.h"
#include "src/image.h"
#include "src/memory.h"
#include "src/program.h"
#include "src/queue.h"

#include <stdlib.h>

static bool is_kernel_fit(cl_kernel kernel, cl_command_queue queue)
{
    const struct clc_lowered *lowered = ocl_kernel_code(kernel, queue->device)->lowered;
    /* Launches of an out-of-order queue may be under way together, and a recording has scratch memory once. */
    if (lowered->scratch_size && queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return false;
    return !lowered->uses_printf && lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0;
}

static bool is_fit(const struct ocl_recorded *command, cl_command_queue queue)
{
    if (!command->snapshot || command->range.empty)
        return true;
    for (uint32_t i = 0; i < command->num_mems; i++) {
        if (command->mems[i]->image && command->mems[i]->parent && !ocl_mem_root(command->mems[i])->image)
            return false;
    }
    return is_kernel_fit(command->snapshot, queue);
}

static bool are_fit(ocl_buffer_handle buffer)
{
    if (buffer->num_queues != 1 || buffer->context->num_devices != 1)
        return false;
    for (uint32_t i = 0; i < buffer->num_commands; i++) {
        if (!is_fit(buffer->commands[i], buffer->queues[0]))
            return false;
    }
    return true;
}

/* Records the commands [begin, end). */
static cl_int record_some(const char *function, ocl_buffer_handle buffer, uint32_t begin, uint32_t end,
                          struct vkb_recording *recording)
{
    cl_int error = CL_SUCCESS;
    for (uint32_t i = begin; i < end && error == CL_SUCCESS; i++) {
        struct ocl_recorded *command = buffer->commands[i];
        const struct ocl_call call = {.function = function, .queue = buffer->queues[0], .type = command->type};
        struct ocl_command part;
        error = ocl_command_begin(&part, &call);
        if (error != CL_SUCCESS)
            return error;
        part.recording = recording;
        error = ocl_recorded_enqueue(&part, command);
    }
    enum vkb_result result = vkb_recording_end(recording);
    buffer->unfit |= result == VKB_UNSUPPORTED;
    return error == CL_SUCCESS && !buffer->unfit ? ocl_from_vkb(result) : error;
}

static void drop(ocl_buffer_handle buffer)
{
    for (uint32_t i = 0; i < buffer->num_recordings; i++)
        vkb_recording_release(buffer->recordings[i]);
    free(buffer->recordings);
    buffer->recordings = NULL;
    buffer->num_recordings = 0;
}

/* Makes all recordings, or none. */
static cl_int record(const char *function, ocl_buffer_handle buffer)
{
    uint32_t count = buffer->num_commands / VKB_RECORDING_COMMANDS + 1;
    buffer->recordings = calloc(count, sizeof(buffer->recordings[0]));
    cl_int error = buffer->recordings ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint32_t begin = 0, end; error == CL_SUCCESS && !buffer->unfit; begin = end) {
        struct vkb_recording *recording;
        end = begin + VKB_RECORDING_COMMANDS < buffer->num_commands ? begin + VKB_RECORDING_COMMANDS
                                                                    : buffer->num_commands;
        error = ocl_from_vkb(vkb_recording_create(buffer->queues[0]->device->vk, &recording));
        if (error != CL_SUCCESS)
            break;
        buffer->recordings[buffer->num_recordings++] = recording;
        error = record_some(function, buffer, begin, end, recording);
        if (end == buffer->num_commands)
            break;
    }
    if (error != CL_SUCCESS || buffer->unfit)
        drop(buffer);
    return error;
}

cl_int ocl_command_buffer_prepare(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  bool *replays)
{
    bool again = buffer->enqueued || !(buffer->flags & OCL_MUTABLE);
    cl_int error = CL_SUCCESS;
    buffer->enqueued = true;
    *replays = false;
    if (buffer->unfit || !again || queues[0] != buffer->queues[0])
        return CL_SUCCESS;
    if (!buffer->recordings) {
        buffer->unfit = !are_fit(buffer);
        if (!buffer->unfit)
            error = record(function, buffer);
    }
    *replays = buffer->recordings;
    return error;
}

void ocl_command_buffer_forget(ocl_buffer_handle buffer)
{
    drop(buffer);
    buffer->unfit = buffer->enqueued = false;
}
