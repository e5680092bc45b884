/* Several iterations of a loop at once, for as long as there are so many left; the rest run one by one. Their number is
 * what the program asks for. Short loops over memory take four without being asked: those whose end is not known, and
 * those whose end is known if they load neighbours (see loads.c) or run so often that drivers leave them as they are.
 * Loops over local memory do so only where four loads become one vector (see lower/memory/wide.c), since drivers do
 * well with the others:
 *
 *     for (; i < n; i++) f(i);  =>  for (; i < n - 3; i += 4) { f(i); f(i + 1)... } for (; i < n; i++) f(i);
 *     do f(i); while (++i != n);  =>  while (n - 1 - i > 3) { f(i); f(i + 1)... i += 4; } do f(i); while (++i != n);
 *
 * The loop before is entered while the loop's own test would let as many iterations follow, wherever that stands: so a
 * loop with its test at the end keeps an iteration. An end that is met exactly is compared by its distance, as what a
 * step leads over is no end: the number of steps that fit into the distance is right even where the counter wraps. */
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
    uint32_t few, factor = loop->can_unroll ? spv_merge_inst(u->cfg.blocks[header])->hints.unroll : 0;
    uint64_t iterations;
    if (factor < 2 || unroll_continues_inside(u, header) || factor * loop->full_size > MAX_SIZE ||
        u->total + factor * loop->full_size > MAX_FUNCTION)
        return false;
    if (unroll_size(u, header, UINT32_MAX - 1, &few) != UINT32_MAX)
        iterations = few;
    else if (!unroll_divide(u, header, &iterations))
        return false;
    bool first = iterations % factor == 0 && loop->exit != loop->latch, last = iterations % factor == factor - 1;
    if (!iterations || iterations == UINT64_MAX || (iterations > factor && !first && !last))
        return false;
    u->total += (uint32_t)(factor * loop->full_size);
    u->copied++;
    if (iterations <= factor)
        unroll_loop(u, header, (uint32_t)iterations, 0);
    else
        unroll_by(u, header, factor, !first);
    return true;
}

/* ---- counted loops ---- */

/* What is needed to do several iterations after one test. The loop goes on while the counter, with offset added, is
 * below the end (is_down: above it), or where it differs from it. */
struct counted {
    const struct spv_inst *counter;
    spv_id type;              /* of what is compared: the counter's, or that of its address */
    spv_id step, offset, end; /* offset: 0 if there is none */
    uint64_t size;            /* of the step; 0: not known, and it leads up */
    bool is_signed, is_down, differs;
    bool has_end; /* it goes on where they are equal, too */
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

/* Recognises a step that is a constant. */
static bool find_constant_step(const struct unroll *u, uint32_t header, struct counted *counted)
{
    struct counter counter;
    if (!unroll_find_counter(u, header, &counter))
        return false;
    bool is_pointer = spv_type_is_pointer(u->module, counter.phi->type);
    spv_id type = is_pointer ? spv_type_int(u->module, 64) : counter.phi->type;
    uint32_t width = spv_type_width(u->module, type);
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, step = counter.step & mask;
    enum spv_relation relation = counter.relation;
    bool less = relation == SPV_RELATION_LESS || relation == SPV_RELATION_LESS_EQUAL;
    *counted = (struct counted){.counter = counter.phi, .type = type, .end = counter.end};
    counted->is_signed = counter.is_signed;
    counted->is_down = step >> (width - 1);
    counted->size = counted->is_down ? -step & mask : step;
    counted->step = spv_const_bits(u->module, type, step);
    counted->offset = counter.offset & mask ? spv_const_bits(u->module, type, counter.offset & mask) : 0;
    counted->differs = relation == SPV_RELATION_UNEQUAL;
    counted->has_end = relation == SPV_RELATION_LESS_EQUAL || relation == SPV_RELATION_GREATER_EQUAL;
    return counted->size && counted->size <= MAX_STEP && relation != SPV_RELATION_EQUAL &&
           (counted->differs || less != counted->is_down);
}

/* What next adds to the phi, in its own width or in a greater one of which the upper bits are cut off again, as C has it
 * for "int i; i += get_global_size(0)"; 0: it is no such sum. */
static spv_id added_to(const struct unroll *u, const struct spv_inst *phi, const struct spv_inst *next)
{
    bool wide = next->block && spv_op_is_resize(next->op);
    const struct spv_inst *sum = wide ? spv_def(u->module, next->words[0]) : next;
    if (!sum || !sum->block || sum->op != SpvOpIAdd ||
        spv_type_width(u->module, sum->type) < spv_type_width(u->module, next->type))
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        const struct spv_inst *from = spv_def(u->module, sum->words[i]);
        bool is_wide = wide && from && from->block && spv_op_is_resize(from->op);
        if ((is_wide ? from->words[0] : sum->words[i]) == phi->id)
            return sum->words[1 - i];
    }
    return 0;
}

