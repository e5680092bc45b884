/* Semaphores: their life, and those that others know as well (imported, or made to be exported).
 *
 * Such a semaphore is a VkSemaphore, and Vulkan allows nobody to wait twice or to signal twice. So each of our own
 * commands with it comes after the one before, by its event. All others are events alone: semaphore_turn.c. */
#include "src/command/semaphore.h"

#include "src/command/command.h"
#include "src/object/context.h"
#include "src/device/device.h"

#include <stdlib.h>
#include <string.h>

static cl_int make_shared(cl_semaphore_khr semaphore, const struct ocl_semaphore_request *request)
{
    enum vkb_result result = vkb_semaphore_create(semaphore->device->vk, request->exports, &semaphore->shared);
    if (result == VKB_SUCCESS && request->imports) {
        result = vkb_semaphore_import(semaphore->shared, (enum vkb_handle)request->imports, request->handle);
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
    atomic_init(&semaphore->uses, 1);
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

void ocl_semaphore_destroy(cl_semaphore_khr semaphore)
{
    ocl_semaphore_forget_signals(semaphore);
    vkb_event_release(semaphore->signal);
    vkb_event_release(semaphore->taker);
    vkb_event_release(semaphore->last);
    vkb_semaphore_release(semaphore->shared);
    pthread_mutex_destroy(&semaphore->mutex);
    ocl_context_release(semaphore->context);
    free(semaphore->properties);
    ocl_object_free(&semaphore->object);
}

void ocl_semaphore_release(cl_semaphore_khr semaphore)
{
    if (!ocl_release(&semaphore->object))
        return;
    semaphore->object.kind = OCL_DEAD;
    ocl_semaphore_close(semaphore);
    ocl_semaphore_drop(semaphore);
}

bool ocl_semaphore_is_signalled(cl_semaphore_khr semaphore)
{
    if (!ocl_semaphore_is_shared(semaphore))
        return ocl_semaphore_has_payload(semaphore);
    ocl_lock(&semaphore->mutex);
    struct vkb_event *signal = semaphore->signal ? vkb_event_retain(semaphore->signal) : NULL;
    struct vkb_event *taker = semaphore->taker ? vkb_event_retain(semaphore->taker) : NULL;
    bool signalled = semaphore->signalled;
    ocl_unlock(&semaphore->mutex);
    signalled |= signal && vkb_event_ask(signal) == VKB_COMPLETE;
    signalled &= !taker || vkb_event_ask(taker) < 0;
    vkb_event_release(signal);
    vkb_event_release(taker);
    return signalled;
}

/* ---- commands with a shared semaphore ---- */

static void set_past(void *data, int32_t status)
{
    (void)status;
    vkb_event_set_user(data, 0);
    vkb_event_release(data);
}

/* An event that is complete when the other has ended, be it in error. */
static struct vkb_event *after(struct vkb_event *event)
{
    struct vkb_event *end = NULL;
    if (vkb_event_create_user(&end) != VKB_SUCCESS)
        return NULL;
    struct vkb_callback *ended = vkb_callback_create(VKB_STEWARD, set_past, end);
    if (!ended) {
        vkb_event_release(end);
        return NULL;
    }
    vkb_event_retain(end);
    vkb_event_tell(event, VKB_COMPLETE, ended);
    return end;
}

/* What cannot fail any more is waited for where the device can do that. */
cl_int ocl_semaphore_follow(struct ocl_command *command, cl_semaphore_khr semaphore)
{
    int32_t status;
    ocl_lock(&semaphore->mutex);
    struct vkb_event *last = semaphore->last ? vkb_event_retain(semaphore->last) : NULL;
    ocl_unlock(&semaphore->mutex);
    if (!last || vkb_event_has_ended(last, &status)) {
        vkb_event_release(last);
        return CL_SUCCESS;
    }
    if (vkb_event_is_held(last)) {
        struct vkb_event *end = after(last);
        vkb_event_release(last);
        last = end;
    }
    return last ? ocl_command_wait_for(command, last) : CL_OUT_OF_HOST_MEMORY;
}

/* Whether the wait that was to take the signal did not. With the mutex held. */
static bool taker_failed(cl_semaphore_khr semaphore)
{
    int32_t status;
    return semaphore->taker && vkb_event_has_ended(semaphore->taker, &status) && status < 0;
}

void ocl_semaphore_leave(cl_semaphore_khr semaphore, bool signals, struct vkb_event *event)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_event *last = semaphore->last, *taker = semaphore->taker, *signal = signals ? semaphore->signal : NULL;
    semaphore->last = vkb_event_retain(event);
    if (signals) {
        semaphore->signal = vkb_event_retain(event);
        semaphore->taker = NULL;
        semaphore->signalled = false;
    } else if (!taker || taker_failed(semaphore)) {
        semaphore->taker = vkb_event_retain(event);
    } else {
        taker = NULL; /* it stays; this wait is for a signal from outside */
    }
    ocl_unlock(&semaphore->mutex);
    vkb_event_release(last);
    vkb_event_release(taker);
    vkb_event_release(signal);
}

struct vkb_semaphore *ocl_semaphore_shared(cl_semaphore_khr semaphore)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_semaphore *shared = semaphore->shared ? vkb_semaphore_retain(semaphore->shared) : NULL;
    ocl_unlock(&semaphore->mutex);
    return shared;
}

/* ---- handles ---- */

cl_int ocl_semaphore_export(cl_semaphore_khr semaphore, uint32_t kind, intptr_t *handle)
{
    ocl_lock(&semaphore->mutex);
    struct vkb_event *last = semaphore->last ? vkb_event_retain(semaphore->last) : NULL;
    bool signals = semaphore->signal && (!semaphore->taker || taker_failed(semaphore));
    ocl_unlock(&semaphore->mutex);
    /* VUID-VkSemaphoreGetFdInfoKHR-handleType-03254: a sync file is a copy of a signal, so there must be one. */
    if (kind == VKB_HANDLE_SYNC_FD && !signals) {
        if (last)
            vkb_event_release(last);
        return CL_INVALID_OPERATION;
    }
    /* Held back: Vulkan would not know of it yet. */
    if (last && vkb_event_ask(last) == VKB_QUEUED)
        vkb_event_wait(last, UINT64_MAX);
    if (last)
        vkb_event_release(last);
    struct vkb_semaphore *shared = ocl_semaphore_shared(semaphore);
    enum vkb_result result = vkb_semaphore_export(shared, (enum vkb_handle)kind, handle);
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
    struct vkb_event *last = semaphore->last, *signal = semaphore->signal, *taker = semaphore->taker;
    semaphore->shared = fresh;
    semaphore->last = semaphore->signal = semaphore->taker = NULL;
    semaphore->signalled = true;
    ocl_unlock(&semaphore->mutex);
    vkb_semaphore_release(old);
    vkb_event_release(last);
    vkb_event_release(signal);
    vkb_event_release(taker);
    return CL_SUCCESS;
}
