/* Vectors of 8 and 16 components, which Vulkan does not have, become two or four vectors of four.
 *
 * By now there are no pointers to such vectors, only values: arithmetic, selects, phis, shuffles, constructions.
 *
 *     %c = OpFAdd %float8 %a %b      ->    %c0 = OpFAdd %float4 %a0 %b0    %c1 = OpFAdd %float4 %a1 %b1
 *
 * Operations that work component by component are repeated for each part; those that move components pick them from the
 * parts. Short vectors stay as they are, but for shuffles and conversions that also involve a long one. */
#include "compiler/lower/ends/passes.h"

#include <string.h>

struct vectors {
    struct lower *lower;
    struct arena *arena;
    struct spv_module *module;
    struct u64_map parts; /* long value -> spv_id[count / 4] */
    struct spv_replacements replacements;
    VEC(struct spv_inst *) phis, dead;
};

static bool is_long(const struct spv_module *module, spv_id type)
{
    return type && spv_type_is_vector(module, type) && spv_type_count(module, type) > 4;
}

static spv_id part_type(struct vectors *v, spv_id type)
{
    return spv_type_vector(v->module, spv_type_component(v->module, type), 4);
}

static spv_id resolve(struct vectors *v, spv_id id)
{
    return spv_replaced(&v->replacements, id);
}

static spv_id *new_parts(struct vectors *v, spv_id value, uint32_t count)
{
    spv_id *parts = arena_array(v->arena, spv_id, count / 4);
    u64_map_set(v->arena, &v->parts, value, parts);
    return parts;
}

static spv_id constant_part(struct vectors *v, const struct spv_inst *def, spv_id type, uint32_t first)
{
    spv_id words[4];
    for (uint32_t i = 0; i < 4; i++)
        words[i] = first + i < def->num_words ? def->words[first + i] : 0;
    return spv_const_composite(v->module, type, 4, words);
}

/* The parts of a long value. */
static const spv_id *parts_of(struct vectors *v, spv_id value)
{
    value = resolve(v, value);
    spv_id *parts = u64_map_get(&v->parts, value);
    if (parts)
        return parts;
    const struct spv_inst *def = spv_def(v->module, value);
    spv_id value_type = spv_value_type(v->module, value), type = part_type(v, value_type);
    uint32_t count = spv_type_count(v->module, value_type);
    parts = new_parts(v, value, count);
    for (uint32_t i = 0; i < count / 4; i++) {
        if (def && (def->op == SpvOpConstantComposite || def->op == SpvOpSpecConstantComposite))
            parts[i] = constant_part(v, def, type, i * 4);
        else if (def && def->op == SpvOpConstantNull)
            parts[i] = spv_const_null(v->module, type);
        else
            parts[i] = spv_undef(v->module, type);
        if (def && def->block)
            lower_fail(v->lower, "%s of a vector of %u components is not supported", spv_op_name(def->op), count);
    }
    return parts;
}

static struct spv_builder before(struct vectors *v, struct spv_inst *inst)
{
    return (struct spv_builder){v->module, inst->block->function, inst->block, inst};
}

static void replace(struct vectors *v, struct spv_inst *inst, spv_id value)
{
    spv_replace(v->module, &v->replacements, inst->id, value);
    vec_push(v->arena, &v->dead, inst);
}

/* Component i of a vector or scalar, short or long. */
static spv_id component(struct vectors *v, struct spv_builder *b, spv_id value, uint32_t i)
{
    spv_id type = spv_value_type(v->module, resolve(v, value));
    value = resolve(v, value);
    if (!spv_type_is_vector(v->module, type))
        return value;
    if (is_long(v->module, type)) {
        value = parts_of(v, value)[i / 4];
        i %= 4;
    }
    return spv_emitv(b, SpvOpCompositeExtract, spv_type_component(v->module, type), value, i);
}

/* ---- moving components ---- */

struct source { /* where a component comes from: a vector of up to four, or a scalar */
    spv_id value;
    uint32_t index;
    bool scalar;
};

