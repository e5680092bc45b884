/* Mapping and unmapping.
 *
 * Where the device's memory is the host's and cached, a map is its address and costs nothing but its place in the
 * queue. Elsewhere the root has a shadow, in which every map of it and of its sub-buffers finds its bytes at their
 * offset: so overlapping maps see each other, as OpenCL 3.0 API, 5.5.4 wants. Mapping reads the region into the shadow
 * (unless it is to be invalidated), unmapping a region that was mapped for writing writes it back. With USE_HOST_PTR
 * the shadow is the application's memory, so that a map returns host_ptr + offset in either case. */
#include "src/command.h"
#include "src/context.h"
#include "src/memory.h"
#include "src/queue.h"

#include <assert.h>
#include <stdlib.h>

#define MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

/* Where the host sees the root; NULL: out of memory. *zero_copy says that it is the memory itself. */
static char *host_view(cl_mem root, cl_uint device, bool *zero_copy)
{
    struct ocl_storage *storage = &root->storage[device];
    *zero_copy = storage->zero_copy;
    if (root->host_ptr)
        return root->host_ptr;
    if (storage->zero_copy)
        return vkb_buffer_map(storage->buffer);
    char *shadow = NULL;
    pthread_mutex_lock(&root->mutex);
    if (!root->shadow) {
        void *memory = NULL;
        if (posix_memalign(&memory, 4096, root->size) == 0)
            root->shadow = memory;
        if (root->shadow && !root->deferred) {
            root->deferred = true;
            atomic_fetch_add(&root->context->num_deferred, 1);
        }
    }
    shadow = root->shadow;
    pthread_mutex_unlock(&root->mutex);
    return shadow;
}

static void remember(cl_mem mem, struct ocl_map *map)
{
    pthread_mutex_lock(&mem->mutex);
    map->next = mem->maps;
    mem->maps = map;
    mem->map_count++;
    pthread_mutex_unlock(&mem->mutex);
}

/* Takes the newest map with this pointer out of the list. */
static struct ocl_map *forget(cl_mem mem, const void *pointer)
{
    pthread_mutex_lock(&mem->mutex);
    struct ocl_map **link = &mem->maps;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    struct ocl_map *map = *link;
    if (map) {
        *link = map->next;
        mem->map_count--;
    }
    pthread_mutex_unlock(&mem->mutex);
    return map;
}

bool ocl_mem_is_mapped_at(cl_mem mem, const void *pointer)
{
    pthread_mutex_lock(&mem->mutex);
    struct ocl_map *map = mem->maps;
    while (map && map->pointer != pointer)
        map = map->next;
    pthread_mutex_unlock(&mem->mutex);
    return map != NULL;
}

cl_int ocl_mem_map(struct ocl_command *command, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                   bool blocking, void **pointer)
{
    cl_mem root = ocl_mem_root(mem);
    struct vkb_buffer *buffer;
    uint64_t origin;
    cl_int error = ocl_command_use(command, mem, false, &buffer, &origin);
    if (error != CL_SUCCESS)
        return ocl_command_fail(command, error);
    bool zero_copy;
    char *view = host_view(root, command->queue->device_index, &zero_copy);
    struct ocl_map *map = malloc(sizeof(*map));
    if (!view || !map) {
        free(map);
        return ocl_command_fail(command, view ? CL_OUT_OF_HOST_MEMORY : CL_MAP_FAILURE);
    }
    char *start = view + origin + offset;
    *map = (struct ocl_map){.pointer = start, .offset = offset, .size = size, .flags = flags};
    /* Known before it is enqueued: another thread may unmap as soon as the event says so. */
    remember(mem, map);
    enum vkb_result result;
    if (zero_copy || (flags & CL_MAP_WRITE_INVALIDATE_REGION)) {
        result = ocl_command_nothing(command);
    } else {
        struct vkb_enqueue enqueue = ocl_command_enqueue(command);
        result = vkb_cmd_read(&enqueue, buffer, origin + offset, size, start);
    }
    bool enqueued = result == VKB_SUCCESS;
    error = ocl_command_end(command, result, blocking);
    if (!enqueued)
        free(forget(mem, start));
    *pointer = start;
    return error;
}

cl_int ocl_mem_unmap(struct ocl_command *command, cl_mem mem, void *pointer)
{
    struct ocl_map *map = forget(mem, pointer);
    if (!map) /* another thread was faster */
        return ocl_command_fail(command, CL_INVALID_VALUE);
    bool writes = map->flags & MAP_WRITES;
    struct vkb_buffer *buffer;
    uint64_t origin;
    cl_int error = ocl_command_use(command, mem, writes, &buffer, &origin);
    if (error != CL_SUCCESS) {
        remember(mem, map);
        return ocl_command_fail(command, error);
    }
    enum vkb_result result;
    if (!writes || ocl_mem_root(mem)->storage[command->queue->device_index].zero_copy) {
        result = ocl_command_nothing(command);
    } else {
        struct vkb_enqueue enqueue = ocl_command_enqueue(command);
        result = vkb_cmd_write(&enqueue, buffer, origin + map->offset, map->size, pointer, true);
    }
    if (result != VKB_SUCCESS)
        remember(mem, map);
    else
        free(map);
    return ocl_command_end(command, result, false);
}
