/* cl_khr_gl_sharing and cl_khr_gl_depth_images: buffers, textures of every target and format and renderbuffers go to
 * OpenCL and come back without any change, as glReadPixels and glGetTexImage see them; and what the calls refuse. */
#include "gl_formats.h"
#include "gl_test.h"

#include <limits.h>
#include <math.h>

struct target {
    GLenum target, binding;
    cl_gl_object_type type;
    cl_mem_object_type image;
    size_t region[3]; /* as OpenCL counts texels */
    bool depth;       /* may have depths */
    bool complete;    /* shaders may see it */
};

static const struct target targets[] = {
    {GL_TEXTURE_1D, GL_TEXTURE_1D, CL_GL_OBJECT_TEXTURE1D, CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}, false},
    {GL_TEXTURE_1D_ARRAY,
     GL_TEXTURE_1D_ARRAY,
     CL_GL_OBJECT_TEXTURE1D_ARRAY,
     CL_MEM_OBJECT_IMAGE1D_ARRAY,
     {13, 5, 1},
     false},
    {GL_TEXTURE_2D, GL_TEXTURE_2D, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D, {19, 11, 1}, true},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_RECTANGLE, CL_GL_OBJECT_TEXTURE2D, CL_MEM_OBJECT_IMAGE2D, {7, 9, 1}, true},
    {GL_TEXTURE_2D_ARRAY,
     GL_TEXTURE_2D_ARRAY,
     CL_GL_OBJECT_TEXTURE2D_ARRAY,
     CL_MEM_OBJECT_IMAGE2D_ARRAY,
     {9, 6, 4},
     true},
    {GL_TEXTURE_3D, GL_TEXTURE_3D, CL_GL_OBJECT_TEXTURE3D, CL_MEM_OBJECT_IMAGE3D, {9, 6, 5}, false},
    {GL_TEXTURE_CUBE_MAP_NEGATIVE_Y,
     GL_TEXTURE_CUBE_MAP,
     CL_GL_OBJECT_TEXTURE2D,
     CL_MEM_OBJECT_IMAGE2D,
     {8, 8, 1},
     false},
};

static const size_t zero[3] = {0, 0, 0};

static void define_level(const struct target *target, const struct format *format, GLint level, const size_t region[3],
                         const void *data)
{
    GLsizei width = (GLsizei)region[0], height = (GLsizei)region[1], depth = (GLsizei)region[2];
    GLint internal = (GLint)format->internal;
    if (target->target == GL_TEXTURE_1D)
        gl.TexImage1D(target->target, level, internal, width, 0, format->transfer, format->transfer_type, data);
    else if (target->target == GL_TEXTURE_3D || target->target == GL_TEXTURE_2D_ARRAY)
        gl.TexImage3D(target->target, level, internal, width, height, depth, 0, format->transfer, format->transfer_type,
                      data);
    else
        gl.TexImage2D(target->target, level, internal, width, height, 0, format->transfer, format->transfer_type, data);
}

static GLuint new_texture(const struct target *target, const struct format *format, const void *data)
{
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(target->binding, name);
    for (GLenum face = GL_TEXTURE_CUBE_MAP_POSITIVE_X;
         target->binding == GL_TEXTURE_CUBE_MAP && face <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z; face++) {
        const struct target other = {.target = face};
        define_level(&other, format, 0, target->region, NULL);
    }
    define_level(target, format, 0, target->region, data);
    if (target->complete) {
        gl.TexParameteri(target->binding, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl.TexParameteri(target->binding, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    return name;
}

/* By glReadPixels from where OpenGL draws to, where it draws to that format; else by glGetTexImage. */
static void read_back(const struct target *target, const struct format *format, GLuint name, unsigned char *data)
{
    GLuint framebuffer;
    bool depth = format->order == CL_DEPTH;
    GLenum attachment = depth ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0;
    if (target->image != CL_MEM_OBJECT_IMAGE2D) {
        gl.BindTexture(target->binding, name);
        gl.GetTexImage(target->target, 0, format->transfer, format->transfer_type, data);
        return;
    }
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, attachment, target->target, name, 0);
    gl.ReadBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
    gl.DrawBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
    if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        gl.ReadPixels(0, 0, (GLsizei)target->region[0], (GLsizei)target->region[1], format->transfer,
                      format->transfer_type, data);
    else
        gl.GetTexImage(target->target, 0, format->transfer, format->transfer_type, data);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
}

static void check_image_info(cl_mem mem, const struct target *target, const struct format *format, GLuint name)
{
    cl_image_format found;
    cl_gl_object_type type;
    cl_GLuint found_name;
    GLenum found_target;
    GLint level = 7, samples = 7;
    cl_mem_object_type image;
    OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(found), &found, NULL));
    CHECK(found.image_channel_order == format->order && found.image_channel_data_type == format->type);
    OK(clGetGLObjectInfo(mem, &type, &found_name));
    CHECK(type == target->type && found_name == name);
    OK(clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof(image), &image, NULL));
    CHECK(image == target->image);
    OK(clGetGLTextureInfo(mem, CL_GL_TEXTURE_TARGET, sizeof(found_target), &found_target, NULL));
    CHECK(found_target == target->target);
    OK(clGetGLTextureInfo(mem, CL_GL_MIPMAP_LEVEL, sizeof(level), &level, NULL));
    CHECK(level == 0);
    OK(clGetGLTextureInfo(mem, CL_GL_NUM_SAMPLES, sizeof(samples), &samples, NULL));
    CHECK(samples == 1);
}