static struct source source_of(struct vectors *v, spv_id value, uint32_t i)
{
    value = resolve(v, value);
    spv_id type = spv_value_type(v->module, value);
    if (!spv_type_is_vector(v->module, type))
        return (struct source){value, 0, true};
    if (is_long(v->module, type))
        return (struct source){parts_of(v, value)[i / 4], i % 4, false};
    return (struct source){value, i, false};
}

/* Makes a vector (or a scalar, for one component) of components from anywhere. If they come from at most two vectors,
 * it is one shuffle. */
static spv_id gather(struct vectors *v, struct spv_builder *b, spv_id component_type, uint32_t count,
                     const struct source *from)
{
    spv_id type = spv_type_vector(v->module, component_type, count), first = from[0].value, second = 0;
    bool identity = true, shuffles = true;
    for (uint32_t i = 0; i < count; i++) {
        shuffles &= !from[i].scalar;
        identity &= from[i].value == first && from[i].index == i;
        if (from[i].value != first && !second)
            second = from[i].value;
        shuffles &= from[i].value == first || from[i].value == second;
    }
    if (count == 1)
        return from[0].scalar ? first : spv_emitv(b, SpvOpCompositeExtract, component_type, first, from[0].index);
    if (identity && spv_value_type(v->module, first) == type)
        return first;
    uint32_t words[6];
    if (shuffles) {
        uint32_t width = spv_type_count(v->module, spv_value_type(v->module, first));
        words[0] = first;
        words[1] = second ? second : first;
        for (uint32_t i = 0; i < count; i++)
            words[2 + i] = from[i].value == first ? from[i].index : width + from[i].index;
        return spv_emit(b, SpvOpVectorShuffle, type, 2 + count, words);
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] = from[i].scalar ? from[i].value
                                  : spv_emitv(b, SpvOpCompositeExtract, component_type, from[i].value, from[i].index);
    return spv_emit(b, SpvOpCompositeConstruct, type, count, words);
}

/* Makes inst's result of these components. */
static void assemble(struct vectors *v, struct spv_inst *inst, const struct source *from)
{
    struct spv_builder b = before(v, inst);
    spv_id component_type = spv_type_component(v->module, inst->type);
    uint32_t count = spv_type_count(v->module, inst->type);
    if (count <= 4) {
        replace(v, inst, gather(v, &b, component_type, count, from));
        return;
    }
    spv_id *parts = new_parts(v, inst->id, count);
    for (uint32_t i = 0; i < count / 4; i++)
        parts[i] = gather(v, &b, component_type, 4, from + i * 4);
    vec_push(v->arena, &v->dead, inst);
}

static void split_shuffle(struct vectors *v, struct spv_inst *inst)
{
    struct source from[16];
    uint32_t left = spv_type_count(v->module, spv_value_type(v->module, resolve(v, inst->words[0])));
    uint32_t right = spv_type_count(v->module, spv_value_type(v->module, resolve(v, inst->words[1])));
    for (uint32_t i = 0; i + 2 < inst->num_words && i < 16; i++) {
        uint32_t index = inst->words[2 + i];
        if (index >= left + right) /* 0xffffffff: undefined */
            index = 0;
        from[i] = index < left ? source_of(v, inst->words[0], index) : source_of(v, inst->words[1], index - left);
    }
    assemble(v, inst, from);
}

static void split_construct(struct vectors *v, struct spv_inst *inst)
{
    struct source from[16];
    uint32_t n = 0, count = spv_type_count(v->module, inst->type);
    for (uint32_t i = 0; i < inst->num_words; i++) {
        spv_id type = spv_value_type(v->module, resolve(v, inst->words[i]));
        uint32_t lanes = spv_type_is_vector(v->module, type) ? spv_type_count(v->module, type) : 1;
        for (uint32_t k = 0; k < lanes && n < count; k++)
            from[n++] = source_of(v, inst->words[i], k);
    }
    if (n == count)
        assemble(v, inst, from);
}

