/* Copies of a loop's iterations: unroll.c says which loops, and why.
 *
 * Simple things are folded while they are copied, since the folding pass would remove most of the copy again: sums and
 * comparisons of counters, which are constants in a copy, the arms of ifs that depend on them, and inner loops whose
 * ends depend on them. */
#include "compiler/opt/unroll.h"

#include "compiler/opt/cfg/blocks.h"

#include <string.h>

enum { MAX_MAPPED = 16 };      /* operands of what may be simplified */
enum { FOLLOWS = UINT32_MAX }; /* for the label of the next iteration: it goes on in the same block */

spv_id unroll_incoming(const struct unroll *u, const struct spv_inst *phi, const struct loop *loop, bool from_latch)
{
    spv_id latch = u->cfg.blocks[loop->latch]->label->id;
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        if ((phi->words[i + 1] == latch) == from_latch)
            return phi->words[i];
    }
    return 0;
}

/* A copied phi of an inner loop that stays a loop: the value from its latch is copied later. */
struct pending {
    struct spv_inst *copy;
    const struct spv_inst *phi;
};

struct copy {
    struct unroll *unroll;
    uint32_t header;
    struct block_list blocks; /* of the loop, in the order of control flow */
    uint32_t at;              /* the one of them that is copied */
    bool once;                /* each copy is a loop that runs once */
    bool deep;                /* wanted loops inside are written out as well */
    uint32_t scopes;          /* of the iteration that is copied, by spv_begin_scopes() */
    VEC(struct pending) phis;
};

static void gather(struct copy *c, uint32_t header)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[header];
    for (uint32_t i = 0; i < loop->num_blocks; i++)
        u->in_loop[u->members[loop->first_block + i]] = true;
    for (uint32_t i = 0; i < loop->num_inner; i++)
        gather(c, u->inner[loop->first_inner + i]);
}

bool unroll_continues_inside(const struct unroll *u, uint32_t header)
{
    spv_id target = spv_merge_inst(u->cfg.blocks[header])->words[1];
    uint32_t at = index_of(u, target);
    if (at == header)
        return false;
    if (u->cfg.pred_start[at + 1] - u->cfg.pred_start[at] != 1)
        return true;
    uint32_t from = u->cfg.preds[u->cfg.pred_start[at]];
    for (uint32_t i = from; i != header; i = u->cfg.idom[i]) {
        const struct spv_inst *merge = i == u->all[header]->exit ? NULL : spv_merge_inst(u->cfg.blocks[i]);
        if (merge && !spv_dominates(&u->cfg, index_of(u, merge->words[0]), from))
            return true;
    }
    return false;
}

/* Maps an operand to its copy. A label gets the id of its copy when it is first asked for. */
static void map_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct unroll *u = ((struct copy *)data)->unroll;
    struct spv_inst *def = spv_def(u->module, *word);
    (void)inst;
    if (!def || !def->block || def->block->index >= u->cfg.count || !u->in_loop[def->block->index])
        return;
    if (def->op == SpvOpLabel && !def->user)
        def->user = spv_new_id(u->module);
    if (def->user)
        *word = def->user;
}

static spv_id mapped(struct copy *c, spv_id id)
{
    map_word(c, NULL, &id);
    return id;
}

static spv_id mapped_label(struct copy *c, uint32_t block)
{
    return mapped(c, c->unroll->cfg.blocks[block]->label->id);
}

/* Sets the header's phis for the next copy: they are what the latch gives them in this one. */
static void advance_phis(struct copy *c, bool first)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[c->header];
    struct arena_mark mark = spv_scratch_begin(u->module);
    VEC(spv_id) values = {0};
    uint32_t next = 0;
    spv_foreach_inst (phi, &u->cfg.blocks[c->header]->insts) {
        if (phi->op != SpvOpPhi)
            break;
        vec_push(spv_scratch(u->module), &values, mapped(c, unroll_incoming(u, phi, loop, !first)));
    }
    spv_foreach_inst (inst, &u->cfg.blocks[c->header]->insts) {
        if (inst->op != SpvOpPhi)
            break;
        inst->user = values.data[next++];
    }
    spv_scratch_end(u->module, mark);
}

