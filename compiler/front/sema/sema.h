/* What the parser's and the checks' own files share. The parser calls the checks as it reads (one pass over the source,
 * the tree is built typed); parse/ knows the grammar, sema/ the rules of the
 * language, lint/ gives advice. */
#ifndef COMPILER_FRONT_SEMA_SEMA_H
#define COMPILER_FRONT_SEMA_SEMA_H

#include "base/util.h"
#include "compiler/front/ast.h"

#include <string.h>

/* ---- limits ---- */

enum {
    SEMA_MAX_NESTING = 256,  /* brackets, blocks, declarators, unary operators: each costs C stack */
    SEMA_MAX_INIT = 1 << 22, /* entries of all initialisers together */
    SEMA_MAX_PARAMS = 1024,  /* of a function */
    SEMA_MAX_LOOKAHEAD = 8
};
#define SEMA_MAX_OBJECT (1ull << 40) /* bytes of one type */

/* ---- declarations being read ---- */

/* A type in the making: whether its address space was written matters until the declarator around it is done. */
struct spec_type {
    struct qual_type type;
    bool explicit_as;
};

struct attribute_use { /* one whose place matters; row: parse/attribute.c's */
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
    uint32_t unroll;                     /* opencl_unroll_hint: as struct stmt's loop.unroll */
    uint32_t vector_lanes, vector_bytes; /* ext_vector_type(n), vector_size(n) */
    const struct ident *mode;            /* the argument of mode(); NULL: none */
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
    bool begun;        /* statements are gone already; of them: */
    bool ended;        /* control does not come past them */
    bool returns;      /* there is a return statement in them */
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

    bool skipping;     /* what could not be parsed as a declaration: nothing is said of its pragmas */
    src_loc bad_token; /* the last token that something was wrong with: one message is enough */
    uint32_t nesting, scope_depth;
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
    uint32_t num_changes; /* assignments and the like since the last full expression */
    struct size_seen {    /* the last results of sizeof, for warnings */
        const struct expr *result;
        struct qual_type type;
        const struct decl *decl;
        src_loc loc;
        bool parenthesised;
    } sizes[2];
    struct misaligned {             /* an address in a packed struct, taken in this full expression; NULL: none */
        const struct expr *address; /* for comparison only */
        const struct ident *member, *record;
        src_loc loc;
        struct src_range range;
    } misaligned;
    uint32_t in_address;  /* inside the operand of & */
    uint32_t unevaluated; /* inside sizeof, typeof: > 0 */
    struct str *scratch;
    bool generic_as, program_scope_global, fp16, fp64, images;
    const struct type *type_char_constant;
};

/* ---- parse.c: tokens, scopes, names ---- */

void sema_next(struct sema *s);
const struct token *sema_peek_further(struct sema *s, uint32_t distance);
static inline const struct token *sema_peek(struct sema *s, uint32_t distance) /* 1: the token after s->tok */
{
    if (distance > s->num_ahead)
        return sema_peek_further(s, distance);
    return &s->ahead[(s->first_ahead + distance - 1) % SEMA_MAX_LOOKAHEAD];
}
bool sema_accept(struct sema *s, enum token_kind kind);
/* Consumes kind, or says "expected …" and leaves the token. */
bool sema_expect(struct sema *s, enum token_kind kind, const char *what);
/* A ';', where one ')' or ']' too many may stand before it. */
bool sema_expect_semicolon(struct sema *s, const char *what);
void sema_insert_semicolon(struct sema *s); /* one was forgotten before the current token, and that was said */
/* What closes the bracket at open: else it is skipped to, and true is returned when it was not there. inside: NULL, or
 * what the bracket holds: of what is wrong already no more is said. */
bool sema_misses_closing(struct sema *s, enum token_kind kind, src_loc open, const struct expr *inside);
/* The current token, where it is a '}' that is wrong there and was not meant to end anything. */
void sema_skip_stray_brace(struct sema *s);
/* Skips to (not over) one of: ; at this level, the closing bracket of this level, or the end. */
void sema_skip_to_semicolon(struct sema *s);
void sema_skip_until(struct sema *s, enum token_kind stop);
void sema_enter(struct sema *s, src_loc loc); /* one level of nesting; fatal beyond the limit */
static inline void sema_leave(struct sema *s)
{
    s->nesting--;
}