static void split_insert(struct vectors *v, struct spv_inst *inst)
{
    struct source from[16];
    uint32_t count = spv_type_count(v->module, inst->type);
    for (uint32_t i = 0; i < count; i++)
        from[i] = i == inst->words[2] ? source_of(v, inst->words[0], 0) : source_of(v, inst->words[1], i);
    assemble(v, inst, from);
}

/* Extracts a component by an index that is not constant: each part is indexed, and selects choose among the results. */
static void split_extract_dynamic(struct vectors *v, struct spv_inst *inst)
{
    struct spv_builder b = before(v, inst);
    spv_id index = resolve(v, inst->words[1]), index_type = spv_value_type(v->module, index), result = 0;
    const spv_id *parts = parts_of(v, inst->words[0]);
    uint32_t count = spv_type_count(v->module, spv_value_type(v->module, resolve(v, inst->words[0])));
    spv_id low = spv_emitv(&b, SpvOpBitwiseAnd, index_type, index, spv_const_bits(v->module, index_type, 3));
    for (uint32_t i = 0; i < count / 4; i++) {
        spv_id lane = spv_emitv(&b, SpvOpVectorExtractDynamic, inst->type, parts[i], low);
        if (!result) {
            result = lane;
            continue;
        }
        spv_id there = spv_emitv(&b, SpvOpUGreaterThanEqual, spv_type_bool(v->module), index,
                                 spv_const_bits(v->module, index_type, i * 4));
        result = spv_emitv(&b, SpvOpSelect, inst->type, there, lane, result);
    }
    replace(v, inst, result);
}

static void split_insert_dynamic(struct vectors *v, struct spv_inst *inst)
{
    struct spv_builder b = before(v, inst);
    spv_id index = resolve(v, inst->words[2]), index_type = spv_value_type(v->module, index);
    spv_id scalar = spv_type_component(v->module, inst->type), bool_type = spv_type_bool(v->module);
    struct source from[16];
    uint32_t count = spv_type_count(v->module, inst->type);
    for (uint32_t i = 0; i < count; i++) {
        spv_id here = spv_emitv(&b, SpvOpIEqual, bool_type, index, spv_const_bits(v->module, index_type, i));
        spv_id old = component(v, &b, inst->words[0], i);
        spv_id lane = spv_emitv(&b, SpvOpSelect, scalar, here, resolve(v, inst->words[1]), old);
        from[i] = (struct source){lane, 0, true};
    }
    assemble(v, inst, from);
}

/* ---- bit casts between vectors of different component sizes ---- */

static void split_bitcast(struct vectors *v, struct spv_inst *inst)
{
    struct spv_builder b = before(v, inst);
    spv_id source = resolve(v, inst->words[0]), source_type = spv_value_type(v->module, source);
    spv_id to = spv_type_component(v->module, inst->type), from_type = spv_type_component(v->module, source_type);
    uint32_t to_width = spv_type_width(v->module, to), from_width = spv_type_width(v->module, from_type);
    uint32_t count = spv_type_is_vector(v->module, inst->type) ? spv_type_count(v->module, inst->type) : 1;
    struct source lanes[16];
    /* In each step, as many whole components are taken as make at least one component of the other size. */
    uint32_t from_step = to_width > from_width ? to_width / from_width : 1;
    uint32_t to_step = from_width > to_width ? from_width / to_width : 1, done = 0;
    for (uint32_t at = 0; done < count; at += from_step) {
        struct source pieces[16];
        for (uint32_t k = 0; k < from_step; k++)
            pieces[k] = source_of(v, source, at + k);
        spv_id chunk;
        if (from_step > 4) { /* eight bytes to one 64-bit number */
            spv_id low = gather(v, &b, from_type, 4, pieces), high = gather(v, &b, from_type, 4, pieces + 4);
            spv_id u32 = spv_type_int(v->module, 32), two = spv_type_vector(v->module, u32, 2);
            low = spv_emitv(&b, SpvOpBitcast, u32, low);
            high = spv_emitv(&b, SpvOpBitcast, u32, high);
            chunk = spv_emitv(&b, SpvOpBitcast, to, spv_emitv(&b, SpvOpCompositeConstruct, two, low, high));
        } else {
            chunk = gather(v, &b, from_type, from_step, pieces);
            if (to_step > 4) {
                spv_id u32 = spv_type_int(v->module, 32), two = spv_type_vector(v->module, u32, 2);
                spv_id four = spv_type_vector(v->module, to, 4);
                chunk = spv_emitv(&b, SpvOpBitcast, two, chunk);
                for (uint32_t half = 0; half < 2; half++) {
                    spv_id word = spv_emitv(&b, SpvOpCompositeExtract, u32, chunk, half);
                    word = spv_emitv(&b, SpvOpBitcast, four, word);
                    for (uint32_t k = 0; k < 4 && done < count; k++)
                        lanes[done++] = (struct source){word, k, false};
                }
                continue;
            }
            chunk = spv_emitv(&b, SpvOpBitcast, spv_type_vector(v->module, to, to_step), chunk);
        }
        for (uint32_t k = 0; k < to_step && done < count; k++)
            lanes[done++] = (struct source){chunk, k, to_step == 1};
    }
    assemble(v, inst, lanes);
}

