/* What the backend adds to a trace (trace.c): when the device worked on each command of a queue. */
#ifndef VK_TRACE_H
#define VK_TRACE_H

#include "vk/queue/batch.h"
#include "vk/queue/command.h"

/* Whether the command is one that the device works on, and is traced. */
bool vkb_trace_wants(const struct command *command);
/* Notes a command whose first timestamp is that query. Without memory it is left out. With the queue's lock. */
void vkb_trace_command(struct batch *batch, const struct command *command, uint32_t query, uint64_t bytes);
/* Writes the spans of a batch that has ended. With the queue's lock. */
void vkb_trace_batch(struct vkb_queue *queue, const struct batch *batch, const uint64_t *ticks);
/* A transfer that the host did itself, since began_ns. */
void vkb_trace_transfer(const struct command *command, uint64_t began_ns);

#endif
