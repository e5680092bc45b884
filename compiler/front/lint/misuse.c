/* Warnings about expressions whose result is known, or whose meaning is hardly the intended one: conditions that
 * overlap, sizes of pointers and arrays, truth values, addresses that do not last. Precedence and single operators are
 * in operators.c. Names, wording and conditions are clang's. */
#include "compiler/front/lint/lint.h"
#include "compiler/front/sema/check.h"

static bool is_binary(const struct expr *expr, enum binary_op op)
{
    return expr->kind == EXPR_BINARY && expr->binary.op == op;
}

static bool is_int_constant(const struct expr *expr)
{
    return expr->is_constant && !expr->float_value && type_is_integer(expr->type.type);
}

/* What stands in the source, when it is short and on one line. */
static const char *source_text(struct sema *s, struct src_range range)
{
    if (!range.begin || range.end <= range.begin || range.end - range.begin > 60 || in_macro(s, range.begin))
        return NULL;
    const char *text = pp_source_text(s->front, range.begin);
    uint32_t length = range.end - range.begin;
    return memchr(text, '\n', length) ? NULL : arena_printf(s->arena, "%.*s", (int)length, text);
}

/* ---- comparisons that together, or with their mask, always give the same ---- */

struct comparison { /* variable OP constant */
    const struct expr *variable;
    enum binary_op op;
    struct int128 constant;
};

static bool read_comparison(const struct expr *expr, struct comparison *c)
{
    expr = plain(expr);
    if (expr->kind != EXPR_BINARY || expr->binary.op < BINARY_LT || expr->binary.op > BINARY_NE)
        return false;
    const struct expr *left = expr->binary.left, *right = expr->binary.right;
    bool swapped = is_int_constant(left);
    if (swapped == is_int_constant(right))
        return false;
    const struct expr *constant = swapped ? left : right;
    if (plain(constant)->kind != EXPR_INT && plain(constant)->kind != EXPR_UNARY)
        return false;
    c->variable = plain(swapped ? right : left);
    c->op = swapped ? mirrored(expr->binary.op) : expr->binary.op;
    c->constant = lint_as_wide(constant->type.type, constant->integer);
    return c->variable->kind == EXPR_DECL && type_is_integer(c->variable->type.type);
}

static bool holds(const struct comparison *c, struct int128 value)
{
    switch (c->op) {
    case BINARY_LT:
        return int128_less_signed(value, c->constant);
    case BINARY_GT:
        return int128_less_signed(c->constant, value);
    case BINARY_LE:
        return !int128_less_signed(c->constant, value);
    case BINARY_GE:
        return !int128_less_signed(value, c->constant);
    case BINARY_EQ:
        return int128_equal(value, c->constant);
    default:
        return !int128_equal(value, c->constant);
    }
}

/* x < 1 && x > 5, x != 1 || x != 2: no value, or every value, will do. */
static void warn_overlap(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                         src_loc loc)
{
    struct comparison a, b;
    if (in_macro(s, loc) || !read_comparison(left, &a) || !read_comparison(right, &b) ||
        a.variable->decl != b.variable->decl)
        return;
    bool is_and = op == BINARY_LOGICAL_AND, always = true;
    for (int i = 0; i < 6; i++) {
        struct int128 value = int128_add(i < 3 ? a.constant : b.constant, int128_of_signed(i % 3 - 1));
        bool result = is_and ? holds(&a, value) && holds(&b, value) : holds(&a, value) || holds(&b, value);
        always &= result != is_and;
    }
    if (always)
        pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_OVERLAP_COMPARE, loc, range_join(left->range, right->range),
                         "overlapping comparisons always evaluate to %s", is_and ? "false" : "true");
}

/* x & 8 and x | 8 with a constant */
static bool masked(const struct expr *expr, enum binary_op *op, uint64_t *mask)
{
    expr = plain(expr);
    if (!is_binary(expr, BINARY_AND) && !is_binary(expr, BINARY_OR))
        return false;
    const struct expr *left = expr->binary.left, *right = expr->binary.right;
    if (is_int_constant(left) == is_int_constant(right))
        return false;
    *op = expr->binary.op;
    *mask = (is_int_constant(left) ? left : right)->integer;
    return true;
}

