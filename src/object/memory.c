/* Buffers and sub-buffers: where their memory comes from, and when it is freed.
 *
 * A root owns one vkb_buffer for each device of its context. With USE_HOST_PTR that is the application's pages,
 * imported, where the device's memory is the host's. Elsewhere kernels would reach them over a bus, and the device has a
 * copy in memory of its own; host_ptr serves as the shadow that maps copy to and from (OpenCL 3.0 API, 5.2.1:
 * implementations may cache the contents), and its pages are imported for these copies. With ALLOC_HOST_PTR it is memory
 * of the host if a map comes first, but the device's own, too, if a kernel does. In a context of one device,
 * memory that nobody gives contents to, or such a copy, is promised when the object is created, and allocated when a
 * command first needs it. So is an image with contents, which wait for that (contents.c).
 *
 * There are two counts. The API's references keep the memory; the weak count keeps the struct. So if a kernel argument
 * outlives its buffer, the launch recognises that, and does not read freed memory. */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/gl/gl.h"
#include "src/object/contents.h"
#include "src/object/context.h"
#include "src/object/dma_buf.h"
#include "src/object/foreign.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/peer.h"
#include "src/object/pointer.h"
#include "src/object/va_memory.h"
#include "src/object/written.h"

#include "base/platform.h"
#include "base/settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_shared(cl_mem root)
{
    return root->context->num_devices > 1;
}

static enum vkb_memory_kind memory_kind(cl_mem_flags flags)
{
    return flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_FORCE_HOST_MEMORY_INTEL) ? VKB_MEMORY_HOST : VKB_MEMORY_DEVICE;
}

cl_int ocl_mem_upload(cl_mem root, cl_uint device, const void *data, size_t size)
{
    return ocl_contents_fill(root->context, device, root->storage[device].buffer, data, size);
}

/* Whether kernels should find in the device's memory what the host's memory could hold. */
static bool prefers_device(const struct _cl_mem *root)
{
    int choice = setting_choice(SETTING_HOST_PTR);
    return choice < 0 ? !root->context->devices[0]->caps->unified_memory : choice == 0;
}

/* Whether kernels are to work on a copy of what lies at host_ptr. */
static bool wants_copy(const struct _cl_mem *root)
{
    return root->host_ptr && !root->in_place && prefers_device(root);
}

static bool lies_in_allocation(cl_mem root)
{
    struct ocl_place place;
    bool known = ocl_pointer_find(root->context, (uintptr_t)root->host_ptr, 0, &place);
    if (known)
        vkb_buffer_release(place.buffer);
    return known;
}

static bool import(cl_mem root, struct ocl_storage *storage, struct vkb_device *device, bool may_be_pages)
{
    if (!root->host_ptr || is_shared(root))
        return false;
    struct ocl_place place;
    if (ocl_pointer_find(root->context, (uintptr_t)root->host_ptr, 0, &place)) {
        root->uses_svm = true;
        if (place.buffer && place.left >= root->size) {
            storage->buffer = place.buffer; /* the reference, too */
            storage->offset = place.offset;
            storage->zero_copy = !place.shadowed;
            return true;
        }
        vkb_buffer_release(place.buffer);
        return false;
    }
    if (!may_be_pages || vkb_buffer_import(device, root->host_ptr, root->size, &storage->buffer) != VKB_SUCCESS)
        return false;
    storage->zero_copy = true;
    return true;
}

