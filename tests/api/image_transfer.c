/* OpenCL 3.0 API, 5.3.3 to 5.3.6: commands on images. Random ones on every kind of image, compared with the same on
 * host memory; then every error. In and out of order, blocking and not. */
#include "image_test.h"

enum { WIDTH = 13, HEIGHT = 7, REST = 5, MAX_TEXELS = WIDTH * HEIGHT * REST, SPARE = 4096 };

struct picture {
    cl_mem image, buffer; /* buffer: whose texels they are, or NULL */
    cl_mem_object_type type;
    const cl_image_format *format;
    size_t texel, size[3];
    uint8_t expected[MAX_TEXELS * 16];
};

static cl_event last; /* of an out-of-order queue: what each command waits for */
static bool chained;

#define CHAIN chained &&last ? 1 : 0, chained &&last ? &last : NULL, chained ? &next : NULL

static void chain(cl_event next)
{
    if (chained && last)
        OK(clReleaseEvent(last));
    last = next;
}

static size_t pick(size_t below)
{
    uint32_t bits;
    fill_random(&bits, sizeof(bits));
    return bits % below;
}

static void pick_region(const struct picture *p, size_t origin[3], size_t region[3])
{
    for (int i = 0; i < 3; i++) {
        origin[i] = pick(p->size[i]);
        region[i] = 1 + pick(p->size[i] - origin[i]);
    }
}

static uint8_t *at(struct picture *p, const size_t origin[3], size_t y, size_t z)
{
    return p->expected + (((origin[2] + z) * p->size[1] + origin[1] + y) * p->size[0] + origin[0]) * p->texel;
}

/* Host memory of a transfer: rows from y to y and slices from z to z. */
struct host {
    size_t row_pitch, slice_pitch; /* as given */
    size_t row, slice;             /* as they are */
    uint8_t *bytes;
};

static struct host host_for(const struct picture *p, const size_t region[3])
{
    struct host host = {0};
    bool lines = p->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    host.row = region[0] * p->texel;
    if (pick(2))
        host.row = host.row_pitch = host.row + pick(3) * p->texel;
    host.slice = host.row * (lines ? 1 : region[1]);
    bool slices = lines || p->type == CL_MEM_OBJECT_IMAGE3D || p->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (slices && pick(2))
        host.slice = host.slice_pitch = host.slice + pick(3) * host.row;
    if (lines) /* the layers are rows here */
        host.row = host.slice, host.slice = host.row * region[1];
    host.bytes = malloc(host.slice * region[2] + SPARE);
    fill_random(host.bytes, host.slice * region[2]);
    return host;
}

static void write_some(struct picture *p)
{
    size_t origin[3], region[3];
    cl_event next = NULL;
    pick_region(p, origin, region);
    struct host host = host_for(p, region);
    bool blocking = pick(2);
    OK(clEnqueueWriteImage(queue, p->image, blocking, origin, region, host.row_pitch, host.slice_pitch, host.bytes,
                           CHAIN));
    chain(next);
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++)
            memcpy(at(p, origin, y, z), host.bytes + z * host.slice + y * host.row, region[0] * p->texel);
    }
    if (!blocking)
        OK(clFinish(queue));
    free(host.bytes);
}

static void check_read(struct picture *p, const size_t origin[3], const size_t region[3], const struct host *host,
                       const char *what)
{
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            if (!memcmp(at(p, origin, y, z), host->bytes + z * host->slice + y * host->row, region[0] * p->texel))
                continue;
            printf("%s of type 0x%x, order 0x%x: row %zu of slice %zu is wrong\n", what, p->type,
                   p->format->image_channel_order, y, z);
            test_failures++;
            return;
        }
    }
}

static void read_some(struct picture *p)
{
    size_t origin[3], region[3];
    cl_event next = NULL;
    pick_region(p, origin, region);
    struct host host = host_for(p, region);
    bool blocking = pick(2);
    OK(clEnqueueReadImage(queue, p->image, blocking, origin, region, host.row_pitch, host.slice_pitch, host.bytes,
                          CHAIN));
    chain(next);
    if (!blocking)
        OK(clFinish(queue));
    check_read(p, origin, region, &host, "read");
    free(host.bytes);
}

