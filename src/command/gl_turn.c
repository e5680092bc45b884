/* Objects of OpenGL change hands: their contents lie in memory that OpenGL uses as well, or go through such memory
 * (gl_shared.c), or through memory of the host's that the device reaches.
 *
 * To acquire objects, OpenGL's worker reads all of them into such memory, and the device copies that into the memory
 * objects. To release them, the device copies the other way, and the worker writes what there is then; nothing is copied
 * where no command may have written the object meanwhile. The worker's part is a step of the command that the host does
 * at its turn. There is one step for all objects: on an H200 each turn from OpenGL to Vulkan costs some tenths of a
 * millisecond.
 *
 * Where commands run in the order in which they are enqueued, what was enqueued says whether an object is acquired. Where
 * they may overlap, only their turns say it: a release may be enqueued before the acquiring command that it waits for. So
 * the host's steps note who has the object, and one that releases what is not acquired writes nothing.
 *
 * An object that is acquired again stays what commands have made of it: OpenGL must not have written it meanwhile. */
#include "src/command/gl_turn.h"

#include "src/command/external_turn.h"
#include "src/command/packed.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/gl_memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>

/* One object of the command. */
struct part {
    cl_mem mem;
    struct ocl_packed_place place;
    struct vkb_buffer *packed; /* a reference, of memory that the host sees; NULL: OpenGL has memory of the object's */
    bool written;              /* OpenGL is to get it */
    bool loose;                /* commands may overlap: who has the object is known at the command's turn */
    bool again;                /* it may be acquired already, so that its contents are packed first */
};

/* What the command does with them. */
struct parts {
    struct part *list;
    cl_uint count;
};

static void finish(struct parts *parts)
{
    for (cl_uint i = 0; i < parts->count; i++)
        vkb_buffer_release(parts->list[i].packed);
    free(parts->list);
}

/* ---- the host's step ---- */

struct turn {
    struct ocl_gl_fence *fence;
    bool acquires;
    uint32_t count;
    struct ocl_gl_transfer *transfers; /* room for all objects */
    struct turn_object {
        struct ocl_gl_object *object; /* a reference */
        struct vkb_buffer *packed;    /* likewise; NULL where the memory is OpenGL's, too */
        bool loose, again;
    } objects[];
};

static void free_turn(struct turn *turn)
{
    for (uint32_t i = 0; i < turn->count; i++) {
        ocl_gl_object_release(turn->objects[i].object);
        vkb_buffer_release(turn->objects[i].packed);
    }
    free(turn->transfers);
    free(turn);
}

/* Whether the object's contents are to move: OpenGL has what is acquired, and OpenCL what is released. */
static bool is_due(const struct turn *turn, const struct turn_object *object)
{
    if (turn->acquires)
        return !object->again || ocl_gl_object_holder(object->object) != OCL_GL_HELD;
    return !object->loose || ocl_gl_object_hold(object->object, OCL_GL_UNKNOWN) == OCL_GL_HELD;
}

/* The transfers are those of some objects, in the same order. */
static void note_holders(const struct turn *turn, uint32_t moved)
{
    for (uint32_t i = 0, next = 0; i < turn->count && next < moved; i++) {
        const struct ocl_gl_transfer *transfer = &turn->transfers[next];
        if (turn->objects[i].object != transfer->object)
            continue;
        enum ocl_gl_holder holder = turn->objects[i].loose ? OCL_GL_HELD : OCL_GL_UNKNOWN;
        ocl_gl_object_hold(transfer->object, transfer->status == CL_SUCCESS ? holder : OCL_GL_FAILED);
        next++;
    }
}

static cl_int move(struct turn *turn)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < turn->count; i++) {
        const struct turn_object *object = &turn->objects[i];
        if (is_due(turn, object))
            turn->transfers[count++] = (struct ocl_gl_transfer){
                .object = object->object, .data = object->packed ? vkb_buffer_map(object->packed) : NULL};
    }
    if (!count) {
        ocl_gl_fence_wait(turn->fence);
        return CL_SUCCESS;
    }
    cl_int status = ocl_gl_move(turn->fence, turn->transfers, count, !turn->acquires);
    if (turn->acquires)
        note_holders(turn, count);
    return status;
}

static int32_t take_turn(void *data, bool run)
{
    struct turn *turn = data;
    cl_int status = CL_SUCCESS;
    if (run)
        status = move(turn);
    else
        ocl_gl_fence_wait(turn->fence);
    free_turn(turn);
    return status;
}