uint32_t sema_scope_push(struct sema *s); /* returns a mark for pop */
void sema_scope_pop(struct sema *s, uint32_t mark);
void sema_scope_add(struct sema *s, struct decl *decl); /* makes it visible under its name */
void sema_scope_add_tag(struct sema *s, struct decl *decl);
struct decl *sema_lookup(struct sema *s, struct ident *name); /* predeclared names are made here */
struct decl *sema_decl_new(struct sema *s, enum decl_kind kind, struct ident *name, struct qual_type type, src_loc loc);
void sema_unit_add(struct sema *s, struct decl *decl);
bool sema_is_type_start(struct sema *s, const struct token *tok);
struct decl *sema_predeclared(struct sema *s, struct ident *name); /* sema/names.c */
const char *sema_token_text(struct sema *s, const struct token *tok);
bool sema_double_constants(struct sema *s);                 /* 1.0 is a double */
void parse_pragma(struct sema *s, const struct token *tok); /* obeys a TOKEN_PRAGMA */
void parse_check_packs(struct sema *s);  /* at the end: says which #pragma pack(push) were not popped */
void parse_check_unroll(struct sema *s); /* at a statement: says so when no loop follows the pragma */

/* ---- sema/suggest.c ---- */

enum suggest { SUGGEST_VALUE, SUGGEST_FUNCTION, SUGGEST_TYPE };
struct suggestion {
    const char *name; /* NULL: none is near */
    const struct decl *decl;
    src_loc loc;
};
struct suggestion sema_suggest(struct sema *s, const struct ident *name, enum suggest what);
struct suggestion sema_suggest_field(const struct type *record, const struct ident *name);
/* "; did you mean '…'?" or "", and the note that goes with it */
const char *sema_suggestion_text(struct sema *s, const struct suggestion *suggestion);
void sema_suggestion_note(struct sema *s, const struct suggestion *suggestion);
/* sema/names.c: the language's type names by number; NULL after the last */
const char *sema_predeclared_type(struct sema *s, uint32_t index);
const char *sema_vector_type_name(struct sema *s, uint32_t index);

/* ---- parse/specifiers.c, parse/attribute.c ---- */

bool parse_decl_specs(struct sema *s, struct decl_specs *specs, bool type_only);
void parse_declarator(struct sema *s, const struct decl_specs *specs, struct declarator *declarator, bool need_name,
                      bool allow_name);
struct qual_type parse_type_name(struct sema *s);
/* The vector of type that ext_vector_type(n) or vector_size(n) asks for, if one does. */
/* Without the underscores that may be around it: __packed__. */
const char *parse_attribute_word(const struct ident *name, size_t *length);
/* parse/mode.c: looks at the argument behind the name; and what it makes of a type, once. */
void parse_mode_argument(struct sema *s, struct attributes *attrs, src_loc loc);
void parse_apply_mode(struct sema *s, struct qual_type *type, struct attributes *attrs);
void parse_apply_vector_attributes(struct sema *s, struct qual_type *type, struct attributes *attrs, src_loc loc);
/* Says that a name is no type; from then on it is one of which nothing more is said. It has no declaration. */
void sema_unknown_type(struct sema *s, struct ident *name, src_loc loc);
void sema_note_forward(struct sema *s, const struct type *type); /* where an incomplete record was announced */
void parse_external_declaration(struct sema *s);
/* A block-scope declaration, its semicolon included. */
struct stmt *parse_declaration_statement(struct sema *s, const struct attributes *before); /* before: or NULL */
void parse_static_assert(struct sema *s);
void parse_attributes(struct sema *s, struct attributes *attrs); /* any number of __attribute__((...)); may be none */
void attributes_merge(struct attributes *into, const struct attributes *from);
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
const struct type *parse_record(struct sema *s, struct decl_specs *specs);
const struct type *parse_enum(struct sema *s, struct decl_specs *specs);
struct expr *parse_block_literal(struct sema *s);
void sema_check_blocks(struct sema *s, src_loc loc);

/* ---- parse/expr.c, parse/stmt.c ---- */

