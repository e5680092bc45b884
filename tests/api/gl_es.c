/* cl_khr_gl_sharing with OpenGL ES alone, as on phones and boards: EGL refuses OpenGL here (eglBindAPI() below is found
 * before EGL's own). Objects go to OpenCL and come back as glReadPixels sees them; what ES cannot read is refused. */
#include "gl_formats.h"

#include <dlfcn.h>

__attribute__((visibility("default"))) EGLBoolean eglBindAPI(EGLenum api)
{
    static EGLBoolean (*real)(EGLenum api);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "eglBindAPI");
    return api == EGL_OPENGL_API ? EGL_FALSE : real(api);
}

static const size_t zero[3] = {0, 0, 0};

struct target {
    GLenum target, binding;
    size_t region[3];
};

static const struct target targets[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_2D, {19, 11, 1}},
    {GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, GL_TEXTURE_CUBE_MAP, {8, 8, 1}},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, {9, 6, 4}},
    {GL_TEXTURE_3D, GL_TEXTURE_3D, {9, 6, 5}},
};

static bool is_flat(const struct target *target)
{
    return target->target != GL_TEXTURE_2D_ARRAY && target->target != GL_TEXTURE_3D;
}

static void define(const struct target *target, GLenum face, const struct format *format, const void *data)
{
    GLsizei width = (GLsizei)target->region[0], height = (GLsizei)target->region[1];
    if (is_flat(target))
        gl.TexImage2D(face, 0, (GLint)format->internal, width, height, 0, format->transfer, format->transfer_type,
                      data);
    else
        gl.TexImage3D(face, 0, (GLint)format->internal, width, height, (GLsizei)target->region[2], 0, format->transfer,
                      format->transfer_type, data);
}

static GLuint new_texture(const struct target *target, const struct format *format, const void *data)
{
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(target->binding, name);
    for (GLenum face = GL_TEXTURE_CUBE_MAP_POSITIVE_X;
         target->binding == GL_TEXTURE_CUBE_MAP && face <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z; face++)
        define(target, face, format, NULL);
    define(target, target->target, format, data);
    return name;
}

static void read_back(const struct target *target, const struct format *format, GLuint name, unsigned char *data)
{
    GLuint framebuffer;
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (size_t layer = 0; layer < target->region[2]; layer++) {
        if (is_flat(target))
            gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, target->target, name, 0);
        else
            gl.FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, (GLint)layer);
        gl.ReadPixels(0, 0, (GLsizei)target->region[0], (GLsizei)target->region[1], format->transfer,
                      format->transfer_type, data);
        data += target->region[0] * target->region[1] * format->texel_size;
    }
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
}

/* False: OpenCL does not take it. */
static bool check_texture(const struct target *target, const struct format *format)
{
    size_t size = size_of(format, target->region);
    unsigned char *first = malloc(size), *second = malloc(size), *seen = calloc(1, size);
    cl_int error = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    cl_mem mem = NULL;
    fill(format, first, size);
    fill(format, second, size);
    GLuint name = new_texture(target, format, first);
    if (gl.GetError() == GL_NO_ERROR)
        mem = clCreateFromGLTexture(context, CL_MEM_READ_WRITE, target->target, 0, name, &error);
    CHECK(mem ? error == CL_SUCCESS : error == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (mem) {
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, target->region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(first, seen, size));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, target->region, 0, 0, second, 0, NULL, NULL));
        give_back(mem);
        read_back(target, format, name, seen);
        if (memcmp(second, seen, size))
            fprintf(stderr, "target 0x%x, format 0x%x\n", target->target, format->internal);
        CHECK(!memcmp(second, seen, size));
        /* The name is another's now; OpenCL keeps the texture. */
        gl.DeleteTextures(1, &name);
        GLuint other = new_texture(target, format, first);
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, target->region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(second, seen, size));
        give_back(mem);
        OK(clReleaseMemObject(mem));
        name = other;
    }
    gl.DeleteTextures(1, &name);
    free(first);
    free(second);
    free(seen);
    return mem;
}