/* To OpenCL, and other texels back. */
static void check_texture(const struct target *target, const struct format *format)
{
    size_t size = size_of(format, target->region);
    unsigned char *first = malloc(size), *second = malloc(size), *seen = calloc(1, size);
    fill(format, first, size);
    fill(format, second, size);
    GLuint name = new_texture(target, format, first);
    NEED(gl.GetError() == GL_NO_ERROR);
    cl_mem mem = image_from(target->target, 0, name);
    check_image_info(mem, target, format, name);
    acquire(mem);
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, target->region, 0, 0, seen, 0, NULL, NULL));
    bool arrives = !memcmp(first, seen, size);
    OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, target->region, 0, 0, second, 0, NULL, NULL));
    give_back(mem);
    read_back(target, format, name, seen);
    bool returns = !memcmp(second, seen, size);
    if (!arrives || !returns)
        fprintf(stderr, "target 0x%x, format 0x%x: %s\n", target->target, format->internal,
                arrives ? "does not come back" : "does not arrive");
    CHECK(arrives && returns);
    OK(clReleaseMemObject(mem));
    gl.DeleteTextures(1, &name);
    free(first);
    free(second);
    free(seen);
}

static void test_textures(void)
{
    for (size_t t = 0; t < COUNT(targets); t++) {
        for (size_t f = 0; f < COUNT(formats); f++) {
            if (formats[f].order != CL_DEPTH || targets[t].depth)
                check_texture(&targets[t], &formats[f]);
        }
    }
}

/* Larger ones may go by other ways; planes with texels of every size. */
static void test_large_textures(void)
{
    static const size_t one[3] = {1, 1, 1};
    struct target plane = targets[2];
    plane.region[0] = 300;
    for (size_t size = 1; size <= 16; size *= 2) {
        size_t f = 0;
        while (size_of(&formats[f], one) != size || formats[f].order == CL_DEPTH)
            f++;
        plane.complete = false;
        check_texture(&plane, &formats[f]);
        plane.complete = true;
        check_texture(&plane, &formats[f]);
    }
    for (size_t t = 0; t < COUNT(targets); t++) {
        struct target large = targets[t];
        large.complete = true;
        large.region[0] = 512 - large.region[0];
        if (large.region[1] > 1 && large.image != CL_MEM_OBJECT_IMAGE1D_ARRAY)
            large.region[1] = 512 - large.region[1];
        check_texture(&large, &formats[0]);
    }
}

/* ---- renderbuffers ---- */

/* OpenGL copies from a texture into the renderbuffer. What it shows of that then is what arrives: some clamp what they
 * copy. */
static void check_renderbuffer(const struct format *format)
{
    static const struct target plane = {GL_TEXTURE_2D,         GL_TEXTURE_2D, CL_GL_OBJECT_TEXTURE2D,
                                        CL_MEM_OBJECT_IMAGE2D, {19, 11, 1},   true};
    bool depth = format->order == CL_DEPTH;
    GLenum attachment = depth ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0;
    size_t size = size_of(format, plane.region);
    unsigned char *first = malloc(size), *second = malloc(size), *shown = malloc(size), *seen = calloc(1, size);
    GLuint name, framebuffers[2], texture = 0;
    cl_int error;
    fill(format, first, size);
    fill(format, second, size);
    texture = new_texture(&plane, format, first);
    gl.GenRenderbuffers(1, &name);
    gl.BindRenderbuffer(GL_RENDERBUFFER, name);
    gl.RenderbufferStorage(GL_RENDERBUFFER, format->internal, 19, 11);
    gl.GenFramebuffers(2, framebuffers);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
    gl.ReadBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
    gl.DrawBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
    bool drawn_to = gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[1]);
    gl.FramebufferTexture2D(GL_READ_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
    gl.ReadBuffer(depth ? GL_NONE : GL_COLOR_ATTACHMENT0);
    if (drawn_to) {
        gl.BlitFramebuffer(0, 0, 19, 11, 0, 0, 19, 11, depth ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT, GL_NEAREST);
        gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
        gl.ReadPixels(0, 0, 19, 11, format->transfer, format->transfer_type, shown);
        cl_mem mem = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, name, &error);
        NEED(error == CL_SUCCESS);
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, plane.region, 0, 0, seen, 0, NULL, NULL));
        bool arrives = !memcmp(shown, seen, size);
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, plane.region, 0, 0, second, 0, NULL, NULL));
        give_back(mem);
        gl.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
        gl.ReadPixels(0, 0, 19, 11, format->transfer, format->transfer_type, seen);
        bool returns = !memcmp(second, seen, size);
        if (!arrives || !returns)
            fprintf(stderr, "renderbuffer of format 0x%x:%s%s\n", format->internal, arrives ? "" : " does not arrive",
                    returns ? "" : " does not come back");
        CHECK(arrives && returns);
        CODE(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(mem, CL_GL_MIPMAP_LEVEL, sizeof(error), &error, NULL));
        OK(clReleaseMemObject(mem));
    }
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(2, framebuffers);
    gl.DeleteRenderbuffers(1, &name);
    gl.DeleteTextures(1, &texture);
    while (gl.GetError() != GL_NO_ERROR) /* formats that it draws to nowhere */
        ;
    free(first);
    free(second);
    free(shown);
    free(seen);
}

