/* Spans of the device's work in a trace. While a process is traced, every queue takes two timestamps around each
 * command, whether the application profiles it or not. They are written when the batch is retired, on the track of the
 * queue, in the host's time. An arrow leads there from the call that recorded the command. */
#include "vk/device/device.h"
#include "vk/queue/queue.h"
#include "vk/queue/recording.h"
#include "vk/queue/rect.h"
#include "vk/queue/record.h"
#include "vk/queue/trace.h"

#include "base/trace.h"

#include <string.h>

static const char *name_of(const struct command *command)
{
    switch (command->kind) {
    case COMMAND_DISPATCH:
        return command->dispatch.name ? command->dispatch.name : "(Pumice's own)";
    case COMMAND_COPY:
        return "copy";
    case COMMAND_FILL:
        return "fill";
    case COMMAND_WRITE:
        return "write";
    case COMMAND_READ:
        return "read";
    case COMMAND_IMAGE:
        return command->src ? "buffer to image" : command->dst ? "image to buffer" : "image copy";
    case COMMAND_REPLAY:
        return "command buffer";
    case COMMAND_OWNERSHIP:
        return "ownership";
    case COMMAND_FIRST_USE:
    case COMMAND_MARKER:
    case COMMAND_SEMAPHORE:
    case COMMAND_HOST:
        break;
    }
    return NULL;
}

static const char *category_of(const struct command *command)
{
    return command->kind == COMMAND_DISPATCH ? "kernel" : command->kind == COMMAND_REPLAY ? "replay" : "copy";
}

bool vkb_trace_wants(const struct command *command)
{
    return trace_enabled() && name_of(command);
}

void vkb_trace_command(struct batch *batch, const struct command *command, uint32_t query, uint64_t bytes)
{
    if (vkb_grow((void **)&batch->spans, &batch->cap_spans, batch->num_spans + 1, sizeof(*batch->spans)) != VKB_SUCCESS)
        return;
    struct batch_span *span = &batch->spans[batch->num_spans++];
    *span = (struct batch_span){
        .category = category_of(command),
        .name = name_of(command),
        .query = query,
        .bytes = bytes == UINT64_MAX ? vkb_command_bytes(command) : bytes,
        .arrow = trace_arrow(),
    };
    if (command->kind == COMMAND_DISPATCH)
        memcpy(span->groups, command->dispatch.grids[0].groups, sizeof(span->groups));
    if (command->kind == COMMAND_REPLAY)
        span->groups[0] = vkb_recording_summary(command->recording)->num_commands;
}

static void write_span(struct trace_track *track, const struct batch_span *span, uint64_t began, uint64_t ended)
{
    const uint32_t *groups = span->groups;
    if (span->category[0] == 'k')
        trace_track_span(track, span->category, span->name, began, ended, span->arrow, "\"groups\":\"%u x %u x %u\"",
                         groups[0], groups[1], groups[2]);
    else if (span->category[0] == 'r')
        trace_track_span(track, span->category, span->name, began, ended, span->arrow, "\"commands\":%u", groups[0]);
    else
        trace_track_span(track, span->category, span->name, began, ended, span->arrow, "\"bytes\":%llu",
                         (unsigned long long)span->bytes);
}

void vkb_trace_batch(struct vkb_queue *queue, const struct batch *batch, const uint64_t *ticks)
{
    struct vkb_device *device = queue->device;
    uint64_t now = time_ns(), offset = vkb_device_ns_from_host(device, now) - now;
    for (uint32_t i = 0; i < batch->num_spans; i++) {
        const struct batch_span *span = &batch->spans[i];
        uint64_t began = vkb_device_ns_from_ticks(device, ticks[span->query]) - offset;
        uint64_t ended = vkb_device_ns_from_ticks(device, ticks[span->query + 1]) - offset;
        write_span(queue->track, span, began, ended);
    }
}

void vkb_trace_transfer(const struct command *command, uint64_t began_ns)
{
    trace_span("transfer", command->kind == COMMAND_WRITE ? "write" : "read", began_ns, "\"bytes\":%llu",
               (unsigned long long)vkb_rect_total(&command->rect));
}
