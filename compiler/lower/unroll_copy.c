/* Copies of a loop's iterations: unroll.c says which loops, and why. */
#include "compiler/lower/unroll.h"

#include "compiler/lower/blocks.h"

#include <string.h>

spv_id unroll_incoming(const struct unroll *u, const struct spv_inst *phi, const struct loop *loop, bool from_latch)
{
    spv_id latch = u->cfg.blocks[loop->latch]->label->id;
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        if ((phi->words[i + 1] == latch) == from_latch)
            return phi->words[i];
    }
    return 0;
}

struct copy {
    struct unroll *unroll;
    uint32_t header;
    VEC(uint32_t) blocks;   /* of the loop, in the order of control flow */
    bool once;              /* each copy is a loop that runs once */
    struct spv_block *last; /* what the next block goes behind */
};

static void gather(struct copy *c, uint32_t header)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = &u->all[header];
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
        const struct spv_inst *merge = i == u->all[header].exit ? NULL : spv_merge_inst(u->cfg.blocks[i]);
        if (merge && !spv_dominates(&u->cfg, index_of(u, merge->words[0]), from))
            return true;
    }
    return false;
}

static void map_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct unroll *u = ((struct copy *)data)->unroll;
    const struct spv_inst *def = spv_def(u->module, *word);
    (void)inst;
    if (!def)
        return;
    const struct spv_block *block = def->op == SpvOpLabel ? spv_block_of(u->module, *word) : def->block;
    if (block && block->index < u->cfg.count && u->in_loop[block->index] && def->user)
        *word = def->user;
}

static spv_id mapped(struct copy *c, spv_id id)
{
    map_word(c, NULL, &id);
    return id;
}

/* The header's phis in the next copy are what the latch brings from this one. */
static void advance_phis(struct copy *c, bool first)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = &u->all[c->header];
    VEC(spv_id) values = {0};
    uint32_t next = 0;
    spv_foreach_inst (phi, &u->cfg.blocks[c->header]->insts) {
        if (phi->op != SpvOpPhi)
            break;
        spv_id value = unroll_incoming(u, phi, loop, !first);
        vec_push(u->arena, &values, first ? value : mapped(c, value));
    }
    spv_foreach_inst (inst, &u->cfg.blocks[c->header]->insts) {
        if (inst->op != SpvOpPhi)
            break;
        inst->user = values.data[next++];
    }
}

static void new_ids(struct copy *c, spv_id head)
{
    struct unroll *u = c->unroll;
    for (uint32_t i = 0; i < c->blocks.length; i++) {
        struct spv_block *block = u->cfg.blocks[c->blocks.data[i]];
        bool is_header = c->blocks.data[i] == c->header;
        block->label->user = is_header ? head : spv_new_id(u->module);
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id && !(is_header && inst->op == SpvOpPhi))
                inst->user = spv_new_id(u->module);
        }
    }
}