/* Of a buffer that nobody gives contents to; in a context of several devices these move between buffers. */
static void watch(cl_mem root, cl_uint device, struct vkb_buffer *buffer)
{
    bool empty = !(root->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
    if (check_on(CHECK_INIT) && empty && root->type == CL_MEM_OBJECT_BUFFER && !is_shared(root))
        ocl_written_begin(root->context, device, buffer);
}

/* With several devices nothing is zero-copy: the shadow is the one place where the host sees the buffer. */
static cl_int allocate(cl_mem root, cl_uint device, enum vkb_memory_kind kind, struct ocl_storage *storage)
{
    struct vkb_device *vk = root->context->devices[device]->vk;
    assert(!storage->buffer);
    bool copies = wants_copy(root);
    if (import(root, storage, vk, !copies))
        return CL_SUCCESS;
    enum vkb_result result = VKB_UNSUPPORTED;
    if (kind == VKB_MEMORY_DEVICE && is_shared(root))
        result = ocl_peer_allocate(root->context, device, root->size, &storage->buffer);
    storage->exported = result == VKB_SUCCESS;
    if (result != VKB_SUCCESS)
        result = vkb_buffer_create(vk, root->size, kind, &storage->buffer);
    /* Memory of the host is slower for the device, and better than none. */
    if (result == VKB_OUT_OF_DEVICE_MEMORY && copies && import(root, storage, vk, true))
        return CL_SUCCESS;
    if (result == VKB_OUT_OF_DEVICE_MEMORY && kind == VKB_MEMORY_DEVICE)
        result = vkb_buffer_create(vk, root->size, VKB_MEMORY_HOST, &storage->buffer);
    if (result != VKB_SUCCESS) {
        storage->buffer = NULL;
        return result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    storage->zero_copy =
        !root->host_ptr && !is_shared(root) && vkb_buffer_map(storage->buffer) && vkb_buffer_fast_read(storage->buffer);
    watch(root, device, storage->buffer);
    return CL_SUCCESS;
}

cl_int ocl_mem_place(cl_mem root, cl_uint device)
{
    cl_int error = allocate(root, device, memory_kind(root->flags), &root->storage[device]);
    if (error == CL_SUCCESS)
        atomic_store(&root->placed, true);
    return error;
}

/* ---- memory that is promised first ---- */

static enum vkb_memory_kind promised_kind(const struct _cl_mem *root)
{
    return root->image ? VKB_MEMORY_DEVICE : memory_kind(root->flags);
}

enum vkb_promise ocl_mem_promise(cl_mem root, uint64_t size)
{
    enum vkb_promise promise = vkb_memory_promise(root->context->devices[0]->vk, promised_kind(root), size);
    if (promise == VKB_PROMISE_MADE)
        root->promised = size;
    return promise;
}

void ocl_mem_unpromise(cl_mem root)
{
    if (root->promised)
        vkb_memory_take_back(root->context->devices[0]->vk, promised_kind(root), root->promised);
    root->promised = 0;
}

/* Memory may have to be waited for, so it is allocated without the object's mutex. One thread does it, and others that
 * need the same object's wait for that one: there may not be memory for two. */
static struct {
    pthread_mutex_t lock; /* guards is_placing of all roots */
    pthread_cond_t ended;
} placing = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

/* False: there is memory by now. */
static bool begin_placing(cl_mem root)
{
    pthread_mutex_lock(&placing.lock);
    while (root->is_placing)
        pthread_cond_wait(&placing.ended, &placing.lock);
    bool begins = !atomic_load(&root->placed);
    root->is_placing = begins;
    pthread_mutex_unlock(&placing.lock);
    return begins;
}

static void end_placing(cl_mem root)
{
    pthread_mutex_lock(&placing.lock);
    root->is_placing = false;
    pthread_cond_broadcast(&placing.ended);
    pthread_mutex_unlock(&placing.lock);
}

/* Takes over what lies at host_ptr, which maps copy to and from from now on. The device itself copies from pages that it
 * can reach: they do not change before the first command that uses the buffer. */
static cl_int take_copy(cl_mem root, struct ocl_storage *own, struct vkb_buffer **pages)
{
    if (!root->host_ptr || own->zero_copy)
        return CL_SUCCESS;
    if (vkb_buffer_import(root->context->devices[0]->vk, root->host_ptr, root->size, pages) != VKB_SUCCESS)
        *pages = NULL; /* the copies go through the host's hands */
    bool by_device = *pages && !vkb_buffer_map(own->buffer);
    cl_int error = by_device ? ocl_contents_copy(root->context, 0, own->buffer, *pages)
                             : ocl_contents_fill(root->context, 0, own->buffer, root->host_ptr, root->size);
    if (error != CL_SUCCESS) {
        vkb_buffer_release(own->buffer);
        vkb_buffer_release(*pages);
        own->buffer = *pages = NULL;
    }
    return error;
}

/* A buffer with ALLOC_HOST_PTR that something else uses before it is mapped, kernels likely. They would reach the host's
 * memory over a bus; maps copy then, as those of other buffers do. Little of it is as well where the host reads it. */
static bool is_for_kernels(const struct _cl_mem *root)
{
    enum { LITTLE = 64 << 10 };
    const cl_mem_flags asked = CL_MEM_ALLOC_HOST_PTR | CL_MEM_FORCE_HOST_MEMORY_INTEL;
    return (root->flags & asked) == CL_MEM_ALLOC_HOST_PTR && root->size >= LITTLE && !root->has_address &&
           atomic_load(&root->for_kernels) && prefers_device(root);
}

static cl_int allocate_late(cl_mem root, struct ocl_storage *own, struct vkb_buffer **pages)
{
    if (root->image)
        return ocl_image_allocate_filled(root, &own->image);
    if (is_for_kernels(root) && vkb_buffer_create_unpromised(root->context->devices[0]->vk, root->size,
                                                             VKB_MEMORY_DEVICE, &own->buffer) == VKB_SUCCESS) {
        own->zero_copy = vkb_buffer_fast_read(own->buffer);
        watch(root, 0, own->buffer);
        return CL_SUCCESS;
    }
    cl_int error = allocate(root, 0, memory_kind(root->flags), own);
    return error == CL_SUCCESS ? take_copy(root, own, pages) : error;
}

cl_int ocl_mem_place_late(cl_mem root)
{
    if (!begin_placing(root))
        return CL_SUCCESS;
    struct ocl_storage own = {0};
    struct vkb_buffer *pages = NULL;
    cl_int error = allocate_late(root, &own, &pages);
    if (error == CL_SUCCESS) {
        ocl_lock(&root->mutex);
        root->storage[0] = own;
        if (pages)
            root->shadow_buffer = pages;
        ocl_mem_unpromise(root);
        atomic_store_explicit(&root->placed, true, memory_order_release);
        ocl_unlock(&root->mutex);
    }
    end_placing(root);
    return error;
}

cl_int ocl_mem_place_on(cl_mem root, cl_uint device)
{
    if (!is_shared(root))
        return ocl_mem_ready(root);
    cl_int error = CL_SUCCESS;
    ocl_lock(&root->mutex);
    if (!root->storage[device].buffer)
        error = ocl_mem_place(root, device);
    ocl_unlock(&root->mutex);
    return error;
}

void ocl_mem_destroy_struct(cl_mem mem)
{
    pthread_mutex_destroy(&mem->mutex);
    free(mem->storage);
    free(mem->image);
    free(mem->properties);
    ocl_object_free(&mem->object);
}

/* Where the device's memory is promised to others, the host's is taken; unless it is the same heap, and nothing is left
 * of that either. */
static cl_int place_elsewhere(cl_mem root)
{
    struct vkb_device *vk = root->context->devices[0]->vk;
    struct ocl_storage *storage = &root->storage[0];
    if (import(root, storage, vk, true))
        return CL_SUCCESS;
    enum vkb_promise promise = vkb_memory_promise(vk, VKB_MEMORY_HOST, root->size);
    if (promise == VKB_PROMISE_REFUSED)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cl_int error = allocate(root, 0, VKB_MEMORY_HOST, storage);
    if (promise == VKB_PROMISE_MADE)
        vkb_memory_take_back(vk, VKB_MEMORY_HOST, root->size);
    return error;
}

/* Memory for a root that is made on its first device at once. */
static cl_int place_now(cl_mem root, enum vkb_promise promise)
{
    cl_int error = promise == VKB_PROMISE_REFUSED ? place_elsewhere(root)
                                                  : allocate(root, 0, memory_kind(root->flags), &root->storage[0]);
    if (error == CL_SUCCESS)
        atomic_store(&root->placed, true);
    ocl_mem_unpromise(root);
    return error;
}

/* A root may have contents from the host's memory: then it needs its own now. */
static cl_int initialise(cl_mem root, const void *data)
{
    enum vkb_promise promise = is_shared(root) ? VKB_PROMISE_OPEN : ocl_mem_promise(root, root->size);
    bool copies = !is_shared(root) && wants_copy(root) && !lies_in_allocation(root);
    if ((!data || copies) && promise == VKB_PROMISE_MADE)
        return CL_SUCCESS;
    cl_int error = place_now(root, promise);
    if (error != CL_SUCCESS || !data)
        return error;
    if ((root->storage[0].zero_copy && root->host_ptr) || root->uses_svm)
        return CL_SUCCESS;
    root->valid = 1;
    return ocl_mem_upload(root, 0, data, root->size);
}

bool ocl_is_buffer(cl_mem mem)
{
    return ocl_is(mem, OCL_MEM) && mem->type == CL_MEM_OBJECT_BUFFER;
}

uint64_t ocl_mem_stamp(cl_mem root)
{
    return atomic_load(&root->writes) + atomic_load(&root->context->any_writes);
}

void ocl_mem_defer(cl_mem mem)
{
    mem->deferred = true;
}

cl_int ocl_mem_set_properties(cl_mem mem, const cl_mem_properties *properties, size_t num_properties)
{
    if (!num_properties)
        return CL_SUCCESS;
    mem->properties = malloc(num_properties * sizeof(properties[0]));
    if (!mem->properties)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(mem->properties, properties, num_properties * sizeof(properties[0]));
    mem->num_properties = num_properties;
    return CL_SUCCESS;
}

cl_mem ocl_mem_allocate(cl_context context, cl_mem_object_type type, cl_mem_flags flags, size_t size)
{
    cl_mem mem = calloc(1, sizeof(*mem));
    if (!mem)
        return NULL;
    ocl_object_init(&mem->object, OCL_MEM);
    atomic_init(&mem->weak, 1);
    atomic_init(&mem->writes, 1);
    pthread_mutex_init(&mem->mutex, NULL);
    mem->context = context;
    mem->type = type;
    mem->flags = flags;
    mem->size = size;
    return mem;
}

/* ---- from handles ---- */

cl_int ocl_mem_import(cl_mem root, const struct ocl_mem_properties *read,
                      enum vkb_result (*import_one)(cl_mem root, cl_uint device, const struct ocl_mem_properties *read,
                                                    intptr_t handle))
{
    bool taken = vkb_handle_is_taken((enum vkb_handle)read->kind);
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < root->context->num_devices && i < 64 && result == VKB_SUCCESS; i++) {
        if (!(read->devices >> i & 1))
            continue;
        intptr_t handle = taken ? platform_handle_copy(read->handle) : read->handle;
        result = handle >= 0 || !taken ? import_one(root, i, read, handle) : VKB_UNSUPPORTED;
        if (result != VKB_SUCCESS && handle >= 0 && taken)
            platform_handle_close(handle);
    }
    if (result == VKB_SUCCESS) {
        root->imports = read->devices;
        atomic_store(&root->placed, true);
        return CL_SUCCESS;
    }
    for (cl_uint i = 0; i < root->context->num_devices; i++) {
        vkb_buffer_release(root->storage[i].buffer);
        vkb_image_release(root->storage[i].image);
        root->storage[i] = (struct ocl_storage){0};
    }
    return result == VKB_UNSUPPORTED          ? CL_INVALID_PROPERTY
           : result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY
                                              : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static enum vkb_result import_buffer(cl_mem root, cl_uint device, const struct ocl_mem_properties *read,
                                     intptr_t handle)
{
    struct ocl_storage *storage = &root->storage[device];
    enum vkb_result result = vkb_buffer_import_handle(root->context->devices[device]->vk, (enum vkb_handle)read->kind,
                                                      handle, root->size, &storage->buffer);
    storage->zero_copy = result == VKB_SUCCESS && !is_shared(root) && vkb_buffer_fast_read(storage->buffer);
    return result;
}

cl_int ocl_mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      const cl_mem_properties *properties, const struct ocl_mem_properties *read, cl_mem *result)
{
    cl_mem mem = ocl_mem_allocate(context, CL_MEM_OBJECT_BUFFER, flags, size);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    mem->storage = calloc(context->num_devices, sizeof(mem->storage[0]));
    if (!mem->storage || ocl_mem_set_properties(mem, properties, read->count) != CL_SUCCESS)
        goto fail;
    if (flags & CL_MEM_USE_HOST_PTR)
        mem->host_ptr = host_ptr;
    mem->in_place = read->in_place;
    if (read->kind)
        error = ocl_mem_import(mem, read, import_buffer);
    /* What no device takes in, the host copies. */
    bool copies = read->kind && error == CL_INVALID_PROPERTY && read->may_copy;
    if (copies)
        error = ocl_dma_buf_open((int)read->handle,
                                 &(struct ocl_dma_buf_part){.pitch = size, .row = size, .packed = size, .rows = 1}, 1,
                                 &mem->foreign);
    if (read->kind && error != CL_SUCCESS)
        goto fail;
    if ((!read->kind || copies) && (context->num_devices == 1 || host_ptr)) {
        error = initialise(mem, flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host_ptr : NULL);
        if (error != CL_SUCCESS)
            goto fail;
    }
    /* The application may free host_ptr, or learn of the end, only when the queues have passed the last use. */
    if (mem->host_ptr)
        ocl_mem_defer(mem);
    ocl_context_retain(context);
    *result = mem;
    return CL_SUCCESS;

fail:
    ocl_foreign_release(mem->foreign);
    ocl_mem_unpromise(mem);
    for (cl_uint i = 0; mem->storage && i < context->num_devices; i++)
        vkb_buffer_release(mem->storage[i].buffer);
    ocl_mem_destroy_struct(mem);
    return error;
}

cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *result)
{
    assert(!parent->parent && origin + size <= parent->size);
    cl_mem mem = ocl_mem_allocate(parent->context, CL_MEM_OBJECT_BUFFER, flags, size);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    mem->parent = parent;
    mem->origin = origin;
    if (parent->host_ptr)
        mem->host_ptr = (char *)parent->host_ptr + origin;
    ocl_context_retain(parent->context);
    ocl_mem_retain(parent);
    *result = mem;
    return CL_SUCCESS;
}

