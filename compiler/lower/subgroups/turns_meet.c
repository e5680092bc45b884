/* Instructions of sub-groups by turns. What the kernel's sub-group gives is what the device's gives for each turn, put
 * together: work-item i is in turn i / lanes at lane i % lanes. Masked turns count as work-items that are not there:
 * they bring the value that changes nothing.
 *
 *     %r = OpGroupNonUniformIAdd Reduce %v    ->    %s = OpIAdd (on.0 ? %v.0 : 0) (on.1 ? %v.1 : 0)
 *                                                   %r = OpGroupNonUniformIAdd Reduce %s */
#include "compiler/lower/subgroups/turns.h"
#include "compiler/lower/values/collective.h"
#include "compiler/lower/values/launch.h"

static spv_id number(const struct turns *t, uint32_t value)
{
    return spv_const_u32(t->module, value);
}

static spv_id scope(const struct turns *t)
{
    return number(t, SpvScopeSubgroup);
}

static spv_id u32_type(const struct turns *t)
{
    return spv_type_int(t->module, 32);
}

static spv_id truth(const struct turns *t)
{
    return spv_type_bool(t->module);
}

/* Macros, as spv_emitv() is: their arguments emit in turn. */
#define op2(t, op, left, right)   spv_emitv(&(t)->b, op, u32_type(t), left, right)
#define logic(t, op, left, right) spv_emitv(&(t)->b, op, truth(t), left, right)

static spv_id opposite(struct turns *t, spv_id condition)
{
    return spv_emitv(&t->b, SpvOpLogicalNot, truth(t), condition);
}

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

spv_id turns_self(struct turns *t, uint32_t turn)
{
    spv_id lane = lower_emit_vulkan_builtin(t->lower, &t->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    return turn ? op2(t, SpvOpIAdd, lane, number(t, turn * t->lanes)) : lane;
}

static void set_all(struct turns *t, const struct spv_inst *inst, spv_id value)
{
    if (spv_value_type(t->module, value) != inst->type) /* a count of another width */
        value = spv_emitv(&t->b, SpvOpUConvert, inst->type, value);
    for (uint32_t j = 0; j < t->count; j++)
        t->copies[j][inst->id] = value;
}

static void set_one(struct turns *t, const struct spv_inst *inst, uint32_t turn, spv_id value)
{
    if (spv_value_type(t->module, value) != inst->type)
        value = spv_emitv(&t->b, SpvOpUConvert, inst->type, value);
    t->copies[turn][inst->id] = value;
}

/* The operand, or the other value where the turn is masked. */
static spv_id masked(struct turns *t, uint32_t turn, spv_id operand, spv_id otherwise)
{
    spv_id on = turns_mask(t, turn), value = turns_copy(t, turn, operand);
    return on ? spv_emitv(&t->b, SpvOpSelect, spv_value_type(t->module, value), on, value, otherwise) : value;
}

/* ---- votes and ballots ---- */

static spv_id any(struct turns *t, spv_id operand)
{
    spv_id some = 0, no = spv_const_bool(t->module, false);
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id one = masked(t, j, operand, no);
        some = some ? logic(t, SpvOpLogicalOr, some, one) : one;
    }
    return spv_emitv(&t->b, SpvOpGroupNonUniformAny, truth(t), scope(t), some);
}

static spv_id all(struct turns *t, const spv_id conditions[MAX_TURNS])
{
    spv_id every = 0;
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id on = turns_mask(t, j), one = conditions[j];
        one = on ? logic(t, SpvOpLogicalOr, one, opposite(t, on)) : one;
        every = every ? logic(t, SpvOpLogicalAnd, every, one) : one;
    }
    return spv_emitv(&t->b, SpvOpGroupNonUniformAll, truth(t), scope(t), every);
}

/* operand 0: of all that are there */
static spv_id ballot(struct turns *t, spv_id operand)
{
    spv_id u32 = u32_type(t), four = spv_type_vector(t->module, u32, 4), words[4] = {0};
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id value = operand ? operand : spv_const_bool(t->module, true);
        spv_id condition = masked(t, j, value, spv_const_bool(t->module, false));
        spv_id bits = spv_emitv(&t->b, SpvOpGroupNonUniformBallot, four, scope(t), condition);
        for (uint32_t at = j * t->lanes, i = 0; i < subgroup_words(t->lanes); i++, at += 32) {
            spv_id part = spv_emitv(&t->b, SpvOpCompositeExtract, u32, bits, i), *word = &words[at / 32];
            part = at % 32 ? op2(t, SpvOpShiftLeftLogical, part, number(t, at % 32)) : part;
            *word = *word ? op2(t, SpvOpBitwiseOr, *word, part) : part;
        }
    }
    return subgroup_ballot(&t->b, words, t->size);
}

static spv_id first_active(struct turns *t)
{
    return subgroup_find(&t->b, ballot(t, 0), false, t->size);
}

