/* Recording commands into a queue's open batch.
 *
 * Barriers are global (for buffers, drivers make no use of the resource that a memory barrier could name) and name only
 * the stages that matter. In an in-order queue they are placed where hazard.c finds a conflict, in an out-of-order
 * queue where a command waits for another or comes after an explicit barrier. Copies and fills are Vulkan's transfer
 * commands, but for the bulk of large ones within device memory (bulk.c) and, with some drivers, of texels (texels.c).
 *
 * All functions are called with the queue's lock held. */
#include "vk/device/backend.h"
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/due.h"
#include "vk/queue/event.h"
#include "vk/queue/hazard.h"
#include "vk/queue/pace.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/recording.h"
#include "vk/queue/rect.h"
#include "vk/queue/slice.h"
#include "vk/queue/trace.h"
#include "vk/shader/shader.h"

#include <stdlib.h>
#include <string.h>

#define STAGES      ((VkPipelineStageFlags)(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT))
#define WRITES      (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)
#define READS       (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT)
#define FILL_SEED   (64u << 10)
#define MAX_REGIONS 128
#define LIGHT_BYTES ((uint64_t)256 << 10)

static bool in_order(const struct vkb_queue *queue)
{
    return !(queue->flags & VKB_QUEUE_OUT_OF_ORDER);
}

static void barrier(struct vkb_queue *queue, struct batch *batch)
{
    bool lane = vkb_queue_only_copies(queue);
    VkPipelineStageFlags all = lane ? VK_PIPELINE_STAGE_TRANSFER_BIT : STAGES;
    /* With full_barrier, work of other queues on the same VkQueue counts as well, so all stages are named. */
    VkPipelineStageFlags before =
        queue->hazards.stages && !queue->full_barrier && in_order(queue) ? queue->hazards.stages : all;
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = (before & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT ? VK_ACCESS_SHADER_WRITE_BIT : 0) |
                         (before & VK_PIPELINE_STAGE_TRANSFER_BIT ? VK_ACCESS_TRANSFER_WRITE_BIT : 0),
        .dstAccessMask = lane ? VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT : READS | WRITES,
    };
    queue->device->vk.vkCmdPipelineBarrier(batch->cmd, before, all, 0, 1, &memory, 0, NULL, 0, NULL);
    vkb_hazards_clear(&queue->hazards);
    queue->full_barrier = false;
    queue->barrier_position = queue->position;
}

/* ---- what a command touches ---- */

struct accesses {
    const struct command *command;
    uint32_t next;
};

static struct hazard_access access_buffer(const struct vkb_buffer *buffer, uint64_t begin, uint64_t end)
{
    return (struct hazard_access){.object = buffer, .host_reads = buffer->map, .begin = begin, .end = end};
}

static struct hazard_access access_image(const struct vkb_image *image)
{
    if (image->buffer)
        return access_buffer(image->buffer, 0, image->buffer->size);
    return (struct hazard_access){
        .object = image->base ? image->base : image, .host_reads = image->host_copies, .begin = 0, .end = 1};
}

/* What one side of a copy to or from an image touches. side: 0 the source, 1 the destination. */
static bool next_image_access(const struct command *command, uint32_t side, struct hazard_access *access)
{
    const struct vkb_buffer *buffer = side ? command->dst : command->src;
    if (side > 1)
        return false;
    *access =
        buffer ? access_buffer(buffer, 0, buffer->size) : access_image(side ? command->dst_image : command->src_image);
    access->reads = side == 0;
    access->writes = side == 1;
    return true;
}

