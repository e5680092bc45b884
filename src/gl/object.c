/* Buffers, textures and renderbuffers of OpenGL: what they are, and how their data stores are kept.
 *
 * OpenCL keeps the data store "underlying the corresponding GL object"; its name may be deleted and given to another
 * object (cl_khr_gl_sharing, issues). OpenGL keeps an object as long as some context has it bound or attached. So the
 * worker's context does: a texture is bound to a texture unit of its own, a buffer to a vertex array, and a renderbuffer
 * to a framebuffer. From there they are read and written, and never by their names. Where all units are taken, a texture
 * is bound by its name when it is needed, and what is found must be what it was. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

void gl_drop_errors(struct ocl_gl *gl)
{
    for (int i = 0; i < 64 && gl->f.GetError() != GL_NO_ERROR; i++)
        ;
}

/* ---- buffers ---- */

bool gl_hold_buffer(struct ocl_gl_object *object, uint32_t name)
{
    const struct gl_functions *f = &object->gl->f;
    if (!name || !f->IsBuffer(name))
        return false;
    f->GenVertexArrays(1, &object->vertex_array);
    f->BindVertexArray(object->vertex_array);
    f->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, name);
    return f->GetError() == GL_NO_ERROR;
}

static uint64_t held_buffer_size(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    int64_t size = 0;
    int32_t small = 0;
    f->BindVertexArray(object->vertex_array);
    if (object->gl->has_sync && f->GetBufferParameteri64v) { /* both came with OpenGL 3.2 */
        f->GetBufferParameteri64v(GL_ELEMENT_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
    } else {
        f->GetBufferParameteriv(GL_ELEMENT_ARRAY_BUFFER, GL_BUFFER_SIZE, &small);
        size = small;
    }
    return size > 0 ? (uint64_t)size : 0;
}

static void find_buffer(void *data)
{
    struct gl_finding *finding = data;
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    gl_drop_errors(object->gl);
    shape->type = CL_GL_OBJECT_BUFFER;
    if (!gl_hold_buffer(object, shape->name) || !(shape->size = held_buffer_size(object)))
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "%u is no buffer that has bytes", shape->name);
}

/* ---- textures ---- */

