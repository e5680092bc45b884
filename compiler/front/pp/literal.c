/* Constants: pp-numbers, characters and strings to values (C99, 6.4.4 and 6.4.5, with OpenCL C 3.0, 6.3.1: int is 32
 * and long 64 bits wide; an unsuffixed floating constant is double where the device has it; the suffix h makes a half).
 */
#include "compiler/front/pp/pp.h"

#include <string.h>

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* ---- integers ---- */

struct integer {
    struct int128 value;
    bool is_unsigned, is_long, is_long_long, decimal, overflow;
};

/* Parses u, l, ll in either order and case; false when something else is there. */
static bool integer_suffix(const char *p, const char *end, struct integer *result)
{
    bool seen_u = false, seen_l = false;
    while (p < end) {
        if ((*p == 'u' || *p == 'U') && !seen_u) {
            seen_u = true;
            p++;
        } else if ((*p == 'l' || *p == 'L') && !seen_l) {
            seen_l = true;
            result->is_long_long = p + 1 < end && p[1] == p[0];
            p += result->is_long_long ? 2 : 1;
        } else {
            return false;
        }
    }
    result->is_unsigned = seen_u;
    result->is_long = seen_l;
    return true;
}

/* Of hexadecimal digits, one more than they are worth. */
static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* 10, 0x1f or 0x1fUL, as nearly all are: no octal one, and none that might not fit. false: parse_integer() knows. */
static bool plain_integer(const struct pp_token *in, struct integer *result)
{
    const unsigned char *p = (const unsigned char *)in->text, *end = p + in->length, *first;
    uint64_t value = 0;
    bool decimal = p[0] != '0' || in->length == 1;
    if (decimal) {
        for (first = p; p < end && clc_char_class[*p] & CHAR_DIGIT; p++)
            value = value * 10 + (*p - '0');
    } else {
        if ((p[1] | 32) != 'x')
            return false;
        for (first = p += 2; p < end && hex_digits[*p]; p++)
            value = value << 4 | (hex_digits[*p] - 1u);
    }
    if (p == first || p - first > (decimal ? 18 : 16))
        return false;
    bool is_unsigned = p < end && (*p | 32) == 'u';
    p += is_unsigned;
    bool is_long = p < end && (*p | 32) == 'l';
    p += is_long;
    if (p < end)
        return false;
    *result = (struct integer){.value = {value, 0}, .decimal = decimal, .is_unsigned = is_unsigned, .is_long = is_long};
    return true;
}

void pp_wide_text(char *text, struct int128 bits, bool is_signed)
{
    char digits[WIDE_TEXT], *p = digits + sizeof(digits);
    bool negative = is_signed && int128_top_bit(bits);
    struct int128 digit;
    if (negative)
        bits = int128_negate(bits);
    *--p = '\0';
    do {
        bits = int128_divide_unsigned(bits, int128_of_unsigned(10), &digit);
        *--p = (char)('0' + (int)digit.low);
    } while (!int128_is_zero(bits));
    if (negative)
        *--p = '-';
    memcpy(text, p, (size_t)(digits + sizeof(digits) - p));
}

static const char *radix_name(unsigned radix)
{
    return radix == 2 ? "binary" : radix == 8 ? "octal" : radix == 16 ? "hexadecimal" : "decimal";
}

