/* Advice: what the checks ask to be said of code that is right by the language and hardly meant. The room lint/, which
 * asks the checks in turn, puts this table into struct sema (lint_begin()). Nothing here changes the tree; all are
 * warnings. */
#ifndef COMPILER_FRONT_SEMA_ADVICE_H
#define COMPILER_FRONT_SEMA_ADVICE_H

#include "compiler/front/sema/ast.h"

struct sema;

struct advice {
    /* ---- operators and conditions ---- */
    void (*binary)(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                   src_loc loc); /* operands as rvalues, before the usual conversions */
    void (*complement)(struct sema *s, const struct expr *operand, src_loc loc);    /* ~ */
    void (*conditional)(struct sema *s, const struct expr *condition, src_loc loc); /* of ?: */
    void (*condition)(struct sema *s, const struct expr *expr);                     /* of any kind */
    void (*to_bool)(struct sema *s, const struct expr *expr);                       /* an integer, no condition */
    void (*pointer_to_bool)(struct sema *s, const struct expr *expr);
    void (*assign)(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc);
    void (*enum_conversion)(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc);
    void (*null_dereference)(struct sema *s, const struct expr *pointer, src_loc loc);
    void (*string_plus)(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);
    void (*overflow)(struct sema *s, const struct expr *expr);   /* a folded arithmetic operation */
    void (*address)(struct sema *s, const struct expr *address); /* of a member */
    void (*cast)(struct sema *s, const struct expr *operand, const struct type *to);
    void (*printf_call)(struct sema *s, struct expr **args, uint32_t num_args);

    /* ---- full expressions ---- */
    void (*change)(struct sema *s);          /* an assignment or the like in the full expression that is being read */
    void (*full_expression)(struct sema *s); /* it ends */
    void (*sequence)(struct sema *s, const struct expr *expr); /* likewise; changes are counted anew */

    /* ---- functions and names ---- */
    void (*unused_name)(struct sema *s, const struct decl *decl); /* its scope ends */
    void (*unused_in_unit)(struct sema *s);
    /* The first statements of a function, a list, are taken away before it ends (stream.c). */
    void (*statements_go)(struct sema *s, const struct decl *function, const struct stmt *first);
};

#endif
