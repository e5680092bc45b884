/* Expressions: precedence climbing for binary operators, so that long chains cost no stack; chains of ?: likewise.
 * C99, 6.5, with OpenCL's vector literals and the GNU forms that real kernels use. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/parse/parse.h"
#include "compiler/front/lint/advice.h"
#include "compiler/front/sema/names.h"

struct binary_info {
    uint8_t precedence; /* 0: no binary operator */
    uint8_t op;
};

static const struct binary_info binary_infos[TOKEN_COUNT] = {
    [TOKEN_STAR] = {10, BINARY_MUL},           [TOKEN_SLASH] = {10, BINARY_DIV},
    [TOKEN_PERCENT] = {10, BINARY_REM},        [TOKEN_PLUS] = {9, BINARY_ADD},
    [TOKEN_MINUS] = {9, BINARY_SUB},           [TOKEN_LESS_LESS] = {8, BINARY_SHL},
    [TOKEN_GREATER_GREATER] = {8, BINARY_SHR}, [TOKEN_LESS] = {7, BINARY_LT},
    [TOKEN_GREATER] = {7, BINARY_GT},          [TOKEN_LESS_EQUAL] = {7, BINARY_LE},
    [TOKEN_GREATER_EQUAL] = {7, BINARY_GE},    [TOKEN_EQUAL_EQUAL] = {6, BINARY_EQ},
    [TOKEN_EXCLAIM_EQUAL] = {6, BINARY_NE},    [TOKEN_AMP] = {5, BINARY_AND},
    [TOKEN_CARET] = {4, BINARY_XOR},           [TOKEN_PIPE_SIGN] = {3, BINARY_OR},
    [TOKEN_AMP_AMP] = {2, BINARY_LOGICAL_AND}, [TOKEN_PIPE_PIPE] = {1, BINARY_LOGICAL_OR},
};

/* What ends an operand and the expression that it is in, where no operator stood before. */
static const bool ends_expression[TOKEN_COUNT] = {
    [TOKEN_COMMA] = true,         [TOKEN_SEMICOLON] = true,   [TOKEN_RIGHT_PAREN] = true,
    [TOKEN_RIGHT_BRACKET] = true, [TOKEN_RIGHT_BRACE] = true,
};

static const bool begins_postfix[TOKEN_COUNT] = {
    [TOKEN_LEFT_BRACKET] = true, [TOKEN_LEFT_PAREN] = true, [TOKEN_PERIOD] = true,
    [TOKEN_ARROW] = true,        [TOKEN_PLUS_PLUS] = true,  [TOKEN_MINUS_MINUS] = true,
};

static struct expr *parse_unary(struct sema *s);
static struct expr *parse_cast(struct sema *s);

/* ---- primary ---- */

static struct src_range token_range(const struct sema *s)
{
    return (struct src_range){s->tok.loc, s->tok.end};
}

static struct expr *parse_number(struct sema *s)
{
    static const enum type_kind kinds[] = {
        [LITERAL_INT] = TYPE_INT,       [LITERAL_UINT] = TYPE_UINT, [LITERAL_LONG] = TYPE_LONG,
        [LITERAL_ULONG] = TYPE_ULONG,   [LITERAL_HALF] = TYPE_HALF, [LITERAL_FLOAT] = TYPE_FLOAT,
        [LITERAL_DOUBLE] = TYPE_DOUBLE, [LITERAL_WIDE] = TYPE_LONG, [LITERAL_UNSIGNED_WIDE] = TYPE_ULONG,
    };
    struct expr *expr;
    if (s->tok.literal == LITERAL_MALFORMED) {
        parse_next(s);
        return s->poison;
    }
    enum type_kind kind = kinds[s->tok.literal];
    if (s->tok.kind == TOKEN_FLOATING) {
        if (kind == TYPE_DOUBLE && (!s->fp64 || s->front->options.single_precision_constant))
            kind = TYPE_FLOAT;
        if (kind == TYPE_DOUBLE && !sema_double_constants(s)) {
            pp_warning(s->front, DIAG_GROUP_NONE, s->tok.loc,
                       "double precision constant requires cl_khr_fp64, casting to single precision");
            kind = TYPE_FLOAT;
        }
        if (kind == TYPE_HALF && !s->fp16)
            pp_error(s->front, s->tok.loc, "half precision constant requires cl_khr_fp16");
        expr = expr_new(s, EXPR_FLOAT, qt(type_scalar(s, kind)), s->tok.loc, token_range(s));
        expr->is_constant = true;
        expr->float_value = true;
        expr->floating = const_round(expr->type.type, s->tok.floating);
    } else if (s->tok.literal == LITERAL_WIDE || s->tok.literal == LITERAL_UNSIGNED_WIDE) {
        struct wide_int value = {{s->tok.integer, s->tok.integer_high}, s->tok.literal == LITERAL_UNSIGNED_WIDE};
        expr = expr_wide(s, value, s->tok.loc, token_range(s));
    } else {
        if (s->tok.kind == TOKEN_CHARACTER)
            kind = TYPE_INT;
        expr = expr_int(s, type_scalar(s, kind), s->tok.integer, s->tok.loc, token_range(s));
    }
    parse_next(s);
    return expr;
}

