/* An EGL whose images are not what they should be, in front of the process's own, for gl_egl.c. It is linked before that,
 * and the library finds its eglGetProcAddress() first. TEST_GL_ORPHANS: "late", as NVIDIA's 580 does, moves a texture's
 * contents when an image is made of it, by commands that the context to which it is current does not begin before its next
 * glFlush() or glFinish(). "copies": a texture that is made of an image has the image's contents of that time, and they
 * are its own from then on; such images must be refused. "stale": glGetTexImage() of such a texture gives what it gave
 * before, as NVIDIA's does, and glReadPixels() sees nothing where it is attached; what is blitted from it is right. */
#include "gl_fake.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*target_fn)(GLenum target, void *image);

static struct {
    PFNEGLCREATEIMAGEKHRPROC create_image;
    target_fn target, renderbuffer_target;
    PFNGLFLUSHPROC Flush;
    PFNGLFINISHPROC Finish;
    PFNGLGETTEXIMAGEPROC GetTexImage;
    PFNGLREADPIXELSPROC ReadPixels;
    PFNGLDELETETEXTURESPROC DeleteTextures;
} real;

enum { SIBLINGS = 16 };

static unsigned moved, copied, hidden;

/* Textures that are made of images, of the thread's contexts. */
static _Thread_local struct sibling {
    EGLContext context;
    GLuint name; /* 0: free */
    GLint width, height;
    void *seen; /* what glGetTexImage() has given, or NULL */
} siblings[SIBLINGS];

/* What the thread's context has still to do. */
static _Thread_local struct {
    GLuint name;
    GLint width, height;
    void *texels; /* NULL: nothing */
} pending;

static __eglMustCastToProperFunctionPointerType get(const char *name)
{
    static __eglMustCastToProperFunctionPointerType (*found)(const char *name);
    if (!found)
        *(void **)&found = dlsym(RTLD_NEXT, "eglGetProcAddress");
    return found(name);
}

#define REAL(type, name) ((type)get(name))

static bool is_mode(const char *mode)
{
    return !strcmp(getenv("TEST_GL_ORPHANS"), mode);
}

/* ---- the texture that is bound ---- */

