/* Emission: the typed tree to kernel SPIR-V. What the files of emit/ share.
 *
 * A value has two forms. In memory it has emit_memory_type(): bool is an 8-bit integer, an enum its integer. In SSA it
 * has emit_type(), where bool is OpTypeBool; for everything else the two are the same. Every pointer that emission
 * handles points to the memory form of its C type, so that loads and stores need to look at bool only; where SPIR-V
 * cannot say a member's type in place (unions, recursive structs) the pointer is cast right where it is made.
 *
 * Functions are emitted when the first call reaches them, so what no kernel reaches costs nothing, but for those whose
 * tree has to go before the unit's end (sema/stream.c). Everything local to emission is in the front end's arena; the
 * module may live in another. */
#ifndef COMPILER_FRONT_EMIT_EMITTER_H
#define COMPILER_FRONT_EMIT_EMITTER_H

#include "compiler/front/sema/ast.h"
#include "compiler/front/emit/emit.h"
#include "compiler/spv/layout.h"
#include "compiler/spv/spv.h"

struct emit_jump;

/* Levels of recursion, for the C stack's sake. SEMA_MAX_STATEMENTS and SEMA_MAX_NESTING fit. */
enum { EMIT_MAX_DEPTH = 2500, EMIT_MAX_TYPE_DEPTH = 500 };

/* A function whose first statements are emitted, while others are. */
struct emit_open {
    struct decl *function; /* NULL: none */
    struct spv_builder b;
    uint32_t serial;
    bool dead_blocks;
};

struct emit {
    struct clc_front *front;
    struct arena *arena;                 /* scratch: front->arena */
    const struct translation_unit *unit; /* once it is complete */
    struct spv_module *module;
    struct spv_builder b; /* where code goes; b.block NULL: this point cannot be reached */

    struct decl *function;    /* being emitted */
    uint32_t function_serial; /* of the function being emitted: tells its locals from older ones */
    uint32_t num_serials;
    struct emit_jump *jumps; /* innermost loop or switch */
    uint32_t depth;          /* of recursion over statements and expressions, at most EMIT_MAX_DEPTH */
    uint32_t type_depth;     /* over types, at most EMIT_MAX_TYPE_DEPTH */
    uint64_t image_bytes;    /* of objects with initialisers, so far */
    uint32_t num_stored;     /* computed parts of initialisers, each stored by itself, so far */
    bool dead_blocks;        /* the function has blocks that may be unreachable */

    struct emit_open open;
    bool streamed;            /* functions were emitted before it was known whether any kernel reaches them */
    VEC(struct decl *) queue; /* functions to emit: first declarations */
    struct u64_map labels;    /* STMT_LABEL of the function -> its block's label */
    VEC(spv_id) interface;    /* all Input variables: every entry point lists them */
    struct spv_layouts layouts;
    struct u64_map inputs;        /* SpvBuiltIn -> id of its variable */
    struct u64_map functions;     /* first declaration -> id of the function that calls name */
    struct u64_map bodies;        /* first declaration -> id of the function that has its body; kernels: if streamed */
    struct u64_map globals;       /* definition of a program-scope variable -> its id */
    struct u64_map block_kernels; /* a block literal's function -> id of the kernel that enqueueing names */
    VEC(struct decl *) enqueued;  /* those, in order */
    struct u64_map definitions;   /* first declaration of a file-scope variable -> its definition */
    struct str_map strings;       /* contents of string literals -> id of the variable */
    struct u64_map samplers;      /* CLK_ bits -> OpConstantSampler */
    spv_id file_string;           /* -g: OpString of the file that line_loc is in */
    const char *file_name;
    struct str_map texts; /* where kernels are checked: name of a file -> struct emit_text (emit.c) */
    VEC(struct emit_text *) text_list;
    uint32_t line, column;
    struct spv_block *line_block;
    struct {
        uint64_t bits;
        spv_id type, id;
    } numbers[64]; /* constants that were asked for lately */
    spv_id type_u32, type_u64;
    uint32_t fast_math; /* FPFastMathMode bits that the options allow; 0: none */
    bool library;       /* externals are exported and undefined functions imported */
};

