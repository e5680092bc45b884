/* Memory that a loop reads and writes at one address is kept in a value while the loop runs:
 *
 *     while (test)                   =>      if (test) v = *p;
 *         *p += ...;                         while (test)
 *                                                v += ...;
 *                                            if (test, as it was at first) *p = v;
 *
 * So does a load whose address and content stay the same in a loop that writes elsewhere. Drivers cannot do this: they
 * see addresses that are numbers, and know neither restrict nor which pointers lead to local memory.
 *
 * No access is invented. An address is promoted only if each iteration accesses it (a store, where the loop stores to
 * it at all), so that the loop accesses it if and only if it runs at all. The test of the first iteration is computed
 * once more in front of the loop; where its result is known, as in most loops, folding removes the branch.
 *
 * Nothing else in the loop may touch the memory: no access that might overlap, no barrier, fence, atomic or call. Other
 * work-items need no thought then, see alias.c. What scopes (spv/scopes.c) say of two accesses holds in one iteration.
 * But an access that each iteration has, always at the same address, is apart in each of them from what it is apart from
 * in one. The accesses in front of the loop and behind it inherit its scopes.
 *
 * This pass moves the accesses and puts a variable in their place, of which opt_mem2reg() makes values. It looks at
 * structured loops with one back edge and one exit, at the start or at the end. Inner loops come first. What they leave
 * in the loop around them is for the next run. */
#include "compiler/opt/alias.h"
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/chain.h"
#include "compiler/opt/opt.h"

enum {
    MAX_BLOCKS = 64,
    MAX_GROUPS = 16,
    MAX_USES = 16,
    MAX_OTHERS = 64,
    MAX_DEPTH = 4,
    MAX_TEST = 32,
    MAX_BYTES = 128
};

/* Loads and stores at one address that does not change in the loop. */
struct group {
    spv_id pointer, type; /* of the first access; of the value */
    struct spv_inst *uses[MAX_USES];
    uint32_t num_uses;
    const struct spv_inst *scoped;        /* one with scopes that each iteration has; NULL: there is none */
    bool loads, stores, certain, blocked; /* certain: each iteration has such a load, or such a store if there is one */
};

struct loop {
    struct spv_block *head, *before, *exit, *latch;
    struct spv_block *blocks[MAX_BLOCKS];
    uint32_t num_blocks;
    bool tests_first;                /* the exit is the head, or the block after it; else the exit is the latch */
    struct group groups[MAX_GROUPS]; /* first those that are promoted, once that is known */
    uint32_t num_groups;
    const struct spv_inst *others[MAX_OTHERS]; /* accesses of all kinds that are in no group */
    uint32_t num_others;
    bool writes, everything_reads, everything_writes; /* the latter two: a call or barrier may do so */
};

struct promote {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct alias alias;
    struct cfg_loops loops; /* where the module has scopes */
    uint32_t *visited;      /* by block: the mark of the loop that was looked at last */
    uint32_t mark;
};

/* ---- the loop ---- */

static bool is_inside(const struct promote *p, const struct spv_block *block)
{
    return block && block->index != SPV_UNREACHABLE && p->visited[block->index] == p->mark;
}

/* Collects the blocks from which the latch is reached without passing the head. */
static bool find_blocks(struct promote *p, struct loop *loop)
{
    p->mark++;
    p->visited[loop->head->index] = p->mark;
    loop->blocks[loop->num_blocks++] = loop->head;
    if (loop->latch != loop->head) {
        p->visited[loop->latch->index] = p->mark;
        loop->blocks[loop->num_blocks++] = loop->latch;
    }
    for (uint32_t i = 1; i < loop->num_blocks; i++) {
        uint32_t at = loop->blocks[i]->index;
        for (uint32_t e = p->cfg.pred_start[at]; e < p->cfg.pred_start[at + 1]; e++) {
            uint32_t pred = p->cfg.preds[e];
            if (p->visited[pred] == p->mark)
                continue;
            if (loop->num_blocks == MAX_BLOCKS)
                return false;
            p->visited[pred] = p->mark;
            loop->blocks[loop->num_blocks++] = p->cfg.blocks[pred];
        }
    }
    return true;
}