static const struct target_row {
    uint32_t binding;
    cl_gl_object_type type;
    cl_mem_object_type image;
} targets[GL_TARGETS] = {
    {GL_TEXTURE_1D, CL_GL_OBJECT_TEXTURE1D, CL_MEM_OBJECT_IMAGE1D},
    {GL_TEXTURE_1D_ARRAY, CL_GL_OBJECT_TEXTURE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY},
    {GL_TEXTURE_BUFFER, CL_GL_OBJECT_TEXTURE_BUFFER, CL_MEM_OBJECT_IMAGE1D_BUFFER},
    {GL_TEXTURE_2D, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
    {GL_TEXTURE_2D_ARRAY, CL_GL_OBJECT_TEXTURE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY},
    {GL_TEXTURE_3D, CL_GL_OBJECT_TEXTURE3D, CL_MEM_OBJECT_IMAGE3D},
    {GL_TEXTURE_RECTANGLE, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
    {GL_TEXTURE_CUBE_MAP, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D}, /* a face */
    {GL_TEXTURE_2D_MULTISAMPLE, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D},
    {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, CL_GL_OBJECT_TEXTURE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY},
};

uint32_t gl_find_target(uint32_t target)
{
    bool face = target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
    uint32_t wanted = face ? GL_TEXTURE_CUBE_MAP : target, row = 0;
    while (row < GL_TARGETS && targets[row].binding != wanted)
        row++;
    return target == GL_TEXTURE_CUBE_MAP || !target ? GL_TARGETS : row;
}

void gl_select_texture(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    f->ActiveTexture(GL_TEXTURE0 + object->unit);
    if (!object->unit)
        f->BindTexture(object->binding, object->shape.name);
}

/* Binds the texture to a unit that has none of its target yet. False: it is of another target. */
static bool hold_texture(struct ocl_gl_object *object)
{
    struct ocl_gl *gl = object->gl;
    uint64_t *used = &gl->units[object->target_row];
    if (!object->shape.name || !gl->f.IsTexture(object->shape.name))
        return false;
    for (uint32_t unit = 1; unit < gl->num_units && !object->unit; unit++) {
        if (!(*used >> unit & 1))
            object->unit = unit;
    }
    if (object->unit)
        *used |= UINT64_C(1) << object->unit;
    gl->f.ActiveTexture(GL_TEXTURE0 + object->unit);
    gl->f.BindTexture(object->binding, object->shape.name);
    return gl->f.GetError() == GL_NO_ERROR;
}

bool gl_level_size(struct ocl_gl_object *object, int32_t level, int32_t size[3])
{
    static const uint32_t names[3] = {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH};
    for (int i = 0; i < 3; i++) {
        size[i] = 0;
        object->gl->f.GetTexLevelParameteriv(object->shape.target, level, names[i], &size[i]);
    }
    cl_mem_object_type type = object->shape.image_type;
    if (type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        size[1] = 1;
    if (type != CL_MEM_OBJECT_IMAGE3D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
        size[2] = 1;
    return size[0] > 0 && size[1] > 0 && size[2] > 0;
}

/* NVIDIA's driver (580) says of a texture of an image of RGBA16F that it is RGBA16, and that it has floats. */
static const struct gl_format *by_components(struct ocl_gl_object *object, int32_t level,
                                             const struct gl_format *format, const int32_t sizes[4])
{
    struct gl_components components = {.sizes = {sizes[0], sizes[1], sizes[2], sizes[3]},
                                       .srgb = format->order == CL_sRGBA};
    int32_t type = 0;
    if (gl_format_is_depth(format))
        return format;
    object->gl->f.GetTexLevelParameteriv(object->shape.target, level, GL_TEXTURE_RED_TYPE, &type);
    components.type = (uint32_t)type;
    const struct gl_format *other = gl_format_of(&components);
    return other && other->type != format->type ? other : format;
}

static const struct gl_format *level_format(struct ocl_gl_object *object, int32_t level)
{
    static const uint32_t names[4] = {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE,
                                      GL_TEXTURE_ALPHA_SIZE};
    const struct gl_functions *f = &object->gl->f;
    int32_t internal = 0, sizes[4] = {0, 0, 0, 0};
    f->GetTexLevelParameteriv(object->shape.target, level, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    for (int i = 0; i < 4; i++)
        f->GetTexLevelParameteriv(object->shape.target, level, names[i], &sizes[i]);
    const struct gl_format *format = gl_format_find((uint32_t)internal, sizes);
    return object->shape.of_egl && format ? by_components(object, level, format, sizes) : format;
}

uint64_t gl_level_bytes(const struct ocl_gl_object *object, uint32_t level, int32_t size[3])
{
    const struct ocl_gl_shape *shape = &object->shape;
    bool halves = shape->image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size[0] = (int32_t)vkb_level_size((uint32_t)shape->width, level);
    size[1] = halves ? (int32_t)vkb_level_size((uint32_t)shape->height, level) : (int32_t)shape->layers;
    size[2] = (int32_t)vkb_level_size((uint32_t)shape->depth, level);
    if (halves && shape->layers)
        size[2] = (int32_t)shape->layers;
    return (uint64_t)size[0] * (uint64_t)size[1] * (uint64_t)size[2] * object->format->texel_size;
}

static bool is_multisampled(const struct ocl_gl_object *object)
{
    return object->binding == GL_TEXTURE_2D_MULTISAMPLE || object->binding == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
}

static uint32_t level_samples(struct ocl_gl_object *object)
{
    int32_t samples = 0;
    if (is_multisampled(object))
        object->gl->f.GetTexLevelParameteriv(object->binding, 0, GL_TEXTURE_SAMPLES, &samples);
    return samples > 0 ? (uint32_t)samples : is_multisampled(object);
}

bool gl_is_as_it_was(struct ocl_gl_object *object)
{
    if (level_samples(object) != object->shape.samples)
        return false;
    for (uint32_t i = 0; i < object->shape.levels; i++) {
        int32_t level = object->base_level + (int32_t)i, now[3], then[3];
        gl_level_bytes(object, i, then);
        if (!gl_level_size(object, level, now) || now[0] != then[0] || now[1] != then[1] || now[2] != then[2] ||
            level_format(object, level) != object->format)
            return false;
    }
    return true;
}

void gl_set_nearest(const struct gl_functions *f, uint32_t target)
{
    f->TexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    f->TexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/* A face is of use only where all are alike. */
static bool is_complete(struct ocl_gl_object *object, int32_t level, const int32_t size[3])
{
    struct ocl_gl_object face = *object;
    int32_t other[3];
    if (object->binding != GL_TEXTURE_CUBE_MAP)
        return true;
    for (uint32_t i = GL_TEXTURE_CUBE_MAP_POSITIVE_X; i <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z; i++) {
        face.shape.target = i;
        if (!gl_level_size(&face, level, other) || other[0] != size[0] || other[1] != size[1] || size[0] != size[1] ||
            level_format(&face, level) != level_format(object, level))
            return false;
    }
    return true;
}

/* The first and the last level that the texture may have, by the sizes of the first. */
static bool find_levels(struct ocl_gl_object *object, int32_t *base, int32_t *last)
{
    const struct gl_functions *f = &object->gl->f;
    int32_t size[3], most = 0;
    *base = *last = 0;
    if (object->binding == GL_TEXTURE_RECTANGLE || object->binding == GL_TEXTURE_BUFFER || is_multisampled(object))
        return gl_level_size(object, 0, size);
    f->GetTexParameteriv(object->binding, GL_TEXTURE_BASE_LEVEL, base);
    f->GetTexParameteriv(object->binding, GL_TEXTURE_MAX_LEVEL, &most);
    if (!gl_level_size(object, *base, size))
        return false;
    bool rows = object->shape.image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY,
         slices = object->shape.image_type == CL_MEM_OBJECT_IMAGE3D;
    int32_t longest = size[0];
    longest = rows && size[1] > longest ? size[1] : longest;
    longest = slices && size[2] > longest ? size[2] : longest;
    for (*last = *base; longest > 1 && *last < most; (*last)++)
        longest /= 2;
    return true;
}

/* A mip-mapped image: all levels that are there. */
static uint32_t count_levels(struct ocl_gl_object *object, int32_t base, int32_t last)
{
    int32_t size[3], level = base;
    while (level < last && gl_level_size(object, level + 1, size))
        level++;
    return (uint32_t)(level - base) + 1;
}

static void set_sizes(struct ocl_gl_shape *shape, const int32_t size[3])
{
    bool lines = shape->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    shape->width = (size_t)size[0];
    shape->height = lines ? 1 : (size_t)size[1];
    shape->depth = shape->image_type == CL_MEM_OBJECT_IMAGE3D ? (size_t)size[2] : 1;
    shape->layers = lines ? (size_t)size[1] : shape->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? (size_t)size[2] : 0;
}

static void set_format(struct ocl_gl_object *object, const struct gl_format *format)
{
    object->format = format;
    object->shape.format = (cl_image_format){format->order, format->type};
    object->shape.reads_only = format->order == CL_DEPTH_STENCIL || object->shape.samples;
}

/* A buffer texture: the part of a buffer that it shows. */
static void find_texture_buffer(struct gl_finding *finding)
{
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    const struct gl_functions *f = &object->gl->f;
    int32_t name = 0, offset = 0, size = 0;
    f->GetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &name);
    f->GetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_BUFFER_OFFSET, &offset);
    f->GetTexLevelParameteriv(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_BUFFER_SIZE, &size);
    gl_drop_errors(object->gl); /* the last two are of OpenGL 4.3 */
    shape->size = (uint64_t)shape->width * object->format->texel_size;
    object->offset = offset > 0 ? (uint64_t)offset : 0;
    if (!gl_hold_buffer(object, (uint32_t)name) || held_buffer_size(object) < object->offset + shape->size)
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "%u is a buffer texture without its buffer", shape->name);
}

/* OpenGL 4.3, 8.18. Mesa (25.0) blits from the first level and layer of the other texture, and NVIDIA's driver (580) has
 * glGetTexImage() give what was there before OpenCL wrote another view. So views are read from framebuffers (es.c). */
static bool is_view(struct ocl_gl_object *object)
{
    int32_t level = 0, layer = 0;
    if (object->binding != GL_TEXTURE_BUFFER) {
        object->gl->f.GetTexParameteriv(object->binding, GL_TEXTURE_VIEW_MIN_LEVEL, &level);
        object->gl->f.GetTexParameteriv(object->binding, GL_TEXTURE_VIEW_MIN_LAYER, &layer);
    }
    gl_drop_errors(object->gl); /* of an OpenGL without views */
    return level || layer;
}

static void find_level(struct gl_finding *finding)
{
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    int32_t base, last, size[3], border = 0, level = shape->level;
    if (!find_levels(object, &base, &last)) {
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "the texture has no texels");
        return;
    }
    bool all = level < 0;
    level = all ? base : level;
    if (level < base || level > last || (all && is_multisampled(object))) {
        GL_FAIL(finding, CL_INVALID_MIP_LEVEL, "level %d of a texture that has %d to %d", level, base, last);
        return;
    }
    if (!gl_level_size(object, level, size) || !is_complete(object, level, size)) {
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "level %d is not defined, or the texture is not complete", level);
        return;
    }
    const struct gl_format *format = level_format(object, level);
    object->gl->f.GetTexLevelParameteriv(shape->target, level, GL_TEXTURE_BORDER, &border);
    gl_drop_errors(object->gl);
    if (border)
        GL_FAIL(finding, CL_INVALID_OPERATION, "the texture has a border");
    else if (!format)
        GL_FAIL(finding, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the texture's internal format has none of OpenCL");
    if (finding->error != CL_SUCCESS)
        return;
    object->base_level = level;
    object->is_view = is_view(object);
    shape->levels = all ? count_levels(object, base, last) : 1;
    shape->samples = level_samples(object);
    set_sizes(shape, size);
    set_format(object, format);
    if (object->binding == GL_TEXTURE_BUFFER)
        find_texture_buffer(finding);
    else if (object->gl->is_es && !gl_es_hold_texture(object))
        GL_FAIL(finding, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "OpenGL ES cannot read the texture's format as it is");
    else if (object->is_view && !object->gl->is_es)
        gl_hold_view(object);
}

void gl_find_texture(void *data)
{
    struct gl_finding *finding = data;
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    const struct target_row *row = &targets[object->target_row];
    gl_drop_errors(object->gl);
    object->binding = row->binding;
    shape->type = row->type;
    shape->image_type = row->image;
    if (hold_texture(object))
        find_level(finding);
    else
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "%u is no texture of target 0x%x", shape->name, shape->target);
}

/* ---- images of EGL's ---- */

struct egl_finding {
    struct gl_finding finding;
    void *image;
    bool known; /* it is an image of the display's */
};

/* By a renderbuffer that is made of the image. False: there is none, or its texels are not of a known format. */
static bool find_image_renderbuffer(struct ocl_gl_object *object, void *image)
{
    const struct gl_functions *f = &object->gl->f;
    struct ocl_gl_shape *shape = &object->shape;
    int32_t size[3] = {0, 0, 1};
    uint32_t renderbuffer = gl_make_image_renderbuffer(object->gl, image);
    if (!renderbuffer)
        return false;
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &size[0]);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &size[1]);
    f->GenFramebuffers(1, &object->framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->framebuffer);
    f->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    f->ReadBuffer(GL_COLOR_ATTACHMENT0);
    bool complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    const struct gl_format *format = complete ? gl_image_renderbuffer_format(f) : NULL;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    object->own_renderbuffer = renderbuffer;
    shape->levels = 1;
    if (format && size[0] > 0 && size[1] > 0) {
        set_sizes(shape, size);
        set_format(object, format);
        shape->type = CL_GL_OBJECT_RENDERBUFFER; /* it moves like one */
        shape->name = renderbuffer;
        if (f->GetError() == GL_NO_ERROR && (!object->gl->is_es || gl_es_reads_renderbuffer(object)))
            return true;
    }
    f->DeleteFramebuffers(1, &object->framebuffer);
    f->DeleteRenderbuffers(1, &object->own_renderbuffer);
    object->framebuffer = object->own_renderbuffer = 0;
    shape->type = 0;
    gl_drop_errors(object->gl);
    return false;
}

