/* Integer constants of 128 bits. C99, 6.4.4.1 gives a decimal constant the first of int, long and long long that holds
 * it, and long long has 128 bits in OpenCL C (OpenCL C 3.0, 6.3.1 reserves it). So 9223372036854775808 is no unsigned
 * long, and -9223372036854775808 is the least long.
 *
 * No variable has such a type: constants are all there is. Their nodes have the type that holds the value in 64 bits,
 * long before unsigned long, and the bit `wide` with the high word beside. Operators on two constants are computed
 * here in 128 bits. A comparison with a variable is decided here where the variable's type does not reach the
 * constant. Everything else takes the low word, which is right wherever the result goes to 64 bits. */
#include "compiler/front/sema/check.h"

struct wide_int expr_wide_value(const struct expr *expr)
{
    if (expr->wide)
        return (struct wide_int){{expr->integer, expr->wide_part.high}, expr->wide_part.is_unsigned};
    if (type_is_signed(expr->type.type))
        return (struct wide_int){int128_of_signed((int64_t)expr->integer), false};
    return (struct wide_int){int128_of_unsigned(expr->integer), true};
}

struct expr *expr_wide(struct sema *s, struct wide_int value, src_loc loc, struct src_range range)
{
    bool is_signed = !value.is_unsigned && int128_equal(value.bits, int128_of_signed((int64_t)value.bits.low));
    struct expr *expr = expr_new(s, EXPR_SWIZZLE, qt(type_scalar(s, is_signed ? TYPE_LONG : TYPE_ULONG)), loc, range);
    expr->kind = EXPR_INT; /* with room for the high word on every host */
    expr->is_constant = true;
    expr->integer = value.bits.low;
    expr->wide = true;
    expr->wide_part.high = value.bits.high;
    expr->wide_part.is_unsigned = value.is_unsigned;
    return expr;
}

static bool is_negative(struct wide_int value)
{
    return !value.is_unsigned && int128_top_bit(value.bits);
}

static bool is_less(struct wide_int a, struct wide_int b, bool is_unsigned)
{
    return is_unsigned ? int128_less_unsigned(a.bits, b.bits) : int128_less_signed(a.bits, b.bits);
}

static bool is_comparison(enum binary_op op)
{
    return op >= BINARY_LT && op <= BINARY_NE;
}

static bool compare(enum binary_op op, struct wide_int a, struct wide_int b, bool is_unsigned)
{
    bool less = is_less(a, b, is_unsigned), equal = int128_equal(a.bits, b.bits);
    switch (op) {
    case BINARY_LT:
        return less;
    case BINARY_GT:
        return !less && !equal;
    case BINARY_LE:
        return less || equal;
    case BINARY_GE:
        return !less;
    case BINARY_EQ:
        return equal;
    default:
        return !equal;
    }
}

static struct int128 divide(enum binary_op op, struct int128 a, struct int128 b, bool is_unsigned)
{
    struct int128 rest;
    struct int128 quotient = is_unsigned ? int128_divide_unsigned(a, b, &rest) : int128_divide_signed(a, b, &rest);
    return op == BINARY_DIV ? quotient : rest;
}

static struct int128 compute(enum binary_op op, struct wide_int a, struct int128 b, bool is_unsigned)
{
    switch (op) {
    case BINARY_MUL:
        return int128_multiply(a.bits, b);
    case BINARY_DIV:
    case BINARY_REM:
        return divide(op, a.bits, b, is_unsigned);
    case BINARY_ADD:
        return int128_add(a.bits, b);
    case BINARY_SUB:
        return int128_subtract(a.bits, b);
    case BINARY_SHL:
        return int128_shift_left(a.bits, b.low & 127);
    case BINARY_SHR:
        return a.is_unsigned ? int128_shift_right(a.bits, b.low & 127) : int128_shift_right_signed(a.bits, b.low & 127);
    case BINARY_AND:
        return (struct int128){a.bits.low & b.low, a.bits.high & b.high};
    case BINARY_XOR:
        return (struct int128){a.bits.low ^ b.low, a.bits.high ^ b.high};
    default:
        return (struct int128){a.bits.low | b.low, a.bits.high | b.high};
    }
}

struct expr *sema_wide_unary(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc)
{
    struct wide_int value = expr_wide_value(operand);
    struct src_range range = operand->range;
    if (loc && loc < range.begin)
        range.begin = loc;
    if (op == UNARY_MINUS || op == UNARY_NOT)
        value.bits = op == UNARY_MINUS ? int128_negate(value.bits) : int128_not(value.bits);
    return expr_wide(s, value, loc, range);
}

/* other OP constant, or constant OP other where constant_left, when no value of other's type changes what comes out. */
static struct expr *decided_comparison(struct sema *s, enum binary_op op, struct expr *other,
                                       const struct expr *constant, bool constant_left, src_loc loc)
{
    const struct type *type = type_strip_enum(other->type.type);
    struct wide_int value = expr_wide_value(constant);
    bool is_signed = type_is_signed(type) || type->size < 4;
    unsigned bits = type->size < 4 ? 32 : (unsigned)type->size * 8; /* promoted */
    struct wide_int most = {int128_of_unsigned(UINT64_MAX >> (64 - bits + is_signed)), false};
    struct wide_int least = {is_signed ? int128_not(most.bits) : int128_of_unsigned(0), false};
    bool above = !is_negative(value) && is_less(most, value, true);
    bool below = !value.is_unsigned && is_less(value, least, false);
    if (!above && !below)
        return NULL;
    struct wide_int a = constant_left ? value : most, b = constant_left ? most : value;
    bool result = compare(op, a, b, value.is_unsigned);
    struct src_range range =
        constant_left ? range_join(constant->range, other->range) : range_join(other->range, constant->range);
    return sema_comma(s, other, expr_int(s, type_scalar(s, TYPE_INT), result, loc, range), loc);
}

struct expr *sema_wide_binary(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc)
{
    if (!type_is_integer(left->type.type) || !type_is_integer(right->type.type) || op >= BINARY_LOGICAL_AND)
        return NULL;
    if (!left->is_constant || !right->is_constant) {
        if (!is_comparison(op))
            return NULL;
        return left->wide ? decided_comparison(s, op, right, left, true, loc)
                          : decided_comparison(s, op, left, right, false, loc);
    }
    struct wide_int a = expr_wide_value(left), b = expr_wide_value(right);
    bool is_shift = op == BINARY_SHL || op == BINARY_SHR, is_division = op == BINARY_DIV || op == BINARY_REM;
    if ((is_shift && !left->wide) || (is_division && int128_is_zero(b.bits)))
        return NULL;
    bool is_unsigned = (left->wide && a.is_unsigned) || (right->wide && b.is_unsigned && !is_shift);
    struct src_range range = range_join(left->range, right->range);
    if (is_comparison(op))
        return expr_int(s, type_scalar(s, TYPE_INT), compare(op, a, b, is_unsigned), loc, range);
    return expr_wide(s, (struct wide_int){compute(op, a, b.bits, is_unsigned), is_unsigned}, loc, range);
}
