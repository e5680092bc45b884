/* Sub-groups larger than the device's: each lane runs several of the kernel's work-items, which are its turns. With 8
 * lanes and sub-groups of 16, turn 0 is the work-item whose get_sub_group_local_id() is the lane's number, and turn 1
 * the one with 8 more. The work-group is launched with as few lanes as that takes (ends/legalise.c).
 *
 * The kernel is made anew. What varies between turns is there once for each (turns_code.c, turns_vary.c). Loops and
 * selections in which nobody meets are copied whole, one turn after the other. Where work-items meet, at instructions
 * of sub-groups (turns_meet.c) and at barriers, all turns of the lane have to be there. So branches around such places
 * are taken if any turn takes them, and masks say which:
 *
 *     if (c) A else B   ->   if (on.0 & c.0 | on.1 & c.1) { on = on & c; A }
 *                            if (on.0 & !c.0 | on.1 & !c.1) { on = on & !c; B }     on = those that came through
 *
 *     while (c) A       ->   do { if (any on & !c) { left |= on & !c; on &= c } if (any on) A } while (any on)  on = left
 *
 * A branch whose condition is the same for all turns stays a branch. So barriers of the work-group, at which all of its
 * work-items arrive, stay where all lanes get to. Masks are variables, which become values afterwards. At the top, the
 * last sub-group of a work-group may have no work-items for some turns; turn 0 always has one.
 *
 * The same is done with a single turn for clc_lower_options.any_size: there some lanes have no work-item, and still have
 * to come to every barrier. What does not vary between turns does not vary within a work-group then. */
#include "compiler/lower/subgroups/turns.h"
#include "compiler/lower/values/launch.h"
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/structurise.h"

static void emit_list(struct turns *t, const struct turn_list *list, uint32_t first);

static spv_id truth(const struct turns *t)
{
    return spv_type_bool(t->module);
}

static spv_id constant(const struct turns *t, bool value)
{
    return spv_const_bool(t->module, value);
}

static spv_id logic(struct turns *t, SpvOp op, spv_id left, spv_id right)
{
    return spv_emitv(&t->b, op, truth(t), left, right);
}

static spv_id opposite(struct turns *t, spv_id condition)
{
    return spv_emitv(&t->b, SpvOpLogicalNot, truth(t), condition);
}

static spv_id load(struct turns *t, spv_id variable)
{
    return spv_emitv(&t->b, SpvOpLoad, truth(t), variable);
}

static void store(struct turns *t, spv_id variable, spv_id value)
{
    spv_emitv_void(&t->b, SpvOpStore, variable, value);
}

static spv_id any_of(struct turns *t, const spv_id *values)
{
    spv_id some = values[0];
    for (uint32_t j = 1; j < t->count; j++)
        some = logic(t, SpvOpLogicalOr, some, values[j]);
    return some;
}

/* The masks as they are here. */
static void read_masks(struct turns *t, spv_id *masks)
{
    for (uint32_t j = 0; j < t->count; j++) {
        masks[j] = turns_mask(t, j);
        masks[j] = masks[j] ? masks[j] : constant(t, true);
    }
}

static void set_masks(struct turns *t, const spv_id *masks)
{
    for (uint32_t j = 0; j < t->count; j++) {
        store(t, t->variables[j], masks[j]);
        t->on[j] = masks[j];
    }
    t->on_block = t->b.block;
}

static void new_variables(struct turns *t, spv_id *variables, bool value)
{
    for (uint32_t j = 0; j < t->count; j++) {
        variables[j] = spv_emit_variable(&t->b, truth(t));
        store(t, variables[j], constant(t, value));
    }
}

static void load_all(struct turns *t, const spv_id *variables, spv_id *values)
{
    for (uint32_t j = 0; j < t->count; j++)
        values[j] = load(t, variables[j]);
}

/* Adds those that are here to the variables, and nobody is here any more. */
static void move_masks(struct turns *t, const spv_id *to)
{
    spv_id here[MAX_TURNS], nobody[MAX_TURNS];
    read_masks(t, here);
    for (uint32_t j = 0; j < t->count; j++) {
        if (to)
            store(t, to[j], logic(t, SpvOpLogicalOr, load(t, to[j]), here[j]));
        nobody[j] = constant(t, false);
    }
    set_masks(t, nobody);
}

/* A list of its own under the masks, if any turn is in them. Those that come to its end are in the variables then. */
static void emit_masked(struct turns *t, const struct turn_list *list, uint32_t first, const spv_id *masks)
{
    struct spv_block *inside = turns_new_block(t), *merge = turns_new_block(t);
    bool was_masked = t->masked;
    turns_branch_if(t, merge->label->id, any_of(t, masks), inside->label->id, merge->label->id);
    turns_enter(t, inside);
    t->masked = true;
    set_masks(t, masks);
    emit_list(t, list, first);
    if (t->b.block)
        turns_branch(t, merge->label->id);
    t->masked = was_masked;
    turns_enter(t, merge);
}

