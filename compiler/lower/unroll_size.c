/* How often loops run, and how large they are written out.
 *
 * How often a loop runs is found by running it: the phis of its header are evaluated with the constant folder until the
 * exit is taken. Sizes are known before anything is copied, by the same walk over nested loops. */
#include "compiler/lower/unroll.h"

enum {
    MAX_ITERATIONS = 1024,
    MAX_TESTS = 100000, /* iterations looked at in a function and round */
};

/* ---- running ---- */

struct evaluation {
    struct unroll *unroll;
    uint32_t steps;
};

static bool evaluate(struct evaluation *e, spv_id id, uint32_t depth, struct fold_scalar *value)
{
    struct unroll *u = e->unroll;
    id = spv_replaced(&u->replacements, id);
    const struct spv_inst *def = spv_def(u->module, id);
    if (!def || !def->type)
        return false;
    if (!def->block)
        return spv_const_value(u->module, id, &value->bits) && fold_scalar_type(u->module, def->type, value);
    if (depth == MAX_DEPTH || e->steps++ == MAX_EVALUATIONS)
        return false;
    if (def->op == SpvOpPhi) {
        uint32_t block = def->block->index;
        u->outermost = block < u->outermost ? block : u->outermost;
        if (block >= u->cfg.count || !u->running[block] || !def->user)
            return false;
        *value = u->values.data[def->user - 1];
        return true;
    }
    if (def->op == SpvOpSelect)
        return evaluate(e, def->words[0], depth + 1, value) && value->width == 1 &&
               evaluate(e, def->words[value->bits ? 1 : 2], depth + 1, value);
    if (!spv_op_is_pure(def->op) || !def->num_words || def->num_words > 2)
        return false;
    struct fold_scalar operands[2];
    for (uint32_t i = 0; i < def->num_words; i++) {
        if (!evaluate(e, def->words[i], depth + 1, &operands[i]))
            return false;
    }
    return fold_scalars(u->module, def, operands, value);
}

/* Gives the phis of the header their values (0: none) for the first iteration or for the next one; all of them, or
 * those that decide how often the loop runs. */
static void step(struct unroll *u, uint32_t header, bool first, bool all)
{
    VEC(struct fold_scalar) values = {0};
    uint32_t next = 0;
    struct arena_mark mark = spv_scratch_begin(u->module);
    spv_foreach_inst (phi, &u->cfg.blocks[header]->insts) {
        struct evaluation e = {u, 0};
        struct fold_scalar value = {0};
        if (phi->op != SpvOpPhi)
            break;
        if ((first || phi->user) && (all || phi->flags & DECIDES) &&
            !evaluate(&e, unroll_incoming(u, phi, &u->all[header], !first), 0, &value))
            value.width = 0;
        vec_push(spv_scratch(u->module), &values, value);
    }
    spv_foreach_inst (inst, &u->cfg.blocks[header]->insts) {
        struct fold_scalar value;
        if (inst->op != SpvOpPhi)
            break;
        value = values.data[next++];
        if (first && value.width) {
            vec_push(u->arena, &u->values, value);
            inst->user = u->values.length;
        } else if (value.width) {
            u->values.data[inst->user - 1] = value;
        } else {
            inst->user = 0;
        }
    }
    spv_scratch_end(u->module, mark);
    u->running[header] = true;
}

/* 1: stays, 0: leaves, -1: unknown */
static int test(struct unroll *u, uint32_t header)
{
    struct loop *loop = &u->all[header];
    const struct spv_inst *end = terminator_of(u, loop->exit);
    struct evaluation e = {u, 0};
    struct fold_scalar condition;
    if (!evaluate(&e, end->words[0], 0, &condition))
        return -1;
    return end->words[condition.bits ? 1 : 2] == loop->stay;
}

/* Marks the header's phis that a value hangs on. */
static void mark_deciding(struct evaluation *e, uint32_t header, spv_id id, uint32_t depth)
{
    struct unroll *u = e->unroll;
    struct spv_inst *def = spv_def(u->module, spv_replaced(&u->replacements, id));
    if (!def || !def->block || def->flags & DECIDES || depth == MAX_DEPTH || e->steps++ == MAX_EVALUATIONS)
        return;
    if (def->op == SpvOpPhi && def->block->index == header) {
        def->flags |= DECIDES;
        mark_deciding(e, header, unroll_incoming(u, def, &u->all[header], true), depth + 1);
    } else if (def->op != SpvOpPhi && spv_op_is_pure(def->op) && def->num_words <= 3) {
        for (uint32_t i = 0; i < def->num_words; i++)
            mark_deciding(e, header, def->words[i], depth + 1);
    }
}

