/* The tree of one translation unit, typed: what the parser and its checks build, and what emission walks.
 *
 * Every expression has its final type; conversions are explicit EXPR_CAST nodes; typedefs are resolved (types keep
 * their sugar for messages only). Rvalues have no qualifiers and are never of enum type but of its underlying type.
 * Conditions (if, loops, scalar ?:, operands of scalar && || !) are converted to bool by CAST_TO_BOOL. An array's
 * element has no address space of its own: the array's object says it, as a struct's says its members'. Emission needs
 * no rule of the language: it translates node by node. A node of type `poison` was diagnosed already and is never
 * emitted. All nodes live in the compilation's arena. */
#ifndef COMPILER_FRONT_AST_H
#define COMPILER_FRONT_AST_H

#include "compiler/front/sema/type.h"

#include "base/int128.h"

/* ---- constants ---- */

/* The value of a constant expression or of an initialiser's leaf. Nodes hold numbers only: see expr_value(). */
struct const_value {
    enum { CONST_NONE, CONST_INT, CONST_FLOAT, CONST_ADDRESS } kind;
    uint64_t integer;  /* truncated to the type and extended by its signedness; also the byte offset of an address */
    double floating;   /* already rounded to the type */
    struct decl *base; /* address: of this variable or function; NULL with a string */
    struct expr *base_string; /* address: of this string literal */
};

/* ---- declarations ---- */

enum decl_kind { DECL_VARIABLE, DECL_FUNCTION, DECL_TYPEDEF, DECL_ENUM_CONSTANT, DECL_TAG };
enum storage { STORAGE_NONE, STORAGE_STATIC, STORAGE_EXTERN };
enum {
    FN_KERNEL = 1,
    FN_INLINE = 2,
    FN_ALWAYS_INLINE = 4,
    FN_NOINLINE = 8,
    FN_OVERLOADABLE = 16,
    FN_CONST = 32,
    FN_PURE = 64,
    FN_NORETURN = 128,
    FN_CONVERGENT = 256,
    FN_CONTRACT_OFF = 512, /* #pragma OPENCL FP_CONTRACT OFF in force at (part of) its body */
    FN_BLOCK = 1024,       /* a block literal's function: see block_captures */
    FN_VARIADIC_BUILTIN = 2048
};

/* A variable from outside that a block literal uses, by its value at the time of the literal. Evaluating EXPR_BLOCK
 * copies outer to copy, a variable of the function around it. The block's body reads inner, a const variable of the
 * block's own function. */
struct block_capture {
    struct decl *outer, *copy, *inner;
    struct expr *value; /* what copy gets: an array's address; NULL: outer's value */
};
struct block_captures {
    struct decl *enclosing; /* function */
    VEC(struct block_capture) list;
};

struct decl {
    enum decl_kind kind;
    struct ident *name; /* NULL: anonymous */
    struct qual_type type;
    src_loc loc;
    struct decl *next;     /* next of the translation unit, block, or parameter list */
    struct decl *shadowed; /* scope chain: what name meant outside */
    uint32_t scope_depth;
    bool used, referenced_deep, invalid;
    bool restricted_use; /* deprecated or unavailable */
    enum storage storage;
    struct decl *first;    /* redeclarations: the first declaration; itself for the first */
    struct decl *overload; /* functions: next overload of this name */
    union {
        struct {
            struct expr *init;              /* converted to the type; EXPR_INIT_LIST for aggregates; NULL none */
            uint32_t align;                 /* aligned attribute, or the type's */
            bool is_param, is_static_local; /* program-scope lifetime when static or file scope */
            bool file_scope;
            struct expr *block; /* TYPE_BLOCK variable: the literal it was initialised with, or NULL */
            uint32_t param_index;
            uint32_t num_refs, num_sets; /* uses of the name; of them, those that only set it */
        } var;
        struct {
            struct decl *params; /* DECL_VARIABLE list; of the definition when there is one */
            uint32_t num_params;
            struct stmt *body;       /* NULL: declared only */
            struct decl *definition; /* on every redeclaration, or NULL */
            uint32_t flags;          /* FN_* */
            uint32_t reqd_work_group_size[3], work_group_size_hint[3], reqd_sub_group_size;
            bool has_reqd, has_hint;
            struct qual_type vec_type_hint; /* type NULL: none */
            const char
                *mangled; /* link name: Itanium-mangled for overloadable functions as clang does, else the plain name */
            VEC(struct decl *) callees;           /* functions that the body calls, once each */
            VEC(struct decl *) blocks;            /* functions of the block literals in it */
            VEC(struct decl *) locals;            /* __local variables declared in it */
            struct block_captures *captures;      /* block literals: else NULL */
            enum { UNSEEN, ON_PATH, DONE } reach; /* by kernels (sema/unit.c) */
            bool nosvm, warn_unused;
            bool taken; /* its body is emitted, and its tree is gone (sema/stream.c) */
        } fn;
        struct {
            bool explicit_address_space;
            uint32_t align; /* aligned attribute: of variables and members declared with it */
        } alias;            /* DECL_TYPEDEF */
        struct {
            int64_t value;
            const struct type *of; /* the enumeration, whatever the constant's type; NULL: the language's own */
        } enum_constant;           /* as bits of type */
        struct {
            const struct type *type;
            bool is_enum, defined;
        } tag;
    };
    void *emit; /* emission's: id of the variable, function... */
};

