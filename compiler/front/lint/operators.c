/* Warnings about expressions that are correct and hardly meant as written: precedence, comparisons with a known result.
 * Names and wording follow clang, whose users know them. What clang does not say by default is not said here. */
#include "compiler/front/lint/lint.h"
#include "compiler/front/sema/check.h"

#include <stdio.h>

static bool is_comparison(enum binary_op op)
{
    return op >= BINARY_LT && op <= BINARY_NE;
}

static bool is_bitwise(enum binary_op op)
{
    return op >= BINARY_AND && op <= BINARY_OR;
}

static const char *spelling(enum binary_op op)
{
    static const char *const texts[] = {"*",  "/",  "%",  "+",  "-", "<<", ">>", "<",  ">",
                                        "<=", ">=", "==", "!=", "&", "^",  "|",  "&&", "||"};
    return texts[op];
}

/* The operator of a binary expression that stands without parentheses. */
static bool bare_operator(const struct expr *expr, enum binary_op *op)
{
    expr = plain(expr);
    if (expr->kind != EXPR_BINARY || expr->parenthesised)
        return false;
    *op = expr->binary.op;
    return true;
}

/* Only 0 and 1 come out, whatever the type says. */
bool lint_is_boolean(const struct expr *expr)
{
    expr = plain(expr);
    if (expr->type.type->kind == TYPE_BOOL)
        return true;
    if (expr->type.type->kind != TYPE_INT)
        return false;
    switch (expr->kind) {
    case EXPR_UNARY:
        return expr->unary.op == UNARY_LOGICAL_NOT ||
               (expr->unary.op == UNARY_PLUS && lint_is_boolean(expr->unary.operand));
    case EXPR_BINARY:
        if (is_bitwise(expr->binary.op))
            return lint_is_boolean(expr->binary.left) && lint_is_boolean(expr->binary.right);
        return is_comparison(expr->binary.op) || expr->binary.op >= BINARY_LOGICAL_AND;
    case EXPR_COMMA:
        return lint_is_boolean(expr->comma.right);
    case EXPR_COND:
        return lint_is_boolean(expr->cond.then_value) && lint_is_boolean(expr->cond.else_value);
    default:
        return false;
    }
}

/* ---- precedence ---- */

static void hint_parentheses(struct sema *s, src_loc begin, src_loc end)
{
    pp_hint(s->front, begin, "(");
    pp_hint(s->front, end, ")");
}

static void note_precedence(struct sema *s, const struct expr *inner, const char *op)
{
    hint_parentheses(s, inner->range.begin, inner->range.end);
    pp_note(s->front, inner->loc, "place parentheses around the '%s' expression to silence this warning", op);
}

static void warn_bitwise_operand(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                                 src_loc loc)
{
    enum binary_op a = BINARY_MUL, b = BINARY_MUL;
    bool has_a = bare_operator(left, &a), has_b = bare_operator(right, &b);
    bool compares_a = has_a && is_comparison(a), compares_b = has_b && is_comparison(b);
    /* x == y & u == v is the eager form of && */
    if (compares_a != compares_b && !(has_a && is_bitwise(a)) && !(has_b && is_bitwise(b))) {
        const struct expr *inner = plain(compares_a ? left : right);
        const char *text = spelling(inner->binary.op);
        pp_warning_range(s->front, DIAG_GROUP_PARENTHESES, loc, inner->range,
                         "%s has lower precedence than %s; %s will be evaluated first", spelling(op), text, text);
        note_precedence(s, inner, text);
        if (compares_a)
            hint_parentheses(s, inner->binary.right->range.begin, right->range.end);
        else
            hint_parentheses(s, left->range.begin, inner->binary.left->range.end);
        pp_note(s->front, loc, "place parentheses around the %s expression to evaluate it first", spelling(op));
    }
    for (int side = 0; side < 2; side++) {
        enum binary_op inner = side ? b : a;
        if ((side ? has_b : has_a) && is_bitwise(inner) && inner < op) {
            pp_warning(s->front, DIAG_GROUP_BITWISE_OP_PARENTHESES, loc, "'%s' within '%s'", spelling(inner),
                       spelling(op));
            note_precedence(s, plain(side ? right : left), spelling(inner));
        }
    }
}