/* The one block in front of the loop, and the one that goes back. */
static bool find_edges(const struct promote *p, struct loop *loop)
{
    uint32_t head = loop->head->index, first = p->cfg.pred_start[head];
    if (p->cfg.pred_start[head + 1] - first != 2)
        return false;
    uint32_t one = p->cfg.preds[first], two = p->cfg.preds[first + 1];
    bool swapped = spv_dominates(&p->cfg, head, one);
    loop->before = p->cfg.blocks[swapped ? two : one];
    loop->latch = p->cfg.blocks[swapped ? one : two];
    const struct spv_inst *end = spv_terminator(loop->before);
    return spv_dominates(&p->cfg, head, loop->latch->index) && !spv_dominates(&p->cfg, head, loop->before->index) &&
           end->op == SpvOpBranch && !spv_merge_inst(loop->before);
}

/* Whether a block has nothing but a test, which may be computed once more in front of the loop. */
static bool only_tests(const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        bool control =
            inst->op == SpvOpPhi || inst->op == SpvOpLoopMerge || spv_op_is_line(inst->op) || inst == block->insts.last;
        if (!control && !spv_inst_is_pure(inst))
            return false;
    }
    return true;
}

/* Whether the latch only goes back, and is reached from the exit alone: then the loop tests last, as if the exit were
 * the latch. Structurising leaves loops of foreign modules so. */
static bool only_goes_back(const struct promote *p, const struct loop *loop)
{
    const struct spv_cfg *cfg = &p->cfg;
    uint32_t latch = loop->latch->index;
    return loop->latch->insts.first == spv_terminator(loop->latch) &&
           cfg->pred_start[latch + 1] - cfg->pred_start[latch] == 1 &&
           cfg->preds[cfg->pred_start[latch]] == loop->exit->index;
}

/* Finds the only edge that leaves the loop. */
static bool find_exit(const struct promote *p, struct loop *loop)
{
    spv_id merge = spv_merge_inst(loop->head)->words[0];
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        uint32_t at = loop->blocks[i]->index;
        for (uint32_t e = p->cfg.succ_start[at]; e < p->cfg.succ_start[at + 1]; e++) {
            const struct spv_block *next = p->cfg.blocks[p->cfg.succs[e]];
            if (is_inside(p, next))
                continue;
            if (loop->exit || next->label->id != merge)
                return false;
            loop->exit = loop->blocks[i];
        }
    }
    if (!loop->exit || spv_terminator(loop->exit)->op != SpvOpBranchConditional)
        return false;
    const struct spv_inst *end = spv_terminator(loop->head), *test = spv_terminator(loop->exit);
    bool second = end->op == SpvOpBranch && end->words[0] == loop->exit->label->id && !spv_merge_inst(loop->exit) &&
                  p->cfg.pred_start[loop->exit->index + 1] - p->cfg.pred_start[loop->exit->index] == 1;
    loop->tests_first = (loop->exit == loop->head || second) && only_tests(loop->head) && only_tests(loop->exit);
    return test->words[1] != test->words[2] &&
           (loop->tests_first || loop->exit == loop->latch || only_goes_back(p, loop));
}

static bool find_loop(struct promote *p, struct spv_block *head, struct loop *loop)
{
    const struct spv_inst *merge = spv_merge_inst(head);
    loop->head = head;
    loop->exit = NULL;
    loop->num_blocks = loop->num_groups = loop->num_others = 0;
    loop->writes = loop->everything_reads = loop->everything_writes = false;
    return merge && merge->op == SpvOpLoopMerge && find_edges(p, loop) && find_blocks(p, loop) && find_exit(p, loop);
}

/* ---- its accesses ---- */

/* Whether a pointer can be computed in front of the loop. */
static bool is_invariant(const struct promote *p, spv_id id, uint32_t depth)
{
    const struct spv_inst *def = spv_def(p->module, id);
    if (!is_inside(p, def->block))
        return true;
    if (!spv_op_is_chain(def->op) || depth == MAX_DEPTH)
        return false;
    for (uint32_t i = 0; i < def->num_words; i++) {
        if (!is_invariant(p, def->words[i], depth + 1))
            return false;
    }
    return true;
}

