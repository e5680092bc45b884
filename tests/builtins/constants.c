/* What is computed when a kernel is built must be, bit for bit, what it gives when the kernel runs: every expression of
 * gen_constants.py is evaluated on operands that stand in the source, and on the same operands read from a buffer.
 *
 *   constants TABLE [--seed N] [--share N] [--ulps N] [NAME...]     skipped where there is no device
 *
 * One line in --share (20) is taken, which ones and with which operands is up to the seed; --share 1 takes all. NAME:
 * only the lines of that name. NaNs equal each other. Subnormal floats equal zeros where the device does not promise
 * them (CL_FP_DENORM). --ulps: so far apart may floats be; for devices whose own instructions are not rounded correctly
 * (NVIDIA's exp2 and reciprocal square root, on which other functions build): nothing but the device knows their bits.
 *
 * Operands are edges mostly. In every other sample they are literals, in the others they are local variables; the
 * compiler folds the ones in its front end and the others in its passes. What may stand in an initialiser is evaluated
 * there, too. A kernel has one call of each of several lines: what is called twice might stay a function. */
#include "base/util.h"
#include "opencl.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 12, BATCH = 32, MAX_OPERANDS = 4, MAX_ROWS = 32768, SLOT = 128, VARIANTS = 3 };
enum { FOLDED, LOADED, INITIALISER };

enum kind { K_CHAR, K_UCHAR, K_SHORT, K_USHORT, K_INT, K_UINT, K_LONG, K_ULONG, K_HALF, K_FLOAT, K_DOUBLE, NUM_KINDS };

static const char *const names[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                    "long", "ulong", "half",  "float",  "double"};
static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};

struct type {
    enum kind kind;
    uint32_t lanes;
    char limit[16]; /* as gen_constants.py writes it, or empty */
};

struct row {
    char *name, *expression;
    struct type result, operands[MAX_OPERANDS];
    uint32_t num_operands;
    bool initialiser;
};

struct device {
    struct test_device cl;
    char offers[32768]; /* extensions and features */
    bool flushes;       /* single precision may lose its subnormals */
    uint32_t ulps;      /* what is allowed between floats */
};

struct text {
    char *bytes;
    size_t size, room;
};

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static bool is_float(enum kind kind)
{
    return kind >= K_HALF;
}

static bool is_signed(enum kind kind)
{
    return kind < K_HALF && kind % 2 == 0;
}

static uint64_t mask_of(enum kind kind)
{
    return sizes[kind] == 8 ? UINT64_MAX : ((uint64_t)1 << sizes[kind] * 8) - 1;
}

/* ---- the table ---- */

static bool parse_type(const char *text, struct type *type)
{
    size_t length = strcspn(text, "0123456789:");
    *type = (struct type){.lanes = 1};
    for (enum kind kind = 0; kind < NUM_KINDS; kind++) {
        if (strlen(names[kind]) != length || strncmp(names[kind], text, length))
            continue;
        type->kind = kind;
        const char *limit = strchr(text, ':');
        if (text[length] && text[length] != ':')
            type->lanes = (uint32_t)atoi(text + length);
        snprintf(type->limit, sizeof(type->limit), "%s", limit ? limit + 1 : "");
        return true;
    }
    return false;
}

/* Takes what comes before the next separator off *rest. */
static char *next_field(char **rest, char separator)
{
    char *field = *rest, *end = field ? strchr(field, separator) : NULL;
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return field;
}

static bool parse_row(char *line, struct row *row, char **guard)
{
    line[strcspn(line, "\n")] = '\0';
    *row = (struct row){.name = next_field(&line, '\t')};
    char *result = next_field(&line, '\t');
    row->expression = next_field(&line, '\t');
    char *operands = next_field(&line, '\t');
    *guard = next_field(&line, '\t');
    if (!*guard || !parse_type(result, &row->result))
        return false;
    row->initialiser = !strcmp(*guard, "=");
    for (char *one; (one = next_field(&operands, ',')) && row->num_operands < MAX_OPERANDS;)
        if (!parse_type(one, &row->operands[row->num_operands++]))
            return false;
    return true;
}

