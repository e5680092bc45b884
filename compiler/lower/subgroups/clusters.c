/* Sub-groups smaller than the device's: a sub-group of the device is several of the kernel's, side by side, each of them
 * a cluster of lanes.
 *
 * Work-groups lie flat (ends/entry_ids.c), so the kernel's sub-groups are those that the specification asks for.
 * Reductions are Vulkan's clustered ones. Scans climb from lane to lane. A ballot is the cluster's part of the
 * device's, and votes are ballots. An index of a work-item gets the cluster's first lane added. Clusters may go
 * different ways: then the lanes of the others are not there, and nothing here looks at them.
 *
 *     %r = OpGroupNonUniformIAdd %uint %sub Reduce %v     ->  %r = OpGroupNonUniformIAdd %uint %sub ClusteredReduce %v %8
 *     %r = OpGroupNonUniformBroadcast %uint %sub %v %i    ->  %r = OpGroupNonUniformShuffle %uint %sub %v (first + %i)
 */
#include "compiler/lower/subgroups/subgroups.h"
#include "compiler/lower/values/collective.h"
#include "compiler/lower/values/launch.h"

struct clusters {
    struct lower *lower;
    struct spv_module *module;
    uint32_t size; /* of the kernel's sub-groups */
    struct spv_builder b;
    struct spv_inst *inst; /* the one that is being replaced; b is before it */
    struct spv_replacements replacements;
};

static spv_id number(const struct clusters *c, uint32_t value)
{
    return spv_const_u32(c->module, value);
}

/* A macro, as spv_emitv() is: its arguments emit in turn. */
#define op2(c, op, left, right) spv_emitv(&(c)->b, op, spv_type_int((c)->module, 32), left, right)

/* The place in the device's sub-group; the pass does not touch the loads that it makes itself. */
static spv_id lane(struct clusters *c)
{
    return lower_emit_vulkan_builtin(c->lower, &c->b, SpvBuiltInSubgroupLocalInvocationId, 0);
}

static spv_id self(struct clusters *c)
{
    return op2(c, SpvOpBitwiseAnd, lane(c), number(c, c->size - 1));
}

static spv_id first_lane(struct clusters *c)
{
    return op2(c, SpvOpBitwiseAnd, lane(c), number(c, ~(c->size - 1)));
}

/* ---- ballots and votes ---- */

static spv_id device_ballot(struct clusters *c, spv_id condition)
{
    spv_id type = spv_type_vector(c->module, spv_type_int(c->module, 32), 4);
    return spv_emitv(&c->b, SpvOpGroupNonUniformBallot, type, number(c, SpvScopeSubgroup), condition);
}

/* The cluster's bits, as a ballot of its own. */
static spv_id ballot(struct clusters *c, spv_id condition)
{
    spv_id u32 = spv_type_int(c->module, 32), whole = device_ballot(c, condition), first = first_lane(c), words[4];
    bool one_word = c->lower->subgroup_lanes <= 32;
    for (uint32_t i = 0; i < subgroup_words(c->size); i++) {
        spv_id at = op2(c, SpvOpIAdd, op2(c, SpvOpShiftRightLogical, first, number(c, 5)), number(c, i));
        words[i] = one_word ? spv_emitv(&c->b, SpvOpCompositeExtract, u32, whole, 0)
                            : spv_emitv(&c->b, SpvOpVectorExtractDynamic, u32, whole, at);
    }
    if (c->size < 32) {
        spv_id shift = op2(c, SpvOpBitwiseAnd, first, number(c, 31));
        words[0] =
            op2(c, SpvOpBitwiseAnd, op2(c, SpvOpShiftRightLogical, words[0], shift), number(c, (1u << c->size) - 1));
    }
    return subgroup_ballot(&c->b, words, c->size);
}

static spv_id active(struct clusters *c)
{
    return ballot(c, spv_const_bool(c->module, true));
}

static spv_id opposite(struct clusters *c, spv_id condition)
{
    return spv_emitv(&c->b, SpvOpLogicalNot, spv_type_bool(c->module), condition);
}

