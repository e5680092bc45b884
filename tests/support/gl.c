#include "gl.h"

#include <stdio.h>

static EGLDisplay open_display(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    if (get_display)
        display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) ? display : EGL_NO_DISPLAY;
}

static bool load(struct test_gl *gl)
{
    bool complete = true;
#define LOAD(type, name)                                                                                               \
    gl->name = (type)eglGetProcAddress("gl" #name);                                                                    \
    complete = complete && gl->name;
    GL_TEST_FUNCTIONS(LOAD)
#undef LOAD
    return complete;
}

bool test_gl_open_on(struct test_gl *gl, EGLDisplay display, EGLint surfaces, EGLContext share)
{
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, surfaces, EGL_NONE},
                 core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    *gl = (struct test_gl){.display = display, .context = EGL_NO_CONTEXT};
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(gl->display, wanted, &config, 1, &count) || count != 1) {
        printf("no OpenGL by EGL\n");
        return false;
    }
    gl->context = eglCreateContext(gl->display, config, share, core);
    if (gl->context == EGL_NO_CONTEXT || !test_gl_make_current(gl, true) || !load(gl)) {
        printf("no OpenGL 3.3 without a surface\n");
        return false;
    }
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->ClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
    return true;
}

bool test_gl_open(struct test_gl *gl, EGLContext share)
{
    return test_gl_open_on(gl, open_display(), EGL_PBUFFER_BIT, share);
}

bool test_gl_open_es(struct test_gl *gl)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                    EGL_NONE},
                        three[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    *gl = (struct test_gl){.display = open_display(), .context = EGL_NO_CONTEXT};
    if (gl->display == EGL_NO_DISPLAY || !eglBindAPI(EGL_OPENGL_ES_API) ||
        !eglChooseConfig(gl->display, wanted, &config, 1, &count) || count != 1)
        return false;
    gl->context = eglCreateContext(gl->display, config, EGL_NO_CONTEXT, three);
    return gl->context != EGL_NO_CONTEXT && eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context) &&
           load(gl);
}

void test_gl_close(struct test_gl *gl)
{
    test_gl_make_current(gl, false);
    eglDestroyContext(gl->display, gl->context);
    gl->context = EGL_NO_CONTEXT;
}

bool test_gl_make_current(const struct test_gl *gl, bool current)
{
    eglBindAPI(EGL_OPENGL_API);
    return eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, current ? gl->context : EGL_NO_CONTEXT);
}

void test_gl_properties(const struct test_gl *gl, cl_platform_id platform, cl_context_properties properties[7])
{
    properties[0] = CL_GL_CONTEXT_KHR;
    properties[1] = (cl_context_properties)gl->context;
    properties[2] = CL_EGL_DISPLAY_KHR;
    properties[3] = (cl_context_properties)gl->display;
    properties[4] = CL_CONTEXT_PLATFORM;
    properties[5] = (cl_context_properties)platform;
    properties[6] = 0;
}
