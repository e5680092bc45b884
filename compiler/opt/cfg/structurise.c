/* Turns any control flow graph into a structured one (SPIR-V 1.6, 2.11).
 *
 * The method follows Ramsey's "Beyond Relooper" (ICFP 2022): once the graph is reducible, its dominator tree is the
 * nesting of the program, and a recursive walk of the tree writes the code. WebAssembly can branch out of any number of
 * blocks; SPIR-V can only leave the innermost loop, or reach a selection's merge block at its end. So each piece of
 * code ends with a set of pending targets, the blocks that it still has to go to. Mostly that is one target, which is
 * then placed right behind. Where there are several, the variable "next" holds the one to go to, and the code in
 * between is guarded by tests of it:
 *
 *     if (a) { if (b) X; else goto Y; } else Y: Z;  M
 *     => if (a) { if (b) { X; next = M; } else next = Y; } else next = Y;   if (next == Y) Z;   M
 *
 * Every jump whose target is not placed on the spot stores the target to next; mem2reg removes stores that nobody
 * reads. A loop is one construct with a header, a continue block and a merge block of its own. An exit out of several
 * loops leaves them one by one, with a test of next after each. Code that only a loop's exit leads to and that itself
 * leads to another exit stays inside the loop, where its writer had it ("if (found) { result = i; break; }").
 *
 * The walk keeps its own stack, since modules of other front ends may nest deeper than ours.
 *
 * Where nothing may nest deeper than a bound, no code continues a loop or returns early: drivers nest what follows. The
 * loop's header is a pending target up to the end of its code. A node that would stand too deep rises:
 * it is placed as a child of the outermost code of its loop, behind a test of next, and so is whatever it leads to that
 * would have come sooner. As all nodes still come in reverse post-order, each once, work-items meet again where they
 * would have without the bound:
 *
 *     if (a) { A; if (b) { B; } X; }  =>  if (a) { A; next = b ? B : X; } else next = M;
 *                                         if (next == B) { B; next = X; }  if (next == X) { X; next = M; } */
#include "compiler/opt/cfg/structuriser.h"

#include "compiler/opt/cfg/blocks.h"

#include <string.h>

enum { MAX_NEST = 300, FLAT_NEST = 60, FEW_LEVELS = 40 };

/* ---- emission ---- */

static struct spv_block *new_block(struct structuriser *s, spv_id label)
{
    struct spv_block *block = spv_block_create(s->function, s->module, label);
    spv_block_append(s->function, block);
    return block;
}

static struct spv_builder at_end(struct structuriser *s, struct spv_block *block)
{
    return (struct spv_builder){s->module, s->function, block, NULL};
}

static void branch(struct structuriser *s, struct spv_block *block, spv_id label)
{
    struct spv_builder at = at_end(s, block);
    spv_emitv_void(&at, SpvOpBranch, label);
}

static void store_next(struct structuriser *s, struct spv_block *block, spv_id value)
{
    struct spv_builder at = at_end(s, block);
    spv_emitv_void(&at, SpvOpStore, s->next, value);
}

static spv_id number(struct structuriser *s, uint32_t target)
{
    return spv_const_u32(s->module, target);
}

static spv_id next_is(struct structuriser *s, struct spv_block *block, uint32_t target)
{
    struct spv_builder at = at_end(s, block);
    spv_id value = spv_emitv(&at, SpvOpLoad, spv_type_int(s->module, 32), s->next);
    return spv_emitv(&at, SpvOpIEqual, spv_type_bool(s->module), value, number(s, target));
}

static spv_id entry_label(const struct structuriser *s, uint32_t node)
{
    return s->nodes[node].is_header ? s->nodes[node].header_label : s->nodes[node].block->label->id;
}

/* The loop in which the node's own code stands. */
static uint32_t loop_of_code(const struct structuriser *s, uint32_t node)
{
    return s->nodes[node].is_header ? node : s->nodes[node].loop;
}

enum edge { TO_CONTINUE, TO_BREAK, TO_INLINE, TO_PENDING };

