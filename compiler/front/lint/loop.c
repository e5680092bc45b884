/* Warnings of -Wall about loops that hardly end as meant, and about lines that are indented as if they belonged to the
 * statement above. Conditions are clang's; nothing is looked at unless asked for. */
#include "compiler/front/lint/lint.h"

enum { MAX_VARIABLES = 8, MAX_DEPTH = 200 };

struct watch {
    const struct decl *variables[MAX_VARIABLES];
    src_loc loc; /* of the first one in the condition */
    uint32_t num_variables, depth;
    bool found;   /* one may change, or the loop may be left otherwise */
    bool complex; /* the condition is too much to say anything */
};

/* ---- the condition's variables ---- */

static void add_variable(struct watch *w, const struct expr *expr)
{
    const struct decl *decl = expr->decl;
    bool own = decl->kind == DECL_VARIABLE && !decl->var.file_scope && !decl->var.is_static_local && decl->name &&
               !(expr->type.quals & QUAL_VOLATILE) && expr->type.address_space == AS_PRIVATE &&
               (type_is_scalar(expr->type.type));
    if (!own || w->num_variables == MAX_VARIABLES) {
        w->complex = true;
        return;
    }
    for (uint32_t i = 0; i < w->num_variables; i++)
        if (w->variables[i] == decl)
            return;
    if (!w->num_variables)
        w->loc = expr->loc;
    w->variables[w->num_variables++] = decl;
}

static void read_condition(struct watch *w, const struct expr *expr)
{
    if (!expr || w->complex || ++w->depth > MAX_DEPTH) {
        w->complex = true;
        return;
    }
    switch (expr->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
        break;
    case EXPR_DECL:
        add_variable(w, expr);
        break;
    case EXPR_CAST:
        read_condition(w, expr->cast.operand);
        break;
    case EXPR_BINARY:
        read_condition(w, expr->binary.left);
        read_condition(w, expr->binary.right);
        break;
    case EXPR_UNARY:
        w->complex |= expr->unary.op > UNARY_LOGICAL_NOT;
        read_condition(w, expr->unary.operand);
        break;
    case EXPR_COND:
        read_condition(w, expr->cond.condition);
        if (expr->cond.then_value)
            read_condition(w, expr->cond.then_value);
        read_condition(w, expr->cond.else_value);
        break;
    default:
        w->complex = true;
    }
    w->depth--;
}

/* ---- does anything change them? ---- */

static void look(struct watch *w, const struct expr *expr);
static void look_at(struct watch *w, const struct stmt *stmt);

static void look_list(struct watch *w, struct expr *const *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        look(w, args[i]);
}

static bool is_watched(const struct watch *w, const struct decl *decl)
{
    for (uint32_t i = 0; i < w->num_variables; i++)
        if (w->variables[i] == decl)
            return true;
    return false;
}

/* A mention of a variable that is not its value being read may change it. */
static void look(struct watch *w, const struct expr *expr)
{
    if (!expr || w->found)
        return;
    if (++w->depth > MAX_DEPTH) {
        w->found = true;
        return;
    }
    switch (expr->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_STRING:
        break;
    case EXPR_DECL:
        w->found |= is_watched(w, expr->decl);
        break;
    case EXPR_CAST:
        if (expr->cast.cast != CAST_LVALUE_TO_RVALUE || expr->cast.operand->kind != EXPR_DECL)
            look(w, expr->cast.operand);
        break;
    case EXPR_UNARY:
        look(w, expr->unary.operand);
        break;
    case EXPR_BINARY:
        look(w, expr->binary.left);
        look(w, expr->binary.right);
        break;
    case EXPR_ASSIGN:
        look(w, expr->assign.left);
        look(w, expr->assign.right);
        break;
    case EXPR_COND:
        look(w, expr->cond.condition);
        look(w, expr->cond.then_value);
        look(w, expr->cond.else_value);
        break;
    case EXPR_COMMA:
        look(w, expr->comma.left);
        look(w, expr->comma.right);
        break;
    case EXPR_CALL:
        look(w, expr->call.callee);
        look_list(w, expr->call.args, expr->call.num_args);
        break;
    case EXPR_BUILTIN:
        look_list(w, expr->builtin.args, expr->builtin.num_args);
        break;
    case EXPR_INDEX:
        look(w, expr->index.base);
        look(w, expr->index.index);
        break;
    case EXPR_MEMBER:
        look(w, expr->member.base);
        break;
    case EXPR_SWIZZLE:
        look(w, expr->swizzle.base);
        break;
    case EXPR_VECTOR:
        look_list(w, expr->vector.args, expr->vector.num_args);
        break;
    default: /* rare ones: say nothing */
        w->found = true;
    }
    w->depth--;
}

