/* Statements and function bodies. C99, 6.8; case ranges and statement attributes as clang takes them. Chains of else-if
 * are read in a loop, so only real nesting costs stack. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/parse/parse.h"
#include "compiler/front/lint/advice.h"

#include <stdio.h>

static struct stmt *parse_statement(struct sema *s);
static struct stmt *nested(struct sema *s, bool item);

static struct stmt *stmt_new(struct sema *s, enum stmt_kind kind, src_loc loc)
{
    /* the most frequent kind: only what it needs */
    size_t size = kind == STMT_EXPR ? offsetof(struct stmt, expr) + sizeof(struct expr *) : sizeof(struct stmt);
    struct stmt *stmt = arena_alloc_aligned(s->front->nodes, size, _Alignof(struct stmt));
    stmt->kind = kind;
    stmt->loc = loc;
    return stmt;
}

static struct stmt *empty(struct sema *s)
{
    return stmt_new(s, STMT_EMPTY, s->tok.loc);
}

/* After an error: to the statement's end, so that the next one is read afresh. */
static void recover(struct sema *s)
{
    parse_skip_stray_brace(s);
    parse_skip_to_semicolon(s);
    while (s->tok.kind == TOKEN_RIGHT_PAREN || s->tok.kind == TOKEN_RIGHT_BRACKET) { /* it was never opened */
        parse_next(s);
        parse_skip_to_semicolon(s);
    }
    parse_accept(s, TOKEN_SEMICOLON);
}

static void end_statement(struct sema *s, const char *after)
{
    if (parse_expect_semicolon(s, after))
        return;
    /* a statement that plainly starts on the next line goes on from there */
    if (!s->tok.at_line_start)
        recover(s);
}

/* ---- loops and conditions ---- */

static struct expr *parse_condition(struct sema *s, const char *keyword)
{
    char what[32];
    snprintf(what, sizeof(what), "after '%s'", keyword);
    src_loc open = s->tok.loc;
    bool opened = parse_expect(s, TOKEN_LEFT_PAREN, what);
    if (!opened && (s->tok.at_line_start || s->tok.kind == TOKEN_SEMICOLON || s->tok.kind == TOKEN_LEFT_BRACE ||
                    s->tok.kind == TOKEN_RIGHT_BRACE))
        return s->poison;
    struct expr *condition = parse_expression(s);
    if (!opened) { /* if x == 1) or if x == 1 { */
        if (expr_poison(condition))
            parse_skip_until(s, TOKEN_RIGHT_PAREN);
        parse_accept(s, TOKEN_RIGHT_PAREN);
        return s->poison;
    }
    lint_sequence(s, condition);
    lint_full_expression(s);
    lint_extra_parentheses(s, condition);
    condition = sema_condition(s, condition);
    if (parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, condition))
        return s->poison;
    if (s->tok.kind == TOKEN_RIGHT_PAREN) {
        pp_error(s->front, s->tok.loc, "extraneous ')' after condition, expected a statement");
        parse_next(s);
    }
    return condition;
}

static uint32_t take_unroll(struct sema *s)
{
    uint32_t unroll = s->pending_unroll;
    s->pending_unroll = 0;
    return unroll;
}

/* After a body without braces, which began at body; head is where its "if", "for"... stands. A label may stand at any
 * column. */
static void check_indentation(struct sema *s, src_loc head, src_loc body, const char *what)
{
    if (lint_is_misleading(s, head, body) &&
        !(s->tok.kind == TOKEN_IDENTIFIER && parse_peek(s, 1)->kind == TOKEN_COLON))
        lint_indentation(s, head, what);
}

/* head: where the loop begins, and what it is, for -Wmisleading-indentation */
static struct stmt *parse_body(struct sema *s, struct loop_context *context, src_loc head, const char *what)
{
    context->outer = s->function->loops;
    s->function->loops = context;
    bool braces = s->tok.kind == TOKEN_LEFT_BRACE;
    src_loc start = s->tok.loc;
    struct stmt *body = parse_statement(s);
    if (!braces && what)
        check_indentation(s, head, start, what);
    s->function->loops = context->outer;
    return body;
}

static struct stmt *parse_while(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_WHILE, s->tok.loc);
    struct loop_context context = {0};
    stmt->loop.unroll = take_unroll(s);
    parse_next(s);
    stmt->loop.condition = parse_condition(s, "while");
    src_loc close = s->prev_end;
    stmt->loop.body = parse_body(s, &context, stmt->loc, "while");
    lint_empty_body(s, stmt->loop.body, stmt->loc, close, "while");
    return stmt;
}

