/* Pairs of words in memory and in bit casts: there the two halves of a number lie side by side, the low one first.
 *
 *     %v = OpLoad %v2ulong %p Aligned 16    ->    %w = OpLoad %v4uint %q Aligned 16
 *                                                 %l = OpVectorShuffle %v2uint %w %w 0 2    and 1 3 for the high half
 *
 * Memory is accessed by one or two such numbers at a time: the passes before see to it where the target has no 64-bit
 * integers. */
#include "compiler/lower/weak/pairs.h"

static spv_id words_type(struct pairs *p, uint32_t lanes)
{
    return spv_type_vector(p->module, spv_type_int(p->module, 32), lanes * 2);
}

static spv_id lane_of(struct pairs *p, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(p->module, value);
    if (!spv_type_is_vector(p->module, type))
        return value;
    return spv_emitv(&p->b, SpvOpCompositeExtract, spv_type_component(p->module, type), value, lane);
}

spv_id pair_join(struct pairs *p, struct pair value, uint32_t lanes)
{
    if (lanes == 1)
        return spv_emitv(&p->b, SpvOpCompositeConstruct, words_type(p, 1), value.low, value.high);
    return spv_emitv(&p->b, SpvOpVectorShuffle, words_type(p, 2), value.low, value.high, 0, 2, 1, 3);
}

struct pair pair_split(struct pairs *p, spv_id words, uint32_t lanes)
{
    spv_id u32 = spv_type_int(p->module, 32), half = spv_type_vector(p->module, u32, lanes);
    if (lanes == 1)
        return (struct pair){spv_emitv(&p->b, SpvOpCompositeExtract, u32, words, 0),
                             spv_emitv(&p->b, SpvOpCompositeExtract, u32, words, 1)};
    return (struct pair){spv_emitv(&p->b, SpvOpVectorShuffle, half, words, words, 0, 2),
                         spv_emitv(&p->b, SpvOpVectorShuffle, half, words, words, 1, 3)};
}

/* ---- types ---- */

static spv_id map_struct(struct pairs *p, const struct spv_inst *def)
{
    spv_id *members = arena_array(p->arena, spv_id, def->num_words + 1u);
    bool changed = false;
    for (uint32_t i = 0; i < def->num_words; i++) {
        members[i] = pair_memory_type(p, def->words[i]);
        changed |= members[i] != def->words[i];
        if (!members[i])
            return 0;
    }
    if (!changed)
        return def->id;
    spv_id type = spv_type_struct(p->module, def->num_words, members);
    for (const struct spv_inst *it = spv_decorations(p->module, def->id); it; it = it->next_decoration) {
        if (it->op == SpvOpDecorate)
            spv_decorate(p->module, type, (SpvDecoration)it->words[1], it->num_words - 2, it->words + 2);
        else if (it->op == SpvOpMemberDecorate)
            spv_decorate_member(p->module, type, it->words[1], (SpvDecoration)it->words[2], it->num_words - 3,
                                it->words + 3);
    }
    return type;
}

static spv_id map_type(struct pairs *p, spv_id type)
{
    const struct spv_inst *def = spv_def(p->module, type);
    spv_id inner;
    switch (def->op) {
    case SpvOpTypeInt:
    case SpvOpTypeVector:
        if (!pair_is_wide(p, type))
            return type;
        return spv_type_count(p->module, type) <= 2 ? words_type(p, spv_type_count(p->module, type)) : 0;
    case SpvOpTypeStruct:
        return map_struct(p, def);
    case SpvOpTypePointer:
        inner = pair_memory_type(p, def->words[1]);
        if (!inner || inner == def->words[1])
            return inner ? type : 0;
        return spv_type_pointer(p->module, (SpvStorageClass)def->words[0], inner);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        inner = pair_memory_type(p, def->words[0]);
        return inner == def->words[0] ? type : 0;
    default:
        return type;
    }
}

spv_id pair_memory_type(struct pairs *p, spv_id type)
{
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&p->mapped, type);
    if (known)
        return known;
    spv_id mapped = map_type(p, type);
    if (!mapped) {
        lower_fail(p->lower, "internal error: memory of 64-bit integers that are no pairs of words");
        return 0;
    }
    u64_map_set(p->arena, &p->mapped, type, (void *)(uintptr_t)mapped);
    return mapped;
}

/* Whether the device has no arithmetic on this type of 8 or 16 bits. */
static bool is_only_stored(const struct pairs *p, spv_id type)
{
    const struct clc_target *target = p->lower->target;
    bool is_float = spv_type_is_float(p->module, type);
    if (!is_float && !spv_type_is_int(p->module, type))
        return false;
    uint32_t width = spv_type_width(p->module, type);
    return (width == 8 && !target->int8) || (width == 16 && !(is_float ? target->float16 : target->int16));
}

/* SPIRV-Tools' validator refuses a bit cast to a pointer from which it can reach a type that is only stored, as it does
 * one to the type itself. It follows no pointer that is declared forward, as those of GLSL's buffer references are. */