static void copy_annotations(struct spv_module *module, const struct spv_inst *from, spv_id to)
{
    for (const struct spv_inst *d = spv_decorations(module, from->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate)
            spv_decorate(module, to, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
}

/* ---- what needs no copy ---- */

/* "And" and "or" with a constant: the operand that they are equal to, or 0. */
static spv_id simple_logical(const struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t known;
    bool is_and = inst->op == SpvOpLogicalAnd;
    for (uint32_t i = 0; i < 2; i++) {
        if (spv_const_value(module, inst->words[i], &known))
            return inst->words[(known != 0) == is_and ? 1 - i : i];
    }
    return 0;
}

/* ---- arms that are not taken ---- */

/* Whether the blocks that x dominates can be left out of the copy: none of them is the merge block or the continue
 * target of a construct around, or goes back to a loop around. */
static bool can_drop(const struct copy *c, uint32_t x, bool drop)
{
    struct unroll *u = c->unroll;
    for (uint32_t i = c->at + 1; i < c->blocks.length; i++) {
        uint32_t block = c->blocks.data[i];
        if (!spv_dominates(&u->cfg, x, block))
            continue;
        if (drop)
            u->state[block] = IS_DROPPED;
        if (u->construct[block] < x)
            return false;
        for (uint32_t e = u->cfg.succ_start[block]; e < u->cfg.succ_start[block + 1]; e++) {
            if (u->cfg.succs[e] < x)
                return false;
        }
    }
    return true;
}

static uint32_t num_preds(const struct unroll *u, uint32_t block)
{
    return u->cfg.pred_start[block + 1] - u->cfg.pred_start[block];
}

/* The arm that an if with a constant condition takes, where the other arm can be left out of the copy; else 0. */
static spv_id arm_taken(struct copy *c, uint32_t block)
{
    struct unroll *u = c->unroll;
    const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[block]), *end = terminator_of(u, block);
    uint64_t condition;
    if (merge->op != SpvOpSelectionMerge || end->op != SpvOpBranchConditional || end->words[1] == end->words[2] ||
        !spv_const_value(u->module, mapped(c, end->words[0]), &condition))
        return 0;
    spv_id taken = end->words[condition ? 1 : 2], other = end->words[condition ? 2 : 1];
    uint32_t x = index_of(u, other);
    if (other == merge->words[0] ? num_preds(u, x) < 2 : num_preds(u, x) != 1 || !can_drop(c, x, false))
        return 0;
    if (other != merge->words[0])
        can_drop(c, x, true);
    u->not_taken[block] = other;
    return taken;
}

/* Removes the entries of a phi that come from blocks which are left out of this copy. */
static void drop_entries(const struct copy *c, struct spv_inst *phi)
{
    const struct unroll *u = c->unroll;
    spv_id label = phi->block->label->id;
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        uint32_t pred = index_of(u, phi->words[i + 1]);
        if (pred != NO_BLOCK && (u->state[pred] == IS_DROPPED || u->not_taken[pred] == label))
            continue;
        phi->words[count++] = phi->words[i];
        phi->words[count++] = phi->words[i + 1];
    }
    phi->num_words = count;
}

/* ---- instructions ---- */

/* The one value that all entries are; 0: there is none. */
static spv_id simple_phi(const struct spv_inst *phi)
{
    for (uint32_t i = 2; i < phi->num_words; i += 2) {
        if (phi->words[i] != phi->words[0])
            return 0;
    }
    return phi->words[0];
}

/* The constant or operand that an instruction's copy would be equal to; 0: a copy is needed. The operands of inst are
 * mapped already, its id is the original's. Less simple cases are left to the folding pass. */