static void test_renderbuffers(void)
{
    for (size_t f = 0; f < COUNT(formats); f++)
        check_renderbuffer(&formats[f]);
}

/* ---- levels, depth and stencil ---- */

static void test_levels(void)
{
    enum { SIDE = 16, LEVELS = 5 };
    unsigned char texels[SIDE * SIDE * 4], seen[SIDE * SIDE * 4];
    static const struct target plane = {.target = GL_TEXTURE_2D, .binding = GL_TEXTURE_2D};
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (GLint level = 0; level < LEVELS; level++) {
        const size_t region[3] = {SIDE >> level, SIDE >> level, 1};
        memset(texels, 0x11 * (level + 1), sizeof(texels));
        define_level(&plane, &formats[0], level, region, texels);
    }
    cl_mem one = image_from(GL_TEXTURE_2D, 2, name), all = image_from(GL_TEXTURE_2D, -1, name);
    size_t width = 0;
    cl_uint levels = 0;
    OK(clGetImageInfo(one, CL_IMAGE_WIDTH, sizeof(width), &width, NULL));
    OK(clGetImageInfo(all, CL_IMAGE_NUM_MIP_LEVELS, sizeof(levels), &levels, NULL));
    CHECK(width == SIDE >> 2 && levels == LEVELS);
    acquire(one);
    acquire(all);
    const size_t small[3] = {SIDE >> 2, SIDE >> 2, 1}, third[3] = {0, 0, 3}, two[3] = {2, 2, 1};
    OK(clEnqueueReadImage(queue, one, CL_TRUE, zero, small, 0, 0, seen, 0, NULL, NULL));
    CHECK(seen[0] == 0x33 && seen[63] == 0x33);
    OK(clEnqueueReadImage(queue, all, CL_TRUE, third, two, 0, 0, seen, 0, NULL, NULL));
    CHECK(seen[0] == 0x44 && seen[15] == 0x44);
    memset(texels, 0x77, sizeof(texels));
    OK(clEnqueueWriteImage(queue, all, CL_TRUE, third, two, 0, 0, texels, 0, NULL, NULL));
    give_back(all);
    give_back(one); /* nobody wrote it: OpenGL keeps what it has */
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (GLint level = 0; level < LEVELS; level++) {
        gl.GetTexImage(GL_TEXTURE_2D, level, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        CHECK(seen[0] == (level == 3 ? 0x77 : 0x11 * (level + 1)));
    }
    NO_OBJECT(CL_INVALID_MIP_LEVEL, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 5, name, &error));
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    gl.Finish();
    NO_OBJECT(CL_INVALID_MIP_LEVEL, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, name, &error));
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(all));
    gl.DeleteTextures(1, &name);
}

/* Kernels see the depth; the stencil, which OpenCL does not see, stays. */
static void check_depth_stencil(GLenum internal, GLenum transfer_type, const uint32_t *texels, uint32_t words,
                                cl_channel_type type, size_t element)
{
    enum { SIDE = 4, COUNT_OF = SIDE * SIDE };
    static const struct target plane = {.target = GL_TEXTURE_2D, .binding = GL_TEXTURE_2D, .region = {SIDE, SIDE, 1}};
    const struct format format = {internal, CL_DEPTH_STENCIL, type, GL_DEPTH_STENCIL, transfer_type, 4 * words, 4};
    cl_program program = build("kernel void read(read_only image2d_depth_t from, global float *to) {"
                               "    int2 at = (int2)(get_global_id(0), get_global_id(1));"
                               "    to[at.y * 4 + at.x] = read_imagef(from, at); }",
                               "");
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "read", &error);
    cl_mem out = buffer_of(CL_MEM_WRITE_ONLY, COUNT_OF * 4, NULL);
    GLuint name = new_texture(&plane, &format, texels);
    cl_mem mem = image_from(GL_TEXTURE_2D, 0, name);
    cl_image_format found;
    size_t size, global[2] = {SIDE, SIDE};
    float seen[COUNT_OF];
    OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(found), &found, NULL));
    CHECK(found.image_channel_order == CL_DEPTH_STENCIL && found.image_channel_data_type == type);
    OK(clGetImageInfo(mem, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL));
    CHECK(size == element);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
    acquire(mem);
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
    for (int i = 0; i < COUNT_OF; i++) {
        float expected;
        memcpy(&expected, &texels[words * i], 4);
        if (words == 1)
            expected = (float)((double)(texels[i] >> 8) / 16777215.0);
        CHECK(fabsf(seen[i] - expected) <= expected * 0x1p-23f); /* OpenGL makes floats of 24 bits */
    }
    CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, mem, CL_TRUE, zero, plane.region, 0, 0, seen, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueFillImage(queue, mem, seen, zero, plane.region, 0, NULL, NULL));
    give_back(mem);
    uint32_t after[2 * COUNT_OF];
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.GetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_STENCIL, transfer_type, after);
    for (uint32_t i = 0; i < words * COUNT_OF; i++)
        CHECK(words == 2 && i % 2 ? (after[i] & 255) == (texels[i] & 255) : after[i] == texels[i]);
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    gl.DeleteTextures(1, &name);
}