static uint32_t read_table(const char *path, const struct device *device, struct row *rows)
{
    FILE *file = fopen(path, "r");
    char line[1024], *guard;
    uint32_t count = 0;
    while (file && count < MAX_ROWS && fgets(line, sizeof(line), file)) {
        if (!parse_row(strdup(line), &rows[count], &guard)) {
            fprintf(stderr, "constants: what is this? %s", line);
            exit(1);
        }
        count += !*guard || *guard == '=' || strstr(device->offers, guard);
    }
    if (file)
        fclose(file);
    return count;
}

/* ---- operands ---- */

static uint64_t draw_integer(enum kind kind)
{
    uint32_t width = sizes[kind] * 8u;
    uint64_t pick = random_bits(), bits = random_bits();
    switch (pick % 8) {
    case 0:
        return 0;
    case 1:
        return pick & 256 ? UINT64_MAX : 1;
    case 2: /* the smallest and largest numbers */
        return ((uint64_t)1 << (width - 1)) - (pick >> 8 & 3) + 1;
    case 3: /* widths, and beyond */
        return (pick >> 8) % 70 - (pick >> 32 & 3);
    case 4:
        return ((uint64_t)1 << (pick >> 8) % width) - (pick >> 32 & 1);
    case 5: /* halfway between floats, or nearly */
        return ((bits >> 40 << 1 | 1) << (pick >> 8) % 40) + (pick >> 32 & 1);
    default:
        return bits >> (pick >> 8) % width;
    }
}

static uint64_t bits_of(enum kind kind, double value)
{
    uint64_t bits = 0;
    float single = (float)value;
    if (kind == K_HALF)
        return half_from_double(value);
    memcpy(&bits, kind == K_FLOAT ? (void *)&single : (void *)&value, sizes[kind]);
    return bits;
}

static double value_of(enum kind kind, uint64_t bits)
{
    float single;
    double value;
    memcpy(&single, &bits, sizeof(single));
    memcpy(&value, &bits, sizeof(value));
    return kind == K_HALF ? (double)half_to_float((uint16_t)bits) : kind == K_FLOAT ? (double)single : value;
}

static uint64_t draw_float(enum kind kind)
{
    static const double edges[] = {0.0,
                                   1.0,
                                   2.0,
                                   3.0,
                                   0.5,
                                   1.5,
                                   2.5,
                                   1.7,
                                   0.49999997,
                                   127.5,
                                   128.5,
                                   254.5,
                                   255.5,
                                   32767.5,
                                   65504.0,
                                   65519.9,
                                   65520.0,
                                   65535.5,
                                   2147483520.0,
                                   2147483647.5,
                                   4294967295.5,
                                   9223371487098961920.0,
                                   18446742974197923840.0,
                                   INFINITY,
                                   1e30,
                                   0x1p-24,
                                   0x1p-25,
                                   0x1.8p-25,
                                   0x1p-14,
                                   0x1p-126,
                                   0x1p-149,
                                   0x1p-1074,
                                   M_PI,
                                   M_PI_2,
                                   1e-3,
                                   8388608.5,
                                   16777217.0,
                                   0x1.fffffep127,
                                   0x1.fffffffffffffp1023};
    static const uint64_t smallest_exponent[] = {0x0400, 0x00800000, 0x0010000000000000};
    uint64_t pick = random_bits(), bits = random_bits(), sign = (uint64_t)1 << (sizes[kind] * 8 - 1);
    uint64_t inf = bits_of(kind, INFINITY), normal = smallest_exponent[kind - K_HALF];
    switch (pick % 8) {
    case 0:
    case 1:
    case 2:
        bits = bits_of(kind, edges[(pick >> 8) % (sizeof(edges) / sizeof(edges[0]))]);
        break;
    case 3: /* NaN, quiet or not */
        bits = inf | (pick & 256 ? normal >> 1 : 0) | ((pick >> 16) % normal) | 1;
        break;
    case 4: /* subnormal, or the smallest that is not */
        bits = (bits >> (pick >> 8) % 64) % (normal + 1);
        break;
    case 5: /* integers and halves */
        bits = bits_of(kind, (double)(int64_t)(bits >> (64 - (pick >> 8) % 63 - 1)) / (double)(1 + (pick >> 32 & 1)));
        break;
    case 6: /* of this world */
        bits = bits_of(kind, (double)(bits >> 11) * 0x1p-53 * ldexp(1, (int)((pick >> 8) % 20) - 10));
        break;
    default:
        break;
    }
    return (pick & 0x80000000 ? bits | sign : bits & ~sign) & mask_of(kind);
}