/* What kind of edge a branch to target is, if it stands in the code of loop. */
static enum edge edge_kind(const struct structuriser *s, uint32_t loop, uint32_t target, bool direct)
{
    if (loop != NONE && target == loop)
        return s->bound ? TO_PENDING : TO_CONTINUE;
    if (s->nodes[target].loop != loop)
        return TO_BREAK;
    return direct && s->nodes[target].place == INLINE ? TO_INLINE : TO_PENDING;
}

/* ---- a bound of nesting ---- */

/* The frame of the outermost code of node's loop: of the loop's header, or of the function. */
static struct frame *outermost_frame(struct structuriser *s, uint32_t node)
{
    uint32_t loop = s->nodes[node].loop, i = s->stack.length - 1;
    while (i && (s->stack.data[i].node != loop || s->stack.data[i].in_after))
        i--;
    return &s->stack.data[i];
}

/* Whether node would stand too deep in levels more than the code at hand, and less deep behind a test of next in the
 * outermost code. */
static bool is_too_deep(struct structuriser *s, uint32_t node, uint32_t levels)
{
    return s->nest + levels + s->nodes[node].need > s->bound->levels &&
           outermost_frame(s, node)->level + 1 < s->nest + levels;
}

/* Makes node a child of the outermost code. Only nodes with lower numbers have been placed there, or are being placed.
 * The function's exit stays the last. */
static void raise_node(struct structuriser *s, uint32_t index)
{
    struct node *node = &s->nodes[index], *to = &s->nodes[outermost_frame(s, index)->node];
    node->place = CHILD;
    node->raised = true;
    vec_push(s->arena, &to->children, index);
    for (uint32_t i = to->children.length - 1; i; i--) {
        uint32_t *pair = to->children.data + i - 1;
        bool is_exit = s->free_exit && s->cfg.succ_start[*pair] == s->cfg.succ_start[*pair + 1];
        if (*pair < index && !is_exit)
            break;
        pair[1] = *pair;
        pair[0] = index;
    }
}

/* The kind of an edge where the code that it leads to would stand levels deeper than the code at hand. */
static enum edge arm_kind(struct structuriser *s, uint32_t loop, uint32_t target, uint32_t levels)
{
    enum edge kind = edge_kind(s, loop, target, true);
    if (!s->bound || kind != TO_INLINE || !is_too_deep(s, target, levels))
        return kind;
    raise_node(s, target);
    return TO_PENDING;
}

/* Whether a child has to be placed further out than by frame, which is the last one: it would stand too deep, or may
 * come after code that has risen, which may be all that leads to it. */
static bool has_to_rise(struct structuriser *s, const struct frame *frame, uint32_t child)
{
    const struct pending *pending = &frame->flow.pending;
    if (outermost_frame(s, child) == frame)
        return false;
    for (uint32_t i = 0; i < pending->count && pending->targets[i] < child; i++) {
        if (s->nodes[pending->targets[i]].raised)
            return true;
    }
    return pending_has(pending, child) && is_too_deep(s, child, pending->count > 1);
}

/* ---- emission, continued ---- */

static bool is_exit(enum edge kind)
{
    return kind == TO_CONTINUE || kind == TO_BREAK;
}

/* The label to branch to for an exit. A break is recorded in its loop. */
static spv_id exit_label(struct structuriser *s, uint32_t loop, uint32_t target, enum edge kind)
{
    if (kind == TO_CONTINUE)
        return s->nodes[loop].continue_label;
    struct pending one = pending_one(s->arena, target);
    s->nodes[loop].exits = pending_join(s->arena, &s->nodes[loop].exits, &one);
    return s->nodes[loop].merge_label;
}

static void selection_merge(struct structuriser *s, struct spv_block *block, spv_id label, spv_id merge)
{
    const struct spv_inst *hint = u64_map_get(&s->selection_hints, label);
    struct spv_builder at = at_end(s, block);
    spv_emitv_void(&at, SpvOpSelectionMerge, merge, hint ? hint->words[1] : SpvSelectionControlMaskNone);
}

static void add_arm(struct structuriser *s, struct frame *frame, uint32_t node)
{
    vec_push(s->arena, &frame->arms, node);
    frame->phase = ARMS;
}

