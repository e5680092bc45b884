/* Images, device beside device: reads and writes in kernels, transfers, and one blur of a picture by image and by
 * buffer.
 *
 * Each kernel reads or writes every texel of a square RGBA picture, of 8 bits and of float. The time is that of several
 * launches in a row, as filters run them. The two blurs give the same numbers, which is checked: a sampler of the
 * address mode CLAMP_TO_EDGE is what the buffer's kernel does by clamp(). */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 8, NUM_FORMATS = 2 };

static const char *const source =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
    "constant sampler_t tiles = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
    "#define AT (int2)(get_global_id(0), get_global_id(1))\n"
    "#define SUM(E) float4 s = 0.0f; for (int i = 0; i < 8; i++) s += E;\\\n"
    "    if (s.x == 12345.0f) out[get_global_id(0)] = s;\n"
    "kernel void unsampled(read_only image2d_t a, global float4 *out)\n"
    "{ SUM(read_imagef(a, AT ^ (int2)(i & 1, i >> 1))) }\n"
    "kernel void nearest(read_only image2d_t a, global float4 *out)\n"
    "{ SUM(read_imagef(a, edge, convert_float2(AT) + (float2)(i, 0.5f))) }\n"
    "kernel void linear(read_only image2d_t a, global float4 *out)\n"
    "{ SUM(read_imagef(a, smooth, convert_float2(AT) + (float2)(i, 0.25f))) }\n"
    "kernel void repeated(read_only image2d_t a, global float4 *out)\n"
    "{ float2 size = convert_float2(get_image_dim(a));\n"
    "  SUM(read_imagef(a, tiles, (convert_float2(AT) + (float2)(i, 0.25f)) / size * 1.5f)) }\n"
    "kernel void argument(read_only image2d_t a, global float4 *out, sampler_t s0)\n"
    "{ SUM(read_imagef(a, s0, convert_float2(AT) + (float2)(i, 0.25f))) }\n"
    "kernel void write(write_only image2d_t a) { write_imagef(a, AT, (float4)(0.25f, 0.5f, 0.75f, 1.0f)); }\n"
    "kernel void copy(read_only image2d_t a, write_only image2d_t b) { write_imagef(b, AT, read_imagef(a, AT)); }\n"
    "constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};\n"
    "kernel void blur_image(read_only image2d_t a, write_only image2d_t b)\n"
    "{ float4 s = 0.0f;\n"
    "  for (int y = 0; y < 5; y++) for (int x = 0; x < 5; x++)\n"
    "      s += read_imagef(a, edge, AT + (int2)(x - 2, y - 2)) * (weights[x] * weights[y]);\n"
    "  write_imagef(b, AT, s); }\n"
    "kernel void blur_buffer(global const PIXEL4 *a, global PIXEL4 *b)\n"
    "{ float4 s = 0.0f; int w = get_global_size(0), h = get_global_size(1);\n"
    "  for (int y = 0; y < 5; y++) for (int x = 0; x < 5; x++)\n"
    "      s += LOAD(a[clamp((int)get_global_id(1) + y - 2, 0, h - 1) * w + clamp((int)get_global_id(0) + x - 2, 0, w "
    "- 1)])\n"
    "           * (weights[x] * weights[y]);\n"
    "  b[get_global_id(1) * w + get_global_id(0)] = STORE(s); }\n";

static const struct format {
    const char *name, *options;
    cl_image_format format;
    size_t texel;
} formats[NUM_FORMATS] = {
    {"8 bits",
     "-DPIXEL4=uchar4 -DLOAD(x)=(convert_float4(x)/255.0f) -DSTORE(x)=convert_uchar4_sat_rte((x)*255.0f)",
     {CL_RGBA, CL_UNORM_INT8},
     4},
    {"float", "-DPIXEL4=float4 -DLOAD(x)=(x) -DSTORE(x)=(x)", {CL_RGBA, CL_FLOAT}, 16},
};

struct work {
    struct bench *bench;
    const struct format *format;
    cl_program program;
    cl_mem a, b;          /* images */
    cl_mem in, out;       /* buffers with as many bytes */
    size_t size, bytes;   /* of a side, in texels; of all */
    void *pixels, *other; /* as many bytes of the host's */
};

