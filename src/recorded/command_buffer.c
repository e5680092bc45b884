/* Command buffers: what they keep of a recorded command, and how all of it is enqueued.
 *
 * A command is checked once, when it is recorded. It keeps a clone of the kernel with the arguments of that moment, and
 * its memory objects. An update replaces the clone by another, so that what was enqueued before is not touched.
 *
 * Most buffers of one queue are recorded once and replayed (command_replay.c). Else enqueueing walks the list and gives
 * each command to its queue. In a buffer of one in-order queue the queue's own
 * order is enough: no events are made and no sync point costs anything, and the backend places barriers only where two
 * commands conflict. Else each command waits for the events of those that it was recorded to wait for. A marker behind
 * the last commands is the end of the whole. */
#include "src/command/texels.h"
#include "src/launch/launch.h"
#include "src/launch/range.h"
#include "src/recorded/command_buffer.h"

#include "src/command/command.h"
#include "src/object/context.h"
#include "src/device/device.h"
#include "src/object/memory.h"
#include "src/command/pointer_command.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- recorded commands ---- */

struct ocl_recorded *ocl_recorded_allocate(cl_command_type type)
{
    struct ocl_recorded *command = calloc(1, sizeof(*command));
    if (!command)
        return NULL;
    ocl_object_init(&command->object, OCL_RECORDED);
    command->type = type;
    return command;
}

void ocl_recorded_destroy(struct ocl_recorded *command)
{
    if (!command)
        return;
    command->object.kind = OCL_DEAD;
    for (uint32_t i = 0; i < command->num_mems; i++)
        ocl_mem_release(command->mems[i]);
    free(command->mems);
    if (command->kernel)
        ocl_kernel_release(command->kernel);
    if (command->snapshot)
        ocl_kernel_release(command->snapshot);
    free(command->waits);
    free(command->properties);
    ocl_object_free(&command->object);
}

static bool make_room(struct ocl_recorded *command)
{
    cl_mem *mems = realloc(command->mems, (command->num_mems + 1) * sizeof(*mems));
    if (mems)
        command->mems = mems;
    return mems;
}

bool ocl_recorded_use(struct ocl_recorded *command, cl_mem mem)
{
    if (!make_room(command))
        return false;
    command->mems[command->num_mems++] = mem;
    ocl_mem_retain(mem);
    return true;
}

cl_int ocl_recorded_set_kernel(struct ocl_recorded *command, cl_kernel snapshot)
{
    assert(!command->snapshot && !command->num_mems);
    for (uint32_t i = 0; i < snapshot->info->num_args; i++) {
        cl_mem mem = snapshot->args[i].mem;
        if (!mem)
            continue;
        if (!make_room(command))
            return CL_OUT_OF_HOST_MEMORY;
        if (!ocl_try_retain(&mem->object)) /* a kernel has weak references only */
            return CL_INVALID_KERNEL_ARGS;
        command->mems[command->num_mems++] = mem;
    }
    command->snapshot = snapshot;
    return CL_SUCCESS;
}

void ocl_recorded_swap_kernels(struct ocl_recorded *first, struct ocl_recorded *second)
{
    cl_kernel snapshot = first->snapshot;
    cl_mem *mems = first->mems;
    uint32_t num_mems = first->num_mems;
    first->snapshot = second->snapshot;
    first->mems = second->mems;
    first->num_mems = second->num_mems;
    second->snapshot = snapshot;
    second->mems = mems;
    second->num_mems = num_mems;
}

uint64_t ocl_range_groups(const struct ocl_range *range)
{
    uint64_t groups = range->empty ? 0 : 1;
    for (int i = 0; i < 3; i++)
        groups *= (range->global[i] + range->local[i] - 1) / range->local[i];
    return groups;
}

static bool args_are_set(cl_kernel kernel)
{
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        if (!kernel->args[i].set)
            return false;
    }
    return true;
}

/* ---- command buffers ---- */

