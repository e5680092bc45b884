/* cl_pumice_small_floats on a device, against small_reference.c: every code both ways, every rounding, saturating or
 * not, from floats, halfs (all of them) and doubles at, beside and half-way between all values of the format, and from
 * random ones. Blocks with every scale; dot products.
 *
 *   small_floats [FORMAT]      exit code 77 where no device has the extension */
#include "small_reference.h"
#include "tests/support/check.h"
#include "tests/support/opencl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 1 << 14, BLOCKS = 1 << 12, TEXT = 4096, MOST_FAILURES = 8 };

static struct test_device device;
static bool has_half, has_double;
static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* ---- what is converted ---- */

struct values {
    double *items; /* malloc'ed */
    size_t count, room;
};

static void add(struct values *values, double value)
{
    if (values->count + 2 > values->room) {
        values->room = values->room * 2 + 1024;
        values->items = realloc(values->items, values->room * sizeof(double));
        if (!values->items)
            abort();
    }
    values->items[values->count++] = value;
    values->items[values->count++] = -value;
}

/* The value, and its neighbours among doubles and floats. */
static void add_around(struct values *values, double value)
{
    add(values, value);
    add(values, nextafter(value, INFINITY));
    add(values, nextafter(value, 0));
    add(values, nextafterf((float)value, INFINITY));
    add(values, nextafterf((float)value, 0));
}

static struct values values_for(const struct small_format *format)
{
    struct values values = {0};
    uint32_t step = format->bits > 8 ? 7 : 1; /* those in between are as many again, by the random ones */
    for (uint32_t code = 0; code <= format->largest; code += step) {
        double value = small_value(format, code);
        double next = small_value(format, code + 1);
        next = isfinite(next) && next > value ? next : 2 * value - small_value(format, code ? code - 1 : 0);
        add_around(&values, value);
        add_around(&values, (value + next) / 2);
        add_around(&values, next);
    }
    static const double special[] = {0,        INFINITY,       NAN,       1,        0x1p-149,
                                     0x1p-126, 0x1.fffffep127, 0x1p-1074, 0x1p1000, 0x1p128};
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
        add(&values, special[i]);
    for (uint32_t i = 0; i < RANDOM; i++) {
        int exponent = format->least + (int)(random_bits() % 24) - 6;
        add(&values, ldexp((double)(random_bits() >> 11), exponent - 53));
        uint32_t bits = (uint32_t)random_bits();
        float value;
        memcpy(&value, &bits, sizeof(value));
        add(&values, value);
    }
    while (values.count % 16)
        add(&values, 0);
    return values;
}

/* ---- kernels ---- */

/* Runs a kernel on that many items: one input buffer, one output buffer; what it wrote, to be freed. */
static void *run(cl_program program, const char *name, size_t items, const void *in, size_t in_size, size_t out_size)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    cl_mem from = test_buffer_of(&device, in_size, in);
    cl_mem to = clCreateBuffer(device.context, CL_MEM_READ_WRITE, out_size, NULL, &status);
    void *out = calloc(1, out_size);
    CHECK(kernel && from && to && out);
    CHECK(!clSetKernelArg(kernel, 0, sizeof(from), &from) && !clSetKernelArg(kernel, 1, sizeof(to), &to));
    CHECK(!clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(!clEnqueueReadBuffer(device.queue, to, CL_TRUE, 0, out_size, out, 0, NULL, NULL));
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    return out;
}

static void wrong(const char *name, double value, uint32_t got, uint32_t wanted, uint32_t *count)
{
    if ((*count)++ < MOST_FAILURES)
        fprintf(stderr, "%s of %a (%.9g): 0x%x, not 0x%x\n", name, value, value, got, wanted);
    test_failures++;
}

static uint32_t code_at(const struct small_format *format, const void *codes, size_t i)
{
    return format->bits == 16 ? ((const uint16_t *)codes)[i] : ((const uint8_t *)codes)[i];
}

/* ---- to small floats ---- */

static const char *half_text(const char *type)
{
    return *type == 'h' ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "";
}

/* NaN keeps its sign, but for one that the device itself made a float of. */
static bool accepts(const struct small_format *format, double exact, bool widened, uint32_t got, uint32_t wanted)
{
    uint32_t sign = format->kind == SMALL_SCALE ? 0 : 1u << (format->bits - 1);
    if (got == wanted || !isnan(exact))
        return got == wanted;
    bool same_sign = !((got ^ wanted) & sign);
    return small_same(format, got & ~sign, wanted & ~sign) ? same_sign || widened
                                                           : widened && got == (0 - wanted) % (2 * sign);
}

