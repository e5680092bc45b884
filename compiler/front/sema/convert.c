/* Conversions: lvalues to values, integer promotions, the usual arithmetic conversions with OpenCL's rules for vectors,
 * and conversion as if by assignment, with the messages that go with each. OpenCL C 3.0, 6.4 (conversions) and 6.7
 * (address spaces); C99, 6.3. */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"

#include <math.h>

struct expr *expr_cast(struct sema *s, enum cast_kind kind, struct expr *operand, const struct type *to)
{
    struct expr *expr = expr_new(s, EXPR_CAST, qt(to), operand->loc, operand->range);
    expr->cast.cast = kind;
    expr->cast.operand = operand;
    const_fold(s, expr);
    return expr;
}

struct expr *clc_rvalue(struct clc_front *front, struct expr *expr)
{
    struct sema *s = front->sema;
    const struct type *type = expr->type.type;
    struct expr *result;
    switch (type->kind) {
    case TYPE_POISON:
        return expr;
    case TYPE_FUNCTION:
        /* OpenCL C 3.0, 6.11.a: pointers to functions are not allowed */
        pp_error_range(front, expr->loc, expr->range, "taking address of function is not allowed");
        return s->poison;
    case TYPE_ARRAY: {
        struct qual_type element = type_array_element(expr->type);
        if (expr->kind == EXPR_STRING)
            element.address_space = AS_CONSTANT;
        result = expr_cast(s, CAST_ARRAY_TO_POINTER, expr, clc_type_pointer(front, element));
        result->type = type_derived(element, result->type.type);
        return result;
    }
    default:
        break;
    }
    if (!expr->lvalue)
        return expr;
    if (!sema_check_half_value(s, expr))
        return s->poison;
    if (type->incomplete && type->kind != TYPE_VOID) {
        /* C99, 6.3.2.1: an extern variable may name a type that is complete elsewhere only */
        pp_error_range(front, expr->loc, expr->range, "incomplete type %s where a complete type is required",
                       type_quote(s, expr->type));
        return s->poison;
    }
    result = expr_cast(s, CAST_LVALUE_TO_RVALUE, expr, type_strip_enum(type));
    if (type->kind != TYPE_ENUM) {
        result->type.sugar = expr->type.sugar;
        result->type.sugar_depth = expr->type.sugar_depth;
    }
    return result;
}

/* OpenCL C 3.0, 6.3.1.1: without cl_khr_fp16 half is for memory only. */
bool sema_check_half_value(struct sema *s, const struct expr *expr)
{
    if (s->fp16 || expr->type.type->kind != TYPE_HALF || s->unevaluated)
        return true;
    pp_error_range(s->front, expr->loc, expr->range,
                   "loading directly from pointer to type '__private half' requires cl_khr_fp16. Use vector data load "
                   "builtin functions instead");
    return false;
}

/* ---- arithmetic ---- */

enum cast_kind sema_arith_cast(const struct type *from, const struct type *to)
{
    if (to->kind == TYPE_BOOL)
        return CAST_TO_BOOL;
    if (type_is_float(to))
        return type_is_float(from) ? CAST_FLOAT : CAST_INT_TO_FLOAT;
    if (type_is_float(from))
        return CAST_FLOAT_TO_INT;
    return from->size == to->size && from->kind != TYPE_BOOL ? CAST_NOP : CAST_INT;
}

/* A literal simply becomes one of the other type: tables of constants would double in size otherwise. */
static bool retype_literal(struct expr *expr, const struct type *to)
{
    struct const_value from = expr_value(expr), value;
    if ((expr->kind != EXPR_INT && expr->kind != EXPR_FLOAT) || to->kind == TYPE_BOOL || to->kind > TYPE_DOUBLE ||
        !const_cast_value(expr->type.type, to, &from, &value))
        return false;
    if (expr->wide && value.kind == CONST_FLOAT)
        value.floating = const_wide_to_float(expr, to);
    expr->wide = false;
    expr->kind = value.kind == CONST_FLOAT ? EXPR_FLOAT : EXPR_INT;
    expr_set_value(expr, value);
    expr->type = qt(to);
    return true;
}

