/* Memory that the device and OpenGL both use, so that contents go from one to the other without the host. A context has
 * it where it has one device. The ways are those of enum ocl_gl_way: the texture's own memory, where OpenGL exports that;
 * or memory that the device exports by opaque file descriptors, to an OpenGL that works on the same device. That is the
 * image's own, or a buffer's in which contents lie packed. Which ways are right is tried for each kind of object
 * (gl/trial.c), the best first; where none is, contents go through the host's memory. */
#include "src/object/gl_shared.h"

#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/image.h"

#include "base/log.h"
#include "base/platform.h"
#include "base/util.h"

#include <inttypes.h>
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

/* What OpenGL has as well: a buffer of packed contents, or the image itself. */
struct shared {
    struct vkb_buffer *buffer;
    struct vkb_image *image;
};

static bool change_hands(cl_context context, const struct shared *shared, bool acquire)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, 0);
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result =
        queue ? vkb_cmd_ownership(&enqueue, shared->buffer, shared->image, acquire) : VKB_OUT_OF_HOST_MEMORY;
    return wait_for(queue, result, event);
}

static bool transfer_buffer(cl_context context, struct vkb_buffer *buffer, void *data, size_t size, bool write)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, 0);
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result =
        write ? vkb_cmd_write(&enqueue, buffer, 0, size, data, true) : vkb_cmd_read(&enqueue, buffer, 0, size, data);
    return wait_for(queue, result, event);
}

/* By way of a buffer that the host sees. */
static bool transfer_image(cl_context context, struct vkb_image *image, void *data, size_t size, bool write)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, 0);
    const struct vkb_image_info *info = vkb_image_info(image);
    const struct vkb_image_region all = {
        .extent = {info->width, info->height, 1}, .row_texels = info->width, .slice_rows = info->height};
    struct vkb_buffer *packed;
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    if (vkb_buffer_create(context->devices[0]->vk, align_up(size, 4), VKB_MEMORY_HOST, &packed) != VKB_SUCCESS)
        return false;
    if (write)
        memcpy(vkb_buffer_map(packed), data, size);
    enum vkb_result result = write ? vkb_cmd_buffer_to_image(&enqueue, packed, image, &all)
                                   : vkb_cmd_image_to_buffer(&enqueue, image, packed, &all);
    bool done = wait_for(queue, result, event);
    if (done && !write)
        memcpy(data, vkb_buffer_map(packed), size);
    vkb_buffer_release(packed);
    return done;
}

/* ---- the memory ---- */

/* Bytes behind the contents: llvmpipe makes no buffer that ends where its memory does. */
enum { SPARE = 4096 };

static bool create_buffer(cl_context context, struct ocl_gl_object *object, uint64_t size, enum ocl_gl_way way,
                          struct shared *shared)
{
    struct vkb_buffer *buffer;
    struct ocl_gl_memory memory;
    if (vkb_buffer_create_exported(context->devices[0]->vk, size + SPARE, VKB_HANDLE_OPAQUE_FD, &buffer) != VKB_SUCCESS)
        return false;
    shared->buffer = buffer;
    memory.fd = (int)vkb_buffer_export(buffer, VKB_HANDLE_OPAQUE_FD);
    vkb_buffer_export_size(buffer, &memory.size, &memory.dedicated);
    return memory.fd >= 0 && ocl_gl_object_attach(object, &memory, size, way);
}

static void fill_info(cl_context context, const struct ocl_gl_object *object, struct vkb_image_info *info)
{
    const struct ocl_gl_shape *shape = ocl_gl_object_shape(object);
    struct ocl_image_request request = {
        .type = shape->image_type,
        .desc = {.image_type = shape->image_type, .image_width = shape->width, .image_height = shape->height},
    };
    ocl_format_find(&shape->format, &request.format); /* ocl_mem_create_gl() has found it */
    ocl_image_shared_info(context, &request, info);
}

static enum vkb_result create_exported(cl_context context, const struct vkb_image_info *info, struct shared *shared)
{
    return vkb_image_create_exported(context->devices[0]->vk, info, VKB_HANDLE_OPAQUE_FD, &shared->image);
}

/* A driver that shares no images of two formats may share others; there is no image of another format of that
 * (OpenCL 3.0 API, 5.3.1.2) then. */
static bool create_twin(cl_context context, struct ocl_gl_object *object, enum ocl_gl_way way, struct shared *shared)
{
    struct vkb_image_info info;
    struct ocl_gl_memory memory;
    fill_info(context, object, &info);
    enum vkb_result result = create_exported(context, &info, shared);
    if (result != VKB_SUCCESS && info.other_format) {
        info.other_format = 0;
        result = create_exported(context, &info, shared);
    }
    if (result != VKB_SUCCESS)
        return false;
    memory.fd = (int)vkb_image_export(shared->image, VKB_HANDLE_OPAQUE_FD, &memory.size, &memory.dedicated);
    return memory.fd >= 0 && ocl_gl_object_attach_twin(object, &memory, way);
}

