/* Advice: what the checks and the parser ask to be said of code that is right by the language and hardly meant. The
 * room lint/ implements this, and nobody includes its own headers. Nothing here changes the tree; all are warnings. */
#ifndef COMPILER_FRONT_SEMA_ADVICE_H
#define COMPILER_FRONT_SEMA_ADVICE_H

#include "compiler/front/ast.h"

struct sema;
struct function_context;
struct lint; /* what advice remembers between calls; s->lint */

struct lint *lint_new(struct sema *s);

/* ---- operators and conditions ---- */

void lint_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                 src_loc loc); /* operands as rvalues, before the usual conversions */
void lint_not(struct sema *s, const struct expr *operand, src_loc loc);           /* ~ */
void lint_conditional(struct sema *s, const struct expr *condition, src_loc loc); /* of ?: */
void lint_condition(struct sema *s, const struct expr *expr);                     /* of any kind */
void lint_extra_parentheses(struct sema *s, const struct expr *condition);        /* if ((a == b)) */
void lint_to_bool(struct sema *s, const struct expr *expr);                       /* an integer, no condition */
void lint_pointer_to_bool(struct sema *s, const struct expr *expr);
void lint_assign(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc);
void lint_enum_conversion(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc);
void lint_null_dereference(struct sema *s, const struct expr *pointer, src_loc loc);
void lint_string_plus(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc);
void lint_overflow(struct sema *s, const struct expr *expr); /* a folded arithmetic operation */

/* ---- sizes and addresses ---- */

/* result: what sizeof gave; operand: NULL of a type; changes: it would have changed something. */
void lint_sizeof(struct sema *s, const struct expr *result, struct qual_type type, const struct expr *operand,
                 bool changes);
void lint_returned(struct sema *s, const struct expr *value);
void lint_address(struct sema *s, const struct expr *address); /* of a member */
void lint_cast(struct sema *s, const struct expr *operand, const struct type *to);
void lint_printf(struct sema *s, struct expr **args, uint32_t num_args);

/* ---- full expressions ---- */

/* An assignment or the like in the full expression that is being read. */
void lint_change(struct sema *s);
uint32_t lint_changes(const struct sema *s); /* so far */
/* Whether there were changes since then; they are forgotten, for they are not evaluated. */
bool lint_drop_changes(struct sema *s, uint32_t since);
void lint_full_expression(struct sema *s);                   /* it ends */
void lint_sequence(struct sema *s, const struct expr *expr); /* likewise; changes are counted anew */
/* Of what stands alone as a statement, or before a comma. */
void lint_unused_value(struct sema *s, const struct expr *expr, bool before_comma);

/* ---- statements ---- */

void lint_switch_value(struct sema *s, const struct expr *value); /* as written */
void lint_switch(struct sema *s, const struct stmt *stmt);
void lint_empty_body(struct sema *s, const struct stmt *body, src_loc head, src_loc line_end, const char *what);
void lint_for(struct sema *s, const struct stmt *loop);
/* After a body without braces, which began at body: whether s->tok is indented as if it belonged to it. statement:
 * where its "if", "for"... stands. */
bool lint_is_misleading(struct sema *s, src_loc statement, src_loc body);
void lint_indentation(struct sema *s, src_loc statement, const char *what);

/* ---- functions and names ---- */

void lint_unused_name(struct sema *s, const struct decl *decl); /* its scope ends */
void lint_unused_in_function(struct sema *s, const struct decl *function, const struct function_context *context);
void lint_unused_in_unit(struct sema *s);
void lint_return(struct sema *s, const struct decl *function); /* at its end */
/* The first statements of a function, a list, are taken away before it ends (stream.c). */
void lint_statements_go(struct sema *s, const struct decl *function, const struct stmt *first);
void lint_uninitialized(struct sema *s, const struct decl *function); /* whose tree is whole */

#endif
