/* Memory with an address that the host, or a kernel, may keep. A context's allocations are a sorted list, so that the
 * buffer of any pointer into one of them can be found: commands need it for copies and for the order between them.
 *
 * Where host and device share memory, its address is the same for both (vkb_memory_kind VKB_MEMORY_SHARED). Coarse SVM
 * of a GPU with memory of its own is that memory, with a shadow for the host (VKB_MEMORY_SHADOWED): kernels would be
 * slow on the host's. In a
 * context of several devices the first one allocates it and the others import its pages; they can use it if the import
 * gives the same address again. */
#include "src/object/pointer.h"
#include "src/object/written.h"

#include "src/check/check.h"

#include "src/object/context.h"
#include "src/device/device.h"
#include "src/object/memory.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- what devices can do ---- */

/* Drivers that run on the host see its memory as it is: an imported page keeps its address, and atomics are the host's
 * own. With other drivers coherent memory is shared, but nothing is known about atomics across host and device. */
cl_device_svm_capabilities ocl_device_svm(cl_device_id device)
{
    const struct probe_sharing *sharing = ocl_device_sharing(device);
    if (!sharing->shares)
        return sharing->shadows ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0;
    cl_device_svm_capabilities svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    if (device->caps->type == VKB_DEVICE_CPU) {
        svm |= CL_DEVICE_SVM_ATOMICS;
        /* Without 64-bit integers kernels count on it that objects are no larger than buffers are. */
        if (sharing->imports_in_place && device->caps->int64)
            svm |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    }
    return svm;
}

bool ocl_context_has_svm(cl_context context, cl_device_svm_capabilities wanted)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if ((ocl_device_svm(context->devices[i]) & wanted) == wanted)
            return true;
    }
    return false;
}

