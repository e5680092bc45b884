/* bfloat16: the upper half of a float. It is a number of 16 bits here, and integer arithmetic converts it: to the
 * nearest, ties to even, as OpFConvert does; a NaN stays one, made quiet.
 *
 * SPV_KHR_bfloat16 has a type of its own for it (OpTypeFloat 16 BFloat16KHR), of which OpenCL allows conversions,
 * dot products, and whatever moves values. When a module is read, that type becomes the integer's:
 *
 *     %b = OpFConvert %bfloat %a       ->   integer arithmetic on the bits of %a
 *     %d = OpDot %bfloat %v %w         ->   the dot product of both as floats, converted
 *
 * The types change first, since spv_check_scope() knows no such type. Then it is known of the module's scope that types
 * are types and numbers have their sizes. Of functions nothing is known but that operands are there: ids may be
 * undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

/* ---- conversions ---- */

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

/* A double is rounded to an odd float first: the next one towards 0, whose last bit tells that there was more. The
 * second rounding then sees what the first has cut off. */
static spv_id from_double(struct spv_builder *b, spv_id value, spv_id type)
{
    struct spv_module *module = b->module;
    struct bits bits = bits_like(b, type);
    spv_id doubles = spv_value_type(module, value), bools = bools_like(module, type);
    uint32_t lanes = spv_type_count(module, type);
    spv_id floats = spv_type_vector(module, spv_type_float(module, 32), lanes);
    spv_id longs = spv_type_vector(module, spv_type_int(module, 64), lanes);
    spv_id nearest = spv_emitv(b, SpvOpFConvert, floats, value);
    spv_id back = spv_emitv(b, SpvOpFConvert, doubles, nearest);
    spv_id inexact = spv_emitv(b, SpvOpFOrdNotEqual, bools, back, value);
    /* of one sign, the larger number has the larger bits */
    spv_id too_large = spv_emitv(b, SpvOpUGreaterThan, bools, spv_emitv(b, SpvOpBitcast, longs, back),
                                 spv_emitv(b, SpvOpBitcast, longs, value));
    spv_id number = spv_emitv(b, SpvOpBitcast, bits.type, nearest);
    spv_id below = spv_emitv(b, SpvOpSelect, bits.type, too_large, with(&bits, SpvOpISub, number, 1), number);
    spv_id odd = with(&bits, SpvOpBitwiseOr, below, 1);
    return round_bits(&bits, spv_emitv(b, SpvOpSelect, bits.type, inexact, odd, number), type);
}

/* ---- the type ---- */

struct encoded {
    struct spv_module *module;
    const uint8_t *types; /* by id: 1 for those that were bfloat16 */
    uint32_t bound;       /* of it */
    const char *error;
    bool found; /* an operand of such a type */
};

static void fail(struct encoded *e, const char *what)
{
    if (!e->error)
        e->error = what;
}

/* It, or vectors of it. */
static bool is_bfloat16(const struct encoded *e, spv_id type)
{
    const struct spv_inst *def = spv_def(e->module, type);
    spv_id component = def && def->op == SpvOpTypeVector ? def->words[0] : type;
    return component < e->bound && e->types[component];
}

static bool is_value(const struct encoded *e, spv_id value)
{
    return is_bfloat16(e, spv_value_type(e->module, value));
}

const char *spv_take_bfloat16_types(struct spv_module *module, uint8_t **types)
{
    static const uint32_t ushort[] = {16, 0};
    *types = arena_array(module->arena, uint8_t, module->bound);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpTypeFloat || inst->num_words < 2)
            continue;
        if (inst->words[0] != 16 || inst->words[1] != 0)
            return "floats of an encoding that is not supported";
        (*types)[inst->id] = 1;
        inst->op = SpvOpTypeInt;
        spv_inst_set_words(module, inst, 2, ushort);
        spv_add_capability(module, SpvCapabilityInt16);
    }
    return NULL;
}

/* ---- instructions ---- */

