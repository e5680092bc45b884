/* Whether several work-groups of a kernel may share one of the device's (CLC_SPEC_MORE_GROUPS_X and its like).
 *
 * A small work-group fills a part of one of the device's sub-groups, and the device takes a number of groups at a time
 * and not of work-items. So the launch puts several work-groups into one of the device's, whose ids are arithmetic
 * (entry_ids.c). This needs work-items that have to do with their own group in no way but by sub-groups: no barrier, no
 * local memory.
 *
 * OpenCL 3.0 API, 3.2.2 promises nothing to a work-group that waits for another. On the hardware it works all the same,
 * as long as the two are in different sub-groups of the device: lanes of one may run in step. So kernels that may wait
 * keep their groups apart: those with loads that see what other groups store, and those with a lock, which is a loop
 * with an atomic operation whose result decides. A loop that exchanges what it has just read, as sums of floats do,
 * waits for nobody. */
#include "compiler/lower/ends/ends.h"
#include "compiler/opt/cfg/cfg.h"

/* Required work-groups of more work-items share none of the device's. */
enum { LARGE = 512 };

struct survey {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    uint8_t *used; /* by id: an operand of something */
};

static void mark_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct survey *s = data;
    (void)inst;
    s->used[*word] = 1;
}

static uint32_t loop_of(const struct survey *s, const struct spv_block *block)
{
    return block->index == SPV_UNREACHABLE ? CFG_NO_LOOP : s->loops.loop[block->index];
}

/* Whether the comparator was read, or came round, in the loop itself. */
static bool is_retry(const struct survey *s, const struct spv_inst *inst)
{
    if (inst->op != SpvOpAtomicCompareExchange && inst->op != SpvOpAtomicCompareExchangeWeak)
        return false;
    const struct spv_inst *comparator = spv_def(s->module, inst->words[5]);
    return comparator && comparator->block && comparator->block->function == inst->block->function &&
           loop_of(s, comparator->block) == loop_of(s, inst->block);
}

static bool may_be_lock(const struct survey *s, const struct spv_inst *inst)
{
    return spv_op_is_atomic(inst->op) && inst->id && s->used[inst->id] && !is_retry(s, inst);
}

static bool has_atomics(const struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (spv_op_is_atomic(inst->op))
                return true;
        }
    }
    return false;
}

/* A function may be called in a loop: it counts as one. */
static bool function_waits(struct survey *s, const struct lower *lower, struct spv_function *function)
{
    if (!has_atomics(function))
        return false;
    spv_cfg_keep(s->module, function, &s->cfg);
    cfg_find_loops(spv_scratch(s->module), &s->cfg, &s->loops);
    if (!s->loops.reducible)
        return true;
    for (uint32_t i = 0; i < s->cfg.count; i++) {
        if (function == lower->kernel && s->loops.loop[i] == CFG_NO_LOOP)
            continue;
        spv_foreach_inst (inst, &s->cfg.blocks[i]->insts) {
            if (may_be_lock(s, inst))
                return true;
        }
    }
    return false;
}

static bool waits(struct lower *lower)
{
    struct survey s = {.module = lower->module};
    s.used = arena_array(spv_scratch(lower->module), uint8_t, lower->module->bound);
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function)
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, mark_use, &s);
    }
    spv_foreach_function (function, lower->module) {
        if (!function->only_computes && function_waits(&s, lower, function))
            return true;
    }
    return false;
}

bool lower_groups_are_loose(struct lower *lower)
{
    const struct clc_lowered *out = lower->out;
    const uint32_t *required = lower->required_size;
    return !lower->options->any_size && !lower->native_matrices &&
           (uint64_t)required[0] * required[1] * required[2] <= LARGE && !lower->turns && !out->local_size &&
           !out->uses_local_args && !out->scratch_size && !out->watches_memory &&
           !lower->launch_variables[CLC_LAUNCH_ENQUEUE][0] && !waits(lower);
}
