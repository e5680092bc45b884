/* Images from OpenCL C to texels, below any OpenCL API: kernels are compiled and lowered here and run by vk/, and each
 * texel is compared with what OpenCL C 3.0, 6.15.15 and 8 say, computed on the host. Every kind of image, addressing
 * mode, filter and coordinate; formats of every class and channel order; writes, images that are read and written,
 * buffers, queries. Copies are in test_image_copies.c. */
#include "image_reference.h"

/* ---- reads with samplers ---- */

enum { POINTS = 192 };

/* Texels' centres, edges and corners, and anywhere around; further away for what repeats. */
static void make_points(const struct picture *picture, uint32_t sampler, bool exact, float points[POINTS][4])
{
    const float sizes[3] = {(float)picture->shape->width, (float)picture->rows, (float)picture->slices};
    for (int i = 0; i < POINTS; i++) {
        for (int d = 0; d < 4; d++) {
            float size = d < 3 ? sizes[d] : 1.0f, u = (float)(next_random() % 4096) / 4096.0f * (size + 6.0f) - 3.0f;
            if (i % 3 == 0)
                u = floorf(u) + (i % 2 ? 0.5f : 0.0f);
            if (exact)
                u = floorf(u);
            bool layer = d == layer_axis(picture->shape);
            points[i][d] = sampler & NORMALIZED && !layer ? u / size : u;
        }
        if (i == 0)
            points[i][0] = -1e30f;
        if (i == 1)
            points[i][0] = 1e30f;
    }
    bool wraps = (sampler & ADDRESS) >= REPEAT;
    if (exact || wraps)
        points[0][0] = points[1][0] = 0.0f;
}

static uint32_t check_points(const struct picture *picture, const union colour *colours, uint32_t sampler,
                             float points[POINTS][4], const union colour *got, const char *what)
{
    for (int i = 0; i < POINTS; i++) {
        union colour expected = reference(picture, colours, sampler, points[i]);
        if (is_close(picture->format, sampler & LINEAR, &got[i], &expected))
            continue;
        printf("%s of %s %s, sampler 0x%x, at %g %g %g: %g %g %g %g (0x%x), not %g %g %g %g (0x%x)\n", what,
               picture->format->name, picture->shape->type, sampler, (double)points[i][0], (double)points[i][1],
               (double)points[i][2], (double)got[i].f[0], (double)got[i].f[1], (double)got[i].f[2], (double)got[i].f[3],
               got[i].bits[0], (double)expected.f[0], (double)expected.f[1], (double)expected.f[2],
               (double)expected.f[3], expected.bits[0]);
        return 1;
    }
    return 0;
}

static union colour *decode_all(const struct picture *picture)
{
    uint32_t count = num_texels(picture);
    union colour *colours = malloc(count * sizeof(*colours));
    for (uint32_t i = 0; i < count; i++)
        colours[i] = decode(picture->format, picture->bytes + i * picture->texel_size);
    return colours;
}

struct reads {
    struct vkb_queue *queue;
    struct vkb_buffer *points, *out;
};

static void read_points(const struct reads *reads, const struct kernel *kernel, const struct picture *picture,
                        const union colour *colours, uint32_t sampler, bool exact, const char *what)
{
    float points[POINTS][4];
    union colour got[POINTS];
    uint32_t word = clc_image_word(picture->format->order, picture->format->type);
    const struct argument args[] = {{.image = picture->image, .number = word},
                                    {.number = sampler},
                                    {.buffer = reads->points},
                                    {.buffer = reads->out}};
    make_points(picture, sampler, exact, points);
    write_now(reads->queue, reads->points, 0, points, sizeof(points));
    run_kernel(reads->queue, kernel, args, 4, POINTS, NULL, is_integer(picture->format));
    read_now(reads->queue, reads->out, 0, got, sizeof(got));
    CHECK(check_points(picture, colours, sampler, points, got, what) == 0);
}

static const char read_source[] = "kernel void k(read_only IMAGE im, sampler_t given, global float4 *points, global "
                                  "uint4 *out)\n"
                                  "{\n"
                                  "    uint i = get_global_id(0);\n"
                                  "    COORDINATE at = CONVERT(points[i]);\n"
                                  "#ifdef CONSTANT\n"
                                  "    const sampler_t s = CONSTANT;\n"
                                  "#else\n"
                                  "    sampler_t s = given;\n"
                                  "#endif\n"
                                  "    out[i] = AS(READ(im, s, AT));\n"
                                  "}\n";

