/* A volatile store to local memory stays, and stays where it is, relative to other volatile accesses (OpenCL C 3.0, 6.11,
 * refers to C99: 5.1.2.3 there). Much code counts on that in place of a barrier: sums within a sub-group whose work-items run
 * in step, as in NVIDIA's own samples.
 *
 *     p[0] += p[16];      volatile local float *p
 *     p[0] += p[8];
 *
 * NVIDIA's driver drops the first store, which the second one replaces, as soon as it can tell that p[8] is another
 * place. A fence behind a store keeps it there:
 *
 *     OpStore %p %a Volatile   ->   OpStore %p %a Volatile
 *                                   OpMemoryBarrier Workgroup AcquireRelease|WorkgroupMemory
 *
 * It is not needed where every path leads to a barrier, to the end, or to another store to the same place, before there
 * is a volatile access to any other place. */
#include "compiler/lower/quirks/fence.h"
#include "compiler/lower/quirks/passes.h"

#include "compiler/spv/cfg.h"

enum next { NEXT_ELSEWHERE, NEXT_ENDS, NEXT_UNKNOWN };

static bool is_volatile(const struct spv_module *module, const struct spv_inst *inst)
{
    uint32_t at = inst->op == SpvOpLoad ? 1 : 2; /* the memory operands */
    return (inst->op == SpvOpLoad || inst->op == SpvOpStore) && inst->num_words > at &&
           inst->words[at] & SpvMemoryAccessVolatileMask && lower_is_in_local(module, inst->words[0]);
}

/* What comes from inst on, in its block. */
static enum next look_on(const struct spv_module *module, const struct spv_inst *inst, spv_id pointer)
{
    for (; inst; inst = inst->next) {
        switch (inst->op) {
        case SpvOpControlBarrier:
        case SpvOpMemoryBarrier:
            return NEXT_ENDS;
        case SpvOpFunctionCall:
            return NEXT_ELSEWHERE;
        default:
            if (!is_volatile(module, inst))
                break;
            if (inst->words[0] != pointer)
                return NEXT_ELSEWHERE;
            if (inst->op == SpvOpStore)
                return NEXT_ENDS;
            break;
        }
    }
    return NEXT_UNKNOWN;
}

struct walk {
    const struct spv_module *module;
    const struct spv_cfg *cfg;
    bool *seen;
    uint32_t *stack, depth;
};

static void push_successors(struct walk *w, uint32_t block)
{
    for (uint32_t i = w->cfg->succ_start[block]; i < w->cfg->succ_start[block + 1]; i++) {
        uint32_t next = w->cfg->succs[i];
        if (!w->seen[next])
            w->stack[w->depth++] = next;
        w->seen[next] = true;
    }
}

static bool needs_fence(struct walk *w, uint32_t block, const struct spv_inst *store)
{
    enum next next = look_on(w->module, store->next, store->words[0]);
    for (uint32_t i = 0; i < w->cfg->count; i++)
        w->seen[i] = false;
    w->depth = 0;
    if (next == NEXT_UNKNOWN)
        push_successors(w, block);
    while (next != NEXT_ELSEWHERE && w->depth) {
        uint32_t at = w->stack[--w->depth];
        next = look_on(w->module, w->cfg->blocks[at]->insts.first, store->words[0]);
        if (next == NEXT_UNKNOWN)
            push_successors(w, at);
    }
    return next == NEXT_ELSEWHERE;
}

static void visit_function(struct spv_module *module, struct spv_function *function)
{
    struct arena *scratch = spv_scratch(module);
    struct spv_cfg cfg;
    spv_cfg_keep(module, function, &cfg);
    struct walk walk = {module, &cfg, arena_array(scratch, bool, cfg.count), arena_array(scratch, uint32_t, cfg.count),
                        0};
    for (uint32_t i = 0; i < cfg.count; i++) {
        spv_foreach_inst_safe (inst, &cfg.blocks[i]->insts) {
            if (inst->op == SpvOpStore && is_volatile(module, inst) && needs_fence(&walk, i, inst))
                lower_fence_behind(module, inst);
        }
    }
}

bool lower_volatiles(struct lower *lower)
{
    struct spv_module *module = lower->module;
    bool any = false;
    spv_foreach_function (function, module) {
        bool stores = false;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                stores |= inst->op == SpvOpStore && is_volatile(module, inst);
        }
        if (stores) {
            struct arena_mark mark = spv_scratch_begin(module);
            visit_function(module, function);
            spv_scratch_end(module, mark);
        }
        any |= stores;
    }
    lower->idle = !any;
    return true;
}
