/* Tree that no source text stands for: see synth.h. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/parse/synth.h"
#include "compiler/front/sema/check.h"

#include <string.h>

struct stmt *synth_add(struct synth *seq, enum stmt_kind kind)
{
    struct stmt *stmt = arena_new(seq->s->arena, struct stmt);
    stmt->kind = kind;
    stmt->loc = seq->loc;
    if (seq->last)
        seq->last->next = stmt;
    else
        seq->first = stmt;
    seq->last = stmt;
    return stmt;
}

/* A variable with this (rvalue's) value; value NULL: none yet. */
struct decl *synth_keep(struct synth *seq, struct expr *value)
{
    struct decl *variable = sema_decl_new(seq->s, DECL_VARIABLE, NULL, qt(value->type.type), seq->loc);
    variable->var.init = value;
    variable->var.align = value->type.type->align;
    variable->used = true;
    synth_add(seq, STMT_DECL)->decls = variable;
    return variable;
}

struct expr *synth_use(struct synth *seq, struct decl *variable)
{
    return clc_rvalue(seq->s->front, expr_decl(seq->s, variable, seq->loc, seq->range));
}

struct expr *synth_as(struct synth *seq, struct expr *value, const struct type *type)
{
    return value->type.type == type ? value : sema_to_arith(seq->s, value, type);
}

struct expr *synth_binary(struct synth *seq, enum binary_op op, struct expr *left, struct expr *right)
{
    return sema_binary(seq->s, op, left, right, seq->loc);
}

struct expr *synth_number(struct synth *seq, const struct type *type, uint64_t value)
{
    return expr_int(seq->s, type, value, seq->loc, seq->range);
}

void synth_assign(struct synth *seq, struct expr *left, struct expr *right)
{
    struct expr *assignment = sema_assign(seq->s, left, right, false, BINARY_MUL, seq->loc);
    synth_add(seq, STMT_EXPR)->expr = assignment;
}

struct expr *synth_call(struct synth *seq, const char *name, struct expr **args, uint32_t count)
{
    struct clc_front *front = seq->s->front;
    struct expr **copy = arena_array(seq->s->arena, struct expr *, count);
    memcpy(copy, args, count * sizeof(*copy));
    const struct builtin *builtin = clc_builtin_find(front, pp_intern(front, name, strlen(name)));
    return clc_builtin_call(front, builtin, seq->loc, seq->range, copy, count);
}

struct expr *synth_expression(struct synth *seq, struct expr *value)
{
    struct stmt *body = arena_new(seq->s->arena, struct stmt), *last = synth_add(seq, STMT_EXPR);
    last->expr = value;
    body->kind = STMT_BLOCK;
    body->loc = seq->loc;
    body->block.first = seq->first;
    struct expr *expr = expr_new(seq->s, EXPR_STATEMENT, qt(value->type.type), seq->loc, seq->range);
    expr->statement.body = body;
    expr->statement.value = value;
    return expr;
}
