/* Particles that OpenCL moves and OpenGL draws: particles [--window] [frames [folder]]. The positions are in a buffer of
 * OpenGL's, which OpenCL acquires, writes and releases for each frame; nobody copies them to the program. The frames are
 * PNG files, by EGL without a window; or with --window, where there is an X server, they are shown by GLX. The last
 * frame's positions are compared with the program's own, and its picture must show them.
 *
 * Either way the context of EGL or GLX, and its display, go into clCreateContext's properties. */
#include "common.h"
#include "picture.h"
#ifdef HAVE_WINDOW
#include "window.h"
#endif

#include <CL/cl_gl.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 20000, SIDE = 512, SKIPPED = 77 };

#define GL_FUNCTIONS(F)                                                                                                \
    F(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                 \
    F(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                 \
    F(PFNGLBUFFERDATAPROC, BufferData)                                                                                 \
    F(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)                                                                     \
    F(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                       \
    F(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                       \
    F(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                                       \
    F(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                                               \
    F(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                                     \
    F(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                                     \
    F(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)                                                               \
    F(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                                       \
    F(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                                       \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                                       \
    F(PFNGLCREATESHADERPROC, CreateShader)                                                                             \
    F(PFNGLSHADERSOURCEPROC, ShaderSource)                                                                             \
    F(PFNGLCOMPILESHADERPROC, CompileShader)                                                                           \
    F(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                                           \
    F(PFNGLATTACHSHADERPROC, AttachShader)                                                                             \
    F(PFNGLLINKPROGRAMPROC, LinkProgram)                                                                               \
    F(PFNGLUSEPROGRAMPROC, UseProgram)                                                                                 \
    F(PFNGLVIEWPORTPROC, Viewport)                                                                                     \
    F(PFNGLENABLEPROC, Enable)                                                                                         \
    F(PFNGLBLENDFUNCPROC, BlendFunc)                                                                                   \
    F(PFNGLCLEARCOLORPROC, ClearColor)                                                                                 \
    F(PFNGLCLEARPROC, Clear)                                                                                           \
    F(PFNGLDRAWARRAYSPROC, DrawArrays)                                                                                 \
    F(PFNGLPIXELSTOREIPROC, PixelStorei)                                                                               \
    F(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                                       \
    F(PFNGLREADPIXELSPROC, ReadPixels)

static struct {
#define MEMBER(type, name) type name;
    GL_FUNCTIONS(MEMBER)
} gl;

static EGLDisplay display;
static EGLContext gl_context;
static GLuint framebuffer; /* that is drawn to */

static bool load(void *(*get)(const char *name))
{
    bool complete = true;
#define LOAD(type, name)                                                                                               \
    *(void **)&gl.name = get("gl" #name);                                                                              \
    complete = complete && gl.name;
    GL_FUNCTIONS(LOAD)
    return complete;
}

/* ---- OpenGL in a window ---- */

static bool windowed;

#ifdef HAVE_WINDOW
static struct window window;

static bool open_window(void)
{
    windowed = window_open(&window, "Particles", SIDE) && load(window_function);
    return windowed;
}

/* False: there are to be no more frames. */
static bool show(void)
{
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl.BlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    bool goes_on = window_show(&window);
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    return goes_on;
}
#endif

/* ---- OpenGL without a window ---- */

static void *egl_function(const char *name)
{
    return (void *)eglGetProcAddress(name);
}

static bool open_gl(void)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE},
                        core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLConfig config;
    EGLint count = 0;
    display = get_display ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
        return false;
    gl_context = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    if (gl_context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl_context))
        return false;
    return load(egl_function);
}

static void attach(GLuint program, GLenum type, const char *text)
{
    GLuint shader = gl.CreateShader(type);
    gl.ShaderSource(shader, 1, &text, NULL);
    gl.CompileShader(shader);
    gl.AttachShader(program, shader);
}

/* Draws points from the buffer into a picture of its own. */
static void prepare_drawing(GLuint positions)
{
    GLuint array, picture, program = gl.CreateProgram();
    attach(program, GL_VERTEX_SHADER,
           "#version 150\n"
           "in vec4 at; out float light;"
           "void main() { gl_Position = vec4(at.xyz, 1.0); light = at.w; }");
    attach(program, GL_FRAGMENT_SHADER,
           "#version 150\n"
           "in float light; out vec4 colour;"
           "void main() { colour = vec4(0.3 + 0.7 * light, 0.5 * light + 0.1, 0.9 - 0.6 * light, 1.0) * 0.6; }");
    gl.LinkProgram(program);
    gl.UseProgram(program);
    gl.GenVertexArrays(1, &array);
    gl.BindVertexArray(array);
    gl.BindBuffer(GL_ARRAY_BUFFER, positions);
    gl.EnableVertexAttribArray(0);
    gl.VertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    gl.GenRenderbuffers(1, &picture);
    gl.BindRenderbuffer(GL_RENDERBUFFER, picture);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, picture);
    gl.Viewport(0, 0, SIDE, SIDE);
    gl.Enable(GL_BLEND);
    gl.BlendFunc(GL_ONE, GL_ONE);
    gl.ClearColor(0.0f, 0.0f, 0.05f, 1.0f);
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
}

static void draw(void)
{
    gl.Clear(GL_COLOR_BUFFER_BIT);
    gl.DrawArrays(GL_POINTS, 0, PARTICLES);
}

/* OpenGL's first row is the lowest. */
static void read_picture(struct picture *picture, uint8_t *rows)
{
    gl.ReadPixels(0, 0, SIDE, SIDE, GL_RGB, GL_UNSIGNED_BYTE, rows);
    for (int y = 0; y < SIDE; y++)
        memcpy(picture->rgb + y * SIDE * 3, rows + (SIDE - 1 - y) * SIDE * 3, SIDE * 3);
}

static bool write_picture(const char *folder, int frame, const struct picture *picture)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/particles-%03d.png", folder, frame);
    return picture_write(path, picture);
}

/* ---- OpenCL ---- */

static bool has_sharing(cl_device_id device)
{
    size_t size = 0;
    bool has = false;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    char *text = malloc(size + 1);
    if (text && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL) == CL_SUCCESS)
        has = strstr(text, "cl_khr_gl_sharing") != NULL;
    free(text);
    return has;
}

/* A context on the same device that shares with OpenGL. */
static void open_shared(struct example *example)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)example->platform,
                                          CL_GL_CONTEXT_KHR,
                                          (cl_context_properties)gl_context,
                                          CL_EGL_DISPLAY_KHR,
                                          (cl_context_properties)display,
                                          0};
#ifdef HAVE_WINDOW
    if (windowed) {
        properties[3] = (cl_context_properties)window.context;
        properties[4] = CL_GLX_DISPLAY_KHR;
        properties[5] = (cl_context_properties)window.display;
    }
#endif
    cl_int error;
    CHECK(clReleaseCommandQueue(example->queue));
    CHECK(clReleaseContext(example->context));
    example->context = clCreateContext(properties, 1, &example->device, NULL, NULL, &error);
    CHECK(error);
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    example->queue = clCreateCommandQueueWithProperties(example->context, example->device, profiling, &error);
    CHECK(error);
}

static void make_particles(float (*state)[4])
{
    unsigned seed = 1;
    for (int i = 0; i < PARTICLES; i++) {
        state[i][0] = 0.1f + 0.85f * sqrtf(example_random(&seed));
        state[i][1] = 6.2831853f * example_random(&seed);
        state[i][2] = 0.2f * (example_random(&seed) - 0.5f);
        state[i][3] = example_random(&seed);
    }
}

static double compare(float (*state)[4], float (*drawn)[4], double time)
{
    double worst = 0.0;
    for (int i = 0; i < PARTICLES; i++) {
        double angle = (double)state[i][1] + time / (0.1 + (double)state[i][0]);
        double x = (double)state[i][0] * cos(angle), y = (double)state[i][0] * sin(angle) * 0.5 + (double)state[i][2];
        worst = fmax(worst, fmax(fabs(x - (double)drawn[i][0]), fabs(y - (double)drawn[i][1])));
    }
    return worst;
}

/* Pixels that are brighter than the ground. */
static int count_lit(const struct picture *picture)
{
    int lit = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        lit += picture->rgb[3 * i] > 20;
    return lit;
}

static bool open_opengl(int *argc, char ***argv)
{
    if (*argc < 2 || strcmp((*argv)[1], "--window") != 0)
        return open_gl();
    --*argc;
    ++*argv;
#ifdef HAVE_WINDOW
    if (open_window())
        return true;
#endif
    printf("there is no X server with OpenGL: the frames are PNG files\n");
    return open_gl();
}

static void close_opengl(void)
{
#ifdef HAVE_WINDOW
    if (windowed) {
        window_close(&window);
        return;
    }
#endif
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, gl_context);
}

int main(int argc, char **argv)
{
    struct example example;
    example_open(&example);
    if (!has_sharing(example.device) || !open_opengl(&argc, &argv)) {
        printf("the device shares nothing with OpenGL, or there is no OpenGL 3.2\n");
        return SKIPPED;
    }
    int frames = argc > 1 ? atoi(argv[1]) : 8;
    const char *folder = argc > 2 ? argv[2] : ".";
    open_shared(&example);
    example_build(&example, "particles.cl", NULL);
    float(*state)[4] = malloc(PARTICLES * sizeof(*state)), (*drawn)[4] = malloc(PARTICLES * sizeof(*drawn));
    struct picture picture = {SIDE, SIDE, malloc(SIDE * SIDE * 3)};
    uint8_t *rows = malloc(SIDE * SIDE * 3);
    if (!state || !drawn || !picture.rgb || !rows)
        return 1;
    make_particles(state);
    GLuint positions;
    gl.GenBuffers(1, &positions);
    gl.BindBuffer(GL_ARRAY_BUFFER, positions);
    gl.BufferData(GL_ARRAY_BUFFER, PARTICLES * sizeof(*drawn), NULL, GL_DYNAMIC_DRAW);
    prepare_drawing(positions);
    cl_int error;
    cl_mem in = example_buffer(&example, CL_MEM_READ_ONLY, PARTICLES * sizeof(*state), state);
    cl_mem out = clCreateFromGLBuffer(example.context, CL_MEM_WRITE_ONLY, positions, &error);
    CHECK(error);
    cl_kernel kernel = example_kernel(&example, "move");
    CHECK(clSetKernelArg(kernel, 0, sizeof(in), &in));
    CHECK(clSetKernelArg(kernel, 1, sizeof(out), &out));
    const size_t global = PARTICLES;
    float time = 0.0f;
    bool written = frames > 0;
    for (int frame = 0; frame < frames; frame++) {
        time = (float)frame * 0.05f;
        CHECK(clSetKernelArg(kernel, 2, sizeof(time), &time));
        CHECK(clEnqueueAcquireGLObjects(example.queue, 1, &out, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(example.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReleaseGLObjects(example.queue, 1, &out, 0, NULL, NULL));
        CHECK(clFinish(example.queue)); /* not needed where there is cl_khr_gl_event */
        draw();
#ifdef HAVE_WINDOW
        if (windowed && !show())
            frames = frame + 1;
#endif
        if (!windowed || frame + 1 == frames)
            read_picture(&picture, rows);
        written = (windowed || write_picture(folder, frame, &picture)) && written;
    }
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, PARTICLES * sizeof(*drawn), drawn);
    double worst = compare(state, drawn, (double)time);
    int lit = count_lit(&picture);
    int exit_code = example_result("particles", written && worst < 1e-4 && lit > PARTICLES / 4,
                                   "%d frames in %s, positions off by %.1e, %d pixels lit", frames,
                                   windowed ? "a window" : folder, worst, lit);
    free(state);
    free(drawn);
    free(picture.rgb);
    free(rows);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    example_close(&example);
    close_opengl();
    return exit_code;
}
