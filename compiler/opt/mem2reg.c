/* Function variables become values: SSA construction by dominance frontiers (Cytron et al., 1991), pruned by liveness:
 * a variable that is not read after a join gets no phi there. A load before any store gives an undefined value.
 *
 *     store %v 1; ... store %v 2; ... %x = load %v    =>    %x = phi 1 (one way), 2 (other way)
 *
 * A variable qualifies when only whole, non-volatile loads and stores use it. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/opt.h"

#include <string.h>

struct variable {
    struct spv_inst *def;
    spv_id type;
    bool qualifies;
    VEC(uint32_t) stores; /* blocks that store to it, each once */
    VEC(uint32_t) reads;  /* blocks that load it before they store to it */
    spv_id value;         /* while renaming: the current one */
};

/* A phi under construction. */
struct new_phi {
    struct new_phi *next; /* of the same block */
    uint32_t variable;
    spv_id id;
    VEC(uint32_t) words;
};

struct undo {
    uint32_t variable;
    spv_id value;
};

struct promotion {
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    VEC(struct variable) variables;
    uint32_t *index; /* id -> 1 + its place in variables */
    uint32_t bound;
    struct spv_cfg cfg;
    struct new_phi **phis; /* by block */
    struct spv_replacements loads;
    VEC(struct undo) undo;
};

/* ---- candidates ---- */

static bool is_volatile(const struct spv_inst *inst, uint32_t word)
{
    return inst->num_words > word && inst->words[word] & SpvMemoryAccessVolatileMask;
}

static struct variable *variable_of(struct promotion *p, spv_id id)
{
    return id < p->bound && p->index[id] ? &p->variables.data[p->index[id] - 1] : NULL;
}

static void check_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct promotion *p = data;
    struct variable *variable = variable_of(p, *word);
    if (!variable)
        return;
    bool is_pointer = word == inst->words;
    bool whole = (inst->op == SpvOpLoad && !is_volatile(inst, 1)) ||
                 (inst->op == SpvOpStore && is_pointer && !is_volatile(inst, 2)) || spv_op_is_lifetime(inst->op);
    variable->qualifies = variable->qualifies && whole && is_pointer;
}

/* Returns whether any variable qualifies. */
static bool find_candidates(struct promotion *p)
{
    p->bound = p->module->bound;
    p->index = spv_borrow_table(p->module, uint32_t);
    spv_foreach_inst (inst, &p->function->first_block->insts) {
        if (inst->op != SpvOpVariable)
            continue;
        struct variable variable = {.def = inst, .type = spv_pointer_pointee(p->module, inst->type), .qualifies = true};
        vec_push(p->arena, &p->variables, variable);
        p->index[inst->id] = p->variables.length;
    }
    if (!p->variables.length)
        return false;
    spv_foreach_block (block, p->function) {
        spv_foreach_inst (each, &block->insts) {
            if (!spv_op_is_plain(each->op))
                spv_visit_operand_ids(each, check_use, p);
        }
    }
    bool any = false;
    for (uint32_t i = 0; i < p->variables.length; i++)
        any = any || p->variables.data[i].qualifies;
    return any;
}

static struct variable *promoted(struct promotion *p, const struct spv_inst *inst)
{
    if (inst->op != SpvOpLoad && inst->op != SpvOpStore && inst->op != SpvOpLifetimeStart &&
        inst->op != SpvOpLifetimeStop)
        return NULL;
    struct variable *variable = variable_of(p, inst->words[0]);
    return variable && variable->qualifies ? variable : NULL;
}

static void collect_accesses(struct promotion *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            struct variable *variable = promoted(p, inst);
            if (!variable)
                continue;
            bool stored = variable->stores.length && vec_last(&variable->stores) == i;
            bool read = variable->reads.length && vec_last(&variable->reads) == i;
            if (inst->op == SpvOpStore && !stored)
                vec_push(p->arena, &variable->stores, i);
            else if (inst->op == SpvOpLoad && !stored && !read)
                vec_push(p->arena, &variable->reads, i);
        }
    }
}

/* ---- phis ---- */

/* A limit for functions with thousands of variables that are live in thousands of blocks. Beyond it, phis are made
 * without asking whether they are needed, and the next pass removes those that are not. */
enum { MAX_LIVE_STEPS = 1 << 22 };

