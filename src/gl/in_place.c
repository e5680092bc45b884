/* Images that lie in memory of OpenGL's, or the other way round, so that no bytes are packed and unpacked between them.
 *
 * The driver may export the memory of a texture as a dma_buf, with the modifier that says how texels lie in it: by EGL
 * (EGL_MESA_image_dma_buf_export), or by Mesa's interface for OpenCL drivers, which GLX has, too. The image in OpenCL is
 * over that memory then, and nothing is copied.
 *
 * Where it exports none, the image's memory can be that of a texture of ours (GL_EXT_memory_object_fd): its twin. OpenGL
 * copies texels between the two textures by one blit, or a shader (copy_shader.c), and the device need not copy them
 * again. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/log.h"
#include "base/platform.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what may be such an image ---- */

/* Formats with the names that Linux's drm_fourcc.h has for the same bytes. */
#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
static const struct {
    uint32_t internal, fourcc;
} fourccs[] = {
    {0x8229, FOURCC('R', '8', ' ', ' ')}, {0x822B, FOURCC('G', 'R', '8', '8')}, {0x8058, FOURCC('A', 'B', '2', '4')},
    {0x8C43, FOURCC('A', 'B', '2', '4')}, {0x822A, FOURCC('R', '1', '6', ' ')}, {0x822C, FOURCC('G', 'R', '3', '2')},
    {0x805B, FOURCC('A', 'B', '4', '8')}, {0x881A, FOURCC('A', 'B', '4', 'H')},
};

static uint32_t fourcc_of(const struct gl_format *format)
{
    for (size_t i = 0; i < ARRAY_LENGTH(fourccs); i++) {
        if (fourccs[i].internal == format->internal)
            return fourccs[i].fourcc;
    }
    return 0;
}

static bool is_plane(const struct ocl_gl_object *object)
{
    const struct ocl_gl_shape *shape = &object->shape;
    return shape->image_type == CL_MEM_OBJECT_IMAGE2D && shape->levels == 1 && !shape->samples &&
           !gl_format_is_depth(object->format) && !object->is_view;
}

/* What a trial can time (trial.c). */
static bool is_large(const struct ocl_gl_object *object)
{
    return object->shape.width > OCL_GL_SMALL_SIDE || object->shape.height > OCL_GL_SMALL_SIDE;
}

bool ocl_gl_object_fits(const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    const struct ocl_gl *gl = object->gl;
    enum gl_image_way image = object->image_way;
    bool blits = !object->shape.of_egl || image == GL_IMAGE_BLITTED || image == GL_IMAGE_RENDERBUFFER;
    bool texture = object->binding == GL_TEXTURE_2D && !object->shape.of_egl;
    switch (way) {
    case OCL_GL_EXPORTED:
        return texture && is_plane(object) && fourcc_of(object->format) && gl->exports;
    case OCL_GL_SHADED: /* of sRGB shaders see no numbers */
        return is_plane(object) && blits && is_large(object) && gl->num_image_units &&
               object->format->order != CL_sRGBA &&
               (object->binding == GL_TEXTURE_2D || object->binding == GL_TEXTURE_CUBE_MAP) && gl->has_memory &&
               gl->f.TexStorageMem2DEXT;
    case OCL_GL_TWIN:
        return is_plane(object) && blits && gl->has_memory && gl->f.TexStorageMem2DEXT;
    case OCL_GL_DIRECT:
    case OCL_GL_STAGED: /* views that framebuffers do not show are right by the host's memory alone */
        return gl->has_memory && (!object->is_view || object->planes);
    default:
        return true;
    }
}

/* ---- exported textures ---- */

struct exporting {
    struct ocl_gl_object *object;
    struct ocl_gl_texture_memory *memory;
    bool done;
};

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || fds[k] == fds[i];
        if (fds[i] >= 0 && !again)
            close(fds[i]);
    }
}

/* The first descriptor stands for all planes where others are copies of it, or are not told. */
static bool take_planes(struct ocl_gl_texture_memory *memory, int *fds, const int32_t *strides, const int32_t *offsets)
{
    bool whole = fds[0] >= 0;
    for (uint32_t i = 0; i < memory->num_planes; i++) {
        whole = whole && (fds[i] < 0 || fds[i] == fds[0] || platform_handle_is_same(fds[i], fds[0])) &&
                strides[i] >= 0 && offsets[i] >= 0;
        memory->pitch[i] = whole ? (uint32_t)strides[i] : 0;
        memory->offset[i] = whole ? (uint32_t)offsets[i] : 0;
    }
    memory->fd = fds[0];
    if (whole)
        fds[0] = -1;
    return whole;
}

enum { EGL_GL_TEXTURE_2D = 0x30B1, EGL_GL_TEXTURE_LEVEL = 0x30BC, EGL_IMAGE_PRESERVED = 0x30D2, EGL_END = 0x3038 };

