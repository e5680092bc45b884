/* Notes of accesses to global memory that are made together (checking.h).
 *
 * Drivers that inline all functions write out the library's track function at each access, and take minutes for a kernel
 * with some hundred of them. There a work-item only writes down what it accesses, each access at a place of its own, and
 * one copy of the function goes through what was written down:
 *
 *     %q = Checked %p 4 site     ->    places[7] = distance; kinds[7] = kind and site; filled[0] |= 1 << 7
 *     OpControlBarrier           ->    for each bit of filled: __pumice_check_track(...)
 *                                      OpControlBarrier
 *
 * It does so before anything by which others may learn what it did, at the head of each loop that has such accesses, so
 * that each of them comes once at most between two times, and at the kernel's ends. What a work-item knows of others
 * (tracks.c) changes only there, so it is the same then as when the access was made.
 *
 * This takes time where few accesses are noted at a time. So it is done in large kernels, for accesses of loops that have
 * several. Here it is planned which accesses these are, and when they are gone through; queue_code.c writes the code. */
#include "compiler/lower/check/queue.h"

#include "compiler/spv/cfg.h"

#include "base/util.h"

enum {
    LEAST = 32,         /* accesses in a kernel, and */
    LEAST_IN_LOOP = 8,  /* in a loop, not counting those in loops inside of it, for which this is done */
    LEAST_FOR_EACH = 4, /* accesses for each place where it goes through them */
};

/* The plan, before any mark is made code. All arrays are by block->index. */
struct plan {
    struct checking *c;
    struct check_queue *queue;
    struct spv_cfg cfg;
    uint32_t *region; /* one more than the index of the head of the innermost loop around the block; 0: there is none */
    uint32_t *counts; /* of accesses that could be written down, by region */
    uint8_t *pending; /* some may be when the block ends */
    bool irreducible;
};

/* ---- loops ---- */

/* The loop of which the block is an end: all from which it is reached without coming by the head. */
static void add_to_loop(struct plan *p, uint32_t head, uint32_t end)
{
    VEC(uint32_t) work = {0};
    struct arena *arena = p->c->lower->arena;
    vec_push(arena, &work, end);
    while (work.length) {
        uint32_t block = work.data[--work.length];
        if (p->region[block] == head + 1)
            continue;
        p->region[block] = head + 1;
        for (uint32_t i = p->cfg.pred_start[block]; block != head && i < p->cfg.pred_start[block + 1]; i++)
            vec_push(arena, &work, p->cfg.preds[i]);
    }
}

/* Outer loops come first, so that inner ones have their blocks in the end. */
static void find_loops(struct plan *p)
{
    for (uint32_t head = 0; head < p->cfg.count; head++) {
        for (uint32_t i = p->cfg.pred_start[head]; i < p->cfg.pred_start[head + 1]; i++) {
            if (p->cfg.preds[i] < head)
                continue;
            p->irreducible |= !spv_dominates(&p->cfg, head, p->cfg.preds[i]);
            if (!p->irreducible)
                add_to_loop(p, head, p->cfg.preds[i]);
        }
    }
}

/* ---- what is written down, and when it is gone through ---- */

/* The notes of an access (CHECK_NOTE_*), and how many these are; 0: it has none, or this is none. */
static uint32_t notes_of(struct checking *c, struct spv_inst *inst, uint32_t *count)
{
    uint32_t of_tracks, of_local;
    *count = 0;
    if (!spv_is_private(inst, SPV_PRIVATE_CHECKED))
        return 0;
    const struct mark mark = check_read_mark(c, inst);
    uint32_t notes = check_notes_of_tracks(c, &mark, &of_tracks);
    notes |= check_notes_of_local(c, &mark, &of_local);
    *count = of_tracks + of_local;
    bool plain = !(mark.info->access & ~(uint32_t)(CLC_SITE_READS | CLC_SITE_WRITES | CLC_SITE_WHOLE));
    return notes && (!plain || mark.info->compares) ? CHECK_NOTE_NOW : notes;
}

/* How many notes of the instruction may be made later; by all that is known of it alone. */
static uint32_t count_waiting(struct checking *c, struct spv_inst *inst)
{
    uint32_t count, notes = notes_of(c, inst, &count);
    return notes & CHECK_NOTE_NOW ? 0 : count;
}

static void note_counts(struct plan *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts)
            p->counts[p->region[i]] += count_waiting(p->c, inst);
    }
}

/* Likewise; where they are. */
static uint32_t count_written_down(const struct plan *p, uint32_t block, struct spv_inst *inst)
{
    return p->counts[p->region[block]] >= LEAST_IN_LOOP ? count_waiting(p->c, inst) : 0;
}

