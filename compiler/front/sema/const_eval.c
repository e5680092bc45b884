/* Constant evaluation. Scalars are folded as their nodes are built (const_fold: operands are folded already, so nothing
 * recurses); addresses and lanes of vectors are found on demand, for initialisers. C99, 6.6, with what clang folds
 * beyond it: reads of const and __constant variables, which are marked folded. Floating point is computed in double and
 * rounded to the type once per operation, which is exact for float and half. */
#include "compiler/front/sema/check.h"

#include <math.h>

uint64_t const_truncate(const struct type *type, uint64_t value)
{
    type = type_strip_enum(type);
    if (type->kind == TYPE_BOOL)
        return value != 0;
    if (type->size >= 8 || !type->size)
        return value;
    unsigned bits = (unsigned)type->size * 8;
    uint64_t mask = (1ull << bits) - 1;
    value &= mask;
    if (type_is_signed_kind(type->kind) && value >> (bits - 1))
        value |= ~mask;
    return value;
}

double const_round(const struct type *type, double value)
{
    if (type->kind == TYPE_FLOAT)
        return (double)(float)value;
    if (type->kind == TYPE_HALF)
        return (double)half_to_float(half_from_double(value));
    return value;
}

static double int_to_double(const struct type *from, const struct type *to, uint64_t value)
{
    bool is_signed = type_is_signed(from);
    if (to->kind == TYPE_FLOAT)
        return is_signed ? (double)(float)(int64_t)value : (double)(float)value;
    return const_round(to, is_signed ? (double)(int64_t)value : (double)value);
}

double const_wide_to_float(const struct expr *wide, const struct type *to)
{
    struct wide_int value = expr_wide_value(wide);
    if (to->kind == TYPE_FLOAT)
        return (double)int128_to_float(value.bits, !value.is_unsigned);
    return const_round(to, int128_to_double(value.bits, !value.is_unsigned));
}

/* 6.3.3: out of range is undefined: not folded, so that the device decides. */
static bool double_to_int(const struct type *to, double value, uint64_t *out)
{
    unsigned bits = (unsigned)to->size * 8;
    value = trunc(value);
    if (type_is_signed(to)) {
        if (!(value >= -ldexp(1, (int)bits - 1) && value < ldexp(1, (int)bits - 1)))
            return false;
        *out = (uint64_t)(int64_t)value;
    } else {
        if (!(value >= 0 && value < ldexp(1, (int)bits)))
            return false;
        *out = (uint64_t)value;
    }
    return true;
}

bool const_cast_value(const struct type *from, const struct type *to, const struct const_value *in,
                      struct const_value *out)
{
    struct const_value result = {0};
    from = type_strip_enum(from);
    to = type_strip_enum(to);
    if (in->kind == CONST_INT && type_is_float(to)) {
        result.kind = CONST_FLOAT;
        result.floating = int_to_double(from, to, in->integer);
    } else if (in->kind == CONST_INT) {
        result.kind = CONST_INT;
        result.integer = const_truncate(to, in->integer);
    } else if (in->kind == CONST_FLOAT && type_is_float(to)) {
        result.kind = CONST_FLOAT;
        result.floating = const_round(to, in->floating);
    } else if (in->kind == CONST_FLOAT && to->kind == TYPE_BOOL) {
        result.kind = CONST_INT;
        result.integer = in->floating != 0;
    } else if (in->kind == CONST_FLOAT && type_is_integer(to)) {
        result.kind = CONST_INT;
        if (!double_to_int(to, in->floating, &result.integer))
            return false;
    } else {
        return false;
    }
    *out = result;
    return true;
}

static bool is_true(const struct const_value *value)
{
    return value->kind == CONST_FLOAT ? value->floating != 0 : value->integer != 0;
}

static struct const_value int_value(const struct type *type, uint64_t value)
{
    return (struct const_value){.kind = CONST_INT, .integer = const_truncate(type, value)};
}

static struct const_value float_value(const struct type *type, double value)
{
    return (struct const_value){.kind = CONST_FLOAT, .floating = const_round(type, value)};
}

/* ---- operators on one lane ---- */

