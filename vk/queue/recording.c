/* Recordings: commands that are recorded once, into a secondary command buffer, and run by any number of batches.
 *
 * They are recorded by the functions that record into a queue's batch, so a recording has a batch of its own, which
 * collects references, and while it is being made a queue of its own, which nobody else knows: it has hazards and
 * staging memory and is never submitted to. It is in order, so barriers lie only where two commands conflict.
 *
 * For the queue that runs it a recording is one command. What comes before it and what comes behind it are compared
 * with the union of all that its commands touch: per object, one interval of bytes read and one of bytes written. With
 * more objects than a queue's table of hazards can hold it counts as touching anything. */
#include "vk/device/backend.h"
#include "vk/device/device.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/pace.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/recording.h"

#include <stdlib.h>

struct vkb_recording {
    atomic_uint refs;
    struct vkb_device *device;
    struct vkb_queue *queue; /* NULL once it is ended */
    struct batch batch;      /* its cmd is secondary; of the rest only pool, refs, loads and what is bound are used */
    bool unfit;
    enum vkb_result failure; /* the first */
    struct recording_summary summary;
    struct hazard_access *accesses; /* each reads or writes, not both */
    uint32_t num_accesses, cap_accesses;
};

static void close_queue(struct vkb_recording *recording)
{
    struct vkb_queue *queue = recording->queue;
    for (int i = 0; queue && i < STAGING_KINDS; i++)
        vkb_staging_chunk_release(queue->device, queue->staging[i]);
    free(queue);
    recording->queue = NULL;
}

static enum vkb_result begin(struct vkb_recording *recording)
{
    struct vkb_device *device = recording->device;
    struct batch *batch = &recording->batch;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = device->family,
    };
    enum vkb_result result = CHECK(device, device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &batch->pool));
    if (result != VKB_SUCCESS)
        return result;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = batch->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
        .commandBufferCount = 1,
    };
    result = CHECK(device, device->vk.vkAllocateCommandBuffers(device->handle, &allocate, &batch->cmd));
    if (result != VKB_SUCCESS)
        return result;
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
        .pInheritanceInfo = &inheritance,
    };
    return CHECK(device, device->vk.vkBeginCommandBuffer(batch->cmd, &info));
}

enum vkb_result vkb_recording_create(struct vkb_device *device, struct vkb_recording **out)
{
    if (!device->handle)
        return VKB_UNSUPPORTED;
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    struct vkb_recording *recording = calloc(1, sizeof(*recording));
    if (!recording)
        return VKB_OUT_OF_HOST_MEMORY;
    atomic_init(&recording->refs, 1);
    recording->device = recording->batch.device = device;
    recording->queue = calloc(1, sizeof(*recording->queue));
    enum vkb_result result = VKB_OUT_OF_HOST_MEMORY;
    if (recording->queue) {
        recording->queue->device = device;
        recording->queue->hazards.generation = 1;
        result = begin(recording);
    }
    if (result == VKB_SUCCESS)
        *out = recording;
    else
        vkb_recording_release(recording);
    return result;
}

/* ---- what it touches ---- */

static enum vkb_result add_half(struct vkb_recording *recording, const struct hazard_access *access)
{
    struct recording_summary *summary = &recording->summary;
    summary->host_reads |= access->writes && access->host_reads;
    for (uint32_t i = 0; i < recording->num_accesses; i++) {
        struct hazard_access *known = &recording->accesses[i];
        if (known->object == access->object && known->writes == access->writes) {
            known->begin = u64_min(known->begin, access->begin);
            known->end = u64_max(known->end, access->end);
            return VKB_SUCCESS;
        }
    }
    if (recording->num_accesses == 2 * HAZARD_SLOTS) {
        summary->reaches_any = summary->host_reads = true;
        return VKB_SUCCESS;
    }
    enum vkb_result result = vkb_grow((void **)&recording->accesses, &recording->cap_accesses,
                                      recording->num_accesses + 1, sizeof(*recording->accesses));
    if (result == VKB_SUCCESS)
        recording->accesses[recording->num_accesses++] = *access;
    return result;
}