static struct stmt *parse_do(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_DO, s->tok.loc);
    struct loop_context context = {0};
    stmt->loop.unroll = take_unroll(s);
    parse_next(s);
    stmt->loop.body = parse_body(s, &context, stmt->loc, NULL);
    if (s->tok.kind != TOKEN_WHILE) {
        pp_error(s->front, s->tok.loc, "expected 'while' in do/while loop");
        pp_note(s->front, stmt->loc, "to match this 'do'");
        recover(s);
        stmt->loop.condition = s->poison;
        return stmt;
    }
    parse_next(s);
    stmt->loop.condition = parse_condition(s, "while");
    end_statement(s, "after do/while statement");
    return stmt;
}

/* After an error in the head of a loop, what its brackets hold is no matter. */
static bool for_semicolon(struct sema *s, uint32_t num_errors)
{
    return num_errors != s->front->num_errors ? parse_accept(s, TOKEN_SEMICOLON)
                                              : parse_expect(s, TOKEN_SEMICOLON, "in 'for' statement specifier");
}

/* Past the ")" of a head of which at most so many ';' are left. */
static void skip_for_head(struct sema *s, uint32_t semicolons)
{
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    if (s->tok.kind == TOKEN_RIGHT_BRACE && !s->tok.at_line_start) { /* not the end of a block */
        parse_next(s);
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
    }
    while (semicolons-- && s->tok.kind == TOKEN_SEMICOLON) {
        parse_next(s);
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
    }
    parse_accept(s, TOKEN_RIGHT_PAREN);
}

/* for-statement = "for" "(" (declaration | expression? ";") expression? ";" expression? ")" statement */
static struct stmt *parse_for(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_FOR, s->tok.loc);
    struct loop_context context = {0};
    stmt->loop.unroll = take_unroll(s);
    parse_next(s);
    if (!parse_expect(s, TOKEN_LEFT_PAREN, "after 'for'")) {
        recover(s);
        return empty(s);
    }
    uint32_t mark = sema_scope_push(s), errors = s->front->num_errors;
    uint32_t num_semicolons = 0;
    bool good = true;
    if (parse_is_type_start(s, &s->tok)) {
        stmt->loop.init = parse_declaration_statement(s, NULL);
        num_semicolons++;
        good = errors == s->front->num_errors;
    } else {
        if (s->tok.kind != TOKEN_SEMICOLON) {
            stmt->loop.init = stmt_new(s, STMT_EXPR, s->tok.loc);
            stmt->loop.init->expr = sema_check_typed(s, parse_expression(s));
            if (!expr_poison(stmt->loop.init->expr))
                lint_unused_value(s, stmt->loop.init->expr, false);
        }
        good = for_semicolon(s, errors);
        num_semicolons += good;
    }
    /* a declaration that went wrong may have taken the condition's ';' with it */
    if (good && s->tok.kind != TOKEN_SEMICOLON)
        stmt->loop.condition = sema_condition(s, parse_expression(s));
    if (good) {
        good = for_semicolon(s, errors);
        num_semicolons += good;
    }
    if (good && s->tok.kind != TOKEN_RIGHT_PAREN && s->tok.kind != TOKEN_SEMICOLON) {
        stmt->loop.step = sema_check_typed(s, parse_expression(s));
        lint_sequence(s, stmt->loop.step);
        lint_full_expression(s);
        if (!expr_poison(stmt->loop.step))
            lint_unused_value(s, stmt->loop.step, false);
    }
    bool silent = !good || errors != s->front->num_errors;
    if (silent ? !parse_accept(s, TOKEN_RIGHT_PAREN) : !parse_expect(s, TOKEN_RIGHT_PAREN, NULL))
        skip_for_head(s, !good ? 2 - num_semicolons : s->tok.kind == TOKEN_SEMICOLON ? 2 : 0);
    src_loc close = s->prev_end;
    stmt->loop.body = parse_body(s, &context, stmt->loc, "for");
    lint_empty_body(s, stmt->loop.body, stmt->loc, close, "for");
    lint_for(s, stmt);
    sema_scope_pop(s, mark);
    return stmt;
}

