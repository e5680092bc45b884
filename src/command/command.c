/* What every clEnqueue* function does around its vkb_cmd_*: gather what to wait for, bring the memory to the device,
 * make the event, wait when blocking.
 *
 * In a context of several devices each device has its own copy of a buffer (OpenCL 3.0 API, 3.3.1: contents are shared,
 * ordered by events). If a command uses a buffer whose newest contents are on another device, a transfer comes before
 * it, after the last write: a copy where one device can import the other's memory (peer.c), else a read on the owner's
 * transfer queue, a write on the command's queue, or both by way of host memory. None of this blocks the calling
 * thread, so it also works behind unset user events. */
#include "src/command/command.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/event.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/peer.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static cl_int check_list(const char *function, cl_context context, cl_uint num_events, const cl_event *events,
                         bool takes_syncs)
{
    /* OpenCL 3.0 API, 5.2.2 and wherever commands are enqueued: CL_INVALID_EVENT_WAIT_LIST where one of list and number
     * is there without the other. What is no event has the same code, and not CL_INVALID_EVENT. */
    if (!events != !num_events)
        return ocl_fail(context, function, CL_INVALID_EVENT_WAIT_LIST, "%u events, and a list that is%s NULL",
                        num_events, events ? " not" : "");
    for (cl_uint i = 0; i < num_events; i++) {
        if (!ocl_is(events[i], OCL_EVENT))
            return ocl_fail(context, function, CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[%u] is no event", i);
        if (events[i]->context != context)
            return ocl_fail(context, function, CL_INVALID_CONTEXT, "event_wait_list[%u] is of another context", i);
        /* cl_khr_gl_event, cl_khr_egl_event: no other command takes them than those that acquire objects. */
        if (!takes_syncs && (events[i]->type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR ||
                             events[i]->type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR))
            return ocl_fail(context, function, CL_INVALID_EVENT, "event_wait_list[%u] is that of a sync object", i);
    }
    return CL_SUCCESS;
}

cl_int ocl_check_waits(const char *function, cl_context context, cl_uint num_events, const cl_event *events)
{
    return check_list(function, context, num_events, events, false);
}

cl_int ocl_check_waits_of_turn(const char *function, cl_context context, cl_uint num_events, const cl_event *events)
{
    return check_list(function, context, num_events, events, true);
}

cl_int ocl_check_waits_ended_well(const char *function, cl_context context, cl_uint num_events, const cl_event *events)
{
    cl_int error = ocl_check_waits(function, context, num_events, events);
    for (cl_uint i = 0; i < num_events && error == CL_SUCCESS; i++) {
        if (ocl_event_ask(events[i]) < 0)
            error = ocl_fail(context, function, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                             "event_wait_list[%u] has failed", i);
    }
    return error;
}

/* Takes the reference, also on failure. */
cl_int ocl_command_wait_for(struct ocl_command *command, struct vkb_event *event)
{
    if (command->num_waits == command->wait_capacity) {
        uint32_t capacity = command->wait_capacity * 2;
        bool moved = command->waits != command->inline_waits;
        struct vkb_event **waits = realloc(moved ? command->waits : NULL, capacity * sizeof(*waits));
        if (!waits) {
            vkb_event_release(event);
            return CL_OUT_OF_HOST_MEMORY;
        }
        if (!moved)
            memcpy(waits, command->inline_waits, command->num_waits * sizeof(*waits));
        command->waits = waits;
        command->wait_capacity = capacity;
    }
    command->waits[command->num_waits++] = event;
    return CL_SUCCESS;
}

cl_int ocl_command_begin(struct ocl_command *command, const struct ocl_call *call)
{
    cl_context context = call->queue->context;
    command->function = call->function;
    command->queue = call->queue;
    command->event_ret = call->event;
    command->event = NULL;
    command->done = command->first = command->last = NULL;
    command->blocking = call->blocking;
    command->want_event = call->event || call->blocking || context->num_devices > 1;
    command->writing = false;
    command->num_waits = command->num_covered = 0;
    command->wait_capacity = OCL_INLINE_WAITS;
    command->waits = command->inline_waits;
    command->num_written = 0;
    command->written = NULL;
    command->kept = NULL;
    command->family = NULL;
    command->family_number = 0;
    command->recording = NULL;
    if (ocl_context_is_terminated(context))
        return ocl_command_fail(command, CL_CONTEXT_TERMINATED_KHR);
    if (call->queue->device->caps->compile_only)
        return ocl_fail(context, call->function, CL_DEVICE_NOT_AVAILABLE,
                        "the device only compiles, as PUMICE_COMPILE_ONLY says");
    if (call->event) {
        command->event = ocl_event_create(context, call->queue, call->type);
        if (!command->event)
            return ocl_command_fail(command, CL_OUT_OF_HOST_MEMORY);
    }
    for (cl_uint i = 0; i < call->num_waits; i++) {
        cl_int error = ocl_command_wait_for(command, vkb_event_retain(call->waits[i]->done));
        if (error != CL_SUCCESS)
            return ocl_command_fail(command, error);
    }
    return CL_SUCCESS;
}

static void finish(struct ocl_command *command)
{
    if (command->writing)
        atomic_fetch_sub(&command->queue->context->writing, 1);
    for (uint32_t i = 0; i < command->num_waits; i++)
        vkb_event_release(command->waits[i]);
    if (command->waits != command->inline_waits)
        free(command->waits);
    for (uint32_t i = 0; i < command->num_written; i++)
        ocl_mem_release_weak(command->written[i]);
    free(command->written);
    if (command->done)
        vkb_event_release(command->done);
    if (command->first)
        vkb_event_release(command->first);
    if (command->last)
        vkb_event_release(command->last);
}

cl_int ocl_command_fail(struct ocl_command *command, cl_int code)
{
    finish(command);
    if (command->event)
        ocl_event_release(command->event);
    return ocl_fail(command->queue->context, command->function, code, "the command cannot be enqueued");
}

struct vkb_enqueue ocl_command_enqueue(struct ocl_command *command)
{
    return (struct vkb_enqueue){.queue = command->queue->vk,
                                .num_waits = command->num_waits,
                                .waits = command->waits,
                                .event = command->want_event ? &command->done : NULL,
                                .blocking = command->blocking,
                                .recording = command->recording};
}

enum vkb_result ocl_command_behind(struct ocl_command *command, void (*call)(void *data, bool run), void *data)
{
    struct vkb_event *dispatched = command->done, *behind = NULL;
    struct vkb_enqueue enqueue = {
        .queue = command->queue->vk, .num_waits = 1, .waits = &dispatched, .event = &behind, .goes_on = true};
    enum vkb_result result = vkb_cmd_host(&enqueue, call, data);
    if (result != VKB_SUCCESS)
        return result;
    if (!command->first)
        command->first = vkb_event_retain(dispatched);
    if (command->last)
        vkb_event_release(dispatched);
    else
        command->last = dispatched;
    command->done = behind;
    return VKB_SUCCESS;
}

enum vkb_result ocl_command_step(struct ocl_command *command, struct vkb_enqueue *enqueue)
{
    struct vkb_event *before = command->done;
    command->want_event = true;
    command->done = NULL;
    if (before) {
        uint32_t covered = command->num_covered;
        for (uint32_t i = 0; i < covered; i++)
            vkb_event_release(command->waits[i]);
        command->num_waits -= covered;
        memmove(command->waits, command->waits + covered, command->num_waits * sizeof(command->waits[0]));
        command->num_covered = 0;
        if (ocl_command_wait_for(command, vkb_event_retain(before)) != CL_SUCCESS) {
            vkb_event_release(before);
            return VKB_OUT_OF_HOST_MEMORY;
        }
        if (command->first)
            vkb_event_release(before);
        else
            command->first = before;
    }
    command->num_covered = command->num_waits;
    *enqueue = ocl_command_enqueue(command);
    enqueue->goes_on = before;
    return VKB_SUCCESS;
}

cl_int ocl_command_end(struct ocl_command *command, enum vkb_result result, bool blocking)
{
    if (result != VKB_SUCCESS)
        return ocl_command_fail(command, ocl_from_vkb(result));
    for (uint32_t i = 0; i < command->num_written; i++) {
        cl_mem root = command->written[i];
        ocl_lock(&root->mutex);
        struct vkb_event *before = root->last_write;
        root->last_write = command->done ? vkb_event_retain(command->done) : NULL;
        ocl_unlock(&root->mutex);
        if (before)
            vkb_event_release(before);
    }
    if (command->event) {
        command->event->done = vkb_event_retain(command->done);
        if (command->first && !command->last)
            command->last = vkb_event_retain(command->done);
        command->event->first = command->first ? vkb_event_retain(command->first) : NULL;
        command->event->last = command->last ? vkb_event_retain(command->last) : NULL;
    }
    if (command->kept) {
        command->kept->done = command->done ? vkb_event_retain(command->done) : NULL;
        command->kept->first = command->first ? vkb_event_retain(command->first) : NULL;
        command->kept->last = command->last ? vkb_event_retain(command->last) : NULL;
    }
    if (blocking)
        result = vkb_event_wait(command->done, UINT64_MAX);
    finish(command);
    /* A call that returns an error gives no event. */
    if (command->event && result == VKB_SUCCESS)
        *command->event_ret = command->event;
    else if (command->event)
        ocl_event_release(command->event);
    if (result != VKB_SUCCESS) {
        bool terminated = ocl_context_is_terminated(command->queue->context);
        return ocl_fail(command->queue->context, command->function,
                        terminated ? CL_CONTEXT_TERMINATED_KHR : ocl_from_vkb(result), "the command failed");
    }
    return CL_SUCCESS;
}

static enum vkb_result enqueue_nothing(struct ocl_command *command, bool unheld)
{
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    enqueue.unheld = unheld;
    if (command->num_waits > 0 || !(command->queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return vkb_cmd_marker(&enqueue, false);
    /* A marker without waits would wait for everything before it. So it is given an event that has already happened. */
    struct vkb_event *past;
    enum vkb_result result = vkb_event_create_past(&past);
    if (result != VKB_SUCCESS)
        return result;
    enqueue.num_waits = 1;
    enqueue.waits = &past;
    result = vkb_cmd_marker(&enqueue, false);
    vkb_event_release(past);
    return result;
}

enum vkb_result ocl_command_nothing(struct ocl_command *command)
{
    return enqueue_nothing(command, false);
}

enum vkb_result ocl_command_nothing_unheld(struct ocl_command *command)
{
    return enqueue_nothing(command, true);
}

/* ---- memory ---- */

/* Memory of the host between two devices. Each command that reads or writes it has a reference until it has ended: in a
 * queue that is terminated a later one may end first. */
struct between {
    atomic_uint refs;
    char bytes[];
};

static struct between *between_create(uint64_t size)
{
    struct between *between = malloc(sizeof(*between) + size);
    if (between)
        atomic_init(&between->refs, 1);
    return between;
}

static void between_release(struct between *between)
{
    if (between && atomic_fetch_sub(&between->refs, 1) == 1)
        free(between);
}

static void drop_between(void *data, int32_t status)
{
    (void)status;
    between_release(data);
}

/* vkb_cmd_write() or vkb_cmd_read() of bytes from at on, which keeps them until it has ended. The enqueue wants an
 * event. The callback is made first, because afterwards nothing but waiting would help when there is no memory for it,
 * and nobody may wait under an object's mutex. */
static enum vkb_result move_between(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, uint64_t offset,
                                    struct between *between, uint64_t at, uint64_t size, bool write)
{
    struct vkb_callback *drop = vkb_callback_create(VKB_STEWARD, drop_between, between);
    enum vkb_result result = VKB_OUT_OF_HOST_MEMORY;
    if (drop)
        result = write ? vkb_cmd_write(enqueue, buffer, offset, size, between->bytes + at, true)
                       : vkb_cmd_read(enqueue, buffer, offset, size, between->bytes + at);
    if (result != VKB_SUCCESS) {
        vkb_callback_destroy(drop);
        return result;
    }
    atomic_fetch_add(&between->refs, 1);
    vkb_event_tell(*enqueue->event, VKB_COMPLETE, drop);
    return VKB_SUCCESS;
}

/* Commands one behind the other; the first waits for what the enqueue came with. */
struct chain {
    struct vkb_enqueue enqueue;
    struct vkb_event *before, *done; /* of the command before the one that is enqueued next, and of that */
};

static struct vkb_enqueue *chain_next(struct chain *chain)
{
    if (chain->done) {
        if (chain->before)
            vkb_event_release(chain->before);
        chain->before = chain->done;
        chain->done = NULL;
        chain->enqueue.waits = &chain->before;
        chain->enqueue.num_waits = 1;
    }
    chain->enqueue.event = &chain->done;
    return &chain->enqueue;
}

/* The root's bytes, or all its texels packed, between a device's memory and the host's: behind waits. *event is the end
 * of the last command that was enqueued, also after a failure; then it may be NULL. */
static enum vkb_result move(struct vkb_queue *queue, cl_mem root, cl_uint device, struct between *between, bool write,
                            struct vkb_event *const *waits, uint32_t num_waits, struct vkb_event **event)
{
    struct ocl_storage *storage = &root->storage[device];
    struct chain chain = {.enqueue = {.queue = queue, .waits = waits, .num_waits = num_waits}};
    struct vkb_buffer *packed = NULL, *buffer = storage->buffer;
    struct vkb_image_region whole;
    uint64_t size = root->size;
    enum vkb_result result = VKB_SUCCESS;
    uint32_t levels = storage->image ? ocl_image_levels(root->image) : 0;
    if (storage->image) {
        size = ocl_image_packed_size(root);
        result = vkb_buffer_create(root->context->devices[device]->vk, size, VKB_MEMORY_HOST, &packed);
        buffer = packed;
    }
    for (uint32_t i = 0; result == VKB_SUCCESS && i < levels && !write; i++) {
        ocl_image_whole(root, i, &whole);
        result = vkb_cmd_image_to_buffer(chain_next(&chain), storage->image, packed, &whole);
    }
    if (result == VKB_SUCCESS)
        result = move_between(chain_next(&chain), buffer, 0, between, 0, size, write);
    for (uint32_t i = 0; result == VKB_SUCCESS && i < levels && write; i++) {
        ocl_image_whole(root, i, &whole);
        result = vkb_cmd_buffer_to_image(chain_next(&chain), packed, storage->image, &whole);
    }
    *event = chain.done ? chain.done : chain.before;
    if (chain.done && chain.before)
        vkb_event_release(chain.before);
    vkb_buffer_release(packed);
    return result;
}

enum { PIECE = 4 << 20 }; /* bytes of a transfer through the host that one command moves */

static void release_buffer(void *data, int32_t status)
{
    (void)status;
    vkb_buffer_release(data);
}

/* Where the host can see one side's memory, a single command moves the bytes. */
static enum vkb_result move_seen(struct vkb_queue *source, struct vkb_queue *target, const struct ocl_storage *from,
                                 const struct ocl_storage *to, uint64_t size, struct vkb_event *const *waits,
                                 uint32_t num_waits, struct vkb_event **event)
{
    bool write = vkb_buffer_fast_read(from->buffer);
    const struct vkb_enqueue enqueue = {
        .queue = write ? target : source, .num_waits = num_waits, .waits = waits, .event = event};
    char *map = vkb_buffer_map(write ? from->buffer : to->buffer);
    struct vkb_buffer *kept = write ? from->buffer : to->buffer;
    struct vkb_callback *drop = vkb_callback_create(VKB_STEWARD, release_buffer, kept);
    if (!drop)
        return VKB_OUT_OF_HOST_MEMORY;
    enum vkb_result result = write ? vkb_cmd_write(&enqueue, to->buffer, to->offset, size, map + from->offset, true)
                                   : vkb_cmd_read(&enqueue, from->buffer, from->offset, size, map + to->offset);
    if (result != VKB_SUCCESS) {
        vkb_callback_destroy(drop);
        return result;
    }
    vkb_buffer_retain(kept);
    if (!write)
        vkb_queue_flush(source);
    vkb_event_tell(*event, VKB_COMPLETE, drop);
    return VKB_SUCCESS;
}

/* Otherwise by way of the host's memory, in pieces: while one is written to its new device, the next is read. */
static enum vkb_result move_pieces(struct vkb_queue *source, struct vkb_queue *target, const struct ocl_storage *from,
                                   const struct ocl_storage *to, uint64_t size, struct vkb_event *const *waits,
                                   uint32_t num_waits, struct vkb_event **event)
{
    struct between *between = between_create(size);
    struct vkb_event *read = NULL, *written = NULL; /* of the piece before */
    enum vkb_result result = between ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
    for (uint64_t at = 0; at < size && result == VKB_SUCCESS; at += PIECE) {
        uint64_t bytes = size - at < PIECE ? size - at : PIECE;
        struct vkb_event *before[2] = {NULL, written}, *done = NULL;
        const struct vkb_enqueue reading = {.queue = source,
                                            .num_waits = read ? 1 : num_waits,
                                            .waits = read ? (struct vkb_event *const[]){read} : waits,
                                            .event = &before[0]};
        result = move_between(&reading, from->buffer, from->offset + at, between, at, bytes, false);
        if (result != VKB_SUCCESS)
            break;
        vkb_queue_flush(source);
        const struct vkb_enqueue writing = {
            .queue = target, .num_waits = written ? 2 : 1, .waits = before, .event = &done};
        result = move_between(&writing, to->buffer, to->offset + at, between, at, bytes, true);
        if (read)
            vkb_event_release(read);
        read = before[0];
        if (result == VKB_SUCCESS) {
            if (written)
                vkb_event_release(written);
            written = done;
        }
    }
    between_release(between);
    if (read)
        vkb_event_release(read);
    if (result == VKB_SUCCESS)
        *event = written;
    else if (written)
        vkb_event_release(written);
    return result;
}

/* An image's texels are packed on the way. */
static enum vkb_result move_image(struct vkb_queue *source, struct vkb_queue *target, cl_mem root, cl_uint from,
                                  cl_uint to, struct vkb_event *const *waits, uint32_t num_waits,
                                  struct vkb_event **event)
{
    struct vkb_event *read = NULL, *written = NULL;
    struct between *between = between_create(ocl_image_packed_size(root));
    enum vkb_result result = between ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
    if (result == VKB_SUCCESS)
        result = move(source, root, from, between, false, waits, num_waits, &read);
    if (result == VKB_SUCCESS) {
        vkb_queue_flush(source);
        result = move(target, root, to, between, true, &read, 1, &written);
    }
    between_release(between);
    if (read)
        vkb_event_release(read);
    if (result == VKB_SUCCESS)
        *event = written;
    else if (written)
        vkb_event_release(written);
    return result;
}

/* Copies the root's contents from the device that has them. Called with root->mutex held. */
static cl_int migrate(struct ocl_command *command, cl_mem root, cl_uint from, cl_uint to)
{
    struct vkb_queue *source = ocl_context_transfer_queue(root->context, from), *target = command->queue->vk;
    if (!source)
        return CL_OUT_OF_RESOURCES;
    struct vkb_event *written = NULL, *waits[2];
    uint32_t num_waits = 0;
    if (root->last_write && vkb_event_ask(root->last_write) >= 0) /* what failed is waited for by nobody */
        waits[num_waits++] = root->last_write;
    if (root->storage[from].arrives)
        waits[num_waits++] = root->storage[from].arrives;
    const struct ocl_storage *old = &root->storage[from], *new = &root->storage[to];
    struct vkb_event *returned = NULL;
    enum vkb_result result;
    if (root->image)
        result = move_image(source, target, root, from, to, waits, num_waits, &written);
    else if (vkb_buffer_fast_read(old->buffer) || vkb_buffer_map(new->buffer))
        result = move_seen(source, target, old, new, root->size, waits, num_waits, &written);
    else if (ocl_peer_reaches(root, from, to) &&
             ocl_peer_move(root, from, to, waits, num_waits, &written, &returned) == VKB_SUCCESS)
        result = VKB_SUCCESS;
    else
        result = move_pieces(source, target, old, new, root->size, waits, num_waits, &written);
    if (result != VKB_SUCCESS)
        return ocl_from_vkb(result);
    if (root->storage[to].arrives)
        vkb_event_release(root->storage[to].arrives);
    root->storage[to].arrives = written;
    if (returned) {
        if (root->storage[from].arrives)
            vkb_event_release(root->storage[from].arrives);
        root->storage[from].arrives = returned;
    }
    return CL_SUCCESS;
}

/* Forgets transfers that are over. One that failed brought nothing: the next use tries again. With root->mutex held. */
static void settle_copies(cl_mem root)
{
    for (cl_uint i = 0; i < root->context->num_devices; i++) {
        struct ocl_storage *storage = &root->storage[i];
        int32_t status = storage->arrives ? vkb_event_ask(storage->arrives) : VKB_RUNNING;
        if (status > 0)
            continue;
        if (status < 0 && root->valid != UINT64_C(1) << i)
            root->valid &= ~(UINT64_C(1) << i);
        vkb_event_release(storage->arrives);
        storage->arrives = NULL;
    }
}

static cl_int note_written(struct ocl_command *command, cl_mem root)
{
    cl_mem *list = realloc(command->written, (command->num_written + 1) * sizeof(*list));
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    command->written = list;
    ocl_mem_retain_weak(root);
    list[command->num_written++] = root;
    return CL_SUCCESS;
}

/* brings: the contents come along. */
static cl_int use_shared(struct ocl_command *command, cl_mem root, bool writes, bool brings)
{
    cl_uint here = command->queue->device_index;
    uint64_t bit = UINT64_C(1) << here;
    cl_int error = CL_SUCCESS;
    ocl_lock(&root->mutex);
    settle_copies(root);
    if (root->image && !root->storage[here].image)
        error = ocl_image_place(root, here);
    else if (!root->image && !root->storage[here].buffer)
        error = ocl_mem_place(root, here);
    /* Imported memory is the same for all devices that import it. */
    uint64_t here_too = root->imports & bit ? root->imports : bit;
    if (error == CL_SUCCESS && brings && root->valid && !(root->valid & here_too))
        error = migrate(command, root, (cl_uint)__builtin_ctzll(root->valid), here);
    if (error == CL_SUCCESS && root->storage[here].arrives) /* whichever command set it going */
        error = ocl_command_wait_for(command, vkb_event_retain(root->storage[here].arrives));
    if (error == CL_SUCCESS)
        root->valid = writes ? here_too : root->valid | here_too;
    ocl_unlock(&root->mutex);
    if (error == CL_SUCCESS && writes)
        error = note_written(command, root);
    return error;
}

/* Before the write itself is counted: whoever sees neither knows that it is not enqueued yet (map.c). */
static void count_writing(struct ocl_command *command)
{
    if (!command->writing)
        atomic_fetch_add(&command->queue->context->writing, 1);
    command->writing = true;
}

void ocl_command_writes_any(struct ocl_command *command)
{
    count_writing(command);
    atomic_fetch_add(&command->queue->context->any_writes, 1);
}

cl_int ocl_command_bring(struct ocl_command *command, cl_mem mem, bool writes)
{
    cl_mem root = ocl_mem_root(mem);
    if (writes) {
        count_writing(command);
        atomic_fetch_add(&root->writes, 1);
    }
    return root->context->num_devices > 1 ? use_shared(command, root, writes, true) : ocl_mem_ready(root);
}

cl_int ocl_command_place(struct ocl_command *command, cl_mem mem)
{
    cl_mem root = ocl_mem_root(mem);
    bool whole = !mem->parent; /* a part of it is nothing without the rest */
    return root->context->num_devices > 1 ? use_shared(command, root, whole, !whole) : ocl_mem_ready(root);
}

cl_int ocl_command_use(struct ocl_command *command, cl_mem mem, bool writes, struct vkb_buffer **buffer,
                       uint64_t *offset)
{
    cl_int error = ocl_command_bring(command, mem, writes);
    *offset = mem->origin;
    const struct ocl_storage *storage = &ocl_mem_root(mem)->storage[command->queue->device_index];
    *buffer = storage->buffer;
    *offset += storage->offset;
    return error;
}
