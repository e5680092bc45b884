/* Command buffers that are recorded once: what can be, and when.
 *
 * A buffer of one queue whose commands all run on the device becomes one vkb_recording. Enqueueing it is then one
 * command of the queue, with the waits and the event of the whole, and its memory, pipelines and arguments are looked
 * up no more. In the recording each command comes after those before it where they conflict, which is at least what
 * sync points ask for.
 *
 * Other buffers are given to their queues command by command each time. These are buffers
 * - of several queues, or in a context of several devices, whose memory may have to move first;
 * - with kernels that print or enqueue, since the host works behind each launch;
 * - with images that lie beside a buffer, which may have to be copied from it first;
 * - with commands on images, which may need steps of the host, or on memory of the host that is no allocation;
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
    switch (command->type) {
    case CL_COMMAND_COPY_IMAGE:
    case CL_COMMAND_FILL_IMAGE:
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
        return false;
    default:
        break;
    }
    for (uint32_t i = 0; i < command->num_mems; i++) {
        if (command->mems[i]->image && ocl_image_is_beside(command->mems[i], queue->device_index))
            return false;
    }
    return !command->snapshot || command->range.empty || is_kernel_fit(command->snapshot, queue);
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

static cl_int record(const char *function, ocl_buffer_handle buffer, struct vkb_recording *recording)
{
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < buffer->num_commands && error == CL_SUCCESS; i++) {
        struct ocl_recorded *command = buffer->commands[i];
        const struct ocl_call call = {.function = function, .queue = buffer->queues[0], .type = command->type};
        struct ocl_command part;
        error = ocl_command_begin(&part, &call);
        if (error != CL_SUCCESS)
            return error;
        part.recording = recording;
        error = ocl_recorded_enqueue(&part, command);
    }
    return error;
}

cl_int ocl_command_buffer_prepare(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  bool *replays)
{
    bool again = buffer->enqueued || !(buffer->flags & OCL_MUTABLE);
    buffer->enqueued = true;
    *replays = false;
    if (buffer->unfit || !again || queues[0] != buffer->queues[0])
        return CL_SUCCESS;
    *replays = buffer->recording;
    if (buffer->recording)
        return CL_SUCCESS;
    if (!are_fit(buffer)) {
        buffer->unfit = true;
        return CL_SUCCESS;
    }
    struct vkb_recording *recording;
    enum vkb_result result = vkb_recording_create(buffer->queues[0]->device->vk, &recording);
    if (result != VKB_SUCCESS)
        return ocl_from_vkb(result);
    cl_int error = record(function, buffer, recording);
    result = vkb_recording_end(recording);
    if (error == CL_SUCCESS && result == VKB_SUCCESS) {
        buffer->recording = recording;
        *replays = true;
        return CL_SUCCESS;
    }
    vkb_recording_release(recording);
    buffer->unfit = error == CL_SUCCESS && result == VKB_UNSUPPORTED;
    return error != CL_SUCCESS || buffer->unfit ? error : ocl_from_vkb(result);
}

void ocl_command_buffer_forget(ocl_buffer_handle buffer)
{
    vkb_recording_release(buffer->recording);
    buffer->recording = NULL;
    buffer->unfit = buffer->enqueued = false;
}
