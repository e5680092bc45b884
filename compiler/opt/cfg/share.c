/* Which phis can have one variable together when values go to variables (reducible.c).
 *
 * With a variable for each phi, every edge copies from those of one join to those of the next: code with many early
 * exits becomes little else. A phi that is an operand of another phi needs no copy where both are one variable:
 *
 *     B: p = phi ...; X: ...; C: q = phi [p, X], ...    =>    what B's predecessors store is there for C already
 *
 * A variable is written at the ends of blocks only, by what stands for phis, and all loads of that block come first. So
 * a variable is known by what it holds at the end of each block: one value before the stores, and one after them. Two
 * sets of phis become one where no block's end would need two values at once. */
#include "compiler/opt/cfg/share.h"

#include "compiler/spv/cfg.h"

/* Phis that are needed at the ends of more blocks keep variables of their own: looking at all of them would take
 * long. */
enum { MOST_ENDS = 400 };

/* What a set's variable holds at the end of one block. */
struct end {
    uint32_t block;
    spv_id before; /* the phi that is needed when the block ends, or 0 */
    bool lasts;    /* ... and behind the stores, too */
    spv_id after;  /* the phi of a successor that is stored there, or 0 */
    spv_id stored; /* the value that is stored for it */
    struct end *next;
};

/* A set of phis that share a variable. */
struct set {
    struct set *parent; /* of a set that has become part of another one */
    struct spv_inst *phi;
    struct end *ends, *last;
    uint32_t num_ends;
    uint32_t number;
};

struct sharing {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct set **sets;    /* by the phi's id */
    struct u64_map found; /* (number of a set, block) -> its struct end */
    uint32_t num_sets;
    uint32_t *seen; /* by block: the number of the set that a walk is for */
    VEC(uint32_t) work;
    spv_id bound;
    const struct spv_block *use_block; /* while uses are looked at */
    struct u64_map uses;               /* phi -> struct use_list */
};

enum use_kind { USE_INSIDE, USE_LAST, USE_EDGE };

struct use {
    enum use_kind kind; /* by an instruction, by a block's last one, or by a phi behind an edge */
    uint32_t block;
};

struct use_list {
    VEC(struct use) uses;
    bool excluded;
};

static struct set *find_set(struct set *set)
{
    while (set->parent) {
        if (set->parent->parent)
            set->parent = set->parent->parent;
        set = set->parent;
    }
    return set;
}

static uint64_t end_key(const struct set *set, uint32_t block)
{
    return (uint64_t)set->number << 32 | block;
}

/* The end of a block in a set, made where there is none. */
static struct end *end_of(struct sharing *s, struct set *set, uint32_t block)
{
    struct end *end = u64_map_get(&s->found, end_key(set, block));
    if (end)
        return end;
    end = arena_new(s->module->arena, struct end);
    *end = (struct end){.block = block};
    u64_map_set(s->module->arena, &s->found, end_key(set, block), end);
    if (set->last)
        set->last->next = end;
    else
        set->ends = end;
    set->last = end;
    set->num_ends++;
    return end;
}

/* ---- what each phi needs ---- */

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct sharing *s = data;
    struct use_list *list = u64_map_get(&s->uses, *word);
    if (!list)
        return;
    struct use use = {USE_INSIDE, s->use_block->index};
    uint32_t place = (uint32_t)(word - inst->words);
    if (inst->op == SpvOpPhi)
        use = (struct use){USE_EDGE, spv_block_of(s->module, inst->words[place + 1])->index};
    else if (inst == spv_terminator(s->use_block))
        use.kind = USE_LAST;
    /* Addresses and images are computed again elsewhere, with what they are computed from (is_repeatable()). */
    uint16_t type = inst->type ? spv_type_op(s->module, inst->type) : (uint16_t)SpvOpTypeVoid;
    list->excluded |= type == SpvOpTypePointer || spv_op_class(type) == SPV_CLASS_IMAGE_TYPE;
    vec_push(s->module->arena, &list->uses, use);
}

static void reach(struct sharing *s, const struct set *set, uint32_t block)
{
    if (block == set->phi->block->index || s->seen[block] == set->number)
        return;
    s->seen[block] = set->number;
    vec_push(s->module->arena, &s->work, block);
}

static void need_at_end(struct sharing *s, struct set *set, uint32_t block, bool lasts)
{
    struct end *end = end_of(s, set, block);
    end->before = set->phi->id;
    end->lasts |= lasts;
}

/* Fills in the ends of blocks at which the phi is needed, and at which it is stored. False: too many, or it is stored
 * anew where it is still needed. */
