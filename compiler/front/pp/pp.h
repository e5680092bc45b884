/* What the preprocessor's own files share: preprocessing tokens, macros, files and their locations, and the reader's
 * stack. Nothing outside pp/ includes this. */
#ifndef COMPILER_FRONT_PP_PP_H
#define COMPILER_FRONT_PP_PP_H

#include "compiler/front/front.h"

/* ---- limits: what no program needs and a bomb would pass ---- */

enum {
    PP_MAX_INCLUDE_DEPTH = 200,
    PP_MAX_ARGUMENT_DEPTH = 256,   /* calls nested in arguments; each costs C stack */
    PP_MAX_EXPRESSION_DEPTH = 256, /* parentheses and operators in #if */
    PP_MAX_WORK = 1 << 23,         /* tokens expanded or substituted in one compilation */
    PP_MAX_SOURCE = 1u << 30,      /* bytes of one file */
    PP_MAX_TOKEN = 1 << 24,        /* bytes of one token */
    PP_MAX_MADE = 1 << 27,         /* bytes of all tokens that # and ## make */
};

/* ---- files and locations (source.c) ---- */

struct line_mark { /* #line: from offset on, lines count from line, in file name */
    uint32_t offset, line;
    const char *name;
};

struct src_file {
    const char *name;      /* as shown */
    const char *directory; /* where its own "includes" are looked for; NULL: nowhere but the search path */
    const char *text;      /* NUL-terminated */
    uint32_t length;
    src_loc base, included_from;
    bool scratch;        /* text of # and ## results */
    VEC(uint32_t) lines; /* offsets of line starts; made when first needed */
    VEC(struct line_mark) marks;
};

enum src_kind { SRC_FILE, SRC_EXPANSION, SRC_ARGUMENT };

/* One range of locations, up to the next entry's base. An expansion maps linearly to where its macro's body is written
 * (spelling) and remembers the call; an argument's tokens map to where they were written in the call, and remember the
 * parameter they replace. */
struct src_entry {
    src_loc base;
    uint8_t kind;
    union {
        struct src_file *file;
        struct {
            src_loc spelling, expansion, expansion_end;
        };
    };
};

enum { SRC_BLOCK = 512 };

struct source_manager {
    VEC(struct src_entry *) blocks; /* of SRC_BLOCK entries each, ascending by base: growing copies none of them */
    uint32_t num_entries;
    src_loc next;             /* first unused location */
    struct src_file *scratch; /* the newest scratch file */
    uint32_t scratch_used, scratch_total;
    uint32_t last; /* entry of the last look-up */
};

void clc_source_init(struct clc_front *front);
/* text must live as long as the compilation and be NUL-terminated. */
struct src_file *clc_source_enter(struct clc_front *front, const char *name, const char *text, size_t length,
                                  src_loc included_from);
/* A range of size locations that maps to spelling; returns its base. */
src_loc clc_source_map(struct clc_front *front, enum src_kind kind, uint32_t size, src_loc spelling, src_loc expansion,
                       src_loc expansion_end);
/* Copies text to scratch space (NUL-terminated there) and tells its location. */
src_loc clc_source_scratch(struct clc_front *front, const char *text, size_t length, const char **copy);
const struct src_entry *clc_source_entry(struct clc_front *front, src_loc loc);
src_loc clc_source_file_loc(struct clc_front *front, src_loc loc);      /* of the call, or the argument's spelling */
src_loc clc_source_expansion_end(struct clc_front *front, src_loc loc); /* of the outermost call */
src_loc clc_source_spelling(struct clc_front *front, src_loc loc);      /* where its characters are */
const char *clc_source_text(struct clc_front *front, src_loc loc);      /* its characters */
struct src_position clc_source_file_position(struct clc_front *front, const struct src_file *file, uint32_t offset,
                                             bool presumed);

/* ---- diagnostics (diag.c) ---- */

struct diag_state {
    src_loc last_include; /* of the include stack shown last */
    bool dropped;         /* the last error or warning was not shown, so that its notes are not */
    bool hushed;          /* say nothing: the lexer looks ahead */
    VEC(int8_t *) saved;  /* #pragma clang diagnostic push: copies of options.group_state */
};

void clc_diag_init(struct clc_front *front);
_Noreturn void clc_fatal_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "2 warnings and 1 error generated." */
void clc_diag_summary(struct clc_front *front);
/* The group of that name, DIAG_GROUP_NONE when unknown. name without "-W". */
enum diag_group clc_diag_group_find(const char *name, size_t length);

/* ---- preprocessing tokens ---- */

/* Kinds: punctuators, TOKEN_IDENTIFIER, _CHARACTER, _STRING, _PRAGMA, _UNKNOWN, _END as in enum token_kind, and these.
 */
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

/* ---- macros ---- */

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

/* ---- the reader ---- */

/* Reads one file. */
struct lexer {
    struct src_file *file;
    const char *at, *begin, *end; /* *end is NUL */
    bool line_start, in_directive;
    uint32_t num_conditionals; /* of the stack when this file was entered */
    uint32_t search_index;     /* where #include_next goes on */
};

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
    struct arguments *free_arguments; /* pp/macro.c */
    VEC(struct conditional) conditionals;
    VEC(struct loaded_file) files;
    VEC(struct saved_macro) saved_macros;
    struct src_file *main_file;
    bool main_entered, has_fp16, has_fp64;
    struct ident *id_defined, *id_va_args, *id_va_opt;
    struct pp_token ahead; /* clc_pp_next looks one token ahead for strings to join */
    bool has_ahead;
    struct str scratch; /* text under construction, reused */
};

