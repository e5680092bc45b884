/* cl_khr_egl_image and cl_khr_egl_event: images of EGL that are textures go to OpenCL and come back, in a context that
 * shares with OpenGL and in one that knows nothing of it; fences; and what the calls refuse. */
#include "gl_formats.h"

#include <CL/cl_egl.h>
#include <math.h>

static PFNEGLCREATEIMAGEKHRPROC create_image;
static PFNEGLDESTROYIMAGEKHRPROC destroy_image;
static PFNEGLCREATESYNCKHRPROC create_sync;
static PFNEGLDESTROYSYNCKHRPROC destroy_sync;

static const size_t zero[3] = {0, 0, 0}, region[3] = {8, 6, 1};

static EGLImageKHR image_of(GLuint name)
{
    const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE};
    gl.Finish();
    return create_image(gl.display, gl.context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)name, attributes);
}

static void read_texture(GLuint name, unsigned char *texels)
{
    GLuint framebuffer;
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    gl.ReadPixels(0, 0, (GLsizei)region[0], (GLsizei)region[1], GL_RGBA, GL_UNSIGNED_BYTE, texels);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
}

static void test_round_trip(void)
{
    unsigned char texels[8 * 6 * 4], seen[sizeof(texels)];
    cl_int error;
    cl_image_format format;
    size_t width = 0, height = 0;
    cl_event event;
    cl_command_type type;
    for (size_t i = 0; i < sizeof(texels); i++)
        texels[i] = (unsigned char)(i * 5);
    GLuint name = new_plane(8, 6, texels), other_name;
    EGLImageKHR image = image_of(name);
    NEED(image != EGL_NO_IMAGE_KHR);
    cl_mem mem = clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_WRITE, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
    OK(clGetImageInfo(mem, CL_IMAGE_WIDTH, sizeof(width), &width, NULL));
    OK(clGetImageInfo(mem, CL_IMAGE_HEIGHT, sizeof(height), &height, NULL));
    CHECK(format.image_channel_order == CL_RGBA && format.image_channel_data_type == CL_UNORM_INT8);
    CHECK(width == 8 && height == 6);
    OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR);
    OK(clReleaseEvent(event));
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    CHECK(!memcmp(texels, seen, sizeof(seen)));
    memset(texels, 0x7b, sizeof(texels));
    OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
    OK(clFinish(queue));
    read_texture(name, seen);
    CHECK(!memcmp(texels, seen, sizeof(seen)));
    CODE(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(mem, NULL, &other_name));
    /* The image may end before OpenCL's. */
    destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
    OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    CHECK(!memcmp(texels, seen, sizeof(seen)));
    OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(mem));
}

/* ---- levels, faces and slices ---- */

/* A texture with an image of a part of it. Each part has texels of its own. */
static const struct part {
    GLenum target; /* of the texture */
    EGLenum egl;
    GLint level, face, slice;
} parts[] = {
    {GL_TEXTURE_2D, EGL_GL_TEXTURE_2D_KHR, 1, 0, 0},
    {GL_TEXTURE_2D, EGL_GL_TEXTURE_2D_KHR, 2, 0, 0},
    {GL_TEXTURE_CUBE_MAP, EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X_KHR, 0, 0, 0},
    {GL_TEXTURE_CUBE_MAP, EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Y_KHR, 1, 3, 0},
    {GL_TEXTURE_3D, EGL_GL_TEXTURE_3D_KHR, 0, 0, 2},
    {GL_TEXTURE_3D, EGL_GL_TEXTURE_3D_KHR, 1, 0, 1},
};

enum { BASE = 16, LEVELS = 3, FACES = 6, SLICES = 4, MOST_TEXEL = 16, OTHER = 0x2e };

/* What a part's texels are: the level, face or slice. */
static unsigned char mark(GLint level, GLint face, GLint slice)
{
    return (unsigned char)(0x10 + level * 0x40 + face * 4 + slice);
}

