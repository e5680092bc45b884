/* What strangers' kernels try in a robust context (PUMICE_ROBUST=1): to reach beyond a sub-buffer, or an image, by every kind of
 * access and by indices of every kind. Around what a kernel is given lie bytes that it must neither change nor see.
 *
 * usage: check_walls [NAME]: all bodies and images, or the one of that name */
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/support/opencl.h"
#include "tests/check/program.h"

#include <stdbool.h>
#include <string.h>

enum { WHOLE = 8192, FIRST = 4096, SIZE = 256, OUTSIDE = 0x5a, INSIDE = 0x11 };

/* Each is the body of a kernel (global char *p, global char *out, long at), behind what stands in head. */
struct body {
    const char *name, *text, *attributes, *needs; /* the last: an extension that the device has to have, or NULL */
};

static const char head[] =
    "typedef struct { char a; int b[7]; } odd;\n"
    "typedef struct { global int *q; long n; odd rest; } held;\n"
    "typedef struct __attribute__((packed)) { char a; long b; } packed;\n"
    "static __attribute__((noinline)) void put_held(held h) { h.q[h.n] = 1; }\n"
    "static __attribute__((noinline)) int get_held(held h) { return h.q[h.n]; }\n"
    "static __attribute__((noinline)) held step_held(held h) { h.q += h.n; h.n = 0; return h; }\n"
    "static __attribute__((noinline)) global int *far(global int *q, long n) { return n & 1 ? q + n : q - n; }\n";