/* Reports what is wrong in an integer and says whether it is usable. */
static bool parse_integer(struct pp *pp, const struct pp_token *in, struct integer *result)
{
    const char *text = in->text, *end = text + in->length, *p = text;
    unsigned radix = 10;
    if (p[0] == '0' && end - p > 1) {
        radix = 8;
        if (p[1] == 'x' || p[1] == 'X')
            radix = 16;
        else if (p[1] == 'b' || p[1] == 'B')
            radix = 2;
        p += radix == 8 ? 1 : 2;
    }
    const char *first = p;
    *result = (struct integer){.decimal = radix == 10};
    for (; p < end; p++) {
        int digit = hex_value(*p);
        if (digit < 0 || (digit >= 10 && radix != 16))
            break;
        if ((unsigned)digit >= radix) {
            pp_error(pp->front, in->loc + (src_loc)(p - text), "invalid digit '%c' in %s constant", *p,
                     radix_name(radix));
            return false;
        }
        /* The product's upper word has room for the few bits that do not fit. */
        struct int128 low = int128_product(result->value.low, radix), high = int128_product(result->value.high, radix);
        struct int128 sum = int128_add(low, int128_of_unsigned((unsigned)digit));
        sum.high += high.low;
        result->overflow |= high.high != 0 || sum.high < high.low;
        result->value = sum;
    }
    if ((p == first && radix != 8) || !integer_suffix(p, end, result)) {
        if (p == first)
            p = text + 1; /* "0x" alone: x is the suffix */
        if (p < end && hex_value(*p) >= 0 && p != text + 1)
            pp_error(pp->front, in->loc + (src_loc)(p - text), "invalid digit '%c' in %s constant", *p,
                     radix_name(radix));
        else
            pp_error(pp->front, in->loc + (src_loc)(p - text), "invalid suffix '%.*s' on integer constant",
                     (int)(end - p), p);
        return false;
    }
    return true;
}

static void warn_unsigned(struct pp *pp, const struct pp_token *in)
{
    pp_warning(pp->front, DIAG_GROUP_INTEGER_TOO_LARGE, in->loc,
               "integer literal is too large to be represented in a signed integer type, interpreting as unsigned");
}

/* C99, 6.4.4.1p5: the first type of the list in which the value fits. The list ends with long long, which has 128 bits
 * in OpenCL (OpenCL C 3.0, 6.3.1 reserves it): -9223372036854775808 is the least long, as with all compilers made of
 * clang. What is written with LL and fits 64 bits is taken for a long, as Pumice has no variables of 128 bits. */
static void integer_type(struct pp *pp, const struct pp_token *in, const struct integer *integer, struct token *out)
{
    /* said; nothing more about what is left of it */
    struct int128 wide = integer->overflow ? int128_of_unsigned(1) : integer->value;
    uint64_t value = wide.low;
    bool any_unsigned = integer->is_unsigned || !integer->decimal;
    if (integer->overflow)
        pp_error(pp->front, in->loc, "integer literal is too large to be represented in any integer type");
    out->integer = value;
    out->integer_high = wide.high;
    if (!wide.high && !integer->is_long && !integer->is_unsigned && value <= INT32_MAX)
        out->literal = LITERAL_INT;
    else if (!wide.high && !integer->is_long && any_unsigned && value <= UINT32_MAX)
        out->literal = LITERAL_UINT;
    else if (!wide.high && !integer->is_unsigned && value <= INT64_MAX)
        out->literal = LITERAL_LONG;
    else if (!wide.high && any_unsigned && (integer->is_unsigned || !integer->is_long_long))
        out->literal = LITERAL_ULONG;
    else if (!integer->is_unsigned && !int128_top_bit(wide))
        out->literal = LITERAL_WIDE;
    else
        out->literal = LITERAL_UNSIGNED_WIDE;
    if (out->literal == LITERAL_UNSIGNED_WIDE && !any_unsigned)
        warn_unsigned(pp, in);
}

bool pp_literal_condition(struct pp *pp, const struct pp_token *in, struct int128 *value, bool *is_unsigned)
{
    struct integer integer;
    const char *end = in->text + in->length;
    bool hex = in->length > 1 && in->text[0] == '0' && (in->text[1] | 32) == 'x';
    for (const char *p = in->text; p < end; p++) {
        if (*p == '.' || (hex ? (*p | 32) == 'p' : (*p | 32) == 'e')) {
            pp_error(pp->front, in->loc, "floating point literal in preprocessor expression");
            return false;
        }
    }
    if (!parse_integer(pp, in, &integer))
        return false;
    *value = integer.value;
    *is_unsigned = integer.is_unsigned;
    if (integer.overflow) {
        pp_error(pp->front, in->loc, "integer literal is too large to be represented in any integer type");
        return false;
    }
    if (!integer.is_unsigned && int128_top_bit(integer.value)) {
        if (integer.decimal)
            warn_unsigned(pp, in);
        *is_unsigned = true;
    }
    return true;
}

