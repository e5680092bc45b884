/* Puts a copy of a loop beside it (checking.h).
 *
 *     before: branch head                       before: branch front
 *     head: ... loop ... branch behind    ->    front: selection merge behind2; branch condition head' head
 *     behind: use %x                            head': ... copy ... branch left'     left': branch behind2
 *                                               head: ... loop ... branch left       left: branch behind2
 *                                               behind2: %y = phi %x left %x' left'; branch behind
 *                                               behind: use %y */
#include "compiler/lower/check/checking.h"

#include "compiler/spv/cfg.h"

struct copying {
    struct spv_module *module;
    const struct check_loop *loop;
    struct spv_block *front, *left, *left_copy, *joined;
    spv_id *ids, *joins; /* of the loop -> of the copy, and behind both */
    uint32_t bound;      /* ids of the loop are below */
};

static bool is_inside(const struct check_loop *loop, const struct spv_block *block)
{
    return block->index < loop->count && loop->region[block->index];
}

static void map_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct copying *c = data;
    (void)inst;
    if (*word < c->bound && c->ids[*word])
        *word = c->ids[*word];
}

static struct spv_block *new_block(struct copying *c)
{
    struct spv_block *block = spv_block_create(c->loop->function, c->module, 0);
    block->index = SPV_UNREACHABLE;
    return block;
}

static void copy_block(struct copying *c, const struct spv_block *block, struct spv_block *copy)
{
    struct spv_builder at = {c->module, c->loop->function, copy, NULL, NULL};
    spv_foreach_inst (inst, &block->insts) {
        struct spv_inst *made = spv_inst_copy(c->module, inst, inst->id ? c->ids[inst->id] : 0);
        spv_visit_operand_ids(made, map_word, c);
        spv_inst_insert(&at, made);
        for (const struct spv_inst *d = inst->id ? spv_decorations(c->module, inst->id) : NULL; d;
             d = d->next_decoration) {
            if (d->op == SpvOpDecorate)
                spv_decorate(c->module, made->id, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
        }
    }
}

static struct spv_block *copy_blocks(struct copying *c)
{
    struct spv_block *last = c->front;
    spv_foreach_block (block, c->loop->function) {
        if (!is_inside(c->loop, block))
            continue;
        c->ids[block->label->id] = spv_new_id(c->module);
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id)
                c->ids[inst->id] = spv_new_id(c->module);
        }
    }
    for (struct spv_block *block = c->loop->function->first_block, *next; block; block = next) {
        next = block->next;
        if (!is_inside(c->loop, block))
            continue;
        struct spv_block *copy = spv_block_create(c->loop->function, c->module, c->ids[block->label->id]);
        copy->index = SPV_UNREACHABLE;
        spv_block_insert_after(last, copy);
        copy_block(c, block, copy);
        last = copy;
    }
    return last;
}

static void retarget(struct spv_inst *inst, spv_id from, spv_id to)
{
    uint32_t step = inst->op == SpvOpSwitch ? inst->hints.literal_words + 1 : 1;
    for (uint32_t i = inst->op == SpvOpSwitch ? 1 : 0; i < inst->num_words; i += step)
        inst->words[i] = inst->words[i] == from ? to : inst->words[i];
}

/* The branches of the loop that lead to where it ended. */
static void leave_to(const struct check_loop *loop, spv_id from, spv_id to)
{
    spv_foreach_block (block, loop->function) {
        struct spv_inst *merge = is_inside(loop, block) ? spv_merge_inst(block) : NULL;
        if (merge && merge->op == SpvOpLoopMerge)
            merge->words[0] = merge->words[0] == from ? to : merge->words[0];
        if (is_inside(loop, block) && spv_targets(block).count)
            retarget(spv_terminator(block), from, to);
    }
}

static void enter_by_front(struct copying *c)
{
    const struct check_loop *loop = c->loop;
    spv_id label = c->front->label->id;
    retarget(spv_terminator(loop->before), loop->head->label->id, label);
    for (struct spv_inst *phi = loop->head->insts.first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        for (uint32_t i = 1; i < phi->num_words; i += 2)
            phi->words[i] = phi->words[i] == loop->before->label->id ? label : phi->words[i];
    }
}

