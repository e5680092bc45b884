/* Mapping and unmapping.
 *
 * Where the device's memory is the host's and cached, a map is its address and costs nothing but its place in the
 * queue. Elsewhere the root has a shadow. All maps of the root and of its sub-buffers find their bytes in it at their
 * offset, so overlapping maps see each other, as OpenCL 3.0 API, 5.5.4 wants. Mapping reads the region into the shadow
 * (unless it is to be invalidated); unmapping writes a region back that was mapped for writing. The shadow of an
 * image, or of a buffer of some size, is memory that the device reaches, so that it does these copies alone, unless the
 * host can (vk/memory/host_image.c). An
 * image whose texels lie in a buffer is mapped as the buffer is. With USE_HOST_PTR the shadow is the application's
 * memory, so that a map returns host_ptr + offset in either case.
 *
 * A shadow that has the root's contents already need not be read again: that of an object which nobody has written yet,
 * and one that was read whole, or written back from, since the last command that may have written the root. */
#include "src/command/command.h"
#include "src/command/map.h"
#include "src/command/texels.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

#include "base/platform.h"
#include "base/util.h"

#include <assert.h>
#include <stdlib.h>

#define MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

/* Buffers whose shadow is memory that the device reaches: less is copied as fast by the host, and drivers take long to
 * pin more, for a map that may be the only one. The application may have asked for more by ALLOC_HOST_PTR. */
enum { PINNED_LEAST = 64 << 10, PINNED_MOST = 32 << 20 };

/* The device copies between its memory and a shadow that it reaches, where there is one device and memory for it. */
static bool make_shadow_buffer(cl_mem root, cl_uint device)
{
    struct vkb_device *vk = root->context->devices[device]->vk;
    bool asked = root->flags & CL_MEM_ALLOC_HOST_PTR && root->size >= PINNED_LEAST;
    if (root->context->num_devices > 1 ||
        (!root->image && !asked && (root->size < PINNED_LEAST || root->size > PINNED_MOST)) ||
        vkb_buffer_create(vk, align_up(root->size, 4), VKB_MEMORY_HOST, &root->shadow_buffer) != VKB_SUCCESS)
        return false;
    root->shadow = vkb_buffer_map(root->shadow_buffer);
    if (root->shadow)
        return true;
    vkb_buffer_release(root->shadow_buffer);
    root->shadow_buffer = NULL;
    return false;
}

/* Where the host sees the root; NULL: out of memory. *zero_copy: it is the device's memory itself. */
static char *host_view(cl_mem root, cl_uint device, bool *zero_copy)
{
    struct ocl_storage *storage = &root->storage[device];
    *zero_copy = storage->zero_copy;
    if (root->host_ptr)
        return root->host_ptr;
    if (storage->zero_copy)
        return vkb_buffer_map(storage->buffer);
    char *shadow = NULL;
    ocl_lock(&root->mutex);
    if (!root->shadow) {
        if (!make_shadow_buffer(root, device))
            root->shadow = platform_aligned(4096, root->size);
        if (root->shadow)
            ocl_mem_defer(root);
    }
    shadow = root->shadow;
    ocl_unlock(&root->mutex);
    return shadow;
}

static void remember(cl_mem mem, struct ocl_map *map)
{
    ocl_lock(&mem->mutex);
    map->next = mem->maps;
    mem->maps = map;
    mem->map_count++;
    ocl_unlock(&mem->mutex);
}

/* Where the list has this map, or else the newest one with the pointer. */
static struct ocl_map **find(cl_mem mem, const struct ocl_map *wanted, const void *pointer)
{
    struct ocl_map **newest = NULL, **link = &mem->maps;
    for (; *link; link = &(*link)->next) {
        if ((*link)->pointer != pointer)
            continue;
        if (*link == wanted)
            return link;
        if (!newest)
            newest = link;
    }
    return newest ? newest : link;
}

/* Takes a map with this pointer out of the list: wanted, if it is there. Two maps may have the same pointer, and an
 * unmap of the other one, on another thread, may have taken this one for it. */
static struct ocl_map *forget(cl_mem mem, const struct ocl_map *wanted, const void *pointer)
{
    ocl_lock(&mem->mutex);
    struct ocl_map **link = find(mem, wanted, pointer);
    struct ocl_map *map = *link;
    if (map) {
        *link = map->next;
        mem->map_count--;
    }
    ocl_unlock(&mem->mutex);
    return map;
}

bool ocl_mem_is_mapped_at(cl_mem mem, const void *pointer)
{
    ocl_lock(&mem->mutex);
    bool mapped = *find(mem, NULL, pointer);
    ocl_unlock(&mem->mutex);
    return mapped;
}

/* What was mapped, and where the command reads it from. The map is a copy: as soon as the list has it, another thread's
 * unmap may take it and free it. */
struct mapping {
    struct ocl_map map;
    struct vkb_buffer *buffer; /* or */
    struct ocl_texels texels;
    uint64_t origin; /* in the buffer */
};

