/* What ways are tried on. OpenGL may move texels of one target or format rightly between its objects and memory that
 * Vulkan writes, and those of another wrongly: NVIDIA's (580) reads old bytes for 1D textures, faces of cubes and depths
 * that are floats. So each kind of object (target, format, and whether it is large) has a trial of its own, with an object
 * of our own that is made for it. */
#include "src/gl/private.h"

#include "base/thread.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>

/* Texels along an edge, and layers; what is larger than SMALL is another kind. */
enum { SMALL_SIDE = OCL_GL_SMALL_SIDE, SMALL_LAYERS = 8, LARGE_SIDE = 512, LARGE_LAYERS = 2, BUFFER_BYTES = 65536 };

struct kind {
    uint32_t row, format;
    bool large;
};

static bool is_buffer(const struct ocl_gl_object *object)
{
    return !object->shape.image_type || object->shape.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

static bool is_large(const struct ocl_gl_shape *shape)
{
    return shape->width > SMALL_SIDE || shape->height > SMALL_SIDE;
}

/* Samples are drawn into a plane first, and that is what moves (samples.c). */
static const struct gl_format *plane_format(const struct ocl_gl_object *object)
{
    static const int32_t sized[4] = {0, 0, 0, 0};
    if (!object->shape.samples || !gl_format_is_depth(object->format))
        return object->format;
    return gl_format_find(object->format->texel_size == 2 ? GL_R16 : GL_R32F, sized);
}

static struct kind kind_of(const struct ocl_gl_object *object)
{
    const struct ocl_gl_shape *shape = &object->shape;
    if (is_buffer(object))
        return (struct kind){.row = GL_KIND_BUFFER};
    struct kind kind = {
        .row = GL_KIND_RENDERBUFFER, .format = gl_format_number(plane_format(object)), .large = is_large(shape)};
    if (shape->type != CL_GL_OBJECT_RENDERBUFFER)
        kind.row = shape->samples ? gl_find_target(GL_TEXTURE_2D) : object->target_row;
    return kind;
}

static atomic_schar *trial_of(const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    struct kind kind = kind_of(object);
    return &object->gl->trials[kind.row][kind.format][kind.large][way];
}

enum ocl_gl_verdict ocl_gl_object_verdict(const struct ocl_gl_object *object, enum ocl_gl_way way)
{
    return (enum ocl_gl_verdict)atomic_load(trial_of(object, way));
}

void ocl_gl_object_judge(const struct ocl_gl_object *object, enum ocl_gl_way way, enum ocl_gl_verdict verdict)
{
    atomic_store(trial_of(object, way), (signed char)verdict);
}

void ocl_gl_object_kind(const struct ocl_gl_object *object, char text[OCL_GL_KIND_TEXT])
{
    const struct ocl_gl_shape *shape = &object->shape;
    if (is_buffer(object))
        snprintf(text, OCL_GL_KIND_TEXT, "buffers");
    else if (shape->type == CL_GL_OBJECT_RENDERBUFFER)
        snprintf(text, OCL_GL_KIND_TEXT, "renderbuffers of format 0x%x", object->format->internal);
    else
        snprintf(text, OCL_GL_KIND_TEXT, "textures 0x%x of format 0x%x, %s", shape->target, object->format->internal,
                 is_large(shape) ? "large" : "small");
}

/* ---- contents ---- */

/* No NaN, no subnormal number, depths from 0 to 1, and signs where there may be some. */
void ocl_gl_pattern(const struct ocl_gl_object *object, uint32_t seed, uint8_t *bytes, uint64_t size)
{
    uint8_t free_bits = object->format && gl_format_is_depth(object->format) ? 0x1f : 0x9f;
    for (uint64_t i = 0; i < size; i++) {
        uint32_t hash = ((uint32_t)i + seed * 0x10001u) * 0x9e3779b9u;
        bytes[i] = (uint8_t)(0x20 | (hash >> 24 & free_bits));
    }
}

uint64_t ocl_gl_object_bytes(const struct ocl_gl_object *object)
{
    uint64_t bytes = 0;
    int32_t size[3];
    if (is_buffer(object))
        return object->shape.size;
    for (uint32_t i = 0; i < object->shape.levels; i++)
        bytes += gl_level_bytes(object, i, size);
    return bytes;
}

/* ---- objects ---- */

static void make_buffer(struct gl_finding *finding)
{
    struct ocl_gl_object *object = finding->object;
    const struct gl_functions *f = &object->gl->f;
    f->GenBuffers(1, &object->own_buffer);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, object->own_buffer);
    f->BufferData(GL_COPY_WRITE_BUFFER, (intptr_t)object->shape.size, NULL, GL_STATIC_DRAW);
    f->BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    if (!gl_hold_buffer(object, object->own_buffer))
        GL_FAIL(finding, CL_OUT_OF_RESOURCES, "no buffer of OpenGL's");
}