static spv_id simplified(struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t condition;
    if (!inst->id || !inst->type)
        return 0;
    if (!inst->num_words)
        return inst->op == SpvOpPhi ? spv_undef(module, inst->type) : 0;
    spv_id value = fold_constant(module, inst);
    if (value)
        return value;
    switch (inst->op) {
    case SpvOpPhi:
        value = simple_phi(inst);
        break;
    case SpvOpSelect:
        value = spv_const_value(module, inst->words[0], &condition) ? inst->words[condition ? 1 : 2] : 0;
        break;
    case SpvOpCopyObject:
        value = inst->words[0];
        break;
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
        value = simple_logical(module, inst);
        break;
    default:
        value = inst->num_words == 2 ? fold_identity(module, inst) : 0;
        break;
    }
    return value && spv_value_type(module, value) == inst->type ? value : 0;
}

static struct spv_inst *create_copy(struct copy *c, const struct spv_inst *inst)
{
    struct spv_module *module = c->unroll->module;
    spv_id id = inst->id ? spv_new_id(module) : 0;
    struct spv_inst *copy = spv_inst_create(module, (SpvOp)inst->op, inst->type, id, inst->num_words, inst->words);
    copy->hints = inst->hints;
    if (spv_row_of_scopes(inst)) {
        copy->hints.scopes = 0;
        spv_copy_scopes(module, inst, copy, c->scopes);
    }
    if (id && spv_decorations(module, inst->id))
        copy_annotations(module, inst, id);
    c->unroll->written++;
    return copy;
}

/* Copies inst. NULL where the copy is equal to a value that exists already. */
static struct spv_inst *copy_inst(struct copy *c, struct spv_inst *inst)
{
    struct unroll *u = c->unroll;
    bool is_phi = inst->op == SpvOpPhi, waits = is_phi && u->loops.is_header[inst->block->index];
    struct spv_inst *copy;
    if (!waits && (is_phi || spv_op_is_pure(inst->op)) && inst->num_words <= MAX_MAPPED) {
        uint32_t words[MAX_MAPPED];
        struct spv_inst mapping = *inst;
        mapping.words = words;
        for (uint32_t i = 0; i < inst->num_words; i++)
            words[i] = inst->words[i];
        if (is_phi)
            drop_entries(c, &mapping);
        spv_visit_operand_ids(&mapping, map_word, c);
        inst->user = simplified(u->module, &mapping);
        if (inst->user)
            return NULL;
        copy = create_copy(c, &mapping);
    } else {
        copy = create_copy(c, inst);
        if (waits)
            vec_push(u->arena, &c->phis, (struct pending){copy, inst});
        else
            spv_visit_operand_ids(copy, map_word, c);
    }
    inst->user = copy->id;
    return copy;
}

/* ---- iterations ---- */

/* Ends a copy that stays a loop, but runs once: "do { } while (false)". */
static void end_once(struct copy *c, struct spv_builder *b, spv_id head, spv_id next)
{
    spv_emitv_void(b, SpvOpBranchConditional, spv_const_bool(c->unroll->module, false), head, next);
}

/* The copied block continues at a label of the loop. Where nothing else branches to that label, both become one block;
 * whether that is so is known when the next block is begun. */
static void go_on(struct copy *c, struct spv_block *block, spv_id label)
{
    struct unroll *u = c->unroll;
    u->open = block;
    u->open_label = label;
}

static void close_open(struct copy *c)
{
    struct unroll *u = c->unroll;
    if (!u->open)
        return;
    struct spv_builder b = {u->module, u->function, u->open, NULL};
    spv_emitv_void(&b, SpvOpBranch, mapped(c, u->open_label));
    u->open = NULL;
}