static spv_id shuffle(struct clusters *c, spv_id value, spv_id index)
{
    return spv_emitv(&c->b, SpvOpGroupNonUniformShuffle, spv_value_type(c->module, value), number(c, SpvScopeSubgroup),
                     value, index);
}

static spv_id broadcast_first(struct clusters *c, spv_id value)
{
    spv_id first = subgroup_find(&c->b, active(c), false, c->size);
    return shuffle(c, value, op2(c, SpvOpIAdd, first_lane(c), first));
}

static spv_id all(struct clusters *c, spv_id condition)
{
    return opposite(c, subgroup_any(&c->b, ballot(c, opposite(c, condition)), c->size));
}

static spv_id vote(struct clusters *c)
{
    const uint32_t *words = c->inst->words;
    switch (c->inst->op) {
    case SpvOpGroupNonUniformElect:
        return spv_emitv(&c->b, SpvOpIEqual, spv_type_bool(c->module), self(c),
                         subgroup_find(&c->b, active(c), false, c->size));
    case SpvOpGroupNonUniformAny:
        return subgroup_any(&c->b, ballot(c, words[1]), c->size);
    case SpvOpGroupNonUniformAll:
        return all(c, words[1]);
    default: /* OpGroupNonUniformAllEqual */
        return all(c, subgroup_equal(&c->b, words[1], broadcast_first(c, words[1])));
    }
}

static spv_id on_ballot(struct clusters *c)
{
    const uint32_t *words = c->inst->words;
    switch (c->inst->op) {
    case SpvOpGroupNonUniformBallot:
        return ballot(c, words[1]);
    case SpvOpGroupNonUniformInverseBallot:
        return subgroup_bit(&c->b, words[1], self(c), c->size);
    case SpvOpGroupNonUniformBallotBitExtract:
        return subgroup_bit(&c->b, words[1], words[2], c->size);
    case SpvOpGroupNonUniformBallotBitCount:
        return subgroup_count(&c->b, words[2], words[1], self(c), c->size);
    default: /* OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB */
        return subgroup_find(&c->b, words[1], c->inst->op == SpvOpGroupNonUniformBallotFindMSB, c->size);
    }
}

/* ---- values of others ---- */

/* The others find their way within the cluster by themselves. */
static spv_id move(struct clusters *c)
{
    const uint32_t *words = c->inst->words;
    switch (c->inst->op) {
    case SpvOpGroupNonUniformBroadcast:
        return shuffle(c, words[1], op2(c, SpvOpIAdd, first_lane(c), words[2]));
    case SpvOpGroupNonUniformShuffle: /* an index beyond the cluster gives any value, but has to be that of a lane */
        return shuffle(
            c, words[1],
            op2(c, SpvOpBitwiseOr, first_lane(c), op2(c, SpvOpBitwiseAnd, words[2], number(c, c->size - 1))));
    case SpvOpGroupNonUniformBroadcastFirst:
        return broadcast_first(c, words[1]);
    default:
        return 0;
    }
}

/* ---- reductions and scans ---- */

/* A scan over the lanes that are there. Each adds what the nearest one before it has, and then looks as far back as that
 * one did:
 *
 *     before = last(active & lt_mask); exists = before is one
 *     for (step = 1; step < size; step *= 2) {
 *         sum = exists ? shuffle(sum, before) op sum : sum;
 *         before = exists && shuffle(exists, before) ? shuffle(before, before) : none;
 *     } */