static void fill_some(struct picture *p)
{
    size_t origin[3], region[3];
    cl_event next = NULL;
    uint32_t colour[4];
    uint8_t texel[16];
    pick_region(p, origin, region);
    for (int c = 0; c < 4; c++) {
        uint8_t value = (uint8_t)pick(256);
        float scaled = (float)value / 255.0f;
        memcpy(&colour[c], &scaled, 4);
        if (p->format->image_channel_data_type != CL_UNORM_INT8)
            fill_random(&colour[c], 4);
        memcpy(texel + c * p->texel / 4, p->texel == 4 ? (void *)&value : (void *)&colour[c], p->texel / 4);
    }
    OK(clEnqueueFillImage(queue, p->image, colour, origin, region, CHAIN));
    chain(next);
    for (size_t i = 0; i < region[0] * region[1] * region[2]; i++) {
        size_t x = i % region[0], y = i / region[0] % region[1], z = i / region[0] / region[1];
        memcpy(at(p, origin, y, z) + x * p->texel, texel, p->texel);
    }
}

static void map_some(struct picture *p)
{
    static const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    size_t origin[3], region[3];
    cl_event next = NULL;
    cl_int error;
    struct host host = {0};
    cl_map_flags how = flags[pick(3)];
    pick_region(p, origin, region);
    host.bytes =
        clEnqueueMapImage(queue, p->image, CL_TRUE, how, origin, region, &host.row, &host.slice, CHAIN, &error);
    NEED(error == CL_SUCCESS);
    chain(next);
    next = NULL;
    if (p->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        host.row = host.slice;
    if (how & CL_MAP_READ)
        check_read(p, origin, region, &host, "map");
    for (size_t z = 0; z < region[2] && how != CL_MAP_READ; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            uint8_t *row = host.bytes + z * host.slice + y * host.row;
            fill_random(row, region[0] * p->texel);
            memcpy(at(p, origin, y, z), row, region[0] * p->texel);
        }
    }
    OK(clEnqueueUnmapMemObject(queue, p->image, host.bytes, CHAIN));
    chain(next);
}

/* Out to a buffer at any offset, and back to somewhere else. */
static void through_buffer(struct picture *p, cl_mem buffer)
{
    size_t from[3], to[3], region[3], offset = pick(7);
    cl_event next = NULL;
    static uint8_t taken[MAX_TEXELS * 16];
    pick_region(p, from, region);
    for (int i = 0; i < 3; i++)
        to[i] = pick(p->size[i] - region[i] + 1);
    OK(clEnqueueCopyImageToBuffer(queue, p->image, buffer, from, region, offset, CHAIN));
    chain(next);
    next = NULL;
    OK(clEnqueueCopyBufferToImage(queue, buffer, p->image, offset, to, region, CHAIN));
    chain(next);
    for (int step = 0; step < 2; step++) {
        for (size_t z = 0; z < region[2]; z++) {
            for (size_t y = 0; y < region[1]; y++) {
                uint8_t *row = taken + (z * region[1] + y) * region[0] * p->texel;
                if (step)
                    memcpy(at(p, to, y, z), row, region[0] * p->texel);
                else
                    memcpy(row, at(p, from, y, z), region[0] * p->texel);
            }
        }
    }
}

static void copy_some(struct picture *from, struct picture *to)
{
    size_t origin[3], dst_origin[3], region[3];
    cl_event next = NULL;
    pick_region(from, origin, region);
    for (int i = 0; i < 3; i++) {
        region[i] = region[i] > to->size[i] ? to->size[i] : region[i];
        dst_origin[i] = pick(to->size[i] - region[i] + 1);
    }
    OK(clEnqueueCopyImage(queue, from->image, to->image, origin, dst_origin, region, CHAIN));
    chain(next);
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++)
            memcpy(at(to, dst_origin, y, z), at(from, origin, y, z), region[0] * from->texel);
    }
}