static bool fold_unary(enum unary_op op, const struct type *type, const struct const_value *a, struct const_value *out)
{
    if (a->kind == CONST_FLOAT) {
        if (op == UNARY_PLUS || op == UNARY_MINUS)
            *out = float_value(type, op == UNARY_MINUS ? -a->floating : a->floating);
        else if (op == UNARY_LOGICAL_NOT)
            *out = int_value(type, a->floating == 0);
        else
            return false;
        return true;
    }
    if (a->kind != CONST_INT)
        return false;
    switch (op) {
    case UNARY_PLUS:
        *out = *a;
        return true;
    case UNARY_MINUS:
        *out = int_value(type, 0 - a->integer);
        return true;
    case UNARY_NOT:
        *out = int_value(type, ~a->integer);
        return true;
    case UNARY_LOGICAL_NOT:
        *out = int_value(type, !a->integer);
        return true;
    default:
        return false;
    }
}

static bool fold_float(enum binary_op op, const struct type *type, double a, double b, struct const_value *out)
{
    switch (op) {
    case BINARY_MUL:
        *out = float_value(type, a * b);
        return true;
    case BINARY_DIV:
        *out = float_value(type, a / b);
        return true;
    case BINARY_ADD:
        *out = float_value(type, a + b);
        return true;
    case BINARY_SUB:
        *out = float_value(type, a - b);
        return true;
    case BINARY_LT:
        *out = int_value(type, a < b);
        return true;
    case BINARY_GT:
        *out = int_value(type, a > b);
        return true;
    case BINARY_LE:
        *out = int_value(type, a <= b);
        return true;
    case BINARY_GE:
        *out = int_value(type, a >= b);
        return true;
    case BINARY_EQ:
        *out = int_value(type, a == b);
        return true;
    case BINARY_NE:
        *out = int_value(type, a != b);
        return true;
    default:
        return false;
    }
}

static bool fold_divide(enum binary_op op, const struct type *type, bool is_signed, uint64_t a, uint64_t b,
                        struct const_value *out)
{
    if (!b)
        return false;
    uint64_t result;
    if (is_signed && b == UINT64_MAX) /* by -1: the minimum wraps */
        result = op == BINARY_DIV ? 0 - a : 0;
    else if (is_signed)
        result = op == BINARY_DIV ? (uint64_t)((int64_t)a / (int64_t)b) : (uint64_t)((int64_t)a % (int64_t)b);
    else
        result = op == BINARY_DIV ? a / b : a % b;
    *out = int_value(type, result);
    return true;
}

/* operand: the type that both sides have (shifts: of the left) */
static bool fold_int(enum binary_op op, const struct type *type, const struct type *operand, uint64_t a, uint64_t b,
                     struct const_value *out)
{
    bool is_signed = type_is_signed(operand);
    unsigned shift = (unsigned)(b & (operand->size * 8 - 1)); /* 6.4: modulo the width */
    uint64_t result;
    switch (op) {
    case BINARY_MUL:
        result = a * b;
        break;
    case BINARY_DIV:
    case BINARY_REM:
        return fold_divide(op, type, is_signed, a, b, out);
    case BINARY_ADD:
        result = a + b;
        break;
    case BINARY_SUB:
        result = a - b;
        break;
    case BINARY_SHL:
        result = a << shift;
        break;
    case BINARY_SHR:
        result = is_signed ? (uint64_t)((int64_t)a >> shift) : a >> shift;
        break;
    case BINARY_LT:
        result = is_signed ? (int64_t)a < (int64_t)b : a < b;
        break;
    case BINARY_GT:
        result = is_signed ? (int64_t)a > (int64_t)b : a > b;
        break;
    case BINARY_LE:
        result = is_signed ? (int64_t)a <= (int64_t)b : a <= b;
        break;
    case BINARY_GE:
        result = is_signed ? (int64_t)a >= (int64_t)b : a >= b;
        break;
    case BINARY_EQ:
        result = a == b;
        break;
    case BINARY_NE:
        result = a != b;
        break;
    case BINARY_AND:
        result = a & b;
        break;
    case BINARY_XOR:
        result = a ^ b;
        break;
    case BINARY_OR:
        result = a | b;
        break;
    default:
        return false;
    }
    *out = int_value(type, result);
    return true;
}