/* ---- type.c ---- */

spv_id emit_type(struct emit *e, const struct type *type);        /* of values; void too */
spv_id emit_memory_type(struct emit *e, const struct type *type); /* of objects in memory */
spv_id emit_pointer_type(struct emit *e, const struct type *pointee, enum address_space space);
/* Pointer to any SPIR-V memory type in an address space. */
spv_id emit_pointer_to(struct emit *e, spv_id memory_type, enum address_space space);
SpvStorageClass emit_storage_class(enum address_space space);
spv_id emit_int_type(struct emit *e, uint32_t width);
/* The SPIR-V member that holds a field, or UINT32_MAX where the field is reached by its byte offset. */
uint32_t emit_field_member(struct emit *e, const struct type *record, uint32_t field);
static inline const struct type *emit_canonical(const struct type *type) /* enums to their integer */
{
    while (type->kind == TYPE_ENUM)
        type = type->enumeration.underlying;
    return type;
}
/* Size and alignment of the SPIR-V memory type under the OpenCL layout rules. */
uint64_t emit_natural_size(struct emit *e, spv_id memory_type);
uint32_t emit_natural_align(struct emit *e, spv_id memory_type);
static inline bool type_is_aggregate(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION || type->kind == TYPE_ARRAY ||
           type->kind == TYPE_NDRANGE;
}
/* Objects that SPIR-V knows only as values: images, samplers, pipes. */
static inline bool type_is_handle(const struct type *type)
{
    return type->kind == TYPE_IMAGE || type->kind == TYPE_SAMPLER || type->kind == TYPE_PIPE;
}

/* ---- constants (const.c) ---- */

spv_id emit_const_int(struct emit *e, const struct type *type, uint64_t bits);  /* splatted over a vector; bool too */
spv_id emit_const_float(struct emit *e, const struct type *type, double value); /* likewise */
spv_id emit_const_bits(struct emit *e, spv_id type, uint64_t bits);             /* of an integer or floating type */
static inline spv_id emit_const_u32(struct emit *e, uint32_t value)
{
    if (!e->type_u32)
        e->type_u32 = spv_type_int(e->module, 32);
    return emit_const_bits(e, e->type_u32, value);
}
static inline spv_id emit_const_u64(struct emit *e, uint64_t value)
{
    if (!e->type_u64)
        e->type_u64 = spv_type_int(e->module, 64);
    return emit_const_bits(e, e->type_u64, value);
}
spv_id emit_null(struct emit *e, const struct type *type);
/* The initialiser of a program-scope object as a constant of its memory type; 0 with an error reported where it is
 * none. */
spv_id emit_static_initialiser(struct emit *e, struct qual_type type, struct expr *init);
/* An array of more elements than an instruction has words: its object is a struct of shorter arrays. */
bool emit_is_oversized(const struct type *type);
spv_id emit_oversized_initialiser(struct emit *e, struct qual_type type, struct expr *init, spv_id *memory_type);
/* The constant leaves of a local object's initialiser, the rest zero; the others are pushed on dynamic in order. */
typedef VEC(struct expr *) expr_list;
spv_id emit_partial_initialiser(struct emit *e, struct qual_type type, struct expr *init, expr_list *dynamic,
                                bool *all_zero);
spv_id emit_string(struct emit *e, const struct expr *string); /* the UniformConstant array's variable */
spv_id emit_sampler(struct emit *e, struct expr *init);        /* OpConstantSampler of constant CLK_ bits */

/* ---- lvalues (lvalue.c) ---- */

struct lvalue {
    spv_id pointer;            /* to the object; with lanes or a lane index: to the whole vector */
    struct qual_type type;     /* of what is designated: with lanes, of the selection */
    const struct type *vector; /* with lanes or lane_index: the whole vector's type */
    enum address_space space;
    uint32_t align; /* bytes, known of pointer */
    bool is_volatile;
    uint8_t num_lanes; /* 0: the whole object */
    uint8_t lanes[16];
    spv_id lane_index; /* vector[i]: the index; 0: none */
};

