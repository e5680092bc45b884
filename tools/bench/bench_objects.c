/* The suite objects of `pumice bench`: what a program pays around its kernels. Buffers and images are created, used and
 * released, little is read and written, and kernels are launched over ranges that nobody has launched them over.
 * Programs that use temporaries do nothing else. Figures are medians, since the best of many would be the one that found
 * everything prepared. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum {
    TIMES = 40,
    PARTS = 3,
    RANGES = 199,
    SIZES = 100,
    ROW = 30,
    HOST_WORDS = 1 << 20,
    TEMPORARY = 4 << 20,
    PIXELS_MAX = 4096
};

static const char source[] = "kernel void touch(global uint *out, uint n) { out[get_global_id(0)] = n; }\n"
                             "kernel void fill(write_only image2d_t out, uint n)\n"
                             "{ write_imageui(out, (int2)(get_global_id(0), get_global_id(1)), (uint4)(n)); }\n"
                             "kernel void work(global uint *out, uint n)\n"
                             "{\n"
                             "    uint value = n;\n"
                             "    for (uint i = 0; i < n; i++)\n"
                             "        value = value * 1664525u + (value >> 7);\n"
                             "    out[get_global_id(0)] = value;\n"
                             "}\n";
static const char meeting_source[] = "kernel void meet(global uint *out, uint n, local uint *values)\n"
                                     "{\n"
                                     "    values[get_local_id(0)] = n + get_local_id(0);\n"
                                     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                     "    out[get_global_id(0)] = values[get_local_size(0) - 1 - get_local_id(0)];\n"
                                     "}\n";
static const char range_source[] = "kernel void add(global uint *out, uint n) { out[get_global_id(0)] += n; }\n";

struct objects {
    struct bench *bench;
    cl_program program;
    cl_kernel touch, fill; /* fill: NULL where there are no images */
    cl_kernel work;
    cl_mem old;  /* a buffer that has been used */
    char *bytes; /* the host's */
};

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* In microseconds. */
static void put(struct bench *bench, const char *what, const char *part, double *seconds)
{
    char row[80];
    qsort(seconds, TIMES, sizeof(*seconds), compare);
    snprintf(row, sizeof(row), "%s: %s, us", what, part);
    bench_record(bench, "objects", row, 1e6 * seconds[TIMES / 2]);
}

static bool launch(const struct objects *o, cl_kernel kernel, cl_mem out, cl_uint dims, size_t side)
{
    size_t global[2] = {side, side};
    cl_uint n = 1;
    return !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n) &&
           !clEnqueueNDRangeKernel(o->bench->cl.queue, kernel, dims, NULL, global, NULL, 0, NULL, NULL);
}

static bool finish(const struct objects *o)
{
    return !clFinish(o->bench->cl.queue);
}

/* ---- buffers and images ---- */

static void put_buffer(const struct objects *o, const char *what, size_t size)
{
    double times[PARTS][TIMES];
    bench_progress(o->bench, "objects", what);
    for (int i = -1; i < TIMES; i++) { /* the first is not counted */
        double start = bench_now();
        cl_mem buffer = clCreateBuffer(o->bench->cl.context, CL_MEM_READ_WRITE, size, NULL, NULL);
        double created = bench_now();
        bool good = buffer && launch(o, o->touch, buffer, 1, 256) && finish(o);
        double used = bench_now();
        if (buffer)
            clReleaseMemObject(buffer);
        if (!good)
            return;
        if (i < 0)
            continue;
        times[0][i] = created - start;
        times[1][i] = used - created;
        times[2][i] = bench_now() - used;
    }
    put(o->bench, what, "create", times[0]);
    put(o->bench, what, "first launch and finish", times[1]);
    put(o->bench, what, "release", times[2]);
}

static void put_image(const struct objects *o, const char *what, size_t side)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
    const size_t origin[3] = {0, 0, 0}, region[3] = {side, side, 1};
    double times[PARTS][TIMES];
    bench_progress(o->bench, "objects", what);
    for (int i = -1; i < TIMES; i++) {
        double start = bench_now();
        cl_mem image = clCreateImage(o->bench->cl.context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL);
        double created = bench_now();
        bool good = image && !clEnqueueWriteImage(o->bench->cl.queue, image, CL_TRUE, origin, region, 0, 0, o->bytes, 0,
                                                  NULL, NULL);
        double written = bench_now();
        good = good && launch(o, o->fill, image, 2, 16) && finish(o);
        double used = bench_now();
        if (image)
            clReleaseMemObject(image);
        if (!good)
            return;
        if (i < 0)
            continue;
        times[0][i] = created - start;
        times[1][i] = written - created;
        times[2][i] = bench_now() - used;
    }
    put(o->bench, what, "create", times[0]);
    put(o->bench, what, "first write", times[1]);
    put(o->bench, what, "release", times[2]);
}