static void warn_shift_operand(struct sema *s, enum binary_op op, const struct expr *operand, src_loc loc)
{
    enum binary_op inner;
    if (!bare_operator(operand, &inner) || (inner != BINARY_ADD && inner != BINARY_SUB))
        return;
    pp_warning_range(s->front, DIAG_GROUP_SHIFT_OP_PARENTHESES, loc, plain(operand)->range,
                     "operator '%s' has lower precedence than '%s'; '%s' will be evaluated first", spelling(op),
                     spelling(inner), spelling(inner));
    note_precedence(s, plain(operand), spelling(inner));
}

static void warn_logical_operand(struct sema *s, const struct expr *operand, src_loc loc)
{
    enum binary_op inner;
    if (!bare_operator(operand, &inner) || inner != BINARY_LOGICAL_AND)
        return;
    pp_warning(s->front, DIAG_GROUP_LOGICAL_OP_PARENTHESES, loc, "'&&' within '||'");
    note_precedence(s, plain(operand), "&&");
}

/* !a == b */
static void warn_logical_not(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                             src_loc loc)
{
    left = plain(left);
    if (left->kind != EXPR_UNARY || left->unary.op != UNARY_LOGICAL_NOT || left->parenthesised ||
        left->type.type->kind == TYPE_VECTOR || lint_is_boolean(right) || lint_is_boolean(left->unary.operand) ||
        (right->is_constant && right->type.type->kind == TYPE_BOOL))
        return;
    pp_warning_range(s->front, DIAG_GROUP_LOGICAL_NOT_PARENTHESES, left->loc, left->range,
                     "logical not is only applied to the left hand side of this %s",
                     is_comparison(op) ? "comparison" : "bitwise operator");
    pp_note(s->front, left->loc, "add parentheses after the '!' to evaluate the %s first",
            is_comparison(op) ? "comparison" : "bitwise operator");
    pp_note(s->front, left->loc, "add parentheses around left hand side expression to silence this warning");
    (void)loc;
}

/* a | b > 1 ? x : y reads as (a | b > 1) ? */
void lint_conditional(struct sema *s, const struct expr *condition, src_loc loc)
{
    enum binary_op op;
    if (!bare_operator(condition, &op) || s->unevaluated)
        return;
    const struct expr *binary = plain(condition);
    bool arithmetic = op <= BINARY_SHR;
    if ((!arithmetic && !is_bitwise(op)) || !lint_is_boolean(binary->binary.right) ||
        plain(binary->binary.right)->type.type->kind == TYPE_VECTOR)
        return;
    pp_warning_range(s->front, arithmetic ? DIAG_GROUP_PARENTHESES : DIAG_GROUP_BITWISE_CONDITIONAL_PARENTHESES, loc,
                     condition->range, "operator '?:' has lower precedence than '%s'; '%s' will be evaluated first",
                     spelling(op), spelling(op));
    note_precedence(s, binary, spelling(op));
}

/* if ((a == b)) */
void lint_extra_parentheses(struct sema *s, const struct expr *condition)
{
    condition = plain(condition);
    if (!condition->parenthesised || condition->kind != EXPR_BINARY || condition->binary.op != BINARY_EQ ||
        !plain(condition->binary.left)->lvalue || plain(condition->binary.left)->type.quals & QUAL_CONST ||
        in_macro(s, condition->loc))
        return;
    pp_warning_range(s->front, DIAG_GROUP_PARENTHESES_EQUALITY, condition->loc, condition->range,
                     "equality comparison with extraneous parentheses");
    pp_note(s->front, condition->loc, "remove extraneous parentheses around the comparison to silence this warning");
    pp_note(s->front, condition->loc, "use '=' to turn this equality comparison into an assignment");
}