static const char *const suffixes[ROUNDINGS] = {"", "_rtz", "_rtp", "_rtn"};

/* The values as the kernel's elements; what these really are goes back into `exact`. */
static void *as_source(const struct values *values, const char *type, double *exact, size_t *size)
{
    const struct small_format *half = &small_formats[SMALL_HALF];
    *size = values->count * (*type == 'h' ? 2 : *type == 'f' ? 4 : 8);
    void *source = malloc(*size);
    for (size_t i = 0; source && i < values->count; i++) {
        double value = values->items[i];
        if (*type == 'h') {
            ((uint16_t *)source)[i] = (uint16_t)(i < 65536 ? i : small_code(half, value, TO_NEAREST, false));
            exact[i] = small_value(half, ((uint16_t *)source)[i]);
        } else if (*type == 'f') {
            ((float *)source)[i] = (float)value;
            exact[i] = (float)value;
        } else {
            ((double *)source)[i] = exact[i] = value;
        }
    }
    return source;
}

static void check_to(const struct small_format *format, const struct values *values, const char *type, uint32_t lanes)
{
    double *exact = malloc(values->count * sizeof(double));
    size_t size;
    void *source = as_source(values, type, exact, &size);
    const char *code = format->bits == 16 ? "ushort" : "uchar";
    bool saturating = format->has_nan && format != &small_formats[SMALL_BFLOAT16];
    for (uint32_t which = 0; which < ROUNDINGS * (saturating ? 2 : 1); which++) {
        enum rounding rounding = which % ROUNDINGS;
        bool saturates = which >= ROUNDINGS;
        char name[64], text[TEXT], width[4] = "";
        snprintf(name, sizeof(name), "pumice_convert_to_%s%s%s", format->name, saturates ? "_sat" : "",
                 suffixes[rounding]);
        if (lanes > 1)
            snprintf(width, sizeof(width), "%u", lanes);
        snprintf(text, sizeof(text),
                 "%skernel void k(global %s%s *in, global %s%s *out)\n"
                 "{ size_t i = get_global_id(0); out[i] = %s(in[i]); }\n",
                 half_text(type), type, width, code, width, name);
        cl_program program = test_build_source(&device, text, "-cl-std=CL3.0");
        CHECK(program);
        void *codes = run(program, "k", values->count / lanes, source, size, values->count * format->bits / 8 * 2);
        uint32_t count = 0;
        for (size_t i = 0; i < values->count; i++) {
            uint32_t wanted = small_code(format, exact[i], rounding, saturates), got = code_at(format, codes, i);
            if (!accepts(format, exact[i], *type == 'h', got, wanted))
                wrong(name, exact[i], got, wanted, &count);
        }
        free(codes);
        clReleaseProgram(program);
    }
    free(source);
    free(exact);
}

/* ---- from small floats ---- */

static void check_from(const struct small_format *format, const char *to)
{
    const struct small_format *wide = &small_formats[*to == 'h' ? SMALL_HALF : SMALL_FLOAT];
    uint32_t codes = 1u << format->bits, count = 0;
    const char *code = format->bits == 16 ? "ushort4" : "uchar4";
    char text[TEXT];
    snprintf(text, sizeof(text),
             "kernel void k(global %s *in, global %s4 *out)\n"
             "{ size_t i = get_global_id(0); out[i] = pumice_convert_%s_to_%s(in[i]); }\n",
             code, to, format->name, to);
    cl_program program = test_build_source(&device, text, "-cl-std=CL3.0");
    CHECK(program);
    uint16_t *source = malloc(codes * 2);
    for (uint32_t i = 0; i < codes; i++) {
        if (format->bits > 8)
            source[i] = (uint16_t)i;
        else
            ((uint8_t *)source)[i] = (uint8_t)i;
    }
    void *out = run(program, "k", codes / 4, source, codes * 2, codes * wide->bits / 8);
    for (uint32_t i = 0; i < codes; i++) {
        double value = small_value(format, i);
        uint32_t wanted = small_code(wide, value, TO_NEAREST, false);
        uint32_t got = *to == 'h' ? ((uint16_t *)out)[i] : ((uint32_t *)out)[i];
        if (!small_same(wide, got, wanted))
            wrong(text, value, got, wanted, &count);
    }
    free(out);
    free(source);
    clReleaseProgram(program);
}

