/* Reads test files: see testfile.h for the directives. */
#include "testfile.h"

#include "base/util.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    bool is_float, is_signed;
} scalars[SCALAR_COUNT] = {
    [SCALAR_CHAR] = {"char", 1, false, true},    [SCALAR_UCHAR] = {"uchar", 1, false, false},
    [SCALAR_SHORT] = {"short", 2, false, true},  [SCALAR_USHORT] = {"ushort", 2, false, false},
    [SCALAR_INT] = {"int", 4, false, true},      [SCALAR_UINT] = {"uint", 4, false, false},
    [SCALAR_LONG] = {"long", 8, false, true},    [SCALAR_ULONG] = {"ulong", 8, false, false},
    [SCALAR_HALF] = {"half", 2, true, true},     [SCALAR_FLOAT] = {"float", 4, true, true},
    [SCALAR_DOUBLE] = {"double", 8, true, true},
};

struct parser {
    const char *path;
    uint32_t line;
};

size_t scalar_size(enum scalar scalar)
{
    return scalars[scalar].size;
}

static bool bad(const struct parser *parser, const char *message, const char *what)
{
    fprintf(stderr, "%s:%u: %s '%s'\n", parser->path, parser->line, message, what);
    return false;
}

/* type: scalar [2|3|4|8|16] [ "[" count "]" ] */
static bool parse_type(const struct parser *parser, const char *text, struct test_data *data)
{
    for (int s = 0; s < SCALAR_COUNT; s++) {
        size_t length = strlen(scalars[s].name);
        if (strncmp(text, scalars[s].name, length) || isalpha((unsigned char)text[length]))
            continue;
        char *rest = (char *)text + length;
        unsigned long lanes = isdigit((unsigned char)*rest) ? strtoul(rest, &rest, 10) : 1;
        unsigned long count = 1;
        if (*rest == '[') {
            count = strtoul(rest + 1, &rest, 0);
            if (*rest++ != ']')
                return bad(parser, "expected ']' in type", text);
        }
        if (*rest || !lanes || lanes > 16 || count > 1u << 26)
            return bad(parser, "bad type", text);
        data->scalar = (enum scalar)s;
        data->lanes = lanes == 3 ? 4 : (uint32_t)lanes;
        data->count = count * data->lanes;
        return true;
    }
    return bad(parser, "unknown type", text);
}

static void store_integer(struct test_data *data, size_t index, uint64_t value)
{
    uint8_t *to = data->bytes + index * scalars[data->scalar].size;
    memcpy(to, &value, scalars[data->scalar].size); /* hosts are little-endian, as is every Vulkan device we know */
}

static void store_float(struct test_data *data, size_t index, double value)
{
    uint8_t *to = data->bytes + index * scalars[data->scalar].size;
    if (data->scalar == SCALAR_DOUBLE) {
        memcpy(to, &value, sizeof(value));
    } else if (data->scalar == SCALAR_FLOAT) {
        float narrow = (float)value;
        memcpy(to, &narrow, sizeof(narrow));
    } else {
        uint16_t narrow = half_from_double(value);
        memcpy(to, &narrow, sizeof(narrow));
    }
}

static double load_float(enum scalar scalar, const uint8_t *from)
{
    if (scalar == SCALAR_DOUBLE) {
        double value;
        memcpy(&value, from, sizeof(value));
        return value;
    }
    if (scalar == SCALAR_FLOAT) {
        float value;
        memcpy(&value, from, sizeof(value));
        return (double)value;
    }
    uint16_t bits;
    memcpy(&bits, from, sizeof(bits));
    return (double)half_to_float(bits);
}

static int64_t load_integer(enum scalar scalar, const uint8_t *from)
{
    uint64_t value = 0;
    memcpy(&value, from, scalars[scalar].size);
    unsigned shift = 64 - 8 * (unsigned)scalars[scalar].size;
    return scalars[scalar].is_signed ? (int64_t)(value << shift) >> shift : (int64_t)value;
}

/* One value of a list, or the k-th of A..B; *any for "_". */
static bool parse_number(const struct parser *parser, const char *word, struct test_data *data, size_t index,
                         int64_t add)
{
    char *end;
    errno = 0;
    if (scalars[data->scalar].is_float) {
        double value = strtod(word, &end);
        store_float(data, index, add ? value + (double)add : value); /* -0.0 + 0 would be +0 */
    } else {
        uint64_t value = word[0] == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
        store_integer(data, index, value + (uint64_t)add);
    }
    if (end == word || errno == ERANGE || (*end && *end != '*'))
        return bad(parser, "bad value", word);
    return true;
}