static bool import_texture(cl_context context, struct ocl_gl_object *object, struct shared *shared)
{
    struct vkb_image_info info;
    struct ocl_gl_texture_memory memory;
    if (!ocl_gl_object_export(object, &memory))
        return false;
    struct vkb_dma_buf from = {.fd = memory.fd, .modifier = memory.modifiers[0], .num_planes = memory.num_planes};
    memcpy(from.offset, memory.offset, sizeof(from.offset));
    memcpy(from.pitch, memory.pitch, sizeof(from.pitch));
    fill_info(context, object, &info);
    enum vkb_result result = vkb_image_import_dma_buf(context->devices[0]->vk, &info, &from, &shared->image);
    if (result != VKB_SUCCESS && info.other_format) {
        info.other_format = 0;
        result = vkb_image_import_dma_buf(context->devices[0]->vk, &info, &from, &shared->image);
    }
    if (result != VKB_SUCCESS) {
        platform_handle_close(memory.fd);
        return false;
    }
    ocl_gl_object_set_exported(object);
    return true;
}

static void release(struct shared *shared)
{
    vkb_buffer_release(shared->buffer);
    vkb_image_release(shared->image);
    *shared = (struct shared){NULL};
}

/* What the object shares by that way, which is OpenGL's then. */
static bool create(cl_context context, struct ocl_gl_object *object, uint64_t size, enum ocl_gl_way way,
                   struct shared *shared)
{
    *shared = (struct shared){NULL};
    bool good = way == OCL_GL_EXPORTED ? import_texture(context, object, shared)
                : way >= OCL_GL_TWIN   ? create_twin(context, object, way, shared)
                                       : create_buffer(context, object, size, way, shared);
    /* An imported texture is OpenGL's already. */
    if (good && (way == OCL_GL_EXPORTED || change_hands(context, shared, false)))
        return true;
    release(shared);
    return false;
}

/* ---- trials ---- */

struct trial {
    cl_context context;
    struct ocl_gl_object *like; /* an object of OpenGL's of the kind that is tried */
    struct shared shared;
    size_t size;
    uint8_t *sent, *seen, *truth; /* size bytes each */
    struct ocl_gl_time time;      /* of copies */
};

