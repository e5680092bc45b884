/* The conditional operator, and GNU's form of it without a middle operand: C99, 6.5.15. A condition that is a vector
 * chooses lane by lane (OpenCL C 3.0, 6.4.9). */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"

static struct expr *cond_node(struct sema *s, struct expr *condition, struct expr *then_value, struct expr *else_value,
                              struct qual_type type, src_loc loc)
{
    struct expr *expr =
        expr_new(s, EXPR_COND, qual_type_unqualified(type), loc, range_join(condition->range, else_value->range));
    expr->cond.condition = condition;
    expr->cond.then_value = then_value;
    expr->cond.else_value = else_value;
    const_fold(s, expr);
    return expr;
}

static struct expr *cond_mismatch(struct sema *s, const struct expr *a, const struct expr *b, src_loc loc)
{
    pp_error_range(s->front, loc, range_join(a->range, b->range), "incompatible operand types (%s and %s)",
                   type_quote_expr(s, a), type_quote_expr(s, b));
    return s->poison;
}

/* Scalars that are chosen by a vector become lanes, and lanes are not promoted (6.3.7.1): chars stay chars. */
static bool are_small_integers(const struct expr *a, const struct expr *b)
{
    const struct type *x = a->type.type, *y = b->type.type;
    return type_is_integer(x) && type_is_integer(y) && x->kind != TYPE_BOOL && y->kind != TYPE_BOOL && x->size < 4 &&
           y->size < 4;
}

static const struct type *wider_integer(const struct type *x, const struct type *y)
{
    if (x->size != y->size)
        return x->size > y->size ? x : y;
    return type_is_signed(x) ? y : x;
}

/* 6.4.9: lane by lane; condition integer lanes of the same size as the result's. */
static struct expr *vector_conditional(struct sema *s, struct expr *condition, struct expr *a, struct expr *b,
                                       src_loc loc)
{
    const struct type *mask = condition->type.type;
    if (!type_is_integer(mask->vector.element)) {
        pp_error_range(s->front, loc, condition->range, "used type %s where integer is required",
                       type_quote_expr(s, condition));
        return s->poison;
    }
    if (are_small_integers(a, b)) {
        const struct type *wider = wider_integer(a->type.type, b->type.type);
        a = sema_to_arith(s, a, wider);
        b = sema_to_arith(s, b, wider);
    } else if (!sema_usual(s, &a, &b, loc, false)) {
        return s->poison;
    }
    const struct type *type = a->type.type;
    if (type->kind != TYPE_VECTOR) {
        const struct type *vector = clc_type_vector(s->front, type, mask->vector.count);
        a = sema_to_arith(s, a, vector);
        b = sema_to_arith(s, b, vector);
        type = vector;
    }
    if (type->vector.count != mask->vector.count) {
        pp_error_range(s->front, loc, condition->range,
                       "vector condition type %s and result type %s do not have the same number of elements",
                       type_quote_expr(s, condition), type_quote(s, qt(type)));
        return s->poison;
    }
    if (type->vector.element->size != mask->vector.element->size) {
        pp_error_range(s->front, loc, condition->range,
                       "vector condition type %s and result type %s do not have elements of the same size",
                       type_quote_expr(s, condition), type_quote(s, qt(type)));
        return s->poison;
    }
    return cond_node(s, condition, a, b, qt(type), loc);
}

static struct expr *pointer_conditional(struct sema *s, struct expr *condition, struct expr *a, struct expr *b,
                                        src_loc loc)
{
    bool a_pointer = type_is_pointer(a->type.type), b_pointer = type_is_pointer(b->type.type);
    if (a_pointer && sema_is_null_constant(b))
        return cond_node(s, condition, a, expr_cast(s, CAST_NULL_POINTER, b, a->type.type), a->type, loc);
    if (b_pointer && sema_is_null_constant(a))
        return cond_node(s, condition, expr_cast(s, CAST_NULL_POINTER, a, b->type.type), b, b->type, loc);
    if (!a_pointer || !b_pointer) {
        if (!type_is_integer((a_pointer ? b : a)->type.type))
            return cond_mismatch(s, a, b, loc);
        pp_warning_range(s->front, DIAG_GROUP_CONDITIONAL_TYPE_MISMATCH, loc, range_join(a->range, b->range),
                         "pointer/integer type mismatch in conditional expression (%s and %s)", type_quote_expr(s, a),
                         type_quote_expr(s, b));
        struct expr **integer = a_pointer ? &b : &a;
        *integer = expr_cast(s, CAST_INT_TO_POINTER, sema_index_to_64(s, *integer), (a_pointer ? a : b)->type.type);
        return cond_node(s, condition, a, b, a->type, loc);
    }
    if (!sema_spaces_overlap(a, b)) {
        pp_error_range(
            s->front, loc, range_join(a->range, b->range),
            "conditional operator with the second and third operands of type  (%s and %s) which are pointers "
            "to non-overlapping address spaces",
            type_quote_expr(s, a), type_quote_expr(s, b));
        return s->poison;
    }
    sema_common_space(s, &a, &b);
    struct qual_type x = a->type.type->pointer.pointee, y = b->type.type->pointer.pointee, target = x;
    target.quals |= y.quals & (QUAL_CONST | QUAL_VOLATILE);
    if (x.type->kind == TYPE_VOID || y.type->kind == TYPE_VOID) {
        target.type = type_scalar(s, TYPE_VOID);
    } else if (!clc_type_equal(x.type, y.type)) {
        pp_warning_range(s->front, DIAG_GROUP_POINTER_TYPE_MISMATCH, loc, range_join(a->range, b->range),
                         "pointer type mismatch (%s and %s)", type_quote_expr(s, a), type_quote_expr(s, b));
        target.type = type_scalar(s, TYPE_VOID);
    }
    const struct type *type = clc_type_pointer(s->front, target);
    if (a->type.type != type)
        a = expr_cast(s, CAST_NOP, a, type);
    if (b->type.type != type)
        b = expr_cast(s, CAST_NOP, b, type);
    return cond_node(s, condition, a, b, qt(type), loc);
}