void ocl_mem_retain(cl_mem mem)
{
    ocl_retain(&mem->object);
}

void ocl_mem_retain_weak(cl_mem mem)
{
    atomic_fetch_add_explicit(&mem->weak, 1, memory_order_relaxed);
}

void ocl_mem_release_weak(cl_mem mem)
{
    if (atomic_fetch_sub_explicit(&mem->weak, 1, memory_order_acq_rel) == 1)
        ocl_mem_destroy_struct(mem);
}

/* OpenCL 3.0 API, 5.5.1: in the reverse order of registration, after the resources are freed. The handle is still
 * handed to them, so the struct is freed behind. */
static void call_back(cl_mem mem)
{
    cl_context context = mem->context;
    while (mem->callbacks) {
        struct ocl_mem_callback *callback = mem->callbacks;
        mem->callbacks = callback->next;
        FLOAT_ENV_CALL(callback->call(mem, callback->data));
        free(callback);
    }
    if (mem->parent)
        ocl_mem_release(mem->parent);
    ocl_mem_release_weak(mem);
    ocl_context_release(context);
}

static void farewell(void *data, int32_t status)
{
    (void)status;
    call_back(data);
}

bool ocl_mem_prepare_farewell(cl_mem mem)
{
    if (!mem->farewell)
        mem->farewell = vkb_callback_create(VKB_WATCHER, farewell, mem);
    return mem->farewell;
}