/* ---- expressions ---- */

enum expr_kind {
    EXPR_POISON,
    EXPR_INT,    /* integer: integers, enumerators, characters, folded constants, bool */
    EXPR_FLOAT,  /* floating */
    EXPR_STRING, /* array of constant char */
    EXPR_DECL,   /* a variable (lvalue) or a function */
    EXPR_UNARY,
    EXPR_BINARY,
    EXPR_ASSIGN,
    EXPR_COND,
    EXPR_COMMA,
    EXPR_CAST,
    EXPR_CALL,    /* user function (or block) */
    EXPR_BUILTIN, /* a function of the built-in library */
    EXPR_INDEX,   /* base is a pointer (arrays decayed); element = *(base + index); also vector[index]: base a vector */
    EXPR_MEMBER,  /* base is an lvalue or rvalue struct/union; -> is MEMBER of a DEREF */
    EXPR_SWIZZLE, /* vector components: base a vector; lvalue if base is one and no component repeats */
    EXPR_VECTOR,  /* vector literal (float4)(a, b, c, d): args give all lanes in order (vectors among them), or one
                     scalar splatted */
    EXPR_COMPOUND,         /* C99 compound literal: an unnamed variable (decl) with its initialiser; lvalue */
    EXPR_INIT_LIST,        /* initialiser of an aggregate: see struct init_entry */
    EXPR_STATEMENT,        /* ({ ... }): value of the last expression statement */
    EXPR_SIZEOF_VLA_NEVER, /* keeps numbering stable; never built */
    EXPR_BLOCK,            /* ^{ ... } block literal: decl is its function */
    EXPR_INTRINSIC,        /* what no function or operator says: see enum intrinsic */
    EXPR_KIND_COUNT
};

enum unary_op {
    UNARY_PLUS,
    UNARY_MINUS,
    UNARY_NOT /* ~ */,
    UNARY_LOGICAL_NOT,
    UNARY_DEREF,
    UNARY_ADDRESS,
    UNARY_PRE_INC,
    UNARY_PRE_DEC,
    UNARY_POST_INC,
    UNARY_POST_DEC
};
enum intrinsic {
    INTRINSIC_UNREACHABLE, /* control never comes here; type void */
    INTRINSIC_TRAP,        /* likewise, for emission */
    INTRINSIC_ASSUME,      /* args[0], a bool, is true (its side effects are dropped); void */
};
enum binary_op {
    BINARY_MUL,
    BINARY_DIV,
    BINARY_REM,
    BINARY_ADD,
    BINARY_SUB,
    BINARY_SHL,
    BINARY_SHR,
    BINARY_LT,
    BINARY_GT,
    BINARY_LE,
    BINARY_GE,
    BINARY_EQ,
    BINARY_NE,
    BINARY_AND,
    BINARY_XOR,
    BINARY_OR,
    BINARY_LOGICAL_AND,
    BINARY_LOGICAL_OR
};