/* ---- values of others ---- */

/* What the work-item of that index has of the operand. */
static spv_id value_at(struct turns *t, spv_id operand, spv_id index)
{
    spv_id type = spv_value_type(t->module, operand), found = 0;
    spv_id lane = op2(t, SpvOpBitwiseAnd, index, number(t, t->lanes - 1));
    spv_id turn = op2(t, SpvOpShiftRightLogical, index, number(t, log2_of(t->lanes)));
    uint64_t known;
    bool is_known = spv_const_value(t->module, index, &known);
    for (uint32_t j = 0; j < t->count; j++) {
        if (is_known && known / t->lanes % t->count != j)
            continue;
        spv_id one = spv_emitv(&t->b, SpvOpGroupNonUniformShuffle, type, scope(t), turns_copy(t, j, operand), lane);
        spv_id here = found ? logic(t, SpvOpIEqual, turn, number(t, j)) : 0;
        found = found ? spv_emitv(&t->b, SpvOpSelect, type, here, one, found) : one;
    }
    return found;
}

static spv_id resized(struct turns *t, spv_id index)
{
    return spv_value_type(t->module, index) == u32_type(t) ? index
                                                           : spv_emitv(&t->b, SpvOpUConvert, u32_type(t), index);
}

/* Lanes exchange values within a turn, and the turns' values change places. */
static bool exchange_by_constant(struct turns *t, const struct spv_inst *inst)
{
    uint64_t mask;
    if (inst->op != SpvOpGroupNonUniformShuffleXor || !spv_const_value(t->module, inst->words[2], &mask) ||
        mask >= t->size)
        return false;
    spv_id lanes = number(t, (uint32_t)mask & (t->lanes - 1));
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id value = turns_copy(t, j ^ (uint32_t)mask / t->lanes, inst->words[1]);
        if (mask % t->lanes)
            value = spv_emitv(&t->b, SpvOpGroupNonUniformShuffleXor, inst->type, scope(t), value, lanes);
        set_one(t, inst, j, value);
    }
    return true;
}

static void shuffle(struct turns *t, const struct spv_inst *inst)
{
    if (exchange_by_constant(t, inst))
        return;
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id index = resized(t, turns_copy(t, j, inst->words[2]));
        SpvOp op = inst->op == SpvOpGroupNonUniformShuffleXor    ? SpvOpBitwiseXor
                   : inst->op == SpvOpGroupNonUniformShuffleUp   ? SpvOpISub
                   : inst->op == SpvOpGroupNonUniformShuffleDown ? SpvOpIAdd
                                                                 : SpvOpNop;
        if (op != SpvOpNop)
            index = op2(t, op, turns_self(t, j), index);
        set_one(t, inst, j, value_at(t, inst->words[1], index));
    }
}

static void move(struct turns *t, const struct spv_inst *inst)
{
    bool varies = turns_inst_varies(t, inst);
    switch (inst->op) {
    case SpvOpGroupNonUniformBroadcastFirst:
        set_all(t, inst, value_at(t, inst->words[1], first_active(t)));
        return;
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
        if (varies)
            shuffle(t, inst);
        else
            set_all(t, inst, value_at(t, inst->words[1], resized(t, turns_copy(t, 0, inst->words[2]))));
        return;
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
        shuffle(t, inst);
        return;
    default: /* quads */
        for (uint32_t j = 0; j < t->count; j++)
            set_one(t, inst, j,
                    spv_emitv(&t->b, (SpvOp)inst->op, inst->type, scope(t), turns_copy(t, j, inst->words[1]),
                              turns_copy(t, j, inst->words[2])));
    }
}

static void vote(struct turns *t, const struct spv_inst *inst)
{
    spv_id conditions[MAX_TURNS], first;
    switch (inst->op) {
    case SpvOpGroupNonUniformElect:
        first = first_active(t);
        for (uint32_t j = 0; j < t->count; j++)
            set_one(t, inst, j, logic(t, SpvOpIEqual, turns_self(t, j), first));
        return;
    case SpvOpGroupNonUniformAny:
        set_all(t, inst, any(t, inst->words[1]));
        return;
    case SpvOpGroupNonUniformAll:
        for (uint32_t j = 0; j < t->count; j++)
            conditions[j] = turns_copy(t, j, inst->words[1]);
        break;
    default: /* OpGroupNonUniformAllEqual */
        first = value_at(t, inst->words[1], first_active(t));
        for (uint32_t j = 0; j < t->count; j++)
            conditions[j] = subgroup_equal(&t->b, turns_copy(t, j, inst->words[1]), first);
    }
    set_all(t, inst, all(t, conditions));
}

