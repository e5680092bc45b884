/* What the files that only warn (lint/operators.c, lint/misuse.c, lint/unused.c, lint/flow.c) ask of expressions. */
#ifndef COMPILER_FRONT_LINT_LINT_H
#define COMPILER_FRONT_LINT_LINT_H

#include "compiler/front/pp/pp.h"
#include "compiler/front/sema/sema.h"

/* The expression without the conversions that the language puts in. */
static inline const struct expr *plain(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST && !expr->cast.explicit_cast)
        expr = expr->cast.operand;
    return expr;
}

static inline bool in_macro(const struct sema *s, src_loc loc)
{
    return clc_source_in_macro(s->front, loc);
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