static void look_at_one(struct watch *w, const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_EXPR:
        look(w, stmt->expr);
        break;
    case STMT_DECL:
        for (const struct decl *decl = stmt->decls; decl && decl != stmt->decls_end; decl = decl->next)
            if (decl->kind == DECL_VARIABLE)
                look(w, decl->var.init);
        break;
    case STMT_BLOCK:
        look_at(w, stmt->block.first);
        break;
    case STMT_IF:
        look(w, stmt->branch.condition);
        look_at(w, stmt->branch.then_body);
        look_at(w, stmt->branch.else_body);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        look_at(w, stmt->loop.init);
        look(w, stmt->loop.condition);
        look(w, stmt->loop.step);
        look_at(w, stmt->loop.body);
        break;
    case STMT_EMPTY:
    case STMT_CONTINUE:
        break;
    default: /* jumps out, and what may hide them */
        w->found = true;
    }
}

static void look_at(struct watch *w, const struct stmt *stmt)
{
    if (++w->depth > MAX_DEPTH)
        w->found = true;
    for (; stmt && !w->found; stmt = stmt->next)
        look_at_one(w, stmt);
    w->depth--;
}

static void warn_unchanged(struct sema *s, const struct stmt *loop)
{
    struct watch w = {0};
    if (!loop->loop.condition || expr_poison(loop->loop.condition))
        return;
    read_condition(&w, loop->loop.condition);
    if (w.complex || !w.num_variables)
        return;
    if (loop->loop.step && loop->loop.step->kind != EXPR_DECL)
        look(&w, loop->loop.step);
    look_at(&w, loop->loop.body);
    if (w.found)
        return;
    const char *names[3] = {w.variables[0]->name->name, w.num_variables > 1 ? w.variables[1]->name->name : "",
                            w.num_variables > 2 ? w.variables[2]->name->name : ""};
    const char *list = w.num_variables == 1   ? arena_printf(s->arena, " '%s'", names[0])
                       : w.num_variables == 2 ? arena_printf(s->arena, "s '%s' and '%s'", names[0], names[1])
                       : w.num_variables == 3
                           ? arena_printf(s->arena, "s '%s', '%s', and '%s'", names[0], names[1], names[2])
                           : "s";
    pp_warning(s->front, DIAG_GROUP_FOR_LOOP_ANALYSIS, w.loc,
               "variable%s used in loop condition not modified in loop body", list);
}

/* ---- for (...; i++) { ... i++; } ---- */

static const struct decl *stepped(const struct expr *expr, bool *up)
{
    if (!expr || expr->kind != EXPR_UNARY || expr->unary.op < UNARY_PRE_INC || expr->unary.operand->kind != EXPR_DECL)
        return NULL;
    *up = expr->unary.op == UNARY_PRE_INC || expr->unary.op == UNARY_POST_INC;
    return expr->unary.operand->decl;
}

