/* clc_printf_write(): formats, and damaged buffers. OpenCL C 3.0, 6.15.14. */
#include "compiler/clc.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

struct output {
    char text[4096];
    size_t length;
};

static void collect(void *data, const char *text, size_t length)
{
    struct output *out = data;
    if (length > sizeof(out->text) - 1 - out->length)
        length = sizeof(out->text) - 1 - out->length;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = 0;
}

static void check_string(int line, const char *expected, const char *got)
{
    if (!strcmp(expected, got))
        return;
    fprintf(stderr, "%s:%d: expected \"%s\", got \"%s\"\n", __FILE__, line, expected, got);
    test_failures++;
}

static const char *const strings[] = {"one", "two words"};

/* One record with the given argument bytes. */
static const char *print(struct output *out, const char *format, uint32_t num_args, const uint8_t *sizes,
                         const void *args, size_t size)
{
    const struct clc_printf_format formats[] = {{format, (uint32_t)strlen(format), num_args, sizes}};
    uint32_t record[64] = {(uint32_t)(8 + size), 0};
    memcpy(record + 2, args, size);
    *out = (struct output){0};
    clc_printf_write(formats, 1, strings, 2, record, 8 + size, collect, out);
    return out->text;
}

static void test_integers(void)
{
    struct output out;
    const int32_t minus = -1;
    const uint8_t four[] = {4}, eight[] = {8};
    check_string(__LINE__, "-1", print(&out, "%d", 1, four, &minus, 4));
    check_string(__LINE__, "4294967295", print(&out, "%u", 1, four, &minus, 4));
    check_string(__LINE__, "255", print(&out, "%hhu", 1, four, &minus, 4));
    check_string(__LINE__, "ffff", print(&out, "%hx", 1, four, &minus, 4));
    check_string(__LINE__, "[ -1]", print(&out, "[%3i]", 1, four, &minus, 4));
    check_string(__LINE__, "[-01  ]", print(&out, "[%-5.2d]", 1, four, &minus, 4));
    const int64_t wide = -5000000000;
    check_string(__LINE__, "-5000000000", print(&out, "%ld", 1, eight, &wide, 8));
    check_string(__LINE__, "0x1p+0", print(&out, "%a", 1, eight, (const double[]){1.0}, 8));
}

static void test_floats(void)
{
    struct output out;
    const uint8_t four[] = {4}, eight[] = {8};
    const float single = 1.5f;
    const double pair = -0.125;
    check_string(__LINE__, "1.500000", print(&out, "%f", 1, four, &single, 4));
    check_string(__LINE__, "-1.25e-01", print(&out, "%.2e", 1, eight, &pair, 8));
    check_string(__LINE__, "+1.5", print(&out, "%+g", 1, four, &single, 4));
    const uint32_t nan = 0x7fc00000u, minus_nan = 0xffc00000u;
    check_string(__LINE__, "[  nan]", print(&out, "[%05f]", 1, four, &nan, 4));
    check_string(__LINE__, "[-nan  ]", print(&out, "[%-6.1e]", 1, four, &minus_nan, 4));
    check_string(__LINE__, "+nan", print(&out, "%+g", 1, four, &nan, 4));
    check_string(__LINE__, " NAN", print(&out, "% A", 1, four, &nan, 4));
    check_string(__LINE__, "-NAN", print(&out, "%+F", 1, four, &minus_nan, 4));
}

static void test_vectors(void)
{
    struct output out;
    const float lanes[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    const uint32_t bytes[3] = {0xff, 0x01, 0x80};
    const uint8_t sixteen[] = {16}, twelve[] = {12};
    check_string(__LINE__, "f4 = 1.00,2.00,3.00,4.00\n", print(&out, "f4 = %2.2v4hlf\n", 1, sixteen, lanes, 16));
    check_string(__LINE__, "-1,1,-128", print(&out, "%v3hhd", 1, twelve, bytes, 12));
    check_string(__LINE__, "0xff,0x1,0x80", print(&out, "%#v3hhx", 1, twelve, bytes, 12));
}

static void test_other(void)
{
    struct output out;
    const uint8_t sizes[] = {4, 4, 8};
    const uint32_t words[] = {1, 'x', 0x1000, 0};
    check_string(__LINE__, "two words x 0x1000 100%", print(&out, "%s %c %p 100%%", 3, sizes, words, 16));
    const uint32_t wrong = 7;
    check_string(__LINE__, "(null)", print(&out, "%s", 1, sizes, &wrong, 4));
    check_string(__LINE__, "[two ]", print(&out, "[%-4.3s]", 1, sizes, &words[0], 4));
}

/* What does not fit is printed as it stands, and nothing is read beyond the buffer. */
static void test_damage(void)
{
    struct output out;
    const uint8_t sizes[] = {4, 8};
    const uint32_t word = 3;
    check_string(__LINE__, "3 %d", print(&out, "%d %d", 1, sizes, &word, 4));
    check_string(__LINE__, "3 %ld", print(&out, "%d %ld", 2, sizes, &word, 4));
    check_string(__LINE__, "%", print(&out, "%", 0, NULL, "", 0));
    check_string(__LINE__, "%q 3", print(&out, "%q %d", 1, sizes, &word, 4));
    check_string(__LINE__, "%v5d", print(&out, "%v5d", 1, sizes, &word, 4));
    const struct clc_printf_format format = {"%d", 2, 1, sizes};
    const uint32_t records[] = {12, 9, 1, 0xfffffff0, 0, 1};
    out = (struct output){0};
    clc_printf_write(&format, 1, NULL, 0, records, sizeof(records), collect, &out);
    check_string(__LINE__, "", out.text);
    for (size_t size = 0; size < sizeof(records); size++)
        clc_printf_write(&format, 1, NULL, 0, records, size, collect, &out);
}

int main(void)
{
    test_integers();
    test_floats();
    test_vectors();
    test_other();
    test_damage();
    return test_result();
}
