/* Semaphores.
 *
 * Within a process an event does all that a binary semaphore is for, and the commands that wait for it may be on any
 * queue. A signal leaves its event with the semaphore, and the next wait takes it. A wait that finds none gets a user
 * event, the promise of a signal, which the next signal keeps when it has ended.
 *
 * A semaphore that others know as well (imported, or made to be exported) is a VkSemaphore, and Vulkan allows nobody to
 * wait twice or to signal twice. So each of our own commands with it waits for the one before by its event. */
#include "src/semaphore.h"

#include "src/command.h"
#include "src/context.h"
#include "src/device.h"

#include <stdlib.h>
#include <string.h>

static cl_int make_shared(cl_semaphore_khr semaphore, const struct ocl_semaphore_request *request)
{
    enum vkb_result result = vkb_semaphore_create(semaphore->device->vk, request->exports, &semaphore->shared);
    if (result == VKB_SUCCESS && request->imports) {
        result = vkb_semaphore_import(semaphore->shared, (enum vkb_handle)request->imports, request->fd);
        if (result == VKB_UNSUPPORTED)
            return CL_INVALID_PROPERTY;
        semaphore->signalled = result == VKB_SUCCESS && request->imports == VKB_HANDLE_SYNC_FD;
    }
    return result == VKB_SUCCESS || result == VKB_OUT_OF_HOST_MEMORY ? ocl_from_vkb(result) : CL_OUT_OF_RESOURCES;
}

cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_request *request, cl_semaphore_khr *out)
{
    cl_semaphore_khr semaphore = calloc(1, sizeof(*semaphore));
    if (!semaphore)
        return CL_OUT_OF_HOST_MEMORY;
    ocl_object_init(&semaphore->object, OCL_SEMAPHORE);
    pthread_mutex_init(&semaphore->mutex, NULL);
    semaphore->context = context;
    semaphore->device = request->device;
    semaphore->exported = request->exports;
    semaphore->imported = request->imports;
    semaphore->last_promise = &semaphore->promises;
    semaphore->num_properties = request->num_properties;
    semaphore->properties = malloc(request->num_properties * sizeof(request->properties[0]));
    ocl_context_retain(context);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (semaphore->properties) {
        memcpy(semaphore->properties, request->properties, request->num_properties * sizeof(request->properties[0]));
        error = request->exports || request->imports ? make_shared(semaphore, request) : CL_SUCCESS;
    }
    if (error != CL_SUCCESS) {
        ocl_semaphore_release(semaphore);
        return error;
    }
    *out = semaphore;
    return CL_SUCCESS;
}

void ocl_semaphore_release(cl_semaphore_khr semaphore)
{
    if (!ocl_release(&semaphore->object))
        return;
    semaphore->object.kind = OCL_DEAD;
    /* Nobody can signal it any more: waits that were promised a signal end with an error instead of never. */
    while (semaphore->promises) {
        struct ocl_semaphore_promise *promise = semaphore->promises;
        semaphore->promises = promise->next;
        vkb_event_set_user(promise->event, CL_INVALID_SEMAPHORE_KHR);
        vkb_event_release(promise->event);
        vkb_callback_destroy(promise->when_kept);
        free(promise);
    }
    if (semaphore->signal)
        vkb_event_release(semaphore->signal);
    if (semaphore->last)
        vkb_event_release(semaphore->last);
    vkb_semaphore_release(semaphore->shared);
    pthread_mutex_destroy(&semaphore->mutex);
    ocl_context_release(semaphore->context);
    free(semaphore->properties);
    free(semaphore);
}

bool ocl_semaphore_is_signalled(cl_semaphore_khr semaphore)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_event *signal = semaphore->signal ? vkb_event_retain(semaphore->signal) : NULL;
    bool signalled = semaphore->signalled;
    ocl_unlock(&semaphore->mutex);
    if (signal) {
        signalled |= vkb_event_status(signal) == VKB_COMPLETE;
        vkb_event_release(signal);
    }
    return signalled;
}

/* ---- commands ---- */

static void keep_promise(void *data, int32_t status)
{
    struct ocl_semaphore_promise *promise = data;
    vkb_event_set_user(promise->event, status < 0 ? status : 0);
    vkb_event_release(promise->event);
    free(promise);
}

/* With the mutex held. The promise keeps a reference, and the caller gets one. */
static struct vkb_event *promise_signal(cl_semaphore_khr semaphore)
{
    struct ocl_semaphore_promise *promise = calloc(1, sizeof(*promise));
    /* The signal that keeps it must not fail for want of memory. */
    if (promise)
        promise->when_kept = vkb_callback_create(VKB_STEWARD, keep_promise, promise);
    if (!promise || !promise->when_kept || vkb_event_create_user(&promise->event) != VKB_SUCCESS) {
        if (promise)
            vkb_callback_destroy(promise->when_kept);
        free(promise);
        return NULL;
    }
    *semaphore->last_promise = promise;
    semaphore->last_promise = &promise->next;
    return vkb_event_retain(promise->event);
}

