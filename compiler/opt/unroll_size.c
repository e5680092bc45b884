/* How often loops run, and how large they are when written out.
 *
 * Where the exit compares a counter, the number of iterations comes from a division. Any other loop is run here: its
 * header's phis are evaluated with the constant folder until the exit is taken. Sizes are computed before anything is
 * copied: by products for nested loops, or iteration by iteration where an inner loop depends on an outer counter. */
#include "compiler/opt/unroll.h"

#include "compiler/opt/chain.h"
#include "compiler/spv/layout.h"

#include <string.h>

enum {
    MAX_TESTS = 100000, /* iterations looked at in a function and round */
    MAX_SUM = 4,        /* constants added to a counter */
};

/* ---- values ---- */

struct evaluation {
    struct unroll *unroll;
    uint32_t steps;
};

/* Whether def belongs to the loop that is being copied and has a value in this copy, outside of the loop whose size is
 * asked for. */
static bool is_copied(const struct unroll *u, const struct spv_inst *def)
{
    uint32_t block = def->block ? def->block->index : NO_BLOCK;
    return block < u->cfg.count && u->in_loop[block] && !contains(u, u->counting - 1, block) && def->user;
}

static bool phi_value(struct unroll *u, const struct spv_inst *phi, struct fold_scalar *value)
{
    uint32_t block = phi->block->index;
    u->outermost = block < u->outermost ? block : u->outermost;
    if (block >= u->cfg.count || !u->all[block] || !u->all[block]->is_running)
        return false;
    u->all[block]->is_asked = true;
    *value = u->all[block]->values[phi->user];
    return value->width != 0;
}

