/* Values that leave a loop go through a phi in its merge block. SPIR-V wants none: a definition inside a loop may be
 * used behind it, since it dominates the use. But SwiftShader runs several work-items as the lanes of one vector, and
 * repeats the loop until the last lane has left it. A lane that left earlier computes along: what it loads then is 0,
 * and a use behind the loop sees what was computed last. Only phis of the merge block keep what a lane had when it
 * left.
 *
 * A phi of one value alone would be taken for a copy by SwiftShader's optimiser. So the header gets a branch to the
 * merge block, too, which no work-item ever takes, but no driver knows that:
 *
 *     H: LoopMerge M C                      H: LoopMerge M C
 *        Branch B                              BranchConditional never M N
 *                                           N: Branch B
 *     B: v = load                           B: v = load
 *     C: BranchConditional c H M            C: BranchConditional c H M
 *     M: use(v)                             M: w = phi(0 from H, v from C)
 *                                              use(w)
 *
 * Pointers cannot be phis everywhere. They are computed again behind the loop, of numbers that went through phis.
 *
 * On drivers that keep each lane's last values, by the probe (CLC_PROBE_LOOPS), the pass does nothing. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/spv/cfg.h"

#include "base/map.h"

#include <string.h>

#define NO_LOOP UINT32_MAX

struct loop {
    uint32_t header, merge; /* blocks' numbers; merge is SPV_UNREACHABLE where the loop never ends */
    uint32_t parent;        /* the loop around, or NO_LOOP */
    bool has_phis;          /* made here: it gets the other branch to its merge block */
};

struct loops {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    struct spv_cfg cfg;
    VEC(struct loop) all; /* outer ones first */
    uint32_t *inside;     /* of each block: the innermost loop that it is in, or NO_LOOP */
    struct u64_map phis;  /* merge block and value -> the phi's instruction, made here */
    struct spv_block *at; /* where the operand at hand is used */
    struct spv_inst *user;
    bool failed;
};

static bool contains(const struct loops *l, const struct loop *loop, uint32_t block)
{
    return spv_dominates(&l->cfg, loop->header, block) &&
           (loop->merge == SPV_UNREACHABLE || !spv_dominates(&l->cfg, loop->merge, block));
}

static uint32_t number_of(const struct loops *l, spv_id label)
{
    const struct spv_block *block = spv_block_of(l->module, label);
    return block ? block->index : SPV_UNREACHABLE;
}

/* Blocks come in reverse post-order: a header before what it dominates, and so outer loops before inner ones. */
static void find_loops(struct loops *l, struct arena *arena)
{
    l->inside = arena_array(arena, uint32_t, l->cfg.count);
    for (uint32_t i = 0; i < l->cfg.count; i++) {
        const struct spv_inst *merge = spv_merge_inst(l->cfg.blocks[i]);
        uint32_t loop = i ? l->inside[l->cfg.idom[i]] : NO_LOOP;
        while (loop != NO_LOOP && !contains(l, &l->all.data[loop], i))
            loop = l->all.data[loop].parent;
        if (merge && merge->op == SpvOpLoopMerge) {
            struct loop found = {i, number_of(l, merge->words[0]), loop};
            loop = l->all.length;
            vec_push(arena, &l->all, found);
        }
        l->inside[i] = loop;
    }
}

/* Pointers, and images that were loaded from their descriptors. */
static bool has_no_phis(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return op == SpvOpTypePointer || spv_op_class(op) == SPV_CLASS_IMAGE_TYPE;
}

static bool can_compute_again(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpConvertUToPtr:
    case SpvOpBitcast:
    case SpvOpSampledImage:
    case SpvOpImage:
    case SpvOpLoad: /* of a descriptor, which no kernel writes */
        return true;
    default:
        return false;
    }
}

/* The phi of value in the loop's merge block: the same from everywhere, since the value dominates the merge block. */
static spv_id phi_behind(struct loops *l, struct loop *loop, spv_id value)
{
    uint64_t key = (uint64_t)loop->merge << 32 | value;
    struct spv_inst *phi = u64_map_get(&l->phis, key);
    if (phi)
        return phi->id;
    uint32_t first = l->cfg.pred_start[loop->merge], count = l->cfg.pred_start[loop->merge + 1] - first;
    uint32_t *words = arena_array(spv_scratch(l->module), uint32_t, (size_t)count * 2);
    for (uint32_t i = 0; i < count; i++) {
        words[2 * i] = value;
        words[2 * i + 1] = l->cfg.blocks[l->cfg.preds[first + i]]->label->id;
    }
    struct spv_block *block = l->cfg.blocks[loop->merge];
    struct spv_builder builder = {l->module, l->function, block, block->insts.first};
    spv_id id = spv_emit(&builder, SpvOpPhi, spv_value_type(l->module, value), count * 2, words);
    u64_map_set(spv_scratch(l->module), &l->phis, key, spv_def(l->module, id));
    loop->has_phis = true;
    return id;
}

