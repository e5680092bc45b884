/* The trials of EGL's images: whether what is made of one has the contents of the texture or renderbuffer that the image was
 * made of, in both directions, between the worker's context and another, as the application's is, that shares nothing
 * with it. An image does not tell what it was made of: only its format, and whether OpenGL makes a texture of it. So a
 * way should be right for all kinds of images that look alike. They are tried on images of ours, for each format when the
 * first image of it comes. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/log.h"

#include <string.h>

enum {
    KINDS = 6,
    SIDE = 16, /* of the image */
    SLICES = 4,
    MOST_BYTES = SIDE * SIDE * 16,
    EGL_GL_TEXTURE_2D = 0x30B1,
    EGL_GL_TEXTURE_3D = 0x30B2,
    EGL_GL_THIRD_FACE = 0x30B5,
    EGL_GL_RENDERBUFFER = 0x30B9,
    EGL_GL_TEXTURE_LEVEL = 0x30BC,
    EGL_GL_TEXTURE_ZOFFSET = 0x30BD,
    EGL_IMAGE_PRESERVED = 0x30D2,
    EGL_END = 0x3038
};

static const struct kind {
    const char *name;
    uint32_t egl, binding, target; /* binding: what the texture is bound to; target: of the image */
    int32_t level, layer;
} kinds[KINDS] = {
    {"textures", EGL_GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, 0, 0},
    {"levels of textures", EGL_GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, 1, 0},
    {"faces of cubes", EGL_GL_THIRD_FACE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X + 2, 0, 0},
    {"slices of 3D textures", EGL_GL_TEXTURE_3D, GL_TEXTURE_3D, GL_TEXTURE_3D, 0, 1},
    {"slices of levels", EGL_GL_TEXTURE_3D, GL_TEXTURE_3D, GL_TEXTURE_3D, 1, 1},
    {"renderbuffers", EGL_GL_RENDERBUFFER, GL_RENDERBUFFER, GL_RENDERBUFFER, 0, 0},
};

struct trial {
    struct ocl_gl *gl;
    enum gl_image_way way;
    const struct kind *kind;
    const struct gl_format *format;
    void *other, *image;
    struct gl_picture theirs; /* the other context's */
    struct gl_picture ours;   /* what is made of the image; its name is 0 where nothing is */
};

enum result { REFUSED, WRONG, RIGHT }; /* REFUSED: there is no such image, or nothing is made of it */

static bool is_renderbuffer(const struct gl_picture *picture)
{
    return picture->target == GL_RENDERBUFFER;
}

static bool by_renderbuffer(enum gl_image_way way)
{
    return way == GL_IMAGE_RENDERBUFFER || way == GL_IMAGE_DRAWN_RENDERBUFFER;
}

/* ---- contents ---- */

/* OpenCL does not write to those that have a stencil. */
static bool reads_only(const struct trial *trial)
{
    return trial->format->order == CL_DEPTH_STENCIL;
}

static void make_pattern(const struct trial *trial, uint32_t seed, uint8_t bytes[MOST_BYTES])
{
    const struct ocl_gl_object object = {.format = trial->format};
    ocl_gl_pattern(&object, seed, bytes, MOST_BYTES);
}

/* How texels of the format come from the application. */
struct upload {
    uint32_t format, type;
};

static struct upload upload_of(const struct gl_format *format)
{
    if (format->order != CL_DEPTH_STENCIL)
        return (struct upload){format->transfer, format->transfer_type};
    return (struct upload){GL_DEPTH_STENCIL,
                           format->type == CL_FLOAT ? GL_FLOAT_32_UNSIGNED_INT_24_8_REV : GL_UNSIGNED_INT_24_8};
}

/* ---- the other context's texture or renderbuffer ---- */

static void define_level(const struct trial *trial, int32_t level, int32_t side)
{
    const struct gl_functions *f = &trial->gl->f;
    const struct upload upload = upload_of(trial->format);
    int32_t internal = (int32_t)trial->format->internal, slices = SLICES << trial->kind->level >> level;
    uint32_t first = trial->kind->binding, last = first;
    if (first == GL_TEXTURE_3D) {
        f->TexImage3D(first, level, internal, side, side, slices ? slices : 1, 0, upload.format, upload.type, NULL);
        return;
    }
    if (first == GL_TEXTURE_CUBE_MAP) {
        first = GL_TEXTURE_CUBE_MAP_POSITIVE_X;
        last = GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
    }
    for (; first <= last; first++)
        f->TexImage2D(first, level, internal, side, side, 0, upload.format, upload.type, NULL);
}

