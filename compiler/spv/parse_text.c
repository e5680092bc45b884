/* Reading text in the syntax of spirv-as, for tests and for modules written by hand. The text becomes a binary, which
 * then goes the way of all binaries (spv_read), so that nothing about modules is known here beyond the grammar.
 *
 *   line    = [ "%" name "=" ] "Op" name { operand } | ";" comment
 *   operand = "%" name | number | string | enumerant { "|" enumerant } | "!" integer
 *
 * %12 keeps its number; named ids get numbers above all of those. "; Version: 1.4" sets the version (1.6 without). */
#include "grammar.h"

#include "base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct token {
    const char *text; /* without the quotes of a string */
    uint32_t length;
    bool is_string;
};

struct value_type {
    uint16_t op; /* of a type: OpTypeInt, OpTypeFloat */
    uint32_t width, is_signed;
    spv_id type; /* of a value */
};

struct parser {
    struct arena *arena;
    const char *at;
    uint32_t line;
    VEC(struct token) tokens; /* of the line */
    VEC(uint32_t) words;
    struct str_map names;
    uint32_t next_id;     /* for names */
    struct u64_map types; /* id -> struct value_type */
    spv_id opencl, glsl, private_set;
    const char *error;
};

enum { MAX_NUMERIC_ID = 1 << 20 };

static bool fail(struct parser *parser, const char *what, const struct token *token)
{
    if (!parser->error && token)
        parser->error =
            arena_printf(parser->arena, "line %u: %s: %.*s", parser->line, what, (int)token->length, token->text);
    else if (!parser->error)
        parser->error = arena_printf(parser->arena, "line %u: %s", parser->line, what);
    return false;
}

/* ---- tokens ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void scan_string(struct parser *parser)
{
    struct str text;
    str_init(&text, parser->arena);
    for (parser->at++; *parser->at && *parser->at != '"'; parser->at++) {
        if (*parser->at == '\\' && parser->at[1])
            parser->at++;
        parser->line += *parser->at == '\n';
        str_putc(&text, *parser->at);
    }
    if (*parser->at)
        parser->at++;
    else
        fail(parser, "a string does not end", NULL);
    vec_push(parser->arena, &parser->tokens, (struct token){str_text(&text), (uint32_t)text.length, true});
}

/* The tokens of the next line; false at the end of the text. */
static bool scan_line(struct parser *parser)
{
    parser->tokens.length = 0;
    parser->line++;
    if (!*parser->at)
        return false;
    while (*parser->at && *parser->at != '\n' && !parser->error) {
        const char *start = parser->at;
        if (is_space(*start)) {
            parser->at++;
        } else if (*start == ';') {
            parser->at += strcspn(start, "\n");
        } else if (*start == '"') {
            scan_string(parser);
        } else {
            parser->at += strcspn(start, " \t\r\n;\"");
            struct token token = {start, (uint32_t)(parser->at - start), false};
            vec_push(parser->arena, &parser->tokens, token);
        }
    }
    if (*parser->at)
        parser->at++;
    return true;
}

static bool token_is(const struct token *token, const char *text)
{
    return !token->is_string && token->length == strlen(text) && !memcmp(token->text, text, token->length);
}

/* ---- ids ---- */

static spv_id numeric_id(const struct token *token)
{
    uint32_t id = 0;
    for (uint32_t i = 1; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '9' || id > MAX_NUMERIC_ID)
            return 0;
        id = id * 10 + (uint32_t)(token->text[i] - '0');
    }
    return id <= MAX_NUMERIC_ID ? id : 0;
}

static spv_id token_id(struct parser *parser, const struct token *token)
{
    if (token->is_string || token->length < 2 || token->text[0] != '%') {
        fail(parser, "expected an id", token);
        return 0;
    }
    spv_id id = numeric_id(token);
    if (id)
        return id;
    id = (spv_id)(uintptr_t)str_map_get(&parser->names, token->text, token->length);
    if (!id) {
        id = parser->next_id++;
        str_map_set(parser->arena, &parser->names, token->text, token->length, (void *)(uintptr_t)id);
    }
    return id;
}

/* ---- numbers ---- */

static const struct value_type *type_of(const struct parser *parser, spv_id id)
{
    return u64_map_get(&parser->types, id);
}

