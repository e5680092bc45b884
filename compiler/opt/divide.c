/* Quotients and remainders of 64 bits whose dividend fits into 32 are computed in 32:
 *
 *     %q = OpUDiv %ulong (%uint a) %b        =>      %far = %b >> 32 != 0
 *                                                    %n = OpUDiv %uint a (%far ? 1 : %b)
 *                                                    %q = %far ? 0 : %n
 *
 * A work-group's size divided by an int is of this kind, since OpenCL's sizes are of 64 bits and the int is widened to
 * them. Devices have no instruction for it: a quotient of 64 bits takes several times as long as one of 32. Where the
 * divisor is known to fit, too, nothing is chosen. */
#include "compiler/opt/opt.h"

enum { MAX_DEPTH = 6 };

/* Whether a number of 64 bits has only zeros in its upper half. */
static bool fits(const struct spv_module *module, spv_id id, uint32_t depth)
{
    const struct spv_inst *def = spv_def(module, id);
    uint64_t bits;
    if (spv_const_value(module, id, &bits))
        return bits <= UINT32_MAX;
    if (!def->block || depth == MAX_DEPTH)
        return false;
    switch (def->op) {
    case SpvOpUConvert:
        return spv_type_width(module, spv_value_type(module, def->words[0])) <= 32;
    case SpvOpBitwiseAnd:
    case SpvOpUMod:
        return fits(module, def->words[0], depth + 1) || fits(module, def->words[1], depth + 1);
    case SpvOpUDiv:
        return fits(module, def->words[0], depth + 1);
    case SpvOpBitwiseOr:
        return fits(module, def->words[0], depth + 1) && fits(module, def->words[1], depth + 1);
    case SpvOpSelect:
        return fits(module, def->words[1], depth + 1) && fits(module, def->words[2], depth + 1);
    case SpvOpShiftRightLogical:
        return (spv_const_value(module, def->words[1], &bits) && bits >= 32 && bits < 64) ||
               fits(module, def->words[0], depth + 1);
    default:
        return false;
    }
}

static bool rewrite(struct spv_module *module, struct spv_inst *inst)
{
    spv_id a = inst->words[0], b = inst->words[1], u64 = inst->type, u32 = spv_type_int(module, 32);
    uint64_t bits;
    if (spv_type_is_vector(module, u64) || spv_type_width(module, u64) != 64 || !fits(module, a, 0) ||
        (spv_const_value(module, b, &bits) && bits > UINT32_MAX))
        return false;
    struct spv_builder at = {module, inst->block->function, inst->block, inst, NULL};
    bool narrow = fits(module, b, 0);
    spv_id divisor = spv_emitv(&at, SpvOpUConvert, u32, b), far = 0;
    if (!narrow) {
        spv_id high = spv_emitv(&at, SpvOpShiftRightLogical, u64, b, spv_const_bits(module, u64, 32));
        far = spv_emitv(&at, SpvOpINotEqual, spv_type_bool(module), high, spv_const_bits(module, u64, 0));
        divisor = spv_emitv(&at, SpvOpSelect, u32, far, spv_const_u32(module, 1), divisor);
    }
    spv_id dividend = spv_emitv(&at, SpvOpUConvert, u32, a);
    spv_id result = spv_emitv(&at, (SpvOp)inst->op, u32, dividend, divisor);
    if (!narrow)
        result =
            spv_emitv(&at, SpvOpSelect, u32, far, inst->op == SpvOpUDiv ? spv_const_u32(module, 0) : dividend, result);
    inst->op = SpvOpUConvert;
    spv_inst_set_words(module, inst, 1, &result);
    return true;
}

bool opt_divide(struct spv_module *module, struct spv_function *function)
{
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpUDiv || inst->op == SpvOpUMod)
                changed |= rewrite(module, inst);
        }
    }
    return changed;
}