static struct spv_block *add_block(struct copy *c, spv_id label)
{
    struct unroll *u = c->unroll;
    close_open(c);
    struct spv_block *block = spv_block_create(u->function, u->module, label);
    block->index = SPV_UNREACHABLE;
    spv_block_insert_after(u->last, block);
    u->last = block;
    return block;
}

/* Whether the open block continues at that label, and nothing else branches to it or has named it so far. */
static bool is_open_for(const struct copy *c, uint32_t index)
{
    const struct unroll *u = c->unroll;
    const struct spv_inst *label = u->cfg.blocks[index]->label;
    return u->open && u->open_label == label->id && !label->user;
}

static struct spv_block *begin_block(struct copy *c, uint32_t index, bool heads_loop)
{
    struct unroll *u = c->unroll;
    struct spv_block *block = u->open;
    if (!c->deep || heads_loop || !is_open_for(c, index))
        return add_block(c, mapped_label(c, index));
    u->cfg.blocks[index]->label->user = block->label->id;
    u->open = NULL;
    return block;
}

static void copy_block(struct copy *c, uint32_t index, spv_id after, spv_id next)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[c->header];
    const struct spv_block *block = u->cfg.blocks[index];
    const struct spv_inst *merge = spv_merge_inst(block), *end = spv_terminator(block);
    bool heads_loop = index == c->header ? after : u->loops.is_header[index];
    struct spv_builder b = {u->module, u->function, begin_block(c, index, heads_loop), NULL};
    spv_id taken = 0;
    spv_foreach_inst (inst, &block->insts) {
        if (index == c->header && (inst->op == SpvOpPhi || inst == merge)) {
            if (inst == merge && after)
                spv_emitv_void(&b, SpvOpLoopMerge, after, mapped(c, inst->words[1]), 0);
        } else if (inst == end && index == loop->latch && (next || after)) {
            if (after)
                end_once(c, &b, mapped_label(c, c->header), after);
            else if (next == FOLLOWS)
                go_on(c, b.block, u->cfg.blocks[c->header]->label->id);
            else
                spv_emitv_void(&b, SpvOpBranch, next);
        } else if (inst == end && index == loop->exit) {
            go_on(c, b.block, next ? loop->stay : loop->leave);
        } else if (inst == end && (taken || (inst->op == SpvOpBranch && !heads_loop))) {
            go_on(c, b.block, taken ? taken : inst->words[0]);
        } else if (!(inst == merge && (index == loop->exit || (taken = arm_taken(c, index))))) {
            struct spv_inst *copy = copy_inst(c, inst);
            if (copy)
                spv_inst_insert(&b, copy);
        }
    }
}

static bool write_inside(struct copy *c, uint32_t header);

static void copy_blocks(struct copy *c, spv_id head, spv_id after, spv_id next)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[c->header];
    for (uint32_t i = 0; i < c->blocks.length; i++) {
        uint32_t block = c->blocks.data[i];
        u->cfg.blocks[block]->label->user = block == c->header ? head : 0;
        u->state[block] = 0;
        u->not_taken[block] = 0;
    }
    for (c->at = 0; c->at < c->blocks.length; c->at++) {
        uint32_t block = c->blocks.data[c->at];
        if (u->state[block] || (!next && is_behind_exit(u, loop, block)))
            continue;
        if (block == c->header || !u->loops.is_header[block] || !write_inside(c, block))
            copy_block(c, block, after, next);
    }
    vec_foreach (struct pending, pending, &c->phis) {
        for (uint32_t w = 0; w < pending->phi->num_words; w++)
            pending->copy->words[w] = mapped(c, pending->phi->words[w]);
    }
    c->phis.length = 0;
}

/* Copies an iteration. It begins at label head (0: in the open block) and continues at label next (FOLLOWS: with what
 * is copied next). Without a next one (0), it leaves the loop. */