static bool has_continue(const struct stmt *stmt, uint32_t depth)
{
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == STMT_CONTINUE || depth > MAX_DEPTH)
            return true;
        if ((stmt->kind == STMT_BLOCK && has_continue(stmt->block.first, depth + 1)) ||
            (stmt->kind == STMT_IF &&
             (has_continue(stmt->branch.then_body, depth + 1) || has_continue(stmt->branch.else_body, depth + 1))) ||
            (stmt->kind == STMT_SWITCH && has_continue(stmt->select.body, depth + 1)) ||
            ((stmt->kind == STMT_CASE || stmt->kind == STMT_DEFAULT) && has_continue(stmt->label_case.body, depth + 1)))
            return true;
    }
    return false;
}

static void warn_stepped_twice(struct sema *s, const struct stmt *loop)
{
    const struct stmt *body = loop->loop.body, *last;
    bool up, again;
    const struct decl *variable = stepped(loop->loop.step, &up);
    if (!variable || !variable->name || body->kind != STMT_BLOCK)
        return;
    for (last = body->block.first; last && last->next; last = last->next)
        ;
    if (!last || last->kind != STMT_EXPR || stepped(last->expr, &again) != variable || again != up ||
        has_continue(body->block.first, 0))
        return;
    pp_warning(s->front, DIAG_GROUP_FOR_LOOP_ANALYSIS, last->expr->loc,
               "variable '%s' is %s both in the loop header and in the loop body", variable->name->name,
               up ? "incremented" : "decremented");
    pp_note(s->front, loop->loop.step->loc, "%s here", up ? "incremented" : "decremented");
}

void lint_for(struct sema *s, const struct stmt *loop)
{
    if (s->front->num_errors || !pp_warning_enabled(s->front, DIAG_GROUP_FOR_LOOP_ANALYSIS) ||
        pp_source_expansion(s->front, loop->loc) != loop->loc)
        return;
    warn_unchanged(s, loop);
    warn_stepped_twice(s, loop);
}

/* ---- indentation ---- */

/* The column where the line of loc begins to hold something; 0 when that is not loc. */
static uint32_t indentation(struct sema *s, src_loc loc)
{
    enum { TAB = 8 };
    struct src_position at = pp_source_position(s->front, loc);
    uint32_t column = 0;
    for (uint32_t i = 0; i + 1 < at.column; i++) {
        if (at.line_text[i] == '\t')
            column += TAB - column % TAB;
        else if (at.line_text[i] == ' ')
            column++;
        else
            return 0;
    }
    return column + 1;
}

static bool has_directive(struct sema *s, src_loc from, src_loc to)
{
    if (!pp_source_together(s->front, from, to) || to < from)
        return true;
    const char *text = pp_source_text(s->front, from), *end = text + (to - from);
    while ((text = memchr(text, '\n', (size_t)(end - text)))) {
        for (text++; text < end && (*text == ' ' || *text == '\t'); text++)
            ;
        if (text < end && *text == '#')
            return true;
    }
    return false;
}

bool lint_is_misleading(struct sema *s, src_loc statement, src_loc body)
{
    src_loc next = s->tok.loc;
    if (!pp_warning_enabled(s->front, DIAG_GROUP_MISLEADING_INDENTATION) || s->tok.kind == TOKEN_SEMICOLON ||
        s->tok.kind == TOKEN_RIGHT_BRACE || s->tok.kind == TOKEN_END || pp_source_expansion(s->front, next) != next ||
        pp_source_expansion(s->front, body) != body || pp_source_expansion(s->front, statement) != statement ||
        has_directive(s, body, next))
        return false;
    uint32_t outer = indentation(s, statement), inner = indentation(s, body), after = indentation(s, next);
    return outer && inner && after && inner > outer && inner == after;
}

void lint_indentation(struct sema *s, src_loc statement, const char *what)
{
    pp_warning(s->front, DIAG_GROUP_MISLEADING_INDENTATION, s->tok.loc,
               "misleading indentation; statement is not part of the previous '%s'", what);
    pp_note(s->front, statement, "previous statement is here");
}
