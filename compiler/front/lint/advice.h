/* Advice: what the parser asks to be said of code that is right by the language and hardly meant. The checks ask through
 * a table (sema/advice.h). Nothing here changes the tree; all are warnings. */
#ifndef COMPILER_FRONT_LINT_ADVICE_H
#define COMPILER_FRONT_LINT_ADVICE_H

#include "compiler/front/sema/ast.h"

struct sema;
struct function_context;

/* Gives the unit's checks their advice: s->advice, and what it remembers between calls, s->lint. */
void lint_begin(struct sema *s);

/* ---- expressions ---- */

void lint_extra_parentheses(struct sema *s, const struct expr *condition); /* if ((a == b)) */
/* result: what sizeof gave; operand: NULL of a type; changes: it would have changed something. */
void lint_sizeof(struct sema *s, const struct expr *result, struct qual_type type, const struct expr *operand,
                 bool changes);
void lint_returned(struct sema *s, const struct expr *value);
uint32_t lint_changes(const struct sema *s); /* of the full expression that is being read, so far */
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

/* ---- functions ---- */

void lint_unused_in_function(struct sema *s, const struct decl *function, const struct function_context *context);
void lint_return(struct sema *s, const struct decl *function);        /* at its end */
void lint_uninitialized(struct sema *s, const struct decl *function); /* whose tree is whole */

#endif
