/* Objects of OpenGL change hands: their contents go through memory that OpenGL uses as well (gl_shared.c), or through
 * memory of the host's that the device reaches.
 *
 * To acquire an object, OpenGL's worker reads all of it into such memory, and the device copies that into the memory
 * object. To release it, the device copies the other way, and the worker writes what there is then; nothing is done
 * where no command may have written the object meanwhile. The worker's part is a step of the command that the host does
 * at its turn. */
#include "src/command/gl_turn.h"

#include "src/command/external_turn.h"
#include "src/command/packed.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/gl_memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>

/* The host's step. */
struct turn {
    struct ocl_gl_object *object; /* a reference; NULL: only the fence is waited for */
    struct ocl_gl_fence *fence;
    struct vkb_buffer *packed; /* a reference, of memory that the host sees; NULL: OpenGL has it attached */
    bool acquires;
};

static int32_t take_turn(void *data, bool run)
{
    struct turn *turn = data;
    cl_int status = CL_SUCCESS;
    ocl_gl_fence_wait(turn->fence);
    void *map = turn->packed ? vkb_buffer_map(turn->packed) : NULL;
    if (run && turn->object && turn->acquires)
        status = ocl_gl_read(turn->object, map);
    else if (run && turn->object)
        status = ocl_gl_write(turn->object, map);
    ocl_gl_object_release(turn->object);
    vkb_buffer_release(turn->packed);
    free(turn);
    return status;
}

/* Takes the fence over. object and packed: NULL for the fence alone. */
static enum vkb_result enqueue_turn(struct ocl_command *command, struct ocl_gl_object *object,
                                    struct vkb_buffer *packed, struct ocl_gl_fence *fence, bool acquires)
{
    struct vkb_enqueue step;
    struct turn *turn = malloc(sizeof(*turn));
    enum vkb_result result = turn ? ocl_command_step(command, &step) : VKB_OUT_OF_HOST_MEMORY;
    if (result != VKB_SUCCESS) {
        ocl_gl_fence_wait(fence);
        free(turn);
        return result;
    }
    *turn = (struct turn){.fence = fence, .acquires = acquires};
    if (object) {
        turn->object = ocl_gl_object_retain(object);
        turn->packed = packed ? vkb_buffer_retain(packed) : NULL;
    }
    result = vkb_cmd_host_status(&step, take_turn, turn);
    if (result != VKB_SUCCESS)
        take_turn(turn, false);
    return result;
}

/* ---- the commands ---- */

static enum vkb_result change_hands(struct ocl_command *command, struct vkb_buffer *shared, bool acquire)
{
    struct vkb_enqueue step;
    enum vkb_result result = ocl_command_step(command, &step);
    return result == VKB_SUCCESS ? vkb_cmd_ownership(&step, shared, NULL, acquire) : result;
}

/* By memory of the device's, which is OpenGL's between its two hand-overs. */
static enum vkb_result copy_shared(struct ocl_command *command, cl_mem mem, struct ocl_packed_place *place,
                                   bool acquires)
{
    enum vkb_result result = change_hands(command, mem->gl_shared, true);
    if (result == VKB_SUCCESS)
        result = ocl_packed_copy(command, mem, place, mem->gl_shared, ocl_mem_gl_size(mem), acquires);
    return result == VKB_SUCCESS ? change_hands(command, mem->gl_shared, false) : result;
}

/* packed: memory of the host's, or NULL: the memory object has memory that it shares with OpenGL. */
static enum vkb_result take_over(struct ocl_command *command, cl_mem mem, struct ocl_packed_place *place,
                                 struct vkb_buffer *packed, struct ocl_gl_fence *fence)
{
    enum vkb_result result = enqueue_turn(command, mem->gl, packed, fence, true);
    if (result != VKB_SUCCESS)
        return result;
    return packed ? ocl_packed_copy(command, mem, place, packed, ocl_mem_gl_size(mem), true)
                  : copy_shared(command, mem, place, true);
}

