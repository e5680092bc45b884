/* What strangers' kernels try with images in a robust context (PUMICE_ROBUST=1): coordinates, layers and levels outside, as
 * integers and as floats that are huge or no numbers, in images of every kind. A read without a sampler gives zeros there; one
 * with a sampler gives a texel of the image, something between texels, or the border; a write is dropped. Images in buffers
 * lie between bytes that a kernel must neither change nor see.
 *
 * usage: check_image_walls [NAME]: all images, or the one of that name */
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/support/opencl.h"
#include "tests/check/program.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifndef CL_SAMPLER_MIP_FILTER_MODE
#define CL_SAMPLER_MIP_FILTER_MODE 0x1155
#endif

enum { W = 16, H = 8, D = 4, LEVELS = 3, PITCH = 2 * W * sizeof(cl_uint), REGION = PITCH * H };
enum { WHOLE = 8192, FIRST = 4096, TEXELS = W * H * D, RESULTS = 16 };

enum texels { NUMBERS, FLOATS, DEPTHS };

/* Of bits: each is another value in either kind of texel, and a float between 0 and 1 but for what lies outside. */
static const cl_uint inside_bits = 0x3f000000, written_bits = 0x3e800000, outside_bits = 0x5a5a5a5a;

struct picture {
    const char *name, *type, *place, *floats, *gradient; /* the coordinates, of int4 c and of float4 f */
    cl_mem_object_type kind;
    enum texels texels;
    bool in_buffer, has_levels;
};

#define LINE      "c.x", "f.x", "f.x"
#define LINES     "c.xy", "f.xy", "f.x"
#define PLANE     "c.xy", "f.xy", "f.xy"
#define PLANES    "c", "f", "f.xy"
#define SPACE     "c", "f", "f"
#define OWN(name) CL_MEM_OBJECT_##name

static const struct picture pictures[] = {
    {"image1d_t", "image1d_t", LINE, OWN(IMAGE1D), NUMBERS, false, false},
    {"image1d_t of floats", "image1d_t", LINE, OWN(IMAGE1D), FLOATS, false, false},
    {"image1d_t with levels", "image1d_t", LINE, OWN(IMAGE1D), FLOATS, false, true},
    {"image1d_buffer_t", "image1d_buffer_t", LINE, OWN(IMAGE1D_BUFFER), NUMBERS, true, false},
    {"image1d_buffer_t of floats", "image1d_buffer_t", LINE, OWN(IMAGE1D_BUFFER), FLOATS, true, false},
    {"image1d_array_t", "image1d_array_t", LINES, OWN(IMAGE1D_ARRAY), NUMBERS, false, false},
    {"image1d_array_t of floats", "image1d_array_t", LINES, OWN(IMAGE1D_ARRAY), FLOATS, false, false},
    {"image1d_array_t with levels", "image1d_array_t", LINES, OWN(IMAGE1D_ARRAY), NUMBERS, false, true},
    {"image2d_t", "image2d_t", PLANE, OWN(IMAGE2D), NUMBERS, false, false},
    {"image2d_t of floats", "image2d_t", PLANE, OWN(IMAGE2D), FLOATS, false, false},
    {"image2d_t of a buffer", "image2d_t", PLANE, OWN(IMAGE2D), NUMBERS, true, false},
    {"image2d_t of floats of a buffer", "image2d_t", PLANE, OWN(IMAGE2D), FLOATS, true, false},
    {"image2d_t with levels", "image2d_t", PLANE, OWN(IMAGE2D), NUMBERS, false, true},
    {"image2d_t of floats with levels", "image2d_t", PLANE, OWN(IMAGE2D), FLOATS, false, true},
    {"image2d_array_t", "image2d_array_t", PLANES, OWN(IMAGE2D_ARRAY), NUMBERS, false, false},
    {"image2d_array_t of floats", "image2d_array_t", PLANES, OWN(IMAGE2D_ARRAY), FLOATS, false, false},
    {"image2d_array_t with levels", "image2d_array_t", PLANES, OWN(IMAGE2D_ARRAY), FLOATS, false, true},
    {"image2d_depth_t", "image2d_depth_t", PLANE, OWN(IMAGE2D), DEPTHS, false, false},
    {"image2d_array_depth_t", "image2d_array_depth_t", PLANES, OWN(IMAGE2D_ARRAY), DEPTHS, false, false},
    {"image3d_t", "image3d_t", SPACE, OWN(IMAGE3D), NUMBERS, false, false},
    {"image3d_t of floats", "image3d_t", SPACE, OWN(IMAGE3D), FLOATS, false, false},
    {"image3d_t with levels", "image3d_t", SPACE, OWN(IMAGE3D), NUMBERS, false, true},
};

