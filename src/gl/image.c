/* Images of EGL's: textures and renderbuffers that are made of them, and how texels get out of those and into them. They
 * should have the memory of what the image was made of. Whether they have, trials show (image_trial.c), which take one of
 * several ways for each format:
 *
 * NVIDIA's (580) has glGetTexImage() of such a texture give what it gave before, whatever others have written since.
 * Mesa's (25.0) knows the level, face or slice of an image where shaders sample it, framebuffers are drawn to, and
 * glReadPixels() reads them; but not in glGetTexImage(), glTexSubImage2D() and blits from such textures, nor in blits
 * from and to renderbuffers of faces and slices. So there drawing is the way that is right for all of them. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

/* ---- framebuffers ---- */

uint32_t gl_attachment(const struct gl_format *format)
{
    return !gl_format_is_depth(format)         ? GL_COLOR_ATTACHMENT0
           : format->order == CL_DEPTH_STENCIL ? GL_DEPTH_STENCIL_ATTACHMENT
                                               : GL_DEPTH_ATTACHMENT;
}

static void attach(const struct gl_functions *f, uint32_t target, const struct gl_picture *picture)
{
    uint32_t attachment = gl_attachment(picture->format);
    uint32_t buffer = attachment == GL_COLOR_ATTACHMENT0 ? GL_COLOR_ATTACHMENT0 : GL_NONE;
    if (picture->target == GL_TEXTURE_3D)
        f->FramebufferTextureLayer(target, attachment, picture->name, picture->level, picture->layer);
    else if (picture->target == GL_RENDERBUFFER)
        f->FramebufferRenderbuffer(target, attachment, GL_RENDERBUFFER, picture->name);
    else
        f->FramebufferTexture2D(target, attachment, picture->target, picture->name, picture->level);
    if (target == GL_READ_FRAMEBUFFER)
        f->ReadBuffer(buffer);
    else
        f->DrawBuffers(1, &buffer);
}

static bool open_framebuffer(const struct gl_functions *f, uint32_t target, uint32_t *framebuffer,
                             const struct gl_picture *picture)
{
    f->GenFramebuffers(1, framebuffer);
    f->BindFramebuffer(target, *framebuffer);
    attach(f, target, picture);
    return f->CheckFramebufferStatus(target) == GL_FRAMEBUFFER_COMPLETE;
}

static void close_framebuffer(const struct gl_functions *f, uint32_t framebuffer)
{
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->DeleteFramebuffers(1, &framebuffer);
}

/* ---- what is made of images ---- */

uint32_t gl_make_sibling(struct ocl_gl *gl, void *image)
{
    const struct gl_functions *f = &gl->f;
    uint32_t texture = 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &texture);
    f->BindTexture(GL_TEXTURE_2D, texture);
    f->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    gl_set_nearest(f, GL_TEXTURE_2D);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

uint32_t gl_make_image_renderbuffer(struct ocl_gl *gl, void *image)
{
    const struct gl_functions *f = &gl->f;
    uint32_t renderbuffer = 0;
    if (!f->EGLImageTargetRenderbufferStorageOES)
        return 0;
    f->GenRenderbuffers(1, &renderbuffer);
    f->BindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    f->EGLImageTargetRenderbufferStorageOES(GL_RENDERBUFFER, image);
    if (f->GetError() == GL_NO_ERROR)
        return renderbuffer;
    f->DeleteRenderbuffers(1, &renderbuffer);
    return 0;
}

/* Drivers tell no sized format of such a renderbuffer. */
const struct gl_format *gl_image_renderbuffer_format(const struct gl_functions *f)
{
    static const uint32_t names[4] = {GL_RENDERBUFFER_RED_SIZE, GL_RENDERBUFFER_GREEN_SIZE, GL_RENDERBUFFER_BLUE_SIZE,
                                      GL_RENDERBUFFER_ALPHA_SIZE};
    struct gl_components components = {{0}};
    int32_t type = 0, encoding = 0;
    for (int i = 0; i < 4; i++)
        f->GetRenderbufferParameteriv(GL_RENDERBUFFER, names[i], &components.sizes[i]);
    f->GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                           GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
    f->GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                           GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, &encoding);
    components.type = (uint32_t)type;
    components.srgb = encoding == GL_SRGB;
    return f->GetError() == GL_NO_ERROR ? gl_format_of(&components) : NULL;
}

/* ---- planes: textures of our own that texels pass through ---- */

static struct gl_picture make_plane(const struct gl_functions *f, const struct gl_picture *like, const void *data)
{
    const struct gl_format *format = like->format;
    uint32_t transfer = format->transfer, type = format->transfer_type;
    struct gl_picture plane = {.target = GL_TEXTURE_2D, .format = format, .width = like->width, .height = like->height};
    if (format->order == CL_DEPTH_STENCIL && !data) {
        transfer = GL_DEPTH_STENCIL;
        type = format->type == CL_FLOAT ? GL_FLOAT_32_UNSIGNED_INT_24_8_REV : GL_UNSIGNED_INT_24_8;
    }
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &plane.name);
    f->BindTexture(GL_TEXTURE_2D, plane.name);
    f->TexImage2D(GL_TEXTURE_2D, 0, (int32_t)format->internal, plane.width, plane.height, 0, transfer, type, data);
    gl_set_nearest(f, GL_TEXTURE_2D);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return plane;
}

