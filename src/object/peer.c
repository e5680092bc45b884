/* Copies between devices without the host.
 *
 * A device's memory is exported as a handle, the other device imports it and copies out of it: one command,
 * over the bus that the two share. Dma_bufs go to any device whose driver takes them. An opaque handle may only go
 * to the same physical device (Vulkan 1.3, VkImportMemoryFdInfoKHR), which is listed twice where two drivers or layers
 * offer it.
 *
 * A driver that takes a handle need not read the right bytes from it. So every pair of devices is tried once in a
 * process, with two patterns one after the other, and the pairs that got both right are used.
 *
 * Memory that two VkDevices use changes hands by barriers of both (Vulkan 1.3, 7.7.4): given by one and taken by the
 * other before the copy, given back and taken back after it. The commands are enqueued on the devices' transfer queues,
 * which have no order but their events: what waits on the application's queues holds nothing up here. */
#include "src/object/peer.h"

#include "src/device/device.h"

#include "base/log.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

/* Smaller buffers are not worth an allocation of their own and five commands for a copy. */
#define WORTH_IT ((uint64_t)1 << 20)

/* The kind of handle that the device's memory goes by; 0: none. */
static enum vkb_handle export_kind(const struct vkb_caps *caps)
{
    return caps->memory_exports & VKB_HANDLE_DMA_BUF     ? VKB_HANDLE_DMA_BUF
           : caps->memory_exports & VKB_HANDLE_OPAQUE_FD ? VKB_HANDLE_OPAQUE_FD
           : caps->memory_exports & VKB_HANDLE_WIN32     ? VKB_HANDLE_WIN32
                                                         : 0;
}

static bool may_import(const struct vkb_caps *from, const struct vkb_caps *to)
{
    enum vkb_handle kind = export_kind(from);
    if (!kind || !(to->memory_imports & kind))
        return false;
    return kind == VKB_HANDLE_DMA_BUF || (!memcmp(from->device_uuid, to->device_uuid, sizeof(to->device_uuid)) &&
                                          !memcmp(from->driver_uuid, to->driver_uuid, sizeof(to->driver_uuid)));
}

/* The buffer's memory as one of the other device's. */
static enum vkb_result import(struct vkb_buffer *buffer, enum vkb_handle kind, uint64_t size, struct vkb_device *to,
                              struct vkb_buffer **peer)
{
    intptr_t handle = vkb_buffer_export(buffer, kind);
    if (handle < 0)
        return VKB_UNSUPPORTED;
    enum vkb_result result = vkb_buffer_import_handle(to, kind, handle, size, peer);
    if (result != VKB_SUCCESS || !vkb_handle_is_taken(kind))
        platform_handle_close(handle);
    return result;
}

/* ---- a copy ---- */

/* What it goes between. */
struct route {
    struct vkb_queue *source, *target;
    struct vkb_buffer *from, *peer, *to; /* the first device's, the same as the second one has it, the second one's */
    uint64_t from_offset, to_offset, size;
};