static bool is_allowed(const struct type *type, uint64_t bits)
{
    struct type target;
    if (!strcmp(type->limit, "nonzero"))
        return bits && bits != mask_of(type->kind);
    if (!strcmp(type->limit, "number"))
        return isfinite(value_of(type->kind, bits));
    if (!strncmp(type->limit, "in ", 3) && parse_type(type->limit + 3, &target)) {
        double value = value_of(type->kind, bits);
        double above = ldexp(1, sizes[target.kind] * 8 - is_signed(target.kind));
        return floor(value) >= (is_signed(target.kind) ? -above : 0) && ceil(value) < above;
    }
    return true;
}

static uint64_t draw(const struct type *type)
{
    uint64_t bits;
    do
        bits = is_float(type->kind) ? draw_float(type->kind) : draw_integer(type->kind) & mask_of(type->kind);
    while (!is_allowed(type, bits));
    if (!strncmp(type->limit, "below ", 6))
        bits %= (uint64_t)atoi(type->limit + 6);
    if (!strcmp(type->limit, "small"))
        bits = (uint64_t)((int64_t)(bits << 40) >> 40) & (is_signed(type->kind) ? mask_of(type->kind) : 0xffffff);
    return bits;
}

/* ---- the program ---- */

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, args);
    if (text->size + size + 1 > text->room) {
        text->room = 2 * text->room + size + 65536;
        text->bytes = realloc(text->bytes, text->room);
    }
    text->size += (size_t)vsnprintf(text->bytes + text->size, size + 1, format, again);
    va_end(again);
    va_end(args);
}

static void append_type(struct text *text, const struct type *type)
{
    append(text, type->lanes > 1 ? "%s%u" : "%s", names[type->kind], type->lanes);
}

/* Initialisers cannot say which NaN. */
static void append_lane(struct text *text, enum kind kind, uint64_t bits, bool initialiser)
{
    double value = is_float(kind) ? value_of(kind, bits) : 0;
    if (!is_float(kind))
        append(text, "(%s)0x%llx%s", names[kind], (unsigned long long)bits, sizes[kind] == 8 ? "ul" : "u");
    else if (isnan(value) && initialiser)
        append(text, "(%s)NAN", names[kind]);
    else if (isnan(value))
        append(text,
               kind == K_HALF    ? "as_half((ushort)0x%llx)"
               : kind == K_FLOAT ? "as_float(0x%llxu)"
                                 : "as_double(0x%llxul)",
               (unsigned long long)bits);
    else if (isinf(value))
        append(text, "(%s)%sINFINITY", names[kind], value < 0 ? "-" : "");
    else
        append(text, value < 0 || signbit(value) ? "(%a%s)" : "%a%s", value,
               kind == K_HALF    ? "h"
               : kind == K_FLOAT ? "f"
                                 : "");
}

static size_t operand_at(uint32_t row, uint32_t operand, uint32_t sample)
{
    return (size_t)((row * MAX_OPERANDS + operand) * SAMPLES + sample) * SLOT;
}

static void append_operand(struct text *text, const struct type *type, const uint8_t *at, bool initialiser)
{
    append(text, "((");
    append_type(text, type);
    append(text, ")(");
    for (uint32_t lane = 0; lane < type->lanes; lane++) {
        uint64_t bits = 0;
        memcpy(&bits, at + lane * sizes[type->kind], sizes[type->kind]);
        append(text, lane ? ", " : "");
        append_lane(text, type->kind, bits, initialiser);
    }
    append(text, "))");
}