/* What a cast does; source and destination types tell widths. On vectors, lane by lane. */
enum cast_kind {
    CAST_LVALUE_TO_RVALUE, /* load */
    CAST_NOP,              /* same representation: qualifiers, int <-> uint, pointer types within one address space */
    CAST_INT,              /* integer to integer (bool source included: 0/1) */
    CAST_INT_TO_FLOAT,
    CAST_FLOAT_TO_INT,
    CAST_FLOAT,
    CAST_TO_BOOL, /* scalar (pointers too) != 0 */
    CAST_ARRAY_TO_POINTER,
    CAST_FUNCTION_TO_POINTER,
    CAST_INT_TO_POINTER,
    CAST_POINTER_TO_INT,
    CAST_TO_GENERIC,
    CAST_FROM_GENERIC,   /* address space change (explicit casts between named spaces are an error before) */
    CAST_SPLAT,          /* scalar (already of element type) to vector */
    CAST_NULL_POINTER,   /* integer constant 0 to a pointer, event_t, queue_t... */
    CAST_BITCAST,        /* vector to vector of the same size by (ext)vector cast rules, as_type is a builtin */
    CAST_VOID,           /* value dropped */
    CAST_MASK,           /* bool vector to int vector 0/-1: comparisons of vectors */
    CAST_INT_TO_SAMPLER, /* a constant made of CLK_ADDRESS_... | CLK_FILTER_... */
};

struct init_entry { /* one leaf or nested aggregate of an initialiser, in order; later ones override */
    uint64_t index; /* element of array, field of struct/union, lane of nothing */
    struct expr *
        value; /* EXPR_INIT_LIST for nested aggregates, else an rvalue of the member's type (strings for char arrays) */
};

struct expr { /* the bulk of a build's memory: kept small, and allocated without what its kind does not use */
    struct qual_type type;
    src_loc loc;            /* where a caret goes: the operator or name */
    struct src_range range; /* whole expression */
    enum expr_kind kind : 8;
    bool lvalue : 1, parenthesised : 1;
    bool named_constant : 1; /* an enumerator, true or false */
    bool enumerator : 1;     /* EXPR_INT: decl is it */
    bool is_constant : 1;    /* the folded value of this (scalar) rvalue is known */
    bool folded : 1;         /* is_constant, but no integer constant expression in C's sense (reads a const variable) */
    bool float_value : 1;    /* that value is floating, else integer */
    bool wide : 1;           /* EXPR_INT: it has 128 bits, see wide_part (sema/wide.c) */
    union {
        uint64_t integer; /* as in struct const_value */
        double floating;
    };
    union {
        struct {
            uint64_t high;
            bool is_unsigned;
        } wide_part;
        struct {
            enum unary_op op;
            struct expr *operand;
        } unary;
        /* comparisons and logical operators of scalars give int 0/1; of vectors signed integer lanes 0/-1 of the
         * operands' width. Operands are converted to one type (pointer arithmetic: pointer and integer, either side for
         * +). */
        struct {
            enum binary_op op;
            struct expr *left, *right;
        } binary;
        /* compound: left OP= right: the arithmetic is done in compute_type, left converted to it, the result converted
         * back */
        struct {
            bool compound;
            enum binary_op op;
            struct expr *left, *right;
            const struct type *compute_type;
        } assign;
        /* scalar condition: branches; vector condition (integer lanes): lane-wise select by the lanes' most significant
         * bit */
        struct {
            struct expr *condition, *then_value, *else_value;
        } cond; /* then_value NULL: GNU ?: with the condition's value */
        struct {
            struct expr *left, *right;
        } comma;
        struct {
            enum cast_kind cast : 8;
            bool explicit_cast;
            struct expr *operand;
        } cast;
        struct {
            struct expr *callee;
            struct decl *function;
            struct expr **args;
            uint32_t num_args;
        } call; /* function NULL: through a block */
        struct {
            const struct builtin *builtin;
            struct expr **args;
            const struct type *gentype; /* what the overload's generic type is bound to, or NULL */
            uint32_t num_args, pattern; /* pattern: the overload, by its number in the row */
        } builtin;
        struct {
            struct expr *base, *index;
        } index;
        struct {
            struct expr *base;
            uint32_t field;
        } member;
        struct {
            struct expr *base;
            uint8_t lanes[16];
            uint32_t num_lanes;
        } swizzle;
        struct {
            struct expr **args;
            uint32_t num_args;
        } vector;
        struct {
            struct decl *variable;
        } compound;
        struct {
            struct init_entry *entries;
            uint32_t num_entries;
        } init;
        struct {
            enum intrinsic op;
            struct expr **args;
            uint32_t num_args;
        } intrinsic;
        struct {
            struct stmt *body;
            struct expr *value; /* the body's last expression statement (an rvalue), or NULL: void */
        } statement;
        struct {
            const char *bytes;
            uint64_t length;
            void *emit;
        } string;
        struct decl *decl;
    };
};

