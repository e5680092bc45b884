/* A loop that waits for another work-item to store into local memory reads that again and again. OpenCL C 3.0, 6.15.12.3:
 * a store becomes visible to atomic loads in a finite time; and a volatile load is one each time. NVIDIA's driver
 * nevertheless takes relaxed atomic loads and volatile ones of local memory out of a loop that writes none, so that it
 * waits for ever. A fence behind the load keeps it where it is:
 *
 *     %t = OpAtomicLoad %uint %local ...  ->  %t = OpAtomicLoad %uint %local ...
 *                                             OpMemoryBarrier Workgroup AcquireRelease|WorkgroupMemory
 *
 * A loop that stores to local memory, modifies it or has a barrier is left as it is: there the driver cannot know what
 * the next load finds. Global memory is loaded from where all work-groups see it (memory/access.c), and stays. */
#include "compiler/lower/lower.h"

#include "compiler/spv/cfg.h"

#include <string.h>

struct waits {
    struct spv_module *module;
    struct spv_cfg cfg;
    bool *changes; /* by block: it has a barrier, or writes local memory */
    bool *body;    /* by block: of the loop at hand */
    bool *waits;   /* by block: in a loop without such blocks */
    VEC(uint32_t) left;
};

static bool is_local(const struct waits *w, spv_id pointer)
{
    return spv_pointer_storage(w->module, spv_value_type(w->module, pointer)) == SpvStorageClassWorkgroup;
}

static bool is_watched(const struct waits *w, const struct spv_inst *inst)
{
    bool is_volatile = inst->op == SpvOpLoad && inst->num_words > 1 && inst->words[1] & SpvMemoryAccessVolatileMask;
    return (inst->op == SpvOpAtomicLoad || is_volatile) && is_local(w, inst->words[0]);
}

static bool changes(const struct waits *w, const struct spv_inst *inst)
{
    if (inst->op == SpvOpControlBarrier || inst->op == SpvOpMemoryBarrier)
        return true;
    bool writes = inst->op == SpvOpStore || inst->op == SpvOpAtomicStore || inst->op == SpvOpAtomicFAddEXT ||
                  (inst->op > SpvOpAtomicStore && inst->op <= SpvOpAtomicXor);
    return writes && is_local(w, inst->words[0]);
}

/* The loop of the edge from its end to its header: all from which the end is reached without passing the header. */
static void visit_loop(struct waits *w, uint32_t end, uint32_t header)
{
    bool any = false;
    memset(w->body, 0, w->cfg.count * sizeof(*w->body));
    w->left.length = 0;
    vec_push(spv_scratch(w->module), &w->left, end);
    w->body[header] = w->body[end] = true;
    while (w->left.length) {
        uint32_t block = w->left.data[--w->left.length];
        for (uint32_t i = w->cfg.pred_start[block]; block != header && i < w->cfg.pred_start[block + 1]; i++) {
            uint32_t pred = w->cfg.preds[i];
            if (!w->body[pred])
                vec_push(spv_scratch(w->module), &w->left, pred);
            w->body[pred] = true;
        }
    }
    for (uint32_t i = header; i < w->cfg.count; i++)
        any |= w->body[i] && w->changes[i];
    for (uint32_t i = header; !any && i < w->cfg.count; i++)
        w->waits[i] |= w->body[i];
}

static void add_fence(struct waits *w, struct spv_inst *load)
{
    struct spv_builder b = {w->module, load->block->function, load->block, load->next};
    spv_emitv_void(&b, SpvOpMemoryBarrier, spv_const_u32(w->module, SpvScopeWorkgroup),
                   spv_const_u32(w->module,
                                 SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask));
}

static void visit_function(struct waits *w, struct spv_function *function)
{
    struct arena *scratch = spv_scratch(w->module);
    spv_cfg_keep(w->module, function, &w->cfg);
    w->changes = arena_array(scratch, bool, w->cfg.count);
    w->body = arena_array(scratch, bool, w->cfg.count);
    w->waits = arena_array(scratch, bool, w->cfg.count);
    memset(w->changes, 0, w->cfg.count * sizeof(*w->changes));
    memset(w->waits, 0, w->cfg.count * sizeof(*w->waits));
    w->left = (typeof(w->left)){0};
    for (uint32_t i = 0; i < w->cfg.count; i++) {
        spv_foreach_inst (inst, &w->cfg.blocks[i]->insts)
            w->changes[i] |= changes(w, inst);
    }
    for (uint32_t i = 0; i < w->cfg.count; i++) {
        for (uint32_t k = w->cfg.succ_start[i]; k < w->cfg.succ_start[i + 1]; k++) {
            if (spv_dominates(&w->cfg, w->cfg.succs[k], i))
                visit_loop(w, i, w->cfg.succs[k]);
        }
    }
    for (uint32_t i = 0; i < w->cfg.count; i++) {
        spv_foreach_inst_safe (inst, &w->cfg.blocks[i]->insts) {
            if (w->waits[i] && is_watched(w, inst))
                add_fence(w, inst);
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