static const struct format *find_format(GLenum internal)
{
    const struct format *format = formats;
    while (format->internal != internal)
        format++;
    return format;
}

static GLuint new_whole(GLenum target, const struct format *format)
{
    static unsigned char texels[BASE * BASE * SLICES * MOST_TEXEL];
    GLuint name;
    gl.GenTextures(1, &name);
    gl.BindTexture(target, name);
    for (GLint level = 0; level < LEVELS; level++) {
        GLsizei side = BASE >> level, slices = SLICES >> level;
        for (GLint face = 0; face < (target == GL_TEXTURE_CUBE_MAP ? FACES : 1); face++) {
            GLenum of = target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : target;
            for (GLint slice = 0; slice < SLICES; slice++)
                memset(texels + slice * side * side * (int)format->texel_size, mark(level, face, slice),
                       (size_t)side * (size_t)side * format->texel_size);
            if (target == GL_TEXTURE_3D)
                gl.TexImage3D(of, level, (GLint)format->internal, side, side, slices, 0, format->transfer,
                              format->transfer_type, texels);
            else
                gl.TexImage2D(of, level, (GLint)format->internal, side, side, 0, format->transfer,
                              format->transfer_type, texels);
        }
    }
    gl.TexParameteri(target, GL_TEXTURE_MAX_LEVEL, LEVELS - 1);
    return name;
}

/* Texels of the whole texture that are not what they should be, where the part has others. */
static int wrong_texels(GLuint name, const struct part *part, const struct format *format, unsigned char other)
{
    unsigned char texels[BASE * BASE * MOST_TEXEL];
    int wrong = 0;
    for (GLint level = 0; level < LEVELS; level++) {
        GLsizei side = BASE >> level;
        for (GLint face = 0; face < (part->target == GL_TEXTURE_CUBE_MAP ? FACES : 1); face++) {
            for (GLint slice = 0; slice < (part->target == GL_TEXTURE_3D ? SLICES >> level : 1); slice++) {
                const struct plane plane = {.target = part->target == GL_TEXTURE_CUBE_MAP
                                                          ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face
                                                          : part->target,
                                            .name = name,
                                            .level = level,
                                            .layer = slice,
                                            .width = side,
                                            .height = side,
                                            .format = format->transfer,
                                            .type = format->transfer_type};
                bool is_part = level == part->level && face == part->face && slice == part->slice;
                NEED(read_plane(&plane, texels));
                for (int i = 0; i < side * side * (int)format->texel_size; i++)
                    wrong += texels[i] != (is_part ? other : mark(level, face, slice));
            }
        }
    }
    return wrong;
}

static bool shows_mark(const unsigned char *texels, const struct part *part, const struct format *format)
{
    int side = BASE >> part->level, wrong = 0;
    for (int i = 0; i < side * side * (int)format->texel_size; i++)
        wrong += texels[i] != mark(part->level, part->face, part->slice);
    return !wrong;
}

typedef void (*image_target_fn)(GLenum target, void *image);

static void drop_errors(void)
{
    while (gl.GetError() != GL_NO_ERROR)
        ;
}

/* Whether OpenGL alone makes a texture of the image, or a renderbuffer; errs: one that has other texels. */
static bool makes(GLenum target, EGLImageKHR image, const struct part *part, const struct format *format, bool *errs)
{
    bool texture = target == GL_TEXTURE_2D;
    image_target_fn set = (image_target_fn)eglGetProcAddress(texture ? "glEGLImageTargetTexture2DOES"
                                                                     : "glEGLImageTargetRenderbufferStorageOES");
    unsigned char texels[BASE * BASE * MOST_TEXEL];
    struct plane plane = {.target = target,
                          .width = BASE >> part->level,
                          .height = BASE >> part->level,
                          .format = format->transfer,
                          .type = format->transfer_type};
    if (!set)
        return false;
    (texture ? gl.GenTextures : gl.GenRenderbuffers)(1, &plane.name);
    (texture ? gl.BindTexture : gl.BindRenderbuffer)(target, plane.name);
    set(target, image);
    if (texture)
        gl.TexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    bool made = gl.GetError() == GL_NO_ERROR;
    *errs = made && read_plane(&plane, texels) && !shows_mark(texels, part, format);
    (texture ? gl.DeleteTextures : gl.DeleteRenderbuffers)(1, &plane.name);
    drop_errors();
    return made;
}

