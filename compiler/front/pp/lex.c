/* The lexer: source bytes to preprocessing tokens (C99, translation phases 1 to 3).
 *
 * scan() finds a token's end over plain bytes with a class table and no call per character. Line splices and trigraphs
 * are not resolved before: they are so rare inside tokens that scan() gives up when it meets one (returns NULL), and
 * scan_unclean() scans a cleaned copy instead and counts back how many source bytes that took. Between tokens splices
 * are blanks.
 *
 * Trigraphs are on: C99 has them, and clang converts them in OpenCL C as well, with the same warning. */
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

enum {
    CHAR_PLAIN = 16,    /* means nothing in excluded lines */
    CHAR_SINGLE = 32,   /* a token by itself, whatever follows */
    CHAR_OPERATOR = 64, /* begins punctuators, and is no blank nor begins one */
};

#define I  (CHAR_IDENT | CHAR_NUMBER | CHAR_PLAIN)
#define U  (CHAR_IDENT | CHAR_PLAIN)
#define D  (CHAR_IDENT | CHAR_NUMBER | CHAR_DIGIT | CHAR_PLAIN)
#define B  (CHAR_BLANK | CHAR_PLAIN)
#define P  CHAR_PLAIN
#define S  (CHAR_SINGLE | CHAR_PLAIN)
#define O  (CHAR_OPERATOR | CHAR_PLAIN)
#define N  (CHAR_NUMBER | CHAR_OPERATOR | CHAR_PLAIN)
#define U8 U, U, U, U, U, U, U, U
const uint8_t clc_char_class[256] = {
    0,  P,  P,  P,  P,  P,  P,  P,  P,  B,  0,  B,  B,  0,  P,  P,
    P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P,  P, /* control */
    B,  O,  0,  O,  U,  O,  O,  0,  S,  S,  O,  O,  S,  O,  N,  0,
    D,  D,  D,  D,  D,  D,  D,  D,  D,  D,  O,  S,  O,  O,  O,  0, /* blank to ? */
    P,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,
    I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  S,  0,  S,  O,  I, /* @ to _ */
    P,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,
    I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  I,  S,  O,  S,  S,  P, /* ` to DEL */
    U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8,
};
#undef I
#undef U
#undef D
#undef B
#undef P
#undef S
#undef O
#undef N
#undef U8

#define CLASS(c) (clc_char_class[(unsigned char)(c)])

static const uint8_t single_kinds[128] = {
    ['('] = TOKEN_LEFT_PAREN,    [')'] = TOKEN_RIGHT_PAREN, ['['] = TOKEN_LEFT_BRACKET,
    [']'] = TOKEN_RIGHT_BRACKET, ['{'] = TOKEN_LEFT_BRACE,  ['}'] = TOKEN_RIGHT_BRACE,
    [','] = TOKEN_COMMA,         [';'] = TOKEN_SEMICOLON,   ['~'] = TOKEN_TILDE,
};

enum { HASH_START = 2166136261u, HASH_FACTOR = 16777619 }; /* as pp_ident_hash() has it */

struct scan {
    struct pp *pp;
    const char *end;
    src_loc loc; /* of the token */
    bool clean;  /* no splices or trigraphs can occur */
};

/* ---- splices and trigraphs ---- */

static char trigraph(char c)
{
    static const char from[] = "=/'()!<>-", to[] = "#\\^[]|{}~";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : '\0';
}

/* The length of a backslash at p with its newline, 0 when it is no splice. *blanks: something stands between the two.
 */
static uint32_t splice_length(const char *p, bool *blanks)
{
    const char *q = p;
    if (*q == '\\')
        q++;
    else if (q[0] == '?' && q[1] == '?' && q[2] == '/')
        q += 3;
    else
        return 0;
    *blanks = CLASS(*q) & CHAR_BLANK;
    while (CLASS(*q) & CHAR_BLANK)
        q++;
    if (*q == '\n')
        return (uint32_t)(q + 1 - p);
    if (*q == '\r')
        return (uint32_t)(q + 1 + (q[1] == '\n') - p);
    return 0;
}

