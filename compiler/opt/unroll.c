/* Loops whose number of iterations is a constant are written out in three cases: where the program asks for it (#pragma
 * unroll, opencl_unroll_hint); where that makes the indices of a private array constant, so that SROA can take the
 * array into registers, or those of a table of constants, whose elements then become constants; and where the loop is
 * small.
 *
 *     head: %i = phi 0, %j; loop merge; test; body; %j = %i + 1; branch head; out:
 *     =>  head: branch head0; head0: test; body; %j0 = 0 + 1; branch head1; ... headN: test; branch out; out:
 *
 * The last copy, which leaves the loop, is the original code, so that values which are used after the loop keep their
 * ids. A copy in which a "continue" stands inside of an if becomes a loop that runs once; folding removes this loop if
 * the if disappears.
 *
 * Outer loops are written out first, since the bounds of inner ones may depend on their counters. Inner loops that are
 * to be written out are so in each copy of the outer one, as often as they run there. What is simple to see as a
 * constant in a copy becomes one, and arms that are not taken are not copied (unroll_copy.c). The caller folds the
 * rest, and calls again, for loops whose bounds are known only then. Other loops may do several iterations at once
 * (unroll_counted.c). */
#include "compiler/opt/unroll.h"

#include "compiler/opt/opt.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_TABLE_SIZE = 3000, /* where constants are indexed */
    MAX_PLAIN_SIZE = 256,  /* without any reason but that it is small */
    MAX_INNER_SIZE = 512,  /* likewise, of a loop of few iterations without loops inside */
    FEW_ITERATIONS = 32,
    FULL_FUNCTION = 14000, /* where what folding gives back is not used again and again for a loop more */
    MAX_ELEMENTS = 128,    /* of an array that SROA would split */
    MAX_BRANCHES = 32,     /* in all of an array's loops written out, where there shall be few */
};

/* ---- finding loops ---- */

static void note_edge(struct unroll *u, uint32_t from, uint32_t to)
{
    for (uint32_t h = u->loops.loop[from]; h != CFG_NO_LOOP && !contains(u, h, to); h = u->loops.parent[h])
        u->all[h]->exit = u->all[h]->exit == NO_BLOCK || u->all[h]->exit == from ? from : SEVERAL_BLOCKS;
    if (u->loops.is_header[to] && from >= to)
        u->all[to]->latch = u->all[to]->latch == NO_BLOCK ? from : SEVERAL_BLOCKS;
}

static void collect(struct unroll *u)
{
    uint32_t count = u->cfg.count;
    u->inner = arena_array(u->arena, uint32_t, count);
    u->members = arena_array(u->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        u->construct[i] = NO_BLOCK;
        if (!u->loops.is_header[i])
            continue;
        u->all[i] = arena_new(u->arena, struct loop);
        u->all[i]->latch = u->all[i]->exit = NO_BLOCK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[i]);
        for (uint32_t w = 0; merge && w < (merge->op == SpvOpLoopMerge ? 2 : 1); w++) {
            uint32_t end = index_of(u, merge->words[w]);
            if (end != NO_BLOCK && i < u->construct[end])
                u->construct[end] = i;
        }
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t around = u->loops.loop[i], parent = u->loops.is_header[i] ? u->loops.parent[i] : CFG_NO_LOOP;
            if (around != CFG_NO_LOOP) {
                if (round)
                    u->members[u->all[around]->first_block + u->all[around]->num_blocks] = i;
                u->all[around]->num_blocks++;
            }
            if (parent != CFG_NO_LOOP) {
                if (round)
                    u->inner[u->all[parent]->first_inner + u->all[parent]->num_inner] = i;
                u->all[parent]->num_inner++;
            }
        }
        uint32_t next_block = 0, next_inner = 0;
        for (uint32_t i = 0; i < count && !round; i++) {
            if (!u->all[i])
                continue;
            u->all[i]->first_block = next_block;
            u->all[i]->first_inner = next_inner;
            next_block += u->all[i]->num_blocks;
            next_inner += u->all[i]->num_inner;
            u->all[i]->num_blocks = u->all[i]->num_inner = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t e = u->cfg.succ_start[i]; e < u->cfg.succ_start[i + 1]; e++)
            note_edge(u, i, u->cfg.succs[e]);
        uint32_t around = u->loops.loop[i];
        spv_foreach_inst (inst, &u->cfg.blocks[i]->insts) {
            inst->flags = 0;
            u->total++;
            if (around != CFG_NO_LOOP)
                u->all[around]->size++;
        }
    }
    for (uint32_t i = count; i-- > 0;) {
        struct loop *loop = u->all[i];
        if (!loop)
            continue;
        loop->full_size = loop->size;
        for (uint32_t k = 0; k < loop->num_inner; k++)
            loop->full_size += u->all[u->inner[loop->first_inner + k]]->full_size;
    }
}

