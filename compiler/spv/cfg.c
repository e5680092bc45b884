/* Control flow graphs: numbering, edges, and dominators by the algorithm of Lengauer and Tarjan ("A fast algorithm for
 * finding dominators in a flowgraph", 1979) in its simple version with path compression: O(edges * log blocks) for any
 * graph, so that no input can make it slow. Everything is iterative, since foreign modules can nest deeper than a
 * stack. */
#include "cfg.h"

#include <assert.h>
#include <string.h>

/* For a caller that writes all of it. */
static uint32_t *uncleared(struct arena *arena, uint32_t count)
{
    return arena_alloc_uncleared(arena, count * sizeof(uint32_t), _Alignof(uint32_t));
}

/* ---- numbering ---- */

/* The blocks in the order of the module, numbered in that order by block->index for the time being, and where each can
 * go. Labels are looked up once. */
struct text {
    uint32_t count;
    struct spv_block **blocks;
    uint32_t *start, *succs; /* of i: succs[start[i]] up to succs[start[i + 1]], one block several times perhaps */
    uint32_t *number;        /* in reverse post-order; SPV_UNREACHABLE */
    uint32_t *order;         /* the other way about */
    uint32_t num_reachable;
};

/* With structural the edges to merge block and continue target come after the branches. */
static uint32_t structural_edges(const struct spv_block *block, bool structural, const spv_id **labels)
{
    const struct spv_inst *merge = structural ? spv_merge_inst(block) : NULL;
    *labels = merge ? merge->words : NULL;
    return !merge ? 0 : merge->op == SpvOpLoopMerge ? 2 : 1;
}

static uint32_t add_succ(const struct spv_module *module, const struct spv_block *block, spv_id label, uint32_t *succs)
{
    const struct spv_block *succ = spv_block_of(module, label);
    if (!succ || succ->function != block->function)
        return 0;
    *succs = succ->index;
    return 1;
}

static void read_text(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                      bool structural, struct text *text)
{
    uint32_t total = 0, at = 0;
    const spv_id *more;
    *text = (struct text){0};
    spv_foreach_block (counted, function) {
        counted->index = text->count++;
        total += spv_targets(counted).count + structural_edges(counted, structural, &more);
    }
    text->blocks = arena_alloc_uncleared(arena, text->count * sizeof(struct spv_block *), _Alignof(struct spv_block *));
    text->start = uncleared(arena, text->count + 1);
    text->succs = uncleared(arena, total);
    spv_foreach_block (block, function) {
        struct spv_targets targets = spv_targets(block);
        uint32_t num_more = structural_edges(block, structural, &more);
        text->blocks[block->index] = block;
        text->start[block->index] = at;
        for (uint32_t i = 0; i < targets.count; i++)
            at += add_succ(module, block, targets.first[i * targets.step], text->succs + at);
        for (uint32_t i = 0; i < num_more; i++)
            at += add_succ(module, block, more[i], text->succs + at);
    }
    text->start[text->count] = at;
}

/* Successors are visited last first, so that reverse post-order has the first successor (the then-branch) first. */
static void number_text(struct arena *arena, struct text *text)
{
    enum { NOT_SEEN = SPV_UNREACHABLE };
    uint32_t depth = 0, last = text->count;
    uint32_t *order = uncleared(arena, text->count), *number = uncleared(arena, text->count);
    struct arena_mark mark = arena_mark(arena);
    uint32_t *stack = uncleared(arena, text->count);
    for (uint32_t i = 0; i < text->count; i++)
        number[i] = NOT_SEEN; /* then: how many successors were not looked at yet */
    stack[depth++] = 0;
    number[0] = text->start[1] - text->start[0];
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (!number[block]) {
            order[--last] = block;
            depth--;
            continue;
        }
        uint32_t succ = text->succs[text->start[block] + --number[block]];
        if (number[succ] == NOT_SEEN) {
            number[succ] = text->start[succ + 1] - text->start[succ];
            stack[depth++] = succ;
        }
    }
    arena_rewind(arena, mark);
    text->order = order + last;
    text->number = number;
    text->num_reachable = text->count - last;
    for (uint32_t i = 0; i < text->num_reachable; i++)
        number[text->order[i]] = i;
}

/* The text, and what the graph says of it. */
static void number(struct arena *arena, const struct spv_module *module, struct spv_function *function, bool structural,
                   struct text *text, struct spv_cfg *cfg)
{
    read_text(arena, module, function, structural, text);
    number_text(arena, text);
    cfg->count = text->num_reachable;
    cfg->blocks = arena_alloc_uncleared(arena, cfg->count * sizeof(struct spv_block *), _Alignof(struct spv_block *));
    for (uint32_t i = 0; i < cfg->count; i++)
        cfg->blocks[i] = text->blocks[text->order[i]];
    for (uint32_t i = 0; i < text->count; i++)
        text->blocks[i]->index = text->number[i];
}