/* A number written without prefix or suffix, as in 2 ^ 8. */
static bool is_decimal(const struct sema *s, const struct expr *expr)
{
    expr = plain(expr);
    if (expr->kind != EXPR_INT || expr->parenthesised || expr->type.type->kind != TYPE_INT || in_macro(s, expr->loc))
        return false;
    struct src_position at = pp_source_position(s->front, expr->loc);
    uint32_t i = at.column - 1;
    if (!at.line_text || i >= at.line_length || at.line_text[i] < '0' || at.line_text[i] > '9')
        return false;
    return at.line_text[i] != '0' || i + 1 >= at.line_length || !strchr("xXbB01234567", at.line_text[i + 1]);
}

static void warn_power(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    if (!left->is_constant || !right->is_constant || !is_decimal(s, left) || !is_decimal(s, right))
        return;
    uint64_t base = left->integer, exponent = right->integer;
    struct src_range range = range_join(left->range, right->range);
    if (base == 2 && exponent < 63)
        pp_warning_range(s->front, DIAG_GROUP_XOR_USED_AS_POW, loc, range,
                         "result of '2 ^ %llu' is %llu; did you mean '1%s << %llu' (%llu)?",
                         (unsigned long long)exponent, (unsigned long long)(base ^ exponent), exponent > 30 ? "L" : "",
                         (unsigned long long)exponent, 1ull << exponent);
    else if (base == 10)
        pp_warning_range(s->front, DIAG_GROUP_XOR_USED_AS_POW, loc, range,
                         "result of '10 ^ %llu' is %llu; did you mean '1e%llu'?", (unsigned long long)exponent,
                         (unsigned long long)(base ^ exponent), (unsigned long long)exponent);
}

/* ---- comparisons whose result is known ---- */

static bool same_operand(const struct expr *a, const struct expr *b)
{
    for (;;) {
        a = plain(a);
        b = plain(b);
        if (a->kind != b->kind || a->type.quals & QUAL_VOLATILE)
            return false;
        switch (a->kind) {
        case EXPR_DECL:
            return a->decl == b->decl;
        case EXPR_INT:
            return a->integer == b->integer;
        case EXPR_MEMBER:
            if (a->member.field != b->member.field)
                return false;
            a = a->member.base;
            b = b->member.base;
            break;
        case EXPR_INDEX:
            if (plain(a->index.index)->kind == EXPR_INDEX || !same_operand(a->index.index, b->index.index))
                return false;
            a = a->index.base;
            b = b->index.base;
            break;
        case EXPR_UNARY:
            if (a->unary.op != UNARY_DEREF || b->unary.op != UNARY_DEREF)
                return false;
            a = a->unary.operand;
            b = b->unary.operand;
            break;
        default:
            return false;
        }
    }
}

static void warn_same(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right, src_loc loc)
{
    const struct type *type = left->type.type;
    if (type_is_float(type_element(type)) || plain(left)->kind == EXPR_INT || in_macro(s, loc) ||
        !same_operand(left, right))
        return;
    bool holds = op == BINARY_EQ || op == BINARY_LE || op == BINARY_GE;
    pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_COMPARE, loc, range_join(left->range, right->range),
                     "self-comparison always evaluates to %s",
                     type->kind == TYPE_VECTOR ? "a constant"
                     : holds                   ? "true"
                                               : "false");
}