/* if (a) if (b) x; else y: the else is the inner one's. An inner loop may stand between. */
static void warn_dangling_else(struct sema *s, const struct stmt *stmt)
{
    while (stmt && (stmt->kind == STMT_FOR || stmt->kind == STMT_WHILE))
        stmt = stmt->loop.body;
    while (stmt && stmt->kind == STMT_IF && stmt->branch.else_body) {
        if (stmt->branch.else_body->kind != STMT_IF) {
            pp_warning(s->front, DIAG_GROUP_DANGLING_ELSE, stmt->branch.else_loc,
                       "add explicit braces to avoid dangling else");
            return;
        }
        stmt = stmt->branch.else_body;
    }
}

/* if (...) ... else if (...) ... is a chain, read iteratively */
static struct stmt *parse_if(struct sema *s)
{
    struct stmt *first = NULL, *last = NULL;
    for (;;) {
        struct stmt *stmt = stmt_new(s, STMT_IF, s->tok.loc);
        parse_next(s);
        stmt->branch.condition = parse_condition(s, "if");
        src_loc close = s->prev_end;
        bool inner_if = s->tok.kind == TOKEN_IF || s->tok.kind == TOKEN_FOR || s->tok.kind == TOKEN_WHILE;
        bool braces = s->tok.kind == TOKEN_LEFT_BRACE;
        src_loc start = s->tok.loc;
        stmt->branch.then_body = parse_statement(s);
        if (inner_if && s->tok.kind != TOKEN_ELSE)
            warn_dangling_else(s, stmt->branch.then_body);
        if (last)
            last->branch.else_body = stmt;
        else
            first = stmt;
        last = stmt;
        if (s->tok.kind != TOKEN_ELSE) {
            if (!braces)
                check_indentation(s, stmt->loc, start, "if");
            if (!expr_poison(stmt->branch.condition))
                lint_empty_body(s, stmt->branch.then_body, stmt->loc, close, "if");
            return first;
        }
        last->branch.else_loc = s->tok.loc;
        parse_next(s);
        if (s->tok.kind != TOKEN_IF) {
            braces = s->tok.kind == TOKEN_LEFT_BRACE;
            start = s->tok.loc;
            last->branch.else_body = parse_statement(s);
            if (!braces)
                check_indentation(s, last->branch.else_loc, start, "else");
            return first;
        }
    }
}

/* ---- switch ---- */

static struct stmt *parse_switch(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_SWITCH, s->tok.loc);
    parse_next(s);
    src_loc open = s->tok.loc;
    if (!parse_expect(s, TOKEN_LEFT_PAREN, "after 'switch'")) {
        recover(s);
        return empty(s);
    }
    struct expr *value = parse_expression(s);
    lint_switch_value(s, value);
    const struct type *written = expr_poison(value) ? NULL : type_strip_enum(value->type.type);
    value = sema_promote(s, value);
    if (!expr_poison(value) && !type_is_integer(value->type.type)) {
        pp_error_range(s->front, value->loc, value->range, "statement requires expression of integer type (%s invalid)",
                       type_quote_expr(s, value));
        value = s->poison;
    }
    parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, NULL);
    struct loop_context context = {.switch_stmt = stmt, .switch_type = value->type.type, .written_type = written};
    src_loc close = s->prev_end;
    stmt->select.value = value;
    stmt->select.body = parse_body(s, &context, stmt->loc, NULL);
    lint_empty_body(s, stmt->select.body, stmt->loc, close, "switch");
    lint_switch(s, stmt);
    return stmt;
}

static struct loop_context *enclosing_switch(struct sema *s)
{
    struct loop_context *context = s->function->loops;
    while (context && !context->switch_stmt)
        context = context->outer;
    return context;
}

static void warn_case_range(struct sema *s, const struct expr *expr, const struct type *type)
{
    uint64_t value = expr->integer, converted = const_truncate(type, value);
    if (type_is_integer(type) && type->kind != TYPE_BOOL && converted != value)
        pp_warning_range(s->front, DIAG_GROUP_SWITCH, expr->loc, expr->range,
                         "overflow converting case value to switch condition type (%lld to %lld)", (long long)value,
                         (long long)converted);
}

static bool case_value(struct sema *s, const struct loop_context *context, uint64_t *value)
{
    struct expr *expr;
    if (!parse_constant(s, "case label", &expr)) {
        *value = 0;
        return false;
    }
    const struct type *type = context && !is_poison(context->switch_type) ? context->switch_type : expr->type.type;
    *value = const_truncate(type, expr->integer);
    if (context && context->written_type)
        warn_case_range(s, expr, context->written_type);
    return true;
}

