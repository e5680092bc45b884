/* Loop-invariant code motion: each pure instruction moves out of as many loops as its operands allow, to the end of the
 * block before the loop.
 *
 * opt_hoist_sums() also puts sums in order first, so that the summands that change least are added first:
 *
 *     (i + x) + y  =>  (x + y) + i       where only i changes in the loop; x + y then moves out
 *
 * The new sums are no longer known not to overflow, which other passes want to know; so this is done late, when
 * addresses are made.
 *
 * Instructions are visited in order, so a sum's operands have moved before the sum is put in order.
 *
 * Integer divisions stay unless the divisor is a constant, since dividing by zero is undefined and the loop may run no
 * time at all. Pointers stay, since some drivers make bad code of a pointer that crosses blocks. Vectors that are put
 * together stay, since their parts are in registers already. */
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/opt.h"

enum {
    MAX_SUMMANDS = 8,
    MAX_SHARED = 16, /* sums made of shared ones in a function: each is a register in the loop */
};

struct hoist {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    uint32_t *depth;  /* of each header: loops around its loop, and itself */
    uint32_t *before; /* of each header: the block that leads to it; SPV_UNREACHABLE: none such */
    uint32_t *uses;   /* id -> how often it is used, where sums are put in order */
    uint32_t bound;   /* of the ids that it knows */
    uint32_t shared;  /* sums made of shared ones */
    VEC(spv_id) used; /* those that are at all */
    bool changed;
};

/* The header of the innermost loop in which id is defined. */
static uint32_t loop_of(const struct hoist *h, spv_id id)
{
    const struct spv_block *block = spv_def(h->module, id)->block;
    return block && block->index != SPV_UNREACHABLE ? h->loops.loop[block->index] : CFG_NO_LOOP;
}

static uint32_t depth_of_loop(const struct hoist *h, uint32_t header)
{
    return header == CFG_NO_LOOP ? 0 : h->depth[header];
}

/* The innermost loop that contains both a and b. For the loops of a value and of its user: the user can move out as far
 * as this loop. */
static uint32_t common_loop(const struct hoist *h, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (depth_of_loop(h, a) >= depth_of_loop(h, b))
            a = h->loops.parent[a];
        else
            b = h->loops.parent[b];
    }
    return a;
}

/* ---- what may move ---- */

/* Whether a division is defined for every dividend: not by 0, nor by -1, which may overflow. */
static bool divides_safely(const struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t divisor;
    uint32_t width = spv_type_width(module, inst->type);
    return spv_const_value(module, inst->words[1], &divisor) && divisor && divisor != UINT64_MAX >> (64 - width);
}

static bool may_move(const struct spv_module *module, const struct spv_inst *inst)
{
    if (spv_op_class(inst->op) == SPV_CLASS_INT_DIVISION)
        return divides_safely(module, inst);
    switch (inst->op) {
    case SpvOpLoad: /* ids, sizes: what the launch says */
        return !(inst->num_words > 1 && inst->words[1] & SpvMemoryAccessVolatileMask) &&
               spv_pointer_storage(module, spv_value_type(module, inst->words[0])) == SpvStorageClassInput;
    case SpvOpFunctionCall:
        return opt_is_const_call(module, inst) && spv_type_op(module, inst->type) != SpvOpTypeVoid &&
               !spv_type_is_pointer(module, inst->type);
    case SpvOpPhi:
    case SpvOpConvertUToPtr:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpSampledImage:
    case SpvOpImageTexelPointer:
    case SpvOpCompositeConstruct:
    case SpvOpUndef:
        return false;
    case SpvOpVectorShuffle: /* these cost nothing where they are */
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
        return !spv_type_is_float(module, inst->type);
    default:
        return inst->id && inst->type && spv_inst_is_pure(inst) && !spv_type_is_pointer(module, inst->type);
    }
}

struct operands {
    const struct hoist *hoist;
    uint32_t from, to; /* loops */
};

static void look_at_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct operands *o = data;
    (void)inst;
    if (o->to == o->from || spv_is_constant(o->hoist->module, *word))
        return;
    uint32_t loop = common_loop(o->hoist, loop_of(o->hoist, *word), o->from);
    if (depth_of_loop(o->hoist, loop) > depth_of_loop(o->hoist, o->to))
        o->to = loop;
}

/* Whether the block runs in each iteration after which the loop goes on. */
static bool runs_always(const struct hoist *h, uint32_t header, uint32_t block)
{
    for (uint32_t e = h->cfg.pred_start[header]; e < h->cfg.pred_start[header + 1]; e++) {
        uint32_t latch = h->cfg.preds[e];
        if (latch >= header && !spv_dominates(&h->cfg, block, latch))
            return false;
    }
    return true;
}

/* The block at whose end inst can be placed; its own block where it cannot move. An expensive instruction moves only
 * out of loops that run it in every iteration, so that it is never computed for nothing. */