static bool next_access(struct accesses *at, struct hazard_access *access)
{
    const struct command *command = at->command;
    uint32_t i = at->next++;
    if (command->kind == COMMAND_DISPATCH) {
        if (i >= command->dispatch.num_accesses)
            return false;
        const struct vkb_access *use = &command->dispatch.accesses[i];
        *access = use->image ? access_image(use->image) : access_buffer(use->buffer, 0, use->buffer->size);
        access->reads = use->reads;
        access->writes = use->writes;
        return true;
    }
    if (command->kind == COMMAND_IMAGE)
        return next_image_access(command, i, access);
    if (command->kind == COMMAND_REPLAY)
        return vkb_recording_access(command->recording, i, access);
    if (command->kind == COMMAND_OWNERSHIP || command->kind == COMMAND_SEMAPHORE || command->kind == COMMAND_FIRST_USE)
        return false; /* they order the whole queue, or need no order */
    if (i == 0 && command->src) {
        *access = access_buffer(command->src, command->rect.src_offset, vkb_rect_src_end(&command->rect));
        access->reads = true;
    } else if (i <= 1 && command->dst) {
        *access = access_buffer(command->dst, command->rect.dst_offset, vkb_rect_dst_end(&command->rect));
        access->writes = true;
        at->next = 2;
    } else
        return false;
    return true;
}

bool vkb_record_access(const struct command *command, uint32_t index, struct hazard_access *access)
{
    struct accesses at = {.command = command, .next = index};
    return next_access(&at, access);
}

static bool reaches_any(const struct command *command)
{
    if (command->kind == COMMAND_REPLAY)
        return vkb_recording_summary(command->recording)->reaches_any;
    return command->kind == COMMAND_DISPATCH && command->dispatch.reaches_any;
}

static VkPipelineStageFlags stages_of(const struct command *command)
{
    if (command->kind == COMMAND_REPLAY)
        return STAGES;
    return command->kind == COMMAND_DISPATCH ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT;
}

/* Records the barrier that the command needs, and remembers what the command touches. */
static void order_command(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                          bool needs_barrier)
{
    bool any = reaches_any(command);
    bool conflict = needs_barrier || queue->full_barrier;
    struct hazard_access access;
    if (in_order(queue) && !conflict) {
        conflict = queue->hazards.any || (any && queue->hazards.stages);
        struct accesses at = {.command = command};
        while (!conflict && next_access(&at, &access))
            conflict = vkb_hazards_conflict(&queue->hazards, &access);
    }
    if (conflict)
        barrier(queue, batch);
    struct accesses at = {.command = command};
    while (next_access(&at, &access)) {
        if (in_order(queue))
            vkb_hazards_add(&queue->hazards, &access);
        batch->host_reads |= access.writes && access.host_reads;
    }
    queue->hazards.any |= any;
    batch->host_reads |= any;
    queue->hazards.stages |= stages_of(command);
}

uint64_t vkb_command_bytes(const struct command *command)
{
    const struct vkb_image *image = command->src_image ? command->src_image : command->dst_image;
    const uint32_t *extent = command->region.extent;
    if (command->kind == COMMAND_IMAGE)
        return (uint64_t)extent[0] * extent[1] * extent[2] * image->info.texel_size;
    return command->kind == COMMAND_DISPATCH || command->kind == COMMAND_REPLAY ? 0 : vkb_rect_total(&command->rect);
}

/* Whether it may take the device longer than the way there and back. */
static bool is_heavy(const struct command *command)
{
    return command->kind == COMMAND_DISPATCH || command->kind == COMMAND_REPLAY || command->kind == COMMAND_SEMAPHORE ||
           vkb_command_bytes(command) > LIGHT_BYTES;
}

/* ---- copies ---- */

/* Bytes that one region of a copy, or one fill, may have: lavapipe counts them in signed 32 bits and crashes beyond. */
#define LARGEST_REGION ((uint64_t)1 << 30)

/* Which side of a rectangle lies packed in staging memory. */
enum packed { PACKED_NONE, PACKED_SRC, PACKED_DST };

