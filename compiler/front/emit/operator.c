/* Operators: arithmetic, comparisons, pointers, assignment, increments.
 *
 * Chains of binary operators lean to the left without any nesting in the source, so they may be of any length: they are
 * walked down and then emitted upwards in a loop. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

static enum type_kind element_kind(const struct type *type)
{
    return emit_canonical(type_component(emit_canonical(type)))->kind;
}

static bool is_comparison(enum binary_op op)
{
    return op >= BINARY_LT && op <= BINARY_NE;
}

static bool is_logical(enum binary_op op)
{
    return op == BINARY_LOGICAL_AND || op == BINARY_LOGICAL_OR;
}

static bool is_pointer(const struct type *type)
{
    return emit_canonical(type)->kind == TYPE_POINTER;
}

/* ---- comparisons ---- */

static SpvOp compare_op(enum binary_op op, enum type_kind kind)
{
    static const uint16_t table[6][3] = {
        /* signed, unsigned, float; in the order of enum binary_op from BINARY_LT */
        {SpvOpSLessThan, SpvOpULessThan, SpvOpFOrdLessThan},
        {SpvOpSGreaterThan, SpvOpUGreaterThan, SpvOpFOrdGreaterThan},
        {SpvOpSLessThanEqual, SpvOpULessThanEqual, SpvOpFOrdLessThanEqual},
        {SpvOpSGreaterThanEqual, SpvOpUGreaterThanEqual, SpvOpFOrdGreaterThanEqual},
        {SpvOpIEqual, SpvOpIEqual, SpvOpFOrdEqual},
        {SpvOpINotEqual, SpvOpINotEqual, SpvOpFUnordNotEqual},
    };
    uint32_t column = type_is_float_kind(kind) ? 2 : type_is_signed_kind(kind) ? 0 : 1;
    return table[op - BINARY_LT][column];
}

/* The number behind a queue or an event of the device. SPIR-V compares none of these, but memory does not know what it
 * holds. */
static spv_id handle_number(struct emit *e, const struct type *type, spv_id value)
{
    spv_id u64 = emit_int_type(e, 64);
    struct lvalue object = emit_temporary(e, (struct qual_type){.type = type});
    emit_store(e, &object, value);
    spv_id pointer = emit_bitcast(e, emit_pointer_to(e, u64, AS_PRIVATE), object.pointer);
    return spv_emitv(&e->b, SpvOpLoad, u64, pointer, SpvMemoryAccessAlignedMask, 8u);
}

spv_id emit_compare(struct emit *e, enum binary_op op, const struct type *operand, spv_id left, spv_id right)
{
    enum type_kind kind = element_kind(operand);
    spv_id type = spv_type_vector(e->module, spv_type_bool(e->module), type_lanes(emit_canonical(operand)));
    if (kind == TYPE_BOOL) {
        if (op == BINARY_EQ || op == BINARY_NE)
            return spv_emitv(&e->b, op == BINARY_EQ ? SpvOpLogicalEqual : SpvOpLogicalNotEqual, type, left, right);
        left = emit_to_memory(e, operand, left);
        right = emit_to_memory(e, operand, right);
        kind = TYPE_UCHAR;
    } else if (kind == TYPE_POINTER) { /* SPIR-V 1.2 compares no pointers */
        left = spv_emitv(&e->b, SpvOpConvertPtrToU, emit_int_type(e, 64), left);
        right = spv_emitv(&e->b, SpvOpConvertPtrToU, emit_int_type(e, 64), right);
        kind = TYPE_ULONG;
    } else if (kind == TYPE_QUEUE || kind == TYPE_CLK_EVENT) {
        left = handle_number(e, operand, left);
        right = handle_number(e, operand, right);
        kind = TYPE_ULONG;
    }
    return spv_emitv(&e->b, compare_op(op, kind), type, left, right);
}

spv_id emit_nonzero(struct emit *e, const struct type *type, spv_id value)
{
    enum type_kind kind = element_kind(type);
    if (kind == TYPE_BOOL)
        return value;
    type = emit_canonical(type);
    return emit_compare(e, BINARY_NE, type, value, emit_null(e, type));
}

spv_id emit_truth(struct emit *e, const struct type *type, spv_id value)
{
    return element_kind(type) == TYPE_BOOL ? value : emit_bool_to_int(e, type, value);
}

/* ---- arithmetic ---- */

