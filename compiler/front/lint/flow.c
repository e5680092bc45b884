/* Warnings about statements: ends of functions that control may reach without a value, switches over enumerations and
 * constants, bodies that are empty by accident, else clauses that belong elsewhere than they look. */
#include "compiler/front/lint/lint.h"
#include "compiler/front/sema/check.h"

/* ---- may control reach the end? ---- */

struct flow {
    bool falls;   /* past the statement */
    bool breaks;  /* out of the loop or switch around it */
    bool goes_on; /* to that loop's next round */
};

static struct flow flow_of(const struct stmt *stmt);

static bool always(const struct expr *condition, bool value)
{
    return condition->kind != EXPR_POISON && condition->is_constant && !condition->folded &&
           (condition->integer != 0) == value;
}

static bool never_returns(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST)
        expr = expr->cast.operand;
    return expr->kind == EXPR_INTRINSIC
               ? expr->intrinsic.op != INTRINSIC_ASSUME
               : expr->kind == EXPR_POISON ||
                     (expr->kind == EXPR_CALL && expr->call.function && expr->call.function->fn.flags & FN_NORETURN);
}

static bool is_entry(const struct stmt *stmt)
{
    return stmt->kind == STMT_LABEL || stmt->kind == STMT_CASE || stmt->kind == STMT_DEFAULT;
}

/* Statements that no path reaches are skipped up to the next label. A label inside a nested statement counts as
 * reached. */
static struct flow flow_of_block(const struct stmt *first, bool reached_first)
{
    struct flow all = {.falls = reached_first};
    for (const struct stmt *stmt = first; stmt; stmt = stmt->next) {
        bool compound = stmt->kind == STMT_BLOCK || (stmt->kind >= STMT_IF && stmt->kind <= STMT_SWITCH);
        if (!all.falls && !is_entry(stmt) && !compound)
            continue;
        bool reached = all.falls || is_entry(stmt);
        struct flow one = flow_of(stmt);
        all.falls = reached && one.falls;
        all.breaks |= one.breaks;
        all.goes_on |= one.goes_on;
    }
    return all;
}

static struct flow flow_of_if(const struct stmt *stmt)
{
    struct flow all = {0};
    while (stmt && stmt->kind == STMT_IF) {
        const struct expr *condition = stmt->branch.condition;
        if (!always(condition, false)) {
            struct flow one = flow_of(stmt->branch.then_body);
            all.falls |= one.falls;
            all.breaks |= one.breaks;
            all.goes_on |= one.goes_on;
        }
        if (always(condition, true))
            return all;
        stmt = stmt->branch.else_body;
    }
    struct flow last = stmt ? flow_of(stmt) : (struct flow){.falls = true};
    return (struct flow){all.falls | last.falls, all.breaks | last.breaks, all.goes_on | last.goes_on};
}

static struct flow flow_of_loop(const struct stmt *stmt)
{
    const struct expr *condition = stmt->loop.condition;
    struct flow body = flow_of(stmt->loop.body);
    bool endless = !condition || always(condition, true);
    if (stmt->kind == STMT_DO)
        return (struct flow){.falls = body.breaks || (!endless && (body.falls || body.goes_on))};
    return (struct flow){.falls = body.breaks || !endless};
}

static bool covers(const struct stmt *stmt, int64_t value)
{
    for (uint32_t i = 0; i < stmt->select.cases.length; i++) {
        const struct stmt *label = stmt->select.cases.data[i];
        if (value >= (int64_t)label->label_case.low && value <= (int64_t)label->label_case.high)
            return true;
    }
    return false;
}

static const struct decl *uncovered(const struct stmt *stmt, const struct type *type, const struct decl *from)
{
    for (const struct decl *constant = from; constant; constant = constant->next)
        if (!covers(stmt, (int64_t)const_truncate(type, (uint64_t)constant->enum_constant.value)))
            return constant;
    return NULL;
}

static const struct type *switched_enum(const struct stmt *stmt)
{
    const struct expr *value = plain(stmt->select.value);
    const struct type *type = value->type.type;
    return value->lvalue && type->kind == TYPE_ENUM && type->enumeration.constants ? type : NULL;
}