static void make_renderbuffer(struct gl_finding *finding)
{
    struct ocl_gl_object *object = finding->object;
    struct ocl_gl_shape *shape = &object->shape;
    const struct gl_functions *f = &object->gl->f;
    f->GenRenderbuffers(1, &object->own_renderbuffer);
    f->BindRenderbuffer(GL_RENDERBUFFER, object->own_renderbuffer);
    f->RenderbufferStorage(GL_RENDERBUFFER, object->format->internal, (int32_t)shape->width, (int32_t)shape->height);
    shape->name = object->own_renderbuffer;
    gl_find_renderbuffer(finding);
}

/* How a level is defined: with depth and stencil both, of which OpenCL sees one. */
struct definition {
    uint32_t target, format, type;
    int32_t internal;
    const void *texels; /* or NULL */
};

static void define_level(const struct ocl_gl_object *object, const struct definition *d)
{
    const struct gl_functions *f = &object->gl->f;
    int32_t size[3];
    gl_level_bytes(object, 0, size);
    switch (object->shape.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
        f->TexImage1D(d->target, 0, d->internal, size[0], 0, d->format, d->type, d->texels);
        break;
    case CL_MEM_OBJECT_IMAGE3D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        f->TexImage3D(d->target, 0, d->internal, size[0], size[1], size[2], 0, d->format, d->type, d->texels);
        break;
    default:
        f->TexImage2D(d->target, 0, d->internal, size[0], size[1], 0, d->format, d->type, d->texels);
    }
}

static void define_texture(struct ocl_gl_object *object, void *texels)
{
    const struct gl_format *format = object->format;
    struct definition d = {object->shape.target, format->transfer, format->transfer_type, (int32_t)format->internal,
                           NULL};
    if (format->order == CL_DEPTH_STENCIL) {
        d.format = GL_DEPTH_STENCIL;
        d.type = format->type == CL_FLOAT ? GL_FLOAT_32_UNSIGNED_INT_24_8_REV : GL_UNSIGNED_INT_24_8;
        d.texels = texels;
    }
    if (object->binding != GL_TEXTURE_CUBE_MAP) {
        define_level(object, &d);
        return;
    }
    for (d.target = GL_TEXTURE_CUBE_MAP_POSITIVE_X; d.target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z; d.target++)
        define_level(object, &d);
}

static void make_texture(struct gl_finding *finding)
{
    enum { WORDS_OF_TEXEL = 2 };
    struct ocl_gl_object *object = finding->object;
    const struct gl_functions *f = &object->gl->f;
    uint64_t bytes = WORDS_OF_TEXEL * ocl_gl_object_bytes(object);
    uint8_t *texels = malloc(bytes);
    if (!texels) {
        GL_FAIL(finding, CL_OUT_OF_HOST_MEMORY, "no memory for a trial");
        return;
    }
    ocl_gl_pattern(object, 0, texels, bytes);
    f->GenTextures(1, &object->own_texture);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(object->binding, object->own_texture);
    define_texture(object, texels);
    gl_set_nearest(f, object->binding);
    free(texels);
    object->shape.name = object->own_texture;
    gl_find_texture(finding);
}