/* ---- blocks ---- */

static uint32_t packed_code(const uint32_t *words, uint32_t bits, uint32_t index)
{
    uint32_t code = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        uint32_t at = index * bits + bit;
        code |= (words[at / 32] >> at % 32 & 1) << bit;
    }
    return code;
}

static const char block_text[] =
    "#define JOIN2(a, b, c) a##b##c\n#define JOIN(a, b, c) JOIN2(a, b, c)\n"
    "typedef struct { TYPE values[32]; uint scale; uint words[8]; TYPE back[32]; } block;\n"
    "kernel void k(global const block *in, global block *out)\n{\n"
    "    size_t i = get_global_id(0);\n"
    "    TYPE16 low = vload16(0, in[i].values), high = vload16(1, in[i].values);\n"
    "    uint own = in[i].scale;\n    uchar scale = JOIN(pumice_scale_, FORMAT, )(low, high);\n"
    "    out[i].scale = scale;\n"
    "    scale = own ? (uchar)(own - 1) : scale;\n"
    "    JOIN(uint, WORDS, ) a = JOIN(pumice_convert_block_to_, FORMAT, )(low, scale);\n"
    "    JOIN(uint, WORDS, ) b = JOIN(pumice_convert_block_to_, FORMAT, _rte)(high, scale);\n"
    "    JOIN(vstore, WORDS, )(a, 0, out[i].words);\n    JOIN(vstore, WORDS, )(b, 0, out[i].words + WORDS);\n"
    "    vstore16(JOIN(pumice_convert_block_, FORMAT, _to_TYPE)(a, scale), 0, out[i].back);\n"
    "    vstore16(JOIN(pumice_convert_block_, FORMAT, _to_TYPE)(b, scale), 1, out[i].back);\n}\n";

/* The value in MX 1.0, 6.3: of the largest power of two, by the format's; NaN where a value is none or infinite. */
static uint32_t scale_of(const double *values, int most)
{
    double largest = 0;
    int exponent;
    for (uint32_t i = 0; i < 32; i++) {
        if (!isfinite(values[i]))
            return 255;
        largest = fmax(largest, fabs(values[i]));
    }
    if (largest == 0)
        return 0;
    frexp(largest, &exponent);
    return exponent - 1 - most + 127 > 0 ? (uint32_t)(exponent - 1 - most + 127) : 0;
}

struct block_layout {
    size_t values, scale, words, back, size;
};

static double at_of(const uint8_t *block, size_t offset, uint32_t i, bool half)
{
    float value;
    uint16_t bits;
    memcpy(&value, block + offset + 4 * i, sizeof(value));
    memcpy(&bits, block + offset + 2 * i, sizeof(bits));
    return half ? small_value(&small_formats[SMALL_HALF], bits) : value;
}

static void check_block(const struct small_format *format, const struct block_layout *at, const uint8_t *in,
                        const uint8_t *out, bool half, uint32_t *count)
{
    const struct small_format *wide = &small_formats[half ? SMALL_HALF : SMALL_FLOAT];
    double values[32];
    uint32_t words[8], own, scale;
    for (uint32_t i = 0; i < 32; i++)
        values[i] = at_of(in, at->values, i, half);
    memcpy(words, out + at->words, sizeof(words));
    memcpy(&own, in + at->scale, sizeof(own));
    memcpy(&scale, out + at->scale, sizeof(scale));
    uint32_t wanted_scale = scale_of(values, format->most);
    if (scale != wanted_scale)
        wrong("scale", values[0], scale, wanted_scale, count);
    scale = own ? own - 1 : scale;
    for (uint32_t i = 0; i < 32; i++) {
        double scaled = scale == 255 ? (double)NAN * values[i] : ldexp(values[i], 127 - (int)scale);
        uint32_t code = packed_code(words, format->bits, i), wanted = small_code(format, scaled, TO_NEAREST, true);
        if (scale != 255 && !small_same(format, code, wanted))
            wrong(format->name, values[i], code, wanted, count);
        double back = scale == 255 ? (double)NAN : ldexp(small_value(format, code), (int)scale - 127);
        double once =
            small_value(&small_formats[SMALL_FLOAT], small_code(&small_formats[SMALL_FLOAT], back, TO_NEAREST, false));
        uint32_t got = small_code(wide, at_of(out, at->back, i, half), TO_NEAREST, false);
        if (!small_same(wide, got, small_code(wide, once, TO_NEAREST, false)))
            wrong("back", back, got, small_code(wide, once, TO_NEAREST, false), count);
    }
}