static void end_with_jump(struct structuriser *s, struct frame *frame, struct spv_block *block, uint32_t target)
{
    uint32_t loop = loop_of_code(s, frame->node);
    enum edge kind = arm_kind(s, loop, target, 0);
    if (kind == TO_INLINE) {
        branch(s, block, entry_label(s, target));
        add_arm(s, frame, target);
        return;
    }
    if (kind != TO_CONTINUE)
        store_next(s, block, number(s, target));
    if (kind == TO_PENDING)
        frame->flow = (struct flow){block, pending_one(s->arena, target)};
    else
        branch(s, block, exit_label(s, loop, target, kind));
}

/* Makes a block for an edge whose target is pending or outside of the loop. */
static spv_id make_way(struct structuriser *s, struct frame *frame, uint32_t target, enum edge kind)
{
    struct spv_block *block = new_block(s, 0);
    if (kind != TO_CONTINUE)
        store_next(s, block, number(s, target));
    if (is_exit(kind)) {
        branch(s, block, exit_label(s, loop_of_code(s, frame->node), target, kind));
    } else {
        struct pending one = pending_one(s->arena, target);
        frame->flow.pending = pending_join(s->arena, &frame->flow.pending, &one);
        frame->flow.end = frame->merge;
        branch(s, block, frame->merge->label->id);
    }
    return block->label->id;
}

static spv_id select_next(struct structuriser *s, struct spv_block *block, spv_id condition, uint32_t yes, uint32_t no)
{
    struct spv_builder at = at_end(s, block);
    return spv_emitv(&at, SpvOpSelect, spv_type_int(s->module, 32), condition, number(s, yes), number(s, no));
}

/* Ends a block whose two edges both leave the loop. */
static void end_with_two_exits(struct structuriser *s, struct frame *frame, struct spv_block *block, spv_id condition,
                               const uint32_t *targets, const enum edge *kinds)
{
    uint32_t loop = loop_of_code(s, frame->node);
    if (kinds[0] == TO_BREAK && kinds[1] == TO_BREAK)
        store_next(s, block, select_next(s, block, condition, targets[0], targets[1]));
    else
        store_next(s, block, number(s, targets[kinds[0] == TO_BREAK ? 0 : 1]));
    spv_id yes = exit_label(s, loop, targets[0], kinds[0]), no = exit_label(s, loop, targets[1], kinds[1]);
    struct spv_builder at = at_end(s, block);
    if (yes == no)
        spv_emitv_void(&at, SpvOpBranch, yes);
    else
        spv_emitv_void(&at, SpvOpBranchConditional, condition, yes, no);
}

/* Ends a block with one edge that leaves the loop: a branch without a merge, after which the other edge continues. */
static void end_with_exit(struct structuriser *s, struct frame *frame, struct spv_block *block, spv_id condition,
                          const uint32_t *targets, const enum edge *kinds)
{
    uint32_t loop = loop_of_code(s, frame->node), out = is_exit(kinds[0]) ? 0 : 1, on = 1 - out;
    spv_id labels[2];
    struct spv_block *rest = NULL;
    if (kinds[out] == TO_BREAK)
        store_next(s, block, number(s, targets[out]));
    labels[out] = exit_label(s, loop, targets[out], kinds[out]);
    if (kinds[on] == TO_INLINE) {
        labels[on] = entry_label(s, targets[on]);
        add_arm(s, frame, targets[on]);
    } else {
        rest = new_block(s, 0);
        labels[on] = rest->label->id;
        store_next(s, rest, number(s, targets[on]));
        frame->flow = (struct flow){rest, pending_one(s->arena, targets[on])};
    }
    struct spv_builder at = at_end(s, block);
    spv_emitv_void(&at, SpvOpBranchConditional, condition, labels[0], labels[1]);
}

/* Whether the function ends with node's block. */
static bool ends(const struct structuriser *s, uint32_t node)
{
    return s->cfg.succ_start[node] == s->cfg.succ_start[node + 1];
}

