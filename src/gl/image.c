/* Images of EGL's: how they are read, and their trial. A texture that is made of one should have the memory of the texture
 * that the image was made of. Whether it has, in both directions, a driver shows with an image of ours: between the
 * worker's context and another, as the application's is, that shares nothing with it.
 *
 * NVIDIA's (580) has glGetTexImage() give what it gave before, whatever others have written since. So there are several
 * ways to read them, and the trial takes the first that is right. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/log.h"

#include <string.h>

/* ---- reading ---- */

/* Both that are read from and drawn to: what is bound for reading alone some drivers do not look at as closely. */
static bool open_framebuffer(const struct gl_functions *f, uint32_t *framebuffer, uint32_t texture)
{
    f->GenFramebuffers(1, framebuffer);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, *framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, *framebuffer);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void close_framebuffer(const struct gl_functions *f, uint32_t framebuffer)
{
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->DeleteFramebuffers(1, &framebuffer);
}

static uint32_t make_texture(const struct gl_functions *f, const struct gl_format *format, int32_t width,
                             int32_t height)
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

/* Texels of an image, which others write, too. */
struct picture {
    uint32_t texture;
    const struct gl_format *format;
    int32_t width, height;
};

static bool read_framebuffer(const struct gl_functions *f, const struct picture *picture, void *data)
{
    uint32_t framebuffer = 0;
    bool complete = open_framebuffer(f, &framebuffer, picture->texture);
    if (complete)
        f->ReadPixels(0, 0, picture->width, picture->height, picture->format->transfer, picture->format->transfer_type,
                      data);
    close_framebuffer(f, framebuffer);
    return complete;
}

/* By way of a texture of our own. No buffer is bound that texels could come from, while they are read. */
static bool read_copy(const struct gl_functions *f, const struct picture *picture, void *data)
{
    struct picture copy = *picture;
    uint32_t from = 0, to = 0;
    int32_t width = picture->width, height = picture->height;
    copy.texture = make_texture(f, picture->format, width, height);
    f->GenFramebuffers(1, &from);
    f->GenFramebuffers(1, &to);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture->texture, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    f->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, copy.texture, 0);
    bool complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                    f->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete)
        f->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    close_framebuffer(f, from);
    close_framebuffer(f, to);
    complete = complete && read_framebuffer(f, &copy, data);
    f->DeleteTextures(1, &copy.texture);
    return complete;
}

static bool read_texture(const struct ocl_gl *gl, const struct picture *picture, void *data)
{
    const struct gl_functions *f = &gl->f;
    if (gl->is_es)
        return false;
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, picture->texture);
    f->GetTexImage(GL_TEXTURE_2D, 0, picture->format->transfer, picture->format->transfer_type, data);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return true;
}

static bool read_picture(const struct ocl_gl *gl, enum gl_image_way way, const struct picture *picture, void *data)
{
    if (way == GL_IMAGE_FRAMEBUFFER)
        return read_framebuffer(&gl->f, picture, data);
    return way == GL_IMAGE_COPY ? read_copy(&gl->f, picture, data) : read_texture(gl, picture, data);
}

void gl_read_image(const struct ocl_gl_object *object, uintptr_t data)
{
    const struct ocl_gl *gl = object->gl;
    const struct picture picture = {object->own_texture, object->format, (int32_t)object->shape.width,
                                    (int32_t)object->shape.height};
    if (!read_picture(gl, gl->image_way, &picture, (void *)data))
        read_texture(gl, &picture, (void *)data); /* nothing is drawn to its format */
}

/* ---- the trial ---- */

enum { SIDE = 16, BYTES = SIDE * SIDE * 4, EGL_GL_TEXTURE_2D = 0x30B1, EGL_IMAGE_PRESERVED = 0x30D2, EGL_END = 0x3038 };

struct trial {
    struct ocl_gl *gl;
    enum gl_image_way way;
    const struct gl_format *format;
    void *other, *image;
    uint32_t texture, sibling; /* the other context's, ours */
};

static void make_pattern(uint32_t seed, uint8_t bytes[BYTES])
{
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(0x20 + ((i + seed * 0x10001u) * 0x9e3779b9u >> 25));
}