/* Whether what OpenGL alone makes of the image has other texels: of slices with NVIDIA's driver (580), of textures whose
 * levels were made one by one with Mesa 22.3. */
static bool opengl_errs(EGLImageKHR image, const struct part *part, const struct format *format)
{
    bool errs = false;
    if (!makes(GL_TEXTURE_2D, image, part, format, &errs))
        makes(GL_RENDERBUFFER, image, part, format, &errs);
    return errs;
}

/* Mesa makes no image of depths but those of 2D textures, and those of sRGB in others are wrong. */
static bool must_go(const struct part *part, const struct format *format)
{
    const char *version = (const char *)gl.GetString(GL_VERSION), *mesa = strstr(version, "Mesa ");
    bool is_new = mesa && atoi(mesa + strlen("Mesa ")) >= 25,
         is_plain = format->order != CL_DEPTH && format->order != CL_sRGBA;
    return is_new && !test_gl_refuses_images && (is_plain || part->target == GL_TEXTURE_2D);
}

static void test_part(const struct part *part, const struct format *format)
{
    cl_int error;
    unsigned char texels[BASE * BASE * MOST_TEXEL], seen[sizeof(texels)];
    const size_t side = (size_t)(BASE >> part->level), whole[3] = {side, side, 1}, size = size_of(format, whole);
    const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR,
                                 part->level,
                                 EGL_IMAGE_PRESERVED_KHR,
                                 EGL_TRUE,
                                 part->target == GL_TEXTURE_3D ? EGL_GL_TEXTURE_ZOFFSET_KHR : EGL_NONE,
                                 part->slice,
                                 EGL_NONE};
    GLuint name = new_whole(part->target, format);
    gl.Finish();
    EGLImageKHR image = create_image(gl.display, gl.context, part->egl, (EGLClientBuffer)(uintptr_t)name, attributes);
    bool errs = image && opengl_errs(image, part, format);
    cl_mem mem = image ? clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_WRITE, NULL, &error) : NULL;
    if (errs) {
        printf("OpenGL errs with target 0x%x, level %d, format 0x%x\n", part->egl, part->level, format->internal);
        if (mem)
            OK(clReleaseMemObject(mem));
    } else if (!image || error == CL_IMAGE_FORMAT_NOT_SUPPORTED) { /* the driver makes nothing of such an image */
        printf("no image of target 0x%x, level %d, format 0x%x\n", part->egl, part->level, format->internal);
        CHECK(!must_go(part, format));
    } else {
        NEED(error == CL_SUCCESS);
        OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, whole, 0, 0, seen, 0, NULL, NULL));
        memset(texels, mark(part->level, part->face, part->slice), sizeof(texels));
        CHECK(!memcmp(seen, texels, size));
        memset(texels, OTHER, sizeof(texels));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, whole, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(wrong_texels(name, part, format, OTHER) == 0);
        OK(clReleaseMemObject(mem));
    }
    if (image)
        destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
    gl.GetError(); /* of depths that OpenGL has not in such textures */
}

/* Every format: the image has it, and its texels arrive, of the first level and of the second; or it is refused. Where
 * there are several levels that were made one by one, Mesa 22.3's images of the first are empty, for OpenGL, too. */
