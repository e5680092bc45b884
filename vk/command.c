/* The commands of vk.h: each is put into a struct command and enqueued. What has no bytes or no grid is a marker. */
#include "vk/backend.h"

#include <string.h>

static enum vkb_result enqueue_nothing(const struct vkb_enqueue *enqueue)
{
    const struct command command = {.kind = COMMAND_MARKER};
    return vkb_enqueue(enqueue, &command);
}

static enum vkb_result enqueue_rect(const struct vkb_enqueue *enqueue, struct command *command)
{
    if (!command->rect.width || !command->rect.height || !command->rect.depth)
        return enqueue_nothing(enqueue);
    vkb_rect_normalise(&command->rect);
    return vkb_enqueue(enqueue, command);
}

enum vkb_result vkb_cmd_copy(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t src_offset,
                             struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size)
{
    if (size && src == dst && src_offset == dst_offset)
        return enqueue_nothing(enqueue);
    struct command command = {
        .kind = COMMAND_COPY,
        .src = src,
        .dst = dst,
        .rect = vkb_rect_bytes(src_offset, dst_offset, size),
    };
    return enqueue_rect(enqueue, &command);
}

enum vkb_result vkb_cmd_copy_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, struct vkb_buffer *dst,
                                  const struct vkb_rect *rect)
{
    struct command command = {.kind = COMMAND_COPY, .src = src, .dst = dst, .rect = *rect};
    return enqueue_rect(enqueue, &command);
}

enum vkb_result vkb_cmd_fill(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                             const void *pattern, uint32_t pattern_size)
{
    struct command command = {
        .kind = COMMAND_FILL,
        .dst = dst,
        .rect = vkb_rect_bytes(0, offset, size),
        .pattern_size = pattern_size,
    };
    if (!is_power_of_two(pattern_size) || pattern_size > sizeof(command.pattern))
        return VKB_UNSUPPORTED;
    memcpy(command.pattern, pattern, pattern_size);
    return enqueue_rect(enqueue, &command);
}

enum vkb_result vkb_cmd_write(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                              const void *data, bool data_stays_valid)
{
    const struct vkb_rect rect = vkb_rect_bytes(0, offset, size);
    return vkb_cmd_write_rect(enqueue, dst, data, &rect, data_stays_valid);
}

enum vkb_result vkb_cmd_read(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t offset, uint64_t size,
                             void *data)
{
    const struct vkb_rect rect = vkb_rect_bytes(offset, 0, size);
    return vkb_cmd_read_rect(enqueue, src, data, &rect);
}

enum vkb_result vkb_cmd_write_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, const void *data,
                                   const struct vkb_rect *rect, bool data_stays_valid)
{
    struct command command = {
        .kind = COMMAND_WRITE,
        .data_stays_valid = data_stays_valid,
        .dst = dst,
        .data = (void *)(uintptr_t)data, /* only read */
        .rect = *rect,
    };
    return enqueue_rect(enqueue, &command);
}

enum vkb_result vkb_cmd_read_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, void *data,
                                  const struct vkb_rect *rect)
{
    struct command command = {.kind = COMMAND_READ, .src = src, .data = data, .rect = *rect};
    return enqueue_rect(enqueue, &command);
}

enum vkb_result vkb_cmd_marker(const struct vkb_enqueue *enqueue, bool barrier)
{
    const struct command command = {.kind = COMMAND_MARKER, .all = enqueue->num_waits == 0, .barrier = barrier};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_host(const struct vkb_enqueue *enqueue, void (*call)(void *data), void *data)
{
    const struct command command = {.kind = COMMAND_HOST, .call = call, .data = data};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_dispatch(const struct vkb_enqueue *enqueue, const struct vkb_dispatch *dispatch)
{
    if (!dispatch->num_grids)
        return enqueue_nothing(enqueue);
    uint32_t push_size = vkb_shader_push_size(dispatch->shader);
    bool fits = dispatch->block_in_push_constants ? dispatch->block_size <= push_size : push_size >= sizeof(uint64_t);
    if (!fits ||
        (dispatch->group_base_offset >= 0 && (uint32_t)dispatch->group_base_offset + 12 > dispatch->block_size))
        return VKB_UNSUPPORTED;
    const struct command command = {.kind = COMMAND_DISPATCH, .dispatch = *dispatch};
    return vkb_enqueue(enqueue, &command);
}
