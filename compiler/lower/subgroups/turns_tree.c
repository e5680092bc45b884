/* The kernel as a tree of sequences, from its structured control flow (SPIR-V 1.6, 2.11.2). The merge instructions are
 * in a table, since values were moved to variables.
 *
 * A loop or selection in which nobody meets and that all leave at its end becomes one leaf. */
#include "compiler/lower/subgroups/turns.h"

#include "base/util.h"

enum around_kind { AROUND_SELECTION, AROUND_SWITCH, AROUND_LOOP };

/* A construct around the code that is being read. */
struct around {
    const struct around *up;
    enum around_kind kind;
    struct turn_node *node;
    spv_id header;
    bool in_continue; /* of a loop: in what comes before the next round */
    uint32_t depth;
};

enum place { PLACE_CODE, PLACE_END, PLACE_LEAVE };

bool turns_meet(const struct spv_inst *inst)
{
    return spv_op_is_subgroup(inst->op) || inst->op == SpvOpControlBarrier;
}

static struct spv_inst *merge_of(const struct turns *t, const struct spv_block *block)
{
    return u64_map_get(&t->merges, block->label->id);
}

static struct turn_node *add(struct turns *t, struct turn_list *list, enum turn_kind kind, struct spv_block *block)
{
    struct turn_node *node = arena_new(t->arena, struct turn_node);
    node->kind = kind;
    node->block = block;
    if (block && kind != TURN_CODE && kind != TURN_LEAVE)
        node->hint = merge_of(t, block);
    vec_push(t->arena, &list->nodes, node);
    return node;
}

static void add_leave(struct turns *t, struct turn_list *list, enum turn_leave what, struct turn_node *of, uint32_t arm)
{
    struct turn_node *node = add(t, list, TURN_LEAVE, NULL);
    node->what = what;
    node->of = of;
    node->arm = arm;
}

/* ---- where a branch leads ---- */

struct goal {
    enum turn_leave what;
    struct turn_node *of;
    uint32_t arm;
};

static enum place find_place(const struct around *around, spv_id label, struct goal *goal)
{
    for (const struct around *a = around; a; a = a->up) {
        struct turn_node *node = a->node;
        *goal = (struct goal){LEAVE_SWITCH, node, 0};
        if (a->kind == AROUND_SELECTION && label == node->merge)
            return PLACE_END;
        if (a->kind == AROUND_SWITCH && label == node->merge)
            return PLACE_LEAVE;
        for (uint32_t i = 0; a->kind == AROUND_SWITCH && i < node->num_arms; i++) {
            *goal = (struct goal){LEAVE_CASE, node, i};
            if (label == node->targets[i])
                return PLACE_LEAVE;
        }
        if (a->kind != AROUND_LOOP)
            continue;
        *goal = (struct goal){LEAVE_LOOP, node, 0};
        if (label == node->merge)
            return PLACE_LEAVE;
        if (a->in_continue)
            return label == a->header ? PLACE_END : PLACE_CODE;
        goal->what = LEAVE_ROUND;
        return label == node->again || label == a->header ? PLACE_LEAVE : PLACE_CODE;
    }
    return PLACE_CODE;
}

/* ---- constructs that each turn runs by itself ---- */

static bool gather(struct turns *t, struct turn_node *node, spv_id label, const struct around *around, uint8_t *seen)
{
    struct goal goal;
    struct spv_block *block = spv_block_of(t->module, label);
    if (label == node->merge || !block || seen[block->index])
        return true;
    if (find_place(around, label, &goal) != PLACE_CODE)
        return false;
    seen[block->index] = 1;
    vec_push(t->arena, &node->blocks, block);
    return true;
}

static bool meets(const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        if (turns_meet(inst))
            return true;
    }
    return false;
}