/* Recognises "counter < end", or "counter + step < end", where the step is not known. */
static bool find_variable_step(const struct unroll *u, uint32_t header, struct counted *counted)
{
    const struct loop *loop = u->all[header];
    const struct spv_inst *end = terminator_of(u, loop->exit), *test = spv_def(u->module, end->words[0]);
    bool less = test && test->block && (test->op == SpvOpSLessThan || test->op == SpvOpULessThan);
    if (!less || end->words[1] != loop->stay)
        return false;
    const struct spv_inst *tested = spv_def(u->module, test->words[0]);
    spv_foreach_inst (phi, &u->cfg.blocks[header]->insts) {
        const struct spv_inst *next =
            phi->op == SpvOpPhi ? spv_def(u->module, unroll_incoming(u, phi, loop, true)) : NULL;
        spv_id step = next && (tested == phi || tested == next) ? added_to(u, phi, next) : 0;
        if (!step)
            continue;
        *counted = (struct counted){.counter = phi, .type = phi->type, .step = step, .end = test->words[1]};
        counted->offset = tested == next ? step : 0;
        counted->is_signed = test->op == SpvOpSLessThan;
        return is_outside(u, header, step);
    }
    return false;
}

/* Whether drivers unroll the loop themselves, as it has a constant end. But they do not where the number of iterations
 * is large, and they make no vectors of neighbours. */
static bool is_drivers(struct unroll *u, uint32_t header, const struct counted *counted)
{
    uint64_t iterations, end;
    bool few = unroll_divide(u, header, &iterations)
                   ? iterations <= MAX_ITERATIONS
                   : !counted->differs && !counted->is_down && spv_const_value(u->module, counted->end, &end);
    return few && !loads_neighbours(u, header, counted->counter->id);
}

