/* An OpenGL that exports the memory of 2D textures as dma_bufs, as drivers of GPUs do and those on the host do not, in
 * front of the process's own. It is linked before gl.c, and the library finds its functions of EGL first.
 *
 * A texture that is to be exported moves into a memfd, which Mesa's drivers on the host take for a dma_buf in rows. Those
 * that do not export nothing here, either. TEST_GL_EXPORTS: "egl" has EGL_MESA_image_dma_buf_export, "mesa" Mesa's
 * interface for OpenCL drivers alone, and "lies" exports memory that is not the texture's. What was exported is looked at
 * when the process ends: a kind of textures whose trial went well is exported for each texture, else for the trial
 * alone. */
#include "gl_fake.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IMAGES = 64, KINDS = 64 };

static const struct row {
    GLenum internal, format, type;
    int fourcc, size;
} rows[] = {
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 0x20203852, 1},     {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 0x38385247, 2},
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 0x34324241, 4}, {GL_R16, GL_RED, GL_UNSIGNED_SHORT, 0x20363152, 2},
    {GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 0x32335247, 4},   {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 0x38344241, 8},
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 0x48344241, 8},
};

static struct exported {
    EGLImageKHR image; /* EGL_NO_IMAGE_KHR: free */
    const struct row *row;
    int fd, pitch;
    bool large;
} images[IMAGES];

static bool seen[KINDS];
static unsigned exports, kinds;
static const char *refused; /* why nothing can be exported, or NULL */

static __eglMustCastToProperFunctionPointerType get(const char *name)
{
    static __eglMustCastToProperFunctionPointerType (*real)(const char *name);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "eglGetProcAddress");
    return real(name);
}

#define REAL(type, name) ((type)get(name))

static bool is_mode(const char *mode)
{
    return !strcmp(getenv("TEST_GL_EXPORTS"), mode);
}

/* Before main(): the test's own OpenCL is to be its first. */
__attribute__((constructor)) static void ask_device(void)
{
    static char extensions[16384];
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions) - 1, extensions, NULL) ||
        !strstr(extensions, "cl_arm_import_memory_dma_buf"))
        refused = "the device takes no dma_bufs";
}

int test_gl_verdict(int result)
{
    enum { SKIPPED = 77 };
    if (refused && !exports) {
        printf("%s\n", refused);
        return result ? result : SKIPPED;
    }
    if (kinds && (is_mode("lies") ? exports == kinds : exports >= 2 * kinds))
        return result;
    fprintf(stderr, "%u exports of %u kinds of textures\n", exports, kinds);
    return 1;
}

/* ---- textures that move into a memfd ---- */