static bool is_same(const struct spv_module *module, spv_id one, spv_id two, uint32_t depth)
{
    const struct spv_inst *a = spv_def(module, one), *b = spv_def(module, two);
    if (one == two)
        return true;
    if (!spv_op_is_chain(a->op) || a->op != b->op || a->num_words != b->num_words || a->type != b->type ||
        depth == MAX_DEPTH)
        return false;
    for (uint32_t i = 1; i < a->num_words; i++) {
        if (a->words[i] != b->words[i])
            return false;
    }
    return is_same(module, a->words[0], b->words[0], depth + 1);
}

static bool is_number(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) || spv_type_is_float(module, type);
}

/* Puts a load or store into the group of its address; false where it has none, or there are too many. */
static bool add_use(const struct promote *p, struct loop *loop, struct spv_inst *inst)
{
    bool store = inst->op == SpvOpStore;
    spv_id type = store ? spv_value_type(p->module, inst->words[1]) : inst->type;
    uint32_t i = 0;
    if (alias_is_special(inst) || !is_number(p->module, type) || !is_invariant(p, inst->words[0], 0))
        return false;
    while (i < loop->num_groups &&
           !(loop->groups[i].type == type && is_same(p->module, loop->groups[i].pointer, inst->words[0], 0)))
        i++;
    struct group *group = &loop->groups[i];
    if (i == MAX_GROUPS || (i < loop->num_groups && group->num_uses == MAX_USES))
        return false;
    if (i == loop->num_groups) {
        loop->num_groups++;
        *group = (struct group){.pointer = inst->words[0], .type = type};
    }
    group->uses[group->num_uses++] = inst;
    group->loads |= !store;
    group->stores |= store;
    return true;
}

static bool collect(struct promote *p, struct loop *loop)
{
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        spv_foreach_inst (inst, &loop->blocks[i]->insts) {
            enum alias_effect effect = alias_effect(&p->alias, inst);
            loop->writes |= effect > ALIAS_LOAD && effect != ALIAS_READ_ALL;
            loop->everything_reads |= effect >= ALIAS_READ_ALL;
            loop->everything_writes |= effect == ALIAS_ALL;
            if (effect == ALIAS_NONE || effect >= ALIAS_READ_ALL)
                continue;
            if (effect != ALIAS_COPY && add_use(p, loop, inst))
                continue;
            if (loop->num_others == MAX_OTHERS)
                return false;
            loop->others[loop->num_others++] = inst;
        }
    }
    return loop->num_groups && loop->writes;
}

/* ---- what may be promoted ---- */

static bool may_overlap(struct promote *p, spv_id one, spv_id two)
{
    uint32_t first = alias_place(&p->alias, one), second = alias_place(&p->alias, two);
    bool shares = second != ALIAS_NEVER && alias_overlapping(first) >> second & 1;
    return shares && !alias_beside(&p->alias, one, two);
}

/* Whether an access that is in no group forbids to keep the group's content in a value. */
static bool disturbs(struct promote *p, const struct spv_inst *other, const struct group *group)
{
    if (other->op == SpvOpLoad || other->op == SpvOpStore) {
        bool writes = other->op == SpvOpStore || alias_is_special(other);
        return (writes || group->stores) && may_overlap(p, group->pointer, other->words[0]) &&
               !(group->scoped && spv_are_apart(p->module, group->scoped, other));
    }
    return may_overlap(p, group->pointer, other->words[0]) ||
           (group->stores && may_overlap(p, group->pointer, other->words[1]));
}

static bool group_disturbs(struct promote *p, const struct group *other, const struct group *group)
{
    bool apart = group->scoped;
    if ((!other->stores && !group->stores) || !may_overlap(p, group->pointer, other->pointer))
        return false;
    for (uint32_t i = 0; i < other->num_uses && apart; i++)
        apart = spv_are_apart(p->module, group->scoped, other->uses[i]);
    return !apart;
}

/* Finds out which accesses of the group each iteration has. One that an inner loop repeats has no scopes for this loop:
 * they may be those of a single one of its iterations. */
static void find_certain(const struct promote *p, const struct loop *loop, struct group *group)
{
    for (uint32_t i = 0; i < group->num_uses; i++) {
        const struct spv_inst *use = group->uses[i];
        if (!spv_dominates(&p->cfg, use->block->index, loop->latch->index))
            continue;
        group->certain |= (use->op == SpvOpStore) == group->stores;
        if (spv_row_of_scopes(use) && p->loops.reducible && p->loops.loop[use->block->index] == loop->head->index)
            group->scoped = use;
    }
}

