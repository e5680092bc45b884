/* Commands that write a buffer of which it is known what was written (memory/written.c): each comes behind one that notes
 * it. Copies take along what is known of their source. */
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/queue/queue.h"
#include "vk/queue/rect.h"
#include "vk/queue/written.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static const struct vkb_buffer *written_source(const struct command *command)
{
    return command->kind == COMMAND_COPY ? command->src->written : NULL;
}

static struct command fill(struct vkb_buffer *written, uint64_t offset, uint64_t size)
{
    return (struct command){.kind = COMMAND_FILL,
                            .dst = written,
                            .rect = vkb_rect_bytes(0, offset, size),
                            .pattern = {1},
                            .pattern_size = 1};
}

/* From its first byte to its last; texels that are no whole row apart leave gaps that count as written, too. */
static struct command fill_texels(const struct command *command)
{
    const struct vkb_image_region *region = &command->region;
    uint64_t rows = (uint64_t)(region->extent[2] - 1) * region->slice_rows + region->extent[1] - 1;
    uint64_t size = (rows * region->row_texels + region->extent[0]) * command->src_image->info.texel_size;
    return fill(command->dst->written, region->buffer_offset, size);
}

/* What the command does to the bytes that say what was written. *ones is to be freed. */
static struct command note_of(const struct vkb_enqueue *enqueue, const struct command *command, void **ones)
{
    struct vkb_buffer *written = command->dst->written;
    const struct vkb_rect *rect = &command->rect;
    uint64_t end = vkb_rect_dst_end(rect), total = vkb_rect_total(rect);
    *ones = NULL;
    if (command->kind == COMMAND_IMAGE)
        return fill_texels(command);
    if (written_source(command)) {
        struct command copy = *command;
        copy.src = command->src->written;
        copy.dst = written;
        return copy;
    }
    if (end - rect->dst_offset != total && !enqueue->recording)
        *ones = malloc(total);
    if (!*ones)
        return fill(written, rect->dst_offset, end - rect->dst_offset);
    memset(*ones, 1, total);
    struct command write = {.kind = COMMAND_WRITE, .dst = written, .data = *ones, .rect = *rect};
    write.rect.src_offset = 0;
    write.rect.src_row_pitch = rect->width;
    write.rect.src_slice_pitch = rect->width * rect->height;
    return write;
}

/* In an out-of-order queue the command waits for the note: what waits for the command then finds both. */
static enum vkb_result enqueue_behind(const struct vkb_enqueue *enqueue, const struct command *note,
                                      const struct command *command)
{
    struct vkb_enqueue first = *enqueue, second = *enqueue;
    struct vkb_event *noted = NULL;
    struct vkb_event **waits = malloc((enqueue->num_waits + 1) * sizeof(*waits));
    if (!waits)
        return VKB_OUT_OF_HOST_MEMORY;
    first.event = &noted;
    first.blocking = false;
    enum vkb_result result = vkb_enqueue(&first, note);
    if (result == VKB_SUCCESS) {
        if (enqueue->num_waits)
            memcpy(waits, enqueue->waits, enqueue->num_waits * sizeof(*waits));
        waits[enqueue->num_waits] = noted;
        second.waits = waits;
        second.num_waits++;
        result = vkb_enqueue(&second, command);
        vkb_event_release(noted);
    }
    free(waits);
    return result;
}

enum vkb_result vkb_enqueue_noted(const struct vkb_enqueue *enqueue, const struct command *command)
{
    void *ones;
    struct command note = note_of(enqueue, command, &ones);
    enum vkb_result result;
    if (enqueue->queue->flags & VKB_QUEUE_OUT_OF_ORDER && !enqueue->recording) {
        result = enqueue_behind(enqueue, &note, command);
    } else {
        struct vkb_enqueue first = *enqueue;
        first.event = NULL;
        first.blocking = false;
        result = vkb_enqueue(&first, &note);
        if (result == VKB_SUCCESS)
            result = vkb_enqueue(enqueue, command);
    }
    free(ones);
    return result;
}

enum vkb_result vkb_cmd_written(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, uint64_t offset,
                                uint64_t size)
{
    static const uint8_t one = 1;
    return vkb_cmd_fill(enqueue, buffer->written, offset, size, &one, 1);
}