struct expr *sema_to_arith(struct sema *s, struct expr *expr, const struct type *to)
{
    const struct type *from = type_strip_enum(expr->type.type);
    to = type_strip_enum(to);
    if (from == to) {
        if (expr->type.type->kind != TYPE_ENUM)
            return expr;
        return expr_cast(s, CAST_NOP, expr, to);
    }
    if (retype_literal(expr, to))
        return expr;
    if (to->kind != TYPE_VECTOR)
        return expr_cast(s, sema_arith_cast(from, to), expr, to);
    if (from->kind != TYPE_VECTOR) {
        expr = sema_to_arith(s, expr, to->vector.element);
        return expr_cast(s, CAST_SPLAT, expr, to);
    }
    return expr_cast(s, sema_arith_cast(from->vector.element, to->vector.element), expr, to);
}

/* OpenCL C 3.0, 6.4.1: a bool becomes a vector of all bits set. */
struct expr *sema_widened_bool(struct sema *s, struct expr *expr)
{
    if (expr->type.type->kind != TYPE_BOOL)
        return expr;
    return sema_unary(s, UNARY_MINUS, expr, expr->loc);
}

static const struct type *promoted(struct sema *s, const struct type *type)
{
    type = type_strip_enum(type);
    return type_is_integer_kind(type->kind) && type->kind < TYPE_INT ? type_scalar(s, TYPE_INT) : type;
}

struct expr *sema_promote(struct sema *s, struct expr *expr)
{
    expr = clc_rvalue(s->front, expr);
    if (!type_is_integer(expr->type.type))
        return expr;
    return sema_to_arith(s, expr, promoted(s, expr->type.type));
}

static const struct type *usual_scalar(struct sema *s, const struct type *a, const struct type *b)
{
    if (type_is_float(a) || type_is_float(b)) {
        if (!type_is_float(b))
            return a;
        if (!type_is_float(a))
            return b;
        return a->kind > b->kind ? a : b;
    }
    a = promoted(s, a);
    b = promoted(s, b);
    return a->kind > b->kind ? a : b;
}

static bool invalid_operands(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    pp_error_range(s->front, loc, range_join(left->range, right->range),
                   "invalid operands to binary expression (%s and %s)", type_quote_expr(s, left),
                   type_quote_expr(s, right));
    return false;
}

/* OpenCL C 3.0, 6.4.6 (usual arithmetic conversions): a scalar beside a vector is converted to the vector's element
 * type and widened; it may not have the greater rank. */
static bool widen_scalar(struct sema *s, struct expr **scalar, const struct expr *vector, const struct expr *left,
                         const struct expr *right, src_loc loc)
{
    const struct type *from = type_strip_enum((*scalar)->type.type), *to = vector->type.type;
    const struct type *element = to->vector.element;
    if (!type_is_arith(from) || (type_is_float(from) && !type_is_float(element)))
        return invalid_operands(s, left, right, loc);
    bool same_class = type_is_float(from) == type_is_float(element);
    if (same_class && from->kind > element->kind) {
        pp_error_range(s->front, loc, range_join(left->range, right->range),
                       "scalar operand type has greater rank than the type of the vector element. (%s and %s)",
                       type_quote_expr(s, left), type_quote_expr(s, right));
        return false;
    }
    *scalar = sema_to_arith(s, *scalar, to);
    return true;
}

