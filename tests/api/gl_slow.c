/* An OpenGL that blits slowly, as GPUs that are made for computing do, in front of the process's own: then shaders copy
 * large textures. It is linked before gl.c, and the library finds its eglGetProcAddress() first. TEST_GL_SLOW: "gpu" has
 * blits that take long by the GPU's timer, while shaders take long to wait for; "host" has a timer that tells nothing,
 * as llvmpipe's, and blits that are waited for. That shaders have copied what was copied last is looked at in the end; an
 * OpenGL before 4.3 has none that compute.
 *
 * It is strict, too: where a texture is not complete that an image unit has, shaders do nothing (OpenGL 4.6, 8.26). */
#include "gl_fake.h"

#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 64, SLOW_BLIT_US = 60000, SLOW_SHADER_US = 10000, BLIT_NS = 600000, SHADER_NS = 30000, UNITS = 32 };

static PFNGLBLITFRAMEBUFFERPROC real_blit;
static PFNGLDISPATCHCOMPUTEPROC real_dispatch;
static PFNGLBEGINQUERYPROC real_begin;
static PFNGLBINDIMAGETEXTUREPROC real_bind;
static PFNGLGETTEXTUREPARAMETERIVPROC get_parameter; /* NULL: an OpenGL before 4.5 */
static GLuint units[UNITS];                          /* what image units have; one thread has some */
static unsigned blits, dispatches;                   /* large ones; dispatches: since the last of those */
static GLuint64 timer;                               /* ns since a query has begun */

static bool by_gpu(void)
{
    return !strcmp(getenv("TEST_GL_SLOW"), "gpu");
}

static void blit(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1,
                 GLbitfield mask, GLenum filter)
{
    if (x1 > LARGE || y1 > LARGE) {
        blits++;
        dispatches = 0;
        timer += BLIT_NS;
        usleep(by_gpu() ? 0 : SLOW_BLIT_US);
    }
    real_blit(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

static void bind_image(GLuint unit, GLuint name, GLint level, GLboolean layered, GLint layer, GLenum access,
                       GLenum format)
{
    if (unit < UNITS)
        units[unit] = name;
    real_bind(unit, name, level, layered, layer, access, format);
}

static bool is_complete(GLuint name)
{
    GLint filter = 0, levels = 0, most = 0;
    get_parameter(name, GL_TEXTURE_MIN_FILTER, &filter);
    get_parameter(name, GL_TEXTURE_IMMUTABLE_LEVELS, &levels);
    get_parameter(name, GL_TEXTURE_MAX_LEVEL, &most);
    return levels || !most || filter == GL_NEAREST || filter == GL_LINEAR;
}

static void dispatch(GLuint x, GLuint y, GLuint z)
{
    dispatches++;
    timer += SHADER_NS;
    usleep(by_gpu() ? SLOW_SHADER_US : 0);
    for (GLuint i = 0; get_parameter && i < UNITS; i++) {
        if (units[i] && !is_complete(units[i]))
            return;
    }
    real_dispatch(x, y, z);
}

static void begin_query(GLenum target, GLuint name)
{
    timer = 0;
    real_begin(target, name);
}

static void get_result(GLuint name, GLenum what, GLuint64 *value)
{
    (void)name;
    (void)what;
    *value = by_gpu() ? timer : 0;
}

int test_gl_verdict(int result)
{
    if (!blits || !real_dispatch || dispatches >= 2)
        return result;
    fprintf(stderr, "%u large blits, and %u copies by shaders after them\n", blits, dispatches);
    return 1;
}

__attribute__((visibility("default"))) __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    static __eglMustCastToProperFunctionPointerType (*get)(const char *name);
    if (!get)
        *(void **)&get = dlsym(RTLD_NEXT, "eglGetProcAddress");
    __eglMustCastToProperFunctionPointerType found = get(name);
    if (found && !strcmp(name, "glBlitFramebuffer")) {
        *(void **)&real_blit = *(void **)&found;
        return (__eglMustCastToProperFunctionPointerType)blit;
    }
    if (found && !strcmp(name, "glDispatchCompute")) {
        *(void **)&real_dispatch = *(void **)&found;
        return (__eglMustCastToProperFunctionPointerType)dispatch;
    }
    if (found && !strcmp(name, "glBindImageTexture")) {
        *(void **)&real_bind = *(void **)&found;
        *(void **)&get_parameter = (void *)get("glGetTextureParameteriv");
        return (__eglMustCastToProperFunctionPointerType)bind_image;
    }
    if (found && !strcmp(name, "glBeginQuery")) {
        *(void **)&real_begin = *(void **)&found;
        return (__eglMustCastToProperFunctionPointerType)begin_query;
    }
    if (found && !strcmp(name, "glGetQueryObjectui64v"))
        return (__eglMustCastToProperFunctionPointerType)get_result;
    return found;
}
