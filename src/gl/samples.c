/* The samples of multisampled textures. OpenGL hands them to shaders alone. So a triangle that covers everything is drawn
 * into a plane once for each sample of each layer: its fragments fetch the sample at their place. The plane has the
 * texture's format, so that nothing changes on the way; sRGB is decoded and encoded again, which is exact for 8 bits.
 * Depths become red, as floats or as 16 bits. */
#include "src/gl/private.h"

#include <stdio.h>

/* ---- programs ---- */

static uint32_t make_program(const struct ocl_gl *gl, enum gl_fragments fragments, bool array)
{
    static const char *const prefixes[] = {"", "i", "u"};
    char text[512];
    snprintf(text, sizeof(text),
             "#version 150\n"
             "uniform %ssampler2DMS%s source;\n"
             "uniform int layer, index;\n"
             "out %svec4 texel;\n"
             "void main() {\n"
             "    texel = texelFetch(source, %s, index);\n"
             "}\n",
             prefixes[fragments], array ? "Array" : "", prefixes[fragments],
             array ? "ivec3(ivec2(gl_FragCoord.xy), layer)" : "ivec2(gl_FragCoord.xy)");
    return gl_make_drawing(gl, text);
}

/* Depths become floats. */
static uint32_t find_program(struct ocl_gl *gl, const struct gl_format *format, bool array)
{
    enum gl_fragments fragments = gl_format_is_depth(format) ? GL_FRAGMENTS_FLOATS : gl_fragments_of(format);
    uint32_t *program = &gl->sample_programs[2 * fragments + array];
    if (!*program)
        *program = make_program(gl, fragments, array);
    return *program;
}

/* ---- the plane ---- */

struct plane {
    uint32_t texture, format, type;
    int32_t width, height;
};

/* Draws go to it, and reads come from it. */
static bool open_plane(struct ocl_gl_object *object, struct plane *plane)
{
    struct ocl_gl *gl = object->gl;
    const struct gl_functions *f = &gl->f;
    const struct gl_format *format = object->format;
    bool depth = gl_format_is_depth(format);
    uint32_t internal = !depth ? format->internal : format->texel_size == 2 ? GL_R16 : GL_R32F;
    *plane = (struct plane){.format = depth ? GL_RED : format->transfer,
                            .type = format->transfer_type,
                            .width = (int32_t)object->shape.width,
                            .height = (int32_t)object->shape.height};
    f->GenTextures(1, &plane->texture);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, plane->texture);
    f->TexImage2D(GL_TEXTURE_2D, 0, (int32_t)internal, plane->width, plane->height, 0, plane->format, plane->type,
                  NULL);
    if (!gl->scratch_framebuffer)
        f->GenFramebuffers(1, &gl->scratch_framebuffer);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, gl->scratch_framebuffer);
    f->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, 0, 0);
    f->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, plane->texture, 0);
    f->DrawBuffers(1, &(uint32_t){GL_COLOR_ATTACHMENT0});
    if (format->order == CL_sRGBA)
        f->Enable(GL_FRAMEBUFFER_SRGB);
    return f->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void close_plane(struct ocl_gl *gl, struct plane *plane)
{
    const struct gl_functions *f = &gl->f;
    f->Disable(GL_FRAMEBUFFER_SRGB);
    f->UseProgram(0);
    f->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    f->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, 0);
    f->DeleteTextures(1, &plane->texture);
}

/* ---- what shaders see ---- */

/* The parameters of a texture by which shaders see other than what it stores. The application has set them, and its
 * commands that need them are over while the texture is OpenCL's. */
struct view {
    int32_t swizzle[4], mode;
};

static void see_stored(const struct ocl_gl_object *object, struct view *before)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t target = object->shape.target;
    f->ActiveTexture(GL_TEXTURE0 + object->unit);
    for (uint32_t i = 0; i < 4; i++) {
        int32_t plain = (int32_t)(GL_RED + i);
        before->swizzle[i] = plain;
        f->GetTexParameteriv(target, GL_TEXTURE_SWIZZLE_R + i, &before->swizzle[i]);
        if (before->swizzle[i] != plain)
            f->TexParameteri(target, GL_TEXTURE_SWIZZLE_R + i, plain);
    }
    before->mode = GL_DEPTH_COMPONENT;
    if (object->format->order != CL_DEPTH_STENCIL)
        return;
    f->GetTexParameteriv(target, GL_DEPTH_STENCIL_TEXTURE_MODE, &before->mode);
    f->GetError(); /* before OpenGL 4.3 there is no such parameter */
    if (before->mode != GL_DEPTH_COMPONENT)
        f->TexParameteri(target, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_DEPTH_COMPONENT);
}

static void see_as_before(const struct ocl_gl_object *object, const struct view *before)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t target = object->shape.target;
    f->ActiveTexture(GL_TEXTURE0 + object->unit);
    for (uint32_t i = 0; i < 4; i++) {
        if (before->swizzle[i] != (int32_t)(GL_RED + i))
            f->TexParameteri(target, GL_TEXTURE_SWIZZLE_R + i, before->swizzle[i]);
    }
    if (before->mode != GL_DEPTH_COMPONENT)
        f->TexParameteri(target, GL_DEPTH_STENCIL_TEXTURE_MODE, before->mode);
    f->ActiveTexture(GL_TEXTURE0);
}

/* ---- all samples ---- */

cl_int gl_read_samples(struct ocl_gl_object *object, uintptr_t data)
{
    struct ocl_gl *gl = object->gl;
    const struct gl_functions *f = &gl->f;
    const struct ocl_gl_shape *shape = &object->shape;
    uint32_t program = find_program(gl, object->format, shape->layers > 0), layers, i;
    struct plane plane;
    struct view before;
    bool drawn = open_plane(object, &plane) && program;
    if (drawn) {
        f->UseProgram(program);
        f->Uniform1i(f->GetUniformLocation(program, "source"), (int32_t)object->unit);
    }
    see_stored(object, &before);
    f->ActiveTexture(GL_TEXTURE0);
    layers = shape->layers ? (uint32_t)shape->layers : 1;
    for (i = 0; drawn && i < layers * shape->samples; i++) {
        f->Uniform1i(f->GetUniformLocation(program, "layer"), (int32_t)(i / shape->samples));
        f->Uniform1i(f->GetUniformLocation(program, "index"), (int32_t)(i % shape->samples));
        gl_draw(gl, plane.width, plane.height);
        f->GetTexImage(GL_TEXTURE_2D, 0, plane.format, plane.type, (void *)data);
        data += (uint64_t)plane.width * (uint64_t)plane.height * object->format->texel_size;
    }
    see_as_before(object, &before);
    close_plane(gl, &plane);
    return drawn ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