static void copy_annotations(struct spv_module *module, const struct spv_inst *from, spv_id to)
{
    for (const struct spv_inst *d = spv_decorations(module, from->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate)
            spv_decorate(module, to, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
}

static struct spv_inst *copy_inst(struct copy *c, const struct spv_inst *inst)
{
    struct spv_module *module = c->unroll->module;
    spv_id id = inst->id ? inst->user : 0;
    struct spv_inst *copy = spv_inst_create(module, (SpvOp)inst->op, inst->type, id, inst->num_words, inst->words);
    copy->grammar_hint = inst->grammar_hint;
    spv_visit_operand_ids(copy, map_word, c);
    if (id)
        copy_annotations(module, inst, id);
    return copy;
}

/* "do { } while (false)": what ends a copy that stays a loop. */
static void end_once(struct copy *c, struct spv_builder *b, spv_id head, spv_id next)
{
    spv_emitv_void(b, SpvOpBranchConditional, spv_const_bool(c->unroll->module, false), head, next);
}

static struct spv_block *add_block(struct copy *c, spv_id label)
{
    struct spv_block *block = spv_block_create(c->unroll->function, c->unroll->module, label);
    block->index = SPV_UNREACHABLE;
    spv_block_insert_after(c->last, block);
    c->last = block;
    return block;
}

static void copy_block(struct copy *c, uint32_t index, spv_id after, spv_id next)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = &u->all[c->header];
    const struct spv_block *block = u->cfg.blocks[index];
    const struct spv_inst *merge = spv_merge_inst(block), *end = spv_terminator(block);
    struct spv_builder b = {u->module, u->function, add_block(c, mapped(c, block->label->id)), NULL};
    spv_foreach_inst (inst, &block->insts) {
        if (index == c->header && (inst->op == SpvOpPhi || inst == merge)) {
            if (inst == merge && c->once)
                spv_emitv_void(&b, SpvOpLoopMerge, after, mapped(c, inst->words[1]), 0);
        } else if (inst == end && index == loop->latch) {
            if (c->once)
                end_once(c, &b, mapped(c, u->cfg.blocks[c->header]->label->id), after);
            else
                spv_emitv_void(&b, SpvOpBranch, next);
        } else if (inst == end && index == loop->exit) {
            spv_emitv_void(&b, SpvOpBranch, mapped(c, loop->stay));
        } else if (!(inst == merge && index == loop->exit)) {
            spv_inst_insert(&b, copy_inst(c, inst));
        }
    }
}

static void copy_iteration(struct copy *c, spv_id head, spv_id next)
{
    struct unroll *u = c->unroll;
    spv_id after = c->once ? spv_new_id(u->module) : 0;
    new_ids(c, head);
    for (uint32_t i = 0; i < c->blocks.length; i++)
        copy_block(c, c->blocks.data[i], after, next);
    if (c->once) {
        struct spv_builder b = {u->module, u->function, add_block(c, after), NULL};
        spv_emitv_void(&b, SpvOpBranch, next);
    }
}

/* Moves the header's code to a block of its own, the head of the last iteration. */
static struct spv_block *split_header(struct copy *c, spv_id head)
{
    struct unroll *u = c->unroll;
    struct spv_block *header = u->cfg.blocks[c->header], *block = add_block(c, head);
    struct spv_builder b = {u->module, u->function, block, NULL};
    spv_foreach_inst_safe (inst, &header->insts) {
        if (inst->op == SpvOpPhi) {
            spv_replace(u->module, &u->replacements, inst->id, inst->user);
            lower_remove_inst(u->module, inst);
        } else {
            spv_inst_unlink(inst);
            spv_inst_insert(&b, inst);
        }
    }
    lower_rename_phi_pred(u->module, block, header->label->id, head);
    return block;
}

/* The original blocks become the last iteration, which goes as far as the exit. */
static void trim_last(struct copy *c, struct spv_block *head)
{
    struct unroll *u = c->unroll;
    const struct loop *loop = &u->all[c->header];
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
        lower_rename_phi_pred(u->module, after, exit->label->id, after->label->id);
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
            lower_remove_inst(u->module, u->cfg.blocks[block]->insts.first);
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

void unroll_loop(struct unroll *u, uint32_t header, uint32_t iterations)
{
    struct copy c = {.unroll = u, .header = header, .last = u->cfg.blocks[header]};
    c.once = unroll_continues_inside(u, header);
    gather_all(&c);
    spv_id first = spv_new_id(u->module), head = first;
    advance_phis(&c, true);
    for (uint32_t i = 0; i < iterations; i++) {
        spv_id next = spv_new_id(u->module);
        copy_iteration(&c, head, next);
        advance_phis(&c, false);
        head = next;
    }
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
    struct spv_block *last = split_header(&c, head);
    struct spv_builder b = {u->module, u->function, u->cfg.blocks[header], NULL};
    spv_emitv_void(&b, SpvOpBranch, first);
    trim_last(&c, last);
}

/* ---- by a factor ---- */

/* Values stand for themselves in the iteration that stays. */
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

void unroll_by(struct unroll *u, uint32_t header, uint32_t factor)
{
    const struct loop *loop = &u->all[header];
    struct spv_block *head = u->cfg.blocks[header], *latch = u->cfg.blocks[loop->latch];
    struct spv_inst *merge = spv_merge_inst(head);
    struct copy c = {.unroll = u, .header = header, .last = latch};
    gather_all(&c);
    map_to_itself(&c);
    spv_id first = spv_new_id(u->module), next = first;
    for (uint32_t i = 1; i < factor; i++) {
        spv_id label = next;
        next = i + 1 < factor ? spv_new_id(u->module) : head->label->id;
        advance_phis(&c, false);
        copy_iteration(&c, label, next);
    }
    spv_foreach_inst (phi, &head->insts) {
        for (uint32_t w = 0; phi->op == SpvOpPhi && w + 1 < phi->num_words; w += 2) {
            if (phi->words[w + 1] != latch->label->id)
                continue;
            phi->words[w] = mapped(&c, phi->words[w]);
            phi->words[w + 1] = mapped(&c, latch->label->id);
        }
    }
    merge->words[1] = mapped(&c, merge->words[1]);
    merge->words[2] = SpvLoopControlDontUnrollMask;
    merge->grammar_hint = 0;
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
    spv_inst_remove(u->module, spv_terminator(latch));
    struct spv_builder b = {u->module, u->function, latch, NULL};
    spv_emitv_void(&b, SpvOpBranch, first);
}

/* ---- before the loop ---- */

/* The original loop goes on where the one before it left: its header moves to a block of its own, and its phis start
 * with what they were there. */
static struct spv_block *move_header(struct copy *c, struct spv_block *before, spv_id *starts)
{
    struct unroll *u = c->unroll;
    struct spv_block *header = u->cfg.blocks[c->header], *latch = u->cfg.blocks[u->all[c->header].latch];
    struct spv_block *moved = add_block(c, 0);
    struct spv_builder b = {u->module, u->function, moved, NULL};
    uint32_t next = 0;
    spv_foreach_inst_safe (inst, &header->insts) {
        for (uint32_t w = 0; inst->op == SpvOpPhi && w + 1 < inst->num_words; w += 2) {
            if (inst->words[w + 1] == latch->label->id)
                continue;
            inst->words[w] = starts[next];
            inst->words[w + 1] = before->label->id;
        }
        next += inst->op == SpvOpPhi;
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
    }
    lower_rename_phi_pred(u->module, moved, header->label->id, moved->label->id);
    spv_terminator(latch)->words[0] = moved->label->id;
    spv_merge_inst(moved)->words[2] = SpvLoopControlDontUnrollMask;
    return moved;
}

void unroll_before(struct unroll *u, uint32_t header, uint32_t factor, const struct spv_inst *test,
                   const struct spv_inst *counter, spv_id limit)
{
    const struct loop *loop = &u->all[header];
    struct spv_block *head = u->cfg.blocks[header];
    struct copy c = {.unroll = u, .header = header, .last = head};
    VEC(spv_id) starts = {0};
    VEC(spv_id) inits = {0};
    gather_all(&c);
    spv_foreach_inst (each, &head->insts) {
        if (each->op != SpvOpPhi)
            break;
        vec_push(u->arena, &inits, unroll_incoming(u, each, loop, false));
        vec_push(u->arena, &starts, spv_new_id(u->module));
        each->user = vec_last(&starts);
    }
    spv_id first = spv_new_id(u->module), next = first, count = counter->user;
    for (uint32_t i = 0; i < factor; i++) {
        spv_id label = next;
        next = i + 1 < factor ? spv_new_id(u->module) : head->label->id;
        copy_iteration(&c, label, next);
        advance_phis(&c, false);
    }
    spv_id end = mapped(&c, u->cfg.blocks[loop->latch]->label->id);
    spv_id target = mapped(&c, spv_merge_inst(head)->words[1]);
    VEC(spv_id) nexts = {0};
    VEC(spv_id) types = {0};
    spv_foreach_inst (phi, &head->insts) {
        if (phi->op != SpvOpPhi)
            break;
        vec_push(u->arena, &nexts, phi->user);
        vec_push(u->arena, &types, phi->type);
    }
    for (uint32_t i = 0; i < c.blocks.length; i++)
        u->in_loop[c.blocks.data[i]] = false;
    struct spv_block *before = add_block(&c, 0);
    spv_id outside = u->cfg.blocks[u->cfg.preds[u->cfg.pred_start[header]]]->label->id;
    if (outside == u->cfg.blocks[loop->latch]->label->id)
        outside = u->cfg.blocks[u->cfg.preds[u->cfg.pred_start[header] + 1]]->label->id;
    struct spv_block *moved = move_header(&c, before, starts.data);
    struct spv_builder b = {u->module, u->function, head, NULL}, leave = {u->module, u->function, before, NULL};
    for (uint32_t i = 0; i < starts.length; i++) {
        const uint32_t words[] = {inits.data[i], outside, nexts.data[i], end};
        spv_inst_insert(&b, spv_inst_create(u->module, SpvOpPhi, types.data[i], starts.data[i], 4, words));
    }
    spv_id more = spv_emitv(&b, (SpvOp)test->op, test->type, count, limit);
    spv_emitv_void(&b, SpvOpLoopMerge, before->label->id, target, SpvLoopControlDontUnrollMask);
    spv_emitv_void(&b, SpvOpBranchConditional, more, first, before->label->id);
    spv_emitv_void(&leave, SpvOpBranch, moved->label->id);
}