/* Whether others may learn there what the work-item did, or it what they did; or a note is made at once that has to come
 * behind what is written down: a read of local memory asks who wrote there. */
static bool orders(const struct plan *p, uint32_t block, struct spv_inst *inst)
{
    uint32_t count;
    switch (inst->op) {
    case SpvOpLoad:
        return inst->num_words > 1 && inst->words[1] & SpvMemoryAccessVolatileMask;
    case SpvOpStore:
        return inst->num_words > 2 && inst->words[2] & SpvMemoryAccessVolatileMask;
    case SpvOpPhi:
    case SpvOpVariable:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpImageRead:
    case SpvOpImageWrite:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpUnreachable:
        return false;
    case SpvOpExtInst:
        if (spv_is_private(inst, SPV_PRIVATE_CHECKED))
            return notes_of(p->c, inst, &count) & (CHECK_NOTE_LOCAL | CHECK_NOTE_NOW) &&
                   !count_written_down(p, block, inst);
        return inst->hints.ext_set == SPV_EXT_SET_PRIVATE && !spv_is_private(inst, SPV_PRIVATE_CHECK_FAULT) &&
               !spv_is_private(inst, SPV_PRIVATE_CHECK_LOOP);
    default:
        return !spv_inst_is_pure(inst);
    }
}

/* At the head of a loop what was written down in it is gone through, whoever is there first. */
static bool begins_round(const struct plan *p, uint32_t block)
{
    return p->region[block] == block + 1 && p->counts[block + 1] >= LEAST_IN_LOOP;
}

static bool pending_before(const struct plan *p, uint32_t block)
{
    bool pending = begins_round(p, block);
    for (uint32_t i = p->cfg.pred_start[block]; i < p->cfg.pred_start[block + 1]; i++)
        pending |= p->pending[p->cfg.preds[i]];
    return pending;
}

/* How often the block goes through it; emits: the calls are made. */
static uint32_t look_at_block(struct plan *p, uint32_t i, bool emits)
{
    struct spv_block *block = p->cfg.blocks[i];
    bool pending = pending_before(p, i), begins = begins_round(p, i);
    uint32_t count = 0;
    spv_foreach_inst_safe (inst, &block->insts) {
        bool is_start = inst->op == SpvOpPhi || inst->op == SpvOpVariable;
        if (pending && !is_start && (begins || orders(p, i, inst))) {
            p->c->b = (struct spv_builder){p->c->module, block->function, block, inst};
            if (emits)
                check_call_queue(p->c, p->queue);
            pending = false;
            count++;
        }
        begins &= is_start;
        uint32_t waiting = count_written_down(p, i, inst);
        if (waiting && emits) {
            u64_map_set(p->c->lower->arena, &p->queue->marks, inst->id, (void *)(uintptr_t)(p->queue->count + 1));
            p->queue->count += waiting;
        }
        pending |= waiting != 0;
    }
    p->pending[i] = pending;
    return count;
}

static void find_pending(struct plan *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->cfg.count; i++) {
            uint8_t before = p->pending[i];
            look_at_block(p, i, false);
            changed |= before != p->pending[i];
        }
    }
}

/* Whether it is worth it. */
static bool pays(struct plan *p)
{
    uint32_t accesses = 0, calls = 0;
    for (uint32_t i = 0; i <= p->cfg.count; i++)
        accesses += p->counts[i] >= LEAST_IN_LOOP ? p->counts[i] : 0;
    if (accesses < LEAST)
        return false;
    find_pending(p);
    for (uint32_t i = 0; i < p->cfg.count; i++)
        calls += look_at_block(p, i, false);
    p->queue->capacity = (uint32_t)u64_min(accesses, CHECK_MOST_PLACES);
    return accesses / LEAST_FOR_EACH >= calls;
}

void check_plan_queue(struct checking *c)
{
    struct arena *arena = c->lower->arena;
    if (!c->lower->target->inlines_calls || !check_looks_at_tracks(c))
        return;
    struct plan p = {.c = c, .queue = arena_new(arena, struct check_queue)};
    spv_cfg_compute(arena, c->module, c->lower->kernel, &p.cfg);
    p.region = arena_array(arena, uint32_t, p.cfg.count);
    p.counts = arena_array(arena, uint32_t, p.cfg.count + 1u);
    p.pending = arena_array(arena, uint8_t, p.cfg.count);
    find_loops(&p);
    if (p.irreducible)
        return;
    note_counts(&p);
    if (!pays(&p))
        return;
    check_begin_queue(c, p.queue);
    for (uint32_t i = 0; i < p.cfg.count; i++)
        look_at_block(&p, i, true);
    c->queue = p.queue;
}