static bool is_odd(const char *p)
{
    bool blanks;
    if (*p == '\\')
        return splice_length(p, &blanks) != 0;
    return p[0] == '?' && p[1] == '?' && trigraph(p[2]);
}

#define GIVES_UP(scan, p) (!(scan)->clean && (*(p) == '\\' || *(p) == '?') && is_odd(p))

/* The character at p after phases 1 and 2; *length: its source bytes, splices before it included. */
static char logical_character(const char *p, uint32_t *length)
{
    const char *start = p;
    bool blanks;
    uint32_t skip;
    while ((*p == '\\' || *p == '?') && (skip = splice_length(p, &blanks)) != 0)
        p += skip;
    char c = *p;
    if (c == '?' && p[1] == '?' && trigraph(p[2])) {
        c = trigraph(p[2]);
        p += 2;
    }
    *length = (uint32_t)(p + 1 - start);
    return c;
}

/* ---- tokens ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* \u1234 or \U12345678 at p; 0 bytes when it is none. */
static uint32_t read_ucn(const char *p, uint32_t *code)
{
    uint32_t digits = p[0] != '\\' ? 0 : p[1] == 'u' ? 4 : p[1] == 'U' ? 8 : 0;
    *code = 0;
    for (uint32_t i = 0; i < digits; i++) {
        int digit = hex_digit(p[2 + i]);
        if (digit < 0)
            return 0;
        *code = *code << 4 | (uint32_t)digit;
    }
    return digits ? digits + 2 : 0;
}

/* A name with UTF-8 or universal character names in it. NULL: gives up. p: returned unmoved when no name begins here.
 */
static const char *scan_unicode_name(const struct scan *scan, const char *p, struct pp_token *token)
{
    struct str *name = &scan->pp->scratch;
    const char *start = p;
    name->length = 0;
    for (;;) {
        uint32_t code, bytes;
        char encoded[4];
        if (GIVES_UP(scan, p))
            return NULL;
        if (*p == '\\' && (bytes = read_ucn(p, &code)) != 0 && pp_may_be_in_name(code, p == start)) {
            str_append(name, encoded, pp_utf8_encode(encoded, code));
            p += bytes;
        } else if ((unsigned char)*p >= 0x80) {
            bytes = pp_utf8_decode(p, scan->end, &code);
            if (!bytes || pp_is_unicode_blank(code) || (p == start && !pp_may_be_in_name(code, true)))
                break;
            if (!pp_may_be_in_name(code, false)) {
                src_loc at = scan->loc + (src_loc)(p - start);
                pp_error_range(scan->pp->front, at, (struct src_range){at, at + bytes},
                               "character <U+%04X> not allowed in an identifier", code);
            }
            str_append(name, p, bytes);
            p += bytes;
        } else if (CLASS(*p) & CHAR_IDENT) {
            str_putc(name, *p++);
        } else {
            break;
        }
    }
    if (p == start)
        return p;
    token->kind = TOKEN_IDENTIFIER;
    token->flags |= PP_UCN;
    token->ident = pp_intern(scan->pp->front, str_text(name), name->length);
    return p;
}

static const char *scan_unknown(const struct scan *scan, const char *p, struct pp_token *token)
{
    struct clc_front *front = scan->pp->front;
    uint32_t code, bytes;
    token->kind = TOKEN_UNKNOWN;
    if ((unsigned char)*p < 0x80)
        return p + 1;
    bytes = pp_utf8_decode(p, scan->end, &code);
    if (bytes)
        pp_error(front, scan->loc, "unexpected character <U+%04X>", code);
    else
        pp_error(front, scan->loc, "source file is not valid UTF-8");
    return p + (bytes ? bytes : 1);
}