static bool evaluate(struct evaluation *e, spv_id id, uint32_t depth, struct fold_scalar *value)
{
    struct unroll *u = e->unroll;
    const struct spv_inst *def = spv_def(u->module, id);
    if (u->counting && def && is_copied(u, def))
        def = spv_def(u->module, def->user);
    if (!def || !def->type)
        return false;
    if (!def->block)
        return spv_const_value(u->module, def->id, &value->bits) && fold_scalar_type(u->module, def->type, value);
    if (depth == MAX_DEPTH || e->steps++ == MAX_EVALUATIONS)
        return false;
    if (def->op == SpvOpPhi)
        return phi_value(u, def, value);
    if (def->op == SpvOpCopyObject)
        return evaluate(e, def->words[0], depth + 1, value);
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

static bool value_of(struct unroll *u, spv_id id, struct fold_scalar *value)
{
    struct evaluation e = {u, 0};
    return evaluate(&e, id, 0, value);
}

/* ---- which phis count ---- */

struct marking {
    struct unroll *unroll;
    VEC(struct spv_inst *) pending;
};

static void mark(struct marking *m, spv_id id)
{
    struct spv_inst *def = spv_def(m->unroll->module, id);
    if (!def || !def->block || def->flags & COUNTS)
        return;
    def->flags |= COUNTS;
    vec_push(m->unroll->arena, &m->pending, def);
}

void unroll_mark_counts(struct unroll *u)
{
    struct marking m = {.unroll = u};
    for (uint32_t i = 0; i < u->cfg.count; i++) {
        if (u->all[i] && u->all[i]->can_unroll)
            mark(&m, terminator_of(u, u->all[i]->exit)->words[0]);
    }
    while (m.pending.length) {
        const struct spv_inst *inst = vec_pop(&m.pending);
        uint32_t block = inst->block->index;
        if (inst->op == SpvOpPhi) {
            for (int side = 0; side < 2 && block < u->cfg.count && u->all[block] && u->all[block]->can_unroll; side++)
                mark(&m, unroll_incoming(u, inst, u->all[block], side));
        } else if (spv_op_is_pure(inst->op) && inst->num_words <= 3) {
            for (uint32_t i = 0; i < inst->num_words; i++)
                mark(&m, inst->words[i]);
        }
    }
}

/* ---- running ---- */

/* Evaluates the header's phis that matter for the number of iterations, for the first iteration or the next one. A phi
 * without a known value gets width 0. */
static void step(struct unroll *u, uint32_t header, bool first)
{
    struct loop *loop = u->all[header];
    uint32_t count = 0, i = 0;
    spv_foreach_inst (phi, &u->cfg.blocks[header]->insts) {
        if (phi->op != SpvOpPhi)
            break;
        if (first)
            phi->user = count;
        count++;
    }
    if (!loop->values)
        loop->values = arena_array(u->arena, struct fold_scalar, 2 * count);
    struct fold_scalar *now = loop->values, *next = loop->values + count;
    spv_foreach_inst (phi, &u->cfg.blocks[header]->insts) {
        if (i == count)
            break;
        if (!(phi->flags & COUNTS) || (!first && !now[i].width) ||
            !value_of(u, unroll_incoming(u, phi, loop, !first), &next[i]))
            next[i].width = 0;
        i++;
    }
    if (count)
        memcpy(now, next, count * sizeof(*now));
    loop->is_running = true;
}

/* Evaluates the exit's test. 1: the loop goes on, 0: it is left, -1: unknown */
static int test(struct unroll *u, uint32_t header)
{
    struct loop *loop = u->all[header];
    const struct spv_inst *end = terminator_of(u, loop->exit);
    struct fold_scalar condition;
    if (!value_of(u, end->words[0], &condition))
        return -1;
    return end->words[condition.bits ? 1 : 2] == loop->stay;
}

static uint32_t count_by_running(struct unroll *u, uint32_t header)
{
    uint32_t count = 0;
    int stays = 1;
    step(u, header, true);
    for (; count <= MAX_ITERATIONS && u->tests++ < MAX_TESTS; step(u, header, false)) {
        stays = test(u, header);
        if (stays != 1)
            break;
        count++;
    }
    u->all[header]->is_running = false;
    return stays == 0 ? count : UINT32_MAX;
}

/* ---- counters ---- */

/* How far a step of a pointer by a constant number of elements leads; false where inst is none. */
static bool find_distance(const struct unroll *u, const struct spv_inst *inst, uint64_t *distance)
{
    int64_t index;
    bool by_element = spv_op_is_chain(inst->op) && spv_op_is_by_element(inst->op) && inst->num_words == 2;
    if (!by_element || !chain_constant(u->module, inst->words[1], &index))
        return false;
    struct spv_layouts layouts = {.module = u->module, .arena = u->arena};
    *distance = spv_layout_of(&layouts, spv_pointer_pointee(u->module, inst->type))->size * (uint64_t)index;
    return true;
}

/* Whether phi may be a counter: a number, or a pointer to global memory, which is compared as a number. */
static bool may_count(const struct unroll *u, const struct spv_inst *phi)
{
    return spv_type_op(u->module, phi->type) == SpvOpTypeInt ||
           (spv_type_is_pointer(u->module, phi->type) &&
            spv_pointer_storage(u->module, phi->type) == SpvStorageClassCrossWorkgroup);
}

/* The phi of the header that id is equal to, but for added constants. */
static const struct spv_inst *find_phi(const struct unroll *u, uint32_t header, spv_id id, uint64_t *offset)
{
    *offset = 0;
    for (uint32_t i = 0; i <= MAX_SUM; i++) {
        const struct spv_inst *def = spv_def(u->module, id);
        uint64_t bits;
        if (!def || !def->block)
            return NULL;
        if (def->op == SpvOpPhi)
            return def->block->index == header && may_count(u, def) ? def : NULL;
        if ((def->op == SpvOpIAdd || def->op == SpvOpISub) && spv_const_value(u->module, def->words[1], &bits)) {
            *offset += def->op == SpvOpIAdd ? bits : -bits;
            id = def->words[0];
        } else if (def->op == SpvOpIAdd && spv_const_value(u->module, def->words[0], &bits)) {
            *offset += bits;
            id = def->words[1];
        } else if ((def->op == SpvOpConvertPtrToU && spv_type_width(u->module, def->type) == 64) ||
                   (def->op == SpvOpBitcast && spv_type_is_pointer(u->module, def->type))) {
            id = def->words[0];
        } else if (find_distance(u, def, &bits)) {
            *offset += bits;
            id = def->words[0];
        } else {
            return NULL;
        }
    }
    return NULL;
}

bool unroll_find_counter(const struct unroll *u, uint32_t header, struct counter *counter)
{
    const struct loop *loop = u->all[header];
    const struct spv_inst *end = terminator_of(u, loop->exit), *test = spv_def(u->module, end->words[0]);
    bool stays = end->words[1] == loop->stay;
    for (; test && test->block && test->op == SpvOpLogicalNot; stays = !stays)
        test = spv_def(u->module, test->words[0]);
    if (!test || !test->block || spv_op_class(test->op) != SPV_CLASS_INT_COMPARISON)
        return false;
    counter->relation = spv_op_relation(test->op);
    counter->is_signed = spv_op_is_signed(test->op);
    counter->phi = find_phi(u, header, test->words[0], &counter->offset);
    counter->end = test->words[1];
    if (!counter->phi) {
        counter->phi = find_phi(u, header, test->words[1], &counter->offset);
        counter->end = test->words[0];
        counter->relation = spv_relation_mirrored(counter->relation);
    }
    counter->relation = stays ? counter->relation : spv_relation_inverse(counter->relation);
    return counter->phi &&
           find_phi(u, header, unroll_incoming(u, counter->phi, loop, true), &counter->step) == counter->phi;
}

/* The least count for which first + count * step is end, modulo 2 to the width; UINT64_MAX: there is none. */
static uint64_t steps_to(uint64_t first, uint64_t step, uint64_t end, uint64_t mask)
{
    uint64_t distance = (end - first) & mask, inverse = 1;
    step &= mask;
    if (!distance || !step)
        return distance ? UINT64_MAX : 0;
    uint32_t zeros = (uint32_t)__builtin_ctzll(step);
    if (distance & (((uint64_t)1 << zeros) - 1))
        return UINT64_MAX;
    step >>= zeros;
    for (int i = 0; i < 6; i++) /* each time with twice as many bits right */
        inverse *= 2 - step * inverse;
    return (distance >> zeros) * inverse & mask >> zeros;
}

/* How many steps of that size lead into a gap that begins after distance numbers; false where a step leads over the
 * gap. */
static bool steps_into(uint64_t distance, uint64_t size, uint64_t gap, uint64_t *count)
{
    *count = (distance - 1) / size + 1;
    return size - 1 - (distance - 1) % size < gap;
}

bool unroll_count(const struct counter *counter, uint32_t width, uint64_t first, uint64_t end, uint64_t *count)
{
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, step = counter->step & mask;
    uint64_t bias = counter->is_signed ? (uint64_t)1 << (width - 1) : 0;
    first = (first + counter->offset + bias) & mask;
    end = (end + bias) & mask;
    uint64_t low = 0, high = mask; /* it stays between them */
    *count = 0;
    switch (counter->relation) {
    case SPV_RELATION_UNEQUAL:
        *count = steps_to(first, step, end, mask);
        return true;
    case SPV_RELATION_EQUAL:
        low = high = end;
        break;
    case SPV_RELATION_LESS:
        if (!end)
            return true;
        high = end - 1;
        break;
    case SPV_RELATION_LESS_EQUAL:
        high = end;
        break;
    case SPV_RELATION_GREATER:
        if (end == mask)
            return true;
        low = end + 1;
        break;
    default: /* greater or equal */
        low = end;
        break;
    }
    if (first < low || first > high)
        return true;
    *count = UINT64_MAX;
    if (!step || (!low && high == mask))
        return true;
    uint64_t gap = mask - (high - low); /* numbers with which it leaves */
    return steps_into(high - first + 1, step, gap, count) || steps_into(first - low + 1, (-step) & mask, gap, count);
}

bool unroll_divide(struct unroll *u, uint32_t header, uint64_t *count)
{
    struct loop *loop = u->all[header];
    struct fold_scalar first, end;
    if (!loop->counter_known) {
        loop->has_counter = unroll_find_counter(u, header, &loop->counter);
        loop->counter_known = true;
    }
    const struct counter *counter = &loop->counter;
    return loop->has_counter && spv_type_is_int(u->module, counter->phi->type) &&
           value_of(u, unroll_incoming(u, counter->phi, loop, false), &first) && value_of(u, counter->end, &end) &&
           first.width == end.width && unroll_count(counter, first.width, first.bits, end.bits, count);
}

/* How often the loop runs with the present values of outer loops; UINT32_MAX: unknown, or too often. */
static uint32_t count_now(struct unroll *u, uint32_t header)
{
    uint64_t count;
    if (unroll_divide(u, header, &count))
        return count <= MAX_ITERATIONS ? (uint32_t)count : UINT32_MAX;
    return count_by_running(u, header);
}

/* ---- sizes ---- */

/* Counts the loop by itself, once. */
static void count_iterations(struct unroll *u, uint32_t header)
{
    struct loop *loop = u->all[header];
    /* A known number stays true. An unknown one is computed again after something was written out, which may make it
     * known. */
    if (loop->is_counted && (loop->count != UINT32_MAX || loop->counted_when == u->copied))
        return;
    u->outermost = UINT32_MAX;
    loop->count = count_now(u, header);
    loop->is_free = u->outermost >= header;
    loop->is_counted = true;
    loop->counted_when = u->copied;
}

/* Whether the sizes of the loop and of those inside depend on no outer counter; then *size is the loop's, UINT64_MAX if
 * unknown. */
static bool free_size(struct unroll *u, uint32_t header, uint32_t limit, uint64_t *size)
{
    struct loop *loop = u->all[header];
    uint64_t each = loop->size, last = loop->last_size;
    count_iterations(u, header);
    for (uint32_t i = 0; i < loop->num_inner && loop->is_free; i++) {
        uint32_t inner = u->inner[loop->first_inner + i];
        uint64_t inner_size = UINT64_MAX;
        if (u->all[inner]->wanted && u->all[inner]->can_unroll && !free_size(u, inner, limit, &inner_size))
            return false;
        inner_size = inner_size <= limit ? inner_size : u->all[inner]->full_size;
        each += inner_size;
        last += is_behind_exit(u, loop, inner) ? 0 : inner_size;
    }
    *size = loop->count == UINT32_MAX ? UINT64_MAX : loop->count * each + last;
    return loop->is_free;
}

/* The sizes of the loops directly inside, in this iteration: of all, and of those that run in the last iteration as
 * well. */
struct inside {
    uint64_t all, in_last;
};

static struct inside size_inside(struct unroll *u, const struct loop *loop, uint32_t limit, bool last)
{
    struct inside size = {0, 0};
    for (uint32_t i = 0; i < loop->num_inner; i++) {
        uint32_t inner = u->inner[loop->first_inner + i], ignored;
        bool behind = is_behind_exit(u, loop, inner);
        if (last && behind)
            continue;
        uint32_t inner_size = u->all[inner]->wanted ? unroll_size(u, inner, limit, &ignored) : UINT32_MAX;
        uint64_t taken = inner_size < UINT32_MAX ? inner_size : u->all[inner]->full_size;
        size.all += taken;
        size.in_last += behind ? 0 : taken;
    }
    return size;
}

/* The size of a loop with an inner loop that depends on its counter, as a sum over all iterations. */
static uint32_t size_by_running(struct unroll *u, uint32_t header, uint32_t limit, uint32_t *iterations)
{
    struct loop *loop = u->all[header];
    uint64_t size = 0;
    *iterations = count_now(u, header);
    if (*iterations == UINT32_MAX)
        return UINT32_MAX;
    u->depth++;
    step(u, header, true);
    for (uint32_t i = 0; i <= *iterations && size <= limit; i++) {
        bool last = i == *iterations;
        loop->is_asked = false;
        struct inside inside = size_inside(u, loop, limit, last);
        if (!loop->is_asked) { /* it is the same in each iteration */
            size += (*iterations - i) * (loop->size + inside.all) + loop->last_size + inside.in_last;
            break;
        }
        size += last ? loop->last_size + inside.in_last : loop->size + inside.all;
        if (u->tests++ >= MAX_TESTS)
            size = UINT64_MAX;
        else if (!last)
            step(u, header, false);
    }
    loop->is_running = false;
    u->depth--;
    return size <= limit ? (uint32_t)size : UINT32_MAX;
}

uint32_t unroll_size(struct unroll *u, uint32_t header, uint32_t limit, uint32_t *iterations)
{
    struct loop *loop = u->all[header];
    struct run *run = &loop->run;
    uint64_t size;
    *iterations = 0;
    if (!loop->can_unroll)
        return UINT32_MAX;
    if (u->counting)
        return size_by_running(u, header, limit, iterations);
    if (!free_size(u, header, limit, &size)) {
        if (u->depth)
            return size_by_running(u, header, limit, iterations);
        if (run->limit != limit || run->wanted != loop->changes_inside ||
            (run->size == UINT32_MAX && run->copied != u->copied)) {
            *run = (struct run){.limit = limit, .wanted = loop->changes_inside, .copied = u->copied};
            run->size = size_by_running(u, header, limit, &run->iterations);
        }
        *iterations = run->iterations;
        return run->size;
    }
    *iterations = loop->count;
    return size <= limit ? (uint32_t)size : UINT32_MAX;
}

uint32_t unroll_size_inside(struct unroll *u, uint32_t header, uint32_t *iterations)
{
    u->counting = header + 1;
    uint32_t size = size_by_running(u, header, MAX_SIZE, iterations);
    u->counting = 0;
    return size;
}