static const struct gl_format *sibling_format(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, object->own_texture);
    const struct gl_format *format = level_format(object, 0);
    f->BindTexture(GL_TEXTURE_2D, 0);
    gl_drop_errors(object->gl);
    return format;
}

static bool moves_by_renderbuffer(enum gl_image_way way)
{
    return way == GL_IMAGE_RENDERBUFFER || way == GL_IMAGE_DRAWN_RENDERBUFFER;
}

static void find_egl_image(void *data)
{
    struct egl_finding *egl = data;
    struct gl_finding *finding = &egl->finding;
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    const struct gl_functions *f = &object->gl->f;
    gl_drop_errors(object->gl);
    shape->image_type = CL_MEM_OBJECT_IMAGE2D;
    object->own_texture = gl_make_sibling(object->gl, egl->image);
    bool made = f->GetError() == GL_NO_ERROR;
    gl_drop_errors(object->gl);
    const struct gl_format *format = made ? sibling_format(object) : NULL;
    if (!made && find_image_renderbuffer(object, egl->image))
        format = object->format;
    if (!made && !format) {
        GL_FAIL(finding, egl->known ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_INVALID_EGL_OBJECT_KHR,
                "OpenGL makes nothing of the image");
        return;
    }
    object->image_way = format ? gl_find_image_way(object->gl, format, made) : GL_IMAGE_WAYS;
    if (object->image_way == GL_IMAGE_WAYS) {
        GL_FAIL(finding, CL_IMAGE_FORMAT_NOT_SUPPORTED,
                "the image's format has none of OpenCL, or the driver fails its trial");
        return;
    }
    if (!made)
        return;
    if (moves_by_renderbuffer(object->image_way)) {
        if (!find_image_renderbuffer(object, egl->image) || object->format != format)
            GL_FAIL(finding, CL_IMAGE_FORMAT_NOT_SUPPORTED, "OpenGL makes no renderbuffer of the image");
        return;
    }
    object->binding = GL_TEXTURE_2D;
    shape->name = object->own_texture; /* until it is held */
    if (!hold_texture(object)) {
        GL_FAIL(finding, CL_IMAGE_FORMAT_NOT_SUPPORTED, "OpenGL makes no 2D texture of the image");
        return;
    }
    find_level(finding);
    if (finding->error != CL_SUCCESS)
        finding->error = CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

/* ---- renderbuffers ---- */

static const struct gl_format *renderbuffer_format(const struct gl_functions *f)
{
    static const uint32_t names[4] = {GL_RENDERBUFFER_RED_SIZE, GL_RENDERBUFFER_GREEN_SIZE, GL_RENDERBUFFER_BLUE_SIZE,
                                      GL_RENDERBUFFER_ALPHA_SIZE};
    int32_t internal = 0, sizes[4] = {0, 0, 0, 0};
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &internal);
    for (int i = 0; i < 4; i++)
        f->GetRenderbufferParameteriv(GL_RENDERBUFFER, names[i], &sizes[i]);
    return gl_format_find((uint32_t)internal, sizes);
}