static enum vkb_result copy(const struct route *route, struct vkb_event *const *waits, uint32_t num_waits,
                            struct vkb_event **arrives, struct vkb_event **returned)
{
    enum { GIVEN, TAKEN, COPIED, GIVEN_BACK, TAKEN_BACK, STEPS };
    struct vkb_event *events[STEPS] = {NULL};
    enum vkb_result result = VKB_SUCCESS;
    for (int step = GIVEN; step < STEPS && result == VKB_SUCCESS; step++) {
        const struct vkb_enqueue enqueue = {
            .queue = step == GIVEN || step == TAKEN_BACK ? route->source : route->target,
            .num_waits = step == GIVEN ? num_waits : 1,
            .waits = step == GIVEN ? waits : &events[step - 1],
            .event = &events[step],
            .after_failure = step >= GIVEN_BACK, /* the memory is good, whatever became of the copy */
        };
        switch (step) {
        case GIVEN:
        case TAKEN_BACK:
            result = vkb_cmd_ownership(&enqueue, route->from, NULL, step == TAKEN_BACK);
            break;
        case TAKEN:
        case GIVEN_BACK:
            result = vkb_cmd_ownership(&enqueue, route->peer, NULL, step == TAKEN);
            break;
        default:
            result = vkb_cmd_copy(&enqueue, route->peer, route->from_offset, route->to, route->to_offset, route->size);
        }
        if (result == VKB_SUCCESS && (step == GIVEN || step >= GIVEN_BACK))
            vkb_queue_flush(enqueue.queue);
    }
    /* Once the copy is enqueued it takes place, and nobody may do its work again by another way. Without memory for the
     * rest the first device at least waits for it. */
    bool copies = events[COPIED] != NULL;
    struct vkb_event *last = events[TAKEN_BACK] ? events[TAKEN_BACK] : events[COPIED];
    *arrives = copies ? vkb_event_retain(events[COPIED]) : NULL;
    *returned = copies ? vkb_event_retain(last) : NULL;
    for (int step = GIVEN; step < STEPS; step++) {
        if (events[step])
            vkb_event_release(events[step]);
    }
    return copies ? VKB_SUCCESS : result;
}

/* ---- trying ---- */

enum { TRIAL_BYTES = 65536, TRIAL_NS = 2000000000 };

static bool run_trial(const struct route *route, uint32_t seed)
{
    enum { WORDS = TRIAL_BYTES / 4 };
    uint32_t *words = malloc(2 * TRIAL_BYTES), *back = words + WORDS;
    struct vkb_event *written = NULL, *arrives = NULL, *returned = NULL, *read = NULL;
    bool right = false;
    if (!words)
        return false;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = (i + seed) * 2654435761u;
        back[i] = 0;
    }
    const struct vkb_enqueue writing = {.queue = route->source, .event = &written};
    if (vkb_cmd_write(&writing, route->from, 0, TRIAL_BYTES, words, true) == VKB_SUCCESS &&
        copy(route, &written, 1, &arrives, &returned) == VKB_SUCCESS) {
        const struct vkb_enqueue reading = {.queue = route->target, .waits = &arrives, .num_waits = 1, .event = &read};
        right = vkb_cmd_read(&reading, route->to, 0, TRIAL_BYTES, back) == VKB_SUCCESS &&
                vkb_event_wait(read, TRIAL_NS) == VKB_SUCCESS && vkb_event_wait(returned, TRIAL_NS) == VKB_SUCCESS &&
                memcmp(words, back, TRIAL_BYTES) == 0;
    }
    /* The commands use the words until they have ended. */
    vkb_queue_wait(route->source);
    vkb_queue_wait(route->target);
    struct vkb_event *events[] = {written, arrives, returned, read};
    for (int i = 0; i < 4; i++) {
        if (events[i])
            vkb_event_release(events[i]);
    }
    free(words);
    return right;
}

static bool try_pair(cl_device_id from, cl_device_id to)
{
    struct route route = {.size = TRIAL_BYTES};
    enum vkb_handle kind = export_kind(from->caps);
    bool right = vkb_queue_create(from->vk, VKB_QUEUE_EVENTS_ONLY | VKB_QUEUE_BOUNDED, &route.source) == VKB_SUCCESS;
    right = right && vkb_queue_create(to->vk, VKB_QUEUE_EVENTS_ONLY | VKB_QUEUE_BOUNDED, &route.target) == VKB_SUCCESS;
    right = right && vkb_buffer_create_exported(from->vk, TRIAL_BYTES, kind, &route.from) == VKB_SUCCESS;
    right = right && import(route.from, kind, TRIAL_BYTES, to->vk, &route.peer) == VKB_SUCCESS;
    right = right && vkb_buffer_create(to->vk, TRIAL_BYTES, VKB_MEMORY_DEVICE, &route.to) == VKB_SUCCESS;
    right = right && run_trial(&route, 1) && run_trial(&route, 77);
    vkb_buffer_release(route.to);
    vkb_buffer_release(route.peer);
    vkb_buffer_release(route.from);
    if (route.target)
        vkb_queue_release(route.target);
    if (route.source)
        vkb_queue_release(route.source);
    return right;
}

