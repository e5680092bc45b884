/* printf on the host: takes formats apart, and turns the records that kernels left in the printf buffer to text. Both
 * the format (an application's) and the records (device memory) are untrusted: everything is bounded, nothing is passed
 * on to the C library's printf but specifications built here. OpenCL C 3.0, 6.15.14.2. */
#include "compiler/builtins/printf_format.h"

#include "base/float_env.h"
#include "base/util.h"
#include "compiler/clc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WIDTH = 4096 }; /* of one conversion */

/* ---- the format ---- */

static int parse_number(const char *format, size_t length, size_t *at)
{
    int value = 0;
    while (*at < length && format[*at] >= '0' && format[*at] <= '9') {
        value = value * 10 + (format[(*at)++] - '0');
        if (value > MAX_WIDTH)
            value = MAX_WIDTH;
    }
    return value;
}

static void parse_flags(const char *format, size_t length, size_t *at, struct printf_spec *spec)
{
    for (; *at < length; (*at)++) {
        switch (format[*at]) {
        case '-':
            spec->minus = true;
            break;
        case '+':
            spec->plus = true;
            break;
        case ' ':
            spec->space = true;
            break;
        case '#':
            spec->sharp = true;
            break;
        case '0':
            spec->zero = true;
            break;
        default:
            return;
        }
    }
}

static bool take(const char *format, size_t length, size_t *at, char c)
{
    if (*at >= length || format[*at] != c)
        return false;
    (*at)++;
    return true;
}

static enum printf_length parse_length(const char *format, size_t length, size_t *at)
{
    if (take(format, length, at, 'h')) {
        if (take(format, length, at, 'h'))
            return PRINTF_LENGTH_HH;
        return take(format, length, at, 'l') ? PRINTF_LENGTH_HL : PRINTF_LENGTH_H;
    }
    if (take(format, length, at, 'z') || take(format, length, at, 't')) /* OpenCL C 3.1: size_t, ptrdiff_t */
        return PRINTF_LENGTH_L;
    if (take(format, length, at, 'l')) {
        take(format, length, at, 'l'); /* not OpenCL C, but meant well */
        return PRINTF_LENGTH_L;
    }
    return PRINTF_LENGTH_NONE;
}

bool printf_next_spec(const char *format, size_t length, size_t *at, struct printf_spec *spec)
{
    const char *percent = *at < length ? memchr(format + *at, '%', length - *at) : NULL;
    if (!percent)
        return false;
    *spec = (struct printf_spec){.begin = (size_t)(percent - format), .width = -1, .precision = -1};
    size_t i = spec->begin + 1;
    parse_flags(format, length, &i, spec);
    if (i < length && format[i] >= '1' && format[i] <= '9')
        spec->width = parse_number(format, length, &i);
    if (take(format, length, &i, '.'))
        spec->precision = parse_number(format, length, &i);
    if (take(format, length, &i, 'v')) {
        spec->lanes = (uint32_t)parse_number(format, length, &i);
        if (spec->lanes != 2 && spec->lanes != 3 && spec->lanes != 4 && spec->lanes != 8 && spec->lanes != 16)
            spec->lanes = UINT32_MAX;
    }
    spec->length = parse_length(format, length, &i);
    bool known = i < length && spec->lanes != UINT32_MAX && format[i] && strchr("diouxXfFeEgGaAcsp%", format[i]);
    if (known)
        spec->conversion = format[i++];
    spec->end = *at = i;
    return true;
}

/* ---- one conversion ---- */

struct printer {
    void (*write)(void *data, const char *text, size_t length);
    void *data;
};

static void emit(const struct printer *printer, const char *text, size_t length)
{
    if (length)
        printer->write(printer->data, text, length);
}

