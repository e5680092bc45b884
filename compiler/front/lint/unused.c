/* Warnings about what nobody uses: values of expressions, variables, parameters, labels, names of types. Wording and
 * conditions follow clang: after an error in a function nothing is said about its names. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/lint/lint.h"

static bool is_comparison(enum binary_op op)
{
    return op >= BINARY_LT && op <= BINARY_NE;
}

/* ---- values that nobody uses ---- */

/* What the call gives is all that it does. */
static bool is_pure_call(const struct expr *expr)
{
    if (expr->kind == EXPR_CALL)
        return expr->call.function && expr->call.function->fn.flags & (FN_PURE | FN_CONST);
    return clc_builtin_is_pure(expr);
}

static bool is_unused(const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_STRING:
    case EXPR_VECTOR:
    case EXPR_COMPOUND:
    case EXPR_BLOCK:
        return true;
    case EXPR_DECL:
        return expr->type.type->kind != TYPE_FUNCTION && !(expr->type.quals & QUAL_VOLATILE) &&
               (expr->decl->kind != DECL_VARIABLE || expr->decl->name); /* without one: a form's result */
    case EXPR_MEMBER:
    case EXPR_INDEX:
    case EXPR_SWIZZLE:
        return expr->type.type->kind != TYPE_FUNCTION && !(expr->type.quals & QUAL_VOLATILE);
    case EXPR_UNARY:
        if (expr->unary.op >= UNARY_PRE_INC)
            return false;
        return expr->unary.op != UNARY_DEREF || !(expr->type.quals & QUAL_VOLATILE);
    case EXPR_BINARY:
        if (expr->binary.op >= BINARY_LOGICAL_AND)
            return is_unused(expr->binary.left) && is_unused(expr->binary.right);
        return true;
    case EXPR_COND:
        return expr->cond.then_value && is_unused(expr->cond.then_value) && is_unused(expr->cond.else_value);
    case EXPR_COMMA:
        return is_unused(expr->comma.right) && plain(expr->comma.right)->kind != EXPR_INT;
    case EXPR_CAST:
        if (expr->cast.cast == CAST_VOID || expr->type.type->kind == TYPE_VOID)
            return false;
        return expr->cast.explicit_cast || is_unused(expr->cast.operand);
    case EXPR_STATEMENT:
        return expr->statement.value && is_unused(expr->statement.value);
    case EXPR_CALL:
    case EXPR_BUILTIN:
        return is_pure_call(expr);
    default:
        return false;
    }
}

/* The part of an expression that the message is about. */
static const struct expr *unused_part(const struct expr *expr)
{
    for (;;) {
        if (expr->kind == EXPR_CAST && !expr->cast.explicit_cast)
            expr = expr->cast.operand;
        else if (expr->kind == EXPR_COMMA)
            expr = expr->comma.right;
        else
            return expr;
    }
}

/* x = 1; and x++; do not use x. */
static void count_set(const struct expr *expr)
{
    const struct expr *target = NULL;
    bool reads = false;
    if (expr->kind == EXPR_ASSIGN) {
        target = expr->assign.left;
        reads = expr->assign.compound;
    } else if (expr->kind == EXPR_UNARY && expr->unary.op >= UNARY_PRE_INC) {
        target = expr->unary.operand;
        reads = true;
    }
    if (target && target->kind == EXPR_DECL && !target->parenthesised && target->decl->kind == DECL_VARIABLE &&
        !(reads && target->type.quals & QUAL_VOLATILE))
        target->decl->var.num_sets++;
}

void lint_unused_value(struct sema *s, const struct expr *expr, bool before_comma)
{
    if (!before_comma)
        count_set(expr);
    if (expr_poison(expr) || s->unevaluated || s->front->options.no_warnings)
        return;
    if (expr->kind == EXPR_CALL && expr->call.function && expr->call.function->fn.warn_unused) {
        pp_warning_range(s->front, DIAG_GROUP_UNUSED_RESULT, expr->loc, expr->range,
                         "ignoring return value of function declared with 'warn_unused_result' attribute");
        return;
    }
    if (expr->type.type->kind == TYPE_VOID || !is_unused(expr) ||
        (expr->kind == EXPR_STATEMENT && in_macro(s, expr->loc)))
        return;
    expr = unused_part(expr);
    if (pp_source_in_macro_body(s->front, expr->loc))
        return;
    if (expr->kind == EXPR_STATEMENT)
        expr = unused_part(expr->statement.value);
    if (expr->kind == EXPR_BINARY && is_comparison(expr->binary.op)) {
        enum binary_op op = expr->binary.op;
        pp_warning_range(s->front, DIAG_GROUP_UNUSED_COMPARISON, expr->loc, expr->range, "%s comparison result unused",
                         op == BINARY_EQ   ? "equality"
                         : op == BINARY_NE ? "inequality"
                                           : "relational");
    } else if (expr->kind == EXPR_CALL || expr->kind == EXPR_BUILTIN) {
        bool pure = expr->kind == EXPR_CALL && expr->call.function->fn.flags & FN_PURE;
        pp_warning_range(s->front, DIAG_GROUP_UNUSED_VALUE, expr->loc, expr->range,
                         "ignoring return value of function declared with %s attribute", pure ? "pure" : "const");
    } else {
        pp_warning_range(s->front, DIAG_GROUP_UNUSED_VALUE, expr->loc, expr->range,
                         before_comma ? "left operand of comma operator has no effect" : "expression result unused");
    }
}

