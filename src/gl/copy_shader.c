/* Textures and their twins copied by a compute shader, as whole numbers of the texels' size, so that no bit changes.
 * GPUs that are made for computing draw slowly: an H200 blits 3840 x 2160 texels in 0.66 ms. The object's texture is bound
 * to an image unit of its own, which holds it, as texture units do. */
#include "src/gl/private.h"

#include <stdio.h>

/* The image format that shaders see; 0: none of that size. */
static uint32_t number_format(uint32_t texel_size)
{
    switch (texel_size) {
    case 1:
        return GL_R8UI;
    case 2:
        return GL_R16UI;
    case 4:
        return GL_R32UI;
    case 8:
        return GL_RG32UI;
    default:
        return GL_RGBA32UI;
    }
}

static const char *number_name(uint32_t texel_size)
{
    return texel_size == 1   ? "r8ui"
           : texel_size == 2 ? "r16ui"
           : texel_size == 4 ? "r32ui"
           : texel_size == 8 ? "rg32ui"
                             : "rgba32ui";
}

static uint32_t make_program(const struct gl_functions *f, uint32_t texel_size)
{
    char text[512];
    const char *name = number_name(texel_size);
    snprintf(text, sizeof(text),
             "#version 430\n"
             "layout(local_size_x = 16, local_size_y = 16) in;\n"
             "layout(%s) readonly uniform uimage2D source;\n"
             "layout(%s) writeonly uniform uimage2D target;\n"
             "void main() {\n"
             "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
             "    if (all(lessThan(at, imageSize(target))))\n"
             "        imageStore(target, at, imageLoad(source, at));\n"
             "}\n",
             name, name);
    return gl_link(f, &(struct gl_shader){GL_COMPUTE_SHADER, text}, 1);
}

static uint32_t find_program(struct ocl_gl *gl, uint32_t texel_size)
{
    uint32_t row = 0;
    while (1u << row < texel_size)
        row++;
    if (!gl->copy_programs[row])
        gl->copy_programs[row] = make_program(&gl->f, texel_size);
    return gl->copy_programs[row];
}

bool gl_hold_image(struct ocl_gl_object *object)
{
    struct ocl_gl *gl = object->gl;
    uint32_t target = object->shape.target, unit = 1; /* unit 0 is for twins */
    int32_t face = target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z
                       ? (int32_t)(target - GL_TEXTURE_CUBE_MAP_POSITIVE_X)
                       : 0;
    while (unit < gl->num_image_units && gl->image_units >> unit & 1)
        unit++;
    if (unit >= gl->num_image_units || !find_program(gl, object->format->texel_size))
        return false;
    gl->f.BindImageTexture(unit, object->shape.name, object->base_level, GL_FALSE, face, GL_READ_WRITE,
                           number_format(object->format->texel_size));
    if (gl->f.GetError() != GL_NO_ERROR)
        return false;
    object->image_unit = unit;
    gl->image_units |= 1u << unit;
    return true;
}

/* OpenGL 4.6, 8.26: an image unit of a texture that is not complete shows zeros, and drops what is written. (Mesa's drivers
 * do not care; NVIDIA's 580 does.) By default a texture wants all levels, and one of whole numbers wants to be filtered,
 * which it cannot. */
bool gl_image_shows(struct ocl_gl_object *object)
{
    const struct gl_functions *f = &object->gl->f;
    uint32_t binding = object->binding;
    int32_t shrinks = 0, grows = 0, levels = 0, base = 0, most = 0;
    cl_channel_type type = object->format->type;
    bool whole_numbers = type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
    f->GetTexParameteriv(binding, GL_TEXTURE_MIN_FILTER, &shrinks);
    f->GetTexParameteriv(binding, GL_TEXTURE_MAG_FILTER, &grows);
    if (whole_numbers && (grows != GL_NEAREST || (shrinks != GL_NEAREST && shrinks != GL_NEAREST_MIPMAP_NEAREST)))
        return false;
    if (shrinks < GL_NEAREST_MIPMAP_NEAREST || shrinks > GL_LINEAR_MIPMAP_LINEAR)
        return true;
    f->GetTexParameteriv(binding, GL_TEXTURE_IMMUTABLE_LEVELS, &levels);
    f->GetTexParameteriv(binding, GL_TEXTURE_BASE_LEVEL, &base);
    f->GetTexParameteriv(binding, GL_TEXTURE_MAX_LEVEL, &most);
    return levels || base == most;
}

void gl_let_image_go(struct ocl_gl_object *object)
{
    struct ocl_gl *gl = object->gl;
    if (!object->image_unit)
        return;
    gl->f.BindImageTexture(object->image_unit, 0, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    gl->image_units &= ~(1u << object->image_unit);
    object->image_unit = 0;
}

void gl_copy_image(struct ocl_gl_object *object, bool writes)
{
    enum { SIDE = 16, ALL_BARRIERS = -1 };
    const struct gl_functions *f = &object->gl->f;
    uint32_t program = find_program(object->gl, object->format->texel_size);
    int32_t own = (int32_t)object->image_unit;
    f->BindImageTexture(0, object->twin, 0, GL_FALSE, 0, GL_READ_WRITE, number_format(object->format->texel_size));
    f->UseProgram(program);
    f->Uniform1i(f->GetUniformLocation(program, "source"), writes ? 0 : own);
    f->Uniform1i(f->GetUniformLocation(program, "target"), writes ? own : 0);
    f->DispatchCompute(((uint32_t)object->shape.width + SIDE - 1) / SIDE,
                       ((uint32_t)object->shape.height + SIDE - 1) / SIDE, 1);
    (f->MemoryBarrier)((uint32_t)ALL_BARRIERS); /* on ARM64 Windows has a macro with an argument list of this name */
    f->UseProgram(0);
    f->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
}