bool sema_usual(struct sema *s, struct expr **left, struct expr **right, src_loc loc, bool compound_left)
{
    const struct type *a = (*left)->type.type, *b = (*right)->type.type;
    if (is_poison(a) || is_poison(b))
        return false;
    if (a->kind == TYPE_VECTOR && b->kind == TYPE_VECTOR) {
        if (a == b)
            return true;
        pp_error_range(
            s->front, loc, range_join((*left)->range, (*right)->range),
            a->vector.count != b->vector.count
                ? "vector operands do not have the same number of elements (%s and %s)"
                : "cannot convert between vector values of different type (%s and %s) without a conversion function",
            type_quote_expr(s, *left), type_quote_expr(s, *right));
        return false;
    }
    if (a->kind == TYPE_VECTOR)
        return widen_scalar(s, right, *left, *left, *right, loc);
    if (b->kind == TYPE_VECTOR) {
        if (compound_left)
            return invalid_operands(s, *left, *right, loc);
        return widen_scalar(s, left, *right, *left, *right, loc);
    }
    if (!type_is_arith(a) || !type_is_arith(b))
        return invalid_operands(s, *left, *right, loc);
    const struct type *common = usual_scalar(s, type_strip_enum(a), type_strip_enum(b));
    *left = sema_to_arith(s, *left, common);
    *right = sema_to_arith(s, *right, common);
    return true;
}

struct expr *sema_condition(struct sema *s, struct expr *expr)
{
    if (expr->kind == EXPR_ASSIGN && !expr->parenthesised && !expr->assign.compound) {
        pp_warning(s->front, DIAG_GROUP_PARENTHESES, expr->loc,
                   "using the result of an assignment as a condition without parentheses");
        pp_note(s->front, expr->loc, "use '==' to turn this assignment into an equality comparison");
    }
    expr = clc_rvalue(s->front, expr);
    if (expr_poison(expr))
        return expr;
    if (!type_is_scalar(expr->type.type) || expr->type.type->kind == TYPE_BLOCK) {
        pp_error_range(s->front, expr->loc, expr->range, "statement requires expression of scalar type (%s invalid)",
                       type_quote_expr(s, expr));
        return s->poison;
    }
    if (expr->type.type->kind == TYPE_BOOL)
        return expr;
    s->advice->condition(s, expr);
    return expr_cast(s, CAST_TO_BOOL, expr, type_scalar(s, TYPE_BOOL));
}

/* ---- pointers ---- */

bool address_space_encloses(uint32_t outer, uint32_t inner)
{
    return outer == inner || (outer == AS_GENERIC && inner != AS_CONSTANT);
}

/* C99, 6.3.2.3, 4: an integer constant expression 0, or one cast to void *. */
bool sema_is_null_constant(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST && expr->type.type->kind == TYPE_POINTER) {
        struct qual_type to = expr->type.type->pointer.pointee;
        bool named = to.address_space != AS_PRIVATE && to.address_space != AS_GENERIC;
        if (to.type->kind != TYPE_VOID || to.quals || named)
            break;
        expr = expr->cast.operand;
    }
    return expr->is_constant && !expr->folded && type_is_integer(expr->type.type) && !expr->float_value &&
           !expr->integer && !expr->wide;
}

static bool same_but_for_sign(const struct type *a, const struct type *b)
{
    a = type_strip_enum(a);
    b = type_strip_enum(b);
    if (a->kind == TYPE_VECTOR && b->kind == TYPE_VECTOR)
        return a->vector.count == b->vector.count && same_but_for_sign(a->vector.element, b->vector.element);
    return type_is_integer(a) && type_is_integer(b) && a->size == b->size && a->kind != TYPE_BOOL &&
           b->kind != TYPE_BOOL;
}

static bool nested_space_differs(const struct type *a, const struct type *b)
{
    for (;;) {
        while (a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY) {
            a = a->array.element.type;
            b = b->array.element.type;
        }
        if (a->kind != TYPE_POINTER || b->kind != TYPE_POINTER)
            return false;
        if (a->pointer.pointee.address_space != b->pointer.pointee.address_space)
            return true;
        a = a->pointer.pointee.type;
        b = b->pointer.pointee.type;
    }
}

