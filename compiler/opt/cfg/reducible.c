/* Prepares a function for structurise.c: values that cross blocks go to variables, and control flow becomes reducible.
 *
 * A cycle that is entered at several blocks gets a dispatcher: a new block that is its only entry and branches to the
 * block that a variable names. All edges to the former entries, from outside and from inside, set the variable and go
 * to the dispatcher:
 *
 *     a -> x, a -> y, x <-> y    =>    a: v = x or y, a -> d;  d: switch v: x, y;  x: v = y, x -> d;  y: v = x, y -> d
 *
 * For graphs whose cycles nest too deep, the last resort is one dispatcher with all blocks as entries. */
#include "compiler/opt/cfg/structurise.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/cfg/share.h"
#include "compiler/opt/cfg/slots.h"

#include <string.h>

/* ---- values ---- */

struct demotion {
    struct spv_module *module;
    struct spv_function *function;
    spv_id *variables; /* of each value that crosses blocks */
    spv_id *local;     /* its load in the block where it was last loaded */
    struct spv_block **local_block;
    spv_id *leaders;             /* of each phi: the one whose variable it shares (share.c), or 0 */
    struct spv_block *use_block; /* while marking */
    struct spv_builder top;      /* for variables: it remembers where the last one is */
    spv_id bound;
};

enum { MAX_REPEATED = 8 };

/* Whether def is computed again where it is used, and not stored to a variable: images and samplers, because they
 * cannot be stored (SPIR-V 1.6, 2.16.1), and addresses, because logical pointers should not be stored and because
 * sroa.c wants to see where they lead. */
static bool is_repeatable(const struct spv_module *module, const struct spv_inst *def)
{
    uint16_t type = spv_type_op(module, def->type);
    if (spv_op_class(type) == SPV_CLASS_IMAGE_TYPE)
        return def->op != SpvOpPhi;
    return type == SpvOpTypePointer && spv_op_is_pure(def->op) && def->op != SpvOpSelect;
}

/* Whether a value has to be handed to block by a variable: the two blocks differ, and def's is not the entry block. Any
 * other block may no longer dominate the use once edges have moved. */
static bool crosses(const struct demotion *d, const struct spv_inst *def, const struct spv_block *block)
{
    return def && def->block && def->type && def->op != SpvOpVariable && def->block != block &&
           def->block != d->function->first_block;
}

struct mark {
    struct demotion *d;
    const struct spv_block *block; /* where the value is used */
    uint32_t depth;
};

static void mark_value(struct demotion *d, spv_id value, const struct spv_block *block, uint32_t depth);

static void mark_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct mark *mark = data;
    (void)inst;
    mark_value(mark->d, *word, mark->block, mark->depth);
}

/* Marks value if it crosses blocks. If it is to be computed again, its operands are needed at the same place. */
static void mark_value(struct demotion *d, spv_id value, const struct spv_block *block, uint32_t depth)
{
    struct spv_inst *def = spv_def(d->module, value);
    if (!crosses(d, def, block) || d->variables[value])
        return;
    if (is_repeatable(d->module, def) && depth < MAX_REPEATED) {
        struct mark mark = {d, block, depth + 1};
        spv_visit_operand_ids(def, mark_operand, &mark);
        return;
    }
    d->variables[value] = spv_emit_variable(&d->top, def->type);
}

static void mark_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct demotion *d = data;
    const struct spv_block *block = d->use_block;
    if (inst->op == SpvOpPhi) {
        uint32_t index = (uint32_t)(word - inst->words);
        block = index & 1 ? NULL : spv_block_of(d->module, inst->words[index + 1]);
    }
    if (block)
        mark_value(d, *word, block, 0);
}

struct use_rewrite {
    struct demotion *d;
    struct spv_builder at;
};

static void rewrite_use(void *data, struct spv_inst *inst, uint32_t *word);

/* The id to use for value before an instruction of a block: a load of its variable, a repetition, or value itself. */
static spv_id local_value(struct demotion *d, struct spv_builder *at, spv_id value)
{
    struct spv_module *module = d->module;
    const struct spv_inst *def = spv_def(module, value);
    if (value >= d->bound || !crosses(d, def, at->block))
        return value;
    if (d->local_block[value] == at->block)
        return d->local[value];
    spv_id copy;
    if (d->variables[value]) {
        copy = spv_emitv(at, SpvOpLoad, def->type, d->variables[value]);
    } else {
        copy = spv_new_id(module);
        struct spv_inst *made = spv_inst_create(module, (SpvOp)def->op, def->type, copy, def->num_words, def->words);
        spv_inst_insert(at, made);
        struct use_rewrite rewrite = {d, *at};
        rewrite.at.before = made;
        spv_visit_operand_ids(made, rewrite_use, &rewrite);
    }
    d->local[value] = copy;
    d->local_block[value] = at->block;
    return copy;
}

