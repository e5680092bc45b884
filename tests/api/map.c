/* OpenCL 3.0 API, 5.5.4: a map shows what the commands before it wrote, whoever did and however often the object was
 * mapped before. A driver may leave out reading what its host memory has already; so each object is mapped whole, written
 * in one of all ways, and mapped again. */
#include "api_test.h"

enum { SIDE = 160, WORDS = SIDE * SIDE, BYTES = WORDS * 4, PART = WORDS / 2 };

/* One object at a time: a buffer, or an image whose texels are these words. */
struct object {
    cl_mem mem;
    bool is_image;
};

static cl_kernel fill_buffer, fill_image;
static cl_command_queue second;

static const size_t origin[3] = {0, 0, 0}, half[3] = {0, SIDE / 2, 0}, whole_region[3] = {SIDE, SIDE, 1},
                    half_region[3] = {SIDE, SIDE / 2, 1};

static struct object create(bool is_image)
{
    cl_int error;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    struct object o = {.is_image = is_image};
    o.mem = is_image ? clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error)
                     : clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    NEED(error == CL_SUCCESS);
    return o;
}

/* The second half alone where it is a part. */
static cl_uint *map_on(cl_command_queue on, const struct object *o, cl_map_flags flags, bool part)
{
    cl_int error;
    size_t pitch;
    void *mapped = o->is_image
                       ? clEnqueueMapImage(on, o->mem, CL_TRUE, flags, part ? half : origin,
                                           part ? half_region : whole_region, &pitch, NULL, 0, NULL, NULL, &error)
                       : clEnqueueMapBuffer(on, o->mem, CL_TRUE, flags, part ? PART * 4 : 0, part ? PART * 4 : BYTES, 0,
                                            NULL, NULL, &error);
    NEED(error == CL_SUCCESS && (!o->is_image || pitch == SIDE * 4));
    return mapped;
}

static bool is_all(const cl_uint *words, size_t count, cl_uint value)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] != value)
            return false;
    }
    return true;
}

static void set_all(cl_uint *words, size_t count, cl_uint value)
{
    for (size_t i = 0; i < count; i++)
        words[i] = value;
}

static void expect(const struct object *o, cl_map_flags flags, cl_uint first, cl_uint rest)
{
    cl_uint *words = map_on(queue, o, flags, false);
    CHECK(is_all(words, PART, first));
    CHECK(is_all(words + PART, WORDS - PART, rest));
    OK(clEnqueueUnmapMemObject(queue, o->mem, words, 0, NULL, NULL));
}

/* ---- ways of writing all of it ---- */

static void by_map(const struct object *o, cl_uint value)
{
    cl_uint *words = map_on(queue, o, CL_MAP_WRITE, false);
    set_all(words, WORDS, value);
    OK(clEnqueueUnmapMemObject(queue, o->mem, words, 0, NULL, NULL));
}

static void by_invalidating(const struct object *o, cl_uint value)
{
    cl_uint *words = map_on(queue, o, CL_MAP_WRITE_INVALIDATE_REGION, false);
    set_all(words, WORDS, value);
    OK(clEnqueueUnmapMemObject(queue, o->mem, words, 0, NULL, NULL));
}

static void by_write(const struct object *o, cl_uint value)
{
    static cl_uint words[WORDS];
    set_all(words, WORDS, value);
    if (o->is_image)
        OK(clEnqueueWriteImage(queue, o->mem, CL_TRUE, origin, whole_region, 0, 0, words, 0, NULL, NULL));
    else
        OK(clEnqueueWriteBuffer(queue, o->mem, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
}

static void fill_on(cl_command_queue on, const struct object *o, cl_uint value)
{
    const cl_uint color[4] = {value, value, value, value};
    if (o->is_image)
        OK(clEnqueueFillImage(on, o->mem, color, origin, whole_region, 0, NULL, NULL));
    else
        OK(clEnqueueFillBuffer(on, o->mem, &value, sizeof(value), 0, BYTES, 0, NULL, NULL));
}

static void by_fill(const struct object *o, cl_uint value)
{
    fill_on(queue, o, value);
}

static void by_second_queue(const struct object *o, cl_uint value)
{
    cl_event before, done;
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before));
    OK(clFlush(queue));
    OK(clEnqueueBarrierWithWaitList(second, 1, &before, NULL));
    fill_on(second, o, value);
    OK(clEnqueueMarkerWithWaitList(second, 0, NULL, &done));
    OK(clFlush(second));
    OK(clEnqueueBarrierWithWaitList(queue, 1, &done, NULL));
    OK(clReleaseEvent(before));
    OK(clReleaseEvent(done));
}

static void by_copy(const struct object *o, cl_uint value)
{
    struct object from = create(o->is_image);
    by_map(&from, value);
    if (o->is_image)
        OK(clEnqueueCopyImage(queue, from.mem, o->mem, origin, origin, whole_region, 0, NULL, NULL));
    else
        OK(clEnqueueCopyBuffer(queue, from.mem, o->mem, 0, 0, BYTES, 0, NULL, NULL));
    by_map(&from, value + 1); /* too late for the copy */
    OK(clReleaseMemObject(from.mem));
}

static void by_kernel(const struct object *o, cl_uint value)
{
    const size_t size[2] = {SIDE, SIDE};
    cl_kernel kernel = o->is_image ? fill_image : fill_buffer;
    OK(clSetKernelArg(kernel, 0, sizeof(o->mem), &o->mem));
    OK(clSetKernelArg(kernel, 1, sizeof(value), &value));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
}