struct expr *parse_expression(struct sema *s); /* with commas */
struct expr *parse_assignment(struct sema *s);
struct expr *parse_conditional(struct sema *s);
/* An integer constant expression; poison was reported. */
bool parse_constant(struct sema *s, const char *what, struct expr **expr);
struct expr *parse_initializer(struct sema *s); /* raw: EXPR_INIT_LIST with designators, see sema/init.c */
struct stmt *parse_compound(struct sema *s, bool own_scope);
void parse_function_body(struct sema *s, struct decl *function);
struct expr *parse_builtin_form(struct sema *s, struct ident *name, src_loc loc);       /* __builtin_…, or NULL */
struct expr *parse_checked_form(struct sema *s, const struct ident *name, src_loc loc); /* parse/checked.c; likewise */
struct expr *parse_bits_form(struct sema *s, const struct ident *name, src_loc loc);    /* parse/bits.c; likewise */
/* The name and "(" so many arguments ")"; NULL: reported, of one of them too. */
struct expr **parse_form_operands(struct sema *s, uint32_t wanted, src_loc loc);
struct expr *sema_shuffle_lanes(struct sema *s, struct expr *base, const uint8_t *lanes, uint32_t count, src_loc loc);

/* ---- types (type.c, type_text.c) ---- */

static inline struct qual_type qt(const struct type *type)
{
    return (struct qual_type){.type = type};
}
static inline bool is_poison(const struct type *type)
{
    return type->kind == TYPE_POISON;
}
static inline bool expr_poison(const struct expr *expr)
{
    return expr->type.type->kind == TYPE_POISON;
}
const struct type *type_scalar(struct sema *s, enum type_kind kind);
/* The arithmetic type underneath an enumeration; others unchanged. */
static inline const struct type *type_strip_enum(const struct type *type)
{
    return type->kind == TYPE_ENUM ? type->enumeration.underlying : type;
}
static inline bool type_is_integer(const struct type *type)
{
    return type_is_integer_kind(type->kind) || type->kind == TYPE_ENUM;
}
static inline bool type_is_float(const struct type *type)
{
    return type_is_float_kind(type->kind);
}
static inline bool type_is_arith(const struct type *type)
{
    return type_is_integer(type) || type_is_float(type);
}
static inline bool type_is_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER;
}
static inline bool type_is_record(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}
static inline bool type_is_scalar(const struct type *type)
{
    return type_is_arith(type) || type->kind == TYPE_POINTER || type->kind == TYPE_BLOCK;
}
static inline bool type_is_opaque(const struct type *type)
{
    return type->kind >= TYPE_IMAGE && type->kind <= TYPE_PIPE && type->kind != TYPE_NDRANGE;
}
bool type_is_signed(const struct type *type);
/* An array's element as the object in it: the array's address space and qualifiers added. */
struct qual_type type_array_element(struct qual_type array);
struct qual_type qual_type_unqualified(struct qual_type type);
bool qual_type_same(struct qual_type a, struct qual_type b); /* compatible with equal qualifiers and address space */
struct qual_type type_derived(struct qual_type from, const struct type *derived); /* carries the sugar */
struct qual_type type_undo(struct qual_type from, struct qual_type inner);        /* ...back */
const struct type *type_block(struct sema *s, const struct type *function);
const struct type *type_pipe(struct sema *s, struct qual_type packet, uint8_t access);
const struct type *type_image(struct sema *s, enum image_kind kind, uint8_t access);
struct type *type_new_record(struct sema *s, enum type_kind kind, struct decl *tag);
void type_layout_record(struct sema *s, struct type *type, uint32_t min_align, uint32_t max_align);
bool type_contains_pointer(const struct type *type);
/* "'float4'", or "'foo' (aka 'struct bar')" for messages. */
const char *type_quote(struct sema *s, struct qual_type type);
const char *type_quote_expr(struct sema *s, const struct expr *expr);
const char *address_space_name(uint32_t space);
const char *clc_mangle(struct clc_front *front, struct ident *name, const struct type *function);

/* ---- expressions (sema/expr.c and friends) ---- */

struct expr *expr_new(struct sema *s, enum expr_kind kind, struct qual_type type, src_loc loc, struct src_range range);
struct expr *expr_int(struct sema *s, const struct type *type, uint64_t value, src_loc loc, struct src_range range);
struct expr *expr_decl(struct sema *s, struct decl *decl, src_loc loc, struct src_range range);
struct expr *expr_cast(struct sema *s, enum cast_kind kind, struct expr *operand, const struct type *to);
static inline struct src_range range_join(struct src_range a, struct src_range b)
{
    return (struct src_range){a.begin, b.end};
}
struct expr *sema_unary(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc);
struct expr *sema_binary(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc);
struct expr *sema_assign(struct sema *s, struct expr *left, struct expr *right, bool compound, enum binary_op op,
                         src_loc loc);
