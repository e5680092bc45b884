/* cl_khr_gl_sharing under Wayland: a context of EGL's with a window, into whose texture OpenCL writes what is shown. */
#include "gl_test.h"

#include <wayland-client.h>
#include <wayland-egl.h>

enum { SIDE = 64 };

static struct wl_display *connection;
static struct wl_registry *registry;
static struct wl_surface *shown;
static struct wl_egl_window *window;
static struct wl_compositor *compositor;
static EGLSurface surface;

static void offer(void *data, struct wl_registry *from, uint32_t name, const char *interface, uint32_t version)
{
    (void)data;
    (void)version;
    if (!strcmp(interface, wl_compositor_interface.name))
        compositor = wl_registry_bind(from, name, &wl_compositor_interface, 1);
}

static void take_back(void *data, struct wl_registry *from, uint32_t name)
{
    (void)data;
    (void)from;
    (void)name;
}

/* Of the context's configuration, which has one of windows. */
static EGLConfig config_of_context(void)
{
    EGLint id = 0, count = 0;
    EGLConfig config = NULL;
    NEED(eglQueryContext(gl.display, gl.context, EGL_CONFIG_ID, &id));
    const EGLint wanted[] = {EGL_CONFIG_ID, id, EGL_NONE};
    NEED(eglChooseConfig(gl.display, wanted, &config, 1, &count) && count == 1);
    return config;
}

static void open_window(void)
{
    static const struct wl_registry_listener listener = {offer, take_back};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    connection = wl_display_connect(NULL);
    EGLDisplay display = connection && get_display ? get_display(EGL_PLATFORM_WAYLAND_EXT, connection, NULL) : NULL;
    if (!display || !test_gl_open_on(&gl, display, EGL_WINDOW_BIT, EGL_NO_CONTEXT)) {
        printf("no Wayland, or none with OpenGL\n");
        exit(TEST_SKIPPED);
    }
    registry = wl_display_get_registry(connection);
    wl_registry_add_listener(registry, &listener, NULL);
    wl_display_roundtrip(connection);
    NEED(compositor);
    shown = wl_compositor_create_surface(compositor);
    window = wl_egl_window_create(shown, SIDE, SIDE);
    surface = eglCreateWindowSurface(gl.display, config_of_context(), (EGLNativeWindowType)window, NULL);
    NEED(surface != EGL_NO_SURFACE && eglMakeCurrent(gl.display, surface, surface, gl.context));
    eglSwapInterval(gl.display, 0); /* no shell shows the window: frames would be waited for for ever */
}

static void open_context(void)
{
    cl_context_properties properties[7];
    cl_int error;
    test_gl_properties(&gl, platform, properties);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(eglGetCurrentContext() == gl.context && eglGetCurrentSurface(EGL_DRAW) == surface);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
}

/* What OpenCL writes into the texture is what the window shows. */
static void test_frames(void)
{
    static const size_t zero[3] = {0, 0, 0}, region[3] = {SIDE, SIDE, 1};
    unsigned char texels[SIDE * SIDE * 4], seen[SIDE * SIDE * 4];
    GLuint name = new_plane(SIDE, SIDE, NULL), framebuffer;
    cl_mem mem = image_from(GL_TEXTURE_2D, 0, name);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    for (int frame = 0; frame < 8; frame++) {
        for (size_t i = 0; i < sizeof(texels); i++)
            texels[i] = i % 4 == 3 ? 255 : (unsigned char)(i * 7 + (size_t)frame * 31);
        acquire(mem);
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        give_back(mem);
        gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
        gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        gl.BlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        gl.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        gl.ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        bool same = true;
        for (size_t i = 0; i < sizeof(seen); i++)
            same = same && (i % 4 == 3 || seen[i] == texels[i]); /* windows may have no alpha */
        CHECK(same);
        CHECK(eglSwapBuffers(gl.display, surface));
    }
    OK(clReleaseMemObject(mem));
    gl.DeleteFramebuffers(1, &framebuffer);
    gl.DeleteTextures(1, &name);
}

int main(void)
{
    find_device();
    const struct test_device found = {.platform = platform, .id = device};
    if (!test_has_extension(&found, "cl_khr_gl_sharing"))
        return TEST_SKIPPED;
    open_window();
    open_context();
    test_frames();
    /* The application's window and context end first. */
    eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroySurface(gl.display, surface);
    eglDestroyContext(gl.display, gl.context);
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    CHECK(eglTerminate(gl.display));
    wl_egl_window_destroy(window);
    wl_surface_destroy(shown);
    wl_compositor_destroy(compositor);
    wl_registry_destroy(registry);
    wl_display_disconnect(connection);
    return test_result();
}
