/* For devices without shaderInt64: 64-bit integers become pairs of 32-bit words.
 *
 *     %s = OpIAdd %ulong %a %b    ->    %t = OpIAddCarry %twin %a_low %b_low        %s_low = component 0 of it
 *                                       %h = OpIAdd %uint %a_high %b_high
 *                                       %s_high = OpIAdd %uint %h (component 1 of %t)
 *     %p = OpConvertUToPtr %ptr %s    ->    %v = OpCompositeConstruct %v2uint %s_low %s_high
 *                                           %p = OpBitcast %ptr %v
 *
 * Before: Vulkan's SPIR-V, vectors of at most four. Divisions, conversions from and to floats, and what sub-groups do
 * with long are calls of the library by now (lower/builtins). Atomics on 64 bits were refused. After: no integer of 64
 * bits is left. Blocks and branches stay as they are.
 *
 * Each function is walked once, definitions before their uses. Phis get their operands at the end. */
#include "compiler/lower/values/access.h"
#include "compiler/lower/weak/passes.h"
#include "compiler/lower/weak/pairs.h"
#include "compiler/opt/opt.h"

#include <string.h>

spv_id pair_twin_type(struct pairs *p, spv_id half)
{
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&p->twins, half);
    if (!known) {
        known = spv_type_struct(p->module, 2, (const spv_id[]){half, half});
        u64_map_set(p->arena, &p->twins, half, (void *)(uintptr_t)known);
    }
    return known;
}

/* ---- values ---- */

static struct pair constant_pair(struct pairs *p, const struct spv_inst *def)
{
    spv_id half = pair_half(p, def->type), low[4], high[4];
    uint32_t lanes = spv_type_count(p->module, def->type);
    switch (def->op) {
    case SpvOpConstant:
        return (struct pair){spv_const_u32(p->module, def->words[0]), spv_const_u32(p->module, def->words[1])};
    case SpvOpConstantNull:
        return (struct pair){pair_constant(p, half, 0), pair_constant(p, half, 0)};
    case SpvOpUndef:
        return (struct pair){spv_undef(p->module, half), spv_undef(p->module, half)};
    case SpvOpConstantComposite:
        for (uint32_t i = 0; i < lanes; i++) {
            struct pair lane = pair_of(p, def->words[i]);
            low[i] = lane.low;
            high[i] = lane.high;
        }
        return (struct pair){spv_const_composite(p->module, half, lanes, low),
                             spv_const_composite(p->module, half, lanes, high)};
    default:
        lower_fail(p->lower, "%s of 64-bit integers: the device has none", spv_op_name(def->op));
        return (struct pair){spv_undef(p->module, half), spv_undef(p->module, half)};
    }
}

struct pair pair_of(struct pairs *p, spv_id id)
{
    if (!p->values[id].low)
        p->values[id] = constant_pair(p, spv_def(p->module, id));
    return p->values[id];
}

void pair_define(struct pairs *p, struct spv_inst *inst, struct pair value)
{
    p->values[inst->id] = value;
    vec_push(p->arena, &p->dead, inst);
}

void pair_replace(struct pairs *p, struct spv_inst *inst, spv_id value)
{
    spv_replace(p->module, &p->replacements, inst->id, value);
    vec_push(p->arena, &p->dead, inst);
}

static bool is_wide_value(const struct pairs *p, spv_id id)
{
    return id < p->num_ids && pair_is_wide(p, spv_value_type(p->module, id));
}

/* What a function returns, and what structs hold that are values: a struct of two halves for a pair. */
static spv_id value_type(struct pairs *p, spv_id type)
{
    if (pair_is_wide(p, type))
        return pair_twin_type(p, pair_half(p, type));
    const struct spv_inst *def = spv_def(p->module, type);
    if (!def || def->op != SpvOpTypeStruct)
        return type;
    const uint64_t key = (uint64_t)1 << 32 | type;
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&p->mapped, key);
    if (known)
        return known;
    spv_id *members = arena_array(p->arena, spv_id, def->num_words + 1u);
    bool changed = false;
    for (uint32_t i = 0; i < def->num_words; i++) {
        members[i] = value_type(p, def->words[i]);
        changed |= members[i] != def->words[i];
    }
    known = changed ? spv_type_struct(p->module, def->num_words, members) : type;
    u64_map_set(p->arena, &p->mapped, key, (void *)(uintptr_t)known);
    return known;
}