/* With contents from host memory whose pitches are larger than the rows. */
static struct picture *make_picture(cl_mem_object_type type, const cl_image_format *format, size_t texel,
                                    cl_mem_flags flags, bool of_buffer, uint8_t *host)
{
    struct picture *p = calloc(1, sizeof(*p));
    cl_image_desc desc = desc_of(type, WIDTH, HEIGHT, REST);
    bool lines = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    p->type = type;
    p->format = format;
    p->texel = texel;
    p->size[0] = WIDTH;
    p->size[1] = desc.image_height || lines ? HEIGHT : 1;
    p->size[2] = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? REST : 1;
    size_t row = (WIDTH + 3) * texel, slice = row * p->size[1];
    if (of_buffer) {
        flags &= CL_MEM_READ_WRITE;
        p->buffer = buffer_of(flags, slice + SPARE, NULL);
        OK(clEnqueueWriteBuffer(queue, p->buffer, CL_TRUE, 0, slice, host, 0, NULL, NULL));
        desc.mem_object = p->buffer;
    }
    if (type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        desc.image_row_pitch = row;
    if (p->size[2] > 1)
        desc.image_slice_pitch = slice;
    p->image = image_of(flags, format, &desc, of_buffer ? NULL : host);
    for (size_t z = 0; z < p->size[2]; z++) {
        for (size_t y = 0; y < p->size[1]; y++)
            memcpy(at(p, (size_t[3]){0}, y, z), host + z * slice + y * row, WIDTH * texel);
    }
    return p;
}

static void exercise(const cl_image_format *format, size_t texel)
{
    enum { KINDS = 9 };
    static const struct {
        cl_mem_object_type type;
        cl_mem_flags flags;
        bool of_buffer;
    } kinds[KINDS] = {
        {CL_MEM_OBJECT_IMAGE1D, CL_MEM_COPY_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_USE_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE2D, CL_MEM_COPY_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE2D, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE3D, CL_MEM_USE_HOST_PTR, false},
        {CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_WRITE, true},
        {CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_READ_WRITE, true},
        {CL_MEM_OBJECT_IMAGE3D, CL_MEM_COPY_HOST_PTR, false},
    };
    struct picture *pictures[KINDS];
    uint8_t *hosts[KINDS];
    size_t size = (WIDTH + 3) * HEIGHT * REST * texel;
    cl_mem buffer = buffer_of(0, MAX_TEXELS * 16 + 8, NULL);
    for (int i = 0; i < KINDS; i++) {
        hosts[i] = malloc(size + SPARE);
        fill_random(hosts[i], size);
        pictures[i] = make_picture(kinds[i].type, format, texel, kinds[i].flags, kinds[i].of_buffer, hosts[i]);
    }
    for (int round = 0; round < 400; round++) {
        struct picture *p = pictures[pick(KINDS)], *other = pictures[pick(KINDS)];
        switch (pick(7)) {
        case 0:
            write_some(p);
            break;
        case 1:
            fill_some(p);
            break;
        case 2:
            map_some(p);
            break;
        case 3:
            through_buffer(p, buffer);
            break;
        case 4:
            if (p != other)
                copy_some(p, other);
            break;
        default:
            read_some(p);
        }
    }
    OK(clFinish(queue));
    for (int i = 0; i < KINDS; i++) {
        read_some(pictures[i]);
        OK(clReleaseMemObject(pictures[i]->image));
        if (pictures[i]->buffer)
            OK(clReleaseMemObject(pictures[i]->buffer));
        free(pictures[i]);
    }
    OK(clReleaseMemObject(buffer));
    OK(clFinish(queue));
    for (int i = 0; i < KINDS; i++)
        free(hosts[i]);
}

/* USE_HOST_PTR: a map is the host's memory, and has the texels while it lasts. */
static void test_host_pointer(void)
{
    enum { PITCH = 48, OF_SLICE = PITCH * 5 };
    static uint8_t host[OF_SLICE * 2] __attribute__((aligned(4096)));
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 4, 2);
    size_t origin[3] = {2, 1, 1}, region[3] = {3, 2, 1}, row, slice;
    uint32_t red = 0xff0000ff;
    cl_int error;
    void *given = NULL;
    desc.image_row_pitch = PITCH;
    desc.image_slice_pitch = OF_SLICE;
    fill_random(host, sizeof(host));
    cl_mem image = image_of(CL_MEM_USE_HOST_PTR, &rgba8, &desc, host);
    OK(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof(given), &given, NULL));
    CHECK(given == host);
    OK(clEnqueueFillImage(queue, image, (float[4]){1, 0, 0, 1}, origin, region, 0, NULL, NULL));
    uint8_t *map =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(map == host + OF_SLICE + PITCH + 8 && row == PITCH && slice == OF_SLICE);
    CHECK(!memcmp(map, &red, 4) && !memcmp(map + PITCH + 8, &red, 4));
    cl_uint maps = 0;
    OK(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof(maps), &maps, NULL));
    CHECK(maps == 1);
    OK(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(image));
    OK(clFinish(queue));
}

