/* The controlling expressions of #if and #elif (C99, 6.10.1): integers 128 bits wide, like long long, the widest
 * type that a constant may have (literal.c), and like clang's. They are evaluated while they are parsed.
 * What is not evaluated (the other side of && || ?:) is parsed all the same, and complains neither of overflow nor of
 * division by zero.
 *
 * Each parser function leaves the first token that it does not take in parser->token; false means that an error was
 * reported. */
#include "compiler/front/pp/pp.h"

typedef unsigned __int128 number_bits;

struct number {
    number_bits value;
    bool is_unsigned;
};

static const number_bits SIGN = (number_bits)1 << 127;

struct expression {
    struct pp *pp;
    struct pp_token token;
    uint32_t depth;
    bool evaluated;
};

static bool parse_expression(struct expression *e, int least, struct number *result);

static void next(struct expression *e)
{
    pp_expanded(e->pp, &e->token);
}

static bool is_negative(const struct number *n)
{
    return !n->is_unsigned && n->value & SIGN;
}

/* defined NAME | defined ( NAME ) */
static bool parse_defined(struct expression *e, struct number *result)
{
    struct clc_front *front = e->pp->front;
    struct pp_token defined = e->token, name;
    const struct src_entry *entry = pp_source_entry(front, defined.loc);
    if (entry && entry->kind != SRC_FILE)
        pp_warning(front, DIAG_GROUP_EXPANSION_TO_DEFINED, defined.loc,
                   "macro expansion producing 'defined' has undefined behavior");
    pp_raw(e->pp, &name);
    bool paren = name.kind == TOKEN_LEFT_PAREN;
    src_loc paren_loc = name.loc;
    if (paren)
        pp_raw(e->pp, &name);
    if (name.kind != TOKEN_IDENTIFIER) {
        pp_error(front, name.loc,
                 name.kind == PP_END_OF_LINE ? "macro name missing" : "macro name must be an identifier");
        return false;
    }
    if (paren) {
        pp_raw(e->pp, &e->token);
        if (e->token.kind != TOKEN_RIGHT_PAREN) {
            pp_error(front, e->token.loc, "missing ')' after 'defined'");
            pp_note(front, paren_loc, "to match this '('");
            return false;
        }
    }
    *result = (struct number){name.ident->macro != NULL, false};
    next(e);
    return true;
}

static bool parse_identifier(struct expression *e, struct number *result)
{
    struct clc_front *front = e->pp->front;
    struct ident *name = e->token.ident;
    src_loc loc = e->token.loc;
    if (name == e->pp->id_defined)
        return parse_defined(e, result);
    *result = (struct number){name->keyword == TOKEN_TRUE, false};
    if (e->evaluated && !name->keyword)
        pp_warning(front, DIAG_GROUP_UNDEF, loc, "'%s' is not defined, evaluates to 0", name->name);
    next(e);
    if (e->token.kind == TOKEN_LEFT_PAREN && !name->keyword) {
        pp_error(front, loc, "function-like macro '%s' is not defined", name->name);
        return false;
    }
    return true;
}

/* primary: number | character | identifier | ( expression ) | unary-operator primary */
static bool parse_primary_unguarded(struct expression *e, struct number *result)
{
    struct clc_front *front = e->pp->front;
    struct pp_token token = e->token;
    switch (token.kind) {
    case PP_NUMBER:
        if (!pp_literal_condition(e->pp, &token, &result->value, &result->is_unsigned))
            return false;
        next(e);
        return true;
    case TOKEN_CHARACTER: {
        struct token character;
        pp_literal_character(e->pp, &token, &character);
        *result = (struct number){(number_bits)(__int128)(int64_t)character.integer, false};
        next(e);
        return true;
    }
    case TOKEN_IDENTIFIER:
        return parse_identifier(e, result);
    case TOKEN_LEFT_PAREN:
        next(e);
        if (!parse_expression(e, 0, result))
            return false;
        if (e->token.kind != TOKEN_RIGHT_PAREN) {
            pp_error(front, e->token.loc, "expected ')' in preprocessor expression");
            pp_note(front, token.loc, "to match this '('");
            return false;
        }
        next(e);
        return true;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_TILDE:
    case TOKEN_EXCLAIM:
        next(e);
        if (!parse_expression(e, 100, result))
            return false;
        if (token.kind == TOKEN_MINUS) {
            if (e->evaluated && !result->is_unsigned && result->value == SIGN)
                pp_warning(front, DIAG_GROUP_NONE, token.loc, "integer overflow in preprocessor expression");
            result->value = -result->value;
        } else if (token.kind == TOKEN_TILDE) {
            result->value = ~result->value;
        } else if (token.kind == TOKEN_EXCLAIM) {
            *result = (struct number){!result->value, false};
        }
        return true;
    case PP_END_OF_LINE:
    case TOKEN_END:
        pp_error(front, token.loc, "expected value in expression");
        return false;
    default:
        pp_error(front, token.loc, "invalid token at start of a preprocessor expression");
        return false;
    }
}