/* Halfs hold what they are read from; filtered values would be rounded. */
static const char *reader(const struct format *format, uint32_t constant)
{
    if (is_integer(format))
        return format->type > TYPE_SIGNED32 ? "read_imageui" : "read_imagei";
    return format->type == TYPE_HALF && constant && !(constant & LINEAR) ? "read_imageh" : "read_imagef";
}

static struct kernel read_kernel(const struct shape *shape, const struct format *format, bool exact, uint32_t constant)
{
    const char *read = reader(format, constant);
    char options[512], sampler[32] = "";
    if (constant)
        snprintf(sampler, sizeof(sampler), "-DCONSTANT=%u", constant);
    snprintf(options, sizeof(options),
             "-cl-std=CL3.0 -DIMAGE=%s_t -DREAD=%s -DAS(x)=%s -DCOORDINATE=%s -DCONVERT=%s -DAT=%s %s", shape->type,
             read, strchr(read, 'h') ? "as_uint4(convert_float4(x))" : "as_uint4(x)", exact ? "int4" : "float4",
             exact ? "convert_int4" : "", exact ? shape->int_coordinate : shape->coordinate, sampler);
    return make_kernel(read_source, options);
}

static bool is_defined(uint32_t sampler)
{
    return sampler & NORMALIZED || (sampler & ADDRESS) <= CLAMP;
}

/* Every sampler, as an argument and as a constant; and the rule for integer coordinates. */
static void read_shape(const struct reads *reads, const struct shape *shape, const struct format *format)
{
    struct picture picture;
    if (!make_picture(reads->queue, &picture, shape, format, false)) {
        printf("%s %s: not supported\n", format->name, shape->type);
        return;
    }
    bool integers = is_integer(format),
         all = format == &formats[0] || format->type == TYPE_SIGNED8 || format->type == TYPE_HALF;
    union colour *colours = decode_all(&picture);
    struct kernel by_argument = read_kernel(shape, format, false, 0);
    struct kernel by_int = read_kernel(shape, format, true, 0);
    for (uint32_t address = 0; address <= MIRRORED; address += 2) {
        for (uint32_t rest = 0; rest < 4; rest++) {
            uint32_t sampler = address | (rest & 1) | (rest & 2 ? LINEAR : NEAREST);
            if (!is_defined(sampler) || (integers && sampler & LINEAR))
                continue;
            read_points(reads, &by_argument, &picture, colours, sampler, false, "argument");
            if (!all)
                continue;
            struct kernel constant = read_kernel(shape, format, false, sampler);
            read_points(reads, &constant, &picture, colours, sampler, false, "constant");
            free_kernel(&constant);
        }
        if (address <= CLAMP)
            read_points(reads, &by_int, &picture, colours, address | NEAREST, true, "integer coordinates");
    }
    free_kernel(&by_argument);
    free_kernel(&by_int);
    free(colours);
    free_picture(&picture);
}

static void test_reads(struct vkb_queue *queue)
{
    const struct reads reads = {queue, make_buffer(POINTS * 16, false), make_buffer(POINTS * 16, false)};
    for (size_t s = 0; s < ARRAY_LENGTH(shapes); s++) {
        read_shape(&reads, &shapes[s], &formats[0]);
        read_shape(&reads, &shapes[s], &formats[15]);
    }
    for (size_t f = 1; f < ARRAY_LENGTH(formats); f++)
        read_shape(&reads, &shapes[2], &formats[f]);
    vkb_buffer_release(reads.points);
    vkb_buffer_release(reads.out);
}

/* Several reads of one image, which share a function, beside those of another. */
static const char shared_source[] =
    "#ifdef CONSTANT\n"
    "#define SAMPLER CONSTANT\n"
    "#else\n"
    "#define SAMPLER given\n"
    "#endif\n"
    "#define ONE(im, out, j) { float4 at = points[i + j]; out[i + j] = as_uint4(READ(im, s, AT)); }\n"
    "kernel void k(read_only IMAGE a, read_only IMAGE b, sampler_t given, global float4 *points, global uint4 *out_a,\n"
    "              global uint4 *out_b)\n"
    "{\n"
    "    uint i = get_global_id(0) * 3;\n"
    "    const sampler_t s = SAMPLER;\n"
    "    ONE(a, out_a, 0) ONE(a, out_a, 1) ONE(b, out_b, 0) ONE(b, out_b, 1)\n"
    "    ONE(a, out_a, 2) ONE(b, out_b, 2)\n"
    "}\n";