enum pointer_match sema_pointer_match(const struct type *to, const struct type *from)
{
    struct qual_type t = to->pointer.pointee, f = from->pointer.pointee;
    if (!address_space_encloses(t.address_space, f.address_space))
        return POINTER_SPACE;
    /* As clang and C23, 6.2.5 have it, an array is as const as its elements: float (*)[3] becomes const float (*)[3].
     */
    if (!clc_type_equal(t.type, f.type)) {
        while (t.type->kind == TYPE_ARRAY && f.type->kind == TYPE_ARRAY &&
               (t.type->array.count == f.type->array.count || t.type->incomplete || f.type->incomplete)) {
            t = type_array_element(t);
            f = type_array_element(f);
        }
    }
    bool is_void = t.type->kind == TYPE_VOID || f.type->kind == TYPE_VOID;
    if (is_void || clc_type_equal(t.type, f.type)) {
        uint8_t lost = f.quals & (uint8_t)~t.quals & (QUAL_CONST | QUAL_VOLATILE);
        if (!is_void && ((t.quals ^ f.quals) & QUAL_ATOMIC))
            return POINTER_INCOMPATIBLE;
        return lost ? POINTER_QUALIFIERS : POINTER_SAME;
    }
    if (nested_space_differs(t.type, f.type))
        return POINTER_NESTED_SPACE;
    return same_but_for_sign(t.type, f.type) ? POINTER_SIGN : POINTER_INCOMPATIBLE;
}

/* The node(s) for a pointer conversion that was found allowed. */
static struct expr *pointer_cast(struct sema *s, struct expr *expr, const struct type *to)
{
    const struct type *from = expr->type.type;
    uint8_t from_space = from->pointer.pointee.address_space, to_space = to->pointer.pointee.address_space;
    if (from == to)
        return expr;
    if (from_space != to_space) {
        struct qual_type pointee = from->pointer.pointee;
        pointee.address_space = to_space;
        expr = expr_cast(s, to_space == AS_GENERIC ? CAST_TO_GENERIC : CAST_FROM_GENERIC, expr,
                         clc_type_pointer(s->front, pointee));
    }
    return expr->type.type == to ? expr : expr_cast(s, CAST_NOP, expr, to);
}

/* ---- as if by assignment ---- */

/* "initializing 'T' with an expression of incompatible type 'U'" and its kin, in clang's words. before: stands before
 * all of it; kind: before "type"; after: what is wrong beyond that. */
static void mismatch(struct sema *s, bool is_error, enum diag_group group, const struct expr *expr, struct qual_type to,
                     enum convert_context context, src_loc loc, const char *before, const char *kind, const char *after)
{
    to.address_space = AS_PRIVATE;
    to.quals &= QUAL_ATOMIC;
    struct qual_type value = expr->type;
    value.address_space = AS_PRIVATE;
    const char *target = type_quote(s, to), *source = type_quote(s, value), *text;
    if (context == CONVERT_ASSIGN)
        text = arena_printf(s->arena, "%sassigning to %s from %stype %s%s", before, target, kind, source, after);
    else if (context == CONVERT_INIT)
        text = arena_printf(s->arena, "%sinitializing %s with an expression of %stype %s%s", before, target, kind,
                            source, after);
    else if (context == CONVERT_RETURN)
        text = arena_printf(s->arena, "%sreturning %s from a function with %sresult type %s%s", before, source, kind,
                            target, after);
    else
        text = arena_printf(s->arena, "%spassing %s to parameter of %stype %s%s", before, source, kind, target, after);
    if (is_error)
        pp_error_range(s->front, loc, expr->range, "%s", text);
    else
        pp_warning_range(s->front, group, loc, expr->range, "%s", text);
}

static struct expr *incompatible(struct sema *s, const struct expr *expr, struct qual_type to,
                                 enum convert_context context, src_loc loc)
{
    mismatch(s, true, DIAG_GROUP_NONE, expr, to, context, loc, "", "incompatible ", "");
    return s->poison;
}