/* Fills data from a blank-separated list, repeated to the end. */
static bool parse_values(const struct parser *parser, char *text, struct test_data *data)
{
    size_t size = scalars[data->scalar].size, at = 0;
    data->bytes = calloc(data->count ? data->count : 1, size);
    data->any = calloc(data->count ? data->count : 1, 1);
    if (!data->bytes || !data->any)
        return bad(parser, "out of memory for", text);
    char *save, *word = strtok_r(text, " \t", &save);
    for (; word && at < data->count; word = strtok_r(NULL, " \t", &save)) {
        char *range = strstr(word, ".."), *times = strchr(word, '*');
        long repeat = times ? strtol(times + 1, NULL, 0) : 1;
        long long steps = range ? strtoll(range + 2, NULL, 0) - strtoll(word, NULL, 0) + 1 : 1;
        if (repeat < 1 || steps < 1)
            return bad(parser, "empty range", word);
        if (range)
            *range = '\0';
        for (long r = 0; r < repeat; r++) {
            for (long long s = 0; s < steps && at < data->count; s++, at++) {
                if (!strcmp(word, "_"))
                    data->any[at] = 1;
                else if (!parse_number(parser, word, data, at, s))
                    return false;
            }
        }
    }
    if (word)
        return bad(parser, "too many values at", word);
    if (!at)
        return bad(parser, "no values", "");
    for (size_t i = at; i < data->count; i++) {
        memcpy(data->bytes + i * size, data->bytes + (i - at) * size, size);
        data->any[i] = data->any[i - at];
    }
    return true;
}

static bool parse_sizes(const struct parser *parser, const char *text, size_t sizes[3], uint32_t *dimensions)
{
    int n = sscanf(text, "%zu %zu %zu", &sizes[0], &sizes[1], &sizes[2]);
    if (n < 1)
        return bad(parser, "expected 1 to 3 sizes, got", text);
    if (dimensions)
        *dimensions = (uint32_t)n;
    return true;
}