/* OpenCL C 3.0, 6.4.9: the count is taken modulo the width. */
static spv_id shift(struct emit *e, enum binary_op op, const struct type *type, spv_id left, spv_id right,
                    const struct type *right_type)
{
    const struct type *element = emit_canonical(type_element(type));
    spv_id id = emit_type(e, type);
    uint64_t mask = element->size * 8 - 1, count;
    if (type->kind == TYPE_VECTOR && emit_canonical(right_type)->kind != TYPE_VECTOR) {
        right = emit_convert(e, right_type, type, right);
    } else if (spv_value_type(e->module, right) != id) {
        if (spv_const_value(e->module, right, &count))
            right = emit_const_int(e, type, count);
        else
            right = spv_emitv(&e->b, SpvOpUConvert, id, right);
    }
    if (spv_const_value(e->module, right, &count))
        right = emit_const_int(e, type, count & mask);
    else
        right = spv_emitv(&e->b, SpvOpBitwiseAnd, id, right, emit_const_int(e, type, mask));
    SpvOp shift_op = op == BINARY_SHL                     ? SpvOpShiftLeftLogical
                     : type_is_signed_kind(element->kind) ? SpvOpShiftRightArithmetic
                                                          : SpvOpShiftRightLogical;
    return spv_emitv(&e->b, shift_op, id, left, right);
}

static SpvOp arithmetic_op(enum binary_op op, enum type_kind kind)
{
    bool real = type_is_float_kind(kind), sign = type_is_signed_kind(kind);
    switch (op) {
    case BINARY_MUL:
        return real ? SpvOpFMul : SpvOpIMul;
    case BINARY_DIV:
        return real ? SpvOpFDiv : sign ? SpvOpSDiv : SpvOpUDiv;
    case BINARY_REM:
        return real ? SpvOpFRem : sign ? SpvOpSRem : SpvOpUMod;
    case BINARY_ADD:
        return real ? SpvOpFAdd : SpvOpIAdd;
    case BINARY_SUB:
        return real ? SpvOpFSub : SpvOpISub;
    case BINARY_AND:
        return kind == TYPE_BOOL ? SpvOpLogicalAnd : SpvOpBitwiseAnd;
    case BINARY_OR:
        return kind == TYPE_BOOL ? SpvOpLogicalOr : SpvOpBitwiseOr;
    default:
        return kind == TYPE_BOOL ? SpvOpLogicalNotEqual : SpvOpBitwiseXor;
    }
}

spv_id emit_arithmetic(struct emit *e, enum binary_op op, const struct type *type, spv_id left, spv_id right,
                       const struct type *right_type)
{
    type = emit_canonical(type);
    if (op == BINARY_SHL || op == BINARY_SHR)
        return shift(e, op, type, left, right, right_type);
    enum type_kind kind = element_kind(type);
    spv_id id = emit_type(e, type);
    if (spv_value_type(e->module, right) != id)
        right = emit_convert(e, right_type, type, right);
    spv_id result = spv_emitv(&e->b, arithmetic_op(op, kind), id, left, right);
    /* C99 6.5: overflow is undefined; what ++ does to narrower types is a conversion, and defined */
    if (type->kind == TYPE_INT || type->kind == TYPE_LONG)
        spv_set_no_signed_wrap(spv_def(e->module, result), true);
    return type_is_float_kind(kind) && op <= BINARY_SUB ? emit_relaxed(e, result) : result;
}

/* ---- pointers ---- */

spv_id emit_pointer_add(struct emit *e, spv_id pointer, const struct type *pointer_type, spv_id index,
                        const struct type *index_type, bool subtract)
{
    (void)pointer_type;
    index = emit_index64(e, index_type, index);
    if (subtract) {
        uint64_t bits;
        if (spv_const_value(e->module, index, &bits))
            index = emit_const_u64(e, 0 - bits);
        else
            index = spv_emitv(&e->b, SpvOpSNegate, emit_int_type(e, 64), index);
    }
    return spv_emitv(&e->b, SpvOpInBoundsPtrAccessChain, spv_value_type(e->module, pointer), pointer, index);
}

static spv_id pointer_difference(struct emit *e, const struct type *pointer, const struct type *result, spv_id left,
                                 spv_id right)
{
    spv_id word = emit_int_type(e, 64);
    left = spv_emitv(&e->b, SpvOpConvertPtrToU, word, left);
    right = spv_emitv(&e->b, SpvOpConvertPtrToU, word, right);
    spv_id bytes = spv_emitv(&e->b, SpvOpISub, word, left, right);
    uint64_t size = pointer->pointer.pointee.type->size;
    if (size > 1)
        bytes = spv_emitv(&e->b, SpvOpSDiv, word, bytes, emit_const_u64(e, size));
    spv_id type = emit_type(e, result);
    return type == word ? bytes : spv_emitv(&e->b, SpvOpUConvert, type, bytes);
}