/* What the framebuffer that is read tells of the one that it has. */
static struct gl_told told_by(const struct gl_functions *f, const struct gl_format *format)
{
    static const uint32_t names[GL_TOLD] = {
        GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE,       GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE + 1,
        GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE + 2,   GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE + 3,
        GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE + 4,   GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE + 5,
        GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE,
    };
    struct gl_told told = {{0}};
    uint32_t attachment = gl_attachment(format);
    size_t count = attachment == GL_DEPTH_STENCIL_ATTACHMENT ? GL_TOLD - 1 : GL_TOLD; /* its two have two types */
    for (size_t i = 0; i < count; i++)
        f->GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, attachment, names[i], &told.values[i]);
    return told;
}

/* Whether the framebuffer that is read has a texel there: beyond its edges glReadPixels() leaves memory as it is. */
static bool has_texel(const struct ocl_gl_object *object, size_t x, size_t y)
{
    enum { MOST = 16 };
    static const uint8_t fills[2] = {0x5a, 0xa5};
    bool changed = false;
    for (int i = 0; i < 2; i++) {
        uint8_t texel[MOST];
        memset(texel, fills[i], sizeof(texel));
        object->gl->f.ReadPixels((int32_t)x, (int32_t)y, 1, 1, object->format->transfer, object->format->transfer_type,
                                 texel);
        for (size_t k = 0; k < object->format->texel_size; k++)
            changed = changed || texel[k] != fills[i];
    }
    return changed;
}

