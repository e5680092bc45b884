/* Macros: what a definition is, and how a call is replaced. */
#ifndef COMPILER_FRONT_PP_MACRO_H
#define COMPILER_FRONT_PP_MACRO_H

#include "compiler/front/pp/lex.h"

enum macro_builtin {
    MACRO_ORDINARY,
    MACRO_LINE,
    MACRO_FILE,
    MACRO_BASE_FILE,
    MACRO_COUNTER,
    MACRO_INCLUDE_LEVEL,
    MACRO_DATE,
    MACRO_TIME,
    MACRO_TIMESTAMP,
    MACRO_PRAGMA_OPERATOR,
    MACRO_HAS_INCLUDE, /* from here on only in #if and #elif */
    MACRO_HAS_INCLUDE_NEXT,
    MACRO_HAS_ATTRIBUTE,
    MACRO_HAS_BUILTIN,
    MACRO_HAS_EXTENSION,
    MACRO_HAS_FEATURE,
    MACRO_HAS_WARNING,
    MACRO_IS_IDENTIFIER,
};

struct macro {
    struct ident *name;
    src_loc loc;     /* of the name in its definition */
    uint8_t builtin; /* enum macro_builtin */
    bool function_like, variadic, predefined;
    bool pastes;             /* the body has ## */
    bool disabled;           /* being replaced now */
    uint32_t num_parameters; /* a variadic one included */
    struct ident **parameters;
    uint32_t length;
    struct pp_token *body;
    src_loc body_begin, body_end;
};

/* ---- macro.c ---- */

void pp_macro_define(struct pp *pp, struct lexer *lexer);
/* Replaces the call that token begins; false: it is none, and token (marked where C99 wants it) stays. */
bool pp_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro);
/* Text between quotes, as # makes it. */
void pp_macro_quote(struct str *out, const char *text, size_t length);

/* ---- builtin_macro.c ---- */

bool pp_builtin_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro);
/* __has_include(...) and its kin in #if */
uint64_t pp_builtin_macro_query(struct pp *pp, const struct pp_token *name, enum macro_builtin which);

/* ---- predefined.c ---- */

/* The macro that the language, the options or the device define under this name; NULL: none. */
struct macro *pp_predefined_find(struct pp *pp, struct ident *name);

#endif
