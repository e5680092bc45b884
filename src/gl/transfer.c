/* Texels and bytes between OpenGL's objects and the host's memory, as they are: formats are chosen so that OpenGL converts
 * nothing (format.c). An application that has given an object another size meanwhile must not have us write beyond ours,
 * so that is looked at each time. */
#include "src/gl/private.h"

#include "base/trace.h"
#include "base/util.h"

struct transfer {
    struct ocl_gl_object *object;
    uintptr_t data; /* an address, or with the attached memory a distance in it */
    bool attached, writes;
    cl_int status;
};

/* By way of a buffer of ours, where the application's store takes no bytes from the host (glBufferStorage() without
 * GL_DYNAMIC_STORAGE_BIT: OpenGL 4.4, 6.2). */
static void write_buffer(const struct ocl_gl_object *object, intptr_t offset, intptr_t size, const void *data)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t own = 0;
    f->BufferSubData(GL_ELEMENT_ARRAY_BUFFER, offset, size, data);
    if (f->GetError() == GL_NO_ERROR)
        return;
    f->GenBuffers(1, &own);
    f->BindBuffer(GL_COPY_READ_BUFFER, own);
    f->BufferData(GL_COPY_READ_BUFFER, size, data, GL_STATIC_DRAW);
    f->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_ELEMENT_ARRAY_BUFFER, 0, offset, size);
    f->BindBuffer(GL_COPY_READ_BUFFER, 0);
    f->DeleteBuffers(1, &own);
}

static void move_buffer(struct transfer *transfer)
{
    const struct ocl_gl_object *object = transfer->object;
    const struct gl_functions *f = &object->gl->f;
    intptr_t offset = (intptr_t)object->offset, size = (intptr_t)object->shape.size;
    f->BindVertexArray(object->vertex_array);
    if (transfer->attached && transfer->writes)
        f->CopyBufferSubData(GL_PIXEL_UNPACK_BUFFER, GL_ELEMENT_ARRAY_BUFFER, 0, offset, size);
    else if (transfer->attached)
        f->CopyBufferSubData(GL_ELEMENT_ARRAY_BUFFER, GL_PIXEL_PACK_BUFFER, offset, 0, size);
    else if (transfer->writes)
        write_buffer(object, offset, size, (const void *)transfer->data);
    else if (object->gl->is_es)
        gl_es_read_buffer(f, GL_ELEMENT_ARRAY_BUFFER, offset, size, (void *)transfer->data);
    else
        f->GetBufferSubData(GL_ELEMENT_ARRAY_BUFFER, offset, size, (void *)transfer->data);
}

static void write_level(const struct ocl_gl_object *object, int32_t level, const int32_t size[3], const void *data)
{
    const struct gl_functions *f = &object->gl->f;
    const struct gl_format *format = object->format;
    uint32_t target = object->shape.target, transfer = format->transfer, type = format->transfer_type;
    switch (object->shape.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
        f->TexSubImage1D(target, level, 0, size[0], transfer, type, data);
        break;
    case CL_MEM_OBJECT_IMAGE3D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        f->TexSubImage3D(target, level, 0, 0, 0, size[0], size[1], size[2], transfer, type, data);
        break;
    default:
        f->TexSubImage2D(target, level, 0, 0, size[0], size[1], transfer, type, data);
    }
}

static void move_texture(struct transfer *transfer)
{
    struct ocl_gl_object *object = transfer->object;
    const struct gl_format *format = object->format;
    uintptr_t data = transfer->data;
    gl_select_texture(object);
    if (!gl_is_as_it_was(object)) {
        transfer->status = CL_INVALID_GL_OBJECT;
        return;
    }
    if (object->shape.samples) {
        transfer->status = gl_read_samples(object, data);
        return;
    }
    if (object->shape.of_egl) {
        transfer->status = gl_move_image(object, data, transfer->writes);
        return;
    }
    if (object->planes && !transfer->writes) {
        gl_es_read_texture(object, data);
        return;
    }
    for (uint32_t i = 0; i < object->shape.levels; i++) {
        int32_t size[3], level = object->base_level + (int32_t)i;
        uint64_t bytes = gl_level_bytes(object, i, size);
        if (transfer->writes)
            write_level(object, level, size, (const void *)data);
        else
            object->gl->f.GetTexImage(object->shape.target, level, format->transfer, format->transfer_type,
                                      (void *)data);
        data += bytes;
    }
}

