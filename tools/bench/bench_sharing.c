/* The suite sharing of `pumice bench`: what it costs that a kernel works on a texture of OpenGL's (cl_khr_gl_sharing), of
 * 3840 x 2160 texels of RGBA8. OpenGL is EGL's, without a window, on the device that is measured where EGL has it.
 *
 * PUMICE_LOG=info says by which way contents go, and PUMICE_DISABLE takes ways away, so that they can be compared. */
#include "bench.h"

#include <CL/cl_gl.h>

#include <dlfcn.h>
#include <stdlib.h>

enum { WIDTH = 3840, HEIGHT = 2160, TIMES = 40, LEAST = 3, LONGEST_S = 2, IN_A_ROW = 8, EGL_DEVICES = 16 };

static const char source[] = "kernel void turn(read_only image2d_t from, write_only image2d_t to)\n"
                             "{\n"
                             "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "    write_imagef(to, at, 1.0f - read_imagef(from, at));\n"
                             "}\n";

/* ---- OpenGL by EGL, of which nothing is linked ---- */

#define FUNCTIONS(F)                                                                                                   \
    F(void *, eglGetDisplay, (void *native))                                                                           \
    F(unsigned, eglInitialize, (void *display, int *major, int *minor))                                                \
    F(unsigned, eglBindAPI, (unsigned api))                                                                            \
    F(unsigned, eglChooseConfig, (void *display, const int *wanted, void **configs, int room, int *count))             \
    F(void *, eglCreateContext, (void *display, void *config, void *share, const int *attributes))                     \
    F(unsigned, eglDestroyContext, (void *display, void *context))                                                     \
    F(unsigned, eglMakeCurrent, (void *display, void *draw, void *read, void *context))
#define MORE_FUNCTIONS(F)                                                                                              \
    F(void *, eglGetPlatformDisplayEXT, (unsigned platform, void *native, const int *attributes))                      \
    F(unsigned, eglQueryDevicesEXT, (int room, void **devices, int *count))                                            \
    F(void, glGenTextures, (int count, unsigned *names))                                                               \
    F(void, glDeleteTextures, (int count, const unsigned *names))                                                      \
    F(void, glBindTexture, (unsigned target, unsigned name))                                                           \
    F(void, glTexParameteri, (unsigned target, unsigned name, int value))                                              \
    F(void, glTexImage2D,                                                                                              \
      (unsigned target, int level, int internal, int width, int height, int border, unsigned format, unsigned type,    \
       const void *data))                                                                                              \
    F(void, glGetTexImage, (unsigned target, int level, unsigned format, unsigned type, void *data))

static struct egl {
    void *(*eglGetProcAddress)(const char *name);
#define MEMBER(result, name, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
    MORE_FUNCTIONS(MEMBER)
#undef MEMBER
} egl;