static bool export_image(const struct exporting *exporting, void *image)
{
    const struct gl_binding_functions *egl = exporting->object->gl->binding;
    void *display = exporting->object->gl->source.display;
    struct ocl_gl_texture_memory *memory = exporting->memory;
    int fourcc = 0, planes = 0, fds[OCL_GL_PLANES] = {-1, -1, -1, -1};
    int32_t strides[OCL_GL_PLANES] = {0}, offsets[OCL_GL_PLANES] = {0};
    if (!egl->eglExportDMABUFImageQueryMESA(display, image, &fourcc, &planes, NULL) ||
        (uint32_t)fourcc != fourcc_of(exporting->object->format) || planes < 1 || planes > OCL_GL_PLANES ||
        !egl->eglExportDMABUFImageQueryMESA(display, image, &fourcc, &planes, memory->modifiers) ||
        !egl->eglExportDMABUFImageMESA(display, image, fds, strides, offsets))
        return false;
    memory->num_planes = (uint32_t)planes;
    bool whole = take_planes(memory, fds, strides, offsets);
    close_all(fds, planes);
    return whole;
}

static bool export_by_egl(const struct exporting *exporting)
{
    struct ocl_gl *gl = exporting->object->gl;
    const struct gl_binding_functions *egl = gl->binding;
    const int32_t attributes[] = {EGL_GL_TEXTURE_LEVEL, exporting->object->base_level, EGL_IMAGE_PRESERVED, 1, EGL_END};
    void *display = gl->source.display;
    void *image = egl->eglCreateImageKHR(display, gl->context, EGL_GL_TEXTURE_2D,
                                         (void *)(uintptr_t)exporting->object->shape.name, attributes);
    bool done = image && export_image(exporting, image);
    if (image)
        egl->eglDestroyImageKHR(display, image);
    return done;
}

/* Mesa's mesa_glinterop.h, second version: the first says neither pitch nor modifier. */
static bool export_by_mesa(const struct exporting *exporting)
{
    enum { VERSION = 2 };
    const struct ocl_gl_object *object = exporting->object;
    struct ocl_gl *gl = object->gl;
    struct gl_interop_in in = {.version = VERSION,
                               .target = object->shape.target,
                               .object = object->shape.name,
                               .level = (uint32_t)object->base_level};
    struct gl_interop_out out = {.version = VERSION, .fd = -1};
    int (*export)(void *, void *, struct gl_interop_in *, struct gl_interop_out *) =
        gl->source.binding == OCL_GL_EGL ? gl->binding->MesaGLInteropEGLExportObject
                                         : gl->binding->MesaGLInteropGLXExportObject;
    if (!export || export(gl->source.display, gl->context, &in, &out) != 0 || out.fd < 0)
        return false;
    bool told = out.version >= VERSION && out.offset >= 0 && out.internal == object->format->internal && out.stride &&
                !out.view_level && !out.view_layer;
    if (!told) {
        close(out.fd);
        return false;
    }
    *exporting->memory = (struct ocl_gl_texture_memory){.fd = out.fd,
                                                        .num_planes = 1,
                                                        .modifiers = {out.modifier},
                                                        .offset = {(uint64_t)out.offset},
                                                        .pitch = {out.stride}};
    return true;
}

/* Memory of several levels is laid out in ways that trials, whose textures have one, say nothing of. */
static bool is_only_level(struct ocl_gl_object *object)
{
    int32_t size[3];
    gl_select_texture(object);
    return !object->base_level && !gl_level_size(object, 1, size);
}

static void export_texture(void *data)
{
    struct exporting *exporting = data;
    struct ocl_gl *gl = exporting->object->gl;
    gl_drop_errors(gl);
    if (!is_only_level(exporting->object))
        return;
    exporting->done = (gl->exports & GL_EXPORTS_BY_EGL && export_by_egl(exporting)) ||
                      (gl->exports & GL_EXPORTS_BY_MESA && export_by_mesa(exporting));
    gl->f.Finish(); /* what the driver did to be able to */
    gl_drop_errors(gl);
    if (!exporting->done)
        log_info("OpenGL: the driver does not export the memory of a texture of format 0x%x, whatever it lists",
                 exporting->object->format->internal);
}

bool ocl_gl_object_export(struct ocl_gl_object *object, struct ocl_gl_texture_memory *memory)
{
    struct exporting exporting = {.object = object, .memory = memory};
    *memory = (struct ocl_gl_texture_memory){.fd = -1};
    return gl_call(object->gl, export_texture, &exporting) && exporting.done;
}

void ocl_gl_object_set_exported(struct ocl_gl_object *object)
{
    object->way = OCL_GL_EXPORTED;
}

/* ---- twins ---- */

struct twinning {
    struct ocl_gl_object *object;
    const struct ocl_gl_memory *memory;
    enum ocl_gl_way way;
    bool taken, done;
};