static uint32_t destination(struct hoist *h, struct spv_inst *inst, uint32_t block)
{
    struct operands o = {h, h->loops.loop[block], CFG_NO_LOOP};
    bool is_function = inst->op == SpvOpExtInst && inst->hints.ext_set != SPV_EXT_SET_PRIVATE;
    bool costly = is_function || inst->op == SpvOpFDiv || inst->op == SpvOpFunctionCall ||
                  spv_op_class(inst->op) == SPV_CLASS_INT_DIVISION;
    spv_visit_operand_ids(inst, look_at_operand, &o);
    uint32_t best = block;
    for (uint32_t loop = o.from; loop != o.to && h->before[loop] != SPV_UNREACHABLE; loop = h->loops.parent[loop]) {
        if (costly && !runs_always(h, loop, block))
            break;
        best = h->before[loop];
    }
    return best;
}

/* ---- sums ---- */

struct sum {
    spv_id summands[MAX_SUMMANDS];
    struct spv_inst *adds[MAX_SUMMANDS]; /* innermost first; the last one is the whole */
    uint32_t count, num_adds;
};

static uint32_t uses_of(const struct hoist *h, spv_id id)
{
    return id < h->bound ? h->uses[id] : UINT32_MAX;
}

/* Collects the summands of inst, an addition. An operand that is itself a sum with no other use gives its summands.
 * pending: how many operands of the sums around are still to be collected. */
static void flatten(const struct hoist *h, struct spv_inst *inst, uint32_t pending, struct sum *sum)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct spv_inst *inner = spv_def(h->module, inst->words[i]);
        uint32_t later = pending + (i == 0);
        if (inner->block && inner->op == SpvOpIAdd && inner->type == inst->type && uses_of(h, inner->id) == 1 &&
            inner->block == inst->block && sum->count + 2 + later <= MAX_SUMMANDS)
            flatten(h, inner, later, sum);
        else
            sum->summands[sum->count++] = inst->words[i];
    }
    sum->adds[sum->num_adds++] = inst;
}

static bool is_inner_sum(const struct hoist *h, const struct spv_inst *inst)
{
    const struct spv_inst *next = inst->next;
    /* Its only user mostly stands near. A sum that is part of a larger one is ordered together with that. */
    for (uint32_t steps = 0; next && steps < 4 && uses_of(h, inst->id) == 1; steps++, next = next->next) {
        if (next->op == SpvOpIAdd && next->type == inst->type &&
            (next->words[0] == inst->id || next->words[1] == inst->id))
            return true;
    }
    return false;
}

/* Orders the summands by the depth of their loop. Constants come last, so that they become offsets of the access. False
 * where they are in order. */
static bool order_sum(struct hoist *h, struct spv_inst *inst, uint32_t block, struct sum *sum)
{
    uint32_t around = h->loops.loop[block], depths[MAX_SUMMANDS];
    if (is_inner_sum(h, inst))
        return false;
    flatten(h, inst, 0, sum);
    if (sum->count < 3)
        return false;
    bool ordered = true;
    for (uint32_t i = 0; i < sum->count; i++) {
        bool constant = !spv_def(h->module, sum->summands[i])->block &&
                        spv_op_is_constant(spv_def(h->module, sum->summands[i])->op);
        depths[i] = constant ? UINT32_MAX : depth_of_loop(h, common_loop(h, loop_of(h, sum->summands[i]), around));
        ordered = ordered && (!i || depths[i - 1] <= depths[i]);
    }
    if (ordered)
        return false;
    for (uint32_t i = 1; i < sum->count; i++) {
        for (uint32_t k = i; k && depths[k - 1] > depths[k]; k--) {
            uint32_t depth = depths[k];
            spv_id id = sum->summands[k];
            depths[k] = depths[k - 1];
            sum->summands[k] = sum->summands[k - 1];
            depths[k - 1] = depth;
            sum->summands[k - 1] = id;
        }
    }
    spv_id left = sum->summands[0];
    for (uint32_t i = 0; i < sum->num_adds; i++) {
        const uint32_t words[] = {left, sum->summands[i + 1]};
        /* all of them stand where the last one is, behind all summands */
        if (sum->adds[i] != inst) {
            struct spv_builder at = {h->module, inst->block->function, inst->block, inst};
            spv_inst_unlink(sum->adds[i]);
            spv_inst_insert(&at, sum->adds[i]);
        }
        spv_inst_set_words(h->module, sum->adds[i], 2, words);
        left = sum->adds[i]->id;
    }
    h->changed = true;
    return true;
}

/* ---- the pass ---- */

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct hoist *h = data;
    (void)inst;
    if (!h->uses[*word]++)
        vec_push(spv_scratch(h->module), &h->used, *word);
}