/* "text" with C's escapes \n \t \\ \" \xNN */
static bool parse_quoted(const struct parser *parser, const char *text, char *out, size_t capacity)
{
    const char *from = strchr(text, '"');
    size_t n = 0;
    for (from = from ? from + 1 : text; *from && *from != '"' && n + 1 < capacity; from++) {
        char c = *from;
        if (c == '\\' && from[1]) {
            c = *++from;
            if (c == 'x') {
                char digits[3] = {from[1], from[1] ? from[2] : '\0', '\0'};
                c = (char)strtol(digits, NULL, 16);
                from += strlen(digits);
            } else {
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
        }
        out[n++] = c;
    }
    out[n] = '\0';
    return *from == '"' || bad(parser, "expected a string in quotes, got", text);
}

static struct test_arg *find_arg(struct test_case *test, const char *name)
{
    for (uint32_t i = 0; i < test->num_args; i++) {
        if (!strcmp(test->args[i].name, name))
            return &test->args[i];
    }
    return NULL;
}

/* buffer NAME TYPE = VALUES; value NAME TYPE = VALUES; local NAME BYTES; null NAME */
static bool parse_arg(const struct parser *parser, struct test_case *test, enum test_arg_kind kind, char *text)
{
    if (test->num_args == MAX_TEST_ARGS)
        return bad(parser, "too many arguments at", text);
    struct test_arg *arg = &test->args[test->num_args++];
    arg->kind = kind;
    char type[64] = "";
    int used = 0;
    if (sscanf(text, "%63s %63s%n", arg->name, type, &used) < (kind == TEST_ARG_NULL ? 1 : 2))
        return bad(parser, "expected a name and a type, got", text);
    if (kind == TEST_ARG_NULL)
        return true;
    if (kind == TEST_ARG_LOCAL) {
        arg->local_bytes = strtoul(type, NULL, 0);
        return arg->local_bytes || bad(parser, "expected a number of bytes, got", type);
    }
    char *values = strchr(text + used, '=');
    if (!values)
        return bad(parser, "expected '=' and values after", text);
    return parse_type(parser, type, &arg->data) && parse_values(parser, values + 1, &arg->data);
}

/* expect NAME = VALUES [ulp N | abs X] */
static bool parse_expect(const struct parser *parser, struct test_case *test, char *text)
{
    char name[64];
    char *values = strchr(text, '=');
    if (sscanf(text, "%63s", name) != 1 || !values)
        return bad(parser, "expected a name, '=' and values, got", text);
    struct test_arg *arg = find_arg(test, name);
    if (!arg || arg->kind != TEST_ARG_BUFFER)
        return bad(parser, "no buffer argument named", name);
    char *ulp = strstr(values, " ulp "), *absolute = strstr(values, " abs ");
    if (ulp) {
        arg->ulp = strtod(ulp + 5, NULL);
        *ulp = '\0';
    }
    if (absolute) {
        arg->absolute = strtod(absolute + 5, NULL);
        *absolute = '\0';
    }
    arg->expected = true;
    arg->expect = arg->data;
    arg->expect.bytes = arg->expect.any = NULL;
    return parse_values(parser, values + 1, &arg->expect);
}

/* Names of several lines come together. */
static bool parse_require(const struct parser *parser, struct test_case *test, const char *names)
{
    size_t used = strlen(test->require), room = sizeof(test->require) - used;
    if ((size_t)snprintf(test->require + used, room, "%s ", names) >= room)
        return bad(parser, "too many requirements, with", names);
    return true;
}

static bool parse_directive(const struct parser *parser, struct test_case *test, char *text)
{
    char word[32];
    int used = 0;
    if (sscanf(text, " %31[a-z]%n", word, &used) != 1)
        return bad(parser, "expected a directive, got", text);
    char *rest = text + used;
    rest += *rest == ':';
    rest += strspn(rest, " \t");
    if (!strcmp(word, "kernel"))
        return snprintf(test->kernel, sizeof(test->kernel), "%s", rest) > 0;
    if (!strcmp(word, "options"))
        return snprintf(test->options, sizeof(test->options), "%s", rest) > 0;
    if (!strcmp(word, "require"))
        return parse_require(parser, test, rest);
    if (!strcmp(word, "todo"))
        return snprintf(test->todo, sizeof(test->todo), "%s", rest) > 0;
    if (!strcmp(word, "global"))
        return parse_sizes(parser, rest, test->global, &test->dimensions);
    if (!strcmp(word, "offset"))
        return test->has_offset = parse_sizes(parser, rest, test->offset, NULL);
    if (!strcmp(word, "buffer"))
        return parse_arg(parser, test, TEST_ARG_BUFFER, rest);
    if (!strcmp(word, "value"))
        return parse_arg(parser, test, TEST_ARG_VALUE, rest);
    if (!strcmp(word, "null"))
        return parse_arg(parser, test, TEST_ARG_NULL, rest);
    if (!strcmp(word, "local") && text[used] == ':')
        return test->has_local = parse_sizes(parser, rest, test->local, NULL);
    if (!strcmp(word, "local"))
        return parse_arg(parser, test, TEST_ARG_LOCAL, rest);
    if (!strcmp(word, "expect"))
        return parse_expect(parser, test, rest);
    if (!strcmp(word, "print"))
        return test->has_print = parse_quoted(parser, rest, test->print, sizeof(test->print));
    if (!strcmp(word, "build") && !strncmp(rest, "fails", 5)) {
        test->build_fails = true;
        return parse_quoted(parser, rest + 5, test->log_part, sizeof(test->log_part));
    }
    return bad(parser, "unknown directive", word);
}

static struct test_case *add_case(struct test_file *file, const struct parser *parser, const char *name)
{
    struct test_case *cases = realloc(file->cases, (file->num_cases + 1) * sizeof(*cases));
    if (!cases)
        return NULL;
    file->cases = cases;
    struct test_case *test = memset(&cases[file->num_cases++], 0, sizeof(*test));
    sscanf(name, "%63s", test->name);
    memcpy(test->kernel, test->name, sizeof(test->kernel));
    test->line = parser->line;
    test->dimensions = 1;
    for (int d = 0; d < 3; d++)
        test->global[d] = test->local[d] = 1;
    return test;
}

/* The common text, then #line and the paragraph from begin to end. */
static bool set_source(struct test_case *test, const char *text, size_t common, size_t begin, size_t end)
{
    size_t capacity = common + (end - begin) + 64;
    test->source = malloc(capacity);
    if (test->source)
        snprintf(test->source, capacity, "%.*s\n#line %u\n%.*s", (int)common, text, test->line, (int)(end - begin),
                 text + begin);
    return test->source != NULL;
}

static bool parse_text(const char *path, char *text, size_t length, struct test_file *file)
{
    struct parser parser = {path, 0};
    struct test_case *test = NULL;
    size_t common = length, begin = 0;
    char line[MAX_TEST_LINE];
    for (size_t at = 0; at < length;) {
        size_t next = at + strcspn(text + at, "\n");
        parser.line++;
        if (!strncmp(text + at, "//!", 3)) {
            snprintf(line, sizeof(line), "%.*s", (int)(next - at - 3), text + at + 3);
            char *directive = line + strspn(line, " \t");
            if (!strncmp(directive, "test:", 5)) {
                if (test && !set_source(test, text, common, begin, at))
                    return bad(&parser, "out of memory in", path);
                if (!test)
                    common = at;
                begin = at;
                test = add_case(file, &parser, directive + 5);
                if (!test)
                    return bad(&parser, "out of memory in", path);
            } else if (!test) {
                return bad(&parser, "directive before the first test:", directive);
            } else if (!parse_directive(&parser, test, directive)) {
                return false;
            }
        }
        at = next + 1;
    }
    return test && set_source(test, text, common, begin, length);
}

bool test_file_read(const char *path, struct test_file *file)
{
    memset(file, 0, sizeof(*file));
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        return false;
    }
    fseek(stream, 0, SEEK_END);
    long length = ftell(stream);
    rewind(stream);
    char *text = length >= 0 ? calloc((size_t)length + 1, 1) : NULL;
    bool ok = text && fread(text, 1, (size_t)length, stream) == (size_t)length;
    fclose(stream);
    if (ok) {
        ok = parse_text(path, text, (size_t)length, file);
        if (!file->num_cases)
            fprintf(stderr, "%s: no tests\n", path);
    }
    free(text);
    if (!ok)
        test_file_free(file);
    return ok;
}