/* ---- edges ---- */

static void collect_edges(struct arena *arena, const struct text *text, struct spv_cfg *cfg)
{
    uint32_t total = text->start[text->count], end = 0;
    cfg->succ_start = arena_array(arena, uint32_t, cfg->count + 1);
    cfg->pred_start = arena_array(arena, uint32_t, cfg->count + 1);
    cfg->succs = uncleared(arena, total);
    cfg->preds = uncleared(arena, total);
    struct arena_mark mark = arena_mark(arena);
    uint32_t *last_seen = arena_array(arena, uint32_t, cfg->count); /* 1 + the block that last had an edge to it */
    for (uint32_t i = 0; i < cfg->count; i++) {
        uint32_t from = text->order[i];
        for (uint32_t k = text->start[from]; k < text->start[from + 1]; k++) {
            uint32_t succ = text->number[text->succs[k]];
            if (last_seen[succ] == i + 1)
                continue;
            last_seen[succ] = i + 1;
            cfg->pred_start[succ + 1]++;
            cfg->succs[end++] = succ;
        }
        cfg->succ_start[i + 1] = end;
    }
    for (uint32_t i = 0; i < cfg->count; i++)
        cfg->pred_start[i + 1] += cfg->pred_start[i];
    uint32_t *fill = last_seen;
    memcpy(fill, cfg->pred_start, cfg->count * sizeof(*fill));
    for (uint32_t i = 0; i < cfg->count; i++) {
        for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++)
            cfg->preds[fill[cfg->succs[e]]++] = i;
    }
    arena_rewind(arena, mark);
}

/* ---- dominators ---- */

/* All by depth-first number; NONE where there is none. */
struct dominators {
    uint32_t *vertex;   /* number -> node */
    uint32_t *number;   /* node -> number */
    uint32_t *parent;   /* in the depth-first tree */
    uint32_t *semi;     /* semidominator */
    uint32_t *ancestor; /* in the forest of linked nodes */
    uint32_t *label;    /* the node of least semidominator on the way to the forest's root */
    uint32_t *bucket, *bucket_next;
    uint32_t *stack;
    uint32_t count;
};

enum { NONE = UINT32_MAX };

static void depth_first(struct arena *arena, const struct spv_graph *graph, struct dominators *d)
{
    uint32_t *next = arena_array(arena, uint32_t, graph->count), depth = 0;
    d->number[0] = 0;
    d->vertex[0] = 0;
    d->parent[0] = NONE;
    d->count = 1;
    d->stack[depth++] = 0;
    memcpy(next, graph->succ_start, graph->count * sizeof(*next));
    while (depth) {
        uint32_t node = d->stack[depth - 1];
        if (next[node] == graph->succ_start[node + 1]) {
            depth--;
            continue;
        }
        uint32_t succ = graph->succs[next[node]++];
        if (d->number[succ] != NONE)
            continue;
        d->parent[d->count] = d->number[node];
        d->number[succ] = d->count;
        d->vertex[d->count++] = succ;
        d->stack[depth++] = succ;
    }
}

/* The node of least semidominator between v and the root of its tree, with the path compressed. */
static uint32_t eval(struct dominators *d, uint32_t v)
{
    if (d->ancestor[v] == NONE)
        return v;
    uint32_t depth = 0;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]] != NONE; u = d->ancestor[u])
        d->stack[depth++] = u;
    while (depth) {
        uint32_t u = d->stack[--depth], above = d->ancestor[u];
        if (d->semi[d->label[above]] < d->semi[d->label[u]])
            d->label[u] = d->label[above];
        d->ancestor[u] = d->ancestor[above];
    }
    return d->label[v];
}

static uint32_t *filled(struct arena *arena, uint32_t count, uint32_t value)
{
    uint32_t *array = uncleared(arena, count);
    for (uint32_t i = 0; i < count; i++)
        array[i] = value;
    return array;
}

