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
    if (object->memory)
        f->DeleteMemoryObjectsEXT(1, &object->memory);
    object->shared = object->memory = 0;
    object->staged = false;
}

static void attach(void *data)
{
    static const int32_t yes = 1;
    struct attachment *attachment = data;
    struct ocl_gl_object *object = attachment->object;
    const struct gl_functions *f = &object->gl->f;
    const struct ocl_gl_memory *memory = attachment->memory;
    gl_drop_errors(object->gl);
    f->CreateMemoryObjectsEXT(1, &object->memory);
    if (memory->dedicated)
        f->MemoryObjectParameterivEXT(object->memory, GL_DEDICATED_MEMORY_OBJECT, &yes);
    f->ImportMemoryFdEXT(object->memory, memory->size, GL_HANDLE_TYPE_OPAQUE_FD, memory->fd);
    attachment->taken = f->GetError() == GL_NO_ERROR;
    f->GenBuffers(1, &object->shared);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, object->shared);
    if (attachment->taken)
        f->BufferStorageMemEXT(GL_COPY_WRITE_BUFFER, (intptr_t)attachment->bytes, object->memory, 0);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    object->shared_bytes = attachment->bytes;
    object->staged = attachment->way == OCL_GL_STAGED;
    if (!attachment->taken || f->GetError() != GL_NO_ERROR)
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