ocl_buffer_handle ocl_command_buffer_create(cl_context context, cl_uint num_queues, const cl_command_queue *queues,
                                            const cl_ulong *properties, size_t num_properties)
{
    struct ocl_command_buffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return NULL;
    buffer->queues = malloc(num_queues * sizeof(queues[0]));
    buffer->barrier = calloc(num_queues, sizeof(buffer->barrier[0]));
    buffer->properties = malloc(num_properties * sizeof(properties[0]) + 1);
    if (!buffer->queues || !buffer->barrier || !buffer->properties) {
        free(buffer->queues);
        free(buffer->barrier);
        free(buffer->properties);
        free(buffer);
        return NULL;
    }
    ocl_object_init(&buffer->object, OCL_COMMAND_BUFFER);
    pthread_mutex_init(&buffer->mutex, NULL);
    buffer->context = context;
    ocl_context_retain(context);
    buffer->num_queues = num_queues;
    for (cl_uint i = 0; i < num_queues; i++) {
        buffer->queues[i] = queues[i];
        ocl_queue_retain(queues[i]);
    }
    buffer->num_properties = num_properties;
    if (num_properties)
        memcpy(buffer->properties, properties, num_properties * sizeof(properties[0]));
    return buffer;
}

void ocl_command_buffer_release(ocl_buffer_handle buffer)
{
    if (!ocl_release(&buffer->object))
        return;
    buffer->object.kind = OCL_DEAD;
    for (uint32_t i = 0; i < buffer->num_commands; i++)
        ocl_recorded_destroy(buffer->commands[i]);
    free(buffer->commands);
    if (buffer->done)
        vkb_event_release(buffer->done);
    ocl_command_buffer_forget(buffer);
    for (cl_uint i = 0; i < buffer->num_queues; i++)
        ocl_queue_release(buffer->queues[i]);
    ocl_context_release(buffer->context);
    pthread_mutex_destroy(&buffer->mutex);
    free(buffer->queues);
    free(buffer->barrier);
    free(buffer->properties);
    ocl_object_free(&buffer->object);
}

/* A command without sync points waits for its queue's last barrier; a barrier without them for all since then. */
static bool add_waits(ocl_buffer_handle buffer, struct ocl_recorded *command, cl_uint num_waits, const cl_uint *waits,
                      bool barrier)
{
    uint32_t last = buffer->barrier[command->queue]; /* 1 + its number */
    uint32_t first = last ? last - 1 : 0, most = num_waits + 1;
    if (barrier && !num_waits)
        most += buffer->num_commands - first;
    command->waits = malloc(most * sizeof(command->waits[0]));
    if (!command->waits)
        return false;
    for (cl_uint i = 0; i < num_waits; i++)
        command->waits[command->num_waits++] = waits[i] - 1;
    if (last)
        command->waits[command->num_waits++] = last - 1;
    for (uint32_t i = first; barrier && !num_waits && i < buffer->num_commands; i++) {
        if (buffer->commands[i]->queue == command->queue && i + 1 != last)
            command->waits[command->num_waits++] = i;
    }
    return true;
}

cl_int ocl_command_buffer_add(ocl_buffer_handle buffer, struct ocl_recorded *command, cl_uint queue, cl_uint num_waits,
                              const cl_uint *waits, bool barrier, cl_uint *sync_point)
{
    if (buffer->num_commands == buffer->capacity) {
        uint32_t capacity = buffer->capacity ? buffer->capacity * 2 : 16;
        struct ocl_recorded **commands = realloc(buffer->commands, capacity * sizeof(*commands));
        if (!commands)
            return CL_OUT_OF_HOST_MEMORY;
        buffer->commands = commands;
        buffer->capacity = capacity;
    }
    command->buffer = buffer;
    command->queue = queue;
    if (!add_waits(buffer, command, num_waits, waits, barrier))
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < command->num_waits; i++)
        buffer->commands[command->waits[i]]->awaited = true;
    command->number = buffer->num_commands;
    buffer->commands[buffer->num_commands++] = command;
    if (barrier)
        buffer->barrier[queue] = buffer->num_commands;
    if (sync_point)
        *sync_point = buffer->num_commands;
    return CL_SUCCESS;
}