static void test_depth_stencil(void)
{
    uint32_t packed[16], pairs[32];
    for (uint32_t i = 0; i < 16; i++) {
        float depth = (float)i / 16.0f;
        packed[i] = (i * 0x0fffffu + (i == 15)) << 8 | (i * 3 + 1);
        memcpy(&pairs[2 * i], &depth, 4);
        pairs[2 * i + 1] = i + 5;
    }
    check_depth_stencil(GL_DEPTH24_STENCIL8, GL_UNSIGNED_INT_24_8, packed, 1, CL_UNORM_INT24, 4);
    check_depth_stencil(GL_DEPTH32F_STENCIL8, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, pairs, 2, CL_FLOAT, 8);
}

/* ---- samples ---- */

enum { SAMPLED_SIDE = 6 };

static GLuint colour_program(void)
{
    static const char *const texts[2] = {
        "#version 150\n"
        "void main() {"
        "    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }",
        "#version 150\n"
        "uniform int red; out vec4 colour;"
        "void main() { colour = vec4(float(red) / 255.0, floor(gl_FragCoord.x) / 255.0, 0.0, 1.0); }"};
    GLuint program = gl.CreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = gl.CreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        gl.ShaderSource(shader, 1, &texts[i], NULL);
        gl.CompileShader(shader);
        gl.AttachShader(program, shader);
        gl.DeleteShader(shader);
    }
    gl.LinkProgram(program);
    return program;
}

/* Each sample of each layer gets a colour of its own. */
static void draw_samples(GLuint name, GLsizei layers, GLint samples)
{
    GLuint framebuffer, array, program = colour_program();
    gl.GenFramebuffers(1, &framebuffer);
    gl.GenVertexArrays(1, &array);
    gl.BindVertexArray(array);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.UseProgram(program);
    gl.Viewport(0, 0, SAMPLED_SIDE, SAMPLED_SIDE);
    gl.Enable(GL_SAMPLE_MASK);
    for (GLsizei layer = 0; layer < layers; layer++) {
        if (layers > 1)
            gl.FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, layer);
        else
            gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, name, 0);
        gl.DrawBuffer(GL_COLOR_ATTACHMENT0);
        for (GLint sample = 0; sample < samples; sample++) {
            gl.SampleMaski(0, 1u << sample);
            gl.Uniform1i(gl.GetUniformLocation(program, "red"), layer * 50 + sample * 10 + 1);
            gl.DrawArrays(GL_TRIANGLES, 0, 3);
        }
    }
    gl.SampleMaski(0, ~0u);
    gl.Disable(GL_SAMPLE_MASK);
    gl.UseProgram(0);
    gl.DeleteProgram(program);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
}