static void check_duplicate(struct sema *s, struct loop_context *context, struct stmt *stmt, src_loc loc)
{
    uint64_t low = stmt->label_case.low, high = stmt->label_case.high;
    bool is_signed = type_is_signed(context->switch_type);
    const struct stmt *previous = low == high ? u64_map_get(&context->seen, low) : NULL;
    for (uint32_t i = 0; !previous && i < context->ranges.length; i++) {
        const struct stmt *range = context->ranges.data[i];
        bool apart =
            is_signed ? (int64_t)high < (int64_t)range->label_case.low || (int64_t)low > (int64_t)range->label_case.high
                      : high < range->label_case.low || low > range->label_case.high;
        if (!apart)
            previous = range;
    }
    if (previous) {
        pp_error(s->front, loc, is_signed ? "duplicate case value '%lld'" : "duplicate case value '%llu'",
                 (long long)low);
        pp_note(s->front, previous->loc, "previous case defined here");
    } else if (low == high) {
        u64_map_set(s->front->nodes, &context->seen, low, stmt);
    } else {
        vec_push(s->front->nodes, &context->ranges, stmt);
    }
}

/* "case" constant ("..." constant)? ":" | "default" ":"; labels in a row are read in a loop */
static struct stmt *parse_case(struct sema *s)
{
    struct stmt *first = NULL, **link = &first;
    while (s->tok.kind == TOKEN_CASE || s->tok.kind == TOKEN_DEFAULT) {
        bool is_default = s->tok.kind == TOKEN_DEFAULT;
        struct stmt *stmt = stmt_new(s, is_default ? STMT_DEFAULT : STMT_CASE, s->tok.loc);
        struct loop_context *context = enclosing_switch(s);
        parse_next(s);
        bool good = true;
        src_loc value_loc = s->tok.loc;
        if (!context)
            pp_error(s->front, stmt->loc, "'%s' statement not in switch statement", is_default ? "default" : "case");
        else
            stmt->label_case.in_switch = context->switch_stmt;
        if (is_default && context) {
            if (context->switch_stmt->select.default_case) {
                pp_error(s->front, stmt->loc, "multiple default labels in one switch");
                pp_note(s->front, context->switch_stmt->select.default_case->loc, "previous case defined here");
            }
            context->switch_stmt->select.default_case = stmt;
        } else if (!is_default) {
            good = case_value(s, context, &stmt->label_case.low);
            stmt->label_case.high = stmt->label_case.low;
            if (parse_accept(s, TOKEN_ELLIPSIS))
                good &= case_value(s, context, &stmt->label_case.high);
            bool backwards = context && !is_poison(context->switch_type) && type_is_signed(context->switch_type)
                                 ? (int64_t)stmt->label_case.high < (int64_t)stmt->label_case.low
                                 : stmt->label_case.high < stmt->label_case.low;
            if (good && backwards)
                pp_warning(s->front, DIAG_GROUP_NONE, value_loc, "empty case range specified");
            if (good && context && !is_poison(context->switch_type)) {
                check_duplicate(s, context, stmt, value_loc);
                vec_push(s->front->nodes, &context->switch_stmt->select.cases, stmt);
            }
        }
        if (!parse_expect(s, TOKEN_COLON, is_default ? "after 'default'" : "after 'case'"))
            parse_accept(s, TOKEN_SEMICOLON);
        *link = stmt;
        link = &stmt->label_case.body;
    }
    /* C99 wants a statement after a label; like clang, a closing brace does too */
    if (s->tok.kind == TOKEN_RIGHT_BRACE)
        pp_error(s->front, s->tok.loc, "label at end of compound statement: expected statement");
    *link = s->tok.kind == TOKEN_RIGHT_BRACE ? empty(s) : parse_statement(s);
    return first;
}

/* ---- jumps and labels ---- */

