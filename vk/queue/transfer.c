/* Transfers done by the host: in mapped memory directly, otherwise through staging slots in a pipeline: while the GPU
 * copies one part, threads of the host copy another. The GPU's parts are ordinary batches of the queue, so they come
 * after whatever was recorded before without the host's waiting for it. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/host_image.h"
#include "vk/memory/staging.h"
#include "vk/memory/window.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/rect.h"
#include "vk/queue/trace.h"
#include "vk/queue/transfer.h"

#include "base/trace.h"

#include <string.h>

enum { SLOTS = 4, SMALLEST_PART = 512 << 10 };

bool vkb_transfer_is_direct(const struct command *command)
{
    /* For small pieces, writing through the host's window into device memory beats any way through the GPU; for large
     * ones it is as fast. But the host has to wait for the GPU before it writes there, and staging need not. So large
     * writes use the window only while the GPU is idle (vkb_transfer_run()). */
    if (vkb_transfer_is_image(command))
        return true;
    if (command->kind == COMMAND_WRITE)
        return command->dst->map && (command->dst->cached || vkb_rect_total(&command->rect) <= TRANSFER_STAGED);
    return command->src->map && command->src->cached;
}

static void read_window(const struct command *command)
{
    struct rect_walk walk = {.rect = &command->rect, .end = vkb_rect_total(&command->rect)};
    while (vkb_rect_next(&walk))
        vkb_window_copy((char *)command->data + walk.dst, command->src->map + walk.src, walk.size);
}

enum vkb_result vkb_transfer_direct(const struct command *command)
{
    uint64_t began = trace_enabled() ? time_ns() : 0;
    enum vkb_result result = VKB_SUCCESS;
    if (vkb_transfer_is_image(command))
        result = vkb_host_image_copy(command->kind == COMMAND_WRITE ? command->dst_image : command->src_image,
                                     &command->region, command->data, command->kind == COMMAND_WRITE);
    else if (command->kind == COMMAND_WRITE)
        vkb_rect_copy_host(command->dst->map, command->data, &command->rect);
    else if (command->src->cached)
        vkb_rect_copy_host(command->data, command->src->map, &command->rect);
    else
        read_window(command);
    if (began)
        vkb_trace_transfer(command, began);
    return result;
}

/* One part on its way: the packed bytes [begin, end) in a slot. */
struct part {
    struct vkb_buffer *slot;
    uint64_t begin, end, value;
};

/* Submits a part's copy to the GPU. */
static enum vkb_result submit_part(struct vkb_queue *queue, const struct command *command, struct part *part,
                                   bool first)
{
    bool write = command->kind == COMMAND_WRITE;
    pthread_mutex_lock(&queue->lock);
    enum vkb_result result = vkb_record_staged(queue, write ? command->dst : command->src, &command->rect, part->begin,
                                               part->end, part->slot, 0, write, first);
    if (result == VKB_SUCCESS) {
        part->value = queue->open->value;
        result = vkb_batch_submit(queue);
    }
    vkb_queue_unlock(queue);
    return result;
}

/* Waits until the GPU has copied a part. For a read, copies the bytes on to the application's memory. On a terminated
 * queue nobody waits: the slot is left to the batch that uses it. */
static enum vkb_result complete_part(struct vkb_queue *queue, const struct command *command, struct part *part)
{
    enum vkb_result result = part->value ? vkb_queue_wait_value(queue, part->value, UINT64_MAX) : VKB_SUCCESS;
    if (result == VKB_SUCCESS && part->value && command->kind == COMMAND_READ)
        vkb_rect_unpack(command->data, part->slot->map, &command->rect, part->begin, part->end);
    if (result == VKB_WAIT_FAILED) {
        vkb_buffer_release(part->slot);
        part->slot = NULL;
    }
    part->value = 0;
    return result;
}

static enum vkb_result run_pipelined(struct vkb_queue *queue, const struct command *command)
{
    struct vkb_device *device = queue->device;
    struct part parts[SLOTS] = {0};
    uint64_t total = vkb_rect_total(&command->rect);
    uint64_t size =
        u64_min(u64_max(align_up((total + 2 * SLOTS - 1) / (2 * SLOTS), 4096), SMALLEST_PART), TRANSFER_SLOT);
    enum vkb_result result = VKB_SUCCESS;
    uint32_t next = 0;
    for (uint64_t at = 0; at < total && result == VKB_SUCCESS; at += size, next = (next + 1) % SLOTS) {
        struct part *part = &parts[next];
        result = part->slot ? complete_part(queue, command, part) : vkb_staging_slot(device, size, &part->slot);
        if (result != VKB_SUCCESS)
            break;
        part->begin = at;
        part->end = u64_min(at + size, total);
        if (command->kind == COMMAND_WRITE)
            vkb_rect_pack(part->slot->map, command->data, &command->rect, part->begin, part->end);
        result = submit_part(queue, command, part, at == 0);
    }
    /* Waits for the oldest part first. This is done after a failure too, because slots must not be given back while the
     * GPU uses them. */
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct part *part = &parts[(next + i) % SLOTS];
        enum vkb_result last = part->slot ? complete_part(queue, command, part) : VKB_SUCCESS;
        if (result == VKB_SUCCESS)
            result = last;
        if (part->slot)
            vkb_staging_slot_return(device, part->slot);
    }
    return result;
}

enum vkb_result vkb_transfer_run(struct vkb_queue *queue, const struct command *command, bool idle)
{
    bool window = idle && command->kind == COMMAND_WRITE && command->dst && command->dst->map;
    return window || vkb_transfer_is_direct(command) ? vkb_transfer_direct(command) : run_pipelined(queue, command);
}