static void read_both(const struct reads *reads, const struct picture *pictures, uint32_t sampler, bool constant)
{
    float points[POINTS][4];
    union colour got[POINTS];
    const struct format *format = pictures->format;
    const struct shape *shape = pictures->shape;
    char options[512], given[32] = "";
    if (constant)
        snprintf(given, sizeof(given), "-DCONSTANT=%u", sampler);
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DIMAGE=%s_t -DREAD=%s -DAT=%s %s", shape->type,
             reader(format, 0), shape->coordinate, given);
    struct kernel kernel = make_kernel(shared_source, options);
    struct vkb_buffer *outs[] = {reads->out, make_buffer(POINTS * 16, false)};
    uint32_t word = clc_image_word(format->order, format->type);
    const struct argument args[] = {{.image = pictures[0].image, .number = word},
                                    {.image = pictures[1].image, .number = word},
                                    {.number = sampler},
                                    {.buffer = reads->points},
                                    {.buffer = outs[0]},
                                    {.buffer = outs[1]}};
    make_points(pictures, sampler, false, points);
    write_now(reads->queue, reads->points, 0, points, sizeof(points));
    run_kernel(reads->queue, &kernel, args, 6, POINTS / 3, NULL, is_integer(format));
    for (int i = 0; i < 2; i++) {
        union colour *colours = decode_all(&pictures[i]);
        read_now(reads->queue, outs[i], 0, got, sizeof(got));
        CHECK(check_points(&pictures[i], colours, sampler, points, got, i ? "the other image" : "one image") == 0);
        free(colours);
    }
    vkb_buffer_release(outs[1]);
    free_kernel(&kernel);
}

static void test_shared_reads(struct vkb_queue *queue)
{
    static const uint32_t samplers[] = {CLAMP | LINEAR, REPEAT | LINEAR | NORMALIZED, CLAMP | NEAREST};
    const struct reads reads = {queue, make_buffer(POINTS * 16, false), make_buffer(POINTS * 16, false)};
    for (size_t i = 0; i < 4; i++) {
        const struct shape *shape = &shapes[i / 2 ? 4 : 2];
        const struct format *format = &formats[i % 2 ? 15 : 0];
        struct picture pictures[2];
        if (!make_picture(queue, &pictures[0], shape, format, false) ||
            !make_picture(queue, &pictures[1], shape, format, false)) {
            printf("%s %s: not supported\n", format->name, shape->type);
            continue;
        }
        for (size_t s = 0; s < ARRAY_LENGTH(samplers); s++) {
            if (is_integer(format) && samplers[s] & LINEAR)
                continue;
            read_both(&reads, pictures, samplers[s], false);
            read_both(&reads, pictures, samplers[s], true);
        }
        free_picture(&pictures[0]);
        free_picture(&pictures[1]);
    }
    vkb_buffer_release(reads.points);
    vkb_buffer_release(reads.out);
}

/* Depth: one float, and a border of zero. */
static void test_depth(struct vkb_queue *queue)
{
    static const struct format depth = {"DEPTH float", VK_FORMAT_R32_SFLOAT, ORDER_DEPTH, TYPE_FLOAT, 1, 4};
    static const char *const samplers[] = {"CLK_ADDRESS_CLAMP|CLK_FILTER_NEAREST",
                                           "CLK_ADDRESS_CLAMP|CLK_FILTER_LINEAR"};
    const struct reads reads = {queue, make_buffer(POINTS * 16, false), make_buffer(POINTS * 16, false)};
    for (size_t i = 0; i < 4; i++) {
        const struct shape *shape = &shapes[i / 2 + 2];
        struct picture picture;
        char options[256];
        CHECK(make_picture(queue, &picture, shape, &depth, false));
        union colour *colours = decode_all(&picture);
        for (uint32_t t = 0; t < num_texels(&picture); t++)
            colours[t].f[3] = 0.0f; /* the test's own fourth component */
        snprintf(options, sizeof(options),
                 "-cl-std=CL3.0 -DIMAGE=%s_depth_t -DREAD=read_imagef -DAS(x)=as_uint4((float4)(x,0,0,0)) "
                 "-DCOORDINATE=float4 -DCONVERT= -DAT=%s -DCONSTANT=%s",
                 shape->type, shape->coordinate, samplers[i % 2]);
        struct kernel kernel = make_kernel(read_source, options);
        read_points(&reads, &kernel, &picture, colours, CLAMP | (i % 2 ? LINEAR : NEAREST), false, "depth");
        free_kernel(&kernel);
        free(colours);
        free_picture(&picture);
    }
    vkb_buffer_release(reads.points);
    vkb_buffer_release(reads.out);
}

