/* Objects of OpenGL that show others, or are fixed: images of images of textures (OpenCL 3.0, 5.3.1.2), views of textures,
 * textures whose first level changes, and buffers whose stores do not. */
#include "gl_test.h"

static const size_t zero[4] = {0, 0, 0, 0};

/* An image of an image of OpenGL's: the same texels of another format (OpenCL 3.0, 5.3.1.2). What kernels see of it, and
 * write through it, is OpenGL's, too. */
static void test_seen_otherwise(GLenum internal, cl_channel_order other)
{
    enum { SIDE = 32 };
    static const size_t region[3] = {SIDE, SIDE, 1};
    unsigned char texels[SIDE * SIDE * 4], seen[sizeof(texels)];
    const cl_image_format format = {other, CL_UNORM_INT8};
    cl_int error;
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (size_t i = 0; i < sizeof(texels); i++)
        texels[i] = (unsigned char)(i * 7);
    gl.TexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    cl_mem mem = image_from(GL_TEXTURE_2D, 0, name);
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE, .mem_object = mem};
    cl_mem view = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    CODE(CL_SUCCESS, error);
    if (!view)
        return;
    for (int round = 0; round < 2; round++) {
        acquire(mem);
        OK(clEnqueueReadImage(queue, view, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(seen, texels, sizeof(texels)));
        for (size_t i = 0; i < sizeof(texels); i++)
            texels[i] = (unsigned char)(i * 3 + (size_t)round);
        OK(clEnqueueWriteImage(queue, round ? mem : view, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, round ? view : mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(seen, texels, sizeof(texels)));
        give_back(mem);
        gl.BindTexture(GL_TEXTURE_2D, name);
        gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        CHECK(!memcmp(seen, texels, sizeof(texels)));
        memset(texels, 0x51 + round, sizeof(texels));
        gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(view));
    gl.DeleteTextures(1, &name);
}

static void test_formats_seen_otherwise(void)
{
    test_seen_otherwise(GL_RGBA8, CL_sRGBA);
    test_seen_otherwise(GL_SRGB8_ALPHA8, CL_RGBA);
}

/* All texels go to OpenCL and others come back. */
static void check_plane(GLenum target, GLint level, GLuint name, size_t side, unsigned char *texels)
{
    unsigned char seen[16 * 16 * 4];
    const size_t region[3] = {side, side, 1}, size = side * side * 4;
    cl_mem mem = image_from(target, level, name);
    acquire(mem);
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    CHECK(!memcmp(seen, texels, size));
    for (size_t i = 0; i < size; i++)
        texels[i] = (unsigned char)(texels[i] * 3 + 1);
    OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    give_back(mem);
    OK(clReleaseMemObject(mem));
}

/* Textures that show levels and layers of another one, and its texels in another format (OpenGL 4.3, 8.18). */
static void test_texture_views(void)
{
    enum { SIDE = 16, LAYERS = 12, LARGE = SIDE * SIDE * 4, SMALL = LARGE / 4 };
    static unsigned char first[LARGE * LAYERS], second[SMALL * LAYERS], seen[LARGE];
    PFNGLTEXSTORAGE3DPROC store = (PFNGLTEXSTORAGE3DPROC)eglGetProcAddress("glTexStorage3D");
    PFNGLTEXTUREVIEWPROC view = (PFNGLTEXTUREVIEWPROC)eglGetProcAddress("glTextureView");
    PFNGLTEXSUBIMAGE3DPROC write = (PFNGLTEXSUBIMAGE3DPROC)eglGetProcAddress("glTexSubImage3D");
    GLuint name, views[4];
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D_ARRAY, name);
    if (store && view && write)
        store(GL_TEXTURE_2D_ARRAY, 2, GL_RGBA8, SIDE, SIDE, LAYERS);
    if (!store || !view || !write || gl.GetError() != GL_NO_ERROR)
        return;
    for (size_t i = 0; i < sizeof(first); i++)
        first[i] = (unsigned char)(rand() >> 7);
    memcpy(second, first + 99, sizeof(second));
    write(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, SIDE, SIDE, LAYERS, GL_RGBA, GL_UNSIGNED_BYTE, first);
    write(GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, SIDE / 2, SIDE / 2, LAYERS, GL_RGBA, GL_UNSIGNED_BYTE, second);
    gl.GenTextures(4, views);
    view(views[0], GL_TEXTURE_2D, name, GL_RGBA8, 0, 2, 3, 1);
    view(views[1], GL_TEXTURE_2D, name, GL_RGBA8UI, 0, 1, 0, 1);
    view(views[2], GL_TEXTURE_2D, name, GL_SRGB8_ALPHA8, 1, 1, 5, 1);
    view(views[3], GL_TEXTURE_CUBE_MAP, name, GL_RGBA8, 0, 2, 6, 6);
    if (gl.GetError() == GL_NO_ERROR) {
        check_plane(GL_TEXTURE_2D, 0, views[0], SIDE, first + 3 * LARGE);
        check_plane(GL_TEXTURE_2D, 1, views[0], SIDE / 2, second + 3 * SMALL);
        check_plane(GL_TEXTURE_2D, 0, views[1], SIDE, first);
        check_plane(GL_TEXTURE_2D, 0, views[2], SIDE / 2, second + 5 * SMALL);
        for (GLuint face = 0; face < 6; face++) {
            check_plane(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, views[3], SIDE, first + (6 + face) * LARGE);
            check_plane(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 1, views[3], SIDE / 2, second + (6 + face) * SMALL);
        }
        for (GLint layer = 0; layer < LAYERS; layer++) {
            struct plane plane = {GL_TEXTURE_2D_ARRAY, name, 0, layer, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE};
            CHECK(read_plane(&plane, seen) && !memcmp(seen, first + layer * LARGE, LARGE));
            plane.level = 1;
            plane.width = plane.height = SIDE / 2;
            CHECK(read_plane(&plane, seen) && !memcmp(seen, second + layer * SMALL, SMALL));
        }
    }
    gl.DeleteTextures(4, views);
    gl.DeleteTextures(1, &name);
}