static void rewrite_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct use_rewrite *rewrite = data;
    (void)inst;
    *word = local_value(rewrite->d, &rewrite->at, *word);
}

/* The variable that stands for a phi: one that several phis share, which blocks behind may load as well, or one that
 * only the phi's own block loads. */
static spv_id phi_variable(struct demotion *d, const struct spv_inst *phi)
{
    spv_id leader = d->leaders[phi->id];
    if (!leader)
        return spv_emit_variable(&d->top, phi->type);
    if (!d->variables[leader])
        d->variables[leader] = spv_emit_variable(&d->top, phi->type);
    return d->variables[phi->id] = d->variables[leader];
}

static struct spv_builder end_of(struct demotion *d, const struct spv_inst *phi, uint32_t edge)
{
    struct spv_block *pred = spv_block_of(d->module, phi->words[edge + 1]);
    return (struct spv_builder){d->module, d->function, pred, spv_terminator(pred)};
}

/* Loads what predecessors hand to a phi; all loads of a block come before its stores, which may be to the same
 * variables. */
static void load_operands(struct demotion *d, struct spv_inst *phi)
{
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        struct spv_builder at = end_of(d, phi, i);
        const struct spv_inst *def = spv_def(d->module, phi->words[i]);
        bool there = d->leaders[phi->id] && d->leaders[phi->id] == d->leaders[phi->words[i]];
        if (there || (def && def->op == SpvOpUndef))
            phi->words[i] = 0;
        else
            phi->words[i] = local_value(d, &at, phi->words[i]);
    }
}

/* Replaces a phi by a load of its variable, which each predecessor stores to. */
static void demote_phi(struct demotion *d, struct spv_inst *phi, spv_id variable)
{
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        struct spv_builder at = end_of(d, phi, i);
        if (phi->words[i])
            spv_emitv_void(&at, SpvOpStore, variable, phi->words[i]);
    }
    phi->op = SpvOpLoad;
    spv_inst_set_words(d->module, phi, 1, &variable);
}

static void demote_block(struct demotion *d, struct spv_block *block)
{
    spv_foreach_inst_safe (inst, &block->insts) {
        struct use_rewrite rewrite = {d, {d->module, d->function, block, inst}};
        spv_visit_operand_ids(inst, rewrite_use, &rewrite);
        if (!inst->id || inst->id >= d->bound || !d->variables[inst->id] || d->leaders[inst->id])
            continue;
        struct spv_builder after = {d->module, d->function, block, inst->next};
        spv_emitv_void(&after, SpvOpStore, d->variables[inst->id], inst->id);
    }
}

/* Clears the tables' entries for the values that they may hold: the function's own. */
static void clear_tables(struct demotion *d, bool all)
{
    spv_foreach_block (block, d->function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!inst->id || inst->id >= d->bound)
                continue;
            d->local_block[inst->id] = NULL;
            if (all)
                d->local[inst->id] = d->variables[inst->id] = d->leaders[inst->id] = 0;
        }
    }
}

