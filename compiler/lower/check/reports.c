/* Where reports are made (checking.h).
 *
 * What a block finds wrong is reported at its end, behind one branch for all of its accesses:
 *
 *     %v = OpLoad %p'            (p or where no harm is done)
 *     %w = OpLoad %q'
 *     OpBranchConditional (%wrong1 || %wrong2) %report %rest
 *     report: %left = (%wrong1 ? 1 : 0) | (%wrong2 ? 2 : 0)
 *     head:   %number = 0, 1...
 *             __pumice_check(%number == 0 ? ... : ..., %left & 1)
 *             %left >>= 1
 *             OpBranchConditional (%left != 0) %head %rest
 *
 * So the code of a report, which drivers write out at each call, is there once for each block. Work-items go through the
 * loop in step: of those that find different faults at one place, what is looked at first is reported first.
 *
 * Loads are not put under branches one by one, and a device has all of them under way. Reports come before what other
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

enum report_part { SITE, WHAT, VALUE, SIZE, PARTS };

static spv_id part_of(struct checking *c, const struct check_pending *pending, enum report_part part)
{
    switch (part) {
    case SITE:
        return pending->site;
    case WHAT:
        return spv_const_u32(c->module, pending->what);
    case VALUE:
        return pending->value;
    default:
        return pending->size;
    }
}

static void emit(struct checking *c, const spv_id parts[PARTS], spv_id wrong)
{
    const spv_id args[] = {check_head(c), parts[SITE], parts[WHAT], parts[VALUE], parts[SIZE], wrong};
    check_call(c, &c->check, "__pumice_check", ARRAY_LENGTH(args), args);
}

static spv_id number_if(struct checking *c, spv_id condition, uint32_t number)
{
    return spv_emitv(&c->b, SpvOpSelect, spv_type_int(c->module, 32), condition, spv_const_u32(c->module, number),
                     spv_const_u32(c->module, 0));
}

static void emit_alone(struct checking *c, const struct check_pending *pending)
{
    spv_id parts[PARTS];
    for (uint32_t i = 0; i < PARTS; i++)
        parts[i] = part_of(c, pending, i);
    emit(c, parts, number_if(c, pending->wrong, 1));
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

/* What the report of that number has there. */
static spv_id choose(struct checking *c, const struct check_pending *pending, uint32_t count, enum report_part part,
                     spv_id number)
{
    spv_id truth = spv_type_bool(c->module), chosen = part_of(c, &pending[0], part);
    for (uint32_t i = 1; i < count; i++) {
        spv_id other = part_of(c, &pending[i], part);
        if (other == chosen)
            continue;
        spv_id is_other = spv_emitv(&c->b, SpvOpIEqual, truth, number, spv_const_u32(c->module, i));
        chosen = spv_emitv(&c->b, SpvOpSelect, spv_value_type(c->module, other), is_other, other, chosen);
    }
    return chosen;
}

static struct spv_block *block_behind(struct checking *c, struct spv_block *block)
{
    struct spv_block *made = spv_block_create(block->function, c->module, 0);
    spv_block_insert_after(block, made);
    return made;
}

/* At the block's end, which has no branch yet: a loop over those that are wrong. Returns the block behind it. */
static struct spv_block *emit_in_turn(struct checking *c, struct spv_block *block, const struct check_pending *pending,
                                      uint32_t count)
{
    spv_id u32 = spv_type_int(c->module, 32), truth = spv_type_bool(c->module), parts[PARTS];
    struct spv_block *head = block_behind(c, block), *body = block_behind(c, head), *again = block_behind(c, body),
                     *done = block_behind(c, again);
    c->b.block = block;
    spv_id all = number_if(c, pending[0].wrong, 1);
    for (uint32_t i = 1; i < count; i++)
        all = spv_emitv(&c->b, SpvOpBitwiseOr, u32, all, number_if(c, pending[i].wrong, 1u << i));
    spv_emitv_void(&c->b, SpvOpBranch, head->label->id);
    c->b.block = head;
    spv_id none = spv_const_u32(c->module, 0), one = spv_const_u32(c->module, 1);
    const spv_id incoming[] = {all, block->label->id, all, again->label->id};
    spv_id left = spv_emit(&c->b, SpvOpPhi, u32, ARRAY_LENGTH(incoming), incoming);
    const spv_id numbers[] = {none, block->label->id, none, again->label->id};
    spv_id number = spv_emit(&c->b, SpvOpPhi, u32, ARRAY_LENGTH(numbers), numbers);
    spv_emitv_void(&c->b, SpvOpLoopMerge, done->label->id, again->label->id, SpvLoopControlDontUnrollMask);
    spv_emitv_void(&c->b, SpvOpBranch, body->label->id);
    c->b.block = body;
    for (uint32_t i = 0; i < PARTS; i++)
        parts[i] = choose(c, pending, count, i, number);
    emit(c, parts, spv_emitv(&c->b, SpvOpBitwiseAnd, u32, left, one));
    spv_emitv_void(&c->b, SpvOpBranch, again->label->id);
    c->b.block = again;
    spv_id rest = spv_emitv(&c->b, SpvOpShiftRightLogical, u32, left, one);
    spv_def(c->module, left)->words[2] = rest;
    spv_def(c->module, number)->words[2] = spv_emitv(&c->b, SpvOpIAdd, u32, number, one);
    spv_id more = spv_emitv(&c->b, SpvOpINotEqual, truth, rest, none);
    spv_emitv_void(&c->b, SpvOpBranchConditional, more, head->label->id, done->label->id);
    c->b.block = done;
    return done;
}

static void emit_together(struct checking *c, struct spv_block *block, struct spv_inst *before,
                          const struct check_pending *pending, uint32_t count)
{
    enum { MOST_IN_TURN = 32 };
    spv_id truth = spv_type_bool(c->module), any = pending[0].wrong;
    struct spv_block *rest = split(c, block, before), *report = spv_block_create(block->function, c->module, 0);
    spv_block_insert_after(block, report);
    c->b = (struct spv_builder){c->module, block->function, block, NULL, NULL};
    for (uint32_t i = 1; i < count; i++)
        any = spv_emitv(&c->b, SpvOpLogicalOr, truth, any, pending[i].wrong);
    spv_emitv_void(&c->b, SpvOpSelectionMerge, rest->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&c->b, SpvOpBranchConditional, any, report->label->id, rest->label->id);
    for (uint32_t i = 0; i < count; i += MOST_IN_TURN) {
        if (count - i == 1)
            emit_alone(c, &pending[i]);
        else
            report = emit_in_turn(c, report, &pending[i], (uint32_t)u64_min(count - i, MOST_IN_TURN));
    }
    spv_block_insert_after(report, rest);
    c->b.block = report;
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
            emit_alone(c, &pending[i]);
        }
        c->pending.length = first;
    }
}
