/* When recorded commands are submitted before the program asks for it (due.c). */
#ifndef VK_DUE_H
#define VK_DUE_H

#include "vk/queue/queue.h"

struct command;

/* Submits the open batch, to which the command was just added, where its time has come. With the queue's lock held. */
void vkb_submit_if_due(struct vkb_queue *queue, struct batch *batch, const struct command *command);
/* Whether what the program wants submitted is left to the queue's due_task, since enough is under way. With the queue's
 * lock held. */
bool vkb_submit_may_wait(struct vkb_queue *queue);
/* The queue's due_task, which keeps the queue. */
void vkb_due_task(void *queue);

#endif