static void test_format(const struct format *format, GLint level)
{
    cl_int error;
    unsigned char texels[16 * 16 * 16], shown[sizeof(texels)], seen[sizeof(texels)];
    cl_image_format told;
    GLuint name;
    const GLint last = level ? 2 : 0;
    const size_t side = 16 >> level, whole[3] = {side, side, 1}, size = size_of(format, whole);
    const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR, level, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE};
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    for (GLint i = 0; i <= last; i++) {
        fill(format, texels, sizeof(texels));
        gl.TexImage2D(GL_TEXTURE_2D, i, (GLint)format->internal, 16 >> i, 16 >> i, 0, format->transfer,
                      format->transfer_type, texels);
    }
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, last);
    const struct plane plane = {GL_TEXTURE_2D,        name, level, 0, 16 >> level, 16 >> level, format->transfer,
                                format->transfer_type};
    NEED(read_plane(&plane, shown));
    gl.Finish();
    EGLImageKHR image =
        create_image(gl.display, gl.context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)name, attributes);
    cl_mem mem = image ? clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_WRITE, NULL, &error) : NULL;
    if (!image || error == CL_IMAGE_FORMAT_NOT_SUPPORTED) {
        printf("no image of format 0x%x, level %d\n", format->internal, level);
        CHECK(!must_go(&parts[0], format));
    } else {
        NEED(error == CL_SUCCESS);
        OK(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(told), &told, NULL));
        CHECK(told.image_channel_order == format->order || /* NVIDIA's driver (580) calls it GL_RGBA */
              (told.image_channel_order == CL_RGBA && format->order == CL_sRGBA));
        CHECK(told.image_channel_data_type == format->type);
        OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, whole, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(seen, shown, size));
        fill(format, texels, size);
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, whole, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(read_plane(&plane, seen) && !memcmp(seen, texels, size));
        OK(clReleaseMemObject(mem));
    }
    if (image)
        destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
}

/* Of some formats whose fragments differ. */
static void test_parts(void)
{
    static const GLenum some[] = {GL_RGBA8,       GL_R32F,         GL_RG16UI,           GL_RGBA8I,
                                  GL_RGBA8_SNORM, GL_SRGB8_ALPHA8, GL_DEPTH_COMPONENT16};
    for (size_t i = 0; i < COUNT(parts) && !test_gl_refuses_images; i++) {
        for (size_t k = 0; k < COUNT(some); k++)
            test_part(&parts[i], find_format(some[k]));
    }
}

/* The host reads no images that have a stencil. */
static void read_depths(cl_mem image, float depths[BASE * BASE])
{
    static const size_t range[2] = {BASE, BASE};
    cl_int error;
    cl_program program = build("kernel void read(read_only image2d_depth_t from, global float *to) {"
                               "    int2 at = (int2)(get_global_id(0), get_global_id(1));"
                               "    to[at.y * get_global_size(0) + at.x] = read_imagef(from, at);"
                               "}",
                               "");
    cl_kernel kernel = clCreateKernel(program, "read", &error);
    cl_mem to = buffer_of(CL_MEM_READ_WRITE, BASE * BASE * sizeof(*depths), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, range, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, BASE * BASE * sizeof(*depths), depths, 0, NULL, NULL));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Depths of textures that have a stencil are for reading. */
static void test_stencil(GLenum internal, GLenum type, size_t texel_size)
{
    static const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE};
    unsigned char texels[BASE * BASE * 8];
    float shown[BASE * BASE], seen[BASE * BASE];
    cl_int error;
    GLuint name;
    for (size_t i = 0; i < sizeof(texels); i++)
        texels[i] = (unsigned char)(i % texel_size == 3 ? 0x3e : i * 7 & 0x1f);
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, BASE, BASE, 0, GL_DEPTH_STENCIL, type, texels);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl.GetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, shown);
    gl.Finish();
    EGLImageKHR image =
        create_image(gl.display, gl.context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)name, attributes);
    cl_mem mem = image ? clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_ONLY, NULL, &error) : NULL;
    if (!image || error == CL_IMAGE_FORMAT_NOT_SUPPORTED) {
        printf("no image of format 0x%x\n", internal);
    } else {
        NEED(error == CL_SUCCESS);
        OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        read_depths(mem, seen);
        for (int i = 0; i < BASE * BASE; i++)
            CHECK(fabsf(seen[i] - shown[i]) <= shown[i] * 0x1p-23f); /* OpenGL makes floats of 24 bits */
        OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clFinish(queue));
        OK(clReleaseMemObject(mem));
    }
    if (image)
        destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
}

