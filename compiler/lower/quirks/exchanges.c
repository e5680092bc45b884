/* Numbers of 64 bits that are exchanged in memory depend on the work-item, as far as the driver sees.
 *
 *     %r = OpAtomicExchange %ulong %p .. %v     ->    %z = 0, both words of it as LocalInvocationId.x >> 31
 *                                                     %d = OpBitwiseOr %ulong %v %z
 *                                                     %r = OpAtomicExchange %ulong %p .. %d
 *
 * Mesa's Turnip (Adreno 7xx; seen with 25.0.7) reads memory that it does not own, and mostly crashes, where the number
 * is the same for all work-items, such as an argument: it keeps those in a place of their own. OpAtomicCompareExchange's
 * numbers likewise, and one of them by an addition: the driver crashes, too, where it computes both at once. Constants
 * and other atomics are fine. No probe can ask for that. Devices that have doubles, as no Adreno has, are spared it. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/values/launch.h"

static void vary(struct lower *lower, struct spv_builder *b, uint32_t *word, SpvOp op)
{
    struct spv_module *module = lower->module;
    spv_id type = spv_value_type(module, *word), u32 = spv_type_int(module, 32);
    if (spv_is_constant(module, *word) || spv_type_width(module, type) != 64)
        return;
    spv_id id = lower_emit_vulkan_builtin(lower, b, SpvBuiltInLocalInvocationId, 0);
    spv_id zero = spv_emitv(b, SpvOpShiftRightLogical, u32, id, spv_const_u32(module, 31));
    spv_id both = spv_emitv(b, SpvOpCompositeConstruct, spv_type_vector(module, u32, 2), zero, zero);
    *word = spv_emitv(b, op, type, *word, spv_emitv(b, SpvOpBitcast, type, both));
}

bool lower_exchanges(struct lower *lower)
{
    lower->idle = true;
    if (lower->target->float64 || !lower->target->int64 || !lower->target->buffer_int64_atomics)
        return true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                struct spv_builder b = {lower->module, function, block, inst};
                if (inst->op != SpvOpAtomicExchange && inst->op != SpvOpAtomicCompareExchange)
                    continue;
                lower->idle = false;
                if (inst->op == SpvOpAtomicCompareExchange) {
                    vary(lower, &b, &inst->words[4], SpvOpBitwiseOr);
                    vary(lower, &b, &inst->words[5], SpvOpIAdd);
                } else {
                    vary(lower, &b, &inst->words[3], SpvOpBitwiseOr);
                }
            }
        }
    }
    return true;
}