static struct stmt *parse_label(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_LABEL, s->tok.loc);
    struct ident *name = stmt->label.name = s->tok.ident;
    uint64_t key = (uint64_t)(uintptr_t)name;
    struct attributes attrs = {0};
    parse_next(s);
    parse_next(s);
    const struct stmt *previous = u64_map_get(&s->function->label_map, key);
    s->function->whole = true;
    if (previous) {
        pp_error(s->front, stmt->loc, "redefinition of label '%s'", name->name);
        pp_note(s->front, previous->loc, "previous definition is here");
    } else {
        u64_map_set(s->arena, &s->function->label_map, key, stmt);
    }
    parse_attributes(s, &attrs);
    if (!previous && !attrs.unused)
        vec_push(s->arena, &s->function->labels, stmt);
    if (s->tok.kind == TOKEN_RIGHT_BRACE) {
        pp_error(s->front, s->tok.loc, "label at end of compound statement: expected statement");
        stmt->label.body = empty(s);
    } else {
        stmt->label.body = parse_statement(s);
    }
    return stmt;
}

static struct stmt *parse_goto(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_GOTO, s->tok.loc);
    parse_next(s);
    if (s->tok.kind != TOKEN_IDENTIFIER) {
        pp_error(s->front, s->tok.loc,
                 s->tok.kind == TOKEN_STAR ? "indirect goto is not supported in OpenCL" : "expected identifier");
        recover(s);
        return empty(s);
    }
    stmt->loc = s->tok.loc;
    stmt->jump.name = s->tok.ident;
    vec_push(s->arena, &s->function->gotos, stmt);
    s->function->whole = true;
    parse_next(s);
    end_statement(s, "after goto statement");
    return stmt;
}

static struct stmt *parse_break(struct sema *s)
{
    bool is_break = s->tok.kind == TOKEN_BREAK;
    struct stmt *stmt = stmt_new(s, is_break ? STMT_BREAK : STMT_CONTINUE, s->tok.loc);
    const struct loop_context *context = s->function->loops;
    while (!is_break && context && context->switch_stmt)
        context = context->outer;
    if (!context)
        pp_error(s->front, stmt->loc,
                 is_break ? "'break' statement not in loop or switch statement"
                          : "'continue' statement not in loop statement");
    parse_next(s);
    end_statement(s, is_break ? "after break statement" : "after continue statement");
    return context ? stmt : empty(s);
}

static struct qual_type inferred_result(struct sema *s, struct expr **value)
{
    struct qual_type type = qt(type_scalar(s, TYPE_VOID));
    if (*value) {
        *value = clc_rvalue(s->front, *value);
        type = qual_type_unqualified((*value)->type);
    }
    s->function->has_result = true;
    return type;
}

/* 6.14: all of a block's return statements give the same type when none was written. */
static bool check_inferred(struct sema *s, struct expr **value, struct qual_type result, src_loc loc)
{
    struct qual_type type = qt(type_scalar(s, TYPE_VOID));
    if (*value) {
        *value = clc_rvalue(s->front, *value);
        type = (*value)->type;
    }
    if (is_poison(type.type) || is_poison(result.type) || clc_type_equal(type.type, result.type))
        return true;
    pp_error(s->front, loc,
             "return type %s must match previous return type %s when block literal has unspecified explicit return "
             "type",
             type_quote(s, qual_type_unqualified(type)), type_quote(s, result));
    return false;
}

static struct stmt *parse_return(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_RETURN, s->tok.loc);
    struct decl *function = s->function->decl;
    parse_next(s);
    struct expr *value = s->tok.kind == TOKEN_SEMICOLON ? NULL : parse_expression(s);
    if (value && expr_poison(value)) {
        recover(s);
        return stmt;
    }
    end_statement(s, "after return statement");
    if (s->function->returns_inferred && !s->function->has_result) {
        struct qual_type result = inferred_result(s, &value);
        const struct type *old = function->type.type;
        function->type.type =
            clc_type_function(s->front, result, old->function.params, old->function.num_params, old->function.variadic);
    }
    struct qual_type result = function->type.type->function.result;
    if (s->function->returns_inferred && !check_inferred(s, &value, result, stmt->loc))
        return stmt;
    bool is_void = result.type->kind == TYPE_VOID;
    const char *name = function->name ? function->name->name : "block";
    if (!value) {
        if (!is_void && !is_poison(result.type))
            pp_error(s->front, stmt->loc, "non-void function '%s' should return a value", name);
        return stmt;
    }
    if (is_void) {
        if (value->type.type->kind == TYPE_VOID) {
            stmt->kind = STMT_BLOCK;
            stmt->block.first = stmt_new(s, STMT_EXPR, value->loc);
            stmt->block.first->expr = value;
            stmt->block.first->next = stmt_new(s, STMT_RETURN, stmt->loc);
            return stmt;
        }
        pp_error_range(s->front, stmt->loc, value->range, "void function '%s' should not return a value", name);
        return stmt;
    }
    lint_returned(s, value);
    stmt->expr = sema_convert(s, value, result, CONVERT_RETURN, value->loc);
    lint_full_expression(s);
    return stmt;
}

