/* Loops that do not end (check.h).
 *
 * Each function counts how often it goes round any loop. A loop whose own rounds, with those of the loops inside, are too
 * many reports its place and ends; the launch's other loops end then, too, so that the program goes on.
 *
 *     head:  OpBranchConditional %c %body %exit    ->    count = count + 1
 *                                                        next = CheckLoop count next first site
 *                                                        OpBranchConditional (%c && next != 0) %body %exit
 *
 * first is what count was before the loop. An exit is taken which each round comes by; a loop without one is left by a
 * return. The library looks at the numbers when count comes to next (lib/check.cl). Loops that are entered at several
 * places stay as they are. */
#include "compiler/lower/check/check.h"

#include "compiler/opt/cfg/cfg.h"

enum { FIRST_LOOK = 4096 };

struct counting {
    struct check_sites *s;
    struct spv_function *function;
    const struct spv_cfg *cfg;
    const struct cfg_loops *loops;
    spv_id u32, count, next; /* variables; 0: not needed yet */
};

/* ---- numbers ---- */

static spv_id load(struct counting *x, spv_id variable)
{
    return spv_emitv(&x->s->b, SpvOpLoad, x->u32, variable, SpvMemoryAccessAlignedMask, 4);
}

static void store(struct counting *x, spv_id variable, spv_id value)
{
    spv_emitv_void(&x->s->b, SpvOpStore, variable, value, SpvMemoryAccessAlignedMask, 4);
}

static void build_at(struct counting *x, struct spv_block *block, struct spv_inst *before)
{
    x->s->b = (struct spv_builder){x->s->module, x->function, block, before};
}

/* In front of what ends the block. */
static void build_at_end(struct counting *x, struct spv_block *block)
{
    struct spv_inst *end = spv_terminator(block);
    build_at(x, block, end->prev && spv_op_is_merge(end->prev->op) ? end->prev : end);
}

static spv_id variable(struct counting *x, uint32_t start)
{
    struct spv_block *entry = x->function->first_block;
    build_at(x, entry, entry->insts.first);
    spv_id made = spv_emit_variable(&x->s->b, x->u32);
    build_at(x, entry, entry->insts.first);
    while (x->s->b.before->op == SpvOpVariable)
        x->s->b.before = x->s->b.before->next;
    store(x, made, spv_const_u32(x->s->module, start));
    return made;
}

/* Counts a round: whether it is the last one. */
static spv_id count_round(struct counting *x, spv_id first, spv_id site)
{
    struct spv_builder *b = &x->s->b;
    spv_id count = spv_emitv(b, SpvOpIAdd, x->u32, load(x, x->count), spv_const_u32(x->s->module, 1));
    store(x, x->count, count);
    const spv_id args[] = {count, load(x, x->next), load(x, first), site};
    spv_id next = spv_emit_private(b, SPV_PRIVATE_CHECK_LOOP, x->u32, 4, args);
    store(x, x->next, next);
    return spv_emitv(b, SpvOpIEqual, spv_type_bool(x->s->module), next, spv_const_u32(x->s->module, 0));
}

/* ---- the way out ---- */

static uint32_t target_index(struct counting *x, spv_id label)
{
    return spv_block_of(x->s->module, label)->index;
}

static bool is_inside(struct counting *x, uint32_t head, uint32_t block)
{
    return block != SPV_UNREACHABLE && cfg_in_loop(x->loops, head, block);
}

/* Whether each round comes by the block. */
static bool is_on_the_way(struct counting *x, uint32_t head, uint32_t block)
{
    for (uint32_t i = x->cfg->pred_start[head]; i < x->cfg->pred_start[head + 1]; i++) {
        uint32_t from = x->cfg->preds[i];
        if (is_inside(x, head, from) && !spv_dominates(x->cfg, block, from))
            return false;
    }
    return true;
}

/* A block of the loop that leaves it on a condition; NULL: there is none that each round comes by. */
static struct spv_block *find_exit(struct counting *x, uint32_t head)
{
    for (uint32_t i = head; i < x->cfg->count; i++) {
        struct spv_inst *end = spv_terminator(x->cfg->blocks[i]);
        if (end->op != SpvOpBranchConditional || !is_inside(x, head, i))
            continue;
        bool yes = is_inside(x, head, target_index(x, end->words[1])),
             no = is_inside(x, head, target_index(x, end->words[2]));
        if (yes != no && is_on_the_way(x, head, i))
            return x->cfg->blocks[i];
    }
    return NULL;
}