struct lvalue emit_lvalue(struct emit *e, struct expr *expr);
/* The object that a pointer value (of C type pointer, a pointer type) points to. */
struct lvalue emit_deref(struct emit *e, spv_id pointer, const struct type *pointer_type);
spv_id emit_load(struct emit *e, const struct lvalue *from);
void emit_store(struct emit *e, const struct lvalue *to, spv_id value);
/* Assigns an rvalue expression to an object; large aggregates are copied without a value in between. */
void emit_store_expr(struct emit *e, const struct lvalue *to, struct expr *value);
struct lvalue emit_field(struct emit *e, const struct lvalue *record, uint32_t field);
struct lvalue emit_element(struct emit *e, const struct lvalue *array, spv_id index64);
/* A private variable of the function that nobody names. */
struct lvalue emit_temporary(struct emit *e, struct qual_type type);
/* A variable's object: made when first met. */
struct lvalue emit_variable(struct emit *e, struct decl *decl);
/* A handle or block variable's value, or 0 where decl is no such. */
spv_id emit_handle(struct emit *e, struct decl *decl);
void emit_bind_value(struct emit *e, struct decl *decl, spv_id value);
/* Value form to memory form and back (bool, vectors of bool). */
spv_id emit_to_memory(struct emit *e, const struct type *type, spv_id value);
spv_id emit_from_memory(struct emit *e, const struct type *type, spv_id value);
spv_id emit_bitcast(struct emit *e, spv_id to_type, spv_id value); /* nothing where the type is right already */

/* ---- expressions (expr.c, operator.c, cast.c, call.c) ---- */

/* The value in value form; 0 for void. */
spv_id emit_rvalue(struct emit *e, struct expr *expr);
/* The scalar as OpTypeBool. */
spv_id emit_condition(struct emit *e, struct expr *expr);
/* Evaluates for side effects. */
void emit_effects(struct emit *e, struct expr *expr);
spv_id emit_binary(struct emit *e, struct expr *expr);
spv_id emit_binary_chain(struct emit *e, struct expr *expr); /* expr may be a conversion on top of the chain */
spv_id emit_unary(struct emit *e, struct expr *expr);
spv_id emit_assign(struct emit *e, struct expr *expr);
spv_id emit_logical(struct emit *e, struct expr *expr); /* && and || as bool */
spv_id emit_compare(struct emit *e, enum binary_op op, const struct type *operand, spv_id left, spv_id right);
/* left OP right, both values of type (shifts: right of its own type); no pointers, comparisons or logic. */
spv_id emit_arithmetic(struct emit *e, enum binary_op op, const struct type *type, spv_id left, spv_id right,
                       const struct type *right_type);
spv_id emit_pointer_add(struct emit *e, spv_id pointer, const struct type *pointer_type, spv_id index,
                        const struct type *index_type, bool subtract);
spv_id emit_cast(struct emit *e, struct expr *expr);
spv_id emit_cast_value(struct emit *e, enum cast_kind cast, const struct type *from, const struct type *to,
                       spv_id value);
/* Any arithmetic conversion between scalars, or between vectors of as many lanes, chosen by the types. */
spv_id emit_convert(struct emit *e, const struct type *from, const struct type *to, spv_id value);
/* A bool (vector) to an integer type: 0 and 1, or for vectors 0 and -1. */
spv_id emit_bool_to_int(struct emit *e, const struct type *to, spv_id value);
/* An integer extended to 64 bits by its type's signedness. */
spv_id emit_index64(struct emit *e, const struct type *type, spv_id value);
spv_id emit_call(struct emit *e, struct expr *expr);

/* ---- blocks (block.c) ---- */

/* The literal that an expression of block type is; NULL: not known. */
struct expr *emit_block_of(struct expr *expr);
void emit_block_literal(struct emit *e, struct expr *expr); /* takes what it captures */
spv_id emit_captured(struct emit *e, struct decl *copy);    /* the value that was captured, in value form */
/* Whether this function can say what the block captured; false with an error. */
bool emit_captures_known(struct emit *e, const struct decl *block, src_loc loc);
struct enqueued_block {
    spv_id kernel, literal; /* a function, and a generic pointer to bytes */
    uint32_t size, align;   /* bytes of what literal points to */
};
/* The operands that enqueue a block or ask about it; false with an error. */
bool emit_enqueued_block(struct emit *e, struct expr *expr, struct enqueued_block *block);
/* Once all functions are emitted, the kernels of enqueued blocks, and then their entry points. */
void emit_block_kernels(struct emit *e);
void emit_block_entries(struct emit *e);