/* ---- blocks ---- */

/* The file's end, and the next kernel where a brace is missing: with that all blocks end, and it is read as what it is.
 * A kernel within a block, which is wrong by itself, is indented. */
static bool is_beyond_blocks(const struct sema *s)
{
    if (s->tok.kind == TOKEN_KERNEL && s->tok.at_line_start)
        return pp_source_position(s->front, s->tok.loc).column == 1;
    return s->tok.kind == TOKEN_END;
}

/* own_scope: not a function's body, whose scope has its parameters */
struct stmt *parse_compound(struct sema *s, bool own_scope)
{
    struct arena *nodes = own_scope ? s->front->nodes : s->arena; /* a function's body stays, if only as such */
    struct stmt *block = arena_new(nodes, struct stmt), *last = NULL;
    block->kind = STMT_BLOCK;
    block->loc = s->tok.loc;
    src_loc open = s->tok.loc;
    bool contract_off = s->fp_contract_off;
    uint32_t mark = 0;
    if (own_scope)
        mark = sema_scope_push(s);
    parse_next(s);
    while (s->tok.kind != TOKEN_RIGHT_BRACE && !is_beyond_blocks(s)) {
        struct stmt *stmt = nested(s, true);
        if (last)
            last->next = stmt;
        else
            block->block.first = stmt;
        last = stmt;
        if (!own_scope) {
            sema_stream_statements(s, block);
            last = block->block.first ? last : NULL;
        }
    }
    s->fp_contract_off = contract_off; /* before the brace: a pragma may follow it */
    if (own_scope)
        sema_scope_pop(s, mark);
    if (!parse_accept(s, TOKEN_RIGHT_BRACE) && s->bad_token != s->tok.loc) {
        s->bad_token = s->tok.loc; /* of blocks within each other, the innermost says it */
        pp_error(s->front, s->prev_end, "expected '}'");
        pp_note(s->front, open, "to match this '{'");
    }
    return block;
}

static struct stmt *parse_expression_statement(struct sema *s)
{
    struct stmt *stmt = stmt_new(s, STMT_EXPR, s->tok.loc);
    src_loc before = s->tok.loc;
    stmt->expr = sema_check_typed(s, parse_expression(s));
    lint_sequence(s, stmt->expr);
    lint_full_expression(s);
    /* the value of a statement expression's last statement is used */
    uint32_t close = s->tok.kind == TOKEN_SEMICOLON ? 1 : 0;
    const struct token *brace = close ? parse_peek(s, close) : &s->tok;
    if (!expr_poison(stmt->expr) &&
        !(brace->kind == TOKEN_RIGHT_BRACE && parse_peek(s, close + 1)->kind == TOKEN_RIGHT_PAREN))
        lint_unused_value(s, stmt->expr, false);
    if (expr_poison(stmt->expr)) {
        recover(s);
        if (s->tok.loc == before && s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END)
            parse_next(s); /* a stray closing bracket */
        return stmt;
    }
    end_statement(s, "after expression");
    return stmt;
}

/* foo bar; with foo unknown: one message, then as a declaration with a poisoned type. */
static bool looks_like_unknown_type(struct sema *s)
{
    if (s->tok.kind != TOKEN_IDENTIFIER || sema_lookup(s, s->tok.ident))
        return false;
    return parse_peek(s, 1)->kind == TOKEN_IDENTIFIER && clc_builtin_find(s->front, s->tok.ident) == NULL;
}

static struct stmt *parse_attributed(struct sema *s, bool item)
{
    struct attributes attrs = {0};
    parse_attributes(s, &attrs);
    if (item && parse_is_type_start(s, &s->tok))
        return parse_declaration_statement(s, &attrs);
    if (attrs.unroll) {
        s->pending_unroll = attrs.unroll;
        s->unroll_pragma = NULL;
    }
    sema_check_statement_attributes(s, &attrs);
    if (attrs.unroll && s->tok.kind != TOKEN_FOR && s->tok.kind != TOKEN_WHILE && s->tok.kind != TOKEN_DO) {
        pp_error(s->front, attrs.loc,
                 "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements");
        s->pending_unroll = 0;
    }
    return parse_statement(s);
}