struct expr *sema_conditional(struct sema *s, struct expr *condition, struct expr *then_value, struct expr *else_value,
                              src_loc loc);
struct expr *sema_comma(struct sema *s, struct expr *left, struct expr *right, src_loc loc);
struct expr *sema_explicit_cast(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                struct src_range range);
struct expr *sema_vector_literal(struct sema *s, const struct type *type, struct expr **args, uint32_t num_args,
                                 src_loc loc, struct src_range range);
struct expr *sema_index(struct sema *s, struct expr *base, struct expr *index, src_loc loc);
struct expr *sema_member(struct sema *s, struct expr *base, struct ident *name, src_loc name_loc, bool arrow,
                         src_loc loc);
/* Finds a member, anonymous records searched; path gets the field numbers from outside in. */
bool sema_find_field(const struct type *record, const struct ident *name, uint32_t *path, uint32_t max_path,
                     uint32_t *length);
struct expr *sema_call(struct sema *s, struct expr *callee, struct expr **args, uint32_t num_args, src_loc loc,
                       src_loc end);
struct expr *sema_call_name(struct sema *s, struct ident *name, struct expr **args, uint32_t num_args, src_loc loc,
                            src_loc end);
void sema_check_printf(struct sema *s, struct expr **args, uint32_t num_args);
bool sema_check_half_value(struct sema *s, const struct expr *expr);
/* The declaration that an expression's name leads to, through parentheses and casts; or NULL. */
struct decl *expr_base_decl(const struct expr *expr);

/* ---- warnings: lint/operators.c (expressions), lint/unused.c, lint/flow.c (statements), lint/uninit.c ---- */

void sema_warn_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                      src_loc loc); /* operands as rvalues, before the usual conversions */
void sema_warn_condition(struct sema *s, const struct expr *condition, src_loc loc); /* of ?: */
void sema_warn_extra_parentheses(struct sema *s, const struct expr *condition);
void sema_warn_to_bool(struct sema *s, const struct expr *expr);
void sema_warn_assign(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc);
void sema_warn_enum_conversion(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc);
void sema_warn_null_dereference(struct sema *s, const struct expr *pointer, src_loc loc);
void sema_warn_string_plus(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);
void sema_warn_overflow(struct sema *s, const struct expr *expr); /* a folded arithmetic operation */
/* Of what stands alone as a statement, or before a comma. */
void sema_unused_value(struct sema *s, const struct expr *expr, bool before_comma);
/* lint/misuse.c */
void sema_lint_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                      src_loc loc);
void sema_lint_condition(struct sema *s, const struct expr *expr);
void sema_lint_to_bool(struct sema *s, const struct expr *expr);
void sema_lint_not(struct sema *s, const struct expr *operand, src_loc loc);
void sema_lint_sizeof(struct sema *s, const struct expr *result, struct qual_type type, const struct expr *operand,
                      bool changes);
void sema_lint_string_plus(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);
void sema_lint_returned(struct sema *s, const struct expr *value);
void sema_lint_address(struct sema *s, const struct expr *address);
void sema_lint_cast(struct sema *s, const struct expr *operand, const struct type *to);
void sema_lint_full_expression(struct sema *s);
/* lint/loop.c */
void sema_lint_for(struct sema *s, const struct stmt *loop);
void sema_lint_indentation(struct sema *s, src_loc statement, src_loc body, const char *what);
void sema_warn_unused_name(struct sema *s, const struct decl *decl); /* its scope ends */
void sema_warn_unused_in_function(struct sema *s, const struct decl *function, const struct function_context *context);
void sema_warn_unused_in_unit(struct sema *s);
bool sema_is_boolean(const struct expr *expr); /* only 0 and 1 come out */
void sema_warn_return(struct sema *s, const struct decl *function, const struct function_context *context);
void sema_flow_begin(struct function_context *context, const struct stmt *first); /* notes what goes: a list */
void sema_warn_uninitialized(struct sema *s, const struct decl *function);        /* whose tree is whole */
void sema_warn_sequence(struct sema *s, const struct expr *expr); /* of a full expression; lint/sequence.c */
void sema_warn_switch(struct sema *s, const struct stmt *stmt);
void sema_warn_empty_body(struct sema *s, const struct stmt *body, src_loc head, src_loc line_end, const char *what);