static const char *scan_name(const struct scan *scan, const char *p, struct pp_token *token)
{
    const char *start = p;
    uint32_t hash = HASH_START;
    unsigned char all = 0;
    do {
        all |= (unsigned char)*p;
        hash = (hash ^ (unsigned char)*p) * HASH_FACTOR;
        p++;
    } while (CLASS(*p) & CHAR_IDENT);
    if (GIVES_UP(scan, p))
        return NULL;
    if (all >= 0x80 || *p == '\\') {
        const char *end = scan_unicode_name(scan, start, token);
        return end == start ? scan_unknown(scan, start, token) : end;
    }
    token->kind = TOKEN_IDENTIFIER;
    if (p - start >= PP_MAX_TOKEN)
        pp_fatal(scan->pp->front, scan->loc, "identifier is too long");
    token->ident = pp_intern_hashed(scan->pp->front, start, (uint32_t)(p - start), hash);
    return p;
}

/* C99, 6.4.8: pp-number */
static const char *scan_number(const struct scan *scan, const char *p, struct pp_token *token)
{
    for (;;) {
        if (CLASS(*p) & CHAR_NUMBER) {
            p++;
        } else if ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])) {
            p++;
        } else if (GIVES_UP(scan, p)) {
            return NULL;
        } else {
            break;
        }
    }
    token->kind = PP_NUMBER;
    return p;
}

/* Scans a literal; p is at its opening quote. A quote without its end on the line is no literal, and ends with the line
 * (C99, 6.4: undefined). The lexer only warns of it; the parser fits such a token nowhere. */
static const char *scan_quoted(const struct scan *scan, const char *p, struct pp_token *token)
{
    const char *start = p;
    char quote = *p++;
    for (; *p != quote; p++) {
        if (*p == '\n' || *p == '\r' || (!*p && p >= scan->end)) {
            pp_warning(scan->pp->front, DIAG_GROUP_INVALID_PP_TOKEN, scan->loc, "missing terminating %s character",
                       quote == '"' ? "'\"'" : "'");
            token->kind = TOKEN_UNKNOWN;
            return p;
        }
        if (*p == '\\' || *p == '?') {
            if (GIVES_UP(scan, p))
                return NULL;
            if (*p == '\\' && p[1] && p[1] != '\n' && p[1] != '\r') {
                p++;
                if (GIVES_UP(scan, p))
                    return NULL;
            }
        }
    }
    token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
    if (quote == '\'' && p == start + 1) {
        pp_warning(scan->pp->front, DIAG_GROUP_INVALID_PP_TOKEN, scan->loc, "empty character constant");
        token->kind = TOKEN_UNKNOWN;
    }
    return p + 1;
}

