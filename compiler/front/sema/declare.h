/* Declarations: what the parser has read of one, and what the checks make of it. */
#ifndef COMPILER_FRONT_SEMA_DECLARE_H
#define COMPILER_FRONT_SEMA_DECLARE_H

#include "compiler/front/sema/sema.h"

/* ---- read ---- */

/* A type in the making: whether its address space was written matters until the declarator around it is done. */
struct spec_type {
    struct qual_type type;
    bool explicit_as;
};

/* What an attribute may stand on. Where clang only warns, so do we. */
enum attribute_rule {
    RULE_ANY,
    RULE_FUNCTION,           /* else a warning */
    RULE_FUNCTION_STATEMENT, /* likewise */
    RULE_FUNCTION_STRICT,    /* else an error */
    RULE_FUNCTION_TYPE,
    RULE_RESULT, /* functions with a result, records, typedefs */
    RULE_RECORD,
    RULE_VARIABLE,
    RULE_TYPED,  /* what has a type of its own, else an error */
    RULE_NUMBER, /* what is of a number's type */
    RULE_TYPEDEF,
    RULE_LOOP,
};

struct attribute_row { /* a known attribute: parse/attribute.c has the table */
    const char *name;
    uint8_t kind;      /* enum attribute of parse/attribute.c */
    uint8_t rule;      /* enum attribute_rule */
    uint8_t arguments; /* parse/attribute.c: which it takes */
};

struct attribute_use { /* one whose place matters */
    struct attribute_use *next;
    const struct attribute_row *row;
    src_loc loc;
};

struct availability { /* deprecated or unavailable; text: why, or NULL */
    bool unavailable;
    const char *text;
    src_loc loc;
};

struct attributes {
    struct attribute_use *uses;
    struct availability *availability;
    uint32_t flags; /* FN_* */
    uint32_t align; /* 0: none */
    bool packed, unused, nosvm, warn_unused, has_reqd, has_hint, unknown_scope, enum_extensible;
    uint32_t reqd[3], hint[3], reqd_subgroup;
    uint32_t unroll;                      /* opencl_unroll_hint: as struct stmt's loop.unroll */
    uint32_t vector_lanes, vector_bytes;  /* ext_vector_type(n), vector_size(n) */
    uint32_t matrix[4];                   /* coop_mat(scope, rows, columns, use) */
    enum matrix_encoding matrix_encoding; /* pumice_coop_mat_bfloat16(...), ..._e4m3(...), ..._e5m2(...) */
    src_loc matrix_loc;                   /* 0: none */
    const struct ident *mode;             /* the argument of mode(); NULL: none */
    src_loc mode_loc;
    struct qual_type vec_type_hint;
    src_loc loc; /* of the first one; 0: none */
    const char *asm_label;
};

struct decl_specs {
    struct spec_type base;
    enum storage storage;
    bool type_only; /* no declaration: a type's name, or a member */
    bool is_typedef, is_inline, is_kernel, is_noreturn, is_register, is_auto, has_type, defines_tag;
    bool deduced; /* __auto_type: the initialiser says the type */
    src_loc deduced_loc;
    src_loc loc, storage_loc, kernel_loc, inline_loc;
    struct decl *tag; /* struct, union or enum named here, for "declares nothing" */
    struct attributes attrs;
    uint32_t typedef_align; /* aligned attribute of the typedef that names the type; 0: none */
};

struct declarator {
    struct ident *name;
    src_loc loc; /* of the name, or where it would be */
    struct spec_type type;
    struct decl *params; /* of the outermost function declarator */
    uint32_t num_params;
    bool is_function; /* declares a function by its own declarator, so that a body may follow */
    struct attributes attrs;
};

/* One part of a designation. In a raw list (an EXPR_INIT_LIST as the parser made it) an entry's index is the address of
 * its first designator, or 0. */
struct designator {
    struct designator *next;
    struct ident *field; /* NULL: [low ... high] */
    uint64_t low, high;
    src_loc loc;
};

/* ---- attributes (attribute.c) ---- */

void sema_merge_attributes(struct attributes *into, const struct attributes *from);
enum attribute_subject {
    SUBJECT_VARIABLE,
    SUBJECT_PARAMETER,
    SUBJECT_FUNCTION,
    SUBJECT_FIELD,
    SUBJECT_TYPEDEF,
    SUBJECT_RECORD
};
void sema_check_attributes(struct sema *s, const struct attributes *attrs, enum attribute_subject on,
                           struct qual_type type);
void sema_check_statement_attributes(struct sema *s, const struct attributes *attrs);
void sema_restrict(struct sema *s, const void *what, struct availability *availability);
/* what: a declaration or a field that is restricted_use */
void sema_warn_availability(struct sema *s, const void *what, const struct ident *name, src_loc loc);

/* ---- declared (decl.c, init.c, unit.c, block.c) ---- */

void sema_check_blocks(struct sema *s, src_loc loc);
/* matrix.c: coop_mat(...), which stands on the type of an element; whether a variable may be a matrix, or an array of some. */
void sema_apply_matrix(struct sema *s, struct qual_type *type, struct attributes *attrs);
bool sema_check_matrix_variable(struct sema *s, const struct decl *variable, const struct type *matrix,
                                bool file_scope);
void sema_note_forward(struct sema *s, const struct type *type); /* where an incomplete record was announced */
/* Enters a declared name into the scope: redeclarations, address spaces, restrictions. May return an invalid decl. */
struct decl *sema_declare(struct sema *s, const struct decl_specs *specs, struct declarator *declarator);
void sema_initialize(struct sema *s, struct decl *variable, struct expr *raw, src_loc loc);
/* The alignment of the declared type, as the typedef that names it may state it. */
uint32_t sema_declared_align(const struct decl_specs *specs, const struct type *type);
/* After its declarator and initialiser. initialized: one was written. */
void sema_variable_complete(struct sema *s, struct decl *variable, bool initialized);
void sema_begin_function(struct sema *s, struct decl *function, struct declarator *declarator);
void sema_check_kernel(struct sema *s, struct decl *function);
/* Turns a raw initialiser into one for the type (which it completes, for arrays without size). */
struct expr *sema_init_convert(struct sema *s, struct qual_type *type, struct expr *raw, src_loc loc, bool constant);
void sema_capture(struct sema *s, struct decl **decl, src_loc loc);  /* a block's use of an outer variable */
bool sema_is_capture(const struct sema *s, const struct decl *decl); /* that has come of that, in this block */

#endif
