/* Memory of the device's that OpenGL uses, too, so that contents go from one to the other without the host. A context has
 * it where it has one device, on which OpenGL works as well, and whose memory goes by opaque file descriptors. Whether
 * OpenGL moves texels from and to it rightly is tried for each kind of object (gl/trial.c). Where it does not, a buffer of
 * OpenGL's own is put between; and where that is wrong, too, contents go through the host's memory. */
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

static struct vkb_buffer *create(cl_context context, struct ocl_gl_object *object, uint64_t size, enum ocl_gl_way way)
{
    struct vkb_buffer *buffer;
    struct ocl_gl_memory memory;
    if (vkb_buffer_create_exported(context->devices[0]->vk, size + SPARE, VKB_HANDLE_OPAQUE_FD, &buffer) != VKB_SUCCESS)
        return NULL;
    memory.fd = (int)vkb_buffer_export(buffer, VKB_HANDLE_OPAQUE_FD);
    vkb_buffer_export_size(buffer, &memory.size, &memory.dedicated);
    if (memory.fd >= 0 && ocl_gl_object_attach(object, &memory, size, way) && change_hands(context, buffer, false))
        return buffer;
    vkb_buffer_release(buffer);
    return NULL;
}

/* ---- trials ---- */

struct trial {
    cl_context context;
    struct ocl_gl_object *like; /* an object of OpenGL's of the kind that is tried */
    struct vkb_buffer *shared;
    size_t size;
    uint8_t *sent, *seen, *truth; /* size bytes each */
};

/* The device's bytes, while the memory is its own. */
static bool move(const struct trial *trial, uint8_t *bytes, bool write)
{
    return change_hands(trial->context, trial->shared, true) &&
           transfer(trial->context, trial->shared, bytes, trial->size, write) &&
           change_hands(trial->context, trial->shared, false);
}

/* What OpenGL has is what the host reads, and what the device sees in place of its own bytes. */
static bool arrives(const struct trial *trial)
{
    ocl_gl_pattern(trial->like, 1, trial->sent, trial->size);
    if (!ocl_gl_object_shape(trial->like)->reads_only && ocl_gl_write(trial->like, trial->sent) != CL_SUCCESS)
        return false;
    ocl_gl_pattern(trial->like, 2, trial->sent, trial->size);
    return ocl_gl_read(trial->like, trial->truth) == CL_SUCCESS && move(trial, trial->sent, true) &&
           ocl_gl_read(trial->like, NULL) == CL_SUCCESS && move(trial, trial->seen, false) &&
           !memcmp(trial->truth, trial->seen, trial->size);
}

/* OpenGL gets from the device what it would get from the host. */
static bool returns(const struct trial *trial, uint32_t seed)
{
    ocl_gl_pattern(trial->like, seed, trial->sent, trial->size);
    return move(trial, trial->sent, true) && ocl_gl_write(trial->like, NULL) == CL_SUCCESS &&
           ocl_gl_read(trial->like, trial->seen) == CL_SUCCESS &&
           ocl_gl_write(trial->like, trial->sent) == CL_SUCCESS &&
           ocl_gl_read(trial->like, trial->truth) == CL_SUCCESS && !memcmp(trial->truth, trial->seen, trial->size);
}

/* Two patterns come back: bytes that were right once may be kept by a driver that does not see them change. */
static bool try_on(struct trial *trial, enum ocl_gl_way way)
{
    trial->size = (size_t)ocl_gl_object_bytes(trial->like);
    trial->sent = malloc(3 * trial->size);
    trial->shared = trial->sent ? create(trial->context, trial->like, trial->size, way) : NULL;
    if (trial->sent) {
        trial->seen = trial->sent + trial->size;
        trial->truth = trial->seen + trial->size;
    }
    bool right = trial->shared && arrives(trial) &&
                 (ocl_gl_object_shape(trial->like)->reads_only || (returns(trial, 3) && returns(trial, 4)));
    vkb_buffer_release(trial->shared);
    free(trial->sent);
    return right;
}

static bool try_way(cl_context context, const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    struct trial trial = {.context = context, .like = ocl_gl_make_like(object)};
    bool right = trial.like && try_on(&trial, way);
    ocl_gl_object_release(trial.like);
    return right;
}

static enum ocl_gl_way find_way(cl_context context, const struct ocl_gl_object *object)
{
    static const char *const names[] = {
        [OCL_GL_HOST] = "memory of the host's",
        [OCL_GL_STAGED] = "memory of the device's, and a buffer of OpenGL's",
        [OCL_GL_DIRECT] = "memory of the device's, which OpenGL uses as well",
    };
    char kind[OCL_GL_KIND_TEXT];
    enum ocl_gl_way way = OCL_GL_DIRECT;
    while (way > OCL_GL_HOST && !try_way(context, object, way))
        way--;
    ocl_gl_object_kind(object, kind);
    log_info("OpenGL: contents of %s go through %s", kind, names[way]);
    return way;
}

/* Each kind is tried once; two threads may do it at the same time, and find the same. */
static enum ocl_gl_way choose_way(cl_context context, const struct ocl_gl_object *object)
{
    const struct vkb_caps *caps = context->devices[0]->caps;
    enum ocl_gl_way way = ocl_gl_object_way(object);
    if (context->num_devices != 1 || !(caps->memory_exports & VKB_HANDLE_OPAQUE_FD) ||
        !ocl_gl_takes_memory(ocl_gl_object_gl(object), caps->device_uuid, caps->driver_uuid))
        return OCL_GL_HOST;
    if (way == OCL_GL_UNTRIED) {
        way = find_way(context, object);
        ocl_gl_object_set_way(object, way);
    }
    return way;
}

struct vkb_buffer *ocl_gl_shared_create(cl_context context, struct ocl_gl_object *object, uint64_t size)
{
    enum ocl_gl_way way = choose_way(context, object);
    return way == OCL_GL_HOST ? NULL : create(context, object, size, way);
}
