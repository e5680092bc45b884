/* The front end's shared ground: source locations, diagnostics, tokens, the preprocessor's interface, options, and the
 * state of one compilation. Everything lives in the compilation's arena; a compilation belongs to one thread. */
#ifndef COMPILER_FRONT_FRONT_H
#define COMPILER_FRONT_FRONT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "compiler/clc.h"

#include <stdbool.h>
#include <stdint.h>

struct clc_front;

/* ---- source.c: files, locations, diagnostics ---- */

/* A position: an offset into the concatenation of all source buffers (each file entered by #include gets its own range,
 * each macro expansion gets a range too, so that a token remembers both where it was spelled and where it was
 * expanded). 0: none. Within one token offsets can be added: token.loc + token.length ends it, a macro's too. */
typedef uint32_t src_loc;

struct src_range {
    src_loc begin, end; /* end is the first character after */
};

/* What a location resolves to: through #line, for people. */
struct src_position {
    const char *file;
    uint32_t line, column; /* from 1; columns count bytes */
    const char *line_text; /* start of the source line; ends at '\n' or NUL */
    uint32_t line_length;
};

/* Enters text as a file; the text is copied. included_from: the #include's location, 0 for the main file. */
struct src_file *clc_source_add(struct clc_front *front, const char *name, const char *text, size_t length,
                                src_loc included_from);
/* For a token of a macro expansion: where it was expanded, or where the argument was written. */
struct src_position clc_source_position(struct clc_front *front, src_loc loc);
/* Where a token of a macro expansion was expanded (outermost), for messages; other locations come back unchanged. */
src_loc clc_source_expansion(struct clc_front *front, src_loc loc);
/* Whether a macro's expansion, an argument in it included, put the token there. */
bool clc_source_in_macro(struct clc_front *front, src_loc loc);

enum diag_severity { DIAG_NOTE, DIAG_REMARK, DIAG_WARNING, DIAG_ERROR };

/* Warning groups, with clang's names where clang has one ("-Wunused-variable"); the X-list is diag_groups.def:
 * DIAG_GROUP(enum_name, "name", on): 1 by default, 0 off, 2 with -Wall, 3 with -Wextra. */
enum diag_group {
    DIAG_GROUP_NONE, /* errors, and warnings that cannot be turned off one by one */
#define DIAG_GROUP(id, name, on) DIAG_GROUP_##id,
#include "diag_groups.def"
#undef DIAG_GROUP
    DIAG_GROUP_COUNT
};

/* Prints "file:line:column: error: text", the line, a caret, ~~~ under range (may be NULL), then the macro expansion
 * and include stack as notes. -w, -Werror, -W[no-]name and the error limit (20, then "too many errors emitted") are
 * obeyed here. Messages begin with a small letter, quote with '…', and have no full stop, like clang's. */