/* Runs the loop by itself, once. */
static void count_iterations(struct unroll *u, uint32_t header)
{
    struct loop *loop = &u->all[header];
    int stays = 1;
    /* what was found once stays true; what was unknown may be known by what has been written out since */
    if (loop->is_counted && (loop->count != UINT32_MAX || loop->counted_when == u->copied))
        return;
    struct evaluation marking = {u, 0};
    mark_deciding(&marking, header, terminator_of(u, loop->exit)->words[0], 0);
    loop->count = 0;
    u->outermost = UINT32_MAX;
    step(u, header, true, false);
    for (; loop->count <= MAX_ITERATIONS && u->tests++ < MAX_TESTS; step(u, header, false, false)) {
        stays = test(u, header);
        if (stays != 1)
            break;
        loop->count++;
    }
    u->running[header] = false;
    spv_foreach_inst (phi, &u->cfg.blocks[header]->insts)
        phi->flags &= ~DECIDES;
    loop->count = stays == 0 ? loop->count : UINT32_MAX;
    loop->is_free = u->outermost >= header;
    loop->is_counted = true;
    loop->counted_when = u->copied;
}

/* Whether the sizes of the loop and of those inside hang on no counter; then *size is it, or UINT64_MAX if unknown. */
static bool free_size(struct unroll *u, uint32_t header, uint32_t limit, uint64_t *size)
{
    struct loop *loop = &u->all[header];
    uint64_t each = loop->size, last = loop->last_size;
    count_iterations(u, header);
    for (uint32_t i = 0; i < loop->num_inner && loop->is_free; i++) {
        uint32_t inner = u->inner[loop->first_inner + i];
        uint64_t inner_size = UINT64_MAX;
        if (u->all[inner].wanted && u->all[inner].can_unroll && !free_size(u, inner, limit, &inner_size))
            return false;
        inner_size = inner_size <= limit ? inner_size : u->all[inner].full_size;
        each += inner_size;
        last += is_behind_exit(u, loop, inner) ? 0 : inner_size;
    }
    *size = loop->count == UINT32_MAX ? UINT64_MAX : loop->count * each + last;
    return loop->is_free;
}

/* The sum over all iterations of a loop inside of which one hangs on its counter, or of one that does so. */
static uint32_t size_by_running(struct unroll *u, uint32_t header, uint32_t limit, uint32_t *iterations)
{
    struct loop *loop = &u->all[header];
    uint64_t size = 0;
    int stays = 1;
    u->depth++;
    step(u, header, true, true);
    for (; size <= limit && *iterations <= MAX_ITERATIONS && u->tests++ < MAX_TESTS; step(u, header, false, true)) {
        stays = test(u, header);
        size += stays == 1 ? loop->size : loop->last_size;
        for (uint32_t i = 0; i < loop->num_inner; i++) {
            uint32_t inner = u->inner[loop->first_inner + i], ignored;
            if (stays != 1 && is_behind_exit(u, loop, inner))
                continue;
            uint32_t inner_size = u->all[inner].wanted ? unroll_size(u, inner, limit, &ignored) : UINT32_MAX;
            size += inner_size < UINT32_MAX ? inner_size : u->all[inner].full_size;
        }
        if (stays != 1)
            break;
        ++*iterations;
    }
    u->running[header] = false;
    u->depth--;
    return stays == 0 && size <= limit ? (uint32_t)size : UINT32_MAX;
}

uint32_t unroll_size(struct unroll *u, uint32_t header, uint32_t limit, uint32_t *iterations)
{
    uint64_t size;
    *iterations = 0;
    if (!u->all[header].can_unroll)
        return UINT32_MAX;
    if (!free_size(u, header, limit, &size)) {
        struct run *run = &u->all[header].run;
        if (u->depth)
            return size_by_running(u, header, limit, iterations);
        if (run->limit != limit || run->wanted != u->wanted || (run->size == UINT32_MAX && run->copied != u->copied)) {
            *run = (struct run){.limit = limit, .wanted = u->wanted, .copied = u->copied};
            run->size = size_by_running(u, header, limit, &run->iterations);
        }
        *iterations = run->iterations;
        return run->size;
    }
    *iterations = u->all[header].count;
    return size <= limit ? (uint32_t)size : UINT32_MAX;
}