/* A kernel whose arguments are yet to be set by an update keeps the buffer from being executed. */
enum ocl_buffer_state ocl_command_buffer_state(ocl_buffer_handle buffer)
{
    if (!buffer->finalized)
        return OCL_RECORDING;
    for (uint32_t i = 0; buffer->flags & OCL_MUTABLE && i < buffer->num_commands; i++) {
        const struct ocl_recorded *command = buffer->commands[i];
        if (command->snapshot && command->fields & OCL_MUTABLE_ARGUMENTS && !args_are_set(command->snapshot))
            return OCL_FINALIZED;
    }
    return OCL_EXECUTABLE;
}

/* ---- enqueueing: each ends or fails the part ---- */

static cl_int copy_buffer(struct ocl_command *part, const struct ocl_recorded *command)
{
    struct vkb_buffer *src, *dst;
    uint64_t from, to;
    struct vkb_rect rect = command->rect;
    cl_int error = ocl_command_use(part, command->mems[0], false, &src, &from);
    if (error == CL_SUCCESS)
        error = ocl_command_use(part, command->mems[1], true, &dst, &to);
    if (error != CL_SUCCESS)
        return ocl_command_fail(part, error);
    struct vkb_enqueue enqueue = ocl_command_enqueue(part);
    rect.src_offset += from;
    rect.dst_offset += to;
    if (command->type == CL_COMMAND_COPY_BUFFER)
        return ocl_command_end(part, vkb_cmd_copy(&enqueue, src, rect.src_offset, dst, rect.dst_offset, rect.width),
                               false);
    return ocl_command_end(part, vkb_cmd_copy_rect(&enqueue, src, dst, &rect), false);
}

static cl_int fill_buffer(struct ocl_command *part, const struct ocl_recorded *command)
{
    struct vkb_buffer *dst;
    uint64_t to;
    cl_int error = ocl_command_use(part, command->mems[0], true, &dst, &to);
    if (error != CL_SUCCESS)
        return ocl_command_fail(part, error);
    struct vkb_enqueue enqueue = ocl_command_enqueue(part);
    return ocl_command_end(part,
                           vkb_cmd_fill(&enqueue, dst, to + command->rect.dst_offset, command->rect.width,
                                        command->pattern, (uint32_t)command->pattern_size),
                           false);
}

static cl_int fill_image(struct ocl_command *part, const struct ocl_recorded *command)
{
    struct ocl_texels texels;
    cl_int error = ocl_command_use_texels(part, command->mems[0], true, &texels);
    if (error != CL_SUCCESS)
        return ocl_command_fail(part, error);
    texels.level = command->dst_place.level;
    enum vkb_result result =
        ocl_texels_fill(part, &texels, command->dst_place.origin, command->region, command->pattern);
    return ocl_command_end(part, result, false);
}

/* Of a buffer that an image is copied from or to: packed texels. */
static cl_int use_packed(struct ocl_command *part, const struct ocl_recorded *command, cl_mem mem, size_t offset,
                         const struct ocl_format *format, bool writes, struct ocl_texels *texels)
{
    *texels = (struct ocl_texels){.bits = format->bits};
    cl_int error = ocl_command_use(part, mem, writes, &texels->buffer, &texels->offset);
    texels->offset += offset;
    texels->pitch[0] = ocl_format_row(format, command->region[0]);
    texels->pitch[1] = texels->pitch[0] * command->region[1];
    texels->chroma = format->conversion == OCL_NV12 ? texels->pitch[1] : 0;
    return error;
}

