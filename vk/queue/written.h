/* Commands that write buffers of which it is known what was written (written.c). */
#ifndef VK_QUEUE_WRITTEN_H
#define VK_QUEUE_WRITTEN_H

#include "vk/memory/buffer.h"
#include "vk/queue/command.h"

/* vkb_enqueue() of a command that writes bytes of dst, which is watched, and of what notes that. */
enum vkb_result vkb_enqueue_noted(const struct vkb_enqueue *enqueue, const struct command *command);

static inline bool vkb_is_noted(const struct command *command)
{
    return command->dst && command->dst->written;
}

#endif