static void record_regions(struct vkb_device *device, VkCommandBuffer cmd, VkBuffer src, uint64_t src_base,
                           VkBuffer dst, uint64_t dst_base, const struct vkb_rect *rect, uint64_t begin, uint64_t end,
                           enum packed packed)
{
    VkBufferCopy regions[MAX_REGIONS];
    uint32_t count = 0;
    struct rect_walk walk = {.rect = rect, .at = begin, .end = end, .most = LARGEST_REGION};
    while (vkb_rect_next(&walk)) {
        regions[count++] = (VkBufferCopy){
            .srcOffset = src_base + (packed == PACKED_SRC ? walk.packed - begin : walk.src),
            .dstOffset = dst_base + (packed == PACKED_DST ? walk.packed - begin : walk.dst),
            .size = walk.size,
        };
        if (count == MAX_REGIONS) {
            device->vk.vkCmdCopyBuffer(cmd, src, dst, count, regions);
            count = 0;
        }
    }
    if (count)
        device->vk.vkCmdCopyBuffer(cmd, src, dst, count, regions);
}

static void copy_bytes(struct vkb_device *device, VkCommandBuffer cmd, VkBuffer src, uint64_t src_offset, VkBuffer dst,
                       uint64_t dst_offset, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += LARGEST_REGION) {
        const VkBufferCopy region = {src_offset + at, dst_offset + at, u64_min(size - at, LARGEST_REGION)};
        device->vk.vkCmdCopyBuffer(cmd, src, dst, 1, &region);
    }
}

static uint64_t bulk_copy(struct vkb_queue *queue, struct batch *batch, const struct vkb_buffer *src,
                          uint64_t src_offset, const struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size)
{
    uint64_t done = vkb_queue_only_copies(queue) ? 0 : vkb_bulk_copy(batch, src, src_offset, dst, dst_offset, size);
    if (done)
        queue->hazards.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    return done;
}

/* Copies the rows of a rectangle with bulk.c, up to the first row that is too small for it. Returns how many packed
 * bytes are done. */
static uint64_t bulk_rows(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    struct rect_walk walk = {.rect = &command->rect, .end = vkb_rect_total(&command->rect)};
    uint64_t done = 0;
    while (vkb_rect_next(&walk)) {
        uint64_t some = bulk_copy(queue, batch, command->src, walk.src, command->dst, walk.dst, walk.size);
        if (!some)
            break;
        if (some < walk.size)
            copy_bytes(queue->device, batch->cmd, command->src->block->buffer, command->src->offset + walk.src + some,
                       command->dst->block->buffer, command->dst->offset + walk.dst + some, walk.size - some);
        done = walk.packed + walk.size;
    }
    return done;
}

/* Vulkan 1.3, vkCmdCopyBuffer: source and destination must not overlap. So overlapping ranges are copied through a
 * temporary buffer. */
static enum vkb_result copy_overlapping(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    struct vkb_device *device = queue->device;
    struct vkb_buffer *buffer = command->src, *temporary;
    uint64_t size = command->rect.width;
    enum vkb_result result = vkb_buffer_create_now(device, size, VKB_MEMORY_DEVICE, &temporary);
    if (result == VKB_SUCCESS)
        result = vkb_batch_add_ref(batch, REF_BUFFER, temporary);
    if (result != VKB_SUCCESS)
        return result;
    copy_bytes(device, batch->cmd, buffer->block->buffer, buffer->offset + command->rect.src_offset,
               temporary->block->buffer, temporary->offset, size);
    queue->full_barrier = true;
    barrier(queue, batch);
    copy_bytes(device, batch->cmd, temporary->block->buffer, temporary->offset, buffer->block->buffer,
               buffer->offset + command->rect.dst_offset, size);
    queue->full_barrier = true; /* hazards were forgotten with work in flight */
    return VKB_SUCCESS;
}