static void end_with_condition(struct structuriser *s, struct frame *frame, struct spv_block *block, spv_id condition,
                               const uint32_t *targets)
{
    spv_id label = block->label->id;
    enum edge kinds[2];
    for (int i = 0; i < 2; i++)
        kinds[i] = arm_kind(s, loop_of_code(s, frame->node), targets[i], 1);
    if (is_exit(kinds[0]) && is_exit(kinds[1])) {
        end_with_two_exits(s, frame, block, condition, targets, kinds);
    } else if (is_exit(kinds[0]) || is_exit(kinds[1])) {
        end_with_exit(s, frame, block, condition, targets, kinds);
    } else if (kinds[0] == TO_PENDING && kinds[1] == TO_PENDING) {
        store_next(s, block, select_next(s, block, condition, targets[0], targets[1]));
        struct pending yes = pending_one(s->arena, targets[0]), no = pending_one(s->arena, targets[1]);
        frame->flow = (struct flow){block, pending_join(s->arena, &yes, &no)};
    } else {
        frame->merge = spv_block_create(s->function, s->module, 0);
        frame->arm_levels = 1;
        if (kinds[0] == TO_INLINE && kinds[1] == TO_INLINE && ends(s, targets[0]) != ends(s, targets[1])) {
            /* for "if (out of range) return;" the code after it does not become nested in the if */
            int on = ends(s, targets[0]) ? 1 : 0;
            frame->tail = targets[on];
            frame->flow.end = frame->merge;
            kinds[on] = TO_PENDING;
        }
        spv_id labels[2];
        for (int i = 0; i < 2; i++) {
            labels[i] = kinds[i] == TO_INLINE ? entry_label(s, targets[i]) : frame->merge->label->id;
            if (kinds[i] == TO_INLINE) {
                add_arm(s, frame, targets[i]);
                continue;
            }
            if (targets[i] == frame->tail)
                continue;
            store_next(s, block, number(s, targets[i]));
            frame->flow = (struct flow){frame->merge, pending_one(s->arena, targets[i])};
        }
        selection_merge(s, block, label, frame->merge->label->id);
        struct spv_builder at = at_end(s, block);
        spv_emitv_void(&at, SpvOpBranchConditional, condition, labels[0], labels[1]);
    }
}

static void end_with_switch(struct structuriser *s, struct frame *frame, struct spv_block *block,
                            const struct spv_inst *end)
{
    struct u64_map ways = {0}; /* target + 1 -> label */
    uint32_t step = end->hints.literal_words + 1;
    uint32_t *words = arena_array(s->arena, uint32_t, end->num_words);
    memcpy(words, end->words, end->num_words * sizeof(*words));
    frame->merge = spv_block_create(s->function, s->module, 0);
    frame->arm_levels = CFG_SWITCH_LEVELS;
    frame->phase = ARMS;
    for (uint32_t i = 1; i < end->num_words; i += step) {
        uint32_t target = spv_block_of(s->module, words[i])->index;
        enum edge kind = arm_kind(s, loop_of_code(s, frame->node), target, CFG_SWITCH_LEVELS);
        void *known = u64_map_get(&ways, target);
        if (!known && kind == TO_INLINE)
            add_arm(s, frame, target);
        spv_id label = known               ? (spv_id)(uintptr_t)known
                       : kind == TO_INLINE ? entry_label(s, target)
                                           : make_way(s, frame, target, kind);
        u64_map_set(s->arena, &ways, target, (void *)(uintptr_t)label);
        words[i] = label;
    }
    selection_merge(s, block, block->label->id, frame->merge->label->id);
    struct spv_builder at = at_end(s, block);
    struct spv_inst *made = spv_emit_void(&at, SpvOpSwitch, end->num_words, words);
    made->hints = end->hints;
}

