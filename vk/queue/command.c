/* The commands of vk.h: each is put into a struct command and enqueued. A command without bytes or without a grid
 * becomes a marker. */
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/queue/command.h"
#include "vk/queue/rect.h"
#include "vk/queue/written.h"
#include "vk/shader/shader.h"

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
    return vkb_is_noted(command) ? vkb_enqueue_noted(enqueue, command) : vkb_enqueue(enqueue, command);
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

/* ---- images ---- */

static bool is_inside(const struct vkb_image *image, uint32_t level, const uint32_t origin[3], const uint32_t extent[3])
{
    const struct vkb_image_info *info = &image->info;
    bool lines = info->kind == VKB_IMAGE_1D_ARRAY, planes = info->kind == VKB_IMAGE_2D_ARRAY;
    if (level && level >= info->levels)
        return false;
    const uint32_t size[3] = {vkb_level_size(info->width, level),
                              lines ? info->layers : vkb_level_size(info->height, level),
                              planes ? info->layers : vkb_level_size(info->depth, level)};
    for (int i = 0; i < 3; i++) {
        if (!extent[i] || origin[i] > size[i] || extent[i] > size[i] - origin[i])
            return false;
    }
    return !image->buffer;
}

static bool fits_buffer(const struct vkb_buffer *buffer, const struct vkb_image *image,
                        const struct vkb_image_region *region)
{
    const uint32_t *extent = region->extent;
    uint64_t rows = (uint64_t)(extent[2] - 1) * region->slice_rows + extent[1] - 1;
    uint64_t bytes = (rows * region->row_texels + extent[0]) * image->info.texel_size;
    return region->row_texels >= extent[0] && region->slice_rows >= extent[1] &&
           region->buffer_offset <= buffer->size && bytes <= buffer->size - region->buffer_offset &&
           region->buffer_offset % image->info.texel_size == 0 && region->buffer_offset % 4 == 0;
}

enum vkb_result vkb_cmd_buffer_to_image(const struct vkb_enqueue *enqueue, struct vkb_buffer *src,
                                        struct vkb_image *dst, const struct vkb_image_region *region)
{
    if (!is_inside(dst, region->level, region->origin, region->extent) || !fits_buffer(src, dst, region))
        return VKB_UNSUPPORTED;
    const struct command command = {.kind = COMMAND_IMAGE, .src = src, .dst_image = dst, .region = *region};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_image_to_buffer(const struct vkb_enqueue *enqueue, struct vkb_image *src,
                                        struct vkb_buffer *dst, const struct vkb_image_region *region)
{
    if (!is_inside(src, region->level, region->origin, region->extent) || !fits_buffer(dst, src, region))
        return VKB_UNSUPPORTED;
    const struct command command = {.kind = COMMAND_IMAGE, .src_image = src, .dst = dst, .region = *region};
    return vkb_is_noted(&command) ? vkb_enqueue_noted(enqueue, &command) : vkb_enqueue(enqueue, &command);
}

/* The rows that the region's texels are in the host's memory. */
static struct vkb_rect rect_of(const struct vkb_image *image, const struct vkb_image_region *region)
{
    uint64_t size = image->info.texel_size, row = region->row_texels * size, slice = row * region->slice_rows;
    return (struct vkb_rect){
        .width = region->extent[0] * size,
        .height = region->extent[1],
        .depth = region->extent[2],
        .src_row_pitch = row,
        .src_slice_pitch = slice,
        .dst_row_pitch = row,
        .dst_slice_pitch = slice,
    };
}

enum vkb_result vkb_cmd_read_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, void *data,
                                   const struct vkb_image_region *region)
{
    if (!src->host_copies || !is_inside(src, region->level, region->origin, region->extent))
        return VKB_UNSUPPORTED;
    struct command command = {.kind = COMMAND_READ, .src_image = src, .region = *region, .data = data};
    command.rect = rect_of(src, region);
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_write_image(const struct vkb_enqueue *enqueue, struct vkb_image *dst, const void *data,
                                    const struct vkb_image_region *region)
{
    if (!dst->host_copies || !is_inside(dst, region->level, region->origin, region->extent))
        return VKB_UNSUPPORTED;
    struct command command = {
        .kind = COMMAND_WRITE,
        .data_stays_valid = true,
        .dst_image = dst,
        .region = *region,
        .data = (void *)(uintptr_t)data, /* only read */
        .rect = rect_of(dst, region),
    };
    return vkb_enqueue(enqueue, &command);
}

static bool is_line(const struct vkb_image *image)
{
    return image->info.kind == VKB_IMAGE_1D || image->info.kind == VKB_IMAGE_1D_ARRAY;
}

enum vkb_result vkb_cmd_copy_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, struct vkb_image *dst,
                                   const struct vkb_image_region *region)
{
    if (!is_inside(src, region->level, region->origin, region->extent) ||
        !is_inside(dst, region->dst_level, region->dst_origin, region->extent) ||
        src->info.format != dst->info.format || is_line(src) != is_line(dst))
        return VKB_UNSUPPORTED;
    const struct command command = {.kind = COMMAND_IMAGE, .src_image = src, .dst_image = dst, .region = *region};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_marker(const struct vkb_enqueue *enqueue, bool barrier)
{
    const struct command command = {.kind = COMMAND_MARKER, .all = enqueue->num_waits == 0, .barrier = barrier};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_replay(const struct vkb_enqueue *enqueue, struct vkb_recording *recording)
{
    const struct command command = {.kind = COMMAND_REPLAY, .recording = recording};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_semaphore(const struct vkb_enqueue *enqueue, struct vkb_semaphore *semaphore, bool signals)
{
    const struct command command = {.kind = COMMAND_SEMAPHORE, .semaphore = semaphore, .signals = signals};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_ownership(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, struct vkb_image *image,
                                  bool acquire)
{
    const struct command command = {.kind = COMMAND_OWNERSHIP, .dst = buffer, .dst_image = image, .acquire = acquire};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_first_use(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, struct vkb_image *image)
{
    const struct command command = {.kind = COMMAND_FIRST_USE, .dst = buffer, .dst_image = image};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_host(const struct vkb_enqueue *enqueue, void (*call)(void *data, bool run), void *data)
{
    const struct command command = {.kind = COMMAND_HOST, .call = call, .data = data};
    return vkb_enqueue(enqueue, &command);
}

enum vkb_result vkb_cmd_host_status(const struct vkb_enqueue *enqueue, int32_t (*call)(void *data, bool run),
                                    void *data)
{
    const struct command command = {.kind = COMMAND_HOST, .status_call = call, .data = data};
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