/* The blocks from those on that the node has already. False: somebody meets in them, or leaves from them. */
static bool gather_all(struct turns *t, struct turn_node *node, const struct around *around, uint8_t *seen)
{
    for (uint32_t i = 0; i < node->blocks.length; i++) {
        const struct spv_block *block = node->blocks.data[i];
        const struct spv_targets targets = spv_targets(block);
        const struct spv_inst *merge = merge_of(t, block);
        if (meets(block) || spv_terminator(block)->op == SpvOpReturn)
            return false;
        for (uint32_t k = 0; k < targets.count; k++) {
            if (!gather(t, node, targets.first[k * targets.step], around, seen))
                return false;
        }
        if (merge && merge != node->hint && !gather(t, node, merge->words[0], around, seen))
            return false;
        if (merge && merge->op == SpvOpLoopMerge && !gather(t, node, merge->words[1], around, seen))
            return false;
    }
    return true;
}

static bool is_whole(struct turns *t, struct turn_node *node, const struct around *around)
{
    uint8_t *seen = spv_borrow(t->module, t->cfg.count);
    bool whole = true;
    node->blocks.length = 0;
    if (node->hint->op == SpvOpLoopMerge) {
        whole = gather(t, node, node->block->label->id, NULL, seen);
    } else {
        const struct spv_targets targets = spv_targets(node->block);
        for (uint32_t k = 0; whole && k < targets.count; k++)
            whole = gather(t, node, targets.first[k * targets.step], around, seen);
    }
    whole = whole && gather_all(t, node, around, seen);
    spv_give_back(t->module, seen);
    return whole;
}

/* ---- sequences ---- */

static bool parse_list(struct turns *t, struct turn_list *list, spv_id label, const struct around *around, bool inside);

static void make_arms(struct turns *t, struct turn_node *node, uint32_t count)
{
    node->arms = arena_array(t->arena, struct turn_list, count);
    node->num_arms = count;
}

/* A branch that is the end of its list says nothing. */
static void drop_last(struct turn_list *list, enum turn_leave what, const struct turn_node *of)
{
    const struct turn_node *last = list->nodes.length ? list->nodes.data[list->nodes.length - 1] : NULL;
    if (last && last->kind == TURN_LEAVE && last->what == what && last->of == of)
        list->nodes.length--;
}

static bool parse_loop(struct turns *t, struct turn_node *node, const struct around *up)
{
    spv_id header = node->block->label->id;
    struct around around = {up, AROUND_LOOP, node, header, false, up ? up->depth + 1 : 1};
    node->kind = TURN_LOOP;
    make_arms(t, node, 2);
    if (!parse_list(t, &node->arms[0], header, &around, true))
        return false;
    drop_last(&node->arms[0], LEAVE_ROUND, node);
    around.in_continue = true;
    return node->again == header || !spv_block_of(t->module, node->again) ||
           parse_list(t, &node->arms[1], node->again, &around, true);
}

/* The cases in the order of the graph, which is that in which they fall into each other. */
static void sort_targets(struct turns *t, struct turn_node *node)
{
    const struct spv_targets targets = spv_targets(node->block);
    node->targets = arena_array(t->arena, spv_id, targets.count);
    for (uint32_t i = 0; i < targets.count; i++) {
        spv_id label = targets.first[i * targets.step];
        uint32_t at = node->num_arms, index = spv_block_of(t->module, label)->index;
        bool known = label == node->merge;
        for (uint32_t k = 0; k < node->num_arms; k++)
            known |= node->targets[k] == label;
        if (known)
            continue;
        for (; at > 0 && spv_block_of(t->module, node->targets[at - 1])->index > index; at--)
            node->targets[at] = node->targets[at - 1];
        node->targets[at] = label;
        node->num_arms++;
    }
}