static void put(const struct gl_functions *f, uint32_t texture, uint32_t seed)
{
    uint8_t bytes[BYTES];
    make_pattern(seed, bytes);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, texture);
    f->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    f->BindTexture(GL_TEXTURE_2D, 0);
    f->Finish();
}

static bool has(const struct trial *trial, enum gl_image_way way, uint32_t texture, uint32_t seed)
{
    const struct picture picture = {texture, trial->format, SIDE, SIDE};
    uint8_t wanted[BYTES], seen[BYTES] = {0};
    make_pattern(seed, wanted);
    return read_picture(trial->gl, way, &picture, seen) && !memcmp(wanted, seen, BYTES);
}

/* The other context is current. */
static bool make_image(struct trial *trial)
{
    static const int32_t attributes[] = {EGL_IMAGE_PRESERVED, 1, EGL_END};
    struct ocl_gl *gl = trial->gl;
    trial->texture = make_texture(&gl->f, trial->format, SIDE, SIDE);
    put(&gl->f, trial->texture, 1);
    trial->image = gl->binding->eglCreateImageKHR(gl->source.display, trial->other, EGL_GL_TEXTURE_2D,
                                                  (void *)(uintptr_t)trial->texture, attributes);
    gl->f.Finish(); /* what that did to the contents */
    return trial->image;
}

static bool make_sibling(struct trial *trial)
{
    trial->sibling = gl_make_sibling(trial->gl, trial->image);
    return trial->gl->f.GetError() == GL_NO_ERROR;
}

/* What does not go well, or NULL. */
static const char *try(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    const struct gl_functions *f = &gl->f;
    if (!gl_switch(gl, trial->other) || !make_image(trial) || !gl_switch(gl, NULL) || !make_sibling(trial))
        return "OpenGL makes no texture of an image";
    if (!has(trial, trial->way, trial->sibling, 1))
        return "a texture of an image has not the contents of that which the image is made of";
    put(f, trial->sibling, 2);
    if (!gl_switch(gl, trial->other) || !has(trial, GL_IMAGE_COPY, trial->texture, 2))
        return "what is written to a texture of an image does not arrive in that which the image is made of";
    put(f, trial->texture, 3);
    if (!gl_switch(gl, NULL) || !has(trial, trial->way, trial->sibling, 3))
        return "what is written to the texture that an image is made of does not arrive in another";
    return NULL;
}

static void finish(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    if (trial->texture && gl_switch(gl, trial->other))
        gl->f.DeleteTextures(1, &trial->texture);
    gl_switch(gl, NULL);
    if (trial->sibling)
        gl->f.DeleteTextures(1, &trial->sibling);
    if (trial->image)
        gl->binding->eglDestroyImageKHR(gl->source.display, trial->image);
    gl_destroy_other(gl, trial->other);
    gl_drop_errors(gl);
}

static bool try_way(struct ocl_gl *gl, enum gl_image_way way)
{
    static const char *const names[GL_IMAGE_WAYS] = {"framebuffers", "copies", "glGetTexImage()"};
    static const int32_t sized[4] = {0, 0, 0, 0};
    struct trial trial = {.gl = gl, .way = way, .format = gl_format_find(GL_RGBA8, sized)};
    if (gl->binding->eglCreateImageKHR && gl->binding->eglDestroyImageKHR)
        trial.other = gl_make_other(gl);
    if (!trial.other) {
        log_info("OpenGL: there is no trial of EGL's images: no other context of ours");
        return true;
    }
    const char *why = try(&trial);
    finish(&trial);
    if (why)
        log_info("OpenGL: images of EGL's are not read by %s: %s", names[way], why);
    return !why;
}

bool gl_images_arrive(struct ocl_gl *gl)
{
    if (gl->images != OCL_GL_UNTRIED)
        return gl->images == OCL_GL_RIGHT;
    gl->images = OCL_GL_WRONG;
    for (int way = 0; way < GL_IMAGE_WAYS && gl->images == OCL_GL_WRONG; way++) {
        gl->image_way = (enum gl_image_way)way;
        if (try_way(gl, gl->image_way))
            gl->images = OCL_GL_RIGHT;
    }
    return gl->images == OCL_GL_RIGHT;
}