static struct expr *string_node(struct sema *s, const char *bytes, uint64_t length, src_loc loc, struct src_range range)
{
    struct qual_type element = qt(type_scalar(s, TYPE_CHAR));
    struct expr *expr = expr_new(s, EXPR_STRING, qt(clc_type_array(s->front, element, length)), loc, range);
    expr->type.address_space = AS_CONSTANT;
    expr->string.bytes = bytes;
    expr->string.length = length;
    expr->lvalue = true;
    return expr;
}

static struct expr *parse_string(struct sema *s)
{
    struct expr *expr = string_node(s, s->tok.text, s->tok.length, s->tok.loc, token_range(s));
    parse_next(s);
    return expr;
}

static struct expr *parse_func_name(struct sema *s)
{
    const struct function_context *function = s->function;
    while (function && function->decl->fn.flags & FN_BLOCK && function->outer)
        function = function->outer;
    const char *name = function && function->decl->name ? function->decl->name->name : "";
    struct expr *expr = string_node(s, name, strlen(name) + 1, s->tok.loc, token_range(s));
    parse_next(s);
    return expr;
}

/* After an argument that is none: f(a, , b), f(a + ; b). */
static void skip_arguments(struct sema *s)
{
    if (s->tok.kind == TOKEN_SEMICOLON && !parse_peek(s, 1)->at_line_start)
        parse_next(s);
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    s->bad_token = s->tok.loc;
}

/* argument-list = "(" (assignment ("," assignment)*)? ")"; s->tok is "(" */
static struct expr **parse_arguments(struct sema *s, uint32_t *count, src_loc *end)
{
    VEC(struct expr *) args = {0};
    src_loc open = s->tok.loc;
    sema_enter(s, open);
    parse_next(s);
    if (s->tok.kind != TOKEN_RIGHT_PAREN) {
        do {
            struct expr *arg = s->tok.kind == TOKEN_LEFT_BRACE ? NULL : parse_assignment(s);
            if (!arg) {
                pp_error(s->front, s->tok.loc, "expected expression");
                parse_skip_until(s, TOKEN_RIGHT_PAREN);
                arg = s->poison;
            }
            vec_push(s->front->nodes, &args, arg);
            if (expr_poison(arg) && s->tok.loc == s->bad_token && s->tok.kind != TOKEN_RIGHT_PAREN) {
                skip_arguments(s);
                break;
            }
        } while (parse_accept(s, TOKEN_COMMA));
    }
    sema_leave(s);
    *end = s->tok.loc;
    if (parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, args.length ? args.data[args.length - 1] : NULL))
        vec_push(s->front->nodes, &args, s->poison);
    *count = args.length;
    return args.data;
}

struct expr **parse_form_operands(struct sema *s, uint32_t wanted, src_loc loc)
{
    uint32_t count;
    src_loc end;
    parse_next(s);
    if (s->tok.kind != TOKEN_LEFT_PAREN) {
        parse_expect(s, TOKEN_LEFT_PAREN, NULL);
        return NULL;
    }
    struct expr **args = parse_arguments(s, &count, &end);
    if (count != wanted) {
        pp_error(s->front, loc, "too %s arguments to function call, expected %u, have %u",
                 count < wanted ? "few" : "many", wanted, count);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (expr_poison(args[i]))
            return NULL;
    }
    return args;
}

static struct expr *undeclared(struct sema *s, struct ident *name, src_loc loc)
{
    /* where parameters were not understood, it may be one of them */
    if (!s->function || !is_poison(s->function->decl->type.type->function.result.type)) {
        struct suggestion near = sema_suggest(s, name, SUGGEST_VALUE);
        pp_error(s->front, loc, "use of undeclared identifier '%s'%s", name->name, sema_suggestion_text(s, &near));
        sema_suggestion_note(s, &near);
    }
    /* one message per name: it is a poisoned variable from here on, in this scope */
    struct decl *decl = sema_decl_new(s, DECL_VARIABLE, name, s->poison->type, loc);
    decl->invalid = true;
    sema_scope_add(s, decl);
    return s->poison;
}

