/* Operators: each function takes checked operands and returns a typed node, or poison after a message. OpenCL
 * C 3.0, 6.4.1-6.4.13 (operators; vectors are handled lane by lane, comparisons give 0 and -1 there), C99, 6.5. */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"

#define END_OF(payload) (offsetof(struct expr, payload) + sizeof(((struct expr *)0)->payload))

/* The most frequent kinds take only what they need. */
static const uint8_t sizes[EXPR_KIND_COUNT] = {
    [EXPR_INT] = END_OF(floating), [EXPR_FLOAT] = END_OF(floating), [EXPR_DECL] = END_OF(decl),
    [EXPR_UNARY] = END_OF(unary),  [EXPR_BINARY] = END_OF(binary),  [EXPR_CAST] = END_OF(cast),
    [EXPR_INDEX] = END_OF(index),  [EXPR_MEMBER] = END_OF(member),
};

struct expr *expr_new(struct sema *s, enum expr_kind kind, struct qual_type type, src_loc loc, struct src_range range)
{
    struct expr *expr = arena_alloc_object(s->front->nodes, sizeof(struct expr), _Alignof(struct expr));
    if (sizes[kind])
        arena_shorten(s->front->nodes, sizeof(struct expr) - sizes[kind]);
    expr->kind = kind;
    expr->type = type;
    expr->loc = loc;
    expr->range = range;
    return expr;
}

struct expr *expr_int(struct sema *s, const struct type *type, uint64_t value, src_loc loc, struct src_range range)
{
    struct expr *expr = expr_new(s, EXPR_INT, qt(type), loc, range);
    expr->is_constant = true;
    expr->integer = const_truncate(type, value);
    return expr;
}

struct expr *expr_decl(struct sema *s, struct decl *decl, src_loc loc, struct src_range range)
{
    decl->used = decl->first->used = true;
    if (decl->kind == DECL_ENUM_CONSTANT) {
        struct expr *constant = expr_new(s, EXPR_DECL, qt(type_strip_enum(decl->type.type)), loc, range);
        constant->kind = EXPR_INT; /* with its name, for warnings */
        constant->is_constant = constant->named_constant = true;
        constant->integer = const_truncate(constant->type.type, (uint64_t)decl->enum_constant.value);
        constant->enumerator = true;
        constant->decl = decl;
        return constant;
    }
    if (decl->kind == DECL_VARIABLE) { /* all redeclarations are one object */
        decl = decl->first;
        decl->var.num_refs++;
    }
    struct expr *expr = expr_new(s, EXPR_DECL, decl->type, loc, range);
    expr->decl = decl;
    expr->lvalue = decl->kind == DECL_VARIABLE;
    if (decl->invalid)
        expr->type = s->poison->type;
    return expr;
}

struct decl *expr_base_decl(const struct expr *expr)
{
    for (;;) {
        switch (expr->kind) {
        case EXPR_DECL:
            return expr->decl;
        case EXPR_CAST:
            expr = expr->cast.operand;
            break;
        case EXPR_MEMBER:
            expr = expr->member.base;
            break;
        case EXPR_SWIZZLE:
            expr = expr->swizzle.base;
            break;
        case EXPR_INDEX:
            expr = expr->index.base;
            if (expr->kind != EXPR_CAST || expr->cast.cast != CAST_ARRAY_TO_POINTER)
                return NULL;
            break;
        default:
            return NULL;
        }
    }
}

static bool has_duplicate_lanes(const struct expr *expr)
{
    uint32_t seen = 0;
    if (expr->kind != EXPR_SWIZZLE)
        return false;
    for (uint32_t i = 0; i < expr->swizzle.num_lanes; i++) {
        uint32_t bit = expr->swizzle.lanes[i] < 16 ? 1u << expr->swizzle.lanes[i] : 0;
        if (seen & bit)
            return true;
        seen |= bit;
    }
    return false;
}