static void *read_texels(GLint *width, GLint *height)
{
    PFNGLGETTEXLEVELPARAMETERIVPROC ask = REAL(PFNGLGETTEXLEVELPARAMETERIVPROC, "glGetTexLevelParameteriv");
    ask(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, width);
    ask(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, height);
    void *texels = calloc((size_t)*width * (size_t)*height, 4);
    if (!texels)
        abort();
    REAL(PFNGLGETTEXIMAGEPROC, "glGetTexImage")(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    return texels;
}

static GLuint bind(GLuint name)
{
    GLint before = 0;
    REAL(PFNGLGETINTEGERVPROC, "glGetIntegerv")(GL_TEXTURE_BINDING_2D, &before);
    REAL(PFNGLBINDTEXTUREPROC, "glBindTexture")(GL_TEXTURE_2D, name);
    return (GLuint)before;
}

static void write_texels(const void *texels, GLint width, GLint height)
{
    REAL(PFNGLTEXSUBIMAGE2DPROC, "glTexSubImage2D")
    (GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* ---- late ---- */

static void begin(void)
{
    if (!pending.texels)
        return;
    if (REAL(PFNGLISTEXTUREPROC, "glIsTexture")(pending.name)) { /* it may have been deleted */
        GLuint before = bind(pending.name);
        write_texels(pending.texels, pending.width, pending.height);
        bind(before);
    }
    free(pending.texels);
    pending.texels = NULL;
}

static void flush(void)
{
    begin();
    real.Flush();
}

static void finish(void)
{
    begin();
    real.Finish();
}

static EGLImageKHR create_image(EGLDisplay display, EGLContext context, EGLenum target, EGLClientBuffer buffer,
                                const EGLint *attributes)
{
    EGLImageKHR image = real.create_image(display, context, target, buffer, attributes);
    if (!is_mode("late") || image == EGL_NO_IMAGE_KHR || target != EGL_GL_TEXTURE_2D_KHR)
        return image;
    begin();
    moved++;
    pending.name = (GLuint)(uintptr_t)buffer;
    GLuint before = bind(pending.name);
    pending.texels = read_texels(&pending.width, &pending.height);
    void *nothing = calloc((size_t)pending.width * (size_t)pending.height, 4);
    write_texels(nothing, pending.width, pending.height);
    free(nothing);
    bind(before);
    real.Finish();
    return image;
}

/* ---- stale ---- */

/* 0: one that is free. */
static struct sibling *find(GLuint name)
{
    for (size_t i = 0; i < SIBLINGS; i++) {
        if (siblings[i].name == name && (!name || siblings[i].context == eglGetCurrentContext()))
            return &siblings[i];
    }
    return NULL;
}

static void note(void)
{
    GLint name = 0;
    struct sibling *sibling = find(0);
    REAL(PFNGLGETINTEGERVPROC, "glGetIntegerv")(GL_TEXTURE_BINDING_2D, &name);
    if (sibling)
        *sibling = (struct sibling){.context = eglGetCurrentContext(), .name = (GLuint)name};
}

static void delete_textures(GLsizei count, const GLuint *names)
{
    for (GLsizei i = 0; i < count; i++) {
        struct sibling *sibling = names[i] ? find(names[i]) : NULL;
        if (!sibling)
            continue;
        free(sibling->seen);
        *sibling = (struct sibling){.name = 0};
    }
    real.DeleteTextures(count, names);
}

/* Tests have texels of 4 bytes alone. */
static void get_image(GLenum target, GLint level, GLenum format, GLenum type, void *data)
{
    GLint name = 0;
    REAL(PFNGLGETINTEGERVPROC, "glGetIntegerv")(GL_TEXTURE_BINDING_2D, &name);
    struct sibling *sibling = target == GL_TEXTURE_2D && name ? find((GLuint)name) : NULL;
    if (sibling && !sibling->seen)
        sibling->seen = read_texels(&sibling->width, &sibling->height);
    if (sibling)
        memcpy(data, sibling->seen, (size_t)sibling->width * (size_t)sibling->height * 4);
    else
        real.GetTexImage(target, level, format, type, data);
}

static void read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *data)
{
    GLint name = 0;
    REAL(PFNGLGETFRAMEBUFFERATTACHMENTPARAMETERIVPROC, "glGetFramebufferAttachmentParameteriv")
    (GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
    bool hides = name && find((GLuint)name);
    hidden += hides;
    if (hides)
        memset(data, 0, (size_t)width * (size_t)height * 4);
    else
        real.ReadPixels(x, y, width, height, format, type, data);
}

/* ---- copies ---- */

static void image_target(GLenum target, void *image)
{
    GLint width = 0, height = 0;
    GLuint sibling = 0;
    if (is_mode("stale"))
        note();
    if (!is_mode("copies")) {
        real.target(target, image);
        return;
    }
    copied++;
    REAL(PFNGLGENTEXTURESPROC, "glGenTextures")(1, &sibling);
    GLuint own = bind(sibling);
    real.target(GL_TEXTURE_2D, image);
    void *texels = read_texels(&width, &height);
    bind(own);
    REAL(PFNGLDELETETEXTURESPROC, "glDeleteTextures")(1, &sibling);
    REAL(PFNGLTEXIMAGE2DPROC, "glTexImage2D")
    (GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
}

/* Such an EGL has no renderbuffers of images, so that there are textures alone. */
static void no_renderbuffer(GLenum target, void *image)
{
    (void)image;
    real.renderbuffer_target(target, NULL);
}

/* ---- what is found ---- */

bool test_gl_refuses_images(void)
{
    return is_mode("copies");
}

int test_gl_verdict(int result)
{
    if (result || moved + copied + hidden)
        return result;
    fprintf(stderr, "no image was met\n");
    return 1;
}

__attribute__((visibility("default"))) __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    __eglMustCastToProperFunctionPointerType found = get(name);
#define INSTEAD(of, member, with)                                                                                      \
    if (found && !strcmp(name, of)) {                                                                                  \
        *(void **)&real.member = *(void **)&found;                                                                     \
        return (__eglMustCastToProperFunctionPointerType)(with);                                                       \
    }
    INSTEAD("eglCreateImageKHR", create_image, create_image)
    INSTEAD("glEGLImageTargetTexture2DOES", target, image_target)
    if (!is_mode("late"))
        INSTEAD("glEGLImageTargetRenderbufferStorageOES", renderbuffer_target, no_renderbuffer)
    INSTEAD("glFlush", Flush, flush)
    INSTEAD("glFinish", Finish, finish)
    if (!is_mode("stale"))
        return found;
    INSTEAD("glDeleteTextures", DeleteTextures, delete_textures)
    INSTEAD("glGetTexImage", GetTexImage, get_image)
    INSTEAD("glReadPixels", ReadPixels, read_pixels)
    return found;
}