/* At the '(' of the arguments. */
static struct expr *parse_call_of(struct sema *s, struct ident *name, src_loc loc, src_loc begin)
{
    uint32_t count;
    src_loc end;
    struct expr **args = parse_arguments(s, &count, &end);
    struct expr *call = sema_call_name(s, name, args, count, loc, end);
    if (!expr_poison(call))
        call->range = (struct src_range){begin, s->prev_end};
    return call;
}

static struct expr *parse_identifier(struct sema *s)
{
    struct ident *name = s->tok.ident;
    src_loc loc = s->tok.loc;
    struct src_range range = token_range(s);
    struct decl *decl = name->decl;
    if (!decl) {
        parse_peek(s, 1); /* with the pragmas before it */
        decl = sema_lookup(s, name);
    }
    if (!decl && name->length > 10 && !memcmp(name->name, "__builtin_", 10)) {
        struct expr *expr = parse_builtin_form(s, name, loc);
        if (expr)
            return expr;
    }
    parse_next(s);
    if (s->tok.kind == TOKEN_LEFT_PAREN && (!decl || decl->kind == DECL_FUNCTION))
        return parse_call_of(s, name, loc, range.begin);
    if (!decl) {
        if (clc_builtin_find(s->front, name)) {
            pp_error(s->front, loc, "taking address of function is not allowed");
            return s->poison;
        }
        return undeclared(s, name, loc);
    }
    if (decl->kind == DECL_TYPEDEF || decl->kind == DECL_TAG) {
        if (decl->invalid)
            return s->poison;
        pp_error(s->front, loc, "unexpected type name '%s': expected expression", name->name);
        return s->poison;
    }
    if (decl->restricted_use)
        sema_warn_availability(s, decl, name, loc);
    if (decl->kind == DECL_VARIABLE && s->function)
        sema_capture(s, &decl, loc);
    return expr_decl(s, decl, loc, range);
}

/* generic-selection = "_Generic" "(" assignment ("," (type-name | "default") ":" assignment)+ ")" */
static struct expr *parse_generic(struct sema *s)
{
    struct expr *chosen = NULL, *otherwise = NULL;
    src_loc loc = s->tok.loc;
    parse_next(s);
    if (!parse_expect(s, TOKEN_LEFT_PAREN, "after '_Generic'"))
        return s->poison;
    sema_enter(s, loc);
    s->unevaluated++;
    struct expr *control = clc_rvalue(s->front, parse_assignment(s));
    s->unevaluated--;
    while (parse_accept(s, TOKEN_COMMA)) {
        bool is_default = parse_accept(s, TOKEN_DEFAULT);
        struct qual_type type = is_default ? qt(NULL) : parse_type_name(s);
        parse_expect(s, TOKEN_COLON, NULL);
        struct expr *value = parse_assignment(s);
        if (is_default)
            otherwise = value;
        else if (!chosen && !type.quals && clc_type_equal(type.type, control->type.type))
            chosen = value;
    }
    sema_leave(s);
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    if (expr_poison(control))
        return control;
    if (!chosen)
        chosen = otherwise;
    if (chosen)
        return chosen;
    pp_error(s->front, loc, "controlling expression type %s not compatible with any generic association type",
             type_quote_expr(s, control));
    return s->poison;
}

/* "({" statements "})" */
static struct expr *parse_statement_expression(struct sema *s, src_loc loc)
{
    if (!s->function) {
        pp_error(s->front, loc, "statement expression not allowed at file scope");
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
        parse_accept(s, TOKEN_RIGHT_PAREN);
        return s->poison;
    }
    struct stmt *body = parse_compound(s, true);
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    struct stmt *last = body->block.first;
    while (last && last->next)
        last = last->next;
    struct stmt *inner = last;
    while (inner && inner->kind == STMT_LABEL)
        inner = inner->label.body;
    struct expr *expr =
        expr_new(s, EXPR_STATEMENT, qt(type_scalar(s, TYPE_VOID)), loc, (struct src_range){loc, s->prev_end});
    expr->statement.body = body;
    if (inner && inner->kind == STMT_EXPR) {
        struct expr *value = inner->expr;
        if (expr_poison(value))
            return s->poison;
        if (value->type.type->kind != TYPE_VOID)
            value = clc_rvalue(s->front, value);
        if (expr_poison(value))
            return value;
        inner->expr = value;
        expr->statement.value = value->type.type->kind == TYPE_VOID ? NULL : value;
        expr->type = qual_type_unqualified(value->type);
    }
    return expr;
}