static void warn_mask(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right, src_loc loc)
{
    uint64_t mask;
    enum binary_op how;
    bool swapped = is_int_constant(left);
    const struct expr *constant = swapped ? left : right;
    if (in_macro(s, loc) || !is_int_constant(constant) || !masked(swapped ? right : left, &how, &mask))
        return;
    uint64_t other = constant->integer, combined = how == BINARY_AND ? mask & other : mask | other;
    if (combined != other)
        pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_BITWISE_COMPARE, loc, range_join(left->range, right->range),
                         "bitwise comparison always evaluates to %s", op == BINARY_EQ ? "false" : "true");
}

/* ---- truth values ---- */

static bool changes_something(const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_ASSIGN:
    case EXPR_CALL:
    case EXPR_STATEMENT:
        return true;
    case EXPR_UNARY:
        return expr->unary.op >= UNARY_PRE_INC || changes_something(expr->unary.operand);
    case EXPR_BINARY:
        return changes_something(expr->binary.left) || changes_something(expr->binary.right);
    case EXPR_CAST:
        return changes_something(expr->cast.operand);
    default:
        return false;
    }
}

/* (a++ == 1) & (b++ == 1) */
static void warn_eager(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                       src_loc loc)
{
    if (in_macro(s, loc) || !lint_is_boolean(left) || !lint_is_boolean(right) || !changes_something(left) ||
        !changes_something(right))
        return;
    const char *text = op == BINARY_AND ? "&" : "|";
    pp_warning_range(s->front, DIAG_GROUP_BITWISE_INSTEAD_OF_LOGICAL, loc, range_join(left->range, right->range),
                     "use of bitwise '%s' with boolean operands", text);
    pp_note(s->front, loc, "cast one or both operands to int to silence this warning");
}

void lint_condition(struct sema *s, const struct expr *expr)
{
    uint64_t mask;
    enum binary_op how;
    expr = plain(expr);
    if (is_binary(expr, BINARY_OR) && masked(expr, &how, &mask) && mask && !expr->is_constant && !s->unevaluated &&
        !in_macro(s, expr->loc))
        pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_BITWISE_COMPARE, expr->loc, expr->range,
                         "bitwise or with non-zero value always evaluates to true");
}

/* Of a conversion to bool, which a condition is not. */
void lint_to_bool(struct sema *s, const struct expr *expr)
{
    expr = plain(expr);
    if (s->unevaluated || !type_is_integer(expr->type.type) || in_macro(s, expr->loc))
        return;
    if (is_binary(expr, BINARY_SHL) && type_is_signed(expr->type.type)) {
        const struct expr *left = plain(expr->binary.left), *right = plain(expr->binary.right);
        if (left->kind == EXPR_INT && (right->kind == EXPR_INT || !left->integer)) {
            pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_CONSTANT_COMPARE, expr->loc, expr->range,
                             "converting the result of '<<' to a boolean always evaluates to '%s'",
                             expr->is_constant && expr->integer ? "true" : "false");
            return;
        }
        const char *text = source_text(s, expr->range);
        pp_warning_range(s->front, DIAG_GROUP_INT_IN_BOOL_CONTEXT, expr->loc, expr->range,
                         "converting the result of '<<' to a boolean%s%s%s", text ? "; did you mean '(" : "",
                         text ? text : "", text ? ") != 0'?" : "");
    } else if (expr->kind == EXPR_COND && expr->cond.then_value) {
        const struct expr *a = plain(expr->cond.then_value), *b = plain(expr->cond.else_value);
        if (a->kind == EXPR_INT && b->kind == EXPR_INT && a->integer && b->integer &&
            (a->integer != 1 || b->integer != 1))
            pp_warning_range(s->front, DIAG_GROUP_TAUTOLOGICAL_CONSTANT_COMPARE, expr->loc, expr->range,
                             "converting the result of '?:' with integer constants to a boolean always evaluates to "
                             "'true'");
    }
}

/* ~(a == b) */
void lint_not(struct sema *s, const struct expr *operand, src_loc loc)
{
    if (s->unevaluated || in_macro(s, loc) || plain(operand)->type.type->kind == TYPE_VECTOR ||
        !lint_is_boolean(operand))
        return;
    pp_warning_range(s->front, DIAG_GROUP_BOOL_OPERATION, loc, operand->range,
                     "bitwise negation of a boolean expression; did you mean logical negation?");
}

