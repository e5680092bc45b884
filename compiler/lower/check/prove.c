/* Finds accesses that need no comparison (checking.h).
 *
 * Some are seen to be right by constants: table[i & 15], a row of local memory by a local id, an array in a loop of so many
 * rounds. Of others it is seen in front of a loop:
 *
 *     for (k = 0; k < n; k++)         if (row * n >= 0 && row * n + n - 1 < size of a && ...)
 *         sum += a[row * n + k];  ->      for (k = 0; k < n; k++)
 *                                             sum += a[row * n + k];      no comparison
 *                                     else
 *                                         for (k = 0; k < n; k++)
 *                                             sum += a[row * n + k];      with one in each round
 *
 * So what goes wrong is found in the loop that has all comparisons, and by the same access as ever. The loop is the outermost
 * whose accesses can all be seen so, or an innermost one. Loops in which work-items meet stay as they are: not all would
 * take the same copy. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/check/spans.h"
#include "compiler/lower/values/launch.h"

#include "compiler/opt/opt.h"

enum { MOST_INSTS = 500, MOST_COPIED = 2500, MOST_MARKS = 48 };

struct proving {
    struct checking *c;
    struct spv_function *function;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    bool *region; /* by block: of the loop at hand */
    uint32_t copied;
};

/* ---- marks ---- */

static const struct clc_check_site *site_of(const struct checking *c, const struct spv_inst *inst)
{
    uint64_t site = 0;
    spv_const_value(c->module, inst->words[4], &site);
    return &c->lower->check_sites.data[site];
}

/* An index that is held against its array's length (indices.c): the index as 64 bits. */
static spv_id index_of(const struct checking *c, const struct spv_inst *inst)
{
    const struct spv_inst *wrong =
        spv_is_private(inst, SPV_PRIVATE_CHECK_FAULT) ? spv_def(c->module, inst->words[2]) : NULL;
    return wrong && wrong->op == SpvOpUGreaterThanEqual && site_of(c, inst)->kind == CLC_SITE_INDEX ? wrong->words[0]
                                                                                                    : 0;
}

static bool is_mark(const struct checking *c, const struct spv_inst *inst)
{
    return inst->op == SpvOpExtInst && (spv_is_private(inst, SPV_PRIVATE_CHECKED) || index_of(c, inst));
}

static void note_proven(struct checking *c, spv_id mark)
{
    u64_map_set(c->module->arena, &c->proven, mark, c);
}

static bool proves_index(struct check_spans *s, const struct checking *c, const struct spv_inst *inst)
{
    struct check_span span;
    return check_span_exactly(s, index_of(c, inst), true, 0, &span) &&
           check_span_keep(s, &span, 0, (int64_t)site_of(c, inst)->size - 1);
}

/* What an argument leads into begins at start, and the argument may lead into its middle. */
static void require_room(struct check_spans *s, const struct checking *c, const struct spv_inst *root,
                         const struct check_span *span, uint64_t bytes, bool writes)
{
    spv_id u64 = spv_type_int(s->module, 64), truth = spv_type_bool(s->module);
    uint32_t number = check_param_number(c, root->id);
    enum clc_arg_limit limit = writes ? CLC_LIMIT_WRITE : CLC_LIMIT_READ;
    spv_id size = lower_emit_arg_limit(s->lower, s->b, number, limit), begun = 0;
    if (check_storage_of(c, root->id) != SpvStorageClassWorkgroup) {
        spv_id start = lower_emit_arg_limit(s->lower, s->b, number, CLC_LIMIT_START);
        begun = spv_emitv(s->b, SpvOpISub, u64, spv_emitv(s->b, SpvOpConvertPtrToU, u64, root->id), start);
        check_require(s, spv_emitv(s->b, SpvOpULessThanEqual, truth, begun, size));
        size = spv_emitv(s->b, SpvOpISub, u64, size, begun);
    }
    spv_id end = spv_emitv(s->b, SpvOpIAdd, u64, check_high(s, span), spv_const_u64(s->module, bytes));
    check_require(s, spv_emitv(s->b, SpvOpULessThanEqual, truth, end, size));
}

/* What the kernel loads of the access may begin behind its address. */
static bool reach(struct check_spans *s, const struct clc_check_site *site, struct check_span *span, uint64_t *bytes)
{
    struct check_part reached = check_reached(site);
    const struct check_span from = *span, first = check_span_known(reached.first, reached.first);
    if (!site->size || reached.bytes == site->size)
        return true;
    *bytes = reached.bytes;
    return check_span_add(s, &from, &first, span);
}

