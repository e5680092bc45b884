/* An OpenGL that does not see what others write to memory that it shares with them, in front of the process's own: for
 * ways that must be found out to be wrong. It is linked before gl.c, and the library finds its eglGetProcAddress() first.
 *
 * "texels": as NVIDIA's 580 does, uploads to textures of some targets, and of depths that are floats, keep what the
 * texture has where the bytes come from such memory; copies between buffers are right. "all": those do nothing, either.
 * That the faults were met is looked at when the process ends. */
#include "gl_fake.h"

#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 1024 };

static _Thread_local GLuint unpack, copied, written; /* bound, of the thread's context */
static bool imported[BUFFERS];                       /* by name: memory of others. One thread has such buffers */
static unsigned imports, uploads, copies;

typedef void (*storage_mem_fn)(GLenum target, GLsizeiptr size, GLuint memory, GLuint64 offset);

static struct {
    PFNGLBINDBUFFERPROC BindBuffer;
    PFNGLDELETEBUFFERSPROC DeleteBuffers;
    storage_mem_fn BufferStorageMemEXT;
    PFNGLTEXSUBIMAGE1DPROC TexSubImage1D;
    PFNGLTEXSUBIMAGE2DPROC TexSubImage2D;
    PFNGLTEXSUBIMAGE3DPROC TexSubImage3D;
    PFNGLTEXIMAGE2DPROC TexImage2D;
    PFNGLCOPYBUFFERSUBDATAPROC CopyBufferSubData;
} real;

static bool is_imported(GLuint name)
{
    return name && name < BUFFERS && imported[name];
}

static void bind_buffer(GLenum target, GLuint name)
{
    if (target == GL_PIXEL_UNPACK_BUFFER)
        unpack = name;
    if (target == GL_COPY_READ_BUFFER)
        copied = name;
    if (target == GL_COPY_WRITE_BUFFER)
        written = name;
    real.BindBuffer(target, name);
}

static void delete_buffers(GLsizei count, const GLuint *names)
{
    for (GLsizei i = 0; i < count; i++) {
        if (names[i] < BUFFERS)
            imported[names[i]] = false;
    }
    real.DeleteBuffers(count, names);
}

static void buffer_storage_mem(GLenum target, GLsizeiptr size, GLuint memory, GLuint64 offset)
{
    imports++;
    if (target == GL_COPY_WRITE_BUFFER && written < BUFFERS)
        imported[written] = true;
    real.BufferStorageMemEXT(target, size, memory, offset);
}

static bool forgets(GLenum target, GLenum format, GLenum type)
{
    bool wrong = (target != GL_TEXTURE_2D && target != GL_TEXTURE_RECTANGLE && target != GL_TEXTURE_3D &&
                  target != GL_TEXTURE_2D_ARRAY) ||
                 (format == GL_DEPTH_COMPONENT && type == GL_FLOAT);
    wrong = wrong && is_imported(unpack);
    uploads += wrong;
    return wrong;
}

static void sub_image_1d(GLenum target, GLint level, GLint x, GLsizei width, GLenum format, GLenum type,
                         const void *data)
{
    if (!forgets(target, format, type))
        real.TexSubImage1D(target, level, x, width, format, type, data);
}

static void sub_image_2d(GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                         GLenum type, const void *data)
{
    if (!forgets(target, format, type))
        real.TexSubImage2D(target, level, x, y, width, height, format, type, data);
}

static void sub_image_3d(GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height,
                         GLsizei depth, GLenum format, GLenum type, const void *data)
{
    if (!forgets(target, format, type))
        real.TexSubImage3D(target, level, x, y, z, width, height, depth, format, type, data);
}

static void image_2d(GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border,
                     GLenum format, GLenum type, const void *data)
{
    bool nothing = forgets(target, format, type);
    if (nothing)
        real.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    real.TexImage2D(target, level, internal, width, height, border, format, type, nothing ? NULL : data);
    if (nothing)
        real.BindBuffer(GL_PIXEL_UNPACK_BUFFER, unpack);
}

static void copy_buffer(GLenum from, GLenum to, GLintptr from_offset, GLintptr to_offset, GLsizeiptr size)
{
    bool counts =
        (from == GL_COPY_READ_BUFFER && is_imported(copied)) || (from == GL_PIXEL_UNPACK_BUFFER && is_imported(unpack));
    copies += counts;
    if (!counts || strcmp(getenv("TEST_GL_FORGETS"), "all") != 0)
        real.CopyBufferSubData(from, to, from_offset, to_offset, size);
}

int test_gl_verdict(int result)
{
    if (!imports || (uploads && copies))
        return result;
    fprintf(stderr, "%u imports, %u lost uploads, %u copies: the faults were not met\n", imports, uploads, copies);
    return 1;
}

__attribute__((visibility("default"))) __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    static __eglMustCastToProperFunctionPointerType (*get)(const char *name);
    if (!get)
        *(void **)&get = dlsym(RTLD_NEXT, "eglGetProcAddress");
    __eglMustCastToProperFunctionPointerType found = get(name);
#define INSTEAD(of, with)                                                                                              \
    if (found && !strcmp(name, "gl" #of)) {                                                                            \
        *(void **)&real.of = *(void **)&found;                                                                         \
        return (__eglMustCastToProperFunctionPointerType)(with);                                                       \
    }
    INSTEAD(BindBuffer, bind_buffer)
    INSTEAD(DeleteBuffers, delete_buffers)
    INSTEAD(BufferStorageMemEXT, buffer_storage_mem)
    INSTEAD(TexSubImage1D, sub_image_1d)
    INSTEAD(TexSubImage2D, sub_image_2d)
    INSTEAD(TexSubImage3D, sub_image_3d)
    INSTEAD(TexImage2D, image_2d)
    INSTEAD(CopyBufferSubData, copy_buffer)
    return found;
}