static void copy_iteration(struct copy *c, spv_id head, spv_id next)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[c->header];
    bool once = c->once && (next || loop->exit == loop->latch);
    c->scopes = spv_begin_scopes(u->module);
    spv_id after = once ? spv_new_id(u->module) : 0;
    copy_blocks(c, head, after, next);
    if (!once)
        return;
    struct spv_builder b = {u->module, u->function, add_block(c, after), NULL};
    spv_emitv_void(&b, SpvOpBranch, next ? next : mapped(c, loop->leave));
    if (!next)
        u->cfg.blocks[loop->exit]->label->user = after; /* for phis behind the loop */
}

/* Writes out an inner loop of the iteration that is being copied, where its number of iterations is known by now and
 * there is room. The size that was computed for the outer loop includes these copies. */
static bool write_inside(struct copy *c, uint32_t header)
{
    struct unroll *u = c->unroll;
    struct loop *loop = u->all[header];
    if (!c->deep || !loop->wanted || !loop->can_unroll)
        return false;
    for (uint32_t around = u->loops.parent[header]; around != c->header; around = u->loops.parent[around]) {
        if (u->all[around]->wanted)
            return false;
    }
    uint32_t iterations, size = unroll_size_inside(u, header, &iterations);
    if (size == UINT32_MAX || u->written + size > u->room)
        return false;
    struct copy inner = {.unroll = u, .header = header, .once = unroll_continues_inside(u, header), .deep = true};
    for (uint32_t i = 0; i < c->blocks.length && !loop->blocks.length; i++) {
        if (contains(u, header, c->blocks.data[i]))
            vec_push(u->arena, &inner.blocks, c->blocks.data[i]);
    }
    if (loop->blocks.length)
        inner.blocks = loop->blocks;
    loop->blocks = inner.blocks;
    spv_id head = is_open_for(c, header) && !inner.once ? 0 : mapped_label(c, header);
    advance_phis(&inner, true);
    for (uint32_t i = 0; i < iterations; i++) {
        spv_id next = inner.once ? spv_new_id(u->module) : FOLLOWS;
        copy_iteration(&inner, head, next);
        advance_phis(&inner, false);
        head = inner.once ? next : 0;
    }
    copy_iteration(&inner, head, 0);
    for (uint32_t i = 0; i < inner.blocks.length; i++)
        u->state[inner.blocks.data[i]] = IS_WRITTEN;
    return true;
}

/* Moves the header's code to a block of its own, which becomes the head of the last iteration. */
static struct spv_block *split_header(struct copy *c, spv_id head)
{
    struct unroll *u = c->unroll;
    struct spv_block *header = u->cfg.blocks[c->header], *block = add_block(c, head);
    struct spv_builder b = {u->module, u->function, block, NULL};
    spv_foreach_inst_safe (inst, &header->insts) {
        if (inst->op == SpvOpPhi) { /* for folding to replace, which looks at every operand anyway */
            inst->op = SpvOpCopyObject;
            spv_inst_set_words(u->module, inst, 1, &inst->user);
        }
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
    }
    cfg_rename_phi_pred(u->module, block, header->label->id, head);
    return block;
}