/* ---- writes ---- */

static uint32_t encode(const struct format *format, const union colour *colour, uint32_t component)
{
    static const int32_t low[] = {INT8_MIN, INT16_MIN, INT32_MIN}, high[] = {INT8_MAX, INT16_MAX, INT32_MAX};
    uint32_t size = format->bytes == 4 ? 2 : format->bytes - 1, top = size == 2 ? ~0u : (1u << format->bytes * 8) - 1;
    float f = colour->f[component], scale;
    int32_t i = colour->i[component];
    switch (format->type) {
    case TYPE_SIGNED8:
    case TYPE_SIGNED16:
    case TYPE_SIGNED32:
        return (uint32_t)(i < low[size] ? low[size] : i > high[size] ? high[size] : i) & top;
    case TYPE_UNSIGNED8:
    case TYPE_UNSIGNED16:
    case TYPE_UNSIGNED32:
        return colour->bits[component] > top ? top : colour->bits[component];
    case TYPE_FLOAT:
        return colour->bits[component];
    case TYPE_HALF:
        return half_from_double((double)f);
    case TYPE_UNORM8:
    case TYPE_UNORM16:
        return (uint32_t)rintf(fminf(fmaxf(f, 0.0f), 1.0f) * (float)top);
    default:
        scale = (float)high[size];
        return (uint32_t)(int32_t)rintf(fminf(fmaxf(f, -1.0f), 1.0f) * scale) & top;
    }
}

static const char write_source[] = "kernel void k(ACCESS IMAGE im, global uint4 *colours, int w, int h)\n"
                                   "{\n"
                                   "    int i = get_global_id(0);\n"
                                   "    int4 at = (int4)(i % w, i / w % h, i / w / h, 0);\n"
                                   "    if (i < w * h * LAST) WRITE(im, AT, AS(colours[i]));\n"
                                   "}\n";

/* The component of the colour that memory's is: the inverse of components_of(). */
static uint32_t written_from(uint32_t order, uint32_t memory)
{
    const uint8_t *from = components_of(order);
    for (uint32_t c = 0; c < 4; c++) {
        if (from[c] == memory)
            return c;
    }
    return memory;
}

static uint32_t differs(const struct format *format, uint32_t got, uint32_t expected)
{
    bool fraction = format->type <= TYPE_UNORM16;
    if (!fraction)
        return got != expected;
    uint32_t mask = format->bytes == 1 ? 0xff : 0xffff, distance = (got - expected) & mask;
    return distance > 1 && distance < mask; /* OpenCL C 3.0, 8.3.1.3: 0.6 of a step off is right too */
}

static void check_written(struct vkb_queue *queue, const struct picture *picture, const union colour *colours)
{
    const struct format *format = picture->format;
    uint32_t size = num_texels(picture) * picture->texel_size, wrong = 0;
    struct vkb_buffer *buffer = make_buffer(size, false);
    struct vkb_enqueue enqueue = on(queue);
    struct vkb_image_region region = whole(picture);
    uint8_t *got = calloc(1, size);
    OK(vkb_cmd_image_to_buffer(&enqueue, picture->image, buffer, &region));
    read_now(queue, buffer, 0, got, size);
    for (uint32_t i = 0; i < num_texels(picture); i++) {
        for (uint32_t c = 0; c < format->components; c++) {
            uint32_t value = 0, expected = encode(format, &colours[i], written_from(format->order, c));
            memcpy(&value, got + i * picture->texel_size + c * format->bytes, format->bytes);
            if (differs(format, value, expected) && !wrong++)
                printf("%s %s: texel %u component %u is 0x%x, not 0x%x\n", format->name, picture->shape->type, i, c,
                       value, expected);
        }
    }
    CHECK(wrong == 0);
    free(got);
    vkb_buffer_release(buffer);
}