struct marks {
    uint32_t *live, *stored, *has_phi; /* by block: the stamp of the last variable for which it was so */
    uint32_t *work;
    uint32_t stamp;
    uint32_t steps; /* of all variables */
};

/* Marks the blocks at whose start the variable is live. False when the limit is reached first: the variable may then be
 * live anywhere. */
static bool mark_live(struct promotion *p, const struct variable *variable, struct marks *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < variable->stores.length; i++)
        m->stored[variable->stores.data[i]] = m->stamp;
    for (uint32_t i = 0; i < variable->reads.length; i++) {
        m->live[variable->reads.data[i]] = m->stamp;
        m->work[count++] = variable->reads.data[i];
    }
    for (; count && m->steps < MAX_LIVE_STEPS; m->steps++) {
        uint32_t block = m->work[--count];
        for (uint32_t e = p->cfg.pred_start[block]; e < p->cfg.pred_start[block + 1]; e++) {
            uint32_t pred = p->cfg.preds[e];
            if (m->stored[pred] == m->stamp || m->live[pred] == m->stamp)
                continue;
            m->live[pred] = m->stamp;
            m->work[count++] = pred;
        }
    }
    return !count;
}

static void add_phi(struct promotion *p, uint32_t block, uint32_t variable)
{
    struct new_phi *phi = arena_new(p->arena, struct new_phi);
    phi->variable = variable;
    phi->id = spv_new_id(p->module);
    phi->next = p->phis[block];
    p->phis[block] = phi;
}

/* Whether the variable may need phis. It needs none where its only store dominates all reads, and none where no paths
 * meet after its stores. */
static bool may_need_phis(const struct promotion *p, const struct variable *variable, const struct cfg_lists *frontiers)
{
    uint32_t first = variable->stores.data[0];
    bool before = variable->stores.length == 1, meet = false;
    for (uint32_t i = 0; i < variable->reads.length && before; i++)
        before = variable->reads.data[i] != first && spv_dominates(&p->cfg, first, variable->reads.data[i]);
    for (uint32_t i = 0; i < variable->stores.length && !before && !meet; i++)
        meet = frontiers->start[variable->stores.data[i]] != frontiers->start[variable->stores.data[i] + 1];
    return meet;
}

static void place_phis(struct promotion *p)
{
    struct cfg_lists frontiers = cfg_frontiers(p->arena, &p->cfg);
    struct marks m = {
        .live = arena_array(p->arena, uint32_t, p->cfg.count),
        .stored = arena_array(p->arena, uint32_t, p->cfg.count),
        .has_phi = arena_array(p->arena, uint32_t, p->cfg.count),
        .work = arena_array(p->arena, uint32_t, p->cfg.count),
    };
    for (uint32_t v = 0; v < p->variables.length; v++) {
        const struct variable *variable = &p->variables.data[v];
        if (!variable->qualifies || !variable->reads.length || !variable->stores.length ||
            !may_need_phis(p, variable, &frontiers))
            continue;
        m.stamp++;
        bool known = mark_live(p, variable, &m);
        uint32_t count = 0;
        for (uint32_t i = 0; i < variable->stores.length; i++)
            m.work[count++] = variable->stores.data[i];
        while (count) {
            uint32_t block = m.work[--count];
            for (uint32_t f = frontiers.start[block]; f < frontiers.start[block + 1]; f++) {
                uint32_t join = frontiers.items[f];
                if (m.has_phi[join] == m.stamp || (known && m.live[join] != m.stamp))
                    continue;
                m.has_phi[join] = m.stamp;
                add_phi(p, join, v);
                /* a block that stores is on the list already */
                if (m.stored[join] != m.stamp)
                    m.work[count++] = join;
            }
        }
    }
}

/* ---- renaming ---- */

static spv_id current_value(struct promotion *p, struct variable *variable)
{
    if (!variable->value)
        variable->value = variable->def->num_words > 1 ? variable->def->words[1] : spv_undef(p->module, variable->type);
    return variable->value;
}

static void set_value(struct promotion *p, uint32_t variable, spv_id value)
{
    struct undo undo = {variable, p->variables.data[variable].value};
    vec_push(p->arena, &p->undo, undo);
    p->variables.data[variable].value = value;
}