/* put and get name a texel; far samples; the others name a level, too. */
static const char source[] =
    "#if NUMBERS\n"
    "#define READ(...) read_imageui(__VA_ARGS__).x\n"
    "#define WRITE(...) write_imageui(__VA_ARGS__, (uint4)WRITTEN)\n"
    "#elif DEPTHS\n"
    "#define READ(...) as_uint(read_imagef(__VA_ARGS__))\n"
    "#define WRITE(...) write_imagef(__VA_ARGS__, as_float(WRITTEN))\n"
    "#else\n"
    "#define READ(...) as_uint(read_imagef(__VA_ARGS__).x)\n"
    "#define WRITE(...) write_imagef(__VA_ARGS__, (float4)as_float(WRITTEN))\n"
    "#endif\n"
    "kernel void put(write_only IMAGE image, int4 c) { WRITE(image, PLACE); }\n"
    "kernel void get(read_only IMAGE image, int4 c, global uint *out) { out[0] = READ(image, PLACE); }\n"
    "#if BOTH\n"
    "kernel void both(read_write IMAGE image, int4 c, global uint *out) {\n"
    "    out[0] = READ(image, PLACE);\n"
    "    WRITE(image, PLACE);\n"
    "}\n"
    "#endif\n"
    "#if SAMPLED\n"
    "#define SAMPLER(name, how) constant sampler_t name = how | CLK_FILTER_NEAREST, name##_between = how | BETWEEN;\n"
    "#if NUMBERS\n"
    "#define BETWEEN CLK_FILTER_NEAREST\n"
    "#else\n"
    "#define BETWEEN CLK_FILTER_LINEAR\n"
    "#endif\n"
    "SAMPLER(none, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE)\n"
    "SAMPLER(edge, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE)\n"
    "SAMPLER(border, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP)\n"
    "SAMPLER(part, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE)\n"
    "SAMPLER(repeat, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT)\n"
    "SAMPLER(mirror, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT)\n"
    "kernel void at(read_only IMAGE image, int4 c, global uint *out) {\n"
    "    out[0] = READ(image, none, PLACE); out[1] = READ(image, edge, PLACE); out[2] = READ(image, border, PLACE);\n"
    "}\n"
    "#define BOTH_WAYS(i, name) out[i] = READ(image, name, FLOATS_PLACE);"
    " out[i + 1] = READ(image, name##_between, FLOATS_PLACE);\n"
    "kernel void far(read_only IMAGE image, float4 f, global uint *out) {\n"
    "    BOTH_WAYS(0, none) BOTH_WAYS(2, edge) BOTH_WAYS(4, border) BOTH_WAYS(6, part) BOTH_WAYS(8, repeat)\n"
    "    BOTH_WAYS(10, mirror)\n"
    "}\n"
    "#endif\n"
    "#if LEVELS\n"
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
    "kernel void put_level(write_only IMAGE image, int4 c, int level) { WRITE(image, PLACE, level); }\n"
    "kernel void put_last(write_only IMAGE image, int4 c, int level) { WRITE(image, PLACE, 2); }\n"
    "kernel void far_level(read_only IMAGE image, sampler_t s, float4 f, float lod, global uint *out) {\n"
    "    out[0] = READ(image, s, FLOATS_PLACE, lod);\n"
    "    out[1] = READ(image, s, FLOATS_PLACE, lod * GRADIENT, GRADIENT);\n"
    "}\n"
    "#endif\n";

static int wrong;