static bool fold_binary(enum binary_op op, const struct type *type, const struct type *operand,
                        const struct const_value *a, const struct const_value *b, struct const_value *out)
{
    operand = type_strip_enum(operand);
    if (a->kind == CONST_FLOAT && b->kind == CONST_FLOAT)
        return fold_float(op, type, a->floating, b->floating, out);
    if (a->kind == CONST_INT && b->kind == CONST_INT)
        return fold_int(op, type, operand, a->integer, b->integer, out);
    return false;
}

/* ---- whole scalar nodes ---- */

static void set(struct expr *expr, struct const_value value, bool folded)
{
    expr->is_constant = true;
    expr->folded = folded;
    expr_set_value(expr, value);
}

static bool is_nonzero(const struct expr *constant)
{
    if (constant->wide)
        return !int128_is_zero(expr_wide_value(constant).bits);
    return constant->float_value ? constant->floating != 0 : constant->integer != 0;
}

/* The initialiser that a read of this variable may be replaced with, or NULL. */
static inline struct expr *readable_init(const struct expr *lvalue)
{
    if (lvalue->kind != EXPR_DECL || lvalue->decl->kind != DECL_VARIABLE)
        return NULL;
    const struct decl *variable = lvalue->decl;
    bool is_const = (variable->type.quals & QUAL_CONST) || variable->type.address_space == AS_CONSTANT;
    if (!is_const || (variable->type.quals & QUAL_VOLATILE) || variable->var.is_param)
        return NULL;
    if (variable->type.address_space != AS_CONSTANT && !type_is_integer(variable->type.type))
        return NULL;
    return variable->first->var.init ? variable->first->var.init : variable->var.init;
}

static void fold_cast(struct expr *expr)
{
    const struct expr *operand = expr->cast.operand;
    struct const_value a, value;
    switch (expr->cast.cast) {
    case CAST_LVALUE_TO_RVALUE: {
        const struct expr *init = readable_init(operand);
        if (init && init->is_constant)
            set(expr, expr_value(init), true);
        return;
    }
    case CAST_NOP:
        if (operand->is_constant && !operand->float_value && type_is_integer(expr->type.type))
            set(expr, int_value(expr->type.type, operand->integer), operand->folded);
        else if (operand->is_constant)
            set(expr, expr_value(operand), operand->folded);
        return;
    case CAST_INT_TO_FLOAT:
        if (operand->wide) {
            set(expr, float_value(expr->type.type, const_wide_to_float(operand, expr->type.type)), false);
            return;
        }
        /* fall through */
    case CAST_INT:
    case CAST_FLOAT_TO_INT:
    case CAST_FLOAT:
        a = expr_value(operand);
        if (operand->is_constant && const_cast_value(operand->type.type, expr->type.type, &a, &value))
            set(expr, value, operand->folded);
        return;
    case CAST_TO_BOOL:
        if (operand->is_constant)
            set(expr, int_value(expr->type.type, is_nonzero(operand)), operand->folded);
        return;
    case CAST_INT_TO_POINTER:
    case CAST_POINTER_TO_INT:
    case CAST_NULL_POINTER:
    case CAST_INT_TO_SAMPLER:
    case CAST_TO_GENERIC:
    case CAST_FROM_GENERIC:
        if (operand->is_constant && !operand->float_value)
            set(expr, int_value(expr->type.type, operand->integer), operand->folded);
        return;
    default:
        return;
    }
}

static void fold_logical(struct expr *expr)
{
    const struct expr *left = expr->binary.left, *right = expr->binary.right;
    bool is_and = expr->binary.op == BINARY_LOGICAL_AND;
    if (!left->is_constant)
        return;
    if (is_nonzero(left) != is_and)
        set(expr, int_value(expr->type.type, !is_and), left->folded);
    else if (right->is_constant)
        set(expr, int_value(expr->type.type, is_nonzero(right)), left->folded || right->folded);
}

