/* Loops that are known to end (checking.h): they have no look at how often they went round.
 *
 *     %i = OpPhi %0 %before %next %again         a number that each round adds a constant to,
 *     ...
 *     %c = OpSLessThan %i %16                    compared with a constant
 *     %n = CheckLoop ...
 *     OpBranchConditional (%c && %n != 0) ...    where the loop, and no other, is left
 *
 * So such a loop can be written out as it is without checks. Where drivers inline all functions, each look is a copy of
 * the function that looks. */
#include "compiler/lower/check/checking.h"

#include "compiler/opt/cfg/cfg.h"

enum { MOST_ROUNDS = 1024 };

struct ending {
    struct checking *c;
    const struct spv_cfg *cfg;
    const struct cfg_loops *loops;
    uint32_t head, exit; /* blocks */
};

static uint32_t index_of(const struct ending *e, spv_id label)
{
    return spv_block_of(e->c->module, label)->index;
}

static bool is_inside(const struct ending *e, uint32_t head, uint32_t block)
{
    return block != SPV_UNREACHABLE && cfg_in_loop(e->loops, head, block);
}

/* Each round comes by the exit, which leads to the loop around, if there is one. */
static bool leaves_this_alone(const struct ending *e, spv_id target)
{
    uint32_t around = e->loops->parent[e->head], to = index_of(e, target);
    if (is_inside(e, e->head, to) || (around != CFG_NO_LOOP && !is_inside(e, around, to)))
        return false;
    for (uint32_t i = e->cfg->pred_start[e->head]; i < e->cfg->pred_start[e->head + 1]; i++) {
        uint32_t from = e->cfg->preds[i];
        if (is_inside(e, e->head, from) && !spv_dominates(e->cfg, e->exit, from))
            return false;
    }
    return true;
}

/* The phi that the value is, or that it is a constant more than; NULL: it is none of the loop's. */
static const struct spv_inst *phi_below(const struct ending *e, spv_id value, uint64_t *more)
{
    const struct spv_inst *def = spv_def(e->c->module, value);
    *more = 0;
    if (def->op == SpvOpIAdd && spv_const_value(e->c->module, def->words[1], more))
        def = spv_def(e->c->module, def->words[0]);
    else if (def->op == SpvOpIAdd && spv_const_value(e->c->module, def->words[0], more))
        def = spv_def(e->c->module, def->words[1]);
    return def->op == SpvOpPhi && def->num_words == 4 && def->block->index == e->head ? def : NULL;
}

/* What it is at first, and what each round adds. */
static bool counts(const struct ending *e, const struct spv_inst *phi, uint64_t *first, uint64_t *step)
{
    uint32_t again = is_inside(e, e->head, index_of(e, phi->words[1])) ? 0 : 2;
    return is_inside(e, e->head, index_of(e, phi->words[again + 1])) &&
           !is_inside(e, e->head, index_of(e, phi->words[3 - again])) &&
           spv_const_value(e->c->module, phi->words[2 - again], first) && phi_below(e, phi->words[again], step) == phi;
}

