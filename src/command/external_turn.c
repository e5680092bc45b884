/* Memory of others changes hands: the device takes over what it has imported, and the host copies what no device has. A
 * copy is brought back where some command may have written the object since it was acquired: or always, where commands may
 * overlap. There the host's steps note who has the object, as with OpenGL's (gl_turn.c). */
#include "src/command/external_turn.h"

#include "src/command/packed.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/foreign.h"
#include "src/object/queue.h"

#include "base/log.h"
#include "base/util.h"

#include <stdlib.h>

/* ---- by the device ---- */

static cl_int hand_over(struct ocl_command *command, cl_mem root, bool acquire, enum vkb_result *result)
{
    cl_int error = CL_SUCCESS;
    if (acquire) {
        ocl_lock(&root->mutex);
        root->valid = root->imports; /* copies on other devices are old */
        ocl_unlock(&root->mutex);
        atomic_fetch_add(&root->writes, 1);
    } else {
        error = ocl_command_bring(command, root, false);
    }
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_storage *storage = &root->storage[command->queue->device_index];
    struct vkb_enqueue enqueue;
    *result = ocl_command_step(command, &enqueue);
    if (*result == VKB_SUCCESS)
        *result = vkb_cmd_ownership(&enqueue, storage->buffer, storage->image, acquire);
    return CL_SUCCESS;
}

/* ---- by the host ---- */

struct turn {
    struct ocl_foreign *foreign; /* a reference */
    struct vkb_buffer *packed;   /* a reference, of memory that the host sees */
    bool acquires, loose;
};

static int32_t take_turn(void *data, bool run)
{
    struct turn *turn = data;
    struct ocl_foreign *foreign = turn->foreign;
    cl_int status = CL_SUCCESS;
    bool due = run && (turn->acquires || !turn->loose || atomic_exchange(&foreign->acquired, false));
    if (due)
        status = turn->acquires ? foreign->calls->read(foreign, vkb_buffer_map(turn->packed))
                                : foreign->calls->write(foreign, vkb_buffer_map(turn->packed));
    if (due && turn->acquires)
        atomic_store(&foreign->acquired, turn->loose && status == CL_SUCCESS);
    ocl_foreign_release(foreign);
    vkb_buffer_release(turn->packed);
    free(turn);
    return status;
}

static enum vkb_result enqueue_turn(struct ocl_command *command, struct ocl_foreign *foreign, struct vkb_buffer *packed,
                                    bool acquires, bool loose)
{
    struct vkb_enqueue step;
    struct turn *turn = malloc(sizeof(*turn));
    enum vkb_result result = turn ? ocl_command_step(command, &step) : VKB_OUT_OF_HOST_MEMORY;
    if (result != VKB_SUCCESS) {
        free(turn);
        return result;
    }
    *turn = (struct turn){ocl_foreign_retain(foreign), vkb_buffer_retain(packed), acquires, loose};
    result = vkb_cmd_host_status(&step, take_turn, turn);
    if (result != VKB_SUCCESS)
        take_turn(turn, false);
    return result;
}

static cl_int copy(struct ocl_command *command, cl_mem mem, bool acquires, bool loose, enum vkb_result *result)
{
    struct ocl_packed_place place = {.buffer = NULL};
    struct vkb_buffer *packed = NULL;
    uint64_t size = mem->foreign->size;
    cl_int error = ocl_packed_find(command, mem, acquires, &place);
    if (error == CL_SUCCESS)
        error =
            ocl_from_vkb(vkb_buffer_create(command->queue->device->vk, align_up(size, 4), VKB_MEMORY_HOST, &packed));
    if (error != CL_SUCCESS)
        return error;
    if (acquires) {
        *result = enqueue_turn(command, mem->foreign, packed, true, loose);
        if (*result == VKB_SUCCESS)
            *result = ocl_packed_copy(command, mem, &place, packed, size, true);
    } else {
        *result = ocl_packed_copy(command, mem, &place, packed, size, false);
        if (*result == VKB_SUCCESS)
            *result = enqueue_turn(command, mem->foreign, packed, false, loose);
    }
    vkb_buffer_release(packed);
    return CL_SUCCESS;
}

/* What acquired_stamp is where commands may overlap. */
#define LOOSE UINT64_MAX

static bool overlaps(const struct ocl_command *command)
{
    return atomic_load(&command->queue->context->overlaps);
}

static cl_int fetch(struct ocl_command *command, cl_mem mem, enum vkb_result *result)
{
    bool loose = overlaps(command);
    cl_int error = copy(command, mem, true, loose, result);
    atomic_store(&mem->acquired_stamp, loose ? LOOSE : ocl_mem_stamp(ocl_mem_root(mem)));
    return error;
}

/* The others get contents that may have changed since the object was acquired. */
static cl_int bring_back(struct ocl_command *command, cl_mem mem, bool *moves, enum vkb_result *result)
{
    uint64_t stamp = atomic_exchange(&mem->acquired_stamp, 0);
    bool loose = overlaps(command) && (!stamp || stamp == LOOSE);
    *moves = overlaps(command) || (stamp && stamp != ocl_mem_stamp(ocl_mem_root(mem)));
    return *moves ? copy(command, mem, false, loose, result) : CL_SUCCESS;
}

/* *moves: false, if there was nothing to do. */
static cl_int take_over(struct ocl_command *command, cl_mem mem, bool acquire, bool *moves, enum vkb_result *result)
{
    *moves = true;
    if (!mem->foreign)
        return hand_over(command, ocl_mem_root(mem), acquire, result);
    return acquire ? fetch(command, mem, result) : bring_back(command, mem, moves, result);
}

/* The calling thread goes on with what has the objects next, which must not come before the command. Only user events
 * that are not set can keep it up for ever: their program may be the thread that waits. */
static void wait_for_end(const struct ocl_command *command, struct vkb_event *event)
{
    enum { PATIENCE_NS = 1000000000 };
    if (vkb_event_wait(event, PATIENCE_NS) != VKB_TIMEOUT)
        return;
    while (!atomic_load(&command->queue->context->unset_events)) {
        if (vkb_event_wait(event, PATIENCE_NS) != VKB_TIMEOUT)
            return;
    }
    log_warn("%s does not wait for its end: there are user events that are not set", command->function);
}

cl_int ocl_turn_end(struct ocl_command *command, enum vkb_result result, bool blocking)
{
    struct vkb_queue *queue = command->queue->vk;
    struct vkb_event *done = blocking && command->done ? vkb_event_retain(command->done) : NULL;
    cl_int error = ocl_command_end(command, result, false);
    if (done && error == CL_SUCCESS) {
        vkb_queue_flush(queue);
        wait_for_end(command, done);
    }
    if (done)
        vkb_event_release(done);
    return error;
}

cl_int ocl_external_turn(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool acquire, bool blocking)
{
    enum vkb_result result = VKB_SUCCESS;
    bool empty = true;
    command->want_event = command->want_event || blocking;
    for (cl_uint i = 0; i < count && result == VKB_SUCCESS; i++) {
        bool moves;
        cl_int error = take_over(command, mems[i], acquire, &moves, &result);
        if (error != CL_SUCCESS)
            return ocl_command_fail(command, error);
        empty = empty && !moves;
    }
    if (empty)
        result = ocl_command_nothing(command);
    return ocl_turn_end(command, result, blocking);
}