/* Levels before the image's are larger, and there is one behind it: EGL wants complete textures. */
static void define_texture(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    int32_t last = trial->kind->level ? trial->kind->level + 1 : 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &trial->theirs.name);
    f->BindTexture(trial->kind->binding, trial->theirs.name);
    for (int32_t level = 0; level <= last; level++)
        define_level(trial, level, SIDE << trial->kind->level >> level);
    f->TexParameteri(trial->kind->binding, GL_TEXTURE_MAX_LEVEL, last);
    gl_set_nearest(f, trial->kind->binding);
    f->BindTexture(trial->kind->binding, 0);
}

static void define_renderbuffer(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    f->GenRenderbuffers(1, &trial->theirs.name);
    f->BindRenderbuffer(GL_RENDERBUFFER, trial->theirs.name);
    f->RenderbufferStorage(GL_RENDERBUFFER, trial->format->internal, SIDE, SIDE);
    f->BindRenderbuffer(GL_RENDERBUFFER, 0);
}

/* Puts a pattern there. What arrives is to be the same, or, where OpenCL sees a part of it, what OpenGL reads of that. */
static bool put(const struct trial *trial, uint32_t seed, uint8_t wanted[MOST_BYTES])
{
    const struct gl_functions *f = &trial->gl->f;
    const struct kind *kind = trial->kind;
    const struct upload upload = upload_of(trial->format);
    bool done = true;
    make_pattern(trial, seed, wanted);
    f->ActiveTexture(GL_TEXTURE0);
    if (!is_renderbuffer(&trial->theirs))
        f->BindTexture(kind->binding, trial->theirs.name);
    if (is_renderbuffer(&trial->theirs))
        done = gl_write_picture(trial->gl, GL_IMAGE_BLITTED, &trial->theirs, wanted);
    else if (kind->binding == GL_TEXTURE_3D)
        f->TexSubImage3D(kind->target, kind->level, 0, 0, kind->layer, SIDE, SIDE, 1, upload.format, upload.type,
                         wanted);
    else
        f->TexSubImage2D(kind->target, kind->level, 0, 0, SIDE, SIDE, upload.format, upload.type, wanted);
    if (!is_renderbuffer(&trial->theirs))
        f->BindTexture(kind->binding, 0);
    if (reads_only(trial))
        done = done && gl_read_picture(trial->gl, GL_IMAGE_FRAMEBUFFER, &trial->theirs, wanted);
    f->Finish();
    return done;
}

static bool shows(const struct trial *trial, enum gl_image_way way, const struct gl_picture *picture,
                  const uint8_t wanted[MOST_BYTES])
{
    uint8_t seen[MOST_BYTES] = {0};
    return gl_read_picture(trial->gl, way, picture, seen) &&
           !memcmp(wanted, seen, (size_t)(SIDE * SIDE) * trial->format->texel_size);
}

/* That context is current. */
static bool make_image(struct trial *trial, uint8_t wanted[MOST_BYTES])
{
    const struct kind *kind = trial->kind;
    const int32_t attributes[] = {EGL_IMAGE_PRESERVED,
                                  1,
                                  kind->binding == GL_RENDERBUFFER ? EGL_END : EGL_GL_TEXTURE_LEVEL,
                                  kind->level,
                                  kind->binding == GL_TEXTURE_3D ? EGL_GL_TEXTURE_ZOFFSET : EGL_END,
                                  kind->layer,
                                  EGL_END};
    struct ocl_gl *gl = trial->gl;
    gl_drop_errors(gl);
    if (kind->binding == GL_RENDERBUFFER)
        define_renderbuffer(trial);
    else
        define_texture(trial);
    if (!put(trial, 1, wanted) || gl->f.GetError() != GL_NO_ERROR)
        return false;
    trial->image = gl->binding->eglCreateImageKHR(gl->source.display, trial->other, kind->egl,
                                                  (void *)(uintptr_t)trial->theirs.name, attributes);
    gl->f.Finish(); /* what that did to the contents */
    return trial->image;
}