void cfg_demote_values(struct spv_module *module, struct spv_function *function)
{
    struct demotion d = {.module = module, .function = function, .bound = module->bound};
    d.top = (struct spv_builder){module, function, function->first_block, NULL};
    d.variables = spv_borrow_table(module, spv_id);
    d.local = spv_borrow_table(module, spv_id);
    d.local_block = spv_borrow_table(module, struct spv_block *);
    d.leaders = spv_borrow_table(module, spv_id);
    cfg_share_variables(module, function, d.leaders);
    VEC(struct spv_inst *) phis = {0};
    VEC(spv_id) variables = {0};
    spv_foreach_block (with_phis, function) {
        spv_foreach_inst (inst, &with_phis->insts) {
            if (inst->op != SpvOpPhi)
                continue;
            vec_push(module->arena, &phis, inst);
            vec_push(module->arena, &variables, phi_variable(&d, inst));
        }
    }
    spv_foreach_block (block, function) {
        d.use_block = block;
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, mark_use, &d);
    }
    /* The loads for phis stand at the ends of predecessors; they must not be taken for loads near the block's
     * beginning. */
    for (uint32_t i = 0; i < phis.length; i++)
        load_operands(&d, phis.data[i]);
    for (uint32_t i = 0; i < phis.length; i++)
        demote_phi(&d, phis.data[i], variables.data[i]);
    clear_tables(&d, false);
    spv_foreach_block (each, function)
        demote_block(&d, each);
    clear_tables(&d, true);
    spv_give_back_zeroed(module, d.leaders);
    spv_give_back_zeroed(module, d.local_block);
    spv_give_back_zeroed(module, d.local);
    spv_give_back_zeroed(module, d.variables);
    cfg_share_slots(module, function, d.bound);
}

/* ---- dispatchers ---- */

struct dispatcher {
    struct spv_module *module;
    struct spv_function *function;
    struct spv_block *block;
    spv_id variable;
    struct u64_map entries; /* label -> 1 + its number */
    VEC(spv_id) labels;
};

static void start_dispatcher(struct dispatcher *d, struct spv_module *module, struct spv_function *function)
{
    *d = (struct dispatcher){.module = module, .function = function};
    struct spv_builder at = {module, function, function->first_block, NULL};
    d->variable = spv_emit_variable(&at, spv_type_int(module, 32));
    d->block = spv_block_create(function, module, 0);
    d->block->index = UINT32_MAX;
}

static void add_entry(struct dispatcher *d, const struct spv_block *block)
{
    vec_push(d->module->arena, &d->labels, block->label->id);
    u64_map_set(d->module->arena, &d->entries, block->label->id, (void *)(uintptr_t)d->labels.length);
}

static void set_next(struct dispatcher *d, struct spv_builder *at, spv_id label)
{
    uint32_t number = (uint32_t)(uintptr_t)u64_map_get(&d->entries, label) - 1;
    spv_emitv_void(at, SpvOpStore, d->variable, spv_const_u32(d->module, number));
}

/* Makes the edges of block that lead to entries lead to the dispatcher. */
static void redirect(struct dispatcher *d, struct spv_block *block)
{
    struct spv_inst *end = spv_terminator(block);
    struct spv_builder at = {d->module, d->function, block, end};
    if (end->op == SpvOpBranch) {
        if (!u64_map_has(&d->entries, end->words[0]))
            return;
        set_next(d, &at, end->words[0]);
        end->words[0] = d->block->label->id;
        return;
    }
    if (end->op != SpvOpBranchConditional && end->op != SpvOpSwitch)
        return;
    uint32_t step = end->op == SpvOpSwitch ? end->hints.literal_words + 1 : 1;
    uint32_t last = end->op == SpvOpSwitch ? end->num_words : 3;
    for (uint32_t i = 1; i < last; i += step) {
        if (!u64_map_has(&d->entries, end->words[i]))
            continue;
        struct spv_block *between = spv_block_create(d->function, d->module, 0);
        between->index = UINT32_MAX;
        spv_block_insert_after(block, between);
        struct spv_builder in = {d->module, d->function, between, NULL};
        set_next(d, &in, end->words[i]);
        spv_emitv_void(&in, SpvOpBranch, d->block->label->id);
        end->words[i] = between->label->id;
    }
}

/* Gives the dispatcher its switch. This comes last, so that its own edges are not redirected. */
static void give_switch(struct dispatcher *d, struct spv_block *position)
{
    struct spv_builder at = {d->module, d->function, d->block, NULL};
    spv_block_insert_after(position, d->block);
    spv_id value = spv_emitv(&at, SpvOpLoad, spv_type_int(d->module, 32), d->variable);
    if (d->labels.length == 2) {
        spv_id first = spv_emitv(&at, SpvOpIEqual, spv_type_bool(d->module), value, spv_const_u32(d->module, 0));
        spv_emitv_void(&at, SpvOpBranchConditional, first, d->labels.data[0], d->labels.data[1]);
        return;
    }
    uint32_t *words = arena_array(d->module->arena, uint32_t, 2 * d->labels.length);
    words[0] = value;
    words[1] = d->labels.data[0];
    for (uint32_t i = 1; i < d->labels.length; i++) {
        words[2 * i] = i;
        words[2 * i + 1] = d->labels.data[i];
    }
    spv_emit_void(&at, SpvOpSwitch, 2 * d->labels.length, words);
}