static void random_colours(const struct format *format, union colour *colours, uint32_t count)
{
    static const uint32_t corners[] = {0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7fffffff, 0x80000000};
    for (uint32_t i = 0; i < count * 4; i++) {
        uint32_t random = next_random();
        if (is_integer(format)) {
            uint32_t corner = corners[random % ARRAY_LENGTH(corners)];
            colours[i / 4].bits[i % 4] =
                random & 1024 ? (random & 2048 ? 0u - corner : corner) : random >> (random % 24);
        } else {
            float value = (float)(random % 3001) / 1000.0f - 1.5f;
            if (format->type == TYPE_HALF) /* which may be rounded to nearest or to zero (8.3.2) */
                value = float_of_half(half_from_double((double)value));
            colours[i / 4].f[i % 4] = value;
        }
    }
}

static void write_shape(struct vkb_queue *queue, const struct shape *shape, const struct format *format,
                        const char *access)
{
    struct picture picture;
    char options[512];
    if (!make_picture(queue, &picture, shape, format, true)) {
        printf("%s %s: not supported for writing\n", format->name, shape->type);
        return;
    }
    bool integers = is_integer(format), is_signed = integers && format->type <= TYPE_SIGNED32;
    uint32_t count = num_texels(&picture), padded = (count + LOCAL - 1) / LOCAL * LOCAL;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DACCESS=%s -DIMAGE=%s_t -DWRITE=%s -DAS(x)=%s -DAT=%s -DLAST=%u",
             access, shape->type,
             is_signed  ? "write_imagei"
             : integers ? "write_imageui"
                        : "write_imagef",
             is_signed  ? "as_int4(x)"
             : integers ? "x"
                        : "as_float4(x)",
             shape->int_coordinate, picture.slices);
    struct kernel kernel = make_kernel(write_source, options);
    struct vkb_buffer *buffer = make_buffer(padded * sizeof(union colour), false);
    union colour *colours = calloc(padded, sizeof(*colours));
    random_colours(format, colours, count);
    write_now(queue, buffer, 0, colours, padded * sizeof(*colours));
    const struct argument args[] = {{.image = picture.image, .number = clc_image_word(format->order, format->type)},
                                    {.buffer = buffer},
                                    {.number = shape->width},
                                    {.number = picture.rows}};
    run_kernel(queue, &kernel, args, 4, count, NULL, integers);
    check_written(queue, &picture, colours);
    free(colours);
    free_kernel(&kernel);
    vkb_buffer_release(buffer);
    free_picture(&picture);
}

static void test_writes(struct vkb_queue *queue)
{
    for (size_t s = 0; s < ARRAY_LENGTH(shapes); s++) {
        write_shape(queue, &shapes[s], &formats[0], "write_only");
        write_shape(queue, &shapes[s], &formats[15], "read_write");
    }
    for (size_t f = 1; f < ARRAY_LENGTH(formats); f++)
        write_shape(queue, &shapes[2], &formats[f], f % 2 ? "write_only" : "read_write");
}

/* ---- images that are read and written, of every order ---- */

static const char in_place_source[] =
    "kernel void k(read_write image2d_t im, global uint4 *seen, int w)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    int2 at = (int2)(i % w, i / w);\n"
    "    if (at.y >= get_image_height(im)) return;\n"
    "    TYPE c = READ(im, at);\n"
    "    seen[i] = AS(c);\n"
    "    WRITE(im, at, c.wzyx);\n"
    "    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
    "    c = READ(im, at);\n"
    "    seen[i + PIXELS] = AS(c);\n"
    "}\n";

