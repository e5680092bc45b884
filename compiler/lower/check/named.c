/* Named barriers that not all come to which they wait for (check.h).
 *
 *     OpMemoryNamedBarrier %b scope order   ->   OpControlBarrier Subgroup scope order, OpMemoryBarrier scope AcquireRelease
 *                                                CheckNamed %b words %items site
 *                                                OpMemoryBarrier scope AcquireRelease, OpControlBarrier Subgroup scope order
 *
 * That is what builtins/barrier.c makes, but for the wait, which the library ends and reports when nobody can come any more
 * (lib/check_named.cl). So that it can tell, work-items count themselves in local memory where they wait for all of the
 * group, and where they end:
 *
 *     OpControlBarrier Workgroup            ->   at_barriers++; barrier; at_barriers--; barrier
 *     OpReturn                              ->   ended++; OpReturn
 *
 * The second barrier keeps those that pass from coming to a named barrier while others still count as waiting. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/builtins/passes.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

/* As lib/check_named.cl has them: the group's words. */
enum { GROUP_AT_BARRIERS = 2, GROUP_ENDED = 3 };

/* ---- check-sites ---- */

void check_begin_named(struct check_sites *s)
{
    if (!(s->lower->watched & CLC_CHECK_BARRIERS))
        return;
    spv_foreach_function (function, s->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                s->has_named |= inst->op == SpvOpMemoryNamedBarrier;
        }
    }
}

static void count(struct check_sites *s, uint32_t word, uint32_t by)
{
    struct spv_module *module = s->module;
    spv_emitv(&s->b, SpvOpAtomicIAdd, spv_type_int(module, 32), check_local_word(s, CHECK_FIRST_NAMED_WORD + word),
              spv_const_u32(module, SpvScopeWorkgroup), spv_const_u32(module, 0), spv_const_u32(module, by));
}

static void wait_in(struct check_sites *s, spv_id place)
{
    const spv_id args[] = {check_local_word(s, CHECK_FIRST_NAMED_WORD), place};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_PLACE, spv_type_void(s->module), ARRAY_LENGTH(args), args);
}

void check_count_in(struct check_sites *s, spv_id site)
{
    uint64_t number = 0;
    if (!s->has_named)
        return;
    spv_const_value(s->module, site, &number);
    wait_in(s, spv_const_u32(s->module, (uint32_t)number + 1));
    count(s, GROUP_AT_BARRIERS, 1);
}

void check_count_out(struct check_sites *s)
{
    if (!s->has_named)
        return;
    count(s, GROUP_AT_BARRIERS, UINT32_MAX);
    wait_in(s, spv_const_u32(s->module, 0));
}

/* What waits for all of the group; what program code names as such, meetings.c counts. */
static void mark_meeting(struct check_sites *s, struct spv_inst *inst)
{
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    check_count_in(s, check_add_site(s, CLC_SITE_BARRIER));
    s->b.before = inst->next;
    check_count_out(s);
    check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
}

static void mark_named(struct check_sites *s, struct spv_inst *inst)
{
    spv_id scope = spv_const_u32(s->module, SpvScopeSubgroup),
           semantics = lower_barrier_fence(s->module, inst->words[2]);
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    spv_emitv_void(&s->b, SpvOpControlBarrier, scope, inst->words[1], inst->words[2]);
    spv_emitv_void(&s->b, SpvOpMemoryBarrier, inst->words[1], semantics);
    const spv_id args[] = {inst->words[0], check_local_word(s, CHECK_FIRST_NAMED_WORD), check_group_items(s),
                           check_add_site(s, CLC_SITE_NAMED_BARRIER)};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_NAMED, spv_type_void(s->module), ARRAY_LENGTH(args), args);
    spv_emitv_void(&s->b, SpvOpMemoryBarrier, inst->words[1], semantics);
    spv_emitv_void(&s->b, SpvOpControlBarrier, scope, inst->words[1], inst->words[2]);
    spv_inst_remove(s->module, inst);
}

void check_mark_named(struct check_sites *s, struct spv_inst *inst)
{
    if (!s->has_named)
        return;
    if (inst->op == SpvOpMemoryNamedBarrier && inst->num_words == 3 &&
        spv_value_type(s->module, inst->words[0]) == lower_named_barrier_type(s->module))
        mark_named(s, inst);
    else if (inst->op == SpvOpNamedBarrierInitialize)
        mark_meeting(s, inst);
}

void check_end_named(struct check_sites *s)
{
    if (s->has_named)
        count(s, GROUP_ENDED, 1);
}

/* ---- check ---- */

void check_lower_named(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    const spv_id args[] = {check_head(c), inst->words[2], inst->words[3], inst->words[4], inst->words[5]};
    check_call(c, &c->named_wait, "__pumice_check_named_wait", ARRAY_LENGTH(args), args);
    spv_inst_remove(c->module, inst);
}

void check_lower_place(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    const spv_id args[] = {inst->words[2], inst->words[3]};
    check_call(c, &c->named_place, "__pumice_check_named_place", ARRAY_LENGTH(args), args);
    spv_inst_remove(c->module, inst);
}