/* Called when the last reference is gone and, where that matters, all commands have ended. */
static void finalise(void *data)
{
    cl_mem mem = data;
    cl_context context = mem->context;
    assert(!ocl_is_locking());
    if (mem->has_address)
        ocl_pointer_remove_mem(mem);
    ocl_peer_finish(mem);
    ocl_gl_object_release(mem->gl);
    vkb_buffer_release(mem->gl_shared);
    ocl_foreign_release(mem->foreign);
    ocl_va_origin_destroy(mem->va);
    ocl_mem_unpromise(mem);
    vkb_contents_release(mem->contents);
    for (cl_uint i = 0; mem->storage && i < context->num_devices; i++) {
        struct ocl_storage *storage = &mem->storage[i];
        if (storage->buffer && !mem->parent && !mem->has_address && !mem->uses_svm)
            ocl_pointer_note_freed(context, vkb_buffer_address(storage->buffer), mem->size);
        vkb_buffer_release(storage->buffer);
        ocl_image_release_levels(mem, i);
        vkb_image_release(storage->bits);
        vkb_image_release(storage->image);
        if (storage->copies)
            vkb_event_release(storage->copies);
        if (storage->arrives)
            vkb_event_release(storage->arrives);
        *storage = (struct ocl_storage){0};
    }
    if (mem->last_write)
        vkb_event_release(mem->last_write);
    if (mem->shadow_buffer)
        vkb_buffer_release(mem->shadow_buffer);
    else if (!mem->host_ptr)
        platform_aligned_free(mem->shadow);
    while (mem->maps) {
        struct ocl_map *map = mem->maps;
        mem->maps = map->next;
        free(map);
    }
    if (mem->callbacks && vkb_is_steward()) {
        vkb_callback_post(mem->farewell, 0);
        return;
    }
    vkb_callback_destroy(mem->farewell);
    call_back(mem);
}

void ocl_mem_release(cl_mem mem)
{
    if (!ocl_release(&mem->object))
        return;
    mem->object.kind = OCL_DEAD;
    /* After clTerminateContextKHR() the application cannot know when kernels that have its address have ended. */
    if (mem->deferred || ocl_context_is_terminated(mem->context))
        ocl_context_when_idle(mem->context, VKB_STEWARD, finalise, mem);
    else
        finalise(mem);
}
