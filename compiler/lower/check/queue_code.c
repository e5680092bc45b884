/* Notes of accesses to global memory that are made together (queue.c): the code that writes them down, and the function that
 * goes through them. It is given what the kernel knows: its state (tracks.c), and where the notes of local memory lie. */
#include "compiler/lower/check/queue.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

enum { NOTE_SHIFT = 24 /* of a word in kinds: the site, and from this bit on the note's number */ };

/* ---- what it takes ---- */

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

void check_begin_queue(struct checking *c, struct check_queue *queue)
{
    queue->function = spv_new_id(c->module);
    queue->places = array_of(c, c->u64, queue->capacity, false);
    queue->kinds = array_of(c, c->u32, queue->capacity, false);
    queue->filled = array_of(c, c->u32, (queue->capacity + 31) / 32, true);
    go_to_start(c);
    if (c->lower->check_granule)
        queue->local = check_find_local_notes(c);
}

void check_call_queue(struct checking *c, const struct check_queue *queue)
{
    const spv_id words[] = {queue->function, check_track_state(c), queue->local.words, queue->local.granules};
    spv_emit(&c->b, SpvOpFunctionCall, spv_type_void(c->module), queue->local.words ? 4 : 2, words);
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

/* CHECK_MOST_NOTES: there are too many. */
static uint32_t number_of(struct checking *c, const struct check_note *note)
{
    struct check_queue *queue = c->queue;
    for (uint32_t i = 0; i < queue->num_notes; i++) {
        if (is_same(&queue->notes[i].note, note))
            return i;
    }
    if (queue->num_notes < CHECK_MOST_NOTES)
        queue->notes[queue->num_notes++] = (struct check_known_note){*note, make_origin(c, note)};
    else
        return CHECK_MOST_NOTES;
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
    if (at >= queue->capacity || number == CHECK_MOST_NOTES || site >> NOTE_SHIFT) {
        check_call_queue(c, queue); /* what comes before it */
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

static spv_id part_of(struct checking *c, const struct check_known_note *known, enum part part)
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