static bool has(const char *extension)
{
    static char extensions[16384];
    if (!*extensions)
        must(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    return strstr(extensions, extension);
}

static bool has_layers(const struct picture *picture, int axis)
{
    return strstr(picture->type, "array") && axis == (strstr(picture->type, "1d") ? 1 : 2);
}

/* Of a level, with 1 where the image has no such axis. */
static void sizes_of(const struct picture *picture, int level, size_t *size)
{
    bool rows = strstr(picture->type, "2d") || strstr(picture->type, "3d") || strstr(picture->type, "1d_array");
    bool layers = strstr(picture->type, "3d") || strstr(picture->type, "2d_array");
    const size_t all[] = {W, rows ? H : 1, layers ? D : 1};
    for (int i = 0; i < 3; i++)
        size[i] = has_layers(picture, i) || !(all[i] >> level) ? all[i] : all[i] >> level;
}

static int num_axes(const struct picture *picture)
{
    size_t size[3];
    sizes_of(picture, 0, size);
    return size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
}

/* Where transfers name the level: behind the coordinates. */
static void origin_of(const struct picture *picture, int level, size_t *origin)
{
    memset(origin, 0, 4 * sizeof(*origin));
    if (picture->has_levels)
        origin[num_axes(picture)] = (size_t)level;
}

/* ---- an image, and the buffer that it may lie in ---- */

struct canvas {
    const struct picture *picture;
    cl_mem image, whole, part;
    cl_uint words[WHOLE / 4];
};

static void create_image(struct canvas *canvas)
{
    const struct picture *picture = canvas->picture;
    const cl_image_format format = {picture->texels == DEPTHS ? CL_DEPTH : CL_R,
                                    picture->texels == NUMBERS ? CL_UNSIGNED_INT32 : CL_FLOAT};
    bool array = strstr(picture->type, "array"), one = strstr(picture->type, "1d");
    size_t size[3];
    cl_int error;
    sizes_of(picture, 0, size);
    const cl_image_desc desc = {.image_type = picture->kind,
                                .image_width = size[0],
                                .image_height = one ? 0 : size[1],
                                .image_depth = picture->kind == CL_MEM_OBJECT_IMAGE3D ? size[2] : 0,
                                .image_array_size = array ? (one ? size[1] : size[2]) : 0,
                                .image_row_pitch = canvas->part && !one ? PITCH : 0,
                                .num_mip_levels = picture->has_levels ? LEVELS : 0,
                                .mem_object = canvas->part};
    canvas->image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    must(error);
}

static void fill(struct canvas *canvas)
{
    const struct picture *picture = canvas->picture;
    static cl_uint texels[TEXELS];
    for (int i = 0; i < TEXELS; i++)
        texels[i] = inside_bits;
    if (canvas->whole)
        must(clEnqueueWriteBuffer(queue, canvas->whole, CL_TRUE, 0, WHOLE, canvas->words, 0, NULL, NULL));
    for (int level = 0; level < (picture->has_levels ? LEVELS : 1); level++) {
        size_t origin[4], size[3];
        origin_of(picture, level, origin);
        sizes_of(picture, level, size);
        must(clEnqueueWriteImage(queue, canvas->image, CL_TRUE, origin, size, 0, 0, texels, 0, NULL, NULL));
    }
}

static void make_canvas(struct canvas *canvas, const struct picture *picture)
{
    const cl_buffer_region region = {FIRST, REGION};
    size_t size[3];
    cl_int error;
    *canvas = (struct canvas){.picture = picture};
    sizes_of(picture, 0, size);
    for (size_t i = 0; i < WHOLE / 4; i++) {
        size_t at = i * 4 - FIRST;
        bool inside = i * 4 >= FIRST && at % PITCH / 4 < size[0] && at / PITCH < size[1];
        canvas->words[i] = inside ? inside_bits : outside_bits;
    }
    if (picture->in_buffer) {
        canvas->whole = clCreateBuffer(context, 0, WHOLE, NULL, &error);
        must(error);
        canvas->part = clCreateSubBuffer(canvas->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        must(error);
    }
    create_image(canvas);
    fill(canvas);
}

static void release_canvas(struct canvas *canvas)
{
    clReleaseMemObject(canvas->image);
    if (canvas->whole) {
        clReleaseMemObject(canvas->part);
        clReleaseMemObject(canvas->whole);
    }
}

static void complain(const struct canvas *canvas, const char *what, const char *text)
{
    printf("%s, %s: %s\n", canvas->picture->name, what, text);
    wrong++;
}

/* Whether just that texel of that level has changed, or none does (level -1). What has changed is mended. */
static void look_at_texels(struct canvas *canvas, const char *what, int level, const cl_int *c)
{
    static cl_uint texels[TEXELS], words[WHOLE / 4];
    const struct picture *picture = canvas->picture;
    size_t changed = 0, bytes = 0, right = 0;
    for (int l = 0; l < (picture->has_levels ? LEVELS : 1); l++) {
        size_t origin[4], size[3];
        origin_of(picture, l, origin);
        sizes_of(picture, l, size);
        must(clEnqueueReadImage(queue, canvas->image, CL_TRUE, origin, size, 0, 0, texels, 0, NULL, NULL));
        for (size_t i = 0; i < size[0] * size[1] * size[2]; i++)
            changed += texels[i] != inside_bits;
        if (l == level)
            right = texels[((size_t)c[2] * size[1] + (size_t)c[1]) * size[0] + (size_t)c[0]] == written_bits;
    }
    if (changed != (level >= 0) || right != (level >= 0))
        complain(canvas, what, level >= 0 ? "not just that texel was written" : "a texel was changed");
    if (canvas->whole) {
        must(clEnqueueReadBuffer(queue, canvas->whole, CL_TRUE, 0, WHOLE, words, 0, NULL, NULL));
        for (size_t i = 0; i < WHOLE / 4; i++)
            bytes += words[i] != canvas->words[i];
        if (bytes != (level >= 0))
            complain(canvas, what, "words of its buffer were changed");
    }
    if (changed || bytes)
        fill(canvas);
}

/* ---- kernels ---- */

struct kernels {
    cl_program program;
    cl_kernel put, get, both, at, far, put_level, put_last, far_level; /* NULL: there is none of the image */
    cl_mem out;
};

static cl_kernel find(const struct kernels *kernels, const char *name)
{
    return clCreateKernel(kernels->program, name, NULL);
}

static void make_kernels(struct kernels *kernels, const struct picture *picture)
{
    char options[1024];
    const char *text = source;
    cl_uint read_write = 0;
    cl_int error;
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof(read_write), &read_write, NULL))
        read_write = 0;
    snprintf(
        options, sizeof(options),
        "-cl-std=CL3.0 -DIMAGE=%s -DPLACE=%s -DFLOATS_PLACE=%s -DGRADIENT=%s -DNUMBERS=%d -DDEPTHS=%d -DSAMPLED=%d "
        "-DLEVELS=%d -DBOTH=%d -DWRITTEN=0x%xu",
        picture->type, picture->place, picture->floats, picture->gradient, picture->texels == NUMBERS,
        picture->texels == DEPTHS, picture->kind != CL_MEM_OBJECT_IMAGE1D_BUFFER, picture->has_levels,
        read_write > 0 && !picture->has_levels, written_bits);
    kernels->program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error);
    error = clBuildProgram(kernels->program, 1, &device, options, NULL, NULL);
    if (error) {
        static char log[8192];
        must(clGetProgramBuildInfo(kernels->program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
        printf("%s\n", log);
    }
    must(error);
    kernels->put = find(kernels, "put");
    kernels->get = find(kernels, "get");
    kernels->both = find(kernels, "both");
    kernels->at = find(kernels, "at");
    kernels->far = find(kernels, "far");
    kernels->put_level = find(kernels, "put_level");
    kernels->put_last = find(kernels, "put_last");
    kernels->far_level = find(kernels, "far_level");
    kernels->out = clCreateBuffer(context, 0, RESULTS * sizeof(cl_uint), NULL, &error);
    must(error);
}

static void release_kernels(struct kernels *kernels)
{
    cl_kernel all[] = {kernels->put, kernels->get,       kernels->both,     kernels->at,
                       kernels->far, kernels->put_level, kernels->put_last, kernels->far_level};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i])
            clReleaseKernel(all[i]);
    }
    clReleaseMemObject(kernels->out);
    clReleaseProgram(kernels->program);
}