static cl_int copy_image(struct ocl_command *part, const struct ocl_recorded *command)
{
    static const size_t zero[3] = {0, 0, 0};
    cl_mem src = command->mems[0], dst = command->mems[1];
    struct ocl_texels from, to;
    const struct ocl_format *format = &(src->image ? src : dst)->image->format;
    cl_int error = src->image ? ocl_command_use_texels(part, src, false, &from)
                              : use_packed(part, command, src, command->rect.src_offset, format, false, &from);
    if (error == CL_SUCCESS)
        error = dst->image ? ocl_command_use_texels(part, dst, true, &to)
                           : use_packed(part, command, dst, command->rect.dst_offset, format, true, &to);
    if (error != CL_SUCCESS)
        return ocl_command_fail(part, error);
    from.level = command->src_place.level;
    to.level = command->dst_place.level;
    enum vkb_result result = ocl_texels_copy(part, &from, src->image ? command->src_place.origin : zero, &to,
                                             dst->image ? command->dst_place.origin : zero, command->region);
    return ocl_command_end(part, result, false);
}

static cl_int barrier(struct ocl_command *part)
{
    struct vkb_enqueue enqueue = ocl_command_enqueue(part);
    if (!part->num_waits)
        return ocl_command_end(part, ocl_command_nothing(part), false);
    return ocl_command_end(part, vkb_cmd_marker(&enqueue, false), false);
}

cl_int ocl_recorded_enqueue(struct ocl_command *part, struct ocl_recorded *command)
{
    switch (command->type) {
    case CL_COMMAND_NDRANGE_KERNEL:
        return ocl_launch(part, command->snapshot, &command->range);
    case CL_COMMAND_COPY_BUFFER:
    case CL_COMMAND_COPY_BUFFER_RECT:
        return copy_buffer(part, command);
    case CL_COMMAND_FILL_BUFFER:
        return fill_buffer(part, command);
    case CL_COMMAND_FILL_IMAGE:
        return fill_image(part, command);
    case CL_COMMAND_COPY_IMAGE:
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
        return copy_image(part, command);
    case CL_COMMAND_SVM_MEMCPY:
        return ocl_pointer_copy_as(part, command->dst, command->src, command->size, false);
    case CL_COMMAND_SVM_MEMFILL:
        return ocl_pointer_fill_as(part, command->dst, command->pattern, command->pattern_size, command->size, false);
    default:
        return barrier(part);
    }
}

/* One enqueueing of a buffer. */
struct run {
    const char *function;
    ocl_buffer_handle buffer;
    const cl_command_queue *queues;
    struct ocl_command whole;
    struct vkb_event *start; /* with a profile: what all parts wait for */
    struct ocl_kept *kept;   /* per command */
    bool ordered;            /* one in-order queue: nothing of the buffer needs an event */
    bool begun;              /* some of its commands are in the queue, and cannot be taken back */
};

/* What the whole waits for, or the marker behind that. */
static cl_int wait_for_start(const struct run *run, struct ocl_command *part)
{
    if (run->start)
        return ocl_command_wait_for(part, vkb_event_retain(run->start));
    for (uint32_t i = 0; i < run->whole.num_waits; i++) {
        cl_int error = ocl_command_wait_for(part, vkb_event_retain(run->whole.waits[i]));
        if (error != CL_SUCCESS)
            return error;
    }
    return CL_SUCCESS;
}

static cl_int run_command(struct run *run, uint32_t number)
{
    struct ocl_recorded *command = run->buffer->commands[number];
    const struct ocl_call call = {
        .function = run->function, .queue = run->queues[command->queue], .type = command->type};
    struct ocl_command part;
    cl_int error = ocl_command_begin(&part, &call);
    if (error != CL_SUCCESS)
        return error;
    error = wait_for_start(run, &part);
    for (uint32_t i = 0; i < command->num_waits && !run->ordered && error == CL_SUCCESS; i++)
        error = ocl_command_wait_for(&part, vkb_event_retain(run->kept[command->waits[i]].done));
    if (error != CL_SUCCESS)
        return ocl_command_fail(&part, error);
    part.want_event |= !run->ordered;
    part.kept = &run->kept[number];
    error = ocl_recorded_enqueue(&part, command);
    run->begun |= error == CL_SUCCESS;
    return error;
}