static bool proves_access(struct check_spans *s, const struct checking *c, const struct spv_inst *inst)
{
    enum { LARGE = 1 << 30 };
    struct check_roots roots;
    struct check_span span;
    uint64_t bytes;
    const struct clc_check_site *site = site_of(c, inst);
    uint32_t how = site->access;
    check_find_roots(c->lower, inst->words[2], &roots);
    const struct spv_inst *root = roots.count == 1 && !roots.unknown ? spv_def(c->module, roots.list[0]) : NULL;
    bool told = root && check_is_told(c, root);
    if (!root || (told && !s->b) || !spv_const_value(c->module, inst->words[3], &bytes) || bytes > LARGE ||
        !check_span_of_distance(s, inst->words[2], root->id, &span) || !reach(s, site, &span, &bytes))
        return false;
    if (!told) {
        uint64_t size = spv_layout_of(s->layouts, spv_pointer_pointee(c->module, root->type))->size;
        bool kept = check_storage_of(c, root->id) == SpvStorageClassUniformConstant && how & CLC_SITE_WRITES;
        return bytes <= size && !kept && size < INT64_MAX && check_span_keep(s, &span, 0, (int64_t)(size - bytes));
    }
    if (!check_span_keep(s, &span, 0, (int64_t)1 << 60) || (!span.high && span.most > LARGE))
        return false;
    if (how & CLC_SITE_READS)
        require_room(s, c, root, &span, bytes, false);
    if (how & CLC_SITE_WRITES)
        require_room(s, c, root, &span, bytes, true);
    return true;
}

static bool proves(struct check_spans *s, const struct checking *c, const struct spv_inst *inst)
{
    spv_id condition = s->condition;
    s->at = inst->block->index;
    s->steps = 0;
    if (index_of(c, inst) ? proves_index(s, c, inst) : proves_access(s, c, inst))
        return true;
    s->condition = condition;
    return false;
}

static struct check_spans spans_of(struct proving *p)
{
    return (struct check_spans){
        .lower = p->c->lower, .module = p->c->module, .layouts = &p->c->layouts, .cfg = &p->cfg, .loops = &p->loops};
}

static void prove_by_constants(struct proving *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            struct check_spans s = spans_of(p);
            if (is_mark(p->c, inst) && proves(&s, p->c, inst))
                note_proven(p->c, inst->id);
        }
    }
}

/* ---- loops that may be copied ---- */

static bool may_copy(const struct proving *p, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpPhi:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpUnreachable:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return true;
    case SpvOpFunctionCall:
        return opt_is_const_call(p->c->module, inst);
    case SpvOpExtInst:
        return spv_inst_is_pure(inst) || spv_is_private(inst, SPV_PRIVATE_CHECKED) ||
               spv_is_private(inst, SPV_PRIVATE_CHECK_FAULT);
    default:
        return spv_inst_is_pure(inst) || spv_op_is_atomic(inst->op);
    }
}

static struct spv_block *behind_of(const struct proving *p, uint32_t head)
{
    const struct spv_inst *merge = spv_merge_inst(p->cfg.blocks[head]);
    struct spv_block *behind =
        merge && merge->op == SpvOpLoopMerge ? spv_block_of(p->c->module, merge->words[0]) : NULL;
    return behind && behind->index < p->cfg.count ? behind : NULL;
}

/* The loop and what it leads to without the block behind it. */
static void find_region(struct proving *p, uint32_t head, uint32_t behind)
{
    for (uint32_t i = 0; i < p->cfg.count; i++)
        p->region[i] = spv_dominates(&p->cfg, head, i) && !spv_dominates(&p->cfg, behind, i);
}

/* The one block that leads to the loop; NULL: there are several, or the loop's head is where another construct ends. */
static struct spv_block *before_of(const struct proving *p, uint32_t head)
{
    struct spv_block *before = NULL;
    for (uint32_t e = p->cfg.pred_start[head]; e < p->cfg.pred_start[head + 1]; e++) {
        if (p->region[p->cfg.preds[e]])
            continue;
        if (before)
            return NULL;
        before = p->cfg.blocks[p->cfg.preds[e]];
    }
    spv_id label = p->cfg.blocks[head]->label->id;
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        const struct spv_inst *merge = spv_merge_inst(p->cfg.blocks[i]);
        if (merge && (merge->words[0] == label || (merge->op == SpvOpLoopMerge && merge->words[1] == label)))
            return NULL;
    }
    return before;
}

/* Whether it is entered at its head alone, and left to the block behind it. */
static bool can_copy(const struct proving *p, uint32_t head, uint32_t behind, uint32_t *size)
{
    *size = 0;
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        if (!p->region[i])
            continue;
        for (uint32_t e = p->cfg.succ_start[i]; e < p->cfg.succ_start[i + 1]; e++) {
            if (!p->region[p->cfg.succs[e]] && p->cfg.succs[e] != behind)
                return false;
        }
        for (uint32_t e = p->cfg.pred_start[i]; i != head && e < p->cfg.pred_start[i + 1]; e++) {
            if (!p->region[p->cfg.preds[e]])
                return false;
        }
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            if (!may_copy(p, inst))
                return false;
            ++*size;
        }
    }
    return *size <= MOST_INSTS && *size + p->copied <= MOST_COPIED;
}