void clc_error(struct clc_front *front, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void clc_error_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void clc_warning(struct clc_front *front, enum diag_group group, src_loc loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void clc_warning_range(struct clc_front *front, enum diag_group group, src_loc loc, struct src_range range,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Belongs to the error or warning just before, and is dropped with it. */
void clc_note(struct clc_front *front, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Whether this group's warnings are heard: for checks that cost something. */
bool clc_warning_enabled(const struct clc_front *front, enum diag_group group);
/* Ends the compilation at once, by longjmp to its entry, after this message (nesting limits, too many errors). */
_Noreturn void clc_fatal(struct clc_front *front, src_loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- tokens ---- */

enum token_kind {
    TOKEN_END,                                       /* of the translation unit */
#define TOKEN(id, spelling)              TOKEN_##id, /* punctuators: TOKEN(PLUS_PLUS, "++") */
#define KEYWORD(id, spelling, condition) TOKEN_##id, /* keywords: KEYWORD(KERNEL, "__kernel", always) */
#include "tokens.def"
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
        uint64_t integer;
        double floating;
        const char *text;
    };
};

struct ident *clc_intern(struct clc_front *front, const char *name, size_t length);
/* The spelling of a punctuator or keyword, or what a kind is called in messages ("identifier"). */
const char *clc_token_name(enum token_kind kind);

/* ---- preprocessor (pp/) ---- */

/* Predefined macros and -D, -U come first, then the main file. All of C99's translation phases 1-6, plus what clang
 * takes. */
void clc_pp_begin(struct clc_front *front);
/* The next token for the parser: keywords resolved, numbers and strings converted, #pragma handed on as TOKEN_PRAGMA.
 * After the end it returns TOKEN_END for ever. */
void clc_pp_next(struct clc_front *front, struct token *token);
/* Preprocessed text as of `pumice compile --stage=tokens` (like cc -E). */
void clc_pp_print(struct clc_front *front, struct str *out);

/* ---- options (options.c) ---- */

enum clc_std {
    CLC_STD_10 = 100,
    CLC_STD_11 = 110,
    CLC_STD_12 = 120,
    CLC_STD_20 = 200,
    CLC_STD_30 = 300,
    CLC_STD_31 = 310
};

struct clc_option_define {
    const char *name;  /* may be NAME or NAME(params) */
    const char *value; /* "1" by default; NULL: -U */
};

/* Parsed build options: see OpenCL 3.0 API, 5.8.6 Compiler Options and 5.8.7 Linker Options. */
struct clc_options {
    enum clc_std std; /* without -cl-std: OpenCL C 1.2 (API 3.0, 5.8.6.5) */
    bool std_given;
    VEC(struct clc_option_define) defines; /* in order */
    VEC(const char *) include_dirs;
    bool single_precision_constant, denorms_are_zero, fp32_correctly_rounded_divide_sqrt;
    bool opt_disable, mad_enable, no_signed_zeros, unsafe_math, finite_math_only,
        fast_relaxed_math; /* the stronger imply the weaker */
    bool uniform_work_group_size, no_subgroup_ifp;
    bool kernel_arg_info, debug_info;
    bool no_warnings, warnings_are_errors, all_warnings, extra_warnings;
    int8_t group_state[DIAG_GROUP_COUNT]; /* 0 default, 1 on, -1 off, 2 error */
    /* link */
    bool create_library, enable_link_options;
};

/* Splits and parses an options string as other drivers take it (quotes, backslashes, "-D X", "-DX=1"). Returns NULL or
 * a message: then the API answers CL_INVALID_BUILD_OPTIONS (or _COMPILER_, _LINKER_). link: only linker options are
 * valid. */
const char *clc_options_parse(struct arena *arena, const char *text, bool link, struct clc_options *options);

/* ---- one compilation (pp/compilation.c) ---- */

struct type_table; /* ast.h: common types */
struct sema;       /* parser's state */
struct decl;
struct stmt;

/* Who takes functions' bodies over while the unit is still being read, so that their tree can go (sema/stream.c). Asked
 * only while there are no errors. */
struct tree_taker {
    size_t limit, kernel_limit; /* bytes of tree before it is asked; kernel_limit: for kernels */
    void *data;
    /* The body, or what is left of it after its first statements were taken. */
    void (*function)(void *data, struct decl *function);
    /* The first statements of the function that is being read: a list. */
    void (*statements)(void *data, struct decl *function, struct stmt *first);
};

struct clc_front {
    struct arena *arena;
    struct arena *tree;             /* statements and expressions of functions' bodies */
    struct arena *nodes;            /* where nodes go now: tree, or arena */
    const struct tree_taker *taker; /* NULL: the tree stays */
    size_t tree_peak;               /* the most that it took */
    struct arena *initials;         /* initialisers of what lasts as long as the program, while they are read */
    struct arena_chunk **heir;      /* NULL, or the list that gets large pages that were taken */
    const struct clc_compile_args *args;
    struct clc_options options;
    const struct clc_target *target;
    struct str log; /* diagnostics so far */
    uint32_t num_errors, num_warnings;
    jmp_buf fatal;                  /* clc_fatal(), and the arena's out of memory */
    struct source_manager *sources; /* source.c */
    struct diag_state *diag;
    struct pp *pp;
    struct ident **ident_slots; /* clc_intern()'s table */
    uint32_t num_idents, ident_capacity;
    struct type_table *types;
    struct sema *sema;
    uint8_t guards[256]; /* builtins/find.c: of built-in functions, once asked for: 1 they are not met, 2 they are */
};

/* Runs work() on a fresh front whose preprocessor has begun on args' source. Owns the arena and the jump point: work()
 * may leave by clc_fatal() or by running out of memory, so what it allocates elsewhere must be reachable through data,
 * for the caller to free. Returns CLC_FAILED when there were errors. *log is malloc'ed (NULL when out of memory); log
 * may be NULL. */
enum clc_result clc_front_run(const struct clc_compile_args *args, void (*work)(struct clc_front *front, void *data),
                              void *data, char **log);

/* What the tree took since mark is free again; all of it has been emitted. */
void clc_front_free_tree(struct clc_front *front, struct arena_mark mark);

/* keyword conditions for tokens.def and the pp's feature macros */
static inline bool clc_std_at_least(const struct clc_front *front, enum clc_std std)
{
    return front->options.std >= std;
}

#endif