/* ---- what is made of the image ---- */

static bool makes_texture(struct trial *trial)
{
    gl_drop_errors(trial->gl);
    trial->ours.target = GL_TEXTURE_2D;
    trial->ours.name = gl_make_sibling(trial->gl, trial->image);
    return trial->gl->f.GetError() == GL_NO_ERROR;
}

static bool makes_renderbuffer(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    uint32_t framebuffer = 0;
    gl_drop_errors(trial->gl);
    trial->ours.target = GL_RENDERBUFFER;
    trial->ours.name = gl_make_image_renderbuffer(trial->gl, trial->image);
    if (!trial->ours.name)
        return false;
    f->GenFramebuffers(1, &framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    f->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, trial->ours.name);
    f->ReadBuffer(GL_COLOR_ATTACHMENT0);
    bool known = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                 gl_image_renderbuffer_format(f) == trial->format;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    f->DeleteFramebuffers(1, &framebuffer);
    return known && f->GetError() == GL_NO_ERROR;
}

static bool make_ours(struct trial *trial)
{
    return by_renderbuffer(trial->way) ? makes_renderbuffer(trial) : makes_texture(trial);
}

/* A renderbuffer that has a twin is blitted from, too (in_place.c). */
static bool ours_has(const struct trial *trial, const uint8_t wanted[MOST_BYTES])
{
    return shows(trial, trial->way, &trial->ours, wanted) &&
           (trial->way != GL_IMAGE_RENDERBUFFER || shows(trial, GL_IMAGE_BLITTED, &trial->ours, wanted));
}

/* ---- one trial ---- */

static const char *const names[] = {
    [GL_IMAGE_BLITTED] = "blits of textures",
    [GL_IMAGE_RENDERBUFFER] = "blits of renderbuffers",
    [GL_IMAGE_FRAMEBUFFER] = "framebuffers of textures",
    [GL_IMAGE_TEXTURE] = "glGetTexImage()",
    [GL_IMAGE_DRAWN] = "draws to textures",
    [GL_IMAGE_SAMPLED] = "samples of textures",
    [GL_IMAGE_DRAWN_RENDERBUFFER] = "draws to renderbuffers",
    [GL_IMAGE_WAYS] = "nothing",
};

static enum result fail(const struct trial *trial, const char *why)
{
    log_info("OpenGL: EGL's images of %s of format 0x%x do not go by %s: %s", trial->kind->name,
             trial->format->internal, names[trial->way], why);
    return WRONG;
}

static enum result try(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    uint8_t wanted[MOST_BYTES];
    if (!gl_switch(gl, trial->other) || !make_image(trial, wanted) || !gl_switch(gl, NULL) || !make_ours(trial))
        return REFUSED;
    if (!ours_has(trial, wanted))
        return fail(trial, "what is made of the image has not the contents of that which it is made of");
    make_pattern(trial, 2, wanted);
    if (!reads_only(trial) && !gl_write_picture(gl, trial->way, &trial->ours, wanted))
        return fail(trial, "what is made of the image cannot be written");
    gl->f.Finish();
    if (!gl_switch(gl, trial->other))
        return REFUSED;
    if (!reads_only(trial) && !shows(trial, GL_IMAGE_FRAMEBUFFER, &trial->theirs, wanted))
        return fail(trial, "what is written there does not arrive in that which the image is made of");
    if (!put(trial, 3, wanted) || !gl_switch(gl, NULL))
        return REFUSED;
    if (!ours_has(trial, wanted))
        return fail(trial, "what is written to that which the image is made of does not arrive there");
    return RIGHT;
}

static void delete_picture(const struct gl_functions *f, struct gl_picture *picture)
{
    if (picture->name && is_renderbuffer(picture))
        f->DeleteRenderbuffers(1, &picture->name);
    else if (picture->name)
        f->DeleteTextures(1, &picture->name);
    picture->name = 0;
}

static void finish(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    if (trial->theirs.name && gl_switch(gl, trial->other)) {
        delete_picture(&gl->f, &trial->theirs);
        gl_drop_errors(gl);
    }
    gl_switch(gl, NULL);
    delete_picture(&gl->f, &trial->ours);
    if (trial->image)
        gl->binding->eglDestroyImageKHR(gl->source.display, trial->image);
    gl_drop_errors(gl);
}