static spv_id on_ballot(struct turns *t, const struct spv_inst *inst, uint32_t j)
{
    spv_id value = turns_copy(t, j, inst->words[inst->op == SpvOpGroupNonUniformBallotBitCount ? 2 : 1]);
    switch (inst->op) {
    case SpvOpGroupNonUniformInverseBallot:
        return subgroup_bit(&t->b, value, turns_self(t, j), t->size);
    case SpvOpGroupNonUniformBallotBitExtract:
        return subgroup_bit(&t->b, value, resized(t, turns_copy(t, j, inst->words[2])), t->size);
    case SpvOpGroupNonUniformBallotBitCount:
        return subgroup_count(&t->b, value, inst->words[1], turns_self(t, j), t->size);
    default: /* OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB */
        return subgroup_find(&t->b, value, inst->op == SpvOpGroupNonUniformBallotFindMSB, t->size);
    }
}

static void ballots(struct turns *t, const struct spv_inst *inst)
{
    if (inst->op == SpvOpGroupNonUniformBallot) {
        set_all(t, inst, ballot(t, inst->words[1]));
        return;
    }
    if (!turns_inst_varies(t, inst)) {
        set_all(t, inst, on_ballot(t, inst, 0));
        return;
    }
    for (uint32_t j = 0; j < t->count; j++)
        set_one(t, inst, j, on_ballot(t, inst, j));
}

/* ---- reductions and scans ---- */

static spv_id device_group(struct turns *t, const struct spv_inst *inst, uint32_t operation, spv_id value)
{
    return spv_emitv(&t->b, (SpvOp)inst->op, inst->type, scope(t), operation, value);
}

/* Turns first up to behind last, combined; of each lane. */
static spv_id combine_turns(struct turns *t, const struct spv_inst *inst, const spv_id *values, uint32_t first,
                            uint32_t last)
{
    const struct collective *how = lower_collective_of(inst->op);
    spv_id sum = values[first];
    for (uint32_t j = first + 1; j < last; j++)
        sum = lower_combine(&t->b, how, inst->type, sum, values[j]);
    return sum;
}

/* Each turn's scan, after all of the turns before. */
static void scan(struct turns *t, const struct spv_inst *inst, const spv_id *values)
{
    const struct collective *how = lower_collective_of(inst->op);
    spv_id before = 0;
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id own = device_group(t, inst, inst->words[1], values[j]);
        set_one(t, inst, j, before ? lower_combine(&t->b, how, inst->type, before, own) : own);
        if (j + 1 == t->count)
            break;
        spv_id whole = device_group(t, inst, SpvGroupOperationReduce, values[j]);
        before = before ? lower_combine(&t->b, how, inst->type, before, whole) : whole;
    }
}

/* A cluster is a part of a turn's lanes, or some turns. */
static void clusters(struct turns *t, const struct spv_inst *inst, const spv_id *values)
{
    uint64_t size = 0;
    spv_const_value(t->module, inst->words[3], &size);
    uint32_t turns = size > t->lanes ? (uint32_t)size / t->lanes : 1;
    for (uint32_t j = 0; j < t->count; j += turns) {
        uint32_t end = j + turns < t->count ? j + turns : t->count;
        spv_id sum = combine_turns(t, inst, values, j, end);
        sum = size < t->lanes ? spv_emitv(&t->b, (SpvOp)inst->op, inst->type, scope(t),
                                          SpvGroupOperationClusteredReduce, sum, inst->words[3])
                              : device_group(t, inst, SpvGroupOperationReduce, sum);
        for (uint32_t k = j; k < end; k++)
            set_one(t, inst, k, sum);
    }
}

static void arithmetic(struct turns *t, const struct spv_inst *inst)
{
    spv_id values[MAX_TURNS] = {0};
    spv_id nothing = lower_collective_identity(t->module, lower_collective_of(inst->op), inst->type);
    for (uint32_t j = 0; j < t->count; j++)
        values[j] = masked(t, j, inst->words[2], nothing);
    switch (inst->words[1]) {
    case SpvGroupOperationReduce:
        set_all(t, inst, device_group(t, inst, SpvGroupOperationReduce, combine_turns(t, inst, values, 0, t->count)));
        return;
    case SpvGroupOperationClusteredReduce:
        clusters(t, inst, values);
        return;
    default:
        scan(t, inst, values);
    }
}

void turns_emit_meeting(struct turns *t, const struct spv_inst *inst)
{
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_SUBGROUP_VOTE:
        vote(t, inst);
        return;
    case SPV_CLASS_SUBGROUP_BALLOT:
        ballots(t, inst);
        return;
    case SPV_CLASS_SUBGROUP_MOVE:
        move(t, inst);
        return;
    default:
        break;
    }
    t->is_stuck |= t->any_size && t->masked;
    if (inst->op == SpvOpControlBarrier)
        spv_emit_void(&t->b, SpvOpControlBarrier, inst->num_words, inst->words);
    else
        arithmetic(t, inst);
}