static const char *copy_token(struct parser *parser, const struct token *token)
{
    return arena_strndup(parser->arena, token->text, token->length);
}

static bool parse_integer(struct parser *parser, const struct token *token, uint64_t *value)
{
    const char *text = copy_token(parser, token);
    char *end;
    errno = 0;
    *value = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (token->is_string || end == text || *end || errno)
        return fail(parser, "expected an integer", token);
    return true;
}

/* Hexadecimal floats with the exponent just above the largest are infinity and NaN: 0x1p+128, 0x1.8p+128. */
static bool parse_special_float(const char *text, int bias, int exponent_bits, int fraction_bits, uint64_t *bits)
{
    bool negative = text[0] == '-';
    text += negative;
    const char *exponent = strchr(text, 'p');
    if (strncmp(text, "0x1", 3) != 0 || !exponent || strtol(exponent + 1, NULL, 10) != bias + 1)
        return false;
    uint64_t fraction = 0;
    int shift = 0;
    for (const char *c = text[3] == '.' ? text + 4 : exponent; c < exponent && shift < 52; c++, shift += 4) {
        const char digit[] = {*c, '\0'};
        fraction = fraction << 4 | strtoull(digit, NULL, 16);
    }
    fraction = shift > fraction_bits ? fraction >> (shift - fraction_bits) : fraction << (fraction_bits - shift);
    *bits = (uint64_t)negative << (exponent_bits + fraction_bits) |
            (((uint64_t)1 << exponent_bits) - 1) << fraction_bits | fraction;
    return true;
}

static bool parse_float(struct parser *parser, const struct token *token, uint32_t width, uint64_t *bits)
{
    const char *text = copy_token(parser, token);
    char *end;
    double value = strtod(text, &end);
    if (token->is_string || end == text || *end)
        return fail(parser, "expected a number", token);
    if (width == 64) {
        if (!parse_special_float(text, 1023, 11, 52, bits))
            memcpy(bits, &value, sizeof(value));
    } else if (width == 32) {
        float narrow = strtof(text, NULL);
        uint32_t word;
        memcpy(&word, &narrow, sizeof(word));
        if (!parse_special_float(text, 127, 8, 23, bits))
            *bits = word;
    } else if (!parse_special_float(text, 15, 5, 10, bits)) {
        *bits = half_from_double(value);
    }
    return true;
}

/* A literal of a type, in one or two words. */
static bool emit_number(struct parser *parser, const struct token *token, spv_id type)
{
    const struct value_type *known = type_of(parser, type);
    uint64_t bits = 0;
    if (!known || !known->op)
        return fail(parser, "a number of a type that is not known", token);
    if (known->op == SpvOpTypeFloat ? !parse_float(parser, token, known->width, &bits)
                                    : !parse_integer(parser, token, &bits))
        return false;
    if (known->op == SpvOpTypeInt && !known->is_signed && known->width < 32)
        bits &= ((uint64_t)1 << known->width) - 1;
    vec_push(parser->arena, &parser->words, (uint32_t)bits);
    if (known->width > 32)
        vec_push(parser->arena, &parser->words, (uint32_t)(bits >> 32));
    return true;
}

/* ---- operands ---- */

static bool parse_enumerants(struct parser *parser, const struct token *token, uint8_t kind, uint32_t *value)
{
    const char *text = token->text, *end = text + token->length;
    bool bits = spv_grammar_category(kind) == SPV_CATEGORY_BIT_ENUM;
    *value = 0;
    while (text < end) {
        const char *stop = bits ? memchr(text, '|', (size_t)(end - text)) : NULL;
        size_t length = (size_t)((stop ? stop : end) - text);
        const struct spv_grammar_enumerant *enumerant = spv_grammar_enumerant_by_name(kind, text, length);
        uint64_t number;
        if (enumerant)
            *value |= enumerant->value;
        else if (bits || text[0] < '0' || text[0] > '9' || !parse_integer(parser, token, &number))
            return fail(parser, "unknown value", token);
        else
            *value = (uint32_t)number;
        text += length + !!stop;
    }
    return true;
}