static bool open_work(struct work *work, struct bench *bench, const struct format *format)
{
    double seconds;
    size_t side = bench->is_cpu ? 1024 : 4096;
    *work = (struct work){.bench = bench, .format = format, .size = side, .bytes = side * side * format->texel};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
    cl_context context = bench->cl.context;
    work->program = bench_program(bench, source, format->options, &seconds);
    work->a = clCreateImage(context, CL_MEM_READ_WRITE, &format->format, &desc, NULL, NULL);
    work->b = clCreateImage(context, CL_MEM_READ_WRITE, &format->format, &desc, NULL, NULL);
    work->in = bench_buffer(bench, work->bytes);
    work->out = bench_buffer(bench, work->bytes);
    work->pixels = malloc(work->bytes);
    work->other = malloc(work->bytes);
    if (!work->program || !work->a || !work->b || !work->in || !work->out || !work->pixels || !work->other)
        return false;
    uint32_t seed = 1;
    for (size_t i = 0; i < side * side * 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (format->texel == 4)
            ((uint8_t *)work->pixels)[i] = (uint8_t)(seed >> 24);
        else
            ((float *)work->pixels)[i] = (float)(seed >> 8) * 0x1p-24f;
    }
    memset(work->other, 0, work->bytes);
    return true;
}

static void close_work(struct work *work)
{
    cl_mem objects[] = {work->a, work->b, work->in, work->out};
    for (int i = 0; i < 4; i++) {
        if (objects[i])
            clReleaseMemObject(objects[i]);
    }
    if (work->program)
        clReleaseProgram(work->program);
    free(work->pixels);
    free(work->other);
}