/* item: directly in a block, where a declaration may stand. */
static struct stmt *dispatch(struct sema *s, bool item)
{
    parse_check_unroll(s);
    switch (s->tok.kind) {
    case TOKEN_LEFT_BRACE:
        return parse_compound(s, true);
    case TOKEN_SEMICOLON: {
        struct stmt *stmt = empty(s);
        parse_next(s);
        return stmt;
    }
    case TOKEN_IF:
        return parse_if(s);
    case TOKEN_WHILE:
        return parse_while(s);
    case TOKEN_DO:
        return parse_do(s);
    case TOKEN_FOR:
        return parse_for(s);
    case TOKEN_SWITCH:
        return parse_switch(s);
    case TOKEN_CASE:
    case TOKEN_DEFAULT:
        return parse_case(s);
    case TOKEN_GOTO:
        return parse_goto(s);
    case TOKEN_BREAK:
    case TOKEN_CONTINUE:
        return parse_break(s);
    case TOKEN_RETURN:
        return parse_return(s);
    case TOKEN_ATTRIBUTE:
        return parse_attributed(s, item);
    case TOKEN_ELSE:
        pp_error(s->front, s->tok.loc, "expected expression");
        parse_next(s);
        return empty(s);
    case TOKEN_ASM:
        pp_error(s->front, s->tok.loc, "inline assembly is not supported in OpenCL");
        recover(s);
        return empty(s);
    case TOKEN_STATIC_ASSERT:
        parse_static_assert(s);
        return empty(s);
    default:
        break;
    }
    if (s->tok.kind == TOKEN_IDENTIFIER && parse_peek(s, 1)->kind == TOKEN_COLON)
        return parse_label(s);
    if (s->tok.kind == TOKEN_EXTENSION && parse_is_type_start(s, parse_peek(s, 1)))
        parse_next(s);
    if (parse_is_type_start(s, &s->tok) || looks_like_unknown_type(s)) {
        if (!item)
            pp_error(s->front, s->tok.loc, "expected expression: a declaration needs a block around it here");
        return parse_declaration_statement(s, NULL);
    }
    return parse_expression_statement(s);
}

static struct stmt *nested(struct sema *s, bool item)
{
    bool bracket = s->tok.kind == TOKEN_LEFT_BRACE;
    if (bracket)
        sema_enter(s, s->tok.loc);
    else if (++s->statements > SEMA_MAX_STATEMENTS)
        pp_fatal(s->front, s->tok.loc, "statement nesting level exceeded maximum of %d", SEMA_MAX_STATEMENTS);
    struct stmt *stmt = dispatch(s, item);
    if (bracket)
        sema_leave(s);
    else
        s->statements--;
    return stmt;
}

static struct stmt *parse_statement(struct sema *s)
{
    return nested(s, false);
}

/* ---- function bodies ---- */

static void resolve_gotos(struct sema *s, struct function_context *context)
{
    for (uint32_t i = 0; i < context->gotos.length; i++) {
        struct stmt *jump = context->gotos.data[i];
        struct stmt *label = u64_map_get(&context->label_map, (uint64_t)(uintptr_t)jump->jump.name);
        jump->jump.target = label;
        if (label)
            label->label.used = true;
        else
            pp_error(s->front, jump->loc, "use of undeclared label '%s'", jump->jump.name->name);
    }
}

void parse_function_body(struct sema *s, struct decl *function)
{
    struct function_context context = {.outer = s->function, .decl = function, .num_errors = s->front->num_errors};
    context.returns_inferred = s->infer_block_result;
    s->infer_block_result = false;
    s->function = &context;
    if (s->fp_contract_off)
        function->fn.flags |= FN_CONTRACT_OFF;
    uint32_t mark = context.num_kept = sema_scope_push(s);
    context.scope_depth = s->scope_depth;
    for (struct decl *param = function->fn.params; param; param = param->next)
        sema_scope_add(s, param);
    function->fn.body = parse_compound(s, false);
    sema_scope_pop(s, mark);
    resolve_gotos(s, &context);
    lint_unused_in_function(s, function, &context);
    s->pending_unroll = 0;
    s->function = context.outer;
    lint_return(s, function);
    if (!context.begun)
        lint_uninitialized(s, function);
}