static enum vkb_result record_copy(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    const struct vkb_rect *rect = &command->rect;
    enum vkb_result result = vkb_batch_use_buffer(batch, command->src);
    if (result == VKB_SUCCESS)
        result = vkb_batch_use_buffer(batch, command->dst);
    if (result != VKB_SUCCESS)
        return result;
    bool linear = rect->height == 1 && rect->depth == 1;
    if (linear && command->src == command->dst && rect->src_offset < rect->dst_offset + rect->width &&
        rect->dst_offset < rect->src_offset + rect->width)
        return copy_overlapping(queue, batch, command);
    uint64_t done =
        linear ? bulk_copy(queue, batch, command->src, rect->src_offset, command->dst, rect->dst_offset, rect->width)
               : bulk_rows(queue, batch, command);
    record_regions(queue->device, batch->cmd, command->src->block->buffer, command->src->offset,
                   command->dst->block->buffer, command->dst->offset, rect, done, vkb_rect_total(rect), PACKED_NONE);
    return VKB_SUCCESS;
}

static enum vkb_result record_write(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    uint64_t total = vkb_rect_total(&command->rect);
    struct staging_slice slice;
    enum vkb_result result = vkb_batch_use_buffer(batch, command->dst);
    if (result == VKB_SUCCESS)
        result = vkb_slice_take(queue, batch, STAGING_UPLOAD, total, &slice);
    if (result != VKB_SUCCESS)
        return result;
    vkb_rect_pack(slice.map, command->data, &command->rect, 0, total);
    record_regions(queue->device, batch->cmd, slice.buffer->block->buffer, slice.buffer->offset + slice.offset,
                   command->dst->block->buffer, command->dst->offset, &command->rect, 0, total, PACKED_SRC);
    return VKB_SUCCESS;
}

static enum vkb_result record_read(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                                   struct vkb_event *event)
{
    uint64_t total = vkb_rect_total(&command->rect);
    struct staging_slice slice;
    enum vkb_result result = vkb_batch_use_buffer(batch, command->src);
    if (result == VKB_SUCCESS)
        result = vkb_slice_take(queue, batch, STAGING_DOWNLOAD, total, &slice);
    const struct batch_copy copy = {.data = command->data, .staging = slice.map, .rect = command->rect};
    if (result == VKB_SUCCESS)
        result = vkb_batch_add_copy(batch, &copy);
    if (result != VKB_SUCCESS)
        return result;
    batch->host_reads = true;
    if (event)
        event->host_part = true;
    record_regions(queue->device, batch->cmd, command->src->block->buffer, command->src->offset,
                   slice.buffer->block->buffer, slice.buffer->offset + slice.offset, &command->rect, 0, total,
                   PACKED_DST);
    return VKB_SUCCESS;
}

static void timestamp(struct vkb_queue *queue, struct batch *batch, VkPipelineStageFlagBits stage)
{
    queue->device->vk.vkCmdWriteTimestamp(batch->cmd, stage, batch->queries, batch->num_queries++);
}