/* ---- conversions (sema/convert.c) ---- */

enum convert_context { CONVERT_ASSIGN, CONVERT_INIT, CONVERT_PASS, CONVERT_RETURN, CONVERT_BUILTIN };
/* Assignment conversion with its messages; param: the parameter for CONVERT_PASS. Poison when impossible. */
struct expr *sema_convert(struct sema *s, struct expr *expr, struct qual_type to, enum convert_context context,
                          src_loc loc);
struct expr *sema_condition(struct sema *s, struct expr *expr); /* rvalue, to bool; messages for non-scalars */
struct expr *sema_promote(struct sema *s, struct expr *expr);   /* rvalue with integer promotions */
struct expr *sema_widened_bool(struct sema *s, struct expr *expr);
struct expr *sema_to_arith(struct sema *s, struct expr *expr, const struct type *to); /* no checks */
/* Usual arithmetic conversions on both; false: reported. vectors allowed. */
bool sema_usual(struct sema *s, struct expr **left, struct expr **right, src_loc loc, bool compound_left);
bool sema_is_null_constant(const struct expr *expr);
enum pointer_match {
    POINTER_SAME,
    POINTER_QUALIFIERS,   /* discards some */
    POINTER_SIGN,         /* differs in the sign of integers only */
    POINTER_INCOMPATIBLE, /* warned */
    POINTER_NESTED_SPACE, /* inner pointers differ in address space: error */
    POINTER_SPACE         /* error */
};
enum pointer_match sema_pointer_match(const struct type *to, const struct type *from);
/* 0 exact, 1 promotion, 2 conversion, 3 one that only C has; -1 none. For overloads. */
int sema_conversion_rank(struct sema *s, struct expr *arg, struct qual_type to);
bool address_space_encloses(uint32_t outer, uint32_t inner);

/* ---- constants (const_eval.c) ---- */

void const_fold(struct sema *s, struct expr *expr); /* sets is_constant and value where possible; operands are done */
bool const_is_initializer(struct sema *s, struct expr *expr, struct expr **culprit);
uint64_t const_truncate(const struct type *type, uint64_t value); /* to the width, extended by signedness */
double const_round(const struct type *type, double value);
bool const_cast_value(const struct type *from, const struct type *to, const struct const_value *in,
                      struct const_value *out);

/* ---- declarations (sema/decl.c, sema/init.c, sema/unit.c) ---- */

/* Enters a declared name into the scope: redeclarations, address spaces, restrictions. May return an invalid decl. */
struct decl *sema_declare(struct sema *s, const struct decl_specs *specs, struct declarator *declarator);
void sema_initialize(struct sema *s, struct decl *variable, struct expr *raw, src_loc loc);
/* After its declarator and initialiser. initialized: one was written. */
void sema_variable_complete(struct sema *s, struct decl *variable, bool initialized);
void sema_begin_function(struct sema *s, struct decl *function, struct declarator *declarator);
void sema_check_kernel(struct sema *s, struct decl *function);
/* Turns a raw initialiser into one for the type (which it completes, for arrays without size). */
struct expr *sema_init_convert(struct sema *s, struct qual_type *type, struct expr *raw, src_loc loc, bool constant);
void sema_finish_unit(struct sema *s);
void sema_capture(struct sema *s, struct decl **decl, src_loc loc);  /* a block's use of an outer variable */
bool sema_is_capture(const struct sema *s, const struct decl *decl); /* that has come of that, in this block */

/* ---- sema/stream.c ---- */

void sema_stream_functions(struct sema *s, struct decl *function); /* after a definition */
void sema_stream_statements(struct sema *s, struct stmt *body);    /* between the statements of a function's body */
void sema_stream_rest(struct sema *s);                             /* at the unit's end, checked */
bool sema_is_lasting(const struct decl *variable); /* its initialiser is needed as long as the program */
/* Reads such a variable's initialiser. s->tok is what follows the "=" at loc. */
void sema_initialize_lasting(struct sema *s, struct decl *variable, src_loc loc);

#endif
