/* Marks places where work-items meet (check.h).
 *
 * Each barrier, collective function and wait for events of a work-group has a word in local memory, which all count up before
 * it:
 *
 *     OpControlBarrier    ->    arrivals[n]++; CheckFault ended != 0;
 *                               barrier; count = arrivals[n]; barrier; CheckFault count % items != 0
 *     OpReturn            ->    ended++; for each n: CheckFault arrivals[n] % items != 0; OpReturn
 *
 * The second barrier keeps those that come round again from counting before all have looked. Who left the kernel before, or
 * stands at another barrier, is missing in the count.
 *
 * Behind a barrier that some have no part in there may be nobody who looks: some devices wait there for ever, and lavapipe
 * leaves those who wait where they are. So each looks before, too, and each that ends looks who waits for it: of a round
 * that it had a part in all have come before it went on.
 *
 * An operation of a sub-group asks how many of it are there. */
#include "compiler/lower/check/check.h"
#include "compiler/lower/values/launch.h"

static void fault(struct check_sites *s, spv_id site, spv_id wrong, spv_id value)
{
    const spv_id args[] = {wrong, spv_emitv(&s->b, SpvOpUConvert, spv_type_int(s->module, 64), value), site};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(s->module), 3, args);
}

static bool has_scope(const struct check_sites *s, spv_id scope, uint32_t wanted)
{
    uint64_t value;
    return spv_const_value(s->module, scope, &value) && value == wanted;
}

/* ---- barriers ---- */

enum { MOST_BARRIERS = CHECK_FIRST_COPY_WORD, NUM_WORDS = CHECK_FIRST_NAMED_WORD + CHECK_NAMED_WORDS };

spv_id check_local_word(struct check_sites *s, uint32_t number)
{
    struct spv_module *module = s->module;
    spv_id u32 = spv_type_int(module, 32);
    if (!s->arrivals) {
        spv_id type = spv_type_array(module, u32, s->has_named ? NUM_WORDS : CHECK_FIRST_NAMED_WORD);
        s->arrivals = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassWorkgroup, type),
                                          SpvStorageClassWorkgroup, 0);
    }
    return spv_emitv(&s->b, SpvOpInBoundsAccessChain, spv_type_pointer(module, SpvStorageClassWorkgroup, u32),
                     s->arrivals, spv_const_u32(module, number));
}

void check_emit_barrier(struct check_sites *s, uint32_t memory)
{
    spv_id group = spv_const_u32(s->module, SpvScopeWorkgroup);
    spv_emitv_void(&s->b, SpvOpControlBarrier, group, group,
                   spv_const_u32(s->module, SpvMemorySemanticsSequentiallyConsistentMask | memory));
}

spv_id check_group_items(struct check_sites *s)
{
    spv_id u32 = spv_type_int(s->module, 32), items = 0;
    for (uint32_t i = 0; i < 3; i++) {
        spv_id size = lower_emit_builtin(s->lower, &s->b, SpvBuiltInWorkgroupSize, i);
        size = spv_emitv(&s->b, SpvOpUConvert, u32, size);
        items = items ? spv_emitv(&s->b, SpvOpIMul, u32, items, size) : size;
    }
    return items;
}

static spv_id look_at_word(struct check_sites *s, uint32_t number)
{
    return spv_emitv(&s->b, SpvOpAtomicLoad, spv_type_int(s->module, 32), check_local_word(s, number),
                     spv_const_u32(s->module, SpvScopeWorkgroup), spv_const_u32(s->module, 0));
}

static void count_in_word(struct check_sites *s, uint32_t number)
{
    spv_emitv(&s->b, SpvOpAtomicIAdd, spv_type_int(s->module, 32), check_local_word(s, number),
              spv_const_u32(s->module, SpvScopeWorkgroup), spv_const_u32(s->module, 0), spv_const_u32(s->module, 1));
}

static spv_id is_any(struct check_sites *s, spv_id count)
{
    return spv_emitv(&s->b, SpvOpINotEqual, spv_type_bool(s->module), count, spv_const_u32(s->module, 0));
}

/* How many have come to the barrier of those for whom others still have to; 0: all or none. */
static spv_id rest_at(struct check_sites *s, uint32_t number, spv_id items)
{
    return spv_emitv(&s->b, SpvOpUMod, spv_type_int(s->module, 32), look_at_word(s, number), items);
}