/* The device's bytes, while the memory is its own. */
static bool move(const struct trial *trial, uint8_t *bytes, bool write)
{
    cl_context context = trial->context;
    const struct shared *shared = &trial->shared;
    if (!change_hands(context, shared, true))
        return false;
    bool moved = shared->image ? transfer_image(context, shared->image, bytes, trial->size, write)
                               : transfer_buffer(context, shared->buffer, bytes, trial->size, write);
    return moved && change_hands(context, shared, false);
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

/* The same of memory that is the texture's own: the device sees what OpenGL has written last. */
static bool is_seen(const struct trial *trial, uint32_t seed)
{
    ocl_gl_pattern(trial->like, seed, trial->sent, trial->size);
    return ocl_gl_write(trial->like, trial->sent) == CL_SUCCESS &&
           ocl_gl_read(trial->like, trial->truth) == CL_SUCCESS && ocl_gl_read(trial->like, NULL) == CL_SUCCESS &&
           move(trial, trial->seen, false) && !memcmp(trial->truth, trial->seen, trial->size);
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
    bool ready = trial->sent && create(trial->context, trial->like, trial->size, way, &trial->shared);
    if (ready) {
        trial->seen = trial->sent + trial->size;
        trial->truth = trial->seen + trial->size;
    }
    bool seen = ready && (way == OCL_GL_EXPORTED ? is_seen(trial, 1) && is_seen(trial, 2) : arrives(trial));
    bool right = seen && (ocl_gl_object_shape(trial->like)->reads_only || (returns(trial, 3) && returns(trial, 4)));
    if (right && (way == OCL_GL_TWIN || way == OCL_GL_SHADED))
        right = ocl_gl_time_copies(trial->like, &trial->time);
    release(&trial->shared);
    free(trial->sent);
    return right;
}

/* *time: what copies take by that way, if it is right. */
static bool try_way(cl_context context, const struct ocl_gl_object *object, enum ocl_gl_way way,
                    struct ocl_gl_time *time)
{
    struct trial trial = {.context = context, .like = ocl_gl_make_like(object)};
    bool right = trial.like && try_on(&trial, way);
    ocl_gl_object_release(trial.like);
    *time = trial.time;
    return right;
}

/* Shaders copy where blits take longer, as they do on GPUs that draw slowly; textures that shaders cannot see as they are
 * (gl/copy_shader.c) are blitted still, which must be right, too. The GPU's own timer says so, where it tells
 * anything: waiting for copies of this size may take longer than they do, and not always the same. */
static bool is_quicker(const struct ocl_gl_object *object, const struct ocl_gl_time *shader,
                       const struct ocl_gl_time *blit)
{
    enum { LEAST_NS = 1000 }; /* no GPU is done so soon: llvmpipe says 1 ns of everything */
    char kind[OCL_GL_KIND_TEXT];
    bool by_gpu = shader->gpu_ns > LEAST_NS && blit->gpu_ns > LEAST_NS;
    uint64_t one = by_gpu ? shader->gpu_ns : shader->host_ns, other = by_gpu ? blit->gpu_ns : blit->host_ns;
    ocl_gl_object_kind(object, kind);
    log_info("OpenGL: copies of %s: by a shader %" PRIu64 " ns, by blits %" PRIu64 " ns, %s", kind, one, other,
             by_gpu ? "on the GPU" : "as the host sees it");
    return one <= other;
}

static bool is_worth_it(cl_context context, const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    struct ocl_gl_time own, blit;
    if (!try_way(context, object, way, &own))
        return false;
    return way != OCL_GL_SHADED || (try_way(context, object, OCL_GL_TWIN, &blit) && is_quicker(object, &own, &blit));
}

static void say(const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    static const char *const names[OCL_GL_WAYS] = {
        [OCL_GL_HOST] = "memory of the host's",
        [OCL_GL_STAGED] = "memory of the device's, and a buffer of OpenGL's",
        [OCL_GL_DIRECT] = "memory of the device's, which OpenGL uses as well",
        [OCL_GL_TWIN] = "memory of the device's, which is a texture in OpenGL",
        [OCL_GL_SHADED] = "memory of the device's, which is a texture in OpenGL that a shader copies",
        [OCL_GL_EXPORTED] = "nothing: the texture's memory is the image's",
    };
    char kind[OCL_GL_KIND_TEXT];
    ocl_gl_object_kind(object, kind);
    log_info("OpenGL: contents of %s go through %s", kind, names[way]);
}

/* Each kind is tried once; two threads may do it at the same time, and find the same. */
static bool is_right(cl_context context, const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    enum ocl_gl_verdict verdict = ocl_gl_object_verdict(object, way);
    if (verdict == OCL_GL_UNTRIED) {
        verdict = way == OCL_GL_HOST || is_worth_it(context, object, way) ? OCL_GL_RIGHT : OCL_GL_WRONG;
        ocl_gl_object_judge(object, way, verdict);
        if (verdict == OCL_GL_RIGHT)
            say(object, way);
    }
    return verdict == OCL_GL_RIGHT;
}

/* OpenGL would give its textures' memory, but the device takes none of such. Said once for each kind. */
static void say_not_taken(const struct ocl_gl_object *object)
{
    char kind[OCL_GL_KIND_TEXT];
    if (ocl_gl_object_verdict(object, OCL_GL_EXPORTED) != OCL_GL_UNTRIED)
        return;
    ocl_gl_object_judge(object, OCL_GL_EXPORTED, OCL_GL_WRONG);
    ocl_gl_object_kind(object, kind);
    log_info("OpenGL: the memory of %s stays OpenGL's: the device takes no dma_bufs with modifiers", kind);
}

/* Whether the context's device and OpenGL could go that way with such objects. */
static bool is_possible(cl_context context, const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    const struct vkb_caps *caps = context->devices[0]->caps;
    if (way == OCL_GL_HOST)
        return true;
    if (context->num_devices != 1 || !ocl_gl_object_fits(object, way))
        return false;
    if (way == OCL_GL_EXPORTED) {
        bool takes = caps->modifiers && caps->image_imports & VKB_HANDLE_DMA_BUF;
        if (!takes)
            say_not_taken(object);
        return takes;
    }
    return caps->memory_exports & VKB_HANDLE_OPAQUE_FD &&
           ocl_gl_takes_memory(ocl_gl_object_gl(object), caps->device_uuid, caps->driver_uuid);
}

/* The best way from the first to the last that is right for the object's kind, and works for itself. */
static bool find(cl_context context, struct ocl_gl_object *object, uint64_t size, enum ocl_gl_way first,
                 enum ocl_gl_way last, struct shared *shared)
{
    for (int way = (int)first; way >= (int)last; way--) {
        if (is_possible(context, object, (enum ocl_gl_way)way) && is_right(context, object, (enum ocl_gl_way)way) &&
            (way == OCL_GL_HOST || create(context, object, size, (enum ocl_gl_way)way, shared)))
            return way != OCL_GL_HOST;
    }
    return false;
}

struct vkb_image *ocl_gl_image_create(cl_context context, struct ocl_gl_object *object)
{
    struct shared shared;
    return find(context, object, 0, OCL_GL_EXPORTED, OCL_GL_TWIN, &shared) ? shared.image : NULL;
}

struct vkb_buffer *ocl_gl_shared_create(cl_context context, struct ocl_gl_object *object, uint64_t size)
{
    struct shared shared;
    return find(context, object, size, OCL_GL_DIRECT, OCL_GL_HOST, &shared) ? shared.buffer : NULL;
}