/* Emits the block's own code in place, and takes its terminator apart. */
static void emit_code(struct structuriser *s, struct frame *frame)
{
    struct spv_block *block = s->nodes[frame->node].block;
    struct spv_inst *end = spv_terminator(block);
    spv_block_append(s->function, block);
    frame->phase = CHILDREN;
    uint32_t count = spv_successors(block, 0, NULL);
    if (!count)
        return;
    spv_inst_remove(s->module, end);
    uint32_t last = end->op == SpvOpBranchConditional ? 2 : end->op == SpvOpSwitch ? 1 : 0;
    uint32_t targets[2] = {0, 0};
    for (uint32_t i = 0; i < 2 && end->op == SpvOpBranchConditional; i++)
        targets[i] = spv_block_of(s->module, end->words[i + 1])->index;
    if (last < 2)
        targets[0] = targets[1] = spv_block_of(s->module, end->words[last])->index;
    if (end->op == SpvOpSwitch && count > 1)
        end_with_switch(s, frame, block, end);
    else if (targets[0] == targets[1])
        end_with_jump(s, frame, block, targets[0]);
    else
        end_with_condition(s, frame, block, end->words[0], targets);
}

static void open_loop(struct structuriser *s, uint32_t index)
{
    struct node *node = &s->nodes[index];
    struct spv_block *header = new_block(s, node->header_label);
    const struct spv_inst *hint = u64_map_get(&s->loop_hints, node->block->label->id);
    uint32_t count = hint ? hint->num_words : 3;
    uint32_t *words = arena_array(s->arena, uint32_t, count);
    if (hint)
        memcpy(words, hint->words, count * sizeof(*words));
    words[0] = node->merge_label;
    words[1] = node->continue_label;
    struct spv_builder at = at_end(s, header);
    struct spv_inst *merge = spv_emit_void(&at, SpvOpLoopMerge, count, words);
    merge->hints.unroll = hint ? hint->hints.unroll : 0;
    branch(s, header, node->block->label->id);
}

/* Ends a loop: targets outside of the loop around it leave that one as well, the others are pending. */
static struct flow leave_loop(struct structuriser *s, uint32_t index, struct spv_block *block)
{
    uint32_t around = s->nodes[index].loop;
    const struct pending *exits = &s->nodes[index].exits;
    struct pending here = {arena_array(s->arena, uint32_t, exits->count), 0, exits->count};
    struct pending out = {arena_array(s->arena, uint32_t, exits->count), 0, exits->count};
    bool continues = false;
    for (uint32_t i = 0; i < exits->count; i++) {
        enum edge kind = edge_kind(s, around, exits->targets[i], false);
        continues = continues || kind == TO_CONTINUE;
        if (kind == TO_PENDING)
            here.targets[here.count++] = exits->targets[i];
        else if (kind == TO_BREAK)
            out.targets[out.count++] = exits->targets[i];
    }
    spv_id merge = 0;
    for (uint32_t i = 0; i < out.count; i++)
        merge = exit_label(s, around, out.targets[i], TO_BREAK);
    if (continues && (here.count || out.count)) {
        spv_id condition = next_is(s, block, around);
        struct spv_block *rest = new_block(s, 0);
        struct spv_builder at = at_end(s, block);
        spv_emitv_void(&at, SpvOpBranchConditional, condition, s->nodes[around].continue_label, rest->label->id);
        block = rest;
    } else if (continues) {
        branch(s, block, s->nodes[around].continue_label);
        return (struct flow){NULL, {NULL, 0, 0}};
    }
    if (out.count && !here.count) {
        branch(s, block, merge);
        return (struct flow){NULL, {NULL, 0, 0}};
    }
    bool invert = here.count == 1;
    for (uint32_t i = 0; out.count && i < (invert ? 1 : out.count); i++) {
        spv_id condition = next_is(s, block, invert ? here.targets[0] : out.targets[i]);
        struct spv_block *rest = new_block(s, 0);
        spv_id yes = invert ? rest->label->id : merge, no = invert ? merge : rest->label->id;
        struct spv_builder at = at_end(s, block);
        spv_emitv_void(&at, SpvOpBranchConditional, condition, yes, no);
        block = rest;
    }
    return (struct flow){block, here};
}

static void end_unreachable(struct structuriser *s, struct spv_block *block)
{
    struct spv_builder at = at_end(s, block);
    spv_emit_void(&at, SpvOpUnreachable, 0, NULL);
}

