/* Whether a function's control flow is structured: SPIR-V 1.6, 2.11.2, "Structured Control-Flow Rules".
 *
 * A construct is the blocks that its header dominates structurally and its merge block does not. The rules come down to
 * which edges may leave a construct, and where they may lead. Being too strict here only costs a rebuild by
 * cfg_structurise(); being too lax gives an invalid module. So what the specification words vaguely (falling into or
 * out of a default case) is refused. */
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/cfg/structurise.h"

enum construct_kind { SELECTION, SWITCH, LOOP, CONTINUE };

enum { NONE = UINT32_MAX };

struct construct {
    enum construct_kind kind;
    uint32_t first;  /* the header, or the continue target */
    uint32_t merge;  /* of a continue construct: its loop's */
    uint32_t target; /* LOOP: the continue target */
    uint32_t parent;
};

struct checker {
    struct spv_module *module;
    struct arena *arena;
    struct spv_cfg cfg;
    VEC(struct construct) constructs;
    uint32_t *own;                    /* block -> the construct that it heads */
    uint32_t *continues;              /* block -> the continue construct that it begins */
    uint32_t *inner;                  /* block -> its innermost construct, its own included */
    uint32_t *case_of;                /* block -> header of the switch that names it; NULL: there are no switches */
    uint32_t *first_case, *last_case; /* block -> the first and the last of the literals that lead to it, counted */
    uint8_t *named;                   /* merge blocks and continue targets */
    uint32_t *num_back_edges;
};

static uint32_t index_of(const struct checker *c, spv_id label)
{
    return spv_block_of(c->module, label)->index;
}

static bool contains(const struct checker *c, const struct construct *construct, uint32_t block)
{
    return spv_dominates(&c->cfg, construct->first, block) && !spv_dominates(&c->cfg, construct->merge, block);
}

static bool name_once(struct checker *c, uint32_t block)
{
    if (c->named[block])
        return false;
    c->named[block] = 1;
    return true;
}

static uint32_t add_construct(struct checker *c, enum construct_kind kind, uint32_t first, uint32_t merge,
                              uint32_t target)
{
    vec_push(c->arena, &c->constructs, (struct construct){kind, first, merge, target, NONE});
    return c->constructs.length - 1;
}

/* Adds a construct. The header has to dominate its merge block and continue target strictly, and no block may have such
 * a role in two constructs. */
static bool collect_construct(struct checker *c, uint32_t header, const struct spv_inst *merge)
{
    const struct spv_inst *end = merge->next;
    uint32_t merge_block = index_of(c, merge->words[0]);
    if (merge_block == header || !spv_dominates(&c->cfg, header, merge_block) || !name_once(c, merge_block))
        return false;
    if (merge->op == SpvOpSelectionMerge) {
        if (end->op != SpvOpBranchConditional && end->op != SpvOpSwitch)
            return false;
        c->own[header] = add_construct(c, end->op == SpvOpSwitch ? SWITCH : SELECTION, header, merge_block, NONE);
        return true;
    }
    uint32_t target = index_of(c, merge->words[1]);
    if (end->op != SpvOpBranch && end->op != SpvOpBranchConditional)
        return false;
    if (target == merge_block || !spv_dominates(&c->cfg, header, target) || spv_dominates(&c->cfg, merge_block, target))
        return false;
    c->own[header] = add_construct(c, LOOP, header, merge_block, target);
    if (target == header)
        return true;
    if (!name_once(c, target))
        return false;
    c->continues[target] = add_construct(c, CONTINUE, target, merge_block, NONE);
    return true;
}

/* Nests the constructs. A block is in the constructs of its dominator that it has not left, and in those that it
 * begins. */
static bool nest(struct checker *c)
{
    for (uint32_t i = 0; i < c->cfg.count; i++) {
        uint32_t at = i ? c->inner[c->cfg.idom[i]] : NONE;
        while (at != NONE && !contains(c, &c->constructs.data[at], i))
            at = c->constructs.data[at].parent;
        const uint32_t begun[] = {c->continues[i], c->own[i]};
        for (int k = 0; k < 2; k++) {
            if (begun[k] == NONE)
                continue;
            c->constructs.data[begun[k]].parent = at;
            at = begun[k];
        }
        c->inner[i] = at;
    }
    for (uint32_t i = 0; i < c->constructs.length; i++) {
        const struct construct *construct = &c->constructs.data[i];
        if (construct->parent != NONE && construct->kind != CONTINUE &&
            !contains(c, &c->constructs.data[construct->parent], construct->merge))
            return false;
    }
    return true;
}

static uint32_t innermost(const struct checker *c, uint32_t block, enum construct_kind kind, bool stop_at_loop)
{
    uint32_t at = c->inner[block];
    while (at != NONE && c->constructs.data[at].kind != kind) {
        if (stop_at_loop && c->constructs.data[at].kind == LOOP)
            return NONE;
        at = c->constructs.data[at].parent;
    }
    return at;
}

static uint32_t innermost_loop(const struct checker *c, uint32_t block)
{
    return innermost(c, block, LOOP, false);
}