/* The time at which the whole starts is that of a marker in front. */
static cl_int run_start(struct run *run)
{
    const struct ocl_call call = {
        .function = run->function, .queue = run->queues[0], .type = OCL_COMMAND_COMMAND_BUFFER};
    struct ocl_command part;
    struct ocl_kept kept = {NULL, NULL, NULL};
    cl_int error = ocl_command_begin(&part, &call);
    if (error != CL_SUCCESS)
        return error;
    error = wait_for_start(run, &part);
    if (error != CL_SUCCESS)
        return ocl_command_fail(&part, error);
    part.want_event = true;
    part.kept = &kept;
    error = ocl_command_end(&part, ocl_command_nothing(&part), false);
    run->start = kept.done;
    return error;
}

/* result: of the whole's last command. */
static cl_int end_whole(struct run *run, enum vkb_result result, struct ocl_kept *kept)
{
    ocl_buffer_handle buffer = run->buffer;
    run->whole.kept = kept;
    cl_int error = ocl_command_end(&run->whole, result, false);
    if (error != CL_SUCCESS)
        return error;
    if (buffer->done)
        vkb_event_release(buffer->done);
    buffer->done = kept->done;
    vkb_event_release(kept->first);
    vkb_event_release(kept->last);
    return CL_SUCCESS;
}

static int32_t give_status(void *data, bool runs)
{
    (void)runs;
    return (int32_t)(intptr_t)data;
}

/* A call that answers with an error has enqueued nothing. So where a part cannot be enqueued and others are in the queue
 * already, the whole is a command that failed: its event ends with the error when those parts have ended, and the queue
 * has failed as with a submission that was lost, so that a program without the event learns it. */
static cl_int end_badly(struct run *run, cl_int error)
{
    struct ocl_command *whole = &run->whole;
    struct ocl_kept kept = {NULL, NULL, NULL};
    enum vkb_result failure = error == CL_OUT_OF_HOST_MEMORY              ? VKB_OUT_OF_HOST_MEMORY
                              : error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? VKB_OUT_OF_DEVICE_MEMORY
                                                                          : VKB_PIPELINE_FAILED;
    if (!run->begun)
        return ocl_command_fail(whole, error);
    cl_int waited = CL_SUCCESS;
    for (uint32_t i = 0; i < run->buffer->num_commands && waited == CL_SUCCESS; i++) {
        if (run->kept[i].done)
            waited = ocl_command_wait_for(whole, vkb_event_retain(run->kept[i].done));
    }
    whole->want_event = true;
    struct vkb_enqueue enqueue = ocl_command_enqueue(whole);
    enum vkb_result result = waited == CL_SUCCESS ? vkb_cmd_host_status(&enqueue, give_status, (void *)(intptr_t)error)
                                                  : VKB_OUT_OF_HOST_MEMORY;
    vkb_queue_fail(whole->queue->vk, failure);
    return end_whole(run, result, &kept);
}

static cl_int run_end(struct run *run)
{
    ocl_buffer_handle buffer = run->buffer;
    struct ocl_command *whole = &run->whole;
    struct ocl_kept kept = {NULL, NULL, NULL};
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < buffer->num_commands && !run->ordered && error == CL_SUCCESS; i++) {
        if (!buffer->commands[i]->awaited)
            error = ocl_command_wait_for(whole, vkb_event_retain(run->kept[i].done));
    }
    if (error != CL_SUCCESS)
        return end_badly(run, error);
    if (run->start)
        whole->first = vkb_event_retain(run->start);
    whole->want_event = true;
    enum vkb_result result = ocl_command_nothing(whole);
    if (result != VKB_SUCCESS)
        return end_badly(run, ocl_from_vkb(result));
    return end_whole(run, result, &kept);
}

/* The recordings are the steps of one command, whose events and profile are the whole's. What they write is not told to
 * each object, so all that may have changed has. Pieces without recording are there in an in-order queue only: a marker
 * behind the last piece is the end of the whole. */