/* ---- sizes ---- */

void lint_sizeof(struct sema *s, const struct expr *result, struct qual_type type, const struct expr *operand,
                 bool changes)
{
    s->lint->sizes[0] = s->lint->sizes[1];
    s->lint->sizes[1] = (struct size_seen){result, type, operand && operand->kind == EXPR_DECL ? operand->decl : NULL,
                                           result->loc, operand && operand->parenthesised};
    if (!operand || in_macro(s, result->loc))
        return;
    if (changes)
        pp_warning_range(s->front, DIAG_GROUP_UNEVALUATED_EXPRESSION, operand->range.begin, operand->range,
                         "expression with side effects has no effect in an unevaluated context");
    if (operand->kind == EXPR_BINARY && (operand->binary.op == BINARY_ADD || operand->binary.op == BINARY_SUB)) {
        const struct expr *sides[2] = {operand->binary.left, operand->binary.right};
        for (int i = 0; i < 2; i++)
            if (sides[i]->kind == EXPR_CAST && sides[i]->cast.cast == CAST_ARRAY_TO_POINTER)
                pp_warning_range(s->front, DIAG_GROUP_SIZEOF_ARRAY_DECAY, operand->loc, operand->range,
                                 "sizeof on pointer operation will return size of %s instead of %s",
                                 type_quote(s, qual_type_unqualified(operand->type)),
                                 type_quote_expr(s, sides[i]->cast.operand));
    }
}

static const struct size_seen *size_of(const struct sema *s, const struct expr *expr)
{
    expr = plain(expr);
    for (int i = 0; i < 2; i++)
        if (expr->kind == EXPR_INT && s->lint->sizes[i].result == expr && s->lint->sizes[i].loc == expr->loc)
            return &s->lint->sizes[i];
    return NULL;
}

/* sizeof(pointer) / sizeof(element), sizeof(array) / sizeof(something else) */
static void warn_size_division(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    const struct size_seen *a = size_of(s, left), *b = size_of(s, right);
    if (!a || !b || in_macro(s, loc))
        return;
    const struct type *whole = a->type.type, *part = b->type.type;
    if (whole->kind == TYPE_POINTER && clc_type_equal(whole->pointer.pointee.type, part)) {
        const char *name = a->decl && a->decl->name ? a->decl->name->name : NULL;
        pp_warning_range(s->front, DIAG_GROUP_SIZEOF_POINTER_DIV, loc, range_join(left->range, right->range),
                         "'sizeof%s%s%s' will return the size of the pointer, not the array itself", name ? " (" : "",
                         name ? name : "", name ? ")" : "");
        if (name)
            pp_note(s->front, a->decl->loc, "pointer '%s' declared here", name);
    } else if (whole->kind == TYPE_ARRAY && whole->array.element.type->kind != TYPE_ARRAY &&
               whole->array.element.type->size != part->size && !plain(right)->parenthesised) {
        pp_warning_range(s->front, DIAG_GROUP_SIZEOF_ARRAY_DIV, loc, range_join(left->range, right->range),
                         "expression does not compute the number of elements in this array; element type is %s, not %s",
                         type_quote(s, type_array_element(a->type)), type_quote(s, b->type));
        if (a->decl && a->decl->name)
            pp_note(s->front, a->decl->loc, "array '%s' declared here", a->decl->name->name);
    }
}

/* ---- pointers ---- */

static bool is_character(struct sema *s, const struct expr *expr)
{
    expr = plain(expr);
    return expr->kind == EXPR_INT && !in_macro(s, expr->loc) && *pp_source_text(s->front, expr->loc) == '\'';
}

static void warn_null_character(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    bool swapped = type_is_pointer(right->type.type);
    const struct expr *pointer = swapped ? right : left, *other = swapped ? left : right;
    if (type_is_pointer(pointer->type.type) && sema_is_null_constant(plain(other)) && is_character(s, other))
        pp_warning_range(s->front, DIAG_GROUP_POINTER_COMPARE, loc, range_join(left->range, right->range),
                         "comparing a pointer to a null character constant; did you mean to compare to NULL?");
}

