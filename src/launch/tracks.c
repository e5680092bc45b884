/* Memory where work-items of one launch may meet (PUMICE_CHECK=races): beside a buffer that a kernel may write lie two words
 * of 64 bits for each of its words of four bytes, in which the device notes who was there last
 * (compiler/builtins/lib/check_tracks.cl). It is made when a kernel first needs it; what nobody writes in a launch needs
 * none. Launches have numbers, so that nothing need be cleared between two, but when the numbers come round again. */
#include "src/launch/tracks.h"

#include "src/device/device.h"
#include "src/launch/family.h"
#include "src/object/pointer.h"
#include "src/object/program.h"
#include "src/object/queue.h"
#include "src/object/written.h"

#include <pthread.h>
#include <stdlib.h>

enum { NUM_LAUNCHES = 4094 }; /* numbers from 1 on, of 12 bits */

/* One thread makes and clears, so that no launch of another one begins before that is done. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static bool make_ready(cl_command_queue queue, struct vkb_buffer *buffer, uint32_t round)
{
    enum vkb_result result = VKB_SUCCESS;
    pthread_mutex_lock(&making);
    if (!vkb_buffer_tracks(buffer))
        result = vkb_buffer_track(buffer, ocl_written_most());
    if (result == VKB_SUCCESS && vkb_buffer_tracks_age(buffer, round))
        result = ocl_written_clear(queue->context, queue->device_index, vkb_buffer_tracks(buffer));
    pthread_mutex_unlock(&making);
    if (result != VKB_SUCCESS)
        check_memory_short();
    return result == VKB_SUCCESS;
}

/* What an argument leads to is written through this one or another. */
static bool may_write(const struct clc_lowered *lowered, uint32_t index)
{
    return lowered->check_tracks & CLC_TRACKS_ALL || !lowered->check_access ||
           lowered->check_access[index] & CLC_SITE_WRITES;
}

/* A list that has room for more, with the buffers of the context that have an address, if all are asked for. */
static struct vkb_buffer **find_pointers(cl_command_queue queue, bool all, uint32_t more, uint32_t *count)
{
    size_t known = 0;
    struct vkb_buffer **pointers = all ? ocl_pointer_buffers(queue->context, queue->device_index, false, &known) : NULL;
    struct vkb_buffer **list = realloc(pointers, (known + more) * sizeof(*list));
    *count = (uint32_t)known;
    if (list && (pointers || !all))
        return list;
    free(list ? list : pointers);
    return NULL;
}

/* What another kernel enqueued may reach what the first one's arguments led to. */
static const struct ocl_written *parents_of(const struct launch *launch)
{
    static const struct ocl_written none;
    const struct ocl_family *family = launch->command->family;
    return family && launch->lowered->check_tracks & CLC_TRACKS_ALL ? &family->reached : &none;
}

/* The list has room for all; count are there already. */
static void find_buffers(struct ocl_written *tracks, const struct launch *launch, struct vkb_buffer **list,
                         uint32_t count)
{
    cl_command_queue queue = launch->command->queue;
    cl_kernel kernel = launch->kernel;
    const struct ocl_build *build = ocl_kernel_build(kernel, queue->device);
    const struct ocl_written *parents = parents_of(launch);
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        struct vkb_buffer *buffer = may_write(launch->lowered, i) ? ocl_written_of_arg(queue, kernel, i, false) : NULL;
        if (buffer)
            list[count++] = buffer;
    }
    for (uint32_t i = 0; i < parents->count; i++)
        list[count++] = vkb_buffer_retain(parents->buffers[i]);
    if (build->globals && launch->lowered->check_tracks & (CLC_TRACKS_GLOBALS | CLC_TRACKS_ALL))
        list[count++] = vkb_buffer_retain(build->globals);
    *tracks = ocl_written_sort(list, count);
}

bool ocl_tracks_find(struct ocl_written *tracks, const struct launch *launch, uint32_t *number)
{
    uint32_t count = 0, kept = 0, num_args = launch->kernel->info->num_args;
    cl_command_queue queue = launch->command->queue;
    uint64_t launches = atomic_fetch_add(&queue->context->tracked, 1);
    bool all = launch->lowered->check_tracks & CLC_TRACKS_ALL;
    struct vkb_buffer **list = find_pointers(queue, all, num_args + parents_of(launch)->count + 1, &count);
    if (!list)
        return false;
    find_buffers(tracks, launch, list, count);
    for (uint32_t i = 0; i < tracks->count; i++) {
        if (make_ready(queue, tracks->buffers[i], (uint32_t)(launches / NUM_LAUNCHES)))
            tracks->buffers[kept++] = tracks->buffers[i];
        else
            vkb_buffer_release(tracks->buffers[i]);
    }
    tracks->count = kept;
    *number = (uint32_t)(launches % NUM_LAUNCHES) + 1;
    return true;
}

uint64_t ocl_tracks_words(const struct ocl_written *tracks, uint64_t address)
{
    for (uint32_t i = 0; i < tracks->count; i++) {
        uint64_t offset = address - vkb_buffer_address(tracks->buffers[i]);
        if (offset < vkb_buffer_size(tracks->buffers[i]) && offset % 4 == 0)
            return vkb_buffer_address(vkb_buffer_tracks(tracks->buffers[i])) + offset * 4;
    }
    return 0;
}