static uint32_t ext_set_of(const struct parser *parser, spv_id set)
{
    return !set                         ? SPV_EXT_SET_OTHER
           : set == parser->opencl      ? SPV_EXT_SET_OPENCL
           : set == parser->glsl        ? SPV_EXT_SET_GLSL
           : set == parser->private_set ? SPV_EXT_SET_PRIVATE
                                        : SPV_EXT_SET_OTHER;
}

static void emit_string(struct parser *parser, const struct token *token)
{
    uint32_t first = parser->words.length, count = token->length / 4 + 1;
    for (uint32_t i = 0; i < count; i++)
        vec_push(parser->arena, &parser->words, 0);
    for (uint32_t i = 0; i < token->length; i++)
        parser->words.data[first + i / 4] |= (uint32_t)(unsigned char)token->text[i] << i % 4 * 8;
}

/* One operand; *value gets its first word, which may decide what follows. start: where the instruction's operands
 * begin. */
static bool parse_operand(struct parser *parser, const struct token *token, uint8_t kind, spv_id type, uint32_t start,
                          uint32_t *value)
{
    uint64_t number = 0;
    uint32_t *first = parser->words.data + start;
    const struct spv_grammar_op *row;
    switch (spv_grammar_category(kind)) {
    case SPV_CATEGORY_ID:
        *value = token_id(parser, token);
        break;
    case SPV_CATEGORY_STRING:
        if (!token->is_string)
            return fail(parser, "expected a string", token);
        emit_string(parser, token);
        return true;
    case SPV_CATEGORY_NUMBER:
        return emit_number(parser, token, type);
    case SPV_CATEGORY_SWITCH_LITERAL: {
        const struct value_type *selector = type_of(parser, first[0]);
        return emit_number(parser, token, selector ? selector->type : 0);
    }
    case SPV_CATEGORY_EXT_INST:
        row = spv_grammar_ext_by_name(ext_set_of(parser, first[0]), token->text, token->length);
        if (!row && !parse_integer(parser, token, &number))
            return false;
        *value = row ? row->op : (uint32_t)number;
        break;
    case SPV_CATEGORY_SPEC_OP:
        row = spv_grammar_op_by_name(arena_printf(parser->arena, "Op%.*s", (int)token->length, token->text),
                                     token->length + 2);
        if (!row)
            return fail(parser, "unknown operation", token);
        *value = row->op;
        break;
    case SPV_CATEGORY_VALUE_ENUM:
    case SPV_CATEGORY_BIT_ENUM:
        if (!parse_enumerants(parser, token, kind, value))
            return false;
        break;
    default:
        if (!parse_integer(parser, token, &number))
            return false;
        *value = (uint32_t)number;
        break;
    }
    vec_push(parser->arena, &parser->words, *value);
    return !parser->error;
}

static bool parse_operands(struct parser *parser, const struct spv_grammar_op *op, uint32_t token, spv_id type)
{
    struct spv_operand_walk walk;
    uint32_t start = parser->words.length;
    spv_walk_start(&walk, op);
    for (; token < parser->tokens.length; token++) {
        const struct token *text = &parser->tokens.data[token];
        bool required;
        uint8_t kind = spv_walk_kind(&walk, &required);
        if (!text->is_string && text->text[0] == '!') {
            uint64_t word;
            struct token digits = {text->text + 1, text->length - 1, false};
            if (!parse_integer(parser, &digits, &word))
                return false;
            vec_push(parser->arena, &parser->words, (uint32_t)word);
            if (kind)
                spv_walk_take(&walk, (uint32_t)word, SPV_EXT_SET_OTHER);
            continue;
        }
        if (!kind)
            return fail(parser, "too many operands", text);
        uint32_t value = 0, first = 0;
        if (!parse_operand(parser, text, kind, type, start, &value))
            return false;
        if (parser->words.length > start)
            first = parser->words.data[start];
        if (!spv_walk_take(&walk, value, ext_set_of(parser, first)))
            return fail(parser, "unknown value", text);
    }
    return true;
}

/* ---- instructions ---- */