/* Seconds of one launch, of several in a row; < 0: it fails. */
static double time_kernel(const struct work *work, const char *name, cl_mem first, cl_mem second, cl_sampler sampler,
                          size_t side, int launches)
{
    cl_kernel kernel = clCreateKernel(work->program, name, NULL);
    size_t global[2] = {side, side};
    double best = -1.0;
    bool ok = kernel && !clSetKernelArg(kernel, 0, sizeof(first), &first) &&
              (!second || !clSetKernelArg(kernel, 1, sizeof(second), &second)) &&
              (!sampler || !clSetKernelArg(kernel, 2, sizeof(sampler), &sampler));
    for (int run = 0; ok && run <= RUNS; run++) {
        double start = bench_now();
        for (int i = 0; ok && i < launches; i++)
            ok = !clEnqueueNDRangeKernel(work->bench->cl.queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
        ok = ok && !clFinish(work->bench->cl.queue);
        double seconds = (bench_now() - start) / launches;
        if (run && (best < 0.0 || seconds < best))
            best = seconds;
    }
    if (kernel)
        clReleaseKernel(kernel);
    return ok ? best : -1.0;
}

enum transfer { UPLOAD, DOWNLOAD, COPY, MAP };

static bool transfer(const struct work *work, enum transfer kind)
{
    const size_t origin[3] = {0}, region[3] = {work->size, work->size, 1};
    cl_command_queue queue = work->bench->cl.queue;
    size_t pitch;
    void *map;
    switch (kind) {
    case UPLOAD:
        return !clEnqueueWriteImage(queue, work->a, CL_TRUE, origin, region, 0, 0, work->pixels, 0, NULL, NULL);
    case DOWNLOAD:
        return !clEnqueueReadImage(queue, work->a, CL_TRUE, origin, region, 0, 0, work->other, 0, NULL, NULL);
    case COPY:
        return !clEnqueueCopyImage(queue, work->a, work->b, origin, origin, region, 0, NULL, NULL) && !clFinish(queue);
    case MAP:
        map = clEnqueueMapImage(queue, work->a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &pitch, NULL, 0,
                                NULL, NULL, NULL);
        return map && !clEnqueueUnmapMemObject(queue, work->a, map, 0, NULL, NULL) && !clFinish(queue);
    }
    return false;
}

static double time_transfer(const struct work *work, enum transfer kind)
{
    double best = -1.0;
    for (int run = 0; run <= RUNS; run++) {
        double start = bench_now();
        if (!transfer(work, kind))
            return -1.0;
        double seconds = bench_now() - start;
        if (run && (best < 0.0 || seconds < best))
            best = seconds;
    }
    return best;
}

/* Whether both blurs gave the same picture, up to one step of 8 bits or float's rounding. */
static bool same_blur(const struct work *work)
{
    const size_t origin[3] = {0}, region[3] = {work->size, work->size, 1};
    cl_command_queue queue = work->bench->cl.queue;
    uint32_t wrong = 0;
    if (clEnqueueReadImage(queue, work->b, CL_TRUE, origin, region, 0, 0, work->pixels, 0, NULL, NULL) ||
        clEnqueueReadBuffer(queue, work->out, CL_TRUE, 0, work->bytes, work->other, 0, NULL, NULL))
        return false;
    for (size_t i = 0; i < work->size * work->size * 4; i++) {
        if (work->format->texel == 4)
            wrong += abs(((uint8_t *)work->pixels)[i] - ((uint8_t *)work->other)[i]) > 1;
        else
            wrong += !(fabsf(((float *)work->pixels)[i] - ((float *)work->other)[i]) < 1e-5f);
    }
    return !wrong;
}

/* The whole suite works on the same images, so --only shortens what is shown, and not the work. */
static void put(const struct work *work, const char *name, double value)
{
    char row[80];
    snprintf(row, sizeof(row), "%s, %s", work->format->name, name);
    bench_progress(work->bench, "images", row);
    if (bench_wanted(row))
        bench_record(work->bench, "images", row, value);
}

/* 10^9 a second */
static double rate(size_t amount, double seconds)
{
    return seconds > 0.0 ? (double)amount / seconds * 1e-9 : -1.0;
}

static void put_transfers(const struct work *work)
{
    put(work, "upload, GB/s", rate(work->bytes, time_transfer(work, UPLOAD)));
    put(work, "download, GB/s", rate(work->bytes, time_transfer(work, DOWNLOAD)));
    put(work, "map and unmap, GB/s", rate(work->bytes, time_transfer(work, MAP)));
    put(work, "clEnqueueCopyImage, GB/s", rate(2 * work->bytes, time_transfer(work, COPY)));
}

static void put_reads(const struct work *work)
{
    static const char *const kernels[] = {"unsampled", "nearest", "linear", "repeated"};
    static const char *const names[] = {"read, Gtexel/s", "read nearest, Gtexel/s", "read linear, Gtexel/s",
                                        "read linear, repeated, Gtexel/s"};
    size_t texels = 8 * work->size * work->size;
    cl_sampler sampler =
        clCreateSampler(work->bench->cl.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, NULL);
    for (int i = 0; i < 4; i++)
        put(work, names[i],
            rate(texels, time_kernel(work, kernels[i], work->a, work->out, NULL, work->size, LAUNCHES)));
    put(work, "read linear, sampler argument, Gtexel/s",
        rate(texels, time_kernel(work, "argument", work->a, work->out, sampler, work->size, LAUNCHES)));
    if (sampler)
        clReleaseSampler(sampler);
}

static void put_kernels(const struct work *work)
{
    size_t texels = work->size * work->size;
    put(work, "write, Gtexel/s", rate(texels, time_kernel(work, "write", work->b, NULL, NULL, work->size, LAUNCHES)));
    put(work, "copy kernel, GB/s",
        rate(2 * work->bytes, time_kernel(work, "copy", work->a, work->b, NULL, work->size, LAUNCHES)));
    double launch = time_kernel(work, "copy", work->a, work->b, NULL, 1, 1000);
    put(work, "launch in a row, us", launch > 0.0 ? 1e6 * launch : -1.0);
    put(work, "blur by image, Gpixel/s",
        rate(texels, time_kernel(work, "blur_image", work->a, work->b, NULL, work->size, LAUNCHES)));
    clEnqueueWriteBuffer(work->bench->cl.queue, work->in, CL_TRUE, 0, work->bytes, work->pixels, 0, NULL, NULL);
    put(work, "blur by buffer, Gpixel/s",
        rate(texels, time_kernel(work, "blur_buffer", work->in, work->out, NULL, work->size, LAUNCHES)));
    if (!same_blur(work))
        fprintf(stderr, "%s: %s: the blurs differ\n", work->bench->name, work->format->name);
}

/* A device without images, or without memory, has no rows. */
void bench_images(struct bench *bench)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        struct work work;
        if (open_work(&work, bench, &formats[i])) {
            put_transfers(&work);
            put_reads(&work);
            put_kernels(&work);
        }
        close_work(&work);
    }
}