/* Reads of samples, texels and layers that are not there give zeros in robust contexts. The image is acquired. */
static void check_samples_outside(cl_program program, cl_mem mem, GLsizei layers, GLint samples)
{
    const cl_int last = SAMPLED_SIDE - 1, places[][4] = {{0, 0, 0, samples},
                                                         {0, 0, 0, samples + 1},
                                                         {0, 0, 0, 65536},
                                                         {0, 0, 0, INT_MAX},
                                                         {0, 0, 0, -1},
                                                         {last, last, layers - 1, -samples},
                                                         {last, last, layers - 1, INT_MIN},
                                                         {last, last, layers - 1, samples},
                                                         {last + 1, 0, 0, 0},
                                                         {0, last + 1, 0, 0},
                                                         {0, -1, 0, 0},
                                                         {INT_MIN, 0, 0, 0},
                                                         {0, 0, layers, 0},
                                                         {0, 0, -1, samples},
                                                         {0, 0, 0x40000000, 0},
                                                         {0, 0, INT_MIN, 0}};
    const char *robust = getenv("PUMICE_ROBUST");
    const size_t one = 1;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "far", &error);
    cl_mem out = buffer_of(CL_MEM_WRITE_ONLY, 16, NULL);
    NEED(error == CL_SUCCESS);
    for (size_t i = 0; i < COUNT(places) && robust && strcmp(robust, "1") == 0; i++) {
        float seen[4] = {1, 1, 1, 1};
        if (layers == 1 && (places[i][2] < 0 || places[i][2] >= layers))
            continue;
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
        OK(clSetKernelArg(kernel, 2, sizeof(places[i]), places[i]));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
        for (int c = 0; c < 4; c++)
            CHECK(seen[c] == 0.0f);
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void check_samples(GLsizei layers, GLint samples)
{
    enum { LAYERS = 3, SAMPLES = 4, TEXELS = SAMPLED_SIDE * SAMPLED_SIDE };
    GLenum target = layers > 1 ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
    cl_program program =
        build("#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable\n"
              "#ifdef ARRAY\n"
              "kernel void far(read_only image2d_array_msaa_t from, global float4 *to, int4 at) {\n"
              "    *to = read_imagef(from, (int4)(at.xyz, 0), at.w);\n"
              "}\n"
              "#else\n"
              "kernel void far(read_only image2d_msaa_t from, global float4 *to, int4 at) {\n"
              "    *to = read_imagef(from, at.xy, at.w);\n"
              "}\n"
              "#endif\n"
              "kernel void read(\n"
              "#ifdef ARRAY\n"
              "    read_only image2d_array_msaa_t from, global float4 *to, global int *sizes) {\n"
              "    sizes[3] = (int)get_image_array_size(from);\n"
              "#define AT (int4)(x, y, layer, 0)\n"
              "#else\n"
              "    read_only image2d_msaa_t from, global float4 *to, global int *sizes) {\n"
              "    sizes[3] = 1;\n"
              "#define AT (int2)(x, y)\n"
              "#endif\n"
              "    sizes[0] = get_image_width(from);\n"
              "    sizes[1] = get_image_height(from);\n"
              "    sizes[2] = get_image_num_samples(from);\n"
              "    int x = get_global_id(0), y = get_global_id(1), layer = get_global_id(2);\n"
              "    for (int s = 0; s < sizes[2]; s++)\n"
              "        to[((layer * sizes[2] + s) * sizes[1] + y) * sizes[0] + x] = read_imagef(from, AT, s);\n"
              "}\n",
              layers > 1 ? "-DARRAY" : "");
    cl_int error, sizes[4];
    cl_kernel kernel = clCreateKernel(program, "read", &error);
    static float seen[LAYERS * SAMPLES * TEXELS][4];
    cl_mem out = buffer_of(CL_MEM_WRITE_ONLY, sizeof(seen), NULL), size_out = buffer_of(CL_MEM_READ_WRITE, 16, NULL);
    const size_t global[3] = {SAMPLED_SIDE, SAMPLED_SIDE, (size_t)layers};
    GLuint name;
    cl_GLint told = 0;
    cl_uint told_by_image = 0;
    gl.GenTextures(1, &name);
    gl.BindTexture(target, name);
    if (layers > 1)
        gl.TexImage3DMultisample(target, samples, GL_RGBA8, SAMPLED_SIDE, SAMPLED_SIDE, layers, GL_TRUE);
    else
        gl.TexImage2DMultisample(target, samples, GL_RGBA8, SAMPLED_SIDE, SAMPLED_SIDE, GL_TRUE);
    draw_samples(name, layers, samples);
    gl.BindTexture(target, name);
    gl.TexParameteri(target, GL_TEXTURE_SWIZZLE_R, GL_BLUE); /* what OpenGL's shaders see is not what is stored */
    gl.TexParameteri(target, GL_TEXTURE_SWIZZLE_A, GL_ZERO);
    cl_mem mem = clCreateFromGLTexture(context, CL_MEM_READ_ONLY, target, 0, name, &error);
    NEED(error == CL_SUCCESS);
    OK(clGetGLTextureInfo(mem, CL_GL_NUM_SAMPLES, sizeof(told), &told, NULL));
    OK(clGetImageInfo(mem, CL_IMAGE_NUM_SAMPLES, sizeof(told_by_image), &told_by_image, NULL));
    CHECK(told == samples && told_by_image == (cl_uint)samples);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 2, sizeof(size_out), &size_out));
    acquire(mem);
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, size_out, CL_TRUE, 0, 16, sizes, 0, NULL, NULL));
    CHECK(sizes[0] == SAMPLED_SIDE && sizes[1] == SAMPLED_SIDE && sizes[2] == samples && sizes[3] == layers);
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
    bool right = true;
    for (int i = 0; i < layers * samples * TEXELS; i++) {
        int x = i % SAMPLED_SIDE, sample = i / TEXELS % samples, layer = i / TEXELS / samples;
        const int expected[4] = {layer * 50 + sample * 10 + 1, x, 0, 255};
        for (int c = 0; c < 4; c++)
            right = right && (int)(seen[i][c] * 255.0f + 0.5f) == expected[c];
    }
    CHECK(right);
    const size_t region[3] = {1, 1, 1};
    CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    check_samples_outside(program, mem, layers, samples);
    give_back(mem);
    GLint swizzle[2] = {0, 0};
    gl.BindTexture(target, name);
    gl.GetTexParameteriv(target, GL_TEXTURE_SWIZZLE_R, &swizzle[0]);
    gl.GetTexParameteriv(target, GL_TEXTURE_SWIZZLE_A, &swizzle[1]);
    CHECK(swizzle[0] == GL_BLUE && swizzle[1] == GL_ZERO);
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(size_out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    gl.DeleteTextures(1, &name);
}