static bool held_is_as_it_was(const struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    size_t width = object->shape.width, height = object->shape.height;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->framebuffer);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, object->framebuffer);
    struct gl_told told = told_by(f, object->format);
    bool same = !memcmp(&told, &object->told, sizeof(told)) &&
                f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                has_texel(object, width - 1, height - 1) && !has_texel(object, width, 0) &&
                !has_texel(object, 0, height);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl_drop_errors(object->gl);
    return same;
}

/* Its name tells its size and format. But by now it may be another's, which only the framebuffer can show. */
bool gl_renderbuffer_is_as_it_was(const struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    int32_t width = 0, height = 0, samples = 0;
    if (!f->IsRenderbuffer(object->shape.name))
        return true; /* nobody can give it another store */
    f->BindRenderbuffer(GL_RENDERBUFFER, object->shape.name);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &width);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &height);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &samples);
    bool same = (size_t)width == object->shape.width && (size_t)height == object->shape.height && !samples &&
                renderbuffer_format(f) == object->format;
    f->BindRenderbuffer(GL_RENDERBUFFER, 0);
    return same || held_is_as_it_was(object);
}

static bool hold_renderbuffer(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t attachment = gl_attachment(object->format);
    f->GenFramebuffers(1, &object->framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, object->framebuffer);
    f->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, attachment, GL_RENDERBUFFER, object->shape.name);
    f->ReadBuffer(attachment == GL_COLOR_ATTACHMENT0 ? GL_COLOR_ATTACHMENT0 : GL_NONE);
    bool held = f->GetError() == GL_NO_ERROR;
    object->told = told_by(f, object->format);
    gl_drop_errors(object->gl); /* of what an older OpenGL does not tell */
    return held;
}