void spv_graph_dominators(struct arena *arena, const struct spv_graph *graph, uint32_t *idom)
{
    uint32_t n = graph->count;
    struct dominators d = {
        .vertex = arena_array(arena, uint32_t, n),
        .number = filled(arena, n, NONE),
        .parent = arena_array(arena, uint32_t, n),
        .semi = arena_array(arena, uint32_t, n),
        .ancestor = filled(arena, n, NONE),
        .label = arena_array(arena, uint32_t, n),
        .bucket = filled(arena, n, NONE),
        .bucket_next = filled(arena, n, NONE),
        .stack = arena_array(arena, uint32_t, n),
    };
    uint32_t *dom = filled(arena, n, 0);
    depth_first(arena, graph, &d);
    for (uint32_t i = 0; i < d.count; i++)
        d.semi[i] = d.label[i] = i;
    for (uint32_t w = d.count; w-- > 1;) {
        uint32_t node = d.vertex[w];
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
            uint32_t v = d.number[graph->preds[e]];
            if (v == NONE)
                continue;
            uint32_t u = eval(&d, v);
            if (d.semi[u] < d.semi[w])
                d.semi[w] = d.semi[u];
        }
        d.bucket_next[w] = d.bucket[d.semi[w]];
        d.bucket[d.semi[w]] = w;
        uint32_t parent = d.parent[w];
        d.ancestor[w] = parent;
        for (uint32_t v = d.bucket[parent]; v != NONE; v = d.bucket_next[v]) {
            uint32_t u = eval(&d, v);
            dom[v] = d.semi[u] < d.semi[v] ? u : parent;
        }
        d.bucket[parent] = NONE;
    }
    for (uint32_t w = 1; w < d.count; w++) {
        if (dom[w] != d.semi[w])
            dom[w] = dom[dom[w]];
    }
    for (uint32_t i = 0; i < n; i++)
        idom[i] = d.number[i] == NONE ? SPV_UNREACHABLE : d.vertex[dom[d.number[i]]];
}

/* The simple algorithm ("A Simple, Fast Dominance Algorithm", Cooper, Harvey and Kennedy, 2001) over nodes in reverse
 * post-order. In reducible graphs one round is enough. For some graphs it would take many long rounds: then it gives
 * up, and the algorithm of Lengauer and Tarjan takes over. */
struct dominance {
    uint64_t steps;
    bool changed;
};

static bool dominance_round(const struct spv_graph *graph, uint32_t *idom, struct dominance *d)
{
    d->changed = false;
    for (uint32_t node = 1; node < graph->count; node++) {
        uint32_t dom = SPV_UNREACHABLE;
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
            uint32_t other = graph->preds[e];
            if (idom[other] == SPV_UNREACHABLE)
                continue;
            for (dom = dom == SPV_UNREACHABLE ? other : dom; dom != other; d->steps--) {
                if (!d->steps)
                    return false;
                if (dom > other)
                    dom = idom[dom];
                else
                    other = idom[other];
            }
        }
        d->changed |= idom[node] != dom;
        idom[node] = dom;
    }
    return true;
}

/* Enter and leave times from subtree sizes: children follow their parent in reverse post-order, so no walk is needed.
 */
static void time_tree(struct arena *arena, struct spv_cfg *cfg)
{
    uint32_t *size = filled(arena, cfg->count, 1), *used = filled(arena, cfg->count, 1);
    for (uint32_t i = cfg->count; i-- > 1;)
        size[cfg->idom[i]] += size[i];
    for (uint32_t i = 0; i < cfg->count; i++) {
        uint32_t parent = cfg->idom[i];
        if (i) {
            cfg->enter[i] = cfg->enter[parent] + used[parent];
            used[parent] += size[i];
        }
        cfg->leave[i] = cfg->enter[i] + size[i] - 1;
    }
}

/* Every edge that leads back leads to a block that dominates its start, as far as the tree is known. */
static bool leads_back_properly(const struct spv_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->count; i++) {
        for (uint32_t e = cfg->pred_start[i + 1]; e > cfg->pred_start[i] && cfg->preds[e - 1] >= i; e--) {
            if (!spv_dominates(cfg, i, cfg->preds[e - 1]))
                return false;
        }
    }
    return true;
}

static void find_dominators(struct arena *arena, struct spv_cfg *cfg)
{
    struct spv_graph graph = {cfg->count, cfg->succ_start, cfg->succs, cfg->pred_start, cfg->preds};
    struct dominance d = {.steps = 16 * ((uint64_t)cfg->count + cfg->pred_start[cfg->count])};
    cfg->idom[0] = 0;
    for (uint32_t i = 1; i < cfg->count; i++)
        cfg->idom[i] = SPV_UNREACHABLE;
    bool simple = dominance_round(&graph, cfg->idom, &d);
    if (simple) {
        time_tree(arena, cfg);
        if (leads_back_properly(cfg))
            return;
    }
    while (simple && d.changed)
        simple = dominance_round(&graph, cfg->idom, &d);
    if (!simple)
        spv_graph_dominators(arena, &graph, cfg->idom);
    time_tree(arena, cfg);
}

