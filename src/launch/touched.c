/* Launches note which bytes they touch of what their arguments lead to, where others could run beside them: in a context that has had
 * two queues, or one that is out of order. A bit stands for each byte, or for a granule of several where the buffer is
 * large, for reads and writes and atomic ones each. What is not noted counts as touched as a whole. */
#include "src/launch/touched.h"

#include "src/check/check.h"
#include "src/object/queue.h"
#include "src/object/written.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_GRANULES = 1 << 22, MOST_SHIFT = 32 };

/* Bytes of the words for so many granules. */
static uint64_t words_of(uint64_t granules)
{
    return align_up((granules + 31) / 32 * 4 * CLC_TOUCHED_WORDS, 64);
}

static void place_args(struct ocl_touched *touched, const uint64_t *sizes)
{
    for (uint32_t i = 0; i < touched->num_args; i++) {
        struct ocl_touched_arg *arg = &touched->args[i];
        uint32_t shift = 0;
        while (shift < MOST_SHIFT && sizes[i] >> shift > MOST_GRANULES)
            shift++;
        if (!sizes[i] || sizes[i] >> shift > MOST_GRANULES)
            continue;
        *arg = (struct ocl_touched_arg){.size = sizes[i], .words = touched->size, .shift = shift};
        touched->size += words_of((sizes[i] >> shift) + 1);
    }
}

static bool make_buffers(struct ocl_touched *touched, struct vkb_device *device)
{
    if (vkb_buffer_create(device, touched->size, VKB_MEMORY_DEVICE, &touched->buffer) != VKB_SUCCESS) {
        touched->buffer = NULL;
        return false;
    }
    if (vkb_buffer_address(touched->buffer) % 64)
        return false;
    if (vkb_buffer_map(touched->buffer) && vkb_buffer_fast_read(touched->buffer)) {
        touched->copy = vkb_buffer_retain(touched->buffer);
        return true;
    }
    if (vkb_buffer_create(device, touched->size, VKB_MEMORY_HOST, &touched->copy) != VKB_SUCCESS) {
        touched->copy = NULL;
        return false;
    }
    return vkb_buffer_map(touched->copy);
}

static bool clear(struct launch *launch, struct ocl_touched *touched)
{
    static const uint32_t zero;
    struct vkb_enqueue enqueue;
    void *map = vkb_buffer_map(touched->buffer);
    if (map) {
        memset(map, 0, touched->size);
        return true;
    }
    return ocl_command_step(launch->command, &enqueue) == VKB_SUCCESS &&
           vkb_cmd_fill(&enqueue, touched->buffer, 0, touched->size, &zero, sizeof(zero)) == VKB_SUCCESS;
}

struct ocl_touched *ocl_touched_create(struct launch *launch, const uint64_t *sizes)
{
    cl_command_queue queue = launch->command->queue;
    uint32_t num_args = launch->kernel->info->num_args;
    if (!ocl_touched_complete || launch->command->recording || !atomic_load(&queue->context->overlaps))
        return NULL;
    struct ocl_touched *touched = calloc(1, sizeof(*touched) + num_args * sizeof(touched->args[0]));
    if (!touched)
        return NULL;
    atomic_init(&touched->refs, 1);
    touched->num_args = num_args;
    touched->kernel = launch->kernel;
    place_args(touched, sizes);
    if (touched->size && ocl_touched_count(touched, ocl_written_most()) && make_buffers(touched, queue->device->vk) &&
        clear(launch, touched))
        return touched;
    ocl_touched_release(touched);
    return NULL;
}

uint64_t ocl_touched_limit(const struct ocl_touched *touched, uint32_t arg)
{
    const struct ocl_touched_arg *a = &touched->args[arg];
    return a->size ? (vkb_buffer_address(touched->buffer) + a->words) | a->shift : 0;
}

enum vkb_result ocl_touched_bring(struct launch *launch, struct ocl_touched *touched)
{
    struct vkb_enqueue enqueue;
    if (touched->copy == touched->buffer)
        return VKB_SUCCESS;
    enum vkb_result result = ocl_command_step(launch->command, &enqueue);
    if (result == VKB_SUCCESS)
        result = vkb_cmd_copy(&enqueue, touched->buffer, 0, touched->copy, 0, touched->size);
    return result;
}