static struct expr *convert_pointer(struct sema *s, struct expr *expr, struct qual_type to,
                                    enum convert_context context, src_loc loc)
{
    switch (sema_pointer_match(to.type, expr->type.type)) {
    case POINTER_SAME:
        break;
    case POINTER_QUALIFIERS:
        mismatch(s, false, DIAG_GROUP_DISCARDS_QUALIFIERS, expr, to, context, loc, "", "", " discards qualifiers");
        break;
    case POINTER_SIGN:
        mismatch(s, false, DIAG_GROUP_POINTER_SIGN, expr, to, context, loc, "", "",
                 " converts between pointers to integer types with different sign");
        break;
    case POINTER_INCOMPATIBLE:
        mismatch(s, false, DIAG_GROUP_INCOMPATIBLE_POINTER_TYPES, expr, to, context, loc, "", "incompatible pointer ",
                 "");
        break;
    case POINTER_NESTED_SPACE:
        mismatch(s, true, DIAG_GROUP_NONE, expr, to, context, loc, "", "", " changes address space of nested pointer");
        return s->poison;
    case POINTER_SPACE:
        mismatch(s, true, DIAG_GROUP_NONE, expr, to, context, loc, "", "", " changes address space of pointer");
        return s->poison;
    }
    return pointer_cast(s, expr, to.type);
}

static struct expr *convert_to_pointer(struct sema *s, struct expr *expr, struct qual_type to,
                                       enum convert_context context, src_loc loc)
{
    if (sema_is_null_constant(expr)) {
        while (expr->kind == EXPR_CAST && expr->type.type->kind == TYPE_POINTER)
            expr = expr->cast.operand;
        return expr_cast(s, CAST_NULL_POINTER, expr, to.type);
    }
    if (type_is_pointer(expr->type.type))
        return convert_pointer(s, expr, to, context, loc);
    if (!type_is_integer(expr->type.type))
        return incompatible(s, expr, to, context, loc);
    mismatch(s, true, DIAG_GROUP_INT_CONVERSION, expr, to, context, loc, "incompatible integer to pointer conversion ",
             "", "");
    return s->poison;
}

/* An integer that the floating type cannot hold. */
static void warn_inexact(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc)
{
    struct const_value from = expr_value(expr), value;
    bool is_signed = type_is_signed(expr->type.type);
    if (!const_cast_value(expr->type.type, to, &from, &value) || isinf(value.floating))
        return;
    /* Beyond the type's greatest value, a conversion back is undefined. */
    double beyond = is_signed ? 0x1p63 : 0x1p64;
    if (value.floating < beyond &&
        (is_signed ? (int64_t)value.floating == (int64_t)expr->integer : (uint64_t)value.floating == expr->integer))
        return;
    pp_warning_range(s->front, DIAG_GROUP_IMPLICIT_CONST_INT_FLOAT_CONVERSION, loc, expr->range,
                     is_signed ? "implicit conversion from %s to %s changes value from %lld to %.0f"
                               : "implicit conversion from %s to %s changes value from %llu to %.0f",
                     type_quote_expr(s, expr), type_quote(s, qt(to)), (long long)expr->integer, value.floating);
}

static bool in_range(double value, const struct type *to)
{
    double end = ldexp(1, (int)to->size * 8 - type_is_signed(to));
    return value > (type_is_signed(to) ? -end - 1 : -1) && value < end;
}

static void warn_wide_constant(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc)
{
    struct wide_int value = expr_wide_value(expr);
    uint64_t kept = const_truncate(to, expr->integer);
    struct int128 after = type_is_signed(to) ? int128_of_signed((int64_t)kept) : int128_of_unsigned(kept);
    char before_text[WIDE_TEXT], after_text[WIDE_TEXT];
    if (int128_equal(after, value.bits))
        return;
    pp_wide_text(before_text, value.bits, !value.is_unsigned);
    pp_wide_text(after_text, after, true);
    pp_warning_range(s->front, DIAG_GROUP_CONSTANT_CONVERSION, loc, expr->range,
                     "implicit conversion from %s to %s changes value from %s to %s", type_quote_expr(s, expr),
                     type_quote(s, qt(to)), before_text, after_text);
}

