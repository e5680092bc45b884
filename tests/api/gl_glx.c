/* cl_khr_gl_sharing with GLX, on an X server without a screen (xvfb-run): a buffer and a texture there and back, what is
 * no context of GLX's, and a connection to the server that is closed before OpenCL's context ends. */
#include "api_test.h"

#include <CL/cl_gl.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

static Display *display;
static GLXContext own;

static void open_window(void)
{
    int wanted[] = {GLX_RGBA, GLX_RED_SIZE, 8, None};
    display = XOpenDisplay(NULL);
    XVisualInfo *visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : NULL;
    if (!visual) {
        printf("no X server, or none with OpenGL\n");
        exit(TEST_SKIPPED);
    }
    Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes = {.colormap = XCreateColormap(display, root, visual->visual, AllocNone)};
    Window window = XCreateWindow(display, root, 0, 0, 64, 64, 0, visual->depth, InputOutput, visual->visual,
                                  CWColormap | CWBorderPixel, &attributes);
    own = glXCreateContext(display, visual, NULL, True);
    NEED(own && glXMakeCurrent(display, window, own));
    XFree(visual);
}

static cl_context open_context(GLXContext named, cl_int *error)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform,
                                                CL_GL_CONTEXT_KHR,
                                                (cl_context_properties)named,
                                                CL_GLX_DISPLAY_KHR,
                                                (cl_context_properties)display,
                                                0};
    return clCreateContext(properties, 1, &device, NULL, NULL, error);
}

static void test_round_trip(void)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    unsigned char texels[64], seen[64];
    cl_uint words[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8}, back[4];
    GLuint buffer, texture;
    cl_int error;
    for (int i = 0; i < 64; i++)
        texels[i] = (unsigned char)(i * 3);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    cl_mem mems[2];
    mems[0] = clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, buffer, &error);
    NEED(error == CL_SUCCESS);
    mems[1] = clCreateFromGLTexture(context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, texture, &error);
    NEED(error == CL_SUCCESS);
    OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mems[0], CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, mems[1], CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    CHECK(!memcmp(words, back, sizeof(back)) && !memcmp(texels, seen, sizeof(seen)));
    memset(texels, 0x5a, sizeof(texels));
    OK(clEnqueueWriteBuffer(queue, mems[0], CL_TRUE, 0, sizeof(other), other, 0, NULL, NULL));
    OK(clEnqueueWriteImage(queue, mems[1], CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    OK(clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL));
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(back), back);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    CHECK(!memcmp(other, back, sizeof(back)) && !memcmp(texels, seen, sizeof(seen)));
    OK(clReleaseMemObject(mems[1]));
    /* The other one ends behind the connection. */
    glFinish();
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, own);
    XCloseDisplay(display);
    cl_event event;
    OK(clEnqueueAcquireGLObjects(queue, 1, mems, 0, NULL, &event));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    CHECK(event_status(event) == CL_INVALID_GL_OBJECT);
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, buffer, &error));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mems[0]));
}

int main(void)
{
    cl_int error;
    find_device();
    const struct test_device found = {.platform = platform, .id = device};
    if (!test_has_extension(&found, "cl_khr_gl_sharing"))
        return TEST_SKIPPED;
    open_window();
    CHECK(!open_context((GLXContext)0x1234, &error) && error == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    context = open_context(own, &error);
    NEED(error == CL_SUCCESS);
    CHECK(glXGetCurrentContext() == own);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    test_round_trip();
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    return test_result();
}