static void in_place(struct vkb_queue *queue, const struct format *format)
{
    const struct shape *shape = &shapes[2];
    struct picture picture;
    char options[512];
    if (!make_picture(queue, &picture, shape, format, true))
        return;
    bool integers = is_integer(format);
    uint32_t count = num_texels(&picture), padded = (count + LOCAL - 1) / LOCAL * LOCAL;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DTYPE=%s -DREAD=%s -DWRITE=%s -DAS=as_uint4 -DPIXELS=%u",
             integers ? "int4" : "float4", integers ? "read_imagei" : "read_imagef",
             integers ? "write_imagei" : "write_imagef", padded);
    struct kernel kernel = make_kernel(in_place_source, options);
    struct vkb_buffer *buffer = make_buffer(2 * padded * sizeof(union colour), false);
    union colour *got = calloc(2 * padded, sizeof(*got)), *colours = decode_all(&picture);
    const struct argument args[] = {{.image = picture.image, .number = clc_image_word(format->order, format->type)},
                                    {.buffer = buffer},
                                    {.number = shape->width}};
    run_kernel(queue, &kernel, args, 3, count, NULL, integers);
    read_now(queue, buffer, 0, got, 2 * padded * sizeof(*got));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        wrong += !is_close(format, false, &got[i], &colours[i]);
        uint8_t bytes[16];
        union colour turned;
        for (uint32_t c = 0; c < 4; c++)
            turned.bits[c] = colours[i].bits[3 - c];
        for (uint32_t c = 0; c < format->components; c++) {
            uint32_t value = encode(format, &turned, written_from(format->order, c));
            memcpy(bytes + c * format->bytes, &value, format->bytes);
        }
        union colour expected = decode(format, bytes);
        wrong += !is_close(format, false, &got[padded + i], &expected);
    }
    if (wrong)
        printf("%s in place: %u wrong\n", format->name, wrong);
    CHECK(wrong == 0);
    free(got);
    free(colours);
    free_kernel(&kernel);
    vkb_buffer_release(buffer);
    free_picture(&picture);
}

/* ---- texels of a buffer ---- */

static void test_buffer_image(struct vkb_queue *queue)
{
    enum { WIDTH = 64 };
    static const char source[] = "kernel void k(read_only image1d_buffer_t in, read_write image1d_buffer_t out)\n"
                                 "{\n"
                                 "    int i = get_global_id(0);\n"
                                 "    write_imagei(out, i, read_imagei(in, get_image_width(in) - 1 - i) + 1);\n"
                                 "}\n";
    const struct vkb_image_info info = {.kind = VKB_IMAGE_BUFFER,
                                        .format = VK_FORMAT_R8G8B8A8_UINT,
                                        .texel_size = 4,
                                        .width = WIDTH,
                                        .height = 1,
                                        .depth = 1,
                                        .layers = 1,
                                        .sampled = true,
                                        .storage = true};
    int8_t data[WIDTH * 4], got[WIDTH * 4];
    uint32_t align = device->caps.texel_buffer_alignment;
    struct vkb_buffer *from = make_buffer(sizeof(data) + align, false), *to = make_buffer(sizeof(data), false);
    struct vkb_image *in = NULL, *out = NULL, *none = NULL;
    fill_random((uint8_t *)data, sizeof(data));
    write_now(queue, from, align, data, sizeof(data));
    CHECK(vkb_image_create_over(from, 2 * align, &info, &none) == VKB_UNSUPPORTED);
    OK(vkb_image_create_over(from, align, &info, &in));
    OK(vkb_image_create_over(to, 0, &info, &out));
    struct kernel kernel = make_kernel(source, "-cl-std=CL3.0");
    uint32_t word = clc_image_word(ORDER_BGRA, TYPE_SIGNED8);
    const struct argument args[] = {{.image = in, .number = word}, {.image = out, .number = word}};
    run_kernel(queue, &kernel, args, 2, WIDTH, NULL, true);
    read_now(queue, to, 0, got, sizeof(got));
    uint32_t wrong = 0;
    for (int i = 0; i < WIDTH; i++) {
        for (int c = 0; c < 4; c++) {
            int old = data[(WIDTH - 1 - i) * 4 + c];
            wrong += got[i * 4 + c] != (old == 127 ? 127 : old + 1);
        }
    }
    CHECK(wrong == 0);
    free_kernel(&kernel);
    vkb_image_release(in);
    vkb_image_release(out);
    vkb_buffer_release(from);
    vkb_buffer_release(to);
}

/* ---- queries, and images of either class ---- */