spv_id emit_nonzero(struct emit *e, const struct type *type, spv_id value); /* as bool, lane by lane */
/* A bool as the type that the language gives a comparison: bool, int, or a vector's mask. */
spv_id emit_truth(struct emit *e, const struct type *type, spv_id value);

/* ---- initialisers of local objects (init.c) ---- */

void emit_initialise(struct emit *e, const struct lvalue *object, struct expr *init);
spv_id emit_init_value(struct emit *e, struct expr *init); /* EXPR_INIT_LIST as an rvalue */

/* ---- statements (stmt.c) ---- */

void emit_stmt(struct emit *e, struct stmt *stmt);
/* A statement list whose last statement's value is wanted: ({ ... }). */
spv_id emit_block_value(struct emit *e, struct stmt *body, struct expr *value);
void emit_local_decl(struct emit *e, struct decl *decl);

/* ---- functions and the module (emit.c) ---- */

/* The id to call: queues the function for emission. A kernel's is its body as an ordinary function. */
spv_id emit_function_id(struct emit *e, struct decl *function);
spv_id emit_global_variable(struct emit *e, struct decl *decl); /* program-scope or local-memory variable */
/* Whether the module says where its code comes from: with -g, and where kernels are checked. */
static inline bool emit_tells_lines(const struct emit *e)
{
    return e->front->options.debug_info || e->front->target->checks;
}
/* OpLine where the location changed. */
void emit_line_of(struct emit *e, src_loc loc);
static inline void emit_line(struct emit *e, src_loc loc)
{
    if (emit_tells_lines(e))
        emit_line_of(e, loc);
}
/* The same behind code of operands, where kernels are checked: reports name the very expression. */
static inline void emit_checked_line(struct emit *e, src_loc loc)
{
    if (e->front->target->checks)
        emit_line_of(e, loc);
}

/* ---- for the built-ins ---- */

/* builtins.c: an EXPR_BUILTIN's value; 0 for void. */
spv_id emit_builtin(struct emit *e, struct expr *expr);

/* A fresh label; the block joins the function where emit_begin_block() is called. */
spv_id emit_new_label(struct emit *e);
void emit_begin_block(struct emit *e, spv_id label);
void emit_branch(struct emit *e, spv_id label);
/* Ends the current block with a structured selection: BranchConditional after OpSelectionMerge. */
void emit_branch_if(struct emit *e, spv_id condition, spv_id then_label, spv_id else_label, spv_id merge_label);
static inline spv_id emit_current_label(const struct emit *e)
{
    return e->b.block->label->id;
}
/* A load of the Input variable decorated with this BuiltIn. type: v3 of u64, u64 or u32 (as emit_type gives it). */
spv_id emit_input(struct emit *e, SpvBuiltIn builtin, spv_id type);
/* OpExtInst of OpenCL.std. */
spv_id emit_ext(struct emit *e, spv_id type, uint32_t number, uint32_t count, const spv_id *args);
/* FPFastMathMode on a float operation, as the options allow. Returns id. */
spv_id emit_relaxed(struct emit *e, spv_id id);
static inline void emit_capability(struct emit *e, SpvCapability capability)
{
    spv_add_capability(e->module, capability);
}
spv_id emit_select(struct emit *e, spv_id type, spv_id condition, spv_id yes,
                   spv_id no); /* splats a scalar condition */
spv_id emit_splat(struct emit *e, const struct type *vector, spv_id scalar);
spv_id emit_matrix_component(struct emit *e, const struct type *matrix); /* the type */
spv_id emit_extract(struct emit *e, spv_id type, spv_id composite, uint32_t index);
/* OpCompositeConstruct; a constant where all parts are. */
spv_id emit_construct(struct emit *e, spv_id type, uint32_t count, const spv_id *parts);

#endif