/* Whether constructs inside the loop end in it, and those that begin before its exit end before the exit, too, since
 * the last copy stops at the exit. */
static bool constructs_end_inside(const struct unroll *u, uint32_t header, uint32_t of)
{
    const struct loop *loop = u->all[header], *part = u->all[of];
    for (uint32_t i = 0; i < part->num_blocks; i++) {
        uint32_t block = u->members[part->first_block + i];
        const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[block]);
        bool before_exit = block != loop->exit && !spv_dominates(&u->cfg, loop->exit, block);
        for (uint32_t w = 0; merge && block != header && w < (merge->op == SpvOpLoopMerge ? 2 : 1); w++) {
            uint32_t end = index_of(u, merge->words[w]);
            if (!contains(u, header, end) ||
                (before_exit && end != loop->exit && spv_dominates(&u->cfg, loop->exit, end)))
                return false;
        }
    }
    for (uint32_t i = 0; i < part->num_inner; i++) {
        if (!constructs_end_inside(u, header, u->inner[part->first_inner + i]))
            return false;
    }
    return true;
}

/* Whether the exit branches to the merge block, directly or through one block that contains nothing else. */
static bool leaves_plainly(const struct unroll *u, uint32_t exit, spv_id leave, spv_id merge)
{
    uint32_t end = index_of(u, merge), way = index_of(u, leave);
    if (end == NO_BLOCK || way == NO_BLOCK || u->cfg.pred_start[end + 1] - u->cfg.pred_start[end] != 1)
        return false;
    if (way == end)
        return u->cfg.preds[u->cfg.pred_start[end]] == exit;
    const struct spv_inst *last = terminator_of(u, way);
    return last->op == SpvOpBranch && last->words[0] == merge && !spv_merge_inst(u->cfg.blocks[way]) &&
           u->cfg.pred_start[way + 1] - u->cfg.pred_start[way] == 1;
}

static bool can_unroll(struct unroll *u, uint32_t header)
{
    struct loop *loop = u->all[header];
    const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
    if (!merge || merge->op != SpvOpLoopMerge || merge->words[2] & SpvLoopControlDontUnrollMask ||
        loop->latch >= SEVERAL_BLOCKS || loop->exit >= SEVERAL_BLOCKS ||
        !spv_dominates(&u->cfg, loop->exit, loop->latch) ||
        u->cfg.pred_start[header + 1] - u->cfg.pred_start[header] != 2 ||
        !contains(u, header, index_of(u, merge->words[1])))
        return false;
    const struct spv_inst *end = terminator_of(u, loop->exit);
    uint64_t known; /* folding's business, or one of our own copies */
    if (end->op != SpvOpBranchConditional || spv_const_value(u->module, end->words[0], &known) ||
        u->loops.loop[loop->exit] != header ||
        (loop->exit != loop->latch && terminator_of(u, loop->latch)->op != SpvOpBranch))
        return false;
    bool first_stays = contains(u, header, index_of(u, end->words[1]));
    loop->stay = end->words[first_stays ? 1 : 2];
    loop->leave = end->words[first_stays ? 2 : 1];
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        uint32_t block = u->members[loop->first_block + i];
        if (is_behind_exit(u, loop, block))
            continue;
        spv_foreach_inst (inst, &u->cfg.blocks[block]->insts)
            loop->last_size++;
    }
    return contains(u, header, index_of(u, loop->stay)) &&
           leaves_plainly(u, loop->exit, loop->leave, merge->words[0]) && constructs_end_inside(u, header, header);
}