/* What value OP constant gives for every value from low to high: 1 true, 0 false, -1 it depends. */
static int known_result(enum binary_op op, struct int128 low, struct int128 high, struct int128 constant)
{
    bool below = int128_less_signed(high, constant), above = int128_less_signed(constant, low); /* all values are */
    bool none_below = !int128_less_signed(low, constant), none_above = !int128_less_signed(constant, high);
    switch (op) {
    case BINARY_EQ:
        return below || above ? 0 : -1;
    case BINARY_NE:
        return below || above ? 1 : -1;
    case BINARY_LT:
        return below ? 1 : none_below ? 0 : -1;
    case BINARY_LE:
        return none_above ? 1 : above ? 0 : -1;
    case BINARY_GT:
        return above ? 1 : none_above ? 0 : -1;
    default:
        return none_below ? 1 : below ? 0 : -1;
    }
}

struct int128 lint_as_wide(const struct type *type, uint64_t value)
{
    return type_is_signed(type) ? int128_of_signed((int64_t)value) : int128_of_unsigned(value);
}

static const struct type *common_type(const struct type *a, const struct type *b)
{
    bool wide = a->size == 8 || b->size == 8;
    if (a->size != b->size && wide)
        return a->size == 8 ? a : b;
    return !type_is_signed(a) && a->size >= 4 ? a : b;
}

/* constant is right of op */
static void warn_range(struct sema *s, enum binary_op op, const struct expr *other, const struct expr *constant,
                       src_loc loc)
{
    bool boolean = lint_is_boolean(other);
    other = plain(other);
    const struct type *type = type_strip_enum(other->type.type), *common = type_strip_enum(constant->type.type);
    if (!type_is_integer(type) || other->type.type->kind == TYPE_ENUM || other->is_constant)
        return;
    if (type->size >= 4)
        common = constant->wide ? type : common_type(type, common);
    struct int128 low = int128_of_unsigned(0), high;
    struct int128 value = constant->wide ? expr_wide_value(constant).bits
                                         : lint_as_wide(common, const_truncate(common, constant->integer));
    if (constant->wide && constant->wide_part.is_unsigned)
        return;
    unsigned bits = (unsigned)type->size * 8;
    if (boolean) {
        high = int128_of_unsigned(1);
    } else if (type_is_signed(type) && type_is_signed(common)) {
        high = int128_of_unsigned(UINT64_MAX >> (65 - bits));
        low = int128_not(high);
    } else if (type_is_signed(type)) { /* negative ones come out at the top */
        high = int128_of_unsigned(UINT64_MAX >> (65 - bits));
        struct int128 least =
            int128_add(int128_shift_left(int128_of_unsigned(1), (unsigned)common->size * 8), int128_not(high));
        bool among = !int128_less_signed(high, value) || !int128_less_signed(value, least);
        if ((op != BINARY_EQ && op != BINARY_NE) || among)
            return;
    } else {
        high = int128_of_unsigned(UINT64_MAX >> (64 - bits));
    }
    int result = known_result(op, low, high, value);
    bool outside = int128_less_signed(value, low) || int128_less_signed(high, value);
    if (result < 0 || (!outside && other->type.type->kind != TYPE_BOOL) || (!outside && in_macro(s, constant->loc)))
        return;
    char text[WIDE_TEXT];
    pp_wide_text(text, value, true);
    const char *whose = boolean && other->type.type->kind != TYPE_BOOL
                            ? "boolean expression"
                            : arena_printf(s->arena, "expression of type %s", type_quote_expr(s, other));
    pp_warning_range(
        s->front,
        outside ? DIAG_GROUP_TAUTOLOGICAL_CONSTANT_OUT_OF_RANGE_COMPARE : DIAG_GROUP_TAUTOLOGICAL_CONSTANT_COMPARE, loc,
        range_join(other->range, constant->range), "result of comparison of constant %s with %s is always %s", text,
        whose, result ? "true" : "false");
}