static struct turn *create_turn(const struct parts *parts, bool acquires)
{
    struct turn *turn = calloc(1, sizeof(*turn) + parts->count * sizeof(turn->objects[0]));
    struct ocl_gl_transfer *transfers = calloc(parts->count + 1, sizeof(*transfers));
    if (!turn || !transfers) {
        free(turn);
        free(transfers);
        return NULL;
    }
    turn->acquires = acquires;
    turn->transfers = transfers;
    for (cl_uint i = 0; i < parts->count; i++) {
        const struct part *part = &parts->list[i];
        if (acquires || part->written)
            turn->objects[turn->count++] =
                (struct turn_object){ocl_gl_object_retain(part->mem->gl),
                                     part->packed ? vkb_buffer_retain(part->packed) : NULL, part->loose, part->again};
    }
    return turn;
}

/* Takes the fence over. Where OpenGL has nothing to do there is no step. */
static enum vkb_result enqueue_turn(struct ocl_command *command, const struct parts *parts, struct ocl_gl_fence *fence,
                                    bool acquires)
{
    struct vkb_enqueue step;
    struct turn *turn = create_turn(parts, acquires);
    if (!turn) {
        ocl_gl_fence_wait(fence);
        return VKB_OUT_OF_HOST_MEMORY;
    }
    turn->fence = fence;
    bool works = turn->count || fence;
    enum vkb_result result = works ? ocl_command_step(command, &step) : VKB_SUCCESS;
    if (result == VKB_SUCCESS && works)
        result = vkb_cmd_host_status(&step, take_turn, turn);
    if (result != VKB_SUCCESS || !works)
        take_turn(turn, false);
    return result;
}

/* ---- the device's steps ---- */

static enum vkb_result change_hands(struct ocl_command *command, struct vkb_buffer *buffer, struct vkb_image *image,
                                    bool acquire)
{
    struct vkb_enqueue step;
    enum vkb_result result = ocl_command_step(command, &step);
    return result == VKB_SUCCESS ? vkb_cmd_ownership(&step, buffer, image, acquire) : result;
}

/* By memory of the device's, which is OpenGL's between its two hand-overs. */
static enum vkb_result copy_shared(struct ocl_command *command, struct part *part, bool acquires)
{
    cl_mem mem = part->mem;
    enum vkb_result result = change_hands(command, mem->gl_shared, NULL, true);
    if (result == VKB_SUCCESS)
        result = ocl_packed_copy(command, mem, &part->place, mem->gl_shared, ocl_mem_gl_size(mem), acquires);
    return result == VKB_SUCCESS ? change_hands(command, mem->gl_shared, NULL, false) : result;
}

static enum vkb_result enqueue_copies(struct ocl_command *command, const struct parts *parts, bool acquires)
{
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < parts->count && result == VKB_SUCCESS; i++) {
        struct part *part = &parts->list[i];
        cl_mem mem = part->mem;
        if (mem->gl_in_place)
            result = change_hands(command, NULL, mem->storage[command->queue->device_index].image, acquires);
        else if (part->packed)
            result = ocl_packed_copy(command, mem, &part->place, part->packed, ocl_mem_gl_size(mem), acquires);
        else
            result = copy_shared(command, part, acquires);
    }
    return result;
}

/* Packs contents that may be OpenCL's already: at the command's turn OpenGL's come over them, or they stay. */
static enum vkb_result enqueue_packing(struct ocl_command *command, const struct parts *parts)
{
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < parts->count && result == VKB_SUCCESS; i++) {
        const struct parts one = {.list = &parts->list[i], .count = 1};
        if (parts->list[i].again && !parts->list[i].mem->gl_in_place)
            result = enqueue_copies(command, &one, false);
    }
    return result;
}

/* ---- memory of the host's ---- */

/* A command that is under way keeps what its objects go through, and a program may enqueue any number of them. So where
 * those of the context have much of it, the one that comes next waits for them first, unless they take long. */
static void make_room(const struct ocl_command *command, uint64_t size)
{
    enum { PATIENCE_NS = 1000000000 };
    const uint64_t most = UINT64_C(256) << 20;
    cl_context context = command->queue->context;
    struct vkb_event *last = NULL;
    ocl_lock(&context->mutex);
    if (context->gl_packed_bytes + size > most) {
        last = context->gl_packed_last;
        context->gl_packed_last = NULL;
        context->gl_packed_bytes = 0;
    }
    context->gl_packed_bytes += size;
    ocl_unlock(&context->mutex);
    if (!last)
        return;
    vkb_event_wait(last, PATIENCE_NS);
    vkb_event_release(last);
}

static void note_packed(const struct ocl_command *command, const struct parts *parts)
{
    cl_context context = command->queue->context;
    bool packed = false;
    for (cl_uint i = 0; i < parts->count; i++)
        packed = packed || parts->list[i].packed;
    if (!packed || !command->done)
        return;
    ocl_lock(&context->mutex);
    struct vkb_event *before = context->gl_packed_last;
    context->gl_packed_last = vkb_event_retain(command->done);
    ocl_unlock(&context->mutex);
    if (before)
        vkb_event_release(before);
}

