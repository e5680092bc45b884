/* Memory of the device's that OpenGL uses, too, so that contents go from one to the other without the host. A context has
 * it where it has one device, on which OpenGL works as well, whose memory goes by opaque file descriptors, and where two
 * patterns were seen to arrive, one in each direction. */
#include "src/object/gl_shared.h"

#include "src/device/device.h"
#include "src/object/context.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* ---- commands that are waited for ---- */

enum { PATIENCE_NS = 2000000000 };

static bool wait_for(struct vkb_queue *queue, enum vkb_result result, struct vkb_event *event)
{
    bool done = result == VKB_SUCCESS && vkb_queue_flush(queue) == VKB_SUCCESS &&
                vkb_event_wait(event, PATIENCE_NS) == VKB_SUCCESS;
    if (event)
        vkb_event_release(event);
    return done;
}

static bool change_hands(cl_context context, struct vkb_buffer *buffer, bool acquire)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, 0);
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result = queue ? vkb_cmd_ownership(&enqueue, buffer, NULL, acquire) : VKB_OUT_OF_HOST_MEMORY;
    return wait_for(queue, result, event);
}

static bool transfer(cl_context context, struct vkb_buffer *buffer, void *data, size_t size, bool write)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, 0);
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result =
        write ? vkb_cmd_write(&enqueue, buffer, 0, size, data, true) : vkb_cmd_read(&enqueue, buffer, 0, size, data);
    return wait_for(queue, result, event);
}

/* ---- the memory ---- */

/* Bytes behind the contents: llvmpipe makes no buffer that ends where its memory does. */
enum { SPARE = 4096 };

static struct vkb_buffer *create(cl_context context, struct ocl_gl_object *object, uint64_t size)
{
    struct vkb_buffer *buffer;
    struct ocl_gl_memory memory;
    if (vkb_buffer_create_exported(context->devices[0]->vk, size + SPARE, VKB_HANDLE_OPAQUE_FD, &buffer) != VKB_SUCCESS)
        return NULL;
    memory.fd = vkb_buffer_export(buffer, VKB_HANDLE_OPAQUE_FD);
    vkb_buffer_export_size(buffer, &memory.size, &memory.dedicated);
    if (memory.fd >= 0 && ocl_gl_object_attach(object, &memory, size) && change_hands(context, buffer, false))
        return buffer;
    vkb_buffer_release(buffer);
    return NULL;
}

/* ---- the trial ---- */

enum { TRIAL_BYTES = 65536 };

static void fill(uint32_t *words, uint32_t seed)
{
    for (uint32_t i = 0; i < TRIAL_BYTES / 4; i++)
        words[i] = seed + i * 0x9e3779b9u;
}

/* OpenGL's bytes come to the device, and others go back. */
static bool arrives(cl_context context, struct ocl_gl_object *object, struct vkb_buffer *shared, uint32_t *sent,
                    uint32_t *seen)
{
    fill(sent, 1);
    bool right = ocl_gl_write(object, sent) == CL_SUCCESS && ocl_gl_read(object, NULL) == CL_SUCCESS &&
                 change_hands(context, shared, true) && transfer(context, shared, seen, TRIAL_BYTES, false) &&
                 !memcmp(sent, seen, TRIAL_BYTES);
    fill(sent, 2);
    return right && transfer(context, shared, sent, TRIAL_BYTES, true) && change_hands(context, shared, false) &&
           ocl_gl_write(object, NULL) == CL_SUCCESS && ocl_gl_read(object, seen) == CL_SUCCESS &&
           !memcmp(sent, seen, TRIAL_BYTES);
}

static bool try_it(cl_context context, struct ocl_gl *gl)
{
    struct ocl_gl_object *object = NULL;
    struct vkb_buffer *shared = NULL;
    uint32_t *words = malloc(2 * TRIAL_BYTES);
    bool right = words && ocl_gl_make_buffer("clCreateFromGL", gl, TRIAL_BYTES, &object) == CL_SUCCESS &&
                 (shared = create(context, object, TRIAL_BYTES)) != NULL &&
                 arrives(context, object, shared, words, words + TRIAL_BYTES / 4);
    vkb_buffer_release(shared);
    ocl_gl_object_release(object);
    free(words);
    return right;
}

/* Tried once; two threads may do it at the same time, and find the same. */
static bool is_possible(cl_context context, struct ocl_gl *gl)
{
    const struct vkb_caps *caps = context->devices[0]->caps;
    bool may = context->num_devices == 1 && caps->memory_exports & VKB_HANDLE_OPAQUE_FD &&
               ocl_gl_takes_memory(gl, caps->device_uuid, caps->driver_uuid);
    int known = atomic_load(&context->gl_sharing);
    if (known)
        return may && known > 0;
    bool right = may && try_it(context, gl);
    log_info("OpenGL: contents go through memory of %s",
             right ? "the device's, which OpenGL uses as well" : "the host's");
    atomic_store(&context->gl_sharing, right ? 1 : -1);
    return right;
}

struct vkb_buffer *ocl_gl_shared_create(cl_context context, struct ocl_gl_object *object, uint64_t size)
{
    return is_possible(context, ocl_gl_object_gl(object)) ? create(context, object, size) : NULL;
}
