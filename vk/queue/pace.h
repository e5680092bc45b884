/* Launches that take long, on devices with a watchdog (pace.c). */
#ifndef VK_PACE_H
#define VK_PACE_H

#include "vk/queue/batch.h"
#include "vk/queue/command.h"

/* Whether the dispatch is to be submitted in parts: it is expected to take long, or nothing is known of it. */
bool vkb_pace_asks(const struct vkb_device *device, const struct vkb_dispatch *dispatch);
/* Submits the held dispatch in parts, waiting for each, and returns when it has ended. Called on a pool thread without
 * locks, while the command is marked as running. VKB_WAIT_FAILED: what it waits for has failed, or the queue was
 * terminated meanwhile. */
enum vkb_result vkb_pace_run(struct vkb_queue *queue, const struct held *held);

/* What the command is expected to take, in ps; 0 where there is no watchdog. */
uint64_t vkb_pace_expects(const struct vkb_device *device, const struct command *command);
/* Whether that is long for a command that is never submitted in parts. */
bool vkb_pace_is_long(const struct vkb_device *device, uint64_t expected_ps);
/* What a batch is expected to take by what is known now: no less than when it was recorded. */
uint64_t vkb_pace_of_batch(const struct batch *batch);
/* Whether the open batch should be submitted before the command is recorded. With the lock held. */
bool vkb_pace_is_full(const struct vkb_queue *queue, const struct command *command);
/* The command was recorded into the batch. */
void vkb_pace_note(struct batch *batch, const struct command *command);
/* The batch has ended: takes its time for that of its kernels. With the lock held. */
void vkb_pace_learn(const struct vkb_queue *queue, const struct batch *batch);

#endif