/* ---- renderbuffers, which have no other way in than to be drawn to ---- */

static void attach_scratch(struct ocl_gl *gl, const struct gl_format *format, uint32_t texture)
{
    const struct gl_functions *f = &gl->f;
    bool depth = gl_format_is_depth(format);
    if (!gl->scratch_framebuffer)
        f->GenFramebuffers(1, &gl->scratch_framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, gl->scratch_framebuffer);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, depth ? 0 : texture, 0);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth ? texture : 0, 0);
    f->ReadBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
}

/* By way of a texture of the same format. */
static void write_renderbuffer(const struct ocl_gl_object *object, const void *data)
{
    const struct gl_functions *f = &object->gl->f;
    const struct gl_format *format = object->format;
    int32_t width = (int32_t)object->shape.width, height = (int32_t)object->shape.height;
    bool depth = gl_format_is_depth(format);
    uint32_t texture = 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &texture);
    f->BindTexture(GL_TEXTURE_2D, texture);
    f->TexImage2D(GL_TEXTURE_2D, 0, (int32_t)format->internal, width, height, 0, format->transfer,
                  format->transfer_type, data);
    attach_scratch(object->gl, format, texture);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, object->framebuffer);
    f->DrawBuffers(1, &(uint32_t){depth ? GL_NONE : GL_COLOR_ATTACHMENT0});
    f->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, depth ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT,
                       GL_NEAREST);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->BindTexture(GL_TEXTURE_2D, 0);
    f->DeleteTextures(1, &texture);
}

static void read_renderbuffer(const struct ocl_gl_object *object, void *data)
{
    const struct gl_functions *f = &object->gl->f;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->framebuffer);
    /* Where nothing can be drawn to, NVIDIA's driver (580) makes 0 of signed normalized texels that are below. */
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, object->framebuffer);
    f->ReadPixels(0, 0, (int32_t)object->shape.width, (int32_t)object->shape.height, object->format->transfer,
                  object->format->transfer_type, data);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
}

static void move_renderbuffer(struct transfer *transfer)
{
    if (transfer->object->shape.of_egl)
        transfer->status = gl_move_image(transfer->object, transfer->data, transfer->writes);
    else if (transfer->writes)
        write_renderbuffer(transfer->object, (const void *)transfer->data);
    else
        read_renderbuffer(transfer->object, (void *)transfer->data);
}

/* ---- the attached memory ---- */

/* Of the worker's context; it is as large as any object needed. */
static uint32_t open_staging(struct ocl_gl *gl, uint64_t bytes)
{
    const struct gl_functions *f = &gl->f;
    if (!gl->staging)
        f->GenBuffers(1, &gl->staging);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, gl->staging);
    if (gl->staging_bytes < bytes) {
        f->BufferData(GL_COPY_WRITE_BUFFER, (intptr_t)bytes, NULL, GL_STATIC_DRAW);
        gl->staging_bytes = bytes;
    }
    f->BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    return gl->staging;
}

static void copy_buffer(const struct gl_functions *f, uint32_t from, uint32_t to, uint64_t bytes)
{
    f->BindBuffer(GL_COPY_READ_BUFFER, from);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, to);
    f->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, (intptr_t)bytes);
    f->BindBuffer(GL_COPY_READ_BUFFER, 0);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, 0);
}

/* Texels go from the buffer that is bound then, or to it. */
static void open_attached(const struct transfer *transfer)
{
    struct ocl_gl_object *object = transfer->object;
    const struct gl_functions *f = &object->gl->f;
    uint32_t buffer = object->way == OCL_GL_STAGED ? open_staging(object->gl, object->shared_bytes) : object->shared;
    if (object->way == OCL_GL_STAGED && transfer->writes)
        copy_buffer(f, object->shared, buffer, object->shared_bytes);
    f->BindBuffer(transfer->writes ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER, buffer);
}

static void close_attached(const struct transfer *transfer)
{
    const struct ocl_gl_object *object = transfer->object;
    const struct gl_functions *f = &object->gl->f;
    f->BindBuffer(transfer->writes ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER, 0);
    if (object->way == OCL_GL_STAGED && !transfer->writes)
        copy_buffer(f, object->gl->staging, object->shared, object->shared_bytes);
}