/* ---- ifs ---- */

static bool is_empty(const struct turn_list *list)
{
    return list->nodes.length == 0;
}

static void emit_divergent_if(struct turns *t, const struct turn_node *node)
{
    spv_id all[MAX_TURNS], yes[MAX_TURNS], no[MAX_TURNS], came[MAX_TURNS],
        condition = spv_terminator(node->block)->words[0];
    read_masks(t, all);
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id taken = turns_copy(t, j, condition);
        yes[j] = logic(t, SpvOpLogicalAnd, all[j], taken);
        no[j] = logic(t, SpvOpLogicalAnd, all[j], opposite(t, taken));
    }
    set_masks(t, yes);
    if (!is_empty(&node->arms[0]))
        emit_masked(t, &node->arms[0], 0, yes);
    load_all(t, t->variables, came);
    set_masks(t, no);
    if (!is_empty(&node->arms[1]))
        emit_masked(t, &node->arms[1], 0, no);
    for (uint32_t j = 0; node->leaves && j < t->count; j++)
        all[j] = logic(t, SpvOpLogicalOr, came[j], load(t, t->variables[j]));
    set_masks(t, all);
}

/* Whether its end is reached. */
static bool emit_arm(struct turns *t, const struct turn_list *list, struct spv_block *block,
                     const struct spv_block *merge)
{
    turns_enter(t, block);
    emit_list(t, list, 0);
    bool comes = t->b.block != NULL;
    if (comes)
        turns_branch(t, merge->label->id);
    return comes;
}

static void emit_uniform_if(struct turns *t, const struct turn_node *node)
{
    spv_id condition = turns_copy(t, 0, spv_terminator(node->block)->words[0]);
    struct spv_block *merge = turns_new_block(t), *yes = turns_new_block(t), *no = turns_new_block(t);
    turns_branch_if(t, merge->label->id, condition, yes->label->id, no->label->id);
    bool comes = emit_arm(t, &node->arms[0], yes, merge);
    comes |= emit_arm(t, &node->arms[1], no, merge);
    turns_enter(t, merge);
    if (comes)
        return;
    spv_emit_void(&t->b, SpvOpUnreachable, 0, NULL);
    t->b.block = NULL;
}

/* ---- switches ---- */

/* Whether the selector leads to the target: one of its literals, or the default, which is what no literal is. */
static spv_id selects(struct turns *t, const struct turn_node *node, spv_id selector, spv_id target)
{
    const struct spv_inst *end = spv_terminator(node->block);
    uint32_t words = end->hints.literal_words;
    spv_id type = spv_value_type(t->module, selector), found = 0, other = 0;
    for (uint32_t i = 2; i + words < end->num_words; i += words + 1) {
        uint64_t literal = end->words[i] | (words > 1 ? (uint64_t)end->words[i + 1] << 32 : 0);
        uint32_t width = spv_type_width(t->module, type);
        literal = width < 64 ? literal & (((uint64_t)1 << width) - 1) : literal;
        spv_id equal = logic(t, SpvOpIEqual, selector, spv_const_bits(t->module, type, literal));
        spv_id *kind = end->words[i + words] == target ? &found : &other;
        *kind = *kind ? logic(t, SpvOpLogicalOr, *kind, equal) : equal;
    }
    if (end->words[1] == target)
        return other ? opposite(t, other) : constant(t, true);
    return found ? found : constant(t, false);
}

static void emit_switch(struct turns *t, struct turn_node *node)
{
    spv_id all[MAX_TURNS], masks[MAX_TURNS];
    read_masks(t, all);
    node->fallen = arena_alloc(t->arena, sizeof(*node->fallen) * (node->num_arms + 1u));
    for (uint32_t i = 0; i < node->num_arms; i++)
        new_variables(t, node->fallen[i], false);
    new_variables(t, node->left, false);
    for (uint32_t j = 0; j < t->count; j++) {
        spv_id selector = turns_copy(t, j, spv_terminator(node->block)->words[0]);
        for (uint32_t i = 0; i < node->num_arms; i++)
            store(t, node->fallen[i][j],
                  logic(t, SpvOpLogicalAnd, all[j], selects(t, node, selector, node->targets[i])));
        store(t, node->left[j], logic(t, SpvOpLogicalAnd, all[j], selects(t, node, selector, node->merge)));
    }
    for (uint32_t i = 0; i < node->num_arms; i++) {
        load_all(t, node->fallen[i], masks);
        emit_masked(t, &node->arms[i], 0, masks);
    }
    load_all(t, node->left, masks);
    set_masks(t, node->leaves ? masks : all);
}

/* ---- loops ---- */