/* A constant as functions return it. */
static spv_id packed_constant(struct pairs *p, const struct spv_inst *def)
{
    spv_id type = value_type(p, def->type);
    if (type == def->type)
        return def->id;
    if (def->op == SpvOpUndef)
        return spv_undef(p->module, type);
    if (def->op == SpvOpConstantNull)
        return spv_const_null(p->module, type);
    if (pair_is_wide(p, def->type)) {
        struct pair pair = pair_of(p, def->id);
        return spv_const_composite(p->module, type, 2, (const spv_id[]){pair.low, pair.high});
    }
    spv_id *members = arena_array(p->arena, spv_id, def->num_words + 1u);
    for (uint32_t i = 0; i < def->num_words; i++)
        members[i] = packed_constant(p, spv_def(p->module, def->words[i]));
    return spv_const_composite(p->module, type, def->num_words, members);
}

/* A value as functions return it, and as structs hold it. */
static spv_id packed(struct pairs *p, spv_id value)
{
    const struct spv_inst *def = spv_def(p->module, value);
    if (def && (spv_op_is_constant(def->op) || def->op == SpvOpUndef))
        return packed_constant(p, def);
    if (!is_wide_value(p, value))
        return value;
    struct pair pair = pair_of(p, value);
    spv_id twin = pair_twin_type(p, spv_value_type(p->module, pair.low));
    return spv_emitv(&p->b, SpvOpCompositeConstruct, twin, pair.low, pair.high);
}

/* Widens or narrows an integer to u32 in each lane. */
static spv_id to_word(struct pairs *p, spv_id value, SpvOp op)
{
    if (is_wide_value(p, value))
        return pair_of(p, value).low;
    spv_id type = spv_value_type(p->module, value);
    return spv_type_width(p->module, type) == 32 ? value : spv_emitv(&p->b, op, pair_half(p, type), value);
}

/* ---- arithmetic ---- */

static void convert(struct pairs *p, struct spv_inst *inst)
{
    spv_id value = pair_resolve(p, inst->words[0]), half = pair_half(p, inst->type);
    SpvOp op = (SpvOp)inst->op;
    if (!pair_is_wide(p, inst->type)) { /* only the low half matters */
        spv_id low = pair_of(p, value).low;
        pair_replace(p, inst,
                     spv_type_width(p->module, inst->type) == 32 ? low
                                                                 : spv_emitv(&p->b, SpvOpUConvert, inst->type, low));
        return;
    }
    if (is_wide_value(p, value)) {
        pair_define(p, inst, pair_of(p, value));
        return;
    }
    struct pair result = {to_word(p, value, op), pair_constant(p, half, 0)};
    if (op == SpvOpSConvert)
        result.high = spv_emitv(&p->b, SpvOpShiftRightArithmetic, half, result.low, pair_constant(p, half, 31));
    pair_define(p, inst, result);
}

static struct pair arithmetic(struct pairs *p, const struct spv_inst *inst, spv_id half)
{
    struct pair a = pair_of(p, inst->words[0]);
    if (inst->op == SpvOpSNegate) {
        spv_id zero = pair_constant(p, half, 0);
        return pair_subtract(p, half, (struct pair){zero, zero}, a);
    }
    struct pair b = pair_of(p, inst->words[1]);
    return inst->op == SpvOpIAdd   ? pair_add(p, half, a, b)
           : inst->op == SpvOpISub ? pair_subtract(p, half, a, b)
                                   : pair_multiply(p, half, a, b);
}

static struct pair bitwise(struct pairs *p, const struct spv_inst *inst, spv_id half)
{
    struct pair a = pair_of(p, inst->words[0]);
    return pair_bitwise(p, (SpvOp)inst->op, half, a, inst->num_words > 1 ? pair_of(p, inst->words[1]) : a);
}

static struct pair shift(struct pairs *p, const struct spv_inst *inst, spv_id half)
{
    struct pair value = pair_of(p, inst->words[0]);
    return pair_shift(p, (SpvOp)inst->op, half, value, to_word(p, pair_resolve(p, inst->words[1]), SpvOpUConvert));
}

