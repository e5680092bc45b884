/* Specialisation: spec constants become ordinary ones, and integer operations on them are folded, so that lowering
 * meets OpSpecConstantOp only where it computes addresses (SPIR-V 1.6, 2.12). */
#include "compiler/program/program.h"

#include <string.h>

static const struct clc_spec_constant *given_value(const struct spv_module *module, const struct spv_inst *inst,
                                                   const struct clc_spec_constant *constants, uint32_t count)
{
    const struct spv_inst *decoration = spv_find_decoration(module, inst->id, SpvDecorationSpecId);
    for (uint32_t i = count; decoration && i; i--) { /* the last one set counts */
        if (constants[i - 1].id == decoration->words[2])
            return &constants[i - 1];
    }
    return NULL;
}

static const char *set_value(struct arena *arena, struct spv_module *module, struct spv_inst *inst,
                             const struct clc_spec_constant *given)
{
    uint32_t size = inst->op == SpvOpSpecConstant ? spv_type_width(module, inst->type) / 8 : 1;
    if (given->size != size)
        return arena_printf(arena, "specialization constant %u has %u bytes, not %u", given->id, size, given->size);
    if (inst->op == SpvOpSpecConstant) {
        inst->words[0] = (uint32_t)given->value;
        if (inst->num_words > 1)
            inst->words[1] = (uint32_t)(given->value >> 32);
    } else {
        inst->op = given->value & 0xff ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse;
    }
    return NULL;
}

/* ---- folding ---- */

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

static bool fold_binary(uint32_t op, uint64_t a, uint64_t b, uint32_t width, uint64_t *result)
{
    int64_t sa = sign_extend(a, width), sb = sign_extend(b, width);
    switch (op) {
    case SpvOpIAdd:
        *result = a + b;
        return true;
    case SpvOpISub:
        *result = a - b;
        return true;
    case SpvOpIMul:
        *result = a * b;
        return true;
    case SpvOpUDiv:
        *result = b ? a / b : 0;
        return b != 0;
    case SpvOpUMod:
        *result = b ? a % b : 0;
        return b != 0;
    case SpvOpSDiv:
        if (!b || sb == -1) {
            *result = 0 - a;
            return b != 0;
        }
        *result = (uint64_t)(sa / sb);
        return true;
    case SpvOpSRem:
        *result = b && sb != -1 ? (uint64_t)(sa % sb) : 0;
        return b != 0;
    case SpvOpShiftLeftLogical:
        *result = b < 64 ? a << b : 0;
        return true;
    case SpvOpShiftRightLogical:
        *result = b < 64 ? a >> b : 0;
        return true;
    case SpvOpShiftRightArithmetic:
        *result = (uint64_t)(sa >> (b < 63 ? b : 63));
        return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *result = a & b;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *result = a | b;
        return true;
    case SpvOpBitwiseXor:
        *result = a ^ b;
        return true;
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        *result = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        *result = a != b;
        return true;
    case SpvOpULessThan:
        *result = a < b;
        return true;
    case SpvOpULessThanEqual:
        *result = a <= b;
        return true;
    case SpvOpUGreaterThan:
        *result = a > b;
        return true;
    case SpvOpUGreaterThanEqual:
        *result = a >= b;
        return true;
    case SpvOpSLessThan:
        *result = sa < sb;
        return true;
    case SpvOpSLessThanEqual:
        *result = sa <= sb;
        return true;
    case SpvOpSGreaterThan:
        *result = sa > sb;
        return true;
    case SpvOpSGreaterThanEqual:
        *result = sa >= sb;
        return true;
    default:
        return false;
    }
}

static bool fold_unary(uint32_t op, uint64_t a, uint32_t width, uint64_t *result)
{
    switch (op) {
    case SpvOpSConvert:
        *result = (uint64_t)sign_extend(a, width);
        return true;
    case SpvOpUConvert:
        *result = a;
        return true;
    case SpvOpNot:
        *result = ~a;
        return true;
    case SpvOpSNegate:
        *result = 0 - a;
        return true;
    case SpvOpLogicalNot:
        *result = !a;
        return true;
    default:
        return false;
    }
}

/* words[0] is the operation, operands follow. */
static bool fold(const struct spv_module *module, const struct spv_inst *inst, uint64_t *result)
{
    uint64_t values[3] = {0};
    uint32_t count = inst->num_words - 1;
    if (!count || count > 3)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        spv_id type = spv_def(module, inst->words[1 + i]) ? spv_value_type(module, inst->words[1 + i]) : 0;
        if (!type || spv_type_is_float(module, type) || !spv_const_value(module, inst->words[1 + i], &values[i]))
            return false;
    }
    spv_id first = spv_value_type(module, inst->words[1]);
    uint32_t width = spv_type_is_int(module, first) ? spv_type_width(module, first) : 1;
    if (count == 3) {
        *result = values[0] ? values[1] : values[2];
        return inst->words[0] == SpvOpSelect;
    }
    return count == 2 ? fold_binary(inst->words[0], values[0], values[1], width, result)
                      : fold_unary(inst->words[0], values[0], width, result);
}

static void make_constant(struct spv_module *module, struct spv_inst *inst, uint64_t value)
{
    if (spv_type_is_bool(module, inst->type)) {
        inst->op = value & 1 ? SpvOpConstantTrue : SpvOpConstantFalse;
        spv_inst_set_words(module, inst, 0, NULL);
        return;
    }
    uint32_t width = spv_type_width(module, inst->type);
    if (width < 64)
        value &= ((uint64_t)1 << width) - 1;
    const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
    inst->op = SpvOpConstant;
    spv_inst_set_words(module, inst, width > 32 ? 2 : 1, words);
}

const char *program_specialise(struct arena *arena, struct spv_module *module,
                               const struct clc_spec_constant *constants, uint32_t count)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        bool scalar =
            inst->op == SpvOpSpecConstant || inst->op == SpvOpSpecConstantTrue || inst->op == SpvOpSpecConstantFalse;
        const struct clc_spec_constant *given = scalar ? given_value(module, inst, constants, count) : NULL;
        const char *message = given ? set_value(arena, module, inst, given) : NULL;
        uint64_t value;
        if (message)
            return message;
        switch (inst->op) {
        case SpvOpSpecConstant:
            inst->op = SpvOpConstant;
            break;
        case SpvOpSpecConstantTrue:
            inst->op = SpvOpConstantTrue;
            break;
        case SpvOpSpecConstantFalse:
            inst->op = SpvOpConstantFalse;
            break;
        case SpvOpSpecConstantComposite:
            inst->op = SpvOpConstantComposite;
            break;
        case SpvOpSpecConstantOp:
            if ((spv_type_is_bool(module, inst->type) || spv_type_is_int(module, inst->type)) &&
                !spv_type_is_vector(module, inst->type) && fold(module, inst, &value))
                make_constant(module, inst, value);
            break;
        default:
            break;
        }
        if (scalar)
            spv_remove_annotations(module, inst->id);
    }
    return NULL;
}