/* Remembers what later lines need: number types, types of values, sets. */
static void remember(struct parser *parser, uint16_t op, spv_id type, spv_id id, const uint32_t *words, uint32_t count)
{
    struct value_type *known = arena_new(parser->arena, struct value_type);
    known->type = type;
    if (op == SpvOpTypeInt && count == 2)
        *known = (struct value_type){op, words[0], words[1], 0};
    else if (op == SpvOpTypeFloat && count == 1)
        *known = (struct value_type){op, words[0], 0, 0};
    else if (op == SpvOpTypeFloat && count == 2) /* of another encoding: numbers are bits */
        *known = (struct value_type){SpvOpTypeInt, words[0], 0, 0};
    u64_map_set(parser->arena, &parser->types, id, known);
    if (op != SpvOpExtInstImport)
        return;
    if (!strcmp((const char *)words, "OpenCL.std"))
        parser->opencl = id;
    else if (!strcmp((const char *)words, "GLSL.std.450"))
        parser->glsl = id;
    else if (!strcmp((const char *)words, SPV_PRIVATE_SET))
        parser->private_set = id;
}

static void parse_line(struct parser *parser)
{
    uint32_t token = 0, start = parser->words.length;
    spv_id id = 0, type = 0;
    if (parser->tokens.length > 2 && token_is(&parser->tokens.data[1], "=")) {
        id = token_id(parser, &parser->tokens.data[0]);
        token = 2;
    }
    const struct token *name = &parser->tokens.data[token++];
    const struct spv_grammar_op *op = name->is_string ? NULL : spv_grammar_op_by_name(name->text, name->length);
    if (!op) {
        fail(parser, "unknown instruction", name);
        return;
    }
    if (!id != !(op->flags & SPV_OP_HAS_RESULT)) {
        fail(parser, id ? "an instruction without a result" : "a result is expected", name);
        return;
    }
    vec_push(parser->arena, &parser->words, 0);
    if (op->flags & SPV_OP_HAS_TYPE) {
        if (token == parser->tokens.length) {
            fail(parser, "expected a type", name);
            return;
        }
        type = token_id(parser, &parser->tokens.data[token++]);
        vec_push(parser->arena, &parser->words, type);
    }
    if (id)
        vec_push(parser->arena, &parser->words, id);
    uint32_t first = parser->words.length;
    if (!parse_operands(parser, op, token, type))
        return;
    uint32_t total = parser->words.length - start;
    if (total > 0xffff)
        fail(parser, "an instruction of too many words", name);
    parser->words.data[start] = total << 16 | op->op;
    if (id)
        remember(parser, op->op, type, id, parser->words.data + first, parser->words.length - first);
}

/* The number above all numeric ids of the text. */
static uint32_t first_free_id(const char *text)
{
    uint32_t bound = 1;
    for (const char *at = strchr(text, '%'); at; at = strchr(at + 1, '%')) {
        struct token token = {at, (uint32_t)strspn(at + 1, "0123456789") + 1, false};
        spv_id id = numeric_id(&token);
        if (id >= bound)
            bound = id + 1;
    }
    return bound;
}

static uint32_t version_of(const char *text)
{
    static const char key[] = "; Version: 1.";
    const char *at = strstr(text, key);
    long minor = at ? strtol(at + sizeof(key) - 1, NULL, 10) : 6;
    return 0x10000 | (uint32_t)(minor >= 0 && minor <= 6 ? minor : 6) << 8;
}

uint32_t *spv_assemble(struct arena *arena, const char *text, size_t *count, const char **error)
{
    struct parser parser = {.arena = arena, .at = text, .next_id = first_free_id(text)};
    const uint32_t header[] = {SpvMagicNumber, version_of(text), 0, 0, 0};
    vec_reserve(arena, &parser.words, 1024);
    memcpy(parser.words.data, header, sizeof(header));
    parser.words.length = 5;
    while (!parser.error && scan_line(&parser)) {
        if (parser.tokens.length && !parser.error)
            parse_line(&parser);
    }
    *error = parser.error;
    parser.words.data[3] = parser.next_id;
    *count = parser.words.length;
    return parser.error ? NULL : parser.words.data;
}

struct spv_module *spv_parse_text(struct arena *arena, const char *text, const char **error)
{
    size_t count;
    const uint32_t *words = spv_assemble(arena, text, &count, error);
    return words ? spv_read_own(arena, words, count, error) : NULL;
}
