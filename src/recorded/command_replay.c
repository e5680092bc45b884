/* Command buffers that are recorded once: what can be, and when.
 *
 * A buffer of one queue whose commands all run on the device becomes one vkb_recording, or several where it is long:
 * one for each piece of the buffer. Enqueueing it is then one command of the queue for each, with the waits and the
 * event of the whole, and its memory, pipelines and arguments are looked up no more. In a recording each command comes
 * after those before it where they conflict, which is at least what sync points ask for.
 *
 * Other buffers are given to their queues command by command each time. These are buffers
 * - of several queues, or in a context of several devices, whose memory may have to move first;
 * - for other queues than the buffer's own, whose scratch memory is another.
 *
 * A piece cannot be recorded if it has
 * - kernels that print or enqueue, since the host works behind each launch;
 * - kernels that use an image of a buffer, which may have to be copied from it first;
 * - commands on images whose texels the host converts, or on memory of the host that is no allocation.
 * In an in-order queue its commands take their place between the recordings of the others. Elsewhere, and where the
 * profile of the whole is asked for, the whole buffer goes command by command then.
 *
 * An update makes the recording of the command's piece stale: a driver reads arguments while it records. A piece of a
 * mutable buffer is recorded when it is enqueued for the second time without an update in between: one that is changed
 * each time would only pay for it.
 *
 * A recording is submitted whole. So on a device with a watchdog (docs/watchdogs.md) a piece is recorded when it is known
 * to be short: from the second time on, since nothing is known of kernels that have not run. A recording is dropped when
 * its kernels turn out to be slow. A piece that is not short after MOST_DELAYS attempts goes command by command for good,
 * and its long launches in parts. */
#include "src/command/command.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/program.h"
#include "src/object/queue.h"
#include "src/recorded/command_buffer.h"

#include <stdlib.h>

enum { MOST_DELAYS = 4 };

static bool is_kernel_fit(cl_kernel kernel, cl_command_queue queue)
{
    const struct clc_lowered *lowered = ocl_kernel_code(kernel, queue->device)->lowered;
    /* Launches of an out-of-order queue may be under way together, and a recording has scratch memory once. */
    if (lowered->scratch_size && queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return false;
    return !lowered->uses_printf && !lowered->num_check_sites && lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0;
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

static bool is_piece_fit(ocl_buffer_handle buffer, const struct ocl_piece *piece)
{
    for (uint32_t i = piece->begin; i < piece->end; i++) {
        if (!is_fit(buffer->commands[i], buffer->queues[0]))
            return false;
    }
    return true;
}

static cl_int record_commands(const char *function, ocl_buffer_handle buffer, struct ocl_piece *piece, bool *is_long)
{
    cl_int error = CL_SUCCESS;
    *is_long = false;
    for (uint32_t i = piece->begin; i < piece->end && error == CL_SUCCESS; i++) {
        struct ocl_recorded *command = buffer->commands[i];
        const struct ocl_call call = {.function = function, .queue = buffer->queues[0], .type = command->type};
        struct ocl_command part;
        error = ocl_command_begin(&part, &call);
        if (error != CL_SUCCESS)
            return error;
        part.recording = piece->recording;
        error = ocl_recorded_enqueue(&part, command);
    }
    enum vkb_result result = vkb_recording_end(piece->recording);
    *is_long = result == VKB_TIMEOUT;
    piece->unfit = result == VKB_UNSUPPORTED || (*is_long && ++piece->num_delays == MOST_DELAYS);
    return error == CL_SUCCESS && !piece->unfit && !*is_long ? ocl_from_vkb(result) : error;
}

static void drop(struct ocl_piece *piece)
{
    vkb_recording_release(piece->recording);
    piece->recording = NULL;
}

static cl_int record(const char *function, ocl_buffer_handle buffer, struct ocl_piece *piece)
{
    piece->unfit = !is_piece_fit(buffer, piece);
    if (piece->unfit)
        return CL_SUCCESS;
    cl_int error = ocl_from_vkb(vkb_recording_create(buffer->queues[0]->device->vk, &piece->recording));
    bool is_long = false;
    if (error == CL_SUCCESS)
        error = record_commands(function, buffer, piece, &is_long);
    if (error != CL_SUCCESS || piece->unfit || is_long)
        drop(piece);
    return error;
}

static bool make_pieces(ocl_buffer_handle buffer)
{
    if (buffer->pieces)
        return true;
    uint32_t count = (buffer->num_commands + VKB_RECORDING_COMMANDS - 1) / VKB_RECORDING_COMMANDS;
    buffer->pieces = calloc(count + 1, sizeof(buffer->pieces[0]));
    buffer->num_pieces = buffer->pieces ? count : 0;
    for (uint32_t i = 0; i < buffer->num_pieces; i++) {
        struct ocl_piece *piece = &buffer->pieces[i];
        piece->begin = i * VKB_RECORDING_COMMANDS;
        piece->end = i + 1 < count ? piece->begin + VKB_RECORDING_COMMANDS : buffer->num_commands;
    }
    return buffer->pieces;
}

cl_int ocl_command_buffer_prepare(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  bool mixes, bool *replays)
{
    uint32_t num_recorded = 0;
    *replays = false;
    bool waits = buffer->flags & OCL_MUTABLE || queues[0]->device->caps->watchdog_ms;
    if (buffer->num_queues != 1 || buffer->context->num_devices != 1 || queues[0] != buffer->queues[0])
        return CL_SUCCESS;
    if (!make_pieces(buffer))
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < buffer->num_pieces; i++) {
        struct ocl_piece *piece = &buffer->pieces[i];
        bool again = piece->enqueued || !waits;
        piece->enqueued = true;
        if (piece->recording && vkb_recording_is_long(piece->recording))
            drop(piece);
        if (again && !piece->recording && !piece->unfit) {
            cl_int error = record(function, buffer, piece);
            if (error != CL_SUCCESS)
                return error;
        }
        num_recorded += piece->recording != NULL;
    }
    *replays = mixes ? num_recorded > 0 : num_recorded == buffer->num_pieces && num_recorded > 0;
    return CL_SUCCESS;
}

void ocl_command_buffer_changed(ocl_buffer_handle buffer, const struct ocl_recorded *command)
{
    if (!buffer->pieces)
        return;
    struct ocl_piece *piece = &buffer->pieces[command->number / VKB_RECORDING_COMMANDS];
    drop(piece);
    piece->unfit = piece->enqueued = false;
    piece->num_delays = 0;
}

void ocl_command_buffer_forget(ocl_buffer_handle buffer)
{
    for (uint32_t i = 0; i < buffer->num_pieces; i++)
        drop(&buffer->pieces[i]);
    free(buffer->pieces);
    buffer->pieces = NULL;
    buffer->num_pieces = 0;
}