/* Of a node that is_constant. */
static inline struct const_value expr_value(const struct expr *expr)
{
    if (expr->float_value)
        return (struct const_value){.kind = CONST_FLOAT, .floating = expr->floating};
    return (struct const_value){.kind = CONST_INT, .integer = expr->integer};
}
static inline void expr_set_value(struct expr *expr, struct const_value value)
{
    expr->float_value = value.kind == CONST_FLOAT;
    if (expr->float_value)
        expr->floating = value.floating;
    else
        expr->integer = value.integer;
}

/* An integer constant's value, as wide as a constant can be. */
struct wide_int {
    struct int128 bits;
    bool is_unsigned;
};

/* ---- statements ---- */

enum stmt_kind {
    STMT_EMPTY,
    STMT_EXPR,
    STMT_DECL,
    STMT_BLOCK,
    STMT_IF,
    STMT_WHILE,
    STMT_DO,
    STMT_FOR,
    STMT_SWITCH,
    STMT_CASE,
    STMT_DEFAULT,
    STMT_LABEL,
    STMT_GOTO,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN
};

struct stmt {
    enum stmt_kind kind;
    src_loc loc;
    struct stmt *next; /* in a block */
    union {
        struct expr *expr;  /* EXPR; RETURN (NULL: no value) */
        struct decl *decls; /* DECL: variables in order, by decl->next until decls_end */
        struct {
            struct stmt *first;
        } block;
        struct {
            struct expr *condition;
            struct stmt *then_body, *else_body;
            src_loc else_loc;
        } branch; /* IF */
        /* WHILE, DO, FOR. condition NULL: for ever. unroll: 0 none, 1 do not unroll, UINT32_MAX full, else the factor
         */
        struct {
            struct stmt *init;
            struct expr *condition, *step;
            struct stmt *body;
            uint32_t unroll;
        } loop;
        struct {
            struct expr *value;
            struct stmt *body;
            VEC(struct stmt *) cases;
            struct stmt *default_case;
        } select; /* SWITCH */
        struct {
            uint64_t low, high;
            struct stmt *body;
            struct stmt *in_switch;
        } label_case; /* CASE (GNU range low...high), DEFAULT */
        struct {
            struct ident *name;
            struct stmt *body;
            bool used;
        } label; /* LABEL */
        struct {
            struct stmt *target;
            struct ident *name;
        } jump; /* GOTO: the STMT_LABEL */
    };
    struct decl *decls_end; /* STMT_DECL: the decl after the last; list is decls .. decls_end */
    void *emit;
};

/* ---- the whole ---- */

struct translation_unit {
    struct decl *first, *last;  /* file-scope declarations in order */
    VEC(struct decl *) kernels; /* definitions */
    VEC(struct decl *) globals; /* variables with program lifetime that are used: file scope and static locals */
    bool fp_contract_off, uses_printf, uses_generic;
};

/* ast_print.c: the tree as text, for people. */
void clc_ast_print(struct clc_front *front, const struct translation_unit *unit, struct str *out);
/* const_eval.c. Folds; false when expr is no constant. For sema and for emission's initialisers. */
bool clc_const_evaluate(struct clc_front *front, struct expr *expr, struct const_value *value);
/* Folds one lane of a vector (lane 0 of a scalar): for vector constants in initialisers. */
bool clc_const_lane(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value);

#endif