/* Samples below 0, which contexts of the compatibility profile clamp where they may. */
static void test_signed_samples(void)
{
    enum { SIDE = 4, SAMPLES = 4 };
    static const float wanted[4] = {-1.0f, -64.0f / 127.0f, 32.0f / 127.0f, 1.0f};
    cl_program program = build("#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable\n"
                               "kernel void read(read_only image2d_msaa_t from, global float4 *to) {"
                               "    *to = read_imagef(from, (int2)(1, 2), 3); }",
                               "");
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "read", &error);
    cl_mem out = buffer_of(CL_MEM_WRITE_ONLY, 16, NULL);
    const size_t one = 1;
    float seen[4];
    GLuint name, framebuffer;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D_MULTISAMPLE, name);
    gl.TexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, SAMPLES, GL_RGBA8_SNORM, SIDE, SIDE, GL_TRUE);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, name, 0);
    gl.DrawBuffer(GL_COLOR_ATTACHMENT0);
    if (gl.GetError() == GL_NO_ERROR && gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
        gl.ClearBufferfv(GL_COLOR, 0, wanted);
        cl_mem mem = clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D_MULTISAMPLE, 0, name, &error);
        NEED(error == CL_SUCCESS);
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
        acquire(mem);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
        for (int i = 0; i < 4; i++)
            CHECK(fabsf(seen[i] - wanted[i]) < 1e-5f);
        give_back(mem);
        OK(clReleaseMemObject(mem));
    }
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
    gl.DeleteTextures(1, &name);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* A kernel's argument is of samples or it is not. */
static void test_samples_refused(void)
{
    cl_program program = build("kernel void plain(read_only image2d_t image) {}\n"
                               "#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable\n"
                               "kernel void many(read_only image2d_msaa_t image) {}\n",
                               "");
    cl_int error;
    cl_kernel plain = clCreateKernel(program, "plain", &error), many = clCreateKernel(program, "many", &error);
    GLuint names[2] = {new_plane(4, 4, NULL)};
    gl.GenTextures(1, &names[1]);
    gl.BindTexture(GL_TEXTURE_2D_MULTISAMPLE, names[1]);
    gl.TexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 4, 4, GL_TRUE);
    cl_mem one = image_from(GL_TEXTURE_2D, 0, names[0]), samples = image_from(GL_TEXTURE_2D_MULTISAMPLE, 0, names[1]);
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(plain, 0, sizeof(samples), &samples));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(many, 0, sizeof(one), &one));
    OK(clSetKernelArg(many, 0, sizeof(samples), &samples));
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(samples));
    OK(clReleaseKernel(plain));
    OK(clReleaseKernel(many));
    OK(clReleaseProgram(program));
    gl.DeleteTextures(2, names);
}

static void test_samples(void)
{
    const struct test_device found = {.platform = platform, .id = device};
    if (!test_has_extension(&found, "cl_khr_gl_msaa_sharing"))
        return;
    check_samples(1, 4);
    check_samples(3, 4);
    test_signed_samples();
    test_samples_refused();
}

/* ---- buffers ---- */

static void test_buffers(void)
{
    enum { WORDS = 1000, SIZE = WORDS * 4 };
    cl_uint words[WORDS], seen[WORDS];
    cl_program program =
        build("kernel void step(global uint *data) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + 1; }", "");
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    for (cl_uint i = 0; i < WORDS; i++)
        words[i] = i * 77;
    GLuint name = new_buffer(SIZE, words);
    cl_mem mem = buffer_from(name);
    cl_gl_object_type type;
    size_t size = 0, count = WORDS;
    OK(clGetGLObjectInfo(mem, &type, NULL));
    OK(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(size), &size, NULL));
    CHECK(type == CL_GL_OBJECT_BUFFER && size == SIZE);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    acquire(mem);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    give_back(mem);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, SIZE, seen);
    bool right = true;
    for (cl_uint i = 0; i < WORDS; i++)
        right = right && seen[i] == i * 77 * 3 + 1;
    CHECK(right);
    gl.BufferSubData(GL_ARRAY_BUFFER, 8, 4, &(cl_uint){12345});
    acquire(mem);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 8, 4, seen, 0, NULL, NULL));
    CHECK(seen[0] == 12345);
    give_back(mem);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    gl.DeleteBuffers(1, &name);
}