static bool fill_ends(struct sharing *s, struct set *set, const struct use_list *list)
{
    const struct spv_inst *phi = set->phi;
    for (uint32_t i = 0; i < list->uses.length; i++) {
        struct use use = list->uses.data[i];
        if (use.kind != USE_INSIDE)
            need_at_end(s, set, use.block, use.kind == USE_LAST);
        reach(s, set, use.block);
    }
    while (s->work.length) {
        uint32_t block = vec_pop(&s->work);
        for (uint32_t e = s->cfg.pred_start[block]; e < s->cfg.pred_start[block + 1]; e++) {
            need_at_end(s, set, s->cfg.preds[e], true);
            reach(s, set, s->cfg.preds[e]);
        }
        if (set->num_ends > MOST_ENDS) {
            s->work.length = 0;
            return false;
        }
    }
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        struct end *end = end_of(s, set, spv_block_of(s->module, phi->words[i + 1])->index);
        if (end->lasts && phi->words[i] != phi->id)
            return false;
        end->after = phi->id;
        end->stored = phi->words[i];
    }
    return set->num_ends <= MOST_ENDS;
}

static void make_sets(struct sharing *s, struct spv_function *function)
{
    struct arena *arena = s->module->arena;
    spv_foreach_block (each, function) {
        spv_foreach_inst (inst, &each->insts) {
            if (inst->op == SpvOpPhi && spv_type_op(s->module, inst->type) != SpvOpTypePointer &&
                spv_op_class(spv_type_op(s->module, inst->type)) != SPV_CLASS_IMAGE_TYPE)
                u64_map_set(arena, &s->uses, inst->id, arena_array(arena, struct use_list, 1));
        }
    }
    spv_foreach_block (user, function) {
        s->use_block = user;
        spv_foreach_inst (inst, &user->insts)
            spv_visit_operand_ids(inst, note_use, s);
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            struct use_list *list = inst->op == SpvOpPhi ? u64_map_get(&s->uses, inst->id) : NULL;
            if (!list || list->excluded)
                continue;
            struct set *set = arena_array(arena, struct set, 1);
            *set = (struct set){.phi = inst, .number = ++s->num_sets};
            if (fill_ends(s, set, list))
                s->sets[inst->id] = set;
        }
    }
}

/* ---- sets become one ---- */

/* Whether one variable can do at the end of a block what two did. */
static bool fits(const struct end *a, const struct end *b)
{
    if ((a->before && b->before) || (a->after && b->after))
        return false;
    const struct end *held = a->before ? a : b, *written = a->after ? a : b;
    return !held->before || !held->lasts || !written->after || written->stored == held->before;
}

static void add_end(struct sharing *s, struct set *set, const struct end *end)
{
    struct end *sum = end_of(s, set, end->block);
    if (end->before) {
        sum->before = end->before;
        sum->lasts = end->lasts;
    }
    if (end->after) {
        sum->after = end->after;
        sum->stored = end->stored;
    }
}

static void unite(struct sharing *s, struct set *a, struct set *b)
{
    if (a == b || a->phi->type != b->phi->type)
        return;
    struct set *large = a->num_ends >= b->num_ends ? a : b, *small = large == a ? b : a;
    for (const struct end *end = small->ends; end; end = end->next) {
        const struct end *other = u64_map_get(&s->found, end_key(large, end->block));
        if (other && !fits(end, other))
            return;
    }
    for (const struct end *end = small->ends; end; end = end->next)
        add_end(s, large, end);
    small->parent = large;
}

void cfg_share_variables(struct spv_module *module, struct spv_function *function, spv_id *leaders)
{
    struct sharing s = {.module = module, .bound = module->bound};
    spv_cfg_compute(module->arena, module, function, &s.cfg);
    s.sets = arena_array(module->arena, struct set *, module->bound);
    s.seen = arena_array(module->arena, uint32_t, s.cfg.count);
    make_sets(&s, function);
    for (uint32_t i = 0; i < s.cfg.count; i++) {
        spv_foreach_inst (phi, &s.cfg.blocks[i]->insts) {
            for (uint32_t k = 0; phi->op == SpvOpPhi && s.sets[phi->id] && k + 1 < phi->num_words; k += 2) {
                if (phi->words[k] < s.bound && s.sets[phi->words[k]]) {
                    struct set *own = find_set(s.sets[phi->id]);
                    unite(&s, own, find_set(s.sets[phi->words[k]]));
                }
            }
        }
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpPhi && s.sets[inst->id])
                leaders[inst->id] = find_set(s.sets[inst->id])->phi->id;
        }
    }
}