static bool extended(struct pairs *p, struct spv_inst *inst)
{
    struct pair args[3], result;
    spv_id half = pair_half(p, inst->type);
    for (uint32_t i = 0; i < 3 && i + 2 < inst->num_words; i++)
        args[i] = pair_of(p, inst->words[2 + i]);
    if (inst->words[0] != p->module->ext_glsl || !pair_glsl(p, half, inst->words[1], args, &result))
        return lower_fail(p->lower, "extended instruction %u of 64-bit integers: the device has none", inst->words[1]);
    pair_define(p, inst, result);
    return true;
}

/* ---- moving values ---- */

/* Repeats an instruction for both halves: operands of 64 bits are taken by halves, the others as they are. */
static struct pair repeat(struct pairs *p, struct spv_inst *inst, spv_id half, uint32_t first, uint32_t count)
{
    uint32_t words[24];
    spv_id results[2];
    for (uint32_t h = 0; h < 2; h++) {
        for (uint32_t i = 0; i < inst->num_words; i++) {
            words[i] = inst->words[i];
            if (i < first || i >= first + count)
                continue;
            words[i] = pair_resolve(p, words[i]);
            if (is_wide_value(p, words[i]))
                words[i] = h ? pair_of(p, words[i]).high : pair_of(p, words[i]).low;
        }
        results[h] = spv_emit(&p->b, (SpvOp)inst->op, half, inst->num_words, words);
    }
    return (struct pair){results[0], results[1]};
}

static bool move(struct pairs *p, struct spv_inst *inst, uint32_t first, uint32_t count)
{
    if (inst->num_words > 24)
        return lower_fail(p->lower, "%s has too many operands", spv_op_name(inst->op));
    pair_define(p, inst, repeat(p, inst, pair_half(p, inst->type), first, count));
    return true;
}

static void open_phi(struct pairs *p, struct spv_inst *inst)
{
    spv_id half = pair_half(p, inst->type);
    struct pair result = {spv_emit(&p->b, SpvOpPhi, half, inst->num_words, inst->words),
                          spv_emit(&p->b, SpvOpPhi, half, inst->num_words, inst->words)};
    pair_define(p, inst, result);
    vec_push(p->arena, &p->phis, inst);
}

static void close_phis(struct pairs *p)
{
    vec_foreach (struct spv_inst *, it, &p->phis) {
        struct spv_inst *phi = *it;
        struct pair result = pair_of(p, phi->id);
        for (uint32_t i = 0; i < phi->num_words; i += 2) {
            struct pair incoming = pair_of(p, phi->words[i]);
            spv_def(p->module, result.low)->words[i] = incoming.low;
            spv_def(p->module, result.high)->words[i] = incoming.high;
        }
    }
    p->phis.length = 0;
}

/* Takes a number out of a vector, or out of a struct that a function has returned. */
static bool extract(struct pairs *p, struct spv_inst *inst)
{
    uint32_t words[8], count = inst->num_words;
    if (is_wide_value(p, inst->words[0]))
        return move(p, inst, 0, 1);
    if (count > 7)
        return lower_fail(p->lower, "%s has too many operands", spv_op_name(inst->op));
    memcpy(words, inst->words, count * sizeof(*words));
    words[0] = packed(p, pair_resolve(p, words[0]));
    struct pair result;
    words[count] = 0;
    result.low = spv_emit(&p->b, SpvOpCompositeExtract, pair_half(p, inst->type), count + 1, words);
    words[count] = 1;
    result.high = spv_emit(&p->b, SpvOpCompositeExtract, pair_half(p, inst->type), count + 1, words);
    pair_define(p, inst, result);
    return true;
}

/* A struct with numbers of 64 bits in it, which a function returns. */
static bool structure(struct pairs *p, struct spv_inst *inst)
{
    inst->type = value_type(p, inst->type);
    for (uint32_t i = 0; i < inst->num_words; i++) {
        const struct spv_inst *def =
            inst->op == SpvOpCompositeInsert && i > 1 ? NULL : spv_def(p->module, inst->words[i]);
        if (def && def->op != SpvOpLabel && def->type)
            inst->words[i] = packed(p, def->id);
        if (inst->op == SpvOpCompositeExtract)
            break;
    }
    return true;
}

/* ---- calls ---- */