/* ---- floating constants ---- */

static bool is_floating(const char *text, size_t length)
{
    bool hex = length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' || (hex ? (text[i] | 32) == 'p' : (text[i] | 32) == 'e'))
            return true;
    }
    /* 1f is no floating constant in C99 either: it has neither point nor exponent */
    return false;
}

/* OpenCL C 3.0, 6.3.1 and 6.1.1: the type that an unsuffixed constant has. */
static enum literal_type default_type(struct pp *pp, const struct pp_token *in)
{
    if (pp->front->options.single_precision_constant)
        return LITERAL_FLOAT;
    if (pp->has_fp64)
        return LITERAL_DOUBLE;
    pp_warning(pp->front, DIAG_GROUP_NONE, in->loc,
               "double precision constant requires cl_khr_fp64, casting to single precision");
    return LITERAL_FLOAT;
}

static const char *type_name(enum literal_type type)
{
    return type == LITERAL_HALF ? "half" : type == LITERAL_FLOAT ? "float" : "double";
}

static void report_range(struct pp *pp, const struct pp_token *in, enum literal_type type, enum float_result result)
{
    static const char *const largest[] = {"65504", "3.40282347E+38", "1.7976931348623157E+308"};
    static const char *const smallest[] = {"5.96046448E-8", "1.40129846E-45", "4.9406564584124654E-324"};
    int index = type == LITERAL_HALF ? 0 : type == LITERAL_FLOAT ? 1 : 2;
    bool over = result == FLOAT_OVERFLOW;
    pp_warning(pp->front, DIAG_GROUP_LITERAL_RANGE, in->loc,
               "magnitude of floating-point constant too %s for type '%s'; %s is %s", over ? "large" : "small",
               type_name(type), over ? "maximum" : "minimum", over ? largest[index] : smallest[index]);
}

/* Points at what is wrong with a floating constant. */
static void report_malformed(struct pp *pp, const struct pp_token *in, size_t length)
{
    const char *text = in->text, *p = text;
    bool hex = length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    bool exponent = false;
    p += hex ? 2 : 0;
    bool point = false;
    for (; p < text + length && ((*p == '.' && !point) || (hex ? hex_value(*p) >= 0 : (*p >= '0' && *p <= '9'))); p++)
        point |= *p == '.';
    src_loc loc = in->loc + (src_loc)(p - text);
    if (p < text + length && (*p | 32) == (hex ? 'p' : 'e')) {
        exponent = true;
        p++;
        p += p < text + length && (*p == '+' || *p == '-');
    }
    if (exponent && (p == text + length || *p < '0' || *p > '9')) {
        pp_error(pp->front, loc, "exponent has no digits");
        return;
    }
    if (hex && !exponent) {
        pp_error(pp->front, loc, "hexadecimal floating constant requires an exponent");
        return;
    }
    while (exponent && p < text + length && *p >= '0' && *p <= '9')
        p++;
    pp_error(pp->front, in->loc + (src_loc)(p - text), "invalid suffix '%.*s' on floating constant",
             (int)(text + in->length - p), p);
}