static void loop_head(struct turns *t, const struct turn_node *node, spv_id merge, spv_id again)
{
    struct spv_block *head = turns_new_block(t), *body = turns_new_block(t);
    turns_branch(t, head->label->id);
    turns_enter(t, head);
    uint32_t count = node->hint->num_words;
    uint32_t *words = arena_array(t->module->arena, uint32_t, count);
    words[0] = merge;
    words[1] = again;
    for (uint32_t i = 2; i < count; i++)
        words[i] = node->hint->words[i];
    spv_emit_void(&t->b, SpvOpLoopMerge, count, words);
    turns_branch(t, body->label->id);
    turns_enter(t, body);
}

static void emit_uniform_loop(struct turns *t, struct turn_node *node)
{
    struct spv_block *merge = turns_new_block(t), *again = turns_new_block(t), *head;
    node->new_merge = merge->label->id;
    node->new_again = again->label->id;
    loop_head(t, node, node->new_merge, node->new_again);
    head = t->b.block->prev;
    emit_list(t, &node->arms[0], 0);
    if (t->b.block)
        turns_branch(t, again->label->id);
    turns_enter(t, again);
    emit_list(t, &node->arms[1], 0);
    turns_branch(t, head->label->id);
    turns_enter(t, merge);
}

static void emit_divergent_loop(struct turns *t, struct turn_node *node)
{
    spv_id all[MAX_TURNS], masks[MAX_TURNS], back[MAX_TURNS];
    struct spv_block *merge = turns_new_block(t), *again = turns_new_block(t), *head;
    bool was_masked = t->masked;
    read_masks(t, all);
    new_variables(t, node->left, false);
    new_variables(t, node->back, false);
    set_masks(t, all);
    loop_head(t, node, merge->label->id, again->label->id);
    head = t->b.block->prev;
    t->masked = true;
    emit_list(t, &node->arms[0], 0);
    if (!t->b.block)
        turns_enter(t, turns_new_block(t));
    load_all(t, node->back, back);
    load_all(t, t->variables, masks);
    for (uint32_t j = 0; j < t->count; j++) {
        masks[j] = logic(t, SpvOpLogicalOr, masks[j], back[j]);
        store(t, node->back[j], constant(t, false));
    }
    set_masks(t, masks);
    if (!is_empty(&node->arms[1]))
        emit_masked(t, &node->arms[1], 0, masks);
    turns_branch(t, again->label->id);
    turns_enter(t, again);
    load_all(t, t->variables, masks);
    turns_branch_if(t, 0, any_of(t, masks), head->label->id, merge->label->id);
    turns_enter(t, merge);
    t->masked = was_masked;
    load_all(t, node->left, masks);
    set_masks(t, node->leaves ? masks : all);
}

/* ---- lists ---- */

static void emit_leave(struct turns *t, const struct turn_node *node)
{
    switch (node->what) {
    case LEAVE_LOOP:
    case LEAVE_ROUND:
        if (node->of->divergent)
            move_masks(t, node->what == LEAVE_LOOP ? node->of->left : node->of->back);
        else
            turns_branch(t, node->what == LEAVE_LOOP ? node->of->new_merge : node->of->new_again);
        return;
    case LEAVE_SWITCH:
        move_masks(t, node->of->left);
        return;
    case LEAVE_CASE:
        move_masks(t, node->of->fallen[node->arm]);
        return;
    case LEAVE_KERNEL:
        break;
    }
    if (t->masked) {
        move_masks(t, NULL);
        return;
    }
    spv_emit_void(&t->b, SpvOpReturn, 0, NULL);
    t->b.block = NULL;
}

static void emit_node(struct turns *t, struct turn_node *node)
{
    switch (node->kind) {
    case TURN_CODE:
        turns_emit_code(t, node->block);
        return;
    case TURN_WHOLE:
        turns_emit_whole(t, node);
        return;
    case TURN_IF:
        if (node->divergent)
            emit_divergent_if(t, node);
        else
            emit_uniform_if(t, node);
        return;
    case TURN_SWITCH:
        emit_switch(t, node);
        return;
    case TURN_LOOP:
        if (node->divergent)
            emit_divergent_loop(t, node);
        else
            emit_uniform_loop(t, node);
        return;
    case TURN_LEAVE:
        emit_leave(t, node);
    }
}

/* The nodes from first on. What follows a node that turns may have left is for those that are still here. */
static void emit_list(struct turns *t, const struct turn_list *list, uint32_t first)
{
    if (t->depth > MAX_TURN_DEPTH)
        return;
    t->depth++;
    for (uint32_t i = first; i < list->nodes.length && t->b.block; i++) {
        struct turn_node *node = list->nodes.data[i];
        spv_id masks[MAX_TURNS];
        emit_node(t, node);
        if (!t->b.block || !node->leaves || i + 1 == list->nodes.length)
            continue;
        load_all(t, t->variables, masks);
        emit_masked(t, list, i + 1, masks);
        break;
    }
    if (t->depth <= MAX_TURN_DEPTH)
        t->depth--;
}