/* Runs it with the arguments behind the image; ends with what it has put out, where it has such a parameter. */
static void run(const struct kernels *kernels, cl_kernel kernel, const struct canvas *canvas, const void *where,
                size_t where_size, const void *more, bool has_out, cl_uint *seen)
{
    const size_t one = 1;
    const cl_uint none = 0;
    cl_uint arg = 0;
    must(clEnqueueFillBuffer(queue, kernels->out, &none, sizeof(none), 0, RESULTS * sizeof(none), 0, NULL, NULL));
    must(clSetKernelArg(kernel, arg++, sizeof(canvas->image), &canvas->image));
    must(clSetKernelArg(kernel, arg++, where_size, where));
    if (more)
        must(clSetKernelArg(kernel, arg++, sizeof(cl_int), more));
    if (has_out)
        must(clSetKernelArg(kernel, arg++, sizeof(kernels->out), &kernels->out));
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    if (has_out)
        must(clEnqueueReadBuffer(queue, kernels->out, CL_TRUE, 0, RESULTS * sizeof(cl_uint), seen, 0, NULL, NULL));
}

/* Whether it may come from a sampler: a texel, the border, or what lies between them; a weight that is no number makes one
 * that is none. */
static void look_at_sampled(const struct canvas *canvas, const char *what, const cl_uint *seen, int count)
{
    for (int i = 0; i < count; i++) {
        float value;
        memcpy(&value, &seen[i], sizeof(value));
        bool between = canvas->picture->texels != NUMBERS && !(value < 0.0f || value > 0.5f);
        if (seen[i] && seen[i] != inside_bits && !between) {
            char text[64];
            snprintf(text, sizeof(text), "read %d is 0x%08x", i, seen[i]);
            complain(canvas, what, text);
        }
    }
}

