/* Several iterations of a loop at once, for as long as there are so many left; the rest run one by one. Their number is
 * what the program asks for. Short loops over memory take four without being asked: those whose end is not known, and
 * those whose end is known if they load neighbours (see loads.c). Loops over local memory do so only where four loads
 * become one vector (see lower/memory/wide.c), since drivers do well with the others:
 *
 *     for (; i < n; i++) f(i);  =>  for (; i < n - 3; i += 4) { f(i); f(i + 1)... } for (; i < n; i++) f(i);
 */
#include "compiler/opt/unroll.h"

#include "compiler/opt/chain.h"
#include "compiler/opt/opt.h"

enum {
    MAX_COUNTED_SIZE = 40, /* of a loop that is done several iterations at once */
    COUNTED_FACTOR = 4,
    COUNTED_ZEROS = 2, /* how many low bits are zero in a multiple of COUNTED_FACTOR */
    MAX_STEP = 1 << 20,
    MAX_SUM = 4, /* sums in an index */
};

/* ---- by a factor that the program asks for ---- */

bool unroll_in_part(struct unroll *u, uint32_t header)
{
    const struct loop *loop = u->all[header];
    uint32_t iterations, factor = loop->can_unroll ? spv_merge_inst(u->cfg.blocks[header])->hints.unroll : 0;
    if (factor < 2 || loop->exit == loop->latch || unroll_continues_inside(u, header) ||
        factor * loop->full_size > MAX_SIZE || u->total + factor * loop->full_size > MAX_FUNCTION)
        return false;
    if (unroll_size(u, header, UINT32_MAX - 1, &iterations) == UINT32_MAX || !iterations)
        return false;
    if (iterations > factor && iterations % factor)
        return false;
    u->total += (uint32_t)(factor * loop->full_size);
    u->copied++;
    if (iterations <= factor)
        unroll_loop(u, header, iterations, 0);
    else
        unroll_by(u, header, factor);
    return true;
}

/* ---- counted loops ---- */

/* for (; i < n; i += s): what is needed to do several iterations after one test. */
struct counted {
    const struct spv_inst *test, *counter;
    spv_id step, end;
    bool is_signed;
};

static bool is_outside(const struct unroll *u, uint32_t header, spv_id id)
{
    const struct spv_inst *def = spv_def(u->module, id);
    return def && (!def->block || (def->block->index < u->cfg.count && !contains(u, header, def->block->index)));
}

/* Whether index is the counter plus something, not scaled. */
static bool follows(const struct unroll *u, spv_id index, spv_id counter, uint32_t depth)
{
    const struct spv_inst *def = spv_def(u->module, index);
    if (index == counter || !def->block || depth == MAX_SUM)
        return index == counter;
    if (def->op == SpvOpIAdd)
        return follows(u, def->words[0], counter, depth + 1) || follows(u, def->words[1], counter, depth + 1);
    return spv_op_is_resize(def->op) && follows(u, def->words[0], counter, depth + 1);
}

/* Whether everything that the index adds to the counter is a multiple of COUNTED_FACTOR. */
static bool follows_aligned(const struct unroll *u, spv_id index, spv_id counter, uint32_t depth)
{
    const struct spv_inst *def = spv_def(u->module, index);
    if (index == counter || !def->block || depth == MAX_SUM)
        return index == counter;
    if (spv_op_is_resize(def->op))
        return follows_aligned(u, def->words[0], counter, depth + 1);
    for (uint32_t i = 0; i < 2 && def->op == SpvOpIAdd; i++) {
        if (opt_zeros_below(u->module, def->words[i]) >= COUNTED_ZEROS)
            return follows_aligned(u, def->words[!i], counter, depth + 1);
    }
    return false;
}

static bool is_local(const struct unroll *u, spv_id pointer)
{
    spv_id type = spv_value_type(u->module, pointer); /* a cast may begin with a number */
    return spv_type_is_pointer(u->module, type) && spv_pointer_storage(u->module, type) == SpvStorageClassWorkgroup;
}

/* Whether a pointer leads to the beginning of a whole variable. */
static bool begins_variable(const struct unroll *u, spv_id pointer)
{
    const struct spv_inst *def = spv_def(u->module, pointer);
    while (def->block && (spv_op_is_chain(def->op) || def->op == SpvOpBitcast) && is_local(u, def->words[0])) {
        for (uint32_t i = 1; i < def->num_words; i++) {
            int64_t index;
            if (!chain_constant(u->module, def->words[i], &index) || index)
                return false;
        }
        def = spv_def(u->module, def->words[0]);
    }
    return def->op == SpvOpVariable;
}

/* Whether a chain leads to an element of a local array of 32-bit numbers, so that the elements of COUNTED_FACTOR
 * iterations are a vector that is aligned. */