static struct trial begin(struct ocl_gl *gl, void *other, const struct gl_format *format, const struct kind *kind)
{
    const struct gl_picture picture = {.format = format, .width = SIDE, .height = SIDE};
    struct trial trial = {.gl = gl, .kind = kind, .format = format, .other = other, .theirs = picture, .ours = picture};
    trial.theirs.target = kind->target;
    trial.theirs.level = kind->level;
    trial.theirs.layer = kind->layer;
    return trial;
}

/* ---- the choice ---- */

/* Kinds of which a texture is made, or is not. */
static void look_at_kinds(struct ocl_gl *gl, void *other, const struct gl_format *format, bool are_textures[KINDS])
{
    uint8_t wanted[MOST_BYTES];
    for (size_t i = 0; i < KINDS; i++) {
        struct trial trial = begin(gl, other, format, &kinds[i]);
        are_textures[i] =
            gl_switch(gl, other) && make_image(&trial, wanted) && gl_switch(gl, NULL) && makes_texture(&trial);
        finish(&trial);
    }
}

/* With how many kinds of those that look alike the way is wrong, if with fewer than the limit and right with some; else
 * the limit. Of what is a texture a renderbuffer may not be made all the same: that image is refused when it comes. */
static uint32_t count_wrong(struct ocl_gl *gl, void *other, const struct gl_format *format, enum gl_image_way way,
                            const bool wanted[KINDS], uint32_t limit)
{
    uint32_t right = 0, wrong = 0;
    for (size_t i = 0; i < KINDS && wrong < limit; i++) {
        struct trial trial = begin(gl, other, format, &kinds[i]);
        trial.way = way;
        enum result result = wanted[i] ? try(&trial) : REFUSED;
        finish(&trial);
        right += result == RIGHT;
        wrong += result == WRONG;
        if (wanted[i] && !i && result != RIGHT) /* first levels of textures count */
            return limit;
    }
    return right ? wrong : limit;
}

/* The first way that is wrong with none of the kinds. NVIDIA's driver (580) makes textures of images of slices that show
 * something else by every way, to OpenGL as well; there is the first way that is wrong with the fewest kinds. */
static uint8_t choose(struct ocl_gl *gl, void *other, const struct gl_format *format, bool of_textures)
{
    bool wanted[KINDS];
    uint32_t least = KINDS + 1, best = GL_IMAGE_WAYS;
    look_at_kinds(gl, other, format, wanted);
    for (size_t i = 0; i < KINDS && !of_textures; i++)
        wanted[i] = !wanted[i];
    for (uint32_t way = 0; way < GL_IMAGE_WAYS && least; way++) {
        if (!of_textures && !by_renderbuffer((enum gl_image_way)way))
            continue;
        uint32_t wrong = count_wrong(gl, other, format, (enum gl_image_way)way, wanted, least);
        if (wrong < least)
            best = way;
        least = wrong < least ? wrong : least;
    }
    log_info("OpenGL: EGL's images of format 0x%x %s go by %s%s", format->internal,
             of_textures ? "of which textures are made" : "of which none are made", names[best],
             best < GL_IMAGE_WAYS && least ? ", with which some kinds are wrong" : "");
    return (uint8_t)best;
}

enum gl_image_way gl_find_image_way(struct ocl_gl *gl, const struct gl_format *format, bool makes_texture)
{
    uint32_t number = gl_format_number(format);
    uint8_t *ways = gl->image_formats[number].ways;
    if (gl->image_formats[number].tried)
        return (enum gl_image_way)ways[makes_texture];
    void *other = gl->binding->eglCreateImageKHR && gl->binding->eglDestroyImageKHR ? gl_make_other(gl) : NULL;
    if (!other)
        log_info("OpenGL: there is no trial of EGL's images: no other context of ours");
    for (int textures = 0; textures < 2; textures++)
        ways[textures] = other ? choose(gl, other, format, textures) : textures ? GL_IMAGE_FRAMEBUFFER : GL_IMAGE_WAYS;
    if (other)
        gl_destroy_other(gl, other);
    gl_drop_errors(gl);
    gl->image_formats[number].tried = true;
    return (enum gl_image_way)ways[makes_texture];
}