/* (min)(a, b): the parentheses keep a macro min from being replaced. It is a call where the name is a built-in or
 * overloaded function. Another function's name in parentheses is its address, which may not be taken. Returns the
 * number of parentheses around the name, or 0. */
static uint32_t parenthesised_callee(struct sema *s)
{
    enum { MOST = (SEMA_MAX_LOOKAHEAD - 1) / 2 };
    uint32_t depth = 1;
    while (depth < MOST && parse_peek(s, depth)->kind == TOKEN_LEFT_PAREN)
        depth++;
    if (parse_peek(s, depth)->kind != TOKEN_IDENTIFIER)
        return 0;
    const struct decl *known = parse_peek(s, depth)->ident->decl;
    if (known && known->kind != DECL_FUNCTION)
        return 0;
    for (uint32_t i = 1; i <= depth; i++) {
        if (parse_peek(s, depth + i)->kind != TOKEN_RIGHT_PAREN)
            return 0;
    }
    if (parse_peek(s, 2 * depth + 1)->kind != TOKEN_LEFT_PAREN)
        return 0;
    struct ident *name = parse_peek(s, depth)->ident;
    const struct decl *decl = sema_lookup(s, name);
    if (!decl)
        return clc_builtin_find(s->front, name) ? depth : 0;
    return decl->kind == DECL_FUNCTION && (decl->overload || (decl->fn.flags & FN_OVERLOADABLE)) ? depth : 0;
}

static struct expr *parse_parenthesised_callee(struct sema *s, uint32_t depth)
{
    src_loc open = s->tok.loc;
    for (uint32_t i = 0; i < depth; i++)
        parse_next(s);
    struct ident *name = s->tok.ident;
    src_loc loc = s->tok.loc;
    for (uint32_t i = 0; i <= depth; i++)
        parse_next(s);
    return parse_call_of(s, name, loc, open);
}

static struct expr *parse_paren(struct sema *s)
{
    uint32_t depth = parenthesised_callee(s);
    if (depth)
        return parse_parenthesised_callee(s, depth);
    src_loc open = s->tok.loc;
    sema_enter(s, open);
    parse_next(s);
    struct expr *expr;
    if (s->tok.kind == TOKEN_LEFT_BRACE) {
        expr = parse_statement_expression(s, open);
        sema_leave(s);
        return expr;
    }
    expr = parse_expression(s);
    sema_leave(s);
    if (parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, expr))
        return s->poison;
    if (expr_poison(expr))
        return expr;
    expr->parenthesised = true;
    expr->range = (struct src_range){open, s->prev_end};
    return expr;
}

static struct expr *parse_primary(struct sema *s)
{
    switch (s->tok.kind) {
    case TOKEN_INTEGER:
    case TOKEN_FLOATING:
    case TOKEN_CHARACTER:
        return parse_number(s);
    case TOKEN_STRING:
        return parse_string(s);
    case TOKEN_IDENTIFIER:
        return parse_identifier(s);
    case TOKEN_LEFT_PAREN:
        return parse_paren(s);
    case TOKEN_GENERIC_SELECTION:
        return parse_generic(s);
    case TOKEN_FUNC:
        return parse_func_name(s);
    case TOKEN_CARET:
        return parse_block_literal(s);
    case TOKEN_TRUE:
    case TOKEN_FALSE: {
        struct expr *expr =
            expr_int(s, type_scalar(s, TYPE_INT), s->tok.kind == TOKEN_TRUE, s->tok.loc, token_range(s));
        expr->named_constant = true;
        parse_next(s);
        return expr;
    }
    default:
        if (s->bad_token != s->tok.loc)
            pp_error(s->front, s->tok.loc, "expected expression");
        s->bad_token = s->tok.loc;
        /* a stray token would be met again and again */
        if (s->tok.kind == TOKEN_UNKNOWN)
            parse_next(s);
        return s->poison;
    }
}

/* ---- postfix and unary ---- */