static uint32_t innermost_switch(const struct checker *c, uint32_t block)
{
    return innermost(c, block, SWITCH, true);
}

static bool is_back_edge_block(const struct checker *c, uint32_t block, const struct construct *loop)
{
    for (uint32_t e = c->cfg.succ_start[block]; e < c->cfg.succ_start[block + 1]; e++) {
        if (c->cfg.succs[e] == loop->first)
            return true;
    }
    return false;
}

/* Whether an edge leaves constructs properly. outermost is the last construct that it leaves. */
static bool is_proper_exit(const struct checker *c, uint32_t from, uint32_t to, uint32_t outermost, bool leaves_one)
{
    const struct construct *left = &c->constructs.data[outermost];
    uint32_t loop_index = innermost_loop(c, from);
    const struct construct *loop = loop_index != NONE ? &c->constructs.data[loop_index] : NULL;
    bool in_continue = loop && spv_dominates(&c->cfg, loop->target, from);
    if (loop && to == loop->first) /* the back edge */
        return leaves_one && left->kind == CONTINUE;
    if (loop && to == loop->merge && outermost == loop_index)
        return !in_continue || is_back_edge_block(c, from, loop);
    if (loop && to == loop->target)
        return !in_continue;
    if (to != left->merge || left->kind == CONTINUE)
        return false;
    return leaves_one || outermost == innermost_switch(c, from);
}

static bool check_edge(struct checker *c, uint32_t from, uint32_t to)
{
    if (to <= from) {
        const struct construct *loop = c->own[to] != NONE ? &c->constructs.data[c->own[to]] : NULL;
        if (!loop || loop->kind != LOOP || ++c->num_back_edges[to] > 1 || !spv_dominates(&c->cfg, loop->target, from) ||
            innermost_loop(c, from) != c->own[to])
            return false;
    }
    uint32_t at = c->inner[from], outermost = NONE, left = 0;
    for (; at != NONE && !contains(c, &c->constructs.data[at], to); at = c->constructs.data[at].parent, left++)
        outermost = at;
    if (left && !is_proper_exit(c, from, to, outermost, left == 1))
        return false;
    /* A construct is entered only through its first block, and a continue construct only from its own loop. */
    for (uint32_t into = c->inner[to]; into != NONE; into = c->constructs.data[into].parent) {
        const struct construct *entered = &c->constructs.data[into];
        if (!contains(c, entered, from) && entered->first != to)
            return false;
        if (entered->kind == CONTINUE && entered->first == to && !contains(c, entered, from)) {
            uint32_t loop = innermost_loop(c, from);
            if (loop == NONE || c->constructs.data[loop].target != to)
                return false;
        }
    }
    return true;
}

/* Checks a conditional branch without a selection merge: at least one of its sides has to leave a construct. */
static bool check_bare_branch(const struct checker *c, uint32_t block, const struct spv_inst *branch)
{
    uint32_t loop = innermost_loop(c, block), sw = innermost_switch(c, block), at = c->inner[block];
    if (branch->words[1] == branch->words[2])
        return true;
    for (uint32_t side = 1; side <= 2; side++) {
        uint32_t to = index_of(c, branch->words[side]);
        if (loop != NONE && (to == c->constructs.data[loop].merge || to == c->constructs.data[loop].target ||
                             to == c->constructs.data[loop].first))
            return true;
        if ((sw != NONE && to == c->constructs.data[sw].merge) || (at != NONE && to == c->constructs.data[at].merge))
            return true;
    }
    return false;
}

/* ---- switches ---- */

/* The first block of the case that block belongs to: its ancestor in the dominator tree just below the header. */
static uint32_t case_around(const struct checker *c, uint32_t header, uint32_t block)
{
    while (block != header && c->cfg.idom[block] != header && block)
        block = c->cfg.idom[block];
    return block;
}

/* Whether control may fall from case from into case to: the first literal of to comes right after the last one of from.
 * Every case may fall into a default without literals; a default may fall into nothing. */
static bool cases_adjoin(const struct checker *c, const struct spv_inst *sw, uint32_t from, uint32_t to)
{
    uint32_t default_target = index_of(c, sw->words[1]);
    if (from == default_target)
        return false;
    if (to == default_target && c->first_case[to] == NONE)
        return true;
    return c->last_case[from] != NONE && c->first_case[to] == c->last_case[from] + 1;
}

static bool check_fall_through(struct checker *c, uint32_t from, uint32_t to, uint32_t *falls_to, uint32_t *fallen_from)
{
    uint32_t header = c->case_of ? c->case_of[to] : NONE;
    if (header == NONE || from == header || !contains(c, &c->constructs.data[c->own[header]], from) ||
        c->constructs.data[c->own[header]].merge == to)
        return true;
    uint32_t source = case_around(c, header, from);
    if (source == to)
        return true; /* a back edge, judged elsewhere */
    if (c->case_of[source] != header || c->inner[from] != c->own[header])
        return false;
    if ((falls_to[source] != NONE && falls_to[source] != to) || (fallen_from[to] != NONE && fallen_from[to] != source))
        return false;
    falls_to[source] = to;
    fallen_from[to] = source;
    return cases_adjoin(c, spv_terminator(c->cfg.blocks[header]), source, to);
}

