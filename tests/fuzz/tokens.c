/* Mutations that know C's tokens and brackets. Bytes changed at random seldom get past the parser; a word for another
 * word, a group in brackets or a statement for another often does. The first line, the options, is left to others. */
#include "tests/fuzz/fuzz.h"

#include "base/util.h"

#include <string.h>

enum kind { WORD, NUMBER, STRING, MARK };

struct token {
    uint32_t at, length;
    enum kind kind;
};

enum { MAX_TOKENS = 2048, MAX_PIECE = 1024 };

struct text {
    uint8_t *data;
    size_t size, max;
    struct token tokens[MAX_TOKENS];
    size_t count;
};

static bool is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t token_end(const uint8_t *data, size_t size, size_t at, enum kind *kind)
{
    uint8_t first = data[at++];
    if (is_word(first)) {
        *kind = first <= '9' ? NUMBER : WORD;
        while (at < size && (is_word(data[at]) || (*kind == NUMBER && data[at] == '.')))
            at++;
    } else if (first == '"' || first == '\'') {
        *kind = STRING;
        while (at < size && data[at] != first && data[at] != '\n')
            at += data[at] == '\\' && at + 1 < size ? 2 : 1;
        at += at < size;
    } else {
        *kind = MARK;
        if (at < size && (data[at] == '=' || data[at] == first) && strchr("=<>&|+-!*/%^#", first))
            at++;
    }
    return at;
}

static void tokenise(struct text *text, uint8_t *data, size_t size, size_t max)
{
    const uint8_t *newline = memchr(data, '\n', size);
    size_t at = newline ? (size_t)(newline - data) + 1 : 0;
    text->data = data;
    text->size = size;
    text->max = max;
    text->count = 0;
    while (at < size && text->count < MAX_TOKENS) {
        if (data[at] <= ' ') {
            at++;
            continue;
        }
        struct token *token = &text->tokens[text->count++];
        token->at = (uint32_t)at;
        at = token_end(data, size, at, &token->kind);
        token->length = (uint32_t)(at - token->at);
    }
}

/* Where the group, statement or operand that starts at this token ends: one past its last byte. */
static size_t group_end(const struct text *text, size_t first)
{
    size_t depth = 0, i = first;
    for (; i < text->count; i++) {
        uint8_t c = text->data[text->tokens[i].at];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && depth > 0)
            depth--;
        else if (c == ')' || c == ']' || c == '}')
            return i > first ? text->tokens[i].at : text->tokens[i].at + 1;
        else if (depth == 0 && i > first && c == ',')
            return text->tokens[i].at;
        if (depth == 0 && (c == ';' || c == '}' || (i == first && !is_word(c))))
            break;
        if (depth == 0 && i > first && (c == ')' || c == ']'))
            break;
    }
    return i < text->count ? text->tokens[i].at + text->tokens[i].length : text->size;
}

/* Replaces bytes; the new size. What does not fit stays out. */
static size_t put(struct text *text, size_t at, size_t end, const void *bytes, size_t length)
{
    uint8_t piece[MAX_PIECE];
    if (length > sizeof(piece) || text->size - (end - at) + length > text->max)
        return text->size;
    memcpy(piece, bytes, length);
    memmove(text->data + at + length, text->data + end, text->size - end);
    memcpy(text->data + at, piece, length);
    return text->size - (end - at) + length;
}

static const struct token *pick(const struct text *text, enum kind kind, uint64_t *state)
{
    const struct token *token = NULL;
    for (int tries = 0; tries < 20 && text->count; tries++) {
        token = &text->tokens[fuzz_below(state, text->count)];
        if (token->kind == kind)
            return token;
    }
    return token;
}