static bool parse_primary(struct expression *e, struct number *result)
{
    if (e->depth >= PP_MAX_EXPRESSION_DEPTH) {
        pp_error(e->pp->front, e->token.loc, "preprocessor expression is nested too deeply");
        return false;
    }
    e->depth++;
    bool right = parse_primary_unguarded(e, result);
    e->depth--;
    return right;
}

/* C99, 6.5.5 to 6.5.17: how tightly each operator binds; -1 is none. */
static int precedence(uint16_t kind)
{
    switch (kind) {
    case TOKEN_COMMA:
        return 1;
    case TOKEN_QUESTION:
        return 2;
    case TOKEN_PIPE_PIPE:
        return 3;
    case TOKEN_AMP_AMP:
        return 4;
    case TOKEN_PIPE_SIGN:
        return 5;
    case TOKEN_CARET:
        return 6;
    case TOKEN_AMP:
        return 7;
    case TOKEN_EQUAL_EQUAL:
    case TOKEN_EXCLAIM_EQUAL:
        return 8;
    case TOKEN_LESS:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER:
    case TOKEN_GREATER_EQUAL:
        return 9;
    case TOKEN_LESS_LESS:
    case TOKEN_GREATER_GREATER:
        return 10;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
        return 11;
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_PERCENT:
        return 12;
    }
    return -1;
}

static bool is_arithmetic(uint16_t kind)
{
    int level = precedence(kind);
    return level >= 5 && level != 10;
}

static bool divide(struct expression *e, const struct pp_token *op, struct number *left, const struct number *right)
{
    bool remainder = op->kind == TOKEN_PERCENT;
    if (!right->value) {
        if (e->evaluated) {
            pp_error(e->pp->front, op->loc, "%s by zero in preprocessor expression",
                     remainder ? "remainder" : "division");
            return false;
        }
        return true;
    }
    __int128 a = (__int128)left->value, b = (__int128)right->value;
    if (left->is_unsigned) {
        left->value = remainder ? left->value % right->value : left->value / right->value;
    } else if (b == -1) {
        if (e->evaluated && left->value == SIGN && !remainder)
            pp_warning(e->pp->front, DIAG_GROUP_NONE, op->loc, "integer overflow in preprocessor expression");
        left->value = remainder ? 0 : -left->value;
    } else {
        left->value = (number_bits)(remainder ? a % b : a / b);
    }
    return true;
}

static void shift(struct number *left, const struct number *right, bool to_right)
{
    bool reverse = is_negative(right);
    number_bits count = reverse ? -right->value : right->value;
    if (reverse)
        to_right = !to_right;
    bool fill = is_negative(left) && to_right;
    if (count >= 128)
        left->value = fill ? ~(number_bits)0 : 0;
    else if (!to_right)
        left->value <<= count;
    else
        left->value = left->value >> count | (fill && count ? ~(number_bits)0 << (128 - count) : 0);
}