/* ---- copies ---- */

struct found {
    spv_id marks[MOST_MARKS];
    uint32_t count, others;
};

/* Whether the access is one of private memory: its index is known once the loop is written out, or the array is in memory
 * and slow anyway. */
static bool is_private(const struct checking *c, const struct spv_inst *inst)
{
    return !index_of(c, inst) && check_storage_of(c, inst->words[2]) == SpvStorageClassFunction;
}

static void find_marks(struct proving *p, struct check_spans *s, struct found *found)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        if (!p->region[i])
            continue;
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            if (!is_mark(p->c, inst) || check_is_proven(p->c, inst) || is_private(p->c, inst))
                continue;
            if (found->count < MOST_MARKS && proves(s, p->c, inst))
                found->marks[found->count++] = inst->id;
            else
                found->others++;
        }
    }
}

/* What was proven of the loop's accesses holds of those of the copy. */
static void prove_copies(struct proving *p, const struct found *found, const spv_id *ids)
{
    for (uint32_t i = 0; i < found->count; i++)
        note_proven(p->c, ids[found->marks[i]]);
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        if (!p->region[i])
            continue;
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            if (is_mark(p->c, inst) && check_is_proven(p->c, inst))
                note_proven(p->c, ids[inst->id]);
        }
    }
}

/* Whether a private array is accessed by numbers that are known once the loop is written out. */
static bool has_private_arrays(const struct proving *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        if (!p->region[i])
            continue;
        spv_foreach_inst (inst, &p->cfg.blocks[i]->insts) {
            if (spv_op_is_chain(inst->op) && spv_pointer_storage(p->c->module, inst->type) == SpvStorageClassFunction)
                return true;
        }
    }
    return false;
}

/* The loop with the comparisons is there for what is wrong. */
static void keep_short(const struct proving *p)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        struct spv_inst *merge = p->region[i] ? spv_merge_inst(p->cfg.blocks[i]) : NULL;
        if (!merge || merge->op != SpvOpLoopMerge)
            continue;
        merge->words[2] = SpvLoopControlDontUnrollMask;
        merge->hints.unroll = 0;
    }
}

static void drop(struct spv_module *module, struct spv_block *block)
{
    while (block->insts.last)
        spv_inst_remove(module, block->insts.last);
}

/* Whether there is nothing more to do in the loop. */
static bool copy_loop(struct proving *p, uint32_t head, bool has_inner)
{
    struct spv_module *module = p->c->module;
    struct spv_block *behind = behind_of(p, head);
    struct found found = {.count = 0};
    uint32_t size;
    if (!behind)
        return false;
    find_region(p, head, behind->index);
    struct check_loop loop = {p->function, before_of(p, head), p->cfg.blocks[head], behind, p->region, p->cfg.count};
    if (!loop.before || p->region[behind->index] || !can_copy(p, head, behind->index, &size))
        return false;
    struct spv_block *front = spv_block_create(p->function, module, 0);
    front->index = SPV_UNREACHABLE;
    struct spv_builder b = {module, p->function, front, NULL, NULL};
    struct check_spans s = spans_of(p);
    s.b = &b;
    s.region = p->region;
    find_marks(p, &s, &found);
    if (!found.count || (found.others && has_inner) || !s.condition) {
        drop(module, front);
        return !found.count && !found.others;
    }
    spv_id *ids = arena_array(module->arena, spv_id, module->bound);
    check_copy_loop(module, &loop, front, s.condition, ids);
    prove_copies(p, &found, ids);
    if (!has_private_arrays(p))
        keep_short(p);
    p->copied += size;
    return true;
}

/* The loops directly inside of the one, or of none. */
static void copy_loops(struct proving *p, uint32_t around)
{
    for (uint32_t i = 0; i < p->cfg.count; i++) {
        if (!p->loops.is_header[i] || p->loops.parent[i] != around)
            continue;
        if (!copy_loop(p, i, p->loops.size[i] > 1))
            copy_loops(p, i);
    }
}

void check_prove(struct checking *c, struct spv_function *function)
{
    struct arena *arena = c->module->arena;
    struct proving p = {.c = c, .function = function};
    if (!function->first_block)
        return;
    spv_cfg_compute(arena, c->module, function, &p.cfg);
    cfg_find_loops(arena, &p.cfg, &p.loops);
    if (!p.loops.reducible)
        return;
    prove_by_constants(&p);
    p.region = arena_array(arena, bool, p.cfg.count);
    if (function != c->lower->kernel)
        return;
    copy_loops(&p, CFG_NO_LOOP);
    if (p.copied)
        spv_cfg_forget(function);
}