/* ---- component by component ---- */

/* Repeats an operation for each part. Operands that have no parts are the same for all: literals, sets and scalars. */
static void split_elementwise(struct vectors *v, struct spv_inst *inst, uint32_t first)
{
    struct spv_builder b = before(v, inst);
    uint32_t count = spv_type_count(v->module, inst->type), words[16];
    spv_id type = part_type(v, inst->type);
    if (inst->num_words > 16)
        return;
    spv_id *parts = new_parts(v, inst->id, count);
    for (uint32_t p = 0; p < count / 4; p++) {
        for (uint32_t i = 0; i < inst->num_words; i++) {
            words[i] = inst->words[i];
            if (i < first)
                continue;
            words[i] = resolve(v, words[i]);
            spv_id operand_type = spv_value_type(v->module, words[i]);
            if (is_long(v->module, operand_type))
                words[i] = parts_of(v, words[i])[p];
        }
        parts[p] = spv_emit(&b, (SpvOp)inst->op, type, inst->num_words, words);
        if (spv_no_contraction(inst))
            spv_forbid_contraction(spv_def(v->module, parts[p]));
        for (const struct spv_inst *it = spv_decorations(v->module, inst->id); it; it = it->next_decoration) {
            if (it->op == SpvOpDecorate)
                spv_decorate(v->module, parts[p], (SpvDecoration)it->words[1], it->num_words - 2, it->words + 2);
        }
    }
    vec_push(v->arena, &v->dead, inst);
}

/* Makes a scalar of a long vector: any, all, dot. */
static void split_reduction(struct vectors *v, struct spv_inst *inst)
{
    struct spv_builder b = before(v, inst);
    uint32_t count = spv_type_count(v->module, spv_value_type(v->module, resolve(v, inst->words[0])));
    SpvOp join = inst->op == SpvOpAny ? SpvOpLogicalOr : inst->op == SpvOpAll ? SpvOpLogicalAnd : SpvOpFAdd;
    spv_id sum = 0;
    for (uint32_t p = 0; p < count / 4; p++) {
        spv_id words[2] = {parts_of(v, inst->words[0])[p], 0}, piece;
        if (inst->op == SpvOpDot)
            words[1] = parts_of(v, inst->words[1])[p];
        piece = spv_emit(&b, (SpvOp)inst->op, inst->type, inst->num_words, words);
        sum = sum ? spv_emitv(&b, join, inst->type, sum, piece) : piece;
    }
    replace(v, inst, sum);
}

static void open_phi(struct vectors *v, struct spv_inst *inst)
{
    struct spv_builder b = before(v, inst);
    uint32_t count = spv_type_count(v->module, inst->type);
    spv_id *parts = new_parts(v, inst->id, count);
    for (uint32_t p = 0; p < count / 4; p++)
        parts[p] = spv_emit(&b, SpvOpPhi, part_type(v, inst->type), inst->num_words, inst->words);
    vec_push(v->arena, &v->phis, inst);
    vec_push(v->arena, &v->dead, inst);
}