static void leave_by(struct counting *x, uint32_t head, struct spv_block *block, spv_id first, spv_id site)
{
    struct spv_inst *end = spv_terminator(block);
    spv_id truth = spv_type_bool(x->s->module);
    bool stays = is_inside(x, head, target_index(x, end->words[1]));
    build_at_end(x, block);
    spv_id last = count_round(x, first, site);
    if (stays)
        last = spv_emitv(&x->s->b, SpvOpLogicalNot, truth, last);
    end->words[0] = spv_emitv(&x->s->b, stays ? SpvOpLogicalAnd : SpvOpLogicalOr, truth, end->words[0], last);
}

static struct spv_block *add_block(struct counting *x)
{
    struct spv_block *block = spv_block_create(x->function, x->s->module, 0);
    spv_block_append(x->function, block);
    block->index = SPV_UNREACHABLE;
    build_at(x, block, NULL);
    return block;
}

static spv_id add_return(struct counting *x)
{
    struct spv_block *block = add_block(x);
    spv_id type = x->function->def->type;
    if (spv_type_op(x->s->module, type) == SpvOpTypeVoid)
        spv_emitv_void(&x->s->b, SpvOpReturn);
    else
        spv_emitv_void(&x->s->b, SpvOpReturnValue, spv_undef(x->s->module, type));
    return block->label->id;
}

static void retarget(uint32_t *words, uint32_t count, uint32_t step, spv_id from, spv_id to)
{
    for (uint32_t i = 0; i < count; i += step)
        words[i] = words[i] == from ? to : words[i];
}

/* From the block back to the head there is a block more, which may return. */
static void leave_on_edge(struct counting *x, struct spv_block *from, struct spv_block *head, spv_id first, spv_id site)
{
    struct spv_inst *end = spv_terminator(from);
    spv_id way_out = add_return(x);
    struct spv_block *between = add_block(x);
    spv_id last = count_round(x, first, site);
    spv_emitv_void(&x->s->b, SpvOpBranchConditional, last, way_out, head->label->id);
    retarget(end->words, end->num_words, 1, head->label->id, between->label->id);
    spv_foreach_inst (phi, &head->insts) {
        if (phi->op == SpvOpPhi)
            retarget(phi->words + 1, phi->num_words - 1, 2, from->label->id, between->label->id);
    }
}

/* ---- loops ---- */

static void count_loop(struct counting *x, uint32_t head, spv_id site)
{
    if (!x->count) {
        x->count = variable(x, 0);
        x->next = variable(x, FIRST_LOOK);
    }
    spv_id first = variable(x, 0);
    struct spv_block *exit = find_exit(x, head);
    if (exit)
        leave_by(x, head, exit, first, site);
    for (uint32_t i = x->cfg->pred_start[head]; i < x->cfg->pred_start[head + 1]; i++) {
        struct spv_block *from = x->cfg->blocks[x->cfg->preds[i]];
        if (!is_inside(x, head, x->cfg->preds[i])) {
            build_at_end(x, from);
            store(x, first, load(x, x->count));
        } else if (!exit) {
            leave_on_edge(x, from, x->cfg->blocks[head], first, site);
        }
    }
}

void check_note_loop(struct check_sites *s, const struct spv_block *block)
{
    if (s->lower->watched & CLC_CHECK_LOOPS)
        vec_push(s->lower->arena, &s->places, ((struct check_loop_place){block, s->file, s->line, s->column}));
}

/* The numbers of blocks are those that places were noted by: the branches are as they were. */
void check_count_loops(struct check_sites *s, struct spv_function *function)
{
    struct spv_cfg cfg;
    struct cfg_loops loops;
    if (!(s->lower->watched & CLC_CHECK_LOOPS))
        return;
    spv_cfg_compute(s->lower->arena, s->module, function, &cfg);
    cfg_find_loops(s->lower->arena, &cfg, &loops);
    struct counting x = {
        .s = s, .function = function, .cfg = &cfg, .loops = &loops, .u32 = spv_type_int(s->module, 32)};
    for (uint32_t i = 0; loops.reducible && i < s->places.length; i++) {
        const struct check_loop_place *place = &s->places.data[i];
        if (place->block->index == SPV_UNREACHABLE || !loops.is_header[place->block->index])
            continue;
        s->file = place->file;
        s->line = place->line;
        s->column = place->column;
        count_loop(&x, place->block->index, check_add_site(s, CLC_SITE_LOOP));
    }
    if (x.count)
        spv_cfg_forget(function);
    s->places.length = 0;
}