/* ---- names that nobody uses ---- */

static bool only_set(const struct decl *variable)
{
    return variable->var.num_sets && variable->var.num_sets == variable->var.num_refs;
}

void lint_unused_name(struct sema *s, const struct decl *decl)
{
    if (!s->function || s->front->num_errors != s->function->num_errors || decl->invalid || !decl->loc)
        return;
    if (decl->kind == DECL_TYPEDEF && !decl->used)
        pp_warning(s->front, DIAG_GROUP_UNUSED_LOCAL_TYPEDEF, decl->loc, "unused typedef '%s'", decl->name->name);
    if (decl->kind != DECL_VARIABLE || decl->var.is_param || decl->storage == STORAGE_EXTERN)
        return;
    if (!decl->used)
        pp_warning(s->front, DIAG_GROUP_UNUSED_VARIABLE, decl->loc, "unused variable '%s'", decl->name->name);
    else if (only_set(decl))
        pp_warning(s->front, DIAG_GROUP_UNUSED_BUT_SET_VARIABLE, decl->loc, "variable '%s' set but not used",
                   decl->name->name);
}

void lint_unused_in_function(struct sema *s, const struct decl *function, const struct function_context *context)
{
    if (s->front->num_errors != context->num_errors)
        return;
    for (const struct decl *param = function->fn.params; param; param = param->next) {
        if (!param->name || param->invalid)
            continue;
        if (!param->used)
            pp_warning(s->front, DIAG_GROUP_UNUSED_PARAMETER, param->loc, "unused parameter '%s'", param->name->name);
        else if (only_set(param))
            pp_warning(s->front, DIAG_GROUP_UNUSED_BUT_SET_PARAMETER, param->loc, "parameter '%s' set but not used",
                       param->name->name);
    }
    for (uint32_t i = 0; i < context->labels.length; i++) {
        const struct stmt *label = context->labels.data[i];
        if (!label->label.used)
            pp_warning(s->front, DIAG_GROUP_UNUSED_LABEL, label->loc, "unused label '%s'", label->label.name->name);
    }
}

static void warn_static_variable(struct sema *s, const struct decl *variable)
{
    bool constant = variable->type.quals & QUAL_CONST;
    if (variable->first == variable && variable->var.file_scope && variable->storage == STORAGE_STATIC &&
        !variable->used && !variable->invalid && !pp_source_in_header(s->front, variable->loc))
        pp_warning(s->front, constant ? DIAG_GROUP_UNUSED_CONST_VARIABLE : DIAG_GROUP_UNUSED_VARIABLE, variable->loc,
                   "unused variable '%s'", variable->name->name);
}

/* At the unit's end: what is static and never used. */
void lint_unused_in_unit(struct sema *s)
{
    bool functions = pp_warning_enabled(s->front, DIAG_GROUP_UNUSED_FUNCTION);
    bool variables = pp_warning_enabled(s->front, DIAG_GROUP_UNUSED_VARIABLE) ||
                     pp_warning_enabled(s->front, DIAG_GROUP_UNUSED_CONST_VARIABLE);
    for (uint32_t i = 0; functions && i < s->definitions.length; i++) {
        const struct decl *function = s->definitions.data[i];
        if (function->storage == STORAGE_STATIC && !function->used && !function->first->used &&
            !(function->fn.flags & FN_INLINE && pp_source_in_header(s->front, function->loc)))
            pp_warning(s->front, DIAG_GROUP_UNUSED_FUNCTION, function->loc, "unused function '%s'",
                       function->name->name);
    }
    for (const struct decl *decl = s->unit->first; variables && decl; decl = decl->next)
        if (decl->kind == DECL_VARIABLE)
            warn_static_variable(s, decl);
}