/* C99, 6.3.2.1: a modifiable lvalue. */
static bool check_modifiable(struct sema *s, const struct expr *expr, src_loc loc)
{
    if (expr_poison(expr))
        return false;
    if (!expr->lvalue) {
        pp_error_range(s->front, loc, expr->range,
                       has_duplicate_lanes(expr) ? "vector is not assignable (contains duplicate components)"
                                                 : "expression is not assignable");
        return false;
    }
    const struct decl *decl = expr_base_decl(expr);
    bool constant_space = expr->type.address_space == AS_CONSTANT && type_is_record(expr->type.type) == false;
    if ((expr->type.quals & QUAL_CONST) || constant_space || expr->type.address_space == AS_CONSTANT) {
        if (decl && decl->name && decl->kind == DECL_VARIABLE) {
            pp_error_range(s->front, loc, expr->range, "cannot assign to variable '%s' with %s-qualified type %s",
                           decl->name->name, expr->type.quals & QUAL_CONST ? "const" : "__constant",
                           type_quote(s, decl->type));
            if (decl->loc)
                pp_note(s->front, decl->loc, "variable '%s' declared %s here", decl->name->name,
                        expr->type.quals & QUAL_CONST ? "const" : "__constant");
        } else {
            pp_error_range(s->front, loc, expr->range, "read-only variable is not assignable");
        }
        return false;
    }
    if (expr->type.quals & QUAL_ATOMIC) { /* OpenCL C 3.0, 6.15.12.6: by the atomic functions only */
        pp_error_range(s->front, loc, expr->range, "atomic variable of type %s can only be changed by atomic functions",
                       type_quote_expr(s, expr));
        return false;
    }
    if (expr->type.type->kind == TYPE_ARRAY) {
        pp_error_range(s->front, loc, expr->range, "array type %s is not assignable", type_quote_expr(s, expr));
        return false;
    }
    if (expr->type.type->incomplete) {
        pp_error_range(s->front, loc, expr->range, "incomplete type %s is not assignable", type_quote_expr(s, expr));
        return false;
    }
    if (expr->type.type->kind == TYPE_BLOCK || type_is_opaque(expr->type.type)) {
        /* 6.14.1 (blocks), 6.3.2 (other types): initialised once; queue_t, event_t and their kin may be assigned */
        enum type_kind kind = expr->type.type->kind;
        if (kind == TYPE_BLOCK || kind == TYPE_IMAGE || kind == TYPE_SAMPLER || kind == TYPE_PIPE) {
            pp_error_range(s->front, loc, expr->range, "invalid operands to binary expression (%s and %s)",
                           type_quote_expr(s, expr), type_quote_expr(s, expr));
            return false;
        }
    }
    return true;
}

static const struct type *pointee_of(const struct expr *expr)
{
    return expr->type.type->pointer.pointee.type;
}

/* Pointer arithmetic needs the target's size; void counts as bytes, like GNU C. */
static bool check_pointer_arith(struct sema *s, const struct expr *pointer, src_loc loc)
{
    const struct type *target = pointee_of(pointer);
    if (target->kind == TYPE_FUNCTION || (target->incomplete && target->kind != TYPE_VOID)) {
        pp_error_range(s->front, loc, pointer->range, "arithmetic on a pointer to an incomplete type %s",
                       type_quote(s, pointer->type.type->pointer.pointee));
        return false;
    }
    return true;
}

static const struct type *signed_lanes(struct sema *s, const struct type *vector)
{
    static const enum type_kind by_size[] = {[1] = TYPE_CHAR, [2] = TYPE_SHORT, [4] = TYPE_INT, [8] = TYPE_LONG};
    return clc_type_vector(s->front, type_scalar(s, by_size[vector->vector.element->size]), vector->vector.count);
}

/* ---- unary ---- */

static struct expr *unary_node(struct sema *s, enum unary_op op, struct expr *operand, const struct type *type,
                               src_loc loc)
{
    struct src_range range = operand->range;
    if (op < UNARY_POST_INC && loc && loc < range.begin)
        range.begin = loc;
    struct expr *expr = expr_new(s, EXPR_UNARY, qt(type), loc, range);
    expr->unary.op = op;
    expr->unary.operand = operand;
    return expr;
}

static struct expr *unary_invalid(struct sema *s, const struct expr *operand, src_loc loc)
{
    pp_error_range(s->front, loc, operand->range, "invalid argument type %s to unary expression",
                   type_quote_expr(s, operand));
    return s->poison;
}