static bool call(struct pairs *p, struct spv_inst *inst)
{
    uint32_t *words = arena_array(p->arena, uint32_t, inst->num_words * 2u), count = 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        spv_id value = pair_resolve(p, inst->words[i]);
        if (i && is_wide_value(p, value)) {
            words[count++] = pair_of(p, value).low;
            words[count++] = pair_of(p, value).high;
        } else {
            words[count++] = value;
        }
    }
    if (!pair_is_wide(p, inst->type)) {
        inst->type = value_type(p, inst->type);
        spv_inst_set_words(p->module, inst, count, words);
        return true;
    }
    spv_id half = pair_half(p, inst->type);
    spv_id both = spv_emit(&p->b, SpvOpFunctionCall, pair_twin_type(p, half), count, words);
    pair_define(p, inst,
                (struct pair){spv_emitv(&p->b, SpvOpCompositeExtract, half, both, 0),
                              spv_emitv(&p->b, SpvOpCompositeExtract, half, both, 1)});
    return true;
}

static void change_signature(struct pairs *p, struct spv_function *function)
{
    struct spv_module *module = p->module;
    VEC(struct spv_inst *) params = {0};
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct spv_inst *param = function->params.data[i];
        if (!pair_is_wide(p, param->type)) {
            vec_push(module->arena, &params, param);
            continue;
        }
        spv_id half = pair_half(p, param->type);
        struct pair halves = {spv_new_id(module), spv_new_id(module)};
        vec_push(module->arena, &params, spv_inst_create(module, SpvOpFunctionParameter, half, halves.low, 0, NULL));
        vec_push(module->arena, &params, spv_inst_create(module, SpvOpFunctionParameter, half, halves.high, 0, NULL));
        p->values[param->id] = halves;
        vec_push(p->arena, &p->params, param->id);
    }
    spv_id result = value_type(p, function->def->type);
    if (params.length == function->params.length && result == function->def->type)
        return;
    memcpy(&function->params, &params, sizeof(params));
    function->def->type = result;
    lower_update_function_type(module, function);
}

/* ---- control flow and addresses ---- */

/* A switch on a 64-bit number becomes one on the number of the case. */
static void change_switch(struct pairs *p, struct spv_inst *inst)
{
    struct spv_module *module = p->module;
    struct pair value = pair_of(p, inst->words[0]);
    uint32_t cases = (inst->num_words - 2) / 3;
    uint32_t *words = arena_array(p->arena, uint32_t, 2 + cases * 2u);
    spv_id u32 = spv_type_int(module, 32), which = spv_const_u32(module, UINT32_MAX);
    for (uint32_t i = 0; i < cases; i++) {
        const uint32_t *literal = inst->words + 2 + i * 3u;
        struct pair label = {spv_const_u32(module, literal[0]), spv_const_u32(module, literal[1])};
        spv_id here = pair_compare(p, SpvOpIEqual, u32, value, label);
        which = spv_emitv(&p->b, SpvOpSelect, u32, here, spv_const_u32(module, i), which);
        words[2 + i * 2] = i;
        words[3 + i * 2] = literal[2];
    }
    words[0] = which;
    words[1] = inst->words[1];
    spv_inst_set_words(module, inst, 2 + cases * 2, words);
}

static bool to_pointer(struct pairs *p, struct spv_inst *inst)
{
    inst->type = pair_memory_type(p, inst->type);
    if (!inst->type || !is_wide_value(p, inst->words[0]))
        return inst->type != 0;
    spv_id words = pair_join(p, pair_of(p, inst->words[0]), 1), block = pair_block_pointer(p, inst->type);
    if (!block) {
        inst->words[0] = words;
        inst->op = SpvOpBitcast;
        return true;
    }
    spv_id zero = spv_const_u32(p->module, 0);
    spv_id array = spv_emitv(&p->b, SpvOpBitcast, block, words);
    inst->op = SpvOpAccessChain;
    spv_inst_set_words(p->module, inst, 3, (const uint32_t[]){array, zero, zero});
    return true;
}

static bool chain(struct pairs *p, struct spv_inst *inst)
{
    for (uint32_t i = 1; i < inst->num_words; i++) {
        if (is_wide_value(p, inst->words[i]))
            inst->words[i] = pair_of(p, inst->words[i]).low;
    }
    inst->type = pair_memory_type(p, inst->type);
    return inst->type != 0;
}