static size_t change_token(struct text *text, uint64_t *state)
{
    static const char *const words[] = {
        "char",       "uchar",      "short",        "ushort",    "int",      "uint",     "long",      "ulong",
        "half",       "float",      "double",       "bool",      "void",     "float4",   "int3",      "uchar16",
        "double2",    "long8",      "half4",        "size_t",    "const",    "volatile", "static",    "inline",
        "restrict",   "global",     "local",        "private",   "constant", "generic",  "kernel",    "struct",
        "union",      "enum",       "typedef",      "typeof",    "sizeof",   "event_t",  "sampler_t", "image2d_t",
        "atomic_int", "extern",     "unsigned",     "signed",    "_Alignas", "auto",     "queue_t",   "image3d_t",
        "read_only",  "write_only", "read_write",   "return",    "goto",     "x",        "s0",        "hi",
        "even",       "xyzw",       "atomic_float", "ndrange_t", "intptr_t", "ushort2",  "ptrdiff_t"};
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "7",
                                          "8",
                                          "16",
                                          "17",
                                          "31",
                                          "32",
                                          "33",
                                          "63",
                                          "64",
                                          "-1",
                                          "255",
                                          "65535",
                                          "1u",
                                          "1.0",
                                          "0.5f",
                                          "1e9f",
                                          "1.0h",
                                          "NAN",
                                          "1ul",
                                          "1l",
                                          "'a'",
                                          "0x7fffffff",
                                          "0x80000000",
                                          "0xffffffffu",
                                          "0x7fffffffffffffff",
                                          "0xfffffffffffffffful",
                                          "INFINITY",
                                          "1e-40f",
                                          "1e300",
                                          "1000000",
                                          "100000000000"};
    static const char *const marks[] = {
        "+", "-",  "*",  "/",  "%",   "<<", ">>",  "&",  "|",  "^",  "&&", "||",  "<",  ">",   "<=", ">=", "==", "!=",
        "=", "+=", "-=", "*=", "<<=", ",",  "?",   ":",  ";",  ".",  "->", "!",   "~",  "++",  "--", "(",  ")",  "[",
        "]", "{",  "}",  "?:", "##",  "#",  "\n#", "&=", "|=", "^=", "%=", ">>=", "/=", "...", "[]", "()"};
    const struct token *token = &text->tokens[fuzz_below(state, text->count)];
    const char *other = NULL;
    switch (token->kind) {
    case WORD:
        other = fuzz_below(state, 2) ? words[fuzz_below(state, ARRAY_LENGTH(words))] : NULL;
        break;
    case NUMBER:
        other = fuzz_below(state, 4) ? numbers[fuzz_below(state, ARRAY_LENGTH(numbers))] : NULL;
        break;
    case MARK:
        other = fuzz_below(state, 4) ? marks[fuzz_below(state, ARRAY_LENGTH(marks))] : NULL;
        break;
    default:
        break;
    }
    if (other)
        return put(text, token->at, token->at + token->length, other, strlen(other));
    const struct token *from = pick(text, token->kind, state);
    return put(text, token->at, token->at + token->length, text->data + from->at, from->length);
}

static size_t wrap(struct text *text, size_t at, size_t end, uint64_t *state)
{
    static const char *const pairs[][2] = {{"(", ")"},
                                           {"{", "}"},
                                           {"[", "]"},
                                           {"(int)(", ")"},
                                           {"(float4)(", ")"},
                                           {"if (", ") ;"},
                                           {"while (", ") {}"},
                                           {"for (;;) {", "}"},
                                           {"do {", "} while (0);"},
                                           {"({", ";})"},
                                           {"sizeof(", ")"},
                                           {"*&", ""},
                                           {"-", ""},
                                           {"as_int(", ")"},
                                           {"typeof(", ") x;"},
                                           {"switch (", ") {}"},
                                           {"#if ", "\n#endif\n"},
                                           {"(uchar4)(", ", 1, 2, 3)"},
                                           {"x = ", ";"},
                                           {"", " ? 1 : 2"},
                                           {"printf(\"%d\", ", ")"},
                                           {"convert_uchar4_sat(", ")"},
                                           {"^{", "}()"},
                                           {"if (1) {", "} else {}"}};
    size_t which = fuzz_below(state, ARRAY_LENGTH(pairs));
    size_t size = put(text, end, end, pairs[which][1], strlen(pairs[which][1]));
    text->size = size;
    return put(text, at, at, pairs[which][0], strlen(pairs[which][0]));
}

size_t fuzz_mutate_tokens(uint8_t *data, size_t size, size_t max_size, uint64_t *state)
{
    struct text text;
    tokenise(&text, data, size, max_size);
    if (!text.count)
        return fuzz_mutate_text(data, size, max_size, state);
    size_t i = fuzz_below(state, text.count), j = fuzz_below(state, text.count);
    size_t at = text.tokens[i].at, end = group_end(&text, i), from = text.tokens[j].at, from_end = group_end(&text, j);
    switch (fuzz_below(state, 12)) {
    case 0: /* away */
        return put(&text, at, end, "", 0);
    case 1: /* a token away */
        return put(&text, at, at + text.tokens[i].length, "", 0);
    case 2:
    case 3: /* again, elsewhere */
        return put(&text, at, at, data + from, from_end - from);
    case 4:
    case 5: /* one for another */
        return put(&text, at, end, data + from, from_end - from);
    case 6:
        return wrap(&text, at, end, state);
    default:
        return change_token(&text, state);
    }
}

size_t fuzz_cross_tokens(const uint8_t *first, size_t size, const uint8_t *second, size_t second_size, uint8_t *out,
                         size_t max_size, uint64_t *state)
{
    struct text text, other;
    size = size > max_size ? max_size : size;
    memcpy(out, first, size);
    tokenise(&text, out, size, max_size);
    tokenise(&other, (uint8_t *)second, second_size, second_size);
    if (!text.count || !other.count)
        return size;
    size_t i = fuzz_below(state, text.count), j = fuzz_below(state, other.count);
    size_t at = text.tokens[i].at, from = other.tokens[j].at, from_end = group_end(&other, j);
    return put(&text, at, fuzz_below(state, 2) ? at : group_end(&text, i), second + from, from_end - from);
}
