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
 * several. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/launch.h"

#include "compiler/spv/cfg.h"

#include "base/util.h"

enum {
    LEAST = 32,         /* accesses in a kernel, and */
    LEAST_IN_LOOP = 8,  /* in a loop, not counting those in loops inside of it, for which this is done */
    LEAST_FOR_EACH = 4, /* accesses for each place where it goes through them */
    MOST_PLACES = 2048,
    MOST_NOTES = 64,
    NOTE_SHIFT = 24, /* of a word in kinds: the site, and from this bit on the note's number */
};

/* Accesses that differ in place and site alone. */
struct known_note {
    struct check_note note;
    spv_id origin; /* a variable with the number of the argument that note.root is; 0: it is none */
};

struct check_queue {
    spv_id function; /* that goes through what was written down */
    spv_id places, kinds, filled;
    struct check_local_notes local; /* of the kernel; none: local memory is not looked at */
    uint32_t capacity, count;       /* of places; those that marks ask for, which may be more */
    struct known_note notes[MOST_NOTES];
    uint32_t num_notes;
    struct u64_map
        marks; /* those that are written down -> one more than their first place: each of its notes has one */
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

/* Where the builder is. */
static void emit_call(struct checking *c, const struct check_queue *queue)
{
    const spv_id words[] = {queue->function, check_track_state(c), queue->local.words, queue->local.granules};
    spv_emit(&c->b, SpvOpFunctionCall, spv_type_void(c->module), queue->local.words ? 4 : 2, words);
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
                emit_call(p->c, p->queue);
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
    p->queue->capacity = (uint32_t)u64_min(accesses, MOST_PLACES);
    return accesses / LEAST_FOR_EACH >= calls;
}

static spv_id array_of(struct checking *c, spv_id type, uint32_t count, bool zero)
{
    type = spv_type_array(c->module, type, count);
    spv_id pointer = spv_type_pointer(c->module, SpvStorageClassPrivate, type);
    return spv_global_variable(c->module, pointer, SpvStorageClassPrivate, zero ? spv_const_null(c->module, type) : 0);
}

static void go_to_start(struct checking *c)
{
    struct spv_block *entry = c->lower->kernel->first_block;
    c->b = (struct spv_builder){c->module, c->lower->kernel, entry, entry->insts.first, NULL};
    while (c->b.before->op == SpvOpVariable)
        c->b.before = c->b.before->next;
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
    p.queue->function = spv_new_id(c->module);
    p.queue->places = array_of(c, c->u64, p.queue->capacity, false);
    p.queue->kinds = array_of(c, c->u32, p.queue->capacity, false);
    p.queue->filled = array_of(c, c->u32, (p.queue->capacity + 31) / 32, true);
    go_to_start(c);
    if (c->lower->check_granule)
        p.queue->local = check_find_local_notes(c);
    for (uint32_t i = 0; i < p.cfg.count; i++)
        look_at_block(&p, i, true);
    c->queue = p.queue;
}

/* ---- writing down ---- */

static spv_id element(struct checking *c, struct spv_builder *b, spv_id array, spv_id type, spv_id index)
{
    return spv_emitv(b, SpvOpInBoundsAccessChain, spv_type_pointer(c->module, SpvStorageClassPrivate, type), array,
                     index);
}

/* Only the kernel knows where an argument's local memory begins. */
static spv_id make_origin(struct checking *c, const struct check_note *note)
{
    if (!note->root || note->root->op == SpvOpVariable)
        return 0;
    struct spv_builder here = c->b;
    spv_id variable = spv_global_variable(c->module, spv_type_pointer(c->module, SpvStorageClassPrivate, c->u64),
                                          SpvStorageClassPrivate, 0);
    go_to_start(c);
    spv_emitv_void(&c->b, SpvOpStore, variable, check_number_of(c, note->root->id, note->storage));
    c->b = here;
    return variable;
}

static bool is_same(const struct check_note *a, const struct check_note *b)
{
    return a->kind == b->kind && a->how == b->how && a->what == b->what && a->size == b->size && a->arg == b->arg &&
           a->root == b->root && a->storage == b->storage;
}

/* MOST_NOTES: there are too many. */
static uint32_t number_of(struct checking *c, const struct check_note *note)
{
    struct check_queue *queue = c->queue;
    for (uint32_t i = 0; i < queue->num_notes; i++) {
        if (is_same(&queue->notes[i].note, note))
            return i;
    }
    if (queue->num_notes < MOST_NOTES)
        queue->notes[queue->num_notes++] = (struct known_note){*note, make_origin(c, note)};
    else
        return MOST_NOTES;
    return queue->num_notes - 1;
}

bool check_write_down(struct checking *c, const struct mark *mark, const struct check_note *note, spv_id place)
{
    struct check_queue *queue = c->queue;
    uintptr_t first = queue ? (uintptr_t)u64_map_get(&queue->marks, mark->inst->id) : 0;
    uint64_t site;
    if (!first || !spv_const_value(c->module, mark->site, &site))
        return false;
    uint32_t at = (uint32_t)first - 1, number = number_of(c, note);
    if (at >= queue->capacity || number == MOST_NOTES || site >> NOTE_SHIFT) {
        emit_call(c, queue); /* what comes before it */
        return false;
    }
    u64_map_set(c->lower->arena, &queue->marks, mark->inst->id, (void *)(first + 1));
    spv_id index = spv_const_u32(c->module, at);
    spv_emitv_void(&c->b, SpvOpStore, element(c, &c->b, queue->places, c->u64, index), place);
    spv_emitv_void(&c->b, SpvOpStore, element(c, &c->b, queue->kinds, c->u32, index),
                   spv_const_u32(c->module, number << NOTE_SHIFT | (uint32_t)site));
    spv_id word = element(c, &c->b, queue->filled, c->u32, spv_const_u32(c->module, at / 32));
    spv_id bits = spv_emitv(&c->b, SpvOpBitwiseOr, c->u32, spv_emitv(&c->b, SpvOpLoad, c->u32, word),
                            spv_const_u32(c->module, 1u << at % 32));
    spv_emitv_void(&c->b, SpvOpStore, word, bits);
    return true;
}

/* ---- going through it ---- */

enum part { WHAT, SIZE, HOW, TRACKS, LIMIT, TOUCHED, ORIGIN, PARTS };

static spv_id part_of(struct checking *c, const struct known_note *known, enum part part)
{
    const struct check_note *note = &known->note;
    switch (part) {
    case WHAT:
        return spv_const_u32(c->module, note->what);
    case SIZE:
        return note->size;
    case HOW:
        return spv_const_u32(c->module, note->how);
    case TRACKS:
        return lower_emit_arg_limit(c->lower, &c->b, note->arg, CLC_LIMIT_TRACKS);
    case LIMIT:
        return lower_emit_arg_limit(c->lower, &c->b, note->arg,
                                    note->how & CLC_SITE_WRITES ? CLC_LIMIT_WRITE : CLC_LIMIT_READ);
    case TOUCHED:
        return lower_emit_arg_limit(c->lower, &c->b, note->arg, CLC_LIMIT_TOUCHED);
    default:
        if (known->origin)
            return spv_emitv(&c->b, SpvOpLoad, c->u64, known->origin);
        return note->root ? check_number_of(c, note->root->id, note->storage) : spv_const_u64(c->module, 0);
    }
}

/* That part of the note of that number, which is of the kind. */
static spv_id choose(struct checking *c, uint32_t kind, enum part part, spv_id number)
{
    const struct check_queue *queue = c->queue;
    spv_id chosen = 0;
    for (uint32_t i = 0; i < queue->num_notes; i++) {
        if (queue->notes[i].note.kind != kind)
            continue;
        spv_id other = part_of(c, &queue->notes[i], part);
        if (!chosen)
            chosen = other;
        if (other == chosen)
            continue;
        spv_id is = spv_emitv(&c->b, SpvOpIEqual, c->truth, number, spv_const_u32(c->module, i));
        chosen = spv_emitv(&c->b, SpvOpSelect, spv_value_type(c->module, other), is, other, chosen);
    }
    return chosen;
}

/* What the function is given. */
struct given {
    spv_id state;
    struct check_local_notes local;
};

static void note_access(struct checking *c, uint32_t kind, spv_id number, spv_id site, spv_id place,
                        const struct given *given)
{
    spv_id state = given->state;
    spv_id parts[PARTS] = {0};
    bool in_argument = kind == CHECK_NOTE_TRACK, local = kind == CHECK_NOTE_LOCAL;
    for (enum part part = 0; part < PARTS; part++) {
        bool asked = part == SIZE || part == HOW || (part == WHAT && kind != CHECK_NOTE_TRACK_AT) ||
                     (part == ORIGIN ? local : part >= TRACKS && in_argument);
        parts[part] = asked ? choose(c, kind, part, number) : 0;
    }
    if (local) {
        check_note_local_access(c, &given->local, site, parts[WHAT], place, parts[SIZE], parts[HOW], parts[ORIGIN]);
    } else if (in_argument) {
        const spv_id touched[] = {parts[TOUCHED], place, parts[LIMIT], parts[SIZE], parts[HOW]};
        check_call(c, &c->touch, "__pumice_check_touch", ARRAY_LENGTH(touched), touched);
        const spv_id args[] = {check_head(c), site,        parts[WHAT], parts[TRACKS], place,
                               parts[LIMIT],  parts[SIZE], parts[HOW],  state,         place};
        check_call(c, &c->track, "__pumice_check_track", ARRAY_LENGTH(args), args);
    } else {
        const spv_id args[] = {check_head(c), site, place, parts[SIZE], parts[HOW], state};
        check_call(c, &c->track_at, "__pumice_check_track_at", ARRAY_LENGTH(args), args);
    }
}

static struct spv_block *add_block(struct checking *c, struct spv_block *behind)
{
    struct spv_block *block = spv_block_create(behind->function, c->module, 0);
    spv_block_insert_after(behind, block);
    return block;
}

/* Whether the number is one of a note of the kind; 0: there is none. */
static spv_id is_of_kind(struct checking *c, uint32_t kind, spv_id number)
{
    const struct check_queue *queue = c->queue;
    spv_id any = 0;
    for (uint32_t i = 0; i < queue->num_notes; i++) {
        if (queue->notes[i].note.kind != kind)
            continue;
        spv_id one = spv_emitv(&c->b, SpvOpIEqual, c->truth, number, spv_const_u32(c->module, i));
        any = any ? spv_emitv(&c->b, SpvOpLogicalOr, c->truth, any, one) : one;
    }
    return any;
}

/* What was written down at that place. */
static void note_one(struct checking *c, spv_id at, const struct given *given)
{
    const struct check_queue *queue = c->queue;
    spv_id place = spv_emitv(&c->b, SpvOpLoad, c->u64, element(c, &c->b, queue->places, c->u64, at));
    spv_id word = spv_emitv(&c->b, SpvOpLoad, c->u32, element(c, &c->b, queue->kinds, c->u32, at));
    spv_id site = spv_emitv(&c->b, SpvOpBitwiseAnd, c->u32, word, spv_const_u32(c->module, (1u << NOTE_SHIFT) - 1));
    spv_id number = spv_emitv(&c->b, SpvOpShiftRightLogical, c->u32, word, spv_const_u32(c->module, NOTE_SHIFT));
    for (uint32_t kind = CHECK_NOTE_TRACK; kind < CHECK_NOTE_NOW; kind *= 2) {
        spv_id is = is_of_kind(c, kind, number);
        if (!is)
            continue;
        struct spv_block *note = add_block(c, c->b.block), *behind = add_block(c, note);
        spv_emitv_void(&c->b, SpvOpSelectionMerge, behind->label->id, SpvSelectionControlMaskNone);
        spv_emitv_void(&c->b, SpvOpBranchConditional, is, note->label->id, behind->label->id);
        c->b.block = note;
        note_access(c, kind, number, site, place, given);
        spv_emitv_void(&c->b, SpvOpBranch, behind->label->id);
        c->b.block = behind;
    }
}

/* A phi of what the two blocks have; the second value is given later. */
static spv_id phi(struct checking *c, spv_id first, const struct spv_block *from, const struct spv_block *again)
{
    const spv_id words[] = {first, from->label->id, first, again->label->id};
    return spv_emit(&c->b, SpvOpPhi, c->u32, ARRAY_LENGTH(words), words);
}

enum block { ENTRY, WORDS, WORD, BITS, BIT, NOTE, NEXT_BIT, BEHIND_BITS, NEXT_WORD, DONE, BLOCKS };

static void begin(struct checking *c, struct spv_block *const *blocks, enum block block)
{
    c->b = (struct spv_builder){c->module, blocks[block]->function, blocks[block], NULL};
}

static void go_to(struct checking *c, struct spv_block *const *blocks, enum block to)
{
    spv_emitv_void(&c->b, SpvOpBranch, blocks[to]->label->id);
}

static void loop_while(struct checking *c, struct spv_block *const *blocks, spv_id condition, enum block body,
                       enum block next, enum block end)
{
    spv_emitv_void(&c->b, SpvOpLoopMerge, blocks[end]->label->id, blocks[next]->label->id,
                   SpvLoopControlDontUnrollMask);
    spv_emitv_void(&c->b, SpvOpBranchConditional, condition, blocks[body]->label->id, blocks[end]->label->id);
}

/* What the phi has when the loop comes round. */
static void set_next(struct checking *c, spv_id phi, spv_id value)
{
    spv_def(c->module, phi)->words[2] = value;
}

/* for (word = 0; word < words; word++) {
 *     left = filled[word];
 *     filled[word] = 0;
 *     for (bit = word * 32; left; left >>= 1, bit++)
 *         if (left & 1)
 *             note_one(bit);
 * } */
static void fill_function(struct checking *c, struct spv_block *const *blocks, const struct given *given)
{
    const struct check_queue *queue = c->queue;
    spv_id zero = spv_const_u32(c->module, 0), one = spv_const_u32(c->module, 1);
    begin(c, blocks, ENTRY);
    go_to(c, blocks, WORDS);
    begin(c, blocks, WORDS);
    spv_id word = phi(c, zero, blocks[ENTRY], blocks[NEXT_WORD]);
    spv_id words = spv_const_u32(c->module, (queue->capacity + 31) / 32);
    loop_while(c, blocks, spv_emitv(&c->b, SpvOpULessThan, c->truth, word, words), WORD, NEXT_WORD, DONE);
    begin(c, blocks, WORD);
    spv_id at = element(c, &c->b, queue->filled, c->u32, word), all = spv_emitv(&c->b, SpvOpLoad, c->u32, at);
    spv_emitv_void(&c->b, SpvOpStore, at, zero);
    spv_id first = spv_emitv(&c->b, SpvOpIMul, c->u32, word, spv_const_u32(c->module, 32));
    go_to(c, blocks, BITS);
    begin(c, blocks, BITS);
    spv_id left = phi(c, all, blocks[WORD], blocks[NEXT_BIT]), bit = phi(c, first, blocks[WORD], blocks[NEXT_BIT]);
    loop_while(c, blocks, spv_emitv(&c->b, SpvOpINotEqual, c->truth, left, zero), BIT, NEXT_BIT, BEHIND_BITS);
    begin(c, blocks, BIT);
    spv_id is_set =
        spv_emitv(&c->b, SpvOpINotEqual, c->truth, spv_emitv(&c->b, SpvOpBitwiseAnd, c->u32, left, one), zero);
    spv_emitv_void(&c->b, SpvOpSelectionMerge, blocks[NEXT_BIT]->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&c->b, SpvOpBranchConditional, is_set, blocks[NOTE]->label->id, blocks[NEXT_BIT]->label->id);
    begin(c, blocks, NOTE);
    note_one(c, bit, given);
    go_to(c, blocks, NEXT_BIT);
    begin(c, blocks, NEXT_BIT);
    set_next(c, left, spv_emitv(&c->b, SpvOpShiftRightLogical, c->u32, left, one));
    set_next(c, bit, spv_emitv(&c->b, SpvOpIAdd, c->u32, bit, one));
    go_to(c, blocks, BITS);
    begin(c, blocks, BEHIND_BITS);
    go_to(c, blocks, NEXT_WORD);
    begin(c, blocks, NEXT_WORD);
    set_next(c, word, spv_emitv(&c->b, SpvOpIAdd, c->u32, word, one));
    go_to(c, blocks, WORDS);
    begin(c, blocks, DONE);
    spv_emit_void(&c->b, SpvOpReturn, 0, NULL);
}

void check_make_queue(struct checking *c)
{
    struct spv_block *blocks[BLOCKS];
    if (!c->queue)
        return;
    const spv_id params[] = {c->u64, c->u64, c->u32};
    spv_id type = spv_type_function(c->module, spv_type_void(c->module), c->queue->local.words ? 3 : 1, params);
    struct spv_function *function = spv_function_create(c->module, c->queue->function, type, 0);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        blocks[i] = spv_block_create(function, c->module, 0);
        spv_block_append(function, blocks[i]);
    }
    struct given given = {.state = function->params.data[0]->id};
    if (c->queue->local.words)
        given.local = (struct check_local_notes){function->params.data[1]->id, function->params.data[2]->id};
    fill_function(c, blocks, &given);
}
