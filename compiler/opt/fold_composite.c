/* Folding of vectors and structures: a part of what was put together is that part, and what is put together of all
 * parts is the whole. Looks through constructions, insertions and shuffles. See fold.c. */
#include "compiler/opt/fold_pass.h"

#include <string.h>

static spv_id extract_constant(struct fold *f, const struct spv_inst *inst, const struct spv_inst *composite)
{
    if (composite->op == SpvOpConstantNull)
        return spv_const_null(f->module, inst->type);
    if (composite->op == SpvOpUndef)
        return spv_undef(f->module, inst->type);
    return 0;
}

/* extract(x, i, rest...) where x holds member at its i: extract(member, rest...) */
static spv_id extract_member(struct fold *f, struct spv_inst *inst, spv_id member)
{
    if (inst->num_words == 2)
        return member;
    uint32_t *words = arena_array(f->module->arena, uint32_t, inst->num_words - 1);
    words[0] = member;
    memcpy(words + 1, inst->words + 2, (inst->num_words - 2) * sizeof(*words));
    fold_become(f, inst, SpvOpCompositeExtract, inst->num_words - 1, words);
    return 0;
}

static spv_id extract_construct(struct fold *f, struct spv_inst *inst, const struct spv_inst *composite)
{
    uint32_t index = inst->words[1];
    if (!spv_type_is_vector(f->module, composite->type))
        return extract_member(f, inst, composite->words[index]);
    for (uint32_t i = 0; i < composite->num_words; i++) {
        uint32_t count = spv_type_count(f->module, spv_value_type(f->module, composite->words[i]));
        if (index >= count) {
            index -= count;
            continue;
        }
        if (count == 1)
            return composite->words[i];
        fold_become(f, inst, SpvOpCompositeExtract, 2, (const uint32_t[]){composite->words[i], index});
        return 0;
    }
    return 0;
}

static spv_id extract_insert(struct fold *f, struct spv_inst *inst, const struct spv_inst *insert)
{
    uint32_t num_inserted = insert->num_words - 2, num_extracted = inst->num_words - 1;
    uint32_t common = num_inserted < num_extracted ? num_inserted : num_extracted, same = 0;
    while (same < common && insert->words[2 + same] == inst->words[1 + same])
        same++;
    if (same < common) { /* another part */
        inst->words[0] = insert->words[1];
        f->changed = true;
        return 0;
    }
    if (num_inserted > num_extracted)
        return 0;
    if (num_inserted == num_extracted)
        return insert->words[0];
    uint32_t rest = num_extracted - num_inserted;
    uint32_t *words = arena_array(f->module->arena, uint32_t, rest + 1);
    words[0] = insert->words[0];
    memcpy(words + 1, inst->words + 1 + num_inserted, rest * sizeof(*words));
    fold_become(f, inst, SpvOpCompositeExtract, rest + 1, words);
    return 0;
}

static spv_id extract_shuffle(struct fold *f, struct spv_inst *inst, const struct spv_inst *shuffle)
{
    uint32_t component = shuffle->words[2 + inst->words[1]];
    uint32_t count = spv_type_count(f->module, spv_value_type(f->module, shuffle->words[0]));
    if (component == UINT32_MAX)
        return spv_undef(f->module, inst->type);
    bool second = component >= count;
    inst->words[0] = shuffle->words[second ? 1 : 0];
    inst->words[1] = second ? component - count : component;
    f->changed = true;
    return 0;
}

static spv_id simplify_extract(struct fold *f, struct spv_inst *inst)
{
    if (inst->num_words < 2)
        return inst->words[0];
    const struct spv_inst *composite = fold_def(f, inst->words[0]);
    switch (composite->op) {
    case SpvOpConstantComposite:
        return extract_member(f, inst, composite->words[inst->words[1]]);
    case SpvOpCompositeConstruct:
        return extract_construct(f, inst, composite);
    case SpvOpCompositeInsert:
        return composite->num_words > 2 ? extract_insert(f, inst, composite) : 0;
    case SpvOpVectorShuffle:
        return extract_shuffle(f, inst, composite);
    default:
        return extract_constant(f, inst, composite);
    }
}

/* construct(extract(x, 0), extract(x, 1)...) => x */
static spv_id construct_of_extracts(struct fold *f, const struct spv_inst *inst)
{
    spv_id source = 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        const struct spv_inst *part = fold_def_if(f, inst->words[i], SpvOpCompositeExtract);
        if (!part || part->num_words != 2 || part->words[1] != i || (source && part->words[0] != source))
            return 0;
        source = part->words[0];
    }
    return source && spv_value_type(f->module, source) == inst->type ? source : 0;
}