static int new_memfd(size_t size)
{
    int fd = memfd_create("texture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)((size + 65535) & ~(size_t)65535)) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        abort();
    return fd;
}

static EGLImageKHR image_of_memfd(EGLDisplay display, const struct exported *exported, GLint width, GLint height)
{
    const EGLint attributes[] = {EGL_WIDTH,
                                 width,
                                 EGL_HEIGHT,
                                 height,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 exported->row->fourcc,
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 exported->fd,
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 0,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 exported->pitch,
                                 EGL_NONE};
    return REAL(PFNEGLCREATEIMAGEKHRPROC, "eglCreateImageKHR")(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL,
                                                               attributes);
}

/* The texture is bound. */
static bool move(EGLDisplay display, struct exported *exported)
{
    typedef void (*target_fn)(GLenum target, void *image);
    GLint width = 0, height = 0, internal = 0;
    REAL(PFNGLGETTEXLEVELPARAMETERIVPROC, "glGetTexLevelParameteriv")(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    REAL(PFNGLGETTEXLEVELPARAMETERIVPROC, "glGetTexLevelParameteriv")(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
    REAL(PFNGLGETTEXLEVELPARAMETERIVPROC, "glGetTexLevelParameteriv")
    (GL_TEXTURE_2D, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((GLint)rows[i].internal == internal)
            exported->row = &rows[i];
    }
    if (!exported->row)
        return false;
    exported->large = width > 64 || height > 64;
    exported->pitch = (((width + 3) & ~3) * exported->row->size + 63) & ~63;
    exported->fd = new_memfd((size_t)exported->pitch * (size_t)height + 4096);
    exported->image = image_of_memfd(display, exported, width, height);
    if (exported->image == EGL_NO_IMAGE_KHR) {
        refused = "OpenGL's driver does not take a memfd for a dma_buf";
        close(exported->fd);
        return false;
    }
    void *texels = malloc((size_t)width * (size_t)height * (size_t)exported->row->size);
    REAL(PFNGLGETTEXIMAGEPROC, "glGetTexImage")(GL_TEXTURE_2D, 0, exported->row->format, exported->row->type, texels);
    REAL(target_fn, "glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, exported->image);
    REAL(PFNGLTEXSUBIMAGE2DPROC, "glTexSubImage2D")
    (GL_TEXTURE_2D, 0, 0, 0, width, height, exported->row->format, exported->row->type, texels);
    free(texels);
    return true;
}

static bool export_texture(EGLDisplay display, GLuint name, struct exported *exported)
{
    GLint before = 0;
    *exported = (struct exported){.image = EGL_NO_IMAGE_KHR};
    REAL(PFNGLACTIVETEXTUREPROC, "glActiveTexture")(GL_TEXTURE0);
    REAL(PFNGLGETINTEGERVPROC, "glGetIntegerv")(GL_TEXTURE_BINDING_2D, &before);
    REAL(PFNGLBINDTEXTUREPROC, "glBindTexture")(GL_TEXTURE_2D, name);
    bool done = move(display, exported);
    REAL(PFNGLBINDTEXTUREPROC, "glBindTexture")(GL_TEXTURE_2D, (GLuint)before);
    return done;
}

/* What others get. */
static int hand_out(const struct exported *exported)
{
    size_t kind = (size_t)(exported->row - rows) * 2 + exported->large;
    kinds += !seen[kind];
    seen[kind] = true;
    exports++;
    return is_mode("lies") ? new_memfd((size_t)lseek(exported->fd, 0, SEEK_END))
                           : fcntl(exported->fd, F_DUPFD_CLOEXEC, 3);
}

static void forget(EGLDisplay display, struct exported *exported)
{
    REAL(PFNEGLDESTROYIMAGEKHRPROC, "eglDestroyImageKHR")(display, exported->image);
    close(exported->fd);
    exported->image = EGL_NO_IMAGE_KHR;
}

/* ---- EGL_MESA_image_dma_buf_export ---- */

static struct exported *find(EGLImageKHR image)
{
    size_t i = 0;
    while (i < IMAGES && images[i].image != image)
        i++;
    return i < IMAGES ? &images[i] : NULL;
}

static EGLImageKHR create_image(EGLDisplay display, EGLContext context, EGLenum target, EGLClientBuffer buffer,
                                const EGLint *attributes)
{
    struct exported *free_one = find(EGL_NO_IMAGE_KHR);
    if (target != EGL_GL_TEXTURE_2D_KHR)
        return REAL(PFNEGLCREATEIMAGEKHRPROC, "eglCreateImageKHR")(display, context, target, buffer, attributes);
    bool done = free_one && export_texture(display, (GLuint)(uintptr_t)buffer, free_one);
    return done ? free_one->image : EGL_NO_IMAGE_KHR;
}

static EGLBoolean destroy_image(EGLDisplay display, EGLImageKHR image)
{
    struct exported *exported = find(image);
    if (!exported)
        return REAL(PFNEGLDESTROYIMAGEKHRPROC, "eglDestroyImageKHR")(display, image);
    forget(display, exported);
    return EGL_TRUE;
}

static EGLBoolean query(EGLDisplay display, EGLImageKHR image, int *fourcc, int *planes, EGLuint64KHR *modifiers)
{
    const struct exported *exported = find(image);
    (void)display;
    if (!exported)
        return EGL_FALSE;
    *fourcc = exported->row->fourcc;
    *planes = 1;
    if (modifiers)
        modifiers[0] = 0;
    return EGL_TRUE;
}

static EGLBoolean export(EGLDisplay display, EGLImageKHR image, int *fds, EGLint *strides, EGLint *offsets)
{
    const struct exported *exported = find(image);
    (void)display;
    if (!exported)
        return EGL_FALSE;
    fds[0] = hand_out(exported);
    strides[0] = exported->pitch;
    offsets[0] = 0;
    return EGL_TRUE;
}

/* ---- Mesa's interface ---- */

struct interop_in {
    uint32_t version, target, object, level, access, data_size;
    void *data;
};

struct interop_out {
    uint32_t version;
    int fd;
    uint32_t internal;
    intptr_t offset, size;
    uint32_t view_level, view_levels, view_layer, view_layers, data_written, width, height, depth, stride;
    uint64_t modifier;
};

static int export_object(EGLDisplay display, EGLContext context, const struct interop_in *in, struct interop_out *out)
{
    enum { UNSUPPORTED = 10 };
    struct exported exported;
    (void)context;
    if (in->version < 2 || out->version < 2 || in->target != GL_TEXTURE_2D || in->level ||
        !export_texture(display, in->object, &exported))
        return UNSUPPORTED;
    *out = (struct interop_out){.version = 2,
                                .fd = hand_out(&exported),
                                .internal = exported.row->internal,
                                .view_levels = 1,
                                .view_layers = 1,
                                .stride = (uint32_t)exported.pitch};
    forget(display, &exported);
    return 0;
}

/* ---- what the library finds ---- */

__attribute__((visibility("default"))) const char *eglQueryString(EGLDisplay display, EGLint name)
{
    static char list[8192];
    static const char *(*real)(EGLDisplay display, EGLint name);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "eglQueryString");
    const char *text = real(display, name);
    if (name != EGL_EXTENSIONS || !text || display == EGL_NO_DISPLAY)
        return text;
    snprintf(list, sizeof(list), "%s %s", text,
             is_mode("mesa") ? "EGL_MESA_gl_interop" : "EGL_MESA_image_dma_buf_export");
    return list;
}

__attribute__((visibility("default"))) __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    static const struct {
        const char *name;
        __eglMustCastToProperFunctionPointerType instead;
    } own[] = {
        {"eglCreateImageKHR", (__eglMustCastToProperFunctionPointerType)create_image},
        {"eglDestroyImageKHR", (__eglMustCastToProperFunctionPointerType)destroy_image},
        {"eglExportDMABUFImageQueryMESA", (__eglMustCastToProperFunctionPointerType)query},
        {"eglExportDMABUFImageMESA", (__eglMustCastToProperFunctionPointerType) export},
        {"MesaGLInteropEGLExportObject", (__eglMustCastToProperFunctionPointerType)export_object},
    };
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (!strcmp(name, own[i].name))
            return own[i].instead;
    }
    return get(name);
}