/* "array 'x'", "address of 'x'": an expression that is never null; NULL: it may be */
static const char *never_null(struct sema *s, const struct expr *expr)
{
    while (expr->kind == EXPR_CAST && !expr->cast.explicit_cast && expr->cast.cast != CAST_LVALUE_TO_RVALUE &&
           expr->cast.cast != CAST_ARRAY_TO_POINTER)
        expr = expr->cast.operand;
    const char *what = "address of";
    if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_ADDRESS) {
        expr = expr->unary.operand;
    } else if (expr->kind == EXPR_CAST && expr->cast.cast == CAST_ARRAY_TO_POINTER) {
        expr = expr->cast.operand;
        what = "array";
    } else {
        return NULL;
    }
    if (expr->kind == EXPR_DECL && expr->decl->name)
        return arena_printf(s->arena, "%s '%s'", what, expr->decl->name->name);
    if (expr->kind == EXPR_MEMBER && expr->member.base->kind == EXPR_DECL && expr->member.base->decl->name) {
        const struct field *field = &expr->member.base->type.type->record.fields[expr->member.field];
        if (field->name)
            return arena_printf(s->arena, "%s '%s.%s'", what, expr->member.base->decl->name->name, field->name->name);
    }
    return NULL;
}

static void warn_null_compare(struct sema *s, enum binary_op op, const struct expr *pointer, const struct expr *range,
                              src_loc loc)
{
    const char *what = in_macro(s, pointer->loc) ? NULL : never_null(s, pointer);
    if (what)
        pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_POINTER_COMPARE, pointer->loc, range->range,
                         "comparison of %s %sequal to a null pointer is always %s", what, op == BINARY_EQ ? "" : "not ",
                         op == BINARY_EQ ? "false" : "true");
    (void)loc;
}

void lint_pointer_to_bool(struct sema *s, const struct expr *expr)
{
    if (expr->type.type->kind != TYPE_POINTER || s->unevaluated || in_macro(s, expr->loc))
        return;
    const char *what = never_null(s, expr);
    if (what)
        pp_warning_range(s->front, DIAG_GROUP_POINTER_BOOL_CONVERSION, expr->loc, expr->range,
                         "%s%s will always evaluate to 'true'", strncmp(what, "array", 5) == 0 ? "address of " : "",
                         what);
}

static const struct type *enum_of(const struct expr *expr)
{
    expr = plain(expr);
    return expr->lvalue && expr->type.type->kind == TYPE_ENUM ? expr->type.type : NULL;
}

/* f == 0.1 with a float f: 0.1 is a double that no float equals */
static void warn_inexact(struct sema *s, enum binary_op op, const struct expr *value, const struct expr *constant,
                         src_loc loc)
{
    if ((op != BINARY_EQ && op != BINARY_NE) || value->type.type->kind != TYPE_FLOAT ||
        constant->type.type->kind != TYPE_DOUBLE || plain(constant)->kind != EXPR_FLOAT)
        return;
    double number = plain(constant)->floating;
    if (number == number && (double)(float)number != number)
        pp_warning_range(s->front, DIAG_GROUP_LITERAL_RANGE, loc, range_join(value->range, constant->range),
                         "floating-point comparison is always %s; constant cannot be represented exactly in type %s",
                         op == BINARY_EQ ? "false" : "true", type_quote_expr(s, value));
}