/* lex.c */
extern const uint8_t clc_char_class[256];
enum { CHAR_IDENT = 1, CHAR_DIGIT = 2, CHAR_BLANK = 4, CHAR_NUMBER = 8 }; /* lex.c has more */
void clc_lexer_init(struct lexer *lexer, struct src_file *file);
void clc_lex(struct pp *pp, struct lexer *lexer, struct pp_token *token);
/* Whether the next token in the file is '(' (newlines skipped, nothing consumed). */
bool clc_lex_next_is_paren(struct pp *pp, struct lexer *lexer);
/* Scans exactly one token from NUL-terminated text; the number of bytes it took. loc: of text. */
uint32_t clc_lex_text(struct pp *pp, const char *text, src_loc loc, struct pp_token *token);
/* Goes past the excluded lines to the next '#' that begins one; false at the end of the file. */
bool clc_lex_skip_to_hash(struct pp *pp, struct lexer *lexer);
/* After #include: the header's name with its delimiters, when one follows directly. */
bool clc_lex_header_name(struct pp *pp, struct lexer *lexer, struct pp_token *token);
/* The rest of the directive's line as written, blanks at both ends dropped. */
const char *clc_lex_rest_of_line(struct pp *pp, struct lexer *lexer, size_t *length);
void clc_token_spelling(const struct pp_token *token, const char **text, uint32_t *length);
uint32_t clc_utf8_encode(char *out, uint32_t code);
/* Decodes one character at text (up to end); 0 bytes when malformed. */
uint32_t clc_utf8_decode(const char *text, const char *end, uint32_t *code);

/* ident.c */
void clc_ident_init(struct clc_front *front);
uint32_t clc_ident_hash(const char *name, size_t length);
struct ident *clc_intern_hashed(struct clc_front *front, const char *name, uint32_t length, uint32_t hash);

/* literal.c */
void clc_literal_number(struct pp *pp, const struct pp_token *in, struct token *out);
void clc_literal_character(struct pp *pp, const struct pp_token *in, struct token *out);
/* Joins count string tokens. */
void clc_literal_string(struct pp *pp, const struct pp_token *in, uint32_t count, struct token *out);
/* An integer in #if: 64 bits wide. false (and an error) when it is none. */
bool clc_literal_condition(struct pp *pp, const struct pp_token *in, uint64_t *value, bool *is_unsigned);
/* literal_float.c: the nearest value of the type to a literal without suffix. */
enum float_result { FLOAT_FINE, FLOAT_OVERFLOW, FLOAT_UNDERFLOW, FLOAT_MALFORMED };
enum float_result clc_literal_parse_float(const char *text, size_t length, enum literal_type type, double *value);

/* pp.c */
void clc_pp_push(struct pp *pp, const struct pp_frame *frame);
void clc_pp_pop(struct pp *pp);
struct lexer *clc_pp_lexer(struct pp *pp);              /* the innermost file */
void clc_pp_raw(struct pp *pp, struct pp_token *token); /* the next token, directives obeyed, macros not replaced */
void clc_pp_expanded(struct pp *pp, struct pp_token *token); /* macros replaced */
struct token_buffer *clc_pp_buffer(struct pp *pp);
void clc_pp_recycle(struct pp *pp, struct token_buffer *buffer);
static inline void clc_pp_count(struct pp *pp, uint32_t tokens, src_loc loc) /* fatal past PP_MAX_WORK */
{
    if (tokens > PP_MAX_WORK - pp->work)
        clc_fatal(pp->front, loc, "macros expand to more than %d tokens", PP_MAX_WORK);
    pp->work += tokens;
}

/* pp/macro.c */
void clc_macro_define(struct pp *pp, struct lexer *lexer);
/* Replaces the call that token begins; false: it is none, and token (marked where C99 wants it) stays. */
bool clc_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro);
void clc_macro_parse_body(struct pp *pp, struct lexer *lexer, struct macro *macro);
void clc_macro_set(struct pp *pp, struct macro *macro);
/* Text between quotes, as # makes it. */
void clc_macro_quote(struct str *out, const char *text, size_t length);

/* pp/builtin_macro.c */
bool clc_builtin_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro);
/* __has_include(...) and its kin in #if */
uint64_t clc_builtin_macro_query(struct pp *pp, const struct pp_token *name, enum macro_builtin which);

/* pp/predefined.c */
/* The macro that the language, the options or the device define under this name; NULL: none. */
struct macro *clc_predefined_find(struct pp *pp, struct ident *name);
bool clc_word_in_list(const char *list, const char *word, size_t length);

/* pp/directive.c */
/* After '#' at a line's start. true: token holds a token for the reader (a #pragma). */
bool clc_directive(struct pp *pp, struct lexer *lexer, const struct pp_token *hash, struct pp_token *token);
void clc_directive_finish(struct pp *pp, struct lexer *lexer);
void clc_directive_expect_end(struct pp *pp, struct lexer *lexer, const char *name);
void clc_conditionals_finish(struct pp *pp, struct lexer *lexer);

/* pp/include.c */
void clc_include(struct pp *pp, struct lexer *lexer, const struct pp_token *directive, bool next);
bool clc_include_exists(struct pp *pp, const char *name, size_t length, bool angled, bool next);
/* From a token list as in #include MACRO or __has_include(MACRO): "x" or <x>, name without delimiters. */
bool clc_include_name(struct pp *pp, struct pp_token *first, const char **name, size_t *length, bool *angled);
void clc_include_once(struct pp *pp, struct lexer *lexer);

/* pp/condition.c */
bool clc_condition(struct pp *pp);

/* pp/pragma.c */
/* #pragma, or the operator: reads to the end of the line or list. true: token is for the parser. */
bool clc_pragma(struct pp *pp, src_loc loc, struct pp_token *token);
bool clc_pragma_operator(struct pp *pp, const struct pp_token *name, struct pp_token *token);

#endif