static spv_id simplify_construct(struct fold *f, const struct spv_inst *inst)
{
    bool constant = true, undefined = true;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        const struct spv_inst *part = fold_def(f, inst->words[i]);
        constant = constant && spv_is_constant(f->module, inst->words[i]) && part->op != SpvOpSpecConstant &&
                   part->op != SpvOpSpecConstantOp && part->op != SpvOpSpecConstantTrue &&
                   part->op != SpvOpSpecConstantFalse && part->op != SpvOpSpecConstantComposite;
        undefined = undefined && part->op == SpvOpUndef;
    }
    if (!inst->num_words)
        return 0;
    if (undefined)
        return spv_undef(f->module, inst->type);
    if (!constant)
        return construct_of_extracts(f, inst);
    if (!spv_type_is_vector(f->module, inst->type))
        return spv_const_composite(f->module, inst->type, inst->num_words, inst->words);
    spv_id parts[16];
    uint32_t count = 0, total = spv_type_count(f->module, inst->type);
    spv_id component = spv_type_component(f->module, inst->type);
    for (uint32_t i = 0; i < inst->num_words; i++) {
        uint32_t num = spv_type_count(f->module, spv_value_type(f->module, inst->words[i]));
        for (uint32_t k = 0; k < num && count < total; k++) {
            uint64_t bits;
            if (!fold_component(f->module, inst->words[i], k, &bits))
                return 0;
            parts[count++] = spv_const_bits(f->module, component, bits);
        }
    }
    return count == total ? spv_const_composite(f->module, inst->type, count, parts) : 0;
}

static spv_id shuffle_of_constants(struct fold *f, const struct spv_inst *inst)
{
    spv_id parts[16], component = spv_type_component(f->module, inst->type);
    uint32_t count = spv_type_count(f->module, spv_value_type(f->module, inst->words[0]));
    for (uint32_t i = 2; i < inst->num_words; i++) {
        uint32_t index = inst->words[i];
        bool second = index != UINT32_MAX && index >= count;
        uint64_t bits = 0;
        if (index != UINT32_MAX &&
            !fold_component(f->module, inst->words[second], second ? index - count : index, &bits))
            return 0;
        parts[i - 2] = spv_const_bits(f->module, component, bits);
    }
    return spv_const_composite(f->module, inst->type, inst->num_words - 2, parts);
}

/* A shuffle that reads only one of its vectors, where that vector is itself a shuffle: it then reads the vectors of the
 * inner shuffle. */
static bool shuffle_of_shuffle(struct fold *f, struct spv_inst *inst, uint32_t side, uint32_t first)
{
    const struct spv_inst *inner = fold_def_if(f, inst->words[side], SpvOpVectorShuffle);
    if (!inner)
        return false;
    uint32_t words[18] = {inner->words[0], inner->words[1]};
    for (uint32_t i = 2; i < inst->num_words; i++)
        words[i] = inst->words[i] == UINT32_MAX ? UINT32_MAX : inner->words[2 + inst->words[i] - first];
    fold_become(f, inst, SpvOpVectorShuffle, inst->num_words, words);
    return true;
}

static spv_id simplify_shuffle(struct fold *f, struct spv_inst *inst)
{
    uint32_t count = spv_type_count(f->module, spv_value_type(f->module, inst->words[0]));
    bool first_only = true, second_only = true, straight = true;
    for (uint32_t i = 2; i < inst->num_words; i++) {
        uint32_t index = inst->words[i];
        first_only = first_only && (index == UINT32_MAX || index < count);
        second_only = second_only && (index == UINT32_MAX || index >= count);
        straight = straight && (index == UINT32_MAX || index == i - 2 + (second_only ? count : 0));
    }
    if (first_only && straight && spv_value_type(f->module, inst->words[0]) == inst->type)
        return inst->words[0];
    if (second_only && straight && spv_value_type(f->module, inst->words[1]) == inst->type)
        return inst->words[1];
    spv_id constant = shuffle_of_constants(f, inst);
    if (constant)
        return constant;
    if (first_only)
        shuffle_of_shuffle(f, inst, 0, 0);
    else if (second_only)
        shuffle_of_shuffle(f, inst, 1, count);
    return 0;
}

static spv_id simplify_dynamic(struct fold *f, struct spv_inst *inst)
{
    bool extracts = inst->op == SpvOpVectorExtractDynamic;
    uint64_t index;
    if (!spv_const_value(f->module, inst->words[extracts ? 1 : 2], &index))
        return 0;
    if (index >= spv_type_count(f->module, spv_value_type(f->module, inst->words[0])))
        return spv_undef(f->module, inst->type);
    if (extracts)
        fold_become(f, inst, SpvOpCompositeExtract, 2, (const uint32_t[]){inst->words[0], (uint32_t)index});
    else
        fold_become(f, inst, SpvOpCompositeInsert, 3,
                    (const uint32_t[]){inst->words[1], inst->words[0], (uint32_t)index});
    return 0;
}

spv_id fold_composite(struct fold *f, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpCompositeExtract:
        return simplify_extract(f, inst);
    case SpvOpCompositeConstruct:
        return simplify_construct(f, inst);
    case SpvOpVectorShuffle:
        return simplify_shuffle(f, inst);
    case SpvOpCompositeInsert:
        return 0;
    default:
        return simplify_dynamic(f, inst);
    }
}