__attribute__((noinline)) static void fold_scalar(struct expr *expr)
{
    struct const_value a, b, value;
    switch (expr->kind) {
    case EXPR_CAST:
        fold_cast(expr);
        return;
    case EXPR_UNARY: {
        const struct expr *operand = expr->unary.operand;
        a = expr_value(operand);
        if (expr->unary.op <= UNARY_LOGICAL_NOT && operand->is_constant &&
            fold_unary(expr->unary.op, expr->type.type, &a, &value))
            set(expr, value, operand->folded);
        return;
    }
    case EXPR_BINARY: {
        const struct expr *left = expr->binary.left, *right = expr->binary.right;
        if (expr->binary.op >= BINARY_LOGICAL_AND) {
            fold_logical(expr);
            return;
        }
        a = expr_value(left);
        b = expr_value(right);
        if (left->is_constant && right->is_constant && type_is_arith(left->type.type) &&
            type_is_arith(right->type.type) &&
            fold_binary(expr->binary.op, expr->type.type, left->type.type, &a, &b, &value))
            set(expr, value, left->folded || right->folded);
        return;
    }
    case EXPR_COND: {
        const struct expr *condition = expr->cond.condition;
        if (!condition->is_constant)
            return;
        const struct expr *chosen = is_nonzero(condition) ? expr->cond.then_value : expr->cond.else_value;
        if (chosen && chosen->is_constant)
            set(expr, expr_value(chosen), chosen->folded || condition->folded);
        return;
    }
    default:
        return;
    }
}

/* Whether enough of the operands is known that there may be something to fold; of most nodes it is not. */
static bool may_fold(const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_CAST:
        return expr->cast.cast == CAST_LVALUE_TO_RVALUE ? readable_init(expr->cast.operand) != NULL
                                                        : expr->cast.operand->is_constant;
    case EXPR_UNARY:
        return expr->unary.operand->is_constant;
    case EXPR_BINARY:
        return expr->binary.left->is_constant;
    case EXPR_COND:
        return expr->cond.condition->is_constant;
    default:
        return false;
    }
}

void const_fold(struct sema *s, struct expr *expr)
{
    (void)s;
    if (may_fold(expr) && expr->type.type->kind != TYPE_VECTOR && expr->type.type->kind != TYPE_MATRIX)
        fold_scalar(expr);
}

/* ---- addresses ---- */

/* What an expression is is found anew each time. One that is made of two others, made of two others, and so on, would
 * take for ever: the steps are counted. */
#define MAX_STEPS (1 << 16)

static void count_step(struct clc_front *front, const struct expr *expr)
{
    if (++front->const_steps > MAX_STEPS)
        pp_fatal(front, expr->loc, "constant expression takes more than %d steps to compute", MAX_STEPS);
}

static bool evaluate_lvalue(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth);
static bool evaluate(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth);

static bool evaluate_cast(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth)
{
    struct expr *operand = expr->cast.operand;
    const struct type *type = expr->type.type;
    switch (expr->cast.cast) {
    case CAST_ARRAY_TO_POINTER:
        return evaluate_lvalue(front, operand, value, depth);
    case CAST_NOP:
    case CAST_INT:
    case CAST_TO_GENERIC:
    case CAST_FROM_GENERIC:
    case CAST_POINTER_TO_INT:
    case CAST_INT_TO_POINTER:
        if (!evaluate(front, operand, value, depth))
            return false;
        if (value->kind == CONST_INT && type_is_integer(type)) /* offsetof by hand, for one */
            value->integer = const_truncate(type, value->integer);
        return type->size == 8 || (value->kind == CONST_INT && type_is_integer(type));
    case CAST_TO_BOOL:
        if (!evaluate(front, operand, value, depth) || value->kind == CONST_FLOAT)
            return false;
        *value = int_value(type, value->kind == CONST_ADDRESS || value->integer != 0);
        return true;
    case CAST_LVALUE_TO_RVALUE: {
        struct expr *init = readable_init(operand);
        return init && type->kind == TYPE_POINTER && evaluate(front, init, value, depth);
    }
    default:
        return false;
    }
}