/* "%" flags width "." precision modifier conversion, for the C library */
static void build_spec(const struct printf_spec *spec, const char *modifier, char *out, size_t size)
{
    char width[16] = "", precision[16] = "";
    if (spec->width >= 0)
        snprintf(width, sizeof(width), "%d", spec->width);
    if (spec->precision >= 0)
        snprintf(precision, sizeof(precision), ".%d", spec->precision);
    snprintf(out, size, "%%%s%s%s%s%s%s%s%s%c", spec->minus ? "-" : "", spec->plus ? "+" : "", spec->space ? " " : "",
             spec->sharp ? "#" : "", spec->zero ? "0" : "", width, precision, modifier, spec->conversion);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define EMIT_FORMATTED(printer, text, value)                                                                           \
    do {                                                                                                               \
        char small[512], *out = small;                                                                                 \
        int needed = snprintf(small, sizeof(small), text, value);                                                      \
        if (needed >= (int)sizeof(small)) {                                                                            \
            out = malloc((size_t)needed + 1);                                                                          \
            if (out)                                                                                                   \
                snprintf(out, (size_t)needed + 1, text, value);                                                        \
        }                                                                                                              \
        if (out && needed > 0)                                                                                         \
            emit(printer, out, (size_t)needed);                                                                        \
        if (out != small)                                                                                              \
            free(out);                                                                                                 \
    } while (0)

static void print_integer(const struct printer *printer, const struct printf_spec *spec, uint64_t bits)
{
    static const uint8_t widths[] = {[PRINTF_LENGTH_NONE] = 32,
                                     [PRINTF_LENGTH_HH] = 8,
                                     [PRINTF_LENGTH_H] = 16,
                                     [PRINTF_LENGTH_HL] = 32,
                                     [PRINTF_LENGTH_L] = 64};
    uint32_t drop = 64u - widths[spec->length];
    char text[64];
    build_spec(spec, "ll", text, sizeof(text));
    if (spec->conversion == 'd' || spec->conversion == 'i') {
        long long value = (long long)(bits << drop) >> drop;
        EMIT_FORMATTED(printer, text, value);
    } else {
        unsigned long long value = bits << drop >> drop;
        EMIT_FORMATTED(printer, text, value);
    }
}

static void print_char(const struct printer *printer, const struct printf_spec *spec, uint64_t bits)
{
    char text[64];
    struct printf_spec plain = {.minus = spec->minus, .width = spec->width, .precision = -1, .conversion = 'c'};
    build_spec(&plain, "", text, sizeof(text));
    EMIT_FORMATTED(printer, text, (int)(unsigned char)bits);
}

static void print_string(const struct printer *printer, const struct printf_spec *spec, const char *string)
{
    char text[64];
    struct printf_spec plain = {
        .minus = spec->minus, .width = spec->width, .precision = spec->precision, .conversion = 's'};
    build_spec(&plain, "", text, sizeof(text));
    EMIT_FORMATTED(printer, text, string);
}

/* C leaves it to the library whether it tells a NaN's sign, and Windows' does not. */
static void print_nan(const struct printer *printer, const struct printf_spec *spec, bool negative)
{
    bool capital =
        spec->conversion == 'A' || spec->conversion == 'E' || spec->conversion == 'F' || spec->conversion == 'G';
    const struct printf_spec plain = {.minus = spec->minus, .width = spec->width, .precision = -1};
    const char *sign = negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    char text[8];
    snprintf(text, sizeof(text), "%s%s", sign, capital ? "NAN" : "nan");
    print_string(printer, &plain, text);
}

static void print_float(const struct printer *printer, const struct printf_spec *spec, uint64_t bits, uint32_t size)
{
    double value;
    if (size == 8) {
        memcpy(&value, &bits, sizeof(value));
    } else if (size == 4) {
        uint32_t word = (uint32_t)bits;
        float single;
        memcpy(&single, &word, sizeof(single));
        value = single;
    } else {
        value = half_to_float((uint16_t)bits);
    }
    if (isnan(value)) {
        print_nan(printer, spec, signbit(value));
        return;
    }
    char text[64];
    build_spec(spec, "", text, sizeof(text));
    EMIT_FORMATTED(printer, text, value);
}

static void print_pointer(const struct printer *printer, const struct printf_spec *spec, uint64_t bits)
{
    char text[64], number[32];
    struct printf_spec plain = {.minus = spec->minus, .width = spec->width, .precision = -1, .conversion = 's'};
    build_spec(&plain, "", text, sizeof(text));
    snprintf(number, sizeof(number), "0x%llx", (unsigned long long)bits);
    EMIT_FORMATTED(printer, text, number);
}

#pragma GCC diagnostic pop

/* ---- records ---- */

struct record {
    const struct clc_printf_format *format;
    const char *const *strings;
    uint32_t num_strings;
    const uint8_t *data; /* the arguments, and the strings that were copied */
    size_t size;
};

enum { HEADER = 8 }; /* bytes of a record before its data */

static uint64_t read_bits(const uint8_t *data, uint32_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, data, size < sizeof(bits) ? size : sizeof(bits));
    return bits;
}