/* ---- the commands ---- */

static cl_int prepare(struct ocl_command *command, struct part *part, bool acquires)
{
    cl_mem mem = part->mem;
    if (mem->gl_in_place) {
        if (acquires)
            atomic_fetch_add(&mem->writes, 1);
        return CL_SUCCESS;
    }
    cl_int error = ocl_packed_find(command, mem, acquires, &part->place);
    if (error == CL_SUCCESS && !mem->gl_shared) {
        make_room(command, ocl_mem_gl_size(mem));
        error = ocl_from_vkb(vkb_buffer_create(command->queue->device->vk, align_up(ocl_mem_gl_size(mem), 4),
                                               VKB_MEMORY_HOST, &part->packed));
    }
    return error;
}

/* What an object's acquired_stamp is where commands may overlap. */
#define LOOSE UINT64_MAX

/* An object that the context's commands have in order, and which could be acquired, is not fetched again. */
static cl_int take_one(struct ocl_command *command, struct parts *parts, cl_mem mem)
{
    uint64_t stamp = atomic_load(&mem->acquired_stamp);
    if (stamp && stamp != LOOSE && ocl_gl_object_holder(mem->gl) != OCL_GL_FAILED)
        return CL_SUCCESS;
    struct part *part = &parts->list[parts->count++];
    *part = (struct part){.mem = mem,
                          .loose = atomic_load(&command->queue->context->overlaps),
                          .again = stamp == LOOSE && !ocl_gl_object_shape(mem->gl)->reads_only};
    return prepare(command, part, true);
}

cl_int ocl_gl_acquire(struct ocl_command *command, cl_uint count, const cl_mem *mems, struct ocl_gl_fence *fence)
{
    struct parts parts = {.list = calloc(count + 1, sizeof(*parts.list))};
    cl_int error = parts.list ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = take_one(command, &parts, mems[i]);
    if (error != CL_SUCCESS) {
        ocl_gl_fence_wait(fence);
        finish(&parts);
        return ocl_command_fail(command, error);
    }
    bool waits = parts.count || fence;
    enum vkb_result result = waits ? enqueue_packing(command, &parts) : ocl_command_nothing(command);
    if (result == VKB_SUCCESS && waits)
        result = enqueue_turn(command, &parts, fence, true);
    else
        ocl_gl_fence_wait(fence);
    if (result == VKB_SUCCESS)
        result = enqueue_copies(command, &parts, true);
    for (cl_uint i = 0; i < parts.count && result == VKB_SUCCESS; i++) {
        cl_mem mem = parts.list[i].mem;
        atomic_store(&mem->acquired_stamp, parts.list[i].loose ? LOOSE : ocl_mem_stamp(ocl_mem_root(mem)));
    }
    note_packed(command, &parts);
    finish(&parts);
    return ocl_command_end(command, result, false);
}

/* OpenGL gets the contents where they may have changed since the object was acquired. Where commands of the context may
 * overlap, what was enqueued before that may run behind it; and so may the acquiring command, behind which this is. */
static cl_int give_one(struct ocl_command *command, struct parts *parts, cl_mem mem)
{
    uint64_t stamp = atomic_exchange(&mem->acquired_stamp, 0);
    bool overlaps = atomic_load(&command->queue->context->overlaps);
    bool loose = overlaps && (!stamp || stamp == LOOSE);
    bool changed = overlaps || (stamp && stamp != ocl_mem_stamp(ocl_mem_root(mem)));
    bool written = changed && !ocl_gl_object_shape(mem->gl)->reads_only;
    if (!written && !(mem->gl_in_place && stamp))
        return CL_SUCCESS;
    struct part *part = &parts->list[parts->count++];
    *part = (struct part){.mem = mem, .written = written, .loose = loose};
    return prepare(command, part, false);
}

cl_int ocl_gl_give_back(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool blocking)
{
    struct parts parts = {.list = calloc(count + 1, sizeof(*parts.list))};
    cl_int error = parts.list ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = give_one(command, &parts, mems[i]);
    if (error != CL_SUCCESS) {
        finish(&parts);
        return ocl_command_fail(command, error);
    }
    if (parts.count) {
        result = enqueue_copies(command, &parts, false);
        if (result == VKB_SUCCESS)
            result = enqueue_turn(command, &parts, NULL, false);
    } else {
        command->want_event = command->want_event || blocking;
        result = ocl_command_nothing(command);
    }
    note_packed(command, &parts);
    finish(&parts);
    return ocl_turn_end(command, result, blocking);
}