static struct expr *parse_postfix_of(struct sema *s, struct expr *expr)
{
    for (;;) {
        src_loc loc = s->tok.loc;
        if (loc == s->bad_token) /* no expression was found there */
            return expr;
        switch (s->tok.kind) {
        case TOKEN_LEFT_BRACKET: {
            sema_enter(s, loc);
            parse_next(s);
            struct expr *index = parse_expression(s);
            sema_leave(s);
            if (parse_misses_closing(s, TOKEN_RIGHT_BRACKET, loc, index))
                index = s->poison;
            expr = sema_index(s, expr, index, loc);
            break;
        }
        case TOKEN_LEFT_PAREN: {
            uint32_t count;
            src_loc end;
            struct expr **args = parse_arguments(s, &count, &end);
            expr = sema_call(s, expr, args, count, loc, end);
            break;
        }
        case TOKEN_PERIOD:
        case TOKEN_ARROW: {
            bool arrow = s->tok.kind == TOKEN_ARROW;
            parse_next(s);
            if (!s->tok.ident) {
                pp_error(s->front, s->tok.loc, "expected identifier");
                s->bad_token = s->tok.loc;
                return s->poison;
            }
            struct ident *name = s->tok.ident;
            src_loc name_loc = s->tok.loc;
            parse_next(s);
            expr = sema_member(s, expr, name, name_loc, arrow, loc);
            break;
        }
        case TOKEN_PLUS_PLUS:
        case TOKEN_MINUS_MINUS: {
            bool up = s->tok.kind == TOKEN_PLUS_PLUS;
            parse_next(s);
            expr = sema_unary(s, up ? UNARY_POST_INC : UNARY_POST_DEC, expr, loc);
            if (!expr_poison(expr))
                expr->range.end = s->prev_end;
            break;
        }
        default:
            return expr;
        }
    }
}

static inline struct expr *parse_postfix(struct sema *s, struct expr *expr)
{
    return begins_postfix[s->tok.kind] ? parse_postfix_of(s, expr) : expr;
}

static struct expr *size_expr(struct sema *s, struct qual_type type, bool is_align, uint64_t align, src_loc loc,
                              struct src_range range)
{
    const char *what = is_align ? "_Alignof" : "sizeof";
    if (is_poison(type.type))
        return s->poison;
    if (type.type->kind == TYPE_FUNCTION || type.type->kind == TYPE_VOID) {
        pp_error_range(s->front, loc, range, "invalid application of '%s' to a %s type", what,
                       type.type->kind == TYPE_FUNCTION ? "function" : "void");
        return s->poison;
    }
    if (type.type->incomplete) {
        pp_error_range(s->front, loc, range, "invalid application of '%s' to an incomplete type %s", what,
                       type_quote(s, type));
        sema_note_forward(s, type.type);
        return s->poison;
    }
    if (type.type->kind == TYPE_BLOCK || sema_innermost(type.type)->kind == TYPE_MATRIX) {
        pp_error_range(s->front, loc, range, "invalid application of '%s' to a %s type", what,
                       type.type->kind == TYPE_BLOCK ? "block" : "cooperative matrix");
        return s->poison;
    }
    return expr_int(s, type_scalar(s, TYPE_ULONG), is_align ? align : type.type->size, loc, range);
}

static uint64_t alignment_of(const struct expr *operand, struct qual_type type)
{
    if (operand && operand->kind == EXPR_DECL && operand->decl->kind == DECL_VARIABLE && operand->decl->var.align)
        return operand->decl->var.align;
    /* an aligned typedef decides, be it for less than its type has */
    if (type.sugar && !type.sugar_depth && type.sugar->kind == DECL_TYPEDEF && type.sugar->alias.align)
        return type.sugar->alias.align;
    return type.type->align;
}

/* A parameter written as an array is a pointer. */
static void warn_size_of_array(struct sema *s, const struct expr *operand, src_loc loc)
{
    const struct decl *param = operand->decl;
    const struct type *array = param->kind == DECL_VARIABLE && param->var.is_param
                                   ? u64_map_get(&s->array_params, (uint64_t)(uintptr_t)param)
                                   : NULL;
    if (!array)
        return;
    pp_warning_range(s->front, DIAG_GROUP_SIZEOF_ARRAY_ARGUMENT, loc, operand->range,
                     "sizeof on array function parameter will return size of %s instead of %s",
                     type_quote(s, param->type), type_quote(s, qt(array)));
    pp_note(s->front, param->loc, "declared here");
}