/* The expression with its operands in the place of $1, $2...; as variables: a1, a2... */
static void append_expression(struct text *text, const struct row *row, const uint8_t *in, uint32_t number,
                              uint32_t sample, bool variables, bool initialiser)
{
    for (const char *at = row->expression; *at; at++) {
        if (*at != '$') {
            append(text, "%c", *at);
            continue;
        }
        uint32_t operand = (uint32_t)(*++at - '1');
        if (variables)
            append(text, "a%u", operand + 1);
        else
            append_operand(text, &row->operands[operand], in + operand_at(number, operand, sample), initialiser);
    }
}

static size_t result_at(uint32_t variant, uint32_t row, uint32_t sample)
{
    return ((size_t)(variant * BATCH + row) * SAMPLES + sample) * SLOT;
}

static void append_store(struct text *text, const struct row *row, size_t at)
{
    append(text, "*(global ");
    append_type(text, &row->result);
    append(text, " *)(r + %zu) = ", at);
}

static void append_folded(struct text *text, struct row *const *rows, uint32_t count, const uint8_t *in,
                          uint32_t sample)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!rows[i]->initialiser)
            continue;
        append(text, "constant ");
        append_type(text, &rows[i]->result);
        append(text, " c%u_%u = ", sample, i);
        append_expression(text, rows[i], in, i, sample, false, true);
        append(text, ";\n");
    }
    append(text, "kernel void folded%u(global uchar *r)\n{\n", sample);
    for (uint32_t i = 0; i < count; i++) {
        bool variables = sample % 2 == 1;
        append(text, "{ ");
        for (uint32_t k = 0; variables && k < rows[i]->num_operands; k++) {
            append_type(text, &rows[i]->operands[k]);
            append(text, " a%u = ", k + 1);
            append_operand(text, &rows[i]->operands[k], in + operand_at(i, k, sample), false);
            append(text, "; ");
        }
        append_store(text, rows[i], result_at(FOLDED, i, sample));
        append_expression(text, rows[i], in, i, sample, variables, false);
        append(text, "; }\n");
        if (rows[i]->initialiser) {
            append_store(text, rows[i], result_at(INITIALISER, i, sample));
            append(text, "c%u_%u;\n", sample, i);
        }
    }
    append(text, "}\n");
}

static void append_loaded(struct text *text, struct row *const *rows, uint32_t count)
{
    append(text,
           "kernel void loaded(global uchar *r, global const uchar *in)\n{\n"
           "size_t i = get_global_id(0) * %d; r += i; in += i;\n",
           SLOT);
    for (uint32_t i = 0; i < count; i++) {
        append(text, "{ ");
        for (uint32_t k = 0; k < rows[i]->num_operands; k++) {
            append_type(text, &rows[i]->operands[k]);
            append(text, " a%u = *(global const ", k + 1);
            append_type(text, &rows[i]->operands[k]);
            append(text, " *)(in + %zu); ", operand_at(i, k, 0));
        }
        append_store(text, rows[i], result_at(LOADED, i, 0));
        append_expression(text, rows[i], NULL, i, 0, true, false);
        append(text, "; }\n");
    }
    append(text, "}\n");
}

/* ---- running it ---- */

static cl_int launch(const struct device *device, cl_program program, const char *name, const cl_mem *buffers,
                     size_t items)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (!kernel)
        return error;
    error = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]);
    if (!error && items > 1)
        error = clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]);
    if (!error)
        error = clEnqueueNDRangeKernel(device->cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return error;
}

static bool run(const struct device *device, cl_program program, uint8_t *in, size_t in_size, uint8_t *out,
                size_t out_size)
{
    cl_mem buffers[] = {test_buffer_of(&device->cl, out_size, out), test_buffer_of(&device->cl, in_size, in)};
    cl_int error = buffers[0] && buffers[1] ? launch(device, program, "loaded", buffers, SAMPLES)
                                            : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    for (uint32_t sample = 0; sample < SAMPLES && !error; sample++) {
        char name[16];
        snprintf(name, sizeof(name), "folded%u", sample);
        error = launch(device, program, name, buffers, 1);
    }
    if (!error)
        error = clEnqueueReadBuffer(device->cl.queue, buffers[0], CL_TRUE, 0, out_size, out, 0, NULL, NULL);
    test_release_buffers(buffers, 2);
    if (error)
        fprintf(stderr, "constants: running gives error %d\n", error);
    return !error;
}