void test_file_free(struct test_file *file)
{
    for (uint32_t i = 0; i < file->num_cases; i++) {
        struct test_case *test = &file->cases[i];
        for (uint32_t k = 0; k < test->num_args; k++) {
            free(test->args[k].data.bytes);
            free(test->args[k].data.any);
            free(test->args[k].expect.bytes);
            free(test->args[k].expect.any);
        }
        free(test->source);
    }
    free(file->cases);
    memset(file, 0, sizeof(*file));
}

/* The distance of one unit in the last place at value, in the scalar's format (subnormals included). */
static double ulp_of(enum scalar scalar, double value)
{
    int digits = scalar == SCALAR_DOUBLE ? 53 : scalar == SCALAR_FLOAT ? 24 : 11;
    int lowest = scalar == SCALAR_DOUBLE ? -1022 : scalar == SCALAR_FLOAT ? -126 : -14;
    int exponent = value != 0.0 ? ilogb(value) : lowest;
    return ldexp(1.0, (exponent < lowest ? lowest : exponent) - digits + 1);
}

static bool floats_match(const struct test_arg *arg, enum scalar scalar, double expected, double actual)
{
    if (isnan(expected) || isnan(actual))
        return isnan(expected) && isnan(actual);
    if (expected == actual)
        return arg->ulp > 0.0 || arg->absolute > 0.0 || signbit(expected) == signbit(actual);
    double difference = fabs(expected - actual);
    return difference <= arg->absolute || difference <= arg->ulp * ulp_of(scalar, expected);
}

size_t test_data_compare(const struct test_arg *arg, const uint8_t *actual, const char *prefix)
{
    const struct test_data *expect = &arg->expect;
    size_t size = scalars[expect->scalar].size, wrong = 0;
    for (size_t i = 0; i < expect->count; i++) {
        const uint8_t *want = expect->bytes + i * size, *got = actual + i * size;
        if (expect->any[i] || !memcmp(want, got, size))
            continue;
        if (!scalars[expect->scalar].is_float) {
            if (wrong++ < 5)
                printf("%s%s[%zu]: expected %" PRId64 ", got %" PRId64 "\n", prefix, arg->name, i,
                       load_integer(expect->scalar, want), load_integer(expect->scalar, got));
            continue;
        }
        double a = load_float(expect->scalar, want), b = load_float(expect->scalar, got);
        if (!floats_match(arg, expect->scalar, a, b) && wrong++ < 5)
            printf("%s%s[%zu]: expected %.17g (%a), got %.17g (%a)\n", prefix, arg->name, i, a, a, b, b);
    }
    return wrong;
}