/* False where there is no loop to write out, or where control flow is irreducible. */
static bool find_all_loops(struct unroll *u)
{
    spv_cfg_keep(u->module, u->function, &u->cfg);
    cfg_find_loops(u->arena, &u->cfg, &u->loops);
    if (!u->loops.reducible)
        return false;
    u->all = arena_array(u->arena, struct loop *, u->cfg.count);
    u->in_loop = arena_array(u->arena, bool, u->cfg.count);
    u->state = arena_array(u->arena, uint8_t, u->cfg.count);
    u->not_taken = arena_array(u->arena, spv_id, u->cfg.count);
    u->construct = arena_array(u->arena, uint32_t, u->cfg.count);
    collect(u);
    bool any = false;
    for (uint32_t i = 0; i < u->cfg.count; i++) {
        struct loop *loop = u->all[i];
        if (!loop)
            continue;
        loop->can_unroll = can_unroll(u, i);
        any |= loop->can_unroll;
        const struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[i]);
        loop->wanted = loop->can_unroll && merge->words[2] & SpvLoopControlUnrollMask && !merge->hints.unroll;
    }
    return any;
}

static void want(struct unroll *u, uint32_t header, bool wanted)
{
    if (!u->all[header] || u->all[header]->wanted == wanted)
        return;
    u->all[header]->wanted = wanted;
    for (uint32_t around = u->loops.parent[header]; around != CFG_NO_LOOP; around = u->loops.parent[around])
        u->all[around]->changes_inside++;
}

/* ---- private arrays ---- */

/* Finds the loops whose counters an index depends on. False where it depends on anything but these and constants. */
struct search {
    struct unroll *unroll;
    uint32_t steps;
    VEC(uint32_t) headers;
};

static bool add_header(struct search *s, uint32_t header)
{
    for (uint32_t i = 0; i < s->headers.length; i++) {
        if (s->headers.data[i] == header)
            return false;
    }
    vec_push(s->unroll->arena, &s->headers, header);
    return true;
}

static bool find_loops(struct search *s, spv_id id, uint32_t depth)
{
    struct unroll *u = s->unroll;
    const struct spv_inst *def = spv_def(u->module, id);
    if (!def || !def->block)
        return def && spv_op_is_constant(def->op) && def->op != SpvOpUndef;
    if (depth == MAX_DEPTH || s->steps++ == MAX_EVALUATIONS)
        return false;
    if (def->op == SpvOpPhi) {
        uint32_t header = def->block->index;
        if (header >= u->cfg.count || !u->loops.is_header[header] || !u->all[header]->can_unroll)
            return false;
        if (add_header(s, header) && !find_loops(s, terminator_of(u, u->all[header]->exit)->words[0], depth + 1))
            return false;
        /* A phi is followed once on each way that leads to it; the limit on steps bounds what phis of phis may cost. */
        spv_id init = unroll_incoming(u, def, u->all[header], false),
               next = unroll_incoming(u, def, u->all[header], true);
        if (def->flags & IS_SEEN)
            return true;
        ((struct spv_inst *)def)->flags |= IS_SEEN;
        bool found = find_loops(s, init, depth + 1) && find_loops(s, next, depth + 1);
        ((struct spv_inst *)def)->flags &= ~IS_SEEN;
        return found;
    }
    if (!spv_op_is_pure(def->op) || !def->num_words || def->num_words > 3)
        return false;
    for (uint32_t i = 0; i < def->num_words; i++) {
        const struct spv_inst *operand = spv_def(u->module, def->words[i]);
        if (!operand || !operand->type || !find_loops(s, def->words[i], depth + 1))
            return false;
    }
    return true;
}

/* A private variable, or a table of constants: the loops on whose counters its indices depend. It is not good when an
 * index depends on something else. */
struct array {
    spv_id variable;
    uint32_t limit; /* of the loops' size */
    bool good;
    VEC(uint32_t) headers;
};

struct arrays {
    struct unroll *unroll;
    VEC(struct array) all;
    uint32_t *index;    /* id of a variable, or of a pointer into one -> 1 + its place in all */
    VEC(spv_id) marked; /* what has one */
    uint32_t bound;
};

static void mark_array(struct arrays *arrays, spv_id pointer, uint32_t index)
{
    if (!arrays->index[pointer])
        vec_push(arrays->unroll->arena, &arrays->marked, pointer);
    arrays->index[pointer] = index;
}