static struct expr *address_of(struct sema *s, struct expr *operand, src_loc loc)
{
    if (operand->type.type->kind == TYPE_FUNCTION) {
        pp_error_range(s->front, loc, operand->range, "taking address of function is not allowed");
        return s->poison;
    }
    if (operand->kind == EXPR_SWIZZLE ||
        (operand->kind == EXPR_INDEX && operand->index.base->type.type->kind == TYPE_VECTOR)) {
        pp_error_range(s->front, loc, operand->range, "address of vector element requested");
        return s->poison;
    }
    if (!operand->lvalue && operand->kind != EXPR_STRING) {
        pp_error_range(s->front, loc, operand->range, "cannot take the address of an rvalue of type %s",
                       type_quote_expr(s, operand));
        return s->poison;
    }
    enum type_kind kind = operand->type.type->kind;
    if (sema_innermost(operand->type.type)->kind == TYPE_MATRIX ||
        (operand->kind == EXPR_INDEX && operand->index.base->type.type->kind == TYPE_MATRIX)) {
        pp_error_range(s->front, loc, operand->range,
                       "address of a cooperative matrix, or of an element of one, requested");
        return s->poison;
    }
    if (kind == TYPE_IMAGE) {
        pp_error_range(s->front, loc, operand->range, "taking the address of an image is not allowed");
        return s->poison;
    }
    if (kind == TYPE_BLOCK || kind == TYPE_SAMPLER || kind == TYPE_PIPE) { /* 6.11.b, 6.14.3: no pointers to them */
        pp_error_range(s->front, loc, operand->range, "invalid argument type %s to unary expression",
                       type_quote_expr(s, operand));
        return s->poison;
    }
    if (operand->kind == EXPR_DECL && sema_is_capture(s, operand->decl)) { /* 6.14.3: it may not outlive the block */
        pp_error_range(s->front, loc, operand->range, "taking address of a capture is not allowed");
        return s->poison;
    }
    struct qual_type target = operand->type;
    target.quals &= (uint8_t)~QUAL_RESTRICT;
    struct expr *expr = unary_node(s, UNARY_ADDRESS, operand, clc_type_pointer(s->front, target), loc);
    expr->type = type_derived(operand->type, expr->type.type);
    if (operand->kind == EXPR_MEMBER && !s->unevaluated)
        s->advice->address(s, expr);
    return expr;
}

static struct expr *dereference(struct sema *s, struct expr *operand, src_loc loc)
{
    operand = clc_rvalue(s->front, operand);
    if (expr_poison(operand))
        return operand;
    if (operand->type.type->kind != TYPE_POINTER) {
        pp_error_range(s->front, loc, operand->range, "indirection requires pointer operand (%s invalid)",
                       type_quote_expr(s, operand));
        return s->poison;
    }
    struct qual_type target = type_undo(operand->type, operand->type.type->pointer.pointee);
    s->advice->null_dereference(s, operand, loc);
    struct expr *expr = unary_node(s, UNARY_DEREF, operand, target.type, loc);
    expr->type = target;
    expr->lvalue = target.type->kind != TYPE_FUNCTION;
    return expr;
}

static struct expr *increment(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc)
{
    const struct type *type = operand->type.type;
    bool integer_vector = type->kind == TYPE_VECTOR && type_is_integer(type->vector.element);
    if (!type_is_arith(type) && type->kind != TYPE_POINTER && !integer_vector) {
        pp_error_range(s->front, loc, operand->range, "cannot %s value of type %s",
                       op == UNARY_PRE_INC || op == UNARY_POST_INC ? "increment" : "decrement",
                       type_quote_expr(s, operand));
        return s->poison;
    }
    if (!check_modifiable(s, operand, loc))
        return s->poison;
    if (!sema_check_half_value(s, operand))
        return s->poison;
    if (type->kind == TYPE_POINTER && !check_pointer_arith(s, operand, loc))
        return s->poison;
    return unary_node(s, op, operand, type_strip_enum(type), loc);
}