/* sizeof, _Alignof, vec_step: of a type in parentheses or a unary expression */
static struct expr *parse_size(struct sema *s, enum token_kind kind)
{
    src_loc loc = s->tok.loc;
    struct expr *operand = NULL;
    struct qual_type type;
    uint32_t changes = lint_changes(s);
    parse_next(s);
    s->unevaluated++;
    if (s->tok.kind == TOKEN_LEFT_PAREN && parse_is_type_start(s, parse_peek(s, 1))) {
        src_loc open = s->tok.loc;
        parse_next(s);
        type = parse_type_name(s);
        src_loc close = s->tok.loc;
        if (parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, NULL)) {
            type = s->poison->type;
        } else if (s->tok.kind == TOKEN_LEFT_BRACE) { /* sizeof (T){...} */
            struct expr *raw = parse_initializer(s);
            sema_init_convert(s, &type, raw, close, false);
        }
    } else {
        sema_enter(s, loc);
        operand = parse_unary(s);
        sema_leave(s);
        type = operand->type;
    }
    s->unevaluated--;
    struct src_range range = {loc, s->prev_end};
    if (kind == TOKEN_SIZEOF && operand && operand->kind == EXPR_DECL)
        warn_size_of_array(s, operand, loc);
    if (kind == TOKEN_IDENTIFIER) { /* 6.4.11 vec_step: 4 for 3-vectors; scalars and void 1 */
        if (is_poison(type.type))
            return s->poison;
        if (type.type->kind != TYPE_VOID && !type_is_arith(type_element(type.type))) {
            pp_error_range(s->front, loc, range, "'vec_step' requires built-in scalar or vector type, %s invalid",
                           type_quote(s, type));
            return s->poison;
        }
        uint32_t lanes = type_lanes(type.type);
        return expr_int(s, type_scalar(s, TYPE_INT), lanes == 3 ? 4 : lanes, loc, range);
    }
    bool changed = lint_drop_changes(s, changes);
    if (operand && operand->wide)
        return expr_int(s, type_scalar(s, TYPE_ULONG), 16, loc, range);
    struct expr *size = size_expr(s, type, kind == TOKEN_ALIGNOF, alignment_of(operand, type), loc, range);
    if (kind == TOKEN_SIZEOF && !expr_poison(size))
        lint_sizeof(s, size, type, operand, changed);
    return size;
}

/* One more than the operator's enum unary_op. */
static const uint8_t unary_operators[TOKEN_COUNT] = {
    [TOKEN_PLUS] = UNARY_PLUS + 1,           [TOKEN_MINUS] = UNARY_MINUS + 1,         [TOKEN_TILDE] = UNARY_NOT + 1,
    [TOKEN_EXCLAIM] = UNARY_LOGICAL_NOT + 1, [TOKEN_STAR] = UNARY_DEREF + 1,          [TOKEN_AMP] = UNARY_ADDRESS + 1,
    [TOKEN_PLUS_PLUS] = UNARY_PRE_INC + 1,   [TOKEN_MINUS_MINUS] = UNARY_PRE_DEC + 1,
};

static struct expr *parse_unary(struct sema *s)
{
    src_loc loc = s->tok.loc;
    if (unary_operators[s->tok.kind]) {
        enum unary_op op = (enum unary_op)(unary_operators[s->tok.kind] - 1);
        sema_enter(s, loc);
        parse_next(s);
        bool prefix = op == UNARY_PRE_INC || op == UNARY_PRE_DEC;
        s->in_address += op == UNARY_ADDRESS;
        struct expr *operand = prefix ? parse_unary(s) : parse_cast(s);
        s->in_address -= op == UNARY_ADDRESS;
        sema_leave(s);
        return sema_unary(s, op, operand, loc);
    }
    if (s->tok.kind == TOKEN_SIZEOF || s->tok.kind == TOKEN_ALIGNOF)
        return parse_size(s, s->tok.kind);
    if (s->tok.kind == TOKEN_EXTENSION) {
        sema_enter(s, loc);
        parse_next(s);
        struct expr *expr = parse_cast(s);
        sema_leave(s);
        return expr;
    }
    if (s->tok.kind == TOKEN_IDENTIFIER && s->tok.ident->length == 8 && !strcmp(s->tok.ident->name, "vec_step") &&
        !s->tok.ident->decl)
        return parse_size(s, TOKEN_IDENTIFIER);
    return parse_postfix(s, parse_primary(s));
}

/* ---- casts, compound and vector literals ---- */