void cfg_dispatch_all(struct spv_module *module, struct spv_function *function)
{
    struct dispatcher d;
    struct spv_block *entry = function->first_block;
    if (!entry->next)
        return;
    start_dispatcher(&d, module, function);
    for (struct spv_block *block = entry->next; block; block = block->next)
        add_entry(&d, block);
    VEC(struct spv_block *) blocks = {0};
    spv_foreach_block (each, function)
        vec_push(module->arena, &blocks, each);
    for (uint32_t i = 0; i < blocks.length; i++)
        redirect(&d, blocks.data[i]);
    give_switch(&d, entry);
}

/* ---- cycles ---- */

enum { MAX_LEVEL = 200 };

/* A set of blocks whose cycles are to be made reducible. Edges to its header are ignored. */
struct region {
    struct spv_block **blocks;
    uint32_t count, level;
    struct spv_block *header; /* NULL: the whole function */
};

struct cycles {
    struct spv_module *module;
    struct spv_function *function;
    VEC(struct region) work;
    uint32_t *region; /* by block->index, as what follows: which region a block is in now; new blocks are in none */
    uint32_t *component;
    /* Tarjan's algorithm for strongly connected components */
    uint32_t *number, *low, *next_succ;
    struct spv_block **path, **open;
    uint32_t num_path, num_open, counter;
    spv_id **succs;
    uint32_t *num_succs;
    bool *on_open, *is_entry;
    uint32_t num_regions, num_components;
};

static void load_succs(struct cycles *c, struct spv_block *block)
{
    uint32_t i = block->index;
    c->num_succs[i] = spv_successors(block, 0, NULL);
    c->succs[i] = arena_array(c->module->arena, spv_id, c->num_succs[i]);
    spv_successors(block, c->num_succs[i], c->succs[i]);
}

static void visit(struct cycles *c, struct spv_block *block)
{
    uint32_t i = block->index;
    c->number[i] = c->low[i] = ++c->counter;
    c->next_succ[i] = 0;
    c->path[c->num_path++] = block;
    c->open[c->num_open++] = block;
    c->on_open[i] = true;
    load_succs(c, block);
}

/* The successor at which the walk goes on, or NULL when block is done. */
static struct spv_block *step(struct cycles *c, const struct spv_block *block, uint32_t region)
{
    uint32_t i = block->index;
    while (c->next_succ[i] < c->num_succs[i]) {
        struct spv_block *succ = spv_block_of(c->module, c->succs[i][c->next_succ[i]++]);
        if (!succ || succ->index == UINT32_MAX || c->region[succ->index] != region)
            continue;
        if (!c->number[succ->index])
            return succ;
        if (c->on_open[succ->index] && c->number[succ->index] < c->low[i])
            c->low[i] = c->number[succ->index];
    }
    return NULL;
}

static bool loops_to_itself(const struct cycles *c, const struct spv_block *block)
{
    for (uint32_t i = 0; i < c->num_succs[block->index]; i++) {
        if (c->succs[block->index][i] == block->label->id)
            return true;
    }
    return false;
}

/* The blocks of one component; none where it is a single block without an edge to itself. */
static struct region close_component(struct cycles *c, const struct spv_block *root)
{
    uint32_t first = c->num_open;
    do {
        struct spv_block *member = c->open[--first];
        c->on_open[member->index] = false;
        c->component[member->index] = c->num_components;
    } while (c->open[first] != root);
    c->num_components++;
    struct region cycle = {.count = c->num_open - first};
    c->num_open = first;
    if (cycle.count == 1 && !loops_to_itself(c, root))
        return (struct region){0};
    cycle.blocks = arena_array(c->module->arena, struct spv_block *, cycle.count);
    memcpy(cycle.blocks, c->open + first, cycle.count * sizeof(*cycle.blocks));
    return cycle;
}