/* ---- comparing ---- */

/* How many floats lie between two of them, by their bits. */
static uint64_t distance(enum kind kind, uint64_t x, uint64_t y)
{
    uint64_t sign = (mask_of(kind) >> 1) + 1;
    int64_t from = x & sign ? -(int64_t)(x - sign) : (int64_t)x, to = y & sign ? -(int64_t)(y - sign) : (int64_t)y;
    return from > to ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
}

static bool is_equal_lane(const struct device *device, enum kind kind, uint64_t x, uint64_t y)
{
    enum { EXPONENT = 0x7f800000 };
    if (x == y)
        return true;
    if (!is_float(kind))
        return false;
    bool x_is_nan = isnan(value_of(kind, x)), y_is_nan = isnan(value_of(kind, y));
    if (x_is_nan || y_is_nan)
        return x_is_nan && y_is_nan;
    if (kind == K_FLOAT && device->flushes && !(x & EXPONENT) && !(y & EXPONENT))
        return true;
    return distance(kind, x, y) <= device->ulps;
}

static bool is_equal(const struct device *device, const struct type *type, const uint8_t *a, const uint8_t *b)
{
    for (uint32_t lane = 0; lane < type->lanes; lane++) {
        uint64_t x = 0, y = 0;
        memcpy(&x, a + lane * sizes[type->kind], sizes[type->kind]);
        memcpy(&y, b + lane * sizes[type->kind], sizes[type->kind]);
        if (!is_equal_lane(device, type->kind, x, y))
            return false;
    }
    return true;
}

static void print_value(const struct type *type, const uint8_t *at)
{
    for (uint32_t lane = 0; lane < type->lanes; lane++) {
        uint64_t bits = 0;
        memcpy(&bits, at + lane * sizes[type->kind], sizes[type->kind]);
        printf(" %0*llx", sizes[type->kind] * 2, (unsigned long long)bits);
    }
}

/* The first sample that differs is shown. */
static bool check_row(const struct device *device, const struct row *row, uint32_t number, const uint8_t *in,
                      const uint8_t *out)
{
    for (uint32_t variant = FOLDED; variant < VARIANTS; variant++) {
        if (variant == LOADED || (variant == INITIALISER && !row->initialiser))
            continue;
        for (uint32_t sample = 0; sample < SAMPLES; sample++) {
            const uint8_t *built = out + result_at(variant, number, sample),
                          *ran = out + result_at(LOADED, number, sample);
            if (is_equal(device, &row->result, built, ran))
                continue;
            struct text text = {0};
            append_expression(&text, row, in, number, sample, false, false);
            printf("%s: %s\n  %s", row->name, text.bytes, variant == INITIALISER ? "initialiser" : "built      ");
            print_value(&row->result, built);
            printf("\n  run        ");
            print_value(&row->result, ran);
            printf("\n");
            free(text.bytes);
            return false;
        }
    }
    return true;
}

static void draw_operands(struct row *const *rows, uint32_t count, uint8_t *in)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < rows[i]->num_operands; k++) {
            const struct type *type = &rows[i]->operands[k];
            for (uint32_t sample = 0; sample < SAMPLES; sample++) {
                for (uint32_t lane = 0; lane < type->lanes; lane++) {
                    uint64_t bits = draw(type);
                    memcpy(in + operand_at(i, k, sample) + lane * sizes[type->kind], &bits, sizes[type->kind]);
                }
            }
        }
    }
}

