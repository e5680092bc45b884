/* A loop that waits for another work-item to store into local memory reads that again and again. OpenCL
 * C 3.0, 6.15.12.3: a store becomes visible to atomic loads in a finite time; and a volatile load is one each time.
 * NVIDIA's driver nevertheless takes relaxed atomic loads and volatile ones of local memory out of a loop that writes
 * none, so that it waits for ever. A fence behind the load keeps it where it is:
 *
 *     %t = OpAtomicLoad %uint %local ...  ->  %t = OpAtomicLoad %uint %local ...
 *                                             OpMemoryBarrier Workgroup AcquireRelease|WorkgroupMemory
 *
 * A loop that stores to local memory, modifies it or has a barrier is left as it is: there the driver cannot know what
 * the next load finds. Global memory is loaded from where all work-groups see it (memory/access.c), and stays. */
#include "compiler/lower/quirks/fence.h"
#include "compiler/lower/quirks/passes.h"

#include "compiler/opt/cfg/cfg.h"

struct waits {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    bool *changes; /* by header: the loop has a barrier, or writes local memory */
};

static bool is_watched(const struct waits *w, const struct spv_inst *inst)
{
    bool is_volatile = inst->op == SpvOpLoad && inst->num_words > 1 && inst->words[1] & SpvMemoryAccessVolatileMask;
    return (inst->op == SpvOpAtomicLoad || is_volatile) && lower_is_in_local(w->module, inst->words[0]);
}

static bool changes(const struct waits *w, const struct spv_inst *inst)
{
    if (inst->op == SpvOpControlBarrier || inst->op == SpvOpMemoryBarrier)
        return true;
    bool writes = inst->op == SpvOpStore || (spv_op_is_atomic(inst->op) && inst->op != SpvOpAtomicLoad);
    return writes && lower_is_in_local(w->module, inst->words[0]);
}

/* The block changes its loop, and those around. */
static void note_change(struct waits *w, uint32_t block)
{
    for (uint32_t header = w->loops.loop[block]; header != CFG_NO_LOOP && !w->changes[header];
         header = w->loops.parent[header])
        w->changes[header] = true;
}

static void visit_function(struct waits *w, struct spv_function *function)
{
    struct arena *scratch = spv_scratch(w->module);
    spv_cfg_keep(w->module, function, &w->cfg);
    cfg_find_loops(scratch, &w->cfg, &w->loops);
    if (!w->loops.reducible)
        return;
    w->changes = arena_array(scratch, bool, w->cfg.count);
    for (uint32_t i = 0; i < w->cfg.count; i++) {
        spv_foreach_inst (inst, &w->cfg.blocks[i]->insts) {
            if (changes(w, inst))
                note_change(w, i);
        }
    }
    for (uint32_t i = 0; i < w->cfg.count; i++) {
        uint32_t header = w->loops.loop[i];
        if (header == CFG_NO_LOOP || w->changes[header])
            continue;
        spv_foreach_inst_safe (inst, &w->cfg.blocks[i]->insts) {
            if (is_watched(w, inst))
                lower_fence_behind(w->module, inst);
        }
    }
}

bool lower_waits(struct lower *lower)
{
    struct waits w = {.module = lower->module};
    bool any = false;
    spv_foreach_function (function, lower->module) {
        bool watched = false;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                watched |= is_watched(&w, inst);
        }
        if (watched) {
            struct arena_mark mark = spv_scratch_begin(lower->module);
            visit_function(&w, function);
            spv_scratch_end(lower->module, mark);
        }
        any |= watched;
    }
    lower->idle = !any;
    return true;
}