static void read_renderbuffer(GLuint framebuffer, unsigned char *texels)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.ReadPixels(0, 0, (GLsizei)region[0], (GLsizei)region[1], GL_RGBA, GL_UNSIGNED_BYTE, texels);
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* An image of a renderbuffer, and of none of a texture. */
static void test_renderbuffer(void)
{
    unsigned char texels[8 * 6 * 4], seen[sizeof(texels)];
    static const EGLint attributes[] = {EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE};
    GLuint name, framebuffer;
    cl_int error;
    gl.GenRenderbuffers(1, &name);
    gl.BindRenderbuffer(GL_RENDERBUFFER, name);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, (GLsizei)region[0], (GLsizei)region[1]);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    gl.ClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    gl.Finish();
    EGLImageKHR image =
        create_image(gl.display, gl.context, EGL_GL_RENDERBUFFER_KHR, (EGLClientBuffer)(uintptr_t)name, attributes);
    cl_mem mem = image ? clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_WRITE, NULL, &error) : NULL;
    if (!image || error == CL_IMAGE_FORMAT_NOT_SUPPORTED) {
        printf("no image of a renderbuffer\n");
        CHECK(!must_go(&parts[0], &formats[0]));
    } else {
        NEED(error == CL_SUCCESS);
        OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        read_renderbuffer(framebuffer, texels);
        CHECK(!memcmp(seen, texels, sizeof(seen)) && texels[0] == 51);
        for (size_t i = 0; i < sizeof(texels); i++)
            texels[i] = (unsigned char)(i * 3);
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clFinish(queue));
        read_renderbuffer(framebuffer, seen);
        CHECK(!memcmp(seen, texels, sizeof(seen)));
        OK(clReleaseMemObject(mem));
    }
    if (image)
        destroy_image(gl.display, image);
    gl.DeleteFramebuffers(1, &framebuffer);
    gl.DeleteRenderbuffers(1, &name);
}

static void test_formats(void)
{
    for (size_t i = 0; i < COUNT(formats) && !test_gl_refuses_images; i++) {
        test_format(&formats[i], 0);
        test_format(&formats[i], 1);
    }
    if (!test_gl_refuses_images) {
        test_stencil(GL_DEPTH24_STENCIL8, GL_UNSIGNED_INT_24_8, 4);
        test_stencil(GL_DEPTH32F_STENCIL8, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, 8);
    }
}

/* What both write later: the application waits for its OpenGL by itself. */
static void test_updates(void)
{
    unsigned char texels[8 * 6 * 4], seen[sizeof(texels)];
    cl_int error;
    memset(texels, 0x11, sizeof(texels));
    GLuint name = new_plane(8, 6, texels);
    EGLImageKHR image = image_of(name);
    NEED(image != EGL_NO_IMAGE_KHR);
    cl_mem mem = clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_WRITE, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (int i = 0; i < 4; i++) {
        memset(texels, 0x20 + i, sizeof(texels));
        gl.BindTexture(GL_TEXTURE_2D, name);
        gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 6, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        gl.Finish();
        OK(clEnqueueAcquireEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(!memcmp(texels, seen, sizeof(seen)));
        memset(texels, 0x40 + i, sizeof(texels));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReleaseEGLObjectsKHR(queue, 1, &mem, 0, NULL, NULL));
        OK(clFinish(queue));
        read_texture(name, seen);
        CHECK(!memcmp(texels, seen, sizeof(seen)));
    }
    OK(clReleaseMemObject(mem));
    destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
}

/* Of an EGL whose images are copies. */
static void test_refusal(void)
{
    GLuint name = new_plane(8, 6, NULL);
    EGLImageKHR image = image_of(name);
    NEED(image != EGL_NO_IMAGE_KHR);
    for (int i = 0; i < 2; i++)
        NO_OBJECT(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                  clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_ONLY, NULL, &error));
    destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
}