/* C99, 6.4.6: the longest punctuator at p; its length, 0 when there is none. */
static uint32_t punctuator(const char *p, uint16_t *kind)
{
#define IS(length, id) (*kind = TOKEN_##id, length)
    switch (*p) {
    case '(':
        return IS(1, LEFT_PAREN);
    case ')':
        return IS(1, RIGHT_PAREN);
    case '[':
        return IS(1, LEFT_BRACKET);
    case ']':
        return IS(1, RIGHT_BRACKET);
    case '{':
        return IS(1, LEFT_BRACE);
    case '}':
        return IS(1, RIGHT_BRACE);
    case ',':
        return IS(1, COMMA);
    case ';':
        return IS(1, SEMICOLON);
    case '?':
        return IS(1, QUESTION);
    case '~':
        return IS(1, TILDE);
    case '.':
        return p[1] == '.' && p[2] == '.' ? IS(3, ELLIPSIS) : IS(1, PERIOD);
    case ':':
        return p[1] == '>' ? IS(2, RIGHT_BRACKET) : IS(1, COLON);
    case '!':
        return p[1] == '=' ? IS(2, EXCLAIM_EQUAL) : IS(1, EXCLAIM);
    case '*':
        return p[1] == '=' ? IS(2, STAR_EQUAL) : IS(1, STAR);
    case '/':
        return p[1] == '=' ? IS(2, SLASH_EQUAL) : IS(1, SLASH);
    case '^':
        return p[1] == '=' ? IS(2, CARET_EQUAL) : IS(1, CARET);
    case '=':
        return p[1] == '=' ? IS(2, EQUAL_EQUAL) : IS(1, EQUAL);
    case '#':
        return p[1] == '#' ? IS(2, HASH_HASH) : IS(1, HASH);
    case '+':
        return p[1] == '+' ? IS(2, PLUS_PLUS) : p[1] == '=' ? IS(2, PLUS_EQUAL) : IS(1, PLUS);
    case '&':
        return p[1] == '&' ? IS(2, AMP_AMP) : p[1] == '=' ? IS(2, AMP_EQUAL) : IS(1, AMP);
    case '|':
        return p[1] == '|' ? IS(2, PIPE_PIPE) : p[1] == '=' ? IS(2, PIPE_EQUAL) : IS(1, PIPE_SIGN);
    case '-':
        return p[1] == '-'   ? IS(2, MINUS_MINUS)
               : p[1] == '=' ? IS(2, MINUS_EQUAL)
               : p[1] == '>' ? IS(2, ARROW)
                             : IS(1, MINUS);
    case '%':
        if (p[1] == ':')
            return p[2] == '%' && p[3] == ':' ? IS(4, HASH_HASH) : IS(2, HASH);
        return p[1] == '=' ? IS(2, PERCENT_EQUAL) : p[1] == '>' ? IS(2, RIGHT_BRACE) : IS(1, PERCENT);
    case '<':
        if (p[1] == '<')
            return p[2] == '=' ? IS(3, LESS_LESS_EQUAL) : IS(2, LESS_LESS);
        return p[1] == '='   ? IS(2, LESS_EQUAL)
               : p[1] == ':' ? IS(2, LEFT_BRACKET)
               : p[1] == '%' ? IS(2, LEFT_BRACE)
                             : IS(1, LESS);
    case '>':
        if (p[1] == '>')
            return p[2] == '=' ? IS(3, GREATER_GREATER_EQUAL) : IS(2, GREATER_GREATER);
        return p[1] == '=' ? IS(2, GREATER_EQUAL) : IS(1, GREATER);
    }
    return 0;
#undef IS
}

/* One token at p, which is no blank and not the end. NULL: a splice or trigraph is in the way. */
static const char *scan(const struct scan *scan, const char *p, struct pp_token *token)
{
    unsigned class = CLASS(*p);
    if (class & CHAR_DIGIT)
        return scan_number(scan, p, token);
    if (*p == 'L' && (p[1] == '"' || p[1] == '\'')) {
        token->flags |= PP_WIDE;
        return scan_quoted(scan, p + 1, token);
    }
    if (*p == 'L' && GIVES_UP(scan, p + 1))
        return NULL;
    if (class & CHAR_IDENT)
        return scan_name(scan, p, token);
    if (*p == '"' || *p == '\'')
        return scan_quoted(scan, p, token);
    if (*p == '.' && (CLASS(p[1]) & CHAR_DIGIT))
        return scan_number(scan, p, token);
    if (GIVES_UP(scan, p))
        return NULL;
    uint32_t length = punctuator(p, &token->kind);
    if (length) {
        if (GIVES_UP(scan, p + length) || (length == 1 && *p == '.' && p[1] == '.' && GIVES_UP(scan, p + 2)) ||
            (length == 2 && *p == '%' && p[2] == '%' && GIVES_UP(scan, p + 3)))
            return NULL;
        return p + length;
    }
    if (*p == '\\') {
        const char *end = scan_unicode_name(scan, p, token);
        if (end != p)
            return end;
    }
    return scan_unknown(scan, p, token);
}

/* Scans the cleaned copy of what is at p. The copy starts short and is made longer while the token reaches its end, so
 * that a long spliced line costs no more than its length. */