static struct expr *logical_not(struct sema *s, struct expr *operand, src_loc loc)
{
    operand = clc_rvalue(s->front, operand);
    if (expr_poison(operand))
        return operand;
    const struct type *type = operand->type.type;
    bool old = s->front->options.std < CLC_STD_12; /* OpenCL C 1.1, 6.3.h: integers only */
    if (type->kind == TYPE_VECTOR) {
        if (old && type_is_float(type->vector.element))
            return unary_invalid(s, operand, loc);
        return unary_node(s, UNARY_LOGICAL_NOT, operand, signed_lanes(s, type), loc);
    }
    if (!type_is_scalar(type) || type->kind == TYPE_BLOCK || (old && type_is_float(type)))
        return unary_invalid(s, operand, loc);
    return unary_node(s, UNARY_LOGICAL_NOT, sema_condition(s, operand), type_scalar(s, TYPE_INT), loc);
}

struct expr *sema_unary(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc)
{
    struct expr *expr;
    if (expr_poison(operand))
        return operand;
    switch (op) {
    case UNARY_ADDRESS:
        return address_of(s, operand, loc);
    case UNARY_DEREF:
        return dereference(s, operand, loc);
    case UNARY_PRE_INC:
    case UNARY_PRE_DEC:
    case UNARY_POST_INC:
    case UNARY_POST_DEC:
        s->advice->change(s);
        return increment(s, op, operand, loc);
    case UNARY_LOGICAL_NOT:
        expr = logical_not(s, operand, loc);
        break;
    default: {
        operand = sema_promote(s, operand);
        if (expr_poison(operand))
            return operand;
        const struct type *element = type_element(operand->type.type);
        if (!sema_check_matrix_numbers(s, operand, loc))
            return s->poison;
        if (sema_is_matrix(operand) && op != UNARY_NOT)
            return unary_node(s, op, operand, operand->type.type, loc);
        if (!type_is_arith(element) || (op == UNARY_NOT && !type_is_integer(element)))
            return unary_invalid(s, operand, loc);
        if (operand->wide)
            return sema_wide_unary(s, op, operand, loc);
        if (op == UNARY_NOT)
            s->advice->complement(s, operand, loc);
        expr = unary_node(s, op, operand, operand->type.type, loc);
        break;
    }
    }
    if (!expr_poison(expr))
        const_fold(s, expr);
    return expr;
}

/* ---- binary ---- */

static struct expr *binary_node(struct sema *s, enum binary_op op, struct expr *left, struct expr *right,
                                const struct type *type, src_loc loc)
{
    struct expr *expr = expr_new(s, EXPR_BINARY, qt(type), loc, range_join(left->range, right->range));
    expr->binary.op = op;
    expr->binary.left = left;
    expr->binary.right = right;
    const_fold(s, expr);
    if (expr->is_constant && op >= BINARY_MUL && op <= BINARY_SUB)
        s->advice->overflow(s, expr);
    return expr;
}

static struct expr *binary_invalid(struct sema *s, const struct expr *left, const struct expr *right, src_loc loc)
{
    pp_error_range(s->front, loc, range_join(left->range, right->range),
                   "invalid operands to binary expression (%s and %s)", type_quote_expr(s, left),
                   type_quote_expr(s, right));
    return s->poison;
}

struct expr *sema_index_to_64(struct sema *s, struct expr *index)
{
    return sema_to_arith(s, index, type_scalar(s, type_is_signed(index->type.type) ? TYPE_LONG : TYPE_ULONG));
}

static struct expr *pointer_plus(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    struct expr *pointer = type_is_pointer(left->type.type) ? left : right;
    struct expr *index = pointer == left ? right : left;
    if (!type_is_integer(index->type.type) || (op == BINARY_SUB && pointer != left))
        return binary_invalid(s, left, right, loc);
    if (!check_pointer_arith(s, pointer, loc))
        return s->poison;
    if (op == BINARY_ADD)
        s->advice->string_plus(s, pointer, index, loc);
    index = sema_index_to_64(s, index);
    struct expr *expr = binary_node(s, op, pointer == left ? pointer : index, pointer == left ? index : pointer,
                                    pointer->type.type, loc);
    expr->type = qual_type_unqualified(pointer->type);
    return expr;
}