static spv_id scan(struct clusters *c, const struct collective *how, uint32_t operation, spv_id value)
{
    struct spv_builder *b = &c->b;
    spv_id u32 = spv_type_int(c->module, 32), truth = spv_type_bool(c->module), none = number(c, UINT32_MAX);
    spv_id type = spv_value_type(c->module, value), first = first_lane(c), sum = value;
    spv_id words[4], lt = subgroup_mask(b, SpvBuiltInSubgroupLtMask, self(c), c->size), there = active(c);
    for (uint32_t i = 0; i < subgroup_words(c->size); i++)
        words[i] = op2(c, SpvOpBitwiseAnd, spv_emitv(b, SpvOpCompositeExtract, u32, lt, i),
                       spv_emitv(b, SpvOpCompositeExtract, u32, there, i));
    spv_id earlier = subgroup_ballot(b, words, c->size), exists = subgroup_any(b, earlier, c->size);
    spv_id nearest = op2(c, SpvOpIAdd, first, subgroup_find(b, earlier, true, c->size));
    spv_id before = spv_emitv(b, SpvOpSelect, u32, exists, nearest, none), own = lane(c);
    for (uint32_t step = 1; step < c->size; step *= 2) {
        spv_id from = spv_emitv(b, SpvOpSelect, u32, exists, before, own);
        spv_id added = lower_combine(b, how, type, shuffle(c, sum, from), sum);
        sum = spv_emitv(b, SpvOpSelect, type, exists, added, sum);
        before = spv_emitv(b, SpvOpSelect, u32, exists, shuffle(c, before, from), none);
        exists = spv_emitv(b, SpvOpINotEqual, truth, before, none);
    }
    if (operation == SpvGroupOperationInclusiveScan)
        return sum;
    exists = subgroup_any(b, earlier, c->size);
    spv_id neighbour = shuffle(c, sum, spv_emitv(b, SpvOpSelect, u32, exists, nearest, own));
    return spv_emitv(b, SpvOpSelect, type, exists, neighbour, lower_collective_identity(c->module, how, type));
}

static spv_id arithmetic(struct clusters *c)
{
    const uint32_t *words = c->inst->words;
    switch (words[1]) {
    case SpvGroupOperationReduce:
        return spv_emitv(&c->b, (SpvOp)c->inst->op, c->inst->type, words[0], SpvGroupOperationClusteredReduce, words[2],
                         number(c, c->size));
    case SpvGroupOperationInclusiveScan:
    case SpvGroupOperationExclusiveScan:
        return scan(c, lower_collective_of(c->inst->op), words[1], words[2]);
    default: /* of clusters of the kernel's own, which are no larger */
        return 0;
    }
}

/* ---- the pass ---- */

static spv_id built_in(struct clusters *c, SpvBuiltIn which)
{
    switch (which) {
    case SpvBuiltInSubgroupLocalInvocationId:
        return self(c);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return subgroup_mask(&c->b, which, self(c), c->size);
    default: /* entry_ids.c */
        return 0;
    }
}

/* What takes the instruction's place, as it stands in the program; 0: it stays. */
static spv_id replacement(struct clusters *c)
{
    SpvBuiltIn which;
    enum spv_class class = spv_op_class(c->inst->op);
    if (c->inst->op == SpvOpLoad)
        return lower_builtin_of(c->module, c->inst->words[0], &which) ? built_in(c, which) : 0;
    switch (class) {
    case SPV_CLASS_SUBGROUP_VOTE:
        return vote(c);
    case SPV_CLASS_SUBGROUP_BALLOT:
        return on_ballot(c);
    case SPV_CLASS_SUBGROUP_MOVE:
        return move(c);
    default:
        return spv_op_is_subgroup(c->inst->op) ? arithmetic(c) : 0;
    }
}

/* The result has the type that the program gave it: bit counts may be of another width. */
static spv_id fit(struct clusters *c, spv_id value)
{
    spv_id type = spv_value_type(c->module, value);
    if (type == c->inst->type)
        return value;
    return spv_emitv(&c->b, SpvOpUConvert, c->inst->type, value);
}

bool subgroups_make_clusters(struct lower *lower)
{
    struct clusters c = {.lower = lower, .module = lower->module, .size = lower->subgroup_size};
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                c.b = (struct spv_builder){lower->module, function, block, inst};
                c.inst = inst;
                spv_rewrite_operands(&c.replacements, inst);
                spv_id value = replacement(&c);
                if (!value)
                    continue;
                spv_replace(lower->module, &c.replacements, inst->id, fit(&c, value));
                spv_inst_remove(lower->module, inst);
            }
        }
    }
    spv_apply_replacements(lower->module, &c.replacements, NULL);
    spv_finish_replacements(lower->module, &c.replacements);
    return true;
}