static struct expr *compound_literal(struct sema *s, struct qual_type type, src_loc open)
{
    struct expr *raw = parse_initializer(s);
    bool file_scope = !s->function;
    struct src_range range = {open, s->prev_end};
    if (is_poison(type.type))
        return s->poison;
    if (type.type->kind == TYPE_FUNCTION || (type.type->incomplete && type.type->kind != TYPE_ARRAY)) {
        pp_error_range(s->front, open, range, "variable has incomplete type %s", type_quote(s, type));
        sema_note_forward(s, type.type);
        return s->poison;
    }
    struct expr *init = sema_init_convert(s, &type, raw, open, file_scope);
    if (expr_poison(init))
        return init;
    if (type.type->kind == TYPE_VECTOR) {
        init->range = range;
        return init;
    }
    if (!file_scope && type.address_space != AS_PRIVATE) {
        pp_error_range(s->front, open, range,
                       "compound literal in function scope may not be qualified with an address space");
        return s->poison;
    }
    if (file_scope)
        type.address_space = s->program_scope_global && !(type.quals & QUAL_CONST) ? AS_GLOBAL : AS_CONSTANT;
    struct decl *variable = sema_decl_new(s, DECL_VARIABLE, NULL, type, open);
    variable->var.init = init;
    variable->var.align = type.type->align;
    variable->var.file_scope = file_scope;
    variable->used = true;
    if (file_scope)
        vec_push(s->arena, &s->unit->globals, variable);
    struct expr *expr = expr_new(s, EXPR_COMPOUND, type, open, range);
    expr->compound.variable = variable;
    expr->lvalue = true;
    return expr;
}

/* (float4)(a, b, ...): 6.4.2. One argument in the parentheses is an ordinary cast. */
static struct expr *vector_cast(struct sema *s, struct qual_type type, src_loc open)
{
    src_loc end;
    uint32_t count;
    struct expr **args = parse_arguments(s, &count, &end);
    struct src_range range = {open, s->prev_end};
    for (uint32_t i = 0; i < count; i++)
        if (expr_poison(args[i]))
            return s->poison;
    if (!count) {
        pp_error(s->front, end, "expected expression");
        return s->poison;
    }
    struct expr *expr;
    if (count == 1) {
        /* what follows belongs to the operand: (float4)(v).xyzw casts v.xyzw, like clang */
        args[0]->parenthesised = true;
        struct expr *operand = parse_postfix(s, args[0]);
        return sema_explicit_cast(s, type, operand, open, (struct src_range){open, s->prev_end});
    }
    expr = sema_vector_literal(s, type.type, args, count, open, range);
    return parse_postfix(s, expr);
}

/* cast = "(" type-name ")" cast | "(" type-name ")" initializer-list | unary */
/* (unknown *)p: says so, and makes the name a type. */
static bool is_unknown_cast(struct sema *s)
{
    const struct token *name = parse_peek(s, 1);
    if (name->kind != TOKEN_IDENTIFIER || sema_lookup(s, name->ident) || parse_peek(s, 2)->kind != TOKEN_STAR ||
        parse_peek(s, 3)->kind != TOKEN_RIGHT_PAREN || clc_builtin_find(s->front, name->ident) || name->ident->tag)
        return false;
    parse_unknown_type(s, parse_peek(s, 1)->ident, parse_peek(s, 1)->loc);
    return true;
}

static struct expr *parse_cast(struct sema *s)
{
    if (s->tok.kind == TOKEN_INTEGER || s->tok.kind == TOKEN_FLOATING)
        return parse_postfix(s, parse_number(s));
    if (s->tok.kind != TOKEN_LEFT_PAREN || (!parse_is_type_start(s, parse_peek(s, 1)) && !is_unknown_cast(s)))
        return parse_unary(s);
    src_loc open = s->tok.loc;
    sema_enter(s, open);
    parse_next(s);
    struct qual_type type = parse_type_name(s);
    if (parse_misses_closing(s, TOKEN_RIGHT_PAREN, open, NULL)) {
        sema_leave(s);
        return s->poison;
    }
    struct expr *expr;
    if (s->tok.kind == TOKEN_LEFT_BRACE)
        expr = parse_postfix(s, compound_literal(s, type, open));
    else if (s->tok.kind == TOKEN_LEFT_PAREN && type.type->kind == TYPE_VECTOR &&
             !parse_is_type_start(s, parse_peek(s, 1)) && parse_peek(s, 1)->kind != TOKEN_LEFT_BRACE)
        expr = vector_cast(s, type, open);
    else {
        struct expr *operand = parse_cast(s);
        expr = sema_explicit_cast(s, type, operand, open, (struct src_range){open, s->prev_end});
    }
    sema_leave(s);
    return expr;
}

/* ---- binary, conditional, assignment, comma ---- */

/* Operators wait on a stack until one of lower precedence comes. */
struct pending {
    struct expr *left;
    struct binary_info info;
    src_loc loc;
};

