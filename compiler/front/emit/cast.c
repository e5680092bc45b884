/* Conversions: every cast_kind, and the conversions inside compound assignments, which the tree does not spell out. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

static enum type_kind element_kind(const struct type *type)
{
    return emit_canonical(type_component(emit_canonical(type)))->kind;
}

static bool is_signed(const struct type *type)
{
    return type_is_signed_kind(element_kind(type));
}

spv_id emit_bool_to_int(struct emit *e, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to);
    uint64_t bits = 1;
    if (emit_canonical(to)->kind == TYPE_VECTOR) /* OpenCL C 3.0, 6.4.4: true is -1, all bits set, in vectors */
        bits = UINT64_MAX >> (64 - 8 * emit_canonical(to)->vector.element->size);
    spv_id yes = spv_const_splat(e->module, type, bits), no = spv_const_splat(e->module, type, 0);
    return emit_select(e, type, value, yes, no);
}

static spv_id bool_to_arithmetic(struct emit *e, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to), one = emit_const_int(e, to, 1), zero = emit_const_int(e, to, 0);
    return emit_select(e, type, value, one, zero);
}

static spv_id to_bool(struct emit *e, const struct type *from, spv_id value)
{
    enum type_kind kind = element_kind(from);
    spv_id type = spv_type_vector(e->module, spv_type_bool(e->module), type_lanes(emit_canonical(from)));
    if (kind == TYPE_BOOL)
        return value;
    if (type_is_float_kind(kind))
        return spv_emitv(&e->b, SpvOpFUnordNotEqual, type, value, emit_null(e, from));
    if (type_is_integer_kind(kind))
        return spv_emitv(&e->b, SpvOpINotEqual, type, value, emit_null(e, from));
    spv_id number = spv_emitv(&e->b, SpvOpConvertPtrToU, emit_int_type(e, 64), value);
    return spv_emitv(&e->b, SpvOpINotEqual, type, number, emit_const_u64(e, 0));
}

static spv_id int_to_int(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    if (element_kind(from) == TYPE_BOOL)
        return bool_to_arithmetic(e, to, value);
    if (element_kind(to) == TYPE_BOOL)
        return to_bool(e, from, value);
    spv_id type = emit_type(e, to);
    if (emit_type(e, from) == type)
        return value;
    uint64_t bits;
    if (spv_const_value(e->module, value, &bits)) {
        uint32_t width = (uint32_t)emit_canonical(from)->size * 8;
        if (is_signed(from) && width < 64)
            bits = (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
        return emit_const_int(e, to, bits);
    }
    return spv_emitv(&e->b, is_signed(from) ? SpvOpSConvert : SpvOpUConvert, type, value);
}

static spv_id int_to_float(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    if (element_kind(from) == TYPE_BOOL)
        return bool_to_arithmetic(e, to, value);
    return spv_emitv(&e->b, is_signed(from) ? SpvOpConvertSToF : SpvOpConvertUToF, emit_type(e, to), value);
}

static spv_id float_to_int(struct emit *e, const struct type *to, spv_id value)
{
    return spv_emitv(&e->b, is_signed(to) ? SpvOpConvertFToS : SpvOpConvertFToU, emit_type(e, to), value);
}

/* A matrix of codes is one of floats. */
static bool has_codes(const struct type *type)
{
    return type->kind == TYPE_MATRIX && type->matrix.encoding;
}

static spv_id convert_codes(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    bool ints = !has_codes(from) && type_is_integer_kind(element_kind(from));
    bool to_ints = !has_codes(to) && type_is_integer_kind(element_kind(to));
    return ints      ? int_to_float(e, from, to, value)
           : to_ints ? float_to_int(e, to, value)
                     : spv_emitv(&e->b, SpvOpFConvert, emit_type(e, to), value);
}

spv_id emit_convert(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    from = emit_canonical(from);
    to = emit_canonical(to);
    if (to->kind == TYPE_VECTOR && from->kind != TYPE_VECTOR)
        return emit_splat(e, to, emit_convert(e, from, to->vector.element, value));
    enum type_kind source = element_kind(from), target = element_kind(to);
    if (has_codes(from) || has_codes(to))
        return convert_codes(e, from, to, value);
    if (source == target)
        return value;
    if (target == TYPE_BOOL)
        return to_bool(e, from, value);
    if (type_is_float_kind(source))
        return type_is_float_kind(target) ? spv_emitv(&e->b, SpvOpFConvert, emit_type(e, to), value)
                                          : float_to_int(e, to, value);
    if (type_is_integer_kind(source) && type_is_float_kind(target))
        return int_to_float(e, from, to, value);
    if (type_is_integer_kind(source) && type_is_integer_kind(target))
        return int_to_int(e, from, to, value);
    return emit_bitcast(e, emit_type(e, to), value);
}

spv_id emit_index64(struct emit *e, const struct type *type, spv_id value)
{
    type = emit_canonical(type);
    if (type->kind == TYPE_BOOL) {
        spv_id u64 = emit_int_type(e, 64), one = emit_const_u64(e, 1), zero = emit_const_u64(e, 0);
        return emit_select(e, u64, value, one, zero);
    }
    uint64_t bits;
    if (spv_const_value(e->module, value, &bits)) {
        uint32_t unused = 64 - (uint32_t)type->size * 8;
        if (is_signed(type) && unused)
            bits = (uint64_t)((int64_t)(bits << unused) >> unused);
        return emit_const_u64(e, bits);
    }
    if (type->size == 8)
        return value;
    return spv_emitv(&e->b, is_signed(type) ? SpvOpSConvert : SpvOpUConvert, emit_int_type(e, 64), value);
}

/* ---- pointers ---- */

static spv_id to_generic(struct emit *e, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to), from = spv_value_type(e->module, value);
    SpvStorageClass have = spv_pointer_storage(e->module, from), want = spv_pointer_storage(e->module, type);
    if (have == want)
        return emit_bitcast(e, type, value);
    spv_id near = spv_type_pointer(e->module, have, spv_pointer_pointee(e->module, type));
    return spv_emitv(&e->b, SpvOpPtrCastToGeneric, type, emit_bitcast(e, near, value));
}