static void warn_constant(struct sema *s, const struct expr *expr, const struct type *to, src_loc loc)
{
    struct const_value written = expr_value(expr), value;
    to = type_strip_enum(to);
    if (!expr->is_constant || s->unevaluated)
        return;
    const struct type *from = type_strip_enum(expr->type.type);
    if (to->kind == TYPE_BOOL) {
        if (expr->kind == EXPR_FLOAT && expr->floating != 0 && expr->floating != 1)
            pp_warning_range(s->front, DIAG_GROUP_LITERAL_CONVERSION, loc, expr->range,
                             "implicit conversion from %s to %s changes value from %g to true",
                             type_quote_expr(s, expr), type_quote(s, qt(to)), expr->floating);
        return;
    }
    if (type_is_float(to) && !expr->float_value && !expr->folded && !expr->wide)
        warn_inexact(s, expr, to, loc);
    if (!type_is_integer(to))
        return;
    if (expr->wide) {
        warn_wide_constant(s, expr, to, loc);
        return;
    }
    if (!expr->float_value && to->size < from->size) {
        uint64_t bits = to->size * 8, integer = expr->integer;
        int64_t as_signed = (int64_t)integer;
        /* to a signed type, what fits the bits alone is let pass for int and what is smaller, as masks are written */
        int64_t end = type_is_signed(to) && from->size == 8 && !expr->folded ? 1ll << (bits - 1) : 1ll << bits;
        if (as_signed >= -(1ll << (bits - 1)) && as_signed < end)
            return;
        if (!type_is_signed(from) && integer >> bits == 0)
            return;
        pp_warning_range(s->front, DIAG_GROUP_CONSTANT_CONVERSION, loc, expr->range,
                         type_is_signed(from) ? "implicit conversion from %s to %s changes value from %lld to %lld"
                                              : "implicit conversion from %s to %s changes value from %llu to %lld",
                         type_quote_expr(s, expr), type_quote(s, qt(to)), (long long)integer,
                         (long long)const_truncate(to, integer));
    } else if (expr->kind == EXPR_FLOAT && !in_range(expr->floating, to)) {
        pp_warning_range(s->front, DIAG_GROUP_LITERAL_CONVERSION, loc, expr->range,
                         "implicit conversion of out of range value from %s to %s is undefined",
                         type_quote_expr(s, expr), type_quote(s, qt(to)));
    } else if (expr->kind == EXPR_FLOAT && const_cast_value(from, to, &written, &value) &&
               expr->floating != (double)(int64_t)value.integer) {
        pp_warning_range(s->front, DIAG_GROUP_LITERAL_CONVERSION, loc, expr->range,
                         "implicit conversion from %s to %s changes value from %g to %lld", type_quote_expr(s, expr),
                         type_quote(s, qt(to)), expr->floating, (long long)value.integer);
    }
}

static struct expr *convert_opaque(struct sema *s, struct expr *expr, struct qual_type to, enum convert_context context,
                                   src_loc loc)
{
    enum type_kind kind = to.type->kind;
    if (kind == TYPE_SAMPLER && type_is_integer(expr->type.type)) {
        if (expr->type.type->size > 4) {
            pp_error_range(s->front, loc, expr->range, "sampler_t initialization requires 32-bit integer, not %s",
                           type_quote_expr(s, expr));
            return s->poison;
        }
        if (expr->is_constant)
            return expr_cast(s, CAST_INT_TO_SAMPLER, sema_to_arith(s, expr, type_scalar(s, TYPE_UINT)), to.type);
        pp_error_range(s->front, loc, expr->range, "sampler_t initialization requires a constant integer");
        return s->poison;
    }
    bool nullable = kind == TYPE_EVENT || kind == TYPE_QUEUE || kind == TYPE_CLK_EVENT || kind == TYPE_RESERVE_ID ||
                    kind == TYPE_BLOCK;
    if (nullable && sema_is_null_constant(expr))
        return expr_cast(s, CAST_NULL_POINTER, expr, to.type);
    return incompatible(s, expr, to, context, loc);
}

