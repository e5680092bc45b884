/* Four values of 16 bits become one of 64 bits in a way that Mesa's Turnip (Adreno; seen with 25.0.7) gets to an end with.
 * Wherever it sees that both words of a 64-bit value are two packed values each, two of its rules undo each other for
 * ever, and the process hangs in vkCreateComputePipelines(). So one of the words is put together by a shift:
 *
 *     %d = OpBitcast %ulong %v    ->    %a = OpBitcast %uint (OpVectorShuffle %v2ushort %v %v 0 1)
 *                                       %b = (uint)%v.z | (uint)%v.w << 16
 *                                       %d = OpBitcast %ulong (OpCompositeConstruct %v2uint %a %b)
 *
 * The same is done to a pair of words that were such values just before. No probe can ask for that, since it would hang.
 * Devices that have doubles, as no Adreno has, are spared the shift. */
#include "compiler/lower/quirks/passes.h"

/* Two values of 16 bits: components first and first + 1 of a vector. */
struct halves {
    spv_id vector;
    uint32_t first;
};

/* Whether the value is two of 16 bits that became a word. */
static bool is_packed(const struct spv_module *module, spv_id value)
{
    const struct spv_inst *def = spv_def(module, value);
    return def->block && def->op == SpvOpBitcast && spv_type_count(module, spv_value_type(module, def->words[0])) == 2;
}

/* What the two words of a value are, if each of them is two values of 16 bits. */
static bool find_halves(const struct spv_module *module, spv_id value, struct halves words[2])
{
    spv_id type = spv_value_type(module, value);
    if (!spv_type_is_vector(module, type))
        return false;
    if (spv_type_count(module, type) == 4) {
        words[0] = (struct halves){value, 0};
        words[1] = (struct halves){value, 2};
        return true;
    }
    const struct spv_inst *pair = spv_def(module, value);
    if (!pair->block || pair->op != SpvOpCompositeConstruct || pair->num_words != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        if (!is_packed(module, pair->words[i]))
            return false;
        words[i] = (struct halves){spv_def(module, pair->words[i])->words[0], 0};
    }
    return true;
}

static spv_id word_by_cast(struct spv_builder *b, struct halves halves)
{
    struct spv_module *module = b->module;
    spv_id type = spv_value_type(module, halves.vector), vector = halves.vector;
    const uint32_t shuffle[4] = {vector, vector, halves.first, halves.first + 1};
    if (spv_type_count(module, type) > 2)
        vector =
            spv_emit(b, SpvOpVectorShuffle, spv_type_vector(module, spv_type_component(module, type), 2), 4, shuffle);
    return spv_emitv(b, SpvOpBitcast, spv_type_int(module, 32), vector);
}

static spv_id word_by_shift(struct spv_builder *b, struct halves halves)
{
    struct spv_module *module = b->module;
    spv_id from = spv_type_component(module, spv_value_type(module, halves.vector));
    spv_id half = spv_type_int(module, 16), word = spv_type_int(module, 32), parts[2];
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = spv_emitv(b, SpvOpCompositeExtract, from, halves.vector, halves.first + i);
        if (from != half)
            parts[i] = spv_emitv(b, SpvOpBitcast, half, parts[i]);
        parts[i] = spv_emitv(b, SpvOpUConvert, word, parts[i]);
    }
    parts[1] = spv_emitv(b, SpvOpShiftLeftLogical, word, parts[1], spv_const_u32(module, 16));
    return spv_emitv(b, SpvOpBitwiseOr, word, parts[0], parts[1]);
}

static void join_words(struct spv_builder *b, struct spv_inst *inst)
{
    struct spv_module *module = b->module;
    struct halves words[2];
    if (!find_halves(module, inst->words[0], words))
        return;
    const spv_id pair[2] = {word_by_cast(b, words[0]), word_by_shift(b, words[1])};
    inst->words[0] =
        spv_emit(b, SpvOpCompositeConstruct, spv_type_vector(module, spv_type_int(module, 32), 2), 2, pair);
}

bool lower_packs(struct lower *lower)
{
    struct spv_module *module = lower->module;
    if (lower->target->float64 || !lower->target->int64 || !lower->target->int16) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op != SpvOpBitcast || spv_type_width(module, inst->type) != 64 ||
                    spv_type_is_vector(module, inst->type))
                    continue;
                struct spv_builder b = {module, function, block, inst, NULL};
                join_words(&b, inst);
            }
        }
    }
    return true;
}
