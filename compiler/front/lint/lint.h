/* What the files of lint/ share. */
#ifndef COMPILER_FRONT_LINT_LINT_H
#define COMPILER_FRONT_LINT_LINT_H

#include "compiler/front/lint/advice.h"
#include "compiler/front/sema/sema.h"

struct lint {
    uint32_t num_changes; /* assignments and the like since the last full expression */
    struct size_seen {    /* the last results of sizeof */
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
    struct gone {                    /* the statements of a function that were taken away before its end */
        const struct decl *function; /* NULL: there are none */
        bool ended;                  /* control does not come past them */
        bool returns;                /* there is a return statement in them */
    } gone;
};

/* ---- what the checks ask for, see struct advice ---- */

void lint_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right, src_loc loc);
void lint_not(struct sema *s, const struct expr *operand, src_loc loc);
void lint_conditional(struct sema *s, const struct expr *condition, src_loc loc);
void lint_condition(struct sema *s, const struct expr *expr);
void lint_to_bool(struct sema *s, const struct expr *expr);
void lint_pointer_to_bool(struct sema *s, const struct expr *expr);
void lint_assign(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc);
void lint_enum_conversion(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc);
void lint_null_dereference(struct sema *s, const struct expr *pointer, src_loc loc);
void lint_string_plus(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);
void lint_overflow(struct sema *s, const struct expr *expr);
void lint_address(struct sema *s, const struct expr *address);
void lint_cast(struct sema *s, const struct expr *operand, const struct type *to);
void lint_printf(struct sema *s, struct expr **args, uint32_t num_args);
void lint_unused_name(struct sema *s, const struct decl *decl);
void lint_unused_in_unit(struct sema *s);
void lint_statements_go(struct sema *s, const struct decl *function, const struct stmt *first);

/* ---- for each other ---- */

bool lint_is_boolean(const struct expr *expr); /* only 0 and 1 come out */
struct int128 lint_as_wide(const struct type *type, uint64_t value);
/* misuse.c's part of lint_binary() and lint_string_plus() */
void lint_misused_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                         src_loc loc);
void lint_string_plus_char(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);

/* The expression without the conversions that the language puts in. */
static inline const struct expr *plain(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST && !expr->cast.explicit_cast)
        expr = expr->cast.operand;
    return expr;
}

static inline bool in_macro(const struct sema *s, src_loc loc)
{
    return pp_source_in_macro(s->front, loc);
}

/* The operator of the same comparison with its operands exchanged. */
static inline enum binary_op mirrored(enum binary_op op)
{
    switch (op) {
    case BINARY_LT:
        return BINARY_GT;
    case BINARY_GT:
        return BINARY_LT;
    case BINARY_LE:
        return BINARY_GE;
    case BINARY_GE:
        return BINARY_LE;
    default:
        return op;
    }
}

#endif