/* What libraries of parallel algorithms do. */
static void put_temporaries(const struct objects *o)
{
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double start = bench_now();
        for (int k = 0; k < 5; k++) {
            cl_mem buffer = clCreateBuffer(o->bench->cl.context, CL_MEM_READ_WRITE, TEMPORARY, NULL, NULL);
            bool good = buffer && launch(o, o->touch, buffer, 1, 256);
            if (buffer)
                clReleaseMemObject(buffer);
            if (!good)
                return;
        }
        if (!finish(o))
            return;
        times[i] = (bench_now() - start) / 5;
    }
    put(o->bench, "temporaries of 4 MiB", "create, launch and release", times);
}

/* ---- little commands ---- */

enum little { READ, WRITE, LAUNCH_AND_READ, MAP, LAUNCH };

static bool little_command(const struct objects *o, enum little kind, size_t size)
{
    cl_command_queue queue = o->bench->cl.queue;
    switch (kind) {
    case LAUNCH_AND_READ:
        return launch(o, o->touch, o->old, 1, 256) && little_command(o, READ, size);
    case READ:
        return !clEnqueueReadBuffer(queue, o->old, CL_TRUE, 0, size, o->bytes, 0, NULL, NULL);
    case WRITE:
        return !clEnqueueWriteBuffer(queue, o->old, CL_TRUE, 0, size, o->bytes, 0, NULL, NULL);
    case MAP: {
        void *mapped = clEnqueueMapBuffer(queue, o->old, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, NULL);
        return mapped && !clEnqueueUnmapMemObject(queue, o->old, mapped, 0, NULL, NULL);
    }
    default:
        return launch(o, o->touch, o->old, 1, 256) && finish(o);
    }
}

static void put_little(const struct objects *o, const char *what, const char *part, enum little kind, size_t size)
{
    double times[TIMES];
    for (int i = -2; i < TIMES; i++) {
        double start = bench_now();
        if (!little_command(o, kind, size))
            return;
        if (i >= 0)
            times[i] = bench_now() - start;
        if (!finish(o))
            return;
    }
    put(o->bench, what, part, times);
}

/* ---- ranges without a local size ---- */

/* Of all sizes: who makes a pipeline for each work-group size pays for each. */
static void put_ranges(const struct objects *o)
{
    double build, times[2] = {0.0, 0.0};
    cl_program program = bench_program(o->bench, range_source, "", &build);
    cl_kernel add = program ? clCreateKernel(program, "add", NULL) : NULL;
    bool good = add != NULL;
    for (size_t i = 1; i <= RANGES && good; i++) {
        double start = bench_now();
        good = launch(o, add, o->old, 1, 7 * i) && finish(o);
        double seconds = bench_now() - start;
        times[0] += seconds;
        times[1] = seconds > times[1] ? seconds : times[1];
    }
    if (add)
        clReleaseKernel(add);
    if (program)
        clReleaseProgram(program);
    bench_record(o->bench, "objects", "199 ranges without a local size: all, ms", good ? 1e3 * times[0] : -1.0);
    bench_record(o->bench, "objects", "199 ranges without a local size: the slowest, ms", good ? 1e3 * times[1] : -1.0);
}

/* ---- local sizes ---- */

/* A kernel whose groups matter, with another local size at each launch. */
static void put_sizes(const struct objects *o)
{
    double build, start = bench_now();
    cl_program program = bench_program(o->bench, meeting_source, "", &build);
    cl_kernel meet = program ? clCreateKernel(program, "meet", NULL) : NULL;
    bool good = meet && !clSetKernelArg(meet, 2, 1024, NULL);
    cl_uint n = 1;
    for (size_t local = 1; local <= SIZES && good; local++) {
        size_t global = local * 64;
        good = !clSetKernelArg(meet, 0, sizeof(o->old), &o->old) && !clSetKernelArg(meet, 1, sizeof(n), &n) &&
               !clEnqueueNDRangeKernel(o->bench->cl.queue, meet, 1, NULL, &global, &local, 0, NULL, NULL) && finish(o);
    }
    if (meet)
        clReleaseKernel(meet);
    if (program)
        clReleaseProgram(program);
    bench_record(o->bench, "objects", "100 local sizes: build and all launches, ms",
                 good ? 1e3 * (bench_now() - start) : -1.0);
}

/* ---- waiting ---- */

/* Seconds for launches that take the device some us or ms each, and the wait for all of them. */
static double work(const struct objects *o, int count, cl_uint steps, bool flushes)
{
    const size_t items = 64;
    double start = bench_now();
    bool good =
        !clSetKernelArg(o->work, 0, sizeof(o->old), &o->old) && !clSetKernelArg(o->work, 1, sizeof(steps), &steps);
    for (int i = 0; i < count && good; i++)
        good = !clEnqueueNDRangeKernel(o->bench->cl.queue, o->work, 1, NULL, &items, NULL, 0, NULL, NULL) &&
               (!flushes || !clFlush(o->bench->cl.queue));
    return good && finish(o) ? bench_now() - start : -1.0;
}

/* A driver may wake those who wait for long only some time after the device is done: one wait for one launch has that,
 * and so has one for nine. */
