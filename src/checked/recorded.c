/* Command buffers: which call recorded each command, and what enqueueing one does. It is taken for as many commands as
 * there are in it, each of the call that recorded it, and an end behind all of them. Those come after what their sync
 * points and barriers say, and after one another in an in-order queue. Memory objects and kernels belong to the buffer,
 * so that only memory known by its address may be gone. See hooks.c for the names. */
#include "checked_args.h"

#include "src/checked/model.h"
#include "src/object/image.h"
#include "src/object/queue.h"
#include "src/recorded/command_buffer.h"

#include <inttypes.h>
#include <stdlib.h>

/* A larger one is a single command that uses no memory: a picture of commands that ended may hold no more. */
enum { MOST_PARTS = 256 };

struct checked_recorded {
    const char *function;
    const void *caller;
    uint64_t number;
};

void checked_forget_recorded(struct checked_object *object)
{
    free(object->recorded);
    object->recorded = NULL;
    object->num_recorded = 0;
}

void checked_records(struct checked_call *call, const void *buffer)
{
    if (call->off || call->failed)
        return;
    checked_lock();
    struct checked_object *object = checked_find(buffer);
    struct checked_recorded *more =
        object && object->kind == CHECKED_COMMAND_BUFFER
            ? realloc(object->recorded, (object->num_recorded + 1) * sizeof(object->recorded[0]))
            : NULL;
    if (more) {
        object->recorded = more;
        more[object->num_recorded++] = (struct checked_recorded){call->function, call->caller, call->number};
    }
    checked_unlock();
}

/* ---- arguments ---- */

void checked_before_clCommandNDRangeKernelKHR(struct checked_call *call, struct clCommandNDRangeKernelKHR_args *a)
{
    if (call->off || !ocl_is(a->kernel, OCL_KERNEL) || !ocl_is(a->buffer, OCL_COMMAND_BUFFER))
        return;
    checked_lock();
    checked_arguments(call, a->kernel, a->buffer->flags & OCL_MUTABLE, false);
    checked_unlock();
}

/* ---- the memory that a command uses ---- */

static void uses(struct checked_call *call, struct checked_access access, bool writes)
{
    checked_uses(call, access, !writes, writes);
}

static struct checked_access rows(cl_mem mem, const struct vkb_rect *rect, bool to)
{
    const size_t origin[3] = {to ? rect->dst_offset : rect->src_offset, 0, 0};
    const size_t region[3] = {rect->width, rect->height, rect->depth};
    return checked_rows(mem, NULL, origin, region, to ? rect->dst_row_pitch : rect->src_row_pitch,
                        to ? rect->dst_slice_pitch : rect->src_slice_pitch);
}

/* One side of a copy with images. */
static struct checked_access side(const struct ocl_recorded *command, bool to)
{
    cl_mem mem = command->mems[to], image = command->mems[0]->image ? command->mems[0] : command->mems[1];
    uint64_t texels = (uint64_t)command->region[0] * command->region[1] * command->region[2];
    if (mem->image)
        return checked_texels(mem, to ? command->dst_place.origin : command->src_place.origin, command->region);
    return checked_bytes(mem, to ? command->rect.dst_offset : command->rect.src_offset,
                         texels * image->image->format.texel_size);
}

static void use_memory(struct checked_call *call, const struct ocl_recorded *command)
{
    const struct vkb_rect *rect = &command->rect;
    cl_mem *mems = command->mems;
    switch (command->type) {
    case CL_COMMAND_COPY_BUFFER:
        uses(call, checked_bytes(mems[0], rect->src_offset, rect->width), false);
        uses(call, checked_bytes(mems[1], rect->dst_offset, rect->width), true);
        break;
    case CL_COMMAND_COPY_BUFFER_RECT:
        uses(call, rows(mems[0], rect, false), false);
        uses(call, rows(mems[1], rect, true), true);
        break;
    case CL_COMMAND_FILL_BUFFER:
        uses(call, checked_bytes(mems[0], rect->dst_offset, rect->width), true);
        break;
    case CL_COMMAND_FILL_IMAGE:
        uses(call, checked_texels(mems[0], command->dst_place.origin, command->region), true);
        break;
    case CL_COMMAND_COPY_IMAGE:
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
        uses(call, side(command, false), false);
        uses(call, side(command, true), true);
        break;
    case CL_COMMAND_SVM_MEMCPY:
        uses(call, checked_memory(command->src, command->size), false);
        uses(call, checked_memory(command->dst, command->size), true);
        break;
    case CL_COMMAND_SVM_MEMFILL:
        uses(call, checked_memory(command->dst, command->size), true);
        break;
    default:
        break;
    }
}