static void floating_constant(struct pp *pp, const struct pp_token *in, struct token *out)
{
    const char *text = in->text;
    size_t length = in->length;
    bool hex = length > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    char suffix = length ? text[length - 1] : '\0';
    out->kind = TOKEN_FLOATING;
    out->floating = 0;
    if (suffix == 'f' || suffix == 'F') {
        out->literal = LITERAL_FLOAT;
        length--;
    } else if (suffix == 'h' || suffix == 'H' ||
               (length > 3 && (!memcmp(text + length - 3, "f16", 3) || !memcmp(text + length - 3, "F16", 3)))) {
        out->literal = LITERAL_HALF;
        length -= suffix == '6' ? 3 : 1;
        if (!pp->has_fp16)
            pp_error(pp->front, in->loc, "half precision constant requires cl_khr_fp16");
    } else {
        /* l names C99's long double, which OpenCL C does not have; clang takes it for double */
        length -=
            (suffix == 'l' || suffix == 'L') && !(hex && !memchr(text, 'p', length) && !memchr(text, 'P', length));
        out->literal = default_type(pp, in);
    }
    enum float_result result = pp_literal_parse_float(text, length, out->literal, &out->floating);
    if (result == FLOAT_MALFORMED) {
        report_malformed(pp, in, length);
        out->literal = LITERAL_MALFORMED;
    } else if (result != FLOAT_FINE)
        report_range(pp, in, out->literal, result);
}

void pp_literal_number(struct pp *pp, const struct pp_token *in, struct token *out)
{
    struct integer integer;
    if (plain_integer(in, &integer)) {
        out->kind = TOKEN_INTEGER;
        integer_type(pp, in, &integer, out);
        return;
    }
    if (is_floating(in->text, in->length)) {
        floating_constant(pp, in, out);
        return;
    }
    out->kind = TOKEN_INTEGER;
    out->integer = 0;
    out->literal = LITERAL_MALFORMED;
    if (parse_integer(pp, in, &integer))
        integer_type(pp, in, &integer, out);
}

/* ---- escapes ---- */

struct escape {
    uint32_t code;
    bool is_unicode; /* a character, to be encoded; else one unit */
};

static uint32_t unicode_escape(struct pp *pp, const char **at, const char *end, src_loc loc)
{
    const char *p = *at;
    int digits = *p == 'u' ? 4 : 8;
    uint32_t code = 0;
    p++;
    for (int i = 0; i < digits; i++, p++) {
        int digit = p < end ? hex_value(*p) : -1;
        if (digit < 0) {
            pp_error(pp->front, loc, "incomplete universal character name");
            *at = p;
            return 0xfffd;
        }
        code = code << 4 | (uint32_t)digit;
    }
    *at = p;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        pp_error(pp->front, loc, "invalid universal character");
        return 0xfffd;
    }
    return code;
}

/* *at is after the backslash; limit is the largest unit. C99, 6.4.4.4. */
static struct escape read_escape(struct pp *pp, const char **at, const char *end, src_loc loc, uint32_t limit)
{
    static const char names[] = "abfnrtv\\'\"?eE", values[] = "\a\b\f\n\r\t\v\\'\"?\033\033";
    const char *p = *at;
    const char *name = *p ? strchr(names, *p) : NULL;
    struct escape escape = {0};
    if (name) {
        escape.code = (uint32_t)values[name - names];
        p++;
    } else if (*p == 'x') {
        uint64_t code = 0;
        bool overflow = false;
        if (++p == end || hex_value(*p) < 0)
            pp_error(pp->front, loc, "\\x used with no following hex digits");
        for (; p < end && hex_value(*p) >= 0; p++) {
            code = code << 4 | (uint64_t)hex_value(*p);
            overflow = overflow || code > limit;
            code &= 0xffffffff;
        }
        if (overflow)
            pp_error(pp->front, loc, "hex escape sequence out of range");
        escape.code = (uint32_t)code & limit;
    } else if (*p >= '0' && *p <= '7') {
        for (int i = 0; i < 3 && p < end && *p >= '0' && *p <= '7'; i++, p++)
            escape.code = escape.code << 3 | (uint32_t)(*p - '0');
        if (escape.code > limit)
            pp_error(pp->front, loc, "octal escape sequence out of range");
        escape.code &= limit;
    } else if (*p == 'u' || *p == 'U') {
        escape.code = unicode_escape(pp, &p, end, loc);
        escape.is_unicode = true;
    } else {
        bool printable = *p >= ' ' && *p < 0x7f;
        if (printable)
            pp_warning(pp->front, DIAG_GROUP_UNKNOWN_ESCAPE, loc, "unknown escape sequence '\\%c'", *p);
        else
            pp_warning(pp->front, DIAG_GROUP_UNKNOWN_ESCAPE, loc, "unknown escape sequence '\\x%x'", (unsigned char)*p);
        escape.code = (unsigned char)*p;
        p++;
    }
    *at = p;
    return escape;
}

