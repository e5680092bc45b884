/* Where each block of a structured function goes: behind the branch that leads to it, behind the code of its dominator,
 * or behind the loop that it leaves. See structurise.c. */
#include "compiler/opt/cfg/structuriser.h"

#include "compiler/opt/cfg/blocks.h"

static bool is_back_edge(uint32_t from, uint32_t to)
{
    return to <= from;
}

static uint32_t forward_preds(const struct structuriser *s, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t e = s->cfg.pred_start[node]; e < s->cfg.pred_start[node + 1]; e++)
        count += !is_back_edge(s->cfg.preds[e], node);
    return count;
}

/* The outermost loop that contains node's dominator but not node; NONE where there is none. */
static uint32_t loop_left(const struct structuriser *s, uint32_t node)
{
    uint32_t left = NONE;
    for (uint32_t h = s->loops.loop[s->cfg.idom[node]]; h != NONE && !cfg_in_loop(&s->loops, h, node);
         h = s->loops.parent[h])
        left = h;
    return left;
}

struct exit_choice {
    uint32_t *left;   /* by node: the loop that it leaves */
    uint32_t *weight; /* by node: of its dominator subtree */
    uint32_t *best;   /* by header: the exit that follows the loop whatever happens */
    bool *shared;     /* by header: some exit has several ways to it */
};

/* Chooses the exit that stays behind the loop, where only one way leads to each of the exits. Code with barriers has
 * to: inside of the loop, fewer work-items would reach it at the same time. Then comes the exit that the loop's own
 * condition takes, then the one with the most code. */
static uint32_t exit_weight(const struct structuriser *s, const struct exit_choice *choice, uint32_t node)
{
    uint32_t from = s->cfg.idom[node], header = choice->left[node], weight = choice->weight[node] & 0x7fffffff;
    bool by_condition = from == header;
    for (uint32_t e = s->cfg.succ_start[from]; e < s->cfg.succ_start[from + 1]; e++)
        by_condition = by_condition || s->cfg.succs[e] == header;
    if (weight > 0xffffff)
        weight = 0xffffff;
    return weight | (uint32_t)by_condition << 24 | (choice->weight[node] & 0x80000000);
}

static void choose_exits(struct structuriser *s, struct exit_choice *choice)
{
    uint32_t n = s->cfg.count;
    struct u64_map called = {0};
    choice->left = arena_array(s->arena, uint32_t, n);
    choice->weight = arena_array(s->arena, uint32_t, n);
    choice->best = arena_array(s->arena, uint32_t, n);
    choice->shared = arena_array(s->arena, bool, n);
    for (uint32_t i = n; i-- > 0;) {
        choice->best[i] = NONE;
        choice->left[i] = i ? loop_left(s, i) : NONE;
        uint32_t own = choice->weight[i] & 0x7fffffff, barrier = choice->weight[i] & 0x80000000;
        own += own < 0x1000000;
        barrier |= cfg_has_barrier(s->module, s->nodes[i].block, &called) ? 0x80000000 : 0;
        choice->weight[i] = own | barrier;
        if (i) {
            uint32_t *above = &choice->weight[s->cfg.idom[i]], sum = (*above & 0x7fffffff) + own;
            *above = (sum < 0x1000000 ? sum : 0x1000000) | barrier | (*above & 0x80000000);
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t header = choice->left[i];
        if (header == NONE)
            continue;
        if (forward_preds(s, i) > 1)
            choice->shared[header] = true;
        else if (choice->best[header] == NONE ||
                 exit_weight(s, choice, i) > exit_weight(s, choice, choice->best[header]))
            choice->best[header] = i;
    }
}

/* The levels that node's own code takes: for its branch, or for the functions that it calls. */
static uint32_t own_levels(const struct structuriser *s, const struct spv_block *block)
{
    uint16_t end = spv_terminator(block)->op;
    uint32_t most = end == SpvOpSwitch ? CFG_SWITCH_LEVELS : end == SpvOpBranchConditional;
    spv_foreach_inst (inst, &block->insts) {
        uint32_t levels = inst->op == SpvOpFunctionCall ? cfg_levels_of(s->bound, inst->words[0]) : 0;
        most = levels > most ? levels : most;
    }
    return most;
}

/* What is in a loop stands behind a test of next where it rose. Inner blocks have the higher numbers. */
static void find_needs(struct structuriser *s)
{
    uint32_t *inside = arena_array(s->arena, uint32_t, s->cfg.count);
    for (uint32_t i = s->cfg.count; i-- > 0;) {
        struct node *node = &s->nodes[i];
        node->need = own_levels(s, node->block);
        if (node->is_header && node->need < inside[i] + 1)
            node->need = inside[i] + 1;
        if (node->loop != NONE && inside[node->loop] < node->need)
            inside[node->loop] = node->need;
    }
}

void structurise_place(struct structuriser *s)
{
    struct exit_choice choice;
    uint32_t exit = NONE;
    choose_exits(s, &choice);
    s->nodes[0].loop = NONE;
    for (uint32_t i = 1; i < s->cfg.count; i++) {
        struct node *node = &s->nodes[i];
        if (s->free_exit && cfg_returns(node->block)) {
            node->place = CHILD;
            node->loop = NONE;
            exit = i;
            continue;
        }
        uint32_t parent = s->cfg.idom[i], left = choice.left[i];
        bool single = forward_preds(s, i) == 1;
        bool barrier = choice.weight[i] & 0x80000000;
        if (left != NONE && (s->bound || !single || barrier || (choice.best[left] == i && !choice.shared[left]))) {
            node->place = AFTER;
            node->loop = s->nodes[left].loop;
            vec_push(s->arena, &s->nodes[left].after, i);
            continue;
        }
        node->place = single ? INLINE : CHILD;
        node->loop = s->nodes[parent].is_header ? parent : s->nodes[parent].loop;
        if (!single)
            vec_push(s->arena, &s->nodes[parent].children, i);
    }
    if (exit != NONE)
        vec_push(s->arena, &s->nodes[0].children, exit);
    if (s->bound)
        find_needs(s);
}