/* ---- what is tried ---- */

static const cl_int places[] = {0,   1,    3,     4,     7,       8,       15,      16, 17, 31,  64,     255,
                                256, 4096, 32768, 65536, 1 << 20, 1 << 28, INT_MAX, -1, -2, -16, -65536, INT_MIN};
static const float floats[] = {0.5f,    3.9f,          16.0f,          17.5f,     -0.5f,    -1.0f,
                               1e6f,    2147483648.0f, -2147483904.0f, 4.3e9f,    -9e18f,   1.9e19f,
                               3.4e38f, -3.4e38f,      1e-40f,         -INFINITY, INFINITY, NAN};
static const cl_int levels[] = {0, 1, 2, 3, 4, 15, 16, 17, 255, 65536, INT_MAX, -1, -2, INT_MIN};
static const float lods[] = {0.0f, 0.5f, 2.0f, 2.5f, 3.0f, 100.0f, 3.4e38f, -1.0f, -3.4e38f, INFINITY, -INFINITY, NAN};

enum { PLACES = sizeof(places) / sizeof(places[0]), NUM_FLOATS = sizeof(floats) / sizeof(floats[0]) };

static bool is_inside(const struct picture *picture, int level, const cl_int *c)
{
    size_t size[3];
    if (level < 0 || level >= (picture->has_levels ? LEVELS : 1))
        return false;
    sizes_of(picture, level, size);
    return c[0] >= 0 && (size_t)c[0] < size[0] && c[1] >= 0 && (size_t)c[1] < size[1] && c[2] >= 0 &&
           (size_t)c[2] < size[2];
}

static void look_at_read(const struct canvas *canvas, const char *what, cl_uint seen, bool inside)
{
    if (seen != (inside ? inside_bits : 0))
        complain(canvas, what, inside ? "the read is no texel" : "the read is not zero");
}

static void try_place(struct canvas *canvas, const struct kernels *kernels, const cl_int *c)
{
    char what[96];
    cl_uint seen[RESULTS];
    bool inside = is_inside(canvas->picture, 0, c);
    snprintf(what, sizeof(what), "at (%d, %d, %d)", c[0], c[1], c[2]);
    run(kernels, kernels->get, canvas, c, 4 * sizeof(*c), NULL, true, seen);
    look_at_read(canvas, what, seen[0], inside);
    if (kernels->at) {
        run(kernels, kernels->at, canvas, c, 4 * sizeof(*c), NULL, true, seen);
        look_at_sampled(canvas, what, seen, 3);
    }
    run(kernels, kernels->put, canvas, c, 4 * sizeof(*c), NULL, false, NULL);
    look_at_texels(canvas, what, inside ? 0 : -1, c);
    if (kernels->both) {
        run(kernels, kernels->both, canvas, c, 4 * sizeof(*c), NULL, true, seen);
        look_at_read(canvas, what, seen[0], inside);
        look_at_texels(canvas, what, inside ? 0 : -1, c);
    }
}

static void try_floats(const struct canvas *canvas, const struct kernels *kernels, const float *f)
{
    char what[96];
    cl_uint seen[RESULTS];
    snprintf(what, sizeof(what), "sampled at (%g, %g, %g)", (double)f[0], (double)f[1], (double)f[2]);
    run(kernels, kernels->far, canvas, f, 4 * sizeof(*f), NULL, true, seen);
    look_at_sampled(canvas, what, seen, 12);
}