static void test_images(void)
{
    if (test_gl_refuses_images && test_gl_refuses_images()) {
        test_refusal();
        return;
    }
    test_round_trip();
    test_updates();
    test_parts();
    test_renderbuffer();
    test_round_trip();
}

static void test_refused(void)
{
    const cl_egl_image_properties_khr some[] = {1, 1, 0};
    GLuint name = new_plane(8, 6, NULL);
    EGLImageKHR image = image_of(name);
    cl_mem plain = buffer_of(CL_MEM_READ_WRITE, 64, NULL);
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateFromEGLImageKHR(NULL, gl.display, image, CL_MEM_READ_ONLY, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_COPY_HOST_PTR, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromEGLImageKHR(context, gl.display, image, CL_MEM_READ_ONLY, some, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateFromEGLImageKHR(context, NULL, image, CL_MEM_READ_ONLY, NULL, &error));
    NO_OBJECT(CL_INVALID_EGL_OBJECT_KHR,
              clCreateFromEGLImageKHR(context, gl.display, NULL, CL_MEM_READ_ONLY, NULL, &error));
    NO_OBJECT(CL_INVALID_EGL_OBJECT_KHR,
              clCreateFromEGLImageKHR(context, gl.display, (CLeglImageKHR)0x1234, CL_MEM_READ_ONLY, NULL, &error));
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireEGLObjectsKHR(NULL, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueAcquireEGLObjectsKHR(queue, 1, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_EGL_OBJECT_KHR, clEnqueueAcquireEGLObjectsKHR(queue, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_EGL_OBJECT_KHR, clEnqueueReleaseEGLObjectsKHR(queue, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueReleaseEGLObjectsKHR(queue, 1, &(cl_mem){NULL}, 0, NULL, NULL));
    OK(clReleaseMemObject(plain));
    destroy_image(gl.display, image);
    gl.DeleteTextures(1, &name);
}

static void test_fences(void)
{
    cl_int error;
    cl_uint seen = 0;
    cl_command_type type;
    GLuint name = new_buffer(4, NULL);
    cl_mem mem = buffer_from(name);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, 4, &(cl_uint){8});
    EGLSyncKHR sync = create_sync(gl.display, EGL_SYNC_FENCE_KHR, NULL);
    NEED(sync != EGL_NO_SYNC_KHR);
    cl_event event = clCreateEventFromEGLSyncKHR(context, sync, gl.display, &error);
    NEED(error == CL_SUCCESS);
    gl.Flush();
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
    CODE(CL_INVALID_EVENT, clEnqueueMarkerWithWaitList(queue, 1, &event, NULL));
    OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 1, &event, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
    CHECK(seen == 8 && event_status(event) == CL_COMPLETE);
    give_back(mem);
    destroy_sync(gl.display, sync);
    NO_OBJECT(CL_INVALID_EGL_OBJECT_KHR, clCreateEventFromEGLSyncKHR(context, NULL, gl.display, &error));
    NO_OBJECT(CL_INVALID_EGL_OBJECT_KHR,
              clCreateEventFromEGLSyncKHR(context, (CLeglSyncKHR)0x1234, gl.display, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateEventFromEGLSyncKHR(NULL, NULL, gl.display, &error));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
    gl.DeleteBuffers(1, &name);
}

int main(void)
{
    cl_int error;
    open_shared();
    create_image = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    destroy_image = (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
    create_sync = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    destroy_sync = (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
    NEED(create_image && destroy_image && create_sync && destroy_sync);
    test_images();
    test_formats();
    test_refused();
    test_fences();
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    /* A context that knows nothing of OpenGL. */
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    test_images();
    CHECK(gl.GetError() == GL_NO_ERROR);
    int result = close_device();
    test_gl_close(&gl);
    return test_gl_end(result);
}