/* Both hold what they show, whatever becomes of names. A renderbuffer has one already. */
static bool make_framebuffers(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    bool complete = true;
    f->GenFramebuffers(1, &object->twin_view);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->twin_view);
    f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, object->twin, 0);
    complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (!object->framebuffer) {
        f->GenFramebuffers(1, &object->view);
        f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->view);
        f->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, object->shape.target, object->shape.name,
                                object->base_level);
        complete = complete && f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return complete;
}

static void attach_twin(void *data)
{
    struct twinning *twinning = data;
    struct ocl_gl_object *object = twinning->object;
    const struct gl_functions *f = &object->gl->f;
    gl_drop_errors(object->gl);
    object->memory = gl_import_memory(object->gl, twinning->memory);
    twinning->taken = object->memory;
    if (!twinning->taken)
        return;
    f->GenTextures(1, &object->twin);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, object->twin);
    f->TexStorageMem2DEXT(GL_TEXTURE_2D, 1, object->format->internal, (int32_t)object->shape.width,
                          (int32_t)object->shape.height, object->memory, 0);
    gl_set_nearest(f, GL_TEXTURE_2D);
    f->BindTexture(GL_TEXTURE_2D, 0);
    bool complete = f->GetError() == GL_NO_ERROR;
    complete = complete && make_framebuffers(object) && (twinning->way != OCL_GL_SHADED || gl_hold_image(object));
    twinning->done = complete && f->GetError() == GL_NO_ERROR;
    object->way = twinning->way;
    if (!twinning->done)
        gl_detach(object);
}

bool ocl_gl_object_attach_twin(struct ocl_gl_object *object, const struct ocl_gl_memory *memory, enum ocl_gl_way way)
{
    struct twinning twinning = {.object = object, .memory = memory, .way = way};
    bool called = gl_call(object->gl, attach_twin, &twinning);
    if (!called || !twinning.taken)
        close(memory->fd);
    return called && twinning.done;
}

/* ---- changes of hands ---- */

/* Framebuffers and shaders show levels from the texture's first to its last, which the application may set at any time:
 * beyond these Mesa (25.0) blits zeros. */
static bool is_shown(const struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    int32_t base = 0, most = object->base_level;
    if (object->framebuffer || object->binding == GL_TEXTURE_RECTANGLE)
        return true;
    f->GetTexParameteriv(object->binding, GL_TEXTURE_BASE_LEVEL, &base);
    f->GetTexParameteriv(object->binding, GL_TEXTURE_MAX_LEVEL, &most);
    return object->base_level >= base && object->base_level <= most;
}

static void read_by_host(struct ocl_gl_object *object, bool from_twin, void *data)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t format = object->format->transfer, type = object->format->transfer_type;
    if (from_twin) {
        f->ActiveTexture(GL_TEXTURE0);
        f->BindTexture(GL_TEXTURE_2D, object->twin);
        f->GetTexImage(GL_TEXTURE_2D, 0, format, type, data);
    } else {
        gl_select_texture(object);
        f->GetTexImage(object->shape.target, object->base_level, format, type, data);
    }
}

static void write_by_host(struct ocl_gl_object *object, bool to_twin, const void *data)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t format = object->format->transfer, type = object->format->transfer_type;
    int32_t width = (int32_t)object->shape.width, height = (int32_t)object->shape.height;
    if (to_twin) {
        f->ActiveTexture(GL_TEXTURE0);
        f->BindTexture(GL_TEXTURE_2D, object->twin);
        f->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, format, type, data);
    } else {
        gl_select_texture(object);
        f->TexSubImage2D(object->shape.target, object->base_level, 0, 0, width, height, format, type, data);
    }
}

static cl_int copy_by_host(struct ocl_gl_object *object, bool writes)
{
    int32_t size[3];
    if (object->gl->is_es)
        return CL_INVALID_GL_OBJECT;
    void *data = malloc((size_t)gl_level_bytes(object, 0, size));
    if (!data)
        return CL_OUT_OF_HOST_MEMORY;
    read_by_host(object, writes, data);
    write_by_host(object, !writes, data);
    object->gl->f.ActiveTexture(GL_TEXTURE0);
    object->gl->f.BindTexture(GL_TEXTURE_2D, 0);
    free(data);
    return CL_SUCCESS;
}

cl_int gl_move_in_place(struct ocl_gl_object *object, bool writes)
{
    const struct gl_functions *f = &object->gl->f;
    int32_t width = (int32_t)object->shape.width, height = (int32_t)object->shape.height;
    uint32_t view = object->framebuffer ? object->framebuffer : object->view;
    if (!object->framebuffer) {
        gl_select_texture(object);
        if (!gl_is_as_it_was(object))
            return CL_INVALID_GL_OBJECT;
    }
    if (object->way == OCL_GL_EXPORTED)
        return CL_SUCCESS;
    if (!is_shown(object))
        return copy_by_host(object, writes);
    if (object->way == OCL_GL_SHADED && gl_image_shows(object)) {
        gl_copy_image(object, writes);
        return CL_SUCCESS;
    }
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, writes ? object->twin_view : view);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, writes ? view : object->twin_view);
    f->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    return CL_SUCCESS;
}