/* A string that the kernel copied to its record. It need not end with a NUL, and may hold none of its own. */
static void print_copied(const struct printer *printer, const struct printf_spec *spec, const struct record *record,
                         uint64_t bits)
{
    uint32_t offset = (uint32_t)bits, length = (uint32_t)(bits >> 32);
    if (offset < HEADER || offset - HEADER > record->size || length > record->size - (offset - HEADER)) {
        print_string(printer, spec, "(null)");
        return;
    }
    char *text = malloc((size_t)length + 1);
    if (!text)
        return;
    memcpy(text, record->data + (offset - HEADER), length);
    text[length] = 0;
    print_string(printer, spec, text);
    free(text);
}

static void print_value(const struct printer *printer, const struct printf_spec *spec, const struct record *record,
                        const uint8_t *data, uint32_t size)
{
    uint64_t bits = read_bits(data, size);
    switch (spec->conversion) {
    case 's': {
        if (size == 8) {
            print_copied(printer, spec, record, bits);
            break;
        }
        const char *string = bits < record->num_strings ? record->strings[bits] : NULL;
        print_string(printer, spec, string ? string : "(null)");
        break;
    }
    case 'p':
        print_pointer(printer, spec, bits);
        break;
    case 'c':
        print_char(printer, spec, bits);
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        print_integer(printer, spec, bits);
        break;
    default:
        print_float(printer, spec, bits, size);
    }
}

/* "The vector value is printed as its elements separated by commas", each with the flags, width and precision given. */
static void print_arg(const struct printer *printer, const struct printf_spec *spec, const struct record *record,
                      const uint8_t *data, uint32_t size)
{
    uint32_t lanes = spec->lanes && size % spec->lanes == 0 && size >= spec->lanes ? spec->lanes : 1;
    for (uint32_t i = 0; i < lanes; i++) {
        if (i)
            emit(printer, ",", 1);
        print_value(printer, spec, record, data + i * (size / lanes), size / lanes);
    }
}

static void print_record(const struct printer *printer, const struct record *record)
{
    const char *format = record->format->format;
    size_t length = record->format->length, at = 0, done = 0, offset = 0;
    uint32_t next = 0;
    struct printf_spec spec;
    while (printf_next_spec(format, length, &at, &spec)) {
        emit(printer, format + done, spec.begin - done);
        done = spec.end;
        uint32_t size = next < record->format->num_args ? record->format->arg_sizes[next] : 0;
        if (spec.conversion == '%') {
            emit(printer, "%", 1);
        } else if (!spec.conversion || !size || size > record->size - offset) {
            emit(printer, format + spec.begin, spec.end - spec.begin);
        } else {
            print_arg(printer, &spec, record, record->data + offset, size);
            offset += align_up(size, 4);
            offset = offset < record->size ? offset : record->size;
            next++;
        }
    }
    emit(printer, format + done, length - done);
}

void clc_printf_write(const struct clc_printf_format *formats, uint32_t num_formats, const char *const *strings,
                      uint32_t num_strings, const void *records, size_t size,
                      void (*write)(void *data, const char *text, size_t length), void *data)
{
    FLOAT_ENV_DEFAULT();
    const struct printer printer = {write, data};
    const uint8_t *bytes = records;
    size_t at = 0;
    while (size - at >= HEADER) {
        uint64_t record_size = read_bits(bytes + at, 4), format = read_bits(bytes + at + 4, 4);
        if (record_size < HEADER || record_size > size - at || record_size % 4)
            return;
        if (format < num_formats) {
            const struct record record = {&formats[format], strings, num_strings, bytes + at + HEADER,
                                          (size_t)record_size - HEADER};
            print_record(&printer, &record);
        }
        at += (size_t)record_size;
    }
}
