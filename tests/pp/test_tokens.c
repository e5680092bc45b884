/* Tokens as the parser gets them: kinds, types and values of literals (C99, 6.4; OpenCL C 3.0, 6.3.1), and that the
 * sorted table of predefined macros is sorted. */
#include "base/util.h"
#include "compiler/front/pp/front.h"
#include "tests/support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct literal_test {
    const char *source;
    enum token_kind kind;
    enum literal_type type;
    double floating;
    uint64_t integer;
    const char *message; /* in the log; NULL: the log is empty */
};

static const struct literal_test literals[] = {
#define INTEGER(source, type, value)                                                                                   \
    {                                                                                                                  \
        source, TOKEN_INTEGER, LITERAL_##type, 0, value, NULL                                                          \
    }
#define FLOATING(source, type, value)                                                                                  \
    {                                                                                                                  \
        source, TOKEN_FLOATING, LITERAL_##type, value, 0, NULL                                                         \
    }
#define CHARACTER(source, value)                                                                                       \
    {                                                                                                                  \
        source, TOKEN_CHARACTER, LITERAL_INT, 0, (uint64_t)(int64_t)(value), NULL                                      \
    }
    INTEGER("0", INT, 0),
    INTEGER("2147483647", INT, 2147483647),
    INTEGER("2147483648", LONG, 2147483648u),
    INTEGER("2147483648u", UINT, 2147483648u),
    INTEGER("4294967295U", UINT, 4294967295u),
    INTEGER("4294967296u", ULONG, 4294967296u),
    INTEGER("0x7fffffff", INT, 0x7fffffff),
    INTEGER("0x80000000", UINT, 0x80000000u),
    INTEGER("0xffffffff", UINT, 0xffffffffu),
    INTEGER("0x100000000", LONG, 0x100000000),
    INTEGER("0x8000000000000000", ULONG, 0x8000000000000000u),
    INTEGER("0377", INT, 255),
    INTEGER("037777777777", UINT, 0xffffffffu),
    INTEGER("0b101", INT, 5),
    INTEGER("0B1", INT, 1),
    INTEGER("1l", LONG, 1),
    INTEGER("1L", LONG, 1),
    INTEGER("1ul", ULONG, 1),
    INTEGER("1LU", ULONG, 1),
    INTEGER("1ll", LONG, 1),
    INTEGER("1ULL", ULONG, 1),
    INTEGER("0xffffffffffffffffUL", ULONG, UINT64_MAX),
    INTEGER("9223372036854775808", WIDE, 9223372036854775808u),
    INTEGER("9223372036854775808u", ULONG, 9223372036854775808u),
    INTEGER("9223372036854775808L", WIDE, 9223372036854775808u),
    INTEGER("0x8000000000000000LL", WIDE, 9223372036854775808u),
    INTEGER("18446744073709551617", WIDE, 1),
    INTEGER("18446744073709551618ul", UNSIGNED_WIDE, 2),
    INTEGER("0x80000000000000000000000000000003", UNSIGNED_WIDE, 3),
    {"170141183460469231731687303715884105732", TOKEN_INTEGER, LITERAL_UNSIGNED_WIDE, 0, 4, "interpreting as unsigned"},
    {"340282366920938463463374607431768211456", TOKEN_INTEGER, LITERAL_INT, 0, 0,
     "too large to be represented in any integer type"},
    {"089", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid digit '8' in octal constant"},
    {"0b12", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid digit '2' in binary constant"},
    {"1lul", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid suffix 'lul' on integer constant"},
    {"1lL", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid suffix 'lL' on integer constant"},
    {"0x", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid suffix 'x' on integer constant"},
    {"12foo", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid digit 'f' in decimal constant"},
    {"1_000", TOKEN_INTEGER, LITERAL_MALFORMED, 0, 0, "invalid suffix '_000' on integer constant"},
    FLOATING("1.0", DOUBLE, 1),
    FLOATING("1.", DOUBLE, 1),
    FLOATING(".5e1", DOUBLE, 5),
    FLOATING("1e-3", DOUBLE, 1e-3),
    FLOATING("1.0f", FLOAT, 1),
    FLOATING("0.1f", FLOAT, 0.1f),
    FLOATING("0.1h", HALF, 0.0999755859375),
    FLOATING("1e3H", HALF, 1000),
    FLOATING("0x1.8p1", DOUBLE, 3),
    FLOATING("0x1.fffffep127f", FLOAT, FLT_MAX),
    FLOATING("0x.1p+4", DOUBLE, 1),
    FLOATING("0x1p-149f", FLOAT, 0x1p-149),
    FLOATING("0x1p-1074", DOUBLE, 0x1p-1074),
    FLOATING("3.14159265358979323846264338327950288f", FLOAT, 3.14159265358979323846264338327950288f),
    FLOATING("1.7976931348623157e308", DOUBLE, DBL_MAX),
    FLOATING("16777217.0f", FLOAT, 16777216),
    FLOATING("16777217.00000000000000000000000000001f", FLOAT, 16777218),
    FLOATING("65519.99h", HALF, 65504),
    FLOATING("00.00", DOUBLE, 0),
    FLOATING("0e999999999999", DOUBLE, 0),
    {"1e40f", TOKEN_FLOATING, LITERAL_FLOAT, INFINITY, 0, "too large for type 'float'"},
    {"65520.0h", TOKEN_FLOATING, LITERAL_HALF, INFINITY, 0, "too large for type 'half'"},
    {"1e-60f", TOKEN_FLOATING, LITERAL_FLOAT, 0, 0, "too small for type 'float'"},
    {"1e", TOKEN_FLOATING, LITERAL_MALFORMED, 0, 0, "exponent has no digits"},
    {"0x1.0", TOKEN_FLOATING, LITERAL_MALFORMED, 0, 0, "hexadecimal floating constant requires an exponent"},
    {"1.0q", TOKEN_FLOATING, LITERAL_MALFORMED, 0, 0, "invalid suffix 'q' on floating constant"},
    {"1.2.3", TOKEN_FLOATING, LITERAL_MALFORMED, 0, 0, "invalid suffix '.3' on floating constant"},
    CHARACTER("'a'", 'a'),
    CHARACTER("'\\n'", '\n'),
    CHARACTER("'\\''", '\''),
    CHARACTER("'\\0'", 0),
    CHARACTER("'\\x41'", 0x41),
    CHARACTER("'\\377'", -1),
    CHARACTER("'\\xff'", -1),
    CHARACTER("L'\\xff'", 255),
    {"'ab'", TOKEN_CHARACTER, LITERAL_INT, 0, 'a' << 8 | 'b', "multi-character"},
    {"'\\400'", TOKEN_CHARACTER, LITERAL_INT, 0, 0, "octal escape sequence out of range"},
    {"'\\x100'", TOKEN_CHARACTER, LITERAL_INT, 0, 0, "hex escape sequence out of range"},
    {"'\\q'", TOKEN_CHARACTER, LITERAL_INT, 0, 'q', "unknown escape sequence '\\q'"},
    {"'\xc3\xa9'", TOKEN_CHARACTER, LITERAL_INT, 0, (uint64_t)(int64_t)-23, "character too large"},
    {"''", TOKEN_UNKNOWN, LITERAL_INT, 0, 0, "empty character constant"},
    {"\"abc", TOKEN_UNKNOWN, LITERAL_INT, 0, 0, "missing terminating '\"' character"},
    {"@", TOKEN_UNKNOWN, LITERAL_INT, 0, 0, NULL},
};

struct collected {
    struct token tokens[16];
    char text[16][64]; /* of strings and pragmas */
    uint32_t count;
};

static void collect(struct clc_front *front, void *data)
{
    struct collected *collected = data;
    struct token token;
    do {
        pp_next(front, &token);
        if (collected->count == 16)
            return;
        if (token.kind == TOKEN_STRING || token.kind == TOKEN_PRAGMA)
            memcpy(collected->text[collected->count], token.text, token.length < 63 ? token.length : 63);
        collected->tokens[collected->count++] = token;
    } while (token.kind != TOKEN_END);
}

static enum clc_result tokens_of(const char *source, const char *options, struct clc_target *target,
                                 struct collected *collected, char **log)
{
    struct clc_compile_args args = {.strings = &source, .num_strings = 1, .options = options, .target = target};
    memset(collected, 0, sizeof(*collected));
    return pp_front_run(&args, collect, collected, log);
}

static void test_literals(void)
{
    struct clc_target target;
    clc_target_default(&target);
    for (size_t i = 0; i < ARRAY_LENGTH(literals); i++) {
        const struct literal_test *test = &literals[i];
        struct collected got;
        char *log;
        tokens_of(test->source, "", &target, &got, &log);
        const struct token *token = &got.tokens[0];
        bool right = got.count == 2 && token->kind == test->kind && token->literal == test->type &&
                     (test->message ? strstr(log, test->message) != NULL : !*log);
        if (right && test->kind == TOKEN_FLOATING && (!test->message || strstr(test->message, "too")))
            right = token->floating == test->floating;
        if (right && (test->kind == TOKEN_INTEGER || test->kind == TOKEN_CHARACTER) && !strstr(log, "error:"))
            right = token->integer == test->integer;
        if (!right)
            printf("%s: kind %s, type %d, integer %llu, floating %a, log %s\n", test->source,
                   pp_token_name(token->kind), token->literal, (unsigned long long)token->integer, token->floating,
                   log);
        CHECK(right);
        free(log);
    }
}

static void test_device_types(void)
{
    struct clc_target target;
    struct collected got;
    char *log;
    clc_target_default(&target);
    tokens_of("1.0 0.1", "-cl-single-precision-constant", &target, &got, &log);
    CHECK(got.tokens[0].literal == LITERAL_FLOAT && got.tokens[1].floating == 0.1f && !*log);
    free(log);
    target.extensions = target.features = "";
    CHECK(tokens_of("0.1", "", &target, &got, &log) == CLC_SUCCESS);
    CHECK(got.tokens[0].literal == LITERAL_FLOAT && strstr(log, "casting to single precision"));
    free(log);
    CHECK(tokens_of("1.0h", "", &target, &got, &log) == CLC_FAILED && strstr(log, "requires cl_khr_fp16"));
    free(log);
}

static void test_strings(void)
{
    struct clc_target target;
    struct collected got;
    char *log;
    clc_target_default(&target);
    tokens_of("\"a\\tb\" \"c\\0d\" \"\\x41\\102\" ; \"\\u00e9\" L\"x\"", "", &target, &got, &log);
    CHECK(got.tokens[0].kind == TOKEN_STRING && got.tokens[0].length == 9);
    CHECK(memcmp(got.text[0], "a\tbc\0dAB", 9) == 0);
    CHECK(got.tokens[1].kind == TOKEN_SEMICOLON && got.tokens[2].kind == TOKEN_STRING);
    CHECK(strcmp(got.text[2], "\xc3\xa9") == 0 && strstr(log, "wide string literals"));
    free(log);
}

static void test_words(void)
{
    struct clc_target target;
    struct collected got;
    char *log;
    clc_target_default(&target);
    tokens_of("kernel __kernel pipe generic foo _Bool\n#pragma OPENCL  EXTENSION all :disable\nuchar", "", &target,
              &got, &log);
    CHECK(got.tokens[0].kind == TOKEN_KERNEL && got.tokens[1].kind == TOKEN_KERNEL);
    CHECK(got.tokens[2].kind == TOKEN_IDENTIFIER && got.tokens[3].kind == TOKEN_IDENTIFIER);
    CHECK(got.tokens[5].kind == TOKEN_BOOL && got.tokens[6].kind == TOKEN_PRAGMA);
    CHECK(strcmp(got.text[6], "OPENCL EXTENSION all :disable") == 0 && got.tokens[7].kind == TOKEN_IDENTIFIER);
    CHECK(got.tokens[1].space_before && !got.tokens[1].at_line_start && got.tokens[7].at_line_start);
    CHECK(got.tokens[0].end == got.tokens[0].loc + 6);
    free(log);
    tokens_of("pipe generic", "-cl-std=CL2.0", &target, &got, &log);
    CHECK(got.tokens[0].kind == TOKEN_PIPE && got.tokens[1].kind == TOKEN_GENERIC && got.tokens[2].kind == TOKEN_END);
    free(log);
}

static void test_predefined_order(void)
{
    static const char *const names[] = {
#define PREDEFINED(name, parameters, value, condition) name,
#include "compiler/front/pp/predefined.def"
#undef PREDEFINED
    };
    for (size_t i = 1; i < ARRAY_LENGTH(names); i++)
        CHECK(strcmp(names[i - 1], names[i]) < 0);
}

static void test_sources(void)
{
    const char *strings[] = {"int a; in", "t b;garbage", ""};
    size_t lengths[] = {0, 4, 0};
    struct clc_target target;
    struct collected got = {0};
    char *log;
    clc_target_default(&target);
    struct clc_compile_args args = {.strings = strings, .lengths = lengths, .num_strings = 3, .target = &target};
    CHECK(pp_front_run(&args, collect, &got, &log) == CLC_SUCCESS);
    CHECK(got.count == 7 && got.tokens[3].kind == TOKEN_INT);
    free(log);
    args.num_strings = 0;
    got.count = 0;
    CHECK(pp_front_run(&args, collect, &got, NULL) == CLC_SUCCESS && got.count == 1);
}

static void test_options(void)
{
    static const struct {
        const char *options;
        bool link, right;
    } tests[] = {
        {"", false, true},
        {NULL, false, true},
        {"  -cl-mad-enable\t-w ", false, true},
        {"-D", false, false},
        {"-D 1x", false, false},
        {"-D=3", false, false},
        {"-D-X", false, false},
        {"-DX,Y", false, true},
        {"-DX.Y=3 -UX-Y", false, true},
        {"-D 'X\nY=2'", false, false},
        {"-DX='2\n3'", false, true},
        {"-I", false, false},
        {"-I . -I\"a b\"", false, true},
        {"-create-library", false, false},
        {"-create-library -enable-link-options", true, true},
        {"-enable-link-options", true, false},
        {"-cl-std=CL1.2", true, false},
        {"-cl-fast-relaxed-math", true, true},
        {"-cl-std=", false, false},
        {"-cl-std=CL3.0", false, true},
        {"garbage", false, false},
        {"-DX='", false, false},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(tests); i++) {
        char *message;
        enum clc_result result = clc_check_options(tests[i].options, tests[i].link, &message);
        CHECK(result == (tests[i].right ? CLC_SUCCESS : CLC_INVALID_OPTIONS));
        CHECK((message != NULL) == !tests[i].right);
        free(message);
    }
}

int main(void)
{
    test_literals();
    test_device_types();
    test_strings();
    test_words();
    test_predefined_order();
    test_sources();
    test_options();
    return test_result();
}