static void become(struct encoded *e, struct spv_inst *inst, SpvOp op, spv_id value)
{
    inst->op = (uint16_t)op;
    spv_inst_set_words(e->module, inst, 1, &value);
}

static bool is_float_of(const struct encoded *e, spv_id type, uint32_t width)
{
    return spv_type_is_float(e->module, type) && spv_type_width(e->module, type) == width;
}

static spv_id floats_like(struct encoded *e, spv_id type)
{
    return spv_type_vector(e->module, spv_type_float(e->module, 32), spv_type_count(e->module, type));
}

/* The result is a bfloat16, the operand is none. */
static void narrow(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    spv_id value = inst->words[0], from = spv_value_type(e->module, value);
    if (spv_type_count(e->module, from) != spv_type_count(e->module, inst->type)) {
        fail(e, "a conversion to bfloat16 of another number of lanes");
    } else if (inst->op == SpvOpFConvert && is_float_of(e, from, 64)) {
        become(e, inst, SpvOpCopyObject, from_double(b, value, inst->type));
    } else if (inst->op == SpvOpFConvert && spv_type_is_float(e->module, from)) {
        if (is_float_of(e, from, 16))
            value = spv_emitv(b, SpvOpFConvert, floats_like(e, inst->type), value);
        become(e, inst, SpvOpCopyObject, spv_emit_bfloat16(b, value, inst->type));
    } else if (spv_type_is_int(e->module, from) && spv_type_width(e->module, from) <= 16) {
        value = spv_emitv(b, (SpvOp)inst->op, floats_like(e, inst->type), value); /* exact */
        become(e, inst, SpvOpCopyObject, spv_emit_bfloat16(b, value, inst->type));
    } else {
        fail(e, "a conversion of integers of 32 or 64 bits to bfloat16: convert them to double before");
    }
}

static void widen(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    spv_id value = inst->words[0];
    if (spv_type_count(e->module, spv_value_type(e->module, value)) != spv_type_count(e->module, inst->type)) {
        fail(e, "a conversion of bfloat16 to another number of lanes");
        return;
    }
    value = spv_emit_from_bfloat16(b, value);
    become(e, inst, is_float_of(e, inst->type, 32) ? SpvOpCopyObject : (SpvOp)inst->op, value);
}

static void multiply(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    spv_id value = inst->words[0], other = inst->words[1];
    if (!is_value(e, value) || !is_value(e, other) || !is_bfloat16(e, inst->type)) {
        fail(e, "a dot product of bfloat16 with other numbers");
        return;
    }
    spv_id product = spv_emitv(b, SpvOpDot, spv_type_float(e->module, 32), spv_emit_from_bfloat16(b, value),
                               spv_emit_from_bfloat16(b, other));
    become(e, inst, SpvOpCopyObject, spv_emit_bfloat16(b, product, inst->type));
}

static void note_value(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct encoded *e = data;
    (void)inst;
    e->found |= is_value(e, *word);
}

static void change(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpFConvert:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
        if (!is_bfloat16(e, inst->type))
            widen(e, b, inst);
        else if (is_value(e, inst->words[0]))
            inst->op = SpvOpCopyObject;
        else
            narrow(e, b, inst);
        break;
    case SpvOpDot:
        multiply(e, b, inst);
        break;
    case SpvOpBitcast:
    case SpvOpUndef:
    case SpvOpFreezeKHR:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpCopyObject:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        break;
    default:
        fail(e, arena_printf(e->module->arena, "%s of bfloat16: compute in float", spv_op_name(inst->op)));
    }
}

const char *spv_take_bfloat16(struct spv_module *module, const uint8_t *types, uint32_t bound)
{
    struct encoded e = {.module = module, .types = types, .bound = bound};
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                struct spv_builder b = {module, function, block, inst, NULL};
                e.found = inst->type && is_bfloat16(&e, inst->type);
                spv_visit_operand_ids(inst, note_value, &e);
                if (e.found && !e.error)
                    change(&e, &b, inst);
            }
        }
    }
    return e.error;
}