static bool walks_local_vectors(const struct unroll *u, const struct spv_inst *chain, spv_id counter)
{
    spv_id type = spv_pointer_pointee(u->module, chain->type);
    uint64_t row = 0;
    if (!begins_variable(u, chain->words[0]) || spv_type_is_vector(u->module, type) ||
        spv_type_width(u->module, type) != 32 || chain->num_words > 4 ||
        !follows_aligned(u, chain->words[chain->num_words - 1], counter, 0))
        return false;
    spv_id object = spv_pointer_pointee(u->module, spv_value_type(u->module, chain->words[0]));
    for (uint32_t i = spv_op_is_by_element(chain->op) ? 2 : 1; i < chain->num_words; i++) {
        const struct spv_inst *array = spv_def(u->module, object);
        if (array->op != SpvOpTypeArray || !spv_const_value(u->module, array->words[1], &row))
            return false;
        object = array->words[0];
    }
    return object == type && row % COUNTED_FACTOR == 0;
}

/* Whether inst loads what neighbours in the next iteration: elements of up to 8 bytes. */
static bool loads_neighbour(const struct unroll *u, const struct spv_inst *inst, spv_id counter)
{
    const struct spv_inst *chain = inst->op == SpvOpLoad ? spv_def(u->module, inst->words[0]) : NULL;
    bool number = chain && (spv_type_is_int(u->module, inst->type) || spv_type_is_float(u->module, inst->type));
    if (!number || !chain->block || !spv_op_is_chain(chain->op) ||
        spv_type_count(u->module, inst->type) * spv_type_width(u->module, inst->type) > 64)
        return false;
    return is_local(u, chain->id) ? walks_local_vectors(u, chain, counter)
                                  : follows(u, chain->words[chain->num_words - 1], counter, 0);
}

static bool loads_neighbours(const struct unroll *u, uint32_t header, spv_id counter)
{
    const struct loop *loop = u->all[header];
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        spv_foreach_inst (inst, &u->cfg.blocks[u->members[loop->first_block + i]]->insts) {
            if (loads_neighbour(u, inst, counter))
                return true;
        }
    }
    return false;
}

static bool find_counter(const struct unroll *u, uint32_t header, struct counted *counted)
{
    const struct loop *loop = u->all[header];
    const struct spv_inst *end = terminator_of(u, loop->exit);
    const struct spv_inst *test = spv_def(u->module, end->words[0]);
    bool less = test && test->block && (test->op == SpvOpSLessThan || test->op == SpvOpULessThan);
    if (!less || end->words[1] != loop->stay || !is_outside(u, header, test->words[1]))
        return false;
    const struct spv_inst *counter = spv_def(u->module, test->words[0]);
    if (!counter || counter->op != SpvOpPhi || !counter->block || counter->block->index != header ||
        spv_type_is_vector(u->module, counter->type) || spv_type_width(u->module, counter->type) < 32)
        return false;
    const struct spv_inst *next = spv_def(u->module, unroll_incoming(u, counter, loop, true));
    if (!next || next->op != SpvOpIAdd || !next->block)
        return false;
    uint32_t which = next->words[0] == counter->id ? 1 : 0;
    *counted = (struct counted){test, counter, next->words[which], test->words[1], test->op == SpvOpSLessThan};
    if (next->words[1 - which] != counter->id || !is_outside(u, header, counted->step))
        return false;
    uint64_t step, end_bits;
    bool known = spv_const_value(u->module, counted->step, &step);
    /* drivers unroll loops with a constant end themselves, but they do not make vectors of neighbours */
    if (spv_const_value(u->module, counted->end, &end_bits) && !loads_neighbours(u, header, counter->id))
        return false;
    return known ? step > 0 && step <= MAX_STEP : !counted->is_signed;
}

static bool has_barrier(const struct unroll *u, uint32_t header)
{
    const struct loop *loop = u->all[header];
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        spv_foreach_inst (inst, &u->cfg.blocks[u->members[loop->first_block + i]]->insts) {
            if (inst->op == SpvOpControlBarrier || inst->op == SpvOpFunctionCall)
                return true;
        }
    }
    return false;
}

/* Whether the counter steps by one from a multiple of COUNTED_FACTOR. */
static bool counts_aligned(const struct unroll *u, uint32_t header, const struct counted *counted)
{
    uint64_t step;
    return spv_const_value(u->module, counted->step, &step) && step == 1 &&
           opt_zeros_below(u->module, unroll_incoming(u, counted->counter, u->all[header], false)) >= COUNTED_ZEROS;
}

/* Whether the loop is straight code that reads global memory, or vectors of local memory that it does not write, and
 * little of it. */