/* Makes the original blocks the last iteration, which ends at the exit. */
static void trim_last(struct copy *c, struct spv_block *head)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = u->all[c->header];
    struct spv_block *exit = loop->exit == c->header ? head : u->cfg.blocks[loop->exit];
    struct spv_inst *loop_merge = spv_merge_inst(head);
    spv_id target = loop_merge->words[1];
    bool once = c->once && loop->exit == loop->latch;
    spv_inst_remove(u->module, loop_merge);
    if (exit != head && spv_merge_inst(exit))
        spv_inst_remove(u->module, spv_merge_inst(exit));
    spv_inst_remove(u->module, spv_terminator(exit));
    struct spv_builder b = {u->module, u->function, exit, NULL};
    if (once) {
        struct spv_block *after = spv_block_create(u->function, u->module, 0);
        after->index = SPV_UNREACHABLE;
        spv_block_insert_after(exit, after);
        end_once(c, &b, head->label->id, after->label->id);
        struct spv_builder a = {u->module, u->function, after, NULL};
        spv_emitv_void(&a, SpvOpBranch, loop->leave);
        cfg_rename_phi_pred(u->module, after, exit->label->id, after->label->id);
        struct spv_builder h = {u->module, u->function, head, spv_terminator(head)};
        spv_emitv_void(&h, SpvOpLoopMerge, after->label->id, target, 0);
        return;
    }
    spv_emitv_void(&b, SpvOpBranch, loop->leave);
    for (uint32_t i = 0; i < c->blocks.length; i++) {
        uint32_t block = c->blocks.data[i];
        if (block == c->header || !is_behind_exit(u, loop, block))
            continue;
        while (u->cfg.blocks[block]->insts.first)
            cfg_remove_inst(u->module, u->cfg.blocks[block]->insts.first);
        spv_block_remove(u->module, u->cfg.blocks[block]);
    }
}

static void gather_all(struct copy *c)
{
    struct unroll *u = c->unroll;
    gather(c, c->header);
    for (uint32_t i = c->header; i < u->cfg.count; i++) {
        if (u->in_loop[i])
            vec_push(u->arena, &c->blocks, i);
    }
}

void unroll_loop(struct unroll *u, uint32_t header, uint32_t iterations, uint32_t size)
{
    struct copy c = {.unroll = u, .header = header, .deep = true};
    c.once = unroll_continues_inside(u, header);
    u->last = u->cfg.blocks[header];
    u->written = 0;
    u->room = size;
    gather_all(&c);
    spv_id first = spv_new_id(u->module), head = first;
    advance_phis(&c, true);
    spv_id last_head = iterations ? spv_new_id(u->module) : first;
    for (uint32_t i = 0; i < iterations; i++) {
        spv_id next = i + 1 == iterations ? last_head : c.once ? spv_new_id(u->module) : FOLLOWS;
        copy_iteration(&c, head, next);
        advance_phis(&c, false);
        head = next == FOLLOWS ? 0 : next;
    }
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
    struct spv_block *last = split_header(&c, last_head);
    struct spv_builder b = {u->module, u->function, u->cfg.blocks[header], NULL};
    spv_emitv_void(&b, SpvOpBranch, first);
    trim_last(&c, last);
}

/* ---- by a factor ---- */

/* Maps each value to itself for the iteration that stays in place. */
static void map_to_itself(struct copy *c)
{
    struct unroll *u = c->unroll;
    for (uint32_t i = 0; i < c->blocks.length; i++) {
        struct spv_block *block = u->cfg.blocks[c->blocks.data[i]];
        block->label->user = block->label->id;
        spv_foreach_inst (inst, &block->insts)
            inst->user = inst->id;
    }
}

/* The label of the block before the loop. */
static spv_id outside_of(const struct unroll *u, uint32_t header)
{
    uint32_t first = u->cfg.pred_start[header];
    bool is_latch = u->cfg.preds[first] == u->all[header]->latch;
    return u->cfg.blocks[u->cfg.preds[is_latch ? first + 1 : first]]->label->id;
}

/* What a header's phi becomes when the header is made anew. */
struct new_phi {
    spv_id id, type, first, next;
};

struct new_phis {
    struct new_phi *data;
    uint32_t length, capacity;
};

/* Gives each phi of the header a new one, whose value the next copy begins with. */
static void begin_phis(struct copy *c, struct new_phis *phis)
{
    struct unroll *u = c->unroll;
    spv_foreach_inst (phi, &u->cfg.blocks[c->header]->insts) {
        if (phi->op != SpvOpPhi)
            break;
        spv_id first = unroll_incoming(u, phi, u->all[c->header], false);
        vec_push(u->arena, phis, (struct new_phi){spv_new_id(u->module), phi->type, first, 0});
        phi->user = vec_last(phis).id;
    }
}

