/* OpenGL ES 3.1 and later, where the driver has no OpenGL that shares with the application's context. It has no
 * glGetTexImage(): each layer of each level has a framebuffer, from which glReadPixels() reads it. They are made when the
 * texture is found, because they keep it whatever becomes of its name. ES reads few formats without a conversion: those
 * that OpenGL ES 3.1, 16.1.2, has for all framebuffers, and the one that the driver says for this framebuffer. Depths and
 * samples it does not read, and of signed normalized texels Mesa's (22.3) makes 0 where they are below.
 *
 * Views of textures are read in the same way in OpenGL (object.c). */
#include "src/gl/private.h"

#include <stdlib.h>
#include <string.h>

static bool is_complete(const struct gl_functions *f)
{
    return f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/* The framebuffer is bound for reading. */
static bool reads(const struct gl_functions *f, const struct gl_format *format)
{
    int32_t own_format = 0, own_type = 0;
    uint32_t transfer = format->transfer, type = format->transfer_type;
    bool clamps = format->type == CL_SNORM_INT8 || format->type == CL_SNORM_INT16;
    if (clamps || gl_format_is_depth(format) || !is_complete(f))
        return false;
    f->GetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &own_format);
    f->GetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &own_type);
    if ((uint32_t)own_format == transfer && (uint32_t)own_type == type)
        return true;
    return (transfer == GL_RGBA && (type == GL_UNSIGNED_BYTE || type == GL_FLOAT)) ||
           (transfer == GL_RGBA_INTEGER && (type == GL_INT || type == GL_UNSIGNED_INT));
}

static void attach(const struct ocl_gl_object *object, int32_t level, int32_t layer)
{
    const struct gl_functions *f = &object->gl->f;
    const struct ocl_gl_shape *shape = &object->shape;
    uint32_t attachment = gl_attachment(object->format);
    if (shape->image_type == CL_MEM_OBJECT_IMAGE2D)
        f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, attachment, shape->target, shape->name, level);
    else
        f->FramebufferTextureLayer(GL_READ_FRAMEBUFFER, attachment, shape->name, level, layer);
    f->ReadBuffer(attachment == GL_COLOR_ATTACHMENT0 ? GL_COLOR_ATTACHMENT0 : GL_NONE);
}

static uint32_t count_planes(const struct ocl_gl_object *object)
{
    uint32_t planes = 0;
    int32_t size[3];
    for (uint32_t i = 0; i < object->shape.levels; i++) {
        gl_level_bytes(object, i, size);
        planes += (uint32_t)size[2];
    }
    return planes;
}

/* Makes the framebuffers. False: there are none, or texels cannot be read from them as they are. */
static bool hold_planes(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t count = count_planes(object), plane = 0;
    bool readable = !object->shape.samples;
    if (!readable || !(object->planes = calloc(count, sizeof(*object->planes))))
        return false;
    object->num_planes = count;
    f->GenFramebuffers((int32_t)count, object->planes);
    for (uint32_t i = 0; i < object->shape.levels; i++) {
        int32_t size[3];
        gl_level_bytes(object, i, size);
        for (int32_t layer = 0; layer < size[2]; layer++) {
            f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->planes[plane++]);
            attach(object, object->base_level + (int32_t)i, layer);
            readable = readable && (object->gl->is_es ? reads(f, object->format) : is_complete(f));
        }
    }
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return readable;
}

bool gl_es_hold_texture(struct ocl_gl_object *object)
{
    return hold_planes(object);
}

void gl_hold_view(struct ocl_gl_object *object)
{
    cl_mem_object_type type = object->shape.image_type;
    bool planes = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
    if (planes && !hold_planes(object))
        gl_es_let_go(object);
    gl_drop_errors(object->gl);
}

bool gl_es_reads_renderbuffer(const struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->framebuffer);
    bool readable = reads(f, object->format);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return readable;
}

void gl_es_let_go(struct ocl_gl_object *object)
{
    if (object->planes)
        object->gl->f.DeleteFramebuffers((int32_t)object->num_planes, object->planes);
    free(object->planes);
    object->planes = NULL;
}

void gl_es_read_texture(const struct ocl_gl_object *object, uintptr_t data)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t plane = 0;
    for (uint32_t i = 0; i < object->shape.levels; i++) {
        int32_t size[3];
        uint64_t bytes = gl_level_bytes(object, i, size) / (uint32_t)size[2];
        for (int32_t layer = 0; layer < size[2]; layer++) {
            f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, object->planes[plane]); /* see read_renderbuffer() */
            f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->planes[plane++]);
            f->ReadPixels(0, 0, size[0], size[1], object->format->transfer, object->format->transfer_type,
                          (void *)data);
            data += bytes;
        }
    }
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

void gl_es_read_buffer(const struct gl_functions *f, uint32_t target, intptr_t offset, intptr_t size, void *data)
{
    enum { GL_MAP_READ_BIT = 1 };
    const void *bytes = f->MapBufferRange(target, offset, size, GL_MAP_READ_BIT);
    if (!bytes)
        return; /* OpenGL has an error to say why */
    memcpy(data, bytes, (size_t)size);
    f->UnmapBuffer(target);
}