/* text + 'c' */
void lint_string_plus_char(struct sema *s, const struct expr *pointer, const struct expr *index, src_loc loc)
{
    const struct type *target = type_strip_enum(pointer->type.type->pointer.pointee.type);
    if (s->unevaluated || in_macro(s, loc) || target->kind != TYPE_CHAR ||
        (!is_character(s, index) && plain(index)->type.type->kind != TYPE_CHAR))
        return;
    pp_warning_range(s->front, DIAG_GROUP_STRING_PLUS_CHAR, loc, range_join(pointer->range, index->range),
                     "adding 'char' to a string pointer does not append to the string");
    pp_note(s->front, loc, "use array indexing to silence this warning");
}

/* return &x; of a variable that ends with the function */
void lint_returned(struct sema *s, const struct expr *value)
{
    const struct expr *expr = plain(value);
    if (value->type.type->kind != TYPE_POINTER && value->type.type->kind != TYPE_ARRAY)
        return;
    if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_ADDRESS)
        expr = expr->unary.operand;
    else if (expr->type.type->kind != TYPE_ARRAY)
        return;
    for (;;) {
        if (expr->kind == EXPR_MEMBER)
            expr = expr->member.base;
        else if (expr->kind == EXPR_INDEX && plain(expr->index.base)->type.type->kind == TYPE_ARRAY)
            expr = plain(expr->index.base);
        else
            break;
    }
    const struct decl *decl = expr->kind == EXPR_DECL && expr->decl->kind == DECL_VARIABLE ? expr->decl : NULL;
    if (!decl || !decl->name || decl->var.file_scope || decl->var.is_static_local ||
        decl->type.address_space != AS_PRIVATE)
        return;
    pp_warning_range(s->front, DIAG_GROUP_RETURN_STACK_ADDRESS, value->range.begin, value->range,
                     "address of stack memory associated with %s '%s' returned",
                     decl->var.is_param ? "parameter" : "local variable", decl->name->name);
}

/* &p->x where x of a packed struct is not aligned as its type asks. The warning is given at the end of the full
 * expression, unless a cast to a type without alignment follows (lint_cast). */
void lint_address(struct sema *s, const struct expr *address)
{
    const struct expr *expr = address->unary.operand;
    const struct type *type = expr->type.type, *record = NULL;
    uint64_t offset = 0;
    bool packed = false;
    const struct expr *member = expr;
    for (; expr->kind == EXPR_MEMBER; expr = expr->member.base) {
        record = expr->member.base->type.type;
        packed |= record->record.packed;
        offset += record->record.fields[expr->member.field].offset;
    }
    while (type->kind == TYPE_ARRAY)
        type = type->array.element.type;
    if (!packed || type->align <= 1 || (offset % type->align == 0 && record->align >= type->align))
        return;
    const struct type *owner = member->member.base->type.type;
    s->lint->misaligned = (struct misaligned){address, owner->record.fields[member->member.field].name,
                                              owner->record.tag->name, member->loc, member->range};
}

void lint_cast(struct sema *s, const struct expr *operand, const struct type *to)
{
    if (s->lint->misaligned.address == plain(operand) &&
        (to->kind != TYPE_POINTER || to->pointer.pointee.type->align <= 1))
        s->lint->misaligned.address = NULL;
}

void lint_full_expression(struct sema *s)
{
    const struct misaligned *m = &s->lint->misaligned;
    if (!m->address)
        return;
    pp_warning_range(s->front, DIAG_GROUP_ADDRESS_OF_PACKED_MEMBER, m->loc, m->range,
                     "taking address of packed member '%s' of class or structure '%s' may result in an unaligned "
                     "pointer value",
                     m->member ? m->member->name : "", m->record ? m->record->name : "(anonymous)");
    s->lint->misaligned.address = NULL;
}

void lint_misused_binary(struct sema *s, enum binary_op op, const struct expr *left, const struct expr *right,
                         src_loc loc)
{
    switch (op) {
    case BINARY_LOGICAL_AND:
    case BINARY_LOGICAL_OR:
        warn_overlap(s, op, left, right, loc);
        break;
    case BINARY_EQ:
    case BINARY_NE:
        warn_mask(s, op, left, right, loc);
        warn_null_character(s, left, right, loc);
        break;
    case BINARY_AND:
    case BINARY_OR:
        warn_eager(s, op, left, right, loc);
        break;
    case BINARY_DIV:
        warn_size_division(s, left, right, loc);
        break;
    default:
        break;
    }
}
