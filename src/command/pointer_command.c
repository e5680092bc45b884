/* Copies and fills between memory that is known by its address. If a side is an allocation of the context, the device
 * moves the bytes. It may also be memory of the host that Pumice knows nothing of. Then the transfer is a read or a
 * write of a buffer or, if both sides are, work of the host at its place in the queue.
 *
 * Maps and unmaps cost nothing but their place in the queue, except for memory with a shadow: there the map reads the
 * device's bytes, and the unmap of what was mapped for writing writes them back. */
#include "src/command/pointer_command.h"

#include "src/command/command.h"
#include "src/object/context.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include <stdlib.h>
#include <string.h>

cl_int ocl_pointer_check(const struct ocl_call *call)
{
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, call->function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    return ocl_check_waits(call->function, call->queue->context, call->num_waits, call->waits);
}

static bool find(cl_command_queue queue, const void *pointer, struct ocl_place *place)
{
    place->buffer = NULL;
    return ocl_pointer_find(queue->context, (uintptr_t)pointer, queue->device_index, place);
}

/* ---- work of the host ---- */

struct host_work {
    void *dst;
    const void *src;
    size_t size, pattern_size; /* pattern_size 0: a copy */
    uint8_t pattern[128];
};

static void do_host_work(void *data, bool run)
{
    struct host_work *work = data;
    if (run && !work->pattern_size)
        memmove(work->dst, work->src, work->size);
    for (size_t at = 0; run && work->pattern_size && at < work->size; at += work->pattern_size)
        memcpy((char *)work->dst + at, work->pattern, work->pattern_size);
    free(work);
}

static enum vkb_result enqueue_host_work(const struct vkb_enqueue *enqueue, const struct host_work *work)
{
    struct host_work *copy = malloc(sizeof(*copy));
    if (!copy)
        return VKB_OUT_OF_HOST_MEMORY;
    *copy = *work;
    enum vkb_result result = vkb_cmd_host(enqueue, do_host_work, copy);
    if (result != VKB_SUCCESS)
        free(copy);
    return result;
}

/* ---- copies ---- */

static bool overlap(const void *a, const void *b, size_t size)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < size : x - y < size;
}

static enum vkb_result copy(const struct vkb_enqueue *enqueue, const struct ocl_place *dst, void *to,
                            const struct ocl_place *src, const void *from, size_t size)
{
    if (dst->buffer && src->buffer)
        return vkb_cmd_copy(enqueue, src->buffer, src->offset, dst->buffer, dst->offset, size);
    if (dst->buffer)
        return vkb_cmd_write(enqueue, dst->buffer, dst->offset, size, from, true);
    if (src->buffer)
        return vkb_cmd_read(enqueue, src->buffer, src->offset, size, to);
    return enqueue_host_work(enqueue, &(struct host_work){.dst = to, .src = from, .size = size});
}

cl_int ocl_pointer_check_copy(const struct ocl_call *call, const void *dst, const void *src, size_t size)
{
    cl_int error = ocl_pointer_check(call);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = call->queue->context;
    if (size && (!dst || !src))
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "a pointer is NULL");
    if (overlap(dst, src, size))
        return ocl_fail(context, call->function, CL_MEM_COPY_OVERLAP, "source and destination overlap");
    struct ocl_place to, from;
    bool to_known = find(call->queue, dst, &to), from_known = find(call->queue, src, &from);
    if ((to_known && to.left < size) || (from_known && from.left < size))
        error = ocl_fail(context, call->function, CL_INVALID_VALUE, "%zu bytes reach beyond an allocation", size);
    vkb_buffer_release(to.buffer);
    vkb_buffer_release(from.buffer);
    return error;
}

cl_int ocl_pointer_copy_as(struct ocl_command *command, void *dst, const void *src, size_t size, bool blocking)
{
    struct ocl_place to, from;
    find(command->queue, dst, &to);
    find(command->queue, src, &from);
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    enum vkb_result result = size ? copy(&enqueue, &to, dst, &from, src, size) : ocl_command_nothing(command);
    cl_int error = ocl_command_end(command, result, blocking);
    vkb_buffer_release(to.buffer);
    vkb_buffer_release(from.buffer);
    return error;
}

cl_int ocl_pointer_copy(const struct ocl_call *call, void *dst, const void *src, size_t size)
{
    struct ocl_command command;
    cl_int error = ocl_pointer_check_copy(call, dst, src, size);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    return error == CL_SUCCESS ? ocl_pointer_copy_as(&command, dst, src, size, call->blocking) : error;
}

/* ---- fills ---- */

cl_int ocl_pointer_check_fill(const struct ocl_call *call, const void *dst, const void *pattern, size_t pattern_size,
                              size_t size)
{
    cl_int error = ocl_pointer_check(call);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = call->queue->context;
    if (!pattern || pattern_size == 0 || pattern_size > 128 || pattern_size & (pattern_size - 1))
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "no pattern, or one of %zu bytes", pattern_size);
    if ((!dst && size) || (uintptr_t)dst % pattern_size || size % pattern_size)
        return ocl_fail(context, call->function, CL_INVALID_VALUE,
                        "the memory is NULL, or it or its size is no multiple of %zu bytes", pattern_size);
    struct ocl_place to;
    if (find(call->queue, dst, &to) && to.left < size)
        error = ocl_fail(context, call->function, CL_INVALID_VALUE, "%zu bytes reach beyond the allocation", size);
    vkb_buffer_release(to.buffer);
    return error;
}