/* Whether an image that asks for it must be mapped in place. lavapipe's device is the host, and its kernels write
 * images whose texels lie in rows; SwiftShader's do not. */
static bool maps_in_place(void)
{
    const char *disabled = getenv("PUMICE_DISABLE");
    char name[256] = "";
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    return strstr(name, "llvmpipe") && !(disabled && strstr(disabled, "linear_images"));
}

/* By kernels, which read and write what was mapped. */
static void turn_over(cl_mem image, size_t width, size_t height)
{
    const size_t origin[3] = {0}, region[3] = {width, height, 1};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, width, height, 1);
    cl_mem other = image_of(CL_MEM_ALLOC_HOST_PTR, &rgba8, &desc, NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t from, write_only image2d_t to) {\n"
                                 "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                                 "    write_imagef(to, at, 1.0f - read_imagef(from, at));\n"
                                 "}\n",
                                 "");
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(other), &other));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, region, NULL, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, other, image, origin, origin, region, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(other));
}

/* ALLOC_HOST_PTR: a map is the device's memory where that is the host's, with the device's pitch. The application sees
 * no more of it than the pitch. */
static void test_in_place(void)
{
    enum { LONG = 13, ROWS = 7, GIVEN = 60 };
    static uint8_t host[GIVEN * ROWS], got[LONG * 4 * ROWS];
    static const cl_image_format srgba8 = {CL_sRGBA, CL_UNORM_INT8};
    const size_t origin[3] = {0}, region[3] = {LONG, ROWS, 1};
    const uint32_t red = 0xff0000ff;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, LONG, ROWS, 1);
    size_t row = 0, again = 0, value;
    cl_mem object = NULL;
    cl_int error;
    desc.image_row_pitch = GIVEN;
    fill_random(host, sizeof(host));
    cl_mem image = image_of(CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, &rgba8, &desc, host);
    OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof(value), &value, NULL));
    CHECK(value == GIVEN);
    OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(object), &object, NULL));
    CHECK(!object);
    object = image;
    OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(object), &object, NULL));
    CHECK(!object);
    uint8_t *map = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, NULL, 0,
                                     NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (size_t y = 0; y < ROWS; y++)
        CHECK(!memcmp(map + y * row, host + (size_t)GIVEN * y, LONG * 4));
    for (size_t y = 0; y < ROWS; y++)
        fill_random(map + y * row, LONG * 4);
    /* The specification leaves open what a map shows of a command that runs meanwhile. Memory in place shows it. */
    if (maps_in_place()) {
        OK(clEnqueueFillImage(queue, image, (float[4]){1, 0, 0, 1}, (size_t[3]){2, 1, 0}, (size_t[3]){1, 1, 1}, 0, NULL,
                              NULL));
        OK(clFinish(queue));
        CHECK(!memcmp(map + row + 8, &red, 4));
    }
    for (size_t y = 0; y < ROWS; y++)
        memcpy(host + GIVEN * y, map + y * row, LONG * 4);
    OK(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
    turn_over(image, LONG, ROWS);
    for (size_t i = 0; i < sizeof(host); i++)
        host[i] = (uint8_t)~host[i];
    /* seen as another one */
    desc.mem_object = image;
    desc.image_row_pitch = 0;
    cl_mem other = image_of(CL_MEM_READ_ONLY, &srgba8, &desc, NULL);
    OK(clEnqueueReadImage(queue, other, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    for (size_t y = 0; y < ROWS; y++)
        CHECK(!memcmp(got + LONG * 4 * y, host + GIVEN * y, LONG * 4));
    OK(clReleaseMemObject(image));
    map = clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ, origin, region, &again, NULL, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(again == row && !memcmp(map + row, host + GIVEN, LONG * 4));
    OK(clEnqueueUnmapMemObject(queue, other, map, 0, NULL, NULL));
    OK(clReleaseMemObject(other));
    OK(clFinish(queue));
}

/* What is moved in several pieces: by rows, and by slices. */
/* All texels of a part of a large image get one value, and what is around them stays. */
static void fill_large(cl_mem image, const size_t inner[3], const size_t part[3])
{
    static const cl_float colour[4] = {1, 0, 1, 0};
    const size_t origin[3] = {0, inner[1], inner[2]}, region[3] = {part[0] + inner[0], part[1], 1}, width = region[0];
    uint8_t *before = malloc(width * part[1] * 4), *after = malloc(width * part[1] * 4);
    size_t wrong = 0;
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, before, 0, NULL, NULL));
    OK(clEnqueueFillImage(queue, image, colour, inner, part, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, after, 0, NULL, NULL));
    for (size_t y = 0; y < part[1]; y++) {
        const uint8_t *row = after + y * width * 4;
        wrong += memcmp(row, before + y * width * 4, inner[0] * 4) != 0;
        for (size_t x = inner[0]; x < width; x++)
            wrong += memcmp(row + x * 4, after + inner[0] * 4, 4) != 0;
    }
    CHECK(wrong == 0);
    free(before);
    free(after);
}