static bool is_small_array(const struct spv_module *module, const struct spv_inst *variable)
{
    spv_id type = spv_pointer_pointee(module, variable->type);
    uint16_t op = spv_type_op(module, type);
    uint64_t length;
    if (op == SpvOpTypeStruct)
        return true;
    return op == SpvOpTypeArray && spv_const_value(module, spv_def(module, type)->words[1], &length) &&
           length <= MAX_ELEMENTS;
}

static void check_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct arrays *arrays = data;
    if (*word >= arrays->bound || !arrays->index[*word])
        return;
    struct array *array = &arrays->all.data[arrays->index[*word] - 1];
    bool is_pointer = word == inst->words;
    if (is_pointer && spv_op_is_chain(inst->op)) {
        mark_array(arrays, inst->id, arrays->index[*word]);
        for (uint32_t i = 1; i < inst->num_words && array->good; i++) {
            struct search search = {.unroll = arrays->unroll};
            array->good = find_loops(&search, inst->words[i], 0);
            for (uint32_t k = 0; k < search.headers.length && array->good; k++)
                vec_push(arrays->unroll->arena, &array->headers, search.headers.data[k]);
        }
        return;
    }
    bool access = (inst->op == SpvOpLoad && !(inst->num_words > 1 && inst->words[1] & SpvMemoryAccessVolatileMask)) ||
                  (inst->op == SpvOpStore && is_pointer) || spv_op_is_lifetime(inst->op) || inst->op == SpvOpCopyMemory;
    array->good = array->good && access;
}

static bool can_register(struct unroll *u, const struct array *array)
{
    for (uint32_t i = 0; i < array->headers.length; i++)
        want(u, array->headers.data[i], true); /* for the sizes of the loops around */
    for (uint32_t i = 0; i < array->headers.length; i++) {
        uint32_t iterations;
        /* A loop whose bounds depend on an outer loop has no size of its own: it counts in the size of that one. */
        uint32_t parent = u->loops.parent[array->headers.data[i]];
        while (parent != CFG_NO_LOOP && !u->all[parent]->can_unroll)
            parent = u->loops.parent[parent];
        if (unroll_size(u, array->headers.data[i], array->limit, &iterations) == UINT32_MAX && parent == CFG_NO_LOOP)
            return false;
    }
    return true;
}

static void add_array(struct arrays *arrays, const struct spv_inst *inst, uint32_t limit)
{
    struct unroll *u = arrays->unroll;
    if (inst->op != SpvOpVariable || !is_small_array(u->module, inst))
        return;
    if (!arrays->index)
        arrays->index = spv_borrow_table(u->module, uint32_t);
    struct array array = {.variable = inst->id, .limit = limit, .good = true};
    vec_push(u->arena, &arrays->all, array);
    mark_array(arrays, inst->id, arrays->all.length);
}

/* The written-out size of the outermost wanted loop around a header; 0 if it has been counted before. */
static uint64_t pay(struct unroll *u, uint32_t header, bool *paid)
{
    uint32_t top = header, iterations;
    for (uint32_t h = header; h != CFG_NO_LOOP; h = u->loops.parent[h])
        top = u->all[h]->wanted ? h : top;
    if (paid[top])
        return 0;
    paid[top] = true;
    uint32_t size = unroll_size(u, top, MAX_SIZE, &iterations);
    return size == UINT32_MAX ? 0 : size;
}

/* What writing out all of an array's loops adds to the size, without those that have been counted before. */
static uint64_t cost_of(struct unroll *u, const struct array *array, bool *paid)
{
    uint64_t cost = 0;
    for (uint32_t k = 0; k < array->headers.length; k++)
        cost += pay(u, array->headers.data[k], paid);
    return cost;
}

/* Conditional branches in the loop when it and the wanted loops inside are written out, without their own tests. */
static uint64_t branches_in(struct unroll *u, uint32_t header)
{
    const struct loop *loop = u->all[header];
    uint64_t branches = 0;
    uint32_t iterations = 1;
    if (loop->wanted)
        unroll_size(u, header, MAX_SIZE, &iterations);
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        uint32_t block = u->members[loop->first_block + i];
        uint16_t op = terminator_of(u, block)->op;
        branches += (op == SpvOpBranchConditional && !(loop->wanted && block == loop->exit)) || op == SpvOpSwitch;
    }
    for (uint32_t i = 0; i < loop->num_inner; i++)
        branches += branches_in(u, u->inner[loop->first_inner + i]);
    return branches * iterations;
}