/* operand: the first. */
static struct expr *parse_binary(struct sema *s, struct expr *operand)
{
    struct pending stack[10]; /* one per level of precedence */
    uint32_t depth = 0;
    for (;;) {
        struct binary_info info = binary_infos[s->tok.kind];
        while (depth && stack[depth - 1].info.precedence >= info.precedence) {
            depth--;
            operand =
                sema_binary(s, (enum binary_op)stack[depth].info.op, stack[depth].left, operand, stack[depth].loc);
        }
        if (!info.precedence)
            return operand;
        stack[depth++] = (struct pending){operand, info, s->tok.loc};
        parse_next(s);
        operand = parse_cast(s);
    }
}

struct pending_cond {
    struct expr *condition, *then_value;
    src_loc loc;
};

/* conditional = binary ("?" expression? ":" conditional)? */
static struct expr *parse_conditional_from(struct sema *s, struct expr *operand)
{
    struct expr *expr = parse_binary(s, operand);
    if (s->tok.kind != TOKEN_QUESTION)
        return expr;
    VEC(struct pending_cond) pending = {0};
    while (s->tok.kind == TOKEN_QUESTION) {
        struct pending_cond one = {.condition = expr, .loc = s->tok.loc};
        sema_enter(s, s->tok.loc);
        parse_next(s);
        if (s->tok.kind != TOKEN_COLON)
            one.then_value = parse_expression(s);
        sema_leave(s);
        if (!parse_expect(s, TOKEN_COLON, NULL))
            pp_note(s->front, one.loc, "to match this '?'");
        vec_push(s->front->nodes, &pending, one);
        expr = parse_binary(s, parse_cast(s));
    }
    while (pending.length) {
        struct pending_cond one = vec_pop(&pending);
        expr = sema_conditional(s, one.condition, one.then_value, expr, one.loc);
    }
    return expr;
}

struct expr *parse_conditional(struct sema *s)
{
    return parse_conditional_from(s, parse_cast(s));
}

enum { PLAIN_ASSIGNMENT = UINT8_MAX };

/* One more than the operator's enum binary_op. */
static const uint8_t assignments[TOKEN_COUNT] = {
    [TOKEN_EQUAL] = PLAIN_ASSIGNMENT,         [TOKEN_STAR_EQUAL] = BINARY_MUL + 1,
    [TOKEN_SLASH_EQUAL] = BINARY_DIV + 1,     [TOKEN_PERCENT_EQUAL] = BINARY_REM + 1,
    [TOKEN_PLUS_EQUAL] = BINARY_ADD + 1,      [TOKEN_MINUS_EQUAL] = BINARY_SUB + 1,
    [TOKEN_LESS_LESS_EQUAL] = BINARY_SHL + 1, [TOKEN_GREATER_GREATER_EQUAL] = BINARY_SHR + 1,
    [TOKEN_AMP_EQUAL] = BINARY_AND + 1,       [TOKEN_CARET_EQUAL] = BINARY_XOR + 1,
    [TOKEN_PIPE_EQUAL] = BINARY_OR + 1,
};

/* assignment = conditional (assignment-operator assignment)? */
struct expr *parse_assignment(struct sema *s)
{
    struct expr *left = parse_cast(s);
    if (ends_expression[s->tok.kind])
        return left;
    left = parse_conditional_from(s, left);
    uint8_t kind = assignments[s->tok.kind];
    if (!kind)
        return left;
    src_loc loc = s->tok.loc;
    sema_enter(s, loc);
    parse_next(s);
    struct expr *right = parse_assignment(s);
    sema_leave(s);
    bool compound = kind != PLAIN_ASSIGNMENT;
    return sema_assign(s, left, right, compound, compound ? (enum binary_op)(kind - 1) : BINARY_ADD, loc);
}

/* expression = assignment ("," assignment)* */
struct expr *parse_expression(struct sema *s)
{
    struct expr *expr = parse_assignment(s);
    while (s->tok.kind == TOKEN_COMMA) {
        src_loc loc = s->tok.loc;
        parse_next(s);
        struct expr *right = parse_assignment(s);
        if (!expr_poison(expr))
            lint_unused_value(s, expr, true);
        expr = sema_comma(s, expr, right, loc);
    }
    return expr;
}

bool parse_constant(struct sema *s, const char *what, struct expr **result)
{
    src_loc loc = s->tok.loc;
    struct expr *expr = parse_conditional(s);
    *result = expr;
    if (expr_poison(expr))
        return false;
    expr = clc_rvalue(s->front, expr);
    if (expr_poison(expr))
        return false;
    if (!type_is_integer(expr->type.type) || !expr->is_constant || expr->float_value) {
        pp_error_range(s->front, loc, expr->range, "%s is not an integer constant expression", what);
        return false;
    }
    *result = expr;
    return true;
}