#define LOADS_AND_STORES(type) {"store " #type, "((global " #type " *)p)[at] = (" #type ")1;"}, LOADS(type)
#define LOADS(type)                                                                                                    \
    {"load " #type, "*(global " #type " *)out = ((global " #type " *)p)[at];"},                                        \
    {                                                                                                                  \
        "copy " #type, "*(global " #type " *)out = ((global " #type " *)p)[at]; ((global " #type                       \
                       " *)p)[at + 1] = ((global " #type " *)p)[at];"                                                  \
    }
#define INDICES(type)                                                                                                  \
    {"store at " #type, "((global int *)p)[(" #type ")at] = 1;"},                                                      \
        {"load at " #type, "*(global int *)out = ((global int *)p)[(" #type ")at];"},                                  \
        {"store at " #type " * 3", "((global short *)p)[(" #type ")((" #type ")at * 3)] = 1;"},                        \
    {                                                                                                                  \
        "walk by " #type, "global int *q = (global int *)p; for (" #type " k = 0; k < 5; k++) { q += (" #type          \
                          ")at; *q = k; *(global int *)out += q[k]; }"                                                 \
    }

static const struct body bodies[] = {
    LOADS_AND_STORES(char),
    LOADS_AND_STORES(short),
    LOADS_AND_STORES(int),
    LOADS_AND_STORES(long),
    LOADS_AND_STORES(float),
    LOADS_AND_STORES(char2),
    LOADS_AND_STORES(int3),
    LOADS_AND_STORES(float4),
    LOADS_AND_STORES(long8),
    LOADS_AND_STORES(int16),
    LOADS(odd),
    LOADS(packed),
    INDICES(char),
    INDICES(uchar),
    INDICES(short),
    INDICES(ushort),
    INDICES(int),
    INDICES(uint),
    INDICES(long),
    INDICES(ulong),
    {"vstore3", "vstore3((char3)1, at, p);"},
    {"vload3", "vstore3(vload3(at, (global short *)p), 0, (global short *)out);"},
    {"vstore16", "vstore16((int16)1, at, (global int *)p);"},
    {"vload16", "vstore16(vload16(at, (global int *)p), 0, (global int *)out);"},
    {"vstore_half", "vstore_half(1.0f, at, (global half *)p);"},
    {"vload_half4", "vstore4(vload_half4(at, (global half *)p), 0, (global float *)out);"},
    {"vstorea_half3", "vstorea_half3((float3)1.0f, at, (global half *)p);"},
    {"atomic_add", "*(global int *)out = atomic_add((global int *)p + at, 1);"},
    {"atomic_xchg float", "*(global float *)out = atomic_xchg((global float *)p + at, 1.0f);"},
    {"atomic_cmpxchg", "*(global int *)out = atomic_cmpxchg((global int *)p + at, 0x5a5a5a5a, 1);"},
    {"atomic_min unsigned", "*(global uint *)out = atomic_min((global uint *)p + at, 1u);"},
    {"atom_add", "*(global long *)out = atom_add((global long *)p + at, 1l);", "", "cl_khr_int64_base_atomics"},
    {"a member", "((global odd *)p)[at].b[at & 7] = 1; *(global int *)out = ((global odd *)p)[at].b[3];"},
    {"a member of a packed structure",
     "((global packed *)p)[at].b = 1; *(global long *)out = ((global packed *)p)[at + 1].b;"},
    {"pointers in an array", "global int *a[3] = {(global int *)p, (global int *)p + at, (global int *)out}; *a[1] = "
                             "1; *a[2] = *a[1 + (at == 77)];"},
    {"a choice of pointers", "(at & 1 ? (global int *)p : (global int *)out)[at] = 1;"},
    {"a structure by value", "held h = {(global int *)p, at}; put_held(h); *(global int *)out = get_held(h);"},
    {"a structure that comes back",
     "held h = {(global int *)p, at}; h = step_held(h); put_held(h); h = step_held(h); *(global int *)out = *h.q;"},
    {"a pointer that comes back", "*far((global int *)p, at) = 1; *(global int *)out = *far((global int *)p, at + 1);"},
    {"a number",
     "*(global int *)((ulong)p + (ulong)at * 4) = 1; *(global int *)out = *(global int *)((ulong)p + (ulong)at * 4);"},
    {"a difference", "global char *q = out + (p - out) + at; *q = 1; out[0] = *q;"},
    {"a copy in",
     "local int l[16]; event_t e = async_work_group_copy(l, (global int *)p + at, 16, 0); wait_group_events(1, &e); "
     "*(global int *)out = l[0] | l[15];"},
    {"a copy out", "local int l[16]; l[0] = l[15] = 1; event_t e = async_work_group_copy((global int *)p + at, l, 16, "
                   "0); wait_group_events(1, &e);"},
    {"a copy of many", "local int l[16]; event_t e = async_work_group_copy((global int *)p, l, (size_t)at, 0); "
                       "wait_group_events(1, &e);"},
    {"a strided copy in", "local int l[4]; event_t e = async_work_group_strided_copy(l, (global int *)p, 4, "
                          "(size_t)at, 0); wait_group_events(1, &e); "
                          "*(global int *)out = l[3];"},
    {"a strided copy out", "local int l[4]; event_t e = async_work_group_strided_copy((global int *)p + at, l, 4, 3, "
                           "0); wait_group_events(1, &e);"},
    {"local memory", "local int l[8]; l[at & 7] = 1; l[at] = 2; *(global int *)out = l[at];"},
    {"a private array", "int t[8] = {1, 2, 3, 4, 5, 6, 7, 8}; t[at] = 2; *(global int *)out = t[at + 1] + t[at & 7];"},
    {"a loop", "for (long k = at; k < at + 40; k++) { ((global int *)p)[k] = (int)k; *(global int *)out |= ((global "
               "int *)p)[k + 1]; }"},
    {"a loop of shorts", "short k = (short)at; do { ((global int *)p)[k] = k; *(global int *)out |= ((global int "
                         "*)p)[k]; k += 7001; } while (k % 13);"},
    {"a block that is written", "intel_sub_group_block_write((global uint *)p + at, 1u);",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"a block that is read", "*(global uint *)out = intel_sub_group_block_read((const global uint *)p + at);",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"four blocks",
     "intel_sub_group_block_write4((global uint *)p + at, intel_sub_group_block_read4((const global uint *)p + at + "
     "8));",
     "__attribute__((intel_reqd_sub_group_size(8)))", "cl_intel_subgroups"},
    {"an index of another work-item",
     "((global int *)p)[intel_sub_group_shuffle((int)at + (int)get_sub_group_local_id() * 9, 31 - "
     "get_sub_group_local_id())] = 1;",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"an index of all",
     "((global int *)p)[sub_group_reduce_add((int)at)] = 1; *(global int *)out = ((global int "
     "*)p)[sub_group_scan_inclusive_add((int)at)];",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
};

static const cl_long indices[] = {0,
                                  1,
                                  31,
                                  62,
                                  63,
                                  64,
                                  65,
                                  127,
                                  255,
                                  256,
                                  1000,
                                  32767,
                                  32768,
                                  65535,
                                  70000,
                                  -1,
                                  -2,
                                  -8,
                                  -63,
                                  -64,
                                  -65,
                                  -1024,
                                  -32768,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x100000001,
                                  0x4000000000000000,
                                  0x2000000000000001,
                                  INT64_MAX,
                                  INT64_MIN};

static int wrong;

static bool has(const char *extension)
{
    static char extensions[16384];
    if (!*extensions)
        must(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    return !extension || strstr(extensions, extension);
}

static cl_mem buffer_of(const void *bytes, size_t size)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, (void *)bytes, &error);
    must(error);
    return mem;
}

static cl_mem part_of(cl_mem whole)
{
    cl_int error;
    const cl_buffer_region region = {FIRST, SIZE};
    cl_mem mem = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    return mem;
}

static void read_whole(cl_mem mem, unsigned char *bytes)
{
    must(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, WHOLE, bytes, 0, NULL, NULL));
}

static void look_around(const char *name, cl_long at, const char *what, const unsigned char *bytes)
{
    for (int i = 0; i < WHOLE; i++) {
        bool inside = i >= FIRST && i < FIRST + SIZE;
        if (inside || bytes[i] == OUTSIDE)
            continue;
        printf("%s, %lld: byte %d of %s was changed\n", name, (long long)at, i - FIRST, what);
        wrong++;
        return;
    }
}

/* What came of bytes outside would be all such. */
static void look_for_seen(const char *name, cl_long at, const unsigned char *bytes)
{
    for (int i = FIRST; i < FIRST + SIZE; i++) {
        if (bytes[i] == OUTSIDE) {
            printf("%s, %lld: byte %d of the result is one from outside\n", name, (long long)at, i - FIRST);
            wrong++;
            return;
        }
    }
}

static void try_body(const struct body *body)
{
    static char text[8192];
    static unsigned char bytes[WHOLE], after[WHOLE];
    cl_int error;
    const char *source = text;
    const size_t items = body->needs && strstr(body->needs, "subgroups") ? 32 : 1;
    if (!has(body->needs))
        return;
    snprintf(text, sizeof(text), "%s%s kernel void f(global char *p, global char *out, long at) { %s }\n", head,
             body->attributes ? body->attributes : "", body->text);
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error);
    error = clBuildProgram(made, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (error) {
        must(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL));
        printf("%s: not built\n%s\n", body->name, text);
        wrong++;
        return;
    }
    cl_kernel kernel = clCreateKernel(made, "f", &error);
    must(error);
    memset(bytes, OUTSIDE, WHOLE);
    memset(bytes + FIRST, INSIDE, SIZE);
    for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
        cl_mem whole = buffer_of(bytes, WHOLE), other = buffer_of(bytes, WHOLE), part = part_of(whole),
               out = part_of(other);
        must(clSetKernelArg(kernel, 0, sizeof(part), &part));
        must(clSetKernelArg(kernel, 1, sizeof(out), &out));
        must(clSetKernelArg(kernel, 2, sizeof(indices[i]), &indices[i]));
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        read_whole(whole, after);
        look_around(body->name, indices[i], "what it was given", after);
        look_for_seen(body->name, indices[i], after);
        read_whole(other, after);
        look_around(body->name, indices[i], "the result", after);
        look_for_seen(body->name, indices[i], after);
        clReleaseMemObject(part);
        clReleaseMemObject(out);
        clReleaseMemObject(whole);
        clReleaseMemObject(other);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

/* ---- images ---- */

enum { W = 16, H = 8, D = 4, PITCH = 2 * W * sizeof(cl_uint), REGION = PITCH * H };
struct picture {
    const char *name, *type, *place; /* the coordinates, of int4 c */
    cl_mem_object_type kind;
    bool in_buffer;
};

static const struct picture pictures[] = {
    {"image1d_t", "image1d_t", "c.x", CL_MEM_OBJECT_IMAGE1D, false},
    {"image1d_buffer_t", "image1d_buffer_t", "c.x", CL_MEM_OBJECT_IMAGE1D_BUFFER, true},
    {"image1d_array_t", "image1d_array_t", "c.xy", CL_MEM_OBJECT_IMAGE1D_ARRAY, false},
    {"image2d_t", "image2d_t", "c.xy", CL_MEM_OBJECT_IMAGE2D, false},
    {"image2d_t of a buffer", "image2d_t", "c.xy", CL_MEM_OBJECT_IMAGE2D, true},
    {"image2d_array_t", "image2d_array_t", "c", CL_MEM_OBJECT_IMAGE2D_ARRAY, false},
    {"image3d_t", "image3d_t", "c", CL_MEM_OBJECT_IMAGE3D, false},
};

static void sizes_of(const struct picture *picture, size_t *size)
{
    bool rows = strstr(picture->type, "2d") || strstr(picture->type, "3d") || strstr(picture->type, "1d_array");
    bool layers = strstr(picture->type, "3d") || strstr(picture->type, "2d_array");
    size[0] = W;
    size[1] = rows ? H : 1;
    size[2] = layers ? D : 1;
}

static cl_mem make_picture(const struct picture *picture, const size_t *size, cl_mem buffer, const cl_uint *texels)
{
    cl_int error;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    bool array = strstr(picture->type, "array"), one = strstr(picture->type, "1d");
    const cl_image_desc desc = {.image_type = picture->kind,
                                .image_width = size[0],
                                .image_height = one ? 0 : size[1],
                                .image_depth = picture->kind == CL_MEM_OBJECT_IMAGE3D ? size[2] : 0,
                                .image_array_size = array ? (one ? size[1] : size[2]) : 0,
                                .image_row_pitch = buffer && !one ? PITCH : 0,
                                .mem_object = buffer};
    cl_mem image = clCreateImage(context, buffer ? 0 : CL_MEM_COPY_HOST_PTR, &format, &desc,
                                 buffer ? NULL : (void *)texels, &error);
    must(error);
    return image;
}

static const cl_int places[] = {0,   1,    3,     4,     7,       8,          15, 16, 17,  31,     64,
                                255, 4096, 32768, 65536, 1 << 20, 0x7fffffff, -1, -2, -16, -65536, INT32_MIN};
enum { PLACES = sizeof(places) / sizeof(places[0]) };

static const cl_uint inside_texel = INSIDE * 0x01010101u, outside_texel = OUTSIDE * 0x01010101u;

/* The image, and the buffer that it may lie in, whose other bytes are OUTSIDE. */
struct canvas {
    cl_mem image, whole, part;
    unsigned char bytes[WHOLE];
};

static void make_canvas(struct canvas *canvas, const struct picture *picture, const size_t *size)
{
    static cl_uint texels[W * H * D];
    const cl_buffer_region region = {FIRST, REGION};
    cl_int error;
    memset(texels, INSIDE, sizeof(texels));
    memset(canvas->bytes, OUTSIDE, WHOLE);
    for (size_t y = 0; y < size[1]; y++)
        memset(canvas->bytes + FIRST + y * PITCH, INSIDE, size[0] * sizeof(cl_uint));
    canvas->whole = canvas->part = NULL;
    if (picture->in_buffer) {
        canvas->whole = buffer_of(canvas->bytes, WHOLE);
        canvas->part = clCreateSubBuffer(canvas->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        must(error);
    }
    canvas->image = make_picture(picture, size, canvas->part, texels);
}

static void release_canvas(struct canvas *canvas)
{
    clReleaseMemObject(canvas->image);
    if (canvas->whole) {
        clReleaseMemObject(canvas->part);
        clReleaseMemObject(canvas->whole);
    }
}

/* Vulkan drops writes outside of an image, or has them come to other texels of it (Vulkan 1.3, robust image access): NVIDIA's
 * driver (580) looks at 16 bits of a layer. */
static bool may_be_another_layer(const struct picture *picture, const size_t *size, const cl_int *c)
{
    bool lines = picture->kind == CL_MEM_OBJECT_IMAGE1D_ARRAY, planes = picture->kind == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_int layer = lines ? c[1] : c[2];
    return (lines || planes) && (layer & 0xffff) < (cl_int)size[lines ? 1 : 2];
}

static void look_at_texels(const struct picture *picture, const size_t *size, const struct canvas *canvas,
                           const cl_int *c, bool inside)
{
    static cl_uint texels[W * H * D];
    static unsigned char bytes[WHOLE];
    const size_t count = size[0] * size[1] * size[2], origin[3] = {0};
    size_t changed = 0;
    must(clEnqueueReadImage(queue, canvas->image, CL_TRUE, origin, size, 0, 0, texels, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        changed += texels[i] != inside_texel;
    if (changed != inside && !(changed == 1 && may_be_another_layer(picture, size, c))) {
        printf("%s at (%d, %d, %d): %zu texels were changed\n", picture->name, c[0], c[1], c[2], changed);
        wrong++;
    }
    if (!canvas->whole)
        return;
    read_whole(canvas->whole, bytes);
    changed = 0;
    for (int i = 0; i < WHOLE; i++)
        changed += bytes[i] != canvas->bytes[i];
    if (changed != inside * sizeof(cl_uint)) {
        printf("%s at (%d, %d, %d): %zu bytes of its buffer were changed\n", picture->name, c[0], c[1], c[2], changed);
        wrong++;
    }
}

/* Writes one texel, and reads it with and without samplers. */
static void try_place(const struct picture *picture, const size_t *size, cl_kernel write, cl_kernel read,
                      const cl_int *c)
{
    static struct canvas canvas;
    const size_t one = 1;
    const cl_uint none[4] = {0};
    cl_uint seen[4];
    bool inside = c[0] >= 0 && (size_t)c[0] < size[0] && c[1] >= 0 && (size_t)c[1] < size[1] && c[2] >= 0 &&
                  (size_t)c[2] < size[2];
    make_canvas(&canvas, picture, size);
    cl_mem out = buffer_of(none, sizeof(none));
    must(clSetKernelArg(read, 0, sizeof(canvas.image), &canvas.image));
    must(clSetKernelArg(read, 1, 4 * sizeof(*c), c));
    must(clSetKernelArg(read, 2, sizeof(out), &out));
    must(clEnqueueNDRangeKernel(queue, read, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) {
        if (seen[i] == outside_texel) {
            printf("%s at (%d, %d, %d): read %d is a texel from outside\n", picture->name, c[0], c[1], c[2], i);
            wrong++;
        }
    }
    must(clSetKernelArg(write, 0, sizeof(canvas.image), &canvas.image));
    must(clSetKernelArg(write, 1, 4 * sizeof(*c), c));
    must(clEnqueueNDRangeKernel(queue, write, 1, NULL, &one, NULL, 0, NULL, NULL));
    look_at_texels(picture, size, &canvas, c, inside);
    clReleaseMemObject(out);
    release_canvas(&canvas);
}

static void try_picture(const struct picture *picture)
{
    char text[2048];
    size_t size[3];
    cl_int error;
    const char *source = text, *place = picture->place;
    bool sampled = picture->kind != CL_MEM_OBJECT_IMAGE1D_BUFFER;
    snprintf(text, sizeof(text),
             "constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
             "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
             "constant sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
             "kernel void put(write_only %s image, int4 c) { write_imageui(image, %s, (uint4)7); }\n"
             "kernel void get(read_only %s image, int4 c, global uint *out) {\n"
             "  out[0] = read_imageui(image, %s).x;\n"
             "#if %d\n"
             "  out[1] = read_imageui(image, border, %s).x; out[2] = read_imageui(image, edge, %s).x;\n"
             "  out[3] = read_imageui(image, none, %s).x;\n"
             "#endif\n}\n",
             picture->type, place, picture->type, place, sampled, place, place, place);
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error);
    must(clBuildProgram(made, 1, &device, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel write = clCreateKernel(made, "put", &error), read = clCreateKernel(made, "get", &error);
    must(error);
    sizes_of(picture, size);
    for (int i = 0; i < PLACES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            cl_int c[4] = {0};
            c[axis] = places[i];
            if (size[axis] > 1 || axis == 0)
                try_place(picture, size, write, read, c);
        }
    }
    clReleaseKernel(write);
    clReleaseKernel(read);
    clReleaseProgram(made);
}

int main(int argc, char **argv)
{
    begin_program("kernel void nothing(void) {}", 0);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (argc < 2 || !strcmp(argv[1], bodies[i].name))
            try_body(&bodies[i]);
    }
    for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
        if (argc < 2 || !strcmp(argv[1], pictures[i].name))
            try_picture(&pictures[i]);
    }
    return wrong ? 1 : 0;
}