static void close_phis(struct vectors *v)
{
    vec_foreach (struct spv_inst *, it, &v->phis) {
        struct spv_inst *phi = *it;
        const spv_id *parts = parts_of(v, phi->id);
        for (uint32_t k = 0; k < phi->num_words; k += 2) {
            const spv_id *incoming = parts_of(v, phi->words[k]);
            for (uint32_t p = 0; p < spv_type_count(v->module, phi->type) / 4; p++)
                spv_def(v->module, parts[p])->words[k] = incoming[p];
        }
    }
}

static bool touches_long(struct vectors *v, const struct spv_inst *inst)
{
    return inst->num_words && inst->op != SpvOpFunctionCall &&
           is_long(v->module, spv_value_type(v->module, resolve(v, inst->words[0])));
}

static void split_inst(struct vectors *v, struct spv_inst *inst)
{
    bool result = is_long(v->module, inst->type);
    bool moves = inst->op == SpvOpVectorShuffle || inst->op == SpvOpCompositeExtract || inst->op == SpvOpBitcast ||
                 inst->op == SpvOpVectorExtractDynamic || inst->op == SpvOpAny || inst->op == SpvOpAll ||
                 inst->op == SpvOpDot;
    bool operand =
        moves && (touches_long(v, inst) || (inst->op == SpvOpVectorShuffle &&
                                            is_long(v->module, spv_value_type(v->module, resolve(v, inst->words[1])))));
    if (!result && !operand)
        return;
    switch (inst->op) {
    case SpvOpUndef:
        parts_of(v, inst->id);
        break;
    case SpvOpPhi:
        open_phi(v, inst);
        break;
    case SpvOpVectorShuffle:
        split_shuffle(v, inst);
        break;
    case SpvOpCompositeConstruct:
        split_construct(v, inst);
        break;
    case SpvOpCompositeInsert:
        split_insert(v, inst);
        break;
    case SpvOpCompositeExtract: {
        struct source from = source_of(v, inst->words[0], inst->words[1]);
        assemble(v, inst, &from);
        break;
    }
    case SpvOpVectorExtractDynamic:
        split_extract_dynamic(v, inst);
        break;
    case SpvOpVectorInsertDynamic:
        split_insert_dynamic(v, inst);
        break;
    case SpvOpBitcast:
        split_bitcast(v, inst);
        break;
    case SpvOpAny:
    case SpvOpAll:
    case SpvOpDot:
        split_reduction(v, inst);
        break;
    case SpvOpCopyObject: {
        const spv_id *parts = parts_of(v, inst->words[0]);
        u64_map_set(v->arena, &v->parts, inst->id, (void *)parts);
        vec_push(v->arena, &v->dead, inst);
        break;
    }
    case SpvOpExtInst:
        split_elementwise(v, inst, 2);
        break;
    case SpvOpFunctionCall:
    case SpvOpLoad:
        lower_fail(v->lower, "%s of a long vector is not supported", spv_op_name(inst->op));
        break;
    default:
        split_elementwise(v, inst, 0);
        break;
    }
}

static bool has_long_type(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpTypeVector && inst->words[1] > 4)
            return true;
    }
    return false;
}

bool lower_vectors(struct lower *lower)
{
    if (!lower->thorough && !has_long_type(lower->module)) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        struct vectors v = {.lower = lower, .arena = lower->module->arena, .module = lower->module};
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                split_inst(&v, inst);
                if (lower->error)
                    return false;
            }
        }
        close_phis(&v);
        if (lower->error)
            return false;
        spv_apply_replacements(lower->module, &v.replacements, function);
        spv_finish_replacements(lower->module, &v.replacements);
        lower->split_vectors |= v.dead.length != 0;
        vec_foreach (struct spv_inst *, inst, &v.dead) {
            spv_remove_annotations(lower->module, (*inst)->id);
            spv_inst_remove(lower->module, *inst);
        }
    }
    return true;
}