static void take_operand(void *data, struct spv_inst *user, uint32_t *word);

/* The value, computed again for the user; what it is computed of comes from outside of the loop. */
static spv_id compute_again(struct loops *l, const struct spv_inst *inst)
{
    spv_id id = spv_new_id(l->module);
    struct spv_builder builder = {l->module, l->function, l->at, l->user};
    struct spv_inst *copy = spv_inst_copy(l->module, inst, id);
    spv_inst_insert(&builder, copy);
    struct spv_inst *user = l->user;
    l->user = copy;
    spv_visit_operand_ids(copy, take_operand, l);
    l->user = user;
    return id;
}

static void take_operand(void *data, struct spv_inst *user, uint32_t *word)
{
    struct loops *l = data;
    const struct spv_inst *def = spv_def(l->module, *word);
    (void)user;
    if (!def || !def->block || def->op == SpvOpLabel || !spv_op_has_type(def->op))
        return;
    uint32_t from = def->block->index, to = l->at->index;
    if (from == SPV_UNREACHABLE || to == SPV_UNREACHABLE)
        return;
    uint32_t loop = l->inside[from];
    while (loop != NO_LOOP && !contains(l, &l->all.data[loop], to)) {
        if (has_no_phis(l->module, def->type)) {
            l->failed |= !can_compute_again(def);
            *word = compute_again(l, def);
            return;
        }
        *word = phi_behind(l, &l->all.data[loop], *word);
        loop = l->inside[l->all.data[loop].merge];
    }
}

static void take_operands(struct loops *l, struct spv_block *block, struct spv_inst *inst)
{
    l->user = inst;
    if (inst->op != SpvOpPhi) {
        l->at = block;
        spv_visit_operand_ids(inst, take_operand, l);
        return;
    }
    /* a phi's operands are used at the ends of the blocks that they come from */
    for (uint32_t i = 0; i + 1 < inst->num_words; i += 2) {
        l->at = spv_block_of(l->module, inst->words[i + 1]);
        take_operand(l, inst, &inst->words[i]);
    }
}

/* The header's branch goes to a block of its own, and the header may branch to the merge block besides. */
static void add_branch(struct loops *l, const struct loop *loop, spv_id never)
{
    struct spv_module *module = l->module;
    struct spv_block *header = l->cfg.blocks[loop->header], *merge = l->cfg.blocks[loop->merge];
    struct spv_block *next = spv_block_create(l->function, module, 0);
    struct spv_inst *branch = spv_terminator(header), *loop_merge = spv_merge_inst(header);
    struct spv_builder at_end = {module, l->function, header, NULL}, in_next = {module, l->function, next, NULL};
    spv_id from = header->label->id;
    cfg_rename_phi_pred(module, header, from, next->label->id);
    spv_inst_unlink(branch);
    spv_inst_insert(&in_next, branch);
    spv_emitv_void(&at_end, SpvOpBranchConditional, never, merge->label->id, next->label->id);
    spv_block_insert_after(header, next);
    if (loop_merge->words[1] == from) /* a loop of one block continued with itself */
        loop_merge->words[1] = next->label->id;
    for (struct spv_inst *phi = merge->insts.first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        uint32_t count = phi->num_words;
        uint32_t *words = arena_array(spv_scratch(module), uint32_t, (size_t)count + 2);
        memcpy(words, phi->words, count * sizeof(*words));
        words[count] = spv_const_null(module, phi->type);
        words[count + 1] = from;
        spv_inst_set_words(module, phi, count + 2, words);
    }
}

bool lower_loops(struct lower *lower)
{
    struct spv_module *module = lower->module;
    bool failed = false;
    if (lower->target->native[CLC_PROBE_LOOPS][CLC_WIDTH_32] == CLC_NATIVE_EXACT) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, module) {
        struct loops l = {.lower = lower, .module = module, .function = function};
        struct arena_mark mark = spv_scratch_begin(module);
        spv_id never = 0;
        spv_cfg_compute(spv_scratch(module), module, function, &l.cfg);
        find_loops(&l, spv_scratch(module));
        for (uint32_t i = 0; l.all.length && i < l.cfg.count; i++) {
            spv_foreach_inst (inst, &l.cfg.blocks[i]->insts)
                take_operands(&l, l.cfg.blocks[i], inst);
        }
        for (uint32_t i = 0; i < l.all.length; i++) {
            if (!l.all.data[i].has_phis)
                continue;
            never = never ? never : lower_never(lower, function);
            add_branch(&l, &l.all.data[i], never);
        }
        if (never)
            spv_cfg_forget(function);
        failed |= l.failed;
        spv_scratch_end(module, mark);
    }
    return !failed || lower_fail(lower, "a pointer leaves a loop that cannot be computed again");
}