static bool find_counter(struct unroll *u, uint32_t header, struct counted *counted)
{
    if (!find_constant_step(u, header, counted) && !find_variable_step(u, header, counted))
        return false;
    spv_id type = counted->type;
    return spv_type_op(u->module, type) == SpvOpTypeInt && spv_type_width(u->module, type) >= 32 &&
           is_outside(u, header, counted->end) && !is_drivers(u, header, counted);
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
    return counted->size == 1 && !counted->is_down &&
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

/* ---- the test ---- */

/* Emits the value that a counter must stay below (is_down: above), so that the loop goes on after the next factor
 * tests: end - (factor - 1) * step, or the least value where that would wrap below it. */
static spv_id emit_limit(struct unroll *u, struct spv_builder *b, const struct counted *counted, uint32_t factor)
{
    spv_id type = counted->type, bool_type = spv_type_bool(u->module);
    uint32_t width = spv_type_width(u->module, type);
    uint64_t most = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    uint64_t least = counted->is_signed ? (uint64_t)1 << (width - 1) : 0;
    uint64_t distance = counted->size * (factor - 1) - counted->has_end;
    spv_id far = spv_const_bits(u->module, type, distance), good, limit;
    SpvOp op = counted->is_signed ? SpvOpSGreaterThanEqual : SpvOpUGreaterThanEqual;
    if (counted->is_down) { /* from the greatest value down */
        least = (least - 1) & most;
        op = counted->is_signed ? SpvOpSLessThanEqual : SpvOpULessThanEqual;
    }
    uint64_t bound = counted->is_down ? least - distance : least + distance;
    good = spv_emitv(b, op, bool_type, counted->end, spv_const_bits(u->module, type, bound));
    limit = spv_emitv(b, counted->is_down ? SpvOpIAdd : SpvOpISub, type, counted->end, far);
    return spv_emitv(b, SpvOpSelect, type, good, limit, spv_const_bits(u->module, type, least));
}

/* The same for a step that is not known. Where factor steps are too long, or lead down, the limit is the least value. */
static spv_id emit_variable_limit(struct unroll *u, struct spv_builder *b, const struct counted *counted,
                                  uint32_t factor)
{
    spv_id type = counted->type, bool_type = spv_type_bool(u->module);
    uint32_t width = spv_type_width(u->module, type);
    uint64_t most = (width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1) >> counted->is_signed;
    spv_id far = spv_emitv(b, SpvOpIMul, type, counted->step, spv_const_bits(u->module, type, factor - 1));
    spv_id fits =
        spv_emitv(b, SpvOpULessThanEqual, bool_type, counted->step, spv_const_bits(u->module, type, most / factor));
    spv_id least = spv_const_bits(u->module, type, counted->is_signed ? (uint64_t)1 << (width - 1) : 0), from = far;
    if (counted->is_signed)
        from = spv_emitv(b, SpvOpIAdd, type, far, least);
    spv_id good = spv_emitv(b, counted->is_signed ? SpvOpSGreaterThanEqual : SpvOpUGreaterThanEqual, bool_type,
                            counted->end, from);
    good = spv_emitv(b, SpvOpLogicalAnd, bool_type, good, fits);
    spv_id limit = spv_emitv(b, SpvOpISub, type, counted->end, far);
    return spv_emitv(b, SpvOpSelect, type, good, limit, least);
}

/* Emits what the test of factor iterations needs before the loop. */
static struct unroll_test prepare_test(struct unroll *u, struct spv_builder *b, const struct counted *counted,
                                       uint32_t factor)
{
    spv_id type = counted->type;
    struct unroll_test test = {.counter = counted->counter, .type = type, .offset = counted->offset};
    test.is_down = counted->is_down;
    if (counted->differs) {
        test.op = SpvOpUGreaterThan;
        test.base = counted->offset ? spv_emitv(b, SpvOpISub, type, counted->end, counted->offset) : counted->end;
        test.limit = spv_const_bits(u->module, type, counted->size * (factor - 1));
        return test;
    }
    test.op = counted->is_down     ? counted->is_signed ? SpvOpSGreaterThan : SpvOpUGreaterThan
              : counted->is_signed ? SpvOpSLessThan
                                   : SpvOpULessThan;
    test.limit = (counted->size ? emit_limit : emit_variable_limit)(u, b, counted, factor);
    return test;
}

/* Whether the loop goes on a known number of times, so that factor iterations with one test leave none over. A loop
 * whose neighbours are loaded needs its test first, where loads.c looks for it. */
static bool unroll_evenly(struct unroll *u, uint32_t header, const struct counted *counted, uint32_t factor)
{
    const struct loop *loop = u->all[header];
    uint64_t count;
    if (!unroll_divide(u, header, &count) || count < factor || count == UINT64_MAX)
        return false;
    bool first = count % factor == 0 && loop->exit != loop->latch;
    if (!first && (count % factor != factor - 1 || loads_neighbours(u, header, counted->counter->id)))
        return false;
    unroll_by(u, header, factor, !first);
    return true;
}

bool unroll_counted(struct unroll *u, uint32_t header)
{
    struct loop *loop = u->all[header];
    struct counted counted;
    const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
    if (!loop->can_unroll || unroll_continues_inside(u, header) || !find_counter(u, header, &counted) ||
        !is_worth_it(u, header, &counted))
        return false;
    uint32_t factor = merge->hints.unroll > 1 && merge->hints.unroll <= 16 ? merge->hints.unroll : COUNTED_FACTOR;
    uint32_t first = u->cfg.preds[u->cfg.pred_start[header]], second = u->cfg.preds[u->cfg.pred_start[header] + 1];
    struct spv_block *outside = u->cfg.blocks[first == loop->latch ? second : first];
    if (u->total + factor * loop->size > MAX_FUNCTION)
        return false;
    u->total += factor * loop->size;
    u->copied++;
    if (unroll_evenly(u, header, &counted, factor))
        return true;
    struct spv_inst *end = spv_merge_inst(outside);
    struct spv_builder b = {u->module, u->function, outside, end ? end : spv_terminator(outside)};
    if (!counted.size && spv_value_type(u->module, counted.step) != counted.type) {
        counted.step = spv_emitv(&b, SpvOpUConvert, counted.type, counted.step);
        counted.offset = counted.offset ? counted.step : 0;
    }
    struct unroll_test test = prepare_test(u, &b, &counted, factor);
    unroll_before(u, header, factor, &test);
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