static bool parse_selection(struct turns *t, struct turn_node *node, const struct around *up)
{
    const struct spv_inst *end = spv_terminator(node->block);
    struct around around = {up, AROUND_SELECTION, node, 0, false, up ? up->depth + 1 : 1};
    if (end->op == SpvOpSwitch) {
        sort_targets(t, node);
        node->kind = TURN_SWITCH;
        around.kind = AROUND_SWITCH;
        make_arms(t, node, node->num_arms);
        for (uint32_t i = 0; i < node->num_arms; i++) {
            if (!parse_list(t, &node->arms[i], node->targets[i], &around, true))
                return false;
        }
        return true;
    }
    make_arms(t, node, 2);
    return parse_list(t, &node->arms[0], end->words[1], &around, false) &&
           parse_list(t, &node->arms[1], end->words[2], &around, false);
}

/* A conditional branch without a merge block: at least one way leads out of a construct. *next is the other, or 0. */
static bool parse_exit(struct turns *t, struct turn_list *list, struct spv_block *block, const struct around *around,
                       spv_id *next)
{
    const struct spv_inst *end = spv_terminator(block);
    struct turn_node *node = add(t, list, TURN_IF, block);
    struct goal goal;
    bool code[2];
    make_arms(t, node, 2);
    node->hint = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        enum place place = find_place(around, end->words[1 + i], &goal);
        code[i] = place == PLACE_CODE;
        if (place == PLACE_LEAVE)
            add_leave(t, &node->arms[i], goal.what, goal.of, goal.arm);
    }
    *next = code[0] != code[1] ? end->words[code[0] ? 1 : 2] : 0;
    if (code[0] && code[1])
        return end->words[1] == end->words[2] ? (*next = end->words[1], true) : false;
    /* the end of the list on one way: what the other way does is part of its arm */
    for (uint32_t i = 0; i < 2 && *next; i++) {
        if (code[i] || node->arms[i].nodes.length)
            continue;
        *next = 0;
        return parse_list(t, &node->arms[1 - i], end->words[2 - i], around, false);
    }
    return true;
}

static bool parse_construct(struct turns *t, struct turn_list *list, struct spv_block *block,
                            const struct around *around)
{
    struct turn_node *node = add(t, list, TURN_IF, block);
    node->merge = node->hint->words[0];
    node->again = node->hint->op == SpvOpLoopMerge ? node->hint->words[1] : 0;
    if (is_whole(t, node, around)) {
        node->kind = TURN_WHOLE;
        return true;
    }
    return node->again ? parse_loop(t, node, around) : parse_selection(t, node, around);
}

/* inside: label begins the list although it is the header, or a case, of the construct around. */
static bool parse_list(struct turns *t, struct turn_list *list, spv_id label, const struct around *around, bool inside)
{
    if (around && around->depth > MAX_TURN_DEPTH)
        return false;
    for (; label; inside = false) {
        struct goal goal;
        struct spv_block *block = spv_block_of(t->module, label);
        enum place place = inside ? PLACE_CODE : find_place(around, label, &goal);
        if (place == PLACE_LEAVE)
            add_leave(t, list, goal.what, goal.of, goal.arm);
        if (place != PLACE_CODE || !block)
            return true;
        const struct spv_inst *merge = merge_of(t, block), *end = spv_terminator(block);
        bool in_loop = inside && around && around->kind == AROUND_LOOP && label == around->header;
        if (merge && merge->op == SpvOpLoopMerge && !in_loop) {
            if (!parse_construct(t, list, block, around))
                return false;
            label = merge->words[0];
            continue;
        }
        add(t, list, TURN_CODE, block);
        if (merge && merge->op == SpvOpSelectionMerge) {
            if (!parse_construct(t, list, block, around))
                return false;
            label = merge->words[0];
        } else if (end->op == SpvOpBranch) {
            label = end->words[0];
        } else if (end->op == SpvOpBranchConditional) {
            if (!parse_exit(t, list, block, around, &label))
                return false;
        } else if (end->op == SpvOpReturn || end->op == SpvOpUnreachable) {
            add_leave(t, list, LEAVE_KERNEL, NULL, 0);
            return true;
        } else {
            return false;
        }
    }
    return true;
}

bool turns_parse(struct turns *t)
{
    return parse_list(t, &t->body, t->function->first_block->label->id, NULL, true);
}