bool sema_spaces_overlap(const struct expr *left, const struct expr *right)
{
    uint8_t a = left->type.type->pointer.pointee.address_space, b = right->type.type->pointer.pointee.address_space;
    return address_space_encloses(a, b) || address_space_encloses(b, a);
}

static struct expr *to_space(struct sema *s, struct expr *pointer, uint8_t space)
{
    struct qual_type pointee = pointer->type.type->pointer.pointee;
    if (pointee.address_space == space)
        return pointer;
    pointee.address_space = space;
    return expr_cast(s, CAST_TO_GENERIC, pointer, clc_type_pointer(s->front, pointee));
}

void sema_common_space(struct sema *s, struct expr **left, struct expr **right)
{
    if ((*left)->type.type->pointer.pointee.address_space == (*right)->type.type->pointer.pointee.address_space)
        return;
    *left = to_space(s, *left, AS_GENERIC);
    *right = to_space(s, *right, AS_GENERIC);
}

static struct expr *pointer_difference(struct sema *s, struct expr *left, struct expr *right, src_loc loc)
{
    if (!clc_type_equal(pointee_of(left), pointee_of(right))) {
        pp_error_range(s->front, loc, range_join(left->range, right->range),
                       "%s and %s are not pointers to compatible types", type_quote_expr(s, left),
                       type_quote_expr(s, right));
        return s->poison;
    }
    if (!sema_spaces_overlap(left, right)) {
        pp_error_range(s->front, loc, range_join(left->range, right->range),
                       "arithmetic operation with operands of type (%s and %s) which are pointers to non-overlapping "
                       "address spaces",
                       type_quote_expr(s, left), type_quote_expr(s, right));
        return s->poison;
    }
    if (!check_pointer_arith(s, left, loc))
        return s->poison;
    sema_common_space(s, &left, &right);
    return binary_node(s, BINARY_SUB, left, right, type_scalar(s, TYPE_LONG), loc);
}

static struct expr *additive(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    bool left_pointer = type_is_pointer(left->type.type), right_pointer = type_is_pointer(right->type.type);
    if (left_pointer && right_pointer)
        return op == BINARY_SUB ? pointer_difference(s, left, right, loc) : binary_invalid(s, left, right, loc);
    if (left_pointer || right_pointer)
        return pointer_plus(s, op, left, right, loc);
    if (!sema_usual(s, &left, &right, loc, false))
        return s->poison;
    return binary_node(s, op, left, right, left->type.type, loc);
}

static void warn_zero_divisor(struct sema *s, const struct expr *right, enum binary_op op, src_loc loc)
{
    if ((op == BINARY_DIV || op == BINARY_REM) && right->is_constant && !right->float_value &&
        type_is_integer(right->type.type) && !right->integer && !s->unevaluated)
        pp_warning_range(s->front, DIAG_GROUP_DIVISION_BY_ZERO, loc, right->range, "%s by zero is undefined",
                         op == BINARY_DIV ? "division" : "remainder");
}

/* Asked before the operands are converted, so that messages name them as they are written. */
static bool has_float(const struct expr *left, const struct expr *right)
{
    return type_is_float(type_element(left->type.type)) || type_is_float(type_element(right->type.type));
}

static struct expr *multiplicative(struct sema *s, enum binary_op op, struct expr *left, struct expr *right,
                                   src_loc loc)
{
    if (op == BINARY_REM && has_float(left, right))
        return binary_invalid(s, left, right, loc);
    if (!sema_usual(s, &left, &right, loc, false))
        return s->poison;
    warn_zero_divisor(s, right, op, loc);
    return binary_node(s, op, left, right, left->type.type, loc);
}

static struct expr *bitwise(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    if (has_float(left, right))
        return binary_invalid(s, left, right, loc);
    if (!sema_usual(s, &left, &right, loc, false))
        return s->poison;
    return binary_node(s, op, left, right, left->type.type, loc);
}