static const char *scan_unclean(struct pp *pp, struct lexer *lexer, const char *p, src_loc loc, struct pp_token *token)
{
    struct diag_state *diag = pp->front->diag;
    uint16_t flags = token->flags;
    bool hushed = diag->hushed;
    for (uint32_t limit = 64;; limit *= 2) {
        struct str copy;
        str_init(&copy, pp->front->arena);
        const char *at = p;
        bool whole = false;
        while (copy.length < limit) {
            uint32_t bytes;
            char c = logical_character(at, &bytes);
            if (c == '\n' || c == '\r' || (!c && at + bytes > lexer->end)) {
                whole = true;
                break;
            }
            str_putc(&copy, c);
            at += bytes;
        }
        const char *text = str_text(&copy);
        struct scan clean = {pp, text + copy.length, loc, true};
        token->flags = flags;
        diag->hushed = true;
        const char *end = copy.length ? scan(&clean, text, token) : text;
        diag->hushed = hushed;
        if (end >= clean.end && !whole && limit < PP_MAX_TOKEN)
            continue;
        token->flags = flags;
        if (copy.length)
            scan(&clean, text, token); /* again, for its warnings */
        const char *raw = p;
        for (const char *q = text; q < end; q++) {
            uint32_t bytes;
            logical_character(raw, &bytes);
            for (uint32_t i = 0; i + 2 < bytes; i++) {
                if (raw[i] == '?' && raw[i + 1] == '?' && trigraph(raw[i + 2]))
                    pp_warning(pp->front, DIAG_GROUP_TRIGRAPHS, loc + (uint32_t)(raw + i - p),
                               "trigraph converted to '%c' character", trigraph(raw[i + 2]));
            }
            raw += bytes;
        }
        if (token->kind != TOKEN_IDENTIFIER) {
            token->text = text;
            token->length = (uint32_t)(end - text);
        } else {
            token->flags |= PP_UCN;
            token->length = (uint32_t)(raw - p);
        }
        return raw;
    }
}

/* ---- blanks ---- */

/* p is after the two slashes. Stops at the newline. */
static const char *skip_line_comment(struct pp *pp, struct lexer *lexer, const char *p)
{
    bool warned = false;
    for (;; p++) {
        const char *newline = p + strcspn(p, "\n\r");
        p = newline;
        if (!*p) {
            if (p >= lexer->end)
                return p;
            continue;
        }
        const char *back = p;
        while (back > lexer->begin && (CLASS(back[-1]) & CHAR_BLANK))
            back--;
        bool spliced =
            back > lexer->begin &&
            (back[-1] == '\\' || (back - lexer->begin >= 3 && back[-1] == '/' && back[-2] == '?' && back[-3] == '?'));
        if (!spliced)
            return p;
        const struct clc_options *options = &pp->front->options;
        if (!warned && (options->all_warnings || options->group_state[DIAG_GROUP_COMMENT] > 0))
            pp_warning(pp->front, DIAG_GROUP_COMMENT, lexer->file->base + (src_loc)(back - 1 - lexer->begin),
                       "multi-line // comment");
        warned = true;
        if (p[0] == '\r' && p[1] == '\n')
            p++;
    }
}

/* start is at the slash, p after the star. NULL when it never ends. */
static const char *skip_block_comment(struct pp *pp, struct lexer *lexer, const char *start, const char *p)
{
    for (const char *from = p;; p++) {
        p = memchr(p, '/', (size_t)(lexer->end - p));
        if (!p) {
            pp_error(pp->front, lexer->file->base + (src_loc)(start - lexer->begin), "unterminated /* comment");
            return NULL;
        }
        const char *back = p;
        while (back - from >= 2 && (back[-1] == '\n' || back[-1] == '\r')) { /* "*", splice, "/" */
            const char *q = back - 1;
            while (q > from && (q[-1] == '\r' || (CLASS(q[-1]) & CHAR_BLANK)))
                q--;
            if (q <= from || q[-1] != '\\')
                break;
            back = q - 1;
        }
        if (back > from && back[-1] == '*')
            return p + 1;
        if (p[1] == '*' && p[2] != '/')
            pp_warning(pp->front, DIAG_GROUP_COMMENT, lexer->file->base + (src_loc)(p - lexer->begin),
                       "'/*' within block comment");
    }
}

/* The character after a slash; comments may begin with a spliced one. */
static char after_slash(const char *p, uint32_t *length)
{
    *length = 1;
    return p[1] == '\\' || p[1] == '?' ? logical_character(p + 1, length) : p[1];
}