static void judge(struct promote *p, struct loop *loop, struct group *group)
{
    uint32_t place = alias_place(&p->alias, group->pointer);
    bool shared = place != ALIAS_NEVER && ALIAS_SHARED >> place & 1;
    group->blocked = shared && (loop->everything_writes || (loop->everything_reads && group->stores));
    find_certain(p, loop, group);
    for (uint32_t i = 0; i < loop->num_others && !group->blocked; i++)
        group->blocked = disturbs(p, loop->others[i], group);
    for (uint32_t i = 0; i < loop->num_groups && !group->blocked; i++) {
        const struct group *other = &loop->groups[i];
        group->blocked = other != group && group_disturbs(p, other, group);
    }
}

/* Puts those that are promoted first, and says how many they are. Too many would fill the registers. */
static uint32_t choose(struct promote *p, struct loop *loop)
{
    uint32_t chosen = 0, bytes = 0;
    for (uint32_t i = 0; i < loop->num_groups; i++)
        judge(p, loop, &loop->groups[i]);
    for (uint32_t i = 0; i < loop->num_groups; i++) {
        struct group group = loop->groups[i];
        uint32_t size = spv_type_count(p->module, group.type) * spv_type_width(p->module, group.type) / 8;
        if (group.blocked || !group.certain || bytes + size > MAX_BYTES)
            continue;
        loop->groups[i] = loop->groups[chosen];
        loop->groups[chosen++] = group;
        bytes += size;
    }
    return chosen;
}

/* ---- the change ---- */

/* What id is in the first test, computed by b in front of the loop. Without b it only says whether that can be done. 0:
 * it needs too much. */
static spv_id copy_test(const struct promote *p, const struct loop *loop, struct spv_builder *b, spv_id id,
                        uint32_t *count)
{
    const struct spv_inst *def = spv_def(p->module, id);
    uint32_t ids;
    if (def->block != loop->head && def->block != loop->exit)
        return id;
    if (def->op == SpvOpPhi) {
        for (uint32_t w = 0; w < def->num_words; w += 2) {
            if (def->words[w + 1] == loop->before->label->id)
                return def->words[w];
        }
        /* a phi of the block after the head, which has one predecessor */
        return copy_test(p, loop, b, def->words[0], count);
    }
    if (++*count > MAX_TEST || !spv_leading_ids(def, &ids))
        return 0;
    spv_id words[8];
    for (uint32_t i = 0; i < ids; i++) {
        words[i & 7] = ids <= 8 ? copy_test(p, loop, b, def->words[i], count) : 0;
        if (!words[i & 7])
            return 0;
    }
    if (!b)
        return id;
    struct spv_inst *copy = spv_inst_copy(p->module, def, spv_new_id(p->module));
    for (uint32_t i = 0; i < ids; i++)
        copy->words[i] = words[i];
    spv_inst_insert(b, copy);
    return copy->id;
}

static spv_id copy_pointer(const struct promote *p, struct spv_builder *b, spv_id id)
{
    const struct spv_inst *def = spv_def(p->module, id);
    if (!spv_op_is_chain(def->op))
        return id;
    uint32_t *words = arena_array(p->alias.arena, uint32_t, def->num_words);
    for (uint32_t i = 0; i < def->num_words; i++)
        words[i] = i ? def->words[i] : copy_pointer(p, b, def->words[i]);
    return spv_emit(b, (SpvOp)def->op, def->type, def->num_words, words);
}

/* The words of the group's first load (or store) behind its pointer (and value): the alignment. */
static void copy_access(const struct group *group, bool store, uint32_t *words, uint32_t *count)
{
    const struct spv_inst *use = group->uses[0];
    uint32_t first = use->op == SpvOpStore ? 2 : 1;
    *count = store ? 2 : 1;
    for (uint32_t i = first; i < use->num_words && *count < 6; i++)
        words[(*count)++] = use->words[i];
}