static bool load(void)
{
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool complete = library;
    if (!library)
        return false;
    *(void **)&egl.eglGetProcAddress = dlsym(library, "eglGetProcAddress");
#define LINK(result, name, parameters)                                                                                 \
    *(void **)&egl.name = dlsym(library, #name);                                                                       \
    complete = complete && egl.name;
    FUNCTIONS(LINK)
#undef LINK
#define ASK(result, name, parameters) *(void **)&egl.name = complete ? egl.eglGetProcAddress(#name) : NULL;
    MORE_FUNCTIONS(ASK)
#undef ASK
    return complete && egl.glGenTextures && egl.glGetTexImage;
}

enum { SURFACELESS = 0x31DD, PLATFORM_DEVICE = 0x313F, OPENGL_API = 0x30A2 };

/* The displays of all devices of EGL's, then what needs no window system, then the default one. */
static int list_displays(void **displays)
{
    void *devices[EGL_DEVICES];
    int found = 0, count = 0;
    if (egl.eglGetPlatformDisplayEXT && egl.eglQueryDevicesEXT && egl.eglQueryDevicesEXT(EGL_DEVICES, devices, &found))
        for (int i = 0; i < found && i < EGL_DEVICES; i++)
            displays[count++] = egl.eglGetPlatformDisplayEXT(PLATFORM_DEVICE, devices[i], NULL);
    if (egl.eglGetPlatformDisplayEXT)
        displays[count++] = egl.eglGetPlatformDisplayEXT(SURFACELESS, NULL, NULL);
    displays[count++] = egl.eglGetDisplay(NULL);
    return count;
}

static void *create_context(void *display)
{
    static const int wanted[] = {0x3040, 8, 0x3033, 1, 0x3038}, /* EGL_RENDERABLE_TYPE: OpenGL, with pbuffers */
        core[] = {0x3098, 3, 0x30FB, 3, 0x3038};                /* 3.3 */
    void *config;
    int count = 0;
    if (!display || !egl.eglInitialize(display, NULL, NULL) || !egl.eglBindAPI(OPENGL_API) ||
        !egl.eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
        return NULL;
    return egl.eglCreateContext(display, config, NULL, core);
}

/* ---- both ---- */

/* Older headers have no types for these. */
typedef cl_int(CL_API_CALL *turn_fn)(cl_command_queue queue, cl_uint count, const cl_mem *mems, cl_uint num_waits,
                                     const cl_event *waits, cl_event *event);
typedef cl_mem(CL_API_CALL *from_texture_fn)(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                                             cl_GLuint name, cl_int *error);

struct sharing {
    struct bench *bench;
    void *display, *gl;
    struct bench_device cl; /* a context that shares with gl */
    cl_program program;
    cl_kernel kernel;
    unsigned names[2];
    cl_mem images[2]; /* of the textures of these names */
    turn_fn acquire, release;
};

static void *find(const struct bench *bench, const char *name)
{
    return clGetExtensionFunctionAddressForPlatform(bench->cl.platform, name);
}

/* Whether that OpenGL works on the device; any: whether they share at all. */
static bool open_on(struct sharing *s, void *display, bool any)
{
    const clGetGLContextInfoKHR_fn ask = (clGetGLContextInfoKHR_fn)find(s->bench, "clGetGLContextInfoKHR");
    void *context = create_context(display);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)s->bench->cl.platform,
                                                CL_GL_CONTEXT_KHR,
                                                (cl_context_properties)context,
                                                CL_EGL_DISPLAY_KHR,
                                                (cl_context_properties)display,
                                                0};
    cl_device_id current = NULL;
    if (!context)
        return false;
    if (ask && egl.eglMakeCurrent(display, NULL, NULL, context) &&
        !ask(properties, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof(current), &current, NULL) &&
        (any || current == s->bench->cl.id))
        s->cl.context = clCreateContext(properties, 1, &s->bench->cl.id, NULL, NULL, NULL);
    if (s->cl.context) {
        s->display = display;
        s->gl = context;
        return true;
    }
    egl.eglMakeCurrent(display, NULL, NULL, NULL);
    egl.eglDestroyContext(display, context);
    return false;
}

static bool open_gl(struct sharing *s)
{
    void *displays[EGL_DEVICES + 2];
    int count = load() ? list_displays(displays) : 0;
    for (int any = 0; any < 2; any++) {
        for (int i = 0; i < count; i++) {
            if (open_on(s, displays[i], any))
                return true;
        }
    }
    return false;
}

static bool create_textures(struct sharing *s, const unsigned char *texels)
{
    enum { TEXTURE_2D = 0x0DE1, RGBA8 = 0x8058, RGBA = 0x1908, BYTES = 0x1401, MIN_FILTER = 0x2801, NEAREST = 0x2600 };
    const from_texture_fn from = (from_texture_fn)find(s->bench, "clCreateFromGLTexture");
    egl.glGenTextures(2, s->names);
    for (int i = 0; i < 2 && from; i++) {
        egl.glBindTexture(TEXTURE_2D, s->names[i]);
        egl.glTexParameteri(TEXTURE_2D, MIN_FILTER, NEAREST);
        egl.glTexImage2D(TEXTURE_2D, 0, RGBA8, WIDTH, HEIGHT, 0, RGBA, BYTES, texels);
        s->images[i] = from(s->cl.context, i ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, TEXTURE_2D, 0, s->names[i], NULL);
    }
    return s->images[0] && s->images[1];
}

static bool prepare(struct sharing *s)
{
    struct bench shared = {.cl = s->cl};
    unsigned char *texels = malloc((size_t)WIDTH * HEIGHT * 4);
    double seconds;
    for (size_t i = 0; texels && i < (size_t)WIDTH * HEIGHT * 4; i++)
        texels[i] = (unsigned char)(i * 7 + i / WIDTH);
    s->cl.id = shared.cl.id = s->bench->cl.id;
    s->cl.queue = clCreateCommandQueue(s->cl.context, s->bench->cl.id, 0, NULL);
    s->program = bench_program(&shared, source, "", &seconds);
    s->kernel = s->program ? clCreateKernel(s->program, "turn", NULL) : NULL;
    s->acquire = (turn_fn)find(s->bench, "clEnqueueAcquireGLObjects");
    s->release = (turn_fn)find(s->bench, "clEnqueueReleaseGLObjects");
    bool good = texels && s->cl.queue && s->kernel && s->acquire && s->release && create_textures(s, texels) &&
                !clSetKernelArg(s->kernel, 0, sizeof(cl_mem), &s->images[0]) &&
                !clSetKernelArg(s->kernel, 1, sizeof(cl_mem), &s->images[1]);
    free(texels);
    return good;
}