static bool blit(const struct gl_functions *f, const struct gl_picture *from, const struct gl_picture *to)
{
    int32_t width = to->width, height = to->height;
    uint32_t source = 0, target = 0;
    bool complete = open_framebuffer(f, GL_READ_FRAMEBUFFER, &source, from);
    complete = open_framebuffer(f, GL_DRAW_FRAMEBUFFER, &target, to) && complete;
    if (complete)
        f->BlitFramebuffer(0, 0, width, height, 0, 0, width, height,
                           gl_format_is_depth(to->format) ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT, GL_NEAREST);
    close_framebuffer(f, source);
    close_framebuffer(f, target);
    return complete;
}

static bool draw(struct ocl_gl *gl, const struct gl_picture *from, const struct gl_picture *to)
{
    uint32_t target = 0;
    bool drawn = open_framebuffer(&gl->f, GL_DRAW_FRAMEBUFFER, &target, to) && gl_draw_plane(gl, from);
    close_framebuffer(&gl->f, target);
    return drawn;
}

static void delete_plane(const struct gl_functions *f, const struct gl_picture *plane)
{
    f->DeleteTextures(1, &plane->name);
}

/* ---- reading ---- */

/* It is bound for drawing, too: what is bound for reading alone some drivers do not look at as closely. */
static bool read_framebuffer(const struct gl_functions *f, const struct gl_picture *picture, void *data)
{
    uint32_t framebuffer = 0;
    f->GenFramebuffers(1, &framebuffer);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    attach(f, GL_READ_FRAMEBUFFER, picture);
    if (gl_format_is_depth(picture->format))
        f->DrawBuffers(1, &(uint32_t){GL_NONE});
    bool complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete)
        f->ReadPixels(0, 0, picture->width, picture->height, picture->format->transfer, picture->format->transfer_type,
                      data);
    close_framebuffer(f, framebuffer);
    return complete;
}

/* By way of a plane. No buffer is bound that texels could come from, while they are read. */
static bool read_copy(struct ocl_gl *gl, bool draws, const struct gl_picture *picture, void *data)
{
    const struct gl_functions *f = &gl->f;
    struct gl_picture plane = make_plane(f, picture, NULL);
    bool copied = draws ? draw(gl, picture, &plane) : blit(f, picture, &plane);
    copied = copied && read_framebuffer(f, &plane, data);
    delete_plane(f, &plane);
    return copied;
}

static bool read_texture(const struct ocl_gl *gl, const struct gl_picture *picture, void *data)
{
    const struct gl_functions *f = &gl->f;
    if (gl->is_es)
        return false;
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, picture->name);
    f->GetTexImage(GL_TEXTURE_2D, 0, picture->format->transfer, picture->format->transfer_type, data);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return true;
}

bool gl_read_picture(struct ocl_gl *gl, enum gl_image_way way, const struct gl_picture *picture, void *data)
{
    switch (way) {
    case GL_IMAGE_BLITTED:
    case GL_IMAGE_SAMPLED:
        return read_copy(gl, way == GL_IMAGE_SAMPLED, picture, data);
    case GL_IMAGE_TEXTURE:
        return read_texture(gl, picture, data);
    default:
        return read_framebuffer(&gl->f, picture, data);
    }
}

/* ---- writing ---- */

static void write_texture(const struct gl_functions *f, const struct gl_picture *picture, const void *data)
{
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, picture->name);
    f->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, picture->width, picture->height, picture->format->transfer,
                     picture->format->transfer_type, data);
    f->BindTexture(GL_TEXTURE_2D, 0);
}

static bool write_copy(struct ocl_gl *gl, bool draws, const struct gl_picture *picture, const void *data)
{
    const struct gl_functions *f = &gl->f;
    struct gl_picture plane = make_plane(f, picture, data);
    bool copied = draws ? draw(gl, &plane, picture) : blit(f, &plane, picture);
    delete_plane(f, &plane);
    return copied;
}

bool gl_write_picture(struct ocl_gl *gl, enum gl_image_way way, const struct gl_picture *picture, const void *data)
{
    switch (way) {
    case GL_IMAGE_FRAMEBUFFER:
    case GL_IMAGE_TEXTURE:
        write_texture(&gl->f, picture, data);
        return true;
    case GL_IMAGE_BLITTED:
    case GL_IMAGE_RENDERBUFFER:
        return write_copy(gl, false, picture, data);
    default:
        return write_copy(gl, true, picture, data);
    }
}

cl_int gl_move_image(const struct ocl_gl_object *object, uintptr_t data, bool writes)
{
    bool is_renderbuffer = object->own_renderbuffer;
    const struct gl_picture picture = {.target = is_renderbuffer ? GL_RENDERBUFFER : GL_TEXTURE_2D,
                                       .name = is_renderbuffer ? object->own_renderbuffer : object->own_texture,
                                       .format = object->format,
                                       .width = (int32_t)object->shape.width,
                                       .height = (int32_t)object->shape.height};
    bool moved = writes ? gl_write_picture(object->gl, object->image_way, &picture, (const void *)data)
                        : gl_read_picture(object->gl, object->image_way, &picture, (void *)data);
    return moved ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