struct expr *sema_convert(struct sema *s, struct expr *expr, struct qual_type to, enum convert_context context,
                          src_loc loc)
{
    const struct type *target = to.type;
    if (is_poison(target) || expr_poison(expr))
        return s->poison;
    expr = clc_rvalue(s->front, expr);
    if (expr_poison(expr))
        return expr;
    const struct type *from = expr->type.type;
    if (from == target && !expr->wide)
        return expr;
    if (from->kind == TYPE_MATRIX && !from->matrix.rows)
        return sema_type_matrix(s, expr, to, loc);
    if (type_is_arith(target) && type_is_arith(from)) {
        warn_constant(s, expr, target, loc);
        if (target->kind == TYPE_BOOL)
            s->advice->to_bool(s, expr);
        s->advice->enum_conversion(s, expr, target, loc);
        return sema_to_arith(s, expr, target);
    }
    if (target->kind == TYPE_VECTOR && type_is_arith(from))
        return sema_to_arith(s, sema_widened_bool(s, expr), target);
    s->advice->cast(s, expr, target);
    if (target->kind == TYPE_POINTER)
        return convert_to_pointer(s, expr, to, context, loc);
    if (target->kind == TYPE_BOOL && type_is_pointer(from)) {
        s->advice->pointer_to_bool(s, expr);
        return expr_cast(s, CAST_TO_BOOL, expr, target);
    }
    if (type_is_integer(target) && type_is_pointer(from)) {
        mismatch(s, true, DIAG_GROUP_INT_CONVERSION, expr, to, context, loc,
                 "incompatible pointer to integer conversion ", "", "");
        return s->poison;
    }
    if (target->kind == TYPE_BLOCK && from->kind == TYPE_BLOCK && clc_type_equal(target, from))
        return expr_cast(s, CAST_NOP, expr, target);
    if (target->kind >= TYPE_BLOCK)
        return convert_opaque(s, expr, to, context, loc);
    return incompatible(s, expr, to, context, loc);
}

struct expr *clc_convert(struct clc_front *front, struct expr *expr, struct qual_type to)
{
    return sema_convert(front->sema, expr, to, CONVERT_BUILTIN, expr->loc);
}

/* ---- overload ranks ---- */

static int pointer_rank(const struct type *to, const struct type *from)
{
    switch (sema_pointer_match(to, from)) {
    case POINTER_SAME:
        if (clc_type_equal(to->pointer.pointee.type, from->pointer.pointee.type))
            return to->pointer.pointee.address_space == from->pointer.pointee.address_space &&
                           to->pointer.pointee.quals == from->pointer.pointee.quals
                       ? 0
                       : 1;
        return 2;
    case POINTER_SPACE:
    case POINTER_NESTED_SPACE:
        return -1;
    default:
        return 4;
    }
}

int sema_conversion_rank(struct sema *s, struct expr *arg, struct qual_type to)
{
    const struct type *from = type_strip_enum(arg->type.type), *target = type_strip_enum(to.type);
    if (from->kind == TYPE_ARRAY) {
        struct qual_type element = type_array_element(arg->type);
        if (arg->kind == EXPR_STRING)
            element.address_space = AS_CONSTANT;
        from = clc_type_pointer(s->front, element);
    }
    if (from == target || is_poison(from))
        return 0;
    if (from == s->front->types->any_matrix && target->kind == TYPE_MATRIX)
        return 2;
    if (type_is_arith(from) && type_is_arith(target)) {
        if (target->kind == TYPE_INT && type_is_integer(from) && from->kind < TYPE_INT)
            return 1;
        if (type_is_float(from) && type_is_float(target) && target->kind > from->kind)
            return 1;
        return 2;
    }
    if (type_is_arith(from) && target->kind == TYPE_VECTOR)
        return 3; /* in every lane: after any scalar */
    if (target->kind == TYPE_POINTER) {
        if (sema_is_null_constant(arg))
            return 2;
        if (from->kind == TYPE_POINTER)
            return pointer_rank(target, from);
        return -1;
    }
    if (from->kind == TYPE_POINTER)
        return target->kind == TYPE_BOOL ? 2 : -1;
    if (target->kind == TYPE_SAMPLER && type_is_integer(from) && arg->is_constant)
        return 2;
    if (target->kind > TYPE_BLOCK && sema_is_null_constant(arg))
        return 2;
    return clc_type_equal(target, from) ? 0 : -1;
}