static void emit_loads(const struct promote *p, struct spv_builder *b, const struct loop *loop, uint32_t chosen,
                       const spv_id *variables)
{
    for (uint32_t i = 0; i < chosen; i++) {
        const struct group *group = &loop->groups[i];
        uint32_t words[6], count;
        if (!group->loads)
            continue;
        copy_access(group, false, words, &count);
        words[0] = copy_pointer(p, b, group->pointer);
        spv_id value = spv_emit(b, SpvOpLoad, group->type, count, words);
        if (group->scoped)
            spv_def(p->module, value)->hints.scopes = group->scoped->hints.scopes;
        spv_emitv_void(b, SpvOpStore, variables[i], value);
    }
}

static void emit_stores(const struct promote *p, struct spv_builder *b, const struct loop *loop, uint32_t chosen,
                        const spv_id *variables)
{
    for (uint32_t i = 0; i < chosen; i++) {
        const struct group *group = &loop->groups[i];
        uint32_t words[6], count;
        if (!group->stores)
            continue;
        copy_access(group, true, words, &count);
        words[0] = copy_pointer(p, b, group->pointer);
        words[1] = spv_emitv(b, SpvOpLoad, group->type, variables[i]);
        struct spv_inst *store = spv_inst_create(p->module, SpvOpStore, 0, 0, count, words);
        if (group->scoped)
            store->hints.scopes = group->scoped->hints.scopes;
        spv_inst_insert(b, store);
    }
}

struct branch {
    spv_id test; /* 0: always */
    bool enters; /* the loop runs if this is what test is */
};

/* A block for what is done only if the loop runs. It stands behind b's block, and the block that follows both of them
 * behind it. Where the loop always runs, both are b's block. b continues in the latter. */
static struct spv_builder open_branch(const struct promote *p, struct spv_builder *b, struct branch branch)
{
    struct spv_builder inner = *b;
    if (!branch.test)
        return inner;
    inner.block = spv_block_create(b->function, p->module, 0);
    struct spv_block *join = spv_block_create(b->function, p->module, 0);
    spv_block_insert_after(b->block, inner.block);
    spv_block_insert_after(inner.block, join);
    spv_id yes = branch.enters ? inner.block->label->id : join->label->id;
    spv_id no = branch.enters ? join->label->id : inner.block->label->id;
    spv_emitv_void(b, SpvOpSelectionMerge, join->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(b, SpvOpBranchConditional, branch.test, yes, no);
    b->block = join;
    return inner;
}

static void close_branch(struct spv_builder *inner, const struct spv_builder *b)
{
    if (inner->block != b->block)
        spv_emitv_void(inner, SpvOpBranch, b->block->label->id);
}

/* Loads in front of the loop, and says under which condition the loop runs. */
static struct branch enter(const struct promote *p, const struct loop *loop, uint32_t chosen, const spv_id *variables)
{
    struct spv_inst *end = spv_terminator(loop->before);
    struct spv_builder b = {p->module, loop->head->function, loop->before, end, NULL};
    struct branch branch = {0};
    uint32_t count = 0;
    if (loop->tests_first) {
        const struct spv_inst *test = spv_terminator(loop->exit);
        branch.enters = test->words[2] == spv_merge_inst(loop->head)->words[0];
        branch.test = copy_test(p, loop, &b, test->words[0], &count);
    }
    spv_inst_remove(p->module, end);
    b.before = NULL;
    bool loads = false;
    for (uint32_t i = 0; i < chosen; i++) { /* so that nothing is carried here from an earlier run of the loop */
        const spv_id undefined = spv_undef(p->module, loop->groups[i].type);
        spv_emitv_void(&b, SpvOpStore, variables[i], undefined);
        loads |= loop->groups[i].loads;
    }
    struct spv_builder inner = open_branch(p, &b, loads ? branch : (struct branch){0});
    emit_loads(p, &inner, loop, chosen, variables);
    close_branch(&inner, &b);
    spv_emitv_void(&b, SpvOpBranch, loop->head->label->id);
    if (b.block != loop->before)
        cfg_rename_phi_pred(p->module, b.block, loop->before->label->id, b.block->label->id);
    return branch;
}

/* Stores behind the loop, in a new merge block. */
static void leave(const struct promote *p, const struct loop *loop, uint32_t chosen, const spv_id *variables,
                  struct branch branch)
{
    struct spv_inst *merge = spv_merge_inst(loop->head), *test = spv_terminator(loop->exit);
    struct spv_block *after = spv_block_of(p->module, merge->words[0]);
    struct spv_block *stores = spv_block_create(loop->head->function, p->module, 0);
    spv_block_insert_after(after->prev, stores);
    struct spv_builder b = {p->module, loop->head->function, stores, NULL, NULL};
    struct spv_builder inner = open_branch(p, &b, branch);
    emit_stores(p, &inner, loop, chosen, variables);
    close_branch(&inner, &b);
    test->words[test->words[1] == after->label->id ? 1 : 2] = stores->label->id;
    merge->words[0] = stores->label->id;
    spv_emitv_void(&b, SpvOpBranch, after->label->id);
    cfg_rename_phi_pred(p->module, b.block, loop->exit->label->id, b.block->label->id);
}

/* The loop's own accesses go to the variable. */
static void replace_uses(const struct promote *p, const struct group *group, spv_id variable)
{
    for (uint32_t i = 0; i < group->num_uses; i++) {
        struct spv_inst *use = group->uses[i];
        const uint32_t words[] = {variable, use->op == SpvOpStore ? use->words[1] : 0};
        spv_inst_set_words(p->module, use, use->op == SpvOpStore ? 2 : 1, words);
    }
}

static void change(const struct promote *p, const struct loop *loop, uint32_t chosen)
{
    struct spv_builder entry = {p->module, loop->head->function, loop->head->function->first_block, NULL, NULL};
    spv_id variables[MAX_GROUPS];
    bool stores = false;
    for (uint32_t i = 0; i < chosen; i++) {
        variables[i] = spv_emit_variable(&entry, loop->groups[i].type);
        stores |= loop->groups[i].stores;
    }
    struct branch branch = enter(p, loop, chosen, variables);
    if (stores)
        leave(p, loop, chosen, variables, branch);
    for (uint32_t i = 0; i < chosen; i++)
        replace_uses(p, &loop->groups[i], variables[i]);
}

/* ---- the pass ---- */

static bool can_test(const struct promote *p, const struct loop *loop)
{
    uint32_t count = 0;
    return !loop->tests_first || copy_test(p, loop, NULL, spv_terminator(loop->exit)->words[0], &count);
}

static bool is_stale(const struct loop *loop, const bool *stale)
{
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        if (stale[loop->blocks[i]->index])
            return true;
    }
    return false;
}