/* Whether an array's loops are to stay because of their branches. Those that have many are marked, so that the driver
 * does not write them out either. */
static bool branches_much(struct unroll *u, const struct array *array)
{
    bool much = false;
    for (uint32_t k = 0; k < array->headers.length && u->few_branches; k++) {
        uint32_t header = array->headers.data[k];
        struct spv_inst *merge = spv_merge_inst(u->cfg.blocks[header]);
        if (branches_in(u, header) <= MAX_BRANCHES)
            continue;
        much = true;
        if (merge->words[2] & SpvLoopControlUnrollMask)
            continue;
        merge->words[2] |= SpvLoopControlDontUnrollMask;
        u->all[header]->can_unroll = false;
    }
    return much;
}

struct offer {
    uint64_t cost;
    struct array *array;
};

static int by_cost(const void *a, const void *b)
{
    const struct offer *one = a, *two = b;
    if (one->cost != two->cost)
        return one->cost < two->cost ? -1 : 1;
    return one->array < two->array ? -1 : one->array > two->array;
}

/* Chooses the arrays whose loops are written out, cheapest first, while there is room. An array becomes values only
 * when all of its loops are written out; so if they do not all fit, none is written out for it. (Tables are exempt:
 * each access gains by itself.) Folding shrinks what is written out, so the room is taken as twice of what is left. */
static void choose_arrays(struct unroll *u, struct arrays *arrays, const bool *hinted)
{
    uint64_t room = u->total < MAX_FUNCTION ? (MAX_FUNCTION - u->total) * 2 : 0, used = 0;
    size_t size = u->cfg.count * sizeof(bool);
    bool *paid = arena_array(u->arena, bool, u->cfg.count), *tried = arena_array(u->arena, bool, u->cfg.count);
    VEC(struct offer) offers = {0};
    for (uint32_t i = 0; i < u->cfg.count; i++)
        used += hinted[i] ? pay(u, i, paid) : 0;
    for (uint32_t i = 0; i < arrays->all.length; i++) {
        struct array *array = &arrays->all.data[i];
        memcpy(tried, paid, size);
        array->good = array->good && !branches_much(u, array);
        if (array->good && array->limit == MAX_SIZE)
            vec_push(u->arena, &offers, (struct offer){cost_of(u, array, tried), array});
    }
    if (offers.length)
        qsort(offers.data, offers.length, sizeof(*offers.data), by_cost);
    vec_foreach (struct offer, offer, &offers) {
        memcpy(tried, paid, size);
        uint64_t cost = cost_of(u, offer->array, tried);
        offer->array->good = used + cost <= room;
        if (!offer->array->good)
            continue;
        used += cost;
        memcpy(paid, tried, size);
    }
}

static void want_for_arrays(struct unroll *u)
{
    struct arrays arrays = {.unroll = u, .bound = u->module->bound};
    spv_foreach_inst (each, &u->function->first_block->insts)
        add_array(&arrays, each, MAX_SIZE);
    spv_foreach_inst (global, &u->module->sections[SPV_SECTION_GLOBAL]) {
        if (global->op == SpvOpVariable && global->num_words > 1 && global->words[0] == SpvStorageClassUniformConstant)
            add_array(&arrays, global, MAX_TABLE_SIZE);
    }
    if (!arrays.all.length)
        return;
    for (uint32_t i = 0; i < u->cfg.count; i++) {
        spv_foreach_inst (inst, &u->cfg.blocks[i]->insts) {
            if (!spv_op_is_plain(inst->op))
                spv_visit_operand_ids(inst, check_use, &arrays);
        }
    }
    bool *hinted = arena_array(u->arena, bool, u->cfg.count);
    bool *needed = arena_array(u->arena, bool, u->cfg.count);
    for (uint32_t i = 0; i < u->cfg.count; i++)
        hinted[i] = u->all[i] && u->all[i]->wanted;
    for (uint32_t i = 0; i < arrays.all.length; i++) {
        struct array *array = &arrays.all.data[i];
        array->good = array->good && can_register(u, array);
        for (uint32_t k = 0; k < array->headers.length; k++) {
            uint32_t header = array->headers.data[k];
            needed[header] |= array->good;
            want(u, header, hinted[header] || needed[header]);
        }
    }
    choose_arrays(u, &arrays, hinted);
    memset(needed, 0, u->cfg.count * sizeof(*needed));
    for (uint32_t i = 0; i < arrays.all.length; i++) {
        const struct array *array = &arrays.all.data[i];
        for (uint32_t k = 0; k < array->headers.length; k++)
            needed[array->headers.data[k]] |= array->good;
    }
    for (uint32_t i = 0; i < u->cfg.count; i++)
        want(u, i, hinted[i] || needed[i]);
    for (uint32_t i = 0; i < arrays.marked.length; i++)
        arrays.index[arrays.marked.data[i]] = 0;
    spv_give_back_zeroed(u->module, arrays.index);
}