/* ---- all of them ---- */

static void move_one(struct transfer *transfer)
{
    const struct ocl_gl_object *object = transfer->object;
    const struct gl_functions *f = &object->gl->f;
    bool in_place = transfer->attached && object->way >= OCL_GL_TWIN;
    if (object->framebuffer && !object->shape.of_egl && !gl_renderbuffer_is_as_it_was(object)) {
        transfer->status = CL_INVALID_GL_OBJECT;
        return;
    }
    if (transfer->attached && !in_place)
        open_attached(transfer);
    if (in_place)
        transfer->status = gl_move_in_place(transfer->object, transfer->writes);
    else if (object->vertex_array)
        move_buffer(transfer);
    else if (object->framebuffer)
        move_renderbuffer(transfer);
    else
        move_texture(transfer);
    if (transfer->attached && !in_place)
        close_attached(transfer);
    uint32_t error = f->GetError();
    if (transfer->status == CL_SUCCESS && error != GL_NO_ERROR)
        transfer->status = error == GL_OUT_OF_MEMORY ? CL_OUT_OF_RESOURCES : CL_INVALID_GL_OBJECT;
    if (error != GL_NO_ERROR)
        object->gl->staging_bytes = 0; /* it may have been that which was too large */
}

/* Objects of one OpenGL. */
struct moving {
    struct ocl_gl_fence *fence;
    struct ocl_gl_transfer *list;
    uint32_t count;
    bool writes;
    cl_int status; /* of the first that fails */
};

/* What the worker has done since then is in the trace; returns what time it is. */
static uint64_t note(const char *what, uint64_t since)
{
    if (!trace_enabled())
        return 0;
    trace_span("gl", what, since, NULL);
    return time_ns();
}

static void move(void *data)
{
    struct moving *moving = data;
    struct ocl_gl *gl = moving->list[0].object->gl;
    bool finishes = moving->writes;
    uint64_t since = trace_enabled() ? time_ns() : 0;
    gl_drop_errors(gl);
    gl_fence_wait_here(moving->fence);
    since = note("wait for the application's OpenGL", since);
    for (uint32_t i = 0; i < moving->count; i++) {
        struct transfer transfer = {.object = moving->list[i].object,
                                    .data = (uintptr_t)moving->list[i].data,
                                    .attached = !moving->list[i].data,
                                    .writes = moving->writes};
        move_one(&transfer);
        moving->list[i].status = transfer.status;
        moving->status = moving->status == CL_SUCCESS ? transfer.status : moving->status;
        finishes = finishes || transfer.attached;
    }
    since = note(moving->writes ? "write to OpenGL" : "read from OpenGL", since);
    if (finishes)
        gl->f.Finish(); /* other contexts, and Vulkan, see it from here on */
    note("glFinish", since);
}

cl_int ocl_gl_move(struct ocl_gl_fence *fence, struct ocl_gl_transfer *list, uint32_t count, bool writes)
{
    cl_int status = CL_SUCCESS;
    for (uint32_t i = 0, next; i < count; i = next) {
        struct ocl_gl *gl = list[i].object->gl;
        for (next = i + 1; next < count && list[next].object->gl == gl; next++)
            ;
        bool known = fence && fence->gl == gl;
        struct moving moving = {.fence = known ? fence : NULL, .list = list + i, .count = next - i, .writes = writes};
        if (fence && !known)
            ocl_gl_fence_wait(fence);
        for (uint32_t k = i; k < next; k++)
            list[k].status = CL_INVALID_GL_OBJECT; /* unless the worker says other */
        cl_int found = gl_call(gl, move, &moving) ? moving.status : CL_INVALID_GL_OBJECT;
        status = status == CL_SUCCESS ? found : status;
        if (known)
            gl_fence_free(fence);
        fence = NULL;
    }
    return status;
}

cl_int ocl_gl_read(struct ocl_gl_object *object, void *data)
{
    struct ocl_gl_transfer transfer = {.object = object, .data = data};
    return ocl_gl_move(NULL, &transfer, 1, false);
}

cl_int ocl_gl_write(struct ocl_gl_object *object, const void *data)
{
    struct ocl_gl_transfer transfer = {.object = object, .data = (void *)(uintptr_t)data};
    return ocl_gl_move(NULL, &transfer, 1, true);
}
