/* Keeps the rounding of a float to half that is widened again. NVIDIA's driver takes (float)(half)x for x, though each
 * of the two conversions is exact by itself. It does so wherever it can follow the half from one to the other, through
 * memory, too. So where a kernel has conversions of both directions, the bits of each half that a float becomes are
 * changed in a way that only looks like a change:
 *
 *     h = OpFConvert %half f    ->    h = bits(OpFConvert %half f) | hidden        hidden is 0, but no driver knows
 *
 * On other drivers, by the probe (clc_target.drops_half_rounding), this pass does nothing. It expects Vulkan's SPIR-V,
 * except that the entry point has no interface yet. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

static bool is_half(const struct spv_module *module, spv_id type)
{
    return spv_type_is_float(module, type) && spv_type_width(module, type) == 16;
}

static bool is_narrowing(const struct spv_module *module, const struct spv_inst *inst)
{
    return inst->op == SpvOpFConvert && is_half(module, inst->type) &&
           spv_type_width(module, spv_value_type(module, inst->words[0])) == 32;
}

static bool is_widening(const struct spv_module *module, const struct spv_inst *inst)
{
    return inst->op == SpvOpFConvert && is_half(module, spv_value_type(module, inst->words[0]));
}

static bool has_both(const struct spv_module *module)
{
    bool narrows = false, widens = false;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpFConvert) {
                    narrows = narrows || is_narrowing(module, inst);
                    widens = widens || is_widening(module, inst);
                }
            }
        }
    }
    return narrows && widens;
}

/* The conversion itself moves to an instruction before inst, which keeps its id for what others use. */
static void hide_result(struct spv_module *module, struct spv_function *function, struct spv_block *block,
                        struct spv_inst *inst, spv_id hidden)
{
    struct spv_builder b = {module, function, block, inst, NULL};
    uint32_t lanes = spv_type_count(module, inst->type);
    spv_id u16 = spv_type_int(module, 16), bits = spv_type_vector(module, u16, lanes);
    spv_id half = spv_emitv(&b, SpvOpFConvert, inst->type, inst->words[0]);
    if (lanes > 1) {
        const spv_id parts[4] = {hidden, hidden, hidden, hidden};
        hidden = spv_emit(&b, SpvOpCompositeConstruct, bits, lanes, parts);
    }
    spv_id changed = spv_emitv(&b, SpvOpBitwiseOr, bits, spv_emitv(&b, SpvOpBitcast, bits, half), hidden);
    spv_remove_annotations(module, inst->id);
    inst->op = SpvOpBitcast;
    spv_inst_set_words(module, inst, 1, &changed);
}

static void hide_in(struct lower *lower, struct spv_function *function)
{
    struct spv_module *module = lower->module;
    spv_id hidden = 0;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!is_narrowing(module, inst) || spv_type_count(module, inst->type) > 4)
                continue;
            if (!hidden) {
                spv_id zero = lower_hidden_zero(lower, function);
                struct spv_inst *next = spv_def(module, zero)->next;
                struct spv_builder b = {module, function, function->first_block, next, NULL};
                hidden = spv_emitv(&b, SpvOpUConvert, spv_type_int(module, 16), zero);
            }
            hide_result(module, function, block, inst, hidden);
        }
    }
}

bool lower_halves(struct lower *lower)
{
    if (!lower->target->drops_half_rounding || !has_both(lower->module)) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        if (function->first_block)
            hide_in(lower, function);
    }
    return true;
}