static void fill_block(const struct block_layout *at, uint8_t *block, uint32_t number, bool half)
{
    uint32_t own = number % 3 ? 0 : 1 + number / 3 % 256; /* 0: that of the block; else one more than it */
    int middle = own ? (int)own - 128 : (int)(random_bits() % 250) - 125;
    for (uint32_t i = 0; i < 32; i++) {
        double value = ldexp((double)(random_bits() >> 11) - 0x1p52, middle - 50 - (int)(random_bits() % 8));
        value = random_bits() % 16 ? value : random_bits() % 256 ? 0 : (double)INFINITY;
        float single = (float)value;
        uint16_t bits = (uint16_t)small_code(&small_formats[SMALL_HALF], value, TO_NEAREST, true);
        if (half)
            memcpy(block + at->values + 2 * i, &bits, sizeof(bits));
        else
            memcpy(block + at->values + 4 * i, &single, sizeof(single));
    }
    memcpy(block + at->scale, &own, sizeof(own));
}

static void check_blocks(const struct small_format *format, const char *name, bool half)
{
    char options[256];
    uint32_t words = 16 * format->bits / 32, count = 0;
    const struct block_layout at =
        half ? (struct block_layout){0, 64, 68, 100, 164} : (struct block_layout){0, 128, 132, 164, 292};
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DFORMAT=%s -DWORDS=%u -DTYPE=%s -DTYPE16=%s16 -D_to_TYPE=_to_%s",
             name, words, half ? "half" : "float", half ? "half" : "float", half ? "half" : "float");
    cl_program program = test_build_source(&device, block_text, options);
    CHECK(program);
    uint8_t *in = calloc(BLOCKS, at.size);
    for (uint32_t i = 0; i < BLOCKS; i++)
        fill_block(&at, in + i * at.size, i, half);
    uint8_t *out = run(program, "k", BLOCKS, in, BLOCKS * at.size, BLOCKS * at.size);
    for (uint32_t i = 0; i < BLOCKS; i++)
        check_block(format, &at, in + i * at.size, out + i * at.size, half, &count);
    free(in);
    free(out);
    clReleaseProgram(program);
}

/* ---- dot products ---- */

static const char dot_text[] =
    "kernel void nibbles(global const uint4 *in, global int8 *out)\n{\n"
    "    size_t i = get_global_id(0);\n    uint a = in[i].x, b = in[i].y, c = in[i].z;\n"
    "    out[i] = (int8)(pumice_dot_8x4packed_uu_uint(a, b), pumice_dot_8x4packed_ss_int(a, b),\n"
    "        pumice_dot_8x4packed_us_int(a, b), pumice_dot_8x4packed_su_int(a, b),\n"
    "        pumice_dot_acc_sat_8x4packed_uu_uint(a, b, c), pumice_dot_acc_sat_8x4packed_ss_int(a, b, as_int(c)),\n"
    "        pumice_dot_acc_sat_8x4packed_us_int(a, b, as_int(c)), pumice_dot_acc_sat_8x4packed_su_int(a, b, "
    "as_int(c)));\n}\n"
    "kernel void floats(global const ushort4 *in, global float2 *out)\n{\n"
    "    size_t i = get_global_id(0);\n    ushort4 a = in[i], b = in[i + 1];\n"
    "    out[i] = (float2)(pumice_dot_bfloat16(a, b), pumice_dot_acc_bfloat16(a.lo, b.hi, 0.5f));\n}\n";

static int32_t nibble(uint32_t word, uint32_t i, bool is_signed)
{
    int32_t value = (int32_t)(word >> 4 * i & 15);
    return is_signed && value > 7 ? value - 16 : value;
}