static bool same_base(const struct const_value *a, const struct const_value *b)
{
    return a->base == b->base && a->base_string == b->base_string;
}

/* Of two addresses the difference is known where they are in one object; and none is null. */
static bool evaluate_addresses(const struct expr *expr, const struct const_value *a, const struct const_value *b,
                               struct const_value *value)
{
    enum binary_op op = expr->binary.op;
    const struct type *left = expr->binary.left->type.type;
    bool both = a->kind == CONST_ADDRESS && b->kind == CONST_ADDRESS && same_base(a, b);
    bool null = (a->kind == CONST_INT && !a->integer) || (b->kind == CONST_INT && !b->integer);
    if (op == BINARY_SUB && both) {
        uint64_t size = left->kind == TYPE_POINTER ? left->pointer.pointee.type->size : 1;
        *value =
            int_value(expr->type.type, (uint64_t)((int64_t)(a->integer - b->integer) / (int64_t)(size ? size : 1)));
        return true;
    }
    if ((op != BINARY_EQ && op != BINARY_NE) || !(both || null))
        return false;
    *value = int_value(expr->type.type, (both && a->integer == b->integer) == (op == BINARY_EQ));
    return true;
}

static bool evaluate_binary(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth)
{
    struct const_value a, b;
    enum binary_op op = expr->binary.op;
    const struct type *type = expr->type.type, *left = expr->binary.left->type.type;
    if (op >= BINARY_LOGICAL_AND || !evaluate(front, expr->binary.left, &a, depth) ||
        !evaluate(front, expr->binary.right, &b, depth))
        return false;
    uint64_t size = type->kind == TYPE_POINTER ? type->pointer.pointee.type->size : 1;
    bool sum = op == BINARY_ADD || op == BINARY_SUB;
    if (sum && type->size == 8 && b.kind == CONST_INT && (a.kind == CONST_ADDRESS || left->kind == TYPE_POINTER)) {
        uint64_t bytes = b.integer * (size ? size : 1);
        a.integer = op == BINARY_SUB ? a.integer - bytes : a.integer + bytes;
        *value = a;
        return true;
    }
    if (op == BINARY_ADD && type->size == 8 && a.kind == CONST_INT &&
        (b.kind == CONST_ADDRESS || expr->binary.right->type.type->kind == TYPE_POINTER)) {
        b.integer += a.integer * (size ? size : 1);
        *value = b;
        return true;
    }
    if (a.kind == CONST_ADDRESS || b.kind == CONST_ADDRESS)
        return evaluate_addresses(expr, &a, &b, value);
    return type_is_arith(left) && type_is_arith(expr->binary.right->type.type) &&
           fold_binary(op, type, left, &a, &b, value);
}

static bool evaluate(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth)
{
    if (expr->is_constant) {
        *value = expr_value(expr);
        return true;
    }
    if (depth++ > SEMA_MAX_NESTING)
        return false;
    count_step(front, expr);
    struct const_value condition;
    switch (expr->kind) {
    case EXPR_CAST:
        return evaluate_cast(front, expr, value, depth);
    case EXPR_UNARY:
        if (expr->unary.op == UNARY_ADDRESS)
            return evaluate_lvalue(front, expr->unary.operand, value, depth);
        if (expr->unary.op > UNARY_LOGICAL_NOT || !evaluate(front, expr->unary.operand, &condition, depth))
            return false;
        if (expr->unary.op == UNARY_LOGICAL_NOT && condition.kind == CONST_ADDRESS)
            *value = int_value(expr->type.type, 0);
        else if (!fold_unary(expr->unary.op, expr->type.type, &condition, value))
            return false;
        return true;
    case EXPR_BINARY:
        return evaluate_binary(front, expr, value, depth);
    case EXPR_COND:
        if (!expr->cond.then_value || !evaluate(front, expr->cond.condition, &condition, depth))
            return false;
        return evaluate(front,
                        condition.kind == CONST_ADDRESS || is_true(&condition) ? expr->cond.then_value
                                                                               : expr->cond.else_value,
                        value, depth);
    default:
        return false;
    }
}