static const char query_source[] = "kernel void k(read_only IMAGE im, global int *out)\n"
                                   "{\n"
                                   "    out[0] = get_image_width(im);\n"
                                   "    out[1] = get_image_channel_order(im);\n"
                                   "    out[2] = get_image_channel_data_type(im);\n"
                                   "    out[3] = HEIGHT;\n"
                                   "    out[4] = REST;\n"
                                   "#ifdef BOTH\n"
                                   "    if (out[2] == CLK_FLOAT) out[5] = (int)read_imagef(im, (int2)(2, 1)).y;\n"
                                   "    else out[5] = read_imagei(im, (int2)(2, 1)).y;\n"
                                   "#endif\n"
                                   "}\n";

static void query_shape(struct vkb_queue *queue, size_t index, const struct format *format, const char *rest,
                        uint32_t expected_rest, bool reads, struct vkb_image *const other[2])
{
    const struct shape *shape = &shapes[index];
    bool flat = shape->kind == VKB_IMAGE_1D || shape->kind == VKB_IMAGE_1D_ARRAY;
    int32_t got[LOCAL] = {0};
    char options[256];
    struct picture picture;
    CHECK(make_picture(queue, &picture, shape, format, false));
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DIMAGE=%s_t -DREST=%s -DHEIGHT=%s %s", shape->type, rest,
             flat ? "1" : "get_image_dim(im).y", reads ? "-DBOTH" : "");
    struct kernel kernel = make_kernel(query_source, options);
    struct vkb_buffer *buffer = make_buffer(sizeof(got), false);
    const struct argument args[] = {{.image = picture.image, .number = clc_image_word(format->order, format->type)},
                                    {.buffer = buffer}};
    run_kernel(queue, &kernel, args, 2, 1, other, is_integer(format));
    read_now(queue, buffer, 0, got, sizeof(got));
    CHECK(got[0] == (int32_t)shape->width && got[1] == (int32_t)format->order && got[2] == (int32_t)format->type);
    CHECK(got[3] == (int32_t)shape->height && got[4] == (int32_t)expected_rest);
    if (reads) {
        union colour colour = decode(format, picture.bytes + (shape->width + 2) * picture.texel_size);
        CHECK(got[5] == (is_integer(format) ? colour.i[1] : (int32_t)colour.f[1]));
    }
    free_kernel(&kernel);
    vkb_buffer_release(buffer);
    free_picture(&picture);
}

/* The image that takes the place of the other class has the same kind. */
static void test_queries(struct vkb_queue *queue)
{
    static const struct {
        size_t shape, format;
        const char *rest;
        uint32_t expected;
        bool reads;
    } queries[] = {
        {0, 3, "1", 1, false},
        {1, 12, "get_image_array_size(im)", 3, false},
        {2, 4, "1", 1, false},
        {3, 20, "get_image_array_size(im)", 3, false},
        {4, 17, "get_image_depth(im)", 3, false},
        {2, 0, "1", 1, true},
        {2, 15, "1", 1, true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(queries); i++) {
        struct shape dot = shapes[queries[i].shape];
        struct picture others[2];
        dot.width = dot.height = dot.depth = dot.layers = 1;
        CHECK(make_picture(queue, &others[0], &dot, &formats[0], false));
        CHECK(make_picture(queue, &others[1], &dot, &formats[18], false));
        struct vkb_image *const other[2] = {others[0].image, others[1].image};
        query_shape(queue, queries[i].shape, &formats[queries[i].format], queries[i].rest, queries[i].expected,
                    queries[i].reads, other);
        free_picture(&others[0]);
        free_picture(&others[1]);
    }
}

static void test_all(void)
{
    struct vkb_queue *queue = make_queue(0);
    if (!device->caps.image_read_any || !device->caps.image_write_any) {
        printf("no storage images of unknown format: not tested\n");
        vkb_queue_release(queue);
        return;
    }
    test_reads(queue);
    test_shared_reads(queue);
    test_depth(queue);
    test_writes(queue);
    for (size_t f = 0; f < ARRAY_LENGTH(formats); f++)
        in_place(queue, &formats[f]);
    test_buffer_image(queue);
    test_queries(queue);
    vkb_queue_release(queue);
}

int main(void)
{
    return test_devices(test_all);
}