static void make(void *data)
{
    struct gl_finding *finding = data;
    const struct ocl_gl_object *object = finding->object;
    gl_drop_errors(object->gl);
    if (is_buffer(object))
        make_buffer(finding);
    else if (object->shape.type == CL_GL_OBJECT_RENDERBUFFER)
        make_renderbuffer(finding);
    else
        make_texture(finding);
}

static size_t at_most(size_t size, size_t limit)
{
    return size < limit ? size : limit;
}

static struct ocl_gl_object describe_like(const struct ocl_gl_object *object)
{
    const struct ocl_gl_shape *of = &object->shape;
    bool large = is_large(of), samples = of->samples;
    size_t side = large ? LARGE_SIDE : SMALL_SIDE, layers = large ? LARGE_LAYERS : SMALL_LAYERS;
    if (is_buffer(object))
        return (struct ocl_gl_object){.shape = {.size = BUFFER_BYTES}};
    return (struct ocl_gl_object){
        .format = plane_format(object),
        .binding = samples ? GL_TEXTURE_2D : object->binding,
        .target_row = samples ? gl_find_target(GL_TEXTURE_2D) : object->target_row,
        .shape = {.type = of->type,
                  .target = samples ? GL_TEXTURE_2D : of->target,
                  .image_type = samples ? CL_MEM_OBJECT_IMAGE2D : of->image_type,
                  .levels = 1,
                  .width = at_most(of->width, side),
                  .height = at_most(of->height, side),
                  .depth = at_most(of->depth, layers),
                  .layers = samples ? 0 : at_most(of->layers, layers)},
    };
}

struct ocl_gl_object *ocl_gl_make_like(const struct ocl_gl_object *object)
{
    struct gl_finding finding = {.function = "clCreateFromGL", .gl = object->gl};
    struct ocl_gl_object wanted = describe_like(object), *like = NULL;
    return gl_find(&finding, make, &wanted, &like) == CL_SUCCESS ? like : NULL;
}

/* ---- times ---- */

struct timing {
    struct ocl_gl_object *object;
    struct ocl_gl_time best;
    bool good;
};

static struct ocl_gl_time time_once(struct ocl_gl_object *object, uint32_t query)
{
    enum { COPIES = 8 };
    const struct gl_functions *f = &object->gl->f;
    struct ocl_gl_time time = {0, time_ns()};
    if (query)
        f->BeginQuery(GL_TIME_ELAPSED, query);
    for (int i = 0; i < COPIES; i++)
        gl_move_in_place(object, false);
    if (query)
        f->EndQuery(GL_TIME_ELAPSED);
    f->Finish();
    time.host_ns = time_ns() - time.host_ns;
    if (query)
        f->GetQueryObjectui64v(query, GL_QUERY_RESULT, &time.gpu_ns);
    return time;
}

/* The best of a few times. */
static void time_copies(void *data)
{
    enum { TIMES = 3 };
    struct timing *timing = data;
    struct ocl_gl_object *object = timing->object;
    const struct gl_functions *f = &object->gl->f;
    uint32_t query = 0;
    gl_drop_errors(object->gl);
    if (object->gl->has_timer)
        f->GenQueries(1, &query);
    timing->best = time_once(object, query);
    for (int i = 1; i < TIMES; i++) {
        struct ocl_gl_time time = time_once(object, query);
        timing->best.gpu_ns = u64_min(timing->best.gpu_ns, time.gpu_ns);
        timing->best.host_ns = u64_min(timing->best.host_ns, time.host_ns);
    }
    if (query)
        f->DeleteQueries(1, &query);
    timing->good = f->GetError() == GL_NO_ERROR;
}

bool ocl_gl_time_copies(struct ocl_gl_object *object, struct ocl_gl_time *time)
{
    struct timing timing = {.object = object};
    bool timed = gl_call(object->gl, time_copies, &timing) && timing.good;
    *time = timing.best;
    return timed;
}
