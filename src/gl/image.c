/* Images of EGL's: textures and renderbuffers that are made of them, and how those are read. They should have the memory of
 * what the image was made of. Whether they have, a trial shows (image_trial.c), which takes the best of several ways:
 *
 * NVIDIA's (580) has glGetTexImage() of such a texture give what it gave before, whatever others have written since.
 * Mesa's (25.0) gives what is not the image's where that is of a level behind the first, and glTexSubImage2D() does not
 * arrive; a renderbuffer of such an image is right. Of a cube's face, or a slice, it makes no texture, and blits to a
 * renderbuffer go elsewhere: so these are refused. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

/* ---- reading ---- */

static void attach(const struct gl_functions *f, const struct gl_picture *picture)
{
    if (picture->target == GL_TEXTURE_3D)
        f->FramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, picture->name, picture->level,
                                   picture->layer);
    else if (picture->target == GL_RENDERBUFFER)
        f->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, picture->name);
    else
        f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, picture->target, picture->name,
                                picture->level);
}

/* Both that are read from and drawn to: what is bound for reading alone some drivers do not look at as closely. */
static bool open_framebuffer(const struct gl_functions *f, uint32_t *framebuffer, const struct gl_picture *picture)
{
    f->GenFramebuffers(1, framebuffer);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, *framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, *framebuffer);
    attach(f, picture);
    return f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void close_framebuffer(const struct gl_functions *f, uint32_t framebuffer)
{
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->DeleteFramebuffers(1, &framebuffer);
}

uint32_t gl_make_plane(const struct gl_functions *f, const struct gl_format *format, int32_t width, int32_t height)
{
    uint32_t texture = 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &texture);
    f->BindTexture(GL_TEXTURE_2D, texture);
    f->TexImage2D(GL_TEXTURE_2D, 0, (int32_t)format->internal, width, height, 0, format->transfer,
                  format->transfer_type, NULL);
    gl_set_nearest(f, GL_TEXTURE_2D);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

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

static bool read_framebuffer(const struct gl_functions *f, const struct gl_picture *picture, void *data)
{
    uint32_t framebuffer = 0;
    bool complete = open_framebuffer(f, &framebuffer, picture);
    if (complete)
        f->ReadPixels(0, 0, picture->width, picture->height, picture->format->transfer, picture->format->transfer_type,
                      data);
    close_framebuffer(f, framebuffer);
    return complete;
}

/* By way of a texture of our own. No buffer is bound that texels could come from, while they are read. */
static bool read_copy(const struct gl_functions *f, const struct gl_picture *picture, void *data)
{
    struct gl_picture copy = {.target = GL_TEXTURE_2D, .format = picture->format};
    uint32_t from = 0, to = 0;
    int32_t width = picture->width, height = picture->height;
    copy.width = width;
    copy.height = height;
    copy.name = gl_make_plane(f, picture->format, width, height);
    f->GenFramebuffers(1, &from);
    f->GenFramebuffers(1, &to);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    attach(f, picture);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    f->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, copy.name, 0);
    bool complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                    f->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete)
        f->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    close_framebuffer(f, from);
    close_framebuffer(f, to);
    complete = complete && read_framebuffer(f, &copy, data);
    f->DeleteTextures(1, &copy.name);
    return complete;
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

bool gl_read_picture(const struct ocl_gl *gl, enum gl_image_way way, const struct gl_picture *picture, void *data)
{
    if (way == GL_IMAGE_FRAMEBUFFER)
        return read_framebuffer(&gl->f, picture, data);
    return way == GL_IMAGE_COPY ? read_copy(&gl->f, picture, data) : read_texture(gl, picture, data);
}

void gl_read_image(const struct ocl_gl_object *object, uintptr_t data)
{
    const struct ocl_gl *gl = object->gl;
    const struct gl_picture picture = {.target = GL_TEXTURE_2D,
                                       .name = object->own_texture,
                                       .format = object->format,
                                       .width = (int32_t)object->shape.width,
                                       .height = (int32_t)object->shape.height};
    if (!gl_read_picture(gl, gl->image_texture_way, &picture, (void *)data))
        read_texture(gl, &picture, (void *)data); /* nothing is drawn to its format */
}
