/* Where reports are made (checking.h).
 *
 * What a block finds wrong is reported at its end, behind one branch for all of its accesses:
 *
 *     %v = OpLoad %p'            (p or where no harm is done)
 *     %w = OpLoad %q'
 *     OpBranchConditional (%wrong1 || %wrong2) %report %rest
 *     report: __pumice_check(..., %wrong1); __pumice_check(..., %wrong2)
 *
 * So loads are not put under branches one by one, and a device has all of them under way. Reports come before what other
 * work-items may have to reach, which may be where the kernel hangs. */
#include "compiler/lower/check/checking.h"

#include "compiler/opt/cfg/blocks.h"

#include "base/util.h"

void check_report(struct checking *c, const struct mark *mark, spv_id wrong, uint32_t what)
{
    if (!c->reports)
        return;
    const struct check_pending pending = {
        .site = mark->site, .value = mark->value, .size = mark->size, .wrong = wrong, .what = what, .before = NULL};
    vec_push(c->module->arena, &c->pending, pending);
}

static bool may_pass(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpPhi:
    case SpvOpVariable:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpExtInst:
        return true;
    default:
        return spv_inst_is_pure(inst) || spv_op_is_atomic(inst->op);
    }
}

void check_hold_reports(struct checking *c, struct spv_inst *inst)
{
    if (may_pass(inst))
        return;
    for (uint32_t i = c->pending.length; i-- > 0 && !c->pending.data[i].before;)
        c->pending.data[i].before = inst;
}

static void emit(struct checking *c, const struct check_pending *pending)
{
    spv_id u32 = spv_type_int(c->module, 32), one = spv_const_u32(c->module, 1), none = spv_const_u32(c->module, 0);
    const spv_id args[] = {
        check_head(c),  pending->site, spv_const_u32(c->module, pending->what),
        pending->value, pending->size, spv_emitv(&c->b, SpvOpSelect, u32, pending->wrong, one, none)};
    check_call(c, &c->check, "__pumice_check", ARRAY_LENGTH(args), args);
}

/* Moves the instruction and all behind it to a block of its own. */
static struct spv_block *split(struct checking *c, struct spv_block *block, struct spv_inst *from)
{
    struct spv_block *rest = spv_block_create(block->function, c->module, 0);
    struct spv_builder at = {c->module, block->function, rest, NULL, NULL};
    cfg_rename_phi_pred(c->module, block, block->label->id, rest->label->id);
    for (struct spv_inst *next; from; from = next) {
        next = from->next;
        spv_inst_unlink(from);
        spv_inst_insert(&at, from);
    }
    return rest;
}

static void emit_together(struct checking *c, struct spv_block *block, struct spv_inst *before,
                          const struct check_pending *pending, uint32_t count)
{
    spv_id truth = spv_type_bool(c->module), any = pending[0].wrong;
    struct spv_block *rest = split(c, block, before), *report = spv_block_create(block->function, c->module, 0);
    spv_block_insert_after(block, report);
    spv_block_insert_after(report, rest);
    c->b = (struct spv_builder){c->module, block->function, block, NULL, NULL};
    for (uint32_t i = 1; i < count; i++)
        any = spv_emitv(&c->b, SpvOpLogicalOr, truth, any, pending[i].wrong);
    spv_emitv_void(&c->b, SpvOpSelectionMerge, rest->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&c->b, SpvOpBranchConditional, any, report->label->id, rest->label->id);
    c->b.block = report;
    for (uint32_t i = 0; i < count; i++)
        emit(c, &pending[i]);
    spv_emitv_void(&c->b, SpvOpBranch, rest->label->id);
}

/* The last ones first, so that what is split off needs no more. */
void check_make_reports(struct checking *c, struct spv_block *block)
{
    struct spv_inst *merge = spv_merge_inst(block), *end = merge ? merge : spv_terminator(block);
    bool is_head = merge && merge->op == SpvOpLoopMerge;
    while (c->pending.length) {
        uint32_t last = c->pending.length - 1, first = last;
        struct spv_inst *before = c->pending.data[last].before;
        while (first && c->pending.data[first - 1].before == before)
            first--;
        if (!before || spv_op_is_merge(before->op) || before == spv_terminator(block))
            before = end;
        const struct check_pending *pending = &c->pending.data[first];
        if (first < last && !is_head)
            emit_together(c, block, before, pending, last - first + 1);
        for (uint32_t i = 0; first == last || is_head ? i <= last - first : false; i++) {
            c->b = (struct spv_builder){c->module, block->function, block, before, NULL};
            emit(c, &pending[i]);
        }
        c->pending.length = first;
    }
}