/* 6.4.10: the count is taken modulo the width, so it may be converted to the left type first. */
static bool shift_operands(struct sema *s, enum binary_op op, struct expr **left, struct expr **right, src_loc loc)
{
    const struct type *a = (*left)->type.type, *b = (*right)->type.type;
    if (!type_is_integer(type_element(a)) || !type_is_integer(type_element(b))) {
        binary_invalid(s, *left, *right, loc);
        return false;
    }
    if (b->kind == TYPE_VECTOR && a->kind != TYPE_VECTOR) {
        pp_error_range(s->front, loc, (*left)->range,
                       "requested shift is a vector of type %s but the first operand is not a vector (%s)",
                       type_quote_expr(s, *right), type_quote_expr(s, *left));
        return false;
    }
    if (b->kind == TYPE_VECTOR && a->vector.count != b->vector.count) {
        pp_error_range(s->front, loc, range_join((*left)->range, (*right)->range),
                       "vector operands do not have the same number of elements (%s and %s)", type_quote_expr(s, *left),
                       type_quote_expr(s, *right));
        return false;
    }
    *left = sema_promote(s, *left);
    a = (*left)->type.type;
    if ((*right)->is_constant && type_is_integer(b) && !s->unevaluated) {
        uint64_t count = (*right)->integer;
        if (!((int64_t)count < 0 && type_is_signed(b)) && count >= type_element(a)->size * 8)
            pp_warning_range(s->front, DIAG_GROUP_SHIFT_COUNT_OVERFLOW, loc, (*right)->range,
                             "shift count >= width of type");
    }
    (void)op;
    *right = sema_to_arith(s, *right, a);
    return true;
}

static struct expr *compare_pointers(struct sema *s, enum binary_op op, struct expr *left, struct expr *right,
                                     src_loc loc)
{
    const struct type *result = type_scalar(s, TYPE_INT);
    struct src_range range = range_join(left->range, right->range);
    bool left_pointer = type_is_pointer(left->type.type), right_pointer = type_is_pointer(right->type.type);
    if (left_pointer && right_pointer) {
        if (sema_is_null_constant(right))
            return binary_node(s, op, left, expr_cast(s, CAST_NULL_POINTER, right, left->type.type), result, loc);
        if (sema_is_null_constant(left))
            return binary_node(s, op, expr_cast(s, CAST_NULL_POINTER, left, right->type.type), right, result, loc);
        if (!sema_spaces_overlap(left, right)) {
            pp_error_range(s->front, loc, range,
                           "comparison between (%s and %s) which are pointers to non-overlapping address spaces",
                           type_quote_expr(s, left), type_quote_expr(s, right));
            return s->poison;
        }
        const struct type *a = pointee_of(left), *b = pointee_of(right);
        if (!clc_type_equal(a, b) && a->kind != TYPE_VOID && b->kind != TYPE_VOID)
            pp_warning_range(s->front, DIAG_GROUP_COMPARE_DISTINCT_POINTER_TYPES, loc, range,
                             "comparison of distinct pointer types (%s and %s)", type_quote_expr(s, left),
                             type_quote_expr(s, right));
        sema_common_space(s, &left, &right);
        if (left->type.type != right->type.type)
            right = expr_cast(s, CAST_NOP, right, left->type.type);
        return binary_node(s, op, left, right, result, loc);
    }
    struct expr **integer = left_pointer ? &right : &left;
    const struct type *pointer = (left_pointer ? left : right)->type.type;
    if (!type_is_integer((*integer)->type.type))
        return binary_invalid(s, left, right, loc);
    if (sema_is_null_constant(*integer)) {
        *integer = expr_cast(s, CAST_NULL_POINTER, *integer, pointer);
    } else {
        pp_warning_range(s->front, DIAG_GROUP_POINTER_INTEGER_COMPARE, loc, range,
                         "comparison between pointer and integer (%s and %s)", type_quote_expr(s, left),
                         type_quote_expr(s, right));
        *integer = expr_cast(s, CAST_INT_TO_POINTER, sema_index_to_64(s, *integer), pointer);
    }
    return binary_node(s, op, left, right, result, loc);
}