static void close_loop(struct structuriser *s, struct frame *frame)
{
    struct node *node = &s->nodes[frame->node];
    if (frame->flow.end && s->bound) /* only the loop's own header is pending */
        branch(s, frame->flow.end, node->continue_label);
    else if (frame->flow.end) /* nothing of a loop's code is pending at its end; so nobody can get there */
        end_unreachable(s, frame->flow.end);
    branch(s, new_block(s, node->continue_label), node->header_label);
    struct spv_block *merge = new_block(s, node->merge_label);
    frame->flow = (struct flow){NULL, {NULL, 0, 0}};
    if (node->exits.count)
        frame->flow = leave_loop(s, frame->node, merge);
    else
        end_unreachable(s, merge);
    frame->in_after = true;
    frame->next_child = 0;
}

/* ---- the walk ---- */

static void push(struct structuriser *s, uint32_t node)
{
    vec_push(s->arena, &s->stack, (struct frame){.node = node, .tail = NONE});
}

/* Adds the flow of an arm to that of its selection. */
static void take_arm(struct structuriser *s, struct frame *frame)
{
    if (!frame->merge) {
        frame->flow = s->result;
        return;
    }
    s->nest -= frame->arm_levels;
    if (!s->result.end)
        return;
    branch(s, s->result.end, frame->merge->label->id);
    frame->flow.pending = pending_join(s->arena, &frame->flow.pending, &s->result.pending);
    frame->flow.end = frame->merge;
}

static void step_arms(struct structuriser *s)
{
    struct frame *frame = &vec_last(&s->stack);
    if (frame->next_arm)
        take_arm(s, frame);
    if (frame->next_arm < frame->arms.length) {
        uint32_t arm = frame->arms.data[frame->next_arm++];
        s->nest += frame->merge ? frame->arm_levels : 0;
        push(s, arm);
        return;
    }
    frame->phase = CHILDREN;
    if (!frame->merge)
        return;
    spv_block_append(s->function, frame->merge);
    if (frame->tail != NONE) {
        uint32_t tail = frame->tail;
        branch(s, frame->merge, entry_label(s, tail));
        frame->merge = NULL;
        frame->tail = NONE;
        add_arm(s, frame, tail);
    } else if (!frame->flow.end) {
        end_unreachable(s, frame->merge);
    }
}