static void check_nibbles(cl_program program)
{
    uint32_t *in = calloc(RANDOM, 16), count = 0;
    for (uint32_t i = 0; i < RANDOM * 4; i++)
        in[i] = (uint32_t)random_bits();
    for (uint32_t i = 0; i < RANDOM; i += 2) /* where sums saturate */
        in[i * 4 + 2] = (i & 2 ? 0x80000000 : i & 4 ? 0xffffffff : 0x7fffffff) + (uint32_t)random_bits() % 2048 - 1024;
    static const uint32_t extremes[] = {0x88888888, 0x77777777, 0xffffffff, 0};
    for (uint32_t i = 0; i < 16; i++)
        in[i * 4] = extremes[i / 4], in[i * 4 + 1] = extremes[i % 4];
    int32_t *out = run(program, "nibbles", RANDOM, in, RANDOM * 16, RANDOM * 32);
    for (uint32_t i = 0; i < RANDOM; i++) {
        for (uint32_t which = 0; which < 4; which++) {
            int64_t sum = 0, c = in[i * 4 + 2];
            for (uint32_t k = 0; k < 8; k++)
                sum += nibble(in[i * 4], k, which & 1) * nibble(in[i * 4 + 1], k, which == 1 || which == 2);
            int64_t more = sum + (which ? (int32_t)c : c);
            int64_t most = which ? INT32_MAX : UINT32_MAX, least = which ? INT32_MIN : 0;
            more = more > most ? most : more < least ? least : more;
            if (out[i * 8 + which] != (int32_t)sum)
                wrong("dot", which, (uint32_t)out[i * 8 + which], (uint32_t)sum, &count);
            if (out[i * 8 + 4 + which] != (int32_t)more)
                wrong("dot_acc_sat", which, (uint32_t)out[i * 8 + 4 + which], (uint32_t)more, &count);
        }
    }
    free(in);
    free(out);
}

static void check_bfloat16_dot(cl_program program)
{
    const struct small_format *format = &small_formats[SMALL_BFLOAT16];
    uint16_t *in = malloc((RANDOM + 1) * 8);
    uint32_t count = 0;
    for (uint32_t i = 0; i < (RANDOM + 1) * 4; i++)
        in[i] = (uint16_t)((random_bits() & 0x8000) | (0x3c00 + random_bits() % 0x700));
    float *out = run(program, "floats", RANDOM, in, (RANDOM + 1) * 8, RANDOM * 8);
    for (uint32_t i = 0; i < RANDOM; i++) {
        float sum = 0, more = 0.5f;
        for (uint32_t k = 0; k < 4; k++) {
            float product = (float)small_value(format, in[i * 4 + k]) * (float)small_value(format, in[i * 4 + 4 + k]);
            sum += product;
        }
        for (uint32_t k = 0; k < 2; k++) {
            float product = (float)small_value(format, in[i * 4 + k]) * (float)small_value(format, in[i * 4 + 6 + k]);
            more += product;
        }
        if (out[i * 2] != sum || out[i * 2 + 1] != more)
            wrong("bfloat16 dot", sum, bits_of(out[i * 2]), bits_of(sum), &count);
    }
    free(in);
    free(out);
}

static void check_dots(void)
{
    cl_program program = test_build_source(&device, dot_text, "-cl-std=CL3.0");
    CHECK(program);
    check_nibbles(program);
    check_bfloat16_dot(program);
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    static const struct {
        uint32_t format;
        const char *name;
    } blocks[] = {{SMALL_E5M2, "mxfp8_e5m2"}, {SMALL_E4M3, "mxfp8_e4m3"}, {SMALL_E3M2, "mxfp6_e3m2"},
                  {SMALL_E2M3, "mxfp6_e2m3"}, {SMALL_E2M1, "mxfp4"},      {SMALL_MXINT8, "mxint8"}};
    const char *only = argc > 1 ? argv[1] : "";
    if (!test_find_devices(NULL, &device, 1) || !test_has_extension(&device, "cl_pumice_small_floats")) {
        printf("no device has cl_pumice_small_floats\n");
        return TEST_SKIPPED;
    }
    CHECK(test_open_device(&device));
    has_half = test_has_extension(&device, "cl_khr_fp16");
    has_double = test_has_extension(&device, "cl_khr_fp64");
    for (uint32_t i = 0; i <= SMALL_MXINT8; i++) {
        const struct small_format *format = &small_formats[i];
        if (!strstr(format->name, only))
            continue;
        struct values values = values_for(format);
        check_to(format, &values, "float", 1u << i % 5);
        if (has_half)
            check_to(format, &values, "half", 1u << (i + 2) % 5);
        if (has_double)
            check_to(format, &values, "double", 1u << (i + 1) % 5);
        check_from(format, "float");
        if (has_half)
            check_from(format, "half");
        free(values.items);
    }
    for (uint32_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
        if (!strstr(small_formats[blocks[i].format].name, only))
            continue;
        check_blocks(&small_formats[blocks[i].format], blocks[i].name, false);
        if (has_half)
            check_blocks(&small_formats[blocks[i].format], blocks[i].name, true);
    }
    if (!*only)
        check_dots();
    test_close_device(&device);
    return test_result();
}