static void add_phis(struct copy *c, const struct new_phis *phis, spv_id outside, spv_id latch)
{
    struct unroll *u = c->unroll;
    struct spv_builder b = {u->module, u->function, u->cfg.blocks[c->header], NULL};
    vec_foreach (const struct new_phi, phi, phis) {
        const uint32_t words[] = {phi->first, outside, phi->next, latch};
        spv_inst_insert(&b, spv_inst_create(u->module, SpvOpPhi, phi->type, phi->id, 4, words));
    }
}

/* The loop's code becomes the last iteration, behind factor - 1 copies:
 *
 *     head: phis; loop merge; branch first; first: copies...; moved: the header's code; ...; test; branch head or out */
static void test_last(struct copy *c, uint32_t factor)
{
    struct unroll *u = c->unroll;
    struct spv_block *head = u->cfg.blocks[c->header], *latch = u->cfg.blocks[u->all[c->header]->latch];
    struct new_phis phis = {0};
    uint32_t at = 0;
    spv_id outside = outside_of(u, c->header), first = spv_new_id(u->module), next = first;
    u->last = head;
    gather_all(c);
    begin_phis(c, &phis);
    for (const struct spv_inst *phi = head->insts.first; at < phis.length; phi = phi->next)
        phis.data[at++].next = unroll_incoming(u, phi, u->all[c->header], true);
    for (uint32_t i = 1; i < factor; i++) {
        spv_id label = next;
        next = spv_new_id(u->module);
        copy_iteration(c, label, next);
        advance_phis(c, false);
    }
    struct spv_inst *merge = spv_merge_inst(head);
    struct spv_block *moved = split_header(c, next);
    spv_inst_unlink(merge);
    merge->words[1] = merge->words[1] == head->label->id ? next : merge->words[1];
    add_phis(c, &phis, outside, latch == head ? moved->label->id : latch->label->id);
    struct spv_builder b = {u->module, u->function, head, NULL};
    spv_inst_insert(&b, merge);
    spv_emitv_void(&b, SpvOpBranch, first);
}

/* The loop's code stays the first iteration, before factor - 1 copies. */
static void test_first(struct copy *c, uint32_t factor)
{
    struct unroll *u = c->unroll;
    struct spv_block *head = u->cfg.blocks[c->header], *latch = u->cfg.blocks[u->all[c->header]->latch];
    struct spv_inst *merge = spv_merge_inst(head);
    u->last = latch;
    gather_all(c);
    map_to_itself(c);
    spv_id first = spv_new_id(u->module), next = first;
    for (uint32_t i = 1; i < factor; i++) {
        spv_id label = next;
        next = i + 1 < factor ? spv_new_id(u->module) : head->label->id;
        advance_phis(c, false);
        copy_iteration(c, label, next);
    }
    spv_foreach_inst (phi, &head->insts) {
        for (uint32_t w = 0; phi->op == SpvOpPhi && w + 1 < phi->num_words; w += 2) {
            if (phi->words[w + 1] != latch->label->id)
                continue;
            phi->words[w] = mapped(c, phi->words[w]);
            phi->words[w + 1] = mapped(c, latch->label->id);
        }
    }
    merge->words[1] = mapped(c, merge->words[1]);
    spv_inst_remove(u->module, spv_terminator(latch));
    struct spv_builder b = {u->module, u->function, latch, NULL};
    spv_emitv_void(&b, SpvOpBranch, first);
}

void unroll_by(struct unroll *u, uint32_t header, uint32_t factor, bool tests_last)
{
    struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
    struct copy c = {.unroll = u, .header = header};
    (tests_last ? test_last : test_first)(&c, factor);
    merge->words[2] = SpvLoopControlDontUnrollMask;
    merge->hints.unroll = 0;
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
}

/* ---- before the loop ---- */

/* Makes the original loop continue where the loop before it ended: its header moves to a block of its own, and its phis
 * start with the values that they had at that end. */