static void test_large(const cl_image_format *format, const size_t size[3], cl_mem_object_type type, bool blocking)
{
    const size_t width = size[0], height = size[1], rest = size[2];
    size_t most = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(most), &most, NULL));
    if (type == CL_MEM_OBJECT_IMAGE3D && most < height)
        return;
    cl_image_desc desc = desc_of(type, width, height, rest);
    size_t origin[3] = {0}, region[3] = {width, height, rest}, inner[3] = {3, 5, rest > 1},
           part[3] = {width - 7, height - 9, 1};
    size_t row = width * 4, pitch = row + 12, slice = type == CL_MEM_OBJECT_IMAGE2D ? 0 : pitch * (height + 1);
    size_t step = slice ? slice : pitch * height, bytes = step * rest;
    cl_int error;
    cl_mem image = clCreateImage(context, 0, format, &desc, NULL, &error);
    NEED(error == CL_SUCCESS || (error == CL_IMAGE_FORMAT_NOT_SUPPORTED && format != &rgba8));
    if (error != CL_SUCCESS)
        return;
    uint8_t *given = malloc(bytes), *got = calloc(1, bytes), *some = calloc(1, bytes);
    cl_event done;
    fill_random(given, bytes);
    OK(clEnqueueWriteImage(queue, image, blocking, origin, region, pitch, slice, given, 0, NULL, &done));
    OK(clEnqueueReadImage(queue, image, CL_FALSE, origin, region, pitch, slice, got, 1, &done, NULL));
    OK(clEnqueueReadImage(queue, image, CL_FALSE, inner, part, 0, 0, some, 1, &done, NULL));
    OK(clFinish(queue));
    size_t wrong = 0;
    for (size_t i = 0; i < height * rest; i++) {
        size_t at = i / height * step + i % height * pitch;
        wrong += memcmp(given + at, got + at, row) != 0;
    }
    for (size_t y = 0; y < part[1]; y++)
        wrong +=
            memcmp(given + inner[2] * step + (inner[1] + y) * pitch + 12, some + y * part[0] * 4, part[0] * 4) != 0;
    CHECK(wrong == 0);
    fill_large(image, inner, part);
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(image));
    free(given);
    free(got);
    free(some);
}

/* Behind an event of the application's, with the object released before it runs; and the profile's order. */
static void test_held(void)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    size_t origin[3] = {0}, region[3] = {4, 4, 1};
    uint8_t texels[64], back[64] = {0};
    cl_event gate = user_event(), done;
    fill_random(texels, sizeof(texels));
    cl_mem image = image_of(0, &rgba8, &desc, NULL);
    OK(clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, 0, 0, texels, 1, &gate, &done));
    OK(clEnqueueReadImage(queue, image, CL_FALSE, origin, region, 0, 0, back, 1, &done, NULL));
    CHECK(event_status(done) > CL_COMPLETE);
    OK(clReleaseMemObject(image));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    CHECK(!memcmp(texels, back, sizeof(back)));
    cl_command_type type;
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_WRITE_IMAGE);
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(gate));
}

/* ---- errors ---- */

/* OpenCL 3.0 API, 5.3.3: a blocking write "copies the data referred to by ptr and enqueues the write command". A small one
 * does just that: it comes back though the queue waits for an event that is set only later. */