static cl_int replay(struct run *run)
{
    ocl_buffer_handle buffer = run->buffer;
    struct ocl_kept kept = {NULL, NULL, NULL};
    enum vkb_result result = VKB_SUCCESS;
    struct vkb_enqueue enqueue;
    bool mixed = false;
    ocl_command_writes_any(&run->whole);
    for (uint32_t i = 0; i < buffer->num_pieces && result == VKB_SUCCESS; i++) {
        const struct ocl_piece *piece = &buffer->pieces[i];
        for (uint32_t k = piece->begin; k < piece->end && !piece->recording; k++) {
            cl_int error = run_command(run, k);
            if (error != CL_SUCCESS)
                return end_badly(run, error);
            mixed = true;
        }
        if (piece->recording)
            result = ocl_command_step(&run->whole, &enqueue);
        if (piece->recording && result == VKB_SUCCESS)
            result = vkb_cmd_replay(&enqueue, piece->recording);
        run->begun |= piece->recording && result == VKB_SUCCESS;
    }
    if (mixed && result == VKB_SUCCESS)
        result = ocl_command_step(&run->whole, &enqueue);
    if (mixed && result == VKB_SUCCESS)
        result = vkb_cmd_marker(&enqueue, false);
    if (result != VKB_SUCCESS)
        return end_badly(run, ocl_from_vkb(result));
    return end_whole(run, result, &kept);
}

static bool in_order(cl_command_queue queue)
{
    return !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* Without CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR one enqueueing begins when the one before has ended. Where both are in
 * one in-order queue that is so anyhow. */
static cl_int wait_for_last(struct run *run)
{
    ocl_buffer_handle buffer = run->buffer;
    if (!buffer->done || buffer->flags & OCL_SIMULTANEOUS_USE || vkb_event_ask(buffer->done) <= VKB_COMPLETE)
        return CL_SUCCESS;
    if (run->ordered && run->queues == buffer->queues && !buffer->done_elsewhere)
        return CL_SUCCESS;
    return ocl_command_wait_for(&run->whole, vkb_event_retain(buffer->done));
}

cl_int ocl_command_buffer_enqueue(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    struct run run = {.function = function, .buffer = buffer, .queues = queues};
    run.ordered = buffer->num_queues == 1 && in_order(queues[0]);
    const struct ocl_call call = {function, queues[0], OCL_COMMAND_COMMAND_BUFFER, num_waits, waits, event, false};
    cl_int error = ocl_command_begin(&run.whole, &call);
    if (error != CL_SUCCESS)
        return error;
    bool replays = false, timed = event && queues[0]->flags & CL_QUEUE_PROFILING_ENABLE;
    run.kept = calloc(buffer->num_commands + 1, sizeof(run.kept[0]));
    error = run.kept ? wait_for_last(&run) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = ocl_command_buffer_prepare(function, buffer, queues, run.ordered && !timed, &replays);
    if (error == CL_SUCCESS && !replays && timed)
        error = run_start(&run);
    for (uint32_t i = 0; i < buffer->num_commands && !replays && error == CL_SUCCESS; i++)
        error = run_command(&run, i);
    if (error == CL_SUCCESS)
        error = replays ? replay(&run) : run_end(&run);
    else
        error = end_badly(&run, error);
    if (error == CL_SUCCESS)
        buffer->done_elsewhere = queues != buffer->queues;
    for (uint32_t i = 0; run.kept && i < buffer->num_commands; i++) {
        vkb_event_release(run.kept[i].done);
        vkb_event_release(run.kept[i].first);
        vkb_event_release(run.kept[i].last);
    }
    vkb_event_release(run.start);
    free(run.kept);
    return error;
}

/* ---- remapping ---- */

static cl_int check_device(const struct ocl_recorded *command, cl_command_queue queue, struct ocl_range *range)
{
    for (uint32_t i = 0; i < command->num_mems; i++) {
        if (command->mems[i]->image && !queue->device->images)
            return CL_INVALID_OPERATION;
    }
    if (!command->snapshot)
        return CL_SUCCESS;
    size_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = (size_t)range->offset[i];
        global[i] = (size_t)range->global[i];
        local[i] = range->local[i];
    }
    const struct ocl_range_args args = {
        "clRemapCommandBufferKHR",          queue, command->snapshot, range->dims, offset, range->empty ? NULL : global,
        command->local_given ? local : NULL};
    return ocl_range_check(&args, true, range);
}