static struct expr *compare(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    const struct type *a = left->type.type, *b = right->type.type;
    if (type_is_pointer(a) || type_is_pointer(b))
        return compare_pointers(s, op, left, right, loc);
    bool equality = op == BINARY_EQ || op == BINARY_NE;
    if (equality && a->kind == TYPE_QUEUE && sema_is_null_constant(right)) {
        right = expr_cast(s, CAST_NULL_POINTER, right, a);
        b = a;
    } else if (equality && b->kind == TYPE_QUEUE && sema_is_null_constant(left)) {
        left = expr_cast(s, CAST_NULL_POINTER, left, b);
        a = b;
    }
    if (a == b && equality &&
        (a->kind == TYPE_EVENT || a->kind == TYPE_QUEUE || a->kind == TYPE_RESERVE_ID || a->kind == TYPE_CLK_EVENT))
        return binary_node(s, op, left, right, type_scalar(s, TYPE_INT), loc);
    if (!sema_usual(s, &left, &right, loc, false))
        return s->poison;
    a = left->type.type;
    const struct type *result = a->kind == TYPE_VECTOR ? signed_lanes(s, a) : type_scalar(s, TYPE_INT);
    return binary_node(s, op, left, right, result, loc);
}

static struct expr *logical(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    const struct type *a = left->type.type, *b = right->type.type;
    if (a->kind == TYPE_VECTOR || b->kind == TYPE_VECTOR) {
        struct expr *x = left, *y = right;
        if (!sema_usual(s, &left, &right, loc, false))
            return s->poison;
        if (s->front->options.std < CLC_STD_12 && type_is_float(type_element(left->type.type)))
            return binary_invalid(s, x, y, loc);
        return binary_node(s, op, left, right, signed_lanes(s, left->type.type), loc);
    }
    bool old_float = s->front->options.std < CLC_STD_12 && (type_is_float(a) || type_is_float(b));
    if (!type_is_scalar(a) || !type_is_scalar(b) || a->kind == TYPE_BLOCK || b->kind == TYPE_BLOCK || old_float)
        return binary_invalid(s, left, right, loc);
    left = sema_condition(s, left);
    right = sema_condition(s, right);
    return binary_node(s, op, left, right, type_scalar(s, TYPE_INT), loc);
}

struct expr *sema_binary(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    if (expr_poison(left) || expr_poison(right))
        return s->poison;
    left = clc_rvalue(s->front, left);
    right = clc_rvalue(s->front, right);
    if (expr_poison(left) || expr_poison(right))
        return s->poison;
    if (left->type.type->kind == TYPE_MATRIX || right->type.type->kind == TYPE_MATRIX)
        return sema_matrix_operands(s, op, &left, &right, loc) ? binary_node(s, op, left, right, left->type.type, loc)
                                                               : s->poison;
    s->advice->binary(s, op, left, right, loc);
    if (left->wide || right->wide) {
        struct expr *expr = sema_wide_binary(s, op, left, right, loc);
        if (expr)
            return expr;
    }
    switch (op) {
    case BINARY_MUL:
    case BINARY_DIV:
    case BINARY_REM:
        return multiplicative(s, op, left, right, loc);
    case BINARY_ADD:
    case BINARY_SUB:
        return additive(s, op, left, right, loc);
    case BINARY_SHL:
    case BINARY_SHR:
        if (!shift_operands(s, op, &left, &right, loc))
            return s->poison;
        return binary_node(s, op, left, right, left->type.type, loc);
    case BINARY_LT:
    case BINARY_GT:
    case BINARY_LE:
    case BINARY_GE:
    case BINARY_EQ:
    case BINARY_NE:
        return compare(s, op, left, right, loc);
    case BINARY_AND:
    case BINARY_XOR:
    case BINARY_OR:
        return bitwise(s, op, left, right, loc);
    default:
        return logical(s, op, left, right, loc);
    }
}

/* ---- assignment ---- */

static struct expr *assign_node(struct sema *s, struct expr *left, struct expr *right, src_loc loc)
{
    struct expr *expr =
        expr_new(s, EXPR_ASSIGN, qt(type_strip_enum(left->type.type)), loc, range_join(left->range, right->range));
    expr->assign.left = left;
    expr->assign.right = right;
    expr->assign.compute_type = expr->type.type;
    return expr;
}

