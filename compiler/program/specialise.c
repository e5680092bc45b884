/* Specialisation: spec constants become ordinary ones, and integer operations on them are folded. So lowering meets
 * OpSpecConstantOp only where it computes addresses (SPIR-V 1.6, 2.12). */
#include "compiler/opt/fold.h"
#include "compiler/program/program.h"

#include "base/util.h"

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

static bool is_scalar(const struct spv_inst *inst)
{
    return inst->op == SpvOpSpecConstant || inst->op == SpvOpSpecConstantTrue || inst->op == SpvOpSpecConstantFalse;
}

/* In bytes. OpenCL 3.0 API, 5.8.2: that of a bool is one byte. */
static uint32_t value_size(const struct spv_module *module, const struct spv_inst *inst)
{
    return inst->op == SpvOpSpecConstant ? spv_type_width(module, inst->type) / 8 : 1;
}

uint32_t program_spec_constants(const struct spv_module *module, struct clc_spec_constant *list, uint32_t count)
{
    uint32_t found = 0;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        const struct spv_inst *decoration =
            is_scalar(inst) ? spv_find_decoration(module, inst->id, SpvDecorationSpecId) : NULL;
        if (!decoration)
            continue;
        if (found < count)
            list[found] = (struct clc_spec_constant){decoration->words[2], value_size(module, inst), 0};
        found++;
    }
    return found;
}

static const char *set_value(struct arena *arena, struct spv_module *module, struct spv_inst *inst,
                             const struct clc_spec_constant *given)
{
    uint32_t size = value_size(module, inst);
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

/* The value of an operation on constants, if it is a bool or an integer. words[0] is the operation, operands follow.
 * False where the value is undefined (a division by zero); the device then computes it. */
static bool evaluate(const struct spv_module *module, const struct spv_inst *inst, uint64_t *result)
{
    struct fold_scalar operands[3], value;
    uint32_t count = inst->num_words - 1;
    if (!count || count > ARRAY_LENGTH(operands) || inst->words[0] > UINT16_MAX ||
        !fold_scalar_type(module, inst->type, &value) || value.is_float)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_inst *operand = spv_def(module, inst->words[1 + i]);
        if (!operand || !fold_scalar_type(module, operand->type, &operands[i]) ||
            !spv_const_value(module, operand->id, &operands[i].bits))
            return false;
    }
    if (inst->words[0] == SpvOpSelect) {
        *result = operands[0].bits ? operands[1].bits : operands[2].bits;
        return count == 3;
    }
    const struct spv_inst operation = {.op = (uint16_t)inst->words[0],
                                       .type = inst->type,
                                       .id = inst->id,
                                       .num_words = count,
                                       .words = inst->words + 1};
    bool known = fold_scalars(module, &operation, operands, &value);
    *result = value.bits;
    return known;
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
        bool scalar = is_scalar(inst);
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
            if (evaluate(module, inst, &value))
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