static cl_int copy_command(ocl_buffer_handle to, const struct ocl_recorded *from, const cl_uint *map)
{
    struct ocl_recorded *command = ocl_recorded_allocate(from->type);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct ocl_object object = command->object;
    *command = *from;
    command->object = object;
    command->buffer = to;
    command->number = to->num_commands;
    command->queue = map[from->queue];
    command->mems = NULL;
    command->num_mems = 0;
    command->kernel = command->snapshot = NULL;
    command->waits = malloc(from->num_waits * sizeof(from->waits[0]) + 1);
    command->properties = malloc(from->num_properties * sizeof(from->properties[0]) + 1);
    cl_int error = command->waits && command->properties ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS) {
        memcpy(command->waits, from->waits, from->num_waits * sizeof(from->waits[0]));
        if (from->num_properties)
            memcpy(command->properties, from->properties, from->num_properties * sizeof(from->properties[0]));
    }
    if (from->snapshot && error == CL_SUCCESS) {
        cl_kernel clone;
        error = ocl_kernel_clone(from->snapshot, &clone);
        if (error == CL_SUCCESS && (error = ocl_recorded_set_kernel(command, clone)) != CL_SUCCESS)
            ocl_kernel_release(clone);
        command->kernel = from->kernel;
        ocl_kernel_retain(from->kernel);
    }
    for (uint32_t i = 0; !from->snapshot && i < from->num_mems && error == CL_SUCCESS; i++)
        error = ocl_recorded_use(command, from->mems[i]) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = check_device(command, to->queues[command->queue], &command->range);
    to->commands[to->num_commands++] = command; /* also what is incomplete: it is destroyed with the buffer */
    return error;
}

/* For what will be recorded from here on. Where several queues became one, the last barrier of one of them is none for
 * the commands of the others, so a new one takes their place. */
static cl_int keep_barriers(ocl_buffer_handle from, ocl_buffer_handle to, const cl_uint *map)
{
    for (cl_uint i = 0; i < to->num_queues; i++) {
        uint32_t last = 0, first = UINT32_MAX;
        for (cl_uint k = 0; k < from->num_queues; k++) {
            if (map[k] != i)
                continue;
            last = from->barrier[k] > last ? from->barrier[k] : last;
            first = from->barrier[k] < first ? from->barrier[k] : first;
        }
        to->barrier[i] = last;
        if (last <= first)
            continue;
        to->barrier[i] = first;
        struct ocl_recorded *barrier = ocl_recorded_allocate(CL_COMMAND_BARRIER);
        cl_int error = barrier ? ocl_command_buffer_add(to, barrier, i, 0, NULL, true, NULL) : CL_OUT_OF_HOST_MEMORY;
        if (error != CL_SUCCESS) {
            ocl_recorded_destroy(barrier);
            return error;
        }
    }
    return CL_SUCCESS;
}

cl_int ocl_command_buffer_remap(ocl_buffer_handle buffer, cl_uint num_queues, const cl_command_queue *queues,
                                const cl_uint *map, ocl_buffer_handle *remapped)
{
    ocl_buffer_handle to =
        ocl_command_buffer_create(buffer->context, num_queues, queues, buffer->properties, buffer->num_properties);
    if (!to)
        return CL_OUT_OF_HOST_MEMORY;
    to->flags = buffer->flags;
    to->asserts = buffer->asserts;
    to->finalized = buffer->finalized;
    to->commands = malloc((buffer->num_commands + 1) * sizeof(to->commands[0]));
    to->capacity = to->commands ? buffer->num_commands + 1 : 0;
    cl_int error = to->commands ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < buffer->num_commands && error == CL_SUCCESS; i++)
        error = copy_command(to, buffer->commands[i], map);
    if (error == CL_SUCCESS && !to->finalized)
        error = keep_barriers(buffer, to, map);
    *remapped = to;
    return error;
}