void gl_find_renderbuffer(void *data)
{
    struct gl_finding *finding = data;
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    const struct gl_functions *f = &object->gl->f;
    int32_t samples = 0, size[3] = {0, 0, 1};
    gl_drop_errors(object->gl);
    shape->type = CL_GL_OBJECT_RENDERBUFFER;
    shape->image_type = CL_MEM_OBJECT_IMAGE2D;
    shape->levels = 1;
    if (!shape->name || !f->IsRenderbuffer(shape->name)) {
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "%u is no renderbuffer", shape->name);
        return;
    }
    f->BindRenderbuffer(GL_RENDERBUFFER, shape->name);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &size[0]);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &size[1]);
    f->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &samples);
    const struct gl_format *format = renderbuffer_format(f);
    f->BindRenderbuffer(GL_RENDERBUFFER, 0); /* the framebuffer holds it, as long as OpenCL has it */
    if (size[0] <= 0 || size[1] <= 0)
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "renderbuffer %u has no storage", shape->name);
    else if (!format)
        GL_FAIL(finding, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the renderbuffer's internal format has none of OpenCL");
    else if (samples)
        GL_FAIL(finding, CL_INVALID_OPERATION, "the renderbuffer is multisampled");
    if (finding->error != CL_SUCCESS)
        return;
    set_sizes(shape, size);
    set_format(object, format);
    if (!hold_renderbuffer(object))
        GL_FAIL(finding, CL_OUT_OF_RESOURCES, "no framebuffer for the renderbuffer");
    else if (object->gl->is_es && !gl_es_reads_renderbuffer(object))
        GL_FAIL(finding, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                "OpenGL ES cannot read the renderbuffer's format as it is");
}

