/* bfloat16: the upper half of a float. It is a number of 16 bits here, and integer arithmetic converts it: to the
 * nearest, ties to even, as OpFConvert does; a NaN stays one, made quiet. Other roundings are the library's
 * (encoded_floats.c). */
#include "check.h"

#include "base/util.h"

struct bits {
    struct spv_builder *b;
    spv_id type; /* integers of 32 bits */
};

static struct bits bits_like(struct spv_builder *b, spv_id type)
{
    return (struct bits){b, spv_type_vector(b->module, spv_type_int(b->module, 32), spv_type_count(b->module, type))};
}

static spv_id with(const struct bits *bits, SpvOp op, spv_id value, uint32_t constant)
{
    spv_id other = spv_const_splat(bits->b->module, bits->type, constant);
    return spv_emitv(bits->b, op, bits->type, value, other);
}

static spv_id bools_like(struct spv_module *module, spv_id type)
{
    return spv_type_vector(module, spv_type_bool(module), spv_type_count(module, type));
}

/* The upper half of the bits of a float, rounded. */
static spv_id round_bits(const struct bits *bits, spv_id value, spv_id type)
{
    struct spv_module *module = bits->b->module;
    spv_id odd = with(bits, SpvOpBitwiseAnd, with(bits, SpvOpShiftRightLogical, value, 16), 1);
    spv_id rounded = spv_emitv(bits->b, SpvOpIAdd, bits->type, with(bits, SpvOpIAdd, value, 0x7fff), odd);
    spv_id magnitude = with(bits, SpvOpBitwiseAnd, value, 0x7fffffff);
    spv_id infinity = spv_const_splat(module, bits->type, 0x7f800000);
    spv_id is_nan = spv_emitv(bits->b, SpvOpUGreaterThan, bools_like(module, bits->type), magnitude, infinity);
    spv_id quiet = with(bits, SpvOpBitwiseOr, value, 0x400000);
    spv_id chosen = spv_emitv(bits->b, SpvOpSelect, bits->type, is_nan, quiet, rounded);
    return spv_emitv(bits->b, SpvOpUConvert, type, with(bits, SpvOpShiftRightLogical, chosen, 16));
}

spv_id spv_emit_bfloat16(struct spv_builder *b, spv_id value, spv_id type)
{
    struct bits bits = bits_like(b, type);
    return round_bits(&bits, spv_emitv(b, SpvOpBitcast, bits.type, value), type);
}

spv_id spv_emit_from_bfloat16(struct spv_builder *b, spv_id value)
{
    spv_id ints = spv_value_type(b->module, value);
    struct bits bits = bits_like(b, ints);
    spv_id wide = with(&bits, SpvOpShiftLeftLogical, spv_emitv(b, SpvOpUConvert, bits.type, value), 16);
    spv_id floats = spv_type_vector(b->module, spv_type_float(b->module, 32), spv_type_count(b->module, ints));
    return spv_emitv(b, SpvOpBitcast, floats, wide);
}