spv_id pair_block_pointer(struct pairs *p, spv_id pointer)
{
    struct spv_module *module = p->module;
    spv_id type = spv_pointer_pointee(module, pointer);
    if (!is_only_stored(p, type))
        return 0;
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&p->blocks, pointer);
    if (known)
        return known;
    uint32_t count = spv_type_count(module, type), lanes = count == 3 ? 4 : count;
    uint32_t stride = lanes * spv_type_width(module, type) / 8;
    spv_id array = spv_type(module, SpvOpTypeRuntimeArray, 1, &type);
    if (!spv_find_decoration(module, array, SpvDecorationArrayStride))
        spv_decorate(module, array, SpvDecorationArrayStride, 1, &stride);
    spv_id block = spv_type_struct(module, 1, &array);
    spv_decorate(module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(module, block, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    known = spv_type_forward_pointer(module, SpvStorageClassPhysicalStorageBuffer, block);
    u64_map_set(p->arena, &p->blocks, pointer, (void *)(uintptr_t)known);
    return known;
}

/* Makes the module's variables anew whose types change. */
bool pair_variables(struct pairs *p)
{
    spv_foreach_inst (inst, &p->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpVariable || inst->id >= p->num_ids)
            continue;
        spv_id type = pair_memory_type(p, inst->type);
        if (!type)
            return false;
        if (type == inst->type)
            continue;
        spv_id made = spv_global_variable(p->module, type, (SpvStorageClass)inst->words[0], 0);
        for (const struct spv_inst *it = spv_decorations(p->module, inst->id); it; it = it->next_decoration) {
            if (it->op == SpvOpDecorate)
                spv_decorate(p->module, made, (SpvDecoration)it->words[1], it->num_words - 2, it->words + 2);
        }
        spv_replace(p->module, &p->replacements, inst->id, made);
        vec_push(p->arena, &p->dead, inst);
    }
    return true;
}

/* ---- accesses ---- */

bool pair_load(struct pairs *p, struct spv_inst *inst)
{
    spv_id type = pair_memory_type(p, inst->type);
    uint32_t words[8];
    if (!type || inst->num_words > 8)
        return false;
    for (uint32_t i = 0; i < inst->num_words; i++)
        words[i] = inst->words[i];
    words[0] = pair_resolve(p, words[0]);
    spv_id loaded = spv_emit(&p->b, SpvOpLoad, type, inst->num_words, words);
    pair_define(p, inst, pair_split(p, loaded, spv_type_count(p->module, inst->type)));
    return true;
}

bool pair_store(struct pairs *p, struct spv_inst *inst)
{
    spv_id type = spv_value_type(p->module, inst->words[1]);
    if (!pair_memory_type(p, type))
        return false;
    inst->words[1] = pair_join(p, pair_of(p, inst->words[1]), spv_type_count(p->module, type));
    return true;
}

/* ---- bit casts ---- */

/* The words of lanes [first, first + count) of a value whose lanes have 64 bits, or of a whole value. */
static spv_id words_of(struct pairs *p, spv_id value, uint32_t first, uint32_t count)
{
    spv_id type = spv_value_type(p->module, value), words = words_type(p, count);
    uint32_t lanes = spv_type_count(p->module, type);
    if (pair_is_wide(p, type)) {
        struct pair whole = pair_of(p, value);
        if (lanes <= 2)
            return pair_join(p, whole, lanes);
        return pair_join(p, (struct pair){lane_of(p, whole.low, first), lane_of(p, whole.high, first)}, 1);
    }
    if (lanes > 2 && spv_type_width(p->module, type) == 64)
        value = lane_of(p, value, first);
    return spv_value_type(p->module, value) == words ? value : spv_emitv(&p->b, SpvOpBitcast, words, value);
}

static spv_id gather(struct pairs *p, spv_id component, uint32_t lanes, const spv_id *values)
{
    return lanes == 1
               ? values[0]
               : spv_emit(&p->b, SpvOpCompositeConstruct, spv_type_vector(p->module, component, lanes), lanes, values);
}

/* Casts with a 64-bit integer on either side. Three and four lanes go one by one: then both sides have 64-bit lanes. */
bool pair_bitcast(struct pairs *p, struct spv_inst *inst)
{
    spv_id value = pair_resolve(p, inst->words[0]), from = spv_value_type(p->module, value), to = inst->type;
    bool wide = pair_is_wide(p, to);
    if (wide && pair_is_wide(p, from)) {
        pair_define(p, inst, pair_of(p, value));
        return true;
    }
    uint32_t lanes = spv_type_count(p->module, wide ? to : from), step = lanes <= 2 ? lanes : 1;
    spv_id low[4], high[4], component = spv_type_component(p->module, to);
    for (uint32_t i = 0; i < lanes; i += step) {
        spv_id words = words_of(p, value, i, step);
        if (wide) {
            struct pair part = pair_split(p, words, step);
            low[i] = part.low;
            high[i] = part.high;
        } else {
            spv_id part = step == lanes ? to : component;
            low[i] = spv_value_type(p->module, words) == part ? words : spv_emitv(&p->b, SpvOpBitcast, part, words);
        }
    }
    spv_id u32 = spv_type_int(p->module, 32);
    uint32_t parts = lanes / step;
    if (wide)
        pair_define(p, inst, (struct pair){gather(p, u32, parts, low), gather(p, u32, parts, high)});
    else
        pair_replace(p, inst, gather(p, component, parts, low));
    return true;
}