/* Loops from the last header to the first, so that inner ones come before those around them. A change makes the graph
 * stale only for loops around it: these keep their turn for the next run. */
static bool promote_in(struct promote *p)
{
    struct loop *loop = arena_new(p->alias.arena, struct loop);
    bool *stale = arena_array(p->alias.arena, bool, p->cfg.count);
    bool changed = false;
    for (uint32_t i = p->cfg.count; i-- > 0;) {
        if (!spv_merge_inst(p->cfg.blocks[i]) || !find_loop(p, p->cfg.blocks[i], loop) || is_stale(loop, stale) ||
            !collect(p, loop))
            continue;
        uint32_t chosen = choose(p, loop);
        if (!chosen || !can_test(p, loop))
            continue;
        change(p, loop, chosen);
        changed = stale[loop->before->index] = true;
        for (uint32_t k = 0; k < loop->num_blocks; k++)
            stale[loop->blocks[k]->index] = true;
    }
    return changed;
}

bool opt_promote(struct spv_module *module, struct spv_function *function)
{
    struct promote p = {.module = module};
    if (!function->first_block || !function->first_block->next)
        return false;
    struct arena_mark mark = spv_scratch_begin(module);
    spv_cfg_keep(module, function, &p.cfg);
    bool changed = false;
    if (cfg_has_loops(&p.cfg)) {
        alias_start(&p.alias, module, function, &p.cfg);
        p.visited = arena_array(p.alias.arena, uint32_t, p.cfg.count);
        if (module->scopes)
            cfg_find_loops(p.alias.arena, &p.cfg, &p.loops);
        changed = p.alias.writers.length && promote_in(&p);
        alias_finish(&p.alias);
    }
    spv_scratch_end(module, mark);
    return changed;
}
