/* i = i++ + 1, p[i] = i++: two effects on a variable, or an effect and a read, with nothing that says which comes first
 * (C99, 6.5, 2). A full expression is walked once, and only when it changes a variable at all. */
#include "compiler/front/lint/lint.h"

enum { MAX_EFFECTS = 32 };

struct effect {
    const struct decl *variable;
    src_loc loc;
    bool change;   /* else a read */
    bool value_of; /* part of the value's computation: done when the whole's value is known */
};

struct effects {
    struct effect list[MAX_EFFECTS];
    uint32_t count;
};

struct walk {
    struct sema *s;
    const struct decl *reported[4];
    uint32_t num_reported;
};

static void collect(struct walk *walk, const struct expr *expr, struct effects *effects);

static void add(struct effects *effects, struct effect effect)
{
    if (effects->count < MAX_EFFECTS)
        effects->list[effects->count++] = effect;
}

static void report(struct walk *walk, const struct effect *a, const struct effect *b)
{
    for (uint32_t i = 0; i < walk->num_reported; i++) {
        if (walk->reported[i] == a->variable)
            return;
    }
    if (walk->num_reported < ARRAY_LENGTH(walk->reported))
        walk->reported[walk->num_reported++] = a->variable;
    const struct effect *change = a->change ? a : b;
    pp_warning(walk->s->front, DIAG_GROUP_UNSEQUENCED, change->loc,
               a->change && b->change ? "multiple unsequenced modifications to '%s'"
                                      : "unsequenced modification and access to '%s'",
               a->variable->name->name);
}

/* Effects from first on against those from second on: nothing orders the two parts. */
static void compare(struct walk *walk, const struct effects *effects, uint32_t first, uint32_t second)
{
    for (uint32_t i = first; i < second; i++) {
        for (uint32_t k = second; k < effects->count; k++) {
            const struct effect *a = &effects->list[i], *b = &effects->list[k];
            if (a->variable == b->variable && (a->change || b->change))
                report(walk, a, b);
        }
    }
}

/* From here on they are done before whatever else there is: behind a sequence point. */
static void complete(struct effects *effects, uint32_t first)
{
    for (uint32_t i = first; i < effects->count; i++)
        effects->list[i].value_of = true;
}

static const struct decl *plain_variable(const struct expr *expr)
{
    return expr->kind == EXPR_DECL && expr->decl->kind == DECL_VARIABLE && expr->decl->name ? expr->decl : NULL;
}

static void collect_both(struct walk *walk, const struct expr *a, const struct expr *b, struct effects *effects)
{
    uint32_t first = effects->count;
    collect(walk, a, effects);
    uint32_t second = effects->count;
    collect(walk, b, effects);
    compare(walk, effects, first, second);
}

static void collect_in_order(struct walk *walk, const struct expr *a, const struct expr *b, struct effects *effects)
{
    uint32_t first = effects->count;
    collect(walk, a, effects);
    complete(effects, first);
    if (b)
        collect(walk, b, effects);
}

static void collect_list(struct walk *walk, struct expr *const *args, uint32_t count, struct effects *effects)
{
    uint32_t first = effects->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = effects->count;
        collect(walk, args[i], effects);
        compare(walk, effects, first, next);
    }
    complete(effects, first); /* before the call */
}

/* The change itself comes after the values of both sides, but stands beside their changes. */
static void collect_assign(struct walk *walk, const struct expr *expr, struct effects *effects)
{
    const struct decl *variable = plain_variable(expr->assign.left);
    uint32_t first = effects->count;
    if (!variable) {
        collect_both(walk, expr->assign.left, expr->assign.right, effects);
        return;
    }
    collect(walk, expr->assign.right, effects);
    struct effect change = {.variable = variable, .loc = expr->loc, .change = true};
    for (uint32_t i = first; i < effects->count; i++) {
        struct effect *inner = &effects->list[i];
        struct effect read = {.variable = variable, .loc = expr->loc};
        if (inner->variable == variable && inner->change && !inner->value_of)
            report(walk, inner, expr->assign.compound ? &read : &change);
        if (inner->variable == variable && !inner->change)
            inner->value_of = true;
    }
    add(effects, change);
}

static void collect(struct walk *walk, const struct expr *expr, struct effects *effects)
{
    const struct decl *variable;
    switch (expr->kind) {
    case EXPR_CAST:
        variable = plain_variable(expr->cast.operand);
        if (variable && expr->cast.cast == CAST_LVALUE_TO_RVALUE)
            add(effects, (struct effect){.variable = variable, .loc = expr->cast.operand->loc});
        else
            collect(walk, expr->cast.operand, effects);
        break;
    case EXPR_UNARY:
        variable = plain_variable(expr->unary.operand);
        if (variable && expr->unary.op >= UNARY_PRE_INC)
            add(effects, (struct effect){.variable = variable, .loc = expr->loc, .change = true});
        else
            collect(walk, expr->unary.operand, effects);
        break;
    case EXPR_BINARY:
        if (expr->binary.op >= BINARY_LOGICAL_AND)
            collect_in_order(walk, expr->binary.left, expr->binary.right, effects);
        else
            collect_both(walk, expr->binary.left, expr->binary.right, effects);
        break;
    case EXPR_ASSIGN:
        collect_assign(walk, expr, effects);
        break;
    case EXPR_COMMA:
        collect_in_order(walk, expr->comma.left, expr->comma.right, effects);
        break;
    case EXPR_COND: /* one of the two, after the condition */
        collect_in_order(walk, expr->cond.condition, expr->cond.then_value, effects);
        collect(walk, expr->cond.else_value, effects);
        break;
    case EXPR_INDEX:
        collect_both(walk, expr->index.base, expr->index.index, effects);
        break;
    case EXPR_MEMBER:
        collect(walk, expr->member.base, effects);
        break;
    case EXPR_SWIZZLE:
        collect(walk, expr->swizzle.base, effects);
        break;
    case EXPR_CALL:
        collect_list(walk, expr->call.args, expr->call.num_args, effects);
        break;
    case EXPR_BUILTIN:
        collect_list(walk, expr->builtin.args, expr->builtin.num_args, effects);
        break;
    case EXPR_VECTOR:
        collect_list(walk, expr->vector.args, expr->vector.num_args, effects);
        break;
    default:
        break;
    }
}

void lint_sequence(struct sema *s, const struct expr *expr)
{
    uint32_t changes = s->lint->num_changes;
    s->lint->num_changes = 0;
    bool itself = expr->kind == EXPR_ASSIGN || (expr->kind == EXPR_UNARY && expr->unary.op >= UNARY_PRE_INC);
    if (changes < (itself ? 2 : 1) || expr_poison(expr) || s->unevaluated || s->front->options.no_warnings)
        return;
    struct walk walk = {.s = s};
    struct effects effects;
    effects.count = 0;
    collect(&walk, expr, &effects);
}