static bool is_worth_it(const struct unroll *u, uint32_t header, const struct counted *counted)
{
    const struct loop *loop = u->all[header];
    bool memory = false, local = false, writes = false;
    if (loop->num_inner || loop->size > MAX_COUNTED_SIZE || has_barrier(u, header))
        return false;
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        const struct spv_block *block = u->cfg.blocks[u->members[loop->first_block + i]];
        const struct spv_inst *merge = spv_merge_inst(block);
        if (merge && merge->op == SpvOpSelectionMerge)
            return false;
        spv_foreach_inst (inst, &block->insts) {
            uint32_t storage = inst->op == SpvOpLoad
                                   ? spv_pointer_storage(u->module, spv_value_type(u->module, inst->words[0]))
                                   : SpvStorageClassFunction;
            memory |= storage != SpvStorageClassFunction && storage != SpvStorageClassWorkgroup &&
                      storage != SpvStorageClassInput;
            local |= storage == SpvStorageClassWorkgroup && loads_neighbour(u, inst, counted->counter->id);
            writes |= inst->op == SpvOpStore ? is_local(u, inst->words[0]) : spv_op_is_atomic(inst->op);
        }
    }
    return memory || (local && !writes && counts_aligned(u, header, counted));
}

/* Emits limit = end - (factor - 1) * step, or the least value where that would wrap below it. While i < limit, the
 * counter stays below its end for the next factor iterations. */
static spv_id emit_limit(struct unroll *u, struct spv_builder *b, const struct counted *counted, uint32_t factor)
{
    spv_id type = counted->counter->type, bool_type = spv_type_bool(u->module), far;
    uint32_t width = spv_type_width(u->module, type);
    uint64_t step, least = counted->is_signed ? (uint64_t)1 << (width - 1) : 0;
    spv_id lowest = spv_const_bits(u->module, type, least), good;
    if (spv_const_value(u->module, counted->step, &step)) {
        uint64_t distance = step * (factor - 1);
        far = spv_const_bits(u->module, type, distance);
        good = counted->is_signed ? spv_emitv(b, SpvOpSGreaterThanEqual, bool_type, counted->end,
                                              spv_const_bits(u->module, type, least + distance))
                                  : spv_emitv(b, SpvOpUGreaterThanEqual, bool_type, counted->end, far);
    } else {
        uint64_t most = (width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1) / factor;
        far = spv_emitv(b, SpvOpIMul, type, counted->step, spv_const_bits(u->module, type, factor - 1));
        spv_id fits =
            spv_emitv(b, SpvOpULessThanEqual, bool_type, counted->step, spv_const_bits(u->module, type, most));
        good = spv_emitv(b, SpvOpUGreaterThanEqual, bool_type, counted->end, far);
        good = spv_emitv(b, SpvOpLogicalAnd, bool_type, good, fits);
    }
    spv_id limit = spv_emitv(b, SpvOpISub, type, counted->end, far);
    return spv_emitv(b, SpvOpSelect, type, good, limit, lowest);
}

/* Whether the loop runs a known number of times that factor divides, so that no iterations are left over. */
static bool divides(const struct unroll *u, uint32_t header, const struct counted *counted, uint32_t factor)
{
    uint64_t first, step, end;
    spv_id start = unroll_incoming(u, counted->counter, u->all[header], false);
    if (!spv_const_value(u->module, start, &first) || !spv_const_value(u->module, counted->step, &step) ||
        !spv_const_value(u->module, counted->end, &end))
        return false;
    /* both of them small and not negative */
    return first < end && end <= INT32_MAX && (end - first) % (step * factor) == 0;
}

bool unroll_counted(struct unroll *u, uint32_t header)
{
    struct loop *loop = u->all[header];
    struct counted counted;
    const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
    if (!loop->can_unroll || loop->exit == loop->latch || unroll_continues_inside(u, header) ||
        !find_counter(u, header, &counted) || !is_worth_it(u, header, &counted))
        return false;
    uint32_t factor = merge->hints.unroll > 1 && merge->hints.unroll <= 16 ? merge->hints.unroll : COUNTED_FACTOR;
    uint32_t first = u->cfg.preds[u->cfg.pred_start[header]], second = u->cfg.preds[u->cfg.pred_start[header] + 1];
    struct spv_block *outside = u->cfg.blocks[first == loop->latch ? second : first];
    if (u->total + factor * loop->size > MAX_FUNCTION)
        return false;
    u->total += factor * loop->size;
    u->copied++;
    if (divides(u, header, &counted, factor)) {
        unroll_by(u, header, factor);
        return true;
    }
    struct spv_inst *end = spv_merge_inst(outside);
    struct spv_builder b = {u->module, u->function, outside, end ? end : spv_terminator(outside)};
    unroll_before(u, header, factor, counted.test, counted.counter, emit_limit(u, &b, &counted, factor));
    return true;
}

void unroll_hint_driver(struct unroll *u, uint32_t header)
{
    struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
    uint32_t iterations;
    if (u->all[header]->can_unroll && !u->all[header]->num_inner && !merge->hints.unroll && !has_barrier(u, header) &&
        unroll_size(u, header, UINT32_MAX - 1, &iterations) != UINT32_MAX)
        merge->hints.unroll = 1;
}