static spv_id from_generic(struct emit *e, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to), from = spv_value_type(e->module, value);
    SpvStorageClass have = spv_pointer_storage(e->module, from), want = spv_pointer_storage(e->module, type);
    if (have == want)
        return emit_bitcast(e, type, value);
    spv_id near = spv_type_pointer(e->module, want, spv_pointer_pointee(e->module, from));
    if (have != SpvStorageClassGeneric) { /* between named spaces: the bits are kept */
        value = spv_emitv(&e->b, SpvOpConvertPtrToU, emit_int_type(e, 64), value);
        return spv_emitv(&e->b, SpvOpConvertUToPtr, type, value);
    }
    return emit_bitcast(e, type, spv_emitv(&e->b, SpvOpGenericCastToPtr, near, value));
}

static spv_id pointer_to_pointer(struct emit *e, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to), from = spv_value_type(e->module, value);
    if (!spv_type_is_pointer(e->module, from) || !spv_type_is_pointer(e->module, type))
        return emit_bitcast(e, type, value);
    SpvStorageClass have = spv_pointer_storage(e->module, from), want = spv_pointer_storage(e->module, type);
    if (have == want)
        return emit_bitcast(e, type, value);
    return want == SpvStorageClassGeneric ? to_generic(e, to, value) : from_generic(e, to, value);
}

static spv_id pointer_to_int(struct emit *e, const struct type *to, spv_id value)
{
    spv_id wide = spv_emitv(&e->b, SpvOpConvertPtrToU, emit_int_type(e, 64), value);
    spv_id type = emit_type(e, to);
    return emit_canonical(to)->size == 8 ? wide : spv_emitv(&e->b, SpvOpUConvert, type, wide);
}

/* ---- the rest ---- */

/* Vectors of three lanes have the size of four: their bits are cast with an undefined fourth lane. */
static spv_id vector_bitcast(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    spv_id type = emit_type(e, to), have = emit_type(e, from);
    uint32_t from_lanes = type_lanes(from), to_lanes = type_lanes(to);
    if (from_lanes == 3 && to_lanes != 3) {
        have = spv_type_vector(e->module, spv_type_component(e->module, have), 4);
        value = spv_emitv(&e->b, SpvOpVectorShuffle, have, value, value, 0, 1, 2, UINT32_MAX);
    }
    if (to_lanes != 3 || from_lanes == 3)
        return have == type ? value : spv_emitv(&e->b, SpvOpBitcast, type, value);
    spv_id four = spv_type_vector(e->module, spv_type_component(e->module, type), 4);
    value = emit_bitcast(e, four, value);
    return spv_emitv(&e->b, SpvOpVectorShuffle, type, value, value, 0, 1, 2);
}