static void open_guard(struct structuriser *s, struct frame *frame, uint32_t child)
{
    spv_id condition = next_is(s, frame->flow.end, child);
    frame->guard = spv_block_create(s->function, s->module, 0);
    frame->guarded = child;
    spv_id merge = frame->guard->label->id;
    struct spv_builder at = at_end(s, frame->flow.end);
    spv_emitv_void(&at, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    spv_emitv_void(&at, SpvOpBranchConditional, condition, entry_label(s, child), merge);
    s->nest++;
}

static void close_guard(struct structuriser *s, struct frame *frame)
{
    s->nest--;
    if (s->result.end)
        branch(s, s->result.end, frame->guard->label->id);
    spv_block_append(s->function, frame->guard);
    struct pending rest = pending_without(frame->flow.pending, frame->guarded);
    frame->flow.pending = s->result.end ? pending_join(s->arena, &rest, &s->result.pending) : rest;
    frame->flow.end = frame->guard;
    frame->guard = NULL;
}

/* Places the next child that is a pending target; false when there is none left. */
static bool step_children(struct structuriser *s)
{
    struct frame *frame = &vec_last(&s->stack);
    struct node *node = &s->nodes[frame->node];
    uint32_t count = frame->in_after ? node->after.length : node->children.length;
    const uint32_t *list = frame->in_after ? node->after.data : node->children.data;
    while (frame->next_child < count) {
        uint32_t child = list[frame->next_child++];
        if (frame->flow.end && s->bound && has_to_rise(s, frame, child)) {
            raise_node(s, child);
            continue;
        }
        if (!frame->flow.end || !pending_has(&frame->flow.pending, child))
            continue;
        s->nodes[child].raised = false;
        if (frame->flow.pending.count == 1) {
            branch(s, frame->flow.end, entry_label(s, child));
            frame->guarded = NONE;
        } else {
            open_guard(s, frame, child);
        }
        push(s, child);
        return true;
    }
    return false;
}

static void step_frame(struct structuriser *s)
{
    struct frame *frame = &vec_last(&s->stack);
    struct node *node = &s->nodes[frame->node];
    switch (frame->phase) {
    case START:
        if (node->is_header) {
            open_loop(s, frame->node);
            s->nest += !s->bound; /* which counts conditions only */
        }
        if (s->deepest < s->nest)
            s->deepest = s->nest;
        frame->level = s->nest;
        emit_code(s, frame);
        break;
    case ARMS:
        step_arms(s);
        break;
    case CHILDREN:
        if (step_children(s))
            break;
        if (node->is_header && !frame->in_after) {
            close_loop(s, frame);
            s->nest -= !s->bound;
            break;
        }
        s->result = frame->flow;
        s->stack.length--;
        /* The parent takes the result at once, so that its phases need not tell a return of a child from a start. */
        if (s->stack.length) {
            struct frame *parent = &vec_last(&s->stack);
            if (parent->phase == CHILDREN && parent->guard)
                close_guard(s, parent);
            else if (parent->phase == CHILDREN)
                parent->flow = s->result;
        }
        break;
    }
}

static void emit_function(struct structuriser *s)
{
    for (uint32_t i = 0; i < s->cfg.count; i++) {
        struct node *node = &s->nodes[i];
        spv_block_unlink(node->block);
        if (!node->is_header)
            continue;
        node->header_label = spv_new_id(s->module);
        node->continue_label = spv_new_id(s->module);
        node->merge_label = spv_new_id(s->module);
    }
    push(s, 0);
    while (s->stack.length)
        step_frame(s);
}

/* ---- the pass ---- */

static void remove_merges(struct structuriser *s)
{
    spv_foreach_block (block, s->function) {
        struct spv_inst *merge = spv_merge_inst(block);
        if (!merge)
            continue;
        u64_map_set(s->arena, merge->op == SpvOpLoopMerge ? &s->loop_hints : &s->selection_hints, block->label->id,
                    merge);
        spv_inst_remove(s->module, merge);
    }
}

static void analyse(struct structuriser *s)
{
    spv_cfg_compute(s->arena, s->module, s->function, &s->cfg);
    cfg_find_loops(s->arena, &s->cfg, &s->loops);
    s->nodes = arena_array(s->arena, struct node, s->cfg.count);
    for (uint32_t i = 0; i < s->cfg.count; i++) {
        s->nodes[i].block = s->cfg.blocks[i];
        s->nodes[i].is_header = s->loops.is_header[i];
    }
}

/* Copies a return that many branches share to each of them, since a return needs no structure around it. */
static void copy_returns(struct structuriser *s)
{
    VEC(struct spv_block *) blocks = {0};
    struct u64_map seen = {0};
    spv_foreach_block (each, s->function)
        vec_push(s->arena, &blocks, each);
    for (uint32_t i = 0; i < blocks.length; i++) {
        struct spv_inst *end = spv_terminator(blocks.data[i]);
        uint32_t step = end->op == SpvOpSwitch ? end->hints.literal_words + 1 : 1;
        uint32_t first = end->op == SpvOpBranch ? 0 : 1,
                 last = end->op == SpvOpSwitch ? end->num_words : first + (first ? 2 : 1);
        if (end->op != SpvOpBranch && end->op != SpvOpBranchConditional && end->op != SpvOpSwitch)
            continue;
        for (uint32_t w = first; w < last; w += step) {
            struct spv_block *target = spv_block_of(s->module, end->words[w]);
            if (target->insts.first != target->insts.last || target->insts.first->op != SpvOpReturn)
                continue;
            if (!u64_map_has(&seen, end->words[w])) {
                u64_map_set(s->arena, &seen, end->words[w], NULL);
                continue;
            }
            struct spv_block *copy = spv_block_create(s->function, s->module, 0);
            spv_block_append(s->function, copy);
            struct spv_builder at = {s->module, s->function, copy, NULL};
            spv_emit_void(&at, SpvOpReturn, 0, NULL);
            end->words[w] = copy->label->id;
        }
    }
}

/* Loops have levels of their own, but in each of them may be a test of next behind which the next one stands. Mostly
 * there are few; where levels are few, or the first attempt shows that it is too deep, half of them are for these. */
static void bound_loops(struct structuriser *s, bool again)
{
    uint32_t levels = s->bound->levels;
    cfg_merge_loops(s->module, s->function, again || levels < FEW_LEVELS ? levels / 2 : levels);
}

/* What a first attempt left stores to a variable of its own. */
static void rebuild(struct structuriser *s, bool again)
{
    struct spv_builder at = {s->module, s->function, s->function->first_block, NULL};
    s->next = spv_emit_variable(&at, spv_type_int(s->module, 32));
    if (!cfg_make_reducible(s->module, s->function))
        cfg_dispatch_all(s->module, s->function);
    if (s->bound)
        bound_loops(s, again);
    analyse(s);
    structurise_place(s);
    s->nest = s->deepest = 0;
    emit_function(s);
}

static void structurise_any(struct spv_module *module, struct spv_function *function, bool free_exit,
                            const struct cfg_bound *bound)
{
    static const struct cfg_bound no_calls = {.levels = FLAT_NEST};
    struct structuriser s = {
        .module = module, .function = function, .arena = module->arena, .free_exit = free_exit, .bound = bound};
    remove_merges(&s);
    cfg_remove_unreachable(module, function);
    if (!free_exit)
        copy_returns(&s);
    spv_cfg_forget(function);
    cfg_join_blocks(module, function);
    cfg_demote_values(module, function);
    rebuild(&s, false);
    if (bound ? s.deepest > bound->levels : s.deepest > MAX_NEST) {
        remove_merges(&s);
        cfg_remove_unreachable(module, function);
        s.bound = bound ? bound : &no_calls;
        rebuild(&s, bound != NULL);
    }
    cfg_remove_unreachable(module, function);
    spv_cfg_forget(function);
    cfg_join_blocks(module, function);
}

/* SPIR-V 1.6, OpBranchConditional: "True Label and False Label must not be the same". */
static bool drop_empty_conditions(struct spv_module *module, struct spv_function *function)
{
    bool changed = false;
    spv_foreach_block (block, function) {
        struct spv_inst *end = spv_terminator(block), *merge = spv_merge_inst(block);
        if (end->op != SpvOpBranchConditional || end->words[1] != end->words[2])
            continue;
        /* nothing else can rely on an if's merge block */
        if (merge && merge->op == SpvOpSelectionMerge)
            spv_inst_remove(module, merge);
        end->op = SpvOpBranch;
        spv_inst_set_words(module, end, 1, (const uint32_t[]){end->words[1]});
        changed = true;
    }
    return changed;
}

static bool structurise(struct spv_module *module, struct spv_function *function, bool free_exit)
{
    if (!function->first_block)
        return false;
    bool changed = drop_empty_conditions(module, function);
    changed |= cfg_remove_unreachable(module, function);
    if (free_exit ? cfg_is_structured_callee(module, function) : cfg_is_structured(module, function))
        return changed;
    structurise_any(module, function, free_exit, NULL);
    return true;
}

bool cfg_structurise(struct spv_module *module, struct spv_function *function)
{
    return structurise(module, function, false);
}

bool cfg_structurise_callee(struct spv_module *module, struct spv_function *function)
{
    return structurise(module, function, true);
}

void cfg_flatten(struct spv_module *module, struct spv_function *function, const struct cfg_bound *bound)
{
    spv_foreach_block (block, function) {
        struct spv_inst *end = spv_terminator(block);
        if (end->op != SpvOpUnreachable) /* drivers may take it for a return */
            continue;
        bool is_void = spv_type_op(module, function->def->type) == SpvOpTypeVoid;
        spv_id nothing = is_void ? 0 : spv_undef(module, function->def->type);
        end->op = is_void ? SpvOpReturn : SpvOpReturnValue;
        spv_inst_set_words(module, end, is_void ? 0 : 1, &nothing);
    }
    cfg_remove_unreachable(module, function);
    cfg_unify_returns(module, function);
    structurise_any(module, function, true, bound);
}