/* Marks the blocks that are entered from outside their component. */
static void find_entries(struct cycles *c, const struct region *around, uint32_t name)
{
    for (uint32_t i = 0; i < around->count; i++)
        c->is_entry[around->blocks[i]->index] = false;
    for (uint32_t i = 0; i <= around->count; i++) {
        const struct spv_block *from = i < around->count ? around->blocks[i] : around->header;
        uint32_t count = from ? spv_successors(from, 0, NULL) : 0;
        spv_id *labels = arena_array(c->module->arena, spv_id, count);
        if (from)
            spv_successors(from, count, labels);
        for (uint32_t j = 0; j < count; j++) {
            const struct spv_block *to = spv_block_of(c->module, labels[j]);
            if (!to || to->index == UINT32_MAX || c->region[to->index] != name)
                continue;
            if (i == around->count || c->component[to->index] != c->component[from->index])
                c->is_entry[to->index] = true;
        }
    }
}

/* Finds the cycle's only entry or makes one, and queues the rest of the cycle as a region of its own. */
static void settle_cycle(struct cycles *c, const struct region *around, struct region cycle)
{
    struct spv_block *entry = cycle.blocks[0];
    uint32_t num_entries = 0;
    for (uint32_t i = 0; i < cycle.count; i++) {
        if (c->is_entry[cycle.blocks[i]->index]) {
            entry = cycle.blocks[i];
            num_entries++;
        }
    }
    cycle.level = around->level + 1;
    cycle.header = entry;
    if (num_entries > 1) {
        struct dispatcher d;
        start_dispatcher(&d, c->module, c->function);
        for (uint32_t i = 0; i < cycle.count; i++) {
            if (c->is_entry[cycle.blocks[i]->index])
                add_entry(&d, cycle.blocks[i]);
        }
        for (uint32_t i = 0; i < around->count; i++)
            redirect(&d, around->blocks[i]);
        if (around->header)
            redirect(&d, around->header);
        give_switch(&d, c->function->last_block);
        cycle.header = d.block;
    } else {
        for (uint32_t i = 0; i < cycle.count; i++) {
            if (cycle.blocks[i] == entry)
                cycle.blocks[i] = cycle.blocks[--cycle.count];
        }
    }
    if (cycle.count)
        vec_push(c->module->arena, &c->work, cycle);
}

static void settle_region(struct cycles *c, const struct region *region)
{
    VEC(struct region) found = {0};
    uint32_t name = ++c->num_regions;
    for (uint32_t i = 0; i < region->count; i++) {
        c->region[region->blocks[i]->index] = name;
        c->number[region->blocks[i]->index] = 0;
    }
    for (uint32_t i = 0; i < region->count; i++) {
        if (c->number[region->blocks[i]->index])
            continue;
        visit(c, region->blocks[i]);
        while (c->num_path) {
            struct spv_block *block = c->path[c->num_path - 1], *succ = step(c, block, name);
            if (succ) {
                visit(c, succ);
                continue;
            }
            c->num_path--;
            const struct spv_block *above = c->num_path ? c->path[c->num_path - 1] : NULL;
            if (above && c->low[block->index] < c->low[above->index])
                c->low[above->index] = c->low[block->index];
            if (c->low[block->index] == c->number[block->index]) {
                struct region cycle = close_component(c, block);
                if (cycle.count)
                    vec_push(c->module->arena, &found, cycle);
            }
        }
    }
    if (!found.length)
        return;
    find_entries(c, region, name);
    for (uint32_t i = 0; i < found.length; i++)
        settle_cycle(c, region, found.data[i]);
}

bool cfg_make_reducible(struct spv_module *module, struct spv_function *function)
{
    struct arena *arena = module->arena;
    uint32_t count = 0;
    spv_foreach_block (each, function)
        each->index = count++;
    struct cycles c = {.module = module, .function = function};
    c.region = arena_array(arena, uint32_t, count);
    c.component = arena_array(arena, uint32_t, count);
    c.number = arena_array(arena, uint32_t, count);
    c.low = arena_array(arena, uint32_t, count);
    c.next_succ = arena_array(arena, uint32_t, count);
    c.num_succs = arena_array(arena, uint32_t, count);
    c.succs = arena_array(arena, spv_id *, count);
    c.path = arena_array(arena, struct spv_block *, count);
    c.open = arena_array(arena, struct spv_block *, count);
    c.on_open = arena_array(arena, bool, count);
    c.is_entry = arena_array(arena, bool, count);
    struct region whole = {.blocks = arena_array(arena, struct spv_block *, count), .count = count};
    spv_foreach_block (block, function)
        whole.blocks[block->index] = block;
    vec_push(arena, &c.work, whole);
    while (c.work.length) {
        struct region region = vec_pop(&c.work);
        if (region.level > MAX_LEVEL)
            return false;
        settle_region(&c, &region);
    }
    return true;
}

