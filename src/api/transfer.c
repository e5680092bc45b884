/* Entry points of OpenCL 3.0 API, 5.2.2 (reading, writing, copying) and 5.2.3 (filling buffers). */
#include "src/api/memory.h"
#include "src/api/transfer.h"
#include "src/command/command.h"
#include "src/device/object.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

#include "base/util.h"

bool ocl_may_take(const struct ocl_call *call, const void *ptr, uint64_t bytes, uint64_t span)
{
    return call->blocking && !call->num_waits && bytes <= TAKEN_AT_ONCE &&
           !vkb_queue_brings(call->queue->vk, ptr, span);
}

static cl_int check_buffer(const char *function, cl_command_queue queue, cl_mem buffer)
{
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    if (!ocl_is_buffer(buffer))
        return ocl_fail(queue->context, function, CL_INVALID_MEM_OBJECT, "not a buffer");
    if (buffer->context != queue->context)
        return ocl_fail(queue->context, function, CL_INVALID_CONTEXT, "queue and buffer are of different contexts");
    return CL_SUCCESS;
}

static cl_int check_region(const char *function, cl_mem buffer, size_t offset, size_t size)
{
    if (size == 0 || offset > buffer->size || size > buffer->size - offset)
        return ocl_fail(buffer->context, function, CL_INVALID_VALUE, "region %zu+%zu is not within %zu bytes", offset,
                        size, buffer->size);
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.2.2: CL_INVALID_OPERATION where a read meets CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS, and a
 * write CL_MEM_HOST_READ_ONLY or the latter. */
static cl_int check_host_access(const char *function, cl_mem buffer, cl_mem_flags forbidden)
{
    if (buffer->flags & forbidden)
        return ocl_fail(buffer->context, function, CL_INVALID_OPERATION,
                        "the buffer's flags forbid the host this access");
    return CL_SUCCESS;
}

static cl_int check_host_transfer(const struct ocl_call *call, cl_mem buffer, size_t offset, size_t size,
                                  const void *ptr, cl_mem_flags forbidden)
{
    cl_int error = check_buffer(call->function, call->queue, buffer);
    if (error == CL_SUCCESS)
        error = check_region(call->function, buffer, offset, size);
    if (error == CL_SUCCESS && !ptr)
        error = ocl_fail(buffer->context, call->function, CL_INVALID_VALUE, "ptr is NULL");
    if (error == CL_SUCCESS)
        error = ocl_check_waits(call->function, buffer->context, call->num_waits, call->waits);
    return error == CL_SUCCESS ? check_host_access(call->function, buffer, forbidden) : error;
}

/* A buffer that the command uses: the memory, and the buffer's offset in it. */
struct use {
    cl_mem buffer;
    bool writes;
    bool leans; /* ocl_mem_lean() */
    struct vkb_buffer *memory;
    uint64_t origin;
};

/* Begins the command with the buffers that it uses. After a failure there is no command. */
static cl_int begin(struct ocl_command *command, const struct ocl_call *call, uint32_t num_uses, struct use *uses)
{
    cl_int error = ocl_command_begin(command, call);
    if (error != CL_SUCCESS)
        return error;
    for (uint32_t i = 0; i < num_uses && error == CL_SUCCESS; i++) {
        if (uses[i].leans)
            ocl_mem_lean(ocl_mem_root(uses[i].buffer));
        error = ocl_command_use(command, uses[i].buffer, uses[i].writes, &uses[i].memory, &uses[i].origin);
    }
    return error == CL_SUCCESS ? error : ocl_command_fail(command, error);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                                                    size_t offset, size_t size, void *ptr,
                                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                    cl_event *event)
{
    const struct ocl_call call = OCL_CALL(CL_COMMAND_READ_BUFFER, blocking_read);
    struct ocl_command command;
    struct use source = {.buffer = buffer};
    cl_int error = check_host_transfer(&call, buffer, offset, size, ptr, OCL_HOST_CANNOT_READ);
    if (error == CL_SUCCESS)
        error = begin(&command, &call, 1, &source);
    if (error != CL_SUCCESS)
        return error;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_read(&enqueue, source.memory, source.origin + offset, size, ptr),
                           blocking_read);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                                     size_t offset, size_t size, const void *ptr,
                                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                     cl_event *event)
{
    struct ocl_call call = OCL_CALL(CL_COMMAND_WRITE_BUFFER, blocking_write);
    struct ocl_command command;
    struct use target = {.buffer = buffer, .writes = true, .leans = true};
    cl_int error = check_host_transfer(&call, buffer, offset, size, ptr, OCL_HOST_CANNOT_WRITE);
    /* A small blocking write does not wait for the device: its bytes are copied now, so ptr may be reused at once. */
    bool take = error == CL_SUCCESS && ocl_may_take(&call, ptr, size, size);
    call.blocking = blocking_write && !take;
    if (error == CL_SUCCESS)
        error = begin(&command, &call, 1, &target);
    if (error != CL_SUCCESS)
        return error;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_write(&enqueue, target.memory, target.origin + offset, size, ptr, !take),
                           call.blocking);
}