static void by_sub_buffer(const struct object *o, cl_uint value)
{
    cl_int error;
    const cl_buffer_region part = {0, BYTES};
    if (o->is_image) {
        by_fill(o, value);
        return;
    }
    cl_mem sub = clCreateSubBuffer(o->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    OK(error);
    OK(clEnqueueFillBuffer(queue, sub, &value, sizeof(value), 0, BYTES, 0, NULL, NULL));
    OK(clReleaseMemObject(sub));
}

static void (*const ways[])(const struct object *, cl_uint) = {
    by_map, by_invalidating, by_write, by_fill, by_second_queue, by_copy, by_kernel, by_sub_buffer};

/* ---- the cases ---- */

static const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE};

static void check_ways(bool is_image)
{
    struct object o = create(is_image);
    cl_uint value = 1;
    by_map(&o, value);
    for (size_t before = 0; before < COUNT(ways); before++) {
        for (size_t way = 0; way < COUNT(ways); way++) {
            for (size_t i = 0; i < COUNT(flags); i++) {
                ways[before](&o, ++value);
                expect(&o, flags[i], value, value);
                expect(&o, flags[(i + 1) % COUNT(flags)], value, value);
                ways[way](&o, ++value);
                expect(&o, flags[i], value, value);
            }
        }
    }
    OK(clReleaseMemObject(o.mem));
}

/* What is written to a map is for commands behind the unmap alone. */
static void check_order(bool is_image)
{
    struct object o = create(is_image), copies[8];
    for (cl_uint i = 0; i < COUNT(copies); i++) {
        copies[i] = create(is_image);
        by_map(&o, i);
        if (is_image)
            OK(clEnqueueCopyImage(queue, o.mem, copies[i].mem, origin, origin, whole_region, 0, NULL, NULL));
        else
            OK(clEnqueueCopyBuffer(queue, o.mem, copies[i].mem, 0, 0, BYTES, 0, NULL, NULL));
    }
    for (cl_uint i = 0; i < COUNT(copies); i++) {
        expect(&copies[i], CL_MAP_READ, i, i);
        OK(clReleaseMemObject(copies[i].mem));
    }
    OK(clReleaseMemObject(o.mem));
}

static void check_parts(bool is_image)
{
    struct object o = create(is_image);
    by_map(&o, 1);
    expect(&o, CL_MAP_READ, 1, 1);
    for (cl_uint value = 2; value < 6; value++) {
        cl_uint *words = map_on(queue, &o, CL_MAP_WRITE, true);
        CHECK(is_all(words, WORDS - PART, value - 1));
        set_all(words, WORDS - PART, value);
        OK(clEnqueueUnmapMemObject(queue, o.mem, words, 0, NULL, NULL));
        expect(&o, CL_MAP_READ, 1, value);
    }
    OK(clReleaseMemObject(o.mem));
}

/* An unmap that waits for what fails writes nothing but where maps are the memory itself. Either way, maps and reads
 * agree. */
static void check_failure(bool is_image)
{
    static cl_uint read[WORDS];
    cl_int error;
    struct object o = create(is_image);
    by_map(&o, 1);
    cl_uint *words = map_on(queue, &o, CL_MAP_WRITE, false);
    set_all(words, WORDS, 2);
    cl_event failed = clCreateUserEvent(context, &error);
    OK(error);
    OK(clSetUserEventStatus(failed, -1));
    OK(clEnqueueUnmapMemObject(queue, o.mem, words, 1, &failed, NULL));
    OK(clReleaseEvent(failed));
    if (is_image)
        OK(clEnqueueReadImage(queue, o.mem, CL_TRUE, origin, whole_region, 0, 0, read, 0, NULL, NULL));
    else
        OK(clEnqueueReadBuffer(queue, o.mem, CL_TRUE, 0, BYTES, read, 0, NULL, NULL));
    expect(&o, CL_MAP_READ, read[0], read[0]);
    OK(clReleaseMemObject(o.mem));
}

static void make_kernels(void)
{
    static const char source[] = "kernel void fill_buffer(global uint *to, uint value)\n"
                                 "{ to[get_global_id(1) * get_global_size(0) + get_global_id(0)] = value; }\n"
                                 "kernel void fill_image(write_only image2d_t to, uint value)\n"
                                 "{ write_imageui(to, (int2)(get_global_id(0), get_global_id(1)), (uint4)(value)); }\n";
    const struct test_device opened = {platform, device, context, queue};
    cl_int error;
    cl_program program = test_build_source(&opened, source, "");
    NEED(program);
    fill_buffer = clCreateKernel(program, "fill_buffer", &error);
    OK(error);
    fill_image = clCreateKernel(program, "fill_image", &error);
    OK(error);
    OK(clReleaseProgram(program));
}

int main(void)
{
    cl_int error;
    cl_bool images = CL_FALSE;
    open_device(0);
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    make_kernels();
    for (int round = 0; round < 2; round++) { /* the second queue comes and goes */
        for (int is_image = 0; is_image <= (int)images; is_image++) {
            check_order(is_image);
            check_parts(is_image);
            check_failure(is_image);
        }
        second = clCreateCommandQueue(context, device, 0, &error);
        OK(error);
        for (int is_image = 0; is_image <= (int)images; is_image++)
            check_ways(is_image);
        OK(clReleaseCommandQueue(second));
        second = queue;
        for (int is_image = 0; is_image <= (int)images; is_image++)
            check_ways(is_image);
    }
    OK(clReleaseKernel(fill_buffer));
    OK(clReleaseKernel(fill_image));
    return close_device();
}