static void put_late(const struct objects *o)
{
    enum { STEPS = 250000, MORE = 9 };
    double late[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double one = work(o, 1, STEPS, false), many = work(o, MORE, STEPS, false);
        if (one < 0.0 || many < 0.0)
            return;
        double beyond = one - (many - one) / (MORE - 1);
        late[i] = beyond > 0.0 ? beyond : 0.0;
    }
    put(o->bench, "kernel of some ms", "the wait beyond it", late);
}

static void put_row(const struct objects *o, const char *part, bool flushes)
{
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        times[i] = work(o, ROW, 2500, flushes) / ROW;
        if (times[i] < 0.0)
            return;
    }
    put(o->bench, "30 kernels of some 30 us", part, times);
}

/* ---- the application's memory ---- */

static void put_host_pointer(const struct objects *o)
{
    double times[TIMES];
    size_t size = HOST_WORDS * 4;
    cl_mem buffer = clCreateBuffer(o->bench->cl.context, CL_MEM_USE_HOST_PTR, size, o->bytes, NULL);
    bool good = buffer;
    for (int i = -2; i < TIMES && good; i++) {
        double start = bench_now();
        good = launch(o, o->touch, buffer, 1, HOST_WORDS) &&
               !clEnqueueReadBuffer(o->bench->cl.queue, buffer, CL_TRUE, 0, size, o->bytes, 0, NULL, NULL);
        if (i >= 0)
            times[i] = bench_now() - start;
    }
    if (buffer)
        clReleaseMemObject(buffer);
    if (good)
        put(o->bench, "4 MiB with CL_MEM_USE_HOST_PTR", "launch and read", times);
}

/* ---- the suite ---- */

static bool has_images(const struct bench *bench)
{
    cl_bool images = CL_FALSE;
    return !clGetDeviceInfo(bench->cl.id, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL) && images;
}

static bool open_objects(struct objects *o, struct bench *bench)
{
    double build;
    *o = (struct objects){.bench = bench};
    o->bytes = calloc(PIXELS_MAX, (size_t)PIXELS_MAX * 4);
    o->program = bench_program(bench, source, "", &build);
    o->touch = o->program ? clCreateKernel(o->program, "touch", NULL) : NULL;
    o->work = o->program ? clCreateKernel(o->program, "work", NULL) : NULL;
    o->fill = o->program && has_images(bench) ? clCreateKernel(o->program, "fill", NULL) : NULL;
    o->old = bench_buffer(bench, 1 << 20);
    return o->bytes && o->touch && o->work && o->old;
}

static void close_objects(struct objects *o)
{
    if (o->old)
        clReleaseMemObject(o->old);
    if (o->fill)
        clReleaseKernel(o->fill);
    if (o->work)
        clReleaseKernel(o->work);
    if (o->touch)
        clReleaseKernel(o->touch);
    if (o->program)
        clReleaseProgram(o->program);
    free(o->bytes);
}

/* A GPU that was idle is slow for a part of a second. */
static void warm_up(const struct objects *o)
{
    double start = bench_now();
    while (!o->bench->is_cpu && bench_now() - start < 0.5 && little_command(o, LAUNCH, 4))
        ;
}

void bench_objects(struct bench *bench)
{
    static const struct {
        const char *what;
        size_t size;
    } buffers[] = {{"buffer of 4 KiB", 4 << 10},   {"buffer of 64 KiB", 64 << 10}, {"buffer of 1 MiB", 1 << 20},
                   {"buffer of 16 MiB", 16 << 20}, {"buffer of 64 MiB", 64 << 20}, {"buffer of 256 MiB", 256 << 20}},
      images[] = {{"image of 16 x 16", 16}, {"image of 256 x 256", 256}, {"image of 4096 x 4096", PIXELS_MAX}},
      commands[] = {{"4 bytes", 4}, {"4 KiB", 4 << 10}, {"64 KiB", 64 << 10}, {"1 MiB", 1 << 20}};
    struct objects o;
    if (open_objects(&o, bench)) {
        warm_up(&o);
        put_little(&o, "small kernel", "launch and finish", LAUNCH, 0);
        for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
            put_little(&o, commands[i].what, "read", READ, commands[i].size);
            put_little(&o, commands[i].what, "write", WRITE, commands[i].size);
            put_little(&o, commands[i].what, "map and unmap", MAP, commands[i].size);
            put_little(&o, commands[i].what, "launch and read", LAUNCH_AND_READ, commands[i].size);
        }
        for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
            put_buffer(&o, buffers[i].what, buffers[i].size);
        put_temporaries(&o);
        for (size_t i = 0; o.fill && i < sizeof(images) / sizeof(images[0]); i++)
            put_image(&o, images[i].what, images[i].size);
        put_ranges(&o);
        put_sizes(&o);
        put_row(&o, "launch and one finish, each", false);
        put_row(&o, "launch and clFlush, one finish, each", true);
        put_late(&o);
        put_host_pointer(&o);
    }
    close_objects(&o);
}