static void try_write_of_level(struct canvas *canvas, const struct kernels *kernels, const cl_int *c, cl_int level)
{
    char what[96];
    snprintf(what, sizeof(what), "level %d at (%d, %d, %d)", level, c[0], c[1], c[2]);
    run(kernels, kernels->put_level, canvas, c, 4 * sizeof(*c), &level, false, NULL);
    look_at_texels(canvas, what, is_inside(canvas->picture, level, c) ? level : -1, c);
    run(kernels, kernels->put_last, canvas, c, 4 * sizeof(*c), &level, false, NULL);
    look_at_texels(canvas, what, is_inside(canvas->picture, LEVELS - 1, c) ? LEVELS - 1 : -1, c);
}

static void try_read_of_level(const struct canvas *canvas, const struct kernels *kernels, const float *f, float lod)
{
    static const cl_filter_mode modes[] = {CL_FILTER_NEAREST, CL_FILTER_LINEAR};
    char what[128];
    snprintf(what, sizeof(what), "level %g sampled at (%g, %g, %g)", (double)lod, (double)f[0], (double)f[1],
             (double)f[2]);
    for (int i = 0; i < (canvas->picture->texels == NUMBERS ? 1 : 2); i++) {
        const cl_sampler_properties properties[] = {CL_SAMPLER_ADDRESSING_MODE,
                                                    i ? CL_ADDRESS_NONE : CL_ADDRESS_REPEAT,
                                                    CL_SAMPLER_FILTER_MODE,
                                                    modes[i],
                                                    CL_SAMPLER_MIP_FILTER_MODE,
                                                    modes[i],
                                                    0};
        const size_t one = 1;
        cl_uint seen[2];
        cl_int error;
        cl_sampler sampler = clCreateSamplerWithProperties(context, properties, &error);
        must(error);
        must(clSetKernelArg(kernels->far_level, 0, sizeof(canvas->image), &canvas->image));
        must(clSetKernelArg(kernels->far_level, 1, sizeof(sampler), &sampler));
        must(clSetKernelArg(kernels->far_level, 2, 4 * sizeof(*f), f));
        must(clSetKernelArg(kernels->far_level, 3, sizeof(lod), &lod));
        must(clSetKernelArg(kernels->far_level, 4, sizeof(kernels->out), &kernels->out));
        must(clEnqueueNDRangeKernel(queue, kernels->far_level, 1, NULL, &one, NULL, 0, NULL, NULL));
        must(clEnqueueReadBuffer(queue, kernels->out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
        look_at_sampled(canvas, what, seen, 2);
        must(clReleaseSampler(sampler));
    }
}

static void try_levels(struct canvas *canvas, const struct kernels *kernels, int axis)
{
    static const cl_int few[] = {0, 2, 3, 5, W, -1, INT_MIN};
    for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++) {
        for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++) {
            cl_int c[4] = {0};
            c[axis] = few[i];
            try_write_of_level(canvas, kernels, c, levels[l]);
        }
    }
    for (size_t l = 0; l < sizeof(lods) / sizeof(lods[0]); l++) {
        for (int i = 0; i < NUM_FLOATS; i++) {
            float f[4] = {0};
            f[axis] = floats[i];
            try_read_of_level(canvas, kernels, f, lods[l]);
        }
    }
}

static void try_picture(const struct picture *picture)
{
    static struct canvas canvas;
    struct kernels kernels;
    make_kernels(&kernels, picture);
    make_canvas(&canvas, picture);
    for (int axis = 0; axis < num_axes(picture); axis++) {
        for (int i = 0; i < PLACES; i++) {
            cl_int c[4] = {0};
            c[axis] = places[i];
            try_place(&canvas, &kernels, c);
        }
        for (int i = 0; i < NUM_FLOATS && kernels.far; i++) {
            float f[4] = {0};
            f[axis] = floats[i];
            try_floats(&canvas, &kernels, f);
        }
        if (picture->has_levels)
            try_levels(&canvas, &kernels, axis);
    }
    release_canvas(&canvas);
    release_kernels(&kernels);
}

int main(int argc, char **argv)
{
    begin_program("kernel void nothing(void) {}", 0);
    for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
        const struct picture *picture = &pictures[i];
        if ((argc > 1 && strcmp(argv[1], picture->name)) || (picture->has_levels && !has("cl_khr_mipmap_image_writes")))
            continue;
        try_picture(picture);
    }
    return wrong ? 1 : 0;
}