static spv_id join(struct copying *c, spv_id type, spv_id one, spv_id other)
{
    struct spv_builder at = {c->module, c->loop->function, c->joined, NULL, NULL};
    return spv_emitv(&at, SpvOpPhi, type, one, c->left->label->id, other, c->left_copy->label->id);
}

/* What comes from the loop comes from behind both now. */
static void join_phi(struct copying *c, struct spv_inst *phi)
{
    uint32_t *kept = arena_array(c->module->arena, uint32_t, phi->num_words + 2u), num_kept = 0;
    uint32_t *left = arena_array(c->module->arena, uint32_t, phi->num_words), num_left = 0;
    uint32_t *copy = arena_array(c->module->arena, uint32_t, phi->num_words);
    for (uint32_t i = 0; i < phi->num_words; i += 2) {
        bool inside = is_inside(c->loop, spv_block_of(c->module, phi->words[i + 1]));
        for (uint32_t w = i; w < i + 2; w++)
            *(inside ? &left[num_left++] : &kept[num_kept++]) = phi->words[w];
    }
    for (uint32_t i = 0; i < num_left; i++) {
        copy[i] = left[i];
        map_word(c, phi, &copy[i]);
    }
    struct spv_builder in_left = {c->module, c->loop->function, c->left, NULL, NULL};
    struct spv_builder in_copy = {c->module, c->loop->function, c->left_copy, NULL, NULL};
    spv_id from_left = spv_emit(&in_left, SpvOpPhi, phi->type, num_left, left);
    spv_id from_copy = spv_emit(&in_copy, SpvOpPhi, phi->type, num_left, copy);
    kept[num_kept] = join(c, phi->type, from_left, from_copy);
    kept[num_kept + 1] = c->joined->label->id;
    spv_inst_set_words(c->module, phi, num_kept + 2, kept);
}

static void join_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct copying *c = data;
    const struct spv_inst *def = *word < c->bound && c->ids[*word] ? spv_def(c->module, *word) : NULL;
    (void)inst;
    if (!def || def->op == SpvOpLabel)
        return;
    if (!c->joins[*word])
        c->joins[*word] = join(c, def->type, *word, c->ids[*word]);
    *word = c->joins[*word];
}

/* blocks: those that there were. */
static void join_values(struct copying *c)
{
    for (struct spv_inst *phi = c->loop->behind->insts.first; phi && phi->op == SpvOpPhi; phi = phi->next)
        join_phi(c, phi);
    spv_foreach_block (block, c->loop->function) {
        bool is_new = block == c->front || block == c->left || block == c->left_copy || block == c->joined;
        if (is_new || is_inside(c->loop, block))
            continue;
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, join_word, c);
    }
}

void check_copy_loop(struct spv_module *module, const struct check_loop *loop, struct spv_block *front,
                     spv_id condition, spv_id *ids)
{
    struct copying c = {.module = module, .loop = loop, .front = front, .ids = ids, .bound = module->bound};
    c.joins = arena_array(module->arena, spv_id, c.bound);
    c.left = new_block(&c);
    c.left_copy = new_block(&c);
    c.joined = new_block(&c);
    spv_id behind = loop->behind->label->id;
    spv_block_insert_after(loop->head->prev, front);
    enter_by_front(&c);
    ids[behind] = c.left_copy->label->id;
    spv_block_insert_after(copy_blocks(&c), c.left_copy);
    ids[behind] = 0;
    spv_block_insert_after(loop->behind->prev, c.left);
    spv_block_insert_after(c.left, c.joined);
    join_values(&c);
    leave_to(loop, behind, c.left->label->id);
    struct spv_builder at = {module, loop->function, c.left, NULL, NULL};
    spv_emitv_void(&at, SpvOpBranch, c.joined->label->id);
    at.block = c.left_copy;
    spv_emitv_void(&at, SpvOpBranch, c.joined->label->id);
    at.block = c.joined;
    spv_emitv_void(&at, SpvOpBranch, behind);
    at.block = front;
    spv_emitv_void(&at, SpvOpSelectionMerge, c.joined->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&at, SpvOpBranchConditional, condition, ids[loop->head->label->id], loop->head->label->id);
}