/* ---- binary operators ---- */

static spv_id vector_logical(struct emit *e, struct expr *expr, spv_id left, spv_id right)
{
    left = emit_nonzero(e, expr->binary.left->type.type, left);
    right = emit_nonzero(e, expr->binary.right->type.type, right);
    SpvOp op = expr->binary.op == BINARY_LOGICAL_AND ? SpvOpLogicalAnd : SpvOpLogicalOr;
    return emit_truth(e, expr->type.type, spv_emitv(&e->b, op, spv_value_type(e->module, left), left, right));
}

static spv_id apply_binary(struct emit *e, struct expr *expr, spv_id left)
{
    enum binary_op op = expr->binary.op;
    const struct type *a = emit_canonical(expr->binary.left->type.type);
    const struct type *b = emit_canonical(expr->binary.right->type.type);
    spv_id right = emit_rvalue(e, expr->binary.right);
    if (is_logical(op))
        return vector_logical(e, expr, left, right);
    if (is_comparison(op))
        return emit_truth(e, expr->type.type, emit_compare(e, op, a, left, right));
    if (is_pointer(a) && is_pointer(b))
        return pointer_difference(e, a, expr->type.type, left, right);
    if (is_pointer(a))
        return emit_pointer_add(e, left, a, right, b, op == BINARY_SUB);
    if (is_pointer(b))
        return emit_pointer_add(e, right, b, left, a, false);
    return emit_arithmetic(e, op, expr->type.type, left, right, b);
}

/* Nodes of a left-leaning chain: binary operators but scalar && and ||, and conversions between them. */
static struct expr *left_operand(struct expr *expr)
{
    if (expr->is_constant && type_is_scalar_arith(emit_canonical(expr->type.type)))
        return NULL;
    if (expr->kind == EXPR_BINARY) {
        bool scalar = emit_canonical(expr->type.type)->kind != TYPE_VECTOR;
        return scalar && is_logical(expr->binary.op) ? NULL : expr->binary.left;
    }
    if (expr->kind == EXPR_CAST) {
        switch (expr->cast.cast) {
        case CAST_INT:
        case CAST_INT_TO_FLOAT:
        case CAST_FLOAT_TO_INT:
        case CAST_FLOAT:
        case CAST_SPLAT:
        case CAST_MASK:
            return expr->cast.operand;
        default:
            return NULL;
        }
    }
    return NULL;
}

spv_id emit_binary(struct emit *e, struct expr *expr)
{
    if (is_logical(expr->binary.op) && emit_canonical(expr->type.type)->kind != TYPE_VECTOR)
        return emit_truth(e, expr->type.type, emit_logical(e, expr));
    return emit_binary_chain(e, expr);
}

spv_id emit_binary_chain(struct emit *e, struct expr *expr)
{
    VEC(struct expr *) spine = {0};
    struct expr *at = expr;
    for (struct expr *next; (next = left_operand(at)) != NULL; at = next)
        vec_push(e->arena, &spine, at);
    spv_id value = emit_rvalue(e, at);
    while (spine.length) {
        struct expr *node = vec_pop(&spine);
        emit_line(e, node->loc);
        if (node->kind == EXPR_BINARY)
            value = apply_binary(e, node, value);
        else
            value = emit_cast_value(e, node->cast.cast, node->cast.operand->type.type, node->type.type, value);
    }
    return value;
}

/* ---- assignment ---- */

/* One step of an object: *object = convert(convert(*object) OP right). */
static spv_id compute(struct emit *e, enum binary_op op, const struct type *type, const struct type *compute_type,
                      spv_id old, spv_id right, const struct type *right_type)
{
    if (is_pointer(type))
        return emit_pointer_add(e, old, emit_canonical(type), right, right_type, op == BINARY_SUB);
    compute_type = compute_type ? compute_type : type;
    spv_id wide = emit_convert(e, type, compute_type, old);
    spv_id result = emit_arithmetic(e, op, compute_type, wide, right, right_type);
    return emit_convert(e, compute_type, type, result);
}