static void rename_block(struct promotion *p, struct spv_block *block, bool reachable)
{
    spv_foreach_inst_safe (inst, &block->insts) {
        struct variable *variable = promoted(p, inst);
        if (reachable && inst->op != SpvOpPhi)
            spv_rewrite_operands(&p->loads, inst);
        if (!variable)
            continue;
        if (inst->op == SpvOpLoad)
            spv_replace(p->module, &p->loads, inst->id,
                        reachable ? current_value(p, variable) : spv_undef(p->module, variable->type));
        else if (inst->op == SpvOpStore && reachable)
            set_value(p, (uint32_t)(variable - p->variables.data), inst->words[1]);
        cfg_remove_inst(p->module, inst);
    }
}

static void feed_successors(struct promotion *p, uint32_t block)
{
    for (uint32_t e = p->cfg.succ_start[block]; e < p->cfg.succ_start[block + 1]; e++) {
        for (struct new_phi *phi = p->phis[p->cfg.succs[e]]; phi; phi = phi->next) {
            vec_push(p->arena, &phi->words, current_value(p, &p->variables.data[phi->variable]));
            vec_push(p->arena, &phi->words, p->cfg.blocks[block]->label->id);
        }
    }
}

/* Walks down the dominator tree. What a subtree sets is undone when the walk leaves it. */
static void rename_tree(struct promotion *p)
{
    struct cfg_lists children = cfg_dominator_children(p->arena, &p->cfg);
    struct level {
        uint32_t block, next, undo;
    };
    VEC(struct level) stack = {0};
    uint32_t entering = 0;
    for (;;) {
        if (entering != SPV_UNREACHABLE) {
            struct level level = {entering, children.start[entering], p->undo.length};
            vec_push(p->arena, &stack, level);
            for (struct new_phi *phi = p->phis[entering]; phi; phi = phi->next)
                set_value(p, phi->variable, phi->id);
            rename_block(p, p->cfg.blocks[entering], true);
            feed_successors(p, entering);
            entering = SPV_UNREACHABLE;
        }
        struct level *top = &vec_last(&stack);
        if (top->next < children.start[top->block + 1]) {
            entering = children.items[top->next++];
            continue;
        }
        while (p->undo.length > top->undo) {
            struct undo undo = vec_pop(&p->undo);
            p->variables.data[undo.variable].value = undo.value;
        }
        if (--stack.length == 0)
            break;
    }
}

static void insert_phis(struct promotion *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        struct spv_block *block = p->cfg.blocks[i];
        for (struct new_phi *phi = p->phis[i]; phi; phi = phi->next) {
            struct spv_builder at = {p->module, p->function, block, block->insts.first};
            spv_id type = p->variables.data[phi->variable].type;
            spv_inst_insert(&at,
                            spv_inst_create(p->module, SpvOpPhi, type, phi->id, phi->words.length, phi->words.data));
        }
    }
}

static void promote(struct promotion *p)
{
    struct spv_module *module = p->module;
    struct spv_function *function = p->function;
    spv_cfg_keep(module, function, &p->cfg);
    p->phis = arena_array(p->arena, struct new_phi *, p->cfg.count);
    collect_accesses(p);
    place_phis(p);
    rename_tree(p);
    bool has_unreachable = false;
    spv_foreach_block (block, function) {
        if (block->index != SPV_UNREACHABLE)
            continue;
        has_unreachable = true;
        rename_block(p, block, false);
    }
    insert_phis(p);
    spv_apply_rest_of_replacements(module, &p->loads, function);
    for (uint32_t i = 0; i < p->variables.length; i++) {
        if (p->variables.data[i].qualifies)
            cfg_remove_inst(module, p->variables.data[i].def);
    }
    /* SPIR-V counts predecessors that cannot be reached too */
    if (has_unreachable)
        cfg_fix_phis(module, function);
}

bool opt_mem2reg(struct spv_module *module, struct spv_function *function)
{
    struct promotion p = {.module = module, .function = function, .arena = spv_scratch(module)};
    if (!function->first_block)
        return false;
    struct arena_mark mark = spv_scratch_begin(module);
    bool any = find_candidates(&p);
    if (any)
        promote(&p);
    spv_finish_replacements(module, &p.loads);
    for (uint32_t i = 0; i < p.variables.length; i++)
        p.index[p.variables.data[i].def->id] = 0;
    spv_give_back_zeroed(module, p.index);
    spv_scratch_end(module, mark);
    return any;
}