/* ---- their life ---- */

static void let_go(void *data)
{
    struct ocl_gl_object *object = data;
    const struct gl_functions *f = &object->gl->f;
    if (object->unit) {
        f->ActiveTexture(GL_TEXTURE0 + object->unit);
        f->BindTexture(object->binding, 0);
        object->gl->units[object->target_row] &= ~(UINT64_C(1) << object->unit);
    }
    if (object->vertex_array)
        f->DeleteVertexArrays(1, &object->vertex_array);
    if (object->framebuffer)
        f->DeleteFramebuffers(1, &object->framebuffer);
    gl_es_let_go(object);
    if (object->own_buffer)
        f->DeleteBuffers(1, &object->own_buffer);
    if (object->own_texture)
        f->DeleteTextures(1, &object->own_texture);
    if (object->own_renderbuffer)
        f->DeleteRenderbuffers(1, &object->own_renderbuffer);
    gl_detach(object);
    gl_drop_errors(object->gl);
}

struct ocl_gl_object *ocl_gl_object_retain(struct ocl_gl_object *object)
{
    atomic_fetch_add(&object->refs, 1);
    return object;
}

enum ocl_gl_holder ocl_gl_object_hold(struct ocl_gl_object *object, enum ocl_gl_holder holder)
{
    return (enum ocl_gl_holder)atomic_exchange(&object->holder, (int)holder);
}

enum ocl_gl_holder ocl_gl_object_holder(const struct ocl_gl_object *object)
{
    return (enum ocl_gl_holder)atomic_load(&object->holder);
}

void ocl_gl_object_release(struct ocl_gl_object *object)
{
    if (!object || atomic_fetch_sub(&object->refs, 1) != 1)
        return;
    gl_call(object->gl, let_go, object);
    ocl_gl_release(object->gl);
    free(object);
}

cl_int gl_find(struct gl_finding *finding, void (*call)(void *data), const struct ocl_gl_object *wanted,
               struct ocl_gl_object **result)
{
    struct ocl_gl_object *object = malloc(sizeof(*object));
    if (!object)
        return GL_FAIL(finding, CL_OUT_OF_HOST_MEMORY, "no memory for an object");
    *object = *wanted;
    atomic_init(&object->refs, 1);
    atomic_init(&object->holder, OCL_GL_UNKNOWN);
    object->gl = ocl_gl_retain(finding->gl);
    finding->object = object;
    if (!gl_call(finding->gl, call, finding))
        GL_FAIL(finding, CL_INVALID_GL_OBJECT, "the connection to the X server was closed");
    if (finding->error == CL_SUCCESS)
        *result = object;
    else
        ocl_gl_object_release(object);
    return finding->error;
}