enum vkb_result vkb_record_staged(struct vkb_queue *queue, struct vkb_buffer *buffer, const struct vkb_rect *rect,
                                  uint64_t begin, uint64_t end, struct vkb_buffer *staging, uint64_t staging_offset,
                                  bool write, bool needs_barrier)
{
    struct vkb_device *device = queue->device;
    struct batch *batch;
    enum vkb_result result = vkb_batch_open(queue, &batch);
    if (result == VKB_SUCCESS)
        result = vkb_batch_use_buffer(batch, buffer);
    if (result == VKB_SUCCESS)
        result = vkb_batch_use_buffer(batch, staging);
    if (result != VKB_SUCCESS)
        return result;
    struct command command = {.rect = *rect};
    command.kind = write ? COMMAND_WRITE : COMMAND_READ;
    *(write ? &command.dst : &command.src) = buffer;
    /* The part before last may have used the same staging memory of a download; that part has been waited for. */
    order_command(queue, batch, &command, needs_barrier);
    batch->host_reads |= !write;
    bool timed = vkb_trace_wants(&command) && batch->queries && batch->num_queries + 2 <= BATCH_QUERIES;
    if (timed) {
        vkb_trace_command(batch, &command, batch->num_queries, end - begin);
        timestamp(queue, batch, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    }
    uint64_t staging_base = staging->offset + staging_offset;
    if (write)
        record_regions(device, batch->cmd, staging->block->buffer, staging_base, buffer->block->buffer, buffer->offset,
                       rect, begin, end, PACKED_SRC);
    else
        record_regions(device, batch->cmd, buffer->block->buffer, buffer->offset, staging->block->buffer, staging_base,
                       rect, begin, end, PACKED_DST);
    if (timed)
        timestamp(queue, batch, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    batch->is_heavy = true;
    queue->position++;
    batch->num_commands++;
    return VKB_SUCCESS;
}

/* ---- fills ---- */

/* Whether the pattern repeats every four bytes; *word is those. */
static bool as_word(const struct command *command, uint32_t *word)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = command->pattern[(uint32_t)i % command->pattern_size];
    for (uint32_t i = 0; i < command->pattern_size; i++) {
        if (command->pattern[i] != bytes[i % 4])
            return false;
    }
    memcpy(word, bytes, 4);
    return true;
}

/* Writes size bytes of the repeated pattern through staging memory. */
static enum vkb_result fill_staged(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                                   uint64_t offset, uint64_t size)
{
    struct staging_slice slice;
    enum vkb_result result = vkb_slice_take(queue, batch, STAGING_UPLOAD, size, &slice);
    if (result != VKB_SUCCESS)
        return result;
    for (uint64_t i = 0; i < size; i += command->pattern_size)
        memcpy(slice.map + i, command->pattern, u64_min(command->pattern_size, size - i));
    copy_bytes(queue->device, batch->cmd, slice.buffer->block->buffer, slice.buffer->offset + slice.offset,
               command->dst->block->buffer, offset, size);
    return VKB_SUCCESS;
}

/* vkCmdFillBuffer does whole words; the bytes before and after go through staging memory. Offsets are multiples of the
 * pattern's size, so a word of repeated pattern is in phase at any word boundary. */
static enum vkb_result fill_words(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                                  uint32_t word)
{
    uint64_t begin = command->dst->offset + command->rect.dst_offset, end = begin + command->rect.width;
    uint64_t first = align_up(begin, 4), last = end & ~(uint64_t)3;
    if (first >= last)
        return fill_staged(queue, batch, command, begin, end - begin);
    enum vkb_result result = VKB_SUCCESS;
    if (first > begin)
        result = fill_staged(queue, batch, command, begin, first - begin);
    if (result == VKB_SUCCESS && last < end)
        result = fill_staged(queue, batch, command, last, end - last);
    for (uint64_t at = first; result == VKB_SUCCESS && at < last; at += LARGEST_REGION)
        queue->device->vk.vkCmdFillBuffer(batch->cmd, command->dst->block->buffer, at,
                                          u64_min(last - at, LARGEST_REGION), word);
    return result;
}

/* Fills with longer patterns: the pattern is written once from staging memory, then what is there is copied behind
 * itself, twice as much each time. */
static enum vkb_result fill_doubling(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    VkBuffer buffer = command->dst->block->buffer;
    uint64_t base = command->dst->offset + command->rect.dst_offset, size = command->rect.width;
    uint64_t done = u64_min(size, FILL_SEED);
    enum vkb_result result = fill_staged(queue, batch, command, base, done);
    if (result != VKB_SUCCESS || done == size)
        return result;
    while (done < size) {
        uint64_t more = u64_min(done, size - done);
        queue->full_barrier = true;
        barrier(queue, batch);
        copy_bytes(queue->device, batch->cmd, buffer, base, buffer, base + done, more);
        done += more;
    }
    queue->full_barrier = true; /* hazards were forgotten with work in flight */
    return VKB_SUCCESS;
}

/* Fills with a pattern that repeats every 16 bytes or more often. A shader does the bulk; less than one work-group's
 * bytes are left. Offsets are multiples of the pattern's size, so the rest begins with the first byte of the pattern.
 */
static bool fill_bulk(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                      enum vkb_result *result)
{
    uint8_t pattern[16];
    uint64_t offset = command->rect.dst_offset, size = command->rect.width;
    if (16 % command->pattern_size)
        return false;
    for (uint32_t i = 0; i < 16; i++)
        pattern[i] = command->pattern[i % command->pattern_size];
    uint64_t done = vkb_bulk_fill(batch, command->dst, offset, size, pattern);
    if (!done)
        return false;
    queue->hazards.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    *result = done < size ? fill_staged(queue, batch, command, command->dst->offset + offset + done, size - done)
                          : VKB_SUCCESS;
    return true;
}

static enum vkb_result record_fill(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    uint32_t word;
    enum vkb_result result = vkb_batch_use_buffer(batch, command->dst);
    if (result != VKB_SUCCESS || fill_bulk(queue, batch, command, &result))
        return result;
    if (as_word(command, &word))
        return fill_words(queue, batch, command, word);
    return fill_doubling(queue, batch, command);
}

/* ---- dispatches ---- */

static enum vkb_result use_objects(struct batch *batch, const struct vkb_dispatch *dispatch)
{
    enum vkb_result result = VKB_SUCCESS;
    bool known = false;
    for (uint32_t i = batch->num_refs, seen = 0; i-- && seen < 8 && !known; seen++)
        known = batch->refs[i].object == dispatch->shader;
    if (!known)
        result = vkb_batch_add_ref(batch, REF_SHADER, vkb_shader_retain(dispatch->shader));
    for (uint32_t i = 0; i < dispatch->num_accesses && result == VKB_SUCCESS; i++) {
        if (dispatch->accesses[i].buffer)
            result = vkb_batch_use_buffer(batch, dispatch->accesses[i].buffer);
    }
    for (uint32_t i = 0; i < vkb_shader_num_descriptors(dispatch->shader) && result == VKB_SUCCESS; i++)
        result = vkb_batch_use_image(batch, dispatch->images[i]);
    return result;
}

/* Writes the argument block as this grid's work-items see it. */
static void write_block(uint8_t *to, const struct vkb_dispatch *dispatch, const struct vkb_grid *grid)
{
    if (dispatch->block_size)
        memcpy(to, dispatch->block, dispatch->block_size);
    if (dispatch->group_base_offset >= 0)
        memcpy(to + dispatch->group_base_offset, grid->group_base, sizeof(grid->group_base));
}

static enum vkb_result push_block(struct vkb_queue *queue, struct batch *batch, const struct vkb_dispatch *dispatch,
                                  const struct vkb_grid *grid)
{
    VkPipelineLayout layout = vkb_shader_layout(dispatch->shader);
    uint8_t words[VKB_MAX_PUSH_CONSTANTS] __attribute__((aligned(8)));
    uint32_t size = (uint32_t)align_up(dispatch->block_size, 4);
    if (dispatch->block_in_push_constants) {
        if (!size)
            return VKB_SUCCESS;
        memset(words + size - 4, 0, 4);
        write_block(words, dispatch, grid);
    } else {
        struct staging_slice slice;
        enum vkb_result result = vkb_slice_take(queue, batch, STAGING_UPLOAD, size ? size : 4, &slice);
        if (result != VKB_SUCCESS)
            return result;
        write_block((uint8_t *)slice.map, dispatch, grid);
        size = sizeof(slice.address);
        memcpy(words, &slice.address, size);
    }
    queue->device->vk.vkCmdPushConstants(batch->cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, words);
    return VKB_SUCCESS;
}

static enum vkb_result record_dispatch(struct vkb_queue *queue, struct batch *batch,
                                       const struct vkb_dispatch *dispatch)
{
    struct vkb_device *device = queue->device;
    enum vkb_result result = use_objects(batch, dispatch);
    if (result == VKB_SUCCESS)
        result = vkb_bind_images(batch, dispatch);
    for (uint32_t i = 0; i < dispatch->num_grids && result == VKB_SUCCESS; i++) {
        const struct vkb_grid *grid = &dispatch->grids[i];
        VkPipeline pipeline = vkb_pipeline_handle(grid->pipeline);
        if (batch->pipeline != pipeline) {
            device->vk.vkCmdBindPipeline(batch->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            batch->pipeline = pipeline;
        }
        if (i == 0 || dispatch->group_base_offset >= 0)
            result = push_block(queue, batch, dispatch, grid);
        if (result == VKB_SUCCESS)
            device->vk.vkCmdDispatch(batch->cmd, grid->groups[0], grid->groups[1], grid->groups[2]);
    }
    return result;
}

/* ---- recordings ---- */

/* What was bound before a secondary command buffer is undefined behind it. */
static enum vkb_result record_replay(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    const struct recording_summary *summary = vkb_recording_summary(command->recording);
    if (!summary->num_commands)
        return VKB_SUCCESS;
    enum vkb_result result = vkb_batch_add_ref(batch, REF_RECORDING, vkb_recording_retain(command->recording));
    if (result != VKB_SUCCESS)
        return result;
    queue->device->vk.vkCmdExecuteCommands(batch->cmd, 1, &summary->cmd);
    batch->pipeline = VK_NULL_HANDLE;
    batch->descriptors = NULL;
    batch->host_reads |= summary->host_reads;
    queue->full_barrier |= summary->full_barrier;
    batch->num_commands += summary->num_commands - 1;
    return VKB_SUCCESS;
}

/* ---- commands ---- */

static enum vkb_result record_body(struct vkb_queue *queue, struct batch *batch, const struct command *command,
                                   struct vkb_event *event)
{
    switch (command->kind) {
    case COMMAND_COPY:
        return record_copy(queue, batch, command);
    case COMMAND_FILL:
        return record_fill(queue, batch, command);
    case COMMAND_DISPATCH:
        return record_dispatch(queue, batch, &command->dispatch);
    case COMMAND_IMAGE:
        return vkb_record_image(queue, batch, command);
    case COMMAND_REPLAY:
        return record_replay(queue, batch, command);
    case COMMAND_WRITE:
        return record_write(queue, batch, command);
    case COMMAND_READ:
        return record_read(queue, batch, command, event);
    case COMMAND_SEMAPHORE:
        queue->full_barrier = true;
        return vkb_batch_use_semaphore(batch, command->semaphore, command->signals);
    case COMMAND_OWNERSHIP:
        return vkb_record_ownership(queue, batch, command);
    case COMMAND_FIRST_USE:
        return command->dst ? vkb_batch_use_buffer(batch, command->dst)
                            : vkb_batch_use_image(batch, command->dst_image);
    case COMMAND_MARKER:
    case COMMAND_HOST:
        break;
    }
    return VKB_SUCCESS;
}

enum vkb_result vkb_record_into(struct vkb_queue *queue, struct batch *batch, const struct command *command)
{
    order_command(queue, batch, command, false);
    enum vkb_result result = record_body(queue, batch, command, NULL);
    vkb_pace_note(batch, command);
    batch->num_commands++;
    queue->position++;
    return result;
}

/* The value of the other queue's timeline that the GPU has to wait for, or 0. */
static uint64_t semaphore_value(const struct vkb_queue *queue, struct vkb_event *event)
{
    if (!event->queue || event->queue == queue || event->queue->vulkan == queue->vulkan)
        return 0;
    if (vkb_event_was_cut(event, queue))
        return atomic_load(&event->queue->last_value);
    return atomic_load(&event->state) == EVENT_SUBMITTED ? event->value : 0;
}

/* Opens a batch with the semaphores that the command needs. A batch with commands is submitted first, since those
 * should not wait for the semaphores. */
static enum vkb_result open_for(struct vkb_queue *queue, const struct command *command, struct vkb_event *const *waits,
                                uint32_t num_waits, struct batch **batch)
{
    bool semaphores = command->kind == COMMAND_SEMAPHORE && !command->signals;
    for (uint32_t i = 0; i < num_waits; i++)
        semaphores |= semaphore_value(queue, waits[i]) > 0;
    if (queue->open && (queue->open->num_commands >= BATCH_COMMANDS || (semaphores && queue->open->num_commands))) {
        enum vkb_result result = vkb_batch_submit(queue);
        if (result != VKB_SUCCESS)
            return result;
    }
    enum vkb_result result = vkb_batch_open(queue, batch);
    for (uint32_t i = 0; i < num_waits && semaphores && result == VKB_SUCCESS; i++) {
        uint64_t value = semaphore_value(queue, waits[i]);
        if (value)
            result = vkb_batch_add_wait(*batch, waits[i], value);
    }
    return result;
}

/* Whether a marker needs nothing recorded: then it joins the last submitted batch, or is complete already. */
static bool attach_marker(struct vkb_queue *queue, const struct command *command, const struct order *order,
                          struct vkb_event *event)
{
    if (queue->flags & VKB_QUEUE_PROFILING || order->foreign || (queue->open && queue->open->num_commands))
        return false;
    /* The marker also makes visible to later commands what another queue did before it. */
    queue->full_barrier |= command->barrier || order->barrier;
    if (command->barrier)
        queue->barrier_value = queue->submitted;
    vkb_batch_retire(queue);
    struct batch *batch = queue->first;
    while (batch && batch->next)
        batch = batch->next;
    if (!event)
        return true;
    if (!batch) {
        vkb_event_complete(event, vkb_device_lost(queue->device) ? STATUS_RESOURCES : 0);
        return true;
    }
    if (vkb_batch_add_event(batch, event) != VKB_SUCCESS)
        return false;
    event->value = batch->value;
    event->position = queue->position;
    vkb_event_advance(event, EVENT_SUBMITTED);
    return true;
}

enum vkb_result vkb_record(struct vkb_queue *queue, const struct command *command, struct vkb_event *const *waits,
                           uint32_t num_waits, const struct order *order, struct vkb_event *event)
{
    if (command->kind == COMMAND_MARKER && attach_marker(queue, command, order, event))
        return VKB_SUCCESS;
    struct batch *batch;
    enum vkb_result result = vkb_pace_is_full(queue, command) ? vkb_batch_submit(queue) : VKB_SUCCESS;
    if (result == VKB_SUCCESS)
        result = open_for(queue, command, waits, num_waits, &batch);
    if (result == VKB_SUCCESS && event)
        result = vkb_batch_add_event(batch, event);
    if (result != VKB_SUCCESS)
        return result;
    if (command->kind == COMMAND_MARKER)
        queue->full_barrier |= order->barrier || command->barrier;
    else
        order_command(queue, batch, command, order->barrier);
    if (command->kind == COMMAND_MARKER && command->barrier)
        queue->barrier_value = batch->value;
    bool traced = vkb_trace_wants(command);
    bool timed = (event || traced) && batch->queries && batch->num_queries + 2 <= BATCH_QUERIES;
    if (timed) {
        if (traced)
            vkb_trace_command(batch, command, batch->num_queries, UINT64_MAX);
        if (event)
            event->query = batch->num_queries;
        timestamp(queue, batch,
                  in_order(queue) ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    }
    result = record_body(queue, batch, command, event);
    batch->is_heavy |= is_heavy(command);
    vkb_pace_note(batch, command);
    if (timed)
        timestamp(queue, batch, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    batch->num_commands++;
    queue->position++;
    if (result != VKB_SUCCESS) {
        if (event)
            vkb_event_release(batch->events[--batch->num_events]);
        return result;
    }
    if (event) {
        event->value = batch->value;
        event->position = queue->position;
        vkb_event_advance(event, EVENT_RECORDED);
    }
    /* Others may wait for it, or the semaphore may be used again. */
    if (command->kind == COMMAND_SEMAPHORE)
        return vkb_batch_submit(queue);
    vkb_submit_if_due(queue, batch, command);
    return VKB_SUCCESS;
}
