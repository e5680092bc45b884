/* What the tests of cl_khr_gl_sharing have in common. */
#ifndef TESTS_API_GL_TEST_H
#define TESTS_API_GL_TEST_H

#include "api_test.h"
#include "gl.h"
#include "gl_fake.h"

static struct test_gl gl;

/* Opens both, with the OpenGL context current to this thread. */
static inline void open_shared(void)
{
    cl_context_properties properties[7];
    cl_int error;
    find_device();
    const struct test_device found = {.platform = platform, .id = device};
    if (!test_has_extension(&found, "cl_khr_gl_sharing") || !test_gl_open(&gl, EGL_NO_CONTEXT))
        exit(TEST_SKIPPED);
    test_gl_properties(&gl, platform, properties);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
}

static inline void acquire(cl_mem mem)
{
    OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 0, NULL, NULL));
}

static inline void give_back(cl_mem mem)
{
    OK(clEnqueueReleaseGLObjects(queue, 1, &mem, 0, NULL, NULL));
}

static inline cl_mem buffer_from(GLuint name)
{
    cl_int error;
    cl_mem mem = clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, name, &error);
    NEED(error == CL_SUCCESS);
    return mem;
}

static inline cl_mem image_from(GLenum target, GLint level, GLuint name)
{
    cl_int error;
    cl_mem mem = clCreateFromGLTexture(context, CL_MEM_READ_WRITE, target, level, name, &error);
    if (error != CL_SUCCESS)
        fprintf(stderr, "target 0x%x, level %d: %d\n", target, level, error);
    NEED(error == CL_SUCCESS);
    return mem;
}

static inline GLuint new_buffer(size_t size, const void *data)
{
    GLuint name;
    gl.GenBuffers(1, &name);
    gl.BindBuffer(GL_ARRAY_BUFFER, name);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
    return name;
}

static inline GLuint new_plane(GLsizei width, GLsizei height, const void *rgba)
{
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return name;
}

/* What the texture or renderbuffer has, as framebuffers show it: NVIDIA's glGetTexImage() (580) gives what it gave before where others
 * have written since, by an image of EGL's or another view. */
struct plane {
    GLenum target; /* GL_TEXTURE_3D and _2D_ARRAY have layers; GL_RENDERBUFFER has neither these nor levels */
    GLuint name;
    GLint level, layer;
    GLsizei width, height;
    GLenum format, type;
};

static inline bool read_plane(const struct plane *plane, void *texels)
{
    GLuint framebuffer;
    GLenum attachment = plane->format == GL_DEPTH_COMPONENT ? GL_DEPTH_ATTACHMENT
                        : plane->format == GL_DEPTH_STENCIL ? GL_DEPTH_STENCIL_ATTACHMENT
                                                            : GL_COLOR_ATTACHMENT0;
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (plane->target == GL_TEXTURE_3D || plane->target == GL_TEXTURE_2D_ARRAY)
        gl.FramebufferTextureLayer(GL_FRAMEBUFFER, attachment, plane->name, plane->level, plane->layer);
    else if (plane->target == GL_RENDERBUFFER)
        gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, plane->name);
    else
        gl.FramebufferTexture2D(GL_FRAMEBUFFER, attachment, plane->target, plane->name, plane->level);
    bool complete = gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete)
        gl.ReadPixels(0, 0, plane->width, plane->height, plane->format, plane->type, texels);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
    return complete;
}

#endif