static void finish(struct sharing *s)
{
    if (s->names[0])
        egl.glDeleteTextures(2, s->names);
    for (int i = 0; i < 2; i++) {
        if (s->images[i])
            clReleaseMemObject(s->images[i]);
    }
    if (s->kernel)
        clReleaseKernel(s->kernel);
    if (s->program)
        clReleaseProgram(s->program);
    if (s->cl.queue)
        clReleaseCommandQueue(s->cl.queue);
    if (s->cl.context)
        clReleaseContext(s->cl.context);
    if (s->gl) {
        egl.eglMakeCurrent(s->display, NULL, NULL, NULL);
        egl.eglDestroyContext(s->display, s->gl);
    }
}

/* ---- what is measured ---- */

static bool launch(const struct sharing *s)
{
    static const size_t global[2] = {WIDTH, HEIGHT};
    return !clEnqueueNDRangeKernel(s->cl.queue, s->kernel, 2, NULL, global, NULL, 0, NULL, NULL);
}

/* The first image is read, and the second is written. */
static bool turn(const struct sharing *s)
{
    return !s->acquire(s->cl.queue, 2, s->images, 0, NULL, NULL) && launch(s) &&
           !s->release(s->cl.queue, 2, s->images, 0, NULL, NULL);
}

static bool only_hands(const struct sharing *s)
{
    return !s->acquire(s->cl.queue, 2, s->images, 0, NULL, NULL) &&
           !s->release(s->cl.queue, 2, s->images, 0, NULL, NULL);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* The median of times until all is done that so many calls have enqueued; of fewer times where they are long. */
static void put(const struct sharing *s, const char *what, bool (*work)(const struct sharing *s), int in_a_row)
{
    double seconds[TIMES], first = bench_now();
    int count = 0;
    char row[80];
    snprintf(row, sizeof(row), "GL 4K RGBA8: %s, ms", what);
    if (!bench_wanted(row))
        return;
    bench_progress(s->bench, "sharing", what);
    for (int i = -2; i < TIMES && (count < LEAST || bench_now() - first < LONGEST_S); i++) {
        double start = bench_now();
        for (int k = 0; k < in_a_row; k++) {
            if (!work(s))
                return;
        }
        if (clFinish(s->cl.queue))
            return;
        if (i >= 0)
            seconds[count++] = (bench_now() - start) / in_a_row;
    }
    qsort(seconds, (size_t)count, sizeof(*seconds), compare);
    bench_record(s->bench, "sharing", row, 1e3 * seconds[count / 2]);
}

/* What OpenGL has in the second texture is what the kernel makes of the first. */
static bool is_right(const struct sharing *s)
{
    unsigned char *seen = malloc((size_t)WIDTH * HEIGHT * 4);
    size_t wrong = 0;
    if (!seen)
        return false;
    egl.glBindTexture(0x0DE1, s->names[1]);
    egl.glGetTexImage(0x0DE1, 0, 0x1908, 0x1401, seen);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 4; i++)
        wrong += seen[i] != (unsigned char)~(i * 7 + i / WIDTH);
    free(seen);
    if (wrong)
        fprintf(stderr, "pumice bench: %s: sharing: %zu bytes of OpenGL's texture are wrong\n", s->bench->name, wrong);
    return !wrong;
}

void bench_sharing(struct bench *bench)
{
    struct sharing s = {.bench = bench};
    if (!bench_has_extension(bench, "cl_khr_gl_sharing"))
        return;
    bool good = open_gl(&s) && prepare(&s);
    if (!good)
        fprintf(stderr, "pumice bench: %s: sharing: no OpenGL by EGL that shares textures\n", bench->name);
    if (good && turn(&s) && !clFinish(s.cl.queue) && is_right(&s)) {
        put(&s, "kernel alone", launch, 1);
        put(&s, "acquire and release", only_hands, 1);
        put(&s, "acquire, kernel, release", turn, 1);
        egl.eglMakeCurrent(s.display, NULL, NULL, NULL); /* nobody waits for OpenGL, nor for each release */
        put(&s, "the same, 8 in a row", turn, IN_A_ROW);
        egl.eglMakeCurrent(s.display, NULL, NULL, s.gl);
        is_right(&s);
    }
    finish(&s);
}
