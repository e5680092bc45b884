/* EGL and GLX: how the worker gets a context that shares its objects with the application's.
 *
 * The libraries are those that the process has already, and else the system's. Nothing is done to the application's
 * context. Of GLX the connection to the X server is the application's as well, because drivers share objects within one
 * alone; libX11 1.8 and later lets threads use it together, older ones need XInitThreads(). When the application closes
 * it, the worker gives its context back first (hooks). */
#include "src/gl/binding.h"

#include "src/gl/private.h"

#include "base/log.h"
#include "base/util.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries ---- */

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct gl_binding_functions egl, glx; /* guarded by loading until they are loaded */

static void *open_first(const char *const *names)
{
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (library)
            return library;
    }
    return NULL;
}

/* The process's own function comes first: it may have another EGL than the system's. */
static void *find_symbol(void *library, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol || !library ? symbol : dlsym(library, name);
}

#define LOAD(result, name, parameters)                                                                                 \
    *(void **)&functions->name = find_symbol(library, #name);                                                          \
    complete = complete && functions->name;

static bool load_egl(struct gl_binding_functions *functions)
{
    static const char *const names[] = {"libEGL.so.1", NULL};
    void *library = open_first(names);
    bool complete = true;
    EGL_FUNCTIONS(LOAD)
#define GET(result, name, parameters)                                                                                  \
    *(void **)&functions->name = complete ? functions->eglGetProcAddress(#name) : NULL;
    EGL_MORE_FUNCTIONS(GET)
    EGL_INTEROP_FUNCTIONS(GET)
#undef GET
    return complete;
}

static bool load_glx(struct gl_binding_functions *functions)
{
    static const char *const names[] = {"libGLX.so.0", "libGL.so.1", NULL}, *const x_names[] = {"libX11.so.6", NULL};
    void *library = open_first(names);
    bool complete = true;
    GLX_FUNCTIONS(LOAD)
#define GET(result, name, parameters)                                                                                  \
    *(void **)&functions->name = complete ? functions->glXGetProcAddressARB(#name) : NULL;
    GLX_INTEROP_FUNCTIONS(GET)
#undef GET
    library = open_first(x_names);
    X_FUNCTIONS(LOAD)
    return complete;
}

static const struct gl_binding_functions *load(enum ocl_gl_binding binding)
{
    struct gl_binding_functions *functions = binding == OCL_GL_EGL ? &egl : &glx;
    pthread_mutex_lock(&loading);
    if (!functions->loaded)
        functions->usable = binding == OCL_GL_EGL ? load_egl(functions) : load_glx(functions);
    functions->loaded = true;
    pthread_mutex_unlock(&loading);
    return functions->usable ? functions : NULL;
}

const struct gl_binding_functions *gl_egl(void)
{
    return load(OCL_GL_EGL);
}

void *gl_current(const struct ocl_gl *gl)
{
    return gl->source.binding == OCL_GL_EGL ? gl->binding->eglGetCurrentContext() : gl->binding->glXGetCurrentContext();
}

/* ---- EGL ---- */

enum {
    EGL_NONE = 0x3038,
    EGL_CONFIG_ID = 0x3028,
    EGL_SURFACE_TYPE = 0x3033,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_PBUFFER_BIT = 1,
    EGL_OPENGL_BIT = 8,
    EGL_VERSION = 0x3054,
    EGL_HEIGHT = 0x3056,
    EGL_WIDTH = 0x3057,
    EGL_OPENGL_API = 0x30A2,
    EGL_OPENGL_ES_API = 0x30A0,
    EGL_OPENGL_ES3_BIT = 0x40,
    EGL_CONTEXT_MAJOR_VERSION = 0x3098,
    EGL_CONTEXT_MINOR_VERSION = 0x30FB,
    EGL_CONTEXT_OPENGL_PROFILE_MASK = 0x30FD,
};

/* The newest context of the compatibility profile, which knows all formats; else one of the core profile. */
static void *create_egl_context(struct ocl_gl *gl, void *config, void *share)
{
    static const int32_t newest[] = {EGL_NONE}, core[] = {EGL_CONTEXT_MAJOR_VERSION,
                                                          3,
                                                          EGL_CONTEXT_MINOR_VERSION,
                                                          3,
                                                          EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                          1,
                                                          EGL_NONE};
    const struct gl_binding_functions *b = gl->binding;
    void *context = b->eglCreateContext(gl->source.display, config, share, newest);
    return context ? context : b->eglCreateContext(gl->source.display, config, share, core);
}

static void *create_es_context(struct ocl_gl *gl, void *config, void *share)
{
    static const int32_t three[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    return gl->binding->eglCreateContext(gl->source.display, config, share, three);
}

/* OpenGL, which reads all textures, or else OpenGL ES. */
static bool create_shared(struct ocl_gl *gl, void *config)
{
    const struct gl_binding_functions *b = gl->binding;
    if (b->eglBindAPI(EGL_OPENGL_API))
        gl->context = create_egl_context(gl, config, gl->source.context);
    gl->is_es = !gl->context;
    if (gl->is_es && b->eglBindAPI(EGL_OPENGL_ES_API))
        gl->context = create_es_context(gl, config, gl->source.context);
    return gl->context;
}

/* The configuration of the application's context, which may have none, or any where there is no such context. */
static bool choose_config(struct ocl_gl *gl, void **config)
{
    static const int32_t any[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE},
                         es[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display;
    int32_t id = 0, count = 0;
    if (!gl->source.context)
        return (b->eglChooseConfig(display, any, config, 1, &count) && count == 1) ||
               (b->eglChooseConfig(display, es, config, 1, &count) && count == 1);
    if (!b->eglQueryContext(display, gl->source.context, EGL_CONFIG_ID, &id))
        return false;
    const int32_t wanted[] = {EGL_CONFIG_ID, id, EGL_NONE};
    return !id || (b->eglChooseConfig(display, wanted, config, 1, &count) && count == 1);
}

static cl_int bind_egl(struct ocl_gl *gl, const char **why)
{
    static const int32_t one[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display, *config = NULL;
    *why = "no EGLContext of that EGLDisplay";
    if (!b->eglQueryString(display, EGL_VERSION) || !choose_config(gl, &config))
        return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    *why = "no context of OpenGL can share objects with it";
    if (!create_shared(gl, config))
        return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    if (b->eglMakeCurrent(display, NULL, NULL, gl->context))
        return CL_SUCCESS;
    gl->surface = b->eglCreatePbufferSurface(display, config, one);
    if (gl->surface && b->eglMakeCurrent(display, gl->surface, gl->surface, gl->context))
        return CL_SUCCESS;
    return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

/* Texels come packed, and with their signs. */
static void keep_texels(const struct gl_functions *f)
{
    f->PixelStorei(GL_PACK_ALIGNMENT, 1);
    f->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (f->ClampColor) {
        f->ClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
        f->ClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE); /* of the compatibility profile */
    }
}

void *gl_make_other(struct ocl_gl *gl)
{
    void *config = NULL, *other = NULL;
    if (gl->source.binding == OCL_GL_EGL && choose_config(gl, &config))
        other = gl->is_es ? create_es_context(gl, config, NULL) : create_egl_context(gl, config, NULL);
    if (other && gl_switch(gl, other)) {
        keep_texels(&gl->f);
        gl_switch(gl, NULL);
    }
    return other;
}

bool gl_switch(struct ocl_gl *gl, void *other)
{
    return gl->binding->eglMakeCurrent(gl->source.display, gl->surface, gl->surface, other ? other : gl->context);
}

void gl_destroy_other(struct ocl_gl *gl, void *other)
{
    gl->binding->eglDestroyContext(gl->source.display, other);
}

static void unbind_egl(struct ocl_gl *gl)
{
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display;
    b->eglMakeCurrent(display, NULL, NULL, NULL);
    if (gl->surface)
        b->eglDestroySurface(display, gl->surface);
    if (gl->context)
        b->eglDestroyContext(display, gl->context);
    b->eglReleaseThread();
}

/* ---- errors of X, which end the process by default ---- */

static _Thread_local bool catches;
static int (*_Atomic other_handler)(void *display, void *event);

static int handle_error(void *display, void *event)
{
    int (*other)(void *, void *) = atomic_load(&other_handler);
    return catches || !other ? 0 : other(display, event);
}

static void catch_errors(const struct gl_binding_functions *b)
{
    *(void **)&other_handler = b->XSetErrorHandler(handle_error);
    catches = true;
}

static void stop_catching(const struct gl_binding_functions *b, void *display)
{
    b->XSync(display, 0);
    b->XSetErrorHandler(atomic_load(&other_handler));
    catches = false;
}

/* ---- the end of a connection to the X server ---- */

/* One for each connection: Xlib has no way to take a hook back. */
struct gl_close_hook {
    void *display;
    uint32_t count;
    struct ocl_gl **users; /* not retained: each takes itself off */
    struct gl_close_hook *next;
};

static struct {
    pthread_mutex_t lock;
    struct gl_close_hook *first;
} hooks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool retain_living(struct ocl_gl *gl)
{
    unsigned refs = atomic_load(&gl->refs);
    while (refs && !atomic_compare_exchange_weak(&gl->refs, &refs, refs + 1))
        ;
    return refs;
}

static void give_back(void *data)
{
    struct ocl_gl *gl = data;
    gl_unbind(gl);
}

/* Takes one user that lives off the hook, with a reference. */
static struct ocl_gl *next_user(struct gl_close_hook *hook)
{
    struct ocl_gl *found = NULL;
    pthread_mutex_lock(&hooks.lock);
    while (hook->count && !found) {
        struct ocl_gl *gl = hook->users[--hook->count];
        gl->hook = NULL;
        found = retain_living(gl) ? gl : NULL;
    }
    pthread_mutex_unlock(&hooks.lock);
    return found;
}

static int display_closes(void *display, struct x_codes *codes)
{
    (void)codes;
    pthread_mutex_lock(&hooks.lock);
    struct gl_close_hook **at = &hooks.first, *hook;
    while (*at && (*at)->display != display)
        at = &(*at)->next;
    hook = *at;
    if (hook)
        *at = hook->next;
    pthread_mutex_unlock(&hooks.lock);
    struct ocl_gl *gl;
    while (hook && (gl = next_user(hook))) {
        gl_call(gl, give_back, gl);
        ocl_gl_release(gl);
    }
    if (hook)
        free(hook->users);
    free(hook);
    return 0;
}

/* With the lock held. */
static struct gl_close_hook *find_hook(const struct gl_binding_functions *b, void *display)
{
    struct gl_close_hook *hook = hooks.first;
    while (hook && hook->display != display)
        hook = hook->next;
    if (hook)
        return hook;
    hook = calloc(1, sizeof(*hook));
    struct x_codes *codes = hook ? b->XAddExtension(display) : NULL;
    if (!codes) {
        free(hook);
        return NULL;
    }
    b->XESetCloseDisplay(display, codes->extension, display_closes);
    hook->display = display;
    hook->next = hooks.first;
    hooks.first = hook;
    return hook;
}

static bool add_hook(struct ocl_gl *gl)
{
    pthread_mutex_lock(&hooks.lock);
    struct gl_close_hook *hook = find_hook(gl->binding, gl->source.display);
    struct ocl_gl **users = hook ? realloc(hook->users, (hook->count + 1) * sizeof(*users)) : NULL;
    if (users) {
        hook->users = users;
        users[hook->count++] = gl;
        gl->hook = hook;
    }
    pthread_mutex_unlock(&hooks.lock);
    return users;
}

static void remove_hook(struct ocl_gl *gl)
{
    pthread_mutex_lock(&hooks.lock);
    struct gl_close_hook *hook = gl->hook;
    for (uint32_t i = 0; hook && i < hook->count; i++) {
        if (hook->users[i] == gl)
            hook->users[i--] = hook->users[--hook->count];
    }
    gl->hook = NULL;
    pthread_mutex_unlock(&hooks.lock);
}

/* ---- GLX ---- */

enum {
    GLX_SCREEN = 0x800C,
    GLX_DRAWABLE_TYPE = 0x8010,
    GLX_RENDER_TYPE = 0x8011,
    GLX_FBCONFIG_ID = 0x8013,
    GLX_RGBA_TYPE = 0x8014,
    GLX_PBUFFER_BIT = 4,
    GLX_RGBA_BIT = 1,
    GLX_PBUFFER_HEIGHT = 0x8040,
    GLX_PBUFFER_WIDTH = 0x8041,
    GLX_EXTENSIONS = 3,
};

static int config_attribute(struct ocl_gl *gl, void *config, int name)
{
    int value = 0;
    return gl->binding->glXGetFBConfigAttrib(gl->source.display, config, name, &value) ? 0 : value;
}

/* The context's own. One that was made from a visual has none: then any of the screen whose colours are RGBA. */
static void *find_fbconfig(struct ocl_gl *gl)
{
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display, *own = NULL, *other = NULL;
    int id, screen, count = 0;
    if (b->glXQueryContext(display, gl->source.context, GLX_FBCONFIG_ID, &id) ||
        b->glXQueryContext(display, gl->source.context, GLX_SCREEN, &screen))
        return NULL;
    void **all = b->glXGetFBConfigs(display, screen, &count);
    for (int i = 0; all && i < count; i++) {
        if (config_attribute(gl, all[i], GLX_FBCONFIG_ID) == id)
            own = all[i];
        if (!other && config_attribute(gl, all[i], GLX_RENDER_TYPE) & GLX_RGBA_BIT &&
            config_attribute(gl, all[i], GLX_DRAWABLE_TYPE) & GLX_PBUFFER_BIT)
            other = all[i];
    }
    if (all)
        b->XFree(all);
    return own ? own : other;
}

static void *create_glx_context(struct ocl_gl *gl, void *config)
{
    enum { MAJOR = 0x2091, MINOR = 0x2092, PROFILE = 0x9126 };
    static const int newest[] = {0}, core[] = {MAJOR, 3, MINOR, 3, PROFILE, 1, 0};
    const struct gl_binding_functions *b = gl->binding;
    void *(*create)(void *display, void *config, void *share, int direct, const int *attributes);
    *(void **)&create = b->glXGetProcAddressARB("glXCreateContextAttribsARB");
    void *context = NULL, *display = gl->source.display;
    if (create)
        context = create(display, config, gl->source.context, 1, newest);
    if (create && !context)
        context = create(display, config, gl->source.context, 1, core);
    return context ? context : b->glXCreateNewContext(display, config, GLX_RGBA_TYPE, gl->source.context, 1);
}

static cl_int make_glx(struct ocl_gl *gl, const char **why)
{
    static const int one[] = {GLX_PBUFFER_WIDTH, 1, GLX_PBUFFER_HEIGHT, 1, 0};
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display, *config = find_fbconfig(gl);
    *why = "no GLXContext of that Display";
    if (!config)
        return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    *why = "the X server draws for that GLXContext";
    if (!b->glXIsDirect(display, gl->source.context))
        return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    *why = "no context of OpenGL can share objects with it";
    if (!(gl->context = create_glx_context(gl, config)))
        return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    if (b->glXMakeContextCurrent(display, 0, 0, gl->context))
        return CL_SUCCESS;
    gl->drawable = b->glXCreatePbuffer(display, config, one);
    if (gl->drawable && b->glXMakeContextCurrent(display, gl->drawable, gl->drawable, gl->context))
        return CL_SUCCESS;
    return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

static cl_int bind_glx(struct ocl_gl *gl, const char **why)
{
    catch_errors(gl->binding);
    cl_int error = make_glx(gl, why);
    stop_catching(gl->binding, gl->source.display);
    *why = error == CL_SUCCESS ? "no memory for a context" : *why;
    return error == CL_SUCCESS && !add_hook(gl) ? CL_OUT_OF_HOST_MEMORY : error;
}

static void unbind_glx(struct ocl_gl *gl)
{
    const struct gl_binding_functions *b = gl->binding;
    void *display = gl->source.display;
    remove_hook(gl);
    catch_errors(b);
    b->glXMakeContextCurrent(display, 0, 0, NULL);
    if (gl->drawable)
        b->glXDestroyPbuffer(display, gl->drawable);
    if (gl->context)
        b->glXDestroyContext(display, gl->context);
    stop_catching(b, display);
}

/* ---- both ---- */

static const char *load_functions(struct ocl_gl *gl)
{
    const struct gl_binding_functions *b = gl->binding;
    void *(*get)(const char *name) = gl->source.binding == OCL_GL_EGL ? b->eglGetProcAddress : b->glXGetProcAddressARB;
    const char *missing = NULL;
#define FUNCTION(result, name, parameters)                                                                             \
    *(void **)&gl->f.name = get("gl" #name);                                                                           \
    missing = gl->f.name || missing ? missing : "gl" #name " is missing";
#undef OPTIONAL /* a macro of Windows' header */
#define OPTIONAL(result, name, parameters) *(void **)&gl->f.name = get("gl" #name);
#define DESKTOP(result, name, parameters)                                                                              \
    *(void **)&gl->f.name = get("gl" #name);                                                                           \
    missing = gl->f.name || missing || gl->is_es ? missing : "gl" #name " is missing";
#include "src/gl/functions.def"
#undef FUNCTION
#undef OPTIONAL
#undef DESKTOP
    return missing;
}

static bool has_extension(const struct gl_functions *f, const char *name)
{
    int32_t count = 0;
    f->GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (int32_t i = 0; i < count; i++) {
        const char *found = f->GetStringi(GL_EXTENSIONS, (uint32_t)i);
        if (found && !strcmp(found, name))
            return true;
    }
    return false;
}

static void look_at_memory(struct ocl_gl *gl)
{
    const struct gl_functions *f = &gl->f;
    if (!has_extension(f, "GL_EXT_memory_object") || !f->GetUnsignedBytei_vEXT || !f->GetUnsignedBytevEXT)
        return;
    f->GetUnsignedBytei_vEXT(GL_DEVICE_UUID, 0, gl->uuid);
    f->GetUnsignedBytevEXT(GL_DRIVER_UUID, gl->driver_uuid);
    gl->has_uuid = true;
    gl->has_memory = gl->has_sync && has_extension(f, "GL_EXT_memory_object_fd") && f->CopyBufferSubData &&
                     f->CreateMemoryObjectsEXT && f->DeleteMemoryObjectsEXT && f->MemoryObjectParameterivEXT &&
                     f->ImportMemoryFdEXT && f->BufferStorageMemEXT;
}

static bool has_display_extension(const struct ocl_gl *gl, const char *name)
{
    enum { EGL_EXTENSIONS = 0x3055 };
    const char *list = gl->source.binding == OCL_GL_EGL
                           ? gl->binding->eglQueryString(gl->source.display, EGL_EXTENSIONS)
                           : gl->binding->glXGetClientString(gl->source.display, GLX_EXTENSIONS);
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

static void look_at_exports(struct ocl_gl *gl)
{
    const struct gl_binding_functions *b = gl->binding;
    bool is_egl = gl->source.binding == OCL_GL_EGL;
    if (is_egl && b->eglCreateImageKHR && b->eglDestroyImageKHR && b->eglExportDMABUFImageQueryMESA &&
        b->eglExportDMABUFImageMESA && has_display_extension(gl, "EGL_MESA_image_dma_buf_export"))
        gl->exports |= GL_EXPORTS_BY_EGL;
    if ((is_egl ? b->MesaGLInteropEGLExportObject : b->MesaGLInteropGLXExportObject) &&
        has_display_extension(gl, is_egl ? "EGL_MESA_gl_interop" : "GLX_MESA_gl_interop"))
        gl->exports |= GL_EXPORTS_BY_MESA;
}

static void look_at_timer(struct ocl_gl *gl, int version)
{
    enum { HAS_TIMER = 33 };
    const struct gl_functions *f = &gl->f;
    int32_t bits = 0;
    if (!gl->is_es && version >= HAS_TIMER && f->GetQueryiv && f->GenQueries && f->DeleteQueries && f->BeginQuery &&
        f->EndQuery && f->GetQueryObjectui64v)
        f->GetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &bits);
    gl->has_timer = bits > 0;
}

/* A function's address says nothing of whether the context has it: libraries give addresses for every name. */
static const char *look_at_context(struct ocl_gl *gl)
{
    static const char es[] = "OpenGL ES ";
    enum { OLDEST = 30, OLDEST_ES = 31, HAS_SYNC = 32 };
    const char *text = gl->f.GetString(GL_VERSION);
    const char *digits = text && !strncmp(text, es, sizeof(es) - 1) ? text + sizeof(es) - 1 : text;
    int version =
        text && digits[0] >= '1' && digits[0] <= '9' && digits[1] == '.' ? 10 * (digits[0] - '0') + digits[2] - '0' : 0;
    if (version < (gl->is_es ? OLDEST_ES : OLDEST))
        return gl->is_es ? "it has not OpenGL ES 3.1, which tells what textures are" : "it has not OpenGL 3.0";
    gl->has_sync = version >= (gl->is_es ? OLDEST_ES : HAS_SYNC) && gl->f.FenceSync && gl->f.IsSync &&
                   gl->f.DeleteSync && gl->f.ClientWaitSync;
    int32_t units = 0;
    gl->f.GetIntegerv(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, &units);
    gl->num_units = units > GL_HELD_UNITS ? GL_HELD_UNITS : units > 0 ? (uint32_t)units : 0;
    enum { HAS_COMPUTE = 43, MOST_IMAGE_UNITS = 32 };
    if (!gl->is_es && version >= HAS_COMPUTE && gl->f.BindImageTexture && gl->f.DispatchCompute && gl->f.MemoryBarrier)
        gl->f.GetIntegerv(GL_MAX_IMAGE_UNITS, &units);
    else
        units = 0;
    look_at_timer(gl, version);
    gl->num_image_units = units > MOST_IMAGE_UNITS ? MOST_IMAGE_UNITS : units > 0 ? (uint32_t)units : 0;
    look_at_memory(gl);
    look_at_exports(gl);
    keep_texels(&gl->f);
    gl->has_images = gl->f.EGLImageTargetTexture2DOES && has_extension(&gl->f, "GL_OES_EGL_image");
    gl_drop_errors(gl);
    log_info("OpenGL %s by %s", text, gl->source.binding == OCL_GL_EGL ? "EGL" : "GLX");
    return NULL;
}

cl_int gl_bind(struct ocl_gl *gl, const char **why)
{
    bool is_egl = gl->source.binding == OCL_GL_EGL;
    *why = is_egl ? "there is no EGL" : "there is no GLX";
    gl->binding = load(gl->source.binding);
    if (!gl->binding)
        return CL_INVALID_OPERATION;
    cl_int error = is_egl ? bind_egl(gl, why) : bind_glx(gl, why);
    if (error == CL_SUCCESS) {
        *why = load_functions(gl);
        if (!*why)
            *why = look_at_context(gl);
        error = *why ? CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR : CL_SUCCESS;
    }
    if (error != CL_SUCCESS)
        gl_unbind(gl);
    return error;
}

/* What is shared would live on with the application's context. */
static void delete_shared(struct ocl_gl *gl)
{
    const struct gl_functions *f = &gl->f;
    if (gl->staging)
        f->DeleteBuffers(1, &gl->staging);
    for (size_t i = 0; i < ARRAY_LENGTH(gl->sample_programs); i++) {
        if (gl->sample_programs[i])
            f->DeleteProgram(gl->sample_programs[i]);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(gl->plane_programs); i++) {
        if (gl->plane_programs[i])
            f->DeleteProgram(gl->plane_programs[i]);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(gl->copy_programs); i++) {
        if (gl->copy_programs[i])
            f->DeleteProgram(gl->copy_programs[i]);
    }
}

void gl_unbind(struct ocl_gl *gl)
{
    if (!gl->binding || gl->gone)
        return;
    delete_shared(gl);
    if (gl->source.binding == OCL_GL_EGL)
        unbind_egl(gl);
    else
        unbind_glx(gl);
    pthread_mutex_lock(&gl->lock);
    gl->gone = true;
    pthread_mutex_unlock(&gl->lock);
}