/* The level's texels in the shadow, where the device reaches it and is to copy them: not what the host can copy. */
static bool shadow_texels(cl_mem mem, const struct mapping *m, const uint64_t pitch[2], struct ocl_texels *shadow)
{
    *shadow = (struct ocl_texels){
        .buffer = ocl_mem_root(mem)->shadow_buffer,
        .offset = mem->origin + ocl_image_level_offset(mem, m->map.level),
        .pitch = {pitch[0], pitch[1]},
        .bits = mem->image->format.bits,
    };
    return shadow->buffer && m->texels.image && !vkb_image_host_copies(m->texels.image);
}

static enum vkb_result read_region(struct ocl_command *command, cl_mem mem, const struct mapping *m)
{
    const struct ocl_map *map = &m->map;
    if (mem->image) {
        uint64_t pitch[2];
        struct ocl_texels shadow;
        ocl_image_level_pitch(mem, map->level, pitch);
        if (shadow_texels(mem, m, pitch, &shadow)) {
            enum vkb_result result =
                ocl_texels_copy_now(command, &m->texels, map->origin, map->region, map->pointer, pitch, false);
            if (result != VKB_UNSUPPORTED)
                return result;
            return ocl_texels_copy(command, &m->texels, map->origin, &shadow, map->origin, map->region);
        }
        return ocl_texels_read(command, &m->texels, map->origin, map->region, map->pointer, pitch);
    }
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    return vkb_cmd_read(&enqueue, m->buffer, m->origin + map->offset, map->size, map->pointer);
}

static enum vkb_result write_region(struct ocl_command *command, cl_mem mem, const struct mapping *m)
{
    const struct ocl_map *map = &m->map;
    if (mem->image) {
        uint64_t pitch[2];
        struct ocl_texels shadow;
        ocl_image_level_pitch(mem, map->level, pitch);
        if (shadow_texels(mem, m, pitch, &shadow)) {
            enum vkb_result result =
                ocl_texels_copy_now(command, &m->texels, map->origin, map->region, map->pointer, pitch, true);
            if (result != VKB_UNSUPPORTED)
                return result;
            return ocl_texels_copy(command, &shadow, map->origin, &m->texels, map->origin, map->region);
        }
        return ocl_texels_write(command, &m->texels, map->origin, map->region, map->pointer, pitch);
    }
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    return vkb_cmd_write(&enqueue, m->buffer, m->origin + map->offset, map->size, map->pointer, true);
}

static cl_int use(struct ocl_command *command, cl_mem mem, bool writes, uint32_t level, struct mapping *m)
{
    if (mem->image) {
        cl_int error = ocl_command_use_texels(command, mem, writes, &m->texels);
        m->texels.level = level;
        return error;
    }
    return ocl_command_use(command, mem, writes, &m->buffer, &m->origin);
}

/* ---- shadows that have the contents ---- */

static bool is_alone(cl_command_queue queue)
{
    ocl_lock(&queue->context->mutex);
    bool alone = queue->context->queues == queue && !queue->next;
    ocl_unlock(&queue->context->mutex);
    return alone;
}

/* Whether the order in which commands were enqueued says what the root's contents are when a command of the queue runs:
 * where all commands of the context are in this one in-order queue, and nothing writes the root without the runtime's
 * knowing. */
static bool is_followed(cl_mem root, cl_command_queue queue)
{
    return root->shadow_buffer && !root->host_ptr && root->context->num_devices == 1 && !root->imports &&
           !root->has_address && !root->uses_svm && !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) &&
           is_alone(queue);
}

/* 0 while another thread is enqueueing a write: it may be counted, but come behind what is enqueued now. */
static uint64_t quiet_stamp(cl_mem root)
{
    uint64_t stamp = ocl_mem_stamp(root);
    return atomic_load(&root->context->writing) ? 0 : stamp;
}

static bool is_unwritten(cl_mem root)
{
    return atomic_load(&root->writes) == 1 && !atomic_load(&root->context->any_writes) && !root->host_ptr &&
           !(root->flags & CL_MEM_COPY_HOST_PTR) && !root->imports && !root->has_address && !root->uses_svm;
}

static bool shadow_has(cl_mem root, uint64_t stamp)
{
    ocl_lock(&root->mutex);
    bool has = stamp && root->shadow_stamp == stamp;
    ocl_unlock(&root->mutex);
    return has;
}

/* Unless a write was counted since the stamp was taken. */
static void note_shadow(cl_mem root, uint64_t stamp)
{
    ocl_lock(&root->mutex);
    if (stamp && ocl_mem_stamp(root) == stamp)
        root->shadow_stamp = stamp;
    ocl_unlock(&root->mutex);
}