/* Skips blanks, comments and splices, newlines too outside a directive. Adds to *flags what was met. */
static const char *skip_blanks(struct pp *pp, struct lexer *lexer, const char *p, uint16_t *flags)
{
    for (;;) {
        bool blanks;
        uint32_t length;
        char next;
        switch (*p) {
        case ' ':
        case '\t':
        case '\f':
        case '\v':
            *flags |= PP_SPACE;
            do
                p++;
            while (CLASS(*p) & CHAR_BLANK);
            continue;
        case '\r':
        case '\n':
            if (lexer->in_directive)
                return p;
            *flags = (uint16_t)((*flags & ~PP_SPACE) | PP_LINE_START);
            p++;
            continue;
        case '\\':
        case '?':
            length = splice_length(p, &blanks);
            if (!length)
                return p;
            if (blanks)
                pp_warning(pp->front, DIAG_GROUP_BACKSLASH_NEWLINE_ESCAPE,
                           lexer->file->base + (src_loc)(p - lexer->begin), "backslash and newline separated by space");
            p += length;
            continue;
        case '/':
            next = after_slash(p, &length);
            if (next == '/') {
                p = skip_line_comment(pp, lexer, p + 1 + length);
            } else if (next == '*') {
                p = skip_block_comment(pp, lexer, p, p + 1 + length);
                if (!p)
                    p = lexer->end;
            } else {
                return p;
            }
            *flags |= PP_SPACE;
            continue;
        case '\0':
            if (p >= lexer->end)
                return lexer->end;
            pp_warning(pp->front, DIAG_GROUP_NULL_CHARACTER, lexer->file->base + (src_loc)(p - lexer->begin),
                       "null character ignored");
            *flags |= PP_SPACE;
            p++;
            continue;
        default:
            return p;
        }
    }
}

/* A character beyond ASCII at p that begins no token is dropped with a message, so that nothing else is said of it:
 * blanks as others would be, with a warning, and what fits nowhere with an error. Its length, 0 for others. */
static uint32_t drop_character(struct pp *pp, const struct lexer *lexer, const char *p)
{
    uint32_t code, bytes = 0;
    if ((unsigned char)*p < 0x80 || ((bytes = pp_utf8_decode(p, lexer->end, &code)) && pp_may_be_in_name(code, true)))
        return 0;
    src_loc loc = lexer->file->base + (src_loc)(p - lexer->begin);
    if (!bytes) {
        pp_error(pp->front, loc, "source file is not valid UTF-8");
        return 1;
    }
    struct src_range range = {loc, loc + bytes};
    if (pp_is_unicode_blank(code))
        pp_warning_range(pp->front, DIAG_GROUP_UNICODE_WHITESPACE, loc, range,
                         "treating Unicode character as whitespace");
    else
        pp_error_range(pp->front, loc, range, "unexpected character <U+%04X>", code);
    return bytes;
}

/* ---- the interface ---- */

void pp_lexer_init(struct lexer *lexer, struct src_file *file)
{
    *lexer = (struct lexer){.file = file, .begin = file->text, .line_start = true};
    lexer->end = file->text + file->length;
    lexer->at = file->text;
    if (file->length >= 3 && memcmp(file->text, "\xef\xbb\xbf", 3) == 0)
        lexer->at += 3; /* byte order mark */
}