static void test_textures(void)
{
    for (size_t t = 0; t < COUNT(targets); t++) {
        unsigned taken = 0;
        for (size_t f = 0; f < COUNT(formats); f++) {
            bool takes = check_texture(&targets[t], &formats[f]), depth = formats[f].order == CL_DEPTH;
            taken += takes;
            /* what every OpenGL ES reads */
            if (formats[f].internal == GL_RGBA8 || formats[f].internal == GL_RGBA32I ||
                formats[f].internal == GL_RGBA32UI)
                CHECK(takes);
            CHECK(!depth || !takes);
            CHECK(!takes || (formats[f].type != CL_SNORM_INT8 && formats[f].type != CL_SNORM_INT16));
        }
        printf("target 0x%x: %u formats\n", targets[t].target, taken);
    }
}

static void test_renderbuffer(void)
{
    enum { WIDTH = 6, HEIGHT = 5 };
    const size_t region[3] = {WIDTH, HEIGHT, 1};
    unsigned char texels[WIDTH * HEIGHT * 4], seen[sizeof(texels)];
    GLuint name, framebuffer;
    cl_int error;
    gl.GenRenderbuffers(1, &name);
    gl.BindRenderbuffer(GL_RENDERBUFFER, name);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    gl.ClearColor(1.0f, 0.0f, 0.6f, 0.2f);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    cl_mem mem = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, name, &error);
    NEED(error == CL_SUCCESS);
    acquire(mem);
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    CHECK(seen[0] == 255 && seen[1] == 0 && seen[2] == 153 && seen[3] == 51);
    for (size_t i = 0; i < sizeof(texels); i++)
        texels[i] = (unsigned char)(i * 11);
    OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    give_back(mem);
    gl.ReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    CHECK(!memcmp(texels, seen, sizeof(seen)));
    OK(clReleaseMemObject(mem));
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
    gl.DeleteRenderbuffers(1, &name);
}

static void test_buffer(void)
{
    unsigned words[64], other[64], seen[64];
    for (unsigned i = 0; i < 64; i++) {
        words[i] = i * 0x9e3779b9u;
        other[i] = ~words[i];
    }
    GLuint name = new_buffer(sizeof(words), words);
    cl_mem mem = buffer_from(name);
    acquire(mem);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
    CHECK(!memcmp(words, seen, sizeof(seen)));
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof(other), other, 0, NULL, NULL));
    give_back(mem);
    gl.BindBuffer(GL_ARRAY_BUFFER, name);
    const void *map = gl.MapBufferRange(GL_ARRAY_BUFFER, 0, sizeof(seen), GL_MAP_READ_BIT);
    CHECK(map && !memcmp(map, other, sizeof(seen)));
    gl.UnmapBuffer(GL_ARRAY_BUFFER);
    OK(clReleaseMemObject(mem));
    gl.DeleteBuffers(1, &name);
}

static void test_levels(void)
{
    unsigned char texels[8 * 8 * 4], seen[4];
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (GLint level = 0; level < 4; level++) {
        memset(texels, 0x11 * (level + 1), sizeof(texels));
        gl.TexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 8 >> level, 8 >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    cl_mem all = image_from(GL_TEXTURE_2D, -1, name);
    const size_t one[3] = {1, 1, 1};
    acquire(all);
    for (size_t level = 0; level < 4; level++) {
        const size_t at[3] = {0, 0, level};
        OK(clEnqueueReadImage(queue, all, CL_TRUE, at, one, 0, 0, seen, 0, NULL, NULL));
        CHECK(seen[0] == 0x11 * (level + 1) && seen[3] == seen[0]);
    }
    give_back(all);
    OK(clReleaseMemObject(all));
    gl.DeleteTextures(1, &name);
}

/* What OpenGL ES has not. */
static void test_refused(void)
{
    GLuint name = new_plane(4, 4, NULL);
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_1D, 0, name, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT,
              clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_RECTANGLE, 0, name, &error));
    gl.DeleteTextures(1, &name);
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 4, 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT, NULL);
    NO_OBJECT(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
              clCreateFromGLTexture(context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, name, &error));
    gl.DeleteTextures(1, &name);
}

int main(void)
{
    cl_context_properties properties[7];
    cl_int error;
    find_device();
    const struct test_device found = {.platform = platform, .id = device};
    if (!test_has_extension(&found, "cl_khr_gl_sharing") || !test_gl_open_es(&gl))
        return TEST_SKIPPED;
    printf("%s\n", (const char *)gl.GetString(GL_VERSION));
    test_gl_properties(&gl, platform, properties);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    test_textures();
    test_renderbuffer();
    test_buffer();
    test_levels();
    test_refused();
    CHECK(gl.GetError() == GL_NO_ERROR);
    int result = close_device();
    eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(gl.display, gl.context);
    return result;
}