spv_id emit_assign(struct emit *e, struct expr *expr)
{
    struct expr *left = expr->assign.left, *right = expr->assign.right;
    const struct type *type = left->type.type;
    if (!expr->assign.compound) {
        struct lvalue object = emit_lvalue(e, left);
        if (type_is_aggregate(type)) {
            emit_store_expr(e, &object, right);
            return 0;
        }
        spv_id value = emit_rvalue(e, right);
        emit_checked_line(e, left->loc);
        emit_store(e, &object, value);
        return value;
    }
    spv_id amount = emit_rvalue(e, right);
    struct lvalue object = emit_lvalue(e, left);
    emit_checked_line(e, left->loc);
    spv_id result =
        compute(e, expr->assign.op, type, expr->assign.compute_type, emit_load(e, &object), amount, right->type.type);
    emit_store(e, &object, result);
    return result;
}

/* ---- unary operators ---- */

static spv_id step(struct emit *e, struct expr *expr)
{
    enum unary_op op = expr->unary.op;
    struct expr *operand = expr->unary.operand;
    const struct type *type = emit_canonical(operand->type.type);
    struct lvalue object = emit_lvalue(e, operand);
    emit_checked_line(e, operand->loc);
    spv_id old = emit_load(e, &object), result;
    bool subtract = op == UNARY_PRE_DEC || op == UNARY_POST_DEC;
    enum type_kind kind = element_kind(type);
    if (is_pointer(type)) {
        result = emit_pointer_add(e, old, type, emit_const_u64(e, 1), e->front->types->scalars[TYPE_LONG], subtract);
    } else if (kind == TYPE_BOOL) { /* ++ makes it true, -- inverts it */
        spv_id one = emit_const_int(e, type, 1);
        result = subtract ? emit_compare(e, BINARY_NE, type, old, one) : one;
    } else {
        spv_id one = type_is_float_kind(kind) ? emit_const_float(e, type, 1.0) : emit_const_int(e, type, 1);
        result = emit_arithmetic(e, subtract ? BINARY_SUB : BINARY_ADD, type, old, one, type);
    }
    emit_store(e, &object, result);
    return op == UNARY_POST_INC || op == UNARY_POST_DEC ? old : result;
}

static spv_id address_of(struct emit *e, struct expr *expr)
{
    struct expr *operand = expr->unary.operand;
    if (operand->kind == EXPR_UNARY && operand->unary.op == UNARY_DEREF)
        return emit_rvalue(e, operand->unary.operand);
    struct lvalue object = emit_lvalue(e, operand);
    spv_id pointer = object.pointer;
    if (object.vector) { /* vector components have no addresses in OpenCL C, but &v.s0 of one lane is harmless */
        spv_id lane = object.lane_index ? object.lane_index : emit_const_u32(e, object.lanes[0]);
        spv_id type = emit_pointer_type(e, object.vector->vector.element, object.space);
        pointer = spv_emitv(&e->b, SpvOpInBoundsAccessChain, type, pointer, lane);
    }
    return emit_cast_value(e, CAST_NOP, expr->type.type, expr->type.type, pointer);
}

spv_id emit_unary(struct emit *e, struct expr *expr)
{
    struct expr *operand = expr->unary.operand;
    const struct type *type = expr->type.type;
    switch (expr->unary.op) {
    case UNARY_PLUS:
        return emit_rvalue(e, operand);
    case UNARY_MINUS: {
        bool real = type_is_float_kind(element_kind(type));
        return spv_emitv(&e->b, real ? SpvOpFNegate : SpvOpSNegate, emit_type(e, type), emit_rvalue(e, operand));
    }
    case UNARY_NOT: {
        SpvOp op = element_kind(type) == TYPE_BOOL ? SpvOpLogicalNot : SpvOpNot;
        return spv_emitv(&e->b, op, emit_type(e, type), emit_rvalue(e, operand));
    }
    case UNARY_LOGICAL_NOT: {
        const struct type *from = emit_canonical(operand->type.type);
        if (from->kind != TYPE_VECTOR)
            return emit_truth(e, type, emit_condition(e, expr));
        spv_id truth = emit_nonzero(e, from, emit_rvalue(e, operand));
        truth = spv_emitv(&e->b, SpvOpLogicalNot, spv_value_type(e->module, truth), truth);
        return emit_truth(e, type, truth);
    }
    case UNARY_ADDRESS:
        return address_of(e, expr);
    case UNARY_DEREF: {
        struct lvalue object = emit_lvalue(e, expr);
        return emit_load(e, &object);
    }
    default:
        return step(e, expr);
    }
}