static bool evaluate_lvalue(struct clc_front *front, struct expr *expr, struct const_value *value, uint32_t depth)
{
    struct const_value index;
    if (depth > SEMA_MAX_NESTING)
        return false;
    switch (expr->kind) {
    case EXPR_STRING:
        *value = (struct const_value){.kind = CONST_ADDRESS, .base_string = expr};
        return true;
    case EXPR_DECL:
        if (expr->decl->kind != DECL_VARIABLE || !(expr->decl->var.file_scope || expr->decl->var.is_static_local))
            return false;
        *value = (struct const_value){.kind = CONST_ADDRESS, .base = expr->decl->first};
        return true;
    case EXPR_COMPOUND:
        if (!expr->compound.variable->var.file_scope)
            return false;
        *value = (struct const_value){.kind = CONST_ADDRESS, .base = expr->compound.variable};
        return true;
    case EXPR_UNARY:
        return expr->unary.op == UNARY_DEREF && evaluate(front, expr->unary.operand, value, depth + 1);
    case EXPR_MEMBER:
        if (!evaluate_lvalue(front, expr->member.base, value, depth + 1))
            return false;
        value->integer += expr->member.base->type.type->record.fields[expr->member.field].offset;
        return true;
    case EXPR_INDEX:
        if (expr->index.base->type.type->kind != TYPE_POINTER || !evaluate(front, expr->index.base, value, depth + 1) ||
            !evaluate(front, expr->index.index, &index, depth + 1) || index.kind != CONST_INT)
            return false;
        value->integer += index.integer * expr->type.type->size;
        return true;
    default:
        return false;
    }
}

bool clc_const_evaluate(struct clc_front *front, struct expr *expr, struct const_value *value)
{
    front->const_steps = 0;
    return evaluate(front, expr, value, 0);
}

/* ---- lanes of vectors ---- */

static bool lane_of(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value,
                    uint32_t depth);

static bool lane_of_literal(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value,
                            uint32_t depth)
{
    if (expr->vector.num_args == 1 && expr->vector.args[0]->type.type->kind != TYPE_VECTOR)
        return lane_of(front, expr->vector.args[0], 0, value, depth);
    for (uint32_t i = 0; i < expr->vector.num_args; i++) {
        uint32_t lanes = type_lanes(expr->vector.args[i]->type.type);
        if (lane < lanes)
            return lane_of(front, expr->vector.args[i], lane, value, depth);
        lane -= lanes;
    }
    return false;
}

static bool lane_of_cast(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value,
                         uint32_t depth)
{
    struct expr *operand = expr->cast.operand;
    struct const_value from;
    switch (expr->cast.cast) {
    case CAST_LVALUE_TO_RVALUE: {
        struct expr *init = readable_init(operand);
        if (init)
            return lane_of(front, init, lane, value, depth);
        if (operand->kind == EXPR_SWIZZLE &&
            operand->swizzle.lanes[lane] < type_lanes(operand->swizzle.base->type.type)) {
            struct expr *base_init = readable_init(operand->swizzle.base);
            return base_init && lane_of(front, base_init, operand->swizzle.lanes[lane], value, depth);
        }
        return false;
    }
    case CAST_SPLAT:
        return lane_of(front, operand, 0, value, depth);
    case CAST_NOP:
    case CAST_INT:
    case CAST_INT_TO_FLOAT:
    case CAST_FLOAT_TO_INT:
    case CAST_FLOAT:
    case CAST_TO_BOOL:
        return lane_of(front, operand, lane, &from, depth) &&
               const_cast_value(type_element(operand->type.type), type_element(expr->type.type), &from, value);
    default:
        return false;
    }
}