/* A part of a buffer that a texture shows. */
static void check_buffer_texture(const struct format *format, size_t offset)
{
    enum { TEXELS = 50 };
    const size_t region[3] = {TEXELS, 1, 1};
    size_t size = size_of(format, region);
    unsigned char *first = malloc(offset + size), *second = malloc(size), *seen = calloc(1, offset + size);
    fill(format, first, offset + size);
    fill(format, second, size);
    GLuint buffer = new_buffer(offset + size, first), name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_BUFFER, name);
    if (offset)
        gl.TexBufferRange(GL_TEXTURE_BUFFER, format->internal, buffer, (GLintptr)offset, (GLsizeiptr)size);
    else
        gl.TexBuffer(GL_TEXTURE_BUFFER, format->internal, buffer);
    if (gl.GetError() == GL_NO_ERROR) {
        cl_gl_object_type type;
        cl_mem mem = image_from(GL_TEXTURE_BUFFER, 0, name);
        OK(clGetGLObjectInfo(mem, &type, NULL));
        CHECK(type == CL_GL_OBJECT_TEXTURE_BUFFER);
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(first + offset, seen, size));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, second, 0, NULL, NULL));
        give_back(mem);
        gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(offset + size), seen);
        CHECK(!memcmp(second, seen + offset, size) && !memcmp(first, seen, offset));
        OK(clReleaseMemObject(mem));
    }
    gl.DeleteTextures(1, &name);
    gl.DeleteBuffers(1, &buffer);
    free(first);
    free(second);
    free(seen);
}

/* SwiftShader has no texel buffers of 16-bit normalised numbers. */
static bool has_buffer_format(const struct format *format)
{
    cl_image_format all[256];
    cl_uint count;
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, COUNT(all), all, &count));
    for (cl_uint i = 0; i < count && i < COUNT(all); i++) {
        if (all[i].image_channel_order == format->order && all[i].image_channel_data_type == format->type)
            return true;
    }
    return false;
}

static void test_buffer_textures(void)
{
    static const GLenum shown[] = {GL_RGBA8,   GL_RGBA16,  GL_RGBA16F,  GL_RGBA32F,  GL_RGBA8I, GL_RGBA16I,
                                   GL_RGBA32I, GL_RGBA8UI, GL_RGBA16UI, GL_RGBA32UI, GL_R8,     GL_R16F,
                                   GL_R32F,    GL_R32UI,   GL_RG8,      GL_RG32F};
    for (size_t f = 0; f < COUNT(formats); f++) {
        for (size_t i = 0; i < COUNT(shown) && has_buffer_format(&formats[f]); i++) {
            if (shown[i] == formats[f].internal)
                check_buffer_texture(&formats[f], 0);
            if (shown[i] == formats[f].internal)
                check_buffer_texture(&formats[f], 1024);
        }
    }
}

/* ---- what is refused ---- */