static bool is_whole(cl_mem mem, const struct ocl_map *map)
{
    if (mem->parent)
        return false;
    if (!mem->image)
        return map->offset == 0 && map->size == mem->size;
    bool whole = ocl_image_levels(mem->image) == 1;
    for (int i = 0; i < 3; i++)
        whole = whole && map->origin[i] == 0 && map->region[i] == mem->image->extent[i];
    return whole;
}

/* ---- the commands ---- */

/* Nothing is to be copied. What the host writes at its place counts as written from here on, where that is noted. */
static enum vkb_result open_region(struct ocl_command *command, cl_mem mem, const struct mapping *m)
{
    const struct ocl_map *map = &m->map;
    if (mem->image || !(map->flags & MAP_WRITES) || !m->buffer || !vkb_buffer_written(m->buffer))
        return ocl_command_nothing(command);
    struct vkb_enqueue enqueue = ocl_command_enqueue(command);
    return vkb_cmd_written(&enqueue, m->buffer, m->origin + map->offset, map->size);
}

/* Puts a copy of wanted into the object's list. */
static cl_int map(struct ocl_command *command, cl_mem mem, const struct ocl_map *wanted, bool blocking, void **pointer)
{
    struct mapping m = {.map = *wanted};
    cl_mem root = ocl_mem_root(mem);
    cl_command_queue queue = command->queue;
    cl_int error = use(command, mem, false, wanted->level, &m);
    if (error != CL_SUCCESS)
        return ocl_command_fail(command, error);
    bool zero_copy;
    char *view = host_view(root, queue->device_index, &zero_copy);
    if (!view)
        return ocl_command_fail(command, CL_MAP_FAILURE);
    struct ocl_map *listed = malloc(sizeof(*listed));
    if (!listed)
        return ocl_command_fail(command, CL_OUT_OF_HOST_MEMORY);
    m.map.pointer = view + mem->origin + wanted->offset;
    *listed = m.map;
    /* Known before it is enqueued: another thread may unmap as soon as the event says so. */
    remember(mem, listed);
    uint64_t stamp = !zero_copy && is_followed(root, queue) ? quiet_stamp(root) : 0;
    bool has = !zero_copy && (is_unwritten(root) || shadow_has(root, stamp));
    bool reads = !zero_copy && !has && !(wanted->flags & CL_MAP_WRITE_INVALIDATE_REGION);
    error = ocl_command_end(command, reads ? read_region(command, mem, &m) : open_region(command, mem, &m), blocking);
    if (error == CL_SUCCESS && (has || (reads && blocking && is_whole(mem, wanted))))
        note_shadow(root, stamp);
    /* The caller gets no pointer: not if a blocking map's command fails either. So nobody could unmap it. */
    if (error != CL_SUCCESS)
        free(forget(mem, listed, m.map.pointer));
    *pointer = m.map.pointer;
    return error;
}

cl_int ocl_mem_map(struct ocl_command *command, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                   bool blocking, void **pointer)
{
    const struct ocl_map wanted = {.offset = offset, .size = size, .flags = flags};
    return map(command, mem, &wanted, blocking, pointer);
}

cl_int ocl_mem_map_image(struct ocl_command *command, cl_mem mem, cl_map_flags flags, const struct ocl_start *place,
                         const size_t region[3], bool blocking, void **pointer)
{
    const size_t *origin = place->origin;
    uint64_t pitch[2];
    ocl_image_level_pitch(mem, place->level, pitch);
    const struct ocl_map wanted = {
        .offset = ocl_image_level_offset(mem, place->level) + origin[2] * pitch[1] + origin[1] * pitch[0] +
                  ocl_format_bytes(&mem->image->format, origin[0]),
        .level = place->level,
        .origin = {origin[0], origin[1], origin[2]},
        .region = {region[0], region[1], region[2]},
        .flags = flags,
    };
    return map(command, mem, &wanted, blocking, pointer);
}

cl_int ocl_mem_unmap(struct ocl_command *command, cl_mem mem, void *pointer)
{
    struct ocl_map *taken = forget(mem, NULL, pointer);
    if (!taken) /* another thread was faster */
        return ocl_command_fail(command, CL_INVALID_VALUE);
    struct mapping m = {.map = *taken};
    bool writes = m.map.flags & MAP_WRITES;
    cl_mem root = ocl_mem_root(mem);
    uint64_t stamp = writes && !command->num_waits && is_followed(root, command->queue) ? quiet_stamp(root) : 0;
    bool has = shadow_has(root, stamp);
    cl_int error = use(command, mem, writes, m.map.level, &m);
    if (error != CL_SUCCESS) {
        remember(mem, taken);
        return ocl_command_fail(command, error);
    }
    enum vkb_result result;
    if (!writes || root->storage[command->queue->device_index].zero_copy)
        result = ocl_command_nothing(command);
    else
        result = write_region(command, mem, &m);
    if (result != VKB_SUCCESS)
        remember(mem, taken);
    else
        free(taken);
    if (has && result == VKB_SUCCESS)
        note_shadow(root, stamp + 1); /* this write's own */
    return ocl_command_end(command, result, false);
}