static int platform_index(cl_device_id device)
{
    for (cl_uint i = 0; i < ocl_platform.num_devices && i < 64; i++) {
        if (ocl_platform.devices[i] == device)
            return (int)i;
    }
    return -1;
}

/* Two threads that ask at once both try, and find the same. */
static bool can_read(cl_device_id from, cl_device_id to)
{
    int index = platform_index(to);
    if (index < 0 || !may_import(from->caps, to->caps))
        return false;
    uint64_t bit = (uint64_t)1 << index;
    if (!(atomic_load(&from->peers_tried) & bit)) {
        bool right = try_pair(from, to);
        log_info("%s %s the memory of %s", to->caps->name, right ? "reads" : "cannot read", from->caps->name);
        if (right)
            atomic_fetch_or(&from->peers_right, bit);
        atomic_fetch_or(&from->peers_tried, bit);
    }
    return atomic_load(&from->peers_right) & bit;
}

void ocl_peers_find(cl_context context)
{
    for (cl_uint from = 0; from < context->num_devices; from++) {
        context->readers[from] = 0;
        for (cl_uint to = 0; to < context->num_devices && to < 64; to++) {
            if (to != from && can_read(context->devices[from], context->devices[to]))
                context->readers[from] |= (uint64_t)1 << to;
        }
    }
}

/* ---- buffers ---- */

enum vkb_result ocl_peer_allocate(cl_context context, cl_uint device, uint64_t size, struct vkb_buffer **buffer)
{
    if (!context->readers[device] || size < WORTH_IT)
        return VKB_UNSUPPORTED;
    cl_device_id from = context->devices[device];
    return vkb_buffer_create_exported(from->vk, size, export_kind(from->caps), buffer);
}

bool ocl_peer_reaches(cl_mem root, cl_uint from, cl_uint to)
{
    return root->storage[from].exported && root->context->readers[from] >> to & 1;
}

enum vkb_result ocl_peer_move(cl_mem root, cl_uint from, cl_uint to, struct vkb_event *const *waits, uint32_t num_waits,
                              struct vkb_event **arrives, struct vkb_event **returned)
{
    cl_context context = root->context;
    struct ocl_storage *old = &root->storage[from], *new = &root->storage[to];
    *arrives = *returned = NULL;
    if (!old->peers)
        old->peers = calloc(context->num_devices, sizeof(old->peers[0]));
    if (!old->peers)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = VKB_SUCCESS;
    if (!old->peers[to])
        result = import(old->buffer, export_kind(context->devices[from]->caps), root->size, context->devices[to]->vk,
                        &old->peers[to]);
    if (result != VKB_SUCCESS) {
        old->peers[to] = NULL;
        return result;
    }
    const struct route route = {
        .source = ocl_context_transfer_queue(context, from),
        .target = ocl_context_transfer_queue(context, to),
        .from = old->buffer,
        .peer = old->peers[to],
        .to = new->buffer,
        .from_offset = old->offset,
        .to_offset = new->offset,
        .size = root->size,
    };
    if (!route.source || !route.target)
        return VKB_OUT_OF_HOST_MEMORY;
    return copy(&route, waits, num_waits, arrives, returned);
}

void ocl_peer_finish(cl_mem root)
{
    for (cl_uint i = 0; root->storage && i < root->context->num_devices; i++) {
        struct ocl_storage *storage = &root->storage[i];
        for (cl_uint k = 0; storage->peers && k < root->context->num_devices; k++)
            vkb_buffer_release(storage->peers[k]);
        free(storage->peers);
        storage->peers = NULL;
    }
}