static void warn_compare(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                         src_loc loc)
{
    const struct type *a = left->type.type, *b = right->type.type;
    warn_same(s, op, left, right, loc);
    warn_logical_not(s, op, left, right, loc);
    if (plain(left)->kind == EXPR_STRING || plain(right)->kind == EXPR_STRING)
        pp_warning_range(s->front, DIAG_GROUP_STRING_COMPARE, loc, range_join(left->range, right->range),
                         "result of comparison against a string literal is unspecified (use an explicit string "
                         "comparison function instead)");
    warn_inexact(s, op, left, right, loc);
    warn_inexact(s, op, right, left, loc);
    if (type_is_integer(a) && type_is_integer(b)) {
        bool left_constant = left->is_constant && !left->float_value;
        bool right_constant = right->is_constant && !right->float_value;
        if (right_constant && !left_constant)
            warn_range(s, op, left, right, loc);
        else if (left_constant && !right_constant)
            warn_range(s, mirrored(op), right, left, loc);
        const struct type *x = enum_of(left), *y = enum_of(right);
        if (x && y && x != y)
            pp_warning_range(s->front, DIAG_GROUP_ENUM_COMPARE, loc, range_join(left->range, right->range),
                             "comparison of different enumeration types (%s and %s)", type_quote(s, qt(x)),
                             type_quote(s, qt(y)));
        bool mixed = type_is_signed(a) != type_is_signed(b) && a->size >= 4 && b->size >= 4;
        const struct expr *is_signed = type_is_signed(a) ? left : right,
                          *is_unsigned = type_is_signed(a) ? right : left;
        if (mixed && !is_signed->is_constant && is_unsigned->type.type->size >= is_signed->type.type->size &&
            plain(is_signed)->type.type->size >= 4 && !lint_is_boolean(is_signed))
            pp_warning_range(s->front, DIAG_GROUP_SIGN_COMPARE, loc, range_join(left->range, right->range),
                             "comparison of integers of different signs: %s and %s", type_quote_expr(s, left),
                             type_quote_expr(s, right));
    }
    if (op == BINARY_EQ || op == BINARY_NE) {
        if (type_is_pointer(a) && sema_is_null_constant(right))
            warn_null_compare(s, op, left, left, loc);
        else if (type_is_pointer(b) && sema_is_null_constant(left))
            warn_null_compare(s, op, right, right, loc);
    }
}

/* x && 4 */
static void warn_logical_constant(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                                  src_loc loc)
{
    const struct expr *value = plain(right);
    if (!type_is_integer(left->type.type) || !type_is_integer(right->type.type) || !right->is_constant ||
        lint_is_boolean(right) || plain(left)->type.type->kind == TYPE_BOOL || value->type.type->kind == TYPE_BOOL ||
        in_macro(s, loc) || value->named_constant)
        return;
    if (in_macro(s, right->loc) && right->integer <= 1)
        return;
    const char *bitwise = op == BINARY_LOGICAL_AND ? "&" : "|";
    pp_warning_range(s->front, DIAG_GROUP_CONSTANT_LOGICAL_OPERAND, loc, right->range,
                     "use of logical '%s' with constant operand", spelling(op));
    pp_note(s->front, loc, "use '%s' for a bitwise operation", bitwise);
    if (op == BINARY_LOGICAL_AND)
        pp_note(s->front, loc, "remove constant to silence this warning");
}

void lint_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right, src_loc loc)
{
    if (s->unevaluated || s->front->options.no_warnings)
        return;
    lint_misused_binary(s, op, left, right, loc);
    switch (op) {
    case BINARY_SHL:
    case BINARY_SHR:
        warn_shift_operand(s, op, left, loc);
        warn_shift_operand(s, op, right, loc);
        break;
    case BINARY_LT:
    case BINARY_GT:
    case BINARY_LE:
    case BINARY_GE:
    case BINARY_EQ:
    case BINARY_NE:
        warn_compare(s, op, left, right, loc);
        break;
    case BINARY_XOR:
        warn_power(s, left, right, loc);
        warn_bitwise_operand(s, op, left, right, loc);
        break;
    case BINARY_AND:
        warn_logical_not(s, op, left, right, loc);
        warn_bitwise_operand(s, op, left, right, loc);
        break;
    case BINARY_OR:
        warn_bitwise_operand(s, op, left, right, loc);
        break;
    case BINARY_LOGICAL_OR:
        warn_logical_operand(s, left, loc);
        warn_logical_operand(s, right, loc);
        warn_logical_constant(s, op, left, right, loc);
        break;
    case BINARY_LOGICAL_AND:
        warn_logical_constant(s, op, left, right, loc);
        break;
    default:
        break;
    }
}