cl_int ocl_gl_find_buffer(const char *function, struct ocl_gl *gl, cl_GLuint name, struct ocl_gl_object **object)
{
    struct gl_finding finding = {.function = function, .gl = gl};
    struct ocl_gl_object wanted = {.shape = {.name = name}};
    return gl_find(&finding, find_buffer, &wanted, object);
}

cl_int ocl_gl_find_texture(const char *function, struct ocl_gl *gl, cl_GLenum target, cl_GLint level, cl_GLuint name,
                           struct ocl_gl_object **object)
{
    struct gl_finding finding = {.function = function, .gl = gl};
    struct ocl_gl_object wanted = {.shape = {.name = name, .target = target, .level = level}};
    wanted.target_row = gl_find_target(target);
    if (wanted.target_row == GL_TARGETS)
        return GL_FAIL(&finding, CL_INVALID_VALUE, "0x%x is no target of textures", target);
    if (target == GL_TEXTURE_BUFFER && level)
        return GL_FAIL(&finding, CL_INVALID_MIP_LEVEL, "a buffer texture has level 0 alone");
    return gl_find(&finding, gl_find_texture, &wanted, object);
}

cl_int ocl_gl_find_renderbuffer(const char *function, struct ocl_gl *gl, cl_GLuint name, struct ocl_gl_object **object)
{
    struct gl_finding finding = {.function = function, .gl = gl};
    struct ocl_gl_object wanted = {.shape = {.name = name}};
    return gl_find(&finding, gl_find_renderbuffer, &wanted, object);
}

/* Drivers follow any pointer that OpenGL is given as an image (Mesa 22.3.6 crashes), and EGL has no query for one. Giving it
 * a label fails where the display has no such image (EGL_KHR_debug). */
static bool is_egl_image(const struct ocl_gl *gl, void *image, bool *known)
{
    enum { EGL_OBJECT_IMAGE = 0x33B4, EGL_BAD_PARAMETER = 0x300C };
    const struct gl_binding_functions *egl = gl->source.binding == OCL_GL_EGL ? gl_egl() : NULL;
    if (!image || !egl)
        return false;
    *known = egl->eglLabelObjectKHR;
    return !*known || egl->eglLabelObjectKHR(gl->source.display, EGL_OBJECT_IMAGE, image, NULL) != EGL_BAD_PARAMETER;
}

cl_int ocl_gl_find_egl_image(const char *function, struct ocl_gl *gl, void *image, struct ocl_gl_object **object)
{
    struct egl_finding egl = {.finding = {.function = function, .gl = gl}, .image = image};
    struct ocl_gl_object wanted = {.shape = {.target = GL_TEXTURE_2D, .of_egl = true}};
    wanted.target_row = gl_find_target(GL_TEXTURE_2D);
    if (!gl->has_images || !is_egl_image(gl, image, &egl.known))
        return GL_FAIL(&egl.finding, CL_INVALID_EGL_OBJECT_KHR, "no image of the display's, or OpenGL knows none");
    /* NVIDIA's driver (580) moves a texture's contents when an image is made of it, by commands of the context to which
     * that is current, behind what the application waited for. Left there they would come over what OpenCL writes. */
    ocl_gl_fence_wait(ocl_gl_fence_insert(gl));
    return gl_find(&egl.finding, find_egl_image, &wanted, object);
}

const struct ocl_gl_shape *ocl_gl_object_shape(const struct ocl_gl_object *object)
{
    return &object->shape;
}

struct ocl_gl *ocl_gl_object_gl(const struct ocl_gl_object *object)
{
    return object->gl;
}