bool ocl_context_uses_svm(cl_context context)
{
    if (ocl_context_has_svm(context, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
        return true;
    ocl_lock(&context->mutex);
    bool any = context->pointers.count;
    ocl_unlock(&context->mutex);
    return any;
}

/* ---- the list ---- */

/* The index of the first allocation that starts after the address. */
static size_t first_behind(const struct ocl_pointers *pointers, uint64_t address)
{
    size_t low = 0, high = pointers->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pointers->list[middle]->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool list_add(struct ocl_pointers *pointers, struct ocl_pointer *pointer)
{
    if (pointers->count == pointers->capacity) {
        size_t capacity = pointers->capacity ? pointers->capacity * 2 : 16;
        struct ocl_pointer **list = realloc(pointers->list, capacity * sizeof(struct ocl_pointer *));
        if (!list)
            return false;
        pointers->list = list;
        pointers->capacity = capacity;
    }
    size_t at = first_behind(pointers, pointer->start);
    memmove(&pointers->list[at + 1], &pointers->list[at], (pointers->count - at) * sizeof(struct ocl_pointer *));
    pointers->list[at] = pointer;
    pointers->count++;
    return true;
}

/* The allocation that the address leads into, or NULL. With the context's mutex held. */
static struct ocl_pointer *pointer_at(const struct ocl_pointers *pointers, uint64_t address)
{
    size_t at = first_behind(pointers, address);
    struct ocl_pointer *pointer = at ? pointers->list[at - 1] : NULL;
    return pointer && address - pointer->start < pointer->size ? pointer : NULL;
}

/* ---- for kernels that are checked ---- */

enum { MOST_FREED = 1024 };

struct clc_check_range *ocl_pointer_ranges(cl_context context, size_t *count)
{
    ocl_lock(&context->mutex);
    const struct ocl_pointers *pointers = &context->pointers;
    struct clc_check_range *ranges = malloc((pointers->count + 1) * sizeof(*ranges));
    *count = 0;
    for (size_t i = 0; ranges && i < pointers->count; i++)
        ranges[(*count)++] = (struct clc_check_range){pointers->list[i]->start, pointers->list[i]->size, 0};
    ocl_unlock(&context->mutex);
    return ranges;
}

struct vkb_buffer **ocl_pointer_buffers(cl_context context, cl_uint device, bool watched, size_t *count)
{
    ocl_lock(&context->mutex);
    const struct ocl_pointers *pointers = &context->pointers;
    struct vkb_buffer **list = malloc((pointers->count + 1) * sizeof(*list));
    *count = 0;
    for (size_t i = 0; list && i < pointers->count; i++) {
        const struct ocl_pointer *pointer = pointers->list[i];
        struct vkb_buffer *buffer = pointer->buffers[device];
        bool has_images = pointer->mem && atomic_load(&pointer->mem->has_images);
        if (buffer && (!watched || (vkb_buffer_written(buffer) && !has_images)))
            list[(*count)++] = vkb_buffer_retain(buffer);
    }
    ocl_unlock(&context->mutex);
    return list;
}

void ocl_pointer_note_freed(cl_context context, uint64_t start, uint64_t size)
{
    if (!check_on(CHECK_BOUNDS))
        return;
    ocl_lock(&context->mutex);
    struct ocl_pointers *pointers = &context->pointers;
    if (!pointers->freed)
        pointers->freed = calloc(MOST_FREED, sizeof(pointers->freed[0]));
    if (pointers->freed)
        pointers->freed[pointers->num_freed++ % MOST_FREED] = (struct clc_check_range){start, size, 0};
    ocl_unlock(&context->mutex);
}

bool ocl_pointer_was_freed(cl_context context, uint64_t address, uint64_t *start, uint64_t *size)
{
    bool found = false;
    ocl_lock(&context->mutex);
    const struct ocl_pointers *pointers = &context->pointers;
    size_t count = pointers->freed ? pointers->num_freed < MOST_FREED ? pointers->num_freed : MOST_FREED : 0;
    for (size_t i = 0; i < count && !found && !pointer_at(pointers, address); i++) {
        const struct clc_check_range *freed = &pointers->freed[(pointers->num_freed - 1 - i) % MOST_FREED];
        found = address - freed->start < freed->size;
        *start = freed->start;
        *size = freed->size;
    }
    ocl_unlock(&context->mutex);
    return found;
}

static void destroy(cl_context context, struct ocl_pointer *pointer)
{
    for (cl_uint i = 0; pointer->buffers && i < context->num_devices; i++)
        vkb_buffer_release(pointer->buffers[i]);
    while (pointer->maps) {
        struct ocl_pointer_map *map = pointer->maps;
        pointer->maps = map->next;
        free(map);
    }
    free(pointer->buffers);
    free(pointer->unified);
    free(pointer);
}

static void destroy_idle(void *data)
{
    struct ocl_pointer *pointer = data;
    cl_context context = pointer->context;
    destroy(context, pointer);
    ocl_context_release(context);
}

bool ocl_pointer_free(cl_context context, const void *start, bool svm)
{
    struct ocl_pointers *pointers = &context->pointers;
    struct ocl_pointer *found = NULL;
    ocl_lock(&context->mutex);
    size_t at = first_behind(pointers, (uintptr_t)start);
    if (at && pointers->list[at - 1]->start == (uintptr_t)start && !pointers->list[at - 1]->mem &&
        (pointers->list[at - 1]->kind == OCL_POINTER_SVM || pointers->list[at - 1]->unified) == svm) {
        found = pointers->list[at - 1];
        pointers->count--;
        memmove(&pointers->list[at - 1], &pointers->list[at], (pointers->count - at + 1) * sizeof(found));
    }
    ocl_unlock(&context->mutex);
    if (found)
        ocl_pointer_note_freed(context, found->start, found->size);
    if (found && ocl_context_is_terminated(context)) {
        ocl_context_retain(context);
        found->context = context;
        ocl_context_when_idle(context, VKB_STEWARD, destroy_idle, found);
    } else if (found) {
        destroy(context, found);
    }
    return found != NULL;
}

bool ocl_pointer_find(cl_context context, uint64_t address, cl_uint device, struct ocl_place *place)
{
    ocl_lock(&context->mutex);
    const struct ocl_pointer *pointer = pointer_at(&context->pointers, address);
    if (pointer) {
        size_t inside = (size_t)(address - pointer->start);
        struct vkb_buffer *buffer = pointer->buffers[device];
        *place = (struct ocl_place){
            .buffer = buffer ? vkb_buffer_retain(buffer) : NULL,
            .offset = pointer->offset + inside,
            .left = pointer->size - inside,
            .start = pointer->start,
            .size = pointer->size,
            .kind = pointer->kind,
            .flags = pointer->flags,
            .device = pointer->device,
            .shadowed = pointer->shadowed,
            .unified = pointer->unified,
            .in_mem = pointer->mem != NULL,
        };
    }
    ocl_unlock(&context->mutex);
    return pointer != NULL;
}

cl_mem ocl_pointer_retain_mem(cl_context context, uint64_t address)
{
    ocl_lock(&context->mutex);
    const struct ocl_pointer *pointer = pointer_at(&context->pointers, address);
    /* The entry goes before the object does. */
    cl_mem mem = pointer && pointer->mem && ocl_try_retain(&pointer->mem->object) ? pointer->mem : NULL;
    ocl_unlock(&context->mutex);
    return mem;
}

bool ocl_pointer_remember_map(cl_context context, struct ocl_pointer_map *map)
{
    ocl_lock(&context->mutex);
    struct ocl_pointer *pointer = pointer_at(&context->pointers, map->start);
    if (pointer) {
        map->next = pointer->maps;
        pointer->maps = map;
    }
    ocl_unlock(&context->mutex);
    return pointer != NULL;
}

struct ocl_pointer_map *ocl_pointer_forget_map(cl_context context, const struct ocl_pointer_map *wanted,
                                               const void *address)
{
    struct ocl_pointer_map **found = NULL, *map = NULL;
    ocl_lock(&context->mutex);
    struct ocl_pointer *pointer = pointer_at(&context->pointers, (uintptr_t)address);
    for (struct ocl_pointer_map **link = pointer ? &pointer->maps : NULL; link && *link; link = &(*link)->next) {
        if ((*link)->start == (uintptr_t)address && (!found || *link == wanted))
            found = link;
    }
    if (found) {
        map = *found;
        *found = map->next;
    }
    ocl_unlock(&context->mutex);
    return map;
}

cl_int ocl_pointer_add_mem(cl_mem root)
{
    cl_context context = root->context;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        struct ocl_pointer *pointer = calloc(1, sizeof(*pointer));
        if (!pointer)
            return CL_OUT_OF_HOST_MEMORY;
        pointer->buffers = calloc(context->num_devices, sizeof(struct vkb_buffer *));
        cl_int error = pointer->buffers ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        if (error == CL_SUCCESS)
            error = ocl_mem_place_on(root, i);
        if (error == CL_SUCCESS) {
            pointer->buffers[i] = vkb_buffer_retain(root->storage[i].buffer);
            pointer->start = vkb_buffer_address(root->storage[i].buffer) + root->storage[i].offset;
            pointer->offset = root->storage[i].offset;
            pointer->size = root->size;
            pointer->kind = OCL_POINTER_BUFFER;
            pointer->device = context->devices[i];
            pointer->mem = root;
            ocl_lock(&context->mutex);
            error = list_add(&context->pointers, pointer) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
            ocl_unlock(&context->mutex);
        }
        if (error != CL_SUCCESS) {
            destroy(context, pointer);
            return error;
        }
    }
    return CL_SUCCESS;
}

void ocl_pointer_remove_mem(cl_mem root)
{
    cl_context context = root->context;
    struct ocl_pointers *pointers = &context->pointers;
    struct ocl_pointer *removed = NULL, *next;
    size_t kept = 0;
    ocl_lock(&context->mutex);
    for (size_t i = 0; i < pointers->count; i++) {
        struct ocl_pointer *pointer = pointers->list[i];
        if (pointer->mem == root) {
            pointer->next_removed = removed;
            removed = pointer;
        } else {
            pointers->list[kept++] = pointer;
        }
    }
    pointers->count = kept;
    ocl_unlock(&context->mutex);
    for (; removed; removed = next) { /* without the lock: freeing memory may take long */
        next = removed->next_removed;
        ocl_pointer_note_freed(context, removed->start, removed->size);
        destroy(context, removed);
    }
}

void ocl_pointers_finish(cl_context context)
{
    for (size_t i = 0; i < context->pointers.count; i++)
        destroy(context, context->pointers.list[i]);
    free(context->pointers.list);
    free(context->pointers.freed);
}

/* ---- allocation ---- */

static enum vkb_result allocate_device(cl_context context, struct ocl_pointer *pointer, uint64_t bytes)
{
    int device = ocl_context_device_index(context, pointer->device);
    enum vkb_result result =
        vkb_buffer_create_unpromised(pointer->device->vk, bytes, VKB_MEMORY_DEVICE, &pointer->buffers[device]);
    if (result == VKB_SUCCESS)
        pointer->start = vkb_buffer_address(pointer->buffers[device]);
    return result;
}

/* The device of a context whose coarse SVM is memory of its own: the only one that has SVM, and one that the host
 * shares no fast memory with. < 0: there is none. */
static int shadowing_device(cl_context context)
{
    int found = -1;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (!ocl_device_svm(context->devices[i]))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    if (found < 0)
        return -1;
    struct vkb_device *vk = context->devices[found]->vk;
    bool fast = context->devices[found]->caps->unified_memory && vkb_device_shares_addresses(vk);
    return !fast && vkb_device_shadows(vk) ? found : -1;
}

static enum vkb_result allocate_shadowed(cl_context context, int device, struct ocl_pointer *pointer, uint64_t bytes)
{
    enum vkb_result result = vkb_buffer_create_unpromised(context->devices[device]->vk, bytes, VKB_MEMORY_SHADOWED,
                                                          &pointer->buffers[device]);
    if (result != VKB_SUCCESS) {
        pointer->buffers[device] = NULL;
        return result;
    }
    pointer->start = vkb_buffer_address(pointer->buffers[device]);
    pointer->shadowed = true;
    return result;
}

/* Allocates on the first device that shares addresses. The other devices import the pages where they can. */
static enum vkb_result allocate_shared(cl_context context, struct ocl_pointer *pointer, uint64_t bytes)
{
    enum vkb_result result = VKB_UNSUPPORTED;
    void *map = NULL;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        struct vkb_device *vk = context->devices[i]->vk;
        if (!map && vkb_device_shares_addresses(vk)) {
            result = vkb_buffer_create_unpromised(vk, bytes, VKB_MEMORY_SHARED, &pointer->buffers[i]);
            if (result != VKB_SUCCESS)
                return result;
            map = vkb_buffer_map(pointer->buffers[i]);
            pointer->start = (uintptr_t)map;
        } else if (map && vkb_buffer_import(vk, map, bytes, &pointer->buffers[i]) == VKB_SUCCESS &&
                   vkb_buffer_address(pointer->buffers[i]) != (uintptr_t)map) {
            vkb_buffer_release(pointer->buffers[i]);
            pointer->buffers[i] = NULL;
        }
    }
    return result;
}

static enum vkb_result allocate_svm(cl_context context, struct ocl_pointer *pointer, uint64_t bytes)
{
    int device = pointer->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? -1 : shadowing_device(context);
    enum vkb_result result = VKB_UNSUPPORTED;
    if (device >= 0)
        result = allocate_shadowed(context, device, pointer, bytes);
    /* Something may be at the address, or the device's memory is full. */
    if (result == VKB_UNSUPPORTED || result == VKB_OUT_OF_DEVICE_MEMORY) {
        enum vkb_result shared = allocate_shared(context, pointer, bytes);
        result = shared == VKB_UNSUPPORTED && device >= 0 ? VKB_OUT_OF_DEVICE_MEMORY : shared;
    }
    return result;
}

/* Memory that the host writes by commands alone. */
static void watch(cl_context context, const struct ocl_pointer *pointer)
{
    bool coarse = pointer->kind == OCL_POINTER_SVM && !(pointer->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER);
    bool known = pointer->kind == OCL_POINTER_DEVICE || (coarse && !pointer->unified);
    if (check_on(CHECK_INIT) && known && context->num_devices == 1)
        ocl_written_begin(context, 0, pointer->buffers[0]);
}

void *ocl_pointer_alloc(cl_context context, enum ocl_pointer_kind kind, cl_bitfield flags, cl_device_id device,
                        size_t size, size_t alignment, struct ocl_unified *unified, cl_int *error)
{
    struct ocl_pointer *pointer = calloc(1, sizeof(*pointer));
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!pointer) {
        free(unified);
        return NULL;
    }
    pointer->unified = unified;
    pointer->size = size;
    pointer->kind = kind;
    pointer->flags = flags;
    pointer->device = device;
    pointer->buffers = calloc(context->num_devices, sizeof(struct vkb_buffer *));
    enum vkb_result result = VKB_OUT_OF_HOST_MEMORY;
    /* Buffers are aligned to 256 bytes. A larger alignment is made by starting further on in a longer buffer. */
    uint64_t bytes = alignment > 256 ? (uint64_t)size + alignment : size;
    if (pointer->buffers)
        result = kind == OCL_POINTER_DEVICE ? allocate_device(context, pointer, bytes)
                 : kind == OCL_POINTER_SVM  ? allocate_svm(context, pointer, bytes)
                                            : allocate_shared(context, pointer, bytes);
    if (result == VKB_SUCCESS)
        watch(context, pointer);
    uint64_t aligned = align_up(pointer->start, alignment);
    pointer->offset = aligned - pointer->start;
    pointer->start = aligned;
    bool listed = false;
    if (result == VKB_SUCCESS) {
        ocl_lock(&context->mutex);
        listed = list_add(&context->pointers, pointer);
        ocl_unlock(&context->mutex);
    }
    *error = result == VKB_SUCCESS && !listed     ? CL_OUT_OF_HOST_MEMORY
             : result == VKB_OUT_OF_DEVICE_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE
             : result == VKB_UNSUPPORTED          ? CL_INVALID_OPERATION
                                                  : ocl_from_vkb(result);
    if (!listed) {
        destroy(context, pointer);
        return NULL;
    }
    return (void *)(uintptr_t)aligned;
}