cl_int ocl_check_copy(const char *function, cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                      size_t src_offset, size_t dst_offset, size_t size, cl_uint num_waits, const cl_event *waits)
{
    cl_int error = check_buffer(function, queue, src_buffer);
    if (error == CL_SUCCESS)
        error = check_buffer(function, queue, dst_buffer);
    if (error == CL_SUCCESS)
        error = ocl_check_waits(function, queue->context, num_waits, waits);
    if (error == CL_SUCCESS)
        error = check_region(function, src_buffer, src_offset, size);
    if (error == CL_SUCCESS)
        error = check_region(function, dst_buffer, dst_offset, size);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_written(function, dst_buffer);
    if (error != CL_SUCCESS)
        return error;
    /* OpenCL 3.0 API, 5.2.2: CL_MEM_COPY_OVERLAP within one buffer or sub-buffer, and between different sub-buffers of
     * one buffer that overlap. So the places in the root are what is compared. */
    if (ocl_mem_root(src_buffer) == ocl_mem_root(dst_buffer)) {
        size_t from = src_buffer->origin + src_offset, to = dst_buffer->origin + dst_offset;
        if (from < to + size && to < from + size)
            return ocl_fail(queue->context, function, CL_MEM_COPY_OVERLAP, "%zu and %zu overlap over %zu bytes", from,
                            to, size);
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                                                    size_t src_offset, size_t dst_offset, size_t size,
                                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                    cl_event *event)
{
    cl_int error = ocl_check_copy(__func__, queue, src_buffer, dst_buffer, src_offset, dst_offset, size,
                                  num_events_in_wait_list, event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_COPY_BUFFER, false);
    struct ocl_command command;
    struct use uses[2] = {{.buffer = src_buffer}, {.buffer = dst_buffer, .writes = true}};
    error = begin(&command, &call, 2, uses);
    if (error != CL_SUCCESS)
        return error;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command,
                           vkb_cmd_copy(&enqueue, uses[0].memory, uses[0].origin + src_offset, uses[1].memory,
                                        uses[1].origin + dst_offset, size),
                           false);
}

cl_int ocl_check_fill(const char *function, cl_command_queue queue, cl_mem buffer, const void *pattern,
                      size_t pattern_size, size_t offset, size_t size, cl_uint num_waits, const cl_event *waits)
{
    cl_int error = check_buffer(function, queue, buffer);
    if (error == CL_SUCCESS)
        error = check_region(function, buffer, offset, size);
    /* OpenCL 3.0 API, 5.2.3: the pattern's size is one of 1, 2, 4, 8, 16, 32, 64 and 128, those of OpenCL C's types. */
    if (error == CL_SUCCESS && (!pattern || !is_power_of_two(pattern_size) || pattern_size > 128))
        error = ocl_fail(queue->context, function, CL_INVALID_VALUE, "a pattern of %zu bytes", pattern_size);
    if (error == CL_SUCCESS && (offset % pattern_size || size % pattern_size))
        error = ocl_fail(queue->context, function, CL_INVALID_VALUE,
                         "region %zu+%zu is no multiple of the pattern's %zu bytes", offset, size, pattern_size);
    if (error == CL_SUCCESS)
        error = ocl_check_waits(function, queue->context, num_waits, waits);
    return error == CL_SUCCESS ? ocl_mem_check_written(function, buffer) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                                    size_t pattern_size, size_t offset, size_t size,
                                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                    cl_event *event)
{
    cl_int error = ocl_check_fill(__func__, queue, buffer, pattern, pattern_size, offset, size, num_events_in_wait_list,
                                  event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_FILL_BUFFER, false);
    struct ocl_command command;
    struct use target = {.buffer = buffer, .writes = true, .leans = true};
    error = begin(&command, &call, 1, &target);
    if (error != CL_SUCCESS)
        return error;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(
        &command, vkb_cmd_fill(&enqueue, target.memory, target.origin + offset, size, pattern, (uint32_t)pattern_size),
        false);
}