static void launch(struct checked_call *call, cl_command_queue queue, const struct ocl_recorded *command)
{
    struct checked_launch launch = {.offset = {0}};
    for (int i = 0; i < 3; i++) {
        launch.offset[i] = command->range.offset[i];
        launch.size[i] = command->range.global[i];
    }
    checked_launches_kernel(call, queue, command->snapshot, &launch, ocl_touched_take(command->snapshot));
}

/* Memory known by its address that is gone when the buffer is enqueued. */
static void check_pointer(struct checked_call *call, const void *pointer)
{
    const struct checked_object *object = pointer ? checked_find_memory(pointer) : NULL;
    if (object && checked_is_gone(object))
        checked_report_released(call, object, "is enqueued with");
}

static void check_life(struct checked_call *call, const struct ocl_recorded *command)
{
    check_pointer(call, command->src);
    check_pointer(call, command->dst);
    if (command->snapshot)
        checked_arguments(call, command->snapshot, true, true);
}

/* ---- enqueueing ---- */

/* The call that recorded a command, as far as it is known. */
static struct checked_call recording_call(const struct checked_call *call, const struct checked_object *object,
                                          uint32_t number)
{
    struct checked_call recorded = *call;
    if (object && number < object->num_recorded) {
        recorded.function = object->recorded[number].function;
        recorded.caller = object->recorded[number].caller;
        recorded.number = object->recorded[number].number;
    }
    return recorded;
}

/* Commands of a queue that was in order when they were recorded stay so in another queue (cl_khr_command_buffer). */
static void comes_after_recorded(struct checked_call *call, ocl_buffer_handle buffer, uint32_t number,
                                 struct checked_command *const *parts)
{
    uint32_t queue = buffer->commands[number]->queue, before = number;
    if (buffer->queues[queue]->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return;
    while (before && buffer->commands[before - 1]->queue != queue)
        before--;
    if (before)
        checked_comes_after(call, parts[before - 1]);
}

static struct checked_command *enqueue_part(struct checked_call *call, const struct checked_object *object,
                                            uint32_t number, cl_command_queue queue,
                                            const struct clEnqueueCommandBufferKHR_args *a,
                                            struct checked_command *const *parts)
{
    const struct ocl_recorded *command = a->buffer->commands[number];
    struct checked_call recorded = recording_call(call, object, command->number);
    check_life(&recorded, command);
    checked_part(&recorded, queue, a->num_waits, a->waits, a->buffer);
    checked_comes_after(&recorded, object->command);
    for (uint32_t i = 0; i < command->num_waits; i++)
        checked_comes_after(&recorded, parts[command->waits[i]]);
    comes_after_recorded(&recorded, a->buffer, number, parts);
    if (command->snapshot)
        launch(&recorded, queue, command);
    else
        use_memory(&recorded, command);
    return checked_end_part(&recorded);
}

/* What follows in any of the queues comes after the end, where they are in order. */
static void enqueue_end(struct checked_call *call, struct checked_object *object, const cl_command_queue *queues,
                        const struct clEnqueueCommandBufferKHR_args *a, struct checked_command *const *parts,
                        uint32_t num_parts)
{
    checked_part(call, queues[0], a->num_waits, a->waits, a->buffer);
    for (uint32_t i = 0; i < num_parts; i++)
        checked_comes_after(call, parts[i]);
    for (cl_uint i = 1; i < a->buffer->num_queues; i++)
        checked_is_last(call, queues[i]);
    checked_command_drop(object->command);
    object->command = checked_command_keep(call->command);
}

void checked_after_clEnqueueCommandBufferKHR(struct checked_call *call, struct clEnqueueCommandBufferKHR_args *a,
                                             cl_int error)
{
    struct checked_command *parts[MOST_PARTS];
    ocl_buffer_handle buffer = a->buffer;
    if (error != CL_SUCCESS || call->off)
        return;
    const cl_command_queue *queues = a->num_queues ? a->queues : buffer->queues;
    checked_lock();
    struct checked_object *object = checked_find(buffer);
    ocl_lock(&buffer->mutex);
    uint32_t count = object && buffer->num_commands <= MOST_PARTS ? buffer->num_commands : 0;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = enqueue_part(call, object, i, queues[buffer->commands[i]->queue], a, parts);
    ocl_unlock(&buffer->mutex);
    if (object)
        enqueue_end(call, object, queues, a, parts, count);
    for (uint32_t i = 0; i < count; i++)
        checked_command_drop(parts[i]);
    checked_unlock();
    checked_enqueued(call, a->event, false);
}