/* ---- characters and strings ---- */

void pp_literal_character(struct pp *pp, const struct pp_token *in, struct token *out)
{
    bool wide = in->flags & PP_WIDE;
    const char *p = in->text + 1 + wide, *end = in->text + in->length - 1;
    uint32_t limit = wide ? UINT32_MAX : 0xff, value = 0, count = 0;
    while (p < end) {
        src_loc loc = in->loc + (src_loc)(p - in->text);
        struct escape escape = {(unsigned char)*p, false};
        uint32_t code, bytes;
        if (*p == '\\') {
            p++;
            escape = read_escape(pp, &p, end, loc, limit);
        } else if ((unsigned char)*p >= 0x80 && (bytes = pp_utf8_decode(p, end, &code)) != 0) {
            escape = (struct escape){code, true};
            p += bytes;
        } else {
            p++;
        }
        if (escape.is_unicode && escape.code > (wide ? limit : 0x7f))
            pp_error(pp->front, in->loc, "character too large for enclosing character literal type");
        value = wide ? escape.code : value << 8 | (escape.code & 0xff);
        count++;
    }
    if (count > 1 && wide)
        pp_error(pp->front, in->loc, "wide character literals may not contain multiple characters");
    else if (count > 4)
        pp_warning(pp->front, DIAG_GROUP_NONE, in->loc, "character constant too long for its type");
    else if (count > 1)
        pp_warning(pp->front, count == 4 ? DIAG_GROUP_FOUR_CHAR_CONSTANTS : DIAG_GROUP_MULTICHAR, in->loc,
                   "multi-character character constant");
    /* char is signed: a single character is converted through it */
    int32_t converted = count == 1 && !wide ? (int8_t)value : (int32_t)value;
    out->kind = TOKEN_CHARACTER;
    out->literal = LITERAL_INT;
    out->integer = (uint64_t)(int64_t)converted;
}

static void append_string(struct pp *pp, const struct pp_token *in, struct str *text)
{
    const char *p = in->text + 1, *end = in->text + in->length - 1;
    if (in->flags & PP_WIDE) {
        pp_error(pp->front, in->loc, "wide string literals are not supported in OpenCL C");
        return;
    }
    while (p < end) {
        const char *run = memchr(p, '\\', (size_t)(end - p));
        if (!run) {
            str_append(text, p, (size_t)(end - p));
            return;
        }
        str_append(text, p, (size_t)(run - p));
        p = run + 1;
        struct escape escape = read_escape(pp, &p, end, in->loc + (src_loc)(run - in->text), 0xff);
        char encoded[4] = {(char)escape.code};
        str_append(text, encoded, escape.is_unicode ? pp_utf8_encode(encoded, escape.code) : 1);
    }
}

void pp_literal_string(struct pp *pp, const struct pp_token *in, uint32_t count, struct token *out)
{
    struct str text;
    str_init(&text, pp->front->arena);
    for (uint32_t i = 0; i < count; i++)
        append_string(pp, &in[i], &text);
    if (text.length >= PP_MAX_TOKEN)
        pp_fatal(pp->front, in->loc, "string literal is too long");
    str_putc(&text, '\0');
    out->kind = TOKEN_STRING;
    out->text = text.data;
    out->length = (uint32_t)text.length;
}
