/* A context of OpenGL without a window, by EGL, and OpenCL on it. */
#ifndef TESTS_SUPPORT_GL_H
#define TESTS_SUPPORT_GL_H

#include "opencl.h"

#include <CL/cl_gl.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#define GL_TEST_FUNCTIONS(F)                                                                                           \
    F(PFNGLGETERRORPROC, GetError)                                                                                     \
    F(PFNGLGETSTRINGPROC, GetString)                                                                                   \
    F(PFNGLGETINTEGERVPROC, GetIntegerv)                                                                               \
    F(PFNGLFINISHPROC, Finish)                                                                                         \
    F(PFNGLFLUSHPROC, Flush)                                                                                           \
    F(PFNGLPIXELSTOREIPROC, PixelStorei)                                                                               \
    F(PFNGLGENTEXTURESPROC, GenTextures)                                                                               \
    F(PFNGLDELETETEXTURESPROC, DeleteTextures)                                                                         \
    F(PFNGLBINDTEXTUREPROC, BindTexture)                                                                               \
    F(PFNGLGETTEXPARAMETERIVPROC, GetTexParameteriv)                                                                   \
    F(PFNGLTEXPARAMETERIPROC, TexParameteri)                                                                           \
    F(PFNGLTEXIMAGE1DPROC, TexImage1D)                                                                                 \
    F(PFNGLTEXIMAGE2DPROC, TexImage2D)                                                                                 \
    F(PFNGLTEXIMAGE3DPROC, TexImage3D)                                                                                 \
    F(PFNGLTEXSUBIMAGE2DPROC, TexSubImage2D)                                                                           \
    F(PFNGLTEXIMAGE2DMULTISAMPLEPROC, TexImage2DMultisample)                                                           \
    F(PFNGLTEXIMAGE3DMULTISAMPLEPROC, TexImage3DMultisample)                                                           \
    F(PFNGLTEXBUFFERPROC, TexBuffer)                                                                                   \
    F(PFNGLTEXBUFFERRANGEPROC, TexBufferRange)                                                                         \
    F(PFNGLGETTEXIMAGEPROC, GetTexImage)                                                                               \
    F(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                 \
    F(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                                                                           \
    F(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                 \
    F(PFNGLBUFFERDATAPROC, BufferData)                                                                                 \
    F(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                                           \
    F(PFNGLMAPBUFFERRANGEPROC, MapBufferRange)                                                                         \
    F(PFNGLUNMAPBUFFERPROC, UnmapBuffer)                                                                               \
    F(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)                                                                     \
    F(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                                     \
    F(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers)                                                               \
    F(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                                     \
    F(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)                                                               \
    F(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                                         \
    F(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                                       \
    F(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                                                 \
    F(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                                       \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                                       \
    F(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                                             \
    F(PFNGLFRAMEBUFFERTEXTURELAYERPROC, FramebufferTextureLayer)                                                       \
    F(PFNGLFRAMEBUFFERTEXTUREPROC, FramebufferTexture)                                                                 \
    F(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                                         \
    F(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                                       \
    F(PFNGLREADPIXELSPROC, ReadPixels)                                                                                 \
    F(PFNGLCLAMPCOLORPROC, ClampColor)                                                                                 \
    F(PFNGLREADBUFFERPROC, ReadBuffer)                                                                                 \
    F(PFNGLDRAWBUFFERPROC, DrawBuffer)                                                                                 \
    F(PFNGLCLEARCOLORPROC, ClearColor)                                                                                 \
    F(PFNGLCLEARDEPTHPROC, ClearDepth)                                                                                 \
    F(PFNGLCLEARPROC, Clear)                                                                                           \
    F(PFNGLENABLEPROC, Enable)                                                                                         \
    F(PFNGLDISABLEPROC, Disable)                                                                                       \
    F(PFNGLVIEWPORTPROC, Viewport)                                                                                     \
    F(PFNGLSAMPLEMASKIPROC, SampleMaski)                                                                               \
    F(PFNGLCLEARBUFFERFVPROC, ClearBufferfv)                                                                           \
    F(PFNGLCLEARBUFFERIVPROC, ClearBufferiv)                                                                           \
    F(PFNGLCLEARBUFFERUIVPROC, ClearBufferuiv)                                                                         \
    F(PFNGLFENCESYNCPROC, FenceSync)                                                                                   \
    F(PFNGLDELETESYNCPROC, DeleteSync)                                                                                 \
    F(PFNGLCREATESHADERPROC, CreateShader)                                                                             \
    F(PFNGLSHADERSOURCEPROC, ShaderSource)                                                                             \
    F(PFNGLCOMPILESHADERPROC, CompileShader)                                                                           \
    F(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                                           \
    F(PFNGLATTACHSHADERPROC, AttachShader)                                                                             \
    F(PFNGLLINKPROGRAMPROC, LinkProgram)                                                                               \
    F(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                                             \
    F(PFNGLUSEPROGRAMPROC, UseProgram)                                                                                 \
    F(PFNGLDELETESHADERPROC, DeleteShader)                                                                             \
    F(PFNGLDELETEPROGRAMPROC, DeleteProgram)                                                                           \
    F(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                                                 \
    F(PFNGLUNIFORM1IPROC, Uniform1i)                                                                                   \
    F(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                       \
    F(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                       \
    F(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                                       \
    F(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                                               \
    F(PFNGLDRAWARRAYSPROC, DrawArrays)

struct test_gl {
    EGLDisplay display;
    EGLContext context; /* current to the thread that opened it */
#define MEMBER(type, name) type name;
    GL_TEST_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* False: there is no such context here. Of a display that was opened before it is another context, which shares its
 * objects with share, if that is not EGL_NO_CONTEXT. */
bool test_gl_open(struct test_gl *gl, EGLContext share);
/* The same on that display, for surfaces of those types (EGL_WINDOW_BIT ...). */
bool test_gl_open_on(struct test_gl *gl, EGLDisplay display, EGLint surfaces, EGLContext share);
/* The same with OpenGL ES 3.0; functions that it has not do nothing. */
bool test_gl_open_es(struct test_gl *gl);
void test_gl_close(struct test_gl *gl); /* the context alone */
bool test_gl_make_current(const struct test_gl *gl, bool current);
/* Properties of an OpenCL context that shares with this one. */
void test_gl_properties(const struct test_gl *gl, cl_platform_id platform, cl_context_properties properties[7]);

#endif