static bool cannot(struct pairs *p, const struct spv_inst *inst)
{
    return lower_fail(p->lower, "%s of 64-bit integers: the device has none", spv_op_name(inst->op));
}

/* ---- sub-groups ---- */

static bool subgroup(struct pairs *p, struct spv_inst *inst)
{
    if (inst->op == SpvOpGroupNonUniformAllEqual) {
        struct pair both = repeat(p, inst, inst->type, 1, 1);
        pair_replace(p, inst, spv_emitv(&p->b, SpvOpLogicalAnd, inst->type, both.low, both.high));
        return true;
    }
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_SUBGROUP_MOVE:
        return move(p, inst, 1, 1);
    case SPV_CLASS_SUBGROUP_BITWISE:
        return move(p, inst, 2, 1);
    default:
        return cannot(p, inst);
    }
}

/* ---- the walk ---- */

static bool composite(struct pairs *p, struct spv_inst *inst)
{
    uint32_t last = inst->num_words - 1u;
    switch (inst->op) {
    case SpvOpCompositeConstruct:
        return move(p, inst, 0, inst->num_words);
    case SpvOpCompositeExtract:
        return extract(p, inst);
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        inst->words[last] = to_word(p, pair_resolve(p, inst->words[last]), SpvOpUConvert);
        return move(p, inst, 0, last);
    default: /* an insertion, a shuffle */
        return move(p, inst, 0, 2);
    }
}

/* Those with a result of 64 bits that are the only ones of their kind. */
static bool other_result(struct pairs *p, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpUndef:
        pair_define(p, inst, constant_pair(p, inst));
        return true;
    case SpvOpCopyObject:
        pair_define(p, inst, pair_of(p, inst->words[0]));
        return true;
    case SpvOpPhi:
        open_phi(p, inst);
        return true;
    case SpvOpBitcast:
        return pair_bitcast(p, inst);
    case SpvOpSelect: {
        struct pair yes = pair_of(p, inst->words[1]), no = pair_of(p, inst->words[2]);
        spv_id half = pair_half(p, inst->type), condition = pair_resolve(p, inst->words[0]);
        pair_define(p, inst, pair_select(p, half, condition, yes, no));
        return true;
    }
    case SpvOpLoad:
        return pair_load(p, inst);
    case SpvOpFunctionCall:
        return call(p, inst);
    case SpvOpExtInst:
        return extended(p, inst);
    case SpvOpReadClockKHR: { /* which may give a pair of words as well */
        spv_id words = spv_type_vector(p->module, spv_type_int(p->module, 32), 2);
        pair_define(p, inst, pair_split(p, spv_emitv(&p->b, SpvOpReadClockKHR, words, inst->words[0]), 1));
        return true;
    }
    default:
        return spv_op_is_subgroup(inst->op) ? subgroup(p, inst) : cannot(p, inst);
    }
}

/* Instructions with a result of 64 bits. */
static bool wide_result(struct pairs *p, struct spv_inst *inst)
{
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_ARITHMETIC:
        pair_define(p, inst, arithmetic(p, inst, pair_half(p, inst->type)));
        return true;
    case SPV_CLASS_BITWISE:
        pair_define(p, inst, bitwise(p, inst, pair_half(p, inst->type)));
        return true;
    case SPV_CLASS_SHIFT:
        pair_define(p, inst, shift(p, inst, pair_half(p, inst->type)));
        return true;
    case SPV_CLASS_INT_TO_INT:
        convert(p, inst);
        return true;
    case SPV_CLASS_COMPOSITE:
        return composite(p, inst);
    default:
        return other_result(p, inst);
    }
}

/* Those with an operand of 64 bits that are the only ones of their kind. */
static bool other_operand(struct pairs *p, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpBitcast:
        return pair_bitcast(p, inst);
    case SpvOpStore:
        return pair_store(p, inst);
    case SpvOpFunctionCall:
        return call(p, inst);
    case SpvOpSwitch:
        change_switch(p, inst);
        return true;
    case SpvOpConvertUToPtr:
        return to_pointer(p, inst);
    default:
        return spv_op_is_subgroup(inst->op) ? subgroup(p, inst) : cannot(p, inst);
    }
}