/* Scans a token at p where it ends beyond doubt: nearly all names, numbers and punctuators. NULL: scan() must look. */
static inline const char *scan_simple(struct pp *pp, const char *p, struct pp_token *token)
{
    const char *start = p;
    unsigned class = CLASS(*p);
    if (class & CHAR_SINGLE) {
        token->kind = single_kinds[(unsigned char)*p];
        return p + 1;
    }
    if (class & CHAR_OPERATOR) {
        if ((*p == '.' && (p[1] == '.' || CLASS(p[1]) & CHAR_DIGIT)) || (*p == '%' && p[1] == ':'))
            return NULL;
        p += punctuator(p, &token->kind);
        return *p == '\\' || *p == '?' ? NULL : p;
    }
    bool may_be_wide = *p == 'L' && (p[1] == '"' || p[1] == '\'' || p[1] == '\\' || p[1] == '?');
    if (!(class & CHAR_IDENT) || may_be_wide)
        return NULL;
    if (class & CHAR_DIGIT) {
        do
            p++;
        while (CLASS(*p) & CHAR_NUMBER);
        bool exponent = (p[-1] | 32) == 'e' || (p[-1] | 32) == 'p';
        if (*p == '\\' || *p == '?' || (exponent && (*p == '+' || *p == '-')) || p - start >= PP_MAX_TOKEN)
            return NULL;
        token->kind = PP_NUMBER;
        return p;
    }
    uint32_t hash = HASH_START;
    unsigned char all = 0;
    do {
        all |= (unsigned char)*p;
        hash = (hash ^ (unsigned char)*p) * HASH_FACTOR;
        p++;
    } while (CLASS(*p) & CHAR_IDENT);
    if (all >= 0x80 || *p == '\\' || *p == '?' || p - start >= PP_MAX_TOKEN)
        return NULL;
    token->kind = TOKEN_IDENTIFIER;
    token->ident = pp_intern_hashed(pp->front, start, (uint32_t)(p - start), hash);
    return p;
}

static void lex_slowly(struct pp *pp, struct lexer *lexer, const char *p, uint16_t flags, struct pp_token *token)
{
    for (uint32_t dropped = 1; dropped;) {
        if (!(CLASS(*p) & (CHAR_IDENT | CHAR_OPERATOR)))
            p = skip_blanks(pp, lexer, p, &flags);
        dropped = p < lexer->end ? drop_character(pp, lexer, p) : 0;
        p += dropped;
        flags |= dropped ? PP_SPACE : 0;
    }
    token->flags = flags;
    token->parameter = 0;
    token->loc = lexer->file->base + (src_loc)(p - lexer->begin);
    token->text = p;
    token->length = 0;
    if (p >= lexer->end || (lexer->in_directive && (*p == '\n' || *p == '\r'))) {
        token->kind = lexer->in_directive ? PP_END_OF_LINE : TOKEN_END;
        lexer->at = p;
        return;
    }
    struct scan state = {pp, lexer->end, token->loc, false};
    const char *end = scan(&state, p, token);
    if (end) {
        token->length = (uint32_t)(end - p);
        if (token->length >= PP_MAX_TOKEN)
            pp_fatal(pp->front, token->loc, "token is too long");
    } else {
        token->flags = flags;
        end = scan_unclean(pp, lexer, p, token->loc, token);
    }
    lexer->at = end;
}

void pp_lex(struct pp *pp, struct lexer *lexer, struct pp_token *token)
{
    uint16_t flags = lexer->line_start ? PP_LINE_START : 0;
    const char *p = lexer->at;
    lexer->line_start = false;
    for (;; p++) {
        if (*p == ' ' || *p == '\t')
            flags |= PP_SPACE;
        else if (*p == '\n' && !lexer->in_directive)
            flags = PP_LINE_START;
        else
            break;
    }
    token->text = p;
    const char *after = scan_simple(pp, p, token);
    if (!after) {
        lex_slowly(pp, lexer, p, flags, token);
        return;
    }
    token->flags = flags;
    token->parameter = 0;
    token->loc = lexer->file->base + (src_loc)(p - lexer->begin);
    token->length = (uint32_t)(after - p);
    lexer->at = after;
}

bool pp_lex_next_is_paren(struct pp *pp, struct lexer *lexer)
{
    const char *p = lexer->at;
    while (*p == ' ')
        p++;
    if (*p == '(')
        return true;
    if (CLASS(*p) & CHAR_IDENT)
        return false;
    bool hushed = pp->front->diag->hushed;
    pp->front->diag->hushed = true;
    uint16_t flags = 0;
    p = skip_blanks(pp, lexer, p, &flags);
    pp->front->diag->hushed = hushed;
    return *p == '(';
}

uint32_t pp_lex_text(struct pp *pp, const char *text, src_loc loc, struct pp_token *token)
{
    struct scan clean = {pp, text + strlen(text), loc, true};
    token->flags = 0;
    token->parameter = 0;
    token->loc = loc;
    token->text = text;
    const char *end = scan(&clean, text, token);
    token->length = (uint32_t)(end - text);
    return token->length;
}

