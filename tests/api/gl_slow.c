/* An OpenGL that blits slowly, as GPUs that are made for computing do, in front of the process's own: then shaders copy
 * large textures. It is linked before gl.c, and the library finds its eglGetProcAddress() first. That shaders have copied
 * what was copied last is looked at when the process ends; an OpenGL before 4.3 has none that compute. */
#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 64, SLOW_US = 60000 };

static PFNGLBLITFRAMEBUFFERPROC real_blit;
static PFNGLDISPATCHCOMPUTEPROC real_dispatch;
static unsigned blits, dispatches; /* large ones; dispatches: since the last of those */

static void blit(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1,
                 GLbitfield mask, GLenum filter)
{
    if (x1 > LARGE || y1 > LARGE) {
        blits++;
        dispatches = 0;
        usleep(SLOW_US);
    }
    real_blit(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);
}

static void dispatch(GLuint x, GLuint y, GLuint z)
{
    dispatches++;
    real_dispatch(x, y, z);
}

static void at_end(void)
{
    if (blits && real_dispatch && dispatches < 2) {
        fprintf(stderr, "%u large blits, and %u copies by shaders after them\n", blits, dispatches);
        _exit(1);
    }
}

__attribute__((visibility("default"))) __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    static __eglMustCastToProperFunctionPointerType (*get)(const char *name);
    if (!get) {
        *(void **)&get = dlsym(RTLD_NEXT, "eglGetProcAddress");
        atexit(at_end);
    }
    __eglMustCastToProperFunctionPointerType found = get(name);
    if (found && !strcmp(name, "glBlitFramebuffer")) {
        *(void **)&real_blit = *(void **)&found;
        return (__eglMustCastToProperFunctionPointerType)blit;
    }
    if (found && !strcmp(name, "glDispatchCompute")) {
        *(void **)&real_dispatch = *(void **)&found;
        return (__eglMustCastToProperFunctionPointerType)dispatch;
    }
    return found;
}