static void take(cl_mem image, const size_t region[3], size_t texel)
{
    enum { ROW = 64, MOST = ROW * 8 };
    static const size_t zero[3];
    uint8_t from[MOST], given[MOST], back[MOST] = {0};
    cl_event gate = user_event();
    fill_random(from, sizeof(from));
    memcpy(given, from, sizeof(from));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, ROW, 0, from, 0, NULL, NULL));
    memset(from, 0, sizeof(from));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, ROW, 0, back, 0, NULL, NULL));
    for (size_t y = 0; y < region[1]; y++)
        CHECK(memcmp(back + y * ROW, given + y * ROW, region[0] * texel) == 0);
    OK(clReleaseMemObject(image));
}

static void test_taken(void)
{
    const size_t region[3] = {9, 7, 1};
    const cl_image_format packed = {CL_RGBA, CL_UNORM_INT_101010_2};
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 8, 0);
    cl_image_desc of_buffer = desc;
    cl_int error;
    take(image_of(CL_MEM_READ_WRITE, &rgba8, &desc, NULL), region, 4);
    cl_mem converted = clCreateImage(context, CL_MEM_READ_WRITE, &packed, &desc, NULL, &error);
    if (error == CL_SUCCESS)
        take(converted, region, 4);
    of_buffer.buffer = buffer_of(CL_MEM_READ_WRITE, 16 * 8 * 4, NULL);
    cl_mem over = clCreateImage(context, CL_MEM_READ_WRITE, &rgba8, &of_buffer, NULL, &error);
    if (error == CL_SUCCESS)
        take(over, region, 4);
    OK(clReleaseMemObject(of_buffer.buffer));
}

/* What a command before it is to bring is not taken before that. */
static void test_brought(void)
{
    static const size_t zero[3], region[3] = {16, 16, 1};
    static uint8_t between[1024], back[1024], bytes[1024];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 16, 0);
    fill_random(bytes, sizeof(bytes));
    cl_mem from = image_of(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes);
    cl_mem to = image_of(CL_MEM_READ_WRITE, &rgba8, &desc, NULL);
    OK(clEnqueueReadImage(queue, from, CL_FALSE, zero, region, 0, 0, between, 0, NULL, NULL));
    OK(clEnqueueWriteImage(queue, to, CL_TRUE, zero, region, 0, 0, between, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, region, 0, 0, back, 0, NULL, NULL));
    CHECK(memcmp(back, bytes, sizeof(back)) == 0);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
}

static void test_errors(void)
{
    cl_image_desc plane = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0), box = desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 4);
    cl_mem image = image_of(0, &rgba8, &plane, NULL), cube = image_of(0, &rgba8, &box, NULL);
    cl_mem other = image_of(0, &ints, &plane, NULL), buffer = buffer_of(0, 256, NULL), small = buffer_of(0, 255, NULL);
    cl_mem blind = image_of(CL_MEM_HOST_NO_ACCESS, &rgba8, &plane, NULL);
    cl_mem write_only = image_of(CL_MEM_HOST_WRITE_ONLY, &rgba8, &plane, NULL);
    cl_mem read_only = image_of(CL_MEM_HOST_READ_ONLY, &rgba8, &plane, NULL);
    size_t zero[3] = {0}, all[3] = {8, 8, 1}, wide[3] = {9, 1, 1}, deep[3] = {1, 1, 2}, none[3] = {8, 0, 1}, row, slice;
    size_t beyond[3] = {8, 0, 0}, half[3] = {4, 4, 1}, line[3] = {8, 1, 1}, cubic[3] = {8, 8, 3},
           shifted[3] = {2, 2, 0};
    static uint8_t host[8 * 8 * 4 * 4];
    float colour[4] = {0};
#define READ(image, origin, region, row, slice, ptr)                                                                   \
    clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, ptr, 0, NULL, NULL)
#define WRITE(image, origin, region, row, slice, ptr)                                                                  \
    clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, row, slice, ptr, 0, NULL, NULL)