static enum vkb_result fill(struct ocl_command *command, const struct ocl_place *to, void *dst, const void *pattern,
                            size_t pattern_size, size_t size)
{
    if (!size)
        return ocl_command_nothing(command);
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    if (to->buffer)
        return vkb_cmd_fill(&enqueue, to->buffer, to->offset, size, pattern, (uint32_t)pattern_size);
    struct host_work work = {.dst = dst, .size = size, .pattern_size = pattern_size};
    memcpy(work.pattern, pattern, pattern_size);
    return enqueue_host_work(&enqueue, &work);
}

cl_int ocl_pointer_fill_as(struct ocl_command *command, void *dst, const void *pattern, size_t pattern_size,
                           size_t size, bool blocking)
{
    struct ocl_place to;
    find(command->queue, dst, &to);
    cl_int error = ocl_command_end(command, fill(command, &to, dst, pattern, pattern_size, size), blocking);
    vkb_buffer_release(to.buffer);
    return error;
}

cl_int ocl_pointer_fill(const struct ocl_call *call, void *dst, const void *pattern, size_t pattern_size, size_t size)
{
    struct ocl_command command;
    cl_int error = ocl_pointer_check_fill(call, dst, pattern, pattern_size, size);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    return error == CL_SUCCESS ? ocl_pointer_fill_as(&command, dst, pattern, pattern_size, size, call->blocking)
                               : error;
}

cl_int ocl_pointer_nothing(const struct ocl_call *call)
{
    struct ocl_command command;
    cl_int error = ocl_command_begin(&command, call);
    return error == CL_SUCCESS ? ocl_command_end(&command, ocl_command_nothing(&command), call->blocking) : error;
}

/* ---- maps ---- */

/* Nothing is to be copied. What the host writes at its place counts as written from here on, where that is noted. */
static cl_int open_place(const struct ocl_call *call, cl_map_flags flags, const struct ocl_place *place, size_t size)
{
    struct ocl_command command;
    bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    cl_int error = ocl_command_begin(&command, call);
    if (error == CL_SUCCESS) {
        struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
        bool noted = writes && place->buffer && vkb_buffer_written(place->buffer);
        enum vkb_result result =
            noted ? vkb_cmd_written(&enqueue, place->buffer, place->offset, size) : ocl_command_nothing(&command);
        error = ocl_command_end(&command, result, call->blocking);
    }
    vkb_buffer_release(place->buffer);
    return error;
}

cl_int ocl_pointer_map(const struct ocl_call *call, cl_map_flags flags, void *pointer, size_t size)
{
    struct ocl_place place;
    bool known = find(call->queue, pointer, &place);
    if (!known || !place.shadowed || !place.buffer)
        return open_place(call, flags, &place, size);
    cl_context context = call->queue->context;
    struct ocl_pointer_map *map = malloc(sizeof(*map));
    struct ocl_command command;
    cl_int error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS || !map) {
        free(map);
        vkb_buffer_release(place.buffer);
        return error == CL_SUCCESS ? ocl_command_fail(&command, CL_OUT_OF_HOST_MEMORY) : error;
    }
    *map = (struct ocl_pointer_map){
        .start = (uintptr_t)pointer, .size = size, .writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)};
    /* Known before it is enqueued: another thread may unmap as soon as the event says so, and frees it. */
    if (!ocl_pointer_remember_map(context, map)) {
        free(map); /* the memory was freed meanwhile, which the application must not do */
        map = NULL;
    }
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    enum vkb_result result = flags & CL_MAP_WRITE_INVALIDATE_REGION
                                 ? ocl_command_nothing(&command)
                                 : vkb_cmd_read(&enqueue, place.buffer, place.offset, size, pointer);
    error = ocl_command_end(&command, result, call->blocking);
    if (error != CL_SUCCESS && map)
        free(ocl_pointer_forget_map(context, map, pointer));
    vkb_buffer_release(place.buffer);
    return error;
}

cl_int ocl_pointer_unmap(const struct ocl_call *call, void *pointer)
{
    struct ocl_place place = {.buffer = NULL};
    cl_context context = call->queue->context;
    struct ocl_pointer_map *map = ocl_pointer_forget_map(context, NULL, pointer);
    if (!map)
        return ocl_pointer_nothing(call);
    struct ocl_command command;
    cl_int error = ocl_command_begin(&command, call);
    if (error == CL_SUCCESS) {
        bool writes = map->writes && find(call->queue, pointer, &place) && place.buffer && map->size <= place.left;
        struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
        enum vkb_result result = writes ? vkb_cmd_write(&enqueue, place.buffer, place.offset, map->size, pointer, true)
                                        : ocl_command_nothing(&command);
        if (result == VKB_SUCCESS) {
            free(map);
            map = NULL;
        }
        error = ocl_command_end(&command, result, false);
    }
    /* What could not be enqueued is still mapped. */
    if (map && !ocl_pointer_remember_map(context, map))
        free(map);
    vkb_buffer_release(place.buffer);
    return error;
}