/* ---- rectangles ---- */

struct side {
    uint64_t offset, row_pitch, slice_pitch; /* bytes */
    uint64_t end;                            /* behind the last byte touched */
};

/* OpenCL 3.0 API, 5.2.2: pitches of 0 mean tightly packed; others are at least the region's, and slices hold whole
 * rows. */
static bool rect_side(const size_t origin[3], const size_t region[3], size_t row_pitch, size_t slice_pitch,
                      struct side *side)
{
    uint64_t row = row_pitch ? row_pitch : region[0], rows = size_product(region[1], row);
    uint64_t slice = slice_pitch ? slice_pitch : rows;
    if (row < region[0] || slice < rows || (slice_pitch && slice % row))
        return false;
    uint64_t first = size_sum(size_product(origin[2], slice), size_product(origin[1], row));
    uint64_t last = size_sum(size_product(region[2] - 1, slice), size_product(region[1] - 1, row));
    side->offset = size_sum(first, origin[0]);
    side->end = size_sum(size_sum(side->offset, last), region[0]);
    side->row_pitch = row;
    side->slice_pitch = slice;
    return side->end != UINT64_MAX;
}

static bool region_is_empty(const size_t region[3])
{
    return !region[0] || !region[1] || !region[2];
}

static struct vkb_rect make_rect(const struct side *source, const struct side *target, const size_t region[3])
{
    return (struct vkb_rect){.src_offset = source->offset,
                             .src_row_pitch = source->row_pitch,
                             .src_slice_pitch = source->slice_pitch,
                             .dst_offset = target->offset,
                             .dst_row_pitch = target->row_pitch,
                             .dst_slice_pitch = target->slice_pitch,
                             .width = region[0],
                             .height = region[1],
                             .depth = region[2]};
}

/* Where reading and writing rectangles take place. */
struct host_rect {
    cl_mem buffer;
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch;
    const void *ptr;
};

#define HOST_RECT                                                                                                      \
    {                                                                                                                  \
        buffer, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch, host_row_pitch,              \
            host_slice_pitch, ptr                                                                                      \
    }