/* ---- loops that nest too deep ---- */

struct loop_needs {
    uint32_t *outside; /* by header: the loops around it */
    uint32_t *need;    /* by header: how deep loops nest, from itself on; others: 0 */
    bool *barriers;    /* by header: there is a barrier in it */
    uint32_t *merged;  /* by header: the outermost loop of those it becomes one with, or CFG_NO_LOOP */
};

struct header_list {
    VEC(uint32_t) headers; /* from the outermost on */
};

/* Whether work-items may have to come to the block together. */
static bool runs_together(struct spv_module *module, const struct spv_block *block, struct u64_map *called)
{
    spv_foreach_inst (inst, &block->insts) {
        if (spv_op_is_subgroup(inst->op))
            return true;
    }
    return cfg_has_barrier(module, block, called);
}

/* Chooses the loops that become one with those in them. They stand as far in as they can: what runs in one loop no
 * longer waits for what leaves it. Inner headers have higher numbers. */
static void choose_merged(struct spv_module *module, const struct spv_cfg *cfg, const struct cfg_loops *loops,
                          uint32_t most, struct loop_needs *n)
{
    struct u64_map called = {0};
    for (uint32_t i = cfg->count; i-- > 0;) {
        uint32_t loop = loops->loop[i], around = loops->is_header[i] ? loops->parent[i] : CFG_NO_LOOP;
        if (loop != CFG_NO_LOOP)
            n->barriers[loop] |= runs_together(module, cfg->blocks[i], &called);
        if (loops->is_header[i])
            n->need[i]++;
        if (around == CFG_NO_LOOP)
            continue;
        n->barriers[around] |= n->barriers[i];
        n->need[around] = n->need[i] > n->need[around] ? n->need[i] : n->need[around];
    }
    for (uint32_t i = 0; i < cfg->count; i++) {
        uint32_t around = loops->is_header[i] ? loops->parent[i] : CFG_NO_LOOP;
        n->merged[i] = around != CFG_NO_LOOP ? n->merged[around] : CFG_NO_LOOP;
        if (!loops->is_header[i])
            continue;
        n->outside[i] = around != CFG_NO_LOOP ? n->outside[around] + 1 : 0;
        if (n->merged[i] == CFG_NO_LOOP && !n->barriers[i] && n->outside[i] + 2 > most &&
            n->outside[i] + n->need[i] > most && n->need[i] > 1)
            n->merged[i] = i;
    }
}

/* Makes a dispatcher of one loop and those in it, which are the headers from first on that are merged into it. */
static void merge_loop(struct spv_module *module, struct spv_function *function, const struct spv_cfg *cfg,
                       const uint32_t *headers, uint32_t count)
{
    struct dispatcher d;
    start_dispatcher(&d, module, function);
    for (uint32_t i = 0; i < count; i++)
        add_entry(&d, cfg->blocks[headers[i]]);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t e = cfg->pred_start[headers[i]]; e < cfg->pred_start[headers[i] + 1]; e++)
            redirect(&d, cfg->blocks[cfg->preds[e]]);
    }
    give_switch(&d, function->last_block);
}

void cfg_merge_loops(struct spv_module *module, struct spv_function *function, uint32_t most)
{
    struct arena *arena = module->arena;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    spv_cfg_compute(arena, module, function, &cfg);
    cfg_find_loops(arena, &cfg, &loops);
    if (!loops.reducible)
        return;
    struct loop_needs needs = {arena_array(arena, uint32_t, cfg.count), arena_array(arena, uint32_t, cfg.count),
                               arena_array(arena, bool, cfg.count), arena_array(arena, uint32_t, cfg.count)};
    choose_merged(module, &cfg, &loops, most, &needs);
    struct header_list *groups = arena_array(arena, struct header_list, cfg.count);
    for (uint32_t i = 0; i < cfg.count; i++) {
        if (needs.merged[i] != CFG_NO_LOOP && loops.is_header[i])
            vec_push(arena, &groups[needs.merged[i]].headers, i);
    }
    for (uint32_t i = 0; i < cfg.count; i++) {
        if (groups[i].headers.length)
            merge_loop(module, function, &cfg, groups[i].headers.data, groups[i].headers.length);
    }
}
