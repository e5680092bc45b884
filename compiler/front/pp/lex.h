/* Preprocessing tokens, the lexer that reads them from one file, and what names and literals become. */
#ifndef COMPILER_FRONT_PP_LEX_H
#define COMPILER_FRONT_PP_LEX_H

#include "compiler/front/pp/front.h"

struct pp;
struct src_file;

/* The kind of a preprocessing token is one of enum token_kind (punctuators, TOKEN_IDENTIFIER, _CHARACTER, _STRING,
 * _PRAGMA, _UNKNOWN, _END) or one of these. */
enum {
    PP_NUMBER = TOKEN_COUNT,
    PP_END_OF_LINE, /* of a directive */
    PP_END_OF_LIST, /* of an isolated token list */
    PP_PLACEMARKER, /* C99, 6.10.3.3: an empty operand of ## */
};

enum {
    PP_LINE_START = 1,
    PP_SPACE = 2,
    PP_NO_EXPAND = 4, /* C99, 6.10.3.4p2: met while its macro was being replaced */
    PP_WIDE = 8,      /* L"" or L'' */
    PP_UCN = 16,      /* an identifier spelled with \u or a splice: length is not the name's */
};

struct pp_token {
    uint16_t kind, flags;
    src_loc loc;
    uint32_t length;    /* of text; for identifiers as spelled */
    uint32_t parameter; /* in macro bodies: 1 + index when it names a parameter */
    union {
        struct ident *ident;
        const char *text; /* splices and trigraphs resolved; not NUL-terminated */
    };
};

typedef VEC(struct pp_token) pp_tokens;

/* ---- lex.c ---- */

/* Reads one file. */
struct lexer {
    struct src_file *file;
    const char *at, *begin, *end; /* *end is NUL */
    bool line_start, in_directive;
    uint32_t num_conditionals; /* of the stack when this file was entered */
    uint32_t search_index;     /* where #include_next goes on */
};

extern const uint8_t clc_char_class[256];
enum { CHAR_IDENT = 1, CHAR_DIGIT = 2, CHAR_BLANK = 4, CHAR_NUMBER = 8 }; /* more in lex.c */
void pp_lexer_init(struct lexer *lexer, struct src_file *file);
void pp_lex(struct pp *pp, struct lexer *lexer, struct pp_token *token);
/* Whether the next token in the file is '(' (newlines skipped, nothing consumed). */
bool pp_lex_next_is_paren(struct pp *pp, struct lexer *lexer);
/* Scans exactly one token from NUL-terminated text; the number of bytes it took. loc: of text. */
uint32_t pp_lex_text(struct pp *pp, const char *text, src_loc loc, struct pp_token *token);
/* Goes past the excluded lines to the next '#' that begins one; false at the end of the file. */
bool pp_lex_skip_to_hash(struct pp *pp, struct lexer *lexer);
/* After #include: the header's name with its delimiters, when one follows directly. */
bool pp_lex_header_name(struct pp *pp, struct lexer *lexer, struct pp_token *token);
/* The rest of the directive's line as written, blanks at both ends dropped. */
const char *pp_lex_rest_of_line(struct pp *pp, struct lexer *lexer, size_t *length);
void pp_token_spelling(const struct pp_token *token, const char **text, uint32_t *length);

/* ---- unicode.c ---- */

uint32_t pp_utf8_encode(char *out, uint32_t code);
/* Decodes one character at text (up to end); 0 bytes when malformed. */
uint32_t pp_utf8_decode(const char *text, const char *end, uint32_t *code);
bool pp_may_be_in_name(uint32_t code, bool first);
bool pp_is_unicode_blank(uint32_t code);
/* Columns on a screen: 0 for a mark that combines, 2 for wide ones, -1 for what cannot be seen. */
int pp_character_width(uint32_t code);

/* ---- ident.c ---- */

void pp_ident_init(struct clc_front *front);
uint32_t pp_ident_hash(const char *name, size_t length);
struct ident *pp_intern_hashed(struct clc_front *front, const char *name, uint32_t length, uint32_t hash);

/* ---- literal.c ---- */

void pp_literal_number(struct pp *pp, const struct pp_token *in, struct token *out);
void pp_literal_character(struct pp *pp, const struct pp_token *in, struct token *out);
/* Joins count string tokens. */
void pp_literal_string(struct pp *pp, const struct pp_token *in, uint32_t count, struct token *out);
/* An integer in #if: 128 bits wide. false (and an error) when it is none. */
bool pp_literal_condition(struct pp *pp, const struct pp_token *in, struct int128 *value, bool *is_unsigned);
/* literal_float.c: the nearest value of the type to a literal without suffix. */
enum float_result { FLOAT_FINE, FLOAT_OVERFLOW, FLOAT_UNDERFLOW, FLOAT_MALFORMED };
enum float_result pp_literal_parse_float(const char *text, size_t length, enum literal_type type, double *value);

#endif
