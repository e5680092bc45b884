/* The suite objects of `pumice bench`: what a program pays around its kernels. Buffers and images are created, used and
 * released, little is read and written, and kernels are launched over ranges that nobody has launched them over.
 * Programs that use temporaries do nothing else. Figures are medians, since the best of many would be the one that found
 * everything prepared. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 40, PARTS = 3, RANGES = 199, TEMPORARY = 4 << 20, PIXELS_MAX = 4096 };

static const char source[] = "kernel void touch(global uint *out, uint n) { out[get_global_id(0)] = n; }\n"
                             "kernel void fill(write_only image2d_t out, uint n)\n"
                             "{ write_imageui(out, (int2)(get_global_id(0), get_global_id(1)), (uint4)(n)); }\n";
static const char range_source[] = "kernel void add(global uint *out, uint n) { out[get_global_id(0)] += n; }\n";

struct objects {
    struct bench *bench;
    cl_program program;
    cl_kernel touch, fill; /* fill: NULL where there are no images */
    cl_mem old;            /* a buffer that has been used */
    char *bytes;           /* the host's */
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
    o->fill = o->program && has_images(bench) ? clCreateKernel(o->program, "fill", NULL) : NULL;
    o->old = bench_buffer(bench, 1 << 20);
    return o->bytes && o->touch && o->old;
}

static void close_objects(struct objects *o)
{
    if (o->old)
        clReleaseMemObject(o->old);
    if (o->fill)
        clReleaseKernel(o->fill);
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
    }
    close_objects(&o);
}