#define MAP(image, flags, origin, region, row, slice)                                                                  \
    clEnqueueMapImage(queue, image, CL_TRUE, flags, origin, region, row, slice, 0, NULL, NULL, &error)
    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(NULL, image, CL_TRUE, zero, all, 0, 0, host, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, READ(NULL, zero, all, 0, 0, host));
    CODE(CL_INVALID_MEM_OBJECT, READ(buffer, zero, all, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, NULL, all, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, NULL, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, all, 0, 0, NULL));
    CODE(CL_INVALID_VALUE, READ(image, zero, wide, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, deep, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, none, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, beyond, half, 0, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, all, 31, 0, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, all, 0, 256, host));
    CODE(CL_INVALID_VALUE, READ(cube, zero, all, 0, 255, host));
    CODE(CL_INVALID_VALUE, READ(image, zero, all, (size_t)1 << 62, 0, host));
    CODE(CL_INVALID_VALUE, READ(cube, zero, cubic, 0, (size_t)1 << 63, host));
    CODE(CL_INVALID_VALUE, WRITE(image, zero, all, (size_t)3 << 61, 0, host));
    OK(READ(image, zero, line, (size_t)1 << 62, 0, host)); /* nothing is a pitch away */
    CODE(CL_INVALID_OPERATION, READ(blind, zero, all, 0, 0, host));
    CODE(CL_INVALID_OPERATION, READ(write_only, zero, all, 0, 0, host));
    CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, host, 1, NULL, NULL));
    CODE(CL_INVALID_OPERATION, WRITE(read_only, zero, all, 0, 0, host));
    CODE(CL_INVALID_VALUE, WRITE(image, zero, wide, 0, 0, host));
    CODE(CL_INVALID_VALUE, WRITE(image, zero, all, 0, 0, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, NULL, zero, all, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, colour, zero, wide, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(queue, buffer, colour, zero, all, 0, NULL, NULL));
    CODE(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(queue, image, other, zero, zero, all, 0, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, zero, shifted, half, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImage(queue, image, cube, zero, shifted, all, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(queue, image, buffer, zero, zero, all, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, small, zero, all, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, buffer, zero, all, 1, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(queue, image, image, zero, all, 0, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, zero, all, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, small, image, 0, zero, all, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, deep, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_VALUE, MAP(image, 1 << 7, zero, all, &row, &slice));
    NO_OBJECT(CL_INVALID_VALUE, MAP(image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, all, &row, &slice));
    NO_OBJECT(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, zero, wide, &row, &slice));
    NO_OBJECT(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, zero, all, NULL, &slice));
    NO_OBJECT(CL_INVALID_VALUE, MAP(cube, CL_MAP_READ, zero, all, &row, NULL));
    NO_OBJECT(CL_INVALID_OPERATION, MAP(read_only, CL_MAP_WRITE, zero, all, &row, &slice));
    NO_OBJECT(CL_INVALID_OPERATION, MAP(blind, CL_MAP_READ, zero, all, &row, &slice));
    NO_OBJECT(CL_INVALID_MEM_OBJECT, MAP(buffer, CL_MAP_READ, zero, all, &row, &slice));
    CODE(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, image, host, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    cl_mem objects[] = {image, cube, other, buffer, small, blind, write_only, read_only};
    OK(clEnqueueMigrateMemObjects(queue, COUNT(objects), objects, 0, 0, NULL, NULL));
    for (size_t i = 0; i < COUNT(objects); i++)
        OK(clReleaseMemObject(objects[i]));
}

int main(void)
{
    static const cl_image_format wide = {CL_RGBA, CL_UNSIGNED_INT32}, packed = {CL_RGBA, CL_UNORM_INT_101010_2};
    static const size_t plane[3] = {1501, 1307, 1};
    cl_int error;
    open_images(CL_QUEUE_PROFILING_ENABLE);
    exercise(&rgba8, 4);
    exercise(&wide, 16);
    test_large(&rgba8, plane, CL_MEM_OBJECT_IMAGE2D, false);
    test_large(&rgba8, (const size_t[3]){301, 401, 9}, CL_MEM_OBJECT_IMAGE3D, true);
    test_large(&rgba8, (const size_t[3]){901, 701, 3}, CL_MEM_OBJECT_IMAGE2D_ARRAY, false);
    test_large(&packed, plane, CL_MEM_OBJECT_IMAGE2D, false);
    test_host_pointer();
    test_in_place();
    test_held();
    test_taken();
    test_brought();
    test_errors();
    OK(clReleaseCommandQueue(queue));
    queue = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    chained = true;
    exercise(&rgba8, 4);
    test_large(&rgba8, plane, CL_MEM_OBJECT_IMAGE2D, false);
    if (last)
        OK(clReleaseEvent(last));
    return close_device();
}
