/* Tokens and names as the parser gets them, and the preprocessor that gives them. Implemented by pp/. */
#ifndef COMPILER_FRONT_TOKEN_H
#define COMPILER_FRONT_TOKEN_H

#include "base/int128.h"
#include "base/str.h"
#include "compiler/front/pp/source.h"

enum token_kind {
    TOKEN_END,                                       /* of the translation unit */
#define TOKEN(id, spelling)              TOKEN_##id, /* punctuators: TOKEN(PLUS_PLUS, "++") */
#define KEYWORD(id, spelling, condition) TOKEN_##id, /* keywords: KEYWORD(KERNEL, "__kernel", always) */
#include "compiler/front/pp/tokens.def"
    TOKEN_IDENTIFIER,
    TOKEN_INTEGER,   /* after conversion: value in token.integer, type in token.literal */
    TOKEN_FLOATING,  /* value in token.floating (exact nearest double; halfs and floats are rounded once, to their own
                        width) */
    TOKEN_CHARACTER, /* value in token.integer */
    TOKEN_STRING,    /* adjacent strings joined; bytes in token.text, NUL included in token.length */
    TOKEN_PRAGMA,    /* a #pragma that the parser handles (OPENCL, STDC, unroll, nounroll, clang loop, pack, ...):
                      * token.text    is its text after "#pragma" or inside _Pragma, comments dropped, blanks single;
                      * NUL-terminated */
    TOKEN_UNKNOWN,   /* a stray character or an unterminated literal (warned about already): fits no grammar */
    TOKEN_COUNT
};

enum literal_type {
    LITERAL_INT,
    LITERAL_UINT,
    LITERAL_LONG,
    LITERAL_ULONG,
    LITERAL_WIDE, /* 128 bits, for what fits no long: signed, and unsigned */
    LITERAL_UNSIGNED_WIDE,
    LITERAL_HALF,
    LITERAL_FLOAT,
    LITERAL_DOUBLE,
    LITERAL_MALFORMED /* reported */
};

/* An interned name: equal names are the same pointer. */
struct ident {
    const char *name;
    uint32_t length, hash;
    uint16_t keyword;    /* token_kind when it is a keyword in this compilation's language version, else 0 */
    struct macro *macro; /* the preprocessor's current definition, or NULL */
    struct decl *decl;   /* the parser's: innermost ordinary identifier in scope */
    struct decl *tag;    /* the parser's: innermost struct/union/enum tag in scope */
    const void *builtin; /* set by the built-in table on first look-up (struct builtin *), see builtin_checked */
    bool builtin_checked;
    bool not_predeclared; /* looked up, and no type or constant of the language */
};

struct token {
    enum token_kind kind;
    src_loc loc;
    uint32_t length; /* spelled length in bytes at loc; for strings the byte count with NUL */
    src_loc end;     /* the first character after it; of joined strings, after the first */
    bool at_line_start, space_before;
    enum literal_type literal;
    struct ident *ident; /* identifiers and keywords */
    union {
        struct {
            uint64_t integer, integer_high; /* integer_high: of literals with 128 bits */
        };
        double floating;
        const char *text;
    };
};

/* A number of 128 bits in decimal. text has WIDE_TEXT bytes. */
enum { WIDE_TEXT = 48 };
void pp_wide_text(char *text, struct int128 bits, bool is_signed);
struct ident *pp_intern(struct clc_front *front, const char *name, size_t length);
/* The spelling of a punctuator or keyword, or what a kind is called in messages ("identifier"). */
const char *pp_token_name(enum token_kind kind);

/* ---- the preprocessor ---- */

/* Predefined macros and -D, -U come first, then the main file. All of C99's translation phases 1-6, plus what clang
 * takes. */
void pp_begin(struct clc_front *front);
/* The next token for the parser: keywords resolved, numbers and strings converted, #pragma handed on as TOKEN_PRAGMA.
 * After the end it returns TOKEN_END for ever. */
void pp_next(struct clc_front *front, struct token *token);
/* Preprocessed text as of `pumice compile --stage=tokens` (like cc -E). */
void pp_print(struct clc_front *front, struct str *out);

#endif
