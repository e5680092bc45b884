/* Kernels and memory of which it is known what was written (PUMICE_CHECK=init). Those that were built with this check note
 * themselves what they write, and are told where (compiler/lower/check/written.c). Of others everything counts as written
 * that they may write. */
#include "src/launch/written.h"

#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* Kernels write images of a buffer unseen. */
static bool is_watched(const struct vkb_buffer *buffer, const struct _cl_mem *root)
{
    return buffer && vkb_buffer_written(buffer) && !(root && atomic_load(&root->has_images));
}

struct vkb_buffer *ocl_written_of_arg(cl_command_queue queue, cl_kernel kernel, uint32_t index, bool watched)
{
    const struct ocl_arg *arg = &kernel->args[index];
    enum clc_arg_kind kind = kernel->info->args[index].kind;
    struct ocl_place place;
    if (kind != CLC_ARG_GLOBAL && kind != CLC_ARG_CONSTANT)
        return NULL;
    if (arg->mem) {
        cl_mem root = ocl_mem_root(arg->mem);
        struct vkb_buffer *buffer = root->storage[queue->device_index].buffer;
        return buffer && (!watched || is_watched(buffer, root)) ? vkb_buffer_retain(buffer) : NULL;
    }
    uint64_t pointer = arg->is_pointer ? arg->pointer : 0;
    if (!pointer || !ocl_pointer_find(queue->context, pointer, queue->device_index, &place))
        return NULL;
    cl_mem mem = place.in_mem ? ocl_pointer_retain_mem(queue->context, pointer) : NULL;
    bool wanted = place.buffer && (!watched || is_watched(place.buffer, mem));
    if (mem)
        ocl_mem_release(mem);
    if (!wanted)
        vkb_buffer_release(place.buffer);
    return wanted ? place.buffer : NULL;
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = vkb_buffer_address(*(struct vkb_buffer *const *)a);
    uint64_t right = vkb_buffer_address(*(struct vkb_buffer *const *)b);
    return left < right ? -1 : left > right;
}

struct ocl_written ocl_written_sort(struct vkb_buffer **list, uint32_t count)
{
    struct ocl_written sorted = {.buffers = list};
    qsort(list, count, sizeof(*list), by_address);
    for (uint32_t i = 0; i < count; i++) {
        if (sorted.count && list[sorted.count - 1] == list[i])
            vkb_buffer_release(list[i]);
        else
            list[sorted.count++] = list[i];
    }
    return sorted;
}

bool ocl_written_find(struct ocl_written *written, cl_command_queue queue, cl_kernel kernel, bool all)
{
    size_t known = 0;
    uint32_t num_args = kernel->info->num_args, count = 0;
    struct vkb_buffer **pointers = all ? ocl_pointer_buffers(queue->context, queue->device_index, true, &known) : NULL;
    struct vkb_buffer **list = realloc(pointers, (known + num_args + 1) * sizeof(*list));
    if (!list || (all && !pointers)) {
        free(list ? list : pointers);
        return false;
    }
    count = (uint32_t)known;
    for (uint32_t i = 0; i < num_args; i++) {
        struct vkb_buffer *buffer = ocl_written_of_arg(queue, kernel, i, true);
        if (buffer)
            list[count++] = buffer;
    }
    *written = ocl_written_sort(list, count);
    return true;
}

bool ocl_written_of_args(struct ocl_written *written, cl_command_queue queue, cl_kernel kernel)
{
    uint32_t num_args = kernel->info->num_args, count = 0;
    struct vkb_buffer **list = calloc(num_args + 1, sizeof(*list));
    for (uint32_t i = 0; list && i < num_args; i++) {
        struct vkb_buffer *buffer = ocl_written_of_arg(queue, kernel, i, false);
        if (buffer)
            list[count++] = buffer;
    }
    *written = ocl_written_sort(list, count);
    return list;
}

void ocl_written_finish(struct ocl_written *written)
{
    for (uint32_t i = 0; i < written->count; i++)
        vkb_buffer_release(written->buffers[i]);
    free(written->buffers);
    *written = (struct ocl_written){0};
}

uint64_t ocl_written_bytes(const struct ocl_written *written, uint64_t address)
{
    for (uint32_t i = 0; i < written->count; i++) {
        uint64_t offset = address - vkb_buffer_address(written->buffers[i]);
        if (offset < vkb_buffer_size(written->buffers[i]))
            return vkb_buffer_address(vkb_buffer_written(written->buffers[i])) + offset;
    }
    return 0;
}

bool ocl_written_use(const struct ocl_written *written, struct launch *launch,
                     struct vkb_buffer *(*beside)(const struct vkb_buffer *buffer))
{
    uint32_t count = launch->num_accesses;
    /* The room that other parts of the launch count on stays behind them. */
    struct vkb_access *grown = malloc((count + written->count + ARRAY_LENGTH(launch->fixed_accesses)) * sizeof(*grown));
    if (!grown)
        return false;
    memcpy(grown, launch->accesses, count * sizeof(*grown));
    if (launch->accesses != launch->fixed_accesses)
        free(launch->accesses);
    launch->accesses = grown;
    for (uint32_t i = 0; i < written->count; i++)
        launch_add_access(launch, beside(written->buffers[i]), true, true);
    return true;
}

cl_int ocl_written_unseen(struct launch *launch)
{
    struct ocl_written written;
    cl_command_queue queue = launch->command->queue;
    bool all = launch->lowered->pointers_from_memory || launch->reaches_any;
    enum vkb_result result = VKB_SUCCESS;
    if (!ocl_written_find(&written, queue, launch->kernel, all))
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < written.count && result == VKB_SUCCESS; i++) {
        struct vkb_enqueue enqueue;
        result = ocl_command_step(launch->command, &enqueue);
        if (result == VKB_SUCCESS)
            result = vkb_cmd_written(&enqueue, written.buffers[i], 0, vkb_buffer_size(written.buffers[i]));
    }
    ocl_written_finish(&written);
    return ocl_from_vkb(result);
}