static bool has_calls(const struct unroll *u, const struct loop *loop)
{
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        spv_foreach_inst (inst, &u->cfg.blocks[u->members[loop->first_block + i]]->insts) {
            if (inst->op == SpvOpFunctionCall)
                return true;
        }
    }
    return false;
}

/* Wants loops that are hardly larger when written out. Innermost loops of few iterations may be larger, but for what
 * inlining will make of calls: an iteration of NVIDIA's oclConvolutionSeparable took 0.15 ms on an H200 with a loop of 17
 * left to the driver, and 0.10 ms since. Inner loops come first, since they count in the outer ones' size. */
static void want_small(struct unroll *u)
{
    for (uint32_t i = u->cfg.count; i-- > 0;) {
        uint32_t iterations;
        const struct loop *loop = u->all[i];
        if (!loop || !loop->can_unroll || loop->wanted || loop->full_size > MAX_PLAIN_SIZE)
            continue;
        uint32_t size = unroll_size(u, i, MAX_INNER_SIZE, &iterations);
        bool is_short = size != UINT32_MAX && !loop->num_inner && iterations <= FEW_ITERATIONS && !has_calls(u, loop);
        want(u, i, size <= MAX_PLAIN_SIZE || is_short);
    }
}

/* ---- the pass ---- */

static bool unroll_wanted(struct unroll *u)
{
    bool changed = false;
    bool *done = arena_array(u->arena, bool, u->cfg.count); /* headers of loops that were written out */
    for (uint32_t i = 0; i < u->cfg.count; i++) {
        if (!u->all[i])
            continue;
        uint32_t iterations, size, parent = u->loops.parent[i];
        if (parent != CFG_NO_LOOP && done[parent]) {
            done[i] = true;
            continue;
        }
        if (!u->all[i]->wanted) {
            done[i] = unroll_in_part(u, i) || unroll_counted(u, i);
            changed = changed || done[i];
            if (!done[i])
                unroll_hint_driver(u, i);
            continue;
        }
        size = unroll_size(u, i, MAX_SIZE, &iterations);
        if (size == UINT32_MAX || u->total + size > MAX_FUNCTION)
            continue;
        u->total += size;
        u->copied++;
        unroll_loop(u, i, iterations, size);
        done[i] = changed = true;
    }
    return changed;
}

static bool has_loop(const struct spv_function *function)
{
    spv_foreach_block (block, function) {
        const struct spv_inst *merge = spv_merge_inst(block);
        if (merge && merge->op == SpvOpLoopMerge)
            return true;
    }
    return false;
}

static bool unroll_up_to(struct spv_module *module, struct spv_function *function, uint32_t most, bool few_branches)
{
    struct unroll u = {.module = module,
                       .function = function,
                       .arena = spv_scratch(module),
                       .few_branches = few_branches,
                       .copied = 1};
    struct arena_mark mark = spv_scratch_begin(module);
    bool changed = false;
    if (function->first_block && has_loop(function) && find_all_loops(&u) && u.total <= most) {
        unroll_mark_counts(&u);
        want_for_arrays(&u);
        want_small(&u);
        changed = unroll_wanted(&u);
    }
    spv_scratch_end(module, mark);
    return changed;
}

bool opt_unroll(struct spv_module *module, struct spv_function *function)
{
    return unroll_up_to(module, function, UINT32_MAX, false);
}

bool opt_unroll_few_branches(struct spv_module *module, struct spv_function *function)
{
    return unroll_up_to(module, function, FULL_FUNCTION, true);
}

bool opt_unroll_more(struct spv_module *module, struct spv_function *function)
{
    return unroll_up_to(module, function, FULL_FUNCTION, false);
}