cl_int ocl_semaphore_take(struct ocl_command *command, cl_semaphore_khr semaphore, bool signals,
                          struct vkb_event **taken)
{
    struct vkb_event *before = NULL;
    *taken = NULL;
    ocl_lock(&semaphore->mutex);
    if (semaphore->shared && semaphore->last && vkb_event_status(semaphore->last) > VKB_COMPLETE)
        before = vkb_event_retain(semaphore->last);
    if (!signals) {
        *taken = semaphore->signal;
        semaphore->signal = NULL;
        if (!semaphore->shared)
            before = *taken ? vkb_event_retain(*taken) : promise_signal(semaphore);
    }
    bool failed = !signals && !semaphore->shared && !before;
    ocl_unlock(&semaphore->mutex);
    if (failed)
        return CL_OUT_OF_HOST_MEMORY;
    return before ? ocl_command_wait_for(command, before) : CL_SUCCESS;
}

/* A promise that was made stays: the signal that keeps it then has no wait. */
void ocl_semaphore_put_back(cl_semaphore_khr semaphore, struct vkb_event *taken)
{
    if (!taken)
        return;
    ocl_lock(&semaphore->mutex);
    struct vkb_event *extra = semaphore->signal ? taken : NULL;
    if (!extra)
        semaphore->signal = taken;
    ocl_unlock(&semaphore->mutex);
    if (extra)
        vkb_event_release(extra);
}

/* A second signal without a wait between replaces the first: the semaphore is binary. */
void ocl_semaphore_leave(cl_semaphore_khr semaphore, bool signals, struct vkb_event *event, struct vkb_queue *queue)
{
    struct ocl_semaphore_promise *promise = NULL;
    struct vkb_event *old_last = NULL, *old_signal = NULL;
    ocl_lock(&semaphore->mutex);
    if (semaphore->shared) {
        old_last = semaphore->last;
        semaphore->last = vkb_event_retain(event);
    }
    if (signals)
        promise = semaphore->promises;
    else
        semaphore->signalled = false;
    if (promise) {
        semaphore->promises = promise->next;
        if (!promise->next)
            semaphore->last_promise = &semaphore->promises;
    } else if (signals) {
        old_signal = semaphore->signal;
        semaphore->signal = vkb_event_retain(event);
    }
    ocl_unlock(&semaphore->mutex);
    if (old_last)
        vkb_event_release(old_last);
    if (old_signal)
        vkb_event_release(old_signal);
    if (promise) { /* its wait goes on when the signal has ended */
        vkb_queue_flush(queue);
        vkb_event_tell(event, VKB_COMPLETE, promise->when_kept);
    }
}

struct vkb_semaphore *ocl_semaphore_shared(cl_semaphore_khr semaphore)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_semaphore *shared = semaphore->shared ? vkb_semaphore_retain(semaphore->shared) : NULL;
    ocl_unlock(&semaphore->mutex);
    return shared;
}

/* ---- descriptors ---- */

cl_int ocl_semaphore_export(cl_semaphore_khr semaphore, uint32_t kind, int *fd)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_event *last = semaphore->last ? vkb_event_retain(semaphore->last) : NULL;
    bool signals = semaphore->signal;
    ocl_unlock(&semaphore->mutex);
    /* VUID-VkSemaphoreGetFdInfoKHR-handleType-03254: a sync file is a copy of a signal, so there must be one. */
    if (kind == VKB_HANDLE_SYNC_FD && !signals) {
        if (last)
            vkb_event_release(last);
        return CL_INVALID_OPERATION;
    }
    /* Held back: Vulkan would not know of it yet. */
    if (last && vkb_event_status(last) == VKB_QUEUED)
        vkb_event_wait(last, UINT64_MAX);
    if (last)
        vkb_event_release(last);
    struct vkb_semaphore *shared = ocl_semaphore_shared(semaphore);
    enum vkb_result result = vkb_semaphore_export(shared, (enum vkb_handle)kind, fd);
    vkb_semaphore_release(shared);
    if (result == VKB_SUCCESS && kind == VKB_HANDLE_SYNC_FD) {
        ocl_lock(&semaphore->mutex);
        struct vkb_event *used = semaphore->signal;
        semaphore->signal = NULL;
        ocl_unlock(&semaphore->mutex);
        if (used)
            vkb_event_release(used);
    }
    return result == VKB_SUCCESS || result == VKB_OUT_OF_HOST_MEMORY ? ocl_from_vkb(result) : CL_OUT_OF_RESOURCES;
}

/* As if it was made anew, from another descriptor: commands that are under way keep the old VkSemaphore. */
cl_int ocl_semaphore_reimport(cl_semaphore_khr semaphore, int fd)
{
    struct vkb_semaphore *fresh = NULL;
    enum vkb_result result = vkb_semaphore_create(semaphore->device->vk, 0, &fresh);
    if (result == VKB_SUCCESS)
        result = vkb_semaphore_import(fresh, VKB_HANDLE_SYNC_FD, fd);
    if (result != VKB_SUCCESS) {
        vkb_semaphore_release(fresh);
        return result == VKB_UNSUPPORTED          ? CL_INVALID_VALUE
               : result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY
                                                  : CL_OUT_OF_RESOURCES;
    }
    ocl_lock(&semaphore->mutex);
    struct vkb_semaphore *old = semaphore->shared;
    struct vkb_event *last = semaphore->last, *signal = semaphore->signal;
    semaphore->shared = fresh;
    semaphore->last = semaphore->signal = NULL;
    semaphore->signalled = true;
    ocl_unlock(&semaphore->mutex);
    vkb_semaphore_release(old);
    if (last)
        vkb_event_release(last);
    if (signal)
        vkb_event_release(signal);
    return CL_SUCCESS;
}