void lint_null_dereference(struct sema *s, const struct expr *pointer, src_loc loc)
{
    const struct qual_type *target = &pointer->type.type->pointer.pointee;
    if (pointer->kind == EXPR_CAST && pointer->cast.cast == CAST_NULL_POINTER && !(target->quals & QUAL_VOLATILE) &&
        !s->unevaluated && target->type->kind != TYPE_STRUCT && target->type->kind != TYPE_UNION)
        pp_warning_range(s->front, DIAG_GROUP_NULL_DEREFERENCE, loc, pointer->range,
                         "indirection of non-volatile null pointer will be deleted, not trap");
}

void lint_string_plus(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc)
{
    if (plain(pointer)->kind != EXPR_STRING) {
        lint_string_plus_char(s, pointer, index, loc);
    } else if (!s->unevaluated && !in_macro(s, loc)) {
        struct qual_type written = qual_type_unqualified(plain(index)->type);
        written.address_space = AS_PRIVATE;
        pp_warning_range(s->front, DIAG_GROUP_STRING_PLUS_INT, loc, range_join(pointer->range, index->range),
                         "adding %s to a string does not append to the string", type_quote(s, written));
        pp_note(s->front, loc, "use array indexing to silence this warning");
    }
}

void lint_overflow(struct sema *s, const struct expr *expr)
{
    const struct type *type = expr->type.type;
    enum binary_op op = expr->binary.op;
    if (!type_is_integer(type) || !type_is_signed(type) || expr->float_value || s->unevaluated ||
        (op != BINARY_MUL && op != BINARY_ADD && op != BINARY_SUB))
        return;
    struct int128 a = int128_of_signed((int64_t)expr->binary.left->integer);
    struct int128 b = int128_of_signed((int64_t)expr->binary.right->integer);
    struct int128 exact = op == BINARY_MUL   ? int128_multiply(a, b)
                          : op == BINARY_ADD ? int128_add(a, b)
                                             : int128_subtract(a, b);
    if (!int128_equal(exact, int128_of_signed((int64_t)expr->integer)))
        pp_warning_range(s->front, DIAG_GROUP_INTEGER_OVERFLOW, expr->loc, expr->range,
                         "overflow in expression; result is %lld with type %s", (long long)expr->integer,
                         type_quote_expr(s, expr));
}

/* x =- 1 */
static void warn_mistaken_compound(struct sema *s, const struct expr *right, src_loc loc)
{
    right = plain(right);
    if (right->kind != EXPR_UNARY || right->parenthesised || in_macro(s, loc) || right->loc != loc + 1 ||
        plain(right->unary.operand)->range.begin <= right->loc + 1)
        return;
    enum unary_op op = right->unary.op;
    if (op == UNARY_PLUS || op == UNARY_MINUS)
        pp_warning(s->front, DIAG_GROUP_NONE, loc,
                   "use of unary operator that may be intended as compound assignment (%s=)",
                   op == UNARY_PLUS ? "+" : "-");
}

void lint_assign(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    warn_mistaken_compound(s, right, loc);
    if (!s->unevaluated && !in_macro(s, loc) && plain(left)->kind == EXPR_DECL && same_operand(left, right))
        pp_warning_range(s->front, DIAG_GROUP_SELF_ASSIGN, loc, range_join(left->range, right->range),
                         "explicitly assigning value of variable of type %s to itself", type_quote_expr(s, left));
}

void lint_enum_conversion(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc)
{
    const struct type *from = enum_of(expr);
    if (plain(expr)->enumerator && plain(expr)->decl->enum_constant.of &&
        plain(expr)->decl->enum_constant.of->enumeration.tag->name)
        from = plain(expr)->decl->enum_constant.of;
    if (from && to->kind == TYPE_ENUM && from != to && !s->unevaluated)
        pp_warning_range(s->front, DIAG_GROUP_ENUM_CONVERSION, loc, expr->range,
                         "implicit conversion from enumeration type %s to different enumeration type %s",
                         type_quote(s, qt(from)), type_quote(s, qt(to)));
}