/* The number of rows that differ; all where the program does not build or run. */
static uint32_t run_batch(const struct device *device, struct row *const *rows, uint32_t count)
{
    const size_t in_size = (size_t)BATCH * MAX_OPERANDS * SAMPLES * SLOT;
    const size_t out_size = (size_t)BATCH * VARIANTS * SAMPLES * SLOT;
    uint8_t *in = calloc(1, in_size), *out = calloc(1, out_size);
    struct text text = {0};
    uint32_t wrong = count;
    draw_operands(rows, count, in);
    append(&text, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n");
    for (uint32_t sample = 0; sample < SAMPLES; sample++)
        append_folded(&text, rows, count, in, sample);
    append_loaded(&text, rows, count);
    cl_program program =
        test_build_source(&device->cl, text.bytes, "-cl-std=CL3.0 -w -cl-fp32-correctly-rounded-divide-sqrt");
    if (!program)
        fprintf(stderr, "%s\n", text.bytes);
    if (program && run(device, program, in, in_size, out, out_size)) {
        wrong = 0;
        for (uint32_t i = 0; i < count; i++)
            wrong += !check_row(device, rows[i], i, in, out);
    }
    if (program)
        clReleaseProgram(program);
    free(text.bytes);
    free(out);
    free(in);
    return wrong;
}

static void shuffle(struct row **rows, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(random_bits() % i);
        struct row *row = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = row;
    }
}

static bool is_named(const struct row *row, char **wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(row->name, wanted[i]))
            return true;
    return count == 0;
}

static bool open_device(struct device *device)
{
    cl_name_version features[256];
    size_t size = 0;
    if (!test_find_devices(NULL, &device->cl, 1) || !test_open_device(&device->cl))
        return false;
    clGetDeviceInfo(device->cl.id, CL_DEVICE_EXTENSIONS, sizeof(device->offers) / 2, device->offers, NULL);
    cl_device_fp_config single = 0;
    clGetDeviceInfo(device->cl.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(single), &single, NULL);
    device->flushes = !(single & CL_FP_DENORM);
    clGetDeviceInfo(device->cl.id, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features, &size);
    for (size_t i = 0; i < size / sizeof(features[0]); i++) {
        strcat(device->offers, " ");
        strcat(device->offers, features[i].name);
    }
    return true;
}

static bool offers_types(const struct device *device, const struct row *row)
{
    bool half = row->result.kind == K_HALF, wide = row->result.kind == K_DOUBLE;
    for (uint32_t i = 0; i < row->num_operands; i++) {
        half |= row->operands[i].kind == K_HALF;
        wide |= row->operands[i].kind == K_DOUBLE;
    }
    return (!half || strstr(device->offers, "cl_khr_fp16")) && (!wide || strstr(device->offers, "cl_khr_fp64"));
}

int main(int argc, char **argv)
{
    static struct row rows[MAX_ROWS], *chosen[MAX_ROWS];
    struct device device = {0};
    uint32_t share = 20, seed = 1, num_chosen = 0, wrong = 0;
    int first = 2;
    for (; first + 1 < argc && !strncmp(argv[first], "--", 2); first += 2)
        *(!strcmp(argv[first], "--share")  ? &share
          : !strcmp(argv[first], "--ulps") ? &device.ulps
                                           : &seed) = (uint32_t)atoi(argv[first + 1]);
    if (argc < 2 || !share)
        return 2;
    if (!open_device(&device)) {
        fprintf(stderr, "constants: no OpenCL device\n");
        return TEST_SKIPPED;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    state = 88172645463325252u + seed * 0x9e3779b97f4a7c15u;
    uint32_t count = read_table(argv[1], &device, rows);
    for (uint32_t i = 0; i < count; i++)
        if (is_named(&rows[i], argv + first, argc - first) && offers_types(&device, &rows[i]))
            chosen[num_chosen++] = &rows[i];
    shuffle(chosen, num_chosen);
    num_chosen = (num_chosen + share - 1) / share;
    for (uint32_t i = 0; i < num_chosen; i += BATCH)
        wrong += run_batch(&device, chosen + i, num_chosen - i < BATCH ? num_chosen - i : BATCH);
    printf("%u expressions, of %u; %u differ (seed %u)\n", num_chosen, count, wrong, seed);
    test_close_device(&device.cl);
    return wrong != 0;
}