/* Instructions with an operand of 64 bits, and another result or none. */
static bool wide_operand(struct pairs *p, struct spv_inst *inst)
{
    uint32_t last = inst->num_words - 1u;
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_COMPARISON: {
        spv_id half = pair_half(p, spv_value_type(p->module, inst->words[0]));
        struct pair a = pair_of(p, inst->words[0]), b = pair_of(p, inst->words[1]);
        pair_replace(p, inst, pair_compare(p, (SpvOp)inst->op, half, a, b));
        return true;
    }
    case SPV_CLASS_INT_TO_INT:
        convert(p, inst);
        return true;
    case SPV_CLASS_SHIFT: /* the count */
        inst->words[last] = pair_of(p, inst->words[last]).low;
        return true;
    case SPV_CLASS_COMPOSITE:
        if (inst->op == SpvOpCompositeConstruct || inst->op == SpvOpCompositeInsert)
            return structure(p, inst);
        if (inst->op == SpvOpCompositeExtract || inst->op == SpvOpVectorShuffle)
            return cannot(p, inst);
        inst->words[last] = pair_of(p, inst->words[last]).low; /* the index */
        return true;
    case SPV_CLASS_ACCESS_CHAIN:
        return chain(p, inst);
    default:
        return other_operand(p, inst);
    }
}

struct search {
    const struct pairs *p;
    bool found;
};

static void find_wide(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct search *search = data;
    (void)inst;
    search->found |= is_wide_value(search->p, *word);
}

static bool has_wide_operand(const struct pairs *p, struct spv_inst *inst)
{
    struct search search = {p, false};
    spv_visit_operand_ids(inst, find_wide, &search);
    return search.found;
}

static bool change_inst(struct pairs *p, struct spv_inst *inst)
{
    struct spv_inst *merge = inst == inst->block->insts.last ? spv_merge_inst(inst->block) : NULL;
    p->b = (struct spv_builder){p->module, inst->block->function, inst->block, merge ? merge : inst, NULL};
    if (pair_is_wide(p, inst->type))
        return wide_result(p, inst);
    if (inst->op == SpvOpReturnValue)
        inst->words[0] = packed(p, inst->words[0]);
    else if (has_wide_operand(p, inst))
        return wide_operand(p, inst);
    if (!inst->type)
        return true;
    if (spv_type_is_pointer(p->module, inst->type))
        return (inst->type = pair_memory_type(p, inst->type)) != 0;
    if (spv_type_op(p->module, inst->type) == SpvOpTypeStruct && value_type(p, inst->type) != inst->type)
        return structure(p, inst);
    return true;
}

static bool change_function(struct pairs *p, struct spv_function *function)
{
    change_signature(p, function);
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (!change_inst(p, inst))
                return cannot(p, inst);
        }
    }
    close_phis(p);
    spv_apply_replacements(p->module, &p->replacements, function);
    return !p->lower->error;
}

static void remove_dead(struct pairs *p)
{
    vec_foreach (struct spv_inst *, inst, &p->dead) {
        spv_remove_annotations(p->module, (*inst)->id);
        spv_inst_remove(p->module, *inst);
    }
    vec_foreach (spv_id, param, &p->params) {
        spv_remove_annotations(p->module, *param);
        p->module->defs[*param] = NULL;
    }
}

static bool run(struct lower *lower)
{
    struct pairs p = {.lower = lower, .module = lower->module, .arena = spv_scratch(lower->module)};
    p.num_ids = lower->module->bound;
    p.values = arena_array(p.arena, struct pair, p.num_ids);
    if (!pair_variables(&p))
        return false;
    spv_foreach_function (function, lower->module) {
        if (!change_function(&p, function))
            return false;
    }
    spv_finish_replacements(lower->module, &p.replacements);
    remove_dead(&p);
    return true;
}

bool lower_pairs(struct lower *lower)
{
    if (lower->target->int64) {
        lower->idle = true;
        return true;
    }
    opt_dce_module(lower->module); /* variables of size_t that nobody reads any more */
    struct arena_mark mark = spv_scratch_begin(lower->module);
    bool done = run(lower);
    spv_scratch_end(lower->module, mark);
    return done;
}