static enum vkb_result add_accesses(struct vkb_recording *recording, const struct command *command)
{
    struct hazard_access access;
    enum vkb_result result = VKB_SUCCESS;
    if (command->kind == COMMAND_DISPATCH && command->dispatch.reaches_any)
        recording->summary.reaches_any = recording->summary.host_reads = true;
    for (uint32_t i = 0; result == VKB_SUCCESS && vkb_record_access(command, i, &access); i++) {
        struct hazard_access half = access;
        half.writes = false;
        if (access.reads)
            result = add_half(recording, &half);
        half.writes = true;
        half.reads = false;
        if (access.writes && result == VKB_SUCCESS)
            result = add_half(recording, &half);
    }
    return result;
}

const struct recording_summary *vkb_recording_summary(const struct vkb_recording *recording)
{
    return &recording->summary;
}

bool vkb_recording_access(const struct vkb_recording *recording, uint32_t index, struct hazard_access *access)
{
    if (index >= recording->num_accesses)
        return false;
    *access = recording->accesses[index];
    return true;
}

/* ---- commands ---- */

static void refuse(struct vkb_recording *recording, const struct command *command)
{
    recording->unfit = true;
    if (command->kind == COMMAND_HOST && command->call)
        command->call(command->data, false);
    else if (command->kind == COMMAND_HOST)
        command->status_call(command->data, false);
}

enum vkb_result vkb_recording_add(struct vkb_recording *recording, const struct command *command)
{
    if (command->kind == COMMAND_MARKER)
        return VKB_SUCCESS; /* the commands are in order anyhow */
    if (command->kind != COMMAND_DISPATCH && command->kind != COMMAND_COPY && command->kind != COMMAND_FILL &&
        command->kind != COMMAND_IMAGE) {
        refuse(recording, command);
        return VKB_SUCCESS;
    }
    enum vkb_result result = add_accesses(recording, command);
    if (result == VKB_SUCCESS)
        result = vkb_record_into(recording->queue, &recording->batch, command);
    if (recording->batch.has_lent) /* each batch that runs it would have to take the memory and give it back */
        recording->unfit = true;
    if (recording->failure == VKB_SUCCESS)
        recording->failure = result;
    return result;
}

enum vkb_result vkb_recording_end(struct vkb_recording *recording)
{
    struct vkb_device *device = recording->device;
    struct recording_summary *summary = &recording->summary;
    enum vkb_result result = CHECK(device, device->vk.vkEndCommandBuffer(recording->batch.cmd));
    summary->cmd = recording->batch.cmd;
    summary->num_commands = recording->batch.num_commands;
    summary->full_barrier = recording->queue->full_barrier;
    close_queue(recording);
    if (recording->failure != VKB_SUCCESS)
        return recording->failure;
    summary->load = &recording->batch;
    if (!recording->unfit && vkb_recording_is_long(recording))
        return VKB_TIMEOUT;
    return recording->unfit ? VKB_UNSUPPORTED : result;
}

bool vkb_recording_is_long(const struct vkb_recording *recording)
{
    return vkb_pace_is_long(recording->device, vkb_pace_of_batch(&recording->batch));
}

struct vkb_recording *vkb_recording_retain(struct vkb_recording *recording)
{
    atomic_fetch_add_explicit(&recording->refs, 1, memory_order_relaxed);
    return recording;
}

void vkb_recording_release(struct vkb_recording *recording)
{
    if (!recording || vkb_gone() || atomic_fetch_sub(&recording->refs, 1) != 1)
        return;
    struct vkb_device *device = recording->device;
    close_queue(recording);
    if (recording->batch.pool)
        device->vk.vkDestroyCommandPool(device->handle, recording->batch.pool, NULL);
    vkb_batch_drop_refs(&recording->batch);
    free(recording->batch.refs);
    free(recording->accesses);
    free(recording);
}