static struct flow flow_of(const struct stmt *stmt)
{
    struct flow flow = {.falls = true};
    if (!stmt)
        return flow;
    switch (stmt->kind) {
    case STMT_RETURN:
    case STMT_GOTO:
        return (struct flow){0};
    case STMT_BREAK:
        return (struct flow){.breaks = true};
    case STMT_CONTINUE:
        return (struct flow){.goes_on = true};
    case STMT_BLOCK:
        return flow_of_block(stmt->block.first, true);
    case STMT_IF:
        return flow_of_if(stmt);
    case STMT_LABEL:
        return flow_of(stmt->label.body);
    case STMT_CASE:
    case STMT_DEFAULT:
        while (stmt && (stmt->kind == STMT_CASE || stmt->kind == STMT_DEFAULT))
            stmt = stmt->label_case.body;
        return flow_of(stmt);
    case STMT_SWITCH: {
        const struct type *type = switched_enum(stmt);
        bool all = stmt->select.default_case ||
                   (type && !uncovered(stmt, stmt->select.value->type.type, type->enumeration.constants));
        flow = flow_of(stmt->select.body);
        return (struct flow){.falls = flow.falls || flow.breaks || !all, .goes_on = flow.goes_on};
    }
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        return flow_of_loop(stmt);
    case STMT_EXPR:
        flow.falls = !never_returns(stmt->expr);
        return flow;
    default:
        return flow;
    }
}

