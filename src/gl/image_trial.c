/* The trial of EGL's images: whether what is made of one has the contents of the texture that the image was made of, in both
 * directions, between the worker's context and another, as the application's is, that shares nothing with it. An image
 * does not tell what it was made of. So images of several kinds are tried, of ours. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/log.h"

#include <string.h>

enum {
    KINDS = 4,
    SIDE = 16, /* of the image */
    SLICES = 4,
    BYTES = SIDE * SIDE * 4,
    EGL_GL_TEXTURE_2D = 0x30B1,
    EGL_GL_TEXTURE_3D = 0x30B2,
    EGL_GL_THIRD_FACE = 0x30B5,
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
};

struct trial {
    struct ocl_gl *gl;
    enum gl_image_way way;
    const struct kind *kind;
    const struct gl_format *format;
    void *other, *image;
    uint32_t texture; /* the other context's */
    uint32_t sibling; /* ours: a texture or, of GL_IMAGE_RENDERBUFFER, a renderbuffer */
    uint32_t framebuffer;
};

static void make_pattern(uint32_t seed, uint8_t bytes[BYTES])
{
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(0x20 + ((i + seed * 0x10001u) * 0x9e3779b9u >> 25));
}

/* ---- the other context's texture ---- */

static void define_level(const struct trial *trial, int32_t level, int32_t side)
{
    const struct gl_functions *f = &trial->gl->f;
    int32_t internal = (int32_t)trial->format->internal;
    uint32_t first = trial->kind->binding, last = first;
    if (first == GL_TEXTURE_3D) {
        f->TexImage3D(first, level, internal, side, side, SLICES, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        return;
    }
    if (first == GL_TEXTURE_CUBE_MAP) {
        first = GL_TEXTURE_CUBE_MAP_POSITIVE_X;
        last = GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
    }
    for (; first <= last; first++)
        f->TexImage2D(first, level, internal, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
}

/* Levels before the image's are larger, and there is one behind it: EGL wants complete textures. */
static void define_texture(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    int32_t last = trial->kind->level ? trial->kind->level + 1 : 0;
    f->ActiveTexture(GL_TEXTURE0);
    f->GenTextures(1, &trial->texture);
    f->BindTexture(trial->kind->binding, trial->texture);
    for (int32_t level = 0; level <= last; level++)
        define_level(trial, level, SIDE << trial->kind->level >> level);
    f->TexParameteri(trial->kind->binding, GL_TEXTURE_MAX_LEVEL, last);
    gl_set_nearest(f, trial->kind->binding);
    f->BindTexture(trial->kind->binding, 0);
}

static void put(const struct trial *trial, uint32_t seed)
{
    const struct gl_functions *f = &trial->gl->f;
    const struct kind *kind = trial->kind;
    uint8_t bytes[BYTES];
    make_pattern(seed, bytes);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(kind->binding, trial->texture);
    if (kind->binding == GL_TEXTURE_3D)
        f->TexSubImage3D(kind->target, kind->level, 0, 0, kind->layer, SIDE, SIDE, 1, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    else
        f->TexSubImage2D(kind->target, kind->level, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    f->BindTexture(kind->binding, 0);
    f->Finish();
}

static bool shows(const struct trial *trial, enum gl_image_way way, const struct gl_picture *picture, uint32_t seed)
{
    uint8_t wanted[BYTES], seen[BYTES] = {0};
    make_pattern(seed, wanted);
    return gl_read_picture(trial->gl, way, picture, seen) && !memcmp(wanted, seen, BYTES);
}

static bool has(const struct trial *trial, uint32_t seed)
{
    const struct gl_picture picture = {.target = trial->kind->target,
                                       .name = trial->texture,
                                       .level = trial->kind->level,
                                       .layer = trial->kind->layer,
                                       .format = trial->format,
                                       .width = SIDE,
                                       .height = SIDE};
    return shows(trial, GL_IMAGE_COPY, &picture, seed);
}

/* That context is current. */
static bool make_image(struct trial *trial)
{
    const struct kind *kind = trial->kind;
    const int32_t attributes[] = {EGL_IMAGE_PRESERVED,
                                  1,
                                  EGL_GL_TEXTURE_LEVEL,
                                  kind->level,
                                  kind->binding == GL_TEXTURE_3D ? EGL_GL_TEXTURE_ZOFFSET : EGL_END,
                                  kind->layer,
                                  EGL_END};
    struct ocl_gl *gl = trial->gl;
    define_texture(trial);
    put(trial, 1);
    trial->image = gl->binding->eglCreateImageKHR(gl->source.display, trial->other, kind->egl,
                                                  (void *)(uintptr_t)trial->texture, attributes);
    gl->f.Finish(); /* what that did to the contents */
    return trial->image;
}

/* ---- what is made of the image ---- */

static struct ocl_gl_object describe(const struct trial *trial)
{
    return (struct ocl_gl_object){.gl = trial->gl,
                                  .format = trial->format,
                                  .framebuffer = trial->framebuffer,
                                  .shape = {.width = SIDE, .height = SIDE}};
}

static bool make_sibling(struct trial *trial)
{
    const struct gl_functions *f = &trial->gl->f;
    gl_drop_errors(trial->gl);
    if (trial->way != GL_IMAGE_RENDERBUFFER) {
        trial->sibling = gl_make_sibling(trial->gl, trial->image);
        return f->GetError() == GL_NO_ERROR;
    }
    trial->sibling = gl_make_image_renderbuffer(trial->gl, trial->image);
    if (!trial->sibling)
        return false;
    f->GenFramebuffers(1, &trial->framebuffer);
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, trial->framebuffer);
    f->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, trial->sibling);
    f->ReadBuffer(GL_COLOR_ATTACHMENT0);
    bool complete = f->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                    gl_image_renderbuffer_format(f) == trial->format;
    f->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return complete && f->GetError() == GL_NO_ERROR;
}

static void put_sibling(const struct trial *trial, uint32_t seed)
{
    const struct gl_functions *f = &trial->gl->f;
    uint8_t bytes[BYTES];
    make_pattern(seed, bytes);
    if (trial->way == GL_IMAGE_RENDERBUFFER) {
        const struct ocl_gl_object object = describe(trial);
        gl_write_renderbuffer(&object, bytes);
    } else {
        f->ActiveTexture(GL_TEXTURE0);
        f->BindTexture(GL_TEXTURE_2D, trial->sibling);
        f->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
        f->BindTexture(GL_TEXTURE_2D, 0);
    }
    f->Finish();
}

/* A renderbuffer is blitted from, too (in_place.c). */
static bool sibling_has(const struct trial *trial, uint32_t seed)
{
    bool renderbuffer = trial->way == GL_IMAGE_RENDERBUFFER;
    const struct gl_picture picture = {.target = renderbuffer ? GL_RENDERBUFFER : GL_TEXTURE_2D,
                                       .name = trial->sibling,
                                       .format = trial->format,
                                       .width = SIDE,
                                       .height = SIDE};
    return shows(trial, renderbuffer ? GL_IMAGE_FRAMEBUFFER : trial->way, &picture, seed) &&
           (!renderbuffer || shows(trial, GL_IMAGE_COPY, &picture, seed));
}

/* ---- the trial ---- */

enum result { REFUSED, WRONG, RIGHT }; /* REFUSED: nothing is made of such an image */

static enum result fail(const struct trial *trial, const char *why)
{
    static const char *const names[GL_IMAGE_WAYS] = {"framebuffers of textures", "copies of textures",
                                                     "glGetTexImage()", "renderbuffers"};
    log_info("OpenGL: EGL's images of %s do not go by %s: %s", trial->kind->name, names[trial->way], why);
    return WRONG;
}

static enum result try(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    if (!gl_switch(gl, trial->other) || !make_image(trial) || !gl_switch(gl, NULL) || !make_sibling(trial))
        return REFUSED;
    if (!sibling_has(trial, 1))
        return fail(trial, "what is made of the image has not the contents of that which it is made of");
    put_sibling(trial, 2);
    if (!gl_switch(gl, trial->other) || !has(trial, 2))
        return fail(trial, "what is written there does not arrive in that which the image is made of");
    put(trial, 3);
    if (!gl_switch(gl, NULL) || !sibling_has(trial, 3))
        return fail(trial, "what is written to that which the image is made of does not arrive there");
    return RIGHT;
}

static void finish(struct trial *trial)
{
    struct ocl_gl *gl = trial->gl;
    if (trial->texture && gl_switch(gl, trial->other)) {
        gl->f.DeleteTextures(1, &trial->texture);
        gl_drop_errors(gl);
    }
    gl_switch(gl, NULL);
    if (trial->framebuffer)
        gl->f.DeleteFramebuffers(1, &trial->framebuffer);
    if (trial->sibling && trial->way == GL_IMAGE_RENDERBUFFER)
        gl->f.DeleteRenderbuffers(1, &trial->sibling);
    else if (trial->sibling)
        gl->f.DeleteTextures(1, &trial->sibling);
    if (trial->image)
        gl->binding->eglDestroyImageKHR(gl->source.display, trial->image);
    gl_drop_errors(gl);
}

static void try_way(struct ocl_gl *gl, enum gl_image_way way, void *other, enum result results[KINDS])
{
    static const int32_t sized[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < KINDS; i++) {
        struct trial trial = {
            .gl = gl, .way = way, .kind = &kinds[i], .format = gl_format_find(GL_RGBA8, sized), .other = other};
        results[i] = try(&trial);
        finish(&trial);
    }
}

/* ---- the choice ---- */

static uint32_t count(const enum result results[KINDS], enum result wanted, const bool of[KINDS])
{
    uint32_t number = 0;
    for (size_t i = 0; i < KINDS; i++)
        number += of[i] && results[i] == wanted;
    return number;
}

/* Images of which a texture is made go by the way that is wrong with the fewest kinds of them, and right with the most;
 * the first kind must be right. Others go by renderbuffers, if that is right with all kinds of them. An image tells no
 * more of its kind. */
static bool choose(struct ocl_gl *gl, void *other)
{
    enum result results[GL_IMAGE_WAYS][KINDS];
    bool textures[KINDS], rest[KINDS];
    int best = -1;
    for (int way = 0; way < GL_IMAGE_WAYS; way++)
        try_way(gl, (enum gl_image_way)way, other, results[way]);
    for (size_t i = 0; i < KINDS; i++) {
        textures[i] = results[GL_IMAGE_FRAMEBUFFER][i] != REFUSED;
        rest[i] = !textures[i];
    }
    for (int way = 0; way < GL_IMAGE_WAYS; way++) {
        if (results[way][0] != RIGHT)
            continue;
        uint32_t wrong = count(results[way], WRONG, textures), right = count(results[way], RIGHT, textures);
        uint32_t least = best < 0 ? KINDS + 1 : count(results[best], WRONG, textures),
                 most = best < 0 ? 0 : count(results[best], RIGHT, textures);
        if (wrong < least || (wrong == least && right > most))
            best = way;
        if (way != GL_IMAGE_RENDERBUFFER && best == way) {
            gl->image_texture_way = (enum gl_image_way)way;
            gl->image_textures_err = count(results[way], WRONG, textures) > 0;
        }
    }
    gl->image_way = best < 0 ? GL_IMAGE_FRAMEBUFFER : (enum gl_image_way)best;
    gl->images_beside = count(results[GL_IMAGE_RENDERBUFFER], WRONG, rest) == 0 &&
                        count(results[GL_IMAGE_RENDERBUFFER], RIGHT, rest) > 0;
    return best >= 0;
}

bool gl_images_arrive(struct ocl_gl *gl)
{
    if (gl->images != OCL_GL_UNTRIED)
        return gl->images == OCL_GL_RIGHT;
    void *other = gl->binding->eglCreateImageKHR && gl->binding->eglDestroyImageKHR ? gl_make_other(gl) : NULL;
    if (!other)
        log_info("OpenGL: there is no trial of EGL's images: no other context of ours");
    gl->images = !other || choose(gl, other) ? OCL_GL_RIGHT : OCL_GL_WRONG;
    if (other)
        gl_destroy_other(gl, other);
    gl_drop_errors(gl);
    return gl->images == OCL_GL_RIGHT;
}
