/* Bytes and 16-bit parts of words that are converted to wider numbers as soon as they are taken from the word:
 *
 *     %b = OpBitcast %uchar4 %word           =>
 *     %f = OpConvertUToF %float4 %b               %f0 = OpConvertUToF %float (%word & 255)
 *                                                 %f1 = OpConvertUToF %float ((%word >> 8) & 255) ...
 *                                                 %f = OpCompositeConstruct %float4 %f0 %f1 ...
 *
 * A vector of bytes is loaded as the words that it fills (access.c). Drivers first take such a word apart into 8-bit
 * registers and then widen each of those, which is slow. They handle shifts of the word well: a filter over uchar4 runs
 * 1.6 times as fast on NVIDIA's driver. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"

struct bytes {
    struct spv_module *module;
    struct spv_builder at;
    spv_id u32;
};

static uint32_t width_of(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) ? spv_type_width(module, type) : 0;
}

/* The instruction that bitcasts a word, or words, to narrower parts. NULL where id is not such a bitcast. */
static const struct spv_inst *parts_of_words(const struct bytes *p, spv_id id)
{
    const struct spv_inst *def = spv_def(p->module, id);
    if (!def->block || def->op != SpvOpBitcast || !spv_type_is_vector(p->module, def->type))
        return NULL;
    uint32_t width = width_of(p->module, def->type);
    return (width == 8 || width == 16) && width_of(p->module, spv_value_type(p->module, def->words[0])) == 32 ? def
                                                                                                              : NULL;
}

static bool is_widening(const struct bytes *p, const struct spv_inst *inst)
{
    return spv_op_class(inst->op) == SPV_CLASS_INT_TO_FLOAT ||
           (spv_op_is_resize(inst->op) && spv_type_width(p->module, inst->type) >= 32);
}

static spv_id shift(struct bytes *p, SpvOp op, spv_id word, uint32_t bits)
{
    return bits ? spv_emitv(&p->at, op, p->u32, word, spv_const_u32(p->module, bits)) : word;
}

/* Component i of the parts, zero- or sign-extended to a word. */
static spv_id widen(struct bytes *p, const struct spv_inst *parts, uint32_t i, bool is_signed)
{
    uint32_t width = spv_type_width(p->module, parts->type), in_word = 32 / width, low = i % in_word * width;
    spv_id word = parts->words[0];
    if (spv_type_is_vector(p->module, spv_value_type(p->module, word)))
        word = spv_emitv(&p->at, SpvOpCompositeExtract, p->u32, word, i / in_word);
    if (is_signed) {
        word = shift(p, SpvOpShiftLeftLogical, word, 32 - width - low);
        return shift(p, SpvOpShiftRightArithmetic, word, 32 - width);
    }
    word = shift(p, SpvOpShiftRightLogical, word, low);
    if (low + width == 32)
        return word;
    return spv_emitv(&p->at, SpvOpBitwiseAnd, p->u32, word, spv_const_u32(p->module, (1u << width) - 1));
}

static bool rewrite_component(struct bytes *p, struct spv_inst *inst, bool is_signed)
{
    const struct spv_inst *component = spv_def(p->module, inst->words[0]);
    if (!component->block || component->op != SpvOpCompositeExtract || component->num_words != 2)
        return false;
    const struct spv_inst *parts = parts_of_words(p, component->words[0]);
    if (!parts)
        return false;
    spv_id word = widen(p, parts, component->words[1], is_signed);
    if (inst->type == p->u32)
        inst->op = SpvOpCopyObject;
    spv_inst_set_words(p->module, inst, 1, &word);
    return true;
}

/* Rewrites inst where it widens such a vector as a whole or one component of it. */
static bool rewrite(struct bytes *p, struct spv_inst *inst)
{
    if (!is_widening(p, inst) || spv_decorations(p->module, inst->id))
        return false;
    bool is_signed = spv_op_is_signed(inst->op);
    const struct spv_inst *parts = parts_of_words(p, inst->words[0]);
    p->at = (struct spv_builder){p->module, inst->block->function, inst->block, inst};
    if (!parts)
        return rewrite_component(p, inst, is_signed);
    spv_id values[4], type = spv_type_component(p->module, inst->type);
    uint32_t count = spv_type_count(p->module, inst->type);
    if (count > 4)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = widen(p, parts, i, is_signed);
        if (type != p->u32)
            values[i] = spv_emitv(&p->at, inst->op, type, values[i]);
    }
    inst->op = SpvOpCompositeConstruct;
    spv_inst_set_words(p->module, inst, count, values);
    return true;
}

bool opt_bytes(struct spv_module *module, struct spv_function *function)
{
    struct bytes p = {.module = module, .u32 = spv_type_int(module, 32)};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts)
            changed |= rewrite(&p, inst);
    }
    return changed;
}