static struct spv_block *move_header(struct copy *c, struct spv_block *before, const struct new_phis *phis)
{
    struct unroll *u = c->unroll;
    struct spv_block *header = u->cfg.blocks[c->header], *latch = u->cfg.blocks[u->all[c->header]->latch];
    struct spv_block *moved = add_block(c, 0);
    struct spv_builder b = {u->module, u->function, moved, NULL};
    uint32_t next = 0;
    spv_foreach_inst_safe (inst, &header->insts) {
        for (uint32_t w = 0; inst->op == SpvOpPhi && w + 1 < inst->num_words; w += 2) {
            if (inst->words[w + 1] == latch->label->id)
                continue;
            inst->words[w] = phis->data[next].id;
            inst->words[w + 1] = before->label->id;
        }
        next += inst->op == SpvOpPhi;
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
    }
    struct spv_inst *merge = spv_merge_inst(moved);
    merge->words[1] = merge->words[1] == header->label->id ? moved->label->id : merge->words[1];
    merge->words[2] = SpvLoopControlDontUnrollMask;
    struct spv_inst *back = spv_terminator(latch == header ? moved : latch);
    bool tests = back->op == SpvOpBranchConditional;
    for (uint32_t w = tests; w < (tests ? 3 : 1); w++)
        back->words[w] = back->words[w] == header->label->id ? moved->label->id : back->words[w];
    cfg_rename_phi_pred(u->module, moved, header->label->id, moved->label->id);
    return moved;
}

static spv_id emit_test(struct spv_builder *b, const struct unroll_test *test, spv_id counter)
{
    spv_id value = counter, type = test->type;
    if (spv_type_is_pointer(b->module, test->counter->type))
        value = spv_emitv(b, SpvOpConvertPtrToU, type, counter);
    if (test->base)
        value = test->is_down ? spv_emitv(b, SpvOpISub, type, value, test->base)
                              : spv_emitv(b, SpvOpISub, type, test->base, value);
    else if (test->offset)
        value = spv_emitv(b, SpvOpIAdd, type, value, test->offset);
    return spv_emitv(b, test->op, spv_type_bool(b->module), value, test->limit);
}

void unroll_before(struct unroll *u, uint32_t header, uint32_t factor, const struct unroll_test *test)
{
    const struct loop *loop = u->all[header];
    struct spv_block *head = u->cfg.blocks[header];
    struct copy c = {.unroll = u, .header = header};
    struct new_phis phis = {0};
    uint32_t at = 0;
    u->last = head;
    gather_all(&c);
    begin_phis(&c, &phis);
    spv_id first = spv_new_id(u->module), next = first, counter = test->counter->user;
    for (uint32_t i = 0; i < factor; i++) {
        spv_id label = next;
        next = i + 1 < factor ? spv_new_id(u->module) : head->label->id;
        copy_iteration(&c, label, next);
        advance_phis(&c, false);
    }
    spv_id end = mapped(&c, u->cfg.blocks[loop->latch]->label->id);
    spv_id target = mapped(&c, spv_merge_inst(head)->words[1]);
    for (const struct spv_inst *phi = head->insts.first; at < phis.length; phi = phi->next)
        phis.data[at++].next = phi->user;
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
    struct spv_block *before = add_block(&c, 0);
    struct spv_block *moved = move_header(&c, before, &phis);
    struct spv_builder b = {u->module, u->function, head, NULL}, leave = {u->module, u->function, before, NULL};
    add_phis(&c, &phis, outside_of(u, header), end);
    spv_id more = emit_test(&b, test, counter);
    spv_emitv_void(&b, SpvOpLoopMerge, before->label->id, target, SpvLoopControlDontUnrollMask);
    spv_emitv_void(&b, SpvOpBranchConditional, more, first, before->label->id);
    spv_emitv_void(&leave, SpvOpBranch, moved->label->id);
}