static bool name_cases(struct checker *c, uint32_t header, const struct spv_inst *sw)
{
    const struct construct *construct = &c->constructs.data[c->own[header]];
    uint32_t loop = innermost_loop(c, header), step = sw->hints.literal_words + 1;
    for (uint32_t i = 1; i < sw->num_words; i += step) {
        uint32_t target = index_of(c, sw->words[i]);
        if (target == construct->merge)
            continue;
        if (loop != NONE && (target == c->constructs.data[loop].merge || target == c->constructs.data[loop].target))
            continue;
        if (!contains(c, construct, target) || (c->case_of[target] != NONE && c->case_of[target] != header))
            return false;
        c->case_of[target] = header;
        if (i == 1) /* the default */
            continue;
        c->last_case[target] = (i - 1) / step - 1;
        if (c->first_case[target] == NONE)
            c->first_case[target] = c->last_case[target];
    }
    return true;
}

/* ---- the whole ---- */

static uint32_t *filled(struct arena *arena, uint32_t count)
{
    uint32_t *array = arena_array(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        array[i] = NONE;
    return array;
}

static bool check_blocks(struct checker *c)
{
    for (uint32_t i = 0; i < c->cfg.count; i++) {
        const struct spv_inst *end = spv_terminator(c->cfg.blocks[i]), *merge = spv_merge_inst(c->cfg.blocks[i]);
        if (end->op == SpvOpSwitch && (!merge || merge->op != SpvOpSelectionMerge || !name_cases(c, i, end)))
            return false;
        if (end->op == SpvOpBranchConditional && (!merge || merge->op == SpvOpLoopMerge) &&
            !check_bare_branch(c, i, end))
            return false;
    }
    uint32_t *falls_to = NULL, *fallen_from = NULL;
    if (c->case_of) {
        falls_to = filled(c->arena, c->cfg.count);
        fallen_from = filled(c->arena, c->cfg.count);
    }
    uint32_t *seen = arena_array(c->arena, uint32_t, c->cfg.count);
    for (uint32_t i = 0; i < c->cfg.count; i++) {
        struct spv_targets targets = spv_targets(c->cfg.blocks[i]);
        uint32_t around = c->inner[i];
        if (!targets.count && around != NONE && c->constructs.data[around].kind == CONTINUE)
            return false;
        for (uint32_t j = 0; j < targets.count; j++) {
            uint32_t to = index_of(c, targets.first[j * targets.step]);
            if (seen[to] == i + 1)
                continue;
            seen[to] = i + 1;
            if (!check_edge(c, i, to) || !check_fall_through(c, i, to, falls_to, fallen_from))
                return false;
        }
    }
    for (uint32_t i = 0; i < c->constructs.length; i++) {
        const struct construct *construct = &c->constructs.data[i];
        if (construct->kind == LOOP && c->num_back_edges[construct->first] != 1)
            return false;
    }
    return true;
}

static bool has_switch(const struct checker *c)
{
    for (uint32_t i = 0; i < c->cfg.count; i++) {
        if (spv_terminator(c->cfg.blocks[i])->op == SpvOpSwitch)
            return true;
    }
    return false;
}

static bool is_structured(struct checker *c, struct spv_function *function)
{
    spv_cfg_compute_structural(c->arena, c->module, function, &c->cfg);
    uint32_t n = c->cfg.count;
    c->own = filled(c->arena, n);
    c->continues = filled(c->arena, n);
    c->inner = arena_array(c->arena, uint32_t, n);
    if (has_switch(c)) {
        c->case_of = filled(c->arena, n);
        c->first_case = filled(c->arena, n);
        c->last_case = filled(c->arena, n);
    }
    c->named = arena_array(c->arena, uint8_t, n);
    c->num_back_edges = arena_array(c->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct spv_inst *merge = spv_merge_inst(c->cfg.blocks[i]);
        if (merge && !collect_construct(c, i, merge))
            return false;
    }
    return nest(c) && check_blocks(c);
}

static bool returns_outside(const struct checker *c)
{
    for (uint32_t i = 0; i < c->cfg.count; i++) {
        uint16_t end = spv_terminator(c->cfg.blocks[i])->op;
        if ((end == SpvOpReturn || end == SpvOpReturnValue) && c->inner[i] != NONE)
            return false;
    }
    return true;
}

static bool check(struct spv_module *module, struct spv_function *function, bool callee)
{
    if (!function->first_block || !function->first_block->next)
        return !function->first_block || spv_successors(function->first_block, 0, NULL) == 0;
    struct arena_mark mark = arena_mark(module->arena);
    struct checker checker = {.module = module, .arena = module->arena};
    bool structured = is_structured(&checker, function) && (!callee || returns_outside(&checker));
    arena_rewind(module->arena, mark);
    return structured;
}

bool cfg_is_structured(struct spv_module *module, struct spv_function *function)
{
    return check(module, function, false);
}

bool cfg_is_structured_callee(struct spv_module *module, struct spv_function *function)
{
    return check(module, function, true);
}