/* ---- the kernel ---- */

static void take_merges(struct turns *t)
{
    spv_foreach_block (block, t->function) {
        struct spv_inst *merge = spv_merge_inst(block);
        if (!merge)
            continue;
        u64_map_set(t->arena, &t->merges, block->label->id, merge);
        spv_inst_unlink(merge);
    }
    spv_cfg_forget(t->function);
    cfg_remove_unreachable(t->module, t->function);
    cfg_demote_values(t->module, t->function);
    spv_cfg_forget(t->function);
    spv_cfg_compute(t->arena, t->module, t->function, &t->cfg);
}

static void note_crossing(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct turns *t = data;
    const struct spv_inst *def = spv_def(t->module, *word);
    if (def && def->block && inst->block && def->block != inst->block)
        t->crosses[*word] = 1;
}

static void make_tables(struct turns *t)
{
    t->bound = t->module->bound;
    t->varying = arena_array(t->arena, uint8_t, t->bound);
    t->whole = arena_array(t->arena, uint8_t, t->bound);
    t->crosses = arena_array(t->arena, uint8_t, t->bound);
    t->last_use = arena_array(t->arena, uint32_t, t->bound);
    for (uint32_t j = 0; j < t->count; j++)
        t->copies[j] = arena_array(t->arena, spv_id, t->bound);
    spv_foreach_block (block, t->function)
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, note_crossing, t);
}

/* A variable that varies is one for each turn. */
static void copy_variables(struct turns *t, const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op != SpvOpVariable)
            continue;
        for (uint32_t j = 0; j < t->count; j++)
            t->copies[j][inst->id] = j && !t->varying[inst->id]
                                         ? t->copies[0][inst->id]
                                         : spv_emit_variable(&t->b, spv_pointer_pointee(t->module, inst->type));
    }
}

static void begin(struct turns *t, const struct spv_block *old)
{
    t->b = (struct spv_builder){.module = t->module, .function = t->function};
    turns_enter(t, turns_new_block(t));
    copy_variables(t, old);
    for (uint32_t j = 0; j < t->count; j++) {
        t->variables[j] = spv_emit_variable(&t->b, truth(t));
        bool exists = !j && !t->any_size;
        t->top[j] = exists ? 0 : spv_emitv(&t->b, SpvOpLoad, truth(t), lower_turn_exists(t->lower, j));
        store(t, t->variables[j], exists ? constant(t, true) : t->top[j]);
    }
}

/* False: the control flow is not structured, nests too deep, or has a barrier that not all lanes get to. */
static bool make_anew(struct turns *t)
{
    take_merges(t);
    make_tables(t);
    bool parsed = turns_parse(t);
    if (parsed) {
        turns_find_varying(t);
        struct spv_block *old = t->function->first_block;
        t->function->first_block = t->function->last_block = NULL;
        begin(t, old);
        emit_list(t, &t->body, 0);
        if (t->b.block)
            spv_emit_void(&t->b, SpvOpReturn, 0, NULL);
        for (struct spv_block *next; old; old = next) {
            next = old->next;
            spv_block_remove(t->module, old);
        }
    }
    return parsed && !t->depth && !t->is_stuck;
}

static struct turns *turns_new(struct lower *lower)
{
    struct turns *t = arena_new(spv_scratch(lower->module), struct turns);
    *t = (struct turns){.lower = lower, .module = lower->module, .function = lower->kernel};
    t->arena = spv_scratch(lower->module);
    return t;
}

bool subgroups_take_turns(struct lower *lower)
{
    struct arena_mark mark = spv_scratch_begin(lower->module);
    struct turns *t = turns_new(lower);
    t->lanes = lower->subgroup_lanes;
    t->size = lower->subgroup_size;
    t->count = lower->turns = t->size / t->lanes;
    bool complete = make_anew(t);
    spv_scratch_end(lower->module, mark);
    return complete || lower_fail(lower,
                                  "sub-groups of %u work-items are not possible on a device with %u: the kernel's "
                                  "control flow is not structured, or nests too deep",
                                  lower->subgroup_size, lower->subgroup_lanes);
}

bool subgroups_idle_lanes(struct lower *lower)
{
    struct arena_mark mark = spv_scratch_begin(lower->module);
    struct turns *t = turns_new(lower);
    t->count = 1;
    t->any_size = true;
    bool complete = make_anew(t);
    spv_scratch_end(lower->module, mark);
    return complete || lower_fail(lower, "work-groups of any size are not possible: the kernel's control flow is not "
                                         "structured, nests too deep, or has a barrier that not all may get to");
}
