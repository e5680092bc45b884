/* The state of parser and checks, and scopes. The parser calls the checks as it reads: one pass over the source builds
 * a tree that is typed. parse/ knows the grammar, sema/ the rules of the language, and lint/ gives advice. */
#ifndef COMPILER_FRONT_SEMA_SEMA_H
#define COMPILER_FRONT_SEMA_SEMA_H

#include "base/util.h"
#include "compiler/front/sema/ast.h"
#include "compiler/front/sema/types.h"

#include <string.h>

/* ---- limits ---- */

enum {
    /* What costs C stack: brackets, blocks, declarators, unary operators; and statements, of which a bracket may bring
     * three or four ("switch (x) { case 1: {"). Clang takes 256 brackets. */
    SEMA_MAX_NESTING = 256,
    SEMA_MAX_STATEMENTS = 1024,
    SEMA_MAX_INIT = 1 << 22, /* entries of all initialisers together */
    SEMA_MAX_PARAMS = 1024,  /* of a function */
    SEMA_MAX_LOOKAHEAD = 8
};
#define SEMA_MAX_OBJECT (1ull << 40) /* bytes of one type */

/* ---- state ---- */

struct scope_entry {
    struct decl *decl;
    bool is_tag;
};

struct loop_context { /* innermost breakable statements of the function */
    struct loop_context *outer;
    struct stmt *switch_stmt;                      /* NULL: a loop */
    const struct type *switch_type, *written_type; /* after promotion, before */
    struct u64_map seen;                           /* case values -> STMT_CASE */
    VEC(struct stmt *) ranges;
};

struct function_context {
    struct function_context *outer; /* of a block literal */
    struct decl *decl;
    struct loop_context *loops;
    VEC(struct stmt *) gotos, labels; /* labels: those that may be warned about */
    uint32_t num_errors;              /* at its beginning */
    struct u64_map label_map;         /* name -> STMT_LABEL */
    struct u64_map callees;
    bool returns_inferred; /* a block without a written result type: the first return decides */
    bool has_result;
    uint32_t scope_depth; /* of the outermost block */
    /* while it is given away in parts (sema/stream.c): */
    bool whole;        /* it has labels or blocks: no parts */
    bool begun;        /* statements are gone already */
    uint32_t num_kept; /* entries of the scope whose initialisers need the tree no more */
};

struct pack_slot { /* of #pragma pack(push) */
    const char *name;
    uint32_t length, align;
    src_loc loc;
};

struct sema {
    struct clc_front *front;
    struct arena *arena;
    struct translation_unit *unit;

    struct token tok;
    struct token ahead[SEMA_MAX_LOOKAHEAD]; /* a ring */
    uint32_t first_ahead, num_ahead;
    src_loc prev_end; /* just after the last token consumed */

    bool skipping;                /* what could not be parsed as a declaration: nothing is said of its pragmas */
    src_loc bad_token;            /* the last token that something was wrong with: one message is enough */
    uint32_t nesting, statements; /* that are open */
    uint32_t scope_depth;
    uint32_t num_init_entries;
    VEC(struct scope_entry) scope;
    struct function_context *function; /* NULL at file scope */
    VEC(struct decl *) definitions;    /* function definitions in order */
    VEC(struct arena_mark) marks;      /* where their bodies begin in the tree, while it is there */
    struct arena_mark body_mark;       /* in the tree, where the body that is being read begins */
    struct decl *begun;                /* the taker has statements of it */
    uint32_t num_given;                /* of them, the taker has these */
    bool keep_tree;                    /* a variable may be defined after its use: emission must wait */
    struct expr *poison;
    struct decl *poison_type_decl;
    struct u64_map array_params;       /* parameters written as arrays -> that type */
    struct u64_map unknown_specifiers; /* names that were reported as such */
    struct u64_map availability;       /* declarations and members that are restricted_use -> struct availability */
    struct str_map extensions; /* #pragma OPENCL EXTENSION: name -> (void *)1 enabled, absent or NULL disabled */
    bool fp_contract_off;
    uint32_t pack_align;         /* #pragma pack: the bound of members' alignment; 0: none */
    VEC(struct pack_slot) packs; /* what its pushes kept */
    uint32_t num_blocks;
    uint32_t in_parameters;    /* inside parameter lists: > 0 */
    bool may_deduce;           /* the next specifiers may be __auto_type */
    bool infer_block_result;   /* the next body is of a block without a written result type */
    uint32_t pending_unroll;   /* #pragma unroll before a loop */
    const char *unroll_pragma; /* that pragma's spelling, NULL when an attribute asks */
    src_loc unroll_loc;
    const struct advice *advice; /* lint/ gives it, and */
    struct lint *lint;           /* what it remembers */
    uint32_t in_address;         /* inside the operand of & */
    uint32_t unevaluated;        /* inside sizeof, typeof: > 0 */
    struct str *scratch;
    bool generic_as, program_scope_global, fp16, fp64, images;
    const struct type *type_char_constant;
};

/* ---- scope.c ---- */

uint32_t sema_scope_push(struct sema *s); /* returns a mark for pop */
void sema_scope_pop(struct sema *s, uint32_t mark);
void sema_scope_add(struct sema *s, struct decl *decl); /* makes it visible under its name */
void sema_scope_add_tag(struct sema *s, struct decl *decl);
struct decl *sema_lookup(struct sema *s, struct ident *name); /* predeclared names are made here */
struct decl *sema_decl_new(struct sema *s, enum decl_kind kind, struct ident *name, struct qual_type type, src_loc loc);
void sema_unit_add(struct sema *s, struct decl *decl);

void sema_enter(struct sema *s, src_loc loc); /* one level of nesting; fatal beyond the limit */
static inline void sema_leave(struct sema *s)
{
    s->nesting--;
}

/* ---- features.c ---- */

bool sema_double_constants(struct sema *s); /* 1.0 is a double */
/* Is the extension available (part of the target, and enabled by #pragma where it needs that)? */
bool clc_extension_enabled(struct clc_front *front, const char *name);
bool clc_feature_enabled(struct clc_front *front, const char *name); /* "__opencl_c_fp64" */

/* ---- matrix.c ---- */

bool sema_has_matrices(struct sema *s);

/* ---- unit.c ---- */

void sema_end_unit(struct sema *s);

/* ---- stream.c ---- */

void sema_stream_functions(struct sema *s, struct decl *function); /* after a definition */
void sema_stream_statements(struct sema *s, struct stmt *body);    /* between the statements of a function's body */
void sema_stream_rest(struct sema *s);                             /* at the unit's end, checked */
bool sema_is_lasting(const struct decl *variable); /* its initialiser is needed as long as the program */
/* Around the parser's reading of such a variable's initialiser: where its nodes go, and that most of them go again. */
struct lasting {
    struct arena *nodes; /* where they went before */
    struct arena_mark mark;
    uint32_t num_globals;
};
struct lasting sema_begin_lasting(struct sema *s);
/* raw: what was read; loc: of the "=". */
void sema_initialize_lasting(struct sema *s, const struct lasting *lasting, struct decl *variable, struct expr *raw,
                             src_loc loc);

#endif
