/* The controlling expressions of #if and #elif (C99, 6.10.1): integers 128 bits wide, like long long, the widest
 * type that a constant may have (literal.c), and like clang's. They are evaluated while they are parsed.
 * What is not evaluated (the other side of && || ?:) is parsed all the same, and complains neither of overflow nor of
 * division by zero.
 *
 * Each parser function leaves the first token that it does not take in parser->token; false means that an error was
 * reported. */
#include "compiler/front/pp/pp.h"

struct number {
    struct int128 value;
    bool is_unsigned;
};

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
    return !n->is_unsigned && int128_top_bit(n->value);
}

/* It has no positive twin. */
static bool is_least(const struct number *n)
{
    return is_negative(n) && int128_equal(n->value, int128_negate(n->value));
}

static struct number truth(bool value)
{
    return (struct number){{value, 0}, false};
}

static bool is_true(const struct number *n)
{
    return !int128_is_zero(n->value);
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
    *result = truth(name.ident->macro != NULL);
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
    *result = truth(name->keyword == TOKEN_TRUE);
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
        *result = (struct number){int128_of_signed((int64_t)character.integer), false};
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
            if (e->evaluated && is_least(result))
                pp_warning(front, DIAG_GROUP_NONE, token.loc, "integer overflow in preprocessor expression");
            result->value = int128_negate(result->value);
        } else if (token.kind == TOKEN_TILDE) {
            result->value = int128_not(result->value);
        } else if (token.kind == TOKEN_EXCLAIM) {
            *result = truth(!is_true(result));
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
    if (!is_true(right)) {
        if (e->evaluated) {
            pp_error(e->pp->front, op->loc, "%s by zero in preprocessor expression",
                     remainder ? "remainder" : "division");
            return false;
        }
        return true;
    }
    bool by_minus_one = !left->is_unsigned && int128_equal(right->value, int128_of_signed(-1));
    if (e->evaluated && by_minus_one && is_least(left) && !remainder)
        pp_warning(e->pp->front, DIAG_GROUP_NONE, op->loc, "integer overflow in preprocessor expression");
    struct int128 rest;
    struct int128 quotient = left->is_unsigned ? int128_divide_unsigned(left->value, right->value, &rest)
                                               : int128_divide_signed(left->value, right->value, &rest);
    left->value = remainder ? rest : quotient;
    return true;
}

static void shift(struct number *left, const struct number *right, bool to_right)
{
    bool reverse = is_negative(right);
    struct int128 count = reverse ? int128_negate(right->value) : right->value;
    if (reverse)
        to_right = !to_right;
    bool fill = is_negative(left) && to_right;
    if (count.high || count.low >= 128)
        left->value = int128_of_signed(fill ? -1 : 0);
    else if (!to_right)
        left->value = int128_shift_left(left->value, (unsigned)count.low);
    else
        left->value = fill ? int128_shift_right_signed(left->value, (unsigned)count.low)
                           : int128_shift_right(left->value, (unsigned)count.low);
}

static bool compare(const struct number *a, uint16_t kind, const struct number *b)
{
    bool less = a->is_unsigned ? int128_less_unsigned(a->value, b->value) : int128_less_signed(a->value, b->value);
    bool equal = int128_equal(a->value, b->value);
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
    if (a->is_unsigned)
        return false;
    bool a_negative = int128_top_bit(a->value), b_negative = int128_top_bit(b->value);
    if (kind == TOKEN_PLUS)
        return a_negative == b_negative && int128_top_bit(int128_add(a->value, b->value)) != a_negative;
    if (kind == TOKEN_MINUS)
        return a_negative != b_negative && int128_top_bit(int128_subtract(a->value, b->value)) != a_negative;
    return kind == TOKEN_STAR && int128_multiply_overflows(a->value, b->value);
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
        left->value = int128_add(left->value, right->value);
        return true;
    case TOKEN_MINUS:
        left->value = int128_subtract(left->value, right->value);
        return true;
    case TOKEN_STAR:
        left->value = int128_multiply(left->value, right->value);
        return true;
    case TOKEN_SLASH:
    case TOKEN_PERCENT:
        return divide(e, op, left, right);
    case TOKEN_AMP:
        left->value.low &= right->value.low;
        left->value.high &= right->value.high;
        return true;
    case TOKEN_CARET:
        left->value.low ^= right->value.low;
        left->value.high ^= right->value.high;
        return true;
    case TOKEN_PIPE_SIGN:
        left->value.low |= right->value.low;
        left->value.high |= right->value.high;
        return true;
    case TOKEN_LESS_LESS:
    case TOKEN_GREATER_GREATER:
        shift(left, right, op->kind == TOKEN_GREATER_GREATER);
        return true;
    case TOKEN_AMP_AMP:
        *left = truth(is_true(left) && is_true(right));
        return true;
    case TOKEN_PIPE_PIPE:
        *left = truth(is_true(left) || is_true(right));
        return true;
    case TOKEN_COMMA:
        pp_warning(front, DIAG_GROUP_PEDANTIC, op->loc, "comma operator in operand of #if");
        *left = *right;
        return true;
    default:
        *left = truth(compare(left, op->kind, right));
        return true;
    }
}

/* After "condition ?": expression : conditional-expression */
static bool parse_conditional(struct expression *e, const struct pp_token *question, struct number *condition)
{
    bool evaluated = e->evaluated, chosen = is_true(condition);
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
        if ((op.kind == TOKEN_AMP_AMP && !is_true(result)) || (op.kind == TOKEN_PIPE_PIPE && is_true(result)))
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
    *result = truth(false);
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
    return is_true(&result);
}
