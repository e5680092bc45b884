/* Recordings, as the functions that put them into batches see them (recording.c). */
#ifndef VK_RECORDING_H
#define VK_RECORDING_H

#include "vk/queue/command.h"
#include "vk/queue/hazard.h"

/* What is known of all commands of a recording together. */
struct recording_summary {
    VkCommandBuffer cmd; /* secondary, for any number of simultaneous uses */
    uint32_t num_commands;
    const struct batch *load; /* what it is expected to take: pace.c */
    bool reaches_any;         /* it touches what no access names */
    bool host_reads;          /* it writes memory that the host may read */
    bool full_barrier;        /* it ends with work in flight that no access names */
};

/* Adds a command; VKB_SUCCESS also where that makes the recording unfit. */
enum vkb_result vkb_recording_add(struct vkb_recording *recording, const struct command *command);
const struct recording_summary *vkb_recording_summary(const struct vkb_recording *recording);
/* What its commands touch, one access per object; false: that is all. */
bool vkb_recording_access(const struct vkb_recording *recording, uint32_t index, struct hazard_access *access);

#endif
