/* The preprocessor: the stack of files and macros that tokens are read from, and the directives. */
#ifndef COMPILER_FRONT_PP_PP_H
#define COMPILER_FRONT_PP_PP_H

#include "compiler/front/pp/lex.h"
#include "compiler/front/pp/limits.h"
#include "compiler/front/pp/macro.h"
#include "compiler/front/pp/source_map.h"

/* Token storage that is used again when a macro's tokens have been read. */
struct token_buffer {
    struct token_buffer *next;
    pp_tokens tokens;
};

struct pp_frame {
    struct lexer *lexer; /* NULL: the tokens below */
    const struct pp_token *at, *end;
    struct macro *macro;         /* enabled again when the frame goes */
    struct token_buffer *buffer; /* recycled likewise */
    src_loc delta;               /* added to the tokens' locations */
    uint16_t first_flags;        /* the first token's blank flags */
    bool first;
    bool isolated; /* its end is PP_END_OF_LIST, and it is not left by itself */
};

struct conditional {
    src_loc loc;
    bool taken; /* one of its groups was */
    bool seen_else;
};

struct loaded_file {
    const char *path, *directory, *text;
    size_t length;
    uint64_t device, inode;
    uint32_t search_index;
    bool once;
};

struct saved_macro { /* #pragma push_macro */
    struct ident *name;
    struct macro *macro;
};

struct pp {
    struct clc_front *front;
    VEC(struct pp_frame) stack;
    uint32_t depth;          /* files on the stack */
    uint32_t argument_depth; /* arguments being expanded */
    uint32_t collecting;     /* macro calls whose arguments are being read */
    bool in_condition;       /* of #if: __has_include and the like mean something */
    uint32_t work;
    uint32_t counter;       /* __COUNTER__ */
    uint16_t pending_flags; /* blanks before the next token, from a macro that vanished */
    struct token_buffer *free_buffers;
    struct arguments *free_arguments; /* macro.c */
    VEC(struct conditional) conditionals;
    VEC(struct loaded_file) files;
    VEC(struct saved_macro) saved_macros;
    struct src_file *main_file;
    bool main_entered, has_fp16, has_fp64;
    struct ident *id_defined, *id_va_args, *id_va_opt;
    struct pp_token ahead; /* pp_next looks one token ahead for strings to join */
    bool has_ahead;
    struct str scratch; /* text under construction, reused */
};

/* ---- pp.c ---- */

void pp_push(struct pp *pp, const struct pp_frame *frame);
void pp_pop(struct pp *pp);
struct lexer *pp_lexer(struct pp *pp);                   /* the innermost file */
void pp_raw(struct pp *pp, struct pp_token *token);      /* the next token, directives obeyed, macros not replaced */
void pp_expanded(struct pp *pp, struct pp_token *token); /* macros replaced */
struct token_buffer *pp_buffer(struct pp *pp);
void pp_recycle(struct pp *pp, struct token_buffer *buffer);
static inline void pp_count(struct pp *pp, uint32_t tokens, src_loc loc) /* fatal past PP_MAX_WORK */
{
    if (tokens > PP_MAX_WORK - pp->work)
        pp_fatal(pp->front, loc, "macros expand to more than %d tokens", PP_MAX_WORK);
    pp->work += tokens;
}

/* ---- directive.c ---- */

/* After '#' at a line's start. true: token holds a token for the reader (a #pragma). */
bool pp_directive(struct pp *pp, struct lexer *lexer, const struct pp_token *hash, struct pp_token *token);
void pp_directive_skip_rest(struct pp *pp, struct lexer *lexer);
void pp_directive_expect_end(struct pp *pp, struct lexer *lexer, const char *name);
void pp_conditionals_finish(struct pp *pp, struct lexer *lexer);

/* ---- include.c ---- */

void pp_include(struct pp *pp, struct lexer *lexer, const struct pp_token *directive, bool next);
bool pp_include_exists(struct pp *pp, const char *name, size_t length, bool angled, bool next);
/* From a token list as in #include MACRO or __has_include(MACRO): "x" or <x>, name without delimiters. */
bool pp_include_name(struct pp *pp, struct pp_token *first, const char **name, size_t *length, bool *angled);
void pp_include_once(struct pp *pp, struct lexer *lexer);

/* ---- condition.c ---- */

bool pp_condition(struct pp *pp);

/* ---- pragma.c ---- */

/* #pragma, or the operator: reads to the end of the line or list. true: token is for the parser. */
bool pp_pragma(struct pp *pp, src_loc loc, struct pp_token *token);
bool pp_pragma_operator(struct pp *pp, const struct pp_token *name, struct pp_token *token);

#endif