/* The application changes which levels its texture shows. OpenCL has the level that it has. */
static void test_other_first_level(void)
{
    enum { SIDE = 16 };
    static const size_t region[3] = {SIDE, SIDE, 1};
    unsigned char texels[SIDE * SIDE * 4], seen[SIDE * SIDE * 4];
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (GLint level = 0; level < 3; level++) {
        memset(texels, 0x51 + level, sizeof(texels));
        gl.TexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, SIDE >> level, SIDE >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels);
    }
    cl_mem mem = image_from(GL_TEXTURE_2D, 0, name);
    for (GLint base = 1; base >= 0; base--) {
        gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, base);
        gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
        gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(seen, texels, sizeof(texels)));
        memset(texels, 0x61 + base, sizeof(texels));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        give_back(mem);
        gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        CHECK(!memcmp(seen, texels, sizeof(texels)));
    }
    OK(clReleaseMemObject(mem));
    gl.DeleteTextures(1, &name);
}

/* Stores that take no bytes from the host, and one that stays mapped (OpenGL 4.4, 6.2). */
static void test_fixed_buffers(void)
{
    enum { MAPPED = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT };
    PFNGLBUFFERSTORAGEPROC store = (PFNGLBUFFERSTORAGEPROC)eglGetProcAddress("glBufferStorage");
    for (GLbitfield flags = 0; store && flags <= MAPPED; flags += MAPPED) {
        cl_uint words[4] = {1, 2, 3, 4}, seen[4] = {0}, *mapped = NULL;
        GLuint name = 0;
        gl.GenBuffers(1, &name);
        gl.BindBuffer(GL_ARRAY_BUFFER, name);
        store(GL_ARRAY_BUFFER, sizeof(words), words, flags);
        if (gl.GetError() != GL_NO_ERROR)
            return;
        if (flags)
            NEED(mapped = gl.MapBufferRange(GL_ARRAY_BUFFER, 0, sizeof(words), flags));
        if (mapped)
            mapped[1] = words[1] = 77;
        cl_mem mem = buffer_from(name);
        acquire(mem);
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
        CHECK(!memcmp(seen, words, sizeof(seen)));
        words[2] = 99;
        OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
        give_back(mem);
        gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(seen), seen);
        CHECK(!memcmp(seen, words, sizeof(seen)) && (!mapped || mapped[2] == 99));
        OK(clReleaseMemObject(mem));
        gl.DeleteBuffers(1, &name);
    }
}

int main(void)
{
    open_shared();
    test_formats_seen_otherwise();
    test_texture_views();
    test_other_first_level();
    test_fixed_buffers();
    CHECK(gl.GetError() == GL_NO_ERROR);
    int result = close_device();
    test_gl_close(&gl);
    return test_gl_end(result);
}
