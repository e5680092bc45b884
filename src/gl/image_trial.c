/* The trial of EGL's images. A texture that is made of one should have the memory of the texture that the image was made of.
 * Whether it has, in both directions, a driver shows with an image of ours: between the worker's context and another, as
 * the application's is, that shares nothing with it. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/log.h"

#include <string.h>

enum { SIDE = 16, BYTES = SIDE * SIDE * 4, EGL_GL_TEXTURE_2D = 0x30B1, EGL_IMAGE_PRESERVED = 0x30D2, EGL_END = 0x3038 };

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

static bool has(const struct gl_functions *f, uint32_t texture, uint32_t seed)
{
    uint8_t wanted[BYTES], seen[BYTES] = {0};
    uint32_t framebuffer = 0;
    make_pattern(seed, wanted);
    f->GenFramebuffers(1, &framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    f->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->DeleteFramebuffers(1, &framebuffer);
    return !memcmp(wanted, seen, BYTES);
}

static uint32_t make_texture(const struct gl_functions *f)
{
    uint32_t texture = 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &texture);
    f->BindTexture(GL_TEXTURE_2D, texture);
    f->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl_set_nearest(f, GL_TEXTURE_2D);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

/* ---- the two contexts ---- */

struct trial {
    struct ocl_gl *gl;
    void *other, *image;
    uint32_t texture, sibling; /* the other context's, ours */
};

/* The other context is current. */
static bool make_image(struct trial *trial)
{
    static const int32_t attributes[] = {EGL_IMAGE_PRESERVED, 1, EGL_END};
    struct ocl_gl *gl = trial->gl;
    trial->texture = make_texture(&gl->f);
    put(&gl->f, trial->texture, 1);
    trial->image = gl->binding->eglCreateImageKHR(gl->source.display, trial->other, EGL_GL_TEXTURE_2D,
                                                  (void *)(uintptr_t)trial->texture, attributes);
    gl->f.Finish(); /* what that did to the contents */
    return trial->image;
}

static bool make_sibling(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &trial->sibling);
    f->BindTexture(GL_TEXTURE_2D, trial->sibling);
    f->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, trial->image);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return f->GetError() == GL_NO_ERROR;
}

/* What does not go well, or NULL. */
static const char *try(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    const struct gl_functions *f = &gl->f;
    if (!gl_switch(gl, trial->other) || !make_image(trial) || !gl_switch(gl, NULL) || !make_sibling(trial))
        return "OpenGL makes no texture of an image";
    if (!has(f, trial->sibling, 1))
        return "a texture of an image has not the contents of that which the image is made of";
    put(f, trial->sibling, 2);
    if (!gl_switch(gl, trial->other) || !has(f, trial->texture, 2))
        return "what is written to a texture of an image does not arrive in that which the image is made of";
    put(f, trial->texture, 3);
    if (!gl_switch(gl, NULL) || !has(f, trial->sibling, 3))
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

bool gl_images_arrive(struct ocl_gl *gl)
{
    if (gl->images != OCL_GL_UNTRIED)
        return gl->images == OCL_GL_RIGHT;
    struct trial trial = {.gl = gl};
    if (gl->binding->eglCreateImageKHR && gl->binding->eglDestroyImageKHR)
        trial.other = gl_make_other(gl);
    const char *why = trial.other ? try(&trial) : NULL; /* what cannot be tried is taken for right */
    if (trial.other)
        finish(&trial);
    else
        log_info("OpenGL: there is no trial of EGL's images: no other context of ours");
    if (why)
        log_info("OpenGL: images of EGL's are refused: %s", why);
    gl->images = why ? OCL_GL_WRONG : OCL_GL_RIGHT;
    return !why;
}
