/* Reads and writes that the host does (transfer.c). */
#ifndef VK_TRANSFER_H
#define VK_TRANSFER_H

#include "vk/queue/command.h"

enum { TRANSFER_INLINE = 256 << 10, TRANSFER_STAGED = 1 << 20 };

/* Does a held READ or WRITE; called without locks. idle: nothing that came before it in the queue still runs. */
enum vkb_result vkb_transfer_run(struct vkb_queue *queue, const struct command *command, bool idle);
/* Whether it is one of an image, which the host always does. */
static inline bool vkb_transfer_is_image(const struct command *command)
{
    bool transfer = command->kind == COMMAND_READ || command->kind == COMMAND_WRITE;
    return transfer && (command->src_image || command->dst_image);
}
/* Does it at once, in mapped memory or an image. */
enum vkb_result vkb_transfer_direct(const struct command *command);
/* Whether the host can move the bytes itself at a good speed. */
bool vkb_transfer_is_direct(const struct command *command);

#endif