static bool lane_of_binary(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value,
                           uint32_t depth)
{
    struct const_value a, b;
    if (!lane_of(front, expr->binary.left, lane, &a, depth) || !lane_of(front, expr->binary.right, lane, &b, depth))
        return false;
    const struct type *type = type_element(expr->type.type), *operand = type_element(expr->binary.left->type.type);
    if (expr->binary.op == BINARY_LOGICAL_AND || expr->binary.op == BINARY_LOGICAL_OR)
        *value = int_value(type, expr->binary.op == BINARY_LOGICAL_AND ? is_true(&a) && is_true(&b)
                                                                       : is_true(&a) || is_true(&b));
    else if (!fold_binary(expr->binary.op, type, operand, &a, &b, value))
        return false;
    if (expr->binary.op >= BINARY_LT && (expr->binary.op <= BINARY_NE || expr->binary.op >= BINARY_LOGICAL_AND))
        value->integer = 0 - value->integer; /* a vector's true is -1 */
    return true;
}

static bool lane_of(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value,
                    uint32_t depth)
{
    struct const_value operand;
    if (depth++ > 4 * SEMA_MAX_NESTING)
        return false;
    count_step(front, expr);
    if (expr->type.type->kind != TYPE_VECTOR && expr->kind != EXPR_SWIZZLE)
        return evaluate(front, expr, value, 0);
    switch (expr->kind) {
    case EXPR_VECTOR:
        return lane_of_literal(front, expr, lane, value, depth);
    case EXPR_SWIZZLE:
        return expr->swizzle.lanes[lane] < type_lanes(expr->swizzle.base->type.type) &&
               lane_of(front, expr->swizzle.base, expr->swizzle.lanes[lane], value, depth);
    case EXPR_CAST:
        return lane_of_cast(front, expr, lane, value, depth);
    case EXPR_UNARY:
        if (expr->unary.op > UNARY_LOGICAL_NOT || !lane_of(front, expr->unary.operand, lane, &operand, depth) ||
            !fold_unary(expr->unary.op, type_element(expr->type.type), &operand, value))
            return false;
        if (expr->unary.op == UNARY_LOGICAL_NOT)
            value->integer = 0 - value->integer;
        return true;
    case EXPR_BINARY:
        return lane_of_binary(front, expr, lane, value, depth);
    case EXPR_COND:
        if (!lane_of(front, expr->cond.condition, lane, &operand, depth) || !expr->cond.then_value)
            return false;
        /* lane-wise: the most significant bit decides */
        if (expr->cond.condition->type.type->kind == TYPE_VECTOR)
            operand.integer = (int64_t)operand.integer < 0 ||
                              (operand.integer >> (type_element(expr->cond.condition->type.type)->size * 8 - 1) & 1);
        return lane_of(front, operand.integer ? expr->cond.then_value : expr->cond.else_value, lane, value, depth);
    default:
        return false;
    }
}

bool clc_const_lane(struct clc_front *front, struct expr *expr, uint32_t lane, struct const_value *value)
{
    front->const_steps = 0;
    return lane_of(front, expr, lane, value, 0);
}

bool const_is_initializer(struct sema *s, struct expr *expr, struct expr **culprit)
{
    struct const_value value;
    if (expr->kind == EXPR_INIT_LIST) {
        for (uint32_t i = 0; i < expr->init.num_entries; i++) {
            struct expr *part = expr->init.entries[i].value;
            if (part->kind != EXPR_INT && !const_is_initializer(s, part, culprit))
                return false;
        }
        return true;
    }
    *culprit = expr;
    while (expr->kind == EXPR_CAST && expr->type.type->kind == TYPE_BLOCK)
        expr = expr->cast.operand;
    if (expr->kind == EXPR_POISON || expr->kind == EXPR_STRING || expr->kind == EXPR_BLOCK)
        return true;
    if (expr->type.type->kind == TYPE_VECTOR) {
        for (uint32_t lane = 0; lane < expr->type.type->vector.count; lane++)
            if (!clc_const_lane(s->front, expr, lane, &value))
                return false;
        return true;
    }
    /* a struct's value: a compound literal or another constant's initialiser */
    if (expr->kind == EXPR_CAST && expr->cast.cast == CAST_LVALUE_TO_RVALUE && type_is_record(expr->type.type)) {
        const struct expr *from = expr->cast.operand;
        if (from->kind == EXPR_COMPOUND && from->compound.variable->var.init)
            return const_is_initializer(s, from->compound.variable->var.init, culprit);
    }
    return clc_const_evaluate(s->front, expr, &value);
}