/* p is at the opening quote, in excluded text. */
static const char *skip_quoted(const char *p, const char *end)
{
    char quote = *p++;
    while (*p != quote && *p != '\n' && *p != '\r' && (*p || p < end)) {
        bool blanks;
        uint32_t splice;
        if ((*p == '\\' || *p == '?') && (splice = splice_length(p, &blanks)) != 0)
            p += splice;
        else
            p += *p == '\\' && p + 1 < end ? 2 : 1;
    }
    return p + (*p == quote);
}

bool pp_lex_skip_to_hash(struct pp *pp, struct lexer *lexer)
{
    const char *p = lexer->at, *end = lexer->end;
    bool line_start = lexer->line_start, found = false;
    bool hushed = pp->front->diag->hushed;
    while (p < end) {
        uint16_t flags = 0;
        uint32_t length;
        bool blanks;
        switch (*p) {
        case '\n':
        case '\r':
            line_start = true;
            break;
        case '/':
            after_slash(p, &length);
            pp->front->diag->hushed = true;
            const char *after = skip_blanks(pp, lexer, p, &flags);
            pp->front->diag->hushed = hushed;
            if (flags & PP_LINE_START)
                line_start = true;
            if (after == p) {
                line_start = false;
                p++;
            } else {
                p = after;
            }
            continue;
        case '"':
        case '\'':
            p = skip_quoted(p, end);
            line_start = false;
            continue;
        case '\\':
        case '?':
            length = splice_length(p, &blanks);
            if (!length && line_start && p[0] == '?' && p[1] == '?' && p[2] == '=') {
                found = true;
                goto done;
            }
            line_start = line_start && length;
            p += length ? length : 1;
            continue;
        case '%':
        case '#':
            if (line_start && (*p == '#' || p[1] == ':')) {
                found = true;
                goto done;
            }
            line_start = false;
            break;
        default:
            if (CLASS(*p) & CHAR_BLANK)
                break;
            line_start = false;
            while (CLASS(p[1]) & CHAR_PLAIN)
                p++;
        }
        p++;
    }
done:
    lexer->at = p < end ? p : end;
    lexer->line_start = found;
    return found;
}

bool pp_lex_header_name(struct pp *pp, struct lexer *lexer, struct pp_token *token)
{
    uint16_t flags = 0;
    const char *p = skip_blanks(pp, lexer, lexer->at, &flags);
    lexer->at = p;
    if (*p != '"' && *p != '<')
        return false;
    char close = *p == '<' ? '>' : '"';
    const char *end = p + 1;
    while (*end && *end != close && *end != '\n' && *end != '\r')
        end++;
    if (*end != close || end - p >= PP_MAX_TOKEN)
        return false;
    *token = (struct pp_token){.kind = TOKEN_STRING, .flags = flags};
    token->loc = lexer->file->base + (src_loc)(p - lexer->begin);
    token->text = p;
    token->length = (uint32_t)(end + 1 - p);
    lexer->at = end + 1;
    return true;
}

const char *pp_lex_rest_of_line(struct pp *pp, struct lexer *lexer, size_t *length)
{
    struct str *line = &pp->scratch;
    const char *p = lexer->at;
    line->length = 0;
    for (;;) {
        uint32_t bytes;
        char c = logical_character(p, &bytes);
        if (c == '\n' || c == '\r' || (!c && p + bytes > lexer->end))
            break;
        if (line->length || !(CLASS(c) & CHAR_BLANK))
            str_putc(line, c);
        p += bytes;
    }
    lexer->at = p;
    while (line->length && (CLASS(line->data[line->length - 1]) & CHAR_BLANK))
        line->length--;
    *length = line->length;
    return str_text(line);
}

void pp_token_spelling(const struct pp_token *token, const char **text, uint32_t *length)
{
    bool name = token->kind == TOKEN_IDENTIFIER;
    *text = name ? token->ident->name : token->text;
    *length = name ? token->ident->length : token->length;
}
