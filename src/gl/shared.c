/* Memory of the device's that OpenGL uses, too (GL_EXT_memory_object_fd): a buffer of OpenGL's over an allocation of
 * Vulkan's. The graphics card copies an object's contents there and back, and the host sees nothing of them. */
#include "src/gl/private.h"

#include <string.h>
#include <unistd.h>

bool ocl_gl_takes_memory(struct ocl_gl *gl, const uint8_t device_uuid[16], const uint8_t driver_uuid[16])
{
    return gl->has_memory && !memcmp(gl->uuid, device_uuid, 16) && !memcmp(gl->driver_uuid, driver_uuid, 16);
}

struct attachment {
    struct ocl_gl_object *object;
    const struct ocl_gl_memory *memory;
    uint64_t bytes;
    enum ocl_gl_way way;
    bool taken;
};

void gl_detach(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    if (object->shared)
        f->DeleteBuffers(1, &object->shared);
    object->gl->shared_bytes -= object->shared_bytes;
    object->shared_bytes = 0;
    if (object->memory)
        f->DeleteMemoryObjectsEXT(1, &object->memory);
    gl_let_image_go(object);
    if (object->twin)
        f->DeleteTextures(1, &object->twin);
    if (object->twin_view)
        f->DeleteFramebuffers(1, &object->twin_view);
    if (object->view)
        f->DeleteFramebuffers(1, &object->view);
    object->shared = object->memory = object->twin = object->twin_view = object->view = 0;
    object->way = OCL_GL_HOST;
}

uint32_t gl_import_memory(struct ocl_gl *gl, const struct ocl_gl_memory *memory)
{
    static const int32_t yes = 1;
    const struct gl_functions *f = &gl->f;
    uint32_t name = 0;
    f->CreateMemoryObjectsEXT(1, &name);
    if (memory->dedicated)
        f->MemoryObjectParameterivEXT(name, GL_DEDICATED_MEMORY_OBJECT, &yes);
    f->ImportMemoryFdEXT(name, memory->size, GL_HANDLE_TYPE_OPAQUE_FD, memory->fd);
    if (f->GetError() == GL_NO_ERROR)
        return name;
    f->DeleteMemoryObjectsEXT(1, &name);
    return 0;
}

static void attach(void *data)
{
    struct attachment *attachment = data;
    struct ocl_gl_object *object = attachment->object;
    const struct gl_functions *f = &object->gl->f;
    gl_drop_errors(object->gl);
    if (attachment->bytes > GL_SHARED_MOST - object->gl->shared_bytes)
        return;
    object->memory = gl_import_memory(object->gl, attachment->memory);
    attachment->taken = object->memory;
    if (!attachment->taken)
        return;
    f->GenBuffers(1, &object->shared);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, object->shared);
    f->BufferStorageMemEXT(GL_COPY_WRITE_BUFFER, (intptr_t)attachment->bytes, object->memory, 0);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    object->shared_bytes = attachment->bytes;
    object->gl->shared_bytes += attachment->bytes;
    object->way = attachment->way;
    if (f->GetError() != GL_NO_ERROR)
        gl_detach(object);
}

bool ocl_gl_object_attach(struct ocl_gl_object *object, const struct ocl_gl_memory *memory, uint64_t bytes,
                          enum ocl_gl_way way)
{
    struct attachment attachment = {.object = object, .memory = memory, .bytes = bytes, .way = way};
    bool called = gl_call(object->gl, attach, &attachment);
    if (!called || !attachment.taken)
        close(memory->fd);
    return called && object->shared;
}