static enum vkb_result give(struct ocl_command *command, cl_mem mem, struct ocl_packed_place *place,
                            struct vkb_buffer *packed)
{
    enum vkb_result result = packed ? ocl_packed_copy(command, mem, place, packed, ocl_mem_gl_size(mem), false)
                                    : copy_shared(command, mem, place, false);
    return result == VKB_SUCCESS ? enqueue_turn(command, mem->gl, packed, NULL, false) : result;
}

/* An image that lies in memory of OpenGL's, too. written: OpenGL is to get what is new, where that is not the same. */
static cl_int change_in_place(struct ocl_command *command, cl_mem mem, struct ocl_gl_fence *fence, bool acquires,
                              bool written, enum vkb_result *result)
{
    struct vkb_enqueue step;
    if (acquires) {
        atomic_fetch_add(&mem->writes, 1);
        *result = enqueue_turn(command, mem->gl, NULL, fence, true);
        if (*result != VKB_SUCCESS)
            return CL_SUCCESS;
    }
    *result = ocl_command_step(command, &step);
    if (*result == VKB_SUCCESS)
        *result = vkb_cmd_ownership(&step, NULL, mem->storage[command->queue->device_index].image, acquires);
    if (*result == VKB_SUCCESS && written)
        *result = enqueue_turn(command, mem->gl, NULL, NULL, false);
    return CL_SUCCESS;
}

static cl_int move(struct ocl_command *command, cl_mem mem, struct ocl_gl_fence *fence, bool acquires,
                   enum vkb_result *result)
{
    struct ocl_packed_place place = {.buffer = NULL};
    struct vkb_buffer *packed = NULL;
    cl_int error = ocl_packed_find(command, mem, acquires, &place);
    if (error == CL_SUCCESS && !mem->gl_shared)
        error = ocl_from_vkb(
            vkb_buffer_create(command->queue->device->vk, align_up(ocl_mem_gl_size(mem), 4), VKB_MEMORY_HOST, &packed));
    if (error != CL_SUCCESS) {
        ocl_gl_fence_wait(fence);
        return error;
    }
    *result = acquires ? take_over(command, mem, &place, packed, fence) : give(command, mem, &place, packed);
    vkb_buffer_release(packed);
    return CL_SUCCESS;
}

cl_int ocl_gl_acquire(struct ocl_command *command, cl_uint count, const cl_mem *mems, struct ocl_gl_fence *fence)
{
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < count && result == VKB_SUCCESS; i++) {
        cl_int error = mems[i]->gl_in_place ? change_in_place(command, mems[i], fence, true, false, &result)
                                            : move(command, mems[i], fence, true, &result);
        fence = NULL;
        if (error != CL_SUCCESS)
            return ocl_command_fail(command, error);
        atomic_store(&mems[i]->acquired_stamp, ocl_mem_stamp(ocl_mem_root(mems[i])));
    }
    if (!count)
        result = ocl_command_nothing(command);
    return ocl_command_end(command, result, false);
}

/* OpenGL gets the contents where they may have changed since the object was acquired. *does: there is something to do. */
static cl_int give_one(struct ocl_command *command, cl_mem mem, bool *does, enum vkb_result *result)
{
    uint64_t stamp = atomic_exchange(&mem->acquired_stamp, 0);
    bool written = stamp && stamp != ocl_mem_stamp(ocl_mem_root(mem)) && !ocl_gl_object_shape(mem->gl)->reads_only;
    *does = mem->gl_in_place ? stamp : written;
    if (!*does)
        return CL_SUCCESS;
    return mem->gl_in_place ? change_in_place(command, mem, NULL, false, written, result)
                            : move(command, mem, NULL, false, result);
}

cl_int ocl_gl_give_back(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool blocking)
{
    enum vkb_result result = VKB_SUCCESS;
    bool empty = true;
    for (cl_uint i = 0; i < count && result == VKB_SUCCESS; i++) {
        bool does;
        cl_int error = give_one(command, mems[i], &does, &result);
        if (error != CL_SUCCESS)
            return ocl_command_fail(command, error);
        empty = empty && !does;
    }
    if (result == VKB_SUCCESS && empty) {
        command->want_event = command->want_event || blocking;
        result = ocl_command_nothing(command);
    }
    return ocl_turn_end(command, result, blocking);
}