static bool compare(const struct number *a, uint16_t kind, const struct number *b)
{
    bool less = a->is_unsigned ? a->value < b->value : (__int128)a->value < (__int128)b->value;
    bool equal = a->value == b->value;
    switch (kind) {
    case TOKEN_LESS:
        return less;
    case TOKEN_LESS_EQUAL:
        return less || equal;
    case TOKEN_GREATER:
        return !less && !equal;
    case TOKEN_GREATER_EQUAL:
        return !less;
    case TOKEN_EQUAL_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static bool overflows(const struct number *a, uint16_t kind, const struct number *b)
{
    __int128 ignored;
    if (a->is_unsigned)
        return false;
    if (kind == TOKEN_PLUS)
        return __builtin_add_overflow((__int128)a->value, (__int128)b->value, &ignored);
    if (kind == TOKEN_MINUS)
        return __builtin_sub_overflow((__int128)a->value, (__int128)b->value, &ignored);
    return kind == TOKEN_STAR && __builtin_mul_overflow((__int128)a->value, (__int128)b->value, &ignored);
}

static void warn_negative(struct expression *e, const struct pp_token *op, const char *side,
                          const struct number *number)
{
    char before[WIDE_TEXT], after[WIDE_TEXT];
    pp_wide_text(before, number->value, true);
    pp_wide_text(after, number->value, false);
    pp_warning(e->pp->front, DIAG_GROUP_NONE, op->loc,
               "%s side of operator converted from negative value to unsigned: %s to %s", side, before, after);
}

/* *left = *left op *right */
static bool apply(struct expression *e, const struct pp_token *op, struct number *left, struct number *right)
{
    struct clc_front *front = e->pp->front;
    if (is_arithmetic(op->kind) && left->is_unsigned != right->is_unsigned) {
        const struct number *was_signed = left->is_unsigned ? right : left;
        if (e->evaluated && is_negative(was_signed))
            warn_negative(e, op, was_signed == left ? "left" : "right", was_signed);
        left->is_unsigned = right->is_unsigned = true;
    }
    if (e->evaluated && overflows(left, op->kind, right))
        pp_warning(front, DIAG_GROUP_NONE, op->loc, "integer overflow in preprocessor expression");
    switch (op->kind) {
    case TOKEN_PLUS:
        left->value += right->value;
        return true;
    case TOKEN_MINUS:
        left->value -= right->value;
        return true;
    case TOKEN_STAR:
        left->value *= right->value;
        return true;
    case TOKEN_SLASH:
    case TOKEN_PERCENT:
        return divide(e, op, left, right);
    case TOKEN_AMP:
        left->value &= right->value;
        return true;
    case TOKEN_CARET:
        left->value ^= right->value;
        return true;
    case TOKEN_PIPE_SIGN:
        left->value |= right->value;
        return true;
    case TOKEN_LESS_LESS:
    case TOKEN_GREATER_GREATER:
        shift(left, right, op->kind == TOKEN_GREATER_GREATER);
        return true;
    case TOKEN_AMP_AMP:
        *left = (struct number){left->value && right->value, false};
        return true;
    case TOKEN_PIPE_PIPE:
        *left = (struct number){left->value || right->value, false};
        return true;
    case TOKEN_COMMA:
        pp_warning(front, DIAG_GROUP_PEDANTIC, op->loc, "comma operator in operand of #if");
        *left = *right;
        return true;
    default:
        *left = (struct number){compare(left, op->kind, right), false};
        return true;
    }
}

/* After "condition ?": expression : conditional-expression */
static bool parse_conditional(struct expression *e, const struct pp_token *question, struct number *condition)
{
    bool evaluated = e->evaluated, chosen = condition->value != 0;
    struct number yes, no;
    e->evaluated = evaluated && chosen;
    if (!parse_expression(e, 0, &yes))
        return false;
    if (e->token.kind != TOKEN_COLON) {
        pp_error(e->pp->front, e->token.loc, "expected ':'");
        pp_note(e->pp->front, question->loc, "to match this '?'");
        return false;
    }
    next(e);
    e->evaluated = evaluated && !chosen;
    if (!parse_expression(e, 2, &no))
        return false;
    e->evaluated = evaluated;
    condition->value = chosen ? yes.value : no.value;
    condition->is_unsigned = yes.is_unsigned || no.is_unsigned;
    return true;
}

static bool parse_operators(struct expression *e, int least, struct number *result)
{
    for (;;) {
        struct pp_token op = e->token;
        int level = precedence(op.kind);
        if (level < 0 && op.kind != TOKEN_RIGHT_PAREN && op.kind != TOKEN_COLON && op.kind != PP_END_OF_LINE &&
            op.kind != TOKEN_END) {
            pp_error(e->pp->front, op.loc, "token is not a valid binary operator in a preprocessor subexpression");
            return false;
        }
        if (level < least)
            return true;
        next(e);
        if (op.kind == TOKEN_QUESTION) {
            if (!parse_conditional(e, &op, result))
                return false;
            continue;
        }
        bool evaluated = e->evaluated;
        if ((op.kind == TOKEN_AMP_AMP && !result->value) || (op.kind == TOKEN_PIPE_PIPE && result->value))
            e->evaluated = false;
        struct number right;
        if (!parse_expression(e, level + 1, &right))
            return false;
        if (!apply(e, &op, result, &right))
            return false;
        e->evaluated = evaluated;
    }
}

/* Operators that bind at least as tightly as least. */
static bool parse_expression(struct expression *e, int least, struct number *result)
{
    *result = (struct number){0, false};
    if (e->depth >= PP_MAX_EXPRESSION_DEPTH) {
        pp_error(e->pp->front, e->token.loc, "preprocessor expression is nested too deeply");
        return false;
    }
    e->depth++;
    bool right = parse_primary(e, result) && parse_operators(e, least, result);
    e->depth--;
    return right;
}

bool pp_condition(struct pp *pp)
{
    struct expression e = {.pp = pp, .evaluated = true};
    struct number result;
    bool was = pp->in_condition;
    pp->in_condition = true;
    next(&e);
    bool right = parse_expression(&e, precedence(TOKEN_QUESTION), &result);
    pp->in_condition = was;
    if (!right)
        return false;
    if (e.token.kind != PP_END_OF_LINE) {
        pp_error(pp->front, e.token.loc, "expected end of line in preprocessor expression");
        return false;
    }
    return result.value != 0;
}