static void compute(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                    bool structural, struct spv_cfg *cfg)
{
    struct text text;
    *cfg = (struct spv_cfg){0};
    if (!function->first_block)
        return;
    number(arena, module, function, structural, &text, cfg);
    collect_edges(arena, &text, cfg);
    cfg->idom = uncleared(arena, cfg->count);
    cfg->enter = arena_array(arena, uint32_t, cfg->count);
    cfg->leave = uncleared(arena, cfg->count);
    struct arena_mark mark = arena_mark(arena);
    find_dominators(arena, cfg);
    arena_rewind(arena, mark);
}

void spv_cfg_number(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                    struct spv_cfg *cfg)
{
    struct text text;
    *cfg = (struct spv_cfg){0};
    if (!function->first_block)
        return;
    number(arena, module, function, false, &text, cfg);
}

void spv_cfg_compute(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                     struct spv_cfg *cfg)
{
    compute(arena, module, function, false, cfg);
}

void spv_cfg_compute_structural(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                                struct spv_cfg *cfg)
{
    compute(arena, module, function, true, cfg);
}

/* ---- what a function keeps ---- */

/* The memory is the module's and is used again. */
struct spv_kept_cfg {
    struct spv_cfg cfg;
    bool known, all_reachable;
    size_t size; /* of the memory, in words */
    uint32_t *memory;
};

static void take_words(uint32_t **at, uint32_t **words, uint32_t count)
{
    memcpy(*at, *words, count * sizeof(uint32_t));
    *words = *at;
    *at += count;
}

static void keep(const struct spv_module *module, struct spv_kept_cfg *kept, const struct spv_cfg *cfg)
{
    uint32_t count = cfg->count, pointers = count * (uint32_t)(sizeof(struct spv_block *) / sizeof(uint32_t));
    size_t size = pointers + (size_t)count * 5 + 2 + cfg->succ_start[count] + cfg->pred_start[count];
    if (size > kept->size) {
        kept->size = size + size / 4;
        kept->memory = arena_alloc_uncleared(module->arena, kept->size * sizeof(uint32_t), _Alignof(void *));
    }
    uint32_t *at = kept->memory + pointers;
    kept->cfg = *cfg;
    kept->cfg.blocks = memcpy(kept->memory, cfg->blocks, count * sizeof(struct spv_block *));
    take_words(&at, &kept->cfg.succs, cfg->succ_start[count]);
    take_words(&at, &kept->cfg.preds, cfg->pred_start[count]);
    take_words(&at, &kept->cfg.succ_start, count + 1);
    take_words(&at, &kept->cfg.pred_start, count + 1);
    take_words(&at, &kept->cfg.idom, count);
    take_words(&at, &kept->cfg.enter, count);
    take_words(&at, &kept->cfg.leave, count);
    kept->known = true;
}

#ifndef NDEBUG
static bool is_same(const struct spv_cfg *a, const struct spv_cfg *b)
{
    size_t words = a->count * sizeof(uint32_t);
    return a->count == b->count && !memcmp(a->blocks, b->blocks, a->count * sizeof(struct spv_block *)) &&
           !memcmp(a->succ_start, b->succ_start, words + sizeof(uint32_t)) &&
           !memcmp(a->pred_start, b->pred_start, words + sizeof(uint32_t)) &&
           !memcmp(a->succs, b->succs, a->succ_start[a->count] * sizeof(uint32_t)) &&
           !memcmp(a->preds, b->preds, a->pred_start[a->count] * sizeof(uint32_t)) && !memcmp(a->idom, b->idom, words);
}
#endif

void spv_cfg_keep(const struct spv_module *module, struct spv_function *function, struct spv_cfg *cfg)
{
    struct arena_mark mark = spv_scratch_begin(module);
    struct spv_kept_cfg *kept = function->flow;
    if (!kept)
        kept = function->flow = arena_new(module->arena, struct spv_kept_cfg);
    if (!kept->known) {
        compute(spv_scratch(module), module, function, false, cfg);
        keep(module, kept, cfg);
        kept->all_reachable = true;
        spv_foreach_block (block, function)
            kept->all_reachable = kept->all_reachable && block->index != SPV_UNREACHABLE;
    } else {
#ifndef NDEBUG
        compute(spv_scratch(module), module, function, false, cfg);
        assert(is_same(&kept->cfg, cfg));
#endif
        if (!kept->all_reachable) {
            spv_foreach_block (block, function)
                block->index = SPV_UNREACHABLE;
        }
        for (uint32_t i = 0; i < kept->cfg.count; i++)
            kept->cfg.blocks[i]->index = i;
    }
    *cfg = kept->cfg;
    spv_scratch_end(module, mark);
}

bool spv_cfg_is_kept(const struct spv_function *function)
{
    return function->flow && function->flow->known;
}

void spv_cfg_forget(struct spv_function *function)
{
    function->joined = false;
    if (function->flow)
        function->flow->known = false;
}