static cl_int check_host_rect(const struct ocl_call *call, const struct host_rect *r, cl_mem_flags forbidden,
                              struct side *in_buffer, struct side *in_host)
{
    cl_int error = check_buffer(call->function, call->queue, r->buffer);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = r->buffer->context;
    if (!r->buffer_origin || !r->host_origin || !r->region || region_is_empty(r->region))
        return ocl_fail(context, call->function, CL_INVALID_VALUE,
                        "an origin or the region is NULL, or the region empty");
    if (!r->ptr)
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "ptr is NULL");
    if (!rect_side(r->buffer_origin, r->region, r->buffer_row_pitch, r->buffer_slice_pitch, in_buffer) ||
        !rect_side(r->host_origin, r->region, r->host_row_pitch, r->host_slice_pitch, in_host))
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "a pitch does not go with the region");
    if (in_buffer->end > r->buffer->size)
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "the region ends at %llu of %zu bytes",
                        (unsigned long long)in_buffer->end, r->buffer->size);
    error = ocl_check_waits(call->function, context, call->num_waits, call->waits);
    return error == CL_SUCCESS ? check_host_access(call->function, r->buffer, forbidden) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                                                        const size_t *buffer_origin, const size_t *host_origin,
                                                        const size_t *region, size_t buffer_row_pitch,
                                                        size_t buffer_slice_pitch, size_t host_row_pitch,
                                                        size_t host_slice_pitch, void *ptr,
                                                        cl_uint num_events_in_wait_list,
                                                        const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_READ_BUFFER_RECT, blocking_read);
    const struct host_rect r = HOST_RECT;
    struct ocl_command command;
    struct side in_buffer = {0}, in_host = {0};
    struct use source = {.buffer = buffer};
    cl_int error = check_host_rect(&call, &r, OCL_HOST_CANNOT_READ, &in_buffer, &in_host);
    if (error == CL_SUCCESS)
        error = begin(&command, &call, 1, &source);
    if (error != CL_SUCCESS)
        return error;
    in_buffer.offset += source.origin;
    struct vkb_rect rect = make_rect(&in_buffer, &in_host, region);
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_read_rect(&enqueue, source.memory, ptr, &rect), blocking_read);
}

static bool may_take_rect(const struct ocl_call *call, const void *ptr, const struct side *host, const size_t *region)
{
    uint64_t bytes = size_product(size_product(region[0], region[1]), region[2]);
    return ocl_may_take(call, (const char *)ptr + host->offset, bytes, host->end - host->offset);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                                         const size_t *buffer_origin, const size_t *host_origin,
                                                         const size_t *region, size_t buffer_row_pitch,
                                                         size_t buffer_slice_pitch, size_t host_row_pitch,
                                                         size_t host_slice_pitch, const void *ptr,
                                                         cl_uint num_events_in_wait_list,
                                                         const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_WRITE_BUFFER_RECT, blocking_write);
    const struct host_rect r = HOST_RECT;
    struct ocl_command command;
    struct side in_buffer = {0}, in_host = {0};
    struct use target = {.buffer = buffer, .writes = true, .leans = true};
    cl_int error = check_host_rect(&call, &r, OCL_HOST_CANNOT_WRITE, &in_buffer, &in_host);
    bool take = error == CL_SUCCESS && may_take_rect(&call, ptr, &in_host, region);
    call.blocking = blocking_write && !take;
    if (error == CL_SUCCESS)
        error = begin(&command, &call, 1, &target);
    if (error != CL_SUCCESS)
        return error;
    in_buffer.offset += target.origin;
    struct vkb_rect rect = make_rect(&in_host, &in_buffer, region);
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_write_rect(&enqueue, target.memory, ptr, &rect, !take), call.blocking);
}

/* Whether the two rectangles may have a byte in common (with the same outcome as OpenCL 3.0 API, appendix C).
 *
 * With different pitches they count as overlapping as soon as their extents overlap. With equal pitches both lie in one
 * grid: the distance between their first bytes is a number of slices, rows and bytes, and they overlap where each of
 * the three is less than the region's. A row may run past the end of the pitch into the next one, so the nearest
 * neighbours are looked at in both directions. */
static bool rects_overlap(const struct side *a, const struct side *b, const size_t region[3])
{
    if (a->end <= b->offset || b->end <= a->offset)
        return false;
    if (a->row_pitch != b->row_pitch || a->slice_pitch != b->slice_pitch)
        return true;
    /* The pitch of a single row or slice may be any number. All that are greater than the buffers are the same. */
    uint64_t most = u64_max(a->end, b->end), row_pitch = u64_min(a->row_pitch, most);
    uint64_t slice_pitch = u64_min(a->slice_pitch, most);
    uint64_t distance = a->offset <= b->offset ? b->offset - a->offset : a->offset - b->offset;
    uint64_t dz = distance / slice_pitch, in_slice = distance % slice_pitch;
    /* In each dimension there are two near neighbours: one is the remainder ahead, the other one step further and then
     * back. */
    for (int step_z = 0; step_z < 2; step_z++) {
        int64_t left_y = (int64_t)in_slice - (step_z ? (int64_t)slice_pitch : 0);
        if (dz + (uint64_t)step_z >= region[2])
            continue;
        int64_t row = (int64_t)row_pitch, y = left_y / row, x = left_y % row;
        for (int step_y = -1; step_y < 2; step_y++) {
            int64_t rows = y + step_y, columns = x - step_y * row;
            uint64_t ry = (uint64_t)(rows < 0 ? -rows : rows), rx = (uint64_t)(columns < 0 ? -columns : columns);
            if (ry < region[1] && rx < region[0])
                return true;
        }
    }
    return false;
}