/* Is there a return statement at all? */
static bool has_return(const struct stmt *stmt)
{
    for (; stmt; stmt = stmt->next) {
        const struct stmt *inner = stmt;
        while (inner && is_entry(inner))
            inner = inner->kind == STMT_LABEL ? inner->label.body : inner->label_case.body;
        if (!inner)
            continue;
        switch (inner->kind) {
        case STMT_RETURN:
            return true;
        case STMT_BLOCK:
            if (has_return(inner->block.first))
                return true;
            break;
        case STMT_IF:
            for (; inner && inner->kind == STMT_IF; inner = inner->branch.else_body)
                if (has_return(inner->branch.then_body))
                    return true;
            if (inner && has_return(inner))
                return true;
            break;
        case STMT_SWITCH:
            if (has_return(inner->select.body))
                return true;
            break;
        case STMT_WHILE:
        case STMT_DO:
        case STMT_FOR:
            if (has_return(inner->loop.body))
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

void lint_statements_go(struct sema *s, const struct decl *function, const struct stmt *first)
{
    struct gone *gone = &s->lint->gone;
    if (gone->function != function)
        *gone = (struct gone){.function = function};
    gone->ended = !flow_of_block(first, !gone->ended).falls;
    gone->returns = gone->returns || has_return(first);
}

void lint_return(struct sema *s, const struct decl *function)
{
    const struct gone *gone = s->lint->gone.function == function ? &s->lint->gone : &(struct gone){0};
    const struct type *result = function->type.type->function.result.type;
    bool noreturn = function->fn.flags & FN_NORETURN;
    const struct stmt *first = function->fn.body->block.first;
    if (s->front->num_errors || !result || (result->kind == TYPE_VOID && !noreturn) || is_poison(result) ||
        !flow_of_block(first, !gone->ended).falls)
        return;
    if (noreturn) {
        pp_warning(s->front, DIAG_GROUP_INVALID_NORETURN, s->prev_end ? s->prev_end - 1 : function->loc,
                   "function '%s' declared 'noreturn' should not return",
                   function->name ? function->name->name : "block");
        return;
    }
    pp_warning(s->front, DIAG_GROUP_RETURN_TYPE, s->prev_end ? s->prev_end - 1 : function->loc,
               "non-void function does not return a value%s",
               gone->returns || has_return(first) ? " in all control paths" : "");
}

/* ---- switch ---- */

void lint_switch_value(struct sema *s, const struct expr *value)
{
    if (!expr_poison(value) && lint_is_boolean(value))
        pp_warning_range(s->front, DIAG_GROUP_SWITCH_BOOL, value->loc, value->range,
                         "switch condition has boolean value");
}

static void warn_missing(struct sema *s, const struct stmt *stmt, const struct type *type)
{
    const struct type *promoted = stmt->select.value->type.type;
    const struct decl *missing[3], *at = type->enumeration.constants;
    uint32_t count = 0;
    while ((at = uncovered(stmt, promoted, at))) {
        if (count < ARRAY_LENGTH(missing))
            missing[count] = at;
        count++;
        at = at->next;
    }
    src_loc loc = stmt->select.value->loc;
    if (count == 1)
        pp_warning(s->front, DIAG_GROUP_SWITCH, loc, "enumeration value '%s' not handled in switch",
                   missing[0]->name->name);
    else if (count == 2)
        pp_warning(s->front, DIAG_GROUP_SWITCH, loc, "enumeration values '%s' and '%s' not handled in switch",
                   missing[0]->name->name, missing[1]->name->name);
    else if (count == 3)
        pp_warning(s->front, DIAG_GROUP_SWITCH, loc, "enumeration values '%s', '%s', and '%s' not handled in switch",
                   missing[0]->name->name, missing[1]->name->name, missing[2]->name->name);
    else if (count)
        pp_warning(s->front, DIAG_GROUP_SWITCH, loc, "%u enumeration values not handled in switch: '%s', '%s', '%s'...",
                   count, missing[0]->name->name, missing[1]->name->name, missing[2]->name->name);
}

static bool has_enumerator(const struct type *type, const struct type *promoted, int64_t value)
{
    for (const struct decl *constant = type->enumeration.constants; constant; constant = constant->next)
        if ((int64_t)const_truncate(promoted, (uint64_t)constant->enum_constant.value) == value)
            return true;
    return false;
}

void lint_switch(struct sema *s, const struct stmt *stmt)
{
    const struct expr *value = stmt->select.value;
    if (expr_poison(value) || s->unevaluated)
        return;
    const struct type *type = switched_enum(stmt);
    if (type && !stmt->select.default_case)
        warn_missing(s, stmt, type);
    for (uint32_t i = 0; type && i < stmt->select.cases.length; i++) {
        const struct stmt *label = stmt->select.cases.data[i];
        if (label->label_case.low == label->label_case.high &&
            !has_enumerator(type, value->type.type, (int64_t)label->label_case.low))
            pp_warning(s->front, DIAG_GROUP_SWITCH, label->loc, "case value not in enumerated type %s",
                       type_quote(s, qt(type)));
    }
    if (value->is_constant && !value->folded && !value->float_value && !stmt->select.default_case &&
        stmt->select.cases.length && !covers(stmt, (int64_t)value->integer))
        pp_warning_range(s->front, DIAG_GROUP_NONE, value->loc, value->range,
                         "no case matching constant switch condition '%lld'", (long long)value->integer);
}

/* ---- bodies ---- */

/* `while (x);` with an empty body, while the next statement is indented or in braces: it was likely meant as the body.
 * line_end: the last character of the loop's head. */
void lint_empty_body(struct sema *s, const struct stmt *body, src_loc head, src_loc line_end, const char *what)
{
    if (body->kind != STMT_EMPTY || pp_source_expansion(s->front, body->loc) != body->loc)
        return;
    struct src_position end = pp_source_position(s->front, line_end), at = pp_source_position(s->front, body->loc);
    if (end.line != at.line)
        return;
    bool likely = !strcmp(what, "if") || !strcmp(what, "switch") || s->tok.kind == TOKEN_LEFT_BRACE;
    if (!likely && s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END && s->tok.kind != TOKEN_SEMICOLON)
        likely = pp_source_position(s->front, s->tok.loc).column > pp_source_position(s->front, head).column;
    if (!likely)
        return;
    pp_warning(s->front, DIAG_GROUP_EMPTY_BODY, body->loc, "%s %s has empty body", what,
               !strcmp(what, "if") || !strcmp(what, "switch") ? "statement" : "loop");
    pp_note(s->front, body->loc, "put the semicolon on a separate line to silence this warning");
}