static void prepare(struct hoist *h, struct arena *arena)
{
    uint32_t count = h->cfg.count;
    h->depth = arena_array(arena, uint32_t, count);
    h->before = arena_array(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        if (h->uses) {
            spv_foreach_inst (inst, &h->cfg.blocks[i]->insts)
                spv_visit_operand_ids(inst, count_use, h);
        }
        if (!h->loops.is_header[i])
            continue;
        h->depth[i] = depth_of_loop(h, h->loops.parent[i]) + 1;
        h->before[i] = SPV_UNREACHABLE;
        uint32_t outside = 0;
        for (uint32_t e = h->cfg.pred_start[i]; e < h->cfg.pred_start[i + 1]; e++) {
            if (cfg_in_loop(&h->loops, i, h->cfg.preds[e]))
                continue;
            outside++;
            h->before[i] = h->cfg.preds[e];
        }
        if (outside != 1 || h->loops.loop[h->before[i]] != h->loops.parent[i])
            h->before[i] = SPV_UNREACHABLE;
    }
}

/* Whether id is no constant and changes less often than the loop around the block runs. */
static bool stays(const struct hoist *h, spv_id id, uint32_t block)
{
    uint32_t loop = h->loops.loop[block];
    return !spv_is_constant(h->module, id) && common_loop(h, loop_of(h, id), loop) != loop;
}

/* Moves inst, of that block, out of as many loops as it can. */
static void move(struct hoist *h, struct spv_inst *inst, uint32_t from)
{
    uint32_t to = may_move(h->module, inst) ? destination(h, inst, from) : from;
    if (to == from)
        return;
    struct spv_block *block = h->cfg.blocks[to];
    struct spv_inst *end = spv_merge_inst(block);
    struct spv_builder at = {h->module, block->function, block, end ? end : spv_terminator(block)};
    spv_inst_unlink(inst);
    spv_inst_insert(&at, inst);
    h->changed = true;
}

/* Where several sums share what changes, as several addresses share an index, each gets what does not change for
 * itself:
 *
 *     i + x = s;  s + y, s + z  =>  (x + y) + i, (x + z) + i
 *
 * It takes as many additions in the loop, or one less, and each has a base that stays. */
static void part_from_shared(struct hoist *h, struct spv_inst *inst, uint32_t from)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct spv_inst *inner = spv_def(h->module, inst->words[i]);
        spv_id other = inst->words[!i];
        if (!inner->block || inner->op != SpvOpIAdd || inner->block != inst->block || uses_of(h, inner->id) < 2 ||
            !stays(h, other, from) || h->shared == MAX_SHARED)
            continue;
        uint32_t which = stays(h, inner->words[0], from) ? 0 : 1;
        spv_id same = inner->words[which], changes = inner->words[!which];
        if (!stays(h, same, from) || stays(h, changes, from) || spv_is_constant(h->module, changes))
            continue;
        struct spv_builder at = {h->module, inst->block->function, inst->block, inst};
        spv_id base = spv_emitv(&at, SpvOpIAdd, inst->type, same, other);
        if (inner->id < h->bound)
            h->uses[inner->id]--;
        if (changes < h->bound)
            h->uses[changes]++;
        spv_inst_set_words(h->module, inst, 2, (const uint32_t[]){base, changes});
        move(h, spv_def(h->module, base), from);
        h->shared++;
        h->changed = true;
        return;
    }
}

/* Parts of a sum that was put in order may move, too. */
static void move_sum(struct hoist *h, struct spv_inst *inst, uint32_t from)
{
    struct sum sum = {.count = 0};
    part_from_shared(h, inst, from);
    if (order_sum(h, inst, from, &sum)) {
        for (uint32_t i = 0; i + 1 < sum.num_adds; i++)
            move(h, sum.adds[i], from);
    }
    move(h, inst, from);
}

static bool hoist(struct spv_module *module, struct spv_function *function, bool sums)
{
    struct hoist h = {.module = module};
    if (!function->first_block || !function->first_block->next)
        return false;
    struct arena *arena = spv_scratch(module);
    struct arena_mark mark = spv_scratch_begin(module);
    spv_cfg_keep(module, function, &h.cfg);
    bool any = cfg_has_loops(&h.cfg);
    if (any)
        cfg_find_loops(arena, &h.cfg, &h.loops);
    if (!any || !h.loops.reducible) {
        spv_scratch_end(module, mark);
        return false;
    }
    if (sums) {
        h.bound = module->bound;
        h.uses = spv_borrow_table(module, uint32_t);
    }
    prepare(&h, arena);
    for (uint32_t i = 0; i < h.cfg.count; i++) {
        if (h.loops.loop[i] == CFG_NO_LOOP)
            continue;
        spv_foreach_inst_safe (inst, &h.cfg.blocks[i]->insts) {
            if (sums && inst->op == SpvOpIAdd)
                move_sum(&h, inst, i);
            else
                move(&h, inst, i);
        }
    }
    for (uint32_t i = 0; i < h.used.length; i++)
        h.uses[h.used.data[i]] = 0;
    spv_give_back_zeroed(module, h.uses);
    spv_scratch_end(module, mark);
    return h.changed;
}

bool opt_hoist(struct spv_module *module, struct spv_function *function)
{
    return hoist(module, function, false);
}

bool opt_hoist_sums(struct spv_module *module, struct spv_function *function)
{
    return hoist(module, function, true);
}
