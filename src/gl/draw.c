/* Triangles that cover everything, whose fragments fetch the texel at their place: what framebuffers show becomes what a
 * texture has. Both have the same format, so that nothing changes on the way; sRGB is decoded and encoded again, which is
 * exact for 8 bits. */
#include "src/gl/private.h"

#include "base/util.h"

#include <stdio.h>

uint32_t gl_link(const struct gl_functions *f, const struct gl_shader *shaders, uint32_t count)
{
    int32_t linked = 0;
    uint32_t program = f->CreateProgram();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shader = f->CreateShader(shaders[i].type);
        f->ShaderSource(shader, 1, &shaders[i].text, NULL);
        f->CompileShader(shader);
        f->AttachShader(program, shader);
        f->DeleteShader(shader); /* with the program */
    }
    f->LinkProgram(program);
    f->GetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked)
        return program;
    f->DeleteProgram(program);
    return 0;
}

uint32_t gl_make_drawing(const struct ocl_gl *gl, const char *fragment)
{
    char vertex[256];
    const struct gl_shader shaders[] = {{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}};
    snprintf(vertex, sizeof(vertex),
             "#version %s\n"
             "void main() {\n"
             "    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
             "}\n",
             GL_SHADER_VERSION(gl));
    return gl_link(&gl->f, shaders, ARRAY_LENGTH(shaders));
}

void gl_draw(struct ocl_gl *gl, int32_t width, int32_t height)
{
    const struct gl_functions *f = &gl->f;
    if (!gl->empty_array)
        f->GenVertexArrays(1, &gl->empty_array);
    f->BindVertexArray(gl->empty_array);
    f->Viewport(0, 0, width, height);
    f->Disable(GL_DITHER);
    f->DrawArrays(GL_TRIANGLES, 0, 3);
}

enum gl_fragments gl_fragments_of(const struct gl_format *format)
{
    switch (format->type) {
    case CL_SIGNED_INT8:
    case CL_SIGNED_INT16:
    case CL_SIGNED_INT32:
        return GL_FRAGMENTS_INTEGERS;
    case CL_UNSIGNED_INT8:
    case CL_UNSIGNED_INT16:
    case CL_UNSIGNED_INT32:
        return GL_FRAGMENTS_NATURALS;
    default:
        return gl_format_is_depth(format) ? GL_FRAGMENTS_DEPTHS : GL_FRAGMENTS_FLOATS;
    }
}

static uint32_t find_program(struct ocl_gl *gl, enum gl_fragments fragments)
{
    static const char *const prefixes[] = {"", "i", "u"};
    static const char depths[] = "uniform highp sampler2D source;\n"
                                 "void main() {\n"
                                 "    gl_FragDepth = texelFetch(source, ivec2(gl_FragCoord.xy), 0).r;\n"
                                 "}\n",
                      colours[] = "uniform highp %ssampler2D source;\n"
                                  "out highp %svec4 texel;\n"
                                  "void main() {\n"
                                  "    texel = texelFetch(source, ivec2(gl_FragCoord.xy), 0);\n"
                                  "}\n";
    uint32_t *program = &gl->plane_programs[fragments];
    char text[512];
    if (*program)
        return *program;
    int length = snprintf(text, sizeof(text), "#version %s\nprecision highp float;\n", GL_SHADER_VERSION(gl));
    if (fragments == GL_FRAGMENTS_DEPTHS)
        snprintf(text + length, sizeof(text) - (size_t)length, "%s", depths);
    else
        snprintf(text + length, sizeof(text) - (size_t)length, colours, prefixes[fragments], prefixes[fragments]);
    return *program = gl_make_drawing(gl, text);
}

bool gl_draw_plane(struct ocl_gl *gl, const struct gl_picture *plane)
{
    const struct gl_functions *f = &gl->f;
    enum gl_fragments fragments = gl_fragments_of(plane->format);
    uint32_t program = find_program(gl, fragments);
    bool encodes = plane->format->order == CL_sRGBA && !gl->is_es; /* OpenGL ES always does */
    if (!program)
        return false;
    f->ActiveTexture(GL_TEXTURE0);
    f->BindTexture(GL_TEXTURE_2D, plane->name);
    f->UseProgram(program);
    f->Uniform1i(f->GetUniformLocation(program, "source"), 0);
    if (fragments == GL_FRAGMENTS_DEPTHS) {
        f->Enable(GL_DEPTH_TEST); /* without it no depth is written */
        f->DepthFunc(GL_ALWAYS);
    }
    if (encodes)
        f->Enable(GL_FRAMEBUFFER_SRGB);
    gl_draw(gl, plane->width, plane->height);
    if (encodes)
        f->Disable(GL_FRAMEBUFFER_SRGB);
    f->Disable(GL_DEPTH_TEST);
    f->UseProgram(0);
    f->BindTexture(GL_TEXTURE_2D, 0);
    return true;
}