static spv_id nop(struct emit *e, const struct type *from, const struct type *to, spv_id value)
{
    if (from->kind == TYPE_POINTER && to->kind == TYPE_POINTER)
        return pointer_to_pointer(e, to, value);
    bool arithmetic = (type_is_scalar_arith(from) || from->kind == TYPE_VECTOR) &&
                      (type_is_scalar_arith(to) || to->kind == TYPE_VECTOR);
    if (!value || !arithmetic)
        return value;
    return spv_value_type(e->module, value) == emit_type(e, to) ? value : emit_convert(e, from, to, value);
}

spv_id emit_cast_value(struct emit *e, enum cast_kind cast, const struct type *from, const struct type *to,
                       spv_id value)
{
    from = emit_canonical(from);
    to = emit_canonical(to);
    switch (cast) {
    case CAST_INT:
        return int_to_int(e, from, to, value);
    case CAST_INT_TO_FLOAT:
        return int_to_float(e, from, to, value);
    case CAST_FLOAT_TO_INT:
        return element_kind(to) == TYPE_BOOL ? to_bool(e, from, value) : float_to_int(e, to, value);
    case CAST_FLOAT:
        return emit_convert(e, from, to, value);
    case CAST_TO_BOOL:
        value = to_bool(e, from, value);
        return element_kind(to) == TYPE_BOOL ? value : emit_bool_to_int(e, to, value);
    case CAST_INT_TO_POINTER:
        value = emit_index64(e, from, value);
        return spv_emitv(&e->b, SpvOpConvertUToPtr, emit_type(e, to), value);
    case CAST_POINTER_TO_INT:
        return pointer_to_int(e, to, value);
    case CAST_TO_GENERIC:
        return to_generic(e, to, value);
    case CAST_FROM_GENERIC:
        return from_generic(e, to, value);
    case CAST_SPLAT:
        return emit_splat(e, to, emit_convert(e, from, type_component(to), value));
    case CAST_BITCAST:
        return vector_bitcast(e, from, to, value);
    case CAST_MASK:
        return emit_bool_to_int(e, to, value);
    default:
        return nop(e, from, to, value);
    }
}

spv_id emit_cast(struct emit *e, struct expr *expr)
{
    struct expr *operand = expr->cast.operand;
    switch (expr->cast.cast) {
    case CAST_LVALUE_TO_RVALUE: {
        if (operand->kind == EXPR_DECL && type_is_handle(operand->type.type))
            return emit_handle(e, operand->decl);
        if (!operand->lvalue)
            return emit_rvalue(e, operand);
        struct lvalue object = emit_lvalue(e, operand);
        return emit_load(e, &object);
    }
    case CAST_ARRAY_TO_POINTER: {
        struct lvalue array = emit_lvalue(e, operand);
        if (emit_canonical(array.type.type)->kind != TYPE_ARRAY)
            return array.pointer;
        spv_id first = emit_element(e, &array, emit_const_u64(e, 0)).pointer;
        return pointer_to_pointer(e, expr->type.type, first);
    }
    case CAST_FUNCTION_TO_POINTER:
        return 0;
    case CAST_NULL_POINTER:
        return spv_const_null(e->module, emit_type(e, expr->type.type));
    case CAST_INT_TO_SAMPLER:
        return emit_sampler(e, operand);
    case CAST_VOID:
        emit_effects(e, operand);
        return 0;
    case CAST_TO_BOOL:
        if (emit_canonical(operand->type.type)->kind != TYPE_VECTOR &&
            emit_canonical(expr->type.type)->kind == TYPE_BOOL)
            return emit_condition(e, operand);
        break;
    default:
        break;
    }
    return emit_cast_value(e, expr->cast.cast, operand->type.type, expr->type.type, emit_rvalue(e, operand));
}