static void test_objects_refused(void)
{
    cl_int error;
    unsigned char texels[64] = {0};
    GLuint plane = new_plane(4, 4, texels), buffer = new_buffer(64, texels), empty, unborn, odd, many;
    gl.GenBuffers(1, &empty);
    gl.BindBuffer(GL_ARRAY_BUFFER, empty);
    gl.GenTextures(1, &unborn);
    gl.GenTextures(1, &odd);
    gl.BindTexture(GL_TEXTURE_2D, odd);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_R3_G3_B2, 4, 4, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
    gl.GenRenderbuffers(1, &many);
    gl.BindRenderbuffer(GL_RENDERBUFFER, many);
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLRenderbuffer(context, CL_MEM_READ_ONLY, many, &error));
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 4, 4);
    gl.Finish();
    NO_OBJECT(CL_INVALID_OPERATION, clCreateFromGLRenderbuffer(context, CL_MEM_READ_ONLY, many, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLRenderbuffer(context, CL_MEM_READ_ONLY, 0, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLRenderbuffer(context, CL_MEM_READ_ONLY, 4711, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateFromGLBuffer(NULL, CL_MEM_READ_ONLY, buffer, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromGLBuffer(context, CL_MEM_USE_HOST_PTR, buffer, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromGLBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, buffer, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLBuffer(context, CL_MEM_READ_ONLY, 0, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLBuffer(context, CL_MEM_READ_ONLY, empty, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLBuffer(context, CL_MEM_READ_ONLY, 4711, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_CUBE_MAP, 0, plane, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, 0, 0, plane, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_3D, 0, plane, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, 4711, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, unborn, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 1, plane, &error));
    NO_OBJECT(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
              clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, odd, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromGLTexture3D(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, plane, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromGLTexture2D(context, CL_MEM_READ_ONLY, GL_TEXTURE_3D, 0, plane, &error));
    cl_mem old = clCreateFromGLTexture2D(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, plane, &error);
    CHECK(old && error == CL_SUCCESS);
    OK(clReleaseMemObject(old));
    const cl_image_format depths = {CL_DEPTH_STENCIL, CL_UNORM_INT24};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    NO_OBJECT(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
              clCreateImage(context, CL_MEM_READ_ONLY, &depths, &desc, NULL, &error));
    gl.DeleteTextures(1, &plane);
    gl.DeleteTextures(1, &odd);
    gl.DeleteBuffers(1, &buffer);
    gl.DeleteRenderbuffers(1, &many);
}

static void test_commands_refused(void)
{
    cl_mem plain = buffer_of(CL_MEM_READ_WRITE, 64, NULL);
    cl_GLuint name;
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireGLObjects(NULL, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueAcquireGLObjects(queue, 1, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReleaseGLObjects(queue, 0, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueAcquireGLObjects(queue, 1, &(cl_mem){NULL}, 0, NULL, NULL));
    CODE(CL_INVALID_GL_OBJECT, clEnqueueAcquireGLObjects(queue, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_GL_OBJECT, clEnqueueReleaseGLObjects(queue, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(plain, NULL, &name));
    CODE(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(NULL, NULL, &name));
    CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueAcquireGLObjects(queue, 0, NULL, 1, NULL, NULL));
    OK(clEnqueueAcquireGLObjects(queue, 0, NULL, 0, NULL, NULL));
    OK(clEnqueueReleaseGLObjects(queue, 0, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(plain));
}

static void try_context(cl_int expected, cl_context_properties a, cl_context_properties b, cl_context_properties c,
                        cl_context_properties d, cl_context_properties e, cl_context_properties f)
{
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)platform, a, b, c, d, e, f, 0};
    cl_device_id devices[4];
    cl_int error = CL_SUCCESS;
    cl_context made = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    CHECK(!made && error == expected);
    if (expected == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR)
        CODE(expected,
             clGetGLContextInfoKHR(properties, CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof(devices), devices, NULL));
}

static void test_contexts(void)
{
    cl_context_properties display = (cl_context_properties)gl.display, own = (cl_context_properties)gl.context, all[7];
    cl_device_id devices[64];
    size_t size = 0;
    try_context(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, CL_GL_CONTEXT_KHR, own, 0, 0, 0, 0);
    try_context(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, CL_GL_CONTEXT_KHR, 0x1234, CL_EGL_DISPLAY_KHR, display, 0, 0);
    try_context(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, CL_GL_CONTEXT_KHR, own, CL_EGL_DISPLAY_KHR, 0x1234, 0, 0);
    try_context(CL_INVALID_OPERATION, CL_GL_CONTEXT_KHR, own, CL_EGL_DISPLAY_KHR, display, CL_GLX_DISPLAY_KHR, display);
    try_context(CL_INVALID_OPERATION, CL_GL_CONTEXT_KHR, own, CL_WGL_HDC_KHR, display, 0, 0);
    try_context(CL_INVALID_OPERATION, CL_CGL_SHAREGROUP_KHR, own, 0, 0, 0, 0);
    try_context(CL_INVALID_PROPERTY, CL_GL_CONTEXT_KHR, own, CL_EGL_DISPLAY_KHR, display, CL_CONTEXT_INTEROP_USER_SYNC,
                CL_TRUE);
    test_gl_properties(&gl, platform, all);
    OK(clGetGLContextInfoKHR(all, CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof(devices), devices, &size));
    CHECK(size >= sizeof(devices[0]) && size % sizeof(devices[0]) == 0);
    OK(clGetGLContextInfoKHR(all, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof(devices), devices, &size));
    CHECK(size == sizeof(devices[0]));
    CODE(CL_INVALID_VALUE, clGetGLContextInfoKHR(all, 0, sizeof(devices), devices, &size));
    CODE(CL_INVALID_VALUE, clGetGLContextInfoKHR(all, CL_DEVICES_FOR_GL_CONTEXT_KHR, 1, devices, &size));
    CHECK(eglGetCurrentContext() == gl.context);
    /* A context that was not made for it. */
    cl_int error;
    cl_context plain = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_command_queue plain_queue = clCreateCommandQueue(plain, device, 0, &error);
    NEED(error == CL_SUCCESS);
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateFromGLTexture(plain, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, 1, &error));
    CODE(CL_INVALID_CONTEXT, clEnqueueAcquireGLObjects(plain_queue, 0, NULL, 0, NULL, NULL));
    OK(clReleaseCommandQueue(plain_queue));
    OK(clReleaseContext(plain));
}

int main(void)
{
    open_shared();
    test_textures();
    test_large_textures();
    test_renderbuffers();
    test_levels();
    test_depth_stencil();
    test_samples();
    test_buffers();
    test_buffer_textures();
    test_objects_refused();
    test_commands_refused();
    test_contexts();
    CHECK(gl.GetError() == GL_NO_ERROR);
    int result = close_device();
    test_gl_close(&gl);
    return test_gl_end(result);
}