/* OpenCL 3.0 API, 5.2.2. The rectangle that comes out is in the roots of the buffers. */
cl_int ocl_check_copy_rect(const char *function, cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                           const struct ocl_copy_rect *r, cl_uint num_waits, const cl_event *waits,
                           struct vkb_rect *rect)
{
    cl_int error = check_buffer(function, queue, src_buffer);
    if (error == CL_SUCCESS)
        error = check_buffer(function, queue, dst_buffer);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = queue->context;
    struct side from, to;
    if (!r->src_origin || !r->dst_origin || !r->region || region_is_empty(r->region))
        return ocl_fail(context, function, CL_INVALID_VALUE, "an origin or the region is NULL, or the region empty");
    if (!rect_side(r->src_origin, r->region, r->src_row_pitch, r->src_slice_pitch, &from) ||
        !rect_side(r->dst_origin, r->region, r->dst_row_pitch, r->dst_slice_pitch, &to))
        return ocl_fail(context, function, CL_INVALID_VALUE, "a pitch does not go with the region");
    if (from.end > src_buffer->size || to.end > dst_buffer->size)
        return ocl_fail(context, function, CL_INVALID_VALUE, "the region reaches beyond a buffer");
    /* OpenCL 3.0 API, 5.2.2: CL_INVALID_VALUE where the buffers are the same and their pitches differ. */
    if (src_buffer == dst_buffer && (from.row_pitch != to.row_pitch || from.slice_pitch != to.slice_pitch))
        return ocl_fail(context, function, CL_INVALID_VALUE, "within one buffer the pitches must be equal");
    error = ocl_check_waits(function, context, num_waits, waits);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_written(function, dst_buffer);
    if (error != CL_SUCCESS)
        return error;
    from.offset += src_buffer->origin;
    from.end += src_buffer->origin;
    to.offset += dst_buffer->origin;
    to.end += dst_buffer->origin;
    if (ocl_mem_root(src_buffer) == ocl_mem_root(dst_buffer) && rects_overlap(&from, &to, r->region))
        return ocl_fail(context, function, CL_MEM_COPY_OVERLAP,
                        "source %llu and destination %llu overlap with pitches %llu and %llu",
                        (unsigned long long)from.offset, (unsigned long long)to.offset,
                        (unsigned long long)from.row_pitch, (unsigned long long)from.slice_pitch);
    *rect = make_rect(&from, &to, r->region);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                                                        const size_t *src_origin, const size_t *dst_origin,
                                                        const size_t *region, size_t src_row_pitch,
                                                        size_t src_slice_pitch, size_t dst_row_pitch,
                                                        size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
                                                        const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_copy_rect r = {src_origin,      dst_origin,    region,         src_row_pitch,
                                    src_slice_pitch, dst_row_pitch, dst_slice_pitch};
    struct vkb_rect rect;
    cl_int error = ocl_check_copy_rect(__func__, queue, src_buffer, dst_buffer, &r, num_events_in_wait_list,
                                       event_wait_list, &rect);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_COPY_BUFFER_RECT, false);
    struct ocl_command command;
    struct use uses[2] = {{.buffer = src_buffer}, {.buffer = dst_buffer, .writes = true}};
    error = begin(&command, &call, 2, uses);
    if (error != CL_SUCCESS)
        return error;
    rect.src_offset += uses[0].origin - src_buffer->origin;
    rect.dst_offset += uses[1].origin - dst_buffer->origin;
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    return ocl_command_end(&command, vkb_cmd_copy_rect(&enqueue, uses[0].memory, uses[1].memory, &rect), false);
}