/* left OP= right, done in the type that left OP right has; C99, 6.5.16.2. */
static struct expr *compound_assign(struct sema *s, enum binary_op op, struct expr *left, struct expr *right,
                                    src_loc loc)
{
    right = clc_rvalue(s->front, right);
    struct expr *value = clc_rvalue(s->front, left);
    if (expr_poison(right) || expr_poison(value))
        return s->poison;
    const struct type *type = left->type.type;
    if (type->kind == TYPE_POINTER) {
        if ((op != BINARY_ADD && op != BINARY_SUB) || !type_is_integer(right->type.type))
            return binary_invalid(s, left, right, loc);
        if (!check_pointer_arith(s, left, loc))
            return s->poison;
        right = sema_index_to_64(s, right);
    } else if (type->kind == TYPE_MATRIX || right->type.type->kind == TYPE_MATRIX) {
        if (type->kind != TYPE_MATRIX)
            return binary_invalid(s, left, right, loc);
        if (!sema_matrix_operands(s, op, &value, &right, loc))
            return s->poison;
    } else if (op == BINARY_SHL || op == BINARY_SHR) {
        if (!shift_operands(s, op, &value, &right, loc))
            return s->poison;
    } else {
        bool integer_only = op == BINARY_REM || op == BINARY_AND || op == BINARY_XOR || op == BINARY_OR;
        if (integer_only && has_float(value, right))
            return binary_invalid(s, left, right, loc);
        if (!sema_usual(s, &value, &right, loc, true))
            return s->poison;
        warn_zero_divisor(s, right, op, loc);
    }
    struct expr *expr = assign_node(s, left, right, loc);
    expr->assign.compound = true;
    expr->assign.op = op;
    expr->assign.compute_type = value->type.type;
    return expr;
}

struct expr *sema_assign(struct sema *s, struct expr *left, struct expr *right, bool compound, enum binary_op op,
                         src_loc loc)
{
    if (expr_poison(left) || expr_poison(right))
        return s->poison;
    if (!check_modifiable(s, left, loc))
        return s->poison;
    s->advice->change(s);
    if (!s->fp16 && left->type.type->kind == TYPE_HALF) {
        pp_error_range(s->front, loc, left->range,
                       "assigning directly to pointer to type 'half' requires cl_khr_fp16. Use vector data store "
                       "builtin functions instead");
        return s->poison;
    }
    if (compound)
        return compound_assign(s, op, left, right, loc);
    struct qual_type to = left->type;
    right = sema_convert(s, right, to, CONVERT_ASSIGN, loc);
    if (expr_poison(right))
        return right;
    s->advice->assign(s, left, right, loc);
    return assign_node(s, left, right, loc);
}

/* ---- comma ---- */

/* OpenCL C 3.0, 6.3.2, 6.14.1 */
static bool is_no_operand(const struct type *type)
{
    return type->kind == TYPE_IMAGE || type->kind == TYPE_SAMPLER || type->kind == TYPE_PIPE ||
           type->kind == TYPE_BLOCK;
}

struct expr *sema_comma(struct sema *s, struct expr *left, struct expr *right, src_loc loc)
{
    if (expr_poison(left) || expr_poison(right))
        return s->poison;
    if (is_no_operand(left->type.type) || is_no_operand(right->type.type))
        return binary_invalid(s, left, right, loc);
    if (left->lvalue || left->type.type->kind == TYPE_ARRAY)
        left = left->type.type->kind == TYPE_HALF && !s->fp16 ? left : clc_rvalue(s->front, left);
    left = sema_check_typed(s, left);
    right = clc_rvalue(s->front, right);
    if (expr_poison(right) || expr_poison(left))
        return s->poison;
    if (left->type.type->kind != TYPE_VOID)
        left = expr_cast(s, CAST_VOID, left, type_scalar(s, TYPE_VOID));
    struct expr *expr = expr_new(s, EXPR_COMMA, right->type, loc, range_join(left->range, right->range));
    expr->comma.left = left;
    expr->comma.right = right;
    return expr;
}