static void mark_barrier(struct check_sites *s, struct spv_inst *inst)
{
    spv_id truth = spv_type_bool(s->module);
    if (!has_scope(s, inst->words[0], SpvScopeWorkgroup) || s->num_barriers == MOST_BARRIERS)
        return;
    uint32_t number = s->num_barriers++;
    spv_id site = s->barriers[number] = check_add_site(s, CLC_SITE_BARRIER);
    count_in_word(s, number);
    spv_id ended = is_any(s, look_at_word(s, CHECK_ENDED_WORD));
    fault(s, site, ended, spv_const_u32(s->module, 0));
    check_count_in(s, site);
    s->b.before = inst->next;
    if (inst->op != SpvOpControlBarrier) /* a function of the whole group need not wait for it */
        check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
    spv_id count = look_at_word(s, number);
    check_count_out(s);
    check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
    spv_id rest = spv_emitv(&s->b, SpvOpUMod, spv_type_int(s->module, 32), count, check_group_items(s));
    spv_id unsaid = spv_emitv(&s->b, SpvOpLogicalNot, truth, ended);
    fault(s, site, spv_emitv(&s->b, SpvOpLogicalAnd, truth, is_any(s, rest), unsaid), rest);
}

void check_end_barriers(struct check_sites *s)
{
    if (!s->num_barriers)
        return;
    count_in_word(s, CHECK_ENDED_WORD);
    spv_id items = check_group_items(s);
    for (uint32_t i = 0; i < s->num_barriers; i++) {
        spv_id wrong = is_any(s, rest_at(s, i, items));
        fault(s, s->barriers[i], wrong, spv_const_u32(s->module, 0));
    }
}

void check_begin_barriers(struct check_sites *s)
{
    struct spv_function *kernel = s->lower->kernel;
    if (!s->num_barriers && !s->last_copy && !s->has_named)
        return;
    s->b = (struct spv_builder){s->module, kernel, kernel->first_block, kernel->first_block->insts.first};
    while (s->b.before->op == SpvOpVariable)
        s->b.before = s->b.before->next;
    for (uint32_t i = 0; i < NUM_WORDS; i++) {
        bool used = i < MOST_BARRIERS            ? i < s->num_barriers
                    : i < CHECK_ENDED_WORD       ? s->last_copy != 0
                    : i < CHECK_FIRST_NAMED_WORD ? s->num_barriers != 0
                                                 : s->has_named;
        if (!used)
            continue;
        spv_emitv_void(&s->b, SpvOpStore, check_local_word(s, i), spv_const_u32(s->module, 0),
                       SpvMemoryAccessAlignedMask, 4);
    }
    check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
}

uint32_t check_constant_or(const struct spv_module *module, spv_id id, uint32_t otherwise)
{
    uint64_t value;
    return spv_const_value(module, id, &value) ? (uint32_t)value : otherwise;
}

bool check_orders_group(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->op == SpvOpControlBarrierWaitINTEL || inst->op == SpvOpGroupWaitEvents)
        return true;
    return spv_op_is_group(inst->op) && inst->num_words && inst->op != SpvOpGroupAsyncCopy &&
           check_constant_or(module, inst->words[0], SpvScopeWorkgroup) == SpvScopeWorkgroup;
}

/* ---- sub-groups ---- */

static void mark_subgroup(struct check_sites *s)
{
    struct spv_module *module = s->module;
    spv_id u32 = spv_type_int(module, 32), truth = spv_type_bool(module);
    spv_id scope = spv_const_u32(module, SpvScopeSubgroup);
    spv_id ballot = spv_emitv(&s->b, SpvOpGroupNonUniformBallot, spv_type_vector(module, u32, 4), scope,
                              spv_const_bool(module, true));
    spv_id count = spv_emitv(&s->b, SpvOpGroupNonUniformBallotBitCount, u32, scope, SpvGroupOperationReduce, ballot);
    spv_id size = lower_emit_builtin(s->lower, &s->b, SpvBuiltInSubgroupSize, 0);
    spv_id wrong = spv_emitv(&s->b, SpvOpINotEqual, truth, count, size);
    fault(s, check_add_site(s, CLC_SITE_SUB_GROUP), wrong, count);
}

void check_mark_meeting(struct check_sites *s, struct spv_inst *inst)
{
    if (!(s->lower->watched & CLC_CHECK_BARRIERS))
        return;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (inst->op == SpvOpControlBarrier || check_orders_group(s->module, inst))
        mark_barrier(s, inst);
    else if (inst->op == SpvOpMemoryNamedBarrier ||
             (spv_op_is_group(inst->op) && inst->num_words && has_scope(s, inst->words[0], SpvScopeSubgroup)))
        mark_subgroup(s);
    check_mark_copies(s, inst);
}