static bool calls_block(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST)
        expr = expr->cast.operand;
    return expr->kind == EXPR_CALL && expr->call.callee && expr->call.callee->type.type->kind == TYPE_BLOCK;
}

static struct expr *scalar_conditional(struct sema *s, struct expr *condition, struct expr *a, struct expr *b,
                                       src_loc loc)
{
    const struct type *x = a->type.type, *y = b->type.type;
    if (type_is_pointer(x) || type_is_pointer(y))
        return pointer_conditional(s, condition, a, b, loc);
    if (x->kind == TYPE_VOID || y->kind == TYPE_VOID) {
        const struct type *type = type_scalar(s, TYPE_VOID);
        if (x->kind != TYPE_VOID)
            a = expr_cast(s, CAST_VOID, a, type);
        if (y->kind != TYPE_VOID)
            b = expr_cast(s, CAST_VOID, b, type);
        return cond_node(s, condition, a, b, qt(type), loc);
    }
    if (calls_block(a) || calls_block(b) || x->kind == TYPE_BLOCK || x->kind == TYPE_IMAGE || x->kind == TYPE_SAMPLER) {
        /* 6.14.1, 6.11.b: neither blocks nor images nor samplers may be chosen between */
        pp_error_range(s->front, loc, range_join(a->range, b->range),
                       "%s type cannot be used as expression in ternary expression in OpenCL",
                       x->kind == TYPE_IMAGE || x->kind == TYPE_SAMPLER ? type_quote_expr(s, a) : "block");
        return s->poison;
    }
    if (x == y && (type_is_record(x) || sema_is_matrix(a) || x->kind > TYPE_BLOCK))
        return cond_node(s, condition, a, b, a->type, loc);
    bool arithmetic = type_is_arith(type_element(x)) && type_is_arith(type_element(y));
    if (!arithmetic)
        return cond_mismatch(s, a, b, loc);
    if (!sema_usual(s, &a, &b, loc, false))
        return s->poison;
    return cond_node(s, condition, a, b, a->type, loc);
}

/* GNU a ?: b: the condition's value once; through a variable, so that no node has two parents. */
static struct expr *elvis(struct sema *s, struct expr *condition, struct expr *else_value, src_loc loc)
{
    struct decl *saved = sema_decl_new(s, DECL_VARIABLE, NULL, qt(condition->type.type), loc);
    saved->var.init = condition;
    saved->used = true;
    struct arena *nodes = s->front->nodes;
    struct stmt *declare = arena_new(nodes, struct stmt), *last = arena_new(nodes, struct stmt);
    declare->kind = STMT_DECL;
    declare->loc = last->loc = loc;
    declare->decls = saved;
    declare->next = last;
    struct expr *value = sema_conditional(s, expr_decl(s, saved, loc, condition->range),
                                          expr_decl(s, saved, loc, condition->range), else_value, loc);
    if (expr_poison(value))
        return value;
    last->kind = STMT_EXPR;
    last->expr = value;
    struct stmt *body = arena_new(nodes, struct stmt);
    body->kind = STMT_BLOCK;
    body->loc = loc;
    body->block.first = declare;
    struct expr *expr = expr_new(s, EXPR_STATEMENT, value->type, loc, range_join(condition->range, else_value->range));
    expr->statement.body = body;
    expr->statement.value = value;
    return expr;
}

struct expr *sema_conditional(struct sema *s, struct expr *condition, struct expr *then_value, struct expr *else_value,
                              src_loc loc)
{
    if (expr_poison(condition) || expr_poison(else_value) || (then_value && expr_poison(then_value)))
        return s->poison;
    condition = clc_rvalue(s->front, condition);
    if (expr_poison(condition))
        return condition;
    s->advice->conditional(s, condition, loc);
    if (!then_value)
        return elvis(s, condition, else_value, loc);
    then_value = clc_rvalue(s->front, then_value);
    else_value = clc_rvalue(s->front, else_value);
    if (expr_poison(then_value) || expr_poison(else_value))
        return s->poison;
    if (condition->type.type->kind == TYPE_VECTOR)
        return vector_conditional(s, condition, then_value, else_value, loc);
    if (!type_is_scalar(condition->type.type) || condition->type.type->kind == TYPE_BLOCK) {
        pp_error_range(s->front, condition->loc, condition->range,
                       "used type %s where arithmetic or pointer type is required", type_quote_expr(s, condition));
        return s->poison;
    }
    if (type_is_float(condition->type.type)) { /* 6.4.i; other conditions may be */
        pp_error_range(s->front, condition->loc, condition->range,
                       "used type %s where floating point type is not allowed", type_quote_expr(s, condition));
        return s->poison;
    }
    return scalar_conditional(s, sema_condition(s, condition), then_value, else_value, loc);
}