static bool holds(enum spv_relation relation, bool is_signed, uint32_t width, uint64_t a, uint64_t b)
{
    uint64_t bias = is_signed ? (uint64_t)1 << (width - 1) : 0, mask = UINT64_MAX >> (64 - width);
    a = (a ^ bias) & mask;
    b = (b ^ bias) & mask;
    switch (relation) {
    case SPV_RELATION_EQUAL:
        return a == b;
    case SPV_RELATION_UNEQUAL:
        return a != b;
    case SPV_RELATION_LESS:
        return a < b;
    case SPV_RELATION_LESS_EQUAL:
        return a <= b;
    case SPV_RELATION_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

/* Whether the test does not hold for long. stays: the loop goes on where it holds. */
static bool ends(const struct ending *e, const struct spv_inst *test, bool stays)
{
    const struct spv_module *module = e->c->module;
    enum spv_relation relation = spv_op_relation(test->op);
    uint64_t end, offset, first, step;
    if (spv_op_class(test->op) != SPV_CLASS_INT_COMPARISON || spv_type_count(module, test->type) != 1)
        return false;
    bool mirrored = spv_const_value(module, test->words[0], &end);
    if (!mirrored && !spv_const_value(module, test->words[1], &end))
        return false;
    relation = mirrored ? spv_relation_mirrored(relation) : relation;
    relation = stays ? relation : spv_relation_inverse(relation);
    const struct spv_inst *phi = phi_below(e, test->words[mirrored ? 1 : 0], &offset);
    if (!phi || !counts(e, phi, &first, &step))
        return false;
    uint32_t width = spv_type_width(module, phi->type), rounds = 0;
    for (uint64_t at = first; rounds < MOST_ROUNDS; rounds++, at += step) {
        if (!holds(relation, spv_op_is_signed(test->op), width, at + offset, end))
            return true;
    }
    return false;
}

/* The comparison of the look's result with 0, as far as the branch's condition has it beside a test; NULL: it has not. */
static struct spv_inst *result_in(const struct ending *e, const struct spv_inst *look, spv_id id)
{
    struct spv_inst *def = e->c->module->defs[id];
    if (def->op == SpvOpLogicalNot)
        def = e->c->module->defs[def->words[0]];
    bool compares = (def->op == SpvOpIEqual || def->op == SpvOpINotEqual) && def->block == look->block;
    return compares && (def->words[0] == look->id || def->words[1] == look->id) ? def : NULL;
}

static void note_if_it_ends(struct ending *e, struct spv_inst *look)
{
    struct spv_inst *end = spv_terminator(look->block);
    const struct spv_inst *both = end->op == SpvOpBranchConditional ? spv_def(e->c->module, end->words[0]) : NULL;
    if (!both || (both->op != SpvOpLogicalAnd && both->op != SpvOpLogicalOr))
        return;
    bool stays = both->op == SpvOpLogicalAnd;
    struct spv_inst *first = result_in(e, look, both->words[0]), *result = first;
    if (!first)
        result = result_in(e, look, both->words[1]);
    const struct spv_inst *test = spv_def(e->c->module, both->words[first ? 1 : 0]);
    e->exit = look->block->index;
    e->head = e->exit == SPV_UNREACHABLE ? CFG_NO_LOOP : e->loops->loop[e->exit];
    if (!result || !test->block || e->head == CFG_NO_LOOP || !leaves_this_alone(e, end->words[stays ? 2 : 1]) ||
        !is_inside(e, e->head, index_of(e, end->words[stays ? 1 : 2])) || !ends(e, test, stays))
        return;
    u64_map_set(e->c->module->arena, &e->c->ending, look->id, result);
}

void check_find_ending(struct checking *c, struct spv_function *function)
{
    struct spv_cfg cfg;
    struct cfg_loops loops;
    if (!(c->lower->watched & CLC_CHECK_LOOPS) || !function->first_block) /* an import has none */
        return;
    spv_cfg_compute(c->lower->arena, c->module, function, &cfg);
    cfg_find_loops(c->lower->arena, &cfg, &loops);
    struct ending ending = {.c = c, .cfg = &cfg, .loops = &loops};
    for (uint32_t i = 0; loops.reducible && i < cfg.count; i++) {
        spv_foreach_inst (inst, &cfg.blocks[i]->insts) {
            if (spv_is_private(inst, SPV_PRIVATE_CHECK_LOOP))
                note_if_it_ends(&ending, inst);
        }
    }
}

bool check_drop_look(struct checking *c, struct spv_inst *look)
{
    struct spv_inst *result = u64_map_get(&c->ending, look->id);
    if (!result)
        return false;
    spv_replace(c->module, &c->replacements, result->id, spv_const_bool(c->module, result->op == SpvOpINotEqual));
    spv_replace(c->module, &c->replacements, look->id, look->words[3]);
    spv_inst_remove(c->module, look);
    return true;
}
